//! `crawler forget`.

use anyhow::Result;

use crate::crawl::orders::forget::{Forgotten, LedTo};
use crate::serve::order::Order;

use super::context::Context;
use super::print;

#[derive(clap::Args)]
pub(super) struct Args {
    /// URL or key of an article, or the name of an outlet
    #[arg(value_name = "URL|OUTLET")]
    what: String,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let gone: Forgotten = context.ask_one(Order::Forget { what: args.what.clone() })?;
    if context.json() {
        return print::json(&gone);
    }
    told(&gone);
    if let Some(LedTo { key, url }) = &gone.led_to {
        println!(
            "it led to another outlet's {url}, which stays: see `crawler show {key}`, `crawler forget {key}` removes it, too"
        );
    }
    Ok(())
}

fn told(gone: &Forgotten) {
    if gone.unseen && gone.entries == 0 {
        println!(
            "nothing of this address is stored (`crawler articles` lists URLs); it will not be fetched"
        );
        return;
    }
    if gone.entries == 0 && gone.outlet.is_none() {
        println!("it was forgotten before");
        return;
    }
    println!(
        "forgotten: {}, {}; they are not fetched again",
        print::many(gone.articles as u64, "article"),
        print::many(gone.entries as u64, "entry")
    );
    if let Some(outlet) = &gone.outlet {
        println!(
            "{} of {outlet} paused, whatever else it publishes is not kept",
            print::many(gone.feeds as u64, "feed")
        );
    }
    if gone.articles > 0 {
        println!(
            "backups and databases set aside by a repair still hold their texts, and `crawler compact` overwrites what is left of their addresses"
        );
    }
}
