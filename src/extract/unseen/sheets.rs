//! The rules of a page's style sheets that can hide, and those that undo it.
//!
//! A sheet has hundreds of rules that say how something is shown, and few that hide something. So
//! rules are kept as they stand; selectors are read of those that hide, and, once elements are found
//! that these match, of those that may show these elements again. Must not know: inheritance.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::cascade::{Cascade, Own, Weighted};
use super::css::{self, Declaration, Property};
use super::native;
use super::selector::{self, Marks, Selector, hash, mark};

/// Rules that matter, and selectors of them, kept of one page; each may take some hundred bytes.
const MAX_RULES: usize = 50_000;

/// The rules of a page that matter, in order.
#[derive(Default)]
pub(super) struct Sheets<'p> {
    rules: Vec<Rule<'p>>,
    declarations: Vec<Declaration>,
    /// There were more rules than are kept.
    pub full: bool,
}

struct Rule<'p> {
    selectors: &'p str,
    /// Its declarations end here.
    end: u32,
    /// It counts on every wide screen.
    sure: bool,
}

impl<'p> Sheets<'p> {
    /// Reads the sheets of a page. Those of another type are none (HTML §4.2.6), those of `<noscript>` are for
    /// readers without scripts, those of `<template>` for nobody. Those of a shadow root are read as if they hid what they name anywhere
    /// on the page, and showed nothing.
    pub fn of(dom: &'p Dom) -> Sheets<'p> {
        let mut sheets = Sheets::default();
        let apart = |tag| matches!(tag, Some(name!("noscript") | name!("template")));
        for (id, sheet) in dom.sheets() {
            let holder = dom.ancestors(id).find(|above| apart(dom.tag(*above)));
            let shadow = holder.map(|id| dom.value(id, name!("shadowrootmode")).is_some());
            let kind = dom.value(id, name!("type")).unwrap_or_default();
            let is_css = kind.is_empty() || kind.eq_ignore_ascii_case("text/css");
            if is_css && shadow != Some(false) {
                let media = dom.value(id, name!("media")).unwrap_or_default();
                sheets.add(sheet, &media, shadow == Some(true));
            }
        }
        sheets
    }

    fn add(&mut self, sheet: &'p str, media: &str, shadow: bool) {
        css::rules(sheet, media, &mut |rule| {
            let counts = |d: &&Declaration| !shadow || d.effect.hides();
            if !rule.declarations.iter().any(|d| counts(&d)) {
                return;
            }
            if self.rules.len() >= MAX_RULES {
                self.full = true;
                return;
            }
            self.declarations.extend(rule.declarations.iter().filter(counts));
            let end = self.declarations.len() as u32;
            self.rules.push(Rule { selectors: rule.selectors, end, sure: rule.sure });
        });
    }

    /// The rules with their numbers and declarations.
    fn rules(&self) -> impl Iterator<Item = (u32, &Rule<'p>, &[Declaration])> {
        let mut start = 0;
        self.rules.iter().zip(1..).map(move |(rule, order)| {
            let range = std::mem::replace(&mut start, rule.end as usize)..rule.end as usize;
            (order, rule, self.declarations.get(range).unwrap_or_default())
        })
    }

    /// All rules that hide by themselves.
    pub fn hiding(&mut self) -> Index {
        let mut index = Index::default();
        for (order, rule, declarations) in self.rules() {
            if !rule.sure || !declarations.iter().any(is_strong) {
                continue;
            }
            for selector in selector::list(rule.selectors, MAX_RULES, |_| true) {
                if is_sure(rule, &selector) {
                    let strong = declarations.iter().filter(|d| is_strong(d));
                    index.add(selector, order, strong);
                }
            }
        }
        self.full |= index.size >= MAX_RULES;
        index
    }

    /// All rules that say something about these properties, and that one of these names has.
    pub fn about(&mut self, wanted: Properties, names: &Names) -> Index {
        let mut index = Index::default();
        for (order, rule, declarations) in self.rules() {
            if !declarations.iter().any(|d| wanted.has(d.property)) {
                continue;
            }
            let named = |text: &str| {
                selector::last_name(text).is_none_or(|(sign, name)| names.has(sign, name))
            };
            if !selector::parts(rule.selectors).any(named) {
                continue;
            }
            for selector in selector::list(rule.selectors, MAX_RULES, named) {
                let sure = is_sure(rule, &selector);
                let counts =
                    |d: &&Declaration| wanted.has(d.property) && (sure || !d.effect.hides());
                index.add(selector, order, declarations.iter().filter(counts));
            }
        }
        self.full |= index.size >= MAX_RULES;
        index
    }
}

/// Does a declaration hide by itself, or as soon as the element leaves the flow?
fn is_strong(declaration: &Declaration) -> bool {
    declaration.effect.hides() && declaration.property != Property::Position
}

fn is_sure(rule: &Rule<'_>, selector: &Selector) -> bool {
    rule.sure && !selector.loose && !selector.of_page()
}

/// A set of properties.
#[derive(Clone, Copy, Default)]
pub(super) struct Properties(u32);

impl Properties {
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn join(&mut self, others: Properties) {
        self.0 |= others.0;
    }

