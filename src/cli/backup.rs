//! `crawler backup` and `crawler restore`.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::serve::order::Order;
use crate::serve::{tokens, user};
use crate::store;
use crate::store::decision::Via;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Directory to write to; must be empty or new
    dir: PathBuf,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    // The daemon may run in another directory.
    let to = std::path::absolute(&args.dir)
        .with_context(|| format!("cannot resolve {}", args.dir.display()))?;
    context.stream(Order::Backup { to: to.clone() }, &mut |_| Ok(()))?;
    if context.json() {
        return print::json(&json!({ "to": to }));
    }
    println!("backed up to {}", to.display());
    Ok(())
}

#[derive(clap::Args)]
pub(super) struct RestoreArgs {
    /// Directory that `backup` wrote
    dir: PathBuf,
}

pub(super) fn restore(args: RestoreArgs, context: &Context) -> Result<()> {
    let config = context.config()?;
    if config.store.url.is_some() {
        bail!("a PostgreSQL store is restored with the database's own tools (pg_restore)");
    }
    store::restore(&args.dir, &config.data_dir)?;
    if context.json() {
        return print::json(&json!({ "from": args.dir, "to": config.data_dir }));
    }
    println!("restored {} to {}", args.dir.display(), config.data_dir.display());
    let store = store::open(&config.data_dir, &config.store)?;
    let from = args.dir.display().to_string();
    let live = tokens::restored(store.as_ref(), &user::own(Via::User), &from)?;
    if live > 0 {
        println!(
            "{} of use came back, also those that were revoked since: see `crawler token list`",
            print::many(live as u64, "token")
        );
    }
    Ok(())
}
