//! The ordered map on disk, a log-structured merge tree (O'Neil et al. 1996): a batch is appended to a
//! journal and held in memory; when that is full, its rows become a sheet, a sorted file that is never
//! changed; sheets are merged from level to level, each ten times as large as the one before. So what
//! is overwritten gives its room back a few files at a time, and memory holds the latest rows, a cache
//! of so many bytes and two keys for each file.
//!
//! Must not know: what the keys and values mean.

mod cache;
mod chunk;
mod journal;
mod levels;
mod scan;
mod settle;
mod sheet;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use self::cache::Cache;
use self::journal::{EMPTY, Journal};
use self::levels::{LIST, Levels, Listed};
use self::scan::Scan;
use self::sheet::{Piece, Sheet, path_of};
use super::kv::{Kv, Rows, Writes};
use crate::store::{Result, StoreError};

/// What a map is made for.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Bytes of the cache.
    pub cache: u64,
    /// Bytes of the latest rows that are held in memory, at most by one batch more.
    pub recent: usize,
    /// Plain bytes of a chunk: what is read and unpacked for one row.
    pub chunk: usize,
    /// Compression of chunks; `None`: the values are compressed already.
    pub level: Option<i32>,
    /// Longest time that a write which nobody waits for stays unflushed, if others follow it.
    pub flush_every: Duration,
}

impl Shape {
    /// Many small rows.
    pub fn rows(cache: u64, flush_every: Duration) -> Shape {
        Shape { cache, recent: 4 << 20, chunk: 4 << 10, level: Some(1), flush_every }
    }

    /// Records of kilobytes, compressed each.
    pub fn records(cache: u64, flush_every: Duration) -> Shape {
        Shape { cache, recent: 1 << 20, chunk: 8 << 10, level: None, flush_every }
    }
}

/// A key and what was written there; `None`: it was removed.
type Latest = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// What readers see.
struct State {
    /// What the journal holds.
    recent: Latest,
    bytes: usize,
    levels: Arc<Levels>,
}

/// What the one writer holds.
struct Writing {
    journal: Journal,
    journal_number: u64,
    /// Number of the next file.
    next: u64,
    /// By level: the last key of the sheet that was merged last.
    merged: Vec<Vec<u8>>,
    /// A merge has failed: it is not tried again before the next sheet.
    tired: bool,
    flushed: Instant,
}

pub struct DiskKv {
    path: PathBuf,
    shape: Shape,
    cache: Arc<Cache<Piece>>,
    state: RwLock<State>,
    writing: Mutex<Writing>,
    /// See [`DiskKv::noting`].
    note: Option<PathBuf>,
}

fn corrupt(path: &Path, what: &str) -> StoreError {
    StoreError::Corrupt { path: path.display().to_string(), detail: format!("it {what}") }
}

fn io(path: &Path, source: std::io::Error) -> StoreError {
    match source.kind() {
        ErrorKind::UnexpectedEof => corrupt(path, "is cut off"),
        ErrorKind::NotFound => corrupt(path, "is missing"),
        // The system's own words have a number at their end.
        ErrorKind::StorageFull
        | ErrorKind::QuotaExceeded
        | ErrorKind::FileTooLarge
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::PermissionDenied => {
            let source = source.kind().into();
            StoreError::Io { what: format!("file {}", path.display()), source }
        }
        _ => StoreError::Io { what: format!("file {}", path.display()), source },
    }
}

/// A journal that is not needed any more, for its room.
fn spare_path(dir: &Path) -> PathBuf {
    dir.join("spare")
}

fn journal_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:08}.journal"))
}

/// The numbers of all files with this ending.
fn numbers(dir: &Path, ending: &str) -> Vec<u64> {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut numbers: Vec<u64> = files
        .filter_map(|file| file.file_name().to_str()?.strip_suffix(ending)?.parse().ok())
        .collect();
    numbers.sort_unstable();
    numbers
}

/// Is there a map in this folder, or what is left of one?
pub fn is_map(dir: &Path) -> bool {
    let holds = |number: &u64| {
        // A crash at the very beginning leaves a journal without rows.
        std::fs::metadata(journal_path(dir, *number)).is_ok_and(|meta| meta.len() > EMPTY)
    };
    dir.join(LIST).exists()
        || !numbers(dir, ".sheet").is_empty()
        || numbers(dir, ".journal").iter().any(holds)
}

