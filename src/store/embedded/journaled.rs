//! A map on disk and the journal before it: what is written stands in the journal and in memory, and goes
//! to the map many writes at a time. So a row that is written again and again is written to the map once.
//!
//! Must not know: what the keys and values mean.

use std::ops::Bound;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::abort::abort_point;
use super::damage::of_system;
use super::journal::{self, Journal};
use super::kv::{Kv, Rows, Writes, merged};
use super::redb::RedbKv;
use crate::store::Result;

/// Bytes of the journal from which on the map takes over what is in it; fewer where tests are to see that.
const MOST: u64 = if cfg!(debug_assertions) { 64 << 10 } else { 2 << 20 };

pub struct Journaled {
    map: RedbKv,
    /// What the journal holds: newer than the map.
    pending: RwLock<Writes>,
    /// Begun with the first write. Whoever writes holds it.
    journal: Mutex<Option<Journal>>,
    /// Longest time that a write which nobody waits for stays unflushed, if others follow it.
    flush_every: Duration,
}

impl Journaled {
    /// A journal before an open map, which has taken over what it had before it.
    pub fn over(map: RedbKv, flush_every: Duration) -> Journaled {
        Journaled { map, pending: RwLock::default(), journal: Mutex::default(), flush_every }
    }

    fn journal(&self) -> MutexGuard<'_, Option<Journal>> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending(&self) -> RwLockReadGuard<'_, Writes> {
        self.pending.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self) -> &Path {
        self.map.folder()
    }

    fn write(&self, writes: Writes, durable: bool) -> Result<()> {
        let mut held = self.journal();
        let room = MOST - held.as_ref().map_or(0, Journal::len).min(MOST);
        if journal::size(&writes) as u64 > room {
            return self.settle(&mut held, writes);
        }
        let io = |error| of_system(self.folder(), error);
        if held.is_none() {
            let epoch = fresh(0);
            self.map.take_over(&Writes::new(), Some(epoch))?;
            *held = Some(Journal::begin(self.folder(), epoch).map_err(io)?);
        }
        let Some(journal) = held.as_mut() else { return Ok(()) };
        let late = journal.waiting().is_some_and(|since| since.elapsed() > self.flush_every);
        journal.append(&writes, durable || late).map_err(io)?;
        self.pending.write().unwrap_or_else(PoisonError::into_inner).extend(writes);
        Ok(())
    }

    /// The map takes over what is pending, and `more` behind it; durable when it returns.
    fn settle(&self, held: &mut Option<Journal>, more: Writes) -> Result<()> {
        let epoch = held.as_ref().map(|journal| fresh(journal.epoch()));
        self.hand_over(more, epoch)?;
        if let (Some(journal), Some(epoch)) = (held, epoch) {
            journal.begin_again(epoch);
        }
        Ok(())
    }

    /// The map takes over everything, and the journal goes.
    fn end(&self) -> Result<()> {
        let mut held = self.journal();
        if held.is_none() {
            return Ok(());
        }
        self.hand_over(Writes::new(), None)?;
        *held = None;
        std::fs::remove_file(self.folder().join(journal::FILE))
            .map_err(|error| of_system(self.folder(), error))
    }

    /// `epoch`: that of the journal from now on.
    fn hand_over(&self, more: Writes, epoch: Option<u64>) -> Result<()> {
        let mut writes = self.pending().clone();
        writes.extend(more);
        abort_point("settle-begin");
        self.map.take_over(&writes, epoch)?;
        abort_point("settle-commit");
        self.pending.write().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }
}

/// Another epoch than any before it.
fn fresh(last: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    u64::try_from(now).unwrap_or(u64::MAX).max(last.wrapping_add(1))
}

impl Drop for Journaled {
    /// What the map does not take over now it takes over when it is opened again.
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Kv for Journaled {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        // What is not pending any more by then is in the map.
        let pending = self.pending().get(key).cloned();
        pending.map_or_else(|| self.map.get(key), Ok)
    }

