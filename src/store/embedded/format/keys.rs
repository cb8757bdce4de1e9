//! Keys of the main database: a table byte, then the parts, big-endian, so that byte order is the
//! order of the parts.
//!
//! Must not know: what the values hold.

use crate::model::{Day, Millis, UrlKey, hex};

/// Format of the whole store: four plain bytes, readable by every version.
pub const FORMAT: u8 = b'F';
/// Global counters.
pub const COUNTERS: u8 = b'C';
/// Version of the current brand set.
pub const BRAND_POINTER: u8 = b'P';
/// Brand set by version.
pub const BRAND_SET: u8 = b'B';
/// Versions whose rows are to be dropped.
pub const RETIRED: u8 = b'Z';
/// Named values of the callers.
pub const META: u8 = b'M';
/// Feed by key.
pub const FEED: u8 = b'f';
/// URL record by key.
pub const URL: u8 = b'u';
/// Other key of an article → the article's key.
pub const ALIAS: u8 = b'a';
/// Pace key → pace state, lease, place in the due index.
pub const PACE: u8 = b'k';
/// (due, pace key).
pub const DUE: u8 = b'd';
/// (lease end, pace key).
pub const LEASE: u8 = b'l';
/// (pace key, priority, due, key) → task.
pub const QUEUE: u8 = b'q';
/// Key of a task → that it may have ended the process.
pub const SUSPECT: u8 = b'S';
/// robots.txt by origin.
pub const ROBOTS: u8 = b'r';
/// Outlet → what the operator decided about it.
pub const RULE: u8 = b'g';
/// Forgotten article → month that its record is still to be erased from.
pub const ERASE: u8 = b'e';
/// (day of arrival, outlet) → entries, outcomes, polls.
pub const LEDGER: u8 = b'o';
/// Day → polls due and succeeded, of all outlets.
pub const POLLS: u8 = b'O';
/// Article → month, publication.
pub const POINTER: u8 = b'p';
/// Month that articles lie in → an article of it, and until when they were published.
pub const MONTH: u8 = b'A';
/// (publication day, article).
pub const BY_DAY: u8 = b'i';
/// (publication instant, article) → vector: before format 7. Now they lie in the months.
pub const VECTOR: u8 = b'v';
/// (brand-set version, brand, day, article) → mention row.
pub const MENTION: u8 = b'm';
/// (brand-set version, article, brand) → where the mention row is, and what it counts.
pub const BY_ARTICLE: u8 = b'b';
/// (brand-set version, brand, day) → tally.
pub const TALLY: u8 = b't';
/// (brand-set version, article): recounted.
pub const RECOUNTED: u8 = b'c';
/// Story by id, without its members.
pub const STORY: u8 = b's';
/// Article → id of its story, and what the story knows about it. Its brands stand in
/// [`BY_ARTICLE`].
pub const MEMBER: u8 = b'w';
/// (story, publication instant, first seen, article): the members by their dates.
pub const STORY_MEMBER: u8 = b'W';
/// (brand-set version, story, brand) → number of members that count the brand.
pub const STORY_BRAND: u8 = b'n';
/// Id of an absorbed story → id of the one that absorbed it.
pub const ABSORBED: u8 = b'x';
/// (publication day of a member, story).
pub const STORY_DAY: u8 = b'y';
/// (magnitude of a story of several articles, the largest first; publication day of a member, story).
pub const STORY_SIZE: u8 = b'Y';
/// (article, other article, 1 if the first is the excerpt, else 0) → share.
pub const EXCERPT: u8 = b'h';
/// (outlet, UTC day of reading, the latest first, article) → what the page printed.
pub const PRINTED: u8 = b'z';
/// Id → token, or session of a browser.
pub const TOKEN: u8 = b'T';
/// Id → note, as JSON.
pub const NOTE: u8 = b'E';
/// Name → alert, as JSON.
pub const ALERT: u8 = b'N';
/// (0 if it stays for good, else 1; number, the latest first) → decision.
pub const DECISION: u8 = b'D';
/// Number → an article that came or went.
pub const LOG: u8 = b'j';
/// Where the log ends.
pub const LOG_END: u8 = b'J';

/// A key under construction.
pub fn key(table: u8) -> Key {
    Key(vec![table])
}

pub struct Key(Vec<u8>);

