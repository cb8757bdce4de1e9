//! Excerpts: a text that stands in a longer one. By δ they are no copies (a text cut by half has
//! sim^σ ≤ 0.5 with the whole), so they are looked for on their own, and found not exactly but
//! nearly always.
//!
//! Candidates are texts that share a *mark*: the hash of eight terms in a row, of which every
//! [`ONE_IN`]th is kept, chosen by its value, so that the same run is a mark in every text (Manber
//! 1994; Broder 1997 for containment). A candidate is judged by the share of the shorter text's terms
//! that the longer one has: Σ_k min(v_k, w_k) / Σ_k v_k.
//!
//! Must not know: stories, where vectors are kept, the clock.

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Read, Write};

use super::similarity::{BadVector, Vector, put_varint, take_varint, terms_of};
use crate::model::{Millis, UrlKey};

/// Terms in a row that make a mark.
const RUN: usize = 8;
/// Of so many runs one is kept.
const ONE_IN: u64 = 64;
/// Share of an excerpt's terms that the whole has, at least (docs/copies.md).
pub const SHARE: f64 = 0.85;
/// Shorter texts are no excerpts but headlines.
const TERMS: u64 = 40;
/// An excerpt has at most this share of the whole's terms; above it the two are versions.
const SHORTER: f64 = 0.95;
/// Articles looked at per mark: what more of them share is furniture, or one much copied text.
const PER_MARK: usize = 32;
/// Articles compared per search, those that share the most marks first.
const COMPARED: usize = 64;

/// Format of [`Print::encode`]; a vector alone begins with another byte.
const FORMAT: u8 = 2;
/// Most marks that are read back: those of a text of 64 million terms.
const MOST: u64 = 1 << 20;

/// What is kept of a text for finding copies and excerpts of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Print {
    pub vector: Vector,
    /// Ascending, each once.
    pub marks: Vec<u32>,
}

impl Print {
    /// Counts the terms of `text` and takes its marks.
    pub fn of(text: &str) -> Print {
        let terms = terms_of(text);
        let mut marks: Vec<u32> = terms.windows(RUN).filter_map(mark).collect();
        marks.sort_unstable();
        marks.dedup();
        Print { vector: Vector::counted(terms), marks }
    }

    /// The bytes kept beside an article: format, number of marks (LEB128), marks (4 bytes little
    /// endian each), [`Vector::encode`].
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![FORMAT];
        put_varint(&mut bytes, self.marks.len() as u64);
        for mark in &self.marks {
            bytes.extend_from_slice(&mark.to_le_bytes());
        }
        bytes.extend(self.vector.encode());
        bytes
    }

    /// Reads what [`Print::encode`] wrote, or [`Vector::encode`]: then there are no marks.
    pub fn decode(bytes: &[u8]) -> Result<Print, BadVector> {
        let Some((&FORMAT, mut rest)) = bytes.split_first() else {
            return Ok(Print { vector: Vector::decode(bytes)?, marks: Vec::new() });
        };
        let count = take_varint(&mut rest)?;
        let marks = usize::try_from(count).ok().filter(|_| count <= MOST);
        let marks = marks.and_then(|count| rest.split_at_checked(count * 4));
        let (marks, rest) = marks.ok_or(BadVector("cut off within the marks"))?;
        let (marks, _) = marks.as_chunks::<4>();
        let marks: Vec<u32> = marks.iter().map(|mark| u32::from_le_bytes(*mark)).collect();
        if !marks.is_sorted_by(|a, b| a < b) {
            return Err(BadVector("marks out of order"));
        }
        Ok(Print { vector: Vector::decode(rest)?, marks })
    }
}

/// The mark of terms in a row, if it is kept.
fn mark(run: &[u64]) -> Option<u32> {
    let mix =
        |hash: u64, term: &u64| (hash.rotate_left(7) ^ term).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = run.iter().fold(0, mix);
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    // Two disjoint parts of the hash: which are kept says nothing about how they differ.
    ((hash & 0xffff) % ONE_IN == 0).then_some((hash >> 32) as u32)
}

