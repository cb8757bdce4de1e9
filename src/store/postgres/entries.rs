//! Entries, their tasks, and the other keys of articles.
//!
//! Must not know: why entries change.

use std::collections::{BTreeMap, BTreeSet};

use super::connect::get;
use super::frontier::kind;
use super::tx::Tx;
use super::types::{Record, plain};
use crate::model::*;
use crate::store::rules::entries::{Alias, EntryRows, fetch_task, priority};
use crate::store::{PollCommit, Result};

impl Tx<'_> {
    /// Does a poll bring no entry that is not known yet, and no feed? One that is known may be polled again because of it.
    pub fn nothing_new(&mut self, poll: &PollCommit) -> Result<bool> {
        if !poll.feeds.is_empty() {
            return Ok(false);
        }
        let entries: BTreeSet<UrlKey> = poll.entries.iter().map(|entry| entry.key).collect();
        let known = self.known_urls(&entries.into_iter().collect::<Vec<_>>())?;
        // What is named by those who speak for it for the first time is news.
        let old = |entry: &UrlRecord| known.get(&entry.key).is_some_and(|h| !h || entry.foreign);
        Ok(poll.entries.iter().all(old))
    }
}

impl EntryRows for Tx<'_> {
    fn url(&mut self, id: UrlKey) -> Result<Option<UrlRecord>> {
        let sql = "SELECT record FROM crawler_data.urls WHERE key = $1";
        self.conn.record(sql, &[&id])
    }

    fn known_urls(&mut self, ids: &[UrlKey]) -> Result<BTreeMap<UrlKey, bool>> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let sql = "SELECT key, coalesce((record ->> 'foreign')::boolean, false) \
                   FROM crawler_data.urls WHERE key = ANY ($1)";
        let rows = self.conn.rows(sql, &[&ids])?;
        rows.iter().map(|row| Ok((get(row, 0)?, get(row, 1)?))).collect()
    }

    fn insert_urls(&mut self, entries: &[UrlRecord]) -> Result<()> {
        fn all<'a, T>(entries: &'a [UrlRecord], part: impl Fn(&'a UrlRecord) -> T) -> Vec<T> {
            entries.iter().map(part).collect()
        }
        self.conn.run(
            "INSERT INTO crawler_data.urls (key, outlet, pace_key, arrival, outcome, record) \
             SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::date[], $5::text[], $6::json[])",
            &[
                &all(entries, |e| e.key),
                &all(entries, |e| e.outlet.as_str()),
                &all(entries, |e| e.pace_key.as_str()),
                &all(entries, |e| e.arrival),
                &all(entries, |e| e.outcome.name()),
                &all(entries, Record),
            ],
        )?;
        let pending: Vec<(&UrlRecord, Task)> = entries
            .iter()
            .filter(|entry| entry.outcome == Outcome::Pending)
            .map(|entry| (entry, fetch_task(entry)))
            .collect();
        if pending.is_empty() {
            return Ok(());
        }
        self.touched.extend(pending.iter().map(|(entry, _)| entry.pace_key.clone()));
        let column = |part: &dyn Fn(&UrlRecord, &Task) -> i64| -> Vec<i64> {
            pending.iter().map(|(entry, task)| part(entry, task)).collect()
        };
        let keys: Vec<UrlKey> = pending.iter().map(|(entry, _)| entry.key).collect();
        let names: Vec<&str> = pending.iter().map(|(entry, _)| entry.pace_key.as_str()).collect();
        let urls: Vec<String> = pending.iter().map(|(_, task)| plain(&task.url)).collect();
        self.conn.run(
            "INSERT INTO crawler_data.tasks (kind, key, pace_key, priority, due, url, attempts) \
             SELECT $1::smallint, * FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[])",
            &[
                &kind(TaskKind::Fetch),
                &keys,
                &names,
                &column(&|entry, _| i64::from(priority(entry))),
                &column(&|_, task| task.due),
                &urls,
                &column(&|_, task| i64::from(task.attempts)),
            ],
        )?;
        Ok(())
    }

    fn replace_url(&mut self, old: &UrlRecord, new: &UrlRecord) -> Result<()> {
        let ended = old.outcome == Outcome::Pending && new.outcome != Outcome::Pending;
        if new.outcome == Outcome::Pending {
            self.enqueue(&new.pace_key, priority(new), &fetch_task(new))?;
        } else if ended {
            self.touched.insert(old.pace_key.clone());
        }
        self.conn.run(
            "WITH task AS (DELETE FROM crawler_data.tasks WHERE $5::boolean AND kind = $6 AND key = $1) \
             UPDATE crawler_data.urls SET arrival = $2, outcome = $3, record = $4 WHERE key = $1",
            &[
                &new.key,
                &new.arrival,
                &new.outcome.name(),
                &Record(new),
                &ended,
                &kind(TaskKind::Fetch),
            ],
        )?;
        Ok(())
    }

    fn remove_urls(&mut self, ids: &[UrlKey]) -> Result<()> {
        self.conn.run("DELETE FROM crawler_data.urls WHERE key = ANY ($1)", &[&ids]).map(drop)
    }

    fn aliases(&mut self, ids: &[UrlKey]) -> Result<BTreeMap<UrlKey, Alias>> {
        let sql = "SELECT a.key, a.article, coalesce(u.outcome = 'forgotten', false) \
                   FROM crawler_data.aliases AS a \
                   LEFT JOIN crawler_data.urls AS u ON u.key = a.article WHERE a.key = ANY ($1)";
        let alias =
            |row| Ok((get(row, 0)?, Alias { article: get(row, 1)?, forgotten: get(row, 2)? }));
        self.conn.rows(sql, &[&ids])?.iter().map(alias).collect()
    }

    fn put_aliases(&mut self, article: UrlKey, ids: &[UrlKey]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        self.conn.run(
            "INSERT INTO crawler_data.aliases (key, article) SELECT k, $2::uuid \
             FROM unnest($1::uuid[]) AS k ON CONFLICT (key) DO UPDATE SET article = excluded.article",
            &[&ids, &article],
        )?;
        Ok(())
    }
}
