//! Files and directories of a store: their names, whether there is one, names that are free, copies,
//! removals.
//!
//! Must not know: what databases hold.

use std::fs::Permissions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::model::{Millis, utc_day};
use crate::store::{Result, StoreError};

/// Bytes that a file's blocks are counted in (stat(2)).
const BLOCK: u64 = 512;
/// Directory of the main database.
pub const MAIN: &str = "main";
/// Directory of the monthly article databases.
pub const ARTICLES: &str = "articles";
/// Folder of what saves work at the next start and can be made again.
pub const ASIDE: &str = "aside";
/// File that is locked by the process that uses the store.
pub const LOCK: &str = "lock";
/// File with a second copy of what people decided.
pub const DECISIONS: &str = "decisions.jsonl";
/// File that says that main has once been written, and in which format.
pub const MARKER: &str = "format";
/// File that is there while a repair is under way, and names the damaged main.
pub const REPAIRING: &str = "repairing";
/// File that is there when something in main could not be read while it was in use, and says what; of a month in
/// its own folder.
pub const SUSPECT: &str = "suspect";

/// Names beside a database, as endings of its own: a new map while rows are moved into it, a copy while
/// it is written, the copy once it is whole, and the old database until it is removed.
pub const MOVING: &str = "moving";
pub const COMPACTING: &str = "compacting";
pub const COMPACTED: &str = "compacted";
pub const BEFORE: &str = "before";
/// The same of a main database that is copied from elsewhere, and of a damaged one that is read.
pub const COPYING: &str = "copying";
pub const SALVAGE: &str = "salvage";
/// Ending of a file while it is written; whole, it takes the place of the one before.
pub const NEW: &str = "new";
/// What the ending of a damaged one begins with that is kept.
const DAMAGED: &str = "damaged-";

/// Has an embedded store been made in `dir`?
///
/// # Errors
/// [`StoreError::Io`]: nobody can tell.
pub fn exists(dir: &Path) -> Result<bool> {
    for name in [MARKER, MAIN] {
        let found = dir.join(name).try_exists().map_err(|source| StoreError::Io {
            what: format!("cannot read the data directory {}", dir.display()),
            source,
        })?;
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The name under which what is damaged is kept first on a day: `name.damaged-2026-11-20`.
pub fn damaged_name(name: &str, now: Millis) -> String {
    format!("{name}.{DAMAGED}{}", utc_day(now))
}

/// A name beside `name` that is not taken: [`damaged_name`], then with a number.
pub fn free_name(dir: &Path, name: &str, now: Millis) -> PathBuf {
    let name = damaged_name(name, now);
    let numbered = (2..).map(|n| dir.join(format!("{name}-{n}")));
    std::iter::once(dir.join(&name))
        .chain(numbered)
        .find(|path| !path.exists())
        .unwrap_or_else(|| dir.join(name))
}

/// The names of a store's files and folders.
const OWN: [&str; 10] =
    [MAIN, ARTICLES, MARKER, REPAIRING, SUSPECT, DECISIONS, ASIDE, LOCK, "control.sock", "search"];

fn is_own(name: &str) -> bool {
    let beside_main = || name.strip_prefix(MAIN)?.strip_prefix('.');
    let known = [MOVING, COMPACTING, COMPACTED, BEFORE, COPYING, SALVAGE];
    let replaced = [MARKER, REPAIRING, SUSPECT, DECISIONS];
    let unfinished = || replaced.iter().any(|own| Path::new(own).with_extension(NEW) == *name);
    OWN.contains(&name)
        || unfinished()
        || beside_main().is_some_and(|end| known.contains(&end) || end.starts_with(DAMAGED))
}

/// Makes the directory of a store. If the store `is_there`, takes from others what it has in it; the
/// directory itself, too, if it holds nothing else.
pub fn make_private(dir: &Path, is_there: bool) -> Result<()> {
    if dir.is_file() {
        let what = format!("the data directory {} is a file: name a directory", dir.display());
        return Err(StoreError::Other(what));
    }
    std::fs::create_dir_all(dir).map_err(io(dir))?;
    let (mut own, mut alone) = (Vec::new(), true);
    for file in std::fs::read_dir(dir).map_err(io(dir))? {
        let file = file.map_err(io(dir))?;
        // Files of the same names may be somebody else's.
        if is_there && is_own(&file.file_name().to_string_lossy()) {
            own.push(file.path());
        } else {
            alone = false;
        }
    }
    if alone {
        close(dir)?;
    }
    while let Some(path) = own.pop() {
        if close(&path)? {
            for file in std::fs::read_dir(&path).map_err(io(&path))? {
                own.push(file.map_err(io(&path))?.path());
            }
        }
    }
    Ok(())
}

/// Lets nobody but its owner use a file or folder. What belongs to somebody else stays as it is. Is it
/// a folder to go on into?
fn close(path: &Path) -> Result<bool> {
    let about = std::fs::symlink_metadata(path).map_err(io(path))?;
    let mode = about.permissions().mode();
    if !about.is_symlink() && mode & 0o077 != 0 {
        let private = Permissions::from_mode(mode & 0o7700);
        if let Err(error) = std::fs::set_permissions(path, private) {
            tracing::warn!("other users may be able to read {}: {error}", path.display());
            return Ok(false);
        }
    }
    Ok(about.is_dir())
}

/// Removes a directory, if it is there.
pub fn remove(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(io(dir)(e)),
        _ => Ok(()),
    }
}

/// Renames, within one file system; durable when it returns.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    let sync = |dir| std::fs::File::open(dir)?.sync_all();
    std::fs::rename(from, to).and_then(|()| to.parent().map_or(Ok(()), sync)).map_err(io(from))
}

