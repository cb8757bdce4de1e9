//! What the committer holds of the articles in the window: all that a new one is compared with, under the
//! rule of stories that is in force. It is saved now and then with the place in the store's log that they stand for; the
//! next start reads them and takes over what was logged since, so that a crash costs no more than
//! that. What leaves the window is dropped.
//!
//! Must not know: leases, pages, how stories are stored.

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Read};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use rayon::prelude::*;

use crate::dedupe::index::Source;
use crate::dedupe::{self, Entry, Print, Rule, Search};
use crate::model::*;
use crate::store::{LogPosition, Logged, Store, visit};

use super::rules;

/// The file between two runs.
const SAVED: &str = "copies.index";
/// Articles that may come and go before all is saved again. Saving writes some 400 bytes for each
/// article held; taking over what was logged reads each article's vector.
const SAVE_AFTER: u64 = 30_000;
/// How often what has left the window is dropped.
const EXPIRE_EVERY: Millis = HOUR;
/// Vectors read or logged articles taken over at once: a few megabytes.
const SOME: usize = 2_048;

/// The articles that a new one is compared with.
pub(in crate::crawl) struct Copies {
    pub(in crate::crawl) search: Search,
    /// The log up to here is in it.
    position: LogPosition,
    /// Where it stood when it was saved last.
    saved: LogPosition,
    expired: Millis,
    /// Stories without an article since this instant have left.
    horizon: Millis,
}

impl Copies {
    /// Nothing, over prints that are read back from `source`.
    pub(in crate::crawl) fn empty(
        settings: dedupe::Settings,
        rule: Rule,
        source: Source,
    ) -> Copies {
        Copies {
            search: Search::new(settings, rule, source),
            position: LogPosition::default(),
            saved: LogPosition::default(),
            expired: 0,
            horizon: Millis::MIN,
        }
    }

    /// Everything within the window of `now`: as saved, with what was logged since, or made anew
    /// from the stored vectors.
    pub(in crate::crawl) fn load(
        store: &Arc<dyn Store>,
        settings: &dedupe::Settings,
        now: Millis,
    ) -> Result<Copies> {
        let started = std::time::Instant::now();
        let rule = rules::in_force(store.as_ref())?;
        if let Some(mut copies) = read_saved(store, settings, rule)? {
            let saved = copies.position;
            if !copies.reaches(now) {
                tracing::info!(
                    "the saved copy index is of a later clock, or of a shorter `dedupe.window`; building it again"
                );
            } else if copies.catch_up(store.as_ref())? {
                copies.expire(store.as_ref(), now)?;
                let logged = copies.position.number - saved.number;
                let articles = copies.search.len();
                tracing::debug!(articles, logged, elapsed = ?started.elapsed(), "copy index read");
                return Ok(copies);
            } else {
                tracing::info!(
                    "the saved copy index belongs to another store, or to this one before a restore; building it again"
                );
            }
        }
        let mut copies = Copies::empty(settings.clone(), rule, source(store));
        copies.position = store.log_end()?;
        copies.fill(store.as_ref(), settings.horizon(now))?;
        // Of articles that came while the vectors were read some are there already.
        if !copies.catch_up(store.as_ref())? {
            anyhow::bail!(
                "the log of articles has changed while it was read, or has a gap; run `crawler repair`"
            );
        }
        copies.expired = now;
        let articles = copies.search.len();
        tracing::debug!(articles, elapsed = ?started.elapsed(), "copy index made");
        Ok(copies)
    }

