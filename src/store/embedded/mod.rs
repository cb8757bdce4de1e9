//! The embedded store: all logic of [`Store`] over one ordered map and the monthly article
//! databases. One mutation at a time; a commit appends articles and flushes them, then applies one
//! batch to main and flushes that, then returns.
//!
//! On disk: `lock` (who holds the store), `format` (main has been written once), `main/` (one map of
//! [`redb`], all tables of [`format::keys`]), `articles/2026-11/` (one map per month of arrival),
//! `decisions.jsonl` (a second copy of what people decided), `repairing` (while a repair is under way).
//!
//! Must not know: whether the maps live on disk or in memory.

mod abort;
mod alerts;
mod articles;
mod aside;
mod backup;
mod batch;
mod change;
mod compact;
mod damage;
pub(super) mod decisions;
mod entries;
mod excerpts;
mod export;
mod feeds;
pub(super) mod files;
mod forget;
pub(super) mod format;
mod frontier;
pub(super) mod journal;
mod journaled;
pub(super) mod kv;
mod lock;
mod log;
pub(super) mod months;
pub(super) mod moving;
mod notes;
mod open;
mod printed;
mod ram;
mod read;
mod rebuild;
pub(super) mod redb;
mod recount;
mod referred;
mod repair;
mod retention;
mod shift;
mod slack;
mod sled;
mod snapshot;
pub mod stories;
mod suspects;
mod tokens;
mod transfer;
mod tx;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::decision::{Change, Decision, Topic};
use super::rules;
use super::rules::transfer::OtherRows;
use super::transfer::Item;
use super::{
    Admission, Batch, Claim, Compaction, Due, EmptyPoll, Filter, Finding, Ledger, LogPosition,
    Logged, OutletRule, Pruned, Result, Store,
};
use crate::model::*;
use abort::abort_point;
pub use abort::{ABORT_POINTS, COMPACTION_POINTS, MOVING_POINTS, SETTLING_POINTS, abort_reading};
pub use backup::restore;
use batch::OpenBatch;
use decisions::{Decisions, KeptFeed, Line};
pub use files::exists;
use format::keys::{self, Parts, key};
use kv::{Kv, Overlay};
use lock::DirLock;
use months::Months;
pub use repair::{Adopted, BrandsFrom, Repair, Salvaged, repaired_today, rewrite};
use snapshot::{Snapshot, Snapshots};
use tx::{Tx, current_version};

/// Feeds added or rescheduled in one batch.
const FEEDS_PER_BATCH: usize = 1_000;

pub struct Embedded {
    pub(super) kv: Box<dyn Kv>,
    pub(super) months: Months,
    /// Held by the one mutation there can be at a time. A panic under it leaves nothing behind
    /// (its overlay is gone), so poisoning is ignored.
    writer: Mutex<()>,
    snapshots: Snapshots,
    /// `None`: in memory.
    pub(super) decisions: Option<Decisions>,
    dir: Option<PathBuf>,
    /// Bytes from which main is worth a compaction.
    small: u64,
    /// Bytes of the disk to be left free.
    min_free: u64,
    /// Declared last: given back after the databases are closed.
    _lock: Option<DirLock>,
}

impl Embedded {
    /// All feeds, those that were removed, too.
    fn feed_records(&self) -> Result<Vec<Feed>> {
        self.view().prefix(&[keys::FEED]).map(|row| Ok(row?.1)).collect()
    }

    /// Writes the second copy anew from what is stored.
    pub(super) fn write_decisions(&self) -> Result<()> {
        let Some(decisions) = &self.decisions else { return Ok(()) };
        let mut all = vec![Line::Brands(self.brand_set()?)];
        all.extend(self.feed_records()?.iter().map(|feed| Line::Feed(KeptFeed::of(feed))));
        let rules = self.outlet_rules()?;
        all.extend(rules.into_iter().map(|(outlet, rule)| Line::Outlet(outlet, rule)));
        all.extend(self.alerts()?.into_iter().map(|alert| Line::Alert(Box::new(alert.rule))));
        all.extend(self.notes()?.into_iter().map(|note| Line::Note(Box::new(note))));
        self.urls(&mut |url| {
            if url.outcome == Outcome::Forgotten {
                all.push(Line::Forgotten(Box::new(url)));
            }
            true
        })?;
        let mut log = Vec::new();
        self.view().decisions(None, &mut |_, decision| {
            log.push(Line::Decided(Box::new(decision)));
            true
        })?;
        all.extend(log.into_iter().rev());
        decisions.replace(all.into_iter())
    }

