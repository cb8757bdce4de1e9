//! The eleven feature types of Gibson et al. 2007 §6, as named sparse features of a block; made for
//! profile *gibson2007*, whose blocks are wrapped as tightly as possible.
//!
//! Counts of words are as counted; the token count is ln(1 + n), so that one long block does not
//! outweigh the rest of a linear score; percentages lie in 0–1. Must not know: labelers, models.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::ops::Range;

use crate::html::name;
use serde::{Deserialize, Serialize};

use super::entities::{Kind, entities};
use crate::extract::dom::{Dom, Id};
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Profile, RawBlock, Role};
use crate::extract::text::{self, LANGUAGES};

/// Words of a block beyond these are not looked at.
const MAX_WORDS: usize = 4_000;
/// Longer words are no words; they have no feature.
const MAX_LETTERS: usize = 40;
/// Tokens of the page's title beyond these are not matched.
const MAX_TITLE: usize = 64;
/// Texts and comments between a span and the element beside it, at most.
const REACH: usize = 64;

/// A set of feature types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Types(pub u16);

impl Types {
    /// Bag of words; tokens of named entities are not in it.
    pub const WORDS: Types = Types(1);
    /// Bag of stop words of the page's language, in place of all words.
    pub const STOP_WORDS: Types = Types(1 << 1);
    pub const ENTITIES: Types = Types(1 << 2);
    pub const TITLE_CASE: Types = Types(1 << 3);
    pub const ANCHORS: Types = Types(1 << 4);
    pub const TITLE: Types = Types(1 << 5);
    pub const ANCESTORS: Types = Types(1 << 6);
    pub const DESCENDANTS: Types = Types(1 << 7);
    pub const SIBLINGS: Types = Types(1 << 8);
    pub const TOKENS: Types = Types(1 << 9);
    pub const IMAGE: Types = Types(1 << 10);
    /// All that can stand together: stop words are for where words are not.
    pub const ALL: Types = Types(0x7FF & !Types::STOP_WORDS.0);

    /// Are all of `other` in the set?
    pub fn has(self, other: Types) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set without `other`.
    pub fn without(self, other: Types) -> Types {
        Types(self.0 & !other.0)
    }

