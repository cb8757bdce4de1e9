//! What the first letters of a declaration tell: which properties it may speak of, and whether its value may hide.
//! Most of a sheet is told by them not to matter.
//!
//! Must not know: effects.

use super::Property;
use super::property::Properties;

/// Where the name begins, without the prefix of an old browser.
fn name(declaration: &[u8]) -> &[u8] {
    let [b'-', b'w' | b'W', ..] = declaration else { return declaration };
    match declaration.split_at_checked(8) {
        Some((prefix, name)) if prefix.eq_ignore_ascii_case(b"-webkit-") => name,
        _ => declaration,
    }
}

/// The properties that a declaration may speak of, by the first letters of its name.
#[inline]
pub(super) fn spoken_of(declaration: &[u8]) -> Properties {
    use Property::*;
    macro_rules! all {
        ($($property:ident),*) => {
            const { Properties::of(&[$($property),*]) }
        };
    }
    let name = name(declaration);
    let letter = |at: usize| name.get(at).map_or(0, |b| b | 0x20);
    match &[letter(0), letter(1), letter(2)] {
        b"dis" => all!(Display),
        b"vis" => all!(Visibility),
        b"opa" => all!(Opacity),
        b"pos" => all!(Position),
        b"lef" => all!(Left),
        b"top" => all!(Top),
        b"rig" => all!(Right),
        b"bot" => all!(Bottom),
        b"ins" => all!(Left, Top, Right, Bottom),
        b"cli" => all!(Clip, ClipPath),
        b"ani" => all!(Animation, Stays),
        b"sca" => all!(Scale),
        b"mas" => all!(Mask),
        b"zoo" => all!(Zoom),
        b"fon" if letter(10) == b'a' => all!(SizeAdjust),
        b"fon" if letter(5) == b's' || name.get(4) != Some(&b'-') => all!(FontSize),
        b"tex" => match letter(5) {
            b'i' => all!(Indent, IndentOut),
            b'f' => all!(Fill),
            b's' => all!(Outline, Security),
            _ => all!(),
        },
        b"tra" => match letter(5) {
            b'f' => all!(Transform),
            b'l' => all!(Translate),
            _ => all!(),
        },
        b"fil" if letter(3) == b't' => all!(Filter),
        b"con" if letter(4) == b'e' && letter(7) != b'-' => all!(Content),
        b"con" if letter(8) == b'v' => all!(ContentVisibility),
        b"con" if letter(5) == b'i' => all!(Contain, Hollow),
        b"rot" if letter(3) == b'a' => all!(Rotate),
        b"ove" if letter(4) == b'f' => all!(OverflowX, OverflowY),
        b"whi" => all!(WhiteSpace),
        b"col" => all!(Color),
        b"hei" | b"blo" => all!(Height),
        b"wid" | b"inl" => all!(Width),
        b"max" => all!(MaxHeight, MaxWidth),
        b"min" => all!(MinHeight, MinWidth),
        b"mar" => all!(MarginTop, MarginLeft),
        b"pad" => all!(PaddingTop, PaddingRight, PaddingBottom, PaddingLeft),
        b"let" => all!(LetterSpacing),
        b"wor" if letter(5) == b's' => all!(WordSpacing),
        b"fle" => all!(Grows, Basis),
        b"bac" => all!(Ground, Picture, TextClip),
        [b'-', b'-', _] => all!(Variable),
        _ => all!(),
    }
}

