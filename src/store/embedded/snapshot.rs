//! The ordered map as it was at one instant, while it goes on changing: every writer puts aside
//! what it is about to overwrite, and a reader sees that instead of what came after.
//!
//! Must not know: what the keys and values mean.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::kv::{Kv, Row, Rows, Writes, is_whole};
use crate::store::{Result, StoreError};

/// Bytes that one snapshot puts aside at most.
const MOST_BYTES: usize = 256 << 20;
/// Rows read between two looks at what was put aside.
const CHUNK: usize = 256;

/// The snapshots that are in use.
#[derive(Default)]
pub struct Snapshots(Mutex<Vec<Weak<Undo>>>);

/// What the map held before the first write to a key since the snapshot; `None`: nothing.
#[derive(Default)]
struct Undo(Mutex<Old>);

#[derive(Default)]
struct Old {
    values: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    bytes: usize,
    /// More than [`MOST_BYTES`] changed: the snapshot can no longer be read.
    lost: bool,
}

impl Undo {
    fn old(&self) -> MutexGuard<'_, Old> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A map as it was; read only.
pub struct Snapshot<'a> {
    kv: &'a dyn Kv,
    undo: Arc<Undo>,
    /// How many rows there were, if that is known.
    rows: Option<u64>,
}

impl Snapshots {
    fn live(&self) -> MutexGuard<'_, Vec<Weak<Undo>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The map as it is now. The caller holds the writer.
    pub fn take<'a>(&self, kv: &'a dyn Kv) -> Result<Snapshot<'a>> {
        let (undo, rows) = (Arc::new(Undo::default()), kv.rows()?);
        let mut live = self.live();
        live.retain(|undo| undo.strong_count() > 0);
        live.push(Arc::downgrade(&undo));
        Ok(Snapshot { kv, undo, rows })
    }

    /// Is there one in use?
    pub fn any(&self) -> bool {
        self.live().iter().any(|undo| undo.strong_count() > 0)
    }

    /// Puts aside what `writes` are about to overwrite. The caller holds the writer.
    pub fn before(&self, kv: &dyn Kv, writes: &Writes) -> Result<()> {
        let live: Vec<Arc<Undo>> = self.live().iter().filter_map(Weak::upgrade).collect();
        for undo in live {
            for key in writes.keys() {
                {
                    let old = undo.old();
                    if old.lost || old.values.contains_key(key) {
                        continue;
                    }
                }
                let value = kv.get(key)?;
                let mut old = undo.old();
                old.bytes += key.len() + value.as_ref().map_or(0, Vec::len);
                old.values.insert(key.clone(), value);
                if old.bytes > MOST_BYTES {
                    *old = Old { lost: true, ..Old::default() };
                }
            }
        }
        Ok(())
    }
}

fn lost() -> StoreError {
    StoreError::Other(
        "too much of the store changed while it was being read: try again when it is calmer"
            .to_owned(),
    )
}

impl Kv for Snapshot<'_> {
    /// What is put aside is put there before it is overwritten: so a value read from the map holds
    /// if nothing has been put aside after the reading.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let now = self.kv.get(key)?;
        let old = self.undo.old();
        if old.lost {
            return Err(lost());
        }
        Ok(old.values.get(key).cloned().unwrap_or(now))
    }

    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        Box::new(Chunks {
            snapshot: self,
            from: Some(from.to_vec()),
            to: to.to_vec(),
            chunk: Vec::new().into_iter(),
            expected: self.rows.filter(|_| is_whole(from, to)),
            seen: 0,
        })
    }

    fn apply(&self, _: Writes) -> Result<()> {
        Err(StoreError::Other("a snapshot cannot be written to".to_owned()))
    }

    fn flush(&self) -> Result<()> {
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        self.kv.size()
    }

    fn rows(&self) -> Result<Option<u64>> {
        Ok(self.rows)
    }

    fn place(&self) -> String {
        self.kv.place()
    }

    fn suspect(&self, detail: &str) {
        self.kv.suspect(detail);
    }
}

