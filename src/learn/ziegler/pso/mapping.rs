//! Monotone maps of features to [0, 1] and back to thresholds in the features' own units.
//!
//! Must not know: what the features mean.

use serde::{Deserialize, Serialize};

/// On which side of its threshold a feature must lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    AtLeast,
    AtMost,
}

impl Bound {
    /// The threshold that every value passes.
    pub fn open(&self) -> f64 {
        match self {
            Bound::AtLeast => f64::NEG_INFINITY,
            Bound::AtMost => f64::INFINITY,
        }
    }
}

/// How a feature is brought to [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mapping {
    /// Percentile rank on the training blocks, so that a position is a quantile: the share of
    /// blocks with at most this value for lower bounds, with a smaller value for upper bounds. A
    /// value that most blocks share (no list tag at all) then passes wherever it can.
    #[default]
    Rank,
    /// x / (1 + x); +∞ becomes 1.
    Ratio,
}

impl Mapping {
    /// The name in model cards.
    pub fn name(self) -> &'static str {
        match self {
            Mapping::Rank => "rank",
            Mapping::Ratio => "ratio",
        }
    }
}

/// Steps of the mapping as a model keeps it.
const QUANTILES: usize = 20;

/// Distinct training values of one feature, ascending, with their mapped values.
pub(super) struct Scale {
    values: Vec<f64>,
    mapped: Vec<f64>,
}

impl Scale {
    /// From all training values of a feature (in any order, NaN read as 0).
    pub(super) fn new(mapping: Mapping, bound: Bound, mut all: Vec<f64>) -> Scale {
        all.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = 0.0);
        all.sort_unstable_by(f64::total_cmp);
        let mut values = Vec::new();
        let mut mapped = Vec::new();
        for (i, &v) in all.iter().enumerate() {
            if values.last() == Some(&v) {
                continue;
            }
            values.push(v);
            mapped.push(match mapping {
                Mapping::Rank if bound == Bound::AtMost => i as f64 / all.len() as f64,
                Mapping::Rank => all.partition_point(|x| *x <= v) as f64 / all.len() as f64,
                Mapping::Ratio if v.is_infinite() => 1.0,
                Mapping::Ratio => v.max(0.0) / (1.0 + v.max(0.0)),
            });
        }
        Scale { values, mapped }
    }

    /// The mapped value of a training value.
    pub(super) fn map(&self, value: f64) -> f64 {
        let value = if value.is_nan() { 0.0 } else { value };
        let at = self.values.partition_point(|v| *v < value);
        self.mapped.get(at).copied().unwrap_or(1.0)
    }

    /// The threshold that decides every training value as `position` does: −∞ and +∞ stand for
    /// bounds beyond all values.
    pub(super) fn natural(&self, bound: Bound, position: f64) -> f64 {
        match bound {
            Bound::AtLeast => {
                let at = self.mapped.partition_point(|m| *m < position);
                match self.values.get(at) {
                    Some(_) if at == 0 => f64::NEG_INFINITY,
                    Some(v) => *v,
                    // Not even an infinite value passes: nothing is ≥ this.
                    None => f64::NAN,
                }
            }
            Bound::AtMost => {
                let at = self.mapped.partition_point(|m| *m <= position);
                match at.checked_sub(1).and_then(|i| self.values.get(i)) {
                    Some(_) if at == self.values.len() => f64::INFINITY,
                    Some(v) => *v,
                    None => f64::NEG_INFINITY,
                }
            }
        }
    }

    /// Values at equal steps of the mapped scale, both ends included.
    pub(super) fn quantiles(&self) -> Vec<f32> {
        let at = |step: usize| {
            let position = step as f64 / QUANTILES as f64;
            let at = self.mapped.partition_point(|m| *m <= position).saturating_sub(1);
            self.values.get(at).map(|v| *v as f32)
        };
        (0..=QUANTILES).filter_map(at).collect()
    }

    /// At most `points` training values spread evenly over the ranks: the grid of Fig. 4.
    pub(super) fn grid(&self, points: usize) -> Vec<f64> {
        let n = self.values.len();
        let mut at: Vec<usize> = (0..points.min(n)).map(|i| i * n / points.min(n)).collect();
        at.dedup();
        at.into_iter().map(|i| self.values[i]).collect()
    }
}

/// Does `value` satisfy the bound? Thresholds that are no number keep nothing.
pub fn passes(bound: Bound, value: f64, threshold: f64) -> bool {
    match bound {
        Bound::AtLeast => value >= threshold,
        Bound::AtMost => value <= threshold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_thresholds_decide_like_positions() {
        let all = vec![3.0, 0.0, 0.0, 1.5, f64::INFINITY, 7.0, 7.0];
        for mapping in [Mapping::Rank, Mapping::Ratio] {
            for bound in [Bound::AtLeast, Bound::AtMost] {
                let scale = Scale::new(mapping, bound, all.clone());
                for step in -3..14 {
                    let position = f64::from(step) / 10.0;
                    let threshold = scale.natural(bound, position);
                    for &v in &all {
                        let by_position = passes(bound, scale.map(v), position);
                        assert_eq!(
                            passes(bound, v, threshold),
                            by_position,
                            "{mapping:?} {bound:?} {v} at {position}: {threshold}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn grid_is_ascending_and_bounded() {
        let scale = Scale::new(Mapping::Rank, Bound::AtLeast, (0..100).map(f64::from).collect());
        let grid = scale.grid(10);
        assert_eq!(grid.len(), 10);
        assert!(grid.windows(2).all(|w| w[0] < w[1]));
        assert!(Scale::new(Mapping::Rank, Bound::AtMost, Vec::new()).grid(10).is_empty());
    }
}
