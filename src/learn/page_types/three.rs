//! One article, an article with comments, or several pages in one: the classes of Pappas et al. 2012, on pages of
//! domains that nothing was grown on.
//!
//! Two ways: the program as it is, whose margin for lists is high on purpose, and trees for each class, of which the
//! greatest log-odds decide. The second is measured only. Must not know: how a command prints.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::Serialize;

use super::{Sample, grow, is_list, lend, margin, read, weights};
use crate::learn::corpus::Corpus;
use crate::learn::pappas::{self, CLASSES};
use crate::learn::progress::{OnProgress, Progress};
use crate::learn::split;
use crate::model::PageType;

/// How often each way is right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Three {
    /// Pages that have one of the classes.
    pub pages: usize,
    pub ways: Vec<Way>,
}

/// One way to tell the classes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Way {
    pub name: &'static str,
    /// By gold class, what its pages were taken for: the classes, then neither of them.
    pub confusion: [[usize; 4]; 3],
    /// Share of pages that are right.
    pub accuracy: f64,
    /// The same by class, and the mean of that.
    pub balanced: f64,
    /// Accuracy of each fold.
    pub folds: Vec<f64>,
    pub mean: f64,
    pub sd: f64,
}

/// Grows trees on all folds but one and asks them about that one.
///
/// # Errors
/// If a corpus cannot be read, or its pages are of one class or domain.
pub fn three(
    corpora: &[PathBuf],
    folds: usize,
    seed: u64,
    progress: OnProgress<'_>,
) -> Result<Three> {
    let corpus = Corpus::load(corpora)?;
    let gold: Vec<Option<usize>> = corpus
        .pages
        .iter()
        .map(|page| pappas::class(page).and_then(|class| CLASSES.iter().position(|c| *c == class)))
        .collect();
    if (0..CLASSES.len()).any(|class| !gold.contains(&Some(class))) {
        bail!("{} lack one of the three classes", corpus.names.join(", "));
    }
    let told = |step: &str, done| {
        progress(Progress { step: step.to_owned(), done, of: folds + 1, figure: None });
    };
    told("reading pages", 0);
    let mut samples = read(&corpus)?;
    lend(&corpus.pages, &mut samples);
    let weights = weights(&corpus.pages, &samples);
    let fold_of = split::grouped_folds(&corpus.pages, folds, seed);
    let mut lists = vec![0.0_f32; samples.len()];
    let mut classes = vec![[0.0_f32; 3]; samples.len()];
    for fold in 0..folds {
        told("trees of a fold", fold + 1);
        let within: Vec<bool> = fold_of.iter().map(|f| *f != fold).collect();
        let list = grow(&samples, &weights, &within, seed, is_list);
        let classed: Vec<bool> = within.iter().zip(&gold).map(|(w, g)| *w && g.is_some()).collect();
        // Pages are counted here, not domains.
        let even = vec![1.0; samples.len()];
        let trees: Vec<_> = (0..CLASSES.len())
            .map(|class| grow(&samples, &even, &classed, seed, |_, i| gold[i] == Some(class)))
            .collect();
        for index in (0..samples.len()).filter(|i| !within[*i]) {
            let row = &samples[index].row;
            lists[index] = list.log_odds(row);
            for (found, trees) in classes[index].iter_mut().zip(&trees) {
                *found = trees.log_odds(row);
            }
        }
    }
    let margin = margin(&samples, &lists);
    let in_use = |i: usize| {
        let is_list = samples[i].rules.is_open && lists[i] > margin;
        if is_list { Some(2) } else { by_rules(&samples[i]) }
    };
    let by_trees = |i: usize| match by_rules(&samples[i]) {
        Some(2) => Some(2),
        _ => (0..CLASSES.len()).max_by(|a, b| classes[i][*a].total_cmp(&classes[i][*b])),
    };
    let way = |name, found: &dyn Fn(usize) -> Option<usize>| {
        let found: Vec<Option<usize>> = (0..samples.len()).map(found).collect();
        Way::of(name, &gold, &found, &fold_of, folds)
    };
    let ways = vec![way("in use", &in_use), way("trees for each class", &by_trees)];
    Ok(Three { pages: gold.iter().flatten().count(), ways })
}

/// The class of a page by the rules; none if its type is of no class.
fn by_rules(sample: &Sample) -> Option<usize> {
    match sample.rules.kind {
        PageType::Article => Some(0),
        PageType::ArticleWithComments => Some(1),
        PageType::Multiple | PageType::Forum => Some(2),
        _ => None,
    }
}

impl Way {
    fn of(
        name: &'static str,
        gold: &[Option<usize>],
        found: &[Option<usize>],
        fold_of: &[usize],
        folds: usize,
    ) -> Way {
        let mut confusion = [[0; 4]; 3];
        let mut right = vec![(0_usize, 0_usize); folds];
        for ((gold, found), fold) in gold.iter().zip(found).zip(fold_of) {
            let Some(gold) = *gold else { continue };
            confusion[gold][found.unwrap_or(CLASSES.len())] += 1;
            right[*fold].0 += usize::from(*found == Some(gold));
            right[*fold].1 += 1;
        }
        let share = |(right, of): (usize, usize)| right as f64 / of.max(1) as f64;
        let folds: Vec<f64> = right.iter().filter(|(_, of)| *of > 0).map(|f| share(*f)).collect();
        let mean = folds.iter().sum::<f64>() / folds.len().max(1) as f64;
        let square: f64 = folds.iter().map(|f| (f - mean).powi(2)).sum();
        let all = right.iter().fold((0, 0), |sum, f| (sum.0 + f.0, sum.1 + f.1));
        let by_class = (0..3).map(|c| share((confusion[c][c], confusion[c].iter().sum())));
        Way {
            name,
            confusion,
            accuracy: share(all),
            balanced: by_class.sum::<f64>() / 3.0,
            mean,
            sd: (square / folds.len().saturating_sub(1).max(1) as f64).sqrt(),
            folds,
        }
    }
}

impl Three {
    /// For people, in Markdown.
    pub fn table(&self) -> String {
        const NAMES: [&str; 3] = ["article", "article with comments", "several"];
        let mut out = format!(
            "| {} pages | {} | none | accuracy | by class | folds: mean ± SD |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
            self.pages,
            NAMES.join(" | ")
        );
        for way in &self.ways {
            let _ = writeln!(
                out,
                "| **{}** | | | | | {:.3} | {:.3} | {:.3} ± {:.3} |",
                way.name, way.accuracy, way.balanced, way.mean, way.sd
            );
            for (name, row) in NAMES.iter().zip(way.confusion) {
                let counts: Vec<String> = row.iter().map(usize::to_string).collect();
                let _ = writeln!(out, "| {name} | {} | | | |", counts.join(" | "));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_counted_and_folds_averaged() {
        let gold = [Some(0), Some(0), Some(1), Some(2), None];
        let found = [Some(0), Some(1), Some(1), None, Some(2)];
        let way = Way::of("ours", &gold, &found, &[0, 0, 0, 1, 1], 2);
        assert_eq!(way.confusion, [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]);
        assert!((way.accuracy - 0.5).abs() < 1e-9 && (way.balanced - 0.5).abs() < 1e-9);
        assert!(
            (way.mean - 1.0 / 3.0).abs() < 1e-9 && (way.sd - 2.0_f64.sqrt() / 3.0).abs() < 1e-9
        );
        let table = Three { pages: 4, ways: vec![way] }.table();
        assert!(table.contains("| article | 1 | 1 | 0 | 0 | | | |"), "{table}");
    }
}
