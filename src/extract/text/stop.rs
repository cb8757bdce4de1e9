//! Stop words of many languages in one hash table: word → set of languages.

use std::ops::Range;
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

    /// The same with some bytes more, eight at most, the last in the lowest place.
    #[inline]
    pub(super) fn with_bytes(self, bytes: u64, length: u32) -> Hash {
        let count = self.count + length;
        if count < 8 {
            return Hash { bytes: self.bytes << (8 * length) | bytes, count, ..self };
        }
        let (room, rest) = (8 - self.count, count - 8);
        // In two steps, since none can shift everything out.
        let whole = self.bytes << (8 * (room - 1)) << 8 | bytes >> (8 * rest);
        let before = Hash { bytes: whole, ..self }.mixed();
        Hash { before, bytes: bytes & !(u64::MAX << (8 * rest)), count: rest }
    }

    /// The same with a part of a text, eight bytes at most, as it stands there.
    #[inline]
    pub(super) fn with_part(self, text: &str, part: Range<usize>) -> Hash {
        let length = part.len() as u32;
        let bytes = class::eight(text.as_bytes(), part.start);
        self.with_bytes(bytes.checked_shr(u64::BITS - 8 * length).unwrap_or(0), length)
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

    /// The same with a character more. By value, so that hashes stay in registers where most characters are
    /// letters of ASCII.
    #[inline(never)]
    pub(super) fn with(mut self, c: char) -> Hash {
        self.char(c);
        self
    }

    /// The same with a character of two bytes and this class.
    #[inline]
    pub(super) fn with_two(self, class: u8, bytes: [u8; 2]) -> Hash {
        match class & class::LOWER {
            0 => self.with(class::char_of_two(bytes)),
            _ => self.with_bytes(u64::from(u16::from_be_bytes(bytes)), 2),
        }
    }

    #[inline]
    fn bytes(&mut self, c: char) {
        let mut buffer = [0; 4];
        for &b in c.encode_utf8(&mut buffer).as_bytes() {
            self.byte(b);
        }
    }
}

/// Open addressing, half full; a slot is a hash and the index of a set.
pub(super) struct Table {
    /// A bit for every word, of four for each slot: most words are told by it to be none of these,
    /// without a look at the slots, which are too many to be at hand.
    marks: Vec<u64>,
    slots: Vec<Slot>,
    sets: Vec<u64>,
    /// Characters of scripts without spaces that words begin with, a bit each, as far as two bytes number them. Texts of
    /// these are tried at every character.
    begun: Vec<u64>,
    /// The same of their first two, a bit for each of which some share one.
    two: Vec<u64>,
}

/// The upper half of a word's hash, and the index of its set; 0 for none.
type Slot = (u32, u16);

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
        let mut two = vec![0; 1 << (TWO_BITS - u64::BITS.ilog2())];
        for (bit, word) in listed {
            let mut chars = word.chars();
            if let Some(first) = chars.next().filter(|c| super::is_spaceless(*c)) {
                let (at, mark) = first_mark(first);
                begun[at] |= mark;
                if let Some(second) = chars.next() {
                    let (at, mark) = mark_of_two(first, second);
                    two[at] |= mark;
                }
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
            begun,
            two,
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
            let mut at = table.place(hash);
            while table.slots[at].1 != 0 {
                at = table.next(at);
            }
            table.slots[at] = (short(hash), index as u16);
        }
        table
    }

    /// Where a word's mark stands.
    #[inline]
    fn mark(&self, hash: u64) -> (usize, u64) {
        let (word, bit) = (short(hash) / u64::BITS, short(hash) % u64::BITS);
        (word as usize & (self.marks.len() - 1), 1 << bit)
    }

    /// The slot that a word has if no other has it, by the lower half of its hash: slots hold the upper half, and so
    /// words are told apart by the bits of both.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        (hash >> 7) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }

    /// May a word of a script without spaces begin with these two characters?
    #[inline]
    fn may_go_on(&self, first: char, second: char) -> bool {
        let (at, mark) = mark_of_two(first, second);
        self.two[at] & mark != 0
    }

    /// The languages in which this is a stop word, as bits.
    #[inline]
    pub(super) fn languages(&self, hash: u64) -> u64 {
        if !self.is_marked(hash) {
            return 0;
        }
        let at = self.place(hash);
        self.languages_from(hash, at, self.slots[at])
    }

    #[inline]
    fn is_marked(&self, hash: u64) -> bool {
        let (word, bit) = self.mark(hash);
        self.marks[word] & bit != 0
    }

    /// The same, by what stands at a slot and behind it.
    #[inline]
    fn languages_from(&self, hash: u64, mut at: usize, mut slot: Slot) -> u64 {
        while slot.0 != short(hash) && slot.1 != 0 {
            at = self.next(at);
            slot = self.slots[at];
        }
        self.sets[usize::from(slot.1)]
    }
}

/// Where the mark of a first character stands in [`Table::begun`].
#[inline]
fn first_mark(first: char) -> (usize, u64) {
    let low = u32::from(first) as u16;
    (usize::from(low / 64), 1 << (low % 64))
}

/// So many bits number the marks of [`Table::two`].
const TWO_BITS: u32 = 14;

/// Where the mark of the first two characters stands there.
#[inline]
fn mark_of_two(first: char, second: char) -> (usize, u64) {
    let mixed =
        u32::from(first).wrapping_mul(0x9E37_79B9) ^ u32::from(second).wrapping_mul(0x85EB_CA6B);
    let mark = mixed >> (u32::BITS - TWO_BITS);
    ((mark / 64) as usize, 1 << (mark % 64))
}