impl Key {
    pub fn done(self) -> Vec<u8> {
        self.0
    }
    pub fn byte(mut self, b: u8) -> Self {
        self.0.push(b);
        self
    }
    pub fn id(mut self, k: UrlKey) -> Self {
        self.0.extend(k.0.to_be_bytes());
        self
    }
    /// Sign bit flipped, so that instants before 1970 come first.
    pub fn at(mut self, at: Millis) -> Self {
        self.0.extend((at ^ Millis::MIN).to_be_bytes());
        self
    }
    pub fn day(mut self, day: Day) -> Self {
        self.0.extend((day.year() ^ i16::MIN).to_be_bytes());
        self.0.push(day.month().unsigned_abs());
        self.0.push(day.day().unsigned_abs());
        self
    }
    /// Bits flipped, so that the latest day comes first.
    pub fn latest(self, day: Day) -> Self {
        let from = self.0.len();
        let mut flipped = self.day(day);
        flipped.0.iter_mut().skip(from).for_each(|byte| *byte = !*byte);
        flipped
    }
    pub fn number(mut self, n: u64) -> Self {
        self.0.extend(n.to_be_bytes());
        self
    }
    /// Ends with 0x00 0x01 and writes 0x00 as 0x00 0xff: any text, in order, self-delimiting.
    pub fn text(mut self, s: &str) -> Self {
        for b in s.bytes() {
            self.0.push(b);
            if b == 0 {
                self.0.push(0xff);
            }
        }
        self.0.extend([0, 1]);
        self
    }
}

/// Reads a key's parts; every method gives `None` on a key that is too short or malformed.
pub struct Parts<'a>(pub &'a [u8]);

impl Parts<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }
    pub fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[b]| b)
    }
    pub fn id(&mut self) -> Option<UrlKey> {
        self.take().map(|b| UrlKey(u128::from_be_bytes(b)))
    }
    pub fn at(&mut self) -> Option<Millis> {
        self.take().map(|b| Millis::from_be_bytes(b) ^ Millis::MIN)
    }
    pub fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_be_bytes)
    }
    pub fn latest(&mut self) -> Option<Day> {
        Parts(&self.take::<4>()?.map(|byte| !byte)).day()
    }
    pub fn day(&mut self) -> Option<Day> {
        let year = i16::from_be_bytes(self.take()?) ^ i16::MIN;
        let [month, day] = self.take()?;
        Day::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    }
    pub fn text(&mut self) -> Option<String> {
        let mut text = Vec::new();
        loop {
            match self.byte()? {
                0 => match self.byte()? {
                    1 => return String::from_utf8(text).ok(),
                    0xff => text.push(0),
                    _ => return None,
                },
                b => text.push(b),
            }
        }
    }
    pub fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// What all parts of a key say after its first `skip` bytes; `None` if the key has others.
pub fn said<'k, T>(
    key: &'k [u8],
    skip: usize,
    read: impl FnOnce(&mut Parts<'k>) -> Option<T>,
) -> Option<T> {
    let mut parts = Parts(key.get(skip..)?);
    let found = read(&mut parts)?;
    parts.end().map(|()| found)
}

/// What a table holds, for messages.
pub fn table_name(table: u8) -> &'static str {
    match table {
        META => "small values",
        FEED => "feeds",
        URL => "entries",
        ALIAS => "aliases",
        PACE => "pace keys",
        ROBOTS => "robots records",
        RULE => "rules about outlets",
        TOKEN => "tokens",
        ALERT => "alerts",
        NOTE => "notes",
        DECISION => "decisions",
        ERASE => "erasures",
        LEDGER => "ledger rows",
        POLLS => "sums of polls",
        _ => "records",
    }
}

/// A key in words, for messages: `mention row (Acme, 2026-11-20, 00…1f)`.
pub fn describe(key: &[u8]) -> String {
    words(key).unwrap_or_else(|| {
        let begin = &key[..key.len().min(48)];
        format!("unknown record {}", hex(begin))
    })
}

