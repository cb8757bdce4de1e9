//! Subscriptions at WebSub hubs, one for each feed that names a hub, kept as named values of any
//! [`Store`].
//!
//! Must not know: when a hub is asked, and how.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Result, Store, StoreError};
use crate::model::{DAY, Millis, UrlKey};

/// One feed's subscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    pub hub: String,
    pub topic: String,
    /// Last part of the callback's URL: only the hub knows it.
    pub token: String,
    /// Key of the signatures.
    pub secret: String,
    /// When the hub was asked last, and how often since it last agreed.
    pub asked: Option<Millis>,
    pub attempts: u32,
    /// End of the lease that the hub has granted.
    pub until: Option<Millis>,
    /// Length of that lease; none is known of one that was granted before this was kept.
    #[serde(default)]
    pub granted: Option<Millis>,
    /// Last delivery that was taken.
    pub pushed: Option<Millis>,
    pub error: Option<String>,
    /// What the hub has pushed on the day of its last delivery.
    #[serde(default)]
    pub pushes: Pushes,
}

/// What a hub pushed of one feed on one day (UTC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushes {
    /// Days since 1970-01-01.
    pub day: i64,
    /// New entries that were taken as if the feed had listed them.
    pub believed: u32,
    /// Those beyond, which were left to the next poll.
    pub doubted: u32,
    /// Deliveries that were turned away, since they came too fast.
    pub refused: u32,
    /// When the next one that is taken is requested, at the earliest.
    #[serde(default)]
    pub next: Millis,
}

impl Pushes {
    /// What was pushed on the day of `at`.
    pub fn on_day(self, at: Millis) -> Pushes {
        let day = at.div_euclid(DAY);
        if day == self.day { self } else { Pushes { day, next: self.next, ..Pushes::default() } }
    }

    /// Has everything of that day been taken? Only then may pushes stand for polls.
    pub fn all_taken(self) -> bool {
        self.doubted == 0 && self.refused == 0
    }
}

/// The subscription of a feed; one that cannot be read counts as none, and is made anew.
pub fn subscription(store: &dyn Store, feed: UrlKey) -> Result<Option<Subscription>> {
    let bytes = store.meta(&name(feed))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// Keeps the subscription of a feed.
pub fn keep(store: &dyn Store, feed: UrlKey, subscription: &Subscription) -> Result<()> {
    let bytes = serde_json::to_vec(subscription)
        .map_err(|e| StoreError::Other(format!("a subscription cannot be written: {e}")))?;
    store.set_meta(&name(feed), &bytes)
}

/// Name of the value that lists the feeds whose hubs were not believed lately, with the day (UTC).
const DOUBTED: &str = "websub doubted";

/// Feeds whose hubs were not believed on the day of `at` or the day before.
pub fn doubted(store: &dyn Store, at: Millis) -> Result<Vec<UrlKey>> {
    Ok(lately(store, at)?.into_keys().collect())
}

/// Notes that the hub of a feed was not believed.
pub fn doubt(store: &dyn Store, feed: UrlKey, at: Millis) -> Result<()> {
    let mut feeds = lately(store, at)?;
    if feeds.insert(feed, at.div_euclid(DAY)) == Some(at.div_euclid(DAY)) {
        return Ok(());
    }
    let bytes = serde_json::to_vec(&feeds.into_iter().collect::<Vec<_>>())
        .map_err(|e| StoreError::Other(format!("a list of feeds cannot be written: {e}")))?;
    store.set_meta(DOUBTED, &bytes)
}

fn lately(store: &dyn Store, at: Millis) -> Result<BTreeMap<UrlKey, i64>> {
    let bytes = store.meta(DOUBTED)?;
    let feeds: Option<Vec<(UrlKey, i64)>> =
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let yesterday = at.div_euclid(DAY) - 1;
    Ok(feeds.unwrap_or_default().into_iter().filter(|(_, day)| *day >= yesterday).collect())
}

fn name(feed: UrlKey) -> String {
    format!("websub {feed}")
}
