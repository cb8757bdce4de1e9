//! What two passes say of each other, and labels set by hand of those that the gold text implies.
//!
//! Must not know: files of labels, how a table is printed.

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::dedupe::similarity::{Vector, sim};
use crate::extract::Profile;
use crate::extract::page::PageBlocks;
use crate::extract::segment::Gap;
use crate::learn::corpus::LabeledPage;
use crate::learn::hand::{self, Hand};
use crate::learn::metrics::blocks::{
    self, BlockScore, LabelScore, block_interval, block_score, label_scores,
};
use crate::learn::metrics::interval::{Interval, bootstrap};
use crate::learn::{pages, spengler};
use crate::model::Label;

/// Resamples of intervals, and their seed.
const ROUNDS: usize = 2000;
const SEED: u64 = 1;

/// How often two passes set a label, and how often both on the same leaf.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PerLabel {
    pub label: Label,
    pub first: u64,
    pub second: u64,
    pub both: u64,
    /// 2 · both / (first + second).
    pub f1: f64,
}

/// How far two passes over the same pages agree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    pub pages: usize,
    pub leaves: usize,
    /// Share of leaves with the same label in both.
    pub same: f64,
    /// Cohen's kappa over all labels (Cohen 1960).
    pub kappa: f64,
    /// Mean sim^σ of the two content texts of a page (the row HL of Ziegler & Skubacz 2007, Tab. 1),
    /// with its 95 % interval over pages.
    pub similarity: Interval,
    pub labels: Vec<PerLabel>,
    /// Finished pages with other leaves than those that were labelled; not compared.
    pub left_out: Vec<String>,
}

/// Pages that both passes have finished.
#[derive(Default)]
pub(super) struct Passes {
    pairs: Vec<blocks::LabeledPage<Label>>,
    similarities: Vec<f64>,
}

impl Passes {
    pub(super) fn add(&mut self, leaves: &PageBlocks, first: &[Label], second: &[Label]) {
        self.pairs.push(first.iter().copied().zip(second.iter().copied()).collect());
        let [one, two] = [first, second].map(|labels| Vector::of(&text(leaves, labels)));
        self.similarities.push(sim(&one, &two));
    }

    /// `None` without a page.
    pub(super) fn end(self) -> Option<Agreement> {
        if self.pairs.is_empty() {
            return None;
        }
        let all: Vec<(Label, Label)> = self.pairs.concat();
        let mut labels = Vec::new();
        let mut chance = 0.0;
        let share = |n: u64| n as f64 / all.len().max(1) as f64;
        for label in Label::ALL {
            let count = |of: &dyn Fn(&(Label, Label)) -> bool| {
                all.iter().filter(|pair| of(pair)).count() as u64
            };
            let first = count(&|pair| pair.0 == label);
            let second = count(&|pair| pair.1 == label);
            let both = count(&|pair| *pair == (label, label));
            chance += share(first) * share(second);
            if first + second > 0 {
                let f1 = 2.0 * both as f64 / (first + second) as f64;
                labels.push(PerLabel { label, first, second, both, f1 });
            }
        }
        let same = share(all.iter().filter(|(one, two)| one == two).count() as u64);
        let kappa = if chance < 1.0 { (same - chance) / (1.0 - chance) } else { 1.0 };
        let mean = |sample: &[usize]| {
            let sum: f64 = sample.iter().map(|&i| self.similarities[i]).sum();
            sum / sample.len().max(1) as f64
        };
        let similarity = bootstrap(self.similarities.len(), ROUNDS, SEED, mean);
        let (pages, leaves) = (self.pairs.len(), all.len());
        Some(Agreement { pages, leaves, same, kappa, similarity, labels, left_out: Vec::new() })
    }
}

/// The content text of labelled leaves, with the lines of the page.
fn text(leaves: &PageBlocks, labels: &[Label]) -> String {
    let mut out = String::new();
    for (at, ((block, _), label)) in leaves.iter().zip(labels).enumerate() {
        if label.is_content() {
            match block.before {
                _ if out.is_empty() => {}
                Gap::None => {}
                Gap::Space => out.push(' '),
                Gap::Line => out.push('\n'),
            }
            out.push_str(leaves.text(at));
        }
    }
    out
}

/// How far the labels that the gold implies are from those set by hand, on the blocks of one profile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlignmentError {
    pub profile: Profile,
    pub blocks: usize,
    /// Content or not; "gold" is what was set by hand.
    pub score: BlockScore,
    /// The ends of the 95 % intervals over pages.
    pub low: BlockScore,
    pub high: BlockScore,
    /// Pages with a block wrong.
    pub wrong: Vec<String>,
    /// Mean sim^σ of the gold text and the text that was labelled as content, over pages.
    pub similarity: Interval,
    /// Label by label; of visible leaves alone.
    pub labels: Vec<(Label, LabelScore)>,
    /// Finished pages with other leaves than those that were labelled; not compared.
    pub left_out: Vec<String>,
}

