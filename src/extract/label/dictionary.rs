//! The names of sparse features, and which column of a model each one is.
//!
//! Must not know: what a name means.

use serde::{Deserialize, Serialize};

/// Names in ascending order, end to end in one string; a name's rank is its column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dictionary {
    text: String,
    /// Where each name ends in `text`, in bytes.
    ends: Vec<u32>,
}

impl Dictionary {
    /// A dictionary of these names; repeated ones count once.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Dictionary {
        let mut sorted: Vec<S> = names.into_iter().collect();
        sorted.sort_by(|a, b| a.as_ref().cmp(b.as_ref()));
        sorted.dedup_by(|a, b| a.as_ref() == b.as_ref());
        let mut out = Dictionary::default();
        for name in sorted {
            out.text.push_str(name.as_ref());
            out.ends.push(out.text.len() as u32);
        }
        out
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of a column; empty if there is none.
    pub fn name(&self, column: usize) -> &str {
        let start = match column {
            0 => 0,
            _ => self.ends.get(column - 1).map_or(0, |e| *e as usize),
        };
        let end = self.ends.get(column).map_or(0, |e| *e as usize);
        self.text.get(start..end).unwrap_or("")
    }

    /// The column of a name.
    pub fn column(&self, name: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.name(middle).cmp(name) {
                std::cmp::Ordering::Equal => return Some(middle as u32),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    proptest::proptest! {
        #[test]
        fn every_name_finds_its_column(
            names in proptest::collection::vec("[a-cé=]{0,3}", 0..40),
            asked in "[a-cé=]{0,3}",
        ) {
            let dictionary = Dictionary::new(&names);
            let known: BTreeSet<&str> = names.iter().map(String::as_str).collect();
            assert_eq!(dictionary.len(), known.len());
            for (column, name) in known.iter().enumerate() {
                assert_eq!(dictionary.column(name), Some(column as u32));
                assert_eq!(&dictionary.name(column), name);
            }
            assert_eq!(dictionary.column(&asked).is_some(), known.contains(asked.as_str()));
            assert_eq!(dictionary.name(known.len()), "");
        }
    }
}
