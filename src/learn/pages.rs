//! Labelled pages as the crawler would read them, with their gold labels.
//!
//! Must not know: metrics, how anything is trained.

use std::collections::HashMap;

use anyhow::Result;

use super::align::{Alignment, align};
use super::corpus::LabeledPage;
use crate::decode;
use crate::extract::dom::{Id, Limits};
use crate::extract::label::Model;
use crate::extract::metadata::Metadata;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Profile, RawBlock};
use crate::extract::{self, Hints};

/// The page's text as the crawler would decode it.
pub fn html(page: &LabeledPage) -> Result<String> {
    Ok(decode::html(&page.bytes()?, None, page.top_level_domain()).text.into_owned())
}

/// The page cut into blocks, with what it says of itself, as the crawler would see it without a
/// feed.
pub fn segment(page: &LabeledPage, profile: Profile) -> Result<PageBlocks<'static>> {
    Ok(read(page, profile)?.0)
}

/// As [`segment`], with the page's metadata.
pub fn read(page: &LabeledPage, profile: Profile) -> Result<(PageBlocks<'static>, Metadata)> {
    let hints = Hints { url: page.gold.url.as_deref(), ..Hints::default() };
    let html = html(page)?;
    let (page, found) = extract::prepare(&html, &hints, profile, &Limits::default());
    Ok((page.into_owned(), found))
}

/// Takes the labels off pages that are cut into other leaves than those that were labelled; says which.
///
/// # Errors
/// If a page cannot be read.
pub fn drop_other_leaves(pages: &mut [LabeledPage]) -> Result<Vec<String>> {
    let mut dropped = Vec::new();
    for page in pages {
        let Some(hand) = &page.hand else { continue };
        if !hand.fits(&segment(page, Profile::Leaf2009)?) {
            dropped.push(page.gold.id.clone());
            page.hand = None;
        }
    }
    Ok(dropped)
}

/// Gold labels of a segmented page.
pub fn labels(page: &LabeledPage, blocks: &PageBlocks) -> Alignment {
    let texts: Vec<&str> = (0..blocks.len()).map(|i| blocks.text(i)).collect();
    align(&texts, &page.gold)
}

/// For each leaf of a page the block that it stands in, if any does. Both were cut from the same tree, so that
/// nodes have the same numbers.
pub fn blocks_of(leaves: &PageBlocks, blocks: &PageBlocks) -> Vec<Option<usize>> {
    let order: HashMap<Id, usize> =
        leaves.dom.descend(leaves.dom.root()).enumerate().map(|(at, id)| (id, at)).collect();
    let place = |id: Id| order.get(&id).copied().unwrap_or(usize::MAX);
    let spans: Vec<(usize, usize)> =
        blocks.iter().map(|(block, _)| (place(block.first), place(block.last))).collect();
    let one = |(leaf, _): (&RawBlock, _)| {
        let at = place(leaf.first);
        let block = spans.partition_point(|(begin, _)| *begin <= at).checked_sub(1)?;
        spans.get(block).is_some_and(|(_, end)| at <= *end).then_some(block)
    };
    leaves.iter().map(one).collect()
}

/// Blocks that show the title: the gold of some corpora counts it as text, ours never does.
pub fn titles(page: &LabeledPage, blocks: &PageBlocks) -> Vec<bool> {
    let first = page.text().lines().next().unwrap_or("");
    let squeeze =
        |s: &str| s.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let title = page.gold.title.as_deref().map(squeeze).unwrap_or_default();
    let first = squeeze(first);
    (0..blocks.len())
        .map(|i| {
            let text = squeeze(blocks.text(i));
            let heading = blocks.blocks.list[i].heading;
            !text.is_empty() && (text == title || heading == 1 && text == first)
        })
        .collect()
}

/// What a model takes for content, in page order, one block a line.
pub fn content(blocks: &PageBlocks, model: &Model) -> String {
    let mut text = String::new();
    for (i, scored) in model.labeler().label(blocks).iter().enumerate() {
        if scored.content {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(blocks.text(i));
        }
    }
    text
}
