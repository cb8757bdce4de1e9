//! Rules by what their selectors name last, and what they come to for an element.
//!
//! Must not know: sheets, inheritance.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::cascade::{Cascade, Own, Weighted};
use super::css::{self, Declaration, Effect, Properties, Reading};
use super::hiding::Hiding;
use super::native;
use super::paint;
use super::selector::{Marks, Selector};

/// Rules that matter, and selectors of them, kept of one page; each may take some hundred bytes. Rules that name last what
/// no element of the page is called are not counted, unless others are nested in them.
pub(super) const MAX_RULES: usize = 50_000;

/// What is known around an element.
#[derive(Clone, Copy)]
pub(super) struct Around<'w> {
    /// The marks of all that it stands in.
    pub above: Marks,
    /// Of each node, its own marks; those of others are not known.
    pub own: &'w [Marks],
}

/// An element, and what is known around it.
#[derive(Clone, Copy)]
pub(super) struct At<'w> {
    pub dom: &'w Dom<'w>,
    pub id: Id,
    pub around: Around<'w>,
}

/// Rules found by what their selectors name last.
#[derive(Default)]
pub(super) struct Index {
    classes: HashMap<String, Found, RandomState>,
    ids: HashMap<String, Found, RandomState>,
    attributes: HashMap<String, Found, RandomState>,
    /// Bits of these attributes ([`Dom::present`]), and of [signs](sign_of) of their names.
    present: u16,
    signs: u64,
    tags: HashMap<String, Found, RandomState>,
    any: Found,
    /// Selectors in it.
    size: usize,
}

/// A bit for length and last letter of a name, in letters of either case.
fn sign_of(name: &str) -> u64 {
    let last = name.as_bytes().last().map_or(0, |b| usize::from(b | 0x20));
    1 << ((name.len() * 11 + last) & 63)
}

/// The rules of one name.
#[derive(Default)]
struct Found {
    /// Those of the name alone.
    plain: Vec<Weighted>,
    others: Vec<Other>,
}

/// A rule that asks for more than its name.
struct Other {
    selector: Selector,
    /// See [`Selector::marks_around`] and [`Selector::attributes`].
    around: Marks,
    attributes: u16,
    weighted: Vec<Weighted>,
}

impl Found {
    fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.others.is_empty()
    }

    fn look(&self, at: At<'_>, budget: &mut u64, each: &mut impl FnMut(&Weighted)) {
        if *budget == 0 {
            return;
        }
        *budget = budget.saturating_sub(1 + self.others.len() as u64 / 8);
        self.plain.iter().for_each(&mut *each);
        let At { dom, id, around } = at;
        let present = dom.present(id);
        for other in &self.others {
            if around.above & other.around == other.around
                && present & other.attributes == other.attributes
                && other.selector.matches(dom, id, around.own, budget)
            {
                other.weighted.iter().for_each(&mut *each);
            }
        }
    }
}

impl Index {
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Were there more rules than are kept?
    pub fn is_full(&self) -> bool {
        self.size >= MAX_RULES
    }

