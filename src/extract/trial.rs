//! A page of our own that any usable model reads: before a model is deployed it must.
//!
//! Must not know: where the model comes from.

use super::{Hints, Limits, Model, article};

/// Navigation, an article of four paragraphs, teasers, a footer.
const PAGE: &str = include_str!("trial.html");
/// A sentence of each paragraph.
const SENTENCES: [&str; 4] = [
    "closed the lock on Thursday morning",
    "had to wait for most of the day",
    "was built in 1931 and repaired",
    "would open again before the weekend",
];

/// Reads the page with the model; an error says what is wrong with it, in a sentence.
pub fn trial(model: &Model) -> Result<(), String> {
    let extraction = article(PAGE, &Hints::default(), model, &Limits::default());
    let found = extraction.article;
    let missing = SENTENCES.iter().filter(|s| !found.text.contains(*s)).count();
    if found.fallback {
        return Err("the model finds no article on a plain page: it cannot be used".to_owned());
    }
    if missing > SENTENCES.len() / 2 {
        return Err(format!(
            "the model misses {missing} of {} paragraphs of a plain page: it cannot be used",
            SENTENCES.len()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::label::{Kind, Thresholds};
    use crate::extract::segment::Profile;

    #[test]
    fn good_models_pass_and_a_useless_one_does_not() {
        for model in [Model::embedded(), Model::by_hand(), Model::pr()] {
            assert_eq!(trial(&model), Ok(()), "{}", model.kind().name());
        }
        let values = [f32::NAN; 8];
        let none = Kind::Threshold(Thresholds { values, quantiles: Vec::new() });
        assert!(trial(&Model::new(Profile::Modern, none, "")).is_err());
    }
}
