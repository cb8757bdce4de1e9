//! Style sheets and declarations, as far as they can keep text from sight, by CSS Syntax Level 3:
//! strings, comments, escapes, blocks. What is not understood hides nothing.
//!
//! Each byte is looked at a bounded number of times; nothing recurses, nothing is kept of what does
//! not matter. Must not know: elements.

mod scan;
mod values;

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};
use scan::{BRACE, SEMICOLON, close, is_flat, skip_space, stop};
use values::{effect, font, pixels};

/// A property that can hide what it is set on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Display,
    Visibility,
    Opacity,
    FontSize,
    Indent,
    /// Whether the element leaves the flow, so that offsets and clips can take it away.
    Position,
    Left,
    Top,
    Right,
    Bottom,
    Clip,
    ClipPath,
}

impl Property {
    pub(super) const COUNT: usize = 12;

    /// The property with this name in lower case.
    fn named(name: &[u8]) -> Option<Property> {
        Some(match name {
            b"display" => Property::Display,
            b"visibility" => Property::Visibility,
            b"opacity" => Property::Opacity,
            b"font-size" | b"font" => Property::FontSize,
            b"text-indent" => Property::Indent,
            b"position" => Property::Position,
            b"left" => Property::Left,
            b"top" => Property::Top,
            b"right" => Property::Right,
            b"bottom" => Property::Bottom,
            b"clip" => Property::Clip,
            b"clip-path" | b"-webkit-clip-path" => Property::ClipPath,
            _ => return None,
        })
    }
}

/// What a declaration says about being seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Alone or with others, it hides.
    Hides,
    Shows,
    /// As the parent: relative sizes, inherited values.
    Inherits,
}

/// One declaration that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    pub property: Property,
    pub effect: Effect,
    pub important: bool,
}

/// A rule of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule<'a, 'd> {
    pub selectors: &'a str,
    /// What of its block matters, in order: of each property the last, whichever selector matches.
    pub declarations: &'d [Declaration],
    /// It counts on every wide screen; else it may, and then it hides nothing for sure.
    pub sure: bool,
}

/// Does a media query list apply to a screen of 1,280 pixels? `None`: it depends.
pub(super) fn applies(media: &str) -> Option<bool> {
    let media = media.trim().to_ascii_lowercase();
    if media.is_empty() {
        return Some(true);
    }
    let mut all = Some(false);
    for answer in media.split(',').map(query) {
        match answer {
            Some(true) => return Some(true),
            Some(false) => {}
            None => all = None,
        }
    }
    all
}

/// One media query: types and widths are known, all else is not.
fn query(query: &str) -> Option<bool> {
    const WIDTH: f64 = 1_280.0;
    let mut sure = true;
    for part in query.split(" and ").map(str::trim) {
        let part = part.strip_prefix("only ").unwrap_or(part).trim();
        let feature = part.strip_prefix('(').and_then(|p| p.strip_suffix(')'));
        let known = match part {
            "all" | "screen" => Some(true),
            "print" | "speech" | "handheld" | "tv" | "projection" => Some(false),
            _ => feature.and_then(|f| f.split_once(':')).and_then(|(name, value)| {
                let width = pixels(value.trim())?;
                match name.trim() {
                    "min-width" => Some(WIDTH >= width),
                    "max-width" => Some(WIDTH <= width),
                    _ => None,
                }
            }),
        };
        match known {
            Some(true) => {}
            Some(false) => return Some(false),
            None => sure = false,
        }
    }
    sure.then_some(true)
}

