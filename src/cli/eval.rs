//! `crawler eval`: how well pages are extracted, against their gold.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::learn::eval::Scope;
use crate::learn::{self, EvalOptions, Progress, Subject};

use super::context::{self, Context};
use super::print;
use super::train::{Labeler, write};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Labelled corpora: folders with pages/ and gold.jsonl
    #[arg(required = true, value_name = "CORPUS")]
    corpora: Vec<PathBuf>,
    /// Model file; without it the configured or embedded one
    #[arg(long, value_name = "FILE", conflicts_with = "folds")]
    model: Option<PathBuf>,
    /// Train on all but one of so many folds, grouped by domain, and test on that one
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    #[command(flatten)]
    labeler: Labeler,
    /// Names for mention F1, one a line
    #[arg(long, value_name = "FILE")]
    brands: Option<PathBuf>,
    /// Score the labeler's content blocks as they are, without the naming of blocks and the fallback
    #[arg(long)]
    labels_only: bool,
    /// Read each page with the memory of the other pages of its domain: what they share is furniture
    #[arg(long, conflicts_with = "labels_only")]
    site_memory: bool,
    /// Write one row per page to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let subject = match args.folds {
        Some(folds) => Subject::Folds {
            settings: Box::new(args.labeler.settings()?),
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
        site_memory: args.site_memory,
    };
    let bar = print::progress();
    let report = learn::eval(&options, &|step: Progress| print::advance(&bar, &step))?;
    bar.finish_and_clear();
    if let Some(file) = &args.csv {
        write(file, report.csv()?.as_bytes())?;
    }
    println!("{}", if context.json() { report.json()? } else { report.table() });
    Ok(())
}
