//! What a poll and a page bring into the store: entries, outcomes, articles, coverage. Each call
//! checks its lease and whether it was made before; if so it changes nothing.
//!
//! Must not know: how entries and articles were found.

use super::format::keys::{self, key};
use super::tx::Tx;
use crate::model::*;
use crate::store::embedded::kv::Overlay;
use crate::store::rules::entries::{fetch_task, priority, put_off, tombstone, under_ban};
use crate::store::rules::feeds::{missed_days, polled};
use crate::store::rules::stories::member_of;
use crate::store::{OutletRule, PageCommit, PollCommit, Result, Settled, StoreError};

impl Overlay<'_> {
    pub fn url(&self, id: UrlKey) -> Result<Option<UrlRecord>> {
        self.get(&key(keys::URL).id(id).done())
    }

    /// What the operator decided about an outlet.
    pub fn rule(&self, outlet: &str) -> Result<OutletRule> {
        Ok(self.get(&key(keys::RULE).text(outlet).done())?.unwrap_or_default())
    }

    /// The article that `id` is another key of.
    pub fn alias(&self, id: UrlKey) -> Result<Option<UrlKey>> {
        self.get(&key(keys::ALIAS).id(id).done())
    }

    /// The record of a key, or of the article that it is another key of.
    pub fn url_or_alias(&self, id: UrlKey) -> Result<Option<UrlRecord>> {
        match self.url(id)? {
            Some(record) => Ok(Some(record)),
            None => match self.alias(id)? {
                Some(article) => self.url(article),
                None => Ok(None),
            },
        }
    }
}

