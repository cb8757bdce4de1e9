//! `crawler train`: corpora → a model file and its card.
//!
//! Must not know: how a command prints.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use super::corpus::{Corpus, LabeledPage};
use super::progress::OnProgress;
use super::ziegler::pso;
use super::{gibson, hand, pages, pappas, spengler, trees, ziegler};
use crate::extract::label::Model;
use crate::extract::label::chain::Form;
use crate::extract::segment::Profile;

/// Which labeler to train.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trainable {
    /// Ziegler & Skubacz 2007: conjunctive thresholds by particle swarm.
    #[default]
    Threshold,
    /// Boosted trees in two passes.
    Trees,
    /// The same, and the page as a whole.
    Whole,
    /// Gibson et al. 2007: each block for itself.
    Maxent,
    /// Gibson et al. 2007: each block given the label before.
    Memm,
    /// Pappas et al. 2012: T1 and T2 over a grid.
    Sd,
    /// Spengler & Gallinari 2009: multi-class support vector machine over visible leaves.
    Svm,
    /// Conditional random field, all blocks at once: that of Gibson et al. 2007; on profile leaf2009
    /// that of Spengler & Gallinari 2009.
    Crf,
}

impl Trainable {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Trainable::Threshold => "threshold",
            Trainable::Trees => "trees",
            Trainable::Whole => "whole",
            Trainable::Maxent => "maxent",
            Trainable::Memm => "memm",
            Trainable::Sd => "sd",
            Trainable::Svm => "svm",
            Trainable::Crf => "crf",
        }
    }

    /// All of them.
    pub const ALL: [Trainable; 8] = [
        Trainable::Threshold,
        Trainable::Trees,
        Trainable::Whole,
        Trainable::Maxent,
        Trainable::Memm,
        Trainable::Sd,
        Trainable::Svm,
        Trainable::Crf,
    ];

    /// The linear model it is, if it is one.
    pub fn form(self) -> Option<Form> {
        match self {
            Trainable::Threshold
            | Trainable::Trees
            | Trainable::Whole
            | Trainable::Sd
            | Trainable::Svm => None,
            Trainable::Maxent => Some(Form::Maxent),
            Trainable::Memm => Some(Form::Memm),
            Trainable::Crf => Some(Form::Crf),
        }
    }

    /// The profile it was made for.
    pub fn profile(self) -> Profile {
        match self {
            Trainable::Maxent | Trainable::Memm | Trainable::Crf => Profile::Gibson2007,
            Trainable::Svm => Profile::Leaf2009,
            Trainable::Threshold | Trainable::Trees | Trainable::Whole | Trainable::Sd => {
                Profile::Modern
            }
        }
    }
}

impl std::str::FromStr for Trainable {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        Trainable::ALL.into_iter().find(|t| t.name() == s).ok_or_else(|| {
            let known = Trainable::ALL.map(Trainable::name).join(", ");
            format!("`{s}` cannot be trained; known: {known}")
        })
    }
}

/// What a training run depends on beside its pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub labeler: Trainable,
    pub profile: Profile,
    /// Page types that are trained on and evaluated (`article` stands for pages without a type).
    pub page_types: Vec<String>,
    pub swarm: pso::Settings,
    pub trees: trees::Settings,
    /// Of maxent, memm and crf; the labeler says which of them.
    pub gibson: gibson::Settings,
    pub sd: pappas::Settings,
    pub leaves: spengler::Settings,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            labeler: Trainable::default(),
            profile: Profile::Modern,
            page_types: vec!["article".into()],
            swarm: pso::Settings::default(),
            trees: trees::Settings::default(),
            gibson: gibson::Settings::default(),
            sd: pappas::Settings::default(),
            leaves: spengler::Settings::default(),
        }
    }
}

/// What to train on and how.
#[derive(Clone, Debug, Default)]
pub struct TrainOptions {
    pub corpora: Vec<PathBuf>,
    /// Folder of labels set by hand: of svm and crf over visible leaves alone.
    pub annotations: Option<PathBuf>,
    pub settings: Settings,
}

/// The outcome of training.
#[derive(Clone, Debug)]
pub struct Trained {
    pub model: Model,
    /// The model file.
    pub bytes: Vec<u8>,
    /// Model card (Markdown).
    pub card: String,
    /// Pages that are not trained on, as their labels are of other leaves than they have.
    pub left_out: Vec<String>,
}

