//! One article page: request with its redirects, then decode, extract, match — and the draft of
//! its outcome.
//!
//! Must not know: stories (joined at commit), how the commit is written.

use std::sync::Arc;

use crate::archive::Exchange;
use crate::decode;
use crate::dedupe::Print;
use crate::extract::{self, Model};
use crate::fetch::{Extent, Kind, Response};
use crate::frontier::{Address, address, pace};
use crate::mention;
use crate::model::*;
use crate::store::{BLOCKED, Ban};

use super::gate::{Conditions, Denied, Turn, blocking};
use super::memory::{self, Made};
use super::signals::{self, Asked, Signals};
use crate::crawl::Engine;
use crate::crawl::MAX_HOPS;
use crate::crawl::clock::now;
use crate::crawl::run::commit::{ArticleDraft, PageDraft};

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
    let mut draft = PageDraft {
        key: task.key,
        outcome: Outcome::Pending,
        at: now(),
        retry: None,
        article: None,
        discovered: Vec::new(),
        aliases: Vec::new(),
    };
    let got = match rule.ban {
        Some(Ban::Blocked) => Ok(Got::Ended(Outcome::Refused(BLOCKED.into()))),
        Some(Ban::Forgotten) => Ok(Got::Ended(Outcome::Forgotten)),
        None => fetch(engine, turn, &record).await,
    };
    match got {
        Ok(Got::Page { response, at }) => {
            let memory = memory(engine, &at.outlet).await?;
            process(engine, Found { record, feed, at, memory }, response, &mut draft).await;
        }
        Ok(Got::Ended(outcome)) => draft.outcome = outcome,
        Ok(Got::Moved(to)) => {
            draft.outcome = Outcome::Moved(to.key);
            draft.discovered.push(target(&record, &to, now(), &engine.zone));
        }
        Err(Denied::Forbidden { rule, line }) => draft.outcome = Outcome::Forbidden { rule, line },
        Err(Denied::Refused(why)) => draft.outcome = Outcome::Refused(why),
        Err(Denied::Inward(why)) => match again(engine, &record, &Failure::Dns(why.clone())) {
            Some(at) => draft.retry = Some((at, format!("refused: {why}"))),
            None => draft.outcome = Outcome::Refused(why),
        },
        Err(Denied::RobotsUnreachable(why)) => {
            retry(engine, &record, Failure::RobotsUnreachable, Some(&why), &mut draft);
        }
        Err(Denied::Failed(failure)) => {
            retry(engine, &record, failure, None, &mut draft);
        }
        Err(Denied::Paused(until)) => {
            draft.retry = Some((until, "the server asked for a pause".into()));
        }
        Err(other @ (Denied::Fenced | Denied::Store(_))) => return Err(other),
    }
    draft.at = now();
    Ok(Some(draft))
}

