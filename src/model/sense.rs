//! The name that is meant: what people have answered about a brand's mentions, and the model of context
//! that was learned from it.
//!
//! Must not know: who makes and who uses it, how a model is learned.

use serde::{Deserialize, Serialize};

use super::UrlKey;

/// Features of a mention: numbers of hashed words with their weights, in 1/1024, by number.
pub type Traits = Vec<(u32, i32)>;

/// What was answered about one brand, and what follows for its other mentions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sense {
    /// By article, block and start.
    pub answers: Vec<Answer>,
    /// `None`: too few answers, or all the same; then only what was answered is decided.
    pub model: Option<SenseModel>,
}

/// An answer about one mention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub article: UrlKey,
    /// Index into the article's blocks; `None`: the metadata title.
    pub block: Option<u32>,
    /// Byte offset into the block's text (or the title).
    pub start: u32,
    /// The brand is meant; else the name stands for something else.
    pub meant: bool,
    pub outlet: String,
    /// Hash of the block's text and of the place in it: what was answered holds wherever the same text
    /// stands.
    pub mark: u64,
    pub traits: Traits,
}

/// A linear model over [`Traits`]. Whole numbers, so that every machine decides alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenseModel {
    /// In 1/1024 of a feature's weight in 1/1024.
    pub bias: i64,
    /// Weights in 1/1024, by number of the feature.
    pub weights: Vec<(u32, i32)>,
    /// Of the mentions that it counts, those that are meant.
    pub precision: Share,
    /// Of the mentions that are meant, those that it counts.
    pub recall: Share,
}

/// So many of so many: estimated on answers that the model was not taught, outlets apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    pub right: u32,
    pub of: u32,
}

impl Share {
    /// Estimate and 95 % interval; `None` of none (Wilson 1927, with z = 1.96).
    pub fn interval(self) -> Option<(f64, f64, f64)> {
        if self.of == 0 {
            return None;
        }
        let (n, p, z) = (f64::from(self.of), f64::from(self.right) / f64::from(self.of), 1.96_f64);
        let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        Some((p, (middle - half).max(0.0), (middle + half).min(1.0)))
    }
}

/// A mention that is answered about, and the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MentionAnswer {
    pub article: UrlKey,
    /// Index into the article's blocks; `null`: the metadata title.
    pub block: Option<u32>,
    /// Byte offset into the block's text (or the title).
    pub start: u32,
    /// `null` takes an answer back.
    pub meant: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilson_s() {
        assert_eq!(Share::default().interval(), None);
        let (p, low, high) = Share { right: 9, of: 10 }.interval().expect("some");
        // Wilson 1927 for 9 of 10.
        assert!(
            (p - 0.9).abs() < 1e-9 && (low - 0.596).abs() < 1e-3 && (high - 0.982).abs() < 1e-3
        );
        let (_, _, high) = Share { right: 10, of: 10 }.interval().expect("some");
        assert!(high <= 1.0);
    }
}
