//! Labelled pages → segmented pages and what learners need of them.
//!
//! Must not know: metrics, how anything is trained.

use anyhow::Result;
use rayon::prelude::*;

use super::align::{Alignment, align};
use super::corpus::LabeledPage;
use super::metrics::optional::variants;
use super::pso::{Bound, Document, Documents};
use crate::decode;
use crate::extract::dom::Limits;
use crate::extract::feature::eight;
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
    let hints = Hints { url: page.gold.url.as_deref(), ..Hints::default() };
    Ok(extract::prepare(&html(page)?, &hints, profile, &Limits::default()).0)
}

/// Gold labels of a segmented page.
pub fn labels(page: &LabeledPage, blocks: &PageBlocks) -> Alignment {
    let texts: Vec<&str> = (0..blocks.len()).map(|i| blocks.text(i)).collect();
    align(&texts, &page.gold)
}

/// Directions of the eight features.
pub fn bounds() -> Vec<Bound> {
    eight::AT_LEAST
        .iter()
        .map(|least| if *least { Bound::AtLeast } else { Bound::AtMost })
        .collect()
}

/// Pages as the swarm sees them: eight features and the terms of each block.
pub fn documents(pages: &[&LabeledPage], profile: Profile) -> Result<Documents> {
    let documents = pages
        .par_iter()
        .map(|page| {
            let segmented = segment(page, profile)?;
            let features = eight::all(&segmented);
            let blocks: Vec<(Vec<f64>, String)> = features
                .iter()
                .enumerate()
                .map(|(i, f)| (f.map(f64::from).to_vec(), segmented.text(i).to_string()))
                .collect();
            let variants = variants(page.text(), &page.gold.optional);
            let ends = [variants.first(), variants.last().filter(|_| variants.len() > 1)];
            let golds: Vec<&str> = ends.into_iter().flatten().map(String::as_str).collect();
            Ok(Document::new(&blocks, &golds))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Documents::new(bounds(), documents))
}
