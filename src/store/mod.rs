//! Everything that must survive a restart: feeds, frontier, outcomes, articles, stories, mentions,
//! tallies. One trait, several stores; one page's outcome is one atomic commit (invariant 4).
//!
//! Only this module knows sled, redb or SQL. Must not know: the network, extraction, how a story or a
//! mention is found (they arrive as plain values).

pub mod account;
pub mod decision;
mod embedded;
pub mod history;
pub mod postgres;
mod rules;
mod settings;
pub mod subscriptions;
pub mod transfer;
mod values;
mod visit;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

pub use embedded::{
    ABORT_POINTS, Adopted, BrandsFrom, COMPACTION_POINTS, MOVING_POINTS, Repair, SETTLING_POINTS,
    Salvaged, abort_reading, exists, repaired_today, restore, rewrite,
};
pub use rules::{budget::OVER_BUDGET, feeds::missed, sums};
pub use settings::Settings;
pub use values::*;
pub use visit::{Each, visit};

use crate::model::*;
use decision::{Change, Decision, Topic};

/// Format of the embedded store that this crawler writes.
pub const FORMAT: u32 = 7;
/// The oldest format that it takes over when it opens a store: its rows are read as they are, and written in
/// the new form when they are written next; stories of before 5 are put in order of size, vectors of before 7 are
/// taken to the months of their articles.
pub const READABLE: u32 = 3;

/// Opens the store: the database that the settings name, else the one in `dir`, or creates it there.
/// Of the embedded store, leases that a crash left behind are ended, and
/// their pace keys wait their whole delay from now. If the clock was set back since the last claim,
/// the schedule is moved back with it.
///
/// # Errors
/// [`StoreError::Locked`], [`StoreError::Newer`], [`StoreError::Older`], [`StoreError::Corrupt`],
/// [`StoreError::Io`], [`StoreError::Unavailable`]; an import into it has not ended.
pub fn open(dir: &Path, settings: &Settings) -> Result<Arc<dyn Store>> {
    let store: Arc<dyn Store> = match &settings.url {
        Some(url) => Arc::new(postgres::Postgres::open(url, settings)?),
        None => Arc::new(embedded::Embedded::open(dir, settings)?),
    };
    if transfer::is_cut_short(store.as_ref())? {
        let remove = match &settings.url {
            Some(_) => "drop the schema crawler_data of the database".to_owned(),
            None => format!("remove {}", dir.display()),
        };
        return Err(StoreError::Other(format!(
            "the store holds only a part of what an import brings: one is under way, or was cut short; then {remove}, and \
             import again"
        )));
    }
    Ok(store)
}

/// A store that lives as long as its last reference.
pub fn memory() -> Arc<dyn Store> {
    Arc::new(embedded::Embedded::memory())
}

/// Result of every store call.
pub type Result<T> = std::result::Result<T, StoreError>;

/// What can go wrong in a store. Messages name the thing and what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "the store {path} is held by another process ({detail}); wait if it is starting, or \
         stop it, or use another data_dir"
    )]
    Locked { path: String, detail: String },
    #[error(
        "the store {path} has format {found}, this crawler knows {known}: install a newer crawler"
    )]
    Newer { path: String, found: u32, known: u32 },
    #[error(
        "the store {path} has format {found} of a version before the first release, this crawler \
         reads {known}: move it away and seed a new one"
    )]
    Older { path: String, found: u32, known: u32 },
    #[error(
        "the store {path} is damaged: {detail}; put it back from a backup, or run `crawler repair`"
    )]
    Corrupt { path: String, detail: String },
    /// Mentions were matched with a brand set, or a recount began from one, that another recount has
    /// replaced since.
    #[error("the brand set changed from `{given}` to `{current}` meanwhile: match again")]
    StaleBrandSet { given: String, current: String },
    #[error("{left} articles have not been recounted for the brand set `{version}` yet")]
    NotRecounted { left: u64, version: String },
    /// Stories that were to be exchanged, or told apart, have other members by now.
    #[error("a story has changed meanwhile: try again")]
    StoryChanged,
    /// Trying again later can help; what was under way is not done, or is done and will be found so.
    #[error("the database {place} {detail}")]
    Unavailable { place: String, detail: String },
    /// Others are at the same rows, and it was not worth the wait.
    #[error("the database is busy with the same rows")]
    Busy,
    /// What needs more of the disk for a while than is free; nothing of it is begun.
    #[error("{0}")]
    NoRoom(String),
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
    #[error("{0}")]
    Other(String),
}

