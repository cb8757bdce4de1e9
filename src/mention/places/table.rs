//! Names by the hash of their first word or first bytes, behind a filter (Bloom 1970) in which nearly
//! all other places of a text end.
//!
//! Must not know: how a text is cut into words.

use super::begins::Begins;
use super::{Shape, first_bytes};
use crate::mention::letters::{Joints, is_word, join};

/// What a name is looked up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// So many first bytes: one of [`PREFIXES`].
    Prefix(usize),
    /// Its first word, of so many bytes, which is one of the text; eight bytes of it at most.
    Word(usize),
}

/// Lengths of prefixes that are keys; of names in scripts of three bytes a character, whole ones.
const PREFIXES: &[usize] = &[1, 2, 3, 4, 6, 8];
const PREFIXES_OF_THREE: &[usize] = &[3, 6];

impl Key {
    fn of(name: &str, shape: Shape) -> Key {
        let joints = Joints::get();
        let mut chars = name.char_indices().map(|(at, c)| (at, joints.of(c)));
        let mut before = chars.next().map_or(0, |first| first.1);
        if before == 0 || shape.open || shape.inner {
            let three = name.starts_with(|c: char| c.len_utf8() == 3);
            let lengths = if three { PREFIXES_OF_THREE } else { PREFIXES };
            return Key::Prefix(lengths.iter().copied().rfind(|n| *n <= name.len()).unwrap_or(1));
        }
        let end = chars.find(|(_, next)| !join(std::mem::replace(&mut before, *next), *next));
        Key::Word(end.map_or(name.len(), |end| end.0))
    }

    /// Hashes this key of a text that begins with the eight bytes, the first lowest.
    #[inline]
    fn hash(self, first: u64) -> u64 {
        let (length, factor) = match self {
            Key::Prefix(length) => (length, 0x9e37_79b9_7f4a_7c15),
            Key::Word(length) => (length, 0xd6e8_feb8_6659_fd93_u64),
        };
        let key = first & u64::MAX >> (64 - 8 * length.min(8));
        // Both halves of a product: each bit depends on all bits of the key.
        let product = u128::from(key) * u128::from(factor);
        (product >> 64) as u64 ^ product as u64
    }
}

/// A name in its slot.
#[derive(Clone, Debug)]
struct Name {
    hash: u64,
    key: Key,
    number: usize,
    text: Box<[u8]>,
    /// The longest other name of the same key that this one begins with: its place in the slot.
    shorter: Option<u32>,
}

/// Names by the hash of their keys.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// By slot, then by hash, then by text.
    names: Vec<Name>,
    /// Where each slot begins, and where the last one ends.
    slots: Vec<u32>,
    /// By slot, two bits for each of its hashes: most places of a text end here.
    filter: Vec<u64>,
    /// How many bits of a hash, the highest ones, are its slot.
    bits: u32,
    /// By the class of a name's first byte, the lengths of prefixes in use, and whether words are.
    prefixes: [Vec<usize>; 4],
    words: [bool; 4],
    /// Some name begins with an ASCII character that is no letter.
    odd: bool,
}

