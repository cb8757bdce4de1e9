//! What publishers ask of those who read their pages: `X-Robots-Tag`, meta robots, the TDM Reservation
//! Protocol. It is recorded always; what it means for a page is told here.
//!
//! Must not know: what is done about them.

use serde::{Deserialize, Serialize};

use crate::decode;
use crate::extract::{dom, metadata};

/// What is done about signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signals {
    /// They are recorded with the article and change nothing.
    #[default]
    Record,
    /// A page that asks not to be indexed is no article; of one that asks not to be kept or reserves
    /// text mining, only counts and metadata are kept.
    Obey,
}

/// What one page asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// `noindex` or `none`.
    pub no_index: bool,
    /// `noarchive`, `nosnippet`, or a reservation of text and data mining.
    pub no_text: bool,
}

impl Asked {
    /// May the page be kept as it came?
    pub fn may_keep(self) -> bool {
        !self.no_index && !self.no_text
    }
}

/// Prefix of the signals that stood in an `X-Robots-Tag` header.
const TAG: &str = "x-robots-tag: ";

/// What the header of an answer asks, as it is recorded.
pub fn of_header(robots_tag: &[String], reservation: Option<&str>) -> Vec<String> {
    let tags = robots_tag.iter().map(|value| format!("{TAG}{value}"));
    tags.chain(reservation.map(|value| format!("tdm-reservation={value}"))).collect()
}

/// What a body asks, as it is recorded, if it is a page: without reading more of it.
pub fn of_body(body: &[u8], content_type: Option<&str>, limits: &dom::Limits) -> Vec<String> {
    let page = decode::html(body, content_type, None);
    metadata::signals_of(&dom::parse(&page.text, limits))
}

/// Reads recorded signals; those that name another crawler than `token` are not ours.
pub fn asked(signals: &[String], token: &str) -> Asked {
    let token = token.to_ascii_lowercase();
    let mut asked = Asked::default();
    for signal in signals {
        let signal = signal.to_ascii_lowercase();
        let directives = signal.strip_prefix(TAG).unwrap_or(&signal);
        // Directives are for everybody until a crawler is named, then for that one: proxies may join
        // fields to one by commas (RFC 9110 §5.3).
        let mut ours = true;
        for part in directives.split(',') {
            let mut directive = part;
            while let Some((name, rest)) = named(directive) {
                (ours, directive) = (name == token, rest);
            }
            if !ours {
                continue;
            }
            let (name, value) = directive.split_once(':').unwrap_or((directive, ""));
            match (name.trim(), value.trim()) {
                ("noindex" | "none", "") => asked.no_index = true,
                ("noarchive" | "nosnippet", "") | ("max-snippet", "0") => asked.no_text = true,
                _ => {}
            }
        }
        asked.no_text |= signal == "tdm-reservation=1";
    }
    asked
}

/// The crawler that a part of a list names, and what follows: `otherbot: noindex`.
fn named(part: &str) -> Option<(&str, &str)> {
    let (name, rest) = part.split_once(':')?;
    let name = name.trim();
    // Directives with a value of their own name no crawler, nor does the rest of a date behind a comma.
    let directive = name.starts_with("max-") || name == "unavailable_after";
    (!directive && !name.contains(char::is_whitespace)).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_by_its_name_for_whom_it_speaks() {
        let check = |meta: &str, token: &str, no_index: bool, no_text: bool| {
            let page = format!("<html><head>{meta}</head><body><p>Text.</p></body></html>");
            let signals = of_body(page.as_bytes(), Some("text/html"), &dom::Limits::default());
            assert_eq!(asked(&signals, token), Asked { no_index, no_text }, "{meta} for {token}");
        };
        let ours = "<meta name=kranichbot content='noindex, noarchive'>";
        check(ours, "KranichBot", true, true);
        check(ours, "crawler", false, false);
        check("<meta name=crawler content=noindex>", "kranichbot", false, false);
        check("<meta name=googlebot content=none>", "kranichbot", false, false);
        check("<meta name=robots content='max-snippet:0'>", "kranichbot", false, true);
        check("<meta name=tdm-reservation content=1>", "kranichbot", false, true);
    }

    #[test]
    fn directives_for_all_and_for_us() {
        let check = |signal: &str, no_index: bool, no_text: bool| {
            let asked = asked(&[signal.to_owned()], "crawler");
            assert_eq!(asked, Asked { no_index, no_text }, "{signal}");
        };
        check("noindex", true, false);
        check("noarchive", false, true);
        check("nosnippet", false, true);
        check("tdm-reservation=1", false, true);
        check("tdm-reservation=0", false, false);
        check("x-robots-tag: NoIndex, nofollow", true, false);
        check("x-robots-tag: none", true, false);
        check("x-robots-tag: Crawler: noindex, noarchive", true, true);
        check("x-robots-tag: otherbot: noindex", false, false);
        check("x-robots-tag: max-snippet:0, noarchive", false, true);
        check("x-robots-tag: unavailable_after: 25 Jun 2030 15:00:00 GMT", false, false);
        check("x-robots-tag: nofollow, max-image-preview:large", false, false);
        // The name of a crawler holds until the next one, also in fields that were joined.
        check("x-robots-tag: nofollow, crawler: noindex", true, false);
        check("x-robots-tag: otherbot: nofollow, crawler: noindex", true, false);
        check("x-robots-tag: otherbot: nofollow, crawler: nofollow, noarchive", false, true);
        check("x-robots-tag: crawler: nofollow, otherbot: noindex, noarchive", false, false);
        check("x-robots-tag: noindex, otherbot: noarchive", true, false);
        check("x-robots-tag: otherbot: max-snippet:0, noindex", false, false);
        check(
            "x-robots-tag: otherbot: unavailable_after: 25 Jun 2030 15:00:00 GMT, crawler: none",
            true,
            false,
        );
        // White space around a colon means nothing.
        check("x-robots-tag: max-snippet: 0", false, true);
        check("x-robots-tag: crawler : max-snippet : 0", false, true);
        check("x-robots-tag: max-snippet: 20", false, false);
        check("max-snippet: 0", false, true);
        // The comma and the colons of a date.
        check(
            "x-robots-tag: unavailable_after: Tue, 25 Jun 2030 15:00:00 GMT, noindex",
            true,
            false,
        );
        check(
            "x-robots-tag: unavailable_after: Tuesday, 25-Jun-30 15:00:00 GMT, noindex",
            true,
            false,
        );
        check("x-robots-tag: unavailable_after: 2030-06-25T15:00:00+00:00, noindex", true, false);
        check("x-robots-tag: crawler:noindex", true, false);
        // A meta element of its name.
        check("crawler: noindex", true, false);
        check("Crawler: max-snippet:0", false, true);
        check("googlebot: noindex", false, false);
        check("kranichbot: noarchive", false, false);
    }
}
