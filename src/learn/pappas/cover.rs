//! Gold regions of a page and how much of them each block repeats.
//!
//! An article is one region; all comments together are one, because corpora mark their lines, not
//! where one ends; each post of a thread is one. Pages of multiple areas whose gold does not say
//! where an area ends have no gold region. Must not know: trees, thresholds.

use std::collections::HashMap;

use crate::extract::label::sd::{Decision, Merged};
use crate::learn::corpus::GoldPage;
use crate::learn::metrics::regions::PageRegions;
use crate::learn::metrics::tokens::{collapse, gram, tokens_of};
use crate::model::PageType;

/// Tokens of the runs by which a block is found in a region; shorter blocks are not looked for.
const GRAM: usize = 4;

/// Gold regions and what blocks have of them.
#[derive(Clone, Debug, Default)]
pub struct Gold {
    /// Characters of each region, white space normalised.
    pub density: Vec<u32>,
    /// Per block: region and characters in common.
    cover: Vec<Vec<(usize, u32)>>,
    /// Characters of each block.
    blocks: Vec<u32>,
}

impl Gold {
    /// Finds the gold regions of a page in the texts of its blocks.
    pub fn of<S: AsRef<str>>(gold: &GoldPage, blocks: &[S]) -> Gold {
        let texts = regions(gold);
        let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
        for (region, text) in texts.iter().enumerate() {
            for gram in tokens_of(text).windows(GRAM).map(gram) {
                let regions = index.entry(gram).or_default();
                if regions.last() != Some(&region) {
                    regions.push(region);
                }
            }
        }
        let characters = |text: &str| text.chars().count() as u32;
        let mut out = Gold {
            density: texts.iter().map(|t| characters(&collapse(t.chars()))).collect(),
            ..Gold::default()
        };
        for text in blocks {
            let text = text.as_ref();
            let tokens = tokens_of(text);
            let mut hit: HashMap<usize, Vec<bool>> = HashMap::new();
            for (at, gram) in tokens.windows(GRAM).map(gram).enumerate() {
                for &region in index.get(&gram).into_iter().flatten() {
                    let marks = hit.entry(region).or_insert_with(|| vec![false; tokens.len()]);
                    marks.iter_mut().skip(at).take(GRAM).for_each(|m| *m = true);
                }
            }
            let length = characters(text);
            let mut cover: Vec<(usize, u32)> = hit
                .into_iter()
                .map(|(region, marks)| {
                    let share = marks.iter().filter(|m| **m).count() as f64 / marks.len() as f64;
                    (region, (share * f64::from(length)).round() as u32)
                })
                .collect();
            cover.sort_unstable();
            out.cover.push(cover);
            out.blocks.push(length);
        }
        out
    }

    /// The detected regions of a page beside those of the gold. `areas` holds for each block the
    /// number of its detected region.
    pub fn beside(&self, areas: &[Option<usize>]) -> PageRegions {
        let n = areas.iter().flatten().max().map_or(0, |m| m + 1);
        let mut detected = vec![0u32; n];
        let mut common: HashMap<(usize, usize), u32> = HashMap::new();
        for ((area, cover), length) in areas.iter().zip(&self.cover).zip(&self.blocks) {
            let Some(area) = *area else { continue };
            if let Some(sum) = detected.get_mut(area) {
                *sum += length;
            }
            for &(region, characters) in cover {
                *common.entry((area, region)).or_default() += characters;
            }
        }
        let mut common: Vec<_> = common.into_iter().map(|((d, g), n)| (d, g, n)).collect();
        common.sort_unstable();
        PageRegions { detected, gold: self.density.clone(), common }
    }
}

/// The number of the detected region of each block: the article, or each area of a page of many;
/// all comment regions are one, as in the gold.
pub fn areas(merged: &Merged<'_>, found: &Decision, blocks: usize) -> Vec<Option<usize>> {
    let areas = found.areas();
    let place = |block: usize| {
        let region = merged.region_of(block)?;
        if found.page_type != PageType::Multiple && found.comments.contains(&region) {
            return Some(areas.len());
        }
        areas.iter().position(|&a| a == region)
    };
    (0..blocks).map(place).collect()
}

/// Texts of the gold regions.
fn regions(gold: &GoldPage) -> Vec<String> {
    let mut texts: Vec<String> = gold.posts.iter().map(|p| p.text.clone()).collect();
    if texts.is_empty() && gold.page_type.as_deref().is_none_or(|t| t == "article") {
        texts.extend(gold.text.clone());
        if !gold.comments.is_empty() {
            texts.push(gold.comments.join("\n"));
        }
    }
    texts.retain(|t| !t.trim().is_empty());
    texts
}