/// Which of two texts stands in the other, and the share of its terms that the other has; `None` if
/// neither does by far enough.
pub fn share(a: &Vector, b: &Vector) -> Option<(bool, f64)> {
    let a_is_part = a.len() <= b.len();
    let (part, whole) = if a_is_part { (a, b) } else { (b, a) };
    if part.len() < TERMS || part.len() as f64 > SHORTER * whole.len() as f64 {
        return None;
    }
    let share = part.common(whole) as f64 / part.len() as f64;
    (share >= SHARE).then_some((a_is_part, share))
}

/// An article that stands in another one, or has another one standing in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contained {
    /// The other article.
    pub key: UrlKey,
    /// The article asked about is the excerpt, the other one the whole.
    pub part: bool,
    /// Share of the excerpt's terms that the whole has.
    pub share: f64,
}

/// Articles by their marks.
#[derive(Debug, Default)]
pub struct Marks {
    /// By number.
    keys: Vec<UrlKey>,
    ats: Vec<Millis>,
    /// Ascending, in runs, each more than twice as long as the next.
    runs: Vec<Vec<Marked>>,
}

/// A mark (4 bytes) and the number of its article (3), so that their order is that of the bytes.
type Marked = [u8; 7];

/// Articles that can be numbered.
const NUMBERS: u32 = 1 << 24;

fn marked(mark: u32, number: u32) -> Marked {
    let ([a, b, c, d], [_, e, f, g]) = (mark.to_be_bytes(), number.to_be_bytes());
    [a, b, c, d, e, f, g]
}

fn unmarked([a, b, c, d, e, f, g]: Marked) -> (u32, u32) {
    (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([0, e, f, g]))
}

/// Appends; grows by a sixteenth where `Vec` would double, for memory is dearer here than copying.
fn push<T>(column: &mut Vec<T>, item: T) {
    if column.len() == column.capacity() {
        column.reserve_exact(column.len() / 16 + 4);
    }
    column.push(item);
}

impl Marks {
    /// Adds an article published `at`; beyond 16 million of them no more.
    pub fn insert(&mut self, key: UrlKey, at: Millis, marks: &[u32]) {
        let number = u32::try_from(self.keys.len()).ok().filter(|number| *number < NUMBERS);
        let Some(number) = number.filter(|_| !marks.is_empty()) else { return };
        push(&mut self.keys, key);
        push(&mut self.ats, at);
        self.join(marks.iter().map(|mark| marked(*mark, number)).collect());
    }

    fn join(&mut self, mut run: Vec<Marked>) {
        while let Some(shorter) = self.runs.pop_if(|last| last.len() <= run.len() * 2) {
            run.extend(shorter);
        }
        // Two or more ascending runs: the sort finds and merges them.
        run.sort();
        run.shrink_to_fit();
        self.runs.push(run);
    }

    /// Keeps only the articles of which `keep` is true.
    pub fn retain(&mut self, keep: &mut dyn FnMut(UrlKey, Millis) -> bool) {
        let mut numbers = Vec::with_capacity(self.keys.len());
        let mut left = 0;
        for (key, at) in self.keys.iter().zip(&self.ats) {
            let kept = keep(*key, *at);
            numbers.push(kept.then_some(left));
            left += u32::from(kept);
        }
        if left as usize == self.keys.len() {
            return;
        }
        let mut kept = numbers.iter().map(Option::is_some);
        self.keys.retain(|_| kept.next().unwrap_or(false));
        let mut kept = numbers.iter().map(Option::is_some);
        self.ats.retain(|_| kept.next().unwrap_or(false));
        self.keys.shrink_to_fit();
        self.ats.shrink_to_fit();
        let mut run: Vec<Marked> = Vec::new();
        for (mark, number) in self.runs.drain(..).flatten().map(unmarked) {
            if let Some(Some(number)) = numbers.get(number as usize) {
                run.push(marked(mark, *number));
            }
        }
        run.sort();
        run.shrink_to_fit();
        self.runs.push(run);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<UrlKey>()
            + self.ats.capacity() * size_of::<Millis>()
            + self.runs.iter().map(|run| run.capacity() * size_of::<Marked>()).sum::<usize>()
    }

