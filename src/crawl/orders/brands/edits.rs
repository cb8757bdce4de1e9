//! What somebody wants of the watched brands, and which are watched then.
//!
//! Must not know: the store, what is counted.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::mention;
use crate::model::*;
use crate::query::Unanswered;

/// Brands that the log names of one decision.
const NAMED: usize = 100;

/// What is to become of the watched brands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edit {
    /// These are watched, too; one that is watched already is matched as it says here.
    Add(Vec<Brand>),
    /// These are watched, and no others.
    Replace(Vec<Brand>),
    /// These are watched no more.
    Remove(Vec<String>),
    /// The same are watched; every text is matched again.
    Keep,
    /// Answers about mentions of a brand: which are meant, and which stand for something else. A model of
    /// context says the rest.
    Teach { brand: String, answers: Vec<MentionAnswer> },
}

impl Edit {
    /// The brands to watch instead of those `watched` now.
    pub(super) fn applied(self, mut watched: Vec<Brand>) -> Result<Vec<Brand>> {
        match self {
            Edit::Add(brands) => {
                if brands.iter().any(|brand| brand.name.trim().is_empty()) {
                    bail!("the name of the brand is empty");
                }
                mention::brands::check(&brands, &watched)?;
                no_twins(&brands, &watched)?;
                for brand in brands {
                    match watched.iter_mut().find(|known| known.name == brand.name) {
                        Some(known) => *known = brand,
                        None => watched.push(brand),
                    }
                }
            }
            Edit::Replace(brands) => {
                let mut names = HashSet::new();
                if let Some(twice) = brands.iter().find(|b| !names.insert(b.name.as_str())) {
                    bail!("the brand `{}` is listed twice", twice.name);
                }
                mention::brands::check(&brands, &watched)?;
                watched.retain(|known| brands.iter().any(|brand| brand.name == known.name));
                no_twins(&brands, &watched)?;
                watched = brands;
            }
            Edit::Remove(names) => {
                for name in &names {
                    if !watched.iter().any(|brand| brand.name == *name) {
                        let watched = watched.into_iter().map(|brand| brand.name).collect();
                        return Err(Unanswered::NoBrand { name: name.clone(), watched }.into());
                    }
                }
                watched.retain(|brand| !names.contains(&brand.name));
            }
            Edit::Teach { brand, .. } => {
                if !watched.iter().any(|known| known.name == brand) {
                    let watched = watched.into_iter().map(|brand| brand.name).collect();
                    return Err(Unanswered::NoBrand { name: brand, watched }.into());
                }
            }
            Edit::Keep => {}
        }
        Ok(watched)
    }

    /// For the log.
    pub(super) fn words(&self) -> String {
        let names = |brands: &[Brand]| listed(brands.iter().map(|brand| brand.name.as_str()));
        match self {
            Edit::Add(brands) => format!("watched: {}", names(brands)),
            Edit::Replace(brands) if brands.is_empty() => "watched: none".into(),
            Edit::Replace(brands) => format!("watched, and no others: {}", names(brands)),
            Edit::Remove(removed) => {
                format!("no longer watched: {}", listed(removed.iter().map(String::as_str)))
            }
            Edit::Keep => "all texts matched again".into(),
            Edit::Teach { brand, answers } => {
                let of = |meant| answers.iter().filter(|told| told.meant == meant).count();
                format!(
                    "mentions of {brand} answered: {} meant, {} something else, {} removed",
                    of(Some(true)),
                    of(Some(false)),
                    of(None)
                )
            }
        }
    }
}

/// Refuses a new name that is another's but for white space: they look the same in every table, and count the
/// same mentions.
fn no_twins(given: &[Brand], watched: &[Brand]) -> Result<()> {
    let words = |brand: &Brand| brand.name.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut known: HashMap<String, &str> =
        watched.iter().map(|brand| (words(brand), brand.name.as_str())).collect();
    let new = |brand: &&Brand| !watched.iter().any(|known| known.name == brand.name);
    for brand in given.iter().filter(new) {
        match known.insert(words(brand), &brand.name) {
            Some(other) if other != brand.name => {
                bail!("`{}` is the name of the brand `{other}` but for blanks", brand.name)
            }
            _ => {}
        }
    }
    Ok(())
}

/// Names of brands, the first of many.
pub fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut listed = names.take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        listed += &format!(" and {more} more");
    }
    listed
}
