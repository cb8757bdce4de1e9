//! How much running text the containers around a block hold, and where the densest one is.

use super::{AROUND, LEVEL, LEVELS, PageBlocks, RawBlock, Run, Stats, log, prose, share};
use crate::extract::segment::{At, NOWHERE};

/// Sums over all blocks in an element.
#[derive(Clone, Copy, Default)]
pub(super) struct Mass {
    pub(super) words: u32,
    pub(super) link_words: u32,
    prose: u32,
    blocks: u32,
    /// First and last block in it.
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Mass {
    fn add(&mut self, inner: Mass) {
        if self.blocks == 0 {
            (self.first, self.last) = (inner.first, inner.last);
        }
        self.first = self.first.min(inner.first);
        self.last = self.last.max(inner.last);
        self.blocks += inner.blocks;
        self.words += inner.words;
        self.link_words += inner.link_words;
        self.prose += inner.prose;
    }
}

/// Where an element lies beside the densest one.
#[derive(Clone, Copy, Default)]
struct Beside {
    inside: bool,
    inside_outer: bool,
    /// Steps up to the nearest one that also holds the densest one's text.
    steps: Option<u32>,
}

/// What an element says of itself as an ancestor.
type Level = [f32; LEVEL.len()];

/// One of each for every place of the page's outline.
pub(super) struct Masses {
    masses: Vec<Mass>,
    beside: Vec<Beside>,
    levels: Vec<Level>,
    prose: u32,
    words: u32,
    /// The container with the most running text directly in it.
    densest: At,
}

impl Masses {
    pub(super) fn new(page: &PageBlocks) -> Masses {
        let outline = &page.outline;
        let mut masses = vec![Mass::default(); outline.places.len()];
        let mut direct = vec![0u32; masses.len()];
        let mut total = 0;
        let mut words = 0;
        for (index, (block, stats)) in page.iter().enumerate() {
            let prose = prose(block, stats);
            total += prose;
            words += stats.words;
            let at = outline.of(index);
            if let Some(mass) = masses.get_mut(at as usize) {
                let Stats { words, link_words, .. } = *stats;
                let (first, last) = (index as u32, index as u32);
                mass.add(Mass { words, link_words, prose, blocks: 1, first, last });
            }
            // Paragraphs stand in a container; half goes to the one around it, because sites
            // wrap every few paragraphs.
            let parent = outline.around(at);
            for (at, weight) in [(parent, 2), (outline.around(parent), 1)] {
                if let Some(sum) = direct.get_mut(at as usize) {
                    *sum += weight * prose;
                }
            }
        }
        for at in (0..masses.len()).rev() {
            let inner = masses[at];
            if let Some(around) = masses.get_mut(outline.places[at].around as usize) {
                around.add(inner);
            }
        }
        // Of equals, the one that the parser made first.
        let rank = |&(at, &sum): &(At, &u32)| (sum, std::cmp::Reverse(outline.node(at)));
        let densest = match (0..).zip(&direct).max_by_key(rank) {
            Some((at, 1..)) => at,
            _ => NOWHERE,
        };
        let levels = masses.iter().map(|mass| {
            [
                share(mass.prose, total),
                share(mass.prose, mass.words),
                share(mass.link_words, mass.words),
                log(mass.blocks),
            ]
        });
        let levels = levels.collect();
        let mut all = Masses { masses, beside: Vec::new(), levels, prose: total, words, densest };
        all.beside = all.lay(page);
        all
    }

    /// Where each place lies beside the densest one.
    fn lay(&self, page: &PageBlocks) -> Vec<Beside> {
        let densest = self.of(self.densest);
        let outer = page.outline.around(self.densest);
        let mut all: Vec<Beside> = Vec::with_capacity(self.masses.len());
        for ((at, place), mass) in (0..).zip(&page.outline.places).zip(&self.masses) {
            let around = all.get(place.around as usize).copied().unwrap_or_default();
            let holds = mass.first <= densest.first
                && mass.last >= densest.last
                && mass.blocks >= densest.blocks;
            all.push(Beside {
                inside: around.inside || at == self.densest,
                inside_outer: around.inside_outer || at == outer,
                steps: if holds { Some(0) } else { around.steps.map(|steps| steps + 1) },
            });
        }
        all
    }

    pub(super) fn of(&self, at: At) -> Mass {
        self.masses.get(at as usize).copied().unwrap_or_default()
    }

    /// Prose of the whole page.
    pub(super) fn prose(&self) -> u32 {
        self.prose
    }

    /// Words of the whole page.
    pub(super) fn words(&self) -> u32 {
        self.words
    }

    pub(super) fn around(
        &self,
        data: &mut Vec<f32>,
        page: &PageBlocks,
        index: usize,
        block: &RawBlock,
        stats: &Stats,
        run: &Run,
    ) {
        let densest = self.of(self.densest);
        let at = page.outline.of(index);
        let beside = self.beside.get(at as usize).copied().unwrap_or_default();
        let depth = |at| page.outline.place(at).map_or(0, |place| place.depth as i32);
        let from = |at: u32| (index as f32 - at as f32).clamp(-100.0, 100.0);
        let known = self.densest != NOWHERE;
        let deeper = depth(at) - depth(self.densest);
        let prose_here = u32::from(prose(block, stats) > 0);
        let row: [f32; AROUND.len()] = [
            f32::from(beside.inside),
            f32::from(beside.inside_outer),
            if known { from(densest.first) } else { -101.0 },
            if known { from(densest.last) } else { -101.0 },
            share(densest.prose, self.prose),
            if known { deeper.clamp(-50, 50) as f32 } else { -51.0 },
            beside.steps.map_or(-1.0, |s| s.min(50) as f32),
            (run.length + prose_here) as f32,
            log(run.since_gap),
            run.gap.min(50) as f32,
        ];
        data.extend_from_slice(&row);
    }

    /// Masses of the nearest ancestor containers.
    pub(super) fn levels(&self, data: &mut Vec<f32>, page: &PageBlocks, index: usize) {
        let mut at = page.outline.of(index);
        for _ in 0..LEVELS {
            at = page.outline.around(at);
            data.extend(self.levels.get(at as usize).copied().unwrap_or_default());
        }
    }
}
