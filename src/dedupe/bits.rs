//! Numbers of some bits each, one after the other in bytes, the highest bit first.
//!
//! Must not know: what the numbers mean.

/// Most bits of one number.
const MOST: u32 = 56;

/// Appends numbers to bytes; the last byte is filled with zeros.
pub(super) struct BitWriter<'a> {
    bytes: &'a mut Vec<u8>,
    /// Bits that are no whole byte yet, the last one lowest.
    pending: u64,
    count: u32,
}

impl BitWriter<'_> {
    pub fn new(bytes: &mut Vec<u8>) -> BitWriter<'_> {
        BitWriter { bytes, pending: 0, count: 0 }
    }

    /// Appends the lowest `bits` bits of `number`, at most 56.
    pub fn put(&mut self, number: u64, bits: u32) {
        let bits = bits.min(MOST);
        self.pending = self.pending << bits | number & ((1 << bits) - 1);
        self.count += bits;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.pending >> self.count) as u8);
        }
    }

    pub fn end(self) {
        if self.count > 0 {
            self.bytes.push((self.pending << (8 - self.count)) as u8);
        }
    }
}

/// Reads what a [`BitWriter`] wrote.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bits that were read.
    at: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        BitReader { bytes, at: 0 }
    }

    /// The next number of `bits` bits, at most 56; `None` at the end.
    pub fn take(&mut self, bits: u32) -> Option<u64> {
        let bits = bits.min(MOST);
        let rest = self.bytes.get(self.at / 8..)?;
        let word = match rest.first_chunk() {
            Some(word) => *word,
            None => {
                let mut word = [0; 8];
                word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                word
            }
        };
        let begun = self.at % 8;
        self.at += bits as usize;
        let whole = u64::from_be_bytes(word) << begun;
        // In two steps: no bits at all are a shift by 64.
        (self.at <= self.bytes.len() * 8).then(|| whole >> 1 >> (u64::BITS - 1 - bits))
    }

    /// Is nothing left but the zeros that fill the last byte?
    pub fn is_at_end(&self) -> bool {
        let Some((last, begun)) = self.bytes.split_last() else { return self.at == 0 };
        let left = (begun.len() * 8 + 8).checked_sub(self.at);
        left.is_some_and(|left| left < 8 && last & ((1 << left) - 1) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec((any::<u64>(), 0u32..=MOST), 0..50)) {
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            numbers.iter().for_each(|(number, bits)| writer.put(*number, *bits));
            writer.end();
            let all: u32 = numbers.iter().map(|(_, bits)| bits).sum();
            prop_assert_eq!(bytes.len(), all.div_ceil(8) as usize);
            let mut reader = BitReader::new(&bytes);
            for (number, bits) in numbers {
                prop_assert_eq!(reader.take(bits), Some(number & ((1 << bits) - 1)));
            }
            prop_assert!(reader.is_at_end());
            prop_assert_eq!(reader.take(8), None);
        }
    }
}
