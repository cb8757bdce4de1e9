//! The experiments of Pappas et al. 2012, §5, on any labelled corpora: Fig. 3 (precision by number
//! of pages), Fig. 4 and 5 (T1 and T2), Tab. 2 (each class alone and all three, on a diverse and a
//! non-diverse sample), and how often each comment keyword fires on articles.
//!
//! Must not know: how a command prints.

use anyhow::{Result, bail};
use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::options::StudyOptions;
use super::outcome::{Outcome, Pages, middle, outcomes};
use super::readings::readings;
use super::{
    CLASSES, EXTREME, Grid, Point, Sample, Settings, T1, T2, TWENTY, learn, name, precision,
    sample, tables,
};
use crate::extract::label::sd::{Rule, keywords};
use crate::learn::corpus::{Corpus, LabeledPage};
use crate::learn::progress::{OnProgress, Progress};
use crate::learn::report::figures::{Curve, Figure, curves};
use crate::learn::split;
use crate::model::PageType;

/// Pages per class of Fig. 3.
const SIZES: [usize; 10] = [5, 10, 20, 30, 40, 60, 80, 100, 150, 200];
/// Domains per class of the non-diverse sample.
const DOMAINS: usize = 10;
/// Tables (Markdown) and figures.
#[derive(Clone, Debug)]
pub struct Study {
    pub table: String,
    pub figures: Vec<Figure>,
    /// Tab. 2 on the diverse sample: each class alone, then all three.
    pub diverse: Vec<Outcome>,
}

/// Runs all experiments.
pub fn study(options: &StudyOptions, progress: OnProgress<'_>) -> Result<Study> {
    let corpus = Corpus::load(&options.corpora)?;
    let step = |step: &str, done| {
        progress(Progress { step: step.into(), done, of: 5, figure: None });
    };
    step("diverse sample", 0);
    let chosen = sample::diverse(&corpus.pages, options.per_class, options.seed);
    let diverse = read(&corpus, &chosen, options)?;
    if CLASSES.iter().any(|c| diverse.of_class(*c).len() < options.folds) {
        bail!("a study needs at least {} pages of each type", options.folds);
    }
    step("non-diverse sample", 1);
    let chosen = sample::narrow(&corpus.pages, options.per_class, DOMAINS, options.seed);
    let narrow = read(&corpus, &chosen, options)?;
    step("curves", 2);
    let by_t1 = by_t1(&diverse, options);
    let optimum: Vec<usize> = by_t1.iter().take(3).map(|c| c.best() as usize).collect();
    let figures = vec![
        curves(
            "sd-learning",
            "Precision by number of pages",
            "pages per class",
            &by_size(&diverse, options),
        ),
        curves("sd-t1", "Threshold T1 (T2 = 20)", "T1", &by_t1),
        curves(
            "sd-t2",
            "Threshold T2 (T1 at each class's optimum)",
            "T2",
            &by_t2(&diverse, &optimum, options),
        ),
    ];
    step("tables", 3);
    let rows = [&diverse, &narrow].map(|pages| outcomes(pages, options));
    let read = readings(&diverse, options);
    step("keywords", 4);
    let mut table = tables::heading(&corpus, options, [&diverse, &narrow]);
    table.push_str(&tables::readings(&read, options.settings.reading.name()));
    table.push_str(&tables::outcomes(&rows));
    table.push_str(&tables::optima(&optimum));
    let at = middle(&rows[0][3].points);
    table.push_str(&firing(&corpus, options, at)?);
    let [diverse, _] = rows;
    Ok(Study { table, figures, diverse })
}

fn read(corpus: &Corpus, chosen: &[usize], options: &StudyOptions) -> Result<Pages> {
    let pages: Vec<&LabeledPage> = chosen.iter().filter_map(|&i| corpus.pages.get(i)).collect();
    let samples = super::samples(&pages, options.profile, &options.settings)?;
    let only = Corpus { pages: pages.into_iter().cloned().collect(), ..Corpus::default() };
    let names = corpus
        .names
        .iter()
        .map(|name| (name.clone(), only.pages.iter().filter(|p| p.corpus == *name).count()))
        .collect();
    Ok(Pages::new(names, samples.into(), only.diversity(), options.settings.reading))
}

/// Fig. 3: extreme thresholds on more and more pages of each class, a random guess, and what the
/// thresholds learned from so many pages reach on the others.
fn by_size(pages: &Pages, options: &StudyOptions) -> Vec<Curve> {
    let mut all: Vec<Curve> = CLASSES.iter().map(|c| Curve::new(name(*c))).collect();
    let mut guess = Curve::dashed("random guess");
    let mut learned = Curve::new("all three, learned thresholds on the other pages");
    let smallest = CLASSES.map(|c| pages.of_class(c).len()).into_iter().min().unwrap_or(0);
    let mut rng = split::rng(options.seed);
    for size in SIZES.into_iter().filter(|s| *s <= smallest) {
        let mut sums = [0.0; 5];
        let mut tested = 0;
        for _ in 0..options.draws {
            let (mut drawn, mut others) = (Vec::new(), Vec::new());
            for (k, class) in CLASSES.into_iter().enumerate() {
                let mut of_class = pages.of_class(class);
                of_class.shuffle(&mut rng);
                others.extend(of_class.split_off(size));
                sums[k] += precision(&pages.typed(&of_class), (EXTREME[k], TWENTY));
                drawn.append(&mut of_class);
            }
            sums[3] += guessed(&pages.typed(&drawn), &mut rng);
            if size < smallest {
                let (point, _) = learn(&pages.typed(&drawn));
                sums[4] += precision(&pages.typed(&others), point);
                tested += 1;
            }
        }
        let draws = options.draws as f64;
        for (curve, sum) in all.iter_mut().chain([&mut guess]).zip(sums) {
            curve.points.push((size as f64, sum / draws));
        }
        if tested > 0 {
            learned.points.push((size as f64, sums[4] / f64::from(tested)));
        }
    }
    all.extend([guess, learned]);
    all
}

