//! Evaluation results as a table for people and as CSV, one row a page.
//!
//! Must not know: how pages were extracted.

use std::collections::BTreeMap;

use anyhow::Result;

use super::compare::{Comparison, Group, Row, Verdict};
use crate::learn::metrics::overlap::Pooled;
use crate::learn::metrics::stated::{Share, StatedSummary};
use crate::learn::metrics::summary::{FIGURES, Means, PageScore, Summary, summarise};
use crate::learn::report::chart::{Chart, Series};

/// No page should take longer than this, in CPU seconds.
const SLOW: f64 = 0.2;

/// Markdown table of several systems or corpora, one row each.
pub fn summaries<'a>(rows: impl IntoIterator<Item = (&'a str, &'a Summary)>) -> String {
    let mut out = String::from(
        "| | pages | sim^σ | P | R | F1 | exact | word F1 | ROUGE-LSum | mention P | mention R | \
         mention F1 | empty | pages/CPU-s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (name, s) in rows {
        let speed = if s.cpu_seconds > 0.0 {
            format!("{:.0}", s.pages as f64 / s.cpu_seconds)
        } else {
            "–".into()
        };
        out.push_str(&format!(
            "| {name} | {} | {} | {} | {} | {speed} |\n",
            s.text_pages,
            figures(&s.means),
            mentions(&s.mentions),
            s.empty
        ));
    }
    out
}

/// Precision, recall and F1 of mentions, where any name was looked for and found.
fn mentions(pooled: &Pooled) -> String {
    if pooled.tp + pooled.fp + pooled.fn_ == 0 {
        return "– | – | –".to_owned();
    }
    format!("{:.3} | {:.3} | {:.3}", pooled.p, pooled.r, pooled.f1)
}

/// Markdown table of one summary's languages and its domain means.
pub fn languages(summary: &Summary) -> String {
    let mut out = String::from(
        "| | pages | sim^σ | P | R | F1 | exact | word F1 | ROUGE-LSum |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let rows = summary.languages.iter().map(|(l, m)| (l.as_str(), m));
    let domains = format!("all, {} domains weigh 1", summary.domains);
    for (name, m) in
        rows.chain([(domains.as_str(), &summary.domain_means), ("all", &summary.means)])
    {
        out.push_str(&format!("| {name} | {} | {} |\n", m.pages, figures(m)));
    }
    out
}

/// Markdown table of page types and region accuracy (Pappas et al. 2012, eq. 4), one row each.
pub fn structures<'a>(rows: impl IntoIterator<Item = (&'a str, &'a Summary)>) -> String {
    let mut out = String::from(
        "| | pages | type right | pages with regions | RA printed | RA strict | Jaccard |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for (name, s) in rows {
        let (s, r) = (&s.structure, &s.structure.regions);
        out.push_str(&format!(
            "| {name} | {} | {:.3} | {} | {:.3} | {:.3} | {:.3} |\n",
            s.pages, s.precision, r.pages, r.printed, r.strict, r.jaccard
        ));
    }
    out
}

/// Markdown table of title, day and authors, one row each.
pub fn metadata<'a>(rows: impl IntoIterator<Item = (String, &'a StatedSummary)>) -> String {
    let mut out = String::from(
        "| metadata | title right | of | day right | wrong | of | authors right | of | names P | names R |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let share = |s: Share| {
        let figures = s.value().zip(s.interval());
        let value = figures.map_or_else(
            || "–".to_owned(),
            |(value, (low, high))| format!("{value:.3} ({low:.3}–{high:.3})"),
        );
        (value, s.of)
    };
    for (name, m) in rows {
        let ((title, titles), (day, days)) = (share(m.titles), share(m.days));
        let (authors, of) = share(m.authors);
        let names = if of == 0 {
            "– | –".to_owned()
        } else {
            format!("{:.3} | {:.3}", m.names.p, m.names.r)
        };
        out.push_str(&format!(
            "| {name} | {title} | {titles} | {day} | {} | {days} | {authors} | {of} | {names} |\n",
            m.wrong_days
        ));
    }
    out
}

fn figures(m: &Means) -> String {
    format!(
        "{:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3}",
        m.sim, m.shingle.p, m.shingle.r, m.shingle.f1, m.exact, m.words.f1, m.rouge.f1
    )
}

/// How figures are named in tables.
fn heading(figure: &str) -> &str {
    match figure {
        "sim" => "sim^σ",
        "shingle_f1" => "F1",
        "word_f1" => "word F1",
        "rouge_f1" => "ROUGE-LSum",
        "mention_f1" => "mention F1",
        other => other,
    }
}

