//! Instants, days and spans.
//!
//! Must not know: the clock.

use std::fmt;
use std::str::FromStr;

use jiff::civil;
use serde::{Deserialize, Serialize};

/// Unix time in milliseconds, UTC.
pub type Millis = i64;

/// One second, minute, hour, day in [`Millis`].
pub const SECOND: Millis = 1_000;

/// One minute in [`Millis`].
pub const MINUTE: Millis = 60 * SECOND;

/// One hour in [`Millis`].
pub const HOUR: Millis = 60 * MINUTE;

/// One day in [`Millis`].
pub const DAY: Millis = 24 * HOUR;

/// A calendar day in the configured time zone.
pub type Day = civil::Date;

/// A day as people write it, `2026-11-20`: no time and no zone, which would have to be ignored.
///
/// # Errors
/// It is written otherwise.
pub fn written_day(text: &str) -> Result<Day, String> {
    let day = text.parse::<Day>().ok().filter(|day| day.to_string() == text);
    day.ok_or_else(|| format!("`{text}` is no day: days are written 2026-11-20"))
}

/// The calendar day of an instant in a zone; instants that no calendar holds (a hostile date far outside of all)
/// fall on its nearest end.
pub fn day_of(at: Millis, zone: &jiff::tz::TimeZone) -> Day {
    let nearest = if at < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    zone.to_datetime(jiff::Timestamp::from_millisecond(at).unwrap_or(nearest)).date()
}

/// The instant at which a day begins in a zone; `None`: no calendar holds it.
pub fn day_begins(day: Day, zone: &jiff::tz::TimeZone) -> Option<Millis> {
    Some(day.to_zoned(zone.clone()).ok()?.timestamp().as_millisecond())
}

/// The calendar day of an instant in UTC; instants that no calendar holds fall on 1 January 1970.
pub fn utc_day(at: Millis) -> Day {
    let at = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    jiff::tz::Offset::UTC.to_datetime(at).date()
}

/// A length of time in settings, written `500ms`, `10s`, `5m`, `2h`, `30d`; a bare number is
/// seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Millis);

impl Span {
    /// The longest that can be written, 100 years: instants that are so far away can still be shown.
    const LONGEST: Millis = 36_500 * DAY;

    fn of(n: i64, unit: Millis) -> Option<Span> {
        n.checked_mul(unit).filter(|length| *length <= Span::LONGEST).map(Span)
    }

    /// As a [`std::time::Duration`]; negative lengths are zero.
    pub fn duration(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0.max(0) as u64)
    }
}

impl FromStr for Span {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let s = s.trim();
        let digits = s.len() - s.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let unit = match s[digits..].trim() {
            "ms" => 1,
            "" | "s" => SECOND,
            "m" | "min" => MINUTE,
            "h" => HOUR,
            "d" => DAY,
            other => return Err(format!("unknown unit `{other}` in `{s}`: use ms, s, m, h or d")),
        };
        let n: i64 = s[..digits].parse().map_err(|_| {
            format!("`{s}` is not a length of time; write for example 500ms, 10s, 5m, 2h or 30d")
        })?;
        Span::of(n, unit).ok_or_else(|| format!("`{s}` is too long: at most 36500d"))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(DAY, "d"), (HOUR, "h"), (MINUTE, "m"), (SECOND, "s")] {
            if self.0 != 0 && self.0 % unit == 0 {
                return write!(f, "{}{name}", self.0 / unit);
            }
        }
        if self.0 == 0 { f.write_str("0s") } else { write!(f, "{}ms", self.0) }
    }
}

impl Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Span;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a length of time such as \"10s\"")
            }
            fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<Span, E> {
                s.parse().map_err(E::custom)
            }
            fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<Span, E> {
                Span::of(n, SECOND).ok_or_else(|| E::custom("too long: at most 36500d"))
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Span, E> {
                self.visit_i64(i64::try_from(n).map_err(E::custom)?)
            }
        }
        d.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instant_has_a_day() {
        let berlin = jiff::tz::TimeZone::fixed(jiff::tz::Offset::constant(1));
        let check = |at: Millis, expect: &str| {
            assert_eq!(day_of(at, &berlin).to_string(), expect, "{at}");
        };
        check(-1, "1970-01-01");
        check(23 * HOUR - 1, "1970-01-01");
        check(23 * HOUR, "1970-01-02");
        check(Millis::MIN, "-009999-01-02");
        check(Millis::MAX, "9999-12-30");
    }

    #[test]
    fn lengths_of_time_are_bounded() {
        for (text, expect) in
            [("36500d", Some(36_500 * DAY)), ("10s", Some(10 * SECOND)), ("0", Some(0))]
        {
            assert_eq!(text.parse::<Span>().ok().map(|span| span.0), expect, "{text}");
        }
        // Until then nothing could be shown.
        for text in ["36501d", "99999999999d", "9223372036854775807d"] {
            let why = text.parse::<Span>().unwrap_err();
            assert!(why.contains("too long"), "{text}: {why}");
        }
    }
}
