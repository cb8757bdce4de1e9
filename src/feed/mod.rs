//! Bytes of a feed → entries, and when to ask again: RSS 0.9x, 1.0, 2.0, Atom 0.3 and 1.0, JSON
//! Feed, Google-news sitemaps and sitemap indexes; finding the feeds of a page; lists of feeds.
//!
//! Everything here is pure: no network, disk or clock. Must not know: fetching, decoding of bytes
//! into characters (it takes decoded text), stores, other stages.

pub mod date;
pub mod discover;
pub mod list;
pub mod opml;
pub mod schedule;
pub mod section;

mod entry;
mod json;
mod library;
mod markup;
mod mend;
mod newest;
mod raw;
mod root;
mod scan;
mod sitemap;
mod table;

pub use root::is_feed;
pub use sitemap::names_news;

use std::borrow::Cow;
use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::model::{Entry, FeedFormat, Millis, Skips, Stamp};

/// Limits of reading a feed, and the polling schedule.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Largest decoded feed, bytes.
    pub max_bytes: usize,
    /// Entries read per feed: the newest; the rest is left out and said so.
    pub max_entries: usize,
    /// Sitemaps read from an index: those that call themselves news, and the newest.
    pub max_sitemaps: usize,
    /// Deepest element nesting that is handed to the strict reader.
    pub max_depth: usize,
    /// Attributes looked at per tag.
    pub max_attributes: usize,
    /// Longest URL, characters.
    pub max_url: usize,
    /// Longest title, characters.
    pub max_title: usize,
    /// Longest summary, characters.
    pub max_summary: usize,
    /// Authors and categories kept per entry.
    pub max_names: usize,
    pub schedule: schedule::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_bytes: 15 << 20,
            max_entries: 2_000,
            max_sitemaps: 1_000,
            max_depth: 100,
            max_attributes: 256,
            max_url: 2_048,
            max_title: 1_000,
            max_summary: 4_000,
            max_names: 20,
            schedule: schedule::Settings::default(),
        }
    }
}

/// What a feed said.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub format: FeedFormat,
    pub title: Option<String>,
    /// As printed, lower case.
    pub language: Option<String>,
    /// The site that the feed belongs to.
    pub home: Option<String>,
    /// In document order.
    pub entries: Vec<Entry>,
    /// Items without an address, for people to see; nobody can fetch them.
    pub unlinked: Vec<Unlinked>,
    /// Sitemaps that an index lists: those that call themselves news, then the newest.
    pub sitemaps: Vec<String>,
    /// Sitemaps that the limit of sitemaps left out.
    pub sitemaps_left_out: usize,
    /// Shortest polling interval the publisher wishes (ttl, sy:updatePeriod), at most 24 h; 0: none.
    pub floor: Millis,
    /// When the publisher asks not to be polled.
    pub skips: Skips,
    /// WebSub hub.
    pub hub: Option<String>,
    /// What a hub knows the feed by (`rel=self`, JSON Feed `feed_url`).
    pub topic: Option<String>,
    /// Next page of a paged feed (RFC 5005 §3; JSON Feed `next_url`).
    pub next: Option<String>,
    /// What was mended or left out, in words.
    pub repaired: Vec<String>,
    /// Items that the limit of entries left out.
    pub left_out: usize,
    /// URLs of a sitemap that are no news.
    pub plain: usize,
    /// Items that lead to readers' comments.
    pub comments: usize,
}

/// An item that tells no usable address.
#[derive(Clone, Debug, PartialEq)]
pub struct Unlinked {
    /// How many entries stand before it.
    pub place: usize,
    /// Its link as printed, where nothing but a base is missing.
    pub link: Option<String>,
    pub id: Option<String>,
    pub title: Option<String>,
    pub published: Option<Stamp>,
}

