//! One declaration of a block: what of it matters, read as little as can be.
//!
//! Must not know: rules.

use std::borrow::Cow;

use memchr::memchr;

use super::property::{COMMON, CUTS, DECIDING, Properties};
use super::values::{self, effect};
use super::{Declaration, Effect, Property, Reading, math, plain, units, variables};

/// Longer names of properties do not matter.
const LONGEST: usize = 33;

/// Reads a declaration; `odd`: it has escapes or comments. Returns the properties that it may speak of, but that
/// [`Reading::Hiding`] passes over.
pub(super) fn declaration(
    text: &str,
    odd: bool,
    reading: Reading,
    each: &mut impl FnMut(Declaration),
) -> Properties {
    let mut passed = Properties::default();
    let plain = if odd { plain(text) } else { Cow::Borrowed(text) };
    let text = plain.trim_ascii_start();
    // Most declarations are told by their first letters.
    let bytes = text.as_bytes();
    let Some((&[first, second, third], _)) = bytes.split_first_chunk() else { return passed };
    let letter = |at: usize| bytes.get(at).map_or(0, |b| b | 0x20);
    match &[first | 0x20, second | 0x20, third | 0x20] {
        b"dis" | b"vis" | b"opa" | b"pos" | b"lef" | b"top" | b"rig" | b"bot" | b"cli" | b"-we"
        | b"ani" | b"ins" | b"sca" | b"mas" | b"zoo" => {}
        [b'-', b'-', _] => {
            // It gives a name a value.
            passed.add(Property::Variable);
            return passed;
        }
        b"tex" if letter(5) == b'i' => {}
        b"fon" if letter(5) == b's' || bytes.get(4) != Some(&b'-') => {}
        b"tra" if matches!(letter(5), b'f' | b'l') => {}
        b"fil" if letter(3) == b't' => {}
        b"con" if letter(8) == b'v' || letter(5) == b'i' => {}
        b"rot" if letter(3) == b'a' => {}
        b"col" | b"hei" | b"wid" | b"max" | b"mar" | b"blo" | b"inl" | b"let"
            if reading == Reading::All || may_hide(bytes) => {}
        b"ove" if letter(4) == b'f' => {}
        b"whi" => {}
        b"tex" | b"bac" | b"min" | b"pad" | b"fle" if reading == Reading::All => {}
        letters => return common(letters),
    }
    let mut lower = [0; LONGEST];
    let mut length = 0;
    while let Some(&b) = bytes.get(length)
        && length < LONGEST
        && (b.is_ascii_alphabetic() || b == b'-')
    {
        lower[length] = b | 0x20;
        length += 1;
    }
    let lower = &lower[..length];
    let Some(properties) = Property::named(lower) else { return passed };
    let Some(value) = text[length..].trim_ascii_start().strip_prefix(':') else { return passed };
    let mut value = Cow::Borrowed(value.trim_ascii());
    let (mut upper, mut flag, mut brackets) = (false, false, false);
    for b in value.bytes() {
        upper |= b.is_ascii_uppercase();
        flag |= b == b'!';
        brackets |= b == b'(';
    }
    if upper {
        value = Cow::Owned(value.to_ascii_lowercase());
    }
    let (mut value, mut important) = (&*value, false);
    if flag && let Some((before, flag)) = value.rsplit_once('!') {
        if flag.trim_ascii() != "important" {
            return passed;
        }
        (value, important) = (before.trim_ascii_end(), true);
    }
    if brackets && let Some(name) = variables::used(value) {
        let effect = match lower {
            // A name may be any word.
            b"animation" | b"animation-name" => Effect::Moves(0),
            _ => Effect::Varies(name),
        };
        for &property in properties {
            if reading == Reading::Hiding && !is_read(property) {
                passed.add(property);
            } else {
                each(Declaration { property, effect, important });
            }
        }
        return passed;
    }
    let value = if brackets { math::worked_out(value) } else { Cow::Borrowed(value) };
    let value = &*value;
    let parts = match lower {
        b"font" => [values::size_of_font(value); 4],
        b"inset" | b"padding" => units::sides(value),
        b"margin" => {
            let [top, _, _, left] = units::sides(value);
            [top, left, None, None]
        }
        b"padding-block" | b"padding-inline" => {
            let [first, second, ..] = units::sides(value);
            [first, second, None, None]
        }
        b"margin-block" | b"margin-inline" => [units::sides(value)[0]; 4],
        _ => [Some(value); 4],
    };
    for (&property, value) in properties.iter().zip(parts) {
        let Some(effect) = value.and_then(|value| effect(property, value)) else { continue };
        if reading == Reading::Hiding
            && COMMON.has(property)
            && !(is_read(property) && effect.hides())
        {
            passed.add(property);
        } else {
            each(Declaration { property, effect, important });
        }
    }
    passed
}

/// Is read at first, where it hides or helps others to.
fn is_read(property: Property) -> bool {
    !(COMMON.has(property) && DECIDING.has(property))
        || CUTS.has(property)
        || property == Property::WhiteSpace
}

/// The [`COMMON`] properties whose names begin with these letters.
fn common(letters: &[u8; 3]) -> Properties {
    use Property::{
        Basis, Color, Ground, Grows, Height, LetterSpacing, MarginLeft, MarginTop, MaxHeight,
        MaxWidth, MinHeight, MinWidth, Outline, PaddingBottom, PaddingLeft, PaddingRight,
        PaddingTop, Picture, TextClip, Width,
    };
    Properties::of(match letters {
        b"col" => &[Color],
        b"hei" | b"blo" => &[Height],
        b"wid" | b"inl" => &[Width],
        b"max" => &[MaxHeight, MaxWidth],
        b"min" => &[MinHeight, MinWidth],
        b"mar" => &[MarginTop, MarginLeft],
        b"pad" => &[PaddingTop, PaddingRight, PaddingBottom, PaddingLeft],
        b"let" => &[LetterSpacing],
        b"fle" => &[Grows, Basis],
        b"tex" => &[Outline],
        b"bac" => &[Ground, Picture, TextClip],
        _ => &[],
    })
}

/// May the value of a colour of letters, a size, a margin or a space between letters hide? Nearly none does.
fn may_hide(bytes: &[u8]) -> bool {
    let Some(colon) = memchr(b':', bytes) else { return false };
    let value = bytes.get(colon + 1..).unwrap_or_default().trim_ascii_start();
    let digits = |at: usize| {
        let digit = |b: &&u8| b.is_ascii_hexdigit();
        value.iter().skip(at).take_while(digit).count()
    };
    match (bytes.first().map_or(0, |b| b | 0x20), value) {
        // Transparent, or with a share of the ground.
        (b'c', [b't' | b'T', ..]) => true,
        (b'c', [b'#', ..]) => matches!(digits(1), 4 | 8),
        (b'c', _) => memchr(b'(', value).is_some(),
        (b'm', _) if bytes.get(2).is_some_and(|b| b | 0x20 == b'r') => {
            memchr(b'-', value).is_some() || digits(0) >= 4
        }
        (b'l', _) => memchr(b'-', value).is_some(),
        (_, [b'0' | b'.' | b'+', ..]) => true,
        (_, [b'1'..=b'5', b'p' | b'P', ..]) => true,
        (_, [b'c' | b'm' | b'v' | b'C' | b'M' | b'V', ..]) => memchr(b'(', value).is_some(),
        _ => false,
    }
}
