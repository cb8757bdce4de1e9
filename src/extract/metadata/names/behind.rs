//! What stands behind a person's name in a byline, and is no further name: what somebody is, for whom somebody writes,
//! where, and when it was printed. Must not know where a byline stands.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::person::{bare, is_company, is_degree, is_outlet, is_role};
use crate::extract::metadata::sections::is_section;
use crate::extract::metadata::words::{
    BEATS, DESK, NOBODY, OF_OUTLETS, OFFICES, OUTLETS, PARTICLES, PLACES, PRINTED,
};
use crate::model::agency::AGENCIES;

/// A longer text, in bytes, is no list of names.
const MOST: usize = 2_000;

/// How a part stands behind a person.
#[derive(Clone, Copy, Default)]
pub(super) struct Behind {
    /// Joined by a word such as "and", behind which only what is surely no name is none.
    pub joined: bool,
    /// The first name is of two words or more.
    pub whole: bool,
    /// All parts are a list of names, the last of them joined by a word.
    pub listed: bool,
}

/// Is a part behind a person an office, a place, an agency, an outlet?
pub(super) fn is_no_name(part: &str, behind: Behind) -> bool {
    let Behind { joined, whole, listed } = behind;
    let part = part.trim_matches(|c: char| !c.is_alphanumeric());
    let mut words = part.split_whitespace().map(bare);
    let (Some(first), last) = (words.next(), words.next_back()) else { return false };
    let middle = words.next();
    let is_office =
        |word: &str| is_role(word) && !matches!(word, "head" | "lead" | "chair" | "guest");
    // Some persons are called as offices and outlets are: "Ben Fellow", "Emily Post".
    let named = (joined || listed)
        && middle.is_none()
        && !BEATS.contains(first.as_str())
        && !OF_OUTLETS.contains(&first.as_str())
        && !is_role(&first);
    let of_several = |word: String| {
        let sure = OUTLETS[0].contains(&word.as_str());
        sure || !joined && !named && OUTLETS[1].contains(&word.as_str())
    };
    let Some(last) = last else {
        let cased = part.chars().any(|c| c.is_lowercase() || c.is_uppercase());
        // "Ann Archer and others".
        let small = whole && part.starts_with(char::is_lowercase);
        return is_agency(part) || is_office(&first) || small || !joined && whole && cased;
    };
    // "St John" is a first name as well as a place.
    let saint = first == "st" && middle.is_some() || first == "abu" && last != "dhabi";
    is_agency(part)
        || first == "the"
        || is_office(&last)
        || !named && OFFICES.contains(&last.as_str())
        || part.split_whitespace().map(bare).any(of_several)
        || !joined && PLACES.contains(&first.as_str()) && !saint
}

/// Does a part name an agency? With what else the agency's name may stand before, if it is short or some people's first
/// name: "AP White House", but neither "AP Singh" nor "Hina Khan".
pub(in crate::extract::metadata) fn is_agency(part: &str) -> bool {
    let behind = |name: &str, same: fn(&str, &str) -> bool| {
        let (head, tail) = part.split_at_checked(name.len())?;
        let ends = tail.chars().next().is_none_or(|c| !c.is_alphanumeric());
        (ends && same(head, name)).then_some(tail)
    };
    let full = |name: &&str| behind(name, |a, b| a.eq_ignore_ascii_case(b)).is_some();
    let cased = |name: &&str| {
        behind(name, |a, b| a == b).is_some_and(|tail| {
            let mut words = tail.split_whitespace().map(bare).filter(|word| !word.is_empty());
            name.eq_ignore_ascii_case("reuters") || words.all(|word| is_of_desk(&word))
        })
    };
    let Some(first) = part.bytes().next() else { return false };
    let named = NAMED.get(&first.to_ascii_lowercase());
    named.is_some_and(|named| named.full.iter().any(full) || named.cased.iter().any(cased))
}

/// Names of agencies that begin with one byte.
#[derive(Default)]
struct Named {
    full: Vec<&'static str>,
    cased: Vec<&'static str>,
}

/// By that byte, in lower case: most begin with another than a text.
static NAMED: LazyLock<HashMap<u8, Named, FixedState>> = LazyLock::new(|| {
    let mut all: HashMap<u8, Named, FixedState> = HashMap::default();
    let first = |name: &str| name.bytes().next().unwrap_or_default().to_ascii_lowercase();
    for agency in AGENCIES {
        for name in agency.full {
            all.entry(first(name)).or_default().full.push(name);
        }
        for name in agency.cased() {
            all.entry(first(name)).or_default().cased.push(name);
        }
    }
    all
});

/// Is a word in lower case of outlets, offices or what they write of?
fn is_of_desk(word: &str) -> bool {
    OUTLETS.iter().any(|words| words.contains(&word))
        || OFFICES.contains(&word)
        || BEATS.contains(word)
        || DESK.contains(word)
        || is_role(word)
        || matches!(word, "white" | "house" | "press" | "photo" | "capitol" | "campaign")
        || NAMED
            .get(&word.bytes().next().unwrap_or_default())
            .is_some_and(|named| named.cased.iter().any(|name| name.eq_ignore_ascii_case(word)))
}

