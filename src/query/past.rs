//! What takes many rows to find out and is asked for again and again, kept between two questions: what the
//! days that are long over come to, and whose articles of a day are stuffed. So a look at the whole does not
//! read them each time.
//!
//! Must not know: what is asked of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::unusual::{Articles, Unusual, is_stuffed, stuffed, stuffed_articles, stuffed_before};
use crate::model::Day;
use crate::store::{Ledger, LogPosition, Logged, Result, Store};

/// How long sums stand. Old days change little: an entry that waited long ends, something is forgotten.
const STANDS: Duration = Duration::from_secs(600);
/// Of more articles that came and went meanwhile the day is read anew.
const MANY: usize = 10_000;

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
    /// Of the days before one, and when they were read.
    sums: Mutex<Option<(Day, Instant, Sums)>>,
    stuffed: Mutex<Option<Stuffed>>,
}

impl Past {
    /// The sums of the days before `day`, as they were within the last ten minutes.
    ///
    /// # Errors
    /// The store's.
    pub fn before(&self, store: &dyn Store, day: Day) -> Result<Sums> {
        // Whoever comes meanwhile waits for what is being read.
        let mut kept = lock(&self.sums);
        if let Some((at, read, sums)) = &*kept
            && *at == day
            && read.elapsed() < STANDS
        {
            return Ok(sums.clone());
        }
        let mut sums = Sums::default();
        let last = day.saturating_sub(jiff::Span::new().days(1));
        store.ledger(None, Some(last))?.iter().for_each(|row| sums.add(row));
        *kept = Some((day, Instant::now(), sums.clone()));
        Ok(sums)
    }

    /// Outlets whose articles of `day` are stuffed, under the brand set of this version.
    ///
    /// # Errors
    /// The store's.
    pub fn stuffed(&self, store: &dyn Store, day: Day, brand_set: &str) -> Result<Vec<Unusual>> {
        let mut kept = lock(&self.stuffed);
        let before = kept.take().filter(|of| of.day == day && of.brand_set == brand_set);
        let now = match before {
            Some(before) => before.followed(store)?,
            None => None,
        };
        let mut now = match now {
            Some(now) => now,
            None => Stuffed::read(store, day, brand_set)?,
        };
        let found = stuffed(day, &now.articles, |outlet| match now.before.get(outlet) {
            Some(before) => Ok(*before),
            None => {
                let before = stuffed_before(store, day, outlet)?;
                now.before.insert(outlet.to_owned(), before);
                Ok(before)
            }
        })?;
        *kept = Some(now);
        Ok(found)
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The stuffed articles of a day.
#[derive(Debug)]
struct Stuffed {
    day: Day,
    brand_set: String,
    /// The log of articles up to here is in it.
    at: LogPosition,
    articles: Articles,
    /// Outlet → how many it had in the four weeks before, as far as that was asked.
    before: BTreeMap<String, u64>,
}

impl Stuffed {
    fn read(store: &dyn Store, day: Day, brand_set: &str) -> Result<Stuffed> {
        let at = store.log_end()?;
        let articles = stuffed_articles(store, (day, day), None)?;
        let (brand_set, before) = (brand_set.to_owned(), BTreeMap::new());
        Ok(Stuffed { day, brand_set, at, articles, before })
    }

    /// With the articles that came since; `None` if the log does not tell which.
    fn followed(mut self, store: &dyn Store) -> Result<Option<Stuffed>> {
        let mut came: Vec<(LogPosition, Logged)> = Vec::new();
        let leads = store.log_since(self.at, &mut |at, logged| {
            came.push((at, logged));
            came.len() <= MANY
        })?;
        if !leads || came.len() > MANY {
            return Ok(None);
        }
        for (at, logged) in came {
            self.at = at;
            self.articles.values_mut().for_each(|articles| {
                articles.remove(&logged.article);
            });
            for row in store.mentions_of(logged.article)? {
                if row.day == self.day && is_stuffed(&row) {
                    self.articles.entry(row.outlet).or_default().insert(row.article);
                }
            }
        }
        Ok(Some(self))
    }
}
