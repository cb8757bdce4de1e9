//! One article page: request with its redirects, then decode, extract, match — and the draft of
//! its outcome.
//!
//! Must not know: stories (joined at commit), how the commit is written.

mod read;

use std::sync::Arc;

use crate::archive::Exchange;
use crate::crawl::Engine;
use crate::crawl::clock::now;
use crate::fetch::{Extent, Kind, Response};
use crate::frontier::{Address, address, pace};
use crate::mention::day::{Clues, published};
use crate::model::*;
use crate::store::{BLOCKED, Ban};

use super::gate::{Conditions, Denied, Leads, MAX_HOPS, Turn, Walk, blocking};
use super::lineage;
use super::memory::{self, NamedMemory};
use super::signals::{self, Signals};

pub(in crate::crawl) use read::{
    Answer, ArticleDraft, Canonical, Found, Read, names_another, names_this_article, read,
};

/// A page's outcome before its story is known.
#[derive(Clone, Debug)]
pub(in crate::crawl) struct PageDraft {
    pub key: UrlKey,
    pub outcome: Outcome,
    pub at: Millis,
    pub retry: Option<(Millis, String)>,
    pub article: Option<ArticleDraft>,
    pub discovered: Vec<UrlRecord>,
    pub aliases: Vec<UrlKey>,
    pub canonical: Option<Canonical>,
}

impl PageDraft {
    /// What a page ends in, so far without an article.
    pub fn new(key: UrlKey, outcome: Outcome) -> PageDraft {
        PageDraft {
            key,
            outcome,
            at: now(),
            retry: None,
            article: None,
            discovered: Vec::new(),
            aliases: Vec::new(),
            canonical: None,
        }
    }

    /// Of a page that ends the process whenever it is read.
    pub fn quarantined(key: UrlKey) -> PageDraft {
        PageDraft::new(key, Outcome::Failed(Failure::Quarantined))
    }
}

/// Fetches and processes the page of a task. `Ok(None)`: nothing is known of the URL any more.
pub(in crate::crawl) async fn page(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    task: &Task,
) -> Result<Option<PageDraft>, Denied> {
    let (store, key) = (engine.store.clone(), task.key);
    let known = blocking(move || {
        let Some(record) = store.url(key)? else { return Ok(None) };
        let rule = store.outlet_rule(&record.outlet)?;
        let feed = store.feed(record.feed)?;
        Ok(Some((record, rule, feed)))
    });
    let Some((record, rule, feed)) = known.await? else { return Ok(None) };
    if let Some(feed) = &feed {
        engine.gate.charge(turn, &feed.outlet, &engine.zone).await?;
    }
    let mut draft = PageDraft::new(task.key, Outcome::Pending);
    let got = match rule.ban {
        Some(Ban::Blocked) => Ok(Got::Ended(Outcome::Refused(BLOCKED.into()))),
        Some(Ban::Forgotten) => Ok(Got::Ended(Outcome::Forgotten)),
        None => fetch(engine, turn, &record, feed.as_ref()).await,
    };
    match got {
        Ok(Got::Page { response, at }) => {
            let memory = memory(engine, &at.outlet).await?;
            process(engine, Found { record, feed, at, memory }, response, &mut draft).await;
        }
        Ok(Got::Ended(outcome)) => draft.outcome = outcome,
        Ok(Got::Moved(to)) => moved(engine, &record, feed.as_ref(), &to, &mut draft),
        Err(Denied::Forbidden { rule, line }) => draft.outcome = Outcome::Forbidden { rule, line },
        Err(Denied::Refused(why)) => draft.outcome = Outcome::Refused(why),
        Err(Denied::AddressDenied(why)) => match again(engine, &record, &Failure::Dns(why.clone()))
        {
            Some(at) => draft.retry = Some((at, format!("refused: {why}"))),
            None => draft.outcome = Outcome::Refused(why),
        },
        Err(Denied::RobotsUnreachable(why)) => {
            retry(engine, &record, Failure::RobotsUnreachable, Some(&why), &mut draft);
        }
        Err(Denied::Failed(failure @ Failure::Status(404 | 410))) => {
            match while_missing(engine, &record, feed.as_ref()) {
                Some(at) => draft.retry = Some((at, failure.words())),
                None => draft.outcome = Outcome::Failed(failure),
            }
        }
        // One of those before a host is known to limit its rate, perhaps. What only others have named is not worth it.
        Err(Denied::Failed(failure @ Failure::Status(403))) if !record.foreign => {
            let again = record.last_error.as_deref() == Some(&*failure.words());
            match pace::forbidden(again, now()) {
                Some(at) => draft.retry = Some((at, failure.words())),
                None => draft.outcome = Outcome::Failed(failure),
            }
        }
        Err(Denied::Failed(failure)) => {
            retry(engine, &record, failure, None, &mut draft);
        }
        Err(other @ (Denied::Paused(_) | Denied::Fenced | Denied::Store(_))) => return Err(other),
    }
    if let Some(article) = &draft.article {
        turn.keeps(kept(&article.record.article));
    }
    draft.at = now();
    Ok(Some(draft))
}

