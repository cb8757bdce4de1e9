//! Colours, and what backgrounds are made of (CSS Color Level 4, CSS Backgrounds Level 3).
//!
//! Must not know: elements, which declaration wins.

use color::{ColorSpaceTag, DynamicColor, HueDirection, Srgb, parse_color};

use super::shapes::turn;
use super::substitution::is_filled_in;
use super::units::{is_length, length, number, share_of_one};

/// Red, green and blue.
pub(in super::super) type Rgb = [u8; 3];

/// What something is painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Paint {
    Of(Rgb),
    /// Nothing to see.
    Clear,
    /// Something that is not known here: a picture, a gradient, half of a colour, a value of a script.
    Any,
}

/// Letters and grounds that let more through than this are clear.
const CLEAR: f32 = 0.06;

/// A colour; `None`: it is none. What only a browser can work out may be any.
pub(super) fn colour(value: &str) -> Option<Paint> {
    // Most are numbers.
    if !value.starts_with('#') {
        match value {
            "transparent" => return Some(Paint::Clear),
            "currentcolor" => return Some(Paint::Any),
            _ if OF_PAGES.contains(&value) => return Some(Paint::Of([255; 3])),
            _ if OF_LETTERS.contains(&value) => return Some(Paint::Of([0; 3])),
            _ if SYSTEM.contains(&value) => return Some(Paint::Any),
            _ => {}
        }
    }
    match read(value) {
        Some(colour) => Some(paint(colour)),
        None => worked_out(value, MAX_DEPTH),
    }
}

/// Colours within colours.
const MAX_DEPTH: u8 = 4;

/// A colour that is made of others, or is not known before the page is drawn (CSS Color Level 5).
fn worked_out(value: &str, depth: u8) -> Option<Paint> {
    let inner = value.strip_suffix(')')?;
    let (name, inner) = inner.split_once('(').filter(|_| depth > 0)?;
    let is_colour = |text: &str| {
        let named = text == "currentcolor" || is_of_system(text);
        named || read(text).is_some() || worked_out(text, depth - 1).is_some()
    };
    let parts = || outer(inner, |b| b == b',');
    let known = match name {
        "light-dark" => {
            let known = parts().count() == 2 && parts().all(is_colour);
            // Which of them is seen depends on the page's `color-scheme` and on the reader.
            if known && parts().all(|part| read(part).map(paint) == Some(Paint::Clear)) {
                return Some(Paint::Clear);
            }
            known
        }
        "contrast-color" => is_colour(inner.trim_ascii()),
        "color-mix" => {
            let colours = || parts().filter(|part| !part.starts_with("in "));
            let is_share = |word: &str| word.strip_suffix('%').and_then(number).is_some();
            let is_some = |part: &str| !(part.ends_with(" 0%") || part.starts_with("0% "));
            colours().any(is_some)
                && colours().all(|part| {
                    let words = outer(part, |b| b.is_ascii_whitespace());
                    let mut words = words.filter(|word| !is_share(word));
                    words.next().is_some_and(is_colour) && words.next().is_none()
                })
        }
        "rgb" | "rgba" | "hsl" | "hsla" | "hwb" | "lab" | "lch" | "oklab" | "oklch" | "color" => {
            let from = inner.strip_prefix("from ")?;
            let (parts, alpha) = from.split_once('/').unwrap_or((from, ""));
            let mut words = outer(parts, |b| b.is_ascii_whitespace());
            let known = words.next().is_some_and(is_colour) && (3..=4).contains(&words.count());
            if known && share_of_one(alpha.trim_ascii()).is_some_and(|n| n < f64::from(CLEAR)) {
                return Some(Paint::Clear);
            }
            known
        }
        _ => is_filled_in(value),
    };
    known.then_some(Paint::Any)
}

