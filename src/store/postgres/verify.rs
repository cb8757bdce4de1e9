//! Proof that the store agrees with itself: every record can be read and says what its columns
//! say, every pointer has its counterpart, every sum is the sum of its rows, all as of one instant.
//! Each contradiction is one sentence that names the record. Damaged pages are the database's own
//! business (`initdb --data-checksums`, `pg_amcheck`).
//!
//! Must not know: how to mend what it finds.

use serde::de::DeserializeOwned;

use super::Postgres;
use super::articles::arrival;
use super::connect::{Conn, get, record};
use super::types::{count, plain, sighting_number};
use crate::model::*;
use crate::store::rules::entries::{fetch_task, priority};
use crate::store::rules::feeds::poll_task;
use crate::store::rules::log::after;
use crate::store::rules::sightings::judge;
use crate::store::{LogPosition, Logged, OutletRule, Result};

/// Said before the first question of a snapshot: no day of texts leaves until it ends.
pub const TEXTS_STAY: &str = "LOCK TABLE ONLY crawler_data.texts IN ACCESS SHARE MODE";

/// Each gives one sentence a contradiction.
const CONTRADICTIONS: [&str; 22] = [
    "SELECT format('polls of %s are summed up as %s, the ledger says %s', coalesce(p.day, l.day), p.n, l.n) \
     FROM (SELECT day, (sum(due), sum(succeeded))::text AS n FROM crawler_data.polls GROUP BY day) AS p \
     FULL JOIN (SELECT day, (sum(polls_due), sum(polls_succeeded))::text AS n FROM crawler_data.ledger \
     GROUP BY day HAVING (sum(polls_due), sum(polls_succeeded)) <> (0, 0)) AS l ON l.day = p.day \
     WHERE coalesce(p.n, '(0,0)') <> coalesce(l.n, '(0,0)')",
    "SELECT format('task of %s leads to a feed or entry that has none', t.key) FROM crawler_data.tasks AS t \
     WHERE CASE t.kind WHEN 0 THEN NOT EXISTS (SELECT 1 FROM crawler_data.feeds AS f WHERE f.key = t.key AND f.status NOT IN ('paused', 'removed')) \
     ELSE NOT EXISTS (SELECT 1 FROM crawler_data.urls AS u WHERE u.key = t.key AND u.outcome = 'pending') END",
    "SELECT format('pace key %s stands in the due index at %s, not at %s', pace_key, due, \
     crawler_data.place(pace_key, next_at, blocked_until, lease_until)) FROM crawler_data.pace \
     WHERE due IS DISTINCT FROM crawler_data.place(pace_key, next_at, blocked_until, lease_until)",
    "SELECT format('pace key %s has half a lease', pace_key) FROM crawler_data.pace WHERE (owner IS NULL) <> (lease_until IS NULL)",
    "SELECT format('task of %s belongs to the pace key %s, which is missing', t.key, t.pace_key) FROM crawler_data.tasks AS t \
     WHERE NOT EXISTS (SELECT 1 FROM crawler_data.pace AS p WHERE p.pace_key = t.pace_key)",
    "SELECT format('ledger %s %s says %s entries, there are %s', coalesce(l.day, u.arrival), coalesce(l.outlet, u.outlet), l.entries, u.n) \
     FROM crawler_data.ledger AS l FULL JOIN \
     (SELECT arrival, outlet, sum(n) AS n FROM (SELECT arrival, outlet, 1 AS n FROM crawler_data.urls \
     UNION ALL SELECT day, outlet, aged FROM crawler_data.ledger_outcomes) AS b GROUP BY 1, 2) AS u \
     ON u.arrival = l.day AND u.outlet = l.outlet WHERE coalesce(l.entries, 0) <> coalesce(u.n, 0)",
    "SELECT format('ledger %s %s says %s ended as %s, there are %s', coalesce(l.day, u.arrival), coalesce(l.outlet, u.outlet), l.n, \
     coalesce(l.outcome, u.outcome), u.n) FROM crawler_data.ledger_outcomes AS l FULL JOIN \
     (SELECT arrival, outlet, outcome, sum(n) AS n FROM (SELECT arrival, outlet, outcome, 1 AS n FROM crawler_data.urls \
     UNION ALL SELECT day, outlet, outcome, aged FROM crawler_data.ledger_outcomes) AS b GROUP BY 1, 2, 3) AS u \
     ON u.arrival = l.day AND u.outlet = l.outlet AND u.outcome = l.outcome WHERE coalesce(l.n, 0) <> coalesce(u.n, 0)",
    // Those that have left by age have arrived, too.
    "SELECT format('ledger %s %s says %s arrivals, its entries say %s', coalesce(l.day, u.day), coalesce(l.outlet, u.outlet), l.n, u.n) \
     FROM (SELECT day, outlet, (SELECT sum(h) FROM unnest(arrivals) AS h) AS n FROM crawler_data.ledger) AS l FULL JOIN \
     (SELECT coalesce((record #>> '{arrived,listed,0}')::date, arrival) AS day, outlet, count(*) AS n FROM crawler_data.urls \
     WHERE CASE WHEN coalesce(record ->> 'arrived', 'seen') = 'seen' THEN NOT (record ->> 'backlog')::boolean \
     ELSE record ->> 'arrived' <> 'not' END GROUP BY 1, 2) AS u ON u.day = l.day AND u.outlet = l.outlet \
     WHERE coalesce(l.n, 0) < coalesce(u.n, 0) OR coalesce(l.n, 0) > coalesce(u.n, 0) \
     AND NOT EXISTS (SELECT 1 FROM crawler_data.meta WHERE name = 'retention entries')",
    "SELECT format('the counters say %s entries pending and %s articles, there are %s and %s', s.pending, s.articles, u.n, a.n) \
     FROM crawler_data.state AS s, (SELECT count(*) AS n FROM crawler_data.urls WHERE outcome = 'pending') AS u, \
     (SELECT count(*) AS n FROM crawler_data.articles) AS a WHERE s.pending <> u.n OR s.articles <> a.n",
    "SELECT format('entry %s is an article but has none', u.key) FROM crawler_data.urls AS u \
     WHERE u.outcome = 'article' AND NOT EXISTS (SELECT 1 FROM crawler_data.articles AS a WHERE a.key = u.key)",
    "SELECT format('article %s belongs to no entry that ended as one', a.key) FROM crawler_data.articles AS a \
     WHERE NOT EXISTS (SELECT 1 FROM crawler_data.urls AS u WHERE u.key = a.key AND u.outcome = 'article')",
    "SELECT format('article %s lacks its text, its vector or its story', a.key) FROM crawler_data.articles AS a \
     WHERE a.has_text AND a.arrival >= (SELECT coalesce(texts_from, '-infinity') FROM crawler_data.state) \
     AND NOT EXISTS (SELECT 1 FROM crawler_data.texts AS t WHERE t.arrival = a.arrival AND t.key = a.key) \
     OR NOT EXISTS (SELECT 1 FROM crawler_data.vectors AS v WHERE v.at = a.at AND v.article = a.key) \
     OR NOT EXISTS (SELECT 1 FROM crawler_data.members AS w WHERE w.article = a.key AND w.at = a.at AND w.day = a.day)",
    "SELECT format('%s of %s belongs to no article', r.what, r.key) FROM ( \
     SELECT 'text' AS what, key FROM crawler_data.texts UNION ALL SELECT 'vector', article FROM crawler_data.vectors \
     UNION ALL SELECT 'place in a story', article FROM crawler_data.members \
     UNION ALL SELECT 'excerpt', part FROM crawler_data.excerpts UNION ALL SELECT 'excerpt', whole FROM crawler_data.excerpts \
     UNION ALL SELECT 'what was printed', article FROM crawler_data.printed) AS r \
     WHERE NOT EXISTS (SELECT 1 FROM crawler_data.articles AS a WHERE a.key = r.key)",
    "SELECT format('key %s leads to %s, which is no article', l.key, l.article) FROM crawler_data.aliases AS l \
     WHERE NOT EXISTS (SELECT 1 FROM crawler_data.urls AS u WHERE u.key = l.article AND u.outcome IN ('article', 'forgotten'))",
    "SELECT format('mention row of %s and %s is of another day, of no article or miscounted', m.brand, m.article) \
     FROM crawler_data.mentions AS m LEFT JOIN crawler_data.articles AS a ON a.key = m.article AND a.day = m.day \
     WHERE m.version = (SELECT brand_set FROM crawler_data.state) AND (a.key IS NULL OR json_array_length(m.mentions) > 0 \
     AND (m.counted, m.suppressed) <> (SELECT count(*) FILTER (WHERE z IN ('title', 'lead', 'body')), \
     count(*) FILTER (WHERE z NOT IN ('title', 'lead', 'body')) FROM \
     (SELECT e ->> 'zone' AS z FROM json_array_elements(m.mentions) AS e) AS zones))",
    "SELECT format('story %s says %s articles from %s to %s, its members say %s from %s to %s', s.id, s.articles, s.first_key, s.last_key, m.n, m.f, m.l) \
     FROM crawler_data.stories AS s LEFT JOIN ( \
     SELECT story, count(*) AS n, (array_agg(article ORDER BY at, first_seen, article))[1] AS f, \
     (array_agg(article ORDER BY at DESC, first_seen DESC, article DESC))[1] AS l, \
     max(greatest(at, first_seen)) AS newest FROM crawler_data.members GROUP BY story) AS m ON m.story = s.id \
     WHERE (m.n, m.f, m.l, m.newest) IS DISTINCT FROM (s.articles, s.first_key, s.last_key, s.newest)",
    "SELECT format('story %s has another instant than its first or last member', s.id) FROM crawler_data.stories AS s \
     WHERE NOT EXISTS (SELECT 1 FROM crawler_data.members AS w WHERE w.article = s.first_key AND w.at = s.first_at AND w.first_seen = s.first_seen) \
     OR NOT EXISTS (SELECT 1 FROM crawler_data.members AS w WHERE w.article = s.last_key AND w.at = s.last_at AND w.first_seen = s.last_seen)",
    "SELECT format('story %s has the original %s, its members say %s', s.id, s.original, m.article) \
     FROM crawler_data.stories AS s JOIN (SELECT DISTINCT ON (story) * FROM crawler_data.members \
     ORDER BY story, sighting, at, first_seen, article) AS m ON m.story = s.id \
     WHERE (s.original, s.sighting, s.original_at, s.original_seen, s.day) \
     IS DISTINCT FROM (m.article, m.sighting, m.at, m.first_seen, m.day)",
    "SELECT format('article %s is in the story %s, which is missing', w.article, w.story) FROM crawler_data.members AS w \
     WHERE NOT EXISTS (SELECT 1 FROM crawler_data.stories AS s WHERE s.id = w.story)",
    "SELECT format('story %s says %s members that count %s, there are %s', coalesce(b.story, m.story), b.members, coalesce(b.brand, m.brand), m.n) \
     FROM (SELECT * FROM crawler_data.story_brands WHERE version = (SELECT brand_set FROM crawler_data.state)) AS b FULL JOIN ( \
     SELECT w.story, m.brand, count(*) AS n FROM crawler_data.mentions AS m JOIN crawler_data.members AS w ON w.article = m.article \
     WHERE m.counted > 0 AND m.version = (SELECT brand_set FROM crawler_data.state) GROUP BY 1, 2) AS m \
     ON m.story = b.story AND m.brand = b.brand WHERE coalesce(b.members, 0) <> coalesce(m.n, 0)",
    "SELECT format('absorbed story %s leads to %s, which is missing', x.id, x.story) FROM crawler_data.absorbed AS x \
     WHERE NOT EXISTS (SELECT 1 FROM crawler_data.stories AS s WHERE s.id = x.story) \
     AND NOT EXISTS (SELECT 1 FROM crawler_data.absorbed AS y WHERE y.id = x.story)",
    "SELECT format('entry %s ended as %s of a key that is missing', u.key, u.outcome) FROM crawler_data.urls AS u \
     WHERE u.outcome IN ('known', 'moved') AND NOT EXISTS (SELECT 1 FROM crawler_data.urls AS o \
     WHERE o.key = (u.record -> 'outcome' ->> u.outcome)::uuid) \
     AND NOT EXISTS (SELECT 1 FROM crawler_data.meta WHERE name = 'retention entries')",
];

