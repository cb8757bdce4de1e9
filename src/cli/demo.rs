//! `crawler demo`: the whole journey on a small web of our own, or on a labelled corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;
use tokio::sync::watch;

use crate::config::Config;
use crate::crawl::orders::brands::{Edit, Terms};
use crate::crawl::{self, Engine};
use crate::demo::{self, Truth, Web};
use crate::extract::Model;
use crate::fetch::Fetcher;
use crate::frontier::address;
use crate::model::{Brand, Day, Millis, Span};
use crate::query::{self, MentionsQuery};
use crate::store;
use crate::store::decision::Who;

use super::context::{self, Context};
use super::{BAD_NEWS, brands, demo_corpus, mentions, print};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Keep the store in this directory, so that other commands can be tried on it
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Crawl this labelled corpus (pages/ and gold.jsonl) instead of the small web
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Crawl nothing: write the small web's articles into this folder as a labelled corpus
    #[arg(long, value_name = "DIR", conflicts_with_all = ["keep", "corpus", "labeler"])]
    save_corpus: Option<PathBuf>,
    /// Brands to count, with --corpus
    #[arg(long, value_name = "FILE", requires = "corpus")]
    brands: Option<PathBuf>,
    /// Use a baseline instead of the model: `pr` keeps every block, so nothing is suppressed
    #[arg(long, value_name = "NAME", value_parser = ["pr", "tb"])]
    labeler: Option<String>,
}

/// Distance between two requests to one outlet, milliseconds.
const PACE: Millis = 50;
/// What the server may see less of it: it learns late that a client cut an answer off, and both
/// sides count whole milliseconds.
const PACE_BLUR: Millis = 25;

/// Counts of one brand on one day; scripts rely on these names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Counts {
    counted: i64,
    suppressed: i64,
    stories: i64,
}

type Table = BTreeMap<String, BTreeMap<Day, Counts>>;

/// What `--json` prints; scripts rely on these names.
#[derive(Serialize)]
struct Report {
    outlets: usize,
    languages: usize,
    articles: usize,
    stories: usize,
    forbidden_requests: usize,
    expected: Table,
    counted: Table,
    /// Entries that did not end as the truth says, in words.
    differences: Vec<String>,
}

pub(super) fn run(args: Args, context: &Context) -> Result<ExitCode> {
    if let Some(folder) = &args.save_corpus {
        let count = demo::save(folder)?;
        println!("{count} pages in {}", folder.display());
        return Ok(ExitCode::SUCCESS);
    }
    let mut config = settings(context.config()?);
    let _temporary = place(&mut config, args.keep.as_deref())?;
    let model = match args.labeler.as_deref() {
        Some("pr") => Some(Model::pr()),
        Some(_) => Some(Model::tb()),
        None => config.model.as_ref().map(|file| context::model(Some(file))).transpose()?,
    };
    match &args.corpus {
        Some(folder) => {
            let (web, gold) = demo::corpus::load(folder)?;
            let watched = match &args.brands {
                Some(file) => brands::read(file)?,
                None => Vec::new(),
            };
            let (engine, _web) = crawl_web(&config, web, watched, model)?;
            demo_corpus::report(&engine, &gold, context)?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let truth = Web::truth()?;
            check_clock(&truth)?;
            let (engine, web) = crawl_web(&config, Web::load()?, Web::brands()?, model)?;
            let report = compare(&engine, &web, &truth)?;
            let agrees = report.differences.is_empty() && report.forbidden_requests == 0;
            if context.json() {
                print::json(&report)?;
            } else {
                show(&engine, &report)?;
                if let Some(dir) = &args.keep {
                    println!(
                        "\nthe store is in {}: try `crawler --data-dir {0} mentions`",
                        dir.display()
                    );
                }
            }
            Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::from(BAD_NEWS) })
        }
    }
}

/// Articles of days to come are not counted on them: the clock must not be before the small web's.
fn check_clock(truth: &Truth) -> Result<()> {
    let now = jiff::Timestamp::from_millisecond(crawl::clock::now())?;
    let today = now.to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    let last = truth.articles.iter().map(|article| article.day.as_str()).max().unwrap_or_default();
    if today.as_str() <= last {
        bail!(
            "the clock of this machine says {today}, and the demo's last article is of {last}: set the clock, or no \
             count will be right"
        );
    }
    Ok(())
}

