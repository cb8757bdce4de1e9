//! The sums of boosted trees over many rows at once, bit for bit those of walking every tree.
//!
//! A walk waits for memory at each node and guesses each branch. Here every node of a tree is asked
//! for [`LANES`] rows together, without a branch: each leaf is a bit, a node that answers "right"
//! clears the bits of the leaves on its left, and the lowest bit that remains is the row's leaf
//! (Lucchese et al., QuickScorer, SIGIR 2015; tree by tree instead of feature by feature). Must not
//! know: what the columns mean.

use super::columns::{COLUMNS, Columns, FOUR, FOURS, LANES};
use super::{Ensemble, Tree};
use crate::extract::feature::rich::Matrix;

/// Leaves of a tree that has room in a row's bits.
const LEAVES: usize = u32::BITS as usize;

/// Trees that are asked before any of them is added: the processor guesses what is to be added, and a wrong guess costs
/// the less, the sooner it is told.
const TOGETHER: usize = 64;

/// Where so many of the rows that were read together are left, the other trees are asked at once: it costs more to read
/// them again with others.
const STAY: usize = 3 * LANES / 4;

/// An ensemble laid out for scoring.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::extract::label) struct Scorer {
    pub(super) prior: f32,
    pub(super) trees: Vec<Shape>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Its nodes, and its leaves from left to right.
    Bits(Box<[Nodes]>, [f32; LEAVES]),
    /// Too large, or damaged.
    Walk(Tree),
}

/// A node of a tree.
#[derive(Clone, Copy)]
struct Node {
    column: u8,
    threshold: f32,
    /// Leaves that a value above the threshold rules out …
    left: u32,
    /// … and those that are out of reach where it is not.
    right: u32,
}

/// Four nodes of a tree side by side, so that one instruction asks all of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nodes {
    columns: [u8; FOUR],
    thresholds: [f32; FOUR],
    left: [u32; FOUR],
    right: [u32; FOUR],
}

impl Nodes {
    /// At most four nodes; what is missing rules out nothing.
    fn of(nodes: &[Node]) -> Nodes {
        let none = Node { column: 0, threshold: f32::INFINITY, left: 0, right: 0 };
        let four: [Node; FOUR] = std::array::from_fn(|at| nodes.get(at).copied().unwrap_or(none));
        Nodes {
            columns: four.map(|node| node.column),
            thresholds: four.map(|node| node.threshold),
            left: four.map(|node| node.left),
            right: four.map(|node| node.right),
        }
    }
}

impl Scorer {
    pub(in crate::extract::label) fn new(ensemble: &Ensemble) -> Scorer {
        let shape = |tree: &Tree| match read(tree) {
            Some((nodes, leaves)) => {
                Shape::Bits(nodes.chunks(FOUR).map(Nodes::of).collect(), leaves)
            }
            None => Shape::Walk(tree.clone()),
        };
        Scorer { prior: ensemble.prior, trees: ensemble.trees.iter().map(shape).collect() }
    }

    /// Log-odds of the rows asked for, which every matrix has; their columns stand in the matrices one
    /// after the other.
    pub(in crate::extract::label) fn log_odds(
        &self,
        parts: &[&Matrix],
        rows: &[usize],
        early: Option<Early>,
    ) -> Vec<f32> {
        let never = Early { trees: self.trees.len(), settled: &Some };
        let early = early.filter(|early| early.trees <= self.trees.len()).unwrap_or(never);
        let (first, rest) = self.trees.split_at(early.trees);
        let mut columns = Columns::new();
        let mut out = Vec::with_capacity(rows.len());
        let mut left: Vec<usize> = Vec::new();
        for start in (0..rows.len()).step_by(LANES) {
            let here = &rows[start..rows.len().min(start + LANES)];
            let mut sums = [[self.prior; FOUR]; FOURS];
            columns.read(parts, here);
            sum(first, &columns, parts, here, &mut sums);
            let before = left.len();
            for (lane, sum) in sums.as_flattened()[..here.len()].iter().enumerate() {
                let settled = (early.settled)(*sum);
                out.push(settled.unwrap_or(*sum));
                left.extend(settled.is_none().then_some(start + lane));
            }
            if left.len() - before >= STAY {
                sum(rest, &columns, parts, here, &mut sums);
                left.drain(before..).for_each(|at| out[at] = sums.as_flattened()[at - start]);
            }
        }
        for left in left.chunks(LANES) {
            let (mut here, mut sums) = ([0; LANES], Sums::default());
            for ((row, sum), at) in here.iter_mut().zip(sums.as_flattened_mut()).zip(left) {
                (*row, *sum) = (rows[*at], out[*at]);
            }
            let here = &here[..left.len()];
            columns.read(parts, here);
            sum(rest, &columns, parts, here, &mut sums);
            left.iter().zip(sums.as_flattened()).for_each(|(at, sum)| out[*at] = *sum);
        }
        out
    }
}

