//! Sheets: files of rows in key order that are written once. Chunks of rows, then a filter (Bloom 1970)
//! that tells most keys that are not there, then the last key and the place of each chunk.
//!
//! Must not know: other sheets, which of two rows is the newer one.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use zstd::bulk::Compressor;

use super::cache::Cache;
use super::chunk::{Cursor, Packer, checksum, seal, unseal};
use super::{Shape, corrupt, io};
use crate::store::Result;

const MAGIC: [u8; 4] = *b"sht1";
/// The end of the file: where filter and index are and how long, a checksum of that, [`MAGIC`].
const FOOT: usize = 8 + 4 + 4 + 4 + 4;
/// Bits of the filter per key, and how many of them a key sets: one key in a hundred is taken for
/// another.
const BITS: u64 = 10;
const PROBES: u64 = 7;
/// In the cache, where a chunk of this sheet would begin: filter and index.
const GUIDE: u64 = u64::MAX;

/// What is known of a sheet without reading it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub number: u64,
    pub bytes: u64,
    pub rows: u64,
    /// Rows that say that a key was removed.
    pub removed: u64,
    pub first: Vec<u8>,
    pub last: Vec<u8>,
}

/// The file of a sheet.
pub fn path_of(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:08}.sheet"))
}

/// What the cache holds.
pub enum Piece {
    Chunk(Arc<Vec<u8>>),
    Guide(Guide),
}

/// Filter and index.
pub struct Guide {
    filter: Vec<u8>,
    /// The last keys of the chunks, one after the other, and where each ends.
    keys: Vec<u8>,
    ends: Vec<u32>,
    /// Place and length of the chunks.
    places: Vec<(u64, u32)>,
}

pub struct Sheet {
    pub about: About,
    path: PathBuf,
    /// No longer listed: the file goes when the last reader is done.
    dead: AtomicBool,
}