/// A loopback web needs neither long pauses nor long retries, and its addresses opened.
fn settings(mut config: Config) -> Config {
    const RANGE: &str = "127.0.0.0/8";
    config.guard.allow = RANGE.parse().map(|range| vec![range]).unwrap_or_default();
    config.guard.allow_ports = "1-65535".parse().map(|ports| vec![ports]).unwrap_or_default();
    config.pace.delay = Span(PACE);
    config.pace.adaptive = 0.0;
    config.pace.retry_first = Span(500);
    config.pace.retry_step = Span(500);
    config.pace.give_up = Span(1_000);
    config.pace.pause = Span(500);
    config.pace.pause_max = Span(1_000);
    config.once_patience = Span(5_000);
    config.contact = Some("demo@localhost".into());
    config.timezone = "UTC".into();
    config
}

/// Where the store goes: the directory to keep, which must be new or empty, or a temporary one.
fn place(config: &mut Config, keep: Option<&Path>) -> Result<Option<tempfile::TempDir>> {
    if let Some(dir) = keep {
        if std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
            bail!("{} is not empty; name a new directory", dir.display());
        }
        config.data_dir = dir.to_path_buf();
        return Ok(None);
    }
    let dir = tempfile::tempdir().context("cannot make a temporary directory")?;
    config.data_dir = dir.path().join("store");
    Ok(Some(dir))
}

