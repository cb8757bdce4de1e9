//! Where names stand in a folded text. A name that is a whole word begins where a word does, or
//! anywhere in a script without spaces; at such a place its first word or its first bytes are looked
//! up by their hash. So the time hardly depends on the number of names, as an automaton's does.
//!
//! Must not know: brands, folding, what makes an occurrence a match.

mod begins;
mod table;

use begins::{BLOCK, Begins};
use table::Table;

/// Where a name may begin and end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    /// Also within a word.
    pub inner: bool,
    /// The word may go on behind it.
    pub open: bool,
}

/// Finds all occurrences of names.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// All names.
    all: Table,
    /// Those that may begin within a word.
    inner: Table,
}

impl Places {
    /// `names` are not empty and differ from each other.
    pub(super) fn new(names: &[String], shape: impl Fn(usize) -> Shape) -> Places {
        let all = || names.iter().enumerate().map(|(n, name)| (n, name.as_str(), shape(n)));
        Places { all: Table::new(all()), inner: Table::new(all().filter(|n| n.2.inner)) }
    }

    /// Calls `found` with number, start and end of each occurrence that begins where its shape
    /// allows. If its word goes on behind it and it is not open, it may be left out.
    pub(super) fn each(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        let mut begins = Begins::new();
        let mut pending = None;
        for (number, bytes) in text.as_bytes().chunks(BLOCK).enumerate() {
            let start = number * BLOCK;
            begins.read(text, start, bytes);
            let words = begins.chars & !begins.joined;
            if words != 0
                && let Some(at) = pending.take()
            {
                self.all.at(text, at, start + words.trailing_zeros() as usize, &mut found);
            }
            let mut places = words & self.all.worth(&begins) & !begins.han;
            while places != 0 {
                let at = start + places.trailing_zeros() as usize;
                let later = words & !(places ^ (places - 1));
                places &= places - 1;
                if later == 0 {
                    pending = Some(at);
                    break;
                }
                self.all.at(text, at, start + later.trailing_zeros() as usize, &mut found);
            }
            self.all.each(text, start, begins.han, &mut found);
            self.inner.each(text, start, begins.joined & self.inner.worth(&begins), &mut found);
        }
        if let Some(at) = pending {
            self.all.at(text, at, text.len(), &mut found);
        }
    }
}

/// The eight bytes of `text` from `at` on, the first lowest; zeros behind its end.
fn first_bytes(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::letters::joined;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_trying_every_name_at_every_place_finds(
            names in prop::collection::btree_set("[ab]{1,9}|[aé京都]{1,5}|[a ]{1,3}|[𐐨а삼_,]{1,4}", 1..40),
            text in "[abé 京都𐐨а\u{301}삼]{0,60}|[a-z0-9_é京\u{301}삼 ,]{100,200}",
            shapes in prop::collection::vec(any::<(bool, bool)>(), 40),
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let shape = |number: usize| Shape { inner: shapes[number].0, open: shapes[number].1 };
            let places = Places::new(&names, shape);
            let mut found = Vec::new();
            places.each(&text, |number, start, end| found.push((start, number, end)));
            found.sort_unstable();
            let mut expect = Vec::new();
            for (at, c) in text.char_indices() {
                let within = joined(text[..at].chars().next_back(), Some(c));
                for (number, name) in names.iter().enumerate() {
                    let Some(rest) = text[at..].strip_prefix(name.as_str()) else { continue };
                    let goes_on = joined(name.chars().next_back(), rest.chars().next());
                    let occurrence = (at, number, at + name.len());
                    let Shape { inner, open } = shape(number);
                    let optional = goes_on && !inner && !open && !found.contains(&occurrence);
                    if (inner || !within) && !optional {
                        expect.push(occurrence);
                    }
                }
            }
            prop_assert_eq!(found, expect);
        }
    }
}
