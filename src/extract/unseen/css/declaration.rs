//! One declaration of a block: what of it matters, read as little as can be.
//!
//! Must not know: rules.

use std::borrow::Cow;

use super::glance::{may_hide, spoken_of};
use super::property::{COMMON, CUTS, DECIDING, Properties, UNTOLD};
use super::substitution::is_filled_in;
use super::values::{self, effect};
use super::{Declaration, Effect, Property, Reading, math, spelled, units, variables};

/// Longer names of properties do not matter.
const LONGEST: usize = 33;

/// Reads a declaration; `odd`: it has escapes or comments. Returns the properties that it may speak of, but that
/// are passed over.
pub(super) fn declaration(
    text: &str,
    odd: bool,
    reading: Reading,
    each: &mut impl FnMut(Declaration),
) -> Properties {
    let mut passed = Properties::default();
    let plain = if odd { spelled(text) } else { Cow::Borrowed(text) };
    let text = plain.trim_ascii_start();
    // Most declarations are told by their first letters.
    let bytes = text.as_bytes();
    let spoken = spoken_of(bytes);
    if spoken.is_empty() || spoken.has(Property::Variable) {
        return spoken;
    }
    let glance = match reading {
        Reading::Hiding => true,
        Reading::Uncommon => spoken.without(COMMON).is_empty(),
        Reading::Untold => spoken.both(UNTOLD).is_empty(),
        Reading::All => false,
    };
    if glance && !may_hide(bytes) {
        return spoken;
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
    if brackets
        && is_filled_in(value)
        && let Some(name) = variables::used(value)
    {
        let effect = match lower {
            // A name may be any word.
            b"animation" | b"animation-name" => Effect::Moves(0),
            _ => Effect::Varies(name),
        };
        for &property in properties {
            if is_passed(reading, property, effect) {
                passed.add(property);
            } else {
                each(Declaration { property, effect, important });
            }
        }
        return passed;
    }
    let value = if brackets { math::worked_out(value) } else { Cow::Borrowed(value) };
    let value = &*value;
    let most = match lower {
        b"inset" | b"padding" | b"margin" => 4,
        b"padding-block" | b"padding-inline" | b"margin-block" | b"margin-inline" | b"overflow" => {
            2
        }
        _ => 1,
    };
    let sides = || units::sides(value);
    let parts = match lower {
        b"font" => [values::size_of_font(value); 4],
        b"animation" | b"-webkit-animation" => {
            [Some(value).filter(|value| effect(Property::Animation, value).is_some()); 4]
        }
        _ if most == 1 => [Some(value); 4],
        _ if math::is_open(value) => [Some(value); 4],
        // Where one of several is none, none counts.
        _ if !is_list(value, most, properties) => return passed,
        b"margin" => {
            let [first, _, _, fourth] = sides();
            [first, fourth, None, None]
        }
        b"padding-block" | b"padding-inline" | b"overflow" => {
            let [first, second, ..] = sides();
            [first, second, None, None]
        }
        b"margin-block" | b"margin-inline" => [sides()[0]; 4],
        _ => sides(),
    };
    for (&property, value) in properties.iter().zip(parts) {
        let Some(effect) = value.and_then(|value| effect(property, value)) else { continue };
        if is_passed(reading, property, effect) {
            passed.add(property);
        } else {
            each(Declaration { property, effect, important });
        }
    }
    passed
}

/// Is it a list of so many values at the most, each of which is one of the property?
fn is_list(value: &str, most: usize, properties: &[Property]) -> bool {
    let Some(&property) = properties.first() else { return false };
    let words = value.split_ascii_whitespace();
    let whole = matches!(value, "inherit" | "initial" | "unset" | "revert" | "revert-layer");
    let is_one = |word: &str| {
        effect(property, word).is_some()
            && !matches!(word, "inherit" | "initial" | "unset" | "revert" | "revert-layer")
    };
    whole
        || value.contains('(') && is_filled_in(value)
        || words.clone().count() <= most && words.clone().all(is_one)
}

/// Is what a declaration does passed over?
fn is_passed(reading: Reading, property: Property, effect: Effect) -> bool {
    let common = COMMON.has(property);
    let helps = CUTS.has(property) || property == Property::WhiteSpace;
    let does = match effect {
        Effect::Hides | Effect::Gone | Effect::Varies(_) => true,
        Effect::Far | Effect::Moves(_) => !common,
        Effect::Shows | Effect::Inherits | Effect::Painted(_) => false,
    };
    let read = does && (helps || !DECIDING.has(property));
    match reading {
        Reading::Hiding => !read,
        Reading::Uncommon => common && !read,
        Reading::Untold | Reading::All => false,
    }
}
