//! Upper bounds of the cosine of two texts from little memory, coarse and fine. Both put the terms
//! into buckets by hash and use Cauchy–Schwarz within each: v_i·v_j ≤ Σ_b ‖v_i,b‖‖v_j,b‖. They
//! are never below the true cosine, whatever the texts.
//!
//! Must not know: which articles are held, publication instants, τ.

use crate::dedupe::similarity::Vector;

/// Buckets of a sketch: its bytes per article.
pub(super) const BUCKETS: usize = 64;
/// Bits of a term that a digest keeps.
const DIGEST_BITS: u32 = 12;
/// Room for rounding: all figures here are computed in `f32` or better and have fewer than
/// 2^16 summands of one sign.
pub(super) const SLACK: f64 = 1e-6;

/// Norm of each bucket's terms as a share of the whole norm, in units of 1/255, rounded up.
pub(super) type Sketch = [u8; BUCKETS];

/// The asking side of a sketch, finer: units of 1/16320 (= 64 · 255), rounded up.
pub(super) struct Question([i16; BUCKETS]);

fn shares(vector: &Vector) -> [f64; BUCKETS] {
    let mut squares = [0u64; BUCKETS];
    for (term, count) in vector.terms() {
        // The index is below the length; low bits, for the high ones make the digest.
        squares[(term % BUCKETS as u64) as usize] += u64::from(count) * u64::from(count);
    }
    let norm = vector.norm();
    squares.map(|square| (square as f64).sqrt() / norm * (1.0 + SLACK))
}

/// The sketch of a text.
pub(super) fn sketch(vector: &Vector) -> Sketch {
    shares(vector).map(|share| (share * 255.0).ceil().min(255.0) as u8)
}

/// Smallest and largest share of each bucket over some sketches.
pub(super) struct Hull {
    pub(super) low: Sketch,
    pub(super) high: Sketch,
}

impl Default for Hull {
    /// Around nothing.
    fn default() -> Hull {
        Hull { low: [u8::MAX; BUCKETS], high: [0; BUCKETS] }
    }
}

impl Hull {
    pub(super) fn widen(&mut self, sketch: &Sketch) {
        for ((low, high), share) in self.low.iter_mut().zip(&mut self.high).zip(sketch) {
            *low = (*low).min(*share);
            *high = (*high).max(*share);
        }
    }
}

impl Question {
    pub(super) fn of(vector: &Vector) -> Question {
        Question(shares(vector).map(|share| (share * 16320.0).ceil().min(16320.0) as i16))
    }

    /// Upper bound of the cosine with the text of `theirs`, in units of [`Question::units`].
    pub(super) fn bound(&self, theirs: &Sketch) -> i32 {
        // Each product is below 2^22, and there are 2^6.
        self.0.iter().zip(theirs).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
    }

    /// Can the cosine with any text whose sketch lies in `hull` reach `cosine`?
    ///
    /// The shares of a text are a vector of length 1, and so are the question's; their cosine is
    /// at least that of the texts. At distance d it is 1 − d²/2, and d is at least the distance to
    /// the hull.
    pub(super) fn reaches(&self, hull: &Hull, cosine: f64) -> bool {
        let mut square = 0i32;
        for ((&ours, &low), &high) in self.0.iter().zip(&hull.low).zip(&hull.high) {
            // Theirs are rounded up by less than one unit, ours by less than one of theirs / 64.
            let (low, high) = ((i16::from(low) - 1) * 64, i16::from(high) * 64);
            let beyond = (low - ours - 2).max(ours - high - 2).max(0);
            square += i32::from(beyond) * i32::from(beyond);
        }
        f64::from(square) <= (2.0 - 2.0 * (cosine - SLACK)) * 16320.0 * 16320.0
    }

    /// The smallest bound that a cosine of `cosine` can have.
    pub(super) fn units(cosine: f64) -> i32 {
        ((cosine - SLACK) * (16320.0 * 255.0)).floor().max(0.0) as i32
    }
}