impl DiskKv {
    /// Opens or creates the map in the folder `path`. One process at a time: the caller sees to that.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`]: a file is missing, cut off or garbled. What is inside of sheets is read
    /// later.
    pub fn open(path: &Path, shape: Shape) -> Result<DiskKv> {
        let plain = |source| StoreError::Io { what: format!("folder {}", path.display()), source };
        std::fs::create_dir_all(path).map_err(plain)?;
        if !path.join(LIST).exists() {
            if is_map(path) {
                return Err(corrupt(&path.join(LIST), "is missing"));
            }
            drop(Journal::create(journal_path(path, 1), 1, None)?);
            Listed { journal: 1, next: 2, levels: Vec::new() }.write(path)?;
        }
        let listed = Listed::read(path)?;
        let levels = Levels::of(path, &listed);
        levels.sheets().try_for_each(|sheet| sheet.check())?;
        let known: Vec<u64> = levels.sheets().map(|sheet| sheet.about.number).collect();
        let mut next = listed.next;
        for number in numbers(path, ".sheet") {
            next = next.max(number + 1);
            if !known.contains(&number) {
                // Of a merge that a crash has cut short, or merged since.
                std::fs::remove_file(path_of(path, number)).map_err(plain)?;
            }
        }
        let (mut recent, mut journal) = (Latest::new(), None);
        for number in numbers(path, ".journal") {
            next = next.max(number + 1);
            if number < listed.journal {
                std::fs::remove_file(journal_path(path, number)).map_err(plain)?;
                continue;
            }
            let opened = Journal::open(journal_path(path, number), number, &mut |key, value| {
                recent.insert(key, value);
            })?;
            journal = Some((number, opened));
        }
        let Some((journal_number, journal)) = journal else {
            return Err(corrupt(&journal_path(path, listed.journal), "is missing"));
        };
        let bytes = recent.iter().map(|(key, value)| weight(key, value.as_deref())).sum();
        let (merged, flushed) = (Vec::new(), Instant::now());
        let writing = Writing { journal, journal_number, next, merged, tired: false, flushed };
        let kv = DiskKv {
            path: path.to_owned(),
            cache: Arc::new(Cache::new(shape.cache)),
            shape,
            state: RwLock::new(State { recent, bytes, levels: Arc::new(levels) }),
            writing: Mutex::new(writing),
            note: None,
        };
        if journal_number != listed.journal {
            // A crash came between a new journal and its place in the list.
            kv.turn(&mut kv.writing())?;
        }
        Ok(kv)
    }

    /// Damage that is met in use is noted in this file, so that the next opening looks for it: a map is
    /// opened without reading its sheets.
    pub fn noting(mut self, note: PathBuf) -> DiskKv {
        self.note = Some(note);
        self
    }

    /// Makes a map that opens of what can be read of a damaged one: sheets that are whole as far as
    /// their index, in the order in which they were written if the list of them is lost, and the
    /// journals' whole batches.
    pub fn mend(path: &Path, shape: Shape) -> Result<()> {
        let plain = |source| StoreError::Io { what: format!("folder {}", path.display()), source };
        let cache = Cache::new(0);
        let readable = |about: &sheet::About| Sheet::new(path, about.clone()).guide(&cache).is_ok();
        let listed = match Listed::read(path) {
            Ok(mut listed) => {
                for level in &mut listed.levels {
                    level.retain(readable);
                }
                listed
            }
            Err(_) => {
                let found = numbers(path, ".sheet").into_iter();
                let found = found.filter_map(|number| Sheet::find(path, number, &cache)).collect();
                Listed { journal: 0, next: 0, levels: vec![found] }
            }
        };
        let mut writes = Writes::new();
        let journals = numbers(path, ".journal");
        for number in journals.iter().filter(|number| **number >= listed.journal) {
            Journal::salvage(&journal_path(path, *number), *number, &mut |key, value| {
                writes.insert(key, value);
            });
        }
        for number in &journals {
            std::fs::remove_file(journal_path(path, *number)).map_err(plain)?;
        }
        let used = journals.into_iter().chain(numbers(path, ".sheet")).max().unwrap_or(0);
        let journal = used.max(listed.next) + 1;
        Journal::create(journal_path(path, journal), journal, None)?;
        Listed { journal, next: journal + 1, ..listed }.write(path)?;
        DiskKv::open(path, shape)?.apply(writes)
    }

