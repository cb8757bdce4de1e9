//! The lines of a page as readers see them: what stands between breaks and other blocks. Looks at a few nodes on each side
//! of a text. Must not know what a line says.

use crate::extract::dom::Id;
use crate::html::{Kind, name};

use super::page::PageData;
use super::text::normalise;

/// Nodes of a line that are looked at on each side.
const NODES: usize = 60;

/// A line of texts.
pub(super) struct Line {
    /// Its first text.
    pub first: Id,
    /// All of its texts, in page order.
    pub texts: Vec<Id>,
    /// What it says.
    pub text: String,
}

/// The line that a text stands in, if it is no longer than so many bytes.
pub(super) fn line(page: &PageData<'_>, text: Id, most: usize) -> Option<Line> {
    let mut texts = vec![text];
    let mut bytes = page.dom.text(text)?.len();
    for behind in [false, true] {
        let mut at = text;
        let mut steps = 0;
        while let Some(next) = step(page, at, behind) {
            at = next;
            steps += 1;
            if steps > NODES || bytes > 2 * most {
                return None;
            }
            if let Some(text) = page.dom.text(at).filter(|text| !text.trim().is_empty()) {
                bytes += text.len();
                texts.push(at);
            }
        }
        if !behind {
            texts.reverse();
        }
    }
    let mut all = String::new();
    let mut last = None;
    for &id in &texts {
        // Bold and slanted letters may stand within a word.
        let parts = |id: Id| page.dom.parent(id).is_some_and(|around| !page.is_within_word(around));
        if last.is_some_and(|last| parts(last) && parts(id)) {
            all.push(' ');
        }
        all.push_str(page.dom.text(id).unwrap_or_default());
        last = Some(id);
    }
    let text = normalise(&all).into_owned();
    let first = *texts.first()?;
    (!text.is_empty() && text.len() <= most).then_some(Line { first, texts, text })
}

/// The next node of a line before or behind one; none at its end.
fn step(page: &PageData<'_>, id: Id, behind: bool) -> Option<Id> {
    let dom = page.dom;
    let child = |id: Id| {
        let node = dom.node(id).filter(|_| is_open(page, id))?;
        let child = if behind { node.first_child } else { node.last_child };
        dom.node(child).map(|_| child)
    };
    let beside = |id: Id| if behind { dom.next_sibling(id) } else { dom.prev_sibling(id) };
    let next = child(id).or_else(|| {
        let mut at = id;
        loop {
            if let Some(next) = beside(at) {
                return Some(next);
            }
            at = dom.parent(at).filter(|&around| is_open(page, around))?;
        }
    })?;
    let is_element = dom.node(next).is_some_and(|node| node.kind() == Kind::Element);
    (!is_element || is_open(page, next) || is_closed(page, next)).then_some(next)
}

/// May an element hold a part of a line?
fn is_open(page: &PageData<'_>, id: Id) -> bool {
    page.is_in_line(id) || page.is_within_word(id)
}

/// May an element without texts stand in a line?
fn is_closed(page: &PageData<'_>, id: Id) -> bool {
    let tag = page.dom.tag(id);
    matches!(tag, Some(name!("img") | name!("picture") | name!("script") | name!("style")))
        || page.dom.name(id) == "svg"
}
