//! Exact incremental search for copies: all known articles with sim^σ ≥ τ whose publication
//! instants lie within the window. The answer is that of comparing with every article.
//!
//! How: articles stand on shelves by token sum, so that a search reads only shelves whose sums can
//! reach τ (cos ≤ 1, so δ must be ≥ τ, and at length ratio r the cosine must reach τ/r), and on a
//! shelf in cells of similar articles. Three bounds follow, each tighter and dearer than the one
//! before, each never below the true cosine (`bound`): one for a whole cell, a sketch of 64 bytes
//! per article, a digest of about a byte per term that occurs more than once. Only what passes all three is compared in full. Lists by rare
//! terms would prune less: with raw term frequencies the words that tell texts apart carry so
//! little of the norm that texts may be copies without sharing any of them.
//!
//! Full prints are needed for the last comparison alone, so they may live elsewhere.
//!
//! Must not know: where prints are kept, stories, the clock.

mod bound;
mod cell;
mod places;
mod saved;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::bound::{Hull, Question, SLACK, Sketch, Table, put_digest, sketch};
use self::cell::{Cell, Split};
use self::places::{Place, Places};
use super::print::Print;
use super::similarity::{Vector, delta, sim};
use crate::model::{DAY, Millis, Span, UrlKey};

/// Token sums in one cell differ by less than this factor.
const SHELF: f64 = 1.02;

/// An article is compared with everything in its window if it is fetched at most so long after its
/// publication; later ones, with what came to the crawler in the window and this time before.
const LATE: Millis = 7 * DAY;

/// When two articles are copies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Smallest sim^σ of copies, above 0, at most 1.
    pub tau: f64,
    /// Largest distance between the publication instants of copies.
    pub window: Span,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { tau: 0.9, window: Span(30 * DAY) }
    }
}

impl Settings {
    /// Stories none of whose members was published or first seen since this instant are no longer
    /// held: nobody joins them any more.
    pub fn horizon(&self, now: Millis) -> Millis {
        now.saturating_sub(self.window.0).saturating_sub(LATE)
    }

    /// Says what is wrong with these values, naming the key.
    pub fn check(&self) -> Result<(), String> {
        if !(self.tau > 0.0 && self.tau <= 1.0) {
            return Err(format!("dedupe.tau = {} must be above 0 and at most 1", self.tau));
        }
        if self.window.0 < 0 {
            return Err(format!("dedupe.window = {} must not be negative", self.window));
        }
        Ok(())
    }
}

/// Reads back the print of an article, given its key and publication instant.
pub type Source = Box<dyn Fn(UrlKey, Millis) -> Option<Arc<Print>> + Send + Sync>;

/// Articles that a cell is split at, if their sketches differ. Small in tests, which hold few.
const CELL: usize = if cfg!(test) { 4 } else { 64 };

/// What the index holds of a text: token sum and the means to bound its similarity.
pub struct Entry {
    len: u32,
    sketch: Sketch,
    digest: Vec<u8>,
}

impl Entry {
    /// `None` for a text without terms, or with more than can be encoded.
    pub fn of(vector: &Vector) -> Option<Entry> {
        let len = u32::try_from(vector.len()).ok().filter(|len| *len > 0)?;
        let mut digest = Vec::with_capacity(vector.distinct() * 5 / 4);
        put_digest(&mut digest, vector);
        Some(Entry { len, sketch: sketch(vector), digest })
    }
}

/// Articles of nearly equal token sum, in cells of similar sketches: the leaves of a binary tree
/// that grows by splitting.
#[derive(Default)]
struct Shelf {
    /// Numbers of its cells; the first is where the descent begins.
    cells: Vec<u32>,
    /// Beside `cells`: around all sketches that a cell has held since it was split. Together, for
    /// a search reads all of them.
    hulls: Vec<Hull>,
    /// By cell: how it was split, in order, and which cell took the rest.
    splits: HashMap<u32, Vec<(Split, u32)>>,
}

impl Shelf {
    /// Bytes held.
    fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<u32>()
            + self.hulls.capacity() * size_of::<Hull>()
            + self.cells.len() * size_of::<(u32, Vec<(Split, u32)>)>()
            + self.cells.len() * size_of::<(Split, u32)>()
    }
}

