//! Adding feeds: lists of URLs, OPML, sites. Idempotent, and every line gets an answer.
//!
//! Must not know: files (it gets text), how answers are printed.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::feed::list;
use crate::frontier::address;
use crate::model::{Feed, FeedFormat};
use crate::store::decision::{Change, Topic, Who};

use crate::crawl::Engine;
use crate::crawl::clock;
use crate::crawl::web::discover;
use crate::crawl::web::gate::banned;
use crate::crawl::web::lineage::new_feed;

/// What became of one line of a seed list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seeded {
    /// Line in the list, from 1; 0: the list as a whole.
    pub line: usize,
    /// Empty where none can be read.
    pub url: String,
    pub result: SeedResult,
    /// The error, or what was found.
    pub detail: String,
}

/// Result of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeedResult {
    Added,
    Known,
    /// A site without a feed that we could find.
    NothingFound,
    Error,
    /// A URL that may be a feed of the site, and that was not looked at.
    NotRead,
}

/// Adds what a list names. A URL without a path is a site: its feeds are looked for, which needs
/// the network; all others are taken as feeds.
pub fn seed(
    engine: &Arc<Engine>,
    runtime: &tokio::runtime::Handle,
    who: &Who,
    text: &str,
    each: &mut dyn FnMut(Seeded) -> ControlFlow<()>,
) -> Result<()> {
    let now = clock::now();
    let error = |line, url, detail| Seeded { line, url, result: SeedResult::Error, detail };
    let lines = list::parse(text);
    if lines.is_empty() {
        let _ = each(error(0, String::new(), "no feed is named here".into()));
    }
    for line in lines {
        let number = line.line_no;
        let parsed = line.url.map_err(|why| (String::new(), why)).and_then(|url| {
            match address(&url, None) {
                Ok(at) => Ok((url, at)),
                Err(why) => Err((url, why.to_string())),
            }
        });
        let (url, at) = match parsed {
            Ok(parsed) => parsed,
            Err((url, why)) => {
                if each(error(number, url, why)).is_break() {
                    return Ok(());
                }
                continue;
            }
        };
        let is_site = at.url.path() == "/" && at.url.query().is_none();
        let found = is_site.then(|| runtime.block_on(discover::discover(engine, &url)));
        for (url, why) in found.iter().flatten().flat_map(|found| &found.refused) {
            let (url, detail) = (url.clone(), why.clone());
            let not_read = Seeded { line: number, url, result: SeedResult::NotRead, detail };
            if each(not_read).is_break() {
                return Ok(());
            }
        }
        let mut add = |feed: Feed, mut detail: String| -> Result<ControlFlow<()>> {
            let decision = who.decides(now, Topic::Feed, format!("feed {} added", feed.url));
            let result = match engine.store.change(Change::NewFeed(&feed), Some(&decision))? {
                0 => SeedResult::Known,
                _ => SeedResult::Added,
            };
            if let Some(why) = banned(engine.store.as_ref(), &feed.outlet)? {
                detail = format!("not polled: {why}");
            }
            Ok(each(Seeded { line: number, url: feed.url, result, detail }))
        };
        let Some(found) = found else {
            let mut feed = new_feed(&at, now);
            feed.group = line.group;
            if add(feed, String::new())?.is_break() {
                return Ok(());
            }
            continue;
        };
        let answer = match found {
            Ok(found) if found.feeds.is_empty() && !found.sections.is_empty() => {
                for page in found.sections {
                    let Ok(at) = address(&page.url, None) else { continue };
                    let mut new = new_feed(&at, now);
                    new.group.clone_from(&line.group);
                    new.format = Some(FeedFormat::Section);
                    let detail = format!(
                        "{url} has no feed: this page, which links {} articles, is followed instead",
                        page.articles
                    );
                    if add(new, detail)?.is_break() {
                        return Ok(());
                    }
                }
                continue;
            }
            Ok(found) if found.feeds.is_empty() => Seeded {
                line: number,
                url,
                result: SeedResult::NothingFound,
                detail: format!(
                    "no feed found (pages looked at: {}); name one, or its news sitemap, by its full URL",
                    found.pages
                ),
            },
            Ok(found) => {
                for feed in found.feeds {
                    let Ok(at) = address(&feed.url, None) else { continue };
                    let mut new = new_feed(&at, now);
                    new.group.clone_from(&line.group);
                    new.title = feed.title;
                    if add(new, format!("found at {url} via {}", feed.via))?.is_break() {
                        return Ok(());
                    }
                }
                continue;
            }
            Err(why) => {
                let why = format!("{why:#}");
                let same = format!("{url}: ");
                let why = why.strip_prefix(&same).unwrap_or(&why).to_owned();
                error(number, url, why)
            }
        };
        if each(answer).is_break() {
            return Ok(());
        }
    }
    Ok(())
}
