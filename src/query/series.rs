//! Mentions per brand over days, weeks, outlets, languages, feeds or news agencies, with coverage beside days.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::changes::{self, Change};
use super::outlets::outlet_known;
use super::past::Past;
use super::status::recent;
use super::time::{day_zone, name_of};
use super::unanswered::Answered;
use super::unusual::{needed, unusual};
use crate::model::*;
use crate::store::sums::{final_from, monday};
use crate::store::{Filter, Result, Store, history, visit};
use crate::words::{Language, Said};

/// Coverage from which a day counts as complete: a failed poll whose entries the next one still
/// shows loses nothing.
pub const COMPLETE: f64 = 0.9;

/// Bucket of articles that credit no agency.
pub const OWN: &str = "own reporting";
/// Bucket of articles that were read before agencies were asked for; `replay` asks.
pub const UNASKED: &str = "not known";

/// Days in one answer of [`coverage`]: a hundred years.
const MOST_DAYS: usize = 36_525;

/// What a line of the table stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    #[default]
    Day,
    Week,
    Outlet,
    Language,
    Feed,
    /// The agency that an article credits first, or its outlet's own reporting.
    Agency,
    /// Where in an article, or on its page, a mention stands.
    Zone,
}

impl By {
    /// Days of a bucket of time.
    fn days(self) -> i64 {
        if self == By::Week { 7 } else { 1 }
    }
}

/// Filters of [`mentions`]; `None` = any. Days are inclusive publication days.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MentionsQuery {
    pub brand: Option<String>,
    pub from: Option<Day>,
    pub to: Option<Day>,
    pub by: By,
}

/// One line: a brand in one bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub brand: String,
    /// Day, Monday of the week, outlet, language, feed URL, agency, [`OWN`] or [`UNASKED`], zone.
    pub bucket: String,
    /// Articles with at least one counted mention, copies included.
    pub articles: i64,
    /// Stories with at least one counting member, on the original's day.
    pub stories: i64,
    /// `articles` that are not the original of their story.
    pub copies: i64,
    /// Counted mentions: title, lead and body.
    pub mentions: i64,
    /// Mentions elsewhere on the pages, not counted.
    pub suppressed: i64,
    /// Articles that came with the first poll of their feed: the past, seen late.
    pub backlog: i64,
    /// Counted mentions by the brand's own outlets.
    pub own: i64,
    /// Share of the polls due in `[D, D + 48 h)` that succeeded; days and weeks only.
    pub coverage: Option<f64>,
    /// The 48 hours are not over yet.
    pub provisional: bool,
    /// Coverage is below [`COMPLETE`]; days and weeks only.
    pub incomplete: bool,
    /// Counting articles that were first seen when the bucket was no longer provisional; days and
    /// weeks only, backlog left out.
    pub late: i64,
    /// The counts changed when they were no longer provisional: articles came late, or a changed
    /// brand set was counted again.
    pub revised: bool,
}

/// Answer of [`mentions`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mentions {
    pub by: By,
    pub lines: Vec<Line>,
    /// Brand → since when it is watched (UTC milliseconds).
    pub watched_since: BTreeMap<String, Millis>,
    /// When the first feed was added (UTC milliseconds): no outlet was followed before.
    pub outlets_since: Option<Millis>,
    /// Other brand sets and models in these days: before and after them counts do not compare.
    pub changes: Vec<Change>,
    /// Version of the brand set that made the counts.
    pub brand_set: String,
    pub timezone: String,
}

/// Counts per brand and bucket. `now` decides which days are provisional.
pub fn mentions(store: &dyn Store, query: &MentionsQuery, now: Millis) -> Result<Mentions> {
    let set = store.brand_set()?;
    let filter =
        Filter { brand: query.brand.clone(), from: query.from, to: query.to, ..Filter::default() };
    let feeds = store.feeds()?;
    let zone = day_zone(store)?;
    let mut lines = match query.by {
        By::Day | By::Week => by_time(store, &filter, query.by)?,
        By::Outlet | By::Language | By::Feed | By::Agency | By::Zone => {
            by_source(store, &filter, query.by, &feeds)?
        }
    };
    if matches!(query.by, By::Day | By::Week) {
        // The last day's coverage looks at the day after it, a week's at the week and a day.
        let after = |to: Day| to.saturating_add(jiff::Span::new().days(8));
        let from = query.from.map(monday);
        let polls: BTreeMap<Day, Polls> =
            store.polls(from, query.to.map(after))?.into_iter().collect();
        let today = day_of(now, &zone);
        let recounts = history::recounts(store)?;
        let mut known: BTreeMap<Day, Option<f64>> = BTreeMap::new();
        for line in &mut lines {
            let Ok(first) = line.bucket.parse::<Day>() else { continue };
            let span = query.by.days();
            line.coverage = *known.entry(first).or_insert_with(|| polled(&polls, first, span));
            let end = final_from(first, span);
            line.provisional = end > today;
            line.incomplete = line.coverage.is_some_and(|share| share < COMPLETE);
            line.revised = line.late > 0
                || changes::recounted(&recounts, &line.brand, (first, span), end, &zone);
        }
    }
    Ok(Mentions {
        by: query.by,
        lines,
        watched_since: set
            .since
            .into_iter()
            .filter(|(brand, _)| query.brand.as_ref().is_none_or(|b| b == brand))
            .collect(),
        outlets_since: feeds.iter().map(|f| f.added).min(),
        changes: changes::changes(store, (query.from, query.to), &zone)?,
        brand_set: set.version,
        timezone: name_of(&zone),
    })
}

