//! How two texts are worded: what they say in the same order, beyond using the same words. Shingles
//! (Broder 1997, resemblance and containment) tell a copy from another text made of the same words; order
//! tells it from the same lines sorted anew; names and numbers tell it from another report of the same
//! pattern.
//!
//! Must not know: term frequencies, marks, what is decided from it.

use super::similarity::{is_word, short};
use crate::model::is_spaceless;

/// Terms in a row that make a shingle.
const SHINGLE: usize = 3;

/// The terms of a text in their order, and its names and numbers.
///
/// Both are kept as 16 bits each. Two terms are taken for one with probability 2^-16, two shingles with
/// 2^-48.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    pub(super) trail: Box<[u16]>,
    /// Ascending, each as often as it stands there.
    pub(super) particulars: Box<[u16]>,
}

impl Wording {
    /// The wording of `text`, whose terms in order have these hashes.
    pub(super) fn of(text: &str, terms: &[u64]) -> Wording {
        let mut particulars = particulars(text);
        particulars.sort_unstable();
        Wording {
            trail: terms.iter().map(|term| short(*term)).collect(),
            particulars: particulars.into(),
        }
    }

    /// Names and numbers of the text with fewer of them, and the share of these that the other text has, as
    /// often.
    pub(super) fn particulars_of(&self, other: &Wording) -> (usize, f64) {
        let (a, b) = (&self.particulars, &other.particulars);
        let fewer = a.len().min(b.len());
        (fewer, share(common(a, b), fewer))
    }

    /// Names and numbers for each term.
    pub(super) fn density(&self) -> f64 {
        self.particulars.len() as f64 / self.trail.len().max(1) as f64
    }

    /// Each shingle, from the first to the last.
    fn runs(&self) -> impl Iterator<Item = u64> {
        let length = SHINGLE.min(self.trail.len()).max(1);
        let shingle = |run: &[u16]| run.iter().fold(1, |all, term| all << 16 | u64::from(*term));
        self.trail.windows(length).map(shingle)
    }

    /// The shingles, ascending. Sorted, not hashed: whoever writes the text chooses the shingles, and no choice
    /// makes this slow.
    pub(super) fn shingles(&self) -> Shingles {
        let mut shingles: Vec<u64> = self.runs().collect();
        shingles.sort_unstable();
        shingles.dedup();
        Shingles(shingles)
    }

    /// The shingles that stand there once, ascending, with their places.
    fn places(&self) -> Vec<(u64, u32)> {
        let mut places: Vec<(u64, u32)> = self.runs().zip(0..).collect();
        places.sort_unstable();
        places
            .chunk_by(|a, b| a.0 == b.0)
            .filter_map(|run| <[_; 1]>::try_from(run).ok())
            .map(|[place]| place)
            .collect()
    }

    /// Share of the common shingles that stand in the same order in both; of those that stand once in each.
    pub(super) fn order(&self, other: &Wording) -> f64 {
        let (ours, theirs) = (self.places(), other.places());
        let (mut i, mut j) = (0, 0);
        let mut once = Vec::new();
        while let (Some((here, place)), Some((there, other))) = (ours.get(i), theirs.get(j)) {
            if here == there {
                once.push((*place, *other));
            }
            i += usize::from(here <= there);
            j += usize::from(there <= here);
        }
        once.sort_unstable();
        share(ascending(once.iter().map(|(_, there)| *there)), once.len())
    }
}

/// The shingles of a text, each once, ascending.
#[derive(Clone, Debug)]
pub(super) struct Shingles(Vec<u64>);

impl Shingles {
    /// Share of the shingles of the text with fewer of them that the other one has (containment).
    pub(super) fn shared(&self, other: &Shingles) -> f64 {
        share(common(&self.0, &other.0), self.0.len().min(other.0.len()))
    }
}

/// The shingles of a text that many others are compared with, laid out to be looked up: those of the others need
/// not be sorted then. Who writes the texts may crowd the slots; then a look takes as long as in a sorted list.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    shingles: Shingles,
    /// Of each slot the shingle that is alone in it, [`EMPTY`] or [`CROWDED`].
    slots: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;
const CROWDED: u32 = u32::MAX - 1;

