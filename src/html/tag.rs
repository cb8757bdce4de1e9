//! A tag as tree construction reads it. Must not know: the tree.

use super::Name;

/// A start or end tag. Its attributes stay where they are.
#[derive(Clone, Copy)]
pub(super) struct Tag {
    pub name: Name,
    pub self_closing: bool,
    /// May one of its attributes stand in it twice?
    pub twice: bool,
    /// Which attributes it may have: see [`Name::bit`].
    pub present: u16,
    /// What stands in its attribute `class`: see [`super::Tree::class_list`].
    pub class_list: u16,
    /// What stands between its name and its `>`.
    pub range: (u32, u32),
    /// Its attributes among those of the page.
    pub attributes: (u32, u32),
}

impl Tag {
    /// A tag that the page lacks, or that says nothing but its name.
    pub(super) fn implied(name: Name) -> Tag {
        Tag {
            name,
            self_closing: false,
            twice: false,
            present: 0,
            class_list: 0,
            range: (0, 0),
            attributes: (0, 0),
        }
    }
}
