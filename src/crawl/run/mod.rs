//! The run itself: a dispatcher leases what is due, each lease is drained by one task, outcomes go through
//! one committer; beside it upkeep of the store and pushes of hubs. Here is how a run begins and ends.
//!
//! Must not know: how a request is made, what operators order while it runs.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::sync::watch;

use crate::archive::Archive;

mod alerts;
pub(super) mod commit;
mod deliveries;
mod dispatch;
pub(super) mod prints;
pub mod retention;
mod upkeep;

use super::Engine;
use super::clock::now;
use super::orders::{brands, models};
use super::web::{lineage, websub};

/// How often the store is asked whether another process has deployed a model or changed the brands.
const NOTICE: Duration = Duration::from_secs(5);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Entries still pending.
    pub pending: u64,
}

/// Runs the crawl until `shutdown` turns true: requests under way are finished and committed, no
/// new ones begin. With `once`, every feed is polled once and the run ends by itself when no
/// attempt is due within the patience.
pub async fn run(
    engine: Arc<Engine>,
    once: bool,
    mut shutdown: watch::Receiver<bool>,
) -> Result<Ended> {
    engine.once.store(if once { now() } else { 0 }, Ordering::Relaxed);
    if let Some(dir) = &engine.settings.archive.dir {
        let software = format!("{}/{}", engine.settings.token, env!("CARGO_PKG_VERSION"));
        let archive = Archive::open(dir, &engine.settings.archive, &software)?;
        let _ = engine.archive.set(archive);
    }
    let starting = engine.clone();
    let (committer, thread) = tokio::task::spawn_blocking(move || {
        models::begin(&starting)?;
        starting.websub.load(starting.store.as_ref())?;
        lineage::derive(&starting.voices, starting.store.as_ref(), now())?;
        commit::start(starting)
    })
    .await??;
    if once {
        let store = engine.store.clone();
        tokio::task::spawn_blocking(move || store.poll_all_now(now())).await??;
    }
    let upkeep = tokio::spawn(upkeep::upkeep(engine.clone(), shutdown.clone()));
    let telling = (!once).then(|| tokio::spawn(alerts::watch(engine.clone(), shutdown.clone())));
    let (ended, end) = watch::channel(false);
    let meanwhile = once.then(|| tokio::spawn(alerts::meanwhile(engine.clone(), end)));
    let subscriber = engine.settings.websub.callback.is_some() && !once;
    let hubs = subscriber.then(|| {
        let (engine, committer, stop) = (engine.clone(), committer.clone(), shutdown.clone());
        // A hub that is slow to answer keeps no delivery waiting.
        tokio::spawn(async move {
            tokio::join!(
                websub::ask_hubs(&engine, stop.clone()),
                deliveries::take_all(&engine, &committer, stop)
            )
        })
    });
    let dispatched = dispatch::dispatch(&engine, &committer, once, &mut shutdown).await;
    upkeep.abort();
    if let Some(telling) = telling {
        // An attempt under way is made again later.
        telling.abort();
    }
    if let Some(hubs) = hubs {
        // It holds the committer; a delivery that it is committing is whole or not at all.
        hubs.abort();
        let _ = hubs.await;
    }
    if let Some(meanwhile) = meanwhile {
        // Two looks at once would tell the same twice.
        let _ = ended.send(true);
        let _ = meanwhile.await;
    }
    dispatched?;
    drop(committer);
    tokio::task::spawn_blocking(move || thread.join()).await?.ok().context("committer panicked")?;
    if once && engine.failure.get().is_none() {
        alerts::once(&engine).await?;
    }
    if let Some(archive) = engine.archive.get() {
        archive.finish()?;
    }
    if let Some(message) = engine.failure.get() {
        anyhow::bail!("{message}");
    }
    let store = engine.store.clone();
    let due =
        tokio::task::spawn_blocking(move || store.flush().and_then(|()| store.due())).await??;
    Ok(Ended { pending: due.pending })
}

/// Takes up the model and the brands that another process on the same database has put into use.
fn follow(engine: &Engine) -> Result<()> {
    models::follow(engine)?;
    brands::refresh(engine)
}

/// Answers questions only, until `shutdown` turns true: brands and model follow what others on the
/// same database have put into use.
pub async fn attend(engine: &Arc<Engine>, mut shutdown: watch::Receiver<bool>) -> Result<Ended> {
    let telling = tokio::spawn(alerts::watch(engine.clone(), shutdown.clone()));
    while !*shutdown.borrow() {
        let attending = engine.clone();
        let due = tokio::task::spawn_blocking(move || -> Result<_> {
            follow(&attending)?;
            Ok(attending.store.due()?)
        });
        engine.progress.pending(due.await??.pending);
        engine.progress.beat(now());
        tokio::select! {
            () = tokio::time::sleep(NOTICE) => {}
            _ = shutdown.changed() => {}
        }
    }
    telling.abort();
    Ok(Ended { pending: engine.progress.read().pending })
}
