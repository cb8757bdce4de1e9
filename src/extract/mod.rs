//! Page text → article. Pure: no network, disk, clock; it does not fail, it returns what it found.

pub mod dom;
pub mod feature;
pub mod label;
pub mod page;
pub mod segment;
pub mod text;

use crate::model::Stamp;

/// What is known about a page before it is read: evidence, never truth.
#[derive(Clone, Debug, Default)]
pub struct Hints<'a> {
    /// The URL the page was served under.
    pub url: Option<&'a str>,
    pub feed_title: Option<&'a str>,
    /// Plain text.
    pub feed_summary: Option<&'a str>,
    pub feed_published: Option<&'a Stamp>,
    pub feed_language: Option<&'a str>,
}
