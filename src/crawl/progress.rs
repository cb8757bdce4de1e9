//! What happened so far in this run, for progress displays. Must not know: who shows it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

use crate::meter;
use crate::model::{Millis, Outcome};
use crate::store::{ArticleCommit, PageEnd, PollCommit};

/// Counters of one run; cheap to bump, read by whoever draws.
#[derive(Debug, Default)]
pub struct Progress {
    polls: AtomicU64,
    failed: AtomicU64,
    entries: AtomicU64,
    articles: AtomicU64,
    copies: AtomicU64,
    mentions: AtomicU64,
    other: AtomicU64,
    pending: AtomicU64,
    beat: AtomicI64,
    /// The pace key that was leased last.
    latest: Mutex<String>,
}

/// A reading of [`Progress`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub polls: u64,
    /// Of these, polls without success.
    pub failed: u64,
    /// First sights.
    pub entries: u64,
    pub articles: u64,
    /// Articles that joined a story as a copy.
    pub copies: u64,
    /// Counted mentions.
    pub mentions: u64,
    /// Final outcomes other than article.
    pub other: u64,
    pub pending: u64,
}

/// What one task's result adds, as the store has taken it.
#[derive(Debug)]
pub(super) struct Gain {
    /// First sights.
    entries: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    Poll {
        succeeded: bool,
    },
    /// A hub has pushed entries.
    Push,
    /// The entry stays pending.
    Again,
    Article(Added),
    /// Another final outcome, by name.
    Other(&'static str),
}

/// What an article adds.
#[derive(Debug, Default)]
pub(super) struct Added {
    copy: bool,
    /// Counted mentions.
    counted: u64,
}

impl Gain {
    /// Of a poll, or of a push, that brought so many first sights.
    pub(super) fn poll(poll: &PollCommit, entries: u64) -> Gain {
        let PollCommit { succeeded, pushed, .. } = *poll;
        Gain { entries, what: if pushed { What::Push } else { What::Poll { succeeded } } }
    }

    /// What an article that is offered to the store will add, should it become one there.
    pub(super) fn article(article: &ArticleCommit) -> Added {
        Added {
            copy: !article.joining.stories.is_empty(),
            counted: article.mentions.iter().map(|r| u64::from(r.counted)).sum(),
        }
    }

    pub(super) fn page(settled: &PageEnd, article: Option<Added>) -> Gain {
        let what = match &settled.outcome {
            Outcome::Pending => What::Again,
            Outcome::Article => What::Article(article.unwrap_or_default()),
            outcome => What::Other(outcome.name()),
        };
        Gain { entries: settled.entries, what }
    }
}

impl Progress {
    /// A task's result has been committed.
    pub(super) fn add(&self, gain: &Gain) {
        self.entries.fetch_add(gain.entries, Relaxed);
        match &gain.what {
            What::Poll { succeeded } => {
                meter::poll(*succeeded);
                self.polls.fetch_add(1, Relaxed);
                self.failed.fetch_add(u64::from(!succeeded), Relaxed);
            }
            What::Push | What::Again => {}
            What::Article(Added { copy, counted }) => {
                meter::outcome(Outcome::Article.name());
                self.articles.fetch_add(1, Relaxed);
                self.copies.fetch_add(u64::from(*copy), Relaxed);
                self.mentions.fetch_add(*counted, Relaxed);
            }
            What::Other(outcome) => {
                meter::outcome(outcome);
                self.other.fetch_add(1, Relaxed);
            }
        }
    }

    pub(super) fn pending(&self, pending: u64) {
        self.pending.store(pending, Relaxed);
    }

    /// The dispatcher has come round.
    pub(super) fn beat(&self, now: Millis) {
        self.beat.store(now, Relaxed);
    }

    /// Work on a pace key begins.
    pub(super) fn begins(&self, pace_key: &str) {
        pace_key.clone_into(&mut self.latest.lock().unwrap_or_else(|e| e.into_inner()));
    }

    /// The pace key on which work began last: at the end of a run, the one that is waited for.
    pub fn latest(&self) -> String {
        self.latest.lock().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// When the dispatcher last came round; 0: not yet.
    pub fn last_beat(&self) -> Millis {
        self.beat.load(Relaxed)
    }

    /// The counters now.
    pub fn read(&self) -> Reading {
        Reading {
            polls: self.polls.load(Relaxed),
            failed: self.failed.load(Relaxed),
            entries: self.entries.load(Relaxed),
            articles: self.articles.load(Relaxed),
            copies: self.copies.load(Relaxed),
            mentions: self.mentions.load(Relaxed),
            other: self.other.load(Relaxed),
            pending: self.pending.load(Relaxed),
        }
    }
}
