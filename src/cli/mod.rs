//! The command line: one file per command with its arguments, its run and its print.
//!
//! Must not know: how stages work; it calls crawl, serve, learn and query.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use clap::{Parser, Subcommand};

/// The standard macro panics when the reader of a pipe has gone; this one ends quietly.
macro_rules! println {
    () => { $crate::cli::say(format_args!("")) };
    ($($arg:tt)*) => { $crate::cli::say(format_args!($($arg)*)) };
}

/// The same on standard error.
macro_rules! eprintln {
    ($($arg:tt)*) => { $crate::cli::complain(format_args!($($arg)*)) };
}

mod alerts;
mod annotate;
mod articles;
mod backup;
mod brands;
mod check;
mod compact;
mod completions;
mod config;
mod context;
mod demo;
mod demo_corpus;
mod digest;
mod discover;
mod doctor;
mod eval;
mod explain;
mod export;
mod extract;
mod feeds;
mod filter;
mod forget;
mod import;
mod log;
mod logging;
mod man;
#[cfg(feature = "mcp")]
mod mcp;
mod mentions;
mod migrate;
mod model;
mod notes;
mod notify;
mod outlets;
mod plain;
mod print;
mod repair;
mod replay;
mod report;
mod run;
mod search;
mod seed;
mod status;
mod stories;
mod token;
mod train;
mod verify;
mod whole;

use crate::model::Day;
use context::Context;

/// Counts how often the press writes about a brand, day by day, in article text only.
#[derive(Parser)]
#[command(name = "crawler", version, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options that every command takes: below its own.
#[derive(Clone, clap::Args)]
#[command(next_help_heading = "Options of every command")]
struct Global {
    /// Configuration file [default: config.toml, if there is one]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directory of the store (same as `--set data_dir=DIR`)
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Use this database as the store, postgres://USER@HOST/DATABASE [env: CRAWLER_STORE]
    #[arg(long, global = true, value_name = "URL")]
    store: Option<String>,
    /// Set one configuration key, for example `pace.delay=2s`; may be repeated
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<String>,
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    json: bool,
    /// Log filter, for example `info` or `crawler=debug` [env: CRAWLER_LOG]
    #[arg(long, global = true, value_name = "FILTER")]
    log: Option<String>,
    /// Log as JSON lines
    #[arg(long, global = true)]
    log_json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Crawl a small web of our own on loopback and count: a complete run within a minute
    Demo(demo::Args),
    /// Add feeds from a list, an OPML file, or a site whose feeds are looked for
    Seed(seed::Args),
    /// Crawl: poll feeds, fetch pages, count mentions, serve API and dashboard
    Run(run::Args),
    /// Mentions per brand and day
    Mentions(mentions::Args),
    /// List articles
    Articles(articles::Args),
    /// Show one article with its blocks, mentions and story
    Show(articles::ShowArgs),
    /// List stories: originals with their copies
    Stories(stories::Args),
    /// Find articles with these words, in context
    Search(search::Args),
    /// List, pause or remove feeds
    Feeds(feeds::Args),
    /// List outlets with entries by outcome; pause, resume, block or slow one down
    Outlets(outlets::Args),
    /// Remove an article or a whole outlet for good, and never fetch it again
    Forget(forget::Args),
    /// State of the store: queue, outcomes, coverage, warnings
    Status(status::Args),
    /// Notes that people pin to days, such as a press release
    Notes(notes::Args),
    /// Alerts: rules that say when somebody is notified
    Alerts(alerts::Args),
    /// What happened to brands yesterday, or on some days
    Digest(digest::Args),
    /// Who may ask over HTTP: make, list and revoke tokens
    Token(token::Args),
    /// Who decided what, and when
    Log(log::Args),
    /// The watched brands
    Brands(brands::Args),
    /// Match all stored texts again with the current brands
    Recount(brands::RecountArgs),
    /// One page about a brand, to read, send and print
    Report(report::Args),
    /// Write tables for other programs
    Export(export::Args),
    /// Fill an empty store with what `export --whole` wrote
    Import(import::Args),
    /// Prove the stored numbers
    Verify(verify::Args),
    /// Rebuild a damaged store from its articles
    Repair(repair::Args),
    /// Extract archived pages again with another model, and show what would change
    Replay(replay::Args),
    /// Bring the schema of a PostgreSQL store up to date
    Migrate(migrate::Args),
    /// Free disk space that overwritten records still use
    Compact(compact::Args),
    /// Copy the store into an empty directory, while it is in use
    Backup(backup::Args),
    /// Restore a backup
    Restore(backup::RestoreArgs),
    /// Find the feeds of a site
    Discover(discover::Args),
    /// Extract the article from pages: local files or one URL
    Extract(extract::Args),
    /// Explain a decision about a URL, robots file, feed or charset
    Check(check::Args),
    /// Train a model on labelled pages
    Train(train::Args),
    /// Label the leaves of pages by hand, in a browser, and compare labels
    Annotate(annotate::Args),
    /// Measure extraction on labelled pages
    Eval(eval::Args),
    /// Show, verify or deploy a model
    Model(model::Args),
    /// The settings in use, and where each comes from
    Config(config::Args),
    /// Check configuration, disk, clock, names, store and model: what is good, and what to do
    Doctor(doctor::Args),
    /// Answer an assistant's questions: a server of the Model Context Protocol on standard input and output
    #[cfg(feature = "mcp")]
    Mcp,
    /// Print shell completions for commands and options
    Completions(completions::Args),
    /// Write the manual pages
    Man(man::Args),
}

