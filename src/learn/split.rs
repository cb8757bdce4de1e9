//! Who is trained on and who is tested: seeded folds that keep pages of one registered domain and
//! near-copies together, and the plain 70/30 split of Ziegler & Skubacz 2007, §4.
//!
//! Must not know: labelers, what is measured.

use std::collections::{BTreeMap, HashMap};

use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::corpus::LabeledPage;
use crate::dedupe::similarity::{Vector, sim};

/// Gold texts at least this similar (sim^σ) stay in one fold. Unrelated articles of equal length
/// reach 0.87 once in ten thousand pairs, which a lower bound would chain into one huge group.
const COPY: f64 = 0.92;

/// Group number of each page: same domain (or same corpus, where the domain is unknown) or near-copy.
pub fn groups(pages: &[LabeledPage]) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..pages.len()).collect();
    let mut first: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (i, page) in pages.iter().enumerate() {
        let j = *first.entry(page.group()).or_insert(i);
        join(&mut parents, i, j);
    }
    for (i, j) in copies(pages) {
        join(&mut parents, i, j);
    }
    (0..pages.len()).map(|i| root(&mut parents, i)).collect()
}

/// Pairs of pages whose gold texts are near-copies. Sorted by length, a text is compared only with
/// those whose length alone does not rule it out (cos ≤ 1).
fn copies(pages: &[LabeledPage]) -> Vec<(usize, usize)> {
    let vectors: Vec<Vector> = pages.par_iter().map(|p| Vector::of(p.text())).collect();
    let mut order: Vec<usize> = (0..pages.len()).filter(|&i| !vectors[i].is_empty()).collect();
    order.sort_by_key(|&i| vectors[i].len());
    (0..order.len())
        .into_par_iter()
        .flat_map_iter(|at| {
            let i = order[at];
            let longest = (vectors[i].len() as f64 / COPY) as u64;
            let (vectors, order) = (&vectors, &order);
            order[at + 1..]
                .iter()
                .take_while(move |&&j| vectors[j].len() <= longest)
                .filter(move |&&j| sim(&vectors[i], &vectors[j]) >= COPY)
                .map(move |&j| (i, j))
        })
        .collect()
}

fn root(parents: &mut [usize], mut i: usize) -> usize {
    while parents[i] != i {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    i
}

fn join(parents: &mut [usize], i: usize, j: usize) {
    let (a, b) = (root(parents, i), root(parents, j));
    parents[a.max(b)] = a.min(b);
}

/// Fold number (0 … `folds` − 1) of each page; a group is in one fold, and the folds are level
/// within each corpus as far as groups allow.
pub fn grouped_folds(pages: &[LabeledPage], folds: usize, seed: u64) -> Vec<usize> {
    let folds = folds.max(1);
    let groups = groups(pages);
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (page, group) in groups.iter().enumerate() {
        members.entry(*group).or_default().push(page);
    }
    let mut order: Vec<Vec<usize>> = members.into_values().collect();
    order.shuffle(&mut rng(seed));
    order.sort_by_key(|m| std::cmp::Reverse(m.len()));
    let mut load: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut total = vec![0; folds];
    let mut fold_of = vec![0; pages.len()];
    for group in order {
        let corpus = pages[group[0]].corpus.as_str();
        let within = load.entry(corpus).or_insert_with(|| vec![0; folds]);
        let fold = (0..folds).min_by_key(|&f| (within[f], total[f])).unwrap_or(0);
        within[fold] += group.len();
        total[fold] += group.len();
        group.into_iter().for_each(|page| fold_of[page] = fold);
    }
    fold_of
}

/// Which of `pages` pages are for training: a random share, ungrouped as in the paper.
pub fn holdout(pages: usize, train: f64, seed: u64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..pages).collect();
    order.shuffle(&mut rng(seed));
    let cut = (pages as f64 * train).round() as usize;
    let mut in_training = vec![false; pages];
    order.into_iter().take(cut).for_each(|i| in_training[i] = true);
    in_training
}

/// The generator of every seeded step of learning.
pub fn rng(seed: u64) -> Pcg64Mcg {
    Pcg64Mcg::new((u128::from(seed) << 64 | 0x9e37_79b9_7f4a_7c15) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::corpus::test_page;

    #[test]
    fn domains_and_copies_stay_together() {
        let story = &"The plant in the north opens in May and makes steel for ships. ".repeat(4);
        let pages = [
            test_page("a", "x.example", story),
            test_page("b", "y.example", "Nothing here resembles any other of these texts"),
            test_page("c", "z.example", &format!("{story} again")),
            test_page("d", "x.example", "A third text about football in the rain"),
            test_page("e", "", "No domain known one"),
            test_page("f", "", "Nor does this page have any"),
        ];
        let g = groups(&pages);
        assert_eq!((g[0] == g[2], g[0] == g[3], g[4] == g[5]), (true, true, true));
        assert_eq!((g[0] == g[1], g[1] == g[4]), (false, false));
        for seed in 0..5 {
            let folds = grouped_folds(&pages, 3, seed);
            assert_eq!(folds, grouped_folds(&pages, 3, seed));
            assert!(
                g.iter()
                    .zip(&folds)
                    .all(|(a, x)| { g.iter().zip(&folds).all(|(b, y)| a != b || x == y) })
            );
            let mut used = folds.clone();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), 3);
        }
    }

    #[test]
    fn holdout_has_the_share() {
        let h = holdout(100, 0.7, 3);
        assert_eq!(h.iter().filter(|t| **t).count(), 70);
        assert_ne!(h, holdout(100, 0.7, 4));
    }
}
