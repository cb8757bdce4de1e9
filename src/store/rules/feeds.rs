//! Feeds: which are polled and when, which polls count as missed, and how feeds come and go.
//!
//! Must not know: how feeds are found, where they are kept.

use std::collections::BTreeMap;

use super::Rows;
use crate::model::*;
use crate::store::{Ban, PollCommit, Result};

/// Missed polls counted at once: a year of polls every ten minutes.
const MOST_MISSED: Millis = 52_560;

/// Feeds and their tasks.
pub trait FeedRows {
    /// The record of a feed, removed or not; it does not change until the transaction ends.
    fn feed(&mut self, key: UrlKey) -> Result<Option<Feed>>;
    /// The status of those of `keys` that are feeds.
    fn feed_statuses(&mut self, keys: &[UrlKey]) -> Result<BTreeMap<UrlKey, FeedStatus>>;
    /// Stores a feed that was `old` before, and its task.
    fn put_feed(&mut self, old: Option<&Feed>, new: &Feed) -> Result<()>;
}

/// A feed that is not removed.
pub fn present(rows: &mut dyn Rows, key: UrlKey) -> Result<Option<Feed>> {
    Ok(rows.feed(key)?.filter(|feed| feed.status != FeedStatus::Removed))
}

/// Feeds that the operator wants, those again that were removed. Says which are new.
pub fn seed(rows: &mut dyn Rows, feeds: &[Feed]) -> Result<Vec<bool>> {
    add(rows, feeds, true)
}

/// Feeds that a poll found; those that are known stay as they are, those that were removed too.
pub fn add_found(rows: &mut dyn Rows, feeds: &[Feed]) -> Result<()> {
    add(rows, feeds, false).map(drop)
}

fn add(rows: &mut dyn Rows, feeds: &[Feed], again: bool) -> Result<Vec<bool>> {
    if feeds.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<UrlKey> = feeds.iter().map(|feed| feed.key).collect();
    let mut known = rows.feed_statuses(&keys)?;
    let new = feeds.iter().filter(|feed| match known.get(&feed.key) {
        Some(status) => again && *status == FeedStatus::Removed,
        None => true,
    });
    let bans = rows.bans(&new.map(|feed| feed.outlet.clone()).collect())?;
    let mut added = Vec::with_capacity(feeds.len());
    if again {
        adopt(rows, feeds)?;
    }
    for feed in feeds {
        let old = match known.insert(feed.key, feed.status) {
            Some(FeedStatus::Removed) if again => rows.feed(feed.key)?,
            Some(status) => {
                known.insert(feed.key, status);
                added.push(false);
                continue;
            }
            None => None,
        };
        let ban = bans.get(&feed.outlet).copied();
        rows.put_feed(old.as_ref(), &under_ban(feed, ban))?;
        added.push(true);
    }
    Ok(added)
}

/// What another feed had brought and the operator wants now stands for itself.
fn adopt(rows: &mut dyn Rows, feeds: &[Feed]) -> Result<()> {
    for feed in feeds {
        let known = present(rows, feed.key)?;
        if let Some(old) = known.filter(|old| old.provenance.parent.is_some()) {
            let provenance = Provenance { parent: None, ..old.provenance.clone() };
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

/// Leaves of a feed, and of the sitemaps that it brought, only that they were removed; `false` if it is
/// unknown.
pub fn remove(rows: &mut dyn Rows, key: UrlKey) -> Result<bool> {
    let Some(old) = present(rows, key)? else { return Ok(false) };
    for child in &old.provenance.children {
        let child = present(rows, child.key)?;
        if let Some(child) = child.filter(|child| child.provenance.parent == Some(key)) {
            rows.put_feed(Some(&child), &removed(&child))?;
        }
    }
    rows.put_feed(Some(&old), &removed(&old)).map(|()| true)
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

/// Polls that were due before this one and never made, each on the day of its own due instant; days
/// are counted back from `poll.day` at midnight UTC.
pub fn missed_days(stored: &Feed, poll: &PollCommit) -> Vec<Day> {
    let Some(last) = stored.poll.last else { return Vec::new() };
    // What was planned: more than the interval where the server asks for it, a hub pushes, the feed
    // fails or repeats a sibling. A poll that was brought forward says nothing of the next ones.
    let last = stored.poll.last_success.map_or(last, |at| at.max(last));
    let wait = poll.due.saturating_sub(last).max(stored.poll.interval);
    if wait <= 0 {
        return Vec::new();
    }
    let late = poll.at.saturating_sub(poll.due);
    let missed = (late / wait).clamp(0, MOST_MISSED);
    let day = |i: Millis| {
        let due = poll.due.saturating_add(i.saturating_mul(wait));
        let back = poll.at.div_euclid(DAY) - due.div_euclid(DAY);
        let back = jiff::Span::new().try_days(back).unwrap_or_default();
        poll.day.checked_sub(back).unwrap_or(poll.day)
    };
    (0..missed).map(day).collect()
}

/// The feed after a poll.
pub fn polled(stored: &Feed, mut polled: Feed) -> Feed {
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
