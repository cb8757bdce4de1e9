//! Values that are written as functions: which of them there are, and what may stand in their brackets (CSS Transforms
//! Level 2 §13, CSS Filter Effects Level 1 §5, CSS Shapes Level 1 §3).
//!
//! Must not know: what a value does.

use super::colours::is_shadow;
use super::shapes::turn;
use super::units::{is_length, is_number, share_of_one};

/// The place of the bracket that closes what the text begins within.
pub(super) fn closing(text: &str) -> usize {
    let mut depth = 0_u32;
    let end = text.bytes().position(|byte| {
        let ends = byte == b')' && depth == 0;
        depth = match byte {
            b'(' => depth + 1,
            b')' => depth.saturating_sub(1),
            _ => depth,
        };
        ends
    });
    end.unwrap_or(text.len())
}

/// The functions of a list with what stands in their brackets; none, if there is anything else.
pub(super) fn calls(value: &str) -> Option<Vec<(&str, &str)>> {
    let mut found = Vec::new();
    let mut rest = value.trim_ascii();
    while !rest.is_empty() {
        let (name, inside) = rest.split_once('(')?;
        // Browsers close what the end leaves open.
        let end = closing(inside);
        found.push((name, inside[..end].trim_ascii()));
        rest = inside.get(end + 1..).unwrap_or_default().trim_ascii_start();
    }
    (!found.is_empty()).then_some(found)
}

fn is_angle(text: &str) -> bool {
    turn(text).is_some() || text == "0"
}

fn is_share_of_one(text: &str) -> bool {
    share_of_one(text).is_some()
}

/// Is there a function of `transform` with this name that takes this?
pub(super) fn transforms((name, inner): (&str, &str)) -> bool {
    let parts: Vec<&str> = inner.split(',').map(str::trim_ascii).take(17).collect();
    let all = |least: usize, most: usize, is: fn(&str) -> bool| {
        (least..=most).contains(&parts.len()) && parts.iter().all(|part| is(part))
    };
    match name {
        "translate" => all(1, 2, is_length),
        "translatex" | "translatey" | "translatez" => all(1, 1, is_length),
        "translate3d" => all(3, 3, is_length),
        "scale" => all(1, 2, is_share_of_one),
        "scalex" | "scaley" | "scalez" => all(1, 1, is_share_of_one),
        "scale3d" => all(3, 3, is_share_of_one),
        "rotate" | "rotatex" | "rotatey" | "rotatez" | "skewx" | "skewy" => all(1, 1, is_angle),
        "skew" => all(1, 2, is_angle),
        "rotate3d" => match parts[..] {
            [x, y, z, angle] => [x, y, z].into_iter().all(is_number) && is_angle(angle),
            _ => false,
        },
        "matrix" => all(6, 6, is_number),
        "matrix3d" => all(16, 16, is_number),
        "perspective" => all(1, 1, |part| part == "none" || is_length(part)),
        _ => false,
    }
}

/// The same of `filter`.
pub(super) fn filters((name, inner): (&str, &str)) -> bool {
    match name {
        "url" => true,
        "drop-shadow" => is_shadow(inner),
        _ if inner.is_empty() => matches!(name, "blur" | "hue-rotate") || OF_ONE.contains(&name),
        "blur" => is_length(inner) && !inner.ends_with('%'),
        "hue-rotate" => is_angle(inner),
        _ => OF_ONE.contains(&name) && is_share_of_one(inner),
    }
}

/// Filters that take a share of one.
const OF_ONE: [&str; 7] =
    ["brightness", "contrast", "grayscale", "invert", "opacity", "saturate", "sepia"];

/// The same of `clip-path`.
pub(super) fn clips((name, inner): (&str, &str)) -> bool {
    let part = |word: &'static str| inner.split(word).next().unwrap_or_default();
    let words = |text: &str, is: &dyn Fn(&str) -> bool, least: usize, most: usize| {
        let mut count = 0;
        let all = text.split_ascii_whitespace().all(|word| {
            count += 1;
            is(word)
        });
        all && (least..=most).contains(&count)
    };
    match name {
        "url" => true,
        "inset" => words(part("round"), &is_length, 1, 4),
        "xywh" => words(part("round"), &is_length, 4, 4),
        "rect" => words(part("round"), &|word| word == "auto" || is_length(word), 4, 4),
        "circle" | "ellipse" => {
            let is_size = |word: &str| {
                is_length(word) || word.ends_with("-side") || word.ends_with("-corner")
            };
            let is_place = |word: &str| {
                is_length(word) || matches!(word, "center" | "left" | "right" | "top" | "bottom")
            };
            let (sizes, place) = match inner.strip_prefix("at ") {
                Some(place) => ("", Some(place)),
                None => inner.split_once(" at ").map_or((inner, None), |(s, p)| (s, Some(p))),
            };
            let count = sizes.split_ascii_whitespace().count();
            (count == 0 || count == if name == "circle" { 1 } else { 2 })
                && words(sizes, &is_size, 0, 2)
                && place.is_none_or(|place| words(place, &is_place, 1, 4))
        }
        "polygon" => inner.split(',').enumerate().all(|(place, point)| {
            let rule = place == 0 && matches!(point.trim_ascii(), "evenodd" | "nonzero");
            rule || words(point, &is_length, 2, 2) || place == 0 && point.contains("round")
        }),
        "path" => {
            let way = inner.rsplit_once(',').map_or(inner, |(_, way)| way);
            let way = way.trim_ascii().trim_matches(['"', '\'']).trim_ascii();
            way.starts_with(['m', 'M'])
        }
        "shape" => inner.contains("from "),
        _ => false,
    }
}
