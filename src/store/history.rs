//! What makes the counts, and since when: models as rows addressed by their hash with one pointer to
//! the one in use, and the recounts that brand sets caused. Kept as named values of any [`Store`].
//!
//! Must not know: what a model is, how brands are matched.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Result, Store, StoreError};
use crate::model::{Day, Millis};

/// The history of models in use; its last entry is the pointer.
const MODELS: &str = "models";
/// The history of brand sets.
const RECOUNTS: &str = "recounts";

/// A model that was put into use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployment {
    /// Hash of the model.
    pub id: String,
    /// Since when it labels (UTC milliseconds).
    pub at: Millis,
    pub origin: Origin,
}

/// Who chose a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// It came with the program; that of a newer program replaces it.
    Shipped,
    /// Somebody deployed it; it stays until somebody deploys another.
    Deployed,
}

impl Origin {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Origin::Shipped => "shipped",
            Origin::Deployed => "deployed",
        }
    }
}

/// Models put into use, oldest first; the last is the one in use.
pub fn deployments(store: &dyn Store) -> Result<Vec<Deployment>> {
    read(store, MODELS)
}

/// The bytes of a model that was in use once.
pub fn model(store: &dyn Store, id: &str) -> Result<Option<Vec<u8>>> {
    store.meta(&row(id))
}

/// Keeps a model as a row, then points to it. A crash between the two leaves the row, and the old
/// model in use.
pub fn deploy(store: &dyn Store, deployment: &Deployment, bytes: &[u8]) -> Result<()> {
    if model(store, &deployment.id)?.as_deref() != Some(bytes) {
        store.set_meta(&row(&deployment.id), bytes)?;
    }
    let mut all = deployments(store)?;
    all.push(deployment.clone());
    write(store, MODELS, &all)
}

fn row(id: &str) -> String {
    format!("model {id}")
}

/// A brand set that was put into use, and the days whose counts that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recounted {
    /// Version of the brand set.
    pub version: String,
    pub at: Millis,
    /// No brands were watched before.
    pub first: bool,
    /// Brand → runs of days (first, last) whose counts differ from those before.
    pub changed: BTreeMap<String, Vec<(Day, Day)>>,
}

/// Recounts, oldest first. One that was noted and never finished is not among them.
pub fn recounts(store: &dyn Store) -> Result<Vec<Recounted>> {
    let mut all: Vec<Recounted> = read(store, RECOUNTS)?;
    let current = store.brand_set()?.version;
    all.pop_if(|last| last.version != current);
    Ok(all)
}

/// Notes a recount that is about to be finished.
pub fn note_recount(store: &dyn Store, recounted: Recounted) -> Result<()> {
    let mut all = recounts(store)?;
    all.push(recounted);
    write(store, RECOUNTS, &all)
}

/// Days as runs without gaps.
pub fn runs(days: impl IntoIterator<Item = Day>) -> Vec<(Day, Day)> {
    let mut runs: Vec<(Day, Day)> = Vec::new();
    for day in days {
        match runs.last_mut() {
            Some((_, last)) if last.tomorrow().is_ok_and(|next| next >= day) => {
                *last = day.max(*last);
            }
            _ => runs.push((day, day)),
        }
    }
    runs
}

fn read<T: DeserializeOwned>(store: &dyn Store, name: &str) -> Result<Vec<T>> {
    let Some(bytes) = store.meta(name)? else { return Ok(Vec::new()) };
    serde_json::from_slice(&bytes)
        .map_err(|e| StoreError::Other(format!("the value `{name}` cannot be read: {e}")))
}

fn write<T: Serialize>(store: &dyn Store, name: &str, all: &[T]) -> Result<()> {
    let bytes = serde_json::to_vec(all)
        .map_err(|e| StoreError::Other(format!("the value `{name}` cannot be written: {e}")))?;
    store.set_meta(name, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::BrandSet;

    fn day(text: &str) -> Day {
        text.parse().expect("a day")
    }

    #[test]
    fn the_last_deployment_is_the_pointer_and_rows_stay() {
        let store = crate::store::memory();
        let of = |id: &str, at, origin| Deployment { id: id.into(), at, origin };
        let first = of("a", 1, Origin::Shipped);
        let second = of("b", 2, Origin::Deployed);
        deploy(store.as_ref(), &first, b"one").expect("memory");
        deploy(store.as_ref(), &second, b"two").expect("memory");
        assert_eq!(deployments(store.as_ref()).expect("memory"), [first, second]);
        assert_eq!(model(store.as_ref(), "a").expect("memory").as_deref(), Some(&b"one"[..]));
        assert_eq!(model(store.as_ref(), "c").expect("memory"), None);
    }

    #[test]
    fn a_recount_that_never_ended_is_not_told() {
        let store = crate::store::memory();
        let note = |version: &str, at| {
            let recounted =
                Recounted { version: version.into(), at, first: false, changed: BTreeMap::new() };
            note_recount(store.as_ref(), recounted).expect("memory");
        };
        let finish = |version: &str| {
            let set = BrandSet { version: version.into(), ..BrandSet::default() };
            store
                .recount_finish(&set, &store.brand_set().expect("memory").version)
                .expect("memory");
        };
        let told = || -> Vec<String> {
            let all = recounts(store.as_ref()).expect("memory");
            all.into_iter().map(|r| r.version).collect()
        };
        note("v1", 1);
        finish("v1");
        note("v2", 2);
        assert_eq!(told(), ["v1"]);
        note("v3", 3);
        finish("v3");
        assert_eq!(told(), ["v1", "v3"]);
    }

    #[test]
    fn days_without_gaps_are_one_run() {
        let days = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-03"].map(day);
        let expect =
            [(day("2026-02-27"), day("2026-03-01")), (day("2026-03-03"), day("2026-03-03"))];
        assert_eq!(runs(days), expect);
        assert_eq!(runs([]), []);
    }
}
