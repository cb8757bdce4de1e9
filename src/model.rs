//! Plain data that travels between the stages: what a feed, an entry, a page, an article, a mention
//! and a tally *are*. No behaviour beyond parsing and printing of names, no I/O, no clock.
//!
//! Must not know: any other module of the crate.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::civil;
use serde::{Deserialize, Serialize};

/// Unix time in milliseconds, UTC.
pub type Millis = i64;
/// One second, minute, hour, day in [`Millis`].
pub const SECOND: Millis = 1_000;
/// One minute in [`Millis`].
pub const MINUTE: Millis = 60 * SECOND;
/// One hour in [`Millis`].
pub const HOUR: Millis = 60 * MINUTE;
/// One day in [`Millis`].
pub const DAY: Millis = 24 * HOUR;

/// A calendar day in the configured time zone.
pub type Day = civil::Date;

/// 128-bit hash of a canonical URL (the first 16 bytes of its SHA-256), written as 32 hex digits.
/// Feeds, entries, articles and stories are all named by such a key; a story has its original's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct UrlKey(pub u128);

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
impl fmt::Debug for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl FromStr for UrlKey {
    type Err = String;
    /// Exactly 32 hex digits.
    fn from_str(s: &str) -> Result<Self, String> {
        if s.len() == 32 && s.bytes().all(|b| b.is_ascii_hexdigit()) {
            u128::from_str_radix(s, 16).map(UrlKey).map_err(|e| e.to_string())
        } else {
            Err(format!("`{s}` is not a key of 32 hex digits"))
        }
    }
}
impl Serialize for UrlKey {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if s.is_human_readable() { s.collect_str(self) } else { self.0.to_be_bytes().serialize(s) }
    }
}
impl<'de> Deserialize<'de> for UrlKey {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        if d.is_human_readable() {
            String::deserialize(d)?.parse().map_err(serde::de::Error::custom)
        } else {
            <[u8; 16]>::deserialize(d).map(|b| UrlKey(u128::from_be_bytes(b)))
        }
    }
}

/// Where a piece of metadata came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    JsonLd,
    OpenGraph,
    Meta,
    Microdata,
    Link,
    Html,
    Visible,
    Url,
    Feed,
    Detected,
    FirstSeen,
}

/// A value together with where it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found<T> {
    pub value: T,
    pub source: Source,
}

/// How exactly a date was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Only the calendar day; never shifted to another day by a time zone.
    Day,
    /// A wall-clock time without a zone.
    Minute,
    /// A wall-clock time with its offset.
    Instant,
}

/// A date as printed on the page or in the feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stamp {
    /// The characters as printed.
    pub printed: String,
    /// Wall clock as printed; midnight for [`Precision::Day`].
    pub local: civil::DateTime,
    /// Seconds east of UTC as printed; `None` when the zone is missing.
    pub offset: Option<i32>,
    pub precision: Precision,
    pub source: Source,
}

/// Where the zone of a publication instant came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZoneSource {
    Printed,
    Feed,
    Page,
    Outlet,
    /// None known: read as the configured zone.
    Assumed,
}

/// The publication instant that an article is counted under, and why (design: day attribution).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// UTC milliseconds. For day precision: midnight of `day` in the configured zone.
    pub at: Millis,
    pub day: Day,
    pub precision: Precision,
    pub zone: ZoneSource,
    pub source: Source,
    pub printed: Option<String>,
}

// ---------------------------------------------------------------- feeds and entries

/// What kind of document a feed turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeedFormat {
    Rss2,
    Rss1,
    Rss0,
    Atom,
    JsonFeed,
    NewsSitemap,
    Sitemap,
    SitemapIndex,
    /// A page of headlines, of an outlet without any feed.
    Section,
}

/// Operator's or server's verdict on a feed; a feed is never deleted by the crawler itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeedStatus {
    Active,
    Paused,
    /// The server said 410, or it moved to `moved_to`; polled at long intervals.
    Gone,
}

