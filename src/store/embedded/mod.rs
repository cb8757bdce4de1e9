//! The embedded store: all logic of [`Store`] over one ordered map and the monthly article
//! databases. One mutation at a time; a commit appends articles and flushes them, then applies one
//! batch to main and flushes that, then returns.
//!
//! On disk: `lock` (who holds the store), `format` (main has been written once), `main/` (one map of
//! [`redb`], all tables of [`format::keys`]), `articles/2026-11/` (one map per month of arrival),
//! `decisions.jsonl` (a second copy of what people decided), `repairing` (while a repair is under way).
//!
//! Must not know: whether the maps live on disk or in memory.

mod abort;
mod alerts;
mod articles;
mod aside;
mod backup;
mod batch;
mod change;
mod compact;
mod damage;
pub(super) mod decisions;
mod entries;
mod excerpts;
mod export;
mod feeds;
pub(super) mod files;
mod forget;
pub(super) mod format;
mod frontier;
pub(super) mod journal;
mod journaled;
pub(super) mod kv;
mod lock;
mod log;
pub(super) mod months;
pub(super) mod moving;
mod notes;
mod open;
mod printed;
mod ram;
mod read;
mod rebuild;
pub(super) mod redb;
mod recount;
mod referred;
mod repair;
mod retention;
mod shift;
mod slack;
mod sled;
mod snapshot;
pub mod stories;
mod suspects;
mod tokens;
mod transfer;
mod tx;
mod vectors;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::rules::transfer::OtherRows;
use super::{Batch, Compaction, Control, Finding, Reading, Recount, Result, Store};
use crate::model::*;
use abort::abort_point;
pub use abort::{ABORT_POINTS, COMPACTION_POINTS, MOVING_POINTS, SETTLING_POINTS, abort_reading};
pub use backup::restore;
use batch::OpenBatch;
use decisions::{Decisions, KeptFeed, Line};
pub use files::exists;
use format::keys::{self, key};
use kv::{Kv, Overlay, Writes};
use lock::DirLock;
use months::Months;
pub use repair::{Adopted, BrandsFrom, Repair, Salvaged, repaired_today, rewrite};
use shift::Doubt;
use snapshot::{Snapshot, Snapshots};
use tx::Tx;

pub struct Embedded {
    pub(super) kv: Box<dyn Kv>,
    pub(super) months: Months,
    /// Held by the one mutation there can be at a time. A panic under it leaves nothing behind
    /// (its overlay is gone), so poisoning is ignored.
    writer: Mutex<()>,
    snapshots: Snapshots,
    doubt: Mutex<Doubt>,
    /// `None`: in memory.
    pub(super) decisions: Option<Decisions>,
    dir: Option<PathBuf>,
    /// Bytes from which main is worth a compaction.
    small: u64,
    /// Bytes of the disk to be left free.
    min_free: u64,
    /// Declared last: given back after the databases are closed.
    _lock: Option<DirLock>,
}

impl Embedded {
    /// All feeds, those that were removed, too.
    fn feed_records(&self) -> Result<Vec<Feed>> {
        self.view().prefix(&[keys::FEED]).map(|row| Ok(row?.1)).collect()
    }

    /// Writes the second copy anew from what is stored.
    pub(super) fn write_decisions(&self) -> Result<()> {
        let Some(decisions) = &self.decisions else { return Ok(()) };
        let mut all = vec![Line::Brands(self.brand_set()?)];
        all.extend(self.feed_records()?.iter().map(|feed| Line::Feed(KeptFeed::of(feed))));
        let rules = self.outlet_rules()?;
        all.extend(rules.into_iter().map(|(outlet, rule)| Line::Outlet(outlet, rule)));
        all.extend(self.alerts()?.into_iter().map(|alert| Line::Alert(Box::new(alert.rule))));
        all.extend(self.notes()?.into_iter().map(|note| Line::Note(Box::new(note))));
        self.urls(&mut |url| {
            if url.outcome == Outcome::Forgotten {
                all.push(Line::Forgotten(Box::new(url)));
            }
            true
        })?;
        let mut log = Vec::new();
        self.view().decisions(None, &mut |_, decision| {
            log.push(Line::Decided(Box::new(decision)));
            true
        })?;
        all.extend(log.into_iter().rev());
        decisions.replace(all.into_iter())
    }

    fn writer(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn doubt(&self) -> Doubt {
        *self.doubt.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_doubt(&self, doubt: Doubt) {
        *self.doubt.lock().unwrap_or_else(PoisonError::into_inner) = doubt;
    }

    fn tx(&self) -> Result<Tx<'_>> {
        Tx::begin(&*self.kv, &self.months)
    }

    /// The main database as it is now, whatever is written later.
    fn snapshot(&self) -> Result<Snapshot<'_>> {
        let _writer = self.writer();
        self.snapshots.take(&*self.kv)
    }

