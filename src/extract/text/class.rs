//! What is asked of every character, answered without the search through Unicode's tables that the
//! standard library makes, where most of the press's text stands: Latin, Greek, Cyrillic, Hebrew
//! and Arabic from a table, Han, kana and Hangul by range.

use std::sync::LazyLock;

const ALPHANUMERIC: u8 = 1;
const LOWER: u8 = 2;

/// Characters of up to two bytes in UTF-8.
static TABLE: LazyLock<[u8; 0x800]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let Some(c) = char::from_u32(code as u32) else { return 0 };
        let lower = if c.to_lowercase().eq([c]) { LOWER } else { 0 };
        lower | if c.is_alphanumeric() { ALPHANUMERIC } else { 0 }
    })
});

/// As [`char::is_alphanumeric`].
#[inline]
pub(super) fn is_alphanumeric(c: char) -> bool {
    if let Some(class) = TABLE.get(c as usize) {
        return class & ALPHANUMERIC != 0;
    }
    is_ideographic(c) || !is_punctuation(c) && c.is_alphanumeric()
}

/// Is the character its own lower case?
#[inline]
pub(super) fn is_lower_form(c: char) -> bool {
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
        }
    }
}
