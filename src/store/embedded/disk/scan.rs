//! Reading rows in order while others write: the latest rows are looked at some at a time, with the
//! sheets that belong to that instant.
//!
//! Must not know: what the keys and values mean.

use std::iter::Peekable;
use std::ops::Bound;
use std::sync::Arc;

use super::DiskKv;
use super::levels::{Levels, Merge};
use crate::store::Result;
use crate::store::embedded::kv::Row;

/// Latest rows looked at first, and at a time later: most scans ask for one row.
const FIRST: usize = 4;
const MOST: usize = 256;

pub struct Scan<'a> {
    kv: &'a DiskKv,
    to: Vec<u8>,
    /// Latest rows, as many as were looked at.
    recent: Peekable<std::vec::IntoIter<(Vec<u8>, Option<Vec<u8>>)>>,
    many: usize,
    /// There may be more of them from here on; `None`: these are all.
    rest: Option<Vec<u8>>,
    sheets: Option<(Arc<Levels>, Merge)>,
    done: bool,
}

impl<'a> Scan<'a> {
    pub fn new(kv: &'a DiskKv, from: &[u8], to: &[u8]) -> Scan<'a> {
        Scan {
            kv,
            to: to.to_vec(),
            recent: Vec::new().into_iter().peekable(),
            many: FIRST,
            rest: Some(from.to_vec()),
            sheets: None,
            done: from >= to,
        }
    }

    pub fn next(&mut self) -> Result<Option<Row>> {
        while !self.done {
            match self.step() {
                Ok(Some((key, Some(value)))) => return Ok(Some((key, value))),
                Ok(Some((_, None))) => {}
                Ok(None) => self.done = true,
                Err(error) => {
                    self.done = true;
                    return Err(error);
                }
            }
        }
        Ok(None)
    }

    /// The next key, removed or not.
    fn step(&mut self) -> Result<Option<(Vec<u8>, Option<Vec<u8>>)>> {
        loop {
            let below = self.sheets.as_ref().and_then(|(_, merge)| merge.row());
            let below = below.filter(|(key, _)| *key < self.to.as_slice());
            let above = self.recent.peek().map(|(key, _)| key.as_slice());
            if above.is_none()
                && let Some(rest) = &self.rest
                && below.is_none_or(|(key, _)| key >= rest.as_slice())
            {
                let from = rest.clone();
                self.look(from)?;
                continue;
            }
            let row = match (below, above) {
                (None, None) => return Ok(None),
                (Some((key, value)), above) if above.is_none_or(|above| key < above) => {
                    (key.to_vec(), value.map(<[u8]>::to_vec))
                }
                (below, Some(above)) => {
                    let same = below.is_some_and(|(key, _)| key == above);
                    if same && let Some((_, merge)) = &mut self.sheets {
                        merge.advance()?;
                    }
                    return Ok(self.recent.next());
                }
                (Some(_), None) => return Ok(None),
            };
            if let Some((_, merge)) = &mut self.sheets {
                merge.advance()?;
            }
            return Ok(Some(row));
        }
    }

    /// Looks at the latest rows from a key on, and at the sheets of the same instant.
    fn look(&mut self, from: Vec<u8>) -> Result<()> {
        let levels = {
            let state = self.kv.state();
            let range = (Bound::Included(from.as_slice()), Bound::Excluded(self.to.as_slice()));
            let rows = state.recent.range::<[u8], _>(range).take(self.many);
            let rows: Vec<_> = rows.map(|(key, value)| (key.clone(), value.clone())).collect();
            self.rest = rows.last().filter(|_| rows.len() == self.many).map(|(key, _)| {
                let mut after = key.clone();
                after.push(0);
                after
            });
            self.recent = rows.into_iter().peekable();
            state.levels.clone()
        };
        self.many = (self.many * 4).min(MOST);
        if self.sheets.as_ref().is_none_or(|(old, _)| !Arc::ptr_eq(old, &levels)) {
            let runs = levels.runs(&from, &self.to, true);
            self.sheets = Some((levels, Merge::new(runs, &self.kv.cache, &from)?));
        }
        Ok(())
    }
}
