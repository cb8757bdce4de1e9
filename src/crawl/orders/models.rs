//! The model in use: what the store points to, or what came with the program where nobody chose
//! another. A deployed model labels the next page; articles keep the model that labeled them.
//!
//! Must not know: where a model file came from, how a labeler works.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::extract::{Model, trial};
use crate::store::history::{self, Deployment, Origin};

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

/// Puts a model into use: from the next page on, and after restarts. Errors are sentences.
pub fn deploy(engine: &Engine, bytes: &[u8]) -> Result<Deployed> {
    if bytes.len() > LARGEST {
        bail!("the model has {} bytes, more than the {LARGEST} that are deployed", bytes.len());
    }
    let model = checked(bytes)?;
    switch(engine, model, bytes, Origin::Deployed)
}

/// Back to the model that came with the program.
pub fn ship(engine: &Engine) -> Result<Deployed> {
    let model = engine.shipped.as_ref().clone();
    let bytes = model.bytes();
    switch(engine, model, &bytes, Origin::Shipped)
}

/// As [`deploy`], from the text form that commands carry.
pub fn deploy_text(engine: &Engine, text: &str) -> Result<Deployed> {
    deploy(engine, &BASE64_STANDARD.decode(text).context("the model was damaged on its way")?)
}

/// The text form of a model file.
pub fn to_text(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Reads a model and tries it on a page of ours.
pub fn checked(bytes: &[u8]) -> Result<Model> {
    let model = Model::load(bytes)?;
    trial::trial(&model).map_err(anyhow::Error::msg)?;
    Ok(model)
}

fn switch(engine: &Engine, model: Model, bytes: &[u8], origin: Origin) -> Result<Deployed> {
    // Held over both writes: two deployments do not mix, and a page sees one model or the other.
    let mut current = engine.model.write().unwrap_or_else(|e| e.into_inner());
    let store = engine.store.as_ref();
    let last = history::deployments(store)?.pop();
    let id = model.id().to_owned();
    let unchanged = last.as_ref().is_some_and(|d| d.id == id && d.origin == origin);
    if !unchanged {
        let deployment = Deployment { id: id.clone(), at: now(), origin };
        history::deploy(store, &deployment, bytes)?;
    }
    *current = Arc::new(model);
    Ok(Deployed { id, previous: last.map(|d| d.id), unchanged })
}

/// Takes up the model that the store points to, at the beginning of a run. Where nobody chose a model,
/// the program's own is noted as in use.
pub fn settle(engine: &Engine) -> Result<()> {
    match history::deployments(engine.store.as_ref())?.pop() {
        Some(Deployment { id, origin: Origin::Deployed, .. }) => take_up(engine, &id),
        _ => ship(engine).map(drop),
    }
}

/// Takes up the model that another process may have deployed since. Nothing is noted: crawlers of
/// two versions on one database would go on contradicting each other.
pub fn follow(engine: &Engine) -> Result<()> {
    match history::deployments(engine.store.as_ref())?.pop() {
        Some(Deployment { id, origin: Origin::Deployed, .. }) => take_up(engine, &id),
        _ => {
            let mut current = engine.model.write().unwrap_or_else(|e| e.into_inner());
            current.clone_from(&engine.shipped);
            Ok(())
        }
    }
}

fn take_up(engine: &Engine, id: &str) -> Result<()> {
    if engine.model.read().unwrap_or_else(|e| e.into_inner()).id() == id {
        return Ok(());
    }
    let bytes = history::model(engine.store.as_ref(), id)?
        .with_context(|| format!("the deployed model {id} is not in the store"))?;
    let model = Model::load(&bytes).map_err(|error| {
        anyhow::anyhow!(
            "the deployed model {id} cannot be used: {error}; `crawler model deploy` \
             without a file returns to the one that came with the program"
        )
    })?;
    tracing::info!(model = model.id(), "deployed model in use");
    *engine.model.write().unwrap_or_else(|e| e.into_inner()) = Arc::new(model);
    Ok(())
}

#[cfg(test)]
mod tests;
