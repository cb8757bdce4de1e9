//! Articles: a record and its text apart, vector, rows, excerpts.
//!
//! Must not know: why articles come and go.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use super::connect::get;
use super::tx::Tx;
use super::types::{Record, mention_row, plain};
use crate::model::*;
use crate::store::rules::articles::{ArticleRows, Listing};
use crate::store::{Remembered, Result};

/// Days of arrival whose partitions are made before anything arrives on them.
const DAYS_AHEAD: i64 = 7;

impl Tx<'_> {
    /// Makes sure of the partitions of a day and of those after it. One that is there costs
    /// nothing: each process remembers them. Before the first day that is kept they come and go: there
    /// it asks each time, and what arrives late leaves with the next upkeep.
    fn make_days(&mut self, day: Day) -> Result<()> {
        let late = self.texts_from.is_some_and(|first| day < first);
        let days = self.store.days.lock().unwrap_or_else(PoisonError::into_inner);
        let known = !late && days.contains(&day);
        drop(days);
        if known || self.new_days.contains(&day) {
            return Ok(());
        }
        for ahead in 0..=if late { 0 } else { DAYS_AHEAD } {
            let ahead = jiff::Span::new().days(ahead);
            let Ok(day) = day.checked_add(ahead) else { break };
            self.conn.row("SELECT crawler_data.make_day($1)::text", &[&day])?;
        }
        self.new_days.push(day);
        Ok(())
    }
}

