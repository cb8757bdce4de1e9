//! What publishers ask of those who read their pages: `X-Robots-Tag`, meta robots, the TDM Reservation
//! Protocol. It is recorded always; what it means for a page is told here.
//!
//! Must not know: where the signals stood on the page, what is done about them.

use serde::{Deserialize, Serialize};

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

/// Prefix of the signals that stood in an `X-Robots-Tag` header.
pub const TAG: &str = "x-robots-tag: ";

/// Reads recorded signals; those of an `X-Robots-Tag` for another crawler than `token` are not ours.
pub fn asked(signals: &[String], token: &str) -> Asked {
    let mut asked = Asked::default();
    for signal in signals {
        let signal = signal.to_ascii_lowercase();
        let directives = match signal.strip_prefix(TAG) {
            Some(value) => match ours(value, &token.to_ascii_lowercase()) {
                Some(value) => value,
                None => continue,
            },
            None => &signal,
        };
        for directive in directives.split(',').map(str::trim) {
            match directive {
                "noindex" | "none" => asked.no_index = true,
                "noarchive" | "nosnippet" | "max-snippet:0" => asked.no_text = true,
                _ => {}
            }
        }
        asked.no_text |= signal == "tdm-reservation=1";
    }
    asked
}

/// The directives of a header's value, if it names nobody else: `otherbot: noindex`.
fn ours<'v>(value: &'v str, token: &str) -> Option<&'v str> {
    let Some((name, rest)) = value.split_once(':') else { return Some(value) };
    let name = name.trim();
    // Directives with a value of their own name no crawler.
    let directive = name.contains(',') || name.starts_with("max-") || name == "unavailable_after";
    if directive { Some(value) } else { (name == token).then_some(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
