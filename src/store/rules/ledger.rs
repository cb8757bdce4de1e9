//! The ledger's row: entries and polls of one day of arrival and one outlet, and what changes them.
//!
//! Must not know: where rows are kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::*;
use crate::store::Result;

/// What is known of an outlet's day.
pub trait LedgerRows {
    /// As it stood when the transaction began; the default where nothing is known.
    fn ledger(&mut self, day: Day, outlet: &str) -> Result<LedgerRow>;
}

/// Entries and polls of one day and outlet; signed, so that a change is one of the same kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerRow {
    pub entries: i64,
    pub outcomes: BTreeMap<String, i64>,
    pub polls_due: i64,
    pub polls_succeeded: i64,
    /// Arrivals by UTC hour; see [`crate::store::Ledger::arrivals`].
    pub arrivals: [i64; 24],
    /// Of `outcomes`, those whose entries have left by age.
    pub left: BTreeMap<String, i64>,
    // Newer than stored rows: it stays the last.
    /// What the outlet's own feeds brought, whoever's entries they were.
    #[serde(default, deserialize_with = "or_default")]
    pub brought: Brought,
}

impl LedgerRow {
    /// Counts an arrival at an instant (`by` = 1), or takes it back (−1).
    pub fn arrived(&mut self, at: Millis, by: i64) {
        let hour = at.rem_euclid(DAY) / HOUR;
        if let Some(count) = self.arrivals.get_mut(hour as usize) {
            *count += by;
        }
    }

    /// Counts entries again that have left by age, by their outcome.
    pub fn have_left(&mut self, left: BTreeMap<String, i64>) {
        for (name, n) in left {
            self.entries += n;
            *self.outcomes.entry(name.clone()).or_default() += n;
            *self.left.entry(name).or_default() += n;
        }
    }

    /// Adds a change; outcomes that reach zero leave the table.
    pub fn add(&mut self, change: &LedgerRow) {
        self.entries += change.entries;
        self.polls_due += change.polls_due;
        self.polls_succeeded += change.polls_succeeded;
        self.brought.own += change.brought.own;
        self.brought.foreign += change.brought.foreign;
        self.brought.bytes += change.brought.bytes;
        for (hour, change) in self.arrivals.iter_mut().zip(change.arrivals) {
            *hour += change;
        }
        for (name, n) in &change.outcomes {
            *self.outcomes.entry(name.clone()).or_default() += n;
        }
        for (name, n) in &change.left {
            *self.left.entry(name.clone()).or_default() += n;
        }
        self.outcomes.retain(|_, n| *n != 0);
    }
}
