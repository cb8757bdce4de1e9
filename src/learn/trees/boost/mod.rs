//! Gradient-boosted decision trees for a yes/no question: logistic loss, second-order gains
//! (Chen & Guestrin 2016, §2), histograms of at most 255 bins and leaf-wise growth with the
//! subtraction of siblings (Ke et al. 2017, §2), rows and columns sampled per tree, early stopping
//! on held-out groups.
//!
//! All sums run in row order whatever the number of threads: same data and seed, same trees.
//! Must not know: HTML, what the features mean.

mod bins;
mod grow;

use rand::Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::extract::label::trees::{Ensemble, Node, Tree, sigmoid};
use crate::learn::split::rng;
pub use bins::Binned;

/// How the ensemble grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// At most so many trees.
    pub trees: usize,
    /// Leaves per tree.
    pub leaves: usize,
    pub learning_rate: f64,
    /// L2 penalty on leaf values.
    pub lambda: f64,
    /// Least sum of second derivatives in a leaf (with row weights of mean 1).
    pub least_leaf: f64,
    /// Share of rows and of features each tree sees.
    pub rows: f64,
    pub columns: f64,
    /// Stop when so many trees in a row did not lower the held-out loss; 0: never.
    pub patience: usize,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            trees: 300,
            leaves: 31,
            learning_rate: 0.08,
            lambda: 5.0,
            least_leaf: 5.0,
            rows: 0.7,
            columns: 0.5,
            patience: 30,
            seed: 1,
        }
    }
}

/// What is learned: per row the answer and its weight, and whether it is held out for stopping.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    pub answers: &'a [bool],
    pub weights: &'a [f32],
    pub held_out: &'a [bool],
}

/// Progress after each tree: its number, training loss, held-out loss.
pub type OnTree<'a> = &'a (dyn Fn(usize, f64, f64) + Sync);

/// Grows the ensemble. Rows of `data`, `target` agree in order.
pub fn train(
    data: &Binned,
    target: Target<'_>,
    settings: &Settings,
    on_tree: OnTree<'_>,
) -> Ensemble {
    let rows = data.rows();
    let training: Vec<u32> = (0..rows as u32).filter(|&r| !target.held_out[r as usize]).collect();
    let total: f64 = training.iter().map(|&r| f64::from(target.weights[r as usize])).sum();
    let scale = if total > 0.0 { training.len() as f64 / total } else { 1.0 };
    let positive: f64 = training
        .iter()
        .filter(|&&r| target.answers[r as usize])
        .map(|&r| f64::from(target.weights[r as usize]))
        .sum();
    let share = if total > 0.0 { (positive / total).clamp(1e-4, 1.0 - 1e-4) } else { 0.5 };
    let mut ensemble = Ensemble { prior: (share / (1.0 - share)).ln() as f32, trees: Vec::new() };
    let mut scores = vec![ensemble.prior; rows];
    let mut gradients = vec![(0.0_f32, 0.0_f32); rows];
    let mut rng = rng(settings.seed);
    let mut best = (f64::INFINITY, 0);
    for number in 1..=settings.trees {
        let mut sample: Vec<u32> = Vec::with_capacity(training.len());
        for &r in &training {
            if settings.rows >= 1.0 || rng.random::<f64>() < settings.rows {
                let i = r as usize;
                let p = sigmoid(scores[i]);
                let w = target.weights[i] * scale as f32;
                let y = f32::from(u8::from(target.answers[i]));
                gradients[i] = (w * (p - y), w * (p * (1.0 - p)).max(1e-6));
                sample.push(r);
            }
        }
        let mut columns: Vec<usize> = (0..data.columns()).collect();
        columns.shuffle(&mut rng);
        let keep = (data.columns() as f64 * settings.columns).ceil() as usize;
        columns.truncate(keep.max(1));
        columns.sort_unstable();
        let tree = grow::tree(data, &gradients, sample, &columns, settings);
        data.add(&tree, &mut scores);
        ensemble.trees.push(tree);
        let train_loss = loss(&scores, target, false);
        let held_loss = loss(&scores, target, true);
        on_tree(number, train_loss, held_loss);
        if held_loss < best.0 - 1e-7 {
            best = (held_loss, number);
        }
        if settings.patience > 0 && held_loss.is_finite() && number >= best.1 + settings.patience {
            break;
        }
    }
    if settings.patience > 0 && best.1 > 0 {
        ensemble.trees.truncate(best.1);
    }
    ensemble
}

/// Weighted mean logistic loss of the training or the held-out rows; +∞ without any.
fn loss(scores: &[f32], target: Target<'_>, held_out: bool) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (i, &score) in scores.iter().enumerate() {
        if target.held_out[i] == held_out {
            let margin = f64::from(if target.answers[i] { score } else { -score });
            let w = f64::from(target.weights[i]);
            sum += w * (-margin).exp().ln_1p();
            total += w;
        }
    }
    if total > 0.0 { sum / total } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answer: x0 > 0.5 xor x1 > 0.5, with a third feature of noise.
    fn xor(rows: usize) -> (Vec<f32>, Vec<bool>) {
        let mut rng = rng(9);
        let mut data = Vec::new();
        let mut answers = Vec::new();
        for _ in 0..rows {
            let x: [f32; 3] = std::array::from_fn(|_| rng.random());
            answers.push((x[0] > 0.5) != (x[1] > 0.5));
            data.extend(x);
        }
        (data, answers)
    }

    fn fit(threads: usize) -> (Ensemble, f64) {
        let (data, answers) = xor(3000);
        let held_out: Vec<bool> = (0..3000).map(|i| i % 5 == 0).collect();
        let weights = vec![0.3; 3000];
        let target = Target { answers: &answers, weights: &weights, held_out: &held_out };
        let settings = Settings { trees: 60, leaves: 8, columns: 1.0, ..Settings::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let binned = Binned::new(&data, 3);
        let ensemble = pool
            .expect("a thread pool")
            .install(|| train(&binned, target, &settings, &|_, _, _| {}));
        let (fresh, truth) = xor(3500);
        let right = (3000..3500)
            .filter(|&i| (ensemble.log_odds(&fresh[i * 3..i * 3 + 3]) > 0.0) == truth[i])
            .count();
        (ensemble, right as f64 / 500.0)
    }

    #[test]
    fn learns_an_interaction_and_repeats_itself() {
        let (one, accuracy) = fit(1);
        assert!(accuracy > 0.97, "{accuracy}");
        assert_eq!(one, fit(3).0);
    }

    #[test]
    fn odd_data_does_no_harm() {
        let data = [f32::NAN, f32::INFINITY, 0.0, f32::NEG_INFINITY, 1.0, 1.0];
        let binned = Binned::new(&data, 2);
        let target = Target { answers: &[true; 3], weights: &[1.0; 3], held_out: &[false; 3] };
        let e =
            train(&binned, target, &Settings { trees: 3, ..Settings::default() }, &|_, _, _| {});
        assert!(e.log_odds(&[f32::NAN, 0.0]).is_finite());
        let none = Binned::new(&[], 2);
        let target = Target { answers: &[], weights: &[], held_out: &[] };
        train(&none, target, &Settings { trees: 2, ..Settings::default() }, &|_, _, _| {});
    }
}
