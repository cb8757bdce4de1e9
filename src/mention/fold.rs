//! Folding: the form of a text in which names are looked for, with the way back to the original.
//! NFKC (UAX #15), soft hyphens, joiners, direction marks and trade-mark signs left out,
//! apostrophes and hyphens unified, white space runs one space, and lower case if wanted.
//!
//! Must not know: brands, blocks.

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// A folded text and its map back.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    /// The folded characters.
    pub text: String,
    pieces: Vec<Piece>,
}

/// A stretch of the original and what became of it. What left nothing has no piece.
#[derive(Clone, Copy, Debug)]
struct Piece {
    folded: usize,
    folded_end: usize,
    start: usize,
    end: usize,
    /// Character by character of equal length, so that offsets within it correspond.
    linear: bool,
}

impl Folded {
    /// Byte offset in the original where the folded text from `at` on begins; `None` inside of
    /// something that folding cannot take apart (the "i" of a "ﬁ" ligature).
    pub fn start(&self, at: usize) -> Option<usize> {
        let next = self.pieces.partition_point(|p| p.folded <= at);
        let piece = self.pieces.get(next.checked_sub(1)?)?;
        if at == piece.folded {
            Some(piece.start)
        } else if piece.linear && at < piece.folded_end {
            Some(piece.start + (at - piece.folded))
        } else {
            None
        }
    }

    /// Byte offset in the original where the folded text up to `at` ends, likewise.
    pub fn end(&self, at: usize) -> Option<usize> {
        let next = self.pieces.partition_point(|p| p.folded < at);
        let piece = self.pieces.get(next.checked_sub(1)?)?;
        if at == piece.folded_end {
            Some(piece.end)
        } else if piece.linear && at < piece.folded_end {
            Some(piece.start + (at - piece.folded))
        } else {
            None
        }
    }

    fn push(&mut self, start: usize, end: usize, folded: usize, same_length_char: bool) {
        let folded_end = self.text.len();
        if folded == folded_end {
            return;
        }
        let linear = same_length_char && end - start == folded_end - folded;
        if let Some(last) = self.pieces.last_mut()
            && last.linear
            && linear
            && last.end == start
        {
            last.end = end;
            last.folded_end = folded_end;
        } else {
            self.pieces.push(Piece { folded, folded_end, start, end, linear });
        }
    }
}

/// Folds to lower case: what the automaton reads.
pub fn fold(text: &str) -> Folded {
    run(text, true)
}

/// Folds but keeps letter case: what exact aliases are compared in.
pub fn fold_cased(text: &str) -> String {
    run(text, false).text
}

fn run(text: &str, lower: bool) -> Folded {
    let mut out = Folded { text: String::with_capacity(text.len()), pieces: Vec::new() };
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        let folded = out.text.len();
        let mut end = start + first.len_utf8();
        let next = chars.peek().map(|&(_, c)| c);
        if next.is_none_or(begins_chunk) {
            // One character alone, by far the commonest case.
            if first.is_ascii() {
                put(first, lower, &mut out.text);
            } else if let Some(plain) = replacement(first) {
                put(plain, lower, &mut out.text);
            } else if is_nfkc_quick(std::iter::once(first)) == IsNormalized::Yes {
                put(first, lower, &mut out.text);
            } else {
                std::iter::once(first).nfkc().for_each(|c| put(c, lower, &mut out.text));
            }
            let single = {
                let mut produced = out.text.get(folded..).unwrap_or_default().chars();
                produced.next().is_some() && produced.next().is_none()
            };
            out.push(start, end, folded, single);
            continue;
        }
        while let Some((at, c)) = chars.next_if(|&(_, c)| !begins_chunk(c)) {
            end = at + c.len_utf8();
        }
        let chunk = text.get(start..end).unwrap_or_default();
        chunk.chars().map(|c| replacement(c).unwrap_or(c)).nfkc().for_each(|c| {
            put(c, lower, &mut out.text);
        });
        out.push(start, end, folded, false);
    }
    out
}

