//! Labelers `maxent`, `memm` and `crf` of Gibson et al. 2007: a linear chain over the eleven feature
//! types decides between content and the rest.
//!
//! Must not know: how weights are found.

use serde::{Deserialize, Serialize};

use super::chain::log_odds;
use super::chain::{Form, Rows};
use super::{Chain, Dictionary, Labeler, PageBlocks, REASONS, Reason, Scored, strongest};
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

    /// What a feature adds to the log-odds of content where its value is 1.
    fn odds(&self, predicate: usize) -> f32 {
        self.chain.weight(predicate, usize::from(CONTENT)) - self.chain.weight(predicate, 0)
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

    /// Each feature with its share of the log-odds, whatever the block before is; one of the block
    /// before begins with `previous`. What the labels around add is the rest of the log-odds.
    fn reasons(&self, page: &PageBlocks) -> Vec<Vec<Reason>> {
        let shape = &self.chain.shape;
        let columns = shape.columns as usize;
        let rows = self.rows(page);
        let (_, beliefs) = self.chain.label(&rows);
        let of_block = |(block, marginal): (usize, &[f64])| {
            let mut reasons: Vec<Reason> = shape
                .predicates(&rows, block)
                .map(|(predicate, value)| {
                    let text = match predicate.checked_sub(columns) {
                        Some(before) => format!("previous {}", self.dictionary.name(before)),
                        None => self.dictionary.name(predicate).to_owned(),
                    };
                    Reason { text, weight: self.odds(predicate) * value }
                })
                .collect();
            let own: f32 = reasons.iter().map(|r| r.weight).sum();
            if shape.is_chained() {
                let text = "the blocks around it".to_owned();
                reasons.push(Reason { text, weight: log_odds(marginal[1]) - own });
            }
            strongest(reasons, REASONS)
        };
        beliefs.marginals.chunks_exact(2).enumerate().map(of_block).collect()
    }

    fn strongest(&self) -> Vec<(String, f32)> {
        let weigh = |column| (self.dictionary.name(column).to_owned(), self.odds(column));
        let mut all: Vec<(String, f32)> = (0..self.dictionary.len()).map(weigh).collect();
        all.retain(|(_, odds)| *odds != 0.0);
        all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        all
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
        let reasons = model(Form::Maxent).reasons(&page);
        let first = &reasons[0];
        assert_eq!(first[0], Reason { text: "word council".to_owned(), weight: 8.0 });
        assert_eq!(first[1].text, "linked");
        assert_eq!((reasons.len(), first.len()), (1, 2));
    }

    #[test]
    fn reasons_add_up_to_the_log_odds() {
        let html = "<p>the council met<p>it was late<p>the council voted";
        let page = PageBlocks::read(html, Profile::Gibson2007, &Limits::default());
        let model = model(Form::Crf);
        let (scored, reasons) = (model.label(&page), model.reasons(&page));
        assert_eq!(reasons[1][0].text, "the blocks around it");
        for (scored, reasons) in scored.iter().zip(reasons) {
            let sum: f32 = reasons.iter().map(|r| r.weight).sum();
            assert!((sum - log_odds(f64::from(scored.probability))).abs() < 1e-3);
        }
    }
}
