//! The time of day beside a date, and its zone. Must not know how dates are found.

use jiff::civil::{Date, Time, Weekday};

use super::tokens::{Kind, Token};
use super::words;

/// A time and the tokens it takes (`from..to`).
pub(super) struct Clock {
    pub time: Time,
    /// 24:00: it is midnight of the day after.
    pub tomorrow: bool,
    pub offset: Option<i32>,
    pub from: usize,
    pub to: usize,
}

/// Tokens between a date and its time ("um", "|", a weekday …) that are passed over.
const GAP: usize = 5;

/// The time printed behind or before the date that takes tokens `from..to`: behind, unless the one
/// before is closer ("14:30, 20 November – updated 15:10").
pub(super) fn beside(
    tokens: &[Token],
    from: usize,
    to: usize,
    date: Date,
    lang: &str,
) -> Option<Clock> {
    let before = (from.saturating_sub(10)..from)
        .filter_map(|at| read(tokens, at, date, lang))
        .find(|clock| clock.to <= from && from - clock.to < GAP);
    let close = before.as_ref().map_or(GAP, |clock| from - clock.to);
    for at in to..(to + GAP).min(tokens.len()) {
        if close <= 1 && at - to > close {
            break;
        }
        if let Some(clock) = read(tokens, at, date, lang) {
            return Some(clock);
        }
        // Another number means that something else has begun.
        if matches!(kind(tokens, at), Some(Kind::Number { .. })) {
            break;
        }
    }
    before
}

/// A time that begins at token `at`.
fn read(tokens: &[Token], at: usize, date: Date, lang: &str) -> Option<Clock> {
    let before = half_before(tokens, at);
    let mut i = at + before.map_or(0, |(_, n)| n);
    let (hour, digits) = number(tokens, i)?;
    if digits > 2 {
        return compact(tokens, i, date, lang);
    }
    i += 1;
    let (mut minute, mut second, mut nanos) = (0, 0, 0);
    let mut bare = true;
    // "Open 24h" and the length of a film ("24:30") are no times.
    let full = kind(tokens, i) == Some(&Kind::Sign(':'));
    match kind(tokens, i) {
        Some(Kind::Sign(':')) => {
            minute = two_digits(tokens, i + 1)?;
            i += 2;
            bare = false;
            if kind(tokens, i) == Some(&Kind::Sign(':'))
                && let Some(s) = two_digits(tokens, i + 1)
            {
                second = s;
                i += 2;
                if let Some(Kind::Sign('.' | ',')) = kind(tokens, i)
                    && !spaced(tokens, i + 1)
                    && let Some((value, digits @ 1..=9)) = number(tokens, i + 1)
                {
                    nanos = value * 10u64.pow(9 - digits as u32);
                    i += 2;
                }
            }
        }
        // "14.30 Uhr", "kl. 14.30": a dot alone would take decimals for times.
        Some(Kind::Sign('.')) if !spaced(tokens, i + 1) => {
            if let Some(m) = two_digits(tokens, i + 1) {
                let announced = (1..=2).any(|n| {
                    matches!(at.checked_sub(n).and_then(|p| kind(tokens, p)),
                        Some(Kind::Word(w)) if words::announces_time(w))
                });
                let oclock =
                    matches!(kind(tokens, i + 2), Some(Kind::Word(w)) if words::says_oclock(w));
                if !announced && !oclock {
                    return None;
                }
                minute = m;
                i += 2;
                bare = false;
            }
        }
        // 14h30, 14 h, 15時05分, 3시 5분, 15时, 15点
        Some(Kind::Word(w)) if matches!(&**w, "h" | "時" | "时" | "点" | "點" | "시" | "ч") =>
        {
            i += 1;
            bare = w == "h" && spaced(tokens, i);
            if let Some((m, 1 | 2)) = number(tokens, i) {
                minute = m;
                i += 1;
                bare = false;
                if matches!(kind(tokens, i), Some(Kind::Word(w)) if matches!(&**w, "分" | "분" | "min" | "m"))
                {
                    i += 1;
                }
            }
        }
        _ => {}
    }
    let mut hour = hour;
    let half = match before {
        Some((half, _)) => Some(half),
        None => half_after(tokens, i).map(|(half, n)| {
            i += n;
            half
        }),
    };
    if bare && half.is_none() {
        return None;
    }
    match half {
        Some(true) if hour < 12 => hour += 12,
        Some(false) if hour == 12 => hour = 0,
        _ => {}
    }
    let tomorrow = full && half.is_none() && (hour, minute, second, nanos) == (24, 0, 0, 0);
    let hour = if tomorrow { 0 } else { hour };
    let time = time(hour, minute, second, nanos)?;
    while matches!(kind(tokens, i), Some(Kind::Word(w)) if matches!(&**w, "uhr" | "uur" | "hrs" | "h" | "น"))
    {
        i += 1;
    }
    let (offset, to) = match zone(tokens, i, date, lang) {
        Some((offset, to)) => (Some(offset), to),
        None => (None, i),
    };
    Some(Clock { time, tomorrow, offset, from: at, to })
}

