//! Linear models over visible leaves with any set of labels (Spengler & Gallinari 2009): a
//! multi-class support vector machine, which labels each leaf for itself, and a conditional random
//! field, whose transitions see the label before.
//!
//! Must not know: how the weights were found.

use serde::{Deserialize, Serialize};

use super::chain::{Chain, Rows, log_odds};
use super::{Dictionary, Labeler, PageBlocks, REASONS, Reason, Scored, Verdict, strongest};
use crate::extract::feature::leaf;
use crate::model::Label;

/// Features by name with their weights per label.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leaves {
    /// What the chain's labels are, in its order.
    pub labels: Vec<Label>,
    /// What its columns are: names of [`leaf::leaf`].
    pub names: Dictionary,
    /// By what each feature's value is multiplied: 1 / (3 standard deviations) on the training
    /// leaves (§4.2).
    pub scales: Vec<f32>,
    pub chain: Chain,
}

/// One feature and what it says for a label.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight<'a> {
    pub name: &'a str,
    /// As learned, for the scaled value.
    pub weight: f32,
    /// What it adds to the label's score where it is 1.
    pub effect: f32,
}

impl Leaves {
    /// Do its parts belong together? Asked once, at loading.
    pub fn fits(&self) -> bool {
        let s = &self.chain.shape;
        usize::from(s.labels) == self.labels.len()
            && s.columns as usize == self.names.len()
            && self.names.len() == self.scales.len()
            && !s.history
            && self.chain.fits()
    }

    /// The name of the labeler on the command line.
    pub fn name(&self) -> &'static str {
        if self.chain.shape.is_chained() { "crf" } else { "svm" }
    }

    /// Does it tell apart more than content and the rest?
    pub fn names_blocks(&self) -> bool {
        self.labels.iter().any(|l| !matches!(l, Label::Paragraph | Label::None))
    }

    /// The scaled features of all leaves of a page, those that training kept.
    pub fn rows(&self, page: &PageBlocks) -> Rows {
        let mut rows = Rows::default();
        let mut row: Vec<(u32, f32)> = Vec::new();
        for index in 0..page.len() {
            row.clear();
            leaf::leaf(page, index, &mut |name, value| {
                if let Some(column) = self.names.column(name) {
                    let scale = self.scales.get(column as usize).copied().unwrap_or(0.0);
                    row.push((column, value * scale));
                }
            });
            row.sort_unstable_by_key(|(column, _)| *column);
            row.dedup_by_key(|(column, _)| *column);
            rows.push(row.iter().copied());
        }
        rows
    }

    /// The `count` features that speak most for a label and those that speak most against it, by
    /// weight; `None` if the model does not know the label.
    pub fn strongest(&self, label: Label, count: usize) -> Option<[Vec<Weight<'_>>; 2]> {
        let at = self.labels.iter().position(|l| *l == label)?;
        let mut all: Vec<Weight<'_>> = (self.scales.iter().enumerate())
            .map(|(column, scale)| {
                let weight = self.chain.weight(column, at);
                Weight { name: self.names.name(column), weight, effect: weight * scale }
            })
            .collect();
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.name.cmp(b.name)));
        let best = all.iter().take_while(|w| w.weight > 0.0).take(count).cloned().collect();
        let worst = all.iter().rev().take_while(|w| w.weight < 0.0).take(count).cloned().collect();
        Some([best, worst])
    }
}

impl Labeler for Leaves {
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        self.judge(page).blocks
    }

    /// The probability is that of all labels of the text; for the support vector machine that of
    /// its scores' soft maximum, a mere order.
    fn judge(&self, page: &PageBlocks) -> Verdict {
        let (best, beliefs) = self.chain.label(&self.rows(page));
        let names = self.names_blocks();
        let mut verdict = Verdict::default();
        let marginals = beliefs.marginals.chunks_exact(self.labels.len().max(1));
        for (index, (&best, of)) in best.iter().zip(marginals).enumerate() {
            let label = self.labels.get(usize::from(best)).copied().unwrap_or(Label::None);
            let text = of.iter().zip(&self.labels).filter(|(_, l)| l.is_content());
            let sum: f64 = text.map(|(p, _)| p).sum();
            let content = label.is_content();
            let probability = if content { sum.clamp(0.5, 1.0) } else { sum.clamp(0.0, 0.49) };
            verdict.blocks.push(Scored { content, probability: probability as f32 });
            if names {
                verdict.named.push((index, label));
            }
        }
        verdict
    }

    /// What sets the likeliest label of the text apart from the likeliest of the rest, feature by
    /// feature; in a sequence what the leaves around say is the rest of the difference.
    fn reasons(&self, page: &PageBlocks) -> Vec<Vec<Reason>> {
        let rows = self.rows(page);
        let (_, beliefs) = self.chain.label(&rows);
        let count = self.labels.len().max(1);
        let of_leaf = |(leaf, beliefs): (usize, &[f64])| {
            let likeliest = |text: bool| {
                let side = self.labels.iter().zip(beliefs).enumerate();
                side.filter(|(_, (label, _))| label.is_content() == text)
                    .max_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b))
                    .map(|(at, (label, p))| (at, *label, *p))
            };
            let (Some((text, name, p)), Some((rest, other, q))) =
                (likeliest(true), likeliest(false))
            else {
                return Vec::new();
            };
            let of = match self.names_blocks() {
                true => format!(" ({} or {})", name.name(), other.name()),
                false => String::new(),
            };
            let mut reasons: Vec<Reason> = rows
                .row(leaf)
                .map(|(column, value)| {
                    let column = column as usize;
                    let odds = self.chain.weight(column, text) - self.chain.weight(column, rest);
                    let text = format!("{}{of}", self.names.name(column));
                    Reason { text, weight: odds * value }
                })
                .collect();
            if self.chain.shape.is_chained() {
                let own: f32 = reasons.iter().map(|r| r.weight).sum();
                let weight = log_odds(p / (p + q)) - own;
                reasons.push(Reason { text: "the leaves around it".to_owned(), weight });
            }
            strongest(reasons, REASONS)
        };
        beliefs.marginals.chunks_exact(count).enumerate().map(of_leaf).collect()
    }
}
