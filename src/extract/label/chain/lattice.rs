//! Scores of one sequence: forward-backward and Viterbi.
//!
//! Everything stands in logarithms; within a step sums are taken over numbers scaled by the step's
//! largest, so that nothing overflows and nothing that matters underflows.

use super::{Form, Rows, Shape};

/// Where transitions lie further apart than this, sums are taken over logarithms, which is slower.
const STEEP: f64 = 600.0;
/// Sums of scaled products below this have lost digits.
const UNDERFLOW: f64 = 1e-280;

/// Log-potentials of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    labels: usize,
    /// Position × label.
    node: Vec<f64>,
    pair: Pair,
}

/// Log-potentials of neighbouring labels (label before × label).
#[derive(Clone, Debug, PartialEq)]
enum Pair {
    /// Positions do not see each other.
    None,
    /// The same everywhere.
    Shared(Vec<f64>),
    /// One table per position; the first position's is not read.
    Each(Vec<f64>),
}

/// What a model believes of a sequence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beliefs {
    /// Logarithm of the normaliser Z.
    pub log_z: f64,
    /// p(y_i | x), position × label.
    pub marginals: Vec<f64>,
}

impl Lattice {
    /// Scores a sequence. `weights` are in the order of [`super::Layout`]; missing ones count as 0.
    pub fn new<W: Copy + Into<f64>>(shape: &Shape, weights: &[W], rows: &Rows) -> Lattice {
        let layout = shape.layout();
        let k = layout.labels;
        let part = |from: usize, n: usize| weights.get(from..from + n).unwrap_or(&[]);
        let mut node = Vec::with_capacity(rows.len() * k);
        let with_edges = layout.len > layout.edges;
        let transitions: Vec<f64> = if shape.is_chained() {
            part(layout.transitions, k * k).iter().map(|w| (*w).into()).collect()
        } else {
            Vec::new()
        };
        let mut each = Vec::new();
        for i in 0..rows.len() {
            let at = node.len();
            node.extend(part(0, k).iter().map(|w| -> f64 { (*w).into() }));
            node.resize(at + k, 0.0);
            for (predicate, value) in shape.predicates(rows, i) {
                add(&mut node[at..], part(layout.nodes + predicate * k, k), value);
            }
            if with_edges {
                let at = each.len();
                each.extend_from_slice(&transitions);
                each.resize(at + k * k, 0.0);
                if i > 0 {
                    for (predicate, value) in shape.predicates(rows, i) {
                        let from = layout.edges + predicate * k * k;
                        add(&mut each[at..], part(from, k * k), value);
                    }
                }
            }
        }
        let pair = match shape.form {
            Form::Maxent => Pair::None,
            _ if with_edges => Pair::Each(each),
            _ => Pair::Shared(transitions),
        };
        let lattice = Lattice { labels: k, node, pair };
        if shape.form == Form::Memm { lattice.locally_normalised() } else { lattice }
    }

    /// A lattice of given log-potentials: `node` position × label, `pair` label before × label.
    pub fn of(labels: usize, node: Vec<f64>, pair: Vec<f64>) -> Lattice {
        Lattice { labels, node, pair: Pair::Shared(pair) }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.node.len().checked_div(self.labels).unwrap_or(0)
    }

    pub fn is_empty(&self) -> bool {
        self.node.is_empty()
    }

    /// Log-potential of a label at a position.
    pub fn node(&self, i: usize, label: usize) -> f64 {
        self.node[i * self.labels + label]
    }

    /// Log-potential of a label at a position > 0 after another.
    pub fn pair(&self, i: usize, before: usize, label: usize) -> f64 {
        self.table(i).get(before * self.labels + label).copied().unwrap_or(0.0)
    }

    fn table(&self, i: usize) -> &[f64] {
        let size = self.labels * self.labels;
        match &self.pair {
            Pair::None => &[],
            Pair::Shared(table) => table,
            Pair::Each(tables) => tables.get(i * size..(i + 1) * size).unwrap_or(&[]),
        }
    }

