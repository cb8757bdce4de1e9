//! Where characters and words begin in a stretch of a folded text, one bit a byte.
//!
//! Must not know: names.

use super::first_bytes;
use crate::mention::letters::Joints;

/// Bytes that are looked at together: as many as a word has bits.
pub(super) const BLOCK: usize = 64;

/// Where characters and words begin in a block; one bit a byte, the first byte lowest.
pub(super) struct Begins {
    /// Word characters of ASCII; folded ones have no capitals.
    pub(super) letters: u64,
    /// Characters outside of ASCII.
    pub(super) others: u64,
    /// Those of them from U+4000 to U+9FFF: Han, which never joins.
    pub(super) han: u64,
    /// All characters.
    pub(super) chars: u64,
    /// Characters that the one before belongs to the same word as.
    pub(super) joined: u64,
    /// Behind word characters, behind Hangul: what the block before leaves to this one.
    behind: (u64, u64),
    joints: Joints,
}

impl Begins {
    /// Before the first block.
    pub(super) fn new() -> Begins {
        Begins {
            letters: 0,
            others: 0,
            han: 0,
            chars: 0,
            joined: 0,
            behind: (0, 0),
            joints: Joints::get(),
        }
    }

    /// Reads the block of `text` that begins at `start`.
    pub(super) fn read(&mut self, text: &str, start: usize, bytes: &[u8]) {
        let mut padded = [0; BLOCK];
        let block = bytes.first_chunk().unwrap_or_else(|| {
            padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
            &padded
        });
        let letters = mask(block, |b| b.is_ascii_lowercase() | b.is_ascii_digit() | (b == b'_'));
        let (mut others, mut han, mut later) = (0, 0, 0);
        if !block.is_ascii() {
            others = mask(block, |b| b >= 0xc0);
            han = mask(block, |b| b.wrapping_sub(0xe4) < 6);
            later = mask(block, |b| b.wrapping_sub(0x80) < 0x40);
        }
        let chars = u64::MAX >> (BLOCK - bytes.len());
        let (mut words, mut hangul, mut marks) = (letters, 0, 0);
        let (after_word, after_hangul) = self.behind;
        self.behind = (letters >> (BLOCK - 1), 0);
        let (mut behind_word, mut behind_hangul) = (letters << 1 | after_word, after_hangul);
        let mut rest = others & !han;
        while rest != 0 {
            let place = rest.trailing_zeros();
            rest &= rest - 1;
            let (c, length) = decode(first_bytes(text.as_bytes(), start + place as usize));
            let joint = u64::from(self.joints.of(c));
            if joint == 0 {
                continue;
            }
            let (word, hangul_bit) = (joint & 1, joint >> 1 & 1);
            words |= word << place;
            hangul |= hangul_bit << place;
            marks |= (joint >> 2) << place;
            let end = place + length;
            if let Some(over) = end.checked_sub(BLOCK as u32) {
                self.behind = (word << over, hangul_bit << over);
            } else {
                behind_word |= word << end;
                behind_hangul |= hangul_bit << end;
            }
        }
        self.joined = words & behind_word & (!(hangul ^ behind_hangul) | marks);
        (self.letters, self.others, self.han) = (letters, others, han);
        self.chars = chars & !later;
    }
}

/// The bytes that pass the test, one bit each. Compilers make vector instructions of it.
fn mask(block: &[u8; BLOCK], test: impl Fn(u8) -> bool) -> u64 {
    let mut passed = [0; BLOCK];
    for at in 0..BLOCK {
        passed[at] = u8::from(test(block[at]));
    }
    let (eights, _) = passed.as_chunks();
    let mut mask = 0;
    for (number, eight) in eights.iter().enumerate() {
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * number);
    }
    mask
}

/// The character that `bytes` begin with, the first byte lowest, and its length.
fn decode(bytes: u64) -> (char, u32) {
    let byte = |n: u32| bytes as u32 >> (8 * n) & 0x3f;
    let (c, length) = match bytes as u8 {
        first @ ..0xe0 => (u32::from(first & 0x1f) << 6 | byte(1), 2),
        first @ 0xe0..0xf0 => (u32::from(first & 0xf) << 12 | byte(1) << 6 | byte(2), 3),
        first => (u32::from(first & 7) << 18 | byte(1) << 12 | byte(2) << 6 | byte(3), 4),
    };
    (char::from_u32(c).unwrap_or_default(), length)
}
