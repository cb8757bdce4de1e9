//! Names out of strings that publishers print as authors: persons, desks, or nothing. Must not know
//! the tree.

mod behind;
mod by;
mod form;
mod person;

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::dates;
use super::text::{Needles, is_ideograph, plain, squash};
use super::words::{DEGREES, DESK, NOBODY, OTHERS, OUTLETS, PARTICLES, ROLES, SHORT_DEGREES};
use behind::{
    Behind, before_dash, before_printed, before_report, before_sentence, before_special, is_from,
    is_no_name,
};
pub(super) use behind::{is_agency, turned};
use by::{behind_bar, opening, strip_by};
pub(super) use by::{behind_by, introduces, is_by, may_introduce, signs};
pub(super) use form::in_parentheses;
use form::signed_by_form;
use person::{
    ends_as_desk, is_company, is_degree, is_hangul_name, is_host, is_outlet, is_person, is_portal,
    is_title, without_affiliation, without_beat, without_journalist, without_roles,
};
pub(super) use person::{may_be_handle, tells_role};

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
    /// Written as names of persons are.
    pub person: bool,
}

/// A text that is longer, in characters, is no byline.
const LONGEST: usize = 160;
/// Parts of a text that are read.
const PARTS: usize = 200;
/// So many words of prose may follow a name.
const PROSE: usize = 6;
/// Words that part two names.
const AND: &[&str] = &[
    " and ", " AND ", " und ", " et ", " y ", " e ", " en ", " och ", " og ", " i ", " и ", " та ",
    " ja ", " ve ", " dan ", " & ", ";", "|", " · ", "、", " / ", "／", " with ", " • ",
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
    if voice < Voice::Told
        && let Some(signed) = signed_by_form(printed).or_else(|| signed_by_form(&text))
    {
        let person = |text| Name { text, desk: false, person: true };
        return signed.into_iter().map(person).collect();
    }
    let printed = match voice {
        Voice::Told => printed,
        _ => {
            let person = |name: &Name| name.person && !name.desk && name.text.contains(' ');
            let signed = behind_bar(printed);
            let signed = signed.filter(|rest| names(rest, outlets, voice).iter().any(person));
            signed.unwrap_or(printed)
        }
    };
    let signed = strip_by(printed);
    let by = introduces(printed);
    // Behind "by", one word may be a name, too.
    let first = match voice {
        Voice::Marked if signed.len() < printed.len() => Voice::Linked,
        voice => voice,
    };
    let signed = before_report(signed);
    let (mut charge, mut placed) = (false, false);
    let mut end = 0;
    let parts = split(signed);
    let listed = is_series(signed, &parts);
    for (at, part) in parts.into_iter().take(PARTS).enumerate() {
        if !found.is_empty() && AND.iter().any(|and| and.trim() == part) {
            continue;
        }
        let start = part.as_ptr() as usize - signed.as_ptr() as usize;
        let between = &signed[end.min(start)..start];
        let joined = between.contains(|c: char| c.is_alphabetic() || c == '&');
        // Behind a bar of a line stands anything.
        let bar = voice == Voice::Line && between.contains(['|', '·', '•']);
        if bar && found.iter().any(|name| name.person) {
            break;
        }
        end = start + part.len();
        let voice = if at == 0 { first } else { voice };
        let part = match before_special(if by { before_dash(part) } else { part }) {
            "" if found.is_empty() => part,
            "" => continue,
            part => part,
        };
        // What somebody is stands behind the name, and may be of two parts: "Head of Sales and Service".
        let role = at > 0 && !found.is_empty() && tells_role(part);
        let of_role = std::mem::replace(&mut charge, role && part.contains(" of "));
        if role || of_role && voice < Voice::Told {
            continue;
        }
        let whole = || found.first().is_some_and(|first| first.text.contains(' '));
        if found.first().is_some_and(|first| first.person || first.desk)
            && is_no_name(part, Behind { joined, whole: whole(), listed })
        {
            continue;
        }
        let (head, behind) = if voice < Voice::Told { before_prose(part) } else { (part, 0) };
        if behind > PROSE {
            break;
        }
        let from = behind > 0 && is_from(part[head.len()..].trim());
        // Behind a place there may be another: a name is it only with a place of its own.
        if placed && !from {
            continue;
        }
        let head = match part[head.len()..].trim_start() {
            _ if behind == 0 => head,
            // "Ann Archer Education correspondent".
            tail if tells_role(tail.split(' ').next().unwrap_or_default()) => without_beat(head),
            tail => before_printed(head, tail.starts_with(|c: char| c.is_ascii_digit())),
        };
        match name(head, outlets, voice, by) {
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
            None if voice < Voice::Told && (from || !is_beside(part)) => break,
            None => {}
        }
        if behind > 0 && !from && !found.is_empty() {
            break;
        }
        placed |= from;
    }
    if voice == Voice::Told && is_portal(printed) {
        found.iter_mut().for_each(|name| (name.desk, name.person) = (true, false));
    }
    found
}

