//! Does a time that machines can read stand beside the title? So articles are dated whose markup says no more.
//!
//! Must not know: notices, what becomes of a page.

use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::html::name;
use crate::model::Label;

/// So many blocks behind the title its date stands, or right above it …
const NEAR: usize = 4;
/// Elements around a block that are looked at.
const DEEP: usize = 32;
/// … and none between them has more words than a lead.
const BETWEEN_WORDS: u32 = 40;
/// What is linked and has so many words is the headline of another article, with its own date; names of authors and
/// sections have fewer.
const HEADLINE_WORDS: u32 = 4;

/// Is there such a time, with neither a heading nor another article's headline between it and the title?
pub fn is_dated(page: &PageBlocks, labels: &[Label]) -> bool {
    let Some(title) = labels.iter().position(|label| *label == Label::Title) else { return false };
    let behind = title + 1..page.len().min(title + 1 + NEAR);
    let above = title.checked_sub(1).filter(|above| !is_masthead(page, *above, title));
    dates(page, title..title + 1)
        || dates(page, behind)
        || above.is_some_and(|above| dates(page, above..title))
}

/// Does a block stand in the page's head, without the title? There stands what day it is.
fn is_masthead(page: &PageBlocks, block: usize, title: usize) -> bool {
    let around = |index: usize| {
        let container = page.blocks.list.get(index).map(|block| block.container);
        let all = container.map(|id| std::iter::once(id).chain(page.dom.ancestors(id)).take(DEEP));
        all.into_iter().flatten()
    };
    let is_head = |id: &Id| matches!(page.dom.name(*id), "header" | "nav");
    around(block).filter(is_head).any(|head| around(title).all(|id| id != head))
}

/// Does one of these blocks hold a time, and what precedes it belong to the title?
fn dates(page: &PageBlocks, blocks: impl Iterator<Item = usize>) -> bool {
    for (at, index) in blocks.enumerate() {
        let (Some(block), Some(stats)) = (page.blocks.list.get(index), page.stats.get(index))
        else {
            return false;
        };
        let timed = |&id: &Id| {
            page.dom.tag(id) == Some(name!("time"))
                && page.dom.value(id, name!("datetime")).is_some()
        };
        if page.blocks.merged_of(block).iter().any(timed) || timed(&block.container) {
            return true;
        }
        let linked = stats.link_words >= HEADLINE_WORDS && stats.link_words * 2 > stats.words;
        if at > 0 && block.heading > 0 || linked || stats.words > BETWEEN_WORDS {
            return false;
        }
    }
    false
}
