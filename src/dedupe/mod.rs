//! Copies and stories: how alike two texts are (sim^σ), which known articles are copies of a new
//! one (exactly, within a time window), and what the connected components of that relation look
//! like; which texts stand in longer ones. Pure mathematics on plain values: no store, no clock, no network.
//!
//! Must not know: where vectors and stories are kept, extraction, mentions.

pub mod excerpts;
pub mod index;
pub mod sentences;
pub mod similarity;
pub mod stories;

pub use excerpts::{Marks, Print};
pub use index::{Entry, Index, Settings};
pub use similarity::Vector;
pub use stories::Stories;
