//! What the values may do that a page gives names.
//!
//! Must not know: rules, elements.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::css::Property;
use super::css::variables::{ANY, HARMLESS, kinds, stands_for};

/// Names that are followed from one; where there are more, it may do anything.
const MAX_LINKS: usize = 16;

/// The values of a page's names, read once something asks for a name: most are asked for by nothing that hides.
#[derive(Debug, Default)]
pub(super) struct Values {
    text: String,
    /// Names, and where their values stand in `text`.
    set: Vec<(u32, Range<usize>)>,
    /// What the values of a name stand for ([`stands_for`]), and what it may do in the end ([`kinds`]).
    read: RefCell<HashMap<u32, Rc<[u32]>, RandomState>>,
    known: RefCell<HashMap<u32, u32, RandomState>>,
}

impl Values {
    /// Takes note of a name and its value.
    pub fn add(&mut self, name: u32, value: &str) {
        let start = self.text.len();
        self.text.push_str(value);
        self.set.push((name, start..self.text.len()));
    }

    /// Makes them ready to be asked, once all are known.
    pub fn sort(&mut self) {
        self.set.sort_unstable_by_key(|(name, _)| *name);
    }

    /// What the values of a name stand for.
    fn stand_for(&self, name: u32) -> Rc<[u32]> {
        let mut read = self.read.borrow_mut();
        let all = read.entry(name).or_insert_with(|| {
            let start = self.set.partition_point(|(other, _)| *other < name);
            let values = self.set[start..].iter().take_while(|(other, _)| *other == name);
            let mut all: Vec<u32> =
                values.map(|(_, range)| stands_for(&self.text[range.clone()])).collect();
            all.sort_unstable();
            all.dedup();
            all.into()
        });
        Rc::clone(all)
    }

    /// What a name may do, whatever is around it.
    fn does(&self, name: u32) -> u32 {
        if name <= ANY {
            return name;
        }
        if let Some(known) = self.known.borrow().get(&name) {
            return *known;
        }
        let (mut does, mut names, mut at) = (HARMLESS, vec![name], 0);
        while let Some(&name) = names.get(at)
            && does != ANY
        {
            at += 1;
            for &to in &*self.stand_for(name) {
                // What is known of a name is all that can be found from it.
                let to = self.known.borrow().get(&to).copied().unwrap_or(to);
                match to {
                    ..=ANY => does |= to,
                    _ if names.contains(&to) => {}
                    _ if names.len() < MAX_LINKS => names.push(to),
                    _ => {
                        does = ANY;
                        break;
                    }
                }
            }
        }
        self.known.borrow_mut().insert(name, does);
        does
    }

    /// May it hide by this property?
    pub fn may_hide(&self, property: Property, name: u32) -> bool {
        self.does(name) & kinds(property) != 0
    }
}
