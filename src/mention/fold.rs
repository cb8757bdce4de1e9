//! Folding: the form of a text in which names are looked for, with the way back to the original.
//! NFKC (UAX #15), soft hyphens, joiners, direction marks left out, trade-mark signs and the numbers of notes spaces,
//! apostrophes, hyphens, Arabic letters of several keyboards, `ё` and `е` unified, white space runs one space, and lower
//! case if wanted.
//!
//! Must not know: brands, blocks.

use std::sync::LazyLock;

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::model::is_ignorable;

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

/// Folds to lower case: what names are looked for in.
pub fn fold(text: &str) -> Folded {
    run(text, true)
}

/// Folds but keeps letter case: what exact aliases are compared in.
pub fn fold_cased(text: &str) -> String {
    run(text, false).text
}

/// Is `cased`, which is folded, what [`fold_cased`] makes of `text`?
pub fn folds_to(text: &str, cased: &str) -> bool {
    let folded = |b: u8| b.is_ascii_graphic() && b != b'`';
    text == cased || !text.bytes().all(folded) && fold_cased(text) == cased
}

fn run(text: &str, lower: bool) -> Folded {
    let mut out = Folded { text: String::with_capacity(text.len()), pieces: Vec::new() };
    let mut start = copy(text, 0, lower, &mut out);
    while start < text.len() {
        start = chunk(text, start, lower, &mut out);
        start = copy(text, start, lower, &mut out);
    }
    out
}

/// Bytes that [`copy`] looks at together.
const STRIDE: usize = 16;

/// Folds the characters from `start` on as long as each folds to a single one, whatever stands
/// beside it; returns where they end.
fn copy(text: &str, start: usize, lower: bool, out: &mut Folded) -> usize {
    let alone = ALONE.as_slice();
    let (mut at, mut run, mut run_folded) = (start, start, out.text.len());
    // What lies between is folded to itself and not copied yet.
    let mut copied = start;
    let mut spaced = out.text.ends_with(' ');
    'strides: while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let bytes = rest.as_bytes();
        if bytes.first().is_some_and(u8::is_ascii) {
            // The last stride overlaps what has been read.
            let length = bytes.len().min(STRIDE);
            let stride = text.as_bytes().get(..at + length).and_then(|read| read.last_chunk());
            if stride.is_some_and(is_plain) && !(spaced && bytes.starts_with(b" ")) {
                out.text.push_str(text.get(copied..at).unwrap_or_default());
                let folded = out.text.len();
                out.text.push_str(text.get(at..at + length).unwrap_or_default());
                if lower {
                    out.text.get_mut(folded..).unwrap_or_default().make_ascii_lowercase();
                }
                at += length;
                copied = at;
                spaced = text.as_bytes().get(at - 1) == Some(&b' ');
                continue;
            }
        } else {
            let han = han_run(bytes);
            if han > 0 {
                at += han;
                spaced = false;
                continue;
            }
        }
        let stride = at + STRIDE;
        let mut chars = rest.chars();
        while at < stride
            && let Some(c) = chars.next().filter(|c| !('\u{4e00}'..='\u{9fff}').contains(c))
        {
            let length = c.len_utf8();
            let folded = alone.get(c as usize).copied().unwrap_or_default();
            if u32::from(folded) != u32::from(c) {
                let single = char::from_u32(u32::from(folded)).filter(|f| *f != '\0');
                let Some(single) = single.filter(|_| lower || c.is_ascii_uppercase()) else {
                    break 'strides;
                };
                if single == ' ' && spaced || !chars.clone().next().is_none_or(begins_chunk) {
                    break 'strides;
                }
                out.text.push_str(text.get(copied..at).unwrap_or_default());
                copied = at + length;
                if single.len_utf8() != length {
                    out.push(run, at, run_folded, true);
                    run_folded = out.text.len();
                    out.text.push(single);
                    out.push(at, copied, run_folded, true);
                    (run, run_folded) = (copied, out.text.len());
                } else {
                    out.text.push(if lower { single } else { c });
                }
                spaced = single == ' ';
            } else if spaced && c == ' ' {
                break 'strides;
            } else {
                spaced = c == ' ';
            }
            at += length;
        }
    }
    out.text.push_str(text.get(copied..at).unwrap_or_default());
    // The last character may compose with what follows.
    let next = text.get(at..).and_then(|rest| rest.chars().next());
    if at > run
        && next.is_some_and(|c| !begins_chunk(c))
        && let Some(last) = out.text.pop()
    {
        at -= last.len_utf8();
    }
    out.push(run, at, run_folded, true);
    at
}

