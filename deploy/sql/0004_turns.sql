-- Texts leave by the day; a pace key stays with its worker; polls beside the turn; a hint of new work.

-- What is known of an article but its text stands with its row. Its text is in the partition of
-- its day of arrival, and leaves with it.
ALTER TABLE crawler_data.articles ADD COLUMN record json, ADD COLUMN has_text boolean;
UPDATE crawler_data.articles AS a SET
    has_text = t.record -> 'article' ->> 'text' <> '',
    record = jsonb_set(jsonb_set(t.record::jsonb, '{article,text}', '""'), '{article,blocks}', '[]')::json
    FROM crawler_data.texts AS t WHERE t.arrival = a.arrival AND t.key = a.key;
ALTER TABLE crawler_data.articles ALTER record SET NOT NULL, ALTER has_text SET NOT NULL;
COMMENT ON COLUMN crawler_data.articles.record IS 'Everything but text and blocks.';
COMMENT ON COLUMN crawler_data.articles.has_text IS 'Did it come with a text? That may have left since.';

ALTER TABLE crawler_data.texts ADD COLUMN text text, ADD COLUMN blocks json;
UPDATE crawler_data.texts SET text = record -> 'article' ->> 'text', blocks = record -> 'article' -> 'blocks';
DELETE FROM crawler_data.texts WHERE text = '';
CREATE OR REPLACE VIEW crawler.texts AS
    SELECT t.key AS article, t.arrival, t.text FROM crawler_data.texts AS t;
ALTER TABLE crawler_data.texts DROP COLUMN record;
ALTER TABLE crawler_data.texts ALTER text SET NOT NULL, ALTER blocks SET NOT NULL;
COMMENT ON TABLE crawler_data.texts IS 'Texts and labeled blocks of articles; one partition a day of arrival.';

ALTER TABLE crawler_data.state ADD COLUMN texts_from date;
COMMENT ON COLUMN crawler_data.state.texts_from IS 'Texts that arrived before this day have left by age; null: none have.';
DELETE FROM crawler_data.meta WHERE name = 'retention texts';

-- Drops the oldest partition of texts if all of it arrived before a day; returns how many texts left,
-- null if there is no such partition, or if somebody has been reading texts for longer than we wait.
-- Under the commit lock.
CREATE FUNCTION crawler_data.drop_day(before date) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    part regclass;
    arrived date;
    n bigint;
BEGIN
    SELECT p.part, p.arrived INTO part, arrived FROM (
        SELECT c.oid::regclass AS part,
            substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \(''([^'']+)''\)')::date AS arrived
        FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'crawler_data.texts'::regclass
    ) AS p WHERE p.arrived < before ORDER BY p.arrived LIMIT 1;
    IF part IS NULL THEN
        RETURN NULL;
    END IF;
    -- Whoever wants to read or write texts meanwhile waits behind us.
    PERFORM set_config('lock_timeout', '500ms', true);
    BEGIN
        LOCK TABLE ONLY crawler_data.texts IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('SELECT count(*) FROM %s', part) INTO n;
        EXECUTE format('DROP TABLE %s', part);
    EXCEPTION WHEN lock_not_available THEN
        RETURN NULL;
    END;
    UPDATE crawler_data.state SET texts_from = greatest(texts_from, arrived + 1);
    RETURN n;
END $$;

-- Who had a pace key last gets it again when its delay is over. Others wait a margin longer: their
-- clocks may be ahead of his.
ALTER TABLE crawler_data.pace ADD COLUMN last_owner text;
COMMENT ON COLUMN crawler_data.pace.last_owner IS 'Who had the last lease that has ended; by whose clock next_at is.';

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
    PERFORM crawler_data.reindex(ended);
END $$;

CREATE OR REPLACE FUNCTION crawler_data.claim(
    holder text, now bigint, until bigint, most bigint, unknown_delay bigint, margin bigint
) RETURNS SETOF crawler_data.pace
LANGUAGE plpgsql AS $$
DECLARE
    free text[];