/// 091011 or 0910 right behind the T of a basic ISO date.
fn compact(tokens: &[Token], at: usize, date: Date, lang: &str) -> Option<Clock> {
    let after_t =
        matches!(at.checked_sub(1).and_then(|p| kind(tokens, p)), Some(Kind::Word(w)) if w == "t");
    let (value, digits) = number(tokens, at)?;
    let (h, m, s) = match digits {
        _ if !after_t => return None,
        4 => (value / 100, value % 100, 0),
        6 => (value / 10_000, value / 100 % 100, value % 100),
        _ => return None,
    };
    let (offset, to) = match zone(tokens, at + 1, date, lang) {
        Some((offset, to)) => (Some(offset), to),
        None => (None, at + 1),
    };
    let tomorrow = (h, m, s) == (24, 0, 0);
    let h = if tomorrow { 0 } else { h };
    Some(Clock { time: time(h, m, s, 0)?, tomorrow, offset, from: at, to })
}

fn time(hour: u64, minute: u64, second: u64, nanos: u64) -> Option<Time> {
    // A leap second is the last of its minute to us.
    let second = second.min(59 + u64::from(second > 60));
    Time::new(
        i8::try_from(hour).ok()?,
        i8::try_from(minute).ok()?,
        i8::try_from(second).ok()?,
        i32::try_from(nanos).ok()?,
    )
    .ok()
}

/// 下午3:05, 午後3時, 오후 3:05: the half of the day and its tokens.
fn half_before(tokens: &[Token], at: usize) -> Option<(bool, usize)> {
    let word = |i| match kind(tokens, i) {
        Some(Kind::Word(w)) => &**w,
        _ => "",
    };
    match (word(at), word(at + 1)) {
        ("上", "午") | ("午", "前") | ("凌", "晨") | ("早", "上") => Some((false, 2)),
        ("下", "午") | ("午", "後") | ("午", "后") | ("晚", "上") => Some((true, 2)),
        ("오전", _) => Some((false, 1)),
        ("오후", _) => Some((true, 1)),
        _ => None,
    }
}

/// am, p.m., μ.μ., م: the half of the day and its tokens.
fn half_after(tokens: &[Token], at: usize) -> Option<(bool, usize)> {
    let Some(Kind::Word(w)) = kind(tokens, at) else {
        return None;
    };
    if let Some(half) = words::afternoon(w) {
        return Some((half, 1));
    }
    let dotted = matches!(&**w, "a" | "p" | "π" | "μ")
        && kind(tokens, at + 1) == Some(&Kind::Sign('.'))
        && matches!(kind(tokens, at + 2), Some(Kind::Word(m)) if m == "m" || m == "μ");
    if !dotted {
        return None;
    }
    let end = if kind(tokens, at + 3) == Some(&Kind::Sign('.')) { 4 } else { 3 };
    Some((matches!(&**w, "p" | "μ"), end))
}

/// Z, +01:00, -0500, GMT+8, CEST, (UTC+8), ET: seconds east of UTC and the token behind.
fn zone(tokens: &[Token], at: usize, date: Date, lang: &str) -> Option<(i32, usize)> {
    let mut i = at;
    if let Some(Kind::Sign('(' | '[' | ',')) = kind(tokens, i) {
        i += 1;
    }
    if let Some(Kind::Word(w)) = kind(tokens, i) {
        if let Some(standard) = words::american_zone(w) {
            // "et" is also a word of French; abbreviations are for English alone.
            return (lang.is_empty() || lang == "en")
                .then(|| (standard + if american_summer(date) { 3600 } else { 0 }, i + 1));
        }
        let base = words::zone(w, lang == "zh")?;
        let signed = matches!(&**w, "utc" | "gmt").then(|| signed(tokens, i + 1)).flatten();
        return Some(signed.unwrap_or((base, i + 1)));
    }
    signed(tokens, i)
}

fn signed(tokens: &[Token], at: usize) -> Option<(i32, usize)> {
    let sign = match kind(tokens, at)? {
        Kind::Sign('+') => 1,
        Kind::Sign('-') => -1,
        _ => return None,
    };
    if spaced(tokens, at + 1) {
        return None;
    }
    let (hours, minutes, to) = match number(tokens, at + 1)? {
        (value, 4) => (value / 100, value % 100, at + 2),
        (value, 1 | 2) if kind(tokens, at + 2) == Some(&Kind::Sign(':')) => {
            (value, two_digits(tokens, at + 3)?, at + 4)
        }
        (value, 1 | 2) => (value, 0, at + 2),
        _ => return None,
    };
    if hours > 14 || minutes > 59 {
        return None;
    }
    Some((sign * (hours as i32 * 3600 + minutes as i32 * 60), to))
}

/// Summer time in the United States since 2007: second Sunday of March to first of November.
fn american_summer(date: Date) -> bool {
    let sunday = |month, n| {
        Date::new(date.year(), month, 1).and_then(|d| d.nth_weekday_of_month(n, Weekday::Sunday))
    };
    matches!((sunday(3, 2), sunday(11, 1)), (Ok(start), Ok(end)) if start <= date && date < end)
}

fn kind<'k, 't>(tokens: &'k [Token<'t>], at: usize) -> Option<&'k Kind<'t>> {
    tokens.get(at).map(|t| &t.kind)
}

fn spaced(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|t| t.spaced)
}

fn number(tokens: &[Token], at: usize) -> Option<(u64, usize)> {
    match kind(tokens, at)? {
        Kind::Number { value, digits } => Some((*value, *digits)),
        _ => None,
    }
}

fn two_digits(tokens: &[Token], at: usize) -> Option<u64> {
    match number(tokens, at)? {
        (value, 2) if value < 60 => Some(value),
        _ => None,
    }
}
