//! `crawler alerts`: when somebody wants to be told, and what was told.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::Value;

use crate::crawl::orders::alerts::{AlertRemoved, AlertSet, AlertTested, possible};
use crate::model::{AlertEvent, AlertRule, Delivery, QuietHours, Span, When};
use crate::query::{AlertLine, AlertView, Question};
use crate::serve::order::Order;

use super::context::Context;
use super::{BAD_NEWS, print};

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Subcommand)]
enum Action {
    /// Set an alert, or change the one of this name
    Add {
        name: String,
        /// When it fires: "at-least N", unusual, falling, new-outlet, new-language, headline,
        /// "carried N", "coverage N", daily, weekly
        #[arg(long, value_name = "WHAT")]
        when: When,
        /// Articles that count this brand; may be repeated
        #[arg(long = "brand", value_name = "BRAND")]
        brands: Vec<String>,
        /// Articles that match this query, as in `crawler search`
        #[arg(long, value_name = "QUERY")]
        query: Option<String>,
        /// Only of this outlet
        #[arg(long, value_name = "OUTLET")]
        outlet: Option<String>,
        /// Only in this language, for example en
        #[arg(long, value_name = "LANGUAGE")]
        language: Option<String>,
        /// Time over which it counts, for example 6h [default: 24h]
        #[arg(long, value_name = "TIME")]
        within: Option<Span>,
        /// Send to this target of the configuration; may be repeated
        #[arg(long = "to", value_name = "TARGET")]
        to: Vec<String>,
        /// Hours in which nothing is sent, for example 22:00-07:00
        #[arg(long, value_name = "HOURS")]
        quiet: Option<QuietHours>,
    },
    /// All alerts (the default)
    List,
    /// The targets that the configuration names
    Targets,
    /// Remove an alert and its events
    Rm { name: String },
    /// Send a test to the targets of an alert, and show the result; ends with 3 if one did not take it
    Test { name: String },
    /// The events of an alert, the latest first, and who got them
    History {
        name: String,
        /// At most this many; 0 = all
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
}

pub(super) fn run(args: Args, context: &Context) -> Result<ExitCode> {
    match args.action.unwrap_or(Action::List) {
        Action::Add { name, when, brands, query, outlet, language, within, to, quiet } => {
            let rule = AlertRule { name, when, brands, query, outlet, language, within, to, quiet };
            possible(&rule).map_err(super::usage)?;
            let set: AlertSet = context.ask_one(Order::AlertSet { rule })?;
            if context.json() {
                print::json(&set)?;
            } else {
                let done = if set.replaced { "changed" } else { "set" };
                println!("alert {} {done}; `crawler run` watches it", set.name);
            }
        }
        Action::List => list(context)?,
        Action::Targets => targets(context)?,
        Action::Rm { name } => {
            let removed: AlertRemoved = context.ask_one(Order::AlertRemove { name })?;
            if context.json() {
                print::json(&removed)?;
            } else {
                println!("alert {} removed", removed.name);
            }
        }
        Action::Test { name } => return test(context, name),
        Action::History { name, limit } => history(context, name, limit)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn test(context: &Context, name: String) -> Result<ExitCode> {
    let tested: AlertTested = context.ask_one(Order::AlertTest { name })?;
    if context.json() {
        print::json(&tested)?;
    } else {
        if tested.deliveries.is_empty() {
            println!("{}: kept as {}; it has no targets", tested.name, tested.id);
        }
        for delivery in &tested.deliveries {
            println!("{}: {}", delivery.target, fate(delivery));
        }
    }
    let taken = tested.deliveries.iter().all(|delivery| delivery.done.is_some());
    Ok(ExitCode::from(if taken { 0 } else { BAD_NEWS }))
}

fn list(context: &Context) -> Result<()> {
    let lines: Vec<AlertLine> = context.ask(Question::Alerts)?;
    if context.json() {
        return print::json(&lines);
    }
    let columns =
        ["name", "when", "of", "to", "firing since", "last event", "waiting", "not taken"];
    let mut table = print::table(&columns);
    for line in &lines {
        let rule = &line.rule;
        let mut of = rule.brands.clone();
        of.extend(rule.query.clone());
        of.extend(rule.outlet.clone());
        of.extend(rule.language.clone());
        of.extend(rule.within.map(|within| format!("in {within}")));
        let cells = vec![
            rule.name.clone(),
            rule.when.to_string(),
            of.join(", "),
            rule.to.join(", "),
            print::instant(line.firing),
            print::instant(line.last_event),
            line.waiting.to_string(),
            line.failed.to_string(),
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    println!("{}", print::many(lines.len() as u64, "alert"));
    Ok(())
}

fn targets(context: &Context) -> Result<()> {
    let targets: Vec<Value> = context.ask(Question::Targets)?;
    if context.json() {
        return print::json(&targets);
    }
    for target in &targets {
        println!("{}", target["name"].as_str().unwrap_or_default());
    }
    println!("{}", print::many(targets.len() as u64, "target"));
    Ok(())
}

fn history(context: &Context, name: String, limit: usize) -> Result<()> {
    let view: AlertView = context.ask_one(Question::Alert { name })?;
    let most = if limit == 0 { usize::MAX } else { limit };
    let events: Vec<&AlertEvent> = view.events.iter().take(most).collect();
    if context.json() {
        return print::json(&events);
    }
    for event in &events {
        println!("{}  {}  {}", print::instant(Some(event.at)), event.what.name(), event.sentence);
        for line in &event.details {
            println!("    {line}");
        }
        for article in &event.articles {
            println!("    {}  {}  {}", article.outlet, article.key, article.title);
        }
        for delivery in &event.deliveries {
            println!("    to {}: {}", delivery.target, fate(delivery));
        }
    }
    println!("{}", print::many(events.len() as u64, "event"));
    Ok(())
}

/// What has become of a delivery.
fn fate(delivery: &Delivery) -> String {
    let tries = print::many(u64::from(delivery.attempts), "attempt");
    let why = delivery.error.as_deref().unwrap_or("not tried yet");
    match (delivery.done, delivery.next) {
        (Some(at), _) => format!("taken {}", print::instant(Some(at))),
        (None, Some(next)) => {
            format!("{why} ({tries}; next {})", print::instant(Some(next)))
        }
        (None, None) => format!("given up after {tries}: {why}"),
    }
}
