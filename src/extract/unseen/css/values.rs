//! What the values of properties do to being seen. Must not know how declarations are found.

use super::{Effect, Property};

/// What a value does; `None`: it is no value of the property, so the declaration does not count.
pub(super) fn effect(property: Property, value: &str) -> Option<Effect> {
    use Effect::{Hides, Inherits, Shows};
    let hides = |does: bool| if does { Hides } else { Shows };
    match value {
        "" => return None,
        "initial" | "revert" | "revert-layer" => return Some(Shows),
        "unset" if !matches!(property, Property::Visibility | Property::FontSize) => {
            return Some(Shows);
        }
        "inherit" | "unset" => return Some(Inherits),
        _ => {}
    }
    Some(match property {
        Property::Display => {
            let known = |word: &str| {
                let word = word.strip_prefix("inline-").unwrap_or(word);
                matches!(word, "none" | "block" | "inline" | "flex" | "grid" | "contents" | "flow")
                    || matches!(
                        word,
                        "list-item" | "flow-root" | "run-in" | "ruby" | "math" | "box"
                    )
                    || word.starts_with("table")
                    || word.starts_with("-webkit-")
                    || word.starts_with("-ms-")
            };
            if !value.split_ascii_whitespace().all(known) {
                return None;
            }
            hides(value == "none")
        }
        Property::Visibility => match value {
            "hidden" | "collapse" => Hides,
            "visible" => Shows,
            _ => return None,
        },
        Property::Opacity => {
            let (number, whole) = match value.strip_suffix('%') {
                Some(number) => (number, 100.0),
                None => (value, 1.0),
            };
            match number.trim().parse::<f64>() {
                Ok(n) => hides(n <= 0.01 * whole),
                Err(_) => return computed(value),
            }
        }
        Property::FontSize => {
            if let Some(number) = value.strip_suffix("em").filter(|v| !v.ends_with('r')) {
                return number.parse::<f64>().map_or(computed(value), |n| Some(relative(n)));
            }
            if let Some(number) = value.strip_suffix('%') {
                return number.parse::<f64>().map_or(computed(value), |n| Some(relative(n)));
            }
            match value {
                "smaller" | "larger" => Inherits,
                "medium" | "small" | "large" => Shows,
                _ if value.ends_with("-small") || value.ends_with("-large") => Shows,
                _ => match pixels(value) {
                    Some(n) => hides(n < 1.0),
                    // A length of the screen, or computed.
                    None if value.starts_with(|c: char| c.is_ascii_digit() || c == '.') => Shows,
                    None => return computed(value),
                },
            }
        }
        Property::Indent => hides(pixels(value).is_some_and(|n| n <= -AWAY)),
        Property::Position => hides(matches!(value, "absolute" | "fixed")),
        Property::Left | Property::Top | Property::Right | Property::Bottom => {
            let share = value.strip_suffix('%').or_else(|| value.strip_suffix("vw"));
            let share = share.or_else(|| value.strip_suffix("vh"));
            let share = share.and_then(|n| n.parse::<f64>().ok());
            let far = |n: f64| n <= -AWAY || n >= 10.0 * AWAY;
            hides(share.is_some_and(|n| n <= -100.0) || pixels(value).is_some_and(far))
        }
        Property::Clip => {
            let inner = value.strip_prefix("rect(").and_then(|v| v.strip_suffix(')'));
            let edges = inner.map(|v| v.split([',', ' ']).filter(|e| !e.is_empty()).map(pixels));
            let all = |mut edges: Box<dyn Iterator<Item = Option<f64>> + '_>| {
                edges.all(|edge| edge.is_some_and(|n| n <= 1.0))
            };
            hides(edges.is_some_and(|edges| all(Box::new(edges))))
        }
        Property::ClipPath => {
            let inner = value.strip_prefix("inset(").and_then(|v| v.strip_suffix(')'));
            let first = inner.and_then(|v| v.split_ascii_whitespace().next());
            let share = first.and_then(|v| v.strip_suffix('%')).and_then(|n| n.parse::<f64>().ok());
            let point = matches!(value, "circle(0)" | "circle(0px)" | "circle(0%)");
            hides(point || share.is_some_and(|n| n >= 50.0))
        }
    })
}

/// What is computed may be anything, so it shows; all else that is not understood is no value, and what was
/// declared before stays.
fn computed(value: &str) -> Option<Effect> {
    value.contains('(').then_some(Effect::Shows)
}

/// An offset of so many pixels is off the screen.
const AWAY: f64 = 300.0;

fn relative(factor: f64) -> Effect {
    if factor <= 0.01 { Effect::Hides } else { Effect::Inherits }
}

/// The size in the `font` shorthand: the first length, `/` and the height of lines behind it.
pub(super) fn font(value: &str) -> Option<Effect> {
    let size = |word: &str| word.split('/').next().and_then(pixels);
    let found = value.split_ascii_whitespace().find_map(size);
    Some(if found.is_some_and(|n| n < 1.0) { Effect::Hides } else { Effect::Shows })
}

/// A length in pixels, as far as it can be told without a screen.
pub(super) fn pixels(value: &str) -> Option<f64> {
    let at = value.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')));
    let (number, unit) = value.split_at(at.unwrap_or(value.len()));
    let factor = match unit {
        "" | "px" => 1.0,
        "pt" => 4.0 / 3.0,
        "pc" | "em" | "rem" => 16.0,
        "ex" | "ch" => 8.0,
        "in" => 96.0,
        "cm" => 37.8,
        "mm" => 3.78,
        _ => return None,
    };
    number.parse::<f64>().ok().filter(|n| n.is_finite()).map(|n| n * factor)
}
