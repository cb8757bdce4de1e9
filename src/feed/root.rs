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

/// What the root of a document is called, if it is a feed or a sitemap; in lower case.
fn named(local: &str) -> Option<Root> {
    match local {
        "rss" | "rdf" | "feed" => Some(Root::Feed),
        "urlset" | "sitemapindex" => Some(Root::Sitemap),
        _ => None,
    }
}

/// Looks for a known root among the first tags. Stray tags before it (a server's warning) are
/// passed over; an HTML page is an HTML page, even if its elements are named like ours.
pub(super) fn of(text: &str) -> Root {
    let mut first: Option<String> = None;
    let mut page = false;
    for token in Tokens::new(text).take(200) {
        let Token::Open { name, .. } = token else { continue };
        let (_, local) = split(name);
        if let Some(root) = named(&local) {
            return root;
        }
        match local.as_str() {
            "item" | "entry" | "channel" if !page => return Root::Feed,
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

/// Is a document written for programs that read feeds: a feed, a sitemap or an outline? Whoever reads pages asks
/// this, so only the very first tag tells: any page may hold an element that is called like a feed.
pub fn is_feed(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace());
    if start.starts_with('{') {
        // The address of the version that each JSON Feed names.
        return memchr::memmem::find(start.as_bytes(), b"jsonfeed.org").is_some();
    }
    let mut tags = Tokens::new(start).filter_map(|token| match token {
        Token::Open { name, .. } => Some(split(name).1),
        _ => None,
    });
    tags.next().is_some_and(|root| root == "opml" || named(&root).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_is_told_from_a_page_by_its_first_tag() {
        let check = |text: &str, expect: bool| assert_eq!(is_feed(text), expect, "{text}");
        check("<rss version=\"2.0\"><channel>", true);
        check(
            "\u{feff}\n<?xml version=\"1.0\"?>\n<!-- <html> --><?xml-stylesheet href=x?><feed>",
            true,
        );
        check("<!DOCTYPE rss [ <!ENTITY html \"<html>\"> ]><atom:feed xmlns:atom=\"x\">", true);
        check("<rdf:RDF xmlns=\"http://purl.org/rss/1.0/\">", true);
        check("<urlset xmlns=\"x\"><url>", true);
        check("<sitemapindex/>", true);
        check("<opml version=\"2.0\"><body>", true);
        check("{\"version\": \"https:\\/\\/jsonfeed.org\\/version\\/1.1\", \"items\": []}", true);
        check("<?xml version=\"1.0\"?><!DOCTYPE html><html xmlns=\"x\"><rss>", false);
        check("<!doctype html><title>On feeds</title><p><feed><rss>", false);
        check("<feeds>", false);
        check("<feed-list><rss>", false);
        check("<svg:svg><rss>", false);
        check("{{ template }}<html>", false);
        check("A text on <", false);
        check("", false);
        check(&"<!--".repeat(100_000), false);
    }
}
