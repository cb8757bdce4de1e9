//! Sums in values (CSS Values Level 4 §10): those of constants are worked out, others stay as they are.
//!
//! Depth and length are limited. Must not know: properties.

use std::borrow::Cow;

use super::shapes::turn;
use super::units::{self, WIDTH};

/// Brackets inside of each other.
const MAX_DEPTH: usize = 16;
/// Longer values are not worked out.
const MAX_LENGTH: usize = 400;

/// A number, a length, a share or an angle, or a sum of these: of nothing, of pixels, of a hundred, of the size of text, of
/// whole turns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sum {
    plain: f64,
    pixels: f64,
    percent: f64,
    em: f64,
    turn: f64,
}

impl Sum {
    fn parts(self) -> [f64; 5] {
        [self.plain, self.pixels, self.percent, self.em, self.turn]
    }

    fn from(parts: [f64; 5]) -> Sum {
        let [plain, pixels, percent, em, turn] = parts;
        Sum { plain, pixels, percent, em, turn }
    }

    fn add(self, other: Sum, sign: f64) -> Sum {
        let (a, b) = (self.parts(), other.parts());
        Sum::from(std::array::from_fn(|n| a[n] + sign * b[n]))
    }

    fn times(self, factor: f64) -> Sum {
        Sum::from(self.parts().map(|part| part * factor))
    }

    /// The number, if it is nothing else.
    fn number(self) -> Option<f64> {
        self.parts()[1..].iter().all(|part| *part == 0.0).then_some(self.plain)
    }

    /// About how much it is on a wide screen.
    fn size(self) -> f64 {
        self.plain + self.pixels + self.percent * WIDTH / 100.0 + self.em * 16.0 + self.turn
    }

    fn text(self) -> String {
        match self.parts().map(|part| part == 0.0) {
            [_, true, true, true, true] => format!("{}", self.plain),
            [true, true, false, true, true] => format!("{}%", self.percent),
            [true, true, true, false, true] => format!("{}em", self.em),
            [true, true, true, true, false] => format!("{}turn", self.turn),
            _ => format!("{}px", self.size()),
        }
    }
}

/// A value with its sums worked out, as far as they are constant.
#[inline]
pub(super) fn worked_out(value: &str) -> Cow<'_, str> {
    if value.contains('(') { sums(value) } else { value.into() }
}

