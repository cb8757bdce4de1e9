//! Characters that stand in a block as they stand on the page, eight at a time.
//!
//! Must not know: the tree, blocks.

const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * EACH;

/// How many bytes from `at` are printable ASCII with single blanks between, begin and end with no blank,
/// and so stay as they are; some may be left over.
#[inline]
pub(super) fn plain(bytes: &[u8], mut at: usize) -> usize {
    let start = at;
    let mut open = false;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let eight = u64::from_le_bytes(*eight);
        // From 0x20 to 0x7E, in every byte: no sum carries, as none is above 0x7F.
        let printable =
            eight & HIGH == 0 && (eight + 0x60 * EACH) & HIGH == HIGH && (eight + EACH) & HIGH == 0;
        let other = eight ^ (0x20 * EACH);
        let blanks = !(((other & !HIGH) + !HIGH) | other | !HIGH);
        if !printable || blanks & (blanks << 8) != 0 || blanks & 0x80 != 0 && !open {
            break;
        }
        // A blank at the end may be the first of several.
        let ended = blanks >> 63 != 0;
        at += if ended { 7 } else { 8 };
        open = true;
        if ended {
            break;
        }
    }
    at - start
}

/// How many bytes a character has that begins so and stays as it is, by all that may begin so; else 0.
#[inline]
pub(super) fn kept(first: u8) -> usize {
    static KEPT: [u8; 256] = {
        let mut kept = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            kept[byte] = match byte as u8 {
                b'!'..=b'~' => 1,
                // What begins white space, controls and what draws nothing.
                0..=0x7F | 0xC2 | 0xCD | 0xE1..=0xE3 | 0xEF | 0xF0 | 0xF3 | 0xD8 => 0,
                0x80..=0xDF => 2,
                0xE0..=0xEF => 3,
                _ => 4,
            };
            byte += 1;
        }
        kept
    };
    usize::from(KEPT[usize::from(first)])
}

/// How many bytes from `at` are blanks and controls of ASCII.
#[inline]
pub(super) fn blank(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let eight = u64::from_le_bytes(*eight);
        // Up to 0x20, in every byte: no sum carries, as above.
        if eight & HIGH != 0 || (eight + 0x5F * EACH) & HIGH != 0 {
            break;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|b| b.is_ascii() && !b.is_ascii_graphic()) {
        at += 1;
    }
    at - start
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blanks_and_controls_are_blank(text in "[ \\t\\n\u{1f}\u{7f}]{0,20}[a!\u{7f}é]{0,3}") {
            let is_blank = |b: &u8| b.is_ascii() && !b.is_ascii_graphic();
            let expect = text.bytes().take_while(is_blank).count();
            prop_assert_eq!(super::blank(text.as_bytes(), 0), expect, "{:?}", text);
        }

        #[test]
        fn what_is_plain_is_printable_with_single_blanks(text in "[a ~!\u{1f}\u{7f}é]{0,40}") {
            let length = super::plain(text.as_bytes(), 0);
            let found = &text[..length];
            prop_assert!(found.bytes().all(|b| b.is_ascii_graphic() || b == b' '), "{text:?}");
            prop_assert!(!found.contains("  ") && !found.ends_with(' '), "{text:?}");
            prop_assert!(!found.starts_with(' '), "{text:?}");
        }
    }

    #[test]
    fn long_words_and_single_blanks_are_plain() {
        let check = |text: &str, expect: usize| {
            assert_eq!(super::plain(text.as_bytes(), 0), expect, "{text}");
        };
        check("ab cd ef gh ij", 8);
        check("abcdefg hijklmn opq", 7);
        check("ab  cd ef", 0);
        check(" abcdefg", 0);
        check("short", 0);
    }
}
