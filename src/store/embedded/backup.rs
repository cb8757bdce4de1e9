//! Copying databases row by row into fresh ones: backup while in use, and restore.
//!
//! Must not know: what the records hold.

use std::path::Path;

use super::files::{ARTICLES, MAIN, rename};
use super::format::check_format;
use super::kv::{Kv, copy};
use super::lock::DirLock;
use super::moving::{is_old, open_any};
use super::redb::{RedbKv, is_map};
use crate::store::{Result, StoreError};

/// Cache of a database that is copied to or from.
pub const CACHE: u64 = 16 << 20;

/// Name of a main database that is not all there yet.
const COPYING: &str = "main.copying";

/// Copies a main database into the directory `to`, where it has its name when it is whole.
pub fn copy_main(from: &dyn Kv, to: &Path) -> Result<()> {
    let copying = to.join(COPYING);
    copy(from, &RedbKv::open(&copying, CACHE)?)?;
    rename(&copying, &to.join(MAIN))
}

/// Is there a main database, and not only the beginning of one?
fn is_whole(main: &Path) -> bool {
    is_map(main) || is_old(main)
}

/// Makes sure that `dir` exists and holds nothing.
pub fn empty_dir(dir: &Path) -> Result<()> {
    let io = |source| StoreError::Io { what: format!("directory {}", dir.display()), source };
    super::files::make_private(dir)?;
    match std::fs::read_dir(dir).map_err(io)?.next() {
        None => Ok(()),
        Some(_) => {
            let cut = [COPYING, ARTICLES].iter().any(|name| dir.join(name).exists());
            let why = match cut && !is_whole(&dir.join(MAIN)) {
                true => "holds a copy that was cut short: remove it, or choose another",
                false => "is not empty: choose another",
            };
            Err(StoreError::Other(format!("the directory {} {why}", dir.display())))
        }
    }
}

/// Makes the store `to` (which must not exist yet, or be empty) from the backup `from`.
///
/// # Errors
/// `from` is no backup or one that was cut short, is in use as a store, or was made by a newer crawler; `to` is not empty.
pub fn restore(from: &Path, to: &Path) -> Result<()> {
    let main = from.join(MAIN);
    if !is_whole(&main) {
        let begun = [COPYING, ARTICLES, MAIN].iter().any(|name| from.join(name).exists());
        let why = match begun {
            true => "holds a backup that was cut short: make it again",
            false => "holds no backup",
        };
        return Err(StoreError::Other(format!("the directory {} {why}", from.display())));
    }
    let _from = DirLock::take(from)?;
    let source = open_any(&main, CACHE)?;
    check_format(&*source)?;
    empty_dir(to)?;
    let _to = DirLock::take(to)?;
    // The months first: a restore that is cut short leaves no main, hence no store.
    let months = from.join(ARTICLES);
    for month in std::fs::read_dir(&months).into_iter().flatten().flatten() {
        let target = to.join(ARTICLES).join(month.file_name());
        let source = open_any(&month.path(), CACHE)?;
        copy(&*source, &RedbKv::open(&target, CACHE)?)?;
    }
    copy_main(&*source, to)
}
