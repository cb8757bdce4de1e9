//! What every store must do with polls that were due: which were missed, of whom, and what is none.

use super::build::*;
use crate::model::*;
use crate::store::rules::feeds::poll_task;
use crate::store::*;

suite! {
    missed_polls_count_as_due_and_failed
    polls_are_missed_at_the_wait_that_was_planned
    polls_that_a_host_puts_off_are_missed
    what_a_hub_pushes_is_no_poll
    a_poll_on_trial_waits_for_what_the_outlet_lists
    a_feed_that_fails_misses_what_it_would_have_brought
    a_feed_that_names_days_without_polls_misses_what_was_planned
    a_feed_is_missed_for_a_month_at_most
    missed_polls_stand_on_the_days_of_the_zone
}

fn missed_polls_count_as_due_and_failed(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    for at in [T0, T0 + HOUR + 26 * HOUR] {
        let stored = store.feed(id(1)).unwrap().unwrap();
        under(store, "a.test", |batch, lease| {
            batch.poll(lease, poll_of(&stored, at, Vec::new())).unwrap();
        });
    }
    let ledger = store.ledger(None, None).unwrap();
    assert_eq!(ledger.iter().map(|l| l.polls.due).sum::<u32>(), 1 + 26 + 1);
    assert_eq!(ledger.iter().map(|l| l.polls.succeeded).sum::<u32>(), 2);
    assert!(ledger.len() >= 2, "the missed polls stand on their own days: {ledger:?}");
    clean(store);
}

fn polls_are_missed_at_the_wait_that_was_planned(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    let mut at = T0;
    // Missed before each poll: none that is the first, then a day of them, five times as far apart as
    // the learned interval; a poll that was brought forward to the last one's hour tells nothing.
    for (late, next, due) in [(0, 5 * HOUR, 1), (24 * HOUR, 0, 1 + 4), (2 * HOUR, HOUR, 1 + 2)] {
        let stored = store.feed(id(1)).unwrap().unwrap();
        at = stored.poll.next.max(at) + late;
        let before: u32 = store.ledger(None, None).unwrap().iter().map(|l| l.polls.due).sum();
        under(store, "a.test", |batch, lease| {
            let mut poll = poll_of(&stored, at, Vec::new());
            poll.feed.poll.next = at + next;
            batch.poll(lease, poll).unwrap();
        });
        let after: u32 = store.ledger(None, None).unwrap().iter().map(|l| l.polls.due).sum();
        assert_eq!(after - before, due, "{late}");
    }
    // What a hub has pushed since moves no poll.
    let mut pushed = store.feed(id(1)).unwrap().unwrap();
    pushed.poll.last_success = Some(at + 3 * HOUR);
    pushed.poll.next = at + 6 * HOUR;
    store.set_feed(&pushed).unwrap();
    let before: u32 = store.ledger(None, None).unwrap().iter().map(|l| l.polls.due).sum();
    under(store, "a.test", |batch, lease| {
        batch.poll(lease, poll_of(&pushed, at + (6 + 13) * HOUR, Vec::new())).unwrap();
    });
    let after: u32 = store.ledger(None, None).unwrap().iter().map(|l| l.polls.due).sum();
    assert_eq!(after - before, 1 + 2);
    clean(store);
}

/// A page of the outlet that was answered by 429 silenced its feed for hours, and the day was complete.
fn polls_that_a_host_puts_off_are_missed(store: &dyn Store) {
    alive(store);
    // It is due at T0 + 1 h; its host pauses until then, and then again.
    for until in [T0 + 6 * HOUR, T0 + 10 * HOUR] {
        let task = poll_task(&store.feed(id(1)).unwrap().unwrap()).unwrap();
        under(store, "a.test", |batch, _| batch.put_off(&task, until).unwrap());
        let PollState { next, .. } = store.feed(id(1)).unwrap().unwrap().poll;
        assert_eq!(next, until);
    }
    let stored = store.feed(id(1)).unwrap().unwrap();
    assert_eq!(stored.due(), T0 + HOUR);
    under(store, "a.test", |batch, lease| {
        let poll = PollCommit { day: utc_day(T0), ..poll_of(&stored, T0 + 10 * HOUR, Vec::new()) };
        batch.poll(lease, poll).unwrap();
    });
    assert_eq!(store.feed(id(1)).unwrap().unwrap().provenance.planned, None);
    let ledger = store.ledger(None, None).unwrap();
    let polls = |of: fn(&Polls) -> u32| ledger.iter().map(|row| of(&row.polls)).sum::<u32>();
    assert_eq!((polls(|polls| polls.due), polls(|polls| polls.succeeded)), (1 + 9 + 1, 2));
    clean(store);
}

