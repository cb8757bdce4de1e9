//! A page's elements in order, and by which properties the rules that hide may hide each.
//!
//! Must not know: how rules are found, inheritance.

use crate::extract::dom::{Dom, Element, Id};
use crate::html::{Space, name};

use super::cascade::Weighted;
use super::css::{self, CUTS, PAINTED, Properties, Reading, SIZES};
use super::hiding::Hiding;
use super::index::{Around, At, Index};
use super::names::{Classes, Names};
use super::native;
use super::paint;
use super::selector::{Marks, hash, mark};

/// What is known of elements while a page is walked.
pub(super) struct Walk<'p> {
    dom: &'p Dom<'p>,
    hiding: &'p Index,
    hides: &'p Hiding<'p>,
    /// Of each node, the marks of what is around it, its own included; and its own alone.
    with: Vec<Marks>,
    own: Vec<Marks>,
    classes: &'p Classes,
    /// Of each class attribute of the page, and of each tag, once it was asked.
    lists: Vec<Known>,
    tags: Vec<Option<Known>>,
    /// Bits of the attributes by which an element may be hidden ([`Dom::present`]).
    attributes: u16,
    /// Any element may be, whatever it is named.
    any: bool,
}

/// The marks of some names, and whether a rule that hides may have one of them last, or the browser's own sheet.
#[derive(Clone, Copy, Default)]
struct Known {
    marks: Marks,
    named: bool,
}

impl<'p> Walk<'p> {
    pub fn new(
        dom: &'p Dom<'p>,
        hiding: &'p Index,
        hides: &'p Hiding<'p>,
        classes: &'p Classes,
    ) -> Walk<'p> {
        let (nodes, count) = match hiding.is_empty() {
            true => (0, 0),
            false => (dom.nodes.len(), dom.class_lists()),
        };
        let asked = Names::of_classes(hiding.classes());
        let known = |list| {
            let mut known = Known::default();
            for &hash in classes.of_list(list) {
                known.marks |= mark(hash);
                known.named |= asked.may_hold(hash);
            }
            known
        };
        let lists = (0..count).map(known).collect();
        let (with, own) = (Vec::with_capacity(nodes), Vec::with_capacity(nodes));
        let attributes = [name!("id"), name!("style")].into_iter().chain(native::ATTRIBUTES);
        let attributes = attributes.fold(hiding.attributes(), |bits, name| bits | name.bit());
        let any = hiding.asks_all() || hides.grounds.is_some();
        let tags = Vec::new();
        Walk { dom, hiding, hides, with, own, classes, lists, tags, attributes, any }
    }

    /// All names of these elements.
    pub fn names(&self, elements: &[Id]) -> Names {
        Names::of(self.dom, self.classes, elements)
    }

    /// The properties by which an element may be hidden; they are asked in the order of their numbers. Where one is asked
    /// before what is around it, that may be anything: selectors are then tried that their names would have ruled out.
    #[inline]
    pub fn enter(&mut self, element: Element<'_>, budget: &mut u64) -> Properties {
        let (classes, tag) = (self.classes(element), self.tag(element));
        // Most have no name that anything asks for.
        let named = self.any || classes.named || tag.named || element.space == Space::MathMl;
        if !named && self.dom.present(element.id) & self.attributes == 0 {
            self.put(element.id, classes.marks | tag.marks);
            return Properties::default();
        }
        self.ask(element.id, (classes, tag), budget)
    }

    #[inline(never)]
    fn ask(&mut self, id: Id, (classes, tag): (Known, Known), budget: &mut u64) -> Properties {
        let dom = self.dom;
        let (mut properties, mut cut) = (Properties::default(), false);
        if let Some(Weighted { declaration, .. }) = native::declaration(dom, id) {
            properties.add(declaration.property);
        }
        if let Some(style) = self.hides.style(dom, id) {
            let mut own = paint::Own::default();
            css::declarations(&style, Reading::Untold, &mut |d| {
                own.add(d.property, d.effect);
                cut |= CUTS.has(d.property);
                if Hiding::asks_names(&d) {
                    self.hides.know_names(dom);
                }
                properties.join(self.hides.by(&d));
            });
            if own.hides() {
                properties.join(Properties::of(&PAINTED));
            }
        }
        if self.hides.grounds.is_some() {
            native::paints(dom, id, &mut |w| properties.join(self.hides.by(&w.declaration)));
        }
        if !self.hiding.is_empty() {
            let named = dom.value(id, name!("id"));
            let own = named.as_ref().map_or(0, |named| mark(hash(b'#', named)));
            self.put(id, own | classes.marks | tag.marks);
            let at = self.at(id);
            let hides = self.hides;
            let mut each = |w: &Weighted| properties.join(hides.by(&w.declaration));
            if classes.named {
                self.hiding.of_classes(at, budget, &mut each);
            }
            if let Some(named) = named {
                self.hiding.of_id(&named, at, budget, &mut each);
            }
            self.hiding.of_attributes(at, budget, &mut each);
            if tag.named {
                self.hiding.of_tag(at, budget, &mut each);
            }
            self.hiding.of_any(at, budget, &mut each);
        }
        // A box without room shows what is not cut off.
        if !properties.both(SIZES).is_empty() && !cut && !self.hides.cutting.may_have(dom, id) {
            properties = properties.without(SIZES);
        }
        properties
    }

    /// An element, with what is known around it.
    pub fn at(&self, id: Id) -> At<'_> {
        At { dom: self.dom, id, around: Around { above: self.above(id), own: &self.own } }
    }

    fn above(&self, id: Id) -> Marks {
        // What is not known yet may be anything.
        let parent = self.dom.parent(id).and_then(|parent| self.with.get(parent as usize));
        parent.copied().unwrap_or(Marks::MAX)
    }

    /// Takes note of an element's own marks, where they matter.
    #[inline]
    fn put(&mut self, id: Id, own: Marks) {
        if self.hiding.is_empty() {
            return;
        }
        // The document has none, and nobody asks for those of texts.
        while self.own.len() < id as usize {
            self.own.push(0);
            self.with.push(0);
        }
        self.with.push(self.above(id) | own);
        self.own.push(own);
    }

    /// What is known of an element's classes.
    fn classes(&self, element: Element<'_>) -> Known {
        self.lists.get(element.class_list()).copied().unwrap_or_default()
    }

    fn tag(&mut self, element: Element<'_>) -> Known {
        let number = element.tag.index();
        if self.tags.len() <= number {
            self.tags.resize(number + 1, None);
        }
        let (dom, hiding) = (self.dom, self.hiding);
        *self.tags[number].get_or_insert_with(|| {
            let tag = dom.name(element.id);
            let named = hiding.has_tag(tag) || native::speaks_of(element.tag);
            Known { marks: mark(hash(b' ', tag)), named }
        })
    }
}