/// A slot out of `slots`, a power of two of at most 2^32.
fn slot(shingle: u64, slots: usize) -> usize {
    // Fibonacci hashing (Knuth, TAOCP 3, §6.4): the upper bits of a product.
    (shingle.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (slots - 1)
}

impl Lookup {
    pub(super) fn new(shingles: Shingles) -> Lookup {
        let mut slots = vec![EMPTY; (4 * shingles.0.len()).next_power_of_two()];
        let count = slots.len();
        for (index, shingle) in (0u32..CROWDED).zip(&shingles.0) {
            if let Some(held) = slots.get_mut(slot(*shingle, count)) {
                *held = if *held == EMPTY { index } else { CROWDED };
            }
        }
        Lookup { shingles, slots }
    }

    /// Which of the shingles it is.
    fn find(&self, shingle: u64) -> Option<usize> {
        match *self.slots.get(slot(shingle, self.slots.len()))? {
            EMPTY => None,
            CROWDED => self.shingles.0.binary_search(&shingle).ok(),
            index => {
                (self.shingles.0.get(index as usize) == Some(&shingle)).then_some(index as usize)
            }
        }
    }

    /// Does the text with fewer shingles share so many with the other, as [`Shingles::shared`] has it? Others are
    /// counted, each once, as far as it takes to tell.
    pub(super) fn share(&self, other: &Wording, least: f64) -> bool {
        const BITS: usize = 1 << 13;
        let mut seen = vec![false; self.shingles.0.len()];
        let (mut common, mut misses) = (0, 0);
        // The misses that are not each other's copies are as many as the bits that they set, or more.
        let mut bits = [0u64; BITS / 64];
        for shingle in other.runs() {
            match self.find(shingle) {
                Some(index) => common += usize::from(!std::mem::replace(&mut seen[index], true)),
                None => {
                    let bit = slot(shingle, BITS);
                    bits[bit / 64] |= 1 << (bit % 64);
                    misses += 1;
                }
            }
        }
        let distinct: u32 = bits.iter().map(|word| word.count_ones()).sum();
        let of = |misses: usize| share(common, self.shingles.0.len().min(common + misses));
        let (low, high) = (of(misses), of(distinct as usize));
        low >= least || high >= least && self.shingles.shared(&other.shingles()) >= least
    }
}

/// 1 of nothing.
fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 1.0 } else { part as f64 / all as f64 }
}

/// How many two ascending lists have in common.
fn common<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        common += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    common
}

