//! Pages scored: read with a model, or as texts that somebody has written.
//!
//! Must not know: folds, other systems, reports.

use std::collections::BTreeMap;

use anyhow::Result;
use jiff::tz::Offset;
use rayon::prelude::*;

use super::headline::without;
use super::texts::Texts;
use super::{EvalOptions, Scope};
use crate::decode;
use crate::extract::dom::{self, Limits};
use crate::extract::label::Model;
use crate::extract::{self, Hints, Memory, Printed};
use crate::learn::corpus::LabeledPage;
use crate::learn::metrics::brands::Brands;
use crate::learn::metrics::regions::PageStructure;
use crate::learn::metrics::stated::{self, Said};
use crate::learn::metrics::summary::PageScore;
use crate::learn::metrics::{Gold, score};
use crate::learn::{pages, pappas};
use crate::meter::cpu;
use crate::model::{Article, Label, Precision, Stamp};

/// Scores written texts; pages without one are left out.
pub(super) fn texts(pages: &[LabeledPage], texts: &Texts, brands: &Brands) -> Vec<PageScore> {
    pages
        .par_iter()
        .filter_map(|page| {
            let line = texts.of(&page.corpus, &page.gold.id)?;
            let scored = scored(page, line.text.clone(), line.said.clone(), brands);
            Some(PageScore { error: line.error.clone(), seconds: line.seconds, ..scored })
        })
        .collect()
}

/// Extracts and scores pages with a model.
pub(super) fn read(
    pages: &[&LabeledPage],
    model: &Model,
    brands: &Brands,
    options: &EvalOptions,
) -> Result<Vec<PageScore>> {
    let memories = if options.site_memory { memories(pages, model)? } else { Vec::new() };
    let one = |(index, page): (usize, &&LabeledPage)| {
        judge_page(page, model, brands, options.scope, memories.get(index))
    };
    pages.par_iter().enumerate().map(one).collect()
}

/// For each page the memory of the other pages of its domain.
fn memories(pages: &[&LabeledPage], model: &Model) -> Result<Vec<Memory>> {
    let mut of_domain: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, page) in pages.iter().enumerate() {
        of_domain.entry(page.gold.domain.as_deref().unwrap_or("")).or_default().push(index);
    }
    of_domain.remove("");
    // Three other pages at least must share a text.
    of_domain.retain(|_, members| members.len() > 3);
    let found = of_domain
        .into_values()
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|members| {
            let printed = members.iter().map(|&i| printed(pages[i], model));
            let printed = printed.collect::<Result<Vec<Printed>>>()?;
            let memory = |without: usize| {
                let others = printed.iter().enumerate().filter(|(at, _)| *at != without);
                Memory::new(others.map(|(_, printed)| printed))
            };
            Ok(members.iter().enumerate().map(|(at, &i)| (i, memory(at))).collect::<Vec<_>>())
        })
        .collect::<Result<Vec<_>>>()?;
    let mut memories = vec![Memory::default(); pages.len()];
    found.into_iter().flatten().for_each(|(i, memory)| memories[i] = memory);
    Ok(memories)
}

/// What a page prints, as it is read without a memory.
fn printed(page: &LabeledPage, model: &Model) -> Result<Printed> {
    let bytes = page.bytes()?;
    let html = decode::html(&bytes, None, page.top_level_domain()).text;
    let hints = Hints { url: page.gold.url.as_deref(), ..Hints::default() };
    Ok(Printed::of(&extract::article(&html, &hints, model, &Limits::default()).article))
}

fn judge_page(
    page: &LabeledPage,
    model: &Model,
    brands: &Brands,
    scope: Scope,
    memory: Option<&Memory>,
) -> Result<PageScore> {
    let bytes = page.bytes()?;
    let start = cpu();
    let html = decode::html(&bytes, None, page.top_level_domain()).text;
    let decoded = cpu();
    // Parsed apart so that parsing alone is timed; extraction below includes it.
    drop(dom::parse(&html, &Limits::default()));
    let parsed = cpu();
    let hints = Hints { url: page.gold.url.as_deref(), memory, ..Hints::default() };
    let (text, article) = match scope {
        Scope::Labels => {
            let page = extract::prepare(&html, &hints, model.profile(), &Limits::default()).0;
            (pages::content(&page, model), None)
        }
        Scope::Article => {
            let found = extract::article(&html, &hints, model, &Limits::default());
            let mut article = found.article;
            (std::mem::take(&mut article.text), Some(article))
        }
    };
    let extracted = cpu();
    let said = article.as_ref().map(said).unwrap_or_default();
    let scored = scored(page, text, said, brands);
    Ok(PageScore {
        seconds: (decoded - start + extracted - parsed).as_secs_f64(),
        parse_seconds: (parsed - start).as_secs_f64(),
        structure: article.and_then(|article| structure(page, &article)),
        ..scored
    })
}

/// A text of the page without its title, where scoring leaves that out.
fn bare<'a>(page: &LabeledPage, text: &'a str) -> &'a str {
    page.headline.as_deref().map_or(text, |line| without(text, line))
}

/// What is said of a page against its gold.
fn scored(page: &LabeledPage, text: String, said: Said, brands: &Brands) -> PageScore {
    let gold = Gold {
        text: bare(page, page.text()),
        optional: &page.gold.optional,
        must_contain: &page.gold.must_contain,
        must_not_contain: &page.gold.must_not_contain,
    };
    PageScore {
        id: page.gold.id.clone(),
        corpus: page.corpus.clone(),
        language: page.language().to_string(),
        domain: page.gold.domain.clone().unwrap_or_default(),
        scores: score(&gold, bare(page, &text), brands),
        stated: stated::judge(
            &Said {
                title: page.gold.title.clone(),
                published: page.gold.published.clone(),
                authors: page.gold.authors.clone(),
            },
            &said,
        ),
        text,
        said,
        ..PageScore::default()
    }
}

fn said(article: &Article) -> Said {
    Said {
        title: article.title.as_ref().map(|title| title.value.clone()),
        published: article.published.as_ref().map(instant),
        authors: article.authors.iter().map(|author| author.value.clone()).collect(),
    }
}

/// A stamp as ISO 8601, with as much as it knows.
fn instant(stamp: &Stamp) -> String {
    let offset = stamp.offset.and_then(|o| Offset::from_seconds(o).ok());
    match (stamp.precision, offset) {
        (Precision::Day, _) => stamp.local.date().to_string(),
        (_, None) => stamp.local.to_string(),
        (_, Some(offset)) => format!("{}{}", stamp.local, offset),
    }
}

/// Type and regions of an article beside the gold's. Its own text is one region, its comments are
/// another.
fn structure(page: &LabeledPage, article: &Article) -> Option<PageStructure> {
    let areas: Vec<Option<usize>> = article
        .blocks
        .iter()
        .map(|block| match block.label {
            Label::Comment => Some(1),
            label => label.is_content().then_some(0),
        })
        .collect();
    let texts: Vec<&str> = article.blocks.iter().map(|b| b.text.as_str()).collect();
    Some(PageStructure {
        gold: pappas::class(page)?,
        found: article.page_type,
        regions: pappas::Gold::of(&page.gold, &texts).beside(&areas).accuracy(),
    })
}