/// Exit codes: 0 done; 1 an error; 2 wrong usage; 3 done, but something is wrong (verify found
/// contradictions, status has warnings, the demo's counts are not the right ones, lines of a seed list
/// name no feed, some pages of `extract --jsonl` failed, `replay` left out what is damaged).
const WRONG_USAGE: u8 = 2;
const BAD_NEWS: u8 = 3;

/// A mistake in the arguments that their grammar does not show.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// A `--set` as it was written, if it is one.
fn pair(text: &str) -> Result<String, String> {
    crate::config::split(text).map(|_| text.to_owned())
}

/// The error of arguments that make no sense together.
fn usage(sentence: impl Into<String>) -> anyhow::Error {
    Usage(sentence.into()).into()
}

/// Refuses days in the wrong order.
fn in_order(from: Option<Day>, to: Option<Day>) -> Result<()> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => {
            Err(usage(format!("--from {from} is after --to {to}")))
        }
        _ => Ok(()),
    }
}

impl Command {
    /// Does it write to a store, and not to files of its user's?
    fn keeps(&self) -> bool {
        let own = matches!(
            self,
            Command::Demo(_)
                | Command::Export(_)
                | Command::Report(_)
                | Command::Extract(_)
                | Command::Check(_)
                | Command::Train(_)
                | Command::Annotate(_)
                | Command::Eval(_)
                | Command::Model(_)
                | Command::Config(_)
                | Command::Completions(_)
                | Command::Man(_)
        );
        !own
    }
}

