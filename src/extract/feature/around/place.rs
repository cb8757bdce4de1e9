//! Where blocks stand: sums over containers, repeated shapes, neighbours, the title, the region
//! that holds most of the prose.
//!
//! Must not know: what the sums are used for.

use std::collections::HashMap;

use html5ever::local_name;

use super::evidence::{Grams, overlap, tokens};
use super::{LEVELS, Own, flag, is_terminal, offsets};
use crate::extract::dom::{Dom, Id, NONE};
use crate::extract::page::PageBlocks;
use crate::extract::segment::RawBlock;
use crate::extract::text::Stats;

/// Words outside of links from which a block counts as prose.
const PROSE: f32 = 12.0;
/// Longest title and longest block compared with it, in tokens.
const TITLE: usize = 60;
/// Share of its parent's prose that a child must hold for the region to shrink to it.
const REGION: f32 = 0.6;
const STRICT: f32 = 0.85;

/// Sums over what an element contains.
#[derive(Clone, Copy, Default)]
struct Sums {
    words: f32,
    links: f32,
    prose: f32,
    blocks: f32,
    /// Prose of blocks whose container is this element or a child of it.
    direct: f32,
}

/// Sums over blocks of one shape.
#[derive(Clone, Copy, Default)]
struct Shape {
    count: f32,
    words: f32,
    links: f32,
    prose: f32,
}

/// An element that holds most of the page's prose, with the blocks it spans.
#[derive(Clone, Copy)]
struct Region {
    id: Id,
    first: usize,
    last: usize,
}

pub(super) struct Places {
    own: Vec<Own>,
    sums: Vec<Sums>,
    shapes: Vec<Shape>,
    copies: Vec<(f32, f32)>,
    title: Option<usize>,
    title_overlap: Vec<f32>,
    /// Running sums before each block, one more than blocks.
    prose_before: Vec<f32>,
    words_before: Vec<f32>,
    headings_before: Vec<f32>,
    links_before: Vec<f32>,
    /// Nearest prose block before and after, excluded itself.
    previous: Vec<Option<usize>>,
    next: Vec<Option<usize>>,
    regions: [Option<Region>; 2],
    summary: Option<Grams>,
    body: Option<Grams>,
    /// Stop words, spaceless characters, articles.
    page: [f32; 3],
}

impl Places {
    pub(super) fn new(page: &PageBlocks) -> Places {
        let dom = &page.dom;
        let mut numbers = HashMap::new();
        let own: Vec<Own> = page
            .iter()
            .enumerate()
            .map(|(i, (b, s))| measure(dom, b, s, page.text(i), &mut numbers))
            .collect();
        let sums = container_sums(dom, page, &own);
        let mut shapes = vec![Shape::default(); numbers.len()];
        for o in &own {
            for shape in [o.shape, o.deep_shape] {
                let s = &mut shapes[shape as usize];
                s.count += 1.0;
                s.words += o.words;
                s.links += o.words * o.link_density;
                s.prose += o.prose;
            }
        }
        let running = |value: &dyn Fn(&Own) -> f32| {
            let mut sum = 0.0;
            let mut out = vec![0.0];
            out.extend(own.iter().map(|o| {
                sum += value(o);
                sum
            }));
            out
        };
        let is_prose = |o: &Own| o.prose >= PROSE;
        let mut previous = Vec::with_capacity(own.len());
        let mut seen = None;
        for (i, o) in own.iter().enumerate() {
            previous.push(seen);
            if is_prose(o) {
                seen = Some(i);
            }
        }
        let mut next = vec![None; own.len()];
        seen = None;
        for i in (0..own.len()).rev() {
            next[i] = seen;
            if is_prose(&own[i]) {
                seen = Some(i);
            }
        }
        let (title, title_overlap) = find_title(page, &own);
        let articles = page.iter().zip(1..).fold((NONE, 0.0), |(last, n), ((b, _), _)| {
            let article = dom
                .ancestors(b.first)
                .find(|&a| dom.tag(a).is_some_and(|t| *t == local_name!("article")));
            match article {
                Some(a) if a != last => (a, n + 1.0),
                _ => (last, n),
            }
        });
        let stop: u32 = page.stats.iter().map(|s| s.stop).sum();
        let spaceless: u32 = page.stats.iter().map(|s| s.spaceless).sum();
        let regions = [REGION, STRICT].map(|share| region(dom, page, &sums, share));
        Places {
            prose_before: running(&|o| o.prose),
            words_before: running(&|o| o.words),
            headings_before: running(&|o| flag(o.heading > 0)),
            links_before: running(&|o| flag(o.link_density > 0.8)),
            copies: copies(page),
            own,
            sums,
            shapes,
            title,
            title_overlap,
            previous,
            next,
            regions,
            summary: page.evidence.summary.as_deref().map(Grams::of),
            body: page.evidence.body.as_deref().map(Grams::of),
            page: [stop as f32, spaceless as f32, articles.1],
        }
    }

