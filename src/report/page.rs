//! A report as one HTML page: nothing is loaded, nothing is run, and it prints.
//!
//! Must not know: stores, arguments.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::query::{COMPLETE, Line, Report, What, instant};

use super::chart::{self, Bar};
use super::index::Index;
use super::markup::{foreign, text, within};
use super::percent;

/// Rows of the tables of outlets, languages and stories.
const ROWS: usize = 25;
/// Nothing but the styles in the page itself (Content Security Policy).
pub const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE: &str = include_str!("page.css");

/// The page, whole.
pub fn page(report: &Report) -> String {
    let index = Index::new(report);
    let title = format!("{} in the press, {} to {}", report.brand, report.from, report.to);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
        text(&title)
    );
    for part in [
        head(report),
        by_day(report, &index),
        voices(report),
        outlets(report, &index),
        stories(report, &index),
        languages(report, &index),
        coverage(report),
        left_out(report),
    ] {
        out += &part;
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "<section class=\"list\" id=\"articles\"><h2>Articles</h2><p>Each with its counts, outlet and key (<code>crawler \
         show KEY</code>). Those in grey name the brand only where it is not counted.</p>{}</section>",
        index.list()
    );
    out + "</main>\n</body>\n</html>\n"
}

fn sum(report: &Report, of: impl Fn(&Line) -> i64) -> i64 {
    report.days.iter().map(of).sum()
}

fn head(report: &Report) -> String {
    let figure = |value: i64, what: &str| format!("<li><b>{value}</b> {what}</li>");
    let (stories, articles) = (sum(report, |l| l.stories), sum(report, |l| l.articles));
    let (copies, counted) = (sum(report, |l| l.copies), sum(report, |l| l.mentions));
    let suppressed = sum(report, |l| l.suppressed);
    let since = report
        .watched_since
        .map_or_else(String::new, |at| format!(" Watched since {}.", instant(at)));
    format!(
        "<header><h1>{}</h1><p>{} to {}, days of {}. Made {} by crawler {}.{since}</p>\
         <ul class=\"figures\">{}{}{}{}{}</ul></header>",
        foreign(&report.brand),
        report.from,
        report.to,
        text(&report.timezone),
        instant(report.made),
        env!("CARGO_PKG_VERSION"),
        figure(stories, &within("stories", "stories")),
        figure(articles, &format!("articles ({})", within("articles", "list"))),
        figure(copies, &format!("of them {}", within("articles", "copies"))),
        figure(counted, &within("articles", "mentions")),
        figure(suppressed, &format!("mentions {}", within("left-out", "not counted"))),
    )
}

fn by_day(report: &Report, index: &Index<'_>) -> String {
    let lines: BTreeMap<&str, &Line> =
        report.days.iter().map(|line| (line.bucket.as_str(), line)).collect();
    let bars: Vec<Bar> = report
        .coverage
        .iter()
        .map(|day| {
            let name = day.day.to_string();
            let line = lines.get(name.as_str());
            let of = |part: fn(&Line) -> i64| line.map_or(0, |line| part(line));
            let incomplete = day.coverage.is_some_and(|share| share < COMPLETE);
            let mut tip = format!(
                "{} articles, {} of them copies, {} mentions",
                of(|l| l.articles),
                of(|l| l.copies),
                of(|l| l.mentions)
            );
            if day.provisional {
                tip += "; provisional";
            }
            for note in report.notes.iter().filter(|note| note.day == day.day) {
                let _ = write!(tip, "; {}", note.text);
            }
            if incomplete {
                let _ = write!(tip, "; {} of the polls", percent(day.coverage));
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
    let mut out = format!(
        "<section><h2>Articles by day</h2>{}<p class=\"legend\"><i class=\"full\"></i> originals \
         <i class=\"light\"></i> copies <i class=\"open\"></i> the day is provisional or incomplete. \
         A bar leads to its articles.</p>",
        chart::days("Articles by day", &bars)
    );
    for change in &report.changes {
        let what = match change.what {
            What::Model => "another model reads pages",
            What::Brands => "another brand list is counted",
        };
        let _ = write!(out, "<p class=\"legend\">From {} on {what}.</p>", change.day);
    }
    for note in &report.notes {
        let _ = write!(out, "<p class=\"legend\">{}: {}</p>", note.day, foreign(&note.text));
    }
    out + "</section>"
}

/// A table whose last column holds numbers of articles.
fn table(headings: &[&str], rows: &[Vec<String>], more: usize) -> String {
    let mut out = String::from("<table><thead><tr>");
    for heading in headings {
        // A header cell that says nothing is none.
        out += &match *heading {
            "" => "<td></td>".to_owned(),
            heading => format!("<th scope=\"col\">{heading}</th>"),
        };
    }
    out += "</tr></thead><tbody>";
    for row in rows {
        out += "<tr>";
        for cell in row {
            let number = cell.chars().all(|c| c.is_ascii_digit());
            let class = if number { " class=\"number\"" } else { "" };
            let _ = write!(out, "<td{class}>{cell}</td>");
        }
        out += "</tr>";
    }
    out += "</tbody></table>";
    if more > 0 {
        let _ = write!(out, "<p class=\"legend\">and {more} more</p>");
    }
    out
}

fn voices(report: &Report) -> String {
    let all: i64 = report.voices.iter().map(|voice| voice.articles).sum();
    let rows: Vec<Vec<String>> = report
        .voices
        .iter()
        .take(ROWS)
        .map(|voice| {
            let share = (all > 0).then(|| voice.articles as f64 / all as f64);
            let own = voice.brand == report.brand;
            let name =
                if own { within("articles", foreign(&voice.brand)) } else { foreign(&voice.brand) };
            vec![
                name,
                chart::share(voice.articles, all),
                percent(share),
                voice.articles.to_string(),
                voice.stories.to_string(),
                voice.mentions.to_string(),
            ]
        })
        .collect();
    format!(
        "<section><h2>Share of voice</h2><p>Of the articles that count a watched brand; one that counts two \
         is there twice. <code>crawler articles --brand BRAND --from {} --to {}</code> lists those of \
         another brand.</p>{}</section>",
        report.from,
        report.to,
        table(
            &["brand", "", "share", "articles", "stories", "mentions"],
            &rows,
            report.voices.len().saturating_sub(ROWS)
        )
    )
}

fn outlets(report: &Report, index: &Index<'_>) -> String {
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
                line.articles.to_string(),
                line.copies.to_string(),
                line.mentions.to_string(),
                index.of_outlet(&line.bucket),
            ]
        })
        .collect();
    format!(
        "<section><h2>Outlets</h2>{}</section>",
        table(
            &["outlet", "", "articles", "copies", "mentions", "which"],
            &rows,
            lines.len().saturating_sub(ROWS)
        )
    )
}

