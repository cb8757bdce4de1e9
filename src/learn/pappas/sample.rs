//! Two samples as in Pappas et al. 2012, §4.1: many domains, or many pages of few.
//!
//! Must not know: trees, thresholds.

use std::collections::BTreeMap;

use rand::seq::SliceRandom;

use super::CLASSES;
use super::class;
use crate::learn::corpus::LabeledPage;
use crate::learn::split;

/// Up to `per_class` pages of each class, from as many domains as there are: a domain's second page
/// comes only after the first of every other. Pages without a domain are left out.
pub fn diverse(pages: &[LabeledPage], per_class: usize, seed: u64) -> Vec<usize> {
    let mut chosen = Vec::new();
    for wanted in CLASSES {
        let mut of_class = with_domain(pages, wanted);
        of_class.shuffle(&mut split::rng(seed));
        let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut ranked: Vec<(usize, usize)> = of_class
            .into_iter()
            .map(|i| {
                let rank = seen.entry(pages[i].group()).or_default();
                *rank += 1;
                (*rank, i)
            })
            .collect();
        ranked.sort_by_key(|r| r.0);
        chosen.extend(ranked.into_iter().take(per_class).map(|r| r.1));
    }
    chosen
}

/// Up to `per_class` pages of each class from its `domains` most frequent domains.
pub fn narrow(pages: &[LabeledPage], per_class: usize, domains: usize, seed: u64) -> Vec<usize> {
    let mut chosen = Vec::new();
    for wanted in CLASSES {
        let mut by_domain: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for i in with_domain(pages, wanted) {
            by_domain.entry(pages[i].group()).or_default().push(i);
        }
        let mut largest: Vec<Vec<usize>> = by_domain.into_values().collect();
        largest.sort_by_key(|d| std::cmp::Reverse(d.len()));
        let mut of_class: Vec<usize> = largest.into_iter().take(domains).flatten().collect();
        of_class.shuffle(&mut split::rng(seed));
        chosen.extend(of_class.into_iter().take(per_class));
    }
    chosen
}

fn with_domain(pages: &[LabeledPage], wanted: crate::model::PageType) -> Vec<usize> {
    let of_class = |i: &usize| {
        let page = &pages[*i];
        class(page) == Some(wanted) && !page.group().0.is_empty()
    };
    (0..pages.len()).filter(of_class).collect()
}
