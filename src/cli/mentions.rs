//! `crawler mentions`: the table that all of this is for.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::model::Day;
use crate::query::{self, By, Line, Mentions, MentionsQuery, Question, What};

use super::context::Context;
use super::{plain, print};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Only this brand
    #[arg(long)]
    brand: Option<String>,
    /// First publication day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    from: Option<Day>,
    /// Last publication day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    to: Option<Day>,
    /// Group by; weeks are counted whole, also those of the first and the last day
    #[arg(long, value_enum, default_value = "day")]
    by: By,
    /// What the bars show; the columns are always the same
    #[arg(long, value_enum, default_value = "mentions")]
    count: Count,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// What is compared from line to line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Count {
    /// Counted mentions
    #[default]
    Mentions,
    /// Every article, copies included
    Articles,
    /// A story once, on its original's day; by outlet, language, feed or agency where its original stands
    Stories,
    /// Articles that are not the original of their story
    Copies,
}

impl Count {
    fn of(self, line: &Line) -> i64 {
        match self {
            Count::Mentions => line.mentions,
            Count::Articles => line.articles,
            Count::Stories => line.stories,
            Count::Copies => line.copies,
        }
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    super::in_order(args.from, args.to)?;
    let query = MentionsQuery { brand: args.brand, from: args.from, to: args.to, by: args.by };
    let answer: Mentions = context.ask_one(Question::Mentions(query))?;
    if context.json() {
        return print::json(&answer);
    }
    if args.csv {
        return csv(&answer);
    }
    table(&answer, args.count);
    notes(&answer);
    Ok(())
}

fn csv(answer: &Mentions) -> Result<()> {
    // Also where no line follows: programs read the headings.
    let mut out = csv::WriterBuilder::new().has_headers(false).from_writer(plain::output());
    out.write_record(&headings()?)?;
    for line in &answer.lines {
        let text = |text: &str| plain::cell(text).into_owned();
        out.serialize(Line {
            brand: text(&line.brand),
            bucket: text(&line.bucket),
            ..line.clone()
        })?;
    }
    Ok(out.flush()?)
}

/// The names of a line's fields.
fn headings() -> Result<csv::StringRecord> {
    let mut one = csv::Writer::from_writer(Vec::new());
    one.serialize(Line::default())?;
    let text = one.into_inner()?;
    Ok(csv::Reader::from_reader(&*text).headers()?.clone())
}

/// Prints the lines; also used by `demo`.
pub(super) fn table(answer: &Mentions, count: Count) {
    let timed = matches!(answer.by, By::Day | By::Week);
    let bucket = match answer.by {
        By::Day => "day",
        By::Week => "week of",
        By::Outlet => "outlet",
        By::Language => "language",
        By::Feed => "feed",
        By::Agency => "agency",
        By::Zone => "zone",
    };
    let mut headings =
        vec!["brand", bucket, "stories", "articles", "copies", "mentions", "suppressed"];
    if timed {
        headings.push("coverage");
    }
    let marked = timed && answer.lines.iter().any(|line| !marks(line, answer).is_empty());
    if marked {
        headings.push("marks");
    }
    headings.push("");
    let mut table = print::table(&headings);
    let max = answer.lines.iter().map(|l| count.of(l)).max().unwrap_or(0);
    let mut before = "";
    for line in &answer.lines {
        let brand = if line.brand == before { String::new() } else { line.brand.clone() };
        before = &line.brand;
        let mut cells = vec![
            brand,
            print::clip(&line.bucket, 60),
            line.stories.to_string(),
            line.articles.to_string(),
            line.copies.to_string(),
            line.mentions.to_string(),
            line.suppressed.to_string(),
        ];
        if timed {
            cells.push(coverage(line));
        }
        if marked {
            cells.push(marks(line, answer));
        }
        cells.push(print::bar(count.of(line), max, 20));
        print::row(&mut table, cells);
    }
    print::show(table);
}

fn coverage(line: &Line) -> String {
    let mark = if line.provisional { "~" } else { "" };
    match line.coverage {
        None => "–".into(),
        share => format!("{mark}{}", print::percent(share)),
    }
}

/// What is to be known about a line beside its counts: `i` incomplete, `r` revised, `m` another model and `b`
/// another brand set within it.
fn marks(line: &Line, answer: &Mentions) -> String {
    let mut marks = String::new();
    if line.incomplete {
        marks.push('i');
    }
    if line.revised {
        marks.push('r');
    }
    let Ok(first) = line.bucket.parse::<Day>() else { return marks };
    let days = if answer.by == By::Week { 6 } else { 0 };
    let last = first.saturating_add(jiff::Span::new().days(days));
    for (what, mark) in [(What::Model, 'm'), (What::Brands, 'b')] {
        if answer.changes.iter().any(|c| c.what == what && c.day >= first && c.day <= last) {
            marks.push(mark);
        }
    }
    marks
}

/// Sums of the lines by brand, those that are not 0. Over brands they do not add up to articles: one
/// article may name several.
fn by_brand(answer: &Mentions, of: impl Fn(&Line) -> i64) -> Vec<(&str, i64)> {
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for line in &answer.lines {
        *sums.entry(line.brand.as_str()).or_default() += of(line);
    }
    sums.into_iter().filter(|(_, sum)| *sum > 0).collect()
}

/// `2 late articles with Acme, 1 with Umbra`.
fn articles_of(sums: &[(&str, i64)], kind: &str) -> String {
    let mut parts = Vec::new();
    for (brand, sum) in sums {
        let sum = match parts.is_empty() {
            true => print::many(sum.unsigned_abs(), &format!("{kind}article")),
            false => sum.to_string(),
        };
        parts.push(format!("{sum} with {brand}"));
    }
    parts.join(", ")
}

fn notes(answer: &Mentions) {
    if answer.lines.is_empty() {
        println!("no mentions in these days");
    }
    println!();
    if answer.lines.iter().any(|l| l.provisional) {
        println!("~ provisional: the 48 hours of its coverage are not over");
    }
    let incomplete = answer.lines.iter().filter(|l| l.incomplete).count();
    if incomplete > 0 {
        println!(
            "i incomplete: fewer than 9 of 10 polls around these days succeeded; `crawler outlets \
             --days` shows when, `crawler outlets` whose"
        );
    }
    // An article with a brand in two zones stands in two lines.
    let once = answer.by != By::Zone;
    let revised = answer.lines.iter().filter(|l| l.revised).count();
    if revised > 0 {
        let late = if once { by_brand(answer, |line| line.late) } else { Vec::new() };
        let late =
            if late.is_empty() { "late articles".into() } else { articles_of(&late, "late ") };
        println!(
            "r revised: {} changed after their 48 hours, by {late} or a changed brand set",
            print::many(revised as u64, "count")
        );
    }
    for change in &answer.changes {
        let (mark, what) = match change.what {
            What::Model => ("m", "model"),
            What::Brands => ("b", "brand set"),
        };
        let version = print::clip(&change.version, 13);
        println!("{mark} since {} another {what}: {version}", print::instant(Some(change.at)));
    }
    let backlog = if once { by_brand(answer, |line| line.backlog) } else { Vec::new() };
    if !backlog.is_empty() {
        println!("{} came with the first poll of their feed (backlog)", articles_of(&backlog, ""));
    }
    for (brand, since) in &answer.watched_since {
        println!("watched since {}: {brand}", query::instant(*since));
    }
    if let Some(since) = answer.outlets_since {
        println!("outlets followed since {}", query::instant(since));
    }
    println!("days in {}; brand set {}", answer.timezone, answer.brand_set);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_are_counted_by_brand_never_summed_over_brands() {
        let line = |brand: &str, backlog| Line { brand: brand.into(), backlog, ..Line::default() };
        let mut answer = Mentions::default();
        for (lines, said) in [
            (vec![line("Acme", 1), line("Acme", 0)], "1 article with Acme"),
            (
                vec![line("Acme", 1), line("Acme", 1), line("Umbra", 1), line("Zenith", 0)],
                "2 articles with Acme, 1 with Umbra",
            ),
        ] {
            answer.lines = lines;
            assert_eq!(articles_of(&by_brand(&answer, |line| line.backlog), ""), said);
        }
    }
}
