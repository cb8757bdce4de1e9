//! `crawler migrate`: the schema of a shared database.

use anyhow::{Context as _, Result};

use crate::store::postgres;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args, context: &Context) -> Result<()> {
    let config = context.config()?;
    let url = config.store.url.as_deref().context(
        "the store is a directory, which needs no migration: name a database with --store",
    )?;
    let (before, after) = postgres::migrate(url, &config.store())?;
    if context.json() {
        return print::json(&serde_json::json!({ "before": before, "after": after }));
    }
    match before {
        0 => println!("the schema is made, version {after}"),
        _ if before == after => println!("the schema is up to date, version {after}"),
        _ => println!("the schema is migrated from version {before} to {after}"),
    }
    Ok(())
}
