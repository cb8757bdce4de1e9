//! Words, sentences, stop words and language of running text, by Unicode properties and without a
//! model; one pass over the bytes gives everything that the features need.
//!
//! Must not know: pages, blocks, labels.

use std::ops::Range;

mod class;
mod function;
mod stop;

pub use stop::LANGUAGES;

/// What one pass over a text counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Characters.
    pub chars: u32,
    /// Alphanumeric characters.
    pub alnum: u32,
    /// Words: maximal runs of word characters; a run of a script without spaces counts one word
    /// per two characters.
    pub words: u32,
    /// Words that lie in links.
    pub link_words: u32,
    /// Sentences, a trailing one without end mark included.
    pub sentences: u32,
    /// End marks that close a sentence.
    pub ends: u32,
    /// Commas and the like (also Arabic, ideographic).
    pub commas: u32,
    /// Words that begin with a digit.
    pub numbers: u32,
    /// Words that begin with an upper-case letter.
    pub capitals: u32,
    /// Characters of scripts without spaces.
    pub spaceless: u32,
    /// Stop words of the language that has most of them.
    pub stop: u32,
    /// Index into [`LANGUAGES`] of that language; meaningless if `stop` is 0.
    pub language: u8,
}

impl Stats {
    /// Stop words / other words (Ziegler & Skubacz 2007 §3.3); x/0 = +∞, 0/0 = 0.
    pub fn stop_ratio(&self) -> f32 {
        ratio(self.stop as f32, self.words.saturating_sub(self.stop) as f32)
    }

    /// The language with the highest stop-word ratio, if any stop word occurs.
    pub fn language(&self) -> Option<&'static str> {
        if self.stop == 0 { None } else { LANGUAGES.get(self.language as usize).copied() }
    }
}

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
    stats_by(function::table(), text, &[]).language()
}

/// Scripts written without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese, Tibetan.
pub fn is_spaceless(c: char) -> bool {
    if c < '\u{0E00}' {
        return false;
    }
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x0F00..=0x0FFF | 0x1000..=0x109F | 0x1780..=0x17FF
        | 0x3005..=0x3007 | 0x3031..=0x3035 | 0x3041..=0x3096 | 0x309D..=0x309F
        | 0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x20000..=0x323AF)
        && !matches!(c, '\u{0E3F}' | '\u{0E4F}' | '\u{0E5A}' | '\u{0E5B}')
}

/// Word characters in the sense of Unicode's `\w` (UTS #18 Annex C).
pub fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    class::is_alphanumeric(c) || class::joins(c)
}

/// Upper-case and lower-case letters of a text.
pub fn cases(text: &str) -> (u32, u32) {
    let (mut upper, mut lower) = (0, 0);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        if b.is_ascii() {
            upper += u32::from(b.is_ascii_uppercase());
            lower += u32::from(b.is_ascii_lowercase());
            at += 1;
            continue;
        }
        let c = char_at(text, at);
        upper += u32::from(class::is_uppercase(c));
        lower += u32::from(class::is_lowercase(c));
        at += c.len_utf8();
    }
    (upper, lower)
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
                out.push(std::mem::take(&mut hash).short());
            }
            continue;
        }
        if let 0xC2..=0xDF = b
            && let Some(&next) = bytes.get(at + 1)
        {
            let class = class::of_two(b, next);
            if class & class::WORD != 0 {
                open = true;
                hash.two(class, text, at);
            } else if std::mem::take(&mut open) {
                out.push(std::mem::take(&mut hash).short());
            }
            at += 2;
            previous = None;
            continue;
        }
        let c = char_at(text, at);
        at += c.len_utf8();
        if is_spaceless(c) {
            if std::mem::take(&mut open) {
                out.push(std::mem::take(&mut hash).short());
            }
            if let Some(previous) = previous.replace(c) {
                let mut pair = stop::Hash::default();
                pair.char(previous);
                pair.char(c);
                out.push(pair.short());
            }
            continue;
        }
        previous = None;
        if is_word(c) {
            open = true;
            hash.char(c);
        } else if std::mem::take(&mut open) {
            out.push(std::mem::take(&mut hash).short());
        }
    }
    if open {
        out.push(hash.short());
    }
}

/// The languages in which this is a stop word, one bit each in the order of [`LANGUAGES`].
pub fn stop_languages(word: &str) -> u64 {
    let mut hash = stop::Hash::default();
    word.chars().for_each(|c| hash.char(c));
    stop::table().languages(hash)
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

fn is_end_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '｡' | '؟' | '۔' | '।' | '॥' | '։')
}

/// Abbreviations before which a full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "gen", "sen", "rep", "gov", "lt", "col", "sgt",
    "no", "nr", "bzw", "ca", "vgl", "geb", "evtl", "ggf", "inkl", "mio", "mrd", "sog", "str", "av",
    "sr", "sra", "dra", "mme", "mlle", "art", "dott", "sig", "im", "ul", "проф", "тыс", "млн",
    "млрд", "руб", "гг",
];

/// Where the sentence ends whose end mark stands just before `after`; `None`: it goes on.
fn sentence_end(text: &str, word: &str, mark: char, after: usize) -> Option<usize> {
    if matches!(mark, '。' | '！' | '？' | '｡') {
        let rest = text[after..].trim_start_matches(['」', '』', '”', '’', '）', '》']);
        return Some(text.len() - rest.len());
    }
    let rest =
        text[after..].trim_start_matches(['.', '!', '?', ')', ']', '"', '\'', '»', '”', '’', '“']);
    let end = text.len() - rest.len();
    let Some(next) = rest.chars().next() else { return Some(end) };
    if !next.is_whitespace() {
        return None;
    }
    let begins = rest.trim_start().chars().find(|c| c.is_alphanumeric());
    if begins.is_some_and(char::is_lowercase) {
        return None;
    }
    if mark == '.' {
        let mut letters = word.chars();
        let single = letters.next().is_some() && letters.next().is_none();
        let ordinal = word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
        if single || ordinal || ABBREVIATIONS.contains(&word.to_lowercase().as_str()) {
            return None;
        }
    }
    Some(end)
}

