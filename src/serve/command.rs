//! Every command that works on a store, as data, and the one function that answers it. The same
//! code answers whether the store is opened by the command itself or held by a daemon.
//!
//! Must not know: sockets, tables, arguments.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::crawl::orders::{brands, forget, models, outlets, replay, seed, verify};
use crate::crawl::run::websub;
use crate::crawl::web::{discover, single};
use crate::crawl::{Engine, clock};
use crate::model::*;
use crate::query::{self, ArticlesQuery, MentionsQuery};
use crate::serve::tokens;
use crate::store::history;

/// A command; its answer is a stream of JSON values.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// The text of a seed list.
    Seed {
        text: String,
    },
    Discover {
        url: String,
    },
    /// The bytes behind a URL.
    Fetch {
        url: String,
        sought: single::Sought,
    },
    /// The robots.txt that governs a URL.
    Robots {
        url: String,
    },
    Mentions(MentionsQuery),
    Articles(ArticlesQuery),
    Show {
        key: UrlKey,
    },
    Stories(ArticlesQuery),
    Story {
        id: UrlKey,
        /// With every member's text compared with the original's.
        #[serde(default)]
        diff: bool,
    },
    Feeds,
    /// Removes, pauses or resumes the feed with this URL.
    FeedRemove {
        url: String,
    },
    FeedPause {
        url: String,
        paused: bool,
    },
    Outlets {
        from: Option<Day>,
        to: Option<Day>,
    },
    /// Polls and entries of each day, of one outlet or of all.
    Days {
        from: Option<Day>,
        to: Option<Day>,
        outlet: Option<String>,
    },
    Status,
    /// Why an outlet is asked, or is not.
    Why {
        outlet: String,
    },
    /// Pauses, resumes, blocks or slows down an outlet.
    Outlet {
        outlet: String,
        action: outlets::Action,
    },
    /// Forgets a URL (or key) or an outlet for good.
    Forget {
        what: String,
    },
    /// Who may ask over HTTP.
    Tokens,
    TokenAdd {
        name: String,
        scopes: Vec<Scope>,
        /// How long it is of use.
        lasts: Option<Span>,
    },
    /// Ends a token, by name or id.
    TokenRevoke {
        name: String,
    },
    Brands,
    BrandsAdd {
        brands: Vec<Brand>,
        dry_run: bool,
    },
    /// Replaces the whole set.
    BrandsImport {
        brands: Vec<Brand>,
        dry_run: bool,
    },
    BrandsRemove {
        names: Vec<String>,
        dry_run: bool,
    },
    Recount {
        dry_run: bool,
    },
    Export {
        from: Option<Day>,
        to: Option<Day>,
    },
    /// The whole store, item by item.
    ExportWhole,
    Verify,
    /// Gives back disk space.
    Compact,
    /// Extracts archived pages with this model file (or the one in use) and compares the counts.
    Replay {
        plan: replay::Plan,
        /// Content of a model file.
        model: Option<Vec<u8>>,
    },
    Backup {
        to: PathBuf,
    },
    /// Models in use, oldest first.
    Models,
    /// Puts a model (its file in base64) into use; without one that of the program.
    ModelDeploy {
        model: Option<String>,
    },
}

/// Receives the values of an answer; false = the listener has gone.
pub type Emit<'a> = &'a mut dyn FnMut(Value) -> bool;

