//! Values that a page names, and uses by their names (CSS Custom Properties Level 1 §2, §3).
//!
//! Must not know: elements, which declaration wins.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr};

use super::colours::{Paint, colour};
use super::functions::closing;
use super::units::{length, pixels};
use super::{Property, math, spelled};

/// In the place of the name that a value stands for, where it is none: what it may do, as bits. Nothing …
pub(in super::super) const HARMLESS: u32 = 0;
/// … hide as a size or a share, …
const LITTLE: u32 = 1;
/// … as a place, …
const AWAY: u32 = 2;
/// … as a margin, …
const ASIDE: u32 = 4;
/// … as a word or a colour, …
const WORD: u32 = 8;
/// … in any way.
pub(in super::super) const ANY: u32 = 15;

/// What a value may do that hides by this property.
pub(in super::super) fn kinds(property: Property) -> u32 {
    use Property::*;
    match property {
        Opacity | FontSize | SizeAdjust | Scale | Zoom | Height | MaxHeight | Width | MaxWidth => {
            LITTLE
        }
        Left | Top | Right | Bottom | Translate | Indent | IndentOut | LetterSpacing
        | WordSpacing => AWAY,
        MarginTop | MarginLeft => ASIDE,
        Filter | Transform | ClipPath | Clip | Rotate => ANY,
        _ => WORD,
    }
}

/// Names that stand for other names, one after the other.
pub(in super::super) const MAX_DEPTH: usize = 8;
/// Longer values are not filled in.
pub(super) const LONGEST: usize = 400;

/// A name in a number above [`ANY`]; others may have the same, so it tells only what may be.
pub(in super::super) fn number_of(name: &str) -> u32 {
    let mix = |hash: u32, byte: u8| {
        (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193)
    };
    name.bytes().fold(0x811c_9dc5, mix).max(ANY + 1)
}

/// Calls `each` with the number of the name that a declaration gives a value, and with the value, but for those that
/// plainly hide nothing.
pub(super) fn sets(text: &str, odd: bool, each: &mut impl FnMut(u32, &str)) {
    let plain = if odd { spelled(text) } else { Cow::Borrowed(text) };
    let text = plain.trim_ascii_start();
    if !text.starts_with("--") {
        return;
    }
    let Some(colon) = memchr(b':', text.as_bytes()) else { return };
    let (name, value) = (&text[..colon], text[colon + 1..].trim_ascii());
    if !is_harmless(value.as_bytes()) {
        each(number_of(name.trim_ascii_end()), value);
    }
}

/// What a value may do, or the number of the name that it uses.
pub(in super::super) fn stands_for(value: &str) -> u32 {
    let (value, _) = plain_value(value);
    used(value).unwrap_or_else(|| may_hide(&math::worked_out(value)))
}

/// Is it a value that [`may_hide`] nothing, by its first bytes? Most are colours, fonts and sizes.
fn is_harmless(value: &[u8]) -> bool {
    match value {
        [] | [b'"' | b'\'', ..] => true,
        // Four or eight digits say how much shows through.
        [b'#', rest @ ..] => {
            let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
            !matches!(digits, 4 | 8)
        }
        // A size of 10 to 599 pixels, or a number or a share of 1 to 99.
        [b'1'..=b'9', rest @ ..] => {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            match &rest[digits..] {
                [b'p', b'x'] => digits == 1 || digits == 2 && value[0] < b'6',
                [] | [b'%'] => digits < 2,
                _ => false,
            }
        }
        // A colour that lets nothing through.
        [b'r', b'g', b'b', b'(', rest @ ..] => {
            let commas = rest.iter().filter(|&&b| b == b',').count();
            commas == 2 && rest.iter().position(|&b| b == b')') == Some(rest.len() - 1)
        }
        [first, ..] if first.is_ascii_alphabetic() => {
            let first = first.to_ascii_lowercase();
            !WORDS.iter().any(|word| word.as_bytes().first() == Some(&first))
                && memchr(b'(', value).is_none()
        }
        _ => false,
    }
}

