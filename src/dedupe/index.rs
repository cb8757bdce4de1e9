//! Exact incremental search for copies: all known articles with sim^σ ≥ τ whose publication
//! instants lie within the window. The answer is that of comparing with every article.
//!
//! How: articles stand in *shelves* by token sum, so that a query reads only shelves whose sums
//! can reach τ (cos ≤ 1, so δ must be ≥ τ). Within a shelf each article has a *sketch*: the share
//! of its norm in each of 256 buckets of terms, rounded up. By Cauchy–Schwarz within each
//! bucket, v_i·v_j ≤ Σ_b ‖v_i,b‖‖v_j,b‖, so the product of two sketches is an upper bound of the
//! cosine; only articles whose bound times δ reaches τ are compared in full. A coarser sketch is tried first. Frequent words fall
//! into the same buckets in every text of a language and are bounded almost exactly; the rare
//! rest, which tells texts apart, is thin in every bucket.
//!
//! Must not know: where vectors are kept, stories, the clock.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::similarity::{Vector, delta, sim};
use crate::model::{DAY, Millis, Span, UrlKey};

/// Buckets of terms in a fine sketch: its bytes per article.
const FINE: usize = 256;
/// Buckets of the coarse sketch that is tried first; divides [`FINE`].
const COARSE: usize = 64;
/// Token sums on one shelf differ by less than this factor.
const SHELF: f64 = 1.02;
/// Room for rounding in the bounds (they are compared with figures computed in `f64`, six
/// orders of magnitude finer).
const SLACK: f64 = 1e-9;

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
        Settings { tau: 0.8, window: Span(30 * DAY) }
    }
}

impl Settings {
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

/// Where an article stands: shelf and place on it.
#[derive(Clone, Copy, Debug)]
struct Place {
    shelf: u32,
    at: u32,
}

/// Articles of nearly equal token sum, in columns so that a scan touches only what it needs.
#[derive(Clone, Debug, Default)]
struct Shelf {
    ats: Vec<Millis>,
    lens: Vec<u32>,
    coarse: Vec<[u8; COARSE]>,
    fine: Vec<[u8; FINE]>,
    keys: Vec<UrlKey>,
    vectors: Vec<Vector>,
}

/// The articles to compare with. Readers may share it (`&self` queries); writing is exclusive.
#[derive(Clone, Debug)]
pub struct Index {
    settings: Settings,
    shelves: BTreeMap<u32, Shelf>,
    places: HashMap<UrlKey, Place>,
}

/// Work done by one query, for measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Articles on the shelves read.
    pub scanned: usize,
    /// Articles compared in full.
    pub verified: usize,
}

impl Index {
    /// An empty index. `settings` must pass [`Settings::check`]; with a `tau` outside of it
    /// nothing (above 1) or only overlapping texts (0 or less) are found.
    pub fn new(settings: Settings) -> Index {
        Index { settings, shelves: BTreeMap::new(), places: HashMap::new() }
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
        self.places.is_empty()
    }

    /// Adds an article published `at`; replaces what was known under `key`. An empty vector is
    /// like nothing and is not kept.
    pub fn insert(&mut self, key: UrlKey, at: Millis, vector: Vector) {
        self.remove(key);
        // Token sums beyond `u32` cannot be encoded either.
        let Ok(len) = u32::try_from(vector.len()) else { return };
        if len == 0 {
            return;
        }
        let number = shelf_of(u64::from(len));
        let shelf = self.shelves.entry(number).or_default();
        let Ok(place) = u32::try_from(shelf.keys.len()) else { return };
        let fine = sketch(&vector);
        shelf.coarse.push(rounded_up(&merged(&fine)));
        shelf.fine.push(rounded_up(&fine));
        shelf.ats.push(at);
        shelf.lens.push(len);
        shelf.keys.push(key);
        shelf.vectors.push(vector);
        self.places.insert(key, Place { shelf: number, at: place });
    }

    /// Forgets an article; `false` if it was not held.
    pub fn remove(&mut self, key: UrlKey) -> bool {
        let Some(place) = self.places.remove(&key) else { return false };
        let Some(shelf) = self.shelves.get_mut(&place.shelf) else { return false };
        let at = place.at as usize;
        shelf.ats.swap_remove(at);
        shelf.lens.swap_remove(at);
        shelf.coarse.swap_remove(at);
        shelf.fine.swap_remove(at);
        shelf.keys.swap_remove(at);
        shelf.vectors.swap_remove(at);
        if let Some(moved) = shelf.keys.get(at) {
            self.places.insert(*moved, place);
        }
        if shelf.keys.is_empty() {
            self.shelves.remove(&place.shelf);
        }
        true
    }

