//! Instants as days of a store's zone, and as people read them.
//!
//! Must not know: what happened then.

use crate::model::{Day, HOUR, Millis, day_begins};
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

/// The hour since 1970 (UTC) with which a day begins.
pub(super) fn first_hour(day: Day, zone: &jiff::tz::TimeZone) -> Option<i64> {
    Some(day_begins(day, zone)?.div_euclid(HOUR))
}

/// [`first_hour`] of many rows: of one day after the other.
pub(super) struct FirstHours<'a> {
    zone: &'a jiff::tz::TimeZone,
    last: Option<(Day, Option<i64>)>,
}

impl FirstHours<'_> {
    pub(super) fn of(zone: &jiff::tz::TimeZone) -> FirstHours<'_> {
        FirstHours { zone, last: None }
    }

    pub(super) fn get(&mut self, day: Day) -> Option<i64> {
        match self.last {
            Some((known, hour)) if known == day => hour,
            _ => {
                let hour = first_hour(day, self.zone);
                self.last = Some((day, hour));
                hour
            }
        }
    }
}

/// An instant for people, in UTC.
pub fn instant(at: Millis) -> String {
    jiff::Timestamp::from_millisecond(at)
        .map_or_else(|_| "–".into(), |t| t.strftime("%Y-%m-%d %H:%M UTC").to_string())
}
