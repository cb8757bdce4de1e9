//! Building a main database from what another one still gives away and from the months. Every
//! record that comes in is checked on its own; sums and indexes are made anew.
//!
//! Must not know: files, how the old database is read.

use super::format::json;
use super::format::keys::{self, Parts, key};
use super::format::{Month, PaceRow, decode, unseal};
use super::read::ledger_id;
use super::tx::Tx;
use super::{COMMIT, Embedded};
use crate::model::*;
use crate::store::embedded::repair::Adopted;
use crate::store::rules::articles::{self, ArticleRows};
use crate::store::rules::decisions::DecisionRows;
use crate::store::rules::feeds::FeedRows;
use crate::store::rules::ledger::LedgerRow;
use crate::store::rules::retention::LEFT;
use crate::store::rules::{entries, outlets};
use crate::store::{OutletRule, Result};

impl Embedded {
    /// One step of a repair, which is flushed as a whole at its end.
    pub fn rebuild<R>(&self, change: impl FnOnce(&mut Tx) -> Result<R>) -> Result<R> {
        self.write(COMMIT, false, change)
    }
}

impl Tx<'_> {
    /// The brand set that rows and tallies from here on belong to.
    pub fn begin_with(&mut self, set: &BrandSet) -> Result<()> {
        self.version = set.version.clone();
        self.o.put(key(keys::BRAND_POINTER).done(), &set.version)?;
        self.o.put(key(keys::BRAND_SET).text(&set.version).done(), set)
    }

    /// Takes over a record that stands for itself; `false` if it is damaged. Others are not taken.
    pub fn take_over(&mut self, at: &[u8], value: &[u8], now: Millis) -> Result<bool> {
        let mut parts = Parts(at.get(1..).unwrap_or_default());
        match at.first() {
            Some(&keys::META) => {
                let Ok(payload) = unseal(at, value) else { return Ok(false) };
                self.o.put_bytes(at.to_vec(), payload);
            }
            Some(&keys::TOKEN) => {
                let Ok(token) = decode::<Token>(at, value) else { return Ok(false) };
                self.o.put(at.to_vec(), &token)?;
            }
            Some(&keys::ALERT) => {
                let Ok(text) = decode::<String>(at, value) else { return Ok(false) };
                let Ok(alert) = json::read::<Alert>(&text) else { return Ok(false) };
                self.put_alert(&alert)?;
            }
            Some(&keys::NOTE) => {
                let Ok(text) = decode::<String>(at, value) else { return Ok(false) };
                let Ok(note) = json::read::<Note>(&text) else { return Ok(false) };
                self.put_note(&note)?;
            }
            Some(&keys::ROBOTS) => {
                let Ok(robots) = decode::<RobotsRecord>(at, value) else { return Ok(false) };
                self.o.put(at.to_vec(), &robots)?;
            }
            Some(&keys::RULE) => {
                let (Ok(rule), Some(outlet)) = (decode::<OutletRule>(at, value), parts.text())
                else {
                    return Ok(false);
                };
                outlets::set_rule(self, &outlet, &rule)?;
            }
            Some(&keys::PACE) => {
                let (Ok(mut row), Some(name)) = (decode::<PaceRow>(at, value), parts.text()) else {
                    return Ok(false);
                };
                // Nobody knows when the last request under it ended.
                row.pace.next_at = row.pace.next_at.max(now.saturating_add(row.pace.delay));
                let row = PaceRow { lease: None, indexed: None, ..row };
                self.o.put(at.to_vec(), &row)?;
                self.touched.insert(name);
            }
            Some(&keys::FEED) => {
                let Ok(feed) = decode::<Feed>(at, value) else { return Ok(false) };
                self.take_feed(&feed)?;
            }
            Some(&keys::LEDGER) => {
                let (Ok(row), Some((day, outlet))) =
                    (decode::<LedgerRow>(at, value), ledger_id(at))
                else {
                    return Ok(false);
                };
                let ledger = self.changes.ledger(day, &outlet);
                ledger.polls_due += row.polls_due.max(0);
                ledger.polls_succeeded += row.polls_succeeded.clamp(0, row.polls_due.max(0));
                ledger.have_left(row.left.into_iter().filter(|(_, n)| *n > 0).collect());
                ledger.brought = row.brought;
            }
            _ => {}
        }
        Ok(true)
    }

    /// A feed as it was, removed or not, unless there is one.
    pub fn take_feed(&mut self, feed: &Feed) -> Result<bool> {
        let new = self.feed(feed.key)?.is_none();
        if new {
            self.put_feed(None, feed)?;
        }
        Ok(new)
    }

    /// An article of a month. `known`: its entry is on record as the article's; else another
    /// article may stand under the same keys, and the entry ends as that one's. Returns whether it
    /// is an article now.
    pub fn adopt(
        &mut self,
        month: Month,
        record: &ArticleRecord,
        adopted: &Adopted,
        known: bool,
    ) -> Result<bool> {
        if self.o.url(record.key)?.is_some() {
            return Ok(false);
        }
        let mut url = UrlRecord { outcome: Outcome::Article, ..adopted.url.clone() };
        if !known && let Some(outcome) = entries::same_article(self, url.key, &adopted.aliases)? {
            url.outcome = outcome;
            entries::insert(self, &[url])?;
            return Ok(false);
        }
        entries::insert(self, &[url])?;
        self.point_to(month, record)?;
        articles::count(self, record.key, Some(adopted.url.arrival), &adopted.mentions)?;
        // What others have named is remembered once its outlet lists it.
        if let Some(printed) = adopted.printed.as_ref().filter(|_| !adopted.url.foreign) {
            self.remember(record, printed)?;
        }
        for alias in articles::others(record.key, &adopted.aliases) {
            let at = key(keys::ALIAS).id(alias).done();
            if !self.o.has(&at)? && !self.o.has(&key(keys::POINTER).id(alias).done())? {
                self.o.put(at, &record.key)?;
            }
        }
        Ok(true)
    }

    /// Another key of an article, if it leads to one, or to a tombstone.
    pub fn take_alias(&mut self, at: &[u8], article: UrlKey) -> Result<()> {
        let to = self.o.url(article)?.map(|url| url.outcome);
        match to {
            Some(Outcome::Article | Outcome::Forgotten) => self.o.put(at.to_vec(), &article),
            _ => Ok(()),
        }
    }

    /// An entry as it was; one whose article is lost is to be fetched again. Returns whether it is.
    pub fn take_entry(&mut self, mut url: UrlRecord, now: Millis) -> Result<bool> {
        if self.o.url(url.key)?.is_some() {
            return Ok(false);
        }
        let lost = url.outcome == Outcome::Article;
        if lost {
            reopen(&mut url, now);
        }
        entries::insert(self, &[url])?;
        Ok(lost)
    }

    /// Reopens an entry that was another's, if that other is lost and cannot have left by age.
    pub fn check_target(&mut self, mut url: UrlRecord, now: Millis) -> Result<bool> {
        let (Outcome::Known(other) | Outcome::Moved(other)) = url.outcome else {
            return Ok(false);
        };
        let there = self.o.has(&key(keys::META).text(LEFT).done())?
            || self.o.has(&key(keys::URL).id(other).done())?
            || self.o.has(&key(keys::ALIAS).id(other).done())?;
        if there {
            return Ok(false);
        }
        self.changes.entry(&url, -1);
        reopen(&mut url, now);
        entries::insert(self, &[url])?;
        Ok(true)
    }

    /// Gives a story the name that it had before, the key of one of its members.
    pub fn rename_story(&mut self, id: UrlKey, before: UrlKey) -> Result<()> {
        let own = self.o.member_row(before)?.is_some_and(|row| row.story == id);
        if id == before || !own {
            return Ok(());
        }
        self.o.del(key(keys::ABSORBED).id(before).done());
        self.rename(id, before)
    }
}

fn reopen(url: &mut UrlRecord, now: Millis) {
    url.outcome = Outcome::Pending;
    url.attempts = 0;
    url.next = now;
    url.last_error = Some("lost by the store, to be fetched again".to_owned());
}
