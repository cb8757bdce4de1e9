//! Conjunctive thresholds over the eight features (Ziegler & Skubacz 2007 §3.5).

use serde::{Deserialize, Serialize};

use super::{Labeler, PageBlocks, Reason, Scored};
use crate::extract::feature::eight::{self, AT_LEAST, COUNT, NAMES};

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
    /// The probability is a mere order: half the share of features met.
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        page.iter()
            .map(|(block, stats)| {
                let met = self.met(&eight::features(block, stats)).iter().filter(|m| **m).count();
                let content = met == COUNT;
                let probability = met as f32 / (2 * COUNT) as f32;
                Scored { content, probability }
            })
            .collect()
    }
    /// The bounds, in the features' own units.
    fn strongest(&self) -> Vec<(String, f32)> {
        let bound = |i: usize| if AT_LEAST[i] { "at least" } else { "at most" };
        (0..COUNT).map(|i| (format!("{} {}", NAMES[i], bound(i)), self.values[i])).collect()
    }

    /// The bounds that failed, −1 each; where all are met, all of them.
    fn reasons(&self, page: &PageBlocks) -> Vec<Vec<Reason>> {
        page.iter()
            .map(|(block, stats)| {
                let features = eight::features(block, stats);
                let met = self.met(&features);
                let content = met.iter().all(|m| *m);
                (0..COUNT)
                    .filter(|&i| met[i] == content)
                    .map(|i| {
                        let bound = if AT_LEAST[i] { "at least" } else { "at most" };
                        let (value, threshold) = (features[i], self.values[i]);
                        Reason {
                            text: format!("{} {value:.2} ({bound} {threshold:.2})", NAMES[i]),
                            weight: if content { 1.0 } else { -1.0 },
                        }
                    })
                    .collect()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    #[test]
    fn reasons_are_the_bounds_that_failed() {
        let html = "<p>It rained in the town, and it was said that the bridge would be closed. \
                    It was not.</p><p><a href=x>Home</a>";
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let by_hand = Thresholds::by_hand();
        let reasons = by_hand.reasons(&page);
        let scored = by_hand.label(&page);
        assert_eq!(scored.iter().map(|s| s.content).collect::<Vec<_>>(), [true, false]);
        assert_eq!(reasons[0].len(), COUNT);
        assert!(reasons[0].iter().all(|r| r.weight > 0.0));
        assert!(reasons[1].iter().any(|r| r.text == "anchor ratio inf (at most 0.50)"));
        assert!(reasons[1].iter().all(|r| r.weight < 0.0));
    }
}
