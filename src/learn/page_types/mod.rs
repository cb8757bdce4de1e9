//! `crawler train --page-classifier`: pages of all kinds → what tells lists from articles; and how often it
//! is right.
//!
//! Must not know: how a command prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use rayon::prelude::*;
use serde::Serialize;

use crate::extract::label::trees::Ensemble;
use crate::extract::page_type::{ByRules, PageTypes, shape};
use crate::extract::{self, Hints, Limits, Model};
use crate::learn::corpus::{Corpus, LabeledPage};
use crate::learn::progress::{OnProgress, Progress};
use crate::learn::trees::boost::{self, Binned, Target};
use crate::learn::{pages, split};
use crate::model::PageType;

mod three;

pub use three::{Three, three};

/// Of each thousand articles that has begun, so many may be taken for lists.
const ALARMS: usize = 1;
/// No kind is given with lower log-odds: outlets differ from those that are trained on.
const LEAST_MARGIN: f32 = 0.25;
const FOLDS: usize = 5;
/// What pages weigh that are neither article nor list nor thread: products and the like are often both.
const OTHERS: f32 = 0.25;

/// What the collection says that a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gold {
    Article,
    List,
    Thread,
    Other,
}

impl Gold {
    fn of(page: &LabeledPage) -> Gold {
        match page.gold.page_type.as_deref().unwrap_or("article") {
            "listing" | "collection" => Gold::List,
            "forum" => Gold::Thread,
            "article" | "news" | "blog" => Gold::Article,
            _ => Gold::Other,
        }
    }
}

/// A page seen from afar.
struct Sample {
    gold: Gold,
    row: Vec<f32>,
    rules: ByRules,
}

/// Finished training.
pub struct Trained {
    pub bytes: Vec<u8>,
    /// How it was trained and how often it is right on pages of domains that it was not trained on.
    pub card: String,
}

/// How the trees grow.
fn settings(seed: u64) -> boost::Settings {
    boost::Settings {
        trees: 300,
        leaves: 8,
        learning_rate: 0.05,
        lambda: 10.0,
        least_leaf: 5.0,
        rows: 0.7,
        columns: 0.15,
        patience: 0,
        seed,
    }
}

/// Trains on the pages of corpora.
///
/// # Errors
/// If a corpus cannot be read, or articles or lists are in none of them.
pub fn train(corpora: &[PathBuf], seed: u64, progress: OnProgress<'_>) -> Result<Trained> {
    let corpus = Corpus::load(corpora)?;
    for (gold, name) in [(Gold::Article, "articles"), (Gold::List, "lists")] {
        if !corpus.pages.iter().any(|page| Gold::of(page) == gold) {
            bail!(
                "no page of {} is one of the {name} that this is trained on",
                corpus.names.join(", ")
            );
        }
    }
    let told = |step: &str, done| {
        progress(Progress { step: step.to_owned(), done, of: FOLDS + 2, figure: None });
    };
    told("reading pages", 0);
    let mut samples = read(&corpus)?;
    lend(&corpus.pages, &mut samples);
    let weights = weights(&corpus.pages, &samples);
    let folds = split::grouped_folds(&corpus.pages, FOLDS, seed);
    let mut unseen = vec![0.0_f32; samples.len()];
    for fold in 0..FOLDS {
        told("trees of a fold", fold + 1);
        let within: Vec<bool> = folds.iter().map(|f| *f != fold).collect();
        let list = grow(&samples, &weights, &within, seed, is_list);
        for (index, sample) in samples.iter().enumerate().filter(|(i, _)| !within[*i]) {
            unseen[index] = list.log_odds(&sample.row);
        }
    }
    told("trees of all pages", FOLDS + 1);
    let list = grow(&samples, &weights, &vec![true; samples.len()], seed, is_list);
    let margin = margin(&samples, &unseen);
    let known = PageTypes { version: shape::VERSION, list, margin };
    let judged = |(sample, log_odds): (&Sample, &f32)| {
        let is_list = sample.rules.is_open && known.is_above(*log_odds);
        if is_list { PageType::Multiple } else { sample.rules.kind }
    };
    let found: Vec<PageType> = samples.iter().zip(&unseen).map(judged).collect();
    let columns = samples.first().map_or(0, |sample| sample.row.len());
    let card = card(&corpus, &known, columns, seed, &found);
    Ok(Trained { bytes: known.bytes()?, card })
}

/// Is the page of this number a list?
fn is_list(samples: &[Sample], index: usize) -> bool {
    samples[index].gold == Gold::List
}

/// The margin that [`ALARMS`] articles of each thousand are above, of those that the rules have let through;
/// `unseen` are log-odds by trees of other domains.
fn margin(samples: &[Sample], unseen: &[f32]) -> f32 {
    let mut articles: Vec<f32> = samples
        .iter()
        .zip(unseen)
        .filter(|(sample, _)| sample.gold == Gold::Article && sample.rules.is_open)
        .map(|(_, log_odds)| *log_odds)
        .collect();
    articles.sort_by(|a, b| b.total_cmp(a));
    let margin = articles.get((articles.len() * ALARMS).div_ceil(1000)).copied();
    margin.unwrap_or(0.0).max(LEAST_MARGIN)
}

