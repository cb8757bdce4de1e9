//! How many of the agencies that articles credit are found: pages whose credits were read by hand.
//!
//! A file has a line per page: page (`corpus/id`) and the agencies that it credits, parted by `|`, after a
//! tab; lines that begin with `#` are remarks. Must not know: the store, how agencies are found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::Serialize;

use super::corpus::{Corpus, LabeledPage};
use super::metrics::interval::{Interval, bootstrap};
use super::pages;
use crate::extract::label::Model;
use crate::extract::{self, Hints, Limits};

const ROUNDS: usize = 1_000;
const SEED: u64 = 1;

/// How well credits are read.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    pub pages: usize,
    /// Pages that credit an agency.
    pub crediting: usize,
    /// Of the agencies that are found, those that the page credits.
    pub precision: Interval,
    /// Of the agencies that pages credit, those that are found.
    pub recall: Interval,
    /// Share of the pages that go under the right agency, or under own reporting.
    pub right: Interval,
    pub mistakes: Vec<Mistake>,
}

/// A page on which more or less was found.
#[derive(Clone, Debug, Serialize)]
pub struct Mistake {
    /// `corpus/id`.
    pub page: String,
    pub missed: Vec<String>,
    pub wrong: Vec<String>,
}

/// What a page credits, and what is found.
struct Pair {
    page: String,
    gold: BTreeSet<String>,
    found: Vec<String>,
}

impl Pair {
    fn hits(&self) -> usize {
        self.found.iter().filter(|name| self.gold.contains(*name)).count()
    }

    /// Is the line of the table on which the page counts right?
    fn right(&self) -> bool {
        match self.found.first() {
            Some(first) => self.gold.contains(first),
            None => self.gold.is_empty(),
        }
    }
}

/// Reads the pages that `file` labels and compares.
///
/// # Errors
/// They name the file and the line; a page that no corpus has; a page that cannot be read.
pub fn score(corpora: &[PathBuf], file: &Path, model: &Model) -> Result<Score> {
    let corpus = Corpus::load(corpora)?;
    let pages: BTreeMap<String, &LabeledPage> =
        corpus.pages.iter().map(|p| (format!("{}/{}", p.corpus, p.gold.id), p)).collect();
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut labelled: Vec<(String, BTreeSet<String>, &LabeledPage)> = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let (name, agencies) = line.split_once('\t').unwrap_or((line, ""));
        let Some(page) = pages.get(name) else {
            bail!(
                "{} line {}: no page `{name}` in {}",
                file.display(),
                at + 1,
                corpus.names.join(", ")
            );
        };
        let gold = agencies.split('|').map(str::trim).filter(|name| !name.is_empty());
        labelled.push((name.to_owned(), gold.map(str::to_owned).collect(), page));
    }
    let pairs: Vec<Pair> = labelled
        .into_par_iter()
        .map(|(name, gold, page)| {
            let url = page.gold.url.as_deref().or(page.gold.url_inferred.as_deref());
            let hints = Hints { url, ..Hints::default() };
            let found = extract::article(&pages::html(page)?, &hints, model, &Limits::default());
            let found = found.agencies.into_iter().map(|found| found.value).collect();
            Ok(Pair { page: name, gold, found })
        })
        .collect::<Result<_>>()?;
    Ok(scored(&pairs))
}

fn scored(pairs: &[Pair]) -> Score {
    let share = |part: &dyn Fn(&Pair) -> usize, whole: &dyn Fn(&Pair) -> usize| {
        bootstrap(pairs.len(), ROUNDS, SEED, |sample| {
            let sum =
                |of: &dyn Fn(&Pair) -> usize| sample.iter().map(|&i| of(&pairs[i])).sum::<usize>();
            let all = sum(whole);
            if all == 0 { 1.0 } else { sum(part) as f64 / all as f64 }
        })
    };
    let mistakes = pairs.iter().filter_map(|pair| {
        let found: BTreeSet<&String> = pair.found.iter().collect();
        let missed: Vec<String> =
            pair.gold.iter().filter(|name| !found.contains(name)).cloned().collect();
        let wrong: Vec<String> =
            pair.found.iter().filter(|name| !pair.gold.contains(*name)).cloned().collect();
        let page = pair.page.clone();
        (!missed.is_empty() || !wrong.is_empty()).then_some(Mistake { page, missed, wrong })
    });
    Score {
        pages: pairs.len(),
        crediting: pairs.iter().filter(|pair| !pair.gold.is_empty()).count(),
        precision: share(&Pair::hits, &|pair| pair.found.len()),
        recall: share(&Pair::hits, &|pair| pair.gold.len()),
        right: share(&|pair| usize::from(pair.right()), &|_| 1),
        mistakes: mistakes.collect(),
    }
}

/// Markdown.
pub fn table(score: &Score) -> String {
    let of = |i: &Interval| format!("{:.3} [{:.3}, {:.3}]", i.value, i.low, i.high);
    let mut out = format!(
        "{} pages, {} of them credit an agency.\n\n| | |\n|---|--:|\n| precision | {} |\n| recall | {} |\n\
         | pages on the right line | {} |\n",
        score.pages,
        score.crediting,
        of(&score.precision),
        of(&score.recall),
        of(&score.right)
    );
    if !score.mistakes.is_empty() {
        out.push_str("\n| page | missed | wrong |\n|---|---|---|\n");
    }
    for mistake in &score.mistakes {
        let (missed, wrong) = (mistake.missed.join(", "), mistake.wrong.join(", "));
        out.push_str(&format!("| {} | {missed} | {wrong} |\n", mistake.page));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missed_and_what_is_wrong_are_told_apart() {
        let pair = |page: &str, gold: &[&str], found: &[&str]| Pair {
            page: page.into(),
            gold: gold.iter().map(|g| (*g).to_owned()).collect(),
            found: found.iter().map(|f| (*f).to_owned()).collect(),
        };
        let score = scored(&[
            pair("a/1", &["AFP"], &["AFP"]),
            pair("a/2", &["AFP", "dpa"], &["dpa", "AP"]),
            pair("a/3", &[], &[]),
            pair("a/4", &[], &["AP"]),
        ]);
        assert_eq!((score.pages, score.crediting), (4, 2));
        assert_eq!(score.precision.value, 0.5);
        assert_eq!(score.recall.value, 2.0 / 3.0);
        assert_eq!(score.right.value, 0.75);
        let table = table(&score);
        assert!(
            table.contains("| a/2 | AFP | AP |") && table.contains("| a/4 |  | AP |"),
            "{table}"
        );
        assert!(!table.contains("a/1"), "{table}");
    }
}
