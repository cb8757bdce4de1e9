//! Finding the feeds of a site: links on its pages, sitemap lines of its robots.txt, common paths.
//! Where the first page names none, the pages that it links are walked, and the pages that those link; every
//! byte comes through the gate, so that robots, pace and guard hold.
//!
//! Must not know: the store, beyond leasing.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};

use crate::decode;
use crate::feed;
use crate::fetch::{Kind, Response};
use crate::frontier::{Address, address};
use crate::model::UrlKey;

use super::gate::{Conditions, Denied, End, MAX_HOPS, Turn, Walk};
use super::read;
use crate::crawl::Engine;

/// Pages of one site looked at, at most.
pub const PAGE_BUDGET: u32 = 25;
/// Links from the first page to the farthest that is walked to.
const DEPTH: u32 = 2;
/// Candidates requested to see whether they are feeds, at most, of each kind; the others are named.
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
    /// URLs not requested, or not answered, and why: robots.txt, guard, a failure, too many of them.
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
    if let Some(parsed) = parse(engine, &first, &at).filter(|parsed| parsed.no_news().is_none()) {
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
        let candidates = walk(engine, turn, &first, &at, found).await;
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
    for url in feed::section::sections(&html_of(first), at.url.as_str()) {
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
    let (mut seen, mut tried) = (BTreeSet::new(), 0);
    for (url, via) in candidates {
        let Ok(candidate) = address(&url, None) else { continue };
        if !seen.insert(candidate.key) {
            continue;
        }
        if candidate.pace_key != turn.lease.pace_key {
            let why = "on another site; seed it by itself".to_string();
            found.refused.push((url, why));
            continue;
        }
        if tried >= CANDIDATES {
            let why = format!("{CANDIDATES} others were looked at; seed it by itself");
            found.refused.push((url, why));
            continue;
        }
        tried += 1;
        match follow(engine, turn, &candidate, Kind::Feed).await {
            Ok((response, at)) => {
                let known = found.feeds.iter().any(|f| f.url == at.url.as_str());
                let Some(parsed) = parse(engine, &response, &at).filter(|_| !known) else {
                    continue;
                };
                match parsed.no_news() {
                    Some(why) => found.refused.push((url, why)),
                    None => found.feeds.push(feed_of(&at, parsed, &via)),
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
    for link in feed::discover::links(&html_of(response), at.url.as_str()) {
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

/// Walks the pages that the first one links, breadth first, and names the feeds that they link.
async fn walk(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    first: &Response,
    at: &Address,
    found: &mut Discovery,
) -> Vec<(String, String)> {
    let mut candidates = Vec::new();
    let mut seen = BTreeSet::from([at.key]);
    let mut queue = VecDeque::new();
    enqueue(&mut queue, &mut seen, first, at, 1);
    for _ in 0..PAGE_BUDGET {
        let Some((page, depth)) = queue.pop_front() else { break };
        match follow(engine, turn, &page, Kind::Page).await {
            Ok((response, at)) => {
                found.pages += 1;
                seen.insert(at.key);
                links(&response, &at, &mut candidates);
                if depth < DEPTH {
                    enqueue(&mut queue, &mut seen, &response, &at, depth + 1);
                }
            }
            Err(denied) => found.refused.push((page.url.to_string(), denied.to_string())),
        }
    }
    candidates
}

/// Adds the pages of the same site that a page links, and that are not in the queue yet.
fn enqueue(
    queue: &mut VecDeque<(Address, u32)>,
    seen: &mut BTreeSet<UrlKey>,
    response: &Response,
    at: &Address,
    depth: u32,
) {
    for url in feed::discover::pages(&html_of(response), at.url.as_str()) {
        let Ok(page) = address(&url, None) else { continue };
        if page.pace_key == at.pace_key && seen.insert(page.key) {
            queue.push_back((page, depth));
        }
    }
}

fn html_of(response: &Response) -> Cow<'_, str> {
    decode::html(&response.body, response.headers.content_type.as_deref(), None).text
}
