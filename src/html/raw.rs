//! Elements whose content is not markup: where they end (WHATWG HTML §13.2.5.2 to §13.2.5.31).

use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::{self, Finder};

use super::Name;
use super::attribute::{self, Step, ends_name};
use super::class;

/// What an element holds that was just opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    /// Markup, as usual.
    Nothing,
    /// Text with references ("RCDATA").
    Text,
    /// Text without.
    Verbatim,
    Script,
    /// Text up to the end of the page.
    Plain,
    /// A drawing.
    Drawing,
}

static CLOSE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("</"));
static DASHES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("--"));

impl Raw {
    /// What an element of HTML's own holds, by its name.
    fn of(name: &str) -> Raw {
        const HOLDS: [(&str, Raw); 10] = [
            ("title", Raw::Text),
            ("textarea", Raw::Text),
            ("script", Raw::Script),
            ("style", Raw::Verbatim),
            ("iframe", Raw::Verbatim),
            ("noembed", Raw::Verbatim),
            ("noframes", Raw::Verbatim),
            ("noscript", Raw::Verbatim),
            ("xmp", Raw::Verbatim),
            ("plaintext", Raw::Plain),
        ];
        let held = HOLDS.iter().find(|(held, _)| name.eq_ignore_ascii_case(held));
        held.map_or(Raw::Nothing, |(_, raw)| *raw)
    }
}

/// For those who read a page's tags without its tree: where what an element named `name` holds ends, from behind its
/// start tag, and whether readers may see it; `None`: it holds markup.
pub fn content_end(page: &str, from: usize, name: &str) -> Option<(usize, bool)> {
    let bytes = page.as_bytes();
    match Raw::of(name) {
        Raw::Nothing | Raw::Drawing => None,
        Raw::Text => Some((end(bytes, from, name.as_bytes()), true)),
        Raw::Verbatim => Some((end(bytes, from, name.as_bytes()), false)),
        Raw::Script => Some((script_end(bytes, from), false)),
        Raw::Plain => Some((bytes.len(), true)),
    }
}

/// For the same: where markup goes on behind a comment, from behind its `<!--`.
pub fn comment_end(page: &str, from: usize) -> usize {
    comment(page.as_bytes(), from).1
}

/// Does the name of a tag that begins at `at` read so?
fn is_named(bytes: &[u8], at: usize, name: &[u8]) -> bool {
    let after = bytes.get(at..).unwrap_or_default();
    after.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name))
        && after.get(name.len()).is_some_and(|&b| ends_name(b))
}

/// Start of the end tag with this name at or after `from`; the end of the page without one.
pub(super) fn end(bytes: &[u8], from: usize, name: &[u8]) -> usize {
    let mut at = from;
    while let Some(found) = CLOSE.find(&bytes[at..]) {
        at += found;
        if is_named(bytes, at + 2, name) {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

/// Where a script ends: `<!--` and a `<script` after it hide end tags up to `-->`.
pub(super) fn script_end(bytes: &[u8], from: usize) -> usize {
    let mut simple = end(bytes, from, b"script");
    let Some(comment) = memmem::find(&bytes[from..simple], b"<!--") else { return simple };
    // Escaped: the two dashes of the start may be those of the end.
    let mut at = from + comment + 2;
    let mut double = false;
    loop {
        // The next of `-->` and `<script`, `</script`.
        let Some(found) = bytes[at..].iter().position(|b| matches!(b, b'-' | b'<')) else {
            return bytes.len();
        };
        at += found;
        if bytes[at..].starts_with(b"-->") {
            let from = at + 3;
            // The next end tag stays the next until it is passed.
            if simple < from {
                simple = end(bytes, from, b"script");
            }
            let Some(comment) = memmem::find(&bytes[from..simple], b"<!--") else { return simple };
            at = from + comment + 2;
            double = false;
            continue;
        }
        if bytes[at] == b'<' {
            if bytes.get(at + 1) == Some(&b'/') && is_named(bytes, at + 2, b"script") {
                if !double {
                    return at;
                }
                double = false;
            } else if !double && is_named(bytes, at + 1, b"script") {
                double = true;
            }
        }
        at += 1;
    }
}

/// End of a comment's text and what follows it, from behind `<!--`.
pub(super) fn comment(bytes: &[u8], from: usize) -> (usize, usize) {
    let rest = &bytes[from..];
    if rest.starts_with(b">") {
        return (from, from + 1);
    }
    if rest.starts_with(b"->") {
        return (from, from + 2);
    }
    let mut at = from;
    while let Some(found) = DASHES.find(&bytes[at..]) {
        at += found;
        match bytes.get(at + 2) {
            Some(b'>') => return (at, at + 3),
            Some(b'!') if bytes.get(at + 3) == Some(&b'>') => return (at, at + 4),
            _ => at += 1,
        }
    }
    let ends: [&[u8]; 3] = [b"--!", b"--", b"-"];
    let end = ends.iter().find(|end| rest.ends_with(end)).map_or(0, |end| end.len());
    (bytes.len() - end, bytes.len())
}

/// Start of the end tag of a drawing that holds nothing but drawing, from behind `<svg …>`.
/// Content of other elements may break out of it, so in doubt it is parsed like everything.
pub(super) fn drawing_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr(b'<', &bytes[at..])?;
        let closing = bytes.get(at + 1) == Some(&b'/');
        let start = at + 1 + usize::from(closing);
        let (end, key) = attribute::tag_name(bytes, start);
        let text = &bytes[start..end];
        let name = Name::find(key, text)?;
        if closing && text.eq_ignore_ascii_case(b"svg") {
            return Some(at);
        }
        if class::html(name) & class::DRAWING == 0 {
            return None;
        }
        at = end;
        loop {
            match attribute::step(bytes, at) {
                Step::Attribute { next, .. } => at = next,
                Step::End { after, .. } => break at = after,
                Step::Eof => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_script(text: &str) {
        let end = text.find('|').unwrap_or(text.len());
        let page = text.replace('|', "");
        assert_eq!(script_end(page.as_bytes(), 0), end, "{text}");
    }

    #[test]
    fn scripts_end_where_the_standard_says() {
        check_script("a</b>|</script>");
        check_script("a|</SCRIPT >");
        check_script("a</scripts>|</script/");
        check_script("<!-- |</script> --></script>");
        check_script("<!-- <script> </script> |</script>");
        check_script("<!-- <script> </script> -->|</script>");
        check_script("<!-- <script> -->|</script>");
        check_script("<!--><script>|</script>");
        check_script("<!-- <scripty> |</script>");
        check_script("unfinished</script");
        // The end is looked for once, not again behind each comment.
        check_script(&format!("{}|</script>", "<!-- x -->".repeat(400_000)));
    }

    #[test]
    fn comments_end_where_the_standard_says() {
        for (text, length) in
            [(">", 0), ("->", 0), ("a-->", 1), ("a--!>", 1), ("a--->", 2), ("a--", 1), ("a->b", 4)]
        {
            assert_eq!(comment(text.as_bytes(), 0).0, length, "{text}");
        }
    }
}
