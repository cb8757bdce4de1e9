//! What a style sheet imports at its beginning (CSS Cascading Level 5 §2).
//!
//! Must not know: where sheets come from.

use super::conditions::{and, applies, supports};
use super::functions::closing;
use super::scan::{Ends, Marks, skip_space, string};
use super::{layer_of, plain};

/// One of them.
pub(in super::super) struct Import<'s> {
    /// What stands before it, behind the import before it: it may name layers.
    pub before: &'s str,
    pub address: &'s str,
    /// The layer that it is put into.
    pub layer: Option<&'s str>,
    /// Whether it counts, as [`applies`] has it.
    pub counts: Option<bool>,
}

/// Calls `each` with what a sheet imports.
pub(in super::super) fn imports(sheet: &str, each: &mut impl FnMut(Import<'_>)) {
    let bytes = sheet.as_bytes();
    let (mut marks, mut at, mut last) = (None, 0, 0);
    while let Some(start) = skip_space(bytes, at)
        && bytes[start] == b'@'
    {
        let marks = marks.get_or_insert_with(|| Marks::of(bytes));
        let end = marks.stop(start, Ends::BracesAndSemicolons).at;
        let rule = &sheet[start + 1..end];
        let head = plain(rule.split(['"', '\'', '(']).next().unwrap_or_default());
        let name = head.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "import" => {
                if let Some((address, rest)) = address(rule) {
                    let (before, address, rest) =
                        (&sheet[last..start], plain(address), plain(rest));
                    let (layer, rest) = layer(rest.trim_ascii());
                    let counts = counts(rest);
                    each(Import { before, address: &address, layer, counts });
                }
                last = (end + 1).min(sheet.len());
            }
            "charset" | "layer" if bytes.get(end) != Some(&b'{') => {}
            _ => return,
        }
        at = end + 1;
    }
}

/// Does a rule say that names without a namespace are not those of HTML (CSS Namespaces Level 3 §2)?
pub(super) fn is_foreign(rule: &str) -> bool {
    const HTML: &str = "http://www.w3.org/1999/xhtml";
    let name = rule.split_at_checked("@namespace".len());
    let Some((_, rest)) = name.filter(|(name, _)| name.eq_ignore_ascii_case("@namespace")) else {
        return false;
    };
    let rest = plain(rest);
    let rest = rest.trim_ascii();
    let whole = rest.starts_with(['"', '\'']) || rest.to_ascii_lowercase().starts_with("url(");
    whole && address(rest).is_some_and(|(address, _)| address.trim_ascii() != HTML)
}

/// The first address in a rule, as a string or in the brackets of `url()`, and what follows it.
fn address(rule: &str) -> Option<(&str, &str)> {
    let (before, begin) = rule.split_at(rule.find(['"', '\'', '('])?);
    let inner = begin[1..].trim_ascii_start();
    let bracket = begin.starts_with('(');
    let begin = if bracket && inner.starts_with(['"', '\'']) { inner } else { begin };
    if begin.starts_with('(') {
        let url = before.trim_ascii_end().to_ascii_lowercase().ends_with("url");
        return inner.split_once(')').filter(|_| url);
    }
    let end = string(begin.as_bytes(), 0);
    let rest = begin.get(end + 1..)?.trim_ascii_start();
    Some((&begin[1..end], if bracket { rest.strip_prefix(')')? } else { rest }))
}

/// The layer that an import names behind its address, and what follows.
fn layer(rest: &str) -> (Option<&str>, &str) {
    let Some(after) = behind(rest, "layer") else { return (None, rest) };
    match in_brackets(after) {
        Some((name, rest)) => (Some(layer_of(name.trim_matches(['(', ')']))), rest),
        None if after.is_empty() || after.starts_with(' ') => {
            (Some(layer_of("")), after.trim_ascii())
        }
        None => (None, rest),
    }
}

/// Whether what is imported counts, by what is said of browsers and of readers.
fn counts(rest: &str) -> Option<bool> {
    match behind(rest, "supports").and_then(in_brackets) {
        Some((condition, media)) => and(supports(condition), applies(media)),
        None => applies(rest),
    }
}

/// What follows a word, in letters of either case, that a text begins with.
fn behind<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
}

/// What stands in the bracket that a text begins with, with the bracket, and what follows it.
fn in_brackets(text: &str) -> Option<(&str, &str)> {
    let end = 1 + closing(text.strip_prefix('(')?);
    (end < text.len()).then(|| (&text[..=end], text[end + 1..].trim_ascii()))
}