impl Command {
    /// Does it answer a question and nothing else?
    fn only_tells(&self) -> bool {
        match self {
            // Files would stay half written.
            Command::Export(args) => !args.writes_files(),
            Command::Mentions(_)
            | Command::Articles(_)
            | Command::Show(_)
            | Command::Search(_)
            | Command::Status(_)
            | Command::Digest(_)
            | Command::Log(_)
            | Command::Report(_)
            | Command::Extract(_)
            | Command::Check(_)
            | Command::Config(_)
            | Command::Completions(_) => true,
            _ => false,
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let context = Context::new(cli.global);
    // Until the end: what is gathered by then is still sent.
    let _traces = match logging::start(&context, matches!(cli.command, Command::Run(_))) {
        Ok(traces) => traces,
        Err(error) => {
            eprintln!("crawler: {error:#}");
            return ExitCode::from(WRONG_USAGE);
        }
    };
    if cli.command.keeps() {
        // Whatever lies beside the store is its owner's alone, whoever creates it.
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    }
    ONLY_TELLS.store(cli.command.only_tells(), Ordering::Relaxed);
    match run(cli.command, &context) {
        Ok(code) => code,
        Err(error) => {
            if ONLY_TELLS.load(Ordering::Relaxed) && is_closed_pipe(&error) {
                return ExitCode::SUCCESS;
            }
            eprintln!("crawler: {}", sentence(&error));
            if error.is::<Usage>() { ExitCode::from(WRONG_USAGE) } else { ExitCode::FAILURE }
        }
    }
}

fn run(command: Command, context: &Context) -> Result<ExitCode> {
    let done = |()| ExitCode::SUCCESS;
    match command {
        Command::Demo(args) => demo::run(args, context),
        Command::Seed(args) => seed::run(args, context),
        Command::Run(args) => run::run(args, context).map(done),
        Command::Mentions(args) => mentions::run(args, context).map(done),
        Command::Articles(args) => articles::run(args, context).map(done),
        Command::Show(args) => articles::show(args, context).map(done),
        Command::Stories(args) => stories::run(args, context).map(done),
        Command::Search(args) => search::run(args, context).map(done),
        Command::Feeds(args) => feeds::run(args, context).map(done),
        Command::Outlets(args) => outlets::run(args, context).map(done),
        Command::Forget(args) => forget::run(args, context).map(done),
        Command::Status(args) => status::run(args, context),
        Command::Notes(args) => notes::run(args, context).map(done),
        Command::Alerts(args) => alerts::run(args, context),
        Command::Digest(args) => digest::run(args, context).map(done),
        Command::Token(args) => token::run(args, context).map(done),
        Command::Log(args) => log::run(args, context).map(done),
        Command::Brands(args) => brands::run(args, context).map(done),
        Command::Recount(args) => brands::recount(args, context).map(done),
        Command::Report(args) => report::run(args, context).map(done),
        Command::Export(args) => export::run(args, context).map(done),
        Command::Import(args) => import::run(args, context).map(done),
        Command::Verify(args) => verify::run(args, context),
        Command::Repair(args) => repair::run(args, context),
        Command::Replay(args) => replay::run(args, context),
        Command::Migrate(args) => migrate::run(args, context).map(done),
        Command::Compact(args) => compact::run(args, context).map(done),
        Command::Backup(args) => backup::run(args, context).map(done),
        Command::Restore(args) => backup::restore(args, context).map(done),
        Command::Discover(args) => discover::run(args, context),
        Command::Extract(args) => extract::run(args, context),
        Command::Check(args) => check::run(args, context),
        Command::Train(args) => train::run(args, context),
        Command::Annotate(args) => annotate::run(args, context).map(done),
        Command::Eval(args) => eval::run(args, context).map(done),
        Command::Model(args) => model::run(args, context).map(done),
        Command::Config(args) => config::run(args, context).map(done),
        Command::Doctor(args) => doctor::run(args, context),
        #[cfg(feature = "mcp")]
        Command::Mcp => mcp::run(context).map(done),
        Command::Completions(args) => completions::run(&args).map(done),
        Command::Man(args) => man::run(&args).map(done),
    }
}

/// Nothing comes of the command but what it prints.
static ONLY_TELLS: AtomicBool = AtomicBool::new(false);

/// One line on standard output. `crawler … | head` ends the reader early: then nobody waits for the
/// rest, and a command that only tells ends as it would by SIGPIPE, but well.
fn say(line: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let line = line.to_string();
    match writeln!(std::io::stdout().lock(), "{}", plain::plain(&line)) {
        Ok(()) => {}
        // What was ordered is carried out all the same, and the exit code says what came of it.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            if ONLY_TELLS.load(Ordering::Relaxed) {
                std::process::exit(0);
            }
        }
        Err(error) => {
            eprintln!("crawler: cannot write to standard output: {error}");
            std::process::exit(1);
        }
    }
}

/// One line on standard error. If nobody reads it, there is nobody to be told so.
fn complain(line: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let line = line.to_string();
    let _ = writeln!(std::io::stderr().lock(), "{}", plain::plain(&line));
}

/// An error and its causes in one line; a cause that has been said already is not said again.
fn sentence(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        let cause = without_number(&cause);
        if !text.ends_with(&cause) {
            text = if text.is_empty() { cause } else { text + ": " + &cause };
        }
    }
    if error.chain().filter_map(io_kind).any(|kind| kind == std::io::ErrorKind::StorageFull) {
        text += "; make room there, or name another place";
    }
    text
}

/// What the system says, without the number of the error: it says nothing that the words do not.
fn without_number(text: &str) -> String {
    const MARK: &str = " (os error ";
    let Some((before, rest)) = text.split_once(MARK) else { return text.to_owned() };
    match rest.split_once(')') {
        Some((number, after)) if number.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{before}{after}")
        }
        _ => text.to_owned(),
    }
}

/// `crawler … | head` ends the reader early: not an error.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(io_kind).any(|kind| kind == std::io::ErrorKind::BrokenPipe)
}

/// What kind of failure of the system a cause is, if it is one.
fn io_kind(cause: &(dyn std::error::Error + 'static)) -> Option<std::io::ErrorKind> {
    let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    let json = cause.downcast_ref::<serde_json::Error>().and_then(|e| e.io_error_kind());
    let csv = cause.downcast_ref::<csv::Error>().and_then(|error| match error.kind() {
        csv::ErrorKind::Io(error) => Some(error.kind()),
        _ => None,
    });
    io.or(json).or(csv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_an_error_number_is_kept() {
        for (text, expect) in [
            ("cannot read x: No such file (os error 2)", "cannot read x: No such file"),
            ("No such file (os error 2); name another", "No such file; name another"),
            ("x (os error two) y", "x (os error two) y"),
            ("x (os error 2", "x (os error 2"),
        ] {
            assert_eq!(without_number(text), expect);
        }
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let told = sentence(&anyhow::Error::from(full).context("cannot write x"));
        assert_eq!(
            told,
            "cannot write x: no storage space; make room there, or name another place"
        );
    }
}
