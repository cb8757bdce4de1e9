//! Page text → article. Pure: no network, disk, clock; it does not fail, it returns what it found.

pub mod dom;
pub mod segment;
pub mod text;
pub mod page;
pub mod feature;
pub mod label;
pub mod assign;
pub mod fallback;
pub mod page_type;
pub mod metadata;

pub use dom::{Dom, Limits};
pub use label::{Model, ModelError};
pub use page::PageBlocks;
pub use segment::Profile;

use crate::model::{Article, Block, Found, Label, Source, Stamp};

/// What is known about a page before it is read: evidence, never truth.
#[derive(Clone, Debug, Default)]
pub struct Hints<'a> {
    /// The URL the page was served under.
    pub url: Option<&'a str>,
    pub feed_title: Option<&'a str>,
    /// Plain text.
    pub feed_summary: Option<&'a str>,
    pub feed_published: Option<&'a Stamp>,
    pub feed_language: Option<&'a str>,
}

/// What [`article`] made of a page.
#[derive(Clone, Debug)]
pub struct Extraction {
    pub article: Article,
    /// The first counted-work limit that was reached: the article is incomplete.
    pub limit: Option<String>,
}

/// Page text → article: parse, segment, label, name the blocks, join the text.
pub fn article(html: &str, hints: &Hints, model: &Model, limits: &Limits) -> Extraction {
    let mut page = PageBlocks::read(html, model.profile(), limits).with_hints(hints);
    let title = headline(&page.dom);
    page.evidence.title = page.evidence.title.take().or_else(|| title.clone());
    let mut scored = model.labeler().label(&page);
    let fallback = !scored.iter().any(|s| s.content);
    if fallback {
        fallback::apply(&page, &mut scored);
    }
    let labels = assign::labels(&page, &scored, title.as_deref(), &[]);
    let text = join(&page, &labels);
    let language =
        text::language(&text).map(|l| Found { value: l.to_owned(), source: Source::Detected });
    let page_type = page_type::page_type(&page, &labels);
    let blocks = labels
        .iter()
        .zip(&scored)
        .enumerate()
        .map(|(index, (&label, scored))| Block {
            text: page.text(index).to_owned(),
            label,
            probability: scored.probability,
        })
        .collect();
    let article = Article {
        title: title.map(|value| Found { value, source: Source::Html }),
        authors: Vec::new(),
        published: None,
        modified: None,
        language,
        canonical: None,
        site_name: None,
        section: None,
        image: None,
        signals: Vec::new(),
        page_type,
        blocks,
        text,
        fallback,
        model: model.id().to_owned(),
    };
    Extraction { article, limit: page.limit() }
}

/// Lead and body blocks in page order, one paragraph a line.
fn join(page: &PageBlocks, labels: &[Label]) -> String {
    let mut out = String::new();
    for (index, _) in labels.iter().enumerate().filter(|(_, l)| l.is_content()) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(page.text(index));
    }
    out
}

/// The first `<h1>` with text, else `<title>`.
fn headline(dom: &Dom) -> Option<String> {
    ["h1", "title"].iter().find_map(|name| {
        let node = dom.descend(dom.root()).find(|&n| dom.name(n) == *name)?;
        let text = dom.text_of(node).split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(text)
    })
}

#[cfg(test)]
mod tests;
