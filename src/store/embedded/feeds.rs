//! Feeds and the rules about outlets: their rows, and a second copy of each decision.
//!
//! Must not know: why they change.

use std::collections::{BTreeMap, BTreeSet};

use super::decisions::{KeptFeed, Line};
use super::format::keys::{self, key};
use super::kv::Overlay;
use super::tx::Tx;
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::rules::feeds::{self, FeedRows, poll_priority, poll_task};
use crate::store::rules::outlets::OutletRows;
use crate::store::{Ban, Feeds, OutletRule, Result};

/// Feeds added or rescheduled in one batch.
const FEEDS_PER_BATCH: usize = 1_000;

impl Feeds for Embedded {
    fn add_feeds(&self, feeds: &[Feed]) -> Result<Vec<bool>> {
        let mut new = Vec::with_capacity(feeds.len());
        for feeds in feeds.chunks(FEEDS_PER_BATCH) {
            new.extend(self.write(COMMIT, true, |tx| feeds::seed(tx, feeds))?);
        }
        Ok(new)
    }

    fn feed_removed(&self, id: UrlKey) -> Result<bool> {
        let found: Option<Feed> = self.view().get(&key(keys::FEED).id(id).done())?;
        Ok(found.is_some_and(|feed| feed.status == FeedStatus::Removed))
    }

    fn feed(&self, id: UrlKey) -> Result<Option<Feed>> {
        self.view().feed(id)
    }

    fn feeds(&self) -> Result<Vec<Feed>> {
        let mut feeds = self.feed_records()?;
        feeds.retain(|feed| feed.status != FeedStatus::Removed);
        Ok(feeds)
    }

    fn feeds_ever(&self) -> Result<Vec<Feed>> {
        self.feed_records()
    }

    fn poll_all_now(&self, now: Millis) -> Result<usize> {
        let feeds = self.feeds()?;
        let mut due = 0;
        for feeds in feeds.chunks(FEEDS_PER_BATCH) {
            due += self.write(COMMIT, true, |tx| feeds::poll_all_now(tx, feeds, now))?;
        }
        Ok(due)
    }

    fn poll_now(&self, feed: UrlKey, now: Millis) -> Result<bool> {
        self.write(COMMIT, true, |tx| feeds::poll_now(tx, feed, now))
    }
}

impl Overlay<'_> {
    /// A feed that is not removed.
    pub fn feed(&self, id: UrlKey) -> Result<Option<Feed>> {
        let found: Option<Feed> = self.get(&key(keys::FEED).id(id).done())?;
        Ok(found.filter(|feed| feed.status != FeedStatus::Removed))
    }

    /// What the operator decided about an outlet.
    pub fn rule(&self, outlet: &str) -> Result<OutletRule> {
        Ok(self.get(&key(keys::RULE).text(outlet).done())?.unwrap_or_default())
    }
}

impl FeedRows for Tx<'_> {
    fn feed(&mut self, id: UrlKey) -> Result<Option<Feed>> {
        self.o.get(&key(keys::FEED).id(id).done())
    }

    fn feed_statuses(&mut self, ids: &[UrlKey]) -> Result<BTreeMap<UrlKey, FeedStatus>> {
        let mut known = BTreeMap::new();
        for id in ids {
            known.extend(self.feed(*id)?.map(|feed| (*id, feed.status)));
        }
        Ok(known)
    }

    fn twins(&mut self, of: UrlKey) -> Result<Vec<Feed>> {
        let mut twins = Vec::new();
        for row in self.o.prefix::<Feed>(&[keys::FEED]) {
            let (_, feed) = row?;
            if feed.status == FeedStatus::Active && feed.poll.duplicate_of == Some(of) {
                twins.push(feed);
            }
        }
        Ok(twins)
    }

    fn put_feed(&mut self, old: Option<&Feed>, new: &Feed) -> Result<()> {
        if let Some(old) = old {
            self.dequeue(&old.pace_key, poll_priority(old), old.poll.next, old.key);
        }
        match old {
            Some(old) if KeptFeed::of(old) == KeptFeed::of(new) => {}
            Some(_) if new.status == FeedStatus::Removed => {
                self.decisions.push(Line::FeedRemoved(new.key));
            }
            _ => self.decisions.push(Line::Feed(KeptFeed::of(new))),
        }
        self.o.put(key(keys::FEED).id(new.key).done(), new)?;
        match poll_task(new) {
            Some(task) => self.enqueue(&new.pace_key, poll_priority(new), &task),
            None => Ok(()),
        }
    }
}

impl OutletRows for Tx<'_> {
    fn rule(&mut self, outlet: &str) -> Result<OutletRule> {
        self.o.rule(outlet)
    }

    fn bans(&mut self, outlets: &BTreeSet<String>) -> Result<BTreeMap<String, Ban>> {
        let mut bans = BTreeMap::new();
        for outlet in outlets {
            bans.extend(self.o.rule(outlet)?.ban.map(|ban| (outlet.clone(), ban)));
        }
        Ok(bans)
    }

    fn put_rule(&mut self, outlet: &str, rule: &OutletRule) -> Result<()> {
        self.decisions.push(Line::Outlet(outlet.to_owned(), rule.clone()));
        let at = key(keys::RULE).text(outlet).done();
        if rule.is_empty() {
            self.o.del(at);
            Ok(())
        } else {
            self.o.put(at, rule)
        }
    }

    fn pace(&mut self, pace_key: &str) -> Result<Pace> {
        Ok(self.pace_row(pace_key)?.unwrap_or_default().pace)
    }

    fn put_pause(&mut self, pace_key: &str, pace: &Pace) -> Result<()> {
        let mut row = self.pace_row(pace_key)?.unwrap_or_default();
        row.pace.blocked_until = pace.blocked_until;
        row.pace.operator_delay = pace.operator_delay;
        self.touched.insert(pace_key.to_owned());
        self.put_pace_row(pace_key, &row)
    }
}
