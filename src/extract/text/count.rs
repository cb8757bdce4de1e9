//! What one pass over a text counts.
//!
//! Must not know: what the counts are for.

use std::ops::Range;

use super::class::{self, Run};
use super::stop::{self, Counter, Hash, LANGUAGES, Table};
use super::{char_at, is_end_mark, is_spaceless, is_word, ratio, sentence_end, word_hashes};

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
    /// Letters in upper case, and in lower case.
    pub upper: u32,
    pub lower: u32,
    /// Quotation marks; those with one stroke stand in words, too, and are not counted.
    pub quotes: u32,
    /// `@` and `#`.
    pub handles: u32,
    /// Colons and bars.
    pub colons: u32,
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
    by(stop::table(), text, links)
}

/// The same with these stop words.
pub(super) fn by(table: &Table, text: &str, links: &[Range<u32>]) -> Stats {
    let mut counts = Counts::by(table, 1);
    counts.read(text, links, &mut |_| {});
    counts.end().pop().unwrap_or_default()
}

/// Counts texts, one after the other.
pub struct Counts<'t> {
    stop: Counter<'t>,
    /// Of each text; of the last ones without stop words.
    stats: Vec<Stats>,
}

impl Counts<'static> {
    /// For about so many texts.
    pub fn new(texts: usize) -> Self {
        Counts::by(stop::table(), texts)
    }
}

impl<'t> Counts<'t> {
    fn by(table: &'t Table, texts: usize) -> Self {
        Counts { stop: Counter::new(table), stats: Vec::with_capacity(texts) }
    }

    /// Counts a text, as [`stats`] does, and appends what [`word_hashes`] appends.
    pub fn add(&mut self, text: &str, links: &[Range<u32>], hashes: &mut Vec<u32>) {
        let before = hashes.len();
        let plain = self.read(text, links, &mut |hash| hashes.push(hash));
        if !plain {
            hashes.truncate(before);
            word_hashes(text, hashes);
        }
    }

    /// What was counted of each text.
    pub fn end(mut self) -> Vec<Stats> {
        self.settle();
        self.stats
    }

    /// Counts a text and calls `each` with the hash of every word and of every two neighbours in scripts without spaces. Are
    /// these the words of [`word_hashes`], too? It cuts words that begin with `_` otherwise.
    fn read(&mut self, text: &str, links: &[Range<u32>], each: &mut impl FnMut(u32)) -> bool {
        let (stats, plain) = read(text, links, &mut self.stop, each);
        self.stats.push(stats);
        if self.stop.end_text() {
            self.settle();
        }
        plain
    }

    /// Counts stop words of texts that have none yet.
    fn settle(&mut self) {
        let known = self.stats.len() - self.stop.texts();
        let mut open = self.stats[known..].iter_mut();
        self.stop.settle(|count, language| {
            if let Some(stats) = open.next() {
                (stats.stop, stats.language) = (count.min(stats.words), language);
            }
        });
    }
}

/// What is counted of the characters of words.
#[derive(Clone, Copy, Default)]
struct Letters {
    alnum: u32,
    upper: u32,
    lower: u32,
    /// Bytes beyond the first of each character.
    beyond: u32,
}

impl Letters {
    #[inline]
    fn add_run(&mut self, run: Run) {
        let (upper, digits) = run.capitals_and_digits();
        self.alnum += run.length;
        self.upper += upper;
        self.lower += run.length - upper - digits;
    }
}

/// One pass over a text; its stop words wait.
fn read(
    text: &str,
    links: &[Range<u32>],
    stop: &mut Counter<'_>,
    each: &mut impl FnMut(u32),
) -> (Stats, bool) {
    let mut s = Stats::default();
    let mut plain = true;
    let mut linked = Linked::new(links);
    let mut pairs = Pairs::default();
    // Apart, so that those of most words stay in registers.
    let (mut ascii, mut others) = (Letters::default(), Letters::default());
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut word = 0..0;
    let mut words = 0;
    // Words before the last end mark, and where that sentence ended.
    let (mut before_end, mut last_end) = (0, 0);
    while let Some(&b) = bytes.get(at) {
        if b == b' ' {
            at += 1;
            continue;
        }
        let start = at;
        if b.is_ascii_alphanumeric() {
            linked.enter(start, words);
            let mut hash = Hash::default();
            loop {
                let run = Run::at(bytes, at);
                ascii.add_run(run);
                hash = hash.with_bytes(run.lower(), run.length);
                at += run.length as usize;
                if run.length < 8 {
                    break;
                }
            }
            let next = bytes.get(at).copied().unwrap_or_default();
            if next == b'_' || !next.is_ascii() {
                (at, hash) = word_run(text, at, hash, &mut others);
            }
            let hash = hash.end();
            stop.word(hash);
            each(stop::short(hash));
            s.numbers += u32::from(b.is_ascii_digit());
            s.capitals += u32::from(b.is_ascii_uppercase());
            words += 1;
            word = start..at;
            at += usize::from(next == b' ');
            continue;
        }
        let c = if b.is_ascii() { char::from(b) } else { char_at(text, at) };
        if !b.is_ascii() && is_word(c) {
            linked.enter(start, words);
            if is_spaceless(c) {
                let count;
                (at, count) = spaceless_run(text, at, &mut others, stop, &mut |range| {
                    pairs.next(text, range, each);
                });
                s.spaceless += count;
                words += count.div_ceil(2);
            } else {
                let hash;
                (at, hash) = word_run(text, at, Hash::default(), &mut others);
                let hash = hash.end();
                stop.word(hash);
                each(stop::short(hash));
                s.numbers += u32::from(class::is_numeric(c));
                s.capitals += u32::from(class::is_uppercase(c));
                words += 1;
            }
            word = start..at;
            continue;
        }
        at += c.len_utf8();
        others.beyond += c.len_utf8() as u32 - 1;
        plain &= b != b'_';
        if is_spaceless(c) {
            pairs.next(text, start..at, each);
        }
        match c {
            ',' | ';' | '،' | '、' | '，' | '；' | '؛' => s.commas += 1,
            '"' | '“' | '”' | '„' | '«' | '»' | '「' => s.quotes += 1,
            '@' | '#' => s.handles += 1,
            ':' | '|' | '：' => s.colons += 1,
            _ if is_end_mark(c) && start >= last_end && words > before_end => {
                let word = if word.end == start { &text[word.clone()] } else { "" };
                if let Some(end) = sentence_end(text, word, c, at) {
                    s.ends += 1;
                    s.sentences += 1;
                    before_end = words;
                    last_end = end;
                }
            }
            _ => {}
        }
    }
    s.sentences += u32::from(words > before_end);
    s.words = words;
    s.link_words = linked.end(words);
    s.chars = text.len() as u32 - others.beyond;
    s.alnum = ascii.alnum + others.alnum;
    s.upper = ascii.upper + others.upper;
    s.lower = ascii.lower + others.lower;
    (s, plain)
}

