//! One poll of one feed: request, decode, parse, and what is to be committed about it.
//!
//! Must not know: pages, extraction, how the commit is written.

use std::collections::HashSet;
use std::sync::Arc;

use crate::decode;
use crate::feed;
use crate::feed::schedule::{self, FailureClass, PollResult};
use crate::fetch::{Kind, Response};
use crate::frontier::{Address, address};
use crate::mention::day::{Clues, published};
use crate::model::*;
use crate::store::PollCommit;

use super::clock::{day, now};
use super::discover::words;
use super::gate::{Conditions, Denied, Turn};
use super::{Engine, MAX_HOPS};

/// Polls the feed of a task. `Ok(None)`: nothing was asked, since the feed is gone from the store or
/// its pace key pauses.
pub(super) async fn poll(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    task: &Task,
) -> Result<Option<PollCommit>, Denied> {
    let store = engine.store.clone();
    let key = task.key;
    let Some(feed) = super::gate::blocking(move || store.feed(key)).await? else {
        return Ok(None);
    };
    let at_first = now();
    let validators =
        schedule::validators(&feed.poll, at_first, engine.once(), &engine.settings.feed.schedule);
    let conditional = validators.is_some();
    let conditions = validators.map_or_else(Conditions::default, |v| Conditions {
        etag: v.etag,
        last_modified: v.last_modified,
    });
    let answer = request(engine, turn, &feed, &conditions).await;
    let at = now();
    let mut commit = PollCommit {
        due: task.due,
        at,
        day: day(at, &engine.zone),
        succeeded: true,
        entries: Vec::new(),
        feeds: Vec::new(),
        feed,
    };
    let mut poll = schedule::Poll {
        at,
        conditional,
        etag: None,
        last_modified: None,
        floor: None,
        retry_after: None,
        moved_to: None,
        result: PollResult::Unchanged,
    };
    match answer {
        Ok(Reply::Answer { response, permanent }) => {
            poll.etag.clone_from(&response.headers.etag);
            poll.last_modified.clone_from(&response.headers.last_modified);
            poll.floor = response.headers.max_age;
            poll.retry_after = response.headers.retry_after;
            poll.moved_to = permanent;
            poll.result = read(engine, &mut commit, &mut poll, &response);
        }
        Ok(Reply::Moved(to)) => moved(&mut commit, &to),
        Ok(Reply::Astray(message)) => {
            poll.result = PollResult::Failed { class: FailureClass::Hard, message };
        }
        Err(denied @ (Denied::Fenced | Denied::Store(_))) => return Err(denied),
        Err(Denied::Paused(until)) => {
            // Nobody was asked: the poll stays due, and is made when the pause is over.
            turn.pace.blocked_until = turn.pace.blocked_until.max(until);
            return Ok(None);
        }
        Err(denied) => poll.result = failure(&denied),
    }
    commit.succeeded = !matches!(poll.result, PollResult::Failed { .. });
    commit.feed.poll = schedule::after(&commit.feed.poll, &poll, &engine.settings.feed.schedule);
    Ok(Some(commit))
}

enum Reply {
    /// Neither a redirect nor unanswered; `permanent`: where a permanent redirect led.
    Answer { response: Box<Response>, permanent: Option<String> },
    /// Redirected to another pace key, where it is polled as a feed of its own.
    Moved(Box<Address>),
    /// No usable URL to ask.
    Astray(String),
}

/// The request with its redirects inside the pace key.
async fn request(
    engine: &Engine,
    turn: &mut Turn,
    feed: &Feed,
    conditions: &Conditions,
) -> Result<Reply, Denied> {
    let mut target = match address(&feed.url, None) {
        Ok(address) => address,
        Err(error) => return Ok(Reply::Astray(error.to_string())),
    };
    let mut permanent = None;
    for _ in 0..MAX_HOPS {
        let response = engine.gate.get(turn, &target, Kind::Feed, conditions).await?;
        if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
            return Ok(Reply::Answer { response: Box::new(response), permanent });
        }
        let Some(next) = response.headers.location.as_deref() else {
            return Ok(Reply::Astray("redirect without a target".into()));
        };
        let next = match address(next, Some(target.url.as_str())) {
            Ok(next) => next,
            Err(error) => return Ok(Reply::Astray(format!("bad redirect: {error}"))),
        };
        if next.pace_key != turn.lease.pace_key {
            return Ok(Reply::Moved(Box::new(next)));
        }
        if matches!(response.status, 301 | 308) {
            permanent = Some(next.url.to_string());
        }
        target = next;
    }
    Ok(Reply::Astray("too many redirects".into()))
}

