//! The schedule follows a clock that was set: whatever is to happen at an instant happens so much
//! earlier or later by the new clock, and so after the same wait. What has happened keeps the
//! instants that it was recorded with.
//!
//! Must not know: who noticed, and how.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::format::PaceRow;
use super::format::keys::{self, Parts, key};
use super::frontier::queue_key;
use super::read::{day_range, ledger_id};
use super::tx::Tx;
use crate::model::*;
use crate::store::Result;
use crate::store::rules::entries::{fetch_task, priority};
use crate::store::rules::feeds::{poll_priority, poll_task};
use crate::store::rules::ledger::LedgerRow;

/// Name of the value that holds the instant of the last claim.
pub(super) const LAST_CLAIM: &str = "clock";
/// The same of the last leap of the clock.
pub(super) const DOUBT: &str = "clock doubted";

/// What leaves by age does not come back. So a clock that is more than a day ahead of the last work is believed for
/// that only after a day by itself: it may be wrong, or nobody may have been here for long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Doubt {
    /// The clock's first instant after its leap.
    since: Millis,
    /// The last work before it.
    last: Millis,
}

impl Doubt {
    fn is_over(self, now: Millis) -> bool {
        now >= self.since.saturating_add(DAY)
    }

    /// The instant that ages are counted to.
    pub fn believed(self, now: Millis) -> Millis {
        if self.is_over(now) { now } else { now.min(self.last.saturating_add(DAY)) }
    }
}

fn moved(at: &mut Millis, by: Millis) {
    // 0: never; the largest: for good.
    if *at > 0 && *at != Millis::MAX {
        *at = at.saturating_add(by);
    }
}

