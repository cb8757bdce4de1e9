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

use super::discover::words;
use super::gate::{Conditions, Denied, Turn};
use crate::crawl::Engine;
use crate::crawl::MAX_HOPS;
use crate::crawl::clock::{day, now};

/// What a feed says that is gone, the first time and again.
const GONE: &str = "HTTP status 410";

/// Polls the feed of a task. `Ok(None)`: nothing was asked, since the feed is gone from the store or
/// its pace key pauses.
pub(in crate::crawl) async fn poll(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    task: &Task,
) -> Result<Option<PollCommit>, Denied> {
    let store = engine.store.clone();
    let key = task.key;
    let Some(feed) = super::gate::blocking(move || store.feed(key)).await? else {
        return Ok(None);
    };
    if feed.status == FeedStatus::Paused {
        // Since the lease was taken: the task has gone with it.
        return Ok(None);
    }
    let at_first = now();
    let validators =
        schedule::validators(&feed.poll, at_first, engine.once(), &engine.settings.feed.schedule);
    let conditional = validators.is_some();
    let conditions = validators.map_or_else(Conditions::default, |v| Conditions {
        etag: v.etag,
        last_modified: v.last_modified,
        ..Conditions::default()
    });
    let section = feed.format == Some(FeedFormat::Section);
    let kind = if section { Kind::Page } else { Kind::Feed };
    let answer = request(engine, turn, &feed, kind, &conditions).await;
    let at = now();
    let target = match &answer {
        Ok(Reply::Answer { permanent: Some(to), .. } | Reply::Moved { to, .. }) => Some(to.clone()),
        _ => None,
    };
    let unwanted = match target {
        Some(to) => unwanted(engine, *to).await?,
        None => None,
    };
    let (mut hub, mut elsewhere) = (None, None);
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
        skips: None,
        retry_after: None,
        moved_to: None,
        result: PollResult::Unchanged,
    };
    match answer {
        Ok(Reply::Answer { response, permanent }) => {
            // One that was removed is not polled instead.
            let permanent = permanent.filter(|_| unwanted.is_none());
            poll.etag.clone_from(&response.headers.etag);
            poll.last_modified.clone_from(&response.headers.last_modified);
            poll.floor = response.headers.max_age;
            poll.retry_after = response.headers.retry_after;
            poll.moved_to = permanent.map(|to| to.url.to_string());
            let (mut reading, shared) = ((commit.clone(), poll.clone()), engine.clone());
            let work = engine.cores.start(response.body.len(), move || {
                let (commit, poll) = &mut reading;
                let mut hub = None;
                poll.result = read(&shared, commit, poll, &response, &mut hub);
                (reading, hub)
            });
            match work.await.await {
                Ok((reading, named)) => ((commit, poll), hub) = (reading, named),
                Err(_) => {
                    let message = "it cannot be read".to_owned();
                    poll.result = PollResult::Failed { class: FailureClass::Soft, message };
                }
            }
        }
        Ok(Reply::Moved { to, .. }) if unwanted.is_some() => {
            let message = format!("redirected to {}: {}", to.url, unwanted.unwrap_or_default());
            poll.result = PollResult::Failed { class: FailureClass::Hard, message };
        }
        Ok(Reply::Moved { to, permanent }) => {
            // It is polled there from now on; here it is asked whether it stays so.
            commit.feeds.push(heir(&commit.feed, &to, at));
            poll.moved_to = permanent.then(|| to.url.to_string());
            elsewhere = Some(to.url.to_string());
        }
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
    let before = commit.feed.poll;
    commit.feed.poll = schedule::after(&before, &poll, &engine.settings.feed.schedule);
    settle(engine, &mut commit, &poll, elsewhere);
    if let PollResult::Body { keys, .. } = &poll.result {
        let (shared, feed, keys) = (engine.clone(), commit.feed.clone(), keys.clone());
        let look = move || shared.twins.twin(shared.store.as_ref(), &feed, &keys);
        let twin = super::gate::blocking(look).await?;
        commit.feed.poll.duplicate_of = twin.as_ref().map(|twin| twin.key);
        if let Some(twin) = twin {
            let how = format!("it repeats {}", twin.url);
            let wait = engine.settings.feed.schedule.max.0;
            schedule::stretch(&mut commit.feed.poll, at, wait, &how);
        }
    }
    if nothing_new(&before, &poll.result) && engine.websub.pushes(key, at) {
        let wait = engine.settings.websub.poll.0;
        schedule::stretch(&mut commit.feed.poll, at, wait, schedule::PUSHED);
    }
    if let Some((hub, topic)) = hub.filter(|_| engine.settings.websub.callback.is_some()) {
        let shared = engine.clone();
        let wish = move || shared.websub.wish(shared.store.as_ref(), key, &hub, &topic);
        match tokio::task::spawn_blocking(wish).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(Denied::Store(format!("{error:#}"))),
            Err(error) => return Err(Denied::Store(error.to_string())),
        }
    }
    Ok(Some(commit))
}

