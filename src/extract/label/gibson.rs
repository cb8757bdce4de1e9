//! Labelers `maxent`, `memm` and `crf` of Gibson et al. 2007: a linear chain over the eleven feature
//! types decides between content and the rest.
//!
//! Must not know: how weights are found.

use serde::{Deserialize, Serialize};

use super::chain::{Form, Rows};
use super::{Chain, Dictionary, Labeler, PageBlocks, Scored};
use crate::extract::feature::gibson::{Types, features};

/// The label that stands for content; 0 is the rest.
pub const CONTENT: u16 = 1;

/// The labeler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gibson {
    /// Feature types it was trained on.
    pub types: Types,
    /// Names of the chain's columns.
    pub dictionary: Dictionary,
    pub chain: Chain,
}

impl Gibson {
    /// `maxent`, `memm` or `crf`.
    pub fn name(&self) -> &'static str {
        match self.chain.shape.form {
            Form::Maxent => "maxent",
            Form::Memm => "memm",
            Form::Crf => "crf",
        }
    }

    /// Do its parts fit each other?
    pub fn fits(&self) -> bool {
        let shape = &self.chain.shape;
        shape.labels == 2 && shape.columns as usize == self.dictionary.len() && self.chain.fits()
    }

    /// The features of a page's blocks that the model knows.
    pub fn rows(&self, page: &PageBlocks) -> Rows {
        let mut rows = Rows::default();
        let mut row: Vec<(u32, f32)> = Vec::new();
        features(page, self.types, &mut |block, name, value| {
            while rows.len() < block {
                rows.push(row.drain(..));
            }
            row.extend(self.dictionary.column(name).map(|column| (column, value)));
        });
        while rows.len() < page.len() {
            rows.push(row.drain(..));
        }
        rows
    }

    /// What speaks most for (above 0) or against a block being content, whatever the block before
    /// is: names of at most `n` features with their share of the log-odds, strongest first. A
    /// feature of the block before begins with `previous`.
    pub fn reasons(&self, page: &PageBlocks, block: usize, n: usize) -> Vec<(String, f32)> {
        let shape = &self.chain.shape;
        let columns = shape.columns as usize;
        let mut reasons: Vec<(String, f32)> = shape
            .predicates(&self.rows(page), block)
            .map(|(predicate, value)| {
                let odds = self.chain.weight(predicate, usize::from(CONTENT))
                    - self.chain.weight(predicate, 0);
                let name = match predicate.checked_sub(columns) {
                    Some(before) => format!("previous {}", self.dictionary.name(before)),
                    None => self.dictionary.name(predicate).to_owned(),
                };
                (name, odds * value)
            })
            .collect();
        reasons.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
        reasons.truncate(n);
        reasons
    }
}

impl Labeler for Gibson {
    /// The most probable sequence of labels decides; the probability is the block's own, kept on
    /// the side that the sequence chose.
    fn label(&self, page: &PageBlocks) -> Vec<Scored> {
        let (labels, beliefs) = self.chain.label(&self.rows(page));
        let marginals = beliefs.marginals.chunks_exact(2);
        labels
            .iter()
            .zip(marginals)
            .map(|(&label, marginal)| {
                let content = label == CONTENT;
                let p = marginal[1] as f32;
                let probability = if content { p.max(0.5) } else { p.min(0.49) };
                Scored { content, probability }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::label::chain::Shape;
    use crate::extract::segment::Profile;

    /// Knows one word; both forms prefer to stay with the label before.
    fn model(form: Form) -> Gibson {
        let shape = Shape { form, labels: 2, columns: 2, edges: false, history: false };
        let mut weights = vec![0.0, -1.0];
        if form != Form::Maxent {
            weights.extend([1.0, -1.0, -1.0, 1.0]);
        }
        weights.extend([-3.0, 3.0, 0.0, 4.0]);
        let dictionary = Dictionary::new(["linked", "word council"]);
        // Columns in the order of names: "linked" speaks for content here, to tell them apart.
        Gibson { types: Types::ALL, dictionary, chain: Chain { shape, weights } }
    }

    #[test]
    fn chains_bridge_what_maxent_cannot() {
        let html = "<p>the council met<p>it was late<p>the council voted";
        let page = PageBlocks::read(html, Profile::Gibson2007, &Limits::default());
        let content = |form| -> Vec<bool> {
            let model = model(form);
            assert!(model.fits());
            let scored = model.label(&page);
            assert!(scored.iter().all(|s| (s.probability >= 0.5) == s.content));
            scored.iter().map(|s| s.content).collect()
        };
        assert_eq!(content(Form::Maxent), [true, false, true]);
        assert_eq!(content(Form::Crf), [true, true, true]);
    }

    #[test]
    fn reasons_name_the_strongest_features() {
        let html = "<p><a href=x>the council</a> council";
        let page = PageBlocks::read(html, Profile::Gibson2007, &Limits::default());
        let reasons = model(Form::Crf).reasons(&page, 0, 9);
        assert_eq!(reasons[0], ("word council".to_owned(), 8.0));
        assert_eq!(reasons[1].0, "linked");
        assert_eq!(reasons.len(), 2);
        assert_eq!(model(Form::Crf).reasons(&page, 7, 9), []);
    }
}
