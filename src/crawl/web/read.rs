//! Bytes become feeds: unpacked, decoded and parsed, or read as a section page. The same for a poll, a
//! push and a look for feeds.
//!
//! Must not know: how the bytes came, what becomes of entries.

use crate::crawl::Engine;
use crate::decode;
use crate::feed;
use crate::fetch::Response;
use crate::frontier::address;

/// Reads a section page; what it links elsewhere is not this outlet's.
pub(super) fn section(
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

/// Unpacks, decodes and parses the bytes of a feed.
pub(in crate::crawl) fn feed(
    engine: &Engine,
    bytes: &[u8],
    kind: Option<&str>,
    url: &str,
) -> Result<feed::Parsed, feed::FeedError> {
    let bytes = feed::unpack(bytes, &engine.settings.feed)?;
    let text = decode::feed(&bytes, kind).text;
    feed::parse_text(&text, kind, url, &engine.settings.feed)
}
