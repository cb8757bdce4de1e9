//! Where each article stands, by its key: a table of places alone, for the keys stand in the cells
//! already. Linear probing (Knuth, The Art of Computer Programming 3, §6.4, algorithms L and R), a byte
//! of each hash beside, so that few places are looked up in vain.
//!
//! Must not know: what a cell holds beside keys.

use crate::model::UrlKey;

/// Where an article stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) cell: u32,
    pub(super) at: u32,
}

/// In place of a hash's byte: nothing stands here.
const FREE: u8 = 0;

#[derive(Default)]
pub(super) struct Places {
    tags: Vec<u8>,
    slots: Vec<Place>,
    len: usize,
}

fn hash(key: UrlKey) -> u64 {
    // The two halves; keys of tests count from 0.
    let mixed = (key.0 as u64 ^ (key.0 >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// The byte of a hash: never [`FREE`].
fn tag(hash: u64) -> u8 {
    hash as u8 | 1
}

impl Places {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.tags.capacity() + self.slots.capacity() * size_of::<Place>()
    }

    /// Where a hash belongs: its high bits as a share of the table.
    fn home(&self, hash: u64) -> usize {
        // Below the length.
        ((u128::from(hash) * self.slots.len() as u128) >> 64) as usize
    }

    fn next(&self, slot: usize) -> usize {
        if slot + 1 < self.slots.len() { slot + 1 } else { 0 }
    }

    /// The first slot from the home of `hash` on that is free or passes `wanted`.
    fn probe(&self, hash: u64, wanted: impl Fn(Place) -> bool) -> Option<(usize, bool)> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = self.home(hash);
        loop {
            match *self.tags.get(slot)? {
                FREE => return Some((slot, false)),
                found if found == tag(hash) && wanted(*self.slots.get(slot)?) => {
                    return Some((slot, true));
                }
                _ => slot = self.next(slot),
            }
        }
    }

    /// Where an article stands. `key_at` reads the key at a place.
    pub(super) fn find(
        &self,
        key: UrlKey,
        key_at: impl Fn(Place) -> Option<UrlKey>,
    ) -> Option<Place> {
        let (slot, found) = self.probe(hash(key), |place| key_at(place) == Some(key))?;
        found.then(|| self.slots.get(slot).copied()).flatten()
    }

    /// Adds an article that is not there.
    pub(super) fn put(
        &mut self,
        key: UrlKey,
        place: Place,
        key_at: impl Fn(Place) -> Option<UrlKey>,
    ) {
        // At most four of five are taken.
        if (self.len + 1) * 5 > self.slots.len() * 4 {
            self.grow(key_at);
        }
        self.set(hash(key), place);
        self.len += 1;
    }

    fn set(&mut self, hash: u64, place: Place) {
        let Some((slot, _)) = self.probe(hash, |_| false) else { return };
        if let (Some(old), Some(mark)) = (self.slots.get_mut(slot), self.tags.get_mut(slot)) {
            (*old, *mark) = (place, tag(hash));
        }
    }

    /// A quarter more room: memory is dearer here than copying.
    fn grow(&mut self, key_at: impl Fn(Place) -> Option<UrlKey>) {
        let room = self.slots.len() + self.slots.len() / 4 + 8;
        let tags = std::mem::replace(&mut self.tags, vec![FREE; room]);
        let slots = std::mem::replace(&mut self.slots, vec![Place::default(); room]);
        for (mark, place) in tags.into_iter().zip(slots) {
            if mark != FREE
                && let Some(key) = key_at(place)
            {
                self.set(hash(key), place);
            }
        }
    }

    /// An article has been moved from one place to another.
    pub(super) fn moved(&mut self, key: UrlKey, from: Place, to: Place) {
        if let Some((slot, true)) = self.probe(hash(key), |place| place == from)
            && let Some(place) = self.slots.get_mut(slot)
        {
            *place = to;
        }
    }

    /// Takes out the article that stands at `place`.
    pub(super) fn remove(
        &mut self,
        key: UrlKey,
        place: Place,
        key_at: impl Fn(Place) -> Option<UrlKey>,
    ) {
        let Some((mut hole, true)) = self.probe(hash(key), |found| found == place) else { return };
        self.len -= 1;
        // What stands behind, and would be sought before the hole, moves into it.
        let mut slot = hole;
        loop {
            slot = self.next(slot);
            let Some(moving) = self.slots.get(slot).copied() else { break };
            let Some(mark) = self.tags.get(slot).copied().filter(|mark| *mark != FREE) else {
                break;
            };
            let Some(home) = key_at(moving).map(|key| self.home(hash(key))) else { continue };
            let stays =
                if hole < slot { hole < home && home <= slot } else { hole < home || home <= slot };
            if !stays {
                if let (Some(to), Some(tag)) = (self.slots.get_mut(hole), self.tags.get_mut(hole)) {
                    (*to, *tag) = (moving, mark);
                }
                hole = slot;
            }
        }
        if let Some(mark) = self.tags.get_mut(hole) {
            *mark = FREE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0u8..4, 0u32..60), 0..300)) {
            // Key n stands at (0, n), or at (1, n) once it has been moved.
            let key_at = |place: Place| Some(UrlKey(u128::from(place.at)));
            let (mut places, mut model) = (Places::default(), BTreeMap::new());
            for (what, n) in steps {
                let key = UrlKey(u128::from(n));
                match (what, model.get(&n).copied()) {
                    (0 | 1, None) => {
                        let place = Place { cell: 0, at: n };
                        places.put(key, place, key_at);
                        model.insert(n, place);
                    }
                    (2, Some(place)) => {
                        let to = Place { cell: 1 - place.cell, at: n };
                        places.moved(key, place, to);
                        model.insert(n, to);
                    }
                    (3, Some(place)) => {
                        places.remove(key, place, key_at);
                        model.remove(&n);
                    }
                    _ => {}
                }
                prop_assert_eq!(places.len(), model.len());
                for n in 0..60 {
                    let found = places.find(UrlKey(u128::from(n)), key_at);
                    prop_assert_eq!(found, model.get(&n).copied());
                }
            }
        }
    }
}
