//! Boosted trees over rich features, in two passes: the second sees what the first thought of the
//! block's neighbours, containers and look-alikes.
//!
//! Must not know: how the trees were grown.

use serde::{Deserialize, Serialize};

use super::{Labeler, PageBlocks, Scored};
use crate::extract::feature::around::context;
use crate::extract::feature::{all, rich::Matrix};

/// One node. `left` and `right` ≥ 0 name a node, below 0 the leaf −(n + 1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub feature: u16,
    pub left: i16,
    pub right: i16,
    /// Left if the value is at most this.
    pub threshold: f32,
}

/// A tree; without nodes it is its only leaf.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    pub nodes: Vec<Node>,
    pub leaves: Vec<f32>,
}

impl Tree {
    /// The leaf value of a row; 0 if the tree is damaged.
    #[inline]
    pub fn value(&self, row: &[f32]) -> f32 {
        let mut at: i16 = if self.nodes.is_empty() { -1 } else { 0 };
        // A path is never longer than the tree has nodes, whatever a file says.
        for _ in 0..=self.nodes.len() {
            let Some(node) = usize::try_from(at).ok().and_then(|i| self.nodes.get(i)) else {
                break;
            };
            let value = row.get(usize::from(node.feature)).copied().unwrap_or(0.0);
            at = if value <= node.threshold { node.left } else { node.right };
        }
        self.leaves.get((-(i32::from(at) + 1)) as usize).copied().unwrap_or(0.0)
    }
}

/// Trees whose values add up to log-odds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ensemble {
    /// Log-odds before any tree.
    pub prior: f32,
    pub trees: Vec<Tree>,
}

impl Ensemble {
    /// Log-odds of a row.
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        self.trees.iter().fold(self.prior, |sum, t| sum + t.value(row))
    }

    /// Probabilities of all rows.
    pub fn probabilities(&self, matrix: &Matrix) -> Vec<f32> {
        matrix.data.chunks_exact(matrix.cols.max(1)).map(|r| sigmoid(self.log_odds(r))).collect()
    }
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The labeler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trees {
    /// Over [`all`].
    pub first: Ensemble,
    /// Over the same and [`context::context`].
    pub second: Ensemble,
    /// Probability from which a block is content.
    pub cut: f32,
}

impl Trees {
    /// Probability of content of every block.
    pub fn probabilities(&self, page: &PageBlocks) -> Vec<f32> {
        let rich = all(page);
        let first = self.first.probabilities(&rich);
        self.second.probabilities(&context::context(&context::Frame::new(page), &rich, &first))
    }
}

impl Labeler for Trees {
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        let cut = self.cut.clamp(0.01, 0.99);
        // Probabilities are bent so that the cut comes to lie at one half.
        let bend =
            |p: f32| if p < cut { 0.5 * p / cut } else { 1.0 - 0.5 * (1.0 - p) / (1.0 - cut) };
        self.probabilities(page)
            .into_iter()
            .map(|p| Scored { content: p >= cut, probability: bend(p) })
            .collect()
    }
}
