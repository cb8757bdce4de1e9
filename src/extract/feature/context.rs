//! Features of the second pass: first-pass probabilities around a block.
//!
//! Must not know: labelers, models.

use super::rich::Matrix;
use super::rich::shape::numbers;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{NOWHERE, mix};

/// Ancestor levels looked at.
const LEVELS: usize = 4;
/// Neighbours on each side.
const REACH: isize = 4;
/// From this probability a block counts as content here.
const LIKELY: f32 = 0.5;
/// Unlikely words between two likely blocks that end a run.
const GAP: f32 = 25.0;

const REST: [&str; 20] = [
    "p window 6",
    "p window 12",
    "content before",
    "content after",
    "content words",
    "shape p",
    "deep shape p",
    "unlikely to previous",
    "unlikely to next",
    "largest p",
    "run share",
    "largest run",
    "words to largest run",
    "after largest run",
    "content since title",
    "heading block p",
    "p of previous prose",
    "p of next prose",
    "unlikely before",
    "content share",
];

/// Columns beyond the rich ones.
pub const CONTEXT: usize = 2 * REACH as usize + 1 + 2 * LEVELS + REST.len();

/// Names of the columns that the second pass adds.
pub fn names() -> Vec<String> {
    let mut names = Vec::new();
    names.extend((-REACH..=REACH).map(|o| format!("p {o:+}")));
    names.extend((0..LEVELS).map(|l| format!("level {l} p")));
    names.extend((0..LEVELS).map(|l| format!("level {l} content share")));
    names.extend(REST.iter().map(|n| n.to_string()));
    names
}

/// What the second pass needs to know of a page beside the first pass's features.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    words: Vec<f32>,
    headings: Vec<u8>,
    title: usize,
    /// First block and one past the last block of each block's nearest ancestors. What an element
    /// contains is contiguous in page order.
    levels: Vec<[(u32, u32); LEVELS]>,
    /// Number of each block's shape, shallow and deep.
    shapes: [Vec<u32>; 2],
}

impl Frame {
    pub fn new(page: &PageBlocks) -> Frame {
        let outline = &page.outline;
        let mut spans = vec![(u32::MAX, 0); outline.places.len()];
        for i in 0..page.len() {
            if let Some(span) = spans.get_mut(outline.of(i) as usize) {
                *span = (span.0.min(i as u32), i as u32 + 1);
            }
        }
        for (at, place) in outline.places.iter().enumerate().rev() {
            let (first, last) = spans[at];
            if let Some(span) = spans.get_mut(place.around as usize) {
                *span = (span.0.min(first), span.1.max(last));
            }
        }
        let mut frame = Frame {
            words: page.stats.iter().map(|s| s.words as f32).collect(),
            headings: page.blocks.list.iter().map(|b| b.heading).collect(),
            title: page.blocks.list.iter().position(|b| b.heading == 1).unwrap_or(0),
            ..Frame::default()
        };
        frame.levels.reserve_exact(page.len());
        let mut looks = [(); 2].map(|()| Vec::with_capacity(page.len()));
        for i in 0..page.len() {
            let mut levels = [(i as u32, i as u32 + 1); LEVELS];
            let mut at = outline.of(i);
            let mut hash = 0;
            for (level, span) in levels.iter_mut().enumerate() {
                if let Some(&(first, last)) = spans.get(at as usize) {
                    *span = (first, last);
                }
                if level < 3 {
                    hash = mix(hash, outline.look(at));
                }
                match level {
                    0 => looks[0].push(hash),
                    2 => looks[1].push(hash),
                    _ => {}
                }
                at = outline.place(at).map(|p| p.around).filter(|&a| a != NOWHERE).unwrap_or(at);
            }
            frame.levels.push(levels);
        }
        frame.shapes = looks.map(|looks| numbers(&looks));
        frame
    }
}

