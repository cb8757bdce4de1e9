//! What a transaction adds to ledger, tallies and counters: gathered while it lasts, written once.
//!
//! Must not know: where sums are kept.

use std::collections::BTreeMap;

use super::ledger::LedgerRow;
use crate::model::*;

/// Changes of sums.
#[derive(Debug, Default)]
pub struct Changes {
    ledger: BTreeMap<(Day, String), LedgerRow>,
    tallies: BTreeMap<(String, Day), Tally>,
    /// Entries pending.
    pub pending: i64,
    pub articles: i64,
    /// Articles that only others had named and that their outlets list now.
    pub listed: Vec<UrlKey>,
}

impl Changes {
    /// The change of one (day of arrival, outlet).
    pub fn ledger(&mut self, day: Day, outlet: &str) -> &mut LedgerRow {
        self.ledger.entry((day, outlet.to_owned())).or_default()
    }

    /// What is added to one so far.
    pub fn added(&self, day: Day, outlet: &str) -> Option<&LedgerRow> {
        self.ledger.get(&(day, outlet.to_owned()))
    }

    /// Changes a tally of the current brand set.
    pub fn tally(&mut self, brand: &str, day: Day, change: &Tally) {
        self.tallies.entry((brand.to_owned(), day)).or_default().add(change);
    }

    /// Counts a new entry (`by` = 1), or takes it back (−1).
    pub fn entry(&mut self, entry: &UrlRecord, by: i64) {
        let ledger = self.ledger(entry.arrival, &entry.outlet);
        ledger.entries += by;
        if let Some((day, at)) = entry.arrives() {
            self.ledger(day, &entry.outlet).arrived(at, by);
        }
        self.outcome(entry, by);
    }

    /// Counts how an entry ended, or takes it back.
    pub fn outcome(&mut self, entry: &UrlRecord, by: i64) {
        if entry.outcome == Outcome::Pending {
            self.pending += by;
        }
        let ledger = self.ledger(entry.arrival, &entry.outlet);
        *ledger.outcomes.entry(entry.outcome.name().to_owned()).or_default() += by;
    }

    /// Hands over the changes of the ledger.
    pub fn take_ledger(&mut self) -> BTreeMap<(Day, String), LedgerRow> {
        std::mem::take(&mut self.ledger)
    }

    /// Hands over the changes of tallies; those that come to nothing are left out.
    pub fn take_tallies(&mut self) -> BTreeMap<(String, Day), Tally> {
        let mut tallies = std::mem::take(&mut self.tallies);
        tallies.retain(|_, change| *change != Tally::default());
        tallies
    }

    /// Polls due and succeeded of all outlets, by day; days without any are left out.
    pub fn polls(&self) -> BTreeMap<Day, (i64, i64)> {
        let mut sums: BTreeMap<Day, (i64, i64)> = BTreeMap::new();
        for ((day, _), row) in &self.ledger {
            let sum = sums.entry(*day).or_default();
            *sum = (sum.0 + row.polls_due, sum.1 + row.polls_succeeded);
        }
        sums.retain(|_, sum| *sum != (0, 0));
        sums
    }
}
