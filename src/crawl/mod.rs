//! The wiring: the only module that knows all stages and carries values between them. A dispatcher
//! leases due pace keys, each lease is drained by one task, outcomes go through one committer.
//!
//! Must not know: HTTP statuses of ours, tables, the command line.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::{Notify, Semaphore, watch};

use crate::archive::Archive;
use crate::extract::Model;
use crate::fetch::Fetcher;
use crate::frontier::pace;
use crate::model::*;
use crate::store::{Admission, Store};

pub mod brands;
pub mod clock;
mod commit;
mod copies;
mod cores;
pub mod discover;
pub mod forget;
pub mod gate;
mod memory;
pub mod models;
pub mod outlets;
mod page;
mod poll;
pub mod progress;
pub mod repair;
pub mod replay;
pub mod retention;
pub mod seed;
pub mod signals;
mod story;
mod twins;
mod upkeep;
pub mod verify;
pub mod websub;
mod zones;

use clock::now;
use commit::{Committer, Work};
use cores::Cores;
use gate::{Denied, Gate, Turn};
use progress::Progress;

/// Redirects followed for one entry, canonical hops and moves counted.
const MAX_HOPS: usize = 20;
/// How often the dispatcher looks at the disk.
const LOOK: Duration = Duration::from_secs(2);
/// How long an idle dispatcher sleeps at most before it asks the store again.
const IDLE: Duration = Duration::from_millis(500);
/// So many times the pause of an idle dispatcher can double, less one: four seconds.
const MOST_PATIENCE: u32 = 4;
/// Pause before a pace key is asked for again that is due and was not given, milliseconds.
const TAKEN: Millis = 10;
/// How often the store is asked whether another process has deployed a model.
const NOTICE: Duration = Duration::from_secs(5);

/// Everything the engine needs, ready to use (made by `config`).
#[derive(Clone, Debug)]
pub struct Settings {
    /// Leases drained at the same time.
    pub workers: usize,
    /// Tasks taken per lease.
    pub drain: usize,
    /// Entries published longer ago than this are *too old*.
    pub max_age: Option<Span>,
    /// `run --once` leaves entries whose next attempt is further away than this.
    pub once_patience: Span,
    /// IANA name of the zone that days belong to.
    pub timezone: String,
    pub extract_deadline: Span,
    /// What is done about `noindex`, `noarchive`, reservations and their like.
    pub signals: signals::Signals,
    /// Are pages read with the memory of their outlet?
    pub site_memory: bool,
    /// Product token for robots.txt.
    pub token: String,
    pub feed: crate::feed::Settings,
    pub pace: crate::frontier::pace::Settings,
    pub fetch: crate::fetch::Settings,
    pub extract: crate::extract::Limits,
    pub dedupe: crate::dedupe::Settings,
    pub archive: crate::archive::Settings,
    pub retention: retention::Retention,
    pub websub: websub::Settings,
}

/// The crawler without its workers: the shared state of all commands.
pub struct Engine {
    pub store: Arc<dyn Store>,
    pub gate: Gate,
    pub settings: Settings,
    pub zone: jiff::tz::TimeZone,
    /// The model in use; replaced when another one is deployed.
    pub model: RwLock<Arc<Model>>,
    /// The model to use where nobody deployed one.
    shipped: Arc<Model>,
    /// The brands in use; replaced by a recount.
    pub watch: RwLock<Arc<brands::Watch>>,
    pub progress: Progress,
    pub websub: websub::Websub,
    twins: twins::Twins,
    zones: zones::Zones,
    memories: memory::Memories,
    /// Where raw pages go while a crawl runs, if they are kept.
    archive: OnceLock<Archive>,
    /// One recount at a time.
    recounting: Mutex<()>,
    cores: Cores,
    once: AtomicBool,
    failure: OnceLock<String>,
}

