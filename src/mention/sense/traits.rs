//! What the context of a mention is made of: neighbours, the run of capitals that it stands in, words
//! around, words and names of the article, its section, outlet and language; hashed, bounded.
//!
//! Must not know: what follows from them.

use std::collections::{BTreeMap, HashMap};

use crate::mention::fold::is_apostrophe;
use crate::mention::letters::is_word;
use crate::model::{Article, Traits, is_spaceless};

/// Numbers of features. Sparse, so many cost nothing; two words hardly ever share one.
const NUMBERS: u64 = 1 << 24;
/// Words before and after the match that are around it.
const AROUND: usize = 12;
/// Words and names of an article that describe it, the most frequent.
const WORDS: usize = 150;
const NAMES: usize = 50;
/// Mentions whose neighbours describe the others of an article.
const NEIGHBOURS: usize = 10;
/// Bytes of an article's text that are read for them.
const READ: usize = 200_000;
/// Longest word, bytes; the rest is left out.
const LONGEST: usize = 40;
/// What groups of features weigh together, in 1/1024 (a group's values have this length as a vector).
const NEAR: f64 = 1536.0;
const AROUND_WEIGHT: f64 = 700.0;
const ARTICLE: f64 = 2000.0;
const TOPIC: f64 = 700.0;
const PLACE: f64 = 512.0;
/// How much the look of the neighbours says beside a neighbour.
const SHAPE: f64 = 1.0;

/// What all mentions of one brand in an article share.
#[derive(Debug)]
pub struct Surroundings {
    shared: Vec<(u64, f64)>,
    /// Neighbours and runs of every mention.
    named: Vec<(usize, usize)>,
}

/// A word of a text, with its place.
#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    start: usize,
    end: usize,
    text: &'a str,
}

impl Surroundings {
    /// Of an article at this outlet, whose mentions of the brand stand at these places of `texts` (the
    /// text, start and end of each).
    pub fn of(article: &Article, outlet: &str, found: &[(&str, usize, usize)]) -> Surroundings {
        let mut words: HashMap<String, (u32, u32)> = HashMap::new();
        let mut names: HashMap<String, (u32, u32)> = HashMap::new();
        let mut read = 0;
        let title = article.title.iter().map(|title| title.value.as_str());
        let blocks = article.blocks.iter().filter(|block| block.label.is_content());
        let mut rank = 0u32;
        for text in title.chain(blocks.map(|block| block.text.as_str())) {
            let text = text.get(..text.floor_char_boundary(READ - read)).unwrap_or_default();
            read += text.len();
            let all = split(text);
            for word in &all {
                let lower = word.text.to_lowercase();
                if tells(&lower) {
                    rank += 1;
                    words.entry(lower).or_insert((0, rank)).0 += 1;
                }
            }
            let mut at = 0;
            while at < all.len() {
                let end = run_end(text, &all, at);
                if end == at {
                    at += 1;
                    continue;
                }
                // One capital at the beginning of a sentence says nothing.
                if end - at > 1 || !begins_sentence(text, all[at].start) {
                    let run: Vec<&str> = all[at..end].iter().map(|word| word.text).collect();
                    rank += 1;
                    let name = run[..run.len().min(4)].join(" ").to_lowercase();
                    names.entry(name).or_insert((0, rank)).0 += 1;
                }
                at = end;
            }
            if read >= READ {
                break;
            }
        }
        let mut shared = Vec::new();
        group(&mut shared, ARTICLE, top(words, WORDS).map(|(word, n)| (hash("a", &word), tf(n))));
        group(
            &mut shared,
            TOPIC * 0.7,
            top(names, NAMES).map(|(name, n)| (hash("c", &name), tf(n))),
        );
        let mut others: HashMap<u64, f64> = HashMap::new();
        for (text, start, end) in found.iter().take(NEIGHBOURS) {
            for (number, _) in near(text, *start, *end, "d") {
                *others.entry(number).or_default() += 1.0;
            }
        }
        let mut others: Vec<(u64, f64)> =
            others.into_iter().map(|(n, v)| (n, f64::sqrt(v))).collect();
        others.sort_unstable_by_key(|(number, _)| *number);
        group(&mut shared, TOPIC, others.into_iter());
        let mut place = vec![hash("o", outlet)];
        if let Some(language) = &article.language {
            place.push(hash("l", &language.value));
        }
        if let Some(section) = &article.section {
            place.extend(
                split(&section.value).iter().take(4).map(|w| hash("s", &w.text.to_lowercase())),
            );
        }
        if let Some(url) = &article.canonical {
            let path = url.value.splitn(4, '/').nth(3).unwrap_or_default();
            let parts: Vec<&str> = path.split('/').collect();
            let folders = parts.len().saturating_sub(1).min(3);
            place.extend(parts[..folders].iter().map(|part| hash("s", &part.to_lowercase())));
        }
        group(&mut shared, PLACE, place.into_iter().map(|number| (number, 1.0)));
        let many = f64::from(found.len().min(16) as u32).sqrt() - 1.0;
        shared.push((hash("count", ""), many * 170.0));
        Surroundings { shared, named: found.iter().map(|(_, s, e)| (*s, *e)).collect() }
    }
}

