//! One poll of one feed: request, decode, parse, and what is to be committed about it.
//!
//! Must not know: pages, extraction, how the commit is written.

mod answer;
mod moves;

use std::collections::HashSet;
use std::sync::Arc;

use crate::crawl::Engine;
use crate::crawl::clock::now;
use crate::feed::schedule::{self, FailureClass, PollResult};
use crate::fetch::{Kind, Response};
use crate::frontier::{Address, address};
use crate::model::*;
use crate::store::PollCommit;

use super::gate::{Conditions, Denied, End, MAX_HOPS, Turn, Walk, blocking};
use super::lineage;

/// What is said of a sitemap that lists no news.
const NO_NEWS: &str = "no news sitemap";

/// Polls the feed of a task. `Ok(None)`: nothing was asked, since the feed is gone from the store or is
/// paused.
pub(in crate::crawl) async fn poll(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    task: &Task,
) -> Result<Option<PollCommit>, Denied> {
    let store = engine.store.clone();
    let key = task.key;
    let Some(mut feed) = blocking(move || store.feed(key)).await? else {
        return Ok(None);
    };
    if feed.status == FeedStatus::Paused {
        // Since the lease was taken: the task has gone with it.
        return Ok(None);
    }
    if engine.once_since().is_some_and(|since| feed.poll.last > Some(since)) {
        // It was polled in this run, which a feed that lists more at each poll would else keep from its end.
        return Err(Denied::paused(now() + 2 * engine.settings.once_patience.0 + SECOND));
    }
    engine.gate.charge(turn, feed.account(), &engine.zone).await?;
    let parent = match feed.provenance.parent {
        Some(parent) => {
            let store = engine.store.clone();
            blocking(move || store.feed(parent)).await?
        }
        None => None,
    };
    let validators =
        schedule::validators(&feed.poll, now(), engine.once(), &engine.settings.feed.schedule);
    let conditional = validators.is_some();
    let conditions = validators.map_or_else(Conditions::default, |v| Conditions {
        etag: v.etag,
        last_modified: v.last_modified,
        ..Conditions::default()
    });
    let answer = match lineage::orphaned(parent.as_ref(), &feed) {
        Some(why) => Ok(Reply::NotAsked(why)),
        None => ask(engine, turn, &feed, &conditions).await,
    };
    let at = now();
    let mut poll = schedule::Poll { at, conditional, ..schedule::Poll::default() };
    let failed = |class, message| PollResult::Failed { class, message };
    let (mut entries, mut feeds, mut hub, mut elsewhere) = (Vec::new(), Vec::new(), None, None);
    match answer {
        Ok(Reply::Answer { response, at: found_at, permanent }) => {
            poll.etag.clone_from(&response.headers.etag);
            poll.last_modified.clone_from(&response.headers.last_modified);
            poll.floor = response.headers.max_age;
            poll.retry_after = response.headers.retry_after;
            // One that was removed is not polled instead.
            if let Some(to) = permanent
                && moves::follow(engine, &feed, &to, at).await?.is_ok()
            {
                poll.moved_to = Some(to.url.to_string());
            }
            let (shared, known) = (engine.clone(), feed.clone());
            let work = engine.cores.start(response.body.len(), move || {
                answer::content(&shared, known, parent.as_ref(), &found_at, &response, at)
            });
            match work.await.await {
                Ok(Ok(Some(content))) => {
                    poll.floor = poll.floor.max(Some(content.floor));
                    poll.skips = Some(content.skips);
                    poll.result = PollResult::Body { hash: content.hash, keys: content.keys };
                    (feed, hub) = (content.feed, content.hub);
                    (entries, feeds) = (content.entries, content.feeds);
                }
                Ok(Ok(None)) if poll.conditional => {}
                // There is nothing that it could be the same as (RFC 9110 §15.4.5).
                Ok(Ok(None)) => {
                    let why = "HTTP status 304, though the request had no condition";
                    poll.result = failed(FailureClass::Soft, why.into());
                }
                Ok(Err(result)) => poll.result = result,
                Err(_) => poll.result = failed(FailureClass::Soft, "it cannot be read".into()),
            }
        }
        Ok(Reply::NotAsked(why)) => poll.result = failed(FailureClass::Gone, why),
        Ok(Reply::Moved { to, permanent }) => {
            match moves::lead(engine, &feed, &to, permanent, at).await? {
                Err(why) => {
                    let message = format!("redirected to {}: {why}", to.url);
                    poll.result = failed(FailureClass::Hard, message);
                }
                Ok(mut lead) => {
                    // It is polled there from now on; here it is asked whether it stays so.
                    feeds.extend(lead.heir.take());
                    poll.moved_to = permanent.then(|| lead.to.clone());
                    if !lead.thrives {
                        poll.result = PollResult::Elsewhere;
                    }
                    elsewhere = Some(lead);
                }
            }
        }
        Err(denied @ (Denied::Paused(_) | Denied::Fenced | Denied::Store(_))) => {
            return Err(denied);
        }
        Err(denied) => poll.result = failure(&denied),
    }
    if elsewhere.is_none() && shows_all(&feed, &poll.result) {
        feed.provenance.listed = Some(at);
    }
    let mut before = feed.poll;
    if let Some((interval, rate)) = elsewhere.as_ref().and_then(|lead| lead.arrivals) {
        (before.interval, before.rate) = (interval, rate);
    }
    feed.poll = schedule::after(&before, &poll, &engine.settings.feed.schedule);
    if matches!(poll.result, PollResult::Body { .. } | PollResult::Unchanged) {
        if lineage::is_plain(&feed, at) {
            schedule::stretch(&mut feed.poll, at, lineage::WITHOUT_NEWS, NO_NEWS);
        } else {
            feed.poll.why.push_str(&unread(&feed));
        }
    }
    feeds.extend(moves::follow_fate(engine, &mut feed, &poll, elsewhere.as_ref()));
    if let PollResult::Body { keys, .. } = &poll.result {
        let (shared, polled, keys) = (engine.clone(), feed.clone(), keys.clone());
        let look = move || shared.twins.twin(shared.store.as_ref(), &polled, &keys);
        let twin = blocking(look).await?;
        feed.poll.duplicate_of = twin.as_ref().map(|twin| twin.key);
        if let Some(twin) = twin {
            let how = format!("it repeats {}", twin.url);
            let wait = engine.settings.feed.schedule.max.0;
            schedule::stretch(&mut feed.poll, at, wait, &how);
        }
    }
    if nothing_new(&before, &poll.result) && engine.websub.pushes(key, at) {
        let wait = engine.settings.websub.poll.0;
        schedule::stretch(&mut feed.poll, at, wait, schedule::PUSHED);
    }
    if let Some((hub, topic)) = hub.filter(|_| engine.settings.websub.callback.is_some()) {
        // A redirect that may end tomorrow renames nothing.
        let lasting = || poll.moved_to.clone().unwrap_or_else(|| feed.url.clone());
        let topic = topic.unwrap_or_else(lasting);
        let shared = engine.clone();
        let wish = move || shared.websub.wish(shared.store.as_ref(), key, &hub, &topic);
        match tokio::task::spawn_blocking(wish).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(Denied::Store(format!("{error:#}"))),
            Err(error) => return Err(Denied::Store(error.to_string())),
        }
    }
    let succeeded = !matches!(poll.result, PollResult::Failed { .. });
    let day = day_of(at, &engine.zone);
    let begins = day_begins(day, &engine.zone).unwrap_or(at);
    let (due, pushed) = (task.due, false);
    Ok(Some(PollCommit { due, at, day, begins, succeeded, pushed, entries, feeds, feed }))
}

