//! Whether readers see the title that machines are told: share cards, linked data and feeds may say anything.
//!
//! Must not know: brands, where the title was read.

use super::PageBlocks;
use super::text::word_hashes;
use crate::model::Label;

/// Do readers see a title: as the block that is named so, or else with all its words in `<title>` (`tab`) or in one
/// block that is shown? A number is a word: brands are called 4711.
pub(super) fn is_shown(
    page: &PageBlocks,
    labels: &[Label],
    title: &str,
    tab: Option<&str>,
) -> bool {
    if labels.contains(&Label::Title) {
        return true;
    }
    let mut wanted: Vec<u32> = Vec::new();
    word_hashes(title, &mut wanted);
    wanted.sort_unstable();
    wanted.dedup();
    let says = |said: &[u32]| {
        let mut found: Vec<usize> =
            said.iter().filter_map(|word| wanted.binary_search(word).ok()).collect();
        found.sort_unstable();
        found.dedup();
        found.len() == wanted.len()
    };
    let mut said = Vec::new();
    word_hashes(tab.unwrap_or_default(), &mut said);
    let shown = || page.iter().enumerate().filter(|(_, (block, _))| page.unseen(block).is_none());
    says(&said) || shown().any(|(index, _)| says(page.words.of_block(index)))
}
