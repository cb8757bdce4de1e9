//! Stories: what an article is in its story.
//!
//! Must not know: how copies are found, where stories are kept.

use crate::model::*;

/// An article as a member of its story, before it has joined one.
pub fn member_of(record: &ArticleRecord) -> Member {
    Member {
        key: record.key,
        outlet: record.outlet.clone(),
        at: record.published.at,
        day: record.published.day,
        first_seen: record.first_seen,
        nearest: None,
        brands: Vec::new(),
    }
}
