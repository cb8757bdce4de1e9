//! HTML text → tree, as browsers build it (WHATWG HTML §13.2, scripting on).
//!
//! The tree is one arena of nodes of 36 bytes, linked by indices; texts and attributes are ranges
//! of the page and are looked at only when somebody asks. What is in `noscript` is text to browsers; where the tree is read
//! for its text it is markup that cannot leave its element. Nothing recurses and nothing is
//! allocated per node. Depth, nodes and attributes are counted work: a page stops at the same place
//! on every machine, and [`Tree::limit`] says so. Must not know: what the tree is read for.
//!
//! `token` finds tags, comments and runs of text; `build` and `stack` hold what tree construction remembers;
//! `mode`, `body`, `table`, `formatting` and `foreign` are its rules, `characters` those for text.

mod attribute;
mod body;
mod build;
mod characters;
mod class;
mod classes;
mod foreign;
mod formatting;
mod mode;
mod name;
mod node;
mod quirks;
mod raw;
pub mod reference;
mod stack;
mod table;
mod tag;
mod token;
mod tree;

use std::borrow::Cow;

pub use attribute::Attribute;
pub use name::Name;
pub(crate) use name::name;
pub use node::{Id, Kind, NONE, Node, Space};
pub use raw::{comment_end, content_end};
pub use tree::{Attributes, Descend, Element, Tree};

/// Counted work of one page; what exceeds a limit is recorded, not cut silently.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Open elements at one time. Deeper start tags are dropped.
    pub depth: u32,
    /// Nodes of the tree.
    pub nodes: u32,
    /// Attributes of the whole page.
    pub attributes: u32,
    /// Bytes of the page.
    pub bytes: u64,
}

/// What of a page becomes part of its tree.
#[derive(Clone, Copy, Debug)]
pub enum Keep<'k> {
    Everything,
    /// Not the text of scripts, styles, frames and SVG, nor elements of SVG that hold nothing but
    /// drawing. Scripts whose type begins so are data, and kept.
    Readable {
        data: &'k str,
    },
}

/// Parses a whole page. Never fails: any text has a tree.
pub fn parse<'p>(page: impl Into<Cow<'p, str>>, limits: &Limits, keep: Keep<'_>) -> Tree<'p> {
    let mut page = page.into();
    let limit = (page.len() as u64 > limits.bytes)
        .then(|| format!("more than {} bytes of text", limits.bytes));
    // Ranges have 32 bits.
    let most = usize::try_from(limits.bytes).unwrap_or(usize::MAX).min(u32::MAX as usize - 1);
    page = cut(page, most);
    let (page, nul) = normalised(page);
    let mut tree = build::Builder::new(page, nul, limits, keep).run();
    tree.limit = limit.or(tree.limit);
    tree
}

/// The first bytes of a page, without a byte order mark.
fn cut(page: Cow<'_, str>, most: usize) -> Cow<'_, str> {
    let start = if page.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    if start == 0 && page.len() <= most {
        return page;
    }
    let end = page.floor_char_boundary(most).max(start);
    match page {
        Cow::Borrowed(page) => Cow::Borrowed(&page[start..end]),
        Cow::Owned(page) => Cow::Owned(page[start..end].to_owned()),
    }
}

/// Line ends as the standard has them (WHATWG HTML §13.2.3.5): one `\n` each; and whether there is any NUL.
fn normalised(page: Cow<'_, str>) -> (Cow<'_, str>, bool) {
    let bytes = page.as_bytes();
    let Some(odd) = memchr::memchr2(b'\r', 0, bytes) else { return (page, false) };
    let nul = memchr::memchr(0, &bytes[odd..]).is_some();
    let Some(first) = memchr::memchr(b'\r', &bytes[odd..]) else { return (page, nul) };
    let first = odd + first;
    let mut out = String::with_capacity(page.len());
    let mut from = 0;
    for at in memchr::memchr_iter(b'\r', &bytes[first..]).map(|at| first + at) {
        out.push_str(&page[from..at]);
        from = at + 1;
        // Of two characters the other one stays.
        if bytes.get(from) != Some(&b'\n') {
            out.push('\n');
        }
    }
    out.push_str(&page[from..]);
    (Cow::Owned(out), nul)
}

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
