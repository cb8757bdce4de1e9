//! `crawler digest`: what happened to brands in some days, as an alert of kind daily or weekly tells it.

use anyhow::Result;

use crate::model::Day;
use crate::query::{Digest, DigestQuery, Question};

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    /// A brand; may be repeated [default: all watched brands]
    #[arg(long = "brand", value_name = "BRAND")]
    brands: Vec<String>,
    /// First day [default: the last day]
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    from: Option<Day>,
    /// Last day [default: yesterday]
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    to: Option<Day>,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let Args { brands, from, to } = args;
    super::in_order(from, to)?;
    let digest: Digest = context.ask_one(Question::Digest(DigestQuery { brands, from, to }))?;
    if context.json() {
        return print::json(&digest);
    }
    let (sentence, details) = digest.told();
    println!("{sentence}");
    for line in details {
        println!("{line}");
    }
    Ok(())
}
