//! What the values of properties do to being seen. Must not know how declarations are found.

use super::colours::{self, Paint, is_clear};
use super::property::CARRIED;
use super::shapes::{flattens, is_little, is_nothing, turns_away};
use super::units::{WIDTH, is_gone, is_share, length, number, pixels, share_of_one, words};
use super::{Effect, Property, boxes};

/// What a value does; `None`: it is no value of the property, so the declaration does not count.
///
/// What is computed (`var()`, `calc()`) may be anything, and shows.
pub(super) fn effect(property: Property, value: &str) -> Option<Effect> {
    use Effect::{Hides, Inherits, Shows};
    let is_inherited = CARRIED.has(property);
    match value {
        "" => return None,
        // A name may be any word.
        _ if property == Property::Animation => return Some(animation(value)),
        "unset" | "revert" | "revert-layer" if is_inherited => return Some(Inherits),
        "initial" | "unset" | "revert" | "revert-layer" => return Some(Shows),
        "inherit" => return Some(Inherits),
        _ => {}
    }
    let hides = |does: bool| Some(if does { Hides } else { Shows });
    // Of values that are not told below, those with functions may be meant.
    let computed = || value.contains('(').then_some(Shows);
    match property {
        Property::Display if value == "none" => Some(Hides),
        Property::Display if matches!(value, "block" | "flex" | "inline-block") => Some(Shows),
        Property::Display => {
            let known = |word: &str| {
                let word = word.strip_prefix("-webkit-").unwrap_or(word);
                let word = word.strip_prefix("inline-").unwrap_or(word);
                DISPLAYS.contains(&word) || word.starts_with("table")
            };
            // What hides stands alone.
            let mut words = value.split_ascii_whitespace();
            if !words.clone().all(known) || words.any(|word| word == "none") && value != "none" {
                return computed();
            }
            // Without a box of its own.
            if matches!(value, "inline" | "contents") {
                return Some(Inherits);
            }
            hides(value == "none")
        }
        Property::Visibility => match value {
            "hidden" | "collapse" => Some(Hides),
            "visible" => Some(Shows),
            _ => computed(),
        },
        Property::Opacity => match share_of_one(value) {
            Some(n) => hides(n <= 0.05),
            None => computed(),
        },
        Property::FontSize => match (value, length(value)) {
            ("smaller" | "larger", _) => Some(Inherits),
            (_, Some((number, _))) if number < 0.0 => None,
            (_, Some((factor, "em" | "lh" | "ic"))) => Some(relative(factor)),
            (_, Some((factor, "ex" | "ch" | "cap"))) => Some(relative(factor / 2.0)),
            (_, Some((percent, "%"))) => Some(relative(percent / 100.0)),
            (_, Some(_)) => hides(pixels(value).is_some_and(|n| n < 3.0)),
            _ if SIZES.contains(&value) => Some(Shows),
            _ => computed(),
        },
        Property::Indent => match value.split_ascii_whitespace().find_map(length) {
            Some((share, unit)) if is_share(unit) => hides(share <= -100.0),
            Some(_) => hides(pixels(value).is_some_and(|n| n <= -AWAY)),
            None => computed(),
        },
        Property::Position => match value {
            "absolute" => Some(Hides),
            // Seen from the screen, not from what is around.
            "fixed" => Some(Effect::Gone),
            // Where it is, but moved from there.
            "relative" => Some(Inherits),
            "static" | "sticky" | "-webkit-sticky" => Some(Shows),
            _ => computed(),
        },
        Property::Left | Property::Top | Property::Right | Property::Bottom => {
            match (value, length(value)) {
                ("auto", _) => Some(Shows),
                (_, Some((share, unit))) if is_share(unit) => Some(match share {
                    ..=-100.0 => Hides,
                    100.0.. => Effect::Far,
                    _ => Shows,
                }),
                (_, Some(_)) if is_gone(value) => Some(Effect::Gone),
                (_, Some(_)) => Some(match pixels(value).unwrap_or_default() {
                    n if n <= -AWAY || n >= 10.0 * AWAY => Hides,
                    n if n >= WIDTH => Effect::Far,
                    _ => Shows,
                }),
                _ => computed(),
            }
        }
        Property::Clip => {
            let inner = value.strip_prefix("rect(").and_then(|v| v.strip_suffix(')'));
            match inner {
                Some(inner) => {
                    hides(words(inner).all(|edge| pixels(edge).is_some_and(|n| n <= 1.0)))
                }
                None if value == "auto" => Some(Shows),
                None => computed(),
            }
        }
        Property::ClipPath => match value {
            "none" => Some(Shows),
            _ if value.ends_with("-box") => Some(Shows),
            _ if value.contains('(') => hides(is_nothing(value)),
            _ => None,
        },
        Property::Filter => functions(value, |name, inner| match name {
            "opacity" => share_of_one(inner).is_some_and(|n| n <= 0.05),
            "blur" => pixels(inner).is_some_and(|n| n >= 6.0),
            _ => false,
        }),
        Property::Mask => Some(if is_clear(value) { Hides } else { Shows }),
        Property::Transform => functions(value, flattens),
        Property::Zoom => match share_of_one(value) {
            // In a tenth of their size letters are points.
            Some(n) => hides(n > 0.0 && n < 0.1),
            None if matches!(value, "normal" | "reset") => Some(Shows),
            None => computed(),
        },
        Property::Translate | Property::Scale if value == "none" => Some(Shows),
        Property::Translate => match words(value).next().and_then(length) {
            Some(_) => hides(words(value).any(is_gone)),
            None => computed(),
        },
        Property::Scale => match words(value).next().map(|n| n.strip_suffix('%').unwrap_or(n)) {
            Some(first) if number(first).is_some() => hides(words(value).take(2).any(is_little)),
            _ => computed(),
        },
        Property::ContentVisibility => match value {
            "hidden" => Some(Hides),
            "auto" | "visible" => Some(Shows),
            _ => computed(),
        },
        Property::Stays => {
            let has = |asked| words(value).any(|word| word == asked);
            Some(match has("forwards") || has("both") {
                _ if has("infinite") => Effect::Gone,
                true => Hides,
                false => Shows,
            })
        }
        Property::Color | Property::Fill => Some(match colours::ink(value)? {
            _ if value == "currentcolor" => Inherits,
            Paint::Of(rgb) => Effect::Painted(rgb),
            Paint::Clear => Hides,
            Paint::Any => Shows,
        }),
        Property::Ground => Some(painted(colours::ground(value)?.colour)),
        Property::Picture => {
            let shorthand = || Some(colours::ground(value)?.picture);
            Some(painted(colours::pictures(value).or_else(shorthand)?))
        }
        Property::TextClip => {
            let in_text = colours::ground(value).is_some_and(|ground| ground.in_text);
            Some(if in_text { Hides } else { Shows })
        }
        // Far from letters it is a cloud.
        Property::Outline => {
            let sizes = || words(value).filter_map(pixels);
            let none = value == "none" || sizes().all(|n| n == 0.0) && !value.contains(' ');
            let clouded = sizes().nth(2).is_some_and(|blur| blur > 4.0);
            Some(if none || clouded { Inherits } else { Shows })
        }
        Property::LetterSpacing => match length(value) {
            Some((share, "em" | "ic")) => hides(share <= -0.9),
            Some((share, "%")) => hides(share <= -90.0),
            Some((share, "ex" | "ch")) => hides(share <= -1.8),
            Some(_) => hides(pixels(value).is_some_and(|n| n <= -12.0)),
            None if value == "normal" => Some(Shows),
            None => computed(),
        },
        // Words are drawn back over each other, to the left of the page.
        Property::WordSpacing => match length(value) {
            Some((share, "em" | "ic")) => hides(share <= -9.0),
            Some((share, "%")) => hides(share <= -900.0),
            Some(_) => hides(pixels(value).is_some_and(|n| n <= -150.0)),
            None if value == "normal" => Some(Shows),
            None => computed(),
        },
        // A picture, perhaps with words for those who do not see it (CSS Content Level 3 §1.2); all else is no value
        // of what is no pseudo-element.
        Property::Content => {
            let picture = colours::outer(value, |b| b == b'/').next().unwrap_or_default();
            match colours::pictures(picture) {
                _ if matches!(value, "normal" | "none") => Some(Shows),
                Some(Paint::Clear) | None => computed(),
                Some(_) => Some(Hides),
            }
        }
        Property::SizeAdjust => match number(value) {
            Some(n) => hides((0.0..0.05).contains(&n)),
            None if value == "none" || value.contains("from-font") => Some(Shows),
            None => computed(),
        },
        Property::Security => match value {
            "circle" | "disc" | "square" => Some(Hides),
            "none" => Some(Shows),
            _ => None,
        },
        Property::Rotate => match value {
            "none" => Some(Shows),
            _ => {
                let turned = words(value).any(turns_away);
                hides(turned && words(value).any(|axis| matches!(axis, "x" | "y")))
            }
        },
        Property::Animation => None,
        _ => boxes::effect(property, value),
    }
}

