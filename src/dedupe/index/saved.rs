//! The index as bytes, so that a restart need not make it again from all vectors: a line that
//! names the format, one record per article, the number of articles and a checksum. A record is
//! the digest's length (4 bytes, little endian like all numbers), key (16), publication instant
//! (8), token sum (4), sketch, digest.
//!
//! Must not know: where the bytes are kept.

use std::io::{Error, ErrorKind, Read, Write};

use super::bound::BUCKETS;
use super::{Entry, Index};
use crate::model::UrlKey;

const FORMAT: &[u8] = b"crawler copy index 2\n";
/// Stands for the length of a digest after the last record.
const END: u32 = u32::MAX;
/// Longest digest that is read: no text within the page cap has so many terms.
const DIGEST: u32 = 64 << 20;
/// Bytes of a record between the length and the digest.
const HEAD: usize = 16 + 8 + 4 + BUCKETS;

impl Index {
    /// Writes everything but the full vectors and the settings.
    pub fn save(&self, to: &mut dyn Write) -> std::io::Result<()> {
        to.write_all(FORMAT)?;
        let mut sum = 0;
        let mut record = Vec::new();
        for shelf in self.shelves.values() {
            let cells: Vec<_> =
                shelf.cells.iter().filter_map(|n| self.cells.get(*n as usize)).collect();
            let most = cells.iter().map(|cell| cell.len()).max().unwrap_or(0);
            // One of each cell in turn: they come as mixed as they did the first time, so the
            // cells that they make when they are read again are as good.
            for place in 0..most {
                for cell in &cells {
                    let Some((key, at, len, sketch)) = cell.article(place) else { continue };
                    let digest = cell.digest(place);
                    record.clear();
                    // Digests of one cell are below 4 GiB together.
                    record.extend_from_slice(&(digest.len() as u32).to_le_bytes());
                    record.extend_from_slice(&key.0.to_le_bytes());
                    record.extend_from_slice(&at.to_le_bytes());
                    record.extend_from_slice(&len.to_le_bytes());
                    record.extend_from_slice(sketch);
                    record.extend_from_slice(digest);
                    to.write_all(&record)?;
                    sum = checked(sum, record.get(4..).unwrap_or_default());
                }
            }
        }
        to.write_all(&END.to_le_bytes())?;
        to.write_all(&(self.len() as u64).to_le_bytes())?;
        to.write_all(&sum.to_le_bytes())
    }

    /// Adds what [`Index::save`] wrote; how many articles that were. After an error the index
    /// holds a part of them and is to be dropped.
    pub fn load(&mut self, from: &mut dyn Read) -> std::io::Result<u64> {
        let damaged = |what: &str| Error::new(ErrorKind::InvalidData, what.to_string());
        let mut format = [0; FORMAT.len()];
        from.read_exact(&mut format)?;
        if format != FORMAT {
            return Err(damaged("not a copy index of this version"));
        }
        let (mut sum, mut count) = (0, 0u64);
        let mut record = Vec::new();
        loop {
            let length = u32::from_le_bytes(number(from)?);
            if length == END {
                break;
            }
            if length > DIGEST {
                return Err(damaged("a digest is too long"));
            }
            record.clear();
            let bytes = HEAD as u64 + u64::from(length);
            if from.take(bytes).read_to_end(&mut record)? as u64 != bytes {
                return Err(damaged("cut off"));
            }
            sum = checked(sum, &record);
            let (key, at, entry) = entry(&record).ok_or_else(|| damaged("a text has no terms"))?;
            self.enter(key, at, &entry);
            count += 1;
        }
        if u64::from_le_bytes(number(from)?) != count || u64::from_le_bytes(number(from)?) != sum {
            return Err(damaged("the checksum differs"));
        }
        Ok(count)
    }
}

fn entry(record: &[u8]) -> Option<(UrlKey, i64, Entry)> {
    let (key, rest) = record.split_first_chunk()?;
    let (at, rest) = rest.split_first_chunk()?;
    let (len, rest) = rest.split_first_chunk()?;
    let (sketch, digest) = rest.split_first_chunk::<BUCKETS>()?;
    let len = u32::from_le_bytes(*len);
    let entry = Entry { len, sketch: *sketch, digest: digest.to_vec() };
    (len > 0).then_some((UrlKey(u128::from_le_bytes(*key)), i64::from_le_bytes(*at), entry))
}

fn number<const N: usize>(from: &mut dyn Read) -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Carries a checksum over more bytes: finds damage, not malice.
fn checked(sum: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let step =
        |sum: u64, word: u64| (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let sum = words.iter().fold(sum, |sum, word| step(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(step(sum, bytes.len() as u64), |sum, byte| step(sum, u64::from(*byte)))
}
