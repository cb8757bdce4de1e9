//! First sights: what is noted of entries that nobody has asked for.
//!
//! Must not know: how they were found, what is known already.

use std::collections::{HashMap, HashSet};

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
    know_again(engine, feed, &mut records)?;
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

/// What a feed lists under a new address with the id and the very time of what it listed under another one is the article
/// that was read there: many addresses change with the headline. Either alone tells too little: ids are given twice. Only
/// an answer to a poll shows what is no longer listed; a hub could say anything.
fn know_again(engine: &Engine, feed: &Feed, records: &mut [UrlRecord]) -> crate::store::Result<()> {
    let listed: HashSet<UrlKey> = records.iter().map(|record| record.key).collect();
    let before: HashSet<UrlKey> = feed.poll.recent.iter().copied().collect();
    let mut places: HashMap<Sign, Vec<usize>> = HashMap::new();
    for (place, record) in records.iter().enumerate() {
        if let Some(sign) = signed(record) {
            places.entry(sign).or_default().push(place);
        }
    }
    // A sign that two entries have tells nothing of either.
    let is_new = |record: &UrlRecord| {
        record.outcome == Outcome::Pending && !record.foreign && !before.contains(&record.key)
    };
    places.retain(|_, places| matches!(places[..], [only] if is_new(&records[only])));
    if places.is_empty() {
        return Ok(());
    }
    // Nor does one that led to several articles.
    let mut articles: HashMap<usize, Option<UrlKey>> = HashMap::new();
    for key in before.difference(&listed) {
        let Some(old) = engine.store.url(*key)? else { continue };
        let sign = signed(&old);
        let Some(&[place]) = sign.and_then(|sign| places.get(&sign)).map(Vec::as_slice) else {
            continue;
        };
        let article = match old.outcome {
            Outcome::Article => Some(old.key),
            Outcome::Known(article) => Some(article),
            _ => None,
        };
        let article = article.filter(|_| records[place].outlet == old.outlet);
        let known = articles.entry(place).or_insert(article);
        *known = known.filter(|known| article == Some(*known));
    }
    for (place, article) in articles {
        if let Some(article) = article {
            records[place].outcome = Outcome::Known(article);
        }
    }
    Ok(())
}

type Sign = (String, jiff::civil::DateTime, Option<i32>);

/// By what an entry is known again: the id that its feed gives it, and the time that it prints; midnight is the time of
/// feeds that know days only.
fn signed(record: &UrlRecord) -> Option<Sign> {
    let stamp =
        record.entry.published.as_ref().filter(|stamp| stamp.precision != Precision::Day)?;
    let midnight = stamp.local.time() == jiff::civil::Time::midnight();
    (!midnight).then_some((record.entry.id.clone()?, stamp.local, stamp.offset))
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
