//! Copies of articles: the gold text of one page put into the template of another publisher's page,
//! as syndicated articles are.
//!
//! Almost no page of today's corpora is a copy of another, while three quarters of the paper's were.
//! The template keeps all its markup, menus and teasers; its content blocks get the article's lines,
//! one each, and what remains of its own text and title is blanked. Must not know: features, labels.

use std::cmp::Reverse;
use std::ops::Range;

use super::documents::aligned;
use crate::extract::dom::{Dom, Id, Limits};
use crate::extract::page::PageBlocks;
use crate::extract::segment::Profile;
use crate::learn::corpus::LabeledPage;
use crate::learn::pages;
use crate::model::Label;

/// An article as far as a template shows it.
pub(super) struct Article<'a> {
    pub(super) title: &'a str,
    pub(super) lines: Vec<&'a str>,
}

impl<'a> Article<'a> {
    /// The article of a page; where the gold has no title, its first line is the title.
    pub(super) fn of(page: &'a LabeledPage) -> Article<'a> {
        let lines: Vec<&str> = page.text().lines().filter(|l| !l.trim().is_empty()).collect();
        let title = page.gold.title.as_deref().unwrap_or("");
        let title = if title.is_empty() { lines.first().copied().unwrap_or("") } else { title };
        let lines = lines.iter().copied().filter(|l| *l != title).collect();
        Article { title, lines }
    }
}

/// How many lines a page has room for.
pub(super) fn room(template: &LabeledPage, blocks: &PageBlocks) -> usize {
    aligned(blocks, &template.gold).iter().filter(|c| **c).count()
}

/// The article in the template's place for content; `None` if it has more lines than there is room.
pub(super) fn put(
    article: &Article<'_>,
    template: &LabeledPage,
    blocks: PageBlocks<'static>,
) -> Option<PageBlocks<'static>> {
    let content = aligned(&blocks, &template.gold);
    if article.lines.is_empty() || content.iter().filter(|c| **c).count() < article.lines.len() {
        return None;
    }
    let labels = pages::labels(template, &blocks).labels;
    let nodes: Vec<Range<Id>> =
        blocks.blocks.list.iter().map(|b| b.first..b.last.saturating_add(1)).collect();
    let profile = blocks.profile;
    let mut dom = blocks.dom;
    let mut lines = article.lines.iter();
    for ((content, label), nodes) in content.into_iter().zip(labels).zip(nodes) {
        if content {
            write(&mut dom, nodes, lines.next().copied().unwrap_or(""));
        } else if label == Label::Title {
            write(&mut dom, nodes, article.title);
        }
    }
    let is_title = |&id: &Id| dom.name(id) == "title";
    if let Some(title) = (0..dom.nodes.len() as Id).find(is_title) {
        let from = dom.first_child(title).unwrap_or(title);
        let name = template.gold.domain.as_deref().unwrap_or("");
        write(&mut dom, from..from + 1, &format!("{} - {name}", article.title));
    }
    Some(PageBlocks::segment(dom, profile, &Limits::default()))
}

/// Replaces the text of the text nodes in a range: the longest outside of links gets it all, or the
/// longest of all where every one is linked; the rest is emptied.
fn write(dom: &mut Dom, nodes: Range<Id>, text: &str) {
    let length = |id: Id| dom.text(id).map(|old| old.trim().chars().count());
    let texts: Vec<(Id, usize)> = nodes.filter_map(|id| Some((id, length(id)?))).collect();
    let rank = |&(id, length): &(Id, usize)| (length > 0 && !linked(dom, id), length, Reverse(id));
    let chosen = texts.iter().max_by_key(|t| rank(t)).map(|t| t.0);
    for (id, _) in texts {
        dom.set_text(id, if Some(id) == chosen { text } else { "" });
    }
}

/// Does a node stand in a link?
fn linked(dom: &Dom, id: Id) -> bool {
    std::iter::successors(Some(id), |id| dom.parent(*id)).any(|id| dom.name(id) == "a")
}

/// A template's blocks, read anew for each copy since a copy takes its tree.
pub(super) fn template(page: &LabeledPage) -> anyhow::Result<PageBlocks<'static>> {
    pages::segment(page, Profile::Gibson2007)
}