const TALLIES: &str = concat!(
    "SELECT format('tally %s %s says %s, its rows say %s', coalesce(t.brand, s.brand), coalesce(t.day, s.day), ",
    "t.t, s.t) FROM (SELECT brand, day, (articles, mentions, suppressed, stories, originals, backlog, own, late, late_week)::text AS t ",
    "FROM crawler_data.tallies WHERE version = $1 ",
    "AND (articles, mentions, suppressed, stories) <> (0, 0, 0, 0)) AS t FULL JOIN (SELECT brand, day, ",
    "(articles, mentions, suppressed, stories, originals, backlog, own, late, late_week)::text AS t FROM (",
    super::sums!(),
    ") AS n WHERE (articles, mentions, suppressed, stories) <> (0, 0, 0, 0)) AS s ",
    "ON s.brand = t.brand AND s.day = t.day WHERE t.t IS DISTINCT FROM s.t"
);

impl Postgres {
    pub fn check(&self, each: &mut dyn FnMut(String)) -> Result<()> {
        let mut conn = self.pool.snapshot()?;
        conn.batch(TEXTS_STAY)?;
        for sql in CONTRADICTIONS {
            for row in conn.rows(sql, &[])? {
                each(get(&row, 0)?);
            }
        }
        let sql = "SELECT brand_set FROM crawler_data.state";
        let version: String = conn.value(sql, &[])?.unwrap_or_default();
        for row in conn.rows(TALLIES, &[&version])? {
            each(get(&row, 0)?);
        }
        records(&mut conn, each)?;
        log(&mut conn, each)?;
        conn.batch("COMMIT")?;
        self.pool.give(conn);
        Ok(())
    }
}

