//! Entries, their tasks, and the other keys of articles.
//!
//! Must not know: why entries change.

use std::collections::{BTreeMap, BTreeSet};

use super::format::keys::{self, key};
use super::kv::Overlay;
use super::tx::Tx;
use crate::model::*;
use crate::store::Result;
use crate::store::rules::entries::{Alias, EntryRows, fetch_task, priority};

impl Overlay<'_> {
    pub fn url(&self, id: UrlKey) -> Result<Option<UrlRecord>> {
        self.get(&key(keys::URL).id(id).done())
    }

    /// The article that `id` is another key of.
    fn alias(&self, id: UrlKey) -> Result<Option<UrlKey>> {
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

    /// The task of an entry that is pending.
    fn enqueue_fetch(&mut self, record: &UrlRecord) -> Result<()> {
        if record.outcome != Outcome::Pending {
            return Ok(());
        }
        self.enqueue(&record.pace_key, priority(record), &fetch_task(record))
    }
}

impl EntryRows for Tx<'_> {
    fn url(&mut self, id: UrlKey) -> Result<Option<UrlRecord>> {
        self.o.url(id)
    }

    fn known_urls(&mut self, ids: &[UrlKey]) -> Result<BTreeSet<UrlKey>> {
        let mut known = BTreeSet::new();
        for id in ids {
            if self.o.has(&key(keys::URL).id(*id).done())? {
                known.insert(*id);
            }
        }
        Ok(known)
    }

    fn insert_urls(&mut self, entries: &[UrlRecord]) -> Result<()> {
        for record in entries {
            self.enqueue_fetch(record)?;
            self.put_url(record)?;
        }
        Ok(())
    }

    fn replace_url(&mut self, old: &UrlRecord, new: &UrlRecord) -> Result<()> {
        if old.outcome == Outcome::Pending {
            self.dequeue(&old.pace_key, priority(old), old.next, old.key);
        }
        self.enqueue_fetch(new)?;
        self.put_url(new)
    }

    fn remove_urls(&mut self, ids: &[UrlKey]) -> Result<()> {
        ids.iter().for_each(|id| self.o.del(key(keys::URL).id(*id).done()));
        Ok(())
    }

    fn aliases(&mut self, ids: &[UrlKey]) -> Result<BTreeMap<UrlKey, Alias>> {
        let mut aliases = BTreeMap::new();
        for id in ids {
            if let Some(article) = self.o.alias(*id)? {
                let url = self.o.url(article)?;
                let forgotten = url.is_some_and(|url| url.outcome == Outcome::Forgotten);
                aliases.insert(*id, Alias { article, forgotten });
            }
        }
        Ok(aliases)
    }

    fn put_aliases(&mut self, article: UrlKey, ids: &[UrlKey]) -> Result<()> {
        ids.iter().try_for_each(|id| self.o.put(key(keys::ALIAS).id(*id).done(), &article))
    }
}
