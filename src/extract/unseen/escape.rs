//! Text of style sheets without comments and escapes (CSS Syntax Level 3 §4.3.7). Must not know: what it says.

use std::borrow::Cow;

/// Text without comments, with its escapes resolved: of names, addresses and strings.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    resolved(text, "", |c| c)
}

/// The same where words are told apart: a comment parts them. What is escaped is a part of its word, so white
/// space and control characters that are do not end it: `none\9` is no `none`.
pub(super) fn spelled(text: &str) -> Cow<'_, str> {
    resolved(text, " ", |c| match c.is_ascii_whitespace() || c.is_control() {
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    })
}

/// How long what follows a `\\` is that belongs to it: digits with the white space that ends them, or a character.
pub(super) fn length(escape: &str) -> usize {
    let digits = digits(escape);
    let space = escape[digits..].starts_with([' ', '\t', '\n', '\r', '\x0c']);
    match digits {
        0 => escape.chars().next().map_or(0, char::len_utf8),
        digits => digits + usize::from(space),
    }
}

fn digits(escape: &str) -> usize {
    escape.bytes().take(6).take_while(u8::is_ascii_hexdigit).count()
}

fn resolved<'t>(text: &'t str, comment: &str, escaped: fn(char) -> char) -> Cow<'t, str> {
    if !text.contains('\\') && !text.contains("/*") {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(n) = rest.find(['\\', '/']) {
        out.push_str(&rest[..n]);
        rest = &rest[n..];
        if let Some(inside) = rest.strip_prefix("/*") {
            rest = inside.find("*/").map_or("", |end| &inside[end + 2..]);
            out.push_str(comment);
        } else if let Some(escape) = rest.strip_prefix('\\') {
            let meant = match digits(escape) {
                0 => escape.chars().next(),
                n => u32::from_str_radix(&escape[..n], 16).ok().and_then(char::from_u32),
            };
            out.push(escaped(meant.unwrap_or(char::REPLACEMENT_CHARACTER)));
            rest = &escape[length(escape)..];
        } else {
            out.push('/');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out.into()
}
