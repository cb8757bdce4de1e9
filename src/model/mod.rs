//! Plain data that travels between the stages: what a feed, an entry, a page, an article, a mention
//! and a tally *are*, how news agencies are called, how credits begin, which characters draw nothing, which number a
//! digit of any script is, and which scripts have no spaces between words. No behaviour beyond parsing and printing of
//! names, saying where a registered domain begins and writing text as markup, no I/O, no clock.
//!
//! Must not know: any other module of the crate.

mod alert;
mod article;
mod bytes;
mod digit;
mod end_mark;
mod feed;
mod found;
mod frontier;
mod ignorable;
mod key;
mod language;
mod markup;
mod mention;
mod note;
mod outcome;
mod sense;
mod sighting;
mod spaceless;
mod story;
mod suffix;
mod time;
mod token;

pub mod agency;
pub mod credit;
pub mod json;

pub use alert::*;
pub use article::*;
pub use bytes::*;
pub use digit::*;
pub use end_mark::*;
pub use feed::*;
pub use found::*;
pub use frontier::*;
pub use ignorable::*;
pub use key::*;
pub use language::*;
pub use markup::*;
pub use mention::*;
pub use note::*;
pub use outcome::*;
pub use sense::*;
pub use sighting::*;
pub use spaceless::*;
pub use story::*;
pub use suffix::*;
pub use time::*;
pub use token::*;
