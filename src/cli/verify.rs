//! `crawler verify`: exit code 3 when a number cannot be proven.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use crate::serve::command::Command;

use super::context::Context;
use super::{BAD_NEWS, print};

#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args, context: &Context) -> Result<ExitCode> {
    let mut findings = Vec::new();
    let mut articles = 0;
    context.stream(&Command::Verify, &mut |value| {
        match value.get("finding").and_then(Value::as_str) {
            Some(finding) => {
                if !context.json() {
                    println!("{finding}");
                }
                findings.push(finding.to_string());
            }
            None => articles = value.get("articles").and_then(Value::as_u64).unwrap_or(0),
        }
        true
    })?;
    if context.json() {
        print::json(&serde_json::json!({ "articles": articles, "findings": findings }))?;
    } else if findings.is_empty() {
        println!("{articles} articles: every number is the sum of what is stored");
    } else {
        println!("{articles} articles, {} contradictions", findings.len());
    }
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(BAD_NEWS) })
}
