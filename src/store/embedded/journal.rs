//! The file of a map's latest writes: batch after batch, each with a checksum, written over again from the
//! beginning when the map has taken them over. A flush then costs one place on the disk, not one for every
//! page that a row lies in.
//!
//! Must not know: the map, what the keys and values mean.

use std::fs::{File, OpenOptions};
use std::io::Result;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use super::kv::Writes;

/// Its name in the map's folder.
pub const FILE: &str = "journal";
/// Before each batch: its epoch, its length, the checksum of both and of the batch.
const HEAD: usize = 16;
/// A value's length where the key is deleted.
const GONE: u32 = u32::MAX;

/// A journal that is written to.
pub struct Journal {
    file: File,
    /// What is written belongs to this one; what the file holds of others has been taken over.
    epoch: u64,
    /// Where the next batch goes.
    end: u64,
    /// When all was durable last; `None`: it is.
    waiting: Option<Instant>,
}

/// Bytes that a batch takes.
pub fn size(writes: &Writes) -> usize {
    let value = |value: &Option<Vec<u8>>| value.as_ref().map_or(0, Vec::len);
    HEAD + writes.iter().map(|(key, v)| 8 + key.len() + value(v)).sum::<usize>()
}

impl Journal {
    /// Begins an empty one in the folder.
    pub fn begin(folder: &Path, epoch: u64) -> Result<Journal> {
        let mut options = OpenOptions::new();
        let file =
            options.read(true).write(true).create(true).truncate(true).open(folder.join(FILE))?;
        // Its name is as durable as what will stand in it.
        File::open(folder)?.sync_all()?;
        Ok(Journal { file, epoch, end: 0, waiting: None })
    }

    /// What was written is taken over: from the beginning again.
    pub fn begin_again(&mut self, epoch: u64) {
        (self.epoch, self.end, self.waiting) = (epoch, 0, None);
    }

    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Bytes of what was written since it was begun.
    pub fn len(&self) -> u64 {
        self.end
    }

    /// Since when something waits to be durable.
    pub fn waiting(&self) -> Option<Instant> {
        self.waiting
    }

    /// Writes a batch behind the others, durable when it returns if it is to be. If that fails, it is not
    /// there.
    pub fn append(&mut self, writes: &Writes, durable: bool) -> Result<()> {
        let mut batch = Vec::with_capacity(size(writes));
        batch.resize(HEAD, 0);
        for (key, value) in writes {
            let length = value.as_ref().map_or(GONE, |value| value.len() as u32);
            batch.extend((key.len() as u32).to_be_bytes());
            batch.extend(length.to_be_bytes());
            batch.extend(key);
            batch.extend(value.iter().flatten());
        }
        let length = (batch.len() - HEAD) as u32;
        batch[..8].copy_from_slice(&self.epoch.to_be_bytes());
        batch[8..12].copy_from_slice(&length.to_be_bytes());
        let sum = checksum(&batch).to_be_bytes();
        batch[12..HEAD].copy_from_slice(&sum);
        self.file.write_all_at(&batch, self.end)?;
        if durable {
            self.file.sync_data()?;
        }
        self.waiting = if durable { None } else { self.waiting.or_else(|| Some(Instant::now())) };
        self.end += batch.len() as u64;
        Ok(())
    }

    /// Everything appended is durable when this returns.
    pub fn sync(&mut self) -> Result<()> {
        if self.waiting.is_some() {
            self.file.sync_data()?;
            self.waiting = None;
        }
        Ok(())
    }
}

/// Of a whole batch, without the place of its checksum.
fn checksum(batch: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(&batch[..12]);
    crc.update(&batch[HEAD..]);
    crc.sum()
}

/// What a journal holds of an epoch.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub writes: Writes,
    /// Where something stands between two batches that is none. What was cut off while it was written stands at
    /// the end, and is no damage.
    pub damaged: Option<u64>,
}

