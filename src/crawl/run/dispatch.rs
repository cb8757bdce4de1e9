//! The dispatcher: leases what is due to as many tasks as may run, each of which works through its
//! lease; waits when there is nothing, follows a clock that was set, stops before the disk is full.
//!
//! Must not know: what a poll or a page is made of.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::sync::{Notify, Semaphore, watch};
use tokio::task::JoinSet;
use tracing::Instrument;

use crate::frontier::pace;
use crate::model::*;
use crate::query::nearly_full;
use crate::store::{Admission, PollCommit};

use super::NOTICE;
use super::commit::{Committer, Work};
use crate::crawl::Engine;
use crate::crawl::clock::{self, now};
use crate::crawl::web::gate::{self, Denied, Turn};
use crate::crawl::web::page::{self, PageDraft};
use crate::crawl::web::poll;

/// How often the dispatcher looks at the disk.
const LOOK: Duration = Duration::from_secs(2);
/// How long an idle dispatcher sleeps at most before it asks the store again.
const IDLE: Duration = Duration::from_millis(500);
/// So many times the pause of an idle dispatcher can double, less one: four seconds.
const MOST_PATIENCE: u32 = 4;
/// Pause before a pace key is asked for again that is due and was not given, milliseconds.
const TAKEN: Millis = 10;
/// The same where as many leases as may be are at what only others have named: a feed may name thousands of hosts, and each
/// is asked for again.
const CROWDED: Millis = 10 * SECOND;

/// Hands out leases until `shutdown` turns true, the engine fails or, with `once`, nothing is due any
/// more; then waits for those that are being worked through.
pub(in crate::crawl) async fn dispatch(
    engine: &Arc<Engine>,
    committer: &Committer,
    once: bool,
    shutdown: &mut watch::Receiver<bool>,
) -> Result<()> {
    let slots = Arc::new(Semaphore::new(engine.settings.workers.max(1)));
    let foreign = Arc::new(Semaphore::new(pace::foreign(engine.settings.workers)));
    let mut running = JoinSet::new();
    let mut settled = Instant::now();
    let mut disk = Disk::default();
    let work = Arc::new(Notify::new());
    let told = work.clone();
    let shared = engine.store.listen(Box::new(move || told.notify_one()))?;
    let mut patience = Patience::default();
    let hold = Arc::new(AtomicBool::new(false));
    while !*shutdown.borrow() && engine.failure.get().is_none() {
        engine.progress.beat(now());
        while running.try_join_next().is_some() {}
        if let Some(by) = clock::jump() {
            while running.join_next().await.is_some() {}
            follow(engine, by).await?;
            continue;
        }
        if settled.elapsed() >= NOTICE {
            settled = Instant::now();
            let engine = engine.clone();
            tokio::task::spawn_blocking(move || super::follow(&engine)).await??;
        }
        if disk.is_short(engine, once).await? {
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                _ = shutdown.changed() => {}
            }
            continue;
        }
        let free = slots.available_permits();
        let claim = engine.gate.claim(free, engine.settings.drain);
        let claimed = claim.now;
        let leases = if free == 0 {
            Vec::new()
        } else {
            let store = engine.store.clone();
            tokio::task::spawn_blocking(move || store.claim(&claim)).await??
        };
        if leases.is_empty() {
            patience.grow(shared && !once && free > 0 && running.is_empty());
            let store = engine.store.clone();
            let due = tokio::task::spawn_blocking(move || store.due()).await??;
            engine.progress.pending(due.pending);
            let wait = due.next.map(|next| next - now());
            if once && running.is_empty() && free > 0 {
                let patience = engine.settings.once_patience.0;
                if due.leased == 0 && wait.is_none_or(|wait| wait > patience) {
                    break;
                }
            }
            // Already due and not given: another worker is at it just now.
            let wait = wait.map_or(Millis::MAX, |wait| if wait > 0 { wait } else { TAKEN });
            let due = clock::sleep(wait.max(patience.least()));
            // Workers on one database do not come all at once.
            let idle =
                patience.most() + Duration::from_millis(now().rem_euclid(128).unsigned_abs());
            tokio::select! {
                _ = running.join_next(), if !running.is_empty() => {}
                () = due => {}
                () = tokio::time::sleep(idle) => {}
                () = work.notified() => patience = Patience::default(),
                _ = shutdown.changed() => {}
            }
            continue;
        }
        patience = Patience::default();
        let (suspect, leases): (Vec<Lease>, Vec<Lease>) =
            leases.into_iter().partition(|lease| !lease.suspects.is_empty());
        if !suspect.is_empty() {
            hold.store(true, Relaxed);
            settle(engine, &mut running).await;
            hold.store(false, Relaxed);
            for lease in suspect {
                let (shared, committer) = (engine.clone(), committer.clone());
                let bounds = Bounds::new(shutdown, &hold, &foreign);
                running.spawn(async move {
                    alone(&shared, &committer, (lease, claimed), bounds).await;
                });
                settle(engine, &mut running).await;
            }
        }
        for lease in leases {
            let permit = slots.clone().acquire_owned().await?;
            let (engine, committer) = (engine.clone(), committer.clone());
            let bounds = Bounds::new(shutdown, &hold, &foreign);
            running.spawn(async move {
                drain(&engine, &committer, (lease, claimed), bounds).await;
                drop(permit);
            });
        }
    }
    while running.join_next().await.is_some() {}
    Ok(())
}

