//! Finding the feeds of a site: links on its pages, sitemap lines of its robots.txt, common paths.
//! The pages are walked by the `spider` crate, which gets every byte through our own gate, so that
//! robots, pace and guard hold (its own robots handling does not follow RFC 9309).
//!
//! Must not know: the store, beyond leasing.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};

use crate::decode;
use crate::feed;
use crate::fetch::{Kind, Response};
use crate::frontier::{Address, address};

use super::gate::{Conditions, Denied, End, MAX_HOPS, Turn, Walk};
use super::read;
use crate::crawl::Engine;

/// Pages of one site looked at, at most.
pub const PAGE_BUDGET: u32 = 25;
/// Candidates requested to see whether they are feeds, at most.
const CANDIDATES: usize = 20;

/// A feed that answered and was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundFeed {
    pub url: String,
    pub title: Option<String>,
    pub format: crate::model::FeedFormat,
    pub entries: usize,
    /// Page or file that named it.
    pub via: String,
}

/// A page of headlines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundSection {
    pub url: String,
    /// Articles that it links.
    pub articles: usize,
}

/// What a site was found to offer, and what was not looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Discovery {
    pub feeds: Vec<FoundFeed>,
    /// Pages that link articles, looked for where there is no feed.
    pub sections: Vec<FoundSection>,
    pub pages: usize,
    /// URLs not requested: robots.txt, guard, or failed.
    pub refused: Vec<(String, String)>,
}

/// Looks for feeds at a URL: a feed itself, or a site.
pub async fn discover(engine: &Arc<Engine>, url: &str) -> Result<Discovery> {
    let start = address(&with_scheme(url), None).map_err(|e| anyhow!("{url}: {e}"))?;
    let mut turn = engine.gate.turn(&start).await.map_err(|d| anyhow!("{url}: {d}"))?;
    let mut found = Discovery::default();
    let result = look(engine, &mut turn, &start, &mut found).await;
    engine.gate.done(turn).await.map_err(anyhow::Error::new)?;
    result.map(|()| found)
}

fn with_scheme(url: &str) -> String {
    if url.contains("://") { url.to_string() } else { format!("https://{url}") }
}

async fn look(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    start: &Address,
    found: &mut Discovery,
) -> Result<()> {
    let mut candidates: Vec<(String, String)> = Vec::new();
    let (first, at) = match follow(engine, turn, start, Kind::Page).await {
        Ok(answer) => answer,
        Err(denied) => return Err(anyhow!("{}: {denied}", start.url)),
    };
    found.pages += 1;
    if let Some(parsed) = parse(engine, &first, &at) {
        found.feeds.push(feed_of(&at, parsed, "itself"));
        return Ok(());
    }
    links(&first, &at, &mut candidates);
    if let Ok(sitemaps) = engine.gate.sitemaps(turn, &at).await {
        let listed = feed::discover::sitemaps(&sitemaps);
        candidates.extend(listed.into_iter().map(|f| (f.url, "robots.txt".to_string())));
    }
    try_candidates(engine, turn, candidates, found).await;
    if found.feeds.is_empty() {
        let candidates = walk(engine, turn, &at, found).await;
        try_candidates(engine, turn, candidates, found).await;
    }
    if found.feeds.is_empty() {
        let guesses = feed::discover::paths(at.url.as_str())
            .into_iter()
            .map(|f| (f.url, "common path".to_string()))
            .collect();
        try_candidates(engine, turn, guesses, found).await;
    }
    if found.feeds.is_empty() {
        sections(engine, turn, &first, &at, found).await;
    }
    Ok(())
}

/// Keeps, of a page and the pages in its menus, those that link articles.
async fn sections(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    first: &Response,
    at: &Address,
    found: &mut Discovery,
) {
    note_section(engine, first, at, found);
    let html = decode::html(&first.body, first.headers.content_type.as_deref(), None).text;
    for url in feed::section::sections(&html, at.url.as_str()) {
        let Ok(page) = address(&url, None) else { continue };
        if page.pace_key != turn.lease.pace_key {
            continue;
        }
        match follow(engine, turn, &page, Kind::Page).await {
            Ok((response, at)) => {
                found.pages += 1;
                note_section(engine, &response, &at, found);
            }
            Err(denied) => found.refused.push((url, denied.to_string())),
        }
    }
}

fn note_section(engine: &Engine, response: &Response, at: &Address, found: &mut Discovery) {
    if !(200..300).contains(&response.status) {
        return;
    }
    let parsed = read::section(engine, response, at.url.as_str(), &at.outlet);
    let articles = parsed.entries.len();
    let url = at.url.to_string();
    if articles >= feed::section::FEWEST && !found.sections.iter().any(|s| s.url == url) {
        found.sections.push(FoundSection { url, articles });
    }
}

