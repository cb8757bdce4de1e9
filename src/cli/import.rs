//! `crawler import`: a whole store, as `crawler export --whole` wrote it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::crawl::clock;
use crate::serve::user;
use crate::store::decision::{Change, Topic, Via};
use crate::store::{self, StoreError};

use super::context::Context;

#[derive(clap::Args)]
pub(super) struct Args {
    /// File that `crawler export --whole` wrote; `-`: standard input
    file: PathBuf,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let config = context.config()?;
    let input: Box<dyn BufRead> = if args.file.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        let name = args.file.display();
        Box::new(BufReader::new(
            File::open(&args.file).with_context(|| format!("cannot open {name}"))?,
        ))
    };
    let mut lines = 0;
    let mut items = input.lines().map(|line| {
        lines += 1;
        let read = |e: String| StoreError::Other(format!("line {lines} cannot be read: {e}"));
        let line = line.map_err(|e| read(e.to_string()))?;
        serde_json::from_slice(line.as_bytes()).map_err(|e| read(e.to_string()))
    });
    // Before there is a store: a file of something else leaves none behind.
    let Some(first) = items.next().transpose()? else {
        bail!("there is nothing in {}", args.file.display());
    };
    let store = store::open(&config.data_dir, &config.store())?;
    let taken = store.import(&mut std::iter::once(Ok(first)).chain(items))?;
    let words = format!("{taken} records taken over from {}", args.file.display());
    let decision = user::own(Via::User).decides(clock::now(), Topic::Store, words);
    store.change(Change::Nothing, Some(&decision))?;
    store.flush()?;
    println!("{taken} records taken over; `crawler verify` checks them");
    Ok(())
}
