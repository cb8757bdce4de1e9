//! What the names of a page's values stand for, at each element (CSS Custom Properties Level 1 §2).
//!
//! Must not know: what values do.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::RandomState;
use memchr::memchr;
use memchr::memmem::Finder;

use crate::extract::dom::Id;
use crate::html::name;

use super::cascade::Weighted;
use super::css::Effect;
use super::css::texts::Texts;
use super::css::variables::{MAX_DEPTH, Stands, filled};
use super::index::{At, Index};
use super::sheets::Sheets;
use super::walk::Walk;

/// Where values have their names from.
pub(super) struct Variables<'s, 'p> {
    sheets: &'s Sheets<'p>,
    /// Nothing but the page sets names.
    alone: bool,
    /// The rules that set names that were asked for.
    rules: RefCell<HashMap<String, Rc<Index>, RandomState>>,
    /// What rules say that were asked for.
    read: RefCell<HashMap<u32, Rc<Texts>, RandomState>>,
}

impl<'s, 'p> Variables<'s, 'p> {
    pub fn of(sheets: &'s Sheets<'p>, alone: bool) -> Variables<'s, 'p> {
        Variables { sheets, alone, rules: RefCell::default(), read: RefCell::default() }
    }

    /// What a name stands for at an element.
    fn value(&self, walk: &Walk<'_>, id: Id, name: &str, depth: usize, budget: &mut u64) -> Stands {
        let rules = self.rules_of(name, budget);
        if depth > MAX_DEPTH {
            return Stands::Unknown;
        }
        let At { dom, .. } = walk.at(id);
        for at in std::iter::once(id).chain(dom.ancestors(id)) {
            if *budget == 0 {
                return Stands::Unknown;
            }
            *budget -= 1;
            let Ok(found) = self.set_at(walk.at(at), name, &rules, budget) else {
                return Stands::Unknown;
            };
            let Some(text) = found else { continue };
            let is = |word| text.eq_ignore_ascii_case(word);
            if is("inherit") || is("unset") {
                continue;
            }
            if is("initial") {
                return Stands::Missing;
            }
            if !text.contains("var(") {
                return Stands::For(text);
            }
            let inner = &mut |name: &str| self.value(walk, at, name, depth + 1, budget);
            return filled(&text, inner).map_or(Stands::Unknown, Stands::For);
        }
        if self.alone { Stands::Missing } else { Stands::Unknown }
    }

    /// What an element itself sets a name to; an error if that depends on the reader.
    fn set_at(
        &self,
        at: At<'_>,
        name: &str,
        rules: &Index,
        budget: &mut u64,
    ) -> Result<Option<String>, ()> {
        let At { dom, id, .. } = at;
        if dom.element(id).is_none() {
            return Ok(None);
        }
        // The strongest, the strongest of those that count for some readers only, and whether they are important.
        let (mut best, mut open) = (None, None);
        rules.each(at, budget, &mut |weighted: &Weighted| {
            let found = Some((weighted.declaration.important, weighted.rank(false)));
            let of = match weighted.declaration.effect {
                Effect::Shows => &mut open,
                _ => &mut best,
            };
            *of = found.max(*of);
        });
        if let Some(style) = dom.value(id, name!("style")).filter(|style| style.contains("--")) {
            *budget = budget.saturating_sub(style.len() as u64 / 4);
            if let Some(own) = Texts::of(&style).value(name) {
                let beaten = |by: Option<(bool, _)>| by.is_some_and(|(strong, _)| strong);
                match own.important {
                    false if beaten(open) && open > best => return Err(()),
                    false if beaten(best) => {}
                    _ => return Ok(Some(own.value.clone())),
                }
            }
        }
        if open > best {
            return Err(());
        }
        let Some((_, rank)) = best else { return Ok(None) };
        Ok(self.texts(rank as u32).value(name).map(|named| named.value.clone()))
    }

    /// The rules that set a name, found once.
    fn rules_of(&self, name: &str, budget: &mut u64) -> Rc<Index> {
        if let Some(known) = self.rules.borrow().get(name) {
            return Rc::clone(known);
        }
        *budget = budget.saturating_sub(1 + self.sheets.len() as u64 / 16);
        if *budget == 0 {
            return Rc::default();
        }
        let finder = Finder::new(name);
        let found = Rc::new(self.sheets.naming(|order, block| {
            let bytes = block.as_bytes();
            *budget = budget.saturating_sub(1 + bytes.len() as u64 / 64);
            let there = finder.find(bytes).is_some() || memchr(b'\\', bytes).is_some();
            if *budget == 0 || !there {
                return None;
            }
            self.texts(order).value(name).map(|named| named.important)
        }));
        self.rules.borrow_mut().insert(name.to_owned(), Rc::clone(&found));
        found
    }

    /// What a rule says, read once.
    fn texts(&self, order: u32) -> Rc<Texts> {
        let mut read = self.read.borrow_mut();
        let new = || Rc::new(Texts::of(self.sheets.block(order)));
        Rc::clone(read.entry(order).or_insert_with(new))
    }

    /// What is said of the property of this number, its names filled in: in the element's `style`, or in the rule of
    /// that number.
    pub fn effect(
        &self,
        walk: &Walk<'_>,
        id: Id,
        (place, rule): (usize, Option<u32>),
        budget: &mut u64,
    ) -> Option<Effect> {
        let texts = match rule {
            Some(order) => self.texts(order),
            None => {
                let style = walk.at(id).dom.value(id, name!("style"))?;
                *budget = budget.saturating_sub(style.len() as u64 / 4);
                Rc::new(Texts::of(&style))
            }
        };
        texts.effect(place, &mut |name| self.value(walk, id, name, 0, budget))
    }
}