impl Engine {
    /// Builds the shared state over an open store.
    pub fn new(
        store: Arc<dyn Store>,
        settings: Settings,
        model: Model,
        fetcher: Fetcher,
    ) -> Result<Arc<Engine>> {
        let zone = jiff::tz::TimeZone::get(&settings.timezone).with_context(|| {
            format!("unknown time zone `{}`; use a name such as Europe/Berlin", settings.timezone)
        })?;
        pin_zone(store.as_ref(), &settings.timezone)?;
        let watch = brands::Watch::new(store.brand_set()?)?;
        let zones = zones::Zones::new(&store.feeds()?);
        let shipped = Arc::new(model);
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        // Workers on other machines may have the same process number, and start at the same time.
        let chance = RandomState::new().build_hasher().finish();
        let owner = format!("{}-{}-{chance:016x}", std::process::id(), now());
        let gate = Gate::new(
            fetcher,
            store.clone(),
            settings.pace.clone(),
            settings.token.clone(),
            settings.fetch.total,
            owner,
        );
        Ok(Arc::new(Engine {
            store,
            gate,
            settings,
            zone,
            model: RwLock::new(shipped.clone()),
            shipped,
            watch: RwLock::new(Arc::new(watch)),
            progress: Progress::default(),
            websub: websub::Websub::default(),
            twins: twins::Twins::default(),
            zones,
            memories: memory::Memories::default(),
            archive: OnceLock::new(),
            recounting: Mutex::new(()),
            cores: Cores::new(cores).context("cannot start the threads that read pages")?,
            once: AtomicBool::new(false),
            failure: OnceLock::new(),
        }))
    }

    /// Bytes of the archive; `None`: there is none.
    pub fn archive_bytes(&self) -> Option<u64> {
        self.settings.archive.dir.as_deref().map(crate::archive::size)
    }

    /// Is this a `run --once`?
    pub fn once(&self) -> bool {
        self.once.load(Ordering::Relaxed)
    }

    /// The error that ended the run, if one did.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Records the error that ends the run; the first one counts.
    fn fail(&self, message: String) {
        let _ = self.failure.set(message);
    }
}

