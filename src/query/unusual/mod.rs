//! What is out of the ordinary on a day: outlets that bring far more than in the weeks before, or far more of
//! other outlets', list more than is taken, or name brands implausibly often. Nothing is held back for
//! it: it is said, so that a person can look.
//!
//! Must not know: how a sentence is shown.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::model::*;
use crate::store::account::is_used_up;
use crate::store::subscriptions::{Pushes, doubted, subscription};
use crate::store::{Filter, Ledger, OVER_BUDGET, Result, Store};
use crate::words::{Said, said};

use super::time::FirstHours;
use super::usual::{Series, at_least, memory};

/// Days before that tell which share of other outlets' entries is usual, and how many of them must have
/// brought anything.
const DAYS: i64 = 28;
const LEAST_DAYS: usize = 7;
/// Fewer entries of others are no matter; nor is a smaller share, percent.
const FEW: i64 = 20;
const SMALL: i64 = 20;
/// The share is so many times the largest of the days before …
const TIMES: f64 = 3.0;
/// … and at one and a half times the largest, or this, as many would come by chance …
const LEAST_SHARE: f64 = 0.02;
const EXCESS: f64 = 1.5;
/// … more rarely than this.
const RARE: f64 = 1e-6;
/// So many stuffed articles of an outlet on a day are worth a sentence.
const STUFFED: u64 = 3;

/// What is unusual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// Entries that its feeds listed beyond what is taken of them.
    OverBudget,
    /// MiB on its account, as many as may be: the rest waits.
    Bytes,
    /// New entries.
    Burst,
    /// Of a hundred new entries that its feeds brought, those of other outlets.
    Foreign,
    /// Articles that name a brand implausibly often.
    Stuffed,
}

/// An outlet's day that is out of the ordinary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unusual {
    pub day: Day,
    pub outlet: String,
    pub what: What,
    /// So many there were …
    pub found: u64,
    /// … and so many at most in the same hours of the weeks before, or on the days before.
    pub usual: u64,
}

impl Unusual {
    /// For people.
    pub fn said(&self) -> Said {
        let told = match self.what {
            What::OverBudget => said("trouble.budget"),
            What::Bytes => said("trouble.bytes"),
            What::Burst => said("trouble.burst"),
            What::Foreign => said("trouble.foreign"),
            What::Stuffed => said("trouble.stuffed"),
        };
        told.with("n", self.found)
            .with("usual", self.usual)
            .with("outlet", &self.outlet)
            .with("day", self.day.to_string())
    }
}

/// First day whose ledger is needed to judge `day`.
pub fn needed(day: Day) -> Day {
    day.saturating_sub(jiff::Span::new().days((memory(24) / 24).max(DAYS) + 1))
}

/// What is unusual in the days `from ..= to`, by day and outlet; `now` cuts a day that is not over. The
/// ledger has to begin at [`needed`].
pub fn unusual(
    ledger: &[Ledger],
    feeds: &[Feed],
    zone: &jiff::tz::TimeZone,
    (from, to): (Day, Day),
    now: Millis,
) -> Vec<Unusual> {
    let mut arrivals: BTreeMap<&str, Series> = BTreeMap::new();
    for feed in feeds {
        // The first poll brings what was there before, and its day is not a whole one.
        let since = (feed.added.div_euclid(DAY) + 1) * 24;
        arrivals.entry(&feed.outlet).or_default().followed_since(since);
    }
    let mut brought: BTreeMap<&str, BTreeMap<Day, Brought>> = BTreeMap::new();
    let mut polled: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    let mut hours = FirstHours::of(zone);
    for row in ledger {
        let Some(day) = row.day else { continue };
        if row.brought != Brought::default() {
            brought.entry(&row.outlet).or_default().insert(day, row.brought);
        }
        let series = arrivals.get_mut(row.outlet.as_str());
        if let Some((series, begins)) = series.zip(hours.begins(day)) {
            // Whole days are held against whole days.
            series.add_day(begins, &row.arrivals);
            if row.polls.due > 0 {
                polled.entry(&row.outlet).or_default().insert(begins.div_euclid(HOUR));
            }
        }
    }
    for (outlet, days) in &polled {
        arrivals.entry(outlet).or_default().followed_on(days);
    }
    let mut found = Vec::new();
    for row in ledger {
        let Some(day) = row.day.filter(|day| (from..=to).contains(day)) else { continue };
        let mut say = |what, found_: u64, usual| {
            let outlet = row.outlet.clone();
            found.push(Unusual { day, outlet, what, found: found_, usual });
        };
        if let Some(beyond) = row.outcomes.get(OVER_BUDGET).filter(|n| **n > 0) {
            say(What::OverBudget, *beyond, 0);
        }
        let series = arrivals.get(row.outlet.as_str());
        if let Some((entries, usual)) =
            series.zip(hours.get(day)).and_then(|(series, start)| burst(series, start, now))
        {
            say(What::Burst, entries, usual);
        }
        let days = brought.get(row.outlet.as_str());
        let of = |day| days.and_then(|days| days.get(&day)).map_or(0, |brought| brought.bytes);
        if is_used_up(day, row.brought.bytes, of) {
            say(What::Bytes, u64::try_from(row.brought.bytes >> 20).unwrap_or(0), 0);
        }
        if let Some((share, usual)) = days.and_then(|days| foreign(days, day)) {
            say(What::Foreign, share, usual);
        }
    }
    found.sort_by(|a, b| (a.day, &a.outlet, a.what).cmp(&(b.day, &b.outlet, b.what)));
    found
}

