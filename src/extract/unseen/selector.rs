//! Selectors of tags, classes and ids, in a row of ancestors (Selectors Level 4 §5–§6, §15); others
//! match nothing.
//!
//! Must not know: what the rules say that they stand before.

use std::borrow::Cow;

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::css;

/// Some bits for the names of some elements: where one of a name's is missing, none has the name. Most
/// selectors are told by them not to match, as browsers do.
pub(super) type Marks = u128;

/// A name in one number.
pub(super) fn hash(sign: u8, name: &str) -> u64 {
    let mix = |h: u64, n: u64| (h.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    let hash = words.iter().fold(u64::from(sign), |h, w| mix(h, u64::from_le_bytes(*w)));
    rest.iter().fold(hash, |h, b| mix(h, u64::from(*b)))
}

/// The bits of a name.
pub(super) fn mark(sign: u8, name: &str) -> Marks {
    let hash = hash(sign, name);
    1 << (hash >> 57) | 1 << (hash >> 50 & 127)
}

/// One selector, read from right to left.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selector {
    /// What the element itself must be.
    pub last: Compound,
    /// What stands around it, nearest first.
    around: Vec<(Compound, Combinator)>,
    /// Ids, then classes, then tags.
    pub specificity: (u16, u16, u16),
    /// It was written more narrowly than it is read here.
    pub loose: bool,
}

/// What one element must be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Compound {
    pub tag: Option<String>,
    pub ids: Vec<String>,
    pub classes: Vec<String>,
    /// Of all these names.
    marks: Marks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Combinator {
    Inside,
    Child,
}

/// Compounds in one selector; longer ones match nothing.
const MAX_COMPOUNDS: usize = 16;

/// The selectors of a list that can be read.
pub(super) fn parse(list: &str) -> impl Iterator<Item = Selector> + '_ {
    parts(list).filter_map(selector)
}

/// The parts of a list between its commas.
pub(super) fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(list);
    std::iter::from_fn(move || {
        let list = rest?;
        let (part, after) = list.split_at(first_comma(list.as_bytes()));
        rest = after.get(1..);
        Some(part.trim())
    })
}

/// The place of the first comma outside brackets, or the end.
fn first_comma(list: &[u8]) -> usize {
    let mut depth = 0u32;
    for (at, byte) in list.iter().enumerate() {
        match byte {
            b',' if depth == 0 => return at,
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    list.len()
}

/// A class (`.`), an id (`#`) or a tag (blank) that whatever a selector matches must have, if its end
/// says so plainly.
pub(super) fn last_name(text: &str) -> Option<(u8, &str)> {
    let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || !b.is_ascii();
    let length = text.bytes().rev().take_while(part).count();
    let (before, name) = text.split_at(text.len() - length);
    let sign = match before.as_bytes() {
        [.., b'\\', b'.' | b'#'] => return None,
        [.., sign @ (b'.' | b'#')] => *sign,
        [] => b' ',
        // White space may end an escape.
        [.., b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'>'] if !before.contains('\\') => b' ',
        _ => return None,
    };
    (length > 0).then_some((sign, name))
}

/// Reads one selector.
pub(super) fn selector(text: &str) -> Option<Selector> {
    let mut row: Vec<(Compound, Combinator)> = Vec::new();
    let mut compound = Compound::default();
    let (mut empty, mut loose) = (true, false);
    let mut joint = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        if matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c' | '>') {
            let before = rest;
            rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0c', '>']);
            let child = before[..before.len() - rest.len()].contains('>');
            let child = child || joint == Some(Combinator::Child);
            joint = Some(if child { Combinator::Child } else { Combinator::Inside });
            continue;
        }
        if let Some(joint) = joint.take() {
            if empty || row.len() >= MAX_COMPOUNDS {
                return None;
            }
            row.push((std::mem::take(&mut compound), joint));
        }
        empty = false;
        match c {
            '*' => rest = &rest[1..],
            '.' | '#' => {
                let (name, after) = ident(&rest[1..])?;
                let list = if c == '.' { &mut compound.classes } else { &mut compound.ids };
                list.push(name.into_owned());
                rest = after;
            }
            ':' => {
                let (name, after) = ident(rest[1..].strip_prefix(':').unwrap_or(&rest[1..]))?;
                // States that no page begins with, and what is no element.
                const NEVER: [&str; 14] = [
                    "hover",
                    "focus",
                    "focus-within",
                    "focus-visible",
                    "active",
                    "target",
                    "checked",
                    "visited",
                    "before",
                    "after",
                    "first-letter",
                    "first-line",
                    "placeholder",
                    "marker",
                ];
                if rest.starts_with("::") || NEVER.iter().any(|n| name.eq_ignore_ascii_case(n)) {
                    return None;
                }
                loose = true;
                rest = bracket(after, '(', ')');
            }
            '[' => {
                loose = true;
                rest = bracket(rest, '[', ']');
            }
            _ => {
                let (name, after) = ident(rest)?;
                compound.tag = Some(name.to_ascii_lowercase());
                rest = after;
            }
        }
    }
    if empty {
        return None;
    }
    row.iter_mut().map(|(c, _)| c).chain([&mut compound]).for_each(Compound::take_marks);
    let all = || row.iter().map(|(c, _)| c).chain([&compound]);
    let sum = |count: fn(&Compound) -> usize| {
        u16::try_from(all().map(count).sum::<usize>()).unwrap_or(u16::MAX)
    };
    let specificity =
        (sum(|c| c.ids.len()), sum(|c| c.classes.len()), sum(|c| usize::from(c.tag.is_some())));
    row.reverse();
    Some(Selector { last: compound, around: row, specificity, loose })
}