/// Counts a text. `links` are the byte ranges that lie in links, ascending.
pub fn stats(text: &str, links: &[Range<u32>]) -> Stats {
    stats_by(stop::table(), text, links)
}

fn stats_by(table: &stop::Table, text: &str, links: &[Range<u32>]) -> Stats {
    let mut s = Stats::default();
    let mut hits = [0u32; LANGUAGES.len()];
    let mut links = links.iter().peekable();
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut word = 0..0;
    let mut since_end = 0u32;
    let mut last_end = 0;
    while let Some(&b) = bytes.get(at) {
        let start = at;
        if b.is_ascii_alphanumeric() || b >= 0x80 && is_word(char_at(text, at)) {
            let first = char_at(text, at);
            let before = s.words;
            if is_spaceless(first) {
                at = spaceless_run(text, at, table, &mut s, &mut hits);
            } else {
                at = word_run(text, at, table, &mut s, &mut hits);
                s.numbers += u32::from(first.is_numeric());
                s.capitals += u32::from(first.is_uppercase());
            }
            word = start..at;
            since_end += s.words - before;
            while links.next_if(|l| l.end as usize <= start).is_some() {}
            if links.peek().is_some_and(|l| l.start as usize <= start) {
                s.link_words += s.words - before;
            }
            continue;
        }
        let c = char_at(text, at);
        at += c.len_utf8();
        s.chars += 1;
        if matches!(c, ',' | ';' | '،' | '、' | '，' | '；' | '؛') {
            s.commas += 1;
        } else if is_end_mark(c) && start >= last_end && since_end > 0 {
            let word = if word.end == start { &text[word.clone()] } else { "" };
            if let Some(end) = sentence_end(text, word, c, at) {
                s.ends += 1;
                s.sentences += 1;
                since_end = 0;
                last_end = end;
            }
        }
    }
    s.sentences += u32::from(since_end > 0);
    for (language, &n) in hits.iter().enumerate() {
        if n > s.stop {
            s.stop = n;
            s.language = language as u8;
        }
    }
    s.stop = s.stop.min(s.words);
    s
}

fn char_at(text: &str, at: usize) -> char {
    match text.as_bytes().get(at) {
        Some(b) if b.is_ascii() => *b as char,
        _ => text.get(at..).and_then(|t| t.chars().next()).unwrap_or(' '),
    }
}

/// One word from `at`; returns where it ends.
fn word_run(
    text: &str,
    mut at: usize,
    table: &stop::Table,
    s: &mut Stats,
    hits: &mut [u32; LANGUAGES.len()],
) -> usize {
    let bytes = text.as_bytes();
    let mut hash = stop::Hash::default();
    while let Some(&b) = bytes.get(at) {
        if b.is_ascii() {
            if !b.is_ascii_alphanumeric() && b != b'_' {
                break;
            }
            hash.byte(b.to_ascii_lowercase());
            s.alnum += u32::from(b != b'_');
            s.chars += 1;
            at += 1;
        } else if let 0xC2..=0xDF = b
            && let Some(&next) = bytes.get(at + 1)
        {
            let class = class::of_two(b, next);
            if class & class::WORD == 0 {
                break;
            }
            hash.two(class, text, at);
            s.alnum += u32::from(class & class::ALPHANUMERIC != 0);
            s.chars += 1;
            at += 2;
        } else {
            let c = char_at(text, at);
            if !is_word(c) || is_spaceless(c) {
                break;
            }
            hash.char(c);
            s.alnum += u32::from(class::is_alphanumeric(c));
            s.chars += 1;
            at += c.len_utf8();
        }
    }
    s.words += 1;
    count(table.languages(hash), hits);
    at
}

/// A run of a spaceless script from `at`: one word per two characters, stop words by greedy match.
fn spaceless_run(
    text: &str,
    start: usize,
    table: &stop::Table,
    s: &mut Stats,
    hits: &mut [u32; LANGUAGES.len()],
) -> usize {
    let mut n = 0u32;
    let mut matched = start;
    let mut end = start;
    for c in text[start..].chars() {
        if !is_word(c) || !is_spaceless(c) {
            break;
        }
        if end >= matched {
            matched = stop_word(&text[end..], table, hits).map_or(end, |length| end + length);
        }
        n += 1;
        s.alnum += u32::from(class::is_alphanumeric(c));
        end += c.len_utf8();
    }
    s.chars += n;
    s.spaceless += n;
    s.words += n.div_ceil(2);
    end
}

/// Length in bytes of the longest stop word (at most four characters) that the text begins with.
fn stop_word(text: &str, table: &stop::Table, hits: &mut [u32; LANGUAGES.len()]) -> Option<usize> {
    let mut hash = stop::Hash::default();
    let mut length = 0;
    let mut best = None;
    for c in text.chars().take(4).take_while(|&c| is_spaceless(c)) {
        hash.char(c);
        length += c.len_utf8();
        let languages = table.languages(hash);
        if languages != 0 {
            best = Some((length, languages));
        }
    }
    best.map(|(length, languages)| {
        count(languages, hits);
        length
    })
}

fn count(mut languages: u64, hits: &mut [u32; LANGUAGES.len()]) {
    while languages != 0 {
        if let Some(n) = hits.get_mut(languages.trailing_zeros() as usize) {
            *n += 1;
        }
        languages &= languages - 1;
    }
}

#[cfg(test)]
mod tests;
