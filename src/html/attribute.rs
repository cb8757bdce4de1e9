//! Attributes as they stand in a tag (WHATWG HTML §13.2.5.32–40): found once, by the tokenizer, and read when somebody
//! asks.
//!
//! Must not know: the tree.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::Name;
use super::name::push;
use super::reference::{self, Place};

/// What the scanner found after the name of a tag or after an attribute.
pub(super) enum Step {
    /// Ranges of name and value, key of the name, and where the scanner goes on.
    Attribute { name: (usize, usize), key: u64, value: (usize, usize), next: usize },
    /// The tag ended; what follows begins at `after`.
    End { after: usize, self_closing: bool },
    /// The page ended inside the tag.
    Eof,
}

const SPACE: u8 = 1;
/// Ends the name of an attribute.
const NAME: u8 = 2;
/// Ends the name of a tag.
const TAG: u8 = 4;
/// Ends a value without quotes.
const VALUE: u8 = 8;

static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let spaces = b" \t\n\x0C\r";
    let mut at = 0;
    while at < spaces.len() {
        class[spaces[at] as usize] = SPACE | NAME | TAG | VALUE;
        at += 1;
    }
    class[b'/' as usize] = NAME | TAG;
    class[b'>' as usize] = NAME | TAG | VALUE;
    class[b'=' as usize] = NAME;
    class
};

#[inline]
fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// Bytes of names in lower case, by which class they end: those end it that have one, and NUL, which is part of
/// names, has to be told apart.
const fn lower(ends: u8) -> [u8; 256] {
    let mut lower = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        if CLASS[byte] & ends == 0 {
            lower[byte] = (byte as u8).to_ascii_lowercase();
        }
        byte += 1;
    }
    lower
}

static IN_TAG_NAME: [u8; 256] = lower(TAG);
static IN_NAME: [u8; 256] = lower(NAME);

const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * EACH;

/// How many of these eight bytes are small letters and hyphens, from the first one on.
#[inline]
const fn small(eight: u64) -> usize {
    let low = eight & !HIGH;
    // No sum carries, as none is above 0xFF.
    let letters = (low + 0x1F * EACH) & !(low + 0x05 * EACH);
    let other = low ^ (0x2D * EACH);
    let hyphens = !(other + !HIGH);
    let rest = (eight | !(letters | hyphens)) & HIGH;
    (rest.trailing_zeros() / 8) as usize
}

/// Where the bytes of a name end, and its key, of which `key` is the beginning.
#[inline]
fn name(bytes: &[u8], mut at: usize, mut key: u64, of_names: &[u8; 256]) -> (usize, u64) {
    // Most names are small letters, and hyphens between them.
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let count = small(u64::from_le_bytes(*eight));
        let next = u64::from_be_bytes(*eight);
        at += count;
        if count == 8 {
            key = next;
            continue;
        }
        key = key << (8 * count) | next >> 1 >> (63 - 8 * count);
        break;
    }
    other(bytes, at, key, of_names)
}

/// The same byte by byte.
#[inline]
fn other(bytes: &[u8], mut at: usize, mut key: u64, of_names: &[u8; 256]) -> (usize, u64) {
    while let Some(&byte) = bytes.get(at) {
        let lower = of_names[usize::from(byte)];
        if lower == 0 && byte != 0 {
            break;
        }
        key = push(key, lower);
        at += 1;
    }
    (at, key)
}

pub(super) fn is_space(byte: u8) -> bool {
    is(byte, SPACE)
}

/// Does this byte end the name of a tag?
pub(super) fn ends_name(byte: u8) -> bool {
    is(byte, TAG)
}

/// End and key of the name of a tag that begins at `at`.
#[inline]
pub(super) fn tag_name(bytes: &[u8], at: usize) -> (usize, u64) {
    name(bytes, at, 0, &IN_TAG_NAME)
}

/// The next attribute, or the end of the tag.
#[inline(always)]
pub(super) fn step(bytes: &[u8], mut at: usize) -> Step {
    loop {
        let Some(&byte) = bytes.get(at) else { return Step::Eof };
        if byte == b'>' {
            return Step::End { after: at + 1, self_closing: false };
        }
        if byte == b'/' {
            if bytes.get(at + 1) == Some(&b'>') {
                return Step::End { after: at + 2, self_closing: true };
            }
        } else if !is(byte, SPACE) {
            break;
        }
        at += 1;
    }
    let start = at;
    // An equals sign in the first place belongs to the name.
    let first = usize::from(bytes[at] == b'=');
    let key;
    (at, key) = name(bytes, at + first, if first == 0 { 0 } else { push(0, b'=') }, &IN_NAME);
    let name = (start, at);
    let mut look = at;
    while bytes.get(look).is_some_and(|&byte| is(byte, SPACE)) {
        look += 1;
    }
    if bytes.get(look) != Some(&b'=') {
        return Step::Attribute { name, key, value: (at, at), next: at };
    }
    at = look + 1;
    while bytes.get(at).is_some_and(|&byte| is(byte, SPACE)) {
        at += 1;
    }
    let Some(&first) = bytes.get(at) else { return Step::Eof };
    if first == b'"' || first == b'\'' {
        return match memchr(first, &bytes[at + 1..]) {
            Some(length) => {
                let value = (at + 1, at + 1 + length);
                Step::Attribute { name, key, value, next: value.1 + 1 }
            }
            None => Step::Eof,
        };
    }
    let start = at;
    while let Some(&byte) = bytes.get(at)
        && !is(byte, VALUE)
    {
        at += 1;
    }
    Step::Attribute { name, key, value: (start, at), next: at }
}

