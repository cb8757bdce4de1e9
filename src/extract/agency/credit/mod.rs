//! One text as a credit: a byline, a dateline, the end of a paragraph, a note, a line of its own. Must not
//! know where in the article it stands.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Anchored, Input, Match, StartKind};
use foldhash::fast::FixedState;

use super::words::{ANNOUNCES, CONTRIBUTED, JOINS, NOTES, PICTURES, REPORTING, ROLES, WORDS};
use crate::extract::metadata::dates;
use crate::model::agency::{AGENCIES, sent};
use crate::model::credit::{BY, BY_ANNOUNCED, SOURCES, announced, begins_byline};

mod names;

pub(super) use names::speaks;
use names::{NAMED, SHORT, UNPRESSED, automaton, full_names};

/// Bylines and notes are shorter than so many characters.
const LONGEST: usize = 300;
/// A line of an agency and something else is no longer than so many characters.
const BESIDE: usize = 30;
/// A dateline ends within so many characters.
const DATELINE: usize = 110;
/// A line of facts about an article is no longer than so many characters.
const LABELLED: usize = 120;
/// A place and a date have at most so many words before the agency.
const PLACE_WORDS: usize = 9;

/// What parts the agencies of one credit.
const PARTS: &[char] =
    &['/', ',', ';', '|', '(', ')', '[', ']', '–', '—', '•', '·', '、', '，', '&', '+'];
/// What stands between a dateline and its text.
const DASH: &[char] = &['-', '–', '—', '−', '.', ':', '=', ',', '―', '|', '/'];

/// [`WORDS`], and what announces a source or who wrote, to be looked up.
static BESIDES: LazyLock<HashSet<&str, FixedState>> =
    LazyLock::new(|| [WORDS, SOURCES, BY, BY_ANNOUNCED].into_iter().flatten().copied().collect());
/// What announces a source, with its colon.
fn sources() -> impl Iterator<Item = String> {
    [SOURCES, ANNOUNCES].into_iter().flat_map(announced)
}

/// The same with a blank before it.
static ANNOUNCED: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let all = AhoCorasick::new(sources().map(|word| format!(" {word}")));
    all.expect("some hundred words make an automaton")
});
/// How notes begin: by [`NOTES`] or by what announces a source.
static NOTED: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let all = NOTES.iter().map(|&note| note.to_owned()).chain(sources());
    let all = AhoCorasick::builder().start_kind(StartKind::Anchored).build(all);
    all.expect("some hundred words make an automaton")
});
static PICTURED: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(PICTURES));
static SAID: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(CONTRIBUTED));

/// A text in lower case, but letters of ASCII as they stand: all searches here take them in either case.
fn lower(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { text.into() } else { text.to_lowercase().into() }
}

/// The agency whose abbreviation a text is.
pub(super) fn abbreviated(text: &str) -> Option<&'static str> {
    const LONGEST: usize = 5;
    let text = text.trim();
    (text.chars().count() <= LONGEST).then(|| SHORT.get(text).copied())?
}

/// The agencies of a text that says who wrote: names, roles and agencies.
pub(super) fn byline(text: &str) -> Vec<&'static str> {
    if text.chars().count() > LONGEST || of_picture(text) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let within = |part| part_of_credit(part).or_else(|| full_in(part)).or_else(|| writer_of(part));
    for part in text.split(PARTS) {
        // Names of agencies hold such words, too.
        if let Some(agency) = part_of_credit(part) {
            found.push(agency);
            continue;
        }
        let before = found.len();
        found.extend(joined(part).map(before_place).filter_map(within));
        if found.len() == before {
            found.extend(within(part));
        }
    }
    found
}

/// What the words of [`JOINS`] part.
fn joined(part: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(part);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut at = 0;
        for word in text.split_inclusive(char::is_whitespace) {
            let bare = word.trim_end();
            if at > 0 && bare.len() < word.len() && JOINS.contains(&bare.to_lowercase().as_str()) {
                rest = text.get(at + word.len()..);
                return text.get(..at);
            }
            at += word.len();
        }
        rest.take()
    })
}

