//! How long a robots.txt counts, and what counts while it cannot be had (RFC 9309 §2.3.1, §2.4).
//!
//! Must not know: what the rules say.

use crate::model::{DAY, MINUTE, Millis, RobotsRecord, RobotsStatus};

use super::text;

/// Longest use of a copy without fetching again (§2.4).
const FRESH: Millis = DAY;
/// Longest further use of the last copy while the file is unreachable.
const STALE: Millis = DAY;
/// After so long unreachable, the site counts as having no robots.txt (§2.3.1.4).
const GIVE_UP: Millis = 30 * DAY;
/// First and longest wait between attempts at an unreachable file.
const RETRY: (Millis, Millis) = (5 * MINUTE, 60 * MINUTE);
/// Shortest life of a copy, whatever Cache-Control says.
const AT_LEAST: Millis = 10 * MINUTE;
/// How long a record is kept after the instant until which it was fresh: if it is older, nobody has
/// asked for the file since. It would be fetched again anyway.
pub const KEEP: Millis = 7 * DAY;
/// The same for a file that was unreachable: its record tells since when, which decides later than
/// [`GIVE_UP`].
pub const KEEP_UNREACHABLE: Millis = 2 * GIVE_UP;

/// How a fetch of robots.txt ended, its redirects followed (at least five of them).
#[derive(Clone, Copy, Debug)]
pub enum Fetched<'a> {
    /// An answer; a 3xx here means that too many redirects were met, which counts as
    /// unavailable (§2.3.1.2). `cut`: the body goes on, but no more of it was read. `max_age` is
    /// Cache-Control's, in milliseconds.
    Answer { status: u16, body: &'a [u8], cut: bool, max_age: Option<Millis> },
    /// No answer: the network error in words.
    Error(&'a str),
}

/// Must robots.txt be fetched (again) before a request?
pub fn needs_fetch(record: Option<&RobotsRecord>, now: Millis) -> bool {
    // A record from the future means that the clock was set back: not to be trusted.
    record.is_none_or(|r| now >= r.fresh_until || r.fetched > now + DAY)
}

/// The record after a fetch. A copy that cannot be refreshed is kept with its time of fetching.
///
/// 429 counts as unreachable, not as unavailable: a site that asks us to slow down has not said
/// that everything is allowed, and §2.3.1.3 permits, but does not demand, to read it so.
pub fn after_fetch(
    previous: Option<&RobotsRecord>,
    origin: &str,
    fetched: Fetched,
    now: Millis,
) -> RobotsRecord {
    let record = |status, fresh_until, body| RobotsRecord {
        origin: origin.to_owned(),
        fetched: now,
        fresh_until,
        status,
        body,
        unreachable_since: None,
    };
    let reason = match fetched {
        Fetched::Answer { status: 200..=299, body, cut, max_age } => {
            let life = max_age.unwrap_or(FRESH).clamp(AT_LEAST, FRESH);
            return record(RobotsStatus::Fetched, now + life, text(body, cut));
        }
        Fetched::Answer { status: 429, .. } => "status 429".to_owned(),
        Fetched::Answer { status: status @ 300..=499, .. } => {
            return record(RobotsStatus::Unavailable(status), now + FRESH, String::new());
        }
        Fetched::Answer { status, .. } => format!("status {status}"),
        Fetched::Error(error) => error.to_owned(),
    };
    let since = previous.and_then(|p| p.unreachable_since).unwrap_or(now);
    let wait = (now - since).clamp(RETRY.0, RETRY.1);
    match previous {
        Some(last) if last.status == RobotsStatus::Fetched => {
            RobotsRecord { fresh_until: now + wait, unreachable_since: Some(since), ..last.clone() }
        }
        _ => RobotsRecord {
            unreachable_since: Some(since),
            ..record(RobotsStatus::Unreachable(reason), now + wait, String::new())
        },
    }
}

/// What a record means for requests now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The rules of its body.
    Rules,
    /// Everything is allowed, and why.
    Allow(String),
    /// Nothing is allowed for now, and why; to be tried again later.
    Unreachable(String),
}

