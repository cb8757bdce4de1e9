//! What is asked of every character, answered without the search through Unicode's tables that the
//! standard library makes, where most of the press's text stands: Latin, Greek, Cyrillic, Hebrew
//! and Arabic from a table, Han, kana and Hangul by range.

use std::sync::LazyLock;

pub(super) const ALPHANUMERIC: u8 = 1;
/// Its own lower case.
pub(super) const LOWER: u8 = 2;
/// Part of a word.
pub(super) const WORD: u8 = 4;
pub(super) const LOWERCASE: u8 = 8;
pub(super) const UPPERCASE: u8 = 16;
const NUMERIC: u8 = 32;

/// Characters of up to two bytes in UTF-8.
static TABLE: LazyLock<[u8; 0x800]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let Some(c) = char::from_u32(code as u32) else { return 0 };
        let set = |is: bool, bit: u8| if is { bit } else { 0 };
        set(c.is_alphanumeric(), ALPHANUMERIC)
            | set(c.to_lowercase().eq([c]), LOWER)
            | set(c.is_alphanumeric() || c == '_' || joins(c), WORD)
            | set(c.is_lowercase(), LOWERCASE)
            | set(c.is_uppercase(), UPPERCASE)
            | set(c.is_numeric(), NUMERIC)
    })
});

/// The classes of a character of these two bytes in UTF-8.
#[inline]
pub(super) fn of_two(bytes: [u8; 2]) -> u8 {
    TABLE.get(code(bytes)).copied().unwrap_or(0)
}

/// The character of these two bytes in UTF-8.
pub(super) fn char_of_two(bytes: [u8; 2]) -> char {
    char::from_u32(code(bytes) as u32).unwrap_or(' ')
}

#[inline]
fn code([first, second]: [u8; 2]) -> usize {
    usize::from(first & 0x1F) << 6 | usize::from(second & 0x3F)
}

/// In each of eight bytes the lowest bit.
const EACH: u64 = 0x0101_0101_0101_0101;

/// Letters and digits of ASCII that follow each other in a text, eight at most.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) length: u32,
    /// As they stand there, the last in the lowest byte, and the lowest bit of each.
    bytes: u64,
    each: u64,
}

impl Run {
    /// Those from `at` on.
    #[inline]
    pub(super) fn at(text: &[u8], at: usize) -> Run {
        let bytes = eight(text, at);
        let length = ascii_run(bytes);
        if length == 8 {
            return Run { length, bytes, each: EACH };
        }
        // In two steps, since none can shift everything out.
        let run = |bytes: u64| bytes >> (56 - 8 * length) >> 8;
        Run { length, bytes: run(bytes), each: run(EACH) }
    }

    /// All of them in lower case.
    #[inline]
    pub(super) fn lower(self) -> u64 {
        self.bytes | self.each << 5
    }

    /// How many are letters in upper case, and how many digits: these bits tell.
    #[inline]
    pub(super) fn capitals_and_digits(self) -> (u32, u32) {
        let without = |bit: u32| {
            let found = !self.bytes >> bit & self.each;
            (found.wrapping_mul(EACH) >> 56) as u32
        };
        (without(5), without(6))
    }
}

/// Eight bytes of a text, the first in the highest place; behind its end is 0.
#[inline]
pub(super) fn eight(text: &[u8], at: usize) -> u64 {
    if let Some(eight) = text.get(at..at + 8).and_then(<[u8]>::first_chunk::<8>) {
        return u64::from_be_bytes(*eight);
    }
    let missing = 8 - text.len().saturating_sub(at) as u32;
    let last = match text.last_chunk::<8>() {
        Some(last) => u64::from_be_bytes(*last),
        None => text.iter().fold(0, |bytes, b| bytes << 8 | u64::from(*b)),
    };
    last.checked_shl(8 * missing).unwrap_or(0)
}

/// How many of eight bytes, the first in the highest place, are letters and digits of ASCII before one that is none.
#[inline]
fn ascii_run(eight: u64) -> u32 {
    const HIGH: u64 = 0x80 * EACH;
    let low = eight & !HIGH;
    // The high bit of a byte tells whether it is at least so much; none is above 0x7F, so that no sum carries.
    let from = |bytes: u64, least: u8| bytes + u64::from(0x80 - least) * EACH;
    let lower = low | (0x20 * EACH);
    let letters = from(lower, b'a') & !from(lower, b'z' + 1);
    let digits = from(low, b'0') & !from(low, b'9' + 1);
    let others = !((letters | digits) & !eight) & HIGH;
    others.leading_zeros() / 8
}

/// Where the letters and digits of ASCII end that stand from `at` on in a text.
#[inline]
pub(in crate::extract) fn ascii_end(text: &[u8], mut at: usize) -> usize {
    loop {
        let length = ascii_run(eight(text, at));
        at += length as usize;
        if length < 8 {
            return at;
        }
    }
}

