//! Reading what is committed. Each answer is of one instant; long ones come row by row.
//!
//! Must not know: the writer.

use std::collections::BTreeMap;

use postgres::Row;
use serde::de::DeserializeOwned;

use super::Postgres;
use super::connect::{Conn, Value, get};
use super::types::{article, count, head, member, mention_row, number, record, tally};
use crate::model::*;
use crate::store::rules::log::after;
use crate::store::{Filter, Ledger, LogPosition, Logged, Result};

/// The record of a key, or of the article that it is an alias of.
pub const URL_OR_ALIAS: &str = "SELECT record FROM crawler_data.urls WHERE key = coalesce( \
    (SELECT key FROM crawler_data.urls WHERE key = $1), \
    (SELECT article FROM crawler_data.aliases WHERE key = $1))";

/// The id that a story goes by now: what absorbed it may have been absorbed in turn.
pub const PRESENT_ID: &str = "WITH RECURSIVE chain (id, n) AS ( \
    SELECT $1::uuid, 0 UNION ALL \
    SELECT a.story, n + 1 FROM chain JOIN crawler_data.absorbed AS a ON a.id = chain.id \
    WHERE n < 100000) SELECT id FROM chain ORDER BY n DESC LIMIT 1";

const MEMBERS: &str = "SELECT w.*, (SELECT coalesce(array_agg(m.brand ORDER BY m.brand), '{}') \
    FROM crawler_data.mentions AS m WHERE m.article = w.article AND m.counted > 0 \
    AND m.version = (SELECT brand_set FROM crawler_data.state)) \
    FROM crawler_data.members AS w WHERE w.story = $1 \
    ORDER BY w.sighting, w.at, w.first_seen, w.article";

const MENTION_ROWS: &str = "SELECT brand, day, article, outlet, language, feed, backlog, \
    own_outlet, counted, suppressed, mentions FROM crawler_data.mentions \
    WHERE version = (SELECT brand_set FROM crawler_data.state) \
    AND ($1::text IS NULL OR brand = $1) AND day >= $2 AND day <= $3 \
    AND ($4::text IS NULL OR outlet = $4) AND ($5::text IS NULL OR language = $5) \
    ORDER BY brand, day, article";

/// The first and the last day that a question without bounds asks for.
fn bounds(from: Option<Day>, to: Option<Day>) -> (Day, Day) {
    // PostgreSQL's calendar begins in 4713 BC.
    (from.unwrap_or(Day::constant(-4_000, 1, 1)), to.unwrap_or(Day::MAX))
}

impl Postgres {
    fn one<T: DeserializeOwned>(&self, sql: &'static str, values: &[Value]) -> Result<Option<T>> {
        let row = self.pool.call(|conn| conn.row(sql, values))?;
        row.map(|row| record(&row, 0)).transpose()
    }

    /// Hands over rows as they come. A connection that breaks after the first one is an error: what
    /// was given cannot be taken back.
    pub fn stream(
        &self,
        sql: &'static str,
        values: &[Value],
        each: &mut dyn FnMut(&Row) -> Result<bool>,
    ) -> Result<()> {
        let mut begun = false;
        let streamed = self.pool.patiently(|| {
            let mut conn = self.pool.take()?;
            let result = conn.each(sql, values, &mut |row| {
                begun = true;
                each(row)
            });
            match result {
                Ok(()) => self.pool.give(conn),
                Err(error) if begun => return Ok(Err(error)),
                Err(error) => return Err(error),
            }
            Ok(Ok(()))
        });
        streamed?
    }

    pub fn read_feed(&self, id: UrlKey) -> Result<Option<Feed>> {
        let sql = "SELECT record FROM crawler_data.feeds WHERE key = $1 AND status <> 'removed'";
        self.one(sql, &[&id])
    }

    pub fn read_feeds(&self) -> Result<Vec<Feed>> {
        let sql = "SELECT record FROM crawler_data.feeds WHERE status <> 'removed' ORDER BY key";
        let rows = self.pool.call(|conn| conn.rows(sql, &[]))?;
        rows.iter().map(|row| record(row, 0)).collect()
    }

