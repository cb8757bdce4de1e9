//! The store over PostgreSQL: any number of crawler processes on one database. Leases are rows
//! that the database hands out (`SKIP LOCKED`); everything else that is written takes one lock for
//! the time of its transaction, so that what one process commits the next one sees, and copies,
//! stories and sums come out as on one machine. Every write under a lease is fenced by its epoch.
//!
//! Nothing is kept on the worker's disk. The schema is in `deploy/sql`.
//!
//! Must not know: how records are found; what the embedded store does with files.

mod alerts;
mod articles;
mod batch;
mod change;
mod connect;
mod entries;
mod feeds;
mod frontier;
mod listen;
mod migrate;
mod notes;
mod printed;
mod read;
mod recount;
mod retention;
mod stories;
mod tokens;
mod transfer;
mod tx;
mod types;
mod verify;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use self::connect::{Pool, get};
use self::types::record;
use super::decision::{Change, Decision, Topic};
use super::rules;
use super::transfer::Item;
use super::{
    Admission, Batch, Claim, Compaction, Due, EmptyPoll, Filter, Finding, Ledger, LogPosition,
    Logged, OutletRule, Pruned, Result, Settings, Store, StoreError,
};
use crate::model::*;

/// Entries of the log that are kept for workers that are behind, at least.
const LOG_KEPT: u64 = 1_000_000;

/// The sums of a tally, in the order in which tallies are read, of what [`of_mentions`] and a second
/// part for stories select.
macro_rules! summed {
    () => {
        "SELECT brand, day, sum(articles)::bigint AS articles, sum(mentions)::bigint AS mentions, \
         sum(suppressed)::bigint AS suppressed, sum(stories)::bigint AS stories, \
         sum(originals)::bigint AS originals, sum(backlog)::bigint AS backlog, \
         sum(own)::bigint AS own, sum(late)::bigint AS late, sum(late_week)::bigint AS late_week FROM ( "
    };
}
use summed;

/// What each mention row `m` of an article whose URL is `u` adds to its day.
macro_rules! of_mentions {
    () => {
        "SELECT m.brand, m.day, (m.counted > 0)::int AS articles, m.counted AS mentions, \
         m.suppressed, 0 AS stories, 0 AS originals, (m.counted > 0 AND m.backlog)::int AS backlog, \
         CASE WHEN m.own_outlet THEN m.counted ELSE 0 END AS own, \
         (m.counted > 0 AND NOT m.backlog AND coalesce(u.arrival >= m.day + 2, false))::int AS late, \
         (m.counted > 0 AND NOT m.backlog AND \
         coalesce(u.arrival >= date_trunc('week', m.day)::date + 8, false))::int AS late_week "
    };
}
use of_mentions;

/// Tallies of the brand set `$1` as sums of its mention rows, by brand and day. A story counts once
/// for each brand, on its original's day.
macro_rules! sums {
    () => {
        concat!(
            super::summed!(),
            super::of_mentions!(),
            "FROM crawler_data.mentions AS m LEFT JOIN crawler_data.urls AS u ON u.key = m.article \
             WHERE m.version = $1 UNION ALL \
             SELECT b.brand, s.day, 0, 0, 0, 1, (EXISTS (SELECT 1 FROM crawler_data.mentions AS o \
             WHERE o.article = s.original AND o.version = $1 AND o.brand = b.brand AND o.counted > 0))::int, \
             0, 0, 0, 0 FROM crawler_data.story_brands AS b \
             JOIN crawler_data.stories AS s ON s.id = b.story WHERE b.version = $1 AND b.members > 0 \
             ) AS u GROUP BY brand, day"
        )
    };
}
use sums;

pub struct Postgres {
    pool: Arc<Pool>,
    unknown_delay: Millis,
    /// Claims are made by this machine's clock, not by a test's.
    checks_clock: bool,
    was_right: AtomicBool,
    /// Days of arrival whose partitions are there.
    days: Mutex<HashSet<Day>>,
    /// Who has claimed last: the owner of this process's leases.
    holder: Mutex<String>,
}

impl Postgres {
    /// Connects and brings the schema up to date.
    pub fn open(url: &str, settings: &Settings) -> Result<Postgres> {
        let pool = Arc::new(Pool::new(url, settings.password_file.as_deref())?);
        if pool.exposed() {
            tracing::warn!(
                "the way to the database {} may be open to others: write `?sslmode=require` at the \
                 end of its URL",
                pool.place()
            );
        }
        pool.call(|conn| migrate::migrate(conn, pool.place()))?;
        Ok(Postgres {
            pool,
            unknown_delay: settings.unknown_delay.0,
            checks_clock: settings.now.is_some(),
            was_right: AtomicBool::new(true),
            days: Mutex::default(),
            holder: Mutex::default(),
        })
    }
}

