//! Other labelers on the documents of Gibson et al. 2007: trained on the same pages, judged on the same
//! blocks.
//!
//! Must not know: experiments, tables.

use anyhow::Result;

use super::options::Beside;
use crate::extract::label::{Kind, Model, Sd};
use crate::extract::page::PageBlocks;
use crate::extract::segment::Profile;
use crate::learn::corpus::LabeledPage;
use crate::learn::progress::OnProgress;
use crate::learn::ziegler::pso;
use crate::learn::{pages, spengler, trees, ziegler};

/// The profile of the documents.
const BLOCKS: Profile = Profile::Gibson2007;

/// Trains with each labeler's usual settings.
pub(super) fn train(
    labeler: Beside,
    train: &[&LabeledPage],
    step: &str,
    progress: OnProgress<'_>,
) -> Result<Model> {
    match labeler {
        Beside::Threshold => {
            let settings = pso::Settings::default();
            Ok(ziegler::train(train, BLOCKS, &settings, step, progress)?.0)
        }
        Beside::Svm => {
            let settings = spengler::Settings::default();
            spengler::train(train, spengler::Method::Svm, &settings, step, progress)
        }
        // T1 and T2 of the paper for articles: those learned for the page's type let regions in that
        // are no article.
        Beside::Sd => Ok(Model::new(BLOCKS, Kind::Sd(Sd::default()), "T1 and T2 as published")),
        Beside::Trees => trees::train(train, BLOCKS, &trees::Settings::default(), step, progress),
    }
}

/// Which blocks of a page a model takes for content.
pub(super) fn content(model: &Model, page: &LabeledPage) -> Result<Vec<bool>> {
    let blocks = pages::segment(page, BLOCKS)?;
    match model.profile() {
        Profile::Leaf2009 => majority(model, page, &blocks),
        _ => Ok(model.labeler().label(&blocks).iter().map(|s| s.content).collect()),
    }
}

/// Blocks whose characters lie for the most part in leaves that the model calls content.
fn majority(model: &Model, page: &LabeledPage, blocks: &PageBlocks) -> Result<Vec<bool>> {
    let leaves = pages::segment(page, Profile::Leaf2009)?;
    let list = &blocks.blocks.list;
    let mut votes = vec![0; list.len()];
    for (leaf, (at, scored)) in
        leaves.blocks.list.iter().zip(model.labeler().label(&leaves).iter().enumerate())
    {
        // Both are cut from the same tree: text nodes have the same numbers, in page order.
        let block = list.partition_point(|b| b.first <= leaf.first).checked_sub(1);
        let inside = block.filter(|&b| list.get(b).is_some_and(|b| leaf.first <= b.last));
        if let Some(votes) = inside.and_then(|b| votes.get_mut(b)) {
            let chars = leaves.text(at).chars().count() as i64;
            *votes += if scored.content { chars } else { -chars };
        }
    }
    Ok(votes.into_iter().map(|v| v > 0).collect())
}