/// Who reports, without the place behind "in".
fn before_place(part: &str) -> &str {
    part.split_once(" in ").map_or(part, |(who, _)| who)
}

/// The agencies of a part that is nothing but agencies joined by words: "dpa und AFP".
fn agencies(part: &str) -> Vec<&'static str> {
    if let Some(agency) = part_of_credit(part) {
        return vec![agency];
    }
    // What is not joined has been asked.
    let all = joined(part).take_while(|one| one.len() < part.len());
    all.map(part_of_credit).collect::<Option<_>>().unwrap_or_default()
}

/// The agencies of a line that begins by saying that it says who wrote.
pub(super) fn signed(text: &str) -> Vec<&'static str> {
    if begins_byline(text) { byline(text) } else { Vec::new() }
}

/// The agencies of a line that holds nothing but them, words such as "source" and dates.
pub(super) fn alone(text: &str) -> Vec<&'static str> {
    if text.chars().count() > 80 || !speaks(text) || of_picture(text) {
        return Vec::new();
    }
    // The agency of pictures alone.
    if text.split(PARTS).any(|part| bare(part) == "EPA") {
        return Vec::new();
    }
    let dated = text.bytes().any(|b| b.is_ascii_digit());
    let mut found = Vec::new();
    // A place, a desk or the outlet's own name may stand beside one agency: "AFP, MANILA".
    let mut other = 0;
    for part in text.split(PARTS).map(bare).filter(|part| !part.is_empty()) {
        match agencies(part) {
            all if !all.is_empty() => found.extend(all),
            _ if is_initials(part) => {}
            _ if dated && undated(part).is_empty() => {}
            _ if part.bytes().any(|b| b.is_ascii_digit()) => {}
            _ if part.split_whitespace().count() <= 2 => other += 1,
            _ => return Vec::new(),
        }
    }
    if other == 0 || other == 1 && found.len() == 1 && text.chars().count() <= BESIDE {
        found
    } else {
        Vec::new()
    }
}

/// Who of the outlet's own wrote or edited, behind the text: "eb", "cmb".
fn is_initials(part: &str) -> bool {
    part.chars().count() <= 4 && part.chars().all(char::is_lowercase)
}

/// The agencies of a last line of initials, which may be in small letters, too: "eb, pap".
fn initialled(text: &str) -> Vec<&'static str> {
    let parts = || text.split(PARTS).map(bare).filter(|part| !part.is_empty());
    if parts().count() < 2 || !parts().all(is_initials) {
        return Vec::new();
    }
    // Two letters are somebody's initials.
    let long = parts().filter(|part| part.chars().count() > 2);
    long.filter_map(|part| SHORT.get(part.to_uppercase().as_str()).copied()).collect()
}

