//! Tree → blocks: runs of text between the boundaries that a profile sets.
//!
//! One walk over the tree without recursion; all texts stand in one string, all lists in flat
//! vectors. Must not know: labels, features, models.

use std::ops::Range;

use crate::html::{Space, name};
use crate::model::{is_ignorable, shapes};
use serde::{Deserialize, Serialize};

use super::dom::{Dom, Element, Id, Kind, NONE};
use super::unseen::Unseen;

mod context;
mod names;
mod outline;
mod profile;
mod raised;
mod run;

pub use context::Flags;
pub use names::Groups;
pub(in crate::extract) use names::{LONGEST_NAMES, groups, words};
pub use outline::{At, NOWHERE, Outline, Place, Within};
pub(in crate::extract) use outline::{hash, mix};
pub use profile::{Profile, Role};

use context::Context;

/// What stands between a block and the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// Nothing: the two are one word.
    None,
    /// White space or a line break in one line of text.
    Space,
    /// A boundary of text lines. Always, but on [`Profile::Leaf2009`].
    #[default]
    Line,
}

/// A run of text between boundaries, with all that the walk knew about it.
#[derive(Clone, Debug)]
pub struct RawBlock {
    /// Its normalised text, as bytes of [`Blocks::text`].
    pub range: Range<u32>,
    /// Its links, as indices of [`Blocks::links`].
    pub links: Range<u32>,
    /// Elements merged into it, bounding ones included, as indices of [`Blocks::merged`].
    pub merged: Range<u32>,
    /// Merged elements that format, list and structure text (Ziegler & Skubacz 2007 §3.4).
    pub format: u16,
    pub list: u16,
    pub structuring: u16,
    /// Nearest element that is not inline around its first character.
    pub container: Id,
    /// Text nodes of its first and its last character.
    pub first: Id,
    pub last: Id,
    /// Elements above `container`.
    pub depth: u16,
    /// 1–6 inside a heading, else 0.
    pub heading: u8,
    /// A picture stands between the previous block and this one.
    pub after_image: bool,
    /// What stands between the previous block that has text and this one.
    pub before: Gap,
    pub flags: Flags,
    /// What class and id names of `container` say.
    pub own: Groups,
    /// What those of all ancestors say.
    pub above: Groups,
}

/// A link inside a block: bytes of [`Blocks::text`] and the element.
#[derive(Clone, Debug)]
pub struct Link {
    pub range: Range<u32>,
    pub node: Id,
}

/// What was last read of a link's element. A link around many blocks is the same in each of them: its attributes may be
/// long, and are read once.
#[derive(Debug)]
pub struct LastLink<T>(Option<(Id, T)>);

impl<T> Default for LastLink<T> {
    fn default() -> Self {
        LastLink(None)
    }
}

impl<T: Copy> LastLink<T> {
    /// What `read` tells of this link.
    pub fn of(&mut self, link: &Link, read: impl FnOnce(Id) -> T) -> T {
        if let Some((_, known)) = self.0.filter(|(last, _)| *last == link.node) {
            return known;
        }
        let told = read(link.node);
        self.0 = Some((link.node, told));
        told
    }
}

/// All blocks of a page in page order.
#[derive(Debug, Default)]
pub struct Blocks {
    pub list: Vec<RawBlock>,
    pub text: String,
    pub links: Vec<Link>,
    pub merged: Vec<Id>,
    /// More blocks than the limit; the rest of the page is not cut.
    pub full: bool,
}

impl Blocks {
    /// The text of a block of this page.
    pub fn text_of(&self, block: &RawBlock) -> &str {
        self.text.get(block.range.start as usize..block.range.end as usize).unwrap_or("")
    }

    /// The links of a block.
    pub fn links_of(&self, block: &RawBlock) -> &[Link] {
        self.links.get(block.links.start as usize..block.links.end as usize).unwrap_or(&[])
    }

    /// The elements merged into a block.
    pub fn merged_of(&self, block: &RawBlock) -> &[Id] {
        self.merged.get(block.merged.start as usize..block.merged.end as usize).unwrap_or(&[])
    }
}

