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

/// An ensemble laid out for scoring.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::extract::label) struct Scorer {
    prior: f32,
    trees: Vec<Shape>,
    /// Columns that any tree looks at.
    columns: Vec<u16>,
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// Its nodes among [`Scorer::nodes`], and its leaves from left to right.
    Bits(Range<usize>, [f32; LEAVES]),
    /// Too large, or damaged.
    Walk(Tree),
}

#[derive(Clone, Debug, PartialEq)]
struct Node {
    /// Index of [`Scorer::columns`].
    column: u32,
    threshold: f32,
    /// Leaves that a value above the threshold rules out.
    left: u32,
}

impl Scorer {
    pub(in crate::extract::label) fn new(ensemble: &Ensemble) -> Scorer {
        let mut scorer = Scorer {
            prior: ensemble.prior,
            trees: Vec::with_capacity(ensemble.trees.len()),
            columns: Vec::new(),
            nodes: Vec::new(),
        };
        // Index of each feature among the columns, one more than it is; 0 if it has none yet.
        let mut place = Vec::new();
        for tree in &ensemble.trees {
            let nodes = scorer.nodes.len();
            let shape = match scorer.add(tree, &mut place) {
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
    /// most [`LEAVES`] leaves.
    fn add(&mut self, tree: &Tree, place: &mut Vec<u32>) -> Option<[f32; LEAVES]> {
        /// What is left to do: go down there, or close the left side that began at this leaf.
        enum Step {
            Down(i16),
            Close(usize, usize),
        }
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
                        steps.push(Step::Down(node.right));
                        steps.push(Step::Close(self.nodes.len(), next));
                        steps.push(Step::Down(node.left));
                        let (column, threshold) =
                            (self.column(node.feature, place), node.threshold);
                        self.nodes.push(Node { column, threshold, left: 0 });
                    }
                },
                Step::Close(node, from) => {
                    let left = (from..next).fold(0, |bits, leaf| bits | 1 << leaf);
                    self.nodes.get_mut(node)?.left = left;
                }
            }
        }
        Some(leaves)
    }

    fn column(&mut self, feature: u16, place: &mut Vec<u32>) -> u32 {
        if place.len() <= usize::from(feature) {
            place.resize(usize::from(feature) + 1, 0);
        }
        let place = &mut place[usize::from(feature)];
        if *place == 0 {
            self.columns.push(feature);
            *place = self.columns.len() as u32;
        }
        *place - 1
    }

    /// Log-odds of the rows asked for, which every matrix has; their columns stand in the matrices one
    /// after the other.
    pub(in crate::extract::label) fn log_odds(
        &self,
        parts: &[&Matrix],
        rows: &[usize],
    ) -> Vec<f32> {
        let mut out = Vec::with_capacity(rows.len());
        let mut values = vec![[0.0; LANES]; self.columns.len()];
        let places = self.places(parts);
        for here in rows.chunks(LANES) {
            for (lane, &row) in here.iter().enumerate() {
                for (part, columns) in parts.iter().zip(&places) {
                    let row = part.row(row);
                    for &(column, place) in columns {
                        if let (Some(lanes), Some(value)) = (values.get_mut(place), row.get(column))
                        {
                            lanes[lane] = *value;
                        }
                    }
                }
            }
            out.extend_from_slice(&self.sums(&values, parts, here)[..here.len()]);
        }
        out
    }

    /// For each matrix which of its columns are looked at, and where their values are put.
    fn places(&self, parts: &[&Matrix]) -> Vec<Vec<(usize, usize)>> {
        let mut before = 0;
        let of_part = |part: &&Matrix| {
            let columns = before..before + part.cols;
            before = columns.end;
            let found = self.columns.iter().enumerate().filter_map(|(place, &column)| {
                let column = usize::from(column);
                columns.contains(&column).then(|| (column - columns.start, place))
            });
            found.collect()
        };
        parts.iter().map(of_part).collect()
    }

    /// Sums in the order of the trees, so that rounding is that of walking them.
    fn sums(&self, values: &[[f32; LANES]], parts: &[&Matrix], rows: &[usize]) -> [f32; LANES] {
        let mut sums = [self.prior; LANES];
        for tree in &self.trees {
            match tree {
                Shape::Bits(nodes, leaves) => {
                    let left = remaining(&self.nodes[nodes.clone()], values);
                    for (sum, left) in sums.iter_mut().zip(left) {
                        // One always remains; the remainder spares a check.
                        *sum += leaves[left.trailing_zeros() as usize % LEAVES];
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
        sums
    }
}

/// The leaves that the nodes leave each row; the lowest is its own. A function of its own, in
/// arithmetic without conditions, so that the lanes become vector instructions.
#[inline(never)]
fn remaining(nodes: &[Node], values: &[[f32; LANES]]) -> [u32; LANES] {
    let mut remaining = [u32::MAX; LANES];
    for node in nodes {
        let Some(values) = values.get(node.column as usize) else { continue };
        for (bits, value) in remaining.iter_mut().zip(values) {
            // What is not a number is not below the threshold, as in walking.
            let below = *value <= node.threshold;
            *bits &= !(u32::from(!below).wrapping_neg() & node.left);
        }
    }
    remaining
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::label::trees;
    use proptest::prelude::*;

    /// Any nodes at all: mostly trees, some circles and links to nowhere.
    fn ensembles() -> impl Strategy<Value = Ensemble> {
        let link = |at: i16| prop_oneof![8 => Just(at), 1 => -40i16..40];
        let tree = (0i16..40, -1.0f32..1.0).prop_flat_map(move |(n, first)| {
            let nodes: Vec<_> = (0..n)
                .map(|at| {
                    // A chain that hangs leaves on alternate sides.
                    let (leaf, down) = (-(at + 1), if at + 1 < n { at + 1 } else { -(n + 1) });
                    let sides = if at % 2 == 0 { (leaf, down) } else { (down, leaf) };
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
            for scored in [
                scorer.log_odds(&[&matrix], &asked),
                scorer.log_odds(&[&parts[0], &parts[1]], &asked),
            ] {
                prop_assert_eq!(
                    scored.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
                    walked.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
                );
            }
        }
    }
}
