//! Alerts: their rules held against the store, and what came of it.
//!
//! Must not know: who asks for a judgement, how events reach anybody.

mod digest;
mod facts;
mod judge;
mod rows;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::time::{day_zone, instant};
use super::unanswered::{Answered, Unanswered};
use crate::model::*;
use crate::search::Search;
use crate::store::{Result, Store};

pub use digest::{Digest, DigestLine, DigestQuery, DigestStory, digest};
use rows::Index;
pub use rows::Sights;

/// An alert in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertLine {
    #[serde(flatten)]
    pub rule: AlertRule,
    pub made: Millis,
    /// Since when it is as the rule says, if it is.
    pub firing: Option<Millis>,
    /// When it last told something.
    pub last_event: Option<Millis>,
    /// Events that are still to be sent to somebody, and those that nobody took.
    pub waiting: usize,
    pub failed: usize,
}

/// One alert with all that it told lately.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertView {
    #[serde(flatten)]
    pub line: AlertLine,
    /// The latest first.
    pub events: Vec<AlertEvent>,
}

fn line(alert: &Alert) -> AlertLine {
    let failed =
        |event: &&AlertEvent| event.deliveries.iter().any(|d| d.next.is_none() && d.done.is_none());
    AlertLine {
        rule: alert.rule.clone(),
        made: alert.made,
        firing: alert.state.firing,
        last_event: alert.events.last().map(|event| event.at),
        waiting: alert.events.iter().filter(|event| event.is_waiting()).count(),
        failed: alert.events.iter().filter(failed).count(),
    }
}

/// All alerts, by name.
pub fn alerts(store: &dyn Store) -> Result<Vec<AlertLine>> {
    Ok(store.alerts()?.iter().map(line).collect())
}

/// The alert of this name.
///
/// # Errors
/// There is none.
pub fn alert(store: &dyn Store, name: &str) -> Answered<AlertView> {
    let alert = alert_known(store, name)?;
    Ok(AlertView { line: line(&alert), events: alert.events.into_iter().rev().collect() })
}

/// The alert of this name as it is stored.
///
/// # Errors
/// There is none.
pub fn alert_known(store: &dyn Store, name: &str) -> Answered<Alert> {
    store.alert(name)?.ok_or_else(|| Unanswered::NoAlert(name.to_owned()))
}

/// What came of a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The alert as it is now, with what happened; `None`: it is as it was.
    pub changed: Option<Alert>,
    /// All that is committed was looked at; else it is worth to look again soon.
    pub whole: bool,
}

/// Holds a rule against the store at `now`. Nothing is written.
///
/// # Errors
/// The store fails; a rule with a query has no index to ask, or asks for too much.
pub fn judged(
    store: &dyn Store,
    index: &Search,
    alert: &Alert,
    sights: &mut Sights,
    now: Millis,
) -> Answered<Judged> {
    let (state, events, whole) = if alert.rule.when.is_digest() {
        let (state, events) = digest::due(store, &alert.rule, &alert.state, now)?;
        (state, events, true)
    } else {
        let facts = facts::gather(store, index, &alert.rule, &alert.state, sights, now)?;
        if facts.index == Index::Building {
            // What is in it is no more than a part of what was there before.
            return Ok(Judged { changed: None, whole: false });
        }
        let (state, events) = judge::judge(&alert.rule, &alert.state, &facts);
        (state, events, facts.index == Index::Whole)
    };
    if events.is_empty() && state == alert.state {
        return Ok(Judged { changed: None, whole });
    }
    let mut changed = Alert { state, ..alert.clone() };
    let due = after_quiet(&alert.rule, now, &day_zone(store)?);
    for mut event in events {
        cite(store, &mut event)?;
        changed.note(event, due);
    }
    Ok(Judged { changed: Some(changed), whole })
}

/// Each of these names once, in their order.
pub fn each_once(names: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| seen.insert(name.as_str())).cloned().collect()
}

/// An event that only shows that the alert arrives.
pub fn trial(rule: &AlertRule, now: Millis) -> AlertEvent {
    let sentence = format!("This is a test of the alert {}", rule.name);
    let mut event = AlertEvent::new(now, Happened::Test, sentence);
    event.details = vec![judge::described(rule)];
    event
}

/// May nothing be sent by this rule now?
///
/// # Errors
/// The store's.
pub fn is_quiet(store: &dyn Store, rule: &AlertRule, now: Millis) -> Result<bool> {
    Ok(rule.quiet.is_some() && after_quiet(rule, now, &day_zone(store)?) > now)
}

/// When something that happens now may be sent.
fn after_quiet(rule: &AlertRule, now: Millis, zone: &jiff::tz::TimeZone) -> Millis {
    let Some(quiet) = rule.quiet else { return now };
    let at = jiff::Timestamp::from_millisecond(now).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let clock = zone.to_datetime(at);
    let minute = u32::try_from(i32::from(clock.hour()) * 60 + i32::from(clock.minute()));
    let Some(left) = quiet.left(minute.unwrap_or(0)) else { return now };
    // The end by the clock: on two nights of the year that is not as many minutes later.
    let end = clock.with().second(0).subsec_nanosecond(0).build().unwrap_or(clock);
    let end = zone.to_ambiguous_timestamp(end.saturating_add(jiff::Span::new().minutes(left)));
    // Where the clock shows the end twice, and the first is over, it is the second.
    let ends = [end.compatible(), end.later()].into_iter().flatten();
    ends.map(|end| end.as_millisecond()).find(|end| *end > now).unwrap_or(now)
}

/// Names the articles of an event, of which so far only the keys are known.
fn cite(store: &dyn Store, event: &mut AlertEvent) -> Result<()> {
    event.articles.truncate(CITED);
    for cited in &mut event.articles {
        if let Some(record) = store.article(cited.key)? {
            cited.day = record.published.day;
            cited.title = record.article.title.map_or_else(String::new, |title| title.value);
            cited.url = record.final_url;
            cited.outlet = record.outlet;
        }
    }
    Ok(())
}

/// An article of which so far only the key is known.
fn cited(key: UrlKey) -> Cited {
    Cited {
        key,
        day: Day::default(),
        outlet: String::new(),
        title: String::new(),
        url: String::new(),
    }
}

/// Names for a sentence: all of them, or the first and how many more.
fn names(all: &[String]) -> String {
    const MOST: usize = 5;
    match all {
        [] => String::new(),
        [one] => one.clone(),
        all if all.len() <= MOST => {
            let (last, rest) = all.split_last().map_or(("", &[][..]), |(l, r)| (l.as_str(), r));
            format!("{} and {last}", rest.join(", "))
        }
        all => format!("{} and {} more", all[..MOST].join(", "), all.len() - MOST),
    }
}

/// An instant to the minute, for arithmetic.
fn at(instant_: Millis) -> String {
    instant(instant_)
}
