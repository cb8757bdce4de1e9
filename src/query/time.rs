//! Instants as days of a store's zone, and as people read them.
//!
//! Must not know: what happened then.

use crate::model::{Day, HOUR, Millis, Precision, day_begins};
use crate::store::{Result, Store};

/// The zone that a store's days belong to.
pub(super) fn day_zone(store: &dyn Store) -> Result<jiff::tz::TimeZone> {
    let name = store.meta("timezone")?;
    let zone = name.and_then(|name| jiff::tz::TimeZone::get(&String::from_utf8_lossy(&name)).ok());
    Ok(zone.unwrap_or(jiff::tz::TimeZone::UTC))
}

/// The IANA name of a zone.
pub(super) fn name_of(zone: &jiff::tz::TimeZone) -> String {
    zone.iana_name().unwrap_or("UTC").to_owned()
}

/// When the days of many rows begin: of one day after the other.
pub(super) struct FirstHours<'a> {
    zone: &'a jiff::tz::TimeZone,
    last: Option<(Day, Option<Millis>)>,
}

impl FirstHours<'_> {
    pub(super) fn of(zone: &jiff::tz::TimeZone) -> FirstHours<'_> {
        FirstHours { zone, last: None }
    }

    /// The hour since 1970 (UTC) with which a day begins.
    pub(super) fn get(&mut self, day: Day) -> Option<i64> {
        Some(self.begins(day)?.div_euclid(HOUR))
    }

    pub(super) fn begins(&mut self, day: Day) -> Option<Millis> {
        match self.last {
            Some((known, begins)) if known == day => begins,
            _ => {
                let begins = day_begins(day, self.zone);
                self.last = Some((day, begins));
                begins
            }
        }
    }
}

/// An instant for people, in UTC.
pub fn instant(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at)
        .map_or_else(|_| "–".into(), |t| t.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

/// When something was published, for people: the day alone where no more was printed. So says the dashboard, too
/// (`published` in dom.js).
pub fn published(at: Millis, day: Day, precision: Precision) -> String {
    match precision {
        Precision::Day => day.to_string(),
        Precision::Minute | Precision::Instant => instant(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hour of the first sight was shown as if it had been printed.
    #[test]
    fn of_a_day_no_hour_is_told() {
        let (at, day) = (1_795_183_530_000, Day::constant(2026, 11, 20));
        assert_eq!(published(at, day, Precision::Day), "2026-11-20");
        for precision in [Precision::Minute, Precision::Instant] {
            assert_eq!(published(at, day, precision), "2026-11-20 14:05 UTC");
        }
    }
}
