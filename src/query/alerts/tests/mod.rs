//! Every rule over a simulated quarter: it fires when something happens, is over when that is, and is quiet
//! otherwise.

mod stored;

use std::collections::BTreeSet;

use serde_json::json;

use super::facts::{Facts, Recent};
use super::judge::judge;
use super::*;
use crate::query::simulated::{Lot, MONDAY};
use crate::query::usual::Series;

const WEEK: i64 = 168;
/// Weeks before the quarter, by which it is judged, and the quarter.
const BEFORE: i64 = 9;
const QUARTER: i64 = 13;

fn rule(when: &str) -> AlertRule {
    AlertRule {
        name: "acme".into(),
        when: when.parse().unwrap(),
        brands: vec!["Acme".into()],
        query: None,
        outlet: None,
        language: None,
        within: None,
        to: vec!["desk".into()],
        quiet: None,
    }
}

/// Articles by the hour: busy days, quiet nights and weekends, and days that differ; so many times as many
/// as `more` says.
fn series(seed: u64, per_day: f64, differ: bool, more: impl Fn(i64) -> f64) -> Series {
    let mut lot = Lot(seed);
    let mut series = Series::default();
    series.followed_since(MONDAY);
    let mut luck = 1.0;
    for hour in 0..(BEFORE + QUARTER) * WEEK {
        if differ && hour % 24 == 0 {
            // Gamma with a mean of 1 and a variance of a tenth.
            luck = (0..10).map(|_| -(1.0 - lot.unit()).ln()).sum::<f64>() / 10.0;
        }
        let awake = if (7..22).contains(&(hour % 24)) { 1.0 } else { 0.03 };
        let weekend = if hour / 24 % 7 >= 5 { 0.4 } else { 1.0 };
        let n = lot.poisson(per_day / 15.27 * awake * weekend * luck * more(hour));
        if n > 0 {
            series.add(MONDAY + hour, u64::from(n));
        }
    }
    series
}

/// The same press with stories that others copy: of a story that is carried n times, one in n² there are; copies
/// come within hours. So counts spread far more than by chance.
fn copied(seed: u64, per_day: f64) -> Series {
    const MOST: u32 = 30;
    let mut lot = Lot(seed);
    let weight: f64 = (1..=MOST).map(|n| f64::from(n).powi(-2)).sum();
    let mean: f64 = (1..=MOST).map(|n| f64::from(n).powi(-1)).sum::<f64>() / weight;
    let stories = series(seed + 1, per_day / mean, true, |_| 1.0);
    let mut all = Series::default();
    all.followed_since(MONDAY);
    for hour in MONDAY..MONDAY + (BEFORE + QUARTER) * WEEK {
        for _ in 0..stories.sum(hour, hour + 1) {
            let mut left = lot.unit() * weight;
            let carried = (1..MOST).find(|n| {
                left -= f64::from(*n).powi(-2);
                left < 0.0
            });
            all.add(hour, 1);
            for _ in 1..carried.unwrap_or(MOST) {
                all.add(hour - (4.0 * (1.0 - lot.unit()).ln()) as i64, 1);
            }
        }
    }
    all
}

/// Judges a rule every hour of the quarter: hour and kind of each event.
fn quarter(rule: &AlertRule, facts: impl Fn(i64) -> Facts) -> Vec<(i64, AlertEvent)> {
    let mut state = AlertState { begun: true, brand_set: "v".into(), ..AlertState::default() };
    let mut told = Vec::new();
    for hour in BEFORE * WEEK..(BEFORE + QUARTER) * WEEK {
        let mut facts = facts(hour);
        facts.now = (MONDAY + hour) * HOUR;
        facts.brand_set = "v".into();
        facts.today = utc_day(facts.now);
        facts.told = state.told.keys().map(|key| (*key, *key)).collect();
        let (next, events) = judge(rule, &state, &facts);
        state = next;
        told.extend(events.into_iter().map(|event| (hour, event)));
    }
    told
}

/// Per hundred days, as docs/alerts.md states it.
const STATED: f64 = 1.0;

#[test]
fn false_alarms_are_rarer_than_is_stated() {
    type Press = fn(u64, f64) -> Series;
    let alone: Press = |seed, per_day| series(seed, per_day, true, |_| 1.0);
    for (name, press) in [("articles that come alone", alone), ("stories that are copied", copied)]
    {
        rarer_than_is_stated(name, press);
    }
}

