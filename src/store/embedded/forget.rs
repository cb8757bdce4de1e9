//! Forgetting: entries end for good, and of articles goes everything. The main database forgets in
//! one commit and notes what is to be erased; then the months erase it, after a crash at the next
//! opening, and never under the eyes of a snapshot that still points there.
//!
//! Must not know: why something is forgotten.

use std::collections::BTreeSet;

use super::decisions::Line;
use super::format::Month;
use super::format::keys::{self, Parts};
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::decision::{Change, Decision};
use crate::store::rules::decisions::change;
use crate::store::{Result, StoreError};

impl Embedded {
    pub fn forget_entries(
        &self,
        entries: &[UrlRecord],
        rest: &[Story],
        decision: Option<&Decision>,
    ) -> Result<usize> {
        let articles = self.write(COMMIT, true, |tx| {
            let mut new = Vec::new();
            for entry in entries {
                let known = tx.o.url(entry.key)?;
                if known.is_none_or(|url| url.outcome != Outcome::Forgotten) {
                    new.push(entry.key);
                }
            }
            let articles = change(tx, &Change::Forget { entries, rest }, decision)?;
            for id in new {
                tx.decisions.extend(tx.o.url(id)?.map(|url| Line::Forgotten(Box::new(url))));
            }
            Ok(articles)
        })?;
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
        let lost = self.read_lost_months()?;
        let (mut months, mut damaged) = (BTreeSet::new(), BTreeSet::new());
        for (at, month) in noted {
            match self.months.erase(month, tx.o.part(&at, 1, Parts::id)?) {
                // It keeps nothing else from being forgotten.
                Err(error @ StoreError::Corrupt { .. }) if self.months.is_damaged(month) => {
                    if damaged.insert(month) {
                        tracing::error!("what was forgotten of {month} is not erased yet: {error}");
                    }
                    continue;
                }
                erased => erased?,
            }
            months.insert(month);
            // A month that will be put back has it again: it stays noted until then.
            if !lost.contains(&month.to_string()) && self.months.is_in_place(month) {
                tx.o.del(at);
            }
        }
        self.months.flush(&months.into_iter().collect::<Vec<_>>())?;
        self.commit(tx, COMMIT, false)
    }
}
