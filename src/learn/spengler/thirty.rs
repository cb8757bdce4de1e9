//! Tab. 1 and 2 of Spengler & Gallinari 2009 with all thirty labels: SVM and CRF judged on pages that were
//! labelled by hand, trained on such pages of other domains, on pages that tell their labels themselves
//! ([`distant`](super::distant)), and on both; and how far those labels agree with the ones set by hand.
//!
//! Must not know: how a command prints, studies of single corpora.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::distant::{self, Sign};
use super::tables::{Overall, overall};
use super::{LeafPages, Method, Settings, fit};
use crate::extract::label::Model;
use crate::extract::segment::Profile;
use crate::extract::{self, Hints, Limits};
use crate::learn::corpus::{Corpus, LabeledPage};
use crate::learn::metrics::blocks::{LabelScores, label_scores};
use crate::learn::progress::{OnProgress, Progress};
use crate::learn::{hand, pages, split};
use crate::model::Label;

/// Parts by domain; each is judged by what was trained on the others.
const FOLDS: usize = 3;
/// Most pages that are trained on without labels set by hand.
const DISTANT: usize = 300;
/// The labels that our rules give.
const USED: [Label; 11] = [
    Label::Title,
    Label::Introduction,
    Label::Paragraph,
    Label::Heading,
    Label::Caption,
    Label::Credit,
    Label::Comment,
    Label::Author,
    Label::Date,
    Label::RelatedArticle,
    Label::Tags,
];
/// Pages labelled by hand that the experiment needs.
const LEAST: usize = 6;

/// What is trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Training {
    Hand,
    Distant,
    Both,
}

impl Training {
    const ALL: [Training; 3] = [Training::Hand, Training::Distant, Training::Both];

    fn name(self) -> &'static str {
        match self {
            Training::Hand => "by hand",
            Training::Distant => "distant",
            Training::Both => "both",
        }
    }
}