/// The features of the mention at these bytes of `text`.
pub fn traits(
    around: &Surroundings,
    text: &str,
    (start, end): (usize, usize),
    in_title: bool,
) -> Traits {
    let mut found = around.shared.clone();
    group(&mut found, NEAR, near(text, start, end, "n").into_iter());
    let before = split(tail(text.get(..start).unwrap_or_default()));
    let after = split(head(text.get(end..).unwrap_or_default()));
    let mut words: HashMap<String, f64> = HashMap::new();
    let sides = before.iter().rev().take(AROUND).zip(1..).chain(after.iter().take(AROUND).zip(1..));
    for (word, distance) in sides {
        let lower = word.text.to_lowercase();
        if tells(&lower) {
            let value = words.entry(lower).or_default();
            *value += 1.0 / f64::from(distance as u32 + 3).sqrt();
        }
    }
    let mut words: Vec<(u64, f64)> = words.into_iter().map(|(w, v)| (hash("w", &w), v)).collect();
    words.sort_unstable_by_key(|(number, _)| *number);
    group(&mut found, AROUND_WEIGHT, words.into_iter());
    if in_title {
        found.push((hash("title", ""), 256.0));
    }
    if around.named.first().is_some_and(|first| *first == (start, end)) {
        found.push((hash("first", ""), 64.0));
    }
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    for (number, value) in found {
        *sums.entry((number % NUMBERS) as u32).or_default() += value;
    }
    sums.into_iter().map(|(number, value)| (number, value.round() as i32)).collect()
}

/// What an answer about the match at `start` of this text holds for.
pub fn mark(text: &str, start: usize) -> u64 {
    let mut all = hash("mark", text);
    for byte in start.to_le_bytes() {
        all = (all ^ u64::from(byte)).wrapping_mul(PRIME);
    }
    all
}

/// The nearest words, their forms, and the run of capitals.
fn near(text: &str, start: usize, end: usize, kind: &str) -> Vec<(u64, f64)> {
    let (left, right) =
        (tail(text.get(..start).unwrap_or_default()), head(text.get(end..).unwrap_or_default()));
    let (before, after) = (split(left), split(right));
    let matched = text.get(start..end).unwrap_or_default();
    let mut found = Vec::new();
    let mut add = |name: &str, word: &str, value: f64| {
        found.push((hash(kind, &format!("{name}:{word}")), value));
    };
    let gap_left = before.last().map_or(left, |word| left.get(word.end..).unwrap_or_default());
    let gap_right = after.first().map_or(right, |word| right.get(..word.start).unwrap_or_default());
    let lower =
        |word: Option<&Word<'_>>| word.map_or(String::new(), |word| word.text.to_lowercase());
    let (p, n) = (before.last(), after.first());
    add("p", &lower(p), 1.0);
    add("n", &lower(n), 1.0);
    add("pp", &lower(before.iter().rev().nth(1)), 0.5);
    add("nn", &lower(after.get(1)), 0.5);
    add("pg", shape_of(p, gap_left), SHAPE);
    add("ng", shape_of(n, gap_right), SHAPE);
    add("mg", &format!("{} {}", shape_of(p, gap_left), shape_of(n, gap_right)), 0.5);
    add("f", matched, 0.7);
    // "’S" is none, for what has been learned was learned so.
    let own = right.starts_with("'S")
        || right.strip_prefix(is_apostrophe).is_some_and(|own| own.starts_with('s'));
    if own {
        add("own", "", 0.8);
        // The word behind it is what it has.
        add("has", &lower(after.get(1)), 0.7);
    }
    if right.starts_with('-') || right.starts_with('.') && n.is_some_and(|n| n.start == 1) {
        add("joined", &right.chars().take(1).collect::<String>(), 0.7);
    }
    // The run of capitals around.
    let mut lengths = [0, 0];
    for (side, length) in lengths.iter_mut().enumerate() {
        let words: Vec<&Word<'_>> =
            if side == 0 { before.iter().rev().collect() } else { after.iter().collect() };
        let mut last = if side == 0 { left.len() } else { 0 };
        for word in words.into_iter().take(3) {
            let gap =
                if side == 0 { left.get(word.end..last) } else { right.get(last..word.start) };
            let joined = gap.is_some_and(|gap| [" ", "-", " & ", ". "].contains(&gap));
            if !joined || !is_capital(word.text) {
                break;
            }
            last = if side == 0 { word.start } else { word.end };
            add(["rl", "rr"][side], &word.text.to_lowercase(), 1.0);
            *length += 1;
        }
    }
    let [l, r] = lengths;
    add("run", &format!("{l} {r}"), SHAPE);
    add("left", &l.min(1).to_string(), SHAPE);
    add("right", &r.min(1).to_string(), SHAPE);
    found
}

