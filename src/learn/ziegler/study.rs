//! The experiments of Ziegler & Skubacz 2007, §4, on any labelled corpora: Tab. 1 (TB, PR and the
//! learned thresholds; one 70/30 split as in the paper and grouped folds; per language), Fig. 3
//! (swarm settings and sizes) and Fig. 4 (each feature alone).
//!
//! HL, agreement of two people, needs pages labelled twice and is not measured. Must not know: how
//! a command prints.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use rayon::prelude::*;

use super::figures::{Alone, features_alone, swarm_curves};
use super::pso;
use crate::extract::feature::eight;
use crate::extract::label::Model;
use crate::extract::segment::Profile;
use crate::learn::corpus::{Corpus, LabeledPage};
use crate::learn::metrics::optional::variants;
use crate::learn::metrics::similarity::{Terms, similarity};
use crate::learn::progress::OnProgress;
use crate::learn::report::figures::Figure;
use crate::learn::{pages, split};

/// What to study.
#[derive(Clone, Debug)]
pub struct StudyOptions {
    pub corpora: Vec<PathBuf>,
    pub page_types: Vec<String>,
    pub swarm: pso::Settings,
    pub folds: usize,
    /// Population sizes of the sweep.
    pub sizes: Vec<usize>,
}

/// Tables (Markdown) and figures.
#[derive(Clone, Debug)]
pub struct Study {
    pub table: String,
    pub figures: Vec<Figure>,
    /// Fig. 4's ranking on the held-out part.
    pub alone: Vec<Alone>,
    /// Tab. 1's rows for programs: strategy → (test score of the split, score over folds).
    pub rows: BTreeMap<String, (f64, f64)>,
}

/// Mean sim^σ of a strategy: on the split's test part, over all folds, and per language.
struct Row {
    name: String,
    training: Option<f64>,
    split: f64,
    folds: f64,
    languages: BTreeMap<String, (f64, usize)>,
}

/// Runs all experiments.
pub fn study(options: &StudyOptions, progress: OnProgress<'_>) -> Result<Study> {
    let mut corpus = Corpus::load(&options.corpora)?;
    corpus.keep_types(&options.page_types);
    if corpus.pages.len() < 10 {
        bail!("a study needs at least ten pages, the corpora hold {}", corpus.pages.len());
    }
    let seed = options.swarm.seed;
    let in_training = split::holdout(corpus.pages.len(), 0.7, seed);
    let fold_of = split::grouped_folds(&corpus.pages, options.folds, seed);
    if fold_of.iter().all(|f| *f == fold_of[0]) {
        bail!("all pages are of one domain or copies of each other: nothing to fold");
    }
    let mut rows = Vec::new();
    for (name, model) in [("TB", Model::tb()), ("PR", Model::pr())] {
        let scores = scores(&corpus.pages.iter().collect::<Vec<_>>(), &model)?;
        let test = pick(&scores, &in_training, false);
        rows.push(Row {
            name: name.into(),
            training: None,
            split: test,
            folds: mean(&scores),
            languages: by_language(&corpus.pages, &scores),
        });
    }
    for profile in [Profile::Ziegler2007, Profile::Modern] {
        rows.push(thresholds(&corpus, options, profile, &in_training, &fold_of, progress)?);
    }
    let part = |training: bool| -> Vec<&LabeledPage> {
        let chosen = corpus.pages.iter().zip(&in_training);
        chosen.filter(|(_, t)| **t == training).map(|(p, _)| p).collect()
    };
    let mut figures = curves(&super::documents(&part(true), Profile::Modern)?, options, progress);
    let test = super::documents(&part(false), Profile::Modern)?;
    let (figure, alone) = features_alone(&eight::NAMES, &test);
    figures.push(figure);
    let table = table(&corpus, options, &rows, &alone);
    let rows = rows.into_iter().map(|r| (r.name, (r.split, r.folds))).collect();
    Ok(Study { table, figures, alone, rows })
}

fn thresholds(
    corpus: &Corpus,
    options: &StudyOptions,
    profile: Profile,
    in_training: &[bool],
    fold_of: &[usize],
    progress: OnProgress<'_>,
) -> Result<Row> {
    let choose = |keep: &dyn Fn(usize) -> bool| -> Vec<&LabeledPage> {
        corpus.pages.iter().enumerate().filter(|(i, _)| keep(*i)).map(|(_, p)| p).collect()
    };
    let train = |pages: &[&LabeledPage], step: &str| -> Result<(Model, f64)> {
        let documents = super::documents(pages, profile)?;
        let best = super::swarm(&documents, &options.swarm, step, progress);
        Ok((super::model(&best, profile), best.fitness))
    };
    let (model, training) =
        train(&choose(&|i| in_training[i]), &format!("{profile:?}, 70/30 split"))?;
    let split = mean(&scores(&choose(&|i| !in_training[i]), &model)?);
    let mut all = vec![0.0; corpus.pages.len()];
    for fold in 0..options.folds {
        let step = format!("{profile:?}, fold {} of {}", fold + 1, options.folds);
        let (model, _) = train(&choose(&|i| fold_of[i] != fold), &step)?;
        let tested: Vec<usize> = (0..all.len()).filter(|&i| fold_of[i] == fold).collect();
        let found = scores(&choose(&|i| fold_of[i] == fold), &model)?;
        tested.into_iter().zip(found).for_each(|(i, s)| all[i] = s);
    }
    Ok(Row {
        name: format!("threshold, {profile:?}"),
        training: Some(training),
        split,
        folds: mean(&all),
        languages: by_language(&corpus.pages, &all),
    })
}

