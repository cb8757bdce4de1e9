//! The memories of outlets: each is made of what the latest pages of the outlet printed that were read
//! on days that are over, so that it is the same for every page of a day, whoever makes it and when.
//! Those in use are held.
//!
//! Must not know: how a memory is used, how pages are stored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::extract::{Memory, Printed};
use crate::model::*;
use crate::store::{REMEMBERED, Remembered, Result, Store};

/// A day is over so long after its end: what was read before midnight has been committed by then.
const SETTLED: Millis = HOUR;
/// Memories held, 32 KB at most and 1 KB as a rule.
const MOST: usize = 512;

/// A memory, and the name that articles have for it.
#[derive(Debug)]
pub(in crate::crawl) struct NamedMemory {
    pub memory: Memory,
    /// `None`: it knows nothing.
    pub used: Option<MemoryUsed>,
}

/// Memories by outlet and day.
#[derive(Default)]
pub(in crate::crawl) struct Memories(Mutex<Cache>);

#[derive(Default)]
struct Cache {
    uses: u64,
    made: HashMap<(String, Day), Cached>,
}

struct Cached {
    /// Number of the last use.
    last: u64,
    made: Arc<NamedMemory>,
}

/// The day whose pages are read with memories of the days before it.
pub(in crate::crawl) fn day_of(now: Millis) -> Day {
    utc_day(now.saturating_sub(SETTLED))
}

impl Memories {
    /// The memory of an outlet as of a day.
    pub(in crate::crawl) fn of(
        &self,
        store: &dyn Store,
        outlet: &str,
        before: Day,
    ) -> Result<Arc<NamedMemory>> {
        let at = (outlet.to_owned(), before);
        if let Some(made) = self.cache().find(&at) {
            return Ok(made);
        }
        let made = Arc::new(make(store, outlet, before)?);
        self.cache().keep(at, made.clone());
        Ok(made)
    }

    /// Something that they are made of is gone.
    pub(in crate::crawl) fn forget(&self) {
        self.cache().made.clear();
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    fn find(&mut self, at: &(String, Day)) -> Option<Arc<NamedMemory>> {
        self.uses += 1;
        let found = self.made.get_mut(at)?;
        found.last = self.uses;
        Some(found.made.clone())
    }

    /// In place of the one that was not used for longest, if they are too many.
    fn keep(&mut self, at: (String, Day), made: Arc<NamedMemory>) {
        self.made.insert(at, Cached { last: self.uses, made });
        if self.made.len() > MOST {
            let oldest = self.made.iter().min_by_key(|(_, cached)| cached.last);
            if let Some(at) = oldest.map(|(at, _)| at.clone()) {
                self.made.remove(&at);
            }
        }
    }
}

fn make(store: &dyn Store, outlet: &str, before: Day) -> Result<NamedMemory> {
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
    Ok(NamedMemory { memory, used })
}

/// What is to be remembered of an article's page, for so long: of one whose text is not kept, nothing.
pub(in crate::crawl) fn remembered(record: &ArticleRecord, age: Span) -> Option<Remembered> {
    record.has_text().then(|| Remembered {
        bytes: Printed::of(&record.article).encode(),
        since: utc_day(record.fetched.saturating_sub(age.0)),
    })
}