/// A scan in chunks, each corrected by what had been put aside when it was read.
struct Chunks<'a> {
    snapshot: &'a Snapshot<'a>,
    /// Start of the next chunk; `None`: that was the last one.
    from: Option<Vec<u8>>,
    to: Vec<u8>,
    chunk: std::vec::IntoIter<Row>,
    /// Rows that it must come to; `None` at its end.
    expected: Option<u64>,
    seen: u64,
}

impl Chunks<'_> {
    fn read(&mut self, from: &[u8]) -> Result<Vec<Row>> {
        let mut rows = BTreeMap::new();
        for row in self.snapshot.kv.scan(from, &self.to).take(CHUNK) {
            let (key, value) = row?;
            rows.insert(key, value);
        }
        let end = match rows.last_key_value() {
            Some((last, _)) if rows.len() >= CHUNK => [last, &[0][..]].concat(),
            _ => self.to.clone(),
        };
        let old = self.snapshot.undo.old();
        if old.lost {
            return Err(lost());
        }
        let range = (Bound::Included(from), Bound::Excluded(end.as_slice()));
        for (key, value) in old.values.range::<[u8], _>(range) {
            match value {
                Some(value) => rows.insert(key.clone(), value.clone()),
                None => rows.remove(key),
            };
        }
        drop(old);
        self.from = (end < self.to).then_some(end);
        Ok(rows.into_iter().collect())
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.chunk.next() {
                self.seen += 1;
                return Some(Ok(row));
            }
            let Some(from) = self.from.take().filter(|from| *from < self.to) else {
                let expected = self.expected.take().filter(|rows| *rows != self.seen)?;
                let detail = format!("it gives {} rows and should have {expected}", self.seen);
                self.snapshot.suspect(&detail);
                return Some(Err(StoreError::Corrupt { path: self.snapshot.place(), detail }));
            };
            match self.read(&from) {
                Ok(rows) => self.chunk = rows.into_iter(),
                Err(e) => return Some(Err(e)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::embedded::ram::RamKv;
    use proptest::prelude::*;

    fn rows(kv: &dyn Kv, from: u16, to: u16) -> Vec<Row> {
        kv.scan(&from.to_be_bytes(), &to.to_be_bytes()).map(|row| row.unwrap()).collect()
    }

    fn change(writes: &BTreeMap<u16, Option<u8>>) -> Writes {
        let bytes = |(k, v): (&u16, &Option<u8>)| (k.to_be_bytes().to_vec(), v.map(|v| vec![v]));
        writes.iter().map(bytes).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Whatever is written before, between and after the chunks of a scan.
        #[test]
        fn a_snapshot_stays_what_the_map_was(
            base in prop::collection::btree_map(0u16..900, prop::option::of(0u8..9), 0..900),
            later in prop::collection::vec(
                prop::collection::btree_map(0u16..900, prop::option::of(0u8..9), 0..300), 1..4),
            from in 0u16..900,
            to in 0u16..900,
        ) {
            let kv = RamKv::default();
            kv.apply(change(&base)).unwrap();
            let expected = rows(&kv, from, to);
            let all = rows(&kv, 0, 900);
            let snapshots = Snapshots::default();
            let snapshot = snapshots.take(&kv).unwrap();
            let mut reader = snapshot.scan(&from.to_be_bytes(), &to.to_be_bytes());
            let mut seen = Vec::new();
            for writes in &later {
                seen.extend(reader.by_ref().take(150).map(|row| row.unwrap()));
                let writes = change(writes);
                snapshots.before(&kv, &writes).unwrap();
                kv.apply(writes).unwrap();
            }
            seen.extend(reader.by_ref().map(|row| row.unwrap()));
            prop_assert_eq!(seen, expected);
            prop_assert_eq!(rows(&snapshot, 0, 900), all.clone());
            for key in 0u16..900 {
                let at = key.to_be_bytes();
                let was = all.iter().find(|(k, _)| *k == at).map(|(_, v)| v.clone());
                prop_assert_eq!(snapshot.get(&at).unwrap(), was);
            }
            drop(reader);
            prop_assert!(snapshots.any());
            drop(snapshot);
            prop_assert!(!snapshots.any());
        }
    }
}
