//! Names out of strings that publishers print as authors: persons, desks, or nothing. Must not know
//! the tree.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use foldhash::fast::FixedState;

use super::dates;
use super::text::{plain, squash};
use super::words::{BY, DESK, NEVER, NOBODY, OTHERS, PARTICLES, ROLES, SURNAMES};
use crate::extract::text::is_alphanumeric;

/// How sure the place makes it that a string holds names and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Voice {
    /// A line of text that begins with "by".
    Line,
    /// An element whose marks speak of an author.
    Marked,
    /// A link to the page of an author.
    Linked,
    /// Data for machines.
    Told,
}

/// Who signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub text: String,
    /// No person, as far as one sees, but the outlet, one of its desks or a handle.
    pub desk: bool,
}

/// A text that is longer, in characters, is no byline.
const LONGEST: usize = 160;
/// So many words of prose may follow a name.
const PROSE: usize = 6;
/// Marks that are in no name.
const QUOTES: &[char] = &[
    '“', '”', '„', '«', '»', '《', '》', '「', '」', '『', '』', '【', '】', '（', '）', '：', '…',
];
/// Words that part two names.
const AND: &[&str] = &[
    " and ", " AND ", " und ", " et ", " y ", " e ", " en ", " och ", " og ", " i ", " и ", " та ",
    " ja ", " ve ", " dan ", " & ", ";", "|", " · ", "、", " / ", " with ", " • ",
];

/// The names in a printed string, each once, in order: without "by", roles, degrees, dates and
/// addresses. `outlets` are the outlet's own names, squashed.
pub(super) fn names(printed: &str, outlets: &[String], voice: Voice) -> Vec<Name> {
    let mut found: Vec<Name> = Vec::new();
    let text = plain(printed);
    if voice < Voice::Told && text.chars().count() > LONGEST {
        return found;
    }
    let printed = before_others(&text);
    let signed = strip_by(printed);
    // Behind "by", one word may be a name, too.
    let first = match voice {
        Voice::Marked if signed.len() < printed.len() => Voice::Linked,
        voice => voice,
    };
    let mut charge = false;
    for (at, part) in split(signed).into_iter().enumerate() {
        let voice = if at == 0 { first } else { voice };
        // What somebody is stands behind the name, and may be of two parts: "Head of Sales and Service".
        let role = at > 0 && !found.is_empty() && tells_role(part);
        let of_role = std::mem::replace(&mut charge, role && part.contains(" of "));
        if role || of_role && voice < Voice::Told {
            continue;
        }
        let (head, behind) = if voice < Voice::Told { before_prose(part) } else { (part, 0) };
        if behind > PROSE {
            break;
        }
        match name(head, outlets, voice) {
            // One word before prose may be anything.
            Some(name)
                if behind > 0 && !name.desk && !name.text.contains(' ') && name.text.is_ascii() =>
            {
                break;
            }
            Some(name) => {
                let same = squash(&name.text);
                if !found.iter().any(|f| squash(&f.text) == same) {
                    found.push(name);
                }
            }
            // Text that does not begin with a name is none.
            None if voice < Voice::Told && !is_beside(part) => break,
            None => {}
        }
        if behind > 0 && !found.is_empty() {
            break;
        }
    }
    found
}

/// May a text begin by saying who wrote, by its first two letters? Asked before it is made ready to be read.
pub(super) fn may_introduce(text: &str) -> bool {
    static FIRST_TWO: LazyLock<HashSet<[Option<char>; 2], FixedState>> =
        LazyLock::new(|| BY.iter().map(|by| first_two(by)).collect());
    let Some(start) = text.find(is_alphanumeric) else { return false };
    let [first, second] = first_two(&text[start..]);
    // Some words for "by" are of one letter; what is no letter may be left out of the text.
    FIRST_TWO.contains(&[first, second])
        || FIRST_TWO.contains(&[first, None])
        || !second.is_some_and(is_alphanumeric)
}

/// The first two characters in lower case.
fn first_two(text: &str) -> [Option<char>; 2] {
    let mut two = text.chars().map(|c| c.to_lowercase().next().unwrap_or(c));
    [two.next(), two.next()]
}

