-- Synthetic frontier and counts: psql -v urls=12500000 -f scripts/scale-fill.sql, over a new schema.
-- Four of five URLs are articles, each a story of its own; a tenth of them name one of 1,000 brands;
-- one outlet for 250 URLs, a year of arrivals. Texts and vectors are left out: nothing that is asked
-- here reads them; the ledger holds a month. Indexes are made when the tables are full, which takes a fraction of the time.
\set outlets :urls / 250
SET synchronous_commit = off;
SET maintenance_work_mem = '1GB';
SET max_parallel_maintenance_workers = 0;

CREATE TEMP TABLE later AS
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make
    FROM pg_constraint WHERE contype = 'p' AND conrelid = ANY (ARRAY['crawler_data.urls', 'crawler_data.tasks',
        'crawler_data.articles', 'crawler_data.members', 'crawler_data.stories', 'crawler_data.mentions']::regclass[])
    UNION ALL
    SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    FROM pg_index WHERE NOT indisprimary AND indrelid = ANY (ARRAY['crawler_data.urls', 'crawler_data.tasks',
        'crawler_data.articles', 'crawler_data.members', 'crawler_data.stories', 'crawler_data.mentions']::regclass[]);
SELECT drop FROM later \gexec

INSERT INTO crawler_data.pace (pace_key, next_at, delay, epoch)
    SELECT 'outlet-' || n || '.test', 1795000000000 - (n * 7919) % 3600000, 1000, 1
    FROM generate_series(1, :outlets) AS n;
INSERT INTO crawler_data.urls (key, outlet, pace_key, arrival, outcome, record)
    SELECT md5(n::text)::uuid, o, o, date '2026-11-21' - n % 365, CASE n % 5 WHEN 0 THEN 'pending' ELSE 'article' END,
        json_build_object('key', md5(n::text), 'canonical', 'https://' || o || '/2026/11/some-article-of-the-day-' || n,
            'outlet', o, 'pace_key', o, 'entry', json_build_object('title', repeat('words of a title ', 4)), 'next', 1795000000000)
    FROM generate_series(1, :urls) AS n, LATERAL (SELECT 'outlet-' || 1 + n % :outlets || '.test' AS o) AS x;
INSERT INTO crawler_data.tasks (kind, key, pace_key, priority, due, url, attempts)
    SELECT 1, key, pace_key, 1 + abs(hashtext(key::text)) % 3, 1795000000000 - abs(hashtext(key::text)) % 86400000,
        record ->> 'canonical', 0
    FROM crawler_data.urls WHERE outcome = 'pending';
INSERT INTO crawler_data.articles (key, arrival, day, at, outlet, language, title, url, feed, fetched, has_text, record)
    SELECT key, arrival, arrival, extract(epoch FROM arrival)::bigint * 1000, outlet, 'en',
        record -> 'entry' ->> 'title', record ->> 'canonical', md5(outlet)::uuid, 1795000000000, false, '{}'
    FROM crawler_data.urls WHERE outcome = 'article';
INSERT INTO crawler_data.members (article, story, outlet, at, day, first_seen, sighting)
    SELECT key, key, outlet, at, day, at, 0 FROM crawler_data.articles;
INSERT INTO crawler_data.stories
    SELECT key, 1, at, at, key, day, at, at, key, at, false, 0, at, at, key FROM crawler_data.articles;
-- Brand 77 is the famous one: every tenth mention is its.
INSERT INTO crawler_data.mentions
    SELECT 'v', 'brand ' || CASE WHEN h % 100 < 10 THEN 77 ELSE h / 100 % 1000 END, day, key, outlet, language, feed, false, false, 2, 0,
        '[{"brand":"brand","matched":"Brand","block":3,"start":17,"end":22,"zone":"body"},{"brand":"brand","matched":"Brand","block":5,"start":9,"end":14,"zone":"body"}]'
    FROM (SELECT *, abs(hashtext(key::text)) / 10 AS h FROM crawler_data.articles WHERE abs(hashtext(key::text)) % 10 = 0) AS a;
SELECT make FROM later \gexec

INSERT INTO crawler_data.story_brands SELECT version, article, brand, 1 FROM crawler_data.mentions;
INSERT INTO crawler_data.tallies (version, brand, day, articles, mentions, suppressed, stories, originals)
    SELECT 'v', brand, day, count(*), sum(counted), 0, count(*), count(*)
    FROM crawler_data.mentions GROUP BY brand, day;
INSERT INTO crawler_data.tallies (version, brand, day, articles, mentions, suppressed, stories)
    SELECT 'v', 'brand ' || b, date '2026-11-21' - d, 0, 0, 1, 0
    FROM generate_series(0, 999) AS b, generate_series(0, 364) AS d ON CONFLICT DO NOTHING;
INSERT INTO crawler_data.ledger (day, outlet, entries, polls_due, polls_succeeded)
    SELECT arrival, outlet, count(*), 24, 24
    FROM crawler_data.urls WHERE arrival > date '2026-11-21' - 30 GROUP BY arrival, outlet;
INSERT INTO crawler_data.polls
    SELECT date '2026-11-21' - d, 0, 24 * :outlets, 24 * :outlets FROM generate_series(0, 364) AS d;
INSERT INTO crawler_data.brand_sets
    SELECT 'v', json_build_object('version', 'v', 'since', json_build_object(),
        'brands', (SELECT json_agg(json_build_object('name', 'brand ' || b)) FROM generate_series(0, 999) AS b));
INSERT INTO crawler_data.meta VALUES ('timezone', 'UTC');
UPDATE crawler_data.pace SET due = crawler_data.place(pace_key, next_at, blocked_until, lease_until);
UPDATE crawler_data.state SET pending = (SELECT count(*) FROM crawler_data.tasks), brand_set = 'v',
    articles = (SELECT count(*) FROM crawler_data.articles);
VACUUM ANALYZE;
