//! The experiments of Spengler & Gallinari 2009, §4, corpus by corpus, with the labels that each
//! corpus marks: Tab. 1 (SVM and CRF, with and without style), Tab. 2 (per label), Fig. 1 (learning
//! curve), the strongest features (§4.3); on a random split as in the paper and on pages of other
//! domains than those of training.
//!
//! Must not know: how a command prints.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use rand::seq::SliceRandom;

use super::tables::{Overall, Point, learning_curve, overall, per_label};
use super::thirty::thirty;
use super::{Fitted, LeafPages, Method, Settings, fit};
use crate::learn::corpus::{Corpus, LabeledPage};
use crate::learn::metrics::blocks::{LabelScores, label_scores};
use crate::learn::progress::{OnProgress, Progress};
use crate::learn::report::figures::Figure;
use crate::learn::split;
use crate::model::Label;

/// The paper trains on 400 of its 604 pages.
const TRAINING: f64 = 400.0 / 604.0;
/// Folds by domain, one of which is the test part.
const FOLDS: usize = 3;
/// A corpus marks a label if it has it on at least so many leaves.
const MARKED: usize = 30;
/// Features listed per label.
const STRONGEST: usize = 8;

/// What to study.
#[derive(Clone, Debug)]
pub struct StudyOptions {
    /// Each is studied for itself.
    pub corpora: Vec<PathBuf>,
    /// Folder of labels set by hand: adds the experiment with thirty labels, over all corpora.
    pub annotations: Option<PathBuf>,
    pub page_types: Vec<String>,
    /// The labels that are told apart where a corpus marks them.
    pub settings: Settings,
    /// Training sizes of the learning curve; larger ones than the corpus allows are left out. The
    /// curve is drawn for the first corpus.
    pub sizes: Vec<usize>,
    /// Random samples per size.
    pub samples: usize,
    pub seed: u64,
}

/// Tables (Markdown) and figures.
#[derive(Clone, Debug)]
pub struct Study {
    pub table: String,
    pub figures: Vec<Figure>,
}

/// Runs all experiments.
pub fn study(options: &StudyOptions, progress: OnProgress<'_>) -> Result<Study> {
    options.settings.check()?;
    let mut out = Study { table: String::new(), figures: Vec::new() };
    for (at, folder) in options.corpora.iter().enumerate() {
        let mut corpus = Corpus::load(std::slice::from_ref(folder))?;
        corpus.keep_texts(&options.page_types);
        if corpus.pages.len() < 10 {
            bail!("{}: a study needs at least ten pages", folder.display());
        }
        let step = format!("{}: reading", corpus.names.join(""));
        progress(Progress { step, done: at, of: options.corpora.len(), figure: None });
        let pages: Vec<&LabeledPage> = corpus.pages.iter().collect();
        let leaves = LeafPages::read(&pages, options.settings.least, options.settings.distant)?;
        let bench = Bench { leaves, options, progress, name: corpus.names.join("") };
        bench.describe(&corpus, &mut out.table);
        let labels = bench.marked();
        let sets = [labels.clone(), vec![Label::Paragraph, Label::None]];
        for labels in sets.iter().take(if labels.len() > 2 { 2 } else { 1 }) {
            bench.tables(&corpus, labels, &mut out.table);
        }
        if at == 0 && options.samples > 0 {
            out.figures.push(bench.curve(&labels, &mut out.table));
        }
    }
    if let Some(folder) = &options.annotations {
        let StudyOptions { corpora, page_types, settings, seed, .. } = options;
        out.table.push_str(&thirty(corpora, folder, page_types, settings, *seed, progress)?);
    }
    Ok(out)
}

/// One corpus, read.
struct Bench<'a> {
    leaves: LeafPages,
    options: &'a StudyOptions,
    progress: OnProgress<'a>,
    name: String,
}

/// Pages to train on and to test on, by position.
struct Parts {
    training: Vec<usize>,
    test: Vec<usize>,
}

