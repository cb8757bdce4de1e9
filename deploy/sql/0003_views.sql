-- What analysts read. Give them the role of deploy/sql/reader.sql: it sees these views only.

CREATE SCHEMA crawler;
COMMENT ON SCHEMA crawler IS 'Views for analysts; names and columns stay the same over versions.';

CREATE FUNCTION crawler_data.instant(at bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE AS $$ SELECT to_timestamp(at / 1000.0) $$;

CREATE VIEW crawler.mentions_per_day AS
    SELECT t.brand, t.day, t.mentions, t.articles, t.stories, t.suppressed
    FROM crawler_data.tallies AS t
    WHERE t.version = (SELECT brand_set FROM crawler_data.state)
      AND (t.mentions, t.articles, t.stories, t.suppressed) <> (0, 0, 0, 0);
COMMENT ON VIEW crawler.mentions_per_day IS 'How often each brand was written about on each day of publication, under the brand set in use.';
COMMENT ON COLUMN crawler.mentions_per_day.day IS 'Day of publication in the configured time zone; stories count on their original''s day.';
COMMENT ON COLUMN crawler.mentions_per_day.mentions IS 'Mentions in title, lead and body.';
COMMENT ON COLUMN crawler.mentions_per_day.articles IS 'Articles with at least one such mention, copies included.';
COMMENT ON COLUMN crawler.mentions_per_day.stories IS 'Stories with at least one such article; copies of one text are one story.';
COMMENT ON COLUMN crawler.mentions_per_day.suppressed IS 'Mentions in captions, credits, comments and page furniture, which do not count.';

CREATE VIEW crawler.articles AS
    SELECT a.key AS article, a.day, crawler_data.instant(a.at) AS published, a.outlet, a.language,
        a.title, a.url, m.story, m.article = s.first_key AS original, m.nearest, m.similarity,
        a.feed, crawler_data.instant(a.fetched) AS fetched, a.arrival
    FROM crawler_data.articles AS a
    LEFT JOIN crawler_data.members AS m ON m.article = a.key
    LEFT JOIN crawler_data.stories AS s ON s.id = m.story;
COMMENT ON VIEW crawler.articles IS 'Articles without their texts.';
COMMENT ON COLUMN crawler.articles.day IS 'Day of publication in the configured time zone.';
COMMENT ON COLUMN crawler.articles.story IS 'The story it belongs to; see crawler.stories.';
COMMENT ON COLUMN crawler.articles.original IS 'Is it the earliest article of its story?';
COMMENT ON COLUMN crawler.articles.nearest IS 'The most similar earlier article of its story.';
COMMENT ON COLUMN crawler.articles.similarity IS 'sim^sigma to that one.';
COMMENT ON COLUMN crawler.articles.arrival IS 'UTC day of the first sight.';

CREATE VIEW crawler.texts AS
    SELECT t.key AS article, t.arrival, t.record -> 'article' ->> 'text' AS text
    FROM crawler_data.texts AS t;
COMMENT ON VIEW crawler.texts IS 'Lead and body of each article, one paragraph a line. Name the arrival day in WHERE: it picks the partition.';

CREATE VIEW crawler.mentions AS
    SELECT m.brand, m.day, m.article, m.outlet, m.language, m.counted, m.suppressed, m.own_outlet,
        m.backlog, m.mentions
    FROM crawler_data.mentions AS m
    WHERE m.version = (SELECT brand_set FROM crawler_data.state);
COMMENT ON VIEW crawler.mentions IS 'One row for each brand and article: what mentions_per_day sums.';
COMMENT ON COLUMN crawler.mentions.mentions IS 'Each mention: the characters, block, offsets, zone.';

CREATE VIEW crawler.stories AS
    SELECT s.id AS story, s.day, s.articles, s.first_key AS original,
        crawler_data.instant(s.first_at) AS first_published,
        crawler_data.instant(s.last_at) AS last_published, s.series
    FROM crawler_data.stories AS s;
COMMENT ON VIEW crawler.stories IS 'Articles that are copies of each other, directly or through others.';
COMMENT ON COLUMN crawler.stories.day IS 'Day of publication of the original.';
COMMENT ON COLUMN crawler.stories.series IS 'A chain whose ends differ (horoscopes, tickers), or longer than seven days.';

CREATE VIEW crawler.coverage AS
    SELECT l.day, l.outlet, l.polls_due, l.polls_succeeded,
        CASE WHEN l.polls_due > 0 THEN l.polls_succeeded::double precision / l.polls_due END AS coverage,
        l.entries,
        coalesce((SELECT sum(o.n) FROM crawler_data.ledger_outcomes AS o
            WHERE o.day = l.day AND o.outlet = l.outlet AND o.outcome = 'article'), 0)::bigint AS articles,
        coalesce((SELECT sum(o.n) FROM crawler_data.ledger_outcomes AS o
            WHERE o.day = l.day AND o.outlet = l.outlet AND o.outcome = 'pending'), 0)::bigint AS pending,
        coalesce((SELECT sum(o.n) FROM crawler_data.ledger_outcomes AS o
            WHERE o.day = l.day AND o.outlet = l.outlet AND o.outcome LIKE 'failed%'), 0)::bigint AS failed
    FROM crawler_data.ledger AS l;
COMMENT ON VIEW crawler.coverage IS 'How complete each day is, by outlet: polls that were due and succeeded, entries that arrived and how they ended.';
COMMENT ON COLUMN crawler.coverage.day IS 'Day of the polls, and of the arrival of the entries.';
COMMENT ON COLUMN crawler.coverage.coverage IS 'Share of the polls due that succeeded; null when none was due.';
COMMENT ON COLUMN crawler.coverage.entries IS 'Entries seen for the first time; each has exactly one outcome.';
