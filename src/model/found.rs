//! What was read somewhere, and where; dates as they stand on pages and in feeds.
//!
//! Must not know: who makes and who uses it.

use jiff::civil;
use serde::{Deserialize, Serialize};

use super::{Day, Millis};

/// Where a piece of metadata came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    JsonLd,
    OpenGraph,
    Meta,
    Microdata,
    Link,
    Html,
    Visible,
    Url,
    Feed,
    Detected,
    FirstSeen,
}

/// A value together with where it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found<T> {
    pub value: T,
    pub source: Source,
}

/// How exactly a date was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Only the calendar day; never shifted to another day by a time zone.
    Day,
    /// A wall-clock time without a zone.
    Minute,
    /// A wall-clock time with its offset.
    Instant,
}

/// A date as printed on the page or in the feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stamp {
    /// The characters as printed.
    pub printed: String,
    /// Wall clock as printed; midnight for [`Precision::Day`].
    pub local: civil::DateTime,
    /// Seconds east of UTC as printed; `None` when the zone is missing.
    pub offset: Option<i32>,
    pub precision: Precision,
    pub source: Source,
}

/// Where the zone of a publication instant came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZoneSource {
    Printed,
    Feed,
    Page,
    Outlet,
    /// None known: read as the configured zone.
    Assumed,
}

/// The publication instant that an article is counted under, and why (`mention::day` decides).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// UTC milliseconds. For day precision: midnight of `day` in the configured zone.
    pub at: Millis,
    pub day: Day,
    pub precision: Precision,
    pub zone: ZoneSource,
    pub source: Source,
    pub printed: Option<String>,
}