/// Where an attribute stands in the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Of its name: see [`push`].
    pub key: u64,
    pub name: (u32, u32),
    pub value: (u32, u32),
}

impl Found {
    pub(super) fn of(key: u64, name: (usize, usize), value: (usize, usize)) -> Found {
        let range = |(start, end)| (start as u32, end as u32);
        Found { key, name: range(name), value: range(value) }
    }

    /// Its name as written.
    #[inline]
    pub(super) fn name<'p>(&self, page: &'p str) -> &'p str {
        &page[self.name.0 as usize..self.name.1 as usize]
    }

    /// Its value as written.
    #[inline]
    pub(super) fn value<'p>(&self, page: &'p str) -> &'p str {
        &page[self.value.0 as usize..self.value.1 as usize]
    }

    #[inline]
    pub(super) fn read<'p>(&self, page: &'p str) -> Attribute<'p> {
        let text = self.name(page);
        let name = Name::find(self.key, text.as_bytes());
        Attribute { name, text, raw: self.value(page) }
    }
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// Its name, if it is among the known ones.
    pub name: Option<Name>,
    /// The name as written.
    pub text: &'a str,
    /// The value as written, references not yet read.
    pub raw: &'a str,
}

impl<'a> Attribute<'a> {
    /// The value.
    #[inline]
    pub fn value(&self) -> Cow<'a, str> {
        value(self.raw)
    }

    /// The name in lower case.
    pub fn lower(&self) -> Cow<'a, str> {
        if self.text.bytes().any(|b| b.is_ascii_uppercase() || b == 0) {
            Cow::Owned(self.text.to_ascii_lowercase().replace('\0', "\u{fffd}"))
        } else {
            Cow::Borrowed(self.text)
        }
    }
}

/// The value that stands in a tag as `raw`.
#[inline]
pub(super) fn value(raw: &str) -> Cow<'_, str> {
    if is_plain(raw.as_bytes()) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let raw = match memchr(0, raw.as_bytes()) {
        Some(_) => Cow::Owned(raw.replace('\0', "\u{fffd}")),
        None => Cow::Borrowed(raw),
    };
    reference::decode(&raw, Place::Value, &mut out);
    Cow::Owned(out)
}

/// Does a value say what is written? Most are short, and are asked here in parts of one length, the last of which may
/// lie over the one before it.
#[inline]
fn is_plain(raw: &[u8]) -> bool {
    const SHORT: usize = 64;
    fn is_odd(byte: &u8) -> bool {
        (*byte == b'&') | (*byte == 0)
    }
    /// None if there is not even one part.
    fn any_in<const LENGTH: usize>(raw: &[u8]) -> Option<bool> {
        let last = raw.last_chunk::<LENGTH>()?;
        let mut parts = raw.as_chunks::<LENGTH>().0.iter().chain([last]);
        // Without a branch for each byte.
        Some(parts.any(|part| part.iter().fold(false, |odd, byte| odd | is_odd(byte))))
    }
    if raw.len() > SHORT {
        return memchr2(b'&', 0, raw).is_none();
    }
    let odd = any_in::<16>(raw).or_else(|| any_in::<8>(raw));
    !odd.unwrap_or_else(|| raw.iter().any(is_odd))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_are_read_as_byte_by_byte(text in "[a-c@`zZ{|~=/>\0 é-]{0,4}[a-z-]{0,20}[a-c@`zZ{|~=/>\0 é-]{0,9}") {
            let bytes = text.as_bytes();
            for of_names in [&IN_NAME, &IN_TAG_NAME] {
                prop_assert_eq!(name(bytes, 0, 7, of_names), other(bytes, 0, 7, of_names), "{:?}", text);
            }
        }
    }

    #[test]
    fn values_are_plain_that_have_no_reference_and_no_nul() {
        for length in 0..80 {
            let plain = "a".repeat(length);
            assert!(is_plain(plain.as_bytes()), "{length}");
            for (at, odd) in (0..length).flat_map(|at| [(at, "&"), (at, "\0")]) {
                let mut text = plain.clone();
                text.replace_range(at..=at, odd);
                assert!(!is_plain(text.as_bytes()), "{length} {at} {odd:?}");
            }
        }
    }
}
