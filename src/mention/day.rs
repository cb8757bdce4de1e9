//! Day attribution: under which instant and calendar day an article is counted, and why.
//!
//! The page's date if plausible, else the feed's, else first seen. A date printed as a day stays
//! that day, at the hour at which it was first seen; a time printed without a zone takes the offset at which it is the
//! instant of the feed's entry, then the feed's, the page's, and the outlet's learned offset, else the configured zone.
//!
//! Must not know: how dates are parsed, how offsets are learned, the clock.

use jiff::civil::{Date, DateTime, date};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

use crate::model::{DAY, Millis, Precision, Published, Source, Stamp, ZoneSource, day_of};

/// Nothing on the web was published before.
const EARLIEST: Date = date(1990, 1, 1);
/// A date further ahead of the first sighting than this is not believed.
const AHEAD: Millis = DAY;
/// Offsets of real zones lie within ±18 h (ISO 8601 users print up to +14:00).
const LARGEST_OFFSET: i32 = 18 * 3600;
/// Zones are quarters of an hour apart, in seconds, and people live in none that is further from UTC.
const QUARTER: i64 = 15 * MINUTE;
const ZONES: std::ops::RangeInclusive<i64> = -48 * QUARTER..=56 * QUARTER;
/// Summer time.
const SUMMER: i64 = 4 * QUARTER;
const MINUTE: i64 = 60;

/// What is known about an article's date. Offsets in seconds east of UTC, where learned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clues<'a> {
    /// From the page's metadata or text.
    pub page: Option<&'a Stamp>,
    /// From the feed's entry.
    pub feed: Option<&'a Stamp>,
    /// First committed sighting of the entry: the last resort, and what "future" is measured by.
    pub first_seen: Millis,
    /// Learned from the feed's zoned dates. An outlet is in no zone because its feed prints GMT, as programs do: an
    /// offset of 0 is only that of the feed's own dates.
    pub feed_offset: Option<i32>,
    /// Printed elsewhere on the page (another date with an offset).
    pub page_offset: Option<i32>,
    /// Learned from the outlet's other pages.
    pub outlet_offset: Option<i32>,
}

/// The publication instant and day in `zone`.
pub fn published(clues: &Clues<'_>, zone: &TimeZone) -> Published {
    [clues.page, clues.feed]
        .into_iter()
        .flatten()
        .find_map(|stamp| read(stamp, clues, zone))
        .unwrap_or_else(|| Published {
            at: clues.first_seen,
            day: day_of(clues.first_seen, zone),
            precision: Precision::Instant,
            zone: ZoneSource::Printed,
            source: Source::FirstSeen,
            printed: None,
        })
}

/// A stamp read as an instant, if it is plausible.
fn read(stamp: &Stamp, clues: &Clues<'_>, zone: &TimeZone) -> Option<Published> {
    let (at, zone_source) = if stamp.precision == Precision::Day {
        // A day has no zone; it is that day in whatever zone one counts by.
        (within(stamp.local.date(), clues.first_seen, zone)?, ZoneSource::Assumed)
    } else {
        let own = stamp.source == Source::Feed;
        let offsets = [
            (stamp.offset, ZoneSource::Printed),
            (clues.feed.and_then(|feed| agreed(stamp, feed, clues)), ZoneSource::Feed),
            (clues.feed_offset.filter(|offset| own || *offset != 0), ZoneSource::Feed),
            (clues.page_offset, ZoneSource::Page),
            (clues.outlet_offset, ZoneSource::Outlet),
        ];
        let known = offsets.into_iter().find_map(|(offset, source)| {
            let offset = offset.filter(|o| o.abs() <= LARGEST_OFFSET)?;
            Some((Offset::from_seconds(offset).ok()?, source))
        });
        match known {
            Some((offset, source)) => (millis(offset.to_timestamp(stamp.local).ok()?), source),
            None => (instant_in(stamp.local, zone)?, ZoneSource::Assumed),
        }
    };
    let precision = match stamp.precision {
        Precision::Instant if zone_source != ZoneSource::Printed => Precision::Minute,
        precision => precision,
    };
    // A day begins at midnight of the easternmost zone; "tomorrow" is within the allowance.
    let plausible = stamp.local.date() >= EARLIEST && at <= clues.first_seen.saturating_add(AHEAD);
    let day = match precision {
        Precision::Day => stamp.local.date(),
        _ => day_of(at, zone),
    };
    plausible.then(|| Published {
        at,
        day,
        precision,
        zone: zone_source,
        source: stamp.source,
        printed: Some(stamp.printed.clone()),
    })
}

