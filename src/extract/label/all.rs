//! Baselines PR and TB of Ziegler & Skubacz 2007 Tab. 1: every block is content. PR stands on the
//! profile of Fig. 2 (pruning and removal only), TB on all text nodes, scripts included.

use super::{Labeler, PageBlocks, Scored};

/// Accepts every block.
#[derive(Clone, Copy, Debug)]
pub struct All;

impl Labeler for All {
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        vec![Scored { content: true, probability: 1.0 }; page.len()]
    }
}
