//! Tables for people: aligned and with bars on a terminal, plain text in a pipe.

use std::io::IsTerminal;

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::plain::one_line;
use crate::learn::Progress;
use crate::model::{DAY, HOUR, MINUTE, Millis, SECOND};
use crate::query;
pub(super) use crate::words::{many, number, percent};

/// A table with these headings; numbers are right-aligned by [`row`].
pub(super) fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    if std::io::stdout().is_terminal() {
        table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.load_preset(presets::NOTHING);
    }
    table.set_header(headings.iter().map(|h| Cell::new(*h)));
    table
}

/// Appends a row; cells that look like numbers are right-aligned.
pub(super) fn row(table: &mut Table, cells: Vec<String>) {
    table.add_row(cells.into_iter().map(|text| {
        let number = text.starts_with(|c: char| c.is_ascii_digit() || "-<>".contains(c))
            && text.chars().all(|c| c.is_ascii_digit() || "-.%~<> ".contains(c))
            && text.matches('-').count() <= 1;
        let cell = Cell::new(one_line(&text));
        if number { cell.set_alignment(CellAlignment::Right) } else { cell }
    }));
}

/// Longest text that is not wrapped, and the least that a wrapped one has.
const SHORT: usize = 14;

/// Does a bar consist of such?
fn is_bar(c: char) -> bool {
    ('█'..='▏').contains(&c)
}

/// Keeps keys, days, numbers, bars and short words on one line: where the terminal is narrow, only columns of text
/// are wrapped.
fn keep_whole(table: &mut Table) {
    let sign = |c: char| c.is_ascii_hexdigit() || "-:.%~ ".contains(c) || is_bar(c);
    let whole = |text: &str| text.chars().count() <= SHORT || text.chars().all(sign);
    for column in 0..table.column_count() {
        let mut cells = table.column_cells_iter(column).flatten();
        let constraint = match cells.all(|cell| whole(&cell.content())) {
            true => ColumnConstraint::ContentWidth,
            false => ColumnConstraint::LowerBoundary(Width::Fixed(SHORT as u16)),
        };
        if let Some(column) = table.column_mut(column) {
            column.set_constraint(constraint);
        }
    }
}

/// Where the terminal is too narrow even so: bars, which say nothing that the numbers do not, are left out, and
/// columns stand closer.
fn fit(table: &mut Table) {
    let Some(width) = table.width().map(usize::from) else { return };
    // Of each column, the least that it needs with a blank on either side and one to the next, and whether it has
    // bars. Behind the last one there is no next.
    let width = width + 1;
    let mut columns: Vec<(usize, bool)> = Vec::new();
    for (index, most) in table.column_max_content_widths().into_iter().map(usize::from).enumerate()
    {
        let constraint = table.column(index).and_then(|column| column.constraint());
        let whole = matches!(constraint, Some(ColumnConstraint::ContentWidth));
        let cells = table.column_cells_iter(index).flatten().map(|cell| cell.content());
        let text: String = cells.collect();
        let bars = !text.is_empty() && text.chars().all(is_bar);
        columns.push((3 + if whole { most } else { most.min(SHORT) }, bars));
    }
    if columns.iter().map(|(least, _)| least).sum::<usize>() <= width {
        return;
    }
    let bare: usize = columns.iter().filter(|(_, bars)| !bars).map(|(least, _)| least).sum();
    for (column, (_, bars)) in table.column_iter_mut().zip(columns) {
        if bars {
            column.set_constraint(ColumnConstraint::Hidden);
        }
        if bare > width {
            column.set_padding((0, 0));
        }
    }
}

/// Prints a table without trailing blanks.
pub(super) fn show(mut table: Table) {
    keep_whole(&mut table);
    fit(&mut table);
    for line in table.to_string().lines() {
        println!("{}", line.trim_end());
    }
}

/// One JSON document on standard output.
pub(super) fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    println!("{}", pretty(value)?);
    Ok(())
}

/// A JSON document for people: one line a value. By way of the document in one line, so that no type is compiled
/// for a second writer.
pub(super) fn pretty<T: Serialize>(value: &T) -> anyhow::Result<String> {
    let read: serde_json::Value = serde_json::from_slice(&serde_json::to_vec(value)?)?;
    Ok(serde_json::to_string_pretty(&read)?)
}

