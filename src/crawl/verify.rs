//! Proof of the store's numbers beyond its own checks: stored texts are matched again with the
//! pinned brand version, and stories are recomputed by brute force on a sample (invariant 5).
//!
//! Must not know: the network, how records are laid out.

use std::collections::HashMap;

use anyhow::Result;

use crate::dedupe::{Vector, similarity};
use crate::model::*;
use crate::store::Finding;

use super::Engine;

/// Articles whose copies are searched by brute force.
const SAMPLE: usize = 200;

/// Runs every check; each contradiction is one sentence. Returns how many articles were checked.
/// Commits go on meanwhile; a recount or a forgetting waits.
pub fn verify(engine: &Engine, each: &mut dyn FnMut(Finding)) -> Result<u64> {
    let _alone = engine.recounting.lock().unwrap_or_else(|e| e.into_inner());
    engine.store.verify(each)?;
    let watch = engine.watch.read().unwrap_or_else(|e| e.into_inner()).clone();
    let mut articles = 0;
    let mut vectors: Vec<(UrlKey, Millis, Vector)> = Vec::new();
    let mut failure = None;
    engine.store.articles(None, None, &mut |record| {
        articles += 1;
        let mut expected = watch.rows(&record);
        match engine.store.mentions_of(record.key) {
            Ok(mut rows) => {
                expected.sort_by(|a, b| a.brand.cmp(&b.brand));
                rows.sort_by(|a, b| a.brand.cmp(&b.brand));
                if rows != expected {
                    each(differing(&record, &rows, &expected));
                }
            }
            Err(error) => failure = Some(error),
        }
        vectors.push((record.key, record.published.at, Vector::of(&record.article.text)));
        failure.is_none()
    })?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    stories(engine, &vectors, each)?;
    Ok(articles)
}

fn differing(record: &ArticleRecord, rows: &[MentionRow], expected: &[MentionRow]) -> Finding {
    let sum = |rows: &[MentionRow]| {
        let mut sums: Vec<String> =
            rows.iter().map(|r| format!("{} {}+{}", r.brand, r.counted, r.suppressed)).collect();
        sums.sort();
        sums.join(", ")
    };
    Finding(format!(
        "article {} ({}): its text mentions [{}], its rows say [{}]",
        record.key,
        record.final_url,
        sum(expected),
        sum(rows)
    ))
}

/// Every copy pair of the sample must share a story, and every story must hang together.
fn stories(
    engine: &Engine,
    vectors: &[(UrlKey, Millis, Vector)],
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let tau = engine.settings.dedupe.tau;
    let window = engine.settings.dedupe.window.0;
    let stride = vectors.len().div_ceil(SAMPLE).max(1);
    let mut story_of: HashMap<UrlKey, UrlKey> = HashMap::new();
    for (key, _, _) in vectors {
        if let Some(story) = engine.store.story_head_of(*key)? {
            story_of.insert(*key, story.id);
        } else {
            each(Finding(format!("article {key} belongs to no story")));
        }
    }
    for (key, at, vector) in vectors.iter().step_by(stride) {
        for (other, other_at, other_vector) in vectors {
            if other == key || (at - other_at).abs() > window {
                continue;
            }
            let sim = similarity::sim(vector, other_vector);
            if sim >= tau
                && story_of.get(key) != story_of.get(other)
                && !together(engine, *key, *other)?
            {
                each(Finding(format!(
                    "articles {key} and {other} are copies (sim^σ {sim:.3}) but stand in \
                     different stories"
                )));
            }
        }
    }
    Ok(())
}

/// Do two articles share a story now? One may have been merged into the other's between two looks.
fn together(engine: &Engine, a: UrlKey, b: UrlKey) -> Result<bool> {
    let _commits_wait = engine.watch.write().unwrap_or_else(|e| e.into_inner());
    let id = |key| -> Result<Option<UrlKey>> {
        Ok(engine.store.story_head_of(key)?.map(|story| story.id))
    };
    Ok(id(a)? == id(b)?)
}
