//! What is usual for an outlet: what it brought in the same hours of the weeks before. Nights and weekends
//! are quiet every week, so they explain themselves. News comes in bursts, so nothing is held against a
//! mean: what is quiet is held against the weakest of these weeks, what is loud against the strongest.
//! Where somebody wants to know how rare a count is, it is held against a distribution that is as wide as
//! these weeks were ([`Expected`]).
//!
//! Must not know: where numbers come from, what is said about them.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{HOUR, Millis, Polls};

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

/// Weeks that a distribution is made of, and how many there must be.
const EXPECTED_WEEKS: i64 = 8;
const EXPECTED_LEAST: usize = 4;
/// A count this rare is far from what is expected. A window of a day is looked at every hour: of a
/// steady stream, less than one in a hundred days is called so though nothing has happened (docs/alerts.md).
const FAR: f64 = 3e-4;
/// What is called usual leaves out so much on either side.
const TAIL: f64 = 0.05;
/// Hours in which a smaller part of the outlets' polls succeeded than so much of what is usual say nothing …
const POLLED: f64 = 0.9;
/// … and what was missed then comes in so many hours.
const PILED: i64 = 6;
/// Smallest mean.
const LEAST_MEAN: f64 = 1.0 / 64.0;
/// A larger mean is judged as if everything were counted in units of several.
const LARGEST_MEAN: f64 = 100_000.0;

/// Hours that are looked back for what is usual of a window of so many.
pub fn memory(hours: i64) -> i64 {
    WEEKS * hours.max(WEEK) + hours
}

/// First sights by the hour; hours count from 1970 on (UTC).
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Hours that brought something, in their order, each with the entries up to and with it.
    sums: Vec<(i64, u64)>,
    /// Followed since this hour.
    since: Option<i64>,
    /// Polls of days, by the hour each begins with; none where all hours are taken for polled.
    polls: BTreeMap<i64, Polled>,
    /// The hour that is left out of the day at hand.
    left_out: Option<i64>,
}

/// Polls of each outlet on a day, by a number that the outlet has on all days.
pub type Polled = BTreeMap<u32, Polls>;

/// What the same hours of the weeks before brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usual {
    pub weakest: u64,
    pub strongest: u64,
}

impl Series {
    pub fn add(&mut self, hour: i64, entries: u64) {
        let at = self.sums.partition_point(|(h, _)| *h < hour);
        if self.sums.get(at).is_none_or(|(h, _)| *h != hour) {
            self.sums.insert(at, (hour, self.before(hour)));
        }
        self.sums[at..].iter_mut().for_each(|(_, sum)| *sum += entries);
    }

    /// Entries before an hour.
    fn before(&self, hour: i64) -> u64 {
        let at = self.sums.partition_point(|(h, _)| *h < hour);
        at.checked_sub(1).map_or(0, |last| self.sums[last].1)
    }

    /// A day that begins at `begins`, by the hours of the UTC day. Where days begin amid an hour, as in India, what came
    /// at the end of the day is in that hour, too, as if it had come at its beginning.
    pub fn add_day(&mut self, begins: Millis, arrivals: &[u32; 24]) {
        let start = begins.div_euclid(HOUR);
        for (hour, n) in arrivals.iter().enumerate().filter(|(_, n)| **n > 0) {
            self.add(start + (hour as i64 - start).rem_euclid(24), u64::from(*n));
        }
    }

    /// The same where hours are held against those of other days: an hour amid which a day begins is left out of all of
    /// them. Today it has what came at its beginning, on other days also what came at its end, and nobody can tell them
    /// apart.
    pub fn add_comparable_day(&mut self, begins: Millis, arrivals: &[u32; 24]) {
        let mut arrivals = *arrivals;
        if begins.rem_euclid(HOUR) != 0 {
            arrivals[begins.div_euclid(HOUR).rem_euclid(24) as usize] = 0;
        }
        self.add_day(begins, &arrivals);
    }