impl Drop for Sheet {
    fn drop(&mut self) {
        if self.dead.load(Ordering::Relaxed) {
            // If it stays, the next opening removes it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Sheet {
    pub fn new(dir: &Path, about: About) -> Sheet {
        Sheet { path: path_of(dir, about.number), about, dead: AtomicBool::new(false) }
    }

    /// A sheet of which nothing is known but that the file is there; `None` if its index cannot be read.
    pub fn find(dir: &Path, number: u64, cache: &Cache<Piece>) -> Option<About> {
        let bytes = std::fs::metadata(path_of(dir, number)).ok()?.len();
        let (first, last) = (Vec::new(), Vec::new());
        let about = About { number, bytes, rows: 0, removed: 1, first, last };
        let piece = Sheet::new(dir, about.clone()).guide(cache).ok()?;
        let Piece::Guide(guide) = &*piece else { return None };
        let last = guide.last_key(guide.places.len().checked_sub(1)?).to_vec();
        Some(About { last, ..about })
    }

    /// Its file goes with its last reader.
    pub fn drop_file(&self) {
        self.dead.store(true, Ordering::Relaxed);
    }

    /// Is the file there, as long as it was?
    pub fn check(&self) -> Result<()> {
        match std::fs::metadata(&self.path) {
            Ok(meta) if meta.len() == self.about.bytes => Ok(()),
            Ok(meta) => {
                let (is, was) = (meta.len(), self.about.bytes);
                Err(corrupt(&self.path, &format!("has {is} bytes, but was written with {was}")))
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&self, error: std::io::Error) -> crate::store::StoreError {
        io(&self.path, error)
    }

    /// Can a key with `from <= key < to` be in it?
    pub fn overlaps(&self, from: &[u8], to: &[u8]) -> bool {
        self.about.last.as_slice() >= from && self.about.first.as_slice() < to
    }

    fn read(&self, file: &File, at: u64, length: u32) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, at).map_err(|e| self.failed(e))?;
        unseal(&bytes).map_err(|what| corrupt(&self.path, &format!("{what} at its byte {at}")))
    }

    fn open(&self) -> Result<File> {
        File::open(&self.path).map_err(|e| self.failed(e))
    }

    /// Filter and index, from the cache or the file.
    pub fn guide(&self, cache: &Cache<Piece>) -> Result<Arc<Piece>> {
        let at = (self.about.number, GUIDE);
        if let Some(piece) = cache.get(at) {
            return Ok(piece);
        }
        let guide = self.read_guide()?;
        let bytes = guide.bytes();
        let piece = Arc::new(Piece::Guide(guide));
        cache.put(at, piece.clone(), bytes);
        Ok(piece)
    }

    fn read_guide(&self) -> Result<Guide> {
        let file = self.open()?;
        let damaged = || corrupt(&self.path, "has an unreadable end");
        let mut foot = [0; FOOT];
        let end = self.about.bytes.checked_sub(FOOT as u64).ok_or_else(damaged)?;
        file.read_exact_at(&mut foot, end).map_err(|e| self.failed(e))?;
        let (sizes, rest) = foot.split_at(FOOT - 8);
        let (sum, magic) = rest.split_at(4);
        if checksum(&[sizes]).to_le_bytes() != sum || MAGIC != magic {
            return Err(damaged());
        }
        let number = |from: usize| {
            let bytes = sizes.get(from..).and_then(|rest| rest.first_chunk::<4>());
            bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
        };
        let at = u64::from(number(0)) | u64::from(number(4)) << 32;
        let filter = self.read(&file, at, number(8))?;
        let index = self.read(&file, at + u64::from(number(8)), number(12))?;
        let (mut keys, mut ends, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut rows = Cursor::new(Arc::new(index));
        while rows.advance().map_err(|what| corrupt(&self.path, what))? {
            let place = rows.value().and_then(|value| value.split_first_chunk::<8>());
            let (place, length) = place.ok_or_else(damaged)?;
            let length = <[u8; 4]>::try_from(length).map_err(|_| damaged())?;
            keys.extend_from_slice(&rows.key);
            ends.push(u32::try_from(keys.len()).map_err(|_| damaged())?);
            places.push((u64::from_le_bytes(*place), u32::from_le_bytes(length)));
        }
        Ok(Guide { filter, keys, ends, places })
    }

    /// The rows of a chunk. `keep`: they may be asked for again.
    fn chunk(&self, cache: &Cache<Piece>, place: (u64, u32), keep: bool) -> Result<Arc<Vec<u8>>> {
        let at = (self.about.number, place.0);
        if let Some(Piece::Chunk(rows)) = cache.get(at).as_deref() {
            return Ok(rows.clone());
        }
        let rows = Arc::new(self.read(&self.open()?, place.0, place.1)?);
        if keep {
            cache.put(at, Arc::new(Piece::Chunk(rows.clone())), rows.len());
        }
        Ok(rows)
    }

    /// What is said of a key: `None`: nothing; `Some(None)`: it was removed.
    pub fn get(
        &self,
        cache: &Cache<Piece>,
        key: &[u8],
        hash: u64,
    ) -> Result<Option<Option<Vec<u8>>>> {
        let piece = self.guide(cache)?;
        let Piece::Guide(guide) = &*piece else { return Ok(None) };
        if !guide.may_hold(hash) {
            return Ok(None);
        }
        let Some(place) = guide.places.get(guide.first_at(key)) else { return Ok(None) };
        let mut rows = Cursor::new(self.chunk(cache, *place, true)?);
        while rows.advance().map_err(|what| corrupt(&self.path, what))? {
            match rows.key.as_slice().cmp(key) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Ok(Some(rows.value().map(<[u8]>::to_vec))),
                std::cmp::Ordering::Greater => break,
            }
        }
        Ok(None)
    }
}

impl Guide {
    fn bytes(&self) -> usize {
        self.filter.len() + self.keys.len() + self.ends.len() * 4 + self.places.len() * 16
    }

    fn last_key(&self, chunk: usize) -> &[u8] {
        let end = |n: usize| self.ends.get(n).map_or(0, |end| *end as usize);
        let from = chunk.checked_sub(1).map_or(0, end);
        self.keys.get(from..end(chunk)).unwrap_or_default()
    }

    /// The first chunk that can hold a key that is not less.
    fn first_at(&self, key: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.places.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.last_key(middle) < key { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn may_hold(&self, hash: u64) -> bool {
        let bits = self.filter.len() as u64 * 8;
        bits == 0
            || probes(hash, bits).all(|bit| {
                let byte = self.filter.get((bit / 8) as usize).copied().unwrap_or(u8::MAX);
                byte >> (bit % 8) & 1 == 1
            })
    }
}

/// The bits that a key sets (Kirsch and Mitzenmacher 2006: two hashes do for all).
fn probes(hash: u64, bits: u64) -> impl Iterator<Item = u64> {
    let step = hash.rotate_left(32) | 1;
    (0..PROBES).map(move |n| hash.wrapping_add(n.wrapping_mul(step)) % bits)
}

/// The hash of a key in filters. It is part of the format.
pub fn hash_of(key: &[u8]) -> u64 {
    let step =
        |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (words, rest) = key.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(byte, new)| *byte = *new);
    let sum = words.iter().fold(key.len() as u64, |sum, word| step(sum, u64::from_le_bytes(*word)));
    let sum = step(sum, u64::from_le_bytes(last));
    let sum = (sum ^ sum >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    sum ^ sum >> 29
}

/// The rows of one sheet from a key on.
pub struct Reader {
    sheet: Arc<Sheet>,
    guide: Arc<Piece>,
    chunk: usize,
    rows: Cursor,
    keep: bool,
}

impl Reader {
    /// Stands on the first row whose key is not less than `from`; `None` if there is none.
    pub fn new(
        sheet: Arc<Sheet>,
        cache: &Cache<Piece>,
        from: &[u8],
        keep: bool,
    ) -> Result<Option<Reader>> {
        let piece = sheet.guide(cache)?;
        let Piece::Guide(guide) = &*piece else { return Ok(None) };
        let chunk = guide.first_at(from);
        let Some(place) = guide.places.get(chunk) else { return Ok(None) };
        let rows = Cursor::new(sheet.chunk(cache, *place, keep)?);
        let mut reader = Reader { sheet, guide: piece, chunk, rows, keep };
        while reader.advance(cache)? {
            if reader.rows.key.as_slice() >= from {
                return Ok(Some(reader));
            }
        }
        Ok(None)
    }

    pub fn advance(&mut self, cache: &Cache<Piece>) -> Result<bool> {
        loop {
            match self.rows.advance() {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(what) => return Err(corrupt(&self.sheet.path, what)),
            }
            let Piece::Guide(guide) = &*self.guide else { return Ok(false) };
            let Some(place) = guide.places.get(self.chunk + 1) else { return Ok(false) };
            self.chunk += 1;
            self.rows = Cursor::new(self.sheet.chunk(cache, *place, self.keep)?);
        }
    }

    pub fn key(&self) -> &[u8] {
        &self.rows.key
    }

    pub fn value(&self) -> Option<&[u8]> {
        self.rows.value()
    }
}

/// Writes a sheet; rows come in the order of their keys, each once.
pub struct Writer {
    file: BufWriter<File>,
    path: PathBuf,
    about: About,
    rows: Packer,
    chunk: usize,
    index: Packer,
    hashes: Vec<u64>,
    compressor: Option<Compressor<'static>>,
}

impl Writer {
    pub fn create(dir: &Path, number: u64, shape: &Shape) -> Result<Writer> {
        let path = path_of(dir, number);
        let compressor = shape.level.map(Compressor::new).transpose();
        let compressor = compressor.map_err(|e| io(&path, e))?;
        let file =
            BufWriter::with_capacity(1 << 18, File::create(&path).map_err(|e| io(&path, e))?);
        let (first, last) = (Vec::new(), Vec::new());
        let about = About { number, bytes: 0, rows: 0, removed: 0, first, last };
        let (rows, index, chunk) = (Packer::default(), Packer::default(), shape.chunk);
        Ok(Writer { file, path, about, rows, chunk, index, hashes: Vec::new(), compressor })
    }

    pub fn push(&mut self, key: &[u8], value: Option<&[u8]>) -> Result<()> {
        if self.about.rows == 0 {
            self.about.first = key.to_vec();
        }
        self.about.rows += 1;
        self.about.removed += u64::from(value.is_none());
        self.hashes.push(hash_of(key));
        self.rows.push(key, value);
        self.about.last.clear();
        self.about.last.extend_from_slice(key);
        if self.rows.bytes.len() >= self.chunk {
            self.end_chunk()?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| io(&self.path, e))?;
        self.about.bytes += bytes.len() as u64;
        Ok(())
    }

    fn end_chunk(&mut self) -> Result<()> {
        let sealed = seal(&self.rows.bytes, &mut self.compressor);
        let mut place = self.about.bytes.to_le_bytes().to_vec();
        place.extend_from_slice(&(sealed.len() as u32).to_le_bytes());
        self.index.push(&self.about.last, Some(&place));
        self.rows.clear();
        self.write(&sealed)
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.about.bytes
    }

    /// Ends the file; durable when it returns, but for its name.
    pub fn finish(mut self) -> Result<About> {
        if !self.rows.bytes.is_empty() {
            self.end_chunk()?;
        }
        let bits = (self.hashes.len() as u64 * BITS).next_multiple_of(64);
        let mut filter = vec![0_u8; (bits / 8) as usize];
        for hash in &self.hashes {
            for bit in probes(*hash, bits) {
                if let Some(byte) = filter.get_mut((bit / 8) as usize) {
                    *byte |= 1 << (bit % 8);
                }
            }
        }
        let filter = seal(&filter, &mut None);
        let index = seal(&self.index.bytes, &mut self.compressor);
        let mut foot = self.about.bytes.to_le_bytes().to_vec();
        foot.extend_from_slice(&(filter.len() as u32).to_le_bytes());
        foot.extend_from_slice(&(index.len() as u32).to_le_bytes());
        let sum = checksum(&[&foot]).to_le_bytes();
        foot.extend_from_slice(&sum);
        foot.extend_from_slice(&MAGIC);
        for part in [filter, index, foot] {
            self.write(&part)?;
        }
        let ended = self.file.into_inner().map_err(std::io::IntoInnerError::into_error);
        ended.and_then(|file| file.sync_data()).map_err(|e| io(&self.path, e))?;
        Ok(self.about)
    }
}
