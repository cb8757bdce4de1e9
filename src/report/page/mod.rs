//! A report as one HTML page: nothing is loaded, nothing is run, and it prints.
//!
//! Must not know: stores, arguments.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::model::{Day, escaped};
use crate::query::{Line, Report, What, instant, is_incomplete};
use crate::words::{self, Language, Said, said};

use super::chart::{self, Bar};
use super::index::Index;
use super::markup::{foreign, within};

/// Rows of the tables of outlets, languages and stories.
const ROWS: usize = 25;
/// Nothing but the styles in the page itself (Content Security Policy).
pub const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("page.css");

/// The page, whole.
pub fn page(report: &Report, language: Language) -> String {
    let index = Index::new(report, language);
    let days = |name| said(name).with("from", day(report.from)).with("to", day(report.to));
    let title = language.say(&days("report.title").with("brand", &report.brand));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        escaped(&title)
    );
    for part in [
        head(report, language),
        by_day(report, &index, language),
        voices(report, language),
        outlets(report, &index, language),
        stories(report, &index, language),
        languages(report, &index, language),
        coverage(report, language),
        left_out(report, language),
    ] {
        out += &part;
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "<section class=\"list\" id=\"articles\"><h2>{}</h2><p>{}</p>{}</section>",
        language.t("report.articles"),
        language
            .say(&said("report.articles.about").with("command", "<code>crawler show KEY</code>")),
        index.list()
    );
    out + "</main>\n</body>\n</html>\n"
}

fn day(day: Day) -> String {
    day.to_string()
}

/// A share, as a part of the page.
fn percent(share: Option<f64>) -> String {
    escaped(&words::percent(share))
}

fn sum(report: &Report, of: impl Fn(&Line) -> i64) -> i64 {
    report.days.iter().map(of).sum()
}

fn head(report: &Report, language: Language) -> String {
    let figure = |value: i64, said: Said| {
        let what = language.say(&said.with("n", value));
        format!("<li><b>{}</b> {what}</li>", language.number(value))
    };
    let to =
        |n: i64, place: &str, name: &str| within(place, language.say(&said(name).with("n", n)));
    let (stories, articles) = (sum(report, |l| l.stories), sum(report, |l| l.articles));
    let (copies, counted) = (sum(report, |l| l.copies), sum(report, |l| l.mentions));
    let suppressed = sum(report, |l| l.suppressed);
    let since = report.watched_since.map_or_else(String::new, |at| {
        format!(" {}", language.say(&said("report.since").with("at", instant(at))))
    });
    let about = said("report.about.days")
        .with("from", day(report.from))
        .with("to", day(report.to))
        .with("zone", escaped(&report.timezone))
        .with("made", instant(report.made))
        .with("version", env!("CARGO_PKG_VERSION"));
    let list = said("report.figure.articles").with("list", to(articles, "articles", "report.list"));
    let copied =
        said("report.figure.copies").with("copies", to(copies, "articles", "report.copies"));
    let off = said("report.figure.off").with("off", to(suppressed, "left-out", "report.off"));
    let plain =
        |n: i64, place: &str, name: &str| said("report.figure").with("what", to(n, place, name));
    format!(
        "<header><h1>{}</h1><p>{}{since}</p><ul class=\"figures\">{}{}{}{}{}</ul></header>",
        foreign(&report.brand),
        language.say(&about),
        figure(stories, plain(stories, "stories", "report.n.stories")),
        figure(articles, list),
        figure(copies, copied),
        figure(counted, plain(counted, "articles", "report.n.mentions")),
        figure(suppressed, off),
    )
}

