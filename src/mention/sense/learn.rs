//! From answers to a model: logistic regression with a strong prior (Bishop 2006, §4.5), and mentions
//! that nobody was asked about, which teach it once it is sure of them (Yarowsky 1995, §4).
//!
//! Must not know: where features come from.

use std::collections::{BTreeMap, BTreeSet};

use super::traits::numbers;
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

/// How far weights are held at what was expected.
const HELD: f64 = 0.25;
/// Times that unasked mentions teach, the share of them that does, and what they weigh beside answers.
const ROUNDS: usize = 3;
const SURE: f64 = 0.6;
const UNASKED: f64 = 0.7;
/// Steps of a fit.
const STEPS: usize = 80;
const FOLDS: usize = 5;

/// Words by which texts about companies and goods are known, and how much each is expected to say.
const COMPANY: &[&str] = &[
    "company",
    "companies",
    "shares",
    "share",
    "stock",
    "customers",
    "customer",
    "brand",
    "brands",
    "sales",
    "sell",
    "selling",
    "sold",
    "product",
    "products",
    "market",
    "markets",
    "launch",
    "launched",
    "launches",
    "retailer",
    "store",
    "stores",
    "business",
    "consumer",
    "consumers",
    "billion",
    "revenue",
    "profit",
    "chief",
    "executive",
    "employees",
    "workers",
    "maker",
    "giant",
    "rival",
    "rivals",
    "competitors",
    "services",
    "service",
    "online",
    "technology",
    "tech",
    "investors",
    "analysts",
    "quarter",
    "startup",
    "firm",
    "corp",
    "industry",
    "price",
    "prices",
    "users",
    "devices",
    "software",
    "announced",
    "acquisition",
    "unternehmen",
    "konzern",
    "aktie",
    "kunden",
    "umsatz",
    "entreprise",
    "ventes",
    "empresa",
    "ventas",
];
const EXPECTED: f64 = 0.5;

/// The model that these answers teach; `pool`: mentions of the brand that nobody was asked about. `None`:
/// there are too few answers, or hardly any of one kind.
pub fn learn(answers: &[Answer], pool: &[Traits]) -> Option<SenseModel> {
    let of_each = [true, false].map(|meant| answers.iter().filter(|a| a.meant == meant).count());
    if answers.len() < FEWEST || of_each.into_iter().any(|count| count < OF_EACH) {
        return None;
    }
    let all: Vec<&Answer> = answers.iter().collect();
    let (mut precision, mut recall) = (Share::default(), Share::default());
    let outlets: BTreeSet<&str> = answers.iter().map(|answer| answer.outlet.as_str()).collect();
    let fold: BTreeMap<&str, usize> = outlets.into_iter().zip((0..FOLDS).cycle()).collect();
    let of = |answer: &Answer| fold.get(answer.outlet.as_str()).copied().unwrap_or_default();
    for held in 0..FOLDS {
        let taught: Vec<&Answer> = answers.iter().filter(|answer| of(answer) != held).collect();
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

/// The same of any answers, without an estimate.
pub(super) fn fit_all(answers: &[&Answer], pool: &[Traits]) -> SenseModel {
    let step = pool.len().div_ceil(POOL).max(1);
    let pool: Vec<&Traits> = pool.iter().step_by(step).collect();
    let pool = pool.as_slice();
    let mut model = Fit::new(answers, pool).model(&[]);
    if answers.is_empty() {
        return model;
    }
    for _ in 0..ROUNDS {
        let mut scored: Vec<(i64, usize)> =
            pool.iter().map(|traits| score(&model, traits)).zip(0..).collect();
        scored.sort_unstable_by_key(|(score, at)| (std::cmp::Reverse(score.abs()), *at));
        let sure = (pool.len() as f64 * SURE) as usize;
        let weight = UNASKED * answers.len() as f64 / sure.max(1) as f64;
        let sure: Vec<(usize, bool, f64)> = scored
            .into_iter()
            .take(sure)
            .map(|(score, at)| (at, score > 0, weight.min(0.5)))
            .collect();
        model = Fit::new(answers, pool).model(&sure);
    }
    model
}

/// Examples over numbered features.
struct Fit<'a> {
    answers: &'a [&'a Answer],
    pool: &'a [&'a Traits],
    /// Feature, how much it tells apart, what is expected of it.
    features: Vec<(u32, f64, f64)>,
}

