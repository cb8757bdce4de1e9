//! Simulated months: outlets of all sizes raise hardly an alarm, those that are taken over raise one.

use super::*;
use crate::query::simulated::{Lot, MONDAY, until, world};
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