/// What a poll says of the feed itself: it has moved for good, is gone, is back.
fn settle(
    engine: &Engine,
    commit: &mut PollCommit,
    poll: &schedule::Poll,
    elsewhere: Option<String>,
) {
    let longest = engine.settings.feed.schedule.failing_max.0;
    let feed = &mut commit.feed;
    match &poll.result {
        PollResult::Failed { class: FailureClass::Gone, .. } => feed.status = FeedStatus::Gone,
        PollResult::Failed { .. } => {}
        _ if poll.moved_to.is_some() && feed.poll.moved_to == poll.moved_to => {
            let to = poll.moved_to.as_deref().unwrap_or_default();
            let Ok(at) = address(to, None) else { return };
            if at.key == feed.key {
                // From http to https: the same feed at another door.
                feed.url = to.to_string();
                feed.poll.moved_to = None;
                return;
            }
            feed.status = FeedStatus::Gone;
            feed.poll.next = poll.at.saturating_add(longest);
            feed.poll.why = format!("moved for good to {to}, which is polled instead");
            commit.feeds.push(heir(&commit.feed, &at, poll.at));
        }
        _ => {
            feed.status = FeedStatus::Active;
            if let Some(to) = elsewhere {
                feed.poll.why = format!("redirected to {to}, which is polled, too");
            } else if poll.moved_to.is_none() {
                feed.poll.moved_to = None;
            }
        }
    }
}

/// Did a poll find only what was known, pushed or polled before?
fn nothing_new(before: &PollState, result: &PollResult) -> bool {
    match result {
        PollResult::Unchanged => true,
        PollResult::Body { keys, .. } => {
            let known: HashSet<&UrlKey> = before.recent.iter().collect();
            !known.is_empty() && keys.iter().take(known.len()).all(|key| known.contains(key))
        }
        PollResult::Failed { .. } => false,
    }
}

enum Reply {
    /// Neither a redirect nor unanswered; `permanent`: where a permanent redirect led.
    Answer { response: Box<Response>, permanent: Option<Box<Address>> },
    /// Redirected to another pace key, where it is polled as a feed of its own.
    Moved { to: Box<Address>, permanent: bool },
    /// No usable URL to ask.
    Astray(String),
}

/// The request with its redirects inside the pace key.
async fn request(
    engine: &Engine,
    turn: &mut Turn,
    feed: &Feed,
    kind: Kind,
    conditions: &Conditions,
) -> Result<Reply, Denied> {
    let mut target = match address(&feed.url, None) {
        Ok(address) => address,
        Err(error) => return Ok(Reply::Astray(error.to_string())),
    };
    let (mut permanent, mut lasting) = (None, true);
    for _ in 0..MAX_HOPS {
        let response = engine.gate.get(turn, &target, kind, conditions).await?;
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
            let permanent = lasting && matches!(response.status, 301 | 308);
            return Ok(Reply::Moved { to: Box::new(next), permanent });
        }
        // A move is for good as far as the first hops say so.
        lasting &= matches!(response.status, 301 | 308);
        if lasting {
            permanent = Some(Box::new(next.clone()));
        }
        target = next;
    }
    Ok(Reply::Astray("too many redirects".into()))
}

/// Why the operator does not want a feed polled that another one redirects to.
async fn unwanted(engine: &Arc<Engine>, to: Address) -> Result<Option<String>, Denied> {
    let store = engine.store.clone();
    let ask = move || {
        if store.feed_removed(to.key)? {
            let url = &to.url;
            return Ok(Some(format!("it was removed; `crawler seed {url}` takes that back")));
        }
        crate::crawl::orders::outlets::banned(store.as_ref(), &to.outlet)
    };
    super::gate::blocking(ask).await
}

fn failure(denied: &Denied) -> PollResult {
    let class = match denied {
        Denied::Failed(Failure::Dns(_)) | Denied::Inward(_) => FailureClass::Dns,
        Denied::Forbidden { .. } | Denied::Refused(_) => FailureClass::Hard,
        _ => FailureClass::Soft,
    };
    PollResult::Failed { class, message: words(denied) }
}

/// A feed that lives elsewhere now: it goes on there with all that was learned, but for what belongs
/// to the old address.
fn heir(feed: &Feed, to: &Address, at: Millis) -> Feed {
    Feed {
        key: to.key,
        url: to.url.to_string(),
        outlet: to.outlet.clone(),
        pace_key: to.pace_key.clone(),
        status: FeedStatus::Active,
        poll: PollState {
            next: at,
            failures: 0.0,
            last_error: None,
            etag: None,
            last_modified: None,
            body_hash: None,
            last_unconditional: None,
            last_body: None,
            conditional_run: 0,
            lying_validators: false,
            moving_to: None,
            moved_to: None,
            duplicate_of: None,
            ..feed.poll.clone()
        },
        ..feed.clone()
    }
}

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

