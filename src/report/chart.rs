//! Charts as SVG, drawn by hand: bars by day, and bars of shares.
//!
//! Must not know: brands and stores.

use std::fmt::Write;

use crate::model::escaped;
use crate::words::Language;

/// Width and height of a chart of days, in its own units.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 220.0;
/// Room for numbers on the left, and for days below.
const LEFT: f64 = 44.0;
const BELOW: f64 = 24.0;
const ABOVE: f64 = 12.0;
/// Days with a name below them, at most.
const NAMED: usize = 9;

/// One bar of a chart of days.
pub(super) struct Bar {
    /// What is said below it, if it is named, and first in its tip.
    pub name: String,
    pub value: i64,
    /// The part of the value that is drawn lighter, on top.
    pub light: i64,
    /// The value may still grow, or misses something.
    pub open: bool,
    /// What is said of it when it is pointed at.
    pub tip: String,
    /// Name of the place in the page that it leads to.
    pub to: Option<String>,
}

/// Bars side by side, with a scale.
pub(super) fn days(title: &str, bars: &[Bar], language: Language) -> String {
    let top = scale(bars.iter().map(|bar| bar.value).max().unwrap_or(0));
    let room = HEIGHT - BELOW - ABOVE;
    let y = |value: i64| ABOVE + room * (1.0 - value as f64 / top as f64);
    let step = (WIDTH - LEFT) / bars.len().max(1) as f64;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escaped(title)
    );
    for part in 0..=4 {
        if top * part % 4 != 0 {
            continue;
        }
        let value = top * part / 4;
        let at = y(value);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"scale\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            language.number(value)
        );
    }
    let every = bars.len().div_ceil(NAMED).max(1);
    for (n, bar) in bars.iter().enumerate() {
        let x = LEFT + step * n as f64;
        let width = (step * 0.8).max(0.5);
        let mut drawn = format!("<title>{}: {}</title>", escaped(&bar.name), escaped(&bar.tip));
        let mut part = |class: &str, from: i64, to: i64| {
            if to > from {
                let _ = write!(
                    drawn,
                    "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\"/>",
                    x + step * 0.1,
                    y(to),
                    y(from) - y(to)
                );
            }
        };
        let full = if bar.open { "full open" } else { "full" };
        part(full, 0, bar.value - bar.light);
        part("light", bar.value - bar.light, bar.value);
        match &bar.to {
            Some(to) if bar.value > 0 => {
                let _ = write!(svg, "<a href=\"#{to}\">{drawn}</a>");
            }
            _ => {
                let _ = write!(svg, "<g>{drawn}</g>");
            }
        }
        if n % every == 0 {
            let _ = write!(
                svg,
                "<text class=\"day\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + step / 2.0,
                HEIGHT - 6.0,
                escaped(&bar.name)
            );
        }
    }
    svg + "</svg>"
}

/// The top of a scale: a round number that is not smaller.
fn scale(most: i64) -> i64 {
    let mut round = 4;
    while round < most {
        // 4, 8, 20, 40, 80, 200, 400 …
        round = if round.to_string().starts_with('8') { round / 8 * 20 } else { round * 2 };
    }
    round
}

/// A bar of a share of the whole width.
pub(super) fn share(part: i64, whole: i64) -> String {
    let share = if whole > 0 { (part.max(0) as f64 / whole as f64).min(1.0) * 100.0 } else { 0.0 };
    format!(
        "<svg class=\"share\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"full\" width=\"{share:.1}\" height=\"10\"/></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_in_a_round_number() {
        for (most, top) in
            [(0, 4), (4, 4), (5, 8), (9, 20), (21, 40), (41, 80), (81, 200), (3_000, 4_000)]
        {
            assert_eq!(scale(most), top, "{most}");
        }
    }

    #[test]
    fn a_chart_has_a_bar_per_day_and_nothing_of_an_empty_one() {
        let bar = |value, light, to: Option<&str>| Bar {
            name: "2026-11-20".into(),
            value,
            light,
            open: false,
            tip: "<tip>".into(),
            to: to.map(str::to_owned),
        };
        let svg = days(
            "a \"chart\"",
            &[bar(4, 1, Some("d")), bar(0, 0, None), bar(2, 0, None)],
            Language::En,
        );
        assert_eq!(svg.matches("<rect").count(), 3);
        assert_eq!(svg.matches("<a href=\"#d\">").count(), 1);
        assert!(svg.contains("&lt;tip&gt;") && svg.contains("a &quot;chart&quot;"), "{svg}");
        assert!(days("none", &[], Language::En).ends_with("</svg>"));
    }
}
