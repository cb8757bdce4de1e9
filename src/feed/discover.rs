//! The feeds that a page links or that its site probably has. A light scan of the tags, no DOM.
//!
//! Must not know: how pages are fetched or extracted; what it finds is a guess until it parses.

use url::Url;

use super::markup::{Token, attribute, page_tokens, plain};

/// Why something is taken for a feed; in order of trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `<link rel=alternate>` with a feed's type.
    Link,
    /// A Sitemap line whose name speaks of news.
    NewsSitemap,
    /// `<a>` to an address that looks like a feed's.
    Anchor,
    /// Any other Sitemap line.
    Sitemap,
    /// A path that many sites use.
    Path,
}

/// A possible feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub url: String,
    pub kind: Kind,
    pub title: Option<String>,
}

/// At most so many are reported per page.
const MOST: usize = 200;
const ATTRIBUTES: usize = 64;

/// Feeds that an HTML page links, most trustworthy first. `base` is the page's address.
pub fn links(html: &str, base: &str) -> Vec<Found> {
    let Ok(mut base) = Url::parse(base) else { return Vec::new() };
    let mut found = Vec::new();
    // An anchor whose text is being read.
    let mut anchor: Option<(usize, String)> = None;
    for token in page_tokens(html) {
        match token {
            Token::Open { name, attributes, .. } => {
                let get = |n| attribute(attributes, n, ATTRIBUTES);
                match name.to_ascii_lowercase().as_str() {
                    "base" => {
                        if let Some(url) = get("href").and_then(|h| base.join(h.trim()).ok()) {
                            base = url;
                        }
                    }
                    "link" if feed_link(get("rel"), get("type")) => {
                        push(&mut found, &base, get("href"), Kind::Link, get("title"));
                    }
                    "a" => {
                        let href = get("href").filter(|h| feed_like(h));
                        anchor = push(&mut found, &base, href, Kind::Anchor, get("title"))
                            .map(|at| (at, String::new()));
                    }
                    _ => {}
                }
            }
            Token::Text(text) => {
                if let Some((_, title)) = &mut anchor
                    && title.len() < 500
                {
                    title.push_str(text);
                }
            }
            Token::Close { name } if name.eq_ignore_ascii_case("a") => {
                if let Some((at, text)) = anchor.take()
                    && let Some(found) = found.get_mut(at)
                    && found.title.is_none()
                {
                    found.title = Some(plain(&text, 200)).filter(|t| !t.is_empty());
                }
            }
            _ => {}
        }
    }
    found.sort_by_key(|f| f.kind);
    found
}

/// Pages of a site that a page links, in its order: no files, no other hosts. `base` is the page's address.
pub fn pages(html: &str, base: &str) -> Vec<String> {
    let Ok(mut base) = Url::parse(base) else { return Vec::new() };
    let host = base.host_str().map(str::to_owned);
    let mut found = Vec::new();
    for token in page_tokens(html) {
        let Token::Open { name, attributes, .. } = token else { continue };
        let href = || attribute(attributes, "href", ATTRIBUTES);
        if name.eq_ignore_ascii_case("base") {
            if let Some(url) = href().and_then(|href| base.join(href.trim()).ok()) {
                base = url;
            }
        } else if name.eq_ignore_ascii_case("a") {
            push(&mut found, &base, href(), Kind::Anchor, None);
        }
    }
    let of_site = |found: &Found| {
        Url::parse(&found.url)
            .is_ok_and(|url| url.host_str().map(str::to_owned) == host && !is_file(url.path()))
    };
    found.into_iter().filter(of_site).map(|found| found.url).collect()
}

/// Does a path end like that of a file that links nothing?
fn is_file(path: &str) -> bool {
    const ENDS: [&str; 22] = [
        "pdf", "jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "ico", "css", "js", "json",
        "mp3", "mp4", "m4a", "webm", "zip", "gz", "doc", "docx", "xls", "xlsx",
    ];
    let end = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end);
    end.is_some_and(|end| ENDS.iter().any(|file| file.eq_ignore_ascii_case(end)))
}

