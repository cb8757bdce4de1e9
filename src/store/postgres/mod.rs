//! The store over PostgreSQL: any number of crawler processes on one database. Leases are rows
//! that the database hands out (`SKIP LOCKED`); everything else that is written takes one lock for
//! the time of its transaction, so that what one process commits the next one sees, and copies,
//! stories and sums come out as on one machine. Every write under a lease is fenced by its epoch.
//!
//! Nothing is kept on the worker's disk. The schema is in `deploy/sql`.
//!
//! Must not know: how records are found; what the embedded store does with files.

mod articles;
mod batch;
mod change;
mod connect;
mod entries;
mod feeds;
mod frontier;
mod lease;
mod listen;
mod log;
mod migrate;
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

use self::connect::Pool;
use super::{Admission, Batch, EmptyPoll, Finding, Result, Settings, Store, StoreError};
use crate::model::*;

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
                "the connection to the database {} may not be encrypted: write `?sslmode=require` at the \
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
    fn commit_empty_poll(&self, poll: &EmptyPoll) -> Result<Option<Admission>> {
        self.try_empty_poll(poll)
    }
    fn batch(&self) -> Result<Box<dyn Batch + '_>> {
        let tx = self.begin().inspect_err(|_| self.pool.mistrust())?;
        Ok(Box::new(batch::OpenBatch { tx: Some(tx), failed: false }))
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
    fn verify(&self, each: &mut dyn FnMut(Finding)) -> Result<()> {
        self.check(&mut |sentence| each(Finding(sentence)))
    }
    /// # Errors
    /// Always: the database has means of its own.
    fn backup(&self, _: &Path) -> Result<()> {
        Err(StoreError::Other(format!(
            "the store is the database {}: back it up with pg_dump or pg_basebackup",
            self.pool.place()
        )))
    }
    fn size(&self) -> Result<u64> {
        let sql = "SELECT pg_database_size(current_database())";
        let bytes: Option<i64> = self.pool.call(|conn| conn.value(sql, &[]))?;
        Ok(types::count(bytes.unwrap_or(0)))
    }
}
