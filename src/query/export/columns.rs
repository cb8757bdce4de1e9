//! The columns of every table: name, kind, meaning. Writers of files and docs/export.md follow this list.
//!
//! Must not know: where rows come from.

use super::Table;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// A whole number.
    Number,
    /// Between 0 and 1.
    Share,
    Flag,
    /// A day of the configured zone, `2026-11-20`.
    Day,
    /// RFC 3339, UTC, milliseconds.
    Instant,
    /// A list of texts.
    Names,
    /// Numbers by name, one JSON object.
    Counts,
}

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Number => "number",
            Kind::Share => "share",
            Kind::Flag => "flag",
            Kind::Day => "day",
            Kind::Instant => "instant",
            Kind::Names => "names",
            Kind::Counts => "counts",
        }
    }
}

/// One column of a table.
#[derive(Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    /// May a row have none?
    pub empty: bool,
    pub about: &'static str,
}

const fn full(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, empty: false, about }
}

const fn may(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, empty: true, about }
}

/// The day that a row belongs to is in every table, under this name.
const DAY: Column = full("day", Kind::Day, "publication day that it is counted under");

pub(super) fn of(table: Table) -> &'static [Column] {
    match table {
        Table::Articles => ARTICLES,
        Table::Mentions => MENTIONS,
        Table::Tallies => TALLIES,
        Table::Stories => STORIES,
        Table::Coverage => COVERAGE,
    }
}

static ARTICLES: &[Column] = &[
    full("key", Kind::Text, "key of the article: 32 hexadecimal digits"),
    full("url", Kind::Text, "as the feed gave it"),
    full("final_url", Kind::Text, "after redirects, or as the page names itself"),
    full("outlet", Kind::Text, "registered domain of the publisher"),
    full(
        "text",
        Kind::Text,
        "lead and body, one paragraph per line; empty after it was deleted by age",
    ),
    may("title", Kind::Text, "title of the article"),
    full("authors", Kind::Names, "as the page names them"),
    full("published", Kind::Text, "RFC 3339, UTC; the day alone where no more is known"),
    DAY,
    may("language", Kind::Text, "BCP 47, primary subtag"),
    may("story", Kind::Text, "id of its story: the same for all copies"),
    full("original", Kind::Flag, "first of its story"),
    full("charset", Kind::Text, "encoding of the page"),
    full("model", Kind::Text, "hash of the model that read it"),
    may("memory", Kind::Text, "sum of the outlet's memory that it was read with"),
    full("first_seen", Kind::Instant, "when a feed listed it first"),
    full("backlog", Kind::Flag, "came with the first poll of its feed"),
    full("sighting", Kind::Text, "what polls say of its date: corroborated, open or contradicted"),
    full("agencies", Kind::Names, "news agencies that it credits, in order"),
];

static MENTIONS: &[Column] = &[
    DAY,
    full("brand", Kind::Text, "name of the brand"),
    full("counted", Kind::Number, "mentions in title, lead and body"),
    full("suppressed", Kind::Number, "mentions elsewhere on the page, not counted"),
    full("outlet", Kind::Text, "registered domain of the publisher"),
    may("story", Kind::Text, "id of the article's story"),
    full("url", Kind::Text, "as the feed gave it"),
    full("article", Kind::Text, "key of the article"),
    may("language", Kind::Text, "BCP 47, primary subtag"),
    full("original", Kind::Flag, "the article is the first of its story"),
    full("backlog", Kind::Flag, "came with the first poll of its feed"),
    full("own", Kind::Flag, "the outlet is the brand's own"),
    full(
        "stuffed",
        Kind::Flag,
        "named more often than an article of this length does; counted up to a limit",
    ),
];

static TALLIES: &[Column] = &[
    DAY,
    full("brand", Kind::Text, "name of the brand"),
    full("stories", Kind::Number, "stories with a counting article, on the original's day"),
    full("articles", Kind::Number, "articles with a counted mention, copies included"),
    full("copies", Kind::Number, "of the articles, those that are no originals"),
    full("mentions", Kind::Number, "counted mentions"),
    full("suppressed", Kind::Number, "mentions that were not counted"),
    full("backlog", Kind::Number, "of the articles, those of first polls"),
    full("own", Kind::Number, "of the mentions, those by the brand's own outlets"),
    full("late", Kind::Number, "of the articles, those first seen after the day was final"),
    may("coverage", Kind::Share, "polls of the day and the next that succeeded, of those due"),
    full("provisional", Kind::Flag, "the next day is not over yet"),
    full("incomplete", Kind::Flag, "coverage is below 0.9"),
    full("revised", Kind::Flag, "the counts changed after the day was final"),
];

static STORIES: &[Column] = &[
    DAY,
    full("id", Kind::Text, "id of the story"),
    full("original", Kind::Text, "key of its first article"),
    full("outlet", Kind::Text, "outlet of the original"),
    may("title", Kind::Text, "title of the original"),
    full("url", Kind::Text, "address of the original"),
    full("articles", Kind::Number, "original and copies"),
    full("last", Kind::Instant, "publication of its last article"),
    full("series", Kind::Flag, "a series such as a horoscope, not one text"),
];

static COVERAGE: &[Column] = &[
    full("day", Kind::Day, "day of arrival"),
    full("outlet", Kind::Text, "registered domain of the publisher"),
    full("polls_due", Kind::Number, "polls that were due"),
    full("polls_succeeded", Kind::Number, "of these, those that were answered"),
    full("entries", Kind::Number, "entries seen for the first time"),
    full("outcomes", Kind::Counts, "what became of them; sums to entries"),
];
