//! When to poll a feed next: pure functions from the state of a feed and what a poll brought to
//! its new state.
//!
//! What is learned is the arrival rate λ (new entries per hour); the interval tends to
//! `tempo`·λ^(-1/2): for a given number of polls over many feeds the summed delay Σ λᵢ·Iᵢ/2 is
//! least where Iᵢ ∝ λᵢ^(-1/2) (Lagrange). λ is an exponentially weighted mean that rises within
//! hours when entries surge and forgets within a day else.
//!
//! Must not know: the clock, HTTP, the store. Times are given; header values arrive as numbers.

use serde::{Deserialize, Serialize};

use crate::model::{DAY, HOUR, MINUTE, Millis, PollState, SECOND, Skips, Span, UrlKey};

/// Settings of the polling schedule.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Interval of a feed not yet known.
    pub start: Span,
    /// Shortest and longest interval.
    pub min: Span,
    pub max: Span,
    /// Interval at one new entry per hour.
    pub tempo: Span,
    /// Time constants of the arrival rate: when clearly more entries come than expected, and else.
    pub rise: Span,
    pub fall: Span,
    /// An interval grows at most by this factor per poll.
    pub lengthen: f64,
    /// Weighted consecutive failures after which polls are days apart.
    pub failing_after: f32,
    /// Longest interval of a failing feed.
    pub failing_max: Span,
    /// Every so many polls one is unconditional …
    pub unconditional_every: u32,
    /// … if the last one is at least this long ago;
    pub unconditional_gap: Span,
    /// or one is when nothing but "unchanged" has come for so long.
    pub unconditional_after: Span,
    /// Entry keys remembered per feed for the overlap test.
    pub recent: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            start: Span(30 * MINUTE),
            min: Span(5 * MINUTE),
            max: Span(DAY),
            tempo: Span(HOUR),
            rise: Span(2 * HOUR),
            fall: Span(12 * HOUR),
            lengthen: 1.5,
            failing_after: 30.0,
            failing_max: Span(30 * DAY),
            unconditional_every: 50,
            unconditional_gap: Span(DAY),
            unconditional_after: Span(3 * DAY),
            recent: 500,
        }
    }
}

/// So many polls that show new entries behind a new validator make lying ones believed again.
const AGREED: u32 = 5;

/// Why a poll can wait when a hub pushes.
pub const PUSHED: &str = "its hub pushes";

/// What one poll brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poll {
    pub at: Millis,
    /// Validators were sent.
    pub conditional: bool,
    /// Validators of the answer.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// Longest of `Parsed::floor` and Cache-Control max-age; `None`: not told (304 without it).
    pub floor: Option<Millis>,
    /// `Parsed::skips`; `None`: not told.
    pub skips: Option<Skips>,
    /// Retry-After, from `at`.
    pub retry_after: Option<Millis>,
    /// Where a permanent redirect (301, 308) led.
    pub moved_to: Option<String>,
    pub result: PollResult,
}

/// How a poll ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PollResult {
    /// 304.
    #[default]
    Unchanged,
    /// Redirected to where no feed was read yet: it says nothing of arrivals.
    Elsewhere,
    /// A feed: hash of its body and keys of its entries in document order.
    Body {
        hash: u64,
        keys: Vec<UrlKey>,
    },
    Failed {
        class: FailureClass,
        message: String,
    },
}

/// How heavily a failure weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureClass {
    /// Weight 1: refused, forbidden, not a feed.
    Hard,
    /// Weight ½: 404, 429, 5xx, timeouts, TLS, broken documents.
    Soft,
    /// Weight ¼: names that do not resolve for now, or to addresses that the guard denies.
    Dns,
    /// 410: straight to the longest interval.
    Gone,
}

/// What a conditional request may send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

