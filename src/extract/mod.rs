//! Page text → article. Pure: no network, disk, clock; it does not fail, it returns what it found.

pub mod dom;
pub mod segment;
pub mod text;
pub mod metadata;
pub mod agency;
pub mod page;
pub mod feature;
pub mod label;
pub mod memory;
pub mod assign;
pub mod explain;
pub mod fallback;
pub mod page_type;
pub mod trial;
mod shown;
pub mod unseen;

pub use dom::{Dom, Limits};
pub use explain::{Explanation, explain};
pub use label::{Model, ModelError};
pub use memory::{Memory, Printed};
pub use metadata::Metadata;
pub use page::{Evidence, PageBlocks};
pub use segment::Profile;

use crate::html::name;
use crate::model::{Article, Block, Found, Label, Source, Stamp, TITLE_UNSEEN};
use page_type::{ByRules, Marked, shape::Seen};
use segment::Gap;
use std::borrow::Cow;

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
    /// What the page's outlet prints on many of its pages.
    pub memory: Option<&'a Memory>,
}

/// What [`article`] made of a page.
#[derive(Clone, Debug)]
pub struct Extraction {
    pub article: Article,
    /// The news agencies that it credits.
    pub agencies: Vec<Found<String>>,
    /// Where the page leads its readers on before they have read it; absolute.
    pub refresh: Option<String>,
    /// The first counted-work limit that was reached: the article is incomplete.
    pub limit: Option<String>,
}

/// Page text → article: parse, segment, label, name the blocks, join the text.
pub fn article(html: &str, hints: &Hints, model: &Model, limits: &Limits) -> Extraction {
    let (page, found) = prepare(html, hints, model.profile(), limits);
    finish(&page, found, hints, model)
}

/// A page with the labels of its blocks.
struct Labelled {
    verdict: label::Verdict,
    labels: Vec<Label>,
    /// Which blocks the outlet prints on many pages, if that is known.
    taken: Option<Vec<usize>>,
    fallback: bool,
}

fn labelled(page: &PageBlocks, found: &Metadata, hints: &Hints, model: &Model) -> Labelled {
    let mut verdict = model.labeler().judge(page);
    let taken = hints.memory.map(|memory| memory.apply(page, &mut verdict.blocks));
    let authors: Vec<&str> = found.authors.iter().map(|a| a.value.as_str()).collect();
    let mut labels = named(page, &verdict, &authors);
    // Also when all that the labeler chose turned out to be bylines, captions or comments.
    let fallback = !labels.iter().any(|l| l.is_content());
    if fallback {
        fallback::apply(page, &mut verdict.blocks);
        // What the fallback takes is not what the labeler called it.
        verdict.named.retain(|(index, _)| !verdict.blocks.get(*index).is_some_and(|s| s.content));
        labels = named(page, &verdict, &authors);
    }
    Labelled { verdict, labels, taken, fallback }
}

/// What a page's kind is told by.
fn seen<'a>(
    page: &'a PageBlocks<'a>,
    labels: &'a [Label],
    found: &'a Metadata,
    hints: &'a Hints,
) -> Seen<'a> {
    let source = found.published.as_ref().map(|stamp| stamp.source);
    let dated_in_head = matches!(source, Some(Source::JsonLd | Source::OpenGraph | Source::Meta));
    let marked = Marked {
        dated: dated_in_head
            || source == Some(Source::Microdata)
            || source == Some(Source::Html) && page_type::is_dated_beside_title(page, labels),
        dated_in_head,
        article: found.is_article,
        forum: found.is_thread,
        list: found.is_list,
        items: found.has_items,
        shared_article: found.is_shared_article,
    };
    let address = hints.url.or(found.canonical.as_ref().map(|url| url.value.as_str()));
    Seen { page, labels, marked, address }
}

/// The page seen from afar, as training of [`page_type::PageTypes`] needs it: its row, and what the rules
/// say of it ([`page_type::by_rules`]).
pub fn shape(html: &str, hints: &Hints, model: &Model, limits: &Limits) -> (Vec<f32>, ByRules) {
    let (page, found) = prepare(html, hints, model.profile(), limits);
    let Labelled { labels, .. } = labelled(&page, &found, hints, model);
    let seen = seen(&page, &labels, &found, hints);
    (page_type::shape::row(seen), page_type::by_rules(seen))
}