/// Describes all pages.
fn read(corpus: &Corpus) -> Result<Vec<Sample>> {
    let model = Model::embedded();
    let limits = Limits::default();
    let one = |page: &LabeledPage| {
        let hints = Hints { url: address(page), ..Hints::default() };
        let (row, rules) = extract::shape(&pages::html(page)?, &hints, &model, &limits);
        Ok(Sample { gold: Gold::of(page), row, rules })
    };
    corpus.pages.par_iter().map(one).collect()
}

/// The address as the collection knows it or as the page says it.
fn address(page: &LabeledPage) -> Option<&str> {
    page.gold.url.as_deref().or(page.gold.url_inferred.as_deref())
}

/// Pages whose address nobody knows get what another's of their kind says, for a crawl knows all: else a
/// missing address would mean an article.
fn lend(pages: &[LabeledPage], samples: &mut [Sample]) {
    for gold in [Gold::Article, Gold::List, Gold::Thread, Gold::Other] {
        let of_kind = |index: &usize| samples[*index].gold == gold;
        let (known, without): (Vec<usize>, Vec<usize>) =
            (0..samples.len()).filter(of_kind).partition(|index| address(&pages[*index]).is_some());
        for (number, index) in without.into_iter().enumerate() {
            // Spread over all who have one.
            let Some(&lender) = known.get(number * 31 % known.len().max(1)) else { continue };
            let from = samples[lender].row.len() - shape::ADDRESS;
            let lent = samples[lender].row[from..].to_vec();
            samples[index].row[from..].copy_from_slice(&lent);
        }
    }
}

/// A domain of n pages weighs √n.
fn weights(pages: &[LabeledPage], samples: &[Sample]) -> Vec<f32> {
    let groups = split::groups(pages);
    let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
    groups.iter().for_each(|group| *counts.entry(*group).or_default() += 1);
    let of = |(group, sample): (&usize, &Sample)| {
        let kind = if sample.gold == Gold::Other { OTHERS } else { 1.0 };
        kind / (counts[group] as f32).sqrt()
    };
    groups.iter().zip(samples).map(of).collect()
}

/// Trees that tell the pages of which `is_one` holds, grown on the pages `within`.
fn grow(
    samples: &[Sample],
    weights: &[f32],
    within: &[bool],
    seed: u64,
    is_one: impl Fn(&[Sample], usize) -> bool,
) -> Ensemble {
    let chosen: Vec<usize> = (0..samples.len()).filter(|i| within[*i]).collect();
    let columns = samples.first().map_or(0, |sample| sample.row.len());
    let data: Vec<f32> = chosen.iter().flat_map(|i| samples[*i].row.iter().copied()).collect();
    let data = Binned::new(&data, columns);
    let weights: Vec<f32> = chosen.iter().map(|i| weights[*i]).collect();
    let none = vec![false; chosen.len()];
    let answers: Vec<bool> = chosen.iter().map(|i| is_one(samples, *i)).collect();
    let target = Target { answers: &answers, weights: &weights, held_out: &none };
    boost::train(&data, target, &settings(seed), &|_, _, _| {})
}

fn card(
    corpus: &Corpus,
    known: &PageTypes,
    columns: usize,
    seed: u64,
    found: &[PageType],
) -> String {
    let s = settings(seed);
    let mut out =
        String::from("# Page types: card\n\n- written by `crawler train --page-classifier`\n");
    let _ = writeln!(
        out,
        "- corpora: {}; {} pages; hash `{}`",
        corpus.names.join(", "),
        corpus.pages.len(),
        corpus.hash
    );
    let _ = writeln!(
        out,
        "- lists: {} trees of at most {} leaves, learning rate {}, λ {}, rows {}, columns {}, seed {seed}",
        known.list.trees.len(),
        s.leaves,
        s.learning_rate,
        s.lambda,
        s.rows,
        s.columns
    );
    let _ = writeln!(
        out,
        "- columns: {columns}, version {}\n- margin {:.2}: of each thousand articles of other domains that has \
         begun, {ALARMS} may be above it\n",
        shape::VERSION,
        known.margin
    );
    out.push_str("Pages of domains that the trees were not grown on (five folds):\n\n");
    out.push_str(&table(&rows(&corpus.pages, found)));
    out.push_str(
        "\nThe pages belong to their publishers; the trees hold no text of theirs. The licence of each corpus \
         decides whether they may be passed on.\n",
    );
    out
}

/// Pages of one type in one collection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub corpus: String,
    /// As the collection calls it; `article` where it says nothing.
    pub page_type: String,
    pub pages: usize,
    /// Kinds of pages, in the order of the table, and how many were taken for each.
    pub found: Vec<(&'static str, usize)>,
}

