//! What pages say below the beginning of an article of which the rest is for those who pay.
//!
//! Must not know: pages, what becomes of such articles.

use std::sync::LazyLock;

use super::phrases::Phrases;

/// The phrases of `paid.txt`.
pub(in crate::extract) static PAID: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(include_str!("paid.txt")));
