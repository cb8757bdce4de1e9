//! What the values of properties do to being seen. Must not know how declarations are found.

use super::colours::{self, Paint};
use super::functions::{calls, clips, filters, transforms};
use super::property::{CARRIED, LENGTHS, Properties};
use super::shapes::{flattens, is_little, is_nothing, turn, turns_away};
use super::substitution::is_filled_in;
use super::units::{
    WIDTH, amount_of_indent, is_gone, is_length, is_share, length, number, pixels, share_of_one,
    words,
};
use super::{Effect, Property, boxes, math};

/// What a value does; `None`: it is no value of the property, so the declaration does not count.
///
/// What browsers fill in (`var()`, `attr()`) may be anything, and shows; so does an amount that is not worked out here.
pub(super) fn effect(property: Property, value: &str) -> Option<Effect> {
    let open = || !WORDY.has(property) && math::is_open(value);
    let effect = told(property, value).or_else(|| open().then_some(Effect::Shows))?;
    // Old pages may leave out the unit, others not: so it may hide, and shows nothing.
    let lacks_unit = || LENGTHS.has(property) && number(value).is_some_and(|n| n != 0.0);
    let shows = matches!(effect, Effect::Shows | Effect::Inherits);
    (!shows || !lacks_unit()).then_some(effect)
}

/// What takes no amounts.
const WORDY: Properties = Properties::of(&[
    Property::Display,
    Property::Visibility,
    Property::Position,
    Property::OverflowX,
    Property::OverflowY,
    Property::Contain,
    Property::Hollow,
    Property::WhiteSpace,
    Property::ContentVisibility,
    Property::Content,
    Property::Security,
    Property::Animation,
    Property::Stays,
]);