/// The name of a label, source, format and their like: the same as in JSON.
pub(super) fn word<T: Serialize>(value: &T) -> String {
    let name = serde_json::to_value(value).ok();
    name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

/// A bar of up to `width` cells, eighths included.
pub(super) fn bar(value: i64, max: i64, width: usize) -> String {
    if max <= 0 || value <= 0 {
        return String::new();
    }
    let eighths = (value as f64 / max as f64 * width as f64 * 8.0).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    bar.push_str(["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]);
    if bar.is_empty() { "▏".into() } else { bar }
}

/// `2026-11-20 15:04 UTC`, or a dash.
pub(super) fn instant(at: Option<Millis>) -> String {
    at.map_or_else(|| "–".into(), query::instant)
}

/// `12 s`, `5 min`, `3.5 h`, `16 h`, `2.1 d`: rounded as the dashboard rounds (`lapse` in dom.js).
pub(super) fn length(ms: Millis) -> String {
    let of = |unit: Millis| ms as f64 / unit as f64;
    let short = |n: f64| match n {
        n if n < 10.0 => ((n * 10.0).round() / 10.0).to_string(),
        n => n.round().to_string(),
    };
    match ms {
        ms if ms >= 2 * DAY => format!("{} d", short(of(DAY))),
        ms if ms >= 2 * HOUR => format!("{} h", short(of(HOUR))),
        ms if ms >= MINUTE => format!("{} min", of(MINUTE).round()),
        _ => format!("{} s", of(SECOND).round()),
    }
}

/// `611 KiB`, `1.5 MiB`: as the dashboard says it (`bytes` in dom.js).
pub(super) fn bytes(n: u64) -> String {
    let mut n = n as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        match n < 1024.0 {
            true if n < 10.0 && unit != "B" => return format!("{n:.1} {unit}"),
            true => return format!("{n:.0} {unit}"),
            false => n /= 1024.0,
        }
    }
    format!("{n:.1} TiB")
}

/// At most `max` characters, with an ellipsis.
pub(super) fn clip(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_string();
    }
    let mut short: String = text.chars().take(max.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// A bar for long work; drawn on standard error, and only on a terminal.
pub(super) fn progress() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{elapsed_precise} {bar:30} {pos}/{len} {msg}")
    {
        bar.set_style(style);
    }
    bar
}

/// Moves a bar to a step of the learning.
pub(super) fn advance(bar: &ProgressBar, step: &Progress) {
    bar.set_length(step.of as u64);
    bar.set_position(step.done as u64);
    let figure = step.figure.map_or_else(String::new, |f| format!(" {f:.4}"));
    bar.set_message(format!("{}{figure}", step.step));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_json() {
        use crate::model::{FeedFormat, Precision, Source, Zone, ZoneSource};
        assert_eq!(word(&Source::JsonLd), "json-ld");
        assert_eq!(word(&FeedFormat::NewsSitemap), "news-sitemap");
        assert_eq!(word(&Zone::Credit), "credit");
        assert_eq!(
            (word(&Precision::Day), word(&ZoneSource::Assumed)),
            ("day".into(), "assumed".into())
        );
    }

    /// The dashboard named the zone and the command line did not, and KiB were "KB" here.
    #[test]
    fn instants_and_sizes_are_those_of_the_dashboard() {
        assert_eq!(instant(Some(1_795_183_530_000)), "2026-11-20 14:05 UTC");
        assert_eq!([instant(None), instant(Some(Millis::MAX))], ["–", "–"]);
        for (n, said) in [
            (1_023, "1023 B"),
            (1_024, "1.0 KiB"),
            (112_384, "110 KiB"),
            (3 << 19, "1.5 MiB"),
            (54_200_000_000, "50 GiB"),
            (7 << 40, "7.0 TiB"),
        ] {
            assert_eq!(bytes(n), said);
        }
    }

    /// The command line cut where the dashboard rounded: 15 h against 16 h.
    #[test]
    fn lengths_are_rounded() {
        for (ms, said) in [
            (12_400, "12 s"),
            (5 * MINUTE + 31 * SECOND, "6 min"),
            (3 * HOUR + 30 * MINUTE, "3.5 h"),
            (15 * HOUR + 40 * MINUTE, "16 h"),
            (2 * DAY, "2 d"),
            (50 * HOUR, "2.1 d"),
            (400 * DAY, "400 d"),
        ] {
            assert_eq!(length(ms), said);
        }
    }

    /// Every row was broken in two.
    #[test]
    fn a_table_of_numbers_fits_a_narrow_terminal() {
        let check = |width: u16, bars: bool| {
            let mut narrow = Table::new();
            narrow.load_preset(presets::UTF8_HORIZONTAL_ONLY);
            narrow.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
            let headings =
                "brand,week of,stories,articles,copies,mentions,suppressed,coverage,marks,";
            narrow.set_header(headings.split(','));
            for (day, bar) in [("2026-11-09", bar(9, 9, 20)), ("2026-11-16", bar(3, 9, 20))] {
                let cells = ["Halvorsen", day, "19", "26", "7", "48", "103", "~99 %", "ir", &bar];
                row(&mut narrow, cells.map(Into::into).to_vec());
            }
            keep_whole(&mut narrow);
            fit(&mut narrow);
            let drawn = narrow.to_string();
            assert!(drawn.lines().all(|line| line.chars().count() <= width.into()), "{drawn}");
            let lines: Vec<&str> = drawn.lines().filter(|line| line.contains("2026")).collect();
            assert!(lines.len() == 2 && lines.iter().all(|line| line.contains(" 103 ")), "{drawn}");
            assert_eq!(drawn.contains('█'), bars, "{drawn}");
        };
        check(80, false);
        check(100, false);
        check(120, true);
    }

    /// A key that stands on two lines cannot be copied.
    #[test]
    fn keys_and_days_stay_whole_in_a_narrow_table() {
        let mut narrow = Table::new();
        narrow.set_content_arrangement(ContentArrangement::Dynamic).set_width(80);
        narrow.set_header(["key", "day", "outlet", "title"]);
        let key = "0123456789abcdef0123456789abcdef";
        let title = "A title that is much too long for a narrow terminal, and so wraps";
        row(&mut narrow, [key, "2026-11-20", "hafenkurier.test", title].map(Into::into).to_vec());
        keep_whole(&mut narrow);
        let drawn = narrow.to_string();
        assert!(drawn.contains(key) && drawn.contains("2026-11-20"), "{drawn}");
        assert!(drawn.lines().all(|line| line.chars().count() <= 80), "{drawn}");
    }
}
