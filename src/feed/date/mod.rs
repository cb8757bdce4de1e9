//! Dates as feeds print them → wall clock, offset, precision. RFC 2822 §3.3 and §4.3 with the sins
//! seen in the wild, RFC 3339 and the other ISO 8601 forms, months in the languages we serve.
//!
//! Must not know: the clock (whether a date is plausible is decided where a day is attributed) and
//! any time zone but those whose name fixes an offset.

use jiff::civil;

use crate::model::{Precision, Source, Stamp};

/// Longer texts are no dates.
const LONGEST: usize = 100;

/// Reads a printed date. `None` if no calendar day can be told.
pub fn parse(printed: &str) -> Option<Stamp> {
    let printed = printed.trim();
    if printed.is_empty() || printed.chars().count() > LONGEST {
        return None;
    }
    let mut fields = Fields::default();
    for part in parts(&normalise(printed)) {
        fields.take(&part);
    }
    let (local, precision) = fields.local()?;
    let offset = if precision == Precision::Day { None } else { fields.offset };
    let precision = match (precision, offset) {
        (Precision::Day, _) => Precision::Day,
        (_, Some(_)) => Precision::Instant,
        (_, None) => Precision::Minute,
    };
    Some(Stamp { printed: printed.to_owned(), local, offset, precision, source: Source::Feed })
}

/// The offset that most of the zoned dates carry (of equals the westernmost): what a feed's dates
/// without a zone are read with. `None` if no date has a zone.
pub fn usual_offset<'a>(stamps: impl IntoIterator<Item = &'a Stamp>) -> Option<i32> {
    let mut counts = std::collections::BTreeMap::new();
    for offset in stamps.into_iter().filter_map(|s| s.offset) {
        *counts.entry(offset).or_insert(0usize) += 1;
    }
    counts.into_iter().rev().max_by_key(|(_, n)| *n).map(|(offset, _)| offset)
}

/// Foreign digits and the date characters of Chinese, Japanese and Korean in ASCII, lower case.
fn normalise(printed: &str) -> String {
    // First digit of each decimal block that newspapers use: Arabic, Persian, Devanagari, Bengali,
    // Thai, full width.
    const ZEROS: [u32; 6] = [0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10];
    let mut out = String::with_capacity(printed.len());
    // Korean puts spaces inside its dates.
    let mut printed = printed.replace("년 ", "년").replace("월 ", "월");
    for half in MORNING.iter().chain(&AFTERNOON).filter(|half| !half.is_ascii()) {
        // They touch the hour that they stand before.
        printed = printed.replace(half, &format!(" {half} "));
    }
    let (mut colons, mut after_digit) = (0, false);
    for c in printed.chars() {
        // A comma may begin the fraction of a second (ISO 8601 §4.2.2.4).
        let c = if c == ',' && colons >= 2 && after_digit { '.' } else { c };
        colons = if c.is_whitespace() { 0 } else { colons + usize::from(c == ':') };
        after_digit = c.is_ascii_digit();
        let code = u32::from(c);
        let digit = ZEROS.iter().map(|zero| code.wrapping_sub(*zero)).find(|d| *d < 10);
        match (digit.and_then(|d| char::from_digit(d, 10)), c) {
            (Some(digit), _) => out.push(digit),
            (_, '年' | '月' | '년' | '월') => out.push('-'),
            (
                _,
                '日' | '일' | '秒' | '초' | ',' | '،' | '(' | ')' | '[' | ']' | '|' | '\u{200F}',
            ) => {
                out.push(' ');
            }
            (_, '時' | '时' | '시' | '点' | '分' | '분' | '：') => out.push(':'),
            (_, '−' | '–') => out.push('-'),
            _ => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// What is written with a time, in lower case without its last dot.
const MORNING: [&str; 5] = ["am", "a.m", "上午", "午前", "오전"];
const AFTERNOON: [&str; 5] = ["pm", "p.m", "下午", "午後", "오후"];

/// Splits at white space; ISO's `T` and a zone that touches the time are set apart.
fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for word in text.split_whitespace() {
        // 20261102100000, with or without seconds and a zone
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if matches!(digits, 12 | 14) {
            let (clock, zone) = word[8..].split_at(digits - 8);
            parts.push(word[..8].to_owned());
            parts.push(compact(clock));
            parts.push(zone.to_owned());
            continue;
        }
        // 20261102t1000z, 2026-11-02t10:00:00+01:00
        if let Some((date, time)) = word.split_once('t')
            && date.len() >= 8
            && date.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'/' | b'.'))
            && time.starts_with(|c: char| c.is_ascii_digit())
        {
            parts.push(date.to_owned());
            let colons = time.contains(':');
            let cut = time
                .find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.')))
                .unwrap_or(time.len());
            let (clock, zone) = time.split_at(cut);
            if colons {
                parts.push(clock.to_owned());
            } else if clock.len() >= 2 {
                parts.push(compact(clock));
            }
            parts.push(zone.to_owned());
            continue;
        }
        parts.push(word.to_owned());
    }
    parts.retain(|p| !p.is_empty());
    parts
}

