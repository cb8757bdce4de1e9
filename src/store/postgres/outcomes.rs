//! What a poll and a page bring into the store: entries, outcomes, articles, coverage. Each call
//! checks its lease and whether it was made before; if so it changes nothing.
//!
//! Must not know: how entries and articles were found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use super::connect::get;
use super::frontier::kind;
use super::tx::Tx;
use super::types::{Record, count, number, plain, record};
use crate::model::*;
use crate::store::rules::entries::{fetch_task, priority, put_off, tombstone, under_ban};
use crate::store::rules::feeds::{missed_days, polled};
use crate::store::rules::log::after;
use crate::store::rules::stories::member_of;
use crate::store::{ArticleCommit, Logged, OutletRule, PageCommit, PollCommit};
use crate::store::{Result, Settled, StoreError};

/// Days of arrival whose partitions are made before anything arrives on them.
const DAYS_AHEAD: i64 = 7;

impl Tx<'_> {
    pub fn url(&mut self, id: UrlKey) -> Result<Option<UrlRecord>> {
        let sql = "SELECT record FROM crawler_data.urls WHERE key = $1";
        self.conn.row(sql, &[&id])?.map(|row| record(&row, 0)).transpose()
    }

    /// The article that `id` is another key of.
    fn alias(&mut self, id: UrlKey) -> Result<Option<UrlKey>> {
        self.conn.value("SELECT article FROM crawler_data.aliases WHERE key = $1", &[&id])
    }

    pub fn put_url(&mut self, record: &UrlRecord) -> Result<()> {
        self.conn.run(
            "INSERT INTO crawler_data.urls (key, outlet, pace_key, arrival, outcome, record) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO UPDATE SET \
             outcome = excluded.outcome, record = excluded.record",
            &[
                &record.key,
                &record.outlet,
                &record.pace_key,
                &record.arrival,
                &record.outcome.name(),
                &Record(record),
            ],
        )?;
        Ok(())
    }

    /// First sights of entries; later ones change nothing. However many they are, it takes five
    /// statements. Returns how many were.
    pub fn first_sights(&mut self, entries: Vec<UrlRecord>) -> Result<u64> {
        let mut new: BTreeMap<UrlKey, UrlRecord> = BTreeMap::new();
        for entry in entries {
            new.entry(entry.key).or_insert(entry);
        }
        if new.is_empty() {
            return Ok(0);
        }
        let keys: Vec<UrlKey> = new.keys().copied().collect();
        let known = "SELECT key FROM crawler_data.urls WHERE key = ANY ($1)";
        for row in self.conn.rows(known, &[&keys])? {
            new.remove(&get(&row, 0)?);
        }
        if new.is_empty() {
            return Ok(0);
        }
        let aliases = self.conn.rows(
            "SELECT a.key, a.article, coalesce(u.outcome = 'forgotten', false) \
             FROM crawler_data.aliases AS a LEFT JOIN crawler_data.urls AS u ON u.key = a.article \
             WHERE a.key = ANY ($1)",
            &[&keys],
        )?;
        for row in aliases {
            if let Some(entry) = new.get_mut(&get(&row, 0)?) {
                entry.outcome = same_as(get(&row, 1)?, get(&row, 2)?);
            }
        }
        let rules = self.rules_of(new.values().map(|entry| entry.outlet.clone()).collect())?;
        let ban = |outlet: &str| rules.get(outlet).and_then(|rule| rule.ban);
        let entries: Vec<UrlRecord> = new
            .into_values()
            .map(|entry| {
                let ban = ban(&entry.outlet);
                under_ban(entry, ban)
            })
            .collect();
        self.insert(&entries)?;
        Ok(entries.len() as u64)
    }

    fn rules_of(&mut self, outlets: BTreeSet<String>) -> Result<BTreeMap<String, OutletRule>> {
        let outlets: Vec<String> = outlets.into_iter().collect();
        let sql = "SELECT outlet, record FROM crawler_data.rules WHERE outlet = ANY ($1)";
        let rows = self.conn.rows(sql, &[&outlets])?;
        rows.iter().map(|row| Ok((get(row, 0)?, record(row, 1)?))).collect()
    }

    /// Stores entries that are not there yet: counted, and in the queue if they are pending.
    pub fn insert(&mut self, entries: &[UrlRecord]) -> Result<()> {
        for entry in entries {
            let ledger = self.ledger(entry.arrival, &entry.outlet);
            ledger.entries += 1;
            ledger.arrived(entry, 1);
            *ledger.outcomes.entry(entry.outcome.name().to_owned()).or_default() += 1;
        }
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
        self.pending += i64::try_from(pending.len()).unwrap_or(0);
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

    /// Does a poll bring no entry and no feed that is not known yet?
    pub fn nothing_new(&mut self, poll: &PollCommit) -> Result<bool> {
        let distinct = |keys: &mut dyn Iterator<Item = UrlKey>| -> Vec<UrlKey> {
            keys.collect::<BTreeSet<UrlKey>>().into_iter().collect()
        };
        let entries = distinct(&mut poll.entries.iter().map(|entry| entry.key));
        let feeds = distinct(&mut poll.feeds.iter().map(|feed| feed.key));
        let urls = "SELECT count(*) FROM crawler_data.urls WHERE key = ANY ($1)";
        let others = "SELECT count(*) FROM crawler_data.feeds WHERE key = ANY ($1)";
        for (keys, known) in [(entries, urls), (feeds, others)] {
            let found: Option<i64> =
                if keys.is_empty() { Some(0) } else { self.conn.value(known, &[&keys])? };
            if found.map(count) != Some(keys.len() as u64) {
                return Ok(false);
            }
        }
        Ok(true)
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
                let Some(mut record) = self.url(task.key)? else { return Ok(()) };
                record.next = until;
                self.enqueue(&record.pace_key, priority(&record), &fetch_task(&record))?;
                self.put_url(&record)
            }
        }
    }

    pub fn page(&mut self, lease: &Lease, page: PageCommit) -> Result<Option<Settled>> {
        let Some(mut record) = self.url(page.key)? else {
            return Err(StoreError::Other(format!("no entry has the key {}", page.key)));
        };
        if !self.holds(lease)? || record.outcome != Outcome::Pending {
            return Ok(None);
        }
        if page.outcome == Outcome::Pending {
            if !put_off(&mut record, page.retry)? {
                return Ok(None);
            }
            self.enqueue(&record.pace_key, priority(&record), &fetch_task(&record))?;
            self.put_url(&record)?;
        } else {
            self.dequeue(&record.pace_key, TaskKind::Fetch, record.key)?;
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
                    self.add_aliases(record.key, &page.aliases)?;
                }
            }
            if record.outcome == Outcome::Forgotten {
                record = tombstone(record);
            }
            self.pending -= 1;
            let ledger = self.ledger(record.arrival, &record.outlet);
            *ledger.outcomes.entry(Outcome::Pending.name().to_owned()).or_default() -= 1;
            *ledger.outcomes.entry(record.outcome.name().to_owned()).or_default() += 1;
            self.put_url(&record)?;
        }
        let entries = self.first_sights(page.discovered)?;
        Ok(Some(Settled { outcome: record.outcome, entries }))
    }

    pub fn add_aliases(&mut self, article: UrlKey, aliases: &[UrlKey]) -> Result<()> {
        let others: Vec<UrlKey> = aliases.iter().copied().filter(|key| *key != article).collect();
        if others.is_empty() {
            return Ok(());
        }
        self.conn.run(
            "INSERT INTO crawler_data.aliases (key, article) SELECT DISTINCT k, $2::uuid \
             FROM unnest($1::uuid[]) AS k ON CONFLICT (key) DO UPDATE SET article = excluded.article",
            &[&others, &article],
        )?;
        Ok(())
    }

    /// How an entry ends because an article, present or forgotten, already stands under one of
    /// these keys: two entries that lead to one canonical URL must not become two articles.
    fn same_article(&mut self, record: &UrlRecord, aliases: &[UrlKey]) -> Result<Option<Outcome>> {
        if let Some(article) = self.alias(record.key)? {
            return self.same(article).map(Some);
        }
        for alias in aliases.iter().filter(|alias| **alias != record.key) {
            if let Some(article) = self.alias(*alias)?
                && article != record.key
            {
                return self.same(article).map(Some);
            }
            match self.url(*alias)?.map(|url| url.outcome) {
                Some(Outcome::Article) => return Ok(Some(Outcome::Known(*alias))),
                Some(Outcome::Forgotten) => return Ok(Some(Outcome::Forgotten)),
                Some(Outcome::Known(article)) if article != record.key => {
                    return self.same(article).map(Some);
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn same(&mut self, article: UrlKey) -> Result<Outcome> {
        let forgotten = self.url(article)?.is_some_and(|url| url.outcome == Outcome::Forgotten);
        Ok(same_as(article, forgotten))
    }

    fn add_article(&mut self, url: &UrlRecord, commit: ArticleCommit) -> Result<()> {
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
        self.put_content(record, &commit.vector, &commit.mentions)?;
        if let Some(printed) = &commit.printed {
            self.remember(record, printed)?;
        }
        self.put_excerpts(&commit.excerpts)?;
        self.log(record.key, record.published.at, false)?;
        self.join_story(member_of(record), commit.joining)
    }

    /// An article's record, vector, mention rows and what they add to the tallies.
    pub fn put_content(
        &mut self,
        record: &ArticleRecord,
        vector: &[u8],
        mentions: &[MentionRow],
    ) -> Result<()> {
        self.put_article(record, vector)?;
        let version = self.version.clone();
        self.put_rows(&version, record.key, mentions)?;
        let by_brand: BTreeMap<&str, &MentionRow> =
            mentions.iter().map(|row| (row.brand.as_str(), row)).collect();
        if by_brand.is_empty() {
            return Ok(());
        }
        let arrival = self.first_sight(record.key)?;
        for row in by_brand.into_values() {
            self.tally(&row.brand, row.day, &Tally::of_row(row, arrival, 1));
        }
        Ok(())
    }

    /// Day of an entry's first sight, in the configured zone.
    pub fn first_sight(&mut self, id: UrlKey) -> Result<Option<Day>> {
        self.conn.value("SELECT arrival FROM crawler_data.urls WHERE key = $1", &[&id])
    }

    /// An article's record, its row without text, its vector.
    fn put_article(&mut self, record: &ArticleRecord, vector: &[u8]) -> Result<()> {
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
        self.articles += 1;
        Ok(())
    }

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

    /// Notes that an article published `at` came, or went.
    pub fn log(&mut self, article: UrlKey, at: Millis, gone: bool) -> Result<()> {
        self.log = after(self.log, &Logged { article, at, gone });
        self.conn.run(
            "INSERT INTO crawler_data.log (number, article, at, gone, sum) VALUES ($1, $2, $3, $4, $5)",
            &[&number(self.log.number), &article, &at, &gone, &self.log.sum.cast_signed()],
        )?;
        Ok(())
    }
}

/// How an entry ends that turns out to be another key of `article`.
fn same_as(article: UrlKey, forgotten: bool) -> Outcome {
    if forgotten { Outcome::Forgotten } else { Outcome::Known(article) }
}

/// UTC day of a first sight.
pub fn arrival(first_seen: Millis) -> Day {
    utc_day(first_seen)
}
