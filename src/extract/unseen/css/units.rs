//! Numbers, lengths and lists of values (CSS Values Level 4 §4–§6). Must not know: properties.

/// So many pixels to the left or upwards is off every screen, also in a row of pictures that a script moves.
const GONE: f64 = 9_000.0;

pub(super) fn is_gone(value: &str) -> bool {
    pixels(value).is_some_and(|n| n <= -GONE)
}

/// Is it a share of what it stands in, or of the screen?
pub(super) fn is_share(unit: &str) -> bool {
    unit == "%" || unit.len() > 1 && unit.contains('v') || unit.starts_with("cq")
}

/// A number, or a share as one (CSS Values Level 4 §5.5).
pub(super) fn share_of_one(value: &str) -> Option<f64> {
    match value.strip_suffix('%') {
        Some(percent) => number(percent).map(|n| n / 100.0),
        None => number(value),
    }
}

/// The four sides that one to four values stand for: top, right, bottom, left (CSS Box Model Level 3 §4.2).
pub(super) fn sides(value: &str) -> [Option<&str>; 4] {
    let mut words = value.split_ascii_whitespace();
    let top = words.next();
    let right = words.next().or(top);
    let bottom = words.next().or(top);
    [top, right, bottom, words.next().or(right)]
}

pub(super) fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

pub(super) fn number(text: &str) -> Option<f64> {
    let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e');
    let text = text.trim_ascii();
    // Most have few digits.
    if let 1..=6 = text.len()
        && text.bytes().all(|b| b.is_ascii_digit())
    {
        let number = text.bytes().fold(0, |all, b| all * 10 + u32::from(b - b'0'));
        return Some(f64::from(number));
    }
    let ends = text.bytes().all(plain)
        && !text.ends_with('.')
        && !text.as_bytes().windows(2).any(|two| two == b".e");
    let number = ends.then(|| text.parse::<f64>().ok())?;
    number.filter(|n| n.is_finite())
}

/// Where the number at the beginning ends, with its exponent (CSS Syntax Level 3 §4.3.12).
fn number_ends(value: &[u8]) -> usize {
    let digit = |b: &&u8| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+');
    let end = value.iter().take_while(digit).count();
    let Some(exponent) = value.get(end..).and_then(|rest| rest.strip_prefix(b"e")) else {
        return end;
    };
    let sign = usize::from(matches!(exponent, [b'-' | b'+', ..]));
    let digits = exponent.iter().skip(sign).take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 { end } else { end + 1 + sign + digits }
}

/// A length or a share: its number and its unit (CSS Values Level 4 §6). Without a unit it is one of
/// pixels, as in quirks mode.
pub(super) fn length(value: &str) -> Option<(f64, &str)> {
    let (digits, unit) = value.split_at(number_ends(value.as_bytes()));
    if digits.is_empty() {
        return None;
    }
    let known = matches!(
        unit,
        "" | "%"
            | "cqi"
            | "cqh"
            | "cqb"
            | "cqmin"
            | "cqmax"
            | "svi"
            | "svb"
            | "svmin"
            | "svmax"
            | "lvi"
            | "lvb"
            | "lvmin"
            | "lvmax"
            | "dvi"
            | "dvb"
            | "dvmin"
            | "dvmax"
            | "rex"
            | "rch"
            | "rcap"
            | "ric"
            | "px"
            | "em"
            | "rem"
            | "vw"
            | "vh"
            | "pt"
            | "pc"
            | "ex"
            | "ch"
            | "in"
            | "cm"
            | "mm"
            | "q"
            | "vmin"
            | "vmax"
            | "svw"
            | "svh"
            | "lvw"
            | "lvh"
            | "dvw"
            | "dvh"
            | "lh"
            | "rlh"
            | "cap"
            | "ic"
            | "vi"
            | "vb"
            | "cqw"
    );
    number(digits).filter(|_| known).map(|number| (number, unit))
}

/// Is it a length with its unit, or a share?
pub(super) fn is_length(text: &str) -> bool {
    length(text).is_some_and(|(number, unit)| number == 0.0 || !unit.is_empty())
}

/// Is it a number?
pub(super) fn is_number(text: &str) -> bool {
    number(text).is_some()
}

/// The amount of `text-indent`, beside words that say of which lines, and what it comes to.
pub(super) fn amount_of_indent(value: &str) -> Option<(&str, (f64, &str))> {
    let is_amount = |word: &&str| !matches!(*word, "hanging" | "each-line");
    let mut amounts = value.split_ascii_whitespace().filter(is_amount);
    let amount = amounts.next().filter(|amount| *amount == value || is_length(amount))?;
    if amounts.next().is_none() { Some((amount, length(amount)?)) } else { None }
}

/// A length in pixels, as far as it can be told without a screen.
pub(super) fn pixels(value: &str) -> Option<f64> {
    let (number, unit) = length(value)?;
    if number == 0.0 {
        return Some(0.0);
    }
    let known = !is_share(unit) && !matches!(unit, "lh" | "rlh" | "cap" | "ic");
    known.then(|| on_screen(number, unit)).flatten()
}

/// The screen of a reader, in pixels.
pub(super) const WIDTH: f64 = 1_280.0;

pub(super) const HEIGHT: f64 = 800.0;

/// A length in pixels on this screen, with text of the usual size.
pub(super) fn on_screen(number: f64, unit: &str) -> Option<f64> {
    let factor = match unit {
        "" | "px" => 1.0,
        "pt" => 4.0 / 3.0,
        "pc" | "em" | "rem" | "ic" | "ric" => 16.0,
        "ex" | "ch" | "cap" | "rex" | "rch" | "rcap" => 8.0,
        "lh" | "rlh" => 20.0,
        "in" => 96.0,
        "cm" => 37.8,
        "mm" => 3.78,
        "q" => 0.945,
        "cqw" | "cqi" | "cqmax" => WIDTH / 100.0,
        "cqh" | "cqb" | "cqmin" => HEIGHT / 100.0,
        _ if ["vw", "vi", "vmax"].iter().any(|end| unit.ends_with(end)) => WIDTH / 100.0,
        _ if ["vh", "vb", "vmin"].iter().any(|end| unit.ends_with(end)) => HEIGHT / 100.0,
        _ => return None,
    };
    Some(number * factor)
}
