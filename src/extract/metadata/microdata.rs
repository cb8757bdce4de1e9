//! Which properties of a page's microdata are its article's (HTML §5.2.3): those of another item, a comment, a picture or
//! an article beside it, date and sign nothing. Must not know what properties say.

use std::collections::HashMap;

use foldhash::fast::RandomState;

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

/// The items of a page, as far as they were asked for. Each element is read once: who writes the page chooses how many
/// properties stand in an element, and how long its attributes are.
pub(super) struct Items<'d> {
    dom: &'d Dom<'d>,
    /// The innermost item around one of the headings that may be the page's article.
    home: Option<Id>,
    /// Of an element, the innermost item that it is or stands in.
    within: HashMap<Id, Option<Id>, RandomState>,
    /// May an item be the page's article, or the page?
    articles: HashMap<Id, bool, RandomState>,
}

impl<'d> Items<'d> {
    pub fn of(dom: &'d Dom<'d>, headings: &[Id]) -> Items<'d> {
        let (within, articles) = Default::default();
        let mut items = Items { dom, home: None, within, articles };
        items.home = headings.iter().find_map(|&heading| {
            let item = items.item(heading)?;
            items.may_be_article(item).then_some(item)
        });
        items
    }

    /// Does a property of an element speak of the page's article? So do those of what is around that, and those that
    /// belong to no item.
    pub fn tell_of_article(&mut self, id: Id) -> bool {
        let Some(item) = self.item(id) else { return true };
        let dom = self.dom;
        let inside = |home| home == item || dom.ancestors(home).any(|around| around == item);
        self.may_be_article(item) && self.home.is_none_or(inside)
    }

    /// The item that a property of an element belongs to.
    fn item(&mut self, id: Id) -> Option<Id> {
        let dom = self.dom;
        let mut passed = Vec::new();
        let mut found = None;
        for around in dom.ancestors(id) {
            if let Some(known) = self.within.get(&around) {
                found = *known;
                break;
            }
            passed.push(around);
            if dom.value(around, name!("itemscope")).is_some() {
                found = Some(around);
                break;
            }
        }
        self.within.extend(passed.into_iter().map(|around| (around, found)));
        found
    }

    fn may_be_article(&mut self, item: Id) -> bool {
        let dom = self.dom;
        *self.articles.entry(item).or_insert_with(|| {
            let held = dom.value(item, name!("itemprop")).is_none_or(|property| {
                HOLDERS.iter().any(|holder| property.trim().eq_ignore_ascii_case(holder))
            });
            let types = dom.value(item, name!("itemtype")).unwrap_or_default().to_ascii_lowercase();
            let is_other = |kind: &str| OTHER.iter().any(|end| kind.ends_with(end));
            held && !types.split_ascii_whitespace().any(is_other)
        })
    }
}
