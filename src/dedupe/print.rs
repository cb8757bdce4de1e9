//! What is kept of a text for finding its copies and excerpts: term frequencies, marks, wording.
//!
//! Marks are hashes of some terms in a row, chosen by their value, so that the same run is a mark in every
//! text (Manber 1994): every [`ONE_IN`]th, for excerpts (Broder 1997, containment), and the smallest
//! [`LEAST`] of each text, so that short texts have some, too (bottom-k sketch; Cohen & Kaplan 2007).
//!
//! Must not know: how prints are searched and compared, where they are kept.

use super::bits::{BitReader, BitWriter};
use super::folded::folded;
use super::similarity::{
    BadVector, KEPT_BITS, Vector, packed, put_varint, short, take_varint, terms_of, unpacked,
};
use super::wording::Wording;

/// Terms in a row that make a mark.
const RUN: usize = 5;
/// Of so many runs one is kept.
const ONE_IN: u32 = 64;
/// So many runs are kept of every text that has them.
const LEAST: usize = 8;

/// Format of [`Print::encode`]. A vector alone begins with another byte.
const FORMAT: u8 = 5;
/// The same of a text as it was printed, not folded.
const PRINTED: u8 = 4;
/// The terms in order cut to 16 bits, and behind them the vector for itself.
const APART: u8 = 3;
/// Marks of longer runs and no wording.
const BEFORE: u8 = 2;
/// Most marks, terms, names and numbers that are read back, each: those of a text of 16 million terms.
const MOST: u64 = 1 << 24;

/// What is kept of a text for finding copies and excerpts of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Print {
    pub vector: Vector,
    /// Ascending, each once.
    pub marks: Vec<u32>,
    /// `None`: it was not kept when this print was made.
    pub wording: Option<Wording>,
    /// Of the folded text: letters and digits in one spelling. Those of before were made of the text as printed.
    pub folded: bool,
}

impl From<Vector> for Print {
    /// A text of which only the term frequencies are known.
    fn from(vector: Vector) -> Print {
        Print { vector, ..Print::default() }
    }
}

impl Print {
    /// Counts the terms of `text`, takes its marks and its wording.
    pub fn of(text: &str) -> Print {
        Print { folded: true, ..Print::printed(&folded(text)) }
    }

    /// As [`Print::of`], of the text as it is.
    fn printed(text: &str) -> Print {
        let terms = terms_of(text);
        let marks = marks(&terms);
        let wording = Some(Wording::of(text, &terms));
        Print { vector: Vector::counted(terms), marks, wording, folded: false }
    }

    /// Was it made of this text, now or by an earlier version? Of the oldest ones only the vector was kept.
    pub fn is_of(&self, text: &str) -> bool {
        let made = if self.folded { Print::of(text) } else { Print::printed(text) };
        *self == made || self.wording.is_none() && self.vector == made.vector
    }

    /// Is there nothing that a print made now would have beyond it?
    pub fn is_whole(&self) -> bool {
        self.folded && self.wording.is_some()
    }

