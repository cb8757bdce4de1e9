//! Is a text a person's name, a role, a degree, the outlet? Must not know where it was printed.

use super::Voice;
use crate::extract::metadata::sections::is_section;
use crate::extract::metadata::text::{is_ideograph, squash};
use crate::extract::metadata::words::{
    ALSO_FIRST, ALSO_FIRST_BY, ALSO_NAMES, ALSO_NAMES_BY, AUTHORITIES, BEATS, DESK, DESK_ENDS,
    KINDS_OF_JOURNALISTS, LEGAL, NEVER, NOBODY, PARTICLES, ROLES, SURNAMES, SURNAMES_OF_KOREA, UI,
};
use crate::model::agency::AGENCIES;
use crate::model::is_public_suffix;

/// Marks that are in no name.
const QUOTES: &[char] = &[
    '“', '”', '„', '«', '»', '《', '》', '「', '」', '『', '』', '【', '】', '（', '）', '：', '…',
];

/// Is it the outlet, with an article before its name, or with a desk or a place behind it?
pub(super) fn is_outlet(part: &str, outlets: &[String]) -> bool {
    let bare = part.split_once(' ').filter(|(the, _)| the.eq_ignore_ascii_case("the"));
    let (first, more) = part.split_once(' ').unwrap_or((part, ""));
    let named = |text: &str| outlets.contains(&squash(text));
    // "네이버" of "네이버 뉴스".
    let of_news = || {
        let key = squash(part);
        let rest = |outlet: &String| {
            outlet.strip_prefix(&key).map(|rest| matches!(rest, "news" | "뉴스" | "ニュース"))
        };
        !key.is_empty() && outlets.iter().any(|outlet| rest(outlet) == Some(true))
    };
    named(part)
        || more.is_empty() && of_news()
        || bare.is_some_and(|(_, part)| named(part))
        // Initials are no first name: "RTL Berlin", "G1 Rio".
        || !more.is_empty()
            && (first.chars().count() >= 3 || first.contains(|c: char| c.is_ascii_digit()))
            && first.chars().all(|c| c.is_uppercase() || c.is_ascii_digit())
            && named(first)
}

/// Is it a company, by its legal form at the end?
pub(super) fn is_company(part: &str) -> bool {
    let last = part.rsplit([' ', '\u{A0}']).next().unwrap_or("");
    let form = last.trim_end_matches([',', ';']);
    part.len() > last.len()
        && (LEGAL.contains(squash(form).as_str())
            || matches!(form, "SA" | "S.A" | "S.A." | "Co" | "AG"))
}

/// Is it the address of a site: "herald.example"?
pub(super) fn is_host(part: &str) -> bool {
    let label = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-');
    let (name, top) = part.rsplit_once('.').unwrap_or((part, ""));
    !name.is_empty()
        && (2..=4).contains(&top.len())
        && (part.chars().all(label) || part.to_ascii_uppercase() == *part && top.len() > 1)
        && top.chars().all(|c| c.is_ascii_alphabetic())
        && is_public_suffix(&top.to_ascii_lowercase())
}

/// A name of two words or more without whom somebody writes for: "ANN ARCHER Associated Press".
pub(super) fn without_affiliation(part: &str) -> &str {
    const FIRST: [&str; 23] = [
        "PA",
        "PhD",
        "Ph.D",
        "Ph.D.",
        "AP",
        "Ap",
        "AFP",
        "CNN",
        "BBC",
        "NBC",
        "CBS",
        "UPI",
        "PTI",
        "CP",
        "DPA",
        "Reuters",
        "Associated",
        "Agence",
        "Postmedia",
        "for",
        "For",
        "--",
        "The",
    ];
    let mut rest = part;
    for (at, word) in part.match_indices(' ').skip(1).map(|(at, _)| (at, &part[at + 1..])) {
        let word = word.split(' ').next().unwrap_or("");
        let core = word.trim_matches(|c: char| matches!(c, ',' | '/' | '(' | ')'));
        if FIRST.contains(&core) || is_host(&core.to_ascii_lowercase()) {
            rest = part[..at].trim_end();
            break;
        }
    }
    rest
}

