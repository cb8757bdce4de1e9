//! Proof that the store agrees with itself: every record decodes under its checksum, every pointer
//! has its counterpart, every sum is the sum of its rows. Each contradiction is one sentence that
//! names the record. Memory: one counter per tally and per ledger row.
//!
//! Must not know: how to mend what it finds.

mod articles;
mod frontier;
mod stories;

use serde::de::DeserializeOwned;

use super::format::json;
use super::format::keys::{self, describe, key};
use super::format::{LogRow, Month, Pointer, decode, unseal};
use super::suspects::{SuspectRow, suspect_of_key};
use super::tx::current_version;
use super::{Embedded, notes};
use crate::model::{Alert, BrandSet, Note, Token};
use crate::store::decision::Decision;
use crate::store::embedded::kv::Overlay;
use crate::store::embedded::snapshot::Snapshot;
use crate::store::rules::retention::LEFT;
use crate::store::{FORMAT, LogPosition, OutletRule, Result};

/// Sees every record of the snapshot once.
pub fn verify(store: &Embedded, main: &Snapshot, each: &mut dyn FnMut(String)) -> Result<()> {
    let view = Overlay::new(main);
    // An unreadable pointer is a finding of its own; the rest is checked as without a brand set.
    let version = current_version(&view).unwrap_or_default();
    // Entries that have left by age may be missed by others that led to them.
    let pruned = view.has(&key(keys::META).text(LEFT).done())?;
    let mut check = Check { store, view: &view, version, pruned, each };
    check.small_tables()?;
    check.frontier()?;
    check.articles()?;
    check.rows_and_tallies()?;
    check.stories()
}

struct Check<'a> {
    store: &'a Embedded,
    view: &'a Overlay<'a>,
    version: String,
    pruned: bool,
    each: &'a mut dyn FnMut(String),
}

/// What stands under a key that something points to.
enum Look<T> {
    Missing,
    /// Reported where its own table is checked.
    Broken,
    Found(T),
}

