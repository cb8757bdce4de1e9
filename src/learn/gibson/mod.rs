//! Training of the labelers `maxent`, `memm` and `crf` (Gibson et al. 2007) on labelled pages, and the
//! paper's experiments.
//!
//! Must not know: how weights are found, how a command prints.

mod beside;
mod boundary;
mod copies;
mod data;
mod documents;
mod options;
mod setups;
mod study;
mod tables;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::chain::{self, Outcome, Sequence};
use super::corpus::LabeledPage;
use super::progress::{OnProgress, Progress};
use crate::extract::feature::gibson::Types;
use crate::extract::label::chain::{Form, Rows};
use crate::extract::label::{Dictionary, Gibson, Kind, Model};
use crate::extract::segment::Profile;

pub use documents::{Document, Documents};
pub use options::{Beside, StudyOptions};
pub use study::{Study, study};

/// How the labelers are trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub types: Types,
    pub chain: chain::Settings,
    /// Features on fewer training pages than this are dropped: they say more about a page than about
    /// content, and the model shall not keep the words of single pages.
    pub least_pages: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { types: Types::ALL, chain: chain::Settings::default(), least_pages: 3 }
    }
}

impl Settings {
    /// The options that the paper's Tab. 1 gives each form for unseen sources: history for maxent and
    /// MEMM, no edge features.
    pub fn of(form: Form) -> Settings {
        let chain = chain::Settings { form, history: form != Form::Crf, ..Default::default() };
        Settings { chain, ..Settings::default() }
    }
}

/// Trains on labelled pages.
pub fn train(
    pages: &[&LabeledPage],
    profile: Profile,
    settings: &Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> Result<Model> {
    let documents = Documents::read(pages, profile, settings.types)?;
    let all: Vec<usize> = (0..documents.list.len()).collect();
    let fitted = fit(&documents, &all, settings, &mut |number, value| {
        progress(Progress {
            step: step.to_owned(),
            done: number,
            of: settings.chain.iterations,
            figure: Some(value),
        });
    });
    let kept = fitted.columns.iter().enumerate().filter(|(_, c)| **c != DROPPED);
    let dictionary = Dictionary::new(kept.map(|(i, _)| documents.dictionary.name(i)));
    let gibson = Gibson { types: settings.types, dictionary, chain: fitted.chain };
    let note = format!(
        "{}, {} features, σ = {}, {} steps, objective {:.1} nats on {} pages",
        gibson.name(),
        gibson.dictionary.len(),
        settings.chain.sigma,
        fitted.outcome.steps,
        fitted.outcome.value,
        pages.len(),
    );
    Ok(Model::new(profile, Kind::Gibson(gibson), &note))
}

/// What the model card says of features and prior.
pub(super) fn card(settings: &Settings, model: &Model) -> String {
    let Kind::Gibson(gibson) = model.kind() else { return String::new() };
    let shape = &gibson.chain.shape;
    format!(
        "- Gibson et al. 2007: {} features on at least {} pages, edges {}, history {}, σ {}, at \
         most {} steps\n",
        shape.columns,
        settings.least_pages,
        shape.edges,
        shape.history,
        settings.chain.sigma,
        settings.chain.iterations,
    )
}

/// The column of a feature that the model does not have.
const DROPPED: u32 = u32::MAX;

/// A chain over the columns of some [`Documents`].
#[derive(Clone, Debug)]
struct Fitted {
    chain: crate::extract::label::Chain,
    /// The chain's column of each column of the documents, or [`DROPPED`]; the order is kept.
    columns: Vec<u32>,
    outcome: Outcome,
}

impl Fitted {
    fn rows(&self, document: &Document) -> Rows {
        mapped(&document.rows, &self.columns)
    }

    /// The most probable labels of a document.
    fn labels(&self, document: &Document) -> Vec<u16> {
        self.chain.lattice(&self.rows(document)).best()
    }

    /// Probability of label 1 per block.
    fn probabilities(&self, document: &Document) -> Vec<f64> {
        let beliefs = self.chain.lattice(&self.rows(document)).beliefs();
        beliefs.marginals.chunks_exact(2).map(|m| m[1]).collect()
    }
}

/// Trains on the chosen documents.
fn fit(
    documents: &Documents,
    chosen: &[usize],
    settings: &Settings,
    on_step: &mut dyn FnMut(usize, f64),
) -> Fitted {
    let labels = |document: &Document| document.labels.clone();
    fit_to(documents, chosen, &labels, settings, on_step)
}

/// As [`fit`], with labels of another kind.
fn fit_to(
    documents: &Documents,
    chosen: &[usize],
    labels: &dyn Fn(&Document) -> Vec<u16>,
    settings: &Settings,
    on_step: &mut dyn FnMut(usize, f64),
) -> Fitted {
    let columns = columns(documents, chosen, settings);
    let sequences: Vec<Sequence> = chosen
        .iter()
        .map(|&i| {
            let document = &documents.list[i];
            Sequence { rows: mapped(&document.rows, &columns), labels: labels(document) }
        })
        .collect();
    let kept = columns.iter().filter(|c| **c != DROPPED).count();
    let trained = chain::train(&sequences, 2, kept, &settings.chain, on_step);
    Fitted { chain: trained.chain, columns, outcome: trained.outcome }
}

/// Numbers the columns of the wanted types that occur on enough of the chosen documents.
fn columns(documents: &Documents, chosen: &[usize], settings: &Settings) -> Vec<u32> {
    let n = documents.dictionary.len();
    let mut pages = vec![0usize; n];
    let mut last = vec![usize::MAX; n];
    for &i in chosen {
        let rows = &documents.list[i].rows;
        for (column, _) in (0..rows.len()).flat_map(|r| rows.row(r)) {
            let column = column as usize;
            if last[column] != i {
                last[column] = i;
                pages[column] += 1;
            }
        }
    }
    let mut next = 0;
    (0..n)
        .map(|column| {
            let wanted = settings.types.has(Types::of(documents.dictionary.name(column)));
            if pages[column] >= settings.least_pages.max(1) && wanted {
                next += 1;
                next - 1
            } else {
                DROPPED
            }
        })
        .collect()
}

fn mapped(rows: &Rows, columns: &[u32]) -> Rows {
    let mut out = Rows::default();
    for i in 0..rows.len() {
        let kept = rows.row(i).map(|(c, v)| (columns[c as usize], v));
        out.push(kept.filter(|(c, _)| *c != DROPPED));
    }
    out
}

#[cfg(test)]
mod tests;
