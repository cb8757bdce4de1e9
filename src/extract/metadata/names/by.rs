//! The words for "by" at the beginning of a text, and what stands behind them. Must not know how a name is put together.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::LONGEST;
use super::form::{may_sign, signed_by_form};
use crate::extract::metadata::dates;
use crate::extract::metadata::text::is_ideograph;
use crate::extract::metadata::words::{BEHIND_BARS, BEHIND_DATES, BY, BY_OF, OF_DATES, PRINTED};
use crate::extract::text::is_alphanumeric;

/// Does a line of its own open with "by" and hold little more than a name?
pub(in crate::extract::metadata) fn introduces(line: &str) -> bool {
    let said = line.trim_start_matches(|c: char| !is_alphanumeric(c));
    line.len() <= 3 * LONGEST
        && (begun(said).any(|(by, rest)| by.behind(rest).is_some()) && !is_by(said)
            || behind_date(line).is_some()
            || signed_by_form(line).is_some())
}

/// What stands behind "by" in a line that begins with it.
pub(in crate::extract::metadata) fn behind_by(line: &str) -> Option<&str> {
    introduces(line).then(|| strip_by(line))
}

/// How long the words for "by" are that a text begins with, in bytes.
pub(super) fn opening(text: &str) -> usize {
    let said = text.trim_start_matches(|c: char| !is_alphanumeric(c));
    let by = begun(said).filter(|(by, rest)| by.behind(rest).is_some());
    by.map(|(_, rest)| text.len() - rest.len()).max().unwrap_or(0)
}

/// Is a line nothing but "by"?
pub(in crate::extract::metadata) fn is_by(line: &str) -> bool {
    let is_label = line.trim_end().ends_with([':', '：']);
    let line = line.trim_matches(|c: char| !is_alphanumeric(c));
    line.len() <= 40 && begun(line).any(|(by, rest)| rest.is_empty() && (is_label || !by.is_label))
}

/// Does a line say outright who wrote, not only "by"?
pub(in crate::extract::metadata) fn signs(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| !is_alphanumeric(c));
    let is_all = |by: &By, rest: &str| !by.is_label && !rest.contains(is_alphanumeric);
    line.len() <= 3 * LONGEST
        && begun(line).any(|(by, rest)| by.signs && (is_all(by, rest) || by.behind(rest).is_some()))
}

/// May a text begin by saying who wrote, by its first letters? Asked before it is made ready to be read.
pub(in crate::extract::metadata) fn may_introduce(text: &str) -> bool {
    let Some(start) = text.find(is_alphanumeric) else { return false };
    let said = &text[start..];
    // Most begin with two letters that no such word begins with.
    let begins = match *said.as_bytes() {
        [first, second, ..] if first.is_ascii() && second.is_ascii() => {
            let behind = BEGINNINGS.get(usize::from(first)).copied().unwrap_or_default();
            behind >> second & 1 == 1 && may_begin(said)
        }
        _ => may_begin(said),
    };
    begins || may_sign(text) || may_be_behind_date(text)
}

/// May "by" stand behind a date in a text? Asked before it is made ready to be read.
fn may_be_behind_date(text: &str) -> bool {
    if text.len() > LONGEST || text.bytes().filter(u8::is_ascii_digit).count() < FIGURES {
        return false;
    }
    // Something stands behind it.
    let before = text.rsplit_once([' ', ':']).map_or("", |(before, _)| before);
    let is_by = |word: &str| {
        let ends = |by: &&str| {
            let end = word.len().checked_sub(by.len()).and_then(|at| word.get(at..));
            end.is_some_and(|end| end.eq_ignore_ascii_case(by))
        };
        BEHIND_DATES.iter().any(ends)
    };
    before.split([' ', ':']).any(is_by)
}

/// What says of a date that it is one of a change.
const CHANGED: [&str; 4] = ["updated", "aktualisiert", "last", "modified"];
/// Figures of a date: "4.3.26".
const FIGURES: usize = 4;