impl Table {
    pub(super) fn new<'a>(names: impl Iterator<Item = (usize, &'a str, Shape)>) -> Table {
        let names: Vec<(usize, &str, Shape)> = names.collect();
        // At most two names a slot, on average.
        let bits = names.len().div_ceil(2).next_power_of_two().trailing_zeros().clamp(4, 24);
        let mut filter = vec![0; 1 << bits];
        let mut prefixes = [const { Vec::new() }; 4];
        let mut words = [false; 4];
        let mut odd = false;
        let mut sorted = Vec::new();
        for (number, text, shape) in names {
            let key = Key::of(text, shape);
            let first = first_bytes(text.as_bytes(), 0);
            let hash = key.hash(first);
            if let Some(word) = filter.get_mut((hash >> (64 - bits)) as usize) {
                *word |= two_bits(hash);
            }
            let class = class(first as u8);
            match key {
                Key::Prefix(length) if prefixes[class].contains(&length) => {}
                Key::Prefix(length) => prefixes[class].push(length),
                Key::Word(_) => words[class] = true,
            }
            odd |= text.starts_with(|c: char| c.is_ascii() && !is_word(c));
            sorted.push((hash, key, text.as_bytes(), number));
        }
        sorted.sort_unstable();
        let mut slots = Vec::with_capacity((1 << bits) + 1);
        let mut names: Vec<Name> = Vec::with_capacity(sorted.len());
        let mut rest = sorted.as_slice();
        for slot in 0..1 << bits {
            let start = names.len();
            slots.push(start as u32);
            let (own, others) =
                rest.split_at(rest.partition_point(|name| name.0 >> (64 - bits) == slot));
            rest = others;
            for &(hash, key, text, number) in own {
                // What this name begins with is the one before it, or what that one begins with.
                let mut shorter = names.len().checked_sub(start + 1).map(|n| n as u32);
                while let Some(other) = shorter.and_then(|n| names.get(start + n as usize)) {
                    if other.key == key && text.starts_with(&other.text) {
                        break;
                    }
                    shorter = other.shorter;
                }
                names.push(Name { hash, key, number, text: text.into(), shorter });
            }
        }
        slots.push(names.len() as u32);
        Table { names, slots, filter, bits, prefixes, words, odd }
    }

    /// Where a name of the table may begin.
    pub(super) fn worth(&self, begins: &Begins) -> u64 {
        let used = |class: usize| self.words[class] || !self.prefixes[class].is_empty();
        let ascii = match (used(0), self.odd) {
            (false, _) => 0,
            (_, false) => begins.letters,
            (_, true) => begins.chars & !begins.others,
        };
        ascii | if (1..4).any(used) { begins.others } else { 0 }
    }

    /// All names that stand in `text` at `at`, where a word begins that ends at `end`.
    #[inline]
    pub(super) fn at(
        &self,
        text: &str,
        at: usize,
        end: usize,
        found: &mut impl FnMut(usize, usize, usize),
    ) {
        let first = first_bytes(text.as_bytes(), at);
        let class = class(first as u8);
        if self.words[class] {
            let key = Key::Word(end - at);
            let hash = key.hash(first);
            if let Some(slot) = self.slot(hash) {
                self.in_slot(slot, hash, key, text.as_bytes(), at, found);
            }
        }
        self.by_prefix(text.as_bytes(), at, first, &self.prefixes[class], found);
    }

    /// All names with a prefix as key that stand in `text` at the `places` behind `start`.
    pub(super) fn each(
        &self,
        text: &str,
        start: usize,
        mut places: u64,
        found: &mut impl FnMut(usize, usize, usize),
    ) {
        while places != 0 {
            let at = start + places.trailing_zeros() as usize;
            places &= places - 1;
            let first = first_bytes(text.as_bytes(), at);
            let lengths = &self.prefixes[class(first as u8)];
            self.by_prefix(text.as_bytes(), at, first, lengths, found);
        }
    }

    #[inline]
    fn by_prefix(
        &self,
        text: &[u8],
        at: usize,
        first: u64,
        lengths: &[usize],
        found: &mut impl FnMut(usize, usize, usize),
    ) {
        for length in lengths {
            let key = Key::Prefix(*length);
            let hash = key.hash(first);
            if let Some(slot) = self.slot(hash) {
                self.in_slot(slot, hash, key, text, at, found);
            }
        }
    }

    /// The slot of a hash that may be in use.
    #[inline]
    fn slot(&self, hash: u64) -> Option<usize> {
        let slot = (hash >> (64 - self.bits)) as usize;
        let (word, bits) = (self.filter.get(slot)?, two_bits(hash));
        (word & bits == bits).then_some(slot)
    }

    #[inline(never)]
    fn in_slot(
        &self,
        slot: usize,
        hash: u64,
        key: Key,
        text: &[u8],
        at: usize,
        found: &mut impl FnMut(usize, usize, usize),
    ) {
        let bounds = self.slots.get(slot).zip(self.slots.get(slot + 1));
        let names = bounds.and_then(|(a, b)| self.names.get(*a as usize..*b as usize));
        let (names, rest) = (names.unwrap_or_default(), text.get(at..).unwrap_or_default());
        let Some(start) = names.iter().position(|name| name.hash == hash) else { return };
        // All names that `rest` begins with begin the last one of their key that sorts before it.
        let before = |name: &Name| name.hash == hash && (name.key, &*name.text) <= (key, rest);
        let count = names.get(start..).unwrap_or_default().partition_point(before);
        let mut last = (start + count).checked_sub(1);
        while let Some(name) =
            last.and_then(|n| names.get(n)).filter(|name| (name.hash, name.key) == (hash, key))
        {
            if rest.starts_with(&name.text) {
                found(name.number, at, at + name.text.len());
            }
            last = name.shorter.map(|n| n as usize);
        }
    }
}

/// Two bits of a word of the filter (Putze, Sanders & Singler 2007, §3).
fn two_bits(hash: u64) -> u64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63)
}

/// How many bytes follow the first one of a character.
fn class(first: u8) -> usize {
    match first {
        ..0xc0 => 0,
        0xc0..0xe0 => 1,
        0xe0..0xf0 => 2,
        0xf0.. => 3,
    }
}