fn by_day(report: &Report, index: &Index<'_>, language: Language) -> String {
    let lines: BTreeMap<&str, &Line> =
        report.days.iter().map(|line| (line.bucket.as_str(), line)).collect();
    let bars: Vec<Bar> = report
        .coverage
        .iter()
        .map(|day| {
            let name = day.day.to_string();
            let line = lines.get(name.as_str());
            let of = |part: fn(&Line) -> i64| line.map_or(0, |line| part(line));
            let incomplete = is_incomplete(day.coverage);
            let counts = said("report.tip")
                .with("articles", of(|l| l.articles))
                .with("copies", of(|l| l.copies))
                .with("mentions", of(|l| l.mentions));
            let mut tip = language.say(&counts);
            if day.provisional {
                let _ = write!(tip, "; {}", language.t("provisional"));
            }
            for note in report.notes.iter().filter(|note| note.day == day.day) {
                let _ = write!(tip, "; {}", note.text);
            }
            if incomplete {
                let polls = said("report.tip.polls").with("share", words::percent(day.coverage));
                let _ = write!(tip, "; {}", language.say(&polls));
            }
            Bar {
                value: of(|l| l.articles),
                light: of(|l| l.copies),
                open: day.provisional || incomplete,
                to: index.place(day.day),
                name,
                tip,
            }
        })
        .collect();
    let title = language.t("report.days");
    let mut out = format!(
        "<section><h2>{title}</h2>{}<p class=\"legend\"><i class=\"full\"></i> {} \
         <i class=\"light\"></i> {} <i class=\"open\"></i> {}</p>",
        chart::days(&title, &bars, language),
        language.t("report.key.full"),
        language.t("report.key.light"),
        language.t("report.key.open"),
    );
    // Several of a day are told once.
    let mut changes: Vec<String> = Vec::new();
    for change in &report.changes {
        let what = match change.what {
            What::Model => said("report.change.model"),
            What::Brands => said("report.change.brands"),
        };
        let what = language.say(&what.with("day", day(change.day)));
        if !changes.contains(&what) {
            changes.push(what);
        }
    }
    for what in changes {
        let _ = write!(out, "<p class=\"legend\">{what}</p>");
    }
    for note in &report.notes {
        let _ = write!(out, "<p class=\"legend\">{}: {}</p>", note.day, foreign(&note.text));
    }
    out + "</section>"
}

/// A table whose last column holds numbers of articles; `headings` are names of sentences.
fn table(language: Language, headings: &[&str], rows: &[Vec<String>], more: usize) -> String {
    let mut out = String::from("<div class=\"table\"><table><thead><tr>");
    for heading in headings {
        // A header cell that says nothing is none.
        out += &match *heading {
            "" => "<td></td>".to_owned(),
            heading => format!("<th scope=\"col\">{}</th>", language.t(heading)),
        };
    }
    out += "</tr></thead><tbody>";
    for row in rows {
        out += "<tr>";
        for cell in row {
            // Days and shares, too, are of one piece.
            let bare = cell.trim_start_matches("&lt;").trim_start_matches("&gt;");
            let number = bare.chars().all(|c| c.is_ascii_digit() || "-–% .,".contains(c));
            let class = if number { " class=\"number\"" } else { "" };
            let _ = write!(out, "<td{class}>{cell}</td>");
        }
        out += "</tr>";
    }
    out += "</tbody></table></div>";
    if more > 0 {
        let more = language.say(&said("report.more").with("n", more));
        let _ = write!(out, "<p class=\"legend\">{more}</p>");
    }
    out
}

fn voices(report: &Report, language: Language) -> String {
    let all: i64 = report.voices.iter().map(|voice| voice.articles).sum();
    let own = report.voices.iter().position(|voice| voice.brand == report.brand);
    // A report on a brand has its row, however many others have more articles.
    let own = own.filter(|at| *at >= ROWS).map(|at| &report.voices[at]);
    let first = report.voices.iter().take(ROWS - usize::from(own.is_some()));
    let rows: Vec<Vec<String>> = first
        .chain(own)
        .map(|voice| {
            let share = (all > 0).then(|| voice.articles as f64 / all as f64);
            let own = voice.brand == report.brand;
            let name =
                if own { within("articles", foreign(&voice.brand)) } else { foreign(&voice.brand) };
            vec![
                name,
                chart::share(voice.articles, all),
                percent(share),
                language.number(voice.articles),
                language.number(voice.stories),
                language.number(voice.mentions),
            ]
        })
        .collect();
    let command = format!(
        "<code>crawler articles --brand BRAND --from {} --to {}</code>",
        report.from, report.to
    );
    format!(
        "<section><h2>{}</h2><p>{}</p>{}</section>",
        language.t("report.voices"),
        language.say(&said("report.voices.about").with("command", command)),
        table(
            language,
            &["brand", "", "report.share", "articles", "stories", "mentions"],
            &rows,
            report.voices.len().saturating_sub(ROWS)
        )
    )
}

fn outlets(report: &Report, index: &Index<'_>, language: Language) -> String {
    let mut lines: Vec<&Line> = report.outlets.iter().filter(|line| line.articles > 0).collect();
    lines.sort_by(|a, b| b.articles.cmp(&a.articles).then(a.bucket.cmp(&b.bucket)));
    let most = lines.first().map_or(0, |line| line.articles);
    let rows: Vec<Vec<String>> = lines
        .iter()
        .take(ROWS)
        .map(|line| {
            vec![
                foreign(&line.bucket),
                chart::share(line.articles, most),
                language.number(line.articles),
                language.number(line.copies),
                language.number(line.mentions),
                index.of_outlet(&line.bucket),
            ]
        })
        .collect();
    format!(
        "<section><h2>{}</h2>{}</section>",
        language.t("outlets.title"),
        table(
            language,
            &["outlet", "", "articles", "copies", "mentions", "report.which"],
            &rows,
            lines.len().saturating_sub(ROWS)
        )
    )
}