BEGIN
    PERFORM crawler_data.sweep(now, unknown_delay, margin);
    SELECT array_agg(f.pace_key) INTO free FROM (
        SELECT pace_key FROM crawler_data.pace
        WHERE due <= now AND (last_owner = holder OR greatest(next_at, blocked_until) <= now - margin)
        ORDER BY due, pace_key LIMIT most
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS f;
    IF free IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
        SELECT g.* FROM crawler_data.give(free, holder, now, until) AS g
        JOIN unnest(free) WITH ORDINALITY AS f (pace_key, place) ON f.pace_key = g.pace_key
        ORDER BY f.place;
END $$;

DROP FUNCTION crawler_data.claim_key(text, text, bigint, bigint);
CREATE FUNCTION crawler_data.claim_key(
    wanted text, holder text, now bigint, until bigint, margin bigint
) RETURNS SETOF crawler_data.pace
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO crawler_data.pace (pace_key) VALUES (wanted) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM crawler_data.pace WHERE pace_key = wanted AND lease_until IS NULL
        AND greatest(next_at, blocked_until) <= CASE WHEN last_owner = holder THEN now ELSE now - margin END
        FOR NO KEY UPDATE;
    IF FOUND THEN
        RETURN QUERY SELECT * FROM crawler_data.give(ARRAY[wanted], holder, now, until);
    END IF;
END $$;
COMMENT ON FUNCTION crawler_data.claim_key IS 'One pace key by name, if it is free. Only this row is locked: whoever waits for it holds no other.';

-- When a worker may get its next lease. Both ends of the range are named: the planner takes it for
-- small then, which it is, and uses the index.
CREATE FUNCTION crawler_data.next_due(holder text, margin bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT min(CASE WHEN p.last_owner = holder THEN p.due
        ELSE greatest(p.due, least(greatest(p.next_at, p.blocked_until), 9000000000000000000) + margin) END)
    FROM crawler_data.pace AS p
    WHERE p.due >= (SELECT min(due) FROM crawler_data.pace)
      AND p.due <= (SELECT least(min(due), 9000000000000000000) + margin FROM crawler_data.pace)
$$;

CREATE OR REPLACE FUNCTION crawler_data.set_pace(
    wanted text, holder text, held bigint, done boolean,
    next_at bigint, delay bigint, blocked_until bigint,
    response_ms real, failures real, forbidden_run bigint
) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM crawler_data.pace AS p
        WHERE p.pace_key = wanted AND p.owner = holder AND p.epoch = held FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE crawler_data.pace AS p SET
        next_at = set_pace.next_at,
        delay = set_pace.delay,
        blocked_until = greatest(p.blocked_until, set_pace.blocked_until),
        response_ms = set_pace.response_ms,
        failures = set_pace.failures,
        forbidden_run = set_pace.forbidden_run,
        last_owner = CASE WHEN done THEN p.owner ELSE p.last_owner END,
        owner = CASE WHEN done THEN NULL ELSE p.owner END,
        lease_until = CASE WHEN done THEN NULL ELSE p.lease_until END
    WHERE p.pace_key = wanted;
    IF done THEN
        PERFORM crawler_data.reindex(ARRAY[wanted]);
    END IF;
    RETURN true;
END $$;

-- Puts pace keys where they belong; makes rows for new ones. Has one of them become due just now?
DROP FUNCTION crawler_data.reindex(text[]);
CREATE FUNCTION crawler_data.reindex(keys text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    at bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    sooner boolean;
BEGIN
    INSERT INTO crawler_data.pace (pace_key)
        SELECT k FROM unnest(keys) AS k ORDER BY k COLLATE "C" ON CONFLICT DO NOTHING;
    PERFORM 1 FROM crawler_data.pace WHERE pace_key = ANY (keys) ORDER BY pace_key FOR NO KEY UPDATE;
    WITH moved AS (
        UPDATE crawler_data.pace AS p SET due = n.due
            FROM (
                SELECT q.pace_key, q.due AS before,
                    crawler_data.place(q.pace_key, q.next_at, q.blocked_until, q.lease_until) AS due
                FROM crawler_data.pace AS q WHERE q.pace_key = ANY (keys)
            ) AS n
            WHERE p.pace_key = n.pace_key AND p.due IS DISTINCT FROM n.due
            RETURNING n.before, n.due
    )
    SELECT bool_or(due <= at AND (before IS NULL OR before > at)) INTO sooner FROM moved;
    RETURN coalesce(sooner, false);
END $$;

-- Sums that make a table of a brand's days without looking at its rows.
ALTER TABLE crawler_data.tallies
    ADD COLUMN originals bigint NOT NULL DEFAULT 0,
    ADD COLUMN backlog bigint NOT NULL DEFAULT 0,
    ADD COLUMN own bigint NOT NULL DEFAULT 0,
    ADD COLUMN late bigint NOT NULL DEFAULT 0,
    ADD COLUMN late_week bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN crawler_data.tallies.originals IS 'Of the articles, originals of their stories.';
COMMENT ON COLUMN crawler_data.tallies.backlog IS 'Of the articles, those of first polls.';
COMMENT ON COLUMN crawler_data.tallies.own IS 'Of the mentions, those by the brand itself.';
COMMENT ON COLUMN crawler_data.tallies.late IS 'Of the articles, those first seen two days later or more, without backlog.';
COMMENT ON COLUMN crawler_data.tallies.late_week IS 'The same, a day after the week was over or later.';
UPDATE crawler_data.tallies AS t SET backlog = s.backlog, own = s.own, late = s.late, late_week = s.late_week
    FROM (
        SELECT m.version, m.brand, m.day,
            count(*) FILTER (WHERE m.counted > 0 AND m.backlog) AS backlog,
            coalesce(sum(m.counted) FILTER (WHERE m.own_outlet), 0) AS own,
            count(*) FILTER (WHERE m.counted > 0 AND NOT m.backlog AND u.arrival >= m.day + 2) AS late,
            count(*) FILTER (WHERE m.counted > 0 AND NOT m.backlog
                AND u.arrival >= date_trunc('week', m.day)::date + 8) AS late_week
        FROM crawler_data.mentions AS m LEFT JOIN crawler_data.urls AS u ON u.key = m.article
        GROUP BY m.version, m.brand, m.day
    ) AS s WHERE s.version = t.version AND s.brand = t.brand AND s.day = t.day;
UPDATE crawler_data.tallies AS t SET originals = s.originals
    FROM (
        SELECT m.version, m.brand, s.day, count(*) AS originals FROM crawler_data.stories AS s
        JOIN crawler_data.mentions AS m ON m.article = s.first_key AND m.counted > 0
        GROUP BY m.version, m.brand, s.day
    ) AS s WHERE s.version = t.version AND s.brand = t.brand AND s.day = t.day;

CREATE TABLE crawler_data.polls (
    day date NOT NULL,
    part smallint NOT NULL,
    due bigint NOT NULL,
    succeeded bigint NOT NULL,
    PRIMARY KEY (day, part)
) WITH (fillfactor = 50);
COMMENT ON TABLE crawler_data.polls IS 'Polls of all outlets by day, in parts so that nobody waits for another''s.';
INSERT INTO crawler_data.polls
    SELECT day, 0, sum(polls_due), sum(polls_succeeded) FROM crawler_data.ledger GROUP BY day;