    /// The day at hand begins then: of an hour that is left out (see [`Series::add_comparable_day`]) nothing is expected.
    pub fn compared_on(&mut self, begins: Millis) {
        self.left_out = (begins.rem_euclid(HOUR) != 0).then_some(begins.div_euclid(HOUR));
    }

    /// It has been followed from this hour on, or from an earlier one.
    pub fn followed_since(&mut self, hour: i64) {
        self.since = Some(self.since.map_or(hour, |before| before.min(hour)));
    }

    /// These are days with polls, by the hour each begins with: it was followed before its present feeds were added,
    /// back to the first week without any.
    pub fn followed_on(&mut self, days: &BTreeSet<i64>) {
        let Some(since) = self.since else { return };
        let mut first = since;
        for day in days.range(..since).rev() {
            if first - day > WEEK {
                break;
            }
            first = *day;
        }
        // The first of them is not a whole one.
        self.followed_since(first + 24);
    }

    /// Polls of a day that begins with the hour `start`. Every day that is judged needs them, or none does.
    pub fn polled(&mut self, start: i64, polls: Polled) {
        self.polls.insert(start, polls);
    }

    /// Share of the polls that succeed on the middle one of the days; `None`: no polls are known.
    fn usual_share(&self) -> Option<f64> {
        let mut shares: Vec<f64> = self.polls.values().filter_map(mean_share).collect();
        shares.sort_by(f64::total_cmp);
        shares.get(shares.len() / 2).copied()
    }

    /// Did as many polls succeed as is usual on the days of these hours, and when that came which they brought?
    fn is_polled(&self, from: i64, to: i64, usual: Option<f64>) -> bool {
        let Some(usual) = usual else { return true };
        let from = from - PILED;
        let first = self.polls.range(..=from).next_back().map_or(from, |(day, _)| *day);
        let mut all = Polled::new();
        for (outlet, polls) in self.polls.range(first..to).flat_map(|(_, day)| day) {
            let sum = all.entry(*outlet).or_default();
            sum.due = sum.due.saturating_add(polls.due);
            sum.succeeded = sum.succeeded.saturating_add(polls.succeeded);
        }
        mean_share(&all).is_some_and(|share| share >= POLLED * usual)
    }

    pub fn absorb(&mut self, other: &Series) {
        // The hours of both, each with what either had up to it.
        let mut hours: Vec<i64> = self.sums.iter().chain(&other.sums).map(|(h, _)| *h).collect();
        hours.sort_unstable();
        hours.dedup();
        let sum = |hour: i64| self.before(hour + 1) + other.before(hour + 1);
        self.sums = hours.into_iter().map(|hour| (hour, sum(hour))).collect();
        if let Some(since) = other.since {
            self.followed_since(since);
        }
    }