/// May `c` be normalised without looking at what stands before it? Then text can be cut there.
fn begins_chunk(c: char) -> bool {
    if c < '\u{300}' {
        return true;
    }
    let mut first = None;
    decompose_compatible(c, |d| {
        first.get_or_insert(d);
    });
    let first = first.unwrap_or(c);
    canonical_combining_class(c) == 0
        && canonical_combining_class(first) == 0
        && is_nfkc_quick(std::iter::once(first)) == IsNormalized::Yes
}

/// What is replaced before normalisation, since NFKC would make words of it or split it.
fn replacement(c: char) -> Option<char> {
    match c {
        '™' | '℠' | '®' => Some('\u{ad}'),
        '´' => Some('\''),
        _ => None,
    }
}

fn put(c: char, lower: bool, out: &mut String) {
    match c {
        // Soft hyphen, tatweel, joiners, zero-width spaces, direction marks, variation selectors.
        '\u{ad}'
        | '\u{640}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => {}
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '\u{2b9}' => out.push('\''),
        '\u{2010}'..='\u{2013}' | '\u{2212}' => out.push('-'),
        c if c.is_whitespace() => {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        }
        // Its full lower case is an "i" with a separate dot.
        'İ' if lower => out.push('i'),
        'ς' if lower => out.push('σ'),
        c if lower => out.extend(c.to_lowercase()),
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn folds() {
        fn check(text: &str, expect: &str) {
            assert_eq!(fold(text).text, expect);
        }
        check("Ｓｉｅｍｅｎｓ", "siemens");
        check("Sie\u{ad}mens", "siemens");
        check("Siemens\u{2019}s", "siemens's");
        check("Coca\u{2011}Cola\u{a0} \u{202f}Zero", "coca-cola zero");
        check("Cafe\u{301} ﬁn", "café fin");
        check("İstanbul ΟΔΟΣ", "istanbul οδοσ");
        check("Apple™ Music®", "apple music");
        check("ﾄﾖﾀ ﾎﾝﾀﾞ", "トヨタ ホンダ");
        check("삼성", "삼성");
        check("\u{1109}\u{1161}\u{11b7}", "삼");
        check("", "");
    }

    #[test]
    fn offsets_lead_back() {
        fn check(text: &str, word: &str, expect: Option<&str>) {
            let folded = fold(text);
            let at = folded.text.find(word).unwrap();
            let range = folded.start(at).zip(folded.end(at + word.len()));
            assert_eq!(range.map(|(a, b)| &text[a..b]), expect);
        }
        check("von Sie\u{ad}mens\u{ad} heute", "siemens", Some("Sie\u{ad}mens"));
        check("im Ｃafe\u{301} dort", "café", Some("Ｃafe\u{301}"));
        check("die ﬁnanz", "finanz", Some("ﬁnanz"));
        check("die ﬁnanz", "inanz", None);
        check("von ＡＢＣ公司", "b", Some("Ｂ"));
        check("ÄÖÜ Öl", "öl", Some("Öl"));
    }

    proptest! {
        #[test]
        fn agrees_with_whole_normalisation(text in "(\\PC|[a-zÄ가-힣\u{300}-\u{310}ﬁﾞﾊ\u{1161}\u{11a8}]){0,40}") {
            let expect: String = text.chars().map(|c| replacement(c).unwrap_or(c)).nfkc().collect();
            let mut whole = String::new();
            expect.chars().for_each(|c| put(c, false, &mut whole));
            prop_assert_eq!(fold_cased(&text), whole);
        }

        #[test]
        fn offsets_slice_at_characters(text in "(\\PC|[ aé\u{300}\u{ad}ﬁ ]){0,40}") {
            let folded = fold(&text);
            let bounds: Vec<usize> =
                folded.text.char_indices().map(|(i, _)| i).chain([folded.text.len()]).collect();
            for (i, &a) in bounds.iter().enumerate() {
                for &b in bounds.iter().skip(i + 1) {
                    if let (Some(start), Some(end)) = (folded.start(a), folded.end(b)) {
                        let slice = text.get(start..end);
                        prop_assert!(slice.is_some());
                        prop_assert_eq!(&fold(slice.unwrap()).text, &folded.text[a..b]);
                    }
                }
            }
        }
    }
}
