//! `crawler export`: tables as JSON Lines, CSV or Parquet; one stream, or a file per day.

mod days;
mod form;
mod parquet;

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use crate::model::Day;
use crate::query::{Question, SCHEMA, Table};
use crate::store::transfer::End;

use super::context::Context;
use super::{plain, print, usage, whole};
use form::Form;

/// Takes rows, and must be told the end.
trait Rows {
    fn put(&mut self, row: &Value) -> Result<()>;
    fn end(self: Box<Self>) -> Result<()>;
}

#[derive(clap::Args)]
pub(super) struct Args {
    /// The tables [default: articles; with --csv mentions; with --into all of them]
    #[arg(long = "table", value_name = "TABLE", value_enum, value_delimiter = ',')]
    tables: Vec<Table>,
    /// One JSON object per line (the default)
    #[arg(long, conflicts_with_all = ["csv", "parquet"])]
    jsonl: bool,
    /// Comma-separated values with a line of headings
    #[arg(long, conflicts_with = "parquet")]
    csv: bool,
    /// Parquet, compressed with zstd
    #[arg(long)]
    parquet: bool,
    /// The whole store, for `crawler import`: every record, one JSON object per line
    #[arg(long, conflicts_with_all = ["csv", "jsonl", "parquet", "from", "to", "tables", "into", "schema"])]
    whole: bool,
    /// First day
    #[arg(long, visible_alias = "since", value_name = "DAY", value_parser = crate::model::written_day)]
    from: Option<Day>,
    /// Last day
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    to: Option<Day>,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE", conflicts_with = "into")]
    output: Option<PathBuf>,
    /// Write a file per table and day into this directory; next time only the days that have changed
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Print the columns of the tables instead
    #[arg(long, conflicts_with_all = ["into", "output"])]
    schema: bool,
}

impl Args {
    /// Does more come of it than what it prints?
    pub(super) fn writes_files(&self) -> bool {
        let file = self.output.as_deref().filter(|path| !whole::is_output(path));
        self.into.is_some() || file.is_some()
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    super::in_order(args.from, args.to)?;
    if context.json() && args.into.is_none() && (args.csv || args.parquet) {
        return Err(usage("--json is another form than --csv and --parquet: give one of them"));
    }
    if args.schema {
        return schema(&args, context);
    }
    let form = match (args.csv, args.parquet) {
        (true, _) => Form::Csv,
        (_, true) => Form::Parquet,
        _ => Form::Jsonl,
    };
    if let Some(dir) = &args.into {
        let tables = if args.tables.is_empty() { Table::ALL.to_vec() } else { args.tables };
        return days::keep(dir, &tables, form, (args.from, args.to), context);
    }
    match &args.output {
        Some(path) => whole::replace(path, &mut |file| write(&args, form, file, context)),
        None => write(&args, form, &mut *plain::output(), context),
    }
}

/// One stream: the whole store or one table.
fn write(args: &Args, form: Form, out: &mut (dyn Write + Send), context: &Context) -> Result<()> {
    if args.whole {
        let mut out = BufWriter::new(out);
        let mut records = 0;
        context.stream(Question::ExportWhole, &mut |value| {
            records += 1;
            serde_json::to_writer(&mut out, &value)?;
            Ok(out.write_all(b"\n")?)
        })?;
        serde_json::to_writer(&mut out, &End { end: records })?;
        out.write_all(b"\n")?;
        return Ok(out.flush()?);
    }
    let table = match args.tables.as_slice() {
        [] if args.csv => Table::Mentions,
        [] => Table::Articles,
        [table] => *table,
        _ => return Err(usage("more than one table needs --into DIR")),
    };
    let mut rows = form.rows(table, out)?;
    let question = Question::Export { table, from: args.from, to: args.to };
    context.stream(question, &mut |row| rows.put(&row))?;
    rows.end()?;
    Ok(out.flush()?)
}

/// A column as it is told.
#[derive(Serialize)]
struct ColumnLine {
    table: &'static str,
    column: &'static str,
    kind: &'static str,
    empty: bool,
    about: &'static str,
}

fn schema(args: &Args, context: &Context) -> Result<()> {
    let wanted = |table: &Table| args.tables.is_empty() || args.tables.contains(table);
    let lines: Vec<ColumnLine> = Table::ALL
        .into_iter()
        .filter(wanted)
        .flat_map(|table| {
            table.columns().iter().map(move |column| ColumnLine {
                table: table.name(),
                column: column.name,
                kind: column.kind.name(),
                empty: column.empty,
                about: column.about,
            })
        })
        .collect();
    if context.json() {
        return print::json(&serde_json::json!({ "schema": SCHEMA, "columns": lines }));
    }
    let mut table = print::table(&["table", "column", "kind", "empty", "what it is"]);
    for line in lines {
        let empty = if line.empty { "may be" } else { "" };
        let cells = [line.table, line.column, line.kind, empty, line.about];
        print::row(&mut table, cells.map(str::to_owned).to_vec());
    }
    print::show(table);
    println!("schema {SCHEMA}");
    Ok(())
}