/// Reads the journal in the folder; nothing is found where there is none.
pub fn read(folder: &Path, epoch: u64) -> Result<Found> {
    let bytes = match std::fs::read(folder.join(FILE)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Found::default()),
        bytes => bytes?,
    };
    let (mut found, mut at, mut bad) = (Found::default(), 0, None);
    while at < bytes.len() {
        match batch(&bytes[at..], epoch) {
            Some((writes, length)) => {
                found.writes.extend(writes);
                found.damaged = found.damaged.or(bad.take());
                at += length;
            }
            None => {
                bad = bad.or(Some(at as u64));
                // The next place that may be the beginning of one.
                let name = epoch.to_be_bytes();
                let next = bytes[at + 1..].windows(name.len()).position(|window| window == name);
                at = next.map_or(bytes.len(), |next| at + 1 + next);
            }
        }
    }
    Ok(found)
}

/// The batch that begins here, and its length in all.
fn batch(bytes: &[u8], epoch: u64) -> Option<(Writes, usize)> {
    let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
    let number =
        |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let length = number(8) as usize;
    if head[..8] != epoch.to_be_bytes() || length > rest.len() {
        return None;
    }
    let whole = &bytes[..HEAD + length];
    if checksum(whole) != number(12) {
        return None;
    }
    let (mut writes, mut rest) = (Writes::new(), &whole[HEAD..]);
    while !rest.is_empty() {
        let (key_length, after) = rest.split_first_chunk::<4>()?;
        let (value_length, after) = after.split_first_chunk::<4>()?;
        let (key, after) = after.split_at_checked(u32::from_be_bytes(*key_length) as usize)?;
        rest = after;
        let value = match u32::from_be_bytes(*value_length) {
            GONE => None,
            length => {
                let (value, after) = rest.split_at_checked(length as usize)?;
                rest = after;
                Some(value.to_vec())
            }
        };
        writes.insert(key.to_vec(), value);
    }
    Some((writes, HEAD + length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn batches() -> impl Strategy<Value = Vec<Writes>> {
        let value = prop::option::of(prop::collection::vec(any::<u8>(), 0..40));
        let batch =
            prop::collection::btree_map(prop::collection::vec(any::<u8>(), 0..6), value, 0..5);
        prop::collection::vec(batch, 1..8)
    }

    /// What the first so many batches come to.
    fn sum(batches: &[Writes]) -> Writes {
        batches.iter().flat_map(|batch| batch.clone()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Over an older journal, cut off at any byte: what was whole comes back. One bit turned before the
        /// last batch is damage, and all batches but that one come back.
        #[test]
        fn what_was_appended_comes_back(old in batches(), new in batches(), cut in any::<u16>(), bit in any::<u16>()) {
            let dir = tempfile::tempdir().unwrap();
            let mut journal = Journal::begin(dir.path(), 7).unwrap();
            old.iter().for_each(|batch| journal.append(batch, false).unwrap());
            prop_assert_eq!(read(dir.path(), 7).unwrap(), Found { writes: sum(&old), damaged: None });
            journal.begin_again(8);
            let mut ends = vec![0];
            for batch in &new {
                journal.append(batch, true).unwrap();
                prop_assert_eq!(journal.len() - ends.last().unwrap(), size(batch) as u64);
                ends.push(journal.len());
            }
            prop_assert_eq!(read(dir.path(), 8).unwrap(), Found { writes: sum(&new), damaged: None });
            prop_assert_eq!(read(dir.path(), 9).unwrap().writes, Writes::new());
            let (file, whole) = (dir.path().join(FILE), std::fs::read(dir.path().join(FILE)).unwrap());
            let cut = u64::from(cut) % (journal.len() + 1);
            std::fs::write(&file, &whole[..cut as usize]).unwrap();
            let kept = ends.iter().filter(|end| **end <= cut).count() - 1;
            prop_assert_eq!(read(dir.path(), 8).unwrap(), Found { writes: sum(&new[..kept]), damaged: None });
            let at = u64::from(bit) % journal.len();
            let mut turned = whole;
            turned[at as usize] ^= 1 << (bit % 8);
            std::fs::write(&file, &turned).unwrap();
            let struck = ends.iter().filter(|end| **end <= at).count() - 1;
            let others: Vec<Writes> =
                new.iter().enumerate().filter(|(n, _)| *n != struck).map(|(_, b)| b.clone()).collect();
            let damaged = (struck + 1 < new.len()).then_some(ends[struck]);
            prop_assert_eq!(read(dir.path(), 8).unwrap(), Found { writes: sum(&others), damaged });
        }
    }
}
