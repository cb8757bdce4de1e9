//! Labelers: a segmented page → which blocks are the article, and how surely.
//!
//! One trait, one model file format. Must not know: the network, disk, how a model is trained.

use crate::extract::page::PageBlocks;

pub mod all;
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

/// Something that spoke for or against a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// In words, with the value: "29 words".
    pub text: String,
    /// Above 0: for content; the larger, the stronger, in the labeler's own measure.
    pub weight: f32,
}

/// Reasons of one block that are kept.
pub const REASONS: usize = 8;

/// The strongest of many reasons, strongest first; those that weigh nothing are left out.
pub fn strongest(mut reasons: Vec<Reason>, count: usize) -> Vec<Reason> {
    reasons.retain(|r| r.weight != 0.0);
    reasons.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
    reasons.truncate(count);
    reasons
}

/// Decides which blocks of a page are the article.
pub trait Labeler {
    /// One verdict per block of the page, in order.
    fn label(&self, page: &PageBlocks) -> Vec<Scored>;

    /// The strongest reasons for each verdict, one list per block, the most telling first, for
    /// people: may be slow. A
    /// labeler that cannot tell gives none.
    fn reasons(&self, page: &PageBlocks) -> Vec<Vec<Reason>> {
        vec![Vec::new(); page.len()]
    }

    /// What it decides by, strongest first, with a weight in its own measure; for people. A labeler
    /// that cannot tell gives none.
    fn strongest(&self) -> Vec<(String, f32)> {
        Vec::new()
    }
}
