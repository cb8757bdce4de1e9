//! The study's documents: which pages, and the copies made of them.
//!
//! Must not know: models, experiments.

use std::collections::BTreeMap;

use anyhow::Result;
use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::Documents;
use super::copies::{self, Article};
use super::documents::{Raw, describe};
use super::options::StudyOptions;
use crate::extract::feature::gibson::Types;
use crate::learn::corpus::LabeledPage;
use crate::learn::split::rng;

/// Everything is described once; experiments choose types and documents.
const EVERY: Types = Types(Types::ALL.0 | Types::STOP_WORDS.0);

/// Pages of publishers with enough of them, publishers drawn at random.
pub(super) fn choose<'a>(pages: &'a [LabeledPage], options: &StudyOptions) -> Vec<&'a LabeledPage> {
    let mut by_source: BTreeMap<&str, Vec<&LabeledPage>> = BTreeMap::new();
    for page in pages {
        let domain = page.gold.domain.as_deref().unwrap_or("");
        if !domain.is_empty() {
            by_source.entry(domain).or_default().push(page);
        }
    }
    let mut random = rng(options.seed);
    let mut groups: Vec<Vec<&LabeledPage>> =
        by_source.into_values().filter(|p| p.len() >= options.least_per_source).collect();
    groups.shuffle(&mut random);
    let mut chosen = Vec::new();
    for mut group in groups {
        group.shuffle(&mut random);
        group.truncate(options.most_per_source.min(options.pages - chosen.len()));
        if group.len() >= options.least_per_source {
            chosen.append(&mut group);
        }
    }
    chosen
}

/// Number of the publisher of each page.
pub(super) fn sources(pages: &[&LabeledPage]) -> Vec<usize> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    pages
        .iter()
        .map(|page| {
            let next = numbers.len();
            *numbers.entry(page.gold.domain.as_deref().unwrap_or("")).or_insert(next)
        })
        .collect()
}

/// The documents whose article is in a language.
pub(super) fn in_language(
    documents: &Documents,
    pages: &[&LabeledPage],
    language: &str,
) -> Documents {
    let spoken = |article: usize| pages.get(article).is_some_and(|p| p.language() == language);
    let list = documents.list.iter().filter(|d| spoken(d.article)).cloned().collect();
    Documents { list, dictionary: documents.dictionary.clone() }
}

/// The pages as they are, and articles with copies made of them.
pub(super) fn documents(
    pages: &[&LabeledPage],
    sources: &[usize],
    options: &StudyOptions,
) -> Result<(Documents, Documents)> {
    let read: Vec<(Raw, usize)> = pages
        .par_iter()
        .enumerate()
        .map(|(i, page)| {
            let blocks = copies::template(page)?;
            let room = copies::room(page, &blocks);
            Ok((describe(&blocks, page, EVERY, sources[i], i), room))
        })
        .collect::<Result<_>>()?;
    let room: Vec<usize> = read.iter().map(|(_, room)| *room).collect();
    let articles: Vec<Article<'_>> = pages.iter().map(|p| Article::of(p)).collect();
    let mut random = rng(options.seed);
    let mut order: Vec<usize> = (0..pages.len()).collect();
    order.shuffle(&mut random);
    // (article, template); the article's own page is its own template.
    let mut plan: Vec<(usize, usize)> = Vec::new();
    for &article in order.iter() {
        let lines = articles[article].lines.len();
        let mut fitting: Vec<usize> = (0..pages.len())
            .filter(|&t| {
                sources[t] != sources[article]
                    && pages[t].language() == pages[article].language()
                    && (lines..=3 * lines + 3).contains(&room[t])
            })
            .collect();
        if lines < 3 || room[article] == 0 || fitting.len() < options.copies {
            continue;
        }
        plan.push((article, article));
        for _ in 0..options.copies {
            let template = fitting.swap_remove(random.random_range(0..fitting.len()));
            plan.push((article, template));
        }
        if plan.len() >= options.articles * (1 + options.copies) {
            break;
        }
    }
    let made: Vec<Option<Raw>> = plan
        .par_iter()
        .map(|&(article, template)| {
            let blocks = copies::template(pages[template])?;
            let blocks = match article == template {
                true => Some(blocks),
                false => copies::put(&articles[article], pages[template], blocks),
            };
            let page = pages[article];
            Ok(blocks.map(|b| describe(&b, page, EVERY, sources[template], article)))
        })
        .collect::<Result<_>>()?;
    let untouched = Documents::join(read.into_iter().map(|(raw, _)| raw).collect());
    Ok((untouched, Documents::join(made.into_iter().flatten().collect())))
}