/// The offset at which a time without a zone is the instant that the entry's feed prints with one. They tell of one
/// event if they are as far apart as zones are, but for the seconds that one of them leaves out, and if nothing else
/// tells another zone: feeds print updates, too, and both may be on the hour.
fn agreed(stamp: &Stamp, feed: &Stamp, clues: &Clues<'_>) -> Option<i32> {
    let instant = |local: DateTime, offset: i32| {
        let offset = Offset::from_seconds(offset).ok()?;
        Some(offset.to_timestamp(local).ok()?.as_second())
    };
    let apart = instant(stamp.local, 0)? - instant(feed.local, feed.offset?)?;
    let offset = (apart + QUARTER / 2).div_euclid(QUARTER) * QUARTER;
    // Programs print UTC for other dates of a page, too.
    let known = clues.page_offset.filter(|offset| *offset != 0).or(clues.outlet_offset);
    let contradicted = known.is_some_and(|known| (offset - i64::from(known)).abs() > SUMMER);
    let same = (apart - offset).abs() < MINUTE && ZONES.contains(&offset) && !contradicted;
    i32::try_from(offset).ok().filter(|_| same)
}

/// The instant for an article whose date is a day alone: when it was first seen, or the nearest end of that day.
/// Its first instant would put it before all that say when on that day they were published.
fn within(day: Date, first_seen: Millis, zone: &TimeZone) -> Option<Millis> {
    let first = start_of(day, zone)?;
    let last =
        day.tomorrow().ok().and_then(|next| start_of(next, zone)).map_or(first, |next| next - 1);
    Some(first_seen.clamp(first, last.max(first)))
}

/// Midnight of `day` in `zone` (the first instant of the day where midnight is skipped).
fn start_of(day: Date, zone: &TimeZone) -> Option<Millis> {
    instant_in(day.to_datetime(jiff::civil::Time::midnight()), zone)
}

/// A wall clock in `zone`; in a gap the instant behind it, in a fold the earlier one.
fn instant_in(local: DateTime, zone: &TimeZone) -> Option<Millis> {
    zone.to_ambiguous_timestamp(local).compatible().ok().map(millis)
}

