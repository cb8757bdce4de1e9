use super::*;
use proptest::prelude::*;

fn answered(status: u16, elapsed: Millis) -> Answer {
    Answer { status: Some(status), elapsed, ..Answer::default() }
}

const A: &str = "a.test";

fn of_a(pace: &Pace) -> HostPace {
    known(pace, A).cloned().unwrap_or_default()
}

#[test]
fn delays() {
    let s = Settings::default();
    for (response_ms, asked, operator, shared, own) in [
        (0.0, None, None, 1_000, 0),
        (100.0, None, None, 1_000, 0),
        (500.0, None, None, 2_000, 0),
        (60_000.0, None, None, 30_000, 0),
        (0.0, Some(0.2), None, 1_000, 200),
        (0.0, Some(2.5), None, 1_000, 2_500),
        (2_000.0, Some(2.5), None, 8_000, 2_500),
        (0.0, Some(600.0), None, 1_000, 120_000),
        (0.0, Some(1e300), None, 1_000, 120_000),
        (0.0, Some(f64::NAN), None, 1_000, 0),
        (9_000.0, None, Some(50), 50, 0),
        (9_000.0, Some(10.0), Some(50), 50, 10_000),
        (0.0, Some(2.0), Some(5_000), 5_000, 2_000),
    ] {
        let mut pace = Pace { response_ms, operator_delay: operator, ..Pace::default() };
        crawl_delay(&mut pace, A, asked, &s);
        assert_eq!(delay(&pace, &s), shared, "{response_ms} {asked:?}");
        assert_eq!(next_request(&pace, A, false), own, "{response_ms} {asked:?}");
        assert_eq!(pace.delay, shared.max(own), "{response_ms} {asked:?}");
        assert_eq!(next_request(&pace, "b.test", false), 0, "{response_ms} {asked:?}");
    }
}

#[test]
fn hearsay_leaves_room_for_what_is_urgent_soon_and_others_give_way_to_what_is_due() {
    let s = Settings::default();
    let pace = Pace { next_at: 500, ..Pace::default() };
    for (urgent, foreign, way) in [
        (None, true, None),
        (Some(500), false, Some(500)),
        (Some(501), false, None),
        (Some(501), true, Some(501)),
        (Some(1_500), true, Some(1_500)),
        (Some(1_501), true, None),
    ] {
        let before = Precedence { urgent, foreign };
        assert_eq!(gives_way(&pace, &before, 100, &s), way, "{urgent:?} {foreign}");
        assert_eq!(gives_way(&Pace::default(), &before, 500, &s), way, "{urgent:?} {foreign}");
    }
}

#[test]
fn a_crawl_delay_counts_from_the_answer_that_brought_it_and_for_its_host_alone() {
    let s = Settings::default();
    let mut pace = after_response(&Pace::default(), A, &answered(200, 10), 5_000, &s);
    crawl_delay(&mut pace, A, Some(60.0), &s);
    assert_eq!(
        (next_request(&pace, A, false), next_request(&pace, "b.test", false)),
        (65_000, 6_000)
    );
    assert_eq!(pace.delay, 60_000, "waited by whoever does not know which host was asked");
    let pace = after_response(&pace, "b.test", &answered(200, 10), 7_000, &s);
    assert_eq!(
        (next_request(&pace, A, false), next_request(&pace, "b.test", false)),
        (65_000, 8_000)
    );
    let later = after_response(&pace, "b.test", &answered(200, 10), 70_000, &s);
    assert_eq!((later.hosts.len(), later.delay), (2, 60_000));
    let much_later = after_response(&pace, "b.test", &answered(200, 10), 2 * DAY, &s);
    assert_eq!((much_later.hosts.len(), much_later.delay), (1, 1_000));
}

#[test]
fn what_is_put_off_gets_an_instant_of_its_own() {
    let s = Settings::default();
    let mut pace = Pace::default();
    crawl_delay(&mut pace, A, Some(10.0), &s);
    let mut pace = after_response(&pace, A, &answered(200, 10), 5_000, &s);
    let slots: Vec<Millis> = (0..3).map(|_| book(&mut pace, A, false, &s)).collect();
    assert_eq!(slots, [15_000, 25_010, 35_020]);
    // Those of others are no reason to wait when the first one's instant has come.
    assert_eq!(next_request(&pace, A, false), 15_000);
    let mut pace = after_response(&pace, A, &answered(200, 10), 15_010, &s);
    assert_eq!(book(&mut pace, A, false, &s), 45_030);
}

