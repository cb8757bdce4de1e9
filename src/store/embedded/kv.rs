//! The smallest thing a store stands on: one ordered map from bytes to bytes with atomic batches,
//! and an overlay that lets a transaction see its own writes before they are applied.
//!
//! Must not know: what the keys and values mean.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Bound;

use crate::store::Result;

/// Rows and bytes that [`copy`] writes in one batch.
const ROWS: usize = 1_000;
const BYTES: usize = 1 << 20;

/// A key and its value.
pub type Row = (Vec<u8>, Vec<u8>);
/// Rows in key order.
pub type Rows<'a> = Box<dyn Iterator<Item = Result<Row>> + 'a>;
/// Writes of one batch: `None` deletes.
pub type Writes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// An ordered map with atomic batches.
pub trait Kv: Send + Sync {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;
    /// Rows with `from <= key < to`. Not a snapshot: rows written meanwhile may or may not appear.
    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_>;
    /// All or nothing, for readers and after a crash.
    fn apply(&self, writes: Writes) -> Result<()>;
    /// As [`Kv::apply`], and durable when it returns, like everything applied before.
    fn commit(&self, writes: Writes) -> Result<()> {
        self.apply(writes)?;
        self.flush()
    }
    /// Everything applied before is durable when this returns.
    fn flush(&self) -> Result<()>;
    /// Closes the files; whatever is asked afterwards fails.
    fn close(&self) -> Result<()> {
        self.flush()
    }
    /// Bytes held.
    fn size(&self) -> Result<u64>;
    /// Rows held; `None` if nobody counts them.
    fn rows(&self) -> Result<Option<u64>> {
        Ok(None)
    }
    /// Where it lives, for messages.
    fn place(&self) -> String;
    /// What was read is not what was written: the next opening looks for damage.
    fn suspect(&self, _detail: &str) {}
    /// Gives back the space of what was overwritten, if it can. The caller holds the writer.
    /// `false`: nothing was gained.
    fn compact(&self) -> Result<bool> {
        Ok(false)
    }
}

/// Copies every row; durable when it returns.
pub fn copy(from: &dyn Kv, to: &dyn Kv) -> Result<()> {
    let mut batch = Writes::new();
    let mut bytes = 0;
    for row in from.scan(&[], &[0xff; 64]) {
        let (key, value) = row?;
        bytes += key.len() + value.len();
        batch.insert(key, Some(value));
        if batch.len() >= ROWS || bytes >= BYTES {
            to.apply(std::mem::take(&mut batch))?;
            bytes = 0;
        }
    }
    to.apply(batch)?;
    to.flush()
}

/// The first key after all keys that begin with `prefix`.
pub fn end_of(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xff {
            end.push(last + 1);
            return end;
        }
    }
    // No key is that long: every key begins with a table byte below 0xff.
    vec![0xff; 64]
}

/// Does a scan of these bounds give every row?
pub fn is_whole(from: &[u8], to: &[u8]) -> bool {
    from.is_empty() && to >= &[0xff; 17][..]
}

/// A map and the writes that are to be applied to it.
pub struct Overlay<'a> {
    pub kv: &'a dyn Kv,
    pub writes: Writes,
}

impl<'a> Overlay<'a> {
    pub fn new(kv: &'a dyn Kv) -> Self {
        Overlay { kv, writes: Writes::new() }
    }

    pub fn raw(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        match self.writes.get(key) {
            Some(value) => Ok(value.clone()),
            None => self.kv.get(key),
        }
    }

    pub fn scan_raw(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        if from >= to {
            return Box::new(std::iter::empty());
        }
        let below = self.kv.scan(from, to);
        let range = (Bound::Included(from), Bound::Excluded(to));
        if self.writes.range::<[u8], _>(range).next().is_none() {
            return below;
        }
        let above = self.writes.range::<[u8], _>(range);
        let above = above.map(|(key, value)| (key.clone(), value.clone()));
        Box::new(Merge { below: below.peekable(), above: above.peekable() })
    }
}

/// Rows as they are after writes, both in key order.
pub fn merged(below: Rows<'_>, above: Vec<(Vec<u8>, Option<Vec<u8>>)>) -> Rows<'_> {
    if above.is_empty() {
        return below;
    }
    Box::new(Merge { below: below.peekable(), above: above.into_iter().peekable() })
}

/// Two ordered runs as one; on equal keys the upper one wins.
struct Merge<'a, A: Iterator<Item = (Vec<u8>, Option<Vec<u8>>)>> {
    below: Peekable<Rows<'a>>,
    above: Peekable<A>,
}

impl<A: Iterator<Item = (Vec<u8>, Option<Vec<u8>>)>> Iterator for Merge<'_, A> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let order = match (self.below.peek(), self.above.peek()) {
                (None, None) => return None,
                (Some(Err(_)), _) | (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(Ok((a, _))), Some((b, _))) => a.cmp(b),
            };
            if order.is_lt() {
                return self.below.next();
            }
            if order.is_eq() {
                self.below.next();
            }
            if let Some((key, Some(value))) = self.above.next() {
                return Some(Ok((key, value)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::embedded::ram::RamKv;
    use proptest::prelude::*;

    proptest! {
        /// An overlay reads like the map after the batch.
        #[test]
        fn overlay_is_the_map_after_the_batch(
            base in proptest::collection::btree_map(0u8..40, 0u8..9, 0..30),
            writes in proptest::collection::btree_map(0u8..40, proptest::option::of(0u8..9), 0..30),
            from in 0u8..40,
            to in 0u8..40,
        ) {
            let kv = RamKv::default();
            kv.apply(base.iter().map(|(k, v)| (vec![*k], Some(vec![*v]))).collect()).unwrap();
            let mut overlay = Overlay::new(&kv);
            overlay.writes = writes.iter().map(|(k, v)| (vec![*k], v.map(|v| vec![v]))).collect();
            let seen: Vec<Row> = overlay.scan_raw(&[from], &[to]).map(|r| r.unwrap()).collect();
            let pending = overlay.writes.clone();
            kv.apply(pending).unwrap();
            let after: Vec<Row> = kv.scan(&[from], &[to]).map(|r| r.unwrap()).collect();
            prop_assert_eq!(seen, after);
        }
    }

    #[test]
    fn prefix_ends() {
        assert_eq!(end_of(b"ab"), b"ac");
        assert_eq!(end_of(&[1, 0xff]), [2]);
    }
}