impl Parts {
    fn of(in_training: &[bool]) -> Parts {
        let (training, test) = (0..in_training.len()).partition(|&i| in_training[i]);
        Parts { training, test }
    }
}

impl Bench<'_> {
    fn describe(&self, corpus: &Corpus, out: &mut String) {
        let leaves: usize = self.leaves.pages.iter().map(|p| p.gold.len()).sum();
        out.push_str(&format!(
            "## {}\n\n{} pages, {leaves} visible leaves, {} features on at least {} leaves, hash {}, \
             diversity {:.3}, seed {}.\n\n",
            self.name,
            self.leaves.pages.len(),
            self.leaves.names.len(),
            self.options.settings.least,
            corpus.hash,
            corpus.diversity(),
            self.options.seed,
        ));
    }

    /// Of the labels asked for, those that this corpus marks, with content and none.
    fn marked(&self) -> Vec<Label> {
        let counts = self.counts(&self.options.settings, 0..self.leaves.pages.len());
        let always = |label: &Label| matches!(label, Label::Paragraph | Label::None);
        let asked = self.options.settings.labels.iter().copied();
        asked.filter(|l| always(l) || counts.get(l).copied().unwrap_or(0) >= MARKED).collect()
    }

    fn counts(
        &self,
        settings: &Settings,
        pages: impl IntoIterator<Item = usize>,
    ) -> BTreeMap<Label, usize> {
        let mut counts = BTreeMap::new();
        for gold in pages.into_iter().flat_map(|p| &self.leaves.pages[p].gold) {
            *counts.entry(settings.target(*gold)).or_insert(0) += 1;
        }
        counts
    }

    fn tables(&self, corpus: &Corpus, labels: &[Label], out: &mut String) {
        let seed = self.options.seed;
        let split = Parts::of(&split::holdout(corpus.pages.len(), TRAINING, seed));
        let fold_of = split::grouped_folds(&corpus.pages, FOLDS, seed);
        let apart = Parts::of(&fold_of.iter().map(|fold| *fold != 0).collect::<Vec<_>>());
        let names: Vec<&str> = labels.iter().map(|l| l.name()).collect();
        out.push_str(&format!("### {}: {}\n\n", self.name, names.join(", ")));
        let mut rows = Vec::new();
        let mut best = None;
        for method in [Method::Svm, Method::Crf] {
            for style in [false, true] {
                let (fitted, scores) = self.run(&split, labels, method, style);
                rows.push(Overall { system: system(method, style), scores: scores.clone() });
                if method == Method::Crf && style {
                    best = Some((fitted, scores));
                }
            }
        }
        out.push_str(&format!(
            "{} pages for training, {} for test, at random.\n\n{}\n{}\n",
            split.training.len(),
            split.test.len(),
            overall(&rows),
            errors(&rows)
        ));
        let mut rows = Vec::new();
        for method in [Method::Svm, Method::Crf] {
            let (_, scores) = self.run(&apart, labels, method, true);
            rows.push(Overall { system: system(method, true), scores });
        }
        out.push_str(&format!(
            "{} pages for training, {} of other domains for test.\n\n{}\n{}\n",
            apart.training.len(),
            apart.test.len(),
            overall(&rows),
            errors(&rows)
        ));
        if let Some((fitted, scores)) = best {
            let counts = self.counts(&self.settings(labels, true), split.training.iter().copied());
            let counts: Vec<(Label, usize)> =
                labels.iter().map(|l| (*l, counts.get(l).copied().unwrap_or(0))).collect();
            let columns = fitted.columns.names.len();
            out.push_str(&format!(
                "CRF, All, random split: {columns} features, {:.3} per cent of the values are not \
                 zero.\n\n{}\n{}\n",
                100.0 * fitted.columns.density,
                per_label(&counts, &scores),
                strongest(fitted)
            ));
        }
    }

    fn settings(&self, labels: &[Label], style: bool) -> Settings {
        Settings { labels: labels.to_vec(), style, ..self.options.settings.clone() }
    }

    fn run(
        &self,
        parts: &Parts,
        labels: &[Label],
        method: Method,
        style: bool,
    ) -> (Fitted, LabelScores<Label>) {
        let settings = self.settings(labels, style);
        let step = format!("{}: {}, {} labels", self.name, system(method, style), labels.len());
        let fitted = fit(&self.leaves, &parts.training, method, &settings, &step, self.progress);
        let scores = self.judge(&fitted, &parts.test, &settings);
        (fitted, scores)
    }

    fn judge(&self, fitted: &Fitted, test: &[usize], settings: &Settings) -> LabelScores<Label> {
        let pages: Vec<Vec<(Label, Label)>> = test
            .iter()
            .map(|&p| {
                let page = &self.leaves.pages[p];
                let gold = page.gold.iter().map(|gold| settings.target(*gold));
                gold.zip(fitted.predict(page)).collect()
            })
            .collect();
        label_scores(&pages)
    }

    /// Fig. 1: the samples are drawn from the training part of the random split, the test part is
    /// always the same.
    fn curve(&self, labels: &[Label], out: &mut String) -> Figure {
        let parts =
            Parts::of(&split::holdout(self.leaves.pages.len(), TRAINING, self.options.seed));
        let settings = self.settings(labels, true);
        let mut curves = Vec::new();
        for method in [Method::Crf, Method::Svm] {
            let mut points = Vec::new();
            for &size in self.options.sizes.iter().filter(|s| **s <= parts.training.len()) {
                let accuracies = (0..self.options.samples)
                    .map(|sample| {
                        let seed = self.options.seed + 1000 * sample as u64 + size as u64;
                        let mut chosen = parts.training.clone();
                        chosen.shuffle(&mut split::rng(seed));
                        chosen.truncate(size);
                        chosen.sort_unstable();
                        let step = format!("curve: {}, {size} pages", method.name());
                        let progress = self.progress;
                        let fitted = fit(&self.leaves, &chosen, method, &settings, &step, progress);
                        self.judge(&fitted, &parts.test, &settings).micro.recall
                    })
                    .collect();
                points.push(Point { pages: size, accuracies });
            }
            curves.push((method.name().to_owned(), points));
        }
        let (table, figure) = learning_curve("leaf-learning", "Accuracy by training size", &curves);
        out.push_str(&format!(
            "### {}: learning curve\n\n{} labels; mean and standard deviation over {} random samples \
             per size.\n\n{table}\n",
            self.name,
            labels.len(),
            self.options.samples
        ));
        figure
    }
}

