//! Selectors of tags, classes, ids, attributes and places, in a row of ancestors and siblings (Selectors
//! Level 4). What is not understood of a selector is left out, and the selector is *loose*: it may match
//! less than it does here.
//!
//! Must not know: what the rules say that they stand before.

use std::rc::Rc;

use crate::extract::dom::{Dom, Id};
use crate::html::name;

mod last;
mod names;
mod parts;
mod read;
mod simple;
mod states;

pub(super) use last::{Last, last_name, last_names, plain_last_names};
pub(super) use parts::parts;
pub(super) use read::{ARGUMENTS, is_known, list, selector};
pub(super) use simple::Place;
use simple::Test;

/// Some bits for the names of some elements: where one of a name's is missing, none has the name. Most
/// selectors are told by them not to match, as browsers do.
pub(super) type Marks = u128;

/// A name in one number.
pub(super) fn hash(sign: u8, name: &str) -> u64 {
    let mix = |h: u64, n: u64| (h.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    let bytes = name.as_bytes();
    let (words, rest) = bytes.as_chunks::<8>();
    let first = (bytes.len() as u64) << 8 | u64::from(sign);
    let hash = words.iter().fold(first, |h, w| mix(h, u64::from_le_bytes(*w)));
    match bytes.last_chunk::<8>() {
        // The last eight again, with what is before the rest.
        Some(last) => mix(hash, u64::from_le_bytes(*last)),
        None => mix(hash, rest.iter().fold(0, |all, b| all << 8 | u64::from(*b))),
    }
}

/// The bits of a name with this number.
pub(super) fn mark(hash: u64) -> Marks {
    1 << (hash >> 57) | 1 << (hash >> 50 & 127)
}

/// Ids; classes, attributes and pseudo-classes; tags (Selectors Level 4 §15).
pub(super) type Specificity = (u16, u16, u16);

/// Selectors that stand for one: arguments, or what a rule is nested in.
pub(super) type List = Rc<[Selector]>;

/// What a rule stands in: another rule, or the roots of a scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Parents {
    /// Any may be meant, if there are none.
    pub list: List,
    pub scope: bool,
}

/// One selector, read from right to left.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selector {
    /// What the element itself must be.
    pub last: Compound,
    /// What stands around it, nearest first.
    around: Vec<(Compound, Combinator)>,
    pub specificity: Specificity,
    /// It was written more narrowly than it is read here.
    pub loose: bool,
    /// Selectors that it was given as arguments.
    pub arguments: usize,
}

/// What one element must be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Compound {
    pub tag: Option<String>,
    pub ids: Vec<String>,
    pub classes: Vec<String>,
    tests: Vec<Test>,
    /// Of all these names.
    marks: Marks,
}

/// Where the compound on the left stands, seen from the one on the right (Selectors Level 4 §16).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combinator {
    Inside,
    Child,
    /// `+`
    Next,
    /// `~`
    Later,
}

impl Combinator {
    /// The first element that may be meant, or the one after `at` that may be.
    fn step(self, dom: &Dom, at: Id, budget: &mut u64) -> Option<Id> {
        match self {
            Combinator::Inside | Combinator::Child => dom.parent(at),
            Combinator::Next | Combinator::Later => element_before(dom, at, budget),
        }
    }
}

/// The nearest element before a node in the same parent.
fn element_before(dom: &Dom, id: Id, budget: &mut u64) -> Option<Id> {
    std::iter::successors(dom.prev_sibling(id), |&id| dom.prev_sibling(id))
        .inspect(|_| *budget = budget.saturating_sub(1))
        .find(|&id| dom.element(id).is_some())
}

impl Compound {
    fn take_marks(&mut self) {
        let Compound { tag, ids, classes, marks, .. } = self;
        *marks = tag.iter().fold(0, |all, tag| all | mark(hash(b' ', tag)));
        *marks = ids.iter().fold(*marks, |all, id| all | mark(hash(b'#', id)));
        *marks = classes.iter().fold(*marks, |all, class| all | mark(hash(b'.', class)));
    }