/// What the pages of corpora are taken for by the trees in use.
///
/// # Errors
/// If a corpus or a page cannot be read.
pub fn count(corpora: &[PathBuf], model: &Model, progress: OnProgress<'_>) -> Result<Vec<Row>> {
    let corpus = Corpus::load(corpora)?;
    let done = AtomicUsize::new(0);
    let of = corpus.pages.len();
    let one = |page: &LabeledPage| {
        let hints = Hints { url: address(page), ..Hints::default() };
        let found = extract::article(&pages::html(page)?, &hints, model, &Limits::default());
        let done = 1 + done.fetch_add(1, Ordering::Relaxed);
        progress(Progress { step: "reading pages".to_owned(), done, of, figure: None });
        Ok(found.article.page_type)
    };
    let found: Vec<PageType> = corpus.pages.par_iter().map(one).collect::<Result<_>>()?;
    Ok(rows(&corpus.pages, &found))
}

/// Kinds of pages, a column each.
const KINDS: [(&str, &[PageType]); 7] = [
    ("article", &[PageType::Article, PageType::ArticleWithComments]),
    ("unknown", &[PageType::Unknown]),
    ("listing", &[PageType::Multiple]),
    ("forum", &[PageType::Forum]),
    ("consent", &[PageType::Consent]),
    ("gone", &[PageType::Missing]),
    ("broken", &[PageType::Broken]),
];

fn rows(pages: &[LabeledPage], found: &[PageType]) -> Vec<Row> {
    let mut rows: BTreeMap<(&str, &str), Vec<PageType>> = BTreeMap::new();
    for (page, kind) in pages.iter().zip(found) {
        let gold = page.gold.page_type.as_deref().unwrap_or("article");
        rows.entry((page.corpus.as_str(), gold)).or_default().push(*kind);
    }
    let counted = |found: &[PageType]| {
        KINDS
            .map(|(name, kinds)| (name, found.iter().filter(|f| kinds.contains(f)).count()))
            .to_vec()
    };
    rows.into_iter()
        .map(|((corpus, page_type), found)| Row {
            corpus: corpus.to_owned(),
            page_type: page_type.to_owned(),
            pages: found.len(),
            found: counted(&found),
        })
        .collect()
}

/// The same for people, in Markdown.
pub fn table(rows: &[Row]) -> String {
    let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    let mut out = format!("| collection | its type | pages | {} |\n", names.join(" | "));
    let _ = writeln!(out, "|---|---|--:|{}", "--:|".repeat(KINDS.len()));
    for Row { corpus, page_type, pages, found } in rows {
        let counts: Vec<String> = found.iter().map(|(_, count)| count.to_string()).collect();
        let _ = writeln!(out, "| {corpus} | {page_type} | {pages} | {} |", counts.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::corpus::test_page;

    #[test]
    fn types_are_counted_by_collection() {
        let mut pages = ["a", "b", "c"].map(|id| test_page(id, "x.example", "A text"));
        pages[2].gold.page_type = Some("forum".to_owned());
        let found = [PageType::ArticleWithComments, PageType::Multiple, PageType::Forum];
        let rows = rows(&pages, &found);
        assert_eq!(
            table(&rows).lines().skip(2).collect::<Vec<_>>(),
            [
                "| ours | article | 2 | 1 | 0 | 1 | 0 | 0 | 0 | 0 |",
                "| ours | forum | 1 | 0 | 0 | 0 | 1 | 0 | 0 | 0 |"
            ]
        );
        assert_eq!(pages.each_ref().map(Gold::of), [Gold::Article, Gold::Article, Gold::Thread]);
    }

    #[test]
    fn pages_without_an_address_get_that_of_another_of_their_kind() {
        let mut pages = ["a", "b", "c"].map(|id| test_page(id, "x.example", "A text"));
        pages[0].gold.url = Some("https://x.example/a".to_owned());
        pages[2].gold.page_type = Some("forum".to_owned());
        let of = |page: &LabeledPage, value: f32| Sample {
            gold: Gold::of(page),
            row: [vec![9.0], vec![value; shape::ADDRESS]].concat(),
            rules: ByRules { kind: PageType::Article, is_open: true },
        };
        let mut samples = vec![of(&pages[0], 1.0), of(&pages[1], 0.0), of(&pages[2], 0.0)];
        lend(&pages, &mut samples);
        // Of threads none has one.
        assert_eq!(samples.iter().map(|s| s.row[1]).collect::<Vec<_>>(), [1.0, 1.0, 0.0]);
        assert!(samples.iter().all(|s| s.row[0] == 9.0));
    }

    #[test]
    fn what_it_is_trained_on_must_have_all_kinds() {
        let place = tempfile::tempdir().expect("a folder");
        let corpus = place.path().join("ours");
        std::fs::create_dir_all(corpus.join("pages")).expect("a folder");
        std::fs::write(corpus.join("gold.jsonl"), "{\"id\":\"a\",\"text\":\"one\"}\n")
            .expect("gold");
        std::fs::write(corpus.join("pages/a.html"), "<p>one").expect("a page");
        let error = train(&[corpus], 1, &|_| {}).map(|_| ()).expect_err("no list");
        assert!(error.to_string().contains("lists"), "{error}");
    }
}
