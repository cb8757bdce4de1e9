//! `crawler status`: non-zero exit when something wants attention, for cron.

use std::process::ExitCode;

use anyhow::Result;

use crate::query::Status;
use crate::serve::command::Command;

use super::context::Context;
use super::{BAD_NEWS, print};

#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args, context: &Context) -> Result<ExitCode> {
    let status: Status = context.ask_one(&Command::Status)?;
    let code = if status.trouble.is_empty() { 0 } else { BAD_NEWS };
    if context.json() {
        print::json(&status)?;
        return Ok(ExitCode::from(code));
    }
    let failing = status.feeds_failing;
    println!("feeds      {} at {} outlets, {failing} failing", status.feeds, status.outlets);
    println!("brands     {} (set {})", status.brands, status.brand_set);
    println!("entries    {}", status.entries);
    for (name, count) in &status.outcomes {
        if *count > 0 {
            println!("  {count:>8}  {name}");
        }
    }
    println!("queue      {} pending, {} leased", status.pending, status.leased);
    println!("next due   {}", print::instant(status.next_due));
    println!("coverage   {} of today's polls", print::percent(status.coverage_today));
    println!("disk       {}", print::bytes(status.size));
    println!("days in    {}", status.timezone);
    for trouble in &status.trouble {
        println!("trouble    {}", trouble.0);
    }
    Ok(ExitCode::from(code))
}
