//! Training of the linear models of [`crate::extract::label::chain`]: maxent, MEMM and linear-chain
//! CRF by maximum likelihood with a Gaussian prior (Gibson et al. 2007, §4).
//!
//! L = Σ log p(y|x) − Σ λ²/(2σ²), maximised by L-BFGS. The paper prints the prior without the
//! square. Must not know: pages, what a feature or a label means.

mod minimise;
mod objective;

use serde::{Deserialize, Serialize};

use crate::extract::label::chain::{Chain, Form, Rows, Shape};

pub use minimise::{Outcome, Stop, minimise};

/// One labelled sequence. Labels run from 0 to K − 1, one per row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence {
    pub rows: Rows,
    pub labels: Vec<u16>,
}

/// How a chain is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub form: Form,
    /// Weights over (observation × label before × label) beside those over (observation × label).
    pub edges: bool,
    /// The features of the position before are features of a position too.
    pub history: bool,
    /// Standard deviation of the Gaussian prior over weights.
    pub sigma: f64,
    /// At most so many steps of L-BFGS.
    pub iterations: usize,
    /// Ends when five steps together lower the objective by less than this share of it.
    pub tolerance: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            form: Form::Crf,
            edges: false,
            history: false,
            sigma: 10.0,
            iterations: 200,
            tolerance: 1e-4,
        }
    }
}

/// The outcome of training.
#[derive(Clone, Debug)]
pub struct Trained {
    pub chain: Chain,
    pub outcome: Outcome,
}

/// Trains on all sequences; `labels` = K, `columns` = number of feature columns. The result does not
/// depend on the number of threads. `on_step` gets the step's number and the objective (negative
/// log-likelihood with prior, in nats).
///
/// Rows beyond the labels given, labels ≥ K and columns ≥ `columns` are ignored.
pub fn train(
    sequences: &[Sequence],
    labels: usize,
    columns: usize,
    settings: &Settings,
    on_step: &mut dyn FnMut(usize, f64),
) -> Trained {
    let shape = Shape {
        form: settings.form,
        labels: labels as u16,
        columns: columns as u32,
        edges: settings.edges,
        history: settings.history,
    };
    let mut weights = vec![0.0; shape.layout().len];
    let outcome = minimise(
        &mut weights,
        &mut |w, gradient| objective::penalised(&shape, w, sequences, settings.sigma, gradient),
        settings.iterations,
        settings.tolerance,
        on_step,
    );
    // Not beyond what an f32 holds, though a likelihood never gets there.
    let weights = weights.iter().map(|w| w.clamp(-1e30, 1e30) as f32).collect();
    Trained { chain: Chain { shape, weights }, outcome }
}

#[cfg(test)]
mod tests;
