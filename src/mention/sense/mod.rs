//! Which mentions of a name are meant: a small model of context that answers teach (`traits`, `learn`),
//! and the mentions that are most worth asking about (`choose`). Pure.
//!
//! Must not know: who asks and who answers, the store.

pub mod choose;
mod learn;
mod traits;

use std::collections::{BTreeMap, HashMap};

pub use learn::{FEWEST, MOST, learn};
use traits::{Surroundings, mark, traits};

use crate::model::{Article, Mention, Sense, SenseModel, Traits, Zone};

/// What answers have taught about one brand, ready to be asked.
#[derive(Clone, Debug)]
pub struct Judge {
    answered: HashMap<u64, bool>,
    model: Option<SenseModel>,
}

impl Judge {
    pub fn new(sense: &Sense) -> Judge {
        Judge {
            answered: sense.answers.iter().map(|answer| (answer.mark, answer.meant)).collect(),
            model: sense.model.clone(),
        }
    }

    /// Is the brand meant? What was answered holds; the model says the rest.
    pub fn meant(&self, mark: u64, traits: impl FnOnce() -> Traits) -> bool {
        match (self.answered.get(&mark), &self.model) {
            (Some(meant), _) => *meant,
            (None, Some(model)) => score(model, &traits()) > 0,
            (None, None) => true,
        }
    }
}

/// Above 0: the brand is meant.
pub fn score(model: &SenseModel, traits: &Traits) -> i64 {
    let mut sum = model.bias;
    let mut weights = model.weights.iter().peekable();
    for (number, value) in traits {
        while weights.next_if(|(other, _)| other < number).is_some() {}
        if let Some((_, weight)) = weights.next_if(|(other, _)| other == number) {
            sum = sum.saturating_add(i64::from(*weight).saturating_mul(i64::from(*value)));
        }
    }
    sum
}

/// The score as a probability.
pub fn probability(score: i64) -> f64 {
    1.0 / (1.0 + (-(score as f64) / ONE / ONE).exp())
}

/// A weight or value of one.
const ONE: f64 = 1024.0;

/// Mentions of one brand in an article that are looked at: more are not kept.
const LOOKED_AT: usize = 1_000;

/// The judges of all brands that somebody has answered about.
pub fn judges(senses: &BTreeMap<String, Sense>) -> HashMap<String, Judge> {
    let some = senses.iter().filter(|(_, sense)| !sense.answers.is_empty());
    some.map(|(brand, sense)| (brand.clone(), Judge::new(sense))).collect()
}

/// Takes mentions out of the count that the judges find not meant.
pub(super) fn decide(
    judges: &HashMap<String, Judge>,
    article: &Article,
    outlet: &str,
    found: &mut [Mention],
) {
    for (brand, judge) in judges {
        let known = found.iter().any(|mention| mention.brand == *brand && mention.zone.counted());
        if !known {
            continue;
        }
        for (at, sighted) in sight(brand, article, outlet, found) {
            if let Some(mention) = found.get_mut(at)
                && !judge.meant(sighted.mark, || sighted.traits())
            {
                mention.zone = Zone::OtherSense;
            }
        }
    }
}

/// A mention with its context.
pub struct Sighted<'a> {
    around: std::rc::Rc<Surroundings>,
    text: &'a str,
    place: (usize, usize),
    in_title: bool,
    pub mark: u64,
}

impl Sighted<'_> {
    /// Its features.
    pub fn traits(&self) -> Traits {
        traits(&self.around, self.text, self.place, self.in_title)
    }
}

/// The mentions of one brand among `found` that count, or that would if they were meant; with their
/// places in the list.
pub fn sight<'a>(
    brand: &str,
    article: &'a Article,
    outlet: &str,
    found: &[Mention],
) -> Vec<(usize, Sighted<'a>)> {
    let asked = |mention: &Mention| mention.zone.counted() || mention.zone == Zone::OtherSense;
    let own = found.iter().enumerate().filter(|(_, m)| m.brand == brand && asked(m));
    let places: Vec<(usize, &str, usize, usize, bool)> = own
        .filter_map(|(at, mention)| {
            let text = text_of(article, mention.block)?;
            let (start, end) = (mention.start as usize, mention.end as usize);
            text.get(start..end)?;
            let title = mention.block.and_then(|block| article.blocks.get(block as usize));
            let in_title = title.is_none_or(|block| block.label == crate::model::Label::Title);
            Some((at, text, start, end, in_title))
        })
        .take(LOOKED_AT)
        .collect();
    let named: Vec<(&str, usize, usize)> = places.iter().map(|p| (p.1, p.2, p.3)).collect();
    let around = std::rc::Rc::new(Surroundings::of(article, outlet, &named));
    let sighted = places.into_iter().map(|(at, text, start, end, in_title)| {
        let around = around.clone();
        let mark = mark(text, start);
        (at, Sighted { around, text, place: (start, end), in_title, mark })
    });
    sighted.collect()
}

/// The text that a mention's offsets are of: a block's, or the metadata title.
pub fn text_of(article: &Article, block: Option<u32>) -> Option<&str> {
    match block {
        Some(block) => Some(article.blocks.get(block as usize)?.text.as_str()),
        None => Some(article.title.as_ref()?.value.as_str()),
    }
}

#[cfg(test)]
mod tests;
