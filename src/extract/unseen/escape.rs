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
            let digits = escape.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
            let code = u32::from_str_radix(&escape[..digits], 16).ok().and_then(char::from_u32);
            rest = &escape[digits..];
            if digits == 0 {
                let next = rest.chars().next();
                out.push(escaped(next.unwrap_or(char::REPLACEMENT_CHARACTER)));
                rest = &rest[next.map_or(0, char::len_utf8)..];
            } else {
                out.push(escaped(code.unwrap_or(char::REPLACEMENT_CHARACTER)));
                rest = rest.strip_prefix([' ', '\t', '\n', '\r', '\x0c']).unwrap_or(rest);
            }
        } else {
            out.push('/');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out.into()
}