    /// Entries from an hour to before another one.
    pub fn sum(&self, from: i64, to: i64) -> u64 {
        self.before(to).saturating_sub(self.before(from))
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

impl Series {
    /// Hours that [`Series::expected`] looks back.
    pub const EXPECTING: i64 = (EXPECTED_WEEKS + 1) * WEEK;

    /// What is expected in the `hours` (at most 24) that end at the hour `end`, by the same hours of the
    /// weeks before that were polled; `None`: it has not been followed for four of them, or these hours were not polled or
    /// are left out.
    pub fn expected(&self, end: i64, hours: i64) -> Option<Expected> {
        let (since, share) = (self.since?, self.usual_share());
        let is_left_out = hours == 1 && self.left_out == Some(end - 1);
        if is_left_out || !self.is_polled(end - hours, end, share) {
            return None;
        }
        // By the day of the week, today's first: the same hours of the days before.
        let mut days: [Vec<u64>; 7] = Default::default();
        for back in 1..=EXPECTED_WEEKS * 7 {
            let end = end - 24 * back;
            if end - hours < since {
                break;
            }
            if self.is_polled(end - hours, end, share) {
                days[(back % 7) as usize].push(self.sum(end - hours, end));
            }
        }
        let same = &days[0];
        if same.len() < EXPECTED_LEAST {
            return None;
        }
        let mean = |counts: &[u64]| counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        let (mut squares, mut freedom, mut sum, mut windows) = (0.0, 0.0, 0.0, 0.0);
        for counts in days.iter().filter(|counts| counts.len() > 1) {
            let mean = mean(counts);
            squares += counts.iter().map(|n| (*n as f64 - mean).powi(2)).sum::<f64>();
            freedom += (counts.len() - 1) as f64 * mean;
            sum += mean * counts.len() as f64;
            windows += counts.len() as f64;
        }
        let weeks = same.len() as f64;
        // A week of the average day beside the weeks of this one: two or three articles say little.
        let average = if windows > 0.0 { sum / windows } else { 0.0 };
        let mean = ((mean(same) * weeks + average) / (weeks + 1.0)).max(LEAST_MEAN);
        // Pearson's estimate of the variance in means; a Poisson count's is 1. The mean is an estimate, too.
        let spread = if freedom > 0.0 { (squares / freedom).max(1.0) } else { 1.0 };
        Some(Expected { mean, spread: spread * (1.0 + 1.0 / weeks), weeks: same.len() })
    }
}

/// A distribution of counts: a negative binomial one, with a variance of `spread` times the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    pub mean: f64,
    pub spread: f64,
    /// Weeks that it is made of.
    pub weeks: usize,
}

/// A count against what is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The usual counts: nine of ten lie in this range.
    pub usual: (u64, u64),
    /// Chances of so few, and of so many.
    pub at_most: f64,
    pub at_least: f64,
}

impl Comparison {
    /// Is the count far above, or far below what is expected?
    pub fn is_far_above(&self) -> bool {
        self.at_least < FAR
    }

    pub fn is_far_below(&self) -> bool {
        self.at_most < FAR
    }
}

