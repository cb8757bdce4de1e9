//! Tables for people: aligned and with bars on a terminal, plain text in a pipe.

use std::io::IsTerminal;

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::plain::one_line;
use crate::learn::Progress;
use crate::model::{DAY, HOUR, MINUTE, Millis};
pub(super) use crate::report::percent;

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
        let number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            && text.chars().all(|c| c.is_ascii_digit() || "-.%~ ".contains(c))
            && text.matches('-').count() <= 1;
        let cell = Cell::new(one_line(&text));
        if number { cell.set_alignment(CellAlignment::Right) } else { cell }
    }));
}

/// Prints a table without trailing blanks.
pub(super) fn show(table: &Table) {
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

/// `2026-11-20 15:04` in UTC, or a dash.
pub(super) fn instant(at: Option<Millis>) -> String {
    at.and_then(|at| jiff::Timestamp::from_millisecond(at).ok())
        .map_or_else(|| "–".into(), |t| t.strftime("%Y-%m-%d %H:%M").to_string())
}

/// `3 d`, `2 h`, `5 min`, `12 s`.
pub(super) fn length(ms: Millis) -> String {
    match ms {
        ms if ms >= 2 * DAY => format!("{} d", ms / DAY),
        ms if ms >= 2 * HOUR => format!("{} h", ms / HOUR),
        ms if ms >= 2 * MINUTE => format!("{} min", ms / MINUTE),
        ms => format!("{} s", ms / 1000),
    }
}

/// `1.2 MB`.
pub(super) fn bytes(n: u64) -> String {
    match n {
        n if n >= 1 << 30 => format!("{:.1} GB", n as f64 / (1u64 << 30) as f64),
        n if n >= 1 << 20 => format!("{:.1} MB", n as f64 / (1u64 << 20) as f64),
        n if n >= 1 << 10 => format!("{:.1} KB", n as f64 / 1024.0),
        n => format!("{n} B"),
    }
}

/// `1 brand`, `2 brands`, `0 entries`.
pub(super) fn many(n: u64, what: &str) -> String {
    let stem = what.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (n, stem) {
        (1, _) => format!("1 {what}"),
        (n, Some(stem)) => format!("{n} {stem}ies"),
        (n, None) => format!("{n} {what}s"),
    }
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

    #[test]
    fn one_is_not_many() {
        for (n, what, said) in [
            (1, "error", "1 error"),
            (0, "error", "0 errors"),
            (1, "new entry", "1 new entry"),
            (2, "new entry", "2 new entries"),
            (0, "copy", "0 copies"),
            (3, "pace key", "3 pace keys"),
        ] {
            assert_eq!(many(n, what), said);
        }
    }
}
