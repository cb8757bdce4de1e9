//! Vectors of articles: one row each in the month of its article, in the order of publication, written with the
//! record. An article can come long after it was published, so who asks for vectors by date gets the rows of
//! several months as one. Stores of before format 7 kept all vectors in main; they are moved at opening.
//!
//! Must not know: what a vector says, who asks for it.

use std::collections::BTreeMap;
use std::time::Instant;

use super::files::need;
use super::format::keys::{self, key, said};
use super::format::{Counters, Month, Pointer, unseal, vector_key, vector_of_key};
use super::kv::{Overlay, Row};
use super::slack::COMPACTED;
use super::tx::Tx;
use super::{COMMIT, Embedded, SAY_EVERY};
use crate::model::*;
use crate::store::Result;
use crate::store::embedded::months::Months;

/// Rows of a month that are read at a time; between two times it may be closed.
const ROWS: usize = if cfg!(test) { 2 } else { 64 };
/// Rows that leave main in one commit.
const MOVED: usize = if cfg!(test) { 2 } else { 2_000 };

/// The vectors of one month from a key on.
struct Walk<'a> {
    months: &'a Months,
    month: Month,
    /// Where the next rows begin; `None`: those read last were the end.
    from: Option<Vec<u8>>,
    rows: std::vec::IntoIter<Row>,
}

impl Walk<'_> {
    fn next(&mut self) -> Result<Option<Row>> {
        if let Some(row) = self.rows.next() {
            return Ok(Some(row));
        }
        let Some(from) = self.from.take() else { return Ok(None) };
        let rows = self.months.vector_rows(self.month, &from, ROWS)?;
        let last = rows.last().filter(|_| rows.len() == ROWS);
        self.from = last.map(|(at, _)| [at, &[0][..]].concat());
        self.rows = rows.into_iter();
        Ok(self.rows.next())
    }
}

impl Embedded {
    /// See [`crate::store::Reading::vectors`].
    pub(super) fn read_vectors(
        &self,
        since: Millis,
        each: &mut dyn FnMut(UrlKey, Millis, Vec<u8>) -> bool,
    ) -> Result<()> {
        let view = self.view();
        let from = vector_key(since, UrlKey(0));
        // The next row of each month, in order.
        let mut next = BTreeMap::new();
        for (month, referred) in self.referred()? {
            if referred.reaches(since) {
                let (months, from) = (&self.months, Some(from.clone()));
                let mut walk = Walk { months, month, from, rows: Vec::new().into_iter() };
                if let Some((at, value)) = walk.next()? {
                    next.insert((at, month), (value, walk));
                }
            }
        }
        while let Some(((at, month), (value, mut walk))) = next.pop_first() {
            if let Some((at, value)) = walk.next()? {
                next.insert((at, month), (value, walk));
            }
            let Some((published, id)) = vector_of_key(&at) else { continue };
            // What nothing points to was left by a crash, or is to be erased.
            let pointer: Option<Pointer> = view.get(&key(keys::POINTER).id(id).done())?;
            if pointer.is_none_or(|to| (to.month, to.at) != (month, published)) {
                continue;
            }
            let bytes = match unseal(&at, &value) {
                Ok(bytes) => Some(bytes.to_vec()),
                // Says what is wrong.
                Err(_) => self.months.vector(month, id, published)?,
            };
            if bytes.is_some_and(|bytes| !each(id, published, bytes)) {
                break;
            }
        }
        Ok(())
    }

    /// The vector of an article published `at`.
    pub(super) fn read_vector(
        &self,
        view: &Overlay,
        article: UrlKey,
        at: Millis,
    ) -> Result<Option<Vec<u8>>> {
        let pointer: Option<Pointer> = view.get(&key(keys::POINTER).id(article).done())?;
        match pointer.filter(|pointer| pointer.at == at) {
            Some(pointer) => self.months.vector(pointer.month, article, at),
            None => Ok(None),
        }
    }

    /// Takes the vectors of a store of before out of main. They leave main when they are durable in their
    /// months: what a crash leaves there is moved at the next opening.
    pub(super) fn move_vectors(&self) -> Result<()> {
        let mut from = vec![keys::VECTOR];
        let (mut moved, mut useless) = (0_u64, 0_u64);
        let (mut said, mut all) = (Instant::now(), None);
        loop {
            let _writer = self.writer();
            let mut tx = self.tx()?;
            let rows = tx.o.scan_raw(&from, &[keys::VECTOR + 1]).take(MOVED);
            let rows = rows.collect::<Result<Vec<_>>>()?;
            let Some((last, _)) = rows.last() else { break };
            // Behind it: the journal still has what is deleted before.
            from = [last, &[0][..]].concat();
            if all.is_none() {
                all = Some(self.begin_moving(&tx, &rows)?);
            }
            for (at, value) in rows {
                if tx.move_vector(&at, &value)? {
                    moved += 1;
                } else {
                    useless += 1;
                }
                tx.o.del(at);
            }
            // Main has room now that only a compaction gives back.
            tx.o.del(key(keys::META).text(COMPACTED).done());
            self.commit(tx, COMMIT, true)?;
            if said.elapsed() > SAY_EVERY {
                said = Instant::now();
                tracing::warn!("{moved} of {} term vectors are moved", all.unwrap_or_default());
            }
        }
        if moved + useless > 0 {
            tracing::warn!("{moved} term vectors are moved to the months of their articles");
        }
        if useless > 0 {
            tracing::warn!(
                "{useless} were damaged, or of no article, and are dropped; run `crawler verify`"
            );
        }
        Ok(())
    }

    /// Says what is to be done, if there is room for it; how many vectors there may be.
    fn begin_moving(&self, tx: &Tx, first: &[Row]) -> Result<u64> {
        let counters: Counters = tx.o.get(&key(keys::COUNTERS).done())?.unwrap_or_default();
        let bytes: usize = first.iter().map(|(at, value)| at.len() + value.len()).sum();
        let room = bytes as u64 / first.len().max(1) as u64 * counters.articles;
        let what = "moving the term vectors out of the main database";
        tracing::warn!(
            "{what}, to the months of their articles: {} of them, about {} MiB; it may be interrupted, \
             and goes on at the next start",
            counters.articles,
            room.div_ceil(1 << 20)
        );
        if let Some(dir) = &self.dir {
            need(dir, room, what)?;
        }
        Ok(counters.articles)
    }
}

impl Tx<'_> {
    /// One that stands in main to the month of its article. `false`: it is damaged, or of no article.
    fn move_vector(&mut self, at: &[u8], value: &[u8]) -> Result<bool> {
        let of = said(at, 1, |parts| Some((parts.at()?, parts.id()?)));
        let Some((published, id)) = of else { return Ok(false) };
        let pointer: Option<Pointer> = self.o.get(&key(keys::POINTER).id(id).done())?;
        let Some(pointer) = pointer.filter(|pointer| pointer.at == published) else {
            return Ok(false);
        };
        self.refer_to(pointer.month, id, published)?;
        let Ok(vector) = unseal(at, value) else { return Ok(false) };
        self.put_vector(pointer.month, id, published, vector);
        Ok(true)
    }
}
