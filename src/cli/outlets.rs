//! `crawler outlets`.

use std::collections::BTreeMap;

use anyhow::Result;
use clap::Subcommand;

use crate::crawl::clock;
use crate::crawl::orders::outlets::{Action, Decided};
use crate::model::{Day, Millis, Span};
use crate::query::{Coverage, CoverageQuery, OutletLine, Question, is_incomplete};
use crate::serve::order::Order;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    #[command(subcommand)]
    decision: Option<Decision>,
    /// First day of arrival
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    from: Option<Day>,
    /// Last day of arrival
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    to: Option<Day>,
    /// One line per day: polls due and answered, entries by outcome
    #[arg(long)]
    days: bool,
    /// Only this outlet, with --days
    #[arg(long, requires = "days")]
    outlet: Option<String>,
}

#[derive(Subcommand)]
enum Decision {
    /// Request nothing until it is resumed, or for some time; missed polls lower the coverage
    Pause {
        outlet: String,
        /// How long, for example 2h or 3d
        #[arg(long = "for", value_name = "TIME")]
        length: Option<Span>,
    },
    /// End a pause or a block
    Resume { outlet: String },
    /// Request nothing any more: its feeds, also new ones, are paused, its entries are refused; what is
    /// stored stays
    Block { outlet: String },
    /// Fix the time between two requests; a site that asks for more (`Crawl-delay`) gets it
    Delay {
        outlet: String,
        /// For example 10s; `default` for the usual polite delay
        #[arg(value_parser = delay)]
        time: Delay,
    },
}

/// A time; `None`: the polite delay.
#[derive(Clone, Copy)]
struct Delay(Option<Span>);

fn delay(text: &str) -> Result<Delay, String> {
    if text == "default" { Ok(Delay(None)) } else { text.parse().map(|time| Delay(Some(time))) }
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    super::in_order(args.from, args.to)?;
    let (outlet, action) = match args.decision {
        None if args.days => return days(args.from, args.to, args.outlet, context),
        None => return list(args.from, args.to, context),
        Some(Decision::Pause { outlet, length }) => (outlet, Action::Pause { length }),
        Some(Decision::Resume { outlet }) => (outlet, Action::Resume),
        Some(Decision::Block { outlet }) => (outlet, Action::Block),
        Some(Decision::Delay { outlet, time }) => (outlet, Action::Delay { delay: time.0 }),
    };
    let done: Decided = context.ask_one(Order::Outlet { outlet, action: action.clone() })?;
    if context.json() {
        return print::json(&done);
    }
    println!("{}", sentence(&done, &action));
    if !done.shared_with.is_empty() && !matches!(action, Action::Block) {
        let others = done.shared_with.join(", ");
        println!("the pace key is shared, so this also affects {others}");
    }
    Ok(())
}

fn sentence(done: &Decided, action: &Action) -> String {
    let outlet = &done.outlet;
    match action {
        Action::Pause { .. } if done.paused_until == Some(Millis::MAX) => {
            format!("{outlet} is paused until `crawler outlets resume {outlet}`")
        }
        Action::Pause { .. } => {
            format!("{outlet} is paused until {}", print::instant(done.paused_until))
        }
        Action::Resume if done.feeds > 0 => {
            format!("{outlet} is resumed with {}", print::many(done.feeds as u64, "feed"))
        }
        Action::Resume => format!("{outlet} is resumed"),
        Action::Block => {
            let feeds = print::many(done.feeds as u64, "feed");
            format!("{outlet} is blocked: {feeds} paused, new entries are refused")
        }
        Action::Delay { .. } => match done.delay {
            Some(delay) => format!("{outlet} is requested at most every {}", Span(delay)),
            None => format!("{outlet} is requested at the polite pace"),
        },
    }
}

fn list(from: Option<Day>, to: Option<Day>, context: &Context) -> Result<()> {
    let lines: Vec<OutletLine> = context.ask(Question::Outlets { from, to })?;
    if context.json() {
        return print::json(&lines);
    }
    let headings = ["outlet", "feeds", "polls ok", "coverage", "entries", "outcomes"];
    let mut table = print::table(&headings);
    for line in &lines {
        let share =
            (line.polls_due > 0).then(|| line.polls_succeeded as f64 / line.polls_due as f64);
        let cells = vec![
            line.outlet.clone(),
            line.feeds.to_string(),
            format!("{}/{}", line.polls_succeeded, line.polls_due),
            print::percent(share),
            line.entries.to_string(),
            outcomes(&line.outcomes),
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    for line in &lines {
        if let Some(decided) = decided(line) {
            println!("! {} {decided}", line.outlet);
        }
    }
    Ok(())
}

/// What was decided about an outlet and still stands.
fn decided(line: &OutletLine) -> Option<String> {
    let paused = line.paused_until.filter(|until| *until > clock::now());
    match (line.blocked, paused, line.delay) {
        (true, ..) => Some("is blocked".into()),
        (_, Some(Millis::MAX), _) => Some("is paused".into()),
        (_, Some(until), _) => Some(format!("is paused until {}", print::instant(Some(until)))),
        (.., Some(delay)) => Some(format!("is asked at most every {}", Span(delay))),
        _ => None,
    }
}

fn outcomes(counts: &BTreeMap<String, u64>) -> String {
    let counts = counts.iter().filter(|(_, n)| **n > 0);
    counts.map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
}

fn days(
    from: Option<Day>,
    to: Option<Day>,
    outlet: Option<String>,
    context: &Context,
) -> Result<()> {
    let query = CoverageQuery { from, to, outlet, limit: 0 };
    let Coverage { days: lines, .. } = context.ask_one(Question::Coverage(query))?;
    if let (Some(to), Some(last)) = (to, lines.last().map(|line| line.day))
        && last < to
    {
        eprintln!(
            "crawler: {} to {last} are as many days as one answer has: the days behind it are left out",
            lines[0].day
        );
    }
    if context.json() {
        return print::json(&lines);
    }
    let headings = ["day", "polls ok", "coverage", "", "entries", "outcomes"];
    let mut table = print::table(&headings);
    for line in &lines {
        let mark = match line.coverage {
            _ if line.provisional => "provisional",
            coverage if is_incomplete(coverage) => "incomplete",
            _ => "",
        };
        let cells = vec![
            line.day.to_string(),
            format!("{}/{}", line.polls_succeeded, line.polls_due),
            print::percent(line.coverage),
            mark.to_string(),
            line.entries.to_string(),
            outcomes(&line.outcomes),
        ];
        print::row(&mut table, cells);
    }
    print::show(table);
    for sentence in lines.iter().flat_map(|line| &line.unusual) {
        println!("! {sentence}");
    }
    Ok(())
}