    /// Forgets all articles published before `before`; returns how many.
    pub fn expire(&mut self, before: Millis) -> usize {
        let mut old = Vec::new();
        for shelf in self.shelves.values() {
            old.extend(shelf.keys.iter().zip(&shelf.ats).filter(|(_, at)| **at < before));
        }
        let old: Vec<UrlKey> = old.into_iter().map(|(key, _)| *key).collect();
        for key in &old {
            self.remove(*key);
        }
        old.len()
    }

    /// sim^σ of two held articles.
    pub fn similarity(&self, a: UrlKey, b: UrlKey) -> Option<f64> {
        Some(sim(self.vector(a)?, self.vector(b)?))
    }

    fn vector(&self, key: UrlKey) -> Option<&Vector> {
        let place = self.places.get(&key)?;
        self.shelves.get(&place.shelf)?.vectors.get(place.at as usize)
    }

    /// Every held article with sim^σ ≥ τ to `vector` and |Δt| ≤ window, most similar first, then
    /// by key. An article that is itself held is among its own neighbours.
    pub fn near(&self, at: Millis, vector: &Vector) -> Vec<(UrlKey, f64)> {
        self.near_counting(at, vector).0
    }

    /// [`Index::near`] with the work it took.
    pub fn near_counting(&self, at: Millis, vector: &Vector) -> (Vec<(UrlKey, f64)>, Effort) {
        let mut effort = Effort::default();
        let mut found = Vec::new();
        let tau = self.settings.tau;
        if vector.is_empty() {
            return (found, effort);
        }
        let len = vector.len();
        let fine = sketch(vector);
        let (coarse, fine) = (widened(&merged(&fine)), widened(&fine));
        let from = at.saturating_sub(self.settings.window.0);
        let to = at.saturating_add(self.settings.window.0);
        // One shelf to spare on both sides, for rounding at the edges; δ is tested exactly below.
        let reach = tau.clamp(1e-6, 1.0);
        let lowest = shelf_of((len as f64 * reach) as u64).saturating_sub(1);
        let highest = shelf_of((len as f64 / reach) as u64).saturating_add(1);
        for shelf in self.shelves.range(lowest..=highest).map(|(_, shelf)| shelf) {
            effort.scanned += shelf.keys.len();
            let columns = shelf.ats.iter().zip(&shelf.lens).zip(&shelf.coarse);
            for (i, ((&then, &their_len), theirs)) in columns.enumerate() {
                if then < from || then > to {
                    continue;
                }
                let delta = delta(len, u64::from(their_len));
                let misses = |bound: f64| (bound + SLACK) * delta + SLACK < tau;
                if misses(bound(&coarse, theirs)) {
                    continue;
                }
                let (Some(theirs), Some(&key), Some(other)) =
                    (shelf.fine.get(i), shelf.keys.get(i), shelf.vectors.get(i))
                else {
                    continue;
                };
                if misses(bound(&fine, theirs)) {
                    continue;
                }
                effort.verified += 1;
                let similarity = sim(vector, other);
                if similarity >= tau {
                    found.push((key, similarity));
                }
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        (found, effort)
    }
}

/// Number of the shelf for a token sum.
fn shelf_of(len: u64) -> u32 {
    // Monotone in `len`, which is all that the range of shelves needs.
    ((len.max(1) as f64).ln() / SHELF.ln()) as u32
}

/// Norm of each bucket's terms, as a share of the whole norm.
fn sketch(vector: &Vector) -> [f64; FINE] {
    let mut squares = [0u64; FINE];
    for (term, count) in vector.terms() {
        // The index is below the length; low bits, for the high ones order the terms.
        squares[(term % FINE as u64) as usize] += u64::from(count) * u64::from(count);
    }
    let norm = vector.norm();
    squares.map(|square| (square as f64).sqrt() / norm)
}

/// The coarse sketch: several buckets as one, whose norm is that of their norms.
fn merged(fine: &[f64; FINE]) -> [f64; COARSE] {
    let mut squares = [0.0; COARSE];
    for part in fine.chunks_exact(COARSE) {
        for (square, share) in squares.iter_mut().zip(part) {
            *square += share * share;
        }
    }
    // A little more than the root, for the rounding of the sum.
    squares.map(|square: f64| square.sqrt() * (1.0 + SLACK))
}

/// Shares in units of 1/255, rounded up: never below the true share.
fn rounded_up<const N: usize>(sketch: &[f64; N]) -> [u8; N] {
    sketch.map(|share| (share * 255.0).ceil().min(255.0) as u8)
}

/// The asking side, finer: shares in units of 1/16256 (= 127 · 128), rounded up.
fn widened<const N: usize>(sketch: &[f64; N]) -> [i16; N] {
    sketch.map(|share| (share * 16256.0).ceil().min(16256.0) as i16)
}

/// Upper bound of the cosine of two vectors from their sketches.
fn bound<const N: usize>(ours: &[i16; N], theirs: &[u8; N]) -> f64 {
    // Each product is below 2^22, and there are at most 2^8.
    let sum: i32 = ours.iter().zip(theirs).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
    f64::from(sum) / (16256.0 * 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute(
        held: &[(UrlKey, Millis, Vector)],
        settings: &Settings,
        at: Millis,
        vector: &Vector,
    ) -> Vec<(UrlKey, f64)> {
        let mut found: Vec<(UrlKey, f64)> = held
            .iter()
            .filter(|(_, then, _)| (then - at).abs() <= settings.window.0)
            .map(|(key, _, other)| (*key, sim(vector, other)))
            .filter(|(_, s)| *s >= settings.tau)
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    }

    /// Texts that sit close to every edge: empty, one term, equal lengths, one word apart, cut.
    fn text() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            4 => prop::sample::select(vec!["the", "of", "and", "to", "in", "said"]),
            2 => prop::sample::select(vec!["bank", "rain", "goal", "vote", "fire", "ship", "公司今天"]),
        ];
        let words = prop::collection::vec(word, 0..40).prop_map(|w| w.join(" "));
        let base = "the board of the bank said in the evening that it has to wait and see";
        prop_oneof![
            3 => words,
            1 => Just(String::new()),
            1 => prop::sample::select(vec!["bank", "rain", "公司"]).prop_map(String::from),
            3 => (0usize..16, "[a-c]{2}").prop_map(move |(i, new)| {
                let mut words: Vec<&str> = base.split(' ').collect();
                let last = words.len() - 1;
                words[i.min(last)] = &new;
                words.join(" ")
            }),
            2 => (1usize..16).prop_map(move |n| base.split(' ').take(n).collect::<Vec<_>>().join(" ")),
            1 => (1usize..6).prop_map(|n| "rain ".repeat(n)),
        ]
    }

    proptest! {
        #[test]
        fn answers_as_brute_force(
            texts in prop::collection::vec((text(), 0i64..100), 1..60),
            tau in prop::sample::select(vec![0.1, 0.5, 0.75, 0.8, 0.9, 1.0]),
            window in 0i64..120,
            drop in 0i64..60,
        ) {
            let settings = Settings { tau, window: Span(window) };
            let mut index = Index::new(settings.clone());
            let mut held = Vec::new();
            for (i, (text, at)) in texts.iter().enumerate() {
                let vector = Vector::of(text);
                prop_assert_eq!(index.near(*at, &vector), brute(&held, &settings, *at, &vector));
                index.insert(UrlKey(i as u128), *at, vector.clone());
                held.push((UrlKey(i as u128), *at, vector));
            }
            index.expire(drop);
            held.retain(|(_, at, _)| *at >= drop);
            // Known articles that come again replace themselves.
            for (key, at, vector) in held.iter().step_by(3) {
                index.insert(*key, *at, vector.clone());
            }
            for (text, at) in &texts {
                let vector = Vector::of(text);
                prop_assert_eq!(index.near(*at, &vector), brute(&held, &settings, *at, &vector));
            }
        }

        /// τ set to the very similarity of a pair, and a hair above it.
        #[test]
        fn boundary_is_exact(a in text(), b in text()) {
            let (a, b) = (Vector::of(&a), Vector::of(&b));
            let s = sim(&a, &b);
            prop_assume!(s > 0.0 && s <= 1.0);
            for (tau, expect) in [(s, true), (s * (1.0 + 1e-9), false), (s * (1.0 - 1e-9), true)] {
                let mut index = Index::new(Settings { tau, window: Span(0) });
                index.insert(UrlKey(1), 5, a.clone());
                prop_assert_eq!(!index.near(5, &b).is_empty(), expect);
            }
        }
    }

    #[test]
    fn settings_are_checked() {
        let check = |tau, window, expect: Option<&str>| {
            let found = Settings { tau, window: Span(window) }.check().err();
            assert_eq!(found.as_deref(), expect);
        };
        check(0.8, DAY, None);
        check(0.0, DAY, Some("dedupe.tau = 0 must be above 0 and at most 1"));
        check(f64::NAN, DAY, Some("dedupe.tau = NaN must be above 0 and at most 1"));
        check(1.0, -1000, Some("dedupe.window = -1s must not be negative"));
    }

    #[test]
    fn a_long_text_is_found() {
        let long = "wort und noch ein wort ".repeat(20_000);
        let mut index = Index::new(Settings::default());
        index.insert(UrlKey(7), 0, Vector::of(&long));
        let near = index.near(DAY, &Vector::of(&format!("{long} ende")));
        assert_eq!(near.first().map(|n| n.0), Some(UrlKey(7)));
        assert!(index.near(31 * DAY, &Vector::of(&long)).is_empty());
    }
}
