//! The sums of boosted trees over many rows at once, bit for bit those of walking every tree.
//!
//! A walk waits for memory at each node and guesses each branch. Here every node is asked for many rows
//! together, without a branch: each leaf is a bit, a node that answers "right" clears the bits of the
//! leaves on its left, and the lowest bit that remains is the row's leaf. Nodes are asked column by
//! column in the order of their thresholds, so that most need no look at the rows: those below all
//! values answer "right", those above all "left" (Lucchese et al., QuickScorer, SIGIR 2015). Must not
//! know: what the columns mean.

use std::ops::Range;

use super::{Ensemble, Tree};
use crate::extract::feature::rich::Matrix;

/// Rows that are scored together, as long as there are so many.
const LANES: usize = 32;
/// Rows that are scored together at the end, where fewer are left.
const HALF: usize = LANES / 2;
const QUARTER: usize = LANES / 4;
/// Leaves of a tree that has room in a row's bits.
const LEAVES: usize = u16::BITS as usize;

/// An ensemble laid out for scoring.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::extract::label) struct Scorer {
    prior: f32,
    /// The columns that are asked for, and their nodes among [`Scorer::nodes`].
    columns: Vec<(usize, Range<usize>)>,
    /// By column and threshold.
    nodes: Vec<Node>,
    /// Of each tree, from left to right.
    leaves: Vec<[f32; LEAVES]>,
    /// Trees that are too large or damaged, by their number.
    walked: Vec<(usize, Tree)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Node {
    threshold: f32,
    tree: u16,
    /// Leaves that a value above the threshold rules out.
    left: u16,
}

impl Scorer {
    pub(in crate::extract::label) fn new(ensemble: &Ensemble) -> Scorer {
        let mut scorer = Scorer {
            prior: ensemble.prior,
            columns: Vec::new(),
            nodes: Vec::new(),
            leaves: Vec::with_capacity(ensemble.trees.len()),
            walked: Vec::new(),
        };
        let mut nodes = Vec::new();
        for (number, tree) in ensemble.trees.iter().enumerate() {
            let before = nodes.len();
            let leaves = add(tree, number, &mut nodes).unwrap_or_else(|| {
                nodes.truncate(before);
                scorer.walked.push((number, tree.clone()));
                [0.0; LEAVES]
            });
            scorer.leaves.push(leaves);
        }
        nodes.sort_by(|(a, one), (b, other)| {
            a.cmp(b).then(one.threshold.total_cmp(&other.threshold))
        });
        for (column, node) in nodes {
            let at = scorer.nodes.len();
            match scorer.columns.last_mut() {
                Some((last, nodes)) if *last == column => nodes.end = at + 1,
                _ => scorer.columns.push((column, at..at + 1)),
            }
            scorer.nodes.push(node);
        }
        scorer
    }

    /// Log-odds of the rows asked for, which every matrix has; their columns stand in the matrices one
    /// after the other.
    pub(in crate::extract::label) fn log_odds(
        &self,
        parts: &[&Matrix],
        rows: &[usize],
    ) -> Vec<f32> {
        let mut out = Vec::with_capacity(rows.len());
        let (full, rest) = rows.split_at(rows.len() / LANES * LANES);
        self.score::<LANES>(parts, full, &mut out);
        match rest.len() {
            n if n <= QUARTER => self.score::<QUARTER>(parts, rest, &mut out),
            n if n <= HALF => self.score::<HALF>(parts, rest, &mut out),
            _ => self.score::<LANES>(parts, rest, &mut out),
        }
        out
    }

    /// Appends the log-odds of the rows, `LANES` at a time.
    fn score<const LANES: usize>(&self, parts: &[&Matrix], rows: &[usize], out: &mut Vec<f32>) {
        if rows.is_empty() {
            return;
        }
        let mut columns = Columns::<LANES>::new(parts.iter().map(|part| part.cols).sum());
        let mut remaining = Remaining::<LANES>::new(self.leaves.len());
        for here in rows.chunks(LANES) {
            columns.read(parts, here);
            remaining.clear();
            for (column, nodes) in &self.columns {
                // What no matrix has is 0, as in walking.
                let values = columns.values.get(*column).unwrap_or(&[0.0; LANES]);
                remaining.ask(&self.nodes[nodes.clone()], values, columns.bounds(*column));
            }
            out.extend_from_slice(&self.sums(&remaining, parts, here)[..here.len()]);
        }
    }

    /// Sums in the order of the trees, so that rounding is that of walking them.
    fn sums<const LANES: usize>(
        &self,
        remaining: &Remaining<LANES>,
        parts: &[&Matrix],
        rows: &[usize],
    ) -> [f32; LANES] {
        let mut sums = [self.prior; LANES];
        let mut walked = self.walked.iter().peekable();
        let trees = self.leaves.iter().zip(&remaining.same).zip(&remaining.of_row);
        for (number, ((leaves, same), of_row)) in trees.enumerate() {
            if let Some((_, tree)) = walked.next_if(|(walked, _)| *walked == number) {
                for (sum, &row) in sums.iter_mut().zip(rows) {
                    let parts: Vec<&[f32]> = parts.iter().map(|p| p.row(row)).collect();
                    *sum += tree.value(&parts.concat());
                }
                continue;
            }
            let mut lowest = [0_u32; LANES];
            for lane in 0..LANES {
                let left = of_row[lane] & same;
                // The exponent of a power of two is the number of its bit: so, it becomes vector instructions.
                let power = i32::from(left & left.wrapping_neg()) as f32;
                lowest[lane] = power.to_bits() >> (f32::MANTISSA_DIGITS - 1);
            }
            for lane in 0..LANES {
                const BIAS: usize = f32::MAX_EXP as usize - 1;
                // One always remains; the remainder spares a check.
                sums[lane] += leaves[(lowest[lane] as usize).wrapping_sub(BIAS) % LEAVES];
            }
        }
        sums
    }
}

