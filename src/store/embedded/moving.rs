//! Databases of earlier versions are moved when they are first opened: row by row into a map beside the
//! old one, which takes its name when it holds the same rows. A crash at any instant leaves one of the
//! two, and what was moved by then stays moved.
//!
//! Must not know: what the rows mean.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::SAY_EVERY;
use super::abort::abort_point;
use super::files::{
    ARTICLES, BEFORE, COMPACTED, COMPACTING, MAIN, MOVING, bytes_under, need, remove, rename,
};
use super::kv::{Kv, Writes};
use super::redb::{RedbKv, is_map};
use super::sled::SledKv;
use crate::store::{Result, StoreError};

/// Under this key stands how far a database is moved: no row of a store has an empty key.
const PROGRESS: &[u8] = &[];
/// Bytes written in one batch.
const BATCH: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Rows that are moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Progress {
    last: Vec<u8>,
    rows: u64,
    /// Over all keys and values, in order.
    sum: u64,
}

impl Progress {
    fn count(&mut self, key: &[u8], value: &[u8]) {
        let mut crc = flate2::Crc::new();
        crc.update(key);
        crc.update(value);
        let words = [u64::from(crc.sum()), key.len() as u64, value.len() as u64];
        let step =
            |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.sum = words.into_iter().fold(self.sum, step);
        self.rows += 1;
        self.last = key.to_vec();
    }
}

/// Is there a database of an earlier version?
pub fn is_old(path: &Path) -> bool {
    !is_map(path) && ["conf", "db"].iter().any(|file| path.join(file).exists())
}

/// Opens a database for reading alone, whatever version it is of.
pub fn open_any(path: &Path, cache: u64) -> Result<Box<dyn Kv>> {
    Ok(if is_old(path) {
        Box::new(SledKv::open(path)?)
    } else {
        Box::new(RedbKv::open_unused(path, cache)?)
    })
}

/// Opens a map; a database of an earlier version is moved before.
pub fn open_moved(path: &Path, cache: u64) -> Result<RedbKv> {
    if is_old(path) {
        move_one(path, cache)?;
    }
    RedbKv::open(path, cache)
}

/// Ends what a crash has left of a move or a compaction.
pub fn recover(path: &Path) -> Result<()> {
    let [moving, before, compacting, compacted] =
        [MOVING, BEFORE, COMPACTING, COMPACTED].map(|ending| path.with_extension(ending));
    remove(&compacting)?;
    if path.exists() {
        remove(&compacted)?;
        if is_map(path) {
            remove(&moving)?;
        }
    } else if before.exists() && moving.exists() {
        // The old one is put aside when the new one is whole.
        rename(&moving, path)?;
    } else if compacted.exists() {
        rename(&compacted, path)?;
    } else if before.exists() {
        rename(&before, path)?;
    }
    remove(&before)
}

/// [`recover`] for every database of a directory.
pub fn recover_all(dir: &Path) -> Result<()> {
    for file in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = file.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if ending.is_some_and(|ending| [MOVING, BEFORE, COMPACTING, COMPACTED].contains(&ending)) {
            recover(&path.with_extension(""))?;
        }
    }
    Ok(())
}

/// Moves the databases of a store that are of an earlier version, if main is one that `check` lets
/// pass; a month that cannot be read stays as it is.
///
/// # Errors
/// There is no room on the disk, or main cannot be read.
pub fn move_store(dir: &Path, cache: u64, check: &dyn Fn(&dyn Kv) -> Result<()>) -> Result<()> {
    let mut old: Vec<PathBuf> = std::fs::read_dir(dir.join(ARTICLES))
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path())
        .filter(|path| path.extension().is_none() && is_old(path))
        .collect();
    old.sort();
    let main = dir.join(MAIN);
    if is_old(&main) {
        check(&SledKv::open(&main)?)?;
        old.push(main.clone());
    }
    if old.is_empty() {
        return Ok(());
    }
    let largest = old.iter().map(|path| bytes_under(path)).max().unwrap_or(0);
    let room = largest >> 20;
    tracing::warn!(
        "the store {} is of an earlier version: {} databases are moved, which takes up to {room} MiB \
         more of the disk at a time; it may be interrupted, and goes on at the next start",
        dir.display(),
        old.len(),
    );
    need(dir, largest, &format!("the move of the store {}", dir.display()))?;
    for path in old {
        match move_one(&path, cache) {
            Err(StoreError::Corrupt { detail, .. }) if path != main => {
                tracing::warn!("{} stays as it is: {detail}; run `crawler repair`", path.display());
            }
            moved => moved?,
        }
    }
    Ok(())
}

/// Moves one database.
fn move_one(path: &Path, cache: u64) -> Result<()> {
    let [moving, before] = [MOVING, BEFORE].map(|ending| path.with_extension(ending));
    let old = SledKv::open(path)?;
    let new = match RedbKv::open(&moving, cache) {
        Err(StoreError::Corrupt { .. }) => {
            remove(&moving)?;
            RedbKv::open(&moving, cache)?
        }
        new => new?,
    };
    let total = old.size()?.max(1);
    let mut progress = match new.get(PROGRESS)? {
        Some(bytes) => postcard::from_bytes(&bytes).unwrap_or_default(),
        None => Progress::default(),
    };
    let from = match progress.rows {
        0 => Vec::new(),
        _ => [progress.last.as_slice(), &[0]].concat(),
    };
    let (mut batch, mut bytes, mut moved, mut said) = (Writes::new(), 0, 0, Instant::now());
    let write = |mut batch: Writes, progress: &Progress| {
        let noted = postcard::to_stdvec(progress).map_err(|e| StoreError::Other(e.to_string()))?;
        batch.insert(PROGRESS.to_vec(), Some(noted));
        new.apply(batch)?;
        abort_point("moved-batch");
        Ok::<_, StoreError>(())
    };
    for row in old.scan(&from, &[0xff; 64]) {
        let (key, value) = row?;
        progress.count(&key, &value);
        bytes += key.len() + value.len();
        batch.insert(key, Some(value));
        if bytes >= BATCH {
            moved += bytes as u64;
            bytes = 0;
            write(std::mem::take(&mut batch), &progress)?;
            if said.elapsed() > SAY_EVERY {
                said = Instant::now();
                let (moved, total) = (moved >> 20, total >> 20);
                tracing::warn!("{}: {moved} MiB of at most {total} are moved", path.display());
            }
        }
    }
    write(batch, &progress)?;
    let mut found = Progress::default();
    for row in new.scan(&[0], &[0xff; 64]) {
        let (key, value) = row?;
        found.count(&key, &value);
    }
    if found != progress {
        // It is begun again.
        drop(new);
        remove(&moving)?;
        return Err(StoreError::Other(format!(
            "the copy of {} has {} rows instead of {}: start again",
            path.display(),
            found.rows,
            progress.rows
        )));
    }
    new.apply(Writes::from([(PROGRESS.to_vec(), None)]))?;
    new.flush()?;
    let size = new.size()?;
    drop((old, new));
    abort_point("moved-whole");
    rename(path, &before)?;
    abort_point("moved-aside");
    rename(&moving, path)?;
    abort_point("moved-named");
    remove(&before)?;
    tracing::warn!(
        "{}: {} rows are moved, {} MiB became {}",
        path.display(),
        progress.rows,
        total >> 20,
        size >> 20
    );
    Ok(())
}
