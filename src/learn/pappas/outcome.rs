//! Pages decided at every point of the grid, and what thresholds learned from some of them reach on the
//! others (Tab. 2 of Pappas et al. 2012).
//!
//! Must not know: corpora on disk, tables, figures.

use std::sync::Arc;

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::options::StudyOptions;
use super::{CLASSES, Grid, Point, Sample, T2, areas, learn, precision};
use crate::extract::label::sd::{Reading, Rule};
use crate::learn::metrics::regions::{self, RegionAccuracy};
use crate::learn::split;
use crate::model::PageType;

/// A row of Tab. 2.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Share of the tested pages typed right, the mean over classes.
    pub precision: f64,
    pub regions: RegionAccuracy,
    /// Thresholds that each fold learned.
    pub points: Vec<Point>,
    /// Tested pages by gold class and decided type, in the order of [`CLASSES`].
    pub confusion: [[usize; 3]; 3],
}

/// Pages that were read, with their grids.
pub(super) struct Pages {
    pub(super) names: Vec<(String, usize)>,
    pub(super) samples: Arc<[Sample]>,
    pub(super) grids: Vec<Grid>,
    pub(super) diversity: f64,
    pub(super) rule: Rule,
}

impl Pages {
    /// Decides all pages.
    pub(super) fn new(
        names: Vec<(String, usize)>,
        samples: Arc<[Sample]>,
        diversity: f64,
        reading: Reading,
    ) -> Pages {
        let rule = Rule { reading, ..Rule::default() };
        let grids = samples.par_iter().map(|s| Grid::of(&s.tree, rule)).collect();
        Pages { names, samples, grids, diversity, rule }
    }

    /// The same pages by another reading of the print.
    pub(super) fn read_as(&self, reading: Reading) -> Pages {
        Pages::new(self.names.clone(), Arc::clone(&self.samples), self.diversity, reading)
    }

    pub(super) fn of_class(&self, class: PageType) -> Vec<usize> {
        (0..self.samples.len()).filter(|&i| self.samples[i].class == class).collect()
    }

    pub(super) fn typed<'a>(&'a self, pages: &[usize]) -> Vec<(PageType, &'a Grid)> {
        pages.iter().map(|&i| (self.samples[i].class, &self.grids[i])).collect()
    }

    pub(super) fn accuracy(&self, page: usize, (t1, t2): Point) -> Option<RegionAccuracy> {
        let sample = &self.samples[page];
        let merged = sample.tree.merge(T2[t2]);
        let found = merged.decide(t1 as f32, self.rule);
        sample.gold.beside(&areas(&merged, &found, sample.tree.unit_of.len())).accuracy()
    }
}

/// Tab. 2: each class alone, then all three.
pub(super) fn outcomes(pages: &Pages, options: &StudyOptions) -> Vec<Outcome> {
    let alone = CLASSES.map(|c| pages.of_class(c));
    let all = alone.concat();
    alone.iter().chain([&all]).map(|chosen| outcome(pages, chosen, options)).collect()
}

/// Trains on each fold and tests on the others.
fn outcome(pages: &Pages, chosen: &[usize], options: &StudyOptions) -> Outcome {
    let mut order = chosen.to_vec();
    order.shuffle(&mut split::rng(options.seed));
    let fold_of = |at: usize| at % options.folds.max(1);
    let mut outcome = Outcome {
        precision: 0.0,
        regions: RegionAccuracy::default(),
        points: Vec::new(),
        confusion: [[0; 3]; 3],
    };
    let mut accuracies = Vec::new();
    for fold in 0..options.folds {
        let part = |train: bool| -> Vec<usize> {
            let chosen = order.iter().enumerate().filter(|(at, _)| (fold_of(*at) == fold) == train);
            chosen.map(|(_, page)| *page).collect()
        };
        let (point, _) = learn(&pages.typed(&part(true)));
        let test = part(false);
        outcome.precision += precision(&pages.typed(&test), point);
        outcome.points.push(point);
        for (class, grid) in pages.typed(&test) {
            let place = |t: PageType| CLASSES.iter().position(|c| *c == t);
            if let (Some(gold), Some(found)) = (place(class), place(grid.at(point))) {
                outcome.confusion[gold][found] += 1;
            }
        }
        let found: Vec<_> = test.par_iter().filter_map(|&p| pages.accuracy(p, point)).collect();
        accuracies.extend(found);
    }
    outcome.precision /= options.folds.max(1) as f64;
    outcome.regions = regions::mean(accuracies);
    outcome.regions.pages /= options.folds.saturating_sub(1).max(1);
    outcome
}

/// The median of the folds' thresholds.
pub(super) fn middle(points: &[Point]) -> Point {
    let of = |f: fn(&Point) -> usize| {
        let mut values: Vec<usize> = points.iter().map(f).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied().unwrap_or(0)
    };
    (of(|p| p.0), of(|p| p.1))
}
