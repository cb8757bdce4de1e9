//! How fast one pace key may be asked, when a failed entry is tried again, how long a lease lasts.
//! Pure arithmetic over instants that are passed in.
//!
//! Must not know: the clock, the network, where the state is kept.

use serde::{Deserialize, Serialize};

use crate::model::{DAY, Failure, HOUR, MINUTE, Millis, Pace, SECOND, Span};

/// Politeness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Smallest distance between two requests under one pace key.
    pub delay: Span,
    /// A longer Crawl-delay is cut to this.
    pub crawl_delay_max: Span,
    /// The delay is at least so many times the mean response time; 0 switches this off.
    pub adaptive: f32,
    /// The adaptive part grows no further than this.
    pub adaptive_max: Span,
    /// First pause after 429 or 503 without Retry-After; doubles with each further one.
    pub pause: Span,
    /// Longest such pause.
    pub pause_max: Span,
    /// Longest Retry-After obeyed.
    pub retry_after_max: Span,
    /// So many 403 in a row count as rate limiting.
    pub forbidden_burst: u32,
    /// Longest wait before an entry's first retry.
    pub retry_first: Span,
    /// Each further retry of an entry waits so much longer than the one before.
    pub retry_step: Span,
    /// Longest wait between two attempts at an entry.
    pub retry_max: Span,
    /// An entry is given up when so much time has passed since it was first seen.
    pub give_up: Span,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            delay: Span(SECOND),
            crawl_delay_max: Span(2 * MINUTE),
            adaptive: 4.0,
            adaptive_max: Span(30 * SECOND),
            pause: Span(30 * SECOND),
            pause_max: Span(2 * HOUR),
            retry_after_max: Span(DAY),
            forbidden_burst: 5,
            retry_first: Span(10 * SECOND),
            retry_step: Span(5 * MINUTE),
            retry_max: Span(2 * HOUR),
            give_up: Span(DAY),
        }
    }
}

/// Weight of the newest response time in the mean.
const ALPHA: f32 = 0.25;
/// Attempts that an entry has at least, however long it waited for its first.
const MIN_ATTEMPTS: u32 = 3;

/// Distance between the end of one request and the start of the next, milliseconds: the largest
/// of floor, Crawl-delay and adaptive part. What the operator fixed for this pace key wins.
/// `crawl_delay` is robots.txt's, in seconds.
pub fn delay(pace: &Pace, crawl_delay: Option<f64>, settings: &Settings) -> Millis {
    if let Some(fixed) = pace.operator_delay {
        return fixed.max(0);
    }
    let crawl = crawl_delay.map_or(0, |seconds| (seconds * 1_000.0).ceil() as Millis);
    let adaptive = (f64::from(pace.response_ms) * f64::from(settings.adaptive)).ceil() as Millis;
    settings
        .delay
        .0
        .max(crawl.clamp(0, settings.crawl_delay_max.0.max(0)))
        .max(adaptive.clamp(0, settings.adaptive_max.0.max(0)))
        .max(0)
}

/// The instant of the next request under a pace key.
pub fn next_request(pace: &Pace) -> Millis {
    pace.next_at.max(pace.blocked_until)
}

/// How one request ended, as far as politeness is concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answer {
    /// `None`: no answer (DNS, connection, timeout).
    pub status: Option<u16>,
    /// From sending to the last byte, milliseconds.
    pub elapsed: Millis,
    /// Retry-After, milliseconds from now.
    pub retry_after: Option<Millis>,
    /// robots.txt's Crawl-delay, seconds.
    pub crawl_delay: Option<f64>,
}

/// State after a request that ended at `now`.
///
/// - Only answers below 400 enter the mean response time: errors are often answered fast.
/// - 429 and 503, and a run of 403, block the pace key: for Retry-After, else a pause that doubles.
/// - From the third unanswered request in a row on, a pause that grows by a minute each.
pub fn after_response(pace: &Pace, answer: &Answer, now: Millis, settings: &Settings) -> Pace {
    let mut next = pace.clone();
    match answer.status {
        Some(200..=399) => {
            let elapsed = answer.elapsed.max(0) as f32;
            next.response_ms = if pace.response_ms > 0.0 {
                pace.response_ms + ALPHA * (elapsed - pace.response_ms)
            } else {
                elapsed
            };
            next.failures = 0.0;
            next.forbidden_run = 0;
        }
        Some(403) => next.forbidden_run = pace.forbidden_run.saturating_add(1),
        Some(_) => next.forbidden_run = 0,
        None => {}
    }
    next.delay = delay(&next, answer.crawl_delay, settings);
    let pause = if answer.status.is_some_and(|s| is_limit(&next, s, settings)) {
        next.failures = pace.failures + 1.0;
        let doublings = (pace.failures.clamp(0.0, 16.0)) as u32;
        let growing = settings.pause.0.saturating_mul(1 << doublings).min(settings.pause_max.0);
        answer.retry_after.map_or(growing, |asked| asked.min(settings.retry_after_max.0))
    } else if answer.status.is_none() {
        next.failures = pace.failures + 1.0;
        let beyond = (next.failures - 2.0).clamp(0.0, 1e6) as Millis;
        (beyond * MINUTE).min(settings.pause_max.0)
    } else {
        0
    };
    next.next_at = now.saturating_add(next.delay);
    if pause > 0 {
        next.blocked_until = pace.blocked_until.max(now.saturating_add(pause));
    }
    next
}

