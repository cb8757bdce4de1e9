//! A cell of the index: articles of nearly equal token sum and similar sketches, in columns, so
//! that a search touches only what it needs.
//!
//! Must not know: other cells, full vectors, τ.

use crate::model::{Millis, UrlKey};

use super::Entry;
use super::bound::{Hull, Question, Sketch};

/// Bytes of forgotten digests that are left lying in a cell at least.
const REST: usize = 4096;

/// How a cell was split: articles whose share of `bucket` is above `stays` went on.
#[derive(Clone, Copy)]
pub(super) struct Split {
    bucket: u8,
    stays: u8,
}

impl Split {
    pub(super) fn goes_on(self, sketch: &Sketch) -> bool {
        sketch.get(usize::from(self.bucket)).is_some_and(|share| *share > self.stays)
    }
}

#[derive(Default)]
pub(super) struct Cell {
    /// Which shelf it stands on, and where there.
    pub(super) shelf: u16,
    pub(super) slot: u32,
    pub(super) keys: Vec<UrlKey>,
    pub(super) ats: Vec<Millis>,
    pub(super) lens: Vec<u32>,
    sketches: Vec<Sketch>,
    /// Where each digest begins in `digests`.
    starts: Vec<u32>,
    /// Bytes of each digest: even one of all buckets has less than 2^16.
    sizes: Vec<u16>,
    digests: Vec<u8>,
    /// Bytes in `digests` that belong to no article any more.
    dead: usize,
}