/// Every record of a table can be read; `wrong` says what contradicts its columns.
fn table<T: DeserializeOwned>(
    conn: &mut Conn,
    sql: &'static str,
    what: &str,
    each: &mut dyn FnMut(String),
    wrong: &mut dyn FnMut(&postgres::Row, T) -> Result<Option<String>>,
) -> Result<()> {
    conn.each(sql, &[], &mut |row| {
        let name: String = get(row, 0)?;
        match record::<T>(row, 1) {
            Ok(record) => {
                if let Some(wrong) = wrong(row, record)? {
                    each(format!("{what} {name} {wrong}"));
                }
            }
            Err(_) => each(format!("{what} {name} does not decode")),
        }
        Ok(true)
    })
}

fn records(conn: &mut Conn, each: &mut dyn FnMut(String)) -> Result<()> {
    let sql = "SELECT u.key::text, u.record, u.key, u.outcome, t.due, t.priority, t.attempts \
               FROM crawler_data.urls AS u \
               LEFT JOIN crawler_data.tasks AS t ON t.kind = 1 AND t.key = u.key";
    table(conn, sql, "entry", each, &mut |row, url: UrlRecord| {
        let task = (url.outcome == Outcome::Pending).then(|| {
            let task = fetch_task(&url);
            (task.due, i16::from(priority(&url)), i64::from(task.attempts))
        });
        let (due, priority, attempts): (Option<_>, Option<_>, Option<_>) =
            (get(row, 4)?, get(row, 5)?, get(row, 6)?);
        let found = due.zip(priority).zip(attempts).map(|((due, p), n)| (due, p, n));
        Ok(if url.key != get(row, 2)? || url.outcome.name() != get::<&str>(row, 3)? {
            Some("holds another key or outcome".to_owned())
        } else {
            (task != found).then(|| format!("has the task {found:?}, not {task:?}"))
        })
    })?;
    let sql = "SELECT f.key::text, f.record, f.key, t.due FROM crawler_data.feeds AS f \
               LEFT JOIN crawler_data.tasks AS t ON t.kind = 0 AND t.key = f.key";
    table(conn, sql, "feed", each, &mut |row, feed: Feed| {
        let due: Option<Millis> = get(row, 3)?;
        let task = poll_task(&feed).map(|task| task.due);
        Ok(if feed.key != get(row, 2)? {
            Some("holds another feed".to_owned())
        } else {
            (due != task).then(|| format!("is to be polled at {task:?}, its task says {due:?}"))
        })
    })?;
    let sql = "SELECT a.key::text, a.record, a.key, a.day, a.at, a.arrival, \
               (u.record -> 'sight')::text, m.sighting, \
               a.outlet, a.language, a.title, a.url, a.feed, a.fetched FROM crawler_data.articles AS a \
               LEFT JOIN crawler_data.urls AS u ON u.key = a.key \
               LEFT JOIN crawler_data.members AS m ON m.article = a.key";
    table(conn, sql, "article", each, &mut |row, article: ArticleRecord| {
        let Published { day, at, .. } = article.published;
        let same = (article.key, day, at, arrival(article.first_seen))
            == (get(row, 2)?, get(row, 3)?, get(row, 4)?, get(row, 5)?);
        let sight: Option<String> = get(row, 6)?;
        let sight = sight
            .and_then(|sight| serde_json::from_slice(sight.as_bytes()).ok())
            .unwrap_or_default();
        let said: Option<i16> = get(row, 7)?;
        let sighting = judge(sight, &article.published);
        let as_seen =
            sight == Sight::Unnoted || said.is_none_or(|said| said == sighting_number(sighting));
        Ok(if !same {
            Some("holds another article, publication or first sight".to_owned())
        } else if !as_seen {
            Some(format!("stands as {said:?} in its story, its entry says {sighting:?}"))
        } else {
            shown(row, &article)?.map(|column| format!("says another {column} than its record"))
        })
    })?;
    let sql = "SELECT key::text, blocks FROM crawler_data.texts";
    table(conn, sql, "text of the article", each, &mut |_, _: Vec<Block>| Ok(None))?;
    let sql = "SELECT origin, record FROM crawler_data.robots";
    table(conn, sql, "robots.txt of", each, &mut |row, robots: RobotsRecord| {
        Ok((robots.origin != get::<&str>(row, 0)?).then(|| "is of another origin".to_owned()))
    })?;
    let sql = "SELECT outlet, record FROM crawler_data.rules";
    table(conn, sql, "rule about", each, &mut |_, _: OutletRule| Ok(None))?;
    let sql = "SELECT version, record FROM crawler_data.brand_sets";
    table(conn, sql, "brand set", each, &mut |row, set: BrandSet| {
        Ok((set.version != get::<&str>(row, 0)?).then(|| "holds another version".to_owned()))
    })
}