/// Calls `each` with the rules of a sheet in order. `media` is what its element says.
pub(super) fn rules<'a>(sheet: &'a str, media: &str, each: &mut impl FnMut(Rule<'a, '_>)) {
    // Whether what the open blocks contain counts; `None` as in [`applies`].
    let mut open: Vec<Option<bool>> = vec![applies(media)];
    let mut found = Vec::new();
    // Sheets say the same conditions again and again.
    let mut known: Vec<(&str, Option<bool>)> = Vec::new();
    let bytes = sheet.as_bytes();
    let mut at = 0;
    while let Some(start) = skip_space(bytes, at) {
        if bytes[start] == b'}' {
            if open.len() > 1 {
                open.pop();
            }
            at = start + 1;
            continue;
        }
        let stops = if bytes[start] == b'@' { BRACE | SEMICOLON } else { BRACE };
        let end = stop(bytes, start, stops).0;
        let prelude = &sheet[start..end];
        match bytes.get(end) {
            Some(b'{') => at = end + 1,
            Some(b';') => {
                at = end + 1;
                continue;
            }
            Some(_) => {
                at = end;
                continue;
            }
            None => return,
        }
        let around = open.last().copied().flatten();
        if let Some(rule) = prelude.strip_prefix('@') {
            let cut = rule.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            let (name, condition) = rule.split_at(cut.unwrap_or(rule.len()));
            let inner = match name.to_ascii_lowercase().as_str() {
                "media" => Some(match known.iter().find(|(media, _)| *media == condition) {
                    Some((_, answer)) => *answer,
                    None => {
                        let answer = applies(&plain(condition));
                        if known.len() < MAX_KNOWN {
                            known.push((condition, answer));
                        }
                        answer
                    }
                }),
                "layer" => Some(Some(true)),
                "supports" => Some(supports(&plain(condition))),
                "scope" | "container" | "starting-style" => Some(None),
                _ => None,
            };
            match inner {
                Some(inner) if open.len() < MAX_OPEN => open.push(match (around, inner) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }),
                _ => at = close(bytes, at) + 1,
            }
            continue;
        }
        // A conditional rule may show what another hides, so it is looked at.
        let end = if around == Some(false) {
            close(bytes, at)
        } else {
            found.clear();
            let end = block(sheet, at, &mut |declaration: Declaration| {
                let of = |d: &Declaration| (d.property, d.important);
                found.retain(|old| of(old) != of(&declaration));
                found.push(declaration);
            });
            let sure = around == Some(true);
            each(Rule { selectors: prelude, declarations: &found, sure });
            end
        };
        at = end + 1;
    }
}

/// Does a browser of today support this? `None`: it is not told here. What only one maker's browsers have known is a
/// way to speak to the old ones.
fn supports(condition: &str) -> Option<bool> {
    let condition = condition.trim().to_ascii_lowercase();
    let plain = condition.strip_prefix('(').and_then(|c| c.strip_suffix(')'));
    let plain = plain.filter(|c| c.contains(':') && !c.contains(['(', ')']))?;
    (!plain.trim_start().starts_with(['-', '_', '*'])).then_some(true)
}

/// Conditional blocks inside of each other; deeper ones are passed over.
const MAX_OPEN: usize = 16;
/// Conditions of one sheet whose answers are kept.
const MAX_KNOWN: usize = 16;

/// The declarations of a `style` attribute that matter.
pub(super) fn declarations(style: &str, each: &mut impl FnMut(Declaration)) {
    let mut at = 0;
    while at < style.len() {
        at = block(style, at, each) + 1;
    }
}

/// Reads the declarations of a block from inside of it; returns the place of the brace that ends it,
/// or the end.
fn block(text: &str, mut at: usize, each: &mut impl FnMut(Declaration)) -> usize {
    let bytes = text.as_bytes();
    let rest = text.get(at..).unwrap_or_default();
    let length = memchr(b'}', rest.as_bytes()).unwrap_or(rest.len());
    let flat = &rest[..length];
    // Most blocks are declarations in plain words.
    if is_flat(flat.as_bytes()) {
        let mut start = 0;
        for end in memchr_iter(b';', flat.as_bytes()).chain([length]) {
            if let Some(found) = declaration(&flat[start..end], false) {
                each(found);
            }
            start = end + 1;
        }
        return at + length;
    }
    while at < bytes.len() {
        let (end, odd) = stop(bytes, at, BRACE | SEMICOLON);
        if bytes.get(end) == Some(&b'{') {
            // A rule nested in this one.
            at = close(bytes, end + 1) + 1;
            continue;
        }
        if let Some(found) = declaration(&text[at..end], odd) {
            each(found);
        }
        if bytes.get(end) != Some(&b';') {
            return end;
        }
        at = end + 1;
    }
    bytes.len()
}

