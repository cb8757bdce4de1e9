//! What goes into a store and comes out of it: terms of a claim, what is committed, what was counted.
//!
//! Plain values; must not know: how a store keeps them.

use serde::{Deserialize, Serialize};

use crate::model::*;

/// Terms of a claim: who, when, until when, and how much.
#[derive(Clone, Debug)]
pub struct Claim {
    pub owner: String,
    pub now: Millis,
    /// Lease end; at least 2 × (total deadline + drain × delay) after `now`.
    pub until: Millis,
    /// At most so many pace keys.
    pub keys: usize,
    /// At most so many tasks per pace key.
    pub drain: usize,
}

/// May a write under this lease go through?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Epoch matches and the task is still open.
    Admitted,
    /// The same outcome was committed before: nothing to do (invariant 4).
    Replayed,
    /// The lease was lost to a newer epoch: the write must be dropped.
    Fenced,
}

/// A successful or failed poll of a feed, to be committed with the entries it brought.
#[derive(Clone, Debug)]
pub struct PollCommit {
    /// The feed with its new state (interval, validators, status).
    pub feed: Feed,
    /// When this poll had been due (missed intervals since then count as due and failed).
    pub due: Millis,
    pub at: Millis,
    /// Day of `at` in the configured zone: the coverage bucket.
    pub day: Day,
    /// When that day began there: days of missed polls are counted back from it.
    pub begins: Millis,
    pub succeeded: bool,
    /// A hub has pushed it: nothing was asked, so it is none of the polls that were due.
    pub pushed: bool,
    /// First sights only matter: entries already known by key are left as they are.
    pub entries: Vec<UrlRecord>,
    /// Feeds that are to be polled, too: sitemaps of an index, those that it is redirected to.
    pub feeds: Vec<Feed>,
}

/// A poll with everything that is committed beside it, for [`Store::commit_empty_poll`].
pub struct EmptyPoll<'a> {
    pub lease: &'a Lease,
    pub task: &'a Task,
    pub poll: &'a PollCommit,
    pub pace: &'a Pace,
    pub robots: &'a [RobotsRecord],
    pub spent: Option<&'a Spent>,
}

/// One page's outcome (invariant 4).
#[derive(Clone, Debug)]
pub struct PageCommit {
    pub key: UrlKey,
    pub outcome: Outcome,
    pub at: Millis,
    /// For `Pending`: when to try again, and why it failed this time.
    pub retry: Option<(Millis, String)>,
    /// For `Article`.
    pub article: Option<ArticleCommit>,
    /// New entries that this page led to (the target of a move), with this entry's hints.
    pub discovered: Vec<UrlRecord>,
    /// Other keys that name the same article (canonical URL, URL after redirects).
    pub aliases: Vec<UrlKey>,
}

/// The article part of a page's outcome.
#[derive(Clone, Debug)]
pub struct ArticleCommit {
    pub record: ArticleRecord,
    /// One row per brand that occurs at all.
    pub mentions: Vec<MentionRow>,
    /// Version (hash) of the brand set that made `mentions`.
    pub brand_set: String,
    /// Term-frequency vector as `dedupe` encoded it: opaque here.
    pub vector: Vec<u8>,
    /// Which stories it joins, and who is most like whom then.
    pub joining: Joining,
    /// Longer articles that it stands in, and shorter ones that stand in it.
    pub excerpts: Vec<Excerpt>,
    /// What its page printed; `None`: nothing is to be remembered of it.
    pub printed: Option<Remembered>,
}

/// Pages of an outlet and day (UTC, of reading) that are remembered at most: those with the smallest
/// keys, so that it does not matter in which order they came. And the latest pages of an outlet that
/// are remembered however old they are.
pub const REMEMBERED: usize = 64;

/// What an article's page printed, for the memory of its outlet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// As `extract` encoded it: opaque here.
    pub bytes: Vec<u8>,
    /// Of earlier days no more than the latest [`REMEMBERED`] pages stay.
    pub since: Day,
}

/// A place in the log of articles: the number of its last entry and a sum over all up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPosition {
    pub number: u64,
    pub sum: u64,
}

/// An article published `at` was committed, or forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logged {
    pub article: UrlKey,
    pub at: Millis,
    pub gone: bool,
}

/// Result of a claim or of looking for the next work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Earliest instant at which a pace key becomes due (a leased one: not before its lease ends);
    /// `None`: nothing is scheduled.
    pub next: Option<Millis>,
    /// Entries pending.
    pub pending: u64,
    /// Pace keys leased now.
    pub leased: u64,
}

/// Entries and polls of one day of arrival and one outlet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    pub day: Option<Day>,
    pub outlet: String,
    /// First sights of entries.
    pub entries: u64,
    /// By [`Outcome::name`]; sums to `entries` (invariant 9).
    pub outcomes: std::collections::BTreeMap<String, u64>,
    pub polls: Polls,
    /// First sights by the hour (UTC) of the sight, the backlog of first polls left out, and what others had named first by
    /// the hour in which the outlet listed it: how busy the outlet is at which time.
    pub arrivals: [u32; 24],
    /// What the outlet's own feeds brought, whoever's entries they were.
    pub brought: Brought,
}

/// What the operator decided about an outlet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutletRule {
    /// No request to its pace keys before this instant; `Millis::MAX`: until it is resumed.
    pub paused_until: Option<Millis>,
    /// Fixed delay of its pace keys, milliseconds.
    pub delay: Option<Millis>,
    pub ban: Option<Ban>,
    /// The pace keys that pause and delay were given to.
    pub pace_keys: Vec<String>,
    /// When it was decided.
    pub since: Millis,
}

impl OutletRule {
    /// Says nothing?
    pub fn is_empty(&self) -> bool {
        self.paused_until.is_none() && self.delay.is_none() && self.ban.is_none()
    }
}

/// An outlet whose pages are not requested any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ban {
    /// Its entries end as [`Outcome::Refused`]; what is stored stays.
    Blocked,
    /// Its entries end as [`Outcome::Forgotten`], without their titles and summaries.
    Forgotten,
}

/// Why an entry of a blocked outlet was refused.
pub const BLOCKED: &str = "blocked by the operator";

/// One finding of [`Store::verify`]: a sentence that names record and contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding(pub String);

/// What [`Batch::page`] did.
#[derive(Clone, Debug, PartialEq)]
pub struct PageEnd {
    /// How the entry really ended.
    pub outcome: Outcome,
    /// First sights among what the page led to.
    pub entries: u64,
}

/// What a compaction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// Bytes of the databases that were written anew (main, and months), before and after.
    pub before: u64,
    pub after: u64,
}

/// What one step of retention did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Texts, entries or records that have left.
    pub dropped: u64,
    /// There may be more to do.
    pub more: bool,
}

/// Rows between two instants or days, and what they must match. `None` = any.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub brand: Option<String>,
    /// Inclusive publication days.
    pub from: Option<Day>,
    pub to: Option<Day>,
    pub outlet: Option<String>,
    pub language: Option<String>,
}
