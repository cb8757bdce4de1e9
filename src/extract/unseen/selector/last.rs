//! Which name a selector asks of the element itself: most rules are told so not to be about an element, without being
//! read.
//!
//! Must not know: elements.

use std::borrow::Cow;

use super::names::ident;
use super::parts::{bracket, is_plain, parts_of};
use super::states::{NEVER, OLD_PARTS, PARTS};

/// What a selector plainly asks of the element itself.
pub(in super::super) enum Last<'s> {
    /// Whatever it matches must have this class (`.`), id (`#`) or tag (blank).
    Name(u8, Cow<'s, str>),
    /// It matches nothing.
    Never,
    Any,
}

/// Such a name of each selector of a list.
pub(in super::super) fn last_names(list: &str) -> impl Iterator<Item = Last<'_>> {
    let plain = is_plain(list);
    parts_of(list, plain).map(move |part| if plain { of_end(part) } else { of_parts(part) })
}

/// The same of a list without brackets, escapes and comments.
pub(in super::super) fn plain_last_names(list: &str) -> impl Iterator<Item = Last<'_>> {
    parts_of(list, true).map(of_end)
}

/// Such a name of one selector.
pub(in super::super) fn last_name(text: &str) -> Last<'_> {
    if is_plain(text) { of_end(text) } else { of_parts(text) }
}

/// Which bytes names consist of, but for those of escapes.
static OF_NAMES: [bool; 256] = {
    let mut of_names = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        of_names[byte] = b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || !b.is_ascii();
        byte += 1;
    }
    of_names
};

/// What the end of a selector tells that is plain.
fn of_end(mut text: &str) -> Last<'_> {
    loop {
        let bytes = text.as_bytes();
        let mut start = bytes.len();
        while start > 0 && OF_NAMES[usize::from(bytes[start - 1])] {
            start -= 1;
        }
        let (before, name) = text.split_at(start);
        match before.as_bytes() {
            _ if name.is_empty() => return Last::Any,
            [.., sign @ (b'.' | b'#')] => return Last::Name(*sign, name.into()),
            [.., b':', b':'] => return Last::Never,
            [rest @ .., b':'] => {
                if is_never(name) {
                    return Last::Never;
                }
                text = &text[..rest.len()];
            }
            [] | [.., b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'>' | b'+' | b'~'] => {
                return Last::Name(b' ', name.into());
            }
            _ => return Last::Any,
        }
    }
}

/// Is it a state that is never met, or a part that is no element?
fn is_never(name: &str) -> bool {
    let named = |all: &[&str]| all.iter().any(|one| name.eq_ignore_ascii_case(one));
    // The oldest are those that most sheets name.
    named(&PARTS[..OLD_PARTS]) || named(&NEVER) || named(&PARTS[OLD_PARTS..])
}

/// What all of a selector tells, with states, attributes, arguments, escapes and comments.
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
                match (doubled || is_never(&name), after.starts_with('(')) {
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
