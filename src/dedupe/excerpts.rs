//! Excerpts: a text that stands in a longer one. By δ they are no copies (a text cut by half has
//! sim^σ ≤ 0.5 with the whole), so they are links of their own.
//!
//! Two texts are judged by the share of the shorter one's terms that the longer one has:
//! Σ_k min(v_k, w_k) / Σ_k v_k.
//!
//! Must not know: how candidates are found, stories, where vectors are kept.

use super::similarity::Vector;
use crate::model::UrlKey;

/// Share of an excerpt's terms that the whole has, at least (docs/copies.md).
pub const SHARE: f64 = 0.85;
/// Shorter texts are no excerpts but headlines.
const TERMS: u64 = 40;
/// An excerpt has at most this share of the whole's terms; above it the two are versions.
const SHORTER: f64 = 0.95;

/// Can one of two texts of so many terms be an excerpt of the other?
pub(super) fn can_contain(a: u64, b: u64) -> bool {
    let (part, whole) = (a.min(b), a.max(b));
    part >= TERMS && part as f64 <= SHORTER * whole as f64
}

/// Which of two texts stands in the other, and the share of its terms that the other has; `None` if
/// neither does by far enough.
pub fn share(a: &Vector, b: &Vector) -> Option<(bool, f64)> {
    let a_is_part = a.len() <= b.len();
    let (part, whole) = if a_is_part { (a, b) } else { (b, a) };
    if !can_contain(part.len(), whole.len()) {
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
