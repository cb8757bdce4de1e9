//! Printed dates → [`Stamp`]: what the press prints in more than sixty languages, ISO 8601, RFC
//! 2822 and what content systems write into attributes. Relative dates ("two hours ago") say
//! nothing without a clock, and there is none here. Must not know where on a page a date stood.

mod asia;
mod calendar;
mod clock;
mod tokens;
mod words;

use std::borrow::Cow;

use jiff::civil::{Date, Time};

use crate::model::{Precision, Source, Stamp, digit};
use asia::{han_digit, ideographic, vietnamese, vietnamese_name};
use calendar::{buddhist, era, in_calendar, short_year, solar, thai_month};
use tokens::{Kind, Token, tokenize};

/// Years that an article can be from.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2099;
/// Tokens that are looked at: a date further behind is not this text's date.
const MAX_TOKENS: usize = 80;

/// The first complete date in a text, with its time and zone if they stand beside it. `language`
/// (BCP 47, with region if known) settles 3/4/2026 and the months that neighbours name alike. The
/// source is [`Source::Visible`]; callers who know better set it.
pub fn parse(text: &str, language: Option<&str>) -> Option<Stamp> {
    // Most texts are no dates: decided before anything is allocated.
    if !may_hold(text) || !has_numbers(text) {
        return None;
    }
    let tokens = tokenize(text, MAX_TOKENS);
    if let Some(stamp) = unix_time(text, &tokens) {
        return Some(stamp);
    }
    let language = language.unwrap_or("");
    let is_lower = |b: u8| !b.is_ascii_uppercase() && b != b'_';
    let language: Cow<'_, str> = match language.bytes().all(is_lower) {
        true => language.into(),
        false => language.to_ascii_lowercase().replace('_', "-").into(),
    };
    let lang = language.split('-').next().unwrap_or("");
    (0..tokens.len()).find_map(|at| {
        let found = date_at(&tokens, at, &language)?;
        Some(stamp(text, &tokens, found, lang))
    })
}

/// May a text hold a date: has it digits, or a year in ideographs?
pub fn may_hold(text: &str) -> bool {
    // Many bytes are asked at a time.
    let has_digit = |part: &[u8]| part.iter().fold(false, |has, byte| has | byte.is_ascii_digit());
    text.as_bytes().chunks(32).any(has_digit)
        || !text.is_ascii() && text.chars().any(|c| c == '年' || digit(c).is_some())
}

/// Has a text the numbers of a date: a day, which has one digit or two, and a year, three digits at least in all; or a
/// number that is both? What sign stands for a year says enough.
fn has_numbers(text: &str) -> bool {
    const BOTH: usize = "20261120".len();
    let (mut digits, mut numbers, mut has_day, mut length) = (0, 0, false, 0);
    // Digits of other scripts begin with one of these bytes.
    let mut is_foreign = false;
    for byte in text.bytes().chain([b' ']) {
        if byte.is_ascii_digit() {
            length += 1;
            continue;
        }
        is_foreign |= matches!(byte, 0xD9..=0xE0 | 0xEF..);
        if length > 0 {
            digits += length;
            numbers += 1;
            has_day |= length <= 2;
            if length >= BOTH || has_day && numbers > 1 && digits > 2 {
                return true;
            }
            length = 0;
        }
    }
    is_foreign && text.chars().filter(|&c| digit(c).is_some()).nth(2).is_some()
        || !text.is_ascii() && text.contains(['年', '년'])
}

/// Does a word name a month in any language of the press? Many do beside other meanings ("may").
pub fn names_month(word: &str) -> bool {
    words::month(&tokens::fold(word), None, "").is_some()
}

/// Is a word, in lower case, a day of the week as date lines print it?
pub fn names_weekday(word: &str) -> bool {
    words::WEEKDAYS.contains(&word)
}

