//! The polite gate: the only caller of `fetch`. Every request of the crawler, whatever it is for,
//! passes robots, pace and lease here and the address guard inside `fetch` (invariants 2, 6, 7).
//!
//! Must not know: what the bytes mean.

mod robots;
mod rules;
mod under_way;
mod waiting;
mod walk;

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::SemaphorePermit;
use tracing::Instrument;

use crate::crawl::clock::{self, now, tomorrow};
use crate::fetch::guard::{NO_CONTACT, SET_CONTACT};
use crate::fetch::{FetchError, Fetcher, Kind, Request, Response};
use crate::frontier::{Address, pace};
use crate::meter;
use crate::model::*;
use crate::store::account;
use crate::store::{BLOCKED, Ban, Claim, Store};

use rules::Cache;
use under_way::{Stop, UnderWay};
use waiting::Waiting;
pub use walk::{End, Leads, MAX_HOPS, Walk};

/// How often whoever waits for a pace key asks for it, milliseconds: others than this process may have it.
const ASK: Millis = 200;
/// Pauses longer than this end the attempt; the task is taken up again when the pause is over.
const LONGEST_WAIT: Millis = 30 * SECOND;
/// A request of a queue waits so long for its host alone before it is put off.
const SHORTEST_PUT_OFF: Millis = SECOND;
/// Bytes of robots.txt rules held in memory.
const ROBOTS_CACHE: usize = 32 << 20;

/// A lease in use: the only thing a request can be made with.
pub struct Turn {
    pub lease: Lease,
    /// Pace state after the last request.
    pub pace: Pace,
    /// Robots records to be committed with the next outcome.
    pub robots: Vec<RobotsRecord>,
    /// The outlet on whose account requests are made, and the bytes that came, or are kept, since the last outcome.
    pub account: Option<String>,
    /// The feed of the task at hand is polled: its host's other requests wait for it.
    pub poll: bool,
    /// Only others have named what the task at hand asks for.
    pub hearsay: bool,
    /// The next request follows a redirect.
    redirected: bool,
    /// So long the redirects of the task at hand have waited for their hosts alone.
    waited: Millis,
    /// See [`Turn::stops_when`].
    stop: Option<Stop>,
    fetched: u64,
}

/// What requests leave beside their outcome, to be committed with it.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    pub robots: Vec<RobotsRecord>,
    pub spent: Option<Spent>,
}

impl Turn {
    /// Starts to use a lease.
    pub fn new(lease: Lease) -> Turn {
        let pace = lease.pace.clone();
        Turn {
            lease,
            pace,
            robots: Vec::new(),
            account: None,
            poll: false,
            hearsay: false,
            redirected: false,
            waited: 0,
            stop: None,
            fetched: 0,
        }
    }

    /// When `stop` says so, no redirect is waited for any longer: its task is put off.
    pub fn stops_when(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// What is kept of an answer is on the same account: a page that is all text takes more room than it had.
    pub fn keeps(&mut self, bytes: usize) {
        self.fetched = self.fetched.saturating_add(bytes as u64);
    }

    /// Hands over what the requests of a task leave, on the day of their end.
    pub fn traces(&mut self, day: Day) -> Traces {
        let bytes = std::mem::take(&mut self.fetched);
        let outlet = self.account.take().filter(|_| bytes > 0);
        let spent = outlet.map(|outlet| Spent { outlet, day, bytes });
        Traces { robots: std::mem::take(&mut self.robots), spent }
    }
}

/// Why a request was not answered.
#[derive(Debug)]
pub enum Denied {
    /// robots.txt forbids it; never requested.
    Forbidden {
        rule: String,
        line: Option<u32>,
    },
    /// robots.txt cannot be had: everything is forbidden until it can (RFC 9309 §2.3.1.4).
    RobotsUnreachable(String),
    /// The guard, the missing contact or the operator's rule about the outlet.
    Refused(String),
    /// The guard, for every address that the name has just now; it may have others later.
    AddressDenied(String),
    Failed(Failure),
    /// The host, or all hosts under its pace key, are left alone for now.
    Paused(Pause),
    /// The lease was lost: drop everything.
    Fenced,
    Store(String),
}

/// Until when something has to wait, and for what.
#[derive(Clone, Debug)]
pub struct Pause {
    pub until: Millis,
    /// The pace key that others of ours are at; `None`: the site has asked for it, or it is a limit of ours.
    pub in_use: Option<String>,
}

impl Denied {
    pub fn paused(until: Millis) -> Denied {
        Denied::Paused(Pause { until, in_use: None })
    }

