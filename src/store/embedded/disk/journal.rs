//! The journal: every batch in the order in which it was applied, until its rows lie in a sheet. A
//! batch is whole or not there.
//!
//! Must not know: sheets, what the rows mean.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::chunk::{Cursor, Packer, checksum};
use super::{corrupt, io};
use crate::store::embedded::kv::Writes;
use crate::store::{Result, StoreError};

const MAGIC: &[u8; 8] = b"journal1";
/// Bytes before the rows of a batch: their length (4), how long the journal was when it was durable
/// last (8), checksum of these, the rows and the journal's number (4).
const HEAD: usize = 16;
/// No batch is longer.
const LONGEST: usize = 1 << 30;
/// Bytes that a journal grows by: as much as it has, within these bounds.
const GROWTH: (u64, u64) = (64 << 10, 1 << 20);

/// Bytes of a journal without rows.
pub const EMPTY: u64 = MAGIC.len() as u64;

pub struct Journal {
    file: File,
    path: PathBuf,
    number: u64,
    /// Its length: what is behind belongs to nobody.
    len: u64,
    /// The file has so many bytes already. To overwrite them takes a flush of the data alone; to make a
    /// file longer, a flush of everything that the file system has to write.
    room: u64,
    /// Durable up to here.
    synced: u64,
    /// A flush has failed, or a batch that failed cannot be taken back: nobody knows what is on disk.
    broken: bool,
}

impl Journal {
    /// A new one; its name is durable with that of its folder. `spare`: a journal that is not needed any
    /// more, whose room is used.
    pub fn create(path: PathBuf, number: u64, spare: Option<&Path>) -> Result<Journal> {
        let make = || {
            if let Some(spare) = spare.filter(|spare| spare.exists()) {
                std::fs::rename(spare, &path)?;
            }
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
            file.write_all_at(MAGIC, 0)?;
            file.sync_data()?;
            let room = file.metadata()?.len();
            Ok((file, room))
        };
        let (file, room) = make().map_err(|e| io(&path, e))?;
        Ok(Journal { file, path, number, len: EMPTY, room, synced: EMPTY, broken: false })
    }

    /// Reads an existing one and goes on at its end. A batch that was cut off at the end never was; one
    /// that is damaged and had been durable is an error.
    pub fn open(
        path: PathBuf,
        number: u64,
        each: &mut dyn FnMut(Vec<u8>, Option<Vec<u8>>),
    ) -> Result<Journal> {
        let open = || {
            let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok((file, bytes))
        };
        let (file, bytes) = open().map_err(|e| io(&path, e))?;
        if bytes.len() < MAGIC.len() && MAGIC.starts_with(&bytes) {
            drop(file);
            return Journal::create(path, number, None);
        }
        if !bytes.starts_with(MAGIC) {
            return Err(corrupt(&path, "does not begin as a journal does"));
        }
        let mut at = MAGIC.len();
        while let Some((rows, end)) = batch(&bytes, at, number) {
            let mut rows = Cursor::new(Arc::new(rows.to_vec()));
            while rows.advance().map_err(|what| corrupt(&path, what))? {
                each(rows.key.clone(), rows.value().map(<[u8]>::to_vec));
            }
            at = end;
        }
        // Was what cannot be read durable? Then a later batch says so.
        let later = (at + 1..bytes.len()).find(|later| batch(&bytes, *later, number).is_some());
        if let Some(later) = later
            && synced_at(&bytes, later).is_some_and(|synced| synced > at as u64)
        {
            return Err(corrupt(&path, &format!("is damaged at its byte {at}")));
        }
        let len = at as u64;
        if bytes.len() > at {
            // What is behind must not be taken for batches later.
            file.set_len(len).and_then(|()| file.sync_data()).map_err(|e| io(&path, e))?;
        }
        Ok(Journal { file, path, number, len, room: len, synced: len, broken: false })
    }

