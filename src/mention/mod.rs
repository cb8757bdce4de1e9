//! Brands in articles: watch lists, one search for all of them, mentions with zone and offset,
//! rows for the tallies, which mentions are meant, and the day an article is counted under. Pure.
//!
//! Must not know: the store, the network, the clock, how blocks got their labels.

pub mod brands;
mod calls;
mod credit;
pub mod day;
pub mod density;
pub mod find;
pub mod fold;
mod forms;
mod inflect;
mod letters;
pub mod lexicon;
mod phrases;
mod places;
pub mod sense;

pub use find::{counted, language, mentions, rows, zones};
pub use forms::forms;
pub use letters::{is_word, joined};
pub use lexicon::{Lexicon, LexiconError};
