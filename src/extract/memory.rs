//! Site memory: what an outlet prints on several of its pages is furniture, however much it reads
//! like prose: newsletter offers, disclaimers, house rules, teasers of the day.
//!
//! A memory holds fingerprints of block texts. It is made once from pages already seen, in whatever
//! order, and never changes, so that page, model and memory alone decide what is extracted. Must not
//! know: labelers, stores, how pages are gathered.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::label::Scored;
use super::page::PageBlocks;

/// A text is furniture if it stood on at least so many pages.
const PAGES: u32 = 2;
/// Shorter blocks are left to the labeler: section headings repeat from article to article.
const LEAST_WORDS: u32 = 3;
/// At most so many fingerprints, 8 bytes each: the texts of most pages.
const MOST: usize = 4096;
/// A page that would lose more than this share of its content's words is a copy of pages already
/// seen; the memory has nothing to say of it.
const COPY: f32 = 0.4;

/// Fingerprints of the texts that several pages of one outlet share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Which of the outlet's snapshots this is.
    pub number: u32,
    /// Ascending.
    texts: Vec<u64>,
}

impl Memory {
    /// The memory of these pages, each given as the texts of its blocks (as
    /// [`Article::blocks`](crate::model::Article) keeps them).
    pub fn new<'a, P>(number: u32, pages: impl IntoIterator<Item = P>) -> Memory
    where
        P: IntoIterator<Item = &'a str>,
    {
        let mut pages_of: HashMap<u64, u32> = HashMap::new();
        for page in pages {
            let texts: HashSet<u64> = page.into_iter().map(fingerprint).collect();
            texts.into_iter().for_each(|text| *pages_of.entry(text).or_insert(0) += 1);
        }
        let mut shared: Vec<(u32, u64)> =
            pages_of.into_iter().filter(|(_, n)| *n >= PAGES).map(|(text, n)| (n, text)).collect();
        shared.sort_unstable_by_key(|&(n, text)| (std::cmp::Reverse(n), text));
        shared.truncate(MOST);
        let mut texts: Vec<u64> = shared.into_iter().map(|(_, text)| text).collect();
        texts.sort_unstable();
        Memory { number, texts }
    }

    /// Does the outlet print this text on several pages?
    pub fn knows(&self, text: &str) -> bool {
        self.texts.binary_search(&fingerprint(text)).is_ok()
    }

    /// Takes the known texts out of the content.
    pub fn apply(&self, page: &PageBlocks, scored: &mut [Scored]) {
        let (mut words, mut lost) = (0, 0);
        let mut known: Vec<usize> = Vec::new();
        let content = scored.iter().zip(&page.stats).enumerate().filter(|(_, (s, _))| s.content);
        for (index, (_, stats)) in content {
            words += stats.words;
            if stats.words >= LEAST_WORDS && self.knows(page.text(index)) {
                lost += stats.words;
                known.push(index);
            }
        }
        if lost as f32 > COPY * words as f32 {
            return;
        }
        for index in known {
            if let Some(scored) = scored.get_mut(index) {
                *scored = Scored { content: false, probability: scored.probability.min(0.49) };
            }
        }
    }
}

/// FNV-1a: the same on every machine and in every version.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    const OFFER: &str = "Get our letter every morning and read what matters.";

    fn page(paragraphs: &[&str]) -> PageBlocks {
        let html: String = paragraphs.iter().map(|p| format!("<p>{p}</p>")).collect();
        PageBlocks::read(&html, Profile::Modern, &Limits::default())
    }

    fn check(memory: &Memory, paragraphs: &[&str], expect: &[bool]) {
        let page = page(paragraphs);
        let mut scored = vec![Scored { content: true, probability: 0.9 }; page.len()];
        memory.apply(&page, &mut scored);
        let found: Vec<bool> = scored.iter().map(|s| s.content).collect();
        assert_eq!(found, expect, "{paragraphs:?}");
        assert!(scored.iter().all(|s| (s.probability >= 0.5) == s.content));
    }

    const ONE: &str = "The bridge was closed on Monday because the river had risen again.";
    const TWO: &str = "Engineers are going to look at it and will say by Friday what is next.";

    #[test]
    fn what_two_pages_share_is_furniture_on_a_third() {
        let memory =
            Memory::new(1, [vec!["A first story.", OFFER, "Background"], vec![OFFER, OFFER]]);
        check(&memory, &[ONE, TWO, OFFER], &[true, true, false]);
        let once = Memory::new(1, [vec![OFFER, OFFER], vec!["A first story."]]);
        check(&once, &[ONE, TWO, OFFER], &[true, true, true]);
    }

    #[test]
    fn a_copy_of_known_pages_keeps_its_text() {
        let memory = Memory::new(7, [vec![ONE, TWO, OFFER], vec![ONE, TWO]]);
        check(&memory, &[ONE, TWO, "One more sentence stands here."], &[true, true, true]);
    }

    #[test]
    fn short_lines_and_the_order_of_pages_do_not_matter() {
        let pages = [vec!["Background", OFFER], vec!["Background", OFFER], vec![ONE, OFFER]];
        let memory = Memory::new(3, pages.clone());
        check(&memory, &["Background", ONE, TWO], &[true, true, true]);
        assert_eq!(memory, Memory::new(3, pages.into_iter().rev()));
        let many: Vec<String> = (0..2 * MOST).map(|i| format!("Text number {i}")).collect();
        let texts = || many.iter().map(String::as_str);
        let full = Memory::new(
            1,
            [texts().collect::<Vec<_>>(), texts().chain([OFFER]).collect(), vec![OFFER]],
        );
        assert_eq!(full.texts.len(), MOST);
        let favoured = Memory::new(
            1,
            [
                texts().chain([OFFER]).collect::<Vec<_>>(),
                texts().chain([OFFER]).collect(),
                vec![OFFER],
            ],
        );
        assert!(favoured.knows(OFFER), "the texts of most pages stay");
    }
}
