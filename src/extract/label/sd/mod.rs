//! The SD algorithm (Pappas, Katsimpras & Stamatatos 2012, §3): regions of the page by density,
//! the article among them, its comments, and what type of page this is.
//!
//! Two thresholds are learned: T1, how far a region may be from the densest one to be a candidate,
//! and T2, the density from which a node is not noise. Must not know: how they are learned.

use serde::{Deserialize, Serialize};

use super::{Labeler, PageBlocks, Scored, Verdict};
use crate::model::{Label, PageType};

pub mod keywords;
mod tree;

pub use tree::{Decision, Merged, Reading, Region, Rule, SdTree, Unit};

/// The labeler: T1, T2 and the words that give comments away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sd {
    /// Largest distance from the densest region of a candidate (eq. 1), 0–100.
    pub t1: f32,
    /// A node is valid if it has more characters than this.
    pub t2: u32,
    /// Words of comment regions, lower case; the first 64 are used.
    pub keywords: Vec<String>,
    pub reading: Reading,
}

impl Default for Sd {
    /// The paper's values for articles (§5.1).
    fn default() -> Sd {
        Sd { t1: 0.0, t2: 20, keywords: keywords::all(), reading: Reading::default() }
    }
}

impl Labeler for Sd {
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        self.judge(page).blocks
    }

    /// Content is the article region, on a page of multiple areas all of them. Probabilities are a
    /// mere order: one half for content, below it by the region's distance for the rest.
    fn judge(&self, page: &PageBlocks) -> Verdict {
        let tree = SdTree::new(page, &self.keywords);
        let merged = tree.merge(self.t2);
        let found = merged.decide(self.t1, Rule { reading: self.reading, ..Rule::default() });
        let areas = found.areas();
        let mut verdict = Verdict { page_type: Some(found.page_type), ..Verdict::default() };
        for index in 0..page.len() {
            let region = merged.region_of(index);
            let content = region.is_some_and(|r| areas.contains(&r));
            let near = region.map_or(0.0, |r| 1.0 - merged.dfm(r) / 100.0);
            let probability = if content { 0.5 } else { 0.49 * near };
            verdict.blocks.push(Scored { content, probability });
            if region.is_some_and(|r| found.comments.contains(&r)) {
                verdict.named.push((index, Label::Comment));
            }
        }
        verdict
    }
}

impl Decision {
    /// The regions that hold the page's own text: the article, or all areas of a page of many.
    pub fn areas(&self) -> &[usize] {
        match (self.page_type, &self.article) {
            (PageType::Multiple, _) | (_, None) => &self.candidates,
            (_, Some(article)) => std::slice::from_ref(article),
        }
    }
}

#[cfg(test)]
mod tests;
