//! Trees as they are stored and asked one by one. Must not know: what they are asked about.

use serde::{Deserialize, Serialize};

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

    /// The mean of several ensembles: its log-odds are the mean of theirs.
    pub fn mean(all: Vec<Ensemble>) -> Ensemble {
        let share = 1.0 / all.len().max(1) as f32;
        let prior = all.iter().map(|one| one.prior).sum::<f32>() * share;
        let mut trees: Vec<Tree> = all.into_iter().flat_map(|one| one.trees).collect();
        trees.iter_mut().flat_map(|tree| &mut tree.leaves).for_each(|leaf| *leaf *= share);
        Ensemble { prior, trees }
    }
}