fn words(key: &[u8]) -> Option<String> {
    let (&table, rest) = key.split_first()?;
    let mut p = Parts(rest);
    let words = match table {
        FORMAT => "format".to_owned(),
        COUNTERS => "counters".to_owned(),
        BRAND_POINTER => "brand-set pointer".to_owned(),
        BRAND_SET => format!("brand set {}", p.text()?),
        RETIRED => format!("retired brand set {}", p.text()?),
        META => format!("value `{}`", p.text()?),
        FEED => format!("feed {}", p.id()?),
        URL => format!("url {}", p.id()?),
        ALIAS => format!("alias {}", p.id()?),
        PACE => format!("pace key {}", p.text()?),
        DUE => format!("due index ({}, {})", p.at()?, p.text()?),
        LEASE => format!("lease index ({}, {})", p.at()?, p.text()?),
        QUEUE => {
            let (name, _, due, id) = (p.text()?, p.byte()?, p.at()?, p.id()?);
            format!("task ({name}, {due}, {id})")
        }
        SUSPECT => format!("suspect {}", p.id()?),
        ROBOTS => format!("robots {}", p.text()?),
        RULE => format!("rule about {}", p.text()?),
        TOKEN => format!("token {}", p.text()?),
        ALERT => format!("alert {}", p.text()?),
        NOTE => format!("note {}", p.text()?),
        DECISION => {
            let (_, number) = (p.byte()?, p.number()?);
            format!("decision {}", !number)
        }
        ERASE => format!("erasure of {}", p.id()?),
        POLLS => format!("polls of {}", p.day()?),
        LEDGER => format!("ledger ({}, {})", p.day()?, p.text()?),
        POINTER => format!("article pointer {}", p.id()?),
        MONTH => format!("month {}", p.text()?),
        BY_DAY => format!("day index ({}, {})", p.day()?, p.id()?),
        VECTOR => format!("vector ({}, {})", p.at()?, p.id()?),
        MENTION => {
            let _version = p.text()?;
            format!("mention row ({}, {}, {})", p.text()?, p.day()?, p.id()?)
        }
        BY_ARTICLE => {
            let _version = p.text()?;
            let article = p.id()?;
            format!("mention pointer ({article}, {})", p.text()?)
        }
        TALLY => {
            let _version = p.text()?;
            format!("tally ({}, {})", p.text()?, p.day()?)
        }
        RECOUNTED => format!("recount mark ({}, {})", p.text()?, p.id()?),
        STORY => format!("story {}", p.id()?),
        MEMBER => format!("story pointer {}", p.id()?),
        STORY_MEMBER => {
            let (id, _, _, member) = (p.id()?, p.at()?, p.at()?, p.id()?);
            format!("member index ({id}, {member})")
        }
        STORY_BRAND => {
            let _version = p.text()?;
            format!("story brand ({}, {})", p.id()?, p.text()?)
        }
        ABSORBED => format!("absorbed story {}", p.id()?),
        STORY_DAY => format!("story day index ({}, {})", p.day()?, p.id()?),
        STORY_SIZE => {
            let (_, day, id) = (p.byte()?, p.day()?, p.id()?);
            format!("story size index ({day}, {id})")
        }
        EXCERPT => {
            let (article, other, _) = (p.id()?, p.id()?, p.byte()?);
            format!("excerpt ({article}, {other})")
        }
        PRINTED => {
            let (outlet, day, article) = (p.text()?, p.latest()?, p.id()?);
            format!("what was printed ({outlet}, {day}, {article})")
        }
        LOG => format!("log entry {}", p.number()?),
        LOG_END => "end of the log".to_owned(),
        _ => return None,
    };
    p.end()?;
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_come_back_and_keep_their_order(
            a in (any::<String>(), any::<i64>(), any::<u128>(), -9999i16..9999, 1i8..13, 1i8..29),
            b in (any::<String>(), any::<i64>(), any::<u128>(), -9999i16..9999, 1i8..13, 1i8..29),
        ) {
            let make = |x: &(String, i64, u128, i16, i8, i8)| {
                let day = Day::new(x.3, x.4, x.5).unwrap();
                key(MENTION).text(&x.0).at(x.1).day(day).id(UrlKey(x.2)).latest(day).done()
            };
            let (ka, kb) = (make(&a), make(&b));
            let mut p = Parts(&ka[1..]);
            prop_assert_eq!(p.text(), Some(a.0.clone()));
            prop_assert_eq!(p.at(), Some(a.1));
            prop_assert_eq!(p.day(), Day::new(a.3, a.4, a.5).ok());
            prop_assert_eq!(p.id(), Some(UrlKey(a.2)));
            prop_assert_eq!(p.latest(), Day::new(a.3, a.4, a.5).ok());
            prop_assert_eq!(p.end(), Some(()));
            prop_assert_eq!(ka.cmp(&kb), (&a.0, a.1, a.3, a.4, a.5, a.2).cmp(&(&b.0, b.1, b.3, b.4, b.5, b.2)));
        }

        #[test]
        fn any_bytes_can_be_described(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            prop_assert!(!describe(&bytes).is_empty());
        }
    }
}
