//! `crawler eval`: a model, or a labeler trained fold by fold, against labelled pages.
//!
//! Must not know: how a command prints.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use rayon::prelude::*;
use serde::Serialize;

use super::corpus::{Corpus, LabeledPage};
use super::metrics::brands::Brands;
use super::metrics::summary::{PageScore, Summary, summarise};
use super::metrics::{Gold, score};
use super::report::tables;
use super::train::{OnProgress, Progress, Settings, train_on};
use super::{pages, split};
use crate::extract::dom::{self, Limits};
use crate::extract::label::Model;
use crate::extract::page::PageBlocks;
use crate::extract::{self, Hints, Memory, Profile};

/// What is evaluated.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A finished model on all pages.
    Model(Box<Model>),
    /// A labeler, trained on all folds but one and tested on that one.
    Folds { settings: Box<Settings>, folds: usize, seed: u64 },
}

/// What to evaluate on what.
#[derive(Clone, Debug)]
pub struct EvalOptions {
    pub corpora: Vec<PathBuf>,
    pub subject: Subject,
    /// Page types that are evaluated (`article` stands for pages without a type).
    pub page_types: Vec<String>,
    /// Names for mention F1, in the format of [`Brands::parse`].
    pub brands: String,
    /// What of the extraction is scored.
    pub scope: Scope,
    /// Each page is read with the memory of the other pages of its domain ([`Memory`]; whole
    /// articles only). No gold enters it.
    pub site_memory: bool,
}

/// What of the extraction is scored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The labeler alone: its content blocks; nothing chosen scores 0, as in training.
    Labels,
    /// The article's text as the crawler stores it: with the naming of blocks (titles, bylines and
    /// captions leave the text) and the fallback for pages without a content block.
    #[default]
    Article,
}

/// The outcome, with all that makes it repeatable.
#[derive(Clone, Debug, Serialize)]
pub struct EvalReport {
    /// What was evaluated: model id, or labeler and folds.
    pub subject: String,
    pub corpora: Vec<String>,
    pub corpus_hash: String,
    pub diversity: f64,
    pub summary: Summary,
    pub by_corpus: BTreeMap<String, Summary>,
    #[serde(skip)]
    pub pages: Vec<PageScore>,
}

impl EvalReport {
    /// For people: one row per corpus, then per language.
    pub fn table(&self) -> String {
        let rows = self.by_corpus.iter().map(|(c, s)| (c.as_str(), s));
        let total = (self.by_corpus.len() != 1).then_some(("all", &self.summary));
        format!(
            "{}\n{}, {} pages, hash {}, diversity {:.3}\n\n{}\n{}",
            self.subject,
            self.corpora.join(" + "),
            self.summary.pages,
            self.corpus_hash,
            self.diversity,
            tables::summaries(rows.chain(total)),
            tables::languages(&self.summary),
        )
    }

    /// For programs.
    pub fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// One row a page.
    pub fn csv(&self) -> Result<String> {
        tables::pages_csv(&self.pages)
    }
}

