//! Which properties of a page's microdata are its article's (HTML §5.2.3): those of another item, a comment, a picture or
//! an article beside it, date and sign nothing. Must not know what properties say.

use crate::extract::dom::{Dom, Id};
use crate::html::name;

/// What types of items that are no article end in (schema.org).
const OTHER: [&str; 9] = [
    "answer",
    "comment",
    "comments",
    "event",
    "object",
    "organization",
    "person",
    "place",
    "rating",
];
/// Properties that hold the article of a page.
const HOLDERS: [&str; 4] = ["mainentity", "mainentityofpage", "blogpost", "blogposts"];

/// The item that a property of an element belongs to.
fn item(dom: &Dom, id: Id) -> Option<Id> {
    dom.ancestors(id).find(|&id| dom.value(id, name!("itemscope")).is_some())
}

/// May an item be the page's article, or the page?
fn may_be_article(dom: &Dom, item: Id) -> bool {
    let held = dom.value(item, name!("itemprop")).is_none_or(|property| {
        HOLDERS.iter().any(|holder| property.trim().eq_ignore_ascii_case(holder))
    });
    let types = dom.value(item, name!("itemtype")).unwrap_or_default().to_ascii_lowercase();
    held && !types.split_ascii_whitespace().any(|kind| OTHER.iter().any(|end| kind.ends_with(end)))
}

/// The innermost item around one of the headings that may be the page's article.
pub(super) fn home(dom: &Dom, headings: &[Id]) -> Option<Id> {
    let around = |&heading: &Id| item(dom, heading).filter(|&item| may_be_article(dom, item));
    headings.iter().find_map(around)
}

/// Does a property of an element speak of the page's article, which stands in the item `home`? So do those of what is
/// around that, and those that belong to no item.
pub(super) fn is_of_article(dom: &Dom, id: Id, home: Option<Id>) -> bool {
    item(dom, id).is_none_or(|item| {
        let inside = |home| home == item || dom.ancestors(home).any(|around| around == item);
        may_be_article(dom, item) && home.is_none_or(inside)
    })
}