    fn forbidden(decision: RobotsDecision) -> Denied {
        Denied::Forbidden { rule: decision.rule.unwrap_or_default(), line: decision.line }
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Denied::Forbidden { rule, line: Some(line) } => {
                write!(f, "robots.txt forbids it (line {line}: {rule})")
            }
            Denied::Forbidden { rule, line: None } => write!(f, "robots.txt forbids it ({rule})"),
            Denied::RobotsUnreachable(why) => {
                write!(f, "robots.txt cannot be read ({why}), so everything is forbidden for now")
            }
            Denied::Refused(why) if why == NO_CONTACT => write!(f, "refused: {why}; {SET_CONTACT}"),
            Denied::Refused(why) | Denied::AddressDenied(why) => write!(f, "refused: {why}"),
            Denied::Failed(failure) => f.write_str(&failure.words()),
            Denied::Paused(Pause { in_use: Some(pace_key), .. }) => {
                write!(f, "it waits for {pace_key}, which is in use; try again later")
            }
            Denied::Paused(_) => f.write_str("the site asked for a pause; try again later"),
            Denied::Fenced => f.write_str("the lease was lost; try again"),
            Denied::Store(error) => f.write_str(error),
        }
    }
}

impl std::error::Error for Denied {}

/// What to ask for beside the URL.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// What the redirects that led here have set.
    pub cookie: Option<String>,
    /// Sent by POST instead of asking by GET.
    pub form: Option<String>,
}

/// See the module's documentation.
pub struct Gate {
    fetcher: Fetcher,
    store: Arc<dyn Store>,
    pace: pace::Settings,
    /// Product token that robots.txt groups are matched with.
    token: String,
    deadline: Millis,
    /// Name under which this process holds leases, and how often it has got another one.
    owner: String,
    renamed: AtomicU32,
    cache: Mutex<Cache>,
    waiting: Waiting,
    under_way: UnderWay,
}

impl Gate {
    pub(in crate::crawl) fn new(
        fetcher: Fetcher,
        store: Arc<dyn Store>,
        pace: pace::Settings,
        token: String,
        deadline: Span,
        owner: String,
        workers: usize,
    ) -> Gate {
        let deadline = clock::stretched(deadline.0);
        let renamed = AtomicU32::default();
        let cache = Mutex::new(Cache::new(ROBOTS_CACHE));
        let waiting = Waiting::default();
        let under_way = UnderWay::new(workers);
        Gate { fetcher, store, pace, token, deadline, owner, renamed, cache, waiting, under_way }
    }

    /// Terms of a claim that starts now.
    pub(in crate::crawl) fn claim(&self, keys: usize, drain: usize) -> Claim {
        let now = now();
        // Crawl-delays up to 120 s are only known once leased, so the lease is extended on use.
        let until = pace::lease_until(now, self.deadline, drain, self.pace.delay.0);
        let owner = format!("{}-{}", self.owner, self.renamed.load(Ordering::Relaxed));
        Claim { owner, now, until, keys, drain }
    }

    /// The clock was set: by the new one, this is another worker, who must not think that it knows when
    /// the delays of its last leases are over.
    pub(in crate::crawl) fn rename(&self) {
        self.renamed.fetch_add(1, Ordering::Relaxed);
    }

    /// One request, one hop: robots, pace, lease, guard, then the wire. Redirects are returned.
    pub async fn get(
        &self,
        turn: &mut Turn,
        to: &Address,
        kind: Kind,
        conditions: &Conditions,
    ) -> Result<Response, Denied> {
        debug_assert_eq!(to.pace_key, turn.lease.pace_key, "request under a foreign lease");
        let rules = self.robots(turn, to).await?;
        let decision = rules.decide(&to.url);
        if !decision.allowed {
            return Err(Denied::forbidden(decision));
        }
        self.dial(turn, to, kind, conditions).await
    }