/// The agencies of a dateline: "LONDON (Reuters) -", "МОСКВА, 20 ноября. /ТАСС/.", "新华社北京11月20日电".
pub(super) fn dateline(text: &str) -> Vec<&'static str> {
    let text = text.trim_start();
    let end = text.char_indices().nth(DATELINE).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    // Where words are parted, most name no agency.
    if head.is_ascii() && !speaks(head) {
        return Vec::new();
    }
    // In brackets or between slashes.
    for (open, close) in
        [('(', ')'), ('[', ']'), ('（', '）'), ('【', '】'), ('［', '］'), ('/', '/')]
    {
        let Some(from) = head.find(open) else { continue };
        let inside = &head[from + open.len_utf8()..];
        let Some(to) = inside.find(close) else { continue };
        let (before, inside, behind) =
            (&head[..from], &inside[..to], inside[to + close.len_utf8()..].trim_start());
        let ideographs = inside.chars().any(|c| c >= '\u{2E80}');
        if !is_place(before) {
            continue;
        }
        let found = bracketed(inside, ideographs);
        let ended = behind.starts_with(DASH)
            || behind.starts_with('(')
            || behind.is_empty()
            || ideographs
            || is_place_alone(before)
            || is_dated(before)
            || before.chars().any(char::is_alphabetic) && !before.chars().any(char::is_lowercase);
        if !found.is_empty() && (ended || before.trim().is_empty()) {
            return found;
        }
    }
    if let Some((name, _)) = sent(text) {
        return SHORT.get(name).copied().into_iter().collect();
    }
    // Before or behind a dash: "AFP - The plant", "МОСКВА, 20 ноя — РИА Новости.", "Berlin/dpa. Es".
    let parts = head.split([' ', '\u{A0}']).scan(0, |at, word| {
        let here = *at;
        *at += word.len() + 1;
        Some((here, word))
    });
    let dash = |word: &str| !word.is_empty() && word.chars().all(|c| "-–—−―|:".contains(c));
    for (at, word) in parts {
        if !dash(word) {
            continue;
        }
        let (before, behind) =
            (&head[..at], head.get(at + word.len()..).unwrap_or("").trim_start());
        let last = before.rsplit([',', '/', '|']).next().unwrap_or("");
        let behind_stop = memchr::memmem::rfind(last.as_bytes(), b". ").map_or(0, |at| at + 2);
        let last = last.get(behind_stop..).unwrap_or(last);
        if let Some(agency) = part_of_credit(last)
            && is_place(&before[..before.len() - last.len()])
        {
            return vec![agency];
        }
        let next = behind.split(['.', ',', ':', '-', '–', '—']).next().unwrap_or("");
        if next.len() < behind.len() && is_place(before) && !before.trim().is_empty() {
            return part_of_credit(next).into_iter().collect();
        }
        break;
    }
    let slashed = head.split_once('/').and_then(|(place, rest)| {
        let agency = rest.split(['.', ' ', ',', ':', '\u{A0}']).next()?;
        (is_place(place) && !place.trim().is_empty() && place.split_whitespace().count() <= 3)
            .then(|| SHORT.get(agency).copied())?
    });
    slashed.into_iter().collect()
}

/// The agencies that a paragraph ends with: "… on Friday. (dpa/AFP)", "… on Friday. AFP".
pub(super) fn closing(text: &str) -> Vec<&'static str> {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || c == '.');
    for (open, close) in [('(', ')'), ('[', ']'), ('（', '）'), ('［', '］'), ('/', '/')] {
        if let Some(rest) = text.strip_suffix(close)
            && let Some(at) = rest.rfind(open)
        {
            let before = rest[..at].trim_end();
            let inside = &rest[at + open.len_utf8()..];
            if before.is_empty()
                || before.ends_with(['.', '!', '?', '”', '"', '“', '»', '。', '…', '\'', '’'])
            {
                return bracketed(inside, false);
            }
        }
    }
    // Behind the end of the last sentence.
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '”' | '“' | '»' | '。' | '—' | '–');
    let Some((at, end)) = text.char_indices().rfind(|&(_, c)| ends(c)) else {
        let found = alone(text);
        return if found.is_empty() { initialled(text) } else { found };
    };
    let tail = text[at + end.len_utf8()..].trim();
    if tail.split_whitespace().count() <= 4 { alone(tail) } else { Vec::new() }
}

/// The agencies of a note: "The Associated Press contributed to this report.", "Mit Material der dpa".
pub(super) fn note(text: &str) -> Vec<&'static str> {
    if text.chars().count() > LONGEST {
        return Vec::new();
    }
    let lower = text.to_lowercase();
    if of_picture(&lower) {
        return Vec::new();
    }
    let bare = lower.trim_start_matches(['(', '[', '*', '–', '—', '-', ' ']);
    // Reuters alone names its editors so.
    let begins = REPORTING.iter().any(|reporting| bare.starts_with(reporting));
    if begins && (bare.contains("editing by") || bare.contains("; writing by")) {
        return vec!["Reuters"];
    }
    let noted = of_rights(text)
        || NOTED.is_match(Input::new(bare).anchored(Anchored::Yes))
        || SAID.is_match(&lower)
        || is_of_feed(bare);
    if !noted {
        return labelled(text, &lower);
    }
    let mut found = Vec::new();
    let words =
        text.split(|c: char| c.is_whitespace() || PARTS.contains(&c) || c == ':' || c == '：');
    for word in words.map(bare_word) {
        found.extend(SHORT.get(word).copied());
    }
    found.extend(full_names(&lower).into_iter().map(|(_, name)| *name));
    // "Australian Associated Press" is not AP.
    if found.contains(&"AAP") || found.contains(&"APP") {
        found.retain(|name| *name != "AP");
    }
    found
}