/// Cuts a page into at most `limit` blocks. What nobody sees in a line that is seen is left out; other
/// unseen text makes blocks like any.
pub fn blocks(dom: &Dom, unseen: &Unseen, profile: Profile, limit: u32) -> Blocks {
    let mut walk = Walk::new(dom, unseen, profile, limit as usize);
    walk.run();
    walk.out
}

/// An element that is open during the walk.
struct Open {
    id: Id,
    role: Role,
    /// The walk's context outside of it, to be restored, if it changed it.
    outer: Option<Context>,
}

struct Walk<'a> {
    dom: &'a Dom<'a>,
    unseen: &'a Unseen,
    profile: Profile,
    limit: usize,
    out: Blocks,
    open: Vec<Open>,
    context: Context,
    /// What each class attribute of the page hints at, once it was asked.
    classes: Vec<Option<Groups>>,
    /// Elements merged since the previous block ended.
    merged: Vec<Id>,
    /// Where the current block's text begins.
    start: usize,
    first: Id,
    last: Id,
    /// Context at the first character.
    at_first: Context,
    links_from: usize,
    /// A link that is open: its element and where its text in this block begins.
    link: Option<(Id, usize)>,
    /// A raised element that is open, and what its text is in the block; empty once that is there.
    raised: Option<(Id, String)>,
    /// White space seen since the last character.
    space: bool,
    /// Line breaks seen since the last character.
    breaks: u8,
    image: bool,
    /// What was passed since the last leaf with text, and what was before the current one.
    gap: Gap,
    before: Gap,
}

impl<'a> Walk<'a> {
    fn new(dom: &'a Dom<'a>, unseen: &'a Unseen, profile: Profile, limit: usize) -> Self {
        Walk {
            dom,
            unseen,
            profile,
            limit,
            // About what most pages need.
            out: Blocks {
                list: Vec::with_capacity(dom.nodes.len() / 8),
                text: String::with_capacity(dom.nodes.len() * 8),
                links: Vec::with_capacity(dom.nodes.len() / 16),
                merged: Vec::with_capacity(dom.nodes.len() / 2),
                full: false,
            },
            open: Vec::new(),
            context: Context::default(),
            classes: vec![None; dom.class_lists()],
            merged: Vec::new(),
            start: 0,
            first: NONE,
            last: NONE,
            at_first: Context::default(),
            links_from: 0,
            link: None,
            raised: None,
            space: false,
            breaks: 0,
            image: false,
            gap: Gap::Line,
            before: Gap::Line,
        }
    }

    fn run(&mut self) {
        let dom = self.dom;
        let mut at = dom.first_child(dom.root()).unwrap_or(NONE);
        while at != NONE {
            let Some(node) = dom.node(at) else { break };
            let enter = match node.kind() {
                Kind::Text => {
                    self.text(at, dom.characters(node).unwrap_or_default());
                    if matches!(self.profile, Profile::Text | Profile::Leaf2009) {
                        self.flush();
                    }
                    false
                }
                Kind::Element => dom.element(at).is_some_and(|element| self.enter(at, element)),
                _ => false,
            };
            if self.out.full {
                return;
            }
            if enter && node.first_child != NONE {
                at = node.first_child;
                continue;
            }
            if enter {
                self.leave();
            }
            // Up to the next sibling, closing what ends.
            let mut from = at;
            at = loop {
                let Some(node) = dom.node(from) else { break NONE };
                if node.next_sibling != NONE {
                    break node.next_sibling;
                }
                from = node.parent;
                if from == NONE || from == dom.root() {
                    break NONE;
                }
                self.leave();
            };
        }
        self.flush();
    }

