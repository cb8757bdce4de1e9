//! What the values may do that a page gives names.
//!
//! Must not know: rules, elements.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::css::variables::{ANY, HARMLESS, MAX_DEPTH, kinds};
use super::css::{Declaration, Effect, Property};

/// Names of one page that stand for others.
const MAX_LINKS: usize = 10_000;

/// Names that may stand for a value that hides, whatever is around them.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// What each may do ([`kinds`]).
    hiding: HashMap<u32, u32, RandomState>,
    /// Names that stand for others.
    links: Vec<(u32, u32)>,
}

impl Values {
    /// Takes note of a declaration, if it gives a name a value.
    pub fn add(&mut self, declaration: &Declaration) {
        let Effect::Sets { name, to } = declaration.effect else { return };
        if to <= ANY {
            self.set(name, to);
        } else if self.links.len() < MAX_LINKS {
            self.links.push((name, to));
        } else {
            self.set(name, ANY);
        }
    }

    /// The same where all that the other name stands for is known.
    pub fn add_last(&mut self, declaration: &Declaration) {
        if let Effect::Sets { name, to } = declaration.effect {
            self.set(name, self.does(to));
        }
    }

    fn set(&mut self, name: u32, does: u32) {
        if does != HARMLESS {
            *self.hiding.entry(name).or_default() |= does;
        }
    }

    /// Follows names that stand for others, once all are known.
    pub fn follow(&mut self) {
        for _ in 0..MAX_DEPTH {
            let mut new = false;
            for &(name, to) in &self.links {
                let does = self.does(to);
                if does & !self.does(name) != HARMLESS {
                    new = true;
                    *self.hiding.entry(name).or_default() |= does;
                }
            }
            if !new {
                return;
            }
        }
    }

    /// What a name may do.
    fn does(&self, name: u32) -> u32 {
        if name <= ANY { name } else { self.hiding.get(&name).copied().unwrap_or(HARMLESS) }
    }

    /// May it hide by this property?
    pub fn may_hide(&self, property: Property, name: u32) -> bool {
        self.does(name) & kinds(property) != 0
    }
}