/// Does it say that nobody edited what came in ("published from a PTI feed"), or that somebody else took part?
fn is_of_feed(lower: &str) -> bool {
    let end = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
    end.ends_with(" contributed") || end.ends_with("feed") && end.contains("published from a")
}

/// The agency behind "source:" within a line of facts about the article: "9:58 AM Thursday Source: Reuters".
fn labelled(text: &str, lower: &str) -> Vec<&'static str> {
    // Lower case has to be as long, so that places in one are places in the other.
    let labels = text.contains([':', '：']);
    if !labels || text.len() != lower.len() || text.chars().count() > LABELLED {
        return Vec::new();
    }
    // The one that stands first on the list, where it stands first in the line.
    let mut found: Vec<Match> = ANNOUNCED.find_overlapping_iter(lower).collect();
    found.sort_unstable_by_key(|found| (found.pattern(), found.start()));
    found.dedup_by_key(|found| found.pattern());
    let behind = found.iter().filter_map(|found| text.get(found.end()..));
    behind.take(1).flat_map(|rest| rest.split(PARTS).map_while(part_of_credit)).collect()
}

/// Does it say whose rights a text is?
pub(super) fn of_rights(text: &str) -> bool {
    let text = text.trim_start();
    ["copyright", "©", "(c)"].iter().any(|sign| {
        let mut lower = text.chars().flat_map(char::to_lowercase);
        sign.chars().all(|c| lower.next() == Some(c))
    })
}

/// Agencies between brackets; nothing if other words are among them.
fn bracketed(inside: &str, ideographs: bool) -> Vec<&'static str> {
    if inside.chars().count() > 60 || of_picture(inside) {
        return Vec::new();
    }
    let mut found: Vec<&'static str> = Vec::new();
    for part in inside.split(PARTS).flat_map(|part| part.split('=')) {
        match agencies(part) {
            all if !all.is_empty() => found.extend(all),
            // A regional service of it: "dpa/lby".
            _ if !found.is_empty() && part.trim().chars().count() <= 4 => {}
            // Who of the outlet's own took part: "anm/dpa".
            _ if is_initials(bare(part)) => {}
            // Who wrote it there.
            _ if !found.is_empty() && is_name(part) => {}
            _ if part.bytes().any(|b| b.is_ascii_digit()) || ideographs => {
                let all = part.split([' ', '\u{3000}']);
                found.extend(all.filter_map(part_of_credit));
                found.extend(AGENCIES.iter().filter(|_| ideographs).filter_map(|agency| {
                    let held = |short: &str| {
                        short.chars().all(|c| c >= '\u{2E80}')
                            && (part.starts_with(short) || part.ends_with(short))
                    };
                    agency.cased().any(held).then_some(agency.name)
                }));
            }
            _ => return Vec::new(),
        }
    }
    found.dedup();
    found
}

/// Is it written like a person's name?
fn is_name(part: &str) -> bool {
    let words = || part.split_whitespace();
    matches!(words().count(), 2 | 3)
        && words().all(|word| word.chars().next().is_some_and(char::is_uppercase))
}

/// The agency that a part of a credit is, words such as "by" and "writer" left out.
fn part_of_credit(part: &str) -> Option<&'static str> {
    let part = bare(part);
    whole(part).or_else(|| {
        let undated = undated(part);
        (undated.len() < part.len()).then(|| whole(bare(undated))).flatten()
    })
}

