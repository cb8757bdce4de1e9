//! `crawler eval`: how well pages are extracted, against their gold and beside other systems.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::learn::eval::tables;
use crate::learn::eval::texts::Line;
use crate::learn::{self, Against, EvalOptions, EvalReport, Progress, Scope, Subject};

use super::context::{self, Context};
use super::print;
use super::train::{Labeler, write};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Labelled corpora: folders with pages/ and gold.jsonl
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    /// Model file [default: the configured one, or the program's own]
    #[arg(long, value_name = "FILE", conflicts_with = "folds")]
    model: Option<PathBuf>,
    /// Cross-validate with this many folds, grouped by domain: train on all but one, test on that one
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    /// Score the texts of any system: one JSON object per line with `id`, `text` and, if two corpora share
    /// an id, `corpus`; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "folds", "labels_only"])]
    texts: Vec<PathBuf>,
    /// Compare with another system's texts, with the paired 95 % interval of every difference; may be
    /// repeated
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    against: Vec<(String, PathBuf)>,
    /// The same for every DIR/CORPUS/NAME.jsonl
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    #[command(flatten)]
    labeler: Labeler,
    /// Names for mention F1, one per line
    #[arg(long, value_name = "FILE")]
    brands: Option<PathBuf>,
    /// Score the labeler's content blocks as they are, without the naming of blocks and the fallback
    #[arg(long)]
    labels_only: bool,
    /// What to print: table, json, csv (a row per page, or per compared figure) or svg
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// List this many of the worst pages, by score and by CPU time
    #[arg(long, value_name = "N")]
    worst: Option<usize>,
    /// Read each page with the memory of the other pages of its domain: what many of them print is no article text
    #[arg(long, conflicts_with = "labels_only")]
    site_memory: bool,
    /// Leave the title out of gold texts that begin with it, and of every system's text
    #[arg(long)]
    without_title: bool,
    /// Also measure what the page-level decoder gains over the trees alone, and what edits chosen by gold would
    #[arg(long, conflicts_with_all = ["texts", "senses", "agencies", "page_classifier", "occurrences"])]
    oracle: bool,
    /// Measure how many answers the names of DIR/NAME.tsv need until their model is right
    #[arg(long, value_name = "DIR", conflicts_with_all = ["model", "folds", "texts", "labels_only"])]
    senses: Option<PathBuf>,
    /// Measure how many of the agencies that the pages of FILE credit are found
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "texts", "labels_only", "senses"])]
    agencies: Option<PathBuf>,
    /// Count what pages of each type are taken for; with --folds N: one article, article with comments or several, on
    /// pages of domains that the trees were not grown on
    #[arg(long, conflicts_with_all = ["texts", "labels_only", "senses", "agencies"])]
    page_classifier: bool,
    /// List the mentions of a name in the gold texts, to be labelled for --senses
    #[arg(long, value_name = "NAME", conflicts_with = "senses")]
    occurrences: Option<String>,
    /// Write one row per page to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the extracted texts to this file, as `--texts` and `--against` read them
    #[arg(long, value_name = "FILE")]
    save_texts: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Table,
    Json,
    Csv,
    Svg,
}

fn named(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), file.into()))
        }
        _ => Err("write NAME=FILE".into()),
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    if let Some(name) = &args.occurrences {
        learn::senses::occurrences(&args.corpora, name)?.iter().for_each(|line| println!("{line}"));
        return Ok(());
    }
    if let Some(folder) = &args.senses {
        let curves = learn::senses::curves(&args.corpora, folder)?;
        if context.json() || args.format == Format::Json {
            return print::json(&curves);
        }
        println!("{}", learn::senses::table(&curves).trim_end());
        return Ok(());
    }
    if let Some(labels) = &args.agencies {
        let model = context::model(args.model.as_ref().or(context.config()?.model.as_ref()))?;
        let score = learn::agencies::score(&args.corpora, labels, &model)?;
        if context.json() || args.format == Format::Json {
            return print::json(&score);
        }
        println!("{}", learn::agencies::table(&score).trim_end());
        return Ok(());
    }
    if args.page_classifier {
        let model = context::model(args.model.as_ref().or(context.config()?.model.as_ref()))?;
        let bar = print::progress();
        if let Some(folds) = args.folds {
            let seed = args.labeler.seed();
            let found = learn::page_types::three(&args.corpora, folds, seed, &|step| {
                print::advance(&bar, &step);
            })?;
            bar.finish_and_clear();
            if context.json() || args.format == Format::Json {
                return print::json(&found);
            }
            println!("{}", found.table().trim_end());
            return Ok(());
        }
        let rows =
            learn::page_types::count(&args.corpora, &model, &|step| print::advance(&bar, &step))?;
        bar.finish_and_clear();
        if context.json() || args.format == Format::Json {
            return print::json(&rows);
        }
        println!("{}", learn::page_types::table(&rows).trim_end());
        return Ok(());
    }
    let subject = match args.folds {
        _ if !args.texts.is_empty() => Subject::Texts(args.texts),
        Some(folds) => Subject::Folds {
            settings: Box::new(args.labeler.settings()),
            folds,
            seed: args.labeler.seed(),
        },
        None if args.labeler.is_named() => {
            bail!(
                "a labeler is trained and tested with --folds N; a finished model is --model FILE"
            )
        }
        None => {
            let config = context.config()?;
            let file = args.model.as_ref().or(config.model.as_ref());
            Subject::Model(Box::new(context::model(file)?))
        }
    };
    let brands = match &args.brands {
        Some(file) => std::fs::read_to_string(file)
            .with_context(|| format!("cannot read the names {}", file.display()))?,
        None => String::new(),
    };
    let options = EvalOptions {
        corpora: args.corpora,
        subject,
        page_types: args.labeler.page_types(),
        brands,
        scope: if args.labels_only { Scope::Labels } else { Scope::Article },
        against: Against { files: args.against, folder: args.peers },
        site_memory: args.site_memory,
        without_title: args.without_title,
        oracle: args.oracle,
    };
    let bar = print::progress();
    let report = learn::eval(&options, &|step: Progress| print::advance(&bar, &step))?;
    bar.finish_and_clear();
    if let Some(file) = &args.csv {
        write(file, report.csv()?.as_bytes())?;
    }
    if let Some(file) = &args.save_texts {
        save_texts(file, &report)?;
    }
    let format = if context.json() { Format::Json } else { args.format };
    match (format, &report.comparison) {
        (Format::Table, _) => {
            println!("{}", report.table());
            if let Some(count) = args.worst {
                println!("{}", tables::worst(&report.pages, count));
            }
        }
        (Format::Json, _) => println!("{}", report.json()?),
        (Format::Csv, Some(comparison)) => {
            println!("{}", tables::comparison_csv(comparison)?.trim_end())
        }
        (Format::Csv, None) => println!("{}", report.csv()?.trim_end()),
        (Format::Svg, _) => println!("{}", report.svg().trim_end()),
    }
    Ok(())
}

fn save_texts(file: &Path, report: &EvalReport) -> Result<()> {
    let mut rows = Vec::new();
    for page in &report.pages {
        let line = Line {
            id: page.id.clone(),
            corpus: Some(page.corpus.clone()),
            text: page.text.clone(),
            said: page.said.clone(),
            seconds: page.seconds,
            error: page.error.clone(),
        };
        serde_json::to_writer(&mut rows, &line)?;
        rows.write_all(b"\n")?;
    }
    write(file, &rows)
}
