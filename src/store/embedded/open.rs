//! Opening the embedded store: its format, what a crash left behind, a clock that was set back.
//!
//! Must not know: what the records are for.

use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use super::files::{self, ARTICLES, MAIN, MARKER, REPAIRING, SUSPECT};
use super::format::keys::{self, key};
use super::format::{check_format, format_record, unseal};
use super::journaled::Journaled;
use super::lock::DirLock;
use super::months::Months;
use super::moving;
use super::redb::{RedbKv, is_map};
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::embedded::decisions::Decisions;
use crate::store::embedded::kv::Kv;
use crate::store::embedded::ram::RamKv;
use crate::store::embedded::snapshot::Snapshots;
use crate::store::{FORMAT, Result, Settings, StoreError};

impl Embedded {
    pub fn memory() -> Embedded {
        let store = Embedded {
            kv: Box::new(RamKv::default()),
            months: Months::new(None, &Settings::default()),
            writer: Mutex::new(()),
            snapshots: Snapshots::default(),
            doubt: Mutex::default(),
            decisions: None,
            dir: None,
            small: 0,
            min_free: 0,
            _lock: None,
        };
        store.kv.apply(format_record()).expect("a map in memory takes every write");
        store
    }

    pub fn open(dir: &Path, settings: &Settings) -> Result<Embedded> {
        let main = dir.join(MAIN);
        let is_there = dir.join(MARKER).is_file() || is_map(&main) || moving::is_old(&main);
        files::make_private(dir, is_there)?;
        let lock = DirLock::take(dir)?;
        if dir.join(REPAIRING).exists() {
            let detail = "a repair of it was cut short".to_owned();
            return Err(StoreError::Corrupt { path: dir.display().to_string(), detail });
        }
        moving::recover(&dir.join(MAIN))?;
        moving::recover_all(&dir.join(ARTICLES))?;
        let cache = cache(settings);
        // One that has lost its records is told below.
        let known = |old: &dyn Kv| match old.get(&key(keys::FORMAT).done())? {
            Some(_) => check_format(old),
            None => Ok(()),
        };
        moving::move_store(dir, cache, &known)?;
        let kv = open_main(dir, cache)?.noting(dir.join(SUSPECT));
        let marker = dir.join(MARKER);
        if marker.exists() && kv.get(&key(keys::FORMAT).done())?.is_none() {
            let detail = "its main database has lost its records".to_owned();
            return Err(StoreError::Corrupt { path: dir.display().to_string(), detail });
        }
        check_format(&kv)?;
        let said = kv.get(&key(keys::FORMAT).done())?;
        let store = Embedded::over(kv, dir, settings, lock);
        if said.is_none_or(|said| said != FORMAT.to_be_bytes()) {
            store.order_stories()?;
            // From here on no program of before understands every row.
            store.kv.apply(format_record())?;
            store.kv.flush()?;
        }
        std::fs::write(&marker, format!("{FORMAT}\n")).map_err(|source| StoreError::Io {
            what: format!("file {}", marker.display()),
            source,
        })?;
        let now = settings.now.unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Millis::try_from(now.as_millis()).unwrap_or(Millis::MAX)
        });
        store.write(COMMIT, true, |tx| {
            tx.begin_log()?;
            if settings.now.is_some() {
                store.set_doubt(tx.doubt(now)?);
            }
            if settings.now.is_some()
                && let Some(behind) = tx.behind(now)?
            {
                tracing::warn!(
                    "the clock is {} s behind the last work in the store, so it was set back; the \
                     schedule is moved along",
                    behind / SECOND
                );
                tx.shift(-behind)?;
                tx.claimed_at(now)?;
            }
            tx.recover_leases(now, settings.unknown_delay.0)
        })?;
        store.drop_retired()?;
        store.keep_decisions()?;
        store.take_history()?;
        store.look_for_months()?;
        store.erase()?;
        store.move_vectors()?;
        Ok(store)
    }

    /// The store in `dir` over its open main database.
    pub(super) fn over(kv: RedbKv, dir: &Path, settings: &Settings, lock: DirLock) -> Embedded {
        Embedded {
            kv: Box::new(Journaled::over(kv, settings.flush_every.duration())),
            months: Months::new(Some(&dir.join(ARTICLES)), settings),
            writer: Mutex::new(()),
            snapshots: Snapshots::default(),
            doubt: Mutex::default(),
            decisions: Some(Decisions::new(dir)),
            dir: Some(dir.to_owned()),
            small: settings.compact_mib << 20,
            min_free: settings.min_free_mib << 20,
            _lock: Some(lock),
        }
    }

    /// Makes sure that the second copy of what was decided is there and not too long.
    fn keep_decisions(&self) -> Result<()> {
        let Some(decisions) = &self.decisions else { return Ok(()) };
        if decisions.exists() {
            return decisions.tidy();
        }
        self.write_decisions()
    }
}

/// Bytes of main's cache.
pub(super) fn cache(settings: &Settings) -> u64 {
    settings.cache_mib.max(1) << 20
}

/// Opens main; all of it is checked if something in it could not be read when it was last used.
fn open_main(dir: &Path, cache: u64) -> Result<RedbKv> {
    let (main, note) = (dir.join(MAIN), dir.join(SUSPECT));
    if !note.exists() {
        return RedbKv::open(&main, cache);
    }
    tracing::warn!("a part of {} could not be read lately: all of it is read", main.display());
    let kv = RedbKv::open_checked(&main, cache)?;
    for row in kv.scan(&[], &[0xff; 64]) {
        let (at, value) = row?;
        if at != key(keys::FORMAT).done() {
            unseal(&at, &value).map_err(|e| StoreError::Corrupt {
                path: kv.place(),
                detail: format!("{} {e}", keys::describe(&at)),
            })?;
        }
    }
    std::fs::remove_file(&note)
        .map_err(|source| StoreError::Io { what: format!("file {}", note.display()), source })?;
    Ok(kv)
}
