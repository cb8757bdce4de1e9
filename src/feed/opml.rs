//! Outlines of subscriptions (OPML 1.0, 2.0) as exported by feed readers, broken XML included.
//!
//! Must not know: what is done with the feeds.

use super::markup::{Token, Tokens, attribute, squeeze};

/// One subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Line of the document, from 1.
    pub line: usize,
    /// As written.
    pub url: String,
    pub title: Option<String>,
    /// Title of the innermost folder around it.
    pub group: Option<String>,
}

/// Deeper folders are not told apart.
const DEEPEST: usize = 64;
const ATTRIBUTES: usize = 64;

/// Is this text an OPML document?
pub fn is_opml(text: &str) -> bool {
    Tokens::new(text)
        .take(20)
        .any(|t| matches!(t, Token::Open { name, .. } if name.eq_ignore_ascii_case("opml")))
}

/// Does the document go on to its end tag?
pub fn is_whole(text: &str) -> bool {
    Tokens::new(text)
        .any(|t| matches!(t, Token::Close { name } if name.eq_ignore_ascii_case("opml")))
}

/// The subscriptions in document order. Folders may nest as deep as they like.
pub fn parse(text: &str) -> Vec<Outline> {
    let mut found = Vec::new();
    // Titles of the open outlines; subscriptions that contain others have none.
    let mut open: Vec<Option<String>> = Vec::new();
    let mut too_deep = 0usize;
    let mut tokens = Tokens::new(text);
    let (mut line, mut counted) = (1, 0);
    while let Some(token) = tokens.next() {
        match token {
            Token::Open { name, attributes, empty } if name.eq_ignore_ascii_case("outline") => {
                let get = |n| attribute(attributes, n, ATTRIBUTES);
                let title = get("title")
                    .or_else(|| get("text"))
                    .map(|t| squeeze(&t, 200))
                    .filter(|t| !t.is_empty());
                let url = get("xmlUrl").or_else(|| {
                    // Old exports: `type="rss" url="…"`.
                    let rss = get("type").is_some_and(|t| t.eq_ignore_ascii_case("rss"));
                    get("url").filter(|_| rss)
                });
                let folder = url.is_none();
                if let Some(url) = url {
                    let end = tokens.position();
                    line += text.as_bytes()[counted..end].iter().filter(|b| **b == b'\n').count();
                    counted = end;
                    let group = open.iter().rev().find_map(Clone::clone);
                    found.push(Outline {
                        line,
                        url: squeeze(&url, 4_096),
                        title: title.clone(),
                        group,
                    });
                }
                if !empty && open.len() < DEEPEST {
                    open.push(title.filter(|_| folder));
                } else if !empty {
                    too_deep += 1;
                }
            }
            Token::Close { name } if name.eq_ignore_ascii_case("outline") => {
                if too_deep > 0 {
                    too_deep -= 1;
                } else {
                    open.pop();
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines() {
        let check = |text: &str, expect: &[(usize, &str, Option<&str>)]| {
            let found = parse(text);
            let found: Vec<_> =
                found.iter().map(|o| (o.line, o.url.as_str(), o.group.as_deref())).collect();
            assert_eq!(found, expect, "{text}");
        };
        check(
            "<opml>\n<body>\n<outline text='Press'>\n<outline xmlUrl='https://a.example/f?x=1&amp;y=2'/>\n</outline>\n\
             <outline xmlurl=\"https://b.example/f\" text='B'></outline></body></opml>",
            &[(4, "https://a.example/f?x=1&y=2", Some("Press")), (6, "https://b.example/f", None)],
        );
        // Bare &, forgotten end tags, cut off.
        check(
            "<opml><outline text='R&D'><outline type=rss url=https://a.example/f?x=1&y=2>\
             <outline xmlUrl='https://b.example/f'/><outline xmlUrl='https://c.exa",
            &[
                (1, "https://a.example/f?x=1&y=2", Some("R&D")),
                (1, "https://b.example/f", Some("R&D")),
            ],
        );
        let deep = "<outline text=x>".repeat(100_000) + "<outline xmlUrl='https://a.example/'/>";
        assert_eq!(parse(&deep).len(), 1);
        assert!(is_opml("<?xml version='1.0'?><OPML>") && !is_opml("https://a.example/opml"));
    }
}
