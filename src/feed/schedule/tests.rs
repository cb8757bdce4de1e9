//! The schedule by single polls, and simulated over four weeks.

use super::*;
use rand::{Rng, SeedableRng};

fn keys(range: std::ops::Range<u128>) -> Vec<UrlKey> {
    range.rev().map(UrlKey).collect()
}

fn poll(at: Millis, result: PollResult) -> Poll {
    Poll {
        at,
        conditional: false,
        etag: None,
        last_modified: None,
        floor: None,
        skips: None,
        retry_after: None,
        moved_to: None,
        result,
    }
}

fn body(at: Millis, range: std::ops::Range<u128>) -> Poll {
    poll(at, PollResult::Body { hash: range.end as u64, keys: keys(range) })
}

fn fail(at: Millis, class: FailureClass) -> Poll {
    poll(at, PollResult::Failed { class, message: "broken".to_owned() })
}

fn started() -> PollState {
    after(&PollState::default(), &body(0, 0..20), &Settings::default())
}

#[test]
fn starts_shortens_and_lengthens() {
    let s = Settings::default();
    let first = started();
    assert_eq!((first.interval, first.next), (30 * MINUTE, 30 * MINUTE));
    assert_eq!((first.polls, first.successes, first.recent.len()), (1, 1, 20));
    let busy = after(&first, &body(30 * MINUTE, 10..30), &s);
    assert!(busy.interval < first.interval, "{}", busy.why);
    let idle = after(&first, &poll(30 * MINUTE, PollResult::Unchanged), &s);
    assert!(idle.interval > first.interval && idle.interval < 45 * MINUTE, "{}", idle.why);
    assert_eq!(idle.recent, first.recent);
}

#[test]
fn clamped() {
    let s = Settings::default();
    let (mut busy, mut idle) = (started(), started());
    for n in 1..400u128 {
        busy = after(&busy, &body(busy.next, n * 15..n * 15 + 20), &s);
        idle = after(&idle, &poll(idle.next, PollResult::Unchanged), &s);
    }
    assert_eq!(busy.interval, 5 * MINUTE);
    assert_eq!(idle.interval, DAY);
}

#[test]
fn lost_entries_halve_the_interval() {
    let s = Settings::default();
    let gap = after(&started(), &body(30 * MINUTE, 100..120), &s);
    assert_eq!(gap.gaps, 1);
    assert!(gap.interval <= 15 * MINUTE);
    assert!(gap.why.contains("lost"), "{}", gap.why);
    // An empty feed is no gap, nor is the poll after it.
    let empty = after(&started(), &body(30 * MINUTE, 0..0), &s);
    assert_eq!((empty.gaps, empty.recent.len()), (0, 20));
}

#[test]
fn floors() {
    let s = Settings::default();
    let check = |floor, retry_after, expect| {
        let poll = Poll { floor, retry_after, ..body(HOUR, 0..20) };
        assert_eq!(after(&started(), &poll, &s).next - HOUR, expect);
    };
    check(Some(3 * HOUR), None, 3 * HOUR);
    check(Some(400 * DAY), None, DAY);
    check(None, Some(2 * HOUR), 2 * HOUR);
    check(None, Some(90 * DAY), DAY);
    check(Some(-5), Some(-5), started_interval_after_idle());
}

