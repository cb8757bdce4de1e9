//! The sums of boosted trees over many rows at once, bit for bit those of walking every tree.
//!
//! A walk waits for memory at each node and guesses each branch. Here every node of a tree is asked
//! for [`LANES`] rows together, without a branch: each leaf is a bit, a node that answers "right"
//! clears the bits of the leaves on its left, and the lowest bit that remains is the row's leaf
//! (Lucchese et al., QuickScorer, SIGIR 2015; tree by tree instead of feature by feature). Must not
//! know: what the columns mean.

use std::ops::Range;

use super::{Ensemble, Tree};
use crate::extract::feature::rich::Matrix;

/// Rows that are scored together.
const LANES: usize = 32;
/// Leaves of a tree that has room in a row's bits.
const LEAVES: usize = u32::BITS as usize;

/// Columns that nodes number in a byte.
const COLUMNS: usize = 1 << u8::BITS;

/// An ensemble laid out for scoring.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::extract::label) struct Scorer {
    pub(super) prior: f32,
    pub(super) trees: Vec<Shape>,
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Its nodes among [`Scorer::nodes`], and its leaves from left to right.
    Bits(Range<usize>, [f32; LEAVES]),
    /// Too large, or damaged.
    Walk(Tree),
}

#[derive(Clone, Debug, PartialEq)]
struct Node {
    column: u8,
    threshold: f32,
    /// Leaves that a value above the threshold rules out …
    left: u32,
    /// … and those that are out of reach where it is not.
    right: u32,
}

impl Scorer {
    pub(in crate::extract::label) fn new(ensemble: &Ensemble) -> Scorer {
        let mut scorer = Scorer {
            prior: ensemble.prior,
            trees: Vec::with_capacity(ensemble.trees.len()),
            nodes: Vec::new(),
        };
        for tree in &ensemble.trees {
            let nodes = scorer.nodes.len();
            let shape = match scorer.add(tree) {
                Some(leaves) => Shape::Bits(nodes..scorer.nodes.len(), leaves),
                None => {
                    scorer.nodes.truncate(nodes);
                    Shape::Walk(tree.clone())
                }
            };
            scorer.trees.push(shape);
        }
        scorer
    }

    /// Appends a tree's nodes and gives its leaves from left to right; `None` if it is no tree of at
    /// most [`LEAVES`] leaves that asks for the first [`COLUMNS`] alone.
    fn add(&mut self, tree: &Tree) -> Option<[f32; LEAVES]> {
        /// What is left to do: go down there, or close the left side or the right one of a node, which began at
        /// this leaf.
        enum Step {
            Down(i16),
            Left(usize, usize),
            Right(usize),
        }
        let bits = |from: usize, to: usize| (from..to).fold(0, |bits, leaf| bits | 1 << leaf);
        let mut leaves = [0.0; LEAVES];
        let mut next = 0;
        let mut entered = 0;
        let mut steps = vec![Step::Down(if tree.nodes.is_empty() { -1 } else { 0 })];
        while let Some(step) = steps.pop() {
            match step {
                Step::Down(at) => match usize::try_from(at) {
                    Err(_) => {
                        let leaf = usize::try_from(-(i32::from(at) + 1)).ok()?;
                        *leaves.get_mut(next)? = tree.leaves.get(leaf).copied().unwrap_or(0.0);
                        next += 1;
                    }
                    Ok(index) => {
                        let node = tree.nodes.get(index)?;
                        entered += 1;
                        if entered > tree.nodes.len() {
                            return None;
                        }
                        let at = self.nodes.len();
                        steps.push(Step::Right(at));
                        steps.push(Step::Down(node.right));
                        steps.push(Step::Left(at, next));
                        steps.push(Step::Down(node.left));
                        let column = u8::try_from(node.feature).ok()?;
                        let threshold = node.threshold;
                        self.nodes.push(Node { column, threshold, left: 0, right: 0 });
                    }
                },
                Step::Left(at, from) => self.nodes.get_mut(at)?.left = bits(from, next),
                Step::Right(at) => {
                    let node = self.nodes.get_mut(at)?;
                    node.right = bits(LEAVES - node.left.leading_zeros() as usize, next);
                }
            }
        }
        Some(leaves)
    }

