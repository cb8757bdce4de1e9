-- One log of who decided what, and when; the histories of models and brand sets go into it.

CREATE TABLE crawler_data.decisions (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL,
    topic text COLLATE "C" NOT NULL,
    record json NOT NULL
);
CREATE INDEX decisions_topic ON crawler_data.decisions (topic, number);
CREATE INDEX decisions_leaving ON crawler_data.decisions (number) WHERE topic NOT IN ('brands', 'model');
COMMENT ON TABLE crawler_data.decisions IS 'Who decided what, and when: the last hundred thousand, and all about models and brands.';
COMMENT ON COLUMN crawler_data.decisions.at IS 'UTC milliseconds.';

INSERT INTO crawler_data.decisions (at, topic, record)
    SELECT (told ->> 'at')::bigint, topic, json_build_object(
        'at', (told ->> 'at')::bigint,
        'who', json_build_object('name', '', 'via', 'unknown'),
        'topic', topic,
        'words', CASE WHEN topic = 'brands' THEN 'brand set ' || (told ->> 'version') || ' in use'
            WHEN told ->> 'origin' = 'shipped' THEN 'model ' || (told ->> 'id') || ' in use, which came with the program'
            ELSE 'model ' || (told ->> 'id') || ' deployed' END,
        'effect', json_build_object(topic, told))
    FROM (
        SELECT CASE name WHEN 'models' THEN 'model' ELSE 'brands' END AS topic, told, place,
            place = count(*) OVER (PARTITION BY name) AS last
        FROM crawler_data.meta,
            json_array_elements(convert_from(value, 'UTF8')::json) WITH ORDINALITY AS l (told, place)
        WHERE name IN ('models', 'recounts')
    ) AS entries
    -- A recount that was noted last and never finished.
    WHERE NOT (topic = 'brands' AND last
        AND told ->> 'version' <> (SELECT brand_set FROM crawler_data.state))
    ORDER BY (told ->> 'at')::bigint, topic, place;
DELETE FROM crawler_data.meta WHERE name IN ('models', 'recounts');