    /// Number of articles held.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Holds no article.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Articles published within `window` of `at` that the text stands in, or that stand in it,
    /// largest share first, then by key. `vector` reads a full vector.
    pub fn near(
        &self,
        own: UrlKey,
        at: Millis,
        window: Millis,
        print: &Print,
        vector: impl Fn(UrlKey, Millis) -> Option<Vector>,
    ) -> Vec<Contained> {
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for run in &self.runs {
            for mark in &print.marks {
                let from = run.partition_point(|other| *other < marked(*mark, 0));
                let same = run.iter().skip(from).map(|both| unmarked(*both));
                for (_, number) in same.take_while(|(other, _)| other == mark).take(PER_MARK) {
                    *shared.entry(number).or_default() += 1;
                }
            }
        }
        let mut candidates: Vec<(u32, u32)> = shared.into_iter().collect();
        candidates.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut found = Vec::new();
        let place = |n: usize| Some((self.keys.get(n)?, self.ats.get(n)?));
        let placed = candidates.iter().filter_map(|(n, _)| place(*n as usize));
        let placed =
            placed.filter(|(key, then)| **key != own && then.abs_diff(at) <= window as u64);
        for (key, then) in placed.take(COMPARED) {
            if let Some(other) = vector(*key, *then)
                && let Some((part, share)) = share(&print.vector, &other)
            {
                found.push(Contained { key: *key, part, share });
            }
        }
        found.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.key.cmp(&b.key)));
        found
    }

    /// Writes everything: number of articles, each with its key, instant and marks.
    pub fn save(&self, to: &mut dyn Write) -> std::io::Result<()> {
        let mut sum = 0;
        to.write_all(&(self.keys.len() as u64).to_le_bytes())?;
        for (key, at) in self.keys.iter().zip(&self.ats) {
            to.write_all(&key.0.to_le_bytes())?;
            to.write_all(&at.to_le_bytes())?;
            sum = checked_article(sum, *key, *at);
        }
        to.write_all(&(self.runs.iter().map(Vec::len).sum::<usize>() as u64).to_le_bytes())?;
        for (mark, number) in self.runs.iter().flatten().map(|both| unmarked(*both)) {
            let both = u64::from(mark) << 32 | u64::from(number);
            to.write_all(&both.to_le_bytes())?;
            sum = checked(sum, both);
        }
        to.write_all(&sum.to_le_bytes())
    }

    /// Reads what [`Marks::save`] wrote. Memory is bounded by the length of what is read.
    pub fn load(from: &mut dyn Read) -> std::io::Result<Marks> {
        fn next<const N: usize>(from: &mut dyn Read) -> std::io::Result<[u8; N]> {
            let mut bytes = [0; N];
            from.read_exact(&mut bytes)?;
            Ok(bytes)
        }
        let (mut marks, mut run, mut sum) = (Marks::default(), Vec::new(), 0);
        for _ in 0..u64::from_le_bytes(next(from)?) {
            let key = UrlKey(u128::from_le_bytes(next(from)?));
            let at = Millis::from_le_bytes(next(from)?);
            sum = checked_article(sum, key, at);
            marks.keys.push(key);
            marks.ats.push(at);
        }
        for _ in 0..u64::from_le_bytes(next(from)?) {
            let both = u64::from_le_bytes(next(from)?);
            sum = checked(sum, both);
            // The two halves.
            run.push(marked((both >> 32) as u32, both as u32));
        }
        if u64::from_le_bytes(next(from)?) != sum {
            return Err(Error::new(ErrorKind::InvalidData, "the checksum of the marks differs"));
        }
        run.sort();
        run.shrink_to_fit();
        marks.keys.shrink_to_fit();
        marks.ats.shrink_to_fit();
        marks.runs.push(run);
        Ok(marks)
    }
}

/// Carries a checksum over an article: finds damage, not malice.
fn checked_article(sum: u64, key: UrlKey, at: Millis) -> u64 {
    // The two halves of the key, and the instant, as they are written.
    [key.0 as u64, (key.0 >> 64) as u64, at as u64].into_iter().fold(sum, checked)
}

