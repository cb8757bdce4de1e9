//! `crawler import`: a whole store, as `crawler export --whole` wrote it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::crawl::clock;
use crate::serve::user;
use crate::store::decision::{Change, Topic, Via};
use crate::store::transfer::{End, Item};
use crate::store::{self, StoreError};

use super::context::Context;
use super::print;

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
    let mut items = Items { lines: input.lines(), read: 0, ended: false };
    // Before there is a store: a file of something else leaves none behind.
    let head = head(&mut items)?;
    if head.is_empty() {
        bail!("there is nothing in {}", args.file.display());
    }
    same_zone(&head, &config.timezone)?;
    let store = store::open(&config.data_dir, &config.store())?;
    let taken = store.import(&mut head.into_iter().map(Ok).chain(items))?;
    let words = format!("{taken} records taken over from {}", args.file.display());
    let decision = user::own(Via::User).decides(clock::now(), Topic::Store, words);
    store.change(Change::Nothing, Some(&decision))?;
    store.flush()?;
    if context.json() {
        return print::json(&json!({ "records": taken }));
    }
    println!("{} taken over; `crawler verify` checks them", print::many(taken, "record"));
    Ok(())
}

/// What an export begins with: brands, named values, and the first item of anything else.
fn head(items: &mut Items) -> Result<Vec<Item>> {
    let mut head = Vec::new();
    for item in items {
        let item = item?;
        let goes_on = matches!(item, Item::Brands(_) | Item::Value { .. });
        head.push(item);
        if !goes_on {
            break;
        }
    }
    Ok(head)
}

/// Its articles count on the days of its zone, and are taken over so.
fn same_zone(head: &[Item], configured: &str) -> Result<()> {
    for item in head {
        if let Item::Value { name, value } = item
            && name == "timezone"
            && value.0 != configured.as_bytes()
        {
            bail!(
                "the export counts days in `{}`, the configuration says `{configured}`: set `timezone` to that of \
                 the export",
                String::from_utf8_lossy(&value.0)
            );
        }
    }
    Ok(())
}

/// The items of a whole export; an error where it is cut off, or goes on behind its end.
struct Items {
    lines: std::io::Lines<Box<dyn BufRead>>,
    /// Lines that were read.
    read: u64,
    ended: bool,
}

impl Items {
    fn item(&self, line: std::io::Result<String>) -> Result<Option<Item>, String> {
        let number = self.read;
        if self.ended {
            return Err(format!("line {number} stands behind the end of the export"));
        }
        let line = line.map_err(|e| format!("line {number} cannot be read: {e}"))?;
        match serde_json::from_str(&line) {
            Ok(End { end }) if end == number - 1 => Ok(None),
            Ok(End { end }) => {
                Err(format!("of {end} records that were exported, {} are here", number - 1))
            }
            Err(_) => serde_json::from_slice(line.as_bytes())
                .map(Some)
                .map_err(|e| format!("line {number} cannot be read: {}", without_place(&e))),
        }
    }
}

impl Iterator for Items {
    type Item = Result<Item, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(line) = self.lines.next() else {
                let cut = !std::mem::replace(&mut self.ended, true);
                return (cut && self.read > 0).then(|| {
                    Err(StoreError::Other(format!(
                        "the export is cut off behind line {}: export it again",
                        self.read
                    )))
                });
            };
            self.read += 1;
            match self.item(line) {
                Ok(Some(item)) => return Some(Ok(item)),
                Ok(None) => self.ended = true,
                Err(why) => return Some(Err(StoreError::Other(why))),
            }
        }
    }
}

/// What is wrong with a line, without the place in it as the parser counts: each line is its first.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line 1 column ") {
        Some((what, column)) => format!("{what} at character {column}"),
        None => text,
    }
}
