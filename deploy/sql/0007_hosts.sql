-- Pauses and Crawl-delays belong to the host that asked for them.
ALTER TABLE crawler_data.pace ALTER COLUMN forbidden_run DROP DEFAULT;
ALTER TABLE crawler_data.pace ALTER COLUMN forbidden_run TYPE json USING '[]'::json;
ALTER TABLE crawler_data.pace ALTER COLUMN forbidden_run SET DEFAULT '[]';
ALTER TABLE crawler_data.pace RENAME COLUMN forbidden_run TO hosts;
COMMENT ON COLUMN crawler_data.pace.hosts IS 'What single hosts have asked for.';

DROP FUNCTION crawler_data.set_pace(
    text, text, bigint, boolean, bigint, bigint, bigint, real, real, bigint);
CREATE FUNCTION crawler_data.set_pace(
    wanted text, holder text, held bigint, done boolean,
    next_at bigint, delay bigint, blocked_until bigint,
    response_ms real, failures real, hosts json
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
        hosts = set_pace.hosts,
        last_owner = CASE WHEN done THEN p.owner ELSE p.last_owner END,
        owner = CASE WHEN done THEN NULL ELSE p.owner END,
        lease_until = CASE WHEN done THEN NULL ELSE p.lease_until END
    WHERE p.pace_key = wanted;
    IF done THEN
        PERFORM crawler_data.reindex(ARRAY[wanted]);
    END IF;
    RETURN true;
END $$;
