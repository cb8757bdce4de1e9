//! The robots.txt that governs each request: from memory, store or network, and where it may be sought
//! when it is redirected.
//!
//! Must not know: what a rule looks like, how long a record is fresh.

use std::sync::{Arc, MutexGuard, PoisonError};

use crate::crawl::clock::now;
use crate::fetch::{Extent, Kind, Response};
use crate::frontier::robots::{self, Fetched, Robots, Standing};
use crate::frontier::{Address, address, pace};
use crate::model::*;

use super::rules::{Cache, Rules};
use super::walk::Walk;
use super::{Conditions, Denied, Gate, LONGEST_WAIT, Pause, SHORTEST_PUT_OFF, Turn, blocking};

/// Redirects followed for a robots.txt; RFC 9309 §2.3.1.2 asks for at least five.
const REDIRECTS: usize = 5;

/// Whose robots.txt is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// That of the URL to be requested.
    Target,
    /// That of a host to which the robots.txt of another one is redirected. It is not sought further
    /// than at that host, or two hosts could send us to and fro without end.
    Neighbour,
}

impl Gate {
    /// The robots.txt in force for a URL, fetched if need be; no request for the URL.
    pub async fn record(&self, turn: &mut Turn, to: &Address) -> Result<RobotsRecord, Denied> {
        match self.robots(turn, to).await {
            Ok(_) | Err(Denied::RobotsUnreachable(_)) => {}
            Err(other) => return Err(other),
        }
        let origin = robots::origin(&to.url);
        // What was read in this turn is not committed yet.
        if let Some(record) = turn.robots.iter().rev().find(|record| record.origin == origin) {
            return Ok(record.clone());
        }
        let (store, name) = (self.store.clone(), origin.clone());
        let record = blocking(move || store.robots(&name)).await?;
        record.ok_or(Denied::RobotsUnreachable(origin))
    }

    /// Sitemap lines of the robots.txt that governs a URL.
    pub async fn sitemaps(&self, turn: &mut Turn, to: &Address) -> Result<Vec<String>, Denied> {
        Ok(self.robots(turn, to).await?.sitemaps.clone())
    }

    /// Reads every robots record from the store again.
    pub(in crate::crawl) fn forget_robots(&self) {
        self.cached().clear();
    }

