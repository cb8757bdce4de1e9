//! What takes many rows to find out and changes little, kept for a minute: what the days that are long over
//! come to, and whose articles of a day are stuffed. So a look at the whole does not read them each time.
//!
//! Must not know: what is asked of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::unusual::{Unusual, stuffed};
use crate::model::Day;
use crate::store::{Ledger, Result, Store};

/// How long it stands. Old days change little: an entry that waited long ends, something is forgotten; and
/// a person who looks at stuffed articles can wait.
const STANDS: Duration = Duration::from_secs(60);

/// Sums over days.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// First sights.
    pub entries: u64,
    /// By outcome name; sums to `entries`.
    pub outcomes: BTreeMap<String, u64>,
    pub outlets: BTreeSet<String>,
    /// The first day that has any.
    pub first: Option<Day>,
}

impl Sums {
    pub fn add(&mut self, row: &Ledger) {
        self.first = self.first.into_iter().chain(row.day).min();
        self.entries += row.entries;
        for (name, count) in &row.outcomes {
            match self.outcomes.get_mut(name) {
                Some(sum) => *sum += count,
                None => drop(self.outcomes.insert(name.clone(), *count)),
            }
        }
        if !self.outlets.contains(&row.outlet) {
            self.outlets.insert(row.outlet.clone());
        }
    }
}

/// What one process keeps of one store.
#[derive(Debug, Default)]
pub struct Past {
    sums: Minute<Sums>,
    stuffed: Minute<Vec<Unusual>>,
}

impl Past {
    /// The sums of the days before `day`, as they were within the last minute.
    ///
    /// # Errors
    /// The store's.
    pub fn before(&self, store: &dyn Store, day: Day) -> Result<Sums> {
        self.sums.of(day, || {
            let mut sums = Sums::default();
            let last = day.saturating_sub(jiff::Span::new().days(1));
            store.ledger(None, Some(last))?.iter().for_each(|row| sums.add(row));
            Ok(sums)
        })
    }

    /// Outlets whose articles of `day` are stuffed, as it was within the last minute.
    ///
    /// # Errors
    /// The store's.
    pub fn stuffed(&self, store: &dyn Store, day: Day) -> Result<Vec<Unusual>> {
        self.stuffed.of(day, || stuffed(store, day))
    }
}

/// What was found out last, about which day, and when.
#[derive(Debug)]
struct Minute<T>(Mutex<Option<(Day, Instant, T)>>);

impl<T> Default for Minute<T> {
    fn default() -> Self {
        Minute(Mutex::new(None))
    }
}

impl<T: Clone> Minute<T> {
    fn of(&self, day: Day, find: impl FnOnce() -> Result<T>) -> Result<T> {
        // Whoever comes meanwhile waits for what is being read.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, read, found)) = &*kept
            && *at == day
            && read.elapsed() < STANDS
        {
            return Ok(found.clone());
        }
        let found = find()?;
        *kept = Some((day, Instant::now(), found.clone()));
        Ok(found)
    }
}
