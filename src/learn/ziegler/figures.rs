//! Fig. 3 (the swarm's curves) and Fig. 4 (each feature alone) of Ziegler & Skubacz 2007.
//!
//! Must not know: HTML, the model file.

use super::pso::{Bound, Documents, Generation};
use crate::learn::report::chart::{Chart, Series};
use crate::learn::report::figures::{Figure, field};

/// Fig. 3: best and mean fitness of each run by generation. `runs` are named by their setting.
pub fn swarm_curves(name: &str, title: &str, runs: &[(String, Vec<Generation>)]) -> Figure {
    let mut csv = String::from("setting,generation,best,mean,ever\n");
    let mut series = Vec::new();
    for (run, curve) in runs {
        for g in curve {
            csv.push_str(&format!(
                "{},{},{:.6},{:.6},{:.6}\n",
                field(run),
                g.number,
                g.best,
                g.mean,
                g.ever
            ));
        }
        let of = |value: fn(&Generation) -> f64| {
            curve.iter().map(|g| (g.number as f64, value(g))).collect()
        };
        series.push(Series { name: format!("{run}: best"), points: of(|g| g.best), dashed: false });
        series.push(Series { name: format!("{run}: mean"), points: of(|g| g.mean), dashed: true });
    }
    let chart =
        Chart { title: title.into(), x: "generation".into(), y: "mean sim^σ".into(), series };
    Figure { name: name.into(), csv, svg: chart.svg() }
}

/// Best score of each feature alone.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Alone {
    pub feature: String,
    pub threshold: f64,
    pub sim: f64,
    /// Thresholds of the grid whose score is within 0.005 of the best, lowest and highest: a wide range
    /// says that hardly more is asked than whether the feature occurs.
    pub range: (f64, f64),
}

/// Scores this near the best count as equal to it in [`Alone::range`].
const EQUAL: f64 = 0.005;

/// Points of Fig. 4's grid.
const GRID: usize = 60;

/// Fig. 4: mean sim^σ on `test` with one feature alone, over a grid of its values; with the
/// features ranked by their best point.
pub fn features_alone(
    name: &str,
    title: &str,
    features: &[&str],
    test: &Documents,
) -> (Figure, Vec<Alone>) {
    let mut csv = String::from("feature,bound,threshold,sim\n");
    let mut series = Vec::new();
    let mut best = Vec::new();
    for (j, feature) in features.iter().enumerate() {
        let grid = test.grid(j, GRID);
        let scores = test.alone(j, &grid);
        let bound = match test.bounds().get(j) {
            Some(Bound::AtMost) => "at most",
            _ => "at least",
        };
        for (t, s) in grid.iter().zip(&scores) {
            csv.push_str(&format!("{},{bound},{t:.6},{s:.6}\n", field(feature)));
        }
        let top = scores.iter().zip(&grid).max_by(|a, b| a.0.total_cmp(b.0));
        if let Some((sim, threshold)) = top {
            let near = scores.iter().zip(&grid).filter(|(s, _)| **s >= sim - EQUAL);
            let near = near.map(|(_, t)| *t);
            let range =
                near.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), t| (l.min(t), h.max(t)));
            let feature = feature.to_string();
            best.push(Alone { feature, threshold: *threshold, sim: *sim, range });
        }
        let step = 1.0 / scores.len().max(1) as f64;
        let points = scores.iter().enumerate().map(|(i, s)| (i as f64 * step, *s)).collect();
        series.push(Series { name: feature.to_string(), points, dashed: false });
    }
    best.sort_by(|a, b| b.sim.total_cmp(&a.sim));
    let chart = Chart {
        title: title.into(),
        x: "threshold (percentile of the feature's values)".into(),
        y: "mean sim^σ".into(),
        series,
    };
    (Figure { name: name.into(), csv, svg: chart.svg() }, best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::ziegler::pso::Document;

    #[test]
    fn curves_become_rows_and_lines() {
        let g = |number, best| Generation { number, best, mean: 0.1, ever: best };
        let f = swarm_curves("fig3", "Swarm", &[("n = 5, a".into(), vec![g(0, 0.2), g(1, 0.4)])]);
        assert_eq!(f.csv.lines().nth(2), Some("\"n = 5, a\",1,0.400000,0.100000,0.400000"));
        assert_eq!(f.svg.matches("<polyline").count(), 2);
    }

    #[test]
    fn the_separating_feature_ranks_first() {
        let blocks: Vec<(Vec<f64>, String)> = (0..8)
            .map(|i| (vec![f64::from(i % 3), f64::from(i)], format!("some text number{i} here")))
            .collect();
        let gold: Vec<&str> = blocks[4..].iter().map(|b| b.1.as_str()).collect();
        let gold = gold.join("\n");
        let bounds = vec![Bound::AtMost, Bound::AtLeast];
        let documents = Documents::new(bounds, vec![Document::new(&blocks, &[&gold])]);
        let (figure, best) = features_alone("alone", "Alone", &["noise", "order"], &documents);
        assert_eq!((best[0].feature.as_str(), best[0].threshold), ("order", 4.0));
        assert!((best[0].sim - 1.0).abs() < 1e-9);
        assert!(figure.csv.contains("order,at least,4.000000,1.000000"));
    }
}