/// About so many bytes of the store an article takes: its text in blocks, as a whole, and as the terms of a print.
fn kept(article: &Article) -> usize {
    let blocks: usize = article.blocks.iter().map(|block| block.text.len()).sum();
    blocks + 2 * article.text.len()
}

/// What the pages of an outlet are read with today.
async fn memory(engine: &Arc<Engine>, outlet: &str) -> Result<Option<Arc<NamedMemory>>, Denied> {
    if !engine.settings.site_memory {
        return Ok(None);
    }
    let (shared, outlet) = (engine.clone(), outlet.to_owned());
    let made = move || shared.memories.of(shared.store.as_ref(), &outlet, memory::day_of(now()));
    blocking(made).await.map(Some)
}

enum Got {
    Page { response: Box<Response>, at: Box<Address> },
    Ended(Outcome),
    Moved(Box<Address>),
}

async fn fetch(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    record: &UrlRecord,
    feed: Option<&Feed>,
) -> Result<Got, Denied> {
    let at = match address(&record.entry.url, None) {
        Ok(address) => address,
        Err(error) => {
            return Ok(Got::Ended(Outcome::Failed(Failure::BadUrl(error.to_string()))));
        }
    };
    let mut walk = Walk::new(at, MAX_HOPS.saturating_sub(record.chain.len()));
    loop {
        let url = walk.at().url.to_string();
        let (response, leads) =
            engine.gate.step(turn, &mut walk, Kind::Page, &Conditions::default()).await?;
        let response = keep(engine, record, url, response).await?;
        match leads.map_err(Denied::Failed)? {
            Leads::Away { to, .. } => return Ok(Got::Moved(to)),
            // One pace key can have many outlets.
            Leads::On if !lineage::own(record, feed, &walk.at().outlet) => {
                return Ok(Got::Moved(Box::new(walk.at().clone())));
            }
            Leads::On => {
                if let Some(outcome) = known(engine, record, walk.at().key).await? {
                    return Ok(Got::Ended(outcome));
                }
            }
            Leads::Nowhere if (200..300).contains(&response.status) => {
                return Ok(Got::Page { response, at: Box::new(walk.at().clone()) });
            }
            Leads::Nowhere => {
                let status = response.status;
                let host = walk.at().url.host_str().unwrap_or_default();
                let (pace, settings) = (&turn.pace, &engine.settings.pace);
                let asked = response.headers.retry_after;
                let failure = pace::failure(status, asked, pace, host, turn.hearsay, settings);
                return Err(Denied::Failed(failure.unwrap_or(Failure::Status(status))));
            }
        }
    }
}

/// What an entry ends as that is redirected to the address of an article which is known already, or of an entry that is
/// about to be fetched for its own outlet. What only others have named, or what ended otherwise, ends nobody else's entry.
async fn known(engine: &Engine, record: &UrlRecord, at: UrlKey) -> Result<Option<Outcome>, Denied> {
    let store = engine.store.clone();
    let known = if at == record.key { None } else { blocking(move || store.url(at)).await? };
    Ok(known.and_then(|known| match known.outcome {
        Outcome::Forgotten => Some(Outcome::Forgotten),
        _ if known.key == record.key => None,
        Outcome::Article | Outcome::Known(_) => Some(Outcome::Known(known.key)),
        Outcome::Pending if !known.foreign => Some(Outcome::Known(known.key)),
        _ => None,
    }))
}

