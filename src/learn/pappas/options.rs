//! What a study of Pappas et al. 2012 runs on.
//!
//! Must not know: trees, figures.

use std::path::PathBuf;

use super::Settings;
use crate::extract::segment::Profile;

/// What to study.
#[derive(Clone, Debug)]
pub struct StudyOptions {
    pub corpora: Vec<PathBuf>,
    pub profile: Profile,
    pub settings: Settings,
    /// Pages per class, 200 in the paper.
    pub per_class: usize,
    /// Random draws per point of a curve.
    pub draws: usize,
    /// Folds; one of them is trained on, the others are tested.
    pub folds: usize,
    pub seed: u64,
}
