//! A feed as it stands: texts, links and dates as they were printed, before anything is made of them.
//!
//! Must not know: how they are read, URLs' meaning, dates' meaning.

use crate::model::FeedFormat;

/// A link element or attribute set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Link {
    /// `xml:base` of the element itself.
    pub base: Option<String>,
    pub href: String,
    pub rel: String,
    pub kind: String,
}

impl Link {
    /// Is it a page, as far as it is told?
    pub fn is_page(&self) -> bool {
        self.kind.is_empty() || self.kind.contains("html")
    }

    /// May it lead to what it stands beside, rather than to something about it?
    pub fn is_alternate(&self) -> bool {
        self.rel.is_empty() || self.rel.split_ascii_whitespace().any(|rel| rel == "alternate")
    }
}

/// An item as it stands in the feed: HTML in texts, dates as printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Item {
    pub base: Option<String>,
    pub language: Option<String>,
    pub links: Vec<Link>,
    /// feedburner:origLink: the address behind a counting redirect.
    pub original: Option<String>,
    pub id: Option<String>,
    /// `isPermaLink` of a guid; Atom ids and guids without the attribute: `None`.
    pub permalink: Option<bool>,
    pub about: Option<String>,
    /// Where an Atom entry's content stands, if not in the feed (RFC 4287 §4.1.3.2).
    pub outside: Option<Link>,
    pub title: Option<String>,
    /// Its title is plain text, where a `<` is a character.
    pub plain: bool,
    /// media:title of the item or its group.
    pub media_title: Option<String>,
    pub summary: Option<String>,
    pub content: Option<String>,
    pub published: Option<String>,
    /// The date in Dublin Core or as feed-rs knows it, where the item's own says nothing.
    pub date: Option<String>,
    pub updated: Option<String>,
    pub authors: Vec<String>,
    pub categories: Vec<String>,
}

/// A feed as it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Raw {
    pub format: Option<FeedFormat>,
    pub base: Option<String>,
    pub title: Option<String>,
    /// Its title is plain text, where a `<` is a character.
    pub plain: bool,
    pub language: Option<String>,
    pub links: Vec<Link>,
    pub ttl: Option<String>,
    pub period: Option<String>,
    pub frequency: Option<String>,
    pub skip_hours: Vec<String>,
    pub skip_days: Vec<String>,
    pub items: Vec<Item>,
    /// Items that the limit left out.
    pub left_out: usize,
    pub depth: usize,
    pub elements: usize,
    pub most_attributes: usize,
}
