//! A recount ends where it began: at the brand set that was current when it started. What it puts beside the
//! rows in use is of the articles as they are by then.
//!
//! Must not know: how brands are matched.

use super::Rows;
use super::articles::{Listing, put_rows};
use crate::model::*;
use crate::store::{Result, StoreError};

/// May a recount that began from the version `previous` make `set` the current one? Also if it is that
/// already: an answer may have been lost.
pub fn began_from(previous: &str, current: &str, set: &BrandSet) -> Result<()> {
    if current == previous || current == set.version {
        return Ok(());
    }
    Err(StoreError::StaleBrandSet { given: previous.to_owned(), current: current.to_owned() })
}

/// Puts the rows of an article under a brand set that is not in use yet. They were made of what was read before:
/// its own outlet may have listed it since. `false`: it has been forgotten since, and there is nothing to put.
///
/// # Errors
/// [`StoreError::StaleBrandSet`] if the set is in use by now.
pub fn put_beside(
    rows: &mut dyn Rows,
    set: &BrandSet,
    article: UrlKey,
    mentions: &[MentionRow],
) -> Result<bool> {
    if set.version == rows.version() {
        // Another process was through with the same recount first.
        let (given, current) = (set.version.clone(), set.version.clone());
        return Err(StoreError::StaleBrandSet { given, current });
    }
    let Some(ArticleRecord { feed, backlog, sighting, .. }) = rows.article(article)? else {
        return Ok(false);
    };
    let listing = Listing { feed, backlog, sighting };
    let mentions: Vec<MentionRow> =
        mentions.iter().map(|row| listing.in_row(row.clone())).collect();
    put_rows(rows, &set.version, article, &mentions)?;
    Ok(true)
}
