//! Term-frequency vectors and sim^σ (Ziegler & Skubacz 2007, eq. 2–3): the cosine of two vectors
//! times the ratio of their lengths. There is no other measure of likeness in the crate.
//!
//! Must not know: the index, stories, where encoded vectors are kept.

use unicode_normalization::char::is_combining_mark;

use crate::model::is_spaceless;

/// Version of the byte format of [`Vector::encode`].
const FORMAT: u8 = 1;
/// Largest token sum that is encoded or decoded. Keeps every dot product below 2^62; a text of
/// this length would exceed every page cap a hundredfold.
const MAX_LEN: u64 = 1 << 31;

/// A document as term frequencies.
///
/// Of a term's 64-bit hash those 34 bits are kept that sketches, digests and wordings go by. Two
/// documents of 300 distinct terms each confuse a pair of terms with probability
/// 600²/2 / 2^34 ≈ 10^-5, which shifts sim^σ by about one term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vector {
    /// Hashes with all but the kept bits zero, strictly ascending.
    terms: Box<[u64]>,
    /// Beside `terms`, each at least 1.
    counts: Box<[u32]>,
    len: u64,
    square: u64,
}

/// Bytes that are not an encoded [`Vector`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("damaged term vector: {0}")]
pub struct BadVector(pub(super) &'static str);

impl Vector {
    /// Counts the terms of `text`: maximal runs of word characters (letters, numbers, `_`),
    /// lower-cased, longer than one character; a run of a script without spaces between words
    /// gives its character bigrams, a single such character nothing.
    pub fn of(text: &str) -> Vector {
        Vector::counted(terms_of(text))
    }

    /// Counts terms given by their hashes, in any order.
    pub(super) fn counted(mut hashes: Vec<u64>) -> Vector {
        hashes.iter_mut().for_each(|hash| *hash &= KEPT);
        hashes.sort_unstable();
        // A text beyond the format's bound loses its surplus here, never its soundness.
        hashes.truncate(MAX_LEN as usize);
        let (mut terms, mut counts) = (Vec::new(), Vec::new());
        for group in hashes.chunk_by(|a, b| a == b) {
            terms.extend(group.first());
            counts.push(group.len() as u32);
        }
        Vector::from_parts(terms, counts)
    }

    /// From terms with their counts, in any order; a term may come again.
    pub(super) fn summed(mut pairs: Vec<(u64, u32)>) -> Vector {
        pairs.iter_mut().for_each(|(term, _)| *term &= KEPT);
        pairs.sort_unstable();
        let (mut terms, mut counts): (Vec<u64>, Vec<u32>) = Default::default();
        for (term, count) in pairs {
            match counts.last_mut().filter(|_| terms.last() == Some(&term)) {
                Some(sum) => *sum += count,
                None => {
                    terms.push(term);
                    counts.push(count);
                }
            }
        }
        Vector::from_parts(terms, counts)
    }

    fn from_parts(terms: Vec<u64>, counts: Vec<u32>) -> Vector {
        let len = counts.iter().map(|&c| u64::from(c)).sum();
        let square = counts.iter().map(|&c| u64::from(c) * u64::from(c)).sum();
        Vector { terms: terms.into(), counts: counts.into(), len, square }
    }

    /// Sum of all counts: Σ_k v_k of eq. (3).
    pub fn len(&self) -> u64 {
        self.len
    }

    /// No term at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of distinct terms.
    pub fn distinct(&self) -> usize {
        self.terms.len()
    }

    /// Euclidean length ‖v‖.
    pub fn norm(&self) -> f64 {
        (self.square as f64).sqrt()
    }

    /// Hash and count of each distinct term, by ascending hash.
    pub fn terms(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.terms.iter().copied().zip(self.counts.iter().copied())
    }

    /// v_i · v_j, exact.
    pub fn dot(&self, other: &Vector) -> u64 {
        let (mut i, mut j, mut dot) = (0, 0, 0);
        // Both sides step without a branch on which term is smaller: hashes are random, and a
        // mispredicted branch would cost more than the comparison.
        while let (Some(&a), Some(&b)) = (self.terms.get(i), other.terms.get(j)) {
            if a == b
                && let (Some(&x), Some(&y)) = (self.counts.get(i), other.counts.get(j))
            {
                dot += u64::from(x) * u64::from(y);
            }
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        dot
    }

    /// Σ_k min(v_k, w_k): terms that both have, as often as both have them.
    pub fn common(&self, other: &Vector) -> u64 {
        let (mut i, mut j, mut common) = (0, 0, 0);
        while let (Some(&a), Some(&b)) = (self.terms.get(i), other.terms.get(j)) {
            if a == b
                && let (Some(&x), Some(&y)) = (self.counts.get(i), other.counts.get(j))
            {
                common += u64::from(x.min(y));
            }
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        common
    }

    /// The vector alone: format, number of terms (LEB128), the hashes ascending (8 bytes little endian
    /// each), the counts (LEB128). About nine bytes a distinct term.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + self.terms.len() * 9);
        bytes.push(FORMAT);
        put_varint(&mut bytes, self.terms.len() as u64);
        for term in &self.terms {
            bytes.extend_from_slice(&term.to_le_bytes());
        }
        for &count in &self.counts {
            put_varint(&mut bytes, u64::from(count));
        }
        bytes
    }

    /// Reads what [`Vector::encode`] wrote, also when all bits of a hash were kept; every property of
    /// a vector is checked, and memory is bounded by the length of `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Vector, BadVector> {
        let (&format, mut rest) = bytes.split_first().ok_or(BadVector("no bytes"))?;
        if format != FORMAT {
            return Err(BadVector("unknown format"));
        }
        let distinct = take_varint(&mut rest)?;
        let distinct = usize::try_from(distinct).map_err(|_| BadVector("too many terms"))?;
        let hashes = distinct
            .checked_mul(8)
            .and_then(|n| rest.split_at_checked(n))
            .ok_or(BadVector("cut off within the terms"));
        let (hashes, mut rest) = hashes?;
        let (hashes, _) = hashes.as_chunks::<8>();
        let terms: Vec<u64> = hashes.iter().map(|b| u64::from_le_bytes(*b)).collect();
        if !terms.is_sorted_by(|a, b| a < b) {
            return Err(BadVector("terms out of order"));
        }
        let mut pairs = Vec::with_capacity(distinct);
        let mut len = 0;
        for term in terms {
            let count = take_varint(&mut rest)?;
            len += count.min(MAX_LEN + 1);
            if count == 0 || len > MAX_LEN {
                return Err(BadVector("impossible count"));
            }
            pairs.push((term, count as u32));
        }
        if !rest.is_empty() {
            return Err(BadVector("surplus bytes"));
        }
        Ok(Vector::summed(pairs))
    }
}

/// Hashes of the terms of `text` in its order; see [`Vector::of`].
pub(super) fn terms_of(text: &str) -> Vec<u64> {
    let text = text.to_lowercase();
    let mut hashes = Vec::with_capacity(text.len() / 6);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_spaceless(c) {
            let mut previous = c;
            while let Some(next) = chars.next_if(|&c| is_spaceless(c)) {
                hashes.push(hash([previous, next].into_iter()).0);
                previous = next;
            }
        } else if is_word(c) {
            let run = std::iter::once(c)
                .chain(std::iter::from_fn(|| chars.next_if(|&c| is_word(c) && !is_spaceless(c))));
            let (hash, length) = hash(run);
            if length > 1 {
                hashes.push(hash);
            }
        }
    }
    hashes
}

