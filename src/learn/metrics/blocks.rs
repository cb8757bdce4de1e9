//! Metrics over block labels: Gibson et al. 2007, §7 (blocks, documents, contiguous pages) and
//! Spengler & Gallinari 2009, §4 (per label, micro, macro).
//!
//! Must not know: pages, corpora, how labels were made.

use std::collections::BTreeMap;

use serde::Serialize;

use super::interval::bootstrap;
use super::overlap::Counts;
use super::summary::{ROUNDS, SEED};

/// One page: gold and predicted label of each block.
pub type LabeledPage<L> = Vec<(L, L)>;

/// Content against the rest, by block and by document (Gibson et al. 2007, §7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct BlockScore {
    pub pages: usize,
    pub block_precision: f64,
    pub block_recall: f64,
    pub block_f1: f64,
    pub block_accuracy: f64,
    /// Share of documents whose block precision is exactly 1.
    pub document_precision: f64,
    /// Share of documents whose block recall is exactly 1.
    pub document_recall: f64,
    /// Share of documents with every block right.
    pub document_accuracy: f64,
}

/// What is counted on one page, so that samples of pages are summed without counting again.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    counts: Counts,
    blocks: usize,
}

impl Tally {
    fn of(page: &LabeledPage<bool>) -> Tally {
        let mut counts = Counts::default();
        for &(gold, predicted) in page {
            counts.tp += u64::from(gold && predicted);
            counts.fp += u64::from(!gold && predicted);
            counts.fn_ += u64::from(gold && !predicted);
        }
        Tally { counts, blocks: page.len() }
    }
}

/// Scores content decisions, micro over blocks.
pub fn block_score<'a>(pages: impl IntoIterator<Item = &'a LabeledPage<bool>>) -> BlockScore {
    score(pages.into_iter().map(Tally::of))
}

/// One figure of a score, to be read and to be written.
type Read = fn(&BlockScore) -> f64;
type Write = fn(&mut BlockScore) -> &mut f64;

/// The lower and upper ends of every figure's 95 % interval over documents.
pub fn block_interval(pages: &[LabeledPage<bool>]) -> (BlockScore, BlockScore) {
    let tallies: Vec<Tally> = pages.iter().map(Tally::of).collect();
    let mut ends = (BlockScore::default(), BlockScore::default());
    let each: [(Read, Write); 7] = [
        (|s| s.block_precision, |s| &mut s.block_precision),
        (|s| s.block_recall, |s| &mut s.block_recall),
        (|s| s.block_f1, |s| &mut s.block_f1),
        (|s| s.block_accuracy, |s| &mut s.block_accuracy),
        (|s| s.document_precision, |s| &mut s.document_precision),
        (|s| s.document_recall, |s| &mut s.document_recall),
        (|s| s.document_accuracy, |s| &mut s.document_accuracy),
    ];
    for (of, to) in each {
        let figure = |sample: &[usize]| of(&score(sample.iter().map(|&i| tallies[i])));
        let interval = bootstrap(tallies.len(), ROUNDS, SEED, figure);
        (*to(&mut ends.0), *to(&mut ends.1)) = (interval.low, interval.high);
    }
    (ends.0.pages, ends.1.pages) = (pages.len(), pages.len());
    ends
}

fn score(tallies: impl Iterator<Item = Tally>) -> BlockScore {
    let mut all = Counts::default();
    let (mut blocks, mut right) = (0_usize, 0_usize);
    let (mut n, mut precise, mut complete, mut exact) = (0_usize, 0_usize, 0_usize, 0_usize);
    for Tally { counts: c, blocks: of_page } in tallies {
        n += 1;
        blocks += of_page;
        right += of_page - (c.fp + c.fn_) as usize;
        precise += usize::from(c.fp == 0);
        complete += usize::from(c.fn_ == 0);
        exact += usize::from(c.fp + c.fn_ == 0);
        all += c;
    }
    let share = |k: usize, n: usize| if n == 0 { 0.0 } else { k as f64 / n as f64 };
    let (block_precision, block_recall, block_f1) = all.prf();
    BlockScore {
        pages: n,
        block_precision,
        block_recall,
        block_f1,
        block_accuracy: share(right, blocks),
        document_precision: share(precise, n),
        document_recall: share(complete, n),
        document_accuracy: share(exact, n),
    }
}

