//! `crawler eval`: how well pages are extracted, against their gold and beside other systems.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::learn::eval::tables;
use crate::learn::eval::texts::Line;
use crate::learn::{self, Against, EvalOptions, EvalReport, Progress, Scope, Subject};

use super::context::{self, Context};
use super::train::{Labeler, at_least};
use super::whole::Begun;
use super::{print, usage};

/// What is measured, where it is not how texts are extracted: then most options have nothing to say.
const MODES: [&str; 4] = ["senses", "agencies", "page_classifier", "occurrences"];

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("mode").args(MODES))]
pub(super) struct Args {
    /// Labelled corpora: folders with pages/ and gold.jsonl
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    /// Model file [default: the configured one, or the program's own]
    #[arg(long, value_name = "FILE", conflicts_with = "folds")]
    model: Option<PathBuf>,
    /// Cross-validate with this many folds, grouped by domain: train on all but one, test on that one
    #[arg(long, value_name = "N", value_parser = at_least(2))]
    folds: Option<usize>,
    /// Score the texts of any system: one JSON object per line with `id`, `text` and, if two corpora share
    /// an id, `corpus`; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "folds", "labels_only", "site_memory", "mode"])]
    texts: Vec<PathBuf>,
    /// Compare with another system's texts, with the paired 95 % interval of every difference; may be
    /// repeated
    #[arg(long, value_name = "NAME=FILE", value_parser = named, conflicts_with = "mode")]
    against: Vec<(String, PathBuf)>,
    /// The same for every DIR/CORPUS/NAME.jsonl
    #[arg(long, value_name = "DIR", conflicts_with = "mode")]
    peers: Option<PathBuf>,
    #[command(flatten)]
    labeler: Labeler,
    /// Names for mention F1, one per line
    #[arg(long, value_name = "FILE", conflicts_with = "mode")]
    brands: Option<PathBuf>,
    /// Score the labeler's content blocks as they are, without the naming of blocks and the fallback
    #[arg(long, conflicts_with = "mode")]
    labels_only: bool,
    /// What to print of extraction: table, json, csv (a row per page, or per compared figure) or svg; else table or json
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// List this many of the worst pages below the table, by score and by CPU time
    #[arg(long, value_name = "N", conflicts_with = "mode")]
    worst: Option<usize>,
    /// Read each page with the memory of the other pages of its domain: what many of them print is no article text
    #[arg(long, conflicts_with_all = ["labels_only", "mode"])]
    site_memory: bool,
    /// Leave the title out of gold texts that begin with it, and of every system's text
    #[arg(long, conflicts_with = "mode")]
    without_title: bool,
    /// Also measure what the page-level decoder gains over the trees alone, and what edits chosen by gold would
    #[arg(long, conflicts_with_all = ["texts", "mode"])]
    oracle: bool,
    /// Measure how many answers the names of DIR/NAME.tsv need until their model is right
    #[arg(long, value_name = "DIR", conflicts_with_all = ["model", "folds"])]
    senses: Option<PathBuf>,
    /// Measure how many of the agencies that the pages of FILE credit are found
    #[arg(long, value_name = "FILE", conflicts_with = "folds")]
    agencies: Option<PathBuf>,
    /// Count what pages of each type are taken for; with --folds N: one article, article with comments or several, on
    /// pages of domains that the trees were not grown on
    #[arg(long)]
    page_classifier: bool,
    /// List the mentions of a name in the gold texts, to be labelled for --senses
    #[arg(long, value_name = "NAME", conflicts_with_all = ["model", "folds"])]
    occurrences: Option<String>,
    /// Write one row per page to this file
    #[arg(long, value_name = "FILE", conflicts_with = "mode")]
    csv: Option<PathBuf>,
    /// Write the extracted texts to this file, as `--texts` and `--against` read them
    #[arg(long, value_name = "FILE", conflicts_with = "mode")]
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

/// Refuses what clap cannot know to be ignored.
fn check(args: &Args, context: &Context) -> Result<()> {
    let is_mode = args.senses.is_some() || args.agencies.is_some() || args.occurrences.is_some();
    let labeler = &args.labeler;
    let unread = match (args.page_classifier, args.folds) {
        (true, Some(_)) => labeler.unread(&["--seed"]),
        (true, None) => labeler.unread(&[]),
        _ if is_mode => labeler.unread(&[]),
        (false, None) => match labeler.unread(&["--page-type"]) {
            Some(option) => {
                return Err(usage(format!(
                    "{option} is about training: a labeler is trained and tested with --folds N; a finished model is \
                     --model FILE"
                )));
            }
            None => None,
        },
        (false, Some(_)) => {
            labeler.check()?;
            None
        }
    };
    if let Some(option) = unread {
        return Err(usage(format!("{option} has nothing to say of what is measured here")));
    }
    let tables = match args.occurrences {
        // A list of lines that people and programs read.
        Some(_) => args.format == Format::Table,
        None => matches!(args.format, Format::Table | Format::Json),
    };
    if (is_mode || args.page_classifier) && !tables {
        return Err(usage("--format csv and svg are of extraction: leave --format out"));
    }
    if args.worst.is_some() && (args.format != Format::Table || context.json()) {
        return Err(usage("--worst lists pages below the table: leave --format and --json out"));
    }
    Ok(())
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    check(&args, context)?;
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
    let begin = |file: &Option<PathBuf>| file.as_deref().map(Begun::at).transpose();
    let (csv, texts) = (begin(&args.csv)?, begin(&args.save_texts)?);
    let bar = print::progress();
    let report = learn::eval(&options, &|step: Progress| print::advance(&bar, &step))?;
    bar.finish_and_clear();
    if let Some(file) = csv {
        let rows = report.csv()?;
        file.end(&mut |file| Ok(file.write_all(rows.as_bytes())?))?;
    }
    if let Some(file) = texts {
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

fn save_texts(file: Begun, report: &EvalReport) -> Result<()> {
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
    file.end(&mut |file| Ok(file.write_all(&rows)?))
}