    fn writing(&self) -> MutexGuard<'_, Writing> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes damage that a call has met.
    fn noted<R>(&self, result: Result<R>) -> Result<R> {
        if let (Some(note), Err(StoreError::Corrupt { detail, .. })) = (&self.note, &result) {
            // The caller hears of it anyway.
            let _ = std::fs::write(note, detail);
        }
        result
    }

    /// Lets readers see a batch that is in the journal.
    fn take_in(&self, writes: Writes) {
        // What was written lately, and is removed before it came into a sheet, leaves no trace: queues
        // would else consist of such traces.
        let mut traceless = Vec::new();
        for (key, _) in writes.iter().filter(|(_, value)| value.is_none()) {
            let levels = {
                let state = self.state();
                let lately = state.recent.get(key).is_some_and(Option::is_some);
                lately.then(|| state.levels.clone())
            };
            if levels.is_some_and(|levels| matches!(levels.get(&self.cache, key), Ok(None))) {
                traceless.push(key.clone());
            }
        }
        let mut state = self.change();
        for (key, value) in writes {
            state.bytes += weight(&key, value.as_deref());
            let length = key.len();
            let old = match value {
                None if traceless.binary_search(&key).is_ok() => {
                    state.bytes -= length;
                    state.recent.remove(&key)
                }
                value => state.recent.insert(key, value),
            };
            if let Some(old) = old {
                state.bytes = state.bytes.saturating_sub(length + old.map_or(0, |old| old.len()));
            }
        }
    }
}

/// Bytes that a row counts in memory.
fn weight(key: &[u8], value: Option<&[u8]>) -> usize {
    key.len() + value.map_or(0, <[u8]>::len)
}

impl Kv for DiskKv {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let levels = {
            let state = self.state();
            if let Some(value) = state.recent.get(key) {
                return Ok(value.clone());
            }
            state.levels.clone()
        };
        self.noted(levels.get(&self.cache, key))
    }

    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        let mut scan = Scan::new(self, from, to);
        Box::new(std::iter::from_fn(move || self.noted(scan.next()).transpose()))
    }

    fn apply(&self, writes: Writes) -> Result<()> {
        if writes.is_empty() {
            return Ok(());
        }
        let mut writing = self.writing();
        writing.journal.append(&writes)?;
        self.take_in(writes);
        if writing.flushed.elapsed() > self.shape.flush_every {
            writing.sync()?;
        }
        // The batch is there, whatever becomes of this; it is tried again.
        if let Err(error) = self.noted(self.keep_up(&mut writing)) {
            tracing::warn!(%error, "{} cannot be put in order", self.path.display());
        }
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        self.writing().sync()
    }

    fn size(&self) -> Result<u64> {
        let journal = self.writing().journal.room();
        let sheets = self.state().levels.sheets().map(|sheet| sheet.about.bytes).sum::<u64>();
        Ok(journal + sheets)
    }

    fn removed(&self) -> (u64, u64) {
        let sum = |(removed, rows), sheet: &Arc<Sheet>| {
            (removed + sheet.about.removed, rows + sheet.about.rows)
        };
        self.state().levels.sheets().fold((0, 0), sum)
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }

    fn compact(&self) -> Result<bool> {
        self.noted(self.merge_all())
    }
}

impl Writing {
    fn sync(&mut self) -> Result<()> {
        self.journal.sync()?;
        self.flushed = Instant::now();
        Ok(())
    }
}

impl Drop for DiskKv {
    /// What is in memory becomes a sheet, so that damage of it is told by the next opening.
    fn drop(&mut self) {
        let mut writing = self.writing();
        let result = writing.sync().and_then(|()| self.turn(&mut writing));
        let result = result.and_then(|()| writing.journal.shrink());
        // If it stays, it is used again.
        let _ = std::fs::remove_file(spare_path(&self.path));
        if let Err(error) = result {
            tracing::warn!(%error, "{} is closed as it is", self.path.display());
        }
    }
}