/// The articles to compare with. Readers may share it (`&self` queries); writing is exclusive.
pub struct Index {
    settings: Settings,
    shelves: BTreeMap<u16, Shelf>,
    /// Of all shelves. A cell that has become empty stays.
    cells: Vec<Cell>,
    places: Places,
    /// Full prints: all of them, or those that the source does not have yet.
    prints: HashMap<UrlKey, Arc<Print>>,
    source: Option<Source>,
}

/// A text that is asked about, with what is worked out of it on first use.
pub struct Asked<'v> {
    vector: &'v Vector,
    question: OnceCell<Question>,
    table: OnceCell<Table>,
}

/// Work done by one query, for measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Cells whose token sums can reach τ.
    pub cells: usize,
    /// Articles whose cell could not exclude them.
    pub read: usize,
    /// Articles whose sketch could not exclude them.
    pub sketched: usize,
    /// Articles compared in full.
    pub verified: usize,
    /// Articles that share marks, in the window; and those of them that were compared in full.
    pub sharing: usize,
    pub compared: usize,
    /// Articles that could not be compared, because the source does not have them.
    pub missing: usize,
}

impl Index {
    /// An empty index that holds full prints itself. `settings` must pass [`Settings::check`];
    /// with a `tau` outside of it nothing (above 1) or only overlapping texts (0 or less) are
    /// found.
    pub fn new(settings: Settings) -> Index {
        Index {
            settings,
            shelves: BTreeMap::new(),
            cells: Vec::new(),
            places: Places::default(),
            prints: HashMap::new(),
            source: None,
        }
    }

    /// An empty index that reads full prints back from `source`, and holds only those inserted
    /// since [`Index::settle`]. An article that the source does not have is not found.
    pub fn with_source(settings: Settings, source: Source) -> Index {
        Index { source: Some(source), ..Index::new(settings) }
    }