    pub fn read_robots(&self, origin: &str) -> Result<Option<RobotsRecord>> {
        self.one("SELECT record FROM crawler_data.robots WHERE origin = $1", &[&origin])
    }

    pub fn read_url(&self, key: UrlKey) -> Result<Option<UrlRecord>> {
        self.one(URL_OR_ALIAS, &[&key])
    }

    pub fn read_urls(&self, each: &mut dyn FnMut(UrlRecord) -> bool) -> Result<()> {
        let sql = "SELECT record FROM crawler_data.urls ORDER BY key";
        self.stream(sql, &[], &mut |row| Ok(each(record(row, 0)?)))
    }

    pub fn read_credit(&self, key: UrlKey) -> Result<Credit> {
        self.pool.call(|conn| {
            let found = conn.row(
                "SELECT json_typeof(record -> 'agencies'), record -> 'agencies' -> 0 ->> 'value' \
                 FROM crawler_data.articles WHERE key = $1",
                &[&key],
            )?;
            let Some(found) = found else { return Ok(Credit::Unasked) };
            let (kind, first): (Option<String>, Option<String>) =
                (get(&found, 0)?, get(&found, 1)?);
            Ok(match (kind.as_deref(), first) {
                (_, Some(agency)) => Credit::Agency(agency),
                (Some("array"), None) => Credit::Own,
                _ => Credit::Unasked,
            })
        })
    }

    pub fn read_article(&self, key: UrlKey) -> Result<Option<ArticleRecord>> {
        // In two steps: with the day at hand only its partition is opened.
        self.pool.call(|conn| {
            let found = conn.row(
                "SELECT record, has_text, arrival, key FROM crawler_data.articles WHERE key = \
                 coalesce((SELECT key FROM crawler_data.articles WHERE key = $1), \
                 (SELECT article FROM crawler_data.aliases WHERE key = $1))",
                &[&key],
            )?;
            let Some(found) = found else { return Ok(None) };
            let mut article: ArticleRecord = record(&found, 0)?;
            if get(&found, 1)? {
                let (arrival, key): (Day, UrlKey) = (get(&found, 2)?, get(&found, 3)?);
                let sql = "SELECT text, blocks FROM crawler_data.texts \
                           WHERE arrival = $1 AND key = $2";
                if let Some(row) = conn.row(sql, &[&arrival, &key])? {
                    article.article.text = get(&row, 0)?;
                    article.article.blocks = record(&row, 1)?;
                }
            }
            Ok(Some(article))
        })
    }

    pub fn read_articles(
        &self,
        from: Option<Day>,
        to: Option<Day>,
        each: &mut dyn FnMut(ArticleRecord) -> bool,
    ) -> Result<()> {
        let (from, to) = bounds(from, to);
        self.stream(
            "SELECT a.record, t.text, t.blocks FROM crawler_data.articles AS a \
             LEFT JOIN crawler_data.texts AS t ON t.arrival = a.arrival AND t.key = a.key \
             WHERE a.day >= $1 AND a.day <= $2 ORDER BY a.day, a.key",
            &[&from, &to],
            &mut |row| Ok(each(article(row, 0)?)),
        )
    }

    /// The story of an id that it goes by now.
    fn whole(&self, conn: &mut Conn, id: UrlKey) -> Result<Option<Story>> {
        let sql = "SELECT * FROM crawler_data.stories WHERE id = $1";
        let Some(row) = conn.row(sql, &[&id])? else { return Ok(None) };
        let StoryHead { series, pattern, .. } = head(&row)?;
        let rows = conn.rows(MEMBERS, &[&id])?;
        let members = rows.iter().map(|row| {
            let (_, member) = member(row)?;
            Ok(Member { brands: get(row, 9)?, ..member })
        });
        let members = members.collect::<Result<_>>()?;
        Ok(Some(Story { id, members, series, pattern }))
    }

    pub fn read_story(&self, id: UrlKey) -> Result<Option<Story>> {
        self.pool.call(|conn| {
            let now: Option<UrlKey> = conn.value(PRESENT_ID, &[&id])?;
            self.whole(conn, now.unwrap_or(id))
        })
    }