    /// How often the block's text stands on the page, and how often before it (logarithms).
    pub(super) fn copies(&self, index: usize) -> (f32, f32) {
        self.copies.get(index).copied().unwrap_or_default()
    }

    /// Features of levels, shapes, neighbours, place and page, in column order.
    pub(super) fn surroundings(&self, page: &PageBlocks, index: usize, data: &mut Vec<f32>) {
        let Some(block) = page.blocks.list.get(index) else { return };
        self.levels(&page.dom, block, data);
        self.shapes(index, data);
        self.neighbours(index, data);
        self.place(page, index, block, data);
        self.page(page, data);
    }

    fn total(&self) -> (f32, f32) {
        let last = |v: &[f32]| v.last().copied().unwrap_or(0.0);
        (last(&self.words_before).max(1.0), last(&self.prose_before).max(1.0))
    }

    fn levels(&self, dom: &Dom, block: &RawBlock, data: &mut Vec<f32>) {
        let (_, prose) = self.total();
        let mut at = block.container;
        for _ in 0..LEVELS {
            let s = self.sums.get(at as usize).copied().unwrap_or_default();
            data.extend([
                s.words.ln_1p(),
                s.prose / prose,
                s.links / s.words.max(1.0),
                s.blocks.ln_1p(),
                s.direct / prose,
            ]);
            at = dom.parent(at).unwrap_or(at);
        }
    }

    fn shapes(&self, index: usize, data: &mut Vec<f32>) {
        let (_, prose) = self.total();
        let own = &self.own[index];
        for shape in [own.shape, own.deep_shape] {
            let s = self.shapes[shape as usize];
            data.extend([
                s.count.ln_1p(),
                (s.words / s.count.max(1.0)).ln_1p(),
                s.links / s.words.max(1.0),
                s.prose / prose,
            ]);
        }
    }

    fn neighbours(&self, index: usize, data: &mut Vec<f32>) {
        let shape = self.own[index].shape;
        for offset in offsets() {
            let other = index.checked_add_signed(offset).and_then(|i| self.own.get(i));
            data.extend(other.map_or([-1.0; 6], |o| {
                [
                    o.words.ln_1p(),
                    o.link_density,
                    flag(o.terminal),
                    o.prose.ln_1p(),
                    f32::from(o.heading),
                    flag(o.shape == shape),
                ]
            }));
        }
    }