/// The day in a URL's path: /2026/11/20/, /2026/nov/20/, /2026-11-20-, /20261120/.
pub fn in_url(path: &str) -> Option<Stamp> {
    let tokens = tokenize(path, MAX_TOKENS);
    (0..tokens.len()).find_map(|at| {
        let found = year_first(&tokens, at, "")
            .or_else(|| eight_digits(&tokens, at))
            .or_else(|| url_month(&tokens, at))?;
        let mut stamp = stamp(path, &tokens, found, "");
        stamp.local = stamp.local.date().to_datetime(Time::midnight());
        (stamp.offset, stamp.precision, stamp.source) = (None, Precision::Day, Source::Url);
        Some(stamp)
    })
}

/// A date and the tokens it takes.
#[derive(Clone, Copy)]
struct Found {
    date: Date,
    from: usize,
    to: usize,
}

fn stamp(text: &str, tokens: &[Token], found: Found, lang: &str) -> Stamp {
    let clock = clock::beside(tokens, found.from, found.to, found.date, lang);
    let (mut from, mut to) = (found.from, found.to);
    let (mut date, mut time) = (found.date, Time::midnight());
    let (mut offset, mut precision) = (None, Precision::Day);
    if let Some(clock) = clock {
        (from, to) = (from.min(clock.from), to.max(clock.to));
        // Systems that know only the day print midnight, without a zone or in UTC.
        let only_day = clock.time == Time::midnight() && clock.offset.is_none_or(|o| o == 0);
        if clock.tomorrow || !only_day {
            (time, offset) = (clock.time, clock.offset);
            date = if clock.tomorrow { date.tomorrow().unwrap_or(date) } else { date };
            precision = if offset.is_some() { Precision::Instant } else { Precision::Minute };
        }
    }
    let start = tokens.get(from).map_or(0, |t| t.start);
    let end = to.checked_sub(1).and_then(|i| tokens.get(i)).map_or(text.len(), |t| t.end);
    Stamp {
        printed: text.get(start..end).unwrap_or_default().to_owned(),
        local: date.to_datetime(time),
        offset,
        precision,
        source: Source::Visible,
    }
}

/// Seconds or milliseconds since 1970, alone.
fn unix_time(text: &str, tokens: &[Token]) -> Option<Stamp> {
    let [Token { kind: Kind::Number { value, digits }, .. }] = tokens else {
        return None;
    };
    let seconds = match digits {
        10 => *value,
        13 => value / 1000,
        _ => return None,
    };
    let at = jiff::Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    let local = jiff::tz::TimeZone::UTC.to_datetime(at);
    YEARS.contains(&local.year()).then(|| Stamp {
        printed: text.trim().to_owned(),
        local,
        offset: Some(0),
        precision: Precision::Instant,
        source: Source::Visible,
    })
}

fn date_at(tokens: &[Token], at: usize, language: &str) -> Option<Found> {
    match &tokens.get(at)?.kind {
        Kind::Number { .. } => ideographic(tokens, at)
            .or_else(|| eight_digits(tokens, at))
            .or_else(|| year_first(tokens, at, language))
            .or_else(|| year_last(tokens, at, language))
            .or_else(|| vietnamese(tokens, at))
            .or_else(|| persian(tokens, at)),
        Kind::Word(word) if word == "元" || han_digit(word).is_some() => ideographic(tokens, at),
        Kind::Word(_) => by_name(tokens, at, language).or_else(|| vietnamese_name(tokens, at)),
        Kind::Sign(_) => None,
    }
}

fn date(year: u64, month: u64, day: u64) -> Option<Date> {
    let date =
        Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
            .ok()?;
    YEARS.contains(&date.year()).then_some(date)
}

/// 2026-11-20, 2026/11/20, 2026.11.20, "2026. 11. 20."
fn year_first(tokens: &[Token], at: usize, language: &str) -> Option<Found> {
    let year = number(tokens, at, 4..=4)?;
    let separator = separator(tokens, at + 1)?;
    let month = number(tokens, at + 2, 1..=2)?;
    if sign(tokens, at + 3)? != separator {
        return None;
    }
    let day = number(tokens, at + 4, 1..=2)?;
    Some(Found { date: in_calendar(year, month, day, language)?, from: at, to: at + 5 })
}