    async fn dial(
        &self,
        turn: &mut Turn,
        to: &Address,
        kind: Kind,
        conditions: &Conditions,
    ) -> Result<Response, Denied> {
        self.wanted(to).await?;
        let host = to.url.host_str().unwrap_or_default();
        let (wait, place) = self.wait(turn, host)?;
        // The lease must outlast the wait and the whole request, checked before the dial.
        let needed = now() + wait.max(0) + self.deadline + SECOND;
        if turn.lease.until < needed {
            let until = needed + 2 * self.deadline;
            let (store, lease) = (self.store.clone(), turn.lease.clone());
            let extended = blocking(move || store.extend(&lease, until)).await?;
            if !extended {
                return Err(Denied::Fenced);
            }
            turn.lease.until = until;
        }
        if wait > 0 {
            let span = tracing::info_span!("wait");
            match place {
                Some(_) => turn.pass(wait).instrument(span).await?,
                None => clock::sleep(wait).instrument(span).await,
            }
        }
        drop(place);
        if turn.lease.until < now() + self.deadline {
            // The process slept longer than it meant to (suspended machine): the lease may be gone.
            return Err(Denied::Fenced);
        }
        let request = Request {
            etag: conditions.etag.as_deref(),
            last_modified: conditions.last_modified.as_deref(),
            cookie: conditions.cookie.as_deref(),
            form: conditions.form.as_deref(),
            ..Request::new(&to.url, kind)
        };
        let began = now();
        let span = tracing::info_span!(
            "request",
            otel.kind = "client",
            kind = kind.name(),
            server.address = host,
            // What may be behind it is a secret of some feeds.
            url.path = to.url.path(),
            http.response.status_code = tracing::field::Empty,
        );
        let (answer, bytes) = self.fetcher.measured(request).instrument(span.clone()).await;
        if let Ok(response) = &answer {
            span.record("http.response.status_code", response.status);
        }
        let ended = now();
        let response = answer.as_ref().ok();
        turn.fetched = turn.fetched.saturating_add(bytes as u64);
        // A host whose body is not to be read has answered: it is not in trouble.
        let unread = matches!(
            &answer,
            Err(FetchError::Failed(
                Failure::TooLarge | Failure::CompressionRatio | Failure::Encoding(_)
            ))
        );
        let status = response.map(|r| r.status);
        let seen = pace::Answer {
            status: status.or(unread.then_some(200)),
            elapsed: ended - began,
            retry_after: response.and_then(|r| r.headers.retry_after),
            bytes,
            hearsay: turn.hearsay,
        };
        if !matches!(answer, Err(FetchError::Refused(_) | FetchError::AddressDenied(_))) {
            meter::request(kind.name(), status, seen.elapsed);
            turn.pace = pace::after_response(&turn.pace, host, &seen, ended, &self.pace);
        }
        match answer {
            Ok(response) => Ok(response),
            Err(FetchError::Refused(why)) => Err(Denied::Refused(why)),
            Err(FetchError::AddressDenied(why)) => Err(Denied::AddressDenied(why)),
            Err(FetchError::Failed(failure)) => Err(Denied::Failed(failure)),
        }
    }

    /// How long the next request to a host has to wait, as long as it is worth waiting for. One of a
    /// queue that this host alone keeps waiting is put off: others under the pace key need not wait. What a redirect led
    /// to waits here, at a place of its own: if it were put off, the redirect would come first again, and again the wait.
    fn wait(
        &self,
        turn: &mut Turn,
        host: &str,
    ) -> Result<(Millis, Option<SemaphorePermit<'_>>), Denied> {
        let ready = pace::next_request(&turn.pace, host, turn.hearsay);
        let (wait, all) = (ready - now(), pace::next_of_all(&turn.pace) - now());
        let longest = LONGEST_WAIT.max(turn.pace.delay);
        let queued = !turn.lease.tasks.is_empty();
        if all <= longest && queued && wait > all.max(SHORTEST_PUT_OFF) {
            // What others have named keeps the host's own waiting no longer than the host asks for.
            let is_beside = ready > pace::next_request(&turn.pace, host, false);
            if turn.redirected && is_beside {
                return Err(Denied::Failed(Failure::WaitTooLong));
            }
            if turn.redirected && wait <= longest {
                return Ok((wait, Some(self.under_way.place(turn, wait)?)));
            }
            let hearsay = turn.hearsay;
            return Err(Denied::paused(match turn.poll {
                true => ready,
                false => pace::book(&mut turn.pace, host, hearsay, &self.pace),
            }));
        }
        if wait > longest { Err(Denied::paused(ready)) } else { Ok((wait, None)) }
    }

    /// Opens the account of an outlet for the requests of a task: on whose feed's account they are.
    ///
    /// # Errors
    /// [`Denied::Paused`] until the next day if what may be fetched for it on this one is used up.
    pub async fn charge(
        &self,
        turn: &mut Turn,
        outlet: &str,
        zone: &jiff::tz::TimeZone,
    ) -> Result<(), Denied> {
        let (store, of, today) = (self.store.clone(), outlet.to_owned(), day_of(now(), zone));
        if blocking(move || account::used_up(store.as_ref(), &of, today)).await? {
            return Err(Denied::paused(tomorrow(now(), zone)));
        }
        turn.account = Some(outlet.to_owned());
        Ok(())
    }

