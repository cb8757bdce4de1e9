//! Feeds, entries, queues, leases, due index, ledger, counters.

use std::collections::BTreeMap;

use super::{Check, Look};
use crate::model::*;
use crate::store::embedded::format::keys::{self, Parts, key};
use crate::store::embedded::format::{Counters, PaceRow, Pointer, PollSums};
use crate::store::embedded::frontier::{indexed, queue_key};
use crate::store::embedded::read::ledger_id;
use crate::store::rules::entries::{fetch_task, priority};
use crate::store::rules::feeds::{poll_priority, poll_task};
use crate::store::rules::ledger::LedgerRow;
use crate::store::{Result, StoreError};

/// Ledger rows by day of arrival and outlet.
type Sums = BTreeMap<(Day, String), LedgerRow>;

impl Check<'_> {
    pub fn frontier(&mut self) -> Result<()> {
        self.feeds()?;
        let (pending, sums) = self.urls()?;
        self.ledger(sums)?;
        self.counters(pending)?;
        self.queue()?;
        self.pace_keys()?;
        self.table(keys::ROBOTS, |check, at, robots: RobotsRecord| {
            if at != key(keys::ROBOTS).text(&robots.origin).done() {
                check.say(at, format!("holds the robots.txt of {}", robots.origin));
            }
            Ok(())
        })?;
        self.table(keys::ALIAS, |check, at, article: UrlKey| {
            if check.has(&key(keys::POINTER).id(article).done())? {
                return Ok(());
            }
            match check.look::<UrlRecord>(&key(keys::URL).id(article).done())? {
                Look::Broken => {}
                Look::Found(url) if url.outcome == Outcome::Forgotten => {}
                _ => check.say(at, format!("leads to {article}, which is no article")),
            }
            Ok(())
        })
    }

    fn feeds(&mut self) -> Result<()> {
        self.table(keys::FEED, |check, at, feed: Feed| {
            if at != key(keys::FEED).id(feed.key).done() {
                check.say(at, format!("holds the feed {}", feed.key));
            }
            if let Some(task) = poll_task(&feed)
                && !check.has(&queue_key(
                    &feed.pace_key,
                    poll_priority(&feed),
                    task.due,
                    feed.key,
                ))?
            {
                check.say(at, format!("is to be polled at {} but has no task", task.due));
            }
            Ok(())
        })
    }

    /// Pending entries, and what the ledger must say.
    fn urls(&mut self) -> Result<(u64, Sums)> {
        let mut pending = 0;
        let mut sums = Sums::new();
        self.table(keys::URL, |check, at, url: UrlRecord| {
            if at != key(keys::URL).id(url.key).done() {
                check.say(at, format!("holds the entry {}", url.key));
            }
            let sum = sums.entry((url.arrival, url.outlet.clone())).or_default();
            sum.entries += 1;
            *sum.outcomes.entry(url.outcome.name().to_owned()).or_default() += 1;
            if let Some((day, at)) = url.arrives() {
                sums.entry((day, url.outlet.clone())).or_default().arrived(at, 1);
            }
            match &url.outcome {
                Outcome::Pending => {
                    pending += 1;
                    let task = queue_key(&url.pace_key, priority(&url), url.next, url.key);
                    if !check.has(&task)? {
                        check.say(at, format!("is pending until {} but has no task", url.next));
                    }
                }
                Outcome::Article if !check.has(&key(keys::POINTER).id(url.key).done())? => {
                    check.say(at, "is an article but has no article pointer");
                }
                Outcome::Known(other) | Outcome::Moved(other)
                    if !check.pruned
                        && !check.has(&key(keys::URL).id(*other).done())?
                        && !check.has(&key(keys::ALIAS).id(*other).done())? =>
                {
                    let name = url.outcome.name();
                    check.say(at, format!("is {name} as {other}, which is missing"));
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok((pending, sums))
    }

    /// Each day's polls are those of its outlets.
    fn polls(&mut self, mut expected: BTreeMap<Day, PollSums>) -> Result<()> {
        expected.retain(|_, sums| *sums != PollSums::default());
        self.table(keys::POLLS, |check, at, found: PollSums| {
            let day = at.get(1..).and_then(|rest| Parts(rest).day());
            let sums = day.and_then(|day| expected.remove(&day)).unwrap_or_default();
            if found != sums {
                check.say(at, format!("says {found:?}, the ledger says {sums:?}"));
            }
            Ok(())
        })?;
        for (day, sums) in expected {
            let at = key(keys::POLLS).day(day).done();
            if !self.has(&at)? {
                self.say(&at, format!("is missing, the ledger says {sums:?}"));
            }
        }
        Ok(())
    }

    fn ledger(&mut self, mut sums: Sums) -> Result<()> {
        let mut polls: BTreeMap<Day, PollSums> = BTreeMap::new();
        self.table(keys::LEDGER, |check, at, row: LedgerRow| {
            if let Some((day, _)) = ledger_id(at) {
                polls.entry(day).or_default().add(&row);
            }
            let mut sum = ledger_id(at).and_then(|id| sums.remove(&id)).unwrap_or_default();
            for (name, n) in &row.left {
                sum.entries += n;
                *sum.outcomes.entry(name.clone()).or_default() += n;
            }
            let outcomes: i64 = row.outcomes.values().sum();
            if row.entries != outcomes {
                check.say(at, format!("has {} entries but {outcomes} outcomes", row.entries));
            }
            if row.entries != sum.entries || row.outcomes != sum.outcomes {
                check.say(
                    at,
                    format!(
                        "says {} entries ({}), its records say {} ({})",
                        row.entries,
                        listed(&row.outcomes),
                        sum.entries,
                        listed(&sum.outcomes)
                    ),
                );
            }
            // A clock that was set moves first sights to other hours; those that have left by age have arrived, too.
            let [arrived, known] = [&row, &sum].map(|row| row.arrivals.iter().sum::<i64>());
            if arrived < known || arrived > known && row.left.is_empty() && !check.pruned {
                check.say(at, format!("says {arrived} arrivals, its records say {known}"));
            }
            if row.polls_due < row.polls_succeeded || row.polls_succeeded < 0 {
                check.say(
                    at,
                    format!("has {} of {} polls succeeded", row.polls_succeeded, row.polls_due),
                );
            }
            Ok(())
        })?;
        self.polls(polls)?;
        for ((day, outlet), sum) in sums {
            let at = key(keys::LEDGER).day(day).text(&outlet).done();
            // A broken one is already reported.
            if !self.has(&at)? {
                self.say(&at, format!("is missing, its records say {} entries", sum.entries));
            }
        }
        Ok(())
    }

    fn counters(&mut self, pending: u64) -> Result<()> {
        let mut articles = 0;
        self.table(keys::POINTER, |_, _, _: Pointer| {
            articles += 1;
            Ok(())
        })?;
        let at = key(keys::COUNTERS).done();
        let counted = Counters { pending, articles };
        match self.look::<Counters>(&at)? {
            Look::Broken => self.table(keys::COUNTERS, |_, _, _: Counters| Ok(()))?,
            Look::Missing if counted == Counters::default() => {}
            Look::Missing => self.say(&at, "are missing"),
            Look::Found(stored) if stored != counted => {
                self.say(&at, format!("say {stored:?}, the records say {counted:?}"));
            }
            Look::Found(_) => {}
        }
        Ok(())
    }

    fn queue(&mut self) -> Result<()> {
        self.table(keys::QUEUE, |check, at, task: Task| {
            let mut parts = Parts(at.get(1..).unwrap_or_default());
            let (Some(pace_key), Some(_)) = (parts.text(), parts.byte()) else { return Ok(()) };
            let expected = match task.kind {
                TaskKind::Poll => match check.look::<Feed>(&key(keys::FEED).id(task.key).done())? {
                    Look::Broken => return Ok(()),
                    Look::Missing => None,
                    Look::Found(feed) => poll_task(&feed).map(|task| {
                        let priority = poll_priority(&feed);
                        (queue_key(&feed.pace_key, priority, task.due, task.key), task)
                    }),
                },
                TaskKind::Fetch => {
                    match check.look::<UrlRecord>(&key(keys::URL).id(task.key).done())? {
                        Look::Broken => return Ok(()),
                        Look::Missing => None,
                        Look::Found(url) => (url.outcome == Outcome::Pending).then(|| {
                            let task = fetch_task(&url);
                            let at = queue_key(&url.pace_key, priority(&url), task.due, task.key);
                            (at, task)
                        }),
                    }
                }
            };
            match expected {
                None => check.say(at, "has no pending entry and no active feed"),
                Some((place, same)) if place != at || same != task => {
                    check.say(at, "differs from what its entry or feed asks for");
                }
                Some(_) => {}
            }
            if !check.has(&key(keys::PACE).text(&pace_key).done())? {
                check.say(at, format!("belongs to the pace key {pace_key}, which is missing"));
            }
            Ok(())
        })
    }

    fn pace_keys(&mut self) -> Result<()> {
        self.table(keys::PACE, |check, at, row: PaceRow| {
            let Some(name) = Parts(at.get(1..).unwrap_or_default()).text() else { return Ok(()) };
            let place = match check.view.place(&name, &row) {
                Ok(place) => place,
                // A malformed task key, reported with the queue.
                Err(StoreError::Corrupt { .. }) => return Ok(()),
                Err(e) => return Err(e),
            };
            if place != row.indexed {
                let due = |at: Option<Millis>| match at {
                    Some(at) => format!("in the due index at {at}"),
                    None => "nowhere in the due index".to_owned(),
                };
                let (found, expected) = (due(row.indexed), due(place));
                check.say(at, format!("stands {found}; it should stand {expected}"));
            }
            if let Some(due) = row.indexed
                && !check.has(&key(keys::DUE).at(due).text(&name).done())?
            {
                check.say(at, format!("is missing from the due index at {due}"));
            }
            if let Some(lease) = &row.lease
                && !check.has(&key(keys::LEASE).at(lease.until).text(&name).done())?
            {
                check.say(at, format!("is missing from the lease index at {}", lease.until));
            }
            Ok(())
        })?;
        self.table(keys::DUE, |check, at, ()| {
            let Some((due, name)) = indexed(at) else { return Ok(()) };
            match check.look::<PaceRow>(&key(keys::PACE).text(&name).done())? {
                Look::Broken => {}
                Look::Found(row) if row.indexed == Some(due) => {}
                _ => check.say(at, "has no pace key that stands there"),
            }
            Ok(())
        })?;
        self.table(keys::LEASE, |check, at, ()| {
            let Some((until, name)) = indexed(at) else { return Ok(()) };
            match check.look::<PaceRow>(&key(keys::PACE).text(&name).done())? {
                Look::Broken => {}
                Look::Found(row) if row.lease.as_ref().is_some_and(|l| l.until == until) => {}
                _ => check.say(at, "has no pace key with that lease"),
            }
            Ok(())
        })
    }
}

/// Outcomes with their numbers.
fn listed(outcomes: &BTreeMap<String, i64>) -> String {
    let each: Vec<String> = outcomes.iter().map(|(name, n)| format!("{name} {n}")).collect();
    each.join(", ")
}