/// The first pass's features with what it thought around each block.
pub fn context(frame: &Frame, rich: &Matrix, p: &[f32]) -> Matrix {
    let around = around(frame, p, |_| true);
    let mut both = Matrix { rows: 0, cols: rich.cols + CONTEXT, data: Vec::new() };
    if around.rows == rich.rows {
        both.rows = rich.rows;
        both.data.reserve_exact(both.rows * both.cols);
        for row in 0..both.rows {
            both.data.extend_from_slice(rich.row(row));
            both.data.extend_from_slice(around.row(row));
        }
    }
    both
}

/// What the first pass thought around each block: the [`CONTEXT`] columns alone, zero for blocks that
/// are not wanted. No rows if `p` is not of this page.
pub fn around(frame: &Frame, p: &[f32], wanted: impl Fn(f32) -> bool) -> Matrix {
    let words = &frame.words;
    let n = words.len();
    let mut data = Vec::with_capacity(n * CONTEXT);
    if p.len() != n {
        return Matrix { rows: 0, cols: CONTEXT, data };
    }
    let likely: Vec<f32> = p.iter().zip(words).map(|(p, w)| p * w).collect();
    let content = running(&likely);
    let total_words = running(words);
    let unlikely = running(&p.iter().zip(words).map(|(p, w)| (1.0 - p) * w).collect::<Vec<_>>());
    let all = content[n].max(1.0);
    let log_all = all.ln_1p();
    let shapes = shapes(frame, p);
    let runs = Runs::new(p, &likely, &unlikely);
    let largest = p.iter().copied().fold(0.0, f32::max);
    let title = frame.title;
    let is_likely = |i: &usize| p[*i] >= LIKELY && words[*i] >= 8.0;
    let previous = nearest(0..n, is_likely);
    let next: Vec<Option<usize>> = {
        let mut v = nearest((0..n).rev(), is_likely);
        v.reverse();
        v
    };
    for i in 0..n {
        if !wanted(p[i]) {
            data.resize((i + 1) * CONTEXT, 0.0);
            continue;
        }
        let near = |o: isize| i.checked_add_signed(o).and_then(|j| p.get(j)).copied();
        data.extend((-REACH..=REACH).map(|o| near(o).unwrap_or(-0.1)));
        let within = |sums: &[f32], (from, to): (u32, u32)| sums[to as usize] - sums[from as usize];
        let levels = frame.levels[i];
        data.extend(levels.map(|l| within(&content, l) / within(&total_words, l).max(1.0)));
        data.extend(levels.map(|l| within(&content, l) / all));
        let window = |reach: usize| {
            let (from, to) = (i.saturating_sub(reach), (i + reach + 1).min(n));
            (content[to] - content[from]) / (total_words[to] - total_words[from]).max(1.0)
        };
        let between = |a: usize, b: usize| (unlikely[b] - unlikely[a]).max(0.0).ln_1p();
        let run = runs.of[i];
        data.extend([
            window(6),
            window(12),
            content[i] / all,
            (all - content[i + 1]) / all,
            log_all,
            shapes[0][i],
            shapes[1][i],
            previous[i].map_or(9.0, |j| between(j + 1, i)),
            next[i].map_or(9.0, |j| between(i + 1, j)),
            largest,
            run.map_or(0.0, |r| runs.mass[r] / all),
            f32::from(u8::from(run.is_some() && run == runs.largest)),
            runs.distance(i, &unlikely),
            f32::from(u8::from(runs.after(i))),
            (content[i] - content[title]) / all,
            f32::from(frame.headings[i]) * p[i],
            previous[i].map_or(-0.1, |j| p[j]),
            next[i].map_or(-0.1, |j| p[j]),
            (unlikely[i] - unlikely[title]).max(0.0).ln_1p(),
            all / total_words[n].max(1.0),
        ]);
    }
    Matrix { rows: n, cols: CONTEXT, data }
}

/// Sums before each element, one more than elements.
fn running(values: &[f32]) -> Vec<f32> {
    let mut sum = 0.0;
    let mut out = vec![0.0];
    out.extend(values.iter().map(|v| {
        sum += v;
        sum
    }));
    out
}