/// Fig. 3: the settings with their curves, and the sweep over n.
fn curves(
    documents: &pso::Documents,
    options: &StudyOptions,
    progress: OnProgress<'_>,
) -> Vec<Figure> {
    let base = &options.swarm;
    let sized = |s: pso::Settings| pso::Settings {
        particles: base.particles,
        generations: base.generations,
        seed: base.seed,
        mapping: base.mapping,
        ..s
    };
    let run = |name: &str, settings: pso::Settings| {
        let step = format!("swarm: {name}");
        (name.to_string(), super::swarm(documents, &settings, &step, progress).curve)
    };
    let printed = [
        run("cognitive > social", sized(pso::Settings::cognitive())),
        run("equal", sized(pso::Settings::equal())),
    ];
    let limited = [
        run("cognitive > social, clamped", sized(pso::Settings::cognitive().clamped())),
        run("equal, clamped", sized(pso::Settings::equal().clamped())),
        run("damped", sized(pso::Settings::damped())),
    ];
    let sweep: Vec<_> = options
        .sizes
        .iter()
        .map(|&n| run(&format!("n = {n}"), pso::Settings { particles: n, ..base.clone() }))
        .collect();
    vec![
        swarm_curves("swarm-printed", "Swarm, settings as printed", &printed),
        swarm_curves("swarm-limited", "Swarm, limited velocity", &limited),
        swarm_curves("swarm-sizes", "Swarm, population sizes", &sweep),
    ]
}

/// sim^σ of each page's extraction.
fn scores(pages: &[&LabeledPage], model: &Model) -> Result<Vec<f64>> {
    pages
        .par_iter()
        .map(|page| {
            let text = pages::content(&pages::segment(page, model.profile())?, model);
            let terms = Terms::of(&text);
            let variants = variants(page.text(), &page.gold.optional);
            let ends = [variants.first(), variants.last()];
            let each = ends.into_iter().flatten().map(|v| similarity(&Terms::of(v), &terms));
            Ok(each.fold(0.0, f64::max))
        })
        .collect()
}

fn mean(xs: &[f64]) -> f64 {
    if xs.is_empty() { 0.0 } else { xs.iter().sum::<f64>() / xs.len() as f64 }
}

fn pick(scores: &[f64], marks: &[bool], mark: bool) -> f64 {
    let chosen: Vec<f64> =
        scores.iter().zip(marks).filter(|(_, m)| **m == mark).map(|(s, _)| *s).collect();
    mean(&chosen)
}

fn by_language(pages: &[LabeledPage], scores: &[f64]) -> BTreeMap<String, (f64, usize)> {
    let mut sums: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    for (page, score) in pages.iter().zip(scores) {
        let entry = sums.entry(page.language().to_string()).or_default();
        entry.0 += score;
        entry.1 += 1;
    }
    sums.into_iter().map(|(l, (sum, n))| (l, (sum / n as f64, n))).collect()
}

fn table(corpus: &Corpus, options: &StudyOptions, rows: &[Row], alone: &[Alone]) -> String {
    let mut out = format!(
        "{} pages of {}, hash {}, diversity {:.3}, seed {}. Mean sim^σ.\n\n\
         | strategy | training | 30 % held out | {} grouped folds |\n|---|--:|--:|--:|\n\
         | HL | – | not measured | not measured |\n",
        corpus.pages.len(),
        corpus.names.join(" + "),
        corpus.hash,
        corpus.diversity(),
        options.swarm.seed,
        options.folds,
    );
    for r in rows {
        let training = r.training.map_or("–".into(), |t| format!("{t:.3}"));
        out.push_str(&format!("| {} | {training} | {:.3} | {:.3} |\n", r.name, r.split, r.folds));
    }
    out.push_str("\n| language | pages |");
    rows.iter().for_each(|r| out.push_str(&format!(" {} |", r.name)));
    out.push_str("\n|---|--:|");
    rows.iter().for_each(|_| out.push_str("--:|"));
    out.push('\n');
    if let Some(first) = rows.first() {
        for (language, (_, n)) in &first.languages {
            out.push_str(&format!("| {language} | {n} |"));
            for r in rows {
                let score = r.languages.get(language).map_or(0.0, |(s, _)| *s);
                out.push_str(&format!(" {score:.3} |"));
            }
            out.push('\n');
        }
    }
    out.push_str("\n| feature alone (held out) | threshold | sim^σ |\n|---|--:|--:|\n");
    for a in alone {
        out.push_str(&format!("| {} | {:.3} | {:.3} |\n", a.feature, a.threshold, a.sim));
    }
    out
}
