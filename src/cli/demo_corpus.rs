//! The comparison that ends `crawler demo --corpus`: extracted texts and mentions against the gold.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::crawl::Engine;
use crate::dedupe::{Vector, similarity};
use crate::demo::corpus::Gold;
use crate::frontier::address;
use crate::mention::{Lexicon, lexicon::resolve};
use crate::query;

use super::context::Context;
use super::print;

#[derive(Serialize)]
struct Report {
    pages: usize,
    /// By outcome name.
    outcomes: BTreeMap<String, usize>,
    /// Mean over all pages with gold text; a page that is no article scores 0.
    sim_sigma: f64,
    mention_precision: f64,
    mention_recall: f64,
    mention_f1: f64,
    gold_mentions: u64,
}

/// Prints mean sim^σ, mention F1 and outcomes.
pub(super) fn report(engine: &Engine, gold: &[Gold], context: &Context) -> Result<()> {
    let watch = engine.watch.read().unwrap_or_else(|e| e.into_inner()).clone();
    let mut report = Report {
        pages: gold.len(),
        outcomes: BTreeMap::new(),
        sim_sigma: 0.0,
        mention_precision: 0.0,
        mention_recall: 0.0,
        mention_f1: 0.0,
        gold_mentions: 0,
    };
    let (mut scored, mut sum) = (0usize, 0.0);
    let (mut hits, mut found, mut wanted) = (0u64, 0u64, 0u64);
    for page in gold {
        let at =
            address(&page.served, None).map_err(|e| anyhow::anyhow!("{}: {e}", page.served))?;
        let record =
            engine.store.url(at.key)?.with_context(|| format!("{} was never seen", page.served))?;
        *report.outcomes.entry(record.outcome.name().into()).or_default() += 1;
        if page.text.trim().is_empty() {
            continue;
        }
        let text = engine.store.article(at.key)?.map(|r| r.article.text).unwrap_or_default();
        scored += 1;
        sum += similarity::sim(&Vector::of(&page.text), &Vector::of(&text));
        let expected = counts(&watch.lexicon, &page.text);
        let counted = counts(&watch.lexicon, &text);
        for (brand, n) in &expected {
            hits += n.min(counted.get(brand).unwrap_or(&0));
        }
        wanted += expected.values().sum::<u64>();
        found += counted.values().sum::<u64>();
    }
    let share = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
    report.sim_sigma = if scored == 0 { 0.0 } else { sum / scored as f64 };
    report.mention_precision = share(hits, found);
    report.mention_recall = share(hits, wanted);
    report.mention_f1 = share(2 * hits, found + wanted);
    report.gold_mentions = wanted;
    if context.json() {
        return print::json(&report);
    }
    outcomes(engine)?;
    println!("pages          {}", report.pages);
    println!("mean sim^σ     {:.3}", report.sim_sigma);
    println!(
        "mentions       P {:.3}, R {:.3}, F1 {:.3} over {wanted} gold mentions",
        report.mention_precision, report.mention_recall, report.mention_f1
    );
    Ok(())
}

/// Brand (by number) → occurrences in a text.
fn counts(lexicon: &Lexicon, text: &str) -> BTreeMap<usize, u64> {
    let mut counts = BTreeMap::new();
    for hit in resolve(lexicon.scan(text, None).names) {
        *counts.entry(hit.brand).or_default() += 1;
    }
    counts
}

/// Entries by outcome and the share of polls that succeeded.
pub(super) fn outcomes(engine: &Engine) -> Result<()> {
    let lines = query::outlets(engine.store.as_ref(), None, None)?;
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut due, mut succeeded) = (0, 0);
    for line in &lines {
        for (name, count) in &line.outcomes {
            *sums.entry(name).or_default() += count;
        }
        due += line.polls_due;
        succeeded += line.polls_succeeded;
    }
    let mut table = print::table(&["outcome", "entries"]);
    for (name, count) in sums.iter().filter(|(_, count)| **count > 0) {
        print::row(&mut table, vec![name.to_string(), count.to_string()]);
    }
    print::show(table);
    println!("coverage: {succeeded} of {due} polls succeeded");
    Ok(())
}