/// Evaluates; pages that cannot be read end the run with an error that names them.
pub fn eval(options: &EvalOptions, progress: OnProgress<'_>) -> Result<EvalReport> {
    let mut corpus = Corpus::load(&options.corpora)?;
    corpus.keep_types(&options.page_types);
    if corpus.pages.is_empty() {
        bail!("the corpora hold no page of the types {}", options.page_types.join(", "));
    }
    let brands = Brands::parse(&options.brands);
    let (subject, pages) = match &options.subject {
        Subject::Model(model) => {
            let all: Vec<&LabeledPage> = corpus.pages.iter().collect();
            (
                format!("model {} ({})", model.id(), model.kind().name()),
                judge(&all, model, &brands, options)?,
            )
        }
        Subject::Folds { settings, folds, seed } => {
            let of = split::grouped_folds(&corpus.pages, *folds, *seed);
            if of.iter().all(|f| *f == of[0]) {
                bail!("all pages are of one domain or copies of each other: nothing to fold");
            }
            let mut pages = Vec::with_capacity(corpus.pages.len());
            for fold in 0..*folds {
                let part = |test: bool| -> Vec<&LabeledPage> {
                    let chosen = corpus.pages.iter().zip(&of);
                    chosen.filter(|(_, f)| (**f == fold) == test).map(|(p, _)| p).collect()
                };
                let step = format!("fold {} of {folds}", fold + 1);
                progress(Progress { step: step.clone(), done: fold, of: *folds, figure: None });
                let (model, _) = train_on(&part(false), settings, &step, progress)?;
                pages.extend(judge(&part(true), &model, &brands, options)?);
            }
            pages.sort_by(|a: &PageScore, b| (&a.corpus, &a.id).cmp(&(&b.corpus, &b.id)));
            let name = settings.labeler.name();
            (format!("{name}, {folds} folds grouped by domain and copies, seed {seed}"), pages)
        }
    };
    let by_corpus = tables::by_corpus(&pages);
    Ok(EvalReport {
        subject,
        corpora: corpus.names.clone(),
        corpus_hash: corpus.hash.clone(),
        diversity: corpus.diversity(),
        summary: summarise(&pages),
        by_corpus: by_corpus.iter().map(|(c, p)| (c.clone(), summarise(p))).collect(),
        pages,
    })
}

/// Extracts and scores pages with a model.
fn judge(
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
    // Two other pages at least must share a text.
    of_domain.retain(|_, members| members.len() > 2);
    let found = of_domain
        .into_values()
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|members| {
            let texts = members.iter().map(|&i| texts(pages[i], model.profile()));
            let texts = texts.collect::<Result<Vec<Vec<String>>>>()?;
            let memory = |without: usize| {
                let others = texts.iter().enumerate().filter(|(at, _)| *at != without);
                Memory::new(0, others.map(|(_, texts)| texts.iter().map(String::as_str)))
            };
            Ok(members.iter().enumerate().map(|(at, &i)| (i, memory(at))).collect::<Vec<_>>())
        })
        .collect::<Result<Vec<_>>>()?;
    let mut memories = vec![Memory::default(); pages.len()];
    found.into_iter().flatten().for_each(|(i, memory)| memories[i] = memory);
    Ok(memories)
}

fn texts(page: &LabeledPage, profile: Profile) -> Result<Vec<String>> {
    let blocks = pages::segment(page, profile)?;
    Ok((0..blocks.len()).map(|i| blocks.text(i).to_owned()).collect())
}

fn judge_page(
    page: &LabeledPage,
    model: &Model,
    brands: &Brands,
    scope: Scope,
    memory: Option<&Memory>,
) -> Result<PageScore> {
    let start = cpu_seconds();
    let html = pages::html(page)?;
    let limits = Limits::default();
    // Parsed apart so that parsing alone is timed; extraction below includes it.
    drop(dom::parse(&html, &limits));
    let parsed = cpu_seconds();
    let hints = Hints { url: page.gold.url.as_deref(), memory, ..Hints::default() };
    let text = match scope {
        Scope::Labels => {
            content(&extract::prepare(&html, &hints, model.profile(), &limits).0, model)
        }
        Scope::Article => extract::article(&html, &hints, model, &limits).article.text,
    };
    let end = cpu_seconds();
    let gold = Gold {
        text: page.text(),
        optional: &page.gold.optional,
        must_contain: &page.gold.must_contain,
        must_not_contain: &page.gold.must_not_contain,
    };
    Ok(PageScore {
        id: page.gold.id.clone(),
        corpus: page.corpus.clone(),
        language: page.language().to_string(),
        domain: page.gold.domain.clone().unwrap_or_default(),
        error: None,
        seconds: end - parsed,
        parse_seconds: parsed - start,
        scores: score(&gold, &text, brands),
    })
}

/// Content blocks in page order, one a line.
pub(super) fn content(blocks: &PageBlocks, model: &Model) -> String {
    let mut text = String::new();
    for (i, scored) in model.labeler().label(blocks).iter().enumerate() {
        if scored.content {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(blocks.text(i));
        }
    }
    text
}

/// CPU seconds of this thread so far, 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|s| s.split(' ').next()?.parse::<f64>().ok())
        .map_or(0.0, |ns| ns / 1e9)
}