/// An organisation that machines are told, whole: what joins names may be within its own.
pub(super) fn organisation(printed: &str, outlets: &[String]) -> Option<Name> {
    let text = plain(printed);
    let whole = name(&text, outlets, Voice::Told, false)?;
    Some(Name { desk: true, ..whole })
}

/// Do degrees stand behind a name in a line that nothing but people have, or two others?
pub(super) fn has_degree(line: &str) -> bool {
    let parts = line.split([',', ';']).skip(1).map(|part| {
        let part = part.trim();
        squash(part.split(" (").next().unwrap_or_default())
    });
    let parts: Vec<String> = parts.collect();
    let among = |known: &[&str]| parts.iter().filter(|part| known.contains(&part.as_str())).count();
    among(&DEGREES) > 0 || among(&SHORT_DEGREES) > 1
}

/// A line without the degrees behind its names: "Ann Archer; Ben Wright" of "Ann Archer, DVM; Ben Wright, BA, LVT".
pub(super) fn without_degrees(line: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    for (at, part) in line.split_inclusive([',', ';']).enumerate() {
        let bare = part.trim_end_matches([',', ';']).trim();
        let (degree, more) =
            bare.split_once(" & ").or(bare.split_once(" and ")).unwrap_or((bare, ""));
        let degree = degree.split_once(" (").map_or(degree, |(degree, _)| degree);
        if at == 0 || !is_degree(degree) {
            kept.push_str(part);
            continue;
        }
        kept.truncate(kept.trim_end_matches([',', ' ']).len());
        if !more.is_empty() {
            kept.push_str(" & ");
            kept.push_str(more);
        }
        kept.extend(part.chars().last().filter(|end| matches!(end, ',' | ';')));
    }
    let kept = kept.trim_end_matches([',', ';', ' ']);
    if kept.len() < line.trim_end().len() { kept.to_owned().into() } else { line.into() }
}

/// Do several names make a list: three or more, or two with a word between them? A comma alone may stand before
/// a place, an office or an outlet.
pub(super) fn is_list(line: &str, named: &[Name]) -> bool {
    if signed_by_form(line).is_some() {
        return named.len() > 1;
    }
    let (mut rest, mut words) = (line, named.len() > 2);
    for (at, name) in named.iter().enumerate() {
        let Some((before, behind)) = rest.split_once(name.text.as_str()) else { return false };
        let between = before.trim_matches(|c: char| c == ' ' || c == ',');
        // "Ann Archer in Paris and Ben Wright in London".
        let between = match between.rsplit_once(' ') {
            Some((place, and)) if is_from(place) => and,
            _ => between,
        };
        let joins = between == "/" || AND.iter().any(|and| and.trim() == between);
        if at > 0 && !joins && !between.is_empty() {
            return false;
        }
        if at > 0 && matches!(between, "|" | "·" | "•") {
            return false;
        }
        words |= at > 0 && joins;
        rest = behind;
    }
    words
}

/// Is all that stands behind a name what somebody is, or for whom somebody writes: ", CTV Bureau Chief"?
pub(super) fn tells_office(behind: &str) -> bool {
    let parts = behind.split([',', ';', '|', '/']).map(str::trim).filter(|part| !part.is_empty());
    tells_role(behind)
        || behind.starts_with(',') && parts.clone().all(|part| is_no_name(part, Behind::default()))
}

