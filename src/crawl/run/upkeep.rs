//! What the daemon does for its store now and then: lets go what has reached its age, writes anew what
//! takes less room now, and gives back memory that is held for reading and disk space that overwritten records still take.
//!
//! Must not know: how the store lies on disk.

use std::sync::Arc;

use tokio::sync::watch;

use super::{prints, retention};
use crate::crawl::Engine;
use crate::crawl::clock;
use crate::model::{HOUR, Millis};

/// Time between two looks at the store, by the clock that work is due by.
const EVERY: Millis = HOUR;

/// Runs until `shutdown` turns true.
pub(in crate::crawl) async fn upkeep(engine: Arc<Engine>, mut shutdown: watch::Receiver<bool>) {
    while !*shutdown.borrow() {
        let (shared, stop) = (engine.clone(), shutdown.clone());
        let looked = tokio::task::spawn_blocking(move || look(&shared, &stop));
        match looked.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                engine.fail(format!("the upkeep of the store failed: {error:#}"));
                return;
            }
            Err(error) => {
                engine.fail(format!("the upkeep of the store did not return: {error}"));
                return;
            }
        }
        tokio::select! {
            () = clock::sleep(EVERY) => {}
            _ = shutdown.changed() => {}
        }
    }
}

fn look(engine: &Engine, stop: &watch::Receiver<bool>) -> anyhow::Result<()> {
    let left = retention::prune(engine, clock::now(), &|| *stop.borrow())?;
    if left != retention::Left::default() {
        let retention::Left { texts, urls, robots, files, bytes } = left;
        tracing::info!(texts, urls, robots, files, bytes, "left by age");
    }
    let written = prints::shorten(engine.store.as_ref(), &|| *stop.borrow())?;
    if written > 0 {
        tracing::info!(written, "term vectors of earlier versions are written anew");
    }
    engine.store.trim()?;
    if !*stop.borrow() && engine.store.wants_compaction()? {
        let done = engine.store.compact(true)?;
        if let Some(done) = done {
            tracing::info!(before = done.before, after = done.after, "store compacted");
        }
    }
    Ok(())
}
