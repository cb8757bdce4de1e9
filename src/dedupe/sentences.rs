//! What a copy changed: two texts compared sentence by sentence, and how much of one stands in the
//! other (containment, Broder 1997, with sentences for shingles).
//!
//! Must not know: stories, the index, how a comparison is printed.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

use super::folded::folded;
use super::similarity::{Vector, sim};

/// Most pairs of sentences that are aligned exactly; texts that differ in more are aligned by
/// sentences that occur once.
const ALIGNED: usize = 4_000_000;
/// A sentence at least this alike another at its place is called edited.
const EDITED: f64 = 0.5;

/// What became of a sentence, in the order of the copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Stands in both, up to letter case, spelling of letters and digits (`folded`), and punctuation.
    Same(String),
    /// Only in the copy.
    Added(String),
    /// Only in the original.
    Removed(String),
    /// At the same place in both, and at least half alike.
    Edited { was: String, is: String },
}

/// The sentences of a text, each with its terms.
struct Sentences<'a> {
    texts: Vec<&'a str>,
    vectors: Vec<Vector>,
}

impl<'a> Sentences<'a> {
    fn of(text: &'a str) -> Self {
        let all = text.lines().flat_map(|line| line.split_sentence_bounds()).map(str::trim);
        let texts: Vec<&str> = all.filter(|s| !s.is_empty()).collect();
        Sentences { vectors: texts.iter().map(|s| Vector::of(&folded(s))).collect(), texts }
    }

    fn text(&self, at: usize) -> String {
        self.texts.get(at).copied().unwrap_or_default().to_string()
    }

