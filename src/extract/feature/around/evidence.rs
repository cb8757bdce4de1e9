//! How much of a block stands in a text that someone else wrote about the page: its title, its
//! summary, the body in its metadata.
//!
//! Must not know: blocks, trees.

use crate::extract::text;

/// Characters of a text that are looked at.
const LONGEST: usize = 200_000;

/// Hashed words (characters, in scripts without spaces) of a text, in order.
pub(super) fn tokens(text: &str) -> Vec<u32> {
    let mut out = Vec::new();
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(i, _)| i);
    for range in text::words(&text[..end]) {
        let word = &text[range];
        if word.starts_with(text::is_spaceless) {
            out.extend(word.chars().map(|c| hash(std::iter::once(c))));
        } else {
            out.push(hash(word.chars().flat_map(char::to_lowercase)));
        }
    }
    out
}

fn hash(chars: impl Iterator<Item = char>) -> u32 {
    let h = chars.fold(0x811c_9dc5_u32, |h, c| (h ^ c as u32).wrapping_mul(0x0100_0193));
    h ^ h >> 15
}

/// Runs of three tokens of a text, sorted.
pub(super) struct Grams(Vec<u64>);

impl Grams {
    pub(super) fn of(text: &str) -> Grams {
        let mut grams: Vec<u64> = grams(&tokens(text)).collect();
        grams.sort_unstable();
        grams.dedup();
        Grams(grams)
    }

    /// Share of a block's runs that occur here.
    pub(super) fn share(&self, tokens: &[u32]) -> f32 {
        let all = tokens.len().saturating_sub(2);
        if all == 0 || self.0.is_empty() {
            return 0.0;
        }
        let known = grams(tokens).filter(|g| self.0.binary_search(g).is_ok()).count();
        known as f32 / all as f32
    }
}

fn grams(tokens: &[u32]) -> impl Iterator<Item = u64> + '_ {
    tokens.windows(3).map(|w| {
        w.iter().fold(0_u64, |h, t| {
            (h.rotate_left(21) ^ u64::from(*t)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    })
}

/// Overlap of two token sets: share of the smaller that the other holds, weighed down where one is
/// much longer (F1 of the two shares).
pub(super) fn overlap(a: &[u32], b: &[u32]) -> f32 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let common =
        |x: &[u32], y: &[u32]| x.iter().filter(|t| y.contains(t)).count() as f32 / x.len() as f32;
    let (p, r) = (common(a, b), common(b, a));
    if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 }
}
