//! Two or more systems on the same pages: the difference of each figure with its paired 95 %
//! interval, per corpus, for the mean of the corpora (each weighs 1) and per language.
//!
//! Must not know: who the systems are, how pages were extracted.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde::Serialize;

use crate::learn::metrics::TextScores;
use crate::learn::metrics::interval::{Interval, stratified};
use crate::learn::metrics::summary::{FIGURES, Figure, PageScore, ROUNDS, SEED};

/// Smallest number of pages that a language needs for a row of its own.
const LANGUAGE_PAGES: usize = 5;
/// Mention F1 is not judged where a corpus has fewer gold mentions: a handful of names decides.
const LEAST_MENTIONS: u64 = 200;

/// A system beside ours.
#[derive(Clone, Debug)]
pub struct Other {
    pub name: String,
    pub pages: Vec<PageScore>,
}

/// What pages are put together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case", tag = "of", content = "name")]
pub enum Group {
    Corpus(String),
    /// Figures of the corpora, averaged.
    Mean,
    Language(String),
}

impl Group {
    /// For tables.
    pub fn name(&self) -> &str {
        match self {
            Group::Corpus(name) | Group::Language(name) => name,
            Group::Mean => "mean of corpora",
        }
    }
}

/// Who is better by the interval of the difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval is above 0: we are better.
    Ahead,
    /// The interval holds 0.
    Level,
    /// The whole interval is below 0: they are better.
    Behind,
    /// Too little to judge by (mention F1 over fewer than 200 gold mentions).
    Few,
}

impl Verdict {
    /// As tables for programs name it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Ahead => "ahead",
            Verdict::Level => "level",
            Verdict::Behind => "behind",
            Verdict::Few => "few",
        }
    }

    fn of(difference: &Interval) -> Verdict {
        if difference.low > 0.0 {
            Verdict::Ahead
        } else if difference.high < 0.0 {
            Verdict::Behind
        } else {
            Verdict::Level
        }
    }
}

/// One figure of one group of pages, ours beside theirs.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub group: Group,
    pub figure: &'static str,
    pub other: String,
    /// Pages that both systems were scored on.
    pub pages: usize,
    pub ours: f64,
    pub theirs: f64,
    /// Ours − theirs.
    pub difference: Interval,
    pub verdict: Verdict,
}

/// All rows, by group, figure and system.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    pub rows: Vec<Row>,
}

impl Comparison {
    /// The system with the highest figure in a group, with its row; the first of equals.
    pub fn best(&self, group: &Group, figure: &str) -> Option<&Row> {
        let rows = self.rows.iter().filter(|r| r.group == *group && r.figure == figure);
        rows.reduce(|best, row| if row.theirs > best.theirs { row } else { best })
    }

    /// Groups in order: corpora, mean, languages.
    pub fn groups(&self) -> BTreeSet<&Group> {
        self.rows.iter().map(|r| &r.group).collect()
    }
}

/// The pages of one corpus as both systems did them.
type Pairs<'a> = Vec<(&'a TextScores, &'a TextScores)>;

/// Compares ours with each of the others.
pub fn compare(ours: &[PageScore], others: &[Other]) -> Comparison {
    let mut rows: Vec<Row> = others.par_iter().flat_map(|other| rows_of(ours, other)).collect();
    let place = |figure: &str| FIGURES.iter().position(|(name, _)| *name == figure);
    rows.sort_by(|a, b| {
        (&a.group, place(a.figure), &a.other).cmp(&(&b.group, place(b.figure), &b.other))
    });
    Comparison { rows }
}

