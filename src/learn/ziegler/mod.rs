//! The labeler `threshold` of Ziegler & Skubacz 2007: conjunctive thresholds over eight features,
//! found by particle swarm; and the paper's experiments.
//!
//! Must not know: other labelers, how a command prints.

mod figures;
pub mod pso;
mod study;
mod tables;

use anyhow::Result;
use rayon::prelude::*;

use super::corpus::LabeledPage;
use super::metrics::optional::variants;
use super::pages;
use super::progress::{OnProgress, Progress};
use crate::extract::feature::eight;
use crate::extract::label::{Kind, Model, Thresholds};
use crate::extract::segment::Profile;
use crate::extract::text::function_ratio;
use pso::{Bound, Document, Documents, Settings, Swarm};

pub use figures::Alone;
pub use study::{Study, StudyOptions, study};

/// Trains on pages; the swarm is returned beside the model for its curve and card.
pub fn train(
    pages: &[&LabeledPage],
    profile: Profile,
    settings: &Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> Result<(Model, Swarm)> {
    let swarm = swarm(&documents(pages, profile, StopWords::Iso)?, settings, step, progress);
    Ok((model(&swarm, profile), swarm))
}

/// Runs the swarm with progress.
fn swarm(
    documents: &Documents,
    settings: &Settings,
    step: &str,
    progress: OnProgress<'_>,
) -> Swarm {
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
fn model(swarm: &Swarm, profile: Profile) -> Model {
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

/// The lists that the stop-word ratio counts (§3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StopWords {
    /// stopwords-iso, 35 to 1,298 words a language: what the labeler reads.
    Iso,
    /// Function words, 90 to 140 a language.
    Function,
}

/// Pages as the swarm sees them: eight features and the terms of each block.
fn documents(pages: &[&LabeledPage], profile: Profile, words: StopWords) -> Result<Documents> {
    let documents = pages
        .par_iter()
        .map(|page| {
            let segmented = pages::segment(page, profile)?;
            let mut features = eight::all(&segmented);
            if words == StopWords::Function {
                for (i, block) in features.iter_mut().enumerate() {
                    block[eight::STOP_WORDS] = function_ratio(segmented.text(i));
                }
            }
            let blocks: Vec<(Vec<f64>, String)> = features
                .iter()
                .enumerate()
                .map(|(i, f)| (f.map(f64::from).to_vec(), segmented.text(i).to_string()))
                .collect();
            let variants = variants(page.text(), &page.gold.optional);
            let ends = [variants.first(), variants.last().filter(|_| variants.len() > 1)];
            let golds: Vec<&str> = ends.into_iter().flatten().map(String::as_str).collect();
            Ok(Document::new(&blocks, &golds))
        })
        .collect::<Result<Vec<_>>>()?;
    let bound = |least: &bool| if *least { Bound::AtLeast } else { Bound::AtMost };
    Ok(Documents::new(eight::AT_LEAST.iter().map(bound).collect(), documents))
}

/// What the model card says of the swarm and its thresholds.
pub(super) fn card(settings: &Settings, swarm: &Swarm) -> String {
    let mut out = format!(
        "- swarm: n = {}, {} generations, cognitive {}, social {}, inertia {}, clamp {}, \
         mapping {}, seed {}\n- mean sim^σ on the training pages: {:.4} (generation {})\n\n\
         | feature | bound | threshold | position |\n|---|---|--:|--:|\n",
        settings.particles,
        settings.generations,
        settings.cognitive,
        settings.social,
        settings.inertia,
        settings.clamp,
        settings.mapping.name(),
        settings.seed,
        swarm.fitness,
        swarm.generation,
    );
    for (i, name) in eight::NAMES.iter().enumerate() {
        let (t, position) = (swarm.thresholds.get(i), swarm.position.get(i));
        out.push_str(&format!(
            "| {name} | {} | {:.4} | {:.3} |\n",
            if eight::AT_LEAST[i] { "≥" } else { "≤" },
            t.copied().unwrap_or(f64::NAN),
            position.copied().unwrap_or(f64::NAN),
        ));
    }
    out
}
