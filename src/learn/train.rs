//! `crawler train`: corpora → a model file and its card.
//!
//! Must not know: how a command prints.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use super::corpus::{Corpus, LabeledPage};
use super::{forest, gibson, pages, pappas, pso, spengler};
use crate::extract::feature::eight;
use crate::extract::label::chain::Form;
use crate::extract::label::{Kind, Model, Thresholds};
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
            Trainable::Maxent => "maxent",
            Trainable::Memm => "memm",
            Trainable::Sd => "sd",
            Trainable::Svm => "svm",
            Trainable::Crf => "crf",
        }
    }

    /// All of them.
    pub const ALL: [Trainable; 7] = [
        Trainable::Threshold,
        Trainable::Trees,
        Trainable::Maxent,
        Trainable::Memm,
        Trainable::Sd,
        Trainable::Svm,
        Trainable::Crf,
    ];

    /// The linear model it is, if it is one.
    pub fn form(self) -> Option<Form> {
        match self {
            Trainable::Threshold | Trainable::Trees | Trainable::Sd | Trainable::Svm => None,
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
            Trainable::Threshold | Trainable::Trees | Trainable::Sd => Profile::Modern,
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
    pub trees: forest::Settings,
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
            trees: forest::Settings::default(),
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
    pub settings: Settings,
}

/// A step of a long run, for a progress bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being done, in words.
    pub step: String,
    pub done: usize,
    pub of: usize,
    /// The figure being improved, if any.
    pub figure: Option<f64>,
}

/// Called from any thread; must not block.
pub type OnProgress<'a> = &'a (dyn Fn(Progress) + Sync);

/// The outcome of training.
#[derive(Clone, Debug)]
pub struct Trained {
    pub model: Model,
    /// The model file.
    pub bytes: Vec<u8>,
    /// Model card (Markdown).
    pub card: String,
    /// The swarm that found the thresholds, with its curve.
    pub swarm: Option<pso::Swarm>,
}

/// Trains on all pages of the corpora.
pub fn train(options: &TrainOptions, progress: OnProgress<'_>) -> Result<Trained> {
    let settings = &options.settings;
    let mut corpus = Corpus::load(&options.corpora)?;
    corpus.keep_types(&settings.page_types);
    if corpus.pages.is_empty() {
        bail!("the corpora hold no page of the types {}", settings.page_types.join(", "));
    }
    let all: Vec<&LabeledPage> = corpus.pages.iter().collect();
    let (model, swarm) = train_on(&all, settings, "training", progress)?;
    let bytes = model.bytes();
    let card = card(&corpus, settings, &model, &bytes, swarm.as_ref());
    Ok(Trained { model, bytes, card, swarm })
}

