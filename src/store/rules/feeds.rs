//! Feeds: which are polled and when, and which polls count as missed.
//!
//! Must not know: how feeds are found, where they are kept.

use crate::model::*;
use crate::store::{Ban, PollCommit};

/// Missed polls counted at once: a year of polls every ten minutes.
const MOST_MISSED: Millis = 52_560;

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
pub fn under_ban(feed: &Feed, ban: Option<Ban>) -> Feed {
    let status = if ban.is_some() { FeedStatus::Paused } else { feed.status };
    Feed { status, ..feed.clone() }
}

/// A feed that is polled at `now` or before; `None`: it is paused.
pub fn brought_forward(feed: &Feed, now: Millis) -> Option<Feed> {
    let mut due = feed.clone();
    due.poll.next = due.poll.next.min(now);
    (feed.status != FeedStatus::Paused).then_some(due)
}

/// What is kept of a feed that is removed: enough to know it again.
pub fn removed(feed: &Feed) -> Feed {
    Feed {
        status: FeedStatus::Removed,
        group: None,
        title: None,
        language: None,
        format: None,
        poll: PollState::default(),
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
pub fn polled(stored: &Feed, polled: Feed) -> Feed {
    match stored.status {
        // Paused by the operator while this poll was on its way.
        FeedStatus::Paused => Feed { status: FeedStatus::Paused, ..polled },
        _ => polled,
    }
}
