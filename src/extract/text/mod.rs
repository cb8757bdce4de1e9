//! Words, sentences, stop words and language of running text, by Unicode properties and without a
//! model; one pass over the bytes gives everything that the features need.
//!
//! Must not know: pages, blocks, labels.

use std::ops::Range;

use crate::model::is_end_mark;

mod class;
pub(in crate::extract) mod comments;
mod count;
mod function;
pub(in crate::extract) mod paid;
pub(in crate::extract) mod phrases;
pub(in crate::extract) mod stems;
mod stop;

pub(in crate::extract) use class::{ascii_end, is_alphanumeric, is_lower_form};
pub use count::{Counts, Stats, stats};
pub use stop::LANGUAGES;

/// x / y with x/0 = +∞ and 0/0 = 0.
pub fn ratio(x: f32, y: f32) -> f32 {
    if y > 0.0 {
        x / y
    } else if x > 0.0 {
        f32::INFINITY
    } else {
        0.0
    }
}

/// The language of a text by its function words alone: the one with the highest ratio of them
/// (Ziegler & Skubacz 2007 §3.3), as BCP 47 primary subtag.
pub fn language(text: &str) -> Option<&'static str> {
    count::by(function::table(), text, &[]).language()
}

/// Function words / other words of a text: the stop-word ratio of Ziegler & Skubacz 2007 §3.3 with lists of
/// comparable size; x/0 = +∞, 0/0 = 0. The eight features count the longer lists of `stop`.
pub fn function_ratio(text: &str) -> f32 {
    count::by(function::table(), text, &[]).stop_ratio()
}

/// Scripts written without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese, Tibetan.
pub fn is_spaceless(c: char) -> bool {
    if c < '\u{0E00}' {
        return false;
    }
    // Most of them.
    if matches!(c, '\u{4E00}'..='\u{9FFF}') {
        return true;
    }
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x0F00..=0x0FFF | 0x1000..=0x109F | 0x1780..=0x17FF
        | 0x3005..=0x3007 | 0x3031..=0x3035 | 0x3041..=0x3096 | 0x309D..=0x309F
        | 0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF
        | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x20000..=0x323AF)
        && !matches!(c, '\u{0E3F}' | '\u{0E4F}' | '\u{0E5A}' | '\u{0E5B}')
}

/// Word characters in the sense of Unicode's `\w` (UTS #18 Annex C).
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    class::is_alphanumeric(c) || class::joins(c)
}

/// Letters and digits of a text in lower case: two texts that have the same say the same.
pub fn squeezed_chars(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// [`squeezed_chars`] as a text.
pub fn squeeze(text: &str) -> String {
    squeezed_chars(text).collect()
}

/// The words of a text with their byte ranges; runs of spaceless scripts stand as one.
pub fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(is_word)?;
        let spaceless = text[start..].starts_with(is_spaceless);
        let end = text[start..]
            .find(|c| !is_word(c) || is_spaceless(c) != spaceless)
            .map_or(text.len(), |n| start + n);
        at = end;
        Some(start..end)
    })
}

/// How many words a text has, as [`Stats::words`] counts them; no more than `most` are counted.
pub fn count_words(text: &str, most: u32) -> u32 {
    let (mut words, mut within, mut spaceless) = (0, false, 0u32);
    for c in text.chars() {
        if words >= most {
            return most;
        }
        // An underscore goes on with a word and begins none.
        if !is_word(c) || c == '_' && !within {
            (within, spaceless) = (false, 0);
        } else if is_spaceless(c) {
            words += (spaceless + 1) % 2;
            (within, spaceless) = (false, spaceless + 1);
        } else {
            words += u32::from(!within);
            (within, spaceless) = (true, 0);
        }
    }
    words
}

