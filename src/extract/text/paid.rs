//! What pages say below the beginning of an article of which the rest is for those who pay.
//!
//! Must not know: pages, what becomes of such articles.

use std::sync::LazyLock;

use super::phrases::{Phrases, listed};

/// The phrases of `paid.txt`, which may be said of something else ("exclusive to subscribers"), and of `offers.txt`, which
/// speak to the reader or of "this article".
pub(in crate::extract) static PAID: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(concat!(include_str!("paid.txt"), include_str!("offers.txt"))));

/// All of them, in plain form.
pub(in crate::extract) fn phrases() -> impl Iterator<Item = String> {
    listed(concat!(include_str!("paid.txt"), include_str!("offers.txt")))
}

static OFFERS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(include_str!("offers.txt")));

/// Does a line, in plain form, begin with an offer that makes up half of it? Its numbers do not matter: "Il vous reste
/// 70 % de cet article à lire".
pub(in crate::extract) fn is_offer(line: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    if !line.bytes().any(|b| b.is_ascii_digit()) {
        return OFFERS.begin(line);
    }
    let words: Vec<&str> = line.split(' ').filter(|word| !is_number(word)).collect();
    OFFERS.begin(&words.join(" "))
}
