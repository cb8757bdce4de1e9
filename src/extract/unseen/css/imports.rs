//! What a style sheet imports at its beginning (CSS Cascading Level 5 §2).
//!
//! Must not know: where sheets come from.

use super::conditions::supports;
use super::plain;
use super::scan::{Ends, Marks, skip_space, string};

/// Calls `each` with the addresses of the sheets that a sheet imports at its beginning, and with what it says of readers
/// that they are for (CSS Cascading Level 5 §2).
pub(in super::super) fn imports(sheet: &str, each: &mut impl FnMut(&str, &str)) {
    let bytes = sheet.as_bytes();
    let (mut marks, mut at) = (None, 0);
    while let Some(start) = skip_space(bytes, at)
        && bytes[start] == b'@'
    {
        let marks = marks.get_or_insert_with(|| Marks::of(bytes));
        let end = marks.stop(start, Ends::BracesAndSemicolons).0;
        let rule = &sheet[start + 1..end];
        let head = plain(rule.split(['"', '\'', '(']).next().unwrap_or_default());
        let name = head.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "import" => {
                if let Some((address, media)) = address(rule)
                    && let media = plain(media)
                    && let Some(media) = asked_of_readers(media.trim_ascii())
                {
                    each(&plain(address), media);
                }
            }
            "charset" | "layer" if bytes.get(end) != Some(&b'{') => {}
            _ => return,
        }
        at = end + 1;
    }
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

/// What an import says of readers; `None`: browsers do not support what it asks for. What is imported into a layer loses
/// against the rest, which it stands before anyway.
fn asked_of_readers(import: &str) -> Option<&str> {
    let rest = match import.split_at_checked(5) {
        Some((head, rest)) if head.eq_ignore_ascii_case("layer") => match in_brackets(rest) {
            Some((_, rest)) => rest,
            None if rest.is_empty() || rest.starts_with(' ') => rest.trim_ascii(),
            None => import,
        },
        _ => import,
    };
    match rest.split_at_checked(8) {
        Some((head, condition)) if head.eq_ignore_ascii_case("supports") => {
            let (condition, rest) = in_brackets(condition)?;
            // It is not told here of those that are not known.
            (supports(condition) != Some(false)).then_some(rest)
        }
        _ => Some(rest),
    }
}

/// What stands in the bracket that a text begins with, with the bracket, and what follows it.
fn in_brackets(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_u32;
    let end = text.bytes().position(|byte| {
        depth = match byte {
            b'(' => depth + 1,
            b')' => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0
    });
    let end = end.filter(|&end| end > 0)?;
    Some((&text[..=end], text[end + 1..].trim_ascii()))
}
