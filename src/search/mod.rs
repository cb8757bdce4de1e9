//! Search over titles and texts: an index of their words beside the store, made from the store's log of
//! articles after the commit. It can be made anew at any time, and no count needs it.
//!
//! Must not know: counts, how a question reaches it, how answers are shown.

mod find;
mod keep;
mod passages;
mod schema;
mod syntax;
#[cfg(test)]
mod tests;
mod words;

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tantivy::index::SegmentId;
use tantivy::{Index, IndexReader, IndexWriter, Opstamp, ReloadPolicy, Searcher, TantivyError};

use crate::model::{DAY, Day, Millis, Span, UrlKey, Zone};
use crate::store::{LogPosition, Store, StoreError};

pub use find::{Among, Days};
pub use keep::Kept;
pub use passages::{Context, Part, contexts};
pub use syntax::{LONGEST, Malformed, Near, Wanted, ZONES, name, read};

use schema::Fields;

/// Longest time that a question may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Number of the layout; another one lies in another folder.
const LAYOUT: u32 = 1;
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
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { enabled: true, dir: None, memory_mib: 32, keep: None }
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
    #[error("this was taken back")]
    Stopped,
}

impl From<TantivyError> for Failed {
    fn from(error: TantivyError) -> Failed {
        use std::io::ErrorKind;
        if let TantivyError::IoError(why) = &error
            && matches!(why.kind(), ErrorKind::StorageFull | ErrorKind::PermissionDenied)
        {
            return Failed::Unwritable(why.to_string());
        }
        Failed::Damaged(error.to_string())
    }
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Failed {
        Failed::Damaged(error.to_string())
    }
}

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

/// The index of a store. It is opened when it is asked first.
pub struct Search {
    settings: Settings,
    fields: Fields,
    opened: Mutex<Option<Opened>>,
    writer: Mutex<Option<IndexWriter>>,
    /// Articles written of an index that is being made; `u64::MAX`: none is.
    building: AtomicU64,
}

struct Opened {
    index: Index,
    reader: IndexReader,
    seen: (Opstamp, Vec<SegmentId>),
    position: Option<LogPosition>,
}

/// What a commit says of itself.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Payload {
    /// The log up to here is in it.
    position: LogPosition,
}

impl Search {
    /// Opens nothing yet.
    pub fn new(settings: Settings) -> Search {
        Search {
            settings,
            fields: Fields::new(),
            opened: Mutex::default(),
            writer: Mutex::default(),
            building: AtomicU64::new(u64::MAX),
        }
    }

    /// Folder of this layout, and of nothing else.
    fn dir(&self) -> Result<PathBuf, Failed> {
        let dir = self.settings.dir.as_deref().filter(|_| self.settings.enabled);
        Ok(dir.ok_or(Failed::Off)?.join(format!("words-{LAYOUT}")))
    }

    /// Articles first seen before this instant have lost their text: a whole day at a time.
    fn since(&self, now: Millis) -> Millis {
        let oldest = |age: Span| now.saturating_sub(age.0).div_euclid(DAY) * DAY;
        self.settings.keep.map_or(Millis::MIN, oldest)
    }

    /// Is an index kept?
    pub fn enabled(&self) -> bool {
        self.dir().is_ok()
    }

    /// The articles that are wanted, and how far the index was.
    ///
    /// # Errors
    /// There is no index, it is damaged, or it takes too long.
    pub fn find(
        &self,
        store: &dyn Store,
        wanted: &Wanted,
        filter: &Filter,
    ) -> Result<(Found, State), Failed> {
        let until = Instant::now() + PATIENCE;
        let (searcher, position) = self.searcher()?;
        let state = self.state_of(store, &searcher, position)?;
        let found = guarded(|| find::find(&searcher, &self.fields, wanted, filter, until))?;
        Ok((found, state))
    }

    /// How far the index is.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    pub fn state(&self, store: &dyn Store) -> Result<State, Failed> {
        let (searcher, position) = self.searcher()?;
        self.state_of(store, &searcher, position)
    }

    fn state_of(
        &self,
        store: &dyn Store,
        searcher: &Searcher,
        position: Option<LogPosition>,
    ) -> Result<State, Failed> {
        let end = store.log_end()?.number;
        let building = Some(self.building.load(Relaxed)).filter(|written| *written != u64::MAX);
        Ok(State {
            indexed: searcher.num_docs(),
            behind: end.saturating_sub(position.map_or(0, |position| position.number)),
            building,
        })
    }

    /// What is committed now.
    fn searcher(&self) -> Result<(Searcher, Option<LogPosition>), Failed> {
        let dir = self.dir()?;
        guarded(|| {
            let mut opened = lock(&self.opened);
            if opened.is_none() {
                *opened = Some(self.open(&dir)?);
            }
            let Some(open) = opened.as_mut() else { return Err(Failed::None) };
            if let Err(error) = open.follow() {
                // Another process may have made it anew: it is opened again next time.
                *opened = None;
                return Err(error);
            }
            Ok((open.reader.searcher(), open.position))
        })
    }

    fn open(&self, dir: &Path) -> Result<Opened, Failed> {
        if !dir.join("meta.json").is_file() {
            return Err(Failed::None);
        }
        let index = Index::open_in_dir(dir)?;
        if index.schema() != self.fields.schema {
            return Err(Failed::Damaged("it has another layout".into()));
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Opened { index, reader, seen: Default::default(), position: None })
    }
}

impl Opened {
    /// Takes over what has been committed since.
    fn follow(&mut self) -> Result<(), Failed> {
        let metas = self.index.load_metas()?;
        let seen = (metas.opstamp, metas.segments.iter().map(|segment| segment.id()).collect());
        if seen != self.seen {
            self.reader.reload()?;
            self.seen = seen;
            self.position = position(metas.payload.as_deref());
        }
        Ok(())
    }
}

/// Up to where the log is in a commit.
fn position(payload: Option<&str>) -> Option<LogPosition> {
    Some(serde_json::from_str::<Payload>(payload?).ok()?.position)
}

/// Damaged files make the reading crate panic, too.
fn guarded<T>(work: impl FnOnce() -> Result<T, Failed>) -> Result<T, Failed> {
    std::panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Failed::Damaged("reading it failed".into())))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

/// The zones that a question is about where it names none: one, or all that are searched.
pub fn zones(zone: Option<Zone>) -> Vec<Zone> {
    zone.map_or_else(|| ZONES.to_vec(), |zone| vec![zone])
}
