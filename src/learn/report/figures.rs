//! Figures as CSV and SVG: Fig. 3 (the swarm's curves) and Fig. 4 (each feature alone) of Ziegler &
//! Skubacz 2007, and lines of precision over any one quantity.
//!
//! Must not know: HTML, the model file.

use super::chart::{Chart, Series};
use crate::learn::pso::{Bound, Documents, Generation};

/// A figure in both forms.
#[derive(Clone, Debug)]
pub struct Figure {
    /// File name without extension.
    pub name: String,
    pub csv: String,
    pub svg: String,
}

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
}

/// Points of Fig. 4's grid.
const GRID: usize = 60;

/// Fig. 4: mean sim^σ on `test` with one feature alone, over a grid of its values; with the
/// features ranked by their best point.
pub fn features_alone(names: &[&str], test: &Documents) -> (Figure, Vec<Alone>) {
    let mut csv = String::from("feature,bound,threshold,sim\n");
    let mut series = Vec::new();
    let mut best = Vec::new();
    for (j, name) in names.iter().enumerate() {
        let grid = test.grid(j, GRID);
        let scores = test.alone(j, &grid);
        let bound = match test.bounds().get(j) {
            Some(Bound::AtMost) => "at most",
            _ => "at least",
        };
        for (t, s) in grid.iter().zip(&scores) {
            csv.push_str(&format!("{},{bound},{t:.6},{s:.6}\n", field(name)));
        }
        let top = scores.iter().zip(&grid).max_by(|a, b| a.0.total_cmp(b.0));
        if let Some((sim, threshold)) = top {
            best.push(Alone { feature: name.to_string(), threshold: *threshold, sim: *sim });
        }
        let step = 1.0 / scores.len().max(1) as f64;
        let points = scores.iter().enumerate().map(|(i, s)| (i as f64 * step, *s)).collect();
        series.push(Series { name: name.to_string(), points, dashed: false });
    }
    best.sort_by(|a, b| b.sim.total_cmp(&a.sim));
    let chart = Chart {
        title: "Each feature alone".into(),
        x: "threshold (percentile of the feature's values)".into(),
        y: "mean sim^σ".into(),
        series,
    };
    (Figure { name: "features-alone".into(), csv, svg: chart.svg() }, best)
}

/// One line of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub dashed: bool,
}

impl Curve {
    /// A line without points.
    pub fn new(name: &str) -> Curve {
        Curve { name: name.into(), ..Curve::default() }
    }

    /// A baseline without points.
    pub fn dashed(name: &str) -> Curve {
        Curve { dashed: true, ..Curve::new(name) }
    }

    /// Where the line is highest, in the middle of such places; 0 without points.
    pub fn best(&self) -> f64 {
        let top = self.points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
        let at: Vec<f64> = self.points.iter().filter(|p| p.1 > top - 1e-12).map(|p| p.0).collect();
        at.get(at.len() / 2).copied().unwrap_or(0.0)
    }
}

/// Lines of precision over one quantity.
pub fn curves(name: &str, title: &str, x: &str, lines: &[Curve]) -> Figure {
    let mut csv = String::from("line,x,precision\n");
    for line in lines {
        for (x, y) in &line.points {
            csv.push_str(&format!("{},{x},{y:.6}\n", field(&line.name)));
        }
    }
    let series = lines
        .iter()
        .map(|l| Series { name: l.name.clone(), points: l.points.clone(), dashed: l.dashed })
        .collect();
    let chart = Chart { title: title.into(), x: x.into(), y: "precision".into(), series };
    Figure { name: name.into(), csv, svg: chart.svg() }
}

/// A CSV field, quoted where it must be.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::pso::Document;

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
        let (figure, best) = features_alone(&["noise", "order"], &documents);
        assert_eq!((best[0].feature.as_str(), best[0].threshold), ("order", 4.0));
        assert!((best[0].sim - 1.0).abs() < 1e-9);
        assert!(figure.csv.contains("order,at least,4.000000,1.000000"));
    }
}