/// Is what stands behind a name a degree, an office or a time, and behind a comma for whom: ", Engineer, Valley Works"?
pub(super) fn tells_more(behind: &str) -> bool {
    let is_time = |word: &str| {
        word.contains(|c: char| c.is_ascii_digit()) || matches!(word, "at" | "on" | "AM" | "PM")
    };
    let mut parts = behind.split(',').map(str::trim).filter(|part| !part.is_empty());
    let first = parts.next().is_some_and(|part| {
        is_degree(part) || is_no_name(part, Behind::default()) || part.split(' ').all(is_time)
    });
    first && parts.all(|part| part.starts_with(char::is_uppercase))
}

/// Has a name a word of outlets that some persons have as well: "Valley Press"?
pub(super) fn may_be_outlet(name: &str) -> bool {
    name.contains(' ') && name.split(' ').any(|w| OUTLETS[1].contains(&w.to_lowercase().as_str()))
}

fn before_others(text: &str) -> &str {
    // "Text und Fotos: Anna Arndt" signs both.
    let mut all = others().find_iter(text).peekable();
    let signed = all.peek().map_or(0, |_| opening(text));
    all.find(|other| other.start() >= signed).map_or(text, |other| &text[..other.start()])
}

/// Does a text end by naming somebody else's part ("Reviewed by")?
pub(super) fn is_of_others(line: &str) -> bool {
    const END: usize = 40;
    let bytes = line.as_bytes();
    others().is_match(&bytes[bytes.len().saturating_sub(END)..])
}

/// Is what stands behind the beginning of a line still somebody else's part: "Reviewed by Ann Archer, "?
pub(super) fn goes_on_with_others(before: &str) -> bool {
    let last = others().find_iter(before).last();
    last.is_some_and(|other| !before[other.end()..].split(' ').any(is_by))
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
    static ALL: LazyLock<Needles> = LazyLock::new(|| Needles::new(AND));
    let mut parts = vec![text];
    let within = ALL.within(text);
    for and in (0..).zip(AND).filter(|(at, _)| within >> at & 1 == 1).map(|(_, and)| *and) {
        let joins = |p: &&str| and != " & " || !is_joined(p);
        let split = |p| if joins(&p) { p.split(and).collect() } else { vec![p] };
        parts = parts.iter().copied().flat_map(split).collect();
    }
    parts = parts.iter().flat_map(|p| p.split([',', '，'])).map(str::trim).collect();
    parts = parts.iter().flat_map(|p| at_slash(p)).collect();
    // Names of ideographs are parted by blanks.
    let spaceless = |p: &&str| p.chars().all(|c| is_ideograph(c) || c == ' ');
    if parts.iter().all(spaceless) {
        parts = parts.iter().flat_map(|p| p.split(' ')).collect();
    }
    parts.retain(|p| !p.is_empty());
    parts
}

/// A part of which a slash without blanks joins a name of several words and something else: "Ann Archer/Ben Wright",
/// "Ann Archer/dpa".
fn at_slash(part: &str) -> impl Iterator<Item = &str> {
    let joins = |(head, tail): &(&str, &str)| {
        let is_word = |c: char| c.is_alphabetic() || " .-'’".contains(c);
        let capitals = |word: &str| !word.contains(char::is_lowercase);
        let mut words = head.split(' ').filter(|word| !PARTICLES.contains(word));
        // "PA Sport/Agencies" is no name.
        let alike =
            words.next().is_some_and(|first| words.clone().all(capitals) || !capitals(first));
        alike
            && (1..=2).contains(&words.count())
            && !tail.contains('/')
            && (head.chars().chain(tail.chars())).all(is_word)
    };
    let parts = part.split_once('/').filter(joins);
    let (head, tail) = parts.map_or((part, None), |(head, tail)| (head, Some(tail)));
    std::iter::once(head).chain(tail)
}