/// Trains on all pages of the corpora.
pub fn train(options: &TrainOptions, progress: OnProgress<'_>) -> Result<Trained> {
    let settings = &options.settings;
    let mut corpus = Corpus::load(&options.corpora)?;
    let mut left_out = Vec::new();
    if let Some(folder) = &options.annotations {
        let over_leaves = matches!(settings.labeler, Trainable::Svm | Trainable::Crf);
        if !over_leaves || settings.profile != Profile::Leaf2009 {
            bail!(
                "labels set by hand are of visible leaves: train svm, or crf on profile leaf2009"
            );
        }
        // They need no gold text: people have said what is content.
        corpus.keep_types(&settings.page_types);
        corpus.read_labels(folder)?;
        left_out = pages::drop_other_leaves(&mut corpus.pages)?;
        corpus.pages.retain(|page| page.hand.is_some());
        if corpus.pages.is_empty() {
            bail!(hand::other_leaves(&left_out));
        }
    } else {
        corpus.keep_texts(&settings.page_types);
    }
    if corpus.pages.is_empty() {
        bail!("the corpora hold no page of the types {}", settings.page_types.join(", "));
    }
    let all: Vec<&LabeledPage> = corpus.pages.iter().collect();
    let (model, own) = train_on(&all, settings, "training", progress)?;
    let bytes = model.bytes();
    let card = card(&corpus, settings, &model, &bytes, &own);
    Ok(Trained { model, bytes, card, left_out })
}

/// Trains on the given pages: one fold, or all. Also returns what the labeler's own part of the
/// model card says.
pub(super) fn train_on(
    pages: &[&LabeledPage],
    settings: &Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> Result<(Model, String)> {
    let profile = settings.profile;
    match settings.labeler {
        Trainable::Threshold => {
            let (model, swarm) = ziegler::train(pages, profile, &settings.swarm, step, progress)?;
            Ok((model, ziegler::card(&settings.swarm, &swarm)))
        }
        Trainable::Trees => {
            let model = trees::train(pages, profile, &settings.trees, step, progress)?;
            let card = trees::card(&settings.trees, &model);
            Ok((model, card))
        }
        Trainable::Whole => {
            let model = trees::train_whole(pages, profile, &settings.trees, step, progress)?;
            let card = trees::card(&settings.trees, &model);
            Ok((model, card))
        }
        Trainable::Svm if profile != Profile::Leaf2009 => {
            bail!("`svm` labels visible leaves: use profile leaf2009")
        }
        Trainable::Svm | Trainable::Crf if profile == Profile::Leaf2009 => {
            let method = match settings.labeler {
                Trainable::Svm => spengler::Method::Svm,
                _ => spengler::Method::Crf,
            };
            let model = spengler::train(pages, method, &settings.leaves, step, progress)?;
            let card = spengler::card(&settings.leaves, method, &model);
            Ok((model, card))
        }
        Trainable::Sd => {
            let model = pappas::train(pages, profile, &settings.sd)?;
            let card = pappas::card(&model);
            Ok((model, card))
        }
        Trainable::Maxent | Trainable::Memm | Trainable::Crf | Trainable::Svm => {
            let mut own = settings.gibson.clone();
            own.chain.form = settings.labeler.form().unwrap_or_default();
            let model = gibson::train(pages, profile, &own, step, progress)?;
            let card = gibson::card(&own, &model);
            Ok((model, card))
        }
    }
}

/// The model card: what it is, what it was trained on, and the labeler's own part.
fn card(
    corpus: &Corpus,
    settings: &Settings,
    model: &Model,
    bytes: &[u8],
    labeler: &str,
) -> String {
    format!(
        "# Model card\n\n- labeler: `{}`, profile {}, {} bytes\n- model: `{}`\n\
         - corpora: {}; {} pages of type {}; hash `{}`; diversity {:.3}\n{labeler}\n\
         The pages belong to their publishers; the model holds no text of theirs. The licence of \
         each corpus decides whether the model may be passed on.\n",
        model.kind().name(),
        model.profile().name(),
        bytes.len(),
        model.id(),
        corpus.names.join(", "),
        corpus.pages.len(),
        settings.page_types.join(", "),
        corpus.hash,
        corpus.diversity(),
    )
}