/// Writes an answer to the archive, if there is one. What cannot be archived ends the run: a gap
/// that nobody asked for would show only when the page is needed.
async fn keep(
    engine: &Arc<Engine>,
    record: &UrlRecord,
    url: String,
    response: Box<Response>,
) -> Result<Box<Response>, Denied> {
    if engine.archive.get().is_none() {
        return Ok(response);
    }
    let (response, withheld) = match engine.settings.signals {
        Signals::Record => (response, false),
        Signals::Obey => may_not_be_kept(engine, response).await?,
    };
    let mut metadata = vec![
        ("urlKey", record.key.to_string()),
        ("entry", record.entry.url.clone()),
        ("feed", record.feed.to_string()),
        ("fetchTimeMs", response.elapsed_ms.to_string()),
    ];
    if withheld {
        metadata.push(("withheld", "its publisher asks not to keep it (signals)".to_owned()));
    }
    let shared = engine.clone();
    let kept = tokio::task::spawn_blocking(move || {
        let written = shared.archive.get().map_or(Ok(()), |archive| {
            archive.write(&Exchange {
                url: &url,
                at: now(),
                address: response.addr.map(|addr| addr.ip()),
                request: &response.sent,
                status: response.status,
                fields: &response.fields,
                body: if withheld { &[] } else { &response.body },
                withheld,
                metadata: &metadata,
            })
        });
        written.map(|()| response)
    });
    match kept.await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => Err(Denied::Store(error.to_string())),
        Err(error) => Err(Denied::Store(format!("the archive did not return: {error}"))),
    }
}

/// Does an answer ask not to be kept, by its header or as a page? Told before the article is cut out, so that what ends
/// that is in the archive; only what ends the parser of pages is not.
async fn may_not_be_kept(
    engine: &Arc<Engine>,
    response: Box<Response>,
) -> Result<(Box<Response>, bool), Denied> {
    let (shared, answer) = (engine.clone(), Arc::new(response));
    let (bytes, judged) = (answer.body.len(), answer.clone());
    let judge = move || {
        let (headers, settings) = (&judged.headers, &shared.settings);
        let tag = headers.tdm_reservation.as_deref();
        let mut said = signals::of_header(&headers.x_robots_tag, tag);
        let kind = headers.content_type.as_deref();
        said.extend(signals::of_body(&judged.body, kind, &settings.extract));
        !signals::asked(&said, &settings.token).may_keep()
    };
    // Of what cannot be read nobody knows what it asks.
    let withheld = engine.cores.start(bytes, judge).await.await.unwrap_or(true);
    let response = Arc::into_inner(answer);
    let lost = || Denied::Store("an answer is still being judged".to_owned());
    Ok((response.ok_or_else(lost)?, withheld))
}

/// An entry ends where another one goes on.
fn moved(
    engine: &Engine,
    record: &UrlRecord,
    feed: Option<&Feed>,
    to: &Address,
    draft: &mut PageDraft,
) {
    draft.outcome = Outcome::Moved(to.key);
    let own = feed.is_some_and(|feed| feed.speaks_for(&to.outlet));
    draft.discovered.push(target(record, to, own, now(), &engine.zone));
}

/// The entry that a move leads to: a URL of its own, with this entry's hints if its feed speaks for
/// where it leads.
fn target(
    from: &UrlRecord,
    to: &Address,
    own: bool,
    now: Millis,
    zone: &jiff::tz::TimeZone,
) -> UrlRecord {
    let foreign = !own;
    let entry = if foreign {
        let url = lineage::canonical_url(to.url.as_str(), &to.canonical);
        Entry { url, ..Entry::default() }
    } else {
        Entry { url: to.url.to_string(), ..from.entry.clone() }
    };
    let mut chain = from.chain.clone();
    chain.push(from.entry.url.clone());
    let looping = chain.contains(&entry.url);
    let outcome = if looping {
        Outcome::Failed(Failure::RedirectLoop)
    } else if chain.len() >= MAX_HOPS {
        Outcome::Failed(Failure::TooManyRedirects)
    } else {
        Outcome::Pending
    };
    UrlRecord {
        key: to.key,
        canonical: to.canonical.clone(),
        outlet: to.outlet.clone(),
        pace_key: to.pace_key.clone(),
        feed: from.feed,
        entry,
        first_seen: now,
        arrival: day_of(now, zone),
        backlog: from.backlog,
        outcome,
        attempts: 0,
        next: now,
        last_error: None,
        chain,
        foreign,
        sight: if own { from.sight } else { Sight::First },
        arrived: Arrived::Seen,
    }
}

