//! Training of the boosted-tree labeler: labelled pages → rows, two passes.
//!
//! The second pass learns from first-pass probabilities of pages that the first pass had not seen
//! (inner folds), as it will see them in use. Must not know: reports, commands.

pub mod boost;
pub mod gains;

use std::collections::{BTreeMap, HashSet};

use anyhow::Result;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::corpus::LabeledPage;
use super::metrics::tokens::mix;
use super::progress::{OnProgress, Progress};
use super::{pages, split};
use crate::extract::PageBlocks;
use crate::extract::feature::context::{Frame, context};
use crate::extract::feature::rich::{self, Matrix};
use crate::extract::label::decoder::FEATURES;
use crate::extract::label::trees::{DRAWS, Ensemble, RULED_OUT, Trees, features};
use crate::extract::label::{Kind, Model, Whole};
use crate::extract::segment::Profile;
use crate::model::Label;
use boost::{Binned, Target};

/// Shorter blocks may stand twice on a page and mean two things.
const COPIED_WORDS: u32 = 6;

/// How the labeler is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub first: boost::Settings,
    pub second: boost::Settings,
    /// How the page-level decoder's ensemble grows.
    pub edits: boost::Settings,
    /// Log-odds above which an edit is made, and above which one is made that completes the main container
    /// with much text.
    pub margin: f32,
    pub large_margin: f32,
    /// Folds within the training pages that give the second pass its probabilities.
    pub inner_folds: usize,
    /// Share of the training pages' groups held out to stop in time.
    pub held_out: f64,
    /// Probability from which a block is content.
    pub cut: f32,
    /// Share of hopeless blocks (a few words, all linked) that are trained on, each weighing more.
    pub hopeless: f64,
    /// How a domain's weight grows with its pages: 0, each domain alike; 1, each page alike.
    pub domain_power: f64,
    /// Features of [`rich::names`] that are not trained on.
    pub without: Vec<String>,
    /// Weight of each page of a corpus, by name; 1 where none is given.
    pub corpus_weights: BTreeMap<String, f32>,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        // Few pages and noisy gold: small trees, slow steps, strong penalties, and each tree sees a
        // third of rows and features.
        let grown = boost::Settings {
            lambda: 20.0,
            least_leaf: 15.0,
            rows: 0.35,
            columns: 0.3,
            patience: 0,
            ..boost::Settings::default()
        };
        Settings {
            first: boost::Settings { trees: 200, leaves: 16, learning_rate: 0.08, ..grown.clone() },
            second: boost::Settings {
                trees: 160,
                leaves: 12,
                learning_rate: 0.06,
                ..grown.clone()
            },
            edits: boost::Settings {
                trees: 150,
                leaves: 8,
                learning_rate: 0.06,
                rows: 0.5,
                ..grown
            },
            // Small edits below it cost news what they bring to long pages (docs/extraction.md).
            margin: 2.0,
            large_margin: 0.5,
            inner_folds: 3,
            // The number of trees is fixed: every page is trained on.
            held_out: 0.0,
            cut: 0.5,
            hopeless: 0.5,
            domain_power: 0.5,
            // A few languages in training must not decide about all others.
            without: vec!["page language".into()],
            // What news outlets publish today counts most; then what the web is written in today.
            corpus_weights: [("fundus", 5.0), ("fundus-history", 5.0), ("wcxb", 1.25)]
                .map(|(name, weight)| (name.to_string(), weight))
                .into(),
            seed: 1,
        }
    }
}

impl Settings {
    /// The usual ones with another seed of everything random.
    pub fn seeded(seed: u64) -> Settings {
        let mut settings = Settings { seed, ..Settings::default() };
        for grown in [&mut settings.first, &mut settings.second, &mut settings.edits] {
            grown.seed = seed;
        }
        settings
    }
}

/// One page ready for training.
pub struct Sample {
    pub matrix: Matrix,
    pub frame: Frame,
    /// Content by the gold.
    pub answers: Vec<bool>,
    /// Words per block.
    pub words: Vec<f32>,
    /// 0: the block is not trained on.
    pub weights: Vec<f32>,
    /// Weight of the page's corpus.
    pub importance: f32,
}

impl Sample {
    /// Per block: content or not, and the words that count for or against a choice.
    pub fn truth(&self) -> gains::Truth {
        let counted = self.words.iter().zip(&self.weights);
        let counted = counted.map(|(words, weight)| if *weight > 0.0 { *words } else { 0.0 });
        self.answers.iter().copied().zip(counted).collect()
    }
}

