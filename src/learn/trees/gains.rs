//! Training of the page-level decoder: each edit of each page with what it would gain, and trees that
//! tell gains from losses, each weighing what it would change.
//!
//! Must not know: corpora, how gold is aligned, reports.

use super::boost::{self, Binned, Target};
use crate::extract::PageBlocks;
use crate::extract::feature::rich::Matrix;
use crate::extract::label::Scored;
use crate::extract::label::decoder::{Decoder, FEATURES, Facts, Said, edits, matrix, version};
use crate::extract::label::trees::decide;

/// The edits of one page.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub matrix: Matrix,
    /// F1 by words with the edit, less F1 without.
    pub gains: Vec<f32>,
}

/// What a page's blocks are: content by the gold or not, and their words, 0 where either answer is right.
pub type Truth = Vec<(bool, f32)>;

/// The edits of a page whose blocks have these probabilities, as the labeler gives them to pages that it
/// was not trained on.
pub fn sample(
    page: &PageBlocks,
    rich: &Matrix,
    truth: &Truth,
    probabilities: &[f32],
    cut: f32,
) -> Sample {
    let (cut, scored) = decide(cut, page, probabilities);
    let said = Said { page, rich, probabilities, scored: &scored, cut };
    let edits = edits(said);
    let matrix = matrix(said, &Facts::new(said), &edits);
    let before = f1(truth, &scored, &[]);
    let gain = |blocks: &[u32]| f1(truth, &scored, blocks) - before;
    Sample { matrix, gains: edits.iter().map(|e| gain(&e.blocks)).collect() }
}

/// F1 by words of the chosen blocks and those that an edit adds (ascending).
pub fn f1(truth: &Truth, scored: &[Scored], added: &[u32]) -> f32 {
    let (mut both, mut chosen, mut gold) = (0.0, 0.0, 0.0);
    let mut added = added.iter().peekable();
    for ((i, &(wanted, words)), scored) in (0u32..).zip(truth).zip(scored) {
        let content = added.next_if_eq(&&i).is_some() || scored.content;
        chosen += if content { words } else { 0.0 };
        gold += if wanted { words } else { 0.0 };
        both += if content && wanted { words } else { 0.0 };
    }
    if both > 0.0 { 2.0 * both / (chosen + gold) } else { 0.0 }
}

/// Trains on the edits of many pages; `weights` are the pages' own, the margins those of [`Decoder`].
pub fn fit(
    samples: &[Sample],
    weights: &[f32],
    settings: &boost::Settings,
    (margin, large_margin): (f32, f32),
) -> Decoder {
    let (mut data, mut answers, mut row_weights) = (Vec::new(), Vec::new(), Vec::new());
    for (sample, &weight) in samples.iter().zip(weights) {
        for (row, &gain) in sample.gains.iter().enumerate().filter(|(_, g)| g.abs() > 1e-6) {
            data.extend_from_slice(sample.matrix.row(row));
            answers.push(gain > 0.0);
            row_weights.push(gain.abs() * weight);
        }
    }
    let none = vec![false; answers.len()];
    let target = Target { answers: &answers, weights: &row_weights, held_out: &none };
    let gains = boost::train(&Binned::new(&data, FEATURES), target, settings, &|_, _, _| {});
    Decoder { version: version(), gains, margin, large_margin }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_differences_of_f1_by_words() {
        let truth = vec![(true, 10.0), (true, 30.0), (false, 40.0), (false, 0.0)];
        let check = |chosen: [bool; 4], added: &[u32], expect: f32| {
            let scored =
                chosen.map(|content| Scored { content, probability: f32::from(u8::from(content)) });
            let found = f1(&truth, &scored, added);
            assert!((found - expect).abs() < 1e-6, "{chosen:?} {added:?}: {found}");
        };
        check([false; 4], &[], 0.0);
        check([true, false, false, false], &[], 0.4);
        check([true, false, false, false], &[1], 1.0);
        check([true, false, false, false], &[1, 3], 1.0);
        check([true, true, false, false], &[2], 2.0 / 3.0);
    }

    #[test]
    fn without_edits_nothing_is_learned_and_none_is_made() {
        let decoder = fit(&[Sample::default()], &[1.0], &boost::Settings::default(), (0.5, 0.5));
        assert!(decoder.gains.log_odds(&[]) < decoder.margin);
    }
}
