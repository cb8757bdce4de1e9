//! Forgetting: entries end for good, and of articles goes everything. The main database forgets in
//! one commit and notes what is to be erased; then the months erase it, after a crash at the next
//! opening, and never under the eyes of a snapshot that still points there.
//!
//! Must not know: why something is forgotten.

use std::collections::BTreeSet;

use super::format::keys::{self, Parts, key};
use super::format::{Month, Pointer};
use super::recount::versions;
use super::stories::mention_key;
use super::tx::Tx;
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::embedded::decisions::Decision;
use crate::store::rules::entries::{priority, tombstone};
use crate::store::{Result, StoreError};

impl Embedded {
    pub fn forget_entries(&self, entries: &[UrlRecord], rest: &[Story]) -> Result<usize> {
        let articles = self.write(COMMIT, true, |tx| tx.forget(entries, rest))?;
        self.erase()?;
        Ok(articles)
    }

    /// Erases the noted records from their months, unless a snapshot is in use: then whoever took
    /// it calls again.
    pub fn erase(&self) -> Result<()> {
        let _writer = self.writer();
        let nothing = self.view().scan_raw(&[keys::ERASE], &[keys::ERASE + 1]).next().is_none();
        if nothing || self.snapshots.any() {
            return Ok(());
        }
        let mut tx = self.tx()?;
        let noted = tx.o.prefix::<Month>(&[keys::ERASE]).collect::<Result<Vec<_>>>()?;
        let mut months = BTreeSet::new();
        for (at, month) in noted {
            let id = Parts(at.get(1..).unwrap_or_default()).id();
            self.months.erase(month, id.ok_or_else(|| tx.o.bad_key(&at))?)?;
            months.insert(month);
            tx.o.del(at);
        }
        self.months.flush(&months.into_iter().collect::<Vec<_>>())?;
        self.commit(tx, COMMIT, false)
    }
}

impl Tx<'_> {
    pub fn forget(&mut self, entries: &[UrlRecord], rest: &[Story]) -> Result<usize> {
        let mut articles = BTreeSet::new();
        for entry in entries {
            if self.o.has(&key(keys::POINTER).id(entry.key).done())? {
                articles.insert(entry.key);
            }
        }
        self.split_stories(&articles, rest)?;
        for article in &articles {
            self.remove_article(*article)?;
        }
        for entry in entries {
            self.bury(entry)?;
        }
        Ok(articles.len())
    }

    /// Ends an entry, known or not, as forgotten.
    fn bury(&mut self, entry: &UrlRecord) -> Result<()> {
        let name = |outcome: &Outcome| outcome.name().to_owned();
        let record = match self.o.url(entry.key)? {
            Some(old) if old.outcome == Outcome::Forgotten => return Ok(()),
            Some(old) => {
                if old.outcome == Outcome::Pending {
                    self.dequeue(&old.pace_key, priority(&old), old.next, old.key);
                    self.counters.pending = self.counters.pending.saturating_sub(1);
                }
                let ledger = self.ledger(old.arrival, &old.outlet);
                *ledger.outcomes.entry(name(&old.outcome)).or_default() -= 1;
                old
            }
            None => {
                let ledger = self.ledger(entry.arrival, &entry.outlet);
                ledger.entries += 1;
                ledger.arrived(entry, 1);
                entry.clone()
            }
        };
        let record = tombstone(record);
        let ledger = self.ledger(record.arrival, &record.outlet);
        *ledger.outcomes.entry(name(&record.outcome)).or_default() += 1;
        self.decisions.push(Decision::Forgotten(Box::new(record.clone())));
        self.put_url(&record)
    }

    /// All of an article but its entry and its story.
    fn remove_article(&mut self, id: UrlKey) -> Result<()> {
        let at = key(keys::POINTER).id(id).done();
        let Some(pointer) = self.o.get::<Pointer>(&at)? else { return Ok(()) };
        let arrival = self.o.arrival(id)?;
        let version = self.version.clone();
        for row in self.o.mentions_of(&version, id)? {
            self.tally(&row.brand, row.day, &Tally::of_row(&row, arrival, -1));
        }
        for version in versions(&self.o)? {
            for (brand, row) in self.rows_of(&version, id)? {
                self.o.del(mention_key(&version, &brand, row.day, id));
                self.o.del(key(keys::BY_ARTICLE).text(&version).id(id).text(&brand).done());
            }
            self.o.del(key(keys::RECOUNTED).text(&version).id(id).done());
        }
        // One that cannot be read does not keep its article from being forgotten.
        let record = match self.read_article(pointer.month, id) {
            Err(StoreError::Corrupt { .. }) => None,
            record => record?,
        };
        self.unremember(id, record.as_ref())?;
        self.o.del(key(keys::BY_DAY).day(pointer.day).id(id).done());
        self.o.del(key(keys::VECTOR).at(pointer.at).id(id).done());
        self.o.del(at);
        self.remove_excerpts(id)?;
        self.log(id, pointer.at, true)?;
        self.o.put(key(keys::ERASE).id(id).done(), &pointer.month)?;
        self.counters.articles = self.counters.articles.saturating_sub(1);
        Ok(())
    }
}