    /// Reads what is committed.
    pub(super) fn view(&self) -> Overlay<'_> {
        Overlay::new(&*self.kv)
    }

    /// One small mutation; durable when it returns if `durable`.
    fn write<R>(
        &self,
        points: [&'static str; 2],
        durable: bool,
        change: impl FnOnce(&mut Tx) -> Result<R>,
    ) -> Result<R> {
        let _writer = self.writer();
        let mut tx = self.tx()?;
        let result = change(&mut tx)?;
        self.commit(tx, points, durable)?;
        Ok(result)
    }

    fn commit(&self, tx: Tx<'_>, points: [&'static str; 2], durable: bool) -> Result<()> {
        let ready = tx.finish()?;
        if !ready.articles.is_empty() {
            abort_point("article-begin");
            self.months.commit(ready.articles)?;
            abort_point("article-commit");
        }
        let Some(decisions) = &self.decisions else {
            return self.commit_main(ready.main, points, durable);
        };
        let length = decisions.append(&ready.decisions)?;
        let done = self.commit_main(ready.main, points, durable);
        if let (Err(_), Some(length)) = (&done, length) {
            decisions.take_back(length);
        }
        done
    }

    fn commit_main(&self, main: Writes, points: [&'static str; 2], durable: bool) -> Result<()> {
        if main.is_empty() {
            return Ok(());
        }
        self.snapshots.before(&*self.kv, &main)?;
        abort_point(points[0]);
        if durable {
            self.kv.commit(main)?;
            abort_point(points[1]);
        } else {
            self.kv.apply(main)?;
        }
        Ok(())
    }
}

/// How often it is said how far an opening is that takes long.
const SAY_EVERY: Duration = Duration::from_secs(5);

/// Abort points of outcomes, and of claims.
const COMMIT: [&str; 2] = ["main-begin", "main-commit"];
const CLAIM: [&str; 2] = ["claim-begin", "claim-commit"];

impl Store for Embedded {
    fn batch(&self) -> Result<Box<dyn Batch + '_>> {
        let writer = self.writer();
        Ok(Box::new(OpenBatch { store: self, tx: self.tx()?, failed: false, _writer: writer }))
    }
    fn put_aside(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn std::io::Write) -> std::io::Result<()>,
    ) -> Result<()> {
        match &self.dir {
            Some(dir) => aside::put(dir, name, write),
            None => Ok(()),
        }
    }
    fn read_aside(&self, name: &str) -> Result<Option<Box<dyn std::io::Read>>> {
        self.dir.as_ref().map_or(Ok(None), |dir| aside::read(dir, name))
    }
    fn meta(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.view().get_bytes(&key(keys::META).text(name).done())
    }
    fn set_meta(&self, name: &str, value: &[u8]) -> Result<()> {
        self.write(COMMIT, true, |tx| tx.put_value(name, value))
    }
    fn verify(&self, each: &mut dyn FnMut(Finding)) -> Result<()> {
        let snapshot = self.snapshot()?;
        let result = verify::verify(self, &snapshot, &mut |sentence| each(Finding(sentence)));
        drop(snapshot);
        result.and(self.erase())
    }
    fn backup(&self, to: &Path) -> Result<()> {
        self.copy_to(to).and(self.erase())
    }
    fn size(&self) -> Result<u64> {
        match &self.dir {
            Some(dir) => Ok(files::bytes_under(dir)),
            None => Ok(self.kv.size()? + self.months.size()?),
        }
    }
    fn lost_months(&self) -> Result<Vec<String>> {
        self.read_lost_months()
    }
    fn damaged_months(&self) -> Result<Vec<String>> {
        self.read_damaged_months()
    }
    fn short_of(&self) -> Result<Option<u64>> {
        let Some(dir) = &self.dir else { return Ok(None) };
        let free = files::free(dir)?;
        Ok(self.min_free.checked_sub(free).filter(|missing| *missing > 0))
    }
    fn flush(&self) -> Result<()> {
        self.kv.flush()
    }
    fn close(&self) -> Result<()> {
        // Whoever writes now is through first.
        let _writer = self.writer();
        self.months.trim();
        self.kv.close()
    }
    fn compact(&self, grown_alone: bool) -> Result<Option<Compaction>> {
        self.compact_databases(grown_alone)
    }
    fn trim(&self) -> Result<()> {
        // Between what is appended and its flush lies no closing.
        let _writer = self.writer();
        self.months.trim();
        Ok(())
    }
    fn wants_compaction(&self) -> Result<bool> {
        self.is_slack()
    }
}
