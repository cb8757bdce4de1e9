//! Lists that nothing marks: trees over the page as it is seen from afar.
//!
//! Threads are not told in this way. It was tried: comments below it made a thread of many an article without
//! linked data, and then whoever comments decides what is counted.
//!
//! Must not know: how the trees were grown, what becomes of a page.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::shape::{self, Seen};
use crate::extract::label::trees::Ensemble;

/// What tells lists from articles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageTypes {
    /// [`shape::VERSION`] of the columns that it was trained on.
    pub version: u32,
    /// Log-odds that the page is a list of other pages …
    pub list: Ensemble,
    /// … which it is above this.
    pub margin: f32,
}

impl PageTypes {
    /// The one in use: `deploy/model/page-types.trees`, with its card beside it. None if the file was
    /// trained on other columns than this program's.
    pub fn embedded() -> Option<&'static PageTypes> {
        const FILE: &[u8] = include_bytes!("../../../deploy/model/page-types.trees");
        static KNOWN: OnceLock<Option<PageTypes>> = OnceLock::new();
        KNOWN.get_or_init(|| PageTypes::load(FILE)).as_ref()
    }

    /// Reads what [`PageTypes::bytes`] wrote.
    pub fn load(bytes: &[u8]) -> Option<PageTypes> {
        postcard::from_bytes(bytes).ok().filter(|known: &PageTypes| known.version == shape::VERSION)
    }

    /// As a file.
    ///
    /// # Errors
    /// None are known; the encoding could fail.
    pub fn bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_allocvec(self)
    }

    /// Is it a list?
    pub fn is_list(&self, seen: Seen<'_>) -> bool {
        self.is_above(self.list.log_odds(&shape::row(seen)))
    }

    /// Are these the log-odds of a list?
    pub fn is_above(&self, log_odds: f32) -> bool {
        log_odds > self.margin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_in_use_knows_these_columns() {
        let known = PageTypes::embedded().expect("trained on the columns of today");
        assert_eq!(PageTypes::load(&known.bytes().expect("in memory")).as_ref(), Some(known));
        assert_eq!(PageTypes::load(b""), None);
        let mut other = known.clone();
        other.version += 1;
        assert_eq!(PageTypes::load(&other.bytes().expect("in memory")), None);
    }
}
