//! Copies and stories: how alike two texts are in words (sim^σ) and in wording, by which rule they are
//! copies, which known articles are copies of a new one (exactly, within a time window), and what the
//! connected components of that relation look like; which texts stand in longer ones. Pure mathematics on plain values: no store, no clock, no network.
//!
//! Must not know: where vectors and stories are kept, extraction, mentions.

mod bits;
pub mod excerpts;
mod folded;
pub mod index;
pub mod marks;
pub mod print;
pub mod rule;
pub mod search;
pub mod sentences;
pub mod similarity;
pub mod stories;
pub mod wording;

pub use index::{Entry, Index, Settings};
pub use print::Print;
pub use rule::Rule;
pub use search::Search;
pub use similarity::Vector;
pub use stories::Stories;