/// New entries of a day, and the most of the weeks before, if they are far more.
fn burst(series: &Series, start: i64, now: Millis) -> Option<(u64, u64)> {
    let end = (start + 24).min(now.div_euclid(HOUR) + 1);
    let entries = series.sum(start, end);
    let usual = series.usual(end, end - start).filter(|usual| usual.is_burst(entries))?;
    Some((entries, usual.strongest))
}

/// Percent of other outlets' entries on a day, and the most of the days before, if it is far more.
fn foreign(days: &BTreeMap<Day, Brought>, day: Day) -> Option<(u64, u64)> {
    let share = |b: Brought| b.foreign as f64 / (b.own + b.foreign).max(1) as f64;
    let today = *days.get(&day)?;
    // Most days have too few, whatever was before.
    if today.foreign < FEW || 100.0 * share(today) < SMALL as f64 {
        return None;
    }
    let before = day.saturating_sub(jiff::Span::new().days(DAYS));
    let past = days.range(before..day).filter(|(_, b)| b.own + b.foreign > 0);
    let past: Vec<f64> = past.map(|(_, b)| share(*b)).collect();
    let most = past.iter().copied().fold(0.0, f64::max);
    let expected = EXCESS * most.max(LEAST_SHARE) * (today.own + today.foreign) as f64;
    let foreign = u64::try_from(today.foreign).unwrap_or(0);
    let odd = past.len() >= LEAST_DAYS
        && share(today) > TIMES * most
        && at_least(foreign, expected) < RARE;
    odd.then(|| ((100.0 * share(today)) as u64, (100.0 * most) as u64))
}

/// Articles by outlet.
pub type Articles = BTreeMap<String, BTreeSet<UrlKey>>;

/// The stuffed articles of days, of one outlet or of all.
pub fn stuffed_articles(
    store: &dyn Store,
    (from, to): (Day, Day),
    outlet: Option<String>,
) -> Result<Articles> {
    let filter = Filter { from: Some(from), to: Some(to), outlet, ..Filter::default() };
    let mut articles = Articles::new();
    store.mention_rows(&filter, &mut |row| {
        if is_stuffed(&row) {
            articles.entry(row.outlet).or_default().insert(row.article);
        }
        true
    })?;
    Ok(articles)
}

/// Does the article name the brand more often than its length can hold?
pub fn is_stuffed(row: &MentionRow) -> bool {
    row.mentions.iter().any(|mention| mention.zone == Zone::Stuffed)
}

/// The outlets that have more stuffed `articles` on a day than `before` tells of the four weeks before it.
pub fn stuffed(
    day: Day,
    articles: &Articles,
    mut before: impl FnMut(&str) -> Result<u64>,
) -> Result<Vec<Unusual>> {
    let mut found = Vec::new();
    for (outlet, articles) in articles {
        let n = articles.len() as u64;
        if n < STUFFED {
            continue;
        }
        let usual = before(outlet)?;
        // More in a day than in four weeks.
        if n > usual {
            let outlet = outlet.clone();
            found.push(Unusual { day, outlet, what: What::Stuffed, found: n, usual });
        }
    }
    Ok(found)
}

/// How many stuffed articles an outlet had in the four weeks before a day.
pub fn stuffed_before(store: &dyn Store, day: Day, outlet: &str) -> Result<u64> {
    let days = |n| day.saturating_sub(jiff::Span::new().days(n));
    let articles = stuffed_articles(store, (days(DAYS), days(1)), Some(outlet.to_owned()))?;
    Ok(articles.get(outlet).map_or(0, |articles| articles.len() as u64))
}

/// Sentences about hubs that push more than they are believed.
pub fn hubs(store: &dyn Store, now: Millis) -> Result<Vec<Said>> {
    let mut told = Vec::new();
    for key in doubted(store, now)? {
        let (Some(feed), Some(of)) = (store.feed(key)?, subscription(store, key)?) else {
            continue;
        };
        let Pushes { doubted, refused, .. } = of.pushes;
        let hub = said("trouble.hub").with("hub", of.hub).with("url", feed.url);
        told.push(hub.with("doubted", doubted).with("refused", refused));
    }
    Ok(told)
}

#[cfg(test)]
mod tests;