/// How the neighbour looks, and what is between.
fn shape_of(word: Option<&Word<'_>>, gap: &str) -> &'static str {
    let Some(word) = word else {
        return if gap.trim().is_empty() { "edge" } else { "mark" };
    };
    let mark = gap.trim();
    match (mark.is_empty(), mark.chars().next()) {
        (false, Some('.' | '!' | '?')) => "stop",
        (false, Some(',' | ';' | ':')) => "comma",
        (false, Some('(' | ')' | '[' | ']')) => "bracket",
        (false, Some('\'' | '’')) => "apostrophe",
        // Others are quotation marks, too.
        (false, _) if gap.starts_with(is_apostrophe) => "apostrophe",
        (false, _) => "mark",
        _ if word.text.chars().all(char::is_numeric) => "number",
        _ if is_capital(word.text) => "capital",
        _ => "small",
    }
}

/// Appends a group of values, as a vector of this length.
fn group(into: &mut Vec<(u64, f64)>, length: f64, values: impl Iterator<Item = (u64, f64)>) {
    let from = into.len();
    into.extend(values);
    let sum: f64 = into[from..].iter().map(|(_, value)| value * value).sum();
    if sum > 0.0 {
        let scale = length / sum.sqrt();
        into[from..].iter_mut().for_each(|(_, value)| *value *= scale);
    }
}

/// The most frequent, in an order that does not depend on the map's.
fn top(counts: HashMap<String, (u32, u32)>, most: usize) -> impl Iterator<Item = (String, u32)> {
    let mut all: Vec<(String, (u32, u32))> = counts.into_iter().collect();
    all.sort_unstable_by_key(|(_, (n, rank))| (std::cmp::Reverse(*n), *rank));
    all.truncate(most);
    all.into_iter().map(|(word, (n, _))| (word, n))
}

fn tf(count: u32) -> f64 {
    // No logarithm: its last digit is not the same on every machine.
    f64::from(count.min(32)).sqrt()
}

/// Does a word say anything of what a text is about?
fn tells(lower: &str) -> bool {
    lower.chars().any(char::is_alphabetic)
        && (lower.chars().count() > 3 || lower.chars().any(is_spaceless))
}

fn is_capital(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_uppercase())
}

fn begins_sentence(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    before.is_empty() || before.ends_with(['.', '!', '?', ':', '"', '”', '“', '»', '…'])
}

/// Where the run of capitals that begins at word `at` ends.
fn run_end(text: &str, words: &[Word<'_>], at: usize) -> usize {
    let mut end = at;
    while let Some(word) = words.get(end) {
        let joined = end == at
            || text.get(words[end - 1].end..word.start).is_some_and(|gap| gap == " " || gap == "-");
        if !joined || !is_capital(word.text) {
            break;
        }
        end += 1;
    }
    end
}

/// The words of a text; two characters of a script without spaces are one.
fn split(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut begun: Option<(usize, bool)> = None;
    let mut push = |start: usize, end: usize| {
        let cut = start + text[start..end].floor_char_boundary(LONGEST);
        words.push(Word { start, end, text: &text[start..cut] });
    };
    let mut spaceless = 0;
    for (at, c) in text.char_indices() {
        let kind = is_word(c).then(|| is_spaceless(c));
        if let Some((start, other)) = begun
            && (kind != Some(other) || other && spaceless == 2)
        {
            push(start, at);
            begun = None;
        }
        if let Some(kind) = kind {
            if begun.is_none() {
                begun = Some((at, kind));
                spaceless = 0;
            }
            spaceless += 1;
        }
    }
    if let Some((start, _)) = begun {
        push(start, text.len());
    }
    words
}

/// The last bytes of a text, as far as neighbours are looked for.
fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(400))..]
}

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(400)]
}

const PRIME: u64 = 0x0100_0000_01b3;

/// FNV-1a, 64 bits, the high half mixed in (Fowler, Noll & Vo; draft-eastlake-fnv). Stored numbers depend on it.
fn hash(kind: &str, word: &str) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for byte in kind.bytes().chain([0]).chain(word.bytes()) {
        sum = (sum ^ u64::from(byte)).wrapping_mul(PRIME);
    }
    sum ^ sum >> 32
}
