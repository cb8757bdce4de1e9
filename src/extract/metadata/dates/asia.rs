//! Dates of China, Japan, Korea and Vietnam, whose numbers may be spelt. Must not know how other dates are printed.

use super::tokens::Token;
use super::{Found, date, number, skip, word, words};

/// 2026年11月20日, 二〇二六年十一月二十日, 令和8年11月20日, 令和元年5月2日, 民國115年11月20日, 2026년 11월 20일
pub(super) fn ideographic(tokens: &[Token], at: usize) -> Option<Found> {
    let is = |i: usize, any: &[&str]| word(tokens, i).is_some_and(|w| any.contains(&w));
    let first = || is(at, &["元"]).then_some((1, at + 1));
    let (value, next) = numeral(tokens, at, 4).or_else(first)?;
    if !is(next, &["年", "년"]) {
        return None;
    }
    let era = (
        at.checked_sub(2).and_then(|i| word(tokens, i)),
        at.checked_sub(1).and_then(|i| word(tokens, i)),
    );
    let (year, from) = match era {
        (Some("令"), Some("和")) => (2018 + value, at - 2),
        (Some("平"), Some("成")) => (1988 + value, at - 2),
        (Some("民"), Some("國" | "国")) => (1911 + value, at - 2),
        _ if value < 100 && word(tokens, at).is_some() => return None,
        _ if value < 100 => (2000 + value, at),
        _ => (value, at),
    };
    let (month, next) = numeral(tokens, next + 1, 2)?;
    if !is(next, &["月", "월"]) {
        return None;
    }
    let (day, next) = numeral(tokens, next + 1, 2)?;
    let to = if is(next, &["日", "号", "號", "일"]) { next + 1 } else { next };
    Some(Found { date: date(year, month, day)?, from, to })
}

/// The number that an ideograph is, up to ten.
pub(super) fn han_digit(word: &str) -> Option<u64> {
    const TEN: [&str; 11] = ["〇", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十"];
    let zero = (word == "零").then_some(0);
    zero.or_else(|| (0..).zip(TEN).find(|(_, digit)| *digit == word).map(|(value, _)| value))
}

/// A number of at most so many digits, also in ideographs (二〇二六, 十一), and the token behind.
fn numeral(tokens: &[Token], at: usize, digits: usize) -> Option<(u64, usize)> {
    if let Some(value) = number(tokens, at, 1..=digits) {
        return Some((value, at + 1));
    }
    let (mut value, mut tens, mut next) = (0, false, at);
    while next <= at + digits
        && let Some(digit) = word(tokens, next).and_then(han_digit)
    {
        value = match digit {
            10 if tens => return None,
            10 => value.max(1) * 10,
            // The unit behind the tens.
            _ if tens && value % 10 > 0 => return None,
            _ if tens => value + digit,
            _ => value * 10 + digit,
        };
        tens |= digit == 10;
        next += 1;
    }
    (next > at).then_some((value, next))
}

/// 20 tháng 11 năm 2026, 20 Tháng Mười Một, 2026, 20 Th11 2026
pub(super) fn vietnamese(tokens: &[Token], at: usize) -> Option<Found> {
    let day = number(tokens, at, 1..=2)?;
    let spelt = vietnamese_month(tokens, at + 1);
    let (month, next) = spelt.or_else(|| vietnamese_month(tokens, skip(tokens, at + 1)))?;
    let next = skip(tokens, next);
    let next = if word(tokens, next) == Some("nam") { next + 1 } else { next };
    let year = number(tokens, next, 4..=4)?;
    Some(Found { date: date(year, month, day)?, from: at, to: next + 1 })
}

/// Tháng Mười Một 20, 2026, as systems print that were made for English.
pub(super) fn vietnamese_name(tokens: &[Token], at: usize) -> Option<Found> {
    let (month, next) = vietnamese_month(tokens, at)?;
    let day = number(tokens, next, 1..=2)?;
    let next = skip(tokens, next + 1);
    let year = number(tokens, next, 4..=4)?;
    Some(Found { date: date(year, month, day)?, from: at, to: next + 1 })
}

/// Tháng 11, Tháng Mười Một, Th11: the month and the token behind.
fn vietnamese_month(tokens: &[Token], at: usize) -> Option<(u64, usize)> {
    let next = tokens.get(at + 1)?;
    let month = number(tokens, at + 1, 1..=2).map(|month| (month, at + 2));
    let spelt = |i| word(tokens, i).and_then(words::vietnamese_number);
    match word(tokens, at)? {
        "th" if !next.spaced => month,
        "thang" => month.or_else(|| match (spelt(at + 1)?, spelt(at + 2)) {
            (10, Some(unit @ (1 | 2))) => Some((10 + unit, at + 3)),
            (month, _) => Some((month, at + 2)),
        }),
        _ => None,
    }
}
