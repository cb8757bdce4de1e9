//! From answers to a model: logistic regression with a strong prior (Bishop 2006, §4.5). Mentions that nobody
//! was asked about say how common each feature is.
//!
//! Must not know: where features come from.

use std::collections::{BTreeMap, BTreeSet};

use super::{ONE, score};
use crate::model::{Answer, SenseModel, Share, Traits};

/// Answers that a model needs at least, and of each kind.
pub const FEWEST: usize = 10;
const OF_EACH: usize = 2;
/// Most answers about one brand.
pub const MOST: usize = 500;
/// Most mentions that nobody was asked about.
const POOL: usize = 300;
/// Most weights of a model, the largest.
const WEIGHTS: usize = 8_192;

/// How strongly weights are held at zero.
const HELD: f64 = 0.05;
/// What the bias weighs beside features.
const BIAS: f64 = 1.0;
/// Rounds over all examples of one fit, and halvings of the range of a coefficient.
const STEPS: usize = 20;
const HALVINGS: usize = 20;
const FOLDS: usize = 5;

/// The model that these answers teach; `pool`: mentions of the brand that nobody was asked about. `None`:
/// there are too few answers, or hardly any of one kind. Where no outlets can be held out, as all answers are of one,
/// nobody knows how good it is.
pub fn learn(answers: &[Answer], pool: &[Traits]) -> Option<SenseModel> {
    let all: Vec<&Answer> = answers.iter().collect();
    if answers.len() < FEWEST || !has_both(&all) {
        return None;
    }
    let (mut precision, mut recall) = (Share::default(), Share::default());
    let outlets: BTreeSet<&str> = answers.iter().map(|answer| answer.outlet.as_str()).collect();
    let fold: BTreeMap<&str, usize> = outlets.into_iter().zip((0..FOLDS).cycle()).collect();
    let of = |answer: &Answer| fold.get(answer.outlet.as_str()).copied().unwrap_or_default();
    for held in 0..FOLDS {
        let taught: Vec<&Answer> = answers.iter().filter(|answer| of(answer) != held).collect();
        // What is taught by few of the answers, or by one kind alone, says nothing of what all of them teach.
        if 2 * taught.len() < answers.len() || !has_both(&taught) {
            continue;
        }
        let model = fit_all(&taught, pool);
        for answer in answers.iter().filter(|answer| of(answer) == held) {
            let counted = score(&model, &answer.traits) > 0;
            precision.of += u32::from(counted);
            precision.right += u32::from(counted && answer.meant);
            recall.of += u32::from(answer.meant);
            recall.right += u32::from(counted && answer.meant);
        }
    }
    Some(SenseModel { precision, recall, ..fit_all(&all, pool) })
}

/// Are there enough of each kind?
fn has_both(answers: &[&Answer]) -> bool {
    let of = |meant| answers.iter().filter(|answer| answer.meant == meant).count();
    of(true) >= OF_EACH && of(false) >= OF_EACH
}

/// The same of any answers, without an estimate.
pub(super) fn fit_all(answers: &[&Answer], pool: &[Traits]) -> SenseModel {
    let step = pool.len().div_ceil(POOL).max(1);
    let pool: Vec<&Traits> = pool.iter().step_by(step).collect();
    let fit = Fit::new(answers, &pool);
    fit.model(&fit.solve())
}

/// Examples over numbered features.
struct Fit {
    /// Feature, and how much it tells apart: the rarer the more.
    features: Vec<(u32, f64)>,
    /// The answers, and which side each is on.
    rows: Vec<Vec<(usize, f64)>>,
    sides: Vec<f64>,
    /// What an answer of either side weighs: the rarer side more.
    weights: [f64; 2],
    /// Products of the rows, by the strength that weights are held with.
    products: Vec<Vec<f64>>,
}

