//! The wiring: the only module that knows all stages and carries values between them. A dispatcher
//! leases due pace keys, each lease is drained by one task, outcomes go through one committer. Here is
//! the engine that they share, and how a run begins and ends.
//!
//! Must not know: HTTP statuses of ours, tables, the command line.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use anyhow::{Context, Result};

use crate::archive::Archive;
use crate::deliver::Courier;
use crate::extract::Model;
use crate::fetch::Fetcher;
use crate::model::*;
use crate::query::Past;
use crate::search::Search;
use crate::store::Store;

pub mod clock;
mod cores;
pub mod orders;
mod outbox;
pub mod progress;
pub mod run;
mod stories;
pub mod web;

pub use run::{Ended, attend, run};

use clock::now;
use cores::Cores;
use orders::brands::Watch;
use orders::models;
use progress::Progress;
use run::retention;
use web::gate::Gate;
use web::{lineage, memory, signals, twins, websub, zones};

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
    pub deliver: crate::deliver::Settings,
    pub search: crate::search::Settings,
}

/// The crawler without its workers: the shared state of all commands.
pub struct Engine {
    pub store: Arc<dyn Store>,
    pub gate: Gate,
    pub settings: Settings,
    pub zone: jiff::tz::TimeZone,
    /// Replaced when another model is deployed.
    model: models::CurrentModel,
    /// The brands in use; replaced by a recount.
    pub watch: RwLock<Arc<Watch>>,
    pub progress: Progress,
    pub websub: websub::Websub,
    pub courier: Courier,
    /// The index of words beside the store.
    pub search: Search,
    pub past: Past,
    twins: twins::Twins,
    voices: lineage::Voices,
    zones: zones::Zones,
    memories: memory::Memories,
    /// Where raw pages go while a crawl runs, if they are kept.
    archive: OnceLock<Archive>,
    /// What is counted of stored articles: held by whoever recounts, forgets or verifies.
    counts: Mutex<()>,
    /// Each commit of outcomes holds it for reading; for writing, whoever needs that none is under way.
    commits: RwLock<()>,
    cores: Cores,
    /// When the `run --once` under way began; 0: it is none.
    once: AtomicI64,
    failure: OnceLock<String>,
}

impl Engine {
    /// Builds the shared state over an open store; brands and model are those that it points to.
    pub fn new(store: Arc<dyn Store>, settings: Settings, fetcher: Fetcher) -> Result<Arc<Engine>> {
        let zone = jiff::tz::TimeZone::get(&settings.timezone).with_context(|| {
            format!("unknown time zone `{}`; use a name such as Europe/Berlin", settings.timezone)
        })?;
        pin_zone(store.as_ref(), &settings.timezone)?;
        stories::rules::begin(store.as_ref())?;
        let watch = Watch::new(store.brand_set()?)?;
        let zones = zones::Zones::new(&store.feeds()?);
        let model = RwLock::new(models::pointed(store.as_ref())?);
        let courier = Courier::new(settings.deliver.clone()).map_err(anyhow::Error::msg)?;
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
            settings.workers,
        );
        Ok(Arc::new(Engine {
            search: Search::new(settings.search.clone()),
            past: Past::default(),
            store,
            gate,
            settings,
            zone,
            model,
            watch: RwLock::new(Arc::new(watch)),
            progress: Progress::default(),
            websub: websub::Websub::default(),
            courier,
            twins: twins::Twins::default(),
            voices: lineage::Voices::default(),
            zones,
            memories: memory::Memories::default(),
            archive: OnceLock::new(),
            counts: Mutex::new(()),
            commits: RwLock::new(()),
            cores: Cores::new(cores).context("cannot start the threads that read pages")?,
            once: AtomicI64::new(0),
            failure: OnceLock::new(),
        }))
    }

    /// The model in use.
    ///
    /// # Errors
    /// The deployed one cannot be read by this program.
    pub fn model(&self) -> Result<Arc<Model>, models::Unusable> {
        self.model.read().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// Bytes of the archive; `None`: there is none.
    pub fn archive_bytes(&self) -> Option<u64> {
        self.settings.archive.dir.as_deref().map(crate::archive::size)
    }

    /// Is this a `run --once`?
    pub fn once(&self) -> bool {
        self.once_since().is_some()
    }

    /// When it began.
    fn once_since(&self) -> Option<Millis> {
        Some(self.once.load(Ordering::Relaxed)).filter(|since| *since > 0)
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

/// Tallies belong to a zone, and an export takes it along: another one needs a store of its own from the beginning.
fn pin_zone(store: &dyn Store, zone: &str) -> Result<()> {
    match store.meta("timezone")? {
        None => store.set_meta("timezone", zone.as_bytes())?,
        Some(known) if known == zone.as_bytes() => {}
        Some(known) => anyhow::bail!(
            "the store counts days in `{}`, the configuration says `{zone}`: set `timezone` back",
            String::from_utf8_lossy(&known)
        ),
    }
    Ok(())
}
