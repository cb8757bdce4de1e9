//! Proof of the store's numbers beyond its own checks: stored texts are matched again with the
//! pinned brand version, and stories are recomputed by brute force on a sample (invariant 5).
//!
//! Must not know: the network, how records are laid out.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use anyhow::Result;

use crate::dedupe::rule::{self, Verdict};
use crate::dedupe::{self, Print};
use crate::model::*;
use crate::store::{Finding, StoreError, visit};

use super::brands::Watch;
use super::steps::Steps;
use crate::crawl::Engine;
use crate::crawl::stories::rules;

/// Articles whose copies are searched by brute force.
const SAMPLE: usize = 200;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub articles: u64,
    /// Of these, articles whose text has left by age: their rows cannot be matched again.
    pub without_text: u64,
}

/// Runs every check; each contradiction is one sentence. Commits go on meanwhile; a recount or a
/// forgetting waits. A step is an article.
///
/// # Errors
/// The store's; [`super::steps::Cancelled`].
pub fn verify(engine: &Engine, steps: &Steps, each: &mut dyn FnMut(Finding)) -> Result<Checked> {
    let _alone = engine.counts.lock().unwrap_or_else(|e| e.into_inner());
    let proven = engine.store.verify(each);
    damage(proven.map_err(Into::into), each)?;
    let watch = engine.watch.read().unwrap_or_else(|e| e.into_inner()).clone();
    let mut checked = Checked::default();
    let mut sample = Sample::default();
    let read = visit(
        |each| engine.store.articles(None, None, each),
        |record: ArticleRecord| -> Result<_> {
            steps.step()?;
            checked.articles += 1;
            if !record.has_text() {
                checked.without_text += 1;
                return Ok(ControlFlow::Continue(()));
            }
            article(engine, &watch, &record, &mut sample, each).map(ControlFlow::Continue)
        },
    );
    damage(read, each)?;
    damage(stories(engine, sample, each), each)?;
    Ok(checked)
}

/// Damage that ends a check is a finding: whatever lies behind it could not be looked at.
fn damage(checked: Result<()>, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let Err(error) = checked else { return Ok(()) };
    match error.downcast_ref::<StoreError>() {
        Some(why @ StoreError::Corrupt { .. }) => {
            each(Finding(format!("{why}; what lies behind it was not checked")));
            Ok(())
        }
        _ => Err(error),
    }
}

/// One article: its rows and its vector are those of its text.
fn article(
    engine: &Engine,
    watch: &Watch,
    record: &ArticleRecord,
    sample: &mut Sample,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let mut expected = watch.rows(record);
    let mut rows = engine.store.mentions_of(record.key)?;
    expected.sort_by(|a, b| a.brand.cmp(&b.brand));
    rows.sort_by(|a, b| a.brand.cmp(&b.brand));
    if rows != expected {
        each(differing(record, &rows, &expected));
    }
    let print = Print::of(&record.article.text);
    let stored = engine.store.vector(record.key, record.published.at)?;
    // Of prints that were made before, only the vector is kept.
    let same = |stored: Vec<u8>| {
        Print::decode(&stored).is_ok_and(|stored| {
            stored == print || stored.wording.is_none() && stored.vector == print.vector
        })
    };
    if !stored.is_none_or(same) {
        each(Finding(format!("article {}: its stored vector is not that of its text", record.key)));
    }
    sample.offer(record, print);
    Ok(())
}

/// Articles with the smallest hashes of their keys: as good as drawn by lot, and the same each time.
#[derive(Default)]
struct Sample(BTreeMap<u64, Sampled>);

struct Sampled {
    seen: Seen,
    print: Print,
}

/// When an article was published and came to the crawler.
#[derive(Clone, Copy)]
struct Seen {
    key: UrlKey,
    at: Millis,
    first_seen: Millis,
    fetched: Millis,
}

impl Sample {
    fn offer(&mut self, record: &ArticleRecord, print: Print) {
        let key = record.key;
        let hash = ((key.0 >> 64) as u64 ^ key.0 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.0.len() >= SAMPLE && self.0.last_key_value().is_some_and(|(most, _)| hash > *most) {
            return;
        }
        self.0.insert(hash, Sampled { seen: Seen::of(record), print });
        if self.0.len() > SAMPLE {
            self.0.pop_last();
        }
    }
}

impl Seen {
    fn of(record: &ArticleRecord) -> Seen {
        let ArticleRecord { key, first_seen, fetched, .. } = *record;
        Seen { key, at: record.published.at, first_seen, fetched }
    }
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

/// Every copy of an article of the sample must share its story.
fn stories(engine: &Engine, sample: Sample, each: &mut dyn FnMut(Finding)) -> Result<()> {
    let settings = &engine.settings.dedupe;
    let rule = rules::in_force(engine.store.as_ref())?;
    let mut check = |key: UrlKey, at: Millis, bytes: &[u8]| -> Result<()> {
        // Reported with its article.
        let Ok(print) = Print::decode(bytes) else { return Ok(()) };
        for Sampled { seen, print: own } in sample.0.values() {
            if seen.key == key || seen.at.abs_diff(at) > settings.window.0.unsigned_abs() {
                continue;
            }
            let Verdict::Copies(sim) = rule::judge(rule, settings.tau, own, &print) else {
                continue;
            };
            if together(engine, seen.key, key)? {
                continue;
            }
            let other = engine.store.article(key)?;
            if other.is_some_and(|other| compared(settings, *seen, Seen::of(&other))) {
                each(Finding(format!(
                    "articles {} and {key} are copies (sim^σ {sim:.3}, rule {}) but stand in \
                     different stories",
                    seen.key,
                    rule.version()
                )));
            }
        }
        Ok(())
    };
    visit(
        |each| engine.store.vectors(Millis::MIN, &mut |key, at, bytes| each((key, at, bytes))),
        |(key, at, bytes): (UrlKey, Millis, Vec<u8>)| {
            check(key, at, &bytes).map(ControlFlow::Continue)
        },
    )
}

/// Was the one that came first surely still held when the other was committed?
fn compared(settings: &dedupe::Settings, a: Seen, b: Seen) -> bool {
    let (first, second) = if a.fetched <= b.fetched { (a, b) } else { (b, a) };
    // A day to spare between fetching and committing.
    first.at.max(first.first_seen) >= settings.horizon(second.fetched.saturating_add(DAY))
}

/// Do two articles share a story now? If not at once, then while commits wait: one may have been
/// merged into the other's between two looks.
fn together(engine: &Engine, a: UrlKey, b: UrlKey) -> Result<bool> {
    let id = |key| -> Result<Option<UrlKey>> {
        Ok(engine.store.story_head_of(key)?.map(|story| story.id))
    };
    if id(a)? == id(b)? {
        return Ok(true);
    }
    let _commits_wait = engine.commits.write().unwrap_or_else(|e| e.into_inner());
    Ok(id(a)? == id(b)?)
}
