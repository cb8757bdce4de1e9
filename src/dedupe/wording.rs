//! How two texts are worded: what they say in the same order, beyond using the same words. Shingles
//! (Broder 1997, resemblance and containment) tell a copy from another text made of the same words; order
//! tells it from the same lines sorted anew; names and numbers tell it from another report of the same
//! pattern.
//!
//! Must not know: term frequencies, marks, what is decided from it.

use super::similarity::{is_spaceless, is_word, short};

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

/// How far two texts are worded alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// Share of the shingles of the text with fewer of them that the other one has (containment).
    pub shared: f64,
    /// Share of the common shingles that stand in the same order in both.
    pub order: f64,
    /// Names and numbers of the text with fewer of them.
    pub particulars: usize,
    /// Share of these that the other text has, as often.
    pub agreed: f64,
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

    /// The shingles, ascending, with the place of each that stands there once; the others at `None`. Sorted, not
    /// hashed: whoever writes the text chooses the shingles, and no choice makes this slow.
    fn shingles(&self) -> Vec<(u64, Option<u32>)> {
        let length = SHINGLE.min(self.trail.len()).max(1);
        let shingle = |run: &[u16]| run.iter().fold(1, |all, term| all << 16 | u64::from(*term));
        let runs = self.trail.windows(length).map(shingle);
        let mut places: Vec<(u64, Option<u32>)> =
            runs.zip(0u32..).map(|(shingle, place)| (shingle, Some(place))).collect();
        places.sort_unstable();
        places.dedup_by(|next, kept| {
            let again = next.0 == kept.0;
            if again {
                kept.1 = None;
            }
            again
        });
        places
    }
}

/// Compares two wordings; symmetric.
pub fn compare(a: &Wording, b: &Wording) -> Likeness {
    let (ours, theirs) = (a.shingles(), b.shingles());
    let fewer = ours.len().min(theirs.len());
    let (mut i, mut j, mut common) = (0, 0, 0usize);
    let mut once = Vec::new();
    while let (Some((here, place)), Some((there, other))) = (ours.get(i), theirs.get(j)) {
        if here == there {
            common += 1;
            once.extend((*place).zip(*other));
        }
        i += usize::from(here <= there);
        j += usize::from(there <= here);
    }
    once.sort_unstable();
    let (particulars, agreed) = common_of(&a.particulars, &b.particulars);
    Likeness {
        shared: share(common, fewer),
        order: share(ascending(once.iter().map(|(_, there)| *there)), once.len()),
        particulars,
        agreed,
    }
}

/// 1 of nothing.
fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 1.0 } else { part as f64 / all as f64 }
}

/// How many the smaller of two ascending lists has, and the share of it that the other has, too.
fn common_of(a: &[u16], b: &[u16]) -> (usize, f64) {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        common += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    let fewer = a.len().min(b.len());
    (fewer, share(common, fewer))
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

    fn like(a: &str, b: &str) -> Likeness {
        let both = compare(&of(a), &of(b));
        assert_eq!(both, compare(&of(b), &of(a)));
        both
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
        assert_eq!(
            like(text, text),
            Likeness { shared: 1.0, order: 1.0, particulars: 5, agreed: 1.0 }
        );
        let other =
            "The council of Thornby voted on Friday to close 5 of its 11 libraries in Wexley";
        let likeness = like(text, other);
        assert!(likeness.shared < 0.3 && likeness.agreed == 0.0, "{likeness:?}");
        let (ab, ba) = ("one two three four five six", "four five six one two three");
        assert_eq!(like(ab, ba).order, 0.5);
        assert_eq!(like("東京で地震がありました", "昨日東京で地震がありました").shared, 1.0);
        assert_eq!(like("", "").shared, 1.0);
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
            let naive: Vec<Option<u32>> =
                naive.into_values().map(|at| if at.len() == 1 { Some(at[0]) } else { None }).collect();
            let found: Vec<Option<u32>> = wording.shingles().into_iter().map(|(_, at)| at).collect();
            prop_assert_eq!(found, naive);
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
            for share in [both.shared, both.order, both.agreed] {
                prop_assert!((0.0..=1.0).contains(&share));
            }
        }
    }
}