/// What the pages of an outlet are read with today.
async fn memory(engine: &Arc<Engine>, outlet: &str) -> Result<Option<Arc<Made>>, Denied> {
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

async fn fetch(engine: &Arc<Engine>, turn: &mut Turn, record: &UrlRecord) -> Result<Got, Denied> {
    let mut at = match address(&record.entry.url, None) {
        Ok(address) => address,
        Err(error) => {
            return Ok(Got::Ended(Outcome::Failed(Failure::BadUrl(error.to_string()))));
        }
    };
    let mut seen = vec![at.url.to_string()];
    for _ in 0..MAX_HOPS.saturating_sub(record.chain.len()) {
        let response = engine.gate.get(turn, &at, Kind::Page, &Conditions::default()).await?;
        let response = keep(engine, record, &at, response).await?;
        match response.status {
            200..=299 => {
                return Ok(Got::Page { response: Box::new(response), at: Box::new(at) });
            }
            301 | 302 | 303 | 307 | 308 => {
                let next = response.headers.location.as_deref().unwrap_or_default();
                let next = match address(next, Some(at.url.as_str())) {
                    Ok(next) => next,
                    Err(error) => {
                        let failure = Failure::BadRedirect(error.to_string());
                        return Ok(Got::Ended(Outcome::Failed(failure)));
                    }
                };
                if seen.contains(&next.url.to_string()) {
                    return Ok(Got::Ended(Outcome::Failed(Failure::RedirectLoop)));
                }
                if next.pace_key != turn.lease.pace_key {
                    return Ok(Got::Moved(Box::new(next)));
                }
                if next.key != record.key {
                    let (store, key) = (engine.store.clone(), next.key);
                    if let Some(known) = blocking(move || store.url(key)).await? {
                        if known.outcome == Outcome::Forgotten {
                            return Ok(Got::Ended(Outcome::Forgotten));
                        }
                        if known.key != record.key {
                            return Ok(Got::Ended(Outcome::Known(known.key)));
                        }
                    }
                }
                seen.push(next.url.to_string());
                at = next;
            }
            status => {
                let failure = pace::failure(status, &turn.pace, &engine.settings.pace);
                return Err(Denied::Failed(failure.unwrap_or(Failure::Status(status))));
            }
        }
    }
    Ok(Got::Ended(Outcome::Failed(Failure::TooManyRedirects)))
}

/// Writes an answer to the archive, if there is one. What cannot be archived ends the run: a gap
/// that nobody asked for would show only when the page is needed.
async fn keep(
    engine: &Arc<Engine>,
    record: &UrlRecord,
    at: &Address,
    response: Response,
) -> Result<Response, Denied> {
    if engine.archive.get().is_none() {
        return Ok(response);
    }
    let metadata = [
        ("urlKey", record.key.to_string()),
        ("entry", record.entry.url.clone()),
        ("feed", record.feed.to_string()),
        ("fetchTimeMs", response.elapsed_ms.to_string()),
    ];
    let (shared, url) = (engine.clone(), at.url.to_string());
    let kept = tokio::task::spawn_blocking(move || {
        let written = shared.archive.get().map_or(Ok(()), |archive| {
            archive.write(&Exchange {
                url: &url,
                at: now(),
                address: response.addr.map(|addr| addr.ip()),
                request: &response.sent,
                status: response.status,
                fields: &response.fields,
                body: &response.body,
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

/// The entry that a move leads to: a URL of its own, with this entry's hints.
fn target(from: &UrlRecord, to: &Address, now: Millis, zone: &jiff::tz::TimeZone) -> UrlRecord {
    let mut entry = from.entry.clone();
    entry.url = to.url.to_string();
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
        arrival: crate::crawl::clock::day(now, zone),
        backlog: from.backlog,
        outcome,
        attempts: 0,
        next: now,
        last_error: None,
        chain,
    }
}

/// When an entry that has failed so is tried again.
fn again(engine: &Engine, record: &UrlRecord, failure: &Failure) -> Option<Millis> {
    let attempts = record.attempts.saturating_add(1);
    pace::retry(attempts, failure, now(), record.first_seen, &engine.settings.pace)
}

/// Tries again later, or gives up with the reason (`frontier::pace` decides).
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

/// Decode, extract, match: on the blocking pool, watched by a wall-clock deadline from outside.
async fn process(
    engine: &Arc<Engine>,
    found: Found,
    response: Box<Response>,
    draft: &mut PageDraft,
) {
    let shared = engine.clone();
    let aliases = (found.at.key != found.record.key).then_some(found.at.key);
    let model = match engine.model() {
        Ok(model) => model,
        Err(why) => {
            engine.fail(why.to_string());
            draft.retry = Some((now(), why.to_string()));
            return;
        }
    };
    let work = engine.cores.start(response.body.len(), move || {
        if response.extent == Extent::Unread {
            let kind = response.headers.content_type.as_deref().unwrap_or("unknown");
            return Read::Ended(Outcome::NotArticle(format!("content type {kind}")));
        }
        let answer = Answer {
            content_type: response.headers.content_type.as_deref(),
            body: &response.body,
            robots_tag: &response.headers.x_robots_tag,
            reservation: response.headers.tdm_reservation.as_deref(),
            canonical: response.headers.canonical.as_deref(),
        };
        read(&shared, &model, &found, &answer)
    });
    let work = work.await;
    let outcome = tokio::time::timeout(engine.settings.extract_deadline.duration(), work).await;
    draft.outcome = match outcome {
        Ok(Ok(Read::Article { article, canonical })) => {
            draft.article = Some(*article);
            draft.aliases.extend(aliases);
            draft.aliases.extend(canonical);
            Outcome::Article
        }
        Ok(Ok(Read::Ended(outcome))) => outcome,
        Ok(Err(_)) => Outcome::Failed(Failure::ExtractLimit("extraction failed".into())),
        Err(_) => Outcome::Failed(Failure::ExtractDeadline),
    };
}

/// What reading a page ends in.
pub(in crate::crawl) enum Read {
    Article { article: Box<ArticleDraft>, canonical: Option<UrlKey> },
    Ended(Outcome),
}

/// What is known of a page before it is read.
pub(in crate::crawl) struct Found {
    pub record: UrlRecord,
    pub feed: Option<Feed>,
    /// Where it was found, after redirects.
    pub at: Box<Address>,
    /// The memory of its outlet.
    pub memory: Option<Arc<Made>>,
}

/// What of an answer counts for the article.
pub(in crate::crawl) struct Answer<'a> {
    pub content_type: Option<&'a str>,
    pub body: &'a [u8],
    /// Values of `X-Robots-Tag`.
    pub robots_tag: &'a [String],
    /// Value of `TDM-Reservation`.
    pub reservation: Option<&'a str>,
    /// Target of a `Link` header with `rel=canonical` (RFC 6596), for pages that do not say.
    pub canonical: Option<&'a str>,
}

/// A page's bytes become an article with its mentions, or the reason why not.
pub(in crate::crawl) fn read(
    engine: &Engine,
    model: &Model,
    found: &Found,
    answer: &Answer<'_>,
) -> Read {
    let Found { record, feed, at, memory } = found;
    let content_type = answer.content_type;
    if let Some(kind) = content_type.filter(|kind| !is_page(kind)) {
        return Read::Ended(Outcome::NotArticle(format!("content type {kind}")));
    }
    let tld = at.url.host_str().and_then(|host| host.rsplit('.').next());
    let decoded = decode::html(answer.body, content_type, tld);
    let hints = extract::Hints {
        url: Some(at.url.as_str()),
        feed_title: record.entry.title.as_deref(),
        feed_summary: record.entry.summary.as_deref(),
        feed_published: record.entry.published.as_ref(),
        feed_language: record
            .entry
            .language
            .as_deref()
            .or_else(|| feed.as_ref().and_then(|f| f.language.as_deref())),
        memory: memory.as_ref().map(|made| &made.memory),
    };
    let extraction = extract::article(&decoded.text, &hints, model, &engine.settings.extract);
    if let Some(limit) = extraction.limit {
        return Read::Ended(Outcome::Failed(Failure::ExtractLimit(limit)));
    }
    let mut article = extraction.article;
    for value in answer.robots_tag {
        article.signals.push(format!("{}{value}", signals::TAG));
    }
    if let Some(value) = answer.reservation {
        article.signals.push(format!("tdm-reservation={value}"));
    }
    if article.text.trim().is_empty() {
        return Read::Ended(Outcome::NotArticle("no text".into()));
    }
    if article.page_type == PageType::Multiple {
        return Read::Ended(Outcome::NotArticle("a page of many entries".into()));
    }
    let asked = match engine.settings.signals {
        Signals::Record => Asked::default(),
        Signals::Obey => signals::asked(&article.signals, &engine.settings.token),
    };
    if asked.no_index {
        return Read::Ended(Outcome::NotArticle("noindex".into()));
    }
    let clues = mention::day::Clues {
        page: article.published.as_ref(),
        feed: record.entry.published.as_ref(),
        first_seen: record.first_seen,
        feed_offset: feed.as_ref().and_then(|f| f.poll.offset),
        page_offset: article.modified.as_ref().and_then(|stamp| stamp.offset),
        outlet_offset: engine.zones.of(&at.outlet),
    };
    let published = mention::day::published(&clues, &engine.zone);
    let canonical = article
        .canonical
        .as_ref()
        .map(|found| found.value.as_str())
        .or(answer.canonical)
        .and_then(|canonical| address(canonical, Some(at.url.as_str())).ok())
        .filter(|canonical| names_this_article(canonical, at))
        .map(|canonical| canonical.key)
        .filter(|key| *key != record.key && *key != at.key);
    let watch = engine.watch.read().unwrap_or_else(|e| e.into_inner()).clone();
    let print = Print::of(&article.text);
    let record = ArticleRecord {
        key: record.key,
        url: record.entry.url.clone(),
        final_url: at.url.to_string(),
        outlet: at.outlet.clone(),
        feed: record.feed,
        feed_title: record.entry.title.clone(),
        backlog: record.backlog,
        first_seen: record.first_seen,
        fetched: now(),
        charset: (decoded.encoding.to_string(), decoded.source.name().to_string()),
        published,
        article,
        memory: memory.as_ref().and_then(|made| made.used.clone()),
    };
    let mentions = watch.rows(&record);
    let brand_set = watch.set.version.clone();
    let record = if asked.no_text { record.without_text() } else { record };
    let printed = memory::remembered(&record, &engine.settings.retention);
    Read::Article {
        article: Box::new(ArticleDraft { record, mentions, brand_set, print, printed }),
        canonical,
    }
}

/// Anything that calls itself HTML or text, or does not say.
fn is_page(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind.is_empty()
        || kind.contains("html")
        || kind == "text/plain"
        || kind == "application/octet-stream"
        || kind == "application/xml"
        || kind == "text/xml"
}

/// A canonical link is believed within the outlet and when it is not the front page: many sites
/// name their home page as everybody's canonical URL.
pub(in crate::crawl) fn names_this_article(canonical: &Address, at: &Address) -> bool {
    canonical.outlet == at.outlet && (canonical.url.path() != "/" || at.url.path() == "/")
}
