//! The page's one article, whole: edits of what the labeler chose, each about several blocks at once,
//! and trees that tell which of them make the article better.
//!
//! A labeler judges block by block, and its confidence decays down a long page. Which container is the
//! article and what is missing in it is seen from the page as a whole. [`edits()`] lists what could be
//! added, [`matrix`] describes each edit, and an ensemble gives the log-odds that it gains F1 rather
//! than loses it. Edits that take content away were tried and gained nothing (docs/extraction.md).
//! Must not know: how the trees were grown, gold.

mod edits;
mod features;
#[cfg(test)]
mod tests;

pub use edits::{Edit, Scope, edits};
pub use features::{FEATURES, Facts, matrix, names};

use serde::{Deserialize, Serialize};

use super::Scored;
use super::trees::{Ensemble, Scorer};
use crate::extract::feature::rich::Matrix;
use crate::extract::page::PageBlocks;

/// Version of the edits, of their features and of what is kept to decide.
const VERSION: u32 = 2;
/// From this share of the words chosen so far, the rest of the main container is a large edit.
const LARGE: f32 = 0.3;

/// Number of the current set of edits and features.
pub fn version() -> u32 {
    VERSION << 16 | FEATURES as u32
}

/// What decides about edits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decoder {
    /// The set of edits and features it was trained on: [`version`] of that time.
    pub version: u32,
    /// Over [`features`]: log-odds that the edit gains.
    pub gains: Ensemble,
    /// An edit is made if its log-odds are above this …
    pub margin: f32,
    /// … and the rest of the main container, where that is much, above this: a page has one such edit,
    /// and of many small ones the best looks better than it is.
    pub large_margin: f32,
}

/// What a labeler said of a page.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    pub page: &'a PageBlocks<'a>,
    /// Of every block, [`crate::extract::feature::rich::rich`].
    pub rich: &'a Matrix,
    /// As the trees gave them.
    pub probabilities: &'a [f32],
    pub scored: &'a [Scored],
    /// The probability from which a block was content.
    pub cut: f32,
}

/// An edit that was made, with its log-odds.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    pub edit: Edit,
    pub log_odds: f32,
}

/// The decoder laid out for many pages.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ready {
    gains: Scorer,
    margin: f32,
    large_margin: f32,
}

impl Ready {
    pub(super) fn new(decoder: &Decoder) -> Ready {
        let Decoder { gains, margin, large_margin, .. } = decoder;
        Ready { gains: Scorer::new(gains), margin: *margin, large_margin: *large_margin }
    }

    /// The log-odds that an edit must exceed, where so many words are chosen.
    fn margin(&self, page: &PageBlocks, chosen: u32, edit: &Edit) -> f32 {
        let words = |index: usize| page.stats.get(index).map_or(0, |stats| stats.words);
        let added: u32 = edit.blocks.iter().map(|&block| words(block as usize)).sum();
        if edit.scope == Scope::Main && added as f32 >= chosen as f32 * LARGE {
            self.large_margin
        } else {
            self.margin
        }
    }

    /// The edits that are worth making, those first that exceed their margin most. No block is in two of
    /// them.
    pub(super) fn choose(&self, said: Said<'_>) -> Vec<Made> {
        let frame = edits::Frame::new(said);
        let edits = edits::within(said, &frame);
        if edits.is_empty() {
            return Vec::new();
        }
        let (chosen, _) = frame.content((0, said.page.len() as u32));
        let facts = Facts::within(said, frame);
        let matrix = matrix(said, &facts, &edits);
        let rows: Vec<usize> = (0..matrix.rows).collect();
        let log_odds = self.gains.log_odds(&[&matrix], &rows, None);
        let mut order: Vec<(f32, f32, Edit)> = log_odds
            .into_iter()
            .zip(edits)
            .map(|(log_odds, edit)| {
                (log_odds - self.margin(said.page, chosen, &edit), log_odds, edit)
            })
            .filter(|(beyond, ..)| *beyond > 0.0)
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut decided = vec![false; said.page.len()];
        let mut made = Vec::new();
        for (_, log_odds, mut edit) in order {
            let before = edit.blocks.len();
            edit.blocks.retain(|&block| !decided.get(block as usize).copied().unwrap_or(true));
            if edit.blocks.is_empty() || edit.blocks.len() * 2 < before {
                continue;
            }
            edit.blocks.iter().for_each(|&block| decided[block as usize] = true);
            made.push(Made { edit, log_odds });
        }
        made
    }
}

impl Made {
    /// Writes the edit into the verdicts.
    pub(super) fn apply(&self, scored: &mut [Scored]) {
        let sure = 1.0 / (1.0 + (-self.log_odds).exp());
        for &block in &self.edit.blocks {
            if let Some(scored) = scored.get_mut(block as usize) {
                *scored = Scored { content: true, probability: sure.max(0.5) };
            }
        }
    }
}
