//! WebSub (W3C Recommendation, 23 January 2018), the subscriber's side: where a feed names a hub and
//! a public callback is configured, the hub is asked to push. What it pushes is a poll's result by
//! another way: `run` commits it. Polling goes on, at a longer
//! interval only while it finds nothing that was not pushed.
//!
//! Must not know: the HTTP server that hubs call (`serve` does), how entries are stored.

mod signature;

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::fetch::Kind;
use crate::frontier::address;
use crate::model::*;
use crate::store::Store;
use crate::store::subscriptions::{self, Pushes, Subscription, subscription};

use super::gate::{Conditions, Walk, blocking};
use crate::crawl::Engine;
use crate::crawl::clock;

/// Deliveries that wait for their commit; a hub is told to come again when there are more.
pub(in crate::crawl) const WAITING: usize = 16;
/// A hub may bring so many deliveries for a feed at once, and one each so long: each takes the feed's pace
/// key for a moment, which keeps the outlet's own pages waiting.
const AT_ONCE: f64 = 10.0;
const APART: Millis = 10 * SECOND;
/// How often the subscriptions are looked at.
const EVERY: Duration = Duration::from_secs(2);
/// So many hubs are asked at the same time, since some are slow to answer.
const TOGETHER: usize = 8;
/// A hub is not asked twice within this long; while it has not verified its subscriber, ever more rarely.
const PATIENCE: Millis = HOUR;
const LONGEST_PATIENCE: Millis = DAY;
/// Redirects of a hub that are followed (§5.1).
const HOPS: usize = 5;

/// Settings of the subscriber.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Public URL under which hubs reach [`Settings::listen`]; `None`: no subscriptions.
    pub callback: Option<String>,
    /// Address on which hubs are answered, and nobody else.
    pub listen: String,
    /// Are they answered over TLS, with the certificate of the HTTP server?
    pub tls: bool,
    /// How long a subscription is asked for.
    pub lease: Span,
    /// Interval of polls while pushes bring everything.
    pub poll: Span,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            callback: None,
            listen: "127.0.0.1:8081".into(),
            tls: false,
            lease: Span(10 * DAY),
            poll: Span(6 * HOUR),
        }
    }
}

impl Subscription {
    fn new(hub: &str, topic: &str) -> std::io::Result<Subscription> {
        Ok(Subscription {
            hub: hub.to_owned(),
            topic: topic.to_owned(),
            token: random()?,
            secret: random()?,
            asked: None,
            attempts: 0,
            until: None,
            granted: None,
            pushed: None,
            error: None,
            pushes: Pushes::default(),
        })
    }

    /// When the hub is to be asked next; `lease` is what it is asked for. However short the lease that
    /// it grants, it has its patience's time between two requests.
    fn due(&self, lease: Millis) -> Millis {
        let Some(asked) = self.asked else { return Millis::MIN };
        let patience = PATIENCE.saturating_mul(1 << self.attempts.min(5)).min(LONGEST_PATIENCE);
        let length = self.granted.unwrap_or(lease);
        let renew = self.until.map_or(Millis::MIN, |until| until - length / 5);
        // Once it was verified after the last request, `attempts` is 0.
        renew.max(asked + patience)
    }
}

/// 128 bits that nobody can guess, as 32 hex digits.
fn random() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(UrlKey(u128::from_be_bytes(bytes)).to_string())
}

/// What a hub brought.
#[derive(Debug)]
pub struct Delivery {
    pub feed: UrlKey,
    pub content_type: Option<String>,
    pub body: Vec<u8>,
}

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    Queued,
    /// Its signature is missing or wrong: acknowledged and dropped (§7.1.1).
    Unsigned,
    /// Nothing is subscribed under this token.
    Unknown,
    /// Too many are waiting, or this one comes too soon after others: come again.
    Busy,
}

/// The subscriptions of a running crawl.
#[derive(Default)]
pub struct Websub {
    known: RwLock<HashMap<UrlKey, Subscription>>,
    /// How many deliveries a feed's hub may bring at once, and since when.
    rates: Mutex<HashMap<UrlKey, (f64, Millis)>>,
    queue: OnceLock<mpsc::Sender<Delivery>>,
}