fn told(property: Property, value: &str) -> Option<Effect> {
    use Effect::{Hides, Inherits, Shows};
    let is_inherited = CARRIED.has(property);
    match value {
        "" => return None,
        // A name may be any word.
        _ if property == Property::Animation => return animation(value),
        _ if value.contains('(') && is_filled_in(value) => return Some(Shows),
        "unset" | "revert" | "revert-layer" if is_inherited => return Some(Inherits),
        "initial" | "unset" | "revert" | "revert-layer" => return Some(Shows),
        "inherit" => return Some(Inherits),
        _ => {}
    }
    let hides = |does: bool| Some(if does { Hides } else { Shows });
    match property {
        Property::Display => match value {
            // Of columns of a table nothing is drawn (CSS 2 §17.2).
            "none" | "table-column" | "table-column-group" => Some(Hides),
            // Without a box of its own.
            "inline" | "contents" => Some(Inherits),
            _ => (BOXES.contains(&value) || is_box(value)).then_some(Shows),
        },
        Property::Visibility => match value {
            "hidden" | "collapse" => Some(Hides),
            "visible" => Some(Shows),
            _ => None,
        },
        Property::Opacity => match share_of_one(value) {
            Some(n) => hides(n <= 0.05),
            None => None,
        },
        Property::FontSize => match (value, length(value)) {
            ("smaller" | "larger", _) => Some(Inherits),
            (_, Some((number, _))) if number < 0.0 => None,
            (_, Some((factor, "em" | "lh" | "ic"))) => Some(relative(factor)),
            (_, Some((factor, "ex" | "ch" | "cap"))) => Some(relative(factor / 2.0)),
            (_, Some((percent, "%"))) => Some(relative(percent / 100.0)),
            (_, Some(_)) => hides(pixels(value).is_some_and(|n| n < 3.0)),
            _ if SIZES.contains(&value) || value == "-webkit-xxx-large" => Some(Shows),
            _ => None,
        },
        Property::Indent => match amount_of_indent(value)? {
            (_, (share, unit)) if is_share(unit) => hides(share <= -100.0),
            (amount, _) => hides(pixels(amount).is_some_and(|n| n <= -AWAY)),
        },
        Property::Position => match value {
            "absolute" => Some(Hides),
            // Seen from the screen, not from what is around.
            "fixed" => Some(Effect::Gone),
            // Where it is, but moved from there.
            "relative" => Some(Inherits),
            "static" | "sticky" => Some(Shows),
            _ => None,
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
                _ => None,
            }
        }
        Property::Clip if value == "auto" => Some(Shows),
        Property::Clip => {
            let inner = value.strip_prefix("rect(").and_then(|v| v.strip_suffix(')'))?;
            let is_edge = |edge: &str| edge == "auto" || length(edge).is_some();
            if words(inner).count() != 4 || !words(inner).all(is_edge) {
                return None;
            }
            hides(words(inner).all(|edge| pixels(edge).is_some_and(|n| n <= 1.0)))
        }
        Property::ClipPath if value == "none" || EDGES.contains(&value) => Some(Shows),
        Property::ClipPath => {
            let shape = EDGES.iter().find_map(|edges| value.strip_suffix(edges));
            match calls(shape.unwrap_or(value))?[..] {
                [call] if clips(call) => hides(is_nothing(call)),
                _ => None,
            }
        }
        Property::Filter => functions(value, filters, |(name, inner)| match name {
            "opacity" => share_of_one(inner).is_some_and(|n| n <= 0.05),
            "blur" => pixels(inner).is_some_and(|n| n >= 6.0),
            _ => false,
        }),
        Property::Mask => hides(colours::mask(value)? == Paint::Clear && value != "none"),
        Property::Transform => functions(value, transforms, flattens),
        Property::Zoom => match share_of_one(value) {
            // In a tenth of their size letters are points.
            Some(n) => hides(n > 0.0 && n < 0.1),
            None if value == "normal" => Some(Shows),
            None => None,
        },
        Property::Translate | Property::Scale if value == "none" => Some(Shows),
        Property::Translate => {
            let moves = words(value).count() <= 3 && words(value).all(is_length);
            moves.then(|| hides(words(value).any(is_gone)))?
        }
        Property::Scale => {
            let is_factor = |word: &str| share_of_one(word).is_some();
            let sizes = words(value).count() <= 3 && words(value).all(is_factor);
            sizes.then(|| hides(words(value).take(2).any(is_little)))?
        }
        Property::ContentVisibility => match value {
            "hidden" => Some(Hides),
            "auto" | "visible" => Some(Shows),
            _ => None,
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
        Property::TextClip => Some(if colours::ground(value)?.in_text { Hides } else { Shows }),
        // Far from letters it is a cloud.
        Property::Outline => {
            let sizes = || words(value).filter_map(pixels);
            if !colours::is_line(value) {
                return None;
            }
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
            None => None,
        },
        // Words are drawn back over each other, to the left of the page.
        Property::WordSpacing => match length(value) {
            Some((share, "em" | "ic")) => hides(share <= -9.0),
            Some((share, "%")) => hides(share <= -900.0),
            Some(_) => hides(pixels(value).is_some_and(|n| n <= -150.0)),
            None if value == "normal" => Some(Shows),
            None => None,
        },
        // A picture, perhaps with words for those who do not see it (CSS Content Level 3 §1.2); all else is no value
        // of what is no pseudo-element.
        Property::Content => {
            let picture = colours::outer(value, |b| b == b'/').next().unwrap_or_default();
            match colours::pictures(picture) {
                _ if matches!(value, "normal" | "none") => Some(Shows),
                _ if value.starts_with(['"', '\'', 'c']) || value.ends_with("-quote") => {
                    Some(Shows)
                }
                Some(Paint::Clear) | None => None,
                Some(_) => Some(Hides),
            }
        }
        Property::SizeAdjust => {
            let (by, amount) = value.split_once(' ').unwrap_or(("ex-height", value));
            match number(amount) {
                _ if !HEIGHTS.contains(&by) => None,
                Some(n) => hides((0.0..0.05).contains(&n)),
                None => (amount == "from-font" || value == "none").then_some(Shows),
            }
        }
        Property::Security => match value {
            "circle" | "disc" | "square" => Some(Hides),
            "none" => Some(Shows),
            _ => None,
        },
        Property::Rotate if value == "none" => Some(Shows),
        Property::Rotate => {
            let axes: Vec<&str> = words(value).filter(|word| turn(word).is_none()).collect();
            let known = match axes[..] {
                [] => true,
                [axis] => matches!(axis, "x" | "y" | "z"),
                [x, y, z] => [x, y, z].into_iter().all(|n| number(n).is_some()),
                _ => false,
            };
            if !known || words(value).count() != axes.len() + 1 {
                return None;
            }
            let turned = words(value).any(turns_away);
            hides(turned && words(value).any(|axis| matches!(axis, "x" | "y")))
        }
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
fn animation(value: &str) -> Option<Effect> {
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
    /// How fast it goes.
    const PACES: [&str; 3] = ["cubic-bezier", "steps", "linear"];
    if value.contains('(') && !is_filled_in(value) {
        let is_known = |name: &str| name.is_empty() || PACES.contains(&name) || math::is_math(name);
        return math::called(value).all(is_known).then_some(Effect::Moves(0));
    }
    if value.contains([',', '(', '\\']) {
        return Some(Effect::Moves(0));
    }
    let is_time = |word: &str| {
        word.ends_with('s')
            && word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))
    };
    let is_number = |word: &str| number(word).is_some();
    let mut names = value
        .split_ascii_whitespace()
        .filter(|word| !WORDS.contains(word) && !is_time(word) && !is_number(word));
    Some(match (names.next(), names.next()) {
        (None, _) => Effect::Hides,
        (Some(name), None) => Effect::Moves(name_of_animation(name)),
        _ => Effect::Moves(0),
    })
}