/// Is this answer rate limiting, given the state after it? Then the entry is tried again, also
/// where its status alone would be final.
pub fn is_limit(after: &Pace, status: u16, settings: &Settings) -> bool {
    matches!(status, 429 | 503)
        || (status == 403 && after.forbidden_run >= settings.forbidden_burst.max(1))
}

/// The failure that a status means, given the state after it; none for success and redirects.
pub fn failure(status: u16, after: &Pace, settings: &Settings) -> Option<Failure> {
    match status {
        200..=399 => None,
        limit if is_limit(after, limit, settings) => Some(Failure::RateLimited),
        other => Some(Failure::Status(other)),
    }
}

/// When to try an entry again that has failed `attempts` times (this one counted); `None`: the
/// failure is final. The first retry comes after 5–10 s, the next ones linearly later (± 20 %),
/// up to a cap; after a day, but not before the third attempt, the entry is given up.
///
/// The jitter is a hash of the arguments, so that equal calls agree.
pub fn retry(
    attempts: u32,
    failure: &Failure,
    now: Millis,
    first_seen: Millis,
    settings: &Settings,
) -> Option<Millis> {
    if is_final(failure) {
        return None;
    }
    let share = jitter(now, first_seen, attempts);
    let wait = match attempts {
        0 | 1 => settings.retry_first.0 as f64 * (0.5 + 0.5 * share),
        more => {
            let steps = settings.retry_step.0.saturating_mul(Millis::from(more - 1));
            steps.min(settings.retry_max.0) as f64 * (0.8 + 0.4 * share)
        }
    };
    let at = now.saturating_add(wait as Millis);
    let late = at > first_seen.saturating_add(settings.give_up.0);
    (attempts < MIN_ATTEMPTS || !late).then_some(at)
}

/// Would asking again be pointless?
pub fn is_final(failure: &Failure) -> bool {
    match failure {
        Failure::Status(status) => !matches!(status, 408 | 421 | 425 | 429 | 500..=599),
        Failure::TooLarge
        | Failure::CompressionRatio
        | Failure::Encoding(_)
        | Failure::Headers(_)
        | Failure::RedirectLoop
        | Failure::TooManyRedirects
        | Failure::BadRedirect(_)
        | Failure::BadUrl(_)
        | Failure::ExtractDeadline
        | Failure::ExtractLimit(_)
        | Failure::GaveUp(_) => true,
        Failure::Dns(_)
        | Failure::Connect(_)
        | Failure::Tls(_)
        | Failure::FirstByteTimeout
        | Failure::Deadline
        | Failure::TooSlow
        | Failure::Reset(_)
        | Failure::RateLimited
        | Failure::RobotsUnreachable => false,
    }
}

/// End of a lease taken at `now`: twice what `drain` requests need if each ran into its deadline
/// once and waited its delay.
pub fn lease_until(now: Millis, deadline: Millis, drain: usize, delay: Millis) -> Millis {
    let drain = Millis::try_from(drain).unwrap_or(Millis::MAX);
    let work = deadline.saturating_add(drain.saturating_mul(delay.max(0)));
    now.saturating_add(work.saturating_mul(2))
}

/// How many tasks to drain under one lease: as many as fit into two minutes of delays, at least
/// one, at most `most`. With a Crawl-delay of 120 s that is one.
pub fn drain(delay: Millis, most: usize) -> usize {
    let fit = (2 * MINUTE) / delay.max(1);
    usize::try_from(fit).unwrap_or(most).clamp(1, most.max(1))
}

