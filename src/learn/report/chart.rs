//! Line charts as SVG, written by hand: axes with round ticks, labels, a legend.
//!
//! Must not know: what is drawn.

use std::fmt::Write;

use crate::model::escaped;

/// Pixels of the whole image and of its margins.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 56.0;
/// Line colours that stay apart for colour-blind readers (Okabe & Ito 2008).
const COLOURS: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"];

/// One line of a chart.
#[derive(Clone, Debug, Default)]
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub dashed: bool,
}

/// A line chart.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    pub x: String,
    pub y: String,
    pub series: Vec<Series>,
}

impl Chart {
    /// The chart as an SVG document; points that are not finite are left out.
    pub fn svg(&self) -> String {
        let points = || {
            let all = self.series.iter().flat_map(|s| &s.points);
            all.filter(|(x, y)| x.is_finite() && y.is_finite())
        };
        let (x_ticks, x_low, x_high) = ticks(points().map(|p| p.0));
        let (y_ticks, y_low, y_high) = ticks(points().map(|p| p.1));
        let px = |x: f64| LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
        let py =
            |y: f64| HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);
        let mut out = String::new();
        let mut line = |text: String| {
            out.push_str(&text);
            out.push('\n');
        };
        line(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">"
        ));
        line(format!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>"));
        line(label(WIDTH / 2.0, 20.0, "middle", "font-size=\"14\"", &self.title));
        line(label((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0, "middle", "", &self.x));
        let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
        let turned = format!("transform=\"rotate(-90 16 {middle})\"");
        line(label(16.0, middle, "middle", &turned, &self.y));
        for t in &x_ticks {
            let x = px(*t);
            line(stroke((x, TOP), (x, HEIGHT - BOTTOM)));
            line(label(x, HEIGHT - BOTTOM + 18.0, "middle", "", &number(*t)));
        }
        for t in &y_ticks {
            let y = py(*t);
            line(stroke((LEFT, y), (WIDTH - RIGHT, y)));
            line(label(LEFT - 6.0, y + 4.0, "end", "", &number(*t)));
        }
        for (i, s) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let dash = if s.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            let mut path = String::new();
            for (x, y) in s.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite()) {
                // Writing to a string cannot fail.
                let _ = write!(path, "{:.1},{:.1} ", px(*x), py(*y));
            }
            line(format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"{dash}/>",
                path.trim_end()
            ));
            let y = TOP + 12.0 + 16.0 * i as f64;
            line(format!(
                "<line x1=\"{}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" \
                 stroke-width=\"2\"{dash}/>",
                WIDTH - RIGHT - 180.0,
                WIDTH - RIGHT - 156.0
            ));
            line(label(WIDTH - RIGHT - 150.0, y + 4.0, "start", "", &s.name));
        }
        line("</svg>".into());
        out
    }
}

fn stroke(from: (f64, f64), to: (f64, f64)) -> String {
    format!(
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>",
        from.0, from.1, to.0, to.1
    )
}

fn label(x: f64, y: f64, anchor: &str, more: &str, text: &str) -> String {
    let text = escaped(text);
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {more}>{text}</text>")
}

fn number(x: f64) -> String {
    let short = format!("{x:.3}");
    let short = short.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".into() } else { short.into() }
}

/// Round tick values that enclose the data, with the axis ends.
fn ticks(values: impl Iterator<Item = f64>) -> (Vec<f64>, f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
    let span = if high - low > 1e-12 { high - low } else { 1.0 };
    let rough = span / 6.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough);
    let step = step.unwrap_or(span);
    let first = (low / step).floor();
    let last = (high / step).ceil().max(first + 1.0);
    let count = (last - first).min(20.0) as usize;
    let ticks: Vec<f64> = (0..=count).map(|i| (first + i as f64) * step).collect();
    (ticks, first * step, (first + count as f64) * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_enclose() {
        let check = |values: &[f64], expect: &[f64]| {
            let (got, low, high) = ticks(values.iter().copied());
            let same = got.len() == expect.len()
                && got.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(same, "{values:?}: {got:?}");
            assert!(values.iter().all(|v| low <= *v + 1e-9 && *v <= high + 1e-9));
        };
        check(&[0.0, 100.0], &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        check(&[0.5], &[0.4, 0.6]);
        check(&[], &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    }

    #[test]
    fn text_is_escaped_and_bad_points_left_out() {
        let series =
            Series { name: "a<b".into(), points: vec![(0.0, f64::NAN), (1.0, 2.0)], dashed: true };
        let svg = Chart { series: vec![series], ..Chart::default() }.svg();
        assert!(svg.contains("a&lt;b") && !svg.contains("NaN") && svg.ends_with("</svg>\n"));
    }
}