    fn writer(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tx(&self) -> Result<Tx<'_>> {
        Tx::begin(&*self.kv, &self.months)
    }

    /// The main database as it is now, whatever is written later.
    fn snapshot(&self) -> Result<Snapshot<'_>> {
        let _writer = self.writer();
        self.snapshots.take(&*self.kv)
    }

    /// Reads what is committed.
    pub(super) fn view(&self) -> Overlay<'_> {
        Overlay::new(&*self.kv)
    }

    /// One small mutation; durable when it returns if `durable`.
    fn write<R>(
        &self,
        points: [&'static str; 2],
        durable: bool,
        change: impl FnOnce(&mut Tx) -> Result<R>,
    ) -> Result<R> {
        let _writer = self.writer();
        let mut tx = self.tx()?;
        let result = change(&mut tx)?;
        self.commit(tx, points, durable)?;
        Ok(result)
    }

    fn commit(&self, tx: Tx<'_>, points: [&'static str; 2], durable: bool) -> Result<()> {
        let ready = tx.finish()?;
        if !ready.articles.is_empty() {
            abort_point("article-begin");
            self.months.commit(ready.articles)?;
            abort_point("article-commit");
        }
        if let Some(decisions) = &self.decisions {
            decisions.append(&ready.decisions)?;
        }
        if !ready.main.is_empty() {
            self.snapshots.before(&*self.kv, &ready.main)?;
            abort_point(points[0]);
            if durable {
                self.kv.commit(ready.main)?;
                abort_point(points[1]);
            } else {
                self.kv.apply(ready.main)?;
            }
        }
        Ok(())
    }
}

/// Abort points of outcomes, and of claims.
const COMMIT: [&str; 2] = ["main-begin", "main-commit"];
const CLAIM: [&str; 2] = ["claim-begin", "claim-commit"];

impl Store for Embedded {
    fn add_feeds(&self, feeds: &[Feed]) -> Result<Vec<bool>> {
        let mut new = Vec::with_capacity(feeds.len());
        for feeds in feeds.chunks(FEEDS_PER_BATCH) {
            new.extend(self.write(COMMIT, true, |tx| rules::feeds::seed(tx, feeds))?);
        }
        Ok(new)
    }
    fn feed(&self, id: UrlKey) -> Result<Option<Feed>> {
        self.view().feed(id)
    }
    fn feed_removed(&self, id: UrlKey) -> Result<bool> {
        let found: Option<Feed> = self.view().get(&key(keys::FEED).id(id).done())?;
        Ok(found.is_some_and(|feed| feed.status == FeedStatus::Removed))
    }
    fn feeds(&self) -> Result<Vec<Feed>> {
        let mut feeds = self.feed_records()?;
        feeds.retain(|feed| feed.status != FeedStatus::Removed);
        Ok(feeds)
    }

