//! How complete days are: polls that were due and succeeded, entries by outcome, and what was out of the ordinary.
//!
//! Must not know: brands.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::outlets::outlet_known;
use super::past::Past;
use super::status::recent;
use super::time::{day_zone, name_of};
use super::unanswered::Answered;
use super::unusual::{needed, unusual};
use crate::model::*;
use crate::store::{Result, Store};
use crate::words::{Language, Said};

/// Percent of the polls from which a day counts as complete: a failed poll whose entries the next one still
/// shows loses nothing.
pub(super) const COMPLETE: u64 = 90;

/// Did too few polls succeed for counts to be complete, by the share of them that did? Where none were due, nobody can
/// tell.
pub fn is_incomplete(coverage: Option<f64>) -> bool {
    coverage.is_some_and(|share| share < COMPLETE as f64 / 100.0)
}

/// Days in one answer of [`coverage`]: a hundred years.
const MOST_DAYS: usize = 36_525;

/// How complete one publication day is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DayCoverage {
    pub day: Day,
    /// Share of the polls due in `[D, D + 48 h)` that succeeded; `None`: none were due.
    pub coverage: Option<f64>,
    /// The 48 hours are not over yet.
    pub provisional: bool,
    /// Too few of these polls succeeded ([`is_incomplete`]).
    #[serde(default)]
    pub incomplete: bool,
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

/// The polls by which days are as complete as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Polled {
    pub due: u64,
    pub succeeded: u64,
}

impl Polled {
    /// Those due on these days. The last one is the day after those that are asked about: their 48 hours reach
    /// into it.
    pub fn on<'a>(days: impl IntoIterator<Item = &'a DayCoverage>) -> Polled {
        days.into_iter().fold(Polled::default(), |sum, day| Polled {
            due: sum.due + day.polls_due,
            succeeded: sum.succeeded + day.polls_succeeded,
        })
    }

    /// Which part of them succeeded; `None`: none were due.
    pub fn share(self) -> Option<f64> {
        (self.due > 0).then(|| self.succeeded as f64 / self.due as f64)
    }
}

/// Every day from the first to the last, and the polls by which all of them together are as complete as they are.
///
/// # Errors
/// The store's.
pub(super) fn of_days(
    store: &dyn Store,
    (from, to): (Day, Day),
    now: Millis,
) -> Answered<(Vec<DayCoverage>, Polled)> {
    let after = to.saturating_add(jiff::Span::new().days(1));
    let query = CoverageQuery { from: Some(from), to: Some(after), ..CoverageQuery::default() };
    let mut days = coverage(store, &Past::default(), &query, now)?.days;
    let polled = Polled::on(&days);
    days.retain(|day| day.day <= to);
    Ok((days, polled))
}

/// Filters of [`coverage`]; `None` = any. Days are inclusive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoverageQuery {
    /// Default: the first day that is known of. So it is, too, if these are more days than one answer has.
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
    /// Every day asked for; of more than a hundred years the first.
    pub days: Vec<DayCoverage>,
    /// The current day in the configured zone.
    pub today: Day,
    /// That zone.
    #[serde(default)]
    pub timezone: String,
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
    let too_long = |from: Day| {
        let days = from.until(to).map_or(0, |span| span.get_days());
        usize::try_from(days).is_ok_and(|days| days >= MOST_DAYS)
    };
    let from = match query.from {
        Some(from) if !too_long(from) => from,
        given => {
            let first = first_day(store, past, today)?.unwrap_or(to).min(to);
            given.map_or(first, |from| from.max(first))
        }
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
        let first = sums.remove(&day).unwrap_or_default();
        let second = sums.entry(next(day)).or_default();
        let coverage = Polled::on([&first, &*second]).share();
        days.push(DayCoverage {
            day,
            coverage,
            provisional: next(next(day)) > today,
            incomplete: is_incomplete(coverage),
            ..first
        });
        if day == Day::MAX {
            break;
        }
        day = next(day);
    }
    Ok(Coverage { days, today, timezone: name_of(&zone) })
}

/// The first day of a store that has anything; `None`: none has.
fn first_day(store: &dyn Store, past: &Past, today: Day) -> Result<Option<Day>> {
    let recent = recent(today);
    if let Some(first) = past.before(store, recent)?.first {
        return Ok(Some(first));
    }
    Ok(store.ledger(Some(recent), None)?.iter().filter_map(|row| row.day).min())
}