/// ASCII without control characters, backticks and neighbouring spaces: folds to itself but for letter case.
fn is_plain(stride: &[u8; STRIDE]) -> bool {
    // Loops of their own become vector instructions in every build.
    let (mut other, mut pairs) = (false, false);
    for byte in stride {
        other |= !matches!(byte, b' '..=b'~') | (*byte == b'`');
    }
    for at in 1..STRIDE {
        pairs |= (stride[at - 1] == b' ') & (stride[at] == b' ');
    }
    !other && !pairs
}

/// Bytes of the characters from U+4E00 to U+9FFF at the beginning: Han, which folds to itself.
fn han_run(bytes: &[u8]) -> usize {
    let is_han = |c: &&[u8]| matches!(c, [0xe5..=0xe9, ..] | [0xe4, 0xb8..=0xbf, ..]);
    3 * bytes.chunks_exact(3).take_while(is_han).count()
}

/// What the characters of the Basic Multilingual Plane fold to that fold to a single one and do not
/// compose with what stands before them; 0 for all others.
static ALONE: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let folded = |c: char| {
        let mut out = String::new();
        normalise(c.encode_utf8(&mut [0; 4]), true, &mut out);
        let mut produced = out.chars();
        let first = produced.next()?;
        let alone = produced.next().is_none() && is_independent(c);
        u16::try_from(u32::from(first)).ok().filter(|_| alone)
    };
    let entry = |c| char::from_u32(c).and_then(folded).unwrap_or_default();
    (0..=0xffff).map(entry).collect()
});

/// Folds the character at `start` with those behind it that may compose with it; returns where
/// they end.
fn chunk(text: &str, start: usize, lower: bool, out: &mut Folded) -> usize {
    let mut chars = text.get(start..).unwrap_or_default().chars();
    let Some(first) = chars.next() else { return text.len() };
    let mut end = start + first.len_utf8();
    let mut alone = true;
    for c in chars.take_while(|c| !begins_chunk(*c)) {
        alone = false;
        end += c.len_utf8();
    }
    let folded = out.text.len();
    normalise(text.get(start..end).unwrap_or_default(), lower, &mut out.text);
    let mut produced = out.text.get(folded..).unwrap_or_default().chars();
    let single = produced.next().is_some() && produced.next().is_none();
    out.push(start, end, folded, alone && single);
    end
}

/// The rule itself, for characters that are normalised together.
fn normalise(chunk: &str, lower: bool, out: &mut String) {
    // Before, for they take marks as the others do; behind, for their presentation forms.
    let replaced = chunk.chars().map(|c| united(replacement(c)));
    let mut composed = replaced.nfkc().map(united).peekable();
    while let Some(c) = composed.next() {
        let is_marked = composed.peek().is_some_and(|next| canonical_combining_class(*next) != 0);
        match is_marked.then(|| kept(c, lower)).flatten() {
            Some(kept) => out.push(kept),
            None => put(c, lower, out),
        }
    }
}

/// One Arabic letter on different keyboards. `ى`, which ends words in Egypt that `ي` ends elsewhere, stays: "على" is
/// another word than "علي".
fn united(c: char) -> char {
    match c {
        'ی' => 'ي',
        'ک' => 'ك',
        c => c,
    }
}

/// What a further mark keeps of a letter of which [`put`] makes another: that one could compose with the mark.
fn kept(c: char, lower: bool) -> Option<char> {
    let mut small = c.to_lowercase();
    let small = small.next().filter(|_| lower && small.next().is_none()).unwrap_or(c);
    let is_changed = matches!(small, 'ё' | 'Ё' | 'İ' | 'ı' | 'ς' | 'ß' | 'ẞ');
    (is_changed || without_tonos(small) != small).then_some(small)
}

/// May `c` be normalised without looking at what stands before it? Then text can be cut there.
fn begins_chunk(c: char) -> bool {
    c < '\u{300}' || ALONE.get(c as usize).is_some_and(|f| *f != 0) || is_independent(c)
}