/// An animation's name in a number; none is 0.
pub(in super::super) fn name_of_animation(name: &str) -> u32 {
    let name = name.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
    let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, mix).max(1)
}

/// Kinds of boxes in one word, but for those that [`told`] knows (CSS Display Level 3 §2).
const BOXES: [&str; 24] = [
    "block",
    "flex",
    "inline-block",
    "grid",
    "inline-flex",
    "inline-grid",
    "table",
    "inline-table",
    "table-cell",
    "table-row",
    "table-caption",
    "table-row-group",
    "table-header-group",
    "table-footer-group",
    "list-item",
    "flow",
    "flow-root",
    "ruby",
    "ruby-text",
    "math",
    "-webkit-box",
    "-webkit-inline-box",
    "-webkit-flex",
    "-webkit-inline-flex",
];

/// Is it a box in several words: how it stands, what is in it, and whether it has a marker?
fn is_box(value: &str) -> bool {
    let words = || value.split_ascii_whitespace();
    let count = |asked: &[&str]| words().filter(|word| asked.contains(word)).count();
    let outside = count(&["block", "inline"]);
    let flow = count(&["flow", "flow-root"]);
    let inside = count(&["table", "flex", "grid", "ruby", "math"]);
    let marker = count(&["list-item"]);
    let all = words().count();
    all > 1
        && all == outside + flow + inside + marker
        && outside < 2
        && flow + inside < 2
        && inside + marker < 2
}

/// Edges that something is clipped at (CSS Masking Level 1 §5.1).
const EDGES: [&str; 7] = [
    "border-box",
    "padding-box",
    "content-box",
    "margin-box",
    "fill-box",
    "stroke-box",
    "view-box",
];

/// Heights and widths of letters, by which their size is adjusted (CSS Fonts Level 5 §2).
const HEIGHTS: [&str; 5] = ["ex-height", "cap-height", "ch-width", "ic-width", "ic-height"];

/// A list of functions, all of them known, hides if one of them does; other words than `none` are no value.
fn functions(
    value: &str,
    known: fn((&str, &str)) -> bool,
    hides: impl Fn((&str, &str)) -> bool,
) -> Option<Effect> {
    if !value.contains('(') {
        return (value == "none").then_some(Effect::Shows);
    }
    let calls = calls(value)?;
    if !calls.iter().all(|&call| known(call)) {
        return None;
    }
    Some(if calls.into_iter().any(hides) { Effect::Hides } else { Effect::Shows })
}

/// Words for sizes of text (CSS Fonts Level 4 §2.5).
const SIZES: [&str; 9] =
    ["xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large", "math"];

/// An offset of so many pixels is off the screen.
const AWAY: f64 = 300.0;

fn relative(factor: f64) -> Effect {
    if factor < 0.15 { Effect::Hides } else { Effect::Inherits }
}

/// The size in the shorthand `font`: a length or a word, `/` and the height of lines behind it, and then a font (CSS Fonts
/// Level 4 §2.7). None, if it is no such list.
pub(super) fn size_of_font(value: &str) -> Option<&str> {
    size_in_list(value).or_else(|| math::is_open(value).then_some(value))
}

fn size_in_list(value: &str) -> Option<&str> {
    /// Fonts of the system, which have a size (CSS Fonts Level 4 §2.8).
    const SYSTEM: [&str; 6] =
        ["caption", "icon", "menu", "message-box", "small-caption", "status-bar"];
    /// What may stand before the size, beside weights, angles and widths.
    const BEFORE: [&str; 7] =
        ["normal", "italic", "oblique", "small-caps", "bold", "bolder", "lighter"];
    match value {
        "inherit" | "initial" | "unset" | "revert" | "revert-layer" => return Some(value),
        _ if SYSTEM.contains(&value) => return Some("medium"),
        _ if value.contains('(') && is_filled_in(value) => return Some(value),
        _ => {}
    }
    let is_size = |word: &str| {
        is_length(word) || SIZES.contains(&word) || matches!(word, "smaller" | "larger")
    };
    let mut rest = value;
    loop {
        let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '/')?;
        let (word, after) = (&rest[..end], rest[end..].trim_ascii_start());
        let is_weight = number(word).is_some_and(|n| (1.0..=1000.0).contains(&n));
        let is_width = word.ends_with("condensed") || word.ends_with("expanded");
        if BEFORE.contains(&word) || is_weight || is_width || turn(word).is_some() {
            rest = after;
            continue;
        }
        let mut words = after.strip_prefix('/').unwrap_or("normal a").split_ascii_whitespace();
        let high = words.next().is_some_and(|word| word == "normal" || length(word).is_some());
        return Some(word).filter(|word| is_size(word) && high && words.next().is_some());
    }
}