/// sim^σ of eq. (2)–(3), in 0 ..= 1: δ · (a·b)/(‖a‖‖b‖) with δ the smaller ratio of the token
/// sums. Symmetric; exactly 1 for equal vectors; empty against anything is 0.
pub fn sim(a: &Vector, b: &Vector) -> f64 {
    sim_of(a.dot(b), (a.square, b.square), (a.len, b.len))
}

/// Eq. (2)–(3) from v_i · v_j, ‖v_i‖² and ‖v_j‖², and the two sums of counts: for who adds up parts
/// of a text instead of counting it anew.
pub fn sim_of(dot: u64, squares: (u64, u64), lens: (u64, u64)) -> f64 {
    if lens.0 == 0 || lens.1 == 0 {
        return 0.0;
    }
    dot as f64 / (squares.0 as f64 * squares.1 as f64).sqrt() * delta(lens.0, lens.1)
}

/// δ of eq. (3) for two token sums above zero.
pub(super) fn delta(a: u64, b: u64) -> f64 {
    let (a, b) = (a as f64, b as f64);
    (a / b).min(b / a)
}

/// FNV-1a over the code points, then a 64-bit finaliser (Murmur3's): fast on short terms, and the
/// high bits are as good as the low ones. Part of the stored format: must never change under
/// [`FORMAT`]. Returns the number of characters too.
pub(super) fn hash(chars: impl Iterator<Item = char>) -> (u64, usize) {
    let mut h: u64 = 0xcbf2_9ce4_8422_2325;
    let mut length = 0;
    for c in chars {
        h = (h ^ u64::from(c)).wrapping_mul(0x0000_0100_0000_01b3);
        length += 1;
    }
    h ^= h >> 33;
    h = h.wrapping_mul(0xff51_afd7_ed55_8ccd);
    h ^= h >> 33;
    h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (h ^ (h >> 33), length)
}