/// A digest: the vector with terms cut to their first bits, in ascending order. One byte for most
/// terms: the distance from the term before in the high six bits (63: a number follows that is to
/// be added), the count less one in the low two (3: a number follows that is to be added).
pub(super) fn put_digest(bytes: &mut Vec<u8>, vector: &Vector) {
    let mut last = 0;
    for (term, count) in vector.terms() {
        let bucket = term >> (64 - DIGEST_BITS);
        let (gap, more) = (bucket - last, u64::from(count) - 1);
        bytes.push((gap.min(63) << 2 | more.min(3)) as u8);
        if gap >= 63 {
            put_number(bytes, gap - 63);
        }
        if more >= 3 {
            put_number(bytes, more - 3);
        }
        last = bucket;
    }
}

/// The asking side of a digest: norm of each bucket.
pub(super) struct Table {
    norms: Box<[f32]>,
    norm: f64,
}

impl Table {
    pub(super) fn of(vector: &Vector) -> Table {
        let mut squares = vec![0u64; 1 << DIGEST_BITS];
        for (term, count) in vector.terms() {
            if let Some(square) = squares.get_mut((term >> (64 - DIGEST_BITS)) as usize) {
                *square += u64::from(count) * u64::from(count);
            }
        }
        let norms = squares.iter().map(|s| (*s as f64).sqrt() as f32).collect();
        Table { norms, norm: vector.norm() }
    }

    /// Upper bound of the cosine with the text of which `digest` was made.
    pub(super) fn bound(&self, digest: &[u8]) -> f64 {
        let mut bytes = digest.iter();
        let (mut bucket, mut dot, mut square) = (0usize, 0f64, 0u64);
        // Sum of squares of the bucket that is being read.
        let mut here = 0u64;
        while let Some(&byte) = bytes.next() {
            let mut gap = usize::from(byte >> 2);
            if gap == 63 {
                gap = gap.saturating_add(take_number(&mut bytes) as usize);
            }
            let mut count = u64::from(byte & 3) + 1;
            if count == 4 {
                count = count.saturating_add(take_number(&mut bytes));
            }
            if gap > 0 {
                dot += self.times(bucket, here);
                square = square.saturating_add(here);
                here = 0;
            }
            bucket = bucket.saturating_add(gap);
            here = here.saturating_add(count.saturating_mul(count));
        }
        dot += self.times(bucket, here);
        square = square.saturating_add(here);
        dot / (self.norm * (square as f64).sqrt()) + SLACK
    }

    fn times(&self, bucket: usize, square: u64) -> f64 {
        let ours = self.norms.get(bucket).copied().unwrap_or(0.0);
        // Most buckets hold one term that occurs once.
        if square <= 1 {
            f64::from(ours) * square as f64
        } else {
            f64::from(ours) * (square as f64).sqrt()
        }
    }
}

fn put_number(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

fn take_number(bytes: &mut std::slice::Iter<'_, u8>) -> u64 {
    let (mut n, mut shift) = (0u64, 0u32);
    for &byte in bytes.by_ref() {
        n |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dedupe::similarity::sim;
    use proptest::prelude::*;

    proptest! {
        /// Neither bound is ever below the true cosine, and that of a text with itself is about 1.
        #[test]
        fn bounds_hold(a in "[a-e ]{0,300}", b in "[a-e ]{0,300}", times in 1usize..400) {
            let (a, b) = (Vector::of(&a.repeat(times)), Vector::of(&b));
            prop_assume!(!a.is_empty() && !b.is_empty());
            let cosine = sim(&a, &b) / super::super::super::similarity::delta(a.len(), b.len());
            prop_assert!(Question::of(&a).bound(&sketch(&b)) >= Question::units(cosine));
            prop_assert!(Question::of(&b).bound(&sketch(&a)) >= Question::units(cosine));
            let mut digest = Vec::new();
            put_digest(&mut digest, &b);
            prop_assert!(Table::of(&a).bound(&digest) >= cosine);
            prop_assert!((1.0..1.0001).contains(&Table::of(&b).bound(&digest)));
        }

        #[test]
        fn any_bytes_have_a_bound(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            Table::of(&Vector::of("one two two three")).bound(&bytes);
        }
    }
}
