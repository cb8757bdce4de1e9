//! All features against No Style (Spengler & Gallinari 2009, Tab. 1 and §4.3) where a browser has drawn the
//! pages: without style, with what markup says of it, and with computed style and geometry
//! ([`drawn`](crate::learn::drawn)). Per label, with the labels set by hand where there are any.
//!
//! Must not know: browsers, how a command prints.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::tables::{Overall, overall};
use super::{LeafPages, Method, Settings, fit};
use crate::learn::corpus::{Corpus, LabeledPage};
use crate::learn::metrics::blocks::{self, label_scores};
use crate::learn::metrics::interval::{Interval, bootstrap};
use crate::learn::metrics::overlap::Counts;
use crate::learn::progress::{OnProgress, Progress};
use crate::learn::{hand, pages, split};
use crate::model::Label;

/// Parts by domain; each is judged by what was trained on the others.
const FOLDS: usize = 3;
/// Drawn pages that the experiment needs.
const LEAST: usize = 6;
/// Resamples of intervals.
const ROUNDS: usize = 1000;

/// Which features of style there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    None,
    Markup,
    Drawn,
}

impl Style {
    const ALL: [Style; 3] = [Style::None, Style::Markup, Style::Drawn];

    fn name(self) -> &'static str {
        match self {
            Style::None => "No Style",
            Style::Markup => "style of markup",
            Style::Drawn => "style as drawn",
        }
    }
}

/// What one method with one set of features found on all pages.
struct Run {
    method: Method,
    style: Style,
    pages: Vec<blocks::LabeledPage<Label>>,
}

/// Runs the experiment on the pages of `corpora` that `folder` holds drawn; Markdown.
///
/// # Errors
/// If a corpus or file cannot be read, or too few pages are drawn.
pub fn styles(
    corpora: &[PathBuf],
    folder: &Path,
    annotations: Option<&Path>,
    settings: &Settings,
    seed: u64,
    progress: OnProgress<'_>,
) -> Result<String> {
    let settings = Settings { labels: Label::ALL.to_vec(), ..settings.clone() };
    let mut corpus = Corpus::load(corpora)?;
    let mut left_out = String::new();
    if let Some(annotations) = annotations {
        corpus.read_labels(annotations)?;
        let ids = pages::drop_other_leaves(&mut corpus.pages)?;
        if !ids.is_empty() {
            left_out = format!("{} pages {}.\n\n", ids.len(), hand::other_leaves(&ids));
        }
    }
    corpus.read_drawn(folder)?;
    corpus.pages.retain(|page| page.drawn.is_some());
    if annotations.is_some() {
        corpus.pages.retain(|page| page.hand.is_some());
    }
    let pages = corpus.pages;
    if pages.len() < LEAST {
        bail!("{} holds {} pages; the study needs at least {LEAST}", folder.display(), pages.len());
    }
    let fold_of = split::grouped_folds(&pages, FOLDS, seed);
    let mut plain = pages.clone();
    plain.iter_mut().for_each(|page| page.drawn = None);
    let read = |pages: &[LabeledPage]| {
        let pages: Vec<&LabeledPage> = pages.iter().collect();
        LeafPages::read(&pages, settings.least, true)
    };
    let (plain, drawn) = (read(&plain)?, read(&pages)?);
    let mut runs = Vec::new();
    for method in [Method::Svm, Method::Crf] {
        for style in Style::ALL {
            let step = format!("{}, {}", method.name(), style.name());
            let (done, of) = (runs.len(), 2 * Style::ALL.len());
            progress(Progress { step: step.clone(), done, of, figure: None });
            let leaves = if style == Style::Drawn { &drawn } else { &plain };
            let settings = Settings { style: style != Style::None, ..settings.clone() };
            let mut judged = vec![Vec::new(); leaves.pages.len()];
            for fold in 0..FOLDS {
                let part = (0..leaves.pages.len()).partition(|page| fold_of[*page] == fold);
                let (test, training): (Vec<usize>, Vec<usize>) = part;
                let fitted = fit(leaves, &training, method, &settings, &step, progress);
                for page in test {
                    let gold = leaves.pages[page].gold.iter().copied();
                    judged[page] = gold.zip(fitted.predict(&leaves.pages[page])).collect();
                }
            }
            runs.push(Run { method, style, pages: judged });
        }
    }
    Ok(format!("{}{left_out}{}", describe(&corpus.names, &pages, seed), tables(&runs, seed)))
}