/// Answers a command. Blocks; call it outside the runtime's own threads.
pub fn answer(
    engine: &Arc<Engine>,
    runtime: &tokio::runtime::Handle,
    command: Command,
    emit: Emit<'_>,
) -> Result<()> {
    let store = engine.store.as_ref();
    match command {
        Command::Seed { text } => {
            return seed::seed(engine, runtime, &text, &mut |line| emit(json!(line)));
        }
        Command::Discover { url } => {
            emit(json!(runtime.block_on(discover::discover(engine, &url))?));
        }
        Command::Fetch { url, sought } => {
            emit(json!(runtime.block_on(single::fetch(engine, &url, sought))?));
        }
        Command::Robots { url } => {
            emit(json!(runtime.block_on(single::robots(engine, &url))?));
        }
        Command::Mentions(query) => {
            known_brand(engine, query.brand.as_deref())?;
            emit(json!(query::mentions(store, &query, clock::now())?));
        }
        Command::Articles(query) => {
            known_brand(engine, query.brand.as_deref())?;
            each(query::articles(store, &query)?, emit);
        }
        Command::Stories(query) => {
            known_brand(engine, query.brand.as_deref())?;
            each(query::stories(store, &query)?, emit);
        }
        Command::Show { key } => {
            let view = query::show(store, key)?
                .with_context(|| format!("no article has the key {key}; see `crawler articles`"))?;
            emit(json!(view));
        }
        Command::Story { id, diff } => {
            let mut view = query::show_story(store, id)?
                .with_context(|| format!("no story has the id {id}; see `crawler stories`"))?;
            if diff {
                view.diffs = query::diffs(store, &view.story, None)?;
            }
            emit(json!(view));
        }
        Command::Feeds => each(query::feeds(store)?, emit),
        Command::FeedRemove { url } => {
            let feed = feed_at(engine, &url)?;
            store.remove_feed(feed.key)?;
            emit(json!({ "removed": feed.url }));
        }
        Command::FeedPause { url, paused } => {
            let feed = outlets::pause_feed(store, feed_at(engine, &url)?, paused)?;
            emit(json!({ "url": feed.url, "status": feed.status }));
        }
        Command::Outlets { from, to } => each(query::outlets(store, from, to)?, emit),
        Command::Days { from, to, outlet } => {
            let outlet = outlet.map(|name| outlets::named(store, &name)).transpose()?;
            each(query::days(store, (from, to), outlet.as_deref(), clock::now())?, emit);
        }
        Command::Status => {
            emit(json!(query::status(store, engine.archive_bytes(), clock::now())?));
        }
        Command::Why { outlet } => {
            let outlet = outlets::named(store, &outlet)?;
            let token = &engine.settings.token;
            let robots = |urls: &[String]| outlets::robots(store, token, urls);
            let mut why = query::why(store, &outlet, clock::now(), &robots)?;
            why.sentences.extend(websub::told(store, &outlet)?);
            emit(json!(why));
        }
        Command::Outlet { outlet, action } => {
            emit(json!(outlets::decide(store, &outlet, &action)?));
        }
        Command::Forget { what } => {
            emit(json!(forget::forget(engine, &what)?));
        }
        Command::Tokens => each(tokens::list(store)?, emit),
        Command::TokenAdd { name, scopes, lasts } => {
            emit(json!(tokens::add(store, &name, &scopes, lasts)?));
        }
        Command::TokenRevoke { name } => {
            emit(json!(tokens::revoke(store, &name)?));
        }
        Command::Brands => {
            emit(json!(store.brand_set()?));
        }
        Command::BrandsAdd { brands, dry_run } => {
            let mut set = store.brand_set()?.brands;
            for brand in brands {
                match set.iter_mut().find(|b| b.name == brand.name) {
                    Some(known) => *known = brand,
                    None => set.push(brand),
                }
            }
            emit(json!(brands::replace(engine, set, dry_run)?));
        }
        Command::BrandsImport { brands, dry_run } => {
            emit(json!(brands::replace(engine, brands, dry_run)?));
        }
        Command::BrandsRemove { names, dry_run } => {
            let mut set = store.brand_set()?.brands;
            for name in &names {
                if !set.iter().any(|b| b.name == *name) {
                    bail!("no brand is named `{name}`; see `crawler brands list`");
                }
            }
            set.retain(|b| !names.contains(&b.name));
            emit(json!(brands::replace(engine, set, dry_run)?));
        }
        Command::Recount { dry_run } => {
            let set = store.brand_set()?.brands;
            emit(json!(brands::replace(engine, set, dry_run)?));
        }
        Command::Export { from, to } => {
            query::export(store, from, to, &mut |row| emit(json!(row)))?;
        }
        Command::ExportWhole => store.export(&mut |item| Ok(emit(json!(item))))?,
        Command::Verify => {
            let mut findings = 0u64;
            let checked = verify::verify(engine, &mut |finding| {
                findings += 1;
                emit(json!({ "finding": finding.0 }));
            })?;
            emit(json!({
                "articles": checked.articles,
                "without_text": checked.without_text,
                "findings": findings,
            }));
        }
        Command::Compact => {
            emit(json!(store.compact()?));
        }
        Command::Replay { plan, model } => {
            let nothing = &mut |_| Ok(());
            emit(json!(replay::replay(engine, &plan, model.as_deref(), nothing)?));
        }
        Command::Backup { to } => {
            store.backup(&to)?;
            emit(json!({ "backup": to }));
        }
        Command::Models => each(history::deployments(store)?, emit),
        Command::ModelDeploy { model } => {
            let deployed = match model {
                Some(text) => models::deploy_text(engine, &text)?,
                None => models::ship(engine)?,
            };
            emit(json!(deployed));
        }
    }
    Ok(())
}

fn each<T: Serialize>(rows: Vec<T>, emit: Emit<'_>) {
    for row in rows {
        if !emit(json!(row)) {
            return;
        }
    }
}

fn known_brand(engine: &Engine, brand: Option<&str>) -> Result<()> {
    let Some(name) = brand else { return Ok(()) };
    let set = engine.store.brand_set()?;
    if set.brands.iter().any(|b| b.name == name) {
        return Ok(());
    }
    let names: Vec<&str> = set.brands.iter().map(|b| b.name.as_str()).collect();
    if names.is_empty() {
        bail!("no brand is named `{name}`: none is watched; `crawler brands add` watches one");
    }
    bail!("no brand is named `{name}`; watched are: {}", names.join(", "))
}

fn feed_at(engine: &Engine, url: &str) -> Result<Feed> {
    let key = url.parse::<UrlKey>().ok();
    engine
        .store
        .feeds()?
        .into_iter()
        .find(|f| f.url == url || Some(f.key) == key)
        .with_context(|| format!("no feed has the URL or key `{url}`; see `crawler feeds`"))
}