/// Sums in the order of the trees, so that rounding is that of walking them.
fn sum(trees: &[Shape], columns: &Columns, parts: &[&Matrix], rows: &[usize], sums: &mut Sums) {
    let used = rows.len().div_ceil(FOUR);
    let mut asked = [(0, 0); TOGETHER];
    for trees in trees.chunks(TOGETHER) {
        for (asked, tree) in asked.iter_mut().zip(trees) {
            if let Shape::Bits(nodes, _) = tree {
                *asked = ask(nodes, columns);
            }
        }
        for (asked, tree) in asked.iter().zip(trees) {
            match tree {
                Shape::Bits(nodes, leaves) => {
                    add(nodes, leaves, *asked, columns, sums, used);
                }
                Shape::Walk(tree) => {
                    for (sum, &row) in sums.as_flattened_mut().iter_mut().zip(rows) {
                        let parts: Vec<&[f32]> = parts.iter().map(|p| p.row(row)).collect();
                        *sum += tree.value(&parts.concat());
                    }
                }
            }
        }
    }
}

/// A sum for each row.
type Sums = [[f32; FOUR]; FOURS];

/// Where rows of which enough is known are left.
#[derive(Clone, Copy)]
pub(in crate::extract::label) struct Early<'a> {
    /// After so many trees …
    pub(in crate::extract::label) trees: usize,
    /// … this is asked about the sum, and gives the row's log-odds if the other trees need not be.
    pub(in crate::extract::label) settled: &'a dyn Fn(f32) -> Option<f32>,
}

/// The nodes of a tree in the order of a walk from its root, and its leaves from left to right; `None` if it is no tree of
/// at most [`LEAVES`] leaves that asks for the first [`COLUMNS`] alone.
fn read(tree: &Tree) -> Option<(Vec<Node>, [f32; LEAVES])> {
    /// What is left to do: go down there, or close the left side or the right one of a node, which began at
    /// this leaf.
    enum Step {
        Down(i16),
        Left(usize, usize),
        Right(usize),
    }
    let bits = |from: usize, to: usize| (from..to).fold(0, |bits, leaf| bits | 1 << leaf);
    let mut nodes: Vec<Node> = Vec::new();
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
                    let at = nodes.len();
                    steps.push(Step::Right(at));
                    steps.push(Step::Down(node.right));
                    steps.push(Step::Left(at, next));
                    steps.push(Step::Down(node.left));
                    let column = u8::try_from(node.feature).ok();
                    let column = column.filter(|column| usize::from(*column) < COLUMNS)?;
                    nodes.push(Node { column, threshold: node.threshold, left: 0, right: 0 });
                }
            },
            Step::Left(at, from) => nodes.get_mut(at)?.left = bits(from, next),
            Step::Right(at) => {
                let node = nodes.get_mut(at)?;
                node.right = bits(LEAVES - node.left.leading_zeros() as usize, next);
            }
        }
    }
    Some((nodes, leaves))
}

