//! Simulated months: outlets of all sizes raise hardly an alarm, those that are taken over raise one.

use super::*;
use crate::query::simulated::{Lot, MONDAY, by_day, feed, until, world};
use crate::query::time::FirstHours;

fn days(ledger: &[Ledger]) -> (Day, Day) {
    let days = ledger.iter().filter_map(|row| row.day);
    (days.clone().min().unwrap(), days.max().unwrap())
}

fn found(ledger: &[Ledger], feeds: &[Feed]) -> Vec<Unusual> {
    unusual(ledger, feeds, &jiff::tz::TimeZone::UTC, days(ledger), i64::MAX)
}

/// What each outlet's feeds brought: some of it of other outlets, as much as is usual for it.
fn share(ledger: &mut [Ledger]) {
    let mut lot = Lot(7);
    for row in ledger {
        let own = i64::from(row.arrivals.iter().sum::<u32>());
        let n: usize = row.outlet.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
        let usual = [0.0, 0.01, 0.1, 0.4][n % 4];
        let foreign = i64::from(lot.poisson(own as f64 * usual));
        row.brought = Brought { own, foreign, bytes: 0 };
    }
}

/// 84 days of 32 outlets, 2,688 outlet-days with nights, weekends and bursts of four times as much:
/// docs/counting.md says how many of them are called unusual.
#[test]
fn usual_months_raise_no_alarm() {
    let (mut ledger, feeds) = world(84, 32, |_| i64::MAX);
    share(&mut ledger);
    assert_eq!(found(&ledger, &feeds), []);
    // Nor on days that are not over.
    for hour in (0..84 * 24).step_by(11) {
        let known = until(&ledger, MONDAY + hour);
        let (from, to) = days(&known);
        let now = (MONDAY + hour) * HOUR;
        let said = unusual(&known, &feeds, &jiff::tz::TimeZone::UTC, (to.max(from), to), now);
        assert_eq!(said, [], "after {hour} h");
    }
}

#[test]
fn a_flood_is_a_burst_and_told_within_the_hour() {
    let (mut ledger, feeds) = world(60, 8, |_| i64::MAX);
    let (_, last) = days(&ledger);
    let day = last.saturating_sub(jiff::Span::new().days(3));
    for row in ledger.iter_mut().filter(|row| row.day == Some(day)) {
        if row.outlet == "outlet-2.test" {
            row.arrivals[3] += 2_000;
        }
    }
    let said = found(&ledger, &feeds);
    assert_eq!(said.len(), 1, "{said:?}");
    let odd = &said[0];
    assert_eq!((odd.day, odd.outlet.as_str(), odd.what), (day, "outlet-2.test", What::Burst));
    assert!(odd.found >= 2_000 && odd.usual < 200, "{odd:?}");
    let start = FirstHours::of(&jiff::tz::TimeZone::UTC).get(day).unwrap();
    let known = until(&ledger, start + 4);
    let now = (start + 4) * HOUR;
    let soon = unusual(&known, &feeds, &jiff::tz::TimeZone::UTC, (day, day), now);
    assert_eq!(soon.len(), 1, "{soon:?}");
}

/// Where days begin amid an hour, a flood was told on the next day, too.
#[test]
fn a_flood_around_midnight_is_told_on_its_day_alone() {
    const DAYS: i64 = 40;
    let feeds = [feed(0, "a.test")];
    for name in ["UTC", "Asia/Kolkata", "America/St_Johns"] {
        let zone = jiff::tz::TimeZone::get(name).unwrap();
        let first = jiff::Timestamp::from_millisecond(MONDAY * HOUR).unwrap();
        let first = first.to_zoned(zone.clone()).date();
        let days: Vec<Day> = first.series(jiff::Span::new().days(1)).take(DAYS as usize).collect();
        let nights: Vec<Millis> = days.iter().map(|day| day_begins(*day, &zone).unwrap()).collect();
        let last = nights[DAYS as usize - 1].div_euclid(HOUR);
        let check = |batches: &[(Millis, u32)], expect: &[Day]| {
            let mut told = BTreeSet::new();
            for now in (last - 72..=last).map(|hour| hour * HOUR + 40 * MINUTE) {
                let steady = (0..).map(|n| (nights[0] + n * 15 * MINUTE, 1));
                let came = steady.take_while(|(at, _)| *at < now);
                let came = came.chain(batches.iter().filter(|(at, _)| *at < now).copied());
                let ledger: Vec<Ledger> = by_day(came, &zone)
                    .into_iter()
                    .map(|(day, arrivals)| {
                        let outlet = "a.test".to_owned();
                        Ledger { day: Some(day), outlet, arrivals, ..Ledger::default() }
                    })
                    .collect();
                let last_days = (days[DAYS as usize - 4], days[DAYS as usize - 1]);
                let said = unusual(&ledger, &feeds, &zone, last_days, now);
                told.extend(said.iter().map(|odd| odd.day));
            }
            assert_eq!(told.into_iter().collect::<Vec<_>>(), expect, "{name} {batches:?}");
        };
        let each = |minutes: i64| -> Vec<(Millis, u32)> {
            nights.iter().map(|night| (night + minutes * MINUTE, 200)).collect()
        };
        check(&each(5), &[]);
        check(&each(-10), &[]);
        let (day, night) = (days[DAYS as usize - 3], nights[DAYS as usize - 3]);
        check(&[(night + 5 * MINUTE, 1_000)], &[day]);
        check(&[(night + 23 * HOUR + 50 * MINUTE, 1_000)], &[day]);
    }
}

#[test]
fn a_feed_that_turns_to_others_is_told() {
    let (mut ledger, feeds) = world(60, 8, |_| i64::MAX);
    share(&mut ledger);
    let (_, last) = days(&ledger);
    for row in ledger.iter_mut().filter(|row| row.day == Some(last)) {
        if row.outlet == "outlet-1.test" {
            row.brought = Brought { own: 60, foreign: 400, bytes: 0 };
        }
        if row.outlet == "outlet-2.test" {
            row.outcomes.insert(OVER_BUDGET.to_owned(), 1_500);
        }
    }
    let said: Vec<(String, What)> =
        found(&ledger, &feeds).into_iter().map(|odd| (odd.outlet, odd.what)).collect();
    let over = ("outlet-2.test".to_owned(), What::OverBudget);
    let turned = ("outlet-1.test".to_owned(), What::Foreign);
    assert_eq!(said, [turned, over]);
}

#[test]
fn an_outlet_that_is_new_is_not_unusual() {
    let (mut ledger, feeds) = world(10, 4, |_| i64::MAX);
    for row in &mut ledger {
        row.arrivals[9] = 5_000;
        row.brought = Brought { own: 10, foreign: 300, bytes: 0 };
    }
    ledger.retain(|row| row.outlet != "outlet-1.test");
    let said = found(&ledger, &feeds);
    assert!(said.iter().all(|odd| odd.what != What::Burst), "{said:?}");
}