/// Markdown: for each corpus, the mean of corpora and each language all systems by figure, and
/// after that where the subject stands to the best of them.
pub fn comparison(comparison: &Comparison) -> String {
    let mut out = String::new();
    for group in comparison.groups() {
        let rows: Vec<&Row> = comparison.rows.iter().filter(|r| r.group == *group).collect();
        if !matches!(group, Group::Language(_)) {
            out.push_str(&systems(group, &rows));
        }
    }
    out.push_str(
        "ours − best other, 95 % interval of the paired difference (▲ ahead, ▼ behind, = level, \
         · too few mentions to judge)\n\n",
    );
    out.push_str("| |");
    out.extend(FIGURES.iter().map(|(figure, _)| format!(" {} |", heading(figure))));
    out.push_str(&format!("\n|---|{}\n", "---|".repeat(FIGURES.len())));
    for group in comparison.groups() {
        out.push_str(&format!("| {} |", group.name()));
        for (figure, _) in FIGURES {
            let cell = comparison.best(group, figure).map_or_else(String::new, |r| {
                let d = r.difference;
                let (value, low, high) = (signed(d.value), signed(d.low), signed(d.high));
                format!("{} {value} [{low}, {high}] {}", mark(r.verdict), r.other)
            });
            out.push_str(&format!(" {cell} |"));
        }
        out.push('\n');
    }
    out
}

/// All systems of one group, ours first, then by F1.
fn systems(group: &Group, rows: &[&Row]) -> String {
    let pages = rows.iter().map(|r| r.pages).max().unwrap_or(0);
    let mut out = format!("| {} ({pages} pages) |", group.name());
    out.extend(FIGURES.iter().map(|(figure, _)| format!(" {} |", heading(figure))));
    out.push_str(&format!("\n|---|{}\n| **ours** |", "--:|".repeat(FIGURES.len())));
    let cell = |figure: &str, name: Option<&str>| {
        rows.iter().find(|r| r.figure == figure && name.is_none_or(|n| r.other == n))
    };
    for (figure, _) in FIGURES {
        // Ours is the same in every row that has all pages.
        let whole = rows.iter().find(|r| r.figure == figure && r.pages == pages);
        out.push_str(&whole.map_or(" – |".into(), |r| format!(" **{:.3}** |", r.ours)));
    }
    out.push('\n');
    let mut names: Vec<(&str, f64)> = rows
        .iter()
        .filter(|r| r.figure == "shingle_f1")
        .map(|r| (r.other.as_str(), r.theirs))
        .collect();
    names.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (name, _) in names {
        out.push_str(&format!("| {name} |"));
        for (figure, _) in FIGURES {
            out.push_str(
                &cell(figure, Some(name))
                    .map_or(" – |".into(), |r| format!(" {:.3} {} |", r.theirs, mark(r.verdict))),
            );
        }
        out.push('\n');
    }
    out.push('\n');
    out
}

fn signed(x: f64) -> String {
    format!("{x:+.3}")
}

fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ahead => "▲",
        Verdict::Behind => "▼",
        Verdict::Level => "=",
        Verdict::Few => "·",
    }
}

/// One row a compared figure, with a header.
pub fn comparison_csv(comparison: &Comparison) -> Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record([
        "of",
        "name",
        "figure",
        "other",
        "pages",
        "ours",
        "theirs",
        "difference",
        "low",
        "high",
        "verdict",
    ])?;
    for row in &comparison.rows {
        let of = match row.group {
            Group::Corpus(_) => "corpus",
            Group::Mean => "mean",
            Group::Language(_) => "language",
        };
        let number = |x: f64| format!("{x:.6}");
        csv.write_record([
            of,
            row.group.name(),
            row.figure,
            &row.other,
            &row.pages.to_string(),
            &number(row.ours),
            &number(row.theirs),
            &number(row.difference.value),
            &number(row.difference.low),
            &number(row.difference.high),
            row.verdict.name(),
        ])?;
    }
    Ok(String::from_utf8_lossy(&csv.into_inner()?).into_owned())
}

