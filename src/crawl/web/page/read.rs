//! A page's bytes become an article with its mentions, or the reason why not.
//!
//! Must not know: how the page was asked for, stories, the store.

use std::sync::Arc;

use crate::crawl::Engine;
use crate::crawl::clock::now;
use crate::crawl::web::document::no_page;
use crate::crawl::web::memory::{self, NamedMemory};
use crate::crawl::web::signals::{self, Asked, Signals};
use crate::decode;
use crate::dedupe::Print;
use crate::extract::{self, Model};
use crate::feed;
use crate::frontier::{Address, address};
use crate::mention;
use crate::model::*;
use crate::store::{Remembered, abort_reading};

/// Why a page is none of its outlet's articles that the outlet does not list.
const NAMED_BY_OTHERS: &str = "only others have named it, and it states no date";

/// An article, and all that is committed with it but its story.
#[derive(Clone, Debug)]
pub(in crate::crawl) struct ArticleDraft {
    pub record: ArticleRecord,
    pub mentions: Vec<MentionRow>,
    pub brand_set: String,
    pub print: Print,
    pub printed: Option<Remembered>,
}

/// The address that an article's page names as its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::crawl) struct Canonical {
    pub key: UrlKey,
    /// It may be that of a list: the page is known by it only if an article is there already that reads alike.
    pub is_doubtful: bool,
}

/// What reading a page ends in.
pub(in crate::crawl) enum Read {
    Article {
        article: Box<ArticleDraft>,
        canonical: Option<Canonical>,
    },
    Ended(Outcome),
    /// It leads its readers on at once, as a redirect would.
    Moved(Box<Address>),
}

/// What is known of a page before it is read.
pub(in crate::crawl) struct Found {
    pub record: UrlRecord,
    pub feed: Option<Feed>,
    /// Where it was found, after redirects.
    pub at: Box<Address>,
    /// The memory of its outlet.
    pub memory: Option<Arc<NamedMemory>>,
}

/// What of an answer counts for the article.
pub(in crate::crawl) struct Answer<'a> {
    pub content_type: Option<&'a str>,
    pub body: &'a [u8],
    /// Values of `X-Robots-Tag`.
    pub robots_tag: &'a [String],
    /// Value of `TDM-Reservation`.
    pub reservation: Option<&'a str>,
    /// Value of `Content-Disposition`.
    pub disposition: Option<&'a str>,
    /// Target of a `Link` header with `rel=canonical` (RFC 6596), for pages that do not say.
    pub canonical: Option<&'a str>,
}

