//! What one pass over a text counts.
//!
//! Must not know: what the counts are for.

use std::ops::Range;

use super::stop::{self, Counter, Hash, LANGUAGES, Table};
use super::{char_at, class, is_end_mark, is_spaceless, is_word, ratio, sentence_end, word_hashes};

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

/// Counts a text. `links` are the byte ranges that lie in links, ascending.
pub fn stats(text: &str, links: &[Range<u32>]) -> Stats {
    by(stop::table(), text, links, &mut |_| {}).0
}

/// The same, and appends what [`word_hashes`] appends.
pub fn count(text: &str, links: &[Range<u32>], hashes: &mut Vec<u32>) -> Stats {
    let before = hashes.len();
    let (stats, plain) = by(stop::table(), text, links, &mut |hash| hashes.push(stop::short(hash)));
    if !plain {
        hashes.truncate(before);
        word_hashes(text, hashes);
    }
    stats
}

/// Counts with these stop words and calls `each` with the hash of every word and of every two neighbours in scripts
/// without spaces. Are these the words of [`word_hashes`], too? It cuts words that begin with `_` otherwise.
pub(super) fn by(
    table: &Table,
    text: &str,
    links: &[Range<u32>],
    each: &mut impl FnMut(u64),
) -> (Stats, bool) {
    let mut s = Stats { chars: text.chars().count() as u32, ..Stats::default() };
    let mut stop = Counter::new(table);
    let mut plain = true;
    let mut links = links.iter();
    let mut link = links.next();
    let mut pairs = Pairs::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut word = 0..0;
    let mut since_end = 0u32;
    let mut last_end = 0;
    while let Some(&b) = bytes.get(at) {
        let start = at;
        if b == b' ' {
            at += 1;
            continue;
        }
        let ascii = b.is_ascii();
        let c = if ascii { char::from(b) } else { char_at(text, at) };
        let begins_word = if ascii { b.is_ascii_alphanumeric() } else { is_word(c) };
        if begins_word {
            let before = s.words;
            if is_spaceless(c) {
                at = spaceless_run(text, at, &mut s, &mut stop, &mut |range| {
                    pairs.next(text, range, each);
                });
            } else {
                let hash;
                (at, hash) = word_run(text, at, &mut s);
                s.words += 1;
                stop.word(hash);
                each(hash);
                if ascii {
                    s.numbers += u32::from(b.is_ascii_digit());
                    s.capitals += u32::from(b.is_ascii_uppercase());
                } else {
                    s.numbers += u32::from(class::is_numeric(c));
                    s.capitals += u32::from(class::is_uppercase(c));
                }
            }
            word = start..at;
            since_end += s.words - before;
            while link.is_some_and(|l| l.end as usize <= start) {
                link = links.next();
            }
            if link.is_some_and(|l| l.start as usize <= start) {
                s.link_words += s.words - before;
            }
            continue;
        }
        at += c.len_utf8();
        plain &= b != b'_';
        if is_spaceless(c) {
            pairs.next(text, start..at, each);
        }
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
    (s.stop, s.language) = stop.most();
    s.stop = s.stop.min(s.words);
    (s, plain)
}

/// Neighbours in scripts without spaces.
#[derive(Default)]
struct Pairs {
    last: Range<usize>,
}

impl Pairs {
    /// The next character of such a script: with one right before it, it makes a pair.
    #[inline]
    fn next(&mut self, text: &str, c: Range<usize>, each: &mut impl FnMut(u64)) {
        if self.last.end == c.start
            && !self.last.is_empty()
            && let Some(pair) = text.get(self.last.start..c.end)
        {
            let mut hash = Hash::default();
            hash.uncased(pair);
            each(hash.end());
        }
        self.last = c;
    }
}

/// One word from `at`: where it ends, and its hash.
#[inline]
fn word_run(text: &str, mut at: usize, s: &mut Stats) -> (usize, u64) {
    let bytes = text.as_bytes();
    let mut hash = Hash::default();
    loop {
        let before = at;
        (at, hash) = hash.with_ascii(bytes, at);
        s.alnum += (at - before) as u32;
        let Some(&b) = bytes.get(at) else { break };
        if b.is_ascii() {
            if b != b'_' {
                break;
            }
            hash.byte(b);
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
            at += 2;
        } else {
            let c = char_at(text, at);
            if !is_word(c) || is_spaceless(c) {
                break;
            }
            hash = hash.with(c);
            s.alnum += u32::from(class::is_alphanumeric(c));
            at += c.len_utf8();
        }
    }
    (at, hash.end())
}

/// A run of a spaceless script from `start`: one word per two characters, stop words by greedy match. Calls `each` with
/// every character.
fn spaceless_run(
    text: &str,
    start: usize,
    s: &mut Stats,
    stop: &mut Counter<'_>,
    each: &mut impl FnMut(Range<usize>),
) -> usize {
    let mut n = 0u32;
    let mut matched = start;
    let mut end = start;
    for c in text[start..].chars() {
        let alnum = class::is_alphanumeric(c);
        if !is_spaceless(c) || !alnum && !class::joins(c) {
            break;
        }
        if end >= matched && stop.may_begin(c) {
            matched = stop.begun(&text[end..]).map_or(end, |length| end + length);
        }
        n += 1;
        s.alnum += u32::from(alnum);
        each(end..end + c.len_utf8());
        end += c.len_utf8();
    }
    s.spaceless += n;
    s.words += n.div_ceil(2);
    end
}