/// A name and what follows it (CSS Syntax Level 3 §4.3.11).
fn ident(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut escaped = false;
    let mut end = 0;
    while let Some(c) = text[end..].chars().next() {
        if c == '\\' {
            // The character after it belongs to it, and one white space after digits.
            escaped = true;
            let after = &text[end + 1..];
            let digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
            end += 1 + digits;
            if digits == 0 {
                end += after.chars().next()?.len_utf8();
            } else if after[digits..].starts_with([' ', '\t', '\n']) {
                end += 1;
            }
        } else if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii() {
            end += c.len_utf8();
        } else {
            break;
        }
    }
    let (name, rest) = text.split_at(end);
    let name = if escaped { css::plain(name) } else { Cow::Borrowed(name) };
    (end > 0).then_some((name, rest))
}

/// Behind the bracket that closes the one that `text` begins with, if it does.
fn bracket(text: &str, open: char, close: char) -> &str {
    if !text.starts_with(open) {
        return text;
    }
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return &text[at + c.len_utf8()..];
            }
        }
    }
    ""
}

impl Compound {
    fn take_marks(&mut self) {
        let Compound { tag, ids, classes, marks } = self;
        *marks = tag.iter().fold(0, |all, tag| all | mark(b' ', tag));
        *marks = ids.iter().fold(*marks, |all, id| all | mark(b'#', id));
        *marks = classes.iter().fold(*marks, |all, class| all | mark(b'.', class));
    }

    /// Without budget nothing matches.
    fn matches(&self, dom: &Dom, id: Id, own: &[Marks], budget: &mut u64) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        if own.get(id as usize).is_some_and(|own| own & self.marks != self.marks) {
            return false;
        }
        let mut value = |name| {
            let value = dom.value(id, name).unwrap_or_default();
            *budget = budget.saturating_sub(value.len() as u64 / 64);
            value
        };
        dom.element(id).is_some()
            && self.tag.as_ref().is_none_or(|tag| tag == dom.name(id))
            && self.ids.iter().all(|named| *named == value(name!("id")))
            && (self.classes.is_empty() || {
                let has = value(name!("class"));
                self.classes.iter().all(|c| has.split_ascii_whitespace().any(|h| h == c))
            })
    }
}

impl Selector {
    /// Is it a single class, id or tag, or `*`?
    pub fn is_plain(&self) -> bool {
        let Compound { tag, ids, classes, .. } = &self.last;
        self.around.is_empty() && usize::from(tag.is_some()) + ids.len() + classes.len() <= 1
    }

