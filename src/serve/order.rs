//! Every order as data, and the one function that carries it out. An order changes something or asks
//! the web; it needs an engine.
//!
//! Must not know: sockets, HTTP, arguments, how answers are printed.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::crawl::Engine;
use crate::crawl::clock::now;
use crate::crawl::orders::steps::Steps;
use crate::crawl::orders::{
    alerts, brands, forget, models, notes, outlets, replay, seed, stories, verify,
};
use crate::crawl::web::{discover, single};
use crate::model::*;
use crate::query::{Emit, Unanswered};
use crate::serve::tokens;
use crate::store::Store;
use crate::store::decision::{Change, Topic, Who};

/// Something to be done. Its answer is a stream of JSON values: one, unless it says otherwise.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Adds the feeds that the text of a list names; a value per line.
    Seed { text: String },
    /// Looks for the feeds of a site.
    Discover { url: String },
    /// Requests a URL, and gives the bytes behind it.
    Fetch { url: String, sought: single::Sought },
    /// Requests the robots.txt that governs a URL, unless a fresh one is known.
    Robots { url: String },
    /// Removes the feed with this URL or key.
    FeedRemove { url: String },
    /// Pauses or resumes the feed with this URL or key.
    FeedPause { url: String, paused: bool },
    /// Says for whom the feed with this URL or key speaks.
    FeedVoice { url: String, voice: outlets::Voice },
    /// Pauses, resumes, blocks or slows down an outlet.
    Outlet { outlet: String, action: outlets::Action },
    /// Forgets a URL (or key) or an outlet for good.
    Forget { what: String },
    /// Changes the watched brands, or says what that would do; with `instead_of` only if this is the
    /// version in use.
    Brands { edit: brands::Edit, dry_run: bool, instead_of: Option<String> },
    /// Sets an alert, or changes the one of this name.
    AlertSet { rule: AlertRule },
    /// Removes an alert and its events.
    AlertRemove { name: String },
    /// Sends something to the targets of an alert.
    AlertTest { name: String },
    /// Pins a note to a day.
    NoteAdd { day: Day, brand: Option<String>, text: String },
    /// Removes the note of this id.
    NoteRemove { id: String },
    /// Makes a token, of use for so long.
    TokenAdd { name: String, scopes: Vec<Scope>, lasts: Option<Span> },
    /// Ends a token, by name or id.
    TokenRevoke { name: String },
    /// Tells all stories anew by the newest rule, or says what that would do.
    Stories { dry_run: bool },
    /// Proves the stored numbers: a value per finding, and one about what was checked.
    Verify,
    /// Gives back disk space.
    Compact,
    /// Copies the store.
    Backup { to: PathBuf },
    /// Reads archived pages with this model file, or the model in use, and compares the counts.
    Replay { plan: replay::Plan, model: Option<Bytes> },
    /// Puts a model file into use; without one the model that came with the program.
    ModelDeploy { model: Option<Bytes> },
    /// Makes the index for search anew.
    SearchRebuild,
}

impl Order {
    /// What it is about, in a word or two.
    pub fn name(&self) -> &'static str {
        match self {
            Order::Seed { .. } => "seed",
            Order::Discover { .. } => "discover",
            Order::Fetch { .. } => "fetch",
            Order::Robots { .. } => "robots",
            Order::FeedRemove { .. } | Order::FeedPause { .. } | Order::FeedVoice { .. } => "feeds",
            Order::Outlet { .. } => "outlets",
            Order::Forget { .. } => "forget",
            Order::Brands { edit: brands::Edit::Keep, .. } => "recount",
            Order::Brands { .. } => "brands",
            Order::AlertSet { .. } | Order::AlertRemove { .. } | Order::AlertTest { .. } => {
                "alerts"
            }
            Order::NoteAdd { .. } | Order::NoteRemove { .. } => "notes",
            Order::TokenAdd { .. } | Order::TokenRevoke { .. } => "token",
            Order::Stories { .. } => "stories",
            Order::Verify => "verify",
            Order::Compact => "compact",
            Order::Backup { .. } => "backup",
            Order::Replay { .. } => "replay",
            Order::ModelDeploy { .. } => "model",
            Order::SearchRebuild => "search",
        }
    }
}