#[test]
fn successes_set_the_mean_and_clear_the_trouble() {
    let s = Settings::default();
    let host = HostPace { host: A.into(), failures: 3.0, forbidden_run: 2, ..HostPace::default() };
    let trouble = Pace { failures: 3.0, hosts: vec![host], ..Pace::default() };
    let first = after_response(&trouble, A, &answered(200, 800), 5_000, &s);
    assert_eq!((first.response_ms, first.failures), (800.0, 0.0));
    assert_eq!((of_a(&first).failures, of_a(&first).forbidden_run), (0.0, 0));
    assert_eq!((first.delay, first.next_at, first.blocked_until), (3_200, 8_200, 0));
    let second = after_response(&first, A, &answered(304, 400), 10_000, &s);
    assert_eq!(second.response_ms, 700.0);
    // A fast error must not speed us up.
    let error = after_response(&second, A, &answered(500, 1), 20_000, &s);
    assert_eq!((error.response_ms, error.delay), (700.0, 2_800));
}

#[test]
fn limits_pause() {
    let s = Settings::default();
    let mut pace = Pace::default();
    let mut pauses = Vec::new();
    for _ in 0..10 {
        pace = after_response(&pace, A, &answered(429, 10), 0, &s);
        pauses.push(of_a(&pace).blocked_until / SECOND);
    }
    assert_eq!(pauses, [30, 60, 120, 240, 480, 960, 1920, 3840, 7200, 7200]);
    assert_eq!(next_of_all(&pace), 1_000, "one host asks for nobody else");
    // Who asks for less than the pause that is due gets that one.
    let least = 30 * SECOND;
    for (asked, expect) in
        [(70 * SECOND, 70 * SECOND), (9 * DAY, DAY), (7 * SECOND, least), (0, least)]
    {
        let answer = Answer { retry_after: Some(asked), ..answered(503, 10) };
        let paused = after_response(&Pace::default(), A, &answer, 0, &s);
        assert_eq!(of_a(&paused).blocked_until, expect);
    }
    // Gateways say so, too; what is not there says nothing of the host.
    for (status, asked, expect) in [
        (502, Some(HOUR), HOUR),
        (403, Some(HOUR), HOUR),
        (520, Some(SECOND), least),
        (500, Some(0), 0),
        (500, None, 0),
        (404, Some(HOUR), 0),
    ] {
        let answer = Answer { retry_after: asked, ..answered(status, 10) };
        let paused = after_response(&Pace::default(), A, &answer, 0, &s);
        assert_eq!(of_a(&paused).blocked_until, expect, "{status} {asked:?}");
    }
    let (mut pace, mut pauses) = (Pace::default(), Vec::new());
    for _ in 0..4 {
        let answer = Answer { retry_after: Some(0), ..answered(429, 10) };
        pace = after_response(&pace, A, &answer, 0, &s);
        pauses.push(of_a(&pace).blocked_until / SECOND);
    }
    assert_eq!(pauses, [30, 60, 120, 240], "`Retry-After: 0` switches no pause off");
    // A block is never shortened.
    let host = HostPace { host: A.into(), blocked_until: HOUR, ..HostPace::default() };
    let blocked = Pace { hosts: vec![host], ..Pace::default() };
    let after = after_response(&blocked, A, &answered(429, 1), 0, &s);
    assert_eq!(of_a(&after).blocked_until, HOUR);
}

#[test]
fn several_hosts_that_ask_within_a_while_pause_all() {
    let s = Settings::default();
    let day = Answer { retry_after: Some(DAY), ..answered(503, 10) };
    let mut pace = Pace::default();
    let mut blocked = Vec::new();
    for (n, at) in [0, 1, 2, 3].into_iter().enumerate() {
        pace = after_response(&pace, &format!("{n}.a.test"), &day, at * SECOND, &s);
        blocked.push(pace.blocked_until);
    }
    // Not for a day: that is for those who asked for it.
    assert_eq!(blocked, [0, 0, 32 * SECOND, 63 * SECOND]);
    let well = after_response(&pace, "well.a.test", &answered(200, 10), 70 * SECOND, &s);
    assert_eq!((well.failures, next_of_all(&well)), (0.0, 71 * SECOND));
    assert_eq!(next_request(&well, "0.a.test", false), DAY);
    // Spread over a longer time, each pauses alone.
    let mut pace = Pace::default();
    for n in 0..9 {
        pace = after_response(&pace, &format!("{n}.a.test"), &day, n * 6 * MINUTE, &s);
    }
    assert_eq!(pace.blocked_until, 0);
    // Those who ask for less than the pause that is due get that one.
    let little = Answer { retry_after: Some(SECOND), ..answered(429, 10) };
    let mut pace = Pace::default();
    for n in 0..5 {
        pace = after_response(&pace, &format!("{n}.a.test"), &little, 0, &s);
    }
    assert_eq!(pace.blocked_until, 30 * SECOND);
}