/// Does a line of its own open with "by" and hold little more than a name?
pub(super) fn introduces(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    line.len() <= 3 * LONGEST && strip_by(line).len() < line.len() && !is_by(line)
}

/// Is a line nothing but "by"?
pub(super) fn is_by(line: &str) -> bool {
    let line = line.trim_matches(|c: char| !c.is_alphanumeric());
    line.len() <= 40 && beginning_as(line).any(|by| eq_lower(line, by))
}

/// Does a line say outright who wrote, not only "by"?
pub(super) fn signs(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let said = |by: &&str| by.contains(' ') || by.starts_with("aut") || by.starts_with("автор");
    line.len() <= 3 * LONGEST
        && beginning_as(line).filter(said).any(|by| {
            eq_lower(line.trim_end_matches(|c: char| !c.is_alphanumeric()), by)
                || behind(line, by).is_some()
        })
}

fn eq_lower(text: &str, lower: &str) -> bool {
    text.chars().flat_map(char::to_lowercase).eq(lower.chars())
}

/// The words for "by" that begin with the letter that a text begins with, in the order of the list.
fn beginning_as(text: &str) -> impl Iterator<Item = &'static str> {
    static BY_LETTER: LazyLock<HashMap<char, Vec<&str>, FixedState>> = LazyLock::new(|| {
        let mut letters: HashMap<char, Vec<&str>, FixedState> = HashMap::default();
        for by in BY.iter() {
            letters.entry(by.chars().next().unwrap_or(' ')).or_default().push(by);
        }
        letters
    });
    let first = text.chars().next().and_then(|c| c.to_lowercase().next());
    first.and_then(|first| BY_LETTER.get(&first)).into_iter().flatten().copied()
}

fn strip_by(text: &str) -> &str {
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
    let mut rest = text.chars();
    for wanted in by.chars() {
        let c = rest.next()?;
        // Upper case may take another number of bytes.
        if c != wanted && !c.to_lowercase().eq(std::iter::once(wanted)) {
            return None;
        }
    }
    let tail = rest.as_str();
    let ends = tail.starts_with([' ', ':', '：', '\u{A0}', '/', '｜', ';'])
        || by.chars().all(|c| ('\u{2E80}'..='\u{FFEF}').contains(&c));
    let tail = tail.trim_start_matches([' ', ':', '：', '\u{A0}', '-', '/', '｜', '•', ';', ',']);
    (ends && !tail.is_empty()).then_some(tail)
}

fn before_others(text: &str) -> &str {
    others().find(text).map_or(text, |other| &text[..other.start()])
}

/// Does a text end by naming somebody else's part ("Reviewed by")?
pub(super) fn is_of_others(line: &str) -> bool {
    const END: usize = 40;
    let bytes = line.as_bytes();
    others().is_match(&bytes[bytes.len().saturating_sub(END)..])
}

/// All of [`OTHERS`] in one search.
fn others() -> &'static AhoCorasick {
    static ALL: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .ascii_case_insensitive(true)
            .build(OTHERS.iter())
            .expect("a few short phrases make an automaton")
    });
    &ALL
}

/// What precedes the first word that is in no name (a date, a verb, a word of lower case), and how many
/// words follow.
fn before_prose(text: &str) -> (&str, usize) {
    let mut end = 0;
    let mut last = "";
    let mut words = text.split(' ');
    while let Some(word) = words.next() {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let core = word.trim_matches(|c: char| !c.is_alphanumeric());
        let digits = core.bytes().any(|b| b.is_ascii_digit());
        let small = core.chars().next().is_some_and(char::is_lowercase) && at > 0;
        let foreign = core.contains('\'') || core.contains('’') || core.contains('-');
        if digits || small && !foreign && !PARTICLES.contains(core) && !DESK.contains(core) {
            let kept = match digits && dates::names_month(last) {
                true => &text[..last.as_ptr() as usize - text.as_ptr() as usize],
                false => &text[..end],
            };
            let behind = words.filter(|w| !w.bytes().any(|b| b.is_ascii_digit())).count() + 1;
            return (kept.trim_end(), behind);
        }
        end = at + word.len();
        last = core;
    }
    (text, 0)
}

