//! Repetition: blocks with the same text, and blocks set in the same way (tag and class of the
//! container and of its parent), with what the others of that kind hold.

use crate::html::name;

use super::{Masses, PageBlocks, REPEATED, Stats, log, prose, share};
use crate::extract::dom::{Dom, Id, NONE};

/// Sums over blocks of one kind.
#[derive(Clone, Copy, Default)]
struct Kind {
    blocks: u32,
    words: u32,
    link_words: u32,
    prose: u32,
    longest: u32,
}

pub(super) struct Shapes {
    kinds: Vec<Kind>,
    /// Per block: its kind by shape, blocks of the same text, blocks of the same shape and parent.
    of: Vec<(u32, u32, u32)>,
}

impl Shapes {
    pub(super) fn new(page: &PageBlocks) -> Shapes {
        let mut shapes = Vec::with_capacity(page.len());
        let mut texts = Vec::with_capacity(page.len());
        let mut siblings = Vec::with_capacity(page.len());
        for (index, (block, _)) in (0u32..).zip(page.iter()) {
            let parent = page.dom.parent(block.container).unwrap_or(NONE);
            let own = shape(&page.dom, block.container);
            shapes.push((mix(own, shape(&page.dom, parent)), index));
            siblings.push((mix(own, u64::from(parent)), index));
            texts.push((hash(page.text(index as usize)), index));
        }
        let mut of = vec![(0, 0, 0); page.len()];
        let mut kinds: Vec<Kind> = Vec::new();
        each_group(&mut shapes, |group| {
            let mut kind = Kind::default();
            for &(_, index) in group {
                let index = index as usize;
                if let (Some(block), Some(stats)) =
                    (page.blocks.list.get(index), page.stats.get(index))
                {
                    kind.blocks += 1;
                    kind.words += stats.words;
                    kind.link_words += stats.link_words;
                    kind.prose += prose(block, stats);
                    kind.longest = kind.longest.max(stats.words);
                }
                of[index].0 = kinds.len() as u32;
            }
            kinds.push(kind);
        });
        each_group(&mut texts, |group| {
            group.iter().for_each(|&(_, index)| of[index as usize].1 = group.len() as u32);
        });
        each_group(&mut siblings, |group| {
            group.iter().for_each(|&(_, index)| of[index as usize].2 = group.len() as u32);
        });
        Shapes { kinds, of }
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
            share(kind.words, kind.blocks).ln_1p(),
            share(kind.link_words, kind.words),
            log(siblings),
            share(kind.prose, masses.prose()),
            share(stats.words, kind.longest),
        ];
        data.extend_from_slice(&row);
    }
}

/// Calls `each` with every run of equal keys.
pub(in crate::extract::feature) fn each_group(
    keys: &mut [(u64, u32)],
    mut each: impl FnMut(&[(u64, u32)]),
) {
    keys.sort_unstable();
    keys.chunk_by(|a, b| a.0 == b.0).for_each(&mut each);
}

/// Tag and class names of an element in one number.
pub(in crate::extract::feature) fn shape(dom: &Dom, id: Id) -> u64 {
    mix(hash(dom.name(id)), hash(&dom.value(id, name!("class")).unwrap_or_default()))
}

fn hash(text: &str) -> u64 {
    let mut h = text.len() as u64;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    for word in words {
        h = mix(h, u64::from_le_bytes(*word));
    }
    rest.iter().fold(h, |h, b| mix(h, u64::from(*b)))
}

/// Two numbers in one.
pub(in crate::extract::feature) fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(5) ^ b).wrapping_mul(0x517c_c1b7_2722_0a95)
}
