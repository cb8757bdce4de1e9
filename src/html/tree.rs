//! The tree of a page: one arena, nodes linked by 32-bit indices, texts as ranges of the page.

use std::borrow::Cow;

use super::attribute::{self, Attribute, Found};
use super::classes::ClassLists;
use super::name::{Names, name};
use super::node::{Id, Kind, MORE, NONE, Node, Source, Space, TWICE, some};
use super::{Name, foreign};

/// A parsed page. Node 0 is the document.
#[derive(Debug)]
pub struct Tree<'a> {
    /// The page; its own copy if line ends had to be normalised.
    pub(super) page: Cow<'a, str>,
    pub nodes: Vec<Node>,
    /// The attributes of all tags, tag by tag.
    pub(super) found: Vec<Found>,
    pub(super) decoded: String,
    pub(super) owned: Vec<String>,
    pub(super) names: Names,
    pub(super) class_lists: ClassLists,
    /// Elements marked [`MORE`] and further attributes, earlier ones first.
    pub(super) more: Vec<(Id, u32, u32)>,
    /// What stands in `<style>` elements whose text is no node, in page order.
    pub(super) sheets: Vec<(Id, Source, u32, u32)>,
    /// The first limit that was reached, in words; the tree holds what came before.
    pub limit: Option<String>,
}

