//! Where counts stop being comparable: the days of another model or brand set, and the days that a
//! recount revised.

use serde::{Deserialize, Serialize};

use crate::model::{Day, Millis, day_of};
use crate::store::decision::Recounted;
use crate::store::{Result, Store, history};

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// The model that labels pages: articles from then on.
    Model,
    /// The watched brands: all articles were counted again.
    Brands,
}

/// Another model or brand set came into use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub what: What,
    /// Hash of the model, version of the brand set.
    pub version: String,
    pub at: Millis,
    /// The same as a day of the configured zone.
    pub day: Day,
}

/// Changes in `from ..= to`, by time. The first model and the first brand set are no changes.
pub fn changes(
    store: &dyn Store,
    (from, to): (Option<Day>, Option<Day>),
    zone: &jiff::tz::TimeZone,
) -> Result<Vec<Change>> {
    let change = |what, version, at| Change { what, version, at, day: day_of(at, zone) };
    let models = history::deployments(store)?;
    let mut all: Vec<Change> = models
        .windows(2)
        .filter(|pair| pair[0].id != pair[1].id)
        .map(|pair| change(What::Model, pair[1].id.clone(), pair[1].at))
        .collect();
    let sets = history::recounts(store)?.into_iter().filter(|set| !set.first);
    all.extend(sets.map(|set| change(What::Brands, set.version, set.at)));
    all.retain(|c| from.is_none_or(|from| c.day >= from) && to.is_none_or(|to| c.day <= to));
    all.sort_by_key(|c| c.at);
    Ok(all)
}

/// Did a recount on or after the day `end` change what a brand counts in the `span` days from
/// `first` on?
pub fn recounted(
    recounts: &[Recounted],
    brand: &str,
    (first, span): (Day, i64),
    end: Day,
    zone: &jiff::tz::TimeZone,
) -> bool {
    let last = first.saturating_add(jiff::Span::new().days(span - 1));
    recounts.iter().filter(|r| day_of(r.at, zone) >= end).any(|recounted| {
        let runs = recounted.changed.get(brand).map_or(&[][..], Vec::as_slice);
        runs.iter().any(|(a, b)| *a <= last && *b >= first)
    })
}
