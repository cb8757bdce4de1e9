//! How fast one pace key and each host under it may be asked, when a failed entry is tried again, how
//! long a lease lasts. Pure arithmetic over instants that are passed in.
//!
//! A pace key (a registered domain) can be a platform with many hosts. The distance between requests is
//! shared by all of them; what one host asks for, a pause or a Crawl-delay, is that host's alone, so that
//! no host silences its neighbours. Only when several ask for a pause within a while, all pause. Bad answers to what
//! only others have named (hearsay) put off hearsay alone, so that nobody silences a host by naming its pages.
//!
//! Must not know: the clock, the network, where the state is kept.

use serde::{Deserialize, Serialize};

use crate::model::{DAY, Failure, HOUR, HostPace, MINUTE, Millis, Pace, Precedence, SECOND, Span};

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
    /// First pause after 429 or 503, if Retry-After asks for none that is longer; doubles with each
    /// further one.
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

/// So many hosts of a pace key that ask for a pause within [`WHILE`] make all of them pause.
const SEVERAL: usize = 3;
const WHILE: Millis = 10 * MINUTE;
/// So many bytes count as one answer: after larger ones the smallest distance is waited for each such part.
const PART: usize = 512 << 10;
/// Hosts that are remembered under one pace key.
pub const MOST_HOSTS: usize = 64;

/// Distance between the end of one request and the start of the next that all hosts of a pace key share,
/// milliseconds: the larger of floor and adaptive part. What the operator fixed for this pace key stands for both; what a
/// host asks for itself holds beside it.
pub fn delay(pace: &Pace, settings: &Settings) -> Millis {
    if let Some(fixed) = pace.operator_delay {
        return fixed.max(0);
    }
    let adaptive = (f64::from(pace.response_ms) * f64::from(settings.adaptive)).ceil() as Millis;
    settings.delay.0.max(adaptive.clamp(0, settings.adaptive_max.0.max(0))).max(0)
}

/// Notes what the robots.txt of a host asks for, seconds; it counts from the host's last answer.
pub fn crawl_delay(pace: &mut Pace, host: &str, asked: Option<f64>, settings: &Settings) {
    let asked = asked.map_or(0, |seconds| (seconds * 1_000.0).ceil() as Millis);
    let asked = asked.clamp(0, settings.crawl_delay_max.0.max(0));
    match pace.hosts.iter_mut().find(|known| known.host == host) {
        Some(known) => known.delay = asked,
        None if asked > 0 => {
            let host = HostPace { host: host.to_owned(), delay: asked, ..HostPace::default() };
            pace.hosts.push(host);
        }
        None => {}
    }
    pace.delay = longest(pace, settings);
}

/// The longest distance that is kept under a pace key, whatever host is asked.
fn longest(pace: &Pace, settings: &Settings) -> Millis {
    let own = pace.hosts.iter().map(own_delay).max().unwrap_or(0);
    delay(pace, settings).max(own)
}

fn own_delay(host: &HostPace) -> Millis {
    host.delay.max(0)
}

fn known<'p>(pace: &'p Pace, host: &str) -> Option<&'p HostPace> {
    pace.hosts.iter().find(|known| known.host == host)
}

/// The instant of the next request to any host of a pace key that has asked for nothing itself.
pub fn next_of_all(pace: &Pace) -> Millis {
    pace.next_at.max(pace.blocked_until)
}

/// The instant of the next request to a host, for what only others have named or for its own.
pub fn next_request(pace: &Pace, host: &str, hearsay: bool) -> Millis {
    let own = known(pace, host).map_or(Millis::MIN, own_next);
    let beside = known(pace, &name_of(host, hearsay));
    next_of_all(pace).max(own).max(beside.map_or(Millis::MIN, |known| known.blocked_until))
}

/// The name under which a host's answers are remembered: those to hearsay beside its own. No host has a blank in its
/// name.
fn name_of(host: &str, hearsay: bool) -> String {
    if hearsay { format!("{host} (named by others)") } else { host.to_owned() }
}

/// What is remembered under a name.
fn record<'p>(pace: &'p mut Pace, name: &str) -> &'p mut HostPace {
    let at = pace.hosts.iter().position(|known| known.host == name);
    let at = at.unwrap_or_else(|| {
        pace.hosts.push(HostPace { host: name.to_owned(), ..HostPace::default() });
        pace.hosts.len() - 1
    });
    &mut pace.hosts[at]
}

fn own_next(host: &HostPace) -> Millis {
    host.blocked_until.max(host.last.saturating_add(own_delay(host)))
}