    pub fn read_story_of(&self, article: UrlKey) -> Result<Option<Story>> {
        let sql = "SELECT story FROM crawler_data.members WHERE article = $1";
        self.pool.call(|conn| match conn.value(sql, &[&article])? {
            Some(id) => self.whole(conn, id),
            None => Ok(None),
        })
    }

    pub fn read_head_of(&self, article: UrlKey) -> Result<Option<StoryHead>> {
        let sql = "SELECT s.* FROM crawler_data.members AS w \
                   JOIN crawler_data.stories AS s ON s.id = w.story WHERE w.article = $1";
        let row = self.pool.call(|conn| conn.row(sql, &[&article]))?;
        row.map(|row| head(&row)).transpose()
    }

    pub fn read_largest(
        &self,
        (from, to): (Option<Day>, Option<Day>),
        after: Option<(u64, Day, UrlKey)>,
        each: &mut dyn FnMut(StoryHead) -> bool,
    ) -> Result<()> {
        let (from, to) = bounds(from, to);
        let (articles, day, id) = after.unwrap_or((u64::MAX, from, UrlKey::default()));
        let articles = i64::try_from(articles).unwrap_or(i64::MAX);
        let sql = "SELECT * FROM crawler_data.stories WHERE id IN \
                   (SELECT story FROM crawler_data.members WHERE day >= $1 AND day <= $2) \
                   AND articles <= $3 AND (articles < $3 OR (day, id) > ($4, $5)) \
                   ORDER BY articles DESC, day, id";
        let values: [Value; 5] = [&from, &to, &articles, &day, &id];
        self.stream(sql, &values, &mut |row| Ok(each(head(row)?)))
    }

    pub fn read_stories(
        &self,
        from: Option<Day>,
        to: Option<Day>,
        each: &mut dyn FnMut(Story) -> bool,
    ) -> Result<()> {
        let (from, to) = bounds(from, to);
        let sql = "SELECT story FROM crawler_data.members WHERE day >= $1 AND day <= $2 \
                   GROUP BY story ORDER BY min(day), story";
        self.stream(sql, &[&from, &to], &mut |row| {
            let id: UrlKey = get(row, 0)?;
            // Gone since the reading began: absorbed, and met under the other id.
            let story = self.pool.call(|conn| self.whole(conn, id))?;
            Ok(story.is_none_or(&mut *each))
        })
    }

    pub fn read_rows(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(MentionRow) -> bool,
    ) -> Result<()> {
        let (from, to) = bounds(filter.from, filter.to);
        let values: [Value; 5] = [&filter.brand, &from, &to, &filter.outlet, &filter.language];
        self.stream(MENTION_ROWS, &values, &mut |row| Ok(each(mention_row(row)?)))
    }

    pub fn read_rows_of(&self, article: UrlKey) -> Result<Vec<MentionRow>> {
        let sql = "SELECT brand, day, article, outlet, language, feed, backlog, own_outlet, \
                   counted, suppressed, mentions FROM crawler_data.mentions WHERE article = $1 \
                   AND version = (SELECT brand_set FROM crawler_data.state) ORDER BY brand";
        let rows = self.pool.call(|conn| conn.rows(sql, &[&article]))?;
        rows.iter().map(mention_row).collect()
    }

