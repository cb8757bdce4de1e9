//! Feeds: which are polled and when, which polls count as missed, and how feeds come and go.
//!
//! Must not know: how feeds are found, where they are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::Rows;
use super::entries::LAST_PRIORITY;
use crate::model::*;
use crate::store::{Ban, PollCommit, Result};

/// Missed polls counted at once, the last ones: a year of polls every ten minutes …
const MOST_MISSED: Millis = 52_560;
/// … and no day that is longer ago: a clock that was ahead leaves no more behind.
const LONGEST_GAP: Millis = 366 * DAY;
/// A feed that fails is missed for so long. Then whoever reads `status` has known for a month.
const GIVEN_UP: Millis = 30 * DAY;

/// Feeds and their tasks.
pub trait FeedRows {
    /// The record of a feed, removed or not; it does not change until the transaction ends.
    fn feed(&mut self, key: UrlKey) -> Result<Option<Feed>>;
    /// The status of those of `keys` that are feeds.
    fn feed_statuses(&mut self, keys: &[UrlKey]) -> Result<BTreeMap<UrlKey, FeedStatus>>;
    /// Feeds that are polled and repeat this one.
    fn twins(&mut self, of: UrlKey) -> Result<Vec<Feed>>;
    /// Stores a feed that was `old` before, and its task.
    fn put_feed(&mut self, old: Option<&Feed>, new: &Feed) -> Result<()>;
}

/// A feed that is not removed.
pub fn present(rows: &mut dyn Rows, key: UrlKey) -> Result<Option<Feed>> {
    Ok(rows.feed(key)?.filter(|feed| feed.status != FeedStatus::Removed))
}

/// Feeds that the operator wants, those again that were removed, are gone or have moved. Says which are polled from
/// now on and were not before.
pub fn seed(rows: &mut dyn Rows, feeds: &[Feed]) -> Result<Vec<bool>> {
    adopt(rows, feeds)?;
    add(rows, feeds, &|known, feed| match known.status {
        FeedStatus::Removed => Some(feed.clone()),
        FeedStatus::Gone => Some(revived(known, feed.poll.next)),
        FeedStatus::Active | FeedStatus::Paused => None,
    })
}

/// Feeds that a poll found; those that are known stay as they are, those that were removed too. But one that had moved
/// is back where it was, and the `stand_in` of the feed that was polled goes where that one leads.
pub fn add_found(rows: &mut dyn Rows, feeds: &[Feed], stand_in: Option<UrlKey>) -> Result<()> {
    let renewed = |known: &Feed, found: &Feed| match known.status {
        _ if known.has_moved() => Some(revived(known, found.poll.next)),
        FeedStatus::Paused => None,
        _ if stand_in != Some(known.key) => None,
        FeedStatus::Removed => Some(found.clone()),
        FeedStatus::Active | FeedStatus::Gone => Some(taken_along(known, found)),
    };
    add(rows, feeds, &renewed).map(drop)
}

/// Adds unknown feeds, and puts in the place of known ones what `renewed` makes of both; `None`: they stay.
fn add(
    rows: &mut dyn Rows,
    feeds: &[Feed],
    renewed: &dyn Fn(&Feed, &Feed) -> Option<Feed>,
) -> Result<Vec<bool>> {
    let keys: Vec<UrlKey> = feeds.iter().map(|feed| feed.key).collect();
    let known = if keys.is_empty() { BTreeMap::new() } else { rows.feed_statuses(&keys)? };
    let (mut added, mut seen) = (Vec::with_capacity(feeds.len()), BTreeSet::new());
    let mut changes = Vec::new();
    for feed in feeds {
        let first = seen.insert(feed.key);
        let old = match known.get(&feed.key) {
            Some(_) if first => rows.feed(feed.key)?,
            _ => None,
        };
        let new = match &old {
            Some(old) => renewed(old, feed),
            None => first.then(|| feed.clone()),
        };
        added.push(new.is_some());
        changes.extend(new.map(|new| (old, new)));
    }
    let bans = rows.bans(&changes.iter().map(|(_, new)| new.outlet.clone()).collect())?;
    for (old, new) in changes {
        let ban = bans.get(&new.outlet).copied();
        rows.put_feed(old.as_ref(), &under_ban(&new, ban))?;
    }
    Ok(added)
}

/// A feed that was gone or had moved, asked again where it was.
fn revived(feed: &Feed, next: Millis) -> Feed {
    let why = String::new();
    let poll = PollState { next, why, moving_to: None, moved_to: None, ..feed.poll.clone() };
    let provenance = Provenance { planned: None, ..feed.provenance.clone() };
    Feed { status: FeedStatus::Active, poll, provenance, ..feed.clone() }
}

