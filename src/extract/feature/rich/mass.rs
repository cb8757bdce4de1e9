//! How much running text the containers around a block hold, and where the densest one is.

use super::{AROUND, LEVEL, PageBlocks, RawBlock, Run, Stats, log, prose, share};
use crate::extract::dom::{Dom, Id, NONE};

/// Sums over all blocks below a node.
#[derive(Clone, Copy, Default)]
pub(super) struct Mass {
    pub(super) words: u32,
    pub(super) link_words: u32,
    prose: u32,
    blocks: u32,
    /// First and last block below it.
    pub(super) first: u32,
    pub(super) last: u32,
}

pub(super) struct Masses {
    nodes: Vec<Mass>,
    prose: u32,
    words: u32,
    /// The container with the most running text directly in it.
    densest: Id,
    depth: i32,
}

impl Masses {
    pub(super) fn new(page: &PageBlocks) -> Masses {
        let mut nodes = vec![Mass::default(); page.dom.nodes.len()];
        let mut direct = vec![0u32; nodes.len()];
        let mut total = 0;
        let mut words = 0;
        for (index, (block, stats)) in page.iter().enumerate() {
            let prose = prose(block, stats);
            total += prose;
            words += stats.words;
            for id in upwards(&page.dom, block.container) {
                let Some(mass) = nodes.get_mut(id as usize) else { break };
                if mass.blocks == 0 {
                    mass.first = index as u32;
                }
                mass.last = index as u32;
                mass.blocks += 1;
                mass.words += stats.words;
                mass.link_words += stats.link_words;
                mass.prose += prose;
            }
            // Paragraphs stand in a container; half goes to the one around it, because sites
            // wrap every few paragraphs.
            let parent = page.dom.parent(block.container);
            let above = parent.and_then(|p| page.dom.parent(p));
            for (id, weight) in [(parent, 2), (above, 1)] {
                if let Some(sum) = id.and_then(|id| direct.get_mut(id as usize)) {
                    *sum += weight * prose;
                }
            }
        }
        let best = (0..).zip(&direct).max_by_key(|&(id, &n)| (n, std::cmp::Reverse(id)));
        let densest = match best {
            Some((id, 1..)) => id,
            _ => NONE,
        };
        let depth = page.dom.ancestors(densest).count() as i32;
        Masses { nodes, prose: total, words, densest, depth }
    }

    pub(super) fn of(&self, id: Id) -> Mass {
        self.nodes.get(id as usize).copied().unwrap_or_default()
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
        run: &mut Run,
    ) {
        let densest = self.of(self.densest);
        let outer = page.dom.parent(self.densest).unwrap_or(NONE);
        let mut inside = false;
        let mut inside_outer = false;
        let mut depth = 0;
        // Steps up from the block to the nearest container that also holds the densest one's text.
        let mut steps = None;
        for (n, id) in upwards(&page.dom, block.container).enumerate() {
            inside |= id == self.densest;
            inside_outer |= id == outer;
            depth = n as i32;
            let mass = self.of(id);
            let holds = mass.first <= densest.first && mass.last >= densest.last;
            if holds && mass.blocks >= densest.blocks && steps.is_none() {
                steps = Some(n);
            }
        }
        let from = |at: u32| (index as f32 - at as f32).clamp(-100.0, 100.0);
        let known = self.densest != NONE;
        let prose_here = u32::from(prose(block, stats) > 0);
        let row: [f32; AROUND.len()] = [
            f32::from(inside),
            f32::from(inside_outer),
            if known { from(densest.first) } else { -101.0 },
            if known { from(densest.last) } else { -101.0 },
            share(densest.prose, self.prose),
            if known { (depth - self.depth).clamp(-50, 50) as f32 } else { -51.0 },
            steps.map_or(-1.0, |s| s.min(50) as f32),
            (run.length + prose_here) as f32,
            log(run.since_gap),
            run.gap.min(50) as f32,
        ];
        data.extend_from_slice(&row);
    }

    /// Masses of the nearest ancestor containers.
    pub(super) fn levels<const N: usize>(
        &self,
        data: &mut Vec<f32>,
        page: &PageBlocks,
        block: &RawBlock,
    ) {
        let mut ancestors = upwards(&page.dom, block.container).skip(1);
        for _ in 0..N {
            let mass = ancestors.next().map(|id| self.of(id)).unwrap_or_default();
            let row: [f32; LEVEL.len()] = [
                share(mass.prose, self.prose),
                share(mass.prose, mass.words),
                share(mass.link_words, mass.words),
                log(mass.blocks),
            ];
            data.extend_from_slice(&row);
        }
    }
}

/// A node and its ancestors.
pub(super) fn upwards(dom: &Dom, id: Id) -> impl Iterator<Item = Id> + '_ {
    std::iter::successors((id != NONE).then_some(id), |&n| dom.parent(n))
}