fn rarer_than_is_stated(name: &str, press: fn(u64, f64) -> Series) {
    let (mut above, mut below, mut days) = (0, 0, 0);
    for seed in 0..4 {
        for per_day in [2.0, 10.0, 60.0] {
            let series = press(seed * 31 + 7, per_day);
            let fired = |when: &str| {
                let facts = |_| Facts { counted: series.clone(), ..Facts::default() };
                let told = quarter(&rule(when), facts);
                told.iter().filter(|(_, event)| event.what == Happened::Fired).count()
            };
            above += fired("unusual");
            below += fired("falling");
            days += QUARTER * 7;
        }
    }
    let rate = |n: usize| n as f64 / days as f64 * 100.0;
    println!(
        "{name}: stated {STATED} in 100 days; measured in {days} days: unusual {:.2}, falling {:.2}",
        rate(above),
        rate(below)
    );
    assert!(
        rate(above) <= STATED && rate(below) <= STATED,
        "{name}: {} {}",
        rate(above),
        rate(below)
    );
}

#[test]
fn a_burst_and_a_fall_are_told_and_end() {
    // A Tuesday on which three times as much comes, and a week in which nearly nothing does.
    let (burst, fall) = ((BEFORE + 3) * WEEK + 24, (BEFORE + 8) * WEEK);
    let series = series(5, 40.0, false, |hour| match hour {
        h if (burst..burst + 24).contains(&h) => 3.0,
        h if (fall..fall + 5 * 24).contains(&h) => 0.02,
        _ => 1.0,
    });
    for (when, from, to) in [("unusual", burst, burst + 24), ("falling", fall, fall + 5 * 24)] {
        let told = quarter(&rule(when), |_| Facts { counted: series.clone(), ..Facts::default() });
        let near: Vec<&(i64, AlertEvent)> =
            told.iter().filter(|(hour, _)| (from..to + 48).contains(hour)).collect();
        let kinds: Vec<Happened> = near.iter().map(|(_, event)| event.what).collect();
        assert_eq!(kinds, [Happened::Fired, Happened::Over], "{when}: {told:?}");
        assert!(near[0].0 < from + 24, "{when} only after {} h", near[0].0 - from);
        let event = &near[0].1;
        let (low, high) = event.usual.unwrap();
        let words =
            format!("{} instead of {low} to {high} articles that count Acme", event.count.unwrap());
        assert!(event.sentence.starts_with(&words), "{}", event.sentence);
        assert!(event.details[0].contains("of 8 weeks before"), "{:?}", event.details);
    }
}

/// An article of the simulated press.
fn article(key: u128, story: u128, outlet: &str, hour: i64) -> Recent {
    let first_seen = (MONDAY + hour) * HOUR - MINUTE;
    Recent {
        key: UrlKey(key),
        story: UrlKey(story),
        day: utc_day(first_seen),
        first_seen,
        outlet: outlet.into(),
        language: Some(if outlet.ends_with(".de") { "de" } else { "en" }.into()),
        brands: vec!["Acme".into()],
        headline: key == story && story.is_multiple_of(2),
    }
}

/// A story every two days by one outlet; some are carried by more, one of them by a new one in another
/// language.
fn press() -> Vec<(i64, Recent)> {
    let mut all = Vec::new();
    for n in 0..QUARTER * 7 / 2 {
        let (hour, story) = (BEFORE * WEEK + n * 48 + 9, 1_000 * (n as u128 + 1) + n as u128 % 2);
        all.push((hour, article(story, story, "wire.test", hour)));
        if n == 10 {
            for (copy, outlet) in ["a.test", "b.test", "c.test", "zeitung.de"].iter().enumerate() {
                let hour = hour + 1 + copy as i64;
                all.push((hour, article(story + 100 + copy as u128, story, outlet, hour)));
            }
        }
    }
    all
}

fn facts_of(press: &[(i64, Recent)], hour: i64) -> Facts {
    let mut facts = Facts::default();
    for (at, article) in press.iter().filter(|(at, _)| (hour - 72..=hour).contains(at)) {
        facts.recent.push(article.clone());
        facts.counted.add(MONDAY + at, 1);
        let carried = facts.carried.entry(article.story).or_default();
        carried.entry(article.outlet.clone()).or_insert(article.first_seen);
    }
    facts
}

