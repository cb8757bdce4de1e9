//! HTML text → tree: html5ever (WHATWG parsing, scripting off) into an index arena of our own.
//!
//! Nothing here recurses, nothing is reference counted per node, and dropping a tree is dropping a
//! few vectors. Depth, nodes and attributes are counted work: a page stops at the same place on
//! every machine, and [`Dom::limit`] says so. Must not know: blocks, labels, the network, a clock.

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, ns};
use serde::{Deserialize, Serialize};

mod feed;
mod gate;
mod sink;
mod tag;

/// Index of a node in [`Dom::nodes`].
pub type Id = u32;

/// "No such node" in the links of a [`Node`].
pub const NONE: Id = u32::MAX;

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

/// A parsed page. Node 0 is the document.
#[derive(Debug)]
pub struct Dom {
    pub nodes: Vec<Node>,
    /// The first limit that was reached, in words; the tree holds what came before.
    pub limit: Option<String>,
}

/// One node and its links; [`NONE`] ends a link.
#[derive(Debug)]
pub struct Node {
    pub parent: Id,
    pub first_child: Id,
    pub last_child: Id,
    pub prev_sibling: Id,
    pub next_sibling: Id,
    pub data: Data,
}

/// What a node is.
#[derive(Debug)]
pub enum Data {
    Document,
    Text(StrTendril),
    Comment(StrTendril),
    Element(Element),
}

/// An element: name, namespace, attributes in page order.
#[derive(Debug)]
pub struct Element {
    pub tag: LocalName,
    pub ns: Namespace,
    pub attrs: Vec<Attribute>,
    /// Its text is never read (script, style, SVG …) and was not kept.
    pub mute: bool,
    /// MathML integration point (needed by tree construction).
    pub(crate) integration: bool,
}

/// Parses a whole page. Never fails: any text has a tree (WHATWG HTML §13.2).
pub fn parse(html: &str, limits: &Limits) -> Dom {
    feed::parse(html, limits, false)
}

/// As [`parse`], but the text of scripts, styles and drawings is kept too.
pub fn parse_all(html: &str, limits: &Limits) -> Dom {
    feed::parse(html, limits, true)
}

impl Dom {
    /// The document node.
    pub fn root(&self) -> Id {
        0
    }

    /// The node with this id, if there is one.
    pub fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// The element with this id, if the node is one.
    #[inline]
    pub fn element(&self, id: Id) -> Option<&Element> {
        match self.nodes.get(id as usize) {
            Some(Node { data: Data::Element(e), .. }) => Some(e),
            _ => None,
        }
    }

    /// The tag of an HTML element; `None` for other nodes and for SVG or MathML elements.
    #[inline]
    pub fn tag(&self, id: Id) -> Option<&LocalName> {
        self.element(id).filter(|e| e.ns == ns!(html)).map(|e| &e.tag)
    }

    /// The tag of any element as text, empty for other nodes.
    pub fn name(&self, id: Id) -> &str {
        self.element(id).map_or("", |e| &e.tag)
    }

    /// Value of an attribute without a namespace; names are in lower case.
    #[inline]
    pub fn attr(&self, id: Id, name: &str) -> Option<&str> {
        self.element(id)?.attrs.iter().find(|a| &*a.name.local == name).map(|a| &*a.value)
    }

    /// As [`Dom::attr`], faster, for a name that is known when this is compiled.
    #[inline]
    pub fn value(&self, id: Id, name: &LocalName) -> Option<&str> {
        self.element(id)?.attrs.iter().find(|a| a.name.local == *name).map(|a| &*a.value)
    }

    /// The characters of a text node.
    pub fn text(&self, id: Id) -> Option<&str> {
        match self.nodes.get(id as usize) {
            Some(Node { data: Data::Text(t), .. }) => Some(t),
            _ => None,
        }
    }

    pub fn parent(&self, id: Id) -> Option<Id> {
        self.node(id).and_then(|n| some(n.parent))
    }

    pub fn first_child(&self, id: Id) -> Option<Id> {
        self.node(id).and_then(|n| some(n.first_child))
    }

    pub fn next_sibling(&self, id: Id) -> Option<Id> {
        self.node(id).and_then(|n| some(n.next_sibling))
    }

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
        Descend { dom: self, top: id, next: self.first_child(id).unwrap_or(NONE) }
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
    pub(crate) fn after(&self, id: Id, top: Id) -> Id {
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

/// Iterator of [`Dom::descend`].
pub struct Descend<'a> {
    dom: &'a Dom,
    top: Id,
    next: Id,
}

impl Iterator for Descend<'_> {
    type Item = Id;

    fn next(&mut self) -> Option<Id> {
        let id = some(self.next)?;
        self.next = match self.dom.first_child(id) {
            Some(child) => child,
            None => self.dom.after(id, self.top),
        };
        Some(id)
    }
}

fn some(id: Id) -> Option<Id> {
    (id != NONE).then_some(id)
}

#[cfg(test)]
mod tests;
