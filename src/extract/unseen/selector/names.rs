//! Names, with and without escapes (CSS Syntax Level 3 §4.3.9, §4.3.11). Must not know: what they name.

use std::borrow::Cow;

use super::super::escape;

/// Does a name begin here (CSS Syntax Level 3 §4.3.9)?
pub(super) fn begins_name(text: &str) -> bool {
    let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    match text.strip_prefix('-') {
        Some(rest) => !digit(rest) && ident(rest).is_some(),
        None => !digit(text),
    }
}

/// A name and what follows it (CSS Syntax Level 3 §4.3.11).
pub(super) fn ident(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut escaped = false;
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || !b.is_ascii();
    // Most names have no escapes.
    let mut end = text.bytes().position(|b| !part(&b)).unwrap_or(text.len());
    while let Some(c) = text[end..].chars().next() {
        if c == '\\' {
            escaped = true;
            let after = &text[end + 1..];
            if after.is_empty() {
                return None;
            }
            end += 1 + escape::length(after);
        } else if c.is_ascii() && !part(&(c as u8)) {
            break;
        } else {
            end += c.len_utf8();
        }
    }
    let (name, rest) = text.split_at(end);
    let name = if escaped { escape::plain(name) } else { Cow::Borrowed(name) };
    (end > 0).then_some((name, rest))
}
