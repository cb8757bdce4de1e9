//! The labelers of Spengler & Gallinari 2009: `svm` and the sequential `crf` over visible leaves, with
//! any set of labels.
//!
//! Must not know: how leaves are described, reports.

mod distant;
mod leaves;
mod marks;
pub mod pegasos;
mod study;
mod styles;
mod tables;
mod thirty;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use super::chain::{self, Sequence};
use super::corpus::LabeledPage;
use super::progress::{OnProgress, Progress};
use crate::extract::label::chain::{Chain, Form, Rows, Shape};
use crate::extract::label::{Dictionary, Kind, Leaves, Model};
use crate::extract::segment::Profile;
use crate::model::Label;
use leaves::Columns;
pub use leaves::{LeafPage, LeafPages};
pub use marks::labels as gold_labels;
pub use study::{Study, StudyOptions, study};
pub use styles::styles;

/// How weights are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Each leaf for itself: multi-class hinge loss.
    Svm,
    /// The page as a sequence: log loss, transitions between labels.
    Crf,
}

impl Method {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Svm => "SVM",
            Method::Crf => "CRF",
        }
    }
}

/// How the labelers are trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The labels that are told apart; `none` is one of them, and takes what has no other.
    pub labels: Vec<Label>,
    /// Features on fewer training leaves are left out.
    pub least: u32,
    /// Where nobody labelled a page by hand: labels that its gold implies, and those that it tells
    /// machines itself (distant supervision).
    pub distant: bool,
    /// With what markup says of style (the paper's All), or without (No Style).
    pub style: bool,
    pub svm: pegasos::Settings,
    pub crf: chain::Settings,
}

impl Default for Settings {
    /// The paper's (§4.2), for content and the rest.
    fn default() -> Settings {
        Settings {
            labels: vec![Label::Paragraph, Label::None],
            least: 3,
            distant: false,
            style: true,
            svm: pegasos::Settings::default(),
            crf: chain::Settings { form: Form::Crf, sigma: 1.0, ..chain::Settings::default() },
        }
    }
}

impl Settings {
    /// Errors if the labels cannot be told apart.
    pub fn check(&self) -> Result<()> {
        let twice = self.labels.iter().enumerate().any(|(i, l)| self.labels[..i].contains(l));
        if self.labels.len() < 2 || twice {
            bail!("name at least two different labels");
        }
        if !self.labels.contains(&Label::None) {
            bail!("one of the labels must be none: what has no other label takes it");
        }
        Ok(())
    }

    /// The label of the set that a gold label counts as: lead and headings are content where they
    /// are not told apart, whatever else is not in the set is `none`.
    pub fn target(&self, gold: Label) -> Label {
        if self.labels.contains(&gold) {
            gold
        } else if gold.is_content() && self.labels.contains(&Label::Paragraph) {
            Label::Paragraph
        } else {
            Label::None
        }
    }

    /// The answers of a page's leaves, as positions in the label set.
    fn answers(&self, page: &LeafPage) -> Vec<u16> {
        let at = |label| self.labels.iter().position(|l| *l == label).unwrap_or(0) as u16;
        page.gold.iter().map(|gold| at(self.target(*gold))).collect()
    }
}

/// Weights and what their columns are.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub labels: Vec<Label>,
    pub columns: Columns,
    pub chain: Chain,
}

impl Fitted {
    /// Labels a page that was read with the training pages.
    pub fn predict(&self, page: &LeafPage) -> Vec<Label> {
        let rows = self.columns.rows(page);
        let best = self.chain.lattice(&rows).best();
        best.iter()
            .map(|l| self.labels.get(usize::from(*l)).copied().unwrap_or(Label::None))
            .collect()
    }

    /// As a labeler, without what belongs to training.
    pub fn labeler(self) -> Leaves {
        Leaves {
            labels: self.labels,
            names: Dictionary::new(self.columns.names),
            scales: self.columns.scales,
            chain: self.chain,
        }
    }
}

/// Trains on all pages.
pub fn train(
    pages: &[&LabeledPage],
    method: Method,
    settings: &Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> Result<Model> {
    settings.check()?;
    let leaves = LeafPages::read(pages, settings.least, settings.distant)?;
    let all: Vec<usize> = (0..leaves.pages.len()).collect();
    let fitted = fit(&leaves, &all, method, settings, step, progress);
    let labels: Vec<&str> = settings.labels.iter().map(|l| l.name()).collect();
    let note = format!(
        "{} over visible leaves, {} features, labels {}",
        method.name(),
        fitted.columns.names.len(),
        labels.join(", ")
    );
    Ok(Model::new(Profile::Leaf2009, Kind::Leaves(fitted.labeler()), &note))
}

/// What the model card says of labels, features and training.
pub(super) fn card(settings: &Settings, method: Method, model: &Model) -> String {
    let Kind::Leaves(leaves) = model.kind() else { return String::new() };
    let labels: Vec<&str> = leaves.labels.iter().map(|l| l.name()).collect();
    let mut out = format!(
        "- labels: {}; {} features on at least {} leaves, {} those of style\n",
        labels.join(", "),
        leaves.names.len(),
        settings.least,
        if settings.style { "with" } else { "without" },
    );
    if settings.distant {
        out.push_str(
            "- labels from gold and, beyond it, from what pages tell machines of themselves\n",
        );
    }
    out.push_str(&match method {
        Method::Svm => format!(
            "- Pegasos: k = 1, λ = {}, {} passes, seed {}\n",
            settings.svm.lambda, settings.svm.passes, settings.svm.seed
        ),
        Method::Crf => format!("- Gaussian prior: σ = {}\n", settings.crf.sigma),
    });
    out
}

/// Trains on the pages `training` of `leaves`.
pub fn fit(
    leaves: &LeafPages,
    training: &[usize],
    method: Method,
    settings: &Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> Fitted {
    let columns = leaves.columns(training, settings.least, settings.style);
    let sequences: Vec<Sequence> = training
        .iter()
        .filter_map(|&p| leaves.pages.get(p))
        .map(|page| Sequence { rows: columns.rows(page), labels: settings.answers(page) })
        .collect();
    let labels = settings.labels.len();
    let width = columns.names.len();
    let show = |done: usize, of: usize, figure: Option<f64>| {
        progress(Progress { step: step.to_owned(), done, of, figure });
    };
    let chain = match method {
        Method::Svm => {
            let pages: Vec<(&Rows, &[u16])> =
                sequences.iter().map(|s| (&s.rows, s.labels.as_slice())).collect();
            let passes = settings.svm.passes;
            let weights = pegasos::train(&pages, width, labels, &settings.svm, &|pass| {
                show(pass, passes, None);
            });
            machine(&weights, labels, width)
        }
        Method::Crf => {
            let most = settings.crf.iterations;
            let mut on_step = |step: usize, value: f64| show(step, most, Some(value));
            chain::train(&sequences, labels, width, &settings.crf, &mut on_step).chain
        }
    };
    Fitted { labels: settings.labels.clone(), columns, chain }
}

/// The machine's weights as a chain whose positions do not see each other.
fn machine(weights: &[f64], labels: usize, columns: usize) -> Chain {
    let shape = Shape {
        form: Form::Maxent,
        labels: labels as u16,
        columns: columns as u32,
        ..Shape::default()
    };
    let layout = shape.layout();
    let mut all = vec![0.0; layout.len];
    for (to, from) in all[layout.nodes..].iter_mut().zip(weights) {
        *to = *from as f32;
    }
    Chain { shape, weights: all }
}

#[cfg(test)]
mod tests;
