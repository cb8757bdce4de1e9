//! What happened so far in this run, for progress displays. Must not know: who shows it.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

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
    /// The pace keys that are at work, in the order in which work on them began.
    at_work: Mutex<Vec<String>>,
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

/// Work on a pace key, for as long as it lives.
pub(super) struct AtWork<'p> {
    progress: &'p Progress,
    pace_key: String,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let mut all = self.progress.pace_keys();
        if let Some(at) = all.iter().position(|pace_key| *pace_key == self.pace_key) {
            all.remove(at);
        }
    }
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

    /// Work on a pace key begins; it ends where what is answered is dropped.
    pub(super) fn begins(&self, pace_key: &str) -> AtWork<'_> {
        self.pace_keys().push(pace_key.to_owned());
        AtWork { progress: self, pace_key: pace_key.to_owned() }
    }

    /// Of the pace keys that are at work, the one on which work began last.
    pub fn at_work(&self) -> Option<String> {
        self.pace_keys().last().cloned()
    }

    fn pace_keys(&self) -> MutexGuard<'_, Vec<String>> {
        self.at_work.lock().unwrap_or_else(|e| e.into_inner())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of progress named an outlet that was not asked any more.
    #[test]
    fn only_what_is_at_work_is_named() {
        let progress = Progress::default();
        let at_work = || progress.at_work().unwrap_or_default();
        assert_eq!(at_work(), "");
        let slow = progress.begins("slow.example");
        let quick = progress.begins("quick.example");
        assert_eq!(at_work(), "quick.example");
        drop(quick);
        assert_eq!(at_work(), "slow.example");
        drop(slow);
        assert_eq!(at_work(), "");
    }
}
