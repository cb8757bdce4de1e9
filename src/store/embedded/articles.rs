//! Articles: a record and a vector in the month of arrival, and in main where they are, and its rows.
//!
//! Must not know: why articles come and go.

use std::collections::BTreeSet;

use super::format::keys::{self, key};
use super::format::{
    ByArticle, Kept, LEAVING, Month, Pointer, decode, encode, kept_key, seal, vector_key,
};
use super::recount::versions;
use super::retention;
use super::stories::mention_key;
use super::tx::Tx;
use crate::model::*;
use crate::store::embedded::months::unpack;
use crate::store::rules::articles::{ArticleRows, Listing};
use crate::store::{Remembered, Result, StoreError};

impl Tx<'_> {
    /// Points to an article record in its month.
    pub fn point_to(&mut self, month: Month, record: &ArticleRecord) -> Result<()> {
        let Published { at, day, .. } = record.published;
        let pointer = Pointer { month, day, at, credit: Some(record.credit()) };
        self.o.put(key(keys::POINTER).id(record.key).done(), &pointer)?;
        self.o.put(key(keys::BY_DAY).day(day).id(record.key).done(), &())?;
        self.refer_to(month, record.key, at)
    }

    /// Appends the vector of an article published `at` to its month.
    pub fn put_vector(&mut self, month: Month, id: UrlKey, at: Millis, vector: &[u8]) {
        let at = vector_key(at, id);
        let value = seal(&at, vector);
        self.articles.entry(month).or_default().insert(at, Some(value));
    }

    /// What stands in a month beside an article without text, also if it was written just now.
    fn kept(&self, month: Month, id: UrlKey) -> Result<Option<Kept>> {
        let at = kept_key(id);
        let written = self.articles.get(&month).and_then(|writes| writes.get(&at));
        match (written, self.months.month(month, false)?) {
            (Some(value), _) => Ok(value.as_ref().and_then(|value| decode(&at, value).ok())),
            (None, Some(kv)) => retention::kept(&*kv, id),
            (None, None) => Ok(None),
        }
    }

    fn remove_rows(&mut self, version: &str, article: UrlKey) -> Result<()> {
        for (brand, row) in self.o.rows_of(version, article)? {
            self.o.del(mention_key(version, &brand, row.day, article));
            self.o.del(key(keys::BY_ARTICLE).text(version).id(article).text(&brand).done());
        }
        Ok(())
    }
}

impl ArticleRows for Tx<'_> {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn articles_among(&mut self, ids: &[UrlKey]) -> Result<BTreeSet<UrlKey>> {
        let mut articles = BTreeSet::new();
        for id in ids {
            if self.o.has(&key(keys::POINTER).id(*id).done())? {
                articles.insert(*id);
            }
        }
        Ok(articles)
    }

    /// Appends record and vector to the month; beside a record without text stands what a repair could
    /// not work out from it.
    fn put_article(
        &mut self,
        record: &ArticleRecord,
        vector: &[u8],
        mentions: &[MentionRow],
    ) -> Result<()> {
        let month = Month::of(record.first_seen);
        let value = self.months.pack(record)?;
        let writes = self.articles.entry(month).or_default();
        writes.insert(record.key.0.to_be_bytes().to_vec(), Some(value));
        if record.has_text() {
            writes.insert(LEAVING.to_vec(), None);
        } else {
            let at = kept_key(record.key);
            let kept = Kept { mentions: mentions.to_vec(), ..Kept::default() };
            writes.insert(at.clone(), Some(encode(&at, &kept)?));
        }
        self.put_vector(month, record.key, record.published.at, vector);
        self.point_to(month, record)
    }

    fn put_print(&mut self, article: UrlKey, at: Millis, vector: &[u8]) -> Result<()> {
        let pointer: Option<Pointer> = self.o.get(&key(keys::POINTER).id(article).done())?;
        if let Some(pointer) = pointer.filter(|pointer| pointer.at == at) {
            self.put_vector(pointer.month, article, at, vector);
        }
        Ok(())
    }

    fn article(&mut self, id: UrlKey) -> Result<Option<ArticleRecord>> {
        let Some(pointer) = self.o.get::<Pointer>(&key(keys::POINTER).id(id).done())? else {
            return Ok(None);
        };
        let written = self.articles.get(&pointer.month);
        match written.and_then(|writes| writes.get(&id.0.to_be_bytes()[..])) {
            Some(value) => Ok(value.as_ref().and_then(|value| unpack(id, value).ok())),
            None => self.months.get(pointer.month, id),
        }
    }

    fn put_listing(&mut self, id: UrlKey, listing: Listing) -> Result<Vec<MentionRow>> {
        let Some(record) = self.article(id)? else { return Ok(Vec::new()) };
        let month = Month::of(record.first_seen);
        let kept = if record.has_text() { None } else { self.kept(month, id)? };
        let value = self.months.pack(&listing.in_record(record))?;
        let writes = self.articles.entry(month).or_default();
        writes.insert(id.0.to_be_bytes().to_vec(), Some(value));
        if let Some(Kept { mentions, vector }) = kept {
            let mentions = mentions.into_iter().map(|row| listing.in_row(row)).collect();
            let at = kept_key(id);
            writes.insert(at.clone(), Some(encode(&at, &Kept { mentions, vector })?));
        }
        let before = self.o.mentions_of(&self.version, id)?;
        for version in versions(&self.o)? {
            for row in self.o.mentions_of(&version, id)? {
                let row = listing.in_row(row);
                self.o.put(mention_key(&version, &row.brand, row.day, id), &row)?;
            }
        }
        Ok(before)
    }

    fn take_article(&mut self, id: UrlKey) -> Result<Option<(Millis, Vec<MentionRow>)>> {
        let at = key(keys::POINTER).id(id).done();
        let Some(pointer) = self.o.get::<Pointer>(&at)? else { return Ok(None) };
        let mentions = self.o.mentions_of(&self.version, id)?;
        for version in versions(&self.o)? {
            self.remove_rows(&version, id)?;
            self.o.del(key(keys::RECOUNTED).text(&version).id(id).done());
        }
        // One that cannot be read does not keep its article from being forgotten.
        let record = match self.months.get(pointer.month, id) {
            Err(StoreError::Corrupt { .. }) => None,
            record => record?,
        };
        self.unremember(id, record.as_ref())?;
        self.o.del(key(keys::BY_DAY).day(pointer.day).id(id).done());
        self.o.del(at);
        self.remove_excerpts(id)?;
        self.o.put(key(keys::ERASE).id(id).done(), &pointer.month)?;
        Ok(Some((pointer.at, mentions)))
    }

    fn put_rows(&mut self, version: &str, article: UrlKey, mentions: &[&MentionRow]) -> Result<()> {
        self.remove_rows(version, article)?;
        for row in mentions {
            self.o.put(mention_key(version, &row.brand, row.day, article), row)?;
            let MentionRow { day, counted, suppressed, .. } = **row;
            let at = key(keys::BY_ARTICLE).text(version).id(article).text(&row.brand).done();
            self.o.put(at, &ByArticle { day, counted, suppressed })?;
        }
        Ok(())
    }

    fn put_excerpts(&mut self, excerpts: &[Excerpt]) -> Result<()> {
        self.link(excerpts)
    }

    fn remember(&mut self, record: &ArticleRecord, printed: &Remembered) -> Result<()> {
        self.keep_printed(record, printed)
    }
}
