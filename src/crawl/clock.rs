//! The one place where the crawl reads the clock. Must not know: anything else.

use crate::model::{Day, Millis};

/// Unix time in milliseconds, UTC, of the system clock.
pub fn now() -> Millis {
    jiff::Timestamp::now().as_millisecond()
}

/// The calendar day of an instant in a zone.
pub fn day(at: Millis, zone: &jiff::tz::TimeZone) -> Day {
    // Clamping keeps absurd instants (a hostile date far outside the range) from failing.
    jiff::Timestamp::from_millisecond(at)
        .unwrap_or(if at < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX })
        .to_zoned(zone.clone())
        .date()
}
