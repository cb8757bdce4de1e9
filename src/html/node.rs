//! A node of a tree and its links, in 36 bytes. Must not know: the page that it is of.

use super::Name;

/// Index of a node in [`super::Tree::nodes`].
pub type Id = u32;

/// "No such node" in the links of a [`Node`].
pub const NONE: Id = u32::MAX;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Document,
    Element,
    Text,
    Comment,
}

/// Namespace of an element (WHATWG Infra §8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    Html,
    Svg,
    MathMl,
}

/// Where the characters of a text or comment stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A range of the page.
    Page,
    /// A range of [`super::Tree::decoded`]: references were read.
    Decoded,
    /// [`super::Tree::owned`] at `start`: pieces from several places.
    Owned,
}

/// One node and its links; [`NONE`] ends a link.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub parent: Id,
    pub first_child: Id,
    pub last_child: Id,
    pub prev_sibling: Id,
    pub next_sibling: Id,
    /// An element's attributes among those of the page, or the characters of a text or comment.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) name: Name,
    /// [`Kind`] in the lowest two bits, then what else is known of the node.
    pub(super) flags: u8,
    /// Which attributes an element may have: see [`Name::bit`].
    pub(super) present: u16,
    /// See [`super::Tree::class_list`].
    pub(super) class_list: u16,
}

const KIND: u8 = 3;
pub(super) const SVG: u8 = 4;
pub(super) const MATHML: u8 = 8;
/// On the stack of open elements.
pub(super) const OPEN: u8 = 16;
/// Its text is not kept.
pub(super) const MUTE: u8 = 32;
/// More of its attributes stand in other tags of the page.
pub(super) const MORE: u8 = 64;
/// An attribute may stand in the tag twice.
pub(super) const TWICE: u8 = 128;
// Of texts and comments.
const DECODED: u8 = 4;
const OWNED: u8 = 8;

impl Node {
    #[inline]
    pub(super) fn new(kind: Kind, name: Name, flags: u8, (start, end): (u32, u32)) -> Self {
        Node {
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            prev_sibling: NONE,
            next_sibling: NONE,
            start,
            end,
            name,
            flags: flags | kind as u8,
            present: 0,
            class_list: 0,
        }
    }

    #[inline]
    pub fn kind(&self) -> Kind {
        match self.flags & KIND {
            0 => Kind::Document,
            1 => Kind::Element,
            2 => Kind::Text,
            _ => Kind::Comment,
        }
    }

    /// The name of any element; meaningless for other nodes.
    #[inline]
    pub fn name(&self) -> Name {
        self.name
    }

    /// The namespace of an element.
    #[inline]
    pub fn space(&self) -> Space {
        match self.flags & (SVG | MATHML) {
            0 => Space::Html,
            SVG => Space::Svg,
            _ => Space::MathMl,
        }
    }

    /// An element whose text is never read and was not kept.
    pub fn is_mute(&self) -> bool {
        self.flags & MUTE != 0
    }

    pub(super) fn source(&self) -> Source {
        match self.flags & (DECODED | OWNED) {
            0 => Source::Page,
            DECODED => Source::Decoded,
            _ => Source::Owned,
        }
    }

    pub(super) fn set_source(&mut self, source: Source) {
        self.flags &= KIND;
        self.flags |= match source {
            Source::Page => 0,
            Source::Decoded => DECODED,
            Source::Owned => OWNED,
        };
    }
}

/// A link, if it leads anywhere.
#[inline]
pub(super) fn some(id: Id) -> Option<Id> {
    (id != NONE).then_some(id)
}
