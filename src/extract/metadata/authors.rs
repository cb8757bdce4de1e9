//! Names of authors out of strings that publishers print. Must not know the tree.

use super::dates;
use super::text::{plain, squash};

/// "By" in the languages of the press, in lower case; what follows is a name.
const BY: [&str; 39] = [
    "posted by",
    "written by",
    "reported by",
    "story by",
    "words by",
    "by",
    "von",
    "par",
    "propos recueillis par",
    "por",
    "di",
    "da",
    "door",
    "av",
    "af",
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
    "oleh",
    "penulis",
    "yazan",
    "przez",
    "od",
    "του",
    "της",
    "بقلم",
    "كتب",
    "记者",
    "作者",
    "文",
    "撰文",
];
/// Words that part two names.
const AND: [&str; 20] = [
    " and ", " und ", " et ", " y ", " e ", " en ", " och ", " og ", " i ", " и ", " та ", " ja ",
    " ve ", " dan ", " & ", ";", "|", " · ", "、", " / ",
];
/// What is printed where an author belongs, but is none.
const NOBODY: [&str; 16] = [
    "admin",
    "editor",
    "staff",
    "author",
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
    "contributor",
];

/// Names in a printed string: without "by", parted at commas and "and", without addresses,
/// agencies' dates and the outlet's own names (`outlets`, squashed).
pub(super) fn names(printed: &str, outlets: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let text = plain(printed);
    let text = strip_by(&text);
    for part in split(text) {
        if let Some(name) = name(&part, outlets)
            && !found.contains(&name)
        {
            found.push(name);
        }
    }
    found
}

/// A byline without the date that follows the names.
pub(super) fn without_date(line: &str) -> &str {
    let printed = dates::parse(line, None).and_then(|stamp| line.find(&stamp.printed));
    let mut rest = printed.filter(|&at| at > 0).and_then(|at| line.get(..at)).unwrap_or(line);
    loop {
        rest = rest.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')');
        let cut =
            ["published on", "published", "posted on", "posted", "updated", "on", "am", "vom"]
                .iter()
                .find_map(|w| {
                    let head = rest.get(..rest.len().checked_sub(w.len())?)?;
                    let tail = rest.get(head.len()..)?;
                    (tail.eq_ignore_ascii_case(w) && head.ends_with(' ')).then_some(head)
                });
        match cut {
            Some(head) => rest = head,
            None => return rest,
        }
    }
}

/// Does a line of its own open with "by" and hold little more than a name?
pub(super) fn introduces(line: &str) -> bool {
    let names = strip_by(line);
    let count = names.split_whitespace().count();
    names.len() < line.len()
        && (1..=8).contains(&count)
        && line.chars().count() <= 80
        && names.chars().next().is_some_and(|c| !c.is_lowercase() && !c.is_numeric())
}

fn strip_by(text: &str) -> &str {
    let mut rest = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    for _ in 0..2 {
        let cut = BY.iter().find_map(|by| {
            let head = rest.get(..by.len()).filter(|h| h.to_lowercase() == *by).or_else(|| {
                // Upper case may take another number of bytes in rare scripts.
                rest.char_indices()
                    .nth(by.chars().count())
                    .map_or(Some(rest), |(i, _)| rest.get(..i))
                    .filter(|h| h.to_lowercase() == *by)
            })?;
            let tail = rest.get(head.len()..)?;
            let ends = tail.starts_with([' ', ':', '：', '\u{A0}'])
                || !by.is_ascii() && !by.contains(char::is_lowercase);
            ends.then(|| tail.trim_start_matches([' ', ':', '：', '\u{A0}', '-']))
        });
        match cut {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    rest
}

fn split(text: &str) -> Vec<String> {
    let mut parts = vec![text.to_owned()];
    for and in AND {
        parts = parts.iter().flat_map(|p| p.split(and)).map(|p| p.trim().to_owned()).collect();
    }
    // A comma parts names, unless it opens a title ("Dylan Bailey, MS, RD").
    parts.iter().flat_map(|p| p.split([',', '，'])).map(|p| p.trim().to_owned()).collect()
}

fn name(part: &str, outlets: &[String]) -> Option<String> {
    let part = part.split(['(', '[']).next().unwrap_or(part);
    let part = part.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '.' | ':' | '-' | '–' | '—' | '*' | '"' | '@' | '•')
    });
    let part = strip_by(part);
    let lower = part.to_lowercase();
    let letters = part.chars().filter(|c| c.is_alphabetic()).count();
    let squashed = squash(part);
    let words = part.split_whitespace().count();
    let unlikely = letters < 2
        || words > 6
        || part.len() > 80
        || lower.contains("http")
        || lower.contains("www.")
        || lower.contains('@')
        || lower.contains(".com/")
        || part.chars().filter(char::is_ascii_digit).count() > 2
        || part.contains([':', ')', '/', '®', '™'])
        || NOBODY.contains(&lower.as_str())
        || is_title(part)
        || outlets.contains(&squashed);
    (!unlikely).then(|| part.to_owned())
}

/// Academic degrees behind a comma: all upper case and short.
fn is_title(part: &str) -> bool {
    if matches!(squash(part).as_str(), "phd" | "mph" | "msc" | "esq" | "jr" | "sr" | "dipling") {
        return true;
    }
    part.is_ascii()
        && part.len() <= 5
        && part.chars().all(|c| c.is_ascii_uppercase() || c == '.')
        && !matches!(
            part,
            "AP" | "AFP"
                | "DPA"
                | "APA"
                | "SID"
                | "EFE"
                | "TASS"
                | "ANSA"
                | "NTB"
                | "TT"
                | "PA"
                | "AAP"
                | "UPI"
                | "ANI"
                | "PTI"
                | "KNA"
                | "EPD"
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn printed_bylines() {
        let check = |printed: &str, expect: &[&str]| {
            assert_eq!(names(printed, &["dailyexample".into()]), expect, "{printed}");
        };
        check("By Ann Author", &["Ann Author"]);
        check("BY ANN AUTHOR AND BEN WRITER", &["ANN AUTHOR AND BEN WRITER"]);
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
        check("Dylan Doe, MS, RD", &["Dylan Doe"]);
        check("Ann Author (Reuters)", &["Ann Author"]);
        check("Ann Author, AP", &["Ann Author", "AP"]);
        check("https://n.example/author/ann", &[]);
        check("ann@n.example", &[]);
        check("Daily Example", &[]);
        check("admin", &[]);
        check("Byron Bay", &["Byron Bay"]);
        check("Vonda Smith", &["Vonda Smith"]);
        check("20 November 2026", &[]);
        check("", &[]);
    }

    proptest! {
        #[test]
        fn never_panics(printed in "\\PC{0,80}") {
            names(&printed, &[]);
        }
    }
}
