//! Section pages: what a page of headlines links to, for outlets without any feed. A light scan of
//! the tags, no DOM; by address and link text it tells articles from what else a site links.
//!
//! Must not know: how pages are fetched or extracted. What it takes for an article is a guess; its
//! page says whether it is one.

use url::Url;

use super::markup::{Token, attribute, page_tokens, plain};
use super::{Parsed, Settings, entry};
use crate::model::{Entry, FeedFormat, MINUTE, Millis};

/// Articles taken from one page: the budget of a poll.
pub const MOST: usize = 100;
/// Articles that make a page a section page.
pub const FEWEST: usize = 5;
/// Pages that may be section pages, taken from one page.
const SECTIONS: usize = 12;
/// A section page is no feed: it is not asked more often than this.
const FLOOR: Millis = 15 * MINUTE;
const ATTRIBUTES: usize = 64;
/// Path segments under which lists, services and calendars stand.
const LISTS: [&str; 42] = [
    "tag",
    "tags",
    "topic",
    "topics",
    "thema",
    "themen",
    "author",
    "authors",
    "autor",
    "autoren",
    "category",
    "categories",
    "kategorie",
    "search",
    "suche",
    "login",
    "register",
    "page",
    "seite",
    "archive",
    "archives",
    "archiv",
    "kalender",
    "calendar",
    "events",
    "privacy",
    "datenschutz",
    "impressum",
    "imprint",
    "about",
    "contact",
    "kontakt",
    "newsletter",
    "abo",
    "subscribe",
    "shop",
    "jobs",
    "feed",
    "rss",
    "account",
    "user",
    "wp-admin",
];
/// Endings of what is no page.
const FILES: [&str; 14] = [
    ".pdf", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".mp3", ".mp4", ".zip", ".xml",
    ".js", ".css", ".ics",
];

/// A link with the longest text that it has on the page.
struct Link {
    url: Url,
    text: String,
}

/// Reads a section page as if it were a feed: articles in the order of the page, at most [`MOST`].
pub fn parse(html: &str, url: &str, limits: &Settings) -> Parsed {
    let mut left_out = 0;
    let mut entries = Vec::new();
    for link in links(html, url).into_iter().filter(|link| is_article(&link.url, &link.text)) {
        if entries.len() >= MOST.min(limits.max_entries) {
            left_out += 1;
            continue;
        }
        entries.push(Entry {
            url: link.url.into(),
            title: Some(plain(&link.text, limits.max_title)).filter(|t| !t.is_empty()),
            ..Entry::default()
        });
    }
    Parsed { entries, floor: FLOOR, left_out, ..Parsed::new(FeedFormat::Section) }
}

/// Pages of the same host that may be section pages: short paths with short names, as in menus.
pub fn sections(html: &str, base: &str) -> Vec<String> {
    let Ok(home) = Url::parse(base) else { return Vec::new() };
    let short = |link: &Link| {
        let segments: Vec<&str> = link.url.path().split('/').filter(|s| !s.is_empty()).collect();
        let named = segments.iter().all(|s| words(s).len() <= 3 && !s.contains('.'));
        link.url.host_str() == home.host_str()
            && link.url.query().is_none()
            && matches!(segments.len(), 1 | 2)
            && named
            && !segments.iter().any(|s| is_list(s) || digits(s) > 1)
            && (1..=30).contains(&link.text.chars().count())
    };
    let links = links(html, base).into_iter().filter(short);
    links.map(|link| link.url.to_string()).take(SECTIONS).collect()
}

/// All links of a page, each once, in order; fragments and other schemes left out.
fn links(html: &str, base: &str) -> Vec<Link> {
    let Ok(page) = Url::parse(base) else { return Vec::new() };
    let mut base = page.clone();
    let mut links: Vec<Link> = Vec::new();
    let mut places = std::collections::HashMap::new();
    let mut open: Option<(Url, String)> = None;
    for token in page_tokens(html) {
        match token {
            Token::Open { name, attributes, .. } => {
                let href = || attribute(attributes, "href", ATTRIBUTES);
                match name.to_ascii_lowercase().as_str() {
                    "base" => {
                        if let Some(url) = href().and_then(|h| base.join(h.trim()).ok()) {
                            base = url;
                        }
                    }
                    "a" => {
                        close(open.take(), &mut links, &mut places);
                        let url = href().and_then(|href| base.join(href.trim()).ok());
                        let url = url.filter(|u| matches!(u.scheme(), "http" | "https"));
                        // Boxes of the latest comments lead to old articles.
                        let url = url.filter(|u| !entry::is_comment(u.as_str()));
                        open = url.map(|mut u| {
                            u.set_fragment(None);
                            (u, String::new())
                        });
                    }
                    // Words in blocks of their own are words of their own.
                    _ => {
                        if let Some((_, text)) = &mut open {
                            text.push(' ');
                        }
                    }
                }
            }
            Token::Text(words) => {
                if let Some((_, text)) = open.as_mut().filter(|(_, text)| text.len() < 500) {
                    text.push_str(words);
                }
            }
            Token::Close { name } if name.eq_ignore_ascii_case("a") => {
                close(open.take(), &mut links, &mut places);
            }
            _ => {}
        }
    }
    close(open, &mut links, &mut places);
    links.retain(|link| link.url != page);
    links
}