    /// Makes it from the stored vectors of what is published since `horizon`, or in a story with
    /// such an article.
    fn fill(&mut self, store: &dyn Store, horizon: Millis) -> Result<()> {
        self.horizon = horizon;
        // One thread reads while the others prepare what was read: a restart waits for this.
        let (sender, rows) = std::sync::mpsc::sync_channel::<Vec<Row>>(2);
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || read_vectors(store, horizon, &sender));
            for rows in rows {
                self.enter(&rows);
            }
            reader.join().map_err(|_| anyhow::anyhow!("reading the term vectors failed"))?
        })
    }

    fn enter(&mut self, rows: &[Row]) {
        let prepare = |(key, at, bytes): &Row| {
            let print = decoded(*key, bytes)?;
            Some((*key, *at, Entry::of(&print.vector)?, print.marks))
        };
        let prepared: Vec<_> = rows.par_iter().filter_map(prepare).collect();
        for (key, at, entry, marks) in prepared {
            self.search.enter(key, at, &entry, &marks);
        }
    }

    /// Takes over what the log says came and went since its position. `false`: the log does not
    /// reach back that far, or is another one.
    pub(in crate::crawl) fn catch_up(&mut self, store: &dyn Store) -> Result<bool> {
        if store.log_end()? == self.position {
            return Ok(true);
        }
        let mut came: Vec<Row> = Vec::new();
        let mut whole = false;
        let (from, mut position) = (self.position, self.position);
        let log = |each: &mut dyn FnMut((LogPosition, Logged)) -> bool| {
            whole = store.log_since(from, &mut |at, logged| each((at, logged)))?;
            Ok(())
        };
        visit(log, |(at, logged)| -> Result<_> {
            position = at;
            if logged.gone {
                self.enter(&std::mem::take(&mut came));
                self.search.remove(logged.article);
            } else if !self.search.holds(logged.article) {
                // Without a vector it is gone again since.
                let bytes = store.vector(logged.article, logged.at)?;
                came.extend(bytes.map(|bytes| (logged.article, logged.at, bytes)));
                if came.len() >= SOME {
                    self.enter(&std::mem::take(&mut came));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        self.enter(&came);
        self.position = position;
        Ok(whole)
    }

    /// Is everything in the window of `now` here? Not after a clock that was ahead made some of it leave.
    pub(in crate::crawl) fn reaches(&self, now: Millis) -> bool {
        self.horizon <= self.search.settings().horizon(now).saturating_add(EXPIRE_EVERY)
    }

    /// Everything inserted so far is committed, and the log ends here.
    pub(in crate::crawl) fn committed(&mut self, end: LogPosition) {
        self.search.settle();
        self.position = end;
    }

    /// Saves it if much has changed since that was done last.
    pub(in crate::crawl) fn save_if_due(&mut self, store: &dyn Store) {
        if self.position.number.saturating_sub(self.saved.number) >= SAVE_AFTER {
            self.save(store);
        }
    }

    /// Saves it, unless nothing has changed. What was logged before is not needed any more then.
    pub(in crate::crawl) fn save(&mut self, store: &dyn Store) {
        if self.position == self.saved {
            return;
        }
        let started = std::time::Instant::now();
        let saved = store
            .put_aside(SAVED, &mut |file| {
                file.write_all(&self.search.rule().version().to_le_bytes())?;
                file.write_all(&self.position.number.to_le_bytes())?;
                file.write_all(&self.position.sum.to_le_bytes())?;
                file.write_all(&self.horizon.to_le_bytes())?;
                self.search.save(file)
            })
            .and_then(|()| store.trim_log(self.position));
        // A failure is not tried again at once.
        self.saved = self.position;
        match saved {
            Ok(()) => {
                let articles = self.search.len();
                tracing::debug!(articles, elapsed = ?started.elapsed(), "copy index saved");
            }
            Err(error) => tracing::warn!(%error, "the copy index is not saved"),
        }
    }

    /// Drops, once an hour, the articles of stories that have left the window.
    pub(in crate::crawl) fn expire_if_due(&mut self, store: &dyn Store, now: Millis) -> Result<()> {
        if now.saturating_sub(self.expired) < EXPIRE_EVERY {
            return Ok(());
        }
        self.expire(store, now)
    }

    fn expire(&mut self, store: &dyn Store, now: Millis) -> Result<()> {
        let horizon = self.search.settings().horizon(now);
        let mut failure = Ok(());
        let mut alive = |key: UrlKey| match store.story_head_of(key) {
            Ok(head) => head.is_some_and(|head| head.newest >= horizon),
            Err(error) => {
                failure = Err(error);
                true
            }
        };
        let dropped = self.search.expire(horizon, &mut alive);
        failure?;
        if dropped > 0 {
            tracing::debug!(dropped, left = self.search.len(), "old articles left the copy index");
        }
        (self.expired, self.horizon) = (now, self.horizon.max(horizon));
        Ok(())
    }

    /// Drops all articles published before `before`.
    pub(in crate::crawl) fn leave(&mut self, before: Millis) {
        self.search.expire(before, &mut |_| false);
    }
}

/// Reads the prints of the store's articles back. Those asked for last are at hand: while many
/// copies of one text come in, each is compared with all that came before.
fn source(store: &Arc<dyn Store>) -> Source {
    let store = Arc::clone(store);
    let recent = Mutex::new(Recent::default());
    Box::new(move |key, at| {
        let mut recent = recent.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(print) = recent.get(key) {
            return Some(print);
        }
        let print = match store.vector(key, at) {
            Ok(bytes) => Arc::new(decoded(key, &bytes?)?),
            Err(error) => {
                tracing::error!(%key, %error, "a term vector cannot be read; run verify");
                return None;
            }
        };
        recent.put(key, print.clone());
        Some(print)
    })
}

/// Distinct terms of the prints in each half of [`Recent`]: some sixteen bytes each.
const RECENT: usize = 1 << 20;

/// Prints asked for lately, in two halves: when the young one is full, it takes the place of the
/// old one.
#[derive(Default)]
struct Recent {
    young: HashMap<UrlKey, Arc<Print>>,
    old: HashMap<UrlKey, Arc<Print>>,
    /// Distinct terms in the young half.
    terms: usize,
}

impl Recent {
    fn get(&mut self, key: UrlKey) -> Option<Arc<Print>> {
        if let Some(print) = self.young.get(&key) {
            return Some(print.clone());
        }
        let print = self.old.remove(&key)?;
        self.put(key, print.clone());
        Some(print)
    }

    fn put(&mut self, key: UrlKey, print: Arc<Print>) {
        if self.terms + print.vector.distinct() > RECENT {
            self.old = std::mem::take(&mut self.young);
            self.terms = 0;
        }
        self.terms += print.vector.distinct();
        self.young.insert(key, print);
    }
}

/// The saved file, up to its position in the log; `None` if there is none, or none that is whole.
fn read_saved(
    store: &Arc<dyn Store>,
    settings: &dedupe::Settings,
    rule: Rule,
) -> Result<Option<Copies>> {
    let Some(mut file) = store.read_aside(SAVED)? else { return Ok(None) };
    let mut copies = Copies::empty(settings.clone(), rule, source(store));
    match copies.read(file.as_mut()) {
        Ok(()) => Ok(Some(copies)),
        Err(error) => {
            tracing::warn!(%error, "the saved copy index cannot be used; building it again");
            Ok(None)
        }
    }
}

impl Copies {
    fn read(&mut self, file: &mut dyn Read) -> std::io::Result<()> {
        let mut rule = [0; 4];
        file.read_exact(&mut rule)?;
        if u32::from_le_bytes(rule) != self.search.rule().version() {
            return Err(Error::new(ErrorKind::InvalidData, "it is for another rule of stories"));
        }
        let mut word = || -> std::io::Result<u64> {
            let mut bytes = [0; 8];
            file.read_exact(&mut bytes)?;
            Ok(u64::from_le_bytes(bytes))
        };
        self.position = LogPosition { number: word()?, sum: word()? };
        self.saved = self.position;
        self.horizon = word()? as Millis;
        self.search.load(file)?;
        if file.read(&mut [0])? > 0 {
            return Err(Error::new(ErrorKind::InvalidData, "surplus bytes"));
        }
        Ok(())
    }
}

/// A stored vector: article, publication instant, bytes.
type Row = (UrlKey, Millis, Vec<u8>);

/// Sends the stored vectors that are in the window or in a story that reaches into it, some at a
/// time.
fn read_vectors(
    store: &dyn Store,
    horizon: Millis,
    sender: &std::sync::mpsc::SyncSender<Vec<Row>>,
) -> Result<()> {
    let mut rows = Vec::with_capacity(SOME);
    let mut send = |key, at, bytes| {
        rows.push((key, at, bytes));
        // It is only refused when the receiver is gone, after a panic.
        rows.len() < SOME || sender.send(std::mem::take(&mut rows)).is_ok()
    };
    store.vectors(horizon, &mut send)?;
    visit(
        |each| store.old_members(horizon, &mut |key, at| each((key, at))),
        |(key, at)| -> Result<_> {
            let sent = store.vector(key, at)?.is_none_or(|bytes| send(key, at, bytes));
            Ok(if sent { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        },
    )?;
    let _ = sender.send(rows);
    Ok(())
}

/// What is stored of a text; if that is damaged, it is reported and takes part in no story.
pub(in crate::crawl) fn decoded(key: UrlKey, bytes: &[u8]) -> Option<Print> {
    Print::decode(bytes)
        .inspect_err(
            |error| tracing::error!(%key, %error, "left out of the copy index; run verify"),
        )
        .ok()
}

#[cfg(test)]
mod tests;
