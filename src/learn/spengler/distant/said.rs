//! What a page says of its article to machines, ready to be looked for in its leaves.
//!
//! Must not know: labels of leaves that are not the article's.

use std::collections::HashSet;
use std::ops::Range;

use jiff::civil::Date;

use super::leaf::Leaf;
use crate::extract::dom::Id;
use crate::extract::metadata::{Metadata, dates};
use crate::extract::page::PageBlocks;
use crate::extract::text::squeeze;
use crate::learn::corpus::LabeledPage;
use crate::learn::spengler::marks;
use crate::model::Label;

/// A leaf that prints a day or a name has at most so many words.
const LINE: usize = 14;
/// A description is recognised by so many of its first letters and digits.
const BEGINNING: usize = 40;

/// What is known of the article, texts as their letters and digits in lower case.
pub struct Said {
    /// The first and the last leaf of the article's text.
    pub first: usize,
    pub last: usize,
    /// The leaves around the article: what stands further away is not about it.
    pub near: Range<usize>,
    /// The elements that hold text of the article.
    pub holding: HashSet<Id>,
    /// Headlines, if the gold has marked none.
    pub titles: Vec<String>,
    pub authors: Vec<String>,
    pub section: Option<String>,
    pub site: Option<String>,
    pub keywords: HashSet<String>,
    pub description: Option<String>,
    days: Vec<Date>,
    language: String,
}

impl Said {
    pub fn of(
        page: &LabeledPage,
        blocks: &PageBlocks,
        metadata: &Metadata,
        gold: &[Label],
    ) -> Said {
        let content = |label: &Label| label.is_content();
        let first = gold.iter().position(content).unwrap_or(0);
        let last = gold.iter().rposition(content).unwrap_or(0);
        let mut holding = HashSet::new();
        for ((block, _), _) in blocks.iter().zip(gold).filter(|(_, label)| content(label)) {
            holding.extend(blocks.dom.ancestors(block.first));
        }
        let has_title = gold.contains(&Label::Title);
        let titles = [metadata.title.as_ref().map(|t| &t.value), metadata.headline.as_ref()];
        let titles = titles.into_iter().flatten().filter(|_| !has_title).map(|t| squeeze(t));
        let days = [&metadata.published, &metadata.modified].into_iter().flatten();
        Said {
            first,
            last,
            near: marks::neighbourhood(gold),
            holding,
            titles: titles.filter(|t| !t.is_empty()).collect(),
            authors: some(metadata.authors.iter().map(|a| squeeze(&a.value))),
            section: metadata.section.as_ref().map(|s| squeeze(&s.value)),
            site: metadata.site_name.as_ref().map(|s| squeeze(&s.value)),
            keywords: some(keywords(blocks).iter().map(|k| squeeze(k))),
            description: blocks.evidence.summary.as_deref().map(squeeze),
            days: days.map(|stamp| stamp.local.date()).collect(),
            language: page.language().to_owned(),
        }
    }

    /// Does a leaf print one of the days that the metadata gives (or the day beside it: it may be that
    /// of another zone)?
    pub fn is_day(&self, leaf: &Leaf<'_>) -> bool {
        let Some(day) = self.day(leaf) else { return false };
        let apart = |said: &Date| said.since(day).map_or(i32::MAX, |span| span.get_days().abs());
        self.days.iter().any(|said| apart(said) <= 1)
    }

    /// The day that a short leaf prints.
    pub fn day(&self, leaf: &Leaf<'_>) -> Option<Date> {
        if leaf.text.split_whitespace().count() > LINE {
            return None;
        }
        dates::parse(leaf.text, Some(&self.language)).map(|stamp| stamp.local.date())
    }

    /// Does a short leaf name an author?
    pub fn is_author(&self, leaf: &Leaf<'_>) -> bool {
        let text = squeeze(leaf.text);
        leaf.text.split_whitespace().count() <= LINE
            && self.authors.iter().any(|name| text.contains(name.as_str()))
    }

    /// Is a leaf the beginning of the description, or all of it?
    pub fn is_description(&self, text: &str) -> bool {
        let beginning: String = text.chars().take(BEGINNING).collect();
        let long = beginning.chars().count() == BEGINNING;
        long && self.description.as_ref().is_some_and(|said| said.starts_with(&beginning))
    }
}

fn some<C: FromIterator<String>>(texts: impl Iterator<Item = String>) -> C {
    texts.filter(|text| text.chars().count() > 1).collect()
}

/// What the page gives as its keywords.
fn keywords(page: &PageBlocks) -> Vec<String> {
    let dom = &page.dom;
    let mut out = Vec::new();
    for id in (0..dom.nodes.len() as Id).filter(|&id| dom.name(id) == "meta") {
        let key = dom.attr(id, "name").or_else(|| dom.attr(id, "property")).unwrap_or_default();
        let key = key.to_lowercase();
        if matches!(key.as_str(), "keywords" | "news_keywords" | "article:tag" | "parsely-tags") {
            let content = dom.attr(id, "content").unwrap_or_default();
            out.extend(content.split([',', ';']).map(|k| k.trim().to_owned()));
        }
    }
    out
}
