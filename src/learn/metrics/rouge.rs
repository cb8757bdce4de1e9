//! ROUGE-LSum as fundus-evaluation uses it: per gold sentence the union of its longest common
//! subsequences with all predicted sentences, with clipped token counts (Lin 2004, §3.2).
//!
//! The subsequence is found with the bit-parallel recurrence of Hyyrö (2004). Must not know:
//! pages, corpora, labelers.

use std::collections::{HashMap, HashSet};

use super::tokens;

/// A sentence as token numbers.
type Sentence = Vec<u32>;

/// Marks the end of a sentence in the flattened prediction; no token has this number.
const END: u32 = u32::MAX;

/// Precision, recall, F1 against the variant of the gold text with the best F1.
pub fn rouge_lsum(variants: &[String], predicted: &str) -> (f64, f64, f64) {
    let mut numbers = HashMap::new();
    let mut predicted = Predicted::new(sentences(predicted, &mut numbers));
    let mut best = (0.0, 0.0, 0.0);
    for (i, v) in variants.iter().enumerate() {
        let score = one(&sentences(v, &mut numbers), &mut predicted);
        if i == 0 || score.2 > best.2 {
            best = score;
        }
    }
    best
}

fn sentences(text: &str, numbers: &mut HashMap<u64, u32>) -> Vec<Sentence> {
    let mut out = Vec::new();
    tokens::rouge_sentences(text, |s| {
        let mut sentence = Vec::new();
        tokens::rouge_tokens(s, |t| {
            let next = numbers.len() as u32;
            sentence.push(*numbers.entry(tokens::hash(t)).or_insert(next));
        });
        if !sentence.is_empty() {
            out.push(sentence);
        }
    });
    out
}

/// The predicted side, prepared once per page.
struct Predicted {
    total: usize,
    counts: HashMap<u32, u32>,
    /// All sentences with [`END`] between them, as bytes for substring search.
    flat: Vec<u8>,
    distinct: Vec<Sentence>,
    /// Token → the distinct sentences that hold it.
    holders: HashMap<u32, Vec<u32>>,
    covered: HashMap<Sentence, Sentence>,
}

impl Predicted {
    fn new(all: Vec<Sentence>) -> Predicted {
        let total = all.iter().map(Vec::len).sum();
        let mut counts = HashMap::new();
        let mut flat = Vec::new();
        for s in &all {
            for t in s {
                *counts.entry(*t).or_insert(0) += 1;
                flat.extend(t.to_be_bytes());
            }
            flat.extend(END.to_be_bytes());
        }
        let mut seen = HashSet::new();
        let distinct: Vec<_> = all.into_iter().filter(|s| seen.insert(s.clone())).collect();
        let mut holders: HashMap<u32, Vec<u32>> = HashMap::new();
        for (i, s) in distinct.iter().enumerate() {
            for t in s {
                let list = holders.entry(*t).or_default();
                if list.last() != Some(&(i as u32)) {
                    list.push(i as u32);
                }
            }
        }
        Predicted { total, counts, flat, distinct, holders, covered: HashMap::new() }
    }

    fn holds(&self, sentence: &[u32]) -> bool {
        let needle: Vec<u8> = sentence.iter().flat_map(|t| t.to_be_bytes()).collect();
        memchr::memmem::find_iter(&self.flat, &needle).any(|at| at % 4 == 0)
    }

    /// Tokens of the gold sentence covered by the union of its subsequences.
    fn union(&mut self, gold: &Sentence) -> Sentence {
        if let Some(known) = self.covered.get(gold) {
            return known.clone();
        }
        let got = if self.holds(gold) { gold.clone() } else { self.search(gold) };
        self.covered.insert(gold.clone(), got.clone());
        got
    }

