//! The rows that only the embedded store has, as they lie in its tables.
//!
//! Must not know: how they are encoded, who changes them.

use serde::{Deserialize, Deserializer, Serialize};

use crate::model::*;
use crate::store::Logged;
use crate::store::rules::ledger::LedgerRow;

use super::keys::{key, said};

/// Global counters, kept so that [`crate::store::Store::due`] reads one record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// URL records whose outcome is pending.
    pub pending: u64,
    pub articles: u64,
}

/// Everything the frontier knows about one pace key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredPace", into = "StoredPace")]
pub struct PaceRow {
    pub pace: Pace,
    pub lease: Option<LeaseRow>,
    /// Epoch of the last lease given.
    pub epoch: u64,
    /// Where this key stands in the due index.
    pub indexed: Option<Millis>,
}

/// A [`PaceRow`] as it lies in the database: what was added to it later stands at its end.
#[derive(Serialize, Deserialize)]
struct StoredPace {
    next_at: Millis,
    delay: Millis,
    blocked_until: Millis,
    response_ms: f32,
    failures: f32,
    /// Of the whole pace key, before hosts were told apart.
    _forbidden_run: u32,
    operator_delay: Option<Millis>,
    lease: Option<LeaseRow>,
    epoch: u64,
    indexed: Option<Millis>,
    #[serde(deserialize_with = "added")]
    hosts: Vec<HostPace>,
}

/// A last field that older records end without.
pub fn added<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Ok(T::deserialize(from).unwrap_or_default())
}

impl From<StoredPace> for PaceRow {
    fn from(stored: StoredPace) -> PaceRow {
        let StoredPace { next_at, delay, blocked_until, response_ms, failures, .. } = stored;
        let StoredPace { operator_delay, lease, epoch, indexed, hosts, .. } = stored;
        let pace =
            Pace { next_at, delay, blocked_until, response_ms, failures, operator_delay, hosts };
        PaceRow { pace, lease, epoch, indexed }
    }
}

impl From<PaceRow> for StoredPace {
    fn from(row: PaceRow) -> StoredPace {
        let PaceRow { pace, lease, epoch, indexed } = row;
        let Pace { next_at, delay, blocked_until, response_ms, failures, operator_delay, hosts } =
            pace;
        StoredPace {
            next_at,
            delay,
            blocked_until,
            response_ms,
            failures,
            _forbidden_run: 0,
            operator_delay,
            lease,
            epoch,
            indexed,
            hosts,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaseRow {
    pub owner: String,
    pub until: Millis,
}

/// Where an article's record is, the publication that its indexes stand under, and what lists of many articles
/// ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pointer {
    pub month: Month,
    pub day: Day,
    pub at: Millis,
    /// `None` in rows of before format 6: the record says it.
    #[serde(deserialize_with = "added")]
    pub credit: Option<Credit>,
}

/// A calendar month of arrival (UTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Month {
    pub year: i16,
    pub month: i8,
}

impl Month {
    /// The month of an instant; instants that no calendar holds fall into January 1970.
    pub fn of(at: Millis) -> Month {
        let date = utc_day(at);
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
    #[serde(deserialize_with = "added")]
    pub sighting: Sighting,
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
            sighting: member.sighting,
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
            sighting: self.sighting,
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

/// An article that came or went; its key is the number of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRow {
    pub article: UrlKey,
    /// Publication instant.
    pub at: Millis,
    pub gone: bool,
    pub sum: u64,
}

impl LogRow {
    pub fn logged(&self) -> Logged {
        Logged { article: self.article, at: self.at, gone: self.gone }
    }
}

/// Ends the key, in its month, of what is kept of an article without text.
const KEPT: u8 = b'k';

/// What cannot be worked out again when the text is gone: for a repair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// As counted when the text was dropped; what a recount has left of them since.
    pub mentions: Vec<MentionRow>,
    /// In rows of before format 7; now it has a row of its own, and this is empty.
    pub vector: Vec<u8>,
}

/// Key of [`Kept`] in the month of an article.
pub fn kept_key(id: UrlKey) -> Vec<u8> {
    let mut at = id.0.to_be_bytes().to_vec();
    at.push(KEPT);
    at
}

/// Is this a key of [`Kept`]?
pub fn is_kept(at: &[u8]) -> bool {
    at.len() == 17 && at.last() == Some(&KEPT)
}

/// Begins the keys, in a month, of vectors: behind every key of an article.
pub const VECTORS: [u8; 17] = {
    let mut begin = [0xff; 17];
    begin[16] = b'v';
    begin
};

/// Key, in a month, of [`Leaving`]: behind everything else.
pub const LEAVING: [u8; 17] = {
    let mut at = VECTORS;
    at[16] = b'w';
    at
};

/// How far the texts of a month have left by age. It goes with the month, also to a backup and back, and whatever
/// appends a text removes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Leaving {
    /// The next batch begins at this key. `dropped`: some have left, so the month is written anew at the end.
    Begun { from: Vec<u8>, dropped: bool },
    /// No article in it has a text.
    Done,
}