/// [`begins_chunk`] by the tables.
fn is_independent(c: char) -> bool {
    let mut first = None;
    decompose_compatible(c, |d| {
        first.get_or_insert(d);
    });
    let first = first.unwrap_or(c);
    canonical_combining_class(c) == 0
        && canonical_combining_class(first) == 0
        && is_nfkc_quick(std::iter::once(first)) == IsNormalized::Yes
}

/// What is replaced before normalisation, which would make one word of a name and the mark behind it: "Acme™" →
/// "AcmeTM". A space ends the name and meets the one that may follow ("Acme® Cola").
fn replacement(c: char) -> char {
    match c {
        c if is_mark(c) => ' ',
        'Ⓒ' | 'ⓒ' | '\u{1f12b}' => '©',
        // NFKC makes a space with an accent of it.
        '´' => '\'',
        c => c,
    }
}

/// A trade-mark sign, or a digit of a note's number, which is raised or in a circle: no part of a word, wherever it
/// stands. As a digit it would make another name of "Formula¹".
pub fn is_mark(c: char) -> bool {
    match c {
        '™' | '℠' | '®' | 'Ⓡ' | 'ⓡ' | '\u{1f12c}' | 'Ⓟ' | 'ⓟ' => true,
        // TM and R as raised letters, and MC, MD, MR.
        'ᵀ' | 'ᴹ' | 'ᴿ' | '\u{1f16a}'..='\u{1f16c}' => true,
        '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' => true,
        // In circles, from 1 to 50; white on black and in double circles; 0.
        '①'..='⑳' | '\u{3251}'..='\u{325f}' | '\u{32b1}'..='\u{32bf}' => true,
        '\u{24ea}'..='\u{24ff}' | '\u{2776}'..='\u{2793}' | '\u{1f10b}' | '\u{1f10c}' => true,
        _ => false,
    }
}

/// An apostrophe, or what is typed for one: "McDonald`s".
pub fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '`'
            | '´'
            | '\u{2b9}'
            | '\u{2bc}'
            | '\u{2018}'
            | '\u{2019}'
            | '\u{201b}'
            | '\u{2032}'
            | '\u{ff07}'
    )
}

fn put(c: char, lower: bool, out: &mut String) {
    match c {
        // Tatweel lengthens a word.
        '\u{640}' => {}
        c if is_ignorable(c) => {}
        c if is_apostrophe(c) => out.push('\''),
        '\u{2010}'..='\u{2013}' | '\u{2212}' => out.push('-'),
        c if c.is_whitespace() => {
            if !out.ends_with(' ') {
                out.push(' ');
            }
        }
        // As nearly all newspapers print it.
        'ё' => out.push('е'),
        'Ё' => out.push(if lower { 'е' } else { 'Е' }),
        // No letter case; spares the table.
        '\u{3041}'..='\u{3096}'
        | '\u{30a1}'..='\u{30fa}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => out.push(c),
        // Its full lower case is an "i" with a separate dot.
        'İ' if lower => out.push('i'),
        'ς' if lower => out.push('σ'),
        // What capitals make of them, and most writers without them.
        'ı' if lower => out.push('i'),
        'ß' | 'ẞ' if lower => out.push_str("ss"),
        c if lower => out.extend(c.to_lowercase().map(without_tonos)),
        c => out.push(c),
    }
}

