//! The four data setups of Gibson et al. 2007 §6: may an article, may a publisher, be both trained on
//! and tested?
//!
//! Must not know: features, models.

use std::collections::{BTreeMap, BTreeSet};

use rand::seq::SliceRandom;

use super::Documents;
use crate::learn::split::rng;

/// What training and test may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Setup {
    NoDuplicatesSeparate,
    DuplicatesSeparate,
    NoDuplicatesMixed,
    DuplicatesMixed,
}

impl Setup {
    /// In the order of Tab. 1.
    pub(super) const ALL: [Setup; 4] = [
        Setup::NoDuplicatesSeparate,
        Setup::DuplicatesSeparate,
        Setup::NoDuplicatesMixed,
        Setup::DuplicatesMixed,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Setup::NoDuplicatesSeparate => "no duplicates, separate sources",
            Setup::DuplicatesSeparate => "duplicates allowed, separate sources",
            Setup::NoDuplicatesMixed => "no duplicates, mixed sources",
            Setup::DuplicatesMixed => "duplicates allowed, mixed sources",
        }
    }
}

/// Documents to train on and to test on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fold {
    pub(super) train: Vec<usize>,
    pub(super) test: Vec<usize>,
}

/// Cross-validation under a setup.
pub(super) fn folds(documents: &Documents, setup: Setup, folds: usize, seed: u64) -> Vec<Fold> {
    let list = &documents.list;
    let groups: Vec<usize> = match setup {
        Setup::NoDuplicatesSeparate | Setup::DuplicatesSeparate => {
            list.iter().map(|d| d.source).collect()
        }
        Setup::NoDuplicatesMixed => list.iter().map(|d| d.article).collect(),
        Setup::DuplicatesMixed => (0..list.len()).collect(),
    };
    let of = bundles(&groups, folds, seed);
    (0..folds)
        .map(|fold| {
            let (test, train) = (0..list.len()).partition(|&i| of[i] == fold);
            let mut fold = Fold { train, test };
            if setup == Setup::NoDuplicatesSeparate {
                separate(documents, &mut fold, seed);
            }
            fold
        })
        .collect()
}

/// Bundle number (0 … n − 1) of each document; a group is in one bundle, and bundles are level.
pub(super) fn bundles(groups: &[usize], n: usize, seed: u64) -> Vec<usize> {
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, group) in groups.iter().enumerate() {
        members.entry(*group).or_default().push(i);
    }
    let mut order: Vec<Vec<usize>> = members.into_values().collect();
    order.shuffle(&mut rng(seed));
    order.sort_by_key(|m| std::cmp::Reverse(m.len()));
    let mut load = vec![0; n.max(1)];
    let mut of = vec![0; groups.len()];
    for group in order {
        let bundle = (0..load.len()).min_by_key(|&b| load[b]).unwrap_or(0);
        load[bundle] += group.len();
        group.into_iter().for_each(|i| of[i] = bundle);
    }
    of
}

/// Of the articles on both sides half leave the training documents and half the test documents; of an
/// odd number more stay in the test.
fn separate(documents: &Documents, fold: &mut Fold, seed: u64) {
    let articles = |side: &[usize]| -> BTreeSet<usize> {
        side.iter().map(|&i| documents.list[i].article).collect()
    };
    let (train, test) = (articles(&fold.train), articles(&fold.test));
    let mut both: Vec<usize> = train.intersection(&test).copied().collect();
    both.shuffle(&mut rng(seed));
    let stay = both.len().div_ceil(2);
    let (tested, trained) = both.split_at(stay);
    fold.train.retain(|&i| !tested.contains(&documents.list[i].article));
    fold.test.retain(|&i| !trained.contains(&documents.list[i].article));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::gibson::Document;

    #[test]
    fn setups_keep_apart_what_they_say() {
        let list = (0..120)
            .map(|i| Document { source: i % 11, article: (i * 7) % 31, ..Document::default() })
            .collect();
        let documents = Documents { list, ..Documents::default() };
        let shared = |fold: &Fold, of: fn(&Document) -> usize| {
            let side = |ids: &[usize]| -> BTreeSet<usize> {
                ids.iter().map(|&i| of(&documents.list[i])).collect()
            };
            side(&fold.train).intersection(&side(&fold.test)).count()
        };
        for setup in Setup::ALL {
            let all = folds(&documents, setup, 4, 3);
            assert_eq!(all, folds(&documents, setup, 4, 3));
            let separate = matches!(setup, Setup::NoDuplicatesSeparate | Setup::DuplicatesSeparate);
            let unique = matches!(setup, Setup::NoDuplicatesSeparate | Setup::NoDuplicatesMixed);
            for fold in &all {
                assert_eq!(shared(fold, |d| d.source) == 0, separate, "{setup:?}");
                assert_eq!(shared(fold, |d| d.article) == 0, unique, "{setup:?}");
                assert!(fold.test.len() > 5 && fold.train.len() > fold.test.len());
            }
        }
    }
}