/// A page's bytes become an article with its mentions, or the reason why not.
pub(in crate::crawl) fn read(
    engine: &Engine,
    model: &Model,
    found: &Found,
    answer: &Answer<'_>,
) -> Read {
    let Found { record, feed, at, memory } = found;
    // The feed of others has only named the page: its zone and its language are theirs.
    let own_feed = feed.as_ref().filter(|_| !record.foreign);
    abort_reading(at.url.as_str());
    let content_type = answer.content_type;
    if let Some(kind) = content_type.filter(|kind| !is_page(kind)) {
        return Read::Ended(Outcome::NotArticle(format!("content type {kind}")));
    }
    if answer.disposition.is_some_and(is_attachment) {
        return Read::Ended(Outcome::NotArticle("a file to save".into()));
    }
    // A server that fails so may have it later.
    if answer.body.trim_ascii().is_empty() {
        return Read::Ended(Outcome::OtherPage(PageType::Broken));
    }
    let decoded = decode::html(answer.body, content_type, at.top_level_domain());
    if let Some(what) = no_page(answer.body, &decoded.text) {
        return Read::Ended(Outcome::NotArticle(what.into()));
    }
    let hints = extract::Hints {
        url: Some(at.url.as_str()),
        feed_title: record.entry.title.as_deref(),
        feed_summary: record.entry.summary.as_deref(),
        feed_published: record.entry.published.as_ref(),
        feed_language: record
            .entry
            .language
            .as_deref()
            .or_else(|| own_feed.and_then(|feed| feed.language.as_deref())),
        memory: memory.as_ref().map(|made| &made.memory),
    };
    let extraction = extract::article(&decoded.text, &hints, model, &engine.settings.extract);
    if let Some(limit) = extraction.limit {
        return Read::Ended(Outcome::Failed(Failure::ExtractLimit(limit)));
    }
    let onward = extraction.refresh.as_deref().and_then(|to| address(to, None).ok());
    if let Some(to) = onward.filter(|to| to.key != at.key && to.key != record.key) {
        return Read::Moved(Box::new(to));
    }
    let mut article = extraction.article;
    if decoded.mended > 0 {
        article.signals.push("encoded twice".to_owned());
    }
    article.signals.extend(signals::of_header(answer.robots_tag, answer.reservation));
    if article.page_type.outcome().is_some() {
        return Read::Ended(Outcome::OtherPage(article.page_type));
    }
    if article.text.trim().is_empty() {
        return Read::Ended(Outcome::NotArticle("no text".into()));
    }
    let asked = match engine.settings.signals {
        Signals::Record => Asked::default(),
        Signals::Obey => signals::asked(&article.signals, &engine.settings.token),
    };
    if asked.no_index {
        return Read::Ended(Outcome::NotArticle("noindex".into()));
    }
    // What only others have named may be a page that anybody can make the outlet print (a search for words of
    // theirs, an old page under a new address). An outlet dates what it publishes.
    if record.foreign && !states_date(article.published.as_ref(), at) {
        return Read::Ended(Outcome::NotArticle(NAMED_BY_OTHERS.into()));
    }
    let clues = mention::day::Clues {
        page: article.published.as_ref(),
        feed: record.entry.published.as_ref(),
        first_seen: record.first_seen,
        feed_offset: own_feed.and_then(|feed| feed.poll.offset),
        page_offset: article.modified.as_ref().and_then(|stamp| stamp.offset),
        outlet_offset: engine.zones.of(&at.outlet),
    };
    let published = mention::day::published(&clues, &engine.zone);
    let canonical = article
        .canonical
        .as_ref()
        .map(|found| found.value.as_str())
        .or(answer.canonical)
        .and_then(|canonical| address(canonical, Some(at.url.as_str())).ok())
        .filter(|canonical| canonical.outlet == at.outlet);
    let is_front = |canonical: &&Address| directory(canonical.url.path()).0.is_empty();
    let believed = canonical
        .as_ref()
        .filter(|canonical| names_this_article(canonical, at) || !is_front(canonical));
    if canonical.is_some() && believed.is_none() {
        article.signals.push(CANONICAL_IGNORED.to_owned());
    }
    let canonical = believed
        .map(|canonical| Canonical {
            key: canonical.key,
            is_doubtful: !names_this_article(canonical, at),
        })
        .filter(|canonical| names_another(canonical.key, at, record.key));
    let watch = engine.watch.read().unwrap_or_else(|e| e.into_inner()).clone();
    let print = Print::of(&article.text);
    let hearsay = record.foreign;
    let record = ArticleRecord {
        key: record.key,
        url: record.entry.url.clone(),
        final_url: at.url.to_string(),
        outlet: at.outlet.clone(),
        feed: record.feed,
        feed_title: record.entry.title.clone(),
        backlog: record.backlog,
        first_seen: record.first_seen,
        fetched: now(),
        charset: (decoded.encoding.to_string(), decoded.source.name().to_string()),
        published,
        article,
        memory: memory.as_ref().and_then(|made| made.used.clone()),
        // Known when it is committed.
        sighting: Sighting::Open,
        agencies: Some(extraction.agencies),
    };
    let mentions = watch.rows(&record);
    let brand_set = watch.set.version.clone();
    let record = if asked.no_text { record.without_text() } else { record };
    // Others choose which pages they name: what an outlet always prints is told by its own choice alone, and of what
    // others have named once the outlet lists it.
    let age = engine.settings.retention.memory;
    let printed = if hearsay { None } else { memory::remembered(&record, age) };
    Read::Article {
        article: Box::new(ArticleDraft { record, mentions, brand_set, print, printed }),
        canonical,
    }
}

