//! What the software that printed a page marks it as: a thread of a forum, or a list of articles. Linked data,
//! generator, microdata and names of elements around the text say it. Nothing is guessed from the look of posts, so that
//! an article with many comments stays an article.
//!
//! Must not know: labelers, what becomes of such pages.

use super::Marked;
use crate::extract::metadata::THREADS;
use crate::extract::page::PageBlocks;
use crate::html::name;
use crate::model::{Label, PageType};

/// Ids of elements around all posts that forum software prints.
const IDS: [&str; 6] = ["phpbb", "xenforo", "xf", "ipboard_body", "discourse-app", "wpforo"];
/// Classes of such elements.
const CLASSES: [&str; 3] = ["pg_viewthread", "asgaros-forum", "single-dwqa-question"];
/// Classes that mean a thread where the page has both: others call their own pages topics, too.
const BOTH: [&str; 2] = ["bbpress", "single-topic"];
/// WordPress gives the body of a list this class, and one that says of what.
const LIST: &str = "archive";
const LISTS: [&str; 5] = ["category", "tag", "author", "date", "post-type-archive"];
/// How the classes begin that WordPress gives the body of a page that is one text.
const SINGLE: [&str; 2] = ["single", "postid-"];

/// What the page is marked as, if as anything but an article.
pub(super) fn marked_as(page: &PageBlocks, labels: &[Label], marked: Marked) -> Option<PageType> {
    if marked.article {
        return None;
    }
    if marked.forum {
        return Some(PageType::Forum);
    }
    let is_told = |label: &Label| label.is_content() || *label == Label::Comment;
    let text = labels.iter().position(is_told).and_then(|index| page.blocks.list.get(index))?;
    let around: Vec<_> = page.dom.ancestors(text.first).collect();
    let value = |id, name| page.dom.value(id, name).unwrap_or_default();
    let has_class = |known: &str| {
        around
            .iter()
            .any(|id| value(*id, name!("class")).split_ascii_whitespace().any(|c| c == known))
    };
    let has_item = |known: &str| {
        around.iter().any(|id| {
            value(*id, name!("itemtype")).split_ascii_whitespace().any(|item| item.ends_with(known))
        })
    };
    let has_id = around
        .iter()
        .any(|id| IDS.iter().any(|known| value(*id, name!("id")).eq_ignore_ascii_case(known)));
    let says_article = marked.dated || marked.shared_article || has_item("Article");
    let is_thread = has_id
        || CLASSES.iter().any(|known| has_class(known))
        || BOTH.iter().all(|known| has_class(known))
        || THREADS.iter().any(|known| has_item(known))
        // Whose text begins with a reader's question; articles that answer one, and pages of questions that are often
        // asked, say so.
        || has_item("/Question") && !has_item("/FAQPage") && !says_article;
    if is_thread {
        return Some(PageType::Forum);
    }
    let body = around.iter().find(|id| page.dom.name(**id) == "body")?;
    let class = value(*body, name!("class"));
    let classes = || class.split_ascii_whitespace();
    let is_list = classes().any(|class| class == LIST)
        && classes().any(|class| LISTS.contains(&class))
        && !classes().any(|class| SINGLE.iter().any(|single| class.starts_with(single)))
        && !marked.dated_in_head;
    is_list.then_some(PageType::Multiple)
}
