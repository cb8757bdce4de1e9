//! Whether what a sheet puts under a condition counts: media queries and `@supports`.
//!
//! Brackets are looked into to a depth of [`MAX_DEPTH`]. Must not know: rules.

use std::borrow::Cow;
use std::cell::Cell;

use super::super::selector;
use super::known::{Known, is_known};
use super::math;
use super::units::{HEIGHT, WIDTH, pixels};

/// Conditions in the brackets of conditions; deeper ones are not known.
const MAX_DEPTH: u8 = 8;

/// What a condition comes to (Media Queries Level 4 §3.1).
#[derive(Clone, Copy, PartialEq)]
enum Truth {
    True,
    False,
    /// Browsers do not know it.
    Unknown,
    /// Not told here.
    Untold,
}

use Truth::{False, True, Unknown, Untold};

impl Truth {
    fn of(known: bool) -> Truth {
        if known { True } else { False }
    }

    fn not(self) -> Truth {
        match self {
            True => False,
            False => True,
            other => other,
        }
    }

    fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (False, _) | (_, False) => False,
            (Untold, _) | (_, Untold) => Untold,
            (Unknown, _) | (_, Unknown) => Unknown,
            _ => True,
        }
    }

    fn or(self, other: Truth) -> Truth {
        self.not().and(other.not()).not()
    }

    /// What is not known counts as not met.
    fn known(self) -> Option<bool> {
        match self {
            True => Some(true),
            False | Unknown => Some(false),
            Untold => None,
        }
    }
}

/// A reader with a wide screen.
struct Reader {
    /// With a mouse, light colours and no wishes of their own; or else with fingers, and the opposite.
    plain: bool,
    /// That was asked for.
    asked: Cell<bool>,
}

