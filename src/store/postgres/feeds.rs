//! Feeds and the rules about outlets: their rows.
//!
//! Must not know: why they change.

use std::collections::{BTreeMap, BTreeSet};

use super::Postgres;
use super::connect::{get, record};
use super::tx::Tx;
use super::types::{Record, pace};
use crate::model::*;
use crate::store::rules::feeds::{self, FeedRows, poll_priority, poll_task};
use crate::store::rules::outlets::OutletRows;
use crate::store::{Ban, Feeds, OutletRule, Result};

/// Feeds added or rescheduled in one transaction.
const FEEDS_AT_ONCE: usize = 1_000;

/// The names of the statuses in their column.
const STATUSES: [(FeedStatus, &str); 4] = [
    (FeedStatus::Active, "active"),
    (FeedStatus::Paused, "paused"),
    (FeedStatus::Gone, "gone"),
    (FeedStatus::Removed, "removed"),
];

fn status(feed: &Feed) -> &'static str {
    STATUSES.iter().find(|(status, _)| *status == feed.status).map_or("active", |(_, name)| name)
}

impl Feeds for Postgres {
    fn add_feeds(&self, feeds: &[Feed]) -> Result<Vec<bool>> {
        let mut new = Vec::with_capacity(feeds.len());
        for feeds in feeds.chunks(FEEDS_AT_ONCE) {
            new.extend(self.write(|tx| feeds::seed(tx, feeds))?);
        }
        Ok(new)
    }

    fn feed_removed(&self, key: UrlKey) -> Result<bool> {
        let sql = "SELECT status = 'removed' FROM crawler_data.feeds WHERE key = $1";
        Ok(self.pool.call(|conn| conn.value(sql, &[&key]))? == Some(true))
    }

    fn feed(&self, key: UrlKey) -> Result<Option<Feed>> {
        let sql = "SELECT record FROM crawler_data.feeds WHERE key = $1 AND status <> 'removed'";
        self.one(sql, &[&key])
    }

    fn feeds(&self) -> Result<Vec<Feed>> {
        self.all(
            "SELECT record FROM crawler_data.feeds WHERE status <> 'removed' ORDER BY key",
            &[],
        )
    }

    fn feeds_ever(&self) -> Result<Vec<Feed>> {
        self.all("SELECT record FROM crawler_data.feeds ORDER BY key", &[])
    }

    /// Brings feeds forward that are to be polled later; returns how many are due then.
    fn poll_all_now(&self, now: Millis) -> Result<usize> {
        let mut due = 0;
        for feeds in self.feeds()?.chunks(FEEDS_AT_ONCE) {
            due += self.write(|tx| feeds::poll_all_now(tx, feeds, now))?;
        }
        Ok(due)
    }

    fn poll_now(&self, feed: UrlKey, now: Millis) -> Result<bool> {
        self.write(|tx| feeds::poll_now(tx, feed, now))
    }
}

impl FeedRows for Tx<'_> {
    /// Locked: a poll outside the commit lock may want to change it.
    fn feed(&mut self, id: UrlKey) -> Result<Option<Feed>> {
        let sql = "SELECT record FROM crawler_data.feeds WHERE key = $1 FOR NO KEY UPDATE";
        self.conn.record(sql, &[&id])
    }

    fn feed_statuses(&mut self, ids: &[UrlKey]) -> Result<BTreeMap<UrlKey, FeedStatus>> {
        let sql = "SELECT key, status FROM crawler_data.feeds WHERE key = ANY ($1)";
        let mut known = BTreeMap::new();
        for row in self.conn.rows(sql, &[&ids])? {
            let name: String = get(&row, 1)?;
            let status = STATUSES.iter().find(|(_, known)| *known == name);
            known.insert(get(&row, 0)?, status.map_or(FeedStatus::Active, |(status, _)| *status));
        }
        Ok(known)
    }

    fn twins(&mut self, of: UrlKey) -> Result<Vec<Feed>> {
        let sql = "SELECT record FROM crawler_data.feeds WHERE status = 'active' \
                   AND record #>> '{poll,duplicate_of}' = $1 ORDER BY key FOR NO KEY UPDATE";
        self.conn.records(sql, &[&of.to_string()])
    }

    fn put_feed(&mut self, old: Option<&Feed>, new: &Feed) -> Result<()> {
        let task = poll_task(new);
        if let Some(old) = old.filter(|old| task.is_none() || old.pace_key != new.pace_key) {
            self.dequeue(&old.pace_key, TaskKind::Poll, old.key)?;
        }
        self.conn.run(
            "INSERT INTO crawler_data.feeds (key, outlet, pace_key, status, next, record) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO UPDATE SET \
             outlet = excluded.outlet, pace_key = excluded.pace_key, status = excluded.status, \
             next = excluded.next, record = excluded.record",
            &[&new.key, &new.outlet, &new.pace_key, &status(new), &new.poll.next, &Record(new)],
        )?;
        match task {
            Some(task) => self.enqueue(&new.pace_key, poll_priority(new), &task),
            None => Ok(()),
        }
    }
}

impl OutletRows for Tx<'_> {
    fn rule(&mut self, outlet: &str) -> Result<OutletRule> {
        let sql = "SELECT record FROM crawler_data.rules WHERE outlet = $1";
        Ok(self.conn.record(sql, &[&outlet])?.unwrap_or_default())
    }

    fn bans(&mut self, outlets: &BTreeSet<String>) -> Result<BTreeMap<String, Ban>> {
        let mut bans = BTreeMap::new();
        if outlets.is_empty() {
            return Ok(bans);
        }
        let outlets: Vec<&String> = outlets.iter().collect();
        let sql = "SELECT outlet, record FROM crawler_data.rules WHERE outlet = ANY ($1)";
        for row in self.conn.rows(sql, &[&outlets])? {
            let (outlet, rule): (_, OutletRule) = (get(&row, 0)?, record(&row, 1)?);
            bans.extend(rule.ban.map(|ban| (outlet, ban)));
        }
        Ok(bans)
    }

    fn put_rule(&mut self, outlet: &str, rule: &OutletRule) -> Result<()> {
        if rule.is_empty() {
            let sql = "DELETE FROM crawler_data.rules WHERE outlet = $1";
            return self.conn.run(sql, &[&outlet]).map(drop);
        }
        let sql = "INSERT INTO crawler_data.rules (outlet, record) VALUES ($1, $2) \
                   ON CONFLICT (outlet) DO UPDATE SET record = excluded.record";
        self.conn.run(sql, &[&outlet, &Record(rule)]).map(drop)
    }

    fn pace(&mut self, pace_key: &str) -> Result<Pace> {
        let sql = "SELECT * FROM crawler_data.pace WHERE pace_key = $1 FOR NO KEY UPDATE";
        let row = self.conn.row(sql, &[&pace_key])?;
        Ok(row.map(|row| pace(&row)).transpose()?.unwrap_or_default())
    }

    fn put_pause(&mut self, pace_key: &str, pace: &Pace) -> Result<()> {
        self.conn.run(
            "INSERT INTO crawler_data.pace (pace_key, blocked_until, operator_delay) \
             VALUES ($1, $2, $3) ON CONFLICT (pace_key) DO UPDATE SET \
             blocked_until = excluded.blocked_until, operator_delay = excluded.operator_delay",
            &[&pace_key, &pace.blocked_until, &pace.operator_delay],
        )?;
        self.touched.insert(pace_key.to_owned());
        Ok(())
    }
}
