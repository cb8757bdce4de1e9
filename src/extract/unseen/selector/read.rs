//! Text → selectors (Selectors Level 4 §3, §17).
//!
//! Arguments are read to a depth of [`MAX_DEPTH`]. Must not know: elements.

use std::borrow::Cow;

use super::super::css;
use super::simple::{Attribute, Nth, Test};
use super::{Combinator, Compound, Selector, Specificity};

/// Compounds in one selector; longer ones are taken to match nothing.
const MAX_COMPOUNDS: usize = 16;
/// Selectors in one list of arguments; where there are more, not all are known.
const ARGUMENTS: usize = 16;
/// Arguments of arguments; what stands deeper is not known.
const MAX_DEPTH: u8 = 2;

/// The parts of a list between its commas.
pub(in super::super) fn parts(list: &str) -> impl Iterator<Item = &str> {
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

/// The first selectors of a list that are asked for, so many at most; none if browsers do not read one of the list: then
/// none of it counts (Selectors Level 4 §3.8).
pub(in super::super) fn list(
    list: &str,
    most: usize,
    asked: impl Fn(&str) -> bool,
) -> Vec<Selector> {
    let mut found = Vec::new();
    for part in parts(list) {
        let asked = found.len() < most && asked(part);
        if !asked && is_simple(part) {
            continue;
        }
        match read(part, 0) {
            Ok(selector) if asked => found.push(selector),
            Err(Unread::Invalid) => return Vec::new(),
            _ => {}
        }
    }
    found
}

/// Is it a row of tags, classes and ids, perhaps in a state? Most are.
fn is_simple(part: &str) -> bool {
    let mut before = b' ';
    for (at, byte) in part.bytes().enumerate() {
        let fits = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => true,
            b'0'..=b'9' | b'-' => !matches!(before, b' ' | b'.' | b'#'),
            b'.' | b'#' => !matches!(before, b'.' | b'#'),
            b' ' => !matches!(before, b'.' | b'#'),
            b'>' => at > 0 && !matches!(before, b'.' | b'#' | b'>'),
            b':' => {
                let state = &part[at + 1..];
                let state = state.strip_prefix(':').unwrap_or(state);
                return !matches!(before, b'.' | b'#') && NEVER.contains(&state);
            }
            _ => false,
        };
        if !fits {
            return false;
        }
        // White space beside `>` says nothing.
        if byte != b' ' || before != b'>' {
            before = byte;
        }
    }
    !matches!(before, b' ' | b'.' | b'#' | b'>')
}

