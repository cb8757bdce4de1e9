//! Stop words of many languages in one hash table: word → set of languages.

use std::ops::Range;
use std::sync::OnceLock;

/// Languages with a stop-word list, in the order of the bits of [`Table::languages`]. Earlier ones
/// win ties, so widely read languages stand first.
pub const LANGUAGES: [&str; 38] = [
    "en", "es", "de", "fr", "pt", "it", "ru", "zh", "ja", "ar", "nl", "pl", "tr", "fa", "id", "uk",
    "cs", "sv", "ro", "hu", "el", "da", "no", "fi", "ko", "vi", "th", "he", "bg", "hr", "sk", "sl",
    "lt", "lv", "et", "ca", "hi", "ur",
];

/// Hash of a lower-cased word, fed piece by piece: eight bytes at a time are multiplied (FxHash).
#[derive(Clone, Copy, Default)]
pub(super) struct Hash {
    before: u64,
    /// The last bytes, less than eight.
    bytes: u64,
    count: u32,
}

/// The upper half of a hash, where the bits are mixed best.
pub(super) fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}

impl Hash {
    #[inline]
    pub(super) fn byte(&mut self, b: u8) {
        self.bytes = self.bytes << 8 | u64::from(b);
        self.count += 1;
        if self.count == 8 {
            *self = Hash { before: self.mixed(), bytes: 0, count: 0 };
        }
    }

    /// The same with the letters and digits of ASCII that stand in this range: eight bytes at a time.
    #[inline]
    pub(super) fn with_ascii(mut self, text: &[u8], range: Range<usize>) -> Hash {
        // Of letters and digits, this makes lower case.
        const LOWER: u64 = 0x2020_2020_2020_2020;
        let Range { start: mut at, end } = range;
        if self.count > 0 {
            for b in text.get(at..end).unwrap_or_default() {
                self.byte(b | 0x20);
            }
            return self;
        }
        while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let lower = u64::from_be_bytes(*eight) | LOWER;
            let rest = end.saturating_sub(at);
            if rest < 8 {
                let bytes = lower.checked_shr(64 - 8 * rest as u32).unwrap_or(0);
                return Hash { before: self.before, bytes, count: rest as u32 };
            }
            self.bytes = lower;
            self = Hash { before: self.mixed(), bytes: 0, count: 0 };
            at += 8;
        }
        for b in text.get(at..end).unwrap_or_default() {
            self.byte(b | 0x20);
        }
        self
    }

    #[inline]
    fn mixed(self) -> u64 {
        (self.before.rotate_left(5) ^ self.bytes).wrapping_mul(0x517c_c1b7_2722_0a95)
    }

    /// The hash of all that was fed.
    #[inline]
    pub(super) fn end(self) -> u64 {
        let mixed = self.mixed();
        (mixed ^ mixed >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    #[inline]
    pub(super) fn char(&mut self, c: char) {
        if c.is_ascii() {
            return self.byte(c.to_ascii_lowercase() as u8);
        }
        if super::class::is_lower_form(c) {
            return self.bytes(c);
        }
        c.to_lowercase().for_each(|lower| self.bytes(lower));
    }

    /// A character of two bytes and this class, at `at` in a text.
    #[inline]
    pub(super) fn two(&mut self, class: u8, text: &str, at: usize) {
        match text.as_bytes().get(at..at + 2) {
            Some(&[first, second]) if class & super::class::LOWER != 0 => {
                self.byte(first);
                self.byte(second);
            }
            _ => *self = self.with(super::char_at(text, at)),
        }
    }

    /// The same with a character more. By value, so that hashes stay in registers where most characters are
    /// letters of ASCII.
    #[inline(never)]
    pub(super) fn with(mut self, c: char) -> Hash {
        self.char(c);
        self
    }

    #[inline]
    fn bytes(&mut self, c: char) {
        let mut buffer = [0; 4];
        for &b in c.encode_utf8(&mut buffer).as_bytes() {
            self.byte(b);
        }
    }
}

/// Open addressing, a quarter full; a slot is the upper half of the hash and the index of a set.
pub(super) struct Table {
    /// A bit for every word, of four for each slot: most words are told by it to be none of these,
    /// without a look at the slots, which are too many to be at hand.
    marks: Vec<u64>,
    slots: Vec<(u32, u16)>,
    sets: Vec<u64>,
    mask: usize,
}

/// The one table, built at first use.
pub(super) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        Table::new(LANGUAGES.iter().enumerate().flat_map(|(bit, language)| {
            let words = stop_words::lookup(language).unwrap_or_default();
            words.iter().map(move |word| (bit, *word))
        }))
    })
}