/// Does a page state its date itself? Its address, and what it prints of that (the words that were searched for), is by
/// whoever names it. What is searched for stands in a parameter, however that writes it, or word by word in one segment
/// of the path; a path by date (`/2026/11/20/`, `/20261120/`) is not what prints "2026-11-20".
fn states_date(published: Option<&Stamp>, at: &Address) -> bool {
    published.is_some_and(|stamp| match stamp.source {
        Source::Url => false,
        Source::Visible => {
            let printed = words(&stamp.printed);
            let asked = at.url.query_pairs().any(|(name, value)| {
                words(&format!("{name} {value}")).concat().contains(&printed.concat())
            });
            let named = at.url.path().split('/').any(|segment| {
                let pairs = url::form_urlencoded::parse(segment.as_bytes());
                let named: Vec<String> =
                    pairs.flat_map(|(name, value)| words(&format!("{name} {value}"))).collect();
                named.join(" ").contains(&printed.join(" "))
            });
            !asked && !named
        }
        _ => true,
    })
}

/// Words of letters and digits: addresses have hyphens for spaces.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Do browsers save an answer instead of showing it (RFC 6266 §4.2)?
fn is_attachment(disposition: &str) -> bool {
    let kind = disposition.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("attachment")
}

/// Anything that calls itself HTML or text, or does not say: what names no type is looked at, as browsers do (WHATWG
/// MIME Sniffing §5.1).
fn is_page(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    !kind.contains('/')
        || matches!(&*kind, "*/*" | "unknown/unknown" | "application/unknown")
        || kind.contains("html")
        || kind == "text/plain"
        || kind == "application/octet-stream"
        || kind == "application/xml"
        || kind == "text/xml"
}

/// Is it beyond doubt that a canonical link leads to an article, and within the outlet? Many sites name their home page, or
/// the section that a page is in, as everybody's canonical URL. (Whether it leads to another article is told when
/// both texts are there.)
pub(in crate::crawl) fn names_this_article(canonical: &Address, at: &Address) -> bool {
    let (to, index) = directory(canonical.url.path());
    let (from, _) = directory(at.url.path());
    let above = || from.strip_prefix(to).is_some_and(|below| below.starts_with('/'));
    let named = || {
        let mut url = canonical.url.clone();
        url.set_path(to);
        url.query().is_some() || feed::section::names_article(&url)
    };
    let list = || to.is_empty() || (index || above()) && !named();
    // Where the query is left out that tells the pages of a script, all of them have one address.
    let cut = || at.url.query().is_some() && canonical.url.query().is_none() && !named();
    canonical.outlet == at.outlet && if to == from { !cut() } else { !list() }
}

/// Does a canonical link lead to another address than those that the page was `asked` for and found under?
pub(in crate::crawl) fn names_another(canonical: UrlKey, at: &Address, asked: UrlKey) -> bool {
    canonical != asked && canonical != at.key
}