/// What is committed of a feed that ends the process whenever it is read: nobody is asked, and it is tried
/// again after a day. `Ok(None)`: it is gone from the store or is paused.
pub(in crate::crawl) async fn quarantined(
    engine: &Arc<Engine>,
    task: &Task,
) -> Result<Option<PollCommit>, Denied> {
    let (store, key) = (engine.store.clone(), task.key);
    let known = blocking(move || store.feed(key)).await?;
    let Some(mut feed) = known.filter(|feed| feed.status != FeedStatus::Paused) else {
        return Ok(None);
    };
    let at = now();
    let message = "quarantined: the crawler ended twice while nothing but this feed was read";
    let result = PollResult::Failed { class: FailureClass::Hard, message: message.into() };
    let poll = schedule::Poll { at, result, ..schedule::Poll::default() };
    feed.poll = schedule::after(&feed.poll, &poll, &engine.settings.feed.schedule);
    feed.poll.next = feed.poll.next.max(at.saturating_add(DAY));
    feed.poll.why = "quarantined: asked again after a day".to_owned();
    let day = day_of(at, &engine.zone);
    let begins = day_begins(day, &engine.zone).unwrap_or(at);
    let (due, succeeded, pushed) = (task.due, false, false);
    let (entries, feeds) = (Vec::new(), Vec::new());
    Ok(Some(PollCommit { due, at, day, begins, succeeded, pushed, entries, feeds, feed }))
}