/// Trains the labeler on the given pages.
pub fn train(
    pages: &[&LabeledPage],
    profile: Profile,
    settings: &Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> Result<Model> {
    let samples = weighed(pages, profile, settings)?;
    let samples: Vec<&Sample> = samples.iter().collect();
    let (trees, _) = fit(&samples, &groups(pages), settings, false, step, progress);
    Ok(Model::new(profile, Kind::Trees(trees.clone()), &note(&trees)))
}

/// The same with a page-level decoder, which learns from what the trees say of pages that they were not
/// trained on.
pub fn train_whole(
    pages: &[&LabeledPage],
    profile: Profile,
    settings: &Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> Result<Model> {
    let samples = weighed(pages, profile, settings)?;
    let samples: Vec<&Sample> = samples.iter().collect();
    let groups = groups(pages);
    let (trees, unseen) = fit(&samples, &groups, settings, true, step, progress);
    let edits = pages.par_iter().zip(&samples).zip(&unseen).map(|((page, sample), p)| {
        let blocks = pages::segment(page, profile)?;
        Ok(gains::sample(&blocks, &sample.matrix, &sample.truth(), p, settings.cut))
    });
    let edits = edits.collect::<Result<Vec<_>>>()?;
    let mut weights = page_weights(&groups, settings.domain_power);
    weights.iter_mut().zip(&samples).for_each(|(w, s)| *w *= s.importance);
    let decoder =
        gains::fit(&edits, &weights, &settings.edits, (settings.margin, settings.large_margin));
    let note = format!("{}, {} for edits", note(&trees), decoder.gains.trees.len());
    Ok(Model::new(profile, Kind::Whole(Whole { trees, decoder }), &note))
}

/// Samples with the weights of their corpora.
fn weighed(pages: &[&LabeledPage], profile: Profile, settings: &Settings) -> Result<Vec<Sample>> {
    let mut samples = samples(pages, profile)?;
    for (sample, page) in samples.iter_mut().zip(pages) {
        sample.importance = settings.corpus_weights.get(&page.corpus).copied().unwrap_or(1.0);
    }
    Ok(samples)
}

fn note(trees: &Trees) -> String {
    format!(
        "boosted trees, {} and {}, cut {:.2}",
        trees.first.trees.len(),
        trees.second.trees.len(),
        trees.cut
    )
}

/// What the model card says of the ensembles.
pub(super) fn card(settings: &Settings, model: &Model) -> String {
    let trees = match model.kind() {
        Kind::Trees(trees) | Kind::Whole(Whole { trees, .. }) => trees,
        _ => return String::new(),
    };
    let draws = format!("mean of {DRAWS} draws, ");
    let mut out = String::new();
    for (pass, draws, grown, s) in [
        ("first", "", &trees.first, &settings.first),
        ("second", &draws, &trees.second, &settings.second),
    ] {
        out.push_str(&format!(
            "- {pass} pass: {draws}{} trees of at most {} leaves, learning rate {}, λ {}, rows {}, \
             columns {}, seed {}\n",
            grown.trees.len(),
            s.leaves,
            s.learning_rate,
            s.lambda,
            s.rows,
            s.columns,
            s.seed,
        ));
    }
    if let Kind::Whole(Whole { decoder, .. }) = model.kind() {
        let s = &settings.edits;
        out.push_str(&format!(
            "- page-level decoder: {} trees of at most {} leaves over {} features, learning rate {}, λ {}, \
             rows {}, columns {}, seed {}; margin {}, for large edits {}\n",
            decoder.gains.trees.len(),
            s.leaves,
            FEATURES,
            s.learning_rate,
            s.lambda,
            s.rows,
            s.columns,
            s.seed,
            decoder.margin,
            decoder.large_margin,
        ));
    }
    let weights: Vec<String> =
        settings.corpus_weights.iter().map(|(name, w)| format!("{name} {w}")).collect();
    out.push_str(&format!(
        "- feature set {}, cut {}, corpus weights: {}; not trained on: {}\n",
        trees.features,
        trees.cut,
        weights.join(", "),
        settings.without.join(", "),
    ));
    out
}

/// Reads, segments, aligns and describes pages.
pub fn samples(pages: &[&LabeledPage], profile: Profile) -> Result<Vec<Sample>> {
    pages.par_iter().map(|page| sample(page, profile)).collect()
}

fn sample(page: &LabeledPage, profile: Profile) -> Result<Sample> {
    Ok(describe(page, &pages::segment(page, profile)?))
}

/// Aligns and describes a segmented page.
pub fn describe(page: &LabeledPage, blocks: &PageBlocks) -> Sample {
    let labels = pages::labels(page, blocks).labels;
    let title = pages::titles(page, blocks);
    let answers: Vec<bool> = labels.iter().zip(&title).map(|(l, t)| l.is_content() && !t).collect();
    let words: Vec<f32> = blocks.stats.iter().map(|s| s.words as f32).collect();
    let gold: f32 = answers.iter().zip(&words).filter(|(a, _)| **a).map(|(_, w)| w).sum();
    let copied = copied(blocks, &answers);
    let weights = labels
        .iter()
        .zip(&words)
        .enumerate()
        .map(|(index, (label, w))| match label {
            // Optional in the gold: right either way.
            Label::Caption => 0.0,
            // The page says it twice, and the gold does not tell which it means.
            _ if copied[index] => 0.0,
            // Scores weigh each article alike: the words of short ones count for more.
            _ => ((w + 2.0) / (gold + 20.0)).min(0.4),
        })
        .collect();
    Sample {
        matrix: rich::rich(blocks),
        frame: Frame::new(blocks),
        answers,
        words,
        weights,
        importance: 1.0,
    }
}

/// Blocks outside of the content that repeat a block of it word for word.
fn copied(blocks: &PageBlocks, answers: &[bool]) -> Vec<bool> {
    let content: HashSet<&str> = answers
        .iter()
        .enumerate()
        .filter(|(i, a)| **a && blocks.stats[*i].words >= COPIED_WORDS)
        .map(|(i, _)| blocks.text(i))
        .collect();
    answers.iter().enumerate().map(|(i, a)| !a && content.contains(blocks.text(i))).collect()
}

/// Trains on samples; `groups` are the pages' groups (same number: same domain or copy) and
/// `weights` the pages' own weights. With `unseen` also the probabilities that trees grown without a
/// page's inner fold give to it (the second pass: one draw).
fn fit(
    samples: &[&Sample],
    groups: &[usize],
    settings: &Settings,
    unseen: bool,
    step: &str,
    progress: OnProgress<'_>,
) -> (Trees, Vec<Vec<f32>>) {
    let mut page_weights = page_weights(groups, settings.domain_power);
    page_weights.iter_mut().zip(samples).for_each(|(w, s)| *w *= s.importance);
    let held_out: Vec<bool> = groups
        .iter()
        .map(|g| {
            (mix(*g as u64 ^ settings.seed << 32) as f64 / u64::MAX as f64) < settings.held_out
        })
        .collect();
    let fold_of: Vec<usize> = groups
        .iter()
        .map(|g| {
            (mix((*g as u64) << 20 ^ settings.seed) % settings.inner_folds.max(1) as u64) as usize
        })
        .collect();
    let grow = |name: &str, rows: Rows, settings: &boost::Settings| -> Ensemble {
        let binned = Binned::new(&rows.data, rows.cols);
        let target =
            Target { answers: &rows.answers, weights: &rows.weights, held_out: &rows.held_out };
        boost::train(&binned, target, settings, &|number, _, held| {
            progress(Progress {
                step: format!("{step}: {name}"),
                done: number,
                of: settings.trees,
                figure: Some(held),
            });
        })
    };
    let all: Vec<usize> = (0..samples.len()).collect();
    let plain = |i: usize| samples[i].matrix.clone();
    let every = |_: usize, _: usize| true;
    let first = grow(
        "first pass",
        rows(samples, &all, &page_weights, &held_out, settings, &plain, &every),
        &settings.first,
    );
    let mut probabilities: Vec<Vec<f32>> = vec![Vec::new(); samples.len()];
    // The inner ensembles have the size that early stopping found for the whole.
    let inner = boost::Settings { trees: first.trees.len(), patience: 0, ..settings.first.clone() };
    for fold in 0..settings.inner_folds.max(1) {
        let others: Vec<usize> = all.iter().copied().filter(|&i| fold_of[i] != fold).collect();
        let none = vec![false; samples.len()];
        let name = format!("inner fold {}", fold + 1);
        let ensemble = grow(
            &name,
            rows(samples, &others, &page_weights, &none, settings, &plain, &every),
            &inner,
        );
        let found: Vec<(usize, Vec<f32>)> = all
            .par_iter()
            .filter(|&&i| fold_of[i] == fold)
            .map(|&i| (i, ensemble.first_look(&samples[i].matrix)))
            .collect();
        found.into_iter().for_each(|(i, p)| probabilities[i] = p);
    }
    let with_context = |i: usize| context(&samples[i].frame, &samples[i].matrix, &probabilities[i]);
    let asked = |page: usize, block: usize| probabilities[page][block] >= RULED_OUT;
    let mut later = Vec::new();
    if unseen {
        later = probabilities.clone();
        for fold in 0..settings.inner_folds.max(1) {
            let others: Vec<usize> = all.iter().copied().filter(|&i| fold_of[i] != fold).collect();
            let none = vec![false; samples.len()];
            let name = format!("second pass, inner fold {}", fold + 1);
            let ensemble = grow(
                &name,
                rows(samples, &others, &page_weights, &none, settings, &with_context, &asked),
                &settings.second,
            );
            let found: Vec<(usize, Vec<f32>)> = all
                .par_iter()
                .filter(|&&i| fold_of[i] == fold)
                .map(|&i| (i, ensemble.probabilities(&with_context(i))))
                .collect();
            for (i, found) in found {
                let first = later[i].iter_mut().zip(found).enumerate();
                first.filter(|(b, _)| asked(i, *b)).for_each(|(_, (p, second))| *p = second);
            }
        }
    }
    let draw = |number: usize| {
        let mut settings = settings.clone();
        settings.seed += number as u64;
        settings.second.seed += number as u64;
        grow(
            &format!("second pass, draw {}", number + 1),
            rows(samples, &all, &page_weights, &held_out, &settings, &with_context, &asked),
            &settings.second,
        )
    };
    // One draw of few pages is as good as another, and their mean better than any.
    let second = Ensemble::mean((0..DRAWS).map(draw).collect());
    (Trees { features: features(), first, second, cut: settings.cut }, later)
}

/// Each page's weight: a domain of n pages weighs n^power.
fn page_weights(groups: &[usize], power: f64) -> Vec<f32> {
    let mut counts = std::collections::HashMap::new();
    groups.iter().for_each(|g| *counts.entry(*g).or_insert(0_u32) += 1);
    groups.iter().map(|g| f64::from(counts[g]).powf(power - 1.0) as f32).collect()
}

struct Rows {
    data: Vec<f32>,
    cols: usize,
    answers: Vec<bool>,
    weights: Vec<f32>,
    held_out: Vec<bool>,
}

/// Rows of the chosen pages for the blocks asked for (page, block), many of the hopeless ones left out.
fn rows(
    samples: &[&Sample],
    chosen: &[usize],
    page_weights: &[f32],
    held_out: &[bool],
    settings: &Settings,
    matrix: &(dyn Fn(usize) -> Matrix + Sync),
    asked: &(dyn Fn(usize, usize) -> bool + Sync),
) -> Rows {
    let masked: Vec<usize> = rich::names()
        .iter()
        .enumerate()
        .filter(|(_, n)| settings.without.contains(n))
        .map(|(i, _)| i)
        .collect();
    let parts: Vec<Rows> = chosen
        .par_iter()
        .map(|&i| {
            let s = samples[i];
            let m = matrix(i);
            let mut out = Rows {
                data: Vec::new(),
                cols: m.cols,
                answers: Vec::new(),
                weights: Vec::new(),
                held_out: Vec::new(),
            };
            for b in 0..s.answers.len() {
                let mut weight = s.weights[b] * page_weights[i];
                if weight <= 0.0 || !asked(i, b) {
                    continue;
                }
                if !s.answers[b] && s.words[b] <= 6.0 {
                    let chance = mix((i as u64) << 32 ^ b as u64 ^ settings.seed << 50) as f64
                        / u64::MAX as f64;
                    if chance >= settings.hopeless {
                        continue;
                    }
                    weight /= settings.hopeless as f32;
                }
                let from = out.data.len();
                out.data.extend_from_slice(m.row(b));
                masked.iter().for_each(|c| out.data[from + c] = 0.0);
                out.answers.push(s.answers[b]);
                out.weights.push(weight);
                out.held_out.push(held_out[i]);
            }
            out
        })
        .collect();
    let cols = parts.first().map_or(0, |p| p.cols);
    let total = parts.iter().map(|p| p.data.len()).sum();
    let mut all = Rows {
        data: Vec::with_capacity(total),
        cols,
        answers: Vec::new(),
        weights: Vec::new(),
        held_out: Vec::new(),
    };
    for mut part in parts {
        all.data.append(&mut part.data);
        all.answers.append(&mut part.answers);
        all.weights.append(&mut part.weights);
        all.held_out.append(&mut part.held_out);
    }
    all
}

/// Groups of pages for weights and inner folds.
pub fn groups(pages: &[&LabeledPage]) -> Vec<usize> {
    let owned: Vec<LabeledPage> = pages.iter().map(|p| (*p).clone()).collect();
    split::groups(&owned)
}
