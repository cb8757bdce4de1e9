//! The same page as html5ever reads it, and both trees as text, so that tests, benches and fuzzing
//! can compare them. Includes by path: what it takes from `super` is public.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};
use std::fmt::{self, Write as _};

use html5ever::interface::tree_builder::{
    ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink,
};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName};

use super::{Id, Kind, NONE, Space, Tree};

/// An arena as ours was before the parser was our own: the same links, html5ever's strings.
pub struct Arena {
    nodes: RefCell<Vec<Node>>,
}

struct Node {
    parent: Id,
    first_child: Id,
    last_child: Id,
    prev_sibling: Id,
    next_sibling: Id,
    data: Data,
}

enum Data {
    Document,
    Text(StrTendril),
    Comment(StrTendril),
    Element(Element),
}

pub struct Element {
    tag: LocalName,
    ns: Namespace,
    attributes: Vec<Attribute>,
    integration: bool,
}

/// Parses a page with html5ever, scripting on.
pub fn parse(page: &str) -> Arena {
    let arena = Arena { nodes: RefCell::new(Vec::with_capacity(page.len() / 48 + 16)) };
    arena.push(Data::Document);
    let tree_builder = TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    html5ever::parse_document(arena, options).one(StrTendril::from_slice(page))
}

/// Our tree as lines: depth by indentation, attributes in page order.
pub fn outline(tree: &Tree<'_>) -> String {
    let link = |id: Id| {
        let node = &tree.nodes[id as usize];
        (node.parent, node.first_child, node.next_sibling)
    };
    walk(link, |id, out| {
        let node = &tree.nodes[id as usize];
        let text = tree.characters(node).unwrap_or("");
        match node.kind() {
            Kind::Document => {}
            Kind::Text => text_line(text, out),
            Kind::Comment => comment_line(text, out),
            Kind::Element => {
                let space = match node.space() {
                    Space::Html => "",
                    Space::Svg => "svg ",
                    Space::MathMl => "math ",
                };
                let attributes = tree.attributes(id).map(|attribute| {
                    let (prefix, name) = tree.adjusted(id, &attribute);
                    (prefix, name, attribute.value())
                });
                element_line(space, tree.name(id), attributes, out);
            }
        }
    })
}

impl Arena {
    /// html5ever's tree as the same lines.
    pub fn outline(&self) -> String {
        let nodes = self.nodes.borrow();
        let link = |id: Id| {
            let node = &nodes[id as usize];
            (node.parent, node.first_child, node.next_sibling)
        };
        walk(link, |id, out| match &nodes[id as usize].data {
            Data::Document => {}
            Data::Text(text) => text_line(text, out),
            Data::Comment(text) => comment_line(text, out),
            Data::Element(element) => {
                let space = match &*element.ns {
                    "http://www.w3.org/2000/svg" => "svg ",
                    "http://www.w3.org/1998/Math/MathML" => "math ",
                    _ => "",
                };
                let attributes = element.attributes.iter().map(|attribute| {
                    let prefix = match &*attribute.name.ns {
                        "http://www.w3.org/1999/xlink" => "xlink",
                        "http://www.w3.org/XML/1998/namespace" => "xml",
                        "http://www.w3.org/2000/xmlns/" if &*attribute.name.local != "xmlns" => {
                            "xmlns"
                        }
                        _ => "",
                    };
                    (prefix, attribute.name.local.to_string(), Cow::Borrowed(&*attribute.value))
                });
                element_line(space, &element.tag, attributes, out);
            }
        })
    }

    fn push(&self, data: Data) -> Id {
        let mut nodes = self.nodes.borrow_mut();
        let links = [NONE; 5];
        let [parent, first_child, last_child, prev_sibling, next_sibling] = links;
        nodes.push(Node { parent, first_child, last_child, prev_sibling, next_sibling, data });
        nodes.len() as Id - 1
    }

    fn insert(&self, parent: Id, before: Id, child: NodeOrText<Id>) {
        let id = match child {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(text) => {
                let mut nodes = self.nodes.borrow_mut();
                let previous = match before {
                    NONE => nodes[parent as usize].last_child,
                    _ => nodes[before as usize].prev_sibling,
                };
                if previous != NONE
                    && let Data::Text(present) = &mut nodes[previous as usize].data
                {
                    return present.push_tendril(&text);
                }
                drop(nodes);
                self.push(Data::Text(text))
            }
        };
        let mut nodes = self.nodes.borrow_mut();
        unlink(&mut nodes, id);
        link(&mut nodes, parent, before, id);
    }
}

fn walk(link: impl Fn(Id) -> (Id, Id, Id), line: impl Fn(Id, &mut String)) -> String {
    let mut out = String::new();
    let (mut at, mut depth) = (0, 0);
    loop {
        if at != 0 {
            let _ = write!(out, "|{:depth$}", "");
            line(at, &mut out);
        }
        let (_, first_child, _) = link(at);
        if first_child != NONE {
            (at, depth) = (first_child, depth + 1);
            continue;
        }
        loop {
            if at == 0 {
                return out;
            }
            let (parent, _, next) = link(at);
            if next != NONE {
                at = next;
                break;
            }
            (at, depth) = (parent, depth - 1);
        }
    }
}

