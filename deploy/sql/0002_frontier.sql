-- What has to happen in one statement: leases, and the place of a pace key in the due index.
-- Whoever changes the tasks of a pace key locks its row before it computes the place, in a
-- statement of its own, so that it sees what others have committed meanwhile.

CREATE FUNCTION crawler_data.earliest(wanted text) RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT min(t.due)
    FROM (VALUES (0::smallint), (1::smallint), (2::smallint), (3::smallint)) AS p (n),
    LATERAL (
        SELECT due FROM crawler_data.tasks
        WHERE pace_key = wanted COLLATE "C" AND priority = p.n ORDER BY due LIMIT 1
    ) AS t
$$;
COMMENT ON FUNCTION crawler_data.earliest IS 'When the first task of a pace key is due.';

CREATE FUNCTION crawler_data.place(key text, next_at bigint, blocked_until bigint, lease_until bigint)
RETURNS bigint
LANGUAGE sql STABLE AS $$
    SELECT greatest(t.due, next_at, blocked_until, lease_until)
    FROM (SELECT crawler_data.earliest(key) AS due) AS t WHERE t.due IS NOT NULL
$$;

-- Puts pace keys where they belong; makes rows for new ones.
CREATE FUNCTION crawler_data.reindex(keys text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO crawler_data.pace (pace_key)
        SELECT k FROM unnest(keys) AS k ORDER BY k COLLATE "C" ON CONFLICT DO NOTHING;
    PERFORM 1 FROM crawler_data.pace WHERE pace_key = ANY (keys) ORDER BY pace_key FOR NO KEY UPDATE;
    UPDATE crawler_data.pace AS p SET due = n.due
        FROM (
            SELECT q.pace_key,
                crawler_data.place(q.pace_key, q.next_at, q.blocked_until, q.lease_until) AS due
            FROM crawler_data.pace AS q WHERE q.pace_key = ANY (keys)
        ) AS n
        WHERE p.pace_key = n.pace_key AND p.due IS DISTINCT FROM n.due;
END $$;

-- Ends leases whose time is over. The last request under one ended when the lease did, at the
-- latest; the delay counts from there, and a margin for clocks that differ.
CREATE FUNCTION crawler_data.sweep(now bigint, unknown_delay bigint, margin bigint) RETURNS void
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
        owner = NULL,
        lease_until = NULL,
        next_at = CASE WHEN w.wait > 0 THEN greatest(p.next_at, p.lease_until + w.wait + margin) ELSE p.next_at END
    FROM (
        SELECT q.pace_key, coalesce(
            nullif(greatest(q.delay, coalesce(q.operator_delay, 0)), 0), unknown_delay) AS wait
        FROM crawler_data.pace AS q WHERE q.pace_key = ANY (ended)
    ) AS w
    WHERE p.pace_key = w.pace_key;
    PERFORM crawler_data.reindex(ended);
END $$;

-- Leases pace keys that are locked by the caller.
CREATE FUNCTION crawler_data.give(keys text[], holder text, now bigint, until bigint)
RETURNS SETOF crawler_data.pace
LANGUAGE sql AS $$
    UPDATE crawler_data.pace AS p SET
        epoch = p.epoch + 1,
        owner = holder,
        lease_until = until,
        next_at = greatest(p.next_at, now),
        due = crawler_data.place(p.pace_key, greatest(p.next_at, now), p.blocked_until, until)
    WHERE p.pace_key = ANY (keys)
    RETURNING p.*
$$;

-- Leases due pace keys in the order in which they are due. Those that another worker is just
-- leasing or committing under are passed over.
CREATE FUNCTION crawler_data.claim(
    holder text, now bigint, until bigint, most bigint, unknown_delay bigint, margin bigint
) RETURNS SETOF crawler_data.pace
LANGUAGE plpgsql AS $$
DECLARE
    free text[];
BEGIN
    PERFORM crawler_data.sweep(now, unknown_delay, margin);
    SELECT array_agg(f.pace_key) INTO free FROM (
        SELECT pace_key FROM crawler_data.pace WHERE due <= now ORDER BY due, pace_key LIMIT most
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

-- One pace key by name, if it is free. Only this row is locked: whoever waits for it holds no other.
CREATE FUNCTION crawler_data.claim_key(wanted text, holder text, now bigint, until bigint)
RETURNS SETOF crawler_data.pace
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO crawler_data.pace (pace_key) VALUES (wanted) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM crawler_data.pace WHERE pace_key = wanted AND lease_until IS NULL
        AND greatest(next_at, blocked_until) <= now FOR NO KEY UPDATE;
    IF FOUND THEN
        RETURN QUERY SELECT * FROM crawler_data.give(ARRAY[wanted], holder, now, until);
    END IF;
END $$;

-- The tasks of leased pace keys: polls first, then fresh entries, retries, backlog.
CREATE FUNCTION crawler_data.drain(keys text[], now bigint, most bigint)
RETURNS SETOF crawler_data.tasks
LANGUAGE sql STABLE AS $$
    SELECT t.*
    FROM unnest(keys) AS k (pace_key), LATERAL (
        SELECT q.* FROM (VALUES (0::smallint), (1::smallint), (2::smallint), (3::smallint)) AS p (n),
        LATERAL (
            SELECT * FROM crawler_data.tasks AS t
            WHERE t.pace_key = k.pace_key COLLATE "C" AND t.priority = p.n AND t.due <= now
            ORDER BY t.due, t.key LIMIT most
        ) AS q
        ORDER BY q.priority, q.due, q.key LIMIT most
    ) AS t
    ORDER BY t.pace_key, t.priority, t.due, t.key
$$;

CREATE FUNCTION crawler_data.extend(wanted text, holder text, held bigint, until bigint)
RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM crawler_data.pace
        WHERE pace_key = wanted AND owner = holder AND epoch = held FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE crawler_data.pace SET lease_until = until WHERE pace_key = wanted;
    PERFORM crawler_data.reindex(ARRAY[wanted]);
    RETURN true;
END $$;

-- Stores the pace under a lease, and ends the lease if it is done. Pause and delay set meanwhile
-- by the operator stay. The caller sees to the due index if the lease goes on.
CREATE FUNCTION crawler_data.set_pace(
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
        owner = CASE WHEN done THEN NULL ELSE p.owner END,
        lease_until = CASE WHEN done THEN NULL ELSE p.lease_until END
    WHERE p.pace_key = wanted;
    IF done THEN
        PERFORM crawler_data.reindex(ARRAY[wanted]);
    END IF;
    RETURN true;
END $$;

-- Makes the partition of a day of arrival, if it is not there. Attached, not created in place:
-- readers of other days need not wait.
CREATE FUNCTION crawler_data.make_day(day date) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    name text := 'texts_' || to_char(day, 'YYYYMMDD') || CASE WHEN extract(year FROM day) < 0 THEN '_bc' ELSE '' END;
BEGIN
    IF to_regclass('crawler_data.' || name) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE crawler_data.%I (LIKE crawler_data.texts)', name);
    EXECUTE format(
        'ALTER TABLE crawler_data.texts ATTACH PARTITION crawler_data.%I FOR VALUES FROM (%L) TO (%L)',
        name, day, day + 1);
END $$;