/// A hub that pushed often made its outlet's coverage whatever it liked, and that of everybody.
fn what_a_hub_pushes_is_no_poll(store: &dyn Store) {
    alive(store);
    let count = |at: Millis, pushed: bool| {
        let stored = store.feed(id(1)).unwrap().unwrap();
        under(store, "a.test", |batch, lease| {
            let mut poll = poll_of(&stored, at, Vec::new());
            (poll.day, poll.pushed) = (utc_day(at), pushed);
            if pushed {
                poll.feed.poll = PollState { last_success: Some(at), ..stored.poll.clone() };
            }
            batch.poll(lease, poll).unwrap();
        });
        let ledger = store.ledger(None, None).unwrap();
        let polls = |of: fn(&Polls) -> u32| ledger.iter().map(|row| of(&row.polls)).sum::<u32>();
        (polls(|polls| polls.due), polls(|polls| polls.succeeded))
    };
    assert_eq!(count(T0 + 30 * MINUTE, true), (1, 1));
    assert_eq!(count(T0 + HOUR, false), (2, 2));
    // Nor does it hide what was missed, or since when.
    let task = poll_task(&store.feed(id(1)).unwrap().unwrap()).unwrap();
    under(store, "a.test", |batch, _| batch.put_off(&task, T0 + 5 * HOUR).unwrap());
    assert_eq!(count(T0 + 4 * HOUR, true), (2, 2));
    assert_eq!(store.feed(id(1)).unwrap().unwrap().due(), T0 + 2 * HOUR);
    assert_eq!(count(T0 + 5 * HOUR, false), (2 + 3 + 1, 3));
    clean(store);
}

/// Another outlet's feed was redirected to new addresses of this one at each poll: each was asked for before its own
/// articles, and each that was not there lowered its coverage.
fn a_poll_on_trial_waits_for_what_the_outlet_lists(store: &dyn Store) {
    let mut trial = feed(2, "a.test");
    trial.provenance = Provenance {
        parent: Some(id(9)),
        trial: Some("b.test".to_owned()),
        ..Provenance::default()
    };
    let fresh = entry(11, "a.test", 1);
    with_entries(store, vec![fresh.clone()]);
    store.add_feeds(std::slice::from_ref(&trial)).unwrap();
    let at = T0 + 10 * MINUTE;
    let lease = store.claim_key(&claim(at), "a.test").unwrap().expect("free");
    let tasks: Vec<UrlKey> = lease.tasks.iter().map(|task| task.key).collect();
    assert_eq!(tasks, [fresh.key, trial.key]);
    let asked = lease.tasks[1].clone();
    let before = store.precedence("a.test", &asked, Millis::MIN).unwrap();
    assert_eq!((before.urgent, before.foreign), (Some(fresh.next), true));
    let mut batch = store.batch().unwrap();
    let failed = PollCommit { succeeded: false, ..poll_of(&trial, at, Vec::new()) };
    batch.poll(&lease, failed).unwrap();
    batch.commit().unwrap();
    let polls = |outlet: &str| {
        let rows = store.ledger(None, None).unwrap().into_iter();
        rows.filter(|row| row.outlet == outlet).map(|row| row.polls).collect::<Vec<_>>()
    };
    assert_eq!(polls("a.test"), [Polls { due: 1, succeeded: 1 }]);
    assert_eq!(polls("b.test"), [Polls { due: 1, succeeded: 0 }]);
    // Once it was read, it is one of the outlet's own.
    let mut read = store.feed(trial.key).unwrap().unwrap();
    (read.provenance.trial, read.poll.next) = (None, at);
    store.set_feed(&read).unwrap();
    assert!(store.complete(&lease, &lease.pace).unwrap());
    store.shift(HOUR).unwrap();
    let lease = store.claim_key(&claim(at + 9 * HOUR), "a.test").unwrap().expect("free");
    let tasks: Vec<UrlKey> = lease.tasks.iter().map(|task| task.key).collect();
    assert_eq!(tasks.first(), Some(&trial.key), "{tasks:?}");
    clean(store);
}