impl<'a> Tree<'a> {
    /// The same tree with a page of its own.
    pub fn into_owned(self) -> Tree<'static> {
        let page = Cow::Owned(self.page.into_owned());
        Tree { page, ..self }
    }

    pub(super) fn new(page: Cow<'a, str>, capacity: usize) -> Self {
        Tree {
            page,
            nodes: Vec::with_capacity(capacity),
            found: Vec::new(),
            decoded: String::new(),
            owned: Vec::new(),
            names: Names::default(),
            class_lists: ClassLists::default(),
            more: Vec::new(),
            sheets: Vec::new(),
            limit: None,
        }
    }

    /// The document node.
    pub fn root(&self) -> Id {
        0
    }

    /// The node with this id, if there is one.
    #[inline]
    pub fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// The element with this id, if the node is one.
    #[inline]
    pub fn element(&self, id: Id) -> Option<Element<'_>> {
        let node = self.node(id).filter(|node| node.kind() == Kind::Element)?;
        Some(Element { tree: self, id, tag: node.name, space: node.space() })
    }

    /// The tag of an HTML element; `None` for other nodes and for SVG or MathML elements.
    #[inline]
    pub fn tag(&self, id: Id) -> Option<Name> {
        self.element(id).filter(|e| e.space == Space::Html).map(|e| e.tag)
    }

    /// The tag of any element as text, empty for other nodes.
    #[inline]
    pub fn name(&self, id: Id) -> &str {
        self.element(id).map_or("", |e| self.names.text(e.tag))
    }

    /// The text of a name of this page.
    pub fn name_text(&self, name: Name) -> &str {
        self.names.text(name)
    }

    /// The characters of a text or comment.
    #[inline]
    pub fn characters(&self, node: &Node) -> Option<&str> {
        if !matches!(node.kind(), Kind::Text | Kind::Comment) {
            return None;
        }
        self.range(node.source(), node.start, node.end)
    }

    #[inline]
    fn range(&self, source: Source, start: u32, end: u32) -> Option<&str> {
        let range = start as usize..end as usize;
        match source {
            Source::Page => self.page.get(range),
            Source::Decoded => self.decoded.get(range),
            Source::Owned => self.owned.get(range.start).map(String::as_str),
        }
    }

    /// The text of `<style>` elements that was not kept as nodes, piece by piece, in page order.
    pub fn sheets(&self) -> impl Iterator<Item = (Id, &str)> {
        let text = |source, start, end| self.range(source, start, end).unwrap_or("");
        self.sheets.iter().map(move |&(id, source, start, end)| (id, text(source, start, end)))
    }

    /// The characters of a text node.
    #[inline]
    pub fn text(&self, id: Id) -> Option<&str> {
        self.node(id).filter(|n| n.kind() == Kind::Text).and_then(|n| self.characters(n))
    }

    /// Puts other characters into a text node.
    pub fn set_text(&mut self, id: Id, text: &str) {
        if let Some(node) = self.nodes.get_mut(id as usize).filter(|n| n.kind() == Kind::Text) {
            (node.start, node.end) = (self.owned.len() as u32, 0);
            node.set_source(Source::Owned);
            self.owned.push(text.to_owned());
        }
    }

    /// The attributes of an element in page order, the first of each name.
    pub fn attributes(&self, id: Id) -> Attributes<'_> {
        let node = self.node(id).filter(|node| node.kind() == Kind::Element);
        let range = node.map_or((0, 0), |node| (node.start, node.end));
        Attributes { tree: self, id, range, at: range.0 as usize, more: 0, earlier: Vec::new() }
    }

    /// Value of an attribute; `name` is in lower case, also in SVG and MathML.
    pub fn attr(&self, id: Id, name: &str) -> Option<Cow<'_, str>> {
        self.attr_within(id, name, &mut { u64::MAX })
    }

    /// As [`Tree::attr`]. Each attribute that is passed takes some of `budget`; without any, nothing is found.
    #[inline(never)]
    pub fn attr_within(&self, id: Id, name: &str, budget: &mut u64) -> Option<Cow<'_, str>> {
        let mut found = None;
        self.written(id, budget, |read, value, _| {
            // The first of a name counts.
            let is_it = read.eq_ignore_ascii_case(name);
            found = if is_it { Some(attribute::value(value)) } else { None };
            is_it
        });
        found
    }

    /// Calls `ends` with names and values of an element's attributes as they are written, until it says so. A name may
    /// come again, and means nothing then. Each takes some of `budget`; without any, no more are looked at.
    #[inline]
    pub fn written<'t>(
        &'t self,
        id: Id,
        budget: &mut u64,
        mut ends: impl FnMut(&'t str, &'t str, &mut u64) -> bool,
    ) {
        let Some(node) = self.node(id).filter(|node| node.kind() == Kind::Element) else { return };
        let further = if node.flags & MORE == 0 { &[][..] } else { &self.more };
        let further = further.iter().filter(|(of, ..)| *of == id);
        let ranges = [(node.start, node.end)].into_iter().chain(further.map(|m| (m.1, m.2)));
        for (start, end) in ranges {
            for found in self.found_in((start, end)) {
                let length = found.value.1 - found.name.0;
                *budget = budget.saturating_sub(1 + u64::from(length) / 64);
                if *budget == 0 || ends(found.name(&self.page), found.value(&self.page), budget) {
                    return;
                }
            }
        }
    }

    /// As [`Tree::attr`], faster, for a name that is known when this is compiled.
    #[inline]
    pub fn value(&self, id: Id, name: Name) -> Option<Cow<'_, str>> {
        let node = self.node(id)?;
        // Most that are asked for one have none.
        if node.present & name.bit() == 0 { None } else { self.value_of(id, node, name) }
    }

    fn value_of(&self, id: Id, node: &Node, name: Name) -> Option<Cow<'_, str>> {
        if name == name!("class") {
            return self.class_lists.raw(&self.page, node.class_list).map(attribute::value);
        }
        if node.flags & MORE != 0 {
            return self.attributes(id).find(|a| a.name == Some(name)).map(|a| a.value());
        }
        let key = name.key()?;
        let all = self.found_in((node.start, node.end)).iter();
        // Longer names may have one key. What is written is not looked at otherwise: it is far away.
        let written =
            |found: &Found| self.page.as_bytes().get(found.name.0 as usize..found.name.1 as usize);
        let mut all = all.filter(|found| found.key == key);
        let found = all.find(|found| written(found).is_some_and(|text| name.reads(key, text)))?;
        Some(attribute::value(found.value(&self.page)))
    }

    /// These attributes among all.
    #[inline]
    pub(super) fn found_in(&self, (first, end): (u32, u32)) -> &[Found] {
        self.found.get(first as usize..end as usize).unwrap_or(&[])
    }

    /// May the element have one of these attributes? Faster than to look for them.
    #[inline]
    pub fn may_have(&self, id: Id, names: &[Name]) -> bool {
        let bits = names.iter().fold(0, |bits, name| bits | name.bit());
        self.node(id).is_some_and(|node| node.present & bits != 0)
    }

    /// The bits of attributes that an element may have: of one that has an attribute, all those of its
    /// [bit](Name::bit) are set.
    #[inline]
    pub fn present(&self, id: Id) -> u16 {
        self.node(id).map_or(0, |node| node.present)
    }

    /// A number for what stands in the attribute `class` of an element: elements where the same stands
    /// have the same, below [`Tree::class_lists`]; 0 without one.
    #[inline]
    pub fn class_list(&self, id: Id) -> usize {
        self.node(id).map_or(0, |node| usize::from(node.class_list))
    }

    /// What stands in the class attributes of this number.
    pub fn classes(&self, list: usize) -> Option<Cow<'_, str>> {
        self.class_lists.raw(&self.page, u16::try_from(list).ok()?).map(attribute::value)
    }

    /// How many numbers there are of class attributes.
    pub fn class_lists(&self) -> usize {
        self.class_lists.count()
    }

    /// Name and prefix of an attribute as tree construction adjusts them (WHATWG HTML §13.2.6.1).
    pub fn adjusted(&self, id: Id, attribute: &Attribute<'_>) -> (&'static str, String) {
        foreign::adjusted(self.node(id).map_or(Space::Html, Node::space), attribute)
    }

    #[inline]
    pub fn parent(&self, id: Id) -> Option<Id> {
        self.node(id).and_then(|n| some(n.parent))
    }

    #[inline]
    pub fn first_child(&self, id: Id) -> Option<Id> {
        self.node(id).and_then(|n| some(n.first_child))
    }

    #[inline]
    pub fn next_sibling(&self, id: Id) -> Option<Id> {
        self.node(id).and_then(|n| some(n.next_sibling))
    }

    #[inline]
    pub fn prev_sibling(&self, id: Id) -> Option<Id> {
        self.node(id).and_then(|n| some(n.prev_sibling))
    }

    /// Children in page order.
    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.first_child(id), |&c| self.next_sibling(c))
    }

    /// Parent, its parent … up to the document.
    pub fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.parent(id), |&p| self.parent(p))
    }

    /// Everything below a node in document order, without the node itself.
    pub fn descend(&self, id: Id) -> Descend<'_> {
        Descend { tree: self, top: id, next: self.first_child(id).unwrap_or(NONE) }
    }

    /// All text below a node (or of a text node), as written; mute elements have none.
    pub fn text_of(&self, id: Id) -> String {
        let mut out = self.text(id).unwrap_or("").to_owned();
        for n in self.descend(id) {
            if let Some(t) = self.text(n) {
                out.push_str(t);
            }
        }
        out
    }

    /// The node after `id` in document order that is not below it, staying below `top`.
    pub fn after(&self, id: Id, top: Id) -> Id {
        let mut at = id;
        while at != top {
            let Some(node) = self.node(at) else { return NONE };
            if node.next_sibling != NONE {
                return node.next_sibling;
            }
            at = node.parent;
        }
        NONE
    }
}

