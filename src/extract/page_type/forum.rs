//! Is this page a thread of a forum? By what its software says of it: linked data, generator, microdata
//! and names of elements around the text. Nothing is guessed from the look of posts, so that an article
//! with many comments stays an article.
//!
//! Must not know: labelers, what becomes of such pages.

use super::Marked;
use crate::extract::metadata::THREADS;
use crate::extract::page::PageBlocks;
use crate::html::name;
use crate::model::Label;

/// Ids of elements around all posts that forum software prints.
const IDS: [&str; 5] = ["phpbb", "xenforo", "xf", "ipboard_body", "discourse-app"];

/// Is the page marked as a thread, and not as an article?
pub(super) fn is_forum(page: &PageBlocks, labels: &[Label], marked: Marked) -> bool {
    if marked.article {
        return false;
    }
    if marked.forum {
        return true;
    }
    let is_told = |label: &Label| label.is_content() || *label == Label::Comment;
    let text = labels.iter().position(is_told).and_then(|index| page.blocks.list.get(index));
    text.is_some_and(|block| {
        page.dom.ancestors(block.first).any(|id| {
            let id_of = page.dom.value(id, name!("id"));
            let item = page.dom.value(id, name!("itemtype"));
            id_of.is_some_and(|id| IDS.iter().any(|known| id.eq_ignore_ascii_case(known)))
                || item.is_some_and(|item| {
                    item.split_ascii_whitespace()
                        .any(|item| THREADS.iter().any(|known| item.ends_with(known)))
                })
        })
    })
}
