//! What pages say of themselves in many languages: short lists, compared without marks and case.
//!
//! Must not know: what the phrases mean.

use super::{is_spaceless, is_word};

/// Phrases in all languages, each in [`plain`] form.
pub(in crate::extract) struct Phrases {
    pub(in crate::extract) list: Vec<String>,
}

impl Phrases {
    /// Of lines with a language, a colon, and phrases between semicolons.
    pub(in crate::extract) fn new(lines: &str) -> Phrases {
        let all = lines.lines().filter_map(|line| line.split_once(": "));
        let list = all.flat_map(|(_, phrases)| phrases.split("; ")).map(plain).collect();
        Phrases { list }
    }

    /// The longest of them that a text in [`plain`] form holds, in bytes.
    pub(in crate::extract) fn within(&self, text: &str) -> Option<usize> {
        self.list.iter().filter(|phrase| holds(text, phrase)).map(String::len).max()
    }

    /// Does one of them make up half of a line?
    pub(in crate::extract) fn mostly(&self, line: &str) -> bool {
        self.within(line).is_some_and(|length| length * 2 >= line.len())
    }
}

/// Letters, signs of vowels and digits in lower case, all between them one blank.
pub(in crate::extract) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_word(c) && c != '_' {
            out.extend(c.to_lowercase());
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Does a text hold a phrase at the bounds of words? Scripts without spaces have none.
fn holds(text: &str, phrase: &str) -> bool {
    let spaceless = phrase.chars().any(is_spaceless);
    text.match_indices(phrase).any(|(at, _)| {
        let rest = &text[at + phrase.len()..];
        spaceless
            || (at == 0 || text[..at].ends_with(' ')) && (rest.is_empty() || rest.starts_with(' '))
    })
}

/// Does a word of a text begin with a stem?
pub(in crate::extract) fn begins_word(text: &str, stem: &str) -> bool {
    let spaceless = stem.starts_with(is_spaceless);
    text.match_indices(stem).any(|(at, _)| spaceless || at == 0 || text[..at].ends_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_at_the_bounds_of_words() {
        let list = Phrases::new("en: page not found; it's gone\nja: ページが見つかりません");
        let check = |text: &str, expect: bool| {
            assert_eq!(list.within(&plain(text)).is_some(), expect, "{text}");
        };
        check("Sorry: Page  not found!", true);
        check("It’s gone", true);
        check("Homepage not founded", false);
        check("申し訳ありません。ページが見つかりません。", true);
        check("", false);
        assert!(list.mostly(&plain("404 – page not found")));
        assert!(!list.mostly(&plain("Why page not found is what readers of old links see")));
    }
}