    fn place(&self, page: &PageBlocks, index: usize, block: &RawBlock, data: &mut Vec<f32>) {
        let n = self.own.len();
        let (_, prose) = self.total();
        let before = self.prose_before[index];
        let title = self.title.unwrap_or(0);
        let from_title = index as f32 - title as f32;
        let window = |reach: usize| {
            let (from, to) = (index.saturating_sub(reach), (index + reach + 1).min(n));
            (self.prose_before[to] - self.prose_before[from]) / prose
        };
        let words_between = |a: usize, b: usize| self.words_before[b] - self.words_before[a];
        let previous = self.previous[index];
        let next = self.next[index];
        data.extend([
            index as f32 / n as f32,
            before / prose,
            from_title.signum() * from_title.abs().ln_1p(),
            (before - self.prose_before[title]) / prose,
            self.title_overlap[index],
            previous.map_or(9.0, |p| words_between(p + 1, index).ln_1p()),
            next.map_or(9.0, |q| words_between(index + 1, q).ln_1p()),
            previous.map_or(9.0, |p| ((index - p) as f32).ln_1p()),
            next.map_or(9.0, |q| ((q - index) as f32).ln_1p()),
            (self.headings_before[index] - self.headings_before[title]).clamp(-20.0, 20.0),
            window(3),
            window(8),
        ]);
        for region in &self.regions {
            match region {
                Some(r) => {
                    let up = levels_to(&page.dom, block.container, r.id);
                    data.extend([flag(up.is_some()), up.map_or(-1.0, |u| u as f32)]);
                }
                None => data.extend([0.0, -1.0]),
            }
        }
        match self.regions[0] {
            Some(r) => {
                let s = self.sums.get(r.id as usize).copied().unwrap_or_default();
                let signed = |d: f32| d.signum() * d.abs().ln_1p();
                data.extend([
                    s.links / s.words.max(1.0),
                    signed(index as f32 - r.first as f32),
                    signed(r.last as f32 - index as f32),
                ]);
            }
            None => data.extend([1.0, 0.0, 0.0]),
        }
        let evidence = self.summary.is_some() || self.body.is_some();
        let tokens = if evidence { tokens(page.text(index)) } else { Vec::new() };
        let since = previous.map_or(0, |p| p + 1);
        data.extend([
            self.summary.as_ref().map_or(0.0, |s| s.share(&tokens)),
            self.body.as_ref().map_or(0.0, |b| b.share(&tokens)),
            flag(self.body.is_some()),
            (self.links_before[index] - self.links_before[since]).ln_1p(),
            (self.headings_before[index] - self.headings_before[since]).ln_1p(),
        ]);
    }

    fn page(&self, page: &PageBlocks, data: &mut Vec<f32>) {
        let (words, prose) = self.total();
        let links: f32 = self.own.iter().map(|o| o.words * o.link_density).sum();
        let chars: f32 = page.stats.iter().map(|s| s.chars as f32).sum();
        let [stop, spaceless, articles] = self.page;
        data.extend([
            (self.own.len() as f32).ln_1p(),
            words.ln_1p(),
            prose.ln_1p(),
            stop / words,
            spaceless / chars.max(1.0),
            links / words,
            articles,
            flag(self.title.is_some()),
            self.headings_before.last().copied().unwrap_or(0.0),
        ]);
    }
}

fn measure(
    dom: &Dom,
    block: &RawBlock,
    stats: &Stats,
    text: &str,
    numbers: &mut HashMap<u64, u32>,
) -> Own {
    let words = stats.words as f32;
    let free = words - stats.link_words as f32;
    let running = stats.ends > 0 || free >= PROSE;
    let mut shape = 0_u64;
    let mut at = block.container;
    let mut deep = 0;
    for level in 0..3 {
        shape = look(dom, at, shape);
        if level == 0 {
            deep = shape;
        }
        at = dom.parent(at).unwrap_or(at);
    }
    let mut number = |h: u64| {
        let next = numbers.len() as u32;
        *numbers.entry(h).or_insert(next)
    };
    Own {
        words,
        link_density: stats.link_words as f32 / words.max(1.0),
        prose: if running && free > 3.0 { free } else { 0.0 },
        terminal: is_terminal(text),
        heading: block.heading,
        shape: number(deep),
        // The turn keeps shallow and deep shapes of equal hash apart.
        deep_shape: number(shape.rotate_left(1) ^ 1),
    }
}

