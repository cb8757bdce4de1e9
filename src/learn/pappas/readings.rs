//! The readings of steps 6 and 7, beside each other on the same pages.
//!
//! Must not know: tables, figures.

use super::options::StudyOptions;
use super::outcome::{Outcome, Pages, outcomes};
use super::{CLASSES, EXTREME, T1, TWENTY, precision};
use crate::extract::label::sd::Reading;

/// Precision of each class alone in the paper's Tab. 2, diverse sample.
const PAPER: [f64; 3] = [0.75, 0.74, 0.87];

/// What one reading reaches.
pub(super) struct Read {
    pub(super) reading: Reading,
    /// Precision of each class at the extreme thresholds of Fig. 3.
    pub(super) extreme: [f64; 3],
    /// Mean precision of each class over low T1 (0 to 40) and over high T1 (60 to 100), Fig. 4.
    pub(super) sides: [(f64, f64); 3],
    /// T1 at which *Multiple areas* are best, and their precision there.
    pub(super) best: (usize, f64),
    /// All three classes, thresholds learned.
    pub(super) all: Outcome,
}

impl Read {
    /// Mean distance from the paper at the extreme thresholds.
    pub(super) fn distance(&self) -> f64 {
        let off = self.extreme.iter().zip(PAPER).map(|(ours, theirs)| (ours - theirs).abs());
        off.sum::<f64>() / PAPER.len() as f64
    }
}

/// Every reading on these pages.
pub(super) fn readings(pages: &Pages, options: &StudyOptions) -> Vec<Read> {
    Reading::ALL
        .into_iter()
        .map(|reading| read(&pages.read_as(reading), reading, options))
        .collect()
}

fn read(pages: &Pages, reading: Reading, options: &StudyOptions) -> Read {
    let curves = CLASSES.map(|class| {
        let of_class = pages.of_class(class);
        let typed = pages.typed(&of_class);
        (0..T1).map(|t1| precision(&typed, (t1, TWENTY))).collect::<Vec<f64>>()
    });
    let mean = |curve: &[f64]| curve.iter().sum::<f64>() / curve.len().max(1) as f64;
    let best = curves[2].iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    Read {
        reading,
        extreme: [0, 1, 2].map(|k| curves[k][EXTREME[k]]),
        sides: [0, 1, 2].map(|k| (mean(&curves[k][..=40]), mean(&curves[k][60..]))),
        best: best.unwrap_or_default(),
        all: outcomes(pages, options).swap_remove(3),
    }
}
