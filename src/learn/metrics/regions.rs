//! Region accuracy (Pappas et al. 2012, eq. 4): how well detected regions fit those of the gold.
//!
//! As printed, a wrong region of the right length scores 1. So each gold region is paired with at
//! most one detected region, the pairs with the most common characters first, and what has no pair
//! counts 0; beside it stand two strict forms. Must not know: how regions were detected.

use serde::Serialize;

use crate::model::PageType;

/// Mean over gold regions, then over pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RegionAccuracy {
    /// Pages with at least one gold region.
    pub pages: usize,
    /// Eq. (4): c / (|c − r| + c), c the detected and r the gold density.
    pub printed: f64,
    /// The same with c = the characters that the two have in common.
    pub strict: f64,
    /// Common characters over those of either: what is too much counts, too.
    pub jaccard: f64,
}

/// What a page was taken for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageStructure {
    /// The type that the gold implies.
    pub gold: PageType,
    pub found: PageType,
    /// `None` where the gold marks no region.
    pub regions: Option<RegionAccuracy>,
}

/// Means over pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Structure {
    /// Pages whose gold implies a type.
    pub pages: usize,
    /// Share of them with that type.
    pub precision: f64,
    pub regions: RegionAccuracy,
}

/// Sums up pages.
pub fn structure(pages: &[PageStructure]) -> Structure {
    let right = pages.iter().filter(|p| p.gold == p.found).count();
    Structure {
        pages: pages.len(),
        precision: right as f64 / pages.len().max(1) as f64,
        regions: mean(pages.iter().filter_map(|p| p.regions)),
    }
}

/// Detected and gold regions of one page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageRegions {
    /// Characters of each detected region.
    pub detected: Vec<u32>,
    /// Characters of each gold region.
    pub gold: Vec<u32>,
    /// Detected region, gold region, characters in common.
    pub common: Vec<(usize, usize, u32)>,
}

impl PageRegions {
    /// One page's accuracy; `None` without gold.
    pub fn accuracy(&self) -> Option<RegionAccuracy> {
        if self.gold.is_empty() {
            return None;
        }
        let mut sum = RegionAccuracy { pages: 1, ..RegionAccuracy::default() };
        for (detected, gold, common) in self.pairs() {
            let (c, r) = (f64::from(detected), f64::from(gold));
            // A block is counted as common whole, so this may exceed either by a little.
            let common = f64::from(common).min(c).min(r);
            sum.printed += term(c, r);
            sum.strict += term(common, r);
            sum.jaccard += if common > 0.0 { common / (c + r - common) } else { 0.0 };
        }
        Some(sum.over(self.gold.len()))
    }

    /// Detected, gold and common characters of the pairs, most in common first.
    fn pairs(&self) -> Vec<(u32, u32, u32)> {
        let mut order = self.common.clone();
        order.sort_by_key(|&(d, g, n)| (std::cmp::Reverse(n), g, d));
        let (mut taken, mut given) =
            (vec![false; self.detected.len()], vec![false; self.gold.len()]);
        let mut pairs = Vec::new();
        for (d, g, common) in order {
            let (Some(&detected), Some(&gold)) = (self.detected.get(d), self.gold.get(g)) else {
                continue;
            };
            if common > 0 && !taken[d] && !given[g] {
                (taken[d], given[g]) = (true, true);
                pairs.push((detected, gold, common));
            }
        }
        pairs
    }
}

impl RegionAccuracy {
    fn over(self, n: usize) -> RegionAccuracy {
        let n = n as f64;
        RegionAccuracy {
            printed: self.printed / n,
            strict: self.strict / n,
            jaccard: self.jaccard / n,
            ..self
        }
    }
}

/// Mean over pages.
pub fn mean(pages: impl IntoIterator<Item = RegionAccuracy>) -> RegionAccuracy {
    let sum = pages.into_iter().fold(RegionAccuracy::default(), |a, b| RegionAccuracy {
        pages: a.pages + b.pages,
        printed: a.printed + b.printed,
        strict: a.strict + b.strict,
        jaccard: a.jaccard + b.jaccard,
    });
    sum.over(sum.pages.max(1))
}

/// One region's term of eq. (4).
fn term(c: f64, r: f64) -> f64 {
    if c > 0.0 { c / ((c - r).abs() + c) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: PageRegions, printed: f64, strict: f64, jaccard: f64) {
        let got = page.accuracy().expect("there is gold");
        for (got, expect) in
            [got.printed, got.strict, got.jaccard].into_iter().zip([printed, strict, jaccard])
        {
            assert!((got - expect).abs() < 1e-12, "{page:?}: {got} instead of {expect}");
        }
    }

    #[test]
    fn one_region_follows_the_print() {
        let page = |c, r, common| PageRegions {
            detected: vec![c],
            gold: vec![r],
            common: vec![(0, 0, common)],
        };
        check(page(100, 100, 100), 1.0, 1.0, 1.0);
        // Too large by as much as it has: 200 / (100 + 200).
        check(page(200, 100, 100), 2.0 / 3.0, 1.0, 0.5);
        // Half of it: 50 / (50 + 50).
        check(page(50, 100, 50), 0.5, 0.5, 0.5);
        // Of the right length, but mostly another text.
        check(page(100, 100, 10), 1.0, 0.1, 10.0 / 190.0);
        // Nothing in common is no detection.
        check(page(100, 100, 0), 0.0, 0.0, 0.0);
        assert_eq!(PageRegions::default().accuracy(), None);
    }

    #[test]
    fn pairs_are_one_to_one_and_misses_count() {
        // Both detected regions lie in the first gold region; only the larger share is paired.
        let page = PageRegions {
            detected: vec![60, 40],
            gold: vec![100, 50],
            common: vec![(1, 0, 40), (0, 0, 60)],
        };
        check(page, 0.3, 0.3, 0.3);
        let split = PageRegions {
            detected: vec![100, 50],
            gold: vec![50, 100],
            common: vec![(0, 1, 100), (1, 0, 50), (0, 0, 20)],
        };
        check(split, 1.0, 1.0, 1.0);
        let one = PageRegions { detected: vec![9], gold: vec![9], common: vec![(0, 0, 9)] };
        let none = PageRegions { gold: vec![9], ..PageRegions::default() };
        let m = mean([one, none].iter().filter_map(PageRegions::accuracy));
        assert_eq!((m.pages, m.printed), (2, 0.5));
        assert_eq!(mean([]).pages, 0);
    }
}