/// Hash of an element's tag and classes over what came before.
pub(super) fn look(dom: &Dom, id: Id, over: u64) -> u64 {
    let mut h = over.rotate_left(9) ^ 0xcbf2_9ce4_8422_2325;
    let mut add = |s: &str| {
        for b in s.bytes() {
            h = (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    add(dom.name(id));
    if let Some(class) = dom.attr(id, "class") {
        add(class);
    }
    h
}

/// Sums of all elements, from the leaves up. Parents almost always stand before their children in
/// the arena; where the parser moved a node, its own ancestors miss it, on every machine alike.
fn container_sums(dom: &Dom, page: &PageBlocks, own: &[Own]) -> Vec<Sums> {
    let mut sums = vec![Sums::default(); dom.nodes.len()];
    for ((block, _), o) in page.iter().zip(own) {
        if let Some(s) = sums.get_mut(block.container as usize) {
            s.words += o.words;
            s.links += o.words * o.link_density;
            s.prose += o.prose;
            s.blocks += 1.0;
            s.direct += o.prose;
        }
        let parent = dom.parent(block.container).unwrap_or(NONE);
        if let Some(s) = sums.get_mut(parent as usize) {
            s.direct += o.prose;
        }
    }
    for id in (1..dom.nodes.len()).rev() {
        let s = sums[id];
        if s.blocks == 0.0 {
            continue;
        }
        let parent = dom.nodes[id].parent;
        if let Some(p) = sums.get_mut(parent as usize) {
            p.words += s.words;
            p.links += s.links;
            p.prose += s.prose;
            p.blocks += s.blocks;
        }
    }
    sums
}

/// Goes down from the root while one child holds at least `share` of its parent's prose.
fn region(dom: &Dom, page: &PageBlocks, sums: &[Sums], share: f32) -> Option<Region> {
    let of = |id: Id| sums.get(id as usize).map_or(0.0, |s| s.prose);
    let mut id = dom.root();
    if of(id) <= 0.0 {
        return None;
    }
    loop {
        let parent = of(id);
        // A paragraph of its own is no region.
        let child = dom.children(id).find(|&c| {
            sums.get(c as usize).is_some_and(|s| s.prose >= share * parent && s.blocks > 1.0)
        });
        match child {
            Some(c) => id = c,
            None => break,
        }
    }
    let inside = |b: &RawBlock| levels_to(dom, b.container, id).is_some();
    let first = page.blocks.list.iter().position(inside)?;
    let last = page.blocks.list.iter().rposition(inside)?;
    Some(Region { id, first, last })
}

/// Steps from an element up to `top`; `None` if it is not inside.
fn levels_to(dom: &Dom, from: Id, top: Id) -> Option<usize> {
    std::iter::once(from).chain(dom.ancestors(from)).position(|id| id == top)
}

/// How often each text stands on the page, and how often before (logarithms).
fn copies(page: &PageBlocks) -> Vec<(f32, f32)> {
    let mut counts: HashMap<&str, u32> = HashMap::with_capacity(page.len());
    let before: Vec<u32> = (0..page.len())
        .map(|i| {
            let n = counts.entry(page.text(i)).or_insert(0);
            *n += 1;
            *n - 1
        })
        .collect();
    let all = |i: usize| counts.get(page.text(i)).copied().unwrap_or(1);
    before.iter().enumerate().map(|(i, &b)| ((all(i) as f32).ln(), (b as f32).ln_1p())).collect()
}

/// The block that shows the page's title, and every block's overlap with the title.
fn find_title(page: &PageBlocks, own: &[Own]) -> (Option<usize>, Vec<f32>) {
    let dom = &page.dom;
    let head = || {
        let node = dom
            .descend(dom.root())
            .find(|&n| dom.tag(n).is_some_and(|t| *t == local_name!("title")))?;
        Some(dom.text_of(node))
    };
    let mut title = tokens(&page.evidence.title.clone().or_else(head).unwrap_or_default());
    title.truncate(TITLE);
    let overlaps: Vec<f32> = (0..page.len())
        .map(|i| {
            let short = own[i].words as usize <= TITLE && own[i].words > 0.0;
            if short && !title.is_empty() { overlap(&tokens(page.text(i)), &title) } else { 0.0 }
        })
        .collect();
    let rank = |i: usize| {
        let heading = match own[i].heading {
            1 => 0.4,
            2 => 0.15,
            3.. => 0.05,
            0 => 0.0,
        };
        overlaps[i] + heading - own[i].link_density * 0.2
    };
    let best = (0..page.len())
        .filter(|&i| overlaps[i] >= 0.35)
        .reduce(|a, b| if rank(b) > rank(a) { b } else { a });
    let best = best.or_else(|| own.iter().position(|o| o.heading == 1));
    (best, overlaps)
}
