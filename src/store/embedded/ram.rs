//! The ordered map in memory: for tests, `extract`-like commands and trials.
//!
//! Must not know: what the keys and values mean.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{PoisonError, RwLock};

use super::kv::{Kv, Row, Rows, Writes};
use crate::store::Result;

/// Rows copied out under one read lock: a reader's callback may write to the same map.
const CHUNK: usize = 256;

#[derive(Default)]
pub struct RamKv(RwLock<BTreeMap<Vec<u8>, Vec<u8>>>);

impl Kv for RamKv {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.0.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned())
    }

    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        Box::new(Chunks {
            kv: self,
            from: Bound::Included(from.to_vec()),
            to: to.to_vec(),
            chunk: Vec::new().into_iter(),
        })
    }

    fn apply(&self, writes: Writes) -> Result<()> {
        let mut map = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in writes {
            match value {
                Some(value) => map.insert(key, value),
                None => map.remove(&key),
            };
        }
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        let map = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Ok(map.iter().map(|(k, v)| (k.len() + v.len()) as u64).sum())
    }

    fn place(&self) -> String {
        "in memory".to_owned()
    }
}

struct Chunks<'a> {
    kv: &'a RamKv,
    from: Bound<Vec<u8>>,
    to: Vec<u8>,
    chunk: std::vec::IntoIter<Row>,
}

impl Iterator for Chunks<'_> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(row) = self.chunk.next() {
            return Some(Ok(row));
        }
        let (Bound::Included(from) | Bound::Excluded(from)) = &self.from else { return None };
        if *from >= self.to {
            return None;
        }
        let map = self.kv.0.read().unwrap_or_else(PoisonError::into_inner);
        let rows: Vec<Row> = map
            .range((self.from.clone(), Bound::Excluded(self.to.clone())))
            .take(CHUNK)
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        drop(map);
        self.from = Bound::Excluded(rows.last()?.0.clone());
        self.chunk = rows.into_iter();
        self.chunk.next().map(Ok)
    }
}