    /// The bytes kept beside an article: format; number of marks (LEB128), marks (4 bytes, little endian
    /// like all numbers); number of names and numbers, these (2 each); number of terms, and these in order
    /// as bits. A term that comes for the first time: a one, and the kept bits of its hash; one that came:
    /// a zero, and its place among those that came so far, in as many bits as the last place needs.
    ///
    /// Vector and wording are of one text: a vector that is not that of its wording is not kept.
    pub fn encode(&self) -> Vec<u8> {
        let Some(Wording { trail, particulars }) = &self.wording else {
            return self.vector.encode();
        };
        let mut bytes = vec![if self.folded { FORMAT } else { PRINTED }];
        put_varint(&mut bytes, self.marks.len() as u64);
        self.marks.iter().for_each(|mark| bytes.extend_from_slice(&mark.to_le_bytes()));
        put_varint(&mut bytes, particulars.len() as u64);
        particulars.iter().for_each(|term| bytes.extend_from_slice(&term.to_le_bytes()));
        put_varint(&mut bytes, trail.len() as u64);
        // Terms of one short form are told apart by their number alone: which comes first says nothing.
        let mut known: Vec<Known> = self.vector.terms().map(Known::of).collect();
        known.sort_unstable_by_key(|term| (term.short, term.hash));
        let (mut bits, mut came) = (BitWriter::new(&mut bytes), 0);
        for &of in trail {
            let from = known.partition_point(|term| term.short < of);
            let same = known.get_mut(from..).unwrap_or_default();
            let mut same = same.iter_mut().take_while(|term| term.short == of);
            match same.find(|term| term.left > 0) {
                Some(Known { place: Some(place), left, .. }) => {
                    *left -= 1;
                    bits.put(*place, 1 + width(came));
                }
                new => {
                    let hash = new.as_ref().map_or(u64::from(of) << 32, |term| term.hash);
                    bits.put(1, 1);
                    bits.put(packed(hash), KEPT_BITS);
                    if let Some(term) = new {
                        term.place = Some(came);
                        term.left -= 1;
                    }
                    came += 1;
                }
            }
        }
        bits.end();
        bytes
    }

    /// Reads what [`Print::encode`] wrote, now or before; of the two oldest formats only the vector is of
    /// use. Memory is bounded by the length of `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Print, BadVector> {
        let (format, mut rest) = match bytes.split_first() {
            Some((&format @ (FORMAT | PRINTED | APART | BEFORE), rest)) => (format, rest),
            _ => return Ok(Vector::decode(bytes)?.into()),
        };
        let marks = items::<4>(&mut rest)?.iter().map(|mark| u32::from_le_bytes(*mark));
        let marks: Vec<u32> = marks.collect();
        if !marks.is_sorted_by(|a, b| a < b) {
            return Err(BadVector("marks out of order"));
        }
        if format == BEFORE {
            return Ok(Vector::decode(rest)?.into());
        }
        let terms = |rest: &mut &[u8]| -> Result<Box<[u16]>, BadVector> {
            Ok(items::<2>(rest)?.iter().map(|term| u16::from_le_bytes(*term)).collect())
        };
        let particulars = terms(&mut rest)?;
        if !particulars.is_sorted() {
            return Err(BadVector("names and numbers out of order"));
        }
        let (trail, vector) = match format {
            APART => (terms(&mut rest)?, Vector::decode(rest)?),
            _ => in_order(rest)?,
        };
        let wording = Some(Wording { trail, particulars });
        Ok(Print { vector, marks, wording, folded: format == FORMAT })
    }
}

impl Print {
    /// The same print in fewer bytes, if it is one that an earlier version wrote at length.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn shorter(bytes: &[u8]) -> Result<Option<Vec<u8>>, BadVector> {
        match bytes.first() {
            Some(&APART) => Print::decode(bytes).map(|print| Some(print.encode())),
            _ => Ok(None),
        }
    }
}

/// A term while a print is written.
struct Known {
    short: u16,
    hash: u64,
    /// So often it is still to come.
    left: u32,
    /// Among those that came, once it did.
    place: Option<u64>,
}

impl Known {
    fn of((hash, left): (u64, u32)) -> Known {
        Known { short: short(hash), hash, left, place: None }
    }
}

/// Bits of a place among so many.
fn width(places: u64) -> u32 {
    u64::BITS - places.saturating_sub(1).leading_zeros()
}

