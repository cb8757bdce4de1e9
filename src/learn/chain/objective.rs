//! Negative log-likelihood of labelled sequences with a Gaussian prior, and its gradient (Gibson et
//! al. 2007, §4).
//!
//! Must not know: how it is minimised.

use rayon::prelude::*;

use super::Sequence;
use crate::extract::label::chain::{Form, Lattice, Layout, Rows, Shape};

/// Partial sums; their number is fixed so that the result does not depend on the number of threads.
const PARTS: usize = 8;

/// −Σ log p(y|x) + Σ λ²/(2σ²), in nats; `gradient` is overwritten.
pub(super) fn penalised(
    shape: &Shape,
    weights: &[f64],
    sequences: &[Sequence],
    sigma: f64,
    gradient: &mut [f64],
) -> f64 {
    let parts: Vec<(f64, Vec<f64>)> = (0..PARTS.min(sequences.len()))
        .into_par_iter()
        .map(|part| {
            let mut partial = vec![0.0; weights.len()];
            let mine = sequences.iter().skip(part).step_by(PARTS);
            let loss = mine.map(|s| add_loss(shape, weights, s, &mut partial)).sum();
            (loss, partial)
        })
        .collect();
    let precision = 1.0 / (sigma * sigma);
    let mut total = 0.0;
    for (g, w) in gradient.iter_mut().zip(weights) {
        *g = w * precision;
        total += 0.5 * w * w * precision;
    }
    for (loss, partial) in parts {
        total += loss;
        gradient.iter_mut().zip(&partial).for_each(|(g, p)| *g += p);
    }
    total
}

/// −log p(y|x) of one sequence; adds its gradient.
pub(super) fn add_loss(
    shape: &Shape,
    weights: &[f64],
    sequence: &Sequence,
    gradient: &mut [f64],
) -> f64 {
    let layout = shape.layout();
    let known = |l: &&u16| usize::from(**l) < layout.labels;
    let n = sequence.labels.iter().take_while(known).count().min(sequence.rows.len());
    if n < sequence.rows.len() {
        let mut rows = Rows::default();
        (0..n).for_each(|i| rows.push(sequence.rows.row(i)));
        let cut = Sequence { rows, labels: sequence.labels[..n].to_vec() };
        return add_loss(shape, weights, &cut, gradient);
    }
    match shape.form {
        Form::Memm => local(shape, &layout, weights, sequence, gradient),
        Form::Maxent | Form::Crf => global(shape, &layout, weights, sequence, gradient),
    }
}

/// The normaliser runs over whole sequences (for maxent they fall apart into positions).
fn global(
    shape: &Shape,
    layout: &Layout,
    weights: &[f64],
    sequence: &Sequence,
    gradient: &mut [f64],
) -> f64 {
    let Sequence { rows, labels } = sequence;
    let k = layout.labels;
    let lattice = Lattice::new(shape, weights, rows);
    let mut errors = vec![0.0; k * k];
    let beliefs = lattice.expectations(&mut |i, joint| {
        errors.copy_from_slice(joint);
        errors[usize::from(labels[i - 1]) * k + usize::from(labels[i])] -= 1.0;
        add(&mut gradient[layout.transitions..layout.nodes], &errors, 1.0);
        if layout.len > layout.edges {
            for (predicate, value) in shape.predicates(rows, i) {
                let at = layout.edges + predicate * k * k;
                add(&mut gradient[at..at + k * k], &errors, value);
            }
        }
    });
    for (i, marginals) in beliefs.marginals.chunks_exact(k).enumerate() {
        let errors = &mut errors[..k];
        errors.copy_from_slice(marginals);
        errors[usize::from(labels[i])] -= 1.0;
        add_node(shape, layout, rows, i, errors, gradient);
    }
    beliefs.log_z - lattice.score(labels)
}

/// Each position is normalised alone, given the gold label before it.
fn local(
    shape: &Shape,
    layout: &Layout,
    weights: &[f64],
    sequence: &Sequence,
    gradient: &mut [f64],
) -> f64 {
    let Sequence { rows, labels } = sequence;
    let k = layout.labels;
    // The scores before normalisation are those of a CRF of the same weights.
    let lattice = Lattice::new(&Shape { form: Form::Crf, ..*shape }, weights, rows);
    let mut errors = vec![0.0; k];
    let mut loss = 0.0;
    for i in 0..rows.len() {
        let before = i.checked_sub(1).map(|p| usize::from(labels[p]));
        let gold = usize::from(labels[i]);
        for (label, e) in errors.iter_mut().enumerate() {
            *e = lattice.node(i, label) + before.map_or(0.0, |b| lattice.pair(i, b, label));
        }
        let top = errors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let log_z = top + errors.iter().map(|e| (e - top).exp()).sum::<f64>().ln();
        loss += log_z - errors[gold];
        errors.iter_mut().for_each(|e| *e = (*e - log_z).exp());
        errors[gold] -= 1.0;
        add_node(shape, layout, rows, i, &errors, gradient);
        let Some(before) = before else { continue };
        let at = layout.transitions + before * k;
        add(&mut gradient[at..at + k], &errors, 1.0);
        if layout.len > layout.edges {
            for (predicate, value) in shape.predicates(rows, i) {
                let at = layout.edges + (predicate * k + before) * k;
                add(&mut gradient[at..at + k], &errors, value);
            }
        }
    }
    loss
}

fn add_node(
    shape: &Shape,
    layout: &Layout,
    rows: &Rows,
    i: usize,
    errors: &[f64],
    gradient: &mut [f64],
) {
    let k = layout.labels;
    add(&mut gradient[..k], errors, 1.0);
    for (predicate, value) in shape.predicates(rows, i) {
        let at = layout.nodes + predicate * k;
        add(&mut gradient[at..at + k], errors, value);
    }
}

fn add(sums: &mut [f64], errors: &[f64], value: f32) {
    let value = f64::from(value);
    sums.iter_mut().zip(errors).for_each(|(s, e)| *s += value * e);
}