/// One row a page, with a header.
pub fn pages_csv(pages: &[PageScore]) -> Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record([
        "corpus",
        "id",
        "domain",
        "lang",
        "error",
        "empty",
        "seconds",
        "chars",
        "sim_sigma",
        "sh_p",
        "sh_r",
        "sh_f1",
        "exact",
        "word_f1",
        "rl_p",
        "rl_r",
        "rl_f1",
        "m_gold",
        "m_pred",
        "m_tp",
    ])?;
    for p in pages {
        let mut row = vec![
            p.corpus.clone(),
            p.id.clone(),
            p.domain.clone(),
            p.language.clone(),
            p.error.clone().unwrap_or_default(),
            u8::from(p.scores.empty).to_string(),
            format!("{:.6}", p.seconds),
            p.scores.characters.to_string(),
        ];
        match &p.scores.text {
            None => row.extend(std::iter::repeat_n(String::new(), 12)),
            Some(t) => {
                let number = |x: f64| format!("{x:.6}");
                let maybe = |x: Option<f64>| x.map(number).unwrap_or_default();
                row.extend([
                    number(t.similarity),
                    maybe(t.shingles.precision()),
                    maybe(t.shingles.recall()),
                    number(t.shingles.prf().2),
                    u8::from(t.exact).to_string(),
                    number(t.words.prf().2),
                    number(t.rouge.0),
                    number(t.rouge.1),
                    number(t.rouge.2),
                    t.gold_mentions.to_string(),
                    t.predicted_mentions.to_string(),
                    t.mentions.tp.to_string(),
                ]);
            }
        }
        csv.write_record(&row)?;
    }
    Ok(String::from_utf8_lossy(&csv.into_inner()?).into_owned())
}

/// Summaries by corpus, in corpus order.
pub fn by_corpus(pages: &[PageScore]) -> BTreeMap<String, Summary> {
    let mut out: BTreeMap<String, Vec<PageScore>> = BTreeMap::new();
    for p in pages {
        out.entry(p.corpus.clone()).or_default().push(p.clone());
    }
    out.into_iter().map(|(corpus, pages)| (corpus, summarise(&pages))).collect()
}

/// The worst pages, ours alone: by four-gram F1, then by CPU time.
pub fn worst(pages: &[PageScore], count: usize) -> String {
    let f1 = |p: &PageScore| p.scores.text.as_ref().map_or(1.0, |t| t.shingles.prf().2);
    let mut out = String::new();
    let mut list = |title: &str, key: &dyn Fn(&PageScore) -> f64| {
        let mut order: Vec<&PageScore> = pages.iter().collect();
        order.sort_by(|a, b| key(a).total_cmp(&key(b)));
        out.push_str(&format!(
            "| {title} | corpus | language | F1 | P | R | ms |\n|---|---|---|--:|--:|--:|--:|\n"
        ));
        for page in order.into_iter().take(count) {
            let (p, r, _) = page.scores.text.as_ref().map_or((1.0, 1.0, 1.0), |t| t.shingles.prf());
            out.push_str(&format!(
                "| {} | {} | {} | {:.3} | {p:.3} | {r:.3} | {:.1} |\n",
                page.id,
                page.corpus,
                page.language,
                f1(page),
                page.seconds * 1e3
            ));
        }
        out.push('\n');
    };
    list("worst by F1", &f1);
    list("slowest", &|p| -p.seconds);
    let slow = pages.iter().filter(|p| p.seconds > SLOW).count();
    out.push_str(&format!("{slow} of {} pages took over {:.0} ms\n", pages.len(), SLOW * 1e3));
    out
}

/// Page F1 (four-grams) by the share of pages that have at most that, one line each, as SVG.
pub fn quantiles(lines: &[(&str, Vec<&PageScore>)]) -> String {
    let series = lines.iter().map(|(name, pages)| {
        let texts = pages.iter().filter_map(|p| p.scores.text.as_ref());
        let mut scores: Vec<f64> = texts.map(|t| t.shingles.prf().2).collect();
        scores.sort_by(f64::total_cmp);
        let share = |i: usize| (i as f64 + 0.5) / scores.len() as f64;
        let points = scores.iter().enumerate().map(|(i, s)| (share(i), *s)).collect();
        Series { name: name.to_string(), points, dashed: false }
    });
    let chart = Chart {
        title: "Page F1, worst pages first".into(),
        x: "share of pages".into(),
        y: "four-gram F1 of the page".into(),
        series: series.collect(),
    };
    chart.svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::metrics::{Gold, brands::Brands, score, summarise};

    #[test]
    fn rows_have_all_columns() {
        let text = "Nord opens, a plant";
        let scores =
            score(&Gold { text, ..Gold::default() }, text, &Brands::parse("Nord").expect("a name"));
        let bare = PageScore { id: "x,y".into(), ..PageScore::default() };
        let pages = [PageScore { id: "a".into(), scores, ..PageScore::default() }, bare];
        let csv = pages_csv(&pages).expect("memory");
        assert_eq!(csv.lines().count(), 3);
        assert!(csv.lines().nth(2).is_some_and(|l| l.contains("\"x,y\"")));
        let table = summaries([("ours", &summarise(&pages))]);
        let columns = |l: &str| l.matches('|').count();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines.iter().all(|l| columns(l) == columns(lines[0])), "{table}");
        assert!(languages(&summarise(&pages)).contains("| all | 1 | 1.000"));
    }
}
