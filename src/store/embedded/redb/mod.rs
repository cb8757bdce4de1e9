//! The ordered map on disk: one table of one redb file, opened so that damage is an error with a
//! sentence, never a panic.
//!
//! Must not know: what the keys and values mean.

pub mod length;

use std::cell::Cell;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::{Duration, Instant};

use ::redb::{
    Database, Durability, ReadOnlyDatabase, ReadTransaction, ReadableDatabase,
    ReadableTableMetadata, TableDefinition, TransactionError, WriteTransaction,
};

use super::damage::{self, corrupt, quietly};
use super::kv::{Kv, Rows, Writes, copy, is_whole};
use super::{SAY_EVERY, compact, files, journal};
use crate::store::{Result, StoreError};

/// The file in the map's folder.
pub const FILE: &str = "rows.redb";
/// Its name until it is whole: a kill leaves no half of a file under the other one.
const MAKING: &str = "rows.making";
const TABLE: TableDefinition<&[u8], &[u8]> = TableDefinition::new("rows");
/// The epoch of the journal beside it: what stands there of this one is newer than the rows.
const EPOCH: TableDefinition<(), u64> = TableDefinition::new("journal");
/// How long an exchange of the files waits for readers.
const READERS: Duration = Duration::from_secs(30);
/// The same for closing.
const LAST_READERS: Duration = Duration::from_secs(2);

pub struct RedbKv {
    /// `None` only if it could not be opened again after a compaction. Readers hold the lock, so
    /// that the files are never exchanged under them.
    db: RwLock<Option<Held>>,
    /// The folder.
    path: PathBuf,
    cache: u64,
    /// See [`RedbKv::noting`].
    note: Option<PathBuf>,
}

/// The file, for writing or for reading alone.
enum Held {
    Write(Database),
    Read(ReadOnlyDatabase),
}

impl Held {
    fn begin_read(&self) -> std::result::Result<ReadTransaction, TransactionError> {
        match self {
            Held::Write(db) => db.begin_read(),
            Held::Read(db) => db.begin_read(),
        }
    }

    fn begin_write(&self) -> std::result::Result<WriteTransaction, ::redb::Error> {
        match self {
            Held::Write(db) => Ok(db.begin_write()?),
            Held::Read(_) => Err(::redb::Error::Io(ErrorKind::ReadOnlyFilesystem.into())),
        }
    }

    fn close(self) -> std::result::Result<(), ::redb::Error> {
        match self {
            Held::Write(db) => Ok(db.close()?),
            Held::Read(db) => Ok(db.close()?),
        }
    }
}

/// Is there a map in this folder, or the beginning of one?
pub fn is_begun(path: &Path) -> bool {
    is_map(path) || path.join(MAKING).exists()
}

/// Is there a map in this folder?
pub fn is_map(path: &Path) -> bool {
    path.join(FILE).exists()
}

fn named(path: &Path, error: ::redb::Error) -> StoreError {
    match error {
        ::redb::Error::Io(source) => damage::of_system(path, source),
        ::redb::Error::PreviousIo | ::redb::Error::DatabaseClosed => StoreError::Other(format!(
            "an earlier write to the database {} failed: start again",
            path.display()
        )),
        other => corrupt(path, other.to_string()),
    }
}

impl RedbKv {
    /// Opens or creates the map in the folder `path` with a cache of `cache` bytes. What a journal beside it
    /// holds is taken over.
    pub fn open(path: &Path, cache: u64) -> Result<RedbKv> {
        RedbKv::with(path, cache, false, false)
    }

    /// The same of a map that nobody uses, for reading alone: nothing in its folder is written, unless it was not closed.
    pub fn open_unused(path: &Path, cache: u64) -> Result<RedbKv> {
        let mut builder = Database::builder();
        builder.set_cache_size(usize::try_from(cache).unwrap_or(usize::MAX));
        let open = || {
            let db = builder.open_read_only(path.join(FILE))?;
            Ok::<_, ::redb::Error>(has_table(&db)?.then_some(db))
        };
        let has_journal = path.join(journal::FILE).exists();
        let db = if has_journal {
            None
        } else {
            quietly(open).ok().and_then(std::result::Result::ok).flatten()
        };
        match db {
            Some(db) => {
                let db = RwLock::new(Some(Held::Read(db)));
                Ok(RedbKv { db, path: path.to_owned(), cache, note: None })
            }
            // Says what is wrong, or mends it.
            None => RedbKv::open(path, cache),
        }
    }