impl Parsed {
    /// A feed that said nothing yet.
    fn new(format: FeedFormat) -> Self {
        Parsed {
            format,
            title: None,
            language: None,
            home: None,
            entries: Vec::new(),
            unlinked: Vec::new(),
            sitemaps: Vec::new(),
            sitemaps_left_out: 0,
            floor: 0,
            skips: Skips::default(),
            hub: None,
            topic: None,
            next: None,
            repaired: Vec::new(),
            left_out: 0,
            plain: 0,
            comments: 0,
        }
    }
}

impl Parsed {
    /// Why nothing can be read of it: a sitemap of addresses none of which is news, a feed of comments.
    pub fn no_news(&self) -> Option<String> {
        if self.format == FeedFormat::Sitemap && self.plain > 0 {
            let plain = self.plain;
            return Some(format!(
                "no news sitemap: none of its {plain} addresses has a `news:` part"
            ));
        }
        (self.entries.is_empty() && self.comments > 0)
            .then(|| format!("a feed of readers' comments ({}), not of articles", self.comments))
    }
}

/// What is often given in place of a feed, and what to do then.
const PAGE: &str = "an HTML page";
const FINDS: &str = "; `crawler discover URL` looks for its feeds";

/// Why a document is not a feed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FeedError {
    #[error("the feed is empty")]
    Empty,
    #[error("the feed has {bytes} bytes, the limit is {limit}")]
    TooLarge { bytes: usize, limit: usize },
    #[error("this is {found}, not a feed{}", if found == PAGE { FINDS } else { "" })]
    NotAFeed { found: String },
    #[error("broken JSON: {0}")]
    Json(String),
    #[error("broken gzip data: {0}")]
    Gzip(String),
}

/// Unpacks a gzip'ed document (`sitemap.xml.gz` is served as a file, so no transfer decoding
/// touched it); other bytes come back as they are.
pub fn unpack<'a>(bytes: &'a [u8], limits: &Settings) -> Result<Cow<'a, [u8]>, FeedError> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut out = Vec::new();
    let most = limits.max_bytes as u64 + 1;
    let end = flate2::read::MultiGzDecoder::new(bytes).take(most).read_to_end(&mut out);
    if out.len() > limits.max_bytes {
        return Err(FeedError::TooLarge { bytes: out.len(), limit: limits.max_bytes });
    }
    match end {
        // What came before the damage is read as a cut-off document.
        Err(e) if out.is_empty() => Err(FeedError::Gzip(e.to_string())),
        _ => Ok(Cow::Owned(out)),
    }
}

/// Reads a feed from decoded text. `url` is the feed's own address (after redirects); relative
/// links are resolved against it. Damaged feeds give the entries that can be told; whatever is cut
/// off keeps the entries before the cut.
pub fn parse_text(
    text: &str,
    content_type: Option<&str>,
    url: &str,
    limits: &Settings,
) -> Result<Parsed, FeedError> {
    if text.len() > limits.max_bytes {
        return Err(FeedError::TooLarge { bytes: text.len(), limit: limits.max_bytes });
    }
    let start = text.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace());
    match start.as_bytes().first() {
        None => return Err(FeedError::Empty),
        Some(b'{') => return json::parse(start, url, limits),
        _ => {}
    }
    let (mended, repaired) = mend::mend(start);
    let mut parsed = match root::of(&mended) {
        root::Root::Sitemap => sitemap::parse(&mended, url, limits),
        root::Root::Feed => library::parse(&mended, url, limits),
        root::Root::Other(found) => {
            let found = match (found, content_type) {
                (Some(name), _) if name.eq_ignore_ascii_case("html") => PAGE.to_owned(),
                (Some(name), _) => format!("a <{name}> document"),
                (None, Some(kind)) => format!("text without markup ({kind})"),
                (None, None) => "text without markup".to_owned(),
            };
            return Err(FeedError::NotAFeed { found });
        }
    };
    parsed.repaired.splice(0..0, repaired);
    Ok(parsed)
}

#[cfg(test)]
mod tests;