/// Hours and days without polls, as far as a day; a feed that is never to be polled is.
#[test]
fn skipped_hours_and_days() {
    let s = Settings::default();
    let check = |hours: &[u32], days: &[u8], at: Millis, floor, expect: Millis| {
        let skips = Skips {
            hours: hours.iter().map(|h| 1 << h).sum(),
            days: days.iter().map(|d| 1 << d).sum(),
        };
        let said = Poll { floor: Some(floor), skips: Some(skips), ..body(at, 0..20) };
        let state = after(&PollState { last_success: None, ..started() }, &said, &s);
        assert_eq!(state.next, expect, "{hours:?} {days:?} at {at}: {}", state.why);
        let plain = after(&PollState { last_success: None, ..started() }, &body(at, 0..20), &s);
        assert!(state.next >= plain.next, "earlier than without: {}", state.why);
        assert_eq!(state.why.contains("skip"), expect > at + floor.max(30 * MINUTE));
        // It is remembered where the next answer is "unchanged", and for a failure.
        let then = state.next;
        for next in [poll(then, PollResult::Unchanged), fail(then, FailureClass::Soft)] {
            let again = after(&state, &next, &s);
            assert_eq!(again.skips, skips);
            let hour = again.next.div_euclid(HOUR).rem_euclid(24) as u32;
            let believed = hours.len() < 24 && days.len() < 7;
            let far = again.next >= then + DAY;
            assert!(!believed || far || !hours.contains(&hour), "{}", again.why);
        }
    };
    // 1 January 1970 was a Thursday (3).
    check(&[], &[], HOUR, 0, HOUR + 30 * MINUTE);
    check(&[2, 3], &[], HOUR + 45 * MINUTE, 0, 4 * HOUR);
    check(&[2, 3], &[], HOUR, 0, HOUR + 30 * MINUTE);
    check(&[23, 0, 1], &[], 22 * HOUR + 50 * MINUTE, 0, DAY + 2 * HOUR);
    check(&[2], &[], HOUR, HOUR, 3 * HOUR);
    check(&[], &[4], 23 * HOUR + 45 * MINUTE, 0, DAY + 23 * HOUR + 45 * MINUTE);
    check(&[], &[4], DAY, 0, 2 * DAY);
    check(&[0, 1], &[4], DAY + 5 * HOUR, 0, 2 * DAY + 2 * HOUR);
    check(&[], &[4, 5], DAY + HOUR, 0, 2 * DAY + HOUR);
    check(&[], &[4], DAY, DAY, 2 * DAY);
    check(&(0..24).collect::<Vec<_>>(), &[], HOUR, 0, HOUR + 30 * MINUTE);
    check(&[], &[0, 1, 2, 3, 4, 5, 6], HOUR, 0, HOUR + 30 * MINUTE);
    check(&(1..24).collect::<Vec<_>>(), &[], HOUR, 0, DAY);
    // A hub's pushes let a poll wait, not come in a skipped hour.
    let mut state = started();
    state.skips.hours = 1 << 6;
    stretch(&mut state, 0, 6 * HOUR, PUSHED);
    assert_eq!(state.next, 7 * HOUR, "{}", state.why);
}

fn started_interval_after_idle() -> Millis {
    after(&started(), &body(HOUR, 0..20), &Settings::default()).interval
}

#[test]
fn failures_back_off_linearly_and_never_end() {
    let s = Settings::default();
    let mut state = started();
    for (class, weight, wait) in [
        (FailureClass::Hard, 1.0, 30 * MINUTE),
        (FailureClass::Soft, 1.5, 45 * MINUTE),
        (FailureClass::Dns, 1.75, 52 * MINUTE + 30 * SECOND),
    ] {
        state = after(&state, &fail(state.next, class), &s);
        let at = state.last.expect("polled");
        assert_eq!((state.failures, state.next - at), (weight, wait));
    }
    for _ in 0..27 {
        state = after(&state, &fail(state.next, FailureClass::Hard), &s);
    }
    let waited = |state: &PollState| state.next - state.last.expect("polled");
    assert!(waited(&state) <= DAY);
    for _ in 0..60 {
        state = after(&state, &fail(state.next, FailureClass::Hard), &s);
    }
    assert_eq!(waited(&state), 30 * DAY);
    assert_eq!(state.interval, 30 * MINUTE, "the learned interval survives");
    let back = after(&state, &body(state.next, 0..20), &s);
    assert_eq!((back.failures, back.last_error), (0.0, None));
    assert!(back.next - back.last.expect("polled") <= DAY);
    let gone = after(&started(), &fail(HOUR, FailureClass::Gone), &s);
    assert_eq!(gone.next - HOUR, 30 * DAY);
    let told = Poll { retry_after: Some(5 * HOUR), ..fail(HOUR, FailureClass::Soft) };
    assert_eq!(after(&started(), &told, &s).next, 6 * HOUR);
}

