//! What alerts tell and nobody gets: sentences for whoever asks how everything is.
//!
//! Must not know: how anything travels, when it is tried again.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::*;
use crate::words::{Said, said};

/// What has not been taken for so long is worth a sentence. Targets that are away for an hour are no news.
const LATE: Millis = DAY;
/// Targets that get a sentence each.
const MOST: usize = 10;

/// What a target has not taken of one alert, or of several.
struct Lost<'a> {
    events: u64,
    since: Millis,
    /// Of the latest: its alert, and why it was not taken.
    latest: (Millis, &'a str, Option<&'a str>),
}

/// Targets that have taken nothing of an alert for a day, and those that the configuration does not name. Where several
/// processes share a database, that of another one may name them: it has tried them lately.
pub fn undelivered(alerts: &[Alert], configured: &[String], now: Millis) -> Vec<Said> {
    let tried = tried(alerts, now);
    let mut unknown: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut lost: BTreeMap<&str, Lost<'_>> = BTreeMap::new();
    for alert in alerts {
        for target in &alert.rule.to {
            if !configured.contains(target) && !tried.contains(target.as_str()) {
                unknown.entry(target).or_default().push(&alert.rule.name);
            } else if let Some(more) = of_alert(alert, target, now) {
                let sum = lost.entry(target).or_insert(Lost { events: 0, ..more });
                sum.events += more.events;
                sum.since = sum.since.min(more.since);
                sum.latest = sum.latest.max(more.latest);
            }
        }
    }
    let mut told: Vec<Said> = unknown
        .into_iter()
        .map(|(target, alerts)| {
            let unknown = said("trouble.no.target").with("target", target);
            let alert = alerts.first().copied().unwrap_or_default();
            unknown.with("n", alerts.len()).with("alert", alert)
        })
        .collect();
    told.extend(lost.into_iter().map(
        |(target, Lost { events, since, latest: (_, alert, why) })| {
            let late = said("trouble.undelivered").with("target", target).with("n", events);
            let late = late.with("hours", (now - since) / HOUR).with("alert", alert);
            match why {
                Some(why) => late.with("why", why),
                None => late.with("why", vec![said("trouble.undelivered.untried")]),
            }
        },
    ));
    let more = told.len().saturating_sub(MOST);
    told.truncate(MOST);
    told.extend((more > 0).then(|| said("trouble.more.targets").with("n", more)));
    told
}

/// Targets that some process has tried within a day. What waits for its next attempt was tried before it.
fn tried(alerts: &[Alert], now: Millis) -> BTreeSet<&str> {
    let lately = |at: Millis| now - at <= LATE;
    let events = alerts.iter().flat_map(|alert| &alert.events);
    let tried = events.flat_map(|event| {
        let tried = event.deliveries.iter().filter(|delivery| delivery.attempts > 0);
        tried.filter(move |delivery| {
            lately(event.at) || [delivery.done, delivery.next].into_iter().flatten().any(lately)
        })
    });
    tried.map(|delivery| delivery.target.as_str()).collect()
}

