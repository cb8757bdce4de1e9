//! The ordered map on disk: one tree of one sled database, opened so that damage and a second
//! process are errors with a sentence, never a panic.
//!
//! Must not know: what the keys and values mean.

use std::cell::Cell;
use std::fs::TryLockError;
use std::io::{ErrorKind, Read, Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Once, PoisonError, RwLock, RwLockReadGuard, TryLockError as Taken};
use std::time::{Duration, Instant};

use super::compact;
use super::kv::{Kv, Rows, Writes, copy};
use crate::store::{Result, StoreError};

pub struct SledKv {
    /// `None` only if it could not be opened again after a compaction. Readers hold the lock, so
    /// that the files are never exchanged under them.
    db: RwLock<Option<::sled::Db>>,
    path: PathBuf,
    cache: u64,
    flush_every: Duration,
    /// See [`SledKv::noting`].
    note: Option<PathBuf>,
}

/// The right to read; see [`SledKv::db`].
type Reading<'a> = RwLockReadGuard<'a, Option<::sled::Db>>;

/// How long an exchange of the files waits for readers.
const READERS: Duration = Duration::from_secs(30);

impl SledKv {
    /// Opens or creates the database in `path` with a page cache of `cache` bytes.
    pub fn open(path: &Path, cache: u64, flush_every: Duration) -> Result<SledKv> {
        let db = RwLock::new(Some(Self::open_db(path, cache, flush_every)?));
        Ok(SledKv { db, path: path.to_owned(), cache, flush_every, note: None })
    }

    /// Damage that is met in use is noted in this file, so that the next opening looks for it: sled
    /// opens a database of which it has read a part only.
    pub fn noting(self, note: PathBuf) -> SledKv {
        SledKv { note: Some(note), ..self }
    }

    /// Another database with the same settings.
    pub fn sibling(&self, path: &Path) -> Result<SledKv> {
        SledKv::open(path, self.cache, self.flush_every)
    }