fn stories(report: &Report, index: &Index<'_>) -> String {
    let rows: Vec<Vec<String>> = report
        .stories
        .iter()
        .take(ROWS)
        .map(|story| {
            let series = if story.series { " (series)" } else { "" };
            vec![
                format!("{}{series}", foreign(&story.title)),
                foreign(&story.outlet),
                story.day.to_string(),
                story.articles.to_string(),
                story.outlets.to_string(),
                index.of_story(story.id),
            ]
        })
        .collect();
    format!(
        "<section id=\"stories\"><h2>Stories</h2><p>An original and its copies, those of most articles first. The last column has \
         those of its articles that count the brand in these days.</p>{}</section>",
        table(
            &["story", "first at", "on", "articles", "outlets", "which"],
            &rows,
            report.stories.len().saturating_sub(ROWS)
        )
    )
}

fn languages(report: &Report, index: &Index<'_>) -> String {
    let lines: Vec<&Line> = report.languages.iter().filter(|line| line.articles > 0).collect();
    let rows: Vec<Vec<String>> = lines
        .iter()
        .take(ROWS)
        .map(|line| {
            vec![
                foreign(&line.bucket),
                line.articles.to_string(),
                line.mentions.to_string(),
                index.of_language(&line.bucket),
            ]
        })
        .collect();
    format!(
        "<section><h2>Languages</h2>{}</section>",
        table(
            &["language", "articles", "mentions", "which"],
            &rows,
            lines.len().saturating_sub(ROWS)
        )
    )
}

fn coverage(report: &Report) -> String {
    let (mut due, mut succeeded, mut entries) = (0, 0, 0);
    let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
    for day in &report.coverage {
        due += day.polls_due;
        succeeded += day.polls_succeeded;
        entries += day.entries;
        for (name, count) in &day.outcomes {
            *outcomes.entry(name).or_default() += count;
        }
    }
    let share = (due > 0).then(|| succeeded as f64 / due as f64);
    let days: Vec<Vec<String>> = report
        .coverage
        .iter()
        .filter(|day| day.provisional || day.coverage.is_none_or(|share| share < COMPLETE))
        .map(|day| {
            let why = match (day.coverage, day.provisional) {
                (None, _) => "no polls were due",
                (Some(_), true) => "provisional: more may come",
                (Some(_), false) => "incomplete",
            };
            vec![day.day.to_string(), percent(day.coverage), why.to_owned()]
        })
        .collect();
    let outcomes: Vec<Vec<String>> = outcomes
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| vec![text(name), count.to_string()])
        .collect();
    let mut out = format!(
        "<section><h2>Coverage</h2><p>{succeeded} of {due} polls of feeds were answered ({}), on which {} \
         were seen for the first time. What became of them:</p>{}",
        percent(share),
        if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") },
        table(&["outcome", "entries"], &outcomes, 0)
    );
    if !days.is_empty() {
        let _ = write!(
            out,
            "<p>Days that are not complete:</p>{}",
            table(
                &["day", "polls answered", ""],
                &days[..days.len().min(ROWS)],
                days.len().saturating_sub(ROWS)
            )
        );
    }
    out + "</section>"
}

