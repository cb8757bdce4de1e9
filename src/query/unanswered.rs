//! Why a question has no answer: it names something that is not there, or the store fails.
//!
//! Must not know: how the sentence reaches whoever asked.

use crate::mention::LexiconError;
use crate::model::{Day, UrlKey};
use crate::search;
use crate::store::{Store, StoreError};

/// An answer, or why there is none.
pub type Answered<T> = Result<T, Unanswered>;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    #[error("no article has the key {0}; see `crawler articles`")]
    NoArticle(UrlKey),
    #[error("no story has the id {0}; see `crawler stories`")]
    NoStory(UrlKey),
    #[error("{member} is no article of the story {story}")]
    NotInStory { story: UrlKey, member: UrlKey },
    #[error("no brand is named `{name}`{}", instead(.name, .watched))]
    NoBrand { name: String, watched: Vec<String> },
    #[error("no feed has the URL or key `{0}`; see `crawler feeds`")]
    NoFeed(String),
    #[error("no outlet is named `{0}`; see `crawler outlets`")]
    NoOutlet(String),
    #[error("`{name}` is not the name of an outlet: {why}; see `crawler outlets`")]
    NotAnOutlet { name: String, why: String },
    #[error("{0}")]
    NoLanguage(String),
    #[error("no alert is named `{0}`; see `crawler alerts`")]
    NoAlert(String),
    #[error("`{query}` is in more than {most} articles: ask for rarer words")]
    TooCommon { query: String, most: usize },
    #[error("the first day, {from}, is after the last, {to}: give a later last day (`--to`)")]
    Reversed { from: Day, to: Day },
    #[error("a report has at most {most} days: ask for fewer")]
    TooLong { most: i64 },
    #[error("no note has the id `{0}`; see `crawler notes`")]
    NoNote(String),
    #[error(transparent)]
    Search(#[from] search::Failed),
    #[error("{0}")]
    Answers(String),
    #[error(transparent)]
    Brand(#[from] LexiconError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Is the brand watched, if one is named?
pub fn known_brand(store: &dyn Store, brand: Option<&str>) -> Answered<()> {
    let Some(name) = brand else { return Ok(()) };
    let watched = store.brand_set()?.brands;
    if watched.iter().any(|brand| brand.name == name) {
        return Ok(());
    }
    let watched = watched.into_iter().map(|brand| brand.name).collect();
    Err(Unanswered::NoBrand { name: name.into(), watched })
}

/// What is watched instead: the same in another letter case, or the first and how many more.
fn instead(name: &str, watched: &[String]) -> String {
    const MOST: usize = 20;
    let folded = name.to_lowercase();
    if let Some(meant) = watched.iter().find(|one| one.to_lowercase() == folded) {
        return format!("; `{meant}` is watched");
    }
    match watched {
        [] => ": none is watched; `crawler brands add` watches one".into(),
        all if all.len() > MOST => {
            let (first, more) = all.split_at(MOST);
            format!(
                "; watched are: {} and {} more (`crawler brands list`)",
                first.join(", "),
                more.len()
            )
        }
        all => format!("; watched are: {}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hundreds of names stood in the error, and the one that was meant among them.
    #[test]
    fn a_name_that_is_not_watched_leads_to_one_that_is() {
        let many: Vec<String> = (0..300).map(|n| format!("Brand {n}")).collect();
        let few = ["Acme".to_owned(), "Löwe".to_owned()];
        for (name, watched, said) in [
            ("A", &[][..], ": none is watched; `crawler brands add` watches one"),
            ("A", &few, "; watched are: Acme, Löwe"),
            ("acme", &few, "; `Acme` is watched"),
            ("LÖWE", &few, "; `Löwe` is watched"),
            ("brand 250", &many, "; `Brand 250` is watched"),
        ] {
            assert_eq!(instead(name, watched), said);
        }
        let said = instead("A", &many);
        assert!(said.ends_with("Brand 19 and 280 more (`crawler brands list`)"), "{said}");
    }
}
