//! Repair of a damaged store: what belongs to each article of the months is worked out again —
//! entry, mentions under the watched brands, vector, story — and stored as a commit would have.
//!
//! Must not know: files, how records are laid out, how progress is printed.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::dedupe::{self, Print, Rule};
use crate::frontier::{Address, address};
use crate::model::*;
use crate::store::{self, Adopted, BrandsFrom, Repair, visit};

use super::brands::{self, Watch};
use crate::crawl::clock;
use crate::crawl::stories::copies::{self, Copies};
use crate::crawl::stories::join as story;
use crate::crawl::stories::rules;
use crate::crawl::web::memory;
use crate::crawl::web::page;

/// What a repair needs of the configuration.
pub struct Plan<'a> {
    pub data_dir: &'a Path,
    pub store: &'a store::Settings,
    pub dedupe: &'a dedupe::Settings,
    /// How long what pages printed is remembered.
    pub memory: Span,
    /// IANA name; the store's own wins if it can be read.
    pub timezone: &'a str,
    /// The brand list of the configuration, for when no other can be read.
    pub brands: &'a dyn Fn() -> Result<Option<Vec<Brand>>>,
}

/// What there is again, and what is not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The damaged main database, untouched.
    pub aside: Option<PathBuf>,
    pub articles: u64,
    pub stories: u64,
    pub feeds: u64,
    /// Feeds of which only the address is left: validators, intervals and health are learned anew.
    pub bare_feeds: u64,
    pub robots: u64,
    pub pace_keys: u64,
    /// Entries whose article is lost, to be fetched again.
    pub fetch_again: u64,
    pub brands: usize,
}

/// Rebuilds the main database. `say` gets a sentence about everything that is lost or doubtful.
pub fn repair(plan: &Plan<'_>, say: &mut dyn FnMut(String)) -> Result<Report> {
    let now = clock::now();
    let repair = Repair::begin(plan.data_dir, plan.store, now, say)?;
    let set = watched(plan, &repair, now, say)?;
    let salvaged = repair.salvage(&set, say)?;
    let watch = Watch::new(set)?;
    let zone = zone(plan, &repair, say)?;
    let articles = repair.articles(&mut |record| adopt(plan, record, &watch, &zone), say)?;
    let fetch_again = repair.entries(say)?;
    tell_stories(plan, &repair)?;
    repair.set_meta(rules::NAME, &rules::written(Rule::default()))?;
    let stories = repair.name_stories()?;
    if !repair.main_is_readable() {
        say("the outcomes of entries that are no articles, the queue, the polls by day, robots \
             and pace records are lost; feeds bring recent entries again"
            .into());
    }
    if fetch_again > 0 {
        say(format!("entries that have lost their article and are fetched again: {fetch_again}"));
    }
    let report = Report {
        aside: repair.aside().map(Path::to_owned),
        articles,
        stories,
        feeds: salvaged.feeds + salvaged.bare_feeds,
        bare_feeds: salvaged.bare_feeds,
        robots: salvaged.robots,
        pace_keys: salvaged.pace_keys,
        fetch_again,
        brands: watch.set.brands.len(),
    };
    repair.finish()?;
    Ok(report)
}

/// The brand set that everything is counted with again.
fn watched(
    plan: &Plan<'_>,
    repair: &Repair,
    now: Millis,
    say: &mut dyn FnMut(String),
) -> Result<BrandSet> {
    match repair.brand_set() {
        Some((set, BrandsFrom::Main)) => return Ok(set),
        Some((set, BrandsFrom::Decisions)) => {
            say("the brands are taken from decisions.jsonl".into());
            return Ok(set);
        }
        None => {}
    }
    match (plan.brands)()? {
        Some(brands) => {
            say("the watched brands cannot be read: those of the configured list are taken".into());
            Ok(brands::versioned(brands, &BrandSet::default(), now))
        }
        None => {
            say("no watched brands can be read, and the configuration names no list: add them \
                 with `crawler brands import`"
                .into());
            Ok(BrandSet::default())
        }
    }
}

