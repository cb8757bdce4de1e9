//! Copying databases row by row into fresh ones: backup while in use, and restore.
//!
//! Must not know: what the records hold.

use std::path::Path;

use super::files::{ARTICLES, MAIN};
use super::format::check_format;
use super::kv::copy;
use super::lock::DirLock;
use super::moving::open_any;
use super::redb::RedbKv;
use crate::store::{Result, StoreError};

/// Cache of a database that is copied to or from.
pub const CACHE: u64 = 16 << 20;

/// Makes sure that `dir` exists and holds nothing.
pub fn empty_dir(dir: &Path) -> Result<()> {
    let io = |source| StoreError::Io { what: format!("directory {}", dir.display()), source };
    super::files::make_private(dir)?;
    match std::fs::read_dir(dir).map_err(io)?.next() {
        None => Ok(()),
        Some(_) => {
            let dir = dir.display();
            Err(StoreError::Other(format!("the directory {dir} is not empty: choose another")))
        }
    }
}

/// Makes the store `to` (which must not exist yet, or be empty) from the backup `from`.
///
/// # Errors
/// `from` is no backup, is in use as a store, or was made by a newer crawler; `to` is not empty.
pub fn restore(from: &Path, to: &Path) -> Result<()> {
    let main = from.join(MAIN);
    if !main.is_dir() {
        let from = from.display();
        return Err(StoreError::Other(format!("the directory {from} holds no backup")));
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
    copy(&*source, &RedbKv::open(&to.join(MAIN), CACHE)?)
}