fn checked(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Text of pseudo-random words.
    fn text(seed: u64, words: usize) -> String {
        let mut state = seed;
        let mut text = String::new();
        for _ in 0..words {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
            text.push_str(&format!("w{} ", state >> 52));
        }
        text
    }

    fn cut(text: &str, words: std::ops::Range<usize>) -> String {
        let all: Vec<&str> = text.split(' ').collect();
        all[words].join(" ")
    }

    #[test]
    fn an_excerpt_is_found_from_both_sides() {
        let whole = text(1, 1_000);
        let texts = [
            whole.clone(),
            cut(&whole, 200..600),
            text(2, 800),
            cut(&whole, 0..990),
            cut(&whole, 0..30),
        ];
        let prints: Vec<Print> = texts.iter().map(|t| Print::of(t)).collect();
        let mut marks = Marks::default();
        for (n, print) in prints.iter().enumerate() {
            marks.insert(UrlKey(n as u128), 0, &print.marks);
        }
        let near = |n: usize, at| {
            let vector = |key: UrlKey, _| Some(prints[key.0 as usize].vector.clone());
            let found = marks.near(UrlKey(n as u128), at, 10, &prints[n], vector);
            found.into_iter().map(|c| (c.key.0, c.part, c.share)).collect::<Vec<_>>()
        };
        assert_eq!(near(0, 0), [(1, false, 1.0)]);
        assert_eq!(near(1, 10), [(0, true, 1.0), (3, true, 1.0)]);
        assert_eq!(near(1, 11), []);
        assert_eq!(near(2, 0), []);
        assert_eq!(near(4, 0), [], "too short");
    }

    #[test]
    fn what_is_not_kept_is_not_found() {
        let whole = text(3, 600);
        let prints = [Print::of(&whole), Print::of(&cut(&whole, 0..300))];
        let mut marks = Marks::default();
        for n in 0..50 {
            marks.insert(UrlKey(n), n as Millis, &prints[0].marks);
        }
        marks.retain(&mut |_, at| at >= 48);
        let vector = |_, _| Some(prints[0].vector.clone());
        let found = marks.near(UrlKey(99), 48, 100, &prints[1], vector);
        assert_eq!(found.iter().map(|c| c.key.0).collect::<Vec<_>>(), [48, 49]);
        assert_eq!(marks.len(), 2);
    }

    proptest! {
        #[test]
        fn prints_round_trip(text in "[a-d ]{0,300}|\\PC{0,80}") {
            let print = Print::of(&text);
            prop_assert_eq!(&print.vector, &Vector::of(&text));
            prop_assert_eq!(Print::decode(&print.encode()), Ok(print));
        }

        #[test]
        fn any_bytes_decode_or_fail(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(first) = bytes.first_mut() {
                *first = FORMAT;
            }
            let _ = Print::decode(&bytes);
            let _ = Marks::load(&mut bytes.as_slice());
        }

        /// Saved and loaded, and in any order of insertion, the answers are the same.
        #[test]
        fn saved_marks_answer_as_before(seeds in proptest::collection::vec(0u64..6, 1..30), damage in any::<prop::sample::Index>()) {
            let texts: Vec<String> = seeds.iter().enumerate().map(|(i, seed)| {
                cut(&text(*seed, 400), i % 7 * 20..400)
            }).collect();
            let prints: Vec<Print> = texts.iter().map(|t| Print::of(t)).collect();
            let mut marks = Marks::default();
            for (n, print) in prints.iter().enumerate() {
                marks.insert(UrlKey(n as u128), 0, &print.marks);
            }
            let mut bytes = Vec::new();
            marks.save(&mut bytes).unwrap();
            let loaded = Marks::load(&mut bytes.as_slice()).unwrap();
            for (n, print) in prints.iter().enumerate() {
                let vector = |key: UrlKey, _| Some(prints[key.0 as usize].vector.clone());
                let near = |marks: &Marks| marks.near(UrlKey(n as u128), 0, 0, print, vector);
                prop_assert_eq!(near(&loaded), near(&marks));
            }
            let at = damage.index(bytes.len());
            prop_assert!(Marks::load(&mut &bytes[..at]).is_err());
            bytes[at] ^= 0x10;
            prop_assert!(Marks::load(&mut bytes.as_slice()).is_err());
        }
    }
}