#[test]
fn conditional_requests() {
    let s = Settings::default();
    let mut state =
        after(&PollState::default(), &Poll { etag: Some("a".into()), ..body(0, 0..20) }, &s);
    let mut unconditional = Vec::new();
    for n in 1..120 {
        let at = n * HOUR;
        let sent = validators(&state, at, false, &s);
        assert!(validators(&state, at, true, &s).is_some());
        if sent.is_none() {
            unconditional.push(n);
            let full = Poll { etag: Some("a".into()), ..body(at, 0..20) };
            state = after(&state, &full, &s);
        } else {
            let same = Poll { conditional: true, ..poll(at, PollResult::Unchanged) };
            state = after(&state, &same, &s);
        }
    }
    assert_eq!(unconditional, [50, 100]);
    assert!(!state.lying_validators);
}

/// A feed that is polled once a day is seen whole every third day, unless it changes by itself.
#[test]
fn rare_polls_are_not_blind_for_long() {
    let s = Settings::default();
    let check = |changes: &[Millis], once, expect: &[Millis]| {
        let first = Poll { etag: Some("0".into()), ..body(0, 0..20) };
        let mut state = after(&PollState::default(), &first, &s);
        let mut unconditional = Vec::new();
        for n in 1..12 {
            let at = n * DAY;
            let conditional = validators(&state, at, once, &s).is_some();
            if !conditional {
                unconditional.push(n);
            }
            let answer = if changes.contains(&n) || !conditional {
                Poll { etag: Some(n.to_string()), ..body(at, 0..20 + n as u128) }
            } else {
                poll(at, PollResult::Unchanged)
            };
            state = after(&state, &Poll { conditional, ..answer }, &s);
        }
        assert_eq!(unconditional, expect, "{changes:?}");
    };
    check(&[], false, &[3, 6, 9]);
    check(&[2, 4, 6], false, &[9]);
    check(&[], true, &[3, 6, 9]);
}

#[test]
fn lying_validators() {
    let s = Settings::default();
    let check = |etag: [Option<&str>; 2], modified: [Option<&str>; 2], changed, expect| {
        let poll = |at, end, n: usize| Poll {
            etag: etag[n].map(Into::into),
            last_modified: modified[n].map(Into::into),
            ..body(at, 0..end)
        };
        let first = after(&PollState::default(), &poll(0, 20, 0), &s);
        let end = if changed { 21 } else { 20 };
        let second = after(&first, &poll(HOUR, end, 1), &s);
        assert_eq!(second.lying_validators, expect);
        assert_eq!(validators(&second, HOUR, false, &s).is_none(), expect);
    };
    check([Some("a"), Some("a")], [None, None], true, true);
    check([Some("a"), Some("a")], [None, None], false, false);
    check([Some("a"), Some("b")], [Some("m"), Some("m")], true, false);
    check([None, None], [Some("m"), Some("m")], true, true);
}

/// One changed byte behind the same validator (a count of comments, say) ended conditional requests for ever.
#[test]
fn validators_lie_about_entries_not_about_bytes() {
    let s = Settings::default();
    let show = |at, etag: &str, hash, end| Poll {
        etag: Some(etag.into()),
        ..poll(at, PollResult::Body { hash, keys: keys(0..end) })
    };
    let mut state = after(&PollState::default(), &show(0, "a", 1, 20), &s);
    for n in 2..9 {
        state = after(&state, &show(n * HOUR, "a", n as u64, 20), &s);
        assert!(!state.lying_validators && validators(&state, n * HOUR, false, &s).is_some());
    }
    // Without entries nothing but the bytes can tell.
    let index = after(&PollState::default(), &show(0, "a", 1, 0), &s);
    assert!(after(&index, &show(HOUR, "a", 2, 0), &s).lying_validators);
    assert!(!after(&index, &show(HOUR, "a", 1, 0), &s).lying_validators);

    // Believed again when it has told some news, one after the other, and not for what tells nothing.
    let lied = after(&state, &show(9 * HOUR, "a", 9, 21), &s);
    assert!(lied.lying_validators);
    let again = |state: &PollState, told: u128| {
        let (at, end) = (state.next, 21 + told);
        let quiet = after(state, &show(at, "quiet", 50, end - 1), &s);
        let quiet = after(&quiet, &fail(at, FailureClass::Soft), &s);
        after(&quiet, &show(at, &told.to_string(), told as u64, end), &s)
    };
    state = lied;
    for told in 1..u128::from(AGREED) {
        state = again(&state, told);
        assert!(state.lying_validators, "after {told}");
        assert!(validators(&state, state.next, false, &s).is_none());
    }
    let lied_again = after(&state, &show(state.next, &(AGREED - 1).to_string(), 7, 40), &s);
    assert_eq!((lied_again.lying_validators, lied_again.conditional_run), (true, 0));
    state = again(&state, u128::from(AGREED));
    assert!(!state.lying_validators);
    assert!(validators(&state, state.next, false, &s).is_some());
}

