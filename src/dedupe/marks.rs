//! Articles by their marks: which of those held share any with a text, and how many.
//!
//! Must not know: how marks are chosen, what is decided from them, where prints are kept.

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Read, Write};

use crate::model::UrlKey;

/// Articles by their marks.
#[derive(Debug, Default)]
pub struct Marks {
    /// By number.
    keys: Vec<UrlKey>,
    /// Ascending, in runs, each more than twice as long as the next.
    runs: Vec<Vec<Marked>>,
}

/// The first bytes of a mark (3) and the number of its article (3), so that their order is that of the
/// bytes. Marks that differ only in their last byte are told apart by whoever reads the print.
type Marked = [u8; 6];

/// Articles that can be numbered.
const NUMBERS: u32 = 1 << 24;

fn marked(mark: u32, number: u32) -> Marked {
    let ([a, b, c, _], [_, d, e, f]) = (mark.to_be_bytes(), number.to_be_bytes());
    [a, b, c, d, e, f]
}

/// The mark without its last byte, and the number.
fn unmarked([a, b, c, d, e, f]: Marked) -> (u32, u32) {
    (u32::from_be_bytes([a, b, c, 0]), u32::from_be_bytes([0, d, e, f]))
}

/// Appends; grows by a sixteenth where `Vec` would double, for memory is dearer here than copying.
fn push<T>(column: &mut Vec<T>, item: T) {
    if column.len() == column.capacity() {
        column.reserve_exact(column.len() / 16 + 4);
    }
    column.push(item);
}

impl Marks {
    /// Adds an article; beyond 16 million of them no more.
    pub fn insert(&mut self, key: UrlKey, marks: &[u32]) {
        let number = u32::try_from(self.keys.len()).ok().filter(|number| *number < NUMBERS);
        let Some(number) = number.filter(|_| !marks.is_empty()) else { return };
        push(&mut self.keys, key);
        self.join(marks.iter().map(|mark| marked(*mark, number)).collect());
    }

    fn join(&mut self, mut run: Vec<Marked>) {
        while let Some(shorter) = self.runs.pop_if(|last| last.len() <= run.len() * 2) {
            run.extend(shorter);
        }
        // Two or more ascending runs: the sort finds and merges them.
        run.sort();
        run.shrink_to_fit();
        self.runs.push(run);
    }

    /// Keeps only the articles of which `keep` is true.
    pub fn retain(&mut self, keep: &mut dyn FnMut(UrlKey) -> bool) {
        let mut numbers = Vec::with_capacity(self.keys.len());
        let mut left = 0;
        for key in &self.keys {
            let kept = keep(*key);
            numbers.push(kept.then_some(left));
            left += u32::from(kept);
        }
        if left as usize == self.keys.len() {
            return;
        }
        let mut kept = numbers.iter().map(Option::is_some);
        self.keys.retain(|_| kept.next().unwrap_or(false));
        self.keys.shrink_to_fit();
        let mut run: Vec<Marked> = Vec::new();
        for (mark, number) in self.runs.drain(..).flatten().map(unmarked) {
            if let Some(Some(number)) = numbers.get(number as usize) {
                run.push(marked(mark, *number));
            }
        }
        run.sort();
        run.shrink_to_fit();
        self.runs.push(run);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<UrlKey>()
            + self.runs.iter().map(|run| run.capacity() * size_of::<Marked>()).sum::<usize>()
    }

    /// Number of articles held.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Holds no article.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Articles that seem to share some of these marks, those that share most first, then by key.
    pub fn sharing(&self, marks: &[u32]) -> Vec<UrlKey> {
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for run in &self.runs {
            for mark in marks {
                let least = marked(*mark, 0);
                let (wanted, _) = unmarked(least);
                let from = run.partition_point(|other| *other < least);
                let same = run.iter().skip(from).map(|both| unmarked(*both));
                for (_, number) in same.take_while(|(other, _)| *other == wanted) {
                    *shared.entry(number).or_default() += 1;
                }
            }
        }
        let key = |(number, count): (u32, u32)| Some((count, *self.keys.get(number as usize)?));
        let mut sharing: Vec<(u32, UrlKey)> = shared.into_iter().filter_map(key).collect();
        sharing.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut keys: Vec<UrlKey> = sharing.into_iter().map(|(_, key)| key).collect();
        keys.dedup();
        keys
    }