/// How long a dispatcher waits that has nothing to do: longer each time that it asks for nothing, where
/// others share the store. Were it to come at every instant at which something is due, a thousand idle
/// workers would keep the database busy with saying no.
#[derive(Default)]
struct Patience(u32);

impl Patience {
    fn grow(&mut self, more: bool) {
        self.0 = if more { (self.0 + 1).min(MOST_PATIENCE) } else { 0 };
    }
    /// Until it asks for what is due, milliseconds.
    fn least(&self) -> Millis {
        if self.0 < 2 { 0 } else { Millis::try_from(self.most().as_millis() / 2).unwrap_or(0) }
    }
    /// Until it asks anyway.
    fn most(&self) -> Duration {
        IDLE * 2_u32.pow(self.0.saturating_sub(1))
    }
}

/// When the disk was last looked at, and whether it was too full for new work then.
#[derive(Default)]
struct Disk {
    looked: Option<std::time::Instant>,
    short: bool,
}

impl Disk {
    /// A disk that is full stops the store for good; one that is nearly full stops new work, until
    /// somebody has made room.
    async fn is_short(&mut self, engine: &Engine, once: bool) -> Result<bool> {
        if self.looked.is_some_and(|at| at.elapsed() < LOOK) {
            return Ok(self.short);
        }
        let store = engine.store.clone();
        let missing = tokio::task::spawn_blocking(move || store.short_of()).await??;
        self.looked = Some(std::time::Instant::now());
        if let Some(missing) = missing.filter(|_| !self.short) {
            let sentence = nearly_full(missing);
            if once {
                engine.fail(sentence);
            } else {
                tracing::error!("{sentence}");
            }
        }
        if self.short && missing.is_none() {
            tracing::warn!("there is room on the disk again; the crawl goes on");
        }
        self.short = missing.is_some();
        Ok(self.short)
    }
}

/// The system's clock was set, and no request is under way: schedule and clock follow. In between,
/// nothing is due and no lease runs out.
async fn follow(engine: &Engine, by: Millis) -> Result<()> {
    tracing::warn!("the system's clock was set by {} s; the schedule is moved along", by / SECOND);
    if by < 0 {
        clock::adjust(by);
    }
    let store = engine.store.clone();
    tokio::task::spawn_blocking(move || store.shift(by)).await??;
    if by > 0 {
        clock::adjust(by);
    }
    engine.gate.forget_robots();
    engine.gate.rename();
    Ok(())
}