/// Words that hide in some property.
const WORDS: [&str; 10] = [
    "none",
    "hidden",
    "collapse",
    "disc",
    "circle",
    "square",
    "fixed",
    "absolute",
    "strict",
    "transparent",
];

/// A value without what says that it is important, and whether that was said.
pub(super) fn plain_value(value: &str) -> (&str, bool) {
    let value = value.trim_ascii();
    let flag = memrchr(b'!', value.as_bytes())
        .filter(|at| value[at + 1..].trim_ascii().eq_ignore_ascii_case("important"));
    flag.map_or((value, false), |at| (value[..at].trim_ascii_end(), true))
}

/// Which name a value uses first, or what may be done by what is used where nobody sets it.
pub(super) fn used(value: &str) -> Option<u32> {
    let open = memchr_iter(b'(', value.as_bytes()).find(|&at| value[..at].ends_with("var"))?;
    let rest = &value[open + 1..];
    let inner = &rest[..closing(rest)];
    let (name, otherwise) = match memchr(b',', inner.as_bytes()) {
        Some(comma) => (&inner[..comma], may_hide(inner[comma + 1..].trim_ascii())),
        None => (inner, HARMLESS),
    };
    Some(if otherwise == HARMLESS { number_of(name.trim_ascii()) } else { otherwise })
}

/// What may be done by this value. Most colours and sizes are for all to see.
fn may_hide(value: &str) -> u32 {
    let first = value.split_ascii_whitespace().next().unwrap_or_default();
    match length(first) {
        Some((number, "" | "%")) if (0.0..1.0).contains(&number) => LITTLE,
        Some((number, unit)) if number >= 0.0 => match pixels(first) {
            Some(n) if !unit.is_empty() && n < 6.0 => LITTLE,
            // A sum may take it off.
            Some(n) if n >= 600.0 => AWAY | ASIDE,
            _ => HARMLESS,
        },
        Some((_, unit)) => match pixels(first) {
            Some(n) if !unit.is_empty() && n > -600.0 => AWAY,
            _ => AWAY | ASIDE,
        },
        None if WORDS.iter().any(|word| word.eq_ignore_ascii_case(first)) => WORD,
        // Further names are not followed.
        None if value.contains("var(") => HARMLESS,
        None if value.contains('(') => match colour(value) {
            Some(Paint::Clear) => WORD,
            Some(Paint::Of(_)) => HARMLESS,
            // A colour that lets something through, or what is no colour.
            _ if ["rgb", "hsl"].iter().any(|name| value.starts_with(name)) => HARMLESS,
            _ => ANY,
        },
        None if value.starts_with('#') && matches!(value.len(), 5 | 9) => {
            if colour(value) == Some(Paint::Clear) { WORD } else { HARMLESS }
        }
        None => HARMLESS,
    }
}

/// What is known of a name at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Stands {
    For(String),
    /// Nothing sets it.
    Missing,
    /// It depends on the reader, or on what is not read here.
    Unknown,
}

/// A value with its names filled in; `None` if one of them is not known.
pub(in super::super) fn filled(value: &str, of: &mut dyn FnMut(&str) -> Stands) -> Option<String> {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, inside)) = rest.split_once("var(") {
        let end = closing(inside);
        let inner = &inside[..end];
        let (name, otherwise) = match inner.split_once(',') {
            Some((name, otherwise)) => (name, Some(otherwise.trim_ascii())),
            None => (inner, None),
        };
        out.push_str(before);
        match (of(name.trim_ascii()), otherwise) {
            (Stands::For(value), _) => out.push_str(&value),
            (Stands::Missing, Some(otherwise)) if !otherwise.contains("var(") => {
                out.push_str(otherwise);
            }
            _ => return None,
        }
        if out.len() > LONGEST {
            return None;
        }
        rest = inside.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    (out.len() <= LONGEST).then_some(out)
}
