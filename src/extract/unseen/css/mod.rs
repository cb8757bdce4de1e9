//! Style sheets and declarations, as far as they can keep text from sight, by CSS Syntax Level 3:
//! strings, comments, escapes, blocks. What is not understood hides nothing.
//!
//! Each byte is looked at a bounded number of times; nothing but sums recurses, and these to a fixed depth; nothing is
//! kept of what does not matter. Must not know: elements.

mod math;
mod scan;
mod shapes;
mod units;
mod values;

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};
use scan::{BRACE, SEMICOLON, close, is_flat, skip_space, stop};
use units::pixels;
use values::effect;

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
    Filter,
    Zoom,
    /// These three move boxes alone, but not what stands in lines.
    Transform,
    Translate,
    Scale,
}

impl Property {
    pub(super) const COUNT: usize = 17;

    /// The properties that one with this name in lower case sets. Those of a line's direction are as in text from left
    /// to right and from top to bottom.
    fn named(name: &[u8]) -> Option<&'static [Property]> {
        use Property::{Bottom, Left, Right, Top};
        Some(match name {
            b"display" => &[Property::Display],
            b"visibility" => &[Property::Visibility],
            b"opacity" => &[Property::Opacity],
            b"font-size" | b"font" => &[Property::FontSize],
            b"text-indent" => &[Property::Indent],
            b"position" => &[Property::Position],
            b"left" | b"inset-inline-start" => &[Left],
            b"top" | b"inset-block-start" => &[Top],
            b"right" | b"inset-inline-end" => &[Right],
            b"bottom" | b"inset-block-end" => &[Bottom],
            b"inset" => &[Top, Right, Bottom, Left],
            b"clip" => &[Property::Clip],
            b"clip-path" | b"-webkit-clip-path" => &[Property::ClipPath],
            b"filter" | b"-webkit-filter" => &[Property::Filter],
            b"transform" | b"-webkit-transform" => &[Property::Transform],
            b"translate" => &[Property::Translate],
            b"scale" => &[Property::Scale],
            b"zoom" => &[Property::Zoom],
            _ => return None,
        })
    }
}

/// What a declaration says about being seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Alone or with others, it hides.
    Hides,
    /// It hides, also where the element keeps its place.
    Gone,
    Shows,
    /// As the parent: relative sizes, inherited values.
    Inherits,
}

impl Effect {
    pub fn hides(self) -> bool {
        matches!(self, Effect::Hides | Effect::Gone)
    }
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
            declaration(&flat[start..end], false, each);
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
        declaration(&text[at..end], odd, each);
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
fn declaration(text: &str, odd: bool, each: &mut impl FnMut(Declaration)) {
    let plain = if odd { plain(text) } else { Cow::Borrowed(text) };
    let text = plain.trim_ascii_start();
    // Most declarations are told by their first letters.
    let bytes = text.as_bytes();
    let Some((&[first, second, third], _)) = bytes.split_first_chunk() else { return };
    let letter = |at: usize| bytes.get(at).map_or(0, |b| b | 0x20);
    match &[first | 0x20, second | 0x20, third | 0x20] {
        b"dis" | b"vis" | b"opa" | b"pos" | b"lef" | b"top" | b"rig" | b"bot" | b"cli" | b"-we"
        | b"ins" | b"sca" | b"zoo" => {}
        b"tex" if letter(5) == b'i' => {}
        b"fon" if letter(5) == b's' || bytes.get(4) != Some(&b'-') => {}
        b"tra" if matches!(letter(5), b'f' | b'l') => {}
        b"fil" if letter(3) == b't' => {}
        _ => return,
    }
    let length = text.bytes().take(LONGEST).take_while(|b| b.is_ascii_alphabetic() || *b == b'-');
    let (name, value) = text.split_at(length.count());
    let mut lower = [0; LONGEST];
    let Some(lower) = lower.get_mut(..name.len()) else { return };
    lower.copy_from_slice(name.as_bytes());
    lower.make_ascii_lowercase();
    let Some(properties) = Property::named(lower) else { return };
    let Some(value) = value.trim_ascii_start().strip_prefix(':') else { return };
    let value = value.trim_ascii();
    let value = match value.bytes().any(|b| b.is_ascii_uppercase()) {
        true => Cow::Owned(value.to_ascii_lowercase()),
        false => Cow::Borrowed(value),
    };
    let (value, important) = match value.rsplit_once('!') {
        Some((value, flag)) if flag.trim_ascii() == "important" => (value.trim_ascii_end(), true),
        Some(_) => return,
        None => (&*value, false),
    };
    let value = math::worked_out(value);
    let value = &*value;
    let parts = match &*lower {
        b"font" => [values::size_of_font(value); 4],
        b"inset" => units::sides(value),
        _ => [Some(value); 4],
    };
    for (&property, value) in properties.iter().zip(parts) {
        if let Some(effect) = value.and_then(|value| effect(property, value)) {
            each(Declaration { property, effect, important });
        }
    }
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
mod tests;
