//! Who has fallen silent: outlets and languages that bring clearly less than they did at the same
//! hours of the weeks before. Nights and weekends are quiet every week, so they explain themselves.
//!
//! A window of 6 hours to 14 days that ends now is held against the same window of the weeks before.
//! The weakest of them says what is expected at least. An alarm is given when no more than a tenth of
//! that has come, and when a Poisson count of half that mean (news comes in bursts) would be as small
//! less often than once in 10⁴. So an outlet of forty entries a day is missed after a day or two, one
//! of three a day after two weeks, and one of less than one and a half a day never.
//!
//! Must not know: the store beyond its ledger and feeds, how a sentence is shown.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::model::*;
use crate::store::{Ledger, OutletRule, Result, Store};
use crate::words::{Said, said, whole_percent};

use super::time::{FirstHours, day_zone};
use super::usual::{Series, memory};

/// Lengths of the windows, hours.
const WINDOWS: [i64; 7] = [6, 12, 24, 48, 96, 168, 336];
/// Polls are late by so much before somebody must look.
const LATE: Millis = 2 * HOUR;
/// Without any successful poll for so long, something is wrong here sooner than with every feed.
const UNANSWERED: Millis = HOUR;

/// What has fallen silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    Outlet,
    Language,
}

/// Something that brings clearly less than it used to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silence {
    pub source: Source,
    /// The outlet, or the language as a tag.
    pub name: String,
    /// The last so many hours …
    pub hours: i64,
    /// … brought so many new entries …
    pub entries: u64,
    /// … and the same hours of the weakest week before so many.
    pub usual: u64,
    /// Share of its polls in these days that succeeded, percent; `None`: none were due.
    pub polls: Option<u32>,
}

impl Silence {
    /// For people.
    pub fn said(&self) -> Said {
        let of = match self.source {
            Source::Outlet => said("trouble.silent.outlet"),
            Source::Language => said("trouble.silent.language"),
        };
        let new = match self.entries {
            0 => said("trouble.silent.nothing"),
            n => said("trouble.silent.entries").with("n", n),
        };
        let polls = match self.polls {
            Some(share) if share >= 90 => said("trouble.silent.dead"),
            Some(share) => said("trouble.silent.polls").with("share", share),
            None => said("trouble.silent.unpolled"),
        };
        of.with("name", &self.name)
            .with("new", vec![new])
            .with("hours", self.hours)
            .with("usual", self.usual)
            .with("polls", vec![polls])
    }
}

/// First sights and polls of an outlet or a language.
#[derive(Clone, Debug, Default)]
struct Followed {
    arrivals: Series,
    /// By the hour with which their day begins.
    polls: BTreeMap<i64, Polls>,
    /// Longest time between two polls, hours.
    rhythm: i64,
}

impl Followed {
    fn absorb(&mut self, other: &Followed) {
        self.arrivals.absorb(&other.arrivals);
        for (day, polls) in &other.polls {
            let sum = self.polls.entry(*day).or_default();
            sum.due += polls.due;
            sum.succeeded += polls.succeeded;
        }
        self.rhythm = self.rhythm.max(other.rhythm);
    }

    /// The shortest window that ends at the hour `end` and is too quiet.
    fn silence(&self, end: i64) -> Option<(i64, u64, u64)> {
        WINDOWS.into_iter().find_map(|hours| {
            // Entries come with the polls: a window must hold several.
            if hours < 2 * self.rhythm {
                return None;
            }
            let entries = self.arrivals.sum(end - hours, end);
            let usual = self.arrivals.usual(end, hours)?;
            usual.is_silence(entries).then_some((hours, entries, usual.weakest))
        })
    }

    fn share(&self, end: i64, hours: i64) -> Option<u32> {
        let mut sum = Polls::default();
        // Polls are counted by the day.
        for (_, polls) in self.polls.range(end - hours - 24..end) {
            sum.due += polls.due;
            sum.succeeded += polls.succeeded;
        }
        let share = f64::from(sum.succeeded) / f64::from(sum.due.max(1));
        (sum.due > 0).then(|| u32::try_from(whole_percent(share)).unwrap_or(100))
    }
}

/// [`silences`] of a whole store; none while nothing is polled at all.
pub fn silent(store: &dyn Store, now: Millis) -> Result<Vec<Silence>> {
    let feeds = store.feeds()?;
    let rules = store.outlet_rules()?;
    if stalled(&feeds, &rules, now).is_some() {
        return Ok(Vec::new());
    }
    let zone = day_zone(store)?;
    let today = day_of(now, &zone);
    Ok(silences(&store.ledger(Some(needed(today)), None)?, &feeds, &rules, &zone, now))
}

/// First day whose ledger is needed to judge `today`.
pub fn needed(today: Day) -> Day {
    let days = WINDOWS.iter().map(|hours| memory(*hours)).max().unwrap_or_default() / 24 + 1;
    today.saturating_sub(jiff::Span::new().days(days))
}

