//! `crawler stories`, and one story in full.

use std::collections::HashSet;

use anyhow::Result;

use crate::crawl::orders::stories::Rebuilt;
use crate::dedupe::sentences::Change;
use crate::model::{Sighting, UrlKey};
use crate::query::{self, ArticlesQuery, Diff, ExcerptLine, Place, Question, StoryLine, StoryView};
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
    let (min, outlets) = (args.min, args.outlets);
    let series = |line: &StoryLine| match args.series {
        Series::With => true,
        Series::Only => line.series,
        Series::Without => !line.series,
    };
    let wanted = |line: &StoryLine| line.outlets >= outlets && series(line);
    let ask = |query| context.ask(Question::Stories(query));
    let lines = chosen(args.filter.query()?, min, wanted, ask)?;
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

/// Stories of the first page that is asked for; every further one is twice as long.
const PAGE: usize = 500;

/// The wanted stories of at least `min` articles, so many as the query asks for. They come largest first, and a store may
/// have millions: those behind the last one that is shown are not asked for.
fn chosen(
    mut query: ArticlesQuery,
    min: usize,
    wanted: impl Fn(&StoryLine) -> bool,
    mut ask: impl FnMut(ArticlesQuery) -> Result<Vec<StoryLine>>,
) -> Result<Vec<StoryLine>> {
    let most = if query.limit == 0 { usize::MAX } else { query.limit };
    query.limit = PAGE;
    // One that grows or shrinks between two pages may stand in both.
    let (mut lines, mut met) = (Vec::new(), HashSet::new());
    loop {
        let page = ask(query.clone())?;
        let last = page.last().filter(|last| page.len() == query.limit && last.articles >= min);
        let after =
            last.map(|last| Place { articles: Some(last.articles), day: last.day, key: last.id });
        let large = page.into_iter().filter(|line| line.articles >= min && wanted(line));
        let large = large.filter(|line| met.insert(line.id));
        lines.extend(large.take(most - lines.len()));
        if after.is_none() || lines.len() == most {
            return Ok(lines);
        }
        query.after = after;
        query.limit *= 2;
    }
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
    for (at, (member, (title, url))) in view.story.members.iter().zip(&view.titles).enumerate() {
        let (sim, nearest) = member.nearest.map_or_else(Default::default, |(key, sim)| {
            let name = view.story.members.iter().find(|m| m.key == key);
            (format!("{sim:.3}"), name.map_or_else(|| key.to_string(), |m| m.outlet.clone()))
        });
        let lag = member.at - original.at;
        let cells = vec![
            match view.precisions.get(at) {
                Some(precision) => query::published(member.at, member.day, *precision),
                None => print::instant(Some(member.at)),
            },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Day;

    /// All stories of a store were read, those of one article, too, to show one.
    #[test]
    fn no_more_stories_are_asked_for_than_are_shown() {
        let story = |n: usize| StoryLine {
            id: UrlKey(n as u128),
            day: Day::constant(2026, 11, 20),
            title: String::new(),
            outlet: String::new(),
            articles: if n < 1_000 { 5 } else { 1 },
            outlets: 1,
            span: 0,
            series: n % 2 == 1,
            pattern: false,
            brands: Vec::new(),
            excerpts: 0,
        };
        let all: Vec<StoryLine> = (0..4_000).map(story).collect();
        for (limit, min, shown, asked) in [
            (1, 2, 1, 1),
            (250, 2, 250, 1),
            (251, 2, 251, 2),
            (0, 2, 500, 2),
            (0, 1, 2_000, 4),
            (3_000, 6, 0, 1),
        ] {
            let mut asks = 0;
            let ask = |query: ArticlesQuery| {
                asks += 1;
                let behind = query.after.map_or(0, |place| place.key.0 as usize + 1);
                Ok(all.iter().skip(behind).take(query.limit).cloned().collect())
            };
            let query = ArticlesQuery { limit, ..ArticlesQuery::default() };
            let lines = chosen(query, min, |line| line.series, ask).unwrap();
            let expect: Vec<&StoryLine> =
                all.iter().filter(|line| line.series).take(shown).collect();
            assert_eq!(lines.iter().collect::<Vec<_>>(), expect, "{limit} {min}");
            assert_eq!(asks, asked, "{limit} {min}");
        }
    }
}