/// Brings the schema of a database up to date: versions before and after.
pub fn migrate(url: &str, settings: &Settings) -> Result<(i32, i32)> {
    let pool = Pool::new(url, settings.password_file.as_deref())?;
    let before = pool.call(|conn| migrate::migrate(conn, pool.place()))?;
    Ok((before, migrate::VERSION))
}

impl Store for Postgres {
    fn add_feeds(&self, feeds: &[Feed]) -> Result<Vec<bool>> {
        self.insert_feeds(feeds)
    }
    fn feed(&self, key: UrlKey) -> Result<Option<Feed>> {
        self.read_feed(key)
    }
    fn feed_removed(&self, key: UrlKey) -> Result<bool> {
        let sql = "SELECT status = 'removed' FROM crawler_data.feeds WHERE key = $1";
        Ok(self.pool.call(|conn| conn.value(sql, &[&key]))? == Some(true))
    }
    fn feeds(&self) -> Result<Vec<Feed>> {
        self.read_feeds()
    }

    fn claim(&self, claim: &Claim) -> Result<Vec<Lease>> {
        self.claim_leases(claim)
    }
    fn claim_key(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.claim_one(claim, pace_key)
    }
    fn claim_for_commit(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.claim_free(claim, pace_key)
    }
    fn extend(&self, lease: &Lease, until: Millis) -> Result<bool> {
        self.extend_lease(lease, until)
    }
    fn complete(&self, lease: &Lease, pace: &Pace) -> Result<bool> {
        self.give_back(lease, pace)
    }
    fn suspect_alone(&self, suspect: &Suspect) -> Result<()> {
        self.note_suspect(suspect, true)
    }
    fn clear_suspect(&self, suspect: &Suspect) -> Result<()> {
        self.note_suspect(suspect, false)
    }
    fn block_until(&self, pace_key: &str, until: Millis) -> Result<()> {
        self.pause_key(pace_key, until)
    }
    /// The schedule belongs to the database's clock: nothing is moved when one machine's is set.
    /// Until that machine's clock is right again it gets no leases.
    fn shift(&self, _: Millis) -> Result<()> {
        Ok(())
    }
    fn poll_all_now(&self, now: Millis) -> Result<usize> {
        self.bring_forward(now)
    }
    fn poll_now(&self, feed: UrlKey, now: Millis) -> Result<bool> {
        self.write(|tx| rules::feeds::poll_now(tx, feed, now))
    }
    fn due(&self) -> Result<Due> {
        self.read_due()
    }
    fn pace(&self, pace_key: &str) -> Result<Option<Pace>> {
        let sql = "SELECT * FROM crawler_data.pace WHERE pace_key = $1";
        let row = self.pool.call(|conn| conn.row(sql, &[&pace_key]))?;
        row.map(|row| types::pace(&row)).transpose()
    }
    fn precedence(&self, pace_key: &str, task: &Task, since: Millis) -> Result<Precedence> {
        self.pool.call(|conn| frontier::precedence(conn, pace_key, task, since))
    }
    fn robots(&self, origin: &str) -> Result<Option<RobotsRecord>> {
        self.read_robots(origin)
    }

    fn listen(&self, wake: Box<dyn Fn() + Send>) -> Result<bool> {
        let what = || "cannot start a thread".to_owned();
        listen::listen(&self.pool, wake)
            .map(|()| true)
            .map_err(|source| StoreError::Io { what: what(), source })
    }

