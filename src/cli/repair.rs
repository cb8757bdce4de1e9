//! `crawler repair`: exit code 3 when the rebuilt store cannot be proven.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, bail};

use crate::config::Config;
use crate::crawl::clock;
use crate::crawl::orders::steps::Steps;
use crate::crawl::orders::{repair, verify};
use crate::serve::{socket, user};
use crate::store::decision::{Change, Topic, Via, Who};
use crate::store::{self, Store};

use super::context::{Context, engine};
use super::{BAD_NEWS, brands, print};

#[derive(clap::Args)]
pub(super) struct Args {}

/// Rebuilds the embedded store; `say` gets a sentence about everything that is lost or doubtful.
pub(super) fn rebuild(config: &Config, say: &mut dyn FnMut(String)) -> Result<repair::Report> {
    let plan = repair::Plan {
        data_dir: &config.data_dir,
        store: &config.store,
        dedupe: &config.dedupe,
        memory: config.retention.memory,
        timezone: &config.timezone,
        brands: &|| config.brands.as_deref().map(brands::read).transpose(),
    };
    repair::repair(&plan, say)
}

/// What there is again, in words.
pub(super) fn told(report: &repair::Report) -> String {
    let mut told = format!(
        "rebuilt {} in {}, {}, {}, {}, {}",
        print::many(report.articles, "article"),
        print::many(report.stories, "story"),
        print::many(report.feeds, "feed"),
        print::many(report.brands as u64, "brand"),
        print::many(report.robots, "robots record"),
        print::many(report.pace_keys, "pace key")
    );
    if let Some(aside) = &report.aside {
        let _ = write!(
            told,
            "\nthe old database is kept as {}: delete it when all is well",
            aside.display()
        );
    }
    told
}

/// Notes in the rebuilt store who had it rebuilt.
pub(super) fn note(store: &dyn Store, who: &Who, report: &repair::Report) -> Result<()> {
    let told = told(report);
    let words = format!("main database {}", told.lines().next().unwrap_or_default());
    store.change(Change::Nothing, Some(&who.decides(clock::now(), Topic::Store, words)))?;
    Ok(())
}

pub(super) fn run(_args: Args, context: &Context) -> Result<ExitCode> {
    let config = context.config()?;
    if config.store.url.is_some() {
        bail!(
            "a PostgreSQL store is repaired with the database's own tools; `crawler verify` checks it"
        );
    }
    if std::os::unix::net::UnixStream::connect(socket::path(&config.data_dir)).is_ok() {
        bail!("a daemon is running on {}: stop it first", config.data_dir.display());
    }
    let mut notes = Vec::new();
    let report = rebuild(&config, &mut |note| {
        if !context.json() {
            println!("{note}");
        }
        notes.push(note);
    })?;
    let store = store::open(&config.data_dir, &config.store)?;
    note(store.as_ref(), &user::own(Via::User), &report)?;
    let findings = verified(&config, store);
    // What was rebuilt is told, also where it cannot be verified with these settings.
    if context.json() {
        let found = findings.as_deref().unwrap_or_default();
        let answer = serde_json::json!({ "report": report, "notes": notes, "findings": found });
        print::json(&answer)?;
    } else {
        println!("{}", told(&report));
    }
    let findings = findings?;
    let code = if findings.is_empty() { 0 } else { BAD_NEWS };
    if context.json() {
        return Ok(ExitCode::from(code));
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

fn verified(config: &Config, store: Arc<dyn Store>) -> Result<Vec<String>> {
    let engine = engine(config, store)?;
    let mut findings = Vec::new();
    verify::verify(&engine, &Steps::default(), &mut |finding| findings.push(finding.0))?;
    Ok(findings)
}