fn guessed(pages: &[(PageType, &Grid)], rng: &mut impl Rng) -> f64 {
    let right = pages.iter().filter(|(c, _)| CLASSES[rng.random_range(0..CLASSES.len())] == *c);
    right.count() as f64 / pages.len().max(1) as f64
}

/// Random fifths of the pages, drawn anew for each use of the same seed.
fn draws(pages: &Pages, options: &StudyOptions) -> Vec<[Vec<usize>; 3]> {
    let mut rng = split::rng(options.seed);
    let draw = |rng: &mut _| {
        CLASSES.map(|class| {
            let mut of_class = pages.of_class(class);
            of_class.shuffle(rng);
            of_class.truncate(of_class.len().div_ceil(options.folds));
            of_class
        })
    };
    (0..options.draws).map(|_| draw(&mut rng)).collect()
}

/// Mean precision of each class over the draws at points that `at` gives, with a random guess.
fn over(pages: &Pages, options: &StudyOptions, xs: &[(f64, [Point; 3])]) -> Vec<Curve> {
    let draws = draws(pages, options);
    let mut all: Vec<Curve> = CLASSES.iter().map(|c| Curve::new(name(*c))).collect();
    let mut guess = Curve::dashed("random guess");
    let mut rng = split::rng(options.seed);
    let n = draws.len().max(1) as f64;
    for (x, points) in xs {
        for (k, curve) in all.iter_mut().enumerate() {
            let sum: f64 = draws.iter().map(|d| precision(&pages.typed(&d[k]), points[k])).sum();
            curve.points.push((*x, sum / n));
        }
        let sum: f64 = draws.iter().map(|d| guessed(&pages.typed(&d.concat()), &mut rng)).sum();
        guess.points.push((*x, sum / n));
    }
    all.push(guess);
    all
}

/// Fig. 4.
fn by_t1(pages: &Pages, options: &StudyOptions) -> Vec<Curve> {
    let xs: Vec<_> = (0..T1).step_by(2).map(|t1| (t1 as f64, [(t1, TWENTY); 3])).collect();
    over(pages, options, &xs)
}

/// Fig. 5.
fn by_t2(pages: &Pages, optimum: &[usize], options: &StudyOptions) -> Vec<Curve> {
    let of = |k: usize| optimum.get(k).copied().unwrap_or(0);
    let xs: Vec<_> = T2
        .iter()
        .enumerate()
        .map(|(i, t2)| (f64::from(*t2), [0, 1, 2].map(|k| (of(k), i))))
        .collect();
    over(pages, options, &xs)
}

/// How often each of the paper's keywords occurs on pages that are articles without comments: in
/// their text, in a class or id of a region, and how often it alone turns the type.
fn firing(corpus: &Corpus, options: &StudyOptions, (t1, t2): Point) -> Result<String> {
    let words = keywords::paper();
    let mut rows = vec![String::new(); words.len()];
    let mut head = format!("\n| keyword, T1 {t1}, T2 {} |", T2[t2]);
    for name in &corpus.names {
        let settings = Settings { keywords: words.clone(), ..options.settings.clone() };
        let pages: Vec<&LabeledPage> = corpus.pages.iter().filter(|p| p.corpus == *name).collect();
        let mut samples = super::samples(&pages, options.profile, &settings)?;
        samples.retain(|s| s.class == PageType::Article);
        if samples.is_empty() {
            continue;
        }
        head.push_str(&format!(" {name} ({}) |", samples.len()));
        for (bit, row) in rows.iter_mut().enumerate() {
            let count = |holds: &(dyn Fn(&Sample) -> bool + Sync)| {
                let n = samples.par_iter().filter(|s| holds(s)).count();
                100.0 * n as f64 / samples.len() as f64
            };
            let mask = 1u64 << bit;
            let text = count(&|s| s.tree.units.iter().any(|u| u.keywords & mask != 0));
            let names = count(&|s| s.tree.regions.iter().any(|r| r.names & mask != 0));
            let turned = count(&|s| {
                let found = s
                    .tree
                    .merge(T2[t2])
                    .decide(t1 as f32, Rule { keywords: mask, reading: options.settings.reading });
                found.page_type == PageType::ArticleWithComments
            });
            row.push_str(&format!(" {text:.1} / {names:.1} / {turned:.1} |"));
        }
    }
    let columns = head.matches('|').count().saturating_sub(2);
    head.push_str(&format!("\n|---|{}\n", "--:|".repeat(columns)));
    for (word, row) in words.iter().zip(rows) {
        head.push_str(&format!("| `{word}` |{row}\n"));
    }
    head.push_str(
        "\nPer cent of the pages without comments: in a visible text / in a class or id of a region / \
         the type becomes Article with Comments by this keyword alone.\n",
    );
    Ok(head)
}
