//! Labelled pages as the crawler would read them, with their gold labels.
//!
//! Must not know: metrics, how anything is trained.

use anyhow::Result;

use super::align::{Alignment, align};
use super::corpus::LabeledPage;
use crate::decode;
use crate::extract::dom::Limits;
use crate::extract::label::Model;
use crate::extract::metadata::Metadata;
use crate::extract::page::PageBlocks;
use crate::extract::segment::Profile;
use crate::extract::{self, Hints};

/// The page's text as the crawler would decode it.
pub fn html(page: &LabeledPage) -> Result<String> {
    Ok(decode::html(&page.bytes()?, None, page.top_level_domain()).text.into_owned())
}

/// The page cut into blocks, with what it says of itself, as the crawler would see it without a
/// feed.
pub fn segment(page: &LabeledPage, profile: Profile) -> Result<PageBlocks> {
    Ok(read(page, profile)?.0)
}

/// As [`segment`], with the page's metadata.
pub fn read(page: &LabeledPage, profile: Profile) -> Result<(PageBlocks, Metadata)> {
    let hints = Hints { url: page.gold.url.as_deref(), ..Hints::default() };
    Ok(extract::prepare(&html(page)?, &hints, profile, &Limits::default()))
}

/// Gold labels of a segmented page.
pub fn labels(page: &LabeledPage, blocks: &PageBlocks) -> Alignment {
    let texts: Vec<&str> = (0..blocks.len()).map(|i| blocks.text(i)).collect();
    align(&texts, &page.gold)
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
