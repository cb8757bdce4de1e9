-- The store over PostgreSQL: tables of the crawler, one schema. Analysts read the views of the
-- schema `crawler` (0003_views.sql), not these tables.
--
-- Instants are milliseconds since 1970 (UTC) in bigint columns: exact, and the same as everywhere
-- else in the crawler. Keys are 128-bit hashes of canonical URLs in uuid columns.

CREATE SCHEMA crawler_data;
COMMENT ON SCHEMA crawler_data IS 'Tables of the crawler. Written by crawler processes only.';

CREATE TABLE crawler_data.state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    brand_set text NOT NULL DEFAULT '',
    pending bigint NOT NULL DEFAULT 0,
    articles bigint NOT NULL DEFAULT 0,
    log_number bigint NOT NULL DEFAULT 0,
    log_sum bigint NOT NULL
) WITH (fillfactor = 20);
COMMENT ON TABLE crawler_data.state IS 'One row: the brand set in use, counters, end of the log.';
INSERT INTO crawler_data.state (log_sum) VALUES ((extract(epoch FROM clock_timestamp()) * 1e6)::bigint);

CREATE TABLE crawler_data.feeds (
    key uuid PRIMARY KEY,
    outlet text COLLATE "C" NOT NULL,
    pace_key text COLLATE "C" NOT NULL,
    status text NOT NULL,
    next bigint NOT NULL,
    record json NOT NULL
) WITH (fillfactor = 70);
COMMENT ON TABLE crawler_data.feeds IS 'Feeds and their polling state; `record` holds all of it.';

CREATE TABLE crawler_data.urls (
    key uuid PRIMARY KEY,
    outlet text COLLATE "C" NOT NULL,
    pace_key text COLLATE "C" NOT NULL,
    arrival date NOT NULL,
    outcome text NOT NULL,
    record json NOT NULL
) WITH (fillfactor = 90);
COMMENT ON TABLE crawler_data.urls IS 'Entries of feeds: one row a URL, with its one outcome.';
COMMENT ON COLUMN crawler_data.urls.arrival IS 'Day of the first sight, in the configured zone.';
CREATE INDEX urls_arrival ON crawler_data.urls (arrival, outlet);

CREATE TABLE crawler_data.aliases (
    key uuid PRIMARY KEY,
    article uuid NOT NULL
);
COMMENT ON TABLE crawler_data.aliases IS 'Other keys that name an article.';

CREATE TABLE crawler_data.pace (
    pace_key text COLLATE "C" PRIMARY KEY,
    next_at bigint NOT NULL DEFAULT 0,
    delay bigint NOT NULL DEFAULT 0,
    blocked_until bigint NOT NULL DEFAULT 0,
    response_ms real NOT NULL DEFAULT 0,
    failures real NOT NULL DEFAULT 0,
    forbidden_run bigint NOT NULL DEFAULT 0,
    operator_delay bigint,
    owner text,
    lease_until bigint,
    epoch bigint NOT NULL DEFAULT 0,
    due bigint
) WITH (fillfactor = 70);
COMMENT ON TABLE crawler_data.pace IS 'Politeness state and lease of each registered domain.';
COMMENT ON COLUMN crawler_data.pace.epoch IS 'Of the last lease given; a write under an older one is dropped.';
COMMENT ON COLUMN crawler_data.pace.due IS 'When a lease may be given; null: there is no task.';
CREATE INDEX pace_due ON crawler_data.pace (due, pace_key) WHERE due IS NOT NULL;
CREATE INDEX pace_leases ON crawler_data.pace (lease_until) WHERE lease_until IS NOT NULL;

CREATE TABLE crawler_data.tasks (
    kind smallint NOT NULL,
    key uuid NOT NULL,
    pace_key text COLLATE "C" NOT NULL,
    priority smallint NOT NULL,
    due bigint NOT NULL,
    url text NOT NULL,
    attempts bigint NOT NULL,
    PRIMARY KEY (kind, key)
);
COMMENT ON TABLE crawler_data.tasks IS 'Work to do: polls (kind 0) and fetches (kind 1).';
CREATE INDEX tasks_queue ON crawler_data.tasks (pace_key, priority, due, key);

CREATE TABLE crawler_data.robots (
    origin text COLLATE "C" PRIMARY KEY,
    record json NOT NULL
);
CREATE TABLE crawler_data.rules (
    outlet text COLLATE "C" PRIMARY KEY,
    record json NOT NULL
);
COMMENT ON TABLE crawler_data.rules IS 'What the operator decided about outlets.';
CREATE TABLE crawler_data.meta (
    name text COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL
);
CREATE TABLE crawler_data.brand_sets (
    version text COLLATE "C" PRIMARY KEY,
    record json NOT NULL
);
COMMENT ON TABLE crawler_data.brand_sets IS 'Sets of watched brands; state.brand_set names the one in use.';
CREATE TABLE crawler_data.recounted (
    version text COLLATE "C" NOT NULL,
    article uuid NOT NULL,
    PRIMARY KEY (version, article)
);