/// Writes a small file, whole or not at all; durable when it returns.
pub fn write_synced(path: &Path, text: &str) -> Result<()> {
    let new = path.with_extension(NEW);
    let write = || {
        let mut file = std::fs::File::create(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, path)
    };
    write().map_err(io(path))
}

/// Copies a database's files, but not those whose names begin with one of `without`.
pub fn copy_files(from: &Path, to: &Path, without: &[&str]) -> Result<()> {
    let mut dirs = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = dirs.pop() {
        std::fs::create_dir_all(&to).map_err(io(&to))?;
        for file in std::fs::read_dir(&from).map_err(io(&from))? {
            let file = file.map_err(io(&from))?;
            let (path, name) = (file.path(), file.file_name());
            if path.is_dir() {
                dirs.push((path, to.join(name)));
            } else if !without.iter().any(|w| name.to_string_lossy().starts_with(w)) {
                std::fs::copy(&path, to.join(name)).map_err(io(&path))?;
            }
        }
    }
    Ok(())
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError + use<'_> {
    move |source| StoreError::Io { what: path.display().to_string(), source }
}

#[cfg(test)]
thread_local! {
    /// What [`free`] says to a test.
    pub static FREE: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
}

/// Bytes of the disk that are free.
pub fn free(dir: &Path) -> Result<u64> {
    #[cfg(test)]
    if let Some(bytes) = FREE.get() {
        return Ok(bytes);
    }
    let disk = rustix::fs::statvfs(dir).map_err(|e| io(dir)(e.into()))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Is so much of the disk free for what is done for a while?
///
/// # Errors
/// [`StoreError::NoRoom`]: says how much is needed.
pub fn need(dir: &Path, bytes: u64, what: &str) -> Result<()> {
    let free = free(dir)?;
    if free >= bytes {
        return Ok(());
    }
    Err(StoreError::NoRoom(format!(
        "{what} needs {} MiB of the disk for a while, {} MiB are free: make room",
        bytes.div_ceil(1 << 20),
        free >> 20
    )))
}

/// Bytes of the disk that all files below a directory take; what vanishes meanwhile counts nothing.
/// Files of redb are longer than that: they grow by doubling, and what was never written takes nothing.
pub fn bytes_under(dir: &Path) -> u64 {
    let mut bytes = 0;
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for file in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            match file.metadata() {
                Ok(meta) if meta.is_dir() => dirs.push(file.path()),
                Ok(meta) => bytes += meta.blocks() * BLOCK,
                Err(_) => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a crash left of files that are written anew was taken for somebody else's, and the directory stayed open.
    #[test]
    fn what_writing_leaves_is_our_own() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        let open = |path: &Path, mode| {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        };
        let own = [
            "decisions.jsonl",
            "decisions.new",
            "format",
            "format.new",
            "lock",
            "repairing.new",
            "suspect.new",
            "main.before",
        ];
        for name in own {
            std::fs::write(dir.path().join(name), "").unwrap();
            open(&dir.path().join(name), 0o644);
        }
        open(dir.path(), 0o755);
        make_private(dir.path(), true).unwrap();
        assert_eq!(mode(dir.path()), 0o700);
        assert!(own.iter().all(|name| mode(&dir.path().join(name)) == 0o600));
        for name in ["letter", "letter.new", "main.txt"] {
            let other = dir.path().join(name);
            std::fs::write(&other, "").unwrap();
            open(&other, 0o644);
            open(dir.path(), 0o755);
            make_private(dir.path(), true).unwrap();
            assert_eq!((mode(dir.path()), mode(&other)), (0o755, 0o644), "{name}");
            std::fs::remove_file(other).unwrap();
        }
    }
}