/// May the value of a declaration hide, or does it use a name? Nearly none does. Values that only decide whether others
/// hide are not looked at.
pub(super) fn may_hide(declaration: &[u8]) -> bool {
    let name = name(declaration);
    let Some(colon) = name.iter().position(|b| *b == b':') else { return false };
    let value = name[colon + 1..].trim_ascii_start();
    let first = value.first().map_or(0, |b| b | 0x20);
    let has = |byte: u8| value.contains(&byte);
    let letter = |at: usize| name.get(at).map_or(0, |b| b | 0x20);
    match &[letter(0), letter(1), letter(2)] {
        b"pos" | b"min" | b"pad" | b"fle" | b"bac" => false,
        // Nothing, and columns of a table.
        b"dis" => match first {
            b't' => value.get(6).is_some_and(|b| b | 0x20 == b'c'),
            _ => first == b'n' || has(b'('),
        },
        b"vis" => matches!(first, b'h' | b'c') || has(b'('),
        b"opa" => !matches!(value, [b'1'] | [b'1', b'!' | b' ', ..]),
        b"lef" | b"rig" | b"top" | b"bot" => match value {
            [b'0'..=b'9', ..] => {
                let count = value.iter().take_while(|b| b.is_ascii_digit()).count();
                count > 2 || !matches!(value[count..], [] | [b'p', b'x', ..] | [b'%', ..])
            }
            [b'-' | b'+' | b'.', ..] => true,
            _ => has(b'('),
        },
        b"tra" if letter(5) == b'l' => has(b'-') || has(b'('),
        b"con" if letter(4) == b'e' && letter(7) != b'-' => has(b'('),
        b"tra" | b"fil" | b"cli" => has(b'('),
        b"fon" if letter(10) == b'a' => true,
        b"fon" if name.get(4) == Some(&b'-') => match value {
            [b'0'..=b'9', ..] if has_power(value) => true,
            [b'3'..=b'9', ..] => has(b'%') || has(b'q') || has(b'Q'),
            [b'1' | b'2', b'0'..=b'9', ..] => has(b'%'),
            [b'1' | b'2', b'.', ..] => {
                !value.iter().take_while(|b| **b != b'!').any(|b| b | 0x20 == b'm')
            }
            [b'1' | b'2', b'e' | b'r', ..] => false,
            [b'0'..=b'9' | b'.' | b'-' | b'+', ..] => true,
            _ => has(b'('),
        },
        b"whi" => first == b'p' || value.get(2).is_some_and(|b| b | 0x20 == b'w') || has(b'('),
        b"col" => is_clear(value),
        b"tex" if letter(5) == b'f' => is_clear(value),
        b"tex" if letter(5) == b's' => letter(6) == b'e',
        b"mar" => is_far(value),
        b"let" | b"wor" => has(b'-') || has(b'('),
        b"hei" | b"wid" | b"max" | b"blo" | b"inl" => {
            // Five pixels and less, and as many of the units that are not much more than a pixel.
            let little = match value {
                [b'0' | b'.' | b'+' | b'-', ..] => true,
                [b'1'..=b'5', unit, ..] => !(unit.is_ascii_digit() || b"%ervilc".contains(unit)),
                [b'1'..=b'5'] => true,
                _ => false,
            };
            little || has(b'(') || has_power(value)
        }
        _ => true,
    }
}

/// May margins take something away? Three digits are far, two of some units, and what is less than nothing.
fn is_far(value: &[u8]) -> bool {
    let (mut digits, mut before) = (0, 0);
    for &b in value {
        digits = if b.is_ascii_digit() { digits + 1 } else { 0 };
        let unit = [before | 0x20, b | 0x20];
        if digits == 3 || matches!(b, b'-' | b'(') || matches!(&unit, b"in" | b"cm") {
            return true;
        }
        before = b;
    }
    has_power(value)
}

/// Is there a number with a power of ten: `1e-9`?
fn has_power(value: &[u8]) -> bool {
    value
        .windows(3)
        .any(|w| matches!(w, [b'0'..=b'9' | b'.', b'e' | b'E', b'0'..=b'9' | b'+' | b'-']))
}

/// May a colour be none, or one that lets its ground through?
fn is_clear(value: &[u8]) -> bool {
    match value {
        [b't' | b'T', ..] => true,
        [b'#', digits @ ..] => {
            matches!(digits.iter().take_while(|b| b.is_ascii_hexdigit()).count(), 4 | 8)
        }
        _ => value.contains(&b'('),
    }
}