    /// Every whole batch that can be found, whatever lies between them.
    pub fn salvage(path: &Path, number: u64, each: &mut dyn FnMut(Vec<u8>, Option<Vec<u8>>)) {
        let bytes = std::fs::read(path).unwrap_or_default();
        let mut at = 0;
        while at < bytes.len() {
            let Some((rows, end)) = batch(&bytes, at, number) else {
                at += 1;
                continue;
            };
            let mut rows = Cursor::new(Arc::new(rows.to_vec()));
            while let Ok(true) = rows.advance() {
                each(rows.key.clone(), rows.value().map(<[u8]>::to_vec));
            }
            at = end;
        }
    }

    /// Appends a batch; durable after [`Journal::sync`]. If this fails, the batch never was.
    pub fn append(&mut self, writes: &Writes) -> Result<()> {
        if self.broken {
            return Err(StoreError::Other(format!(
                "an earlier write to {} failed: start again",
                self.path.display()
            )));
        }
        let mut rows = Packer::after(HEAD);
        for (key, value) in writes {
            rows.push(key, value.as_deref());
        }
        let mut bytes = rows.bytes;
        let length = bytes.len() - HEAD;
        if length > LONGEST {
            return Err(StoreError::Other(format!("a batch of {length} bytes is too long")));
        }
        let (length, synced) = ((length as u32).to_le_bytes(), self.synced.to_le_bytes());
        let rows = bytes.get(HEAD..).unwrap_or_default();
        let sum = checksum(&[&length, &synced, rows, &self.number.to_le_bytes()]).to_le_bytes();
        let head = length.into_iter().chain(synced).chain(sum);
        bytes.iter_mut().zip(head).for_each(|(byte, new)| *byte = new);
        let end = self.len + bytes.len() as u64;
        let written = self.reserve(end).and_then(|()| self.file.write_all_at(&bytes, self.len));
        if let Err(error) = written {
            // What there is of it must not stand at the end.
            self.room = self.len;
            self.broken = self.file.set_len(self.len).is_err();
            return Err(io(&self.path, error));
        }
        self.len = end;
        Ok(())
    }

    /// Makes the file longer, if it must be.
    fn reserve(&mut self, end: u64) -> std::io::Result<()> {
        while self.room < end {
            let more = self.room.clamp(GROWTH.0, GROWTH.1);
            self.file.write_all_at(&vec![0; more as usize], self.room)?;
            self.room += more;
        }
        Ok(())
    }

    /// Everything appended is durable when this returns.
    pub fn sync(&mut self) -> Result<()> {
        if self.synced < self.len {
            if let Err(error) = self.file.sync_data() {
                // The system may have dropped what it could not write.
                self.broken = true;
                return Err(io(&self.path, error));
            }
            self.synced = self.len;
        }
        Ok(())
    }

    /// Bytes of its batches.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Bytes of its file.
    pub fn room(&self) -> u64 {
        self.room
    }

    /// Gives back the room that it does not use.
    pub fn shrink(&mut self) -> Result<()> {
        self.room = self.len;
        self.file.set_len(self.len).map_err(|e| io(&self.path, e))
    }

    /// Leaves its file as a spare one: its rows lie in a sheet.
    pub fn leave(self, spare: &Path) -> Result<()> {
        std::fs::rename(&self.path, spare).map_err(|e| io(&self.path, e))
    }
}

/// The rows of the batch that begins at `at`, and where it ends.
fn batch(bytes: &[u8], at: usize, number: u64) -> Option<(&[u8], usize)> {
    let (head, rest) = bytes.get(at..)?.split_first_chunk::<HEAD>()?;
    let (head, sum) = head.split_at(HEAD - 4);
    let (length, synced) = head.split_at(4);
    let rows = u32::from_le_bytes(length.try_into().ok()?) as usize;
    let rows = rest.get(..rows).filter(|rows| !rows.is_empty())?;
    let good = checksum(&[length, synced, rows, &number.to_le_bytes()]).to_le_bytes() == sum;
    good.then_some((rows, at + HEAD + rows.len()))
}

/// How long the journal was when it had become durable before the batch at `at`.
fn synced_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at + 4..)?.first_chunk().map(|synced| u64::from_le_bytes(*synced))
}