/// When an article came to be: by its feed's date, else by its first sight; `None`: what came without a
/// date with the first poll of a feed may be of any age.
fn since(engine: &Engine, record: &UrlRecord, feed: Option<&Feed>) -> Option<Millis> {
    let Some(stamp) = &record.entry.published else {
        return (!record.backlog).then_some(record.first_seen);
    };
    let clues = Clues {
        feed: Some(stamp),
        first_seen: record.first_seen,
        feed_offset: feed.and_then(|feed| feed.poll.offset),
        ..Clues::default()
    };
    Some(published(&clues, &engine.zone).at.min(record.first_seen))
}

/// How long an entry was put off that nobody has failed at yet: budgets have it wait for a day, which makes it no older.
fn waited(record: &UrlRecord) -> Millis {
    if record.attempts > 0 { 0 } else { record.next.saturating_sub(record.first_seen).max(0) }
}

/// When to ask again for a page that is not there, or not yet.
fn while_missing(engine: &Engine, record: &UrlRecord, feed: Option<&Feed>) -> Option<Millis> {
    let attempts = record.attempts.saturating_add(1);
    let since = since(engine, record, feed)?.saturating_add(waited(record));
    pace::missing(attempts, now(), since)
}

/// When an entry that has failed so is tried again.
fn again(engine: &Engine, record: &UrlRecord, failure: &Failure) -> Option<Millis> {
    let attempts = record.attempts.saturating_add(1);
    let since = record.first_seen.saturating_add(waited(record));
    pace::retry(attempts, failure, now(), since, &engine.settings.pace)
}

/// Tries again later, or gives up with the reason.
fn retry(
    engine: &Engine,
    record: &UrlRecord,
    failure: Failure,
    detail: Option<&str>,
    draft: &mut PageDraft,
) {
    match again(engine, record, &failure) {
        Some(at) => {
            let why = detail.map_or_else(
                || failure.name().to_string(),
                |detail| format!("{}: {detail}", failure.name()),
            );
            draft.retry = Some((at, why));
        }
        None => draft.outcome = Outcome::Failed(failure),
    }
}

/// How long after its first sight what others have named waits for its outlet's own feed …
const OWN_FEED: Millis = 6 * HOUR;
/// … and what is said of it meanwhile.
const WAITS: &str = "its time has no zone, and its outlet's feed may tell one";

/// Which day an article is of may depend on the feed of its outlet, which prints its instant, where nothing else tells a
/// zone: then others do not decide it by being the first to name it. Until when it waits: whatever went wrong with it
/// before, that instant stays the same, so it comes. A first sight that a clock which was ahead has noted is none to wait for.
fn waits_for_own_feed(record: &UrlRecord, published: &Published, now: Millis) -> Option<Millis> {
    let until = record.first_seen.saturating_add(OWN_FEED);
    let waits = record.foreign
        && (record.first_seen..until).contains(&now)
        && published.zone == ZoneSource::Assumed
        && published.precision != Precision::Day;
    waits.then_some(until)
}

/// Why an answer has no body that could be read.
fn why_unread(status: u16, content_type: Option<&str>) -> String {
    match status {
        // RFC 9110 §15.3.5: it has none, whatever its header says of it.
        204 => "no content (HTTP status 204)".to_owned(),
        _ => format!("content type {}", content_type.unwrap_or("unknown")),
    }
}