fn system(method: Method, style: bool) -> String {
    format!("{}, {}", method.name(), if style { "All" } else { "No Style" })
}

/// How much of the SVM's error the CRF takes away, for each set of features.
fn errors(rows: &[Overall]) -> String {
    let error = |name: &str| {
        let row = rows.iter().find(|r| r.system == name);
        row.map(|r| 1.0 - r.scores.micro.recall)
    };
    let mut out = String::new();
    for style in [false, true] {
        let svm = error(&system(Method::Svm, style));
        if let (Some(svm), Some(crf)) = (svm, error(&system(Method::Crf, style)))
            && svm > 0.0
        {
            let part = 100.0 * (svm - crf) / svm;
            let features = if style { "all features" } else { "no style" };
            let side = if part < 0.0 { "above" } else { "below" };
            out.push_str(&format!(
                "CRF's error is {:.1} % {side} the SVM's with {features}. ",
                part.abs()
            ));
        }
    }
    out.trim_end().to_owned() + "\n"
}

/// §4.3: what speaks for each label.
fn strongest(fitted: Fitted) -> String {
    let labels = fitted.labels.clone();
    let model = fitted.labeler();
    let mut out = String::from("| label | strongest features |\n|---|---|\n");
    for label in labels {
        let Some([best, _]) = model.strongest(label, STRONGEST) else { continue };
        let names: Vec<String> =
            best.iter().map(|w| format!("`{}`", w.name.replace('|', "\\|"))).collect();
        out.push_str(&format!("| {} | {} |\n", label.name(), names.join(" ")));
    }
    out
}
