//! Where the parts of a style sheet end: its bytes without strings, comments and brackets (CSS Syntax
//! Level 3, §4).
//!
//! Must not know: what a rule or a declaration says.

use memchr::{memchr, memchr3};

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

/// Which bytes a part ends at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Braces,
    BracesAndSemicolons,
}

/// Where a part ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    /// The place of the byte that ends it, or the end.
    pub at: usize,
    /// Escapes or comments stand in it.
    pub odd: bool,
    /// Nothing stands in it that begins or ends something: no escapes, comments, strings and brackets.
    pub plain: bool,
}

/// The bytes of a sheet that begin or end something, found 64 at a time.
pub(super) struct Marks<'b> {
    bytes: &'b [u8],
    /// Where the 64 bytes begin that were looked at last.
    base: usize,
    /// A bit for each of them that matters, and those of them that are left.
    found: u64,
    left: u64,
    /// They are left from here on.
    from: usize,
}

const WINDOW: usize = u64::BITS as usize;

impl<'b> Marks<'b> {
    pub fn of(bytes: &'b [u8]) -> Marks<'b> {
        let mut marks = Marks { bytes, base: 0, found: 0, left: 0, from: 0 };
        marks.look(0);
        marks
    }

    fn look(&mut self, base: usize) {
        self.base = base;
        let rest = self.bytes.get(base..).unwrap_or_default();
        self.found = match rest.first_chunk() {
            Some(window) => found(window),
            None => {
                let mut window = [0; WINDOW];
                window[..rest.len()].copy_from_slice(rest);
                found(&window)
            }
        };
        self.left = self.found;
    }

    /// Goes on from this place.
    #[inline]
    fn seek(&mut self, at: usize) {
        let base = at & !(WINDOW - 1);
        if base != self.base {
            self.look(base);
        }
        self.left = self.found & (u64::MAX << (at & (WINDOW - 1)));
    }

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            let base = self.base + WINDOW;
            if base >= self.bytes.len() {
                return None;
            }
            self.look(base);
        }
        let at = self.base + self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(at)
    }

    /// Where the part ends that begins at `at`: at the first byte that does so and is not inside a string, a comment or
    /// brackets.
    #[inline]
    pub fn stop(&mut self, at: usize, ends: Ends) -> Stop {
        let bytes = self.bytes;
        // Most parts begin where the one before them ended.
        if at != self.from {
            self.seek(at);
        }
        let (mut depth, mut odd, mut plain) = (0u32, false, true);
        while let Some(at) = self.next() {
            match bytes[at] {
                b';' if depth == 0 && ends == Ends::BracesAndSemicolons => {
                    self.from = at + 1;
                    return Stop { at, odd, plain };
                }
                // A brace ends what was not closed before it.
                b'{' | b'}' => {
                    self.from = at + 1;
                    return Stop { at, odd, plain };
                }
                b'(' if is_url(&bytes[..at]) && !quoted(&bytes[at + 1..]) => {
                    let inner = &bytes[at + 1..];
                    self.seek(at + 1 + memchr(b')', inner).map_or(inner.len(), |n| n + 1));
                }
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                b'"' | b'\'' => self.seek(string(bytes, at) + 1),
                b'\\' => {
                    odd = true;
                    self.seek(at + 2);
                }
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    odd = true;
                    let inner = &bytes[at + 2..];
                    let end = memchr::memmem::find(inner, b"*/").map_or(inner.len(), |n| n + 2);
                    self.seek(at + 2 + end);
                }
                _ => {}
            }
            plain = false;
        }
        self.from = usize::MAX;
        Stop { at: bytes.len(), odd, plain }
    }

    /// The place of the brace that ends a block, from inside of it, or the end; and whether it has blocks of its own.
    pub fn close(&mut self, mut at: usize) -> (usize, bool) {
        let (mut depth, mut holds) = (0u32, false);
        loop {
            at = self.stop(at, Ends::Braces).at;
            match self.bytes.get(at) {
                Some(b'{') => {
                    depth += 1;
                    holds = true;
                }
                Some(_) if depth > 0 => depth -= 1,
                _ => return (at, holds),
            }
            at += 1;
        }
    }
}

/// A bit for each byte that begins or ends something (and for `|`, which looks like a brace here).
fn found(window: &[u8; WINDOW]) -> u64 {
    // As comparisons of all at once.
    let matters = window.map(|b| {
        // Quotes and parentheses `'()`; brackets, the backslash and braces `[\]{|}`.
        let near = b.wrapping_sub(b'\'') < 3 || (b | 0x20).wrapping_sub(b'{') < 3;
        u8::from(near | (b == b'"') | (b == b'/') | (b == b';'))
    });
    let (eights, _) = matters.as_chunks::<8>();
    let mut bits = 0;
    for (at, eight) in eights.iter().enumerate() {
        // The lowest bits of eight bytes side by side.
        let side = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= side << (8 * at);
    }
    bits
}

/// The end of a string from its quote: its other quote, or the line's end if it has none.
pub(super) fn string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(rest) = bytes.get(at..)
        && let Some(length) = memchr3(bytes[start], b'\\', b'\n', rest)
    {
        at += length;
        if bytes[at] != b'\\' {
            return at;
        }
        at += 2;
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

    #[test]
    fn strings_end_at_their_quote_or_line() {
        for (text, end) in
            [("'a'b", 2), ("'a\"b", 4), ("'\\'a'", 4), ("'a\nb'", 2), ("'\\", 2), ("'", 1)]
        {
            assert_eq!(string(text.as_bytes(), 0), end, "{text}");
        }
    }

    /// The same byte by byte.
    fn naive(bytes: &[u8], mut at: usize, ends: Ends) -> (usize, bool) {
        let (mut depth, mut odd) = (0u32, false);
        while let Some(&b) = bytes.get(at) {
            match b {
                b'\\' => {
                    odd = true;
                    at += 1;
                }
                b'"' | b'\'' => at = string(bytes, at),
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    odd = true;
                    let end = bytes[at + 2..].windows(2).position(|two| two == b"*/");
                    at = end.map_or(bytes.len(), |end| at + 2 + end + 1);
                }
                b'(' if is_url(&bytes[..at]) && !quoted(&bytes[at + 1..]) => {
                    let end = bytes[at..].iter().position(|b| *b == b')');
                    at = end.map_or(bytes.len(), |end| at + end);
                }
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                b'{' | b'}' => return (at, odd),
                b';' if depth == 0 && ends != Ends::Braces => return (at, odd),
                _ => {}
            }
            at += 1;
        }
        (bytes.len(), odd)
    }

    proptest! {
        #[test]
        fn parts_end_as_byte_by_byte(text in "([a-c:. ,]{0,9}[;{}]|[a-c;:. ]{0,20}|[\\\\\"'/()\\[\\]|é\n]|/\\*|\\*/|url\\(){0,40}", from in prop::collection::vec(0..200_usize, 1..9)) {
            let bytes = text.as_bytes();
            let mut marks = Marks::of(bytes);
            for at in from {
                for ends in [Ends::Braces, Ends::BracesAndSemicolons] {
                    let stop = marks.stop(at, ends);
                    prop_assert_eq!((stop.at, stop.odd), naive(bytes, at, ends), "{}", at);
                    let part = bytes.get(at..stop.at).unwrap_or_default();
                    prop_assert_eq!(stop.plain, !part.iter().any(|b| b"\"'()[]\\/|;".contains(b)));
                }
            }
        }
    }
}
