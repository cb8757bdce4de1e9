//! What could be added to a labeler's choice: parts of the tree with what in them is not hopeless.
//!
//! Must not know: which edits are good ones.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::Said;
use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::RawBlock;

/// At most so many edits of a page are looked at.
const MOST: usize = 400;
/// Fewer words are the labeler's own business.
const LEAST_WORDS: u32 = 12;
/// Blocks less likely than this are added by no edit …
const LEAST: f32 = 0.03;
/// … nor those less likely than this by one that completes a container with what is likely.
const LIKELY: f32 = 0.15;
/// An article may go on for so many blocks behind its last one.
const BEHIND: u32 = 12;

/// Where the blocks of an edit lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// In a child of the main container.
    Child,
    /// In a part of the page beside the main container.
    Beside,
    /// Anywhere in the main container.
    Main,
    /// Between two pieces of content, or right behind the last.
    Hole,
}

/// Blocks that become content together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    pub scope: Scope,
    /// Ascending.
    pub blocks: Vec<u32>,
}

/// The tree seen from the blocks: which of them each element holds, and which element holds the article.
pub(super) struct Frame {
    /// Per place of the page's outline: its first block and the one behind its last.
    spans: Vec<(u32, u32)>,
    /// From the top down to the main container.
    pub(super) path: Vec<Id>,
    /// The main container's blocks.
    main: (u32, u32),
    /// Words of content before each block, and of all.
    words: Vec<u32>,
    blocks: Vec<u32>,
}

impl Frame {
    pub(super) fn new(said: Said<'_>) -> Frame {
        let Said { page, scored, .. } = said;
        let outline = &page.outline;
        let mut spans = vec![(u32::MAX, 0); outline.places.len()];
        for index in 0..page.len() {
            if let Some(span) = spans.get_mut(outline.of(index) as usize) {
                *span = (span.0.min(index as u32), index as u32 + 1);
            }
        }
        // In the order in which the parser made them: where one was made before what is around it, that holds its blocks
        // and what is further out does not. Models were trained so.
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_unstable_by_key(|&at| outline.places[at].node);
        for at in order.into_iter().rev() {
            let (first, end) = spans[at];
            if first < end
                && let Some(span) = spans.get_mut(outline.places[at].around as usize)
            {
                *span = (span.0.min(first), span.1.max(end));
            }
        }
        let (mut words, mut blocks) = (vec![0], vec![0]);
        let (mut sum, mut count) = (0, 0);
        for (stats, scored) in page.stats.iter().zip(scored) {
            if scored.content {
                sum += stats.words;
                count += 1;
            }
            words.push(sum);
            blocks.push(count);
        }
        let mut frame = Frame { spans, path: Vec::new(), main: (0, 0), words, blocks };
        frame.path = frame.descend(page);
        frame.main = frame.path.last().map_or((0, 0), |&id| frame.span(page, id));
        frame
    }

    /// From the root to the lowest element that holds half of the content's words.
    fn descend(&self, page: &PageBlocks) -> Vec<Id> {
        let (total, count) = self.content((0, page.len() as u32));
        let mut path = vec![page.dom.root()];
        let mut at = page.dom.first_child(page.dom.root());
        while let Some(id) = at {
            let span = self.span(page, id);
            let (words, blocks) = self.content(span);
            let holds = words * 2 >= total && blocks >= count.min(2);
            if holds && span.1.saturating_sub(span.0) >= 2 {
                path.push(id);
                at = page.dom.first_child(id);
            } else {
                at = page.dom.next_sibling(id);
            }
        }
        path
    }

    /// The first block in an element, and the one behind the last.
    fn span(&self, page: &PageBlocks, id: Id) -> (u32, u32) {
        let at = page.outline.at(id);
        self.spans.get(at as usize).copied().filter(|(a, b)| a < b).unwrap_or((0, 0))
    }

    /// Words and blocks of content among these blocks.
    pub(super) fn content(&self, span: (u32, u32)) -> (u32, u32) {
        let sum = |list: &[u32]| {
            let at = |i: u32| list.get(i as usize).copied().unwrap_or(0);
            at(span.1).saturating_sub(at(span.0))
        };
        (sum(&self.words), sum(&self.blocks))
    }