fn split(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for and in AND.iter().copied() {
        parts = parts.iter().flat_map(|p| p.split(and)).collect();
    }
    parts = parts.iter().flat_map(|p| p.split([',', '，'])).map(str::trim).collect();
    // Names of ideographs are parted by blanks.
    let spaceless = |p: &&str| p.chars().all(|c| is_ideograph(c) || c == ' ');
    if parts.iter().all(spaceless) {
        parts = parts.iter().flat_map(|p| p.split(' ')).collect();
    }
    parts.retain(|p| !p.is_empty());
    parts
}

/// Does it stand beside names: a role, a degree, an address, a date?
fn is_beside(part: &str) -> bool {
    let lower = part.to_lowercase();
    is_degree(part)
        || part.contains('@')
        || is_by(part)
        || part.bytes().any(|b| b.is_ascii_digit())
        || !part.contains(char::is_alphabetic)
        || dates::names_month(&lower)
        || lower.split_whitespace().any(|w| ROLES.contains(w) || w == "staff")
}

fn name(part: &str, outlets: &[String], voice: Voice) -> Option<Name> {
    let part = match part.split_once(['(', '[']) {
        // An address, and whose it is.
        Some((address, name)) if address.contains('@') => name.trim_end_matches([')', ']']),
        Some((before, _)) => before,
        None => part,
    };
    let trim = |part: &str| -> String {
        part.trim_matches(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '.' | ':' | '-' | '–' | '—' | '*' | '"' | '@' | '•' | '/' | '|' | '·' | ','
                )
        })
        .to_owned()
    };
    if part.starts_with('@') {
        return None;
    }
    let part = trim(strip_by(part));
    if is_by(&part) {
        return None;
    }
    let part = without_journalist(&part);
    if is_outlet(part, outlets) {
        return (voice > Voice::Line).then(|| Name { text: part.to_owned(), desk: true });
    }
    let part = without_roles(part);
    let lower = part.to_lowercase();
    let letters = part.chars().filter(|c| c.is_alphabetic()).count();
    let words = part.split_whitespace().count();
    let unlikely = letters < 2
        || words > 6
        || part.len() > 80
        || ["http", "www.", "@", ".com/"].iter().any(|a| lower.contains(a))
        || part.chars().filter(char::is_ascii_digit).count() > 2
        || part.contains([':', ')', '/', '®', '™', '=', '{', '<', '?', '!'])
        || NOBODY.contains(&lower.as_str())
        || is_degree(part)
        || lower.split_whitespace().all(|w| ROLES.contains(w));
    if unlikely {
        return None;
    }
    let desk = lower.split_whitespace().any(|w| DESK.contains(w));
    let person = is_person(part, voice);
    // What a system calls its users and fields.
    let machine = part.contains('.') && !part.contains(' ') || lower.starts_with("admin");
    (voice == Voice::Told || desk || person)
        .then(|| Name { text: part.to_owned(), desk: desk || machine })
}

/// Is it the outlet, with an article before its name, or with a desk or a place behind it?
fn is_outlet(part: &str, outlets: &[String]) -> bool {
    let bare = part.split_once(' ').filter(|(the, _)| the.eq_ignore_ascii_case("the"));
    let (first, more) = part.split_once(' ').unwrap_or((part, ""));
    let named = |text: &str| outlets.contains(&squash(text));
    named(part)
        || bare.is_some_and(|(_, part)| named(part))
        // Initials are no first name.
        || !more.is_empty()
            && first.chars().count() >= 3
            && first.chars().all(|c| c.is_uppercase() || c.is_ascii_digit())
            && named(first)
}

/// Is one of the first two words what somebody is?
fn tells_role(part: &str) -> bool {
    part.split_whitespace().take(2).any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        ROLES.contains(word.as_str())
    })
}

/// Without what says "journalist" in East Asia.
fn without_journalist(part: &str) -> &str {
    let mut part = part;
    for end in ["기자", "특파원", "記者", "报道", "報導", "报导", "记者"] {
        if let Some(head) = part.strip_suffix(end).map(str::trim_end)
            && !head.is_empty()
        {
            part = head;
        }
    }
    part
}

