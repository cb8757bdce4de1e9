-- What our own sightings say of the date of each article decides which one is a story's original.
-- What was stored before counts as corroborated, so that every story keeps its original and its day.
ALTER TABLE crawler_data.members ADD COLUMN sighting smallint NOT NULL DEFAULT 0;
ALTER TABLE crawler_data.members ALTER COLUMN sighting DROP DEFAULT;
COMMENT ON COLUMN crawler_data.members.sighting IS '0: corroborated, 1: open, 2: contradicted.';

ALTER TABLE crawler_data.stories
    ADD COLUMN sighting smallint NOT NULL DEFAULT 0,
    ADD COLUMN original_at bigint,
    ADD COLUMN original_seen bigint,
    ADD COLUMN original uuid;
UPDATE crawler_data.stories
    SET original_at = first_at, original_seen = first_seen, original = first_key;
ALTER TABLE crawler_data.stories
    ALTER COLUMN sighting DROP DEFAULT,
    ALTER COLUMN original_at SET NOT NULL,
    ALTER COLUMN original_seen SET NOT NULL,
    ALTER COLUMN original SET NOT NULL;
COMMENT ON COLUMN crawler_data.stories.sighting IS 'Of the original, as in members.';
COMMENT ON COLUMN crawler_data.stories.first_key IS 'The earliest article by its date; the original may be another.';

CREATE OR REPLACE VIEW crawler.articles AS
    SELECT a.key AS article, a.day, crawler_data.instant(a.at) AS published, a.outlet, a.language,
        a.title, a.url, m.story, m.article = s.original AS original, m.nearest, m.similarity,
        a.feed, crawler_data.instant(a.fetched) AS fetched, a.arrival,
        (ARRAY['corroborated', 'open', 'contradicted'])[m.sighting + 1] AS sighting
    FROM crawler_data.articles AS a
    LEFT JOIN crawler_data.members AS m ON m.article = a.key
    LEFT JOIN crawler_data.stories AS s ON s.id = m.story;
COMMENT ON COLUMN crawler.articles.original IS 'Is it the original of its story: the earliest of those whose dates are best supported?';
COMMENT ON COLUMN crawler.articles.sighting IS 'What our own sightings say of its date.';

CREATE OR REPLACE VIEW crawler.stories AS
    SELECT s.id AS story, s.day, s.articles, s.original,
        crawler_data.instant(s.first_at) AS first_published,
        crawler_data.instant(s.last_at) AS last_published, s.series
    FROM crawler_data.stories AS s;
