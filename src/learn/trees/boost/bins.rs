//! Features cut into at most 255 bins of about equal population, stored in groups of columns so
//! that building one group's histograms stays in the processor's cache.
//!
//! Must not know: what the features mean.

use rayon::prelude::*;

use super::Tree;

/// Columns stored side by side.
pub(super) const GROUP: usize = 16;
/// Bins per feature.
pub(super) const BINS: usize = 255;
/// Rows looked at to place the bins' edges.
const SAMPLE: usize = 200_000;

/// A matrix of bin numbers.
pub struct Binned {
    rows: usize,
    columns: usize,
    /// Per column: upper edges of all bins but the last, ascending.
    edges: Vec<Vec<f32>>,
    /// Per group of columns: rows × [`GROUP`] bin numbers.
    pub(super) groups: Vec<Vec<u8>>,
}

impl Binned {
    /// Bins a row-major matrix.
    pub fn new(data: &[f32], columns: usize) -> Binned {
        let rows = data.len().checked_div(columns).unwrap_or(0);
        let step = rows.div_ceil(SAMPLE).max(1);
        let edges: Vec<Vec<f32>> = (0..columns)
            .into_par_iter()
            .map(|c| edges((0..rows).step_by(step).map(|r| data[r * columns + c]).collect()))
            .collect();
        let groups = (0..columns.div_ceil(GROUP))
            .into_par_iter()
            .map(|g| {
                let mut bins = vec![0_u8; rows * GROUP];
                for c in g * GROUP..((g + 1) * GROUP).min(columns) {
                    for r in 0..rows {
                        bins[r * GROUP + c % GROUP] = bin(&edges[c], data[r * columns + c]);
                    }
                }
                bins
            })
            .collect();
        Binned { rows, columns, edges, groups }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of features.
    pub fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn bins_of(&self, column: usize) -> usize {
        self.edges[column].len() + 1
    }

    /// The upper edge of a bin that is not the last.
    pub(super) fn edge(&self, column: usize, bin: usize) -> f32 {
        self.edges[column][bin]
    }

    pub(super) fn bin(&self, row: u32, column: usize) -> u8 {
        self.groups[column / GROUP][row as usize * GROUP + column % GROUP]
    }

    /// Adds a tree's values to the scores of all rows.
    pub(super) fn add(&self, tree: &Tree, scores: &mut [f32]) {
        // Edges become bins once, so that rows need no floats.
        let cuts: Vec<u8> = tree
            .nodes
            .iter()
            .map(|n| {
                let edges = &self.edges[usize::from(n.feature)];
                edges.partition_point(|e| *e < n.threshold) as u8
            })
            .collect();
        scores.par_iter_mut().enumerate().for_each(|(r, score)| {
            let mut at: i16 = if tree.nodes.is_empty() { -1 } else { 0 };
            while at >= 0 {
                let node = &tree.nodes[at as usize];
                let left = self.bin(r as u32, usize::from(node.feature)) <= cuts[at as usize];
                at = if left { node.left } else { node.right };
            }
            *score += tree.leaves[(-(at + 1)) as usize];
        });
    }
}

/// Bin of a value: the first whose upper edge is not below it; what is no number goes first.
fn bin(edges: &[f32], value: f32) -> u8 {
    edges.partition_point(|e| *e < value) as u8
}

fn edges(mut values: Vec<f32>) -> Vec<f32> {
    values.retain(|v| !v.is_nan());
    values.sort_unstable_by(f32::total_cmp);
    let mut distinct = values.clone();
    distinct.dedup();
    let middle = |a: f32, b: f32| {
        let m = a + (b - a) / 2.0;
        if m.is_finite() && m >= a && m < b { m } else { a }
    };
    if distinct.len() <= BINS {
        return distinct.windows(2).map(|w| middle(w[0], w[1])).collect();
    }
    let mut edges: Vec<f32> = Vec::with_capacity(BINS - 1);
    for k in 1..BINS {
        let v = values[k * values.len() / BINS];
        let next = distinct.partition_point(|d| *d <= v);
        if let Some(&after) = distinct.get(next) {
            let edge = middle(v, after);
            if edges.last().is_none_or(|last| *last < edge) {
                edges.push(edge);
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_keep_order_and_split_distinct_values() {
        let few = Binned::new(&[3.0, 1.0, 2.0, 1.0], 1);
        assert_eq!((0..4).map(|r| few.bin(r, 0)).collect::<Vec<_>>(), [2, 0, 1, 0]);
        let values: Vec<f32> = (0..10_000).map(|i| (i as f32).sqrt()).collect();
        let many = Binned::new(&values, 1);
        assert!(many.bins_of(0) > 200 && many.bins_of(0) <= BINS);
        assert!((1..10_000).all(|r| many.bin(r - 1, 0) <= many.bin(r, 0)));
    }
}
