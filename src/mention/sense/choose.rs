//! The mentions that are most worth asking about: those of which the model is least sure, unlike each
//! other, of many outlets and never two of one story (Settles 2009, §3.1, §5.1).
//!
//! Must not know: how answers become a model.

use std::collections::{BTreeMap, HashSet};

use super::learn::fit_all;
use super::{ONE, score};
use crate::model::{Answer, Traits, UrlKey};

/// So much less is another mention of an outlet worth, for each that was asked about.
const SAME_OUTLET: f64 = 0.8;

/// A mention that could be asked about.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub outlet: String,
    /// Its story, or its article.
    pub story: UrlKey,
    pub traits: Traits,
}

/// Numbers of at most `most` candidates, the most telling first.
pub fn choose(
    answers: &[Answer],
    asked: &HashSet<UrlKey>,
    pool: &[Candidate],
    most: usize,
) -> Vec<usize> {
    let traits: Vec<Traits> = pool.iter().map(|candidate| candidate.traits.clone()).collect();
    let taught: Vec<&Answer> = answers.iter().collect();
    let kinds = [true, false].map(|meant| answers.iter().any(|answer| answer.meant == meant));
    let model = fit_all(if kinds == [true, true] { &taught } else { &[] }, &traits);
    let scores: Vec<i64> = traits.iter().map(|traits| score(&model, traits)).collect();
    let mut stories = asked.clone();
    let mut outlets: BTreeMap<&str, i32> = BTreeMap::new();
    answers.iter().for_each(|answer| *outlets.entry(&answer.outlet).or_default() += 1);
    // How much each is like one that is asked about already.
    let mut alike = vec![0.0_f64; pool.len()];
    let ask = |like: &Traits, alike: &mut Vec<f64>| {
        for (alike, traits) in alike.iter_mut().zip(&traits) {
            *alike = alike.max(cosine(like, traits));
        }
    };
    answers.iter().for_each(|answer| ask(&answer.traits, &mut alike));
    let mut chosen = Vec::new();
    while chosen.len() < most {
        let worth = |at: usize| {
            let candidate = &pool[at];
            let often = outlets.get(candidate.outlet.as_str()).copied().unwrap_or_default();
            let sure = if kinds == [true, true] {
                (-(scores[at] as f64 / ONE / ONE).abs()).exp()
            } else {
                1.0
            };
            sure * (1.05 - alike[at]) * SAME_OUTLET.powi(often)
        };
        let left = (0..pool.len())
            .filter(|at| !chosen.contains(at) && !stories.contains(&pool[*at].story));
        let Some(best) =
            left.map(|at| (worth(at), at)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        else {
            break;
        };
        let at = best.1;
        stories.insert(pool[at].story);
        *outlets.entry(&pool[at].outlet).or_default() += 1;
        ask(&pool[at].traits, &mut alike);
        chosen.push(at);
    }
    chosen
}

/// Cosine of two lists by number.
fn cosine(a: &Traits, b: &Traits) -> f64 {
    let length = |all: &Traits| all.iter().map(|(_, v)| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    let mut other = b.iter().peekable();
    let mut product = 0.0;
    for (number, value) in a {
        while other.next_if(|(n, _)| n < number).is_some() {}
        if let Some((_, v)) = other.next_if(|(n, _)| n == number) {
            product += f64::from(*value) * f64::from(*v);
        }
    }
    let lengths = length(a) * length(b);
    if lengths > 0.0 { product / lengths } else { 0.0 }
}
