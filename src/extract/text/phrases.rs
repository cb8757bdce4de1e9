//! What pages say of themselves in many languages: short lists, compared without marks and case.
//!
//! Must not know: what the phrases mean.

use aho_corasick::automaton::OverlappingState;
use aho_corasick::{AhoCorasick, Anchored, Input, Match, StartKind};

use super::class::{ascii_end, is_lower_form, is_numeric};
use super::{char_at, is_spaceless, is_word};

/// Phrases in all languages, all searched at once.
pub(in crate::extract) struct Phrases {
    automaton: AhoCorasick,
    /// Of each phrase, in [`plain`] form: is it of a script without spaces?
    spaceless: Vec<bool>,
}

/// The phrases, each in [`plain`] form, of lines with a language, a colon, and phrases between semicolons.
pub(in crate::extract) fn listed(lines: &str) -> impl Iterator<Item = String> {
    let all = lines.lines().filter_map(|line| line.split_once(": "));
    all.flat_map(|(_, phrases)| phrases.split("; ")).map(plain)
}

impl Phrases {
    /// Those of [`listed`].
    pub(in crate::extract) fn new(lines: &str) -> Phrases {
        let list: Vec<String> = listed(lines).collect();
        let spaceless = list.iter().map(|phrase| phrase.chars().any(is_spaceless)).collect();
        let automaton = AhoCorasick::builder().start_kind(StartKind::Both).build(list);
        let automaton = automaton.expect("some hundred phrases make an automaton");
        Phrases { automaton, spaceless }
    }

    /// The longest of them that a text in [`plain`] form holds, in bytes.
    pub(in crate::extract) fn within(&self, text: &str) -> Option<usize> {
        let found = self.automaton.find_overlapping_iter(text);
        found.filter(|found| self.holds(text, found)).map(|found| found.len()).max()
    }

    /// Does a text hold what was found in it? At the bounds of words, but scripts without spaces have none.
    fn holds(&self, text: &str, found: &Match) -> bool {
        let (before, behind) = (&text[..found.start()], &text[found.end()..]);
        self.spaceless.get(found.pattern().as_usize()) == Some(&true)
            || (before.is_empty() || before.ends_with(' '))
                && (behind.is_empty() || behind.starts_with(' '))
    }

    /// Does one of them make up half of a line?
    pub(in crate::extract) fn mostly(&self, line: &str) -> bool {
        self.within(line).is_some_and(|length| length * 2 >= line.len())
    }

    /// Does one of them begin a line and make up half of it?
    pub(in crate::extract) fn begin(&self, line: &str) -> bool {
        let mut state = OverlappingState::start();
        let next = || {
            let line = Input::new(line).anchored(Anchored::Yes);
            self.automaton.find_overlapping(line, &mut state);
            state.get_match()
        };
        std::iter::from_fn(next)
            // The search also gives what ends a phrase that it has followed so far.
            .any(|found| {
                found.start() == 0 && found.len() * 2 >= line.len() && self.holds(line, &found)
            })
    }
}

/// A letter in lower case as phrases have it: without the dots that Turkish capitals keep, the accents that Greek
/// ones lose, the dots below letters of Hindi and Bengali, which some write as one with them, and the vowel signs of
/// Arabic and those on its alef, which many leave out.
fn accentless(c: char) -> Option<char> {
    Some(match c {
        'ı' => 'i',
        // What is left of "İ" beside its "i".
        '\u{307}' => return None,
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        '\u{93C}' | BENGALI_DOT | '\u{64B}'..='\u{655}' | '\u{670}' => return None,
        'أ' | 'إ' | 'آ' => 'ا',
        '\u{95C}' => 'ड',
        '\u{95D}' => 'ढ',
        '\u{9DC}' => 'ড',
        '\u{9DD}' => 'ঢ',
        '\u{9DF}' => 'য',
        c => c,
    })
}

/// Between pieces of a word: "دیدگاه‌ها".
const NON_JOINER: char = '\u{200C}';

/// The dot below a letter; words of texts end at it.
const BENGALI_DOT: char = '\u{9BC}';

