//! What a study of Gibson et al. 2007 runs on.
//!
//! Must not know: documents, models.

use std::path::PathBuf;

/// A labeler placed beside the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    Threshold,
    Svm,
    Sd,
    Trees,
}

impl Beside {
    /// In the order of the table.
    pub const ALL: [Beside; 4] = [Beside::Threshold, Beside::Svm, Beside::Sd, Beside::Trees];

    /// The labeler's name.
    pub fn name(self) -> &'static str {
        match self {
            Beside::Threshold => "threshold",
            Beside::Svm => "svm",
            Beside::Sd => "sd",
            Beside::Trees => "trees",
        }
    }
}

/// What to study.
#[derive(Clone, Debug)]
pub struct StudyOptions {
    pub corpora: Vec<PathBuf>,
    pub page_types: Vec<String>,
    /// Publishers with fewer pages are left out: their pages cannot be in both parts of a mixed split.
    pub least_per_source: usize,
    /// At most so many pages of a publisher.
    pub most_per_source: usize,
    /// At most so many pages in all.
    pub pages: usize,
    /// Articles that copies are made of, and copies of each.
    pub articles: usize,
    pub copies: usize,
    pub folds: usize,
    pub seed: u64,
    /// Standard deviations of the prior that are tried.
    pub sigmas: Vec<f64>,
    /// At most so many steps of L-BFGS per training.
    pub iterations: usize,
    /// A language whose documents are studied for themselves, too: the paper had one.
    pub language: String,
    /// Labelers to place beside the paper's on untouched pages of unseen sources.
    pub beside: Vec<Beside>,
}

impl Default for StudyOptions {
    fn default() -> Self {
        StudyOptions {
            corpora: Vec::new(),
            page_types: vec!["article".into()],
            least_per_source: 4,
            most_per_source: 8,
            pages: 480,
            articles: 120,
            copies: 3,
            folds: 4,
            seed: 1,
            sigmas: vec![0.1, 1.0, 10.0, 100.0],
            iterations: 250,
            language: "en".into(),
            beside: Beside::ALL.to_vec(),
        }
    }
}
