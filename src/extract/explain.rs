//! Why an article is as it is: each block with its verdict's reasons and its place on the page, for
//! people. Computes the same article as [`super::article`].
//!
//! Must not know: how it is printed.

use super::dom::Id;
use super::label::{Model, Reason};
use super::{Extraction, Hints, Limits, PageBlocks, finish, prepare};

/// An article with what explains it.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub extraction: Extraction,
    /// One per block of the article.
    pub blocks: Vec<Explained>,
}

/// What explains one block.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The most telling first.
    pub reasons: Vec<Reason>,
    /// 1–6 inside a heading, else 0.
    pub heading: u8,
    /// A list item.
    pub item: bool,
    /// The areas of the page it stands in, outermost first.
    pub within: Vec<Area>,
}

/// A part of a page that its author marked as one: navigation, article, aside, form …
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Tells two areas of one page apart.
    pub number: u32,
    pub tag: String,
    /// Class or id, if it has one.
    pub name: String,
}

/// Elements that make an area.
const AREAS: [&str; 13] = [
    "header",
    "nav",
    "main",
    "article",
    "aside",
    "footer",
    "section",
    "figure",
    "form",
    "table",
    "blockquote",
    "dialog",
    "details",
];
/// Longest name of an area, in characters.
const NAME: usize = 40;

/// Extracts with reasons.
pub fn explain(html: &str, hints: &Hints, model: &Model, limits: &Limits) -> Explanation {
    let (page, found) = prepare(html, hints, model.profile(), limits);
    let reasons = model.explainer().reasons(&page);
    let blocks = page
        .blocks
        .list
        .iter()
        .zip(reasons)
        .map(|(block, reasons)| Explained {
            reasons,
            heading: block.heading,
            item: std::iter::once(block.container)
                .chain(page.dom.ancestors(block.container).take(2))
                .any(|id| page.dom.name(id) == "li"),
            within: areas(&page, block.container),
        })
        .collect();
    Explanation { extraction: finish(&page, found, hints, model), blocks }
}

fn areas(page: &PageBlocks, container: Id) -> Vec<Area> {
    let all = std::iter::once(container).chain(page.dom.ancestors(container));
    let mut areas: Vec<Area> = all
        .filter(|&id| AREAS.contains(&page.dom.name(id)))
        .map(|id| {
            let name = page.dom.attr(id, "class").or_else(|| page.dom.attr(id, "id"));
            Area {
                number: id,
                tag: page.dom.name(id).to_owned(),
                name: name.unwrap_or_default().trim().chars().take(NAME).collect(),
            }
        })
        .collect();
    areas.reverse();
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_article_is_the_same_and_every_block_is_explained() {
        let html = "<title>Bridge closed</title><nav class=menu><ul><li><a href=/>Home</a></ul></nav>\
                    <main><h1>Bridge closed</h1><p>The council of the town closed the old bridge on \
                    Monday, and nobody knows for how long it will be.</p></main>";
        for model in [Model::embedded(), Model::by_hand()] {
            let (hints, limits) = (Hints::default(), Limits::default());
            let explained = explain(html, &hints, &model, &limits);
            let article = crate::extract::article(html, &hints, &model, &limits).article;
            assert_eq!(explained.extraction.article, article);
            assert_eq!(explained.blocks.len(), article.blocks.len());
            assert!(explained.blocks.iter().all(|b| !b.reasons.is_empty()));
            let tags = |i: usize| -> Vec<&str> {
                explained.blocks[i].within.iter().map(|a| a.tag.as_str()).collect()
            };
            assert_eq!((tags(0), tags(1)), (vec!["nav"], vec!["main"]));
            assert_eq!(explained.blocks[0].within[0].name, "menu");
            assert_eq!((explained.blocks[0].item, explained.blocks[1].heading), (true, 1));
        }
    }
}