#[test]
fn a_burst_of_403_is_a_limit() {
    let s = Settings::default();
    let mut pace = Pace::default();
    let mut limited = Vec::new();
    for status in [403, 403, 404, 403, 403, 403, 403, 403] {
        pace = after_response(&pace, A, &answered(status, 10), 0, &s);
        // Those of a neighbour are no part of it.
        pace = after_response(&pace, "b.test", &answered(403, 10), 0, &s);
        limited.push(failure(status, None, &pace, A, false, &s) == Some(Failure::RateLimited));
    }
    assert_eq!(limited, [false, false, false, false, false, false, false, true]);
    assert!(of_a(&pace).blocked_until > 0);
}

#[test]
fn a_silent_site_is_left_alone_longer_and_longer() {
    let s = Settings::default();
    let mut pace = Pace::default();
    let mut pauses = Vec::new();
    for _ in 0..5 {
        pace = after_response(&pace, A, &Answer::default(), 0, &s);
        pauses.push(of_a(&pace).blocked_until / MINUTE);
    }
    assert_eq!(pauses, [0, 0, 1, 2, 3]);
}

#[test]
fn retries() {
    let s = Settings::default();
    let at = |attempts, failure, now| retry(attempts, &failure, now, 0, &s);
    let first = at(1, Failure::Deadline, 0).unwrap();
    assert!((5 * SECOND..=10 * SECOND).contains(&first), "{first}");
    let second = at(2, Failure::Status(500), 0).unwrap();
    assert!((4 * MINUTE..=6 * MINUTE).contains(&second), "{second}");
    let much_later = at(500, Failure::RateLimited, 0).unwrap();
    assert!(much_later <= 2 * HOUR * 6 / 5);
    assert_eq!(at(9, Failure::Deadline, DAY), None);
    assert!(at(1, Failure::Deadline, 3 * DAY).is_some());
    for failure in [Failure::Status(404), Failure::Status(403), Failure::TooLarge] {
        assert_eq!(at(1, failure, 0), None);
    }
}

#[test]
fn what_is_missing_is_asked_for_again_within_its_first_day() {
    let (mut now, mut waits) = (HOUR, Vec::new());
    while let Some(at) = missing(waits.len() as u32 + 1, now, HOUR) {
        waits.push((at - now) / MINUTE);
        now = at;
    }
    assert_eq!(waits, [10, 20, 40, 80, 160, 320, 640]);
    assert_eq!(missing(1, DAY, 0), None);
    assert_eq!(missing(u32::MAX, 0, 0), None);
    assert_eq!(missing(0, Millis::MAX, 0), None);
}

#[test]
fn leases() {
    assert_eq!(lease_until(0, 30_000, 10, 1_000), 80_000);
    assert_eq!(lease_until(Millis::MAX, 1, usize::MAX, 1), Millis::MAX);
    for (delay, expect) in [(0, 20), (1_000, 20), (10_000, 12), (120_000, 1), (900_000, 1)] {
        assert_eq!(drain(delay, 20), expect);
    }
}

#[test]
fn statuses_that_fail() {
    let s = Settings::default();
    let host = HostPace { host: A.into(), forbidden_run: 5, ..HostPace::default() };
    let burst = Pace { hosts: vec![host], ..Pace::default() };
    let asks = failure(403, Some(1_000), &Pace::default(), A, false, &s);
    assert_eq!(asks, Some(Failure::RateLimited));
    for (status, after, expect) in [
        (200, &burst, None),
        (304, &burst, None),
        (302, &burst, None),
        (404, &burst, Some(Failure::Status(404))),
        (403, &Pace::default(), Some(Failure::Status(403))),
        (403, &burst, Some(Failure::RateLimited)),
        (429, &Pace::default(), Some(Failure::RateLimited)),
        (500, &Pace::default(), Some(Failure::Status(500))),
        (503, &Pace::default(), Some(Failure::RateLimited)),
        (101, &Pace::default(), Some(Failure::Status(101))),
    ] {
        assert_eq!(failure(status, None, after, A, false, &s), expect, "{status}");
    }
}

