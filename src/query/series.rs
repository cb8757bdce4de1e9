//! Mentions per brand over days, weeks, outlets, languages, feeds or news agencies, with coverage beside days.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::changes::{self, Change};
use super::coverage::{Polled, is_incomplete};
use super::time::{day_zone, name_of};
use crate::mention;
use crate::model::*;
use crate::store::sums::{final_from, monday};
use crate::store::{Filter, Result, Store, history, visit};

/// Bucket of articles that credit no agency.
pub const OWN: &str = "own reporting";
/// Bucket of articles that were read before agencies were asked for; `replay` asks.
pub const UNASKED: &str = "not known";

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

    /// The days of the whole buckets that some days lie in: a part of a week is no count of the week.
    pub fn whole(self, from: Option<Day>, to: Option<Day>) -> (Option<Day>, Option<Day>) {
        let days = jiff::Span::new().days(self.days() - 1);
        match self {
            By::Week => (from.map(monday), to.map(|to| monday(to).saturating_add(days))),
            _ => (from, to),
        }
    }
}

/// Filters of [`mentions`]; `None` = any. Days are inclusive publication days; by week, whole weeks are counted.
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
    /// Stories with at least one counting member, on the original's day; by outlet, language, feed or agency in the
    /// line of the original.
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
    /// By its coverage ([`is_incomplete`]); days and weeks only.
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
    /// When the first feed was added (UTC milliseconds), be it removed by now: no outlet was followed before.
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
    let (from, to) = query.by.whole(query.from, query.to);
    let filter = Filter { brand: query.brand.clone(), from, to, ..Filter::default() };
    let feeds = store.feeds_ever()?;
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
        let polls: BTreeMap<Day, Polls> = store.polls(from, to.map(after))?.into_iter().collect();
        let today = day_of(now, &zone);
        let recounts = history::recounts(store)?;
        let mut known: BTreeMap<Day, Option<f64>> = BTreeMap::new();
        for line in &mut lines {
            let Ok(first) = line.bucket.parse::<Day>() else { continue };
            let span = query.by.days();
            line.coverage = *known.entry(first).or_insert_with(|| polled(&polls, first, span));
            let end = final_from(first, span);
            line.provisional = end > today;
            line.incomplete = is_incomplete(line.coverage);
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
        changes: changes::changes(store, (from, to), &zone)?,
        brand_set: set.version,
        timezone: name_of(&zone),
    })
}