/// A colour that is the same for all readers.
fn read(value: &str) -> Option<DynamicColor> {
    match value.strip_prefix("color-mix(") {
        Some(inner) => mixed(inner.strip_suffix(')')?),
        None if value.ends_with("grey") => parse_color(&value.replace("grey", "gray")).ok(),
        None => parse_color(value).ok(),
    }
}

/// What is mixed of two colours, none of them a mixture (CSS Color Level 5 §3).
fn mixed(inner: &str) -> Option<DynamicColor> {
    let mut parts = outer(inner, |b| b == b',');
    let mut way = parts.next()?.strip_prefix("in ")?.split_ascii_whitespace();
    let space = space(way.next()?)?;
    let around = match way.next() {
        None | Some("shorter") => HueDirection::Shorter,
        Some("longer") => HueDirection::Longer,
        Some("increasing") => HueDirection::Increasing,
        Some("decreasing") => HueDirection::Decreasing,
        _ => return None,
    };
    let mut one = || {
        let (mut colour, mut share) = (None, None);
        for word in outer(parts.next()?, |b| b.is_ascii_whitespace()) {
            match word.strip_suffix('%').and_then(number) {
                Some(percent) => share = Some(percent),
                None => colour = Some(parse_color(word).ok()?),
            }
        }
        Some((colour?, share))
    };
    let ((first, one), (second, other)) = (one()?, one()?);
    let one = one.or(other.map(|other| 100.0 - other)).unwrap_or(50.0);
    let other = other.unwrap_or(100.0 - one);
    let sum = one + other;
    if parts.next().is_some() || one < 0.0 || other < 0.0 || sum <= 0.0 {
        return None;
    }
    let mixed = first.interpolate(second, space, around).eval((other / sum) as f32);
    Some(mixed.multiply_alpha((sum / 100.0).min(1.0) as f32))
}

/// A space of colours by its name (CSS Color Level 4 §12.1).
fn space(name: &str) -> Option<ColorSpaceTag> {
    Some(match name {
        "srgb" => ColorSpaceTag::Srgb,
        "srgb-linear" => ColorSpaceTag::LinearSrgb,
        "display-p3" => ColorSpaceTag::DisplayP3,
        "a98-rgb" => ColorSpaceTag::A98Rgb,
        "prophoto-rgb" => ColorSpaceTag::ProphotoRgb,
        "rec2020" => ColorSpaceTag::Rec2020,
        "lab" => ColorSpaceTag::Lab,
        "oklab" => ColorSpaceTag::Oklab,
        "xyz" | "xyz-d65" => ColorSpaceTag::XyzD65,
        "xyz-d50" => ColorSpaceTag::XyzD50,
        "hsl" => ColorSpaceTag::Hsl,
        "hwb" => ColorSpaceTag::Hwb,
        "lch" => ColorSpaceTag::Lch,
        "oklch" => ColorSpaceTag::Oklch,
        _ => return None,
    })
}

fn paint(colour: DynamicColor) -> Paint {
    let colour = colour.to_alpha_color::<Srgb>().to_rgba8();
    match f32::from(colour.a) / 255.0 {
        alpha if alpha < CLEAR => Paint::Clear,
        alpha if alpha < 1.0 - CLEAR => Paint::Any,
        _ => Paint::Of([colour.r, colour.g, colour.b]),
    }
}

/// The colour of letters that are not all there: as if they were.
pub(super) fn ink(value: &str) -> Option<Paint> {
    let found = colour(value)?;
    match read(value) {
        Some(colour) if found == Paint::Any => {
            let colour = colour.to_alpha_color::<Srgb>().to_rgba8();
            Some(Paint::Of([colour.r, colour.g, colour.b]))
        }
        _ => Some(found),
    }
}

/// The ground of pages and what is written on it, as the reader's system has it (CSS Color Level 4 §6.2, appendix A).
const OF_PAGES: [&str; 9] = [
    "canvas",
    "window",
    "background",
    "menu",
    "scrollbar",
    "appworkspace",
    "activecaption",
    "inactivecaption",
    "infobackground",
];
const OF_LETTERS: [&str; 5] = ["canvastext", "windowtext", "captiontext", "infotext", "menutext"];

