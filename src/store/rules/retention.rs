//! What leaves by age, the same in every store.
//!
//! Must not know: how rows are found and removed.

use crate::model::{Entry, UrlRecord};

/// Named values: where the next batch begins.
pub const TEXTS: &str = "retention texts";
pub const ENTRIES: &str = "retention entries";
pub const ROBOTS: &str = "retention robots";

/// What is kept of the entry of an article: enough that it is never fetched or counted again.
pub fn bare(url: &UrlRecord) -> UrlRecord {
    UrlRecord {
        entry: Entry { url: url.entry.url.clone(), ..Entry::default() },
        last_error: None,
        chain: Vec::new(),
        ..url.clone()
    }
}
