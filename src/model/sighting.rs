//! What our own sightings say of dates: when a feed was seen without an entry, and whether the date
//! of an article agrees with that.
//!
//! Must not know: who makes and who uses it.

use serde::{Deserialize, Serialize};

use super::{Day, Millis};

/// What was known when an entry was first listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sight {
    /// It was stored before this was noted.
    #[default]
    Unnoted,
    /// Nothing: it came with the first poll of its feed, or only others have named it.
    First,
    /// Its feed was polled at this instant and did not list it.
    After(Millis),
    /// A page of headlines, which never links everything that is there, did not link it at this instant, or
    /// a day before it did, whichever is later.
    LinkedAfter(Millis),
    // Stored by position: new ones stand here.
    /// Its feed was seen without it at `listed`, and with it at `seen`, more than a day later.
    AfterGap { listed: Millis, seen: Millis },
}

/// Whether an entry counts among the arrivals of its outlet, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrived {
    /// When it was first seen, unless it came with the first poll of its feed. So does all that was stored before this was
    /// noted, whoever named it.
    #[default]
    Seen,
    /// Not: only others have named it, or its outlet lists it under another address, and that entry counts.
    Not,
    /// When its outlet listed it, which others had named before: on this day, at this instant.
    Listed(Day, Millis),
}

/// What our own sightings say of the date that an article is counted under. In this order the members
/// of a story stand: the first is the original.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Sighting {
    /// Dated after its feed was last seen without it. Also what was stored before sightings were kept.
    #[default]
    Corroborated,
    /// Nothing speaks for the date or against it.
    Open,
    /// Dated before a poll of its feed that did not list it.
    Contradicted,
}

impl Sighting {
    /// The word for it in messages.
    pub fn name(self) -> &'static str {
        match self {
            Sighting::Corroborated => "corroborated",
            Sighting::Open => "open",
            Sighting::Contradicted => "contradicted",
        }
    }
}
