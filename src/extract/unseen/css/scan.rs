//! Where the parts of a style sheet end: its bytes without strings, comments and brackets (CSS Syntax
//! Level 3, §4).
//!
//! Must not know: what a rule or a declaration says.

use memchr::{memchr2, memchr3};

/// The first byte that is neither white space nor part of a comment or of `<!--` and `-->`.
pub(super) fn skip_space(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let rest = bytes.get(at..)?;
        at += match rest {
            [] => return None,
            [b, ..] if b.is_ascii_whitespace() || *b == b';' => 1,
            [b'/', b'*', inner @ ..] => {
                memchr::memmem::find(inner, b"*/").map_or(rest.len(), |n| n + 4)
            }
            [b'<', b'!', b'-', b'-', ..] => 4,
            [b'-', b'-', b'>', ..] => 3,
            _ => return Some(at),
        };
    }
}

pub(super) const BRACE: u8 = 1;
pub(super) const SEMICOLON: u8 = 2;
/// Begins or ends what may hold the others.
const INNER: u8 = 4;

static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let inner = b"\\\"'/()[]";
    let mut at = 0;
    while at < inner.len() {
        class[inner[at] as usize] = INNER;
        at += 1;
    }
    class[b'{' as usize] = BRACE;
    class[b'}' as usize] = BRACE;
    class[b';' as usize] = SEMICOLON;
    class
};

/// Nothing in these bytes can hold other parts of a sheet, neither strings nor brackets nor blocks, and nothing is escaped:
/// parts end where they seem to end. Most are so.
#[inline]
pub(super) fn is_flat(bytes: &[u8]) -> bool {
    let (whole, rest) = bytes.as_chunks::<16>();
    if whole.iter().any(has_inner) {
        return false;
    }
    // The last 16 bytes again, if there are so many.
    match bytes.last_chunk::<16>() {
        Some(_) if rest.is_empty() => true,
        Some(last) => !has_inner(last),
        None => rest.iter().all(|&b| CLASS[b as usize] & (INNER | BRACE) == 0),
    }
}

/// May one of these bytes be of the classes [`INNER`] and [`BRACE`]? As comparisons of all at once.
#[inline]
fn has_inner(bytes: &[u8; 16]) -> bool {
    let mut any = 0;
    let mut at = 0;
    while at < bytes.len() {
        let b = bytes[at];
        // Quotes and parentheses `'()`; brackets, the backslash and braces `[\]{|}`.
        let near = b.wrapping_sub(b'\'') < 3 || (b | 0x20).wrapping_sub(b'{') < 3;
        any |= u8::from(near | (b == b'"') | (b == b'/'));
        at += 1;
    }
    any != 0
}

/// The place of the first byte of the classes `stops` that is not inside a string, a comment or
/// brackets, or the end; and whether escapes or comments stand before it.
pub(super) fn stop(bytes: &[u8], mut at: usize, stops: u8) -> (usize, bool) {
    let rest = bytes.get(at..).unwrap_or_default();
    let near = match stops {
        BRACE => memchr2(b'{', b'}', rest),
        _ => memchr3(b'{', b'}', b';', rest),
    };
    let length = near.unwrap_or(rest.len());
    if is_flat(&rest[..length]) {
        return (at + length, false);
    }
    let (mut depth, mut odd) = (0u32, false);
    let matter = stops | INNER;
    loop {
        // Most bytes do not matter: eight at a time.
        while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>)
            && eight.iter().fold(0, |all, &b| all | CLASS[b as usize]) & matter == 0
        {
            at += 8;
        }
        while bytes.get(at).is_some_and(|&b| CLASS[b as usize] & matter == 0) {
            at += 1;
        }
        let Some(&b) = bytes.get(at) else { return (bytes.len(), odd) };
        match b {
            b'\\' => {
                odd = true;
                at += 1;
            }
            b'"' | b'\'' => at = string(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                odd = true;
                let inner = &bytes[at + 2..];
                at += memchr::memmem::find(inner, b"*/").map_or(inner.len() + 1, |n| n + 3);
            }
            b'(' if is_url(&bytes[..at]) && !quoted(&bytes[at + 1..]) => {
                let inner = &bytes[at + 1..];
                at += memchr::memchr(b')', inner).map_or(inner.len(), |n| n + 1);
            }
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            // A brace ends what was not closed before it.
            b'{' | b'}' => return (at, odd),
            b';' if depth == 0 => return (at, odd),
            _ => {}
        }
        at += 1;
    }
}

/// The place of the brace that ends a block, from inside of it; or the end.
pub(super) fn close(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0u32;
    loop {
        at = stop(bytes, at, BRACE).0;
        match bytes.get(at) {
            Some(b'{') => depth += 1,
            Some(_) if depth > 0 => depth -= 1,
            _ => return at,
        }
        at += 1;
    }
}

/// The end of a string from its quote: its other quote, or the line's end if it has none.
fn string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\\' => at += 1,
            b'\n' => return at,
            b if b == bytes[start] => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn is_url(before: &[u8]) -> bool {
    before.len() >= 3 && before[before.len() - 3..].eq_ignore_ascii_case(b"url")
}

fn quoted(inner: &[u8]) -> bool {
    matches!(inner.trim_ascii_start().first(), Some(b'"' | b'\''))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_flat_has_no_inner_parts(text in "[a-c;:. ,]{0,40}([\\\\\"'/()\\[\\]{}|]|é)?[a-c;: ]{0,40}") {
            let inner = |b: &u8| CLASS[usize::from(*b)] & (INNER | BRACE) != 0;
            let bytes = text.as_bytes();
            prop_assert!(!is_flat(bytes) || !bytes.iter().any(inner));
            // A bar looks like a brace where 16 bytes are compared at once.
            prop_assert!(is_flat(bytes) || bytes.iter().any(|b| inner(b) || *b == b'|'));
        }
    }
}