    /// Without budget nothing matches.
    fn matches(&self, dom: &Dom, id: Id, own: &[Marks], budget: &mut u64) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        if own.get(id as usize).is_some_and(|own| own & self.marks != self.marks) {
            return false;
        }
        dom.element(id).is_some()
            && self.tag.as_ref().is_none_or(|tag| tag == dom.name(id))
            && (self.ids.is_empty() || {
                let has = dom.attr_within(id, "id", budget).unwrap_or_default();
                self.ids.iter().all(|named| *named == has)
            })
            && (self.classes.is_empty() || {
                let has = dom.value(id, name!("class")).unwrap_or_default();
                *budget = budget.saturating_sub(has.len() as u64 / 64);
                self.classes.iter().all(|c| has.split_ascii_whitespace().any(|h| h == c))
            })
            && (self.tests.is_empty()
                || self.tests.iter().all(|test| test.fits(dom, id, own, budget)) && *budget > 0)
    }

    /// Does it ask what a script may have written into the page's root by the time it is seen?
    fn asks_root(&self) -> bool {
        matches!(self.tag.as_deref(), Some("html" | "body")) && self.asks_written()
    }

    /// Does it ask for classes, or what else scripts write?
    fn asks_written(&self) -> bool {
        !self.classes.is_empty() || self.tests.iter().any(Test::asks_written)
    }
}

impl Selector {
    /// Is it a single class, id or tag, or `*`? All of one name weigh the same then.
    pub fn is_plain(&self) -> bool {
        let (ids, classes, tags) = self.specificity;
        self.around.is_empty()
            && self.last.tests.is_empty()
            && ids.saturating_add(classes).saturating_add(tags) <= 1
    }

    /// The same where the element stands so, seen from a shadow root.
    pub fn at(mut self, place: Place, root: Id) -> Selector {
        self.last.tests.push(Test::Shadow(place, root));
        self
    }

    /// Bits of the attributes that the element must have ([`Dom::present`]).
    pub fn attributes(&self) -> u16 {
        self.last.tests.iter().fold(0, |bits, test| bits | test.attribute())
    }

    /// An attribute that the element must have, in small letters.
    pub fn attribute_name(&self) -> Option<String> {
        self.last.tests.iter().find_map(Test::attribute_name)
    }

    /// Of all names that must stand around the element.
    pub fn marks_around(&self) -> Marks {
        let above = |joint: &Combinator| matches!(joint, Combinator::Inside | Combinator::Child);
        let above = self.around.iter().filter(|(_, joint)| above(joint));
        above.fold(0, |all, (compound, _)| all | compound.marks)
    }

    /// `own`: of each node its marks, where they are known.
    pub fn matches(&self, dom: &Dom, id: Id, own: &[Marks], budget: &mut u64) -> bool {
        if !self.last.matches(dom, id, own, budget) {
            return false;
        }
        let mut from = id;
        let mut place = 0;
        // From where further elements can be tried: those around, and those before.
        let (mut outer, mut before) = (None, None);
        while let Some((compound, joint)) = self.around.get(place) {
            let many = matches!(joint, Combinator::Inside | Combinator::Later);
            let mut next = joint.step(dom, from, budget);
            while let Some(at) = next
                && !compound.matches(dom, at, own, budget)
            {
                next = if many { joint.step(dom, at, budget) } else { None };
            }
            match (next, joint) {
                (Some(at), _) => {
                    match joint {
                        // All siblings stand in the same: what was before them matters no more.
                        Combinator::Inside => (outer, before) = (Some((place, at)), None),
                        Combinator::Child => before = None,
                        Combinator::Later => before = Some((place, at)),
                        Combinator::Next => {}
                    }
                    (place, from) = (place + 1, at);
                }
                // What stands around the outer ones stands around the inner ones too.
                (None, Combinator::Inside) => return false,
                (None, _) => {
                    let Some(again) = before.take().or_else(|| outer.take()) else {
                        return false;
                    };
                    (place, from) = again;
                }
            }
        }
        true
    }

    /// Does it depend on what a script may have written into the page's root by the time it is seen?
    pub fn of_page(&self) -> bool {
        self.around.iter().any(|(compound, _)| compound.asks_root())
    }

    /// The same of all that is meant by an argument.
    fn asks_root(&self) -> bool {
        self.last.asks_root() || self.of_page()
    }
}

#[cfg(test)]
mod tests;