#[test]
fn moves_after_confirmation() {
    let s = Settings::default();
    let to =
        |at, target: Option<&str>| Poll { moved_to: target.map(Into::into), ..body(at, 0..20) };
    let once = after(&started(), &to(HOUR, Some("https://b.example/f")), &s);
    assert_eq!((once.moving_to.is_some(), once.moved_to.is_some()), (true, false));
    let twice = after(&once, &to(2 * HOUR, Some("https://b.example/f")), &s);
    assert_eq!(twice.moved_to.as_deref(), Some("https://b.example/f"));
    let back = after(&once, &to(2 * HOUR, None), &s);
    assert_eq!((back.moving_to, back.moved_to), (None, None));
}

/// When a feed has news.
#[derive(Clone, Copy, PartialEq)]
enum Habit {
    /// Every day of the week.
    Daily,
    /// On weekdays, hardly anything at weekends.
    Weekdays,
    /// On one day of the week alone.
    Weekly,
}

/// Entries of one feed over 28 days: a daily wave over a Poisson process, in bursts.
fn arrivals(per_day: f64, burst: usize, habit: Habit, rng: &mut rand_pcg::Pcg64) -> Vec<Millis> {
    let mut at = Vec::new();
    for minute in 0..28 * 24 * 60i64 {
        let hour = (minute / 60 % 24) as f64;
        let day = minute / 60 / 24 % 7;
        let factor = match habit {
            Habit::Daily => 1.0,
            Habit::Weekdays if day < 5 => 1.35,
            Habit::Weekdays => 0.125,
            Habit::Weekly => 7.0 * f64::from(u8::from(day == 3)),
        };
        let wave = factor * (1.0 + 0.9 * ((hour - 8.0) / 24.0 * std::f64::consts::TAU).sin());
        if rng.random::<f64>() < per_day / 1_440.0 / burst as f64 * wave {
            at.extend(std::iter::repeat_n(minute * MINUTE, burst));
        }
    }
    at
}

/// Polls, delays and lost entries of one feed that shows its newest `window` entries.
fn simulate(
    arrivals: &[Millis],
    window: usize,
    next: impl Fn(&PollState) -> Millis,
    delays: &mut Vec<Millis>,
) -> (usize, usize) {
    let s = Settings::default();
    let (mut state, mut polls, mut lost, mut seen) = (PollState::default(), 0, 0, 0);
    let mut at = 0;
    while at < 28 * DAY {
        let here = arrivals.partition_point(|a| *a <= at);
        let from = here.saturating_sub(window);
        lost += from.saturating_sub(seen);
        delays.extend(arrivals[seen.max(from)..here].iter().map(|a| at - a));
        seen = here;
        state = after(&state, &body(at, from as u128..here as u128), &s);
        polls += 1;
        at = next(&state);
    }
    (polls, lost)
}