/// What something is painted with.
fn painted(paint: Paint) -> Effect {
    match paint {
        Paint::Of(rgb) => Effect::Painted(rgb),
        Paint::Clear => Effect::Inherits,
        Paint::Any => Effect::Shows,
    }
}

/// The animation that a list names, if it names one; `none`, or one in pause before its first picture, moves
/// nothing (CSS Animations Level 1 §4).
fn animation(value: &str) -> Effect {
    /// All other words of the shorthand.
    const WORDS: [&str; 22] = [
        "none",
        "initial",
        "unset",
        "inherit",
        "revert",
        "linear",
        "ease",
        "ease-in",
        "ease-out",
        "ease-in-out",
        "step-start",
        "step-end",
        "infinite",
        "normal",
        "reverse",
        "alternate",
        "alternate-reverse",
        "forwards",
        "backwards",
        "both",
        "running",
        "paused",
    ];
    if value.contains([',', '(', '\\']) {
        return Effect::Moves(0);
    }
    let is_time = |word: &str| {
        word.ends_with('s')
            && word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))
    };
    let is_number = |word: &str| number(word).is_some();
    let mut names = words(value).filter(|w| !WORDS.contains(w) && !is_time(w) && !is_number(w));
    match (names.next(), names.next()) {
        (None, _) => Effect::Hides,
        (Some(name), None) => Effect::Moves(name_of_animation(name)),
        _ => Effect::Moves(0),
    }
}