fn is_part(c: char) -> bool {
    c != NON_JOINER && (is_word(c) || c == BENGALI_DOT)
}

/// What a part of a word beyond ASCII is in plain form.
#[inline]
fn lowered(c: char, each: &mut impl FnMut(char)) {
    if is_lower_form(c) {
        accentless(c).into_iter().for_each(each);
    } else {
        c.to_lowercase().filter_map(accentless).for_each(each);
    }
}

/// Letters, signs of vowels and digits in lower case, all between them one blank; Turkish and Greek ones as if written
/// in capitals. What parts the pieces of a Persian word is a blank, too: many write one.
pub(in crate::extract) fn plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(b) = bytes.get(at) {
        if b.is_ascii_alphanumeric() {
            let end = ascii_end(bytes, at);
            out.push_str(text.get(at..end).unwrap_or_default());
            at = end;
            continue;
        }
        let c = char_at(text, at);
        if !c.is_ascii() && is_part(c) {
            lowered(c, &mut |c| out.push(c));
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        at += c.len_utf8();
    }
    out.truncate(out.trim_end().len());
    out.make_ascii_lowercase();
    out
}

/// Characters that tell how a text begins.
pub(super) const BEGINNING: usize = 4;

/// The first characters that a text has in [`plain`] form, blanks for what is missing, and how many bytes of the text they
/// take. `None`: it is empty in that form.
pub(super) fn beginning(text: &str) -> Option<([char; BEGINNING], usize)> {
    // Most texts begin with a word of ASCII.
    if let Some(first) = text.as_bytes().first_chunk::<BEGINNING>()
        && first.iter().all(u8::is_ascii_alphanumeric)
    {
        return Some((first.map(|byte| byte.to_ascii_lowercase().into()), BEGINNING));
    }
    let mut first = [' '; BEGINNING];
    let (mut count, mut read) = (0, 0);
    for (at, c) in text.char_indices() {
        if count >= BEGINNING {
            break;
        }
        read = at + c.len_utf8();
        let mut add = |c: char| {
            if let Some(place) = first.get_mut(count) {
                *place = c;
                count += 1;
            }
        };
        if c.is_ascii_alphanumeric() {
            add(c.to_ascii_lowercase());
        } else if !c.is_ascii() && is_part(c) {
            lowered(c, &mut add);
        } else if count > 0 && first[count - 1] != ' ' {
            count += 1;
        }
    }
    (count > 0).then_some((first, read))
}

/// How phrases begin. It tells of most lines that they begin otherwise, before they are put into [`plain`] form.
pub(in crate::extract) struct Beginnings {
    /// Marks of all four characters …
    whole: [u64; 256],
    /// … and of the first two, of phrases that have fewer than four.
    short: [u64; 256],
}

impl Beginnings {
    /// Those of phrases in [`plain`] form.
    pub(in crate::extract) fn of<'a>(phrases: impl IntoIterator<Item = &'a String>) -> Beginnings {
        let mut marks = Beginnings { whole: [0; 256], short: [0; 256] };
        for (first, _) in phrases.into_iter().filter_map(|phrase| beginning(phrase)) {
            let is_short = first[BEGINNING - 1] == ' ';
            let list = if is_short { &mut marks.short } else { &mut marks.whole };
            let (at, mark) = Beginnings::mark(if is_short { &first[..2] } else { &first });
            list[at] |= mark;
        }
        marks
    }

    /// May a text begin with one of the phrases, or with one behind or around a number?
    pub(in crate::extract) fn may_begin(&self, text: &str) -> bool {
        beginning(text).is_some_and(|(first, _)| {
            let has = |list: &[u64; 256], first: &[char]| {
                let (at, mark) = Beginnings::mark(first);
                list[at] & mark != 0
            };
            has(&self.whole, &first)
                || has(&self.short, &first[..2])
                || first.into_iter().any(is_numeric)
        })
    }

    fn mark(first: &[char]) -> (usize, u64) {
        let mix =
            |mixed: u32, c: &char| (mixed.rotate_left(5) ^ u32::from(*c)).wrapping_mul(0x9E37_79B9);
        let mixed = first.iter().fold(0, mix);
        ((mixed >> 24) as usize, 1 << (mixed >> 18 & 63))
    }
}

