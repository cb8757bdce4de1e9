//! First sights: what is noted of entries that nobody has asked for.
//!
//! Must not know: how they were found, what is known already.

use std::collections::HashSet;

use super::lineage;
use crate::crawl::Engine;
use crate::feed;
use crate::frontier::address;
use crate::mention::day::{Clues, published};
use crate::model::*;

/// First sights of the entries of a feed, each once, and their keys in document order; what their
/// dates tell of the feed's zone is learned. What is not the feed's to say is left out.
pub(in crate::crawl) fn entries(
    engine: &Engine,
    feed: &mut Feed,
    entries: Vec<Entry>,
    at: Millis,
    backlog: bool,
) -> (Vec<UrlRecord>, Vec<UrlKey>) {
    let (mut records, keys) = listed(engine, feed, entries, at, backlog);
    judge(engine, feed, &mut records);
    (records, keys)
}

/// The same of an answer to a poll, from which is also learned for whom the feed speaks.
pub(in crate::crawl) fn polled(
    engine: &Engine,
    feed: &mut Feed,
    entries: Vec<Entry>,
    at: Millis,
    backlog: bool,
) -> crate::store::Result<(Vec<UrlRecord>, Vec<UrlKey>)> {
    let (mut records, keys) = listed(engine, feed, entries, at, backlog);
    lineage::learn(&engine.voices, engine.store.as_ref(), feed, &records, at)?;
    judge(engine, feed, &mut records);
    Ok((records, keys))
}

/// Decides what of the entries is hearsay, and which of the feed's own are too old.
fn judge(engine: &Engine, feed: &Feed, records: &mut [UrlRecord]) {
    for record in records {
        lineage::mark_foreign(feed, record);
        if record.outcome == Outcome::Pending && too_old(engine, feed, record) {
            record.outcome = Outcome::TooOld;
        }
    }
}

/// Is its own feed's date of an entry longer ago than is read?
fn too_old(engine: &Engine, feed: &Feed, record: &UrlRecord) -> bool {
    let Some((max, stamp)) = engine.settings.max_age.zip(record.entry.published.as_ref()) else {
        return false;
    };
    let clues = Clues {
        feed: Some(stamp),
        first_seen: record.first_seen,
        feed_offset: feed.poll.offset,
        ..Clues::default()
    };
    published(&clues, &engine.zone).at < record.first_seen - max.0
}

fn listed(
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
    UrlRecord {
        key,
        canonical,
        outlet,
        pace_key,
        feed: feed.key,
        entry,
        first_seen: at,
        arrival: day_of(at, &engine.zone),
        backlog,
        outcome: bad.unwrap_or(Outcome::Pending),
        attempts: 0,
        next: at,
        last_error: None,
        chain: Vec::new(),
        foreign: false,
        sight: Sight::First,
        arrived: Arrived::Seen,
    }
}