/// What a target has not taken of an alert since it last took something of it: a mail that some of its addresses alone
/// refuse is taken.
fn of_alert<'a>(alert: &'a Alert, target: &str, now: Millis) -> Option<Lost<'a>> {
    let deliveries = alert.events.iter().flat_map(|event| {
        let to = event.deliveries.iter().filter(|delivery| delivery.target == target);
        to.map(move |delivery| (event, delivery))
    });
    let is_taken = |delivery: &Delivery| delivery.done.is_some() || !delivery.left.is_empty();
    let taken = deliveries.clone().filter(|(_, delivery)| is_taken(delivery));
    let taken = taken.map(|(event, _)| event.at).max();
    // What waits for quiet hours is late only after them.
    let since = |event: &AlertEvent, delivery: &Delivery| match (delivery.attempts, delivery.next) {
        (0, Some(next)) => next.max(event.at),
        _ => event.at,
    };
    let mut lost = None;
    for (event, delivery) in deliveries {
        let at = since(event, delivery);
        if taken.is_some_and(|taken| event.at <= taken) || now - at <= LATE {
            continue;
        }
        let why = (at, alert.rule.name.as_str(), delivery.error.as_deref());
        let sum = lost.get_or_insert(Lost { events: 0, since: at, latest: why });
        sum.events += 1;
        sum.since = sum.since.min(at);
        sum.latest = sum.latest.max(why);
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Language;

    const NOW: Millis = 1_795_000_000_000;

    /// An alert with an event per (age, attempts, wait, error): taken where there is nothing to wait for and no error.
    fn alert(
        name: &str,
        target: &str,
        events: &[(Millis, u32, Option<Millis>, Option<&str>)],
    ) -> Alert {
        let rule = AlertRule {
            name: name.into(),
            when: When::Unusual,
            brands: Vec::new(),
            query: None,
            outlet: None,
            language: None,
            within: None,
            to: vec![target.into()],
            quiet: None,
        };
        let mut alert = Alert::new(rule, 0);
        for (age, attempts, wait, error) in events {
            alert.note(AlertEvent::new(NOW - age, Happened::Fired, String::new()), 0);
            let delivery = alert.events.last_mut().and_then(|event| event.deliveries.last_mut());
            let delivery = delivery.expect("a target");
            (delivery.attempts, delivery.next) = (*attempts, wait.map(|wait| NOW + wait));
            delivery.error = error.map(str::to_owned);
            let taken = wait.is_none() && error.is_none();
            delivery.done = taken.then_some(NOW - age);
        }
        alert
    }

    /// What nobody had taken was shown nowhere on the command line.
    #[test]
    fn a_target_that_takes_nothing_for_a_day_is_named() {
        let bad = Some("answered 503");
        let given_up = (9 * DAY, 170, None, bad);
        let waits = (2 * DAY, 40, Some(HOUR), Some("answered 500"));
        let one = "the target desk has not taken 1 event, for";
        for (events, sentence) in [
            (vec![], None),
            (vec![(HOUR, 3, Some(HOUR), bad)], None),
            // Quiet hours end when it is due.
            (vec![(25 * HOUR, 0, Some(HOUR), None)], None),
            (vec![(50 * HOUR, 0, Some(-30 * HOUR), None)], Some("30 h by now: not tried yet")),
            (vec![waits], Some("48 h by now: answered 500; see `crawler alerts history a`")),
            (vec![given_up], Some("216 h by now: answered 503; see `crawler alerts history a`")),
            (vec![given_up, (HOUR, 1, None, None)], None),
            (vec![(10 * DAY, 1, None, None), given_up, (HOUR, 1, Some(HOUR), bad)], Some("216 h")),
        ] {
            let told = undelivered(&[alert("a", "desk", &events)], &["desk".into()], NOW);
            let told: Vec<String> = told.iter().map(|said| Language::En.say(said)).collect();
            assert_eq!(told.len(), usize::from(sentence.is_some()), "{events:?}: {told:?}");
            for (told, sentence) in told.iter().zip(sentence) {
                assert!(told.starts_with(one) && told.contains(sentence), "{told}");
            }
        }
        let all = [
            alert("a", "desk", &[given_up]),
            alert("b", "desk", &[waits, waits]),
            alert("c", "gone", &[]),
            alert("d", "gone", &[]),
        ];
        let told = undelivered(&all, &["desk".into()], NOW);
        let told: Vec<String> = told.iter().map(|said| Language::En.say(said)).collect();
        assert_eq!(
            told,
            [
                "2 alerts, such as c, are sent to gone, and the configuration names no such target: put it back \
                 into `deliver.targets`, or set the alerts again without it",
                "the target desk has not taken 3 events, for 216 h by now: answered 500; see `crawler alerts \
                 history b`",
            ]
        );
    }

    /// A process that only shows what another one sends said that each target is missing.
    #[test]
    fn a_target_that_another_process_tells_is_not_missing() {
        for (events, missing) in [
            (&[(HOUR, 1, None, None)][..], false),
            (&[(HOUR, 2, Some(HOUR), Some("answered 500"))], false),
            (&[(2 * DAY, 40, Some(HOUR), Some("answered 500"))], false),
            (&[(HOUR, 0, Some(-HOUR), None)], true),
            (&[(2 * DAY, 1, None, None)], true),
        ] {
            let alerts = [alert("a", "desk", events), alert("b", "desk", &[])];
            let told = undelivered(&alerts, &[], NOW);
            let unknown = told.iter().any(|said| Language::En.say(said).contains("no such target"));
            assert_eq!(unknown, missing, "{events:?}");
        }
    }

    /// One colleague had left, and the target took nothing any more.
    #[test]
    fn a_mail_that_one_address_refuses_is_taken() {
        let refused = (2 * DAY, 40, Some(HOUR), Some("gone@a.test: no such user"));
        let mut alert = alert("a", "desk", &[refused]);
        for (left, named) in [(vec![], true), (vec!["gone@a.test".to_owned()], false)] {
            alert.events[0].deliveries[0].left = left;
            let told = undelivered(std::slice::from_ref(&alert), &["desk".into()], NOW);
            assert_eq!(!told.is_empty(), named);
        }
    }
}