/// A term's hash cut to 16 bits: other bits than those that sketches and digests go by.
pub(super) fn short(hash: u64) -> u16 {
    (hash >> 32) as u16
}

/// The kept bits of a hash: the highest 12 (digests), the 16 of [`short`], the lowest 6 (sketches).
const KEPT: u64 = 0xfff0_ffff_0000_003f;
/// How many these are.
pub(super) const KEPT_BITS: u32 = KEPT.count_ones();

/// The kept bits of a hash beside each other, the lowest of a number.
pub(super) fn packed(hash: u64) -> u64 {
    hash >> 52 << 22 | u64::from(short(hash)) << 6 | hash & 0x3f
}

/// The hash of [`packed`] bits, all others zero.
pub(super) fn unpacked(bits: u64) -> u64 {
    bits >> 22 << 52 | (bits >> 6 & 0xffff) << 32 | bits & 0x3f
}

/// Letters, numbers and `_`: `\w` without combining marks, so that the terms are those of the
/// scores published for other extractors. Circled letters are symbols, not letters.
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    c.is_alphanumeric()
        && !is_combining_mark(c)
        && !matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}')
}

pub(super) fn put_varint(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

pub(super) fn take_varint(bytes: &mut &[u8]) -> Result<u64, BadVector> {
    let mut n = 0;
    // Nine groups of seven bits: more than any count or number of terms needs.
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(BadVector("cut off within a number"))?;
        *bytes = rest;
        n |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(n);
        }
    }
    Err(BadVector("number too long"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Numbers computed with an independent implementation of the same definition.
    #[test]
    fn agrees_with_the_reference() {
        fn check(a: &str, b: &str, len: (u64, u64), expect: f64) {
            let (a, b) = (Vector::of(a), Vector::of(b));
            assert_eq!((a.len(), b.len()), len);
            assert!((sim(&a, &b) - expect).abs() < 1e-12, "{} is not {expect}", sim(&a, &b));
            assert_eq!(sim(&a, &b), sim(&b, &a));
        }
        check(
            "The quick brown fox jumps over the lazy dog",
            "The quick brown fox jumped over the lazy dogs",
            (9, 9),
            0.8181818181818182,
        );
        check(
            "Siemens baut in Erlangen 2.000 Stellen ab, sagte der Siemens-Chef.",
            "Siemens baut 2.000 Stellen ab",
            (11, 5),
            0.3382765488796594,
        );
        check("苹果公司今天发布了新手机", "苹果公司昨天发布了新电脑", (11, 11), 0.6363636363636364);
        check("Apple公司 in 東京", "Apple公司 in 大阪", (4, 4), 0.75);
        check(
            "Новая модель «Лады» вышла в мае, сообщает завод",
            "Завод сообщает: новая модель вышла",
            (7, 5),
            0.603681610520369,
        );
        check(
            "İstanbul'da ΟΔΟΣ οδος ①② ½ x_y Ⓐ",
            "i̇stanbul'da οδος ①② ½ X_Y",
            (6, 5),
            0.7905694150420949,
        );
        check("ราคาน้ำมันวันนี้", "ราคาทองวันนี้", (15, 12), 0.5041008302500835);
        check("हिन्दी समाचार पत्र", "हिन्दी समाचार", (2, 1), 0.35355339059327373);
        check("a b c d", "a b c d", (0, 0), 0.0);
        check("same same", "same same", (2, 2), 1.0);
        check("", "word word", (0, 2), 0.0);
    }

    #[test]
    fn damaged_bytes_are_named() {
        let good = Vector::of("one two two three").encode();
        assert_eq!(Vector::decode(&good), Ok(Vector::of("three two one two")));
        let check =
            |bytes: &[u8], expect| assert_eq!(Vector::decode(bytes), Err(BadVector(expect)));
        check(&[], "no bytes");
        check(&[9], "unknown format");
        check(&[FORMAT], "cut off within a number");
        check(&[FORMAT, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], "number too long");
        check(&[FORMAT, 0xff, 0xff, 0x7f, 1, 2], "cut off within the terms");
        check(&[&good[..], &[0]].concat(), "surplus bytes");
        check(&good[..good.len() - 1], "cut off within a number");
        let mut zero = good.clone();
        *zero.last_mut().unwrap() = 0;
        check(&zero, "impossible count");
        let mut swapped = good.clone();
        swapped[2..18].rotate_left(8);
        check(&swapped, "terms out of order");
    }

    /// The terms by definition, as strings.
    fn naive(text: &str) -> HashMap<String, u64> {
        let lower: Vec<char> = text.to_lowercase().chars().collect();
        let mut counts = HashMap::new();
        let class = |c: &char| (is_word(*c) || is_spaceless(*c), is_spaceless(*c));
        for run in lower.chunk_by(|a, b| class(a) == class(b)) {
            match class(&run[0]) {
                (_, true) => {
                    for pair in run.windows(2) {
                        *counts.entry(pair.iter().collect()).or_default() += 1;
                    }
                }
                (true, false) if run.len() > 1 => {
                    *counts.entry(run.iter().collect()).or_default() += 1;
                }
                _ => {}
            }
        }
        counts
    }

    proptest! {
        #[test]
        fn terms_are_those_of_the_definition(a in "[aB東京はไ é_1-]{0,60}|\\PC{0,60}", b in "[aB東京はไ é_1-]{0,60}") {
            let (x, y) = (naive(&a), naive(&b));
            let (v, w) = (Vector::of(&a), Vector::of(&b));
            prop_assert_eq!(v.len(), x.values().sum::<u64>());
            prop_assert_eq!(v.distinct(), x.len());
            let dot: u64 = x.iter().map(|(t, n)| n * y.get(t).unwrap_or(&0)).sum();
            prop_assert_eq!(v.dot(&w), dot);
            let s = sim(&v, &w);
            prop_assert!((0.0..=1.0 + 1e-12).contains(&s));
            if !v.is_empty() {
                prop_assert_eq!(sim(&v, &v), 1.0);
            }
        }

        #[test]
        fn encoding_round_trips(text in "\\PC{0,200}") {
            let v = Vector::of(&text);
            prop_assert_eq!(Vector::decode(&v.encode()), Ok(v));
        }

        #[test]
        fn any_bytes_decode_or_fail(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(first) = bytes.first_mut() {
                *first = FORMAT;
            }
            if let Ok(v) = Vector::decode(&bytes) {
                prop_assert!(sim(&v, &v) <= 1.0);
            }
        }
    }
}