/// The other colours of the system.
const SYSTEM: [&str; 30] = [
    "accentcolor",
    "accentcolortext",
    "activetext",
    "buttonborder",
    "buttonface",
    "buttontext",
    "field",
    "fieldtext",
    "graytext",
    "highlight",
    "highlighttext",
    "linktext",
    "mark",
    "marktext",
    "selecteditem",
    "selecteditemtext",
    "visitedtext",
    "-webkit-link",
    "-webkit-activelink",
    "activeborder",
    "buttonhighlight",
    "buttonshadow",
    "inactiveborder",
    "inactivecaptiontext",
    "threeddarkshadow",
    "threedface",
    "threedhighlight",
    "threedlightshadow",
    "threedshadow",
    "windowframe",
];

fn is_of_system(name: &str) -> bool {
    OF_PAGES.contains(&name) || OF_LETTERS.contains(&name) || SYSTEM.contains(&name)
}

/// Can nobody tell one from the other?
pub(in super::super) fn are_alike(one: Rgb, other: Rgb) -> bool {
    /// White and the lightest grey that is still taken for it are so far apart.
    const FAR: u8 = 24;
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= FAR)
}

/// What a background is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ground {
    pub colour: Paint,
    pub picture: Paint,
    /// It shows within letters alone.
    pub in_text: bool,
}

/// Reads the shorthand `background`, one of its layers after the other; `None`: it is none.
pub(super) fn ground(value: &str) -> Option<Ground> {
    let mut found = Ground { colour: Paint::Clear, picture: Paint::Clear, in_text: false };
    for word in outer(value, |b| b == b',' || b == b'/' || b.is_ascii_whitespace()) {
        if word == "text" {
            found.in_text = true;
        } else if WORDS.contains(&word) || length(word).is_some() {
        } else if let Some(picture) = picture(word) {
            found.picture = over(picture, found.picture);
        } else if let Some(colour) = colour(word).filter(|_| found.colour == Paint::Clear) {
            found.colour = colour;
        } else {
            return None;
        }
    }
    Some(found)
}

/// Words of `background` that say where something is and how often (CSS Backgrounds Level 3 §2).
const WORDS: [&str; 21] = [
    "none",
    "repeat",
    "no-repeat",
    "repeat-x",
    "repeat-y",
    "round",
    "space",
    "fixed",
    "scroll",
    "local",
    "center",
    "left",
    "right",
    "top",
    "bottom",
    "cover",
    "contain",
    "auto",
    "border-box",
    "padding-box",
    "content-box",
];

/// What a list of pictures shows.
pub(super) fn pictures(value: &str) -> Option<Paint> {
    let mut parts = outer(value, |b| b == b',');
    parts.try_fold(Paint::Clear, |all, part| {
        let one = if part == "none" { Paint::Clear } else { picture(part)? };
        Some(over(one, all))
    })
}

/// One picture before another.
fn over(front: Paint, back: Paint) -> Paint {
    match (front, back) {
        (Paint::Clear, back) => back,
        (front, Paint::Clear) => front,
        _ => Paint::Any,
    }
}