    /// Of all names that must stand around the element.
    pub fn marks_around(&self) -> Marks {
        self.around.iter().fold(0, |all, (compound, _)| all | compound.marks)
    }

    /// `own`: of each node its marks, where they are known.
    pub fn matches(&self, dom: &Dom, id: Id, own: &[Marks], budget: &mut u64) -> bool {
        if !self.last.matches(dom, id, own, budget) {
            return false;
        }
        let mut above = dom.ancestors(id);
        self.around.iter().all(|(compound, joint)| {
            let mut fits = |at: Id| compound.matches(dom, at, own, budget);
            match joint {
                Combinator::Child => above.next().is_some_and(&mut fits),
                // The nearest that fits; what stands around another one is not tried.
                Combinator::Inside => above.any(fits),
            }
        })
    }

    /// Does it depend on what a script may have written into the page's root by the time it is seen?
    pub fn of_page(&self) -> bool {
        let root = |c: &Compound| matches!(c.tag.as_deref(), Some("html" | "body"));
        self.around.iter().any(|(c, _)| root(c) && !(c.ids.is_empty() && c.classes.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::{Limits, parse as page};

    /// Ids of the elements that any selector of a list matches.
    fn matched(html: &str, list: &str) -> Vec<String> {
        let dom = page(html, &Limits::default());
        let selectors: Vec<Selector> = parse(list).collect();
        let mut budget = 10_000;
        let found = dom.descend(dom.root()).filter(|&id| {
            dom.element(id).is_some()
                && selectors.iter().any(|s| s.matches(&dom, id, &[], &mut budget))
        });
        found.map(|id| dom.attr(id, "id").unwrap_or_default().into_owned()).collect()
    }

    #[test]
    fn long_attributes_use_up_the_budget_and_without_it_nothing_matches() {
        let html = format!("<div id=a class='{}x'>", "y ".repeat(10_000));
        let dom = page(&html, &Limits::default());
        let id = dom.descend(dom.root()).find(|&id| dom.name(id) == "div").expect("is there");
        let selector = parse(".x").next().expect("a selector");
        let mut budget = 300;
        assert!(selector.matches(&dom, id, &[], &mut budget));
        assert_eq!(budget, 0);
        assert!(!selector.matches(&dom, id, &[], &mut budget));
    }

    #[test]
    fn names_of_many_escapes_are_read() {
        let name = "\\79".repeat(1_000_000);
        let html = format!("<div class='{}' id=a></div>", "y".repeat(1_000_000));
        assert_eq!(matched(&html, &format!(".{name}")), ["a"]);
    }

    #[test]
    fn tags_classes_ids_and_what_is_around_them() {
        let html =
            "<div id=a class='x y'><p id=b class=y><b id=c></b></p></div><p id=d class=x\\:z>";
        for (list, expect) in [
            (".y", &["a", "b"][..]),
            (".x.y", &["a"]),
            ("p", &["b", "d"]),
            ("P.y", &["b"]),
            ("#c, #d", &["c", "d"]),
            ("div .y", &["b"]),
            (".x > .y", &["b"]),
            (".x > b", &[]),
            (".x b", &["c"]),
            (".x /**/ p>b", &["c"]),
            (".y:first-child", &["a", "b"]),
            (".y[hidden]", &["a", "b"]),
            (".y:not(.x,.z)", &["a", "b"]),
            (".y:hover, .y::before", &[]),
            (".a + .y", &[]),
            ("..y", &[]),
            (".", &[]),
            ("", &[]),
            (".\\79", &["a", "b"]),
            (".\\79 , q", &["a", "b"]),
        ] {
            assert_eq!(matched(html, list), expect, "{list}");
        }
        let read = |text| parse(text).next().map(|s| (s.specificity, s.loose, s.of_page()));
        assert_eq!(read("#a .b c:not(d)"), Some(((1, 1, 1), true, false)));
        assert_eq!(read("html.js .b"), Some(((0, 2, 1), false, true)));
    }
}
