//! How a value lies in the database: a version byte, a CRC-32 over key and payload (so that a
//! record under a wrong key is damage too), then the payload, postcard unless said otherwise;
//! robots.txt files, compressed. And the rows that only the embedded store has.
//!
//! Must not know: which database the bytes go to.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::model::*;
use crate::store::kv::{Overlay, end_of};
use crate::store::{Result, StoreError};

use super::keys::{self, describe};

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
        StoreError::Corrupt { path: self.kv.place(), detail: format!("{} {what}", describe(key)) }
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

    /// A key that the tables' own code cannot have written.
    pub fn bad_key(&self, key: &[u8]) -> StoreError {
        self.corrupt(key, "has a malformed key")
    }
}

/// Global counters, kept so that [`crate::store::Store::due`] reads one record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// URL records whose outcome is pending.
    pub pending: u64,
    pub articles: u64,
}

/// Everything the frontier knows about one pace key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaceRow {
    pub pace: Pace,
    pub lease: Option<LeaseRow>,
    /// Epoch of the last lease given.
    pub epoch: u64,
    /// Where this key stands in the due index.
    pub indexed: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaseRow {
    pub owner: String,
    pub until: Millis,
}

/// Entries and polls of one day and outlet; signed, so that a change is one of the same kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerRow {
    pub entries: i64,
    pub outcomes: BTreeMap<String, i64>,
    pub polls_due: i64,
    pub polls_succeeded: i64,
    /// Arrivals by UTC hour; see [`crate::store::Ledger::arrivals`].
    pub arrivals: [i64; 24],
    /// Of `outcomes`, those whose entries have left by age.
    pub left: BTreeMap<String, i64>,
}

impl LedgerRow {
    /// Counts the arrival of an entry (`by` = 1), or takes it back (−1).
    pub fn arrived(&mut self, entry: &UrlRecord, by: i64) {
        let hour = entry.first_seen.rem_euclid(DAY) / HOUR;
        if let Some(count) = self.arrivals.get_mut(hour as usize).filter(|_| !entry.backlog) {
            *count += by;
        }
    }

    /// Counts entries again that have left by age, by their outcome.
    pub fn have_left(&mut self, left: BTreeMap<String, i64>) {
        for (name, n) in left {
            self.entries += n;
            *self.outcomes.entry(name.clone()).or_default() += n;
            *self.left.entry(name).or_default() += n;
        }
    }

    /// Adds a change; outcomes that reach zero leave the table.
    pub fn add(&mut self, change: &LedgerRow) {
        self.entries += change.entries;
        self.polls_due += change.polls_due;
        self.polls_succeeded += change.polls_succeeded;
        for (hour, change) in self.arrivals.iter_mut().zip(change.arrivals) {
            *hour += change;
        }
        for (name, n) in &change.outcomes {
            *self.outcomes.entry(name.clone()).or_default() += n;
        }
        for (name, n) in &change.left {
            *self.left.entry(name.clone()).or_default() += n;
        }
        self.outcomes.retain(|_, n| *n != 0);
    }
}

/// Where an article's record is, and the publication that its indexes stand under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    pub month: Month,
    pub day: Day,
    pub at: Millis,
}

/// A calendar month of arrival (UTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Month {
    pub year: i16,
    pub month: i8,
}

impl Month {
    /// The month after it.
    pub fn next(self) -> Month {
        match self.month {
            12.. => Month { year: self.year.saturating_add(1), month: 1 },
            _ => Month { month: self.month + 1, ..self },
        }
    }

    /// The month of an instant; instants that no calendar holds fall into January 1970.
    pub fn of(at: Millis) -> Month {
        let at = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let date = jiff::tz::Offset::UTC.to_datetime(at).date();
        Month { year: date.year(), month: date.month() }
    }
}

impl std::fmt::Display for Month {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl std::str::FromStr for Month {
    type Err = ();
    /// `2026-11`.
    fn from_str(s: &str) -> std::result::Result<Month, ()> {
        let (year, month) = s.rsplit_once('-').ok_or(())?;
        let month: i8 = month.parse().map_err(|_| ())?;
        let year = year.parse().map_err(|_| ())?;
        if (1..=12).contains(&month) { Ok(Month { year, month }) } else { Err(()) }
    }
}

/// A member of a story.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemberRow {
    pub story: UrlKey,
    pub outlet: String,
    pub at: Millis,
    pub day: Day,
    pub first_seen: Millis,
    pub nearest: Option<(UrlKey, f32)>,
}

impl MemberRow {
    pub fn of(story: UrlKey, member: &Member) -> MemberRow {
        MemberRow {
            story,
            outlet: member.outlet.clone(),
            at: member.at,
            day: member.day,
            first_seen: member.first_seen,
            nearest: member.nearest,
        }
    }

    /// The member, without its brands.
    pub fn member(self, key: UrlKey) -> Member {
        Member {
            key,
            outlet: self.outlet,
            at: self.at,
            day: self.day,
            first_seen: self.first_seen,
            nearest: self.nearest,
            brands: Vec::new(),
        }
    }

    pub fn rank(&self, key: UrlKey) -> Rank {
        Rank { at: self.at, first_seen: self.first_seen, key }
    }
}

/// What one mention row counts, by article.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByArticle {
    pub day: Day,
    pub counted: u32,
    pub suppressed: u32,
}

/// Polls of one day, of all outlets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PollSums {
    pub due: i64,
    pub succeeded: i64,
}

impl PollSums {
    pub fn add(&mut self, row: &LedgerRow) {
        self.due += row.polls_due;
        self.succeeded += row.polls_succeeded;
    }

    pub fn plus(self, other: PollSums) -> PollSums {
        PollSums { due: self.due + other.due, succeeded: self.succeeded + other.succeeded }
    }

    pub fn polls(self) -> Polls {
        let count = |n| u32::try_from(n).unwrap_or(u32::MAX);
        Polls { due: count(self.due), succeeded: count(self.succeeded) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