    /// The same, but every page is read first: a file that was altered is told at once.
    pub fn open_checked(path: &Path, cache: u64) -> Result<RedbKv> {
        RedbKv::with(path, cache, true, false)
    }

    /// The same, but of a damaged journal all that can be read is taken.
    pub fn open_damaged(path: &Path, cache: u64) -> Result<RedbKv> {
        RedbKv::with(path, cache, true, true)
    }

    fn with(path: &Path, cache: u64, check: bool, damaged: bool) -> Result<RedbKv> {
        let db = RwLock::new(Some(Held::Write(open_file(path, cache, check)?)));
        let map = RedbKv { db, path: path.to_owned(), cache, note: None };
        map.take_journal(damaged)?;
        Ok(map)
    }

    /// Takes over what the journal of an unclean end holds.
    fn take_journal(&self, damaged: bool) -> Result<()> {
        let file = self.path.join(journal::FILE);
        if !file.exists() {
            return Ok(());
        }
        let io = |error| damage::of_system(&self.path, error);
        if let Some(epoch) = self.epoch()? {
            let found = journal::read(&self.path, epoch).map_err(io)?;
            if let Some(at) = found.damaged.filter(|_| !damaged) {
                let detail = format!("its journal is damaged at byte {at}");
                return Err(StoreError::Corrupt { path: self.place(), detail });
            }
            self.take_over(&found.writes, None)?;
        }
        std::fs::remove_file(file).map_err(io)
    }