fn stories(report: &Report, index: &Index<'_>, language: Language) -> String {
    let rows: Vec<Vec<String>> = report
        .stories
        .iter()
        .take(ROWS)
        .map(|story| {
            let series = match story.series {
                true => format!(" ({})", language.t("report.series")),
                false => String::new(),
            };
            vec![
                format!("{}{series}", foreign(&story.title)),
                foreign(&story.outlet),
                story.day.to_string(),
                language.number(story.articles),
                language.number(story.outlets),
                index.of_story(story.id),
            ]
        })
        .collect();
    format!(
        "<section id=\"stories\"><h2>{}</h2><p>{}</p>{}</section>",
        language.t("stories.title"),
        language.t("report.stories.about"),
        table(
            language,
            &["story", "report.first", "report.on", "articles", "outlets", "report.which"],
            &rows,
            report.stories.len().saturating_sub(ROWS)
        )
    )
}

fn languages(report: &Report, index: &Index<'_>, language: Language) -> String {
    let lines: Vec<&Line> = report.languages.iter().filter(|line| line.articles > 0).collect();
    let rows: Vec<Vec<String>> = lines
        .iter()
        .take(ROWS)
        .map(|line| {
            vec![
                foreign(&language.word("bucket", &line.bucket)),
                language.number(line.articles),
                language.number(line.mentions),
                index.of_language(&line.bucket),
            ]
        })
        .collect();
    format!(
        "<section><h2>{}</h2>{}</section>",
        language.t("report.languages"),
        table(
            language,
            &["language", "articles", "mentions", "report.which"],
            &rows,
            lines.len().saturating_sub(ROWS)
        )
    )
}

fn coverage(report: &Report, language: Language) -> String {
    let mut entries = 0;
    let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
    for day in &report.coverage {
        entries += day.entries;
        for (name, count) in &day.outcomes {
            *outcomes.entry(name).or_default() += count;
        }
    }
    // The latest are those that may still change.
    let days: Vec<Vec<String>> = report
        .coverage
        .iter()
        .rev()
        .filter(|day| day.provisional || day.coverage.is_none() || is_incomplete(day.coverage))
        .map(|day| {
            let why = match (day.coverage, day.provisional) {
                (None, _) => language.t("report.day.unpolled"),
                (Some(_), true) => language.t("report.day.provisional"),
                (Some(_), false) => language.t("report.day.incomplete"),
            };
            vec![day.day.to_string(), percent(day.coverage), why]
        })
        .collect();
    let outcomes: Vec<Vec<String>> = outcomes
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| vec![escaped(&language.word("outcome", name)), language.number(count)])
        .collect();
    let about = said("report.polls")
        .with("done", report.polled.succeeded)
        .with("of", report.polled.due)
        .with("share", percent(report.polled.share()))
        .with("n", entries);
    let mut out = format!(
        "<section><h2>{}</h2><p>{}</p>{}",
        language.t("report.coverage"),
        language.say(&about),
        table(language, &["report.outcome", "entries"], &outcomes, 0)
    );
    if !days.is_empty() {
        let _ = write!(
            out,
            "<p>{}</p>{}",
            language.t("report.open.days"),
            table(
                language,
                &["day", "report.answered", ""],
                &days[..days.len().min(ROWS)],
                days.len().saturating_sub(ROWS)
            )
        );
    }
    out + "</section>"
}

fn left_out(report: &Report, language: Language) -> String {
    let rows: Vec<Vec<String>> = report
        .suppressed
        .iter()
        .map(|(zone, count)| {
            let is = zone_is(zone).map_or_else(String::new, |name| language.t(name));
            vec![escaped(&language.word("zone", zone)), language.number(count), is]
        })
        .collect();
    let only = report.articles.iter().filter(|a| !a.mentions.contains_key(&report.brand)).count();
    let only = match only {
        0 => language.t("report.only.none"),
        n => language.say(&said("report.only").with("n", n)),
    };
    format!(
        "<section id=\"left-out\"><h2>{}</h2><p>{} {only}</p>{}</section>",
        language.t("report.left.out"),
        language.t("report.left.out.about"),
        table(language, &["report.zone", "mentions", "report.zone.is"], &rows, 0)
    )
}

/// The name of the sentence that says what a zone is.
fn zone_is(zone: &str) -> Option<&'static str> {
    Some(match zone {
        "caption" => "report.is.caption",
        "credit" => "report.is.credit",
        "comment" => "report.is.comment",
        "clutter" => "report.is.clutter",
        "repeated" => "report.is.repeated",
        "other-sense" => "report.is.other-sense",
        "unseen" => "report.is.unseen",
        "stuffed" => "report.is.stuffed",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
