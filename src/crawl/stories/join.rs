//! Which stories a new article joins: the copies that the search finds, as the store knows them.
//!
//! Must not know: where articles come from, how stories are stored.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::dedupe::Print;
use crate::dedupe::excerpts::Contained;
use crate::dedupe::stories::{self, Known};
use crate::model::*;
use crate::store::{Batch, Repair, StoreError};

use super::copies::Copies;

/// The stories of an open batch.
pub(in crate::crawl) struct Batched<'a>(pub &'a mut dyn Batch);

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
pub(in crate::crawl) struct Repaired<'a>(pub &'a Repair);

impl Known for Repaired<'_> {
    type Error = StoreError;
    fn member(&mut self, article: UrlKey) -> Result<Option<(UrlKey, Member)>, StoreError> {
        self.0.member(article)
    }
    fn head(&mut self, id: UrlKey) -> Result<Option<StoryHead>, StoreError> {
        self.0.story_head(id)
    }
}

/// Excerpts that one article is linked with, at most.
const EXCERPTS: usize = 16;

/// Adds an article to those that later ones are compared with. Says how it joins the stories of its
/// copies, and which texts it stands in or has standing in it: of each other story one, the nearest.
pub(in crate::crawl) fn join<K: Known<Error = StoreError>>(
    known: &mut K,
    copies: &mut Copies,
    record: &ArticleRecord,
    print: Print,
) -> Result<(Joining, Vec<Excerpt>)> {
    let Published { at, .. } = record.published;
    let own = Rank { at, first_seen: record.first_seen, key: record.key };
    let found = copies.search.near(record.key, at, &print);
    copies.search.insert(record.key, at, print);
    let drifted = |a: Rank, b: Rank| copies.search.drifted((a.key, a.at), (b.key, b.at));
    let joining = stories::join(known, own, &found.copies, &found.patterns, drifted)?;
    let mut linked: BTreeSet<UrlKey> = joining.stories.iter().copied().collect();
    let mut excerpts = Vec::new();
    for Contained { key, part, share } in found.excerpts {
        let Some((story, _)) = known.member(key)? else { continue };
        if excerpts.len() < EXCERPTS && linked.insert(story) {
            let (part, whole) = if part { (record.key, key) } else { (key, record.key) };
            excerpts.push(Excerpt { part, whole, share: share as f32 });
        }
    }
    Ok((joining, excerpts))
}
