//! How a value lies in the database: a version byte, a CRC-32 over key and payload (so that a
//! record under a wrong key is damage too), then the payload, postcard unless said otherwise;
//! robots.txt files, compressed.
//!
//! Must not know: which database the bytes go to.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::store::embedded::kv::{Overlay, end_of};
use crate::store::{Result, StoreError};

use super::keys::{self, Parts, describe};

/// Version of the record format.
const VERSION: u8 = 1;
const HEAD: usize = 5;
/// A robots record longer than this is compressed, bytes: sled keeps whole values in memory, some
/// hundred of them whatever the bound of its cache is, and these can be half a mebibyte.
const PLAIN: usize = 2 * 1024;
/// How a compressed payload begins (RFC 8878 §3.1.1); no record does.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Wraps a payload for its key.
pub fn seal(key: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(HEAD + payload.len());
    value.push(VERSION);
    value.extend(checksum(key, payload).to_be_bytes());
    value.extend(payload);
    value
}

/// The payload of a value, or what is wrong with it.
pub fn unseal<'v>(key: &[u8], value: &'v [u8]) -> std::result::Result<&'v [u8], String> {
    let Some(([version, sum @ ..], payload)) = value.split_first_chunk::<HEAD>() else {
        return Err(format!("is cut off after {} bytes", value.len()));
    };
    if *version != VERSION {
        return Err(format!("has record version {version}, this crawler knows {VERSION}"));
    }
    if u32::from_be_bytes(*sum) != checksum(key, payload) {
        return Err("fails its checksum".to_owned());
    }
    Ok(payload)
}

fn checksum(key: &[u8], payload: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(key);
    crc.update(payload);
    crc.sum()
}

/// A record as bytes for its key.
pub fn encode<T: Serialize + ?Sized>(key: &[u8], record: &T) -> Result<Vec<u8>> {
    let failed = |e: &dyn std::fmt::Display| {
        StoreError::Other(format!("{} cannot be written: {e}", describe(key)))
    };
    let payload = postcard::to_stdvec(record).map_err(|e| failed(&e))?;
    if key.first() == Some(&keys::ROBOTS) && payload.len() > PLAIN {
        let small = zstd::bulk::compress(&payload, 0).map_err(|e| failed(&e))?;
        return Ok(seal(key, &small));
    }
    Ok(seal(key, &payload))
}

/// A record from its bytes, or what is wrong with them.
pub fn decode<T: DeserializeOwned>(key: &[u8], value: &[u8]) -> std::result::Result<T, String> {
    let mut payload = unseal(key, value)?;
    let plain;
    if key.first() == Some(&keys::ROBOTS) && payload.starts_with(&ZSTD) {
        plain = zstd::decode_all(payload).map_err(|e| format!("does not decompress: {e}"))?;
        payload = &plain;
    }
    match postcard::take_from_bytes(payload) {
        Ok((record, [])) => Ok(record),
        Ok((_, rest)) => Err(format!("has {} bytes too many", rest.len())),
        Err(e) => Err(format!("does not decode: {e}")),
    }
}

impl<'k> Overlay<'k> {
    fn corrupt(&self, key: &[u8], what: &str) -> StoreError {
        let detail = format!("{} {what}", describe(key));
        self.kv.suspect(&detail);
        StoreError::Corrupt { path: self.kv.place(), detail }
    }

    /// The record under `key`.
    pub fn get<T: DeserializeOwned>(&self, key: &[u8]) -> Result<Option<T>> {
        match self.raw(key)? {
            None => Ok(None),
            Some(value) => decode(key, &value).map(Some).map_err(|e| self.corrupt(key, &e)),
        }
    }

    /// The plain payload under `key`.
    pub fn get_bytes(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        match self.raw(key)? {
            None => Ok(None),
            Some(value) => self.open_bytes(key, &value).map(Some),
        }
    }

    /// The plain payload of a value.
    pub fn open_bytes(&self, key: &[u8], value: &[u8]) -> Result<Vec<u8>> {
        unseal(key, value).map(<[u8]>::to_vec).map_err(|e| self.corrupt(key, &e))
    }

    pub fn put<T: Serialize + ?Sized>(&mut self, key: Vec<u8>, record: &T) -> Result<()> {
        let value = encode(&key, record)?;
        self.writes.insert(key, Some(value));
        Ok(())
    }

    pub fn put_bytes(&mut self, key: Vec<u8>, payload: &[u8]) {
        let value = seal(&key, payload);
        self.writes.insert(key, Some(value));
    }

    pub fn del(&mut self, key: Vec<u8>) {
        self.writes.insert(key, None);
    }

    /// Deletes the first rows with `from <= key < to`, `most` at most; how many there were.
    pub fn drop_rows(&mut self, from: &[u8], to: &[u8], most: usize) -> Result<usize> {
        let rows = self.scan_raw(from, to).take(most);
        let keys: Vec<Vec<u8>> = rows.map(|row| Ok(row?.0)).collect::<Result<_>>()?;
        let dropped = keys.len();
        keys.into_iter().for_each(|at| self.del(at));
        Ok(dropped)
    }

    pub fn has(&self, key: &[u8]) -> Result<bool> {
        Ok(self.raw(key)?.is_some())
    }

    /// Records with `from <= key < to`, decoded.
    pub fn scan<'s, T: DeserializeOwned>(
        &'s self,
        from: &[u8],
        to: &[u8],
    ) -> impl Iterator<Item = Result<(Vec<u8>, T)>> + use<'s, 'k, T> {
        self.scan_raw(from, to).map(move |row| {
            let (key, value) = row?;
            match decode(&key, &value) {
                Ok(record) => Ok((key, record)),
                Err(e) => Err(self.corrupt(&key, &e)),
            }
        })
    }

    /// Records whose keys begin with `prefix`, decoded.
    pub fn prefix<'s, T: DeserializeOwned>(
        &'s self,
        prefix: &[u8],
    ) -> impl Iterator<Item = Result<(Vec<u8>, T)>> + use<'s, 'k, T> {
        self.scan(prefix, &end_of(prefix))
    }

    /// What the first parts of a key say after `skip` bytes.
    pub fn part<'b, T>(
        &self,
        key: &'b [u8],
        skip: usize,
        read: impl FnOnce(&mut Parts<'b>) -> Option<T>,
    ) -> Result<T> {
        let found = key.get(skip..).and_then(|rest| read(&mut Parts(rest)));
        found.ok_or_else(|| self.bad_key(key))
    }

    /// A key that the tables' own code cannot have written.
    pub fn bad_key(&self, key: &[u8]) -> StoreError {
        self.corrupt(key, "has a malformed key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{RobotsRecord, RobotsStatus};

    #[test]
    fn long_robots_records_are_compressed() {
        let at = keys::key(keys::ROBOTS).text("https://a.test:443").done();
        let sizes = [0, PLAIN, 500 * 1024].map(|length| {
            let record = RobotsRecord {
                origin: "https://a.test:443".into(),
                fetched: 1,
                fresh_until: 2,
                status: RobotsStatus::Fetched,
                body: "Disallow: /x\n".repeat(length / 13),
                unreachable_since: Some(3),
            };
            let value = encode(&at, &record).unwrap();
            assert_eq!(decode::<RobotsRecord>(&at, &value).unwrap(), record);
            // What was written before is read, too.
            let plain = seal(&at, &postcard::to_stdvec(&record).unwrap());
            assert_eq!(decode::<RobotsRecord>(&at, &plain).unwrap(), record);
            value.len()
        });
        assert!(sizes[2] < 4_096, "{sizes:?}");
    }
}
