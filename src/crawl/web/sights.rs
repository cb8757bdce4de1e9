//! First sights: what is noted of a feed that nobody has polled, and of entries that nobody has asked for.
//!
//! Must not know: how they were found, what is known already.

use std::collections::HashSet;

use crate::crawl::Engine;
use crate::crawl::clock::day;
use crate::feed;
use crate::frontier::{Address, address};
use crate::mention::day::{Clues, published};
use crate::model::*;

/// A feed nobody has polled yet, due at once.
pub(in crate::crawl) fn new_feed(at: &Address, now: Millis) -> Feed {
    Feed {
        key: at.key,
        url: at.url.to_string(),
        outlet: at.outlet.clone(),
        pace_key: at.pace_key.clone(),
        group: None,
        title: None,
        language: None,
        format: None,
        status: FeedStatus::Active,
        added: now,
        poll: PollState { next: now, ..PollState::default() },
    }
}

/// First sights of the entries of a feed, each once, and their keys in document order; what their
/// dates tell of the feed's zone is learned.
pub(in crate::crawl) fn entries(
    engine: &Engine,
    feed: &mut Feed,
    entries: Vec<Entry>,
    at: Millis,
    backlog: bool,
) -> (Vec<UrlRecord>, Vec<UrlKey>) {
    let stamps = entries.iter().filter_map(|entry| entry.published.as_ref());
    feed.poll.offset = feed::date::usual_offset(stamps).or(feed.poll.offset);
    engine.zones.learn(feed);
    let (mut records, mut keys) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for entry in entries {
        let record = record(engine, feed, entry, at, backlog);
        if seen.insert(record.key) {
            keys.push(record.key);
            records.push(record);
        }
    }
    (records, keys)
}

/// First sight of an entry.
fn record(engine: &Engine, feed: &Feed, entry: Entry, at: Millis, backlog: bool) -> UrlRecord {
    let (key, canonical, outlet, pace_key, bad) = match address(&entry.url, Some(&feed.url)) {
        Ok(a) => (a.key, a.canonical, a.outlet, a.pace_key, None),
        Err(error) => (
            crate::frontier::address::key(&entry.url),
            entry.url.clone(),
            feed.outlet.clone(),
            feed.pace_key.clone(),
            Some(Outcome::Failed(Failure::BadUrl(error.to_string()))),
        ),
    };
    let too_old = engine.settings.max_age.is_some_and(|max| {
        let published = entry.published.as_ref().map(|stamp| {
            let clues = Clues {
                feed: Some(stamp),
                first_seen: at,
                feed_offset: feed.poll.offset,
                ..Clues::default()
            };
            published(&clues, &engine.zone)
        });
        published.is_some_and(|p| p.at < at - max.0)
    });
    let outcome = bad.unwrap_or(if too_old { Outcome::TooOld } else { Outcome::Pending });
    UrlRecord {
        key,
        canonical,
        outlet,
        pace_key,
        feed: feed.key,
        entry,
        first_seen: at,
        arrival: day(at, &engine.zone),
        backlog,
        outcome,
        attempts: 0,
        next: at,
        last_error: None,
        chain: Vec::new(),
    }
}
