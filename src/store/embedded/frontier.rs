//! Pace keys, leases, queues and the due index.
//!
//! A pace key stands in the due index at max(next_at, blocked_until, its earliest task, the end of
//! its lease): a claim reads the index from its start and never meets a key that it may not have,
//! however many URLs are known. Within a key, polls go before fresh entries, those before retries,
//! and the backlog of a feed's first poll comes last.
//!
//! Must not know: what a poll or a page brought.

use super::format::keys::{self, Parts, key, said};
use super::format::{Counters, LeaseRow, PaceRow};
use super::tx::Tx;
use super::{CLAIM, Embedded};
use crate::model::*;
use crate::store::embedded::kv::{Overlay, end_of};
use crate::store::rules::entries::{LAST_PRIORITY, LAST_URGENT, priority};
use crate::store::rules::feeds::poll_priority;
use crate::store::{Claim, Due, Leases, Result};

impl Leases for Embedded {
    fn claim(&self, claim: &Claim) -> Result<Vec<Lease>> {
        self.write(CLAIM, true, |tx| tx.claim(claim))
    }

    fn claim_key(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.write(CLAIM, true, |tx| tx.claim_key(claim, pace_key))
    }

    fn claim_for_commit(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.write(CLAIM, true, |tx| tx.claim_for_commit(claim, pace_key))
    }

    /// Not flushed: should it be lost, so is this process, and every lease with it.
    fn extend(&self, lease: &Lease, until: Millis) -> Result<bool> {
        self.write(CLAIM, false, |tx| tx.extend(lease, until))
    }

    /// Flushed only for a new pause: should the rest be lost, the pace key counts as leased at the
    /// restart and waits its whole delay.
    fn complete(&self, lease: &Lease, pace: &Pace) -> Result<bool> {
        let paused = pace.blocked_until > lease.pace.blocked_until;
        self.write(CLAIM, paused, |tx| tx.complete(lease, pace))
    }

    fn suspect_alone(&self, suspect: &Suspect) -> Result<()> {
        self.write(CLAIM, true, |tx| tx.suspect_alone(suspect.key, true))
    }

    fn suspect_survived(&self, suspect: &Suspect) -> Result<()> {
        self.write(CLAIM, false, |tx| tx.suspect_alone(suspect.key, false))
    }

    /// Should it be lost, its task is no longer where it was, which says the same.
    fn clear_suspect(&self, suspect: &Suspect) -> Result<()> {
        self.write(CLAIM, false, |tx| {
            tx.clear_suspect(suspect.key);
            Ok(())
        })
    }

    fn shift(&self, by: Millis) -> Result<()> {
        let doubt = self.write(CLAIM, true, |tx| {
            let last = tx.last_claim()?.unwrap_or_default();
            tx.shift(by)?;
            tx.doubt(last.saturating_add(by))
        })?;
        self.set_doubt(doubt);
        Ok(())
    }

    fn due(&self) -> Result<Due> {
        let view = self.view();
        let counters: Counters = view.get(&key(keys::COUNTERS).done())?.unwrap_or_default();
        let next = match view.scan_raw(&[keys::DUE], &[keys::DUE + 1]).next() {
            None => None,
            Some(row) => {
                let (at, _) = row?;
                let found = indexed(&at);
                Some(found.ok_or_else(|| view.bad_key(&at))?.0)
            }
        };
        let mut leased = 0;
        for row in view.scan_raw(&[keys::LEASE], &[keys::LEASE + 1]) {
            row?;
            leased += 1;
        }
        Ok(Due { next, pending: counters.pending, leased })
    }

    fn pace(&self, pace_key: &str) -> Result<Option<Pace>> {
        let row: Option<PaceRow> = self.view().get(&key(keys::PACE).text(pace_key).done())?;
        Ok(row.map(|row| row.pace))
    }

    fn precedence(&self, pace_key: &str, task: &Task, since: Millis) -> Result<Precedence> {
        self.view().precedence(pace_key, task, since)
    }