/// Does a word of a text begin with a stem?
pub(in crate::extract) fn begins_word(text: &str, stem: &str) -> bool {
    let spaceless = stem.starts_with(is_spaceless);
    text.match_indices(stem).any(|(at, _)| spaceless || at == 0 || text[..at].ends_with(' '))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn plain_texts_are_words_in_lower_case(text in "[a-zA-Z0-9 _.,éÉßİΣ漢あ한กЖ\u{200C}’-]{0,30}|\\PC{0,20}") {
            let words = text.split(|c| !is_part(c) || c == '_').filter(|word| !word.is_empty());
            let lower = words.map(|word| word.chars().flat_map(char::to_lowercase).filter_map(accentless).collect::<String>());
            let lower = lower.filter(|word| !word.is_empty());
            let plain = plain(&text);
            prop_assert_eq!(&plain, &lower.collect::<Vec<_>>().join(" "));
        }
    }

    proptest! {
        #[test]
        fn texts_begin_as_their_plain_forms(
            text in "[aA1. _\u{301}éİΣ漢あ\u{200C}\u{93C}-]{0,6}[a-z .]{0,3}|\\PC{0,5}",
            end in 2_usize..7,
        ) {
            let plain = plain(&text);
            let mut chars = plain.chars();
            let expect: [char; BEGINNING] = std::array::from_fn(|_| chars.next().unwrap_or(' '));
            let found = beginning(&text);
            prop_assert_eq!(found.map(|(first, _)| first), (!plain.is_empty()).then_some(expect));
            let read = found.map_or(text.len(), |(_, read)| read);
            prop_assert_eq!(beginning(&text[..read]).map(|(first, _)| first), found.map(|(first, _)| first));
            prop_assert!(plain.is_empty() || Beginnings::of([&plain]).may_begin(&text));
            let phrase: String = plain.chars().take(end).collect();
            let phrase = phrase.trim_end().to_owned();
            let is_long = phrase.chars().nth(1).is_some();
            prop_assert!(!is_long || Beginnings::of([&phrase]).may_begin(&text));
        }
    }

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
        let list = Phrases::new("fa: دیدگاه ها");
        for text in ["دیدگاه\u{200C}ها", "دیدگاه ها"] {
            assert!(list.within(&plain(text)).is_some(), "{text}");
        }
        let list = Phrases::new("hi: ये भी पढ\u{93C}ें\nbn: আরও পড\u{9BC}ুন");
        for text in ["ये भी प\u{95D}ें:", "আরও প\u{9DC}ুন", "আরও পড\u{9BC}ুন"]
        {
            assert!(list.within(&plain(text)).is_some(), "{text}");
        }
        let list = Phrases::new("ar: اقرأ أيضاً");
        for text in ["اقرأ أيضا", "اقرأ أيضًا", "إقرأ أيضاً", "اقرا ايضا"]
        {
            assert!(list.within(&plain(text)).is_some(), "{text}");
        }
        let list = Phrases::new("tr: ilgili haber; sayfa bulunamadı\nel: η σελίδα δεν βρέθηκε");
        for text in [
            "İlgili haber:",
            "İLGİLİ HABER",
            "SAYFA BULUNAMADI",
            "Η ΣΕΛΙΔΑ ΔΕΝ ΒΡΕΘΗΚΕ",
            "Η σελίδα δεν βρέθηκε",
        ] {
            assert!(list.within(&plain(text)).is_some(), "{text}");
        }
        let list = Phrases::new("en: page not found");
        assert!(list.mostly(&plain("404 – page not found")));
        assert!(!list.mostly(&plain("Why page not found is what readers of old links see")));
        assert!(list.begin(&plain("Page not found – 404")));
        assert!(!list.begin(&plain("404 – page not found")));
        assert!(!list.begin(&plain("Page not found is what readers of old links see")));
        let list = Phrases::new("en: to read this now; read this");
        assert!(list.begin(&plain("Read this today")));
        assert!(!list.begin(&plain("To read this")));
    }
}
