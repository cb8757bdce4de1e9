//! Learning and measuring, offline: corpora, splits, alignment of gold texts to blocks, training of
//! labelers, metrics and reports. One room per paper (`ziegler`, `gibson`, `spengler`, `pappas`) holds
//! its labeler's training and its experiments; `trees` is our own; `train` and `eval` stand above all.
//!
//! The daemon never calls it. Must not know: network, store, how a command prints.

pub mod agencies;
pub mod align;
pub mod annotate;
pub mod chain;
pub mod corpus;
pub mod drawn;
pub mod eval;
pub mod gibson;
pub mod hand;
pub mod metrics;
pub mod page_types;
pub mod pages;
pub mod pappas;
pub mod progress;
pub mod report;
pub mod senses;
pub mod spengler;
pub mod split;
pub mod train;
pub mod trees;
pub mod ziegler;

pub use eval::{Against, EvalOptions, EvalReport, Scope, Subject, eval};
pub use progress::Progress;
pub use train::{TrainOptions, Trained, train};

#[cfg(test)]
mod tests;
