//! Cleaning of short texts out of attributes and data. Must not know what they mean.

use std::borrow::Cow;

use aho_corasick::AhoCorasick;

use crate::extract::text::{is_alphanumeric, is_lower_form};
use crate::html::reference::decode_whole;
use crate::model::is_mute;

/// Plain text: references resolved (twice, since publishers escape twice), tags removed, white
/// space normalised, invisible characters dropped.
pub(super) fn plain(text: &str) -> String {
    let mut text = Cow::Borrowed(text);
    for _ in 0..2 {
        if !text.contains('&') {
            break;
        }
        text = decode_whole(&text).into();
    }
    if text.contains('<') {
        text = strip_tags(&text).into();
    }
    normalise(&text).into_owned()
}

/// White space to single spaces, invisible characters dropped.
pub(super) fn normalise(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    if is_normal(trimmed) {
        return trimmed.into();
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let before = out.len();
        if before > 0 {
            out.push(' ');
        }
        if word.bytes().all(|b| b.is_ascii_graphic()) {
            out.push_str(word);
            continue;
        }
        out.extend(word.chars().filter(|&c| !is_mute(c)));
        if out.len() == before + usize::from(before > 0) {
            out.truncate(before);
        }
    }
    out.into()
}

/// What a byte of a text says of whether it is normal.
#[derive(Clone, Copy)]
enum Byte {
    Normal,
    Blank,
    /// White space, controls and what is invisible begin with one of these.
    Doubtful,
    Odd,
}

static BYTES: [Byte; 256] = {
    let mut bytes = [Byte::Normal; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = match byte as u8 {
            b' ' => Byte::Blank,
            0xC2 | 0xD8 | 0xE1..=0xE3 | 0xEF => Byte::Doubtful,
            b if b.is_ascii() && !b.is_ascii_graphic() => Byte::Odd,
            _ => Byte::Normal,
        };
        byte += 1;
    }
    bytes
};

/// Is a trimmed text as [`normalise`] would make it? Most are.
fn is_normal(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let is_normal = match BYTES[usize::from(byte)] {
            Byte::Normal => true,
            Byte::Blank => bytes.get(at + 1) != Some(&b' '),
            Byte::Doubtful => {
                let c = text.get(at..).and_then(|text| text.chars().next());
                c.is_some_and(|c| !c.is_whitespace() && !is_mute(c))
            }
            Byte::Odd => false,
        };
        if !is_normal {
            return false;
        }
        at += 1;
    }
    true
}

/// Drops what looks like a tag: `<`, then a letter or `/`, up to `>`.
fn strip_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let tag = tail.as_bytes().get(1).is_some_and(|&b| b.is_ascii_alphabetic() || b == b'/');
        match tail.find('>').filter(|_| tag) {
            Some(end) => {
                out.push(' ');
                rest = tail.get(end + 1..).unwrap_or_default();
            }
            None => {
                out.push('<');
                rest = tail.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    out
}

/// Only letters and digits, in lower case: for comparing names.
pub(super) fn squash(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            if c.is_ascii_alphanumeric() {
                out.push(c.to_ascii_lowercase());
            }
        } else if is_lower_form(c) {
            out.extend(is_alphanumeric(c).then_some(c));
        } else if is_alphanumeric(c) {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// Is `key` what [`squash`] makes of the text?
pub(super) fn squashes_to(text: &str, key: &str) -> bool {
    // Lower case takes at most half as many bytes more. Most lines are short, and most others begin otherwise.
    text.len() * 3 >= key.len() * 2
        && first_squashed(text) == key.chars().next()
        && squashed(text).eq(key.chars())
}

/// The first character of [`squash`].
fn first_squashed(text: &str) -> Option<char> {
    text.chars().find(|&c| is_alphanumeric(c)).and_then(|c| c.to_lowercase().next())
}

fn squashed(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|&c| is_alphanumeric(c)).flat_map(char::to_lowercase)
}

/// Short texts that are looked for in many others, all in one search.
pub(super) struct Needles(AhoCorasick);

impl Needles {
    /// At most as many as there are bits.
    pub fn new<'n>(needles: impl IntoIterator<Item = &'n &'n str>) -> Needles {
        Needles(AhoCorasick::new(needles).expect("a few short texts make an automaton"))
    }

    /// Which of them a text has: a bit for each.
    pub fn within(&self, text: &str) -> u32 {
        self.0.find_overlapping_iter(text).fold(0, |has, found| has | 1 << found.pattern().as_u32())
    }
}

/// Is the character one of Han that news print?
pub(super) fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

/// Is it a letter of Japanese that stands for a sound?
pub(super) fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn squashed_is_letters_and_digits_in_lower_case(text in "\\PC{0,40}|[İȺȾΣKa]{0,9}") {
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            let expect: String = letters.flat_map(char::to_lowercase).collect();
            prop_assert_eq!(super::first_squashed(&text), expect.chars().next());
            prop_assert!(super::squashes_to(&text, &expect));
            prop_assert_eq!(super::squash(&text), expect);
        }

        #[test]
        fn what_is_normal_is_left_alone(
            text in prop::collection::vec(
                prop::sample::select(
                    "aB é 漢 б — \u{A0}\u{AD}\u{85}\u{1680}\u{2003}\u{200B}\u{200F}\u{2028}\u{2060}\u{3000}\u{FEFF}\u{7F}\u{1}\u{61C}\u{202B}\n"
                        .chars()
                        .collect::<Vec<_>>(),
                ),
                0..12,
            )
        ) {
            let text: String = text.into_iter().collect();
            let visible = |c: &char| {
                !c.is_control()
                    && !"\u{AD}\u{200B}\u{200F}\u{2060}\u{FEFF}\u{61C}\u{202B}".contains(*c)
            };
            let words = text.split_whitespace().map(|w| w.chars().filter(visible).collect::<String>());
            let expect: Vec<String> = words.filter(|w| !w.is_empty()).collect();
            prop_assert_eq!(super::normalise(&text), expect.join(" "));
        }
    }

    #[test]
    fn plain() {
        let check = |text: &str, expect: &str| assert_eq!(super::plain(text), expect, "{text}");
        check("  a\n b\u{AD}c ", "a bc");
        check("Tom &amp; Ann", "Tom & Ann");
        check("Tom &amp;amp; Ann", "Tom & Ann");
        check("&#8220;x&#x201D; &nope; & &#0;", "“x” &nope; & &#0;");
        check("<b>a</b> <i class='x'>b", "a b");
        check("1 < 2 > 0", "1 < 2 > 0");
        check("\u{200B} a", "a");
        check("Pol&iacute;tica &amp;ntilde; &Delta; &NotEqualTilde;", "Política ñ Δ ≂\u{338}");
        check("Acme&#146;s &#x96; &#10;plan&#9;b", "Acme’s – plan b");
        check("AT&T, R&D;, ?a=1&copy=2, &copy 2026", "AT&T, R&D;, ?a=1&copy=2, &copy 2026");
        check("\u{202B}a\u{202C} \u{2066}b\u{2069}\u{61C}", "a b");
        check("می\u{200C}خواهم 👩\u{200D}🔬", "می\u{200C}خواهم 👩\u{200D}🔬");
    }
}
