//! `crawler run`: the daemon, or everything due now with `--once`.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::config::Config;
use crate::crawl::orders::brands::{Edit, Terms};
use crate::crawl::orders::steps::Cancelled;
use crate::crawl::{self, Engine};
use crate::fetch::guard::SET_CONTACT;
use crate::meter;
use crate::model::utc_day;
use crate::query;
use crate::serve::door::tls::Certificates;
use crate::serve::http::{self, Part};
use crate::serve::{door, indexing, socket, user};
use crate::store::decision::{Via, Who};
use crate::store::{self, Store, StoreError};

use super::context::{self, Context, engine, runtime};
use super::notify::Notify;
use super::{brands, print, repair, usage};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Poll every feed once, work until nothing is due within `once_patience`, then exit
    #[arg(long)]
    once: bool,
    /// What this process does; several may share a PostgreSQL store
    #[arg(long, value_enum, default_value_t = Role::All)]
    role: Role,
}

/// The part of the work that one process does.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Role {
    /// Crawl, and serve API and dashboard
    All,
    /// Crawl; at `listen` and `metrics_listen` only /healthz, /readyz and /metrics
    Worker,
    /// Serve API and dashboard; do not crawl
    Serve,
}

impl Role {
    /// What it answers at `listen`.
    fn part(self) -> Part {
        match self {
            Role::All | Role::Serve => Part::All,
            Role::Worker => Part::Metrics,
        }
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<()> {
    let mut config = context.config()?;
    if args.once && args.role == Role::Serve {
        return Err(usage("--once crawls, and --role serve does not: leave one out"));
    }
    if args.role != Role::Serve {
        may_ask(&config)?;
    }
    config.search.kept = keeps_index(args.once, args.role, &config);
    let store = open(&config)?;
    let engine = engine(&config, store)?;
    import_brands(&engine, &config)?;
    import_model(&engine, &config)?;
    if engine.store.feeds()?.is_empty() {
        let sentence = format!(
            "there are no feeds in {}: `crawler seed FEEDS` adds some",
            match &config.store.url {
                Some(_) => "the database".to_owned(),
                None => config.data_dir.display().to_string(),
            }
        );
        // A daemon can wait for them: `seed` reaches it.
        if args.once {
            bail!(sentence);
        }
        eprintln!("crawler: {sentence}");
    }
    let runtime = runtime()?;
    let handle = runtime.handle().clone();
    let _control = match &config.store.url {
        None => Some(socket::listen(engine.clone(), &config.data_dir, handle)?),
        // Commands go to the database themselves.
        Some(_) => None,
    };
    let reload = context.clone();
    let ended = runtime.block_on(serve_and_crawl(&engine, &config, &args, reload))?;
    runtime.shutdown_timeout(Duration::from_secs(5));
    // Threads that wait for a question hold it as long as the process lives.
    engine.store.close()?;
    if args.role == Role::Serve {
        return Ok(());
    }
    let done = engine.progress.read();
    if context.json() {
        return print::json(&json!({
            "polls": done.polls,
            "failed": done.failed,
            "entries": done.entries,
            "articles": done.articles,
            "copies": done.copies,
            "mentions": done.mentions,
            "other": done.other,
            "pending": ended.pending,
        }));
    }
    let failed = match done.failed {
        0 => String::new(),
        n => format!(" ({n} failed)"),
    };
    println!(
        "{}{failed}, {}, {} ({}), {} counted, {}, {} pending",
        print::many(done.polls, "poll"),
        print::many(done.entries, "new entry"),
        print::many(done.articles, "article"),
        print::many(done.copies, "copy"),
        print::many(done.mentions, "mention"),
        print::many(done.other, "other outcome"),
        ended.pending
    );
    Ok(())
}

/// Does this process keep the index for search up to date: while it serves, or at the end of a run?
fn keeps_index(once: bool, role: Role, config: &Config) -> bool {
    once || role.part() == Part::All && !config.listen.is_empty()
}

/// The store. A damaged one is set aside and rebuilt first: a daemon has nobody at hand. Not twice a
/// day, since then something damages it.
fn open(config: &Config) -> Result<Arc<dyn Store>> {
    let _patience = Notify::patience();
    let opened = store::open(&config.data_dir, &config.store());
    let damage = match &opened {
        Err(StoreError::Corrupt { path, detail }) if config.store.url.is_none() => {
            format!("the store {path} is damaged ({detail})")
        }
        Ok(store) => match damaged_month(store.as_ref(), config)? {
            Some(month) => format!("the month {month} of articles is damaged"),
            None => return Ok(opened?),
        },
        Err(_) => return Ok(opened?),
    };
    if store::repaired_today(&config.data_dir, crawl::clock::now()) {
        return opened.context("it was rebuilt today already: check the disk first");
    }
    drop(opened);
    eprintln!("crawler: {damage}: it is set aside and rebuilt, as by `crawler repair`");
    let report = repair::rebuild(config, &mut |note| eprintln!("crawler: {note}"))?;
    eprintln!("crawler: {}", repair::told(&report));
    let store = store::open(&config.data_dir, &config.store())?;
    repair::note(store.as_ref(), &Who::program(), &report)?;
    Ok(store)
}

/// A damaged month that the crawl cannot do without: new articles go there, or are compared with what is there.
fn damaged_month(store: &dyn Store, config: &Config) -> Result<Option<String>> {
    let since = utc_day(crawl::clock::now().saturating_sub(config.dedupe.window.0));
    let since = since.strftime("%Y-%m").to_string();
    Ok(store.damaged_months()?.into_iter().find(|month| *month >= since))
}

/// The brand list of the configuration is imported when its content has changed since the last
/// time, so that `brands add` on a running store survives restarts.
fn import_brands(engine: &Engine, config: &Config) -> Result<()> {
    use sha2::Digest;
    let Some(file) = &config.brands else { return Ok(()) };
    let list = brands::read(file)?;
    let content = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let hash = sha2::Sha256::digest(&content).to_vec();
    if engine.store.meta("brands file")?.as_ref() != Some(&hash) {
        let _patience = Notify::patience();
        let who = user::own(Via::Configuration);
        let recount =
            crawl::orders::brands::edit(engine, &who, Edit::Replace(list), &Terms::default())?;
        tracing::info!(file = %file.display(), articles = recount.articles, "brands imported");
        engine.store.set_meta("brands file", &hash)?;
    }
    Ok(())
}

fn is_damage(error: &anyhow::Error) -> bool {
    let of = |cause: &(dyn std::error::Error + 'static)| {
        matches!(cause.downcast_ref::<StoreError>(), Some(StoreError::Corrupt { .. }))
    };
    error.chain().any(of)
}

/// Texts that an earlier version's rules have matched are matched again before new ones come. Questions are answered
/// meanwhile, since of a large store it takes hours. False: the process is to stop.
async fn recounted(engine: &Arc<Engine>, stopped: &watch::Receiver<bool>) -> Result<bool> {
    let terms = Terms::default();
    let steps = terms.steps.clone();
    let engine = engine.clone();
    let mut work = tokio::task::spawn_blocking(move || recount(&engine, &terms));
    let mut stopped = stopped.clone();
    tokio::select! {
        done = &mut work => done??,
        _ = stopped.changed() => {
            steps.cancel();
            match work.await? {
                Err(error) if error.is::<Cancelled>() => {}
                done => done?,
            }
        }
    }
    Ok(!*stopped.borrow())
}

fn recount(engine: &Engine, terms: &Terms) -> Result<()> {
    let _patience = Notify::patience();
    match crawl::orders::brands::begin(engine, terms) {
        Ok(Some(done)) => eprintln!(
            "crawler: {} matched again, since the matching rules have changed",
            print::many(done.articles, "article")
        ),
        Ok(None) => {}
        // Crawling goes on beside a month that is gone or damaged, which `status` names, and so it says of the rules.
        Err(error) if is_damage(&error) => {
            tracing::error!("the brands are counted by the rules of an earlier version: {error:#}");
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The model file of the configuration is deployed when it has changed since the last time, so that
/// `model deploy` on a running store survives restarts.
fn import_model(engine: &Engine, config: &Config) -> Result<()> {
    let Some(file) = &config.model else { return Ok(()) };
    let bytes =
        std::fs::read(file).with_context(|| format!("cannot read the model {}", file.display()))?;
    let id = context::model(Some(file))?.id().to_owned();
    if engine.store.meta("model file")?.as_deref() != Some(id.as_bytes()) {
        let who = user::own(Via::Configuration);
        crawl::orders::models::deploy(engine, &who, &bytes)
            .with_context(|| file.display().to_string())?;
        engine.store.set_meta("model file", id.as_bytes())?;
    }
    Ok(())
}

/// Without a contact only opened addresses are asked. Where none is opened, every poll would fail.
fn may_ask(config: &Config) -> Result<()> {
    if config.identity().contact().is_none() && config.guard.allow.is_empty() {
        bail!(
            "no `contact` is set, so no site may be requested: {SET_CONTACT}; to crawl nothing but your own \
             network, name it in `guard.allow`"
        );
    }
    Ok(())
}

async fn serve_and_crawl(
    engine: &Arc<Engine>,
    config: &Config,
    args: &Args,
    context: Context,
) -> Result<crawl::Ended> {
    let (stop, stopped) = watch::channel(false);
    let tls = Certificates::read(&config.tls)?;
    let mut servers = Vec::new();
    if !args.once {
        servers.extend(serve(engine, config, args.role, tls.as_ref(), &stopped).await?);
        if keeps_index(args.once, args.role, config) {
            servers.push(tokio::spawn(indexing::follow(engine.clone(), stopped.clone())));
        }
    }
    let notify = Arc::new(Notify::from_environment());
    let alive = tokio::spawn(alive(engine.clone(), notify.clone()));
    let tls_of_hubs = tls.clone();
    let reload = tokio::spawn(reload(engine.clone(), context, tls));
    let signals = tokio::spawn(async move {
        wait_for_signal().await;
        notify.send("STOPPING=1");
        eprintln!("crawler: stopping as soon as the running requests are done");
        let _ = stop.send(true);
    });
    let display = tokio::spawn(display(engine.clone()));
    let ended = async {
        if !recounted(engine, &stopped).await? {
            let store = engine.store.clone();
            let due = tokio::task::spawn_blocking(move || store.due()).await??;
            return Ok(crawl::Ended { pending: due.pending });
        }
        if !args.once {
            servers.extend(listen_to_hubs(engine, config, tls_of_hubs.as_ref(), &stopped).await?);
        }
        match args.role {
            Role::Serve => crawl::attend(engine, stopped).await,
            Role::All | Role::Worker => crawl::run(engine.clone(), args.once, stopped).await,
        }
    };
    let ended = ended.await;
    for task in [display, signals, alive, reload] {
        task.abort();
    }
    for server in servers {
        server.abort();
    }
    ended
}

/// Starts the servers that the configuration asks for, as far as the role has them.
async fn serve(
    engine: &Arc<Engine>,
    config: &Config,
    role: Role,
    tls: Option<&Arc<Certificates>>,
    stopped: &watch::Receiver<bool>,
) -> Result<Vec<JoinHandle<()>>> {
    let mut servers = Vec::new();
    let parts = [
        ("listen", &config.listen, role.part()),
        ("metrics_listen", &config.metrics_listen, Part::Metrics),
    ];
    if parts.iter().any(|(_, at, _)| !at.is_empty()) {
        let metrics = metrics_exporter_prometheus::PrometheusBuilder::new()
            .install_recorder()
            .context("cannot install the metrics recorder")?;
        meter::describe();
        let door = door::Settings { tls: tls.cloned(), ..config.door() };
        for (key, at, part) in parts.into_iter().filter(|(_, at, _)| !at.is_empty()) {
            let listener = bind(at, key).await?;
            if part == Part::All {
                let at = listener.local_addr()?;
                let scheme = if tls.is_some() { "https" } else { "http" };
                eprintln!("crawler: dashboard on {scheme}://{at}/");
                if !at.ip().is_loopback() {
                    let (engine, config) = (engine.clone(), config.clone());
                    let warned = move || warn_about_the_door(&engine, &config);
                    tokio::task::spawn_blocking(warned).await??;
                }
            }
            let (engine, metrics) = (engine.clone(), metrics.clone());
            let serving =
                http::serve(listener, part, engine, metrics, door.clone(), stopped.clone());
            servers.push(tokio::spawn(serving));
        }
    }
    Ok(servers)
}

/// Starts the callback of hubs, if the configuration asks for it: when deliveries are about to be taken, not before.
async fn listen_to_hubs(
    engine: &Arc<Engine>,
    config: &Config,
    tls: Option<&Arc<Certificates>>,
    stopped: &watch::Receiver<bool>,
) -> Result<Option<JoinHandle<()>>> {
    if config.websub.callback.is_none() {
        return Ok(None);
    }
    let listener = bind(&config.websub.listen, "websub.listen").await?;
    let tls = tls.filter(|_| config.websub.tls).cloned();
    let door = door::Settings { tls, ..config.hubs_door() };
    let serving = http::callback::serve(listener, engine.clone(), door, stopped.clone());
    Ok(Some(tokio::spawn(serving)))
}

async fn bind(at: &str, key: &str) -> Result<TcpListener> {
    let bound = TcpListener::bind(at).await;
    bound.with_context(|| format!("cannot listen on {at} (key `{key}`)"))
}

/// What an operator should know who lets others than this machine ask.
fn warn_about_the_door(engine: &Engine, config: &Config) -> Result<()> {
    if config.tls.certificate.is_none() && config.trusted_proxies.is_empty() {
        eprintln!(
            "crawler: tokens pass the network unencrypted: set `tls.certificate` and `tls.key`, or \
             put a proxy in front and name it in `trusted_proxies` (docs/door.md)"
        );
    }
    if !query::tokens(engine.store.as_ref(), crawl::clock::now())?.iter().any(|token| token.live) {
        eprintln!(
            "crawler: nobody has a token yet, so API and dashboard answer nobody: `crawler token \
             add NAME --scope read` makes one"
        );
    }
    Ok(())
}

/// Tells the service manager that the daemon is up once the dispatcher runs, and that it is alive as
/// long as the dispatcher comes round.
async fn alive(engine: Arc<Engine>, notify: Arc<Notify>) {
    while engine.progress.last_beat() == 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    notify.send("READY=1");
    let Some(every) = Notify::watchdog() else { return };
    loop {
        let before = engine.progress.last_beat();
        tokio::time::sleep(every).await;
        if engine.progress.last_beat() != before {
            notify.send("WATCHDOG=1");
        }
    }
}

/// On SIGHUP the brand list, the model file and the certificate of the configuration are read again.
/// What cannot be read leaves in force what is.
async fn reload(engine: Arc<Engine>, context: Context, tls: Option<Arc<Certificates>>) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hangup) = signal(SignalKind::hangup()) else { return };
    while hangup.recv().await.is_some() {
        let (engine, context, tls) = (engine.clone(), context.clone(), tls.clone());
        let read = tokio::task::spawn_blocking(move || {
            let config = context.config()?;
            // A certificate that is about to expire does not wait for a slip in a brand list.
            let certificate = tls.map_or(Ok(()), |tls| tls.read_again());
            import_brands(&engine, &config)?;
            import_model(&engine, &config)?;
            certificate
        });
        match read.await {
            Ok(Ok(())) => eprintln!("crawler: brand list, model file and certificate read again"),
            Ok(Err(error)) => eprintln!("crawler: what cannot be read stays as it was: {error:#}"),
            Err(error) => eprintln!("crawler: reading again failed: {error}"),
        }
    }
}

pub(super) async fn wait_for_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            // Without a SIGTERM handler the process ends on it at once; the store survives that.
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

/// Live counters while stderr is a terminal.
pub(super) async fn display(engine: Arc<Engine>) {
    if !std::io::stderr().is_terminal() {
        std::future::pending::<()>().await;
    }
    let bar = ProgressBar::new_spinner();
    bar.set_style(
        ProgressStyle::with_template("{spinner} {elapsed_precise} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    loop {
        bar.set_message(line(&engine));
        bar.tick();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn line(engine: &Engine) -> String {
    let now = engine.progress.read();
    let pending = print::number(now.pending);
    let waits = match engine.progress.at_work() {
        _ if now.pending == 0 => String::new(),
        // One slow outlet can keep a run for hours.
        Some(pace_key) => format!("{pending} pending, asking {pace_key} · "),
        None => format!("{pending} pending · "),
    };
    format!(
        "{} · {} · {} ({}) · {waits}{} · {}",
        print::many(now.polls, "poll"),
        print::many(now.entries, "entry"),
        print::many(now.articles, "article"),
        print::many(now.copies, "copy"),
        print::many(now.mentions, "mention"),
        print::many(now.other, "other"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A daemon that serves nobody judged alerts with a query by an index that nobody kept.
    #[test]
    fn an_index_is_kept_by_who_serves_or_runs_once() {
        let silent = Config { listen: String::new(), ..Config::default() };
        let listening = Config { listen: "127.0.0.1:0".into(), ..Config::default() };
        assert!(keeps_index(true, Role::All, &silent) && keeps_index(true, Role::Worker, &silent));
        for role in [Role::All, Role::Serve] {
            assert!(keeps_index(false, role, &listening) && !keeps_index(false, role, &silent));
        }
        assert!(!keeps_index(false, Role::Worker, &listening));
    }
}
