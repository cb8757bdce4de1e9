//! `crawler seed`: adds feeds and says what became of each line.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::crawl::orders::seed::{SeedResult, Seeded};
use crate::serve::order::Order;

use super::context::Context;
use super::{BAD_NEWS, print};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Lists of feeds (one URL per line, `#` comments), tables (CSV whose first line names the columns, one of them
    /// `feed`, `rss` or `url`), OPML files, or URLs of feeds and sites; `-` reads standard input. Feeds are looked for on sites, and only a host without a path is looked through: any
    /// other URL is taken for a feed (`crawler discover URL` finds the feeds of a page)
    #[arg(required = true, value_name = "FILE|URL")]
    sources: Vec<String>,
    /// Only the summary and the errors
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(args: Args, context: &Context) -> Result<ExitCode> {
    let mut counts = [0usize; 5];
    let mut lines = Vec::new();
    for source in &args.sources {
        let (name, text) = read(source)?;
        context.stream(Order::Seed { text }, &mut |value| {
            let line: Seeded = serde_json::from_value(value)?;
            counts[line.result as usize] += 1;
            if context.json() {
                lines.push(line);
            } else {
                say(&name, &line, args.quiet);
            }
            Ok(())
        })?;
    }
    let [added, known, nothing, errors, not_read] = counts;
    if context.json() {
        print::json(&lines)?;
    } else {
        let skipped = match not_read {
            0 => String::new(),
            n => format!(", {} not read", print::many(n as u64, "URL")),
        };
        println!(
            "{} added, {} already known, {} without feeds, {}{skipped}",
            print::number(added),
            print::number(known),
            print::many(nothing as u64, "site"),
            print::many(errors as u64, "error")
        );
    }
    Ok(ExitCode::from(code(added + known, errors, nothing)))
}

/// How it ends when so many lines name feeds, are wrong, or are sites without feeds.
fn code(feeds: usize, errors: usize, nothing: usize) -> u8 {
    if errors + nothing > 0 && feeds == 0 {
        1
    } else if errors + nothing > 0 {
        BAD_NEWS
    } else {
        0
    }
}

fn read(source: &str) -> Result<(String, String)> {
    if source == "-" {
        let text = std::io::read_to_string(std::io::stdin())
            .context("cannot read standard input as UTF-8 text")?;
        return Ok(("standard input".into(), text));
    }
    if Path::new(source).exists() {
        let bytes = std::fs::read(source).with_context(|| format!("cannot read {source}"))?;
        return Ok((source.into(), crate::decode::feed(&bytes, None).text.into_owned()));
    }
    if source.contains("://") || is_host(source) {
        let url = if source.contains("://") { source.into() } else { format!("https://{source}") };
        return Ok((String::new(), url));
    }
    bail!("cannot read the feed list {source}: no such file")
}

/// A bare name that can be a site and is not the name of a list that is missing.
fn is_host(source: &str) -> bool {
    const LISTS: [&str; 6] = ["txt", "opml", "xml", "csv", "list", "json"];
    let ending = source.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| !source.contains('/') && !LISTS.contains(&ending.as_str()))
}

fn say(name: &str, line: &Seeded, quiet: bool) {
    let place = match (name, line.line) {
        ("", _) => String::new(),
        (name, 0) => format!("{name}: "),
        (name, number) => format!("{name}:{number}: "),
    };
    let detail = if line.detail.is_empty() { String::new() } else { format!(" ({})", line.detail) };
    match line.result {
        SeedResult::Error if line.url.is_empty() => eprintln!("{place}error: {}", line.detail),
        SeedResult::Error => eprintln!("{place}error: {}: {}", line.url, line.detail),
        SeedResult::NothingFound => eprintln!("{place}nothing found: {}{detail}", line.url),
        SeedResult::NotRead => eprintln!("{place}not read: {}{detail}", line.url),
        _ if quiet => {}
        SeedResult::Added => println!("{place}added: {}{detail}", line.url),
        SeedResult::Known => println!("{place}already known: {}{detail}", line.url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A site without feeds was no news beside one feed.
    #[test]
    fn lines_that_bring_nothing_are_told() {
        assert_eq!(code(2, 0, 0), 0);
        assert_eq!(code(0, 0, 0), 0);
        assert_eq!(code(1, 1, 0), BAD_NEWS);
        assert_eq!(code(1, 0, 1), BAD_NEWS);
        assert_eq!((code(0, 1, 0), code(0, 0, 1)), (1, 1));
    }
}
