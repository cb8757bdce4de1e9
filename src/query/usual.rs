//! What is usual for an outlet: what it brought in the same hours of the weeks before. Nights and weekends
//! are quiet every week, so they explain themselves. News comes in bursts, so nothing is held against a
//! mean: what is quiet is held against the weakest of these weeks, what is loud against the strongest.
//!
//! Must not know: where numbers come from, what is said about them.

use std::collections::BTreeMap;

/// Weeks before that are looked at; so many of them must have been followed.
const WEEKS: i64 = 4;
const LEAST_WEEKS: usize = 2;
const WEEK: i64 = 168;

/// A silence: the weakest week brought so many times as much …
const FAINT: u64 = 10;
/// … and a Poisson count of this share of it would be as small …
const SHARE: f64 = 0.5;
/// … with a smaller chance than this.
const CHANCE: f64 = 1e-4;

/// A burst: so many entries …
const MANY: u64 = 50;
/// … so many times as many as the strongest week, and one more …
const LOUD: u64 = 4;
/// … and a Poisson count of so many times the strongest week would be as large …
const EXCESS: f64 = 2.0;
/// … with a smaller chance than this.
const RARE: f64 = 1e-6;

/// Hours that are looked back for what is usual of a window of so many.
pub fn memory(hours: i64) -> i64 {
    WEEKS * hours.max(WEEK) + hours
}

/// First sights by the hour; hours count from 1970 on (UTC).
#[derive(Clone, Debug, Default)]
pub struct Series {
    arrivals: BTreeMap<i64, u64>,
    /// Followed since this hour.
    since: Option<i64>,
}

/// What the same hours of the weeks before brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usual {
    pub weakest: u64,
    pub strongest: u64,
}

impl Series {
    pub fn add(&mut self, hour: i64, entries: u64) {
        *self.arrivals.entry(hour).or_default() += entries;
    }

    /// A day that begins with the hour `start`, by the hours of the UTC day.
    pub fn add_day(&mut self, start: i64, arrivals: &[u32; 24]) {
        for (hour, n) in arrivals.iter().enumerate().filter(|(_, n)| **n > 0) {
            self.add(start + (hour as i64 - start).rem_euclid(24), u64::from(*n));
        }
    }

    /// It has been followed from this hour on, or from an earlier one.
    pub fn followed_since(&mut self, hour: i64) {
        self.since = Some(self.since.map_or(hour, |before| before.min(hour)));
    }

    pub fn absorb(&mut self, other: &Series) {
        for (hour, n) in &other.arrivals {
            self.add(*hour, *n);
        }
        if let Some(since) = other.since {
            self.followed_since(since);
        }
    }

    /// Entries from an hour to before another one.
    pub fn sum(&self, from: i64, to: i64) -> u64 {
        self.arrivals.range(from..to).map(|(_, n)| n).sum()
    }

    /// What is usual in so many hours that end at the hour `end`; `None`: it has not been followed for
    /// long enough.
    pub fn usual(&self, end: i64, hours: i64) -> Option<Usual> {
        let since = self.since?;
        let step = hours.max(WEEK);
        let weeks = (1..=WEEKS).map(|back| end - back * step).filter(|end| end - hours >= since);
        let sums: Vec<u64> = weeks.map(|end| self.sum(end - hours, end)).collect();
        let usual = Usual { weakest: *sums.iter().min()?, strongest: *sums.iter().max()? };
        (sums.len() >= LEAST_WEEKS).then_some(usual)
    }
}

impl Usual {
    /// Are so many clearly fewer than usual?
    pub fn is_silence(self, entries: u64) -> bool {
        self.weakest >= entries.saturating_mul(FAINT)
            && at_most(entries, self.weakest as f64 * SHARE) < CHANCE
    }

    /// Are so many clearly more than usual?
    pub fn is_burst(self, entries: u64) -> bool {
        let strongest = self.strongest.saturating_add(1);
        entries >= MANY
            && entries > strongest.saturating_mul(LOUD)
            && at_least(entries, strongest as f64 * EXCESS) < RARE
    }
}

/// Chance of a Poisson count of at most `n`.
pub fn at_most(n: u64, mean: f64) -> f64 {
    let mut term = (-mean).exp();
    let mut sum = term;
    for k in 1..=n {
        term *= mean / k as f64;
        sum += term;
    }
    // Underflow at large means leaves 0, and such a count is no chance either while it is far below
    // the mean; at or above the mean it is as good as certain.
    if n as f64 >= mean { 1.0 } else { sum }
}

/// Chance of a Poisson count of at least `n`, or a bound on it: exp(n − mean − n ln(n / mean)) (Chernoff).
pub fn at_least(n: u64, mean: f64) -> f64 {
    let n = n as f64;
    if n <= mean { 1.0 } else { (n - mean - n * (n / mean).ln()).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_poisson_counts() {
        for (n, mean) in [(0, 1.0), (3, 9.0), (10, 30.0), (40, 80.0)] {
            let mut term = f64::exp(-mean);
            let mut sums = vec![term];
            for k in 1..=400 {
                term *= mean / f64::from(k);
                sums.push(sums[k as usize - 1] + term);
            }
            assert!((at_most(n, mean) - sums[n as usize]).abs() < 1e-12, "{n} {mean}");
            for more in [1.1, 2.0, 5.0] {
                let n = (mean * more) as u64 + 1;
                let upper = 1.0 - sums[n as usize - 1];
                assert!(at_least(n, mean) >= upper - 1e-12, "{n} {mean}: a bound");
            }
        }
        assert_eq!((at_most(5, 5.0), at_least(5, 5.0)), (1.0, 1.0));
    }

    #[test]
    fn what_is_usual_is_told_after_two_weeks() {
        let mut series = Series::default();
        assert_eq!(series.usual(1_000, 24), None, "never followed");
        series.followed_since(0);
        for hour in 0..10_000 {
            series.add(hour, u64::try_from(hour / WEEK).unwrap());
        }
        assert_eq!(series.usual(WEEK + 24, 24), None, "one week");
        let usual = series.usual(2 * WEEK + 24, 24).expect("two weeks");
        assert_eq!(usual, Usual { weakest: 0, strongest: 24 });
        let usual = series.usual(10 * WEEK + 24, 24).expect("four weeks");
        assert_eq!(usual, Usual { weakest: 6 * 24, strongest: 9 * 24 });
        assert_eq!((usual.is_silence(6), usual.is_silence(20)), (true, false));
        assert_eq!((usual.is_burst(5 * 216), usual.is_burst(3 * 216)), (true, false));
        assert!(!Usual { weakest: 0, strongest: 0 }.is_burst(49), "too few to matter");
    }
}