impl Fit {
    fn new(answers: &[&Answer], pool: &[&Traits]) -> Fit {
        let traits: Vec<&Traits> =
            answers.iter().map(|answer| &answer.traits).chain(pool.iter().copied()).collect();
        let mut numbers: Vec<u32> =
            traits.iter().copied().flatten().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        let count = traits.len() as f64 + 1.0;
        let features: Vec<(u32, f64)> = numbers
            .chunk_by(|a, b| a == b)
            .filter_map(|same| {
                let n = same.len() as f64;
                let rare = ((count + 1.0) / (n + 0.5)).ln() / (count + 1.0).ln();
                Some((*same.first()?, rare.clamp(0.1, 1.0).sqrt()))
            })
            .collect();
        let row = |traits: &Traits| -> Vec<(usize, f64)> {
            let value = |(number, value): &(u32, i32)| {
                let at = features.binary_search_by_key(number, |feature| feature.0).ok()?;
                Some((at, f64::from(*value) / ONE * features.get(at)?.1))
            };
            traits.iter().filter_map(value).collect()
        };
        let rows: Vec<Vec<(usize, f64)>> =
            answers.iter().map(|answer| row(&answer.traits)).collect();
        let sides = answers.iter().map(|answer| if answer.meant { 1.0 } else { -1.0 }).collect();
        let mut products = vec![vec![0.0; rows.len()]; rows.len()];
        let mut dense = vec![0.0; features.len()];
        for (a, row) in rows.iter().enumerate() {
            row.iter().for_each(|(at, value)| dense[*at] = *value);
            for (b, other) in rows.iter().enumerate().skip(a) {
                // One more for the bias.
                let product =
                    BIAS + other.iter().map(|(at, value)| dense[*at] * value).sum::<f64>();
                products[a][b] = product / HELD;
                products[b][a] = product / HELD;
            }
            row.iter().for_each(|(at, _)| dense[*at] = 0.0);
        }
        let weights = [-1.0, 1.0].map(|side: f64| {
            let of = answers.iter().filter(|answer| answer.meant == (side > 0.0)).count();
            answers.len() as f64 / (2 * of.max(1)) as f64
        });
        Fit { features, rows, sides, weights, products }
    }

    /// The coefficient of each row, with its sign: the dual of the regression, row by row (Yu, Huang & Lin
    /// 2011, §3).
    fn solve(&self) -> Vec<f64> {
        let mut alphas = vec![0.0; self.rows.len()];
        let mut scores = vec![0.0; self.rows.len()];
        for _ in 0..STEPS {
            for (at, side) in self.sides.iter().enumerate() {
                let own = self.products[at][at];
                let others = side * scores[at] - own * side * alphas[at];
                let weight = self.weights[usize::from(*side > 0.0)];
                let (mut low, mut high) = (0.0, weight);
                for _ in 0..HALVINGS {
                    let middle = (low + high) / 2.0;
                    if middle > weight / (1.0 + (others + own * middle).exp()) {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
                let change = side * (low + high) / 2.0 - alphas[at];
                alphas[at] += change;
                scores.iter_mut().zip(&self.products[at]).for_each(|(s, p)| *s += change * p);
            }
        }
        alphas
    }

    fn model(&self, alphas: &[f64]) -> SenseModel {
        let mut weights = vec![0.0; self.features.len()];
        let mut bias = 0.0;
        for (row, alpha) in self.rows.iter().zip(alphas) {
            bias += BIAS * alpha / HELD;
            row.iter().for_each(|(at, value)| weights[*at] += alpha * value / HELD);
        }
        let mut kept: Vec<(u32, i32)> = self
            .features
            .iter()
            .zip(&weights)
            .map(|((number, rare), weight)| (*number, (weight * rare * ONE).round() as i32))
            .filter(|(_, weight)| *weight != 0)
            .collect();
        kept.sort_unstable_by_key(|(number, weight)| (std::cmp::Reverse(weight.abs()), *number));
        kept.truncate(WEIGHTS);
        kept.sort_unstable();
        let bias = (bias * ONE * ONE).round() as i64;
        SenseModel { bias, weights: kept, ..SenseModel::default() }
    }
}
