//! `crawler mentions`: the table that all of this is for.

use anyhow::Result;

use crate::model::Day;
use crate::query::{By, Line, Mentions, MentionsQuery, What};
use crate::serve::command::Command;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Only this brand
    #[arg(long)]
    brand: Option<String>,
    /// First publication day
    #[arg(long, value_name = "DAY")]
    from: Option<Day>,
    /// Last publication day
    #[arg(long, value_name = "DAY")]
    to: Option<Day>,
    /// One line per brand and …
    #[arg(long, value_enum, default_value = "day")]
    by: By,
    /// What the bars show; the columns are always all there
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
    /// A story once, on its original's day
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
    let answer: Mentions = context.ask_one(&Command::Mentions(query))?;
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
    let mut out = csv::Writer::from_writer(std::io::stdout().lock());
    for line in &answer.lines {
        out.serialize(line)?;
    }
    Ok(out.flush()?)
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
    print::show(&table);
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

fn notes(answer: &Mentions) {
    if answer.lines.is_empty() {
        println!("no mentions in these days");
    }
    println!();
    if answer.lines.iter().any(|l| l.provisional) {
        println!("~ provisional: the 48 hours that coverage looks at are not over");
    }
    let incomplete = answer.lines.iter().filter(|l| l.incomplete).count();
    if incomplete > 0 {
        println!(
            "i incomplete: fewer than 9 of 10 polls around these days succeeded; `crawler outlets \
             --days` shows when, `crawler outlets` whose"
        );
    }
    let revised = answer.lines.iter().filter(|l| l.revised).count();
    if revised > 0 {
        let late: i64 = answer.lines.iter().map(|l| l.late).sum();
        println!(
            "r revised: {revised} counts changed after their 48 hours, by {late} late articles or a \
             changed brand set"
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
    let backlog: i64 = answer.lines.iter().map(|l| l.backlog).sum();
    if backlog > 0 {
        println!("{backlog} articles came with the first poll of their feed (backlog)");
    }
    for (brand, since) in &answer.watched_since {
        println!("watched since {}: {brand}", print::instant(Some(*since)));
    }
    if answer.outlets_since.is_some() {
        println!("outlets followed since {}", print::instant(answer.outlets_since));
    }
    println!("days in {}; brand set {}", answer.timezone, answer.brand_set);
}
