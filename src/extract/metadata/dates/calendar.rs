//! Years that count otherwise than from Christ: of the Buddha (Thailand) and of the Hijra by the sun (Iran). Must not know
//! how dates are printed, but for the Thai abbreviations that take several tokens.

use jiff::ToSpan;
use jiff::civil::Date;

use super::tokens::Token;
use super::{date, sign, word};

/// From the Buddha to Christ.
const BUDDHA: u64 = 543;
/// Years of the Hijra by the sun that an article can be from, with room.
const SOLAR: std::ops::RangeInclusive<u64> = 1300..=1500;
/// A cycle of years by the sun, and those of it that have a day more.
const CYCLE: u64 = 33;
const LEAPS: [u64; 8] = [1, 5, 9, 13, 17, 22, 26, 30];
/// A new year's day: 1 Farvardin 1400.
const NEW_YEAR: (u64, Date) = (1400, Date::constant(2021, 3, 21));

/// A day as a language counts its years.
pub(super) fn in_calendar(year: u64, month: u64, day: u64, language: &str) -> Option<Date> {
    match language.split('-').next() {
        Some("fa") if SOLAR.contains(&year) => solar(year, month, day),
        _ => date(year, month, day),
    }
}

/// Thai years count from the Buddha.
pub(super) fn buddhist(year: u64, language: &str) -> u64 {
    if (2500..2643).contains(&year) && (language.is_empty() || language.starts_with("th")) {
        year - BUDDHA
    } else {
        year
    }
}

/// A year of two digits. In Thailand one from the Buddha, if an article can be from then.
pub(super) fn short_year(year: u64, language: &str) -> u64 {
    match year {
        _ if language.starts_with("th") && is_short(year) => 2500 + year - BUDDHA,
        0..70 => 2000 + year,
        _ => 1900 + year,
    }
}

/// Is it, of a Thai date, a year from the Buddha without its century? The first is 1990.
pub(super) fn is_short(year: u64) -> bool {
    (33..100).contains(&year)
}

pub(super) fn is_thai(word: &str) -> bool {
    word.starts_with(|c| matches!(c, '\u{0E00}'..='\u{0E7F}'))
}

/// A Thai month of two letters with points: พ.ย.
pub(super) fn thai_month(tokens: &[Token], at: usize) -> Option<u64> {
    const MONTHS: [(&str, &str); 12] = [
        ("ม", "ค"),
        ("ก", "พ"),
        ("มี", "ค"),
        ("เม", "ย"),
        ("พ", "ค"),
        ("มิ", "ย"),
        ("ก", "ค"),
        ("ส", "ค"),
        ("ก", "ย"),
        ("ต", "ค"),
        ("พ", "ย"),
        ("ธ", "ค"),
    ];
    let name = (word(tokens, at)?, word(tokens, at + 2)?);
    let month = (1..).zip(MONTHS).find(|(_, month)| *month == name)?.0;
    (sign(tokens, at + 1) == Some('.')).then_some(month)
}

/// Tokens that name the era of a Thai year: พ.ศ.
pub(super) fn era(tokens: &[Token], at: usize) -> usize {
    let named = word(tokens, at) == Some("พ") && word(tokens, at + 2) == Some("ศ");
    match named && sign(tokens, at + 1) == Some('.') {
        true => 3 + usize::from(sign(tokens, at + 3) == Some('.')),
        false => 0,
    }
}

/// A day of the solar Hijra.
pub(super) fn solar(year: u64, month: u64, day: u64) -> Option<Date> {
    let length = match month {
        1..=6 => 31,
        7..=11 => 30,
        12 => 29 + u64::from(LEAPS.contains(&(year % CYCLE))),
        _ => return None,
    };
    if !SOLAR.contains(&year) || !(1..=length).contains(&day) {
        return None;
    }
    let days = new_year(year) + 30 * (month - 1) + (month - 1).min(6) + day - 1;
    let (base, first) = NEW_YEAR;
    let span = i64::try_from(days).ok()? - i64::try_from(new_year(base)).ok()?;
    let found = first.checked_add(span.days()).ok()?;
    date(
        found.year().try_into().ok()?,
        found.month().try_into().ok()?,
        found.day().try_into().ok()?,
    )
}

/// Days before a year by the sun.
fn new_year(year: u64) -> u64 {
    let begun = LEAPS.iter().filter(|leap| **leap < year % CYCLE).count() as u64;
    365 * year + year / CYCLE * LEAPS.len() as u64 + begun
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_days_of_the_solar_hijra() {
        for (solar_day, expect) in [
            ((1369, 1, 1), Some((1990, 3, 21))),
            ((1375, 1, 1), Some((1996, 3, 20))),
            ((1399, 12, 30), Some((2021, 3, 20))),
            ((1400, 1, 1), Some((2021, 3, 21))),
            ((1403, 12, 30), Some((2025, 3, 20))),
            ((1404, 1, 1), Some((2025, 3, 21))),
            ((1405, 8, 29), Some((2026, 11, 20))),
            ((1405, 12, 30), None),
            ((1405, 7, 31), None),
            ((1405, 13, 1), None),
            ((1290, 1, 1), None),
        ] {
            let (year, month, day) = solar_day;
            let expect = expect.map(|(year, month, day)| Date::constant(year, month, day));
            assert_eq!(solar(year, month, day), expect, "{solar_day:?}");
        }
    }

    proptest! {
        /// The day after a day is the next day, over the borders of months and years.
        #[test]
        fn days_follow_each_other(year in 1370u64..1470, month in 1u64..=12, day in 1u64..=31) {
            if let Some(found) = solar(year, month, day) {
                let next = [(year, month, day + 1), (year, month + 1, 1), (year + 1, 1, 1)];
                let next = next.into_iter().find_map(|(y, m, d)| solar(y, m, d));
                prop_assert_eq!(next, found.tomorrow().ok());
            }
        }
    }
}