/// Do two conditions hold together, each told as [`applies`] does?
pub(in super::super) fn and(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Does a media query list apply (Media Queries Level 4 §3) to all readers with a wide screen, or to none?
/// `None`: to some.
pub(in super::super) fn applies(media: &str) -> Option<bool> {
    let media = even(media);
    if media.is_empty() {
        return Some(true);
    }
    let answer = |plain| {
        let reader = Reader { plain, asked: Cell::new(false) };
        let queries = split(&media, ",").map(|query| reader.query(query));
        (queries.fold(False, Truth::or).known(), reader.asked.get())
    };
    let (met, asked) = answer(true);
    met.filter(|_| !asked || answer(false).0 == met)
}

impl Reader {
    fn is_plain(&self) -> bool {
        self.asked.set(true);
        self.plain
    }

    /// One query: a type and a condition (§2.5).
    fn query(&self, query: &str) -> Truth {
        let query = query.trim_ascii();
        let (not, query) = match query.strip_prefix("not ").map(str::trim_ascii_start) {
            Some(rest) if !rest.starts_with('(') => (true, rest),
            _ => (false, query.strip_prefix("only ").unwrap_or(query).trim_ascii_start()),
        };
        let leaf = |text: &str| self.feature(text);
        let length = query.bytes().take_while(|b| b.is_ascii_alphabetic() || *b == b'-').count();
        let (kind, rest) = query.split_at(length);
        if not && kind == "not" {
            return Unknown;
        }
        if kind.is_empty() || kind == "not" {
            return condition(query, MAX_DEPTH, &leaf);
        }
        let of_type = Truth::of(matches!(kind, "all" | "screen"));
        let rest = rest.trim_ascii();
        let whole = match rest.strip_prefix("and ").or_else(|| (rest == "and").then_some("")) {
            // Behind a type there is no choice.
            Some(rest) if split(rest, "or").nth(1).is_some() => return Unknown,
            Some(rest) => of_type.and(condition(rest, MAX_DEPTH, &leaf)),
            None if rest.is_empty() => of_type,
            None => return Unknown,
        };
        if not { whole.not() } else { whole }
    }

    /// A media feature, as a name alone, as `name: value` or as a range (§2.4).
    fn feature(&self, text: &str) -> Truth {
        let text = text.trim_ascii();
        if let Some((name, value)) = text.split_once(':') {
            let (name, value) = (name.trim_ascii(), value.trim_ascii());
            let name = name.strip_prefix("-webkit-").unwrap_or(name);
            let (name, sign) = match (name.strip_prefix("min-"), name.strip_prefix("max-")) {
                (Some(name), _) => (name, ">="),
                (_, Some(name)) => (name, "<="),
                _ => (name, "="),
            };
            return match self.size(name) {
                Some(own) => amount(value).map_or(Unknown, |asked| compare(own, sign, asked)),
                None => self.word(name, value),
            };
        }
        if !text.contains(['<', '>', '=']) {
            return match self.size(text) {
                Some(own) => Truth::of(own != 0.0),
                None => self.word(text, ""),
            };
        }
        // Amounts and signs in turn: one name among them.
        let mut all = True;
        let (mut left, mut rest) = (None, text);
        loop {
            let end = rest.find(['<', '>', '=']).unwrap_or(rest.len());
            let (side, after) = rest.split_at(end);
            let side = side.trim_ascii();
            let Some(right) = self.size(side).or_else(|| amount(side)) else { return Unknown };
            if let Some((left, sign)) = left {
                all = all.and(compare(left, sign, right));
            }
            let signs = after.len() - after.trim_start_matches(['<', '>', '=']).len();
            let (sign, after) = after.split_at(signs);
            if sign.is_empty() {
                return all;
            }
            (left, rest) = (Some((right, sign)), after);
        }
    }

    /// A feature that has an amount: pixels, dots for a pixel, shares, numbers.
    fn size(&self, name: &str) -> Option<f64> {
        Some(match name {
            "width" | "device-width" => WIDTH,
            "height" | "device-height" => HEIGHT,
            "aspect-ratio" | "device-aspect-ratio" => WIDTH / HEIGHT,
            "resolution" | "device-pixel-ratio" if self.is_plain() => 1.0,
            "resolution" | "device-pixel-ratio" => 2.0,
            "color" => 8.0,
            "color-index" | "monochrome" | "grid" => 0.0,
            _ => return None,
        })
    }

    /// A feature that is one of some words; without one it asks for any but the last.
    fn word(&self, name: &str, asked: &str) -> Truth {
        let told = |words: [&'static str; 2]| words[usize::from(!self.is_plain())];
        let (words, none): (&[&str], &str) = match name {
            "orientation" => (&["landscape"], ""),
            "scan" => (&["progressive"], ""),
            "update" => (&["fast"], "none"),
            "overflow-block" | "overflow-inline" => (&["scroll"], "none"),
            "scripting" => (&["enabled"], "none"),
            "display-mode" => (&["browser"], ""),
            "inverted-colors" | "forced-colors" => (&["none"], "none"),
            "dynamic-range" | "video-dynamic-range" => (&["standard"], ""),
            "hover" | "any-hover" => (&[told(["hover", "none"])], "none"),
            "pointer" | "any-pointer" => (&[told(["fine", "coarse"])], "none"),
            "color-gamut" => (&["srgb", told(["srgb", "p3"])], ""),
            "prefers-color-scheme" => (&[told(["light", "dark"])], ""),
            "prefers-contrast" => (&[told(["no-preference", "more"])], "no-preference"),
            "prefers-reduced-motion" | "prefers-reduced-data" | "prefers-reduced-transparency" => {
                (&[told(["no-preference", "reduce"])], "no-preference")
            }
            _ => return Unknown,
        };
        Truth::of(if asked.is_empty() { !words.contains(&none) } else { words.contains(&asked) })
    }
}

/// An amount of a feature: a length, dots for a pixel, a ratio or a number.
fn amount(text: &str) -> Option<f64> {
    let text = math::worked_out(text);
    let plain = |text: &str| text.trim_ascii().parse::<f64>().ok().filter(|n| n.is_finite());
    if let Some((wide, high)) = text.split_once('/') {
        return plain(high).filter(|n| *n != 0.0).and_then(|high| Some(plain(wide)? / high));
    }
    let of = |unit: &str, dots: f64| plain(text.strip_suffix(unit)?).map(|n| n / dots);
    let dots = of("dppx", 1.0).or_else(|| of("dpi", 96.0)).or_else(|| of("dpcm", 37.8));
    dots.or_else(|| of("x", 1.0)).or_else(|| pixels(&text)).or_else(|| plain(&text))
}

fn compare(left: f64, sign: &str, right: f64) -> Truth {
    Truth::of(match sign {
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        "=" => (left - right).abs() < 0.001,
        _ => return Unknown,
    })
}

/// Is a condition of `@supports` met (CSS Conditional Rules Level 3 §6)? `None`: it is not told here.
pub(super) fn supports(text: &str) -> Option<bool> {
    condition(&even(text), MAX_DEPTH, &declared).known()
}

/// In small letters, with one blank between words.
fn even(text: &str) -> Cow<'_, str> {
    let text = text.trim_ascii();
    let odd = |b: u8| b.is_ascii_uppercase() || b.is_ascii_whitespace() && b != b' ';
    if !text.bytes().any(odd) && !text.contains("  ") {
        return text.into();
    }
    let even = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
    even.into()
}

/// Do browsers know what is asked for: a declaration, or a function (CSS Conditional Rules Level 5 §2)?
fn declared(text: &str) -> Truth {
    let (head, inner) = text.split_once('(').unwrap_or((text, ""));
    if !head.contains(':') && text.ends_with(')') {
        let inner = inner.strip_suffix(')').unwrap_or_default().trim_ascii();
        return Truth::of(match head {
            "selector" => selector::is_known(inner),
            "font-tech" => TECHS.contains(&inner),
            "font-format" => FORMATS.contains(&inner),
            "at-rule" => {
                let name = inner.strip_prefix('@');
                name.is_some_and(|name| RULES.split(' ').any(|rule| rule == name))
            }
            _ => false,
        });
    }
    let Some((name, value)) = text.split_once(':') else { return False };
    let (name, value) = (name.trim_ascii_end(), value.trim_ascii());
    match name.strip_prefix("--") {
        Some(name) => Truth::of(!name.is_empty()),
        None => match is_known(name, value) {
            Known::Yes => True,
            Known::No => False,
            // Who shows a text under such a condition may show it.
            Known::Perhaps => Untold,
            Known::Rarely => Unknown,
        },
    }
}

/// What fonts may be made of, and how they may be written (CSS Fonts Level 4 §11.1).
const TECHS: [&str; 8] = [
    "color-colrv0",
    "color-colrv1",
    "color-sbix",
    "color-cbdt",
    "features-opentype",
    "features-aat",
    "palettes",
    "variations",
];
const FORMATS: [&str; 5] = ["woff", "woff2", "opentype", "truetype", "collection"];

/// At-rules that Chromium 156 knows (`scripts/browser-words` tells what differs).
const RULES: &str = "media supports layer container scope property starting-style font-face keyframes \
    -webkit-keyframes page import namespace counter-style font-palette-values position-try view-transition function \
    font-feature-values annotation character-variant ornaments styleset stylistic swash top-left-corner top-left \
    top-center top-right top-right-corner bottom-left-corner bottom-left bottom-center bottom-right \
    bottom-right-corner left-top left-middle left-bottom right-top right-middle right-bottom";

/// A condition of others in brackets, joined by `not`, `and` and `or`; `leaf` tells what stands in the innermost.
fn condition(text: &str, depth: u8, leaf: &dyn Fn(&str) -> Truth) -> Truth {
    let text = text.trim_ascii();
    if depth == 0 {
        return Untold;
    }
    if let Some(rest) = text.strip_prefix("not ") {
        return part(rest, depth, leaf).not();
    }
    let join = |word, with: fn(Truth, Truth) -> Truth| {
        let mut parts = split(text, word);
        let first = parts.next().map_or(Unknown, |text| part(text, depth, leaf));
        parts.fold(first, |all, text| with(all, part(text, depth, leaf)))
    };
    match (split(text, "and").nth(1), split(text, "or").nth(1)) {
        (Some(_), Some(_)) => Unknown,
        (_, Some(_)) => join("or", Truth::or),
        _ => join("and", Truth::and),
    }
}

/// What stands in one pair of brackets.
fn part(text: &str, depth: u8, leaf: &dyn Fn(&str) -> Truth) -> Truth {
    let inner = text.trim_ascii().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let is_call =
        |text: &str| text.ends_with(')') && text.starts_with(|c: char| c.is_ascii_alphabetic());
    let Some(inner) = inner.map(str::trim_ascii) else {
        let text = text.trim_ascii();
        return if is_call(text) { leaf(text) } else { Unknown };
    };
    // `not(…)` is a function, which nobody knows.
    if inner.starts_with('(') || inner.starts_with("not ") {
        condition(inner, depth - 1, leaf)
    } else {
        leaf(inner)
    }
}

/// The parts of a text between commas, or a word, outside brackets. Before the word a bracket may end without a blank;
/// with a bracket behind it, it is a function.
fn split<'t>(text: &'t str, word: &'static str) -> impl Iterator<Item = &'t str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let bytes = text.as_bytes();
        let ends = |at: usize| {
            let stands_alone = || {
                let before = at.checked_sub(1).and_then(|at| bytes.get(at));
                matches!(before, Some(b' ' | b')')) && bytes.get(at + word.len()) == Some(&b' ')
            };
            bytes[at..].starts_with(word.as_bytes()) && (word == "," || stands_alone())
        };
        let mut depth = 0u32;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ if depth == 0 && ends(at) => {
                    rest = text.get(at + word.len()..);
                    return text.get(..at);
                }
                _ => {}
            }
        }
        rest = None;
        Some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn media_of_a_wide_screen() {
        for (media, expect) in [
            ("", Some(true)),
            ("screen", Some(true)),
            ("print", Some(false)),
            ("print, Screen", Some(true)),
            ("not print", Some(true)),
            ("not all", Some(false)),
            ("not screen and (min-width:600px)", Some(false)),
            ("not not print", Some(false)),
            ("only screen and (max-width: 40em)", Some(false)),
            ("(width >= 600px)", Some(true)),
            ("(width<600px)", Some(false)),
            ("(600px <= width <= 80em)", Some(true)),
            ("(600px < width < 700px)", Some(false)),
            ("(600px < height)", Some(true)),
            ("(min-aspect-ratio: 1/2)", Some(true)),
            ("(width)", Some(true)),
            ("(width <> 3px)", Some(false)),
            ("(<)", Some(false)),
            ("(<width<)", Some(false)),
            ("(color)", Some(true)),
            ("(monochrome)", Some(false)),
            ("not (monochrome)", Some(true)),
            ("(nonesuch)", Some(false)),
            ("not (nonesuch)", Some(false)),
            ("(nonesuch) or (color)", Some(true)),
            ("screen and ((color) and (not (grid)))", Some(true)),
            ("(min-resolution: 1.5dppx)", None),
            ("(-webkit-min-device-pixel-ratio: 0)", Some(true)),
            ("(hover:hover)", None),
            ("(hover:hover) and (hover:none)", Some(false)),
            ("(hover), (hover:none)", Some(true)),
            ("(prefers-color-scheme:light)", None),
            ("screen and (hover)", None),
            ("print and (hover)", Some(false)),
            ("(orientation:portrait)", Some(false)),
            ("(scripting:none)", Some(false)),
            ("screen and", Some(false)),
            ("screen and nonesuch(1)", Some(false)),
            ("[x]", Some(false)),
            ("(width) or nonesuch(1)", Some(true)),
            ("screen and (width) or (height)", Some(false)),
            // As sheets are compressed.
            ("(min-width:600px)and (max-width:9999px)", Some(true)),
            ("only screen and (min-width:600px)and (max-width:700px)", Some(false)),
            ("not(monochrome)", Some(false)),
        ] {
            assert_eq!(applies(media), expect, "{media}");
        }
    }

    #[test]
    fn what_browsers_support() {
        for (condition, expect) in [
            ("(display:grid)", Some(true)),
            ("(display : Grid) and (position:sticky)", Some(true)),
            ("(display:grid) or (a:b)", Some(true)),
            ("(display:grid) and (a:b)", Some(false)),
            ("not (display:grid)", Some(false)),
            ("not(display: grid)", Some(false)),
            ("not(a:b)", Some(false)),
            ("(a:b)or (display:grid)", Some(true)),
            ("(display:grid)and (a:b)", Some(false)),
            ("(anchor-name:--a)", Some(true)),
            ("(animation-timeline:--a)", Some(true)),
            ("(field-sizing:content)", Some(true)),
            ("(mask-composite:exclude)", Some(true)),
            ("(appearance:base-select)", Some(true)),
            ("(display:grid) and (not (display:inline-grid))", Some(false)),
            ("(-ms-ime-align:auto)", Some(false)),
            ("(tab-size:3)", Some(true)),
            ("(--a:0)", Some(true)),
            ("(a:b)", Some(false)),
            ("not (a:b)", Some(true)),
            ("(display:nonesuch)", Some(false)),
            ("selector(:has(a))", Some(true)),
            ("not selector(:target)", Some(false)),
            ("selector(:root) and selector(:host)", Some(true)),
            ("selector(a:only-child:nth-of-type(2n + 1):disabled)", Some(true)),
            ("selector(::placeholder) and selector(::selection)", Some(true)),
            ("selector(::part(a)) and selector(::slotted(b))", Some(true)),
            ("not selector(::details-content)", Some(false)),
            ("selector(a,b)", Some(false)),
            ("selector(:is())", Some(true)),
            ("selector()", Some(false)),
            ("(animation-timeline: view())", Some(true)),
            ("(animation-timeline: scroll(root block))", Some(true)),
            ("(animation-timeline: nonesuch())", Some(false)),
            ("(grid-template-columns: repeat(auto-fit,minmax(10rem,1fr)))", Some(true)),
            ("(grid-template-columns: 1fr auto fit-content(3em))", Some(true)),
            ("(grid-template-columns: 1fr nonesuch)", Some(false)),
            ("(grid-template-rows: masonry)", Some(false)),
            ("(gap: 1rem 2rem)", Some(true)),
            ("not (gap: 1rem 2rem)", Some(false)),
            ("(gap: 1rem nonesuch)", Some(false)),
            ("(gap: nonesuch(1px))", Some(false)),
            ("(gap: round(1px,2px))", None),
            ("(color: rgb(foo))", Some(false)),
            ("(background: -moz-linear-gradient(red,blue))", Some(false)),
            ("(border: 1px solid rgb(0 0 0))", Some(true)),
            ("(text-wrap: wrap balance)", Some(true)),
            ("(top: anchor(bottom))", Some(true)),
            ("(height: calc-size(auto,size))", Some(true)),
            ("not selector(:nonesuch)", Some(true)),
            ("nonesuch(1)", Some(false)),
            ("not nonesuch(1)", Some(true)),
            ("font-tech(nonesuch)", Some(false)),
            ("font-format(woff2)", Some(true)),
            ("(direction:ltr)", Some(true)),
            ("not (direction:up)", Some(true)),
            ("(scroll-snap-type:x mandatory)", Some(true)),
            ("selector(:horizontal)", Some(true)),
            ("selector(::view-transition-group-children(a))", Some(true)),
            ("at-rule(@page)", Some(true)),
            ("at-rule(@function)", Some(true)),
            ("at-rule(@nonesuch)", Some(false)),
            ("[x]", Some(false)),
            ("not (nonesuch)", Some(true)),
            ("(display:foo())", Some(false)),
            ("(width:5foo)", Some(false)),
            ("(color:light-dark(red,red))", Some(true)),
            ("not (contain:inline-size)", Some(false)),
            ("(aspect-ratio:16/9)", Some(true)),
            ("(-webkit-line-clamp:2)", Some(true)),
            ("(-webkit-touch-callout:none)", Some(false)),
            ("(gap:nonesuch)", Some(false)),
            ("not (gap:nonesuch)", Some(true)),
            ("(height:100dvh)", Some(true)),
            ("(backdrop-filter:blur(10px))", Some(true)),
            ("(height:env(safe-area-inset-bottom))", Some(true)),
            ("(nonesuch:var(--a))", Some(false)),
            ("((display:grid))", Some(true)),
        ] {
            assert_eq!(supports(condition), expect, "{condition}");
        }
        supports(&"(".repeat(100_000));
        supports(&"((a:b) and ".repeat(100_000));
        supports("");
    }

    proptest! {
        #[test]
        fn any_condition_ends(text in "(not |and | or |only |screen|\\(|\\)|width|:|<|=|3px|,|1/0|é){0,30}") {
            applies(&text);
            supports(&text);
        }
    }
}