/// Serves the web on loopback, seeds its feeds, crawls it to the end.
fn crawl_web(
    config: &Config,
    web: Web,
    watched: Vec<Brand>,
    model: Option<Model>,
) -> Result<(Arc<Engine>, Arc<Web>)> {
    let runtime = context::runtime()?;
    let web = Arc::new(web);
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .context("cannot listen on 127.0.0.1")?;
    let hosts = web.hosts(listener.local_addr()?);
    let (stop, stopped) = watch::channel(false);
    let mut until = stopped.clone();
    let server = runtime.spawn(demo::serve(listener, web.clone(), async move {
        let _ = until.changed().await;
    }));
    let fetcher = Fetcher::with_hosts(&config.fetch, &config.guard, &config.identity(), hosts)?;
    let store = store::open(&config.data_dir, &config.store())?;
    let engine = Engine::new(store, config.crawl(), fetcher)?;
    let who = Who::program();
    if let Some(model) = model {
        crawl::orders::models::deploy(&engine, &who, &model.bytes())?;
    }
    crawl::orders::brands::edit(&engine, &who, Edit::Replace(watched), &Terms::default())?;
    let feeds = web.feeds().join("\n");
    let mut wrong = None;
    crawl::orders::seed::seed(&engine, runtime.handle(), &who, &feeds, &mut |line| {
        if line.result == crawl::orders::seed::SeedResult::Error {
            wrong = Some(format!("{}: {}", line.url, line.detail));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    if let Some(wrong) = wrong {
        bail!("the demo's feed list has an error: {wrong}");
    }
    runtime.block_on(async {
        let display = tokio::spawn(super::run::display(engine.clone()));
        let ended = crawl::run(engine.clone(), true, stopped).await;
        display.abort();
        ended
    })?;
    // Nobody listens any more if the server has ended by itself; its error comes next.
    let _ = stop.send(true);
    runtime.block_on(server)?.context("the demo's server")?;
    Ok((engine, web))
}

fn compare(engine: &Engine, web: &Web, truth: &Truth) -> Result<Report> {
    let store = engine.store.as_ref();
    let mut counted = Table::new();
    let answer = query::mentions(store, &MentionsQuery::default(), crawl::clock::now())?;
    for line in &answer.lines {
        let day: Day = line.bucket.parse().context("a day that cannot be read")?;
        let counts =
            Counts { counted: line.mentions, suppressed: line.suppressed, stories: line.stories };
        counted.entry(line.brand.clone()).or_default().insert(day, counts);
    }
    let expected: Table = truth
        .expected
        .iter()
        .map(|(brand, days)| {
            let days = days.iter().map(|(day, c)| {
                let counts =
                    Counts { counted: c.counted, suppressed: c.suppressed, stories: c.stories };
                (*day, counts)
            });
            (brand.clone(), days.collect())
        })
        .collect();
    let mut differences = count_differences(&expected, &counted);
    let mut articles = 0;
    let mut outlets = BTreeSet::new();
    let mut languages = BTreeSet::new();
    store.articles(None, None, &mut |record| {
        articles += 1;
        outlets.insert(record.outlet);
        languages.extend(record.article.language.map(|l| l.value));
        true
    })?;
    if articles != truth.articles.len() {
        differences.push(format!("{articles} articles instead of {}", truth.articles.len()));
    }
    let mut stories = 0;
    store.stories(None, None, &mut |_| {
        stories += 1;
        true
    })?;
    if stories != truth.stories {
        differences.push(format!("{stories} stories instead of {}", truth.stories));
    }
    outcome_differences(engine, truth, &mut differences)?;
    let forbidden_requests = truth.forbidden_requests(&web.requests()).len();
    for (first, second) in web.pace_breaks(PACE - PACE_BLUR) {
        differences.push(format!(
            "{} was asked for {} only {} ms after {}",
            second.host,
            second.path,
            second.start - first.end.unwrap_or(first.start),
            first.path
        ));
    }
    Ok(Report {
        outlets: outlets.len(),
        languages: languages.len(),
        articles,
        stories,
        forbidden_requests,
        expected,
        counted,
        differences,
    })
}

fn count_differences(expected: &Table, counted: &Table) -> Vec<String> {
    let mut differences = Vec::new();
    let keys: BTreeSet<(&String, &Day)> = expected
        .iter()
        .chain(counted)
        .flat_map(|(brand, days)| days.keys().map(move |day| (brand, day)))
        .collect();
    for (brand, day) in keys {
        let of = |table: &Table| {
            table.get(brand).and_then(|days| days.get(day)).copied().unwrap_or_default()
        };
        let (e, c) = (of(expected), of(counted));
        if e != c {
            differences.push(format!(
                "{brand} on {day}: counted {} instead of {}, suppressed {} instead of {}, \
                 stories {} instead of {}",
                c.counted, e.counted, c.suppressed, e.suppressed, c.stories, e.stories
            ));
        }
    }
    differences
}

fn outcome_differences(
    engine: &Engine,
    truth: &Truth,
    differences: &mut Vec<String>,
) -> Result<()> {
    let articles = truth.articles.iter().map(|a| (a.url.as_str(), "article"));
    let others = truth.other_outcomes.iter().map(|(url, name)| (url.as_str(), name.as_str()));
    for (url, expected) in articles.chain(others) {
        let at = address(url, None).map_err(|e| anyhow::anyhow!("{url}: {e}"))?;
        let record = engine.store.url(at.key)?;
        let outcome = record.as_ref().map_or("never seen", |r| r.outcome.name());
        if outcome != expected {
            let why =
                record.and_then(|r| r.last_error).map_or_else(String::new, |e| format!(" ({e})"));
            differences.push(format!("{url}: {outcome}{why} instead of {expected}"));
        }
    }
    Ok(())
}

fn show(engine: &Engine, report: &Report) -> Result<()> {
    let store = engine.store.as_ref();
    let answer = query::mentions(store, &MentionsQuery::default(), crawl::clock::now())?;
    mentions::table(&answer, mentions::Count::Mentions);
    println!();
    let mut table =
        print::table(&["brand", "day", "counted", "expected", "suppressed", "expected", ""]);
    for (brand, days) in &report.expected {
        for (day, e) in days {
            let c = report.counted.get(brand).and_then(|d| d.get(day)).copied().unwrap_or_default();
            let cells = vec![
                brand.clone(),
                day.to_string(),
                c.counted.to_string(),
                e.counted.to_string(),
                c.suppressed.to_string(),
                e.suppressed.to_string(),
                if c == *e { "agrees" } else { "DIFFERS" }.into(),
            ];
            print::row(&mut table, cells);
        }
    }
    print::show(table);
    println!();
    demo_corpus::outcomes(engine)?;
    println!(
        "{} articles of {} outlets in {} languages: {} stories and {} copies",
        report.articles,
        report.outlets,
        report.languages,
        report.stories,
        report.articles.saturating_sub(report.stories)
    );
    println!("{} requests for what robots.txt forbids", report.forbidden_requests);
    for difference in &report.differences {
        println!("differs: {difference}");
    }
    if report.differences.is_empty() {
        println!("every count agrees with the truth written beside the pages");
    }
    Ok(())
}
