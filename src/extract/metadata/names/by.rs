//! The words for "by" at the beginning of a text, and what stands behind them. Must not know how a name is put together.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::LONGEST;
use super::form::{may_sign, signed_by_form};
use crate::extract::metadata::text::is_ideograph;
use crate::extract::metadata::words::{BEHIND_BARS, BY, BY_OF};
use crate::extract::text::is_alphanumeric;

/// Does a line of its own open with "by" and hold little more than a name?
pub(in crate::extract::metadata) fn introduces(line: &str) -> bool {
    let said = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    line.len() <= 3 * LONGEST
        && (strip_by(said).len() < said.len() && !is_by(said) || signed_by_form(line).is_some())
}

/// What stands behind "by" in a line that begins with it.
pub(in crate::extract::metadata) fn behind_by(line: &str) -> Option<&str> {
    introduces(line).then(|| strip_by(line))
}

/// Is a line nothing but "by"?
pub(in crate::extract::metadata) fn is_by(line: &str) -> bool {
    let is_label = line.trim_end().ends_with([':', '：']);
    let line = line.trim_matches(|c: char| !c.is_alphanumeric());
    let says = |by: &str| match by.strip_suffix(':') {
        Some(label) => is_label && eq_lower(line, label),
        None => eq_lower(line, by),
    };
    line.len() <= 40 && beginning_as(line).any(says)
}

/// Does a line say outright who wrote, not only "by"?
pub(in crate::extract::metadata) fn signs(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let bare = line.trim_end_matches(|c: char| !c.is_alphanumeric());
    let said = |by: &str| by.contains(' ') || by.starts_with("aut") || by.starts_with("автор");
    line.len() <= 3 * LONGEST
        && beginning_as(line)
            .filter(|by| said(by))
            .any(|by| (eq_lower(bare, by) || behind(line, by).is_some()) && BY.contains(&by))
}

/// May a text begin by saying who wrote, by its first two letters? Asked before it is made ready to be read.
pub(in crate::extract::metadata) fn may_introduce(text: &str) -> bool {
    static FIRST_TWO: LazyLock<HashSet<[Option<char>; 2], FixedState>> =
        LazyLock::new(|| all_by().map(first_two).collect());
    let Some(start) = text.find(is_alphanumeric) else { return false };
    let [first, second] = first_two(&text[start..]);
    // Some words for "by" are of one letter; what is no letter may be left out of the text.
    FIRST_TWO.contains(&[first, second])
        || FIRST_TWO.contains(&[first, None])
        || may_sign(text)
        || !second.is_some_and(is_alphanumeric)
}

/// The first two characters in lower case.
fn first_two(text: &str) -> [Option<char>; 2] {
    let mut two = text.chars().map(|c| c.to_lowercase().next().unwrap_or(c));
    [two.next(), two.next()]
}

/// What signs behind a station or a programme: "By Ann Archer" of "Radio Valley | By Ann Archer".
pub(super) fn behind_bar(text: &str) -> Option<&str> {
    if introduces(text) {
        return None;
    }
    let mut bars = text.match_indices(['|', '·', '•', '–', '—']);
    bars.find_map(|(at, bar)| {
        let rest = text[at + bar.len()..].trim_start_matches([' ', ';']);
        let name = BEHIND_BARS.iter().find_map(|by| behind(rest, by))?;
        name.starts_with(char::is_uppercase).then_some(rest)
    })
}

/// A text without "by" before it.
pub(super) fn strip_by(text: &str) -> &str {
    let mut rest = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '@');
    for _ in 0..2 {
        let cut =
            beginning_as(rest).filter_map(|by| behind(rest, by)).min_by_key(|tail| tail.len());
        match cut {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    rest
}

/// What stands behind `by` at the beginning of a text.
fn behind<'t>(text: &'t str, by: &str) -> Option<&'t str> {
    let (by, is_label) = by.strip_suffix(':').map_or((by, false), |label| (label, true));
    let mut rest = text.chars();
    for wanted in by.chars() {
        let c = rest.next()?;
        // Upper case may take another number of bytes.
        if c != wanted && !c.to_lowercase().eq(std::iter::once(wanted)) {
            return None;
        }
    }
    let tail = rest.as_str();
    if is_label && !tail.trim_start().starts_with([':', '：', ',', '،']) {
        return None;
    }
    // One ideograph is a part of many words: only a mark makes it "by".
    let lone = by.chars().count() == 1 && by.chars().all(is_ideograph);
    if lone && !tail.starts_with([' ', ':', '：', '/', '／', '|', '｜', '丨']) {
        return None;
    }
    let ends = is_label
        || tail.starts_with([' ', ':', '：', '\u{A0}', '/', '｜', ';'])
        || by.chars().all(|c| ('\u{2E80}'..='\u{FFEF}').contains(&c));
    let tail = tail.trim_start_matches([
        ' ', ':', '：', '\u{A0}', '-', '/', '／', '|', '｜', '丨', '•', ';', ',', '،',
    ]);
    (ends && !tail.is_empty()).then_some(tail)
}

fn eq_lower(text: &str, lower: &str) -> bool {
    text.chars().flat_map(char::to_lowercase).eq(lower.chars())
}

/// The words for "by" that begin with the letter that a text begins with, in the order of the list.
fn beginning_as(text: &str) -> impl Iterator<Item = &'static str> {
    static BY_LETTER: LazyLock<HashMap<char, Vec<&str>, FixedState>> = LazyLock::new(|| {
        let mut letters: HashMap<char, Vec<&str>, FixedState> = HashMap::default();
        for by in all_by() {
            letters.entry(by.chars().next().unwrap_or(' ')).or_default().push(by);
        }
        letters
    });
    let first = text.chars().next().and_then(|c| c.to_lowercase().next());
    first.and_then(|first| BY_LETTER.get(&first)).into_iter().flatten().copied()
}

/// All words for "by".
fn all_by() -> impl Iterator<Item = &'static str> {
    BY.iter().copied().chain(BY_OF.iter().map(String::as_str))
}
