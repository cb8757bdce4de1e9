//! `crawler feeds`.

use anyhow::Result;
use clap::Subcommand;

use crate::crawl::orders::outlets::Voice;
use crate::model::FeedStatus;
use crate::query::{FeedLine, Question};
use crate::serve::order::Order;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// All feeds with interval, health and next poll (the default)
    List,
    /// Print the feeds as OPML, without those that other feeds brought; `seed` reads it
    Export,
    /// Remove a feed until it is seeded again; its articles stay
    Rm { url: String },
    /// Do not poll a feed
    Pause { url: String },
    /// Poll a paused feed again
    Resume { url: String },
    /// Say which outlet a feed speaks for: of other outlets' entries only the address is kept
    Voice {
        url: String,
        /// This one and its own; without it, only its own
        #[arg(long)]
        outlet: Option<String>,
        /// Find it again from the entries, as by default
        #[arg(long, conflicts_with = "outlet")]
        learn: bool,
    },
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let order = match args.action.unwrap_or(Action::List) {
        Action::List => return list(context),
        Action::Export => return export(context),
        Action::Rm { url } => Order::FeedRemove { url },
        Action::Pause { url } => Order::FeedPause { url, paused: true },
        Action::Resume { url } => Order::FeedPause { url, paused: false },
        Action::Voice { url, learn: true, .. } => Order::FeedVoice { url, voice: Voice::Learned },
        Action::Voice { url, outlet, .. } => {
            Order::FeedVoice { url, voice: outlet.map_or(Voice::Own, Voice::Also) }
        }
    };
    let answer: serde_json::Value = context.ask_one(order)?;
    if context.json() {
        return print::json(&answer);
    }
    let said = |name: &str| answer.get(name).and_then(serde_json::Value::as_str);
    if let (Some(url), Some(own)) = (said("url"), said("outlet")) {
        let learned = answer.get("told") == Some(&serde_json::Value::Bool(false));
        println!("{url} {}", voice(own, said("speaks_for"), learned));
        return Ok(());
    }
    match (said("removed"), said("url"), said("status")) {
        (Some(url), ..) => {
            println!("{url} is no longer followed until it is seeded again; its articles stay")
        }
        (_, Some(url), Some("paused")) => {
            println!("{url} is paused until `crawler feeds resume {url}`");
        }
        (_, Some(url), _) => println!("{url} is polled again"),
        _ => println!("{answer}"),
    }
    Ok(())
}

fn export(context: &Context) -> Result<()> {
    let text: String = context.ask_one(Question::Opml)?;
    println!("{}", text.trim_end());
    Ok(())
}

/// For whom a feed speaks, as a clause.
fn voice(own: &str, other: Option<&str>, learned: bool) -> String {
    match other {
        _ if learned => "finds out from its entries for whom it speaks".to_owned(),
        Some(other) => format!("speaks for {own} and {other}"),
        None => format!("speaks for {own} alone"),
    }
}

fn list(context: &Context) -> Result<()> {
    let lines: Vec<FeedLine> = context.ask(Question::Feeds)?;
    if context.json() {
        return print::json(&lines);
    }
    let headings = ["outlet", "health", "every", "next poll", "polls ok", "gaps", "why", "url"];
    let mut table = print::table(&headings);
    for line in &lines {
        let cells = vec![
            match &line.speaks_for {
                Some(other) => format!("{} for {other}", line.outlet),
                None => line.outlet.clone(),
            },
            health(line).into(),
            print::length(line.interval),
            print::instant(Some(line.next_poll)),
            format!("{}/{}", line.successes, line.polls),
            line.gaps.to_string(),
            print::clip(&line.why, 90),
            line.url.clone(),
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    println!("{}", print::many(lines.len() as u64, "feed"));
    Ok(())
}

/// In one word, what there is to know about a feed.
fn health(line: &FeedLine) -> &'static str {
    match line.status {
        FeedStatus::Paused => "paused",
        FeedStatus::Gone if line.moved_to.is_some() => "moved",
        FeedStatus::Gone => "gone",
        FeedStatus::Removed => "removed",
        FeedStatus::Active if line.polls == 0 => "new",
        FeedStatus::Active if line.failures > 0.0 => "failing",
        FeedStatus::Active if line.duplicate_of.is_some() => "duplicate",
        FeedStatus::Active => "good",
    }
}