#[test]
fn what_is_new_is_told_once() {
    let press = press();
    let started = BEFORE * WEEK + 9;
    let special = started + 10 * 48;
    for (when, hours) in [
        // Every second story has it in its headline.
        ("headline", (0..QUARTER * 7 / 2).step_by(2).map(|n| started + n * 48).collect::<Vec<_>>()),
        ("new-outlet", vec![started, special + 1, special + 2, special + 3, special + 4]),
        ("new-language", vec![started, special + 4]),
        ("carried 3", vec![special + 2]),
    ] {
        let mut told_stories = BTreeSet::new();
        let told = quarter(&rule(when), |hour| facts_of(&press, hour));
        let at: Vec<i64> = told.iter().map(|(hour, _)| *hour).collect();
        assert_eq!(at, hours, "{when}");
        for (_, event) in &told {
            assert_eq!(event.what, Happened::Fired);
            assert!(!event.articles.is_empty() && !event.details.is_empty(), "{event:?}");
            told_stories.insert(event.articles[0].key);
        }
        assert_eq!(told_stories.len(), told.len(), "{when}");
    }
}

#[test]
fn a_count_that_is_reached_is_told_and_ends() {
    let press = press();
    let told = quarter(&rule("at-least 4"), |hour| facts_of(&press, hour));
    let kinds: Vec<Happened> = told.iter().map(|(_, event)| event.what).collect();
    assert_eq!(kinds, [Happened::Fired, Happened::Over], "{told:?}");
    let event = &told[0].1;
    assert_eq!(event.sentence, "4 articles that count Acme in 24 h; the alert is at 4");
    assert!(event.details[0].starts_with("4 of them are one story, first at wire.test ("));
    assert!(event.details[1].starts_with("They are of 4 outlets: "), "{:?}", event.details);
    assert_eq!(event.articles.len(), 1, "copies are one story");
    assert!(told[1].1.sentence.starts_with("Over: "), "{}", told[1].1.sentence);
}

#[test]
fn one_is_said_as_one() {
    let one = |brands: &[&str], query: Option<&str>| {
        let brands = brands.iter().map(|&brand| brand.into()).collect();
        let rule = AlertRule { brands, query: query.map(str::to_owned), ..rule("at-least 1") };
        let mut facts = facts_of(&press(), BEFORE * WEEK + 9);
        facts.now = (MONDAY + BEFORE * WEEK + 9) * HOUR;
        judge(&rule, &AlertState::default(), &facts).1.remove(0).sentence
    };
    let of = |what| format!("1 {what} in 24 h; the alert is at 1");
    assert_eq!(one(&["Acme"], None), of("article that counts Acme"));
    assert_eq!(one(&[], Some("strike")), of("article that has \u{201c}strike\u{201d}"));
    assert_eq!(one(&[], None), of("new entry"));
}

#[test]
fn falling_coverage_is_told_and_ends() {
    let bad = (BEFORE + 2) * WEEK..(BEFORE + 2) * WEEK + 30;
    let still = (BEFORE + 5) * WEEK;
    let told = quarter(&AlertRule { brands: Vec::new(), ..rule("coverage 90") }, |hour| {
        let succeeded = if bad.contains(&hour) { 700 } else { 990 };
        let stalled = (hour == still).then_some(3 * HOUR);
        Facts { polls: Polls { due: 1_000, succeeded }, stalled, ..Facts::default() }
    });
    let kinds: Vec<(i64, Happened)> =
        told.iter().map(|(hour, event)| (*hour, event.what)).collect();
    let (fired, over) = (Happened::Fired, Happened::Over);
    assert_eq!(kinds, [(bad.start, fired), (bad.end, over), (still, fired), (still + 1, over)]);
    assert!(told[0].1.sentence.contains("70 %: 700 of 1,000 polls"), "{}", told[0].1.sentence);
    assert!(told[2].1.sentence.contains("polled for 3 h"), "{}", told[2].1.sentence);
}