/// Share of the polls due in `[day, day + span + 1 days)` that succeeded; `None` when none were due.
fn polled(polls: &BTreeMap<Day, Polls>, day: Day, span: i64) -> Option<f64> {
    let mut sum = Polled::default();
    for (_, polls) in polls.range(day..final_from(day, span)) {
        sum.due += u64::from(polls.due);
        sum.succeeded += u64::from(polls.succeeded);
    }
    sum.share()
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
    let mut sources = Sources { store, by, urls, agencies: HashMap::new(), lines: BTreeMap::new() };
    let mut originals = Originals::default();
    // An article counts in each of its zones, but one that names no brand stands in none.
    let mut bare = match by {
        By::Zone => Bare::default(),
        _ => Bare::of(store, filter)?,
    };
    visit(
        |each| store.mention_rows(filter, each),
        |row: MentionRow| -> Result<_> {
            let head = originals.head(store, row.article)?;
            let copy = head.as_ref().is_some_and(|head| head.original.rank.key != row.article);
            if let Some(head) = head.filter(|_| copy && row.counted > 0) {
                bare.count(&head, &row, &mut sources)?;
            }
            if by == By::Zone {
                by_zone(row).into_iter().for_each(|(zone, part)| sources.add(zone, &part, copy));
            } else {
                let bucket = sources.bucket(&row)?;
                sources.add(bucket, &row, copy);
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    bare.elsewhere(filter, &mut originals, &mut sources)?;
    let mut lines: Vec<Line> = sources.lines.into_values().collect();
    lines.sort_by(|a, b| a.brand.cmp(&b.brand).then(b.mentions.cmp(&a.mentions)));
    Ok(lines)
}

/// A table by source while it is made.
struct Sources<'a> {
    store: &'a dyn Store,
    by: By,
    /// Of feeds.
    urls: HashMap<UrlKey, &'a str>,
    agencies: HashMap<UrlKey, String>,
    lines: BTreeMap<(String, String), Line>,
}

impl Sources<'_> {
    /// Where an article counts.
    fn bucket(&mut self, row: &MentionRow) -> Result<String> {
        Ok(match self.by {
            By::Agency => match self.agencies.get(&row.article) {
                Some(known) => known.clone(),
                None => {
                    let agency = agency(self.store, row.article)?;
                    self.agencies.entry(row.article).or_insert(agency).clone()
                }
            },
            By::Outlet => row.outlet.clone(),
            By::Language => row.language.clone().unwrap_or_else(|| "unknown".into()),
            _ => self.urls.get(&row.feed).map_or_else(|| row.feed.to_string(), |u| u.to_string()),
        })
    }

    fn line(&mut self, brand: &str, bucket: String) -> &mut Line {
        self.lines.entry((brand.to_owned(), bucket.clone())).or_insert_with(|| {
            let brand = brand.to_owned();
            Line { brand, bucket, ..Line::default() }
        })
    }

    fn add(&mut self, bucket: String, row: &MentionRow, copy: bool) {
        let line = self.line(&row.brand, bucket);
        line.mentions += i64::from(row.counted);
        line.suppressed += i64::from(row.suppressed);
        if row.counted > 0 {
            line.articles += 1;
            line.stories += i64::from(!copy);
            line.copies += i64::from(copy);
            line.backlog += i64::from(row.backlog);
            line.own += if row.own_outlet { i64::from(row.counted) } else { 0 };
        }
    }
}

/// Stories of which only copies count a brand: they count where their original stands, which names it nowhere.
#[derive(Default)]
struct Bare {
    /// The days asked for.
    days: (Option<Day>, Option<Day>),
    /// How many there are, by brand, with an original of the days asked for.
    missing: BTreeMap<String, i64>,
    seen: HashSet<(String, UrlKey)>,
}

impl Bare {
    fn of(store: &dyn Store, filter: &Filter) -> Result<Bare> {
        let mut missing: BTreeMap<String, i64> = BTreeMap::new();
        for (brand, _, tally) in store.tallies(filter)? {
            *missing.entry(brand).or_default() += tally.stories - tally.originals;
        }
        missing.retain(|_, stories| *stories > 0);
        Ok(Bare { days: (filter.from, filter.to), missing, seen: HashSet::new() })
    }

    /// Counts the story of a copy, once, if it is one of them; `row` is the copy's.
    fn count(&mut self, head: &StoryHead, row: &MentionRow, to: &mut Sources<'_>) -> Result<()> {
        let Some(missing) = self.missing.get_mut(&row.brand) else { return Ok(()) };
        let (first, last) = self.days;
        if first.is_some_and(|first| head.day < first) || last.is_some_and(|last| head.day > last) {
            return Ok(());
        }
        let original = head.original.rank.key;
        if !self.seen.insert((row.brand.clone(), head.id))
            || to.store.mentions_of(original)?.iter().any(|r| r.brand == row.brand && r.counted > 0)
        {
            return Ok(());
        }
        let Some(record) = to.store.article(original)? else { return Ok(()) };
        let bucket = to.bucket(&MentionRow {
            article: original,
            language: mention::language(&record.article),
            outlet: record.outlet,
            feed: record.feed,
            ..row.clone()
        })?;
        to.line(&row.brand, bucket).stories += 1;
        *missing -= 1;
        if *missing == 0 {
            self.missing.remove(&row.brand);
        }
        Ok(())
    }

    /// Those whose copies stand on other days: after these days, as most do, or else before.
    fn elsewhere(
        &mut self,
        filter: &Filter,
        originals: &mut Originals,
        to: &mut Sources<'_>,
    ) -> Result<()> {
        let (one, store) = (jiff::Span::new().days(1), to.store);
        let after = filter.to.and_then(|to| to.checked_add(one).ok()).map(|day| (Some(day), None));
        let before =
            filter.from.and_then(|from| from.checked_sub(one).ok()).map(|day| (None, Some(day)));
        for (from, until) in after.into_iter().chain(before) {
            for brand in self.missing.keys().cloned().collect::<Vec<_>>() {
                let days =
                    Filter { brand: Some(brand.clone()), from, to: until, ..Filter::default() };
                visit(
                    |each| store.mention_rows(&days, each),
                    |row: MentionRow| -> Result<_> {
                        if row.counted > 0
                            && let Some(head) = originals.head(store, row.article)?
                        {
                            self.count(&head, &row, to)?;
                        }
                        let sought = self.missing.contains_key(&brand);
                        Ok(if sought { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
                    },
                )?;
            }
        }
        Ok(())
    }
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

/// Remembers which story an article belongs to while one table is made.
#[derive(Default)]
struct Originals {
    known: HashMap<UrlKey, Option<StoryHead>>,
}

impl Originals {
    fn head(&mut self, store: &dyn Store, article: UrlKey) -> Result<Option<StoryHead>> {
        if let Some(known) = self.known.get(&article) {
            return Ok(known.clone());
        }
        let head = store.story_head_of(article)?;
        self.known.insert(article, head.clone());
        Ok(head)
    }
}
