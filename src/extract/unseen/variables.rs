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
use super::css::variables::{Named, filled, number_of};
use super::index::{At, Index};
use super::sheets::Sheets;
use super::walk::Walk;

/// Names that stand for other names, one after the other.
const MAX_DEPTH: usize = 8;

/// Where values have their names from.
pub(super) struct Variables<'s, 'p> {
    sheets: &'s Sheets<'p>,
    /// Nothing but the page sets names.
    alone: bool,
    /// The rules that set names that were asked for.
    rules: RefCell<HashMap<u32, Option<Rc<Index>>, RandomState>>,
    /// What rules say that were asked for.
    read: RefCell<HashMap<u32, Rc<Texts>, RandomState>>,
}

impl<'s, 'p> Variables<'s, 'p> {
    pub fn of(sheets: &'s Sheets<'p>, alone: bool) -> Variables<'s, 'p> {
        Variables { sheets, alone, rules: RefCell::default(), read: RefCell::default() }
    }

    /// What a name stands for at an element.
    fn value(&self, walk: &Walk<'_>, id: Id, name: &str, depth: usize, budget: &mut u64) -> Named {
        let number = number_of(name);
        let rules = self.rules_of(name, budget).filter(|_| depth <= MAX_DEPTH);
        let Some(rules) = rules else { return Named::Unknown };
        let At { dom, .. } = walk.at(id);
        for at in std::iter::once(id).chain(dom.ancestors(id)) {
            if *budget == 0 {
                return Named::Unknown;
            }
            *budget -= 1;
            let Some(text) = self.set_at(walk.at(at), number, &rules, budget) else { continue };
            let is = |word| text.eq_ignore_ascii_case(word);
            if is("inherit") || is("unset") {
                continue;
            }
            if is("initial") {
                return Named::Missing;
            }
            if !text.contains("var(") {
                return Named::Is(text);
            }
            let inner = &mut |name: &str| self.value(walk, at, name, depth + 1, budget);
            return filled(&text, inner).map_or(Named::Unknown, Named::Is);
        }
        if self.alone { Named::Missing } else { Named::Unknown }
    }

    /// What an element itself sets a name to.
    fn set_at(&self, at: At<'_>, number: u32, rules: &Index, budget: &mut u64) -> Option<String> {
        let At { dom, id, .. } = at;
        dom.element(id)?;
        if let Some(style) = dom.value(id, name!("style")).filter(|style| style.contains("--")) {
            *budget = budget.saturating_sub(style.len() as u64 / 4);
            if let Some(found) = Texts::of(&style).value(number) {
                return Some(found.to_owned());
            }
        }
        let mut best = None;
        rules.each(at, budget, &mut |weighted: &Weighted| {
            best = best.max(Some(weighted.rank(false)));
        });
        self.texts(best? as u32).value(number).map(str::to_owned)
    }

    /// The rules that set a name, found once; `None` if its value depends on the reader.
    fn rules_of(&self, name: &str, budget: &mut u64) -> Option<Rc<Index>> {
        let number = number_of(name);
        if let Some(known) = self.rules.borrow().get(&number) {
            return known.clone();
        }
        *budget = budget.saturating_sub(1 + self.sheets.len() as u64 / 16);
        if *budget == 0 {
            return None;
        }
        let finder = Finder::new(name);
        let found = self.sheets.naming(|order, block| {
            let bytes = block.as_bytes();
            *budget = budget.saturating_sub(1 + bytes.len() as u64 / 64);
            *budget > 0
                && (finder.find(bytes).is_some() || memchr(b'\\', bytes).is_some())
                && self.texts(order).value(number).is_some()
        });
        let found = found.map(Rc::new);
        self.rules.borrow_mut().insert(number, found.clone());
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
