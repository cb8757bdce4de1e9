//! The memories of outlets: each is made of what the latest pages of the outlet printed that were read
//! on days that are over, so that it is the same for every page of a day, whoever makes it and when.
//! Those in use are held.
//!
//! Must not know: how a memory is used, how pages are stored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::extract::{Memory, Printed};
use crate::model::*;
use crate::store::{REMEMBERED, Remembered, Result, Store};

use super::retention::Retention;

/// A day is over so long after its end: what was read before midnight has been committed by then.
const SETTLED: Millis = HOUR;
/// Memories held, 32 KB at most and 1 KB as a rule.
const HELD: usize = 512;

/// A memory, and the name that articles have for it.
#[derive(Debug)]
pub(super) struct Made {
    pub memory: Memory,
    /// `None`: it knows nothing.
    pub used: Option<MemoryUsed>,
}

/// Memories by outlet and day, with the time of their last use.
#[derive(Default)]
pub(super) struct Memories(Mutex<(u64, HashMap<(String, Day), (u64, Arc<Made>)>)>);

/// The day whose pages are read with memories of the days before it.
pub(super) fn day_of(now: Millis) -> Day {
    utc_day(now.saturating_sub(SETTLED))
}

impl Memories {
    /// The memory of an outlet as of a day.
    pub(super) fn of(&self, store: &dyn Store, outlet: &str, before: Day) -> Result<Arc<Made>> {
        let at = (outlet.to_owned(), before);
        {
            let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            held.0 += 1;
            let now = held.0;
            if let Some((used, made)) = held.1.get_mut(&at) {
                *used = now;
                return Ok(made.clone());
            }
        }
        let made = Arc::new(make(store, outlet, before)?);
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = held.0;
        held.1.insert(at, (now, made.clone()));
        if held.1.len() > HELD {
            let oldest = held.1.iter().min_by_key(|(_, (used, _))| *used).map(|(at, _)| at.clone());
            oldest.map(|at| held.1.remove(&at));
        }
        Ok(made)
    }

    /// Something that they are made of is gone.
    pub(super) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.clear();
    }
}

fn make(store: &dyn Store, outlet: &str, before: Day) -> Result<Made> {
    let pages = store.printed(outlet, before, REMEMBERED)?;
    // What cannot be read, of another version perhaps, teaches nothing.
    let pages: Vec<Printed> = pages.iter().filter_map(|bytes| Printed::decode(bytes)).collect();
    let memory = Memory::new(&pages);
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let used = (!memory.is_empty()).then(|| MemoryUsed {
        before,
        pages: count(memory.pages),
        texts: count(memory.len()),
        sum: format!("{:016x}", memory.sum()),
    });
    Ok(Made { memory, used })
}

/// What is to be remembered of an article's page: of one whose text is not kept, nothing.
pub(super) fn remembered(record: &ArticleRecord, retention: &Retention) -> Option<Remembered> {
    record.has_text().then(|| Remembered {
        bytes: Printed::of(&record.article).encode(),
        since: utc_day(record.fetched.saturating_sub(retention.memory.0)),
    })
}