/// The validators for the next request, `None` for an unconditional one: nothing known yet,
/// a lying server, or the check that it does not lie: after some time without a body, and (not under `once`)
/// regularly.
pub fn validators(
    state: &PollState,
    now: Millis,
    once: bool,
    settings: &Settings,
) -> Option<Validators> {
    if state.lying_validators || (state.etag.is_none() && state.last_modified.is_none()) {
        return None;
    }
    let long_ago =
        state.last_unconditional.is_none_or(|at| now - at >= settings.unconditional_gap.0);
    let often = state.conditional_run.saturating_add(1) >= settings.unconditional_every;
    let seen = state.last_body.max(state.last_unconditional);
    let blind = seen.is_none_or(|at| now - at >= settings.unconditional_after.0);
    if (blind || often && !once) && long_ago {
        return None;
    }
    Some(Validators { etag: state.etag.clone(), last_modified: state.last_modified.clone() })
}

/// The state after a poll.
pub fn after(state: &PollState, poll: &Poll, settings: &Settings) -> PollState {
    let mut new = state.clone();
    new.polls = state.polls.saturating_add(1);
    new.last = Some(poll.at);
    if new.interval <= 0 {
        new.interval = settings.start.0;
    }
    if new.rate <= 0.0 {
        // The rate that the starting interval stands for.
        let ratio = settings.tempo.0 as f32 / settings.start.0.max(SECOND) as f32;
        new.rate = ratio * ratio;
    }
    if poll.conditional {
        new.conditional_run = state.conditional_run.saturating_add(1);
    } else {
        if !state.lying_validators {
            new.conditional_run = 0;
        }
        new.last_unconditional = Some(poll.at);
    }
    match &poll.result {
        PollResult::Failed { class, message } => {
            failed(&mut new, poll, *class, message, settings);
            return new;
        }
        PollResult::Elsewhere => {}
        PollResult::Unchanged => {
            learn(&mut new, state, poll.at, &[], settings);
            keep_validators(&mut new, poll);
        }
        PollResult::Body { hash, keys } => {
            judge_validators(&mut new, state, poll, *hash, keys, settings);
            new.body_hash = Some(*hash);
            new.last_body = Some(poll.at);
            new.etag = poll.etag.clone();
            new.last_modified = poll.last_modified.clone();
            learn(&mut new, state, poll.at, keys, settings);
            if !keys.is_empty() {
                new.recent = keys.iter().take(settings.recent).copied().collect();
            }
        }
    }
    succeeded(&mut new, poll, settings);
    new
}

/// The state after a hub has pushed entries: they arrived like any others. The next poll is due when it was: whoever
/// pushes would else keep the feed from being polled.
pub fn pushed(state: &PollState, keys: &[UrlKey], at: Millis, settings: &Settings) -> PollState {
    let mut new = state.clone();
    // A push holds what is new; a poll would have shown that above what it showed before.
    let before = state.recent.iter().filter(|key| !keys.contains(key));
    let window: Vec<UrlKey> = keys.iter().chain(before).take(settings.recent).copied().collect();
    learn(&mut new, state, at, &window, settings);
    new.recent = window;
    new.last_success = Some(at);
    new.why.clone_from(&state.why);
    new
}

/// Lets the next poll wait so long, if that is longer: its entries come otherwise, `how` tells.
pub fn stretch(state: &mut PollState, at: Millis, wait: Millis, how: &str) {
    if wait > state.interval {
        state.why = format!("{}; {how}, so every {}", state.why, words(wait));
    }
    state.next = state.next.max(at.saturating_add(wait.max(state.interval)));
    leave_skipped(state, at);
}

/// Validators lie that stay the same while entries come: then news would be taken for "unchanged". What else changes
/// in the document (a count of comments, the time of its making) may well be none of theirs (RFC 9110 §8.8.1); only
/// where it has no entries to compare, any change counts. They are believed again once they have changed with the
/// entries for some polls.
fn judge_validators(
    new: &mut PollState,
    state: &PollState,
    poll: &Poll,
    hash: u64,
    keys: &[UrlKey],
    settings: &Settings,
) {
    let same = match (&state.etag, &poll.etag) {
        (Some(old), Some(now)) => old == now,
        (None, None) => state.last_modified.is_some() && state.last_modified == poll.last_modified,
        _ => false,
    };
    let news = if keys.is_empty() && state.recent.is_empty() {
        state.body_hash.is_some_and(|old| old != hash)
    } else {
        fresh(state, keys, settings) > 0
    };
    match (same, news) {
        (true, true) => (new.lying_validators, new.conditional_run) = (true, 0),
        (false, true) if state.lying_validators => {
            let agreed = state.conditional_run.saturating_add(1);
            new.lying_validators = agreed < AGREED;
            new.conditional_run = if new.lying_validators { agreed } else { 0 };
        }
        _ => {}
    }
}

