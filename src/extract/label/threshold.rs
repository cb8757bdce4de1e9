//! Conjunctive thresholds over the eight features (Ziegler & Skubacz 2007 §3.5).

use serde::{Deserialize, Serialize};

use super::{Labeler, PageBlocks, Scored};
use crate::extract::feature::eight::{self, AT_LEAST, COUNT};

/// A block is content iff every feature lies on the right side of its threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// In the features' own units, in the order of [`eight::NAMES`]. NaN lets nothing pass.
    pub values: [f32; COUNT],
    /// How training brought each feature to [0, 1]: its quantiles on the training blocks at equal
    /// steps. Only to read the model by; empty if set by hand.
    pub quantiles: Vec<Vec<f32>>,
}

impl Thresholds {
    /// Thresholds set by hand from what running text looks like, for tests and as a start.
    pub fn by_hand() -> Self {
        Thresholds { values: [5.0, 1.0, 2.0, 0.18, 0.5, 0.0, 0.15, 0.0], quantiles: Vec::new() }
    }

    /// Which features are on the content side.
    pub fn met(&self, features: &[f32; COUNT]) -> [bool; COUNT] {
        std::array::from_fn(|i| {
            let (value, threshold) = (features[i], self.values[i]);
            if AT_LEAST[i] { value >= threshold } else { value <= threshold }
        })
    }
}

impl Labeler for Thresholds {
    /// The probability is a mere order: half the share of features met, and above 0.5 if all are.
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        page.iter()
            .map(|(block, stats)| {
                let met = self.met(&eight::features(block, stats)).iter().filter(|m| **m).count();
                let content = met == COUNT;
                let probability = if content { 1.0 } else { met as f32 / (2 * COUNT) as f32 };
                Scored { content, probability }
            })
            .collect()
    }
}