/// A name before a date without what says that it was printed then: "Jane Miller On", "Jeanne Dupont Publié le". `dated`:
/// the date stands right behind it ("Jeanne Dupont le").
pub(super) fn before_printed(name: &str, dated: bool) -> &str {
    let mut rest = name;
    let mut cut = false;
    while let Some((head, last)) = rest.rsplit_once(' ') {
        let word = bare(last);
        let article = matches!(last, "le" | "el" | "il" | "am" | "em" | "den");
        let before = head.rsplit(' ').next().map(bare).unwrap_or_default();
        let printed = PRINTED.contains(&word.as_str()) || cut && word == "last";
        let bare = dated && rest.len() == name.len() && head.contains(' ');
        if !(printed || article && (bare || PRINTED.contains(&before.as_str()))) {
            break;
        }
        cut = true;
        rest = head.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '.');
    }
    rest
}

/// A name without for whom somebody else wrote: "Ann Archer" of "Ann Archer — Special to the Herald".
pub(super) fn before_special(part: &str) -> &str {
    const SPECIAL: [&str; 2] = ["special to ", "special for "];
    let lower = part.to_ascii_lowercase();
    let begins = |at: usize| at == 0 || part[..at].ends_with(' ');
    let at = SPECIAL.iter().find_map(|special| lower.find(special).filter(|&at| begins(at)));
    at.map_or(part, |at| part[..at].trim_end())
}

/// A name of several words without what a dash parts from it: "Marta Faria" of "Marta Faria — Rio de Janeiro".
pub(super) fn before_dash(part: &str) -> &str {
    let dash = [" — ", " – ", " - "].iter().filter_map(|dash| part.find(dash)).min();
    dash.map(|at| part[..at].trim()).filter(|name| name.contains(' ')).unwrap_or(part)
}

/// What signs before a place in Chinese, without brackets around both: "周曉棠" of "周曉棠/台北報導】".
pub(super) fn before_report(signed: &str) -> &str {
    const PLACE: usize = 12;
    let signed = signed.trim_end_matches(['】', '〕', '］', ' ']);
    let reports = ["報導", "报导", "报道", "報道"].iter().any(|end| signed.ends_with(end));
    let place = signed.rsplit_once(['/', '／', '╱']).filter(|_| reports);
    let place = place.filter(|(_, place)| place.chars().count() <= PLACE);
    place.map_or(signed, |(names, _)| names.trim_end())
}

/// A name without the words behind the end of a sentence: "Ann Archer. Date" of "Ann Archer. Date: May 20".
pub(super) fn before_sentence(name: &str) -> &str {
    let end = name.match_indices(". ").map(|(at, _)| &name[..at]).find(|head| {
        let last = head.rsplit(' ').next().unwrap_or_default();
        last.len() < head.len() && last.chars().count() > 4 && !last.contains('.')
    });
    end.unwrap_or(name)
}

/// Is it where somebody writes from: "in Paris", "à Rio de Janeiro"?
pub(super) fn is_from(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let named = |word: &str| {
        word.starts_with(char::is_uppercase)
            || matches!(word, "de" | "do" | "da" | "del" | "am" | "la")
    };
    words.next().is_some_and(|word| matches!(word, "in" | "à" | "en"))
        && (1..=4).contains(&words.clone().count())
        && words.all(named)
}

/// A name that machines are told as libraries write it, the family name first, turned round: "Archer, Ann B."; several
/// with semicolons between them, too. Where libraries are not told (`sure`), an initial, a particle or a semicolon
/// has to show that it is so written: "Bild, Sport" and "Anna, Ben" are two.
pub(in crate::extract::metadata) fn turned<'t>(
    told: &'t str,
    outlets: &[String],
    sure: bool,
) -> Cow<'t, str> {
    if told.len() > MOST || !told.contains(',') {
        return told.into();
    }
    let sure = sure || told.trim_end_matches(';').contains(';');
    let parts = told.split(';').map(str::trim).filter(|part| !part.is_empty());
    let turned: Option<Vec<String>> = parts.map(|part| turned_one(part, outlets, sure)).collect();
    turned.map_or(told.into(), |names| names.join("; ").into())
}

fn turned_one(told: &str, outlets: &[String], sure: bool) -> Option<String> {
    let (family, given) = told.split_once(',')?;
    let (family, given) = (family.trim(), given.trim());
    let capital = |word: &str| word.starts_with(char::is_uppercase);
    let mut particles = family.split(' ');
    let last = particles.next_back()?;
    let is_initial =
        |word: &str| word.chars().filter(|c| c.is_alphabetic()).count() == 1 && capital(word);
    let shown = family != last || given.split(' ').any(is_initial);
    let named = (sure || shown)
        && capital(last)
        && particles.all(|word| PARTICLES.contains(word))
        && (1..=3).contains(&given.split(' ').count())
        && given.split(' ').all(capital)
        && !format!("{family}{given}")
            .contains(|c: char| !c.is_alphabetic() && !" .-'’".contains(c));
    let lower = last.to_lowercase();
    let place = |text: &str| {
        let first = text.split(' ').next().unwrap_or_default().to_lowercase();
        PLACES.contains(&first.as_str())
    };
    let no_part = |text: &str| is_outlet(text, outlets) || is_section(text) || place(text);
    // Libraries know people who are called as places and sections are: "West, Ann", "Page, Ben".
    let other = !(sure && family == last) && no_part(family)
        || is_outlet(family, outlets)
        || no_part(given)
        || is_degree(given) && !(sure && given.split(' ').all(is_initial))
        || is_company(told)
        || is_no_name(given, Behind::default())
        || is_agency(last)
        || is_role(&lower)
        || OUTLETS[0].contains(&lower.as_str())
        || DESK.contains(lower.as_str())
        || NOBODY.contains(&lower.as_str());
    (named && !other).then(|| format!("{given} {family}"))
}