#[cold]
fn sums(value: &str) -> Cow<'_, str> {
    const NAMES: [&str; 6] = ["calc(", "min(", "max(", "clamp(", "abs(", "sign("];
    let ends_in_name = |text: &str| NAMES.iter().any(|name| text.ends_with(name));
    let mut brackets = value.match_indices('(');
    if value.len() > MAX_LENGTH || !brackets.any(|(at, _)| ends_in_name(&value[..=at])) {
        return value.into();
    }
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(open) = rest.find('(') {
        let start = rest[..open].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
        let start = start.len();
        let mut reader = Reader { rest: &rest[start..], depth: 0 };
        match reader.term() {
            Some(sum) => {
                out.push_str(&rest[..start]);
                out.push_str(&sum.text());
                rest = reader.rest;
            }
            None => {
                out.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    out.push_str(rest);
    out.into()
}

/// The names of what a value calls, each before its bracket.
pub(super) fn called(value: &str) -> impl Iterator<Item = &str> {
    value.match_indices('(').map(|(at, _)| {
        let before = &value[..at];
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        &before[before.trim_end_matches(part).len()..]
    })
}

/// Does a function that browsers know work out an amount (CSS Values Level 5 §9, CSS Anchor Positioning Level 1 §3)?
pub(super) fn is_math(name: &str) -> bool {
    let name = name.strip_prefix("-webkit-").filter(|name| *name == "calc").unwrap_or(name);
    MATH.contains(&name)
}

const MATH: [&str; 27] = [
    "calc",
    "min",
    "max",
    "clamp",
    "round",
    "mod",
    "rem",
    "abs",
    "sign",
    "pow",
    "sqrt",
    "hypot",
    "log",
    "exp",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "calc-size",
    "anchor",
    "anchor-size",
    "progress",
    "sibling-index",
    "sibling-count",
];

/// Is anything left to work out in a value that is [`worked_out`] as far as it can be?
#[inline]
pub(super) fn is_open(value: &str) -> bool {
    value.contains('(') && called(value).any(is_math)
}

/// Numbers with names (CSS Values Level 4 §10.7); browsers make of the last the most that there is.
const CONSTANTS: [(&str, f64); 4] = [
    ("pi", std::f64::consts::PI),
    ("e", std::f64::consts::E),
    ("infinity", 1e7),
    ("-infinity", -1e7),
];

struct Reader<'v> {
    rest: &'v str,
    depth: usize,
}

impl Reader<'_> {
    fn skip(&mut self, sign: char) -> bool {
        let rest = self.rest.trim_ascii_start();
        let found = rest.strip_prefix(sign);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn sum(&mut self) -> Option<Sum> {
        let mut all = self.product()?;
        loop {
            // Signs of sums have blanks around them; others belong to a number.
            let rest = self.rest.trim_ascii_start();
            let sign = match rest.as_bytes() {
                [b'+', b' ', ..] => 1.0,
                [b'-', b' ', ..] => -1.0,
                _ => return Some(all),
            };
            self.rest = &rest[1..];
            all = all.add(self.product()?, sign);
        }
    }

    fn product(&mut self) -> Option<Sum> {
        let mut all = self.term()?;
        loop {
            if self.skip('*') {
                let other = self.term()?;
                all = match (all.number(), other.number()) {
                    (_, Some(factor)) => all.times(factor),
                    (Some(factor), _) => other.times(factor),
                    _ => return None,
                };
            } else if self.skip('/') {
                let factor = self.term()?.number().filter(|n| *n != 0.0)?;
                all = all.times(factor.recip());
            } else {
                return Some(all);
            }
        }
    }

    /// A number with its unit, or what stands in brackets.
    fn term(&mut self) -> Option<Sum> {
        let text = self.rest.trim_ascii_start();
        let part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+' | b'%');
        let length = text.bytes().take_while(part).count();
        let (word, after) = text.split_at(length);
        self.rest = after;
        if !after.starts_with('(') {
            if let Some((_, plain)) = CONSTANTS.iter().find(|(name, _)| *name == word) {
                return Some(Sum { plain: *plain, ..Sum::default() });
            }
            if let Some(turn) = turn(word) {
                return Some(Sum { turn, ..Sum::default() });
            }
            let (number, unit) = units::length(word)?;
            return Some(match unit {
                "" => Sum { plain: number, ..Sum::default() },
                "%" => Sum { percent: number, ..Sum::default() },
                "em" => Sum { em: number, ..Sum::default() },
                _ => Sum { pixels: units::on_screen(number, unit)?, ..Sum::default() },
            });
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.rest = &after[1..];
        let first = self.sum()?;
        let found = match word {
            "" | "calc" | "-webkit-calc" => first,
            "min" | "max" => {
                let mut best = first;
                while self.skip(',') {
                    let next = self.sum()?;
                    if (next.size() < best.size()) == (word == "min") {
                        best = next;
                    }
                }
                best
            }
            "clamp" => {
                let value = self.skip(',').then(|| self.sum())??;
                let most = self.skip(',').then(|| self.sum())??;
                // The least wins over the most.
                let value = if value.size() > most.size() { most } else { value };
                if value.size() < first.size() { first } else { value }
            }
            "abs" if first.size() < 0.0 => first.times(-1.0),
            "abs" => first,
            "sign" if first.size() == 0.0 => Sum::default(),
            "sign" => Sum { plain: first.size().signum(), ..Sum::default() },
            _ => return None,
        };
        self.depth -= 1;
        // Browsers close what the end leaves open.
        (self.skip(')') || self.rest.trim_ascii().is_empty()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sums_of_constants() {
        for (value, expect) in [
            ("calc(0)", "0"),
            ("calc(0px - 9999px)", "-9999px"),
            ("calc(-9999px)", "-9999px"),
            ("calc(2 * (1em + 1em))", "4em"),
            ("min(0px, 16px)", "0"),
            ("max(1em,2px)", "1em"),
            ("clamp(0px, 0px, 0px)", "0"),
            ("clamp(1px,9px,5px)", "5px"),
            ("calc(100% / 4)", "25%"),
            ("calc(100% - 1280px)", "0px"),
            ("calc(-100vw)", "-1280px"),
            ("scale(calc(1 - 1))", "scale(0)"),
            ("0 calc(1px + 2px) 0", "0 3px 0"),
            ("calc(0px)/1 serif", "0/1 serif"),
            ("calc(1px", "1px"),
            ("calc(1px / 0)", "calc(1px / 0)"),
            ("calc(1px * 1px)", "calc(1px * 1px)"),
            ("calc(var(--a) * 0)", "calc(var(--a) * 0)"),
            ("calc(1nonsense)", "calc(1nonsense)"),
            ("abs(-2em)", "2em"),
            ("sign(-9px)", "-1"),
            ("calc(1 - abs(sign(1px)))", "0"),
            ("calc(0 * pi)", "0"),
            ("calc(-1px * infinity)", "-10000000px"),
            ("calc(-infinity * 1px)", "-10000000px"),
            ("rgba(0,0,0,0)", "rgba(0,0,0,0)"),
            ("minmax(0px,1fr)", "minmax(0px,1fr)"),
        ] {
            assert_eq!(worked_out(value), expect, "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_value_ends(value in "((calc|min|max|clamp|abs|sign|pi|infinity)?\\(|[0-9]|px|%|em| |[-+*/,.()]|é){0,60}") {
            worked_out(&value);
        }
    }
}
