//! The eight features of Ziegler & Skubacz 2007 §3.3–3.4.

use crate::extract::page::PageBlocks;
use crate::extract::segment::RawBlock;
use crate::extract::text::{Stats, ratio};

/// Number of features.
pub const COUNT: usize = 8;

/// Place of the stop-word ratio.
pub const STOP_WORDS: usize = 3;

/// Names, in the order of the values.
pub const NAMES: [&str; COUNT] = [
    "sentence length",
    "sentences",
    "alphanumeric ratio",
    "stop-word ratio",
    "anchor ratio",
    "format ratio",
    "list ratio",
    "structuring ratio",
];

/// Whether the threshold of a feature is its lower bound; else it is the upper one. Format and
/// structuring ratio are lower bounds (§3.4).
pub const AT_LEAST: [bool; COUNT] = [true, true, true, true, false, true, false, true];

/// The features of one block. x/0 = +∞, 0/0 = 0.
pub fn features(block: &RawBlock, stats: &Stats) -> [f32; COUNT] {
    let words = stats.words as f32;
    let other_characters = stats.chars.saturating_sub(stats.alnum) as f32;
    let linked = stats.link_words as f32;
    [
        ratio(words, stats.sentences as f32),
        stats.sentences as f32,
        ratio(stats.alnum as f32, other_characters),
        stats.stop_ratio(),
        ratio(linked, words - linked),
        ratio(f32::from(block.format), words),
        ratio(f32::from(block.list), words),
        ratio(f32::from(block.structuring), words),
    ]
}

/// The features of all blocks of a page.
pub fn all(page: &PageBlocks) -> Vec<[f32; COUNT]> {
    page.iter().map(|(block, stats)| features(block, stats)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    fn check(html: &str, expect: [f32; COUNT]) {
        let page = PageBlocks::read(html, Profile::Ziegler2007, &Limits::default());
        assert_eq!(all(&page)[0], expect, "{html}");
    }

    #[test]
    fn features_are_those_of_the_paper() {
        // Two sentences of two words; "it" and "is" are stop words, "here" too.
        check("<p>It is. Zebra <b>xyz</b>.", [2., 2., 2.4, 1., 0., 0.25, 0., 0.25]);
        // All words linked: linked / not linked is infinite.
        check(
            "<ul><li><a href=x>Zebra</a></ul>",
            [1., 1., f32::INFINITY, 0., f32::INFINITY, 0., 2., 0.],
        );
        // No word at all: 0/0 = 0 but x/0 = +∞.
        check("<p>—", [0., 0., 0., 0., 0., 0., 0., f32::INFINITY]);
    }
}
