//! What a database says, and how it panics, when its files are damaged or the disk refuses: an error with
//! a sentence, never a panic.
//!
//! Must not know: which database it is.

use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

use crate::store::StoreError;

thread_local! {
    /// This thread is where a database may panic, and nobody needs to see it.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call that may panic on damaged files; its words instead of a panic, and none of them on
/// standard error.
pub fn quietly<R>(call: impl FnOnce() -> R) -> Result<R, String> {
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
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
            .unwrap_or_else(|| "no reason given".to_owned())
    })
}

/// The database in `path` is damaged.
pub fn corrupt(path: &Path, detail: impl Into<String>) -> StoreError {
    StoreError::Corrupt { path: path.display().to_string(), detail: detail.into() }
}

/// What the system said while the database in `path` was read or written.
pub fn of_system(path: &Path, source: io::Error) -> StoreError {
    let kind = source.kind();
    if matches!(kind, ErrorKind::UnexpectedEof | ErrorKind::InvalidData) {
        return corrupt(path, format!("a file is cut off or garbled ({source})"));
    }
    // The database's own words are those of a programmer.
    let known = matches!(
        kind,
        ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
            | ErrorKind::FileTooLarge
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::PermissionDenied
    );
    let source = if known { kind.into() } else { source };
    StoreError::Io { what: format!("database {}", path.display()), source }
}
