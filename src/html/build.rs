//! What tree construction remembers: open elements (`stack`), formatting elements, the insertion mode
//! (WHATWG HTML §13.2.4), and how nodes come into the tree (§13.2.6.1).

use std::borrow::Cow;

use super::attribute::Attribute;
use super::class;
use super::name::{COUNT, name};
use super::node::{self, Id, Kind, MUTE, NONE, Node, Source};
use super::raw::Raw;
use super::tag::Tag;
use super::tree::Tree;
use super::{Keep, Limits, Name, Space};

/// Characters of a text, comment or run.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
    pub source: Source,
}

/// An element on the stack of open elements.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub id: Id,
    pub name: Name,
    pub space: Space,
    /// The sets of [`class`] that it is in.
    pub class: u16,
}

impl Open {
    pub(super) fn is(&self, name: Name) -> bool {
        self.name == name && self.space == Space::Html
    }

    pub(super) fn in_set(&self, set: u16) -> bool {
        self.class & set != 0
    }
}

/// An entry of the list of active formatting elements.
#[derive(Clone, Copy)]
pub(super) enum Format {
    Marker,
    Element(Id, Tag),
}

/// The insertion mode (WHATWG HTML §13.2.4.1). "Text" and "in table text" have no state here:
/// raw text is read at once, and text in tables waits in [`Builder::waiting`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    AfterHead,
    InBody,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// What becomes of a token after a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Done,
    /// The rules of the mode that is now set apply to it again.
    Again,
}

/// A page under construction.
pub(super) struct Builder<'p, 'k> {
    pub tree: Tree<'p>,
    pub keep: Keep<'k>,
    pub mode: Mode,
    pub open: Vec<Open>,
    /// How many HTML elements of each known name are open.
    pub counts: [u16; COUNT],
    pub formats: Vec<Format>,
    /// Entries of `formats` that are no markers.
    pub formatting: u32,
    pub templates: Vec<Mode>,
    pub head: Id,
    pub form: Id,
    pub frameset_ok: bool,
    pub quirks: bool,
    pub foster: bool,
    /// A line end at the start of the next text is not part of it.
    pub ignore_line_end: bool,
    /// What the element just opened holds.
    pub raw: Raw,
    /// Text in a table that waits for the next tag.
    pub waiting: Vec<Span>,
    /// The page has NUL characters.
    pub nul: bool,
    pub depth: u32,
    /// Start tags dropped for depth, whose end tags must not close anything either.
    pub dropped: u32,
    pub max_nodes: usize,
    pub max_attributes: u32,
    pub attributes: u32,
    pub attribute_work: u64,
    /// Bytes of the attributes of copied elements.
    pub copied: u64,
    /// Nothing more is read.
    pub closed: bool,
    /// It is read as if it ended here.
    pub until: usize,
    /// What is read cannot leave its element.
    pub confined: bool,
}

impl<'p, 'k> Builder<'p, 'k> {
    pub(super) fn new(page: Cow<'p, str>, nul: bool, limits: &Limits, keep: Keep<'k>) -> Self {
        let max_nodes = limits.nodes.max(8) as usize;
        // About as many as pages have that are markup and text alone; what is not needed costs nothing.
        let mut tree = Tree::new(page, 16);
        tree.nodes.reserve((tree.page.len() / 24).min(max_nodes));
        tree.found.reserve((tree.page.len() / 64).min(limits.attributes as usize));
        tree.nodes.push(Node::new(Kind::Document, name!("html"), 0, (0, 0)));
        Builder {
            until: tree.page.len(),
            confined: false,
            tree,
            keep,
            mode: Mode::Initial,
            open: Vec::with_capacity(64),
            counts: [0; COUNT],
            formats: Vec::with_capacity(16),
            formatting: 0,
            templates: Vec::new(),
            head: NONE,
            form: NONE,
            frameset_ok: true,
            quirks: false,
            foster: false,
            ignore_line_end: false,
            raw: Raw::Nothing,
            waiting: Vec::new(),
            nul,
            depth: limits.depth.max(16),
            dropped: 0,
            max_nodes,
            max_attributes: limits.attributes,
            attributes: 0,
            attribute_work: 0,
            copied: 0,
            closed: false,
        }
    }

    /// Records the first limit reached.
    #[cold]
    pub(super) fn note(&mut self, limit: impl FnOnce() -> String) {
        self.tree.limit.get_or_insert_with(limit);
    }