/// An animation's name in a number; none is 0.
pub(in super::super) fn name_of_animation(name: &str) -> u32 {
    let name = name.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, mix).max(1)
}

/// Words for kinds of boxes, without those of tables (CSS Display Level 3 §2).
const DISPLAYS: [&str; 13] = [
    "none",
    "block",
    "inline",
    "flex",
    "grid",
    "contents",
    "flow",
    "list-item",
    "flow-root",
    "run-in",
    "ruby",
    "math",
    "box",
];

/// A list of functions hides if one of them does; other words than `none` are no value.
fn functions(value: &str, hides: impl Fn(&str, &str) -> bool) -> Option<Effect> {
    if !value.contains('(') {
        return (value == "none").then_some(Effect::Shows);
    }
    let calls = value.split(')').filter_map(|call| call.split_once('('));
    // What is computed within may be anything.
    let plain = !value.contains("var(") && !value.contains("calc(");
    let any =
        plain && calls.map(|(name, inner)| (name.trim(), inner.trim())).any(|(n, i)| hides(n, i));
    Some(if any { Effect::Hides } else { Effect::Shows })
}

/// Words for sizes of text (CSS Fonts Level 4 §2.5).
const SIZES: [&str; 9] =
    ["xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "math"];

/// An offset of so many pixels is off the screen.
const AWAY: f64 = 300.0;

fn relative(factor: f64) -> Effect {
    if factor < 0.15 { Effect::Hides } else { Effect::Inherits }
}

/// The size in the shorthand `font`: a length or a word, `/` and the height of lines behind it.
pub(super) fn size_of_font(value: &str) -> Option<&str> {
    /// Fonts of the system, which have a size (CSS Fonts Level 4 §2.8).
    const SYSTEM: [&str; 6] =
        ["caption", "icon", "menu", "message-box", "small-caption", "status-bar"];
    let size = |word: &str| length(word).is_some() || SIZES.contains(&word);
    let mut parts = value.split_ascii_whitespace().filter_map(|word| word.split('/').next());
    match value {
        "inherit" | "initial" | "unset" | "revert" | "revert-layer" => Some(value),
        _ if value.contains('(') => Some("calc()"),
        _ if SYSTEM.contains(&value) => Some("medium"),
        // A weight is a number too, but stands first.
        _ => parts.rfind(|part| size(part) && number(part).is_none_or(|n| n == 0.0)),
    }
}
