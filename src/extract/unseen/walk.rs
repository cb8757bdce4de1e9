//! A page's elements in order, and by which properties the rules that hide may hide each.
//!
//! Must not know: how rules are found, inheritance.

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::cascade::Weighted;
use super::css::{self, CUTS, PAINTED, Properties, Reading, SIZES};
use super::hiding::Hiding;
use super::index::{Around, At, Index};
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
    /// Of each class attribute of the page, once it was asked, and of each tag.
    classes: Vec<Option<Known>>,
    tags: Vec<Option<Known>>,
}

/// The marks of some names, and whether a rule that hides has one of them last.
#[derive(Clone, Copy, Default)]
struct Known {
    marks: Marks,
    named: bool,
}

impl<'p> Walk<'p> {
    pub fn new(dom: &'p Dom<'p>, hiding: &'p Index, hides: &'p Hiding<'p>) -> Walk<'p> {
        let nodes = if hiding.is_empty() { 0 } else { dom.nodes.len() };
        // What is not known yet may be anything; the document is nothing. (Zeros would be new memory of the
        // system's for every page.)
        let (mut with, own) = (vec![Marks::MAX; nodes], vec![Marks::MAX; nodes]);
        if let Some(document) = with.first_mut() {
            *document = 0;
        }
        let classes = vec![None; dom.class_lists()];
        Walk { dom, hiding, hides, with, own, classes, tags: Vec::new() }
    }

    /// The properties by which an element may be hidden. Where it is asked before what is around it, that may be
    /// anything: selectors are then tried that their names would have ruled out.
    pub fn enter(&mut self, id: Id, budget: &mut u64) -> Properties {
        let dom = self.dom;
        let (mut properties, mut cut) = (Properties::default(), false);
        if let Some(Weighted { declaration, .. }) = native::declaration(dom, id) {
            properties.add(declaration.property);
        }
        if let Some(style) = self.hides.style(dom, id) {
            let mut own = paint::Own::default();
            if style.contains("--") {
                self.hides.know_names(dom);
            }
            css::declarations(&style, Reading::Untold, &mut |d| {
                own.add(d.property, d.effect);
                cut |= CUTS.has(d.property);
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
            let (classes, tag) = (self.classes(id), self.tag(id));
            let named = dom.value(id, name!("id"));
            let own = named.as_ref().map_or(0, |named| mark(hash(b'#', named)));
            let own = own | classes.marks | tag.marks;
            self.own[id as usize] = own;
            self.with[id as usize] = self.above(id) | own;
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
        let parent = self.dom.parent(id).and_then(|parent| self.with.get(parent as usize));
        parent.copied().unwrap_or(if self.hiding.is_empty() { Marks::MAX } else { 0 })
    }

    /// What is known of an element's classes.
    fn classes(&mut self, id: Id) -> Known {
        let (dom, hiding) = (self.dom, self.hiding);
        let Some(known) = self.classes.get_mut(dom.class_list(id)) else { return Known::default() };
        *known.get_or_insert_with(|| {
            let value = dom.value(id, name!("class")).unwrap_or_default();
            let mut known = Known::default();
            for class in value.split_ascii_whitespace() {
                known.marks |= mark(hash(b'.', class));
                known.named |= hiding.has_class(class);
            }
            known
        })
    }

    fn tag(&mut self, id: Id) -> Known {
        let (dom, hiding) = (self.dom, self.hiding);
        let Some(element) = dom.element(id) else { return Known::default() };
        let number = element.tag.index();
        if self.tags.len() <= number {
            self.tags.resize(number + 1, None);
        }
        *self.tags[number].get_or_insert_with(|| {
            let tag = dom.name(id);
            Known { marks: mark(hash(b' ', tag)), named: hiding.has_tag(tag) }
        })
    }
}