/// Characters that are not alphanumeric and belong to words (UTS #18 Annex C).
pub(super) fn joins(c: char) -> bool {
    matches!(c as u32,
        0x0300..=0x036F | 0x0483..=0x0489 | 0x0591..=0x05BD | 0x064B..=0x065F | 0x093C
        | 0x200C | 0x200D | 0x203F | 0x2040 | 0xFE00..=0xFE0F | 0xFE20..=0xFE2F)
        // Viramas of the Indic blocks join a word though they are not alphabetic.
        || (0x0900..=0x0DFF).contains(&(c as u32)) && (c as u32) & 0x7F == 0x4D
        || (0x0E31..=0x0E4E).contains(&(c as u32))
}

/// As [`char::is_uppercase`].
#[inline]
pub(super) fn is_uppercase(c: char) -> bool {
    match TABLE.get(c as usize) {
        Some(class) => class & UPPERCASE != 0,
        None => !(is_ideographic(c) || is_punctuation(c)) && c.is_uppercase(),
    }
}

/// As [`char::is_uppercase`] and [`char::is_lowercase`].
#[inline]
pub(super) fn case(c: char) -> (bool, bool) {
    match TABLE.get(c as usize) {
        Some(class) => (class & UPPERCASE != 0, class & LOWERCASE != 0),
        None if is_ideographic(c) || is_punctuation(c) => (false, false),
        None => (c.is_uppercase(), c.is_lowercase()),
    }
}

/// As [`char::is_numeric`].
#[inline]
pub(super) fn is_numeric(c: char) -> bool {
    match TABLE.get(c as usize) {
        Some(class) => class & NUMERIC != 0,
        None => c.is_numeric(),
    }
}

/// As [`char::is_alphanumeric`].
#[inline]
pub(in crate::extract) fn is_alphanumeric(c: char) -> bool {
    if let Some(class) = TABLE.get(c as usize) {
        return class & ALPHANUMERIC != 0;
    }
    is_ideographic(c) || !is_punctuation(c) && c.is_alphanumeric()
}

/// Is the character its own lower case?
#[inline]
pub(in crate::extract) fn is_lower_form(c: char) -> bool {
    if let Some(class) = TABLE.get(c as usize) {
        return class & LOWER != 0;
    }
    is_ideographic(c) || c.to_lowercase().eq([c])
}

/// Han, kana and Hangul letters, the blocks without a gap.
fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
}

/// Dashes, quotation marks and bullets; CJK brackets and marks.
fn is_punctuation(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2027}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_the_standard_library() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
            assert_eq!(is_lower_form(c), c.to_lowercase().eq([c]), "{c:?}");
            assert_eq!(is_uppercase(c), c.is_uppercase(), "{c:?}");
            assert_eq!(case(c), (c.is_uppercase(), c.is_lowercase()), "{c:?}");
            assert_eq!(is_numeric(c), c.is_numeric(), "{c:?}");
            if let &[first, second] = c.to_string().as_bytes() {
                let is_word = of_two([first, second]) & WORD != 0;
                assert_eq!(is_word, crate::extract::text::is_word(c), "{c:?}");
                assert_eq!(char_of_two([first, second]), c);
            }
            let has_case = case(c) != (false, false);
            assert!(!has_case || crate::extract::text::is_word(c), "{c:?}");
            if crate::extract::text::is_spaceless(c) {
                assert!(is_lower_form(c) && !has_case, "{c:?}");
            }
        }
    }

    #[test]
    fn runs_of_ascii_end_at_what_is_no_letter_and_no_digit() {
        for other in 0..=u8::MAX {
            let is_other = !other.is_ascii_alphanumeric();
            for at in 0..8 {
                let mut bytes = *b"azAZ09mM";
                bytes[at] = other;
                let length = if is_other { at } else { 8 };
                for text in [&bytes[..], &bytes[..at + 1], &[&bytes[..], b"x"].concat()] {
                    let run = Run::at(text, 0);
                    let (expect, rest) = text.split_at(length.min(text.len()));
                    assert_eq!(run.length as usize, expect.len(), "{other} {at}");
                    let lower = expect.iter().fold(0, |n, b| n << 8 | u64::from(b | 0x20));
                    assert_eq!(run.lower(), lower, "{other} {at}");
                    let count =
                        |is: fn(&u8) -> bool| expect.iter().filter(|b| is(b)).count() as u32;
                    let counts = (count(u8::is_ascii_uppercase), count(u8::is_ascii_digit));
                    assert_eq!(run.capitals_and_digits(), counts, "{other} {at}");
                    let more = if is_other { 0 } else { rest.len() };
                    assert_eq!(ascii_end(text, 0), expect.len() + more, "{other} {at}");
                }
            }
        }
    }

    #[test]
    fn eight_bytes_end_in_what_is_not_there() {
        let text = b"0123456789";
        for length in 0..=text.len() {
            for at in 0..=length + 1 {
                let there = text[..length].get(at..).unwrap_or_default();
                let mut expect = [0; 8];
                let count = there.len().min(8);
                expect[..count].copy_from_slice(&there[..count]);
                assert_eq!(eight(&text[..length], at), u64::from_be_bytes(expect), "{length} {at}");
            }
        }
    }
}