    pub fn read_tallies(&self, filter: &Filter) -> Result<Vec<(String, Day, Tally)>> {
        let (from, to) = bounds(filter.from, filter.to);
        let rows = self.pool.call(|conn| {
            if filter.outlet.is_none() && filter.language.is_none() {
                return conn.rows(
                    "SELECT brand, day, articles, mentions, suppressed, stories, originals, \
                     backlog, own, late, late_week FROM crawler_data.tallies \
                     WHERE version = (SELECT brand_set FROM crawler_data.state) \
                     AND ($1::text IS NULL OR brand = $1) AND day >= $2 AND day <= $3 \
                     ORDER BY brand, day",
                    &[&filter.brand, &from, &to],
                );
            }
            // A story counts on its original's day if one of the rows that match counts it.
            conn.rows(
                concat!(
                    "WITH m AS (SELECT * FROM crawler_data.mentions \
                     WHERE version = (SELECT brand_set FROM crawler_data.state) \
                     AND ($1::text IS NULL OR brand = $1) AND ($4::text IS NULL OR outlet = $4) \
                     AND ($5::text IS NULL OR language = $5)) ",
                    super::summed!(),
                    super::of_mentions!(),
                    "FROM m LEFT JOIN crawler_data.urls AS u ON u.key = m.article UNION ALL \
                     SELECT m.brand, s.day, 0, 0, 0, count(DISTINCT s.id), \
                     count(*) FILTER (WHERE s.original = m.article), 0, 0, 0, 0 FROM m \
                     JOIN crawler_data.members AS w ON w.article = m.article \
                     JOIN crawler_data.stories AS s ON s.id = w.story \
                     WHERE m.counted > 0 GROUP BY m.brand, s.day) AS u \
                     WHERE day >= $2 AND day <= $3 GROUP BY brand, day ORDER BY brand, day"
                ),
                &[&filter.brand, &from, &to, &filter.outlet, &filter.language],
            )
        })?;
        let all = rows.iter().map(|row| Ok((get(row, 0)?, get(row, 1)?, tally(row, 2)?)));
        let mut all = all.collect::<Result<Vec<(String, Day, Tally)>>>()?;
        all.retain(|(_, _, tally)| *tally != Tally::default());
        Ok(all)
    }