/// All that comes after [`prepare`].
fn finish(page: &PageBlocks, found: Metadata, hints: &Hints, model: &Model) -> Extraction {
    let Labelled { verdict, mut labels, taken, fallback } = labelled(page, &found, hints, model);
    let page_type = match verdict.page_type {
        Some(told) => told,
        None => page_type::page_type(seen(page, &labels, &found, hints)),
    };
    let mut signals = found.signals;
    let mut content = labels.iter().zip(page.iter()).filter(|(label, _)| label.is_content());
    if page.keeps_hidden() || content.any(|(_, (block, _))| page.unseen(block).is_some()) {
        signals.push("hidden".to_owned());
    }
    let shown = |title: &str| shown::is_shown(page, &labels, title, found.tab.as_deref());
    if found.title.as_ref().is_some_and(|title| !shown(&title.value)) {
        signals.push(TITLE_UNSEEN.to_owned());
    }
    let text = join(page, &labels);
    if page_type.outcome().is_none() && page_type::is_partial(page, &labels, found.is_paid) {
        signals.push("partial".to_owned());
    }
    Memory::name(&taken.unwrap_or_default(), &mut labels);
    let blocks: Vec<Block> = labels
        .iter()
        .zip(&verdict.blocks)
        .enumerate()
        .map(|(index, (&label, scored))| Block {
            text: page.text(index).to_owned(),
            label,
            probability: scored.probability,
        })
        .collect();
    let outlet = found.site_name.as_ref().map(|name| name.value.as_str());
    let mut authors = found.authors;
    if authors.is_empty() {
        let bylines = blocks.iter().filter(|block| block.label == Label::Author);
        let mut named = bylines.map(|block| metadata::of_byline(&block.text, outlet));
        authors = named.find(|named| !named.is_empty()).unwrap_or_default();
    }
    let in_sight: Vec<&Block> = blocks
        .iter()
        .zip(page.iter())
        .filter(|(block, (raw, _))| block.label.is_content() || page.unseen(raw).is_none())
        // Readers credit nobody.
        .filter(|(block, _)| block.label != Label::Comment)
        .map(|(block, _)| block)
        .collect();
    let agencies = agency::credited(&found.credits, &in_sight, hints.url, outlet);
    let language = match found.language {
        Some(declared) if confirmed(page, &labels, &declared.value) => Some(declared),
        declared => metadata::weigh(declared, &text),
    };
    let published = metadata::in_order_of(language.as_ref(), found.published, found.exchanged);
    // What a feed says of its article goes before a date that may be another one's.
    let of_feed = hints.feed_published.filter(|_| found.dated_far);
    let article = Article {
        title: found.title,
        authors,
        published: of_feed.cloned().or(published).or_else(|| hints.feed_published.cloned()),
        modified: found.modified,
        language,
        canonical: found.canonical,
        site_name: found.site_name,
        section: found.section,
        image: found.image,
        signals,
        page_type,
        blocks,
        text,
        fallback,
        model: model.id().to_owned(),
    };
    Extraction { article, agencies, refresh: found.refresh, limit: page.limit() }
}

/// The label of each block: by rules, but where the labeler knows it.
fn named(page: &PageBlocks, verdict: &label::Verdict, authors: &[&str]) -> Vec<Label> {
    let title = page.evidence.title.as_deref();
    let mut labels = assign::labels(page, &verdict.blocks, title, authors);
    for &(index, label) in &verdict.named {
        if let Some(named) = labels.get_mut(index) {
            *named = label;
        }
    }
    labels
}

/// Do the stop words of the article, counted long ago, speak for the declared language? Then nothing
/// is left to detect.
fn confirmed(page: &PageBlocks, labels: &[Label], declared: &str) -> bool {
    let (mut words, mut own, mut all) = (0, 0, 0);
    for ((_, stats), _) in page.iter().zip(labels).filter(|(_, label)| label.is_content()) {
        words += stats.words;
        all += stats.stop;
        if stats.language() == Some(declared) {
            own += stats.stop;
        }
    }
    own > 0 && own * 4 >= words && own * 10 >= all * 9
}

/// All that comes before labeling: tree, blocks, metadata, evidence. Training calls this too, so
/// that a labeler learns on what it will see.
pub fn prepare<'p>(
    html: &'p str,
    hints: &Hints,
    profile: Profile,
    limits: &Limits,
) -> (PageBlocks<'p>, Metadata) {
    let mut page = PageBlocks::read(html, profile, limits);
    let mut found = metadata::read(&page.dom, page.hidden(), hints);
    page.evidence = Evidence {
        title: found.title.as_ref().map(|t| t.value.clone()),
        summary: hints.feed_summary.map(str::to_owned).or_else(|| description(&page.dom)),
        body: found.article_body.take(),
    };
    (page, found)
}

/// What the page gives as its description to search engines and share cards.
fn description(dom: &Dom) -> Option<String> {
    let key = |id| dom.value(id, name!("property")).or_else(|| dom.value(id, name!("name")));
    (0..dom.nodes.len() as dom::Id)
        .filter(|&id| dom.tag(id).is_some_and(|t| t == name!("meta")))
        .filter(|&id| matches!(key(id).as_deref(), Some("og:description" | "description")))
        .filter_map(|id| dom.value(id, name!("content")))
        .find(|text| !text.trim().is_empty())
        .map(Cow::into_owned)
}

/// Lead and body blocks in page order, one paragraph a line.
fn join(page: &PageBlocks, labels: &[Label]) -> String {
    let mut out = String::new();
    // Leaves of one line are one line, as long as all between them is content too.
    let mut whole = false;
    for ((index, label), (block, _)) in labels.iter().enumerate().zip(page.iter()) {
        let text = page.text(index);
        if !label.is_content() {
            whole &= text.is_empty();
            continue;
        }
        if text.is_empty() {
            continue;
        }
        match block.before {
            _ if out.is_empty() => {}
            Gap::None if whole => {}
            Gap::Space if whole => out.push(' '),
            _ => out.push('\n'),
        }
        out.push_str(text);
        whole = true;
    }
    out
}

#[cfg(test)]
mod tests;