/// A stand-in where its feed leads now: what was learned of it stays, and for whom it speaks if the operator said that.
/// Where it failed and was never read, another place is asked no sooner.
fn taken_along(feed: &Feed, found: &Feed) -> Feed {
    let mut new = Feed {
        url: found.url.clone(),
        outlet: found.outlet.clone(),
        pace_key: found.pace_key.clone(),
        status: FeedStatus::Active,
        poll: feed.poll.elsewhere(found.poll.next),
        ..feed.clone()
    };
    let unread = feed.status == FeedStatus::Active && feed.poll.body_hash.is_none();
    if unread && feed.poll.failures > 0.0 {
        new.poll.next = new.poll.next.max(feed.poll.next);
        new.poll.failures = feed.poll.failures;
    }
    new.provenance.planned = None;
    new.provenance.trial.clone_from(&found.provenance.trial);
    if !new.provenance.told {
        new.provenance.speaks_for.clone_from(&found.provenance.speaks_for);
    }
    new
}

/// What another feed had brought and the operator wants now stands for itself.
fn adopt(rows: &mut dyn Rows, feeds: &[Feed]) -> Result<()> {
    for feed in feeds {
        let known = present(rows, feed.key)?;
        if let Some(old) = known.filter(|old| old.provenance.parent.is_some()) {
            let provenance = Provenance { parent: None, trial: None, ..old.provenance.clone() };
            rows.put_feed(Some(&old), &Feed { provenance, ..old.clone() })?;
        }
    }
    Ok(())
}

/// Replaces a feed's record and its task; `false` if it is unknown.
pub fn set(rows: &mut dyn Rows, feed: &Feed) -> Result<bool> {
    let Some(old) = present(rows, feed.key)? else { return Ok(false) };
    rows.put_feed(Some(&old), feed).map(|()| true)
}

/// Leaves of a feed, of the sitemaps that it brought and of its stand-in only that they were removed; returns the keys
/// of all, none if it is unknown.
pub fn remove(rows: &mut dyn Rows, key: UrlKey) -> Result<Vec<UrlKey>> {
    let Some(old) = present(rows, key)? else { return Ok(Vec::new()) };
    let mut gone = vec![key];
    let Provenance { children, stand_in, .. } = &old.provenance;
    for child in children.iter().map(|child| child.key).chain(*stand_in) {
        let child = present(rows, child)?;
        if let Some(child) = child.filter(|child| child.provenance.parent == Some(key)) {
            rows.put_feed(Some(&child), &removed(&child))?;
            gone.push(child.key);
        }
    }
    rows.put_feed(Some(&old), &removed(&old)).map(|()| gone)
}

/// Has feeds that repeat one that is polled no more polled in its place, from now on.
pub fn release(rows: &mut dyn Rows, key: UrlKey, now: Millis) -> Result<()> {
    for old in rows.twins(key)? {
        let mut new = old.clone();
        new.poll.duplicate_of = None;
        new.poll.why.clear();
        new.poll.next = new.poll.next.min(now);
        rows.put_feed(Some(&old), &new)?;
    }
    Ok(())
}

/// Brings a feed's next poll forward to `now`; `false` if it is unknown or paused.
pub fn poll_now(rows: &mut dyn Rows, key: UrlKey, now: Millis) -> Result<bool> {
    let Some(old) = present(rows, key)? else { return Ok(false) };
    let Some(new) = brought_forward(&old, now) else { return Ok(false) };
    if new.poll.next != old.poll.next {
        rows.put_feed(Some(&old), &new)?;
    }
    Ok(true)
}

/// The same of several; returns how many are due then.
pub fn poll_all_now(rows: &mut dyn Rows, feeds: &[Feed], now: Millis) -> Result<usize> {
    let mut due = 0;
    for feed in feeds {
        due += usize::from(poll_now(rows, feed.key, now)?);
    }
    Ok(due)
}

/// Where the poll of a feed stands in its queue: first, but for what nobody of its outlet has named.
pub fn poll_priority(feed: &Feed) -> u8 {
    if feed.is_on_trial() { LAST_PRIORITY } else { 0 }
}

/// The poll of a feed; `None` while the operator has paused it, and once it is removed.
pub fn poll_task(feed: &Feed) -> Option<Task> {
    matches!(feed.status, FeedStatus::Active | FeedStatus::Gone).then(|| Task {
        kind: TaskKind::Poll,
        key: feed.key,
        url: feed.url.clone(),
        due: feed.poll.next,
        attempts: feed.poll.failures.clamp(0.0, 1e9).ceil() as u32,
    })
}

/// A feed that is to be added, as the operator's rule about its outlet has it: of an outlet whose pages
/// are not requested, neither are the feeds, until they are resumed with it.
fn under_ban(feed: &Feed, ban: Option<Ban>) -> Feed {
    let status = if ban.is_some() { FeedStatus::Paused } else { feed.status };
    Feed { status, ..feed.clone() }
}