    pub fn read_ledger(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<Ledger>> {
        let (from, to) = bounds(from, to);
        let rows = self.pool.call(|conn| {
            conn.rows(
                "SELECT l.day, l.outlet, l.entries, l.polls_due, l.polls_succeeded, o.outcome, o.n, \
                 l.arrivals, l.brought_own, l.brought_foreign, l.brought_bytes \
                 FROM crawler_data.ledger AS l LEFT JOIN crawler_data.ledger_outcomes AS o \
                 ON o.day = l.day AND o.outlet = l.outlet AND o.n > 0 \
                 WHERE l.day >= $1 AND l.day <= $2 ORDER BY l.day, l.outlet",
                &[&from, &to],
            )
        })?;
        let mut ledgers: BTreeMap<(Day, String), Ledger> = BTreeMap::new();
        for row in rows {
            let (day, outlet): (Day, String) = (get(&row, 0)?, get(&row, 1)?);
            let ledger = ledgers.entry((day, outlet.clone())).or_default();
            (ledger.day, ledger.outlet) = (Some(day), outlet);
            ledger.entries = count(get(&row, 2)?);
            let [due, succeeded] = [get::<i64>(&row, 3)?, get(&row, 4)?];
            let polls = |n| u32::try_from(n).unwrap_or(u32::MAX);
            ledger.polls = Polls { due: polls(due), succeeded: polls(succeeded) };
            let arrivals: Vec<i64> = get(&row, 7)?;
            ledger.brought =
                Brought { own: get(&row, 8)?, foreign: get(&row, 9)?, bytes: get(&row, 10)? };
            for (hour, n) in ledger.arrivals.iter_mut().zip(arrivals) {
                *hour = polls(n.max(0));
            }
            if let (Some(outcome), Some(n)) = (get(&row, 5)?, get::<Option<i64>>(&row, 6)?) {
                ledger.outcomes.insert(outcome, count(n));
            }
        }
        Ok(ledgers.into_values().collect())
    }

    pub fn read_bytes(&self, outlet: &str, from: Day, to: Day) -> Result<i64> {
        let sql = "SELECT coalesce(sum(brought_bytes), 0)::bigint FROM crawler_data.ledger \
                   WHERE outlet = $1 AND day BETWEEN $2 AND $3";
        let row = self.pool.call(|conn| conn.row(sql, &[&outlet, &from, &to]))?;
        row.map_or(Ok(0), |row| get(&row, 0))
    }

    pub fn read_polls(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<(Day, Polls)>> {
        let (from, to) = bounds(from, to);
        let sql = "SELECT day, sum(due)::bigint, sum(succeeded)::bigint FROM crawler_data.polls \
                   WHERE day >= $1 AND day <= $2 GROUP BY day ORDER BY day";
        let rows = self.pool.call(|conn| conn.rows(sql, &[&from, &to]))?;
        let short = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
        let polls = |row: &Row| {
            let polls = Polls { due: short(get(row, 1)?), succeeded: short(get(row, 2)?) };
            Ok((get(row, 0)?, polls))
        };
        rows.iter().map(polls).collect()
    }

    pub fn read_vectors(
        &self,
        since: Millis,
        each: &mut dyn FnMut(UrlKey, Millis, Vec<u8>) -> bool,
    ) -> Result<()> {
        let sql = "SELECT article, at, vector FROM crawler_data.vectors WHERE at >= $1 \
                   ORDER BY at, article";
        self.stream(sql, &[&since], &mut |row| Ok(each(get(row, 0)?, get(row, 1)?, get(row, 2)?)))
    }

    pub fn read_vector(&self, article: UrlKey, at: Millis) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT vector FROM crawler_data.vectors WHERE at = $1 AND article = $2";
        self.pool.call(|conn| conn.value(sql, &[&at, &article]))
    }

    pub fn read_old_members(
        &self,
        before: Millis,
        each: &mut dyn FnMut(UrlKey, Millis) -> bool,
    ) -> Result<()> {
        let sql = "SELECT w.article, w.at FROM crawler_data.stories AS s \
                   JOIN crawler_data.members AS w ON w.story = s.id AND w.at < $1 \
                   WHERE s.newest >= $1 AND s.first_at < $1 \
                   ORDER BY s.id, w.at, w.first_seen, w.article";
        self.stream(sql, &[&before], &mut |row| Ok(each(get(row, 0)?, get(row, 1)?)))
    }

    pub fn read_excerpts(&self, article: UrlKey) -> Result<Vec<Excerpt>> {
        let sql = "SELECT part, whole, share FROM crawler_data.excerpts \
                   WHERE part = $1 OR whole = $1 \
                   ORDER BY CASE WHEN part = $1 THEN whole ELSE part END, part = $1";
        let rows = self.pool.call(|conn| conn.rows(sql, &[&article]))?;
        let excerpt = |row: &Row| {
            Ok(Excerpt { part: get(row, 0)?, whole: get(row, 1)?, share: get(row, 2)? })
        };
        rows.iter().map(excerpt).collect()
    }

    pub fn read_log_end(&self) -> Result<LogPosition> {
        let sql = "SELECT log_number, log_sum FROM crawler_data.state";
        let row = self.pool.call(|conn| conn.row(sql, &[]))?;
        row.map_or(Ok(LogPosition::default()), |row| {
            let sum: i64 = get(&row, 1)?;
            let sum = u64::from_ne_bytes(sum.to_ne_bytes());
            Ok(LogPosition { number: count(get(&row, 0)?), sum })
        })
    }

    pub fn read_log(
        &self,
        from: LogPosition,
        each: &mut dyn FnMut(LogPosition, Logged) -> bool,
    ) -> Result<bool> {
        let end = self.read_log_end()?;
        if from.number >= end.number {
            return Ok(from == end);
        }
        let (mut position, mut whole, mut stopped) = (from, true, false);
        let sql = "SELECT number, article, at, gone, sum FROM crawler_data.log \
                   WHERE number >= $1 AND number <= $2 ORDER BY number";
        let values: [Value; 2] = [&number(from.number), &number(end.number)];
        self.stream(sql, &values, &mut |row| {
            let sum = u64::from_ne_bytes(get::<i64>(row, 4)?.to_ne_bytes());
            let found = LogPosition { number: count(get(row, 0)?), sum };
            if found.number == from.number {
                whole = found == from;
                return Ok(whole);
            }
            let entry = Logged { article: get(row, 1)?, at: get(row, 2)?, gone: get(row, 3)? };
            whole = after(position, &entry) == found;
            if !whole {
                return Ok(false);
            }
            position = found;
            stopped = !each(position, entry);
            Ok(!stopped)
        })?;
        Ok(stopped || whole && position == end)
    }
}