    /// Log-odds of the rows asked for, which every matrix has; their columns stand in the matrices one
    /// after the other.
    pub(in crate::extract::label) fn log_odds(
        &self,
        parts: &[&Matrix],
        rows: &[usize],
        early: Option<Early>,
    ) -> Vec<f32> {
        let mut out = vec![self.prior; rows.len()];
        let mut columns = Columns::new(parts.iter().map(|part| part.cols).sum());
        let mut places: Vec<usize> = (0..rows.len()).collect();
        let mut trees = &self.trees[..];
        if let Some(Early { trees: count, settled }) = early
            && let Some((first, rest)) = trees.split_at_checked(count)
        {
            self.add_up(first, &mut columns, parts, rows, &places, &mut out);
            places.retain(|&place| {
                let settled = settled(out[place]);
                settled.inspect(|sum| out[place] = *sum).is_none()
            });
            trees = rest;
        }
        self.add_up(trees, &mut columns, parts, rows, &places, &mut out);
        out
    }

    /// Adds what these trees say of the rows at these places to their sums.
    fn add_up(
        &self,
        trees: &[Shape],
        columns: &mut Columns,
        parts: &[&Matrix],
        rows: &[usize],
        places: &[usize],
        out: &mut [f32],
    ) {
        for places in places.chunks(LANES) {
            let (mut here, mut sums) = ([0; LANES], [0.0; LANES]);
            for ((row, sum), &place) in here.iter_mut().zip(&mut sums).zip(places) {
                (*row, *sum) = (rows[place], out[place]);
            }
            let here = &here[..places.len()];
            columns.read(parts, here);
            self.sum(trees, columns, parts, here, &mut sums);
            places.iter().zip(sums).for_each(|(&place, sum)| out[place] = sum);
        }
    }

    /// Sums in the order of the trees, so that rounding is that of walking them.
    fn sum(
        &self,
        trees: &[Shape],
        columns: &Columns,
        parts: &[&Matrix],
        rows: &[usize],
        sums: &mut [f32; LANES],
    ) {
        let mut asked = Asked::default();
        let used = rows.len().div_ceil(FOUR);
        for tree in trees {
            match tree {
                Shape::Bits(nodes, leaves) => {
                    let (fours, _) = sums.as_chunks_mut::<FOUR>();
                    let fours = fours.iter_mut().take(used);
                    let same = asked.ask(&self.nodes[nodes.clone()], columns);
                    if let Some(left) = same {
                        fours.for_each(|sums| add(sums, [leaf(leaves, left); FOUR]));
                        continue;
                    }
                    for (four, sums) in fours.enumerate() {
                        let leaf = |lane| leaf(leaves, asked.remaining[FOUR * four + lane]);
                        add(sums, [leaf(0), leaf(1), leaf(2), leaf(3)]);
                    }
                }
                Shape::Walk(tree) => {
                    for (sum, &row) in sums.iter_mut().zip(rows) {
                        let parts: Vec<&[f32]> = parts.iter().map(|p| p.row(row)).collect();
                        *sum += tree.value(&parts.concat());
                    }
                }
            }
        }
    }
}

/// Where rows of which enough is known are left.
#[derive(Clone, Copy)]
pub(in crate::extract::label) struct Early<'a> {
    /// After so many trees …
    pub(in crate::extract::label) trees: usize,
    /// … this is asked about the sum, and gives the row's log-odds if the other trees need not be.
    pub(in crate::extract::label) settled: &'a dyn Fn(f32) -> Option<f32>,
}

/// Sums that are added to together, by one instruction.
const FOUR: usize = 4;

/// The lowest leaf that remains.
#[inline]
fn leaf(leaves: &[f32; LEAVES], left: u32) -> f32 {
    // One always remains: the bit set spares a question whether any does, the remainder a check.
    leaves[(left | 1 << (LEAVES - 1)).trailing_zeros() as usize % LEAVES]
}

/// Four sums at once.
#[inline]
fn add(sums: &mut [f32; FOUR], more: [f32; FOUR]) {
    for lane in 0..FOUR {
        sums[lane] += more[lane];
    }
}

/// The columns of rows that are scored together.
struct Columns {
    values: Vec<Lanes>,
    least: Vec<f32>,
    most: Vec<f32>,
    /// Between which values each column lies; not a number if any value is not finite. What no matrix has is 0, as in
    /// walking.
    bounds: [(f32, f32); COLUMNS],
}

/// A value of each row.
type Lanes = [[f32; FOUR]; LANES / FOUR];

impl Columns {
    fn new(count: usize) -> Columns {
        let values = vec![[[0.0; FOUR]; LANES / FOUR]; count];
        let [least, most] = [vec![0.0; count], vec![0.0; count]];
        Columns { values, least, most, bounds: [(0.0, 0.0); COLUMNS] }
    }

