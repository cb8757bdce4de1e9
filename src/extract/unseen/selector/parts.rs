//! Where the parts of a list of selectors end, and what stands in brackets.
//!
//! Must not know: what a part says.

use memchr::{memchr, memchr3, memmem};

/// The parts of a list between its commas.
pub(in super::super) fn parts(list: &str) -> impl Iterator<Item = &str> {
    parts_of(list, is_plain(list))
}

/// Has a list no brackets, escapes and comments? Most have none; quotes outside of them are read nowhere.
pub(super) fn is_plain(list: &str) -> bool {
    let bytes = list.as_bytes();
    memchr3(b'(', b'[', b'\\', bytes).is_none() && memchr(b'/', bytes).is_none()
}

/// The parts of a list that is plain, or may not be.
pub(super) fn parts_of(list: &str, plain: bool) -> impl Iterator<Item = &str> {
    let mut rest = Some(list);
    std::iter::from_fn(move || {
        let list = rest?;
        let end = match plain {
            true => memchr(b',', list.as_bytes()).unwrap_or(list.len()),
            false => first_comma(list.as_bytes()),
        };
        let (part, after) = list.split_at(end);
        rest = after.get(1..);
        Some(part.trim_ascii())
    })
}

/// The place of the first comma outside brackets, strings and comments, or the end.
fn first_comma(list: &[u8]) -> usize {
    let (mut depth, mut at) = (0u32, 0);
    let mut quote = None;
    while let Some(&byte) = list.get(at) {
        match (byte, quote) {
            (b'\\', _) => at += 1,
            (_, Some(open)) => quote = quote.filter(|_| byte != open),
            (b'"' | b'\'', None) => quote = Some(byte),
            (b',', None) if depth == 0 => return at,
            (b'(' | b'[', None) => depth += 1,
            (b')' | b']', None) => depth = depth.saturating_sub(1),
            (b'/', None) if list.get(at + 1) == Some(&b'*') => {
                let end = list.get(at + 2..).and_then(|rest| memmem::find(rest, b"*/"));
                at = end.map_or(list.len(), |end| at + 2 + end + 1);
            }
            _ => {}
        }
        at += 1;
    }
    list.len()
}

/// What stands in the bracket that `text` begins with, and what follows it; strings hold no brackets.
pub(super) fn bracket(text: &str) -> (&str, &str) {
    let mut depth = 0u32;
    let mut quote = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match (byte, quote) {
            (b'\\', _) => escaped = true,
            (_, Some(open)) => quote = quote.filter(|_| byte != open),
            (b'"' | b'\'', None) => quote = Some(byte),
            (b'(' | b'[', None) => depth += 1,
            (b')' | b']', None) => {
                depth -= 1;
                if depth == 0 {
                    return (&text[1..at], &text[at + 1..]);
                }
            }
            _ => {}
        }
    }
    // Browsers close what the end of a sheet leaves open.
    (text.get(1..).unwrap_or_default(), "")
}