/// 20.11.2026, 20/11/2026, 11/20/2026, 20-11-2026, 20.11.26
fn year_last(tokens: &[Token], at: usize, language: &str) -> Option<Found> {
    let first = number(tokens, at, 1..=2)?;
    let separator = separator(tokens, at + 1)?;
    let second = number(tokens, at + 2, 1..=2)?;
    if sign(tokens, at + 3)? != separator || sign(tokens, at.wrapping_sub(1)) == Some(separator) {
        return None;
    }
    let year = match number(tokens, at + 4, 4..=4) {
        Some(year) => buddhist(year, language),
        // Three pairs of digits may be anything; more of them are an address or a version. With hyphens the first may be the
        // year.
        None if sign(tokens, at + 5) != Some(separator)
            && (separator != '-' || is_timed(tokens, at + 5) && hyphens_day_first(language)) =>
        {
            short_year(number(tokens, at + 4, 2..=2)?, language)
        }
        None => return None,
    };
    let month_first = separator == '/' && month_first(language);
    let (day, month) = if month_first { (second, first) } else { (first, second) };
    let date = in_calendar(year, month, day, language)
        // The other order if this one is no date; not with dots, which nobody prints that way.
        .or_else(|| if separator == '.' { None } else { date(year, day, month) })?;
    Some(Found { date, from: at, to: at + 5 })
}

/// The same printed date with day and month the other way round, where both readings are dates:
/// 3/4/2026.
pub fn other_reading(stamp: &Stamp) -> Option<Stamp> {
    let (day, month) = (stamp.local.day(), stamp.local.month());
    if day > 12 || day == month {
        return None;
    }
    first_number(&stamp.printed)?;
    let date = Date::new(stamp.local.year(), day, month).ok()?;
    Some(Stamp { local: date.to_datetime(stamp.local.time()), ..stamp.clone() })
}

/// Does the day of a printed date stand before the month, where both are numbers that cannot be exchanged: 20/11/2026?
pub fn day_first(stamp: &Stamp) -> Option<bool> {
    first_number(&stamp.printed).filter(|_| stamp.local.day() > 12).map(|_| is_day_first(stamp))
}

/// Was a date of numbers alone read with the day before the month?
pub fn is_day_first(stamp: &Stamp) -> bool {
    first_number(&stamp.printed) == Some(i64::from(stamp.local.day()))
}

/// The first number of a date of numbers alone, with the year behind the others.
fn first_number(printed: &str) -> Option<i64> {
    let tokens = tokenize(printed, MAX_TOKENS);
    let at = (0..tokens.len()).find(|&at| {
        separator(&tokens, at + 1).is_some_and(|c| c != '.') && year_last(&tokens, at, "").is_some()
    })?;
    match tokens[at].kind {
        Kind::Number { value, .. } => i64::try_from(value).ok(),
        _ => None,
    }
}

/// Do slashes mean month/day/year? In the United States and the Philippines; English of unknown
/// region is mostly American on the web.
fn month_first(language: &str) -> bool {
    match language.split_once('-') {
        None => language == "en",
        Some((_, region)) => region.split('-').any(|r| r == "us" || r == "ph"),
    }
}

/// Does the press of a language print 20-11-26?
fn hyphens_day_first(language: &str) -> bool {
    let lang = language.split('-').next().unwrap_or("");
    matches!(lang, "nl" | "da" | "fr" | "es" | "pt" | "it" | "ro")
}

/// 20261120, also as the head of 20261120T091011 or 20261120091011.
fn eight_digits(tokens: &[Token], at: usize) -> Option<Found> {
    let (value, from, to) = match tokens.get(at)?.kind {
        Kind::Number { value, digits: 8 } => (value, at, at + 1),
        Kind::Number { value, digits: 14 } => (value / 1_000_000, at, at + 1),
        _ => return None,
    };
    Some(Found { date: date(value / 10_000, value / 100 % 100, value % 100)?, from, to })
}

