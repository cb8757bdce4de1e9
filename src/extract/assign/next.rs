//! Another article below the first: pages that go on with the next story when readers come to the end.
//!
//! Must not know: labels, other rules.

use std::collections::HashSet;

use super::{around, squeezed_chars};
use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::Groups;
use crate::html::name;

/// The `article` elements below the one that holds the title, each with a heading of the title's rank or a
/// higher one. Empty if the title stands in no `article`: then such elements may be parts of the text.
pub(super) fn articles(page: &PageBlocks, titled: usize) -> HashSet<Id> {
    let Some(title) = page.blocks.list.get(titled) else { return HashSet::new() };
    let is_article = |id: &Id| page.dom.tag(*id) == Some(name!("article"));
    let own: HashSet<Id> = around(page, title.container).filter(is_article).collect();
    if own.is_empty() || title.heading == 0 {
        return HashSet::new();
    }
    let mut found = HashSet::new();
    for block in page.blocks.list.iter().skip(titled + 1) {
        if !(1..=title.heading).contains(&block.heading) {
            continue;
        }
        // One within the title's own is a teaser or a part.
        if around(page, block.container).any(|id| own.contains(&id)) {
            continue;
        }
        found.extend(around(page, block.container).filter(is_article).last());
    }
    found
}

/// So many blocks behind its heading another article is dated or signed.
const HEAD: usize = 8;
/// A block of so many words is text.
const TEXT_WORDS: u32 = 12;

/// Other articles that no `article` element holds: behind a heading of the title's rank that is dated or signed before
/// its text begins, the outermost elements that hold neither the title nor the text behind it, which begins with block
/// `first`.
pub(super) fn headed(page: &PageBlocks, titled: usize, first: usize) -> HashSet<Id> {
    let (Some(title), Some(text)) = (page.blocks.list.get(titled), page.blocks.list.get(first))
    else {
        return HashSet::new();
    };
    if title.heading == 0 {
        return HashSet::new();
    }
    let own: HashSet<Id> =
        around(page, title.container).chain(around(page, text.container)).collect();
    let mut found = HashSet::new();
    for (index, block) in page.blocks.list.iter().enumerate().skip(first + 1) {
        // Below a lead the title may stand once more.
        let again = || squeezed_chars(page.text(index)).eq(squeezed_chars(page.text(titled)));
        if block.heading != title.heading || !is_headed(page, index) || again() {
            continue;
        }
        found.extend(around(page, block.container).take_while(|id| !own.contains(id)).last());
    }
    found
}

/// Is a heading followed by a date or a byline, and then by text?
fn is_headed(page: &PageBlocks, heading: usize) -> bool {
    let mut said = false;
    for (block, stats) in page.iter().skip(heading + 1).take(HEAD) {
        if block.heading > 0 {
            return false;
        }
        if stats.words >= TEXT_WORDS && stats.ends > 0 {
            return said;
        }
        said |= block.own.has(Groups::DATE) || block.own.has(Groups::AUTHOR);
    }
    false
}

/// Does an element lie in one of these?
pub(super) fn holds(page: &PageBlocks, articles: &HashSet<Id>, id: Id) -> bool {
    around(page, id).any(|id| articles.contains(&id))
}