/// A feed and all that the polling schedule needs to know about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    pub key: UrlKey,
    pub url: String,
    pub outlet: String,
    pub pace_key: String,
    /// Comment group of the seed list, if any.
    pub group: Option<String>,
    pub title: Option<String>,
    pub language: Option<String>,
    pub format: Option<FeedFormat>,
    pub status: FeedStatus,
    pub added: Millis,
    pub poll: PollState,
}

/// Learned polling state of one feed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PollState {
    /// Next poll due at.
    pub next: Millis,
    /// Current interval, milliseconds; 0 until the first poll.
    pub interval: Millis,
    /// Learned arrivals, new entries per hour; 0 until the first poll.
    pub rate: f32,
    pub polls: u32,
    pub successes: u32,
    /// Weighted consecutive failures (hard 1, soft 0.5, DNS 0.25).
    pub failures: f32,
    pub last: Option<Millis>,
    pub last_success: Option<Millis>,
    pub last_error: Option<String>,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// SHA-256 prefix of the last body.
    pub body_hash: Option<u64>,
    pub last_unconditional: Option<Millis>,
    /// Polls since the last unconditional one.
    pub conditional_run: u32,
    /// The server answered "unchanged" or the same validator for a changed body.
    pub lying_validators: bool,
    /// Keys of the entries of the previous successful poll (overlap test), newest first, bounded.
    pub recent: Vec<UrlKey>,
    /// Polls without any overlap with the previous one: entries were probably lost.
    pub gaps: u32,
    /// Server-given floor for the interval (ttl, updatePeriod, max-age), milliseconds.
    pub floor: Millis,
    /// Why the interval is what it is, in words.
    pub why: String,
    /// Seconds east of UTC learned from this feed's zoned dates.
    pub offset: Option<i32>,
    /// A permanent redirect seen once, waiting for confirmation.
    pub moving_to: Option<String>,
    pub moved_to: Option<String>,
    /// Same body as this feed on the same outlet.
    pub duplicate_of: Option<UrlKey>,
}

/// One item of a feed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Absolute URL as the feed gave it (resolved against the feed's base).
    pub url: String,
    pub id: Option<String>,
    pub title: Option<String>,
    /// Plain text, tags removed.
    pub summary: Option<String>,
    pub published: Option<Stamp>,
    pub authors: Vec<String>,
    pub categories: Vec<String>,
    pub language: Option<String>,
}

// ---------------------------------------------------------------- frontier

/// What is to be done at a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskKind {
    Poll,
    Fetch,
}

/// One due piece of work under a pace key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub kind: TaskKind,
    pub key: UrlKey,
    pub url: String,
    pub due: Millis,
    /// Failed attempts so far.
    pub attempts: u32,
}

/// Politeness state of one pace key; persisted at claim, before the first byte is sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// No request before this instant.
    pub next_at: Millis,
    /// Smallest distance between the end of one request and the start of the next, milliseconds.
    pub delay: Millis,
    /// Longer pause by 429/503/403 or by the operator.
    pub blocked_until: Millis,
    /// Exponentially weighted mean response time of successful answers, milliseconds.
    pub response_ms: f32,
    /// Weighted consecutive failures.
    pub failures: f32,
    /// Consecutive 403 answers.
    pub forbidden_run: u32,
    /// Delay fixed by the operator, milliseconds.
    pub operator_delay: Option<Millis>,
}

/// A worker's time-limited right to one pace key, with the tasks to drain under it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    pub pace_key: String,
    pub owner: String,
    /// Fences every write made under this lease.
    pub epoch: u64,
    pub until: Millis,
    pub pace: Pace,
    pub tasks: Vec<Task>,
}

/// A cached robots.txt of one scheme+host+port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotsRecord {
    /// `scheme://host:port`.
    pub origin: String,
    pub fetched: Millis,
    /// Instant after which it must be fetched again.
    pub fresh_until: Millis,
    pub status: RobotsStatus,
    /// Body as UTF-8, at most 500 KiB; empty unless `Fetched`.
    pub body: String,
    /// Since when the file has been unreachable, if it is.
    pub unreachable_since: Option<Millis>,
}