/// Longer names of properties do not matter.
const LONGEST: usize = 18;

/// Reads a declaration; `odd`: it has escapes or comments.
fn declaration(text: &str, odd: bool) -> Option<Declaration> {
    let plain = if odd { plain(text) } else { Cow::Borrowed(text) };
    let text = plain.trim_ascii_start();
    // Most declarations are told by their first letters.
    let bytes = text.as_bytes();
    let (&[first, second, third], _) = bytes.split_first_chunk()?;
    let sixth = bytes.get(5).map_or(0, |b| b | 0x20);
    match &[first | 0x20, second | 0x20, third | 0x20] {
        b"dis" | b"vis" | b"opa" | b"pos" | b"lef" | b"top" | b"rig" | b"bot" | b"cli" | b"-we" => {
        }
        b"tex" if sixth == b'i' => {}
        b"fon" if sixth == b's' || bytes.get(4) != Some(&b'-') => {}
        _ => return None,
    }
    let length = text.bytes().take(LONGEST).take_while(|b| b.is_ascii_alphabetic() || *b == b'-');
    let (name, value) = text.split_at(length.count());
    let mut lower = [0; LONGEST];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    let property = Property::named(lower)?;
    let value = value.trim_ascii_start().strip_prefix(':')?.trim_ascii();
    let value = match value.bytes().any(|b| b.is_ascii_uppercase()) {
        true => Cow::Owned(value.to_ascii_lowercase()),
        false => Cow::Borrowed(value),
    };
    let (value, important) = match value.rsplit_once('!') {
        Some((value, flag)) if flag.trim_ascii() == "important" => (value.trim_ascii_end(), true),
        Some(_) => return None,
        None => (&*value, false),
    };
    let effect = if lower == b"font" { font(value) } else { effect(property, value) }?;
    Some(Declaration { property, effect, important })
}