impl Websub {
    /// Reads the stored subscriptions of these feeds.
    pub(in crate::crawl) fn load(&self, store: &dyn Store) -> Result<()> {
        let mut known = HashMap::new();
        for feed in store.feeds()? {
            if let Some(subscription) = subscription(store, feed.key)? {
                known.insert(feed.key, subscription);
            }
        }
        *self.known.write().unwrap_or_else(|e| e.into_inner()) = known;
        Ok(())
    }

    /// The subscription of a feed.
    pub fn of(&self, feed: UrlKey) -> Option<Subscription> {
        self.known.read().unwrap_or_else(|e| e.into_inner()).get(&feed).cloned()
    }

    /// May a delivery under this token come now? Only its hub knows the token, so nobody else uses its
    /// turns up.
    ///
    /// # Errors
    /// Nothing is subscribed under it, or it comes too soon after others.
    pub fn admit(&self, token: &str) -> Result<(), Received> {
        let (feed, _) = self.with_token(token).ok_or(Received::Unknown)?;
        if self.has_turn(feed, clock::now()) { Ok(()) } else { Err(Received::Busy) }
    }

    /// The end of the queue that deliveries are taken from. A second run over one engine finds the
    /// first one's closed, and hubs come again.
    pub(in crate::crawl) fn queue(&self) -> mpsc::Receiver<Delivery> {
        let (sender, deliveries) = mpsc::channel(WAITING);
        let _ = self.queue.set(sender);
        deliveries
    }

    fn with_token(&self, token: &str) -> Option<(UrlKey, Subscription)> {
        let known = self.known.read().unwrap_or_else(|e| e.into_inner());
        known.iter().find(|(_, s)| s.token == token).map(|(key, s)| (*key, s.clone()))
    }

    fn put(&self, store: &dyn Store, feed: UrlKey, subscription: Subscription) -> Result<()> {
        subscriptions::keep(store, feed, &subscription)?;
        self.known.write().unwrap_or_else(|e| e.into_inner()).insert(feed, subscription);
        Ok(())
    }

    /// A feed was found to name this hub. Asked again only if hub or topic are other ones, and no sooner: else a feed
    /// could have any address asked at each of its polls.
    pub(in crate::crawl) fn wish(
        &self,
        store: &dyn Store,
        feed: UrlKey,
        hub: &str,
        topic: &str,
    ) -> Result<()> {
        let known = self.of(feed);
        if known.as_ref().is_some_and(|s| s.hub == hub && s.topic == topic) {
            return Ok(());
        }
        let new = Subscription::new(hub, topic)?;
        let new = match known {
            Some(Subscription { asked, attempts, pushes, .. }) => {
                Subscription { asked, attempts, pushes, ..new }
            }
            None => new,
        };
        self.put(store, feed, new)
    }

    /// The subscription that is to be asked for next, if any is due: one that runs out before one that is new, then
    /// the one that has waited longest.
    fn due(&self, lease: Millis, now: Millis) -> Option<(UrlKey, Subscription)> {
        let known = self.known.read().unwrap_or_else(|e| e.into_inner());
        let due = known.iter().filter(|(_, s)| s.due(lease) <= now);
        let next = due.min_by_key(|(_, s)| (s.until.is_none(), s.due(lease)));
        next.map(|(key, s)| (*key, s.clone()))
    }

    /// May the hub of a feed bring another delivery now? If not, that is noted.
    fn has_turn(&self, feed: UrlKey, now: Millis) -> bool {
        let mut rates = self.rates.lock().unwrap_or_else(|e| e.into_inner());
        let (left, since) = rates.entry(feed).or_insert((AT_ONCE, now));
        let more = (now - *since).max(0) as f64 / APART as f64;
        (*left, *since) = ((*left + more).min(AT_ONCE), now);
        if *left >= 1.0 {
            *left -= 1.0;
            return true;
        }
        let mut known = self.known.write().unwrap_or_else(|e| e.into_inner());
        if let Some(subscription) = known.get_mut(&feed) {
            subscription.pushes = subscription.pushes.on_day(now);
            subscription.pushes.refused = subscription.pushes.refused.saturating_add(1);
        }
        false
    }