    /// Refuses every request to an outlet that the operator has blocked or forgotten.
    async fn wanted(&self, to: &Address) -> Result<(), Denied> {
        let (store, outlet) = (self.store.clone(), to.outlet.clone());
        match blocking(move || banned(store.as_ref(), &outlet)).await? {
            Some(why) => Err(Denied::Refused(why)),
            None => Ok(()),
        }
    }

    /// Leases the pace key of a URL for a request outside the queue (discovery, `extract URL`, a
    /// robots.txt that lies elsewhere), and waits for it if it is in use.
    pub async fn turn(&self, to: &Address) -> Result<Turn, Denied> {
        self.wait_for(&to.pace_key, |store, claim, key| store.claim_key(claim, key)).await
    }

    /// Leases a pace key for a commit that sends no request: whatever its delay, as soon as nobody
    /// else has it.
    pub(in crate::crawl) async fn hold(&self, pace_key: &str) -> Result<Turn, Denied> {
        self.wait_for(pace_key, |store, claim, key| store.claim_for_commit(claim, key)).await
    }

    async fn wait_for(
        &self,
        pace_key: &str,
        lease: fn(&dyn Store, &Claim, &str) -> crate::store::Result<Option<Lease>>,
    ) -> Result<Turn, Denied> {
        let give_up = now() + 2 * LONGEST_WAIT;
        let mut place = None;
        loop {
            let claim = self.claim(1, 0);
            let (store, key) = (self.store.clone(), pace_key.to_owned());
            if let Some(lease) = blocking(move || lease(store.as_ref(), &claim, &key)).await? {
                return Ok(Turn::new(lease));
            }
            let mut mine = place.take().unwrap_or_else(|| self.waiting.place(pace_key));
            tokio::select! {
                biased;
                Ok(turn) = &mut mine => return Ok(turn),
                () = clock::sleep(ASK) => {}
            }
            if now() > give_up {
                break;
            }
            place = Some(mine);
        }
        let (store, key) = (self.store.clone(), pace_key.to_owned());
        let asked = blocking(move || store.pace(&key)).await?.map_or(0, |pace| pace.blocked_until);
        if asked > now() {
            return Err(Denied::paused(asked));
        }
        let until = now() + LONGEST_WAIT;
        tracing::info!(pace_key, "in use for long; what waits for it is put off");
        Err(Denied::Paused(Pause { until, in_use: Some(pace_key.to_owned()) }))
    }

    /// Does anybody of this process wait for the pace key of a turn? Then it should end soon.
    pub(in crate::crawl) fn is_awaited(&self, turn: &Turn) -> bool {
        self.waiting.is_awaited(&turn.lease.pace_key)
    }

    /// Ends a turn at the queue's tasks: it goes on with whoever waits for its pace key, else its lease is
    /// given back.
    pub(in crate::crawl) async fn pass_on(&self, mut turn: Turn) -> Result<(), Denied> {
        turn.lease.tasks.clear();
        turn.lease.suspects.clear();
        match self.waiting.hand(turn) {
            Some(turn) => self.done(turn).await,
            None => Ok(()),
        }
    }

    /// Gives a turn of [`Gate::turn`] or [`Gate::hold`] back.
    pub async fn done(&self, turn: Turn) -> Result<(), Denied> {
        let store = self.store.clone();
        blocking(move || {
            if !turn.robots.is_empty() {
                let mut batch = store.batch()?;
                for record in &turn.robots {
                    batch.robots(record)?;
                }
                batch.commit()?;
            }
            store.complete(&turn.lease, &turn.pace)
        })
        .await
        .map(|_| ())
    }
}

/// Why nothing of an outlet is requested, if the operator has so decided.
pub(in crate::crawl) fn banned(
    store: &dyn Store,
    outlet: &str,
) -> crate::store::Result<Option<String>> {
    Ok(store.outlet_rule(outlet)?.ban.map(|ban| {
        let decided = match ban {
            Ban::Blocked => BLOCKED,
            Ban::Forgotten => "forgotten for good",
        };
        format!("{outlet} is {decided}; `crawler outlets resume {outlet}` takes that back")
    }))
}

/// Runs a store call on the blocking pool.
pub(in crate::crawl) async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> crate::store::Result<T> + Send + 'static,
) -> Result<T, Denied> {
    match tokio::task::spawn_blocking(call).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(Denied::Store(error.to_string())),
        Err(error) => Err(Denied::Store(format!("a store call did not return: {error}"))),
    }
}
