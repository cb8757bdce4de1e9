//! Retention: texts leave by the day of arrival, with their partition; URL memory and robots.txt records
//! some at a time, so that commits go on between. Counts stay; the ledger remembers how many of its entries have left.
//!
//! Must not know: what the ages are, and why.

use super::Postgres;
use super::articles::arrival;
use super::connect::get;
use super::frontier::database_clock;
use super::tx::Tx;
use super::types::{count, number};
use crate::model::{Millis, UrlKey, UrlRecord};
use crate::store::rules::retention::{ENTRIES, LEFT, ROBOTS, prune};
use crate::store::{Pruned, Result, Retention};

impl Retention for Postgres {
    fn ages_until(&self, now: Millis) -> Result<Millis> {
        if !self.checks_clock {
            return Ok(now);
        }
        self.pool.call(|conn| Ok(now.min(database_clock(conn)?.unwrap_or(now))))
    }

    /// Drops one day of arrival. If somebody reads texts for long, it stays until the next time.
    fn prune_texts(&self, before: Millis, _: usize) -> Result<Pruned> {
        let sql = "SELECT crawler_data.drop_day($1)";
        let dropped: Option<i64> = self.write(|tx| {
            let row = tx.conn.row(sql, &[&arrival(before)])?;
            row.map_or(Ok(None), |row| get(&row, 0))
        })?;
        Ok(Pruned { dropped: count(dropped.unwrap_or(0)), more: dropped.is_some() })
    }

    fn prune_entries(&self, before: Millis, most: usize) -> Result<Pruned> {
        self.write(|tx| tx.prune_entries(before, most.max(1)))
    }

    fn prune_robots(&self, before: Millis, unreachable: Millis, most: usize) -> Result<Pruned> {
        self.write(|tx| tx.prune_robots(before, unreachable, most.max(1)))
    }
}

impl Tx<'_> {
    fn prune_entries(&mut self, before: Millis, most: usize) -> Result<Pruned> {
        let after: UrlKey = self.value(ENTRIES)?.unwrap_or_default();
        let sql = "SELECT record FROM crawler_data.urls WHERE key > $1 ORDER BY key LIMIT $2";
        let entries: Vec<UrlRecord> = self.conn.records(sql, &[&after, &number(most as u64)])?;
        let more = entries.len() >= most;
        let last = entries.last().map(|url| url.key).unwrap_or_default();
        let aged = prune(self, &entries, before)?;
        if aged.left > 0 {
            self.set_value(LEFT, &true)?;
        }
        self.set_value(ENTRIES, &if more { last } else { UrlKey::default() })?;
        Ok(Pruned { dropped: aged.left + aged.bared, more })
    }

    fn prune_robots(&mut self, before: Millis, unreachable: Millis, most: usize) -> Result<Pruned> {
        let after: String = self.value(ROBOTS)?.unwrap_or_default();
        // The origins alone: a body can be half a mebibyte.
        let rows = self.conn.rows(
            "SELECT origin FROM crawler_data.robots WHERE origin > $1 ORDER BY origin LIMIT $2",
            &[&after, &number(most as u64)],
        )?;
        let more = rows.len() >= most;
        let last = rows.last().map_or(Ok(String::new()), |row| get(row, 0))?;
        let dropped = self.conn.run(
            "DELETE FROM crawler_data.robots WHERE origin > $1 AND origin <= $2 \
             AND (record->>'fresh_until')::bigint < \
             CASE WHEN record->>'unreachable_since' IS NULL THEN $3::bigint ELSE $4::bigint END",
            &[&after, &last, &before, &unreachable],
        )?;
        self.set_value(ROBOTS, &if more { last } else { String::new() })?;
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
