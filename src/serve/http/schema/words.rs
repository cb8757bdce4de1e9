//! Words that stand for a fixed set each, by the name of the set.
//!
//! Must not know: which fields hold them.

/// Name and words of each set.
pub(super) const WORDS: &[(&str, &[&str])] = &[
    ("By", &["day", "week", "outlet", "language", "feed"]),
    (
        "Zone",
        &[
            "title", "lead", "body", "caption", "credit", "comment", "clutter", "repeated",
            "stuffed",
        ],
    ),
    (
        "Label",
        &[
            "title",
            "subtitle",
            "introduction",
            "paragraph",
            "heading",
            "caption",
            "credit",
            "comment",
            "author",
            "date",
            "related-article",
            "none",
            "repeated",
        ],
    ),
    ("PageType", &["article", "article-with-comments", "multiple", "unknown"]),
    ("Precision", &["day", "minute", "instant"]),
    ("ZoneSource", &["printed", "feed", "page", "outlet", "assumed"]),
    (
        "Source",
        &[
            "json-ld",
            "open-graph",
            "meta",
            "microdata",
            "link",
            "html",
            "visible",
            "url",
            "feed",
            "detected",
            "first-seen",
        ],
    ),
    ("Sighting", &["corroborated", "open", "contradicted"]),
    ("CaseRule", &["smart", "exact", "any"]),
    ("What", &["model", "brands"]),
    ("Via", &["token", "user", "configuration", "program", "unknown"]),
    ("Topic", &["feed", "outlet", "brands", "model", "token", "forgotten", "store"]),
    ("SeedResult", &["added", "known", "nothing-found", "error"]),
    ("JobState", &["running", "done", "failed", "cancelled"]),
    ("Origin", &["shipped", "deployed"]),
    ("SilentSource", &["outlet", "language"]),
    ("FeedStatus", &["active", "paused", "gone"]),
    (
        "FeedFormat",
        &[
            "rss2",
            "rss1",
            "rss0",
            "atom",
            "json-feed",
            "news-sitemap",
            "sitemap",
            "sitemap-index",
            "section",
        ],
    ),
];
