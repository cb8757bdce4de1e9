//! One transaction: an overlay on the main database, the article records that go with it, and the
//! changes of counters, ledger, tallies and due index, which are summed up and written once.
//!
//! Must not know: when and in what order things become durable.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::format::keys::{self, key};
use super::format::{Counters, Month, PollSums};
use crate::model::*;
use crate::store::Result;
use crate::store::embedded::decisions::Line;
use crate::store::embedded::kv::{Kv, Overlay, Writes};
use crate::store::embedded::months::Months;
use crate::store::rules::Rows;
use crate::store::rules::changes::Changes;
use crate::store::rules::ledger::{LedgerRow, LedgerRows};

pub struct Tx<'a> {
    pub o: Overlay<'a>,
    /// Version of the current brand set.
    pub version: String,
    pub changes: Changes,
    pub months: &'a Months,
    /// What is to be appended to the months.
    pub articles: BTreeMap<Month, Writes>,
    /// Pace keys whose place in the due index may have changed.
    pub touched: BTreeSet<String>,
    /// Of which a second copy is to be written.
    pub decisions: Vec<Line>,
}

/// What a transaction comes down to.
pub struct Ready {
    pub articles: Vec<(Month, Writes)>,
    pub decisions: Vec<Line>,
    pub main: Writes,
}

/// Version of the current brand set; empty before there is one.
pub fn current_version(o: &Overlay) -> Result<String> {
    Ok(o.get(&key(keys::BRAND_POINTER).done())?.unwrap_or_default())
}

impl<'a> Tx<'a> {
    pub fn begin(kv: &'a dyn Kv, months: &'a Months) -> Result<Tx<'a>> {
        let o = Overlay::new(kv);
        Ok(Tx {
            version: current_version(&o)?,
            o,
            changes: Changes::default(),
            months,
            articles: BTreeMap::new(),
            touched: BTreeSet::new(),
            decisions: Vec::new(),
        })
    }

    /// Writes the sums and hands everything over.
    pub fn finish(mut self) -> Result<Ready> {
        self.reindex()?;
        for (day, (due, succeeded)) in self.changes.polls() {
            let at = key(keys::POLLS).day(day).done();
            let sums: PollSums = self.o.get(&at)?.unwrap_or_default();
            self.o.put(at, &sums.plus(PollSums { due, succeeded }))?;
        }
        for ((day, outlet), change) in self.changes.take_ledger() {
            let at = key(keys::LEDGER).day(day).text(&outlet).done();
            self.sum(at, &change, LedgerRow::add)?;
        }
        for ((brand, day), change) in self.changes.take_tallies() {
            let at = key(keys::TALLY).text(&self.version).text(&brand).day(day).done();
            self.sum(at, &change, Tally::add)?;
        }
        if (self.changes.pending, self.changes.articles) != (0, 0) {
            let at = key(keys::COUNTERS).done();
            let mut counters: Counters = self.o.get(&at)?.unwrap_or_default();
            counters.pending = counters.pending.saturating_add_signed(self.changes.pending);
            counters.articles = counters.articles.saturating_add_signed(self.changes.articles);
            self.o.put(at, &counters)?;
        }
        let articles = self.articles.into_iter().collect();
        Ok(Ready { articles, decisions: self.decisions, main: self.o.writes })
    }

    /// Adds a change to a row of sums; a row of nothing is removed.
    fn sum<T: Default + PartialEq + Serialize + DeserializeOwned>(
        &mut self,
        at: Vec<u8>,
        change: &T,
        add: fn(&mut T, &T),
    ) -> Result<()> {
        let mut row: T = self.o.get(&at)?.unwrap_or_default();
        add(&mut row, change);
        if row == T::default() {
            self.o.del(at);
            Ok(())
        } else {
            self.o.put(at, &row)
        }
    }
}

impl LedgerRows for Tx<'_> {
    fn ledger(&mut self, day: Day, outlet: &str) -> Result<LedgerRow> {
        let row = self.o.get(&key(keys::LEDGER).day(day).text(outlet).done())?;
        Ok(row.unwrap_or_default())
    }
}

impl Rows for Tx<'_> {
    fn holds(&mut self, lease: &Lease) -> Result<bool> {
        Ok(self.held(lease)?.is_some())
    }
    fn changes(&mut self) -> &mut Changes {
        &mut self.changes
    }
}