fn left_out(report: &Report) -> String {
    let rows: Vec<Vec<String>> = report
        .suppressed
        .iter()
        .map(|(zone, count)| vec![text(zone), count.to_string(), zone_is(zone).to_owned()])
        .collect();
    let only = report.articles.iter().filter(|a| !a.mentions.contains_key(&report.brand)).count();
    let said = match only {
        0 => "No article names the brand only there.".to_owned(),
        n => format!(
            "{} the brand only there; they are grey in the list.",
            match n {
                1 => "1 article names".to_owned(),
                n => format!("{n} articles name"),
            }
        ),
    };
    format!(
        "<section id=\"left-out\"><h2>What was not counted</h2><p>Mentions outside title, lead and body. \
         {said}</p>{}</section>",
        table(&["zone", "mentions", "what it is"], &rows, 0)
    )
}

fn zone_is(zone: &str) -> &'static str {
    match zone {
        "caption" => "below a picture",
        "credit" => "agency, source, photographer",
        "comment" => "readers' comments",
        "clutter" => "teasers, menus, banners and the like",
        "repeated" => "prose that the outlet prints in many of its stories",
        "other-sense" => "the name means something else, by the answers given",
        "stuffed" => "more often than an article of its length names one brand",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::{Note, UrlKey};
    use crate::query::{ArticleLine, DayCoverage, StoryLine, Voice};

    /// A report in which every text that others write is this one.
    fn written_by(stranger: &str) -> Report {
        let day = jiff::civil::date(2026, 11, 20);
        let name = || stranger.to_owned();
        let line = Line {
            brand: name(),
            bucket: day.to_string(),
            articles: 1,
            stories: 1,
            mentions: 2,
            suppressed: 3,
            ..Line::default()
        };
        let source = Line { bucket: name(), ..line.clone() };
        let article = ArticleLine {
            key: UrlKey(7),
            day,
            outlet: name(),
            language: Some(name()),
            title: name(),
            url: name(),
            story: Some(UrlKey(7)),
            copies: 0,
            original: true,
            characters: 9,
            mentions: BTreeMap::from([(name(), 2)]),
            suppressed: BTreeMap::from([(name(), 3)]),
            stuffed: vec![name()],
            sighting: Default::default(),
        };
        let story = StoryLine {
            id: UrlKey(7),
            day,
            title: name(),
            outlet: name(),
            articles: 1,
            outlets: 1,
            span: 0,
            series: false,
            pattern: false,
            brands: vec![name()],
            excerpts: 0,
        };
        let coverage = DayCoverage {
            day,
            coverage: Some(0.5),
            outcomes: BTreeMap::from([(name(), 1)]),
            ..DayCoverage::default()
        };
        let note = Note { id: name(), day, brand: None, text: name(), made: 0, by: name() };
        Report {
            brand: name(),
            from: day,
            to: day,
            timezone: name(),
            brand_set: name(),
            made: 0,
            watched_since: None,
            days: vec![line],
            voices: vec![Voice { brand: name(), stories: 1, articles: 1, mentions: 2 }],
            outlets: vec![source.clone()],
            languages: vec![source],
            stories: vec![story],
            articles: vec![article],
            suppressed: BTreeMap::from([(name(), 3)]),
            coverage: vec![coverage],
            changes: Vec::new(),
            notes: vec![note],
        }
    }

    /// The names of all tags of a page.
    fn tags(page: &str) -> Vec<&str> {
        let name = |tag: &'_ str| -> usize {
            tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '/' && c != '!').unwrap_or(0)
        };
        page.split('<').skip(1).map(|tag| &tag[..name(tag)]).collect()
    }

    #[test]
    fn what_strangers_write_adds_no_tag_and_no_attribute() {
        let harmless = page(&written_by("a"));
        for text in [
            "<script>alert(1)</script>",
            "\"><img src=x onerror=alert(1)>",
            "' onmouseover='alert(1)",
            "</style></title></svg><script>",
            "javascript:alert(1)",
            "<!--",
            "]]>&lt;",
            "https://a.test/\"onclick=\"x",
        ] {
            let hostile = page(&written_by(text));
            let mut tags_of = tags(&hostile);
            // The one difference: an address of the web is a link.
            if text.starts_with("https:") {
                tags_of.retain(|tag| !["a", "/a"].contains(tag));
                let mut plain = tags(&harmless);
                plain.retain(|tag| !["a", "/a"].contains(tag));
                assert_eq!(tags_of, plain, "{text}");
            } else {
                assert_eq!(tags_of, tags(&harmless), "{text}");
            }
            assert_eq!(
                hostile.matches("=\"").count() - hostile.matches("rel=\"").count() * 2,
                harmless.matches("=\"").count(),
                "{text}"
            );
        }
    }
}