/// Is one of the first two words what somebody is?
pub(in crate::extract::metadata) fn tells_role(part: &str) -> bool {
    part.split_whitespace()
        .take(2)
        .any(|word| is_role(&word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()))
}

/// Is a word in lower case what somebody is? German joins what of: "Wirtschaftsredakteurin".
pub(super) fn is_role(word: &str) -> bool {
    const ENDS: [&str; 4] = ["redakteur", "korrespondent", "reporter", "journalist"];
    ROLES.contains(word) || {
        let one = word.strip_suffix("in").unwrap_or(word);
        ENDS.iter().any(|end| one.ends_with(end))
    }
}

/// Is it an outlet or a desk by how it ends?
pub(super) fn ends_as_desk(part: &str) -> bool {
    DESK_ENDS.iter().any(|end| part.ends_with(end))
}

/// Is it nothing but what somebody is: "Special Correspondent"?
pub(super) fn is_title(lower: &str) -> bool {
    lower.split_whitespace().all(|word| ROLES.contains(word) || BEATS.contains(word))
        && lower.split_whitespace().any(|word| ROLES.contains(word))
}

/// Without what says "journalist" in East Asia.
pub(super) fn without_journalist(part: &str) -> &str {
    let mut part = part;
    for end in ["기자", "특파원", "記者", "报道", "報導", "报导", "记者"] {
        if let Some(head) = part.strip_suffix(end).map(str::trim_end)
            && !head.is_empty()
        {
            part = head;
        }
    }
    // "김민수 선임기자", "정치부 김민수 기자".
    let kind = |kind: &&str| part.strip_suffix(kind)?.strip_suffix(' ');
    let part = KINDS_OF_JOURNALISTS.iter().find_map(kind).unwrap_or(part);
    match part.rsplit_once(' ') {
        Some((desk, name)) if desk.ends_with('부') && is_hangul_name(name) => name,
        _ => part,
    }
}

/// Is it written as Korean names are, and no agency's, no desk's and no kind of journalist?
pub(super) fn is_hangul_name(part: &str) -> bool {
    let hangul = |c: char| ('\u{AC00}'..='\u{D7A3}').contains(&c);
    // "유시민" is a family name and a given one.
    let is_kind =
        |kind: &&str| part.strip_suffix(kind).is_some_and(|before| before.chars().count() != 1);
    (2..=4).contains(&part.chars().count())
        && part.chars().all(hangul)
        && !KINDS_OF_JOURNALISTS.iter().any(is_kind)
        && !part.ends_with('부')
        && !ends_as_desk(part)
        && !AGENCIES.iter().any(|agency| agency.cased().any(|name| name == part))
}

/// Is it an outlet in Korean, and behind a bar the portal that shows its articles: "연합뉴스 | 네이버"? A person has a family
/// name.
pub(super) fn is_portal(told: &str) -> bool {
    let hangul = |c: char| ('\u{AC00}'..='\u{D7A3}').contains(&c);
    let mut bars = told.split('|').map(str::trim);
    matches!((bars.next(), bars.next(), bars.next()), (Some(_), Some(portal), None)
        if !portal.is_empty() && portal.chars().all(hangul) && !portal.starts_with(|c| SURNAMES_OF_KOREA.contains(c)))
}

