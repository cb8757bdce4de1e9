//! One declaration of a block: what of it matters, read as little as can be.
//!
//! Must not know: rules.

use std::borrow::Cow;

use super::values::{self, effect};
use super::{Declaration, Property, math, plain, units};

/// Longer names of properties do not matter.
const LONGEST: usize = 33;

/// Reads a declaration; `odd`: it has escapes or comments.
pub(super) fn declaration(text: &str, odd: bool, each: &mut impl FnMut(Declaration)) {
    let plain = if odd { plain(text) } else { Cow::Borrowed(text) };
    let text = plain.trim_ascii_start();
    // Most declarations are told by their first letters.
    let bytes = text.as_bytes();
    let Some((&[first, second, third], _)) = bytes.split_first_chunk() else { return };
    let letter = |at: usize| bytes.get(at).map_or(0, |b| b | 0x20);
    match &[first | 0x20, second | 0x20, third | 0x20] {
        b"dis" | b"vis" | b"opa" | b"pos" | b"lef" | b"top" | b"rig" | b"bot" | b"cli" | b"-we"
        | b"ani" | b"ins" | b"sca" | b"mas" | b"zoo" => {}
        b"tex" if letter(5) == b'i' => {}
        b"fon" if letter(5) == b's' || bytes.get(4) != Some(&b'-') => {}
        b"tra" if matches!(letter(5), b'f' | b'l') => {}
        b"fil" if letter(3) == b't' => {}
        b"con" if letter(8) == b'v' => {}
        _ => return,
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
    let Some(properties) = Property::named(lower) else { return };
    let Some(value) = text[length..].trim_ascii_start().strip_prefix(':') else { return };
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
    let (value, important) = match value.rsplit_once('!').filter(|_| flag) {
        Some((value, flag)) if flag.trim_ascii() == "important" => (value.trim_ascii_end(), true),
        Some(_) => return,
        None => (&*value, false),
    };
    let value = if brackets { math::worked_out(value) } else { Cow::Borrowed(value) };
    let value = &*value;
    let parts = match lower {
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
