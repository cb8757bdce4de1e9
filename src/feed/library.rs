//! RSS and Atom: the scanner reads every document, feed-rs reads those that are well-formed beside
//! it. The scanner keeps what feed-rs has no place for (dates as printed with their offset,
//! isPermaLink, origLink, ttl's neighbours) and, being lenient, gives the same entries of a feed
//! whether it is whole or cut; feed-rs knows namespaces, so it fills what the scanner did not see.
//!
//! Must not know: how damage is mended.

use std::panic::AssertUnwindSafe;

use feed_rs::parser::{ParseErrorKind, ParseFeedError};
use url::Url;

use super::raw::{Item, Link, Raw};
use super::{Parsed, Settings, entry, scan};
use crate::model::FeedFormat;

/// Elements that the strict reader may make a tree of; it needs up to 400 bytes for each.
const MAX_ELEMENTS: usize = 200_000;

/// Reads mended text. Beside it, what is collected takes its length once more, and what the strict
/// reader makes twice that and 80 MB at most.
pub(super) fn parse(text: &str, url: &str, limits: &Settings) -> Parsed {
    let mut raw = scan::scan(text, limits);
    let hostile = raw.depth > limits.max_depth
        || raw.most_attributes > limits.max_attributes
        || raw.elements > MAX_ELEMENTS;
    let verdict = if raw.left_out > 0 || hostile {
        None
    } else {
        // A document without an address (a file) has no base; feed-rs takes nothing else for one.
        let base = Url::parse(url).is_ok().then_some(url);
        let reader = feed_rs::parser::Builder::new().base_uri(base).sanitize_content(false);
        // feed-rs 3.0 panics on some authors (`b@пример`: it cuts at a byte that is no boundary).
        let read = || reader.build().parse(text.as_bytes());
        std::panic::catch_unwind(AssertUnwindSafe(read)).ok()
    };
    let mut damage = None;
    match verdict {
        Some(Ok(strict)) => complete(&mut raw, strict, limits),
        // XML as content is in order, but feed-rs has no place for it.
        Some(Err(ParseFeedError::ParseError(ParseErrorKind::UnknownMimeType { .. }))) => {}
        Some(Err(e)) => damage = Some(format!("not well-formed ({e}): read item by item")),
        None if hostile => {
            damage = Some("nested, attributed or divided too much for XML".to_owned())
        }
        None => {}
    }
    let mut parsed = entry::finish(raw, url, limits);
    parsed.repaired.splice(0..0, damage);
    parsed
}

/// Fills the gaps of the scan from the strict reading.
fn complete(raw: &mut Raw, strict: feed_rs::model::Feed, limits: &Settings) {
    use feed_rs::model::FeedType;
    raw.format.get_or_insert(match strict.feed_type {
        FeedType::Atom => FeedFormat::Atom,
        FeedType::RSS0 => FeedFormat::Rss0,
        FeedType::RSS1 => FeedFormat::Rss1,
        FeedType::RSS2 | FeedType::JSON => FeedFormat::Rss2,
    });
    fill(&mut raw.title, strict.title.map(|t| t.content));
    fill(&mut raw.language, strict.language);
    if raw.links.is_empty() {
        raw.links = strict.links.into_iter().map(link).collect();
    }
    if raw.items.is_empty() {
        raw.left_out = strict.entries.len().saturating_sub(limits.max_entries);
        raw.items = vec![Item::default(); strict.entries.len().min(limits.max_entries)];
    } else if raw.items.len() != strict.entries.len() {
        // feed-rs leaves out items without a link: positions do not tell who is who.
        return;
    }
    for (item, strict) in raw.items.iter_mut().zip(strict.entries) {
        fill(&mut item.title, strict.title.map(|t| t.content));
        fill(&mut item.summary, strict.summary.map(|t| t.content));
        fill(&mut item.content, strict.content.and_then(|c| c.body));
        fill(&mut item.date, strict.published.map(|d| d.to_rfc3339()));
        fill(&mut item.language, strict.language);
        if item.links.is_empty() && item.id.is_none() {
            // Those with a target lead to comments.
            let links = strict.links.into_iter().filter(|link| link.target.is_none());
            item.links = links.map(link).collect();
        }
    }
}

fn fill(slot: &mut Option<String>, value: Option<String>) {
    if slot.is_none() {
        *slot = value;
    }
}

fn link(link: feed_rs::model::Link) -> Link {
    Link {
        href: link.href,
        rel: link.rel.unwrap_or_default(),
        kind: link.media_type.unwrap_or_default(),
        ..Link::default()
    }
}