/// `10`, `1000` or `100000` with colons.
fn compact(clock: &str) -> String {
    let part = |range| clock.get(range).unwrap_or("00");
    format!("{}:{}:{}", part(0..2), part(2..4), part(4..6))
}

#[derive(Default)]
struct Fields {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    time: Option<(i8, i8, i8)>,
    offset: Option<i32>,
    afternoon: Option<bool>,
    /// Day and month are both ≤ 12 and no name tells which is which.
    ambiguous: bool,
}

impl Fields {
    fn take(&mut self, part: &str) {
        let first = part.chars().next().unwrap_or(' ');
        if first.is_ascii_digit() {
            let dated = self.year.is_some() && self.month.is_some() && self.day.is_some();
            if part.contains(':')
                || (self.day.is_some() && clock_h(part))
                || (dated && self.time.is_none() && clock_dots(part))
            {
                self.clock(part);
            } else {
                self.number(part);
            }
        } else if matches!(first, '+' | '-') && self.time.is_some() {
            self.offset = offset(part).or(self.offset);
        } else if first.is_alphabetic() {
            self.word(part);
        }
    }

    fn clock(&mut self, part: &str) {
        let cut = part
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | 'h')))
            .unwrap_or(part.len());
        let (clock, rest) = part.split_at(cut);
        let mut numbers = clock.split([':', 'h', '.']);
        let mut next = || numbers.next().filter(|n| !n.is_empty()).map(str::parse::<i8>);
        let Some(Ok(hour)) = next() else { return };
        let minute = next().and_then(Result::ok).unwrap_or(0);
        let second = next().and_then(Result::ok).unwrap_or(0);
        if hour > 24 || minute > 59 {
            return;
        }
        // Leap seconds are not on our clock.
        self.time = Some((hour, minute, second.min(59)));
        if rest.starts_with(['+', '-']) {
            self.offset = offset(rest);
        } else if !rest.is_empty() {
            self.word(rest);
        }
    }

    fn number(&mut self, part: &str) {
        let groups: Vec<&str> = part.split(['-', '/', '.']).filter(|g| !g.is_empty()).collect();
        match groups[..] {
            [y, m, d] if y.len() == 4 => {
                self.year = y.parse().ok();
                self.month = month_of(m);
                self.day = leading(d);
            }
            [d, m, y] if y.len() == 4 || y.len() == 2 => {
                self.year = year(y);
                let (d, m) = (leading(d), month_of(m));
                let swap = m.is_some_and(|m| m > 12);
                self.ambiguous = d.is_some_and(|d| d <= 12)
                    && m.is_some_and(|m| m <= 12)
                    && d != m
                    && groups[1].bytes().all(|b| b.is_ascii_digit());
                (self.day, self.month) = if swap { (m, d) } else { (d, m) };
            }
            [d, m] if self.day.is_none() && self.month.is_none() => {
                // 2.Nov
                self.day = leading(d);
                self.month = month_of(m);
            }
            [n] => {
                let digits = n.len() - n.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let tail = &n[digits..];
                match (digits, tail) {
                    (8, "") => {
                        self.year = n[..4].parse().ok();
                        self.month = n[4..6].parse().ok();
                        self.day = n[6..].parse().ok();
                    }
                    (4, _) if self.year.is_none() => self.year = n[..4].parse().ok(),
                    (1 | 2, "" | "st" | "nd" | "rd" | "th" | "er" | "º" | "ª" | "e" | "ο") => {
                        if self.day.is_none() {
                            self.day = leading(n);
                        } else if self.year.is_none() && self.month.is_some() {
                            self.year = year(n);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn word(&mut self, word: &str) {
        let word = word.trim_matches('.');
        match word {
            _ if MORNING.contains(&word) => self.afternoon = Some(false),
            _ if AFTERNOON.contains(&word) => self.afternoon = Some(true),
            _ => {
                if self.time.is_some()
                    && let Some(seconds) = zone(word)
                {
                    self.offset = Some(seconds);
                } else if let Some(month) = month_of(word) {
                    // The last one wins: in `mar, 02 nov` the first is a weekday.
                    if self.month.is_none() || self.year.is_none() {
                        self.month = Some(month);
                    }
                } else if let Some((before, after)) = word.split_once(['-', '/'])
                    && let (Some(month), Some(day)) = (month_of(before), leading(after))
                {
                    self.month = Some(month);
                    self.day = Some(day);
                }
            }
        }
    }

    fn local(&self) -> Option<(civil::DateTime, Precision)> {
        let (year, mut month, mut day) = (self.year?, self.month?, self.day?);
        if !(1900..=2999).contains(&year) {
            return None;
        }
        // `11/02/2026 10:00 AM` is American.
        if self.ambiguous && self.afternoon.is_some() {
            (month, day) = (day, month);
        }
        let date = civil::Date::new(year, month, day).ok()?;
        let Some((hour, minute, second)) = self.time else {
            return Some((date.to_datetime(civil::Time::midnight()), Precision::Day));
        };
        let hour = match self.afternoon {
            Some(true) if hour < 12 => hour + 12,
            Some(false) if hour == 12 => 0,
            _ => hour,
        };
        let (date, hour) = if hour == 24 { (date.tomorrow().ok()?, 0) } else { (date, hour) };
        let time = civil::Time::new(hour, minute, second, 0).ok()?;
        Some((date.to_datetime(time), Precision::Minute))
    }
}

/// French and Portuguese `10h30`, `10h`.
fn clock_h(part: &str) -> bool {
    part.split_once('h').is_some_and(|(h, m)| {
        (1..=2).contains(&h.len()) && m.len() <= 2 && m.bytes().all(|b| b.is_ascii_digit())
    })
}

/// `10.00`, `10.00.00`: only after a whole date, since dates are written so, too.
fn clock_dots(part: &str) -> bool {
    let groups: Vec<&str> = part.split('.').collect();
    (2..=3).contains(&groups.len())
        && groups.iter().all(|g| g.len() == 2 && g.bytes().all(|b| b.is_ascii_digit()))
}

/// The number at the start of a group.
fn leading(group: &str) -> Option<i8> {
    let end = group.find(|c: char| !c.is_ascii_digit()).unwrap_or(group.len());
    group[..end].parse().ok()
}

/// Two digits: 70–99 mean the last century (RFC 2822 §4.3 with the pivot of POSIX).
fn year(digits: &str) -> Option<i16> {
    let n: i16 = digits.parse().ok()?;
    Some(match digits.len() {
        2 if n >= 70 => 1900 + n,
        2 => 2000 + n,
        _ => n,
    })
}

/// `+01:00`, `-0500`, `+1`, `+05:30`, `+0000Z`: seconds east of UTC, at most 15 hours.
fn offset(text: &str) -> Option<i32> {
    let text = text.trim_end_matches('z');
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(pair) => pair,
        None if digits.len() > 2 => digits.split_at_checked(digits.len() - 2)?,
        None => (digits, "0"),
    };
    if hours.len() > 2 || minutes.len() > 2 {
        return None;
    }
    let seconds = hours.parse::<i32>().ok()? * 3600 + minutes.parse::<i32>().ok()? * 60;
    (seconds <= 15 * 3600).then_some(sign * seconds)
}

/// Zones whose names fix an offset. Of names with several meanings the one that newspapers print
/// most (IST India, CST and EST North America); BST is British.
fn zone(word: &str) -> Option<i32> {
    for prefix in ["gmt", "utc", "z"] {
        if let Some(rest) = word.strip_prefix(prefix)
            && !rest.is_empty()
        {
            return offset(rest);
        }
    }
    let quarters = match word {
        "z" | "ut" | "utc" | "gmt" | "wet" => 0,
        "west" | "bst" | "cet" | "mez" | "met" | "wat" => 4,
        "cest" | "mesz" | "mest" | "eet" | "cat" | "sast" => 8,
        "eest" | "msk" | "мск" | "trt" | "eat" => 12,
        "irst" => 14,
        "gst" => 16,
        "pkt" | "uzt" => 20,
        "ist" => 22,
        "npt" => 23,
        "wib" | "ict" => 28,
        "hkt" | "sgt" | "awst" | "pht" | "myt" | "wita" => 32,
        "jst" | "kst" | "wit" => 36,
        "acst" => 38,
        "aest" => 40,
        "aedt" => 44,
        "nzst" => 48,
        "nzdt" => 52,
        "ndt" => -10,
        "nst" => -14,
        "adt" | "brt" | "art" => -12,
        "ast" | "edt" | "clt" => -16,
        "est" | "cdt" | "pet" | "cot" => -20,
        "cst" | "mdt" => -24,
        "mst" | "pdt" => -28,
        "pst" | "akdt" => -32,
        "akst" => -36,
        "hst" => -40,
        _ => return None,
    };
    Some(quarters * 900)
}

/// Month by number or by the beginning of its name; the longest beginning listed decides.
fn month_of(text: &str) -> Option<i8> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return leading(text);
    }
    MONTHS
        .iter()
        .zip(1i8..)
        .flat_map(|(names, month)| names.split(' ').map(move |stem| (stem, month)))
        .filter(|(stem, _)| text.starts_with(stem))
        .max_by_key(|(stem, _)| stem.len())
        .map(|(_, month)| month)
}

/// Beginnings of month names: English, German, Dutch, French, Spanish, Portuguese, Italian,
/// Scandinavian, Finnish, Estonian, Polish, Czech, Hungarian, Romanian, Turkish, Greek, Russian, Ukrainian,
/// Bulgarian, Arabic, Persian names of Gregorian months, Hebrew, Hindi.
const MONTHS: [&str; 12] = [
    "jan jän jaen jaan janv ene gen tammi sty led ian oca ιαν янв січ ян يناير ژانویه ינואר जन",
    "feb fev fév febr vee helmi lut úno şub φεβ фев лют февр فبراير شباط فوریه פברואר फ़र फर",
    "mar mär maa maer mrt mrz maart mars márc bře mart μαρ μάρ мар бер مارس آذار מרץ मार्च",
    "apr avr abr huhti kwi dub ápr nis απρ апр кві أبريل ابريل نيسان آوریل אפריל अप्रै",
    "may mai mei mag maj maio touko kvě máj mayıs μαΐ μάι μαι май мая трав مايو أيار مه מאי मई",
    "jun jui juin giu kesä cze červen čer čvn jún juun iun haz ιουν ιούν июн чер юни يونيو حزيران ژوئن יוני जून",
    "jul juil lug heinä lip červenc červenec čvc júl juul iul tem ιουλ ιούλ июл лип юли يوليو تموز ژوئیه יולי जुल",
    "aug aoû aou ago août elo sie srp ağu αυγ αύγ авг серп أغسطس اغسطس آب اوت אוגוסט अग",
    "sep set sept syys wrz zář szept eyl σεπ сен вер септ سبتمبر أيلول سپتامبر ספטמבר सित",
    "oct okt out ott loka paź paz říj eki οκτ окт жов أكتوبر اكتوبر اکتبر אוקטובר अक्",
    "nov marras lis noiem kas νοε νοέ ноя лист ное نوفمبر نوامبر נובמבר नव",
    "dec dez dic déc des det joulu gru pro ara δεκ дек груд ديسمبر دسامبر דצמבר दिस",
];

#[cfg(test)]
mod tests;
