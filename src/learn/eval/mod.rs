//! `crawler eval`: a model, a labeler trained fold by fold, or anybody's texts, against labelled
//! pages; and other systems' texts beside it.
//!
//! Must not know: how a command prints.

pub mod compare;
mod headline;
mod judge;
pub mod oracle;
pub mod tables;
pub mod texts;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::Serialize;

use super::corpus::{Corpus, LabeledPage};
use super::metrics::brands::Brands;
use super::metrics::stated::{Said, StatedSummary};
use super::metrics::summary::{PageScore, Summary, summarise};
use super::progress::{OnProgress, Progress};
use super::split;
use super::train::{Settings, Trainable, train_on};
use crate::extract::label::Model;
use compare::{Comparison, Other, compare};
use headline::headline;
use oracle::Gap;
use texts::Texts;

/// What is evaluated.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A finished model on all pages.
    Model(Box<Model>),
    /// A labeler, trained on all folds but one and tested on that one.
    Folds { settings: Box<Settings>, folds: usize, seed: u64 },
    /// Texts that any system has written ([`texts`]), of one or more files.
    Texts(Vec<PathBuf>),
}

/// Systems beside the subject, by their texts.
#[derive(Clone, Debug, Default)]
pub struct Against {
    /// Names with their files.
    pub files: Vec<(String, PathBuf)>,
    /// A folder of `CORPUS/NAME.jsonl`.
    pub folder: Option<PathBuf>,
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
    pub against: Against,
    /// Each page is read with the memory of the other pages of its domain ([`crate::extract::Memory`]; whole
    /// articles only). No gold enters it.
    pub site_memory: bool,
    /// A first line of the gold that is the page's title is left out of it and of every system's
    /// text: corpora differ in whether they count it.
    pub without_title: bool,
    /// What the page-level decoder gains, and what it could ([`oracle`]).
    pub oracle: bool,
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
    /// Labelled pages that the subject has no text for; they are not scored.
    pub missing: usize,
    /// The other systems, and the subject beside each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// By corpus and of all, where it was asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub oracle: BTreeMap<String, Gap>,
    #[serde(skip)]
    pub pages: Vec<PageScore>,
}

/// Another system on the same pages.
#[derive(Clone, Debug, Serialize)]
pub struct OtherReport {
    pub name: String,
    pub by_corpus: BTreeMap<String, Summary>,
    /// Labelled pages that it has no text for; they are left out of its comparison.
    pub missing: usize,
    #[serde(skip)]
    pub pages: Vec<PageScore>,
}

impl EvalReport {
    /// For people: one row per corpus, then per language, then other systems beside it.
    pub fn table(&self) -> String {
        let rows = || {
            let total = (self.by_corpus.len() != 1).then_some(("all", &self.summary));
            self.by_corpus.iter().map(|(c, s)| (c.as_str(), s)).chain(total)
        };
        let typed = self.summary.structure.pages > 0;
        let mut out = format!(
            "{}\n{}, {} pages, hash {}, diversity {:.3}\n\n{}\n{}{}",
            self.subject,
            self.corpora.join(" + "),
            self.summary.pages,
            self.corpus_hash,
            self.diversity,
            tables::summaries(rows()),
            tables::languages(&self.summary),
            if typed { format!("\n{}", tables::structures(rows())) } else { String::new() },
        );
        if self.missing > 0 {
            out.push_str(&format!("\nno text for {} pages: not scored\n", self.missing));
        }
        let stated = self.stated();
        if !stated.is_empty() {
            out.push_str(&format!("\n{}", tables::metadata(stated)));
        }
        if let Some(comparison) = &self.comparison {
            out.push('\n');
            out.push_str(&tables::comparison(comparison));
        }
        if !self.oracle.is_empty() {
            out.push_str(&format!("\n{}", oracle::table(&self.oracle)));
        }
        for other in self.others.iter().filter(|o| o.missing > 0) {
            let (name, missing) = (&other.name, other.missing);
            out.push_str(&format!("\n{name} has no text for {missing} pages: not compared\n"));
        }
        out
    }

    /// Metadata of the subject and of those others that say any, corpus by corpus, where the gold states some.
    fn stated(&self) -> Vec<(String, &StatedSummary)> {
        let mut rows = Vec::new();
        for (corpus, summary) in &self.by_corpus {
            let m = &summary.metadata;
            if m.titles.of + m.days.of + m.authors.of == 0 {
                continue;
            }
            rows.push((corpus.clone(), m));
            for other in &self.others {
                if other.pages.iter().any(|p| p.said != Said::default())
                    && let Some(theirs) = other.by_corpus.get(corpus)
                {
                    rows.push((format!("· {}", other.name), &theirs.metadata));
                }
            }
        }
        rows
    }

    /// For programs.
    pub fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// One row a page.
    pub fn csv(&self) -> Result<String> {
        tables::pages_csv(&self.pages)
    }