/// Nobody knows whether some have left before.
impl Default for Leaving {
    fn default() -> Leaving {
        Leaving::Begun { from: Vec::new(), dropped: true }
    }
}

/// Key of a vector in the month of its article: by the instant of publication.
pub fn vector_key(at: Millis, id: UrlKey) -> Vec<u8> {
    [&VECTORS, &key(0).at(at).id(id).done()[1..]].concat()
}

/// Instant and article of a vector's key.
pub fn vector_of_key(vector_key: &[u8]) -> Option<(Millis, UrlKey)> {
    said(vector_key, VECTORS.len(), |parts| Some((parts.at()?, parts.id()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the order of publication, and behind everything else.
    #[test]
    fn keys_of_vectors_stand_behind_all_articles() {
        let last = UrlKey(u128::MAX);
        assert!(kept_key(last) < vector_key(Millis::MIN, UrlKey(0)));
        assert!(vector_key(-1, last) < vector_key(0, UrlKey(0)));
        assert!(vector_key(7, UrlKey(1)) < vector_key(7, UrlKey(2)));
        assert!(vector_key(Millis::MAX, last).starts_with(&VECTORS));
        assert!(vector_key(Millis::MAX, last).as_slice() < &LEAVING[..]);
        assert_eq!(vector_of_key(&vector_key(-9, UrlKey(4))), Some((-9, UrlKey(4))));
        assert_eq!(vector_of_key(&vector_key(-9, UrlKey(4))[..40]), None);
    }

    /// A row of before format 6, and one of today.
    #[test]
    fn a_pointer_without_a_credit_is_read() {
        let month = Month { year: 2026, month: 11 };
        let day = jiff::civil::date(2026, 11, 20);
        let bytes = postcard::to_stdvec(&(month, day, 7_i64)).unwrap();
        let pointer = Pointer { month, day, at: 7, credit: None };
        assert_eq!(postcard::from_bytes::<Pointer>(&bytes).unwrap(), pointer);
        let credit = Some(Credit::Agency("dpa".into()));
        let pointer = Pointer { credit, ..pointer };
        let bytes = postcard::to_stdvec(&pointer).unwrap();
        assert_eq!(postcard::from_bytes::<Pointer>(&bytes).unwrap(), pointer);
    }

    /// A row of a store that was written before hosts were told apart.
    #[test]
    fn a_pace_row_without_hosts_is_read() {
        let old = (9_i64, 1_000_i64, 0_i64, 250_f32, 1_f32, 3_u32, Some(7_i64));
        let lease = Some(LeaseRow { owner: "w".into(), until: 40 });
        let bytes = postcard::to_stdvec(&(old, lease.clone(), 5_u64, Some(11_i64))).unwrap();
        let pace = Pace {
            next_at: 9,
            delay: 1_000,
            response_ms: 250.0,
            failures: 1.0,
            operator_delay: Some(7),
            ..Pace::default()
        };
        let row = PaceRow { pace, lease, epoch: 5, indexed: Some(11) };
        assert_eq!(postcard::from_bytes::<PaceRow>(&bytes).unwrap(), row);
        let hosts = vec![HostPace { host: "a.test".into(), delay: 9, ..HostPace::default() }];
        let row = PaceRow { pace: Pace { hosts, ..row.pace.clone() }, ..row };
        let bytes = postcard::to_stdvec(&row).unwrap();
        assert_eq!(postcard::from_bytes::<PaceRow>(&bytes).unwrap(), row);
    }
}