/// For each index in walking order the nearest earlier one that is wanted.
fn nearest(
    walk: impl Iterator<Item = usize>,
    wanted: impl Fn(&usize) -> bool,
) -> Vec<Option<usize>> {
    let mut seen = None;
    walk.map(|i| {
        let found = seen;
        if wanted(&i) {
            seen = Some(i);
        }
        found
    })
    .collect()
}

/// Word-weighted mean probability of the blocks of the same shape, shallow and deep; the block
/// itself left out.
fn shapes(frame: &Frame, p: &[f32]) -> [Vec<f32>; 2] {
    [0, 1].map(|kind| {
        let keys = &frame.shapes[kind];
        let mut sums = vec![(0.0, 0.0); p.len()];
        for ((k, p), w) in keys.iter().zip(p).zip(&frame.words) {
            let s = &mut sums[*k as usize];
            s.0 += p * (w + 1.0);
            s.1 += w + 1.0;
        }
        let others = |((k, p), w): ((&u32, &f32), &f32)| {
            let (a, b) = sums[*k as usize];
            let rest = b - (w + 1.0);
            if rest < 0.5 { -0.1 } else { (a - p * (w + 1.0)) / rest }
        };
        keys.iter().zip(p).zip(&frame.words).map(others).collect()
    })
}

/// Stretches of likely blocks without much unlikely text between them.
struct Runs {
    of: Vec<Option<usize>>,
    mass: Vec<f32>,
    ends: Vec<(usize, usize)>,
    largest: Option<usize>,
}

impl Runs {
    fn new(p: &[f32], likely: &[f32], unlikely: &[f32]) -> Runs {
        let mut of = vec![None; p.len()];
        let mut mass: Vec<f32> = Vec::new();
        let mut ends: Vec<(usize, usize)> = Vec::new();
        for i in (0..p.len()).filter(|&i| p[i] >= LIKELY) {
            let joins = ends.last().is_some_and(|&(_, e)| unlikely[i] - unlikely[e + 1] <= GAP);
            if !joins {
                mass.push(0.0);
                ends.push((i, i));
            }
            if let (Some(m), Some(e)) = (mass.last_mut(), ends.last_mut()) {
                *m += likely[i];
                e.1 = i;
            }
        }
        for (r, &(a, b)) in ends.iter().enumerate() {
            of[a..=b].iter_mut().for_each(|o| *o = Some(r));
        }
        let largest = (0..mass.len()).reduce(|a, b| if mass[b] > mass[a] { b } else { a });
        Runs { of, mass, ends, largest }
    }

    /// Unlikely words between the block and the largest run (logarithm); 0 inside, 9 without any.
    fn distance(&self, i: usize, unlikely: &[f32]) -> f32 {
        let Some((a, b)) = self.largest.map(|r| self.ends[r]) else { return 9.0 };
        if i < a {
            (unlikely[a] - unlikely[i + 1]).max(0.0).ln_1p()
        } else if i > b {
            (unlikely[i] - unlikely[b + 1]).max(0.0).ln_1p()
        } else {
            0.0
        }
    }

    fn after(&self, i: usize) -> bool {
        self.largest.is_some_and(|r| i > self.ends[r].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    #[test]
    fn columns_agree_with_names() {
        let html =
            "<h1>T</h1><p>One two three four five six seven eight nine.<p>Ten.<div>Menu</div>";
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let rich = super::super::rich::rich(&page);
        let frame = Frame::new(&page);
        let m = context(&frame, &rich, &[0.1, 0.9, 0.8, 0.1]);
        assert_eq!(names().len() + rich.cols, m.cols);
        assert_eq!(m.data.len(), 4 * m.cols);
        let column = |name: &str| {
            let at = names().iter().position(|n| n == name).expect("a known feature");
            (0..4).map(|i| m.row(i)[rich.cols + at]).collect::<Vec<_>>()
        };
        assert_eq!(column("p +0"), [0.1, 0.9, 0.8, 0.1]);
        assert_eq!(column("largest run"), [0., 1., 1., 0.]);
        assert_eq!(column("after largest run"), [0., 0., 0., 1.]);
        assert!(m.data.iter().all(|x| x.is_finite()));
        assert!(context(&frame, &rich, &[]).data.is_empty());
    }
}