    /// Records a limit after which nothing more is read.
    #[cold]
    pub(super) fn close(&mut self, limit: impl FnOnce() -> String) {
        self.note(limit);
        self.closed = true;
    }

    // The stack of open elements.

    /// The next free node. Past the limit the page is closed after the current token; the few
    /// elements that this token still makes must exist.
    #[inline]
    fn add(&mut self, node: Node) -> Id {
        if self.tree.nodes.len() >= self.max_nodes && !self.closed {
            self.close(|| "too many nodes".to_owned());
        }
        let id = self.tree.nodes.len() as Id;
        self.tree.nodes.push(node);
        id
    }

    /// "Create an element for the token", not yet in the tree.
    #[inline]
    pub(super) fn create(&mut self, tag: &Tag, name: Name, space: Space) -> Id {
        let mut flags = match space {
            Space::Html => 0,
            Space::Svg => node::SVG,
            Space::MathMl => node::MATHML,
        };
        if tag.twice {
            flags |= node::TWICE;
        }
        if let Keep::Readable { data } = self.keep
            && self.is_mute(tag, name, space, data)
        {
            flags |= MUTE;
        }
        let mut node = Node::new(Kind::Element, name, flags, tag.attributes);
        node.present = tag.present;
        node.class_list = tag.class_list;
        self.add(node)
    }

    #[inline]
    fn is_mute(&self, tag: &Tag, name: Name, space: Space, data: &str) -> bool {
        match space {
            Space::Svg => true,
            Space::MathMl => false,
            Space::Html => match name {
                name!("style") | name!("iframe") | name!("noembed") | name!("noframes") => true,
                name!("script") => !self.attribute(tag, name!("type")).is_some_and(|value| {
                    let start = value.trim().get(..data.len());
                    start.is_some_and(|start| start.eq_ignore_ascii_case(data))
                }),
                _ => false,
            },
        }
    }