    /// The same scores as log-probabilities of each label given the one before.
    fn locally_normalised(mut self) -> Lattice {
        let k = self.labels;
        let mut each = vec![0.0; self.len() * k * k];
        for i in 1..self.len() {
            let at = i * k * k;
            for before in 0..k {
                let row = at + before * k;
                for label in 0..k {
                    each[row + label] = self.node(i, label) + self.pair(i, before, label);
                }
                log_softmax(&mut each[row..row + k]);
            }
        }
        if !self.is_empty() {
            log_softmax(&mut self.node[..k]);
            self.node[k..].fill(0.0);
        }
        self.pair = Pair::Each(each);
        self
    }

    /// Log-potential of a label sequence.
    pub fn score(&self, labels: &[u16]) -> f64 {
        let mut sum = 0.0;
        let mut before = None;
        for (i, &label) in labels.iter().enumerate().take(self.len()) {
            sum += self.node(i, usize::from(label));
            if let Some(before) = before {
                sum += self.pair(i, before, usize::from(label));
            }
            before = Some(usize::from(label));
        }
        sum
    }

    /// The label sequence of highest score (Viterbi); of equals the lowest labels.
    pub fn best(&self) -> Vec<u16> {
        let (n, k) = (self.len(), self.labels);
        if n == 0 {
            return Vec::new();
        }
        let mut best: Vec<f64> = self.node[..k].to_vec();
        let mut from = vec![0u16; n * k];
        let mut next = vec![0.0; k];
        for i in 1..n {
            for label in 0..k {
                let mut top = (f64::NEG_INFINITY, 0);
                for (before, score) in best.iter().enumerate() {
                    let score = score + self.pair(i, before, label);
                    if score > top.0 {
                        top = (score, before);
                    }
                }
                next[label] = top.0 + self.node(i, label);
                from[i * k + label] = top.1 as u16;
            }
            std::mem::swap(&mut best, &mut next);
        }
        let mut label = 0;
        for (l, score) in best.iter().enumerate() {
            if *score > best[label] {
                label = l;
            }
        }
        let mut labels = vec![0u16; n];
        for i in (0..n).rev() {
            labels[i] = label as u16;
            label = usize::from(from[i * k + label]);
        }
        labels
    }

    /// Normaliser and marginals.
    pub fn beliefs(&self) -> Beliefs {
        self.expectations(&mut |_, _| {})
    }

