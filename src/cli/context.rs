//! What commands share: configuration, the model, and the way to the store — through the daemon's
//! socket if one holds it, else by opening it.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::{self, Config, Loaded};
use crate::crawl::orders::brands::Edit;
use crate::crawl::orders::steps::Steps;
use crate::crawl::{Engine, clock};
use crate::extract::Model;
use crate::fetch::Fetcher;
use crate::query::{self, Asked, Emit, Past};
use crate::search::{Failed, Search};
use crate::serve::command::Command;
use crate::serve::order::{self, Order};
use crate::serve::{socket, user};
use crate::store::decision::Via;
use crate::store::{self, StoreError};

use super::Global;

/// How often a store that is just being opened or closed by another process is asked again, and the
/// pause between.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);
/// The same for one URL: whoever holds the store may be waiting for another URL of the same site.
const PATIENT_TRIES: u32 = 600;

/// Options and helpers of all commands.
#[derive(Clone)]
pub(super) struct Context {
    global: Global,
}

impl Context {
    pub(super) fn new(global: Global) -> Context {
        Context { global }
    }

    /// The log filter of the command line, and whether lines are JSON.
    pub(super) fn log(&self) -> (Option<&str>, bool) {
        (self.global.log.as_deref(), self.global.log_json)
    }

    /// Print JSON?
    pub(super) fn json(&self) -> bool {
        self.global.json
    }

    /// The configuration with this command's flags applied.
    pub(super) fn config(&self) -> Result<Config> {
        Ok(self.loaded()?.config)
    }

    /// The same, and where each value comes from.
    pub(super) fn loaded(&self) -> Result<Loaded> {
        let mut loaded = config::load(self.global.config.as_deref(), &self.global.set)?;
        if let Some(dir) = &self.global.data_dir {
            loaded.config.data_dir.clone_from(dir);
            loaded.flagged("data_dir", "--data-dir");
        }
        if let Some(url) = &self.global.store {
            loaded.config.store.url = Some(url.clone());
            loaded.flagged("store.url", "--store");
            loaded.config.check()?;
        }
        Ok(loaded)
    }

    /// Puts a command to the store and hands each value of the answer to `each`.
    ///
    /// # Errors
    /// The store's, or that of `each`, after which nothing more is asked for.
    pub(super) fn stream(
        &self,
        command: impl Into<Command>,
        each: &mut dyn FnMut(Value) -> Result<()>,
    ) -> Result<()> {
        let mut taken = Ok(());
        self.put(&command.into(), &mut |value| {
            taken = each(value);
            if taken.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        taken
    }

    /// All values of an answer.
    pub(super) fn ask<T: DeserializeOwned>(&self, command: impl Into<Command>) -> Result<Vec<T>> {
        let mut values = Vec::new();
        self.stream(command, &mut |value| {
            values.push(serde_json::from_value(value).context("the answer cannot be read")?);
            Ok(())
        })?;
        Ok(values)
    }

    /// The one value of an answer.
    pub(super) fn ask_one<T: DeserializeOwned>(&self, command: impl Into<Command>) -> Result<T> {
        self.ask(command)?.pop().context("the answer is empty")
    }

    /// Puts a command to the daemon, if one holds the store, else to the store itself.
    pub(super) fn put(&self, command: &Command, emit: Emit<'_>) -> Result<()> {
        let config = self.config()?;
        let (creates, single) = match command {
            Command::Question(_) => (false, false),
            Command::Order(order) => match order {
                Order::Seed { .. } | Order::Discover { .. } | Order::TokenAdd { .. } => {
                    (true, false)
                }
                Order::Brands { edit: Edit::Add(_) | Edit::Replace(_), .. } => (true, false),
                // The crawl's pace and leases count for these; where there is no store, there is no
                // crawl.
                Order::Fetch { .. } | Order::Robots { .. } => (false, true),
                _ => (false, false),
            },
        };
        let shared = config.store.url.is_some();
        if single && !shared && !store::exists(&config.data_dir)? {
            return obey(&config, store::memory(), command, emit);
        }
        let there = shared || creates || {
            let looked = config.data_dir.try_exists();
            looked.with_context(|| {
                let dir = config.data_dir.display();
                format!(
                    "cannot read the data directory {dir}: name another with `--data-dir`, or \
                     run the crawler as the user it belongs to"
                )
            })?
        };
        let none = || {
            anyhow!(
                "there is no store at {}; `crawler seed FEEDS` starts one, `--data-dir` names \
                 another",
                config.data_dir.display()
            )
        };
        if !there {
            return Err(none());
        }
        let tries = if single { PATIENT_TRIES } else { TRIES };
        for attempt in 0.. {
            // A database is open to everybody; what lies in a directory is its daemon's.
            if !shared && socket::ask(&config.data_dir, command, emit)? {
                return Ok(());
            }
            // A directory that has no store gets none from a question.
            if !shared && !creates && !store::exists(&config.data_dir)? {
                return Err(none());
            }
            match store::open(&config.data_dir, &config.store()) {
                Ok(store) => return obey(&config, store, command, emit),
                Err(StoreError::Locked { .. }) if attempt < tries => std::thread::sleep(PAUSE),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Obeys a command over an open store. A question needs nothing else; an order gets an engine.
fn obey(
    config: &Config,
    store: Arc<dyn store::Store>,
    command: &Command,
    emit: Emit<'_>,
) -> Result<()> {
    match command {
        Command::Question(question) => {
            let index = Search::new(config.search());
            if question.searches() && index.enabled() {
                // No daemon does it, or it is another process on the same database.
                match index.keep_up(store.as_ref(), clock::now(), &|| true) {
                    Err(Failed::Busy(_)) => {}
                    kept => drop(kept?),
                }
            }
            let asked = Asked {
                store: store.as_ref(),
                now: clock::now(),
                token: &config.user_agent.token,
                archive: config.archive.dir.as_deref(),
                index: &index,
                past: &Past::default(),
                targets: &config.deliver.names(),
            };
            Ok(query::answer(&asked, question, emit)?)
        }
        Command::Order(order) => {
            let runtime = runtime()?;
            let engine = engine(config, store)?;
            let who = user::own(Via::User);
            let steps = Steps::default();
            order::carry_out(&engine, runtime.handle(), &who, order.clone(), &steps, emit)?;
            Ok(engine.store.flush()?)
        }
    }
}

/// The model of a file, or the one that came with the program.
pub(super) fn model(file: Option<&PathBuf>) -> Result<Model> {
    match file {
        None => Ok(Model::embedded()),
        Some(path) => {
            let bytes = std::fs::read(path)
                .with_context(|| format!("cannot read the model {}", path.display()))?;
            Model::load(&bytes).map_err(|e| anyhow!("{}: {e}", path.display()))
        }
    }
}

/// The engine over an open store.
pub(super) fn engine(config: &Config, store: Arc<dyn store::Store>) -> Result<Arc<Engine>> {
    Engine::new(store, config.crawl(), fetcher_of(config)?)
}

/// The fetcher of a configuration.
pub(super) fn fetcher_of(config: &Config) -> Result<Fetcher> {
    Ok(Fetcher::new(&config.fetch, &config.guard, &config.identity())?)
}

/// The runtime of this process.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")
}