impl ArticleRows for Tx<'_> {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn articles_among(&mut self, ids: &[UrlKey]) -> Result<BTreeSet<UrlKey>> {
        let sql = "SELECT key FROM crawler_data.articles WHERE key = ANY ($1)";
        self.conn.rows(sql, &[&ids])?.iter().map(|row| get(row, 0)).collect()
    }

    fn put_article(
        &mut self,
        record: &ArticleRecord,
        vector: &[u8],
        _: &[MentionRow],
    ) -> Result<()> {
        let arrival = arrival(record.first_seen);
        let Published { at, day, .. } = record.published;
        let article = &record.article;
        if record.has_text() {
            self.make_days(arrival)?;
        }
        // One statement: each asks the database once more.
        self.conn.run(
            "WITH vector AS (INSERT INTO crawler_data.vectors (at, article, vector) VALUES ($4, $1, $13)), \
             text AS (INSERT INTO crawler_data.texts (arrival, key, text, blocks) \
             SELECT $2::date, $1::uuid, $14::text, $15::json WHERE $11::boolean) \
             INSERT INTO crawler_data.articles \
             (key, arrival, day, at, outlet, language, title, url, feed, fetched, has_text, record) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            &[
                &record.key,
                &arrival,
                &day,
                &at,
                &record.outlet,
                &article.language.as_ref().map(|found| plain(&found.value)),
                &article.title.as_ref().map(|found| plain(&found.value)),
                &plain(&record.final_url),
                &record.feed,
                &record.fetched,
                &record.has_text(),
                &Record(&record.clone().without_text()),
                &vector,
                &plain(&article.text),
                &Record(&article.blocks),
            ],
        )?;
        self.added.insert(record.key);
        Ok(())
    }

    fn put_print(&mut self, article: UrlKey, at: Millis, vector: &[u8]) -> Result<()> {
        let sql = "UPDATE crawler_data.vectors SET vector = $3 WHERE at = $1 AND article = $2";
        self.conn.run(sql, &[&at, &article, &vector]).map(drop)
    }

    fn article(&mut self, id: UrlKey) -> Result<Option<ArticleRecord>> {
        let sql = "SELECT record FROM crawler_data.articles WHERE key = $1";
        self.conn.record(sql, &[&id])
    }

    fn put_listing(&mut self, id: UrlKey, listing: Listing) -> Result<Vec<MentionRow>> {
        let Some(record) = self.article(id)? else { return Ok(Vec::new()) };
        let record = listing.in_record(record);
        let sql = "UPDATE crawler_data.articles SET feed = $2, record = $3 WHERE key = $1";
        self.conn.run(sql, &[&id, &record.feed, &Record(&record)])?;
        let sql = "SELECT brand, day, article, outlet, language, feed, backlog, own_outlet, \
                   counted, suppressed, mentions FROM crawler_data.mentions \
                   WHERE article = $1 AND version = $2";
        let before = self.conn.rows(sql, &[&id, &self.version])?;
        let sql = "UPDATE crawler_data.mentions SET feed = $2, backlog = $3 WHERE article = $1";
        self.conn.run(sql, &[&id, &listing.feed, &listing.backlog])?;
        before.iter().map(mention_row).collect()
    }

    fn take_article(&mut self, id: UrlKey) -> Result<Option<(Millis, Vec<MentionRow>)>> {
        let sql = "DELETE FROM crawler_data.articles WHERE key = $1 RETURNING arrival, at";
        let Some(row) = self.conn.row(sql, &[&id])? else { return Ok(None) };
        let (arrival, at): (Day, Millis) = (get(&row, 0)?, get(&row, 1)?);
        let mut mentions = Vec::new();
        let sql = "DELETE FROM crawler_data.mentions WHERE article = $1 \
                   RETURNING brand, day, article, outlet, language, feed, backlog, own_outlet, \
                   counted, suppressed, mentions, version";
        for row in self.conn.rows(sql, &[&id])? {
            if get::<String>(&row, 11)? == self.version {
                mentions.push(mention_row(&row)?);
            }
        }
        let sql = "DELETE FROM crawler_data.texts WHERE arrival = $1 AND key = $2";
        self.conn.run(sql, &[&arrival, &id])?;
        self.conn.run("DELETE FROM crawler_data.recounted WHERE article = $1", &[&id])?;
        let sql = "DELETE FROM crawler_data.vectors WHERE at = $1 AND article = $2";
        self.conn.run(sql, &[&at, &id])?;
        let sql = "DELETE FROM crawler_data.excerpts WHERE part = $1 OR whole = $1";
        self.conn.run(sql, &[&id])?;
        self.conn.run("DELETE FROM crawler_data.printed WHERE article = $1", &[&id])?;
        Ok(Some((at, mentions)))
    }

    fn put_rows(&mut self, version: &str, article: UrlKey, mentions: &[&MentionRow]) -> Result<()> {
        if !self.added.contains(&article) {
            let sql = "DELETE FROM crawler_data.mentions WHERE article = $1 AND version = $2";
            self.conn.run(sql, &[&article, &version])?;
        }
        if mentions.is_empty() {
            return Ok(());
        }
        fn all<'a, T>(rows: &[&'a MentionRow], part: impl Fn(&'a MentionRow) -> T) -> Vec<T> {
            rows.iter().copied().map(part).collect()
        }
        self.conn.run(
            "INSERT INTO crawler_data.mentions (version, article, brand, day, outlet, language, \
             feed, backlog, own_outlet, counted, suppressed, mentions) \
             SELECT $1::text, $2::uuid, * FROM unnest($3::text[], $4::date[], $5::text[], $6::text[], \
             $7::uuid[], $8::boolean[], $9::boolean[], $10::bigint[], $11::bigint[], $12::json[])",
            &[
                &version,
                &article,
                &all(mentions, |row| row.brand.as_str()),
                &all(mentions, |row| row.day),
                &all(mentions, |row| row.outlet.as_str()),
                &all(mentions, |row| row.language.as_deref()),
                &all(mentions, |row| row.feed),
                &all(mentions, |row| row.backlog),
                &all(mentions, |row| row.own_outlet),
                &all(mentions, |row| i64::from(row.counted)),
                &all(mentions, |row| i64::from(row.suppressed)),
                &all(mentions, |row| Record(&row.mentions)),
            ],
        )?;
        Ok(())
    }

    fn put_excerpts(&mut self, excerpts: &[Excerpt]) -> Result<()> {
        for Excerpt { part, whole, share } in excerpts {
            self.conn.run(
                "INSERT INTO crawler_data.excerpts (part, whole, share) VALUES ($1, $2, $3) \
                 ON CONFLICT (part, whole) DO UPDATE SET share = excluded.share",
                &[part, whole, share],
            )?;
        }
        Ok(())
    }

    fn remember(&mut self, record: &ArticleRecord, printed: &Remembered) -> Result<()> {
        self.keep_printed(record, printed)
    }
}

/// UTC day of a first sight.
pub fn arrival(first_seen: Millis) -> Day {
    utc_day(first_seen)
}
