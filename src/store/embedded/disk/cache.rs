//! What was read of files lately, up to a number of bytes.
//!
//! Must not know: where it was read, what is in it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that a piece takes beside its own.
const OVERHEAD: usize = 96;

/// A file and a place in it.
pub type At = (u64, u64);

/// Pieces in two halves: when the young one is full, it takes the place of the old one. So what is
/// asked for again and again stays, and nothing has to be kept in order.
pub struct Cache<T> {
    halves: Mutex<Halves<T>>,
    /// Bytes of one half.
    half: usize,
}

struct Halves<T> {
    young: HashMap<At, (Arc<T>, usize), foldhash::fast::FixedState>,
    old: HashMap<At, (Arc<T>, usize), foldhash::fast::FixedState>,
    bytes: usize,
}

impl<T> Cache<T> {
    /// One of so many bytes at most.
    pub fn new(bytes: u64) -> Cache<T> {
        let halves = Halves { young: HashMap::default(), old: HashMap::default(), bytes: 0 };
        let half = usize::try_from(bytes / 2).unwrap_or(usize::MAX);
        Cache { halves: Mutex::new(halves), half }
    }

    pub fn get(&self, at: At) -> Option<Arc<T>> {
        let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((piece, _)) = halves.young.get(&at) {
            return Some(piece.clone());
        }
        let (piece, bytes) = halves.old.remove(&at)?;
        halves.put(at, piece.clone(), bytes, self.half);
        Some(piece)
    }

    /// Keeps a piece of so many bytes, unless it alone is too large.
    pub fn put(&self, at: At, piece: Arc<T>, bytes: usize) {
        let bytes = bytes + OVERHEAD;
        if bytes <= self.half {
            let mut halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
            halves.put(at, piece, bytes, self.half);
        }
    }
}

impl<T> Halves<T> {
    fn put(&mut self, at: At, piece: Arc<T>, bytes: usize, half: usize) {
        if self.bytes + bytes > half {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        if self.young.insert(at, (piece, bytes)).is_none() {
            self.bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_what_is_asked_for_and_no_more_than_its_room() {
        let cache = Cache::new(20_000);
        for n in 0..1_000_u64 {
            cache.put((n, 0), Arc::new(n), 100);
            assert_eq!(cache.get((n, 0)).as_deref(), Some(&n));
            assert_eq!(cache.get((0, 0)).as_deref(), Some(&0));
        }
        let held = (0..1_000).filter(|n| cache.get((*n, 0)).is_some()).count();
        assert!((50..=20_000 / 100).contains(&held), "{held}");
        cache.put((7, 7), Arc::new(7), 10_000);
        assert_eq!(cache.get((7, 7)), None);
    }
}