/// How many entries a poll shows that the last one did not.
fn fresh(state: &PollState, keys: &[UrlKey], settings: &Settings) -> usize {
    let known: std::collections::HashSet<&UrlKey> = state.recent.iter().collect();
    keys.iter().take(settings.recent).filter(|key| !known.contains(key)).count()
}

/// A 304 may renew validators; one without any confirms the old ones.
fn keep_validators(new: &mut PollState, poll: &Poll) {
    if poll.etag.is_some() {
        new.etag = poll.etag.clone();
    }
    if poll.last_modified.is_some() {
        new.last_modified = poll.last_modified.clone();
    }
}

fn succeeded(new: &mut PollState, poll: &Poll, settings: &Settings) {
    new.successes = new.successes.saturating_add(1);
    new.failures = 0.0;
    new.last_error = None;
    new.last_success = Some(poll.at);
    if let Some(floor) = poll.floor {
        new.floor = floor.clamp(0, DAY);
    }
    if let Some(skips) = poll.skips {
        new.skips = skips;
    }
    match (&poll.moved_to, &new.moving_to) {
        (Some(now), Some(before)) if now == before => {
            new.moved_to = new.moving_to.take();
        }
        (target, _) => new.moving_to = target.clone(),
    }
    let asked = poll.retry_after.unwrap_or(0).clamp(0, DAY);
    let wait = new.interval.max(new.floor).max(asked);
    if wait > new.interval {
        let who = if asked > new.floor { "Retry-After" } else { "the publisher's floor" };
        new.why = format!("{}; {who} makes it {}", new.why, words(wait));
    }
    new.next = poll.at.saturating_add(wait.min(settings.max.0.max(DAY)));
    leave_skipped(new, poll.at);
}

/// Moves the next poll out of the hours and days in which the publisher asks not to be polled, at
/// most to a day after `at`, as with every wish of a publisher; never to an earlier time.
fn leave_skipped(state: &mut PollState, at: Millis) {
    const ALL_HOURS: u32 = (1 << 24) - 1;
    const ALL_DAYS: u8 = (1 << 7) - 1;
    // Who asks never to be polled has made a mistake, or would not publish a feed.
    let hours = Some(state.skips.hours & ALL_HOURS).filter(|h| *h != ALL_HOURS).unwrap_or(0);
    let days = Some(state.skips.days & ALL_DAYS).filter(|d| *d != ALL_DAYS).unwrap_or(0);
    let skipped = |at: Millis| {
        // 1 January 1970 was a Thursday.
        let day = (at.div_euclid(DAY) + 3).rem_euclid(7);
        let hour = at.div_euclid(HOUR).rem_euclid(24);
        days >> day & 1 == 1 || hours >> hour & 1 == 1
    };
    let latest = at.saturating_add(DAY);
    let mut next = state.next;
    while next < latest && skipped(next) {
        next = (next.div_euclid(HOUR) + 1) * HOUR;
    }
    let next = next.min(latest).max(state.next);
    if next > state.next {
        let what = match (hours, days) {
            (_, 0) => "skipHours",
            (0, _) => "skipDays",
            _ => "skipHours and skipDays",
        };
        let wait = words(next - at);
        state.why = format!("{}; the publisher's {what} makes it {wait}", state.why);
        state.next = next;
    }
}