#[test]
fn what_is_there_when_it_is_set_or_by_other_brands_is_no_news() {
    let press = press();
    let facts = |brand_set: &str| {
        let mut facts = facts_of(&press, BEFORE * WEEK + 9);
        facts.since = press[0].1.first_seen + 1;
        facts.known.insert("wire.test".into());
        facts.brand_set = brand_set.into();
        facts.today = press[0].1.day;
        facts
    };
    for when in ["headline", "new-outlet"] {
        let (state, events) = judge(&rule(when), &AlertState::default(), &facts("v"));
        assert!(events.is_empty() && state.begun, "{when}");
        let story = press[0].1.story;
        assert!(
            judge(&rule(when), &state, &Facts { told: [(story, story)].into(), ..facts("v") })
                .1
                .is_empty()
        );
        let other = AlertState { told: Default::default(), ..state };
        assert!(judge(&rule(when), &other, &facts("w")).1.is_empty(), "{when}");
    }
}

#[test]
fn what_comes_between_the_order_and_the_first_look_is_told() {
    let special = (BEFORE * WEEK + 9) + 10 * 48;
    let press = press();
    for (when, hour) in [
        ("headline", 0),
        ("new-outlet", 1),
        ("new-language", 4),
        ("carried 3", 2),
        ("carried 5", 4),
    ] {
        let seen_by = |since: Millis| {
            let mut facts = facts_of(&press, special + 5);
            facts.since = since;
            let (state, events) = judge(&rule(when), &AlertState::default(), &facts);
            // It is told at the first look, or never.
            facts.told = state.told.keys().map(|key| (*key, *key)).collect();
            facts.since = Millis::MIN;
            assert_eq!(judge(&rule(when), &state, &facts).1, Vec::new(), "{when}");
            events.len()
        };
        let at = (MONDAY + special + hour) * HOUR - MINUTE;
        assert_eq!(seen_by(at), 1, "{when}");
        assert_eq!(seen_by((MONDAY + special + 5) * HOUR), 0, "{when}");
        if when.starts_with("carried") || when == "headline" {
            assert_eq!(seen_by(at + 1), 0, "{when}");
        }
    }
}

#[test]
fn quiet_hours_put_off() {
    let night = AlertRule { quiet: Some("22:00-07:00".parse().unwrap()), ..rule("headline") };
    let midnight = MONDAY * HOUR;
    let utc = jiff::tz::TimeZone::UTC;
    let due = |rule: &AlertRule, at| after_quiet(rule, at, &utc) - midnight;
    assert_eq!(due(&night, midnight + 5), 7 * HOUR);
    assert_eq!(due(&night, midnight + 12 * HOUR + 5), 12 * HOUR + 5);
    assert_eq!(due(&night, midnight + 23 * HOUR + 30 * SECOND), 31 * HOUR);
    assert_eq!(due(&rule("headline"), midnight + 5), 5);
    let berlin = jiff::tz::TimeZone::get("Europe/Berlin").unwrap();
    assert_eq!(after_quiet(&night, midnight, &berlin) - midnight, 5 * HOUR);
}