    /// Do pushes bring this feed's entries, as far as can be told? Not on a day on which its hub was not
    /// believed in everything.
    pub(in crate::crawl) fn pushes(&self, feed: UrlKey, now: Millis) -> bool {
        self.of(feed).is_some_and(|s| {
            let runs = s.pushed.is_some() && s.until.is_some_and(|until| until > now);
            runs && s.pushes.on_day(now).all_taken()
        })
    }
}

/// A hub asks whether we asked (§5.3): true if so, and the lease begins. `denied`: it tells that it
/// will not push (§5.2).
///
/// # Errors
/// Of the store.
pub fn verify(
    engine: &Engine,
    token: &str,
    mode: &str,
    topic: &str,
    lease: Option<i64>,
    reason: Option<&str>,
) -> Result<bool> {
    let Some((feed, mut subscription)) = engine.websub.with_token(token) else { return Ok(false) };
    let followed = engine.store.feed(feed)?.is_some_and(|f| f.status == FeedStatus::Active);
    if subscription.topic != topic || subscription.asked.is_none() {
        return Ok(false);
    }
    match mode {
        "subscribe" if followed => {
            let asked = engine.settings.websub.lease.0;
            let granted = lease.and_then(|s| s.checked_mul(SECOND)).filter(|l| *l > 0);
            let granted = granted.unwrap_or(asked);
            subscription.until = Some(clock::now().saturating_add(granted));
            subscription.granted = Some(granted);
            subscription.attempts = 0;
            subscription.error = None;
        }
        // Nobody here asks for it, but what is no longer followed may end.
        "unsubscribe" if !followed => subscription.until = None,
        "denied" => {
            let reason: String = reason.unwrap_or("no reason given").chars().take(200).collect();
            subscription.error = Some(format!("denied: {reason}"));
            subscription.until = None;
        }
        _ => return Ok(false),
    }
    engine.websub.put(engine.store.as_ref(), feed, subscription)?;
    Ok(true)
}

/// Takes a delivery whose signature (`X-Hub-Signature`) holds.
pub fn receive(
    engine: &Engine,
    token: &str,
    signature: Option<&str>,
    content_type: Option<&str>,
    body: Vec<u8>,
) -> Received {
    let Some((feed, subscription)) = engine.websub.with_token(token) else {
        return Received::Unknown;
    };
    if !signature
        .is_some_and(|given| signature::holds(given, subscription.secret.as_bytes(), &body))
    {
        tracing::warn!(hub = %subscription.hub, "a delivery without a valid signature was dropped");
        return Received::Unsigned;
    }
    let Some(queue) = engine.websub.queue.get() else { return Received::Busy };
    let content_type = content_type.map(str::to_owned);
    match queue.try_send(Delivery { feed, content_type, body }) {
        Ok(()) => Received::Queued,
        Err(_) => Received::Busy,
    }
}

/// Asks hubs to push, until `shutdown` turns true; then requests under way are given up.
pub(in crate::crawl) async fn ask_hubs(engine: &Arc<Engine>, mut shutdown: watch::Receiver<bool>) {
    let mut every = tokio::time::interval(EVERY);
    let mut asking = JoinSet::new();
    while !*shutdown.borrow() {
        let result = tokio::select! {
            _ = every.tick(), if asking.len() < TOGETHER => begin(engine, &mut asking).await,
            Some(asked) = asking.join_next() => asked.context("a request did not return").flatten(),
            _ = shutdown.changed() => Ok(()),
        };
        if let Err(error) = result {
            tracing::warn!("WebSub: {error:#}");
        }
    }
}

