//! Rows as bytes: in key order, each key without what it shares with the one before. And how such bytes
//! lie in a file: compressed if that pays, under a checksum.
//!
//! Must not know: files, what the rows mean.

use std::ops::Range;
use std::sync::Arc;

/// Bytes before the payload of a sealed chunk: how it is packed, its plain length, checksum.
const HEAD: usize = 9;
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
/// No chunk is longer, plain: the longest record of a month is less.
const LONGEST: usize = 1 << 30;

/// Appends a number: seven bits a byte, the lowest first (LEB128).
pub fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        // The low seven bits and the mark.
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads what [`put_number`] wrote.
fn take_number(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

/// Rows that are written one after the other, in the order of their keys.
#[derive(Default)]
pub struct Packer {
    pub bytes: Vec<u8>,
    last: Vec<u8>,
}

impl Packer {
    /// Leaves so many bytes free at the beginning.
    pub fn after(head: usize) -> Packer {
        Packer { bytes: vec![0; head], last: Vec::new() }
    }

    /// Appends a row; `None`: the key was removed.
    pub fn push(&mut self, key: &[u8], value: Option<&[u8]>) {
        let shared = self.last.iter().zip(key).take_while(|(a, b)| a == b).count();
        let rest = key.get(shared..).unwrap_or_default();
        put_number(&mut self.bytes, shared as u64);
        put_number(&mut self.bytes, rest.len() as u64);
        put_number(&mut self.bytes, value.map_or(0, |value| value.len() as u64 + 1));
        self.bytes.extend_from_slice(rest);
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self.last.truncate(shared);
        self.last.extend_from_slice(rest);
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.last.clear();
    }
}

/// Reads packed rows one after the other.
pub struct Cursor {
    bytes: Arc<Vec<u8>>,
    at: usize,
    pub key: Vec<u8>,
    value: Option<Range<usize>>,
}

impl Cursor {
    /// Before the first row.
    pub fn new(bytes: Arc<Vec<u8>>) -> Cursor {
        Cursor { bytes, at: 0, key: Vec::new(), value: None }
    }

    /// Goes to the next row; `false` behind the last one.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn advance(&mut self) -> Result<bool, &'static str> {
        if self.at >= self.bytes.len() {
            return Ok(false);
        }
        let cut = "is cut off within a row";
        let mut number = || take_number(&self.bytes, &mut self.at).map(|n| n as usize);
        let (Some(shared), Some(rest), Some(value)) = (number(), number(), number()) else {
            return Err(cut);
        };
        let end = self.at.checked_add(rest).ok_or(cut)?;
        let rest = self.bytes.get(self.at..end).ok_or(cut)?;
        if shared > self.key.len() {
            return Err("has a row without its beginning");
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(rest);
        self.at = end;
        self.value = match value.checked_sub(1) {
            None => None,
            Some(length) => {
                let end = end.checked_add(length).filter(|end| *end <= self.bytes.len());
                self.at = end.ok_or(cut)?;
                Some(self.at - length..self.at)
            }
        };
        Ok(true)
    }

    /// The value of the present row; `None`: the key was removed.
    pub fn value(&self) -> Option<&[u8]> {
        self.value.clone().and_then(|range| self.bytes.get(range))
    }
}

/// Bytes as they lie in a file.
pub fn seal(plain: &[u8], compressor: &mut Option<zstd::bulk::Compressor<'static>>) -> Vec<u8> {
    // What cannot be made an eighth smaller is read faster as it is.
    let small = compressor.as_mut().and_then(|compressor| compressor.compress(plain).ok());
    let small = small.filter(|small| small.len() < plain.len() - plain.len() / 8);
    let (kind, payload) = small.as_deref().map_or((PLAIN, plain), |small| (ZSTD, small));
    let mut bytes = Vec::with_capacity(HEAD + payload.len());
    bytes.push(kind);
    // A chunk is at most a gibibyte long: a batch that is longer is refused.
    bytes.extend_from_slice(&(plain.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&checksum(&[&bytes, payload]).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// The plain bytes of a sealed chunk.
///
/// # Errors
/// What is wrong with it.
pub fn unseal(bytes: &[u8]) -> Result<Vec<u8>, &'static str> {
    let Some((head, payload)) = bytes.split_first_chunk::<HEAD>() else {
        return Err("is cut off");
    };
    let [kind, a, b, c, d, sum @ ..] = *head;
    if u32::from_le_bytes(sum) != checksum(&[&[kind, a, b, c, d], payload]) {
        return Err("fails its checksum");
    }
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    match kind {
        PLAIN => Ok(payload.to_vec()),
        ZSTD if length <= LONGEST => {
            zstd::bulk::decompress(payload, length).map_err(|_| "does not decompress")
        }
        _ => Err("is packed in a way that this crawler does not know"),
    }
}

/// CRC-32 over all parts.
pub fn checksum(parts: &[&[u8]]) -> u32 {
    let mut crc = flate2::Crc::new();
    parts.iter().for_each(|part| crc.update(part));
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn rows(bytes: Vec<u8>) -> Result<BTreeMap<Vec<u8>, Option<Vec<u8>>>, &'static str> {
        let (mut cursor, mut rows) = (Cursor::new(Arc::new(bytes)), BTreeMap::new());
        while cursor.advance()? {
            rows.insert(cursor.key.clone(), cursor.value().map(<[u8]>::to_vec));
        }
        Ok(rows)
    }

    proptest! {
        #[test]
        fn rows_come_back_and_damage_is_told(
            expected in prop::collection::btree_map(
                prop::collection::vec(0u8..4, 0..9),
                prop::option::of(prop::collection::vec(any::<u8>(), 0..300)), 0..40),
            pack in any::<bool>(),
            damage in any::<prop::sample::Index>(),
        ) {
            let mut packer = Packer::default();
            expected.iter().for_each(|(key, value)| packer.push(key, value.as_deref()));
            let mut compressor = pack.then(|| zstd::bulk::Compressor::new(1).unwrap());
            let mut sealed = seal(&packer.bytes, &mut compressor);
            prop_assert_eq!(rows(unseal(&sealed).unwrap()).unwrap(), expected);
            let at = damage.index(sealed.len());
            prop_assert!(unseal(&sealed[..at]).is_err());
            sealed[at] ^= 4;
            prop_assert!(unseal(&sealed).is_err());
        }

        #[test]
        fn any_bytes_are_rows_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = rows(bytes.clone());
            let _ = unseal(&bytes);
        }
    }
}
