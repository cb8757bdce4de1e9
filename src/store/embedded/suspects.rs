//! Tasks that were under way when the process ended uncleanly: named when the store is opened again.
//!
//! Must not know: how a task is done.

use serde::{Deserialize, Serialize};

use super::format::keys::{self, Parts, key, said};
use super::frontier::queue_key;
use super::kv::end_of;
use super::tx::Tx;
use crate::model::*;
use crate::store::Result;
use crate::store::rules::entries::LAST_PRIORITY;

/// A suspect as it is stored, under its own key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuspectRow {
    pub suspect: Suspect,
    pub pace_key: String,
    /// Where its task stood in the queue when it was named; elsewhere it has been through since.
    pub priority: u8,
    pub due: Millis,
    /// It is under way, and nothing else is.
    pub alone: bool,
}

fn suspect_key(id: UrlKey) -> Vec<u8> {
    key(keys::SUSPECT).id(id).done()
}

impl Tx<'_> {
    /// After an unclean end under these leases: who was alone then has ended the process, and of the
    /// others each may have, one of a priority and lease: tasks are done in the order of their queue.
    pub fn name_suspects(&mut self, leased: &[String], now: Millis) -> Result<()> {
        for row in self.suspects()? {
            let at = suspect_key(row.suspect.key);
            let task = queue_key(&row.pace_key, row.priority, row.due, row.suspect.key);
            if !self.o.has(&task)? {
                self.o.del(at);
            } else if row.alone {
                let ends = row.suspect.ends.saturating_add(1);
                let suspect = Suspect { ends, ..row.suspect };
                self.o.put(at, &SuspectRow { suspect, alone: false, ..row })?;
            }
        }
        for pace_key in leased {
            for priority in 0..=LAST_PRIORITY {
                let queue = key(keys::QUEUE).text(pace_key).byte(priority).done();
                let due = end_of(&key(keys::QUEUE).text(pace_key).byte(priority).at(now).done());
                let first = self.o.scan::<Task>(&queue, &due).next().transpose()?;
                let Some((_, task)) = first else { continue };
                let at = suspect_key(task.key);
                if !self.o.has(&at)? {
                    let suspect = Suspect { kind: task.kind, key: task.key, ends: 0 };
                    let (pace_key, due) = (pace_key.clone(), task.due);
                    let row = SuspectRow { suspect, pace_key, priority, due, alone: false };
                    self.o.put(at, &row)?;
                }
            }
        }
        Ok(())
    }

    fn suspects(&self) -> Result<Vec<SuspectRow>> {
        self.o.prefix(&[keys::SUSPECT]).map(|row| Ok(row?.1)).collect()
    }

    /// Those of `tasks` that are suspects.
    pub fn suspects_among(&self, tasks: &[Task]) -> Result<Vec<Suspect>> {
        if self.o.scan_raw(&[keys::SUSPECT], &[keys::SUSPECT + 1]).next().is_none() {
            return Ok(Vec::new());
        }
        let mut suspects = Vec::new();
        for task in tasks {
            let row = self.o.get::<SuspectRow>(&suspect_key(task.key))?;
            suspects.extend(row.map(|row| row.suspect).filter(|known| known.kind == task.kind));
        }
        Ok(suspects)
    }

    pub fn suspect_alone(&mut self, id: UrlKey, alone: bool) -> Result<()> {
        match self.o.get::<SuspectRow>(&suspect_key(id))? {
            Some(row) => self.o.put(suspect_key(id), &SuspectRow { alone, ..row }),
            None => Ok(()),
        }
    }

    pub fn clear_suspect(&mut self, id: UrlKey) {
        self.o.del(suspect_key(id));
    }
}

/// The entry or feed that a row is about.
pub fn suspect_of_key(at: &[u8]) -> Option<UrlKey> {
    said(at, 1, Parts::id)
}
