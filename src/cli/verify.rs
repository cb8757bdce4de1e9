//! `crawler verify`: exit code 3 when a number cannot be proven.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use crate::serve::order::Order;
use crate::store::StoreError;

use super::context::Context;
use super::{BAD_NEWS, print, sentence};

#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args, context: &Context) -> Result<ExitCode> {
    let mut findings = Vec::new();
    let (mut articles, mut without_text) = (0, 0);
    let verified = context.stream(Order::Verify, &mut |value| {
        match value.get("finding").and_then(Value::as_str) {
            Some(finding) => {
                if !context.json() {
                    println!("{finding}");
                }
                findings.push(finding.to_string());
            }
            None => {
                let count = |name| value.get(name).and_then(Value::as_u64).unwrap_or(0);
                (articles, without_text) = (count("articles"), count("without_text"));
            }
        }
        Ok(())
    });
    if let Err(error) = verified {
        // A store that is too damaged to be opened is what `verify` looks for.
        if !matches!(error.downcast_ref(), Some(StoreError::Corrupt { .. })) {
            return Err(error);
        }
        let finding = sentence(&error);
        if !context.json() {
            println!("{finding}");
        }
        findings.push(finding);
    }
    if context.json() {
        let answer = serde_json::json!({
            "articles": articles,
            "without_text": without_text,
            "findings": findings,
        });
        print::json(&answer)?;
        return Ok(code(&findings));
    }
    if without_text > 0 {
        println!(
            "kept without text: {}; the mentions are counted as before",
            print::many(without_text, "article")
        );
    }
    if findings.is_empty() {
        println!("{}: every number is the sum of what is stored", print::many(articles, "article"));
    } else {
        println!(
            "{}, {}",
            print::many(articles, "article"),
            print::many(findings.len() as u64, "contradiction")
        );
    }
    Ok(code(&findings))
}

fn code(findings: &[String]) -> ExitCode {
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(BAD_NEWS) }
}