/// Adds to the rows' sums what a tree says of them, by what was [asked](ask); `used`: fours of rows that there are.
///
/// Nodes that all rows answer alike, which are most where neighbours on a page are scored together, are told by the
/// bounds of their column. Of those that are left, many a tree has one or two; then its leaves for each answer are
/// looked up once, and each row takes one of them. Else each row clears the leaves that it cannot come to.
#[inline(never)]
fn add(
    nodes: &[Nodes],
    leaves: &[f32; LEAVES],
    (same, parting): (u32, u32),
    columns: &Columns,
    sums: &mut Sums,
    used: usize,
) {
    if parting == 0 {
        let leaf = leaf(leaves, same);
        sums.as_flattened_mut().iter_mut().for_each(|sum| *sum += leaf);
        return;
    }
    let a = node(nodes, parting.trailing_zeros());
    let others = parting & (parting - 1);
    if others == 0 {
        let [below, above] = [same, same & !a.left].map(|left| leaf(leaves, left));
        for (four, sums) in sums.iter_mut().enumerate() {
            let values = columns.four(four, a.column);
            for lane in 0..FOUR {
                // What is not a number is not below the threshold, as in walking.
                sums[lane] += if values[lane] <= a.threshold { below } else { above };
            }
        }
        return;
    }
    if others & (others - 1) == 0 {
        let b = node(nodes, others.trailing_zeros());
        let above = same & !a.left;
        // As bits, so that nothing branches.
        let [both, first, second, none] =
            [same, same & !b.left, above, above & !b.left].map(|left| leaf(leaves, left).to_bits());
        let (values, others) = (columns.all(a.column), columns.all(b.column));
        let (values, others) = (values.as_flattened(), others.as_flattened());
        let sums = sums.as_flattened_mut();
        for lane in 0..LANES {
            let below = [mask(values[lane] <= a.threshold), mask(others[lane] <= b.threshold)];
            let under = below[1] & both | !below[1] & first;
            let over = below[1] & second | !below[1] & none;
            sums[lane] += f32::from_bits(below[0] & under | !below[0] & over);
        }
        return;
    }
    let mut remaining = [[same; FOUR]; FOURS];
    let mut left = parting;
    while left != 0 {
        let node = node(nodes, left.trailing_zeros());
        left &= left - 1;
        for (four, remaining) in remaining.iter_mut().enumerate() {
            let values = columns.four(four, node.column);
            for lane in 0..FOUR {
                let below = values[lane] <= node.threshold;
                remaining[lane] &= !(mask(!below) & node.left);
            }
        }
    }
    for (sums, left) in sums.iter_mut().zip(remaining).take(used) {
        let more = left.map(|left| leaf(leaves, left));
        for lane in 0..FOUR {
            sums[lane] += more[lane];
        }
    }
}

/// The leaves that no row is kept from by a node that all answer alike, and the nodes that rows come to and answer
/// differently, a bit for each.
#[inline(never)]
fn ask(nodes: &[Nodes], columns: &Columns) -> (u32, u32) {
    let mut out = [0; FOUR];
    let (mut parting, mut place) = (0, 0);
    for nodes in nodes {
        let bounds = nodes.columns.map(|column| columns.bounds(column));
        let mut bits = [0; FOUR];
        for at in 0..FOUR {
            let (least, most) = bounds[at];
            let right = mask(least > nodes.thresholds[at]);
            let left = mask(most <= nodes.thresholds[at]);
            out[at] |= right & nodes.left[at] | left & nodes.right[at];
            bits[at] = !(left | right) & 1 << at;
        }
        parting |= (bits[0] | bits[1] | bits[2] | bits[3]) << (place % LEAVES);
        place += FOUR;
    }
    let same = !(out[0] | out[1] | out[2] | out[3]);
    // Where none of its left leaves remain, no row comes to a node.
    let (mut reached, mut bit) = ([0; FOUR], 1u32);
    for nodes in nodes {
        for (reached, left) in reached.iter_mut().zip(&nodes.left) {
            *reached |= if left & same == 0 { 0 } else { bit };
        }
        bit <<= FOUR;
    }
    parting &= reached[0] | reached[1] << 1 | reached[2] << 2 | reached[3] << 3;
    (same, parting)
}

/// All bits, or none.
#[inline]
fn mask(is: bool) -> u32 {
    u32::from(is).wrapping_neg()
}

/// The node with this number.
#[inline]
fn node(nodes: &[Nodes], number: u32) -> Node {
    let (four, at) = (number as usize / FOUR, number as usize % FOUR);
    let Nodes { columns, thresholds, left, right } = &nodes[four];
    Node { column: columns[at], threshold: thresholds[at], left: left[at], right: right[at] }
}

/// The lowest leaf that remains.
#[inline]
fn leaf(leaves: &[f32; LEAVES], left: u32) -> f32 {
    // One always remains: the bit set spares a question whether any does, the remainder a check.
    leaves[(left | 1 << (LEAVES - 1)).trailing_zeros() as usize % LEAVES]
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