/// How complete one publication day is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DayCoverage {
    pub day: Day,
    /// Share of the polls due in `[D, D + 48 h)` that succeeded; `None`: none were due.
    pub coverage: Option<f64>,
    /// The 48 hours are not over yet.
    pub provisional: bool,
    /// Polls due on the day itself, and those that succeeded.
    pub polls_due: u64,
    pub polls_succeeded: u64,
    /// First sights of entries on the day.
    pub entries: u64,
    /// Of these entries, by outcome name; sums to `entries`.
    pub outcomes: BTreeMap<String, u64>,
    /// What was out of the ordinary: outlets that brought far more than usual, or more than is taken.
    #[serde(default)]
    pub unusual: Vec<String>,
    /// The same, for other languages.
    #[serde(default)]
    pub said: Vec<Said>,
}

/// Filters of [`coverage`]; `None` = any. Days are inclusive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoverageQuery {
    /// Default: the first day that is known of.
    pub from: Option<Day>,
    /// Default: today.
    pub to: Option<Day>,
    /// Name of an outlet, or a URL of it.
    pub outlet: Option<String>,
    /// 0 = all.
    pub limit: usize,
}

/// Answer of [`coverage`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Every day asked for.
    pub days: Vec<DayCoverage>,
    /// The current day in the configured zone.
    pub today: Day,
}

/// Coverage of every day asked for, of one outlet or of all.
///
/// # Errors
/// No outlet has that name.
pub fn coverage(
    store: &dyn Store,
    past: &Past,
    query: &CoverageQuery,
    now: Millis,
) -> Answered<Coverage> {
    let outlet = query.outlet.as_ref().map(|name| outlet_known(store, name)).transpose()?;
    let zone = day_zone(store)?;
    let today = day_of(now, &zone);
    let to = query.to.unwrap_or(today);
    let from = match query.from {
        Some(from) => from,
        None => first_day(store, past, today)?.unwrap_or(to).min(to),
    };
    let most = if query.limit == 0 { MOST_DAYS } else { query.limit.min(MOST_DAYS) };
    let days = |n: usize| jiff::Span::new().days(i64::try_from(n).unwrap_or(i64::MAX));
    let next = |day: Day| day.saturating_add(days(1));
    let to = to.min(from.saturating_add(days(most)));
    let mut sums: BTreeMap<Day, DayCoverage> = BTreeMap::new();
    let mut ledger = store.ledger(Some(needed(from)), Some(next(to)))?;
    ledger.retain(|row| outlet.as_ref().is_none_or(|outlet| *outlet == row.outlet));
    for odd in unusual(&ledger, &store.feeds()?, &zone, (from, to), now) {
        let (day, said) = (sums.entry(odd.day).or_default(), odd.said());
        day.unusual.push(Language::En.say(&said));
        day.said.push(said);
    }
    for row in ledger {
        if let Some(day) = row.day.filter(|day| *day >= from) {
            let sum = sums.entry(day).or_default();
            sum.polls_due += u64::from(row.polls.due);
            sum.polls_succeeded += u64::from(row.polls.succeeded);
            sum.entries += row.entries;
            for (name, count) in row.outcomes {
                *sum.outcomes.entry(name).or_default() += count;
            }
        }
    }
    let mut days = Vec::new();
    let mut day = from;
    while day <= to && days.len() < most {
        let second = sums.get(&next(day)).map_or((0, 0), |s| (s.polls_due, s.polls_succeeded));
        let first = sums.remove(&day).unwrap_or_default();
        let due = first.polls_due + second.0;
        let succeeded = first.polls_succeeded + second.1;
        days.push(DayCoverage {
            day,
            coverage: (due > 0).then(|| succeeded as f64 / due as f64),
            provisional: next(next(day)) > today,
            ..first
        });
        if day == Day::MAX {
            break;
        }
        day = next(day);
    }
    Ok(Coverage { days, today })
}

/// The first day of a store that has anything; `None`: none has.
fn first_day(store: &dyn Store, past: &Past, today: Day) -> Result<Option<Day>> {
    let recent = recent(today);
    if let Some(first) = past.before(store, recent)?.first {
        return Ok(Some(first));
    }
    Ok(store.ledger(Some(recent), None)?.iter().filter_map(|row| row.day).min())
}

/// Share of the polls due in `[day, day + span + 1 days)` that succeeded; `None` when none were due.
fn polled(polls: &BTreeMap<Day, Polls>, day: Day, span: i64) -> Option<f64> {
    let mut sum = Polls::default();
    for (_, polls) in polls.range(day..final_from(day, span)) {
        sum.due += polls.due;
        sum.succeeded += polls.succeeded;
    }
    (sum.due > 0).then(|| f64::from(sum.succeeded) / f64::from(sum.due))
}