    fn epoch(&self) -> Result<Option<u64>> {
        self.guarded(|db| match db.begin_read()?.open_table(EPOCH) {
            Ok(table) => Ok(table.get(())?.map(|epoch| epoch.value())),
            Err(::redb::TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(error.into()),
        })
    }

    /// Writes what the journal of an epoch held; durable when it returns. `next`: the epoch of what it will hold
    /// from now on, if there is one.
    pub fn take_over(&self, writes: &Writes, next: Option<u64>) -> Result<()> {
        self.write(writes, Durability::Immediate, |write| {
            let mut table = write.open_table(EPOCH)?;
            match next {
                Some(epoch) => drop(table.insert((), epoch)?),
                None => drop(table.remove(())?),
            }
            Ok(())
        })
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.path
    }

    /// Damage that is met in use is noted in this file, for later openings.
    pub fn noting(mut self, note: PathBuf) -> RedbKv {
        self.note = Some(note);
        self
    }

    fn reading(&self) -> Result<RwLockReadGuard<'_, Option<Held>>> {
        Ok(self.db.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn guarded<R>(
        &self,
        call: impl FnOnce(&Held) -> std::result::Result<R, ::redb::Error>,
    ) -> Result<R> {
        let db = self.reading()?;
        let Some(db) = &*db else { return Err(self.closed()) };
        self.quiet(|| call(db))
    }

    fn closed(&self) -> StoreError {
        StoreError::Other(format!(
            "the database {} is closed: the process ends, or could not open it again after a compaction; \
             start again",
            self.path.display()
        ))
    }

    fn quiet<R>(&self, call: impl FnOnce() -> std::result::Result<R, ::redb::Error>) -> Result<R> {
        let error = match quietly(call) {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(error)) => named(&self.path, error),
            Err(panic) => return Err(self.corrupt(format!("a page cannot be read ({panic})"))),
        };
        if let StoreError::Corrupt { detail, .. } = &error {
            self.suspect(detail);
        }
        Err(error)
    }

    /// Damage that is met in use.
    fn corrupt(&self, detail: String) -> StoreError {
        self.suspect(&detail);
        StoreError::Corrupt { path: self.path.display().to_string(), detail }
    }

    /// One transaction of `writes`, and of what is done `beside` them.
    fn write(
        &self,
        writes: &Writes,
        durability: Durability,
        beside: impl FnOnce(&WriteTransaction) -> std::result::Result<(), ::redb::Error>,
    ) -> Result<()> {
        self.guarded(|db| {
            let mut write = db.begin_write()?;
            write.set_durability(durability)?;
            // What is durable is opened after a crash without being read whole.
            write.set_quick_repair(matches!(durability, Durability::Immediate));
            if !writes.is_empty() {
                let mut table = write.open_table(TABLE)?;
                for (key, value) in writes {
                    match value {
                        Some(value) => drop(table.insert(key.as_slice(), value.as_slice())?),
                        None => drop(table.remove(key.as_slice())?),
                    }
                }
            }
            beside(&write)?;
            Ok(write.commit()?)
        })
    }

    /// The right to exchange the file; `None` if readers do not end within `patience`.
    fn alone(&self, patience: Duration) -> Option<RwLockWriteGuard<'_, Option<Held>>> {
        let began = Instant::now();
        loop {
            match self.db.try_write() {
                Ok(db) => return Some(db),
                Err(TryLockError::Poisoned(db)) => return Some(db.into_inner()),
                Err(TryLockError::WouldBlock) if began.elapsed() > patience => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Closes the file, exchanges it and opens it again; `false` if readers did not end in time, and
    /// nothing was done.
    fn reopen_after(&self, exchange: &dyn Fn() -> Result<()>) -> Result<bool> {
        let Some(mut db) = self.alone(READERS) else { return Ok(false) };
        drop(db.take());
        exchange()?;
        *db = Some(Held::Write(open_file(&self.path, self.cache, false)?));
        Ok(true)
    }
}

fn has_table(db: &impl ReadableDatabase) -> std::result::Result<bool, ::redb::Error> {
    match db.begin_read()?.open_table(TABLE) {
        Ok(_) => Ok(true),
        Err(::redb::TableError::TableDoesNotExist(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn open_file(path: &Path, cache: u64, check: bool) -> Result<Database> {
    let io = |source| StoreError::Io { what: format!("folder {}", path.display()), source };
    std::fs::create_dir_all(path).map_err(io)?;
    let (file, making) = (path.join(FILE), path.join(MAKING));
    let new = !file.exists();
    if new && making.exists() {
        std::fs::remove_file(&making).map_err(io)?;
    }
    let mut builder = Database::builder();
    let (place, said) = (path.display().to_string(), Cell::new(Instant::now()));
    let repaired = Arc::new(AtomicBool::new(false));
    let repairing = repaired.clone();
    builder.set_repair_callback(move |repair| {
        repairing.store(true, Ordering::Relaxed);
        // After a crash every page is read, if what was written last was not handed over by a journal.
        if said.get().elapsed() > SAY_EVERY {
            said.set(Instant::now());
            tracing::warn!(
                "{place} was not closed: {:.0} % of it are read",
                repair.progress() * 100.0
            );
        }
    });
    builder.set_cache_size(usize::try_from(cache).unwrap_or(usize::MAX));
    builder.set_check_integrity_on_open(check);
    let open = || {
        let db = builder.create(if new { &making } else { &file })?;
        // What was closed is opened without a write; so is what is opened again after a crash. Only after
        // every page was read something is committed, so that this is not done again.
        let is_ready = !new && !repaired.load(Ordering::Relaxed) && has_table(&db)?;
        if !is_ready {
            let mut write = db.begin_write()?;
            write.set_quick_repair(true);
            write.open_table(TABLE)?;
            write.commit()?;
        }
        Ok::<_, ::redb::Error>(db)
    };
    match quietly(open) {
        Ok(Ok(db)) => {
            if new {
                std::fs::rename(&making, &file).map_err(io)?;
            }
            // Without its names a file is lost in a power cut, whatever of it is on the disk.
            let named = |folder: &&Path| new && !folder.as_os_str().is_empty();
            for folder in [Some(path), path.parent()].into_iter().flatten().filter(named) {
                File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
            }
            Ok(db)
        }
        Ok(Err(error)) => Err(named(path, error)),
        Err(panic) => Err(StoreError::Corrupt {
            path: path.display().to_string(),
            detail: format!("the database cannot be read ({panic})"),
        }),
    }
}

impl Drop for RedbKv {
    /// Closing writes, and may meet damage; the next opening looks for it.
    fn drop(&mut self) {
        let db = self.db.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let _ = self.quiet(|| db.map_or(Ok(()), Held::close));
    }
}

impl Kv for RedbKv {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.guarded(|db| {
            let table = db.begin_read()?.open_table(TABLE)?;
            let value = table.get_owned(key)?;
            Ok(value.map(|value| value.value().to_vec()))
        })
    }

    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        if from >= to {
            return Box::new(std::iter::empty());
        }
        let begun = self.reading().and_then(|guard| {
            let Some(db) = &*guard else { return Err(self.closed()) };
            let (range, rows) = self.quiet(|| {
                let table = db.begin_read()?.open_table(TABLE)?;
                let rows = table.len()?;
                Ok((table.range_owned(from..to)?, rows))
            })?;
            Ok((guard, range, rows))
        });
        let (guard, mut range, rows) = match begun {
            Ok(begun) => begun,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        let whole = is_whole(from, to);
        let (mut ended, mut seen, mut last) = (false, 0, None);
        Box::new(std::iter::from_fn(move || {
            // The right to read is kept as long as the scan.
            let _reading = &guard;
            if ended {
                return None;
            }
            let row = self.quiet(|| {
                let row = range.next().transpose()?;
                Ok(row.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())))
            });
            let row = match row {
                Ok(Some((key, _))) if last.as_ref().is_some_and(|last| *last >= key) => {
                    Err(self.corrupt("its rows are out of order".to_owned()))
                }
                Ok(None) if whole && seen != rows => {
                    Err(self.corrupt(format!("it gives {seen} rows and should have {rows}")))
                }
                row => row,
            };
            match &row {
                Ok(Some((key, _))) => {
                    seen += 1;
                    last = Some(key.clone());
                }
                _ => ended = true,
            }
            row.transpose()
        }))
    }

    fn apply(&self, writes: Writes) -> Result<()> {
        if writes.is_empty() {
            return Ok(());
        }
        // [`Kv::flush`] makes it durable.
        self.write(&writes, Durability::None, |_| Ok(()))
    }

    /// One transaction: redb would write its own tables twice for two.
    fn commit(&self, writes: Writes) -> Result<()> {
        self.write(&writes, Durability::Immediate, |_| Ok(()))
    }

    fn flush(&self) -> Result<()> {
        self.commit(Writes::new())
    }

    /// What is not closed is read whole when it is opened again.
    fn close(&self) -> Result<()> {
        let Some(mut db) = self.alone(LAST_READERS) else { return self.flush() };
        let db = db.take();
        self.quiet(|| db.map_or(Ok(()), Held::close))
    }

    fn size(&self) -> Result<u64> {
        Ok(files::bytes_under(&self.path))
    }

    fn rows(&self) -> Result<Option<u64>> {
        self.guarded(|db| Ok(Some(db.begin_read()?.open_table(TABLE)?.len()?)))
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }

    fn suspect(&self, detail: &str) {
        if let Some(note) = &self.note {
            // The caller hears of it anyway.
            let _ = std::fs::write(note, detail);
        }
    }

    fn compact(&self) -> Result<bool> {
        let (bytes, place) = (self.size()?, self.place());
        files::need(&self.path, bytes, &format!("the compaction of {place}"))?;
        tracing::info!(
            "{place} is compacted: up to {} MiB more of the disk for a while",
            bytes >> 20
        );
        let copied = |to: &Path| copy(self, &RedbKv::open(to, self.cache)?);
        compact::compact(&self.path, &copied, &|exchange| self.reopen_after(exchange))
    }
}

#[cfg(test)]
mod tests;
