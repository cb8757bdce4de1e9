//! What stands in attributes `class`, as small numbers: most elements have a text there that others
//! have, so what it says is worked out once. Must not know: trees, what classes mean.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;

/// The texts of one page, as they are written, each once.
#[derive(Debug, Default)]
pub(super) struct ClassLists {
    /// Ranges of the page; the first has number 1.
    ranges: Vec<(u32, u32)>,
    /// Upper half of the hash and number; 0 is empty. Open addressing, at most half full.
    slots: Vec<(u32, u16)>,
    state: RandomState,
}

impl ClassLists {
    /// How many numbers there are, with that of no text.
    pub(super) fn count(&self) -> usize {
        self.ranges.len() + 1
    }

    /// The text with this number.
    #[inline]
    pub(super) fn raw<'p>(&self, page: &'p str, number: u16) -> Option<&'p str> {
        let &(start, end) = self.ranges.get(usize::from(number).checked_sub(1)?)?;
        page.get(start as usize..end as usize)
    }

    /// The number of a range of the page; `None` when a page has more texts than there are numbers.
    pub(super) fn add(&mut self, page: &str, (start, end): (usize, usize)) -> Option<u16> {
        if self.ranges.len() * 2 >= self.slots.len() {
            self.grow(page);
        }
        let text = &page[start..end];
        let hash = self.state.hash_one(text);
        let (tag, mask) = ((hash >> 32) as u32, self.slots.len() - 1);
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (_, 0) => break,
                (found, number) if found == tag && self.raw(page, number) == Some(text) => {
                    return Some(number);
                }
                _ => at = (at + 1) & mask,
            }
        }
        self.ranges.push((start as u32, end as u32));
        let number = u16::try_from(self.ranges.len()).ok()?;
        self.slots[at] = (tag, number);
        Some(number)
    }

    fn grow(&mut self, page: &str) {
        self.slots = vec![(0, 0); (self.slots.len() * 2).max(256)];
        let mask = self.slots.len() - 1;
        for (number, &(start, end)) in (1..).zip(&self.ranges) {
            let hash = self.state.hash_one(&page[start as usize..end as usize]);
            let mut at = hash as usize & mask;
            while self.slots[at].1 != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = ((hash >> 32) as u32, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_number() {
        let texts: Vec<String> = (0..3_000).map(|n| format!("c{}", n % 1_000)).collect();
        let page = texts.join(" ");
        let mut lists = ClassLists::default();
        let mut start = 0;
        for (n, text) in texts.iter().enumerate() {
            let number = lists.add(&page, (start, start + text.len())).unwrap_or(0);
            assert_eq!(usize::from(number), n % 1_000 + 1);
            assert_eq!(lists.raw(&page, number), Some(text.as_str()));
            start += text.len() + 1;
        }
        assert_eq!(lists.count(), 1_001);
        assert_eq!(lists.raw(&page, 0), None);
    }
}