    /// The set with `other`.
    pub fn with(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    /// The type of a feature by its name.
    pub fn of(feature: &str) -> Types {
        match feature.split(' ').next().unwrap_or("") {
            "word" => Types::WORDS,
            "stop" => Types::STOP_WORDS,
            "entity" => Types::ENTITIES,
            "case" => Types::TITLE_CASE,
            "linked" => Types::ANCHORS,
            "title" => Types::TITLE,
            "parent" | "grandparent" => Types::ANCESTORS,
            "holds" => Types::DESCENDANTS,
            "before" | "after" => Types::SIBLINGS,
            "tokens" => Types::TOKENS,
            "image" => Types::IMAGE,
            _ => Types(0),
        }
    }
}

/// Gives `emit` every feature of every block: index of the block, name, value. Features of a block
/// come together, blocks in page order.
pub fn features(page: &PageBlocks, types: Types, emit: &mut dyn FnMut(usize, &str, f32)) {
    let title = Title::of(&page.dom);
    let language = language(page);
    let mut name = String::new();
    for (index, (block, stats)) in page.iter().enumerate() {
        let text = page.text(index);
        let words: Vec<Range<usize>> = text::words(text).take(MAX_WORDS).collect();
        let mut put = |parts: [&str; 2], value: f32| {
            name.clear();
            name.push_str(parts[0]);
            if !parts[1].is_empty() {
                name.push(' ');
                name.push_str(parts[1]);
            }
            emit(index, &name, value);
        };
        if types.has(Types::WORDS) || types.has(Types::STOP_WORDS) || types.has(Types::ENTITIES) {
            bag(text, &words, types, language, &mut put);
        }
        if types.has(Types::TITLE_CASE) {
            casing(text, &words, &mut put);
        }
        if types.has(Types::ANCHORS) && stats.link_words > 0 {
            put(["linked", ""], stats.link_words as f32 / stats.words.max(1) as f32);
        }
        if types.has(Types::TITLE)
            && let Some(share) = title.share(text, &words)
        {
            put(["title", ""], share);
        }
        structure(page, block, types, &mut put);
        if types.has(Types::TOKENS) {
            put(["tokens", ""], (1.0 + stats.words as f32).ln());
        }
        if types.has(Types::IMAGE) && block.after_image {
            put(["image", ""], 1.0);
        }
    }
}

type Put<'a> = &'a mut dyn FnMut([&str; 2], f32);

/// The page's language as the one bit of its stop words.
fn language(page: &PageBlocks) -> u64 {
    let mut hits = [0u32; LANGUAGES.len()];
    for stats in page.stats.iter().filter(|s| s.stop > 0) {
        if let Some(n) = hits.get_mut(usize::from(stats.language)) {
            *n += stats.stop;
        }
    }
    let best = hits.iter().enumerate().max_by_key(|(i, n)| (**n, std::cmp::Reverse(*i)));
    best.map_or(0, |(i, _)| 1 << i)
}

/// Words, stop words and entities.
fn bag(text: &str, words: &[Range<usize>], types: Types, language: u64, put: Put<'_>) {
    let mut named = vec![false; words.len()];
    if types.has(Types::ENTITIES) {
        let found = entities(text, words);
        for kind in Kind::ALL {
            let n = found.iter().filter(|(k, _)| *k == kind).count();
            if n > 0 {
                put(["entity", kind.name()], n as f32);
            }
        }
        for (_, range) in found {
            named[range].fill(true);
        }
    }
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (word, named) in words.iter().zip(named) {
        let mut count = |token: &str| {
            let token = token.to_lowercase();
            if (!named || is_agency(&token)) && token.chars().count() <= MAX_LETTERS {
                *counts.entry(token).or_default() += 1;
            }
        };
        tokens(&text[word.clone()], &mut count);
    }
    for (token, n) in &counts {
        if types.has(Types::WORDS) {
            put(["word", token], *n as f32);
        }
        if types.has(Types::STOP_WORDS) && text::stop_languages(token) & language != 0 {
            put(["stop", token], *n as f32);
        }
    }
}

/// Reuters, AP, A.P. and Associated Press stay in the bag though they are organizations (§6).
fn is_agency(token: &str) -> bool {
    matches!(token, "reuters" | "ap" | "a" | "p" | "associated" | "press")
}

/// A word is a token; a run of a script without spaces gives a token per character pair.
fn tokens(word: &str, each: &mut dyn FnMut(&str)) {
    if !word.starts_with(text::is_spaceless) {
        return each(word);
    }
    let mut starts = word.char_indices().map(|(i, _)| i).skip(1);
    let mut from = 0;
    let mut middle = starts.next();
    while let Some(at) = middle {
        let next = starts.next();
        each(&word[from..next.unwrap_or(word.len())]);
        (from, middle) = (at, next);
    }
}

fn casing(text: &str, words: &[Range<usize>], put: Put<'_>) {
    let starts = |test: fn(char) -> bool| {
        move |w: &Range<usize>| text[w.start..].chars().next().is_some_and(test)
    };
    if !words.is_empty() && words.iter().all(starts(char::is_uppercase)) {
        put(["case", "title"], 1.0);
    }
    if words.iter().any(starts(char::is_lowercase)) {
        put(["case", "lower"], 1.0);
    }
}

/// The tokens of the page's `<title>`.
struct Title {
    /// Where in the title a token stands: one bit per place.
    places: HashMap<String, u64>,
    len: u32,
}

impl Title {
    fn of(dom: &Dom) -> Title {
        let mut title = Title { places: HashMap::new(), len: 0 };
        let is_title = |&id: &Id| dom.tag(id).is_some_and(|t| t == name!("title"));
        let Some(node) = (0..dom.nodes.len() as Id).find(is_title) else { return title };
        let text = dom.text_of(node);
        for word in text::words(&text) {
            tokens(&text[word], &mut |token| {
                if (title.len as usize) < MAX_TITLE {
                    *title.places.entry(token.to_lowercase()).or_default() |= 1 << title.len;
                    title.len += 1;
                }
            });
        }
        title
    }

