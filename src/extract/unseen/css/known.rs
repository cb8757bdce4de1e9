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
use super::{Property, Reading, math};

/// The properties of Chromium 148, but for those that [`Property::named`] knows; of each which kinds of values
/// it takes (see [`is_of`]; `-`: none of them), and which words of those that sheets ask for.
const PROPERTIES: &str = include_str!("properties.txt");

/// The same by their names.
static TAKEN: LazyLock<HashMap<&str, &str, FixedState>> =
    LazyLock::new(|| PROPERTIES.lines().filter_map(|line| line.split_once(' ')).collect());

/// Whether browsers know a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Yes,
    No,
    /// They know the property and all that its value consists of; whether it is a value is not told here.
    Perhaps,
    /// They know the property; the value has words or functions that are not known here.
    Rarely,
}

/// Do browsers know a property with this value?
pub(super) fn is_known(name: &str, value: &str) -> Known {
    let (value, _) = plain_value(value);
    let of = |known| if known { Known::Yes } else { Known::No };
    if let Some(properties) = Property::named(name.as_bytes()) {
        if let [Property::Animation, ..] = properties {
            return of(!value.is_empty());
        }
        let mut known = false;
        let declared = format!("{name}:{value}");
        declaration(&declared, false, Reading::All, &mut |_| known = true);
        // What no browser takes is not told from what is too hard to read.
        return if known || !value.contains('(') { of(known) } else { Known::Rarely };
    }
    let Some(taken) = TAKEN.get(name) else { return Known::No };
    let mut words = taken.split(' ');
    let kinds = words.next().unwrap_or_default();
    let is_one = |value: &str| {
        words.clone().any(|word| word == value) || kinds.chars().any(|kind| is_of(kind, value))
    };
    match value {
        "" => Known::No,
        "inherit" | "initial" | "unset" | "revert" | "revert-layer" => Known::Yes,
        _ if is_filled_in(value) || is_one(value) => Known::Yes,
        _ => {
            let mut parts = outer(value, |b| b.is_ascii_whitespace() || matches!(b, b',' | b'/'));
            let all = parts.all(|part| {
                let calls = part.contains('(') && math::called(part).all(is_function);
                calls || is_one(part) || is_track(part) || is_number(part)
            });
            if all { Known::Perhaps } else { Known::Rarely }
        }
    }
}

/// Is there a function of this name in values of [`PROPERTIES`], beside colours and filters? A bracket may have none.
fn is_function(name: &str) -> bool {
    name.is_empty() || math::is_math(name) || FUNCTIONS.contains(&name)
}

const FUNCTIONS: [&str; 16] = [
    "repeat",
    "minmax",
    "fit-content",
    "view",
    "scroll",
    "url",
    "image-set",
    "counter",
    "linear",
    "cubic-bezier",
    "steps",
    "inset",
    "polygon",
    "circle",
    "ellipse",
    "path",
];

/// Is it a track of a grid, or some of them (CSS Grid Layout Level 2 §7.2)?
fn is_track(part: &str) -> bool {
    let calls = || {
        let known =
            |name| matches!(name, "repeat" | "minmax" | "fit-content" | "") || math::is_math(name);
        part.contains('(') && part.ends_with(')') && math::called(part).all(known)
    };
    part.strip_suffix("fr").is_some_and(is_number) || calls() || is_length(part)
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
        'd' => value.len() > 2 && value.starts_with("--") && !value.contains([' ', ',', '(']),
        's' => value.len() > 1 && value.starts_with(['"', '\'']),
        'w' => value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-'),
        'r' => value.split_once('/').is_some_and(|(a, b)| is_number(a) && is_number(b)),
        'g' => {
            let is_word = |part: &str| matches!(part, "auto" | "min-content" | "max-content");
            outer(value, |b| b == b' ').all(|part| is_track(part) || is_word(part))
        }
        'v' => {
            let inner = value.strip_prefix("view(").or_else(|| value.strip_prefix("scroll("));
            inner.is_some_and(|inner| inner.ends_with(')'))
        }
        'b' => {
            let mut calls = outer(value, |b| b.is_ascii_whitespace());
            calls.all(|call| {
                call.strip_suffix(')').and_then(|call| call.split_once('(')).is_some_and(filters)
            })
        }
        _ => false,
    }
}
