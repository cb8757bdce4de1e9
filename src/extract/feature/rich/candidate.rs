//! The container that readers' modes would take for the article: paragraphs score for their length
//! and commas, give it to the elements around them, and names of classes and links weigh in (Arc90's
//! Readability, 2009, and its descendants). It finds articles of a line or two, where no container
//! holds much running text.

use std::borrow::Cow;

use crate::html::name;

use super::mass::{Mass, Masses};
use super::{CANDIDATE, PageBlocks, share};
use crate::extract::dom::{Dom, Id};
use crate::extract::segment::{At, Groups, NOWHERE, groups};

/// Shorter paragraphs do not score, characters.
const LEAST: u32 = 25;

/// Names that speak against a container.
const AGAINST: u32 = Groups::COMMENT.0
    | Groups::DISCUSSION.0
    | Groups::NAVIGATION.0
    | Groups::RELATED.0
    | Groups::SHARE.0
    | Groups::PROMOTION.0
    | Groups::FOOTER.0
    | Groups::SIDE.0
    | Groups::NOTICE.0
    | Groups::TAGS.0
    | Groups::FORM.0
    | Groups::HIDDEN.0;

/// Scores of all containers, and the best of them.
pub(super) struct Candidates {
    /// Of each place of the page's outline.
    paths: Vec<Path>,
    top: At,
    best: f32,
    lead: f32,
}

/// What an element and those around it say.
#[derive(Clone, Copy, Default)]
struct Path {
    highest: f32,
    /// Beside the best one, and nearly as good.
    beside: bool,
    /// Steps up to the best one.
    steps: Option<u32>,
}

impl Candidates {
    pub(super) fn new(page: &PageBlocks, masses: &Masses) -> Candidates {
        let outline = &page.outline;
        let mut scores: Vec<Option<f32>> = vec![None; outline.places.len()];
        for (index, (block, stats)) in page.iter().enumerate() {
            if stats.chars < LEAST || block.heading > 0 {
                continue;
            }
            let gain = 1.0 + stats.commas as f32 + (stats.chars as f32 / 100.0).min(3.0);
            let at = outline.of(index);
            let own = match page.dom.element(block.container).map(|element| element.tag) {
                Some(name!("p") | name!("pre") | name!("td") | name!("li")) => outline.around(at),
                _ => at,
            };
            for (at, weight) in [(own, 1.0), (outline.around(own), 0.5)] {
                if let Some(score) = scores.get_mut(at as usize) {
                    *score.get_or_insert_with(|| prior(&page.dom, outline.node(at))) +=
                        gain * weight;
                }
            }
        }
        for (at, score) in (0..).zip(&mut scores) {
            if let Some(score) = score {
                let Mass { words, link_words, .. } = masses.of(at);
                *score *= 1.0 - share(link_words, words);
            }
        }
        let scored = || (0..).zip(&scores).filter_map(|(at, score)| Some((at, (*score)?)));
        let node = |at: &At| outline.node(*at);
        let top = scored().max_by(|a, b| a.1.total_cmp(&b.1).then(node(&b.0).cmp(&node(&a.0))));
        let (top, best) = top.unwrap_or((NOWHERE, 0.0));
        let within = masses.of(top);
        let apart = |at: At| {
            let mass = masses.of(at);
            mass.last < within.first || mass.first > within.last
        };
        let second = scored().filter(|(at, _)| apart(*at)).map(|(_, s)| s).fold(0.0, f32::max);
        let outer = outline.around(top);
        let lead = if best > 0.0 { (second / best).min(1.0) } else { 1.0 };
        let mut paths: Vec<Path> = Vec::with_capacity(scores.len());
        for ((at, place), score) in (0..).zip(&outline.places).zip(&scores) {
            let around = paths.get(place.around as usize).copied().unwrap_or_default();
            let score = score.unwrap_or(0.0);
            let next_to_top = place.around == outer && outer != NOWHERE;
            paths.push(Path {
                highest: around.highest.max(score),
                beside: match next_to_top {
                    true => score >= f32::max(10.0, 0.2 * best),
                    false => around.beside,
                },
                steps: match at == top {
                    true => Some(0),
                    false => around.steps.map(|steps| steps + 1),
                },
            });
        }
        Candidates { paths, top, best, lead }
    }

    pub(super) fn features(
        &self,
        data: &mut Vec<f32>,
        page: &PageBlocks,
        index: usize,
        masses: &Masses,
    ) {
        let top = masses.of(self.top);
        let path = self.paths.get(page.outline.of(index) as usize).copied().unwrap_or_default();
        let from = |at: u32| (index as f32 - at as f32).clamp(-100.0, 100.0);
        let known = self.top != NOWHERE;
        let of_best = if self.best > 0.0 { (path.highest / self.best).min(1.0) } else { 0.0 };
        let row: [f32; CANDIDATE.len()] = [
            f32::from(path.steps.is_some()),
            f32::from(path.beside),
            of_best,
            self.lead,
            self.best.clamp(-50.0, 500.0),
            path.steps.map_or(-1.0, |steps| steps.min(50) as f32),
            if known { from(top.first) } else { -101.0 },
            if known { from(top.last) } else { -101.0 },
            share(top.words, masses.words()),
        ];
        data.extend_from_slice(&row);
    }
}

/// What an element is worth before its text is looked at.
fn prior(dom: &Dom, id: Id) -> f32 {
    let by_tag = match dom.name(id) {
        "div" | "article" => 5.0,
        "pre" | "td" | "blockquote" => 3.0,
        "address" | "ol" | "ul" | "dl" | "dd" | "dt" | "li" | "form" => -3.0,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "th" => -5.0,
        _ => 0.0,
    };
    let by_name = |value: Option<Cow<'_, str>>| {
        let found = value.map(|value| groups(&value)).unwrap_or_default();
        let good = f32::from(found.has(Groups::ARTICLE)) * 25.0;
        good - f32::from(found.0 & AGAINST != 0) * 25.0
    };
    by_tag + by_name(dom.value(id, name!("class"))) + by_name(dom.value(id, name!("id")))
}
