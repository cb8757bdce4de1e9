//! Names out of strings that publishers print as authors: persons, desks, or nothing. Must not know
//! the tree.

use super::dates;
use super::text::{plain, squash};

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
    /// No person but the outlet or one of its desks.
    pub desk: bool,
}

/// "By" in the languages of the press, in lower case; what follows is a name.
const BY: &[&str] = &[
    "posted by",
    "written by",
    "reported by",
    "published by",
    "story by",
    "words by",
    "article by",
    "by",
    "von",
    "geschrieben von",
    "verfasst von",
    "veröffentlicht von",
    "ein beitrag von",
    "par",
    "écrit par",
    "publié par",
    "propos recueillis par",
    "por",
    "escrito por",
    "publicado por",
    "di",
    "a cura di",
    "scritto da",
    "pubblicato da",
    "da",
    "door",
    "geschreven door",
    "av",
    "af",
    "skrevet av",
    "skrevet af",
    "avtor",
    "autor",
    "autorka",
    "author",
    "authors",
    "auteur",
    "autore",
    "автор",
    "авторы",
    "текст",
    "text",
    "tekst",
    "oleh",
    "penulis",
    "yazan",
    "przez",
    "od",
    "szerző",
    "írta",
    "του",
    "της",
    "بقلم",
    "كتب",
    "本报记者",
    "记者",
    "記者",
    "作者",
    "文/",
    "文／",
    "文｜",
    "文",
    "撰文",
    "筆者",
    "writer",
    "name",
];
/// Words that part two names.
const AND: &[&str] = &[
    " and ", " AND ", " und ", " et ", " y ", " e ", " en ", " och ", " og ", " i ", " и ", " та ",
    " ja ", " ve ", " dan ", " & ", ";", "|", " · ", "、", " / ", " with ", " • ",
];
/// Words of lower case within names.
const PARTICLES: &[&str] = &[
    "de", "del", "della", "di", "da", "do", "dos", "das", "du", "des", "van", "von", "vom", "der",
    "den", "ter", "ten", "zu", "zur", "la", "le", "el", "al", "bin", "bint", "ibn", "y", "e", "af",
    "av", "st", "und",
];
/// What is printed where an author belongs, but is none.
const NOBODY: &[&str] = &[
    "admin",
    "administrator",
    "editor",
    "staff",
    "author",
    "authors",
    "unknown",
    "anonymous",
    "redaktion",
    "editorial",
    "webmaster",
    "guest",
    "null",
    "none",
    "undefined",
    "news",
    "true",
    "false",
    "contributor",
    "default",
    "user",
    "super user",
    "about the author",
];
/// What others did for an article; names behind it wrote nothing of it.
const OTHERS: &[&str] = &[
    "reviewed by",
    "medically reviewed",
    "fact checked",
    "fact-checked",
    "checked by",
    "edited by",
    "photos by",
    "photo by",
    "photography by",
    "photographs by",
    "illustration by",
    "illustrations by",
    "illustrated by",
    "translated by",
    "presented by",
    "sponsored by",
    "updated by",
    "narrated by",
    "produced by",
    "hosted by",
    "recommended by",
    "übersetzt von",
    "fotos von",
    "foto:",
    "fotos:",
    "photo:",
    "photos:",
];
/// Parts of the names of desks, one word each, in lower case.
const DESK: &[&str] = &[
    "staff",
    "team",
    "desk",
    "editors",
    "editorial",
    "newsroom",
    "newsdesk",
    "redaktion",
    "onlineredaktion",
    "redactie",
    "redazione",
    "redacción",
    "redacao",
    "redação",
    "rédaction",
    "redakcja",
    "redakce",
    "redaksjonen",
    "redaktionen",
    "редакция",
    "редакція",
    "agencies",
    "agenturen",
    "編集部",
];
/// What a person is beside a name, one word each, in lower case.
const ROLES: &[&str] = &[
    "editor", "editor-in-chief", "writer", "reporter", "contributor", "correspondent", "columnist", "journalist",
    "author", "producer", "manager", "director", "founder", "co-founder", "cofounder", "ceo", "cto", "coo", "cmo",
    "president", "senior", "chief", "associate", "assistant", "freelance", "freelancer", "managing", "executive",
    "deputy", "guest", "professor", "analyst", "specialist", "expert", "consultant", "strategist", "blogger",
    "publisher", "photographer", "redakteur", "redakteurin", "journalistin", "autorin", "korrespondent",
    "korrespondentin", "reporterin", "volontär", "volontärin", "chefredakteur", "chefredakteurin", "ressortleiter",
    "journaliste", "rédacteur", "rédactrice", "redactor", "redactora", "periodista", "giornalista", "redattore",
    "dziennikarz", "journaliste", "toimittaja", "muhabir", "wartawan", "head", "lead",
];
/// Words that are in no name but in much that stands where names do, in lower case.
const NEVER: &[&str] = &[
    "about", "above", "add", "advertisement", "all", "also", "an", "archive", "are", "article", "articles", "ask",
    "back", "bio", "biography", "blog", "browse", "categories", "category", "check", "click", "comment",
    "comments", "contact", "content", "contents", "cookie", "credit", "disclosure", "download", "email", "enable", "facebook", "find",
    "follow", "for", "from", "full", "get", "getty", "guide", "here", "home", "how", "if", "image", "images", "in", "info",
    "instagram", "is", "it", "its", "join", "last", "latest", "leave", "linkedin", "log", "login", "menu", "min",
    "minute", "minutes", "more", "my", "new", "news", "newsletter", "next", "no", "not", "of", "on", "our", "photo", "photos",
    "popular", "privacy", "published", "related", "reply", "search", "see", "share", "sign", "skip", "subscribe",
    "table", "tags", "terms", "the", "this", "to", "twitter", "updated", "view", "was", "we", "what", "when",
];

