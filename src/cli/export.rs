//! `crawler export`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::model::Day;
use crate::query::{ExportRow, Question};

use super::context::Context;
use super::plain;

#[derive(clap::Args)]
pub(super) struct Args {
    /// One JSON object a line (the default)
    #[arg(long, conflicts_with = "csv")]
    jsonl: bool,
    /// One line per article and brand
    #[arg(long)]
    csv: bool,
    /// The whole store, for `crawler import`: every record, one JSON object a line
    #[arg(long, conflicts_with_all = ["csv", "jsonl", "from", "to"])]
    whole: bool,
    /// First publication day
    #[arg(long, value_name = "DAY")]
    from: Option<Day>,
    /// Last publication day
    #[arg(long, value_name = "DAY")]
    to: Option<Day>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    super::in_order(args.from, args.to)?;
    let out: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(
            File::create(path).with_context(|| format!("cannot create {}", path.display()))?,
        ),
        None => plain::output(),
    };
    let mut out = BufWriter::new(out);
    let question = match args.whole {
        true => Question::ExportWhole,
        false => Question::Export { from: args.from, to: args.to },
    };
    if args.csv {
        let mut csv = csv::Writer::from_writer(&mut out);
        csv.write_record(["day", "brand", "counted", "suppressed", "outlet", "story", "url"])?;
        context
            .stream(question, &mut |value| csv_rows(&mut csv, &serde_json::from_value(value)?))?;
        csv.flush()?;
    } else {
        context.stream(question, &mut |value| {
            serde_json::to_writer(&mut out, &value)?;
            Ok(out.write_all(b"\n")?)
        })?;
    }
    Ok(out.flush()?)
}

fn csv_rows<W: Write>(csv: &mut csv::Writer<W>, row: &ExportRow) -> Result<()> {
    for (brand, counts) in &row.mentions {
        csv.write_record([
            row.day.to_string(),
            brand.clone(),
            counts.counted.to_string(),
            counts.suppressed.to_string(),
            row.outlet.clone(),
            row.story.map_or_else(String::new, |s| s.to_string()),
            row.url.clone(),
        ])?;
    }
    Ok(())
}