/// Trains on the given pages: one fold, or all.
pub(super) fn train_on(
    pages: &[&LabeledPage],
    settings: &Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> Result<(Model, Option<pso::Swarm>)> {
    match settings.labeler {
        Trainable::Threshold => {
            let documents = pages::documents(pages, settings.profile)?;
            let swarm = swarm(&documents, &settings.swarm, step, progress);
            Ok((threshold_model(&swarm, settings.profile), Some(swarm)))
        }
        Trainable::Trees => {
            let trees = forest::train(pages, settings.profile, &settings.trees, step, progress)?;
            let note = format!(
                "boosted trees, {} and {}, cut {:.2}",
                trees.first.trees.len(),
                trees.second.trees.len(),
                trees.cut
            );
            Ok((Model::new(settings.profile, Kind::Trees(trees), &note), None))
        }
        Trainable::Svm => {
            if settings.profile != Profile::Leaf2009 {
                bail!("`svm` labels visible leaves: use profile leaf2009");
            }
            let method = spengler::Method::Svm;
            let model = spengler::train(pages, method, &settings.leaves, step, progress)?;
            Ok((model, None))
        }
        Trainable::Crf if settings.profile == Profile::Leaf2009 => {
            let method = spengler::Method::Crf;
            let model = spengler::train(pages, method, &settings.leaves, step, progress)?;
            Ok((model, None))
        }
        Trainable::Sd => {
            let (sd, precision, n) = pappas::train(pages, settings.profile, &settings.sd)?;
            let note = format!(
                "T1 {}, T2 {}, precision {precision:.4} over the page types of {n} training pages",
                sd.t1, sd.t2
            );
            Ok((Model::new(settings.profile, Kind::Sd(sd), &note), None))
        }
        Trainable::Maxent | Trainable::Memm | Trainable::Crf => {
            let mut own = settings.gibson.clone();
            own.chain.form = settings.labeler.form().unwrap_or_default();
            let (model, end) = gibson::train(pages, settings.profile, &own, step, progress)?;
            let note = format!(
                "{}, {} features, σ = {}, {} steps, objective {:.1} nats on {} pages",
                model.name(),
                model.dictionary.len(),
                own.chain.sigma,
                end.steps,
                end.value,
                pages.len(),
            );
            Ok((Model::new(settings.profile, Kind::Gibson(model), &note), None))
        }
    }
}

/// Runs the swarm with progress.
pub(super) fn swarm(
    documents: &pso::Documents,
    settings: &pso::Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> pso::Swarm {
    pso::swarm(documents, settings, &|g| {
        progress(Progress {
            step: step.to_string(),
            done: g.number,
            of: settings.generations,
            figure: Some(g.ever),
        });
    })
}

/// The swarm's best particle as a model.
pub(super) fn threshold_model(swarm: &pso::Swarm, profile: Profile) -> Model {
    let mut values = [0.0; eight::COUNT];
    for (value, t) in values.iter_mut().zip(&swarm.thresholds) {
        // Thresholds are values of f32 features, so nothing is lost.
        *value = *t as f32;
    }
    let note = format!(
        "particle swarm, generation {}, training sim {:.4}",
        swarm.generation, swarm.fitness
    );
    let kind = Kind::Threshold(Thresholds { values, quantiles: swarm.quantiles.clone() });
    Model::new(profile, kind, &note)
}

fn card(
    corpus: &Corpus,
    settings: &Settings,
    model: &Model,
    bytes: &[u8],
    swarm: Option<&pso::Swarm>,
) -> String {
    let mut out = format!(
        "# Model card\n\n- labeler: `{}`, profile {:?}, {} bytes\n- model: `{}`\n\
         - corpora: {}; {} pages of type {}; hash `{}`; diversity {:.3}\n",
        model.kind().name(),
        model.profile(),
        bytes.len(),
        model.id(),
        corpus.names.join(", "),
        corpus.pages.len(),
        settings.page_types.join(", "),
        corpus.hash,
        corpus.diversity(),
    );
    if let Some(s) = swarm {
        let p = &settings.swarm;
        out.push_str(&format!(
            "- swarm: n = {}, {} generations, cognitive {}, social {}, inertia {}, clamp {}, \
             mapping {:?}, seed {}\n- mean sim^σ on the training pages: {:.4} (generation {})\n\n\
             | feature | bound | threshold | position |\n|---|---|--:|--:|\n",
            p.particles,
            p.generations,
            p.cognitive,
            p.social,
            p.inertia,
            p.clamp,
            p.mapping,
            p.seed,
            s.fitness,
            s.generation,
        ));
        for (i, name) in eight::NAMES.iter().enumerate() {
            let (t, position) = (s.thresholds.get(i), s.position.get(i));
            out.push_str(&format!(
                "| {name} | {} | {:.4} | {:.3} |\n",
                if eight::AT_LEAST[i] { "≥" } else { "≤" },
                t.copied().unwrap_or(f64::NAN),
                position.copied().unwrap_or(f64::NAN),
            ));
        }
    }
    if let Kind::Trees(trees) = model.kind() {
        let t = &settings.trees;
        let draws = format!("mean of {} draws, ", t.draws.max(1));
        for (pass, draws, grown, s) in
            [("first", "", &trees.first, &t.first), ("second", &draws, &trees.second, &t.second)]
        {
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
        out.push_str(&format!(
            "- feature set {}, cut {}, corpus weights {:?}, not trained on: {}\n",
            trees.features,
            trees.cut,
            t.corpus_weights,
            t.without.join(", "),
        ));
    }
    if let Kind::Gibson(model) = model.kind() {
        let (shape, s) = (&model.chain.shape, &settings.gibson);
        out.push_str(&format!(
            "- Gibson et al. 2007: {} features on at least {} pages, edges {}, history {}, σ {}, at \
             most {} steps\n",
            shape.columns,
            s.least_pages,
            shape.edges,
            shape.history,
            s.chain.sigma,
            s.chain.iterations,
        ));
    }
    if let Kind::Leaves(leaves) = model.kind() {
        let labels: Vec<&str> = leaves.labels.iter().map(|l| l.name()).collect();
        let s = &settings.leaves;
        out.push_str(&format!(
            "- labels: {}; {} features on at least {} leaves, {} those of style\n",
            labels.join(", "),
            leaves.names.len(),
            s.least,
            if s.style { "with" } else { "without" },
        ));
        out.push_str(&match settings.labeler {
            Trainable::Svm => format!(
                "- Pegasos: k = 1, λ = {}, {} passes, seed {}\n",
                s.svm.lambda, s.svm.passes, s.svm.seed
            ),
            _ => format!("- Gaussian prior: σ = {}\n", s.crf.sigma),
        });
    }
    if let Kind::Sd(sd) = model.kind() {
        out.push_str(&format!("- {}\n- keywords: {}\n", model.note(), sd.keywords.join(", ")));
    }
    out.push_str(
        "\nThe pages belong to their publishers; the model holds no text of theirs. The licence of \
         each corpus decides whether the model may be passed on.\n",
    );
    out
}