    /// Reads these rows, at most [`LANES`], out of the matrices side by side.
    fn read(&mut self, parts: &[&Matrix], rows: &[usize]) {
        self.least.fill(f32::MAX);
        self.most.fill(f32::MIN);
        let mut odd = [0.0; FOUR];
        let mut from = 0;
        for part in parts {
            let to = (from + part.cols).min(self.values.len());
            let values = &mut self.values[from..to];
            let bounds = [&mut self.least[from..to], &mut self.most[from..to]];
            read_part(part, rows, values, bounds, &mut odd);
            from = to;
        }
        // Nothing, or not a number.
        let odd = odd.iter().sum::<f32>() * 0.0;
        for (bounds, (least, most)) in self.bounds.iter_mut().zip(self.least.iter().zip(&self.most))
        {
            *bounds = (least + odd, most + odd);
        }
    }
}

/// Reads rows of one matrix, four rows and four columns at a time; adds all values to `odd`, which is not finite then
/// if one of them is not. Loops over indices: they become vector instructions in every build.
fn read_part(
    part: &Matrix,
    rows: &[usize],
    values: &mut [Lanes],
    [least, most]: [&mut [f32]; 2],
    odd: &mut [f32; FOUR],
) {
    let min = |a: f32, b: f32| if a < b { a } else { b };
    let max = |a: f32, b: f32| if a > b { a } else { b };
    let (columns, columns_left) = values.as_chunks_mut::<FOUR>();
    let (least, least_left) = least.as_chunks_mut::<FOUR>();
    let (most, most_left) = most.as_chunks_mut::<FOUR>();
    for four in 0..rows.len().div_ceil(FOUR) {
        // Where rows are missing among four, the first stands in for them.
        let row = |lane: usize| {
            let row = rows.get(FOUR * four + lane).or(rows.first());
            row.map_or(&[][..], |row| part.row(*row)).as_chunks::<FOUR>()
        };
        let ((a, a_left), (b, b_left), (c, c_left), (d, d_left)) = (row(0), row(1), row(2), row(3));
        let columns = columns.iter_mut().zip(&mut *least).zip(&mut *most);
        for (((columns, least), most), (((a, b), c), d)) in
            columns.zip(a.iter().zip(b).zip(c).zip(d))
        {
            for at in 0..FOUR {
                least[at] = min(min(min(a[at], b[at]), min(c[at], d[at])), least[at]);
                most[at] = max(max(max(a[at], b[at]), max(c[at], d[at])), most[at]);
                odd[at] += (a[at] + b[at]) + (c[at] + d[at]);
                columns[at][four] = [a[at], b[at], c[at], d[at]];
            }
        }
        let columns = columns_left.iter_mut().zip(&mut *least_left).zip(&mut *most_left);
        for (at, ((column, least), most)) in columns.enumerate() {
            for (value, row) in column[four].iter_mut().zip([a_left, b_left, c_left, d_left]) {
                *value = row.get(at).copied().unwrap_or(0.0);
                *least = min(*value, *least);
                *most = max(*value, *most);
                odd[0] += *value;
            }
        }
    }
}

/// What the nodes of a tree leave its rows.
#[derive(Default)]
struct Asked {
    /// Which nodes rows answer differently.
    nodes: [u32; LEAVES],
    /// The leaves that remain of each row; the lowest is its own.
    remaining: [u32; LANES],
}