fn describe(names: &[String], pages: &[LabeledPage], seed: u64) -> String {
    let drawn = || pages.iter().filter_map(|page| page.drawn.as_ref());
    let sum = |of: fn(&crate::learn::drawn::Drawn) -> usize| drawn().map(of).sum::<usize>();
    let (leaves, looks) = (sum(|d| d.leaves), sum(|d| d.looks.len()));
    let (sheets, missing) = (sum(|d| d.sheets), sum(|d| d.missing));
    let whole = drawn().filter(|d| d.missing == 0).count();
    let by_hand = pages.iter().filter(|page| page.hand.is_some()).count();
    format!(
        "## Style as drawn: {}\n\n{} pages, {by_hand} of them labelled by hand, the others by their gold and by \
         what they tell of themselves. A browser has {looks} of their {leaves} leaves. They ask for {sheets} \
         style sheets, of which {missing} are missing; {whole} pages have all. {FOLDS} parts by domain, each \
         judged by what was trained on the others, seed {seed}.\n\n",
        names.join(", "),
        pages.len(),
    )
}

fn tables(runs: &[Run], seed: u64) -> String {
    let system = |run: &Run| format!("{}, {}", run.method.name(), run.style.name());
    let rows: Vec<Overall> = runs
        .iter()
        .map(|run| Overall { system: system(run), scores: label_scores(&run.pages) })
        .collect();
    let mut out = format!(
        "{}\nF1, in per cent. The difference is of *style as drawn* to *No Style*, with its \
         95 % interval over pages.\n\n| label | leaves |",
        overall(&rows)
    );
    let difference = |method: Method| format!(" {}: difference |", method.name());
    runs.iter().for_each(|run| out.push_str(&format!(" {} |", system(run))));
    out.push_str(&[Method::Svm, Method::Crf].map(difference).concat());
    out.push_str(&format!("\n|---|{}\n", "--:|".repeat(runs.len() + 3)));
    for label in Label::ALL {
        let score = |row: &Overall| row.scores.labels.get(&label).copied().unwrap_or_default();
        let leaves = rows.first().map_or(0, |row| score(row).occurrences);
        if leaves == 0 {
            continue;
        }
        out.push_str(&format!("| {} | {leaves} |", label.name()));
        rows.iter().for_each(|row| out.push_str(&format!(" {:.2} |", 100.0 * score(row).f1)));
        for method in [Method::Svm, Method::Crf] {
            let of = |style| runs.iter().find(|run| run.method == method && run.style == style);
            let (Some(with), Some(without)) = (of(Style::Drawn), of(Style::None)) else { continue };
            let gain = gain(with, without, label, seed);
            let [value, low, high] = [gain.value, gain.low, gain.high].map(|f| 100.0 * f);
            out.push_str(&format!(" {value:+.2} [{low:.2}, {high:.2}] |"));
        }
        out.push('\n');
    }
    out.push('\n');
    out
}

/// By how much F1 of a label differs between two runs.
fn gain(with: &Run, without: &Run, label: Label, seed: u64) -> Interval {
    let [with, without] = [with, without].map(|run| -> Vec<Counts> {
        let count = |page: &blocks::LabeledPage<Label>| {
            let mut counts = Counts::default();
            for &(gold, said) in page {
                counts.tp += u64::from(gold == label && said == label);
                counts.fp += u64::from(gold != label && said == label);
                counts.fn_ += u64::from(gold == label && said != label);
            }
            counts
        };
        run.pages.iter().map(count).collect()
    });
    let f1 = |counts: &[Counts], sample: &[usize]| {
        let (mut hits, mut all) = (0, 0);
        for counts in sample.iter().filter_map(|&page| counts.get(page)) {
            hits += 2 * counts.tp;
            all += 2 * counts.tp + counts.fp + counts.fn_;
        }
        if all == 0 { 0.0 } else { hits as f64 / all as f64 }
    };
    bootstrap(with.len(), ROUNDS, seed, |sample| f1(&with, sample) - f1(&without, sample))
}