impl Cell {
    /// An empty cell.
    pub(super) fn on(shelf: u16, slot: u32) -> Cell {
        Cell { shelf, slot, ..Cell::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Appends an article; its place, or `None` if the cell is full (4 GiB of digests).
    pub(super) fn push(&mut self, key: UrlKey, at: Millis, entry: &Entry) -> Option<u32> {
        let place = u32::try_from(self.keys.len()).ok()?;
        let start = u32::try_from(self.digests.len()).ok()?;
        let size = u16::try_from(entry.digest.len()).ok()?;
        reserve(&mut self.digests, entry.digest.len());
        self.digests.extend_from_slice(&entry.digest);
        push(&mut self.starts, start);
        push(&mut self.sizes, size);
        push(&mut self.keys, key);
        push(&mut self.ats, at);
        push(&mut self.lens, entry.len);
        push(&mut self.sketches, entry.sketch);
        Some(place)
    }

    /// Takes out the article at `place`; the last one moves there: its key.
    pub(super) fn remove(&mut self, place: u32) -> Option<UrlKey> {
        let at = place as usize;
        if at >= self.keys.len() {
            return None;
        }
        self.keys.swap_remove(at);
        self.ats.swap_remove(at);
        self.lens.swap_remove(at);
        self.sketches.swap_remove(at);
        self.starts.swap_remove(at);
        self.dead += usize::from(self.sizes.swap_remove(at));
        if self.dead > REST + self.digests.len() / 4 {
            self.compact();
        }
        self.keys.get(at).copied()
    }

    fn compact(&mut self) {
        let mut digests = Vec::with_capacity(self.digests.len() - self.dead);
        for (start, size) in self.starts.iter_mut().zip(&self.sizes) {
            let from = *start as usize;
            // No longer than before, which was within `u32`.
            *start = digests.len() as u32;
            digests.extend_from_slice(
                self.digests.get(from..from + usize::from(*size)).unwrap_or_default(),
            );
        }
        self.digests = digests;
        self.dead = 0;
        self.keys.shrink_to_fit();
        self.ats.shrink_to_fit();
        self.lens.shrink_to_fit();
        self.sketches.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.sizes.shrink_to_fit();
    }

    /// Key, publication instant, token sum and sketch.
    pub(super) fn article(&self, place: usize) -> Option<(UrlKey, Millis, u32, &Sketch)> {
        Some((
            *self.keys.get(place)?,
            *self.ats.get(place)?,
            *self.lens.get(place)?,
            self.sketches.get(place)?,
        ))
    }

    pub(super) fn digest(&self, place: usize) -> &[u8] {
        let (Some(start), Some(size)) = (self.starts.get(place), self.sizes.get(place)) else {
            return &[];
        };
        let from = *start as usize;
        self.digests.get(from..from + usize::from(*size)).unwrap_or_default()
    }

    /// Puts the places of all articles whose sketch bound reaches `cosine` into `places`.
    pub(super) fn reaching(&self, question: &Question, cosine: f64, places: &mut Vec<u32>) {
        places.clear();
        let least = Question::units(cosine);
        for (place, sketch) in self.sketches.iter().enumerate() {
            if question.bound(sketch) >= least {
                // Places are `u32` by `push`.
                places.push(place as u32);
            }
        }
    }

    /// Around all sketches.
    pub(super) fn hull(&self) -> Hull {
        let mut hull = Hull::default();
        self.sketches.iter().for_each(|sketch| hull.widen(sketch));
        hull
    }

    /// Moves the articles with a large share in the bucket where shares differ most into a new
    /// cell: that, the bucket, and the largest share that stays. `None` if all sketches are equal.
    pub(super) fn split(&mut self) -> Option<(Cell, Split)> {
        let (bucket, mean) = self.widest()?;
        let split = Split { bucket, stays: mean };
        let (mut low, mut high) = (Cell::on(self.shelf, self.slot), Cell::default());
        for (place, sketch) in self.sketches.iter().enumerate() {
            let to = if split.goes_on(sketch) { &mut high } else { &mut low };
            to.adopt(self, place, sketch)?;
        }
        *self = low;
        Some((high, split))
    }

    /// The bucket with the largest variance, and a share that tells its articles apart.
    fn widest(&self) -> Option<(u8, u8)> {
        let hull = self.hull();
        let count = self.sketches.len() as u64;
        let mut best = None;
        for (bucket, (&low, &high)) in hull.low.iter().zip(&hull.high).enumerate() {
            if low >= high {
                continue;
            }
            let shares =
                || self.sketches.iter().filter_map(|s| s.get(bucket).map(|s| u64::from(*s)));
            let sum: u64 = shares().sum();
            let spread = count * shares().map(|s| s * s).sum::<u64>() - sum * sum;
            if best.is_none_or(|(most, _, _)| spread > most) {
                // Between the least and the one below the most, so that both sides get some.
                let mean = (sum / count).clamp(u64::from(low), u64::from(high) - 1);
                best = Some((spread, bucket as u8, mean as u8));
            }
        }
        best.map(|(_, bucket, mean)| (bucket, mean))
    }

    /// Takes over a copy of another cell's article.
    fn adopt(&mut self, from: &Cell, place: usize, sketch: &Sketch) -> Option<()> {
        let start = u32::try_from(self.digests.len()).ok()?;
        let digest = from.digest(place);
        reserve(&mut self.digests, digest.len());
        self.digests.extend_from_slice(digest);
        push(&mut self.starts, start);
        push(&mut self.sizes, *from.sizes.get(place)?);
        push(&mut self.keys, *from.keys.get(place)?);
        push(&mut self.ats, *from.ats.get(place)?);
        push(&mut self.lens, *from.lens.get(place)?);
        push(&mut self.sketches, *sketch);
        Some(())
    }

    /// Bytes held, spare room included.
    pub(super) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<UrlKey>()
            + self.ats.capacity() * size_of::<Millis>()
            + self.lens.capacity() * size_of::<u32>()
            + self.sketches.capacity() * size_of::<Sketch>()
            + self.starts.capacity() * size_of::<u32>()
            + self.sizes.capacity() * size_of::<u16>()
            + self.digests.capacity()
            + size_of::<Cell>()
    }
}

/// Room for `more` items; grows by a sixteenth where `Vec` would double, for memory is dearer here
/// than copying.
fn reserve<T>(column: &mut Vec<T>, more: usize) {
    if column.capacity() - column.len() < more {
        column.reserve_exact(more.max(column.len() / 16 + 4));
    }
}

fn push<T>(column: &mut Vec<T>, item: T) {
    reserve(column, 1);
    column.push(item);
}
