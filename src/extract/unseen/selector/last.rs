//! Which name a selector asks of the element itself: most rules are told so not to be about an element, without being
//! read.
//!
//! Must not know: elements.

use std::borrow::Cow;

use memchr::{memchr, memchr3};

use super::names::ident;
use super::read::bracket;
use super::states::{NEVER, PARTS};

/// What a selector plainly asks of the element itself.
pub(in super::super) enum Last<'s> {
    /// Whatever it matches must have this class (`.`), id (`#`) or tag (blank).
    Name(u8, Cow<'s, str>),
    /// It matches nothing.
    Never,
    Any,
}

/// Looks for such a name.
pub(in super::super) fn last_name(text: &str) -> Last<'_> {
    let bytes = text.as_bytes();
    if memchr3(b'(', b'[', b'\\', bytes).is_some() || memchr(b'/', bytes).is_some() {
        return of_parts(text);
    }
    // Most end with it.
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || !b.is_ascii();
    let start = bytes.iter().rposition(|b| !part(b)).map_or(0, |at| at + 1);
    let name = &text[start..];
    match &bytes[..start] {
        _ if name.is_empty() => Last::Any,
        [.., sign @ (b'.' | b'#')] => Last::Name(*sign, name.into()),
        [.., b':'] => of_parts(text),
        [] | [.., b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'>' | b'+' | b'~'] => {
            Last::Name(b' ', name.into())
        }
        _ => Last::Any,
    }
}

/// The same from the beginning, with states, attributes, arguments, escapes and comments.
fn of_parts(text: &str) -> Last<'_> {
    let mut last = Last::Any;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        rest = match c {
            ' ' | '\t' | '\n' | '\r' | '\x0c' | '>' | '+' | '~' => {
                last = Last::Any;
                &rest[1..]
            }
            '*' | '&' => &rest[1..],
            '.' | '#' => {
                let Some((name, after)) = ident(&rest[1..]) else { return Last::Any };
                last = Last::Name(c as u8, name);
                after
            }
            '[' => bracket(rest).1,
            ':' => {
                let doubled = rest.starts_with("::");
                let Some((name, after)) = ident(&rest[1 + usize::from(doubled)..]) else {
                    return Last::Any;
                };
                let named = |all: &[&str]| all.iter().any(|one| name.eq_ignore_ascii_case(one));
                let never = doubled || named(&NEVER) || named(&PARTS);
                match (never, after.starts_with('(')) {
                    (false, true) => bracket(after).1,
                    (false, false) => after,
                    (true, false) => return Last::Never,
                    // Arguments of what is outside of a shadow root, and of what is put into it.
                    (true, true) => return Last::Any,
                }
            }
            _ => {
                let Some((name, after)) = ident(rest) else { return Last::Any };
                last = Last::Name(b' ', name);
                after
            }
        };
    }
    last
}