/// How the last robots.txt fetch ended (RFC 9309 §2.3.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RobotsStatus {
    Fetched,
    /// 4xx: no restriction (§2.3.1.3).
    Unavailable(u16),
    /// 5xx or network error: complete disallow (§2.3.1.4), after 30 days allow.
    Unreachable(String),
}

/// What robots.txt says about one URL, and by which rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotsDecision {
    pub allowed: bool,
    /// The deciding rule as written, e.g. `Disallow: /private`; or the reason without a rule.
    pub rule: Option<String>,
    /// Line in robots.txt, from 1.
    pub line: Option<u32>,
}

// ---------------------------------------------------------------- outcomes

/// How an entry ended. Every entry has exactly one at any time (invariant 9).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Waiting for its first or next attempt.
    Pending,
    Article,
    /// The same canonical URL is already in the store under this key.
    Known(UrlKey),
    /// Redirected to another pace key; the target is an entry of its own.
    Moved(UrlKey),
    Forbidden {
        rule: String,
        line: Option<u32>,
    },
    /// Not dialled: no contact configured, or an address that the guard denies.
    Refused(String),
    Failed(Failure),
    /// Fetched, but not a news article (page type, content type, noindex when obeyed).
    NotArticle(String),
    TooOld,
    /// Removed by the operator.
    Forgotten,
}

impl Outcome {
    /// The stable short name used in counters, tables and the API.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Pending => "pending",
            Outcome::Article => "article",
            Outcome::Known(_) => "known",
            Outcome::Moved(_) => "moved",
            Outcome::Forbidden { .. } => "forbidden",
            Outcome::Refused(_) => "refused",
            Outcome::Failed(f) => f.name(),
            Outcome::NotArticle(_) => "not an article",
            Outcome::TooOld => "too old",
            Outcome::Forgotten => "forgotten",
        }
    }
}

/// Why a fetch or an extraction failed for good.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    Dns(String),
    Connect(String),
    Tls(String),
    FirstByteTimeout,
    Deadline,
    TooSlow,
    TooLarge,
    CompressionRatio,
    Encoding(String),
    Headers(String),
    Reset(String),
    Status(u16),
    RateLimited,
    RedirectLoop,
    TooManyRedirects,
    BadRedirect(String),
    BadUrl(String),
    RobotsUnreachable,
    ExtractDeadline,
    ExtractLimit(String),
    GaveUp(String),
}

impl Failure {
    /// The stable short name used in counters and tables.
    pub fn name(&self) -> &'static str {
        match self {
            Failure::Dns(_) => "failed(dns)",
            Failure::Connect(_) => "failed(connect)",
            Failure::Tls(_) => "failed(tls)",
            Failure::FirstByteTimeout => "failed(first byte timeout)",
            Failure::Deadline => "failed(deadline)",
            Failure::TooSlow => "failed(too slow)",
            Failure::TooLarge => "failed(too large)",
            Failure::CompressionRatio => "failed(compression ratio)",
            Failure::Encoding(_) => "failed(content encoding)",
            Failure::Headers(_) => "failed(headers)",
            Failure::Reset(_) => "failed(reset)",
            Failure::Status(_) => "failed(status)",
            Failure::RateLimited => "failed(rate limited)",
            Failure::RedirectLoop => "failed(redirect loop)",
            Failure::TooManyRedirects => "failed(too many redirects)",
            Failure::BadRedirect(_) => "failed(bad redirect)",
            Failure::BadUrl(_) => "failed(bad url)",
            Failure::RobotsUnreachable => "failed(robots unreachable)",
            Failure::ExtractDeadline => "failed(extract deadline)",
            Failure::ExtractLimit(_) => "failed(extract limit)",
            Failure::GaveUp(_) => "failed(gave up)",
        }
    }
}

/// All that is known about one entry's URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UrlRecord {
    pub key: UrlKey,
    pub canonical: String,
    pub outlet: String,
    pub pace_key: String,
    pub feed: UrlKey,
    pub entry: Entry,
    /// First committed sighting.
    pub first_seen: Millis,
    /// Day of arrival (of `first_seen`), the bucket of the outcome counters.
    pub arrival: Day,
    /// Came with the first poll of its feed.
    pub backlog: bool,
    pub outcome: Outcome,
    pub attempts: u32,
    /// Next attempt, while pending.
    pub next: Millis,
    /// Last failure while pending, in words.
    pub last_error: Option<String>,
    /// Redirects that led here, oldest first.
    pub chain: Vec<String>,
}

