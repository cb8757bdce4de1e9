//! What others use to find copies, as far as the study needs it: MinHash with locality-sensitive
//! hashing (Broder 1997; Indyk & Motwani 1998) over 128 permutations of three-word shingles, and
//! SimHash (Charikar 2002; 64 bits, distance 3: Manku et al. 2007) over words.

use std::collections::HashSet;

use crawler::dedupe::Vector;

const PERMUTATIONS: usize = 128;

/// Name, and bands × rows (0 rows: SimHash with that distance). Bands and rows are those that
/// weigh false hits and misses equally at the threshold named.
pub const SCHEMES: [(&str, (usize, usize)); 5] = [
    ("MinHash-LSH 0.5", (25, 5)),
    ("MinHash-LSH 0.7", (14, 9)),
    ("MinHash-LSH 0.8", (9, 13)),
    ("MinHash-LSH 0.9", (5, 25)),
    ("SimHash 3", (3, 0)),
];

/// A text as the rivals see it.
pub struct Fingerprint {
    minima: Box<[u64; PERMUTATIONS]>,
    simhash: u64,
}

impl Fingerprint {
    pub fn of(text: &str) -> Fingerprint {
        let mut minima = Box::new([u64::MAX; PERMUTATIONS]);
        for shingle in shingles(text, 3) {
            for (i, minimum) in minima.iter_mut().enumerate() {
                *minimum = (*minimum).min(mix(shingle ^ mix(i as u64 + 1)));
            }
        }
        let mut weights = [0i64; 64];
        for (term, count) in Vector::of(text).terms() {
            for (bit, weight) in weights.iter_mut().enumerate() {
                *weight += if term >> bit & 1 == 1 { i64::from(count) } else { -i64::from(count) };
            }
        }
        let simhash = weights.iter().rev().fold(0, |bits, w| bits << 1 | u64::from(*w > 0));
        Fingerprint { minima, simhash }
    }

    /// Does each of [`SCHEMES`] call the two copies?
    pub fn matches(&self, other: &Fingerprint) -> [bool; SCHEMES.len()] {
        SCHEMES.map(|(_, (bands, rows))| {
            if rows == 0 {
                return (self.simhash ^ other.simhash).count_ones() <= bands as u32;
            }
            let ours = self.minima.chunks_exact(rows).take(bands);
            ours.zip(other.minima.chunks_exact(rows)).any(|(a, b)| a == b)
        })
    }
}

/// Hashes of all runs of `n` words, or of characters where words are not divided.
pub fn shingles(text: &str, n: usize) -> HashSet<u64> {
    let lower = text.to_lowercase();
    let mut words: Vec<u64> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(|w| w.bytes().fold(0, |h, b| mix(h ^ u64::from(b))))
        .collect();
    if undivided(text) {
        words = lower.chars().filter(|c| c.is_alphanumeric()).map(|c| mix(c.into())).collect();
    }
    words.windows(n.min(words.len()).max(1)).map(|w| w.iter().fold(7, |h, x| mix(h ^ x))).collect()
}

/// Is this text written without blanks between words (Chinese, Japanese, Thai)?
pub fn undivided(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (mut all, mut without) = (0, 0);
    for c in letters {
        all += 1;
        let cjk = ('\u{2e80}'..'\u{ac00}').contains(&c) || c >= '\u{f900}';
        without += usize::from(cjk || ('\u{e00}'..'\u{f00}').contains(&c));
    }
    without * 3 > all
}

/// The finaliser of Murmur3.
fn mix(mut h: u64) -> u64 {
    h = (h ^ h >> 33).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}
