//! What a text is made of for search: words, and characters of scripts without spaces. Texts and questions
//! are taken apart by the same function, so that each finds the other.
//!
//! Must not know: the index, articles.

use std::ops::Range;

use crate::mention::fold::{Folded, fold};
use crate::mention::{is_word, joined};
use crate::model::is_spaceless;

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
    let word = |span: Range<usize>| {
        let (start, end) = (folded.start(span.start)?, folded.end(span.end)?);
        Some(Word { text: cut(&folded, span).to_owned(), start, end })
    };
    spans(&folded).into_iter().filter_map(word).collect()
}

/// Where the words of a folded text stand in it. What begins or ends within something that folding cannot
/// take apart is no word.
pub fn spans(folded: &Folded) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut push = |span: Range<usize>| {
        if folded.start(span.start).is_some() && folded.end(span.end).is_some() {
            spans.push(span);
        }
    };
    let (mut open, mut previous) = (None, None);
    for (at, c) in folded.text.char_indices() {
        if let Some(from) = open
            && !joined(previous, Some(c))
        {
            push(from..at);
            open = None;
        }
        if open.is_none() && is_word(c) {
            open = Some(at);
        }
        previous = Some(c);
    }
    if let Some(from) = open {
        push(from..folded.text.len());
    }
    spans
}

/// A word of a folded text, as far as it counts.
pub fn cut(folded: &Folded, span: Range<usize>) -> &str {
    let word = folded.text.get(span).unwrap_or_default();
    if word.len() <= LONGEST {
        return word;
    }
    word.char_indices().nth(LONGEST).and_then(|(end, _)| word.get(..end)).unwrap_or(word)
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
        check("Straße ＡＣＭＥ ﬁne", &["strasse", "acme", "fine"]);
        // A digit that folding put apart was no word of its own, and lost.
        check("M³, Acme¹ ❷ CO₂", &["m", "acme", "co2"]);
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