proptest! {
    #[test]
    fn never_before_the_delay(
        status in proptest::option::of(100u16..600),
        elapsed in any::<i32>(),
        retry_after in proptest::option::of(any::<i64>()),
        asked in proptest::option::of(any::<f64>()),
        failures in 0f32..1e9,
    ) {
        let s = Settings::default();
        let answer = Answer { status, elapsed: elapsed.into(), retry_after, ..Answer::default() };
        let host = HostPace { host: A.into(), failures, ..HostPace::default() };
        let mut before = Pace { failures, hosts: vec![host], ..Pace::default() };
        crawl_delay(&mut before, A, asked, &s);
        let after = after_response(&before, A, &answer, 1_000, &s);
        prop_assert!(next_request(&after, A, false) >= 1_000 + s.delay.0);
        prop_assert!(next_request(&after, A, false) <= 1_000 + DAY);
    }

    /// A platform with many hosts, one of which answers as it likes: the others' next request is
    /// what it would be without it, but for the distance that they share.
    #[test]
    fn no_host_keeps_its_neighbours_waiting(
        answers in proptest::collection::vec(
            (
                proptest::bool::ANY,
                0usize..20,
                proptest::sample::select(vec![Some(429u16), Some(503), Some(403), None]),
                proptest::option::of(0..3 * DAY),
            ),
            1..200,
        ),
        asked in proptest::option::of(0f64..1e6),
    ) {
        let s = Settings { adaptive: 0.0, ..Settings::default() };
        let mut pace = Pace::default();
        for (n, (hostile, host, status, retry_after)) in answers.into_iter().enumerate() {
            let now = n as Millis * SECOND;
            let before = next_of_all(&pace);
            prop_assert!(before <= now, "at {now} all wait until {before}");
            let name = if hostile { "hostile.a.test".into() } else { format!("{host}.a.test") };
            let answer = match hostile {
                true => Answer { status, elapsed: 1, retry_after, ..Answer::default() },
                false => answered(200, 1),
            };
            if hostile {
                crawl_delay(&mut pace, &name, asked, &s);
            }
            prop_assert!(hostile || next_request(&pace, &name, false) <= now);
            pace = after_response(&pace, &name, &answer, now, &s);
            prop_assert!(pace.hosts.len() <= MOST_HOSTS);
        }
    }

    #[test]
    fn hosts_are_remembered_within_bounds(hosts in proptest::collection::vec(0u16..500, 1..600)) {
        let s = Settings::default();
        let mut pace = Pace::default();
        for (n, host) in hosts.into_iter().enumerate() {
            let answer = Answer { retry_after: Some(DAY), ..answered(503, 1) };
            pace = after_response(&pace, &format!("{host}.a.test"), &answer, n as Millis, &s);
            prop_assert!(pace.hosts.len() <= MOST_HOSTS);
            prop_assert!(next_of_all(&pace) <= n as Millis + s.pause_max.0);
        }
    }
}

#[test]
fn what_is_large_waits_as_several_answers_do() {
    let s = Settings::default();
    for (bytes, wait) in [(0, 1_000), (1 << 20, 2_000), (10 << 20, 20_000), (1 << 19, 1_000)] {
        let answer = Answer { bytes, ..answered(200, 10) };
        let pace = after_response(&Pace::default(), A, &answer, 5_000, &s);
        assert_eq!((pace.next_at - 5_000, pace.delay), (wait, 1_000), "{bytes}");
        // What the operator fixed for the pace key is the smallest distance there.
        let fixed = Pace { operator_delay: Some(50), ..Pace::default() };
        let pace = after_response(&fixed, A, &answer, 5_000, &s);
        assert_eq!(pace.next_at - 5_000, (wait / 20).max(50), "{bytes}");
    }
}