/// Appends a hash per lower-cased word; runs of spaceless scripts give one per character pair.
pub fn word_hashes(text: &str, out: &mut Vec<u32>) {
    let mut hash = stop::Hash::default();
    let mut open = false;
    let mut previous = None;
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        if b.is_ascii() {
            at += 1;
            previous = None;
            if b.is_ascii_alphanumeric() || b == b'_' {
                open = true;
                hash.byte(b.to_ascii_lowercase());
            } else if std::mem::take(&mut open) {
                out.push(stop::short(std::mem::take(&mut hash).end()));
            }
            continue;
        }
        if let 0xC2..=0xDF = b
            && let Some(&next) = bytes.get(at + 1)
        {
            let class = class::of_two([b, next]);
            if class & class::WORD != 0 {
                open = true;
                hash = hash.with_two(class, [b, next]);
            } else if std::mem::take(&mut open) {
                out.push(stop::short(std::mem::take(&mut hash).end()));
            }
            at += 2;
            previous = None;
            continue;
        }
        let c = char_at(text, at);
        at += c.len_utf8();
        if is_spaceless(c) {
            if std::mem::take(&mut open) {
                out.push(stop::short(std::mem::take(&mut hash).end()));
            }
            if let Some(previous) = previous.replace(c) {
                let mut pair = stop::Hash::default();
                pair.char(previous);
                pair.char(c);
                out.push(stop::short(pair.end()));
            }
            continue;
        }
        previous = None;
        if is_word(c) {
            open = true;
            hash.char(c);
        } else if std::mem::take(&mut open) {
            out.push(stop::short(std::mem::take(&mut hash).end()));
        }
    }
    if open {
        out.push(stop::short(hash.end()));
    }
}

/// The languages in which this is a stop word, one bit each in the order of [`LANGUAGES`].
pub fn stop_languages(word: &str) -> u64 {
    let mut hash = stop::Hash::default();
    word.chars().for_each(|c| hash.char(c));
    stop::table().languages(hash.end())
}

/// Splits a text into sentences: byte ranges without surrounding white space.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut word = 0..0;
    let mut push = |from: usize, to: usize| {
        let part = &text[from..to];
        let trimmed = part.trim();
        if trimmed.chars().any(is_word) {
            let lead = part.len() - part.trim_start().len();
            out.push(from + lead..from + lead + trimmed.len());
        }
    };
    for (i, c) in text.char_indices() {
        if is_word(c) {
            if word.end != i {
                word.start = i;
            }
            word.end = i + c.len_utf8();
        } else if is_end_mark(c) && i >= start {
            let after = i + c.len_utf8();
            if let Some(end) = sentence_end(text, &text[word.clone()], c, after) {
                push(start, end);
                start = end;
            }
        }
    }
    push(start, text.len());
    out
}

/// Abbreviations before which a full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "gen", "sen", "rep", "gov", "lt", "col", "sgt",
    "no", "nr", "bzw", "ca", "vgl", "geb", "evtl", "ggf", "inkl", "mio", "mrd", "sog", "str", "av",
    "sr", "sra", "dra", "mme", "mlle", "art", "dott", "sig", "im", "ul", "проф", "тыс", "млн",
    "млрд", "руб", "гг",
];

/// Characters of the longest of them.
const LONGEST_ABBREVIATION: usize = 4;

/// So far behind its end mark it is asked how a sentence ends and another begins: however long the runs of marks,
/// a text takes linear time.
const LOOK_AHEAD: usize = 64;

/// Where the sentence ends whose end mark stands just before `after`; `None`: it goes on.
fn sentence_end(text: &str, word: &str, mark: char, after: usize) -> Option<usize> {
    if matches!(mark, '。' | '！' | '？' | '｡') {
        let rest = text[after..].trim_start_matches(['」', '』', '”', '’', '）', '》']);
        return Some(text.len() - rest.len());
    }
    let closes =
        |c: &char| matches!(c, '.' | '!' | '?' | ')' | ']' | '"' | '\'' | '»' | '”' | '’' | '“');
    let behind = &text[after..];
    let closing =
        behind.chars().take(LOOK_AHEAD).take_while(closes).map(char::len_utf8).sum::<usize>();
    let end = after + closing;
    let rest = &text[end..];
    let Some(next) = rest.chars().next() else { return Some(end) };
    if !next.is_whitespace() {
        return None;
    }
    let begins = rest.chars().take(LOOK_AHEAD).find(|c| c.is_alphanumeric());
    if begins.is_some_and(char::is_lowercase) {
        return None;
    }
    if mark == '.' {
        let mut letters = word.chars();
        let single = letters.next().is_some() && letters.next().is_none();
        let ordinal = word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
        let short = word.chars().nth(LONGEST_ABBREVIATION).is_none();
        if single || ordinal || short && ABBREVIATIONS.contains(&word.to_lowercase().as_str()) {
            return None;
        }
    }
    Some(end)
}

fn char_at(text: &str, at: usize) -> char {
    match text.as_bytes().get(at) {
        Some(b) if b.is_ascii() => *b as char,
        _ => text.get(at..).and_then(|t| t.chars().next()).unwrap_or(' '),
    }
}

#[cfg(test)]
mod tests;
