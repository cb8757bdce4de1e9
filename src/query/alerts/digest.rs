//! A digest: what happened to brands in some days, beside the days before. Its numbers are those of a
//! report.
//!
//! Must not know: who gets it, how it is shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{at, cited, each_once, names};
use crate::model::*;
use crate::query::articles::{ArticlesQuery, StoryLine, stories};
use crate::query::coverage;
use crate::query::series::{By, MentionsQuery, mentions};
use crate::query::time::day_zone;
use crate::query::unanswered::{Answered, Unanswered};
use crate::store::sums::monday;
use crate::store::{Result, Store};
use crate::words::{many, number, percent, whole_percent};

/// The hour by the clock from which a digest tells of the day before.
const MORNING: i8 = 7;
/// Days that one digest tells of at most, after a long time in which none was made.
const MOST_DAYS: i64 = 31;
/// Stories that it names of each brand.
const STORIES: usize = 3;

/// Which brands, and which days.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestQuery {
    /// None: all that are watched.
    pub brands: Vec<String>,
    /// Default: yesterday.
    pub from: Option<Day>,
    pub to: Option<Day>,
}

/// Answer of [`digest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Digest {
    pub from: Day,
    pub to: Day,
    pub timezone: String,
    /// A line per brand, most articles first.
    pub lines: Vec<DigestLine>,
    /// Articles of all watched brands, also of those that the digest leaves out; an article that counts two is
    /// both's. `None`: of a daemon of before.
    #[serde(default)]
    pub all_articles: Option<i64>,
    /// Share of the polls due on these days and on the day after that succeeded; `None`: none were due.
    pub coverage: Option<f64>,
    /// Counts of the last days may still grow.
    pub provisional: bool,
}

/// One brand in a digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestLine {
    pub brand: String,
    pub articles: i64,
    /// Those whose original is of these days.
    pub stories: i64,
    /// Stories that articles of these days count the brand in, and whose original is of other days.
    #[serde(default)]
    pub stories_of_other_days: usize,
    pub mentions: i64,
    /// Articles of as many days before.
    pub before: i64,
    /// Percent of the articles of all watched brands; never 100 for less than all.
    pub share: i64,
    /// Those that are most carried.
    pub top: Vec<DigestStory>,
}

/// A story in a digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestStory {
    pub id: UrlKey,
    pub title: String,
    /// Outlet of the original.
    pub outlet: String,
    pub outlets: usize,
    pub articles: usize,
}

/// The digest of some days.
///
/// # Errors
/// A brand is not watched, or the days are in the wrong order.
pub fn digest(store: &dyn Store, query: &DigestQuery, now: Millis) -> Answered<Digest> {
    let watched: Vec<String> = store.brand_set()?.brands.into_iter().map(|b| b.name).collect();
    let brands = if query.brands.is_empty() { &watched } else { &each_once(&query.brands) };
    if let Some(unknown) = brands.iter().find(|brand| !watched.contains(brand)) {
        return Err(Unanswered::NoBrand { name: unknown.clone(), watched });
    }
    let span = jiff::Span::new();
    let yesterday = day_of(now, &day_zone(store)?).saturating_sub(span.days(1));
    let to = query.to.unwrap_or(yesterday);
    let from = query.from.unwrap_or(to);
    if from > to {
        return Err(Unanswered::Reversed { from, to });
    }
    let days = i64::from(from.until(to).map_or(0, |span| span.get_days())) + 1;
    let before = (from.saturating_sub(span.days(days)), from.saturating_sub(span.days(1)));
    // Once for all brands: a brand's share is of all of them.
    let counts = |(from, to): (Day, Day)| -> Result<(BTreeMap<String, Sum>, String)> {
        let days = MentionsQuery { brand: None, from: Some(from), to: Some(to), by: By::Day };
        let counted = mentions(store, &days, now)?;
        let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
        for line in counted.lines {
            let sum = sums.entry(line.brand).or_default();
            sum.articles += line.articles;
            sum.stories += line.stories;
            sum.mentions += line.mentions;
        }
        Ok((sums, counted.timezone))
    };
    let (sums, timezone) = counts((from, to))?;
    let (earlier, _) = counts(before)?;
    let all_articles: i64 = sums.values().map(|sum| sum.articles).sum();
    let mut lines = Vec::new();
    for brand in brands {
        let of = |sums: &BTreeMap<String, Sum>| sums.get(brand).copied().unwrap_or_default();
        let sum = of(&sums);
        let filter = ArticlesQuery {
            brand: Some(brand.clone()),
            from: Some(from),
            to: Some(to),
            ..ArticlesQuery::default()
        };
        let stories = stories(store, &filter)?;
        let other_days = |story: &&StoryLine| story.day < from || story.day > to;
        let stories_of_other_days = stories.iter().filter(other_days).count();
        let top = stories.into_iter().take(STORIES).map(|story| DigestStory {
            id: story.id,
            title: story.title,
            outlet: story.outlet,
            outlets: story.outlets,
            articles: story.articles,
        });
        lines.push(DigestLine {
            brand: brand.clone(),
            articles: sum.articles,
            stories: sum.stories,
            stories_of_other_days,
            mentions: sum.mentions,
            before: of(&earlier).articles,
            share: whole_percent(share(sum.articles, all_articles)),
            top: top.collect(),
        });
    }
    lines.sort_by(|a, b| b.articles.cmp(&a.articles).then(a.brand.cmp(&b.brand)));
    let (covered, polled) = coverage::of_days(store, (from, to), now)?;
    let provisional = covered.iter().any(|day| day.provisional);
    let coverage = polled.share();
    let all_articles = Some(all_articles);
    Ok(Digest { from, to, timezone, lines, all_articles, coverage, provisional })
}

