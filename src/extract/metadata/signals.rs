//! What a page asks of robots, and of those who mine texts, in its `meta` elements.
//!
//! Must not know: who reads the page, so for whom of them it is.

use super::page::{self, Meta};
use crate::extract::dom::Dom;

/// What a page asks, without all else: for whoever must know before it is read.
pub fn signals_of(dom: &Dom) -> Vec<String> {
    signals(&page::metas(dom))
}

/// What the `meta` elements ask, sorted, each once: the directives of `name=robots` as they are, those for one crawler
/// behind its name, as in an `X-Robots-Tag`.
pub(super) fn signals(metas: &[Meta<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for meta in metas {
        let content = || meta.content().unwrap_or_default();
        match &*meta.name {
            "robots" => {
                let known = parts(&content()).into_iter().filter_map(|part| reserves(&part));
                found.extend(known.flatten().map(|directive| (*directive).to_owned()));
            }
            "tdm-reservation" => {
                found.extend((content() == "1").then(|| "tdm-reservation=1".to_owned()));
            }
            // Any crawler may be named; by nothing but directives the element is told from all others.
            name if is_product(name) && is_of_directives(&content()) => {
                let known = parts(&content()).into_iter().filter_map(|part| reserves(&part));
                found.extend(known.flatten().map(|directive| format!("{name}: {directive}")));
            }
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The directives of a list, whatever stands between them, each without white space.
fn parts(content: &str) -> Vec<String> {
    let values: Vec<&str> = content.split(':').map(str::trim).collect();
    let list = values.join(":").to_ascii_lowercase();
    let parts = list.split([',', ';', ' ', '\t', '\n', '\r']);
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Is a list made of directives? One word between commas may be one that is not known here (`noyaca`); prose is longer.
fn is_of_directives(content: &str) -> bool {
    let (mut known, mut dated) = (false, false);
    let mut items = content.split([',', ';']).map(parts).filter(|item| !item.is_empty());
    items.all(|item| {
        let all = item.iter().all(|part| reserves(part).is_some());
        known |= all;
        dated |= item[0].starts_with(DATED);
        all || item.len() == 1 || dated
    }) && known
}

/// A directive with a date, which may have blanks and commas.
const DATED: &str = "unavailable_after:";

/// What of a directive is recorded; nothing of one that reserves nothing. `None`: it is no directive.
fn reserves(directive: &str) -> Option<&'static [&'static str]> {
    Some(match directive {
        "none" => &["noindex", "nofollow"],
        "noindex" => &["noindex"],
        "nofollow" => &["nofollow"],
        "noarchive" => &["noarchive"],
        "nosnippet" => &["nosnippet"],
        "max-snippet:0" => &["max-snippet:0"],
        "noai" => &["noai"],
        "noimageai" => &["noimageai"],
        "all" | "index" | "follow" | "archive" | "snippet" | "notranslate" | "noimageindex"
        | "noodp" | "noydir" | "nocache" | "indexifembedded" => &[],
        other if other.starts_with("max-") || other.starts_with(DATED) => &[],
        _ => return None,
    })
}

/// Names of what other elements say, whatever words that is made of.
const OTHERS: [&str; 6] =
    ["author", "description", "generator", "keywords", "news_keywords", "title"];

/// Can it be the name of a crawler (RFC 9309 §2.2.1, and digits)? Tiles of the start menu may have the content `none`.
fn is_product(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    name.len() <= 64
        && name.bytes().all(fits)
        && !name.starts_with("msapplication-")
        && !OTHERS.contains(&name)
}