/// "By" and what it names in a line that begins with a date: "by Ann Archer" of "Published 4 March 2026 by Ann Archer".
fn behind_date(line: &str) -> Option<&str> {
    if !may_be_behind_date(line) {
        return None;
    }
    for word in line.split(' ').filter(|word| word.contains(is_alphanumeric)) {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        let before = &line[..at];
        let by = begun(&line[at..]).filter(|(by, _)| BEHIND_DATES.contains(&by.word));
        let named = by.filter_map(|(by, rest)| by.behind(rest)).next();
        if named.is_some_and(|name| name.starts_with(char::is_uppercase))
            && dates::may_hold(before)
            && dates::parse(before, None).is_some()
        {
            return Some(&line[at..]);
        }
        let word = word.trim_matches(|c: char| !is_alphanumeric(c)).to_lowercase();
        // Whoever changed an article last need not have written it.
        if CHANGED.contains(&word.as_str()) {
            return None;
        }
        let of_date = word.contains(|c: char| c.is_ascii_digit())
            || dates::names_month(&word)
            || dates::names_weekday(&word)
            || PRINTED.contains(&word.as_str())
            || OF_DATES.contains(&word.as_str());
        if !of_date {
            return None;
        }
    }
    None
}

/// May a text begin with a word for "by", as far as letters follow each other? What is none may be left out of it.
fn may_begin(text: &str) -> bool {
    let mut rest = text.chars();
    let mut words = rest.next().map_or(Words::default(), |first| beginning_with(lower(first)));
    loop {
        if words.at_end().is_some() {
            return true;
        }
        match rest.next().filter(|c| is_alphanumeric(*c)) {
            _ if words.is_empty() => return false,
            Some(next) => words.go_on(next),
            None => return true,
        }
    }
}

/// Of each first letter of ASCII those that may follow in such a text, a bit each.
static BEGINNINGS: LazyLock<[u128; 128]> = LazyLock::new(|| {
    std::array::from_fn(|first| {
        (0..128).fold(0, |found, second| {
            let two = [first as u8, second].map(char::from);
            found | u128::from(may_begin(&String::from_iter(two))) << second
        })
    })
});

/// What signs behind a station or a programme: "By Ann Archer" of "Radio Valley | By Ann Archer".
pub(super) fn behind_bar(text: &str) -> Option<&str> {
    let mut bars = text.match_indices(['|', '·', '•', '–', '—']).peekable();
    if bars.peek().is_none() || introduces(text) {
        return None;
    }
    bars.find_map(|(at, bar)| {
        let rest = text[at + bar.len()..].trim_start_matches([' ', ';']);
        let mut behind = begun(rest).filter(|(by, _)| by.behind_bars);
        let name = behind.find_map(|(by, rest)| by.behind(rest))?;
        name.starts_with(char::is_uppercase).then_some(rest)
    })
}

/// A text without "by" before it.
pub(super) fn strip_by(text: &str) -> &str {
    let text = behind_date(text).unwrap_or(text);
    let mut rest = text.trim_start_matches(|c: char| !is_alphanumeric(c) && c != '@');
    for _ in 0..2 {
        let cut = begun(rest).filter_map(|(by, behind)| by.behind(behind));
        match cut.min_by_key(|tail| tail.len()) {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    rest
}

/// A word for "by".
struct By {
    /// In lower case; without the colon of those behind which one has to stand.
    word: &'static str,
    is_label: bool,
    /// It says outright who wrote.
    signs: bool,
    /// A bar may part it from what stands before it.
    behind_bars: bool,
    /// It is of a script without spaces.
    spaceless: bool,
    /// It is a single ideograph.
    lone: bool,
}

impl By {
    fn new(by: &'static str) -> By {
        let (word, is_label) = by.strip_suffix(':').map_or((by, false), |label| (label, true));
        let said = by.contains(' ')
            || ["aut", "автор", "执笔"].iter().any(|begins| by.starts_with(begins));
        By {
            word,
            is_label,
            signs: said && BY.contains(&by),
            behind_bars: BEHIND_BARS.contains(&by),
            spaceless: word.chars().all(|c| ('\u{2E80}'..='\u{FFEF}').contains(&c)),
            lone: word.chars().count() == 1 && word.chars().all(is_ideograph),
        }
    }

    /// Whom it names in a text that goes on behind it.
    fn behind<'t>(&self, rest: &'t str) -> Option<&'t str> {
        if self.is_label && !rest.trim_start().starts_with([':', '：', ',', '،']) {
            return None;
        }
        // One ideograph is a part of many words: only a mark makes it "by".
        if self.lone && !rest.starts_with([' ', ':', '：', '/', '／', '|', '｜', '丨']) {
            return None;
        }
        let ends = self.is_label
            || self.spaceless
            || rest.starts_with([' ', ':', '：', '\u{A0}', '/', '｜', ';']);
        let tail = rest.trim_start_matches([
            ' ', ':', '：', '\u{A0}', '-', '/', '／', '|', '｜', '丨', '•', ';', ',', '،',
        ]);
        (ends && !tail.is_empty()).then_some(tail)
    }
}

