//! The tree of a page as extraction reads it: its limits, and what of the page is kept.
//!
//! Must not know: blocks, labels, the network, a clock.

use serde::{Deserialize, Serialize};

use crate::html::{self, Keep};

pub use crate::html::{Element, Id, Kind, NONE, Node};

/// A parsed page. Node 0 is the document.
pub type Dom<'p> = html::Tree<'p>;

/// Counted-work limits of parsing and segmentation; what exceeds one is recorded, not cut silently.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Open elements at one time, as browsers do (512). Deeper start tags are dropped.
    pub depth: u32,
    /// Nodes of the tree.
    pub nodes: u32,
    /// Attributes of the whole page.
    pub attributes: u32,
    /// Blocks of the page.
    pub blocks: u32,
    /// Bytes of decoded text.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            depth: 512,
            nodes: 400_000,
            attributes: 500_000,
            blocks: 50_000,
            bytes: 10 * 1024 * 1024,
        }
    }
}

impl Limits {
    fn of_parsing(&self) -> html::Limits {
        let &Limits { depth, nodes, attributes, bytes, .. } = self;
        html::Limits { depth, nodes, attributes, bytes }
    }
}

/// Parses a whole page. Never fails: any text has a tree (WHATWG HTML §13.2). Structured data is
/// the one script whose text is kept.
pub fn parse<'p>(page: &'p str, limits: &Limits) -> Dom<'p> {
    let keep = Keep::Readable { data: "application/ld+json" };
    html::parse(page, &limits.of_parsing(), keep)
}

/// As [`parse`], but the text of scripts, styles and drawings is kept too.
pub fn parse_all<'p>(page: &'p str, limits: &Limits) -> Dom<'p> {
    html::parse(page, &limits.of_parsing(), Keep::Everything)
}

#[cfg(test)]
mod tests;