// ---------------------------------------------------------------- pages and articles

/// The fetched bytes of one URL.
#[derive(Clone, Debug)]
pub struct Page {
    pub url: String,
    pub final_url: String,
    pub status: u16,
    pub content_type: Option<String>,
    pub body: Vec<u8>,
    pub fetched: Millis,
}

/// What a block is. The twelve that the shared corpora and our rules tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    Title,
    Subtitle,
    Introduction,
    Paragraph,
    Heading,
    Caption,
    Credit,
    Comment,
    Author,
    Date,
    RelatedArticle,
    None,
}

impl Label {
    /// All labels, in the order of the declaration.
    pub const ALL: [Label; 12] = [
        Label::Title,
        Label::Subtitle,
        Label::Introduction,
        Label::Paragraph,
        Label::Heading,
        Label::Caption,
        Label::Credit,
        Label::Comment,
        Label::Author,
        Label::Date,
        Label::RelatedArticle,
        Label::None,
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Label::Title => "title",
            Label::Subtitle => "subtitle",
            Label::Introduction => "introduction",
            Label::Paragraph => "paragraph",
            Label::Heading => "heading",
            Label::Caption => "caption",
            Label::Credit => "credit",
            Label::Comment => "comment",
            Label::Author => "author",
            Label::Date => "date",
            Label::RelatedArticle => "related-article",
            Label::None => "none",
        }
    }

    /// Part of the article's `text` (lead and body, design: mentions and days).
    pub fn is_content(self) -> bool {
        matches!(self, Label::Introduction | Label::Paragraph | Label::Heading)
    }
}

impl FromStr for Label {
    type Err = String;

    /// A label by its name; `content` is another word for `paragraph`.
    fn from_str(s: &str) -> Result<Self, String> {
        if s == "content" {
            return Ok(Label::Paragraph);
        }
        Label::ALL.into_iter().find(|l| l.name() == s).ok_or_else(|| {
            let names: Vec<&str> = Label::ALL.iter().map(|l| l.name()).collect();
            format!("`{s}` is not a label; known: content, {}", names.join(", "))
        })
    }
}

/// A run of text between block-level boundaries, labeled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// White space normalised.
    pub text: String,
    pub label: Label,
    /// Labeler's probability of being content.
    pub probability: f32,
}

/// What kind of page it is (Pappas et al. §3.3, step 7, and ours).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageType {
    Article,
    ArticleWithComments,
    Multiple,
    Unknown,
}

/// What extraction made of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Article {
    pub title: Option<Found<String>>,
    pub authors: Vec<Found<String>>,
    pub published: Option<Stamp>,
    pub modified: Option<Stamp>,
    /// BCP 47 primary subtag, lower case.
    pub language: Option<Found<String>>,
    pub canonical: Option<Found<String>>,
    pub site_name: Option<Found<String>>,
    pub section: Option<Found<String>>,
    pub image: Option<Found<String>>,
    /// `noindex`, `noarchive`, `tdm-reservation=1`: recorded, obeyed only by setting.
    pub signals: Vec<String>,
    pub page_type: PageType,
    pub blocks: Vec<Block>,
    /// Lead and body blocks in page order, one paragraph a line.
    pub text: String,
    /// No block was labeled content and the documented fallback answered.
    pub fallback: bool,
    /// Hash of the model that labeled it.
    pub model: String,
}

/// One occurrence of a brand in an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    pub brand: String,
    /// The characters as they stand in the text.
    pub matched: String,
    /// Index into the article's blocks; `None`: the metadata title (no block shows it).
    pub block: Option<u32>,
    /// Byte offsets into the block's text (or the title).
    pub start: u32,
    pub end: u32,
    pub zone: Zone,
}