    pub fn has(self, property: Property) -> bool {
        self.0 & 1 << property as u32 != 0
    }

    pub fn add(&mut self, property: Property) {
        self.0 |= 1 << property as u32;
    }

    /// Adds what decides whether these hide: offsets and clips do so out of the flow alone, transforms where there is a
    /// box.
    pub fn complete(&mut self) {
        use Property::{Bottom, Clip, Left, Right, Scale, Top, Transform, Translate};
        if [Left, Top, Right, Bottom, Clip].into_iter().any(|p| self.has(p)) {
            self.add(Property::Position);
        }
        if [Transform, Translate, Scale].into_iter().any(|p| self.has(p)) {
            self.add(Property::Display);
            self.add(Property::Position);
        }
    }
}

/// Classes, ids and tags of some elements, by their hashes: it may seem to have others.
#[derive(Default)]
pub(super) struct Names(HashSet<u64, RandomState>);

impl Names {
    pub fn add(&mut self, dom: &Dom, id: Id) {
        if let Some(classes) = dom.value(id, name!("class")) {
            self.0.extend(classes.split_ascii_whitespace().map(|class| hash(b'.', class)));
        }
        if let Some(named) = dom.value(id, name!("id")) {
            self.0.insert(hash(b'#', &named));
        }
        self.0.insert(hash(b' ', dom.name(id)));
    }

    fn has(&self, sign: u8, name: &str) -> bool {
        // Tags are told in any case.
        if sign == b' ' && name.bytes().any(|b| b.is_ascii_uppercase()) {
            return self.0.contains(&hash(sign, &name.to_ascii_lowercase()));
        }
        self.0.contains(&hash(sign, name))
    }
}

/// What is known of elements while a page is walked.
pub(super) struct Walk<'p> {
    dom: &'p Dom,
    hiding: &'p Index,
    /// Of each node, the marks of what is around it, its own included; and its own alone.
    with: Vec<Marks>,
    own: Vec<Marks>,
    /// Of each class attribute of the page, once it was asked, and of each tag.
    classes: Vec<Option<Known>>,
    tags: Vec<Option<Known>>,
}

/// What is known around an element.
#[derive(Clone, Copy)]
pub(super) struct Around<'w> {
    /// The marks of all that it stands in.
    above: Marks,
    /// Of each node, its own marks; those of others are not known.
    own: &'w [Marks],
}

/// The marks of some names, and whether a rule that hides has one of them last.
#[derive(Clone, Copy, Default)]
struct Known {
    marks: Marks,
    named: bool,
}

impl<'p> Walk<'p> {
    pub fn new(dom: &'p Dom, hiding: &'p Index) -> Walk<'p> {
        let nodes = if hiding.is_empty() { 0 } else { dom.nodes.len() };
        // What is not known yet may be anything; the document is nothing. (Zeros would be new memory of the
        // system's for every page.)
        let (mut with, own) = (vec![Marks::MAX; nodes], vec![Marks::MAX; nodes]);
        if let Some(document) = with.first_mut() {
            *document = 0;
        }
        let classes = vec![None; dom.class_lists()];
        Walk { dom, hiding, with, own, classes, tags: Vec::new() }
    }

    /// The properties by which an element may be hidden. Where it is asked before what is around it, that may be
    /// anything: selectors are then tried that their names would have ruled out.
    pub fn enter(&mut self, id: Id, budget: &mut u64) -> Properties {
        let dom = self.dom;
        let mut properties = Properties::default();
        if let Some(Weighted { declaration, .. }) = native::declaration(dom, id) {
            properties.add(declaration.property);
        }
        if let Some(style) = dom.value(id, name!("style")) {
            css::declarations(&style, &mut |d| {
                if is_strong(&d) {
                    properties.add(d.property);
                }
            });
        }
        if !self.hiding.is_empty() {
            let (classes, tag) = (self.classes(id), self.tag(id));
            let named = dom.value(id, name!("id"));
            let own = named.as_ref().map_or(0, |named| mark(b'#', named));
            let own = own | classes.marks | tag.marks;
            self.own[id as usize] = own;
            self.with[id as usize] = self.above(id) | own;
            let around = self.around(id);
            let mut each = |w: &Weighted| properties.add(w.declaration.property);
            if classes.named {
                self.hiding.of_classes(dom, id, around, budget, &mut each);
            }
            if let Some(named) = named {
                self.hiding.of_id(&named, dom, id, around, budget, &mut each);
            }
            if tag.named {
                self.hiding.of_tag(dom, id, around, budget, &mut each);
            }
            if !self.hiding.any.is_empty() {
                self.hiding.any.look(dom, id, around, budget, &mut each);
            }
        }
        properties
    }

    /// What is known around a node.
    pub fn around(&self, id: Id) -> Around<'_> {
        Around { above: self.above(id), own: &self.own }
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
                known.marks |= mark(b'.', class);
                known.named |= hiding.classes.contains_key(class);
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
            Known { marks: mark(b' ', tag), named: hiding.tags.contains_key(tag) }
        })
    }
}

