//! Character references: `&amp;`, `&#8217;`, `&nbsp` (WHATWG HTML §13.2.5.72–80).

use std::sync::LazyLock;

/// What a reference means: one character or two.
pub type Characters = [Option<char>; 2];

/// Named references in byte order: the name without `&`, and its one or two characters
/// (WHATWG HTML §13.5). `named.txt` has one a line, characters in hexadecimal.
static NAMED: LazyLock<Vec<(&'static str, Characters)>> = LazyLock::new(|| {
    let mut named: Vec<_> = include_str!("named.txt")
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            let name = fields.next()?;
            let mut next = || fields.next().and_then(|hex| u32::from_str_radix(hex, 16).ok());
            Some((name, [next().and_then(char::from_u32), next().and_then(char::from_u32)]))
        })
        .collect();
    named.sort_unstable_by_key(|&(name, _)| name);
    named
});

/// What the numbers 0x80 to 0x9F mean (WHATWG HTML §13.2.5.80); 0 where they mean themselves.
const C1: [u16; 32] = [
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
    0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
];

/// Those that most pages have: no other name begins with one of these.
const COMMON: [(&[u8], char); 6] = [
    (b"amp;", '&'),
    (b"quot;", '"'),
    (b"nbsp;", '\u{a0}'),
    (b"lt;", '<'),
    (b"gt;", '>'),
    (b"apos;", '\''),
];

/// Where a reference stands: in values, one without `;` before `=` or a letter is text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Text,
    Value,
}

/// Reads the reference that begins after `&`: its characters and its length, or `None` if the
/// ampersand is only an ampersand.
pub fn read(after: &str, place: Place) -> Option<(Characters, usize)> {
    let bytes = after.as_bytes();
    match bytes.first()? {
        b'#' => numeric(bytes).map(|(c, length)| ([Some(c), None], length)),
        b if b.is_ascii_alphanumeric() => longest(bytes, place),
        _ => None,
    }
}

/// The reference that begins after `&` in a text that was written as markup once too often: one that ends with its `;`
/// and means what a text may hold. All else is text.
pub fn read_whole(after: &str) -> Option<(Characters, usize)> {
    let (characters, length) = read(after, Place::Value)?;
    let ([Some(c), _], reference) = (characters, after.get(..length)?) else { return None };
    // It stands for numbers of no character, and for its own.
    let replaced = c == char::REPLACEMENT_CHARACTER
        && !["#65533;", "#xfffd;"].iter().any(|own| reference.eq_ignore_ascii_case(own));
    let held = !replaced && (!c.is_control() || c.is_whitespace());
    (held && reference.ends_with(';')).then_some((characters, length))
}

/// [`decode`] of those that [`read_whole`] reads.
pub fn decode_whole(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    decode_by(text, read_whole, &mut out);
    out
}

/// Appends `text` to `out` with its references read.
pub fn decode(text: &str, place: Place, out: &mut String) {
    decode_by(text, |after| read(after, place), out);
}

fn decode_by(text: &str, read: impl Fn(&str) -> Option<(Characters, usize)>, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match read(rest) {
            Some((characters, length)) => {
                characters.into_iter().flatten().for_each(|c| out.push(c));
                rest = &rest[length..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
}

fn numeric(bytes: &[u8]) -> Option<(char, usize)> {
    let (radix, start) = match bytes.get(1)? {
        b'x' | b'X' => (16, 2),
        _ => (10, 1),
    };
    let mut number = 0u32;
    let mut at = start;
    while let Some(digit) = bytes.get(at).and_then(|&b| (b as char).to_digit(radix)) {
        number = number.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return None;
    }
    let c = match number {
        0 => char::REPLACEMENT_CHARACTER,
        0x80..=0x9F if C1[number as usize - 0x80] != 0 => {
            char::from_u32(C1[number as usize - 0x80].into()).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    Some((c, at + usize::from(bytes.get(at) == Some(&b';'))))
}

/// The longest name that the text begins with.
fn longest(bytes: &[u8], place: Place) -> Option<(Characters, usize)> {
    if let Some((name, c)) = COMMON.iter().find(|(name, _)| bytes.starts_with(name)) {
        return Some(([Some(*c), None], name.len()));
    }
    let named: &[(&str, _)] = &NAMED;
    let (mut low, mut high) = (0, named.len());
    let mut longest = None;
    for (length, &byte) in bytes.iter().enumerate() {
        let at = |name: &str| name.as_bytes().get(length).copied();
        low += named[low..high].partition_point(|&(name, _)| at(name) < Some(byte));
        high = low + named[low..high].partition_point(|&(name, _)| at(name) <= Some(byte));
        if low == high {
            break;
        }
        if named[low].0.len() == length + 1 {
            longest = Some((named[low].1, length + 1));
        }
    }
    let (characters, length) = longest?;
    let follows = bytes.get(length).is_some_and(|b| *b == b'=' || b.is_ascii_alphanumeric());
    if place == Place::Value && bytes[length - 1] != b';' && follows {
        return None;
    }
    Some((characters, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(place: Place, text: &str, expect: &str) {
        let mut out = String::new();
        decode(text, place, &mut out);
        assert_eq!(out, expect, "{text}");
    }

    #[test]
    fn references_are_read_as_the_standard_says() {
        for place in [Place::Text, Place::Value] {
            check(place, "a&amp;b &lt;&gt;&quot;", "a&b <>\"");
            check(place, "&nbsp;&notin;&NotEqualTilde;", "\u{a0}∉≂\u{338}");
            check(
                place,
                "&#39;&#x2019;&#150;&#0;&#xD800;&#99999999999",
                "'’–\u{fffd}\u{fffd}\u{fffd}",
            );
            check(place, "& &; &# &#x; &#q; &nix; &", "& &; &# &#x; &#q; &nix; &");
            check(place, "&copy &auml", "© ä");
        }
        check(Place::Text, "&notit; &copy=1", "¬it; ©=1");
        check(Place::Value, "?a=1&copy=2&notit", "?a=1&copy=2&notit");
    }

    #[test]
    fn of_markup_written_twice_whole_references_are_read() {
        for (text, expect) in [
            ("&ntilde;&NotEqualTilde;&#146;&#x96;&#10;", "ñ≂\u{338}’–\n"),
            ("&#65533; &#xFFFD;", "\u{fffd} \u{fffd}"),
            ("&copy &#39 &copy=1; R&D; &nope;", "&copy &#39 &copy=1; R&D; &nope;"),
            ("&#0; &#1; &#xD800; &#x110000; &#; &#x;", "&#0; &#1; &#xD800; &#x110000; &#; &#x;"),
        ] {
            assert_eq!(decode_whole(text), expect, "{text}");
        }
    }
}