/// Where in the article a mention stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zone {
    Title,
    Lead,
    Body,
    Caption,
    Credit,
    Comment,
    Clutter,
}

impl Zone {
    /// Counted: title, lead, body. Suppressed: the rest.
    pub fn counted(self) -> bool {
        matches!(self, Zone::Title | Zone::Lead | Zone::Body)
    }
    /// All zones, in table order.
    pub const ALL: [Zone; 7] = [
        Zone::Title,
        Zone::Lead,
        Zone::Body,
        Zone::Caption,
        Zone::Credit,
        Zone::Comment,
        Zone::Clutter,
    ];
}

/// Everything kept about one article; lives in the monthly database of its arrival.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArticleRecord {
    pub key: UrlKey,
    /// As the feed gave it.
    pub url: String,
    pub final_url: String,
    pub outlet: String,
    pub feed: UrlKey,
    pub feed_title: Option<String>,
    pub backlog: bool,
    pub first_seen: Millis,
    pub fetched: Millis,
    /// WHATWG encoding name and where it was declared.
    pub charset: (String, String),
    pub published: Published,
    pub article: Article,
}

impl ArticleRecord {
    /// A page without text is no article: one that has none has lost it, by age or since its
    /// publisher reserves it.
    pub fn has_text(&self) -> bool {
        !self.article.text.is_empty()
    }

    /// The record with nothing left of what the page said but its metadata.
    pub fn without_text(mut self) -> ArticleRecord {
        self.article.text = String::new();
        self.article.blocks = Vec::new();
        self
    }
}

/// One article's mentions of one brand under one brand-set version: the row that tallies sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MentionRow {
    pub brand: String,
    pub day: Day,
    pub article: UrlKey,
    pub outlet: String,
    pub language: Option<String>,
    pub feed: UrlKey,
    pub backlog: bool,
    /// The article's outlet is the brand itself.
    pub own_outlet: bool,
    pub counted: u32,
    pub suppressed: u32,
    pub mentions: Vec<Mention>,
}

/// Per brand and day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Articles with at least one counted mention, copies included.
    pub articles: i64,
    /// Counted mentions.
    pub mentions: i64,
    /// Mentions in zones that are not counted.
    pub suppressed: i64,
    /// Stories with at least one counting member, on the original's day.
    pub stories: i64,
}

/// One article of a story.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub key: UrlKey,
    pub outlet: String,
    /// Publication instant.
    pub at: Millis,
    pub day: Day,
    pub first_seen: Millis,
    /// Most similar earlier member and sim^σ to it.
    pub nearest: Option<(UrlKey, f32)>,
    /// Brands that this member counts at least once (current brand set).
    pub brands: Vec<String>,
}

/// What orders the members of a story: publication instant, first seen, key.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Rank {
    pub at: Millis,
    pub first_seen: Millis,
    pub key: UrlKey,
}

impl Member {
    /// Its place among the members of its story.
    pub fn rank(&self) -> Rank {
        Rank { at: self.at, first_seen: self.first_seen, key: self.key }
    }
}

/// A story without its members: as small for a thousand as for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoryHead {
    pub id: UrlKey,
    /// Number of members.
    pub articles: u64,
    /// The original.
    pub first: Rank,
    /// Publication day of the original.
    pub day: Day,
    pub last: Rank,
    /// Latest publication or first sight of a member.
    pub newest: Millis,
    /// See [`Story::series`].
    pub series: bool,
}

impl StoryHead {
    /// The head of a story of one.
    pub fn of(member: &Member) -> StoryHead {
        StoryHead {
            id: member.key,
            articles: 1,
            first: member.rank(),
            day: member.day,
            last: member.rank(),
            newest: member.at.max(member.first_seen),
            series: false,
        }
    }

    /// Takes over what another story's head says about its members.
    pub fn absorb(&mut self, other: &StoryHead) {
        self.articles += other.articles;
        if other.first < self.first {
            (self.first, self.day) = (other.first, other.day);
        }
        self.last = self.last.max(other.last);
        self.newest = self.newest.max(other.newest);
    }
}

