//! Names of elements, to tell quickly which rules cannot match any of them.
//!
//! Must not know: rules, declarations.

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::selector::{Last, hash};

/// The classes in each class attribute of a page ([`Dom::class_list`]), in numbers ([`hash`]).
#[derive(Default)]
pub(super) struct Classes {
    hashes: Vec<u64>,
    /// Where those of each attribute end.
    ends: Vec<u32>,
}

impl Classes {
    pub fn of(dom: &Dom) -> Classes {
        let count = dom.class_lists();
        let (mut hashes, mut ends) = (Vec::with_capacity(4 * count), Vec::with_capacity(count));
        for list in 0..count {
            let text = dom.classes(list).unwrap_or_default();
            let bytes = text.as_bytes();
            let is_space = |at: usize| bytes[at] <= b' ' && bytes[at].is_ascii_whitespace();
            let mut at = 0;
            while at < bytes.len() {
                let start = at;
                while at < bytes.len() && !is_space(at) {
                    at += 1;
                }
                if start < at {
                    hashes.push(hash(b'.', &text[start..at]));
                }
                at += 1;
            }
            ends.push(hashes.len() as u32);
        }
        Classes { hashes, ends }
    }

    /// Those of the attribute of this number.
    #[inline]
    pub fn of_list(&self, list: usize) -> &[u64] {
        let start = list.checked_sub(1).and_then(|before| self.ends.get(before));
        let end = self.ends.get(list).copied().unwrap_or(0);
        self.hashes.get(start.copied().unwrap_or(0) as usize..end as usize).unwrap_or_default()
    }
}

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

    /// All names of all elements of a page.
    pub fn of_all(dom: &Dom, classes: &Classes) -> Names {
        let mut names = Names::default();
        classes.hashes.iter().for_each(|hash| names.put(*hash));
        // Most elements have a tag that others have.
        let mut tags: Vec<bool> = Vec::new();
        for id in 0..dom.nodes.len() as Id {
            let Some(element) = dom.element(id) else { continue };
            let number = element.tag.index();
            if tags.len() <= number {
                tags.resize(number + 1, false);
            }
            if !std::mem::replace(&mut tags[number], true) {
                names.put(hash(b' ', dom.name(id)));
            }
            if let Some(named) = element.value(name!("id")) {
                names.put(hash(b'#', &named));
            }
        }
        names
    }

    /// All names of these elements.
    pub fn of(dom: &Dom, classes: &Classes, elements: &[Id]) -> Names {
        let mut names = Names::default();
        for &id in elements {
            classes.of_list(dom.class_list(id)).iter().for_each(|hash| names.put(*hash));
            if let Some(named) = dom.value(id, name!("id")) {
                names.put(hash(b'#', &named));
            }
            names.put(hash(b' ', dom.name(id)));
        }
        names
    }

    /// These classes.
    pub fn of_classes<'c>(classes: impl Iterator<Item = &'c str>) -> Names {
        let mut names = Names::default();
        classes.for_each(|class| names.put(hash(b'.', class)));
        names
    }

    /// Adds the name that a selector asks of an element, or all.
    pub fn add_last(&mut self, asked: Last<'_>) {
        match asked {
            Last::Never => {}
            Last::Any => self.0 = [u64::MAX; 512],
            Last::Name(sign, name) => self.put(hash_of(sign, &name)),
        }
    }

    /// May the name with this number be one of them?
    #[inline]
    pub fn may_hold(&self, hash: u64) -> bool {
        Names::bits(hash).into_iter().all(|(word, bit)| self.0[word] & bit != 0)
    }

    /// May an element have one of the names?
    pub fn may_have(&self, dom: &Dom, id: Id) -> bool {
        let has = |hash| self.may_hold(hash);
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
            Last::Name(sign, name) => self.may_hold(hash_of(sign, &name)),
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