impl<'a> Fit<'a> {
    fn new(answers: &'a [&'a Answer], pool: &'a [&'a Traits]) -> Fit<'a> {
        let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
        let traits = answers.iter().map(|answer| &answer.traits).chain(pool.iter().copied());
        let mut count = 1.0;
        for (number, _) in traits.inspect(|_| count += 1.0).flatten() {
            *seen.entry(*number).or_default() += 1;
        }
        let company = numbers(COMPANY);
        let features = seen.into_iter().map(|(number, n)| {
            let rare = ((count + 1.0) / (f64::from(n) + 0.5)).ln() / (count + 1.0_f64).ln();
            let expected = if company.contains(&number) { EXPECTED } else { 0.0 };
            (number, rare.clamp(0.1, 1.0).sqrt(), expected)
        });
        Fit { answers, pool, features: features.collect() }
    }

    fn row(&self, traits: &Traits) -> Vec<(usize, f64)> {
        let at = |number| self.features.binary_search_by_key(&number, |feature| feature.0).ok();
        let value = |(number, value): &(u32, i32)| {
            let place = at(*number)?;
            Some((place, f64::from(*value) / ONE * self.features.get(place)?.1))
        };
        traits.iter().filter_map(value).collect()
    }

    /// AdaGrad over all examples at once (Duchi et al. 2011), from the expected weights.
    fn model(&self, sure: &[(usize, bool, f64)]) -> SenseModel {
        let mut rows: Vec<(Vec<(usize, f64)>, f64, f64)> = Vec::new();
        for answer in self.answers {
            rows.push((self.row(&answer.traits), if answer.meant { 1.0 } else { -1.0 }, 1.0));
        }
        for (at, meant, weight) in sure {
            if let Some(traits) = self.pool.get(*at) {
                rows.push((self.row(traits), if *meant { 1.0 } else { -1.0 }, *weight));
            }
        }
        let expected: Vec<f64> = self.features.iter().map(|feature| feature.2).collect();
        let mut weights = expected.clone();
        let mut bias = 0.0;
        let mut squares = vec![1e-6_f64; weights.len()];
        let mut bias_squares = 1e-6_f64;
        for _ in 0..if rows.is_empty() { 0 } else { STEPS } {
            let mut slope: Vec<f64> = weights
                .iter()
                .zip(&expected)
                .map(|(weight, held)| HELD * (weight - held))
                .collect();
            let mut bias_slope = 0.05 * bias;
            for (row, side, weight) in &rows {
                let sum: f64 =
                    bias + row.iter().map(|(at, value)| weights[*at] * value).sum::<f64>();
                let pull = -side * weight / (1.0 + (side * sum).exp());
                row.iter().for_each(|(at, value)| slope[*at] += pull * value);
                bias_slope += pull;
            }
            for ((weight, slope), square) in weights.iter_mut().zip(&slope).zip(&mut squares) {
                *square += slope * slope;
                *weight -= 0.3 * slope / square.sqrt();
            }
            bias_squares += bias_slope * bias_slope;
            bias -= 0.3 * bias_slope / bias_squares.sqrt();
        }
        let mut kept: Vec<(u32, i32)> = self
            .features
            .iter()
            .zip(&weights)
            .map(|((number, rare, _), weight)| (*number, (weight * rare * ONE).round() as i32))
            .filter(|(_, weight)| *weight != 0)
            .collect();
        kept.sort_unstable_by_key(|(number, weight)| (std::cmp::Reverse(weight.abs()), *number));
        kept.truncate(WEIGHTS);
        kept.sort_unstable();
        let bias = (bias * ONE * ONE).round() as i64;
        SenseModel { bias, weights: kept, ..SenseModel::default() }
    }
}