impl Check<'_> {
    fn say(&mut self, record: &[u8], contradiction: impl std::fmt::Display) {
        (self.each)(format!("{} {contradiction}", describe(record)));
    }

    fn look<T: DeserializeOwned>(&self, at: &[u8]) -> Result<Look<T>> {
        Ok(match self.view.raw(at)? {
            None => Look::Missing,
            Some(value) => decode(at, &value).map_or(Look::Broken, Look::Found),
        })
    }

    /// Is there a record, readable or not?
    fn has(&self, at: &[u8]) -> Result<bool> {
        self.view.has(at)
    }

    /// Every readable record of a table; the others become findings.
    fn table<T: DeserializeOwned>(
        &mut self,
        table: u8,
        mut each: impl FnMut(&mut Self, &[u8], T) -> Result<()>,
    ) -> Result<()> {
        let view = self.view;
        for row in view.scan_raw(&[table], &[table + 1]) {
            let (at, value) = row?;
            if describe(&at).starts_with("unknown") {
                self.say(&at, "has a malformed key");
                continue;
            }
            match decode(&at, &value) {
                Ok(record) => each(self, &at, record)?,
                Err(e) => self.say(&at, e),
            }
        }
        Ok(())
    }

    fn log(&mut self) -> Result<()> {
        self.table(keys::LOG_END, |_, _, _: LogPosition| Ok(()))?;
        let end = self.view.log_end().ok().flatten().unwrap_or_default();
        self.table(keys::LOG, |check, at, row: LogRow| {
            if at > key(keys::LOG).number(end.number).done().as_slice() {
                check.say(at, "stands after the end of the log");
            }
            let pointer = check.look::<Pointer>(&key(keys::POINTER).id(row.article).done())?;
            let there = matches!(pointer, Look::Found(pointer) if pointer.at == row.at);
            // One that came may have gone since; one that went does not come again.
            if row.gone && there {
                check.say(at, "says that an article went, which is there");
            }
            Ok(())
        })
    }

    /// Tables without pointers, and keys of no table.
    fn small_tables(&mut self) -> Result<()> {
        let format = key(keys::FORMAT).done();
        match self.view.raw(&format)? {
            Some(found) if found == FORMAT.to_be_bytes() => {}
            Some(_) => self.say(&format, format!("is not {FORMAT}")),
            None => self.say(&format, "is missing"),
        }
        let known = [
            keys::FORMAT,
            keys::COUNTERS,
            keys::BRAND_POINTER,
            keys::BRAND_SET,
            keys::RETIRED,
            keys::META,
            keys::FEED,
            keys::URL,
            keys::ALIAS,
            keys::PACE,
            keys::DUE,
            keys::LEASE,
            keys::QUEUE,
            keys::SUSPECT,
            keys::ROBOTS,
            keys::LEDGER,
            keys::POLLS,
            keys::RULE,
            keys::TOKEN,
            keys::ALERT,
            keys::NOTE,
            keys::DECISION,
            keys::ERASE,
            keys::POINTER,
            keys::MONTH,
            keys::BY_DAY,
            keys::MENTION,
            keys::BY_ARTICLE,
            keys::TALLY,
            keys::RECOUNTED,
            keys::STORY,
            keys::MEMBER,
            keys::STORY_MEMBER,
            keys::STORY_BRAND,
            keys::ABSORBED,
            keys::STORY_DAY,
            keys::STORY_SIZE,
            keys::EXCERPT,
            keys::PRINTED,
            keys::LOG,
            keys::LOG_END,
        ];
        for table in (0..0xff).filter(|table| !known.contains(table)) {
            let view = self.view;
            for row in view.scan_raw(&[table], &[table + 1]) {
                let (at, _) = row?;
                self.say(&at, "belongs to no table");
            }
        }
        let view = self.view;
        for row in view.scan_raw(&[keys::META], &[keys::META + 1]) {
            let (at, value) = row?;
            if let Err(e) = unseal(&at, &value) {
                self.say(&at, e);
            }
        }
        self.log()?;
        self.table(keys::RULE, |_, _, _: OutletRule| Ok(()))?;
        self.table(keys::TOKEN, |_, _, _: Token| Ok(()))?;
        self.table(keys::ALERT, |check, at, text: String| {
            if let Err(e) = json::read::<Alert>(&text) {
                check.say(at, e);
            }
            Ok(())
        })?;
        self.table(keys::NOTE, |check, at, text: String| {
            match json::read::<Note>(&text) {
                Ok(note) if notes::at(&note.id) == at => {}
                Ok(note) => check.say(at, format!("holds the note {}", note.id)),
                Err(e) => check.say(at, e),
            }
            Ok(())
        })?;
        self.table(keys::DECISION, |check, at, decision: Decision| {
            if at.get(1) != Some(&u8::from(!decision.topic.lasts())) {
                check.say(at, "stands among those of other topics");
            }
            Ok(())
        })?;
        self.table(keys::ERASE, |_, _, _: Month| Ok(()))?;
        self.table(keys::SUSPECT, |check, at, row: SuspectRow| {
            if suspect_of_key(at) != Some(row.suspect.key) {
                check.say(at, format!("holds the suspect {}", row.suspect.key));
            }
            Ok(())
        })?;
        self.table(keys::RETIRED, |_, _, ()| Ok(()))?;
        self.table(keys::RECOUNTED, |_, _, ()| Ok(()))?;
        self.table(keys::BRAND_SET, |check, at, set: BrandSet| {
            if at != key(keys::BRAND_SET).text(&set.version).done() {
                check.say(at, format!("holds the version {}", set.version));
            }
            Ok(())
        })?;
        self.table(keys::BRAND_POINTER, |check, at, version: String| {
            if !check.has(&key(keys::BRAND_SET).text(&version).done())? {
                check.say(at, format!("names the version {version}, which is missing"));
            }
            Ok(())
        })
    }
}
