//! The baseline of Gibson et al. 2007 §3: one classifier finds where content begins, another where it
//! ends, and all between is content.
//!
//! Must not know: corpora, reports.

use super::{Document, Documents, Fitted, Settings, fit_to};
use crate::extract::label::chain::Form;
use crate::learn::chain::Outcome;

/// The two classifiers.
pub(super) struct Boundaries {
    begin: Fitted,
    end: Fitted,
}

impl Boundaries {
    /// Trains both as maximum-entropy classifiers.
    pub(super) fn train(
        documents: &Documents,
        chosen: &[usize],
        settings: &Settings,
    ) -> Boundaries {
        let mut settings = settings.clone();
        settings.chain.form = Form::Maxent;
        let mark = |at: Option<usize>, n: usize| {
            let mut labels = vec![0; n];
            if let Some(label) = at.and_then(|at| labels.get_mut(at)) {
                *label = 1;
            }
            labels
        };
        let begins = |d: &Document| mark(d.labels.iter().position(|l| *l == 1), d.labels.len());
        let ends = |d: &Document| mark(d.labels.iter().rposition(|l| *l == 1), d.labels.len());
        Boundaries {
            begin: fit_to(documents, chosen, &begins, &settings, &mut |_, _| ()),
            end: fit_to(documents, chosen, &ends, &settings, &mut |_, _| ()),
        }
    }

    /// How both trainings ended.
    pub(super) fn outcomes(&self) -> [Outcome; 2] {
        [self.begin.outcome, self.end.outcome]
    }

    /// Content or not, per block.
    pub(super) fn labels(&self, document: &Document) -> Vec<u16> {
        let begin = self.begin.probabilities(document);
        let end = self.end.probabilities(document);
        between(&begin, &end)
    }
}

/// From the first block with p(begin) > 0.5 to the last with p(end) > 0.5; where there is none, the
/// most confident one.
fn between(begin: &[f64], end: &[f64]) -> Vec<u16> {
    let sure = |p: &f64| *p > 0.5;
    let top = |ps: &[f64]| {
        let best = ps.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        best.map_or(0, |(i, _)| i)
    };
    let from = begin.iter().position(sure).unwrap_or_else(|| top(begin));
    let to = end.iter().rposition(sure).unwrap_or_else(|| top(end));
    (0..begin.len()).map(|i| u16::from((from..=to).contains(&i))).collect()
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn without_a_sure_boundary_the_most_confident_counts() {
        let check = |begin: &[f64], end: &[f64], expect: &[u16]| {
            assert_eq!(between(begin, end), expect);
        };
        check(&[0.0, 0.9, 0.9, 0.0], &[0.0, 0.6, 0.9, 0.1], &[0, 1, 1, 0]);
        check(&[0.0, 0.2, 0.3, 0.0], &[0.0, 0.1, 0.1, 0.2], &[0, 0, 1, 1]);
        check(&[0.0, 0.0, 0.9], &[0.9, 0.0, 0.0], &[0, 0, 0]);
        check(&[], &[], &[]);
    }
}
