//! Multiset overlaps: four-gram shingles (article-extraction-benchmark) and bags of words (WCXB).
//!
//! Must not know: pages, corpora, labelers.

use serde::Serialize;

use super::tokens;

/// True positives, false positives, false negatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub tp: u64,
    pub fp: u64,
    pub fn_: u64,
}

impl Counts {
    /// Precision, recall and their harmonic mean; 0 where nothing was counted.
    pub fn prf(self) -> (f64, f64, f64) {
        let ratio =
            |n: u64, rest: u64| if n + rest == 0 { 0.0 } else { n as f64 / (n + rest) as f64 };
        let (p, r) = (ratio(self.tp, self.fp), ratio(self.tp, self.fn_));
        (p, r, harmonic(p, r))
    }

    /// Precision of the page, `None` where nothing was predicted.
    pub fn precision(self) -> Option<f64> {
        (self.tp + self.fp > 0).then(|| self.tp as f64 / (self.tp + self.fp) as f64)
    }

    /// Recall of the page, `None` where there was nothing to find.
    pub fn recall(self) -> Option<f64> {
        (self.tp + self.fn_ > 0).then(|| self.tp as f64 / (self.tp + self.fn_) as f64)
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.tp += other.tp;
        self.fp += other.fp;
        self.fn_ += other.fn_;
    }
}

/// Precision, recall and F1 of pooled counts, with the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Pooled {
    pub p: f64,
    pub r: f64,
    pub f1: f64,
    pub tp: u64,
    pub fp: u64,
    #[serde(rename = "fn")]
    pub fn_: u64,
}

impl From<Counts> for Pooled {
    fn from(c: Counts) -> Pooled {
        let (p, r, f1) = c.prf();
        Pooled { p, r, f1, tp: c.tp, fp: c.fp, fn_: c.fn_ }
    }
}

/// 2pr / (p + r), 0 for two zeros.
pub fn harmonic(p: f64, r: f64) -> f64 {
    if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 }
}

/// A text as the overlap metrics see it.
#[derive(Clone, Debug, Default)]
pub struct Bag {
    /// Case-sensitive words in order.
    pub words: Vec<u64>,
    /// Sorted hashes of the four-grams; a text of one to three words is one shingle.
    shingles: Vec<u64>,
    /// Sorted hashes of the lower-cased words.
    folded: Vec<u64>,
}

/// Words per shingle.
const SHINGLE: usize = 4;

impl Bag {
    /// Reads `text` once.
    pub fn of(text: &str) -> Bag {
        let mut words = Vec::new();
        tokens::words(text, |w| words.push(tokens::hash(w)));
        let width = SHINGLE.min(words.len()).max(1);
        let mut shingles: Vec<u64> = words.windows(width).map(tokens::gram).collect();
        shingles.sort_unstable();
        let mut folded = Vec::with_capacity(words.len());
        tokens::words(&text.to_lowercase(), |w| folded.push(tokens::hash(w)));
        folded.sort_unstable();
        Bag { words, shingles, folded }
    }
}

/// Multiset overlap of the shingles.
pub fn shingles(gold: &Bag, predicted: &Bag) -> Counts {
    overlap(&gold.shingles, &predicted.shingles)
}

/// Multiset overlap of the lower-cased words.
pub fn words(gold: &Bag, predicted: &Bag) -> Counts {
    overlap(&gold.folded, &predicted.folded)
}

fn overlap(gold: &[u64], predicted: &[u64]) -> Counts {
    let (mut i, mut j, mut tp) = (0, 0, 0);
    while let (Some(x), Some(y)) = (gold.get(i), predicted.get(j)) {
        tp += u64::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    Counts { tp, fp: predicted.len() as u64 - tp, fn_: gold.len() as u64 - tp }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shingles_are_multisets_of_four_grams() {
        let check = |gold: &str, predicted: &str, (tp, fp, fn_): (u64, u64, u64)| {
            let got = shingles(&Bag::of(gold), &Bag::of(predicted));
            assert_eq!(got, Counts { tp, fp, fn_ }, "{gold} / {predicted}");
        };
        check("a b c d e", "a b c d e", (2, 0, 0));
        check("a b c d e", "a b c d", (1, 0, 1));
        check("a b", "a b", (1, 0, 0));
        check("a b", "a b c d", (0, 1, 1));
        check("", "a", (0, 1, 0));
        check("x x x x x", "x x x x", (1, 0, 1));
        check("A b c d", "a b c d", (0, 1, 1));
    }

    #[test]
    fn words_ignore_case_and_order() {
        let got = words(&Bag::of("One two two"), &Bag::of("two ONE three"));
        assert_eq!(got, Counts { tp: 2, fp: 1, fn_: 1 });
        let (p, r, f) = got.prf();
        assert!((p - 2.0 / 3.0).abs() < 1e-12 && (r - p).abs() < 1e-12 && (f - p).abs() < 1e-12);
    }
}