/// The Sitemap lines of a robots.txt; those that speak of news first.
pub fn sitemaps(lines: &[String]) -> Vec<Found> {
    let mut found = Vec::new();
    for line in lines {
        let Ok(url) = Url::parse(line.trim()) else { continue };
        let news = url.path().to_ascii_lowercase().contains("news");
        let kind = if news { Kind::NewsSitemap } else { Kind::Sitemap };
        push(&mut found, &url, Some(url.to_string()), kind, None);
    }
    found.sort_by_key(|f| f.kind);
    found
}

/// Addresses at which sites usually keep a feed, to be tried when nothing else is found.
pub fn paths(site: &str) -> Vec<Found> {
    const PATHS: [&str; 14] = [
        "/feed/",
        "/rss",
        "/rss.xml",
        "/feed.xml",
        "/atom.xml",
        "/index.xml",
        "/index.rdf",
        "/feeds/posts/default",
        "/feed.json",
        "/?feed=rss2",
        "/news-sitemap.xml",
        "/sitemap-news.xml",
        "/sitemap_news.xml",
        "/googlenews.xml",
    ];
    let Ok(base) = Url::parse(site) else { return Vec::new() };
    let mut found = Vec::new();
    for path in PATHS {
        push(&mut found, &base, Some(path.to_owned()), Kind::Path, None);
    }
    found
}

/// Adds an absolute http(s) address once; returns its place.
fn push(
    found: &mut Vec<Found>,
    base: &Url,
    href: Option<String>,
    kind: Kind,
    title: Option<String>,
) -> Option<usize> {
    let mut url = base.join(href?.trim()).ok()?;
    url.set_fragment(None);
    if !matches!(url.scheme(), "http" | "https") || url.as_str().len() > 2_048 {
        return None;
    }
    if let Some(before) = found.iter_mut().find(|f| f.url == url.as_str()) {
        before.kind = before.kind.min(kind);
        return None;
    }
    if found.len() >= MOST {
        return None;
    }
    let title = title.map(|t| plain(&t, 200)).filter(|t| !t.is_empty());
    found.push(Found { url: url.into(), kind, title });
    Some(found.len() - 1)
}

/// `rel=alternate` (or the old `rel=feed`) with a type that only feeds have.
fn feed_link(rel: Option<String>, kind: Option<String>) -> bool {
    let rel = rel.unwrap_or_default().to_ascii_lowercase();
    let kind = kind.unwrap_or_default().to_ascii_lowercase();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let has = |name: &str| rel.split_ascii_whitespace().any(|r| r == name);
    has("feed")
        || has("alternate")
            && matches!(
                kind,
                "application/rss+xml"
                    | "application/atom+xml"
                    | "application/rdf+xml"
                    | "application/feed+json"
                    | "text/rss"
                    | "text/rss+xml"
            )
}

