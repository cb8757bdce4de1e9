//! The index itself: opened when it is asked first, and read as it was committed last.
//!
//! Must not know: how a question is written, when it is brought up to date.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tantivy::index::SegmentId;
use tantivy::{Index, IndexReader, IndexWriter, Opstamp, ReloadPolicy, Searcher, TantivyError};

use super::find;
use super::schema::Fields;
use super::syntax::Wanted;
use super::{Failed, Filter, Found, Settings, State};
use crate::model::{DAY, Millis, Span};
use crate::store::{LogPosition, Store};

/// Longest time that a question may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Number of the layout, how words are parted and folded included; another one lies in another folder.
const LAYOUT: u32 = 6;

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

/// The index of a store. It is opened when it is asked first.
pub struct Search {
    pub(super) settings: Settings,
    pub(super) fields: Fields,
    pub(super) opened: Mutex<Option<Opened>>,
    pub(super) writer: Mutex<Option<IndexWriter>>,
    /// Articles written of an index that is being made; `u64::MAX`: none is.
    pub(super) building: AtomicU64,
    /// What was first seen before this instant has been taken out.
    pub(super) let_go: AtomicI64,
}

pub(super) struct Opened {
    pub(super) index: Index,
    reader: IndexReader,
    /// The commit that the reader is at.
    seen: Option<(Opstamp, Vec<SegmentId>, Option<String>)>,
    position: Option<LogPosition>,
}

/// What a commit says of itself.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Payload {
    /// The log up to here is in it.
    pub(super) position: LogPosition,
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
            let_go: AtomicI64::new(Millis::MIN),
        }
    }

    /// Is it this process that keeps the index up to date?
    pub fn kept(&self) -> bool {
        self.settings.kept
    }

    /// Folder of this layout, and of nothing else.
    pub(super) fn dir(&self) -> Result<PathBuf, Failed> {
        let dir = self.settings.dir.as_deref().filter(|_| self.settings.enabled);
        Ok(dir.ok_or(Failed::Off)?.join(format!("words-{LAYOUT}")))
    }

    /// Removes indexes of earlier layouts, in whose place there is one.
    pub(super) fn leave_earlier(&self) {
        let Ok(dir) = self.dir() else { return };
        for layout in 1..LAYOUT {
            // One that cannot be removed takes room and is never read.
            let _ = std::fs::remove_dir_all(dir.with_file_name(format!("words-{layout}")));
        }
    }

    /// Articles first seen before this instant have lost their text: a whole day at a time.
    pub(super) fn since(&self, now: Millis) -> Millis {
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
    pub(super) fn searcher(&self) -> Result<(Searcher, Option<LogPosition>), Failed> {
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

    pub(super) fn open(&self, dir: &Path) -> Result<Opened, Failed> {
        if !dir.join("meta.json").is_file() {
            return Err(Failed::None);
        }
        let index = Index::open_in_dir(dir)?;
        if index.schema() != self.fields.schema {
            return Err(Failed::Damaged("it has another layout".into()));
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Opened { index, reader, seen: None, position: None })
    }
}

impl Opened {
    /// Takes over what has been committed since.
    fn follow(&mut self) -> Result<(), Failed> {
        let metas = self.index.load_metas()?;
        let segments = metas.segments.iter().map(|segment| segment.id()).collect();
        let seen = Some((metas.opstamp, segments, metas.payload));
        if seen != self.seen {
            self.reader.reload()?;
            self.position = seen.as_ref().and_then(|(.., payload)| position(payload.as_deref()));
            self.seen = seen;
        }
        Ok(())
    }
}

/// Up to where the log is in a commit.
pub(super) fn position(payload: Option<&str>) -> Option<LogPosition> {
    Some(serde_json::from_slice::<Payload>(payload?.as_bytes()).ok()?.position)
}

/// Damaged files make the reading crate panic, too.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Failed>) -> Result<T, Failed> {
    std::panic::catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Failed::Damaged("reading it failed".into())))
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