/// The words for "by" that a text begins with, and what stands behind each of them.
fn begun(text: &str) -> impl Iterator<Item = (&'static By, &str)> {
    let mut rest = text.chars();
    let mut words = rest.next().map_or(Words::default(), |first| beginning_with(lower(first)));
    std::iter::from_fn(move || {
        loop {
            if let Some(by) = words.at_end() {
                return Some((by, rest.as_str()));
            }
            if words.is_empty() {
                return None;
            }
            words.go_on(rest.next()?);
        }
    })
}

/// Those of all words for "by" that a text may begin with, as far as it has been read.
#[derive(Clone, Copy, Default)]
struct Words {
    /// In order.
    all: &'static [By],
    /// Bytes of them that have been read.
    read: usize,
}

impl Words {
    fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Takes out a word that ends where the text has been read.
    fn at_end(&mut self) -> Option<&'static By> {
        let (first, others) =
            self.all.split_first().filter(|(by, _)| by.word.len() == self.read)?;
        self.all = others;
        Some(first)
    }

    /// Leaves those that go on with a character.
    fn go_on(&mut self, next: char) {
        for &next in lower(next).encode_utf8(&mut [0; char::MAX_LEN_UTF8]).as_bytes() {
            let of = |by: &By| by.word.as_bytes().get(self.read).copied().unwrap_or_default();
            let behind = &self.all[self.all.partition_point(|by| of(by) < next)..];
            self.all = &behind[..behind.partition_point(|by| of(by) == next)];
            self.read += 1;
        }
    }
}

/// The words for "by" that begin with a letter of lower case.
fn beginning_with(first: char) -> Words {
    static ALL: LazyLock<Vec<By>> = LazyLock::new(|| {
        let mut all: Vec<By> =
            BY.iter().copied().chain(BY_OF.iter().map(String::as_str)).map(By::new).collect();
        all.sort_by_key(|by| (by.word, by.is_label, !by.signs));
        all.dedup_by_key(|by| (by.word, by.is_label));
        all
    });
    static BY_LETTER: LazyLock<HashMap<char, &[By], FixedState>> = LazyLock::new(|| {
        let letter = |by: &By| by.word.chars().next().unwrap_or(' ');
        let parts = ALL.chunk_by(|one, other| letter(one) == letter(other));
        parts.map(|part| (letter(&part[0]), part)).collect()
    });
    let all = BY_LETTER.get(&first).copied().unwrap_or_default();
    Words { all, read: first.len_utf8() }
}

/// A letter in lower case, if that is one letter.
fn lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_by_are_in_lower_case() {
        for by in BY.iter().copied().chain(BY_OF.iter().map(String::as_str)) {
            assert!(by.chars().all(|c| lower(c) == c), "{by}");
            assert!(begun(by).any(|(known, _)| by.starts_with(known.word)), "{by}");
            for line in [by.to_owned(), by.to_uppercase(), format!("— {by} Ann Archer")] {
                let says = introduces(&line) || is_by(&line) || signs(&line);
                assert!(may_introduce(&line) || !says, "{line}");
            }
        }
    }
}