impl Asked {
    /// Asks the nodes of a tree. If all rows come to the same, gives what remains of all, else of each in
    /// [`Asked::remaining`]. Nodes that all rows answer alike, which are most where neighbours on a page are
    /// scored together, are told by the bounds of their column, without a branch; the others ask each row.
    #[inline(never)]
    fn ask(&mut self, nodes: &[Node], columns: &Columns) -> Option<u32> {
        let mut same = u32::MAX;
        let mut count = 0;
        for (index, node) in (0u32..).zip(nodes) {
            let (least, most) = columns.bounds[usize::from(node.column)];
            let (left, right) = (most <= node.threshold, least > node.threshold);
            // A tree of so many leaves has fewer nodes; the remainder spares a check.
            self.nodes[count % LEAVES] = index;
            // A node stands behind those above it: if none of its leaves remain, no row comes to it.
            count += usize::from(!(left | right) && same & node.left != 0);
            same &= !(u32::from(right).wrapping_neg() & node.left);
            same &= !(u32::from(left).wrapping_neg() & node.right);
        }
        if count == 0 {
            return Some(same);
        }
        let mut remaining = [same; LANES];
        for index in &self.nodes[..count.min(LEAVES)] {
            let Some(&Node { column, left, threshold, .. }) = nodes.get(*index as usize) else {
                continue;
            };
            let values =
                columns.values.get(usize::from(column)).map(|values| values.as_flattened());
            let Some(values) = values.and_then(|values| values.first_chunk::<LANES>()) else {
                continue;
            };
            for lane in 0..LANES {
                // What is not a number is not below the threshold, as in walking.
                let below = values[lane] <= threshold;
                remaining[lane] &= !(u32::from(!below).wrapping_neg() & left);
            }
        }
        self.remaining = remaining;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::label::trees;
    use proptest::prelude::*;

    /// Any nodes at all: mostly trees, some circles and links to nowhere.
    fn ensembles() -> impl Strategy<Value = Ensemble> {
        let link = |at: i16| prop_oneof![8 => Just(at), 1 => -40i16..40];
        let tree =
            (0i16..40, -1.0f32..1.0, any::<bool>()).prop_flat_map(move |(n, first, chain)| {
                let nodes: Vec<_> = (0..n)
                    .map(|at| {
                        // A chain that hangs leaves on alternate sides, or a tree as even as it can be.
                        let (leaf, down) = (-(at + 1), if at + 1 < n { at + 1 } else { -(n + 1) });
                        let even = |to: i16| if to < n { to } else { -(to - n + 1) };
                        let sides = match chain {
                            true if at % 2 == 0 => (leaf, down),
                            true => (down, leaf),
                            false => (even(2 * at + 1), even(2 * at + 2)),
                        };
                        (0u16..6, link(sides.0), link(sides.1), -1.0f32..1.0)
                    })
                    .collect();
                nodes.prop_map(move |nodes| Tree {
                    leaves: (0..=n).map(|leaf| first + f32::from(leaf) / 7.0).collect(),
                    nodes: nodes
                        .into_iter()
                        .map(|(feature, left, right, threshold)| trees::Node {
                            feature,
                            left,
                            right,
                            threshold,
                        })
                        .collect(),
                })
            });
        (-1.0f32..1.0, prop::collection::vec(tree, 0..6))
            .prop_map(|(prior, trees)| Ensemble { prior, trees })
    }

    proptest! {
        #[test]
        fn sums_are_those_of_walking(
            ensemble in ensembles(),
            data in prop::collection::vec(prop_oneof![9 => -1.0f32..1.0, 1 => Just(f32::NAN)], 0..200),
            skipped in 0usize..8,
            early in (0usize..7, -1.0f32..1.0),
        ) {
            let cols = 5;
            let rows = data.len() / cols;
            let matrix = Matrix { rows, cols, data: data[..rows * cols].to_vec() };
            // Some of the rows, in their order.
            let asked: Vec<usize> = (0..rows).filter(|i| i % 7 != skipped).collect();
            let walked: Vec<f32> =
                asked.iter().map(|&i| ensemble.log_odds(matrix.row(i))).collect();
            // The same columns in two matrices.
            let cut = |from: usize, to: usize| Matrix {
                rows,
                cols: to - from,
                data: (0..rows).flat_map(|i| matrix.row(i)[from..to].to_vec()).collect(),
            };
            let scorer = Scorer::new(&ensemble);
            let parts = [cut(0, 2), cut(2, 5)];
            let (one, two) = ([&matrix], [&parts[0], &parts[1]]);
            let bits = |sums: &[f32]| sums.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&scorer.log_odds(&one, &asked, None)), bits(&walked));
            prop_assert_eq!(bits(&scorer.log_odds(&two, &asked, None)), bits(&walked));

            let (count, below) = early;
            let settled = |sum: f32| (sum < below).then_some(2.0 * sum);
            let stopped: Vec<f32> = asked
                .iter()
                .zip(&walked)
                .map(|(&i, &walked)| {
                    let Some(first) = ensemble.trees.get(..count) else { return walked };
                    let first = Ensemble { prior: ensemble.prior, trees: first.to_vec() };
                    settled(first.log_odds(matrix.row(i))).unwrap_or(walked)
                })
                .collect();
            let early = Early { trees: count, settled: &settled };
            prop_assert_eq!(bits(&scorer.log_odds(&two, &asked, Some(early))), bits(&stopped));
        }
    }
}