/// The names in a printed string, each once, in order: without "by", roles, degrees, dates and
/// addresses. `outlets` are the outlet's own names, squashed.
pub(super) fn names(printed: &str, outlets: &[String], voice: Voice) -> Vec<Name> {
    let mut found: Vec<Name> = Vec::new();
    let text = plain(printed);
    let mut rest = strip_by(before_others(&text));
    if voice < Voice::Told {
        rest = before_prose(rest);
    }
    for part in split(rest) {
        match name(part, outlets, voice) {
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
    }
    found
}

/// Does a line of its own open with "by" and hold little more than a name?
pub(super) fn introduces(line: &str) -> bool {
    line.len() <= 240 && strip_by(line).len() < line.len() && !is_by(line)
}

/// Is a line nothing but "by"?
pub(super) fn is_by(line: &str) -> bool {
    let line = line.trim_matches(|c: char| !c.is_alphanumeric());
    line.len() <= 40 && BY.iter().any(|by| eq_lower(line, by))
}

fn eq_lower(text: &str, lower: &str) -> bool {
    text.chars().flat_map(char::to_lowercase).eq(lower.chars())
}

fn strip_by(text: &str) -> &str {
    let mut rest = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    for _ in 0..2 {
        let cut = BY.iter().filter_map(|by| behind(rest, by)).min_by_key(|tail| tail.len());
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
    let ends = tail.starts_with([' ', ':', '：', '\u{A0}', '/', '｜'])
        || by.chars().all(|c| ('\u{2E80}'..='\u{FFEF}').contains(&c));
    let tail = tail.trim_start_matches([' ', ':', '：', '\u{A0}', '-', '/', '｜', '•']);
    (ends && !tail.is_empty()).then_some(tail)
}

fn before_others(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let end = OTHERS.iter().filter_map(|other| lower.find(other)).min();
    end.map_or(text, |end| &text[..end])
}

/// What precedes the first word that is in no name: a date, a verb, a word of lower case.
fn before_prose(text: &str) -> &str {
    let mut end = 0;
    let mut last = "";
    let mut dated = false;
    for word in text.split(' ') {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let core = word.trim_matches(|c: char| !c.is_alphanumeric());
        let digits = core.bytes().any(|b| b.is_ascii_digit()) && at > 0;
        let small = core.chars().next().is_some_and(char::is_lowercase) && at > 0;
        let joins = || PARTICLES.contains(&core) || AND.iter().any(|and| and.trim() == core);
        let foreign = core.contains('\'') || core.contains('’') || core.contains('-');
        if digits || small && !joins() && !foreign {
            dated = digits;
            break;
        }
        end = at + word.len();
        last = core;
    }
    let kept = &text[..end];
    if dated && dates::names_month(last) {
        return kept[..last.as_ptr() as usize - text.as_ptr() as usize].trim_end();
    }
    kept
}

fn split(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for and in AND.iter().copied() {
        parts = parts.iter().flat_map(|p| p.split(and)).collect();
    }
    parts = parts.iter().flat_map(|p| p.split([',', '，'])).map(str::trim).collect();
    // Names of ideographs are parted by blanks.
    let spaceless = |p: &&str| p.chars().all(|c| is_ideograph(c) || c == ' ');
    if parts.iter().all(|p| spaceless(&p)) {
        parts = parts.iter().flat_map(|p| p.split(' ')).collect();
    }
    parts.retain(|p| !p.is_empty());
    parts
}

/// Does it stand beside names: a role, a degree, an address?
fn is_beside(part: &str) -> bool {
    let lower = part.to_lowercase();
    is_degree(part)
        || part.starts_with('@')
        || part.contains('@')
        || lower.split_whitespace().any(|w| ROLES.contains(&w) || w == "staff")
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
                || matches!(c, '.' | ':' | '-' | '–' | '—' | '*' | '"' | '@' | '•' | '/' | '|' | '·' | ',')
        })
        .to_owned()
    };
    if part.starts_with('@') {
        return None;
    }
    let part = trim(strip_by(part));
    let part = without_journalist(&part);
    let squashed = squash(part);
    let own = outlets.contains(&squashed);
    if own {
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
        || is_degree(part);
    if unlikely {
        return None;
    }
    let desk = lower.split_whitespace().any(|w| DESK.contains(&w));
    (voice == Voice::Told || desk || is_person(part, voice))
        .then(|| Name { text: part.to_owned(), desk })
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
        ROLES.contains(&word.as_str())
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
    if letters().all(is_ideograph) {
        return (2..=4).contains(&letters().count());
    }
    let words: Vec<&str> = part.split_whitespace().collect();
    let known = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        NEVER.contains(&word.as_str()) || ROLES.contains(&word.as_str())
    };
    let odd = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '\'' | '’' | '-' | '‐' | '‘' | ' ') || ('\u{300}'..='\u{36F}').contains(&c));
    if words.iter().any(known) || part.chars().any(|c| c.is_ascii_digit() || (odd(c) && c.is_ascii())) {
        return false;
    }
    let cased = letters().any(|c| c.is_lowercase() || c.is_uppercase());
    let small = |word: &str| word.chars().next().is_some_and(char::is_lowercase);
    let named = words.iter().filter(|w| !small(w)).count();
    let least = if voice >= Voice::Linked { 1 } else { 2 };
    if !cased {
        return (least..=4).contains(&words.len());
    }
    let particles = words.iter().filter(|w| small(w)).all(|w| {
        PARTICLES.contains(w) || w.contains('\'') || w.contains('’') || w.contains('-')
    });
    particles && (least..=4).contains(&named) && words.len() <= 6
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

