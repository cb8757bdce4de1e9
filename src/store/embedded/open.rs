//! Opening the embedded store: its format, what a crash left behind, a clock that was set back.
//!
//! Must not know: what the records are for.

use std::path::Path;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use super::keys::{self, key};
use super::{ARTICLES, COMMIT, Embedded, MAIN, MARKER, REPAIRING, SUSPECT};
use crate::model::*;
use crate::store::compact;
use crate::store::decisions::Decisions;
use crate::store::files;
use crate::store::kv::{Kv, Writes};
use crate::store::memory::MemoryKv;
use crate::store::months::Months;
use crate::store::sled::{DirLock, SledKv};
use crate::store::snapshot::Snapshots;
use crate::store::{FORMAT, Result, Settings, StoreError};

impl Embedded {
    pub fn memory() -> Embedded {
        let store = Embedded {
            kv: Box::new(MemoryKv::default()),
            months: Months::new(None, &Settings::default()),
            writer: Mutex::new(()),
            snapshots: Snapshots::default(),
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
        files::make_private(dir)?;
        let lock = DirLock::take(dir)?;
        if dir.join(REPAIRING).exists() {
            let detail = "a repair of it was cut short".to_owned();
            return Err(StoreError::Corrupt { path: dir.display().to_string(), detail });
        }
        compact::settle(&dir.join(MAIN))?;
        compact::settle_all(&dir.join(ARTICLES))?;
        let cache = settings.cache_mib.max(1) << 20;
        let kv = SledKv::open(&dir.join(MAIN), cache, settings.flush_every.duration())?
            .noting(dir.join(SUSPECT));
        let marker = dir.join(MARKER);
        if marker.exists() && kv.get(&key(keys::FORMAT).done())?.is_none() {
            // To sled, a log that is unreadable from its beginning is an empty one.
            let detail = "its main database has lost its records".to_owned();
            return Err(StoreError::Corrupt { path: dir.display().to_string(), detail });
        }
        check_format(&kv)?;
        settle_suspicion(&kv, &dir.join(SUSPECT))?;
        std::fs::write(&marker, format!("{FORMAT}\n")).map_err(|source| StoreError::Io {
            what: format!("file {}", marker.display()),
            source,
        })?;
        let store = Embedded::over(kv, dir, settings, lock);
        let now = settings.now.unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            Millis::try_from(now.as_millis()).unwrap_or(Millis::MAX)
        });
        store.write(COMMIT, true, |tx| {
            tx.begin_log()?;
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
        store.erase()?;
        store.keep_decisions()?;
        store.look_for_months()?;
        Ok(store)
    }

    /// The store in `dir` over its open main database.
    pub(in crate::store) fn over(
        kv: SledKv,
        dir: &Path,
        settings: &Settings,
        lock: DirLock,
    ) -> Embedded {
        Embedded {
            kv: Box::new(kv),
            months: Months::new(Some(&dir.join(ARTICLES)), settings),
            writer: Mutex::new(()),
            snapshots: Snapshots::default(),
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

/// Reads every record of a main in which something could not be read when it was last used.
fn settle_suspicion(kv: &dyn Kv, note: &Path) -> Result<()> {
    if !note.exists() {
        return Ok(());
    }
    tracing::warn!("a part of {} could not be read lately: every record is read", kv.place());
    kv.scan(&[], &[0xff; 64]).try_for_each(|row| row.map(drop))?;
    std::fs::remove_file(note)
        .map_err(|source| StoreError::Io { what: format!("file {}", note.display()), source })
}

fn format_record() -> Writes {
    Writes::from([(key(keys::FORMAT).done(), Some(FORMAT.to_be_bytes().to_vec()))])
}

/// Refuses a store of another format; writes the format of a new one.
pub(in crate::store) fn check_format(kv: &dyn Kv) -> Result<()> {
    let found = match kv.get(&key(keys::FORMAT).done())? {
        Some(found) => found,
        None if kv.scan(&[0], &[0xff]).next().is_none() => {
            kv.apply(format_record())?;
            return kv.flush();
        }
        None => {
            let detail = "it has records but no format record".to_owned();
            return Err(StoreError::Corrupt { path: kv.place(), detail });
        }
    };
    match <[u8; 4]>::try_from(found.as_slice()).map(u32::from_be_bytes) {
        Ok(FORMAT) => Ok(()),
        Ok(found) if found > FORMAT => {
            Err(StoreError::Newer { path: kv.place(), found, known: FORMAT })
        }
        Ok(found @ 1..) => Err(StoreError::Older { path: kv.place(), found, known: FORMAT }),
        _ => {
            let detail = "its format record is not one".to_owned();
            Err(StoreError::Corrupt { path: kv.place(), detail })
        }
    }
}