/// Is the gold content one run of blocks (Gibson et al. 2007, §7)?
pub fn is_contiguous(page: &LabeledPage<bool>) -> bool {
    let starts =
        page.iter().enumerate().filter(|(i, (gold, _))| *gold && (*i == 0 || !page[i - 1].0));
    starts.count() <= 1
}

/// One label's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LabelScore {
    pub occurrences: u64,
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

/// Per label, weighted by occurrences ("micro" as the paper prints it: its recall is accuracy), and
/// the plain mean over labels ("macro").
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LabelScores<L: Ord> {
    pub labels: BTreeMap<L, LabelScore>,
    pub micro: LabelScore,
    pub macro_: LabelScore,
}

/// Scores any label set; labels that occur in neither gold nor prediction do not exist.
pub fn label_scores<'a, L: Ord + Copy + 'a>(
    pages: impl IntoIterator<Item = &'a LabeledPage<L>>,
) -> LabelScores<L> {
    let mut counts: BTreeMap<L, Counts> = BTreeMap::new();
    for &(gold, predicted) in pages.into_iter().flatten() {
        if gold == predicted {
            counts.entry(gold).or_default().tp += 1;
        } else {
            counts.entry(gold).or_default().fn_ += 1;
            counts.entry(predicted).or_default().fp += 1;
        }
    }
    let labels: BTreeMap<L, LabelScore> = counts
        .into_iter()
        .map(|(label, c)| {
            let (precision, recall, f1) = c.prf();
            (label, LabelScore { occurrences: c.tp + c.fn_, precision, recall, f1 })
        })
        .collect();
    let occurrences = labels.values().map(|s| s.occurrences).sum();
    let average = |weight: &dyn Fn(&LabelScore) -> f64| {
        let total: f64 = labels.values().map(weight).sum();
        let of = |value: fn(&LabelScore) -> f64| {
            let sum: f64 = labels.values().map(|s| weight(s) * value(s)).sum();
            if total > 0.0 { sum / total } else { 0.0 }
        };
        LabelScore {
            occurrences,
            precision: of(|s| s.precision),
            recall: of(|s| s.recall),
            f1: of(|s| s.f1),
        }
    };
    let micro = average(&|s| s.occurrences as f64);
    let macro_ = average(&|_| 1.0);
    LabelScores { labels, micro, macro_ }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_all_or_nothing() {
        let right = vec![(true, true), (false, false)];
        let extra = vec![(true, true), (false, true)];
        let missing = vec![(true, false), (true, true), (false, false), (true, true)];
        let s = block_score([&right, &extra, &missing]);
        assert_eq!((s.block_precision, s.block_recall), (0.8, 0.8));
        assert_eq!(s.block_accuracy, 0.75);
        let third = 1.0 / 3.0;
        assert_eq!(s.document_precision, 2.0 * third);
        assert_eq!(s.document_recall, 2.0 * third);
        assert_eq!(s.document_accuracy, third);
        assert!(is_contiguous(&right) && !is_contiguous(&missing));
    }

    #[test]
    fn micro_recall_is_accuracy() {
        let page = vec![('a', 'a'), ('a', 'b'), ('b', 'b'), ('c', 'a')];
        let s = label_scores([&page]);
        assert_eq!(s.micro.recall, 0.5);
        assert_eq!(
            s.labels[&'a'],
            LabelScore { occurrences: 2, precision: 0.5, recall: 0.5, f1: 0.5 }
        );
        assert_eq!(s.macro_.recall, 0.5);
    }
}