fn zone(
    plan: &Plan<'_>,
    repair: &Repair,
    say: &mut dyn FnMut(String),
) -> Result<jiff::tz::TimeZone> {
    let name = match repair.meta("timezone")? {
        Some(name) => String::from_utf8_lossy(&name).into_owned(),
        None => {
            say(format!("days of arrival are taken in the configured time zone {}", plan.timezone));
            plan.timezone.to_string()
        }
    };
    jiff::tz::TimeZone::get(&name).with_context(|| format!("unknown time zone `{name}`"))
}

/// What belongs to an article, worked out from its record alone.
fn adopt(
    plan: &Plan<'_>,
    record: &ArticleRecord,
    watch: &Watch,
    zone: &jiff::tz::TimeZone,
) -> Adopted {
    let given = address(&record.url, None).ok();
    let at = address(&record.final_url, None).ok();
    let mut aliases: Vec<UrlKey> = at.iter().map(|at| at.key).collect();
    let ignored = record.article.signals.iter().any(|signal| signal == CANONICAL_IGNORED);
    if let (Some(at), Some(canonical), false) = (&at, &record.article.canonical, ignored) {
        let canonical = address(&canonical.value, Some(at.url.as_str())).ok();
        let own = canonical.filter(|canonical| {
            page::names_this_article(canonical, at)
                && page::names_another(canonical.key, at, record.key)
        });
        aliases.extend(own.map(|canonical| canonical.key.named()));
    }
    aliases.retain(|alias| *alias != record.key);
    aliases.dedup();
    Adopted {
        url: entry(record, given.as_ref().or(at.as_ref()), zone),
        aliases,
        mentions: watch.rows(record),
        vector: Print::of(&record.article.text).encode(),
        printed: memory::remembered(record, plan.memory),
    }
}

/// The entry that led to an article.
fn entry(record: &ArticleRecord, at: Option<&Address>, zone: &jiff::tz::TimeZone) -> UrlRecord {
    UrlRecord {
        key: record.key,
        canonical: at.map_or_else(|| record.url.clone(), |at| at.canonical.clone()),
        outlet: at.map_or_else(|| record.outlet.clone(), |at| at.outlet.clone()),
        pace_key: at.map_or_else(|| record.outlet.clone(), |at| at.pace_key.clone()),
        feed: record.feed,
        entry: Entry {
            url: record.url.clone(),
            title: record.feed_title.clone(),
            ..Entry::default()
        },
        first_seen: record.first_seen,
        arrival: day_of(record.first_seen, zone),
        backlog: record.backlog,
        outcome: Outcome::Article,
        attempts: 0,
        next: record.first_seen,
        last_error: None,
        chain: Vec::new(),
        foreign: false,
        sight: Sight::Unnoted,
        arrived: Arrived::Seen,
    }
}

/// Articles after which those that have left the window are dropped.
const EXPIRE_AFTER: usize = 10_000;

/// Joins the articles to stories in order of publication, holding those of one window.
fn tell_stories(plan: &Plan<'_>, repair: &Repair) -> Result<()> {
    let read = repair.source();
    let source = move |key, at| copies::decoded(key, &read(key, at).ok()??).map(Arc::new);
    let mut copies = Copies::empty(plan.dedupe.clone(), Rule::default(), Box::new(source));
    let mut told = 0;
    visit(
        |each| repair.vectors(&mut |key, at, bytes| each((key, at, bytes))),
        |(key, at, bytes): (UrlKey, Millis, Vec<u8>)| {
            tell(repair, &mut copies, key, &bytes)?;
            copies.search.settle();
            told += 1;
            if told % EXPIRE_AFTER == 0 {
                copies.leave(at.saturating_sub(plan.dedupe.window.0));
            }
            Ok(ControlFlow::Continue(()))
        },
    )
}

fn tell(repair: &Repair, copies: &mut Copies, key: UrlKey, bytes: &[u8]) -> Result<()> {
    let print = Print::decode(bytes).with_context(|| format!("vector of the article {key}"))?;
    let record = repair
        .read_article(key)?
        .with_context(|| format!("the article {key} has vanished during the repair"))?;
    let (joining, excerpts) = story::join(&mut story::Repaired(repair), copies, &record, print)?;
    Ok(repair.join(&record, joining, &excerpts)?)
}

#[cfg(test)]
pub(in crate::crawl) mod tests;