/// Carries out an order of somebody's; what it changes is noted in the log of decisions. Feeds are added,
/// texts matched again and articles verified in steps, between which the order may be taken back. Blocks;
/// call it outside the runtime's own threads.
///
/// # Errors
/// It was not carried out, or not to the end.
pub fn carry_out(
    engine: &Arc<Engine>,
    runtime: &tokio::runtime::Handle,
    who: &Who,
    order: Order,
    steps: &Steps,
    emit: Emit<'_>,
) -> Result<()> {
    let _span = tracing::info_span!("order", order = order.name()).entered();
    let store = engine.store.as_ref();
    let done = match order {
        Order::Seed { text } => {
            seed::seed(engine, runtime, who, &text, &mut |line| {
                let heard = emit(json!(line));
                if steps.step().is_ok() { heard } else { ControlFlow::Break(()) }
            })?;
            return Ok(steps.go_on()?);
        }
        Order::Discover { url } => json!(runtime.block_on(discover::discover(engine, &url))?),
        Order::Fetch { url, sought } => {
            json!(runtime.block_on(single::fetch(engine, &url, sought))?)
        }
        Order::Robots { url } => json!(runtime.block_on(single::robots(engine, &url))?),
        Order::FeedRemove { url } => {
            let feed = feed_at(store, &url)?;
            outlets::remove_feed(store, who, &feed)?;
            json!({ "removed": feed.url })
        }
        Order::FeedPause { url, paused } => {
            let feed = outlets::pause_feed(store, who, feed_at(store, &url)?, paused)?;
            json!({ "url": feed.url, "status": feed.status })
        }
        Order::FeedVoice { url, voice } => {
            let feed = outlets::give_voice(store, who, feed_at(store, &url)?, voice)?;
            let Provenance { speaks_for, told, .. } = feed.provenance;
            json!({ "url": feed.url, "outlet": feed.outlet, "speaks_for": speaks_for, "told": told })
        }
        Order::Outlet { outlet, action } => json!(outlets::decide(store, who, &outlet, &action)?),
        Order::Forget { what } => json!(forget::forget(engine, who, &what)?),
        Order::Brands { edit, dry_run, instead_of } => {
            let terms = brands::Terms { dry_run, instead_of, steps: steps.clone() };
            json!(brands::edit(engine, who, edit, &terms)?)
        }
        Order::AlertSet { rule } => json!(alerts::set(engine, who, rule)?),
        Order::AlertRemove { name } => json!(alerts::remove(store, who, &name)?),
        Order::AlertTest { name } => json!(alerts::test(engine, runtime, &name)?),
        Order::NoteAdd { day, brand, text } => json!(notes::add(store, who, day, brand, &text)?),
        Order::NoteRemove { id } => json!(notes::remove(store, who, &id)?),
        Order::Stories { dry_run } => json!(stories::rebuild(engine, who, dry_run, steps)?),
        Order::TokenAdd { name, scopes, lasts } => {
            json!(tokens::add(store, who, &name, &scopes, lasts)?)
        }
        Order::TokenRevoke { name } => json!(tokens::revoke(store, who, &name)?),
        Order::Verify => {
            let mut findings = 0u64;
            let checked = verify::verify(engine, steps, &mut |finding| {
                findings += 1;
                let _ = emit(json!({ "finding": finding.0 }));
            })?;
            json!({
                "articles": checked.articles,
                "without_text": checked.without_text,
                "findings": findings,
            })
        }
        Order::Compact => json!(store.compact(false)?),
        Order::Backup { to } => {
            store.backup(&to)?;
            let words = format!("store copied to {}", to.display());
            store.change(Change::Nothing, Some(&who.decides(now(), Topic::Store, words)))?;
            json!({ "backup": to })
        }
        Order::Replay { plan, model } => {
            let model = model.as_ref().map(|file| file.0.as_slice());
            json!(replay::replay(engine, &plan, model, &mut |_| Ok(()))?)
        }
        Order::SearchRebuild => {
            json!(engine.search.rebuild(store, now(), &|| steps.step().is_ok())?)
        }
        Order::ModelDeploy { model: Some(file) } => json!(models::deploy(engine, who, &file.0)?),
        Order::ModelDeploy { model: None } => json!(models::ship(engine, who)?),
    };
    let _ = emit(done);
    Ok(())
}

fn feed_at(store: &dyn Store, url: &str) -> Result<Feed> {
    let key = url.parse::<UrlKey>().ok();
    let mut feeds = store.feeds()?.into_iter();
    let found = feeds.find(|feed| feed.url == url || Some(feed.key) == key);
    Ok(found.ok_or_else(|| Unanswered::NoFeed(url.to_owned()))?)
}
