//! Multi-class support vector machine by stochastic subgradients: the hinge of Crammer & Singer 2001,
//! the steps of Shalev-Shwartz, Singer & Srebro 2007 (Fig. 1, with k = 1 and projection), as
//! Spengler & Gallinari 2009 §4.2 use them.
//!
//! The regulariser shrinks all weights in each step; they are kept as a common factor times a vector,
//! so that a step costs what its example's features cost. Must not know: pages, labels' names.

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::extract::label::chain::Rows;
use crate::learn::split::rng;

/// Below this the common factor is multiplied out.
const LEAST_FACTOR: f64 = 1e-100;

/// How it is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Weight of the regulariser λ.
    pub lambda: f64,
    /// Passes over all examples, each in an order of its own.
    pub passes: usize,
    pub seed: u64,
}

impl Default for Settings {
    /// The paper's (§4.2).
    fn default() -> Settings {
        Settings { lambda: 2e-4, passes: 30, seed: 1 }
    }
}

/// Weights (column × label) that separate the rows' answers by a margin of 1. `pages` pairs rows
/// with the answer of each, a label below `labels`; `done` is told each pass that ended.
pub fn train(
    pages: &[(&Rows, &[u16])],
    columns: usize,
    labels: usize,
    settings: &Settings,
    done: &dyn Fn(usize),
) -> Vec<f64> {
    let mut order: Vec<(u32, u32)> = pages
        .iter()
        .enumerate()
        .flat_map(|(page, (rows, _))| (0..rows.len()).map(move |i| (page as u32, i as u32)))
        .collect();
    let mut random = rng(settings.seed);
    let mut machine = Machine::new(columns, labels, settings.lambda);
    for pass in 0..settings.passes {
        order.shuffle(&mut random);
        for &(page, i) in &order {
            let (rows, answers) = pages[page as usize];
            let answer = usize::from(answers[i as usize]);
            machine.step(rows.row(i as usize), answer);
        }
        done(pass + 1);
    }
    machine.vector.iter().map(|v| v * machine.factor).collect()
}

/// The weights are `factor` × `vector`.
struct Machine {
    labels: usize,
    lambda: f64,
    factor: f64,
    vector: Vec<f64>,
    /// ‖weights‖².
    norm: f64,
    steps: u64,
    scores: Vec<f64>,
}

impl Machine {
    fn new(columns: usize, labels: usize, lambda: f64) -> Machine {
        Machine {
            labels,
            lambda,
            factor: 1.0,
            vector: vec![0.0; columns * labels],
            norm: 0.0,
            steps: 0,
            scores: vec![0.0; labels],
        }
    }