/// A class (`.`), an id (`#`) or a tag (blank) that whatever a selector matches must have, if its end
/// says so plainly.
pub(in super::super) fn last_name(text: &str) -> Option<(u8, &str)> {
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

/// Pseudo-classes and pseudo-elements that no element of a page has when it is opened, or that none has that
/// holds text; `host` is outside of what sheets of the page may say.
const NEVER: [&str; 33] = [
    "hover",
    "focus",
    "focus-within",
    "focus-visible",
    "active",
    "target",
    "target-within",
    "visited",
    "before",
    "after",
    "first-letter",
    "first-line",
    "placeholder",
    "marker",
    "autofill",
    "-webkit-autofill",
    "fullscreen",
    "-webkit-full-screen",
    "modal",
    "popover-open",
    "picture-in-picture",
    "user-invalid",
    "user-valid",
    "in-range",
    "out-of-range",
    "indeterminate",
    "playing",
    "paused",
    "host",
    "host-context",
    "current",
    "placeholder-shown",
    "default",
];

/// Those that may be met, which is not told here.
const UNTOLD: [&str; 15] = [
    "enabled",
    "optional",
    "valid",
    "invalid",
    "read-only",
    "read-write",
    "defined",
    "dir",
    "open",
    "state",
    "local-link",
    "muted",
    "has-slotted",
    "active-view-transition",
    "past",
];

/// Why a selector is none.
enum Unread {
    /// It is never met.
    Never,
    /// Browsers read none either.
    Invalid,
    /// It is too long.
    Long,
}

/// Reads one selector.
pub(in super::super) fn selector(text: &str) -> Option<Selector> {
    read(text, 0).ok()
}

/// What was read of a selector.
#[derive(Default)]
struct Reader {
    row: Vec<(Compound, Combinator)>,
    compound: Compound,
    specificity: Specificity,
    loose: bool,
    arguments: usize,
    depth: u8,
}

/// `depth`: of how many others it is an argument.
fn read(text: &str, depth: u8) -> Result<Selector, Unread> {
    let mut reader = Reader { depth, ..Reader::default() };
    let (mut empty, mut joint) = (true, None);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        let found = match c {
            ' ' | '\t' | '\n' | '\r' | '\x0c' => Some(Combinator::Inside),
            '>' => Some(Combinator::Child),
            '+' => Some(Combinator::Next),
            '~' => Some(Combinator::Later),
            _ => None,
        };
        if let Some(found) = found {
            joint = match (joint, found) {
                (None | Some(Combinator::Inside), found) => Some(found),
                (Some(joint), Combinator::Inside) => Some(joint),
                _ => return Err(Unread::Invalid),
            };
            rest = &rest[1..];
            continue;
        }
        if let Some(joint) = joint.take() {
            if empty {
                return Err(Unread::Invalid);
            }
            if reader.row.len() >= MAX_COMPOUNDS {
                return Err(Unread::Long);
            }
            reader.row.push((std::mem::take(&mut reader.compound), joint));
        }
        empty = false;
        rest = reader.simple(c, rest)?;
    }
    if empty || !matches!(joint, None | Some(Combinator::Inside)) {
        return Err(Unread::Invalid);
    }
    let Reader { mut row, mut compound, specificity, loose, arguments, .. } = reader;
    row.iter_mut().map(|(c, _)| c).chain([&mut compound]).for_each(Compound::take_marks);
    row.reverse();
    Ok(Selector { last: compound, around: row, specificity, loose, arguments })
}