impl Expected {
    /// Holds a count against it.
    pub fn compare(&self, count: u64) -> Comparison {
        let unit = (self.mean / LARGEST_MEAN).ceil().max(1.0);
        let (mean, count) = (self.mean / unit, (count as f64 / unit).round() as u64);
        // A spread of exactly 1 is Poisson's, the limit of these.
        let spread = self.spread.max(1.0 + 1e-6);
        let (size, odds) = (mean / (spread - 1.0), 1.0 - 1.0 / spread);
        // Logarithms: the chance of nothing at all is too small for a float where much is expected.
        let mut log = -size * spread.ln();
        let (mut below, mut k) = (0.0, 0u64);
        let (mut low, mut high) = (None, None);
        let (mut at_most, mut at_least) = (1.0, 0.0);
        loop {
            let chance = log.exp();
            if k == count {
                (at_least, at_most) = (1.0 - below, below + chance);
            }
            below += chance;
            if low.is_none() && below >= TAIL {
                low = Some(k);
            }
            if high.is_none() && below >= 1.0 - TAIL {
                high = Some(k);
            }
            // Beyond the upper range and a million times rarer than rare, nothing changes any more.
            let done = k as f64 > mean && chance < FAR * 1e-9;
            if (k >= count || done) && high.is_some() || k > 100 * LARGEST_MEAN as u64 {
                break;
            }
            log += ((k as f64 + size) / (k as f64 + 1.0) * odds).ln();
            k += 1;
        }
        let scaled = |k: Option<u64>| (k.unwrap_or(0) as f64 * unit) as u64;
        let usual = (scaled(low), scaled(high));
        Comparison { usual, at_most: f64::min(at_most, 1.0), at_least: f64::max(at_least, 0.0) }
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

/// Mean of the outlets' shares of polls that succeeded: one outlet may have most of the polls, and weighs as much as any
/// other. `None`: none were due.
fn mean_share(polled: &Polled) -> Option<f64> {
    let due = polled.values().filter(|polls| polls.due > 0);
    let shares = due.map(|polls| f64::from(polls.succeeded) / f64::from(polls.due));
    let (sum, n) = shares.fold((0.0, 0.0), |(sum, n), share| (sum + share, n + 1.0));
    (n > 0.0).then(|| sum / n)
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

    /// Where days begin amid an hour, a batch around midnight was too much or too little each night.
    #[test]
    fn a_batch_around_midnight_is_usual_and_a_flood_is_one_once() {
        use crate::model::{MINUTE, day_begins};
        use crate::query::simulated::{MONDAY, by_day};
        const DAYS: i64 = 70;
        for name in ["UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns"] {
            let zone = jiff::tz::TimeZone::get(name).unwrap();
            let first = jiff::Timestamp::from_millisecond(MONDAY * HOUR).unwrap();
            let first = first.to_zoned(zone.clone()).date();
            let nights: Vec<Millis> = first
                .series(jiff::Span::new().days(1))
                .take(DAYS as usize)
                .map(|day| day_begins(day, &zone).unwrap())
                .collect();
            let splits = nights[0].rem_euclid(HOUR) != 0;
            let check = |batches: &[(Millis, u32)], is_flood: bool| {
                let mut told = 0;
                let last = nights[DAYS as usize - 1].div_euclid(HOUR);
                // As the ledger was at each hour.
                for end in last - 72..=last {
                    let steady = (0..).map(|n| (nights[0] + n * 15 * MINUTE, 1));
                    let steady = steady.take_while(|(at, _)| *at < end * HOUR);
                    let batches = batches.iter().filter(|(at, _)| *at < end * HOUR).copied();
                    let mut series = Series::default();
                    series.followed_since(nights[0].div_euclid(HOUR) + 24);
                    for (day, arrivals) in by_day(steady.chain(batches), &zone) {
                        series.add_comparable_day(day_begins(day, &zone).unwrap(), &arrivals);
                    }
                    let count = series.sum(end - 24, end);
                    let held = series.expected(end, 24).unwrap().compare(count);
                    let usual = series.usual(end, 24).unwrap();
                    assert!(!held.is_far_below(), "{name}: {count} {held:?}");
                    assert!(!usual.is_silence(count), "{name}: {count} {usual:?}");
                    told += i32::from(held.is_far_above());
                }
                // One in the hour that is left out is told by bursts alone.
                let hours = if is_flood && !splits { 24 } else { 0 };
                assert_eq!(told, hours, "{name} {batches:?}");
            };
            let each = |minutes: i64| -> Vec<(Millis, u32)> {
                nights.iter().map(|night| (night + minutes * MINUTE, 200)).collect()
            };
            check(&[], false);
            check(&each(5), false);
            check(&each(-10), false);
            check(&[(nights[DAYS as usize - 3] + 5 * MINUTE, 1_000)], true);
        }
    }

    /// Where nothing is compared, nothing is left out.
    #[test]
    fn whole_days_have_all_that_came() {
        use crate::model::MINUTE;
        let (begins, arrivals) = (18 * HOUR + 30 * MINUTE, [2; 24]);
        let (mut whole, mut comparable) = (Series::default(), Series::default());
        whole.add_day(begins, &arrivals);
        comparable.add_comparable_day(begins, &arrivals);
        assert_eq!((whole.sum(18, 42), comparable.sum(18, 42)), (48, 46));
        assert_eq!((whole.sum(18, 19), comparable.sum(18, 19)), (2, 0));
    }

    proptest::proptest! {
        /// Sums are those of a list of what came, in whatever order, also of several series together.
        #[test]
        fn sums_are_those_of_what_was_added(
            came in proptest::collection::vec((-50i64..50, 0u64..9), 0..60),
            split in 0usize..60,
            spans in proptest::collection::vec((-60i64..60, 0i64..80), 1..9),
        ) {
            let split = split.min(came.len());
            let mut parts = [Series::default(), Series::default()];
            for (n, (hour, entries)) in came.iter().enumerate() {
                parts[usize::from(n >= split)].add(*hour, *entries);
            }
            let [mut series, other] = parts;
            series.absorb(&other);
            for (from, hours) in spans {
                let within = came.iter().filter(|(hour, _)| (from..from + hours).contains(hour));
                let expect: u64 = within.map(|(_, entries)| entries).sum();
                proptest::prop_assert_eq!(series.sum(from, from + hours), expect);
            }
        }
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