/// Appends a tree's nodes with their columns and gives its leaves from left to right; `None` if it is no
/// tree of at most [`LEAVES`] leaves.
fn add(tree: &Tree, number: usize, nodes: &mut Vec<(usize, Node)>) -> Option<[f32; LEAVES]> {
    /// What is left to do: go down there, or close the left side that began at this leaf.
    enum Step {
        Down(i16),
        Close(usize, usize),
    }
    let number = u16::try_from(number).ok()?;
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
                    if entered > tree.nodes.len() || !node.threshold.is_finite() {
                        return None;
                    }
                    steps.push(Step::Down(node.right));
                    steps.push(Step::Close(nodes.len(), next));
                    steps.push(Step::Down(node.left));
                    let laid = Node { threshold: node.threshold, tree: number, left: 0 };
                    nodes.push((usize::from(node.feature), laid));
                }
            },
            Step::Close(node, from) => {
                let left = (from..next).fold(0, |bits, leaf| bits | 1 << leaf);
                nodes.get_mut(node)?.1.left = left;
            }
        }
    }
    Some(leaves)
}

/// The columns of rows that are scored together.
struct Columns<const LANES: usize> {
    values: Vec<[f32; LANES]>,
    /// The least and the largest value of each.
    least: Vec<f32>,
    most: Vec<f32>,
    /// Is some value not finite? Then the bounds say nothing.
    odd: bool,
}

impl<const LANES: usize> Columns<LANES> {
    fn new(count: usize) -> Self {
        Columns {
            values: vec![[0.0; LANES]; count],
            least: vec![0.0; count],
            most: vec![0.0; count],
            odd: false,
        }
    }

    /// Reads these rows, at most `LANES`, out of the matrices side by side. Loops over indices: they become vector
    /// instructions in every build.
    fn read(&mut self, parts: &[&Matrix], rows: &[usize]) {
        const PART: usize = 8;
        self.least.fill(f32::MAX);
        self.most.fill(f32::MIN);
        let mut odd = [0.0; PART];
        let mut before = 0;
        for part in parts {
            let here = before..before + part.cols;
            before = here.end;
            let least = self.least.get_mut(here.clone()).unwrap_or_default();
            let most = self.most.get_mut(here.clone()).unwrap_or_default();
            for row in rows.iter().map(|&row| part.row(row)) {
                for ((least, most), &value) in least.iter_mut().zip(most.iter_mut()).zip(row) {
                    *least = if value < *least { value } else { *least };
                    *most = if value > *most { value } else { *most };
                }
                // 0 unless a value is not finite.
                let (eights, rest) = row.as_chunks::<PART>();
                for eight in eights {
                    for at in 0..PART {
                        odd[at] += eight[at] * 0.0;
                    }
                }
                rest.iter().for_each(|value| odd[0] += value * 0.0);
            }
            let columns = self.values.get_mut(here).unwrap_or_default();
            let (columns, others) = columns.as_chunks_mut::<PART>();
            for lane in 0..LANES {
                // Where rows are missing, the first stands in for them.
                let row = rows.get(lane).or(rows.first()).map_or(&[][..], |row| part.row(*row));
                let (eights, rest) = row.as_chunks::<PART>();
                for part in 0..eights.len().min(columns.len()) {
                    for at in 0..PART {
                        columns[part][at][lane] = eights[part][at];
                    }
                }
                for at in 0..rest.len().min(others.len()) {
                    others[at][lane] = rest[at];
                }
            }
        }
        self.odd = odd != [0.0; PART];
    }

    /// Between which values a column lies.
    #[inline]
    fn bounds(&self, column: usize) -> (f32, f32) {
        match (self.least.get(column), self.most.get(column)) {
            (Some(&least), Some(&most)) if !self.odd => (least, most),
            (Some(_), Some(_)) => (f32::NEG_INFINITY, f32::INFINITY),
            _ => (0.0, 0.0),
        }
    }
}

/// The leaves that remain, tree by tree: those that no node has ruled out for all rows alike, and for each
/// row.
struct Remaining<const LANES: usize> {
    same: Vec<u16>,
    of_row: Vec<[u16; LANES]>,
}

impl<const LANES: usize> Remaining<LANES> {
    fn new(trees: usize) -> Self {
        Remaining { same: vec![0; trees], of_row: vec![[0; LANES]; trees] }
    }

    fn clear(&mut self) {
        self.same.fill(u16::MAX);
        self.of_row.fill([u16::MAX; LANES]);
    }

    /// Asks the nodes of a column, which are in the order of their thresholds.
    #[inline]
    fn ask(&mut self, nodes: &[Node], values: &[f32; LANES], (least, most): (f32, f32)) {
        let mut nodes = nodes.iter().peekable();
        while let Some(node) = nodes.next_if(|node| node.threshold < least) {
            if let Some(same) = self.same.get_mut(usize::from(node.tree)) {
                *same &= !node.left;
            }
        }
        // What all rows are at most rules out nothing.
        for node in nodes.take_while(|node| node.threshold < most) {
            let Some(of_row) = self.of_row.get_mut(usize::from(node.tree)) else { continue };
            for lane in 0..LANES {
                // What is not a number is not below the threshold, as in walking.
                let below = values[lane] <= node.threshold;
                of_row[lane] &= !(u16::from(!below).wrapping_neg() & node.left);
            }
        }
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
