//! What operators say about alerts: which there are, and that one is to be tried.
//!
//! Must not know: when a rule is met, how the order arrived.

use std::sync::Arc;

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::crawl::Engine;
use crate::crawl::clock::now;
use crate::crawl::outbox::{self, Attempt};
use crate::model::*;
use crate::query::{self, Unanswered};
use crate::search::Failed;
use crate::store::Store;
use crate::store::decision::{Change, Topic, Who};

/// Longest name, in characters.
pub const LONGEST_NAME: usize = 64;
/// Most alerts.
const MOST: usize = 500;
/// Most brands and targets of one.
const MOST_NAMES: usize = 100;
/// Longest time that a count looks back.
const LONGEST: Millis = 7 * DAY;
/// How often a change is tried that others overtake.
const TRIES: usize = 20;

/// An alert that has been set.
#[derive(Debug, Serialize, Deserialize)]
pub struct AlertSet {
    pub name: String,
    /// There was one of this name; what it told stays.
    pub replaced: bool,
}

/// An alert that has been removed.
#[derive(Debug, Serialize, Deserialize)]
pub struct AlertRemoved {
    pub name: String,
}

/// An alert that has been tried, and what came of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct AlertTested {
    pub name: String,
    /// Name of the event.
    pub id: String,
    pub deliveries: Vec<Delivery>,
}

/// Sets an alert, or changes the one of this name.
///
/// # Errors
/// The rule makes no sense, or names a brand, outlet or target that there is not.
pub fn set(engine: &Engine, who: &Who, rule: AlertRule) -> Result<AlertSet> {
    let store = engine.store.as_ref();
    let rule = checked(engine, rule)?;
    for _ in 0..TRIES {
        let before = store.alert(&rule.name)?;
        if before.is_none() && store.alerts()?.len() >= MOST {
            bail!("there are {MOST} alerts: remove those that nobody reads (`crawler alerts rm`)");
        }
        let replaced = before.is_some();
        let mut alert = match before {
            None => Alert::new(rule.clone(), now()),
            Some(before) => before,
        };
        let only_how = AlertRule { to: rule.to.clone(), quiet: rule.quiet, ..alert.rule.clone() };
        if only_how != rule {
            alert.state = AlertState { since: now(), ..AlertState::default() };
        }
        alert.rule = rule.clone();
        let words = format!("alert {} set: {}", rule.name, words(&rule));
        let decision = who.decides(now(), Topic::Alert, words);
        if store.change(Change::Alert(&alert), Some(&decision))? > 0 {
            return Ok(AlertSet { name: rule.name, replaced });
        }
    }
    bail!("the alert {} is being changed by somebody else: try again", rule.name)
}

/// Removes an alert and its events.
///
/// # Errors
/// There is none of this name.
pub fn remove(store: &dyn Store, who: &Who, name: &str) -> Result<AlertRemoved> {
    let alert = query::alert_known(store, name)?;
    let decision = who.decides(now(), Topic::Alert, format!("alert {} removed", alert.rule.name));
    store.change(Change::AlertRemoved(name), Some(&decision))?;
    Ok(AlertRemoved { name: alert.rule.name })
}

/// Sends an event that only shows that the alert arrives, at once and once. It is kept with the others; who
/// does not take it is tried again by the daemon.
///
/// # Errors
/// There is none of this name; it has no targets.
pub fn test(
    engine: &Arc<Engine>,
    runtime: &tokio::runtime::Handle,
    name: &str,
) -> Result<AlertTested> {
    let store = engine.store.as_ref();
    for _ in 0..TRIES {
        let mut alert = query::alert_known(store, name)?;
        let settings = engine.courier.settings();
        let began = now();
        alert.note(query::trial(&alert.rule, began), began);
        let Some(event) = alert.events.last_mut() else { break };
        let deliveries = event.deliveries.iter_mut();
        deliveries.for_each(|delivery| outbox::begin(settings, delivery, began));
        let event = event.clone();
        if !store.keep_alert(&alert)? {
            continue;
        }
        let attempts = event.deliveries.iter().map(|delivery| Attempt {
            rule: alert.rule.clone(),
            event: event.clone(),
            target: delivery.target.clone(),
        });
        let attempts = attempts.map(|attempt| outbox::attempt(engine, attempt));
        runtime.block_on(futures::future::try_join_all(attempts))?;
        let events = query::alert(store, name)?.events;
        let kept = events.into_iter().find(|kept| kept.id == event.id).unwrap_or(event);
        return Ok(AlertTested { name: name.into(), id: kept.id, deliveries: kept.deliveries });
    }
    bail!("the alert {name} is being changed by somebody else: try again")
}