/// Notes a link that has ended: once, with its longest text.
fn close(
    open: Option<(Url, String)>,
    links: &mut Vec<Link>,
    places: &mut std::collections::HashMap<String, usize>,
) {
    let Some((url, text)) = open else { return };
    let text = plain(&text, 300);
    let place = *places.entry(url.to_string()).or_insert(links.len());
    match links.get_mut(place) {
        Some(link) if link.text.len() < text.len() => link.text = text,
        Some(_) => {}
        None => links.push(Link { url, text }),
    }
}

/// Does it look like an article: an address that names one, and a headline?
fn is_article(url: &Url, text: &str) -> bool {
    names_article(url) && is_headline(text)
}

/// Does an address look like that of an article, rather than of a list?
pub fn names_article(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    if FILES.iter().any(|end| path.ends_with(end)) {
        return false;
    }
    let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    let Some((last, above)) = segments.split_last() else { return false };
    let name = last.rsplit_once('.').map_or(*last, |(name, _)| name);
    // Days of a calendar, pages of a list.
    let all_numbers = segments.iter().all(|s| s.bytes().all(|b| b.is_ascii_digit() || b == b'-'));
    if all_numbers && digits(name) < 6 || segments.iter().any(|s| is_list(s)) {
        return false;
    }
    let dated = above.iter().any(|s| digits(s) >= 4);
    let number = digits(name) >= 5
        || url.query_pairs().any(|(key, value)| key.contains("id") && digits(&value) >= 3);
    let slug = words(name).len();
    slug >= 4 || number || slug >= 2 && dated || slug >= 3 && last.len() > name.len()
}

fn is_headline(text: &str) -> bool {
    let wide = text
        .chars()
        .filter(|c| ('\u{2e80}'..='\u{9fff}').contains(c) || ('\u{ac00}'..='\u{d7a3}').contains(c));
    wide.count() >= 8 || text.split_whitespace().count() >= 3 && text.chars().count() >= 20
}

fn is_list(segment: &str) -> bool {
    LISTS.contains(&segment.to_ascii_lowercase().as_str())
}

fn words(segment: &str) -> Vec<&str> {
    segment.split(['-', '_', '+']).filter(|word| word.chars().count() > 1).collect()
}

/// The longest run of digits.
fn digits(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn articles(html: &str) -> Vec<(String, Option<String>)> {
        let parsed = parse(html, "https://news.example/politics/", &Settings::default());
        parsed.entries.into_iter().map(|e| (e.url, e.title)).collect()
    }

    #[test]
    fn headlines_are_told_from_what_else_a_site_links() {
        let text = "Council agrees on a budget at last";
        for (href, taken) in [
            ("/politics/council-agrees-on-budget", true),
            ("/politics/council-budget-1234567.html", true),
            ("/2026/11/21/council-budget", true),
            ("/artikel/a-8812345", true),
            ("/story?articleid=88123", true),
            ("https://news.example/p/council-agrees-on-budget?utm_source=front", true),
            ("/2026/11/21/", false),
            ("/2026-11", false),
            ("/tag/council-agrees-on-budget", false),
            ("/politics/page/12345", false),
            ("/politics", false),
            ("/", false),
            ("#council-agrees-on-budget", false),
            ("/politics/council-agrees-on-budget#more", true),
            ("/politics/council-agrees-on-budget#comment-17", false),
            ("mailto:council-agrees-on-budget@news.example", false),
            ("/files/council-agrees-on-budget.pdf", false),
        ] {
            let html = format!("<a href='{href}'><h2>{text}</h2></a>");
            assert_eq!(articles(&html).len(), usize::from(taken), "{href}");
        }
        let html = "<a href='/politics/council-agrees-on-budget'>More</a>";
        assert!(articles(html).is_empty(), "that is no headline");
        let html = "<a href='/a/2026112101'>市议会终于就明年的预算达成一致</a>";
        assert_eq!(articles(html).len(), 1);
    }

    #[test]
    fn each_article_once_with_its_longest_text() {
        let html = "<a href='/x/council-agrees-on-budget#top'><img></a>\
            <a href='/x/council-agrees-on-budget'>Council &amp; mayor <b>agree</b> on a budget</a>\
            <script>'<a href=/x/one-two-three-four>Not a link at all, really</a>'</script>\
            <a href='/x/second-story-of-the-day'>The second story of the day</a>";
        assert_eq!(
            articles(html),
            [
                (
                    "https://news.example/x/council-agrees-on-budget".to_owned(),
                    Some("Council & mayor agree on a budget".to_owned())
                ),
                (
                    "https://news.example/x/second-story-of-the-day".to_owned(),
                    Some("The second story of the day".to_owned())
                ),
            ]
        );
    }

    #[test]
    fn bounded() {
        let html: String = (0..5_000)
            .map(|n| format!("<a href=/x/a-story-of-number-{n}>A story of many stories</a>"))
            .collect();
        let parsed = parse(&html, "https://news.example/", &Settings::default());
        assert_eq!((parsed.entries.len(), parsed.left_out > 0), (MOST, true));
    }

    #[test]
    fn menus_lead_to_sections() {
        let html = "<nav><a href=/politics>Politics</a><a href='/world/europe/'>Europe</a>\
            <a href=/tag/x>X</a><a href=/2026/>2026</a><a href=https://other.example/sport>Sport</a>\
            <a href=/politics/council-agrees-on-budget>Council agrees</a><a href=/login>Log in</a>\
            </nav>";
        let found = sections(html, "https://news.example/");
        assert_eq!(found, ["https://news.example/politics", "https://news.example/world/europe/"]);
    }
}
