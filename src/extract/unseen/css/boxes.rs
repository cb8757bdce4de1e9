//! What the values of sizes, margins and overflow do to a box (CSS Box Sizing Level 3, CSS Box Model Level 3,
//! CSS Overflow Level 3).
//!
//! Must not know: which declaration wins.

use super::units::{amount_of_indent, is_share, length, number, pixels, words};
use super::{Effect, Property};

/// A box of so many pixels at the most shows nothing of letters.
const LITTLE: f64 = 5.0;
/// So many pixels to the left, or twice as many to the right, is off the screen.
const AWAY: f64 = 1_280.0;

/// What a value does; `None`: it is no value of the property.
pub(super) fn effect(property: Property, value: &str) -> Option<Effect> {
    use Effect::{Hides, Inherits, Shows};
    let hides = |does: bool| Some(if does { Hides } else { Shows });
    match property {
        Property::Height
        | Property::MaxHeight
        | Property::Width
        | Property::MaxWidth
        | Property::MinHeight
        | Property::MinWidth => match length(value) {
            Some((number, _)) if number < 0.0 => None,
            // Of what has no height of its own, a share is none.
            Some((_, "%")) if is_height(property) => Some(Shows),
            Some(_) => hides(is_little(value)),
            None if value == "auto" || value == "none" => {
                let most = matches!(property, Property::MaxHeight | Property::MaxWidth);
                (most == (value == "none")).then_some(Shows)
            }
            None => WORDS.contains(&value).then_some(Shows),
        },
        Property::PaddingTop
        | Property::PaddingRight
        | Property::PaddingBottom
        | Property::PaddingLeft => match length(value) {
            Some((number, _)) if number < 0.0 => None,
            Some(_) => hides(is_little(value)),
            None => None,
        },
        // In a row or a column a box takes its share of the room, whatever it asks for (CSS Flexible Box Level 1 §7).
        Property::Grows => {
            let grows = match words(value).find_map(number) {
                Some(n) => n > 0.0,
                None => value == "auto" || length(value).is_some(),
            };
            is_flex(value).then_some(if grows { Shows } else { Inherits })
        }
        Property::Basis => {
            let is_room =
                |word| length(word).is_some_and(|(_, unit)| !unit.is_empty() && !is_little(word));
            let some = words(value)
                .any(|word| is_room(word) || word == "content" || word.ends_with("-content"));
            is_flex(value).then_some(if some { Shows } else { Inherits })
        }
        Property::OverflowX | Property::OverflowY => match value {
            "hidden" | "clip" | "scroll" | "auto" | "overlay" => Some(Hides),
            "visible" => Some(Shows),
            _ => None,
        },
        Property::Contain | Property::Hollow => {
            // What is not asked for its size has none; what is painted alone is cut off (CSS Containment Level 2 §3).
            let asked: &[&str] = match property {
                Property::Hollow => &["strict", "size"],
                _ => &["strict", "content", "paint"],
            };
            let alone = |word: &str| matches!(word, "none" | "strict" | "content");
            let fits = |word: &str| WAYS.contains(&word) && (word == value || !alone(word));
            match words(value).all(fits) {
                true => hides(words(value).any(|word| asked.contains(&word))),
                false => None,
            }
        }
        Property::MarginTop => match length(value) {
            Some(_) => hides(super::units::is_gone(value)),
            None if value == "auto" => Some(Shows),
            None => None,
        },
        Property::MarginLeft => match length(value) {
            // Columns are drawn over each other by the whole of their width.
            Some((share, "%")) => hides(share <= -150.0),
            Some((share, unit)) if is_share(unit) => hides(share <= -100.0 || share >= 200.0),
            Some(_) => hides(pixels(value).is_some_and(|n| n <= -AWAY || n >= 2.0 * AWAY)),
            None if value == "auto" => Some(Shows),
            None => None,
        },
        Property::IndentOut => match amount_of_indent(value)? {
            (_, (share, unit)) if is_share(unit) => hides(share >= 100.0),
            (amount, _) => hides(pixels(amount).is_some_and(|n| n >= AWAY)),
        },
        Property::WhiteSpace => {
            let fits = words(value).count() <= 2 && words(value).all(|word| SPACES.contains(&word));
            let wrapped = !words(value).any(|word| matches!(word, "nowrap" | "pre"));
            if fits { hides(!wrapped) } else { None }
        }
        _ => None,
    }
}

fn is_height(property: Property) -> bool {
    matches!(property, Property::Height | Property::MaxHeight | Property::MinHeight)
}

fn is_little(value: &str) -> bool {
    match length(value) {
        Some((share, unit)) if is_share(unit) => share == 0.0,
        _ => pixels(value).is_some_and(|n| n <= LITTLE),
    }
}

/// Is it a value of `flex` or of one of its parts: at most two numbers and a size?
fn is_flex(value: &str) -> bool {
    let numbers = words(value).filter_map(number).count();
    let is_size = |word: &&str| {
        length(word).is_some() || matches!(*word, "auto" | "content") || WORDS.contains(word)
    };
    let sizes = words(value).filter(|word| number(word).is_none()).filter(is_size).count();
    let all = words(value).count();
    value == "none"
        || all == numbers + sizes
            && numbers <= 3
            && sizes <= 1
            && !words(value).any(|n| n.starts_with('-'))
}

/// Words for sizes (CSS Box Sizing Level 3 §3).
const WORDS: [&str; 8] = [
    "max-content",
    "min-content",
    "fit-content",
    "stretch",
    "-webkit-max-content",
    "-webkit-min-content",
    "-webkit-fit-content",
    "-webkit-fill-available",
];

/// Ways to be contained (CSS Containment Level 2 §2).
const WAYS: [&str; 8] =
    ["none", "strict", "content", "size", "inline-size", "layout", "style", "paint"];

/// Words for white space and the ends of lines (CSS Text Level 4 §3).
const SPACES: [&str; 11] = [
    "normal",
    "nowrap",
    "pre",
    "pre-wrap",
    "pre-line",
    "break-spaces",
    "collapse",
    "preserve",
    "preserve-breaks",
    "preserve-spaces",
    "wrap",
];