fn millis(instant: Timestamp) -> Millis {
    // Milliseconds of any `Timestamp` fit: it ends with the year 9999.
    let since: SignedDuration = instant.as_duration();
    since.as_millis() as Millis
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stamp(local: &str, offset: Option<i32>, precision: Precision, source: Source) -> Stamp {
        Stamp { printed: local.into(), local: local.parse().unwrap(), offset, precision, source }
    }

    fn seen(at: &str) -> Millis {
        at.parse::<Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn the_first_plausible_date_wins() {
        use Precision::*;
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let page = |local, offset, precision| stamp(local, offset, precision, Source::JsonLd);
        let feed = stamp("2026-05-03T20:00", Some(0), Instant, Source::Feed);
        let check = |page: Option<Stamp>,
                     offsets: [Option<i32>; 3],
                     expect: (&str, &str, ZoneSource, Source)| {
            let clues = Clues {
                page: page.as_ref(),
                feed: Some(&feed),
                first_seen: seen("2026-05-03T21:00Z"),
                feed_offset: offsets[0],
                page_offset: offsets[1],
                outlet_offset: offsets[2],
            };
            let found = published(&clues, &berlin);
            let (day, at, zone, source) = expect;
            assert_eq!(
                (found.day.to_string().as_str(), found.at, found.zone, found.source),
                (day, seen(at), zone, source),
                "{page:?}"
            );
        };
        let (json, fed) = (Source::JsonLd, Source::Feed);
        use ZoneSource::*;
        let none = [None; 3];
        // Printed zone; the day is that of the configured zone.
        check(
            Some(page("2026-05-03T23:30", Some(0), Precision::Instant)),
            none,
            ("2026-05-04", "2026-05-03T23:30Z", Printed, json),
        );
        // A day is never shifted.
        check(
            Some(page("2026-05-02T00:00", None, Day)),
            none,
            ("2026-05-02", "2026-05-02T21:59:59.999Z", Assumed, json),
        );
        // On the day of the first sight that instant; on a later day its beginning.
        check(
            Some(page("2026-05-03T00:00", None, Day)),
            none,
            ("2026-05-03", "2026-05-03T21:00Z", Assumed, json),
        );
        check(
            Some(page("2026-05-04T00:00", None, Day)),
            none,
            ("2026-05-04", "2026-05-03T22:00Z", Assumed, json),
        );
        // Naive times: feed, page, outlet, configured zone.
        let naive = || Some(page("2026-05-03T12:05", None, Minute));
        check(
            naive(),
            [Some(3600), Some(7200), Some(0)],
            ("2026-05-03", "2026-05-03T11:05Z", Feed, json),
        );
        // GMT is no feed's zone.
        check(
            naive(),
            [Some(0), Some(10800), Some(0)],
            ("2026-05-03", "2026-05-03T09:05Z", Page, json),
        );
        check(naive(), [None, None, Some(0)], ("2026-05-03", "2026-05-03T12:05Z", Outlet, json));
        check(naive(), none, ("2026-05-03", "2026-05-03T10:05Z", Assumed, json));
        // An impossible offset is none.
        check(
            Some(page("2026-05-03T12:05", Some(99_999), Precision::Instant)),
            none,
            ("2026-05-03", "2026-05-03T10:05Z", Assumed, json),
        );
        // Implausible: more than a day ahead, before 1990. Then the feed's.
        check(
            Some(page("2026-05-04T21:00", Some(0), Precision::Instant)),
            none,
            ("2026-05-04", "2026-05-04T21:00Z", Printed, json),
        );
        check(
            Some(page("2026-05-04T21:01", Some(0), Precision::Instant)),
            none,
            ("2026-05-03", "2026-05-03T20:00Z", Printed, fed),
        );
        check(
            Some(page("1970-01-01T00:00", None, Day)),
            none,
            ("2026-05-03", "2026-05-03T20:00Z", Printed, fed),
        );
        check(None, none, ("2026-05-03", "2026-05-03T20:00Z", Printed, fed));
    }

    /// A feed in GMT and a page in New York tell of one instant: the page's day is that of the feed.
    #[test]
    fn a_time_without_a_zone_is_the_instant_of_its_feeds_entry() {
        use Precision::{Day, Instant, Minute};
        let check = |page: &str, precision, feed: (&str, Option<i32>), at: &str, zone| {
            let page = stamp(page, None, precision, Source::Meta);
            let feed = stamp(feed.0, feed.1, Instant, Source::Feed);
            let clues = Clues {
                page: Some(&page),
                feed: Some(&feed),
                first_seen: seen("2026-11-29T00:00Z"),
                feed_offset: Some(0),
                outlet_offset: Some(3600).filter(|_| zone == ZoneSource::Outlet),
                ..Clues::default()
            };
            let found = published(&clues, &TimeZone::UTC);
            assert_eq!((found.at, found.zone), (seen(at), zone), "{page:?} {feed:?}");
        };
        let gmt = ("2026-11-28T00:30", Some(0));
        let (fed, outlet) = (ZoneSource::Feed, ZoneSource::Outlet);
        check("2026-11-27T19:30", Minute, gmt, "2026-11-28T00:30Z", fed);
        check("2026-11-28T06:15", Minute, gmt, "2026-11-28T00:30Z", fed);
        check("2026-11-28T14:30", Minute, gmt, "2026-11-28T00:30Z", fed);
        check("2026-11-27T21:00", Minute, gmt, "2026-11-28T00:30Z", fed);
        check("2026-11-28T00:30", Minute, gmt, "2026-11-28T00:30Z", fed);
        check(
            "2026-11-27T19:30",
            Minute,
            ("2026-11-28T01:30", Some(3600)),
            "2026-11-28T00:30Z",
            fed,
        );
        // Seconds that only one of them prints.
        check(
            "2026-11-27T19:30",
            Minute,
            ("2026-11-28T00:30:59", Some(0)),
            "2026-11-28T00:30Z",
            fed,
        );
        check("2026-11-27T19:30:59", Minute, gmt, "2026-11-28T00:30:59Z", fed);
        // Different events, or too far for a zone: what the feed prints teaches nothing then.
        check("2026-11-27T19:31", Minute, gmt, "2026-11-27T18:31Z", outlet);
        check("2026-11-27T19:37", Minute, gmt, "2026-11-27T18:37Z", outlet);
        // On the hour like an update that the feed prints, but the outlet is known to be elsewhere.
        check("2026-11-27T19:30", Minute, gmt, "2026-11-27T18:30Z", outlet);
        check("2026-11-28T03:30", Minute, gmt, "2026-11-28T02:30Z", outlet);
        check("2026-11-27T09:15", Minute, gmt, "2026-11-27T08:15Z", outlet);
        check("2026-11-28T15:45", Minute, gmt, "2026-11-28T14:45Z", outlet);
        // UTC elsewhere on the page is that of the program, another zone is the page's.
        for (page_offset, at, zone) in
            [(0, "2026-11-28T00:30Z", fed), (3_600, "2026-11-27T18:30Z", ZoneSource::Page)]
        {
            let page = stamp("2026-11-27T19:30", None, Minute, Source::Meta);
            let feed = stamp(gmt.0, gmt.1, Instant, Source::Feed);
            let clues = Clues {
                page: Some(&page),
                feed: Some(&feed),
                first_seen: seen("2026-11-29T00:00Z"),
                page_offset: Some(page_offset),
                ..Clues::default()
            };
            let found = published(&clues, &TimeZone::UTC);
            assert_eq!((found.at, found.zone), (seen(at), zone), "{page_offset}");
        }
        // A feed without a zone says nothing of the page's; a day has none.
        check("2026-11-27T19:30", Minute, (gmt.0, None), "2026-11-27T18:30Z", outlet);
        check("2026-11-27T00:00", Day, gmt, "2026-11-27T23:59:59.999Z", ZoneSource::Assumed);
        // A date that the feed itself prints without a zone is in GMT, like its others.
        let own = stamp("2026-11-27T19:30", None, Minute, Source::Feed);
        let clues = Clues {
            feed: Some(&own),
            first_seen: seen("2026-11-29T00:00Z"),
            feed_offset: Some(0),
            outlet_offset: Some(3600),
            ..Clues::default()
        };
        let found = published(&clues, &TimeZone::UTC);
        assert_eq!((found.at, found.zone), (seen("2026-11-27T19:30Z"), fed));
    }

    #[test]
    fn first_seen_is_the_last_resort() {
        let future = stamp("2031-01-01T00:00", None, Precision::Day, Source::Meta);
        let first_seen = seen("2026-05-03T23:59:30Z");
        let clues = Clues { page: Some(&future), first_seen, ..Clues::default() };
        let found = published(&clues, &TimeZone::UTC);
        assert_eq!((found.at, found.source, found.printed), (first_seen, Source::FirstSeen, None));
        assert_eq!(found.day, date(2026, 5, 3));
    }

    proptest! {
        #[test]
        fn any_stamp_has_a_day(
            (y, mo, d, h, mi) in (-9999i16..=9999, 1i8..=12, 1i8..=28, 0i8..24, 0i8..60),
            offset in proptest::option::of(any::<i32>()),
            first_seen in any::<i64>(),
            precision in prop::sample::select(vec![Precision::Day, Precision::Minute, Precision::Instant]),
        ) {
            let local = DateTime::constant(y, mo, d, h, mi, 0, 0);
            let page = Stamp { printed: String::new(), local, offset, precision, source: Source::Meta };
            let clues = Clues { page: Some(&page), first_seen, feed_offset: offset, ..Clues::default() };
            let found = published(&clues, &TimeZone::fixed(Offset::constant(9)));
            if found.source == Source::Meta && precision == Precision::Day {
                prop_assert_eq!(found.day, local.date());
            }
            prop_assert!(found.at <= first_seen.saturating_add(DAY));
        }
    }
}
