-- What the feeds of an outlet bring on a day, and hearsay behind everything else.
ALTER TABLE crawler_data.ledger ADD COLUMN brought_own bigint NOT NULL DEFAULT 0;
ALTER TABLE crawler_data.ledger ADD COLUMN brought_foreign bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN crawler_data.ledger.brought_own IS 'New entries that the outlet''s feeds brought, of outlets that they speak for.';
COMMENT ON COLUMN crawler_data.ledger.brought_foreign IS 'New entries that the outlet''s feeds brought, of other outlets.';

CREATE OR REPLACE FUNCTION crawler_data.earliest(wanted text) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT min(t.due)
    FROM (VALUES (0::smallint), (1::smallint), (2::smallint), (3::smallint), (4::smallint)) AS p (n),
    LATERAL (
        SELECT due FROM crawler_data.tasks
        WHERE pace_key = wanted COLLATE "C" AND priority = p.n ORDER BY due LIMIT 1
    ) AS t
$$;

-- The tasks of leased pace keys: polls first, then fresh entries, retries, backlog, hearsay.
CREATE OR REPLACE FUNCTION crawler_data.drain(keys text[], now bigint, most bigint)
RETURNS SETOF crawler_data.tasks
LANGUAGE sql STABLE AS $$
    SELECT t.*
    FROM unnest(keys) AS k (pace_key), LATERAL (
        SELECT q.* FROM (VALUES (0::smallint), (1::smallint), (2::smallint), (3::smallint), (4::smallint)) AS p (n),
        LATERAL (
            SELECT * FROM crawler_data.tasks AS t
            WHERE t.pace_key = k.pace_key COLLATE "C" AND t.priority = p.n AND t.due <= now
            ORDER BY t.due, t.key LIMIT most
        ) AS q
        ORDER BY q.priority, q.due, q.key LIMIT most
    ) AS t
    ORDER BY t.pace_key, t.priority, t.due, t.key
$$;

UPDATE crawler_data.tasks AS t SET priority = 4
    FROM crawler_data.urls AS u
    WHERE t.kind = 1 AND t.priority = 3 AND u.key = t.key AND u.record ->> 'foreign' = 'true';
