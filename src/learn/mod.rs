//! Learning and measuring, offline: corpora, splits, alignment of gold texts to blocks, training of
//! labelers, metrics and reports.
//!
//! The daemon never calls it. Must not know: network, store, how a command prints.

pub mod align;
pub mod boost;
pub mod chain;
pub mod compare;
pub mod corpus;
pub mod eval;
pub mod forest;
pub mod gibson;
mod headline;
pub mod metrics;
pub mod pages;
pub mod pappas;
pub mod pegasos;
pub mod pso;
pub mod report;
pub mod spengler;
pub mod split;
pub mod study;
pub mod texts;
pub mod train;

pub use eval::{Against, EvalOptions, EvalReport, Scope, Subject, eval};
pub use gibson::{GibsonStudy, GibsonStudyOptions, gibson_study};
pub use study::{Study, StudyOptions, study};
pub use train::{Progress, TrainOptions, Trained, train};

#[cfg(test)]
mod tests;
