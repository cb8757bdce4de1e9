//! The fitness of thresholds: mean sim^σ between gold texts and the blocks that the thresholds
//! keep, from term vectors counted once per block.
//!
//! Must not know: HTML, what the features mean, how the swarm moves.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::mapping::{Bound, Mapping, Scale, passes};
use crate::dedupe::similarity::{Vector, sim_of};
use crate::learn::metrics::summary::mean;
use crate::learn::metrics::tokens::mix;

/// Extractions remembered per document: particles that keep the same blocks share one count.
const REMEMBERED: usize = 4096;

/// One training page: features and terms of its blocks, terms of its gold text.
pub struct Document {
    /// Blocks × features.
    features: Vec<Vec<f64>>,
    /// Per block: (term number within this document, count).
    blocks: Vec<Vec<(u32, u32)>>,
    vocabulary: usize,
    golds: Vec<Gold>,
}

struct Gold {
    /// Count per term number.
    counts: Vec<u32>,
    len: u64,
    square: u64,
}

impl Document {
    /// From each block's features and text, and the gold text (variants where parts are optional:
    /// the best counts).
    pub fn new(blocks: &[(Vec<f64>, String)], golds: &[&str]) -> Document {
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut number = |text: &str| -> Vec<(u32, u32)> {
            let mut known = |h: u64| {
                let next = numbers.len() as u32;
                *numbers.entry(h).or_insert(next)
            };
            Vector::of(text).terms().map(|(h, n)| (known(h), n)).collect()
        };
        let blocks_terms = blocks.iter().map(|(_, text)| number(text)).collect();
        let golds: Vec<Vec<(u32, u32)>> = golds.iter().map(|g| number(g)).collect();
        let vocabulary = numbers.len();
        let golds = golds
            .into_iter()
            .map(|terms| {
                let mut counts = vec![0; vocabulary];
                terms.iter().for_each(|&(t, n)| counts[t as usize] = n);
                let len = terms.iter().map(|&(_, n)| u64::from(n)).sum();
                let square = terms.iter().map(|&(_, n)| u64::from(n) * u64::from(n)).sum();
                Gold { counts, len, square }
            })
            .collect();
        let features = blocks.iter().map(|(f, _)| f.clone()).collect();
        Document { features, blocks: blocks_terms, vocabulary, golds }
    }

    /// sim^σ of the kept blocks to the (best) gold; `scratch` is all zero before and after.
    fn similarity(&self, keep: &[bool], scratch: &mut Vec<u32>) -> f64 {
        scratch.resize(scratch.len().max(self.vocabulary), 0);
        let kept = || self.blocks.iter().zip(keep).filter(|(_, k)| **k).flat_map(|(b, _)| b);
        let mut len = 0;
        for &(t, n) in kept() {
            scratch[t as usize] += n;
            len += u64::from(n);
        }
        let mut square = 0;
        let mut dots = vec![0; self.golds.len()];
        for &(t, _) in kept() {
            let n = u64::from(std::mem::take(&mut scratch[t as usize]));
            if n > 0 {
                square += n * n;
                for (dot, gold) in dots.iter_mut().zip(&self.golds) {
                    *dot += n * u64::from(gold.counts[t as usize]);
                }
            }
        }
        let score = |(dot, g): (u64, &Gold)| sim_of(dot, (square, g.square), (len, g.len));
        dots.into_iter().zip(&self.golds).map(score).fold(0.0, f64::max)
    }
}

/// A training or test set.
pub struct Documents {
    bounds: Vec<Bound>,
    documents: Vec<Arc<Document>>,
}

impl Documents {
    /// `bounds` fixes number and direction of the features.
    pub fn new(bounds: Vec<Bound>, documents: Vec<Document>) -> Documents {
        Documents { bounds, documents: documents.into_iter().map(Arc::new).collect() }
    }

    /// The documents whose position is kept.
    pub fn part(&self, keep: impl Fn(usize) -> bool) -> Documents {
        let kept = self.documents.iter().enumerate().filter(|(i, _)| keep(*i));
        let documents = kept.map(|(_, d)| Arc::clone(d)).collect();
        Documents { bounds: self.bounds.clone(), documents }
    }

    /// Thresholds at which every block passes.
    pub fn open(&self) -> Vec<f64> {
        self.bounds.iter().map(Bound::open).collect()
    }

    /// Directions of the features.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// Mean sim^σ with thresholds in natural units.
    pub fn fitness(&self, thresholds: &[f64]) -> f64 {
        mean(self.scores(thresholds).into_iter())
    }

    /// sim^σ of every document with thresholds in natural units.
    pub fn scores(&self, thresholds: &[f64]) -> Vec<f64> {
        self.documents
            .par_iter()
            .map_init(Vec::new, |scratch, d| {
                let keep: Vec<bool> =
                    d.features.iter().map(|f| self.keeps(f, thresholds)).collect();
                d.similarity(&keep, scratch)
            })
            .collect()
    }

    fn keeps(&self, features: &[f64], thresholds: &[f64]) -> bool {
        let each = self.bounds.iter().zip(features).zip(thresholds);
        each.into_iter().all(|((b, f), t)| passes(*b, *f, *t))
    }

