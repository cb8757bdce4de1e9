//! Synthetic arrivals for tests: outlets of all sizes with nights, weekends and bursts.

use std::collections::BTreeMap;

use crate::model::*;
use crate::store::Ledger;

/// 2026-06-08 00:00 UTC, a Monday.
pub const MONDAY: i64 = 494_688;

/// Knuth's linear congruential generator, upper bits.
pub struct Lot(pub u64);

impl Lot {
    pub fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }

    pub fn poisson(&mut self, mean: f64) -> u32 {
        let (mut n, mut product) = (0, self.unit());
        while product > (-mean).exp() {
            n += 1;
            product *= self.unit();
        }
        n
    }
}

/// An outlet's mean at an hour: busy days, quiet nights, some weekends off.
fn mean(per_day: f64, weekend: f64, hour: i64) -> f64 {
    let (day, clock) = ((hour - MONDAY).div_euclid(24).rem_euclid(7), hour.rem_euclid(24));
    let awake = if (7..22).contains(&clock) { 1.0 } else { 0.03 };
    let week = if day >= 5 { weekend } else { 1.0 };
    per_day / 15.3 * awake * week
}

/// So many outlets of all sizes, followed for so many days; `alive` says until which hour.
pub fn world(days: i64, outlets: usize, alive: impl Fn(usize) -> i64) -> (Vec<Ledger>, Vec<Feed>) {
    let mut lot = Lot(42);
    let (mut ledger, mut feeds) = (Vec::new(), Vec::new());
    for n in 0..outlets {
        let name = format!("outlet-{n}.test");
        let per_day = [3.0, 12.0, 40.0, 150.0][n % 4];
        let weekend = [1.0, 0.5, 0.1, 0.0][n / 4 % 4];
        feeds.push(feed(n, &name));
        for day in 0..days {
            let first = MONDAY + day * 24;
            // A big story now and then: hours of four times as much.
            let burst = lot.unit() < 0.08;
            let mut arrivals = [0; 24];
            for (hour, count) in arrivals.iter_mut().enumerate() {
                let at = first + hour as i64;
                let more = if burst && hour >= 12 { 4.0 } else { 1.0 };
                *count = lot.poisson(mean(per_day, weekend, at) * more);
                if at >= alive(n) {
                    *count = 0;
                }
            }
            let date = jiff::Timestamp::from_millisecond(first * HOUR).unwrap();
            ledger.push(Ledger {
                day: Some(date.to_zoned(jiff::tz::TimeZone::UTC).date()),
                outlet: name.clone(),
                polls: Polls { due: 24, succeeded: 24 },
                arrivals,
                ..Ledger::default()
            });
        }
    }
    (ledger, feeds)
}

pub fn feed(n: usize, outlet: &str) -> Feed {
    let (key, url, added) = (UrlKey(n as u128), format!("https://{outlet}/feed"), MONDAY - 24);
    Feed {
        language: Some(["de-DE", "en"][n % 2].into()),
        poll: PollState { interval: HOUR, ..PollState::default() },
        ..Feed::new(key, url, outlet, outlet, added * HOUR)
    }
}

/// So many that came at an instant, as the ledger keeps them: by the day of the zone and the hour of the UTC day.
pub fn by_day(
    came: impl Iterator<Item = (Millis, u32)>,
    zone: &jiff::tz::TimeZone,
) -> BTreeMap<Day, [u32; 24]> {
    let mut days: BTreeMap<Day, [u32; 24]> = BTreeMap::new();
    for (at, n) in came {
        let hour = at.div_euclid(HOUR).rem_euclid(24) as usize;
        days.entry(day_of(at, zone)).or_default()[hour] += n;
    }
    days
}

/// What of a ledger is known at an hour: nothing of what comes later.
pub fn until(ledger: &[Ledger], hour: i64) -> Vec<Ledger> {
    let date = jiff::Timestamp::from_millisecond(hour * HOUR).unwrap();
    let today = date.to_zoned(jiff::tz::TimeZone::UTC).date();
    let known = ledger.iter().filter(|row| row.day.is_some_and(|day| day <= today)).cloned();
    known
        .map(|mut row| {
            if row.day == Some(today) {
                row.arrivals[hour.rem_euclid(24) as usize..].fill(0);
            }
            row
        })
        .collect()
}
