//! `crawler stories`, and one story in full.

use anyhow::Result;

use crate::query::{StoryLine, StoryView};
use crate::serve::command::Command;

use super::articles::Filter;
use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    filter: Filter,
    /// Only stories with at least so many articles
    #[arg(long, default_value_t = 2)]
    min: usize,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let mut lines: Vec<StoryLine> = context.ask(&Command::Stories(args.filter.query()))?;
    lines.retain(|line| line.articles >= args.min);
    if context.json() {
        return print::json(&lines);
    }
    let headings = ["id", "day", "articles", "outlets", "span", "original", "brands", "title"];
    let mut table = print::table(&headings);
    for line in &lines {
        let mut title = print::clip(&line.title, 60);
        if line.series {
            title.push_str(" [series]");
        }
        let cells = vec![
            line.id.to_string(),
            line.day.to_string(),
            line.articles.to_string(),
            line.outlets.to_string(),
            print::length(line.span),
            line.outlet.clone(),
            print::clip(&line.brands.join(", "), 40),
            title,
        ];
        print::row(&mut table, cells);
    }
    print::show(&table);
    println!("{} stories", lines.len());
    Ok(())
}

/// Prints who carried a story, when, and how alike.
pub(super) fn show(view: &StoryView) -> Result<()> {
    let Some(original) = view.story.members.first() else { return Ok(()) };
    println!(
        "story {} with {} articles{}",
        view.story.id,
        view.story.members.len(),
        if view.story.series { " (series)" } else { "" }
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
            if member.key == original.key { "original".into() } else { print::length(lag) },
            member.outlet.clone(),
            sim,
            nearest,
            print::clip(title, 60),
            url.clone(),
        ];
        print::row(&mut table, cells);
    }
    print::show(&table);
    Ok(())
}
