//! The right of one process to a store's directory.
//!
//! Must not know: what is in it.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use super::files::LOCK;
use crate::store::{Result, StoreError};

/// A lock that is held is tried so often again, after so long each: a child of a process that gave it back holds
/// it, too, until it runs its own program.
const TRIES: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(20);

/// The right of one process to a store's directory; given back when dropped.
#[derive(Debug)]
pub struct DirLock {
    _file: File,
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
        let path = dir.join(LOCK);
        let io = |source| unwritable(dir, &path, source);
        let mut file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io)?;
        lock(&file, dir)?.map_err(io)?;
        file.set_len(0).map_err(io)?;
        file.rewind().map_err(io)?;
        writeln!(file, "{}", std::process::id()).map_err(io)?;
        file.sync_all().map_err(io)?;
        Ok(DirLock { _file: file })
    }

    /// Keeps other processes from a directory that is only read, which may lie where nothing can be written. Without
    /// the file nobody holds it.
    ///
    /// # Errors
    /// As [`DirLock::take`].
    pub fn of_reader(dir: &Path) -> Result<Option<DirLock>> {
        let Ok(file) = File::open(dir.join(LOCK)) else { return Ok(None) };
        // Some file systems lock nothing that they do not write.
        Ok(lock(&file, dir)?.is_ok().then_some(DirLock { _file: file }))
    }
}

/// Locks the file of a directory; the inner error is the system's.
fn lock(file: &File, dir: &Path) -> Result<std::io::Result<()>> {
    let mut tries = 0;
    let locked = loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if tries < TRIES => std::thread::sleep(BETWEEN),
            locked => break locked,
        }
        tries += 1;
    };
    match locked {
        Ok(()) => Ok(Ok(())),
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // The id is a courtesy: without it the message still says what to do.
            let _ = file.take(32).read_to_string(&mut holder);
            let pid: Option<u32> = holder.trim().parse().ok();
            Err(StoreError::Locked {
                path: dir.display().to_string(),
                detail: pid.map_or("id unknown".to_owned(), |pid| format!("process {pid}")),
            })
        }
        Err(TryLockError::Error(error)) => Ok(Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_given_back_soon_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let held = DirLock::take(dir.path()).unwrap();
        let soon = std::thread::spawn(move || {
            std::thread::sleep(BETWEEN);
            drop(held);
        });
        DirLock::take(dir.path()).unwrap();
        soon.join().unwrap();
    }

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
