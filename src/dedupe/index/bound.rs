//! Upper bounds of the cosine of two texts from little memory, coarse and fine. Both put the terms
//! into buckets by hash and use Cauchy–Schwarz within each: v_i·v_j ≤ Σ_b ‖v_i,b‖‖v_j,b‖. They
//! are never below the true cosine, whatever the texts.
//!
//! Must not know: which articles are held, publication instants, τ.

use crate::dedupe::similarity::{Vector, put_varint};

/// Buckets of a sketch: its bytes per article.
pub(super) const BUCKETS: usize = 64;
/// Bits of a term that a digest keeps.
const DIGEST_BITS: u32 = 12;
/// Groups of buckets in a digest.
const GROUPS: usize = 32;
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

/// A digest: the vector with terms cut to their first bits, its *buckets*. Of buckets in which each term
/// occurs once, only their terms are counted, in groups of buckets: half a byte for each group (15: a
/// number follows behind the groups that is to be added). Then the other buckets in ascending order,
/// one byte for most: the distance from the bucket before in the high six bits (63: a number follows
/// that is to be added); in the low two, if it has a single term, its count less two; 3: the sum of its
/// terms' squares follows. Terms that occur once are most of a text and little of its norm.
pub(super) fn put_digest(bytes: &mut Vec<u8>, vector: &Vector) {
    let mut single = [0u64; GROUPS];
    let mut others = Vec::new();
    let mut terms =
        vector.terms().map(|(term, count)| (term >> (64 - DIGEST_BITS), count)).peekable();
    while let Some((bucket, count)) = terms.next() {
        let (mut terms_here, mut square) = (1u64, u64::from(count) * u64::from(count));
        while let Some((_, count)) = terms.next_if(|(next, _)| *next == bucket) {
            terms_here += 1;
            square += u64::from(count) * u64::from(count);
        }
        if square == terms_here {
            if let Some(group) = single.get_mut(group_of(bucket)) {
                *group += terms_here;
            }
        } else {
            others.push((bucket, (terms_here == 1).then(|| u64::from(count) - 2), square));
        }
    }
    let (pairs, _) = single.as_chunks::<2>();
    bytes.extend(pairs.iter().map(|[a, b]| ((*a).min(15) << 4 | (*b).min(15)) as u8));
    single.iter().filter(|terms| **terms >= 15).for_each(|terms| put_varint(bytes, terms - 15));
    let mut last = 0;
    for (bucket, more, square) in others {
        let gap = bucket - last;
        let more = more.filter(|more| *more < 3);
        bytes.push((gap.min(63) << 2 | more.unwrap_or(3)) as u8);
        if gap >= 63 {
            put_varint(bytes, gap - 63);
        }
        if more.is_none() {
            put_varint(bytes, square);
        }
        last = bucket;
    }
}

fn group_of(bucket: u64) -> usize {
    // Below 4096.
    (bucket >> (DIGEST_BITS - GROUPS.trailing_zeros())) as usize
}

/// The asking side of a digest: norm of each bucket, and the sum of squares of each group of buckets.
pub(super) struct Table {
    norms: Box<[f32]>,
    groups: [f64; GROUPS],
    norm: f64,
}

impl Table {
    pub(super) fn of(vector: &Vector) -> Table {
        let mut squares = vec![0u64; 1 << DIGEST_BITS];
        let mut groups = [0f64; GROUPS];
        for (term, count) in vector.terms() {
            let bucket = term >> (64 - DIGEST_BITS);
            if let (Some(square), Some(group)) =
                (squares.get_mut(bucket as usize), groups.get_mut(group_of(bucket)))
            {
                *square += u64::from(count) * u64::from(count);
                *group += f64::from(count) * f64::from(count);
            }
        }
        let norms = squares.iter().map(|s| (*s as f64).sqrt() as f32).collect();
        Table { norms, groups, norm: vector.norm() }
    }

    /// Upper bound of the cosine with the text of which `digest` was made. The buckets that stand alone
    /// there, and what is left of each group, are the buckets of Cauchy–Schwarz.
    pub(super) fn bound(&self, digest: &[u8]) -> f64 {
        let (single, rest) = digest.split_at(digest.len().min(GROUPS / 2));
        let mut bytes = rest.iter();
        let mut terms = [0u64; GROUPS];
        for (pair, byte) in terms.as_chunks_mut::<2>().0.iter_mut().zip(single) {
            *pair = [u64::from(byte >> 4), u64::from(byte & 15)];
        }
        for group in terms.iter_mut().filter(|group| **group == 15) {
            *group = group.saturating_add(take_number(&mut bytes));
        }
        let mut left = self.groups;
        let (mut bucket, mut dot, mut square) = (0u64, 0f64, 0f64);
        while let Some(&byte) = bytes.next() {
            let mut gap = u64::from(byte >> 2);
            if gap == 63 {
                gap = gap.saturating_add(take_number(&mut bytes));
            }
            bucket = bucket.saturating_add(gap);
            let count = f64::from(byte & 3) + 2.0;
            let (norm, here) = match byte & 3 {
                3 => {
                    let here = take_number(&mut bytes) as f64;
                    (here.sqrt(), here)
                }
                _ => (count, count * count),
            };
            let ours = self.norms.get(bucket as usize).copied().unwrap_or(0.0);
            dot += f64::from(ours) * norm;
            square += here;
            if let Some(left) = left.get_mut(group_of(bucket)) {
                // A little less than it was, for it was rounded; never so much that the bound is lost.
                *left -= f64::from(ours) * f64::from(ours) * (1.0 - SLACK);
            }
        }
        for (ours, theirs) in left.iter().zip(terms) {
            dot += (ours.max(0.0) * theirs as f64).sqrt();
            square += theirs as f64;
        }
        dot / (self.norm * square.sqrt()) + SLACK
    }
}

/// Reads what `put_varint` wrote; what is cut off or too long is a number, too: a bound needs no error.
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
