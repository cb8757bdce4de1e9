//! Retention: texts and URL memory leave by age, some at a time, so that commits go on between.
//! Counts stay; the ledger remembers how many of its entries have left. The database gets the room
//! of a day's texts back when its last text has left.
//!
//! Must not know: what the ages are, and why.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use postgres::types::Json;

use super::Postgres;
use super::connect::get;
use super::outcomes::arrival;
use super::tx::Tx;
use super::types::{number, record};
use crate::model::{ArticleRecord, Day, Millis, Outcome, UrlKey, UrlRecord};
use crate::store::embedded::retention::{ENTRIES, TEXTS, bare};
use crate::store::{Pruned, Result};

/// The day and key before every other.
const FIRST: (&str, UrlKey) = ("-infinity", UrlKey(0));

impl Postgres {
    pub fn prune_texts_before(&self, before: Millis, most: usize) -> Result<Pruned> {
        let most = most.max(1);
        let (pruned, left) = self.write(|tx| tx.prune_texts(before, most))?;
        for day in left {
            // It waits for nobody: the texts of such a day are seldom read.
            let name = day.to_string().replace('-', "");
            self.pool.call(|conn| conn.batch(&format!("VACUUM FULL crawler_data.texts_{name}")))?;
        }
        Ok(pruned)
    }

    pub fn prune_entries_before(&self, before: Millis, most: usize) -> Result<Pruned> {
        self.write(|tx| tx.prune_entries(before, most.max(1)))
    }
}

impl Tx<'_> {
    /// Also the days of arrival that were left behind.
    fn prune_texts(&mut self, before: Millis, most: usize) -> Result<(Pruned, Vec<Day>)> {
        let place: Option<(String, UrlKey)> = self.value(TEXTS)?;
        let (day, key) = place.unwrap_or((FIRST.0.to_owned(), FIRST.1));
        let rows = self.conn.rows(
            "SELECT arrival, key, record FROM crawler_data.texts \
             WHERE (arrival, key) > ($1::text::date, $2) AND arrival < $3 \
             ORDER BY arrival, key LIMIT $4",
            &[&day, &key, &arrival(before), &number(most as u64)],
        )?;
        let (mut days, mut keys, mut records) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen: Vec<Day> = Vec::new();
        for row in &rows {
            let found: ArticleRecord = record(row, 2)?;
            let arrival: Day = get(row, 0)?;
            if seen.last() != Some(&arrival) {
                seen.push(arrival);
            }
            if found.has_text() {
                days.push(arrival);
                keys.push(get::<UrlKey>(row, 1)?);
                records.push(Json(found.without_text()));
            }
        }
        self.conn.run(
            "UPDATE crawler_data.texts AS t SET record = n.record FROM \
             unnest($1::date[], $2::uuid[], $3::json[]) AS n (arrival, key, record) \
             WHERE t.arrival = n.arrival AND t.key = n.key",
            &[&days, &keys, &records],
        )?;
        let more = rows.len() >= most;
        if let Some(last) = rows.last() {
            let place: (Day, UrlKey) = (get(last, 0)?, get(last, 1)?);
            self.set_value(TEXTS, &(place.0.to_string(), place.1))?;
        }
        // The last day goes on with the next call, unless this was all.
        if more {
            seen.pop();
        }
        Ok((Pruned { dropped: keys.len() as u64, more }, seen))
    }

    fn prune_entries(&mut self, before: Millis, most: usize) -> Result<Pruned> {
        let after: UrlKey = self.value(ENTRIES)?.unwrap_or_default();
        let rows = self.conn.rows(
            "SELECT record FROM crawler_data.urls WHERE key > $1 ORDER BY key LIMIT $2",
            &[&after, &number(most as u64)],
        )?;
        let more = rows.len() >= most;
        let mut last = UrlKey::default();
        let mut listed: HashMap<UrlKey, HashSet<UrlKey>> = HashMap::new();
        let mut gone = Vec::new();
        let mut dropped = 0;
        for row in &rows {
            let url: UrlRecord = record(row, 0)?;
            last = url.key;
            if url.first_seen >= before {
                continue;
            }
            match url.outcome {
                Outcome::Pending | Outcome::Forgotten => {}
                Outcome::Article => {
                    let bare = bare(&url);
                    if bare != url {
                        self.put_url(&bare)?;
                        dropped += 1;
                    }
                }
                _ => {
                    let listed = match listed.entry(url.feed) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(free) => {
                            let feed = self.feed(url.feed)?;
                            free.insert(feed.into_iter().flat_map(|f| f.poll.recent).collect())
                        }
                    };
                    // It would be an entry again at the next poll.
                    if !listed.contains(&url.key) {
                        let ledger = self.ledger(url.arrival, &url.outlet);
                        *ledger.left.entry(url.outcome.name().to_owned()).or_default() += 1;
                        gone.push(url.key);
                        dropped += 1;
                    }
                }
            }
        }
        self.conn.run("DELETE FROM crawler_data.urls WHERE key = ANY ($1)", &[&gone])?;
        self.set_value(ENTRIES, &if more { last } else { UrlKey::default() })?;
        Ok(Pruned { dropped, more })
    }

    fn value<T: serde::de::DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>> {
        let sql = "SELECT value FROM crawler_data.meta WHERE name = $1";
        let value: Option<Vec<u8>> = self.conn.value(sql, &[&name])?;
        // What cannot be read is begun anew.
        Ok(value.and_then(|value| serde_json::from_slice(&value).ok()))
    }

    fn set_value<T: serde::Serialize>(&mut self, name: &str, value: &T) -> Result<()> {
        let value = serde_json::to_vec(value)
            .map_err(|error| crate::store::StoreError::Other(error.to_string()))?;
        let sql = "INSERT INTO crawler_data.meta (name, value) VALUES ($1, $2) \
                   ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.conn.run(sql, &[&name, &value]).map(drop)
    }
}