    /// Returns whether the walk goes into the element ([`Walk::leave`] must follow).
    fn enter(&mut self, id: Id, element: Element<'_>) -> bool {
        let role = self.profile.role(self.dom, id, element);
        let apart = self.unseen.by(id) == Some(id);
        match role {
            Role::Prune => return false,
            Role::Image => {
                if self.profile == Profile::Gibson2007 {
                    self.flush();
                }
                self.image = true;
                if self.profile == Profile::Leaf2009 {
                    self.picture(id);
                }
                return false;
            }
            Role::Bound => self.bound(),
            Role::Break => {
                self.space = true;
                self.breaks = self.breaks.saturating_add(1);
                if self.breaks == 2 && self.profile == Profile::Modern {
                    self.flush();
                }
            }
            Role::Space if !apart => self.space = true,
            Role::Inline if !apart => {}
            _ => return false,
        }
        self.merged.push(id);
        let mut outer = None;
        if role == Role::Bound || context::matters(element) {
            let classes = self.classes(element);
            let inner = self.context.within(id, element, role == Role::Bound, classes);
            outer = Some(std::mem::replace(&mut self.context, inner));
        }
        if element.tag == name!("a")
            && self.link.is_none()
            // No other name has its bit, but for those with a NUL before it.
            && element.may_have(&[name!("href")])
        {
            self.link = Some((id, usize::MAX));
        }
        if element.tag == name!("sup") && self.profile == Profile::Modern && self.raised.is_none() {
            self.raised = self.mark(id).map(|mark| (id, mark));
        }
        self.open.push(Open { id, role, outer });
        true
    }

    /// What a raised element is in the block, if it is a mark behind a word.
    fn mark(&self, id: Id) -> Option<String> {
        const NODES: usize = 8;
        if self.space || self.first == NONE {
            return None;
        }
        let mut text = String::new();
        for (number, below) in self.dom.descend(id).enumerate() {
            text.push_str(self.dom.text(below).unwrap_or_default());
            if number == NODES || text.len() > 4 * raised::LONGEST {
                return None;
            }
        }
        raised::raised(self.out.text.get(self.start..)?, &text)
    }

    /// What the class names of an element hint at.
    fn classes(&mut self, element: Element<'_>) -> Groups {
        let Some(known) = self.classes.get_mut(element.class_list()) else {
            return Groups::default();
        };
        *known.get_or_insert_with(|| {
            element.value(name!("class")).map(|names| groups(&names)).unwrap_or_default()
        })
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        match open.role {
            Role::Bound => self.bound(),
            Role::Space => self.space = true,
            _ => {}
        }
        if let Some((id, from)) = self.link
            && id == open.id
        {
            self.end_link(from);
            self.link = None;
        }
        if self.raised.as_ref().is_some_and(|(id, _)| *id == open.id) {
            self.raised = None;
        }
        // An empty element belongs to no block.
        if self.merged.last() == Some(&open.id) && self.first == NONE {
            self.merged.pop();
        }
        if let Some(outer) = open.outer {
            self.context = outer;
        }
    }

    fn end_link(&mut self, from: usize) {
        if let Some((node, _)) = self.link
            && from < self.out.text.len()
        {
            self.out.links.push(Link { range: from as u32..self.out.text.len() as u32, node });
        }
    }

    fn bound(&mut self) {
        self.flush();
        self.gap = Gap::Line;
    }

    /// A picture as a leaf: a block without text.
    fn picture(&mut self, id: Id) {
        self.first = id;
        self.at_first = self.context.clone();
        self.before = self.gap;
        self.flush();
        self.gap = self.before;
    }

    /// Ends the current block, if it has any text.
    #[inline]
    fn flush(&mut self) {
        let space = if self.space { Gap::Space } else { Gap::None };
        self.space = false;
        self.breaks = 0;
        if self.first == NONE {
            self.gap = self.gap.max(space);
        } else {
            self.gap = space;
            self.end_block();
        }
    }

