//! `crawler doctor`: one look at everything that a crawl needs from its machine and its operator. Each
//! line is good, or says what to do.

mod machine;
mod work;

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use super::context::Context;
use super::{BAD_NEWS, print, sentence};

#[derive(clap::Args)]
pub(super) struct Args {}

/// What was looked at, and what is to be said of it.
#[derive(Debug, PartialEq, Serialize)]
struct Line {
    what: &'static str,
    good: bool,
    /// How it is; where it is not good, what to do.
    says: String,
}

impl Line {
    fn good(what: &'static str, says: impl Into<String>) -> Line {
        Line { what, good: true, says: says.into() }
    }

    fn bad(what: &'static str, says: impl Into<String>) -> Line {
        Line { what, good: false, says: says.into() }
    }

    /// Good with these words, or the error.
    fn of(what: &'static str, looked: Result<String>) -> Line {
        match looked {
            Ok(says) => Line::good(what, says),
            Err(error) => Line::bad(what, sentence(&error)),
        }
    }
}

pub(super) fn run(_: Args, context: &Context) -> Result<ExitCode> {
    let lines = look(context);
    let bad = lines.iter().filter(|line| !line.good).count();
    if context.json() {
        print::json(&lines)?;
    } else {
        for line in &lines {
            println!(
                "{:<5} {:<14} {}",
                if line.good { "good" } else { "DO" },
                line.what,
                line.says
            );
        }
        match bad {
            0 => println!("everything is good"),
            n => println!("{} to be looked at", print::many(n as u64, "thing")),
        }
    }
    Ok(ExitCode::from(if bad == 0 { 0 } else { BAD_NEWS }))
}

fn look(context: &Context) -> Vec<Line> {
    let loaded = match context.loaded() {
        Ok(loaded) => loaded,
        // Whatever else there is depends on it.
        Err(error) => return vec![Line::bad("configuration", sentence(&error))],
    };
    let config = &loaded.config;
    let mut lines = vec![
        machine::configuration(&loaded),
        machine::contact(config),
        machine::clock(config),
        machine::disk(config),
        machine::permissions(&loaded),
        machine::model(config),
        machine::tls(config),
    ];
    lines.extend(machine::folders(config));
    lines.extend(machine::targets(config));
    lines.extend(machine::listening(config));
    lines.extend(work::look(config, context));
    lines
}