/// What a brand counts in some days.
#[derive(Clone, Copy, Default)]
struct Sum {
    articles: i64,
    stories: i64,
    mentions: i64,
}

fn share(part: i64, all: i64) -> f64 {
    part as f64 / all.max(1) as f64
}

impl Digest {
    /// For people: what it comes down to, then a line per brand and per story.
    pub fn told(&self) -> (String, Vec<String>) {
        let days = match self.from == self.to {
            true => self.from.to_string(),
            false => format!("{} to {}", self.from, self.to),
        };
        let count = |line: &DigestLine| format!("{} {}", line.brand, number(line.articles));
        let counts: Vec<String> = self.lines.iter().map(count).collect();
        let sentence = match counts.is_empty() {
            true => format!("{days}: no brand is watched"),
            false => format!("{days}: articles that count {}", names(&counts)),
        };
        let counted = |n: i64, what| many(n.unsigned_abs(), what);
        let mut details = Vec::new();
        for line in &self.lines {
            let stories = match line.stories_of_other_days {
                0 => counted(line.stories, "story"),
                others => {
                    let new = counted(line.stories, "new story");
                    format!("{new} and {} of other days", number(others))
                }
            };
            let part = match self.all_articles {
                Some(all) => percent(Some(share(line.articles, all))),
                None => format!("{} %", line.share),
            };
            details.push(format!(
                "{}: {} ({} before), {stories}, {}; {part} of all watched brands.",
                line.brand,
                counted(line.articles, "article"),
                number(line.before),
                counted(line.mentions, "mention")
            ));
            for story in &line.top {
                details.push(format!(
                    "{} {} in {})",
                    quote(&story.title, &story.outlet),
                    many(story.articles as u64, "article"),
                    many(story.outlets as u64, "outlet")
                ));
            }
        }
        let polls = self.coverage.map_or_else(
            || "no polls were due".to_owned(),
            |share| format!("{} of the polls succeeded", percent(Some(share))),
        );
        let so_far = if self.provisional { "; counts may still grow" } else { "" };
        details.push(format!("Coverage: {polls}{so_far}."));
        (sentence, details)
    }
}

/// The digest that is due, and what the rule remembers then.
pub(super) fn due(
    store: &dyn Store,
    rule: &AlertRule,
    state: &AlertState,
    now: Millis,
) -> Result<(AlertState, Vec<AlertEvent>)> {
    let zone = day_zone(store)?;
    let span = jiff::Span::new();
    // Until its morning it is still the day before, by the clock: some days have an hour more or less.
    let clock = zone.to_datetime(jiff::Timestamp::from_millisecond(now).unwrap_or_default());
    let today = clock.date().saturating_sub(span.days(i64::from(clock.hour() < MORNING)));
    let first = match rule.when {
        When::Weekly => monday(today),
        _ => today,
    };
    let mut next = AlertState { begun: true, ..state.clone() };
    let Some(from) = state.from.filter(|from| *from <= first) else {
        // What was before it was made is not asked for. A clock that was set back begins anew.
        next.from = Some(first);
        return Ok((next, Vec::new()));
    };
    if from == first {
        return Ok((next, Vec::new()));
    }
    next.from = Some(first);
    let to = first.saturating_sub(span.days(1));
    let from = from.max(to.saturating_sub(span.days(MOST_DAYS - 1)));
    // What is watched no more is left out; if that is all, the digest says so.
    let unwatched = rule.unwatched(&store.brand_set()?);
    let mut brands = rule.brands.clone();
    if unwatched.len() < brands.len() {
        brands.retain(|brand| !unwatched.contains(brand));
    }
    let query = DigestQuery { brands, from: Some(from), to: Some(to) };
    let digest = match digest(store, &query, now) {
        Ok(digest) => digest,
        Err(Unanswered::Store(error)) => return Err(error),
        Err(other) => {
            let mut event = AlertEvent::new(now, Happened::Digest, format!("No digest: {other}"));
            event.details.push(format!("It was due {}.", at(now)));
            return Ok((next, vec![event]));
        }
    };
    let (sentence, mut details) = digest.told();
    if !unwatched.is_empty() {
        details.push(format!("Not watched any more, so left out: {}.", names(&unwatched)));
    }
    let mut event = AlertEvent::new(now, Happened::Digest, sentence);
    event.details = details;
    event.count = u64::try_from(digest.lines.iter().map(|line| line.articles).sum::<i64>()).ok();
    let top = digest.lines.iter().flat_map(|line| &line.top);
    event.articles = top.map(|story| cited(story.id)).collect();
    Ok((next, vec![event]))
}
