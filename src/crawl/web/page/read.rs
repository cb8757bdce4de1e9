//! A page's bytes become an article with its mentions, or the reason why not.
//!
//! Must not know: how the page was asked for, stories, the store.

use std::sync::Arc;

use crate::crawl::Engine;
use crate::crawl::clock::now;
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

/// What reading a page ends in.
pub(in crate::crawl) enum Read {
    Article {
        article: Box<ArticleDraft>,
        canonical: Option<UrlKey>,
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
    abort_reading(at.url.as_str());
    let content_type = answer.content_type;
    if let Some(kind) = content_type.filter(|kind| !is_page(kind)) {
        return Read::Ended(Outcome::NotArticle(format!("content type {kind}")));
    }
    let tld = at.url.host_str().and_then(|host| host.rsplit('.').next());
    let decoded = decode::html(answer.body, content_type, tld);
    // Whatever it is sent as: else anybody could have all that a feed says counted as one article.
    if feed::is_feed(&decoded.text) {
        return Read::Ended(Outcome::NotArticle("a feed".into()));
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
            .or_else(|| feed.as_ref().and_then(|f| f.language.as_deref())),
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
    if record.foreign && article.published.is_none() {
        return Read::Ended(Outcome::NotArticle(NAMED_BY_OTHERS.into()));
    }
    let clues = mention::day::Clues {
        page: article.published.as_ref(),
        feed: record.entry.published.as_ref(),
        first_seen: record.first_seen,
        feed_offset: feed.as_ref().and_then(|f| f.poll.offset),
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
        .filter(|canonical| names_this_article(canonical, at))
        .map(|canonical| canonical.key)
        .filter(|key| *key != record.key && *key != at.key);
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
    // Others choose which pages they name: what an outlet always prints is told by its own choice alone.
    let age = engine.settings.retention.memory;
    let printed = if hearsay { None } else { memory::remembered(&record, age) };
    Read::Article {
        article: Box::new(ArticleDraft { record, mentions, brand_set, print, printed }),
        canonical,
    }
}

/// Anything that calls itself HTML or text, or does not say.
fn is_page(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind.is_empty()
        || kind.contains("html")
        || kind == "text/plain"
        || kind == "application/octet-stream"
        || kind == "application/xml"
        || kind == "text/xml"
}

/// A canonical link is believed within the outlet and when it is not the front page: many sites
/// name their home page as everybody's canonical URL.
pub(in crate::crawl) fn names_this_article(canonical: &Address, at: &Address) -> bool {
    canonical.outlet == at.outlet && (canonical.url.path() != "/" || at.url.path() == "/")
}
