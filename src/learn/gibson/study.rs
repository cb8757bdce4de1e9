//! The experiments of Gibson et al. 2007 §7 on any labelled corpora: Tab. 1 (models over the four data
//! setups), Tab. 2 (ablation), Tab. 3 (contiguous and other pages), Tab. 4 (amount of training data),
//! the boundary baseline of §3, and on the untouched pages mixed against separate sources with other
//! labelers beside.
//!
//! Must not know: how a command prints.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Result, bail};
use rayon::prelude::*;

use super::boundary::Boundaries;
use super::options::StudyOptions;
use super::setups::{Fold, Setup, bundles, folds};
use super::tables::{Report, Row};
use super::{Document, Documents, Settings, beside, data, fit};
use crate::extract::feature::gibson::Types;
use crate::extract::label::chain::Form;
use crate::extract::label::gibson::CONTENT;
use crate::learn::chain::{Outcome, Stop};
use crate::learn::corpus::{Corpus, LabeledPage};
use crate::learn::metrics::blocks;
use crate::learn::progress::{OnProgress, Progress};

/// The tables, for people (Markdown) and for programs (CSV).
#[derive(Clone, Debug)]
pub struct Study {
    pub table: String,
    pub csv: String,
}

/// Runs all experiments.
pub fn study(options: &StudyOptions, progress: OnProgress<'_>) -> Result<Study> {
    let mut corpus = Corpus::load(&options.corpora)?;
    corpus.keep_texts(&options.page_types);
    let chosen = data::choose(&corpus.pages, options);
    if chosen.len() < 2 * options.folds {
        bail!(
            "only {} pages are of publishers with at least {} pages: too few for {} folds",
            chosen.len(),
            options.least_per_source,
            options.folds
        );
    }
    let sources = data::sources(&chosen);
    let (untouched, copied) = data::documents(&chosen, &sources, options)?;
    let mut runs = Runs { options, progress, done: 0, rows: Vec::new(), known: HashMap::new() };
    let tuned = runs.tune(&copied);
    runs.setups("setups", &copied, &tuned);
    let english = data::in_language(&copied, &chosen, &options.language);
    if english.list.len() < copied.list.len() {
        runs.setups("language", &english, &tuned);
    }
    runs.options_of_models(&copied, &tuned);
    runs.ablation(&copied, tuned.crf);
    runs.amounts(&copied, tuned.crf);
    runs.untouched(&untouched, &tuned);
    runs.beside(&chosen, &sources, &untouched)?;
    let report = Report {
        corpora: &corpus.names,
        hash: &corpus.hash,
        sources: sources.iter().collect::<BTreeSet<_>>().len(),
        untouched: &untouched,
        copied: &copied,
        options,
        rows: &runs.rows,
    };
    Ok(Study { table: report.table(), csv: report.csv()? })
}

/// The prior that suits each form best.
struct Tuned {
    crf: f64,
    memm: f64,
    maxent: f64,
}

impl Tuned {
    fn sigma(&self, form: Form) -> f64 {
        match form {
            Form::Crf => self.crf,
            Form::Memm => self.memm,
            Form::Maxent => self.maxent,
        }
    }
}

const FORMS: [Form; 3] = [Form::Crf, Form::Memm, Form::Maxent];

/// The setup that tunes and ablations use, as in the paper.
const HARDEST: Setup = Setup::NoDuplicatesSeparate;
/// Names the documents with copies.
const COPIES: &str = "copies";

/// Labelled documents, and of how many trainings how many converged.
#[derive(Clone, Default)]
struct Found {
    pages: Vec<blocks::LabeledPage<bool>>,
    trained: usize,
    converged: usize,
}

impl Found {
    fn trained(&mut self, outcome: Outcome) {
        self.trained += 1;
        self.converged += usize::from(outcome.stop != Stop::Steps);
    }
}

struct Runs<'a> {
    options: &'a StudyOptions,
    progress: OnProgress<'a>,
    done: usize,
    rows: Vec<Row>,
    /// What was found before, by data and settings: tables share some of their rows.
    known: HashMap<String, Found>,
}

