//! Search over titles and texts: an index of their words beside the store, made from the store's log of
//! articles after the commit. It can be made anew at any time, and no count needs it.
//!
//! Must not know: counts, how a question reaches it, how answers are shown.

#[cfg(feature = "search")]
mod find;
#[cfg(feature = "search")]
mod index;
#[cfg(feature = "search")]
mod keep;
mod passages;
#[cfg(feature = "search")]
mod schema;
mod syntax;
#[cfg(all(test, feature = "search"))]
mod tests;
#[cfg(not(feature = "search"))]
mod without;
mod words;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::{Day, Span, UrlKey, Zone};
use crate::store::StoreError;

#[cfg(feature = "search")]
pub use index::Search;
pub use passages::{Context, EFFORT, Part, contexts};
pub use syntax::{LONGEST, Malformed, Near, Wanted, ZONES, name, read};
#[cfg(not(feature = "search"))]
pub use without::Search;

/// The least memory that a writer can work with, MiB.
const LEAST_MEMORY: usize = 15;

/// Whether there is an index, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Is an index kept?
    pub enabled: bool,
    /// Folder of the index; by default `search` in the data directory. With a database it must be named.
    pub dir: Option<PathBuf>,
    /// Memory of the writer for words that are not on disk yet, MiB.
    pub memory_mib: usize,
    /// Age at which articles lose their text, and leave the index. Not a key of its own: `retention.texts`.
    #[serde(skip)]
    pub keep: Option<Span>,
    /// Does this process keep the index up to date? Not a key.
    #[serde(skip)]
    pub kept: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { enabled: true, dir: None, memory_mib: 32, keep: None, kept: true }
    }
}

impl Settings {
    /// Are the settings possible?
    ///
    /// # Errors
    /// A sentence that names the key.
    pub fn check(&self) -> Result<(), String> {
        if self.memory_mib < LEAST_MEMORY || self.memory_mib > 2_048 {
            return Err(format!("`search.memory_mib` must be from {LEAST_MEMORY} to 2048"));
        }
        Ok(())
    }
}

/// Why a question is not answered, or the index not brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error(transparent)]
    Malformed(#[from] Malformed),
    #[error(
        "there is no index for search yet: a daemon that serves makes one, and so does `crawler search --rebuild`"
    )]
    None,
    #[error(
        "search is switched off: set `search.enabled`, and with a database `search.dir`, in the configuration"
    )]
    Off,
    #[error("search is switched off: this program was built without it (feature `search`)")]
    Without,
    #[error("this takes too long: ask for fewer or longer words")]
    Costly,
    #[error("`{0}*` stands for too many words: write more letters before the `*`")]
    TooManyForms(String),
    #[error("another process writes the index {0}")]
    Busy(String),
    #[error(
        "the index cannot be read ({0}); it is made anew by a daemon that serves, or by `crawler search --rebuild`"
    )]
    Damaged(String),
    #[error("the index for search cannot be written: {0}")]
    Unwritable(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Whoever wanted it does not want it any more.
    #[error("this was cancelled")]
    Stopped,
}

/// Articles that an answer is restricted to.
pub type Among = HashSet<UrlKey>;

/// Articles by day.
pub type Days = BTreeMap<Day, u64>;

/// Which of the articles that are wanted an answer has. `None`: any.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub from: Option<Day>,
    pub to: Option<Day>,
    pub outlet: Option<String>,
    pub language: Option<String>,
    /// Only these.
    pub among: Option<Among>,
    /// Of the lines only those behind this one.
    pub after: Option<(Day, UrlKey)>,
    /// Most lines.
    pub limit: usize,
}

/// The articles that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// All of them.
    pub articles: u64,
    pub days: Days,
    /// The newest, up to the limit: by day, the latest first, then by key.
    pub first: Vec<(Day, UrlKey)>,
    /// There are more lines.
    pub more: bool,
}

/// How far the index is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Articles in it.
    pub indexed: u64,
    /// Articles that came or went and are not in it yet; of one that is being made, all that are left out
    /// are not counted here.
    pub behind: u64,
    /// It is being made, and so many articles are written so far.
    pub building: Option<u64>,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Articles that were written.
    pub written: u64,
    /// Articles that were taken out.
    pub gone: u64,
    /// The index was made anew.
    pub anew: bool,
}

/// The zones that a question is about where it names none: one, or all that are searched.
pub fn zones(zone: Option<Zone>) -> Vec<Zone> {
    zone.map_or_else(|| ZONES.to_vec(), |zone| vec![zone])
}
