//! Retention: texts, URL memory and robots.txt records leave by age, some at a time, so that commits go on between.
//! Counts stay: mention rows, tallies, stories and vectors are no texts, and the ledger remembers how
//! many of its entries have left.
//!
//! Must not know: what the ages are, and why.

use std::collections::BTreeMap;

use super::format::keys::{self, Parts, key};
use super::format::{Kept, LEAVING, Leaving, Month, Pointer, VECTORS, decode, encode, kept_key};
use super::tx::Tx;
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::embedded::kv::{Kv, Writes};
use crate::store::embedded::months::unpack;
use crate::store::rules::retention::{ENTRIES, LEFT, ROBOTS, prune};
use crate::store::{Pruned, Reading, Result, Retention, StoreError};

/// What a month keeps of an article without text.
pub fn kept(month: &dyn Kv, id: UrlKey) -> Result<Option<Kept>> {
    let at = kept_key(id);
    let Some(value) = month.get(&at)? else { return Ok(None) };
    decode(&at, &value).map(Some).map_err(|e| StoreError::Corrupt {
        path: month.place(),
        detail: format!("what is kept of the article {id} {e}"),
    })
}

/// Articles that are looked at in one go after a recount.
const RECOUNTED_AT_ONCE: usize = 20_000;

impl Embedded {
    /// After a recount: what stands beside articles without text is what they count now.
    pub fn keep_recounted(&self) -> Result<()> {
        let mut from = vec![keys::POINTER];
        loop {
            let mut of_month: BTreeMap<Month, Vec<UrlKey>> = BTreeMap::new();
            let mut last = None;
            let view = self.view();
            for row in view.scan_raw(&from, &[keys::POINTER + 1]).take(RECOUNTED_AT_ONCE) {
                let (at, _) = row?;
                // What cannot be read is for `verify` to report.
                if let (Ok(Some(pointer)), Ok(id)) =
                    (view.get::<Pointer>(&at), view.part(&at, 1, Parts::id))
                {
                    of_month.entry(pointer.month).or_default().push(id);
                }
                last = Some(at);
            }
            for (month, ids) in &of_month {
                self.keep_recounted_of(*month, ids)?;
            }
            let Some(last) = last else { return Ok(()) };
            from = [&last[..], &[0]].concat();
        }
    }

    fn keep_recounted_of(&self, month: Month, ids: &[UrlKey]) -> Result<()> {
        // A month that is damaged keeps nobody from what is in use by now; `status` names it.
        let Ok(Some(kv)) = self.months.month(month, false) else { return Ok(()) };
        let _writer = self.writer();
        let mut writes = Writes::new();
        for id in ids {
            let Ok(Some(before)) = kept(&*kv, *id) else { continue };
            let Ok(mentions) = self.mentions_of(*id) else { continue };
            if mentions != before.mentions {
                let at = kept_key(*id);
                let value = encode(&at, &Kept { mentions, ..before })?;
                writes.insert(at, Some(value));
            }
        }
        if writes.is_empty() {
            return Ok(());
        }
        kv.commit(writes)
    }
}

/// The row that says how far the texts of a month have left.
fn noted(leaving: &Leaving) -> Result<(Vec<u8>, Option<Vec<u8>>)> {
    Ok((LEAVING.to_vec(), Some(encode(&LEAVING, leaving)?)))
}

impl Embedded {
    /// Takes the texts from the next articles of a month.
    fn prune_month(&self, month: Month, most: usize) -> Result<Pruned> {
        let Some(kv) = self.months.month(month, false)? else { return Ok(Pruned::default()) };
        let Leaving::Begun { mut from, dropped: mut any } = self.months.leaving(month)? else {
            return Ok(Pruned::default());
        };
        let view = self.view();
        let mut writes = Writes::new();
        let (mut last, mut seen, mut dropped) = (None, 0, 0);
        for row in kv.scan(&from, &VECTORS).take(most) {
            let (row, value) = row?;
            seen += 1;
            last = Some(row.clone());
            let Ok(id) = <[u8; 16]>::try_from(&row[..]) else { continue };
            let id = UrlKey(u128::from_be_bytes(id));
            // What cannot be read is for `verify` to report.
            let Ok(record) = unpack(id, &value) else { continue };
            if !record.has_text() {
                continue;
            }
            // A record that nothing points to was left by a crash; it keeps nothing.
            if view.has(&key(keys::POINTER).id(id).done())? {
                let kept = Kept { mentions: self.mentions_of(id)?, ..Kept::default() };
                let at = kept_key(id);
                writes.insert(at.clone(), Some(encode(&at, &kept)?));
            }
            writes.insert(row, Some(self.months.pack(&record.without_text())?));
            dropped += 1;
        }
        any |= dropped > 0;
        if let Some(last) = last {
            from = [&last[..], &[0]].concat();
        }
        // After a crash nothing else tells that there is something to be written anew.
        writes.extend([noted(&Leaving::Begun { from, dropped: any })?]);
        kv.commit(writes)?;
        if seen < most {
            if any {
                self.give_back(month, &*kv)?;
            }
            kv.commit(Writes::from([noted(&Leaving::Done)?]))?;
        }
        Ok(Pruned { dropped, more: true })
    }
}