/// The terms in order, cut to 16 bits, and their vector.
fn in_order(mut bytes: &[u8]) -> Result<(Box<[u16]>, Vector), BadVector> {
    const CUT_OFF: BadVector = BadVector("cut off within the wording");
    // Each takes a bit at least.
    let most = (bytes.len() as u64 * 8).min(MOST);
    let count = take_varint(&mut bytes)?;
    if count > most {
        return Err(CUT_OFF);
    }
    let mut trail = Vec::with_capacity(count as usize);
    let mut terms: Vec<(u64, u32)> = Vec::new();
    let mut bits = BitReader::new(bytes);
    for _ in 0..count {
        if bits.take(1).ok_or(CUT_OFF)? == 1 {
            let hash = unpacked(bits.take(KEPT_BITS).ok_or(CUT_OFF)?);
            terms.push((hash, 1));
            trail.push(short(hash));
        } else {
            let place = bits.take(width(terms.len() as u64)).ok_or(CUT_OFF)?;
            let term = terms.get_mut(place as usize);
            let (hash, count) = term.ok_or(BadVector("a term that did not come"))?;
            *count += 1;
            trail.push(short(*hash));
        }
    }
    if !bits.is_at_end() {
        return Err(BadVector("surplus bytes"));
    }
    let distinct = terms.len();
    let vector = Vector::summed(terms);
    if vector.distinct() < distinct {
        return Err(BadVector("a term came for the first time twice"));
    }
    Ok((trail.into(), vector))
}

/// So many bytes each, after their number.
fn items<'a, const N: usize>(bytes: &mut &'a [u8]) -> Result<&'a [[u8; N]], BadVector> {
    let count = take_varint(bytes)?;
    let items = usize::try_from(count).ok().filter(|_| count <= MOST);
    let items = items.and_then(|count| bytes.split_at_checked(count * N));
    let (items, rest) = items.ok_or(BadVector("cut off within the marks or the wording"))?;
    *bytes = rest;
    Ok(items.as_chunks::<N>().0)
}