/// Tallies belong to a zone; another one needs a recount into a store of its own.
fn pin_zone(store: &dyn Store, zone: &str) -> Result<()> {
    match store.meta("timezone")? {
        None => store.set_meta("timezone", zone.as_bytes())?,
        Some(known) if known == zone.as_bytes() => {}
        Some(known) => anyhow::bail!(
            "the store counts days in `{}`, the configuration says `{zone}`: set `timezone` back, \
             or export and import into a new data_dir",
            String::from_utf8_lossy(&known)
        ),
    }
    Ok(())
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    engine.once.store(once, Ordering::Relaxed);
    if let Some(dir) = &engine.settings.archive.dir {
        let software = format!("{}/{}", engine.settings.token, env!("CARGO_PKG_VERSION"));
        let archive = Archive::open(dir, &engine.settings.archive, &software)?;
        let _ = engine.archive.set(archive);
    }
    let starting = engine.clone();
    let (committer, thread) = tokio::task::spawn_blocking(move || {
        models::settle(&starting)?;
        starting.websub.load(starting.store.as_ref())?;
        commit::start(starting)
    })
    .await??;
    if once {
        let store = engine.store.clone();
        tokio::task::spawn_blocking(move || store.poll_all_now(now())).await??;
    }
    let upkeep = tokio::spawn(upkeep::upkeep(engine.clone(), shutdown.clone()));
    let subscriber = engine.settings.websub.callback.is_some() && !once;
    let hubs = subscriber
        .then(|| tokio::spawn(websub::run(engine.clone(), committer.clone(), shutdown.clone())));
    let dispatched = dispatch(&engine, &committer, once, &mut shutdown).await;
    upkeep.abort();
    if let Some(hubs) = hubs {
        // It holds the committer; a delivery that it is committing is whole or not at all.
        hubs.abort();
        let _ = hubs.await;
    }
    dispatched?;
    drop(committer);
    tokio::task::spawn_blocking(move || thread.join()).await?.ok().context("committer panicked")?;
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

/// Answers questions only, until `shutdown` turns true: brands and model follow what others on the
/// same database have put into use.
pub async fn attend(engine: &Arc<Engine>, mut shutdown: watch::Receiver<bool>) -> Result<Ended> {
    while !*shutdown.borrow() {
        let attending = engine.clone();
        let due = tokio::task::spawn_blocking(move || -> Result<_> {
            models::follow(&attending)?;
            brands::refresh(&attending)?;
            Ok(attending.store.due()?)
        });
        engine.progress.pending(due.await??.pending);
        engine.progress.beat(now());
        tokio::select! {
            () = tokio::time::sleep(NOTICE) => {}
            _ = shutdown.changed() => {}
        }
    }
    Ok(Ended { pending: engine.progress.read().pending })
}

async fn dispatch(
    engine: &Arc<Engine>,
    committer: &Committer,
    once: bool,
    shutdown: &mut watch::Receiver<bool>,
) -> Result<()> {
    let slots = Arc::new(Semaphore::new(engine.settings.workers.max(1)));
    let mut running = tokio::task::JoinSet::new();
    let mut settled = Instant::now();
    let mut disk = Disk::default();
    let work = Arc::new(Notify::new());
    let told = work.clone();
    let shared = engine.store.listen(Box::new(move || told.notify_one()))?;
    let mut patience = Patience::default();
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
            tokio::task::spawn_blocking(move || models::follow(&engine)).await??;
        }
        if disk.is_short(engine, once).await? {
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                _ = shutdown.changed() => {}
            }
            continue;
        }
        let free = slots.available_permits();
        let leases = if free == 0 {
            Vec::new()
        } else {
            let store = engine.store.clone();
            let claim = engine.gate.claim(free, engine.settings.drain);
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
        for lease in leases {
            let permit = slots.clone().acquire_owned().await?;
            let (engine, committer, stop) = (engine.clone(), committer.clone(), shutdown.clone());
            running.spawn(async move {
                drain(&engine, &committer, lease, stop).await;
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
            let sentence = format!(
                "the disk is nearly full: nothing new is requested until {} MiB more are free \
                 (store.min_free_mib)",
                missing.div_ceil(1 << 20)
            );
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

/// Works through the tasks of one lease, then gives it back.
async fn drain(
    engine: &Arc<Engine>,
    committer: &Committer,
    lease: Lease,
    shutdown: watch::Receiver<bool>,
) {
    let tasks = lease.tasks.clone();
    let mut turn = Turn::new(lease);
    for (done, task) in tasks.into_iter().enumerate() {
        // A long Crawl-delay shows only after robots.txt has been read: fewer tasks fit then.
        let fit = pace::drain(turn.pace.delay, engine.settings.drain);
        if *shutdown.borrow() || engine.failure.get().is_some() || done >= fit {
            break;
        }
        // The operator may have paused it since, or fixed its delay.
        let (store, pace_key) = (engine.store.clone(), turn.lease.pace_key.clone());
        match gate::blocking(move || store.pace(&pace_key)).await {
            Ok(stored) => {
                let stored = stored.unwrap_or_default();
                turn.pace.operator_delay = stored.operator_delay;
                if stored.blocked_until > now() {
                    break;
                }
            }
            Err(denied) => {
                engine.fail(format!("{denied:?}"));
                return;
            }
        }
        let work = match task.kind {
            TaskKind::Poll => poll::poll(engine, &mut turn, &task)
                .await
                .map(|poll| poll.map(|p| Work::Poll(Box::new(p)))),
            TaskKind::Fetch => page::page(engine, &mut turn, &task)
                .await
                .map(|page| page.map(|p| Work::Page(Box::new(p)))),
        };
        let work = match work {
            Ok(Some(work)) => work,
            Ok(None) => Work::Pace,
            Err(Denied::Fenced) => {
                tracing::warn!(pace_key = %turn.lease.pace_key, "lease lost; work dropped");
                return;
            }
            Err(denied) => {
                tracing::error!(pace_key = %turn.lease.pace_key, ?denied, "task abandoned");
                engine.fail(format!("{denied:?}"));
                return;
            }
        };
        let robots = std::mem::take(&mut turn.robots);
        match committer.commit(&turn.lease, &task, &turn.pace, robots, work).await {
            Ok(Admission::Fenced) => {
                tracing::warn!(pace_key = %turn.lease.pace_key, "lease lost; outcome dropped");
                return;
            }
            Ok(_) => {}
            Err(error) => {
                engine.fail(format!("{error:#}"));
                return;
            }
        }
        if turn.pace.blocked_until > now() {
            break;
        }
    }
    let store = engine.store.clone();
    if let Err(denied) = gate::blocking(move || store.complete(&turn.lease, &turn.pace)).await {
        engine.fail(format!("{denied:?}"));
    }
}