/// A picture; `None`: it is none. Gradients of one colour are that colour (CSS Images Level 3 §3).
fn picture(value: &str) -> Option<Paint> {
    let (whole, inner) = value.strip_suffix(')')?.split_once('(')?;
    let name = whole.strip_prefix("-webkit-").unwrap_or(whole);
    let old = whole.len() - name.len() > 0;
    match name {
        "url" => return Some(Paint::Any),
        "image-set" | "cross-fade" if old || name == "image-set" => {
            let named = inner.contains("url(") || inner.contains(['"', '\'']);
            return (named || inner.contains("gradient(")).then_some(Paint::Any);
        }
        "gradient" if old => {
            let known = inner.starts_with("linear") || inner.starts_with("radial");
            return known.then_some(Paint::Any);
        }
        _ if !GRADIENTS.contains(&name.strip_prefix("repeating-").unwrap_or(name)) => return None,
        _ => {}
    }
    let is_place = |word: &str| is_length(word) || turn(word).is_some();
    let is_way = |word: &str| is_place(word) || WAYS.contains(&word) || space(word).is_some();
    let (mut all, mut mixed) = (None, false);
    for (place, stop) in outer(inner, |b| b == b',').enumerate() {
        let mut words = outer(stop, |b| b.is_ascii_whitespace());
        let first = words.next()?;
        match colour(first) {
            Some(paint) if words.all(is_place) => {
                mixed |= all.is_some_and(|all| all != paint);
                all = Some(paint);
            }
            // Where it begins and how it goes on; a place between two colours.
            None if place == 0 || old && place == 1 => {
                if !is_way(first) || !words.all(is_way) {
                    return None;
                }
            }
            None if is_place(first) && words.next().is_none() => {}
            _ => return None,
        }
    }
    if mixed { Some(Paint::Any) } else { all }
}

const GRADIENTS: [&str; 3] = ["linear-gradient", "radial-gradient", "conic-gradient"];

/// Words that say how a gradient goes on.
const WAYS: [&str; 22] = [
    "to",
    "left",
    "right",
    "top",
    "bottom",
    "center",
    "at",
    "from",
    "in",
    "circle",
    "ellipse",
    "closest-side",
    "closest-corner",
    "farthest-side",
    "farthest-corner",
    "cover",
    "contain",
    "shorter",
    "longer",
    "increasing",
    "decreasing",
    "hue",
];

/// The parts of a value between these bytes, as far as they stand in no brackets; those that hold something.
pub(super) fn outer(value: &str, parts: impl Fn(u8) -> bool) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    let pieces = value.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c.is_ascii() && parts(c as u8)
    });
    pieces.map(str::trim_ascii).filter(|piece| !piece.is_empty())
}

/// What a mask lets through, as a list of pictures or as the shorthand (CSS Masking Level 1 §6); `None`: it is none.
pub(super) fn mask(value: &str) -> Option<Paint> {
    /// What the shorthand says beside words of backgrounds.
    const BESIDE: [&str; 11] = [
        "alpha",
        "luminance",
        "match-source",
        "add",
        "subtract",
        "intersect",
        "exclude",
        "no-clip",
        "fill-box",
        "stroke-box",
        "view-box",
    ];
    pictures(value).or_else(|| {
        let mut words = outer(value, |b| b == b',' || b == b'/' || b.is_ascii_whitespace());
        let known = words.all(|word| {
            let beside = WORDS.contains(&word) || BESIDE.contains(&word);
            beside || length(word).is_some() || picture(word).is_some()
        });
        known.then_some(Paint::Any)
    })
}

/// Two to four lengths and perhaps a colour.
pub(super) fn is_shadow(value: &str) -> bool {
    let (mut lengths, mut colours) = (0, 0);
    for word in outer(value, |b| b.is_ascii_whitespace()) {
        if is_length(word) {
            lengths += 1;
        } else if colour(word).is_some() {
            colours += 1;
        } else if word != "inset" {
            return false;
        }
    }
    (2..=4).contains(&lengths) && colours < 2
}