    fn step(&mut self, row: impl Iterator<Item = (u32, f32)> + Clone, answer: usize) {
        self.steps += 1;
        let rate = 1.0 / (self.lambda * self.steps as f64);
        self.scores.fill(0.0);
        let mut square = 0.0;
        for (column, value) in row.clone() {
            let (value, at) = (f64::from(value), column as usize * self.labels);
            square += value * value;
            let weights = &self.vector[at..at + self.labels];
            self.scores.iter_mut().zip(weights).for_each(|(s, w)| *s += value * w);
        }
        self.scores.iter_mut().for_each(|s| *s *= self.factor);
        let right = self.scores[answer];
        let others = self.scores.iter().enumerate().filter(|(label, _)| *label != answer);
        let rival = others.max_by(|a, b| a.1.total_cmp(b.1)).map(|(label, score)| (label, *score));
        let Some((rival, score)) = rival else { return };
        // 1 − 1/t: all is forgotten in the first step.
        let kept = 1.0 - 1.0 / self.steps as f64;
        if kept <= 0.0 {
            self.vector.fill(0.0);
            (self.factor, self.norm) = (1.0, 0.0);
        } else {
            self.factor *= kept;
            self.norm *= kept * kept;
        }
        if right < score + 1.0 {
            let step = rate / self.factor;
            for (column, value) in row {
                let at = column as usize * self.labels;
                self.vector[at + answer] += step * f64::from(value);
                self.vector[at + rival] -= step * f64::from(value);
            }
            self.norm += 2.0 * rate * kept * (right - score) + 2.0 * rate * rate * square;
            // The optimum lies in the ball of radius 1/√λ.
            let most = 1.0 / self.lambda;
            if self.norm > most {
                self.factor *= (most / self.norm).sqrt();
                self.norm = most;
            }
        }
        // Early steps are long and the ball cuts them short; long before the factor vanishes it is
        // multiplied out.
        if self.factor < LEAST_FACTOR {
            self.vector.iter_mut().for_each(|v| *v *= self.factor);
            self.factor = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same steps, written down as in the paper: all weights are touched each time. `None` if a
    /// decision was so close that rounding makes it.
    fn naive(
        pages: &[(&Rows, &[u16])],
        columns: usize,
        labels: usize,
        s: &Settings,
    ) -> Option<Vec<f64>> {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-7 && !(a == 0.0 && b == 0.0);
        let mut order: Vec<(usize, usize)> =
            (0..pages.len()).flat_map(|p| (0..pages[p].0.len()).map(move |i| (p, i))).collect();
        let mut random = rng(s.seed);
        let mut w = vec![0.0; columns * labels];
        let mut t = 0.0;
        for _ in 0..s.passes {
            order.shuffle(&mut random);
            for &(p, i) in &order {
                t += 1.0;
                let (rows, answer) = (pages[p].0, usize::from(pages[p].1[i]));
                let score = |w: &[f64], l: usize| -> f64 {
                    rows.row(i).map(|(c, v)| f64::from(v) * w[c as usize * labels + l]).sum()
                };
                let rival = (0..labels)
                    .filter(|l| *l != answer)
                    .max_by(|a, b| score(&w, *a).total_cmp(&score(&w, *b)))
                    .expect("two labels");
                let others = (0..labels).filter(|l| *l != answer && *l != rival);
                let best = score(&w, rival);
                if close(score(&w, answer), best + 1.0)
                    || others.into_iter().any(|l| close(score(&w, l), best))
                {
                    return None;
                }
                let wrong = score(&w, answer) < best + 1.0;
                w.iter_mut().for_each(|w| *w *= 1.0 - 1.0 / t);
                if wrong {
                    for (c, v) in rows.row(i) {
                        w[c as usize * labels + answer] += f64::from(v) / (s.lambda * t);
                        w[c as usize * labels + rival] -= f64::from(v) / (s.lambda * t);
                    }
                }
                let norm: f64 = w.iter().map(|w| w * w).sum();
                let shrink = (1.0 / s.lambda / norm).sqrt().min(1.0);
                w.iter_mut().for_each(|w| *w *= shrink);
            }
        }
        Some(w)
    }

    fn examples(rows: &[(Vec<(u32, f32)>, u16)]) -> (Rows, Vec<u16>) {
        let mut all = Rows::default();
        rows.iter().for_each(|(row, _)| all.push(row.iter().copied()));
        (all, rows.iter().map(|r| r.1).collect())
    }

    proptest! {
        #[test]
        fn lazy_steps_are_the_papers(
            rows in prop::collection::vec(
                (prop::collection::btree_map(0u32..6, 1u8..4, 1..5), 0u16..3), 1..12),
            lambda in prop::sample::select(vec![0.0137, 0.117, 0.93]),
        ) {
            let rows: Vec<(Vec<(u32, f32)>, u16)> = rows
                .into_iter()
                .map(|(row, l)| (row.into_iter().map(|(c, v)| (c, f32::from(v).sqrt() + c as f32 / 7.0)).collect(), l))
                .collect();
            let (all, answers) = examples(&rows);
            let settings = Settings { lambda, passes: 4, seed: 3 };
            let pages: [(&Rows, &[u16]); 1] = [(&all, &answers)];
            let Some(expect) = naive(&pages, 6, 3, &settings) else { return Ok(()) };
            let got = train(&pages, 6, 3, &settings, &|_| {});
            for (a, b) in got.iter().zip(expect) {
                prop_assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "{a} {b}");
            }
        }
    }

    #[test]
    fn what_can_be_separated_is_separated() {
        let rows: Vec<(Vec<(u32, f32)>, u16)> = (0..60)
            .map(|i| (vec![(i % 3, 1.0), (3 + i % 2, 0.5), (5, 1.0)], (i % 3) as u16))
            .collect();
        let (all, answers) = examples(&rows);
        let weights = train(&[(&all, &answers)], 6, 3, &Settings::default(), &|_| {});
        for (i, answer) in answers.iter().enumerate() {
            let score = |label: usize| -> f64 {
                all.row(i).map(|(c, v)| f64::from(v) * weights[c as usize * 3 + label]).sum()
            };
            let best = (0..3).max_by(|a, b| score(*a).total_cmp(&score(*b)));
            assert_eq!(best, Some(usize::from(*answer)));
        }
    }
}
