//! `crawler repair`: exit code 3 when the rebuilt store cannot be proven.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::crawl::{repair, verify};
use crate::serve::socket;
use crate::store;

use super::context::{Context, engine};
use super::{BAD_NEWS, brands, print};

#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args, context: &Context) -> Result<ExitCode> {
    let config = context.config()?;
    if config.store.url.is_some() {
        bail!(
            "a PostgreSQL store is repaired with the means of the database; `crawler verify` checks it"
        );
    }
    if std::os::unix::net::UnixStream::connect(socket::path(&config.data_dir)).is_ok() {
        bail!("a daemon is running on {}: stop it first", config.data_dir.display());
    }
    let plan = repair::Plan {
        data_dir: &config.data_dir,
        store: &config.store,
        dedupe: &config.dedupe,
        retention: &config.retention,
        timezone: &config.timezone,
        brands: &|| config.brands.as_deref().map(brands::read).transpose(),
    };
    let mut notes = Vec::new();
    let report = repair::repair(&plan, &mut |note| {
        if !context.json() {
            println!("{note}");
        }
        notes.push(note);
    })?;
    let store = store::open(&config.data_dir, &config.store)?;
    let engine = engine(&config, store, None)?;
    let mut findings = Vec::new();
    verify::verify(&engine, &mut |finding| findings.push(finding.0))?;
    let code = if findings.is_empty() { 0 } else { BAD_NEWS };
    if context.json() {
        let answer = serde_json::json!({ "report": report, "notes": notes, "findings": findings });
        print::json(&answer)?;
        return Ok(ExitCode::from(code));
    }
    println!(
        "rebuilt {} in {}, {}, {}, {}, {}",
        print::many(report.articles as u64, "article"),
        print::many(report.stories as u64, "story"),
        print::many(report.feeds as u64, "feed"),
        print::many(report.brands as u64, "brand"),
        print::many(report.robots as u64, "robots record"),
        print::many(report.pace_keys as u64, "pace key")
    );
    if let Some(aside) = &report.aside {
        println!("the old database is kept as {}: delete it when all is well", aside.display());
    }
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => println!("verified: every number is the sum of what is stored"),
        n => println!("left: {}", print::many(n as u64, "contradiction")),
    }
    Ok(ExitCode::from(code))
}
