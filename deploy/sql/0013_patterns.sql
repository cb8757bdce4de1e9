-- Stories of a pattern: the same words as other articles, but no copies of them.

ALTER TABLE crawler_data.stories ADD COLUMN pattern boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN crawler_data.stories.pattern IS 'A member is of one pattern with an article that is no copy of it.';

CREATE OR REPLACE VIEW crawler.stories AS
    SELECT s.id AS story, s.day, s.articles, s.original,
        crawler_data.instant(s.first_at) AS first_published,
        crawler_data.instant(s.last_at) AS last_published, s.series, s.pattern
    FROM crawler_data.stories AS s;
COMMENT ON COLUMN crawler.stories.pattern IS 'Of one pattern with another article (weather reports), which is no copy.';