/// A feed that is polled at `now` or before; `None`: it is paused.
fn brought_forward(feed: &Feed, now: Millis) -> Option<Feed> {
    let mut due = feed.clone();
    due.poll.next = due.poll.next.min(now);
    (feed.status != FeedStatus::Paused).then_some(due)
}

/// What is kept of a feed that is removed: enough to know it again.
fn removed(feed: &Feed) -> Feed {
    Feed {
        status: FeedStatus::Removed,
        group: None,
        title: None,
        language: None,
        format: None,
        poll: PollState::default(),
        provenance: Provenance::default(),
        ..feed.clone()
    }
}

/// Polls that were due before this one and never made, each on the day of its own due instant.
pub fn missed_days(stored: &Feed, poll: &PollCommit) -> Vec<Day> {
    missed(stored, poll.at).map(|due| day_back(poll, due)).collect()
}

/// When polls of a feed were due and not made before `at`, the last one left out. They count at the next poll.
pub fn missed(feed: &Feed, at: Millis) -> impl Iterator<Item = Millis> + use<> {
    rhythm(feed).into_iter().flat_map(move |rhythm| rhythm.missed(at))
}

/// How polls have been due since the last one; `None`: there was none.
fn rhythm(feed: &Feed) -> Option<Rhythm> {
    let PollState { last, interval, .. } = &feed.poll;
    let last = (*last)?;
    let due = feed.due();
    Some(match dead_until(feed).filter(|until| *until > last) {
        // It is asked more and more rarely, and misses as much as ever.
        Some(until) => {
            let wait = usual_wait(feed);
            Rhythm { due: due.min(last.saturating_add(wait)), wait, until }
        }
        // What was planned: more than the interval where the server asks for it, a hub pushes, or the feed
        // repeats a sibling. A poll that was brought forward says nothing of the next ones.
        None => Rhythm { due, wait: due.saturating_sub(last).max(*interval), until: Millis::MAX },
    })
}

/// Until when a feed that fails is missed: it succeeded before, and nobody has given it up as gone.
fn dead_until(feed: &Feed) -> Option<Millis> {
    let PollState { failures, last, last_success, skips, .. } = &feed.poll;
    // What a hub has pushed since is not missed.
    let fails = *failures > 0.0 && last >= last_success && feed.status == FeedStatus::Active;
    // Where the publisher asked for hours or days without polls, what was planned is all that is due.
    let fails = fails && *skips == Skips::default();
    let since = last_success.filter(|_| fails)?;
    Some(since.saturating_add(GIVEN_UP))
}

/// How far apart the polls of a feed are while they succeed.
fn usual_wait(feed: &Feed) -> Millis {
    let PollState { interval, floor, duplicate_of, .. } = &feed.poll;
    let repeats = if duplicate_of.is_some() { DAY } else { 0 };
    repeats.max(*interval).max(*floor)
}

/// When polls are due: the first, how far apart, and before when.
struct Rhythm {
    due: Millis,
    wait: Millis,
    until: Millis,
}

impl Rhythm {
    /// The instants of the polls that were due and not made before one at `at`, which stands for the last of them.
    fn missed(self, at: Millis) -> impl Iterator<Item = Millis> {
        let Rhythm { due, wait, until } = self;
        let late = at.saturating_sub(due);
        let missed = if wait > 0 { (late / wait).max(0) } else { 0 };
        let most = if wait > 0 { MOST_MISSED.min(LONGEST_GAP / wait) } else { 0 };
        let instants = (0.max(missed - most)..missed).map(move |i| due.saturating_add(i * wait));
        instants.take_while(move |due| *due < until)
    }
}

/// The day of an instant that is not later than a poll.
fn day_back(poll: &PollCommit, due: Millis) -> Day {
    let before = poll.begins.saturating_sub(due).max(0);
    let back = before.div_euclid(DAY) + i64::from(before.rem_euclid(DAY) > 0);
    let back = jiff::Span::new().try_days(back).unwrap_or_default();
    poll.day.checked_sub(back).unwrap_or(poll.day)
}

/// The feed after a poll, or after a push, which makes no poll less due.
pub fn polled(stored: &Feed, mut polled: Feed, pushed: bool) -> Feed {
    polled.provenance.planned = stored.provenance.planned.filter(|_| pushed);
    // What has been taken since the poll began counts.
    polled.provenance.budget = stored.provenance.budget;
    // So does what the operator has said since.
    polled.provenance.told = stored.provenance.told;
    if stored.provenance.told {
        polled.provenance.speaks_for.clone_from(&stored.provenance.speaks_for);
    }
    match stored.status {
        // Paused by the operator while this poll was on its way.
        FeedStatus::Paused => Feed { status: FeedStatus::Paused, ..polled },
        _ => polled,
    }
}
