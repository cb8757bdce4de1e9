//! Pages, blocks and the articles cut out of them.
//!
//! Must not know: who makes and who uses it.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Day, Found, Millis, Published, Sighting, Stamp, UrlKey};

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

/// What a block is: the twelve that the shared corpora and our rules tell apart, what the memory of an
/// outlet knows better, and the eighteen others of Spengler & Gallinari 2009, Tab. 2, which only labels
/// set by hand and models trained on them give.
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
    /// Taken for the article's text, if the outlet did not print it in many of its stories.
    Repeated,
    // Stored records name labels by their number: new ones go to the end.
    Advertisement,
    AuthorDate,
    Category,
    Contact,
    Contributor,
    Copyright,
    CurrentPage,
    EmailArticle,
    Multimedia,
    NextPage,
    PrintPage,
    Publisher,
    RssFeed,
    Recommendation,
    SinglePage,
    SocialBookmark,
    Tags,
    Topics,
}

impl Label {
    /// All labels that a page alone can give, in the order of the declaration: the thirty of the paper,
    /// where `credit` is its media credit and `comment` its comments.
    pub const ALL: [Label; 30] = [
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
        Label::Advertisement,
        Label::AuthorDate,
        Label::Category,
        Label::Contact,
        Label::Contributor,
        Label::Copyright,
        Label::CurrentPage,
        Label::EmailArticle,
        Label::Multimedia,
        Label::NextPage,
        Label::PrintPage,
        Label::Publisher,
        Label::RssFeed,
        Label::Recommendation,
        Label::SinglePage,
        Label::SocialBookmark,
        Label::Tags,
        Label::Topics,
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
            Label::Repeated => "repeated",
            Label::Advertisement => "advertisement",
            Label::AuthorDate => "author-date",
            Label::Category => "category",
            Label::Contact => "contact",
            Label::Contributor => "contributor",
            Label::Copyright => "copyright",
            Label::CurrentPage => "current-page",
            Label::EmailArticle => "email-article",
            Label::Multimedia => "multimedia",
            Label::NextPage => "next-page",
            Label::PrintPage => "print-page",
            Label::Publisher => "publisher",
            Label::RssFeed => "rss-feed",
            Label::Recommendation => "recommendation",
            Label::SinglePage => "single-page",
            Label::SocialBookmark => "social-bookmark",
            Label::Tags => "tags",
            Label::Topics => "topics",
        }
    }

    /// Part of the article's `text`: lead and body, where mentions count.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageType {
    Article,
    ArticleWithComments,
    /// A list of entries or teasers.
    Multiple,
    #[default]
    Unknown,
    // Stored by position: new ones stand here.
    /// A thread of posts, as forum software prints it.
    Forum,
    /// The page says that there is no such page, with whatever status it was sent ("soft 404").
    Missing,
    /// It says that something went wrong, or bars the way to readers without scripts.
    Broken,
    /// It asks for consent before it shows anything.
    Consent,
}

impl PageType {
    /// What a page of this type is in the crawl's counters, if it is no article.
    pub fn outcome(self) -> Option<&'static str> {
        match self {
            PageType::Article | PageType::ArticleWithComments | PageType::Unknown => None,
            PageType::Multiple => Some("not an article(listing)"),
            PageType::Forum => Some("not an article(forum)"),
            PageType::Missing => Some("not an article(soft 404)"),
            PageType::Broken => Some("not an article(error page)"),
            PageType::Consent => Some("not an article(consent wall)"),
        }
    }
}

/// The signal of an article whose title only machines are told: no block shows it, nor does `<title>`.
pub const TITLE_UNSEEN: &str = "title unseen";
/// The signal of an article whose page names as its own an address that is a list's or another article's.
pub const CANONICAL_IGNORED: &str = "canonical ignored";

/// What extraction made of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// `noindex`, `noarchive`, `tdm-reservation=1`: recorded, obeyed only by setting. And what readers of the
    /// text should know of it: `hidden`, `encoded twice`, `partial` (the rest is for those who pay),
    /// [`TITLE_UNSEEN`], [`CANONICAL_IGNORED`].
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
    /// The memory of its outlet that the page was read with; `None`: it knew nothing, or none was used.
    #[serde(default)]
    pub memory: Option<MemoryUsed>,
    // Newer than stored records: these two stay the last, in this order.
    /// What our own sightings say of its date.
    #[serde(default, deserialize_with = "super::feed::or_default")]
    pub sighting: Sighting,
    /// The news agencies that it credits, in order; `None`: it was read before that was asked.
    #[serde(default, deserialize_with = "super::feed::or_default")]
    pub agencies: Option<Vec<Found<String>>>,
}

/// Whose text an article is, by what it says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Credit {
    /// It was read before that was asked.
    #[default]
    Unasked,
    /// It credits no agency.
    Own,
    /// Of several agencies the one that is credited first.
    Agency(String),
}

/// Which memory of an outlet a page was read with: one that is made again of the same pages has the
/// same sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUsed {
    /// It is made of the latest pages that were read before this day (UTC).
    pub before: Day,
    /// Pages that it is made of.
    pub pages: u32,
    /// Texts that it knows.
    pub texts: u32,
    /// Sum over the texts' fingerprints: 16 hexadecimal digits.
    pub sum: String,
}

impl ArticleRecord {
    /// Whose text it is.
    pub fn credit(&self) -> Credit {
        match self.agencies.as_deref() {
            Some([first, ..]) => Credit::Agency(first.value.clone()),
            Some([]) => Credit::Own,
            None => Credit::Unasked,
        }
    }

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