/// Which words lie in links.
struct Linked<'l> {
    links: std::slice::Iter<'l, Range<u32>>,
    /// The link that a word has entered, or the next one.
    link: Option<&'l Range<u32>>,
    /// From here on a word enters or leaves it.
    bound: usize,
    /// Words before the link that was entered.
    before: Option<u32>,
    words: u32,
}

impl<'l> Linked<'l> {
    fn new(links: &'l [Range<u32>]) -> Linked<'l> {
        let mut links = links.iter();
        let link = links.next();
        let bound = link.map_or(usize::MAX, |link| link.start as usize);
        Linked { links, link, bound, before: None, words: 0 }
    }

    /// A word begins there, behind so many.
    #[inline]
    fn enter(&mut self, start: usize, words: u32) {
        if start >= self.bound {
            self.pass(start, words);
        }
    }

    #[inline(never)]
    fn pass(&mut self, start: usize, words: u32) {
        while self.link.is_some_and(|link| link.end as usize <= start) {
            self.words += self.before.take().map_or(0, |before| words - before);
            self.link = self.links.next();
        }
        self.bound = match self.link {
            None => usize::MAX,
            Some(link) if link.start as usize <= start => {
                self.before.get_or_insert(words);
                link.end as usize
            }
            Some(link) => link.start as usize,
        };
    }

    /// How many words of so many lie in links.
    fn end(&self, words: u32) -> u32 {
        self.words + self.before.map_or(0, |before| words - before)
    }
}

/// Neighbours in scripts without spaces.
#[derive(Default)]
struct Pairs {
    last: Range<usize>,
}

impl Pairs {
    /// The next character of such a script: with one right before it, it makes a pair.
    #[inline]
    fn next(&mut self, text: &str, c: Range<usize>, each: &mut impl FnMut(u32)) {
        if self.last.end == c.start && !self.last.is_empty() {
            let pair = Hash::default().with_part(text, self.last.start..c.end);
            each(stop::short(pair.end()));
        }
        self.last = c;
    }
}

/// The rest of a word from `at` on, of which this was read: where it ends, and its hash.
#[inline(never)]
fn word_run(text: &str, mut at: usize, mut hash: Hash, letters: &mut Letters) -> (usize, Hash) {
    let bytes = text.as_bytes();
    while let Some(&b) = bytes.get(at) {
        if b.is_ascii_alphanumeric() {
            let run = Run::at(bytes, at);
            letters.add_run(run);
            hash = hash.with_bytes(run.lower(), run.length);
            at += run.length as usize;
        } else if b == b'_' {
            hash.byte(b);
            at += 1;
        } else if let 0xC2..=0xDF = b
            && let Some(&next) = bytes.get(at + 1)
        {
            let class = class::of_two([b, next]);
            if class & class::WORD == 0 {
                break;
            }
            hash = hash.with_two(class, [b, next]);
            letters.alnum += u32::from(class & class::ALPHANUMERIC != 0);
            letters.upper += u32::from(class & class::UPPERCASE != 0);
            letters.lower += u32::from(class & class::LOWERCASE != 0);
            letters.beyond += 1;
            at += 2;
        } else {
            let c = char_at(text, at);
            if !is_word(c) || is_spaceless(c) {
                break;
            }
            hash = hash.with(c);
            let (upper, lower) = class::case(c);
            letters.alnum += u32::from(class::is_alphanumeric(c));
            letters.upper += u32::from(upper);
            letters.lower += u32::from(lower);
            letters.beyond += c.len_utf8() as u32 - 1;
            at += c.len_utf8();
        }
    }
    (at, hash)
}

/// A run of a spaceless script from `start`: where it ends, and how many characters it has. One word per two of them, stop
/// words by greedy match. Calls `each` with every character.
fn spaceless_run(
    text: &str,
    start: usize,
    letters: &mut Letters,
    stop: &mut Counter<'_>,
    each: &mut impl FnMut(Range<usize>),
) -> (usize, u32) {
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
        letters.alnum += u32::from(alnum);
        letters.beyond += c.len_utf8() as u32 - 1;
        each(end..end + c.len_utf8());
        end += c.len_utf8();
    }
    (end, n)
}