/// An instant to which a request is put off that its host keeps waiting: each gets another one, so that
/// none is put off twice for those before it.
pub fn book(pace: &mut Pace, host: &str, hearsay: bool, settings: &Settings) -> Millis {
    let ready = next_request(pace, host, hearsay);
    let apart = delay(pace, settings).max(known(pace, host).map_or(0, own_delay));
    // With the time that the one before takes.
    let step = apart.saturating_add(pace.response_ms.max(0.0) as Millis);
    // What is of its own does not stand in a line with what others have named.
    let known = record(pace, &name_of(host, hearsay));
    // The next answers to hearsay may be as slow as the last one.
    let slow = if hearsay { known.blocked_until.saturating_sub(known.last) } else { 0 };
    let step = step.max(slow.min(settings.adaptive_max.0));
    let at = ready.max(known.booked);
    known.booked = at.saturating_add(step.max(1));
    at
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
    /// Decoded size.
    pub bytes: usize,
    /// Only others have named what was asked for.
    pub hearsay: bool,
}

/// State after a request to a host that ended at `now`.
///
/// - Only answers below 400 enter the mean response time: errors are often answered fast.
/// - 429 and 503, a run of 403, and a 403 or another 5xx that says how long to wait, block the host: for a pause that
///   doubles, or for Retry-After if that is longer. (`Retry-After: 0` is sent by servers that are in trouble all the
///   same.)
/// - From the third unanswered request in a row on, a pause that grows by a minute each.
/// - What is large counts as several answers: so no outlet's own pages make us read more than half a mebibyte for each
///   of the smallest distances between requests.
/// - Where only others have named what was asked for, all of this holds for such requests to the host alone, and the time
///   of the last answer stands for the mean; the host's own wait if it asks for a pause outright (429, 503), as long as it
///   says or for the first pause. So a domain with any number of hosts can make us read more than that, as far as the bytes
///   go that may be fetched in a day for whoever named its pages.
/// - When several hosts have asked for a pause within a while, the pace key pauses: as long as they ask
///   for, but no longer than a pause that doubles until one of its hosts answers well.
pub fn after_response(
    pace: &Pace,
    host: &str,
    answer: &Answer,
    now: Millis,
    settings: &Settings,
) -> Pace {
    let mut next = pace.clone();
    record(&mut next, host).last = now;
    let name = name_of(host, answer.hearsay);
    let mut own = record(&mut next, &name).clone();
    own.last = now;
    let elapsed = answer.elapsed.max(0) as f32;
    match answer.status {
        Some(200..=399) => {
            if !answer.hearsay {
                let before = pace.response_ms;
                next.response_ms =
                    if before > 0.0 { before + ALPHA * (elapsed - before) } else { elapsed };
            }
            next.failures = 0.0;
            own.failures = 0.0;
            own.forbidden_run = 0;
        }
        Some(403) => own.forbidden_run = own.forbidden_run.saturating_add(1),
        Some(_) => own.forbidden_run = 0,
        None => {}
    }
    let growing = |failures: f32| {
        let doublings = failures.clamp(0.0, 16.0) as u32;
        settings.pause.0.saturating_mul(1 << doublings).min(settings.pause_max.0)
    };
    let limited =
        answer.status.is_some_and(|s| limits(own.forbidden_run, s, answer.retry_after, settings));
    let asked = answer.retry_after.map_or(0, |asked| asked.min(settings.retry_after_max.0));
    let pause = if limited {
        own.failures += 1.0;
        asked.max(growing(own.failures - 1.0))
    } else if answer.status.is_none() {
        own.failures += 1.0;
        let beyond = (own.failures - 2.0).clamp(0.0, 1e6) as Millis;
        (beyond * MINUTE).min(settings.pause_max.0)
    } else {
        0
    };
    let outright = answer.status.is_some_and(|status| matches!(status, 429 | 503));
    let whole = pause > 0 && (outright || !answer.hearsay);
    if pause > 0 {
        own.blocked_until = own.blocked_until.max(now.saturating_add(pause));
    }
    let parts = Millis::try_from(answer.bytes.div_ceil(PART)).unwrap_or(Millis::MAX);
    let least = next.operator_delay.unwrap_or(settings.delay.0).max(0);
    let large = least.saturating_mul(parts);
    let slow =
        Pace { response_ms: elapsed, operator_delay: pace.operator_delay, ..Pace::default() };
    let apart = delay(if answer.hearsay { &slow } else { &next }, settings).max(large);
    let shared = if answer.hearsay { delay(&next, settings) } else { apart };
    if apart > shared {
        own.blocked_until = own.blocked_until.max(now.saturating_add(apart));
    }
    *record(&mut next, &name) = own;
    if whole {
        let host = record(&mut next, host);
        let least = if answer.hearsay { asked.max(settings.pause.0) } else { pause };
        host.blocked_until = host.blocked_until.max(now.saturating_add(least));
        host.paused = Some(now);
    }
    let recent = |host: &HostPace| host.paused.is_some_and(|at| now.saturating_sub(at) <= WHILE);
    if whole && next.hosts.iter().filter(|host| recent(host)).count() >= SEVERAL {
        let all = pause.min(growing(next.failures));
        next.failures += 1.0;
        next.blocked_until = pace.blocked_until.max(now.saturating_add(all));
    }
    forget(&mut next, host, now);
    next.next_at = now.saturating_add(shared);
    next.delay = longest(&next, settings);
    next
}