impl Reader {
    /// Reads a simple selector that begins with `c`; returns what follows it.
    fn simple<'t>(&mut self, c: char, text: &'t str) -> Result<&'t str, Unread> {
        let (ids, classes, tags) = &mut self.specificity;
        let inner = text.get(1..).unwrap_or_default();
        let named = |text: &'t str| match text.starts_with(|c: char| c.is_ascii_digit()) {
            true => Err(Unread::Invalid),
            false => ident(text).ok_or(Unread::Invalid),
        };
        match c {
            '*' => Ok(inner),
            // What a rule is nested in, which is not read.
            '&' => {
                self.loose = true;
                Ok(inner)
            }
            '.' => {
                let (name, after) = named(inner)?;
                *classes = classes.saturating_add(1);
                self.compound.classes.push(name.into_owned());
                Ok(after)
            }
            '#' => {
                let (name, after) = named(inner)?;
                *ids = ids.saturating_add(1);
                self.compound.ids.push(name.into_owned());
                Ok(after)
            }
            '[' => {
                let (inside, after) = bracket(text);
                *classes = classes.saturating_add(1);
                self.test(Attribute::read(inside).map(Test::Attribute));
                Ok(after)
            }
            // Other makers' own are none.
            ':' if inner.starts_with(":-moz-") || inner.starts_with(":-ms-") => {
                Err(Unread::Invalid)
            }
            ':' if inner.starts_with(':') => Err(Unread::Never),
            ':' => {
                let (name, after) = named(inner)?;
                let name = name.to_ascii_lowercase();
                if NEVER.contains(&&*name) {
                    return Err(Unread::Never);
                }
                let (inside, after) = match after.starts_with('(') {
                    true => bracket(after),
                    false => ("", after),
                };
                self.pseudo(&name, inside)?;
                Ok(after)
            }
            _ => {
                let (name, after) = named(text)?;
                *tags = tags.saturating_add(1);
                self.compound.tag = Some(name.to_ascii_lowercase());
                Ok(after)
            }
        }
    }

    /// A pseudo-class and what stands in its brackets.
    fn pseudo(&mut self, name: &str, inside: &str) -> Result<(), Unread> {
        let list = matches!(name, "is" | "where" | "not" | "has" | "matches" | "-webkit-any");
        if !list {
            self.specificity.1 = self.specificity.1.saturating_add(1);
            let attribute = |name| Some(Test::Attribute(Attribute::present(name)));
            match name {
                "root" | "scope" => self.compound.tag = Some("html".to_owned()),
                "checked" => self.test(attribute("checked")),
                "disabled" => self.test(attribute("disabled")),
                "required" => self.test(attribute("required")),
                "link" | "any-link" => self.test(attribute("href")),
                "empty" => self.test(Some(Test::Empty)),
                "lang" => self.test(Test::lang(inside)),
                _ if name.contains("-child") || name.contains("-of-type") => {
                    Nth::read(name, inside)
                        .map(|tests| self.compound.tests.extend(tests.into_iter().map(Test::Nth)))
                        .unwrap_or_else(|| self.loose = true);
                }
                _ if UNTOLD.contains(&name) || name.starts_with("-webkit-") => self.loose = true,
                _ => return Err(Unread::Invalid),
            }
            return Ok(());
        }
        if name == "has" {
            return self.has(inside);
        }
        let (mut found, mut all) = (Vec::new(), self.depth < MAX_DEPTH);
        for part in parts(inside).take(ARGUMENTS + 1) {
            if !all || found.len() == ARGUMENTS {
                all = false;
                break;
            }
            match read(part, self.depth + 1) {
                Ok(selector) => found.push(selector),
                Err(Unread::Invalid) if name == "not" => return Err(Unread::Invalid),
                Err(Unread::Long) => all = false,
                Err(_) => {}
            }
        }
        self.arguments += found.iter().map(|s| 1 + s.arguments).sum::<usize>();
        let most = found.iter().map(|selector| selector.specificity).max();
        if name != "where" {
            // Of arguments that are not read, as much as most have.
            let most = if all { most.unwrap_or_default() } else { most.unwrap_or((0, 1, 0)) };
            self.add(most);
        }
        self.loose |= !all || found.iter().any(|s| s.loose || s.asks_root());
        if name == "not" {
            // What may be met is not known to be missed.
            found.retain(|selector| !selector.loose);
            self.compound.tests.push(Test::None(found.into()));
        } else if all {
            self.compound.tests.push(Test::Any(found.into()));
        }
        Ok(())
    }

    /// `:has()` of single compounds inside of the element, or right below it (Selectors Level 4 §4.5); of others
    /// it is not known what they match.
    fn has(&mut self, inside: &str) -> Result<(), Unread> {
        let mut tests = Vec::new();
        for part in parts(inside) {
            let (below, text) = match part.strip_prefix('>') {
                Some(text) => (true, text.trim_ascii()),
                None => (false, part),
            };
            let found = match self.depth < MAX_DEPTH && tests.len() < ARGUMENTS {
                true => read(text, self.depth + 1),
                false => Err(Unread::Long),
            };
            match found {
                Ok(selector) if selector.around.is_empty() => tests.push((below, selector)),
                Ok(_) | Err(Unread::Long) => self.loose = true,
                // No list of relative selectors forgives, but what stands before them may be what is asked for.
                Err(Unread::Invalid) if text.starts_with(['+', '~']) => self.loose = true,
                Err(Unread::Invalid) => return Err(Unread::Invalid),
                Err(Unread::Never) => {}
            }
        }
        self.arguments += tests.iter().map(|(_, s)| 1 + s.arguments).sum::<usize>();
        let most = tests.iter().map(|(_, selector)| selector.specificity).max();
        self.add(most.unwrap_or((0, 1, 0)));
        self.loose |= tests.iter().any(|(_, s)| s.loose);
        if !self.loose {
            self.compound.tests.push(Test::Has(tests));
        }
        Ok(())
    }

    fn add(&mut self, (ids, classes, tags): Specificity) {
        let all = &mut self.specificity;
        *all =
            (all.0.saturating_add(ids), all.1.saturating_add(classes), all.2.saturating_add(tags));
    }

    /// Adds a test, or remembers that one was not understood.
    fn test(&mut self, test: Option<Test>) {
        match test {
            Some(test) => self.compound.tests.push(test),
            None => self.loose = true,
        }
    }
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

/// What stands in the bracket that `text` begins with, and what follows it; strings hold no brackets.
fn bracket(text: &str) -> (&str, &str) {
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