fn by_time(store: &dyn Store, filter: &Filter, by: By) -> Result<Vec<Line>> {
    let bucket = |day: Day| if by == By::Week { monday(day) } else { day };
    let mut lines: BTreeMap<(String, Day), Line> = BTreeMap::new();
    for (brand, day, tally) in store.tallies(filter)? {
        let day = bucket(day);
        let line = lines.entry((brand.clone(), day)).or_insert_with(|| Line {
            brand,
            bucket: day.to_string(),
            ..Line::default()
        });
        line.articles += tally.articles;
        line.stories += tally.stories;
        line.copies += tally.articles - tally.originals;
        line.mentions += tally.mentions;
        line.suppressed += tally.suppressed;
        line.backlog += tally.backlog;
        line.own += tally.own;
        line.late += if by == By::Week { tally.late_week } else { tally.late };
    }
    Ok(lines.into_values().collect())
}

fn by_source(store: &dyn Store, filter: &Filter, by: By, feeds: &[Feed]) -> Result<Vec<Line>> {
    let urls: HashMap<UrlKey, &str> = feeds.iter().map(|f| (f.key, f.url.as_str())).collect();
    let mut lines: BTreeMap<(String, String), (Line, BTreeSet<UrlKey>)> = BTreeMap::new();
    let mut originals = Originals::default();
    let mut agencies: HashMap<UrlKey, String> = HashMap::new();
    visit(
        |each| store.mention_rows(filter, each),
        |row: MentionRow| -> Result<_> {
            let (story, copy) = originals.story(store, row.article)?;
            let mut add = |bucket: String, row: &MentionRow| {
                let (line, stories) =
                    lines.entry((row.brand.clone(), bucket.clone())).or_insert_with(|| {
                        let brand = row.brand.clone();
                        (Line { brand, bucket, ..Line::default() }, BTreeSet::new())
                    });
                line.articles += i64::from(row.counted > 0);
                line.mentions += i64::from(row.counted);
                line.suppressed += i64::from(row.suppressed);
                if row.counted > 0 {
                    stories.insert(story);
                }
                extras(line, row, copy);
            };
            let bucket = match by {
                By::Zone => {
                    by_zone(row).into_iter().for_each(|(zone, part)| add(zone, &part));
                    return Ok(ControlFlow::Continue(()));
                }
                By::Agency => match agencies.get(&row.article) {
                    Some(known) => known.clone(),
                    None => {
                        let agency = agency(store, row.article)?;
                        agencies.entry(row.article).or_insert(agency).clone()
                    }
                },
                By::Outlet => row.outlet.clone(),
                By::Language => row.language.clone().unwrap_or_else(|| "unknown".into()),
                _ => urls.get(&row.feed).map_or_else(|| row.feed.to_string(), |u| u.to_string()),
            };
            add(bucket, &row);
            Ok(ControlFlow::Continue(()))
        },
    )?;
    let mut lines: Vec<Line> = lines
        .into_values()
        .map(|(mut line, stories)| {
            line.stories = stories.len() as i64;
            line
        })
        .collect();
    lines.sort_by(|a, b| a.brand.cmp(&b.brand).then(b.mentions.cmp(&a.mentions)));
    Ok(lines)
}

/// A row as one for each zone in which the brand stands.
fn by_zone(row: MentionRow) -> BTreeMap<String, MentionRow> {
    let mut zones: BTreeMap<String, MentionRow> = BTreeMap::new();
    let bare = MentionRow { counted: 0, suppressed: 0, mentions: Vec::new(), ..row };
    for mention in row.mentions {
        let part = zones.entry(mention.zone.name().to_owned()).or_insert_with(|| bare.clone());
        let of = if mention.zone.counted() { &mut part.counted } else { &mut part.suppressed };
        *of += 1;
    }
    zones
}

/// Whose text an article is.
fn agency(store: &dyn Store, article: UrlKey) -> Result<String> {
    Ok(match store.credit(article)? {
        Credit::Agency(name) => name,
        Credit::Own => OWN.to_owned(),
        Credit::Unasked => UNASKED.to_owned(),
    })
}

fn extras(line: &mut Line, row: &MentionRow, copy: bool) {
    if row.counted > 0 {
        line.copies += i64::from(copy);
        line.backlog += i64::from(row.backlog);
        if row.own_outlet {
            line.own += i64::from(row.counted);
        }
    }
}

/// Remembers which story an article belongs to while one table is made.
#[derive(Default)]
struct Originals {
    known: HashMap<UrlKey, (UrlKey, bool)>,
}

impl Originals {
    /// Story id, and whether the article is a copy.
    fn story(&mut self, store: &dyn Store, article: UrlKey) -> Result<(UrlKey, bool)> {
        if let Some(known) = self.known.get(&article) {
            return Ok(*known);
        }
        let found = match store.story_head_of(article)? {
            Some(story) => (story.id, story.original.rank.key != article),
            None => (article, false),
        };
        self.known.insert(article, found);
        Ok(found)
    }
}
