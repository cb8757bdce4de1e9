//! One transaction: an overlay on the main database, the article records that go with it, and the
//! changes of counters, ledger, tallies and due index, which are summed up and written once.
//!
//! Must not know: when and in what order things become durable.

use std::collections::{BTreeMap, BTreeSet};

use super::format::keys::{self, key};
use super::format::{Counters, Kept, Month, Pointer, PollSums, encode, kept_key};
use crate::model::*;
use crate::store::Result;
use crate::store::embedded::decisions::Decision;
use crate::store::embedded::kv::{Kv, Overlay, Writes};
use crate::store::embedded::months::Months;
use crate::store::rules::ledger::LedgerRow;

pub struct Tx<'a> {
    pub o: Overlay<'a>,
    /// Version of the current brand set.
    pub version: String,
    pub counters: Counters,
    counters_before: Counters,
    months: &'a Months,
    articles: BTreeMap<Month, Writes>,
    /// Pace keys whose place in the due index may have changed.
    pub touched: BTreeSet<String>,
    /// To be written down a second time.
    pub decisions: Vec<Decision>,
    ledger: BTreeMap<(Day, String), LedgerRow>,
    tallies: BTreeMap<(String, Day), Tally>,
}

/// What a transaction comes down to.
pub struct Ready {
    pub articles: Vec<(Month, Writes)>,
    pub decisions: Vec<Decision>,
    pub main: Writes,
}

/// Version of the current brand set; empty before there is one.
pub fn current_version(o: &Overlay) -> Result<String> {
    Ok(o.get(&key(keys::BRAND_POINTER).done())?.unwrap_or_default())
}

impl<'a> Tx<'a> {
    pub fn begin(kv: &'a dyn Kv, months: &'a Months) -> Result<Tx<'a>> {
        let o = Overlay::new(kv);
        let counters: Counters = o.get(&key(keys::COUNTERS).done())?.unwrap_or_default();
        Ok(Tx {
            version: current_version(&o)?,
            o,
            counters,
            counters_before: counters,
            months,
            articles: BTreeMap::new(),
            touched: BTreeSet::new(),
            decisions: Vec::new(),
            ledger: BTreeMap::new(),
            tallies: BTreeMap::new(),
        })
    }

    /// The change of one (day of arrival, outlet).
    pub fn ledger(&mut self, day: Day, outlet: &str) -> &mut LedgerRow {
        self.ledger.entry((day, outlet.to_owned())).or_default()
    }

    /// Changes a tally of the current brand set.
    pub fn tally(&mut self, brand: &str, day: Day, change: &Tally) {
        self.tallies.entry((brand.to_owned(), day)).or_default().add(change);
    }

    /// Appends an article record to the month of its arrival and points to it.
    pub fn article(&mut self, record: &ArticleRecord) -> Result<()> {
        let month = Month::of(record.first_seen);
        let value = self.months.pack(record)?;
        let month_key = record.key.0.to_be_bytes().to_vec();
        self.articles.entry(month).or_default().insert(month_key, Some(value));
        self.point_to(month, record)
    }

    /// A committed article record.
    pub fn read_article(&self, month: Month, id: UrlKey) -> Result<Option<ArticleRecord>> {
        self.months.get(month, id)
    }

    /// Keeps in the month of an article without text what a repair could not work out from it.
    pub fn keep(
        &mut self,
        record: &ArticleRecord,
        mentions: &[MentionRow],
        vector: &[u8],
    ) -> Result<()> {
        let at = kept_key(record.key);
        let kept = Kept { mentions: mentions.to_vec(), vector: vector.to_vec() };
        let value = encode(&at, &kept)?;
        let month = Month::of(record.first_seen);
        self.articles.entry(month).or_default().insert(at, Some(value));
        Ok(())
    }

    /// Points to an article record and counts it.
    pub fn point_to(&mut self, month: Month, record: &ArticleRecord) -> Result<()> {
        let Published { at, day, .. } = record.published;
        self.o.put(key(keys::POINTER).id(record.key).done(), &Pointer { month, day, at })?;
        self.o.put(key(keys::BY_DAY).day(day).id(record.key).done(), &())?;
        self.refer_to(month, record.key)?;
        self.counters.articles += 1;
        Ok(())
    }

    /// Writes the sums and hands everything over.
    pub fn finish(mut self) -> Result<Ready> {
        self.reindex()?;
        let mut polls: BTreeMap<Day, PollSums> = BTreeMap::new();
        for ((day, outlet), change) in std::mem::take(&mut self.ledger) {
            polls.entry(day).or_default().add(&change);
            let at = key(keys::LEDGER).day(day).text(&outlet).done();
            let mut row: LedgerRow = self.o.get(&at)?.unwrap_or_default();
            row.add(&change);
            if row == LedgerRow::default() {
                self.o.del(at);
            } else {
                self.o.put(at, &row)?;
            }
        }
        for (day, change) in polls.into_iter().filter(|(_, change)| *change != PollSums::default())
        {
            let at = key(keys::POLLS).day(day).done();
            let sums: PollSums = self.o.get(&at)?.unwrap_or_default();
            self.o.put(at, &sums.plus(change))?;
        }
        for ((brand, day), change) in std::mem::take(&mut self.tallies) {
            if change == Tally::default() {
                continue;
            }
            let at = key(keys::TALLY).text(&self.version).text(&brand).day(day).done();
            let mut tally: Tally = self.o.get(&at)?.unwrap_or_default();
            tally.add(&change);
            if tally == Tally::default() {
                self.o.del(at);
            } else {
                self.o.put(at, &tally)?;
            }
        }
        if self.counters != self.counters_before {
            let counters = self.counters;
            self.o.put(key(keys::COUNTERS).done(), &counters)?;
        }
        let articles = self.articles.into_iter().collect();
        Ok(Ready { articles, decisions: self.decisions, main: self.o.writes })
    }
}
