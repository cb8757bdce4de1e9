//! What the page-level decoder leaves on the table: F1 by words of blocks as the trees alone choose them, with
//! the edits that the decoder makes, and with those that gold would make.
//!
//! Must not know: how edits are found or judged, texts as they are stored.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use rayon::prelude::*;
use serde::Serialize;

use crate::extract::label::whole::Choices;
use crate::extract::label::{Kind, Model};
use crate::learn::corpus::LabeledPage;
use crate::learn::pages;
use crate::learn::trees::{describe, gains};

/// Mean F1 by words of blocks, of one page or of many. Blocks that the gold leaves open do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Gap {
    pub pages: usize,
    /// What the trees choose, each block alone.
    pub trees: f32,
    /// With the decoder's edits.
    pub decided: f32,
    /// With the edits that raise F1 against gold, the best first, until none does.
    pub oracle: f32,
}

/// What is said where there is no decoder.
pub(super) const NONE: &str =
    "--oracle asks what a page-level decoder could do: labeler `whole` has one";

/// The gap of each page of which the gold has a word; an error if the model has no decoder.
pub(super) fn gaps(pages: &[&LabeledPage], model: &Model) -> Result<Vec<(String, Gap)>> {
    let Kind::Whole(whole) = model.kind() else {
        bail!(NONE);
    };
    let of = |page: &&LabeledPage| -> Result<Option<(String, Gap)>> {
        let blocks = pages::segment(page, model.profile())?;
        let truth = describe(page, &blocks).truth();
        let found = gap(&whole.choices(&blocks), &truth);
        let any = truth.iter().any(|(wanted, words)| *wanted && *words > 0.0);
        Ok(any.then(|| (page.corpus.clone(), found)))
    };
    let found = pages.par_iter().map(of).collect::<Result<Vec<_>>>()?;
    Ok(found.into_iter().flatten().collect())
}

fn gap(choices: &Choices, truth: &gains::Truth) -> Gap {
    let Choices { trees, edits, chosen } = choices;
    let mut best = trees.clone();
    let mut reached = gains::f1(truth, &best, &[]);
    // The best edit first; what it has added changes what the others would gain.
    while let Some((f1, edit)) = edits
        .iter()
        .map(|edit| (gains::f1(truth, &best, &edit.blocks), edit))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(f1, _)| *f1 > reached)
    {
        reached = f1;
        for &block in &edit.blocks {
            if let Some(scored) = best.get_mut(block as usize) {
                scored.content = true;
            }
        }
    }
    let f1 = |scored| gains::f1(truth, scored, &[]);
    Gap { pages: 1, trees: f1(trees), decided: f1(chosen), oracle: reached }
}

/// Means by corpus, and of all pages.
pub(super) fn means(gaps: &[(String, Gap)]) -> BTreeMap<String, Gap> {
    let mut means: BTreeMap<String, Gap> = BTreeMap::new();
    for (corpus, gap) in gaps {
        for name in [corpus.as_str(), "all"] {
            let mean = means.entry(name.to_owned()).or_default();
            mean.pages += 1;
            mean.trees += gap.trees;
            mean.decided += gap.decided;
            mean.oracle += gap.oracle;
        }
    }
    for mean in means.values_mut() {
        let pages = mean.pages as f32;
        mean.trees /= pages;
        mean.decided /= pages;
        mean.oracle /= pages;
    }
    means
}

/// Markdown table, a row a corpus.
pub fn table(means: &BTreeMap<String, Gap>) -> String {
    let mut out = String::from(
        "| | pages | trees alone | with the decoder's edits | with gold's edits |\n|---|--:|--:|--:|--:|\n",
    );
    for (name, Gap { pages, trees, decided, oracle }) in means {
        out.push_str(&format!("| {name} | {pages} | {trees:.3} | {decided:.3} | {oracle:.3} |\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::label::Scored;
    use crate::extract::label::decoder::{Edit, Scope};

    #[test]
    fn gold_makes_the_edits_that_gain_and_no_other() {
        let scored = |content: [bool; 4]| -> Vec<Scored> {
            content.map(|content| Scored { content, probability: 0.5 }).to_vec()
        };
        let edit = |blocks: &[u32]| Edit { scope: Scope::Child, blocks: blocks.to_vec() };
        let truth = vec![(true, 10.0), (true, 10.0), (true, 20.0), (false, 60.0)];
        let choices = Choices {
            trees: scored([true, false, false, false]),
            edits: vec![edit(&[1]), edit(&[2, 3]), edit(&[1, 2])],
            chosen: scored([true, true, false, false]),
        };
        let found = gap(&choices, &truth);
        let expected = Gap { pages: 1, trees: 20.0 / 50.0, decided: 40.0 / 60.0, oracle: 1.0 };
        assert_eq!(found, expected);
        let of = |corpus: &str| (corpus.to_owned(), found);
        let means = means(&[of("a"), of("b"), of("b")]);
        assert_eq!(means["all"].pages, 3);
        assert!((means["b"].trees - 0.4).abs() < 1e-6);
        assert!(table(&means).contains("| b | 2 | 0.400 | 0.667 | 1.000 |"));
    }
}