    fn robots(&self, origin: &str) -> Result<Option<RobotsRecord>> {
        self.view().get(&key(keys::ROBOTS).text(origin).done())
    }
}

/// Key of a task in its queue.
pub fn queue_key(pace_key: &str, priority: u8, due: Millis, id: UrlKey) -> Vec<u8> {
    key(keys::QUEUE).text(pace_key).byte(priority).at(due).id(id).done()
}

fn due_key(due: Millis, pace_key: &str) -> Vec<u8> {
    key(keys::DUE).at(due).text(pace_key).done()
}

pub fn lease_key(until: Millis, pace_key: &str) -> Vec<u8> {
    key(keys::LEASE).at(until).text(pace_key).done()
}

/// Instant and pace key of an entry of the due or lease index.
pub fn indexed(index_key: &[u8]) -> Option<(Millis, String)> {
    said(index_key, 1, |parts| Some((parts.at()?, parts.text()?)))
}

impl Overlay<'_> {
    /// When the first task of a pace key is due, of those up to a priority that are due at `since` or later.
    pub fn earliest(&self, pace_key: &str, last: u8, since: Millis) -> Result<Option<Millis>> {
        let mut earliest: Option<Millis> = None;
        for priority in 0..=last {
            let queue = key(keys::QUEUE).text(pace_key).byte(priority).done();
            let start = key(keys::QUEUE).text(pace_key).byte(priority).at(since).done();
            if let Some(row) = self.scan_raw(&start, &end_of(&queue)).next() {
                let (at, _) = row?;
                let due = self.part(&at, queue.len(), Parts::at)?;
                earliest = Some(earliest.map_or(due, |e| e.min(due)));
            }
        }
        Ok(earliest)
    }

    /// See [`Leases::precedence`].
    pub fn precedence(&self, pace_key: &str, task: &Task, since: Millis) -> Result<Precedence> {
        let priority = match task.kind {
            TaskKind::Poll => {
                let feed = self.get::<Feed>(&key(keys::FEED).id(task.key).done())?;
                feed.map(|feed| poll_priority(&feed))
            }
            TaskKind::Fetch => {
                let entry = self.get::<UrlRecord>(&key(keys::URL).id(task.key).done())?;
                entry.map(|entry| priority(&entry))
            }
        };
        let Some(priority) = priority.filter(|priority| *priority > LAST_URGENT) else {
            return Ok(Precedence::default());
        };
        let urgent = self.earliest(pace_key, LAST_URGENT, since)?;
        Ok(Precedence { urgent, foreign: priority == LAST_PRIORITY })
    }

    /// Where a pace key belongs in the due index: nowhere without a task.
    pub fn place(&self, pace_key: &str, row: &PaceRow) -> Result<Option<Millis>> {
        let free = row.lease.as_ref().map_or(Millis::MIN, |l| l.until);
        let pause = row.pace.next_at.max(row.pace.blocked_until).max(free);
        Ok(self.earliest(pace_key, LAST_PRIORITY, Millis::MIN)?.map(|due| due.max(pause)))
    }
}

