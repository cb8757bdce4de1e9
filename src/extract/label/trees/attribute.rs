//! What each feature contributed to a row's log-odds: along the row's path through each tree, the
//! change of the expected value at a split belongs to the split's feature (Saabas 2014; Palczewska
//! et al. 2013, §3). The expectation is over the page's own blocks, weighed by the caller, so the
//! contributions tell how a block differs from the others of its page, and no counts of the training
//! have to be stored.
//!
//! A row's contributions add up to its log-odds less the weighed mean of the page. Must not know:
//! features, pages.

use super::{Matrix, Tree};

/// Contributions in the shape of `matrix`; `weights`, above 0, are those of its rows.
pub(super) fn contributions(trees: &[Tree], matrix: &Matrix, weights: &[f64]) -> Matrix {
    let mut out =
        Matrix { rows: matrix.rows, cols: matrix.cols, data: vec![0.0; matrix.rows * matrix.cols] };
    for tree in trees {
        let paths: Vec<(Vec<usize>, f32)> =
            (0..matrix.rows).map(|row| path(tree, matrix.row(row))).collect();
        // Sum and weight of the rows that pass each node.
        let mut passed = vec![(0.0_f64, 0.0_f64); tree.nodes.len()];
        for ((nodes, leaf), weight) in paths.iter().zip(weights) {
            for &node in nodes {
                passed[node].0 += weight * f64::from(*leaf);
                passed[node].1 += weight;
            }
        }
        let expected = |node: usize| passed[node].0 / passed[node].1.max(f64::MIN_POSITIVE);
        for (row, (nodes, leaf)) in paths.iter().enumerate() {
            for (step, &node) in nodes.iter().enumerate() {
                let after = nodes.get(step + 1).map_or(f64::from(*leaf), |&next| expected(next));
                let feature = usize::from(tree.nodes[node].feature);
                if feature < out.cols {
                    out.data[row * out.cols + feature] += (after - expected(node)) as f32;
                }
            }
        }
    }
    out
}

/// The nodes that a row passes, and the leaf value it ends at; as [`Tree::value`].
fn path(tree: &Tree, row: &[f32]) -> (Vec<usize>, f32) {
    let mut nodes = Vec::new();
    let mut at: i16 = if tree.nodes.is_empty() { -1 } else { 0 };
    while let Ok(index) = usize::try_from(at) {
        let Some(node) = tree.nodes.get(index).filter(|_| nodes.len() <= tree.nodes.len()) else {
            break;
        };
        nodes.push(index);
        let value = row.get(usize::from(node.feature)).copied().unwrap_or(0.0);
        at = if value <= node.threshold { node.left } else { node.right };
    }
    (nodes, tree.value(row))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Node;
    use super::*;

    const COLS: usize = 4;

    /// A tree of three splits and four leaves.
    fn trees() -> impl Strategy<Value = Vec<Tree>> {
        let split = (0..COLS as u16, -1.0f32..1.0);
        let tree = (prop::array::uniform3(split), prop::collection::vec(-2.0f32..2.0, 4));
        let make = |(splits, leaves): ([(u16, f32); 3], Vec<f32>)| {
            let node = |i: usize, left, right| {
                let (feature, threshold) = splits[i];
                Node { feature, left, right, threshold }
            };
            Tree { nodes: vec![node(0, 1, 2), node(1, -1, -2), node(2, -3, -4)], leaves }
        };
        prop::collection::vec(tree.prop_map(make), 0..5)
    }

    proptest! {
        #[test]
        fn contributions_add_up_to_the_difference_from_the_page(
            trees in trees(),
            weighed in prop::collection::vec(
                (prop::array::uniform4(-1.0f32..1.0), 0.1f64..1.0),
                1..12,
            ),
        ) {
            let rows = weighed.len();
            let (data, weights): (Vec<[f32; COLS]>, Vec<f64>) = weighed.into_iter().unzip();
            let matrix = Matrix { rows, cols: COLS, data: data.concat() };
            let sum = |row: usize| trees.iter().map(|t| t.value(matrix.row(row))).sum::<f32>();
            let total: f64 = (0..rows).map(|row| weights[row] * f64::from(sum(row))).sum();
            let mean = (total / weights.iter().sum::<f64>()) as f32;
            let shares = contributions(&trees, &matrix, &weights);
            for row in 0..rows {
                let total: f32 = shares.row(row).iter().sum();
                prop_assert!((total - (sum(row) - mean)).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn only_features_on_the_path_count() {
        let node = Node { feature: 2, left: -1, right: -2, threshold: 0.0 };
        let tree = Tree { nodes: vec![node], leaves: vec![-1.0, 3.0] };
        let data = [[9.0, 9.0, -1.0, 9.0], [9.0, 9.0, 1.0, 9.0]].concat();
        let shares = contributions(&[tree], &Matrix { rows: 2, cols: COLS, data }, &[1.0; 2]);
        assert_eq!(shares.data, [0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    }

    #[test]
    fn damaged_trees_end() {
        let circle = Node { feature: 9, left: 0, right: 0, threshold: 0.0 };
        let tree = Tree { nodes: vec![circle], leaves: vec![] };
        let matrix = Matrix { rows: 1, cols: COLS, data: vec![0.0; COLS] };
        assert_eq!(contributions(&[tree], &matrix, &[1.0]).data, [0.0; COLS]);
    }
}