/// Minutes of the clock were added as if each were one: on the night on which it is put back, messages came an hour
/// before the quiet hours ended, on the other an hour after.
#[test]
fn quiet_hours_end_by_the_clock() {
    let berlin = jiff::tz::TimeZone::get("Europe/Berlin").unwrap();
    let at = |text: &str| text.parse::<jiff::Timestamp>().unwrap().as_millisecond();
    for (quiet, now, end) in [
        ("22:00-07:00", "2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z"),
        ("22:00-07:00", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"),
        // Half past two comes twice, and never.
        ("22:00-02:30", "2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z"),
        ("22:00-02:30", "2026-10-25T01:10:00Z", "2026-10-25T01:30:00Z"),
        ("22:00-02:30", "2026-03-29T00:10:00Z", "2026-03-29T01:30:00Z"),
    ] {
        let rule = AlertRule { quiet: Some(quiet.parse().unwrap()), ..rule("headline") };
        assert_eq!(after_quiet(&rule, at(now), &berlin), at(end), "{quiet} {now}");
    }
}

#[test]
fn a_digest_tells_each_brand_once() {
    let store = crate::store::memory();
    let names = ["Acme", "Umbra"];
    let brands = names.map(|name| Brand { name: name.into(), ..Brand::default() }).to_vec();
    let set = BrandSet { version: "v".into(), brands, ..BrandSet::default() };
    store.recount_finish(&set, "").unwrap();
    let brands = ["Acme", "Umbra", "Acme"].map(str::to_owned).to_vec();
    let query = DigestQuery { brands, ..DigestQuery::default() };
    let digest = digest(store.as_ref(), &query, MONDAY * HOUR).unwrap();
    let told: Vec<&str> = digest.lines.iter().map(|line| line.brand.as_str()).collect();
    assert_eq!(told, names);
    // What is watched no more is left out, and that is said.
    let renamed = vec!["Umbra".to_owned(), "Acme Corp".to_owned()];
    let daily = AlertRule { brands: renamed, ..rule("daily") };
    let state = AlertState { from: Some(utc_day((MONDAY - 24) * HOUR)), ..AlertState::default() };
    let (_, events) = digest::due(store.as_ref(), &daily, &state, (MONDAY + 8) * HOUR).unwrap();
    assert!(events[0].sentence.ends_with(": articles that count Umbra 0"), "{events:?}");
    let left_out = "Not watched any more, so left out: Acme Corp.";
    assert_eq!(events[0].details.last().map(String::as_str), Some(left_out));
    // Nothing was polled: that is said, and so is that counts may still grow.
    let (_, details) = digest.told();
    assert_eq!(details.last().unwrap(), "Coverage: no polls were due; counts may still grow.");
}

/// A daemon may be older than the program that asks it: shares such as 1200 % were printed.
#[test]
fn a_digest_without_the_articles_of_all_brands_tells_its_shares() {
    let line = |share| {
        json!({
            "brand": "Acme", "articles": 12, "stories": 3, "mentions": 20, "before": 9, "share": share, "top": [],
        })
    };
    let told = |answer: serde_json::Value| {
        let digest: Digest = serde_json::from_value(answer).unwrap();
        digest.told().1[0].rsplit_once("; ").unwrap().1.to_owned()
    };
    let of_before = json!({
        "from": "2026-11-02", "to": "2026-11-02", "timezone": "UTC", "lines": [line(40)],
        "coverage": null, "provisional": false,
    });
    assert_eq!(told(of_before.clone()), "40 % of all watched brands.");
    let mut of_today = of_before;
    of_today["all_articles"] = 48.into();
    assert_eq!(told(of_today), "25 % of all watched brands.");
}

#[test]
fn a_digest_is_due_in_the_morning() {
    let store = crate::store::memory();
    let daily = AlertRule { brands: Vec::new(), ..rule("daily") };
    let mut state = AlertState::default();
    let mut told = Vec::new();
    for hour in 0..24 * 9 {
        let now = (MONDAY + hour) * HOUR;
        let (next, events) = digest::due(store.as_ref(), &daily, &state, now).unwrap();
        state = next;
        told.extend(events.iter().map(|_| hour));
    }
    // It was made on Monday before seven: the first tells of Sunday.
    assert_eq!(told, (0..9).map(|day| day * 24 + 7).collect::<Vec<_>>());
    let weekly = AlertRule { when: When::Weekly, ..daily };
    let (mut state, mut told) = (AlertState::default(), Vec::new());
    for hour in 24..24 * 30 {
        let now = (MONDAY + hour) * HOUR;
        let (next, events) = digest::due(store.as_ref(), &weekly, &state, now).unwrap();
        state = next;
        told.extend(events.iter().map(|event| (hour / 24, hour % 24, event.what)));
    }
    let mondays = [7, 14, 21, 28].map(|day| (day, 7, Happened::Digest));
    assert_eq!(told, mondays);
}

/// On the days on which the clock is changed digests came an hour late, or early.
#[test]
fn a_digest_is_due_at_seven_by_the_clock() {
    for (zone, seven) in [
        ("Europe/Berlin", "2027-03-28T05:00:00Z"),
        ("Europe/Berlin", "2026-10-25T06:00:00Z"),
        ("Europe/Berlin", "2026-11-28T06:00:00Z"),
        ("Asia/Kolkata", "2026-11-28T01:30:00Z"),
    ] {
        let store = crate::store::memory();
        store.set_meta("timezone", zone.as_bytes()).unwrap();
        let seven = seven.parse::<jiff::Timestamp>().unwrap().as_millisecond();
        let daily = AlertRule { brands: Vec::new(), ..rule("daily") };
        let due = |state: &AlertState, at| digest::due(store.as_ref(), &daily, state, at).unwrap();
        let (state, _) = due(&AlertState::default(), seven - 12 * HOUR);
        assert_eq!(due(&state, seven - MINUTE).1, [], "{zone} {seven}");
        assert_eq!(due(&state, seven).1.len(), 1, "{zone} {seven}");
    }
}