/// Degrees behind a comma: mostly capitals and short.
fn is_degree(part: &str) -> bool {
    const AGENCIES: [&str; 18] = [
        "AP", "AFP", "DPA", "APA", "SID", "EFE", "TASS", "ANSA", "NTB", "TT", "PA", "AAP", "UPI", "ANI", "PTI",
        "KNA", "EPD", "STA",
    ];
    if matches!(squash(part).as_str(), "phd" | "mph" | "msc" | "esq" | "jr" | "sr" | "dipling" | "pharmd") {
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
        check("By Ann Author", &["Ann Author"]);
        check("BY ANN AUTHOR AND BEN WRITER", &["ANN AUTHOR", "BEN WRITER"]);
        check("Von Anna Autorin und Ben Schreiber", &["Anna Autorin", "Ben Schreiber"]);
        check(
            "Par Anne Auteur, Benoît Écrivain et Chloé Plume",
            &["Anne Auteur", "Benoît Écrivain", "Chloé Plume"],
        );
        check("Por: Ana Autora y Benito Pluma", &["Ana Autora", "Benito Pluma"]);
        check("Автор: Анна Петрова", &["Анна Петрова"]);
        check("Text: Anna Autorin", &["Anna Autorin"]);
        check("记者 王小明、李明", &["王小明", "李明"]);
        check("作者：王小明", &["王小明"]);
        check("文/王小明 李明", &["王小明", "李明"]);
        check("구현모 기자", &["구현모"]);
        check("Dylan Doe, MS, RD", &["Dylan Doe"]);
        check("Ann Author (Reuters)", &["Ann Author"]);
        check("Ann Author, AP", &["Ann Author", "AP"]);
        check("ann@n.example (Ann Author)", &["Ann Author"]);
        check("Ann Author, Senior Editor", &["Ann Author", "Senior Editor"]);
        check("Ann Author Senior Editor", &["Ann Author"]);
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
        check("By Ann Author", &["Ann Author"]);
        check("By Ann Author, Senior Editor", &["Ann Author"]);
        check("By Ann Author in London", &["Ann Author"]);
        check("By Ann Author May 20, 2026", &["Ann Author"]);
        check("Von Anna von Autor, 20. November 2026", &["Anna von Autor"]);
        check("By Ann Author | Reviewed by Ben Doctor", &["Ann Author"]);
        check("Written by Ann Author, fact checked by Ben Checker", &["Ann Author"]);
        check("By then it was late", &[]);
        check("By the way", &[]);
        check("By Ann", &[]);
        check("Par exemple", &[]);
        check("Da Rom", &[]);
        check("By Market Value", &["Market Value"]);
    }

    proptest! {
        #[test]
        fn never_panics(printed in "\\PC{0,80}") {
            for voice in [Voice::Line, Voice::Marked, Voice::Linked, Voice::Told] {
                names(&printed, &[], voice);
            }
        }
    }
}