/// `scripts/prove-polling` keeps what this prints.
#[test]
fn beats_a_fixed_hour() {
    use Habit::*;
    // Its name, entries a day, burst size, habit, window, feeds of the kind.
    let kinds = [
        ("200 a day", 200.0, 1, Daily, 40, 4),
        ("60 a day", 60.0, 1, Daily, 30, 3),
        ("60 a day, few at weekends", 60.0, 1, Weekdays, 30, 3),
        ("24 a day in bursts of 6", 24.0, 6, Daily, 30, 4),
        ("5 a day", 5.0, 1, Daily, 20, 5),
        ("5 a day, few at weekends", 5.0, 1, Weekdays, 20, 5),
        ("14 on one day of the week, in bursts of 3", 2.0, 3, Weekly, 20, 4),
        ("one in five days", 0.2, 1, Daily, 20, 6),
        ("dead", 0.0, 1, Daily, 20, 6),
    ];
    let median = |delays: &mut Vec<Millis>| {
        delays.sort_unstable();
        delays.get(delays.len() / 2).copied()
    };
    let minutes = |delay: Option<Millis>| match delay {
        Some(delay) => format!("{:.1}", delay as f64 / MINUTE as f64),
        None => "–".to_owned(),
    };
    println!("|kind of feed|feeds|polls|hourly|median delay, min|hourly|lost|hourly|");
    println!("|--|--:|--:|--:|--:|--:|--:|--:|");
    let mut rng = rand_pcg::Pcg64::seed_from_u64(7);
    let (mut all, mut all_fixed) = (Vec::new(), Vec::new());
    let (mut polls, mut fixed_polls, mut lost) = (0, 0, 0);
    for (name, per_day, burst, habit, window, feeds) in kinds {
        let (mut learned, mut fixed) = (Vec::new(), Vec::new());
        let mut sums = [0; 4];
        for _ in 0..feeds {
            let arrivals = arrivals(per_day, burst, habit, &mut rng);
            let (p, l) = simulate(&arrivals, window, |s| s.next, &mut learned);
            let hourly = |s: &PollState| s.last.expect("polled") + HOUR;
            let (f, m) = simulate(&arrivals, window, hourly, &mut fixed);
            sums = [sums[0] + p, sums[1] + f, sums[2] + l, sums[3] + m];
        }
        let [p, f, l, m] = sums;
        let (ours, hourly) = (minutes(median(&mut learned)), minutes(median(&mut fixed)));
        println!("|{name}|{feeds}|{p}|{f}|{ours}|{hourly}|{l}|{m}|");
        polls += p;
        fixed_polls += f;
        lost += l;
        all.append(&mut learned);
        all_fixed.append(&mut fixed);
    }
    let (ours, hourly) = (median(&mut all), median(&mut all_fixed));
    let (ours, hourly) = (ours.expect("entries"), hourly.expect("entries"));
    let (a, b) = (minutes(Some(ours)), minutes(Some(hourly)));
    println!("|all|40|{polls}|{fixed_polls}|{a}|{b}|{lost}||");
    assert!(polls <= fixed_polls, "{polls} polls, hourly {fixed_polls}");
    assert!(2 * ours <= hourly, "median {ours}, hourly {hourly}");
    assert_eq!(lost, 0);
}

#[test]
fn pushes_arrive_like_entries_and_move_no_poll() {
    let settings = Settings::default();
    let body = |keys: &[u128]| PollResult::Body {
        hash: keys.iter().sum::<u128>() as u64,
        keys: keys.iter().map(|k| UrlKey(*k)).collect(),
    };
    let first = after(&PollState::default(), &poll(0, body(&[1, 2, 3])), &settings);
    let second = after(&first, &poll(HOUR, body(&[4, 1, 2])), &settings);
    let state = pushed(&second, &[UrlKey(5)], 2 * HOUR, &settings);
    assert_eq!(state.recent, [5, 4, 1, 2].map(UrlKey));
    assert_eq!((state.gaps, state.polls), (0, 2));
    // However often it pushes, the feed is polled when it was to be.
    assert_eq!((state.next, &state.why), (second.next, &second.why));
    // The poll that follows finds nothing new, and loses nothing.
    let third = after(&state, &poll(8 * HOUR, body(&[5, 4, 1])), &settings);
    assert_eq!(third.gaps, 0);
    assert!(third.next < 14 * HOUR, "a poll alone keeps to what is learned");
}