/// See [`Standing`]. The record is fresh: [`needs_fetch`] said no.
pub fn standing(record: &RobotsRecord, now: Millis) -> Standing {
    if let Some(since) = record.unreachable_since
        && now - since >= GIVE_UP
    {
        return Standing::Allow("robots.txt unreachable for 30 days".to_owned());
    }
    match (&record.status, record.unreachable_since) {
        (RobotsStatus::Fetched, Some(since)) if now - since > STALE => {
            Standing::Unreachable("robots.txt unreachable for more than a day".to_owned())
        }
        (RobotsStatus::Fetched, _) => Standing::Rules,
        (RobotsStatus::Unavailable(status), _) => {
            Standing::Allow(format!("no robots.txt (status {status})"))
        }
        (RobotsStatus::Unreachable(reason), _) => {
            Standing::Unreachable(format!("robots.txt unreachable: {reason}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &[u8]) -> Fetched<'_> {
        Fetched::Answer { status, body, cut: false, max_age: None }
    }

    #[test]
    fn statuses() {
        let rules = Standing::Rules;
        let allow = |s: &str| Standing::Allow(s.to_owned());
        let not = |s: &str| Standing::Unreachable(s.to_owned());
        for (fetched, expect) in [
            (answer(200, b"x"), rules.clone()),
            (answer(204, b""), rules),
            (answer(301, b""), allow("no robots.txt (status 301)")),
            (answer(401, b""), allow("no robots.txt (status 401)")),
            (answer(403, b""), allow("no robots.txt (status 403)")),
            (answer(404, b"Disallow: /"), allow("no robots.txt (status 404)")),
            (answer(410, b""), allow("no robots.txt (status 410)")),
            (answer(429, b""), not("robots.txt unreachable: status 429")),
            (answer(500, b""), not("robots.txt unreachable: status 500")),
            (answer(503, b""), not("robots.txt unreachable: status 503")),
            (answer(600, b""), not("robots.txt unreachable: status 600")),
            (Fetched::Error("timeout"), not("robots.txt unreachable: timeout")),
        ] {
            let record = after_fetch(None, "http://a.example:80", fetched, 1_000);
            assert_eq!(standing(&record, 1_000), expect, "{fetched:?}");
            assert!(record.body.is_empty() || record.status == RobotsStatus::Fetched);
        }
    }

    #[test]
    fn freshness_is_at_most_a_day() {
        for (max_age, life) in
            [(None, DAY), (Some(0), AT_LEAST), (Some(DAY / 2), DAY / 2), (Some(9 * DAY), DAY)]
        {
            let fetched = Fetched::Answer { status: 200, body: b"", cut: false, max_age };
            let record = after_fetch(None, "http://a.example:80", fetched, 0);
            assert!(!needs_fetch(Some(&record), life - 1));
            assert!(needs_fetch(Some(&record), life));
        }
        assert!(needs_fetch(None, 0));
    }

    #[test]
    fn a_copy_outlives_the_file_by_a_day_and_the_ban_by_thirty() {
        let good = after_fetch(None, "http://a.example:80", answer(200, b"Disallow: /x"), 0);
        let mut record = good;
        let mut now = DAY;
        let mut seen = Vec::new();
        while now < 33 * DAY {
            record = after_fetch(Some(&record), "http://a.example:80", answer(500, b""), now);
            assert!(record.fresh_until > now && record.fresh_until <= now + RETRY.1);
            seen.push(((now - DAY) / DAY, standing(&record, now)));
            now = record.fresh_until;
        }
        for (days, what) in seen {
            match days {
                0 => assert_eq!(what, Standing::Rules),
                1..=29 => assert!(matches!(what, Standing::Unreachable(_)) || days == 1),
                _ => assert!(matches!(what, Standing::Allow(_))),
            }
        }
        let back = after_fetch(Some(&record), "http://a.example:80", answer(404, b""), now);
        assert_eq!(back.unreachable_since, None);
    }

    #[test]
    fn never_reached_at_all_is_forbidden_for_thirty_days() {
        let first = after_fetch(None, "http://a.example:80", Fetched::Error("refused"), 0);
        let later = after_fetch(Some(&first), "http://a.example:80", answer(502, b""), 29 * DAY);
        assert!(matches!(standing(&later, 29 * DAY), Standing::Unreachable(_)));
        let last = after_fetch(Some(&later), "http://a.example:80", answer(502, b""), 30 * DAY);
        assert!(matches!(standing(&last, 30 * DAY), Standing::Allow(_)));
    }
}