    pub(super) fn main(&self) -> (u32, u32) {
        self.main
    }
}

/// All that could be added to what a labeler said; nothing if it found no content.
pub fn edits(said: Said<'_>) -> Vec<Edit> {
    within(said, &Frame::new(said))
}

/// As [`edits`], with the frame of what was said.
pub(super) fn within(said: Said<'_>, frame: &Frame) -> Vec<Edit> {
    let Said { page, probabilities, scored, cut, .. } = said;
    let all = (0, page.len() as u32);
    if frame.content(all).1 == 0 {
        return Vec::new();
    }
    let content = |i: u32| scored.get(i as usize).is_some_and(|s| s.content);
    let addable = |i: u32, least: f32| {
        let (Some(block), Some(stats), Some(&p)) = (
            page.blocks.list.get(i as usize),
            page.stats.get(i as usize),
            probabilities.get(i as usize),
        ) else {
            return false;
        };
        // What is likely enough and yet no content repeats what is.
        !content(i)
            && p >= least
            && p < cut
            && stats.words > 0
            && stats.link_words * 2 <= stats.words
            && is_seen(page, block)
    };
    let mut found = Found { page, edits: Vec::new(), known: HashSet::default() };
    let (from, end) = frame.main();
    found.add(Scope::Main, (from..end).filter(|&i| addable(i, LIKELY)));
    found.add(Scope::Main, (from..end).filter(|&i| addable(i, LEAST)));
    let mut last: Option<u32> = None;
    for i in (0..all.1).filter(|&i| content(i)) {
        if let Some(last) = last {
            found.add(Scope::Hole, (last + 1..i).filter(|&i| addable(i, LEAST)));
        }
        last = Some(i);
    }
    if let Some(last) = last {
        let behind = (last + 1).min(end)..end.min(last + 1 + BEHIND);
        found.add(Scope::Hole, behind.filter(|&i| addable(i, LEAST)));
    }
    for (level, &node) in frame.path.iter().enumerate() {
        let below = frame.path.get(level + 1).copied();
        let inner = below.map_or((u32::MAX, 0), |b| frame.span(page, b));
        let scope = if below.is_none() { Scope::Child } else { Scope::Beside };
        let (mut at, end) = frame.span(page, node);
        while at < end && found.edits.len() < MOST {
            if at >= inner.0 && at < inner.1 {
                at = inner.1;
                continue;
            }
            let branch = child(page, node, at).map_or((at, at + 1), |id| frame.span(page, id));
            let next = branch.1.max(at + 1).min(end);
            found.add(scope, (at..next).filter(|&i| addable(i, LEAST)));
            at = next;
        }
    }
    found.edits
}

/// Edits found so far, each once.
struct Found<'a> {
    page: &'a PageBlocks<'a>,
    edits: Vec<Edit>,
    known: HashSet<Vec<u32>, RandomState>,
}

impl Found<'_> {
    fn add(&mut self, scope: Scope, blocks: impl Iterator<Item = u32>) {
        let blocks: Vec<u32> = blocks.collect();
        let words = |i: &u32| self.page.stats.get(*i as usize).map_or(0, |s| s.words);
        if self.edits.len() < MOST
            && blocks.iter().map(words).sum::<u32>() >= LEAST_WORDS
            && self.known.insert(blocks.clone())
        {
            self.edits.push(Edit { scope, blocks });
        }
    }
}

/// The names that all of these blocks lie within.
pub(super) fn above(page: &PageBlocks, blocks: impl Iterator<Item = u32>) -> u32 {
    let names = blocks.filter_map(|i| page.blocks.list.get(i as usize)).map(|b| b.above.0);
    names.reduce(|a, b| a & b).unwrap_or(0)
}

/// The child of `node` that holds a block; none if the block is text of its own.
fn child(page: &PageBlocks, node: Id, block: u32) -> Option<Id> {
    let block = page.blocks.list.get(block as usize)?;
    let up = std::iter::once(block.container).chain(page.dom.ancestors(block.container));
    up.take_while(|&id| id != node).last()
}

fn is_seen(page: &PageBlocks, block: &RawBlock) -> bool {
    page.unseen(block).is_none()
}