    fn search(&self, gold: &Sentence) -> Sentence {
        let mut masks: HashMap<u32, Vec<u64>> = HashMap::new();
        for (i, t) in gold.iter().enumerate() {
            let mask = masks.entry(*t).or_insert_with(|| vec![0; gold.len().div_ceil(64)]);
            mask[i / 64] |= 1 << (i % 64);
        }
        let mut near: Vec<u32> =
            masks.keys().filter_map(|t| self.holders.get(t)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        let mut hit = vec![false; gold.len()];
        for c in near {
            subsequence(gold, &masks, &self.distinct[c as usize], &mut hit);
            if hit.iter().all(|h| *h) {
                break;
            }
        }
        gold.iter().zip(hit).filter_map(|(t, h)| h.then_some(*t)).collect()
    }
}

/// Marks the positions of `gold` in one longest common subsequence with `other`. Bit i of column j
/// is 0 iff lcs[i+1][j] − lcs[i][j] = 1; ties go the way of the reference's backtracking.
fn subsequence(gold: &[u32], masks: &HashMap<u32, Vec<u64>>, other: &[u32], hit: &mut [bool]) {
    let width = gold.len().div_ceil(64);
    let mut v = vec![u64::MAX; width];
    let mut columns = Vec::with_capacity(other.len() * width);
    for t in other {
        if let Some(mask) = masks.get(t) {
            let mut carry = false;
            for (v, m) in v.iter_mut().zip(mask) {
                let u = *v & m;
                let (sum, a) = v.overflowing_add(u);
                let (sum, b) = sum.overflowing_add(u64::from(carry));
                carry = a || b;
                *v = sum | (*v - u);
            }
        }
        columns.extend_from_slice(&v);
    }
    let (mut i, mut j) = (gold.len(), other.len());
    while i > 0 && j > 0 {
        if gold[i - 1] == other[j - 1] {
            hit[i - 1] = true;
            i -= 1;
            j -= 1;
        } else if columns[(j - 1) * width + (i - 1) / 64] >> ((i - 1) % 64) & 1 == 0 {
            j -= 1;
        } else {
            i -= 1;
        }
    }
}

fn one(gold: &[Sentence], predicted: &mut Predicted) -> (f64, f64, f64) {
    let total: usize = gold.iter().map(Vec::len).sum();
    if total == 0 || predicted.total == 0 {
        return (0.0, 0.0, 0.0);
    }
    let mut left = predicted.counts.clone();
    let mut gold_left: HashMap<u32, u32> = HashMap::new();
    for t in gold.iter().flatten() {
        *gold_left.entry(*t).or_insert(0) += 1;
    }
    let mut hits = 0;
    for s in gold {
        for t in predicted.union(s) {
            if let (Some(a), Some(b)) = (left.get_mut(&t), gold_left.get_mut(&t))
                && *a > 0
                && *b > 0
            {
                *a -= 1;
                *b -= 1;
                hits += 1;
            }
        }
    }
    let (p, r) = (f64::from(hits) / predicted.total as f64, f64::from(hits) / total as f64);
    (p, r, super::overlap::harmonic(p, r))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn union_of_subsequences() {
        let check = |gold: &str, predicted: &str, expect: (f64, f64)| {
            let (p, r, _) = rouge_lsum(&[gold.to_string()], predicted);
            assert!((p - expect.0).abs() < 1e-9 && (r - expect.1).abs() < 1e-9, "{gold}: {p} {r}");
        };
        check("a b c", "a b c", (1.0, 1.0));
        check("", "a", (0.0, 0.0));
        // Lin's example: w1..w5 against "w1 w2 w6 w7 w8" and "w1 w3 w8 w9 w5": 4 of 5 found
        check("w1 w2 w3 w4 w5", "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", (0.4, 0.8));
        check("x a b c d e f", "f e d c b a", (1.0 / 6.0, 1.0 / 7.0));
    }

    #[test]
    fn long_sentences_cross_word_borders() {
        let gold: Vec<String> = (0..200).map(|i| format!("t{i}")).collect();
        let odd: Vec<String> = (0..200).filter(|i| i % 2 == 1).map(|i| format!("t{i}")).collect();
        let (p, r, _) = rouge_lsum(&[gold.join(" ")], &odd.join(" "));
        assert_eq!((p, r), (1.0, 0.5));
    }

    #[test]
    fn best_variant_counts() {
        let variants = ["a b c d".to_string(), "a b".to_string()];
        assert_eq!(rouge_lsum(&variants, "a b"), (1.0, 1.0, 1.0));
    }
}
