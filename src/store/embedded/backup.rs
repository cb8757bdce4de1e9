//! Copying databases row by row into fresh ones: backup while in use, and restore.
//!
//! Must not know: what the records hold.

use std::path::{Path, PathBuf};

use super::files::{self, ARTICLES, COPYING, LOCK, MAIN, remove, rename};
use super::format::{Month, check_format};
use super::kv::{Kv, Overlay, copy};
use super::lock::DirLock;
use super::moving::{is_old, open_any};
use super::redb::{RedbKv, is_begun, is_map};
use super::referred;
use crate::store::{Result, StoreError};

/// Cache of a database that is copied to or from.
pub const CACHE: u64 = 16 << 20;

/// A main database that is not all there yet.
fn copying(dir: &Path) -> PathBuf {
    dir.join(MAIN).with_extension(COPYING)
}

/// Copies a main database into the directory `to`, where it has its name when it is whole.
pub fn copy_main(from: &dyn Kv, to: &Path) -> Result<()> {
    let copying = copying(to);
    copy(from, &RedbKv::open(&copying, CACHE)?)?;
    rename(&copying, &to.join(MAIN))
}

/// Is there a database, and not only the beginning of one?
fn is_whole(path: &Path) -> bool {
    is_map(path) || is_old(path)
}

/// The folders of months in a directory of a store.
fn months(dir: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(dir.join(ARTICLES)).into_iter().flatten().flatten();
    let is_month =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()?.parse::<Month>().ok());
    files.map(|file| file.path()).filter(|path| is_month(path).is_some()).collect()
}

/// Makes sure that `dir` exists and holds nothing.
pub fn empty_dir(dir: &Path) -> Result<()> {
    let io = |source| StoreError::Io { what: format!("directory {}", dir.display()), source };
    files::make_private(dir, false)?;
    match std::fs::read_dir(dir).map_err(io)?.next() {
        None => Ok(()),
        Some(_) => {
            let cut = copying(dir).exists() || months(dir).iter().any(|month| is_begun(month));
            let why = match cut && !is_whole(&dir.join(MAIN)) {
                true => "holds a copy that was cut short: remove it, or choose another",
                false => "is not empty: choose another",
            };
            Err(StoreError::Other(format!("the directory {} {why}", dir.display())))
        }
    }
}

/// Makes the store `to` (which must not exist yet, or be empty) from the backup `from`, which stays as it is.
/// If it fails, `to` is empty.
///
/// # Errors
/// `from` is no backup, one that was cut short or one without all its months, is in use as a store, or was made by a
/// newer crawler; `to` is not empty.
pub fn restore(from: &Path, to: &Path) -> Result<()> {
    let main = from.join(MAIN);
    if !is_whole(&main) {
        let begun =
            copying(from).exists() || [ARTICLES, MAIN].iter().any(|n| from.join(n).exists());
        let why = match begun {
            true => "holds a backup that was cut short: make it again",
            false => "holds no backup",
        };
        return Err(StoreError::Other(format!("the directory {} {why}", from.display())));
    }
    let _from = DirLock::of_reader(from)?;
    let source = open_any(&main, CACHE)?;
    check_format(&*source)?;
    for month in referred::expected(&Overlay::new(&*source))? {
        if !is_whole(&from.join(ARTICLES).join(month.to_string())) {
            return Err(StoreError::Other(format!(
                "the backup {} lacks the articles of {month}: use another one, or copy it to the data directory as it \
                 is and run `crawler repair`",
                from.display()
            )));
        }
    }
    empty_dir(to)?;
    let _to = DirLock::take(to)?;
    let restored = copy_all(from, &*source, to);
    if restored.is_err() {
        // What is left of it would be in the way of another backup.
        let _ = remove(&to.join(ARTICLES)).and(remove(&copying(to)));
        let _ = std::fs::remove_file(to.join(LOCK));
    }
    restored
}

/// The months first: a restore that is cut short leaves no main, hence no store.
fn copy_all(from: &Path, main: &dyn Kv, to: &Path) -> Result<()> {
    for month in months(from) {
        let target = to.join(ARTICLES).join(month.file_name().unwrap_or_default());
        let source = open_any(&month, CACHE)?;
        copy(&*source, &RedbKv::open(&target, CACHE)?)?;
    }
    copy_main(main, to)
}