/// A write transaction on the whole store; sees its own writes; invisible to others until
/// [`Batch::commit`], which is atomic and durable when it returns. Dropped, it never was.
///
/// While it is open, every other mutation of the store waits: the thread that holds it must not
/// call any (`claim`, `complete`, `set_meta` …) but through it. After a call that failed, nothing
/// of the batch can be committed.
///
/// `poll` and `page` have no effect under a lost lease, nor when the same was committed before;
/// [`Batch::admit`] tells which.
pub trait Batch {
    /// Is a write under this lease allowed, and is `task` still open?
    fn admit(&mut self, lease: &Lease, task: &Task) -> Result<Admission>;
    /// A replay is known by `poll.due` differing from the stored feed's `poll.next`. Returns how many
    /// of the entries were first sights.
    fn poll(&mut self, lease: &Lease, poll: PollCommit) -> Result<u64>;
    /// An article one of whose keys already names another article ends as [`Outcome::Known`]
    /// instead. Stories that it joins may be named by ids that they had once. `None`: it had no effect.
    ///
    /// # Errors
    /// [`StoreError::StaleBrandSet`] if a recount has replaced the brand set of the mentions.
    fn page(&mut self, lease: &Lease, page: PageCommit) -> Result<Option<PageEnd>>;
    /// Articles that only others had named and that their outlets were seen to list since this was last asked.
    fn listed(&mut self) -> Result<Vec<UrlKey>>;
    /// Remembers what the page of such an article printed.
    fn remember(&mut self, record: &ArticleRecord, printed: &Remembered) -> Result<()>;
    /// Moves a task that was admitted to a later instant. It is no attempt.
    fn put_off(&mut self, task: &Task, until: Millis) -> Result<()>;
    /// Persist pace state under the lease (next_at, delay, blocked_until …).
    fn pace(&mut self, lease: &Lease, pace: &Pace) -> Result<()>;
    fn robots(&mut self, record: &RobotsRecord) -> Result<()>;
    /// Adds to what was fetched on an outlet's account.
    fn spent(&mut self, spent: &Spent) -> Result<()>;
    /// The id of the story an article belongs to, and what it knows about it but the brands.
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>>;
    /// How many of these articles are of an outlet.
    fn of_outlet(&mut self, articles: &[UrlKey], outlet: &str) -> Result<u64>;
    /// A story by its present id.
    fn story_head(&mut self, id: UrlKey) -> Result<Option<StoryHead>>;
    /// The record of a key, or of the article that it is an alias of.
    fn url(&mut self, key: UrlKey) -> Result<Option<UrlRecord>>;
    /// Version of the brand set that the mentions of this batch's articles must be of.
    fn brand_set(&mut self) -> Result<String>;
    /// Where the log will end when this batch is committed.
    fn log_end(&mut self) -> Result<LogPosition>;
    fn commit(self: Box<Self>) -> Result<()>;
}

/// The feeds that are polled.
pub trait Feeds {
    /// Inserts unknown feeds (scheduled at their `poll.next`); `true` where it was new. Idempotent. Of an
    /// outlet under a [`Ban`] they are paused, here and where a poll found them. One that was removed or is gone
    /// is new again. A poll that finds known ones brings back only those that had moved, and takes its feed's
    /// stand-in along.
    fn add_feeds(&self, feeds: &[Feed]) -> Result<Vec<bool>>;
    /// Was this feed removed, and not added again?
    fn feed_removed(&self, key: UrlKey) -> Result<bool>;
    fn feed(&self, key: UrlKey) -> Result<Option<Feed>>;
    fn feeds(&self) -> Result<Vec<Feed>>;
    /// Also those that were removed: what they brought still counts, and since they were added.
    fn feeds_ever(&self) -> Result<Vec<Feed>>;
    /// Brings every feed's next poll forward to `now` (`run --once`).
    fn poll_all_now(&self, now: Millis) -> Result<usize>;
    /// The same of one feed; `false` if it is unknown or paused.
    fn poll_now(&self, feed: UrlKey, now: Millis) -> Result<bool>;
}

