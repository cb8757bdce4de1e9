//! Articles: a record and its text apart, vector, rows, excerpts; and the log of what came and went.
//!
//! Must not know: why articles come and go.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use super::connect::get;
use super::tx::Tx;
use super::types::{Record, mention_row, number, plain, record};
use crate::model::*;
use crate::store::rules::articles::ArticleRows;
use crate::store::rules::log::LogRows;
use crate::store::{LogPosition, Logged, Remembered, Result};

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
            self.conn.run(
                "INSERT INTO crawler_data.texts (arrival, key, text, blocks) VALUES ($1, $2, $3, $4)",
                &[&arrival, &record.key, &plain(&article.text), &Record(&article.blocks)],
            )?;
        }
        self.conn.run(
            "INSERT INTO crawler_data.articles \
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
            ],
        )?;
        self.conn.run(
            "INSERT INTO crawler_data.vectors (at, article, vector) VALUES ($1, $2, $3)",
            &[&at, &record.key, &vector],
        )?;
        Ok(())
    }

    fn put_print(&mut self, article: UrlKey, at: Millis, vector: &[u8]) -> Result<()> {
        let sql = "UPDATE crawler_data.vectors SET vector = $3 WHERE at = $1 AND article = $2";
        self.conn.run(sql, &[&at, &article, &vector]).map(drop)
    }

    fn article(&mut self, id: UrlKey) -> Result<Option<ArticleRecord>> {
        let sql = "SELECT record FROM crawler_data.articles WHERE key = $1";
        self.conn.row(sql, &[&id])?.map(|row| record(&row, 0)).transpose()
    }

    fn put_sighting(&mut self, id: UrlKey, sighting: Sighting) -> Result<()> {
        let Some(record) = self.article(id)? else { return Ok(()) };
        let record = ArticleRecord { sighting, ..record };
        let sql = "UPDATE crawler_data.articles SET record = $2 WHERE key = $1";
        self.conn.run(sql, &[&id, &Record(&record)]).map(drop)
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
        let sql = "DELETE FROM crawler_data.mentions WHERE article = $1 AND version = $2";
        self.conn.run(sql, &[&article, &version])?;
        for row in mentions {
            self.conn.run(
                "INSERT INTO crawler_data.mentions (version, brand, day, article, outlet, language, \
                 feed, backlog, own_outlet, counted, suppressed, mentions) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
                &[
                    &version,
                    &row.brand,
                    &row.day,
                    &article,
                    &row.outlet,
                    &row.language,
                    &row.feed,
                    &row.backlog,
                    &row.own_outlet,
                    &i64::from(row.counted),
                    &i64::from(row.suppressed),
                    &Record(&row.mentions),
                ],
            )?;
        }
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

impl LogRows for Tx<'_> {
    fn log_end(&mut self) -> Result<LogPosition> {
        Ok(self.log)
    }

    fn put_log(&mut self, at: LogPosition, entry: &Logged) -> Result<()> {
        self.log = at;
        let sql = "INSERT INTO crawler_data.log (number, article, at, gone, sum) \
                   VALUES ($1, $2, $3, $4, $5)";
        let Logged { article, at: published, gone } = entry;
        let sum = at.sum.cast_signed();
        self.conn.run(sql, &[&number(at.number), article, published, gone, &sum]).map(drop)
    }
}

/// UTC day of a first sight.
pub fn arrival(first_seen: Millis) -> Day {
    utc_day(first_seen)
}
