//! Boosted trees over rich features, in two passes: the second sees what the first thought of the
//! block's neighbours, containers and look-alikes.
//!
//! Must not know: how the trees were grown.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Labeler, PageBlocks, Scored};
use crate::extract::feature::context::{CONTEXT, Frame, context};
use crate::extract::feature::rich::{self, Matrix};

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
    /// The set of features it was trained on: [`features`] of that time.
    pub features: u32,
    /// Over [`rich::rich`].
    pub first: Ensemble,
    /// Over the same and [`context`].
    pub second: Ensemble,
    /// Probability from which a block is content.
    pub cut: f32,
}

/// Number of the current set of features: version and width.
pub fn features() -> u32 {
    rich::VERSION << 16 | (rich::COLUMNS + CONTEXT) as u32
}

impl Trees {
    /// Does it know the features that this program computes?
    pub fn fits(&self) -> bool {
        self.features == features()
    }

    /// Probability of content of every block.
    pub fn probabilities(&self, page: &PageBlocks) -> Vec<f32> {
        let rich = rich::rich(page);
        let first = self.first.probabilities(&rich);
        self.second.probabilities(&context(&Frame::new(page), &rich, &first))
    }
}

/// A block of at least so many words that repeats an accepted one is not accepted again.
const REPEATED_WORDS: u32 = 10;

impl Labeler for Trees {
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        self.decide(page, &self.probabilities(page))
    }
}

impl Trees {
    /// The verdicts that follow from the blocks' probabilities.
    pub fn decide(&self, page: &PageBlocks, probabilities: &[f32]) -> Vec<Scored> {
        let cut = self.cut.clamp(0.01, 0.99);
        // Probabilities are bent so that the cut comes to lie at one half.
        let bend =
            |p: f32| if p < cut { 0.5 * p / cut } else { 1.0 - 0.5 * (1.0 - p) / (1.0 - cut) };
        let mut best: HashMap<&str, usize> = HashMap::new();
        for (i, &p) in probabilities.iter().enumerate().filter(|(_, p)| **p >= cut) {
            if page.stats[i].words >= REPEATED_WORDS {
                let kept = best.entry(page.text(i)).or_insert(i);
                if p > probabilities[*kept] {
                    *kept = i;
                }
            }
        }
        probabilities
            .iter()
            .enumerate()
            .map(|(i, &p)| {
                let repeats = best.get(page.text(i)).is_some_and(|&kept| kept != i);
                let probability = if repeats { bend(p).min(0.49) } else { bend(p) };
                Scored { content: p >= cut && !repeats, probability }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    fn tree(nodes: Vec<Node>, leaves: Vec<f32>) -> Tree {
        Tree { nodes, leaves }
    }

    #[test]
    fn trees_decide_by_thresholds() {
        let node = |feature, left, right| Node { feature, left, right, threshold: 0.5 };
        let t = tree(vec![node(0, -1, 1), node(1, -2, -3)], vec![1.0, 2.0, 3.0]);
        let check = |row: [f32; 2], expect: f32| assert_eq!(t.value(&row), expect, "{row:?}");
        check([0.5, 9.0], 1.0);
        check([0.6, 0.0], 2.0);
        check([0.6, 0.6], 3.0);
        check([f32::NAN, 0.6], 3.0);
    }

    #[test]
    fn damaged_trees_end() {
        let circle = tree(vec![Node { feature: 9, left: 0, right: 0, threshold: 0.0 }], vec![]);
        assert_eq!(circle.value(&[]), 0.0);
        let outside =
            tree(vec![Node { feature: 0, left: 7, right: i16::MIN, threshold: 0.0 }], vec![]);
        assert_eq!((outside.value(&[0.0]), outside.value(&[1.0])), (0.0, 0.0));
    }

    #[test]
    fn a_repeated_paragraph_counts_once() {
        let text = "The council met on Monday to decide about the old bridge in town.";
        let html = format!("<p>{text}</p><p>{text}</p><p>Short</p><p>Short</p>");
        let page = PageBlocks::read(&html, Profile::Modern, &Limits::default());
        let yes = Ensemble { prior: 2.0, trees: Vec::new() };
        let trees = Trees { features: features(), first: yes.clone(), second: yes, cut: 0.5 };
        let content: Vec<bool> = trees.label(&page).iter().map(|s| s.content).collect();
        assert_eq!(content, [true, false, true, true]);
        assert!(trees.label(&page).iter().all(|s| (s.probability >= 0.5) == s.content));
    }
}