/// Compares on the leaves and on the blocks that others train on.
pub(super) fn against_gold(labelled: &[(&LabeledPage, Hand)]) -> Result<Vec<AlignmentError>> {
    let mut similarities = Vec::new();
    let mut read = Vec::new();
    let mut left_out = Vec::new();
    for (page, hand) in labelled.iter().filter(|(page, _)| page.has_text()) {
        let leaves = pages::segment(page, Profile::Leaf2009)?;
        if !hand.fits(&leaves) {
            left_out.push(page.gold.id.clone());
            continue;
        }
        let labels = hand.labels(&leaves)?;
        similarities.push(sim(&Vector::of(page.text()), &Vector::of(&text(&leaves, &labels))));
        read.push((*page, leaves, labels));
    }
    if read.is_empty() && left_out.is_empty() {
        bail!("no labelled page has a gold text");
    }
    if read.is_empty() {
        bail!(hand::other_leaves(&left_out));
    }
    let mean = |sample: &[usize]| {
        sample.iter().map(|&i| similarities[i]).sum::<f64>() / sample.len().max(1) as f64
    };
    let similarity = bootstrap(similarities.len(), ROUNDS, SEED, mean);
    let mut errors = Vec::new();
    for profile in [Profile::Leaf2009, Profile::Gibson2007, Profile::Modern] {
        let mut decisions = Vec::new();
        let mut named = Vec::new();
        let mut wrong = Vec::new();
        for (page, leaves, labels) in &read {
            let pairs: blocks::LabeledPage<bool> = match profile {
                Profile::Leaf2009 => {
                    let implied = spengler::gold_labels(page, leaves);
                    let of_page = labels.iter().copied().zip(implied);
                    named.push(of_page.collect::<blocks::LabeledPage<Label>>());
                    let last = named.last().context("a page was just added")?;
                    last.iter().map(|(a, b)| (a.is_content(), b.is_content())).collect()
                }
                _ => {
                    let cut = pages::segment(page, profile)?;
                    let implied = pages::labels(page, &cut).labels;
                    let by_hand = spread(leaves, labels, &cut);
                    by_hand.into_iter().zip(implied.iter().map(|l| l.is_content())).collect()
                }
            };
            if pairs.iter().any(|(hand, implied)| hand != implied) {
                wrong.push(page.gold.id.clone());
            }
            decisions.push(pairs);
        }
        let (low, high) = block_interval(&decisions);
        errors.push(AlignmentError {
            profile,
            blocks: decisions.iter().map(Vec::len).sum(),
            score: block_score(&decisions),
            low,
            high,
            wrong,
            similarity,
            labels: label_scores(&named).labels.into_iter().collect(),
            left_out: left_out.clone(),
        });
    }
    Ok(errors)
}

/// Is each block content? It is if at least half of the characters of its leaves are.
fn spread(leaves: &PageBlocks, labels: &[Label], blocks: &PageBlocks) -> Vec<bool> {
    let mut counts = vec![(0, 0); blocks.len()];
    for ((leaf, label), block) in labels.iter().enumerate().zip(pages::blocks_of(leaves, blocks)) {
        if let Some((text, all)) = block.and_then(|block| counts.get_mut(block)) {
            let characters = leaves.text(leaf).chars().count();
            *all += characters;
            *text += if label.is_content() { characters } else { 0 };
        }
    }
    counts.iter().map(|(text, all)| *all > 0 && text * 2 >= *all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::learn::corpus::test_page;

    const ONE: &str = "The council met on Monday to decide about the old bridge.";
    const TWO: &str = "Repairs will take two years and cost eight million, engineers said.";

    fn page(html: &str, profile: Profile) -> PageBlocks<'_> {
        PageBlocks::read(html, profile, &Limits::default())
    }

    #[test]
    fn equal_passes_agree_wholly_and_others_by_their_leaves() {
        let html = format!("<h1>Bridge</h1><p>{ONE}<p>{TWO}");
        let leaves = page(&html, Profile::Leaf2009);
        let labels = [Label::Title, Label::Paragraph, Label::Paragraph];
        let mut passes = Passes::default();
        passes.add(&leaves, &labels, &labels);
        let equal = passes.end().expect("a page");
        assert_eq!((equal.same, equal.kappa), (1.0, 1.0));
        assert!((equal.similarity.value - 1.0).abs() < 1e-9, "{equal:?}");

        let mut passes = Passes::default();
        passes.add(&leaves, &labels, &[Label::Title, Label::Paragraph, Label::None]);
        let other = passes.end().expect("a page");
        assert!((other.same - 2.0 / 3.0).abs() < 1e-9 && other.similarity.value < 1.0);
        let paragraph = other.labels.iter().find(|l| l.label == Label::Paragraph);
        let paragraph = paragraph.expect("it occurs");
        assert_eq!((paragraph.first, paragraph.second, paragraph.both), (2, 1, 1));
        // Chance: 1/3 · 1/3 (title) + 2/3 · 1/3 (paragraph).
        assert!((other.kappa - (2.0 / 3.0 - 1.0 / 3.0) / (2.0 / 3.0)).abs() < 1e-9, "{other:?}");
        assert!(Passes::default().end().is_none());
    }

    #[test]
    fn blocks_take_the_label_of_most_of_their_characters() {
        let html = format!("<div>Share <b>now</b></div><p>{ONE} <a>Here</a><p>{TWO}<img alt=x>");
        let leaves = page(&html, Profile::Leaf2009);
        let (p, n) = (Label::Paragraph, Label::None);
        let labels = [n, n, p, n, p, n];
        assert_eq!(leaves.len(), labels.len());
        for profile in [Profile::Modern, Profile::Gibson2007] {
            assert_eq!(spread(&leaves, &labels, &page(&html, profile)), [false, true, true]);
        }
    }

    #[test]
    fn text_without_words_of_the_page_is_no_content() {
        let page = test_page("a", "x.example", "");
        let error = against_gold(&[(&page, Hand::default())]).expect_err("no gold");
        assert!(error.to_string().contains("no labelled page has a gold text"), "{error}");
    }
}
