//! Labelers: a segmented page → which blocks are the article, and how surely.
//!
//! One trait, one model file format. Must not know: the network, disk, how a model is trained.

use crate::extract::page::PageBlocks;

pub mod all;
mod lanes;
pub mod model;
pub mod threshold;
pub mod trees;

pub use model::{Kind, Model, ModelError};
pub use threshold::Thresholds;
pub use trees::Trees;

/// A labeler's verdict on one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// Part of the article.
    pub content: bool,
    /// How surely it is, 0–1; ≥ 0.5 exactly if `content`.
    pub probability: f32,
}

/// Decides which blocks of a page are the article.
pub trait Labeler {
    /// One verdict per block of the page, in order.
    fn label(&self, page: &PageBlocks) -> Vec<Scored>;
}