/// A path without the slash or the index file at its end, and whether there was such a file.
fn directory(path: &str) -> (&str, bool) {
    let (above, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or_default();
    let index = ["index", "default"].iter().any(|name| stem.eq_ignore_ascii_case(name));
    if index || file.is_empty() { (above, index) } else { (path, false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of a search for words with a date, or an undated page under an address with one, was an article of
    /// its outlet on a day that others had chosen.
    #[test]
    fn an_address_states_no_date() {
        let check = |printed: &str, source, page: &str, states: bool| {
            let at = address(page, None).unwrap();
            let local = "2026-11-20T00:00".parse().unwrap();
            let (printed, precision) = (printed.to_owned(), Precision::Day);
            let stamp = Stamp { printed, local, offset: None, precision, source };
            assert_eq!(states_date(Some(&stamp), &at), states, "{page} {stamp:?}");
        };
        check("2026/11/20", Source::Url, "https://a.example/2026/11/20/about", false);
        let long = "20 November 2026";
        check(long, Source::Visible, "https://a.example/?s=20+November%202026+Acme", false);
        check(long, Source::Visible, "https://a.example/search/acme-20-november-2026/", false);
        check(long, Source::Visible, "https://a.example/2026/11/20/council-votes", true);
        // Many sites print their dates in the order of their paths.
        for printed in ["2026-11-20", "2026.11.20", "2026/11/20"] {
            for (page, states) in [
                ("2026/11/20/council-votes", true),
                ("20261120/council-votes", true),
                ("news/20261120001.html", true),
                ("search/2026-11-20", false),
                ("search/acme+2026%2F11%2F20", false),
                ("search?q=Acme+2026-11-20", false),
                ("archive?day=20261120", false),
            ] {
                let page = format!("https://a.example/{page}");
                check(printed, Source::Visible, &page, states);
            }
        }
        check(long, Source::Html, "https://a.example/on-20-november-2026", true);
        let at = address("https://a.example/2026/11/20/about", None).unwrap();
        assert!(!states_date(None, &at));
    }

    #[test]
    fn types_of_pages() {
        let check = |kind: &str, page| assert_eq!(is_page(kind), page, "{kind}");
        check("text/html; charset=utf-8", true);
        check("Application/XHTML+XML", true);
        check("text/plain", true);
        check("image/png", false);
        check("application/json", false);
        check("text/css", false);
        // They were none, though browsers look at what is behind them.
        check("text", true);
        check("utf-8", true);
        check("unknown/unknown", true);
        check("*/*", true);
    }

    #[test]
    fn what_is_to_be_saved_is_not_shown() {
        let check = |value: &str, saved| assert_eq!(is_attachment(value), saved, "{value}");
        check("attachment", true);
        check("Attachment ; filename=\"a.html\"", true);
        check("inline", false);
        check("inline; filename=\"attachment\"", false);
        check("", false);
    }

    #[test]
    fn no_list_is_the_address_of_an_article() {
        let check = |canonical: &str, page: &str, believed: bool| {
            let at = address(page, Some("https://a.example/")).unwrap();
            let canonical = address(canonical, Some("https://a.example/")).unwrap();
            assert_eq!(names_this_article(&canonical, &at), believed, "{canonical:?} {page}");
        };
        // The front page, sections above the page, and index files of others.
        check("/", "/n/3", false);
        check("/index.html", "/n/3", false);
        check("/en/", "/en/n/3", false);
        check("/en", "/en/council-votes-on-new-tram", false);
        check("/en/index.php", "/en/n/3", false);
        check("/start/default.aspx", "/n/3", false);
        check("/2026/11/28/", "/2026/11/28/council-votes-on-new-tram", false);
        check("https://www.a.example/en/", "/en/n/3", false);
        check("https://b.example/n/3", "/n/3", false);
        // A script without the query that tells its pages.
        check("/article.php", "/article.php?nr=17", false);
        check("/", "/?p=17", false);
        // The page itself, and other addresses of articles.
        check("/", "/index.html", true);
        check("/n/3/index.html", "/n/3", true);
        check("/n/3/", "/n/3", true);
        check("/n/3", "/print/n/3", true);
        check("/english/n", "/en/n/3", true);
        check("/en/?p=3", "/en/n/3", true);
        check("/article.php?nr=17", "/article.php?nr=17&view=full", true);
        check("/council-votes-on-new-tram", "/council-votes-on-new-tram?view=full", true);
        check("/council-votes-on-new-tram/", "/council-votes-on-new-tram/2", true);
        check("/council-votes-on-new-tram/index.html", "/n/3", true);
        check("/n/story-1234567/", "/n/story-1234567/photos", true);
    }
}