/// Are the parts names of two or three words each, with commas between them and a word before the last alone?
fn is_series(text: &str, parts: &[&str]) -> bool {
    let between = |pair: &[&str]| {
        let end = pair[0].as_ptr() as usize - text.as_ptr() as usize + pair[0].len();
        let start = pair[1].as_ptr() as usize - text.as_ptr() as usize;
        text[end..start].trim()
    };
    let count = parts.len();
    count > 2
        && parts.iter().all(|part| (2..=3).contains(&part.split(' ').count()))
        && parts.windows(2).enumerate().all(|(at, pair)| {
            let between = between(pair).trim_start_matches(',').trim_start();
            between.contains(|c: char| c.is_alphabetic() || c == '&') == (at + 2 == count)
        })
}

/// Is a part one name that has "&" in it, as some outlets have: "Mac & i"?
fn is_joined(part: &str) -> bool {
    let mut words = part.split(' ');
    let (Some(_), Some("&"), Some(second), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return false;
    };
    second.starts_with(char::is_lowercase)
        && !PARTICLES.contains(second)
        && !DESK.contains(second)
        && !is_agency(second)
        && !matches!(second, "others" | "red" | "weitere" | "andere" | "autres" | "otros" | "altri")
}

/// Does it stand beside names: a role, a degree, an agency, an address, a date?
fn is_beside(part: &str) -> bool {
    let lower = part.to_lowercase();
    is_degree(part)
        || is_agency(part)
        || part.contains('@')
        || is_by(part)
        || part.bytes().any(|b| b.is_ascii_digit())
        || !part.contains(char::is_alphabetic)
        || dates::names_month(&lower)
        || lower.split_whitespace().any(|w| ROLES.contains(w) || w == "staff")
}

/// `by`: the part stands behind "by".
fn name(part: &str, outlets: &[String], voice: Voice, by: bool) -> Option<Name> {
    let joined;
    let mut of_site = false;
    let part = match part.split_once(['(', '[']) {
        // An address, and whose it is.
        Some((address, name)) if address.contains('@') => name.trim_end_matches([')', ']']),
        // Its address stands behind an outlet.
        Some((before, more)) if more.starts_with("www.") => {
            of_site = true;
            before
        }
        Some((before, more)) => match more.split_once([')', ']']) {
            // Another name amid one: "Ann (Wright) Archer".
            Some((_, last)) if last.trim().starts_with(char::is_uppercase) => {
                joined = format!("{} {}", before.trim(), last.trim());
                &joined
            }
            _ => before,
        },
        None => part,
    };
    let trim = |part: &str| -> String {
        part.trim_matches(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '.' | ':'
                        | ']'
                        | '-'
                        | '–'
                        | '—'
                        | '*'
                        | '"'
                        | '@'
                        | '•'
                        | '/'
                        | '|'
                        | '·'
                        | ','
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
    let signed = part;
    let part = without_journalist(&signed);
    // Whoever is called a journalist needs no family name apart.
    let is_signed = part.len() < signed.len() && is_hangul_name(part);
    let part = if voice < Voice::Told { before_sentence(part) } else { part };
    if is_outlet(part, outlets) {
        let outlet = || Name { text: part.to_owned(), desk: true, person: false };
        return (voice > Voice::Line).then(outlet);
    }
    let part = without_affiliation(without_roles(part));
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
        || is_company(part)
        || is_host(part)
        || is_title(&lower);
    if unlikely {
        return None;
    }
    // "News" is a word of sections, too, but not behind initials.
    let initials = |w: &str| (2..=4).contains(&w.len()) && w.chars().all(char::is_uppercase);
    let signs = lower.split_whitespace().any(|w| DESK.contains(w))
        || lower.ends_with(" news") && part.split(' ').any(initials);
    let outlet = of_site || words > 1 && lower.split(' ').any(|w| OUTLETS[0].contains(&w));
    let desk = signs || outlet || is_agency(part) || ends_as_desk(part);
    let person = is_person(part, if is_signed { voice.max(Voice::Linked) } else { voice }, by);
    // What a system calls its users and fields.
    let machine = part.contains('.') && !part.contains(' ')
        || lower.split(' ').any(|word| word.starts_with("admin"));
    (voice == Voice::Told || signs || person).then(|| Name {
        text: part.to_owned(),
        desk: desk || machine,
        person,
    })
}

#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod tests;
