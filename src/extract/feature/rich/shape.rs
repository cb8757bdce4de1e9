//! Repetition: blocks with the same text, and blocks set in the same way (tag and class of the
//! container and of its parent), with what the others of that kind hold.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Masses, PageBlocks, REPEATED, Stats, log, prose, share};
use crate::extract::segment::{hash, mix};

/// Sums over blocks of one kind.
#[derive(Clone, Copy, Default)]
struct Kind {
    blocks: u32,
    words: u32,
    link_words: u32,
    prose: u32,
    longest: u32,
    /// ln(1 + mean words).
    mean: f32,
}

pub(super) struct Shapes {
    kinds: Vec<Kind>,
    /// Per block: its kind by shape, blocks of the same text, blocks of the same shape and parent.
    of: Vec<(u32, u32, u32)>,
}

impl Shapes {
    pub(super) fn new(page: &PageBlocks) -> Shapes {
        let outline = &page.outline;
        let mut keys = [(); 3].map(|()| Vec::with_capacity(page.len()));
        for index in 0..page.len() {
            let at = outline.of(index);
            let parent = outline.around(at);
            let own = outline.look(at);
            keys[0].push(mix(own, outline.look(parent)));
            keys[1].push(hash(page.text(index)));
            keys[2].push(mix(own, u64::from(outline.node(parent))));
        }
        let [shapes, texts, siblings] = keys.each_ref().map(|keys| numbers(keys));
        let mut kinds: Vec<Kind> = Vec::new();
        for (number, (block, stats)) in shapes.iter().zip(page.iter()) {
            if kinds.len() <= *number as usize {
                kinds.push(Kind::default());
            }
            let kind = &mut kinds[*number as usize];
            kind.blocks += 1;
            kind.words += stats.words;
            kind.link_words += stats.link_words;
            kind.prose += prose(block, stats);
            kind.longest = kind.longest.max(stats.words);
        }
        kinds.iter_mut().for_each(|kind| kind.mean = share(kind.words, kind.blocks).ln_1p());
        let (of_text, of_siblings) = (counts(&texts), counts(&siblings));
        let of = shapes.iter().zip(texts).zip(siblings).map(|((shape, text), siblings)| {
            (*shape, of_text[text as usize], of_siblings[siblings as usize])
        });
        Shapes { kinds, of: of.collect() }
    }

    pub(super) fn repeated(
        &self,
        data: &mut Vec<f32>,
        index: usize,
        stats: &Stats,
        masses: &Masses,
    ) {
        let (kind, texts, siblings) = self.of.get(index).copied().unwrap_or_default();
        let kind = self.kinds.get(kind as usize).copied().unwrap_or_default();
        let row: [f32; REPEATED.len()] = [
            texts.min(20) as f32,
            log(kind.blocks),
            kind.mean,
            share(kind.link_words, kind.words),
            log(siblings),
            share(kind.prose, masses.prose()),
            share(stats.words, kind.longest),
        ];
        data.extend_from_slice(&row);
    }
}

/// How often each number stands there.
fn counts(numbers: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; numbers.len()];
    numbers.iter().for_each(|number| counts[*number as usize] += 1);
    counts
}

/// The same number for equal keys, from zero in the order in which they first stand there.
pub(in crate::extract::feature) fn numbers(keys: &[u64]) -> Vec<u32> {
    let mut known: HashMap<u64, u32, RandomState> =
        HashMap::with_capacity_and_hasher(keys.len(), RandomState::default());
    // Neighbours often have the same.
    let mut last = None;
    let number = |key: &u64| match last {
        Some((before, number)) if before == *key => number,
        _ => {
            let next = known.len() as u32;
            let number = *known.entry(*key).or_insert(next);
            last = Some((*key, number));
            number
        }
    };
    keys.iter().map(number).collect()
}
