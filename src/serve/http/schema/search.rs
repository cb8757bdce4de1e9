//! The shapes of what search answers.
//!
//! Must not know: paths.

use super::Field;

/// How far the index is: fields of every answer of search.
const INDEXED: Field = ("indexed", "integer", "Articles in the index");
const BEHIND: Field = ("behind", "integer", "Articles that came or went and are not in it yet");
const BUILDING: Field = ("building", "integer?", "It is being made; so many articles are written");

/// Objects by name, with their fields.
pub(super) const OBJECTS: &[(&str, &[Field])] = &[
    (
        "Search",
        &[
            ("articles", "integer", "Articles that have what was looked for, shown or not"),
            ("days", "[SearchDay]", "Days with such an article, or one that counts a brand"),
            ("hits", "[Hit]", "The newest, by day, the latest first"),
            ("next", "string?", "`after` of the next page"),
            ("truncated", "boolean", "There are more"),
            INDEXED,
            BEHIND,
            BUILDING,
        ],
    ),
    (
        "SearchDay",
        &[
            ("day", "Day", "Publication day"),
            ("articles", "integer", "Articles that were found"),
            ("brands", "{integer}", "Brand: articles that count it, found or not"),
        ],
    ),
    (
        "Hit",
        &[
            ("key", "UrlKey", "Name of the article"),
            ("day", "Day", "Day that it is counted under"),
            ("outlet", "string", "Registered domain of its publisher"),
            ("language", "string?", "BCP 47 primary subtag"),
            ("title", "string", "Title; empty if none was found"),
            ("url", "string", "After redirects"),
            ("story", "UrlKey?", "Story that it belongs to"),
            ("copies", "integer", "Other articles of the same story"),
            ("original", "boolean", "The original of its story"),
            ("sighting", "Sighting", "What our own sightings say of its date"),
            ("characters", "integer", "Length of its text"),
            ("mentions", "{integer}", "Brand: counted mentions"),
            ("suppressed", "{integer}", "Brand: mentions that are not counted"),
            ("stuffed", "[string]", "Brands whose mentions stop at the cap for its length"),
            ("context", "[Context]", "Where it has what was looked for"),
        ],
    ),
    (
        "Context",
        &[
            ("zone", "Zone", "Title, lead or body"),
            ("parts", "[ContextPart]", "A piece of the text, in order; not escaped"),
        ],
    ),
    (
        "ContextPart",
        &[("text", "string", "As the publisher wrote it"), ("hit", "boolean", "It was looked for")],
    ),
    (
        "Estimate",
        &[
            ("brand", "string", "Name of the brand"),
            ("articles", "integer", "Articles that have one of its names"),
            ("days", "[EstimateDay]", "Days with such an article"),
            ("left_out", "[string]", "What of the brand was not looked at"),
            ("said", "[Said]", "The same sentences, for other languages"),
            INDEXED,
            BEHIND,
            BUILDING,
        ],
    ),
    ("EstimateDay", &[("day", "Day", "Publication day"), ("articles", "integer", "Articles")]),
    (
        "Rebuilt",
        &[
            ("written", "integer", "Articles in the new index"),
            ("gone", "integer", "Articles that went meanwhile"),
            ("anew", "boolean", "Always true"),
        ],
    ),
];