    #[inline(never)]
    fn end_block(&mut self) {
        if let Some((id, from)) = self.link {
            self.end_link(from);
            self.link = Some((id, usize::MAX));
        }
        let merged_from = self.out.merged.len();
        self.out.merged.append(&mut self.merged);
        let mut block = RawBlock {
            range: self.start as u32..self.out.text.len() as u32,
            links: self.links_from as u32..self.out.links.len() as u32,
            merged: merged_from as u32..self.out.merged.len() as u32,
            format: 0,
            list: 0,
            structuring: 0,
            container: self.at_first.container,
            first: self.first,
            last: self.last,
            depth: self.at_first.depth,
            heading: self.at_first.heading,
            after_image: std::mem::take(&mut self.image),
            before: if self.profile == Profile::Leaf2009 { self.before } else { Gap::Line },
            flags: self.at_first.flags,
            own: self.at_first.own,
            above: self.at_first.above,
        };
        for &id in &self.out.merged[merged_from..] {
            if let Some(element) = self.dom.element(id) {
                let class = profile::tag_class(element);
                block.format = block.format.saturating_add(class.format);
                block.list = block.list.saturating_add(class.list);
                block.structuring = block.structuring.saturating_add(class.structuring);
            }
        }
        self.out.list.push(block);
        self.out.full = self.out.list.len() >= self.limit;
        // Keeps the texts of neighbours apart.
        self.out.text.push('\n');
        self.start = self.out.text.len();
        self.links_from = self.out.links.len();
        self.first = NONE;
    }

    /// Appends a text node with white space normalised (spaces, no-break spaces), without what draws nothing, unless
    /// it shapes the character before it.
    fn text(&mut self, id: Id, text: &str) {
        // What is shown again in something hidden stands alone, and what is hidden behind it, too.
        if self.first != NONE
            && self.unseen.by(self.first).is_some() != self.unseen.by(id).is_some()
        {
            self.flush();
        }
        if let Some((_, mark)) = &mut self.raised {
            let mark = std::mem::take(mark);
            self.run_of(id, mark.trim_end());
            self.space |= mark.ends_with(char::is_whitespace);
            return;
        }
        let bytes = text.as_bytes();
        // Most of those between elements are nothing else.
        let mut from = run::blank(bytes, 0);
        self.space |= from > 0;
        let mut at = from + run::plain(bytes, from);
        while let Some(&b) = bytes.get(at) {
            let (length, space) = match b {
                _ if run::kept(b) > 0 => {
                    at += run::kept(b);
                    continue;
                }
                // One blank between two words is what it would become.
                b' ' if at > from && bytes.get(at + 1).is_some_and(|b| run::kept(*b) > 0) => {
                    at += 1 + run::plain(bytes, at + 1);
                    continue;
                }
                b if b.is_ascii() => (run::blank(bytes, at), true),
                _ => {
                    let c = text[at..].chars().next().unwrap_or(' ');
                    let drop = is_ignorable(c) && {
                        let before = text[from..at].chars().next_back();
                        let before = before.or_else(|| self.out.text.chars().next_back());
                        !before.is_some_and(|before| shapes(before, c))
                    };
                    if !drop && !c.is_whitespace() && !c.is_control() {
                        at += c.len_utf8();
                        continue;
                    }
                    (c.len_utf8(), !drop)
                }
            };
            self.run_of(id, &text[from..at]);
            self.space |= space;
            at += length;
            from = at;
            at += run::plain(bytes, at);
        }
        self.run_of(id, &text[from..]);
    }

    /// Appends characters that are none of them white space.
    #[inline]
    fn run_of(&mut self, id: Id, run: &str) {
        if !run.is_empty() {
            self.some_of(id, run);
        }
    }

    #[inline(never)]
    fn some_of(&mut self, id: Id, run: &str) {
        if self.first == NONE {
            self.first = id;
            self.at_first = self.context.clone();
            self.before = if self.space { self.gap.max(Gap::Space) } else { self.gap };
        } else if self.space {
            self.out.text.push(' ');
        }
        if let Some((_, from)) = &mut self.link
            && *from == usize::MAX
        {
            *from = self.out.text.len();
        }
        self.last = id;
        self.space = false;
        self.breaks = 0;
        self.out.text.push_str(run);
    }
}

/// Is this an HTML element (not SVG or MathML)?
fn is_html(element: Element<'_>) -> bool {
    element.space == Space::Html
}

#[cfg(test)]
mod tests;