    /// Both are read as they are when it begins.
    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        if from >= to {
            return Box::new(std::iter::empty());
        }
        let pending = self.pending();
        let range = (Bound::Included(from), Bound::Excluded(to));
        let above = pending.range::<[u8], _>(range).map(|(k, v)| (k.clone(), v.clone())).collect();
        let below = self.map.scan(from, to);
        drop(pending);
        merged(below, above)
    }

    fn apply(&self, writes: Writes) -> Result<()> {
        if writes.is_empty() { Ok(()) } else { self.write(writes, false) }
    }

    fn commit(&self, writes: Writes) -> Result<()> {
        if writes.is_empty() { self.flush() } else { self.write(writes, true) }
    }

    fn flush(&self) -> Result<()> {
        match self.journal().as_mut() {
            Some(journal) => journal.sync().map_err(|error| of_system(self.folder(), error)),
            None => Ok(()),
        }
    }

    fn close(&self) -> Result<()> {
        self.end()?;
        self.map.close()
    }

    fn size(&self) -> Result<u64> {
        self.map.size()
    }

    fn rows(&self) -> Result<Option<u64>> {
        let mut held = self.journal();
        if !self.pending().is_empty() {
            self.settle(&mut held, Writes::new())?;
        }
        self.map.rows()
    }

    fn place(&self) -> String {
        self.map.place()
    }

    fn suspect(&self, detail: &str) {
        self.map.suspect(detail);
    }

    fn compact(&self) -> Result<bool> {
        self.end()?;
        self.map.compact()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::store::embedded::files::copy_files;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Apply(BTreeMap<u8, Option<u16>>),
        Commit(BTreeMap<u8, Option<u16>>),
        Flush,
        Compact,
        Count,
        Reopen,
        Kill,
        PowerCut,
    }

    fn step() -> impl Strategy<Value = Step> {
        // Up to 9,000 bytes each, so that the journal fills.
        let writes = || prop::collection::btree_map(0u8..40, prop::option::of(0u16..9_000), 1..6);
        prop_oneof![
            6 => writes().prop_map(Step::Apply),
            6 => writes().prop_map(Step::Commit),
            1 => Just(Step::Flush),
            1 => Just(Step::Compact),
            1 => Just(Step::Count),
            1 => Just(Step::Reopen),
            2 => Just(Step::Kill),
            2 => Just(Step::PowerCut),
        ]
    }

    type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

    fn open(folder: &Path) -> Journaled {
        Journaled::over(RedbKv::open(folder, 1 << 20).unwrap(), Duration::MAX)
    }

    fn all(map: &Journaled) -> Rows {
        map.scan(&[], &[0xff; 64]).map(Result::unwrap).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        /// Whatever is written, settled, closed or killed between: the rows are those that were written. A power
        /// cut loses nothing that was durable, and leaves no batch in part.
        #[test]
        fn it_is_the_map_that_was_written(steps in prop::collection::vec(step(), 1..40)) {
            let dir = tempfile::tempdir().unwrap();
            let mut folder = dir.path().join("0");
            let mut map = open(&folder);
            let mut rows = Rows::new();
            // The rows after each batch since the last that was durable, and the journal's length then.
            let (mut since, mut durable) = (vec![Rows::new()], 0);
            for (n, step) in steps.into_iter().enumerate() {
                let length = |map: &Journaled| map.journal().as_ref().map_or(0, Journal::len);
                match step {
                    Step::Apply(writes) | Step::Commit(writes) if writes.is_empty() => {}
                    Step::Apply(ref writes) | Step::Commit(ref writes) => {
                        let value = |v: &Option<u16>| v.map(|v| vec![v as u8; usize::from(v)]);
                        let batch: Writes = writes.iter().map(|(k, v)| (vec![*k], value(v))).collect();
                        for (key, value) in &batch {
                            match value {
                                Some(value) => rows.insert(key.clone(), value.clone()),
                                None => rows.remove(key),
                            };
                        }
                        since.push(rows.clone());
                        if matches!(step, Step::Commit(_)) {
                            map.commit(batch).unwrap();
                            (since, durable) = (vec![rows.clone()], length(&map));
                        } else {
                            map.apply(batch).unwrap();
                            // It was handed over.
                            durable = durable.min(length(&map));
                        }
                    }
                    Step::Flush => {
                        map.flush().unwrap();
                        (since, durable) = (vec![rows.clone()], length(&map));
                    }
                    Step::Compact => {
                        prop_assert!(map.compact().unwrap());
                        (since, durable) = (vec![rows.clone()], 0);
                    }
                    Step::Count => {
                        prop_assert_eq!(map.rows().unwrap(), Some(rows.len() as u64));
                        durable = durable.min(length(&map));
                    }
                    Step::Reopen => {
                        drop(map);
                        prop_assert!(!folder.join(journal::FILE).exists());
                        map = open(&folder);
                        (since, durable) = (vec![rows.clone()], 0);
                    }
                    Step::Kill | Step::PowerCut => {
                        let next = dir.path().join((n + 1).to_string());
                        copy_files(&folder, &next, &[]).unwrap();
                        if let (Step::PowerCut, Ok(file)) =
                            (step, std::fs::OpenOptions::new().write(true).open(next.join(journal::FILE)))
                        {
                            // The last batch may be there in part.
                            let end = length(&map);
                            file.set_len(durable + (end - durable) * 2 / 3).unwrap();
                        }
                        (map, folder) = (open(&next), next);
                        let found = all(&map);
                        prop_assert!(since.contains(&found));
                        rows = found;
                        (since, durable) = (vec![rows.clone()], 0);
                    }
                }
                prop_assert_eq!(all(&map), rows.clone());
                for key in 0..40 {
                    prop_assert_eq!(map.get(&[key]).unwrap(), rows.get(&vec![key]).cloned());
                }
            }
        }
    }

    /// A journal that is damaged in its middle is told, and given up for as much as can be read.
    #[test]
    fn a_damaged_journal_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, killed) = (dir.path().join("map"), dir.path().join("killed"));
        let map = open(&folder);
        (0..9).for_each(|n| map.commit(Writes::from([(vec![n], Some(vec![n; 50]))])).unwrap());
        copy_files(&folder, &killed, &[]).unwrap();
        let file = killed.join(journal::FILE);
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        std::fs::write(&file, bytes).unwrap();
        let Err(told) = RedbKv::open(&killed, 1 << 20) else { panic!("it opened") };
        assert!(told.to_string().contains("its journal is damaged at byte"), "{told}");
        let rows = RedbKv::open_damaged(&killed, 1 << 20).unwrap().rows().unwrap();
        assert_eq!(rows, Some(8));
    }

    /// A scan gives the rows as they were when it began, whatever is handed over meanwhile.
    #[test]
    fn a_scan_is_of_one_moment() {
        let dir = tempfile::tempdir().unwrap();
        let map = open(dir.path());
        let put = |n: u8, value: u8| Writes::from([(vec![n], Some(vec![value]))]);
        (0..100).for_each(|n| map.apply(put(n, 1)).unwrap());
        let mut scan = map.scan(&[], &[0xff; 64]);
        assert_eq!(scan.next().unwrap().unwrap(), (vec![0], vec![1]));
        (50..150).for_each(|n| map.apply(put(n, 2)).unwrap());
        map.rows().unwrap();
        (0..10).for_each(|n| map.apply(Writes::from([(vec![n], None)])).unwrap());
        assert!(scan.all(|row| row.unwrap().1 == [1]));
        assert_eq!(all(&map).len(), 140);
    }
}
