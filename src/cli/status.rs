//! `crawler status`: non-zero exit when something wants attention, for cron.

use std::process::ExitCode;

use anyhow::Result;

use crate::query::{Question, Status, Why};

use super::context::Context;
use super::{BAD_NEWS, print};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Why this outlet is requested, or is not
    #[arg(long, value_name = "OUTLET")]
    why: Option<String>,
}

pub(super) fn run(args: Args, context: &Context) -> Result<ExitCode> {
    if let Some(outlet) = args.why {
        return why(outlet, context);
    }
    let status: Status = context.ask_one(Question::Status)?;
    let code = if status.trouble.is_empty() { 0 } else { BAD_NEWS };
    if context.json() {
        print::json(&status)?;
        return Ok(ExitCode::from(code));
    }
    let [feeds, failing, brands] =
        [status.feeds, status.feeds_failing, status.brands].map(print::number);
    let outlets = print::many(status.outlets as u64, "outlet");
    println!("feeds      {feeds} at {outlets}, {failing} failing");
    println!("brands     {brands} (set {})", status.brand_set);
    if let Some(model) = &status.model {
        let (id, since) = (print::clip(&model.id, 13), print::instant(Some(model.at)));
        println!("model      {id} ({}) since {since}", model.origin.name());
    }
    println!("entries    {}", print::number(status.entries));
    for (name, count) in &status.outcomes {
        if *count > 0 {
            println!("  {:>8}  {name}", print::number(count));
        }
    }
    let [pending, leased] = [status.pending, status.leased].map(print::number);
    println!("queue      {pending} pending, {leased} leased");
    println!("next due   {}", print::instant(status.next_due));
    println!("coverage   {} of today's polls", print::percent(status.coverage_today));
    println!("disk       {}", print::bytes(status.size));
    if let Some(archive) = status.archive {
        println!("archive    {}", print::bytes(archive));
    }
    println!("days in    {}", status.timezone);
    for trouble in &status.trouble {
        println!("trouble    {}", trouble.0);
    }
    Ok(ExitCode::from(code))
}

fn why(outlet: String, context: &Context) -> Result<ExitCode> {
    let why: Why = context.ask_one(Question::Why { outlet })?;
    if context.json() {
        print::json(&why)?;
    } else {
        println!("{}", why.outlet);
        for sentence in &why.sentences {
            println!("  {sentence}");
        }
    }
    Ok(ExitCode::SUCCESS)
}