/// In [0, 1): SplitMix64 over the arguments.
fn jitter(now: Millis, first_seen: Millis, attempts: u32) -> f64 {
    let mut z = (now as u64)
        .rotate_left(32)
        .wrapping_add(first_seen as u64)
        .wrapping_add(u64::from(attempts))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answered(status: u16, elapsed: Millis) -> Answer {
        Answer { status: Some(status), elapsed, ..Answer::default() }
    }

    #[test]
    fn delays() {
        let s = Settings::default();
        for (response_ms, crawl_delay, operator, expect) in [
            (0.0, None, None, 1_000),
            (100.0, None, None, 1_000),
            (500.0, None, None, 2_000),
            (60_000.0, None, None, 30_000),
            (0.0, Some(0.2), None, 1_000),
            (0.0, Some(2.5), None, 2_500),
            (2_000.0, Some(2.5), None, 8_000),
            (0.0, Some(600.0), None, 120_000),
            (0.0, Some(1e300), None, 120_000),
            (0.0, Some(f64::NAN), None, 1_000),
            (9_000.0, Some(10.0), Some(50), 50),
        ] {
            let pace = Pace { response_ms, operator_delay: operator, ..Pace::default() };
            assert_eq!(delay(&pace, crawl_delay, &s), expect, "{response_ms} {crawl_delay:?}");
        }
    }

    #[test]
    fn successes_set_the_mean_and_clear_the_trouble() {
        let s = Settings::default();
        let trouble = Pace { failures: 3.0, forbidden_run: 2, ..Pace::default() };
        let first = after_response(&trouble, &answered(200, 800), 5_000, &s);
        assert_eq!((first.response_ms, first.failures, first.forbidden_run), (800.0, 0.0, 0));
        assert_eq!((first.delay, first.next_at, first.blocked_until), (3_200, 8_200, 0));
        let second = after_response(&first, &answered(304, 400), 10_000, &s);
        assert_eq!(second.response_ms, 700.0);
        // A fast error must not speed us up.
        let error = after_response(&second, &answered(500, 1), 20_000, &s);
        assert_eq!((error.response_ms, error.delay), (700.0, 2_800));
    }

    #[test]
    fn limits_pause() {
        let s = Settings::default();
        let mut pace = Pace::default();
        let mut pauses = Vec::new();
        for _ in 0..10 {
            pace = after_response(&pace, &answered(429, 10), 0, &s);
            pauses.push(pace.blocked_until / SECOND);
        }
        assert_eq!(pauses, [30, 60, 120, 240, 480, 960, 1920, 3840, 7200, 7200]);
        for (asked, expect) in [(7 * SECOND, 7 * SECOND), (9 * DAY, DAY), (0, 0)] {
            let answer = Answer { retry_after: Some(asked), ..answered(503, 10) };
            assert_eq!(after_response(&Pace::default(), &answer, 0, &s).blocked_until, expect);
        }
        // A block is never shortened.
        let blocked = Pace { blocked_until: HOUR, ..Pace::default() };
        assert_eq!(after_response(&blocked, &answered(429, 1), 0, &s).blocked_until, HOUR);
    }

    #[test]
    fn a_burst_of_403_is_a_limit() {
        let s = Settings::default();
        let mut pace = Pace::default();
        let mut limits = Vec::new();
        for status in [403, 403, 404, 403, 403, 403, 403, 403] {
            pace = after_response(&pace, &answered(status, 10), 0, &s);
            limits.push(is_limit(&pace, status, &s));
        }
        assert_eq!(limits, [false, false, false, false, false, false, false, true]);
        assert!(pace.blocked_until > 0);
    }

    #[test]
    fn a_silent_site_is_left_alone_longer_and_longer() {
        let s = Settings::default();
        let mut pace = Pace::default();
        let mut pauses = Vec::new();
        for _ in 0..5 {
            pace = after_response(&pace, &Answer::default(), 0, &s);
            pauses.push(pace.blocked_until / MINUTE);
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
        let burst = Pace { forbidden_run: 5, ..Pace::default() };
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
            assert_eq!(failure(status, after, &s), expect, "{status}");
        }
    }

    proptest! {
        #[test]
        fn never_before_the_delay(
            status in proptest::option::of(100u16..600),
            elapsed in any::<i32>(),
            retry_after in proptest::option::of(any::<i64>()),
            crawl_delay in proptest::option::of(any::<f64>()),
            failures in 0f32..1e9,
        ) {
            let s = Settings::default();
            let answer = Answer { status, elapsed: elapsed.into(), retry_after, crawl_delay };
            let before = Pace { failures, ..Pace::default() };
            let after = after_response(&before, &answer, 1_000, &s);
            prop_assert!(next_request(&after) >= 1_000 + s.delay.0);
            prop_assert!(next_request(&after) <= 1_000 + DAY);
        }
    }
}