/// Linear back-off: interval × weighted failures up to a day, then a day for each further one.
fn failed(
    new: &mut PollState,
    poll: &Poll,
    class: FailureClass,
    message: &str,
    settings: &Settings,
) {
    new.failures += match class {
        FailureClass::Hard | FailureClass::Gone => 1.0,
        FailureClass::Soft => 0.5,
        FailureClass::Dns => 0.25,
    };
    new.last_error = Some(message.chars().take(500).collect());
    let beyond = f64::from(new.failures - settings.failing_after);
    let wait = if class == FailureClass::Gone {
        settings.failing_max.0
    } else if beyond > 0.0 {
        ((1.0 + beyond) * DAY as f64) as Millis
    } else {
        let base = new.interval.max(settings.start.0) as f64;
        ((base * f64::from(new.failures)) as Millis).min(settings.max.0)
    };
    let wait = wait.min(settings.failing_max.0).max(settings.min.0);
    let wait = wait.max(poll.retry_after.unwrap_or(0).clamp(0, DAY));
    new.why = format!("failing (weight {:.2}): next try in {}", new.failures, words(wait));
    new.next = poll.at.saturating_add(wait);
    leave_skipped(new, poll.at);
}

/// The interval that a rate (new entries per hour) asks for, milliseconds.
fn interval(rate: f64, settings: &Settings) -> f64 {
    settings.tempo.0.max(SECOND) as f64 / rate.max(1e-9).sqrt()
}

/// Learns the interval from the entries that are new since the last successful poll.
fn learn(new: &mut PollState, state: &PollState, at: Millis, keys: &[UrlKey], settings: &Settings) {
    let (shortest, longest) = (settings.min.0.max(SECOND), settings.max.0.max(settings.min.0));
    let Some(last) = state.last_success else {
        new.why = "first poll".to_owned();
        return;
    };
    let window = &keys[..keys.len().min(settings.recent)];
    let fresh = fresh(state, keys, settings);
    let gap = !state.recent.is_empty() && !window.is_empty() && fresh == window.len();
    // A feed that was empty or is seen for the first time says nothing about its rate.
    let arrived = if state.recent.is_empty() { 0 } else { fresh };

    let old = (new.interval as f64).max(1.0);
    let elapsed = (at - last).max(SECOND) as f64 / HOUR as f64;
    let expected = f64::from(new.rate);
    // Only a count that chance (two standard deviations of a Poisson count) does not explain makes
    // the rate rise quickly: otherwise each single arrival would, and the mean would be too high.
    let usual = expected * elapsed;
    let surge = arrived as f64 > usual + 2.0 * usual.sqrt().max(1.0);
    let constant = if surge { settings.rise } else { settings.fall };
    let weight = 1.0 - (-elapsed * HOUR as f64 / constant.0.max(SECOND) as f64).exp();
    let learned = expected + weight * (arrived as f64 / elapsed - expected);
    // A rate below what the longest interval stands for only makes waking up slow.
    let least = (settings.tempo.0.max(SECOND) as f64 / longest as f64).powi(2);
    let learned = learned.max(least);
    new.rate = learned as f32;
    let mut next = interval(learned, settings).min(old * settings.lengthen.max(1.0));
    let mut why = format!("{learned:.2} new entries an hour");
    // Twice as often as the window turns over.
    let turnover = window.len() as f64 / (2.0 * learned.max(1e-9)) * HOUR as f64;
    if window.len() > 1 && turnover < next {
        next = turnover;
        why.push_str(", and the feed shows few at a time");
    }
    if gap {
        next = next.min(old / 2.0);
        new.gaps = state.gaps.saturating_add(1);
        why = "no entry of the last poll was left: entries may be lost, halved".to_owned();
    }
    new.interval = (next as Millis).clamp(shortest, longest);
    new.why = format!("{why}: every {}", words(new.interval));
}

/// A length of time for people.
fn words(span: Millis) -> String {
    match span {
        s if s >= 2 * DAY => format!("{} days", s / DAY),
        s if s >= 2 * HOUR => format!("{:.1} h", s as f64 / HOUR as f64),
        s => format!("{} min", s / MINUTE),
    }
}

#[cfg(test)]
mod tests;
