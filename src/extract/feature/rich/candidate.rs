//! The container that readers' modes would take for the article: paragraphs score for their length
//! and commas, give it to the elements around them, and names of classes and links weigh in (Arc90's
//! Readability, 2009, and its descendants). It finds articles of a line or two, where no container
//! holds much running text.

use std::borrow::Cow;

use crate::html::name;

use super::mass::{Mass, Masses, upwards};
use super::{CANDIDATE, PageBlocks, RawBlock, share};
use crate::extract::dom::{Dom, Id, NONE};
use crate::extract::segment::{Groups, groups};

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
    scores: Vec<f32>,
    top: Id,
    outer: Id,
    best: f32,
    lead: f32,
}

impl Candidates {
    pub(super) fn new(page: &PageBlocks, masses: &Masses) -> Candidates {
        let mut scores = vec![0.0f32; page.dom.nodes.len()];
        let mut known = vec![false; scores.len()];
        for (block, stats) in page.iter().filter(|(b, s)| s.chars >= LEAST && b.heading == 0) {
            let gain = 1.0 + stats.commas as f32 + (stats.chars as f32 / 100.0).min(3.0);
            let own = match page.dom.name(block.container) {
                "p" | "pre" | "td" | "li" => page.dom.parent(block.container),
                _ => Some(block.container),
            };
            let outer = own.and_then(|id| page.dom.parent(id));
            for (id, weight) in [(own, 1.0), (outer, 0.5)] {
                let Some(id) = id else { continue };
                let at = id as usize;
                if let (Some(score), Some(known)) = (scores.get_mut(at), known.get_mut(at)) {
                    if !std::mem::replace(known, true) {
                        *score = prior(&page.dom, id);
                    }
                    *score += gain * weight;
                }
            }
        }
        for (id, score) in (0..).zip(&mut scores) {
            if known[id as usize] {
                let Mass { words, link_words, .. } = masses.of(id);
                *score *= 1.0 - share(link_words, words);
            }
        }
        let scored = || (0..).zip(&scores).filter(|(id, _)| known[*id as usize]);
        let top = scored().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        let (top, best) = top.map_or((NONE, 0.0), |(id, s)| (id, *s));
        let within = masses.of(top);
        let apart = |id: Id| {
            let mass = masses.of(id);
            mass.last < within.first || mass.first > within.last
        };
        let second = scored().filter(|(id, _)| apart(*id)).map(|(_, s)| *s).fold(0.0, f32::max);
        let outer = page.dom.parent(top).unwrap_or(NONE);
        let lead = if best > 0.0 { (second / best).min(1.0) } else { 1.0 };
        Candidates { scores, top, outer, best, lead }
    }

    pub(super) fn features(
        &self,
        data: &mut Vec<f32>,
        page: &PageBlocks,
        index: usize,
        block: &RawBlock,
        masses: &Masses,
    ) {
        let top = masses.of(self.top);
        let mut steps = -1.0;
        let mut highest = 0.0f32;
        let mut beside = false;
        let mut below = NONE;
        for (n, id) in upwards(&page.dom, block.container).enumerate() {
            if id == self.top && steps < 0.0 {
                steps = n.min(50) as f32;
            }
            let score = self.scores.get(id as usize).copied().unwrap_or(0.0);
            highest = highest.max(score);
            if id == self.outer && below != NONE {
                let score = self.scores.get(below as usize).copied().unwrap_or(0.0);
                beside = score >= f32::max(10.0, 0.2 * self.best);
            }
            below = id;
        }
        let from = |at: u32| (index as f32 - at as f32).clamp(-100.0, 100.0);
        let known = self.top != NONE;
        let of_best = if self.best > 0.0 { (highest / self.best).min(1.0) } else { 0.0 };
        let row: [f32; CANDIDATE.len()] = [
            f32::from(steps >= 0.0),
            f32::from(beside),
            of_best,
            self.lead,
            self.best.clamp(-50.0, 500.0),
            steps,
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