/// Feed 1 fails until then, and is asked more and more rarely.
fn failing(store: &dyn Store, until: Millis, weight: f32) {
    loop {
        let stored = store.feed(id(1)).unwrap().unwrap();
        let at = stored.poll.next + SECOND;
        if at > until {
            return;
        }
        let failed = poll_of(&stored, at, Vec::new());
        let mut poll = PollCommit { succeeded: false, day: utc_day(at), ..failed };
        let failures = stored.poll.failures + weight;
        let wait = match failures {
            weight if weight > 30.0 => (weight - 29.0) * DAY as f32,
            weight => (weight * HOUR as f32).min(DAY as f32),
        };
        poll.feed.poll.failures = failures;
        poll.feed.poll.next = at + wait as Millis;
        under(store, "a.test", |batch, lease| {
            batch.poll(lease, poll).unwrap();
        });
    }
}

/// A feed that has succeeded at T0 and is polled every hour.
fn alive(store: &dyn Store) {
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    under(store, "a.test", |batch, lease| {
        let mut poll =
            PollCommit { day: utc_day(T0), ..poll_of(&feed(1, "a.test"), T0, Vec::new()) };
        poll.feed.poll.last_success = Some(T0);
        batch.poll(lease, poll).unwrap();
    });
}

fn due(store: &dyn Store, day: Day) -> u32 {
    store.ledger(Some(day), Some(day)).unwrap().iter().map(|row| row.polls.due).sum()
}

/// It was asked more and more rarely, so that days on which half of the press was dead were complete.
fn a_feed_that_fails_misses_what_it_would_have_brought(store: &dyn Store) {
    alive(store);
    failing(store, T0 + 9 * DAY, 0.5);
    for days in 1..6 {
        let due = due(store, utc_day(T0 + days * DAY));
        assert!((22..=26).contains(&due), "{days}: {due}");
    }
    let succeeded: u32 = store.ledger(None, None).unwrap().iter().map(|l| l.polls.succeeded).sum();
    assert_eq!(succeeded, 1);
    clean(store);
}

fn a_feed_that_names_days_without_polls_misses_what_was_planned(store: &dyn Store) {
    alive(store);
    let mut feed = store.feed(id(1)).unwrap().unwrap();
    feed.poll.skips.days = 0b110_0000;
    store.set_feed(&feed).unwrap();
    failing(store, T0 + 9 * DAY, 0.5);
    let before: u32 = (3..6).map(|days| due(store, utc_day(T0 + days * DAY))).sum();
    assert!(before < 20, "{before}");
    clean(store);
}

fn a_feed_is_missed_for_a_month_at_most(store: &dyn Store) {
    alive(store);
    failing(store, T0 + 120 * DAY, 1.0);
    assert!(due(store, utc_day(T0 + 29 * DAY)) >= 20);
    let after: u32 = (32..100).map(|days| due(store, utc_day(T0 + days * DAY))).sum();
    assert!((1..10).contains(&after), "{after}");
    // What the server says is gone is not missed at all.
    let mut gone = store.feed(id(1)).unwrap().unwrap();
    gone.status = FeedStatus::Gone;
    gone.poll.last_success = Some(T0 + 119 * DAY);
    store.set_feed(&gone).unwrap();
    let before: u32 = store.ledger(None, None).unwrap().iter().map(|row| row.polls.due).sum();
    failing(store, gone.poll.next + SECOND, 1.0);
    let after: u32 = store.ledger(None, None).unwrap().iter().map(|row| row.polls.due).sum();
    assert_eq!(after - before, 1);
    clean(store);
}

/// They stood on the days of UTC, counted back from a day of the zone.
fn missed_polls_stand_on_the_days_of_the_zone(store: &dyn Store) {
    let auckland = jiff::tz::TimeZone::fixed(jiff::tz::Offset::constant(13));
    store.add_feeds(&[feed(1, "a.test")]).unwrap();
    // Nothing from 9 in the morning of the 19th there until 3 in the afternoon of the 21st.
    let first = T0 - T0.rem_euclid(DAY) + 20 * HOUR;
    for at in [first, first + 54 * HOUR] {
        let stored = store.feed(id(1)).unwrap().unwrap();
        let day = day_of(at, &auckland);
        let begins = day_begins(day, &auckland).unwrap();
        let poll = PollCommit { day, begins, ..poll_of(&stored, at, Vec::new()) };
        under(store, "a.test", |batch, lease| {
            batch.poll(lease, poll).unwrap();
        });
    }
    let day = day_of(first, &auckland);
    let by_day: Vec<u32> =
        (0..3).map(|n| due(store, day.saturating_add(jiff::Span::new().days(n)))).collect();
    // From 9, 10 … 23 o'clock; of all hours; from 0 … 15.
    assert_eq!(by_day, [15, 24, 16]);
    clean(store);
}