/// Text without comments, with its escapes resolved.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') && !text.contains("/*") {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(n) = rest.find(['\\', '/']) {
        out.push_str(&rest[..n]);
        rest = &rest[n..];
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if let Some(escape) = rest.strip_prefix('\\') {
            let digits = escape.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
            let code = u32::from_str_radix(&escape[..digits], 16).ok().and_then(char::from_u32);
            rest = &escape[digits..];
            if digits == 0 {
                let next = rest.chars().next();
                out.extend(next);
                rest = &rest[next.map_or(0, char::len_utf8)..];
            } else {
                out.push(code.unwrap_or('\u{FFFD}'));
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hides(style: &str) -> bool {
        let mut last: Option<Effect> = None;
        declarations(style, &mut |d| last = Some(d.effect));
        last == Some(Effect::Hides)
    }

    #[test]
    fn values_that_hide() {
        for style in [
            "display:none",
            "DISPLAY : None ;",
            "color:red;display:none",
            "display:none!important",
            "display:none ! important",
            "disp\\6c ay:n\\6Fne",
            "display:/* x */none",
            "color:url(a;b);display:none",
            "content:'a;b';display:none",
            "visibility:hidden",
            "visibility:COLLAPSE",
            "opacity:0",
            "opacity: 0.00%",
            "font-size:0",
            "font-size:0px",
            "font-size:.0em",
            "font:0/0 a",
            "text-indent:-9999px",
            "left:-99em",
            "top:-100vh",
            "clip:rect(0,0,0,0)",
            "clip: rect(1px 1px 1px 1px)",
            "clip-path: inset(50%)",
        ] {
            assert!(hides(style), "{style}");
        }
        for style in [
            "",
            "display:block",
            "display:none;display:block",
            "display:nonesuch",
            "x-display:none",
            "display:none none",
            "display:none\u{a0}",
            "display:none\u{a0}!important",
            "--display:none",
            "content:'display:none'",
            "/*display:none*/",
            "display",
            "display:none!ie",
            "opacity:.5",
            "opacity:calc(0)",
            "font-size:12px",
            "font:12px/0 a",
            "text-indent:-1em",
            "left:-1px",
            "clip:rect(0,100px,100px,0)",
            "a{display:none}",
        ] {
            assert!(!hides(style), "{style}");
        }
    }

    #[test]
    fn sheets_are_cut_into_rules() {
        let check = |sheet: &str, expect: &[(&str, bool, bool)]| {
            let mut found = Vec::new();
            rules(sheet, "", &mut |r| {
                let hides = r.declarations.iter().any(|d| d.effect == Effect::Hides);
                found.push((r.selectors.trim().to_owned(), hides, r.sure));
            });
            let expect: Vec<_> =
                expect.iter().map(|&(s, h, sure)| (s.to_owned(), h, sure)).collect();
            assert_eq!(found, expect, "{sheet}");
        };
        let gone = "{display:none}";
        check(".a{b:c}", &[(".a", false, true)]);
        check(&format!("<!-- .a , .b {gone} -->"), &[(".a , .b", true, true)]);
        check(
            &format!("/* .x{gone} */.a{{}}.b{gone}/*"),
            &[(".a", false, true), (".b", true, true)],
        );
        check(&format!("@import url(a;b.css);.a{gone}"), &[(".a", true, true)]);
        check(&format!("@font-face{{x:url(data:,{{}})}}.a{gone}"), &[(".a", true, true)]);
        check(
            "@charset \"utf-8\";.a{b:'}'}.c{x:y;opacity:0",
            &[(".a", false, true), (".c", true, true)],
        );
        check(&format!("@media print{{.a{gone}}}.c{gone}"), &[(".c", true, true)]);
        check(&format!("@MEDIA screen and (min-width:600px){{.a{gone}}}"), &[(".a", true, true)]);
        check(&format!("@media (max-width:600px){{.a{gone}}}.c{gone}"), &[(".c", true, true)]);
        check(
            &format!("@media (hover:hover){{.a{gone}}}.c{{d}}"),
            &[(".a", true, false), (".c", false, true)],
        );
        check(
            &format!("@media print,screen{{@supports (a:b){{.a{gone}}}}}"),
            &[(".a", true, true)],
        );
        check(&format!("@keyframes x{{from{gone}to{{c:d}}}}.a{gone}"), &[(".a", true, true)]);
        check(
            &format!(".a{{b;&:hover{gone}d}}.b{gone}"),
            &[(".a", false, true), (".b", true, true)],
        );
        check(".a{b;&:hover{c}display:none}", &[(".a", true, true)]);
        check(".a{b:url(;});display:none}", &[(".a", true, true)]);
        check(".a{b:(;display:none);c:d}", &[(".a", false, true)]);
        check(".a{b:(;display:none}.c{d}", &[(".a", false, true), (".c", false, true)]);
        check("}}.a{opacity:0}", &[(".a", true, true)]);
        check("@media", &[]);
    }

    proptest! {
        #[test]
        fn any_sheet_ends(sheet in "[a-c.#{}();:,@/*\\\\'\"! é-]{0,120}|(@media |screen|\\{|\\}|url\\(|/\\*|\\*/|display:none|;){0,40}") {
            rules(&sheet, "", &mut |rule| drop(plain(rule.selectors)));
            declarations(&sheet, &mut |_| {});
        }

        /// Blocks without brackets and strings are read in a shorter way; a comment keeps others from it.
        #[test]
        fn flat_blocks_are_read_as_others(style in "((display|DISPLAY|opacity|font|font-size|font-family|text-indent|top|to|color|;| )?(:|: |;)?(none|0|-9999px|block|a/b|url\\(a;b\\)|'a;b'|!important|é)?[;} ]?){0,9}") {
            let read = |style: &str| {
                let mut found = Vec::new();
                declarations(style, &mut |d| found.push(d));
                found
            };
            prop_assert_eq!(read(&style), read(&format!("/**/{style}")));
            let mut rules_of = [Vec::new(), Vec::new()];
            for (sheet, found) in [format!("a,b{{{style}}}"), format!("a,b/**/{{/**/{style}}}")].iter().zip(&mut rules_of) {
                rules(sheet, "", &mut |r| found.push((r.declarations.to_vec(), r.sure)));
            }
            prop_assert_eq!(&rules_of[0], &rules_of[1]);
        }
    }
}