/// Length of the longest ascending part of a sequence of different numbers (Schensted 1961).
fn ascending(numbers: impl Iterator<Item = u32>) -> usize {
    // At n: the least number that an ascending part of length n + 1 can end with.
    let mut ends: Vec<u32> = Vec::new();
    for number in numbers {
        let at = ends.partition_point(|end| *end < number);
        match ends.get_mut(at) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    ends.len()
}

/// Names and numbers in the order of the text: runs of digits, and words with a capital letter that do not
/// begin a sentence. In scripts without capitals only numbers and what is written in others are found.
fn particulars(text: &str) -> Vec<u16> {
    let mut found = Vec::new();
    let mut begins = true;
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        if !is_word(first) || is_spaceless(first) {
            begins = match first {
                '.' | '!' | '?' | ':' | '\n' | '。' | '！' | '？' => true,
                _ if is_spaceless(first) => false,
                _ => begins,
            };
            continue;
        }
        let mut word = String::from(first);
        while let Some(c) = chars.next_if(|c| is_word(*c) && !is_spaceless(*c)) {
            word.push(c);
        }
        let number = word.chars().all(char::is_numeric);
        let name = first.is_uppercase() && !begins && word.len() > first.len_utf8();
        if number || name {
            found.push(short(super::similarity::hash(word.to_lowercase().chars()).0));
        }
        begins = false;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::similarity::terms_of;
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Wording {
        Wording::of(text, &terms_of(text))
    }

    /// Shared shingles, their order, names and numbers, and how many of these agree.
    fn like(a: &str, b: &str) -> (f64, f64, usize, f64) {
        let (a, b) = (of(a), of(b));
        let both = |a: &Wording, b: &Wording| {
            let (particulars, agreed) = a.particulars_of(b);
            (a.shingles().shared(&b.shingles()), a.order(b), particulars, agreed)
        };
        assert_eq!(both(&a, &b), both(&b, &a));
        both(&a, &b)
    }

    proptest! {
        /// Few different words, so that shingles come again; and all in one slot.
        #[test]
        fn looking_up_is_as_comparing(
            ours in prop::collection::vec(0u16..4, 0..60),
            theirs in prop::collection::vec(0u16..5, 0..60),
            least in prop_oneof![Just(0.0), Just(1.0), 0.0f64..1.0],
            crowded: bool,
        ) {
            let of = |trail: Vec<u16>| Wording { trail: trail.into(), particulars: Box::default() };
            let (ours, theirs) = (of(ours), of(theirs));
            let mut lookup = Lookup::new(ours.shingles());
            if crowded {
                lookup.slots.fill(CROWDED);
            }
            let shared = ours.shingles().shared(&theirs.shingles());
            prop_assert_eq!(lookup.share(&theirs, least), shared >= least);
            prop_assert!(lookup.share(&theirs, shared));
        }
    }

    #[test]
    fn names_and_numbers_are_told() {
        let check =
            |text: &str, expect: usize| assert_eq!(particulars(text).len(), expect, "{text}");
        check("On Monday the wind in Ashford reached 40.5 knots.", 4);
        check("Monday was mild. Tuesday was not: Wednesday will be.", 0);
        check("气温最高12度，最低3度，东京NHK", 3);
        check("कल 35 डिग्री और 4 घंटे", 2);
        check("A B c", 0);
    }

    #[test]
    fn likeness_of_copies_patterns_and_lists() {
        let text =
            "The council of Ashford voted on Tuesday to close 3 of its 14 libraries in Kelby";
        assert_eq!(like(text, text), (1.0, 1.0, 5, 1.0));
        let other =
            "The council of Thornby voted on Friday to close 5 of its 11 libraries in Wexley";
        let (shared, _, _, agreed) = like(text, other);
        assert!(shared < 0.3 && agreed == 0.0, "{shared} {agreed}");
        let (ab, ba) = ("one two three four five six", "four five six one two three");
        assert_eq!(like(ab, ba).1, 0.5);
        assert_eq!(like("東京で地震がありました", "昨日東京で地震がありました").0, 1.0);
        assert_eq!(like("", "").0, 1.0);
    }

    proptest! {
        #[test]
        fn shingles_are_those_of_a_map(text in "[ab ]{0,60}") {
            let wording = of(&text);
            let length = SHINGLE.min(wording.trail.len()).max(1);
            let mut naive = std::collections::BTreeMap::new();
            for (place, run) in wording.trail.windows(length).enumerate() {
                let places: &mut Vec<u32> = naive.entry(run.to_vec()).or_default();
                places.push(place as u32);
            }
            prop_assert_eq!(wording.shingles().0.len(), naive.len());
            let once: Vec<u32> =
                naive.into_values().filter(|at| at.len() == 1).flatten().collect();
            let found: Vec<u32> = wording.places().into_iter().map(|(_, at)| at).collect();
            prop_assert_eq!(found, once);
        }

        #[test]
        fn the_longest_ascending_part_is_found(numbers in prop::collection::hash_set(0u32..40, 0..9)) {
            let numbers: Vec<u32> = numbers.into_iter().collect();
            let naive = (0u32..1 << numbers.len()).filter_map(|chosen| {
                let part: Vec<u32> = numbers.iter().enumerate()
                    .filter(|(n, _)| chosen >> n & 1 == 1).map(|(_, number)| *number).collect();
                part.is_sorted().then_some(part.len())
            });
            prop_assert_eq!(ascending(numbers.iter().copied()), naive.max().unwrap_or(0));
        }

        #[test]
        fn shares_are_shares(a in "[a-d 0-9A-C.]{0,80}|\\PC{0,60}", b in "[a-d 0-9A-C.]{0,80}") {
            let both = like(&a, &b);
            for share in [both.0, both.1, both.3] {
                prop_assert!((0.0..=1.0).contains(&share));
            }
        }
    }
}
