//! `crawler replay`: archived pages read again with another model.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::crawl::orders::repair;
use crate::crawl::orders::replay::{self, Plan, Replay};
use crate::model::{Bytes, Day};
use crate::serve::order::Order;
use crate::store;

use super::context::{self, Context};
use super::{BAD_NEWS, brands, in_order, print, usage};

#[derive(clap::Args)]
pub(super) struct Args {
    /// WARC files or directories [default: `archive.dir`]
    #[arg(value_name = "ARCHIVE")]
    archives: Vec<PathBuf>,
    /// Model file to extract with [default: the model in use]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// First publication day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    from: Option<Day>,
    /// Last publication day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    to: Option<Day>,
    /// Write a copy of the store, with the articles as they are extracted now, to this new directory
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context) -> Result<ExitCode> {
    in_order(args.from, args.to)?;
    let config = context.config()?;
    let mut archives = args.archives;
    if archives.is_empty() {
        archives.extend(config.archive.dir.clone());
    }
    if archives.is_empty() {
        return Err(usage(
            "nothing to replay: name WARC files or a directory of them, or set `archive.dir`",
        ));
    }
    // The daemon may run in another directory.
    for path in &mut archives {
        *path = std::path::absolute(&*path)
            .with_context(|| format!("cannot resolve {}", path.display()))?;
    }
    let model = match &args.model {
        None => None,
        Some(file) => {
            context::model(Some(file))?;
            let bytes = std::fs::read(file);
            Some(Bytes(bytes.with_context(|| format!("cannot read the model {}", file.display()))?))
        }
    };
    let plan = Plan { archives, from: args.from, to: args.to };
    let answer = match &args.into {
        None => context.ask_one(Order::Replay { plan, model })?,
        Some(into) => copy(context, &plan, model.as_ref(), into)?,
    };
    let code = if answer.trouble.is_empty() { 0 } else { BAD_NEWS };
    if context.json() {
        print::json(&answer)?;
        return Ok(ExitCode::from(code));
    }
    show(&answer);
    if let Some(into) = args.into {
        println!("the changed store is in {}: compare, then set data_dir", into.display());
    }
    Ok(ExitCode::from(code))
}

/// Replays in a copy of the store, and makes the copy agree with what came out.
fn copy(context: &Context, plan: &Plan, model: Option<&Bytes>, into: &Path) -> Result<Replay> {
    let config = context.config()?;
    let into =
        std::path::absolute(into).with_context(|| format!("cannot resolve {}", into.display()))?;
    context.stream(Order::Backup { to: into.clone() }, &mut |_| Ok(()))?;
    let spool = tempfile::tempfile_in(&into).context("cannot create a temporary file")?;
    let mut writer = std::io::BufWriter::new(&spool);
    let answer = {
        let store = store::open(&into, &config.store())?;
        let engine = context::engine(&config, store)?;
        replay::replay(&engine, plan, model.map(|file| file.0.as_slice()), &mut |record| {
            std::io::Write::write_all(&mut writer, &serde_json::to_vec(&record)?)?;
            Ok(std::io::Write::write_all(&mut writer, b"\n")?)
        })?
    };
    std::io::Write::flush(&mut writer)?;
    drop(writer);
    let mut spool = spool;
    std::io::Seek::rewind(&mut spool)?;
    let reader = std::io::BufReader::new(spool);
    let mut failure = None;
    let mut records = serde_json::Deserializer::from_reader(reader)
        .into_iter()
        .map_while(|record| record.map_err(|error| failure = Some(error)).ok());
    store::rewrite(&into, &config.store(), &mut records)?;
    drop(records);
    if let Some(error) = failure {
        return Err(error).context("the temporary file cannot be read back");
    }
    let plan = repair::Plan {
        data_dir: &into,
        store: &config.store,
        dedupe: &config.dedupe,
        memory: config.retention.memory,
        timezone: &config.timezone,
        brands: &|| config.brands.as_deref().map(brands::read).transpose(),
    };
    let report = repair::repair(&plan, &mut |note| tracing::info!("{note}"))?;
    // The database of the copy as it was before is of no use to anybody.
    if let Some(aside) = report.aside {
        std::fs::remove_dir_all(&aside)
            .with_context(|| format!("cannot remove {}", aside.display()))?;
    }
    Ok(answer)
}

fn show(answer: &Replay) {
    let mut table = print::table(&["brand", "day", "articles", "now", "mentions", "now"]);
    for change in &answer.changes {
        let (articles, mentions) = (change.shift.articles, change.shift.mentions);
        let cells = [articles[0], articles[1], mentions[0], mentions[1]].map(|n| n.to_string());
        let mut row = vec![change.brand.clone(), change.day.to_string()];
        row.extend(cells);
        print::row(&mut table, row);
    }
    if answer.changes.is_empty() {
        println!("no count changes ({} compared)", print::many(answer.compared, "brand day"));
    } else {
        print::show(table);
        let all = print::many(answer.compared, "brand day");
        println!("{} of {all} changed", print::number(answer.changes.len()));
    }
    println!(
        "{}: {} the same, {} changed, {} from a page that was none, {} lost; {} of no page of the store; model {}",
        print::many(answer.pages, "page"),
        print::many(answer.same, "article"),
        print::number(answer.changed),
        print::number(answer.gained),
        print::number(answer.lost),
        print::many(answer.unknown, "archived answer"),
        answer.model
    );
    if answer.without_text > 0 {
        println!(
            "{} kept without text, because of their age, stay as they are",
            print::many(answer.without_text, "article")
        );
    }
    if answer.without_memory > 0 {
        println!(
            "{} had been read with a memory of the outlet that is not kept any more \
             (retention.memory), and now without it",
            print::many(answer.without_memory, "page")
        );
    }
    for trouble in &answer.trouble {
        println!("{trouble}");
    }
    let unnamed = answer.damaged.saturating_sub(replay::NAMED);
    if unnamed > 0 {
        println!("damaged, too: {}", print::many(unnamed, "archived answer"));
    }
}
