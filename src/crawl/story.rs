//! Which stories a new article joins: the copies that the index finds, as the store knows them.
//!
//! Must not know: where articles come from, how stories are stored.

use anyhow::Result;

use crate::dedupe::stories::{self, Known};
use crate::dedupe::{Index, Vector};
use crate::model::*;
use crate::store::{Batch, Repair, StoreError};

/// The stories of an open batch.
pub(super) struct Batched<'a>(pub &'a mut dyn Batch);

impl Known for Batched<'_> {
    type Error = StoreError;
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>, StoreError> {
        self.0.member(article)
    }
    fn head(&mut self, id: UrlKey) -> Result<Option<StoryHead>, StoreError> {
        self.0.story_head(id)
    }
}

/// The stories of a repair under way.
pub(super) struct Repaired<'a>(pub &'a Repair);

impl Known for Repaired<'_> {
    type Error = StoreError;
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>, StoreError> {
        self.0.member(article)
    }
    fn head(&mut self, id: UrlKey) -> Result<Option<StoryHead>, StoreError> {
        self.0.story_head(id)
    }
}

/// Puts an article into the index, and says how it joins the stories of its copies.
pub(super) fn join<K: Known<Error = StoreError>>(
    known: &mut K,
    index: &mut Index,
    record: &ArticleRecord,
    vector: Vector,
) -> Result<Joining> {
    let Published { at, .. } = record.published;
    let own = Rank { at, first_seen: record.first_seen, key: record.key };
    let near = index.near(at, &vector);
    index.insert(record.key, at, vector);
    let tau = index.settings().tau;
    let similarity = |a: Rank, b: Rank| index.similarity((a.key, a.at), (b.key, b.at));
    Ok(stories::join(known, own, &near, tau, similarity)?)
}
