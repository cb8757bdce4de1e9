//! What the daemon does for its store now and then: gives back disk space that overwritten records
//! still take.
//!
//! Must not know: how the store lies on disk.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::Engine;

/// Time between two looks at the store.
const EVERY: Duration = Duration::from_secs(3600);

/// Runs until `shutdown` turns true.
pub(super) async fn upkeep(engine: Arc<Engine>, mut shutdown: watch::Receiver<bool>) {
    while !*shutdown.borrow() {
        let store = engine.store.clone();
        let looked = tokio::task::spawn_blocking(move || {
            if store.wants_compaction()? { store.compact() } else { Ok(None) }
        });
        match looked.await {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(done))) => {
                tracing::info!(before = done.before, after = done.after, "store compacted");
            }
            Ok(Err(error)) => {
                engine.fail(format!("the store cannot be compacted: {error}"));
                return;
            }
            Err(error) => {
                engine.fail(format!("the compaction did not return: {error}"));
                return;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            _ = shutdown.changed() => {}
        }
    }
}