/// Without roles before and behind a name of two words or more.
pub(super) fn without_roles(part: &str) -> &str {
    let is_role =
        |word: &str| is_role(&word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    let mut rest = part;
    while let Some((first, tail)) = rest.split_once(' ')
        && is_role(first)
        && tail.contains(' ')
    {
        rest = tail;
    }
    let mut words = rest.split(' ').skip(2);
    match words.find(|word| is_role(word)) {
        Some(role) => {
            without_beat(rest[..role.as_ptr() as usize - rest.as_ptr() as usize].trim_end())
        }
        None => rest,
    }
}

/// Is a word, in lower case, in no name, whatever some people are called?
fn is_in_no_name(word: &str) -> bool {
    NEVER.contains(word) || AUTHORITIES.iter().any(|end| word.ends_with(end))
}

/// May a text be what a system calls somebody?
pub(in crate::extract::metadata) fn may_be_handle(text: &str) -> bool {
    let words = || text.split(' ').map(str::to_lowercase);
    words().count() <= 3
        && text.contains(char::is_alphabetic)
        && !text.contains([':', ',', '!', '?', '@', '／'])
        && !NOBODY.contains(&text.to_lowercase().as_str())
        && !is_section(text)
        && !words().any(|word| {
            let word = word.as_str();
            is_in_no_name(word)
                || DESK.contains(word)
                || ROLES.contains(word)
                || word.starts_with("admin")
        })
}

/// Is it written as names of persons are? `by`: it stands behind "by".
pub(super) fn is_person(part: &str, voice: Voice, by: bool) -> bool {
    let letters = || part.chars().filter(|c| c.is_alphabetic());
    if part.contains(QUOTES) {
        return false;
    }
    if UI.iter().any(|word| part.contains(word)) {
        return false;
    }
    if letters().all(is_ideograph) {
        // Anything may stand near a title; a family name does not often begin it.
        let family = letters().next().is_some_and(|c| SURNAMES.contains(c));
        return (2..=4).contains(&letters().count()) && (family || voice >= Voice::Linked);
    }
    let words: Vec<&str> = part.split_whitespace().collect();
    // "Michelle Price" is somebody where nothing but names stands.
    let may_be_name = |at: usize, lower: &str| {
        let sure = (by || voice == Voice::Told) && (2..=3).contains(&words.len());
        // "Key Lawson", but neither "Min Price" nor "He Who Knows".
        let lone = || {
            let mut behind = words.iter().skip(1).map(|word| bare(word));
            words.len() == 2 && !behind.any(|word| is_in_no_name(&word))
        };
        let first = || {
            voice == Voice::Told && ALSO_FIRST.contains(&lower)
                || by && ALSO_FIRST_BY.contains(&lower) && lone()
        };
        let last = || ALSO_NAMES.contains(lower) || by && ALSO_NAMES_BY.contains(&lower);
        sure && if at == 0 { first() } else { last() }
    };
    let known = |(at, word): (usize, &&str)| {
        // "A" is a word, "A." is a name.
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '.');
        let lower = word.to_lowercase();
        is_in_no_name(&lower) && !may_be_name(at, &lower) || is_role(&lower)
    };
    // Behind a first name these are particles.
    if matches!(words.first(), Some(&("Der" | "Die" | "Das" | "Les"))) {
        return false;
    }
    let odd = |c: char| {
        !(c.is_alphanumeric()
            || matches!(c, '.' | '\'' | '’' | '-' | '‐' | '‘' | ' ')
            || ('\u{300}'..='\u{36F}').contains(&c))
    };
    if words.iter().enumerate().any(known)
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

/// Degrees behind a comma: mostly capitals and short.
pub(super) fn is_degree(part: &str) -> bool {
    if matches!(
        squash(part).as_str(),
        "phd" | "mph" | "msc" | "esq" | "jr" | "sr" | "dipling" | "pharmd"
    ) {
        return true;
    }
    part.is_ascii()
        && part.len() <= 5
        && part.chars().all(|c| c.is_ascii_uppercase() || c == '.' || c == '-')
        && !AGENCIES.iter().any(|agency| agency.cased().any(|name| name == part))
}

/// A name without the desk that stands before a role: "Jane Miller Political" of "Jane Miller Political Editor".
pub(super) fn without_beat(name: &str) -> &str {
    let mut rest = name;
    while let Some((head, last)) = rest.rsplit_once(' ')
        && head.contains(' ')
        && BEATS.contains(bare(last).as_str())
    {
        rest = head.trim_end();
    }
    rest
}

/// A word in lower case without marks around it.
pub(super) fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}