    /// The classes that rules have last.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.classes.keys().map(String::as_str)
    }

    /// Bits of the attributes that rules have last ([`Dom::present`]).
    pub fn attributes(&self) -> u16 {
        self.present
    }

    /// Are there rules that name nothing?
    pub fn asks_all(&self) -> bool {
        !self.any.is_empty()
    }

    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.contains_key(tag)
    }

    pub fn add(
        &mut self,
        selector: Selector,
        layer: u16,
        order: u32,
        declarations: impl Iterator<Item = Declaration>,
    ) {
        if self.size >= MAX_RULES {
            return;
        }
        self.size += 1 + selector.arguments;
        let last = &selector.last;
        let found = if let Some(id) = last.ids.first() {
            self.ids.entry(id.clone()).or_default()
        } else if let Some(class) = last.classes.first() {
            self.classes.entry(class.clone()).or_default()
        } else if let Some(attribute) = selector.attribute_name() {
            self.present |= selector.attributes();
            self.signs |= sign_of(&attribute);
            self.attributes.entry(attribute).or_default()
        } else if let Some(tag) = &last.tag {
            self.tags.entry(tag.clone()).or_default()
        } else {
            &mut self.any
        };
        let specificity = selector.specificity;
        let weighted =
            |declaration: Declaration| Weighted { declaration, layer, specificity, order };
        let new = declarations.map(weighted);
        if !selector.is_plain() {
            let (around, attributes) = (selector.marks_around(), selector.attributes());
            found.others.push(Other { around, attributes, weighted: new.collect(), selector });
            return;
        }
        // Of one name, the strongest of each property wins.
        for new in new {
            let about = new.declaration.about();
            let old = found.plain.iter_mut().find(|k| k.declaration.about() == about);
            match old {
                Some(old) if old.rank(false) <= new.rank(false) => *old = new,
                Some(_) => {}
                None => found.plain.push(new),
            }
        }
    }

    /// Calls `each` with the declarations of all rules of an element's classes that match it.
    pub fn of_classes(&self, at: At<'_>, budget: &mut u64, each: &mut impl FnMut(&Weighted)) {
        let classes = at.dom.value(at.id, name!("class"));
        if let Some(classes) = classes.filter(|_| !self.classes.is_empty()) {
            for found in classes.split_ascii_whitespace().filter_map(|c| self.classes.get(c)) {
                found.look(at, budget, each);
            }
        }
    }

    /// The same of its id.
    pub fn of_id(
        &self,
        named: &str,
        at: At<'_>,
        budget: &mut u64,
        each: &mut impl FnMut(&Weighted),
    ) {
        if let Some(found) = self.ids.get(named) {
            found.look(at, budget, each);
        }
    }

    /// The same of its attributes.
    pub fn of_attributes(&self, at: At<'_>, budget: &mut u64, each: &mut impl FnMut(&Weighted)) {
        if at.dom.present(at.id) & self.present == 0 {
            return;
        }
        at.dom.written(at.id, budget, |name, _, budget| {
            // Most are told by their signs not to be asked for.
            if self.signs & sign_of(name) != 0 {
                let is_small = !name.bytes().any(|b| b.is_ascii_uppercase());
                let found = match is_small {
                    true => self.attributes.get(name),
                    false => self.attributes.get(&name.to_ascii_lowercase()),
                };
                if let Some(found) = found {
                    found.look(at, budget, each);
                }
            }
            *budget == 0
        });
    }

    /// The same of its tag.
    pub fn of_tag(&self, at: At<'_>, budget: &mut u64, each: &mut impl FnMut(&Weighted)) {
        if let Some(found) = self.tags.get(at.dom.name(at.id)) {
            found.look(at, budget, each);
        }
    }

    /// The same of rules that name nothing.
    pub fn of_any(&self, at: At<'_>, budget: &mut u64, each: &mut impl FnMut(&Weighted)) {
        if !self.any.is_empty() {
            self.any.look(at, budget, each);
        }
    }

    /// All of these.
    pub fn each(&self, at: At<'_>, budget: &mut u64, each: &mut impl FnMut(&Weighted)) {
        self.of_classes(at, budget, each);
        if let Some(named) = at.dom.value(at.id, name!("id")) {
            self.of_id(&named, at, budget, each);
        }
        self.of_attributes(at, budget, each);
        self.of_tag(at, budget, each);
        self.of_any(at, budget, each);
    }

    /// What all declarations of these properties for an element come to; `vary`: what the one of this property, rule or `style` does
    /// there, which uses a name.
    pub fn own(
        &self,
        at: At<'_>,
        of: Properties,
        hiding: &Hiding<'_>,
        vary: &mut impl FnMut(usize, Option<u32>, &mut u64) -> Option<Effect>,
        budget: &mut u64,
    ) -> Own {
        let At { dom, id, .. } = at;
        let mut cascade = Cascade::default();
        if let Some(native) = native::declaration(dom, id) {
            cascade.put(&native, false);
        }
        native::paints(dom, id, &mut |weighted| cascade.put(&weighted, false));
        self.each(at, budget, &mut |weighted: &Weighted| {
            if of.has(weighted.declaration.property) {
                cascade.put(weighted, false);
            }
        });
        let mut painted = paint::Own::default();
        if let Some(style) = hiding.style(dom, id) {
            css::declarations(&style, Reading::All, &mut |declaration| {
                painted.add(declaration.property, declaration.effect);
                if of.has(declaration.property) {
                    cascade.put_inline(declaration);
                }
            });
        }
        cascade.vary(&mut |place, rule| vary(place, rule, budget));
        let frames = |name| hiding.moving.of(name).map(|frames| frames.only(of));
        let mut own = cascade.own(native::is_boxed(dom, id), frames);
        if hiding.grounds.is_none() {
            own.colours = own.colours.beside_others(painted);
        }
        own
    }
}