    fn cached(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rules in force for a URL's origin.
    pub(super) async fn robots(
        &self,
        turn: &mut Turn,
        to: &Address,
    ) -> Result<Arc<Robots>, Denied> {
        self.rules(turn, to, Of::Target).await
    }

    async fn rules(&self, turn: &mut Turn, to: &Address, of: Of) -> Result<Arc<Robots>, Denied> {
        let origin = robots::origin(&to.url);
        let known = self.cached().get(&origin);
        let known = match known.filter(|known| !robots::needs_fetch(Some(&known.record), now())) {
            Some(known) => known,
            None => self.read_robots(turn, to, &origin, of).await?,
        };
        let rules = match robots::standing(&known.record, now()) {
            Standing::Rules => known.robots,
            Standing::Allow(_) => Arc::default(),
            Standing::Unreachable(why) => return Err(Denied::RobotsUnreachable(why)),
        };
        let host = to.url.host_str().unwrap_or_default();
        pace::crawl_delay(&mut turn.pace, host, rules.crawl_delay, &self.pace);
        Ok(rules)
    }

    /// What the store knows of an origin's robots.txt, perhaps from another process; if that is not
    /// fresh, the file is fetched.
    async fn read_robots(
        &self,
        turn: &mut Turn,
        to: &Address,
        origin: &str,
        of: Of,
    ) -> Result<Rules, Denied> {
        // What was read in this turn is not committed yet.
        let mine = turn.robots.iter().rev().find(|record| record.origin == origin).cloned();
        let (store, name) = (self.store.clone(), origin.to_owned());
        let before = match mine {
            Some(record) => Some(record),
            None => blocking(move || store.robots(&name)).await?,
        };
        let record = match before {
            Some(record) if !robots::needs_fetch(Some(&record), now()) => record,
            before => {
                let record = self.fetch_robots(turn, to, origin, before.as_ref(), of).await?;
                turn.robots.push(record.clone());
                record
            }
        };
        let rules = Rules::of(record, &self.token);
        self.cached().put(rules.clone());
        Ok(rules)
    }

    /// Fetches robots.txt, following at least five redirects, across pace keys each at the
    /// target's pace (RFC 9309 §2.3.1.2).
    async fn fetch_robots(
        &self,
        turn: &mut Turn,
        to: &Address,
        origin: &str,
        before: Option<&RobotsRecord>,
        of: Of,
    ) -> Result<RobotsRecord, Denied> {
        let record = |fetched| robots::after_fetch(before, origin, fetched, now());
        let astray = Fetched::Answer { status: 310, body: &[], cut: false, max_age: None };
        let Ok(first) = address(robots::location(&to.url).as_str(), None) else {
            return Ok(record(astray));
        };
        let mut walk = Walk::new(first, REDIRECTS);
        loop {
            let at = walk.at();
            let own = at.pace_key == to.pace_key && at.url.host_str() == to.url.host_str();
            if !own && of == Of::Neighbour && !is_robots_txt(at) {
                // Nothing is known against this host: it is asked for its own sake another time.
                let why = format!("its robots.txt is redirected to {}", at.url);
                return Err(Denied::RobotsUnreachable(why));
            }
            // Where this does not go on, the task does not.
            let before = turn.redirected;
            turn.redirected |= walk.is_redirected();
            let answer = if own {
                let conditions = Conditions { cookie: walk.cookie(), ..Conditions::default() };
                self.dial(turn, at, Kind::Robots, &conditions).await
            } else {
                self.elsewhere(turn, to, at).await
            };
            turn.redirected = before;
            match answer {
                Ok(response) => match walk.next(&response, false) {
                    Ok(Some(next)) => walk.go(next),
                    Ok(None) => {
                        return Ok(record(Fetched::Answer {
                            status: response.status,
                            body: &response.body,
                            cut: response.extent == Extent::Cut,
                            max_age: response.headers.max_age,
                        }));
                    }
                    Err(_) => return Ok(record(astray)),
                },
                // That we may not wait, or no longer, says nothing about this one's robots.txt.
                Err(unasked @ Denied::Failed(Failure::WaitTooLong)) => return Err(unasked),
                Err(stopped @ Denied::Paused(_)) if turn.is_stopped() => return Err(stopped),
                Err(Denied::Failed(failure)) if own => {
                    return Ok(record(Fetched::Error(failure.name())));
                }
                Err(lost @ (Denied::Fenced | Denied::Store(_))) => return Err(lost),
                // Nor that others of ours are at that host.
                Err(busy @ Denied::Paused(Pause { in_use: Some(_), .. })) => return Err(busy),
                Err(other) if own => return Err(other),
                // If that host asks for a pause, it is not this one that pauses.
                Err(denied) => {
                    let error = match denied {
                        Denied::Refused(why) | Denied::AddressDenied(why) => {
                            format!("it is redirected to an address that is refused: {why}")
                        }
                        denied => format!("it is redirected to {}: {denied}", at.url),
                    };
                    return Ok(record(Fetched::Error(&error)));
                }
            }
        }
    }

    /// One request to a host that the robots.txt of `to` is redirected to: as that host's own rules allow it, at its
    /// pace, and on the account of whoever leads there.
    async fn elsewhere(
        &self,
        turn: &mut Turn,
        to: &Address,
        at: &Address,
    ) -> Result<Response, Denied> {
        // Every host is asked for its robots.txt for its own sake, too: nobody has to choose that.
        let hearsay = at.outlet != to.outlet && !is_robots_txt(at);
        if at.pace_key == turn.lease.pace_key {
            return self.allowed(turn, at, hearsay).await;
        }
        let mut theirs = self.turn(at).await?;
        let answer = self.allowed(&mut theirs, at, hearsay).await;
        turn.fetched = turn.fetched.saturating_add(theirs.fetched);
        self.done(theirs).await?;
        answer
    }

    async fn allowed(
        &self,
        turn: &mut Turn,
        at: &Address,
        hearsay: bool,
    ) -> Result<Response, Denied> {
        if !is_robots_txt(at) {
            // Boxed, as it may come back here: once, since a neighbour's is not sought elsewhere.
            let rules = Box::pin(self.rules(turn, at, Of::Neighbour)).await?;
            let decision = rules.decide(&at.url);
            if !decision.allowed {
                return Err(Denied::forbidden(decision));
            }
        }
        if hearsay && let Some(until) = self.put_off(turn, at) {
            // For a moment it is no more than busy.
            let in_use = (until <= now().saturating_add(LONGEST_WAIT)).then(|| at.pace_key.clone());
            return Err(Denied::Paused(Pause { until, in_use }));
        }
        // Another outlet has chosen what is asked for here: how that is answered keeps nothing else of the host waiting,
        // unless it asks for a pause outright (429, 503).
        let before = turn.hearsay;
        turn.hearsay |= hearsay;
        let answer = self.dial(turn, at, Kind::Robots, &Conditions::default()).await;
        turn.hearsay = before;
        answer
    }

    /// Until when a host is not asked for what others have chosen, if its own requests need not wait so long: its turn is
    /// not kept meanwhile.
    fn put_off(&self, turn: &Turn, at: &Address) -> Option<Millis> {
        let host = at.url.host_str().unwrap_or_default();
        let own = pace::next_request(&turn.pace, host, false).max(now());
        let until = pace::next_request(&turn.pace, host, true);
        (until > own.saturating_add(SHORTEST_PUT_OFF)).then_some(until)
    }
}

/// Which every host allows.
fn is_robots_txt(at: &Address) -> bool {
    at.url.path() == "/robots.txt" && at.url.query().is_none()
}
