//! Reading what is committed. Each answer is of one instant; long ones come row by row.
//!
//! Must not know: the writer.

use std::collections::BTreeMap;

use postgres::Row;
use serde::de::DeserializeOwned;

use super::Postgres;
use super::connect::{Conn, Value, get, record};
use super::types::{article, count, head, member, mention_row, number, tally};
use crate::model::*;
use crate::store::rules::stories::LONGEST_CHAIN;
use crate::store::{Each, Filter, Ledger, Reading, Result};

/// The record of a key, or of the article that it is an alias of.
pub const URL_OR_ALIAS: &str = "SELECT record FROM crawler_data.urls WHERE key = coalesce( \
    (SELECT key FROM crawler_data.urls WHERE key = $1), \
    (SELECT article FROM crawler_data.aliases WHERE key = $1))";

/// The id that the story `$1` goes by now: what absorbed it may have been absorbed in turn, `$2` times at most.
const PRESENT_ID: &str = "WITH RECURSIVE chain (id, n) AS ( \
    SELECT $1::uuid, 0::bigint UNION ALL \
    SELECT a.story, n + 1 FROM chain JOIN crawler_data.absorbed AS a ON a.id = chain.id \
    WHERE n < $2) SELECT id FROM chain ORDER BY n DESC LIMIT 1";

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

/// The id that a story goes by now.
pub fn present_id(conn: &mut Conn, id: UrlKey) -> Result<UrlKey> {
    Ok(conn.value(PRESENT_ID, &[&id, &number(LONGEST_CHAIN)])?.unwrap_or(id))
}

/// The first and the last day that a question without bounds asks for.
fn bounds(from: Option<Day>, to: Option<Day>) -> (Day, Day) {
    // PostgreSQL's calendar begins in 4713 BC.
    (from.unwrap_or(Day::constant(-4_000, 1, 1)), to.unwrap_or(Day::MAX))
}

impl Reading for Postgres {
    fn url(&self, key: UrlKey) -> Result<Option<UrlRecord>> {
        self.one(URL_OR_ALIAS, &[&key])
    }

    fn urls(&self, each: Each<UrlRecord>) -> Result<()> {
        let sql = "SELECT record FROM crawler_data.urls ORDER BY key";
        self.stream(sql, &[], &mut |row| Ok(each(record(row, 0)?)))
    }

    fn credit(&self, key: UrlKey) -> Result<Credit> {
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

    fn article(&self, key: UrlKey) -> Result<Option<ArticleRecord>> {
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

    fn articles(
        &self,
        from: Option<Day>,
        to: Option<Day>,
        each: Each<ArticleRecord>,
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

    fn story(&self, id: UrlKey) -> Result<Option<Story>> {
        self.pool.call(|conn| {
            let now = present_id(conn, id)?;
            self.whole(conn, now)
        })
    }

    fn story_of(&self, article: UrlKey) -> Result<Option<Story>> {
        let sql = "SELECT story FROM crawler_data.members WHERE article = $1";
        self.pool.call(|conn| match conn.value(sql, &[&article])? {
            Some(id) => self.whole(conn, id),
            None => Ok(None),
        })
    }

    fn story_head_of(&self, article: UrlKey) -> Result<Option<StoryHead>> {
        let sql = "SELECT s.* FROM crawler_data.members AS w \
                   JOIN crawler_data.stories AS s ON s.id = w.story WHERE w.article = $1";
        let row = self.pool.call(|conn| conn.row(sql, &[&article]))?;
        row.map(|row| head(&row)).transpose()
    }

    fn largest_stories(
        &self,
        (from, to): (Option<Day>, Option<Day>),
        after: Option<(u64, Day, UrlKey)>,
        each: Each<StoryHead>,
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

    fn stories(&self, from: Option<Day>, to: Option<Day>, each: Each<Story>) -> Result<()> {
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

    fn mention_rows(&self, filter: &Filter, each: Each<MentionRow>) -> Result<()> {
        let (from, to) = bounds(filter.from, filter.to);
        let values: [Value; 5] = [&filter.brand, &from, &to, &filter.outlet, &filter.language];
        self.stream(MENTION_ROWS, &values, &mut |row| Ok(each(mention_row(row)?)))
    }

    fn mentions_of(&self, article: UrlKey) -> Result<Vec<MentionRow>> {
        let sql = "SELECT brand, day, article, outlet, language, feed, backlog, own_outlet, \
                   counted, suppressed, mentions FROM crawler_data.mentions WHERE article = $1 \
                   AND version = (SELECT brand_set FROM crawler_data.state) ORDER BY brand";
        let rows = self.pool.call(|conn| conn.rows(sql, &[&article]))?;
        rows.iter().map(mention_row).collect()
    }

    fn tallies(&self, filter: &Filter) -> Result<Vec<(String, Day, Tally)>> {
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

    fn ledger(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<Ledger>> {
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

    fn bytes(&self, outlet: &str, from: Day, to: Day) -> Result<i64> {
        let sql = "SELECT coalesce(sum(brought_bytes), 0)::bigint FROM crawler_data.ledger \
                   WHERE outlet = $1 AND day BETWEEN $2 AND $3";
        let row = self.pool.call(|conn| conn.row(sql, &[&outlet, &from, &to]))?;
        row.map_or(Ok(0), |row| get(&row, 0))
    }

    fn polls(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<(Day, Polls)>> {
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

    fn vectors(
        &self,
        since: Millis,
        each: &mut dyn FnMut(UrlKey, Millis, Vec<u8>) -> bool,
    ) -> Result<()> {
        let sql = "SELECT article, at, vector FROM crawler_data.vectors WHERE at >= $1 \
                   ORDER BY at, article";
        self.stream(sql, &[&since], &mut |row| Ok(each(get(row, 0)?, get(row, 1)?, get(row, 2)?)))
    }

    fn vector(&self, article: UrlKey, at: Millis) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT vector FROM crawler_data.vectors WHERE at = $1 AND article = $2";
        self.pool.call(|conn| conn.value(sql, &[&at, &article]))
    }

    fn old_members(
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

    fn excerpts_of(&self, article: UrlKey) -> Result<Vec<Excerpt>> {
        let sql = "SELECT part, whole, share FROM crawler_data.excerpts \
                   WHERE part = $1 OR whole = $1 \
                   ORDER BY CASE WHEN part = $1 THEN whole ELSE part END, part = $1";
        let rows = self.pool.call(|conn| conn.rows(sql, &[&article]))?;
        let excerpt = |row: &Row| {
            Ok(Excerpt { part: get(row, 0)?, whole: get(row, 1)?, share: get(row, 2)? })
        };
        rows.iter().map(excerpt).collect()
    }

    fn printed(&self, outlet: &str, before: Day, most: usize) -> Result<Vec<Vec<u8>>> {
        let sql = "SELECT printed FROM crawler_data.printed WHERE outlet = $1 AND day < $2 \
                   ORDER BY day DESC, article LIMIT $3";
        let most = number(most as u64);
        let rows = self.pool.call(|conn| conn.rows(sql, &[&outlet, &before, &most]))?;
        rows.iter().map(|row| get(row, 0)).collect()
    }
}

impl Postgres {
    /// The record in the first column of the first row.
    pub fn one<T: DeserializeOwned>(
        &self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<Option<T>> {
        self.pool.call(|conn| conn.record(sql, values))
    }

    /// The records in the first column of all rows.
    pub fn all<T: DeserializeOwned>(&self, sql: &'static str, values: &[Value]) -> Result<Vec<T>> {
        self.pool.call(|conn| conn.records(sql, values))
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
}
