//! Synthetic arrivals: outlets with nights, weekends and bursts raise no alarm over months; those
//! that die raise it soon.

use super::*;

/// 2026-11-02 00:00 UTC, a Monday.
const MONDAY: i64 = 494_688;

/// Knuth's linear congruential generator, upper bits.
struct Lot(u64);

impl Lot {
    fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }

    fn poisson(&mut self, mean: f64) -> u32 {
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
fn world(days: i64, outlets: usize, alive: impl Fn(usize) -> i64) -> (Vec<Ledger>, Vec<Feed>) {
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

fn feed(n: usize, outlet: &str) -> Feed {
    Feed {
        key: UrlKey(n as u128),
        url: format!("https://{outlet}/feed"),
        outlet: outlet.into(),
        pace_key: outlet.into(),
        group: None,
        title: None,
        language: Some(["de-DE", "en"][n % 2].into()),
        format: None,
        status: FeedStatus::Active,
        added: (MONDAY - 24) * HOUR,
        poll: PollState { interval: HOUR, ..PollState::default() },
        provenance: Provenance::default(),
    }
}

/// What is said at an hour: the ledger knows nothing of what comes later.
fn at(ledger: &[Ledger], feeds: &[Feed], hour: i64) -> Vec<Silence> {
    let zone = jiff::tz::TimeZone::UTC;
    let today =
        jiff::Timestamp::from_millisecond(hour * HOUR).unwrap().to_zoned(zone.clone()).date();
    let known: Vec<Ledger> = ledger
        .iter()
        .filter(|row| row.day.is_some_and(|day| day <= today))
        .cloned()
        .map(|mut row| {
            if row.day == Some(today) {
                row.arrivals[hour.rem_euclid(24) as usize..].fill(0);
            }
            row
        })
        .collect();
    silences(&known, feeds, &[], &zone, hour * HOUR)
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
    let sentence = at(&ledger, &feeds, died + 24)[0].sentence();
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
fn a_crawl_that_stands_still_is_another_matter() {
    let mut feeds = vec![feed(1, "a.test"), feed(2, "b.test")];
    let now = MONDAY * HOUR;
    assert_eq!(stalled(&feeds, now), None, "never polled");
    for feed in &mut feeds {
        feed.poll.last = Some(now - 5 * HOUR);
        feed.poll.next = now - 4 * HOUR;
    }
    assert_eq!(stalled(&feeds, now), Some((5 * HOUR, 2)));
    feeds[0].poll.last = Some(now - HOUR);
    assert_eq!(stalled(&feeds, now), None);
}