    fn claim(&self, claim: &Claim) -> Result<Vec<Lease>> {
        self.write(CLAIM, true, |tx| tx.claim(claim))
    }
    fn claim_key(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.write(CLAIM, true, |tx| tx.claim_key(claim, pace_key))
    }
    fn claim_for_commit(&self, claim: &Claim, pace_key: &str) -> Result<Option<Lease>> {
        self.write(CLAIM, true, |tx| tx.claim_for_commit(claim, pace_key))
    }
    /// Not flushed: should it be lost, so is this process, and every lease with it.
    fn extend(&self, lease: &Lease, until: Millis) -> Result<bool> {
        self.write(CLAIM, false, |tx| tx.extend(lease, until))
    }
    /// Flushed only for a new pause: should the rest be lost, the pace key counts as leased at the
    /// restart and waits its whole delay.
    fn complete(&self, lease: &Lease, pace: &Pace) -> Result<bool> {
        let paused = pace.blocked_until > lease.pace.blocked_until;
        self.write(CLAIM, paused, |tx| tx.complete(lease, pace))
    }
    fn suspect_alone(&self, suspect: &Suspect) -> Result<()> {
        self.write(CLAIM, true, |tx| tx.suspect_alone(suspect.key))
    }
    /// Should it be lost, its task is no longer where it was, which says the same.
    fn clear_suspect(&self, suspect: &Suspect) -> Result<()> {
        self.write(CLAIM, false, |tx| {
            tx.clear_suspect(suspect.key);
            Ok(())
        })
    }
    fn block_until(&self, pace_key: &str, until: Millis) -> Result<()> {
        self.write(COMMIT, true, |tx| tx.block_until(pace_key, until))
    }
    fn shift(&self, by: Millis) -> Result<()> {
        self.write(CLAIM, true, |tx| tx.shift(by))
    }
    fn poll_all_now(&self, now: Millis) -> Result<usize> {
        let feeds = self.feeds()?;
        let mut due = 0;
        for feeds in feeds.chunks(FEEDS_PER_BATCH) {
            due += self.write(COMMIT, true, |tx| rules::feeds::poll_all_now(tx, feeds, now))?;
        }
        Ok(due)
    }
    fn poll_now(&self, feed: UrlKey, now: Millis) -> Result<bool> {
        self.write(COMMIT, true, |tx| rules::feeds::poll_now(tx, feed, now))
    }
    fn due(&self) -> Result<Due> {
        self.read_due()
    }
    fn pace(&self, pace_key: &str) -> Result<Option<Pace>> {
        let row: Option<format::PaceRow> =
            self.view().get(&key(keys::PACE).text(pace_key).done())?;
        Ok(row.map(|row| row.pace))
    }
    fn precedence(&self, pace_key: &str, task: &Task, since: Millis) -> Result<Precedence> {
        self.view().precedence(pace_key, task, since)
    }
    fn robots(&self, origin: &str) -> Result<Option<RobotsRecord>> {
        self.view().get(&key(keys::ROBOTS).text(origin).done())
    }

    /// One process holds the store.
    fn listen(&self, _: Box<dyn Fn() + Send>) -> Result<bool> {
        Ok(false)
    }

