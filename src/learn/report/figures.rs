//! A figure in two forms, and lines of precision over any one quantity.
//!
//! Must not know: HTML, what is drawn.

use super::chart::{Chart, Series};

/// A figure in both forms.
#[derive(Clone, Debug)]
pub struct Figure {
    /// File name without extension.
    pub name: String,
    pub csv: String,
    pub svg: String,
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
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}
