//! Words of a title as hashes, for comparing titles. Must not know whose titles they are.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use crate::extract::text::is_alphanumeric;
use crate::model::is_spaceless;

/// The words of a text, each once, by their hashes in ascending order.
#[derive(Clone, Default)]
pub(super) struct Terms(Vec<u64>);

impl Terms {
    /// Of the first words, in lower case; where no blanks part words, of each two characters that stand together.
    pub fn of(text: &str) -> Terms {
        const MOST: usize = 100;
        let hash = |word: &str| {
            let mut hasher = FixedState::default().build_hasher();
            if word.is_ascii() {
                word.bytes().for_each(|b| hasher.write_u8(b.to_ascii_lowercase()));
            } else {
                word.to_lowercase().bytes().for_each(|b| hasher.write_u8(b));
            }
            hasher.finish()
        };
        let words = text.split(|c: char| !is_alphanumeric(c)).filter(|w| !w.is_empty());
        // Most words have more letters.
        let mut hashes: Vec<u64> = Vec::with_capacity(text.len() / 4);
        for word in words.take(MOST) {
            if !word.contains(is_spaceless) {
                hashes.push(hash(word));
                continue;
            }
            let ends = word.char_indices().map(|(at, _)| at).skip(2).chain([word.len()]);
            let pairs = word.char_indices().zip(ends).map(|((at, _), end)| &word[at..end]);
            hashes.extend(pairs.take(MOST).map(hash));
        }
        hashes.sort_unstable();
        hashes.dedup();
        Terms(hashes)
    }

    pub fn common(&self, other: &Terms) -> usize {
        self.0.iter().filter(|hash| other.0.binary_search(hash).is_ok()).count()
    }

    /// Words in common, as a share of the shorter text's.
    pub fn contained(&self, other: &Terms) -> f32 {
        let common = self.common(other);
        if common == 0 { 0.0 } else { common as f32 / self.0.len().min(other.0.len()) as f32 }
    }

    /// Jaccard coefficient.
    pub fn overlap(&self, other: &Terms) -> f32 {
        let common = self.common(other);
        let all = self.0.len() + other.0.len() - common;
        if common == 0 { 0.0 } else { common as f32 / all as f32 }
    }
}