impl Tx<'_> {
    pub fn pace_row(&self, pace_key: &str) -> Result<Option<PaceRow>> {
        self.o.get(&key(keys::PACE).text(pace_key).done())
    }

    pub fn put_pace_row(&mut self, pace_key: &str, row: &PaceRow) -> Result<()> {
        self.o.put(key(keys::PACE).text(pace_key).done(), row)
    }

    pub fn enqueue(&mut self, pace_key: &str, priority: u8, task: &Task) -> Result<()> {
        self.touched.insert(pace_key.to_owned());
        self.o.put(queue_key(pace_key, priority, task.due, task.key), task)
    }

    pub fn dequeue(&mut self, pace_key: &str, priority: u8, due: Millis, id: UrlKey) {
        self.touched.insert(pace_key.to_owned());
        self.o.del(queue_key(pace_key, priority, due, id));
    }

    /// Tasks of a pace key by priority, due at or before `now`, at most `limit`.
    fn tasks(&self, pace_key: &str, now: Millis, limit: usize) -> Result<Vec<Task>> {
        let mut tasks = Vec::new();
        for priority in 0..=LAST_PRIORITY {
            let queue = key(keys::QUEUE).text(pace_key).byte(priority).done();
            let end = end_of(&key(keys::QUEUE).text(pace_key).byte(priority).at(now).done());
            for task in self.o.scan::<Task>(&queue, &end).take(limit - tasks.len()) {
                tasks.push(task?.1);
            }
        }
        Ok(tasks)
    }

    /// Puts the touched pace keys where they belong in the due index.
    pub fn reindex(&mut self) -> Result<()> {
        for pace_key in std::mem::take(&mut self.touched) {
            let stored = self.pace_row(&pace_key)?;
            let known = stored.is_some();
            let mut row = stored.unwrap_or_default();
            let place = self.o.place(&pace_key, &row)?;
            if place != row.indexed {
                if let Some(old) = row.indexed {
                    self.o.del(due_key(old, &pace_key));
                }
                if let Some(new) = place {
                    self.o.put(due_key(new, &pace_key), &())?;
                }
                row.indexed = place;
            } else if known {
                continue;
            }
            self.put_pace_row(&pace_key, &row)?;
        }
        Ok(())
    }

    /// Ends the lease of a row.
    fn release(&mut self, pace_key: &str, row: &mut PaceRow) {
        if let Some(lease) = row.lease.take() {
            self.o.del(lease_key(lease.until, pace_key));
        }
        self.touched.insert(pace_key.to_owned());
    }

    /// Ends leases whose time is over; their epochs stay, so that a late writer is fenced by the
    /// next lease, and by the missing lease before it.
    fn sweep(&mut self, now: Millis) -> Result<()> {
        let end = end_of(&key(keys::LEASE).at(now).done());
        for (_, pace_key) in self.leases_before(&end)? {
            if let Some(mut row) = self.pace_row(&pace_key)? {
                self.release(&pace_key, &mut row);
                self.put_pace_row(&pace_key, &row)?;
            }
        }
        self.reindex()
    }

    fn leases_before(&self, end: &[u8]) -> Result<Vec<(Millis, String)>> {
        let mut leases = Vec::new();
        for row in self.o.scan_raw(&[keys::LEASE], end) {
            let (at, _) = row?;
            leases.push(indexed(&at).ok_or_else(|| self.o.bad_key(&at))?);
        }
        Ok(leases)
    }

    /// After a restart: nobody knows when the last request under a lease ended, so each leased
    /// pace key waits its whole delay from now (invariant 6); `unknown_delay` where none is known.
    pub fn recover_leases(&mut self, now: Millis, unknown_delay: Millis) -> Result<usize> {
        let leases = self.leases_before(&end_of(&[keys::LEASE]))?;
        for (_, pace_key) in &leases {
            if let Some(mut row) = self.pace_row(pace_key)? {
                let mut delay = row.pace.distance();
                if delay <= 0 {
                    delay = unknown_delay;
                }
                row.pace.next_at = row.pace.next_at.max(now.saturating_add(delay));
                self.release(pace_key, &mut row);
                self.put_pace_row(pace_key, &row)?;
            }
        }
        if !leases.is_empty() {
            let leased: Vec<String> = leases.iter().map(|(_, pace_key)| pace_key.clone()).collect();
            self.name_suspects(&leased, now)?;
        }
        Ok(leases.len())
    }

    pub fn claim(&mut self, claim: &Claim) -> Result<Vec<Lease>> {
        self.sweep(claim.now)?;
        let end = end_of(&key(keys::DUE).at(claim.now).done());
        let mut due = Vec::new();
        for row in self.o.scan_raw(&[keys::DUE], &end).take(claim.keys) {
            let (at, _) = row?;
            due.push(indexed(&at).ok_or_else(|| self.o.bad_key(&at))?.1);
        }
        if !due.is_empty() {
            self.claimed_at(claim.now)?;
        }
        due.iter().map(|pace_key| self.lease(claim, pace_key)).collect()
    }

    pub fn claim_key(&mut self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.sweep(claim.now)?;
        let row = self.pace_row(pace_key)?.unwrap_or_default();
        let free = row.lease.is_none() && row.pace.next_at.max(row.pace.blocked_until) <= claim.now;
        if free { self.lease(claim, pace_key).map(Some) } else { Ok(None) }
    }

    pub fn claim_for_commit(&mut self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.sweep(claim.now)?;
        let mut row = self.pace_row(pace_key)?.unwrap_or_default();
        if row.lease.is_some() { Ok(None) } else { self.give(claim, pace_key, &mut row).map(Some) }
    }

    fn lease(&mut self, claim: &Claim, pace_key: &str) -> Result<Lease> {
        let mut row = self.pace_row(pace_key)?.unwrap_or_default();
        row.pace.next_at = row.pace.next_at.max(claim.now);
        let tasks = self.tasks(pace_key, claim.now, claim.drain)?;
        let suspects = self.suspects_among(&tasks)?;
        Ok(Lease { tasks, suspects, ..self.give(claim, pace_key, &mut row)? })
    }

    /// A lease without tasks; the row's pace stays.
    fn give(&mut self, claim: &Claim, pace_key: &str, row: &mut PaceRow) -> Result<Lease> {
        row.epoch += 1;
        row.lease = Some(LeaseRow { owner: claim.owner.clone(), until: claim.until });
        self.o.put(lease_key(claim.until, pace_key), &())?;
        self.put_pace_row(pace_key, row)?;
        self.touched.insert(pace_key.to_owned());
        Ok(Lease {
            pace_key: pace_key.to_owned(),
            owner: claim.owner.clone(),
            epoch: row.epoch,
            until: claim.until,
            pace: row.pace.clone(),
            tasks: Vec::new(),
            suspects: Vec::new(),
        })
    }

    /// The pace row of a lease that still holds.
    pub fn held(&self, lease: &Lease) -> Result<Option<PaceRow>> {
        Ok(self.pace_row(&lease.pace_key)?.filter(|row| {
            row.epoch == lease.epoch && row.lease.as_ref().is_some_and(|l| l.owner == lease.owner)
        }))
    }

    pub fn extend(&mut self, lease: &Lease, until: Millis) -> Result<bool> {
        let Some(mut row) = self.held(lease)? else { return Ok(false) };
        self.release(&lease.pace_key, &mut row);
        row.lease = Some(LeaseRow { owner: lease.owner.clone(), until });
        self.o.put(lease_key(until, &lease.pace_key), &())?;
        self.put_pace_row(&lease.pace_key, &row)?;
        Ok(true)
    }

    /// Stores the pace under a lease; pause and delay set meanwhile by the operator stay. `true` if
    /// the lease holds.
    pub fn set_pace(&mut self, lease: &Lease, pace: &Pace) -> Result<bool> {
        let Some(mut row) = self.held(lease)? else { return Ok(false) };
        let blocked_until = row.pace.blocked_until.max(pace.blocked_until);
        let operator_delay = row.pace.operator_delay;
        row.pace = Pace { blocked_until, operator_delay, ..pace.clone() };
        self.touched.insert(lease.pace_key.clone());
        self.put_pace_row(&lease.pace_key, &row)?;
        Ok(true)
    }

    pub fn complete(&mut self, lease: &Lease, pace: &Pace) -> Result<bool> {
        if !self.set_pace(lease, pace)? {
            return Ok(false);
        }
        if let Some(mut row) = self.held(lease)? {
            self.release(&lease.pace_key, &mut row);
            self.put_pace_row(&lease.pace_key, &row)?;
        }
        Ok(true)
    }
}
