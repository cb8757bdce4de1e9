//! One spelling of letters and digits, so that a text and its copy have the same terms however each outlet
//! writes them: `é` as one character or two, `２８` and `٢٨` as 28, `ＮＨＫ` as NHK.
//!
//! Must not know: terms, what a text is compared for.

use std::borrow::Cow;

use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::similarity::is_word;
use crate::model::digit;

/// Letters with their marks in NFKC (UAX #15), digits of every script as ASCII. Signs stay as they are: nothing
/// but letters, marks and digits makes a term, and `™` must not become letters.
pub(super) fn folded(text: &str) -> Cow<'_, str> {
    if !text.chars().any(changes) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let spelled = is_spelled(first);
        let end = rest.find(|c| is_spelled(c) != spelled).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        match spelled {
            true => out.extend(run.nfkc().map(ascii_digit)),
            false => out.push_str(run),
        }
        rest = after;
    }
    out.into()
}

/// Does the character belong to a word, as a letter, a digit or a mark on one?
fn is_spelled(c: char) -> bool {
    is_word(c) || is_combining_mark(c)
}

/// May folding change the character, or what stands before it?
fn changes(c: char) -> bool {
    // What nearly all texts consist of, without a look into tables.
    let plain = matches!(c,
        ..'\u{a0}' | '\u{400}'..='\u{482}' | '\u{621}'..='\u{64a}'
        | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
    !plain
        && is_spelled(c)
        && (digit(c).is_some()
            // Marks have an order.
            || canonical_combining_class(c) != 0
            || is_nfkc_quick(std::iter::once(c)) != IsNormalized::Yes)
}

fn ascii_digit(c: char) -> char {
    digit(c).and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letters_and_digits_have_one_spelling() {
        let check = |text, expect: &str| assert_eq!(folded(text), expect, "{text}");
        check("Mu\u{308}ller sagte", "Müller sagte");
        check("Việt Nam", &"Việt Nam".nfc().collect::<String>());
        check("２８日、ＮＨＫ", "28日、NHK");
        check("٢٨ و ۲۸, २८", "28 و 28, 28");
        check("\u{591}\u{16af0}", "\u{16af0}\u{591}");
        check("か\u{3099}ﾊﾟ", "がパ");
        check("Acme™ № 5 ①", "Acme™ № 5 1");
        assert!(matches!(folded("Grüße aus 京都、한국 и Москва"), Cow::Borrowed(_)));
    }

    proptest! {
        /// Character by character, without the short cuts: word characters of the whole text's NFKC.
        #[test]
        fn texts_fold_as_their_words_do(text in "(\\PC|[aeoÄé\u{300}\u{308}２٢२ﾊﾟﾞか゛½ﬁ京 .,]){0,60}") {
            let mut naive = String::new();
            let mut run = String::new();
            for c in text.chars().chain(['\n']) {
                if is_spelled(c) {
                    run.push(c);
                } else {
                    naive.extend(run.nfkc().map(ascii_digit));
                    run.clear();
                    naive.push(c);
                }
            }
            naive.pop();
            prop_assert_eq!(folded(&text), naive);
        }

        #[test]
        fn what_is_folded_stays(text in "(\\PC|[aé\u{300}２٢ﾊﾟﬁ京 .]){0,60}") {
            let once = folded(&text).into_owned();
            prop_assert_eq!(folded(&once), once.as_str());
        }

        /// Outlets that write marks apart and outlets that do not print the same terms.
        #[test]
        fn marks_apart_are_the_same(text in "([a-zäöüéñçôåA-ZÄÖÜ0-9 .,]){0,80}") {
            let apart: String = text.nfd().collect();
            prop_assert_eq!(folded(&apart), folded(&text));
        }
    }
}