    fn commit_empty_poll(&self, poll: &EmptyPoll) -> Result<Option<Admission>> {
        self.try_empty_poll(poll)
    }
    fn batch(&self) -> Result<Box<dyn Batch + '_>> {
        let tx = self.begin().inspect_err(|_| self.pool.mistrust())?;
        Ok(Box::new(batch::OpenBatch { tx: Some(tx), failed: false }))
    }

    fn outlet_rule(&self, outlet: &str) -> Result<OutletRule> {
        let sql = "SELECT record FROM crawler_data.rules WHERE outlet = $1";
        let row = self.pool.call(|conn| conn.row(sql, &[&outlet]))?;
        Ok(row.map(|row| record(&row, 0)).transpose()?.unwrap_or_default())
    }
    fn outlet_rules(&self) -> Result<Vec<(String, OutletRule)>> {
        let sql = "SELECT outlet, record FROM crawler_data.rules ORDER BY outlet";
        let rows = self.pool.call(|conn| conn.rows(sql, &[]))?;
        rows.iter().map(|row| Ok((get(row, 0)?, record(row, 1)?))).collect()
    }
    fn change(&self, change: Change<'_>, decision: Option<&Decision>) -> Result<usize> {
        self.make(change, decision)
    }
    fn decisions(
        &self,
        topic: Option<Topic>,
        each: &mut dyn FnMut(Decision) -> bool,
    ) -> Result<()> {
        self.read_decisions(topic, each)
    }

    fn url(&self, key: UrlKey) -> Result<Option<UrlRecord>> {
        self.read_url(key)
    }
    fn urls(&self, each: &mut dyn FnMut(UrlRecord) -> bool) -> Result<()> {
        self.read_urls(each)
    }
    fn article(&self, key: UrlKey) -> Result<Option<ArticleRecord>> {
        self.read_article(key)
    }
    fn articles(
        &self,
        from: Option<Day>,
        to: Option<Day>,
        each: &mut dyn FnMut(ArticleRecord) -> bool,
    ) -> Result<()> {
        self.read_articles(from, to, each)
    }
    fn story(&self, id: UrlKey) -> Result<Option<Story>> {
        self.read_story(id)
    }
    fn story_of(&self, article: UrlKey) -> Result<Option<Story>> {
        self.read_story_of(article)
    }
    fn credit(&self, article: UrlKey) -> Result<Credit> {
        self.read_credit(article)
    }
    fn story_head_of(&self, article: UrlKey) -> Result<Option<StoryHead>> {
        self.read_head_of(article)
    }
    fn largest_stories(
        &self,
        days: (Option<Day>, Option<Day>),
        after: Option<(u64, Day, UrlKey)>,
        each: &mut dyn FnMut(StoryHead) -> bool,
    ) -> Result<()> {
        self.read_largest(days, after, each)
    }
    fn stories(
        &self,
        from: Option<Day>,
        to: Option<Day>,
        each: &mut dyn FnMut(Story) -> bool,
    ) -> Result<()> {
        self.read_stories(from, to, each)
    }
    fn mention_rows(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(MentionRow) -> bool,
    ) -> Result<()> {
        self.read_rows(filter, each)
    }
    fn mentions_of(&self, article: UrlKey) -> Result<Vec<MentionRow>> {
        self.read_rows_of(article)
    }
    fn tallies(&self, filter: &Filter) -> Result<Vec<(String, Day, Tally)>> {
        self.read_tallies(filter)
    }
    fn polls(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<(Day, Polls)>> {
        self.read_polls(from, to)
    }
    fn ledger(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<Ledger>> {
        self.read_ledger(from, to)
    }
    fn bytes(&self, outlet: &str, from: Day, to: Day) -> Result<i64> {
        self.read_bytes(outlet, from, to)
    }
    fn vectors(
        &self,
        since: Millis,
        each: &mut dyn FnMut(UrlKey, Millis, Vec<u8>) -> bool,
    ) -> Result<()> {
        self.read_vectors(since, each)
    }
    fn vector(&self, article: UrlKey, at: Millis) -> Result<Option<Vec<u8>>> {
        self.read_vector(article, at)
    }
    fn old_members(
        &self,
        before: Millis,
        each: &mut dyn FnMut(UrlKey, Millis) -> bool,
    ) -> Result<()> {
        self.read_old_members(before, each)
    }
    fn excerpts_of(&self, article: UrlKey) -> Result<Vec<Excerpt>> {
        self.read_excerpts(article)
    }

    fn log_end(&self) -> Result<LogPosition> {
        self.read_log_end()
    }
    fn log_since(
        &self,
        from: LogPosition,
        each: &mut dyn FnMut(LogPosition, Logged) -> bool,
    ) -> Result<bool> {
        self.read_log(from, each)
    }
    /// Others may still ask for what this process does not: the last million stays.
    fn trim_log(&self, upto: LogPosition) -> Result<()> {
        let kept = self.read_log_end()?.number.saturating_sub(LOG_KEPT);
        let before = types::number(upto.number.min(kept));
        let sql = "DELETE FROM crawler_data.log WHERE number < $1";
        self.pool.call(|conn| conn.run(sql, &[&before])).map(drop)
    }

    fn printed(&self, outlet: &str, before: Day, most: usize) -> Result<Vec<Vec<u8>>> {
        self.read_printed(outlet, before, most)
    }

    fn brand_set(&self) -> Result<BrandSet> {
        let sql = "SELECT b.record FROM crawler_data.state AS s \
                   JOIN crawler_data.brand_sets AS b ON b.version = s.brand_set";
        let row = self.pool.call(|conn| conn.row(sql, &[]))?;
        Ok(row.map(|row| record(&row, 0)).transpose()?.unwrap_or_default())
    }
    fn recount_put(&self, set: &BrandSet, article: UrlKey, rows: &[MentionRow]) -> Result<()> {
        self.put_recount(set, article, rows)
    }
    fn recount_missing(&self, set: &BrandSet, each: &mut dyn FnMut(UrlKey) -> bool) -> Result<()> {
        self.missing(set, each)
    }
    fn meta(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT value FROM crawler_data.meta WHERE name = $1";
        self.pool.call(|conn| conn.value(sql, &[&name]))
    }
    fn set_meta(&self, name: &str, value: &[u8]) -> Result<()> {
        let sql = "INSERT INTO crawler_data.meta (name, value) VALUES ($1, $2) \
                   ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.pool.call(|conn| conn.run(sql, &[&name, &value])).map(drop)
    }

    fn token(&self, id: &str) -> Result<Option<Token>> {
        self.read_token(id)
    }
    fn tokens(&self) -> Result<Vec<Token>> {
        self.read_tokens()
    }
    fn put_token(&self, token: &Token) -> Result<()> {
        self.write_token(token)
    }
    fn remove_token(&self, id: &str) -> Result<()> {
        self.delete_token(id)
    }
    fn token_used(&self, id: &str, at: Millis) -> Result<()> {
        self.note_token_use(id, at)
    }

    fn alerts(&self) -> Result<Vec<Alert>> {
        self.read_alerts()
    }
    fn alert(&self, name: &str) -> Result<Option<Alert>> {
        self.read_alert(name)
    }
    fn keep_alert(&self, alert: &Alert) -> Result<bool> {
        self.write_alert(alert)
    }
    fn notes(&self) -> Result<Vec<Note>> {
        self.read_notes()
    }

    fn verify(&self, each: &mut dyn FnMut(Finding)) -> Result<()> {
        self.check(&mut |sentence| each(Finding(sentence)))
    }
    fn export(&self, each: &mut dyn FnMut(Item) -> Result<bool>) -> Result<()> {
        self.give(each)
    }
    fn import(&self, items: &mut dyn Iterator<Item = Result<Item>>) -> Result<u64> {
        self.take_all(items)
    }
    /// # Errors
    /// Always: the database has means of its own.
    fn backup(&self, _: &Path) -> Result<()> {
        Err(StoreError::Other(format!(
            "the store is the database {}: back it up with pg_dump or pg_basebackup",
            self.pool.place()
        )))
    }
    /// Nothing is kept: a worker may start anywhere.
    fn put_aside(
        &self,
        _: &str,
        _: &mut dyn FnMut(&mut dyn std::io::Write) -> std::io::Result<()>,
    ) -> Result<()> {
        Ok(())
    }
    fn read_aside(&self, _: &str) -> Result<Option<Box<dyn std::io::Read>>> {
        Ok(None)
    }
    fn prune_texts(&self, before: Millis, _: usize) -> Result<Pruned> {
        self.drop_texts_before(before)
    }
    fn prune_entries(&self, before: Millis, most: usize) -> Result<Pruned> {
        self.prune_entries_before(before, most)
    }
    fn prune_robots(&self, before: Millis, unreachable: Millis, most: usize) -> Result<Pruned> {
        self.prune_robots_before(before, unreachable, most)
    }
    /// Nothing to do: the database does it itself (autovacuum).
    fn compact(&self) -> Result<Option<Compaction>> {
        Ok(None)
    }
    fn wants_compaction(&self) -> Result<bool> {
        Ok(false)
    }
    /// Nothing is held.
    fn trim(&self) -> Result<()> {
        Ok(())
    }
    fn size(&self) -> Result<u64> {
        let sql = "SELECT pg_database_size(current_database())";
        let bytes: Option<i64> = self.pool.call(|conn| conn.value(sql, &[]))?;
        Ok(types::count(bytes.unwrap_or(0)))
    }
    /// Nothing lies beside the database.
    fn lost_months(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
    /// The database's disk cannot be seen from here.
    fn short_of(&self) -> Result<Option<u64>> {
        Ok(None)
    }
    /// Whatever returned is durable.
    fn flush(&self) -> Result<()> {
        Ok(())
    }
}
