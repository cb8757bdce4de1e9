-- Synthetic frontier and counts: psql -v urls=10000000 -f scripts/scale-fill.sql, over a new schema.
-- One outlet for 250 URLs, a fifth of the URLs pending, a brand set of 1,000 brands over a year.
\set outlets :urls / 250
SET synchronous_commit = off;
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
UPDATE crawler_data.pace SET due = crawler_data.place(pace_key, next_at, blocked_until, lease_until);
UPDATE crawler_data.state SET pending = (SELECT count(*) FROM crawler_data.tasks), brand_set = 'v';
INSERT INTO crawler_data.tallies
    SELECT 'v', 'brand ' || b, date '2026-11-21' - d, 5, 9, 2, 3
    FROM generate_series(1, 1000) AS b, generate_series(0, 364) AS d;
-- A tenth of the URLs as articles, each a story of its own that names one brand.
INSERT INTO crawler_data.articles (key, arrival, day, at, outlet, language, title, url, feed, fetched)
    SELECT key, arrival, arrival, extract(epoch FROM arrival)::bigint * 1000, outlet, 'en',
        record -> 'entry' ->> 'title', record ->> 'canonical', md5(outlet)::uuid, 1795000000000
    FROM crawler_data.urls WHERE outcome = 'article' LIMIT :urls / 10;
INSERT INTO crawler_data.members (article, story, outlet, at, day, first_seen)
    SELECT key, key, outlet, at, day, at FROM crawler_data.articles;
INSERT INTO crawler_data.stories
    SELECT key, 1, at, at, key, day, at, at, key, at, false FROM crawler_data.articles;
INSERT INTO crawler_data.mentions
    SELECT 'v', 'brand ' || abs(hashtext(key::text)) % 1000, day, key, outlet, language, feed, false, false, 2, 0,
        '[{"brand":"brand","matched":"Brand","block":3,"start":17,"end":22,"zone":"body"},{"brand":"brand","matched":"Brand","block":5,"start":9,"end":14,"zone":"body"}]'
    FROM crawler_data.articles;
VACUUM ANALYZE;