impl Runs<'_> {
    fn settings(&self, form: Form, sigma: f64) -> Settings {
        let mut settings = Settings::of(form);
        settings.chain.sigma = sigma;
        settings.chain.iterations = self.options.iterations;
        settings
    }

    /// Cross-validation of a model under a setup; `data` names the documents.
    fn validate(
        &mut self,
        data: &str,
        documents: &Documents,
        setup: Setup,
        settings: &Settings,
    ) -> Found {
        let key = format!("{data} {setup:?} {settings:?}");
        if let Some(found) = self.known.get(&key) {
            return found.clone();
        }
        let folds = self.folds(documents, setup);
        let found = self.cross(documents, &folds, settings);
        self.known.insert(key, found.clone());
        found
    }

    /// Trains on each fold's training documents and labels its test documents.
    fn cross(&mut self, documents: &Documents, folds: &[Fold], settings: &Settings) -> Found {
        let mut found = Found::default();
        for fold in folds {
            self.advance(settings);
            let fitted = fit(documents, &fold.train, settings, &mut |_, _| ());
            found.trained(fitted.outcome);
            found.pages.extend(predict(documents, &fold.test, &|d| fitted.labels(d)));
        }
        found
    }

    fn advance(&mut self, settings: &Settings) {
        self.done += 1;
        (self.progress)(Progress {
            step: format!("{}, {} trainings so far", title(settings), self.done),
            done: 0,
            of: 0,
            figure: None,
        });
    }

    fn add(&mut self, table: &'static str, group: &str, name: String, found: &Found) -> f64 {
        let mut row = Row::new(table, group, name, &found.pages);
        row.trained = (found.converged, found.trained);
        let accuracy = row.all.document_accuracy;
        self.rows.push(row);
        accuracy
    }

    /// Tab. 1's first part with every prior; the best is used from there on.
    fn tune(&mut self, documents: &Documents) -> Tuned {
        let mut best = [1.0; 3];
        for (form, best) in FORMS.into_iter().zip(&mut best) {
            let mut top = -1.0;
            for sigma in self.options.sigmas.clone() {
                let settings = self.settings(form, sigma);
                let found = self.validate(COPIES, documents, HARDEST, &settings);
                let accuracy = self.add("prior", "", title(&settings), &found);
                if accuracy > top {
                    (top, *best) = (accuracy, sigma);
                }
            }
        }
        Tuned { crf: best[0], memm: best[1], maxent: best[2] }
    }

    fn folds(&self, documents: &Documents, setup: Setup) -> Vec<Fold> {
        folds(documents, setup, self.options.folds, self.options.seed)
    }

    /// Tab. 1 and 3.
    fn setups(&mut self, table: &'static str, documents: &Documents, tuned: &Tuned) {
        let data = if table == "setups" { COPIES } else { table };
        for setup in Setup::ALL {
            let folds = self.folds(documents, setup);
            for form in FORMS {
                let settings = self.settings(form, tuned.sigma(form));
                let found = self.validate(data, documents, setup, &settings);
                self.add(table, setup.name(), title(&settings), &found);
            }
            let settings = self.settings(Form::Maxent, tuned.maxent);
            let mut found = Found::default();
            for fold in &folds {
                self.advance(&settings);
                let boundaries = Boundaries::train(documents, &fold.train, &settings);
                boundaries.outcomes().into_iter().for_each(|o| found.trained(o));
                found.pages.extend(predict(documents, &fold.test, &|d| boundaries.labels(d)));
            }
            let name = format!("boundary detection σ={}", tuned.maxent);
            self.add(table, setup.name(), name, &found);
        }
    }

    /// Edge features and history for each form, on every setup.
    fn options_of_models(&mut self, documents: &Documents, tuned: &Tuned) {
        for setup in Setup::ALL {
            for form in FORMS {
                for (edges, history) in [(false, false), (false, true), (true, false), (true, true)]
                {
                    if edges && form == Form::Maxent {
                        continue;
                    }
                    let mut settings = self.settings(form, tuned.sigma(form));
                    (settings.chain.edges, settings.chain.history) = (edges, history);
                    let found = self.validate(COPIES, documents, setup, &settings);
                    self.add("options", setup.name(), title(&settings), &found);
                }
            }
        }
    }

    /// Tab. 2.
    fn ablation(&mut self, documents: &Documents, sigma: f64) {
        let lexical = Types::WORDS.with(Types::ENTITIES).with(Types::TITLE).with(Types::TITLE_CASE);
        let all = Types::ALL;
        let sets = [
            ("all features", all),
            ("no descendant tags", all.without(Types::DESCENDANTS)),
            ("no named entities", all.without(Types::ENTITIES)),
            ("no title matching", all.without(Types::TITLE)),
            ("no anchor percentage", all.without(Types::ANCHORS)),
            ("no word count", all.without(Types::TOKENS)),
            ("no sibling tags", all.without(Types::SIBLINGS)),
            ("no after image", all.without(Types::IMAGE)),
            ("no title case", all.without(Types::TITLE_CASE)),
            ("inverse stop words", all.without(Types::WORDS).with(Types::STOP_WORDS)),
            ("no ancestor tags", all.without(Types::ANCESTORS)),
            ("no words", all.without(Types::WORDS)),
            ("words alone", Types::WORDS),
            ("structure alone", all.without(lexical)),
        ];
        for (name, types) in sets {
            let settings = Settings { types, ..self.settings(Form::Crf, sigma) };
            let found = self.validate(COPIES, documents, HARDEST, &settings);
            self.add("ablation", "", name.to_owned(), &found);
        }
    }

    /// Tab. 4: each fold's training sources in three parts, trained on all, two or one of them.
    fn amounts(&mut self, documents: &Documents, sigma: f64) {
        let settings = self.settings(Form::Crf, sigma);
        let found = self.validate(COPIES, documents, HARDEST, &settings);
        self.add("amount", "", "100 %".to_owned(), &found);
        for (parts, name) in [(2, "67 %"), (1, "33 %")] {
            let mut less = Vec::new();
            for fold in self.folds(documents, HARDEST) {
                let groups: Vec<usize> =
                    fold.train.iter().map(|&i| documents.list[i].source).collect();
                let part = bundles(&groups, 3, self.options.seed);
                for first in 0..3 {
                    let kept = |p: usize| (0..parts).any(|n| (first + n) % 3 == p);
                    let chosen = fold.train.iter().zip(&part).filter(|(_, p)| kept(**p));
                    let train = chosen.map(|(i, _)| *i).collect();
                    less.push(Fold { train, test: fold.test.clone() });
                }
            }
            let found = self.cross(documents, &less, &settings);
            self.add("amount", "", name.to_owned(), &found);
        }
    }

    /// Mixed against separate sources on pages as they were published.
    fn untouched(&mut self, documents: &Documents, tuned: &Tuned) {
        for (group, setup) in
            [("separate", Setup::DuplicatesSeparate), ("mixed", Setup::DuplicatesMixed)]
        {
            for form in FORMS {
                let settings = self.settings(form, tuned.sigma(form));
                let found = self.validate("published", documents, setup, &settings);
                self.add("untouched", group, title(&settings), &found);
            }
        }
    }

    /// Other labelers, trained and tested on the same untouched pages.
    fn beside(
        &mut self,
        pages: &[&LabeledPage],
        sources: &[usize],
        documents: &Documents,
    ) -> Result<()> {
        let of = bundles(sources, self.options.folds, self.options.seed);
        for &labeler in &self.options.beside {
            let mut found = Found::default();
            for fold in 0..self.options.folds {
                let part = |test: bool| -> Vec<usize> {
                    (0..pages.len()).filter(|&i| (of[i] == fold) == test).collect()
                };
                let train: Vec<&LabeledPage> = part(false).iter().map(|&i| pages[i]).collect();
                let step = format!("{}, fold {}", labeler.name(), fold + 1);
                let model = beside::train(labeler, &train, &step, self.progress)?;
                let labeled: Vec<blocks::LabeledPage<bool>> = part(true)
                    .par_iter()
                    .map(|&i| {
                        let found = beside::content(&model, pages[i])?;
                        let gold = documents.list[i].labels.iter().map(|l| *l == CONTENT);
                        Ok(gold.zip(found).collect())
                    })
                    .collect::<Result<_>>()?;
                found.pages.extend(labeled);
            }
            self.add("untouched", "separate", labeler.name().to_owned(), &found);
        }
        Ok(())
    }
}

/// Gold and predicted content of documents.
fn predict(
    documents: &Documents,
    test: &[usize],
    labels: &(dyn Fn(&Document) -> Vec<u16> + Sync),
) -> Vec<blocks::LabeledPage<bool>> {
    test.par_iter()
        .map(|&i| {
            let document = &documents.list[i];
            let found = labels(document);
            document
                .labels
                .iter()
                .zip(&found)
                .map(|(g, f)| (*g == CONTENT, *f == CONTENT))
                .collect()
        })
        .collect()
}

/// Model and options as Tab. 1 prints them.
fn title(settings: &Settings) -> String {
    let name = match settings.chain.form {
        Form::Crf => "CRF",
        Form::Memm => "MEMM",
        Form::Maxent => "MaxEnt",
    };
    format!("{name} {}", options(settings))
}

fn options(settings: &Settings) -> String {
    let chain = &settings.chain;
    let mut out = format!("σ={}", chain.sigma);
    if chain.history {
        out.push_str(", H");
    }
    if chain.edges {
        out.push_str(", E");
    }
    out
}