fn failure(denied: &Denied) -> PollResult {
    let class = match denied {
        Denied::Failed(Failure::Dns(_)) => FailureClass::Dns,
        Denied::Forbidden { .. } | Denied::Refused(_) => FailureClass::Hard,
        _ => FailureClass::Soft,
    };
    PollResult::Failed { class, message: words(denied) }
}

/// A feed that lives elsewhere now: the target becomes a feed of its own.
fn moved(commit: &mut PollCommit, to: &Address) {
    commit.feed.poll.moved_to = Some(to.url.to_string());
    commit.feed.status = FeedStatus::Gone;
    let mut next = new_feed(to, commit.at);
    next.group = commit.feed.group.clone();
    commit.feeds.push(next);
}

/// A feed nobody has polled yet, due at once.
pub(super) fn new_feed(at: &Address, now: Millis) -> Feed {
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

/// Reads an answer into entries.
fn read(
    engine: &Engine,
    commit: &mut PollCommit,
    poll: &mut schedule::Poll,
    response: &Response,
) -> PollResult {
    let failed = |class, message: String| PollResult::Failed { class, message };
    match response.status {
        304 => return PollResult::Unchanged,
        200..=299 => {}
        410 => return failed(FailureClass::Gone, "HTTP status 410".into()),
        status @ (404 | 408 | 425 | 429 | 500..=599) => {
            return failed(FailureClass::Soft, format!("HTTP status {status}"));
        }
        status => return failed(FailureClass::Hard, format!("HTTP status {status}")),
    }
    let url = poll.moved_to.clone().unwrap_or_else(|| commit.feed.url.clone());
    let parsed = match parse(engine, response, &url) {
        Ok(parsed) => parsed,
        Err(error) => return failed(FailureClass::Soft, error.to_string()),
    };
    let first_poll = commit.feed.poll.successes == 0;
    let feed = &mut commit.feed;
    feed.format = Some(parsed.format);
    feed.title = parsed.title.or(feed.title.take());
    feed.language = parsed.language.or(feed.language.take());
    let stamps = parsed.entries.iter().filter_map(|entry| entry.published.as_ref());
    feed.poll.offset = feed::date::usual_offset(stamps).or(feed.poll.offset);
    engine.zones.learn(feed);
    let mut keys = Vec::new();
    let mut seen = HashSet::new();
    for entry in parsed.entries {
        let record = record(engine, feed, entry, commit.at, first_poll);
        if seen.insert(record.key) {
            keys.push(record.key);
            commit.entries.push(record);
        }
    }
    for url in parsed.sitemaps {
        if let Ok(at) = address(&url, Some(&feed.url)) {
            let mut child = new_feed(&at, commit.at);
            child.group.clone_from(&feed.group);
            commit.feeds.push(child);
        }
    }
    poll.floor = poll.floor.max(Some(parsed.floor));
    PollResult::Body { hash: body_hash(&response.body), keys }
}

/// Unpacks, decodes and parses a feed's answer.
pub(super) fn parse(
    engine: &Engine,
    response: &Response,
    url: &str,
) -> Result<feed::Parsed, feed::FeedError> {
    let bytes = feed::unpack(&response.body, &engine.settings.feed)?;
    let kind = response.headers.content_type.as_deref();
    let text = decode::xml(&bytes, kind).text;
    feed::parse_text(&text, kind, url, &engine.settings.feed)
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

fn body_hash(body: &[u8]) -> u64 {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(body);
    u64::from_be_bytes(std::array::from_fn(|i| digest[i]))
}