/// Decode, extract, match: on the blocking pool, watched by a wall-clock deadline from outside.
async fn process(
    engine: &Arc<Engine>,
    found: Found,
    response: Box<Response>,
    draft: &mut PageDraft,
) {
    let shared = engine.clone();
    let aliases = (found.at.key != found.record.key).then_some(found.at.key);
    let later = while_missing(engine, &found.record, found.feed.as_ref());
    let model = match engine.model() {
        Ok(model) => model,
        Err(why) => {
            engine.fail(why.to_string());
            draft.retry = Some((now(), why.to_string()));
            return;
        }
    };
    let found = Arc::new(found);
    let read_as = found.clone();
    let work = engine.cores.start(response.body.len(), move || {
        if response.extent == Extent::Unread {
            let kind = response.headers.content_type.as_deref();
            return Read::Ended(Outcome::NotArticle(why_unread(response.status, kind)));
        }
        let answer = Answer {
            content_type: response.headers.content_type.as_deref(),
            body: &response.body,
            robots_tag: &response.headers.x_robots_tag,
            reservation: response.headers.tdm_reservation.as_deref(),
            disposition: response.headers.content_disposition.as_deref(),
            canonical: response.headers.canonical.as_deref(),
        };
        read(&shared, &model, &read_as, &answer)
    });
    let work = work.await;
    let outcome = tokio::time::timeout(engine.settings.extract_deadline.duration(), work).await;
    draft.outcome = match outcome {
        Ok(Ok(Read::Article { article, canonical })) => {
            if let Some(until) = waits_for_own_feed(&found.record, &article.record.published, now())
            {
                draft.retry = Some((until, WAITS.to_owned()));
                return;
            }
            draft.article = Some(*article);
            draft.aliases.extend(aliases);
            draft.canonical = canonical;
            Outcome::Article
        }
        // It says so with status 200: it may be there later, like what is missing by its status.
        Ok(Ok(Read::Ended(Outcome::OtherPage(kind @ (PageType::Missing | PageType::Broken))))) => {
            let outcome = Outcome::OtherPage(kind);
            if let Some(at) = later {
                draft.retry = Some((at, outcome.name().to_owned()));
                return;
            }
            outcome
        }
        Ok(Ok(Read::Ended(outcome))) => outcome,
        Ok(Ok(Read::Moved(to))) => {
            moved(engine, &found.record, found.feed.as_ref(), &to, draft);
            return;
        }
        Ok(Err(_)) => Outcome::Failed(Failure::ExtractLimit("extraction failed".into())),
        Err(_) => Outcome::Failed(Failure::ExtractDeadline),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer without content was said to have the wrong content type, though it had the right one.
    #[test]
    fn what_has_no_content_says_so() {
        let check = |status, kind, expect| assert_eq!(why_unread(status, kind), expect);
        check(204, Some("text/html"), "no content (HTTP status 204)");
        check(200, Some("image/png"), "content type image/png");
        check(200, None, "content type unknown");
    }

    const SEEN: Millis = 1_790_000_000_000;

    fn record(foreign: bool, attempts: u32, next: Millis) -> UrlRecord {
        let at = address("https://a.example/n/1", None).unwrap();
        UrlRecord {
            key: at.key,
            canonical: at.canonical,
            outlet: at.outlet,
            pace_key: at.pace_key,
            feed: UrlKey(1),
            entry: Entry { url: at.url.to_string(), ..Entry::default() },
            first_seen: SEEN,
            arrival: utc_day(SEEN),
            backlog: false,
            outcome: Outcome::Pending,
            attempts,
            next,
            last_error: None,
            chain: Vec::new(),
            foreign,
            sight: Sight::First,
            arrived: Arrived::Seen,
        }
    }

    /// After any failure before, a page did not wait: who named it early decided its day after all.
    #[test]
    fn what_others_have_named_waits_until_one_instant() {
        use {Precision::*, ZoneSource::*};
        const UNTIL: Millis = SEEN + OWN_FEED;
        let check = |foreign, attempts, precision, zone, now, until: Option<Millis>| {
            let record = record(foreign, attempts, now);
            let (day, source) = (utc_day(SEEN), Source::JsonLd);
            let published = Published { at: SEEN, day, precision, zone, source, printed: None };
            let told = waits_for_own_feed(&record, &published, now);
            assert_eq!(told, until, "{foreign} {attempts} {precision:?} {zone:?} {now}");
        };
        check(true, 0, Minute, Assumed, SEEN, Some(UNTIL));
        check(true, 3, Minute, Assumed, SEEN + HOUR, Some(UNTIL));
        // It has waited, or the clock was ahead at its first sight.
        check(true, 1, Minute, Assumed, UNTIL, None);
        check(true, 0, Minute, Assumed, SEEN - 1, None);
        // Nothing is to be learnt from the feed.
        check(false, 0, Minute, Assumed, SEEN, None);
        check(true, 0, Day, Assumed, SEEN, None);
        check(true, 0, Instant, Printed, SEEN, None);
    }

    /// A page that had waited a day for the budget of its feed was given up at the first failure.
    #[test]
    fn what_was_put_off_is_no_older() {
        let check = |attempts, next, time| {
            assert_eq!(waited(&record(false, attempts, next)), time, "{attempts} {next}");
        };
        check(0, SEEN, 0);
        check(0, SEEN + DAY, DAY);
        check(1, SEEN + DAY, 0);
        check(0, SEEN - 1, 0);
    }
}