/// Do the parts of a rule make sense together, whatever the store and the configuration know?
///
/// # Errors
/// What does not, in words.
pub fn possible(rule: &AlertRule) -> Result<(), String> {
    let (name, when) = (&rule.name, rule.when);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    // Of dots alone it would be a step in an address, which clients take before they ask.
    let dots = name.chars().all(|c| c == '.');
    if dots || name.len() > LONGEST_NAME || !name.chars().all(plain) {
        return Err(format!(
            "`{}` is no name for an alert: use up to {LONGEST_NAME} letters, digits and -._, not only dots",
            name.escape_debug()
        ));
    }
    if rule.brands.len() > MOST_NAMES || rule.to.len() > MOST_NAMES {
        return Err(format!("an alert has at most {MOST_NAMES} brands and {MOST_NAMES} targets"));
    }
    if let Some(query) = &rule.query {
        if when.is_digest() || matches!(when, When::Coverage(_)) {
            return Err(format!("`{when}` looks at no articles one by one: leave the query out"));
        }
        if query.trim().is_empty() {
            return Err("the query is empty: leave it out, or say what is looked for".to_owned());
        }
    }
    if when.needs_articles() && !rule.names_articles() {
        return Err(format!("`{when}` needs a brand or a query"));
    }
    let whole = matches!(when, When::Coverage(_)) || when.is_digest();
    if matches!(when, When::Coverage(_)) && !rule.brands.is_empty() {
        return Err(format!("`{when}` is about polls: leave the brand out"));
    }
    if rule.outlet.is_some() && (when == When::NewOutlet || when.is_digest()) {
        return Err(format!("`{when}` looks at all outlets: leave the outlet out"));
    }
    let of_articles = rule.names_articles();
    if rule.language.is_some() && (when == When::NewLanguage || whole || !of_articles) {
        return Err(format!("`{when}` looks at all languages here: leave the language out"));
    }
    if let Some(within) = rule.within {
        let longest = if when.compares() { DAY } else { LONGEST };
        if !when.counts() {
            return Err(format!("`{when}` counts nothing over a time: leave the time out"));
        }
        if within.0 < HOUR || within.0 > longest || within.0 % HOUR != 0 {
            return Err(format!("`{when}` looks back 1h to {}, in whole hours", Span(longest)));
        }
    }
    if let Some(quiet) = rule.quiet.filter(|quiet| quiet.from == quiet.to) {
        return Err(format!("`{quiet}` are no quiet hours; write for example 22:00-07:00"));
    }
    Ok(())
}

/// A rule that can be followed, with the outlet as it is known.
fn checked(engine: &Engine, mut rule: AlertRule) -> Result<AlertRule> {
    possible(&rule).map_err(anyhow::Error::msg)?;
    let store = engine.store.as_ref();
    rule.brands = query::each_once(&rule.brands);
    rule.to.sort();
    rule.to.dedup();
    let watched: Vec<String> = store.brand_set()?.brands.into_iter().map(|b| b.name).collect();
    if let Some(brand) = rule.brands.iter().find(|brand| !watched.contains(brand)) {
        return Err(Unanswered::NoBrand { name: brand.clone(), watched }.into());
    }
    if let Some(outlet) = &rule.outlet {
        rule.outlet = Some(query::outlet_known(store, outlet)?);
    }
    if let Some(language) = &mut rule.language {
        *language = language_named(language).map_err(anyhow::Error::msg)?;
    }
    if let Some(target) = rule.to.iter().find(|target| !engine.courier.knows(target)) {
        let known: Vec<&str> =
            engine.courier.settings().targets.iter().map(|t| t.name.as_str()).collect();
        match known.as_slice() {
            [] => bail!(
                "the configuration names no target `{target}`, nor any other: `deliver.targets` of \
                 config.toml does (docs/alerts.md)"
            ),
            known => bail!(
                "the configuration names no target `{target}`; there are: {}",
                known.join(", ")
            ),
        }
    }
    if rule.query.is_some() {
        findable(engine, &rule)?;
    }
    Ok(rule)
}

/// Can the query of a rule be asked? It is, once. Where the index is only to be made, it is read at least.
fn findable(engine: &Engine, rule: &AlertRule) -> Result<()> {
    let trial = Alert::new(rule.clone(), now());
    let (store, index) = (engine.store.as_ref(), &engine.search);
    match query::judged(store, index, &trial, &mut query::Sights::default(), now()) {
        Ok(_) | Err(Unanswered::Search(Failed::None)) => Ok(()),
        Err(why) => Err(why.into()),
    }
}

/// A rule as it stands in the log.
fn words(rule: &AlertRule) -> String {
    let mut words = rule.when.to_string();
    let mut add = |name: &str, value: &str| words += &format!(", {name} {value}");
    rule.brands.iter().for_each(|brand| add("brand", brand));
    rule.query.iter().for_each(|query| add("query", query));
    rule.outlet.iter().for_each(|outlet| add("outlet", outlet));
    rule.language.iter().for_each(|language| add("language", language));
    rule.within.iter().for_each(|within| add("within", &within.to_string()));
    rule.to.iter().for_each(|target| add("to", target));
    rule.quiet.iter().for_each(|quiet| add("quiet", &quiet.to_string()));
    words
}
