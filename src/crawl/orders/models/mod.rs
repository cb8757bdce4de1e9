//! The model in use: what the store points to, or what came with the program where nobody chose
//! another. A deployed model labels the next page; articles keep the model that labeled them.
//!
//! Must not know: where a model file came from, how a labeler works.

use std::sync::{Arc, LazyLock, RwLock};

use anyhow::{Result, bail};

use crate::extract::{Model, trial};
use crate::store::decision::{Deployment, Origin, Who};
use crate::store::{self, Store, history};

use crate::crawl::Engine;
use crate::crawl::clock::now;

/// Largest model that is deployed, in bytes.
pub const LARGEST: usize = 10 << 20;

/// What a deployment did.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Deployed {
    pub id: String,
    /// Model in use before, if there was one.
    pub previous: Option<String>,
    /// It was in use already: nothing was done.
    pub unchanged: bool,
}

/// Why an engine has no model to label with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the deployed model {id} cannot be used: {why}; `crawler model deploy` without a file returns to \
     the one that came with the program"
)]
pub struct Unusable {
    id: String,
    why: String,
}

/// The model that an engine labels with: the one that the store points to.
pub(in crate::crawl) type CurrentModel = RwLock<Result<Arc<Model>, Unusable>>;

/// The model that came with the program.
fn own() -> Arc<Model> {
    static OWN: LazyLock<Arc<Model>> = LazyLock::new(|| Arc::new(Model::embedded()));
    OWN.clone()
}

/// Id of the deployed model that the store points to; `None`: the program's own is in use.
fn pointer(store: &dyn Store) -> store::Result<Option<String>> {
    let last = history::deployments(store)?.pop();
    Ok(last.filter(|last| last.origin == Origin::Deployed).map(|last| last.id))
}

/// The model that the store points to.
pub(in crate::crawl) fn pointed(store: &dyn Store) -> store::Result<Result<Arc<Model>, Unusable>> {
    let Some(id) = pointer(store)? else { return Ok(Ok(own())) };
    let read = match history::model(store, &id)? {
        Some(bytes) => Model::load(&bytes).map_err(|error| error.to_string()),
        None => Err("it is not in the store".into()),
    };
    Ok(read.map(Arc::new).map_err(|why| Unusable { id, why }))
}

/// At the beginning of a run: takes up the model that the store points to. Where nobody deployed one,
/// the program's own is noted as in use.
pub fn begin(engine: &Engine) -> Result<()> {
    match pointer(engine.store.as_ref())? {
        Some(_) => follow(engine),
        None => ship(engine, &Who::program()).map(drop),
    }
}

/// Takes up the model that another process may have deployed since. Nothing is noted: crawlers of
/// two versions on one database would go on contradicting each other.
pub fn follow(engine: &Engine) -> Result<()> {
    let store = engine.store.as_ref();
    let id = pointer(store)?.unwrap_or_else(|| own().id().to_owned());
    if engine.model().is_ok_and(|model| model.id() == id) {
        return Ok(());
    }
    let model = pointed(store)??;
    tracing::info!(model = model.id(), "another model in use");
    *engine.model.write().unwrap_or_else(|e| e.into_inner()) = Ok(model);
    Ok(())
}

/// Puts a model file into use: from the next page on, and after restarts. Errors are sentences.
pub fn deploy(engine: &Engine, who: &Who, bytes: &[u8]) -> Result<Deployed> {
    if bytes.len() > LARGEST {
        bail!("the model has {} bytes, more than the {LARGEST} that are deployed", bytes.len());
    }
    switch(engine, who, Arc::new(checked(bytes)?), bytes, Origin::Deployed)
}

/// Back to the model that came with the program.
pub fn ship(engine: &Engine, who: &Who) -> Result<Deployed> {
    let model = own();
    let bytes = model.bytes();
    switch(engine, who, model, &bytes, Origin::Shipped)
}

/// Reads a model and tries it on a page of ours.
pub fn checked(bytes: &[u8]) -> Result<Model> {
    let model = Model::load(bytes)?;
    trial::trial(&model).map_err(anyhow::Error::msg)?;
    Ok(model)
}

fn switch(
    engine: &Engine,
    who: &Who,
    model: Arc<Model>,
    bytes: &[u8],
    origin: Origin,
) -> Result<Deployed> {
    // Held over both writes: two deployments do not mix, and a page sees one model or the other.
    let mut current = engine.model.write().unwrap_or_else(|e| e.into_inner());
    let store = engine.store.as_ref();
    let last = history::deployments(store)?.pop();
    let id = model.id().to_owned();
    let unchanged = last.as_ref().is_some_and(|d| d.id == id && d.origin == origin);
    if !unchanged {
        let deployment = Deployment { id: id.clone(), at: now(), origin };
        history::deploy(store, who, &deployment, bytes)?;
    }
    *current = Ok(model);
    Ok(Deployed { id, previous: last.map(|d| d.id), unchanged })
}

#[cfg(test)]
pub(in crate::crawl) mod tests;
