//! Labelers: a segmented page → which blocks are the article, and how surely.
//!
//! One trait, one model file format. Must not know: the network, disk, how a model is trained.

use crate::extract::page::PageBlocks;
use crate::model::{Label, PageType};

pub mod all;
pub mod chain;
pub mod decoder;
pub mod dictionary;
pub mod gibson;
pub mod leaves;
pub mod model;
pub mod sd;
pub mod threshold;
pub mod trees;
pub mod whole;

pub use chain::Chain;
pub use dictionary::Dictionary;
pub use gibson::Gibson;
pub use leaves::Leaves;
pub use model::{Kind, Model, ModelError};
pub use sd::Sd;
pub use threshold::Thresholds;
pub use trees::Trees;
pub use whole::Whole;

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

/// All that a labeler decided about a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// One per block, in order.
    pub blocks: Vec<Scored>,
    /// Blocks whose label the labeler itself knows; they keep it when blocks are named.
    pub named: Vec<(usize, Label)>,
    /// Type of the page, if the labeler decides that.
    pub page_type: Option<PageType>,
}

/// Decides which blocks of a page are the article.
pub trait Labeler {
    /// One verdict per block of the page, in order.
    fn label(&self, page: &PageBlocks) -> Vec<Scored>;

    /// The same with what a labeler knows beyond content or not.
    fn judge(&self, page: &PageBlocks) -> Verdict {
        Verdict { blocks: self.label(page), ..Verdict::default() }
    }

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