#[test]
fn nobody_silences_a_host_by_naming_its_pages() {
    let s = Settings::default();
    let named = |status| Answer { hearsay: true, ..answered(status, 10) };
    let mut pace = Pace::default();
    for now in 1..20 {
        pace = after_response(&pace, A, &named(403), now, &s);
    }
    assert_eq!(failure(403, None, &pace, A, true, &s), Some(Failure::RateLimited));
    assert_eq!(failure(403, None, &pace, A, false, &s), Some(Failure::Status(403)));
    for now in 20..40 {
        let unanswered = Answer { status: None, ..named(0) };
        pace = after_response(&pace, A, &unanswered, now, &s);
    }
    // The distance is kept, and no more.
    assert_eq!(next_request(&pace, A, false), 39 + s.delay.0);
    assert!(next_request(&pace, A, true) >= 39 + 10 * MINUTE);
    let mut booked = pace.clone();
    let first = book(&mut booked, A, true, &s);
    assert!(book(&mut booked, A, true, &s) > first);
    assert_eq!(book(&mut booked, A, false, &s), 39 + s.delay.0);
    // What is asked for outright is granted for all, without a pause that doubles.
    for now in 40..50 {
        pace = after_response(&pace, A, &named(503), now, &s);
    }
    assert_eq!(next_request(&pace, A, false), 49 + s.pause.0);
    let day = Answer { retry_after: Some(HOUR), ..named(429) };
    pace = after_response(&pace, A, &day, 50, &s);
    assert_eq!(next_request(&pace, A, false), 50 + HOUR);
    // A Crawl-delay counts from the last answer, whoever had named what was asked for.
    let mut pace = Pace::default();
    crawl_delay(&mut pace, A, Some(60.0), &s);
    pace = after_response(&pace, A, &named(200), 1_000, &s);
    assert_eq!(next_request(&pace, A, false), 61_000);
    assert!(pace.hosts.len() <= 2);
}

/// Searches of an outlet that others named took it eight seconds each: its own articles waited half a minute for one
/// another, and for as many as a large page counts for.
#[test]
fn slow_and_large_answers_to_hearsay_put_off_hearsay_alone() {
    let s = Settings::default();
    let named = |elapsed, bytes| Answer { hearsay: true, bytes, ..answered(200, elapsed) };
    let own = after_response(&Pace::default(), A, &answered(200, 100), 1_000, &s);
    let check = |answer: &Answer, wait: Millis| {
        let mut pace = after_response(&own, A, answer, 5_000, &s);
        assert_eq!((pace.response_ms, pace.delay), (100.0, 1_000), "{answer:?}");
        let next = |hearsay| next_request(&pace, A, hearsay) - 5_000;
        assert_eq!((next(false), next(true)), (1_000, wait), "{answer:?}");
        let slots = [0; 3].map(|_| book(&mut pace, A, true, &s) - 5_000);
        assert!(slots[0] == wait && slots[2] - slots[1] >= wait, "{slots:?}");
        assert_eq!(book(&mut pace, A, false, &s), 6_000, "{answer:?}");
    };
    check(&named(10, 0), 1_000);
    check(&named(2_000, 0), 8_000);
    check(&named(60_000, 0), 30_000);
    check(&named(10, 10 << 20), 20_000);
    // The last answer counts, and those of the outlet's own for themselves.
    let slow = after_response(&own, A, &named(2_000, 0), 5_000, &s);
    let fast = after_response(&slow, A, &named(1_000, 0), 20_000, &s);
    assert_eq!(next_request(&fast, A, true), 24_000);
    let both = after_response(&fast, A, &answered(200, 500), 30_000, &s);
    assert_eq!((both.response_ms, next_request(&both, A, true)), (200.0, 31_000));
    // What the operator fixed holds for all.
    let fixed = Pace { operator_delay: Some(50), ..own };
    let pace = after_response(&fixed, A, &named(60_000, 0), 5_000, &s);
    assert_eq!(next_request(&pace, A, true), 5_050);
    // Nothing of it is kept for long, nor where the answers are fast.
    let later = after_response(&slow, "b.test", &answered(200, 10), DAY, &s);
    assert_eq!(later.hosts.len(), 1);
    let quick = after_response(&later, A, &named(10, 0), 2 * DAY, &s);
    assert_eq!(quick.hosts.len(), 1);
}

/// The first answers 403 of a host that limits its rate were final, and the articles lost.
#[test]
fn what_is_forbidden_is_asked_for_once_more() {
    assert_eq!([false, true].map(|again| forbidden(again, DAY)), [Some(DAY + 30 * MINUTE), None]);
}