impl Table {
    /// Of words with the bits of their languages.
    pub(super) fn new<'a>(listed: impl Iterator<Item = (usize, &'a str)>) -> Self {
        let mut words: Vec<(u64, u64)> = Vec::new();
        for (bit, word) in listed {
            if word.chars().all(|c| super::is_word(c) && !c.is_numeric()) {
                let mut hash = Hash::default();
                word.chars().for_each(|c| hash.char(c));
                words.push((hash.end(), 1 << bit));
            }
        }
        words.sort_unstable();
        words.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 |= next.1;
            }
            same
        });
        let size = (words.len() * 3).next_power_of_two();
        let mut table = Table {
            marks: vec![0; size.div_ceil(16)],
            slots: vec![(0, 0); size],
            sets: vec![0],
            mask: size - 1,
        };
        for (hash, set) in words {
            let (word, bit) = table.mark(hash);
            table.marks[word] |= bit;
            let index = match table.sets.iter().position(|&s| s == set) {
                Some(index) => index,
                None => {
                    table.sets.push(set);
                    table.sets.len() - 1
                }
            };
            let mut at = hash as usize >> 7 & table.mask;
            while table.slots[at].1 != 0 {
                at = (at + 1) & table.mask;
            }
            table.slots[at] = (short(hash), index as u16);
        }
        table
    }

    /// Where a word's mark stands.
    #[inline]
    fn mark(&self, hash: u64) -> (usize, u64) {
        let at = (hash >> 32) as usize & (4 * self.mask + 3);
        (at / 64, 1 << (at % 64))
    }

    /// The languages in which this is a stop word, as bits.
    #[inline]
    pub(super) fn languages(&self, hash: u64) -> u64 {
        let (word, bit) = self.mark(hash);
        if self.marks[word] & bit == 0 {
            return 0;
        }
        let mut at = hash as usize >> 7 & self.mask;
        loop {
            let (found, set) = self.slots[at];
            if set == 0 {
                return 0;
            }
            if found == short(hash) {
                return self.sets[set as usize];
            }
            at = (at + 1) & self.mask;
        }
    }
}

/// How many words are stop words of each language: a bit of all counts in each number, the lowest first. So a word of many
/// languages is counted in one step.
#[derive(Default)]
pub(super) struct Hits {
    planes: [u64; u32::BITS as usize],
    /// Of these, so many are not 0.
    used: usize,
}

impl Hits {
    /// Counts a word of these languages ([`Table::languages`]).
    #[inline]
    pub(super) fn add(&mut self, languages: u64) {
        let mut carry = languages;
        let mut at = 0;
        while carry != 0
            && let Some(plane) = self.planes.get_mut(at)
        {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            at += 1;
        }
        self.used = self.used.max(at);
    }

    /// The most words that a language has, and the first language that has so many.
    pub(super) fn most(&self) -> (u32, u8) {
        let (mut count, mut left) = (0, u64::MAX >> (64 - LANGUAGES.len()));
        for plane in self.planes[..self.used].iter().rev() {
            let with = left & plane;
            left = if with == 0 { left } else { with };
            count = count << 1 | u32::from(with != 0);
        }
        (count, left.trailing_zeros() as u8)
    }
}