/// Without roles before and behind a name of two words or more.
fn without_roles(part: &str) -> &str {
    let is_role = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        ROLES.contains(word.as_str())
    };
    let mut rest = part;
    while let Some((first, tail)) = rest.split_once(' ')
        && is_role(first)
        && tail.contains(' ')
    {
        rest = tail;
    }
    let mut words = rest.split(' ').skip(2);
    match words.find(|word| is_role(word)) {
        Some(role) => rest[..role.as_ptr() as usize - rest.as_ptr() as usize].trim_end(),
        None => rest,
    }
}

/// Is it written as names of persons are?
fn is_person(part: &str, voice: Voice) -> bool {
    let letters = || part.chars().filter(|c| c.is_alphabetic());
    if part.contains(QUOTES) {
        return false;
    }
    if letters().all(is_ideograph) {
        // Anything may stand near a title; a family name does not often begin it.
        let family = letters().next().is_some_and(|c| SURNAMES.contains(c));
        return (2..=4).contains(&letters().count()) && (family || voice >= Voice::Linked);
    }
    let words: Vec<&str> = part.split_whitespace().collect();
    let known = |word: &&str| {
        // "A" is a word, "A." is a name.
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '.');
        let lower = word.to_lowercase();
        NEVER.contains(lower.as_str())
            || ROLES.contains(lower.as_str())
            || matches!(word, "Der" | "Die" | "Das" | "Les")
    };
    let odd = |c: char| {
        !(c.is_alphanumeric()
            || matches!(c, '.' | '\'' | '’' | '-' | '‐' | '‘' | ' ')
            || ('\u{300}'..='\u{36F}').contains(&c))
    };
    if words.iter().any(known)
        || part.chars().any(|c| c.is_ascii_digit() || (odd(c) && c.is_ascii()))
    {
        return false;
    }
    let cased = letters().any(|c| c.is_lowercase() || c.is_uppercase());
    let small = |word: &str| word.chars().next().is_some_and(char::is_lowercase);
    let named = words.iter().filter(|w| !small(w)).count();
    let least = if voice >= Voice::Linked { 1 } else { 2 };
    if !cased {
        return (least..=4).contains(&words.len());
    }
    let particles = words
        .iter()
        .filter(|w| small(w))
        .all(|w| PARTICLES.contains(w) || w.contains('\'') || w.contains('’') || w.contains('-'));
    particles && (least..=4).contains(&named) && words.len() <= 6
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

