//! What is kept of a text for finding its copies and excerpts: term frequencies, marks, wording.
//!
//! Marks are hashes of some terms in a row, chosen by their value, so that the same run is a mark in every
//! text (Manber 1994): every [`ONE_IN`]th, for excerpts (Broder 1997, containment), and the smallest
//! [`LEAST`] of each text, so that short texts have some, too (bottom-k sketch; Cohen & Kaplan 2007).
//!
//! Must not know: how prints are searched and compared, where they are kept.

use super::similarity::{BadVector, Vector, put_varint, take_varint, terms_of};
use super::wording::Wording;

/// Terms in a row that make a mark.
const RUN: usize = 5;
/// Of so many runs one is kept.
const ONE_IN: u32 = 64;
/// So many runs are kept of every text that has them.
const LEAST: usize = 8;

/// Format of [`Print::encode`]. A vector alone begins with another byte.
const FORMAT: u8 = 3;
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
        let terms = terms_of(text);
        let marks = marks(&terms);
        let wording = Some(Wording::of(text, &terms));
        Print { vector: Vector::counted(terms), marks, wording }
    }

    /// The bytes kept beside an article: format; number of marks (LEB128), marks (4 bytes, little endian
    /// like all numbers); number of names and numbers, these (2 each); number of terms, these in order
    /// (2 each); [`Vector::encode`].
    pub fn encode(&self) -> Vec<u8> {
        let Some(Wording { trail, particulars }) = &self.wording else {
            return self.vector.encode();
        };
        let mut bytes = vec![FORMAT];
        put_varint(&mut bytes, self.marks.len() as u64);
        self.marks.iter().for_each(|mark| bytes.extend_from_slice(&mark.to_le_bytes()));
        for terms in [particulars, trail] {
            put_varint(&mut bytes, terms.len() as u64);
            terms.iter().for_each(|term| bytes.extend_from_slice(&term.to_le_bytes()));
        }
        bytes.extend(self.vector.encode());
        bytes
    }

    /// Reads what [`Print::encode`] wrote, now or before; of older formats only the vector is of use.
    /// Memory is bounded by the length of `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Print, BadVector> {
        let (format, mut rest) = match bytes.split_first() {
            Some((&format @ (FORMAT | BEFORE), rest)) => (format, rest),
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
        let mut terms = || -> Result<Box<[u16]>, BadVector> {
            Ok(items::<2>(&mut rest)?.iter().map(|term| u16::from_le_bytes(*term)).collect())
        };
        let wording = Wording { particulars: terms()?, trail: terms()? };
        if !wording.particulars.is_sorted() {
            return Err(BadVector("names and numbers out of order"));
        }
        Ok(Print { vector: Vector::decode(rest)?, marks, wording: Some(wording) })
    }
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

    proptest! {
        #[test]
        fn prints_round_trip(text in "[a-d A-C0-9]{0,300}|\\PC{0,80}") {
            let print = Print::of(&text);
            prop_assert_eq!(&print.vector, &Vector::of(&text));
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
