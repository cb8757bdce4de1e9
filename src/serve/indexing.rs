//! Keeps the index for search up to date while a process serves: every few seconds, behind the commits.
//!
//! Must not know: how the index is made, who asks it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::crawl::{Engine, clock};
use crate::search::Failed;

/// Between two looks at the log of articles: each writes some files.
const EVERY: Duration = Duration::from_secs(5);

/// Runs until `stop` turns true.
pub async fn follow(engine: Arc<Engine>, mut stop: watch::Receiver<bool>) {
    if !engine.search.enabled() {
        return;
    }
    let checking = engine.clone();
    let mut said = String::new();
    // A damaged file is found before somebody asks.
    let mut whole = tokio::task::spawn_blocking(move || checking.search.check()).await;
    while !*stop.borrow() {
        let (engine, stopped) = (engine.clone(), stop.clone());
        let damaged = matches!(whole, Ok(Err(Failed::Damaged(_))) | Err(_));
        let looked = tokio::task::spawn_blocking(move || look(&engine, damaged, &stopped)).await;
        match looked {
            Ok(Ok(())) => {
                said.clear();
                whole = Ok(Ok(()));
            }
            Ok(Err(Failed::Stopped)) => {}
            Ok(Err(error)) => say(&mut said, error.to_string()),
            Err(error) => say(&mut said, error.to_string()),
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            _ = stop.changed() => {}
        }
    }
    engine.search.leave();
}

fn look(engine: &Engine, damaged: bool, stop: &watch::Receiver<bool>) -> Result<(), Failed> {
    // The store's own writes come first.
    if engine.store.short_of()?.is_some() {
        return Ok(());
    }
    let (store, now) = (engine.store.as_ref(), clock::now());
    let go_on = || !*stop.borrow();
    let kept = match damaged {
        true => engine.search.rebuild(store, now, &go_on)?,
        false => engine.search.keep_up(store, now, &go_on)?,
    };
    if kept.anew {
        tracing::info!(articles = kept.written, "index for search made");
    }
    Ok(())
}

/// Says once what goes wrong again and again.
fn say(said: &mut String, why: String) {
    if *said != why {
        tracing::warn!(why, "the index for search is not brought up to date");
        *said = why;
    }
}