    /// Nobody else's batch is ever in the way.
    fn commit_empty_poll(&self, _: &EmptyPoll) -> Result<Option<Admission>> {
        Ok(None)
    }
    fn batch(&self) -> Result<Box<dyn Batch + '_>> {
        let writer = self.writer();
        Ok(Box::new(OpenBatch { store: self, tx: self.tx()?, failed: false, _writer: writer }))
    }

    fn outlet_rule(&self, outlet: &str) -> Result<OutletRule> {
        self.view().rule(outlet)
    }
    fn outlet_rules(&self) -> Result<Vec<(String, OutletRule)>> {
        let view = self.view();
        view.prefix(&[keys::RULE])
            .map(|row| {
                let (at, rule) = row?;
                let outlet = Parts(at.get(1..).unwrap_or_default()).text();
                Ok((outlet.ok_or_else(|| view.bad_key(&at))?, rule))
            })
            .collect()
    }
    fn change(&self, change: Change<'_>, decision: Option<&Decision>) -> Result<usize> {
        self.make(change, decision)
    }
    fn decisions(
        &self,
        topic: Option<Topic>,
        each: &mut dyn FnMut(Decision) -> bool,
    ) -> Result<()> {
        self.view().decisions(topic, &mut |_, decision| each(decision))
    }

    fn url(&self, id: UrlKey) -> Result<Option<UrlRecord>> {
        self.view().url_or_alias(id)
    }
    fn urls(&self, each: &mut dyn FnMut(UrlRecord) -> bool) -> Result<()> {
        for row in self.view().prefix(&[keys::URL]) {
            if !each(row?.1) {
                break;
            }
        }
        Ok(())
    }
    fn article(&self, id: UrlKey) -> Result<Option<ArticleRecord>> {
        self.read_article(id)
    }
    fn articles(
        &self,
        from: Option<Day>,
        to: Option<Day>,
        each: &mut dyn FnMut(ArticleRecord) -> bool,
    ) -> Result<()> {
        self.read_articles(from, to, each)
    }
    fn story(&self, id: UrlKey) -> Result<Option<Story>> {
        let view = self.view();
        view.story(&current_version(&view)?, id)
    }
    fn story_of(&self, article: UrlKey) -> Result<Option<Story>> {
        let view = self.view();
        view.story_of(&current_version(&view)?, article)
    }
    fn credit(&self, article: UrlKey) -> Result<Credit> {
        self.read_credit(article)
    }
    fn story_head_of(&self, article: UrlKey) -> Result<Option<StoryHead>> {
        self.view().head_of(article)
    }
    fn largest_stories(
        &self,
        days: (Option<Day>, Option<Day>),
        after: Option<(u64, Day, UrlKey)>,
        each: &mut dyn FnMut(StoryHead) -> bool,
    ) -> Result<()> {
        self.read_largest(days, after, each)
    }
    fn stories(
        &self,
        from: Option<Day>,
        to: Option<Day>,
        each: &mut dyn FnMut(Story) -> bool,
    ) -> Result<()> {
        self.read_stories(from, to, each)
    }
    fn mention_rows(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(MentionRow) -> bool,
    ) -> Result<()> {
        self.read_rows(filter, each)
    }
    fn mentions_of(&self, article: UrlKey) -> Result<Vec<MentionRow>> {
        self.read_rows_of(article)
    }
    fn tallies(&self, filter: &Filter) -> Result<Vec<(String, Day, Tally)>> {
        self.read_tallies(filter)
    }
    fn polls(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<(Day, Polls)>> {
        self.read_polls(from, to)
    }
    fn ledger(&self, from: Option<Day>, to: Option<Day>) -> Result<Vec<Ledger>> {
        self.read_ledger(from, to)
    }
    fn bytes(&self, outlet: &str, from: Day, to: Day) -> Result<i64> {
        self.read_bytes(outlet, from, to)
    }
    fn vectors(
        &self,
        since: Millis,
        each: &mut dyn FnMut(UrlKey, Millis, Vec<u8>) -> bool,
    ) -> Result<()> {
        self.read_vectors(since, each)
    }
    fn put_aside(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn std::io::Write) -> std::io::Result<()>,
    ) -> Result<()> {
        match &self.dir {
            Some(dir) => aside::put(dir, name, write),
            None => Ok(()),
        }
    }
    fn read_aside(&self, name: &str) -> Result<Option<Box<dyn std::io::Read>>> {
        self.dir.as_ref().map_or(Ok(None), |dir| aside::read(dir, name))
    }
    fn old_members(
        &self,
        before: Millis,
        each: &mut dyn FnMut(UrlKey, Millis) -> bool,
    ) -> Result<()> {
        self.read_old_members(before, each)
    }
    fn excerpts_of(&self, article: UrlKey) -> Result<Vec<Excerpt>> {
        self.view().excerpts_of(article)
    }
    fn log_end(&self) -> Result<LogPosition> {
        Ok(self.view().log_end()?.unwrap_or_default())
    }
    fn log_since(
        &self,
        from: LogPosition,
        each: &mut dyn FnMut(LogPosition, Logged) -> bool,
    ) -> Result<bool> {
        self.read_log(from, each)
    }
    fn trim_log(&self, upto: LogPosition) -> Result<()> {
        self.drop_log(upto)
    }
    fn vector(&self, article: UrlKey, at: Millis) -> Result<Option<Vec<u8>>> {
        self.view().get_bytes(&key(keys::VECTOR).at(at).id(article).done())
    }

    fn printed(&self, outlet: &str, before: Day, most: usize) -> Result<Vec<Vec<u8>>> {
        self.read_printed(outlet, before, most)
    }

    fn brand_set(&self) -> Result<BrandSet> {
        let view = self.view();
        let version = current_version(&view)?;
        Ok(view.get(&key(keys::BRAND_SET).text(&version).done())?.unwrap_or_default())
    }
    fn recount_put(&self, set: &BrandSet, article: UrlKey, rows: &[MentionRow]) -> Result<()> {
        self.put_recount(set, article, rows)
    }
    fn recount_missing(&self, set: &BrandSet, each: &mut dyn FnMut(UrlKey) -> bool) -> Result<()> {
        recount::missing(&self.view(), &set.version, each)
    }
    fn meta(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.view().get_bytes(&key(keys::META).text(name).done())
    }
    fn set_meta(&self, name: &str, value: &[u8]) -> Result<()> {
        self.write(COMMIT, true, |tx| tx.put_value(name, value))
    }

    fn token(&self, id: &str) -> Result<Option<Token>> {
        self.read_token(id)
    }
    fn tokens(&self) -> Result<Vec<Token>> {
        self.read_tokens()
    }
    fn put_token(&self, token: &Token) -> Result<()> {
        self.write_token(token)
    }
    fn remove_token(&self, id: &str) -> Result<()> {
        self.delete_token(id)
    }
    fn token_used(&self, id: &str, at: Millis) -> Result<()> {
        self.note_token_use(id, at)
    }

    fn alerts(&self) -> Result<Vec<Alert>> {
        self.view().alerts()
    }
    fn alert(&self, name: &str) -> Result<Option<Alert>> {
        self.view().alert(name)
    }
    fn keep_alert(&self, alert: &Alert) -> Result<bool> {
        self.write_alert(alert)
    }
    fn notes(&self) -> Result<Vec<Note>> {
        self.view().notes()
    }

    fn verify(&self, each: &mut dyn FnMut(Finding)) -> Result<()> {
        let snapshot = self.snapshot()?;
        let result = verify::verify(self, &snapshot, &mut |sentence| each(Finding(sentence)));
        drop(snapshot);
        result.and(self.erase())
    }
    fn export(&self, each: &mut dyn FnMut(Item) -> Result<bool>) -> Result<()> {
        self.give(each)
    }
    fn import(&self, items: &mut dyn Iterator<Item = Result<Item>>) -> Result<u64> {
        self.take(items)
    }
    fn backup(&self, to: &Path) -> Result<()> {
        self.copy_to(to).and(self.erase())
    }
    fn size(&self) -> Result<u64> {
        match &self.dir {
            Some(dir) => Ok(files::bytes_under(dir)),
            None => Ok(self.kv.size()? + self.months.size()?),
        }
    }
    fn lost_months(&self) -> Result<Vec<String>> {
        self.read_lost_months()
    }
    fn short_of(&self) -> Result<Option<u64>> {
        let Some(dir) = &self.dir else { return Ok(None) };
        let free = files::free(dir)?;
        Ok(self.min_free.checked_sub(free).filter(|missing| *missing > 0))
    }
    fn flush(&self) -> Result<()> {
        self.kv.flush()
    }
    fn close(&self) -> Result<()> {
        // Whoever writes now is through first.
        let _writer = self.writer();
        self.months.trim();
        self.kv.close()
    }
    fn prune_texts(&self, before: Millis, most: usize) -> Result<Pruned> {
        Embedded::prune_texts(self, before, most)
    }
    fn prune_entries(&self, before: Millis, most: usize) -> Result<Pruned> {
        Embedded::prune_entries(self, before, most)
    }
    fn prune_robots(&self, before: Millis, unreachable: Millis, most: usize) -> Result<Pruned> {
        Embedded::prune_robots(self, before, unreachable, most)
    }
    fn compact(&self) -> Result<Option<Compaction>> {
        self.compact_all()
    }
    fn trim(&self) -> Result<()> {
        // Between what is appended and its flush lies no closing.
        let _writer = self.writer();
        self.months.trim();
        Ok(())
    }
    fn wants_compaction(&self) -> Result<bool> {
        self.is_slack()
    }
}
