//! Names of elements, to tell quickly which rules cannot match any of them.
//!
//! Must not know: rules, declarations.

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::selector::{Last, hash};

/// Classes, ids and tags of some elements: two bits for each, so it may seem to have others.
pub(super) struct Names([u64; 512]);

impl Default for Names {
    fn default() -> Names {
        Names([0; 512])
    }
}

impl Names {
    /// The place of the word and the bit, twice.
    fn bits(hash: u64) -> [(usize, u64); 2] {
        [hash >> 49, hash >> 34].map(|part| ((part >> 6) as usize & 511, 1 << (part & 63)))
    }

    fn put(&mut self, hash: u64) {
        Names::bits(hash).into_iter().for_each(|(word, bit)| self.0[word] |= bit);
    }

    /// All names of these elements.
    pub fn of(dom: &Dom, elements: &[Id]) -> Names {
        let mut names = Names::default();
        elements.iter().for_each(|&id| names.add(dom, id));
        names
    }

    /// Adds all names of an element.
    fn add(&mut self, dom: &Dom, id: Id) {
        let classes = dom.value(id, name!("class")).unwrap_or_default();
        classes.split_ascii_whitespace().for_each(|class| self.put(hash(b'.', class)));
        if let Some(named) = dom.value(id, name!("id")) {
            self.put(hash(b'#', &named));
        }
        self.put(hash(b' ', dom.name(id)));
    }

    /// Adds the name that a selector asks of an element, or all.
    pub fn add_last(&mut self, asked: Last<'_>) {
        match asked {
            Last::Never => {}
            Last::Any => self.0 = [u64::MAX; 512],
            Last::Name(sign, name) => self.put(hash_of(sign, &name)),
        }
    }

    /// May an element have one of the names?
    pub fn may_have(&self, dom: &Dom, id: Id) -> bool {
        let has = |hash| Names::bits(hash).into_iter().all(|(word, bit)| self.0[word] & bit != 0);
        let classes = dom.value(id, name!("class")).unwrap_or_default();
        has(hash(b' ', dom.name(id)))
            || classes.split_ascii_whitespace().any(|class| has(hash(b'.', class)))
            || dom.value(id, name!("id")).is_some_and(|named| has(hash(b'#', &named)))
    }

    /// May a selector that asks for this match an element that has one of the names?
    pub fn may_be(&self, asked: Last<'_>) -> bool {
        match asked {
            Last::Never => false,
            Last::Any => true,
            Last::Name(sign, name) => {
                let bits = Names::bits(hash_of(sign, &name));
                bits.into_iter().all(|(word, bit)| self.0[word] & bit != 0)
            }
        }
    }
}

/// Tags are told in any case.
fn hash_of(sign: u8, name: &str) -> u64 {
    match sign == b' ' && name.bytes().any(|b| b.is_ascii_uppercase()) {
        true => hash(sign, &name.to_ascii_lowercase()),
        false => hash(sign, name),
    }
}