/// Counts stop words of texts, one after the other. Words wait until many can be looked up one right behind the other:
/// the table is too large to be at hand, and so its places are fetched side by side.
pub(super) struct Counter<'t> {
    table: &'t Table,
    /// Hashes of words that wait, and the languages of those that were looked up at once.
    waiting: Vec<u64>,
    found: Vec<u64>,
    /// How many there are of both up to the end of each text.
    ends: Vec<[usize; 2]>,
}

/// With so many words that wait, they are looked up when a text ends.
const WAITING: usize = 1024;
/// So many are fetched side by side.
const FETCHED: usize = 32;

impl<'t> Counter<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        Counter {
            table,
            waiting: Vec::with_capacity(2 * WAITING),
            found: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Counts a word by its hash.
    #[inline]
    pub(super) fn word(&mut self, hash: u64) {
        self.waiting.push(hash);
    }

    /// Counts the longest stop word (at most four characters) that a text in a script without spaces begins with, and
    /// gives its length in bytes.
    pub(super) fn begun(&mut self, text: &str) -> Option<usize> {
        let mut hash = Hash::default();
        let mut length = 0;
        let mut best = None;
        let mut first = '\0';
        let characters = text.chars().take(4).take_while(|&c| super::is_spaceless(c));
        for (place, c) in characters.enumerate() {
            match place {
                0 => first = c,
                // Most characters begin no word with the next one.
                1 if !self.table.may_go_on(first, c) => break,
                _ => {}
            }
            hash = hash.with_part(text, length..length + c.len_utf8());
            length += c.len_utf8();
            let languages = self.table.languages(hash.end());
            if languages != 0 {
                best = Some((length, languages));
            }
        }
        best.map(|(length, languages)| {
            self.found.push(languages);
            length
        })
    }

    /// May a stop word of a script without spaces begin with this character?
    #[inline]
    pub(super) fn may_begin(&self, first: char) -> bool {
        let (at, mark) = first_mark(first);
        self.table.begun[at] & mark != 0
    }

    /// A text ends. Do enough words wait to be looked up?
    pub(super) fn end_text(&mut self) -> bool {
        self.ends.push([self.waiting.len(), self.found.len()]);
        self.waiting.len() >= WAITING
    }

    /// How many texts have words that wait.
    pub(super) fn texts(&self) -> usize {
        self.ends.len()
    }

    /// Calls `each` for each of these texts with the most words that a language has there, and the first language that has
    /// so many. Step by step, so that no word waits for the one before it.
    pub(super) fn settle(&mut self, mut each: impl FnMut(u32, u8)) {
        let Counter { table, waiting, found, ends } = self;
        let (mut from, mut marked) = (0, 0);
        for [end, _] in ends.iter_mut() {
            for at in from..*end {
                let hash = waiting[at];
                waiting[marked] = hash;
                marked += usize::from(table.is_marked(hash));
            }
            (from, *end) = (*end, marked);
        }
        let mut languages = Vec::with_capacity(marked);
        for hashes in waiting[..marked].chunks(FETCHED) {
            let mut slots = [(0, 0); FETCHED];
            for (slot, hash) in slots.iter_mut().zip(hashes) {
                *slot = table.slots[table.place(*hash)];
            }
            let slots = hashes.iter().zip(slots);
            languages.extend(
                slots.map(|(hash, slot)| table.languages_from(*hash, table.place(*hash), slot)),
            );
        }
        let mut hits = Hits::default();
        let mut start = [0; 2];
        for end in ends.drain(..) {
            hits.add(&languages[start[0]..end[0]]);
            hits.add(&found[start[1]..end[1]]);
            let (count, language) = hits.take_most();
            each(count, language);
            start = end;
        }
        waiting.clear();
        found.clear();
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
    /// Counts words of these languages ([`Table::languages`]), eight at a time, without a branch.
    pub(super) fn add(&mut self, words: &[u64]) {
        for words in words.chunks(8) {
            let mut eight = [0; 8];
            eight[..words.len()].copy_from_slice(words);
            let [a, b, c, d, e, f, g, h] = eight;
            let [ones, twos, fours, ..] = &mut self.planes;
            let [ab, cd] = [add(ones, a, b), add(ones, c, d)];
            let four = add(twos, ab, cd);
            let [ef, gh] = [add(ones, e, f), add(ones, g, h)];
            let mut carry = add(fours, four, add(twos, ef, gh));
            let mut at = 3;
            while carry != 0
                && let Some(plane) = self.planes.get_mut(at)
            {
                (*plane, carry) = (*plane ^ carry, *plane & carry);
                at += 1;
            }
            self.used = self.used.max(at);
        }
    }

    /// The most words that a language has, and the first language that has so many. Nothing is counted then.
    pub(super) fn take_most(&mut self) -> (u32, u8) {
        let (mut count, mut left) = (0, u64::MAX >> (64 - LANGUAGES.len()));
        for plane in self.planes[..self.used].iter_mut().rev() {
            let with = left & std::mem::take(plane);
            left = if with == 0 { left } else { with };
            count = count << 1 | u32::from(with != 0);
        }
        self.used = 0;
        (count, left.trailing_zeros() as u8)
    }
}

/// Adds two bits to one, in each language; gives what is carried.
#[inline]
fn add(plane: &mut u64, a: u64, b: u64) -> u64 {
    let half = *plane ^ a;
    let carry = *plane & a | half & b;
    *plane = half ^ b;
    carry
}
