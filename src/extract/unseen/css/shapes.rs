//! Values that leave nothing of what is drawn: transforms and clips.
//!
//! Must not know: properties.

use super::units::{is_gone, length, number, pixels, share_of_one, sides, words};

/// Is a factor so small that nothing can be read?
pub(super) fn is_little(factor: &str) -> bool {
    share_of_one(factor).is_some_and(|n| n.abs() < 0.05)
}

/// Does a function of `transform` leave no area, or move it off every screen (CSS Transforms Level 2 §13)?
pub(super) fn flattens((name, inner): (&str, &str)) -> bool {
    let mut parts = words(inner);
    match name {
        "scale" | "scalex" | "scaley" => parts.any(is_little),
        "scale3d" => parts.take(2).any(is_little),
        "translate" | "translatex" | "translatey" | "translate3d" => parts.any(is_gone),
        "rotatex" | "rotatey" => parts.next().is_some_and(turns_away),
        // About an axis that lies on the screen.
        "rotate3d" => parts.nth(2) == Some("0") && parts.next().is_some_and(turns_away),
        // To a line without an end.
        "skew" | "skewx" | "skewy" => parts.any(turns_away),
        "matrix" => {
            let mut sides = parts.map(|side| number(side).unwrap_or(1.0));
            let mut next = || sides.next().unwrap_or(1.0);
            let (a, b, c, d) = (next(), next(), next(), next());
            (a * d - b * c).abs() < 0.05 * 0.05
        }
        "matrix3d" => {
            let side = |n| words(inner).nth(n).and_then(number).unwrap_or(1.0);
            (side(0) * side(5) - side(1) * side(4)).abs() < 0.05 * 0.05
        }
        _ => false,
    }
}

/// Is it a quarter or three quarters of a turn?
pub(super) fn turns_away(angle: &str) -> bool {
    turn(angle).is_some_and(|turn| {
        let side = turn.rem_euclid(0.5) - 0.25;
        side.abs() < 0.003
    })
}

/// An angle as a part of a whole turn (CSS Values Level 4 §7.1).
pub(super) fn turn(angle: &str) -> Option<f64> {
    let units = [("deg", 360.0), ("grad", 400.0), ("rad", std::f64::consts::TAU), ("turn", 1.0)];
    units.iter().find_map(|(unit, whole)| Some(number(angle.strip_suffix(unit)?)? / whole))
}

/// Is a basic shape without an area (CSS Shapes Level 1 §3.1)?
pub(super) fn is_nothing((name, inner): (&str, &str)) -> bool {
    let is_zero = |word: &str| length(word).is_some_and(|(n, _)| n == 0.0);
    let part = |word: &'static str| inner.split(word).next().unwrap_or_default().trim();
    match name {
        "inset" => {
            let share = |side: Option<&str>| side.and_then(share);
            let [top, right, bottom, left] = sides(part("round")).map(share);
            let all = |one: Option<f64>, other: Option<f64>| {
                one.zip(other).is_some_and(|(one, other)| one + other >= 100.0)
            };
            all(top, bottom) || all(left, right)
        }
        // Left out, they are `auto`: the edges of the box.
        "rect" => words(inner).map(pixels).collect::<Option<Vec<_>>>().is_some_and(|sides| {
            matches!(sides[..], [top, right, bottom, left] if bottom <= top || right <= left)
        }),
        "xywh" => inner.split_ascii_whitespace().skip(2).take(2).any(is_zero),
        "circle" | "ellipse" => {
            let is_point = |word: &str| is_zero(word) || pixels(word).is_some_and(|n| n <= 4.0);
            let mut sizes = part("at").split_ascii_whitespace();
            // Its middle is further out than it is wide.
            let size = sizes.clone().find_map(pixels);
            let middle = inner.split_once("at ").map_or("", |(_, middle)| middle);
            let mut places = middle.split_ascii_whitespace().filter_map(pixels);
            sizes.any(is_point) || size.is_some_and(|size| places.any(|place| place <= -size))
        }
        // A pen that is set down, and draws nothing.
        "path" => {
            let way = inner.rsplit_once(',').map_or(inner, |(_, way)| way);
            !way.bytes().any(|b| b"lhvcsqta".contains(&(b | 0x20)))
        }
        "polygon" => {
            // All points in one line from left to right or from top to bottom.
            let points = || inner.split(',').map(str::split_ascii_whitespace);
            let one = |n: usize| {
                let mut sides = points().map(|mut point| point.nth(n));
                let first = sides.next().flatten();
                first.is_some_and(|side| length(side).is_some()) && sides.all(|side| side == first)
            };
            // All of them left of the box or above it.
            let out = |n: usize| {
                points().all(|mut point| {
                    point.nth(n).and_then(length).is_some_and(|(side, _)| side <= 0.0)
                })
            };
            one(0) || one(1) || out(0) || out(1)
        }
        _ => false,
    }
}

/// A share of a hundred; nothing is nothing of it.
fn share(value: &str) -> Option<f64> {
    length(value).filter(|&(n, unit)| unit == "%" || n == 0.0).map(|(n, _)| n)
}
