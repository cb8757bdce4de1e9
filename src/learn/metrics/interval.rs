//! Bootstrap over pages: 95 % intervals of a figure, or of the difference of two systems on the
//! same pages (Efron & Tibshirani 1993, §13.3, percentile interval).
//!
//! Must not know: what is measured.

use rand::Rng;
use rand_pcg::Pcg64Mcg;

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Resamples `pages` page numbers with replacement `rounds` times; `figure` computes the figure of
/// a sample. Pairing two systems means that `figure` looks both up under the same number.
pub fn bootstrap(
    pages: usize,
    rounds: usize,
    seed: u64,
    figure: impl Fn(&[usize]) -> f64,
) -> Interval {
    stratified(&[pages], rounds, seed, |samples| figure(&samples[0]))
}

/// The same over several sets of pages of these `sizes`, each resampled within itself: for figures
/// that average over corpora.
pub fn stratified(
    sizes: &[usize],
    rounds: usize,
    seed: u64,
    figure: impl Fn(&[Vec<usize>]) -> f64,
) -> Interval {
    let mut samples: Vec<Vec<usize>> = sizes.iter().map(|&n| (0..n).collect()).collect();
    let value = figure(&samples);
    if rounds == 0 || sizes.iter().all(|&n| n == 0) {
        return Interval { value, low: value, high: value };
    }
    let mut rng = Pcg64Mcg::new(u128::from(seed) << 1 | 1);
    let mut figures: Vec<f64> = (0..rounds)
        .map(|_| {
            for (sample, &size) in samples.iter_mut().zip(sizes) {
                sample.iter_mut().for_each(|s| *s = rng.random_range(0..size));
            }
            figure(&samples)
        })
        .collect();
    figures.sort_by(f64::total_cmp);
    let at = |q: f64| figures[((rounds - 1) as f64 * q).round() as usize];
    Interval { value, low: at(0.025), high: at(0.975) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_holds_the_mean_and_is_repeatable() {
        let xs: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let mean = |s: &[usize]| s.iter().map(|i| xs[*i]).sum::<f64>() / s.len() as f64;
        let a = bootstrap(xs.len(), 1000, 7, mean);
        assert_eq!(a.value, 0.5);
        // standard error 0.025
        assert!(a.low > 0.43 && a.low < 0.47 && a.high > 0.53 && a.high < 0.57, "{a:?}");
        assert_eq!(a, bootstrap(xs.len(), 1000, 7, mean));
    }

    #[test]
    fn nothing_to_resample() {
        let none = bootstrap(0, 100, 1, |s| s.len() as f64);
        assert_eq!(none, Interval { value: 0.0, low: 0.0, high: 0.0 });
    }
}
