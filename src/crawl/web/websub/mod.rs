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

    /// A feed was found to name this hub. Asked again only if hub or topic are other ones.
    pub(in crate::crawl) fn wish(
        &self,
        store: &dyn Store,
        feed: UrlKey,
        hub: &str,
        topic: &str,
    ) -> Result<()> {
        if self.of(feed).is_some_and(|s| s.hub == hub && s.topic == topic) {
            return Ok(());
        }
        self.put(store, feed, Subscription::new(hub, topic)?)
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

/// Asks hubs to push, until `shutdown` turns true.
pub(in crate::crawl) async fn ask_hubs(engine: &Arc<Engine>, mut shutdown: watch::Receiver<bool>) {
    let mut every = tokio::time::interval(EVERY);
    while !*shutdown.borrow() {
        let result = tokio::select! {
            _ = every.tick() => ask_due(engine).await,
            _ = shutdown.changed() => Ok(()),
        };
        if let Err(error) = result {
            tracing::warn!("WebSub: {error:#}");
        }
    }
}

/// Asks the one hub that has waited longest, if any is due.
async fn ask_due(engine: &Arc<Engine>) -> Result<()> {
    let Some(callback) = engine.settings.websub.callback.as_deref() else { return Ok(()) };
    let (lease, now) = (engine.settings.websub.lease.0, clock::now());
    let due = {
        let known = engine.websub.known.read().unwrap_or_else(|e| e.into_inner());
        let due = known.iter().filter(|(_, s)| s.due(lease) <= now);
        due.min_by_key(|(_, s)| s.due(lease)).map(|(key, s)| (*key, s.clone()))
    };
    let Some((feed, mut subscription)) = due else { return Ok(()) };
    let store = engine.store.clone();
    let followed = blocking(move || store.feed(feed)).await?;
    if !followed.is_some_and(|f| f.status == FeedStatus::Active) {
        engine.websub.known.write().unwrap_or_else(|e| e.into_inner()).remove(&feed);
        return Ok(());
    }
    // Noted first: the hub may verify before its answer is here.
    subscription.asked = Some(now);
    subscription.attempts = subscription.attempts.saturating_add(1);
    put(engine, feed, subscription.clone()).await?;
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
        if let Some(current) = engine.websub.of(feed).filter(|s| s.attempts > 0) {
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
mod tests {
    use super::*;

    #[test]
    fn a_hub_is_asked_again_before_its_lease_ends_and_ever_more_rarely_when_it_is_silent() {
        let mut one = Subscription::new("https://hub.test/", "https://a.test/feed").unwrap();
        assert_eq!(one.token.len(), 32);
        assert_ne!(one.token, one.secret);
        let lease = 10 * DAY;
        assert_eq!(one.due(lease), Millis::MIN);
        one.asked = Some(0);
        let waits: Vec<Millis> = (1..8)
            .map(|attempts| Subscription { attempts, ..one.clone() }.due(lease) / HOUR)
            .collect();
        assert_eq!(waits, [2, 4, 8, 16, 24, 24, 24]);
        one.until = Some(lease);
        one.granted = Some(lease);
        assert_eq!(one.due(lease), 8 * DAY);
        // Asked for a renewal and not answered yet.
        one.asked = Some(8 * DAY);
        one.attempts = 1;
        assert_eq!(one.due(lease), 8 * DAY + 2 * HOUR);
    }

    #[test]
    fn a_short_lease_is_renewed_before_its_own_end_and_never_asked_for_twice_an_hour() {
        let mut one = Subscription::new("https://hub.test/", "https://a.test/feed").unwrap();
        one.asked = Some(0);
        for (granted, due) in [(DAY, DAY / 5 * 4), (2 * HOUR, 96 * MINUTE), (10 * SECOND, HOUR)] {
            one.until = Some(granted);
            one.granted = Some(granted);
            assert_eq!(one.due(10 * DAY), due, "{granted}");
        }
        // As it was stored before the lease's length was.
        let mut old = serde_json::to_value(&one).unwrap();
        old.as_object_mut().unwrap().remove("granted");
        let old: Subscription = serde_json::from_value(old).unwrap();
        assert_eq!((old.until, old.granted, old.due(10 * DAY)), (one.until, None, HOUR));
    }

    #[test]
    fn a_hub_that_pushes_too_fast_is_told_to_come_again_and_noted() {
        let websub = Websub::default();
        let (feed, other) = (UrlKey(1), UrlKey(2));
        let one = Subscription::new("https://hub.test/", "https://a.test/feed").unwrap();
        websub.known.write().unwrap().insert(feed, one);
        let turns = |feed, at| (0..100).filter(|_| websub.has_turn(feed, at)).count();
        let day = 20_000 * DAY;
        assert_eq!(turns(feed, day), 10);
        assert_eq!(turns(other, day), 10, "each feed has turns of its own");
        assert_eq!(turns(feed, day + 5 * SECOND), 0);
        assert_eq!(turns(feed, day + 30 * SECOND), 3);
        assert_eq!(turns(feed, day - HOUR), 0, "a clock that was set gives nothing");
        let pushes = websub.of(feed).unwrap().pushes;
        assert_eq!((pushes.day, pushes.refused), (19_999, 100));
        assert_eq!(turns(feed, day + HOUR), 10);
        assert_eq!(websub.of(feed).unwrap().pushes.refused, 90, "of that day");
    }
}
