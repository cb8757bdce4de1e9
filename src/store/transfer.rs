//! A whole store as a stream of items, to be moved into a store of another kind. Sums, indexes and
//! queues are not among them: the store that takes the items makes its own.
//!
//! Must not know: how any store keeps its records.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::decision::Decision;
use super::{OutletRule, Result, Store, StoreError};
use crate::model::*;

/// Items taken over in one transaction.
pub(super) const AT_ONCE: usize = 500;

/// One record of a store, in the order in which they are given: what others speak of comes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Item {
    /// The brand set in use.
    Brands(BrandSet),
    /// A small named value.
    Value {
        name: String,
        value: Bytes,
    },
    /// An entry of the log of decisions, oldest first.
    Decision(Box<Decision>),
    Rule {
        outlet: String,
        rule: OutletRule,
    },
    Alert(Box<Alert>),
    Note(Box<Note>),
    Feed(Box<Feed>),
    Entry(Box<UrlRecord>),
    /// Another key of an article.
    Alias {
        key: UrlKey,
        article: UrlKey,
    },
    Article {
        record: Box<ArticleRecord>,
        vector: Bytes,
        /// Under the brand set in use.
        mentions: Vec<MentionRow>,
        /// What its page printed, while that is remembered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        printed: Option<Bytes>,
    },
    /// Its members without their brands.
    Story(Story),
    /// A story that was merged, and where it went.
    Absorbed {
        id: UrlKey,
        story: UrlKey,
    },
    Excerpt(Excerpt),
    Polls {
        day: Day,
        outlet: String,
        due: i64,
        succeeded: i64,
        /// Entries that have left by age, by their outcome.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        left: BTreeMap<String, i64>,
        /// What the outlet's feeds brought.
        #[serde(default)]
        brought: Brought,
    },
    Robots(RobotsRecord),
    Pace {
        pace_key: String,
        pace: Pace,
    },
}

/// The last line of a stream that is written to a file: without it, what was written is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// How many items there are before it.
    pub end: u64,
}

/// Pace state of a key that may be leased until then: whoever takes it over waits the whole delay.
pub(super) fn after_lease(mut pace: Pace, leased_until: Option<Millis>) -> Pace {
    if let Some(until) = leased_until {
        pace.next_at = pace.next_at.max(until.saturating_add(pace.distance()));
    }
    pace
}

/// Only an empty store takes items in: what people have put there would be lost, or counted with them.
pub(super) fn refuse_unless_empty(store: &dyn Store) -> Result<()> {
    if is_cut_short(store)? {
        return Err(StoreError::Other(
            "another store is being taken over here, or was and not to its end: use a new directory \
             or database"
                .to_owned(),
        ));
    }
    let mut empty = store.feeds()?.is_empty()
        && store.brand_set()?.version.is_empty()
        && store.notes()?.is_empty()
        && store.alerts()?.is_empty()
        && store.outlet_rules()?.is_empty();
    store.urls(&mut |_| {
        empty = false;
        false
    })?;
    if empty {
        Ok(())
    } else {
        Err(StoreError::Other(
            "the store is not empty: a whole store is taken over into a new directory or database \
             only"
                .to_owned(),
        ))
    }
}

/// Named value of a store that has taken over only a part so far; no export has it.
pub(super) const IMPORTING: &str = "importing";

/// Has a store been left with a part of what it should have taken over?
pub(super) fn is_cut_short(store: &dyn Store) -> Result<bool> {
    Ok(store.meta(IMPORTING)?.is_some_and(|value| !value.is_empty()))
}

/// What the mark says until the end.
pub(super) const BEGUN: &[u8] = b"begun";

/// Has a store that was found empty and marked in one transaction take items over, `AT_ONCE` at a time. Until the
/// end it stays marked: what is cut short is found out when the store is opened.
pub(super) fn take_over(
    store: &dyn Store,
    items: &mut dyn Iterator<Item = Result<Item>>,
    take: &mut dyn FnMut(Vec<Item>) -> Result<()>,
) -> Result<u64> {
    let mut taken = 0;
    loop {
        let part: Vec<Item> = items.take(AT_ONCE).collect::<Result<_>>()?;
        if part.is_empty() {
            store.set_meta(IMPORTING, b"")?;
            return Ok(taken);
        }
        taken += part.len() as u64;
        take(part)?;
    }
}
