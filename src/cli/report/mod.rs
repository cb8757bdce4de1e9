//! `crawler report`: one page about one brand, for people who read it, send it on or print it.

mod pdf;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::model::Day;
use crate::query::{Question, Report, ReportQuery};
use crate::report;
use crate::words::Language;

use super::context::Context;
use super::{plain, print, usage, whole};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The brand
    #[arg(long)]
    brand: String,
    /// First day [default: thirty days in all]
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    from: Option<Day>,
    /// Last day [default: today]
    #[arg(long, value_name = "DAY", value_parser = crate::model::written_day)]
    to: Option<Day>,
    /// Language of the page
    #[arg(long, value_name = "LANGUAGE", value_parser = Language::ALL.map(Language::tag),
        default_value = Language::default().tag())]
    language: String,
    /// Write to this file instead of standard output (.html); for a file named .pdf the machine's Chromium prints it
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    super::in_order(args.from, args.to)?;
    let language: Language = args.language.parse().map_err(usage)?;
    let asked = ReportQuery { brand: args.brand, from: args.from, to: args.to };
    let printed = args.output.as_deref().is_some_and(pdf::is_wanted);
    if printed && context.json() {
        return Err(usage("`--json` is no PDF: name a .json file".to_owned()));
    }
    let ending = args.output.as_deref().and_then(Path::extension);
    let known = match context.json() {
        true => "json",
        false => "html htm pdf",
    };
    let is = |known: &str| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(known));
    if ending.is_some() && !known.split(' ').any(is) {
        return Err(usage(format!(
            "a report is HTML, PDF or, with `--json`, JSON: name a file .html, .pdf or .json, not {}",
            args.output.unwrap_or_default().display()
        )));
    }
    let report: Report = context.ask_one(Question::Report(asked))?;
    let text = match context.json() {
        true => print::pretty(&report)? + "\n",
        false => report::page(&report, language),
    };
    let Some(path) = args.output else {
        return Ok(plain::output().write_all(text.as_bytes())?);
    };
    if printed {
        pdf::write(&text, &path)?;
    } else {
        whole::replace(&path, &mut |file| Ok(file.write_all(text.as_bytes())?))?;
    }
    let stories: i64 = report.days.iter().map(|line| line.stories).sum();
    let counted: i64 = report.days.iter().map(|line| line.articles).sum();
    // The list in the report has these, too.
    let others = report.articles.len() as i64 - counted;
    let others = match others {
        ..=0 => String::new(),
        1 => "; 1 more names it only where it is not counted".to_owned(),
        n => format!("; {n} more name it only where it is not counted"),
    };
    let sentence = format!(
        "{} with {} and {}{others}",
        path.display(),
        print::many(stories.unsigned_abs(), "story"),
        print::many(counted.unsigned_abs(), "article")
    );
    match whole::is_output(&path) {
        true => eprintln!("{sentence}"),
        false => println!("{sentence}"),
    }
    Ok(())
}