    /// Value of an attribute of a tag.
    pub(super) fn attribute(&self, tag: &Tag, name: Name) -> Option<Cow<'_, str>> {
        if tag.present & name.bit() == 0 {
            return None;
        }
        let found = self.attributes_of(tag).find(|attribute| attribute.name == Some(name));
        found.map(|attribute| attribute.value())
    }

    pub(super) fn attributes_of(&self, tag: &Tag) -> impl Iterator<Item = Attribute<'_>> {
        let page = &*self.tree.page;
        self.tree.found_in(tag.attributes).iter().map(|found| found.read(page))
    }

    /// "The appropriate place for inserting a node": a parent, and the child that follows.
    #[inline]
    pub(super) fn place(&self, target: Open) -> (Id, Id) {
        if !self.foster || !target.in_set(class::FOSTER) {
            return (target.id, NONE);
        }
        for (index, open) in self.open.iter().enumerate().rev() {
            if open.is(name!("template")) {
                return (open.id, NONE);
            }
            if open.is(name!("table")) {
                let parent = self.tree.nodes[open.id as usize].parent;
                let before = self.open[index.saturating_sub(1)].id;
                return if parent == NONE { (before, NONE) } else { (parent, open.id) };
            }
        }
        (self.open.first().map_or(0, |open| open.id), NONE)
    }

    /// "Insert an HTML element for the token", and open it.
    #[inline]
    pub(super) fn insert(&mut self, tag: &Tag) -> Id {
        let id = self.insert_closed(tag);
        self.push(id, tag.name, Space::Html);
        id
    }

    /// The same for an element that is closed at once.
    #[inline]
    pub(super) fn insert_closed(&mut self, tag: &Tag) -> Id {
        self.insert_element(tag, tag.name, Space::Html)
    }

    #[inline]
    pub(super) fn insert_element(&mut self, tag: &Tag, name: Name, space: Space) -> Id {
        let (parent, before) = self.place(self.current());
        let id = self.create(tag, name, space);
        self.link(parent, before, id);
        id
    }

    pub(super) fn insert_comment(&mut self, parent: Id, before: Id, span: Span) {
        let range = (span.start, span.end);
        let id = self.add(Node::new(Kind::Comment, name!("html"), 0, range));
        if self.nul && self.characters(span).contains('\0') {
            let text = self.characters(span).replace('\0', "\u{fffd}");
            self.own(id, text);
        }
        self.link(parent, before, id);
    }

    /// Gives a text or comment characters of its own.
    fn own(&mut self, id: Id, text: String) {
        let node = &mut self.tree.nodes[id as usize];
        (node.start, node.end) = (self.tree.owned.len() as u32, 0);
        node.set_source(Source::Owned);
        self.tree.owned.push(text);
    }

    pub(super) fn characters(&self, span: Span) -> &str {
        let range = span.start as usize..span.end as usize;
        match span.source {
            Source::Page => &self.tree.page[range],
            _ => &self.tree.decoded[range],
        }
    }

    /// "Insert a character": text goes into the text node before its place, or into a new one.
    #[inline]
    pub(super) fn append_text(&mut self, span: Span) {
        let (parent, before) = self.place(self.current());
        let at = &self.tree.nodes[parent as usize];
        if at.flags & MUTE != 0 || span.start == span.end || parent == 0 {
            if at.kind() == Kind::Element && at.name() == name!("style") {
                self.tree.sheets.push((parent, span.source, span.start, span.end));
            }
            return;
        }
        let previous = match before {
            NONE => at.last_child,
            _ => self.tree.nodes[before as usize].prev_sibling,
        };
        if previous != NONE && self.tree.nodes[previous as usize].kind() == Kind::Text {
            self.join(previous, span);
            return;
        }
        let mut node = Node::new(Kind::Text, name!("html"), 0, (span.start, span.end));
        node.set_source(span.source);
        let id = self.add(node);
        self.link(parent, before, id);
    }

    /// Adds characters to a text: where they follow each other, the range grows.
    fn join(&mut self, id: Id, span: Span) {
        let node = &mut self.tree.nodes[id as usize];
        if node.source() == span.source && node.end == span.start {
            node.end = span.end;
            return;
        }
        let added = match span.source {
            Source::Page => &self.tree.page[span.start as usize..span.end as usize],
            _ => &self.tree.decoded[span.start as usize..span.end as usize],
        };
        if node.source() == Source::Owned {
            self.tree.owned[node.start as usize].push_str(added);
            return;
        }
        let node = *node;
        let text = [self.tree.characters(&node).unwrap_or(""), added].concat();
        self.own(id, text);
    }

    #[inline]
    pub(super) fn link(&mut self, parent: Id, before: Id, id: Id) {
        let nodes = &mut self.tree.nodes;
        let previous = if before == NONE {
            std::mem::replace(&mut nodes[parent as usize].last_child, id)
        } else {
            std::mem::replace(&mut nodes[before as usize].prev_sibling, id)
        };
        if previous == NONE {
            nodes[parent as usize].first_child = id;
        } else {
            nodes[previous as usize].next_sibling = id;
        }
        let node = &mut nodes[id as usize];
        node.parent = parent;
        node.prev_sibling = previous;
        node.next_sibling = before;
    }

    pub(super) fn unlink(&mut self, id: Id) {
        let nodes = &mut self.tree.nodes;
        let node = &mut nodes[id as usize];
        let (parent, previous, next) = (node.parent, node.prev_sibling, node.next_sibling);
        (node.parent, node.prev_sibling, node.next_sibling) = (NONE, NONE, NONE);
        if parent == NONE {
            return;
        }
        if previous == NONE {
            nodes[parent as usize].first_child = next;
        } else {
            nodes[previous as usize].next_sibling = next;
        }
        if next == NONE {
            nodes[parent as usize].last_child = previous;
        } else {
            nodes[next as usize].prev_sibling = previous;
        }
    }

    /// Moves all children of a node to the end of another one.
    pub(super) fn move_children(&mut self, from: Id, to: Id) {
        let nodes = &mut self.tree.nodes;
        let first = std::mem::replace(&mut nodes[from as usize].first_child, NONE);
        let last = std::mem::replace(&mut nodes[from as usize].last_child, NONE);
        if first == NONE {
            return;
        }
        let previous = std::mem::replace(&mut nodes[to as usize].last_child, last);
        if previous == NONE {
            nodes[to as usize].first_child = first;
        } else {
            nodes[previous as usize].next_sibling = first;
            nodes[first as usize].prev_sibling = previous;
        }
        let mut at = first;
        while at != NONE {
            nodes[at as usize].parent = to;
            at = nodes[at as usize].next_sibling;
        }
    }

    /// A second `<html>` or `<body>` tag: its attributes are added where they lack.
    pub(super) fn add_attributes(&mut self, id: Id, tag: &Tag) {
        let (first, end) = tag.attributes;
        if first < end {
            let node = &mut self.tree.nodes[id as usize];
            node.flags |= node::MORE;
            node.present |= tag.present;
            if node.class_list == 0 {
                node.class_list = tag.class_list;
            }
            self.tree.more.push((id, first, end));
        }
    }
}
