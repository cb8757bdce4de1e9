//! A leaf and what stands around it that does not stand around the article's text.
//!
//! Must not know: labels.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::extract::dom::{Dom, Id, Kind};
use crate::extract::page::PageBlocks;

/// Elements that are asked for their names, from the leaf outwards.
const LEVELS: usize = 8;

/// One visible leaf.
pub struct Leaf<'p> {
    /// Its number on the page.
    pub at: usize,
    pub text: &'p str,
    pub picture: bool,
    dom: &'p Dom<'p>,
    /// The elements around it, innermost first, without those that hold text of the article.
    around: Vec<Id>,
    /// The elements around it, all of them.
    above: Vec<Id>,
    /// Words of class and id of `around`.
    names: HashSet<String>,
}

impl<'p> Leaf<'p> {
    /// `holding`: the elements that hold text of the article.
    pub fn of(page: &'p PageBlocks<'p>, at: usize, holding: &HashSet<Id>) -> Leaf<'p> {
        let dom = &page.dom;
        let first = page.blocks.list.get(at).map_or(0, |block| block.first);
        let picture = dom.node(first).is_some_and(|node| node.kind() == Kind::Element);
        let own = picture.then_some(first);
        let above: Vec<Id> = own.into_iter().chain(dom.ancestors(first)).collect();
        let around: Vec<Id> =
            above.iter().copied().take_while(|id| !holding.contains(id)).collect();
        let mut names = HashSet::new();
        for &id in around.iter().take(LEVELS) {
            for value in [dom.attr(id, "class"), dom.attr(id, "id")].into_iter().flatten() {
                words(&value, &mut names);
            }
        }
        Leaf { at, text: page.text(at), picture, dom, around, above, names }
    }

    /// An attribute of the innermost element around it that has it.
    pub fn attr(&self, name: &str) -> Option<Cow<'p, str>> {
        self.around.iter().find_map(|&id| self.dom.attr(id, name))
    }

    /// An attribute of the link that it stands in.
    pub fn of_link(&self, name: &str) -> Option<Cow<'p, str>> {
        let link = self.above.iter().find(|&&id| self.dom.name(id) == "a")?;
        self.dom.attr(*link, name)
    }

    /// Does it stand in an element of this name, however far out?
    pub fn within(&self, element: &str) -> bool {
        self.above.iter().any(|&id| self.dom.name(id) == element)
    }

    /// Does it stand in a heading of the text?
    pub fn heading(&self) -> bool {
        ["h2", "h3", "h4", "h5", "h6"].iter().any(|name| self.within(name))
    }

    /// Has an element around it, but not around the article's text, one of these words in its names?
    pub fn is_named(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.names.contains(*word))
    }
}

/// The words of class and id names, in lower case: `relatedLinks` and `related-links` have two.
fn words(names: &str, out: &mut HashSet<String>) {
    let mut word = String::new();
    let mut lower = false;
    // Framework names with hundreds of characters say nothing more at their end.
    for c in names.chars().take(512) {
        if !c.is_alphanumeric() || c.is_uppercase() && lower {
            out.insert(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        lower = c.is_lowercase();
    }
    out.insert(word);
    out.remove("");
}
