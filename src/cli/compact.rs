//! `crawler compact`: gives back disk space, beside a running daemon, too.

use anyhow::{Result, bail};

use crate::serve::order::Order;
use crate::store::Compaction;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args, context: &Context) -> Result<()> {
    if context.config()?.store.url.is_some() {
        bail!("a PostgreSQL store needs no compaction: the database vacuums it");
    }
    let done: Option<Compaction> = context.ask_one(Order::Compact)?;
    if context.json() {
        return print::json(&done);
    }
    match done {
        Some(Compaction { before, after }) => println!(
            "the databases now take {} instead of {}",
            print::bytes(after),
            print::bytes(before)
        ),
        None => {
            println!("nothing was gained: the store is being read all the time; try again later")
        }
    }
    Ok(())
}