/// Is it what draws around letters: `none`, shadows, or a line with its width and colour?
pub(super) fn is_line(value: &str) -> bool {
    let is_part = |word: &str| {
        matches!(word, "thin" | "medium" | "thick") || is_length(word) || colour(word).is_some()
    };
    let words = || outer(value, |b| b.is_ascii_whitespace());
    value == "none"
        || outer(value, |b| b == b',').all(is_shadow)
        || words().count() <= 2 && words().all(is_part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn colours_are_read() {
        for (value, expect) in [
            ("#fff", Some(Paint::Of([255; 3]))),
            ("white", Some(Paint::Of([255; 3]))),
            ("rgb(255 255 255)", Some(Paint::Of([255; 3]))),
            ("hsl(0 0% 100%)", Some(Paint::Of([255; 3]))),
            ("oklch(1 0 0)", Some(Paint::Of([255; 3]))),
            ("rgba(0,0,0,0)", Some(Paint::Clear)),
            ("#0000", Some(Paint::Clear)),
            ("rgb(0 0 0 / 1%)", Some(Paint::Clear)),
            ("rgba(0,0,0,.5)", Some(Paint::Any)),
            ("darkslategrey", Some(Paint::Of([47, 79, 79]))),
            ("window", Some(Paint::Of([255; 3]))),
            ("menutext", Some(Paint::Of([0; 3]))),
            ("threedface", Some(Paint::Any)),
            ("light-dark(transparent,red)", Some(Paint::Any)),
            ("light-dark(red,transparent)", Some(Paint::Any)),
            ("light-dark(transparent, rgb(0 0 0 / 0))", Some(Paint::Clear)),
            ("light-dark(transparent,banana)", None),
            ("var(--x)", Some(Paint::Any)),
            ("color-mix(in srgb,#fff,#fff)", Some(Paint::Of([255; 3]))),
            ("color-mix(in srgb, #fff 25%, rgb(0, 0, 0))", Some(Paint::Of([64; 3]))),
            ("color-mix(in srgb, black, white 25%)", Some(Paint::Of([64; 3]))),
            ("color-mix(in oklab, white 30%, white 30%)", Some(Paint::Any)),
            ("color-mix(in srgb, white 2%, white 2%)", Some(Paint::Clear)),
            ("color-mix(in srgb, white, currentcolor)", Some(Paint::Any)),
            ("color-mix(white, white)", Some(Paint::Any)),
            ("color-mix(in srgb, white 0%, white 0%)", None),
            ("color-mix(in srgb, foo, white)", None),
            ("rgb(from red r g b)", Some(Paint::Any)),
            ("rgb(from red r g b / 0)", Some(Paint::Clear)),
            ("rgb(from foo r g b)", None),
            ("light-dark(red, blue)", Some(Paint::Any)),
            ("light-dark(red)", None),
            ("rgb(foo)", None),
            ("foo(1)", None),
            ("banana", None),
            ("#ffff0", None),
            ("", None),
        ] {
            assert_eq!(colour(value), expect, "{value}");
        }
        assert_eq!(ink("rgba(255,255,255,.5)"), Some(Paint::Of([255; 3])));
        assert!(are_alike([255; 3], [240; 3]) && !are_alike([255, 0, 0], [0, 128, 0]));
    }

    #[test]
    fn grounds_are_read() {
        let white = Paint::Of([255; 3]);
        let check = |value: &str, colour, picture, in_text| {
            assert_eq!(ground(value), Some(Ground { colour, picture, in_text }), "{value}");
        };
        check("#fff", white, Paint::Clear, false);
        check("none", Paint::Clear, Paint::Clear, false);
        check("url(a b,c) no-repeat 0 0/cover, white", white, Paint::Any, false);
        check("linear-gradient(to right, #fff 0%, #fff) text", Paint::Clear, white, true);
        check("linear-gradient(45deg,#fff,#000)", Paint::Clear, Paint::Any, false);
        assert_eq!(ground("#000 banana"), None);
        assert_eq!(ground("#000 #fff"), None);
        assert_eq!(mask("linear-gradient(rgba(0,0,0,0),transparent)"), Some(Paint::Clear));
    }

    proptest! {
        #[test]
        fn any_value_ends(value in "((url|rgb|hsl|linear-gradient|var)?\\(|[0-9#%]|white|deg| |[,/.()]|é){0,40}") {
            _ = (ground(&value), pictures(&value), ink(&value));
        }
    }
}
