//! What a document is by its first telling tag.
//!
//! Must not know: what stands in a feed.

use super::markup::{Token, Tokens, split};

/// What a document is by its first telling tag.
#[derive(Debug, PartialEq)]
pub(super) enum Root {
    Feed,
    Sitemap,
    Other(Option<String>),
}

/// Looks for a known root among the first tags. Stray tags before it (a server's warning) are
/// passed over; an HTML page is an HTML page, even if its elements are named like ours.
pub(super) fn of(text: &str) -> Root {
    let mut first: Option<String> = None;
    let mut page = false;
    for token in Tokens::new(text).take(200) {
        let Token::Open { name, .. } = token else { continue };
        let (_, local) = split(name);
        match local.as_str() {
            "rss" | "rdf" | "feed" => return Root::Feed,
            "item" | "entry" | "channel" if !page => return Root::Feed,
            "urlset" | "sitemapindex" => return Root::Sitemap,
            "html" => return Root::Other(Some("html".to_owned())),
            _ => {
                page |= matches!(local.as_str(), "head" | "body");
                first = first.or(Some(name.chars().take(40).collect()));
            }
        }
    }
    if page {
        return Root::Other(Some("html".to_owned()));
    }
    Root::Other(first)
}