/// A small Greek letter as its capital has it: those are printed without the accent.
fn without_tonos(c: char) -> char {
    match c {
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' => 'ι',
        'ό' => 'ο',
        'ύ' => 'υ',
        'ώ' => 'ω',
        'ΐ' => 'ϊ',
        'ΰ' => 'ϋ',
        c => c,
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
        for hidden in "\u{34f}\u{61c}\u{115f}\u{17b4}\u{180e}\u{200d}\u{2065}\u{206a}\u{3164}\u{ffa0}\u{fff9}\u{1bca0}\u{1d173}\u{e0041}\u{e0100}".chars() {
            check(&format!("Sie{hidden}mens"), "siemens");
        }
        check("Siemens\u{2019}s", "siemens's");
        check("the long way to McDonald`s, 5′ away", "the long way to mcdonald's, 5' away");
        check("Coca\u{2011}Cola\u{a0} \u{202f}Zero", "coca-cola zero");
        check("Cafe\u{301} ﬁn", "café fin");
        check("İstanbul ΟΔΟΣ", "istanbul οδοσ");
        check("YAPI KREDİ, Yapı Kredi", "yapi kredi, yapi kredi");
        check("GROSS, Groß, GROẞ", "gross, gross, gross");
        check(
            "ΕΘΝΙΚΗ, Εθνική, Ε\u{301}νωση, προϊόν, ΠΡΟΪΟΝ",
            "εθνικη, εθνικη, ενωση, προϊον, προϊον",
        );
        check("ПЯТЁРОЧКА, Пятёрочка, Пяте\u{308}рочка", "пятерочка, пятерочка, пятерочка");
        check("نوکیا نوكيا بيبسى بيبسي", "نوكيا نوكيا بيبسى بيبسي");
        check("Apple™ Music® 4®5", "apple music 4 5");
        check("Acme² ²Acme Acme¹²s Acme⑳, CO₂", "acme acme acme s acme , co2");
        check("Formula¹ said, M³, 10² Acme❶❿➀ Acme㉑㊿⓫⓵⓿", "formula said, m , 10 acme acme ");
        check("Acmeᵀᴹ AcmeⓇ Acme🅪 ⓒAcme", "acme acme acme ©acme");
        check("ﾄﾖﾀ ﾎﾝﾀﾞ", "トヨタ ホンダ");
        assert_eq!(fold_cased("Пятёрочка Ё Εθνική نوکیا"), "Пятерочка Е Εθνική نوكيا");
        check("ی\u{654} ي\u{654} ئ ﻯ ﯽ ﮎ", "ئ ئ ئ ى ي ك");
        assert_eq!(fold_cased("على علي علی ﻯ"), "على علي علي ى");
        // With a further mark it is another letter.
        check("ё\u{300} Ё\u{300} е\u{308}\u{300} ѐ", "ё\u{300} ё\u{300} ё\u{300} ѐ");
        check("Ά\u{300} ά\u{300}", "ά\u{300} ά\u{300}");
        check("삼성", "삼성");
        check("\u{1109}\u{1161}\u{11b7}", "삼");
        check("", "");
    }

    #[test]
    fn every_character_alone_and_beside_another() {
        for c in '\0'..='\u{ffff}' {
            for text in [format!("{c}"), format!("A{c} {c}"), format!("{c}\u{301}京{c}")] {
                for lower in [true, false] {
                    let mut expect = String::new();
                    normalise(&text, lower, &mut expect);
                    assert_eq!(run(&text, lower).text, expect, "{text:?}");
                }
            }
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

    /// Without copying.
    fn by_chunks(text: &str, lower: bool) -> Folded {
        let (mut out, mut start) = (Folded::default(), 0);
        while start < text.len() {
            start = chunk(text, start, lower, &mut out);
        }
        out
    }

    proptest! {
        #[test]
        fn agrees_with_whole_normalisation(text in "(\\PC|[a-zÄ가-힣\u{300}-\u{310}ﬁﾞﾊ\u{1161}\u{11a8}]){0,40}") {
            for lower in [true, false] {
                let mut whole = String::new();
                normalise(&text, lower, &mut whole);
                prop_assert_eq!(run(&text, lower).text, whole);
            }
        }

        /// But for what is left out between a letter and its mark, capitals with marks that make one letter with the small
        /// one alone, and presentation forms with marks.
        #[test]
        fn what_is_folded_stays_as_it_is(
            text in "(\\PC|[ёЁßẞıİάΐύیىکЙй™´’²ﬁΑΙσςe ][\u{300}\u{301}\u{307}\u{308}\u{654}]{0,2}){0,20}",
        ) {
            let text: String = text.chars().filter(|c| *c != '\u{640}' && !is_ignorable(*c)).collect();
            let cased = fold_cased(&text);
            prop_assert_eq!(fold_cased(&cased), cased);
            let small = fold(&text.to_lowercase()).text;
            prop_assert_eq!(fold(&small).text, small);
        }

        #[test]
        fn copying_changes_nothing(
            text in "(\\PC|[a-zA-Z .`]{20,40}|[ \t\u{a0}’–ÄßÉẞİКЯёЁάΆیك가ς京\u{300}\u{ad}ﬁ]){0,40}",
            lower in any::<bool>(),
        ) {
            let (folded, chunks) = (run(&text, lower), by_chunks(&text, lower));
            prop_assert_eq!(&folded.text, &chunks.text);
            for at in 0..=folded.text.len() {
                prop_assert_eq!(folded.start(at), chunks.start(at));
                prop_assert_eq!(folded.end(at), chunks.end(at));
            }
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
