-- Tasks that were under way when a lease ended without being given back: its worker may have ended by one
-- of them. They are done alone before anything else is done beside them.
CREATE TABLE crawler_data.suspects (
    kind smallint NOT NULL,
    key uuid NOT NULL,
    pace_key text COLLATE "C" NOT NULL,
    due bigint NOT NULL,
    ends bigint NOT NULL DEFAULT 0,
    alone boolean NOT NULL DEFAULT false,
    PRIMARY KEY (kind, key)
);
COMMENT ON TABLE crawler_data.suspects IS 'Tasks that may end the process that does them.';
COMMENT ON COLUMN crawler_data.suspects.due IS 'Of its task when it was named; with another one it has been through since.';
COMMENT ON COLUMN crawler_data.suspects.ends IS 'How often a lease ended while nothing but this was done.';

-- Of each lease and priority one can have been under way: tasks are done in the order of their queue.
CREATE FUNCTION crawler_data.name_suspects(ended text[], now bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM crawler_data.suspects AS s WHERE s.pace_key = ANY (ended) AND NOT EXISTS (
        SELECT 1 FROM crawler_data.tasks AS t WHERE t.kind = s.kind AND t.key = s.key AND t.due = s.due);
    UPDATE crawler_data.suspects AS s SET ends = ends + 1, alone = false
        WHERE s.pace_key = ANY (ended) AND s.alone;
    INSERT INTO crawler_data.suspects (kind, key, pace_key, due)
        SELECT t.kind, t.key, t.pace_key, t.due
        FROM unnest(ended) AS k (pace_key),
        LATERAL (VALUES (0::smallint), (1::smallint), (2::smallint), (3::smallint)) AS p (n),
        LATERAL (
            SELECT * FROM crawler_data.tasks AS q
            WHERE q.pace_key = k.pace_key COLLATE "C" AND q.priority = p.n AND q.due <= now
            ORDER BY q.due, q.key LIMIT 1
        ) AS t
        ON CONFLICT DO NOTHING;
END $$;

CREATE OR REPLACE FUNCTION crawler_data.sweep(now bigint, unknown_delay bigint, margin bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    ended text[];
BEGIN
    SELECT array_agg(o.pace_key) INTO ended FROM (
        SELECT pace_key FROM crawler_data.pace WHERE lease_until <= now
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS o;
    IF ended IS NULL THEN
        RETURN;
    END IF;
    UPDATE crawler_data.pace AS p SET
        last_owner = p.owner,
        owner = NULL,
        lease_until = NULL,
        next_at = CASE WHEN w.wait > 0 THEN greatest(p.next_at, p.lease_until + w.wait) ELSE p.next_at END
    FROM (
        SELECT q.pace_key, coalesce(
            nullif(greatest(q.delay, coalesce(q.operator_delay, 0)), 0), unknown_delay) AS wait
        FROM crawler_data.pace AS q WHERE q.pace_key = ANY (ended)
    ) AS w
    WHERE p.pace_key = w.pace_key;
    PERFORM crawler_data.name_suspects(ended, now);
    PERFORM crawler_data.reindex(ended);
END $$;
