//! Forgetting: entries end for good, and of articles goes everything, in one transaction.
//!
//! Must not know: why something is forgotten.

use std::collections::BTreeSet;

use super::connect::get;
use super::tx::Tx;
use super::types::mention_row;
use crate::model::*;
use crate::store::Result;
use crate::store::rules::entries::tombstone;

impl Tx<'_> {
    pub fn forget(&mut self, entries: &[UrlRecord], rest: &[Story]) -> Result<usize> {
        let keys: Vec<UrlKey> = entries.iter().map(|entry| entry.key).collect();
        let sql = "SELECT key FROM crawler_data.articles WHERE key = ANY ($1)";
        let rows = self.conn.rows(sql, &[&keys])?;
        let articles: BTreeSet<UrlKey> =
            rows.iter().map(|row| get(row, 0)).collect::<Result<_>>()?;
        self.split_stories(&articles, rest)?;
        for article in &articles {
            self.remove_article(*article)?;
        }
        for entry in entries {
            self.bury(entry)?;
        }
        Ok(articles.len())
    }

    /// Ends an entry, known or not, as forgotten.
    fn bury(&mut self, entry: &UrlRecord) -> Result<()> {
        let Some(old) = self.url(entry.key)? else {
            return self.insert(&[tombstone(entry.clone())]);
        };
        if old.outcome == Outcome::Forgotten {
            return Ok(());
        }
        if old.outcome == Outcome::Pending {
            self.dequeue(&old.pace_key, TaskKind::Fetch, old.key)?;
            self.pending -= 1;
        }
        let name = old.outcome.name().to_owned();
        let record = tombstone(old);
        let ledger = self.ledger(record.arrival, &record.outlet);
        *ledger.outcomes.entry(name).or_default() -= 1;
        *ledger.outcomes.entry(record.outcome.name().to_owned()).or_default() += 1;
        self.put_url(&record)
    }

    /// All of an article but its entry and its story.
    fn remove_article(&mut self, id: UrlKey) -> Result<()> {
        let sql = "DELETE FROM crawler_data.articles WHERE key = $1 RETURNING arrival, at";
        let Some(row) = self.conn.row(sql, &[&id])? else { return Ok(()) };
        let (arrival, at): (Day, Millis) = (get(&row, 0)?, get(&row, 1)?);
        let seen = self.first_sight(id)?;
        let sql = "DELETE FROM crawler_data.mentions WHERE article = $1 \
                   RETURNING brand, day, article, outlet, language, feed, backlog, own_outlet, \
                   counted, suppressed, mentions, version";
        for row in self.conn.rows(sql, &[&id])? {
            if get::<String>(&row, 11)? == self.version {
                let row = mention_row(&row)?;
                self.tally(&row.brand, row.day, &Tally::of_row(&row, seen, -1));
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
        self.articles -= 1;
        self.log(id, at, true)
    }
}
