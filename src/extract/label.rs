//! Labelers: a segmented page → which blocks are the article, and how surely.
//!
//! One trait, one model file format. Must not know: the network, disk, how a model is trained.

use crate::extract::page::PageBlocks;
use crate::model::Label;

pub mod all;
pub mod chain;
pub mod dictionary;
pub mod leaves;
pub mod model;
pub mod threshold;
pub mod trees;

pub use chain::Chain;
pub use dictionary::Dictionary;
pub use leaves::Leaves;
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
    /// What it is, from a labeler that tells more apart than content and the rest.
    pub label: Option<Label>,
}

impl Scored {
    /// A verdict of a labeler that knows content and the rest.
    pub fn content(content: bool, probability: f32) -> Scored {
        Scored { content, probability, label: None }
    }
}

/// Decides which blocks of a page are the article.
pub trait Labeler {
    /// One verdict per block of the page, in order.
    fn label(&self, page: &PageBlocks) -> Vec<Scored>;
}
