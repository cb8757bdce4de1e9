//! Counts of brand names in a text, for mention F1: case-sensitive whole words, the longest name
//! wins, no overlap; names in scripts without spaces count wherever they stand.
//!
//! Deliberately simpler than the product's matcher, so that it can judge it. The list is a text
//! file: one name a line, `#` starts a comment line. Must not know: pages, corpora, labelers.

use std::collections::{BTreeMap, HashMap};

use aho_corasick::{AhoCorasick, MatchKind};
use anyhow::{Result, bail};
use unicode_normalization::UnicodeNormalization;

use super::overlap::Counts;
use super::tokens;
use crate::dedupe::similarity::is_word;
use crate::model::is_spaceless;

/// A list of names ready for counting.
pub struct Brands {
    /// First word → names that start with it, longest first.
    spaced: HashMap<String, Vec<String>>,
    spaceless: Vec<String>,
    automaton: Option<AhoCorasick>,
}

impl Brands {
    /// Reads the list format: one name a line, empty lines and `#` lines left out.
    ///
    /// # Errors
    /// Names a line whose name begins with no letter or digit: such names are not counted.
    pub fn parse(list: &str) -> Result<Brands> {
        let mut names: Vec<String> = Vec::new();
        for (at, line) in list.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let name = normalise(line);
            if !name.chars().any(is_spaceless) && !name.starts_with(is_token) {
                bail!("line {}: `{name}` begins with no letter or digit", at + 1);
            }
            names.push(name);
        }
        names.sort_by_key(|n| std::cmp::Reverse(n.chars().count()));
        names.dedup();
        let (spaceless, rest): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|n| n.chars().any(is_spaceless));
        let mut spaced: HashMap<String, Vec<String>> = HashMap::new();
        for name in rest {
            let first: String = name.chars().take_while(|c| is_token(*c)).collect();
            spaced.entry(first).or_default().push(name);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&spaceless)
            .ok()
            .filter(|_| !spaceless.is_empty());
        Ok(Brands { spaced, spaceless, automaton })
    }

    /// Name → occurrences, names that do not occur left out.
    pub fn count(&self, text: &str) -> BTreeMap<&str, u64> {
        let text = normalise(text);
        let mut counts = BTreeMap::new();
        if let Some(automaton) = &self.automaton {
            for m in automaton.find_iter(&text) {
                *counts.entry(self.spaceless[m.pattern().as_usize()].as_str()).or_insert(0) += 1;
            }
        }
        let text = blank_spaceless(&text);
        let mut free = 0;
        let mut before = None;
        let mut chars = text.char_indices().peekable();
        while let Some((start, c)) = chars.next() {
            if !is_token(c) {
                before = Some(c);
                continue;
            }
            while chars.next_if(|(_, c)| is_token(*c)).is_some() {}
            let end = chars.peek().map_or(text.len(), |(i, _)| *i);
            if start >= free
                && before != Some('_')
                && let Some(names) = self.spaced.get(&text[start..end])
                && let Some(name) = names.iter().find(|n| stands(n, &text[start..]))
            {
                *counts.entry(name.as_str()).or_insert(0) += 1;
                free = start + name.len();
            }
            before = Some(c);
        }
        counts
    }
}

/// Does `text` start with the name as a whole word?
fn stands(name: &str, text: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| {
        !(rest.chars().next().is_some_and(is_word)
            && name.chars().next_back().is_some_and(is_token))
    })
}

/// Mentions in the prediction against the gold, by name, and the same for "page names it at all".
pub fn compare(gold: &BTreeMap<&str, u64>, predicted: &BTreeMap<&str, u64>) -> (Counts, Counts) {
    let (mut mentions, mut pages) = (Counts::default(), Counts::default());
    for name in gold.keys().chain(predicted.keys().filter(|n| !gold.contains_key(*n))) {
        let (g, p) = (gold.get(name).copied(), predicted.get(name).copied());
        let (x, y) = (g.unwrap_or(0), p.unwrap_or(0));
        mentions += Counts { tp: x.min(y), fp: y.saturating_sub(x), fn_: x.saturating_sub(y) };
        pages +=
            Counts { tp: u64::from(x > 0 && y > 0), fp: u64::from(x == 0), fn_: u64::from(y == 0) };
    }
    (mentions, pages)
}

fn is_token(c: char) -> bool {
    c != '_' && is_word(c)
}

fn normalise(text: &str) -> String {
    let folded = text.nfc().filter(|c| *c != '\u{ad}').map(|c| match c {
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{2010}' | '\u{2011}' => '-',
        '\u{a0}' => ' ',
        c => c,
    });
    tokens::collapse(folded)
}

/// Each run of a spaceless script becomes one space ("Apple公司" still names Apple).
fn blank_spaceless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        let spaceless = is_spaceless(c);
        if !spaceless {
            out.push(c);
        } else if !inside {
            out.push(' ');
        }
        inside = spaceless;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# ours\nNord\nNord Bank\nO'Neil\nAT&T\nYahoo!\n北银\n北银集团\n";

    #[test]
    fn whole_words_longest_first() {
        let brands = Brands::parse(LIST).expect("names");
        let check = |text: &str, expect: &[(&str, u64)]| {
            let got: Vec<_> = brands.count(text).into_iter().collect();
            assert_eq!(got, expect, "{text}");
        };
        check("Nord, Nord Bank and Nord-Chef", &[("Nord", 2), ("Nord Bank", 1)]);
        check("Nordic nord NORD _Nord Nord_", &[]);
        check("Nord  \u{a0}Bank", &[("Nord Bank", 1)]);
        check("O’Neil's AT&T", &[("AT&T", 1), ("O'Neil", 1)]);
        check("Yahoo!s", &[("Yahoo!", 1)]);
        check("北银集团和北银 Nord公司", &[("Nord", 1), ("北银", 1), ("北银集团", 1)]);
        check("", &[]);
    }

    #[test]
    fn names_that_could_not_be_counted_are_refused() {
        for (list, words) in
            [("# ours\nNord\n\n.NET\n", "line 4: `.NET`"), ("_Nord", "line 1: `_Nord`")]
        {
            let error = Brands::parse(list).err().expect("a bad name").to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn compare_counts_both_ways() {
        let brands = Brands::parse(LIST).expect("names");
        let (gold, predicted) = (brands.count("Nord Nord AT&T"), brands.count("Nord Yahoo!"));
        let (mentions, pages) = compare(&gold, &predicted);
        assert_eq!(mentions, Counts { tp: 1, fp: 1, fn_: 2 });
        assert_eq!(pages, Counts { tp: 1, fp: 1, fn_: 1 });
    }
}
