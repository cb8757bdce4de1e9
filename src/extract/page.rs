//! A page made ready for labeling: tree, blocks, counts, and what is known about it from outside.
//!
//! Must not know: labelers, models.

use std::ops::Range;

use super::dom::{self, Dom, Limits};
use super::segment::{self, Blocks, Outline, Profile, RawBlock};
use super::text::{self, Stats};
use super::unseen::{self, Unseen};

/// A segmented page.
#[derive(Debug)]
pub struct PageBlocks<'p> {
    pub dom: Dom<'p>,
    pub blocks: Blocks,
    /// The elements around the blocks.
    pub outline: Outline,
    /// One per block.
    pub stats: Vec<Stats>,
    /// Of all blocks.
    pub words: Words,
    pub profile: Profile,
    /// What nobody sees.
    unseen: Unseen,
    /// Evidence from beside the blocks; labelers may use it, none may need it.
    pub evidence: Evidence,
}

/// Hashes of the words of all blocks: [`text::word_hashes`].
#[derive(Debug, Default)]
pub struct Words {
    hashes: Vec<u32>,
    /// Where each block's end.
    ends: Vec<usize>,
}

impl Words {
    pub fn of_block(&self, index: usize) -> &[u32] {
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before));
        let end = self.ends.get(index).copied().unwrap_or(0);
        self.hashes.get(start.copied().unwrap_or(0)..end).unwrap_or(&[])
    }
}

/// What feed and page metadata claim about the article, as plain text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    pub title: Option<String>,
    /// Feed summary or page description.
    pub summary: Option<String>,
    /// JSON-LD `articleBody`.
    pub body: Option<String>,
}

/// About so many bytes of text there are for each word.
const BYTES_A_WORD: usize = 6;

impl<'p> PageBlocks<'p> {
    /// Parses and segments a page without outside evidence.
    pub fn read(html: &'p str, profile: Profile, limits: &Limits) -> PageBlocks<'p> {
        let dom = match profile {
            Profile::Text => dom::parse_all(html, limits),
            _ => dom::parse(html, limits),
        };
        // The baseline takes every text node as it stands.
        let unseen = match profile {
            Profile::Text => Unseen::default(),
            _ => unseen::of(&dom),
        };
        PageBlocks::cut(dom, unseen, profile, limits)
    }

    /// Segments a tree without its page's text, so that nothing of it counts as hidden.
    pub fn segment(dom: Dom<'p>, profile: Profile, limits: &Limits) -> PageBlocks<'p> {
        PageBlocks::cut(dom, Unseen::default(), profile, limits)
    }

    fn cut(dom: Dom<'p>, unseen: Unseen, profile: Profile, limits: &Limits) -> PageBlocks<'p> {
        let blocks = segment::blocks(&dom, &unseen, profile, limits.blocks);
        let count = blocks.list.len();
        let mut words = Words {
            hashes: Vec::with_capacity(blocks.text.len() / BYTES_A_WORD),
            ends: Vec::with_capacity(count),
        };
        let mut links: Vec<Range<u32>> = Vec::new();
        let mut counts = text::Counts::new(count);
        for block in &blocks.list {
            let from = block.range.start;
            links.clear();
            let of_block = blocks.links_of(block).iter();
            links.extend(of_block.map(|l| l.range.start - from..l.range.end - from));
            counts.add(blocks.text_of(block), &links, &mut words.hashes);
            words.ends.push(words.hashes.len());
        }
        let stats = counts.end();
        let outline = Outline::new(&dom, &blocks);
        let evidence = Evidence::default();
        PageBlocks { dom, blocks, outline, stats, words, profile, unseen, evidence }
    }

    /// The same with a page of its own.
    pub fn into_owned(self) -> PageBlocks<'static> {
        let PageBlocks { dom, blocks, outline, stats, words, profile, unseen, evidence } = self;
        let dom = dom.into_owned();
        PageBlocks { dom, blocks, outline, stats, words, profile, unseen, evidence }
    }

    /// Blocks with their counts, in page order.
    pub fn iter(&self) -> impl Iterator<Item = (&RawBlock, &Stats)> {
        self.blocks.list.iter().zip(&self.stats)
    }

    /// The normalised text of block `index`; empty if there is none.
    pub fn text(&self, index: usize) -> &str {
        self.blocks.list.get(index).map_or("", |b| self.blocks.text_of(b))
    }

    /// The outermost element that keeps a block from sight.
    pub fn unseen(&self, block: &RawBlock) -> Option<dom::Id> {
        self.unseen.by(block.first)
    }

    /// What the page keeps from sight.
    pub fn hidden(&self) -> &Unseen {
        &self.unseen
    }

    /// May text count that the page hides: the part that readers pay for, or what sheets hide that
    /// take too much work?
    pub fn keeps_hidden(&self) -> bool {
        self.unseen.paid || self.unseen.full
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.list.is_empty()
    }

    /// The limit that cut this page, in words.
    pub fn limit(&self) -> Option<String> {
        let too_many = || format!("more than {} blocks", self.len());
        self.dom.limit.clone().or_else(|| self.blocks.full.then(too_many))
    }
}