/// Begins to ask for the next subscription, if any is due.
async fn begin(engine: &Arc<Engine>, asking: &mut JoinSet<Result<()>>) -> Result<()> {
    if let Some((feed, subscription)) = take_due(engine).await? {
        let engine = engine.clone();
        asking.spawn(async move { ask_for(&engine, feed, &subscription).await });
    }
    Ok(())
}

/// The subscription that is to be asked for next, if any is due. It is noted that it is asked for: the hub may verify
/// before its answer is here.
async fn take_due(engine: &Arc<Engine>) -> Result<Option<(UrlKey, Subscription)>> {
    let now = clock::now();
    let Some((feed, mut subscription)) = engine.websub.due(engine.settings.websub.lease.0, now)
    else {
        return Ok(None);
    };
    let store = engine.store.clone();
    let followed = blocking(move || store.feed(feed)).await?;
    if !followed.is_some_and(|f| f.status == FeedStatus::Active) {
        engine.websub.known.write().unwrap_or_else(|e| e.into_inner()).remove(&feed);
        return Ok(None);
    }
    subscription.asked = Some(now);
    subscription.attempts = subscription.attempts.saturating_add(1);
    put(engine, feed, subscription.clone()).await?;
    Ok(Some((feed, subscription)))
}

/// Asks for a subscription, and notes why its hub does not take the request.
async fn ask_for(engine: &Arc<Engine>, feed: UrlKey, subscription: &Subscription) -> Result<()> {
    let Some(callback) = engine.settings.websub.callback.as_deref() else { return Ok(()) };
    let lease = engine.settings.websub.lease.0;
    let form = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("hub.mode", "subscribe")
        .append_pair("hub.topic", &subscription.topic)
        .append_pair(
            "hub.callback",
            &format!("{}/websub/{}", callback.trim_end_matches('/'), subscription.token),
        )
        .append_pair("hub.secret", &subscription.secret)
        .append_pair("hub.lease_seconds", &(lease / SECOND).to_string())
        .finish();
    if let Err(why) = ask(engine, &subscription.hub, form).await {
        tracing::info!(hub = %subscription.hub, topic = %subscription.topic, "{why}");
        let of_this = |s: &Subscription| s.attempts > 0 && s.token == subscription.token;
        if let Some(current) = engine.websub.of(feed).filter(of_this) {
            put(engine, feed, Subscription { error: Some(why), ..current }).await?;
        }
    }
    Ok(())
}

/// A delivery has been taken: what its hub has pushed now, and whether part of it was doubted.
pub(in crate::crawl) async fn pushed(
    engine: &Arc<Engine>,
    feed: UrlKey,
    at: Millis,
    pushes: Pushes,
    doubted: bool,
) -> Result<()> {
    let Some(mut current) = engine.websub.of(feed) else { return Ok(()) };
    current.pushed = Some(at);
    let refused = current.pushes.on_day(at).refused;
    current.pushes = Pushes { refused, ..pushes };
    if doubted {
        let store = engine.store.clone();
        blocking(move || subscriptions::doubt(store.as_ref(), feed, at)).await?;
    }
    put(engine, feed, current).await
}

async fn put(engine: &Arc<Engine>, feed: UrlKey, subscription: Subscription) -> Result<()> {
    let shared = engine.clone();
    tokio::task::spawn_blocking(move || {
        shared.websub.put(shared.store.as_ref(), feed, subscription)
    })
    .await
    .context("a store call did not return")?
}

/// One subscription request, with its redirects (§5.1).
async fn ask(engine: &Arc<Engine>, hub: &str, form: String) -> Result<(), String> {
    let conditions = Conditions { form: Some(form), ..Conditions::default() };
    let at = address(hub, None).map_err(|e| format!("the hub {hub}: {e}"))?;
    let answer = engine.gate.errand(&mut Walk::new(at, HOPS), Kind::Hub, &conditions).await;
    match answer.map_err(|denied| format!("the hub {hub}: {denied}"))?.status {
        200..=299 => Ok(()),
        status => Err(format!("the hub {hub} answered with status {status}")),
    }
}

#[cfg(test)]
mod tests;