/// Rules found by what their selectors name last.
#[derive(Default)]
pub(super) struct Index {
    classes: HashMap<String, Found, RandomState>,
    ids: HashMap<String, Found, RandomState>,
    tags: HashMap<String, Found, RandomState>,
    any: Found,
    /// Selectors in it.
    size: usize,
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

    fn look(
        &self,
        dom: &Dom,
        id: Id,
        around: Around<'_>,
        budget: &mut u64,
        each: &mut impl FnMut(&Weighted),
    ) {
        if *budget == 0 {
            return;
        }
        *budget = budget.saturating_sub(1 + self.others.len() as u64 / 8);
        self.plain.iter().for_each(&mut *each);
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

    fn add<'d>(
        &mut self,
        selector: Selector,
        order: u32,
        declarations: impl Iterator<Item = &'d Declaration>,
    ) {
        if self.size >= MAX_RULES {
            return;
        }
        self.size += 1 + selector.arguments;
        let last = &selector.last;
        let found = match (last.ids.first(), last.classes.first(), &last.tag) {
            (Some(id), _, _) => self.ids.entry(id.clone()).or_default(),
            (_, Some(class), _) => self.classes.entry(class.clone()).or_default(),
            (_, _, Some(tag)) => self.tags.entry(tag.clone()).or_default(),
            _ => &mut self.any,
        };
        let specificity = selector.specificity;
        let new = declarations.map(|&declaration| Weighted { declaration, specificity, order });
        if !selector.is_plain() {
            let (around, attributes) = (selector.marks_around(), selector.attributes());
            found.others.push(Other { around, attributes, weighted: new.collect(), selector });
            return;
        }
        // Of one name, the last of each property wins.
        for new in new {
            let of = |d: &Declaration| (d.property, d.important);
            let old = found.plain.iter_mut().find(|k| of(&k.declaration) == of(&new.declaration));
            match old {
                Some(old) => *old = new,
                None => found.plain.push(new),
            }
        }
    }

    /// Calls `each` with the declarations of all rules of an element's classes that match it; `around`:
    /// what is known around it.
    fn of_classes(
        &self,
        dom: &Dom,
        id: Id,
        around: Around<'_>,
        budget: &mut u64,
        each: &mut impl FnMut(&Weighted),
    ) {
        if let Some(classes) = dom.value(id, name!("class")).filter(|_| !self.classes.is_empty()) {
            for found in classes.split_ascii_whitespace().filter_map(|c| self.classes.get(c)) {
                found.look(dom, id, around, budget, each);
            }
        }
    }

    /// The same of its id.
    fn of_id(
        &self,
        named: &str,
        dom: &Dom,
        id: Id,
        around: Around<'_>,
        budget: &mut u64,
        each: &mut impl FnMut(&Weighted),
    ) {
        if let Some(found) = self.ids.get(named) {
            found.look(dom, id, around, budget, each);
        }
    }

    /// The same of its tag.
    fn of_tag(
        &self,
        dom: &Dom,
        id: Id,
        around: Around<'_>,
        budget: &mut u64,
        each: &mut impl FnMut(&Weighted),
    ) {
        if let Some(found) = self.tags.get(dom.name(id)) {
            found.look(dom, id, around, budget, each);
        }
    }

    /// What all declarations for an element come to.
    pub fn own(&self, dom: &Dom, id: Id, around: Around<'_>, budget: &mut u64) -> Own {
        let mut cascade = Cascade::default();
        if let Some(native) = native::declaration(dom, id) {
            cascade.put(&native, false);
        }
        let each = &mut |weighted: &Weighted| cascade.put(weighted, false);
        self.of_classes(dom, id, around, budget, each);
        if let Some(named) = dom.value(id, name!("id")) {
            self.of_id(&named, dom, id, around, budget, each);
        }
        self.of_tag(dom, id, around, budget, each);
        self.any.look(dom, id, around, budget, each);
        if let Some(style) = dom.value(id, name!("style")) {
            css::declarations(&style, &mut |declaration| cascade.put_inline(declaration));
        }
        cascade.own(native::is_boxed(dom, id))
    }
}