    /// All articles inserted so far are in the source now.
    pub fn settle(&mut self) {
        if self.source.is_some() {
            self.prints.clear();
        }
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Number of articles held.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Holds no article.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory held, without full prints.
    pub fn bytes(&self) -> usize {
        let shelves = self.shelves.values().map(Shelf::bytes).sum::<usize>();
        shelves + self.cells.iter().map(Cell::bytes).sum::<usize>() + self.places.bytes()
    }

    /// Adds an article published `at`; replaces what was known under `key`. An empty vector is
    /// like nothing and is not kept.
    pub fn insert(&mut self, key: UrlKey, at: Millis, print: impl Into<Print>) {
        let print = print.into();
        self.remember(key, at, &print.vector);
        if self.place(key).is_some() {
            self.prints.insert(key, Arc::new(print));
        }
    }

    /// [`Index::insert`] of an article that the source has already.
    pub fn remember(&mut self, key: UrlKey, at: Millis, vector: &Vector) {
        match Entry::of(vector) {
            Some(entry) => self.enter(key, at, &entry),
            None => drop(self.remove(key)),
        }
    }

    /// [`Index::remember`] with the costly part done before, on any thread.
    pub fn enter(&mut self, key: UrlKey, at: Millis, entry: &Entry) {
        self.remove(key);
        let len = u64::from(entry.len);
        let shelf = self.shelves.entry(shelf_of(len)).or_default();
        if shelf.cells.is_empty() {
            let Ok(number) = u32::try_from(self.cells.len()) else { return };
            shelf.cells.push(number);
            shelf.hulls.push(Hull::default());
            self.cells.push(Cell::on(shelf_of(len), 0));
        }
        let mut number = shelf.cells.first().copied().unwrap_or_default();
        // Each split of a cell sends on what then lay above it, so the first that applies decides.
        while let Some((_, next)) = shelf
            .splits
            .get(&number)
            .and_then(|splits| splits.iter().find(|(split, _)| split.goes_on(&entry.sketch)))
        {
            number = *next;
        }
        let Some(cell) = self.cells.get_mut(number as usize) else { return };
        let Some(hull) = shelf.hulls.get_mut(cell.slot as usize) else { return };
        let Some(place) = cell.push(key, at, entry) else { return };
        hull.widen(&entry.sketch);
        let full = cell.len() >= CELL && cell.len().is_power_of_two();
        let place = Place { cell: number, at: place };
        self.places.put(key, place, |place| key_at(&self.cells, place));
        if full {
            self.split(number);
        }
    }

    /// Splits a cell in two, if its sketches differ.
    fn split(&mut self, number: u32) {
        let Ok(next) = u32::try_from(self.cells.len()) else { return };
        let Some(cell) = self.cells.get(number as usize) else { return };
        let keys = cell.keys.clone();
        for (at, key) in (0u32..).zip(keys) {
            let place = Place { cell: number, at };
            self.places.remove(key, place, |place| key_at(&self.cells, place));
        }
        self.divide(number, next);
        for cell in [number, next] {
            let keys = self.cells.get(cell as usize).map(|cell| cell.keys.clone());
            for (at, key) in (0u32..).zip(keys.unwrap_or_default()) {
                self.places.put(key, Place { cell, at }, |place| key_at(&self.cells, place));
            }
        }
    }

    fn divide(&mut self, number: u32, next: u32) {
        let Some(cell) = self.cells.get_mut(number as usize) else { return };
        let Some(shelf) = self.shelves.get_mut(&cell.shelf) else { return };
        let (Ok(slot), Some(hull)) =
            (u32::try_from(shelf.hulls.len()), shelf.hulls.get_mut(cell.slot as usize))
        else {
            return;
        };
        let Some((mut rest, split)) = cell.split() else { return };
        *hull = cell.hull();
        (rest.shelf, rest.slot) = (cell.shelf, slot);
        shelf.hulls.push(rest.hull());
        shelf.cells.push(next);
        shelf.splits.entry(number).or_default().push((split, next));
        self.cells.push(rest);
    }

    /// Where an article stands, if it is held.
    fn place(&self, key: UrlKey) -> Option<Place> {
        self.places.find(key, |place| key_at(&self.cells, place))
    }

    /// Forgets an article; `false` if it was not held.
    pub fn remove(&mut self, key: UrlKey) -> bool {
        self.prints.remove(&key);
        let Some(place) = self.place(key) else { return false };
        self.places.remove(key, place, |place| key_at(&self.cells, place));
        let Some(cell) = self.cells.get_mut(place.cell as usize) else { return true };
        if let Some(last) = cell.remove(place.at) {
            // No more than before, which were `u32`.
            let from = Place { cell: place.cell, at: cell.len() as u32 };
            self.places.moved(last, from, place);
        }
        true
    }

    /// Forgets the articles published before `before`, but for those that `keep` is true of;
    /// returns how many. Reads eight bytes per article held.
    pub fn expire(&mut self, before: Millis, keep: &mut dyn FnMut(UrlKey) -> bool) -> usize {
        let mut old = Vec::new();
        for cell in &self.cells {
            old.extend(cell.keys.iter().zip(&cell.ats).filter(|(_, at)| **at < before));
        }
        let mut old: Vec<UrlKey> = old.into_iter().map(|(key, _)| *key).collect();
        old.retain(|key| !keep(*key));
        for key in &old {
            self.remove(*key);
        }
        old.len()
    }

    /// Is this article held?
    pub fn holds(&self, key: UrlKey) -> bool {
        self.place(key).is_some()
    }

    /// When an article was published, and how many terms its text has; `None` if it is not held.
    pub fn held(&self, key: UrlKey) -> Option<(Millis, u64)> {
        let place = self.place(key)?;
        let (_, at, len, _) = self.cells.get(place.cell as usize)?.article(place.at as usize)?;
        Some((at, u64::from(len)))
    }

    /// A text to ask about single articles.
    pub fn asked<'v>(&self, vector: &'v Vector) -> Asked<'v> {
        Asked { vector, question: OnceCell::new(), table: OnceCell::new() }
    }

    /// Can sim^σ with an article that is held reach `least`? Told from memory; never a wrong no.
    pub fn can_reach(&self, key: UrlKey, asked: &Asked<'_>, least: f64) -> bool {
        let Some(place) = self.place(key) else { return false };
        let Some(cell) = self.cells.get(place.cell as usize) else { return false };
        let Some((_, _, len, sketch)) = cell.article(place.at as usize) else { return false };
        if asked.vector.is_empty() {
            return false;
        }
        let delta = delta(asked.vector.len(), u64::from(len));
        let question = asked.question.get_or_init(|| Question::of(asked.vector));
        if (1.0 + SLACK) * delta < least || question.bound(sketch) < Question::units(least / delta)
        {
            return false;
        }
        let table = asked.table.get_or_init(|| Table::of(asked.vector));
        (table.bound(cell.digest(place.at as usize)) + SLACK) * delta >= least
    }

    /// The full print of an article published `at`, held or read back.
    pub fn print(&self, key: UrlKey, at: Millis) -> Option<Arc<Print>> {
        match self.prints.get(&key) {
            Some(print) => Some(Arc::clone(print)),
            None => self.source.as_ref()?(key, at),
        }
    }

    /// Every held article with sim^σ ≥ τ to `vector` and |Δt| ≤ window, most similar first, then
    /// by key. An article that is itself held is among its own neighbours.
    pub fn near(&self, at: Millis, vector: &Vector) -> Vec<(UrlKey, f64)> {
        self.near_counting(at, vector).0
    }

    /// [`Index::near`] with the work it took.
    pub fn near_counting(&self, at: Millis, vector: &Vector) -> (Vec<(UrlKey, f64)>, Effort) {
        let mut found = Vec::new();
        let effort = self.each_compared(at, vector, &mut |key, similarity, _| {
            if similarity >= self.settings.tau {
                found.push((key, similarity));
            }
        });
        found.sort_by(|a: &(UrlKey, f64), b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        (found, effort)
    }

    /// Calls `each` for all that are compared in full, in any order, with their prints: those that [`Index::near`] answers,
    /// and some that are less similar.
    pub fn each_compared(
        &self,
        at: Millis,
        vector: &Vector,
        each: &mut dyn FnMut(UrlKey, f64, &Print),
    ) -> Effort {
        let mut effort = Effort::default();
        let tau = self.settings.tau;
        if vector.is_empty() {
            return effort;
        }
        let len = vector.len();
        let question = Question::of(vector);
        let table = OnceCell::new();
        let from = at.saturating_sub(self.settings.window.0);
        let to = at.saturating_add(self.settings.window.0);
        // One shelf to spare on both sides, for rounding at the edges; δ is tested exactly below.
        let reach = tau.clamp(1e-6, 1.0);
        let lowest = shelf_of((len as f64 * reach) as u64).saturating_sub(1);
        let highest = shelf_of((len as f64 / reach) as u64).saturating_add(1);
        let mut places = Vec::new();
        let cells = self.shelves.range(lowest..=highest).flat_map(|(number, shelf)| {
            let cosine = tau / ratio(len, *number);
            effort.cells += shelf.cells.len();
            let question = &question;
            let reached = move |(cell, hull): (&u32, &Hull)| {
                question.reaches(hull, cosine).then(|| self.cells.get(*cell as usize)).flatten()
            };
            shelf.cells.iter().zip(&shelf.hulls).filter_map(reached).map(move |c| (cosine, c))
        });
        for (cosine, cell) in cells {
            effort.read += cell.len();
            cell.reaching(&question, cosine, &mut places);
            effort.sketched += places.len();
            for place in places.iter().map(|place| *place as usize) {
                let (Some(&key), Some(&then), Some(&their_len)) =
                    (cell.keys.get(place), cell.ats.get(place), cell.lens.get(place))
                else {
                    continue;
                };
                if then < from || then > to {
                    continue;
                }
                let delta = delta(len, u64::from(their_len));
                if (1.0 + SLACK) * delta < tau {
                    continue;
                }
                let table = table.get_or_init(|| Table::of(vector));
                if (table.bound(cell.digest(place)) + SLACK) * delta < tau {
                    continue;
                }
                let Some(other) = self.print(key, then) else {
                    effort.missing += 1;
                    continue;
                };
                effort.verified += 1;
                each(key, sim(vector, &other.vector), &other);
            }
        }
        effort
    }
}

/// The key of the article that stands there.
fn key_at(cells: &[Cell], place: Place) -> Option<UrlKey> {
    cells.get(place.cell as usize)?.keys.get(place.at as usize).copied()
}

/// Number of the shelf for a token sum: monotone in `len`.
fn shelf_of(len: u64) -> u16 {
    ((len.max(1) as f64).ln() / SHELF.ln()) as u16
}

/// Largest δ that `len` and any token sum on the shelf can have, at most 1.
fn ratio(len: u64, shelf: u16) -> f64 {
    let len = len as f64;
    // A thousandth to spare, for rounding at the edges.
    let low = SHELF.powi(i32::from(shelf)) * 0.999;
    let high = SHELF.powi(i32::from(shelf) + 1) * 1.001;
    if len < low {
        len / low
    } else if len > high {
        high / len
    } else {
        1.0
    }
}