/// Requests candidates under the site's pace key and keeps what reads as a feed.
async fn try_candidates(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    candidates: Vec<(String, String)>,
    found: &mut Discovery,
) {
    let mut tried = BTreeSet::new();
    for (url, via) in candidates {
        let Ok(candidate) = address(&url, None) else { continue };
        if tried.len() >= CANDIDATES || !tried.insert(candidate.key) {
            continue;
        }
        if candidate.pace_key != turn.lease.pace_key {
            let why = "on another site; seed it by itself".to_string();
            found.refused.push((url, why));
            continue;
        }
        match follow(engine, turn, &candidate, Kind::Feed).await {
            Ok((response, at)) => {
                if let Some(parsed) = parse(engine, &response, &at)
                    && !found.feeds.iter().any(|f| f.url == at.url.as_str())
                {
                    found.feeds.push(feed_of(&at, parsed, &via));
                }
            }
            Err(denied) => found.refused.push((url, denied.to_string())),
        }
    }
}

fn feed_of(at: &Address, parsed: feed::Parsed, via: &str) -> FoundFeed {
    FoundFeed {
        url: at.url.to_string(),
        title: parsed.title,
        format: parsed.format,
        entries: parsed.entries.len(),
        via: via.to_string(),
    }
}

fn parse(engine: &Engine, response: &Response, at: &Address) -> Option<feed::Parsed> {
    if !(200..300).contains(&response.status) {
        return None;
    }
    let kind = response.headers.content_type.as_deref();
    read::feed(engine, &response.body, kind, at.url.as_str()).ok()
}

fn links(response: &Response, at: &Address, candidates: &mut Vec<(String, String)>) {
    let html = decode::html(&response.body, response.headers.content_type.as_deref(), None).text;
    for link in feed::discover::links(&html, at.url.as_str()) {
        candidates.push((link.url, at.url.to_string()));
    }
}

/// One request with its redirects inside the pace key, and where they led.
async fn follow(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    to: &Address,
    kind: Kind,
) -> Result<(Box<Response>, Address), Denied> {
    let mut walk = Walk::new(to.clone(), MAX_HOPS);
    match engine.gate.follow(turn, &mut walk, kind, &Conditions::default()).await? {
        End::Arrived(response) => Ok((response, walk.at().clone())),
        End::Moved { to, .. } => Err(Denied::Refused(format!("it lives at {} now", to.url))),
    }
}

#[cfg(not(feature = "discover"))]
async fn walk(
    _engine: &Arc<Engine>,
    _turn: &mut Turn,
    _at: &Address,
    _found: &mut Discovery,
) -> Vec<(String, String)> {
    Vec::new()
}

/// Walks section pages with spider's frontier (visited set, depth, budget, link extraction); each
/// of its fetches is a message to us and passes the gate.
#[cfg(feature = "discover")]
async fn walk(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    at: &Address,
    found: &mut Discovery,
) -> Vec<(String, String)> {
    use tokio::sync::{mpsc, oneshot};

    let (sender, mut asked) = mpsc::channel::<(String, oneshot::Sender<Option<Fetched>>)>(1);
    let mut site = spider::website::Website::new(at.url.as_str());
    site.with_limit(PAGE_BUDGET).with_depth(2).with_respect_robots_txt(false);
    site.with_remote_fetcher(remote::Fetcher { asked: sender });
    let crawl = tokio::spawn(async move { site.crawl_raw().await });
    let mut candidates = Vec::new();
    while let Some((url, answer)) = asked.recv().await {
        let fetched = match address(&url, None) {
            Ok(target) if target.pace_key == turn.lease.pace_key => {
                match follow(engine, turn, &target, Kind::Page).await {
                    Ok((response, at)) => {
                        found.pages += 1;
                        links(&response, &at, &mut candidates);
                        let url = at.url.to_string();
                        Some(Fetched { url, status: response.status, body: response.body })
                    }
                    Err(denied) => {
                        found.refused.push((url, denied.to_string()));
                        None
                    }
                }
            }
            _ => None,
        };
        // Spider may have dropped the request when its budget ran out.
        let _ = answer.send(fetched);
        if found.pages > PAGE_BUDGET as usize {
            break;
        }
    }
    drop(asked);
    crawl.abort();
    candidates
}

#[cfg(feature = "discover")]
struct Fetched {
    url: String,
    status: u16,
    body: Vec<u8>,
}

#[cfg(feature = "discover")]
mod remote {
    use spider::fetcher::{FetchContext, RemoteFetcher};
    use spider::utils::PageResponse;
    use tokio::sync::{mpsc, oneshot};

    /// Hands spider's requests to the walk, one at a time, and waits for the answer.
    pub(in crate::crawl) struct Fetcher {
        pub(in crate::crawl) asked: mpsc::Sender<(String, oneshot::Sender<Option<super::Fetched>>)>,
    }

    #[async_trait::async_trait]
    impl RemoteFetcher for Fetcher {
        async fn fetch(&self, context: FetchContext<'_>) -> PageResponse {
            let (answer, wait) = oneshot::channel();
            let mut page = PageResponse::default();
            if self.asked.send((context.url.to_string(), answer)).await.is_err() {
                return page;
            }
            if let Ok(Some(fetched)) = wait.await {
                page.final_url = Some(fetched.url);
                if let Ok(status) = spider::reqwest::StatusCode::from_u16(fetched.status) {
                    page.status_code = status;
                }
                page.content = Some(fetched.body);
            }
            page
        }
    }
}
