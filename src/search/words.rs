//! What a text is made of for search: words, and characters of scripts without spaces. Texts and questions
//! are taken apart by the same function, so that each finds the other.
//!
//! Must not know: the index, articles.

use crate::mention::fold::fold;
use crate::mention::{is_spaceless, is_word, joined};

/// Characters of a word that count; what is longer is no word that anybody looks for.
const LONGEST: usize = 64;

/// A word, or a character of a script without spaces, as it is compared, and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Folded, as names are for counting: lower case, NFKC.
    pub text: String,
    /// Byte offsets.
    pub start: usize,
    pub end: usize,
}

/// The words of a text in order. What lies between them (spaces, punctuation) is nothing.
pub fn words(text: &str) -> Vec<Word> {
    let folded = fold(text);
    let mut words: Vec<Word> = Vec::new();
    let mut push = |from: usize, to: usize| {
        let (Some(start), Some(end)) = (folded.start(from), folded.end(to)) else { return };
        let text = folded.text[from..to].chars().take(LONGEST).collect();
        words.push(Word { text, start, end });
    };
    let (mut open, mut previous) = (None, None);
    for (at, c) in folded.text.char_indices() {
        if let Some(from) = open
            && !joined(previous, Some(c))
        {
            push(from, at);
            open = None;
        }
        if open.is_none() && is_word(c) {
            open = Some(at);
        }
        previous = Some(c);
    }
    if let Some(from) = open {
        push(from, folded.text.len());
    }
    words
}

/// Is this a character of a script without spaces?
pub fn spaceless(word: &str) -> bool {
    word.starts_with(is_spaceless)
}

/// The term that stands in the index at a word's place: the word itself; of a script without spaces the
/// character with the one that follows it, since a character alone stands in most texts.
#[cfg(feature = "search")]
pub fn term(word: &str, next: Option<&str>) -> String {
    match next.filter(|next| spaceless(word) && spaceless(next)) {
        Some(next) => [word, next].concat(),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart() {
        let check = |text: &str, expect: &[&str]| {
            let words = words(text);
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            assert_eq!(texts, expect, "{text}");
            for word in &words {
                assert!(text.get(word.start..word.end).is_some_and(|part| !part.is_empty()));
            }
        };
        check("", &[]);
        check("… – !", &[]);
        check("Acme's E-Mail, Nr. 5", &["acme", "s", "e", "mail", "nr", "5"]);
        check("Straße ＡＣＭＥ ﬁne", &["straße", "acme", "fine"]);
        check("電子 LG電子は", &["電", "子", "lg", "電", "子", "は"]);
        check("LG전자는", &["lg", "전자는"]);
        check(&"x".repeat(100), &[&"x".repeat(64)]);
    }

    #[test]
    #[cfg(feature = "search")]
    fn characters_without_spaces_are_looked_for_in_pairs() {
        assert_eq!(term("電", Some("子")), "電子");
        assert_eq!(term("電", Some("lg")), "電");
        assert_eq!(term("lg", Some("電")), "lg");
        assert_eq!(term("電", None), "電");
    }
}
