//! Brands, their mentions and the sums of these.
//!
//! Must not know: who makes and who uses it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Day, Millis, Sense, UrlKey};

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
    /// Prose that the outlet prints in many of its stories.
    Repeated,
    /// Title, lead or body, more often than an article of its length names one brand.
    Stuffed,
    /// Title, lead or body, where by what people have answered something else is meant.
    OtherSense,
    /// A title that only machines are told.
    Unseen,
}

impl Zone {
    /// Counted: title, lead, body. Suppressed: the rest.
    pub fn counted(self) -> bool {
        matches!(self, Zone::Title | Zone::Lead | Zone::Body)
    }
    /// As people write it, and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Zone::Title => "title",
            Zone::Lead => "lead",
            Zone::Body => "body",
            Zone::Caption => "caption",
            Zone::Credit => "credit",
            Zone::Comment => "comment",
            Zone::Clutter => "clutter",
            Zone::Repeated => "repeated",
            Zone::Stuffed => "stuffed",
            Zone::OtherSense => "other-sense",
            Zone::Unseen => "unseen",
        }
    }
    /// All zones, in table order.
    pub const ALL: [Zone; 11] = [
        Zone::Title,
        Zone::Lead,
        Zone::Body,
        Zone::Caption,
        Zone::Credit,
        Zone::Comment,
        Zone::Clutter,
        Zone::Repeated,
        Zone::Stuffed,
        Zone::OtherSense,
        Zone::Unseen,
    ];
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
    /// Of the articles, originals of their stories; the others are copies.
    pub originals: i64,
    /// Of the articles, those that came with the first poll of their feed.
    pub backlog: i64,
    /// Of the mentions, those by the brand's own outlets.
    pub own: i64,
    /// Of the articles, those first seen when the day was no longer provisional, without backlog.
    pub late: i64,
    /// The same of the week.
    pub late_week: i64,
}

impl Tally {
    /// Adds what has changed; a change may be negative.
    pub fn add(&mut self, change: &Tally) {
        self.articles += change.articles;
        self.mentions += change.mentions;
        self.suppressed += change.suppressed;
        self.stories += change.stories;
        self.originals += change.originals;
        self.backlog += change.backlog;
        self.own += change.own;
        self.late += change.late;
        self.late_week += change.late_week;
    }
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
    /// An all-lower-case alias matches any case, others exactly; all do in a headline or paragraph that is all
    /// in capitals.
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
    // Newer than stored records: it stays the last.
    /// What people have answered about each brand's mentions; without answers there is no entry.
    #[serde(default, deserialize_with = "super::feed::or_default")]
    pub senses: BTreeMap<String, Sense>,
}
