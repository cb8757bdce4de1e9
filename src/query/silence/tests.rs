//! Synthetic arrivals: outlets with nights, weekends and bursts raise no alarm over months; those
//! that die raise it soon.

use super::*;
use crate::query::simulated::{MONDAY, feed, until, world};

const WEEK: i64 = 168;

/// What is said at an hour.
fn at(ledger: &[Ledger], feeds: &[Feed], hour: i64) -> Vec<Silence> {
    silences(&until(ledger, hour), feeds, &[], &jiff::tz::TimeZone::UTC, hour * HOUR)
}

#[test]
fn nights_weekends_and_bursts_are_no_silence() {
    let days = 84;
    let (ledger, feeds) = world(days, 32, |_| i64::MAX);
    let mut alarms = Vec::new();
    // Every eleventh hour meets every hour of the week.
    for hour in (0..days * 24).step_by(11) {
        alarms.extend(at(&ledger, &feeds, MONDAY + hour));
    }
    assert_eq!(alarms, []);
}

#[test]
fn what_dies_is_missed_soon() {
    // Half of them dies on a Wednesday at noon.
    let died = MONDAY + 8 * WEEK + 60;
    let (ledger, feeds) = world(75, 32, |n| if n < 16 { died } else { i64::MAX });
    let mut missed: BTreeMap<String, i64> = BTreeMap::new();
    for after in (0..15 * 24).step_by(12) {
        for silence in at(&ledger, &feeds, died + after) {
            missed.entry(silence.name).or_insert(after);
        }
    }
    for n in 0..16 {
        // By how much it publishes; some do so on weekdays only.
        let most = [14 * 24, 6 * 24, 60, 24][n % 4];
        let after = missed.get(&format!("outlet-{n}.test"));
        assert!(after.is_some_and(|after| *after <= most), "outlet {n}: after {after:?} h");
    }
    assert_eq!(missed.len(), 16, "what lives is not missed, and half of a language goes on");
    let sentence = crate::words::Language::En.say(&at(&ledger, &feeds, died + 24)[0].said());
    assert!(sentence.contains("has fallen silent: nothing new in "), "{sentence}");
    assert!(sentence.contains("its polls succeed, so its feeds may be dead"), "{sentence}");
}

#[test]
fn a_language_falls_silent_as_a_whole() {
    let died = MONDAY + 5 * WEEK + 36;
    let (ledger, feeds) = world(42, 16, |n| if n % 2 == 0 { died } else { i64::MAX });
    let said = at(&ledger, &feeds, died + 12);
    assert_eq!((said[0].source, said[0].name.as_str()), (Source::Language, "de"), "{said:?}");
    assert!(said.iter().all(|s| s.name != "en"));
}

#[test]
fn what_the_operator_silenced_is_not_reported() {
    let died = MONDAY + 5 * WEEK + 36;
    let (ledger, mut feeds) = world(42, 4, |_| died);
    let zone = jiff::tz::TimeZone::UTC;
    let now = (died + 100) * HOUR;
    let loud = silences(&ledger, &feeds, &[], &zone, now);
    let names = ["outlet-1.test", "outlet-2.test", "outlet-3.test"];
    let has = |said: &[Silence], name: &str| said.iter().any(|s| s.name == name);
    assert!(names.iter().all(|name| has(&loud, name)), "{loud:?}");
    let pause = OutletRule { paused_until: Some(Millis::MAX), ..OutletRule::default() };
    let rules = [("outlet-3.test".to_string(), pause)];
    feeds[2].status = FeedStatus::Paused;
    feeds[1].status = FeedStatus::Gone;
    feeds[1].poll.moved_to = Some("https://elsewhere.test/feed".into());
    let said = silences(&ledger, &feeds, &rules, &zone, now);
    assert!(!names.iter().any(|name| has(&said, name)), "{said:?}");
}

#[test]
fn polls_that_all_fail_are_told_within_hours() {
    let now = MONDAY * HOUR;
    let failing = |n, added| {
        let mut feed = Feed { added, ..feed(n, "a.test") };
        feed.poll.last = Some(now - n as Millis);
        feed.poll.failures = 0.5;
        feed.poll.last_error = Some(format!("refused {n}"));
        feed
    };
    let mut feeds = vec![failing(1, now - 2 * HOUR), failing(2, now - 3 * HOUR)];
    assert_eq!(unanswered(&feeds, now), Some((3 * HOUR, "refused 1")));
    assert_eq!(unanswered(&feeds[..1], now), None, "one feed alone");
    feeds[1].poll.last_success = Some(now - HOUR / 2);
    assert_eq!(unanswered(&feeds, now), None, "not for long");
    feeds[1].poll.last_success = Some(now - HOUR);
    assert_eq!(unanswered(&feeds, now), Some((HOUR, "refused 1")));
    feeds[1].poll.failures = 0.0;
    assert_eq!(unanswered(&feeds, now), None, "one answers");
}

#[test]
fn a_crawl_that_stands_still_is_another_matter() {
    let mut feeds = vec![feed(1, "a.test"), feed(2, "b.test")];
    let now = MONDAY * HOUR;
    assert_eq!(stalled(&feeds, &[], now), None, "never polled");
    for feed in &mut feeds {
        feed.poll.last = Some(now - 5 * HOUR);
        feed.poll.next = now - 4 * HOUR;
    }
    assert_eq!(stalled(&feeds, &[], now), Some((5 * HOUR, 2)));
    // What the operator has paused waits for him, and what shares its pace key.
    let paused = |outlet: &str, until| {
        let pace_keys = vec![outlet.to_owned()];
        (
            outlet.to_owned(),
            OutletRule { paused_until: Some(until), pace_keys, ..OutletRule::default() },
        )
    };
    let one = [paused("a.test", Millis::MAX)];
    assert_eq!(stalled(&feeds, &one, now), Some((5 * HOUR, 1)));
    let both = [paused("a.test", Millis::MAX), paused("b.test", now - HOUR)];
    assert_eq!(stalled(&feeds, &both, now), None);
    feeds[0].pace_key = "b.test".into();
    assert_eq!(stalled(&feeds, &both[1..], now), None);
    let over = [paused("a.test", Millis::MAX), paused("b.test", now - 3 * HOUR)];
    assert_eq!(stalled(&feeds, &over[1..], now), Some((5 * HOUR, 2)));
    let banned = OutletRule { ban: Some(crate::store::Ban::Blocked), ..OutletRule::default() };
    let banned = ["a.test", "b.test"].map(|outlet| (outlet.to_owned(), banned.clone()));
    assert_eq!(stalled(&feeds, &banned, now), None);
    feeds[0].poll.last = Some(now - HOUR);
    assert_eq!(stalled(&feeds, &[], now), None);
}