/// The column of an article's row, of those that views show, that is not as its record.
fn shown(row: &postgres::Row, article: &ArticleRecord) -> Result<Option<&'static str>> {
    let text = |column| get::<Option<String>>(row, column);
    let found = |found: &Option<Found<String>>| found.as_ref().map(|found| plain(&found.value));
    let columns = [
        ("outlet", text(8)?.as_ref() == Some(&article.outlet)),
        ("language", text(9)? == found(&article.article.language)),
        ("title", text(10)? == found(&article.article.title)),
        ("url", text(11)? == Some(plain(&article.final_url))),
        ("feed", get::<UrlKey>(row, 12)? == article.feed),
        ("fetched", get::<Millis>(row, 13)? == article.fetched),
    ];
    Ok(columns.into_iter().find(|(_, same)| !same).map(|(column, _)| column))
}

/// Each entry of the log follows from the one before, and the last one is its end.
fn log(conn: &mut Conn, each: &mut dyn FnMut(String)) -> Result<()> {
    let mut last: Option<LogPosition> = None;
    let sql = "SELECT number, sum, article, at, gone FROM crawler_data.log ORDER BY number";
    conn.each(sql, &[], &mut |row| {
        let sum = u64::from_ne_bytes(get::<i64>(row, 1)?.to_ne_bytes());
        let found = LogPosition { number: count(get(row, 0)?), sum };
        let entry = Logged { article: get(row, 2)?, at: get(row, 3)?, gone: get(row, 4)? };
        if last.is_some_and(|last| after(last, &entry) != found) {
            each(format!("entry {} of the log does not follow from the one before", found.number));
        }
        last = Some(found);
        Ok(true)
    })?;
    let end = "SELECT log_number, log_sum FROM crawler_data.state";
    let Some(row) = conn.row(end, &[])? else { return Ok(()) };
    let end: (i64, i64) = (get(&row, 0)?, get(&row, 1)?);
    let found = last.map(|last| (last.number.cast_signed(), last.sum.cast_signed()));
    if found.is_some_and(|found| found != end) {
        each(format!("the log ends at {found:?}, its end says {end:?}"));
    }
    Ok(())
}