impl Tx<'_> {
    /// Remembers the latest instant that work was given out at.
    pub fn claimed_at(&mut self, now: Millis) -> Result<()> {
        self.o.put(key(keys::META).text(LAST_CLAIM).done(), &now)
    }

    /// By how much the clock is behind the latest instant that work was given out at: then it was
    /// set back while nobody was here to see it.
    pub fn behind(&self, now: Millis) -> Result<Option<Millis>> {
        Ok(self.last_claim()?.map(|last| last - now).filter(|behind| *behind > SECOND))
    }

    pub fn last_claim(&self) -> Result<Option<Millis>> {
        self.o.get(&key(keys::META).text(LAST_CLAIM).done())
    }

    /// What there is to be doubted in a clock that says `now` from here on.
    pub fn doubt(&mut self, now: Millis) -> Result<Doubt> {
        let at = key(keys::META).text(DOUBT).done();
        let Some(last) = self.last_claim()? else { return Ok(Doubt::default()) };
        let before: Option<Doubt> = self.o.get(&at)?;
        let doubt = match before.filter(|doubt| !doubt.is_over(now)) {
            // It was set back, which does not say that it is right.
            Some(doubt) if now < doubt.since => Doubt { since: now, last: doubt.last.min(now) },
            Some(doubt) => doubt,
            None if now > last.saturating_add(DAY) => Doubt { since: now, last },
            None => return Ok(Doubt::default()),
        };
        if before != Some(doubt) {
            self.o.put(at, &doubt)?;
        }
        Ok(doubt)
    }

    /// Takes back the polls that a clock which was ahead has counted as missed on days that are still to come. From the
    /// first on which one succeeded nothing is: that day was lived through, by whichever clock.
    fn take_back_missed(&mut self, now: Millis) -> Result<()> {
        let zone = self.o.get_bytes(&key(keys::META).text("timezone").done())?;
        let zone = zone.and_then(|name| TimeZone::get(&String::from_utf8_lossy(&name)).ok());
        let Ok(tomorrow) = day_of(now, &zone.unwrap_or(TimeZone::UTC)).tomorrow() else {
            return Ok(());
        };
        let (start, end) = day_range(&[keys::LEDGER], Some(tomorrow), None);
        let mut missed: Vec<(Day, String, i64)> = Vec::new();
        for row in self.o.scan::<LedgerRow>(&start, &end) {
            let (at, row) = row?;
            let (day, outlet) = ledger_id(&at).ok_or_else(|| self.o.bad_key(&at))?;
            if row.polls_succeeded > 0 {
                missed.retain(|(before, ..)| *before < day);
                break;
            }
            missed.push((day, outlet, row.polls_due));
        }
        for (day, outlet, due) in missed {
            self.changes.ledger(day, &outlet).polls_due -= due;
        }
        Ok(())
    }

    /// Moves everything that is scheduled, leases and pauses included. Pauses that the operator
    /// ordered keep their instants: they were given by the calendar.
    pub fn shift(&mut self, by: Millis) -> Result<()> {
        if by < 0
            && let Some(last) = self.last_claim()?
        {
            self.take_back_missed(last.saturating_add(by))?;
        }
        let queue: Vec<(Vec<u8>, Task)> =
            self.o.prefix(&[keys::QUEUE]).collect::<Result<Vec<_>>>()?;
        for (at, task) in queue {
            let pace_key = self.o.part(&at, 1, Parts::text)?;
            self.o.del(at);
            match task.kind {
                TaskKind::Poll => self.shift_feed(&pace_key, task.key, by)?,
                TaskKind::Fetch => self.shift_entry(&pace_key, task.key, by)?,
            }
            self.touched.insert(pace_key);
        }
        self.shift_paces(by)?;
        self.shift_robots(by)
    }

    fn shift_feed(&mut self, pace_key: &str, id: UrlKey, by: Millis) -> Result<()> {
        let Some(mut feed) = self.o.feed(id)? else { return Ok(()) };
        moved(&mut feed.poll.next, by);
        let poll = &mut feed.poll;
        for at in [
            &mut poll.last,
            &mut poll.last_success,
            &mut poll.last_unconditional,
            &mut poll.last_body,
            &mut feed.provenance.planned,
        ] {
            // They are what the next interval is measured from.
            at.iter_mut().for_each(|at| moved(at, by));
        }
        if let Some(task) = poll_task(&feed) {
            self.o.put(queue_key(pace_key, poll_priority(&feed), task.due, task.key), &task)?;
        }
        self.o.put(key(keys::FEED).id(id).done(), &feed)
    }

    fn shift_entry(&mut self, pace_key: &str, id: UrlKey, by: Millis) -> Result<()> {
        let Some(mut record) = self.o.url(id)? else { return Ok(()) };
        moved(&mut record.next, by);
        // The entry is given up when it is too old by this; the day it is counted on stays.
        moved(&mut record.first_seen, by);
        let task = fetch_task(&record);
        self.o.put(queue_key(pace_key, priority(&record), task.due, id), &task)?;
        self.put_url(&record)
    }

    fn shift_paces(&mut self, by: Millis) -> Result<()> {
        let rows: Vec<(Vec<u8>, PaceRow)> =
            self.o.prefix(&[keys::PACE]).collect::<Result<Vec<_>>>()?;
        let ordered: std::collections::HashMap<String, Option<Millis>> = self
            .o
            .prefix::<crate::store::OutletRule>(&[keys::RULE])
            .flat_map(|row| match row {
                Ok((_, rule)) => {
                    let until = rule.paused_until;
                    rule.pace_keys.into_iter().map(|name| Ok((name, until))).collect()
                }
                Err(error) => vec![Err(error)],
            })
            .collect::<Result<_>>()?;
        for (at, mut row) in rows {
            let pace_key = self.o.part(&at, 1, Parts::text)?;
            moved(&mut row.pace.next_at, by);
            for host in &mut row.pace.hosts {
                let HostPace { last, blocked_until, booked, paused, .. } = host;
                [last, blocked_until, booked]
                    .into_iter()
                    .chain(paused)
                    .for_each(|at| moved(at, by));
            }
            if ordered.get(&pace_key).copied().flatten() != Some(row.pace.blocked_until) {
                moved(&mut row.pace.blocked_until, by);
            }
            if let Some(lease) = &mut row.lease {
                self.o.del(super::frontier::lease_key(lease.until, &pace_key));
                moved(&mut lease.until, by);
                self.o.put(super::frontier::lease_key(lease.until, &pace_key), &())?;
            }
            self.o.put(at, &row)?;
            self.touched.insert(pace_key);
        }
        Ok(())
    }

    /// Files that cannot be had: how long already decides what is allowed.
    fn shift_robots(&mut self, by: Millis) -> Result<()> {
        let mut unreachable = Vec::new();
        for row in self.o.prefix::<RobotsRecord>(&[keys::ROBOTS]) {
            let (at, record) = row?;
            if record.unreachable_since.is_some() {
                unreachable.push((at, record));
            }
        }
        for (at, mut record) in unreachable {
            moved(&mut record.fetched, by);
            moved(&mut record.fresh_until, by);
            record.unreachable_since.iter_mut().for_each(|at| moved(at, by));
            self.o.put(at, &record)?;
        }
        Ok(())
    }
}