/// How a new article joins the stories of its copies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Joining {
    /// The stories it joins, which are one from now on; the first keeps its name, those of the
    /// others become aliases. None: it founds its own, named after it.
    pub stories: Vec<UrlKey>,
    /// Most similar earlier member and sim^σ to it.
    pub nearest: Option<(UrlKey, f32)>,
    /// Later members that have no earlier member more like them than the new one, and sim^σ.
    pub nearer: Vec<(UrlKey, f32)>,
    /// See [`Story::series`].
    pub series: bool,
}

/// A connected component of the copies relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// Key of the member that founded it; stays when the original changes.
    pub id: UrlKey,
    /// Members sorted by (publication instant, first seen, key): the first is the original.
    pub members: Vec<Member>,
    /// Ends below τ − 0.15 or a span of more than seven days.
    pub series: bool,
}

/// An article of which a large part stands in a longer one. Excerpts are no copies: they belong to
/// other stories, and no tally knows them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excerpt {
    pub part: UrlKey,
    pub whole: UrlKey,
    /// Share of the part's terms that the whole has.
    pub share: f32,
}

/// A watched subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brand {
    pub name: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Phrases that cancel an overlapping match ("Apple Records").
    #[serde(default)]
    pub exclude: Vec<String>,
    #[serde(default)]
    pub case: CaseRule,
    #[serde(default = "yes")]
    pub whole_word: bool,
    /// Only in articles of these languages; empty: all.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Count only if any of these words is near (within `within` words) or in the article.
    #[serde(default)]
    pub require: Vec<String>,
    /// 0: anywhere in the article.
    #[serde(default)]
    pub within: u32,
    /// Accept the bounded suffixes and prefixes of the listed languages.
    #[serde(default)]
    pub inflect: Vec<String>,
    /// Registered domains of the brand's own outlets; their mentions of it are flagged.
    #[serde(default)]
    pub outlets: Vec<String>,
}

fn yes() -> bool {
    true
}

/// How letter case decides a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseRule {
    /// An all-lower-case alias matches any case, others exactly.
    #[default]
    Smart,
    Exact,
    Any,
}

/// A versioned set of brands; `version` is the hash of its content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BrandSet {
    pub version: String,
    pub brands: Vec<Brand>,
    /// Since when each brand has been watched.
    pub since: BTreeMap<String, Millis>,
}

/// Per day and outlet: polls due and answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Polls {
    pub due: u32,
    pub succeeded: u32,
}

/// A length of time in settings, written `500ms`, `10s`, `5m`, `2h`, `30d`; a bare number is
/// seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Millis);

impl Span {
    /// As a [`std::time::Duration`]; negative lengths are zero.
    pub fn duration(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0.max(0) as u64)
    }
}

impl FromStr for Span {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let s = s.trim();
        let digits = s.len() - s.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let unit = match s[digits..].trim() {
            "ms" => 1,
            "" | "s" => SECOND,
            "m" | "min" => MINUTE,
            "h" => HOUR,
            "d" => DAY,
            other => return Err(format!("unknown unit `{other}` in `{s}`: use ms, s, m, h or d")),
        };
        let n: i64 = s[..digits].parse().map_err(|_| {
            format!("`{s}` is not a length of time; write for example 500ms, 10s, 5m, 2h or 30d")
        })?;
        n.checked_mul(unit).map(Span).ok_or_else(|| format!("`{s}` is too long"))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(DAY, "d"), (HOUR, "h"), (MINUTE, "m"), (SECOND, "s")] {
            if self.0 != 0 && self.0 % unit == 0 {
                return write!(f, "{}{name}", self.0 / unit);
            }
        }
        if self.0 == 0 { f.write_str("0s") } else { write!(f, "{}ms", self.0) }
    }
}

impl Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Span;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a length of time such as \"10s\"")
            }
            fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<Span, E> {
                s.parse().map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<Span, E> {
                n.checked_mul(SECOND).map(Span).ok_or_else(|| E::custom("too long"))
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Span, E> {
                self.visit_i64(i64::try_from(n).map_err(E::custom)?)
            }
        }
        d.deserialize_any(Visitor)
    }
}