/// Does the address read like a feed's?
fn feed_like(href: &str) -> bool {
    let href = href.trim().to_ascii_lowercase();
    let path = href.split(['?', '#']).next().unwrap_or_default();
    let words = |text: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric())
            .any(|w| matches!(w, "rss" | "rss2" | "atom" | "feed" | "feeds" | "rdf" | "xmlfeed"))
    };
    let query = href.split_once('?').map_or("", |(_, q)| q);
    // Without the host: feedly.com or rss.example only help readers.
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let (host, path) = path.split_once('/').unwrap_or((path, ""));
    let host_feed =
        href.contains("://") && (host.starts_with("feeds.") || host.starts_with("rss."));
    let page = [".html", ".htm", ".php", ".aspx", ".png", ".svg", ".gif", ".jpg", ".css", ".js"]
        .iter()
        .any(|end| path.ends_with(end));
    let shared = ["feedly.com", "inoreader.com", "facebook.com", "twitter.com", "newsblur.com"]
        .iter()
        .any(|h| host.ends_with(h));
    let path = if href.contains("://") || !host.contains('.') {
        format!("{}/{path}", if href.contains("://") { "" } else { host })
    } else {
        format!("{host}/{path}")
    };
    !shared && ((!page && words(&path)) || (words(query) && query.contains('=')) || host_feed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_of_a_page() {
        let check = |html: &str, expect: &[(&str, Kind, Option<&str>)]| {
            let found = links(html, "https://news.example/world/index.html");
            let found: Vec<_> =
                found.iter().map(|f| (f.url.as_str(), f.kind, f.title.as_deref())).collect();
            assert_eq!(found, expect, "{html}");
        };
        check(
            r#"<LINK REL="alternate" TYPE="application/rss+xml" TITLE="A &amp; B" HREF="/rss?a=1&amp;b=2">"#,
            &[("https://news.example/rss?a=1&b=2", Kind::Link, Some("A & B"))],
        );
        check(
            "<link rel=alternate type='application/atom+xml; charset=utf-8' href=../atom.xml>",
            &[("https://news.example/atom.xml", Kind::Link, None)],
        );
        check("<link rel=alternate hreflang=de type=text/html href=/de>", &[]);
        check("<link rel=stylesheet href=/feed.css>", &[]);
        check(
            "<base href='https://cdn.example/x/'><link rel='alternate feed' href=f>",
            &[("https://cdn.example/x/f", Kind::Link, None)],
        );
        check(
            "<a href='/sport/feed/#top'>Sport <b>feed</b></a><a href=/food>Food</a>",
            &[("https://news.example/sport/feed/", Kind::Anchor, Some("Sport feed"))],
        );
        check("<a href='/about-rss.html'>What is RSS?</a><a href='https://feedly.com/feed'>", &[]);
        check("<!-- <link rel=feed href=/a> --><script>'<link rel=feed href=/b>'</script>", &[]);
        check("<a href='javascript:feed()'>x</a><a href='mailto:rss@x.example'>x</a>", &[]);
        check(
            "<a href=/rss>one</a><link rel=alternate type=application/rss+xml href=/rss>",
            &[("https://news.example/rss", Kind::Link, Some("one"))],
        );
        check("<link rel=feed href='/cut", &[]);
    }

    #[test]
    fn pages_of_the_site() {
        let html = "<a href=/politics/#top>P</a><a href='https://other.example/x'>O</a>\
                    <a href=/politics/>again</a><a href=/report.PDF>R</a><a href=mailto:a@b.example>M</a>\
                    <A HREF='sport?p=1&amp;q=2'>S</A><!-- <a href=/hidden>H</a> --><a href='/v1.2/'>V</a>";
        let found = pages(html, "https://news.example/world/index.html");
        let expect = ["/politics/", "/world/sport?p=1&q=2", "/v1.2/"];
        assert_eq!(found, expect.map(|path| format!("https://news.example{path}")));
        assert!(pages(html, "nothing").is_empty());
    }

    #[test]
    fn sitemap_lines_and_paths() {
        let lines = ["https://a.example/sitemap.xml", "nonsense", "https://a.example/news.xml"];
        let found = sitemaps(&lines.map(str::to_owned));
        let urls: Vec<_> = found.iter().map(|f| (f.url.as_str(), f.kind)).collect();
        assert_eq!(
            urls,
            [
                ("https://a.example/news.xml", Kind::NewsSitemap),
                ("https://a.example/sitemap.xml", Kind::Sitemap)
            ]
        );
        assert!(paths("https://a.example/x").iter().any(|f| f.url == "https://a.example/rss.xml"));
        assert!(paths("not a url").is_empty());
    }

    #[test]
    fn bounded() {
        let page: String = (0..5_000).map(|n| format!("<a href=/feed/{n}>x</a>")).collect();
        assert_eq!(links(&page, "https://a.example/").len(), MOST);
    }
}