/// ۲۹ آبان ۱۴۰۵
fn persian(tokens: &[Token], at: usize) -> Option<Found> {
    let day = number(tokens, at, 1..=2)?;
    let month = words::solar_month(word(tokens, at + 1)?)?;
    let year = skip(tokens, at + 2);
    Some(Found { date: solar(number(tokens, year, 4..=4)?, month, day)?, from: at, to: year + 1 })
}

/// Between a month's name and its day stand at most three fillers.
const BESIDE: usize = FILLERS + 1;

/// Does a word follow the name of an Arabic or Irish month, as part of it?
fn is_second_name(word: &str) -> bool {
    word.starts_with("الثان") || word.starts_with("الاول") || word == "fomhair"
}

/// A month's name with day and year around it, in any order that the press prints.
fn by_name(tokens: &[Token], at: usize, language: &str) -> Option<Found> {
    // Most words are no months, and most of them have no number beside them.
    let named_twice = |token: &Token| match &token.kind {
        Kind::Sign(sign) => *sign == '/',
        Kind::Word(word) => is_second_name(word),
        Kind::Number { .. } => false,
    };
    let beside = at.saturating_sub(BESIDE)..(at + 1 + BESIDE).min(tokens.len());
    let numbered = tokens[beside].iter().any(|t| matches!(t.kind, Kind::Number { .. }));
    if !numbered && !tokens.get(at + 1).is_some_and(named_twice) {
        return None;
    }
    let lang = language.split('-').next().unwrap_or("");
    let name = word(tokens, at)?;
    // Whatever language is declared, a Thai month is of a Buddhist year.
    let language = if calendar::is_thai(name) { "th" } else { language };
    let (month, named) = match thai_month(tokens, at) {
        Some(month) => (month, at + 3),
        None => (u64::from(words::month(name, word(tokens, at + 1), lang)?), at + 1),
    };
    // "تشرين الثاني / نوفمبر" and the like: the second name of the same month is passed over.
    let mut behind = named;
    while word(tokens, behind).is_some_and(is_second_name)
        || (sign(tokens, behind) == Some('/')
            && word(tokens, behind + 1).and_then(|w| words::month(w, None, lang)).is_some())
    {
        behind += if word(tokens, behind).is_some() { 1 } else { 2 };
    }
    let behind = skip(tokens, behind);
    let before = skip_back(tokens, at);

    if let Some(day) = before.and_then(|i| number(tokens, i, 1..=2)) {
        let from = before.unwrap_or(at);
        // 20 November 2026
        if let Some((year, to)) = year_at(tokens, behind, language) {
            return Some(Found { date: date(year, month, day)?, from, to });
        }
        // 2026. gada 20. novembris
        if let Some(i) = skip_back(tokens, from)
            && let Some(year) = number(tokens, i, 4..=4)
        {
            return Some(Found { date: date(year, month, day)?, from: i, to: at + 1 });
        }
    }
    let day = number(tokens, behind, 1..=2)?;
    // 2026. november 20., 2026 m. lapkričio 20 d.
    if let Some(i) = before
        && let Some(year) = number(tokens, i, 4..=4)
        && sign(tokens, behind + 1) != Some(':')
    {
        return Some(Found { date: date(year, month, day)?, from: i, to: behind + 1 });
    }
    // November 20, 2026
    if let Some((year, to)) = year_at(tokens, skip(tokens, behind + 1), language) {
        return Some(Found { date: date(year, month, day)?, from: at, to });
    }
    // Fri Nov 20 09:10:11 2026, with at most a zone between time and year
    let mut i = behind + 1;
    while i < behind + 9 {
        if let Some(year) = number(tokens, i, 4..=4)
            && sign(tokens, i.wrapping_sub(1)).is_none_or(|s| s != '+' && s != '-')
            && sign(tokens, behind + 2) == Some(':')
        {
            // The time stands inside: the date ends before it, so that it is found behind.
            return Some(Found { date: date(year, month, day)?, from: at, to: behind + 1 });
        }
        i += 1;
    }
    None
}