    /// Share of the title's tokens that stand in the text in the same order (longest common
    /// subsequence, all places of the title at once in one word), if at least two do.
    fn share(&self, text: &str, words: &[Range<usize>]) -> Option<f32> {
        if self.len < 2 {
            return None;
        }
        let mut open = u64::MAX;
        for word in words {
            tokens(&text[word.clone()], &mut |token| {
                if let Some(&places) = self.places.get(&token.to_lowercase()) {
                    let hit = open & places;
                    open = open.wrapping_add(hit) | (open & !places);
                }
            });
        }
        let mask = if self.len == 64 { u64::MAX } else { (1 << self.len) - 1 };
        let matched = (!open & mask).count_ones();
        (matched >= 2).then(|| matched as f32 / self.len as f32)
    }
}

/// Tags around and within the block.
fn structure(page: &PageBlocks, block: &RawBlock, types: Types, put: Put<'_>) {
    let dom = &page.dom;
    let Some((parent, from, to)) = wrap(dom, block.first, block.last) else { return };
    if types.has(Types::ANCESTORS) {
        put(["parent", dom.name(parent)], 1.0);
        if let Some(above) = dom.parent(parent).filter(|&id| dom.element(id).is_some()) {
            put(["grandparent", dom.name(above)], 1.0);
        }
    }
    if types.has(Types::DESCENDANTS) {
        let mut seen: Vec<String> = Vec::new();
        for &id in page.blocks.merged_of(block) {
            let Some(element) = dom.element(id) else { continue };
            let inline = Profile::Gibson2007.role(dom, id, element) == Role::Inline;
            if !inline || id == parent || !dom.ancestors(id).any(|a| a == parent) {
                continue;
            }
            let tag = match dom.name(id) {
                "a" if dom.attr(id, "href").is_some() => "a[href]",
                "a" if dom.attr(id, "name").is_some() => "a[name]",
                "b" => "strong",
                "i" => "em",
                tag => tag,
            };
            if !seen.iter().any(|s| s == tag) {
                put(["holds", tag], 1.0);
                seen.push(tag.to_owned());
            }
        }
    }
    if types.has(Types::SIBLINGS) {
        let element = |id: &Id| dom.element(*id).is_some();
        let earlier = std::iter::successors(dom.prev_sibling(from), |&s| dom.prev_sibling(s));
        if let Some(id) = earlier.take(REACH).find(element) {
            put(["before", dom.name(id)], 1.0);
        }
        let later = std::iter::successors(dom.next_sibling(to), |&s| dom.next_sibling(s));
        if let Some(id) = later.take(REACH).find(element) {
            put(["after", dom.name(id)], 1.0);
        }
    }
}

/// The element that a span wrapped tightly around the two text nodes would stand in, and that
/// element's children which hold the first and the last of them.
fn wrap(dom: &Dom, first: Id, last: Id) -> Option<(Id, Id, Id)> {
    if first == last {
        return Some((dom.parent(first)?, first, first));
    }
    let above: Vec<Id> = dom.ancestors(first).collect();
    let mut to = last;
    for parent in dom.ancestors(last) {
        if let Some(at) = above.iter().position(|&a| a == parent) {
            let from = at.checked_sub(1).and_then(|i| above.get(i)).copied().unwrap_or(first);
            return Some((parent, from, to));
        }
        to = parent;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;

    fn of(html: &str, types: Types) -> Vec<Vec<(String, f32)>> {
        let page = PageBlocks::read(html, Profile::Gibson2007, &Limits::default());
        let mut out = vec![Vec::new(); page.len()];
        features(&page, types, &mut |i, name, value| out[i].push((name.to_owned(), value)));
        out
    }

    fn check(html: &str, types: Types, block: usize, expect: &[(&str, f32)]) {
        let all = of(html, types);
        let got: Vec<(&str, f32)> = all[block].iter().map(|(n, v)| (n.as_str(), *v)).collect();
        assert_eq!(got, expect, "{html}");
        assert!(all.iter().flatten().all(|(name, _)| types.has(Types::of(name))));
    }

    #[test]
    fn words_leave_entities_out_but_for_agencies() {
        let html = "<p>the town, THE old Anna Kern told AP</p>";
        let words = Types::WORDS.with(Types::ENTITIES);
        let bag = [("word ap", 1.0), ("word old", 1.0), ("word the", 2.0), ("word told", 1.0)];
        let entities = [("entity person", 1.0), ("entity organization", 1.0)];
        let town = [("word town", 1.0)];
        check(html, words, 0, &[&entities[..], &bag, &town].concat());
        check(html, Types::STOP_WORDS, 0, &[("stop old", 1.0), ("stop the", 2.0)]);
        check("<p>北京市", Types::WORDS, 0, &[("word 京市", 1.0), ("word 北京", 1.0)]);
        check("<p>京", Types::WORDS, 0, &[]);
    }

    #[test]
    fn case_links_length_and_pictures() {
        let lower = [("case lower", 1.0)];
        check("<p>Two Words", Types::TITLE_CASE, 0, &[("case title", 1.0)]);
        check("<p>Two words", Types::TITLE_CASE, 0, &lower);
        check("<p>2 WORDS", Types::TITLE_CASE, 0, &[]);
        check("<p>a b c <a href=x>d</a>", Types::ANCHORS, 0, &[("linked", 0.25)]);
        check("<p>a", Types::TOKENS, 0, &[("tokens", 2f32.ln())]);
        check("a<img>b", Types::IMAGE, 0, &[]);
        check("a<img>b", Types::IMAGE, 1, &[("image", 1.0)]);
    }

    #[test]
    fn title_words_match_in_order() {
        let title = "<title>Old bridge in town to close - Example</title>";
        let check = |text: &str, expect: &[(&str, f32)]| {
            check(&format!("{title}<p>{text}"), Types::TITLE, 0, expect);
        };
        check("The old BRIDGE will close", &[("title", 3.0 / 7.0)]);
        check("close bridge", &[]);
        check("bridge", &[]);
    }

    #[test]
    fn tags_are_those_of_a_tight_wrap() {
        let html = "<div><h2>t</h2><p>x <a href=y><b>z</b></a> <i>w</i></p><ul><li><a href=q>only</a></ul>";
        let tags = Types::ANCESTORS.with(Types::DESCENDANTS).with(Types::SIBLINGS);
        let one = |names: &[&str]| -> Vec<Vec<String>> {
            vec![names.iter().map(|n| (*n).to_owned()).collect()]
        };
        let names = |block: usize| -> Vec<Vec<String>> {
            vec![of(html, tags)[block].iter().map(|(n, _)| n.clone()).collect()]
        };
        assert_eq!(names(0), one(&["parent h2", "grandparent div"]));
        let p = ["parent p", "grandparent div", "holds a[href]", "holds strong", "holds em"];
        assert_eq!(names(1), one(&p));
        assert_eq!(names(2), one(&["parent a", "grandparent li"]));
        let html = "a<br>b<hr>";
        check(html, Types::SIBLINGS, 1, &[("before br", 1.0), ("after hr", 1.0)]);
    }

    #[test]
    fn the_title_match_is_the_longest_common_subsequence() {
        fn naive(a: &[u8], b: &[u8]) -> usize {
            let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
            for (i, x) in a.iter().enumerate() {
                for (j, y) in b.iter().enumerate() {
                    rows[i + 1][j + 1] =
                        if x == y { rows[i][j] + 1 } else { rows[i][j + 1].max(rows[i + 1][j]) };
                }
            }
            rows[a.len()][b.len()]
        }
        let words = |s: &[u8]| s.iter().map(|b| format!("w{b} ")).collect::<String>();
        let strategy =
            (proptest::collection::vec(0..6u8, 2..64), proptest::collection::vec(0..6u8, 0..40));
        proptest::proptest!(|((title, block) in strategy)| {
            let html = format!("<title>{}</title><p>.{}", words(&title), words(&block));
            let found = of(&html, Types::TITLE).first().and_then(|b| b.first().map(|f| f.1));
            let n = naive(&title, &block);
            let expect = (n >= 2).then(|| n as f32 / title.len() as f32);
            assert_eq!(found, expect);
        });
    }

    proptest::proptest! {
        #[test]
        fn any_page_has_finite_features(html in "(<[a-i]{1,2}>|</[a-i]>|[a-zA-Z0-9 .%]{1,9}|京都|<img>|<title>x y</title>){0,30}") {
            let types = Types(0x7FF);
            let once = of(&html, types);
            assert!(once.iter().flatten().all(|(n, v)| v.is_finite() && types.has(Types::of(n))));
            assert_eq!(once, of(&html, types));
        }
    }
}
