//! sim^σ as the metrics use it: term-frequency vectors over hashed terms that can be summed, so
//! that a fitness function adds block vectors instead of reading text again.
//!
//! Ziegler & Skubacz 2007, §3.5.2, eq. (2)–(3). Must not know: pages, corpora, labelers.

use super::tokens;

/// Term frequencies of a text, sorted by term, with their sum.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terms {
    counts: Vec<(u64, u32)>,
    sum: u64,
    square: f64,
}

impl Terms {
    /// Counts the terms of `text`.
    pub fn of(text: &str) -> Terms {
        let mut hashes = Vec::new();
        tokens::terms(text, |t| hashes.push(tokens::hash(t)));
        hashes.sort_unstable();
        let mut counts: Vec<(u64, u32)> = Vec::new();
        for h in hashes {
            match counts.last_mut() {
                Some((last, n)) if *last == h => *n = n.saturating_add(1),
                _ => counts.push((h, 1)),
            }
        }
        Terms::from_counts(counts)
    }

    fn from_counts(counts: Vec<(u64, u32)>) -> Terms {
        let sum = counts.iter().map(|&(_, n)| u64::from(n)).sum();
        let square = counts.iter().map(|&(_, n)| f64::from(n) * f64::from(n)).sum();
        Terms { counts, sum, square }
    }

    /// Term hashes with their counts, ascending.
    pub fn counts(&self) -> &[(u64, u32)] {
        &self.counts
    }

    /// Σ_k v_k: terms with repetition.
    pub fn sum(&self) -> u64 {
        self.sum
    }
}

/// Eq. (2): δ times the cosine. Empty against anything is 0.
pub fn similarity(a: &Terms, b: &Terms) -> f64 {
    let (mut i, mut j, mut dot) = (0, 0, 0.0);
    while let (Some(&(x, m)), Some(&(y, n))) = (a.counts.get(i), b.counts.get(j)) {
        if x == y {
            dot += f64::from(m) * f64::from(n);
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    combine(dot, a.square * b.square, a.sum, b.sum)
}

/// Eq. (2)–(3) from the scalar product, ‖a‖²·‖b‖² and the two sums.
pub fn combine(dot: f64, squares: f64, a: u64, b: u64) -> f64 {
    if a == 0 || b == 0 || squares <= 0.0 {
        return 0.0;
    }
    dot / squares.sqrt() * (a.min(b) as f64 / a.max(b) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_equations_2_and_3() {
        let check = |a: &str, b: &str, expect: f64| {
            let got = similarity(&Terms::of(a), &Terms::of(b));
            assert!((got - expect).abs() < 1e-12, "{a} / {b}: {got} != {expect}");
        };
        check("the car drives", "The car drives!", 1.0);
        check("", "the car", 0.0);
        check("a b c", "a b c", 0.0);
        // cos = 1, δ = 1/2
        check("car car tree tree", "car tree", 0.5);
        // dot 1, norms √2 and √2, δ = 1
        check("car tree", "car bush", 0.5);
        // bigrams 苹果 果公 公司 against 苹果: cos 1/√3, δ 1/3
        check("苹果公司", "苹果", 1.0 / 3f64.sqrt() / 3.0);
    }
}