/// Degrees behind a comma: mostly capitals and short.
fn is_degree(part: &str) -> bool {
    const AGENCIES: [&str; 18] = [
        "AP", "AFP", "DPA", "APA", "SID", "EFE", "TASS", "ANSA", "NTB", "TT", "PA", "AAP", "UPI",
        "ANI", "PTI", "KNA", "EPD", "STA",
    ];
    if matches!(
        squash(part).as_str(),
        "phd" | "mph" | "msc" | "esq" | "jr" | "sr" | "dipling" | "pharmd"
    ) {
        return true;
    }
    part.is_ascii()
        && part.len() <= 5
        && part.chars().all(|c| c.is_ascii_uppercase() || c == '.' || c == '-')
        && !AGENCIES.contains(&part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(voice: Voice, printed: &str, expect: &[&str]) {
        let found = names(printed, &["dailyexample".into()], voice);
        let found: Vec<&str> = found.iter().map(|n| n.text.as_str()).collect();
        assert_eq!(found, expect, "{printed}");
    }

    #[test]
    fn told_names() {
        let check = |printed: &str, expect: &[&str]| check(Voice::Told, printed, expect);
        check("By Ann Archer", &["Ann Archer"]);
        check("BY ANN ARCHER AND BEN WRIGHT", &["ANN ARCHER", "BEN WRIGHT"]);
        check("Von Anna Arndt und Ben Schreiber", &["Anna Arndt", "Ben Schreiber"]);
        check(
            "Par Anne Auteur, Benoît Écrivain et Chloé Plume",
            &["Anne Auteur", "Benoît Écrivain", "Chloé Plume"],
        );
        check("Por: Ana Autora y Benito Pluma", &["Ana Autora", "Benito Pluma"]);
        check("Автор: Анна Петрова", &["Анна Петрова"]);
        check("Text: Anna Arndt", &["Anna Arndt"]);
        check("记者 王小明、李明", &["王小明", "李明"]);
        check("作者：王小明", &["王小明"]);
        check("文/王小明 李明", &["王小明", "李明"]);
        check("구현모 기자", &["구현모"]);
        check("Dylan Doe, MS, RD", &["Dylan Doe"]);
        check("Ann Archer (Reuters)", &["Ann Archer"]);
        check("Ann Archer, AP", &["Ann Archer", "AP"]);
        check("ann@n.example (Ann Archer)", &["Ann Archer"]);
        check("Ann Archer, Senior Editor", &["Ann Archer"]);
        check("Ann Archer Senior Editor", &["Ann Archer"]);
        check("https://n.example/author/ann", &[]);
        check("ann@n.example", &[]);
        check("@ann", &[]);
        check("Daily Example", &["Daily Example"]);
        check("admin", &[]);
        check("Byron Bay", &["Byron Bay"]);
        check("Vonda Smith", &["Vonda Smith"]);
        check("20 November 2026", &[]);
        check("", &[]);
    }

    #[test]
    fn printed_bylines() {
        let check = |printed: &str, expect: &[&str]| check(Voice::Line, printed, expect);
        check("By Ann Archer", &["Ann Archer"]);
        check("By Ann Archer, Senior Editor", &["Ann Archer"]);
        check("By Ann Archer in London", &["Ann Archer"]);
        check("By Ann Archer May 20, 2026", &["Ann Archer"]);
        check("Von Anna von Arndt, 20. November 2026", &["Anna von Arndt"]);
        check("By Ann Archer | Reviewed by Ben Doctor", &["Ann Archer"]);
        check("Written by Ann Archer, fact checked by Ben Checker", &["Ann Archer"]);
        check("By then it was late", &[]);
        check("By the way", &[]);
        check("By Ann", &[]);
        check("Par exemple", &[]);
        check("Da Rom", &[]);
        check("As Plants Could Open", &[]);
        check("By 20 November 2026", &[]);
        check("By Ann Archer, Program Chair", &["Ann Archer"]);
        check("By Ann Archer | Contributions from Ben Wright", &["Ann Archer"]);
        check("By Plants Opened”", &[]);
        check("作者 王小明", &["王小明"]);
        check("作者 最新", &[]);
        check(&format!("By Ann Archer {}", "who wrote of plants ".repeat(4)), &[]);
    }

    #[test]
    fn marked_bylines() {
        let check = |printed: &str, expect: &[&str]| check(Voice::Marked, printed, expect);
        check("Posted by AnnArcher", &["AnnArcher"]);
        check("AnnArcher", &[]);
        check("By Ann Archer, Candidate Representative", &["Ann Archer"]);
    }

    #[test]
    fn lines_that_sign() {
        let check = |line: &str, expect: bool| assert_eq!(signs(line), expect, "{line}");
        check("Written by Ann Archer", true);
        check("Written by:", true);
        check("Author(s)", true);
        check("By Ann Archer", false);
        check("Plants open", false);
    }

    proptest! {
        #[test]
        fn what_introduces_may_do_so(
            before in "[ \u{AD}(–]{0,2}",
            by in 0usize..100,
            hidden in "\u{AD}?",
            line in "\\PC{0,12}",
        ) {
            let by = BY[by % BY.len()];
            let (head, tail) = by.split_at(by.chars().next().map_or(0, char::len_utf8));
            for line in [format!("{before}{head}{hidden}{tail} {line}"), format!("{before}{line}")] {
                let read = plain(&line);
                if introduces(&read) || is_by(&read) || signs(&read) {
                    prop_assert!(may_introduce(&line), "{}", line);
                }
            }
        }

        #[test]
        fn never_panics(printed in "\\PC{0,80}") {
            for voice in [Voice::Line, Voice::Marked, Voice::Linked, Voice::Told] {
                names(&printed, &[], voice);
            }
        }
    }
}