    /// As [`Lattice::beliefs`]; `pairs` gets for each position > 0 the probabilities of its label
    /// pairs (label before × label).
    pub fn expectations(&self, pairs: &mut dyn FnMut(usize, &[f64])) -> Beliefs {
        let (n, k) = (self.len(), self.labels);
        if n == 0 {
            return Beliefs::default();
        }
        if self.pair == Pair::None {
            let mut marginals = self.node.clone();
            let log_z = marginals.chunks_exact_mut(k).map(log_softmax).sum();
            marginals.iter_mut().for_each(|m| *m = m.exp());
            return Beliefs { log_z, marginals };
        }
        let mut steps = Steps::new(self);
        let mut alpha = self.node.clone();
        let mut scaled = vec![0.0; k];
        for i in 1..n {
            steps.load(i);
            let (done, rest) = alpha.split_at_mut(i * k);
            let top = scale(&done[(i - 1) * k..], &mut scaled);
            for (label, out) in rest[..k].iter_mut().enumerate() {
                *out += if steps.steep {
                    log_sum((0..k).map(|b| done[(i - 1) * k + b] + self.pair(i, b, label)))
                } else {
                    let sum: f64 = (0..k).map(|b| scaled[b] * steps.table[b * k + label]).sum();
                    top + steps.top + sum.ln()
                };
            }
        }
        let log_z = scale(&alpha[(n - 1) * k..], &mut scaled) + scaled.iter().sum::<f64>().ln();
        let mut marginals = vec![0.0; n * k];
        // Node and everything after it, per label.
        let mut after: Vec<f64> = self.node[(n - 1) * k..].to_vec();
        let mut ahead = vec![0.0; k];
        let mut joint = vec![0.0; k * k];
        let mut beta = vec![0.0; k];
        normalised(&alpha[(n - 1) * k..], &beta, &mut marginals[(n - 1) * k..]);
        for i in (1..n).rev() {
            steps.load(i);
            let top = scale(&after, &mut ahead);
            scale(&alpha[(i - 1) * k..i * k], &mut scaled);
            let mut sum = 0.0;
            for before in 0..k {
                let row = before * k..(before + 1) * k;
                let mut ways = 0.0;
                for ((p, t), a) in joint[row.clone()].iter_mut().zip(&steps.table[row]).zip(&ahead)
                {
                    ways += t * a;
                    *p = scaled[before] * t * a;
                    sum += *p;
                }
                beta[before] = if steps.steep {
                    log_sum((0..k).map(|label| self.pair(i, before, label) + after[label]))
                } else {
                    top + steps.top + ways.ln()
                };
            }
            if sum > UNDERFLOW && !steps.steep {
                joint.iter_mut().for_each(|p| *p /= sum);
            } else {
                // What is likely from the left is all but impossible from the right.
                for (at, p) in joint.iter_mut().enumerate() {
                    let (before, label) = (at / k, at % k);
                    *p = alpha[(i - 1) * k + before] + self.pair(i, before, label) + after[label];
                }
                log_softmax(&mut joint);
                joint.iter_mut().for_each(|p| *p = p.exp());
            }
            pairs(i, &joint);
            let earlier = (i - 1) * k..i * k;
            normalised(&alpha[earlier.clone()], &beta, &mut marginals[earlier]);
            for (label, out) in after.iter_mut().enumerate() {
                *out = self.node(i - 1, label) + beta[label];
            }
        }
        Beliefs { log_z, marginals }
    }
}

/// Exponentials of the transitions of one step, relative to the largest.
struct Steps<'a> {
    lattice: &'a Lattice,
    table: Vec<f64>,
    top: f64,
    /// Too far apart for exponentials.
    steep: bool,
    loaded: bool,
}

impl<'a> Steps<'a> {
    fn new(lattice: &'a Lattice) -> Self {
        let table = vec![1.0; lattice.labels * lattice.labels];
        Steps { lattice, table, top: 0.0, steep: false, loaded: false }
    }

    fn load(&mut self, i: usize) {
        let shared = matches!(self.lattice.pair, Pair::Shared(_));
        if shared && self.loaded {
            return;
        }
        self.loaded = true;
        let source = self.lattice.table(i);
        self.top = source.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !self.top.is_finite() {
            self.top = 0.0;
        }
        for (out, score) in self.table.iter_mut().zip(source) {
            *out = (score - self.top).exp();
        }
        self.steep = source.iter().any(|score| score - self.top < -STEEP);
    }
}

/// Logarithm of the sum of exponentials.
fn log_sum(scores: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = scores.clone().fold(f64::NEG_INFINITY, f64::max);
    top + scores.map(|s| (s - top).exp()).sum::<f64>().ln()
}

/// exp of scores relative to the largest, which is returned.
fn scale(scores: &[f64], out: &mut [f64]) -> f64 {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (out, score) in out.iter_mut().zip(scores) {
        *out = (score - top).exp();
    }
    top
}

/// Probabilities from log-scores a + b.
fn normalised(a: &[f64], b: &[f64], out: &mut [f64]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a + b;
    }
    log_softmax(out);
    out.iter_mut().for_each(|p| *p = p.exp());
}

/// Turns scores into log-probabilities; returns the logarithm of the normaliser.
fn log_softmax(scores: &mut [f64]) -> f64 {
    let log_z = log_sum(scores.iter().copied());
    scores.iter_mut().for_each(|s| *s -= log_z);
    log_z
}

fn add<W: Copy + Into<f64>>(sums: &mut [f64], weights: &[W], value: f32) {
    let value = f64::from(value);
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum += value * (*weight).into();
    }
}