impl Retention for Embedded {
    fn ages_until(&self, now: Millis) -> Result<Millis> {
        Ok(self.doubt().believed(now))
    }

    /// Only whole months: each is written anew at its end.
    fn prune_texts(&self, before: Millis, most: usize) -> Result<Pruned> {
        let _writer = self.writer();
        // A backup reads the months row by row: it gets them as they are.
        if self.snapshots.any() {
            return Ok(Pruned::default());
        }
        let Some(month) = self.months.with_texts(Month::of(before))? else {
            return Ok(Pruned::default());
        };
        match self.prune_month(month, most.max(1)) {
            // The others do not wait for it.
            Err(error @ StoreError::Corrupt { .. }) if self.months.is_damaged(month) => {
                tracing::error!("the texts of {month} do not leave by age: {error}");
                Ok(Pruned { dropped: 0, more: true })
            }
            done => done,
        }
    }

    fn prune_entries(&self, before: Millis, most: usize) -> Result<Pruned> {
        self.write(COMMIT, true, |tx| {
            let from = begin(tx, ENTRIES, keys::URL)?;
            let rows = tx.o.scan::<UrlRecord>(&from, &[keys::URL + 1]);
            let rows: Vec<_> = rows.take(most.max(1)).collect::<Result<_>>()?;
            let more = rows.len() >= most.max(1);
            let after = rows.last().filter(|_| more).map(|(at, _)| at.clone());
            let entries: Vec<UrlRecord> = rows.into_iter().map(|(_, url)| url).collect();
            let aged = prune(tx, &entries, before)?;
            if aged.left > 0 {
                tx.o.put_bytes(key(keys::META).text(LEFT).done(), &[]);
            }
            tx.o.put_bytes(key(keys::META).text(ENTRIES).done(), &after.unwrap_or_default());
            Ok(Pruned { dropped: aged.left + aged.bared, more })
        })
    }

    fn prune_robots(&self, before: Millis, unreachable: Millis, most: usize) -> Result<Pruned> {
        self.write(COMMIT, true, |tx| {
            let from = begin(tx, ROBOTS, keys::ROBOTS)?;
            let (mut seen, mut last, mut gone) = (0, Vec::new(), Vec::new());
            // One by one: each can be half a mebibyte.
            for row in tx.o.scan::<RobotsRecord>(&from, &[keys::ROBOTS + 1]).take(most.max(1)) {
                seen += 1;
                let (at, record) = match row {
                    Ok(row) => row,
                    // What cannot be read is for `verify` to report.
                    Err(StoreError::Corrupt { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let age = if record.unreachable_since.is_some() { unreachable } else { before };
                if record.fresh_until < age {
                    gone.push(at.clone());
                }
                last = at;
            }
            let more = seen >= most.max(1);
            let dropped = gone.len() as u64;
            gone.into_iter().for_each(|at| tx.o.del(at));
            let after = if more { &last[..] } else { &[] };
            tx.o.put_bytes(key(keys::META).text(ROBOTS).done(), after);
            Ok(Pruned { dropped, more })
        })
    }
}

/// Where the next batch of a table's rows begins.
fn begin(tx: &Tx<'_>, name: &str, table: u8) -> Result<Vec<u8>> {
    Ok(match tx.o.get_bytes(&key(keys::META).text(name).done())? {
        Some(after) if !after.is_empty() => [&after[..], &[0]].concat(),
        _ => vec![table],
    })
}