/// Waits until nothing is under way.
async fn settle(engine: &Engine, running: &mut JoinSet<()>) {
    while !running.is_empty() {
        engine.progress.beat(now());
        // The watchdog wants to hear from the dispatcher.
        let _ = tokio::time::timeout(LOOK, running.join_next()).await;
    }
}

/// What bounds the work on a lease beside its own pace.
#[derive(Clone)]
struct Bounds {
    shutdown: watch::Receiver<bool>,
    /// Leases are given back after the task at hand.
    hold: Arc<AtomicBool>,
    /// How many leases may be at what only others have named.
    foreign: Arc<Semaphore>,
}

impl Bounds {
    fn new(
        shutdown: &watch::Receiver<bool>,
        hold: &Arc<AtomicBool>,
        foreign: &Arc<Semaphore>,
    ) -> Bounds {
        Bounds { shutdown: shutdown.clone(), hold: hold.clone(), foreign: foreign.clone() }
    }

    /// Is no further task to be begun?
    fn end(&self) -> bool {
        *self.shutdown.borrow() || self.hold.load(Relaxed)
    }
}

/// Works through the suspects of a lease while nothing else is under way, and gives it back. Before each
/// is begun, it is noted that it is: so it is known who was under way if the process ends now.
async fn alone(
    engine: &Arc<Engine>,
    committer: &Committer,
    (lease, claimed): (Lease, Millis),
    bounds: Bounds,
) {
    let of = |task: &Task| {
        lease.suspects.iter().any(|known| (known.kind, known.key) == (task.kind, task.key))
    };
    let tasks = lease.tasks.iter().filter(|task| of(task)).cloned().collect();
    drain(engine, committer, (Lease { tasks, ..lease }, claimed), bounds).await;
}