    /// Writes everything: number of articles, the key of each, number of marks, each with its article.
    pub fn save(&self, to: &mut dyn Write) -> std::io::Result<()> {
        let keys = self.keys.len() as u64;
        let mut sum = checked(START, keys);
        to.write_all(&keys.to_le_bytes())?;
        for key in &self.keys {
            to.write_all(&key.0.to_le_bytes())?;
            sum = checked_key(sum, *key);
        }
        let marks = self.runs.iter().map(Vec::len).sum::<usize>() as u64;
        sum = checked(sum, marks);
        to.write_all(&marks.to_le_bytes())?;
        for both in self.runs.iter().flatten() {
            to.write_all(both)?;
            sum = checked_marked(sum, *both);
        }
        to.write_all(&sum.to_le_bytes())
    }

    /// Reads what [`Marks::save`] wrote. Memory is bounded by the length of what is read.
    pub fn load(from: &mut dyn Read) -> std::io::Result<Marks> {
        fn next<const N: usize>(from: &mut dyn Read) -> std::io::Result<[u8; N]> {
            let mut bytes = [0; N];
            from.read_exact(&mut bytes)?;
            Ok(bytes)
        }
        let (mut marks, mut run) = (Marks::default(), Vec::new());
        let keys = u64::from_le_bytes(next(from)?);
        let mut sum = checked(START, keys);
        for _ in 0..keys {
            let key = UrlKey(u128::from_le_bytes(next(from)?));
            sum = checked_key(sum, key);
            marks.keys.push(key);
        }
        let held = u64::from_le_bytes(next(from)?);
        sum = checked(sum, held);
        for _ in 0..held {
            let both: Marked = next(from)?;
            sum = checked_marked(sum, both);
            run.push(both);
        }
        if u64::from_le_bytes(next(from)?) != sum {
            return Err(Error::new(ErrorKind::InvalidData, "the checksum of the marks differs"));
        }
        run.sort();
        run.shrink_to_fit();
        marks.keys.shrink_to_fit();
        marks.runs.push(run);
        Ok(marks)
    }
}

/// What a checksum begins with: a file of zeros has not its own.
const START: u64 = 0x6d61_726b_7320_6279;

/// Carries a checksum over a key: finds damage, not malice.
fn checked_key(sum: u64, key: UrlKey) -> u64 {
    // The two halves, as they are written.
    [key.0 as u64, (key.0 >> 64) as u64].into_iter().fold(sum, checked)
}

fn checked_marked(sum: u64, both: Marked) -> u64 {
    let (mark, number) = unmarked(both);
    checked(sum, u64::from(mark) << 32 | u64::from(number))
}

fn checked(sum: u64, word: u64) -> u64 {
    (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Articles, and the marks of each.
    type Held = Vec<Vec<u32>>;

    fn naive(held: &BTreeMap<u128, Vec<u32>>, asked: &[u32]) -> Vec<UrlKey> {
        let count = |marks: &Vec<u32>| {
            asked.iter().filter(|mark| marks.iter().any(|m| m >> 8 == **mark >> 8)).count()
        };
        let mut found: Vec<(usize, u128)> = held.iter().map(|(k, m)| (count(m), *k)).collect();
        found.retain(|(count, _)| *count > 0);
        found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().map(|(_, key)| UrlKey(key)).collect()
    }

    fn held() -> impl Strategy<Value = Held> {
        // No two of one text differ in their last byte alone.
        let marks = prop::collection::btree_set((0u32..12).prop_map(|n| n << 24 | n), 0..6);
        prop::collection::vec(marks.prop_map(|marks| marks.into_iter().collect()), 1..40)
    }

    proptest! {
        /// In any order of insertion, after some have left, saved and loaded.
        #[test]
        fn the_sharing_are_found(all in held(), left in 0u128..4, damage in any::<prop::sample::Index>()) {
            let mut marks = Marks::default();
            for (n, own) in all.iter().enumerate() {
                marks.insert(UrlKey(n as u128), own);
            }
            marks.retain(&mut |key| left == 0 || key.0 % 4 != left);
            let kept: BTreeMap<u128, Vec<u32>> = (0u128..).zip(all.clone())
                .filter(|(n, own)| !own.is_empty() && (left == 0 || n % 4 != left)).collect();
            prop_assert_eq!(marks.len(), kept.len());
            let mut bytes = Vec::new();
            marks.save(&mut bytes).unwrap();
            let loaded = Marks::load(&mut bytes.as_slice()).unwrap();
            for own in &all {
                prop_assert_eq!(marks.sharing(own), naive(&kept, own));
                prop_assert_eq!(loaded.sharing(own), naive(&kept, own));
            }
            let at = damage.index(bytes.len());
            prop_assert!(Marks::load(&mut &bytes[..at]).is_err());
            bytes[at] ^= 0x10;
            prop_assert!(Marks::load(&mut bytes.as_slice()).is_err());
        }

        #[test]
        fn any_bytes_load_or_fail(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Marks::load(&mut bytes.as_slice());
        }
    }
}
