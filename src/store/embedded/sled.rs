//! Databases of sled, in which stores of earlier versions lie: they are only read, to be moved. Damage
//! and a second process are errors with a sentence, never a panic.
//!
//! Must not know: what the keys and values mean.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::damage::{self, corrupt, quietly};
use super::kv::{Kv, Rows, Writes};
use crate::store::{Result, StoreError};

/// Bytes of its page cache.
const CACHE: u64 = 32 << 20;

pub struct SledKv {
    db: ::sled::Db,
    path: PathBuf,
}

impl SledKv {
    /// Opens the database in `path`.
    pub fn open(path: &Path) -> Result<SledKv> {
        Ok(SledKv { db: Self::open_db(path)?, path: path.to_owned() })
    }

    fn open_db(path: &Path) -> Result<::sled::Db> {
        remove_unfinished_snapshots(path);
        let config = ::sled::Config::new().path(path).cache_capacity(CACHE);
        // A database just closed by this process may hold its own file lock for a moment longer,
        // until sled's background threads have ended.
        let mut patience = 100;
        loop {
            // sled asserts its way through some kinds of damage.
            let opened = quietly(|| config.open());
            return match opened {
                Ok(Ok(db)) => Ok(db),
                Ok(Err(::sled::Error::Io(e)))
                    if patience > 0 && e.to_string().contains("could not acquire lock") =>
                {
                    patience -= 1;
                    std::thread::sleep(Duration::from_millis(20));
                    continue;
                }
                Ok(Err(e)) => Err(named(path, e)),
                Err(panic) => Err(StoreError::Corrupt {
                    path: path.display().to_string(),
                    detail: format!("the database cannot be read ({panic})"),
                }),
            };
        }
    }
}

/// A snapshot that a crash left half written stands in the way of opening, and holds nothing that
/// the log does not.
fn remove_unfinished_snapshots(path: &Path) {
    let Ok(dir) = std::fs::read_dir(path) else { return };
    for file in dir.flatten() {
        let name = file.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            // If it cannot be removed, opening says why.
            let _ = std::fs::remove_file(file.path());
        }
    }
}

fn named(path: &Path, error: ::sled::Error) -> StoreError {
    match error {
        ::sled::Error::Io(source) => damage::of_system(path, source),
        ::sled::Error::Corruption { .. } => corrupt(path, "a page fails its checksum"),
        ::sled::Error::Unsupported(why) => {
            corrupt(path, format!("these are no database files that this crawler can read ({why})"))
        }
        other => corrupt(path, other.to_string()),
    }
}

impl SledKv {
    /// sled asserts its way through some kinds of damage when it reads a page, too.
    fn guarded<R>(&self, call: impl FnOnce() -> ::sled::Result<R>) -> Result<R> {
        match quietly(call) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(e)) => Err(named(&self.path, e)),
            Err(panic) => Err(StoreError::Corrupt {
                path: self.path.display().to_string(),
                detail: format!("a page cannot be read ({panic})"),
            }),
        }
    }
}

impl Kv for SledKv {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.guarded(|| self.db.get(key))?.map(|v| v.to_vec()))
    }

    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        let mut rows = self.db.range(from..to);
        Box::new(std::iter::from_fn(move || {
            let row = self.guarded(|| rows.next().transpose());
            row.map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec()))).transpose()
        }))
    }

    fn apply(&self, _: Writes) -> Result<()> {
        Err(StoreError::Other(format!("{} is only read", self.path.display())))
    }

    fn flush(&self) -> Result<()> {
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        self.guarded(|| self.db.size_on_disk())
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}
