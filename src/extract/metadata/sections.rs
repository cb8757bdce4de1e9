//! Words of which the names of sections and of parts of a site are made, in the languages of the press.
//! Must not know where a name of one stands.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

/// A longer text is no name of a section, in bytes.
const LONGEST: usize = 60;

/// Is a text made of words of sections alone?
pub(super) fn is_section(text: &str) -> bool {
    text.len() <= LONGEST
        && text.contains(char::is_alphabetic)
        && text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .all(|word| SECTIONS.contains(word.to_lowercase().as_str()))
}

/// A text of these words alone is no headline: "Latest News", "Top Stories", "Sports Wire".
static SECTIONS: LazyLock<HashSet<&str, FixedState>> = LazyLock::new(|| {
    "news sport sports wire local latest breaking top stories story headlines headline world national \
     international regional business politics entertainment lifestyle opinion arts music \
     movies weather article articles archive archives search tags tag forum forums comments blog \
     blogs home homepage page section front recent related features all more most read popular menu \
     customer service update updates results reports transfers football soccer hockey baseball \
     basketball rugby cricket tennis golf racing nba nfl nhl mlb nachrichten aktuell aktuelles \
     politik wirtschaft kultur panorama noticias deportes titulares actualité actualités société \
     notizie cronaca nieuws nyheter nyheder uutiset новости спорт політика новини wiadomości and the \
     of in this your our"
        .split_ascii_whitespace()
        .collect()
});

/// Words with which sites name themselves in `<title>`, in lower case.
pub(super) const SITES: [&str; 26] = [
    "news",
    "newspaper",
    "newspapers",
    "online",
    "radio",
    "tv",
    "television",
    "sports",
    "network",
    "entertainment",
    "stories",
    "wire",
    "service",
    "magazine",
    "blog",
    "portal",
    "official",
    "website",
    "homepage",
    "federation",
    "zeitung",
    "nachrichten",
    "noticias",
    "новости",
    "газета",
    "портал",
];