fn rows_of(ours: &[PageScore], other: &Other) -> Vec<Row> {
    let theirs: BTreeMap<(&str, &str), &TextScores> = other
        .pages
        .iter()
        .filter_map(|p| Some(((p.corpus.as_str(), p.id.as_str()), p.scores.text.as_ref()?)))
        .collect();
    let mut corpora: BTreeMap<&str, Pairs<'_>> = BTreeMap::new();
    let mut languages: BTreeMap<&str, Pairs<'_>> = BTreeMap::new();
    for page in ours {
        let found = theirs.get(&(page.corpus.as_str(), page.id.as_str()));
        let (Some(a), Some(b)) = (page.scores.text.as_ref(), found) else { continue };
        corpora.entry(&page.corpus).or_default().push((a, b));
        languages.entry(&page.language).or_default().push((a, b));
    }
    let mut groups: Vec<(Group, Vec<&Pairs<'_>>)> = Vec::new();
    groups.extend(corpora.iter().map(|(c, pairs)| (Group::Corpus(c.to_string()), vec![pairs])));
    // A system that lacks a corpus has another mean.
    let all: BTreeSet<&str> = ours.iter().map(|p| p.corpus.as_str()).collect();
    if corpora.len() > 1 && corpora.len() == all.len() {
        groups.push((Group::Mean, corpora.values().collect()));
    }
    groups.extend(
        languages
            .iter()
            .filter(|(_, pairs)| pairs.len() >= LANGUAGE_PAGES)
            .map(|(l, pairs)| (Group::Language(l.to_string()), vec![pairs])),
    );
    groups
        .into_par_iter()
        .flat_map_iter(|(group, strata)| {
            FIGURES.map(|(figure, of)| row(group.clone(), figure, of, &strata, &other.name))
        })
        .collect()
}

fn row(group: Group, figure: &'static str, of: Figure, strata: &[&Pairs<'_>], other: &str) -> Row {
    let sizes: Vec<usize> = strata.iter().map(|s| s.len()).collect();
    let sides = |stratum: usize, sample: &[usize]| -> (f64, f64) {
        let (a, b): (Vec<_>, Vec<_>) = sample.iter().map(|&i| strata[stratum][i]).unzip();
        (of(&a), of(&b))
    };
    let mean = |side: fn((f64, f64)) -> f64, samples: &[Vec<usize>]| {
        let sum: f64 = samples.iter().enumerate().map(|(s, sample)| side(sides(s, sample))).sum();
        sum / samples.len().max(1) as f64
    };
    let all: Vec<Vec<usize>> = sizes.iter().map(|&n| (0..n).collect()).collect();
    let difference = stratified(&sizes, ROUNDS, SEED, |samples| mean(|(a, b)| a - b, samples));
    let gold: u64 = strata.iter().flat_map(|s| s.iter()).map(|(a, _)| a.gold_mentions).sum();
    let few = figure == "mention_f1" && gold < LEAST_MENTIONS;
    Row {
        group,
        figure,
        other: other.to_owned(),
        pages: sizes.iter().sum(),
        ours: mean(|(a, _)| a, &all),
        theirs: mean(|(_, b)| b, &all),
        difference,
        verdict: if few { Verdict::Few } else { Verdict::of(&difference) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::metrics::{Gold, brands::Brands, score};

    const GOLD: &str = "The plant in the north opens in May and makes steel";

    fn page(corpus: &str, id: usize, predicted: &str) -> PageScore {
        let gold = Gold { text: GOLD, ..Gold::default() };
        PageScore {
            id: id.to_string(),
            corpus: corpus.into(),
            language: "en".into(),
            scores: score(&gold, predicted, &Brands::parse("").expect("no names")),
            ..PageScore::default()
        }
    }

    fn pages(corpus: &str, n: usize, text: impl Fn(usize) -> &'static str) -> Vec<PageScore> {
        (0..n).map(|i| page(corpus, i, text(i))).collect()
    }

    fn find<'a>(c: &'a Comparison, group: &Group, figure: &str) -> &'a Row {
        c.best(group, figure).expect("a row of the only other system")
    }

    #[test]
    fn verdicts_follow_the_paired_difference() {
        let half = "The plant in the north opens";
        let check = |ours: Vec<PageScore>, theirs: Vec<PageScore>, verdict, difference: f64| {
            let other = Other { name: "other".into(), pages: theirs };
            let c = compare(&ours, &[other]);
            let row = find(&c, &Group::Corpus("a".into()), "exact");
            assert_eq!(row.verdict, verdict);
            assert!((row.difference.value - difference).abs() < 1e-12, "{row:?}");
            assert!(row.difference.low <= row.difference.value);
            assert!(row.difference.high >= row.difference.value);
            assert_eq!(find(&c, &Group::Corpus("a".into()), "mention_f1").verdict, Verdict::Few);
        };
        let (all, none) = (pages("a", 30, |_| GOLD), pages("a", 30, |_| half));
        check(all.clone(), none.clone(), Verdict::Ahead, 1.0);
        check(none, all.clone(), Verdict::Behind, -1.0);
        let even = pages("a", 30, |i| if i % 2 == 0 { GOLD } else { half });
        let odd = pages("a", 30, |i| if i % 2 == 1 { GOLD } else { half });
        check(even, odd, Verdict::Level, 0.0);
    }

    #[test]
    fn each_corpus_weighs_one_in_the_mean() {
        let both = |a: fn(usize) -> &'static str, b: fn(usize) -> &'static str| {
            [pages("a", 40, a), pages("b", 10, b)].concat()
        };
        let other = |name: &str, pages| Other { name: name.into(), pages };
        let c = compare(
            &both(|_| GOLD, |_| GOLD),
            &[other("good in a", both(|_| GOLD, |_| "")), other("bad", both(|_| "", |_| ""))],
        );
        let best = find(&c, &Group::Mean, "sim");
        assert_eq!((best.other.as_str(), best.pages), ("good in a", 50));
        assert!((best.theirs - 0.5).abs() < 1e-9 && (best.difference.value - 0.5).abs() < 1e-9);
        assert_eq!(c.groups().len(), 4);
        let lacking = other("of a alone", pages("a", 40, |_| GOLD));
        let c = compare(&both(|_| "", |_| ""), &[lacking]);
        assert!(c.best(&Group::Mean, "sim").is_none());
    }

    #[test]
    fn only_pages_of_both_count() {
        let other = Other { name: "other".into(), pages: pages("a", 7, |_| GOLD) };
        let c = compare(&pages("a", 9, |_| GOLD), &[other]);
        assert_eq!(find(&c, &Group::Corpus("a".into()), "sim").pages, 7);
    }
}
