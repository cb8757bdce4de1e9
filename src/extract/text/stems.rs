//! Short texts of ASCII, all looked for at once in names and addresses, which are short and many: by their first three
//! bytes, in tables that are small enough to stay at hand.

/// At most 64 texts of three bytes and more, in lower case.
pub(in crate::extract) struct Stems<const N: usize> {
    all: [&'static str; N],
    /// For each byte those that have it in the first, the second and the third place, in either case, a bit each.
    places: [[u64; 256]; 3],
}

impl<const N: usize> Stems<N> {
    /// Those of several lists.
    pub(in crate::extract) const fn new(lists: &[&[&'static str]]) -> Stems<N> {
        assert!(N <= 64);
        let (mut all, mut places) = ([""; N], [[0; 256]; 3]);
        let (mut list, mut count) = (0, 0);
        while list < lists.len() {
            let mut at = 0;
            while at < lists[list].len() {
                let stem = lists[list][at];
                let mut place = 0;
                while place < places.len() {
                    let byte = stem.as_bytes()[place];
                    places[place][byte as usize] |= 1 << count;
                    places[place][byte.to_ascii_uppercase() as usize] |= 1 << count;
                    place += 1;
                }
                all[count] = stem;
                (at, count) = (at + 1, count + 1);
            }
            list += 1;
        }
        assert!(count == N);
        Stems { all, places }
    }

    /// Calls `found` with each place where one of them begins, and its number in the order of the lists.
    #[inline]
    pub(in crate::extract) fn find(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        let mut at = 0;
        while at + 2 < text.len() {
            // Most places are told by three bytes.
            if self.may_begin([text[at], text[at + 1], text[at + 2]]) != 0 {
                each(self.begin(text, at), |stem| found(at, stem));
            }
            at += 1;
        }
    }

    /// Those that have these bytes, a bit each.
    #[inline]
    fn may_begin(&self, [first, second, third]: [u8; 3]) -> u64 {
        let [firsts, seconds, thirds] = &self.places;
        firsts[usize::from(first)] & seconds[usize::from(second)] & thirds[usize::from(third)]
    }

    /// Those that begin at a place, a bit each.
    #[inline(never)]
    pub(in crate::extract) fn begin(&self, text: &[u8], at: usize) -> u64 {
        let here = text.get(at..).unwrap_or_default();
        let mut begun = here.first_chunk().map_or(0, |bytes| self.may_begin(*bytes));
        each(begun, |number| {
            let stem = self.all[number].as_bytes();
            let here = here.get(..stem.len());
            let is_here = here.is_some_and(|here| here.eq_ignore_ascii_case(stem));
            begun &= !(u64::from(!is_here) << number);
        });
        begun
    }
}

/// Calls `found` with the number of each bit that is set.
#[inline]
pub(in crate::extract) fn each(mut bits: u64, mut found: impl FnMut(usize)) {
    while bits != 0 {
        found(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_places_are_found(text in "(author|Aut|autor|byline|BY-line|by|-|é|a){0,6}") {
            static STEMS: Stems<4> = Stems::new(&[&["author", "autor"], &["by-line", "aut"]]);
            let (mut found, mut expect) = (Vec::new(), Vec::new());
            STEMS.find(text.as_bytes(), |at, stem| found.push((at, stem)));
            let lower = text.to_ascii_lowercase();
            for (stem, known) in ["author", "autor", "by-line", "aut"].iter().enumerate() {
                expect.extend(lower.match_indices(known).map(|(at, _)| (at, stem)));
            }
            expect.sort_unstable();
            prop_assert_eq!(found, expect);
        }
    }
}
