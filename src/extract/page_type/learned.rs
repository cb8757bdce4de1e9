//! Lists and threads that nothing marks: trees over the page as it is seen from afar.
//!
//! Must not know: how the trees were grown, what becomes of a page.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::shape::{self, Seen};
use crate::extract::label::trees::Ensemble;
use crate::model::PageType;

/// What tells lists and threads from articles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageTypes {
    /// [`shape::VERSION`] of the columns that it was trained on.
    pub version: u32,
    /// Log-odds that the page is a list of other pages …
    pub list: Ensemble,
    /// … which it is above this.
    pub list_margin: f32,
    /// Log-odds that it is a thread …
    pub thread: Ensemble,
    /// … which it is above this.
    pub thread_margin: f32,
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

    /// List, thread, or neither.
    pub fn judge(&self, seen: Seen<'_>) -> Option<PageType> {
        self.decide(&shape::row(seen))
    }

    /// The same for a row of [`shape::row`].
    pub fn decide(&self, row: &[f32]) -> Option<PageType> {
        self.between([self.list.log_odds(row), self.thread.log_odds(row)])
    }

    /// Which of the two it is, if any, by the log-odds of a list and of a thread: whichever is further above
    /// its margin.
    pub fn between(&self, [list, thread]: [f32; 2]) -> Option<PageType> {
        let (list, thread) = (list - self.list_margin, thread - self.thread_margin);
        match (list > 0.0, thread > 0.0) {
            (false, false) => None,
            _ if thread >= list => Some(PageType::Forum),
            _ => Some(PageType::Multiple),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::label::trees::{Node, Tree};

    #[test]
    fn the_file_in_use_knows_these_columns() {
        let known = PageTypes::embedded().expect("trained on the columns of today");
        assert_eq!(PageTypes::load(&known.bytes().expect("in memory")).as_ref(), Some(known));
        assert_eq!(PageTypes::load(b""), None);
        let mut other = known.clone();
        other.version += 1;
        assert_eq!(PageTypes::load(&other.bytes().expect("in memory")), None);
    }

    #[test]
    fn the_kind_that_is_surer_is_taken() {
        // One column each: above 0 the log-odds are 2, else -2.
        let of = |feature| Ensemble {
            prior: 0.0,
            trees: vec![Tree {
                nodes: vec![Node { feature, left: -1, right: -2, threshold: 0.0 }],
                leaves: vec![-2.0, 2.0],
            }],
        };
        let known = PageTypes {
            version: shape::VERSION,
            list: of(0),
            list_margin: 1.0,
            thread: of(1),
            thread_margin: 1.5,
        };
        assert_eq!(known.decide(&[0.0, 0.0]), None);
        assert_eq!(known.decide(&[1.0, 0.0]), Some(PageType::Multiple));
        assert_eq!(known.decide(&[0.0, 1.0]), Some(PageType::Forum));
        assert_eq!(known.decide(&[1.0, 1.0]), Some(PageType::Multiple));
        assert_eq!(known.decide(&[]), None);
    }
}
