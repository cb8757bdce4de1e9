//! What an answer says of its feed: entries, further feeds, hub, and what the publisher wishes.
//!
//! Must not know: how it was asked for, when it is asked for again.

use std::collections::HashSet;

use crate::crawl::Engine;
use crate::crawl::web::{lineage, read, sights};
use crate::feed;
use crate::feed::schedule::{FailureClass, PollResult};
use crate::fetch::Response;
use crate::frontier::address;
use crate::model::*;
use crate::store::abort_reading;

/// What a feed says that is gone, the first time and again.
const GONE: &str = "HTTP status 410";

/// A feed as it is now.
pub(super) struct Content {
    /// With what it says of itself.
    pub feed: Feed,
    /// First sights, and the keys of all entries in document order.
    pub entries: Vec<UrlRecord>,
    pub keys: Vec<UrlKey>,
    /// Sitemaps that it lists and that are new.
    pub feeds: Vec<Feed>,
    pub hash: u64,
    /// See [`feed::Parsed`].
    pub floor: Millis,
    pub skips: Skips,
    /// The hub that it names, and its own name there, if it says one.
    pub hub: Option<(String, Option<String>)>,
}

/// Reads an answer that `url`, the last of the feed's redirects, gave at `at`; `parent` brought the feed. `None`:
/// unchanged (304). Relative links are resolved by `url` (RFC 3986 §5.1.3).
pub(super) fn content(
    engine: &Engine,
    mut feed: Feed,
    parent: Option<&Feed>,
    url: &str,
    response: &Response,
    at: Millis,
) -> Result<Option<Content>, PollResult> {
    let failed = |class, message: String| Err(PollResult::Failed { class, message });
    match response.status {
        304 => return Ok(None),
        200..=299 => {}
        410 => {
            // Once may be an accident.
            let again = feed.poll.last_error.as_deref() == Some(GONE);
            let class = if again { FailureClass::Gone } else { FailureClass::Hard };
            return failed(class, GONE.into());
        }
        status @ (404 | 408 | 425 | 429 | 500..=599) => {
            return failed(FailureClass::Soft, format!("HTTP status {status}"));
        }
        status => return failed(FailureClass::Hard, format!("HTTP status {status}")),
    }
    abort_reading(url);
    let headers = &response.headers;
    let parsed = if feed.format == Some(FeedFormat::Section) {
        let parsed = read::section(engine, response, url, &feed.outlet);
        if parsed.entries.is_empty() {
            return failed(FailureClass::Soft, "no articles are linked here".into());
        }
        if trap(&feed, &parsed) {
            return failed(FailureClass::Soft, "every link on it is another at each poll".into());
        }
        parsed
    } else {
        match read::feed(engine, &response.body, headers.content_type.as_deref(), url) {
            Ok(parsed) => parsed,
            Err(error) => return failed(FailureClass::Soft, error.to_string()),
        }
    };
    if parsed.entries.is_empty() && parsed.sitemaps.is_empty() && !parsed.unlinked.is_empty() {
        let items = parsed.unlinked.len();
        return failed(FailureClass::Soft, format!("none of its items has a link ({items})"));
    }
    // An index lists sitemaps of all kinds, and a news sitemap may go on listing what is no news any more.
    let listed = parent.is_some_and(|parent| parent.format == Some(FeedFormat::SitemapIndex));
    let had_news = feed.format == Some(FeedFormat::NewsSitemap);
    if let Some(why) = parsed.no_news().filter(|_| !listed && !had_news) {
        return failed(FailureClass::Soft, why);
    }
    let first_poll = feed.poll.successes == 0;
    let is_plain = parsed.format == FeedFormat::Sitemap;
    // An empty one does not tell of which kind it is.
    if !is_plain || parsed.plain > 0 && !had_news {
        feed.format = Some(parsed.format);
    }
    feed.provenance.left_out = match parsed.format {
        // It is read as far as it may be one.
        FeedFormat::Section => 0,
        _ => u32::try_from(parsed.left_out).unwrap_or(u32::MAX),
    };
    feed.title = parsed.title.or(feed.title.take());
    feed.language = parsed.language.or(feed.language.take());
    // Headers go before the document (WebSub §4).
    let resolved = |link: &Option<String>| {
        let link = link.as_deref()?;
        address(link, Some(url)).ok().map(|at| at.url.to_string())
    };
    let hub = resolved(&headers.hub).or(parsed.hub);
    let hub = hub.map(|hub| (hub, resolved(&headers.own).or(parsed.topic)));
    let (entries, keys) =
        sights::polled(engine, &mut feed, parsed.entries, at, first_poll).map_err(|error| {
            PollResult::Failed { class: FailureClass::Soft, message: error.to_string() }
        })?;
    if let Some(why) = lineage::unconfirmed(parent, &feed, &entries) {
        return failed(FailureClass::Gone, why);
    }
    feed.provenance.trial = None;
    let listed: Vec<_> =
        parsed.sitemaps.iter().filter_map(|link| address(link, Some(url)).ok()).collect();
    let longest = engine.settings.feed.schedule.max.0;
    // What the store does not tell keeps its place.
    let brings_news = |child| match engine.store.feed(child) {
        Ok(Some(child)) => lineage::brings_news(&child, longest, at),
        Ok(None) | Err(_) => true,
    };
    let unread = parsed.sitemaps_left_out;
    let feeds = lineage::take_children(&mut feed, &listed, unread, at, &brings_news);
    let (floor, skips, hash) = (parsed.floor, parsed.skips, body_hash(&response.body));
    Ok(Some(Content { feed, entries, keys, feeds, hash, floor, skips, hub }))
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

fn body_hash(body: &[u8]) -> u64 {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(body);
    u64::from_be_bytes(std::array::from_fn(|i| digest[i]))
}