/// Reads an answer into entries; `hub` becomes the hub that it names, and its name there.
fn read(
    engine: &Engine,
    commit: &mut PollCommit,
    poll: &mut schedule::Poll,
    response: &Response,
    hub: &mut Option<(String, String)>,
) -> PollResult {
    let failed = |class, message: String| PollResult::Failed { class, message };
    match response.status {
        304 => return PollResult::Unchanged,
        200..=299 => {}
        410 => {
            // Once may be an accident.
            let again = commit.feed.poll.last_error.as_deref() == Some(GONE);
            let class = if again { FailureClass::Gone } else { FailureClass::Hard };
            return failed(class, GONE.into());
        }
        status @ (404 | 408 | 425 | 429 | 500..=599) => {
            return failed(FailureClass::Soft, format!("HTTP status {status}"));
        }
        status => return failed(FailureClass::Hard, format!("HTTP status {status}")),
    }
    let url = poll.moved_to.clone().unwrap_or_else(|| commit.feed.url.clone());
    let parsed = if commit.feed.format == Some(FeedFormat::Section) {
        let parsed = section(engine, response, &url, &commit.feed.outlet);
        if parsed.entries.is_empty() {
            return failed(FailureClass::Soft, "no articles are linked here".into());
        }
        if trap(&commit.feed, &parsed) {
            return failed(FailureClass::Soft, "every link on it is another at each poll".into());
        }
        parsed
    } else {
        match parse(engine, response, &url) {
            Ok(parsed) => parsed,
            Err(error) => return failed(FailureClass::Soft, error.to_string()),
        }
    };
    let first_poll = commit.feed.poll.successes == 0;
    let feed = &mut commit.feed;
    feed.format = Some(parsed.format);
    feed.title = parsed.title.or(feed.title.take());
    feed.language = parsed.language.or(feed.language.take());
    // Headers go before the document (WebSub §4).
    let resolved = |link: &Option<String>| {
        let link = link.as_deref()?;
        address(link, Some(&url)).ok().map(|at| at.url.to_string())
    };
    let headers = &response.headers;
    *hub = resolved(&headers.hub)
        .or(parsed.hub)
        .map(|hub| (hub, resolved(&headers.own).or(parsed.topic).unwrap_or_else(|| url.clone())));
    let (entries, keys) = entries(engine, feed, parsed.entries, commit.at, first_poll);
    commit.entries = entries;
    for url in parsed.sitemaps {
        if let Ok(at) = address(&url, Some(&feed.url)) {
            let mut child = new_feed(&at, commit.at);
            child.group.clone_from(&feed.group);
            commit.feeds.push(child);
        }
    }
    poll.floor = poll.floor.max(Some(parsed.floor));
    poll.skips = Some(parsed.skips);
    PollResult::Body { hash: body_hash(&response.body), keys }
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

/// Reads a section page; what it links elsewhere is not this outlet's.
pub(in crate::crawl) fn section(
    engine: &Engine,
    response: &Response,
    url: &str,
    outlet: &str,
) -> feed::Parsed {
    let html = decode::html(&response.body, response.headers.content_type.as_deref(), None).text;
    let mut parsed = feed::section::parse(&html, url, &engine.settings.feed);
    parsed.entries.retain(|entry| address(&entry.url, None).is_ok_and(|at| at.outlet == outlet));
    parsed
}

/// So many links of a section page that none of the last poll is left: they change by themselves, by
/// session or by date, and would never end.
fn trap(feed: &Feed, parsed: &feed::Parsed) -> bool {
    const MANY: usize = 20;
    let known: HashSet<UrlKey> = feed.poll.recent.iter().copied().collect();
    let keys = parsed.entries.iter().filter_map(|entry| address(&entry.url, None).ok());
    known.len() >= MANY
        && parsed.entries.len() >= MANY
        && !keys.into_iter().any(|at| known.contains(&at.key))
}

/// Unpacks, decodes and parses a feed's answer.
pub(in crate::crawl) fn parse(
    engine: &Engine,
    response: &Response,
    url: &str,
) -> Result<feed::Parsed, feed::FeedError> {
    parse_bytes(engine, &response.body, response.headers.content_type.as_deref(), url)
}

/// The same of bytes that came otherwise.
pub(in crate::crawl) fn parse_bytes(
    engine: &Engine,
    bytes: &[u8],
    kind: Option<&str>,
    url: &str,
) -> Result<feed::Parsed, feed::FeedError> {
    let bytes = feed::unpack(bytes, &engine.settings.feed)?;
    let text = decode::feed(&bytes, kind).text;
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
