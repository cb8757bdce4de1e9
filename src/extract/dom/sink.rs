//! The tree builder's orders, carried out in the arena.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::fmt;

use html5ever::interface::tree_builder::{
    ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink,
};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName, local_name, ns};

use super::{Data, Element, Id, NONE, Node};

/// Arena under construction. The tree builder holds it by shared reference, hence the cells.
pub(super) struct Sink {
    nodes: RefCell<Vec<Node>>,
    /// Nodes after which nothing more is linked.
    max_nodes: usize,
    /// Scripts and the like keep their text.
    keep_all: bool,
    /// More nodes were asked for.
    pub(super) full: Cell<bool>,
}

/// Name of an element while it stands in the arena.
pub(super) struct Name<'a>(Ref<'a, Element>);

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.tag)
    }
}

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }
    fn local_name(&self) -> &LocalName {
        &self.0.tag
    }
}

impl Sink {
    pub(super) fn new(max_nodes: u32, bytes: usize, keep_all: bool) -> Self {
        // About one node per 50 bytes on news pages.
        let mut nodes = Vec::with_capacity((bytes / 48 + 16).min(max_nodes as usize));
        nodes.push(node(Data::Document));
        Sink {
            nodes: RefCell::new(nodes),
            max_nodes: max_nodes.max(8) as usize,
            keep_all,
            full: Cell::new(false),
        }
    }

    pub(super) fn into_nodes(self) -> Vec<Node> {
        self.nodes.into_inner()
    }

    fn push(&self, data: Data) -> Id {
        let mut nodes = self.nodes.borrow_mut();
        if nodes.len() >= self.max_nodes {
            self.full.set(true);
        }
        // Past the limit the gate closes after the current token; the few elements that this
        // token still makes must exist, because the tree builder goes on asking for their names.
        let id = nodes.len() as Id;
        nodes.push(node(data));
        id
    }

    fn text(&self, parent: Id, before: Id, text: StrTendril) {
        let mut nodes = self.nodes.borrow_mut();
        if let Data::Element(e) = &nodes[parent as usize].data
            && e.mute
        {
            return;
        }
        let previous = if before == NONE {
            nodes[parent as usize].last_child
        } else {
            nodes[before as usize].prev_sibling
        };
        if previous != NONE
            && let Data::Text(t) = &mut nodes[previous as usize].data
        {
            t.push_tendril(&text);
            return;
        }
        drop(nodes);
        let id = self.push(Data::Text(text));
        link(&mut self.nodes.borrow_mut(), parent, before, id);
    }

    fn insert(&self, parent: Id, before: Id, child: NodeOrText<Id>) {
        match child {
            NodeOrText::AppendText(text) => self.text(parent, before, text),
            NodeOrText::AppendNode(id) => {
                let mut nodes = self.nodes.borrow_mut();
                unlink(&mut nodes, id);
                link(&mut nodes, parent, before, id);
            }
        }
    }
}

fn node(data: Data) -> Node {
    Node {
        parent: NONE,
        first_child: NONE,
        last_child: NONE,
        prev_sibling: NONE,
        next_sibling: NONE,
        data,
    }
}

/// Links `id` below `parent`, before the sibling `before` or at the end.
fn link(nodes: &mut [Node], parent: Id, before: Id, id: Id) {
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
    let n = &mut nodes[id as usize];
    n.parent = parent;
    n.prev_sibling = previous;
    n.next_sibling = before;
}

fn unlink(nodes: &mut [Node], id: Id) {
    let n = &mut nodes[id as usize];
    let (parent, previous, next) = (n.parent, n.prev_sibling, n.next_sibling);
    (n.parent, n.prev_sibling, n.next_sibling) = (NONE, NONE, NONE);
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

/// Structured data is the one script whose text is read.
pub(super) fn is_linked_data(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|a| {
        a.name.local == local_name!("type")
            && a.value
                .trim()
                .get(..19)
                .is_some_and(|t| t.eq_ignore_ascii_case("application/ld+json"))
    })
}

impl TreeSink for Sink {
    type Handle = Id;
    type Output = Self;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        0
    }

    fn elem_name<'a>(&'a self, &target: &'a Id) -> Name<'a> {
        Name(Ref::map(self.nodes.borrow(), |nodes| match &nodes[target as usize].data {
            Data::Element(e) => e,
            _ => unreachable!("the tree builder asks for names of elements only"),
        }))
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Id {
        let mute = if self.keep_all {
            false
        } else if name.ns == ns!(html) {
            match name.local {
                local_name!("script") => !is_linked_data(&attrs),
                local_name!("style")
                | local_name!("iframe")
                | local_name!("noembed")
                | local_name!("noframes") => true,
                _ => false,
            }
        } else {
            name.ns == ns!(svg)
        };
        let integration = flags.mathml_annotation_xml_integration_point;
        self.push(Data::Element(Element { tag: name.local, ns: name.ns, attrs, mute, integration }))
    }

    fn create_comment(&self, text: StrTendril) -> Id {
        self.push(Data::Comment(text))
    }

    fn create_pi(&self, _: StrTendril, data: StrTendril) -> Id {
        self.push(Data::Comment(data))
    }

    fn append(&self, &parent: &Id, child: NodeOrText<Id>) {
        self.insert(parent, NONE, child);
    }

    fn append_before_sibling(&self, &sibling: &Id, child: NodeOrText<Id>) {
        let parent = self.nodes.borrow()[sibling as usize].parent;
        if parent != NONE {
            self.insert(parent, sibling, child);
        }
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        if self.nodes.borrow()[*element as usize].parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// A template's contents stand below it; who reads the tree treats templates as not rendered.
    fn get_template_contents(&self, &target: &Id) -> Id {
        target
    }

    fn same_node(&self, x: &Id, y: &Id) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, &target: &Id, attrs: Vec<Attribute>) {
        if let Data::Element(e) = &mut self.nodes.borrow_mut()[target as usize].data {
            for a in attrs {
                if !e.attrs.iter().any(|b| b.name == a.name) {
                    e.attrs.push(a);
                }
            }
        }
    }

    fn remove_from_parent(&self, &target: &Id) {
        unlink(&mut self.nodes.borrow_mut(), target);
    }

    fn reparent_children(&self, &from: &Id, &to: &Id) {
        let mut nodes = self.nodes.borrow_mut();
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

    fn is_mathml_annotation_xml_integration_point(&self, &target: &Id) -> bool {
        matches!(&self.nodes.borrow()[target as usize].data, Data::Element(e) if e.integration)
    }
}