/// Does it end with a day and its month: "Rivertown, Nov 20"?
fn is_dated(place: &str) -> bool {
    let mut last = place.split_whitespace().rev();
    let is_day = |word: &str| bare_word(word).parse::<u8>().is_ok();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) => is_day(a) && is_month(b) || is_month(a) && is_day(b),
        _ => false,
    }
}

fn is_month(word: &str) -> bool {
    dates::names_month(&bare_word(word).to_lowercase())
}

/// Is it a place with a full stop: "New York."? Titles and months have one, too.
fn is_place_alone(place: &str) -> bool {
    let Some(place) = place.trim().strip_suffix('.') else { return false };
    let words = || place.split_whitespace();
    let capital = |word: &str| word.starts_with(char::is_uppercase);
    (1..=3).contains(&words().count())
        && words().all(capital)
        && !words().any(is_month)
        && words().next_back().is_some_and(|word| word.chars().count() > 3)
}

/// A part of a credit up to the date behind it: "AP Business Writer Fri Dec 28".
fn undated(part: &str) -> &str {
    let mut at = 0;
    for word in part.split_inclusive(char::is_whitespace) {
        let bare = bare_word(word).to_lowercase();
        let number = word.bytes().any(|b| b.is_ascii_digit());
        if number || dates::names_weekday(&bare) || dates::names_month(&bare) {
            break;
        }
        at += word.len();
    }
    part[..at].trim_end()
}

/// The agency that a text is, words such as "by" and "writer" left out.
fn whole(part: &str) -> Option<&'static str> {
    if let Some(agency) = SHORT.get(part) {
        return Some(agency);
    }
    let lower = part.to_lowercase();
    if let Some(name) = NAMED.get(lower.as_str()) {
        return Some(name);
    }
    let around = |word: &&str| BESIDES.contains(word.to_lowercase().trim_end_matches([':', '：']));
    let words: Vec<&str> = part.split_whitespace().collect();
    let first = words.iter().position(|word| !around(word))?;
    let last = words.iter().rposition(|word| !around(word))?;
    if first == 0 && last + 1 == words.len() {
        return None;
    }
    let core = words[first..=last].join(" ");
    let core = bare(&core);
    SHORT.get(core).or_else(|| UNPRESSED.get(core.to_lowercase().as_str())).copied()
}

/// A full name of two words or more within a byline.
fn full_in(part: &str) -> Option<&'static str> {
    let many = |(full, _): &&&(String, &str)| full.contains([' ', '-']);
    full_names(&lower(part)).iter().find(many).map(|(_, name)| *name)
}

/// The agency that a name's owner writes for: "ANN ARCHER AP Sports Writer".
fn writer_of(part: &str) -> Option<&'static str> {
    let words: Vec<&str> = undated(part).split_whitespace().map(bare_word).collect();
    let (role, before) = words.split_last()?;
    if !ROLES.contains(&role.to_lowercase().as_str()) {
        return None;
    }
    let word = before.iter().rfind(|word| !BESIDES.contains(word.to_lowercase().as_str()))?;
    SHORT.get(word).copied()
}

/// May it be the place and date of a dateline? Short, and no sentence.
fn is_place(text: &str) -> bool {
    let text = text.trim();
    let words = text.split_whitespace().count();
    let small = text
        .split_whitespace()
        .filter(|word| word.chars().count() > 3 && word.chars().all(char::is_lowercase))
        .count();
    words <= PLACE_WORDS && small <= 1 && !text.contains(['?', '!', '"', '“', '”', '„', '«'])
}

fn of_picture(text: &str) -> bool {
    let lower = lower(text);
    lower.len() <= 4 * LONGEST && PICTURED.is_match(&*lower)
}

fn bare(part: &str) -> &str {
    let kept = |c: char| c.is_alphanumeric() || c == '©';
    part.trim_matches(|c: char| !kept(c))
}

fn bare_word(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests;