    /// Same words in the same number; without words, the same characters.
    fn same(&self, at: usize, other: &Sentences, there: usize) -> bool {
        match (self.vectors.get(at), other.vectors.get(there)) {
            (Some(a), Some(b)) if a.is_empty() && b.is_empty() => {
                self.texts.get(at) == other.texts.get(there)
            }
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }
}

/// Compares a copy with its original, sentence by sentence.
pub fn diff(original: &str, copy: &str) -> Vec<Change> {
    let (was, is) = (Sentences::of(original), Sentences::of(copy));
    let mut changes = Vec::new();
    let (mut i, mut j) = (0, 0);
    let end = (was.texts.len(), is.texts.len());
    for (next_i, next_j) in aligned(&was, &is).into_iter().chain([end]) {
        between(&was, i..next_i, &is, j..next_j, &mut changes);
        if (next_i, next_j) != end {
            changes.push(Change::Same(is.text(next_j)));
        }
        (i, j) = (next_i + 1, next_j + 1);
    }
    changes
}

/// Share of `part`'s terms that stand in sentences of `whole`, word for word; 0 for a `part`
/// without terms.
pub fn contained(part: &str, whole: &str) -> f64 {
    let (part, whole) = (Sentences::of(part), Sentences::of(whole));
    let known: std::collections::HashSet<Vec<(u64, u32)>> =
        whole.vectors.iter().map(|v| v.terms().collect()).collect();
    let (mut inside, mut all) = (0, 0);
    for vector in &part.vectors {
        all += vector.len();
        if known.contains(&vector.terms().collect::<Vec<_>>()) {
            inside += vector.len();
        }
    }
    if all == 0 { 0.0 } else { inside as f64 / all as f64 }
}

/// Pairs of same sentences, ascending on both sides: a longest common subsequence.
fn aligned(was: &Sentences, is: &Sentences) -> Vec<(usize, usize)> {
    let (n, m) = (was.texts.len(), is.texts.len());
    let front = (0..n.min(m)).take_while(|i| was.same(*i, is, *i)).count();
    let rest = n.min(m) - front;
    let back = (0..rest).take_while(|i| was.same(n - 1 - i, is, m - 1 - i)).count();
    let mut pairs: Vec<(usize, usize)> = (0..front).map(|i| (i, i)).collect();
    let (rows, columns) = (n - front - back, m - front - back);
    if rows.saturating_mul(columns) <= ALIGNED {
        pairs.extend(
            longest(rows, columns, |i, j| was.same(front + i, is, front + j))
                .into_iter()
                .map(|(i, j)| (front + i, front + j)),
        );
    } else {
        pairs.extend(unique(was, front..n - back, is, front..m - back));
    }
    pairs.extend((0..back).rev().map(|i| (n - 1 - i, m - 1 - i)));
    pairs
}

/// Longest common subsequence of two runs by the table of lengths.
fn longest(
    rows: usize,
    columns: usize,
    same: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let width = columns + 1;
    let mut lengths = vec![0u32; (rows + 1) * width];
    let at = |lengths: &[u32], i: usize, j: usize| lengths.get(i * width + j).copied().unwrap_or(0);
    for i in (0..rows).rev() {
        for j in (0..columns).rev() {
            let length = if same(i, j) {
                at(&lengths, i + 1, j + 1) + 1
            } else {
                at(&lengths, i + 1, j).max(at(&lengths, i, j + 1))
            };
            if let Some(place) = lengths.get_mut(i * width + j) {
                *place = length;
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < rows && j < columns {
        if same(i, j) {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if at(&lengths, i + 1, j) >= at(&lengths, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Pairs of sentences that occur once on both sides, as far as their order agrees.
fn unique(
    was: &Sentences,
    rows: std::ops::Range<usize>,
    is: &Sentences,
    columns: std::ops::Range<usize>,
) -> Vec<(usize, usize)> {
    fn once(
        s: &Sentences,
        range: std::ops::Range<usize>,
    ) -> HashMap<Vec<(u64, u32)>, Option<usize>> {
        let mut places = HashMap::new();
        for i in range {
            let Some(vector) = s.vectors.get(i).filter(|v| !v.is_empty()) else { continue };
            places.entry(vector.terms().collect()).and_modify(|p| *p = None).or_insert(Some(i));
        }
        places
    }
    let theirs = once(is, columns);
    let mut pairs: Vec<(usize, usize)> = once(was, rows)
        .into_iter()
        .filter_map(|(terms, i)| Some((i?, (*theirs.get(&terms)?)?)))
        .collect();
    pairs.sort_unstable();
    // Those out of order are dropped as they come.
    let mut last = None;
    pairs.retain(|(_, j)| {
        let keep = last.is_none_or(|last| *j > last);
        if keep {
            last = Some(*j);
        }
        keep
    });
    pairs
}

/// Changes between two places where the texts agree: what is alike and in order is edited.
fn between(
    was: &Sentences,
    rows: std::ops::Range<usize>,
    is: &Sentences,
    columns: std::ops::Range<usize>,
    changes: &mut Vec<Change>,
) {
    let mut from = rows.start;
    for j in columns {
        // Bounded: further away it would hardly be the same place.
        let alike =
            (from..rows.end).take(20).find(|i| match (was.vectors.get(*i), is.vectors.get(j)) {
                (Some(a), Some(b)) => sim(a, b) >= EDITED,
                _ => false,
            });
        match alike {
            Some(i) => {
                changes.extend((from..i).map(|i| Change::Removed(was.text(i))));
                changes.push(Change::Edited { was: was.text(i), is: is.text(j) });
                from = i + 1;
            }
            None => changes.push(Change::Added(is.text(j))),
        }
    }
    changes.extend((from..rows.end).map(|i| Change::Removed(was.text(i))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One letter a change: `=` same, `+` added, `-` removed, `~` edited.
    fn letters(changes: &[Change]) -> String {
        let letter = |c: &Change| match c {
            Change::Same(_) => '=',
            Change::Added(_) => '+',
            Change::Removed(_) => '-',
            Change::Edited { .. } => '~',
        };
        changes.iter().map(letter).collect()
    }

    #[test]
    fn what_a_copy_changed() {
        let check = |was: &str, is: &str, expect: &str| {
            assert_eq!(letters(&diff(was, is)), expect, "{was} → {is}");
        };
        let text = "The ferry sank at dawn. Forty people were saved. The harbour is closed.";
        check(text, text, "===");
        check(text, "", "---");
        check("", text, "+++");
        check(text, &text.to_uppercase(), "===");
        check(text, &format!("Kiel (agency).\n{text}"), "+===");
        check(text, "The ferry sank at dawn. The harbour is closed.", "=-=");
        check(
            text,
            "The ferry sank at noon. Forty people were saved. The harbour is closed.",
            "~==",
        );
        check(text, "Forty people were saved. Rain is expected.", "-=+-");
        check("一艘渡轮沉没。四十人获救。", "一艘渡轮沉没。五十人获救。", "=~");
    }

    #[test]
    fn containment() {
        let check = |part: &str, whole: &str, expect: f64| {
            assert!((contained(part, whole) - expect).abs() < 1e-12, "{part} in {whole}");
        };
        let whole = "The ferry sank at dawn. Forty people were saved.";
        check("Forty people were saved.", whole, 1.0);
        check("Forty people were saved. Nobody knows why.", whole, 4.0 / 7.0);
        check(whole, "Forty people were saved.", 4.0 / 9.0);
        check("", whole, 0.0);
    }

    #[test]
    fn long_texts_are_aligned_by_what_is_unique() {
        let lines = |range: std::ops::Range<u32>| -> String {
            range.map(|n| format!("Sentence number {n}.\n")).collect()
        };
        let (was, is) = (lines(0..3000), format!("New.\n{}Last one.", lines(500..3500)));
        let letters = letters(&diff(&was, &is));
        assert_eq!(letters.matches('=').count(), 2500);
    }

    proptest! {
        /// Every sentence of both sides appears once, in order.
        #[test]
        fn nothing_is_lost(was in "([abc ]{1,4}\\. ?){0,12}", is in "([abc ]{1,4}\\. ?){0,12}") {
            let (mut old, mut new) = (Vec::new(), Vec::new());
            let mut same = 0;
            for change in diff(&was, &is) {
                match change {
                    Change::Same(s) => { new.push(s); same += 1; }
                    Change::Added(s) => new.push(s),
                    Change::Removed(s) => old.push(s),
                    Change::Edited { was, is } => { old.push(was); new.push(is); }
                }
            }
            prop_assert_eq!(new, Sentences::of(&is).texts);
            prop_assert_eq!(old.len() + same, Sentences::of(&was).texts.len());
        }
    }
}
