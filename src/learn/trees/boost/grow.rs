//! One tree: leaf-wise growth over histograms of gradients.
//!
//! Must not know: the loss, what the features mean.

use rayon::prelude::*;

use super::bins::{BINS, Binned, GROUP};
use super::{Node, Settings, Tree};

/// Sums of first and second derivatives per bin of the columns of one group.
type Histogram = Vec<[f64; 2]>;

/// A leaf that may still be split.
struct Leaf {
    rows: Vec<u32>,
    histograms: Vec<Histogram>,
    sum: [f64; 2],
    split: Option<Split>,
    /// Node and side that lead here; `None` at the root.
    from: Option<(usize, bool)>,
}

/// The best way to divide a leaf.
#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    column: usize,
    bin: usize,
    left: [f64; 2],
}

/// Grows one tree on the sampled rows with the given columns (ascending).
pub(super) fn tree(
    data: &Binned,
    gradients: &[(f32, f32)],
    rows: Vec<u32>,
    columns: &[usize],
    settings: &Settings,
) -> Tree {
    // Which columns of which group this tree sees.
    let groups: Vec<Vec<usize>> = (0..data.groups.len())
        .map(|g| columns.iter().copied().filter(|c| c / GROUP == g).collect())
        .collect();
    let histograms = build(data, gradients, &rows, &groups);
    let sum = rows.iter().fold([0.0, 0.0], |s, &r| {
        let (g, h) = gradients[r as usize];
        [s[0] + f64::from(g), s[1] + f64::from(h)]
    });
    let split = best_split(data, &histograms, &groups, sum, settings);
    let mut open = vec![Leaf { rows, histograms, sum, split, from: None }];
    let mut nodes: Vec<Node> = Vec::new();
    while open.len() < settings.leaves.clamp(1, 1024) {
        let gain = |l: &Leaf| l.split.map_or(0.0, |s| s.gain);
        let Some(at) =
            (0..open.len()).reduce(|a, b| if gain(&open[b]) > gain(&open[a]) { b } else { a })
        else {
            break;
        };
        let Some(split) = open[at].split else { break };
        let leaf = open.swap_remove(at);
        let number = nodes.len();
        nodes.push(Node {
            feature: split.column as u16,
            threshold: data.edge(split.column, split.bin),
            left: 0,
            right: 0,
        });
        link(&mut nodes, leaf.from, number as i16);
        let (left, right): (Vec<u32>, Vec<u32>) =
            leaf.rows.iter().partition(|&&r| usize::from(data.bin(r, split.column)) <= split.bin);
        let right_sum = [leaf.sum[0] - split.left[0], leaf.sum[1] - split.left[1]];
        // Only the smaller side is counted; the other is the parent minus it.
        let left_smaller = left.len() <= right.len();
        let small = build(data, gradients, if left_smaller { &left } else { &right }, &groups);
        let large: Vec<Histogram> = leaf
            .histograms
            .into_iter()
            .zip(&small)
            .map(|(mut parent, child)| {
                for (p, c) in parent.iter_mut().zip(child) {
                    p[0] -= c[0];
                    p[1] -= c[1];
                }
                parent
            })
            .collect();
        let (lh, rh) = if left_smaller { (small, large) } else { (large, small) };
        for (rows, histograms, sum, is_left) in
            [(left, lh, split.left, true), (right, rh, right_sum, false)]
        {
            let split = best_split(data, &histograms, &groups, sum, settings);
            open.push(Leaf { rows, histograms, sum, split, from: Some((number, is_left)) });
        }
    }
    let mut leaves = Vec::with_capacity(open.len());
    for (i, leaf) in open.iter().enumerate() {
        link(&mut nodes, leaf.from, -(i as i16) - 1);
        let value = -leaf.sum[0] / (leaf.sum[1] + settings.lambda) * settings.learning_rate;
        leaves.push(if value.is_finite() { value as f32 } else { 0.0 });
    }
    Tree { nodes, leaves }
}

fn link(nodes: &mut [Node], from: Option<(usize, bool)>, to: i16) {
    if let Some((node, is_left)) = from {
        if is_left { nodes[node].left = to } else { nodes[node].right = to }
    }
}

/// Histograms of all groups; each group is summed in row order by one thread.
fn build(
    data: &Binned,
    gradients: &[(f32, f32)],
    rows: &[u32],
    groups: &[Vec<usize>],
) -> Vec<Histogram> {
    groups
        .par_iter()
        .enumerate()
        .map(|(g, columns)| {
            if columns.is_empty() {
                return Vec::new();
            }
            let slots: Vec<usize> = columns.iter().map(|c| c % GROUP).collect();
            let mut histogram = vec![[0.0; 2]; columns.len() * (BINS + 1)];
            for &r in rows {
                let (a, b) = gradients[r as usize];
                let (a, b) = (f64::from(a), f64::from(b));
                let bins = &data.groups[g][r as usize * GROUP..][..GROUP];
                for (k, &slot) in slots.iter().enumerate() {
                    let cell = &mut histogram[k * (BINS + 1) + usize::from(bins[slot])];
                    cell[0] += a;
                    cell[1] += b;
                }
            }
            histogram
        })
        .collect()
}

/// The split with the largest gain, the first of equals; `None` where nothing is gained.
fn best_split(
    data: &Binned,
    histograms: &[Histogram],
    groups: &[Vec<usize>],
    sum: [f64; 2],
    settings: &Settings,
) -> Option<Split> {
    let quality = |s: [f64; 2]| s[0] * s[0] / (s[1] + settings.lambda);
    let whole = quality(sum);
    let mut best: Option<Split> = None;
    for (histogram, columns) in histograms.iter().zip(groups) {
        for (k, &column) in columns.iter().enumerate() {
            let cells = &histogram[k * (BINS + 1)..][..data.bins_of(column)];
            let mut left = [0.0; 2];
            for (bin, cell) in cells[..cells.len() - 1].iter().enumerate() {
                left[0] += cell[0];
                left[1] += cell[1];
                let right = [sum[0] - left[0], sum[1] - left[1]];
                if left[1] < settings.least_leaf {
                    continue;
                }
                if right[1] < settings.least_leaf {
                    break;
                }
                let gain = quality(left) + quality(right) - whole;
                if gain > best.map_or(1e-6, |b| b.gain) {
                    best = Some(Split { gain, column, bin, left });
                }
            }
        }
    }
    best
}