/// Outlets and languages that have fallen silent at `now`, worst first. Nothing is said of what the
/// operator has paused or blocked, nor while nothing is polled at all: see [`stalled`].
pub fn silences(
    ledger: &[Ledger],
    feeds: &[Feed],
    rules: &[(String, OutletRule)],
    zone: &jiff::tz::TimeZone,
    now: Millis,
) -> Vec<Silence> {
    // A pause shows as long as the longest window looks back.
    let longest = WINDOWS.iter().max().map_or(0, |hours| hours * HOUR);
    let held = Held::of(rules, now - longest);
    let mut outlets: BTreeMap<&str, Followed> = BTreeMap::new();
    let mut languages: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for feed in feeds {
        let outlet = feed.outlet.as_str();
        // What has moved is missed where it is now; what another outlet's feed leads to tells nothing of this one.
        let elsewhere = feed.has_moved() || feed.is_on_trial();
        if feed.status == FeedStatus::Paused || elsewhere || held.has(feed) {
            continue;
        }
        let series = outlets.entry(outlet).or_default();
        if feed.status == FeedStatus::Active {
            series.rhythm = series.rhythm.max(feed.poll.interval.div_euclid(HOUR) + 1);
        }
        // The first poll brings what was there before, and its day is not a whole one.
        series.arrivals.followed_since((feed.added.div_euclid(DAY) + 1) * 24);
        if let Some(language) = &feed.language {
            let tag = language.split(['-', '_']).next().unwrap_or_default().to_lowercase();
            *languages.entry(outlet).or_default().entry(tag).or_default() += 1;
        }
    }
    let mut hours = FirstHours::of(zone);
    for row in ledger {
        let Some((series, day)) = outlets.get_mut(row.outlet.as_str()).zip(row.day) else {
            continue;
        };
        let Some(begins) = hours.begins(day) else { continue };
        series.arrivals.add_comparable_day(begins, &row.arrivals);
        let polls = series.polls.entry(begins.div_euclid(HOUR)).or_default();
        polls.due += row.polls.due;
        polls.succeeded += row.polls.succeeded;
    }
    for series in outlets.values_mut() {
        let polled = series.polls.iter().filter(|(_, polls)| polls.due > 0);
        series.arrivals.followed_on(&polled.map(|(day, _)| *day).collect());
    }
    let end = now.div_euclid(HOUR);
    let mut spoken: BTreeMap<String, Followed> = BTreeMap::new();
    for (outlet, series) in &outlets {
        let most = languages.get(outlet).and_then(|tags| tags.iter().max_by_key(|(_, n)| **n));
        if let Some((tag, _)) = most {
            spoken.entry(tag.clone()).or_default().absorb(series);
        }
    }
    let outlets = outlets.into_iter().map(|(name, series)| (Source::Outlet, name.into(), series));
    let spoken = spoken.into_iter().map(|(name, mut series)| {
        // The polls of many outlets are spread over time.
        series.rhythm = 1;
        (Source::Language, name, series)
    });
    let mut found: Vec<Silence> = spoken
        .chain(outlets)
        .filter_map(|(source, name, series)| {
            let (hours, entries, usual) = series.silence(end)?;
            let polls = series.share(end, hours);
            Some(Silence { source, name, hours, entries, usual, polls })
        })
        .collect();
    found.sort_by_key(|s| (s.source == Source::Outlet, std::cmp::Reverse(s.usual - s.entries)));
    found
}

/// What the operator has blocked, or had paused at some instant or later.
struct Held<'r> {
    outlets: BTreeSet<&'r str>,
    /// A pause reaches all outlets under these.
    pace_keys: BTreeSet<&'r str>,
}

impl Held<'_> {
    fn of(rules: &[(String, OutletRule)], since: Millis) -> Held<'_> {
        let mut held = Held { outlets: BTreeSet::new(), pace_keys: BTreeSet::new() };
        for (outlet, rule) in rules {
            let paused = rule.paused_until.is_some_and(|until| until >= since);
            if paused || rule.ban.is_some() {
                held.outlets.insert(outlet);
            }
            if paused {
                held.pace_keys.extend(rule.pace_keys.iter().map(String::as_str));
            }
        }
        held
    }

    fn has(&self, feed: &Feed) -> bool {
        self.outlets.contains(&*feed.outlet) || self.pace_keys.contains(&*feed.pace_key)
    }
}

/// Is nothing polled any more? How long ago the last poll was, and how many feeds have been due for
/// longer than two hours; not those that the operator has paused or blocked, or had paused until then.
pub fn stalled(
    feeds: &[Feed],
    rules: &[(String, OutletRule)],
    now: Millis,
) -> Option<(Millis, usize)> {
    let last = feeds.iter().filter_map(|feed| feed.poll.last).max()?;
    let late = |at: Millis| at < now - LATE;
    let held = Held::of(rules, now - LATE);
    let due = feeds
        .iter()
        .filter(|feed| feed.status == FeedStatus::Active && late(feed.poll.next))
        .filter(|feed| !held.has(feed))
        .count();
    (now - last > LATE && due > 0).then_some((now - last, due))
}

/// Does no poll of any feed succeed? Since when, and what the last failure says. Of a single feed that is no news.
pub fn unanswered(feeds: &[Feed], now: Millis) -> Option<(Millis, &str)> {
    let polled = || {
        let active = feeds.iter().filter(|feed| feed.status == FeedStatus::Active);
        active.filter(|feed| feed.poll.last.is_some())
    };
    if polled().count() < 2 || polled().any(|feed| feed.poll.failures == 0.0) {
        return None;
    }
    let last = polled().max_by_key(|feed| feed.poll.last)?;
    let success = polled().filter_map(|feed| feed.poll.last_success).max();
    let since = success.or_else(|| polled().map(|feed| feed.added).min())?;
    let why = last.poll.last_error.as_deref().unwrap_or("unknown");
    (now - since >= UNANSWERED).then_some((now - since, why))
}

#[cfg(test)]
mod tests;
