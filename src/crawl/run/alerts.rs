//! Holds alerts against the store now and then, and sends what they tell. Both go on beside the crawl:
//! what is committed waits for neither, nor does one target for another.
//!
//! Must not know: when a rule is met, how anything travels.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::crawl::Engine;
use crate::crawl::clock::{self, now};
use crate::crawl::outbox::{self, Attempt};
use crate::model::*;
use crate::query::{self, Sights, Unanswered};
use crate::search::Failed;
use crate::store::LogPosition;

/// Time between two looks, by the clock that work is due by.
const EVERY: Millis = 5 * SECOND;
/// The same of `run --once`, which may take hours.
const MEANWHILE: Millis = 10 * MINUTE;
/// Looking takes at most one of so many parts of a core.
const PART: u32 = 10;

/// What the last look saw.
#[derive(Default)]
struct Looked {
    log: Option<LogPosition>,
    brand_set: String,
    minute: i64,
    hour: i64,
    sights: Sights,
}

/// Runs until `shutdown` turns true.
pub(super) async fn watch(engine: Arc<Engine>, mut shutdown: watch::Receiver<bool>) {
    let looked = Arc::new(Mutex::new(Looked::default()));
    let busy: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let mut sending: JoinSet<String> = JoinSet::new();
    let mut look = true;
    while !*shutdown.borrow() {
        let began = Instant::now();
        let (shared, seen, taken) = (engine.clone(), looked.clone(), busy.clone());
        let step = tokio::task::spawn_blocking(move || -> Result<Vec<Attempt>> {
            if look {
                judge(&shared, &mut seen.lock().unwrap_or_else(|e| e.into_inner()))?;
            }
            let taken = taken.lock().unwrap_or_else(|e| e.into_inner());
            Ok(outbox::claim(&shared, &|target| taken.contains(target))?)
        });
        let attempts = match step.await {
            Ok(Ok(attempts)) => attempts,
            Ok(Err(error)) => {
                tracing::warn!("alerts have to wait: {error:#}");
                Vec::new()
            }
            Err(error) => {
                tracing::error!(%error, "a look at the alerts did not return");
                Vec::new()
            }
        };
        for attempt in attempts {
            let target = attempt.target.clone();
            busy.lock().unwrap_or_else(|e| e.into_inner()).insert(target.clone());
            let engine = engine.clone();
            sending.spawn(async move {
                if let Err(error) = outbox::attempt(&engine, attempt).await {
                    tracing::warn!("what came of a delivery is not noted: {error}");
                }
                target
            });
        }
        let rest = began.elapsed() * (PART - 1);
        let pause = async {
            tokio::join!(
                clock::sleep(EVERY),
                tokio::time::sleep(rest.min(Duration::from_secs(600)))
            )
        };
        tokio::select! {
            _ = pause => look = true,
            Some(sent) = sending.join_next() => {
                // More may wait for the same target.
                look = false;
                if let Ok(target) = sent {
                    busy.lock().unwrap_or_else(|e| e.into_inner()).remove(&target);
                }
            }
            _ = shutdown.changed() => {}
        }
    }
}

/// What `run --once` does until it ends, so that no outlet that keeps it busy keeps alerts silent.
pub(super) async fn meanwhile(engine: Arc<Engine>, mut end: watch::Receiver<bool>) {
    while !*end.borrow() {
        tokio::select! {
            () = clock::sleep(MEANWHILE) => {}
            _ = end.changed() => return,
        }
        if let Err(error) = once(&engine).await {
            tracing::warn!("alerts have to wait: {error:#}");
        }
    }
}

/// One look, and one attempt at whatever is due: what `run --once` does now and then, and at its end.
pub(super) async fn once(engine: &Arc<Engine>) -> Result<()> {
    let shared = engine.clone();
    tokio::task::spawn_blocking(move || {
        // Nobody else keeps the index up in such a run.
        let store = shared.store.as_ref();
        if store.alerts()?.iter().any(|alert| alert.rule.query.is_some())
            && let Err(why) = shared.search.keep_up(store, now(), &|| true)
        {
            tracing::warn!(%why, "alerts with a query are judged by an older index, or not at all");
        }
        judge(&shared, &mut Looked::default())
    })
    .await??;
    // A target takes one thing after the other. Each is tried once.
    let mut tried: BTreeSet<(String, String)> = BTreeSet::new();
    loop {
        let shared = engine.clone();
        let claimed =
            tokio::task::spawn_blocking(move || outbox::claim(&shared, &|_| false)).await??;
        let mut sending = JoinSet::new();
        for attempt in claimed {
            if tried.insert((attempt.event.id.clone(), attempt.target.clone())) {
                let engine = engine.clone();
                sending.spawn(async move { outbox::attempt(&engine, attempt).await });
            }
        }
        if sending.is_empty() {
            return Ok(());
        }
        while let Some(sent) = sending.join_next().await {
            sent??;
        }
    }
}

/// Holds the alerts against the store for which that may say something new.
fn judge(engine: &Engine, looked: &mut Looked) -> Result<()> {
    let (store, now) = (engine.store.as_ref(), now());
    let alerts = store.alerts()?;
    if alerts.is_empty() {
        return Ok(());
    }
    let (log, brand_set) = (store.log_end()?, store.brand_set()?.version);
    let (minute, hour) = (now.div_euclid(MINUTE), now.div_euclid(HOUR));
    let moved = looked.log != Some(log) || looked.brand_set != brand_set;
    let mut all = true;
    for alert in alerts {
        let when = alert.rule.when;
        let due = match when {
            // A count falls while nothing comes.
            When::AtLeast(_) => moved || looked.minute != minute,
            _ if when.compares() => looked.hour != hour,
            // It is morning at the half hour in some zones.
            When::Coverage(_) | When::Daily | When::Weekly => looked.minute != minute,
            _ => moved,
        };
        if !due && alert.state.begun {
            continue;
        }
        // By an old index nothing would be new. It is left to those who keep one.
        if alert.rule.query.is_some() && !engine.search.kept() {
            continue;
        }
        match query::judged(store, &engine.search, &alert, &mut looked.sights, now) {
            Ok(judged) => {
                all &= judged.whole;
                if let Some(changed) = judged.changed {
                    all &= store.keep_alert(&changed)?;
                }
            }
            // There is no index, or it is being made.
            Err(Unanswered::Search(Failed::Off | Failed::Without | Failed::None)) => {}
            Err(error) => {
                all = false;
                tracing::warn!(alert = alert.rule.name, "cannot be judged: {error}");
            }
        }
    }
    if all {
        (looked.log, looked.brand_set) = (Some(log), brand_set);
        (looked.minute, looked.hour) = (minute, hour);
    }
    Ok(())
}
