//! Stop words of many languages in one hash table: word → set of languages.

use std::sync::OnceLock;

use super::class;

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

    /// The same with all letters and digits of ASCII from `at` on in a text, and where they end: eight bytes at a time,
    /// which is most words at once.
    #[inline]
    pub(super) fn with_ascii(mut self, text: &[u8], mut at: usize) -> (usize, Hash) {
        // Of letters and digits, this makes lower case.
        const LOWER: u64 = 0x2020_2020_2020_2020;
        while self.count == 0
            && let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk::<8>)
        {
            let eight = u64::from_be_bytes(*eight);
            let length = class::ascii_run(eight);
            at += length as usize;
            let lower = eight | LOWER;
            if length < 8 {
                let bytes = lower.checked_shr(64 - 8 * length).unwrap_or(0);
                return (at, Hash { before: self.before, bytes, count: length });
            }
            self.bytes = lower;
            self = Hash { before: self.mixed(), bytes: 0, count: 0 };
        }
        while let Some(b) = text.get(at).filter(|b| b.is_ascii_alphanumeric()) {
            self.byte(b | 0x20);
            at += 1;
        }
        (at, self)
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
        if class::is_lower_form(c) {
            return self.bytes(c);
        }
        c.to_lowercase().for_each(|lower| self.bytes(lower));
    }

    /// A character of two bytes and this class, at `at` in a text.
    #[inline]
    pub(super) fn two(&mut self, class: u8, text: &str, at: usize) {
        match text.as_bytes().get(at..at + 2) {
            Some(&[first, second]) if class & class::LOWER != 0 => {
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

    /// Characters that have no upper case, as they stand in a text.
    #[inline]
    pub(super) fn uncased(&mut self, encoded: &str) {
        encoded.bytes().for_each(|b| self.byte(b));
    }

    #[inline]
    fn bytes(&mut self, c: char) {
        let mut buffer = [0; 4];
        for &b in c.encode_utf8(&mut buffer).as_bytes() {
            self.byte(b);
        }
    }
}

/// Open addressing, half full; a slot is the upper half of the hash and the index of a set.
pub(super) struct Table {
    /// A bit for every word, of four for each slot: most words are told by it to be none of these,
    /// without a look at the slots, which are too many to be at hand.
    marks: Vec<u64>,
    slots: Vec<(u32, u16)>,
    sets: Vec<u64>,
    mask: usize,
    /// Characters of scripts without spaces that words begin with, a bit each, as far as two bytes number them. Texts of
    /// these are tried at every character.
    begun: Vec<u64>,
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
        let mut begun = vec![0; 1 << (u16::BITS - u64::BITS.ilog2())];
        for (bit, word) in listed {
            if let Some(first) = word.chars().next().filter(|c| super::is_spaceless(*c)) {
                let (at, mark) = first_mark(first);
                begun[at] |= mark;
            }
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
        let size = (words.len() * 3 / 2).next_power_of_two();
        let mut table = Table {
            marks: vec![0; size.div_ceil(16)],
            slots: vec![(0, 0); size],
            sets: vec![0],
            mask: size - 1,
            begun,
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
        if self.is_marked(hash) { self.languages_of(hash) } else { 0 }
    }

    #[inline]
    fn is_marked(&self, hash: u64) -> bool {
        let (word, bit) = self.mark(hash);
        self.marks[word] & bit != 0
    }

    /// The same of a word that is marked.
    #[inline]
    fn languages_of(&self, hash: u64) -> u64 {
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

/// Where the mark of a first character stands in [`Table::begun`].
#[inline]
fn first_mark(first: char) -> (usize, u64) {
    let low = u32::from(first) as u16;
    (usize::from(low / 64), 1 << (low % 64))
}

/// Counts stop words of a text. Words wait until many can be looked up one right behind the other: the table is too large
/// to be at hand, and so its places are fetched side by side.
pub(super) struct Counter<'t> {
    table: &'t Table,
    hits: Hits,
    waiting: [u64; WAITING],
    count: usize,
}

/// So many words wait.
const WAITING: usize = 32;

impl<'t> Counter<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        Counter { table, hits: Hits::default(), waiting: [0; WAITING], count: 0 }
    }

    /// Counts a word by its hash.
    #[inline]
    pub(super) fn word(&mut self, hash: u64) {
        if self.count == WAITING {
            self.look_up();
        }
        self.waiting[self.count] = hash;
        self.count += 1;
    }

    /// Counts the longest stop word (at most four characters) that a text in a script without spaces begins with, and
    /// gives its length in bytes.
    pub(super) fn begun(&mut self, text: &str) -> Option<usize> {
        let mut hash = Hash::default();
        let mut length = 0;
        let mut best = None;
        for c in text.chars().take(4).take_while(|&c| super::is_spaceless(c)) {
            let end = length + c.len_utf8();
            hash.uncased(text.get(length..end)?);
            length = end;
            let languages = self.table.languages(hash.end());
            if languages != 0 {
                best = Some((length, languages));
            }
        }
        best.map(|(length, languages)| {
            self.hits.add(languages);
            length
        })
    }

    /// May a stop word of a script without spaces begin with this character?
    #[inline]
    pub(super) fn may_begin(&self, first: char) -> bool {
        let (at, mark) = first_mark(first);
        self.table.begun[at] & mark != 0
    }

    /// Step by step, so that no word waits for the one before it.
    #[inline(never)]
    fn look_up(&mut self) {
        let mut marked = 0;
        for at in 0..self.count {
            let hash = self.waiting[at];
            self.waiting[marked] = hash;
            marked += usize::from(self.table.is_marked(hash));
        }
        for at in 0..marked {
            self.waiting[at] = self.table.languages_of(self.waiting[at]);
        }
        for at in 0..marked {
            self.hits.add(self.waiting[at]);
        }
        self.count = 0;
    }

    /// The most words that a language has, and the first language that has so many.
    pub(super) fn most(mut self) -> (u32, u8) {
        self.look_up();
        self.hits.most()
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