/// Works through the tasks of one lease, claimed at that instant, then gives it back.
async fn drain(
    engine: &Arc<Engine>,
    committer: &Committer,
    (lease, claimed): (Lease, Millis),
    bounds: Bounds,
) {
    let _at_work = engine.progress.begins(&lease.pace_key);
    let tasks = lease.tasks.clone();
    let mut guest = None;
    let mut turn = Turn::new(lease);
    let (watched, within) = (engine.clone(), bounds.clone());
    // A clock that was set is followed when nothing is under way.
    turn.stops_when(Arc::new(move || {
        within.end() || watched.failure.get().is_some() || clock::jump().is_some()
    }));
    for (done, task) in tasks.into_iter().enumerate() {
        // The slower its answers, the fewer tasks fit.
        let delay = pace::delay(&turn.pace, &engine.settings.pace);
        let fit = pace::drain(delay, engine.settings.drain);
        if bounds.end() || engine.failure.get().is_some() || done >= fit {
            break;
        }
        // One task each, in turn.
        if done > 0 && engine.gate.is_awaited(&turn) {
            break;
        }
        // The operator may have paused it since, or fixed its delay; what is urgent may have come.
        let (store, pace_key, asked) =
            (engine.store.clone(), turn.lease.pace_key.clone(), task.clone());
        // What was due when the lease was claimed is among its tasks.
        let looked =
            move || Ok((store.pace(&pace_key)?, store.precedence(&pace_key, &asked, claimed)?));
        match gate::blocking(looked).await {
            Ok((stored, before)) => {
                let stored = stored.unwrap_or_default();
                turn.pace.operator_delay = stored.operator_delay;
                if stored.blocked_until > now() {
                    break;
                }
                turn.hearsay = before.foreign;
                turn.poll = task.kind == TaskKind::Poll && !before.foreign;
                let way = pace::gives_way(&turn.pace, &before, now(), &engine.settings.pace);
                if let Some(due) = way {
                    turn.pace.next_at = turn.pace.next_at.max(due);
                    break;
                }
                if before.foreign && guest.is_none() {
                    guest = bounds.foreign.clone().try_acquire_owned().ok();
                    if guest.is_none() {
                        // A single run leaves what is further away than its patience.
                        let patience = engine.settings.once_patience.0 / 2;
                        let pause = if engine.once() { CROWDED.min(patience) } else { CROWDED };
                        turn.pace.next_at = turn.pace.next_at.max(now() + pause);
                        break;
                    }
                }
            }
            Err(denied) => {
                engine.fail(denied.to_string());
                return;
            }
        }
        let known = |known: &&Suspect| (known.kind, known.key) == (task.kind, task.key);
        let suspect = turn.lease.suspects.iter().find(known).cloned();
        let proven = suspect.as_ref().is_some_and(Suspect::is_proven);
        if let Some(suspect) = suspect.clone().filter(|_| !proven) {
            let store = engine.store.clone();
            if let Err(denied) = gate::blocking(move || store.suspect_alone(&suspect)).await {
                engine.fail(denied.to_string());
                return;
            }
        }
        let (pace_key, key) = (&*turn.lease.pace_key, task.key);
        let span = match task.kind {
            TaskKind::Poll => tracing::info_span!("poll", pace_key, %key),
            TaskKind::Fetch => tracing::info_span!("page", pace_key, %key),
        };
        let work = match work(engine, &mut turn, &task, proven).instrument(span.clone()).await {
            Ok(Some(work)) => work,
            Ok(None) => Work::Pace,
            // Where all pause, it stays due.
            Err(Denied::Paused(_)) if turn.pace.blocked_until > now() => Work::Pace,
            Err(Denied::Paused(pause)) => Work::PutOff(pause.until),
            Err(Denied::Fenced) => {
                tracing::warn!(pace_key = %turn.lease.pace_key, "lease lost; work dropped");
                note_outlived(engine, suspect, false).await;
                return;
            }
            Err(denied) => {
                tracing::error!(pace_key = %turn.lease.pace_key, ?denied, "task abandoned");
                engine.fail(denied.to_string());
                return;
            }
        };
        let traces = turn.traces(day_of(now(), &engine.zone));
        let through = !matches!(work, Work::Pace);
        let commit = committer.commit(&turn.lease, &task, &turn.pace, traces, work);
        match commit.instrument(tracing::info_span!(parent: &span, "acknowledge")).await {
            Ok(Admission::Fenced) => {
                tracing::warn!(pace_key = %turn.lease.pace_key, "lease lost; outcome dropped");
                note_outlived(engine, suspect, false).await;
                return;
            }
            Ok(_) => {}
            Err(error) => {
                engine.fail(format!("{error:#}"));
                return;
            }
        }
        note_outlived(engine, suspect, through).await;
        if turn.pace.blocked_until > now() {
            break;
        }
    }
    if let Err(denied) = engine.gate.pass_on(turn).await {
        engine.fail(denied.to_string());
    }
}

/// Notes that a suspect, if it is one, has not ended the process: it has been `through`, or is to be done alone again.
async fn note_outlived(engine: &Engine, suspect: Option<Suspect>, through: bool) {
    let (store, Some(suspect)) = (engine.store.clone(), suspect) else { return };
    let note = move || match through {
        true => store.clear_suspect(&suspect),
        false => store.suspect_survived(&suspect),
    };
    if let Err(denied) = gate::blocking(note).await {
        engine.fail(denied.to_string());
    }
}

/// What a task comes to; `None`: it is gone. `proven`: it ended the process before, and is left out.
async fn work(
    engine: &Arc<Engine>,
    turn: &mut Turn,
    task: &Task,
    proven: bool,
) -> Result<Option<Work>, Denied> {
    let poll = |poll: Option<PollCommit>| poll.map(|poll| Work::Poll(Box::new(poll)));
    let page = |page: PageDraft| Work::Page(Box::new(page));
    match task.kind {
        TaskKind::Poll if proven => poll::quarantined(engine, task).await.map(poll),
        TaskKind::Poll => poll::poll(engine, turn, task).await.map(poll),
        TaskKind::Fetch if proven => Ok(Some(page(PageDraft::quarantined(task.key)))),
        TaskKind::Fetch => page::page(engine, turn, task).await.map(|made| made.map(page)),
    }
}
