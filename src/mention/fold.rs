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
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let plain = plain_run(rest);
        if plain > 0 {
            let folded = out.text.len();
            out.text.push_str(rest.get(..plain).unwrap_or_default());
            if lower {
                out.text.get_mut(folded..).unwrap_or_default().make_ascii_lowercase();
            }
            out.push(start, start + plain, folded, true);
            start += plain;
            continue;
        }
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { break };
        let mut end = start + first.len_utf8();
        let mut alone = true;
        for c in chars.take_while(|c| !begins_chunk(*c)) {
            alone = false;
            end += c.len_utf8();
        }
        let folded = out.text.len();
        if alone && is_stable(replacement(first)) {
            put(replacement(first), lower, &mut out.text);
        } else {
            let chunk = text.get(start..end).unwrap_or_default();
            chunk.chars().map(replacement).nfkc().for_each(|c| put(c, lower, &mut out.text));
        }
        let mut produced = out.text.get(folded..).unwrap_or_default().chars();
        let single = produced.next().is_some() && produced.next().is_none();
        out.push(start, end, folded, alone && single);
        start = end;
    }
    out
}

/// Bytes at the beginning of `text` that fold to themselves but for ASCII letter case: no
/// character that changes, vanishes or can be changed by the one behind it.
fn plain_run(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut length = 0;
    while let Some(&byte) = bytes.get(length) {
        let next = bytes.get(length + 1);
        // Two spaces are one; all other white space becomes a space.
        let plain = byte > b' ' && byte < 0x7f
            || byte == b' ' && length > 0 && next.is_some_and(|n| *n > b' ' && *n < 0x7f);
        if !plain {
            break;
        }
        length += 1;
    }
    let before = bytes.get(length.wrapping_sub(1));
    match text.get(length..).and_then(|rest| rest.chars().next()) {
        // The last character may compose with what follows.
        Some(c) if before.is_some() && !begins_chunk(c) => length - 1,
        _ => length,
    }
}

/// Its own NFKC form. The ranges are a shortcut past the tables for what most text is made of.
fn is_stable(c: char) -> bool {
    is_common(c) || is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes
}

/// Letters of the commonest scripts that neither change nor compose with what stands before.
fn is_common(c: char) -> bool {
    matches!(c,
        '\0'..='\u{9f}' | '\u{c0}'..='\u{131}' | '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{3ce}'
        | '\u{400}'..='\u{481}' | '\u{5d0}'..='\u{5ea}' | '\u{621}'..='\u{63f}'
        | '\u{641}'..='\u{64a}' | '\u{904}'..='\u{939}' | '\u{e01}'..='\u{e30}' | '\u{2018}'..='\u{201e}'
        | '\u{3001}'..='\u{3002}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// May `c` be normalised without looking at what stands before it? Then text can be cut there.
fn begins_chunk(c: char) -> bool {
    if c < '\u{300}' || is_common(c) {
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

/// What is replaced before normalisation, which would make words of it: "Acme™" → "AcmeTM". A
/// space ends the name and meets the one that may follow ("Acme® Cola").
fn replacement(c: char) -> char {
    match c {
        '™' | '℠' | '®' => ' ',
        '´' => '\'',
        c => c,
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
        // No letter case; spares the table.
        '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => out.push(c),
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
        check("Apple™ Music® 4®5", "apple music 4 5");
        check("ﾄﾖﾀ ﾎﾝﾀﾞ", "トヨタ ホンダ");
        check("삼성", "삼성");
        check("\u{1109}\u{1161}\u{11b7}", "삼");
        check("", "");
    }

    #[test]
    fn shortcut_agrees_with_the_tables() {
        for c in ('\0'..=char::MAX).filter(|c| is_common(*c)) {
            let mut first = None;
            decompose_compatible(c, |d| {
                first.get_or_insert(d);
            });
            let yes = |c| is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes;
            let starter = first.is_some_and(|f| canonical_combining_class(f) == 0 && yes(f));
            assert!(yes(c) && canonical_combining_class(c) == 0 && starter, "{c:?}");
        }
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
            let expect: String = text.chars().map(replacement).nfkc().collect();
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
                        // A space that comes out of a character ("΄" is one with an accent)
                        // melts into the space before it: edges may differ by it.
                        let again = fold(slice.unwrap()).text;
                        prop_assert_eq!(again.trim(), folded.text[a..b].trim());
                    }
                }
            }
        }
    }
}