/// /2026/nov/20/
fn url_month(tokens: &[Token], at: usize) -> Option<Found> {
    let year = number(tokens, at, 4..=4)?;
    let month = u64::from(words::month(word(tokens, at + 2)?, None, "")?);
    let day = number(tokens, at + 4, 1..=2)?;
    let slashes = sign(tokens, at + 1)? == '/' && sign(tokens, at + 3)? == '/';
    slashes.then(|| date(year, month, day)).flatten().map(|date| Found {
        date,
        from: at,
        to: at + 5,
    })
}

/// A year of four digits; of two where punctuation or a time behind it shows what it is.
fn year_at(tokens: &[Token], at: usize, language: &str) -> Option<(u64, usize)> {
    if let Some(year) = number(tokens, at, 4..=4) {
        let is_time =
            sign(tokens, at + 1) == Some(':') && tokens.get(at + 1).is_some_and(|t| !t.spaced);
        return (!is_time).then_some((buddhist(year, language), at + 1));
    }
    let year = number(tokens, at, 2..=2)?;
    let marked = matches!(sign(tokens, at.wrapping_sub(1)), Some('-' | '/' | '\'' | '’'))
        || language.starts_with("th") && calendar::is_short(year);
    let timed = is_timed(tokens, at + 1);
    let is_time = sign(tokens, at + 1) == Some(':') || word(tokens, at + 1) == Some("h");
    ((marked || timed) && !is_time).then_some((short_year(year, language), at + 1))
}

/// Does a time follow, at most behind a comma or in brackets?
fn is_timed(tokens: &[Token], at: usize) -> bool {
    let time = at + usize::from(matches!(sign(tokens, at), Some(',' | '(')));
    number(tokens, time, 2..=2).is_some() && sign(tokens, time + 1) == Some(':')
}

/// So many tokens at most stand between two parts of a date.
const FILLERS: usize = 3;

/// Over what stands between the parts of a date: points, commas, "of", "de", "st" …
fn skip(tokens: &[Token], mut at: usize) -> usize {
    for _ in 0..FILLERS {
        if !tokens.get(at).is_some_and(is_filler) {
            break;
        }
        at += 1;
    }
    at + era(tokens, at)
}

fn skip_back(tokens: &[Token], at: usize) -> Option<usize> {
    let mut i = at.checked_sub(1)?;
    for _ in 0..FILLERS {
        if !tokens.get(i).is_some_and(is_filler) {
            break;
        }
        i = i.checked_sub(1)?;
    }
    Some(i)
}

fn is_filler(token: &Token) -> bool {
    match &token.kind {
        Kind::Sign(c) => {
            matches!(c, '.' | ',' | '-' | '/' | '\'' | '’' | 'º' | 'ª' | '،' | '॰' | '׳')
        }
        Kind::Word(w) => matches!(
            &**w,
            "de" | "del"
                | "of"
                | "st"
                | "nd"
                | "rd"
                | "th"
                | "er"
                | "o"
                | "a"
                | "e"
                | "di"
                | "the"
                | "m"
                | "d"
                | "gada"
                | "г"
                | "года"
                | "р"
                | "року"
                | "den"
                | "og"
                | "ta"
                | "mh"
                | "ko"
                | "ماه"
        ),
        Kind::Number { .. } => false,
    }
}

fn number(tokens: &[Token], at: usize, length: std::ops::RangeInclusive<usize>) -> Option<u64> {
    match tokens.get(at)?.kind {
        Kind::Number { value, digits } if length.contains(&digits) => Some(value),
        _ => None,
    }
}

fn word<'k>(tokens: &'k [Token<'_>], at: usize) -> Option<&'k str> {
    match &tokens.get(at)?.kind {
        Kind::Word(w) => Some(w),
        _ => None,
    }
}

fn sign(tokens: &[Token], at: usize) -> Option<char> {
    match tokens.get(at)?.kind {
        Kind::Sign(c) => Some(c),
        _ => None,
    }
}

fn separator(tokens: &[Token], at: usize) -> Option<char> {
    sign(tokens, at).filter(|c| matches!(c, '-' | '/' | '.'))
}

#[cfg(test)]
mod tests;
