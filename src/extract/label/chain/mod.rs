//! Linear models over the sparse features of a sequence: maximum entropy, maximum entropy Markov
//! model and linear-chain conditional random field, for any number of labels (Gibson et al. 2007,
//! §4; Spengler & Gallinari 2009, §2.2).
//!
//! One set of weights, three ways to normalise it. Must not know: pages, what a feature or a label
//! means, how weights are found.

use serde::{Deserialize, Serialize};

mod lattice;

pub use lattice::{Beliefs, Lattice};

/// How scores become probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Each position for itself: p(y_i | x) ∝ exp node_i(y_i).
    Maxent,
    /// Each position given the label before: p(y_i | y_{i−1}, x), normalised over y_i.
    Memm,
    /// The whole sequence: p(y | x), normalised over all label sequences.
    #[default]
    Crf,
}

/// Sparse features of the positions of one sequence, row by row. The order of columns within a row
/// is free; a column may occur twice (its values add up).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    ends: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Rows {
    /// Appends a position.
    pub fn push(&mut self, row: impl IntoIterator<Item = (u32, f32)>) {
        for (column, value) in row {
            self.columns.push(column);
            self.values.push(value);
        }
        self.ends.push(self.columns.len() as u32);
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Columns and values of a position; empty beyond the end.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (u32, f32)> + Clone + '_ {
        let end = self.ends.get(i).map_or(0, |e| *e as usize);
        let start = if i == 0 { 0 } else { self.ends.get(i - 1).map_or(0, |e| *e as usize) };
        let range = start.min(end)..end;
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }
}

/// What weights a model has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    pub form: Form,
    /// Number of labels K.
    pub labels: u16,
    /// Number of columns; predicates are these and, with `history`, these of the position before.
    pub columns: u32,
    /// Features over (observation × label before × label) beside those over (observation × label);
    /// without effect under [`Form::Maxent`].
    pub edges: bool,
    /// The features of the position before are features of a position too.
    pub history: bool,
}

/// Where the parts of the weight vector begin. The order is: bias per label; transition (label
/// before × label); node (predicate × label); edge (predicate × label before × label).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of labels K.
    pub labels: usize,
    /// Predicates: columns, doubled by history.
    pub predicates: usize,
    pub transitions: usize,
    pub nodes: usize,
    pub edges: usize,
    /// Length of the vector.
    pub len: usize,
}

impl Shape {
    /// Has the model weights over pairs of labels?
    pub fn is_chained(&self) -> bool {
        self.form != Form::Maxent
    }

    pub fn layout(&self) -> Layout {
        let labels = usize::from(self.labels);
        let predicates = self.columns as usize * if self.history { 2 } else { 1 };
        let transitions = labels;
        let nodes = transitions + if self.is_chained() { labels * labels } else { 0 };
        let edges = nodes + predicates * labels;
        let with_edges = self.edges && self.is_chained();
        let len = edges + if with_edges { predicates * labels * labels } else { 0 };
        Layout { labels, predicates, transitions, nodes, edges, len }
    }

    /// The predicates of a position: its columns, and with history those of the position before,
    /// shifted by the number of columns. Columns that the model does not have are left out.
    pub fn predicates<'a>(
        &self,
        rows: &'a Rows,
        i: usize,
    ) -> impl Iterator<Item = (usize, f32)> + Clone + use<'a> {
        let columns = self.columns;
        let before = (self.history && i > 0).then(|| rows.row(i - 1)).into_iter().flatten();
        let known = move |(c, _): &(u32, f32)| *c < columns;
        let own = rows.row(i).filter(known).map(|(c, v)| (c as usize, v));
        own.chain(before.filter(known).map(move |(c, v)| (c as usize + columns as usize, v)))
    }
}

/// ln(p / (1 − p)), kept finite.
pub(super) fn log_odds(p: f64) -> f32 {
    let p = p.clamp(1e-12, 1.0 - 1e-12);
    (p / (1.0 - p)).ln() as f32
}

/// A trained model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    pub shape: Shape,
    /// In the order of [`Layout`].
    pub weights: Vec<f32>,
}

impl Chain {
    /// Has it the weights that its shape says? What a file holds is asked once, at loading.
    pub fn fits(&self) -> bool {
        let s = &self.shape;
        let wanted = u128::from(s.columns) * 2 * u128::from(s.labels) * (1 + u128::from(s.labels));
        // So that the layout's products cannot overflow.
        s.labels > 0
            && wanted < 1 << 40
            && self.weights.len() == s.layout().len
            && self.weights.iter().all(|w| w.is_finite())
    }

    /// Scores of all labels and transitions of a sequence.
    pub fn lattice(&self, rows: &Rows) -> Lattice {
        Lattice::new(&self.shape, &self.weights, rows)
    }

    /// The most probable label sequence, and how sure each position's label distribution is.
    pub fn label(&self, rows: &Rows) -> (Vec<u16>, Beliefs) {
        let lattice = self.lattice(rows);
        (lattice.best(), lattice.beliefs())
    }

    /// Weight by which a predicate speaks for `label`, whatever the label before.
    pub fn weight(&self, predicate: usize, label: usize) -> f32 {
        let l = self.shape.layout();
        self.weights.get(l.nodes + predicate * l.labels + label).copied().unwrap_or(0.0)
    }
}