/// Did an answer show all that the feed lists? An empty one is taken for a mishap, and so is what says
/// that it is unchanged.
fn shows_all(feed: &Feed, result: &PollResult) -> bool {
    match result {
        PollResult::Unchanged => {
            feed.provenance.listed.is_some() && feed.provenance.listed >= feed.poll.last_body
        }
        PollResult::Body { keys, .. } => !keys.is_empty(),
        PollResult::Elsewhere | PollResult::Failed { .. } => false,
    }
}

/// What of a feed's last body is not read, in words.
fn unread(feed: &Feed) -> String {
    match (feed.provenance.left_out, feed.format) {
        (0, Some(FeedFormat::Sitemap)) => format!("; {NO_NEWS}"),
        (0, _) => String::new(),
        (1, _) => "; 1 item beyond the newest is left out (feed.max_entries)".to_owned(),
        (n, _) => format!("; {n} items beyond the newest are left out (feed.max_entries)"),
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
        PollResult::Elsewhere | PollResult::Failed { .. } => false,
    }
}

enum Reply {
    /// It is no longer wanted.
    NotAsked(String),
    /// `at`: the URL that gave it; `permanent`: where permanent redirects have led.
    Answer { response: Box<Response>, at: String, permanent: Option<Address> },
    /// Redirected to another pace key, where it is polled as a feed of its own.
    Moved { to: Box<Address>, permanent: bool },
}

/// The request with its redirects inside the pace key.
async fn ask(
    engine: &Engine,
    turn: &mut Turn,
    feed: &Feed,
    conditions: &Conditions,
) -> Result<Reply, Denied> {
    let section = feed.format == Some(FeedFormat::Section);
    let kind = if section { Kind::Page } else { Kind::Feed };
    let start = address(&feed.url, None)
        .map_err(|error| Denied::Failed(Failure::BadUrl(error.to_string())))?;
    let mut walk = Walk::new(start, MAX_HOPS);
    Ok(match engine.gate.follow(turn, &mut walk, kind, conditions).await? {
        End::Arrived(response) => Reply::Answer {
            response,
            at: walk.at().url.to_string(),
            permanent: walk.permanent().cloned(),
        },
        End::Moved { to, permanent } => Reply::Moved { to, permanent },
    })
}

fn failure(denied: &Denied) -> PollResult {
    let class = match denied {
        Denied::Failed(Failure::Dns(_)) | Denied::AddressDenied(_) => FailureClass::Dns,
        Denied::Failed(
            Failure::BadUrl(_)
            | Failure::BadRedirect(_)
            | Failure::RedirectLoop
            | Failure::TooManyRedirects,
        )
        | Denied::Forbidden { .. }
        | Denied::Refused(_) => FailureClass::Hard,
        _ => FailureClass::Soft,
    };
    PollResult::Failed { class, message: denied.to_string() }
}