fn text_line(text: &str, out: &mut String) {
    let _ = writeln!(out, "{text:?}");
}

fn comment_line(text: &str, out: &mut String) {
    let _ = writeln!(out, "!{text:?}");
}

fn element_line<'v>(
    space: &str,
    name: &str,
    attributes: impl Iterator<Item = (&'static str, String, Cow<'v, str>)>,
    out: &mut String,
) {
    let _ = write!(out, "<{space}{name}>");
    for (prefix, name, value) in attributes {
        let _ = write!(out, " {prefix}:{name}={value:?}");
    }
    out.push('\n');
}

fn link(nodes: &mut [Node], parent: Id, before: Id, id: Id) {
    let previous = match before {
        NONE => std::mem::replace(&mut nodes[parent as usize].last_child, id),
        _ => std::mem::replace(&mut nodes[before as usize].prev_sibling, id),
    };
    match previous {
        NONE => nodes[parent as usize].first_child = id,
        _ => nodes[previous as usize].next_sibling = id,
    }
    let node = &mut nodes[id as usize];
    (node.parent, node.prev_sibling, node.next_sibling) = (parent, previous, before);
}

fn unlink(nodes: &mut [Node], id: Id) {
    let node = &mut nodes[id as usize];
    let (parent, previous, next) = (node.parent, node.prev_sibling, node.next_sibling);
    (node.parent, node.prev_sibling, node.next_sibling) = (NONE, NONE, NONE);
    if parent == NONE {
        return;
    }
    match previous {
        NONE => nodes[parent as usize].first_child = next,
        _ => nodes[previous as usize].next_sibling = next,
    }
    match next {
        NONE => nodes[parent as usize].last_child = previous,
        _ => nodes[next as usize].prev_sibling = previous,
    }
}

/// Name of an element while it stands in the arena.
pub struct Name<'a>(Ref<'a, Element>);

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

impl TreeSink for Arena {
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
            Data::Element(element) => element,
            _ => unreachable!("the tree builder asks for names of elements only"),
        }))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, f: ElementFlags) -> Id {
        let integration = f.mathml_annotation_xml_integration_point;
        self.push(Data::Element(Element { tag: name.local, ns: name.ns, attributes, integration }))
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

    fn get_template_contents(&self, &target: &Id) -> Id {
        target
    }

    fn same_node(&self, x: &Id, y: &Id) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, &target: &Id, attributes: Vec<Attribute>) {
        if let Data::Element(element) = &mut self.nodes.borrow_mut()[target as usize].data {
            for attribute in attributes {
                if !element.attributes.iter().any(|present| present.name == attribute.name) {
                    element.attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, &target: &Id) {
        unlink(&mut self.nodes.borrow_mut(), target);
    }

    fn reparent_children(&self, &from: &Id, &to: &Id) {
        let linked = |id: Id| (id != NONE).then_some(id);
        let first = linked(self.nodes.borrow()[from as usize].first_child);
        let children = std::iter::successors(first, |&id| {
            linked(self.nodes.borrow()[id as usize].next_sibling)
        });
        for child in children.collect::<Vec<_>>() {
            self.insert(to, NONE, NodeOrText::AppendNode(child));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, &target: &Id) -> bool {
        let nodes = self.nodes.borrow();
        matches!(&nodes[target as usize].data, Data::Element(element) if element.integration)
    }
}

/// Has the page elements for which html5ever follows other rules than the standard? Its tree may
/// then be another one: `search`, `keygen`, and what may hold HTML in SVG and MathML are special,
/// `annotation-xml` ends a scope (WHATWG HTML §13.2.4.2), `thead` is a section that other sections
/// end (§13.2.6.4.13).
pub fn html5ever_differs(tree: &Tree<'_>) -> bool {
    tree.nodes.iter().filter(|node| node.kind() == Kind::Element).any(|node| {
        let name = tree.name_text(node.name());
        match node.space() {
            Space::Html => matches!(name, "search" | "keygen" | "thead"),
            Space::Svg => matches!(name, "foreignObject" | "desc" | "title"),
            Space::MathMl => {
                matches!(name, "mi" | "mo" | "mn" | "ms" | "mtext" | "annotation-xml")
            }
        }
    })
}

/// Pieces that markup is made of, for pages that nobody would write.
pub const PIECES: &[&str] = &[
    "p",
    "b",
    "a",
    "i",
    "div",
    "span",
    "table",
    "tr",
    "td",
    "th",
    "tbody",
    "tfoot",
    "caption",
    "colgroup",
    "col",
    "svg",
    "math",
    "mi",
    "foreignObject",
    "desc",
    "title",
    "script",
    "style",
    "select",
    "option",
    "optgroup",
    "template",
    "li",
    "ul",
    "dd",
    "dt",
    "form",
    "input",
    "button",
    "h1",
    "h2",
    "nobr",
    "font",
    "br",
    "img",
    "hr",
    "pre",
    "textarea",
    "body",
    "html",
    "head",
    "frameset",
    "frame",
    "noscript",
    "object",
    "ruby",
    "rt",
    "rtc",
    "x-y",
    "plaintext",
    "image",
    "iframe",
    "g",
    "mglyph",
    "main",
    "address",
    "noframes",
    "meta",
    "link",
    "S",
    "marquee",
];