    /// Per feature, the share of all blocks that its threshold rejects, and the share that it alone
    /// rejects. A threshold that rejects nothing is idle.
    pub fn rejections(&self, thresholds: &[f64]) -> Vec<(f64, f64)> {
        let mut counts = vec![(0_usize, 0_usize); self.bounds.len()];
        let mut blocks = 0;
        for features in self.documents.iter().flat_map(|d| &d.features) {
            blocks += 1;
            let each = self.bounds.iter().zip(features).zip(thresholds);
            let failed: Vec<usize> = each
                .enumerate()
                .filter(|(_, ((b, f), t))| !passes(**b, **f, **t))
                .map(|(j, _)| j)
                .collect();
            failed.iter().for_each(|&j| counts[j].0 += 1);
            if let &[only] = failed.as_slice() {
                counts[only].1 += 1;
            }
        }
        let share = |n: usize| n as f64 / blocks.max(1) as f64;
        counts.into_iter().map(|(any, only)| (share(any), share(only))).collect()
    }

    /// Thresholds at which every block passes, but for one feature.
    pub fn only(&self, feature: usize, threshold: f64) -> Vec<f64> {
        let mut thresholds = self.open();
        thresholds[feature] = threshold;
        thresholds
    }

    /// Mean sim^σ with one feature alone over a grid of thresholds (Fig. 4).
    pub fn alone(&self, feature: usize, grid: &[f64]) -> Vec<f64> {
        grid.iter().map(|&t| self.fitness(&self.only(feature, t))).collect()
    }

    /// At most `points` thresholds for a feature, spread over its values.
    pub fn grid(&self, feature: usize, points: usize) -> Vec<f64> {
        Scale::new(Mapping::Rank, Bound::AtLeast, self.values(feature)).grid(points)
    }

    fn values(&self, feature: usize) -> Vec<f64> {
        self.documents.iter().flat_map(|d| &d.features).map(|f| f[feature]).collect()
    }

    /// The set with features mapped to [0, 1], for the swarm.
    pub(super) fn mapped(&self, mapping: Mapping) -> Mapped<'_> {
        let scales: Vec<Scale> = (self.bounds.iter().enumerate())
            .map(|(j, b)| Scale::new(mapping, *b, self.values(j)))
            .collect();
        let memory = self
            .documents
            .par_iter()
            .map(|d| {
                let row = |f: &Vec<f64>| f.iter().zip(&scales).map(|(v, s)| s.map(*v)).collect();
                Memory { features: d.features.iter().map(row).collect(), seen: HashMap::new() }
            })
            .collect();
        Mapped { of: self, scales, memory: std::sync::Mutex::new(memory) }
    }
}

/// Mapped features of one document and the extractions already scored.
struct Memory {
    features: Vec<Vec<f64>>,
    seen: HashMap<u64, f64>,
}

/// [`Documents`] as the swarm sees them.
pub(super) struct Mapped<'a> {
    of: &'a Documents,
    scales: Vec<Scale>,
    memory: std::sync::Mutex<Vec<Memory>>,
}

impl Mapped<'_> {
    /// Fitness of every particle. Works document by document, so that one document's blocks and
    /// remembered extractions stay in the processor's cache for the whole population; sums run in
    /// document order, whatever the threads did.
    pub(super) fn fitness(&self, positions: &[Vec<f64>]) -> Vec<f64> {
        let mut memory = self.memory.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let scores: Vec<Vec<f64>> = memory
            .par_iter_mut()
            .zip(&self.of.documents)
            .map_init(Vec::new, |scratch, (memory, document)| {
                positions.iter().map(|p| self.score(memory, document, p, scratch)).collect()
            })
            .collect();
        (0..positions.len())
            .map(|i| scores.iter().map(|s| s[i]).sum::<f64>() / scores.len().max(1) as f64)
            .collect()
    }

    fn score(
        &self,
        memory: &mut Memory,
        document: &Document,
        position: &[f64],
        scratch: &mut Vec<u32>,
    ) -> f64 {
        let keep: Vec<bool> = memory.features.iter().map(|f| self.of.keeps(f, position)).collect();
        let key = keep.chunks(64).fold(keep.len() as u64, |h, chunk| {
            let bits = chunk.iter().fold(0_u64, |b, k| b << 1 | u64::from(*k));
            mix(h.rotate_left(23) ^ mix(bits))
        });
        if let Some(score) = memory.seen.get(&key) {
            return *score;
        }
        let score = document.similarity(&keep, scratch);
        if memory.seen.len() < REMEMBERED {
            memory.seen.insert(key, score);
        }
        score
    }

    /// The mapping of each feature, to be kept with the thresholds.
    pub(super) fn quantiles(&self) -> Vec<Vec<f32>> {
        self.scales.iter().map(Scale::quantiles).collect()
    }

    /// A particle's thresholds in natural units.
    pub(super) fn natural(&self, position: &[f64]) -> Vec<f64> {
        let each = self.scales.iter().zip(&self.of.bounds).zip(position);
        each.map(|((scale, bound), p)| scale.natural(*bound, *p)).collect()
    }
}
