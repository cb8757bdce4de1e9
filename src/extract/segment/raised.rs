//! Marks that are raised behind a word: numbers of notes, TM, SM, R, and MC and MD. In a block they are the characters that
//! look so ("Acme¹", "Acme™"), for letters and digits would make another word of it.
//!
//! Must not know: blocks, profiles.

/// Longest mark, bytes.
pub(super) const LONGEST: usize = 8;
/// Letters before the number of a note: behind fewer a number may be an exponent ("m2"), or belong to the name.
const LETTERS: usize = 3;

/// The text of a raised element as characters that are raised themselves, if it is such a mark behind `before`; white
/// space behind it stays. What begins with a space or a bracket is apart already.
pub(super) fn raised(before: &str, text: &str) -> Option<String> {
    let mark = text.trim_end();
    Some(of(before, mark)? + text.get(mark.len()..)?)
}

fn of(before: &str, text: &str) -> Option<String> {
    if text.len() > LONGEST || !before.ends_with(char::is_alphanumeric) {
        return None;
    }
    match text {
        "TM" | "tm" => return Some("™".into()),
        "SM" | "sm" => return Some("℠".into()),
        "MC" => return Some("\u{1f16a}".into()),
        "MD" => return Some("\u{1f16b}".into()),
        "R" => return Some("®".into()),
        _ => {}
    }
    let letters = before.chars().rev().take(LETTERS).filter(|c| c.is_alphabetic()).count();
    if letters < LETTERS || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    text.chars().map(raise).collect()
}

/// A character of the number of a note.
fn raise(c: char) -> Option<char> {
    Some(match c {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        '4'..='9' => char::from_u32(u32::from(c) - u32::from('4') + u32::from('⁴'))?,
        ',' | ';' | '-' | '–' | ')' | '*' | ' ' => c,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marks_behind_words_are_raised() {
        for (before, text, expect) in [
            ("by Siemens", "1", Some("¹")),
            ("by Siemens", "12 ", Some("¹² ")),
            ("by Siemens", " 12", None),
            ("by Siemens", "1, 2", Some("¹, ²")),
            ("by Siemens", "1 2 ", Some("¹ ² ")),
            ("by Siemens", "1 st", None),
            ("Acme", "MC", Some("🅪")),
            ("Acme", "MD", Some("🅫")),
            ("by Siemens", "4,90)", Some("⁴,⁹⁰)")),
            ("by Siemens", "[3]", None),
            ("Acme", "TM", Some("™")),
            ("3M", "SM", Some("℠")),
            ("Tylenol", "R", Some("®")),
            ("m", "2", None),
            ("12 km", "2", None),
            ("10", "6", None),
            ("CO", "2", None),
            ("1", "st", None),
            ("Acme", "a", None),
            ("Acme", "*", None),
            ("Acme ", "1", None),
            ("", "TM", None),
            ("Acme", "", None),
            ("Acme", "123456789", None),
        ] {
            assert_eq!(raised(before, text).as_deref(), expect, "{before}{text}");
        }
    }
}
