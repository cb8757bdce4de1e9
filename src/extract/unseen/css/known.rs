//! Which declarations browsers know, beside those that can hide. Must not know: conditions.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::colours::{colour, outer};
use super::declaration::declaration;
use super::functions::filters;
use super::shapes::turn;
use super::substitution::is_filled_in;
use super::units::{is_length, is_number};
use super::variables::plain_value;
use super::{Property, Reading};

/// The properties of Chromium 148, but for those that [`Property::named`] knows; of each which kinds of values
/// it takes (see [`is_of`]; `-`: none of them), and which words of those that sheets ask for.
const PROPERTIES: &str = include_str!("properties.txt");

/// The same by their names.
static TAKEN: LazyLock<HashMap<&str, &str, FixedState>> =
    LazyLock::new(|| PROPERTIES.lines().filter_map(|line| line.split_once(' ')).collect());

/// Do browsers know a property with this value? `None`: they know the property, and it is not told here of the value.
pub(super) fn is_known(name: &str, value: &str) -> Option<bool> {
    let (value, _) = plain_value(value);
    if let Some(properties) = Property::named(name.as_bytes()) {
        if let [Property::Animation, ..] = properties {
            return Some(!value.is_empty());
        }
        let mut known = false;
        let declared = format!("{name}:{value}");
        declaration(&declared, false, Reading::All, &mut |_| known = true);
        // What no browser takes is not told from what is too hard to read.
        return if known { Some(true) } else { (!value.contains('(')).then_some(false) };
    }
    let Some(taken) = TAKEN.get(name) else { return Some(false) };
    let mut words = taken.split(' ');
    let kinds = words.next().unwrap_or_default();
    match value {
        "" => Some(false),
        "inherit" | "initial" | "unset" | "revert" | "revert-layer" => Some(true),
        _ if is_filled_in(value) || words.any(|word| word == value) => Some(true),
        _ if kinds.chars().any(|kind| is_of(kind, value)) => Some(true),
        // Of several words, functions and rare words.
        _ => None,
    }
}

/// Is it a value of this kind?
fn is_of(kind: char, value: &str) -> bool {
    let whole = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match kind {
        'n' => is_number(value),
        'i' => whole(value),
        'z' => value == "0",
        'l' => is_length(value) && !value.ends_with('%'),
        'p' => value.strip_suffix('%').is_some_and(is_number),
        'c' => colour(value).is_some(),
        'u' => value.starts_with("url(") && value.ends_with(')'),
        't' => value.strip_suffix('s').is_some_and(|n| is_number(n.trim_end_matches('m'))),
        'a' => turn(value).is_some(),
        's' => value.len() > 1 && value.starts_with(['"', '\'']),
        'w' => value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-'),
        'r' => value.split_once('/').is_some_and(|(a, b)| is_number(a) && is_number(b)),
        'b' => {
            let mut calls = outer(value, |b| b.is_ascii_whitespace());
            calls.all(|call| {
                call.strip_suffix(')').and_then(|call| call.split_once('(')).is_some_and(filters)
            })
        }
        _ => false,
    }
}