/// Scores of each labeler and training.
type Scores = BTreeMap<(Training, &'static str), LabelScores<Label>>;

/// Runs the experiment on the pages of `corpora` that `folder` labels, beside others of `page_types` that
/// share neither domain nor text with them; Markdown.
///
/// # Errors
/// If a corpus or label file cannot be read, or too few pages are labelled.
pub fn thirty(
    corpora: &[PathBuf],
    folder: &Path,
    page_types: &[String],
    settings: &Settings,
    seed: u64,
    progress: OnProgress<'_>,
) -> Result<String> {
    let settings = Settings { labels: Label::ALL.to_vec(), ..settings.clone() };
    let step =
        |done| progress(Progress { step: "thirty labels".into(), done, of: 3, figure: None });
    step(0);
    let mut corpus = Corpus::load(corpora)?;
    corpus.read_labels(folder)?;
    let left_out = pages::drop_other_leaves(&mut corpus.pages)?;
    let groups = split::groups(&corpus.pages);
    let of_hand: HashSet<usize> = groups
        .iter()
        .zip(&corpus.pages)
        .filter_map(|(group, page)| page.hand.is_some().then_some(*group))
        .collect();
    let hash = corpus.hash.clone();
    let (hand, mut rest): (Vec<_>, Vec<_>) =
        corpus.pages.into_iter().zip(groups).partition(|(page, _)| page.hand.is_some());
    rest.retain(|(page, group)| {
        let kind = page.gold.page_type.as_deref().unwrap_or("article");
        page_types.iter().any(|t| t == kind) && !page.text().is_empty() && !of_hand.contains(group)
    });
    rest.shuffle(&mut split::rng(seed));
    rest.truncate(DISTANT);
    let only = |pages: Vec<(LabeledPage, usize)>| -> Vec<LabeledPage> {
        pages.into_iter().map(|(page, _)| page).collect()
    };
    let (hand, rest) = (only(hand), only(rest));
    if hand.len() < LEAST {
        bail!("{} labels {} pages; the study needs at least {LEAST}", folder.display(), hand.len());
    }
    let mut out = format!(
        "## Thirty labels\n\n{} pages labelled by hand, {} others that share neither domain nor text with \
         them, corpora and labels {hash}, seed {seed}.\n\n",
        hand.len(),
        rest.len()
    );
    if !left_out.is_empty() {
        out.push_str(&format!("{} pages {}.\n\n", left_out.len(), hand::other_leaves(&left_out)));
    }
    step(1);
    out.push_str(&signs(&hand, &rest)?);
    out.push_str(&in_use(&hand)?);
    step(2);
    let scores = scores(&hand, &rest, &settings, seed, progress)?;
    out.push_str(&tables(&scores));
    Ok(out)
}

/// The labels that pages tell themselves: what they rest on, and how far they agree with labels set by
/// hand.
fn signs(hand: &[LabeledPage], rest: &[LabeledPage]) -> Result<String> {
    let told = |page: &LabeledPage| -> Result<_> {
        let (blocks, metadata) = pages::read(page, Profile::Leaf2009)?;
        let labels = distant::labels(page, &blocks, &metadata);
        let gold = page.hand.as_ref().map(|hand| hand.labels(&blocks)).transpose()?;
        Ok((labels, gold))
    };
    let of_rest: Vec<_> = rest.par_iter().map(told).collect::<Result<_>>()?;
    let of_hand: Vec<_> = hand.par_iter().map(told).collect::<Result<_>>()?;
    let mut counts: BTreeMap<(Label, Sign), usize> = BTreeMap::new();
    for (label, sign) in of_rest.iter().flat_map(|(labels, _)| labels) {
        if let Some(sign) = sign {
            *counts.entry((*label, *sign)).or_default() += 1;
        }
    }
    let pairs: Vec<Vec<(Label, Label)>> = of_hand
        .iter()
        .map(|(labels, gold)| {
            let gold = gold.iter().flatten().copied();
            gold.zip(labels.iter().map(|(label, _)| *label)).collect()
        })
        .collect();
    let scores = label_scores(&pairs);
    let mut out = String::from("### What pages tell of themselves\n\n| label |");
    Sign::ALL.iter().for_each(|sign| out.push_str(&format!(" {} |", sign.name())));
    out.push_str(" leaves by hand | P | R | F1 |\n|---|");
    out.push_str(&"--:|".repeat(Sign::ALL.len() + 4));
    out.push('\n');
    for label in Label::ALL {
        out.push_str(&format!("| {} |", label.name()));
        for sign in Sign::ALL {
            out.push_str(&format!(" {} |", counts.get(&(label, sign)).copied().unwrap_or(0)));
        }
        let score = scores.labels.get(&label).copied().unwrap_or_default();
        out.push_str(&format!(
            " {} | {:.2} | {:.2} | {:.2} |\n",
            score.occurrences,
            100.0 * score.precision,
            100.0 * score.recall,
            100.0 * score.f1
        ));
    }
    out.push_str(
        "\nLeaves of the other pages by what their label rests on; precision and recall of such labels on \
         the pages labelled by hand.\n\n",
    );
    Ok(out)
}

/// What the deployed model and our rules call the blocks of the pages labelled by hand, leaf by leaf.
fn in_use(hand: &[LabeledPage]) -> Result<String> {
    let model = Model::embedded();
    let judge = |page: &LabeledPage| -> Result<Vec<(Label, Label)>> {
        let html = pages::html(page)?;
        let hints = Hints { url: page.gold.url.as_deref(), ..Hints::default() };
        let named = extract::article(&html, &hints, &model, &Limits::default()).article.blocks;
        let leaves = pages::segment(page, Profile::Leaf2009)?;
        let blocks = pages::segment(page, model.profile())?;
        let by_hand = page.hand.as_ref().map(|hand| hand.labels(&leaves)).transpose()?;
        let ours = pages::blocks_of(&leaves, &blocks).into_iter().map(|block| {
            block.and_then(|block| named.get(block)).map_or(Label::None, |block| block.label)
        });
        Ok(by_hand.unwrap_or_default().into_iter().zip(ours).collect())
    };
    let pairs: Vec<_> = hand.par_iter().map(judge).collect::<Result<_>>()?;
    let scores = label_scores(&pairs);
    let mut out = String::from(
        "### Labels in use\n\n| label | leaves by hand | P | R | F1 |\n|---|--:|--:|--:|--:|\n",
    );
    for label in USED {
        let score = scores.labels.get(&label).copied().unwrap_or_default();
        out.push_str(&format!(
            "| {} | {} | {:.2} | {:.2} | {:.2} |\n",
            label.name(),
            score.occurrences,
            100.0 * score.precision,
            100.0 * score.recall,
            100.0 * score.f1
        ));
    }
    out.push_str(
        "\nWhat the crawler calls the block that a leaf stands in, by the deployed model and our rules. Pictures \
         and what stands in no block count as none.\n\n",
    );
    Ok(out)
}

/// Trains and judges; the folds' test parts together are all pages labelled by hand.
fn scores(
    hand: &[LabeledPage],
    rest: &[LabeledPage],
    settings: &Settings,
    seed: u64,
    progress: OnProgress<'_>,
) -> Result<Scores> {
    let all: Vec<&LabeledPage> = hand.iter().chain(rest).collect();
    let leaves = LeafPages::read(&all, settings.least, true)?;
    let fold_of = split::grouped_folds(hand, FOLDS, seed);
    let others = hand.len()..all.len();
    let mut scores = Scores::new();
    for method in [Method::Svm, Method::Crf] {
        for training in Training::ALL {
            let step = format!("thirty labels: {}, {}", method.name(), training.name());
            let mut judged: Vec<Vec<(Label, Label)>> = Vec::new();
            // What is trained on other pages alone is the same for every fold.
            let parts = if training == Training::Distant { 1 } else { FOLDS };
            for fold in 0..parts {
                let is_test = |page: &usize| parts == 1 || fold_of[*page] == fold;
                let (test, known): (Vec<usize>, Vec<usize>) = (0..hand.len()).partition(is_test);
                let mut chosen = if training == Training::Distant { Vec::new() } else { known };
                if training != Training::Hand {
                    chosen.extend(others.clone());
                }
                let fitted = fit(&leaves, &chosen, method, settings, &step, progress);
                judged.extend(test.iter().filter_map(|&page| leaves.pages.get(page)).map(|page| {
                    page.gold.iter().copied().zip(fitted.predict(page)).collect::<Vec<_>>()
                }));
            }
            scores.insert((training, method.name()), label_scores(&judged));
        }
    }
    Ok(scores)
}

fn tables(scores: &Scores) -> String {
    let rows: Vec<Overall> = scores
        .iter()
        .map(|((training, method), scores)| Overall {
            system: format!("{method}, {}", training.name()),
            scores: scores.clone(),
        })
        .collect();
    let mut out = format!("### Thirty labels: overall\n\n{}\n", overall(&rows));
    for training in Training::ALL {
        let error = |method| scores.get(&(training, method)).map(|s| 1.0 - s.micro.recall);
        if let (Some(svm), Some(crf)) = (error("SVM"), error("CRF")) {
            out.push_str(&format!(
                "Trained {}: error {:.2} % (SVM), {:.2} % (CRF). ",
                training.name(),
                100.0 * svm,
                100.0 * crf
            ));
        }
    }
    out.push_str("\n\n### Thirty labels: F1 per label\n\n| label | leaves |");
    let systems: Vec<_> = scores.keys().collect();
    systems.iter().for_each(|(training, method)| {
        out.push_str(&format!(" {method}, {} |", training.name()));
    });
    out.push_str(&format!("\n|---|{}\n", "--:|".repeat(systems.len() + 1)));
    for label in Label::ALL {
        let leaves = scores.values().filter_map(|s| s.labels.get(&label)).map(|s| s.occurrences);
        out.push_str(&format!("| {} | {} |", label.name(), leaves.max().unwrap_or(0)));
        for system in &systems {
            let score = scores.get(system).and_then(|s| s.labels.get(&label));
            out.push_str(&format!(" {:.2} |", 100.0 * score.map_or(0.0, |s| s.f1)));
        }
        out.push('\n');
    }
    out
}