/// The frontier: which pace keys are due, and who has them.
pub trait Leases {
    /// Leases due pace keys in due order; persisted before it returns.
    fn claim(&self, claim: &Claim) -> Result<Vec<Lease>>;
    /// Leases one pace key by name (robots redirects), if it is free and due.
    fn claim_key(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>>;
    /// Leases one pace key by name, if it is free, for a commit that needs no request: delay and
    /// pauses do not count and stay as they are, and no task comes with it.
    fn claim_for_commit(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>>;
    /// Prolongs a lease; `false` = fenced.
    fn extend(&self, lease: &Lease, until: Millis) -> Result<bool>;
    /// Gives a lease back with the pace state after its last request; `false` = fenced.
    fn complete(&self, lease: &Lease, pace: &Pace) -> Result<bool>;
    /// Notes, before it is begun, that a suspect is under way and nothing else. Ends the process now, it
    /// counts.
    fn suspect_alone(&self, suspect: &Suspect) -> Result<()>;
    /// A suspect that was alone is no more, and the process lives: if its lease has ended meanwhile, that says nothing
    /// about it.
    fn suspect_survived(&self, suspect: &Suspect) -> Result<()>;
    /// A suspect has been through.
    fn clear_suspect(&self, suspect: &Suspect) -> Result<()>;
    /// Moves everything that is scheduled by so much: the clock was set. No request may be under way.
    /// The schedule of a shared store belongs to the database's clock: there a machine whose clock is
    /// wrong gets no leases, and nothing is moved.
    fn shift(&self, _by: Millis) -> Result<()> {
        Ok(())
    }
    /// `next` is for whoever has claimed from this store last.
    fn due(&self) -> Result<Due>;
    fn pace(&self, pace_key: &str) -> Result<Option<Pace>>;
    /// What goes before a task of a pace key, of all that is due at `since` or later.
    fn precedence(&self, pace_key: &str, task: &Task, since: Millis) -> Result<Precedence>;
    fn robots(&self, origin: &str) -> Result<Option<RobotsRecord>>;
    /// Calls `wake` when another process may have made work due now, from a thread of the store's.
    /// Only a hint: it may come late, never, or for nothing. `false`: there are no others.
    fn listen(&self, _wake: Box<dyn Fn() + Send>) -> Result<bool> {
        Ok(false)
    }
}

/// What operators decide.
pub trait Control {
    /// What was decided about an outlet; the empty rule where nothing was.
    fn outlet_rule(&self, outlet: &str) -> Result<OutletRule>;
    /// All rules that say something, by outlet.
    fn outlet_rules(&self) -> Result<Vec<(String, OutletRule)>>;
    /// [`Change::Feed`]; `false` if unknown.
    fn set_feed(&self, feed: &Feed) -> Result<bool> {
        Ok(self.change(Change::Feed(feed), None)? > 0)
    }
    /// [`Change::FeedRemoved`]; `false` if unknown.
    fn remove_feed(&self, key: UrlKey) -> Result<bool> {
        Ok(self.change(Change::FeedRemoved(key), None)? > 0)
    }
    /// [`Change::Rule`].
    fn set_outlet_rule(&self, outlet: &str, rule: &OutletRule) -> Result<()> {
        self.change(Change::Rule(outlet, rule), None).map(drop)
    }
    /// All alerts, by name.
    fn alerts(&self) -> Result<Vec<Alert>>;
    fn alert(&self, name: &str) -> Result<Option<Alert>>;
    /// [`Change::Alert`] without a decision: it has been judged, or something of it was delivered.
    /// `false`: somebody has changed it since it was read, and nothing is kept.
    fn keep_alert(&self, alert: &Alert) -> Result<bool>;
    /// All notes, by id; [`Change::Note`] pins one.
    fn notes(&self) -> Result<Vec<Note>>;
    /// [`Change::Forget`]; returns how many were articles.
    fn forget(&self, entries: &[UrlRecord], rest: &[Story]) -> Result<usize> {
        self.change(Change::Forget { entries, rest }, None)
    }
    /// [`Change::BrandSet`]: ends a recount, by moving the one pointer.
    fn recount_finish(&self, set: &BrandSet, previous: &str) -> Result<()> {
        self.change(Change::BrandSet { set, previous }, None).map(drop)
    }
    /// Changes what was decided and notes the decision in the log, in one commit; one that changes
    /// nothing is not noted. Returns how many feeds, alerts or notes were changed, or articles forgotten.
    fn change(&self, change: Change<'_>, decision: Option<&Decision>) -> Result<usize>;
    /// The log of decisions, the latest first: of one topic, or all. It keeps the last hundred
    /// thousand, and those about models and brands for good. Stops when `each` returns false.
    fn decisions(&self, topic: Option<Topic>, each: Each<Decision>) -> Result<()>;
}

/// What is committed, as it is asked for.
pub trait Reading {
    /// The record of a key, or of the article that it is an alias of (then `record.key` differs).
    fn url(&self, key: UrlKey) -> Result<Option<UrlRecord>>;
    /// Every URL record, in key order (export, verify). Stops when `each` returns false.
    fn urls(&self, each: Each<UrlRecord>) -> Result<()>;
    fn article(&self, key: UrlKey) -> Result<Option<ArticleRecord>>;
    /// Articles by publication day, then key. Stops when `each` returns false.
    fn articles(&self, from: Option<Day>, to: Option<Day>, each: Each<ArticleRecord>)
    -> Result<()>;
    fn story(&self, id: UrlKey) -> Result<Option<Story>>;
    fn story_of(&self, article: UrlKey) -> Result<Option<Story>>;
    /// Whose text the article of this very key is, without reading what else is known about it; of one that
    /// is not there nobody asked.
    fn credit(&self, article: UrlKey) -> Result<Credit>;
    /// [`Reading::story_of`] without the members.
    fn story_head_of(&self, article: UrlKey) -> Result<Option<StoryHead>>;
    /// Heads of the stories with a member published in the days given: by their number of articles, the most
    /// first, then by day and id; only those behind `after`, articles, day and id of one. Stops when `each`
    /// returns false: what it costs grows with what was given, not with the days.
    fn largest_stories(
        &self,
        days: (Option<Day>, Option<Day>),
        after: Option<(u64, Day, UrlKey)>,
        each: Each<StoryHead>,
    ) -> Result<()>;
    /// All stories with a member published in the days given.
    fn stories(&self, from: Option<Day>, to: Option<Day>, each: Each<Story>) -> Result<()>;
    /// Mention rows of the current brand set, by brand, day, article.
    fn mention_rows(&self, filter: &Filter, each: Each<MentionRow>) -> Result<()>;
    /// Rows of one article under the current brand set.
    fn mentions_of(&self, article: UrlKey) -> Result<Vec<MentionRow>>;
    /// Tallies of the current brand set, by brand and day. Filtered by outlet or language they are
    /// sums of the rows that match; a story then counts, on its original's day, if such a row does.
    fn tallies(&self, filter: &Filter) -> Result<Vec<(String, Day, Tally)>>;
    fn ledger(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<Ledger>>;
    /// Bytes fetched on an outlet's account on the days `from ..= to`.
    fn bytes(&self, outlet: &str, from: Day, to: Day) -> Result<i64>;
    /// Polls of all outlets together, by day: what the ledger's rows sum up to.
    fn polls(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<(Day, Polls)>>;
    /// Vectors of articles published at or after `since`: key, publication instant, bytes.
    fn vectors(
        &self,
        since: Millis,
        each: &mut dyn FnMut(UrlKey, Millis, Vec<u8>) -> bool,
    ) -> Result<()>;
    /// The vector of an article published `at`, as committed.
    fn vector(&self, article: UrlKey, at: Millis) -> Result<Option<Vec<u8>>>;
    /// Articles published before `before` whose stories have a member published or first seen
    /// since: key, publication instant. Stops when `each` returns false.
    fn old_members(
        &self,
        before: Millis,
        each: &mut dyn FnMut(UrlKey, Millis) -> bool,
    ) -> Result<()>;
    /// The articles that `article` is an excerpt of, and those that are excerpts of it.
    fn excerpts_of(&self, article: UrlKey) -> Result<Vec<Excerpt>>;
    /// What the latest pages of an outlet printed that were read before a day (UTC), `most` at most: by
    /// day, the latest first, then by article. A pure function of what is committed: of days that are
    /// over it changes only when an article is forgotten.
    fn printed(&self, outlet: &str, before: Day, most: usize) -> Result<Vec<Vec<u8>>>;
}

/// The log of articles that came and went.
pub trait ArticleLog {
    /// Where the log ends; the default where nothing has been logged.
    fn log_end(&self) -> Result<LogPosition>;
    /// Articles that came and went after `from`, in the order of the commits, each with its place.
    /// `false`: the log does not lead from `from` to its end, and what was given so far is no use.
    /// Stops when `each` returns false.
    fn log_since(
        &self,
        from: LogPosition,
        each: &mut dyn FnMut(LogPosition, Logged) -> bool,
    ) -> Result<bool>;
    /// The caller will not ask for what was logged before `upto` any more. The latest entries stay, since other
    /// readers may be behind it.
    fn trim_log(&self, upto: LogPosition) -> Result<()>;
}

/// The brand set in use, and the change to another.
pub trait Recount {
    fn brand_set(&self) -> Result<BrandSet>;
    /// Starts a recount: rows of `set` are written beside the current ones. [`Control::recount_finish`] ends it.
    fn recount_put(&self, set: &BrandSet, article: UrlKey, rows: &[MentionRow]) -> Result<()>;
    /// Articles that have no rows (and no empty set of rows) of `set` yet: those committed since
    /// the recount began. Stops when `each` returns false.
    fn recount_missing(&self, set: &BrandSet, each: Each<UrlKey>) -> Result<()>;
}

/// Who may ask.
pub trait Tokens {
    fn token(&self, id: &str) -> Result<Option<Token>>;
    /// All tokens, sessions too, by id.
    fn tokens(&self) -> Result<Vec<Token>>;
    /// Inserts or replaces one.
    fn put_token(&self, token: &Token) -> Result<()>;
    /// Drops one for good; none is no error.
    fn remove_token(&self, id: &str) -> Result<()>;
    /// Notes that one was used; an earlier use than the one known changes nothing.
    fn token_used(&self, id: &str, at: Millis) -> Result<()>;
}

/// What leaves by age.
pub trait Retention {
    /// The instant that ages are counted to where this machine's clock says `now`. What leaves does not come back,
    /// so a clock that has leapt ahead is not believed at once, and of two clocks the earlier one is.
    fn ages_until(&self, now: Millis) -> Result<Millis>;
    /// Takes texts and blocks from articles first seen before `before`: in months that were over by
    /// then, looking at no more than `most`, or (a shared store) on the oldest such day. Metadata, mention rows, tallies,
    /// stories and vectors stay. Each call goes on where the last one ended. Texts that come later to a month or day leave, too.
    fn prune_texts(&self, before: Millis, most: usize) -> Result<Pruned>;
    /// Drops entries first seen before `before` that ended otherwise than as articles, forgotten or
    /// pending, and that their feed no longer lists; of articles all but what names them. The ledger still counts them. Looks at no more
    /// than `most` and goes on where the last call ended; `more` is false at the end of a round, and
    /// the next call begins another.
    fn prune_entries(&self, before: Millis, most: usize) -> Result<Pruned>;
    /// Drops robots.txt records that were fresh until before `before` last: nobody has asked for them
    /// since. Those of files that were unreachable, only if it was before `unreachable`. Looks at no
    /// more than `most` and goes on as [`Retention::prune_entries`] does.
    fn prune_robots(&self, before: Millis, unreachable: Millis, most: usize) -> Result<Pruned>;
}

/// A whole store as a stream of items.
pub trait Transfer {
    /// Everything, as it is when the call begins. Stops when `each` returns false.
    fn export(&self, each: &mut dyn FnMut(transfer::Item) -> Result<bool>) -> Result<()>;
    /// Takes over what another store has exported; returns how many items. The store must be empty;
    /// if this fails or is cut short, it is of no use, and [`open`] refuses it.
    fn import(&self, items: &mut dyn Iterator<Item = Result<transfer::Item>>) -> Result<u64>;
}

/// A store. All calls block; call them from the blocking pool. Readers never wait for the writer.
pub trait Store:
    Feeds
    + Leases
    + Control
    + Reading
    + ArticleLog
    + Recount
    + Tokens
    + Retention
    + Transfer
    + Send
    + Sync
{
    /// Commits a poll that brings nothing new without waiting for anybody's batch. `None`: nothing was
    /// done, it has to go through a batch like every other outcome.
    fn commit_empty_poll(&self, _poll: &EmptyPoll) -> Result<Option<Admission>> {
        Ok(None)
    }
    /// Starts the one write transaction there can be at a time.
    fn batch(&self) -> Result<Box<dyn Batch + '_>>;
    /// Small named values: time zone of the tallies, models.
    fn meta(&self, name: &str) -> Result<Option<Vec<u8>>>;
    fn set_meta(&self, name: &str, value: &[u8]) -> Result<()>;
    /// Checksums, pointers both ways, tallies = sums of rows, entries = sums of outcomes: of the
    /// store as it is when the call begins. Mutations go on meanwhile.
    fn verify(&self, each: &mut dyn FnMut(Finding)) -> Result<()>;
    /// Consistent copy into an empty directory while the store is in use.
    fn backup(&self, to: &Path) -> Result<()>;
    /// Keeps a file beside the data that saves work at the next start; the store can do without. It
    /// replaces the one of that name whole or not at all. In memory and in a database nothing is kept.
    fn put_aside(
        &self,
        _name: &str,
        _write: &mut dyn FnMut(&mut dyn std::io::Write) -> std::io::Result<()>,
    ) -> Result<()> {
        Ok(())
    }
    /// Opens such a file, if there is one.
    fn read_aside(&self, _name: &str) -> Result<Option<Box<dyn std::io::Read>>> {
        Ok(None)
    }
    /// Writes the main database anew without what it no longer needs, and each month that has grown as
    /// [`wants_compaction`](Store::wants_compaction) says; with `grown_alone` main, too, only if it has.
    /// Mutations wait meanwhile.
    /// `None`: there was nothing to be gained, readers did not end in time, or the database does it by itself.
    fn compact(&self, _grown_alone: bool) -> Result<Option<Compaction>> {
        Ok(None)
    }
    /// Has a database grown by two fifths since its last compaction? A month that is over counts as grown until it
    /// was compacted once.
    fn wants_compaction(&self) -> Result<bool> {
        Ok(false)
    }
    /// Gives back memory that is held for what may be read again.
    fn trim(&self) -> Result<()> {
        Ok(())
    }
    /// Bytes on disk.
    fn size(&self) -> Result<u64>;
    /// Months whose articles main points to and that were gone when the store was opened.
    fn lost_months(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
    /// Months whose articles main points to and whose files are cut off, overwritten or appended to.
    fn damaged_months(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
    /// How many bytes are missing until there is room for new work on the disk; a database's disk cannot be
    /// seen from here.
    fn short_of(&self) -> Result<Option<u64>> {
        Ok(None)
    }
    /// Flushes everything that is not durable yet.
    fn flush(&self) -> Result<()> {
        Ok(())
    }
    /// Flushes everything and closes the files; whatever is asked afterwards fails. What is not closed is read
    /// whole at the next opening.
    fn close(&self) -> Result<()> {
        self.flush()
    }
}