/// Lets go of hosts of which nothing has to be remembered, and of those that matter least where they are
/// too many; never of the one that was just asked.
fn forget(pace: &mut Pace, asked: &str, now: Millis) {
    let until = |host: &HostPace| {
        let told = host.failures > 0.0 || host.forbidden_run > 0 || host.delay > 0;
        let remembered = if told { host.last.saturating_add(DAY) } else { Millis::MIN };
        let paused = host.paused.map_or(Millis::MIN, |at| at.saturating_add(WHILE));
        host.blocked_until.max(host.booked).max(remembered).max(paused)
    };
    pace.hosts.retain(|host| host.host == asked || until(host) > now);
    while pace.hosts.len() > MOST_HOSTS {
        let others = pace.hosts.iter().enumerate().filter(|(_, host)| host.host != asked);
        let Some((least, _)) = others.min_by_key(|(_, host)| until(host)) else { return };
        pace.hosts.swap_remove(least);
    }
}

/// Is an answer rate limiting, given the host's run of 403 and what its `Retry-After` asks for?
fn limits(
    forbidden_run: u32,
    status: u16,
    retry_after: Option<Millis>,
    settings: &Settings,
) -> bool {
    let asks = matches!(status, 403 | 500..=599) && retry_after > Some(0);
    asks || matches!(status, 429 | 503)
        || (status == 403 && forbidden_run >= settings.forbidden_burst.max(1))
}

/// The failure that a status of a host means, given the state after it; none for success and redirects.
/// Where it is rate limiting, the entry is tried again, also where its status alone would be final.
pub fn failure(
    status: u16,
    retry_after: Option<Millis>,
    after: &Pace,
    host: &str,
    hearsay: bool,
    settings: &Settings,
) -> Option<Failure> {
    let run = known(after, &name_of(host, hearsay)).map_or(0, |known| known.forbidden_run);
    match status {
        200..=399 => None,
        limit if limits(run, limit, retry_after, settings) => Some(Failure::RateLimited),
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

/// When to ask again for a page that is not there (404, 410), `attempts` times asked for: feeds name
/// articles before they are there. `since`: when the article came to be, as far as is known; a day later
/// it is given up. The first time after ten minutes, then twice as long each time.
pub fn missing(attempts: u32, now: Millis, since: Millis) -> Option<Millis> {
    let wait = (10 * MINUTE).saturating_mul(1 << attempts.clamp(1, 16).saturating_sub(1));
    let at = now.saturating_add(wait);
    (at < since.saturating_add(DAY)).then_some(at)
}

/// When to ask again for a page that a host has forbidden (403); `None`: it is forbidden for good, since it was when it was
/// last asked for (`again`). Many hosts limit the rate of requests so, and the first that they answer so are not known for
/// it yet ([`Settings::forbidden_burst`]): they are asked for once more, half an hour later. More often would be a burden
/// where a part of a site is closed.
pub fn forbidden(again: bool, now: Millis) -> Option<Millis> {
    (!again).then(|| now.saturating_add(30 * MINUTE))
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
        | Failure::GaveUp(_)
        | Failure::Quarantined => true,
        Failure::Dns(_)
        | Failure::Connect(_)
        | Failure::Tls(_)
        | Failure::FirstByteTimeout
        | Failure::Deadline
        | Failure::TooSlow
        | Failure::Reset(_)
        | Failure::RateLimited
        | Failure::WaitTooLong
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

/// The instant for which a task gives way, if something urgent is due by then: when its own request could
/// start. What only others have named leaves room for what will be due before the distance after its
/// request is over, too. (Not so an outlet's own retries: under a pace key that is busy half of the time
/// they would never have their turn.)
pub fn gives_way(
    pace: &Pace,
    before: &Precedence,
    now: Millis,
    settings: &Settings,
) -> Option<Millis> {
    let start = now.max(pace.next_at);
    let room = if before.foreign { delay(pace, settings) } else { 0 };
    before.urgent.filter(|due| *due <= start.saturating_add(room))
}

/// How many tasks to drain under one lease: as many as fit into two minutes of delays, at least
/// one, at most `most`. With a Crawl-delay of 120 s that is one.
pub fn drain(delay: Millis, most: usize) -> usize {
    let fit = (2 * MINUTE) / delay.max(1);
    usize::try_from(fit).unwrap_or(most).clamp(1, most.max(1))
}

/// How many of these workers may be at what only others have named at the same time: half of them. A feed can list
/// pages of many hosts that are slow; the other workers go on with what outlets say of themselves.
pub fn foreign(workers: usize) -> usize {
    (workers / 2).max(1)
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
mod tests;
