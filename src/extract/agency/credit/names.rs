//! The agencies' names, to be looked up, and which texts hold none. Must not know what a credit looks like.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use foldhash::fast::FixedState;

use super::LONGEST;
use crate::extract::agency::words::REPORTING;
use crate::extract::text::{ascii_end, is_alphanumeric};
use crate::model::agency::{AGENCIES, Agency};

/// Every short name, to the agency's.
pub(super) static SHORT: LazyLock<HashMap<&str, &'static str, FixedState>> = LazyLock::new(|| {
    let short = |agency: &'static Agency| agency.cased().map(|short| (short, agency.name));
    AGENCIES.iter().flat_map(short).collect()
});
/// Every full name in lower case, to the agency's; the longest first.
static FULL: LazyLock<Vec<(String, &'static str)>> = LazyLock::new(|| {
    let full =
        |agency: &'static Agency| agency.full.iter().map(|full| (full.to_lowercase(), agency.name));
    let mut all: Vec<_> = AGENCIES.iter().flat_map(full).collect();
    all.sort_by_key(|(full, _)| std::cmp::Reverse(full.len()));
    all
});

/// The same to be looked up, whole …
pub(super) static NAMED: LazyLock<HashMap<&str, &'static str, FixedState>> =
    LazyLock::new(|| FULL.iter().map(|(full, name)| (full.as_str(), *name)).collect());
/// … and where "press" may be missing; of two names that are then alike, the longer.
pub(super) static UNPRESSED: LazyLock<HashMap<&str, &'static str, FixedState>> =
    LazyLock::new(|| {
        let mut names = HashMap::default();
        for (full, name) in FULL.iter() {
            for full in full.strip_suffix(" press").into_iter().chain([full.as_str()]) {
                names.entry(full).or_insert(*name);
            }
        }
        names
    });
/// All of [`FULL`] in one search.
static FULL_NAMES: LazyLock<AhoCorasick> =
    LazyLock::new(|| automaton(FULL.iter().map(|(full, _)| full)));
/// A word of each name in lower case, letters and digits alone, and one of [`REPORTING`]. Other white space may
/// stand between words than in the lists, and "press" may be missing.
static NAMES: LazyLock<HashSet<Vec<u8>, FixedState>> = LazyLock::new(|| {
    let names =
        AGENCIES.iter().flat_map(|agency| agency.full.iter().copied().chain(agency.cased()));
    let word = |name: &str| {
        let words = name.split(|c| !is_alphanumeric(c));
        let telling = words.filter(|word| !word.eq_ignore_ascii_case("press"));
        telling.max_by_key(|word| word.len()).unwrap_or(name).to_lowercase().into_bytes()
    };
    names.chain(REPORTING).map(word).collect()
});

/// May it hold a credit at all: does it name an agency, or is it written as those of one are? All that
/// is asked of a single text here, but for datelines and ends of paragraphs, finds nothing in others.
pub fn speaks(text: &str) -> bool {
    if text.len() > LONGEST && text.chars().nth(LONGEST).is_some() {
        return false;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = ascii_end(rest, 0);
        if rest.get(length).is_none_or(u8::is_ascii) {
            if is_of_name(&rest[..length]) {
                return true;
            }
            at += length + 1;
            continue;
        }
        // The word goes on, or is parted by a character that is not of ASCII.
        let Some(rest) = text.get(at..) else { return false };
        let word = rest.split(|c| !is_alphanumeric(c)).next().unwrap_or(rest);
        let known = word.len() <= *LONGEST_NAME && {
            if word.is_ascii() {
                is_of_name(word.as_bytes())
            } else {
                NAMES.contains(word.to_lowercase().as_bytes())
            }
        };
        if known {
            return true;
        }
        at += word.len();
        at += text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    false
}

/// Is a word of ASCII letters and digits, in any case, one of [`NAMES`]?
fn is_of_name(word: &[u8]) -> bool {
    const LONGEST_WORD: usize = 32;
    // Most words begin otherwise, or are of another length.
    if word.len() >= LONGEST_WORD || BEGUN[begun(word)] >> word.len() & 1 == 0 {
        return false;
    }
    let mut lower = [0; LONGEST_WORD];
    let lower = &mut lower[..word.len()];
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    NAMES.contains(&*lower)
}

/// Bytes of the longest of [`NAMES`], and of a word that is as long in lower case.
static LONGEST_NAME: LazyLock<usize> =
    LazyLock::new(|| 2 * NAMES.iter().map(Vec::len).max().unwrap_or(0));

/// A number for the first two bytes of a word, letters of ASCII in either case.
fn begun(word: &[u8]) -> usize {
    let byte = |at: usize| word.get(at).map_or(0, |b| usize::from(b | 0x20));
    (byte(0) << 4 ^ byte(1)) % 512
}

/// Of each number of [`begun`], the lengths of the words of [`NAMES`] that begin so, as far as they are short.
static BEGUN: LazyLock<[u64; 512]> = LazyLock::new(|| {
    let mut lengths = [0; 512];
    for name in NAMES.iter().filter(|name| name.len() < u64::BITS as usize) {
        lengths[begun(name)] |= 1 << name.len();
    }
    lengths
});

/// The full names that a text has as whole words, the longest first.
pub(super) fn full_names(text: &str) -> Vec<&'static (String, &'static str)> {
    let found = FULL_NAMES.find_overlapping_iter(text);
    let bounded = found.filter(|found| is_bounded(text, found.range()));
    let mut names: Vec<usize> = bounded.map(|found| found.pattern().as_usize()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().filter_map(|name| FULL.get(name)).collect()
}

/// Bounds of words part agencies from what is around them.
fn is_bounded(text: &str, range: Range<usize>) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !letter(text[..range.start].chars().next_back()) && !letter(text[range.end..].chars().next())
}

/// All of these in one search, letters of ASCII in either case.
pub(super) fn automaton<P: AsRef<[u8]>>(words: impl IntoIterator<Item = P>) -> AhoCorasick {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .build(words)
        .expect("some hundred names make an automaton")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_name_speaks() {
        for agency in AGENCIES {
            for name in agency.full.iter().copied().chain(agency.cased()) {
                // Not every letter beyond ASCII comes back from upper case.
                let upper = name.to_ascii_uppercase();
                for text in [name.to_string(), format!("x ({name})"), upper] {
                    assert!(speaks(&text), "{text}");
                }
            }
        }
        assert!(speaks("Reporting by Ann Archer"));
        assert!(!speaks("The plant opened."));
    }

    proptest! {
        #[test]
        fn a_text_speaks_if_a_word_of_it_is_one_of_a_name(
            text in "((Reuters|DPA|ТАСС|тасс|新华社|Agência|agência|dpa|x|é|AFPé|éAFP|1|[A-Za-z]{1,40})[ /–，-]{0,2}){0,8}",
        ) {
            let mut words = text.split(|c| !is_alphanumeric(c));
            let naive = words.any(|word| NAMES.contains(word.to_lowercase().as_bytes()));
            prop_assert_eq!(speaks(&text), naive && text.chars().count() <= LONGEST);
        }
    }
}