/// The marks of terms in order, ascending.
fn marks(terms: &[u64]) -> Vec<u32> {
    // Two disjoint parts of the hash: which are kept says nothing about how they differ.
    let mut runs: Vec<(u32, u32)> = terms.windows(RUN).map(hashed).collect();
    let kept = |(rank, _): &(u32, u32)| *rank < u32::MAX / ONE_IN;
    runs.sort_unstable();
    runs.dedup();
    let least = runs.partition_point(kept).max(LEAST);
    runs.truncate(least);
    let mut marks: Vec<u32> = runs.into_iter().map(|(_, mark)| mark).collect();
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// What decides whether a run is kept, and its mark.
fn hashed(run: &[u64]) -> (u32, u32) {
    let mix =
        |hash: u64, term: &u64| (hash.rotate_left(7) ^ term).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = run.iter().fold(0, mix);
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let hash = hash ^ (hash >> 29);
    // The two halves.
    (hash as u32, (hash >> 32) as u32)
}

/// A print as it was written when whole hashes were kept: the vector behind the terms in order.
#[cfg(test)]
fn with_whole_hashes(text: &str) -> Vec<u8> {
    let now = Print::printed(text);
    let mut hashes = terms_of(text);
    let trail: Vec<u8> = hashes.iter().flat_map(|hash| short(*hash).to_le_bytes()).collect();
    let mut bytes = vec![APART];
    put_varint(&mut bytes, now.marks.len() as u64);
    now.marks.iter().for_each(|mark| bytes.extend(mark.to_le_bytes()));
    let particulars = now.wording.map(|wording| wording.particulars).unwrap_or_default();
    put_varint(&mut bytes, particulars.len() as u64);
    particulars.iter().for_each(|term| bytes.extend(term.to_le_bytes()));
    put_varint(&mut bytes, hashes.len() as u64);
    bytes.extend(trail);
    hashes.sort_unstable();
    let groups: Vec<&[u64]> = hashes.chunk_by(|a, b| a == b).collect();
    bytes.push(1);
    put_varint(&mut bytes, groups.len() as u64);
    groups.iter().for_each(|group| bytes.extend(group[0].to_le_bytes()));
    groups.iter().for_each(|group| put_varint(&mut bytes, group.len() as u64));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn prints_of_before_are_read() {
        let vector = Vector::of("one two two three");
        assert_eq!(Print::decode(&vector.encode()), Ok(vector.clone().into()));
        let before = [&[BEFORE, 1, 7, 0, 0, 0][..], &vector.encode()].concat();
        assert_eq!(Print::decode(&before), Ok(vector.into()));
        assert!(Print::decode(&[FORMAT, 1, 7]).is_err());
    }

    #[test]
    fn prints_with_whole_hashes_are_read() {
        let text = "Anna and Bert saw 12 boats and 7 ships, and Anna saw more";
        let (now, bytes) = (Print::printed(text), with_whole_hashes(text));
        assert_eq!(Print::decode(&bytes), Ok(now.clone()));
        assert!(now.encode().len() < bytes.len() * 2 / 3);
        assert_eq!(Print::shorter(&bytes), Ok(Some(now.encode())));
        assert_eq!(Print::shorter(&now.encode()), Ok(None));
        let vector = now.vector.encode();
        assert_eq!(Print::shorter(&vector), Ok(None));
    }

    #[test]
    fn prints_of_texts_that_were_not_folded_are_read() {
        let text = "Die Ha\u{308}fen nahmen ２８ Schiffe auf, sagte Jens Vo\u{308}gt";
        let before = Print::printed(text);
        let read = Print::decode(&before.encode()).unwrap();
        assert_eq!(read, before);
        assert!(read.is_of(text) && !read.is_whole());
        let now = Print::of(text);
        assert_ne!(now.vector, before.vector);
        assert_eq!(now, Print::of("Die Häfen nahmen 28 Schiffe auf, sagte Jens Vögt"));
        assert!(!now.is_of("Die Häfen nahmen 29 Schiffe auf, sagte Jens Vögt"));
        // Of the oldest ones only the vector.
        let vector = Print::from(before.vector);
        assert!(vector.is_of(text) && !vector.is_of("another text"));
    }

    #[test]
    fn damaged_terms_are_named() {
        let check = |bytes: &[u8], expect| {
            let bytes = [&[FORMAT, 0, 0][..], bytes].concat();
            assert_eq!(Print::decode(&bytes), Err(BadVector(expect)), "{bytes:?}");
        };
        check(&[200, 1, 0], "cut off within the wording");
        check(&[1, 0b1000_0000], "cut off within the wording");
        check(&[1, 0], "a term that did not come");
        check(&[0, 0], "surplus bytes");
        check(&[2, 0x80, 0, 0, 0, 0b0001_0000, 0, 0, 0, 0], "a term came for the first time twice");
    }

    proptest! {
        #[test]
        fn prints_round_trip(text in "[a-d A-C0-9]{0,300}|\\PC{0,80}") {
            let print = Print::of(&text);
            prop_assert_eq!(&print.vector, &Vector::of(&folded(&text)));
            prop_assert!(print.is_of(&text) && print.is_whole());
            prop_assert_eq!(Print::decode(&print.encode()), Ok(print));
        }

        #[test]
        fn any_bytes_decode_or_fail(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(first) = bytes.first_mut() {
                *first = FORMAT;
            }
            let _ = Print::decode(&bytes);
        }

        /// All below the threshold, and the least of the others up to the number that every text has.
        #[test]
        fn marks_are_those_of_the_definition(terms in prop::collection::vec(0u64..30, 0..400)) {
            let runs: BTreeSet<(u32, u32)> = terms.windows(RUN).map(hashed).collect();
            let kept = |(n, (rank, _)): &(usize, &(u32, u32))| *n < LEAST || *rank < u32::MAX / ONE_IN;
            let expect: BTreeSet<u32> =
                runs.iter().enumerate().filter(kept).map(|(_, (_, mark))| *mark).collect();
            prop_assert_eq!(marks(&terms), expect.into_iter().collect::<Vec<_>>());
        }
    }
}