    /// Closes the database, exchanges its files and opens it again; `false` if readers did not end
    /// in time, and nothing was done. The caller holds the writer.
    pub fn reopen_after(&self, exchange: &dyn Fn() -> Result<()>) -> Result<bool> {
        let began = Instant::now();
        // Not a waiting write: a reader that looks something up while it scans would wait behind it,
        // and it for the reader.
        let mut db = loop {
            match self.db.try_write() {
                Ok(db) => break db,
                Err(Taken::Poisoned(db)) => break db.into_inner(),
                Err(Taken::WouldBlock) if began.elapsed() > READERS => return Ok(false),
                Err(Taken::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        drop(db.take());
        exchange()?;
        *db = Some(Self::open_db(&self.path, self.cache, self.flush_every)?);
        Ok(true)
    }

    fn reading(&self) -> Result<Reading<'_>> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        match &*db {
            Some(_) => Ok(db),
            None => Err(StoreError::Other(format!(
                "the database {} could not be opened again after its compaction: start again",
                self.path.display()
            ))),
        }
    }

    fn open_db(path: &Path, cache: u64, flush_every: Duration) -> Result<::sled::Db> {
        remove_unfinished_snapshots(path);
        let every = u64::try_from(flush_every.as_millis()).unwrap_or(u64::MAX).max(1);
        let config =
            ::sled::Config::new().path(path).cache_capacity(cache).flush_every_ms(Some(every));
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

thread_local! {
    /// This thread is where sled may panic, and nobody needs to see it.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call that may panic on damaged files; its words instead of a panic, and none of them on
/// standard error.
fn quietly<R>(call: impl FnOnce() -> R) -> std::result::Result<R, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let other = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                other(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(before);
    result.map_err(|panic| panic_text(&*panic))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
        .unwrap_or_else(|| "no reason given".to_owned())
}

fn named(path: &Path, e: ::sled::Error) -> StoreError {
    let path = path.display().to_string();
    match e {
        ::sled::Error::Io(source)
            if matches!(source.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData) =>
        {
            StoreError::Corrupt { path, detail: format!("a file is cut off or garbled ({source})") }
        }
        ::sled::Error::Io(source) => {
            // sled's own words are those of a programmer.
            let known = matches!(
                source.kind(),
                ErrorKind::StorageFull
                    | ErrorKind::QuotaExceeded
                    | ErrorKind::FileTooLarge
                    | ErrorKind::ReadOnlyFilesystem
                    | ErrorKind::PermissionDenied
            );
            let source = if known { source.kind().into() } else { source };
            StoreError::Io { what: format!("database {path}"), source }
        }
        ::sled::Error::Corruption { .. } => {
            StoreError::Corrupt { path, detail: "a page fails its checksum".to_owned() }
        }
        ::sled::Error::Unsupported(why) => StoreError::Corrupt {
            path,
            detail: format!("these are no database files that this crawler can read ({why})"),
        },
        other => StoreError::Corrupt { path, detail: other.to_string() },
    }
}

impl SledKv {
    /// sled asserts its way through some kinds of damage when it reads a page, too.
    fn guarded<R>(&self, call: impl FnOnce(&::sled::Db) -> ::sled::Result<R>) -> Result<R> {
        let db = self.reading()?;
        let Some(db) = &*db else { return Err(StoreError::Other("a closed database".to_owned())) };
        self.quiet(|| call(db))
    }

    fn quiet<R>(&self, call: impl FnOnce() -> ::sled::Result<R>) -> Result<R> {
        let error = match quietly(call) {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(e)) => named(&self.path, e),
            Err(panic) => StoreError::Corrupt {
                path: self.path.display().to_string(),
                detail: format!("a page cannot be read ({panic})"),
            },
        };
        if let (Some(note), StoreError::Corrupt { detail, .. }) = (&self.note, &error) {
            // The caller hears of it anyway.
            let _ = std::fs::write(note, detail);
        }
        Err(error)
    }
}

impl Kv for SledKv {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.guarded(|db| db.get(key))?.map(|v| v.to_vec()))
    }

    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        let db = match self.reading() {
            Ok(db) => db,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        let mut rows = db.as_ref().map(|db| db.range(from..to));
        Box::new(std::iter::from_fn(move || {
            // The right to read is kept as long as the scan.
            let _reading = &db;
            let row = self.quiet(|| rows.as_mut().and_then(Iterator::next).transpose());
            row.map(|row| row.map(|(key, value)| (key.to_vec(), value.to_vec()))).transpose()
        }))
    }

    fn apply(&self, writes: Writes) -> Result<()> {
        let mut batch = ::sled::Batch::default();
        for (key, value) in writes {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        self.guarded(|db| db.apply_batch(batch))
    }

    fn flush(&self) -> Result<()> {
        self.guarded(|db| db.flush()).map(drop)
    }

    fn size(&self) -> Result<u64> {
        self.guarded(::sled::Db::size_on_disk)
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }

    fn compact(&self) -> Result<bool> {
        let copied = |to: &Path| copy(self, &self.sibling(to)?);
        compact::compact(&self.path, &copied, &|exchange| self.reopen_after(exchange))
    }
}

/// The right of one process to a store's directory; given back when dropped.
#[derive(Debug)]
pub struct DirLock {
    _file: std::fs::File,
}

/// What is to be done where a file of the data directory cannot be written.
fn unwritable(dir: &Path, file: &Path, source: std::io::Error) -> StoreError {
    match source.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::Other(format!(
            "the data directory {} cannot be written ({}: {source}): run the crawler as the user it \
             belongs to, make it writable, or use another data_dir",
            dir.display(),
            file.display()
        )),
        _ => StoreError::Io { what: format!("lock file {}", file.display()), source },
    }
}

impl DirLock {
    /// Takes `dir/lock` and writes this process's id into it.
    ///
    /// # Errors
    /// [`StoreError::Locked`] naming the holder's id, if another process (or store) holds it.
    pub fn take(dir: &Path) -> Result<DirLock> {
        let path = dir.join("lock");
        let io = |source| unwritable(dir, &path, source);
        let mut file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The id is a courtesy: without it the message still says what to do.
                let _ = (&file).take(32).read_to_string(&mut holder);
                let pid: Option<u32> = holder.trim().parse().ok();
                return Err(StoreError::Locked {
                    path: dir.display().to_string(),
                    detail: pid.map_or("id unknown".to_owned(), |pid| format!("process {pid}")),
                });
            }
            Err(TryLockError::Error(e)) => return Err(io(e)),
        }
        file.set_len(0).map_err(io)?;
        file.rewind().map_err(io)?;
        writeln!(file, "{}", std::process::id()).map_err(io)?;
        file.sync_all().map_err(io)?;
        Ok(DirLock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_written_says_what_to_do() {
        let said = |kind: ErrorKind| {
            unwritable(Path::new("data"), Path::new("data/lock"), kind.into()).to_string()
        };
        for kind in [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem] {
            let said = said(kind);
            assert!(said.contains("data directory data cannot be written"), "{said}");
            assert!(said.contains("as the user it belongs to"), "{said}");
        }
        assert!(said(ErrorKind::NotFound).starts_with("lock file data/lock: "));
    }
}
