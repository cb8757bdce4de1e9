//! How a store is opened, and what is said when its disk is nearly full. Must not know: stores.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Millis, SECOND, Span};

/// How the embedded store uses the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// `postgres://…`: the store is this database and nothing lies in the data directory.
    pub url: Option<String>,
    /// File with the password of that database, instead of one in the URL.
    pub password_file: Option<PathBuf>,
    /// Page cache of the main database, MiB.
    pub cache_mib: u64,
    /// Page cache of each open month of articles, MiB.
    pub article_cache_mib: u64,
    /// Months of articles held open at most.
    pub open_months: usize,
    /// Longest time that a write which nobody waits for stays unflushed.
    pub flush_every: Span,
    /// Compression of article records, 1 (fast) to 19 (small).
    pub zstd_level: i32,
    /// A main database smaller than this is never compacted, MiB.
    pub compact_mib: u64,
    /// With less of the disk left, MiB, nothing new is requested; 0 switches this off.
    pub min_free_mib: u64,
    /// Pause after a restart for a pace key that was leased before its delay was known. Not a key
    /// of its own: the crawl's `pace.delay`.
    #[serde(skip)]
    pub unknown_delay: Span,
    /// The instant of opening by the clock that claims are made by; `None`: by the system's, which
    /// may be another. Not a key.
    #[serde(skip)]
    pub now: Option<Millis>,
}

impl Settings {
    /// Are the settings possible?
    ///
    /// # Errors
    /// A sentence that names the key.
    pub fn check(&self) -> Result<(), String> {
        match self.zstd_level {
            1..=19 => Ok(()),
            level => Err(format!("`store.zstd_level` is {level}: set 1 (fast) to 19 (small)")),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            url: None,
            password_file: None,
            cache_mib: 64,
            article_cache_mib: 4,
            // A year, and the month that has begun.
            open_months: 13,
            flush_every: Span(500),
            zstd_level: 1,
            compact_mib: 64,
            min_free_mib: 200,
            unknown_delay: Span(SECOND),
            now: None,
        }
    }
}