/// An element of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Element<'t> {
    tree: &'t Tree<'t>,
    pub id: Id,
    pub tag: Name,
    pub space: Space,
}

impl<'t> Element<'t> {
    /// See [`Tree::attributes`].
    #[inline]
    pub fn attributes(&self) -> Attributes<'t> {
        self.tree.attributes(self.id)
    }

    /// See [`Tree::value`].
    #[inline]
    pub fn value(&self, name: Name) -> Option<Cow<'t, str>> {
        self.tree.value(self.id, name)
    }

    /// See [`Tree::may_have`].
    #[inline]
    pub fn may_have(&self, names: &[Name]) -> bool {
        self.tree.may_have(self.id, names)
    }

    /// See [`Tree::class_list`].
    #[inline]
    pub fn class_list(&self) -> usize {
        self.tree.class_list(self.id)
    }

    #[inline]
    pub fn has_attributes(&self) -> bool {
        self.tree.node(self.id).is_some_and(|node| node.present != 0)
    }
}

/// Iterator of [`Tree::attributes`].
pub struct Attributes<'t> {
    tree: &'t Tree<'t>,
    id: Id,
    range: (u32, u32),
    at: usize,
    /// Entries of [`Tree::more`] looked at.
    more: usize,
    /// Names before, kept only where one may stand twice.
    earlier: Vec<&'t str>,
}

impl<'t> Attributes<'t> {
    /// The next attribute of the tag, also one that stood before.
    #[inline]
    fn step(&mut self) -> Option<Attribute<'t>> {
        if self.at >= self.range.1 as usize {
            return None;
        }
        let found = self.tree.found.get(self.at)?;
        self.at += 1;
        Some(found.read(&self.tree.page))
    }

    /// Goes on with the next further tag that gave the element attributes.
    #[cold]
    fn go_on(&mut self) -> bool {
        while let Some(&(id, start, end)) = self.tree.more.get(self.more) {
            self.more += 1;
            if id == self.id {
                (self.range, self.at) = ((start, end), start as usize);
                return true;
            }
        }
        false
    }
}

impl<'t> Iterator for Attributes<'t> {
    type Item = Attribute<'t>;

    #[inline]
    fn next(&mut self) -> Option<Attribute<'t>> {
        let flags = self.tree.nodes.get(self.id as usize)?.flags;
        if flags & (MORE | TWICE) == 0 {
            return self.step();
        }
        loop {
            match self.step() {
                Some(attribute) => {
                    if !self.earlier.iter().any(|earlier| is_same(earlier, attribute.text)) {
                        self.earlier.push(attribute.text);
                        return Some(attribute);
                    }
                }
                None if flags & MORE != 0 && self.go_on() => {}
                None => return None,
            }
        }
    }
}

/// Are two names of attributes one? ASCII letters of either case are the same, and a NUL is U+FFFD (WHATWG
/// §13.2.5.33).
fn is_same(one: &str, other: &str) -> bool {
    let read = |c: char| if c == '\0' { '\u{fffd}' } else { c.to_ascii_lowercase() };
    one.eq_ignore_ascii_case(other) || one.chars().map(read).eq(other.chars().map(read))
}

/// Iterator of [`Tree::descend`].
pub struct Descend<'a> {
    tree: &'a Tree<'a>,
    top: Id,
    next: Id,
}

impl Iterator for Descend<'_> {
    type Item = Id;

    fn next(&mut self) -> Option<Id> {
        let id = some(self.next)?;
        self.next = match self.tree.first_child(id) {
            Some(child) => child,
            None => self.tree.after(id, self.top),
        };
        Some(id)
    }
}