impl Tx<'_> {
    pub fn put_url(&mut self, record: &UrlRecord) -> Result<()> {
        self.o.put(key(keys::URL).id(record.key).done(), record)
    }

    /// First sight of an entry; later ones change nothing and are `false`.
    pub fn first_sight(&mut self, mut record: UrlRecord) -> Result<bool> {
        if self.o.url(record.key)?.is_some() {
            return Ok(false);
        }
        if let Some(article) = self.o.alias(record.key)? {
            record.outcome = self.same_as(article)?;
        }
        let ban = self.o.rule(&record.outlet)?.ban;
        self.insert(&under_ban(record, ban))?;
        Ok(true)
    }

    /// How many of them are first sights.
    fn first_sights(&mut self, entries: Vec<UrlRecord>) -> Result<u64> {
        let mut new = 0;
        for entry in entries {
            new += u64::from(self.first_sight(entry)?);
        }
        Ok(new)
    }

    /// Stores an entry that is not there yet: counted, and in the queue if it is pending.
    pub fn insert(&mut self, record: &UrlRecord) -> Result<()> {
        let ledger = self.ledger(record.arrival, &record.outlet);
        ledger.entries += 1;
        ledger.arrived(record, 1);
        *ledger.outcomes.entry(record.outcome.name().to_owned()).or_default() += 1;
        if record.outcome == Outcome::Pending {
            self.counters.pending += 1;
            self.enqueue(&record.pace_key, priority(record), &fetch_task(record))?;
        }
        self.put_url(record)
    }

    pub fn poll(&mut self, lease: &Lease, poll: PollCommit) -> Result<u64> {
        let Some(stored) = self.feed(poll.feed.key)? else { return Ok(0) };
        if !self.holds(lease)? || stored.poll.next != poll.due {
            return Ok(0);
        }
        for day in missed_days(&stored, &poll) {
            self.ledger(day, &stored.outlet).polls_due += 1;
        }
        let ledger = self.ledger(poll.day, &stored.outlet);
        ledger.polls_due += 1;
        ledger.polls_succeeded += i64::from(poll.succeeded);
        self.replace_feed(&stored, &polled(&stored, poll.feed))?;
        let new = self.first_sights(poll.entries)?;
        for feed in &poll.feeds {
            self.add_feed(feed)?;
        }
        Ok(new)
    }

    /// Moves a task to a later instant.
    pub fn put_off(&mut self, task: &Task, until: Millis) -> Result<()> {
        match task.kind {
            TaskKind::Poll => {
                let Some(old) = self.feed(task.key)? else { return Ok(()) };
                let mut new = old.clone();
                new.poll.next = until;
                self.replace_feed(&old, &new)
            }
            TaskKind::Fetch => {
                let Some(mut record) = self.o.url(task.key)? else { return Ok(()) };
                self.dequeue(&record.pace_key, priority(&record), record.next, record.key);
                record.next = until;
                self.enqueue(&record.pace_key, priority(&record), &fetch_task(&record))?;
                self.put_url(&record)
            }
        }
    }

    pub fn page(&mut self, lease: &Lease, page: PageCommit) -> Result<Option<Settled>> {
        let Some(mut record) = self.o.url(page.key)? else {
            return Err(StoreError::Other(format!("no entry has the key {}", page.key)));
        };
        if !self.holds(lease)? || record.outcome != Outcome::Pending {
            return Ok(None);
        }
        let old = (priority(&record), record.next);
        if page.outcome == Outcome::Pending {
            if !put_off(&mut record, page.retry)? {
                return Ok(None);
            }
            self.dequeue(&record.pace_key, old.0, old.1, record.key);
            self.enqueue(&record.pace_key, priority(&record), &fetch_task(&record))?;
            self.put_url(&record)?;
        } else {
            self.dequeue(&record.pace_key, old.0, old.1, record.key);
            record.outcome = page.outcome;
            if record.outcome == Outcome::Article {
                if let Some(outcome) = self.same_article(&record, &page.aliases)? {
                    record.outcome = outcome;
                } else {
                    let Some(article) = page.article else {
                        return Err(StoreError::Other(format!(
                            "the entry {} ends as an article without one",
                            page.key
                        )));
                    };
                    self.add_article(&record, article)?;
                    for alias in page.aliases.iter().filter(|alias| **alias != record.key) {
                        self.o.put(key(keys::ALIAS).id(*alias).done(), &record.key)?;
                    }
                }
            }
            if record.outcome == Outcome::Forgotten {
                record = tombstone(record);
            }
            self.counters.pending = self.counters.pending.saturating_sub(1);
            let ledger = self.ledger(record.arrival, &record.outlet);
            *ledger.outcomes.entry(Outcome::Pending.name().to_owned()).or_default() -= 1;
            *ledger.outcomes.entry(record.outcome.name().to_owned()).or_default() += 1;
            self.put_url(&record)?;
        }
        let entries = self.first_sights(page.discovered)?;
        Ok(Some(Settled { outcome: record.outcome, entries }))
    }

    /// How an entry ends that turns out to be another key of `article`.
    fn same_as(&self, article: UrlKey) -> Result<Outcome> {
        let forgotten = self.o.url(article)?.is_some_and(|url| url.outcome == Outcome::Forgotten);
        Ok(if forgotten { Outcome::Forgotten } else { Outcome::Known(article) })
    }

    /// How an entry ends because an article, present or forgotten, already stands under one of
    /// these keys: two entries that lead to one canonical URL must not become two articles.
    pub fn same_article(&self, record: &UrlRecord, aliases: &[UrlKey]) -> Result<Option<Outcome>> {
        if let Some(article) = self.o.alias(record.key)? {
            return self.same_as(article).map(Some);
        }
        for alias in aliases.iter().filter(|alias| **alias != record.key) {
            if let Some(article) = self.o.alias(*alias)?
                && article != record.key
            {
                return self.same_as(article).map(Some);
            }
            match self.o.url(*alias)?.map(|url| url.outcome) {
                Some(Outcome::Article) => return Ok(Some(Outcome::Known(*alias))),
                Some(Outcome::Forgotten) => return Ok(Some(Outcome::Forgotten)),
                Some(Outcome::Known(article)) if article != record.key => {
                    return self.same_as(article).map(Some);
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn add_article(&mut self, url: &UrlRecord, commit: crate::store::ArticleCommit) -> Result<()> {
        let record = &commit.record;
        if record.key != url.key {
            return Err(StoreError::Other(format!(
                "the article {} was offered for the entry {}",
                record.key, url.key
            )));
        }
        if commit.brand_set != self.version {
            return Err(StoreError::StaleBrandSet {
                given: commit.brand_set,
                current: self.version.clone(),
            });
        }
        self.article(record)?;
        if !record.has_text() {
            self.keep(record, &commit.mentions, &commit.vector)?;
        }
        self.put_content(record, &commit.vector, &commit.mentions)?;
        if let Some(printed) = &commit.printed {
            self.remember(record, printed)?;
        }
        self.put_excerpts(&commit.excerpts)?;
        self.log(record.key, record.published.at, false)?;
        self.join_story(member_of(record), commit.joining)
    }

    /// An article's vector, mention rows and what they add to the tallies.
    pub fn put_content(
        &mut self,
        record: &ArticleRecord,
        vector: &[u8],
        mentions: &[MentionRow],
    ) -> Result<()> {
        let vector_key = key(keys::VECTOR).at(record.published.at).id(record.key).done();
        self.o.put_bytes(vector_key, vector);
        let version = self.version.clone();
        self.put_rows(&version, record.key, mentions)?;
        let arrival = self.o.arrival(record.key)?;
        for row in self.o.mentions_of(&version, record.key)? {
            self.tally(&row.brand, row.day, &Tally::of_row(&row, arrival, 1));
        }
        Ok(())
    }
}
