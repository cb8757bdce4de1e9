//! `crawler stories`, and one story in full.

use anyhow::Result;

use crate::crawl::orders::stories::Rebuilt;
use crate::dedupe::sentences::Change;
use crate::model::{Sighting, UrlKey};
use crate::query::{Diff, ExcerptLine, Question, StoryLine, StoryView};
use crate::serve::order::Order;

use super::context::Context;
use super::filter::Filter;
use super::print;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    filter: Filter,
    /// Only stories with at least this many articles
    #[arg(long, default_value_t = 2)]
    min: usize,
    /// Only stories in at least this many outlets
    #[arg(long, default_value_t = 1)]
    outlets: usize,
    /// Series such as horoscopes and tickers: with the others, alone, or left out
    #[arg(long, value_enum, default_value = "with")]
    series: Series,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Compute all stories again by the newest rule, τ and window (docs/copies.md)
    Rebuild {
        /// Show what would change
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Series {
    With,
    Only,
    Without,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    if let Some(Action::Rebuild { dry_run }) = args.action {
        return rebuild(dry_run, context);
    }
    let mut query = args.filter.query()?;
    // So many of those that are left.
    let limit = std::mem::take(&mut query.limit);
    let mut lines: Vec<StoryLine> = context.ask(Question::Stories(query))?;
    let series = |line: &StoryLine| match args.series {
        Series::With => true,
        Series::Only => line.series,
        Series::Without => !line.series,
    };
    lines.retain(|l| l.articles >= args.min && l.outlets >= args.outlets && series(l));
    if limit > 0 {
        lines.truncate(limit);
    }
    if context.json() {
        return print::json(&lines);
    }
    let headings =
        ["id", "day", "articles", "outlets", "excerpts", "span", "original", "brands", "title"];
    let mut table = print::table(&headings);
    for line in &lines {
        let mut title = print::clip(&line.title, 60);
        if line.series {
            title.push_str(" [series]");
        }
        if line.pattern {
            title.push_str(" [pattern]");
        }
        let cells = vec![
            line.id.to_string(),
            line.day.to_string(),
            line.articles.to_string(),
            line.outlets.to_string(),
            line.excerpts.to_string(),
            print::length(line.span),
            line.outlet.clone(),
            print::clip(&line.brands.join(", "), 40),
            title,
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    println!("{}", print::many(lines.len() as u64, "story"));
    Ok(())
}

fn rebuild(dry_run: bool, context: &Context) -> Result<()> {
    let done: Rebuilt = context.ask_one(Order::Stories { dry_run })?;
    if context.json() {
        return print::json(&done);
    }
    println!(
        "{}{} of {}, by rule {} (before: {} by rule {})",
        if done.dry_run { "would be: " } else { "" },
        print::many(done.stories, "story"),
        print::many(done.articles, "article"),
        done.rule,
        print::many(done.stories_before, "story"),
        done.before
    );
    println!(
        "{} in stories that were joined or taken apart; {} of a pattern",
        print::many(done.moved, "article"),
        print::many(done.patterns, "story")
    );
    if done.without_text > 0 {
        println!(
            "{} without text: judged by words alone",
            print::many(done.without_text, "article")
        );
    }
    Ok(())
}

/// Prints who carried a story, when, and how alike.
pub(super) fn show(view: &StoryView) -> Result<()> {
    let Some(original) = view.story.members.first() else { return Ok(()) };
    println!(
        "story {} with {}{}{}",
        view.story.id,
        print::many(view.story.members.len() as u64, "article"),
        if view.story.series { " (series)" } else { "" },
        if view.story.pattern { " (pattern)" } else { "" }
    );
    let mut table = print::table(&["published", "lag", "outlet", "sim", "nearest", "title", "url"]);
    for (member, (title, url)) in view.story.members.iter().zip(&view.titles) {
        let (sim, nearest) = member.nearest.map_or_else(Default::default, |(key, sim)| {
            let name = view.story.members.iter().find(|m| m.key == key);
            (format!("{sim:.3}"), name.map_or_else(|| key.to_string(), |m| m.outlet.clone()))
        });
        let lag = member.at - original.at;
        let cells = vec![
            print::instant(Some(member.at)),
            match member.sighting {
                _ if member.key == original.key => "original".into(),
                Sighting::Contradicted => "contradicted".into(),
                _ if lag < 0 => "–".into(),
                _ => print::length(lag),
            },
            member.outlet.clone(),
            sim,
            nearest,
            print::clip(title, 60),
            url.clone(),
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    excerpts(&view.excerpts, &|key| view.story.members.iter().any(|m| m.key == key));
    for diff in &view.diffs {
        let Some(member) = view.story.members.iter().find(|m| m.key == diff.key) else { continue };
        println!();
        println!(
            "{} after {}: {} of its words are the original's, {} of the original's are in it",
            member.outlet,
            print::length((member.at - original.at).max(0)),
            print::percent(Some(diff.taken)),
            print::percent(Some(diff.kept)),
        );
        changes(diff);
    }
    Ok(())
}

/// Prints links between excerpts and longer articles; `own` tells the articles that are shown.
pub(super) fn excerpts(lines: &[ExcerptLine], own: &dyn Fn(UrlKey) -> bool) {
    for line in lines {
        let (relation, other) =
            if own(line.part) { ("stands in", line.whole) } else { ("has in it", line.part) };
        let share = print::percent(Some(f64::from(line.share)));
        println!(
            "{relation:<10} {other} {} ({share}) {}",
            line.outlet,
            print::clip(&line.title, 60)
        );
    }
}

/// Prints what a copy changed; runs of sentences that stayed are counted.
fn changes(diff: &Diff) {
    let mut same = 0;
    let passed = |same: &mut usize| {
        match *same {
            0 => {}
            1 => println!("    … 1 sentence the same"),
            n => println!("    … {n} sentences the same"),
        }
        *same = 0;
    };
    for change in &diff.changes {
        if let Change::Same(_) = change {
            same += 1;
            continue;
        }
        passed(&mut same);
        match change {
            Change::Same(_) => {}
            Change::Added(text) => println!("  + {text}"),
            Change::Removed(text) => println!("  - {text}"),
            Change::Edited { was, is } => println!("  ~ {was}\n  → {is}"),
        }
    }
    passed(&mut same);
}
