//! What makes the counts, and since when: models as rows addressed by their hash, the one in use being
//! that of the last decision about models; and the recounts that brand sets caused.
//!
//! Must not know: what a model is, how brands are matched.

use serde::de::DeserializeOwned;

use super::decision::{Change, Decision, Deployment, Effect, Origin, Recounted, Topic, Via, Who};
use super::{Result, Store, StoreError};
use crate::model::Day;

/// Named values in which older versions kept these histories.
pub(super) const VALUES: [&str; 2] = ["models", "recounts"];

/// Models put into use, oldest first; the last is the one in use.
pub fn deployments(store: &dyn Store) -> Result<Vec<Deployment>> {
    effects(store, Topic::Model, |effect| match effect {
        Effect::Model(deployment) => Some(deployment),
        Effect::Brands(_) => None,
    })
}

/// The bytes of a model that was in use once.
pub fn model(store: &dyn Store, id: &str) -> Result<Option<Vec<u8>>> {
    store.meta(&row(id))
}

/// Keeps a model as a row, then points to it. A crash between the two leaves the row, and the old
/// model in use.
pub fn deploy(store: &dyn Store, who: &Who, deployment: &Deployment, bytes: &[u8]) -> Result<()> {
    if model(store, &deployment.id)?.as_deref() != Some(bytes) {
        store.set_meta(&row(&deployment.id), bytes)?;
    }
    store.change(Change::Nothing, Some(&deployed(who.clone(), deployment.clone()))).map(drop)
}

/// The decision to use a model.
fn deployed(who: Who, deployment: Deployment) -> Decision {
    let words = match deployment.origin {
        Origin::Shipped => format!("model {} in use, which came with the program", deployment.id),
        Origin::Deployed => format!("model {} deployed", deployment.id),
    };
    let effect = Some(Effect::Model(deployment.clone()));
    Decision { at: deployment.at, who, topic: Topic::Model, words, effect }
}

fn row(id: &str) -> String {
    format!("model {id}")
}

/// Recounts, oldest first.
pub fn recounts(store: &dyn Store) -> Result<Vec<Recounted>> {
    effects(store, Topic::Brands, |effect| match effect {
        Effect::Brands(recounted) => Some(recounted),
        Effect::Model(_) => None,
    })
}

/// What the decisions about a topic did, oldest first.
fn effects<T>(store: &dyn Store, topic: Topic, of: impl Fn(Effect) -> Option<T>) -> Result<Vec<T>> {
    let mut found = Vec::new();
    store.decisions(Some(topic), &mut |decision| {
        found.extend(decision.effect.and_then(&of));
        true
    })?;
    found.reverse();
    Ok(found)
}

/// The decisions that a named value of an older version stands for, oldest first; `None`: it is
/// another value. `version` is that of the brand set in use: a recount that was noted and never
/// finished is left out.
pub(super) fn told_by(name: &str, value: &[u8], version: &str) -> Result<Option<Vec<Decision>>> {
    let who = Who { name: String::new(), via: Via::Unknown };
    let decisions = match VALUES.iter().position(|known| *known == name) {
        Some(0) => {
            let all: Vec<Deployment> = read(name, value)?;
            all.into_iter().map(|deployment| deployed(who.clone(), deployment)).collect()
        }
        Some(_) => {
            let mut all: Vec<Recounted> = read(name, value)?;
            all.pop_if(|last| last.version != version);
            let decision = |recounted: Recounted| Decision {
                at: recounted.at,
                who: who.clone(),
                topic: Topic::Brands,
                words: format!("brand set {} in use", recounted.version),
                effect: Some(Effect::Brands(recounted)),
            };
            all.into_iter().map(decision).collect()
        }
        None => return Ok(None),
    };
    Ok(Some(decisions))
}

fn read<T: DeserializeOwned>(name: &str, value: &[u8]) -> Result<Vec<T>> {
    serde_json::from_slice(value)
        .map_err(|e| StoreError::Other(format!("the value `{name}` cannot be read: {e}")))
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::model::Millis;

    fn day(text: &str) -> Day {
        text.parse().expect("a day")
    }

    #[test]
    fn the_last_deployment_is_the_pointer_and_rows_stay() {
        let store = crate::store::memory();
        let of = |id: &str, at, origin| Deployment { id: id.into(), at, origin };
        let first = of("a", 1, Origin::Shipped);
        let second = of("b", 2, Origin::Deployed);
        let who = Who::program();
        deploy(store.as_ref(), &who, &first, b"one").expect("memory");
        deploy(store.as_ref(), &who, &second, b"two").expect("memory");
        assert_eq!(deployments(store.as_ref()).expect("memory"), [first, second]);
        assert_eq!(model(store.as_ref(), "a").expect("memory").as_deref(), Some(&b"one"[..]));
        assert_eq!(model(store.as_ref(), "c").expect("memory"), None);
    }

    #[test]
    fn a_recount_that_never_ended_is_not_told() {
        let recounted = |version: &str, at| Recounted {
            version: version.into(),
            at,
            first: false,
            changed: BTreeMap::new(),
        };
        let value = serde_json::to_vec(&[recounted("v1", 1), recounted("v2", 2)]).expect("JSON");
        let told = |version| -> Vec<Millis> {
            let all = told_by("recounts", &value, version).expect("a list").expect("recounts");
            all.into_iter().map(|decision| decision.at).collect()
        };
        assert_eq!(told("v1"), [1]);
        assert_eq!(told("v2"), [1, 2]);
        assert_eq!(told_by("timezone", b"UTC", "v1").expect("another"), None);
        assert!(told_by("models", b"{", "v1").is_err());
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