CREATE TABLE crawler_data.ledger (
    day date NOT NULL,
    outlet text COLLATE "C" NOT NULL,
    entries bigint NOT NULL DEFAULT 0,
    polls_due bigint NOT NULL DEFAULT 0,
    polls_succeeded bigint NOT NULL DEFAULT 0,
    arrivals bigint[] NOT NULL DEFAULT array_fill(0::bigint, ARRAY[24]),
    PRIMARY KEY (day, outlet)
) WITH (fillfactor = 70);
CREATE TABLE crawler_data.ledger_outcomes (
    day date NOT NULL,
    outlet text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    aged bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (day, outlet, outcome)
) WITH (fillfactor = 70);
COMMENT ON COLUMN crawler_data.ledger_outcomes.aged IS 'Of `n`, those whose entries have left by age.';
COMMENT ON COLUMN crawler_data.ledger.arrivals IS 'First sights by hour (UTC), without the backlog of first polls.';
COMMENT ON TABLE crawler_data.ledger IS 'Entries by day of arrival and outlet; polls by day and outlet.';

CREATE TABLE crawler_data.articles (
    key uuid PRIMARY KEY,
    arrival date NOT NULL,
    day date NOT NULL,
    at bigint NOT NULL,
    outlet text COLLATE "C" NOT NULL,
    language text,
    title text,
    url text NOT NULL,
    feed uuid NOT NULL,
    fetched bigint NOT NULL
);
COMMENT ON TABLE crawler_data.articles IS 'Articles without their texts.';
COMMENT ON COLUMN crawler_data.articles.arrival IS 'UTC day of the first sight: the partition that holds the text.';
CREATE INDEX articles_day ON crawler_data.articles (day, key);

CREATE TABLE crawler_data.texts (
    arrival date NOT NULL,
    key uuid NOT NULL,
    record json NOT NULL,
    PRIMARY KEY (arrival, key)
) PARTITION BY RANGE (arrival);
COMMENT ON TABLE crawler_data.texts IS 'Article records: text, blocks with labels, metadata; one partition a day of arrival.';

CREATE TABLE crawler_data.vectors (
    at bigint NOT NULL,
    article uuid NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (at, article)
);
ALTER TABLE crawler_data.vectors ALTER vector SET STORAGE EXTERNAL;
COMMENT ON TABLE crawler_data.vectors IS 'Term frequencies of articles, for finding copies.';

CREATE TABLE crawler_data.mentions (
    version text COLLATE "C" NOT NULL,
    brand text COLLATE "C" NOT NULL,
    day date NOT NULL,
    article uuid NOT NULL,
    outlet text COLLATE "C" NOT NULL,
    language text COLLATE "C",
    feed uuid NOT NULL,
    backlog boolean NOT NULL,
    own_outlet boolean NOT NULL,
    counted bigint NOT NULL,
    suppressed bigint NOT NULL,
    mentions json NOT NULL,
    PRIMARY KEY (version, brand, day, article)
);
COMMENT ON TABLE crawler_data.mentions IS 'One row a brand and article, under a version of the brand set.';
CREATE INDEX mentions_article ON crawler_data.mentions (article, version);

CREATE TABLE crawler_data.tallies (
    version text COLLATE "C" NOT NULL,
    brand text COLLATE "C" NOT NULL,
    day date NOT NULL,
    articles bigint NOT NULL,
    mentions bigint NOT NULL,
    suppressed bigint NOT NULL,
    stories bigint NOT NULL,
    PRIMARY KEY (version, brand, day)
) WITH (fillfactor = 70);
COMMENT ON TABLE crawler_data.tallies IS 'Sums of mentions by brand and day.';

CREATE TABLE crawler_data.stories (
    id uuid PRIMARY KEY,
    articles bigint NOT NULL,
    first_at bigint NOT NULL,
    first_seen bigint NOT NULL,
    first_key uuid NOT NULL,
    day date NOT NULL,
    last_at bigint NOT NULL,
    last_seen bigint NOT NULL,
    last_key uuid NOT NULL,
    newest bigint NOT NULL,
    series boolean NOT NULL
) WITH (fillfactor = 80);
COMMENT ON TABLE crawler_data.stories IS 'Connected components of the copies relation.';
CREATE INDEX stories_newest ON crawler_data.stories (newest);

CREATE TABLE crawler_data.members (
    article uuid PRIMARY KEY,
    story uuid NOT NULL,
    outlet text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    day date NOT NULL,
    first_seen bigint NOT NULL,
    nearest uuid,
    similarity real
);
COMMENT ON TABLE crawler_data.members IS 'Articles of stories, each with its most similar earlier member.';
CREATE INDEX members_story ON crawler_data.members (story, at, first_seen, article);
CREATE INDEX members_day ON crawler_data.members (day, story);

CREATE TABLE crawler_data.story_brands (
    version text COLLATE "C" NOT NULL,
    story uuid NOT NULL,
    brand text COLLATE "C" NOT NULL,
    members bigint NOT NULL,
    PRIMARY KEY (version, story, brand)
);
CREATE TABLE crawler_data.absorbed (
    id uuid PRIMARY KEY,
    story uuid NOT NULL
);
COMMENT ON TABLE crawler_data.absorbed IS 'Ids of stories that were merged, and where they went.';

CREATE TABLE crawler_data.excerpts (
    part uuid NOT NULL,
    whole uuid NOT NULL,
    share real NOT NULL,
    PRIMARY KEY (part, whole)
);
CREATE INDEX excerpts_whole ON crawler_data.excerpts (whole);

CREATE TABLE crawler_data.log (
    number bigint PRIMARY KEY,
    article uuid NOT NULL,
    at bigint NOT NULL,
    gone boolean NOT NULL,
    sum bigint NOT NULL
);
COMMENT ON TABLE crawler_data.log IS 'Articles that came and went, in the order of the commits.';