    /// The page F1 that a share of the pages reaches: one line a corpus, or a system where there are
    /// several.
    pub fn svg(&self) -> String {
        let lines: Vec<(&str, Vec<&PageScore>)> = if self.others.is_empty() {
            let of = |c: &str| self.pages.iter().filter(|p| p.corpus == c).collect();
            self.corpora.iter().map(|c| (c.as_str(), of(c))).collect()
        } else {
            let others = self.others.iter().map(|o| (o.name.as_str(), o.pages.iter().collect()));
            std::iter::once(("ours", self.pages.iter().collect())).chain(others).collect()
        };
        tables::quantiles(&lines)
    }
}

/// Evaluates; pages that cannot be read end the run with an error that names them.
pub fn eval(options: &EvalOptions, progress: OnProgress<'_>) -> Result<EvalReport> {
    let mut corpus = Corpus::load(&options.corpora)?;
    corpus.keep_types(&options.page_types);
    corpus.pages.retain(|page| page.has_text() || page.has_snippets());
    if corpus.pages.is_empty() {
        bail!("the corpora hold no page of the types {}", options.page_types.join(", "));
    }
    if options.without_title {
        let find = |page: &mut LabeledPage| -> Result<()> {
            page.headline = headline(page)?;
            Ok(())
        };
        corpus.pages.par_iter_mut().try_for_each(find)?;
    }
    let brands = Brands::parse(&options.brands).context("the names for mention F1")?;
    let mut gaps = Vec::new();
    let (subject, pages) = match &options.subject {
        Subject::Texts(files) => {
            let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
            let texts = Texts::load(files)?;
            (format!("texts {}", names.join(", ")), judge::texts(&corpus.pages, &texts, &brands))
        }
        Subject::Model(model) => {
            let all: Vec<&LabeledPage> = corpus.pages.iter().collect();
            if options.oracle {
                gaps = oracle::gaps(&all, model)?;
            }
            (
                format!("model {} ({})", model.id(), model.kind().name()),
                judge::read(&all, model, &brands, options)?,
            )
        }
        Subject::Folds { settings, .. }
            if options.oracle && settings.labeler != Trainable::Whole =>
        {
            bail!(oracle::NONE)
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
                    let part = chosen.filter(|(_, f)| (**f == fold) == test).map(|(p, _)| p);
                    // A page without a gold text is tested and not learned from.
                    part.filter(|page| test || page.has_text()).collect()
                };
                let step = format!("fold {} of {folds}", fold + 1);
                progress(Progress { step: step.clone(), done: fold, of: *folds, figure: None });
                let (model, _) = train_on(&part(false), settings, &step, progress)?;
                pages.extend(judge::read(&part(true), &model, &brands, options)?);
                if options.oracle {
                    gaps.extend(oracle::gaps(&part(true), &model)?);
                }
            }
            pages.sort_by(|a: &PageScore, b| (&a.corpus, &a.id).cmp(&(&b.corpus, &b.id)));
            let name = settings.labeler.name();
            (format!("{name}, {folds} folds grouped by domain and copies, seed {seed}"), pages)
        }
    };
    if pages.is_empty() {
        bail!("the texts are of none of these pages: `id` and `corpus` name a page");
    }
    let others = others(&options.against, &corpus, &brands, progress)?;
    let comparison = (!others.is_empty()).then(|| {
        progress(Progress { step: "intervals".into(), done: 0, of: 1, figure: None });
        let named = |o: &OtherReport| Other { name: o.name.clone(), pages: o.pages.clone() };
        compare(&pages, &others.iter().map(named).collect::<Vec<_>>())
    });
    Ok(EvalReport {
        subject,
        corpora: corpus.names.clone(),
        corpus_hash: corpus.hash.clone(),
        diversity: corpus.diversity(),
        summary: summarise(&pages),
        by_corpus: tables::by_corpus(&pages),
        missing: corpus.pages.len() - pages.len(),
        others,
        comparison,
        oracle: oracle::means(&gaps),
        pages,
    })
}

/// Scores the other systems.
fn others(
    against: &Against,
    corpus: &Corpus,
    brands: &Brands,
    progress: OnProgress<'_>,
) -> Result<Vec<OtherReport>> {
    let mut systems: Vec<(String, Texts)> = Vec::new();
    for (name, file) in &against.files {
        systems.push((name.clone(), Texts::load(std::slice::from_ref(file))?));
    }
    if let Some(folder) = &against.folder {
        for name in texts::systems(folder, &corpus.names)? {
            let found = Texts::of_folder(folder, &corpus.names, &name)?;
            systems.push((name, found));
        }
    }
    let mut reports = Vec::with_capacity(systems.len());
    for (done, (name, texts)) in systems.iter().enumerate() {
        progress(Progress { step: name.clone(), done, of: systems.len(), figure: None });
        let pages = judge::texts(&corpus.pages, texts, brands);
        reports.push(OtherReport {
            name: name.clone(),
            by_corpus: tables::by_corpus(&pages),
            missing: corpus.pages.len() - pages.len(),
            pages,
        });
    }
    Ok(reports)
}
