//! Another article below the first: pages that go on with the next story when readers come to the end.
//!
//! Must not know: labels, other rules.

use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::html::name;

/// The `article` elements below the one that holds the title, each with a heading of the title's rank or a
/// higher one. Empty if the title stands in no `article`: then such elements may be parts of the text.
pub(super) fn articles(page: &PageBlocks, titled: usize) -> Vec<Id> {
    let Some(title) = page.blocks.list.get(titled) else { return Vec::new() };
    let is_article = |id: &Id| page.dom.tag(*id) == Some(name!("article"));
    let own: Vec<Id> = around(page, title.container).filter(is_article).collect();
    if own.is_empty() || title.heading == 0 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for block in page.blocks.list.iter().skip(titled + 1) {
        if !(1..=title.heading).contains(&block.heading) {
            continue;
        }
        // One within the title's own is a teaser or a part.
        if around(page, block.container).any(|id| own.contains(&id)) {
            continue;
        }
        if let Some(other) = around(page, block.container).filter(is_article).last()
            && !found.contains(&other)
        {
            found.push(other);
        }
    }
    found
}

/// Does an element lie in one of these?
pub(super) fn holds(page: &PageBlocks, articles: &[Id], id: Id) -> bool {
    around(page, id).any(|id| articles.contains(&id))
}

fn around(page: &PageBlocks, id: Id) -> impl Iterator<Item = Id> + '_ {
    std::iter::once(id).chain(page.dom.ancestors(id))
}
