//! Page scores summed up: page means, domain means (each domain weight 1), per language, with
//! bootstrap intervals.
//!
//! Must not know: how pages were extracted.

use std::collections::BTreeMap;

use serde::Serialize;

use super::interval::{Interval, bootstrap};
use super::overlap::{Counts, Pooled, harmonic};
use super::regions::{PageStructure, Structure, structure};
use super::stated::{self, Said, Stated, StatedSummary};
use super::{Scores, Snippets, TextScores};

/// Rounds and seed of the bootstrap in reports.
pub(crate) const ROUNDS: usize = 1000;
pub(crate) const SEED: u64 = 1;

/// One scored page with what it is grouped by.
#[derive(Clone, Debug, Default)]
pub struct PageScore {
    pub id: String,
    pub corpus: String,
    pub language: String,
    /// Registered domain; empty: unknown, a group of its own per corpus.
    pub domain: String,
    /// Why extraction failed, if it did.
    pub error: Option<String>,
    /// What was extracted.
    pub text: String,
    /// CPU seconds of decode, parse and extract.
    pub seconds: f64,
    /// CPU seconds of decode and parse alone.
    pub parse_seconds: f64,
    pub scores: Scores,
    /// Type and regions, where whole articles are scored and the gold implies a type.
    pub structure: Option<PageStructure>,
    /// Title, day and authors, and which of them are right.
    pub said: Said,
    pub stated: Stated,
}

/// Precision, recall, F1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Prf {
    pub p: f64,
    pub r: f64,
    pub f1: f64,
}

impl From<(f64, f64, f64)> for Prf {
    fn from((p, r, f1): (f64, f64, f64)) -> Prf {
        Prf { p, r, f1 }
    }
}

/// Means of one group of pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Means {
    pub pages: usize,
    /// Mean sim^σ.
    pub sim: f64,
    /// Four-gram shingles: mean precision over pages that predicted something, mean recall, their
    /// harmonic mean.
    pub shingle: Prf,
    /// Mean of the pages' own shingle F1.
    pub shingle_f1_page: f64,
    /// Share of pages with exactly the gold's words.
    pub exact: f64,
    /// Means of the pages' word precision, recall and F1.
    pub words: Prf,
    /// Means of the pages' ROUGE-LSum precision, recall and F1.
    pub rouge: Prf,
}

/// Everything about one set of pages.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    pub pages: usize,
    pub text_pages: usize,
    pub errors: usize,
    pub empty: usize,
    pub means: Means,
    /// The same with each domain weighing 1.
    pub domain_means: Means,
    pub domains: usize,
    pub mentions: Pooled,
    pub page_mentions: Pooled,
    pub snippets: Option<Snippets>,
    /// 95 % intervals (bootstrap over pages) of the figures compared most.
    pub intervals: BTreeMap<&'static str, Interval>,
    pub languages: BTreeMap<String, Means>,
    /// Page types and region accuracy.
    pub structure: Structure,
    /// Title, day and authors.
    pub metadata: StatedSummary,
    pub cpu_seconds: f64,
    /// CPU seconds of decode and parse alone.
    pub parse_cpu_seconds: f64,
}

/// Sums up any set of pages.
pub fn summarise(pages: &[PageScore]) -> Summary {
    let rows: Vec<(&PageScore, &TextScores)> =
        pages.iter().filter_map(|p| Some((p, p.scores.text.as_ref()?))).collect();
    let texts: Vec<&TextScores> = rows.iter().map(|(_, t)| *t).collect();
    let mut by_domain: BTreeMap<(&str, &str), Vec<&TextScores>> = BTreeMap::new();
    let mut by_language: BTreeMap<&str, Vec<&TextScores>> = BTreeMap::new();
    for (p, t) in &rows {
        let corpus = if p.domain.is_empty() { p.corpus.as_str() } else { "" };
        by_domain.entry((&p.domain, corpus)).or_default().push(t);
        by_language.entry(&p.language).or_default().push(t);
    }
    Summary {
        pages: pages.len(),
        text_pages: rows.len(),
        errors: pages.iter().filter(|p| p.error.is_some()).count(),
        empty: pages.iter().filter(|p| p.scores.empty).count(),
        means: means(&texts),
        domain_means: mean_of_means(by_domain.values(), rows.len()),
        domains: by_domain.len(),
        mentions: pooled(&texts, |t| t.mentions).into(),
        page_mentions: pooled(&texts, |t| t.page_mentions).into(),
        snippets: pages.iter().filter_map(|p| p.scores.snippets).reduce(|mut a, b| {
            a += b;
            a
        }),
        intervals: intervals(&texts),
        languages: by_language.iter().map(|(l, t)| (l.to_string(), means(t))).collect(),
        structure: structure(&pages.iter().filter_map(|p| p.structure).collect::<Vec<_>>()),
        metadata: stated::sum(pages.iter().map(|p| &p.stated)),
        cpu_seconds: pages.iter().map(|p| p.seconds).sum(),
        parse_cpu_seconds: pages.iter().map(|p| p.parse_seconds).sum(),
    }
}

/// A figure of a set of pages that systems are compared by.
pub type Figure = fn(&[&TextScores]) -> f64;

/// The figures with intervals, by name.
pub const FIGURES: [(&str, Figure); 6] = [
    ("sim", |t| mean(t.iter().map(|t| t.similarity))),
    ("shingle_f1", shingle_f1),
    ("exact", |t| mean(t.iter().map(|t| f64::from(t.exact)))),
    ("word_f1", |t| mean(t.iter().map(|t| t.words.prf().2))),
    ("rouge_f1", |t| mean(t.iter().map(|t| t.rouge.2))),
    ("mention_f1", |t| pooled(t, |t| t.mentions).prf().2),
];

fn intervals(texts: &[&TextScores]) -> BTreeMap<&'static str, Interval> {
    let of = |figure: Figure| {
        bootstrap(texts.len(), ROUNDS, SEED, |sample| {
            figure(&sample.iter().map(|&i| texts[i]).collect::<Vec<_>>())
        })
    };
    FIGURES.iter().map(|&(name, figure)| (name, of(figure))).collect()
}

/// Mean of numbers; 0 of none.
pub fn mean(xs: impl Iterator<Item = f64>) -> f64 {
    let (n, sum) = xs.fold((0_usize, 0.0), |(n, s), x| (n + 1, s + x));
    if n == 0 { 0.0 } else { sum / n as f64 }
}

fn pooled(texts: &[&TextScores], of: fn(&TextScores) -> Counts) -> Counts {
    texts.iter().fold(Counts::default(), |mut sum, t| {
        sum += of(t);
        sum
    })
}

/// Mean precision over the pages that predicted something; `None` if none did.
fn shingle_precision(texts: &[&TextScores]) -> Option<f64> {
    let said: Vec<f64> = texts.iter().filter_map(|t| t.shingles.precision()).collect();
    (!said.is_empty()).then(|| mean(said.into_iter()))
}

fn shingle_pr(texts: &[&TextScores]) -> (f64, f64) {
    let r = mean(texts.iter().filter_map(|t| t.shingles.recall()));
    (shingle_precision(texts).unwrap_or(0.0), r)
}

fn shingle_f1(texts: &[&TextScores]) -> f64 {
    let (p, r) = shingle_pr(texts);
    harmonic(p, r)
}

fn means(texts: &[&TextScores]) -> Means {
    let (p, r) = shingle_pr(texts);
    let words = |of: fn((f64, f64, f64)) -> f64| mean(texts.iter().map(|t| of(t.words.prf())));
    let rouge = |of: fn((f64, f64, f64)) -> f64| mean(texts.iter().map(|t| of(t.rouge)));
    Means {
        pages: texts.len(),
        sim: mean(texts.iter().map(|t| t.similarity)),
        shingle: Prf { p, r, f1: harmonic(p, r) },
        shingle_f1_page: mean(texts.iter().map(|t| t.shingles.prf().2)),
        exact: mean(texts.iter().map(|t| f64::from(t.exact))),
        words: Prf { p: words(|t| t.0), r: words(|t| t.1), f1: words(|t| t.2) },
        rouge: Prf { p: rouge(|t| t.0), r: rouge(|t| t.1), f1: rouge(|t| t.2) },
    }
}

fn mean_of_means<'a>(
    texts: impl Iterator<Item = &'a Vec<&'a TextScores>> + Clone,
    pages: usize,
) -> Means {
    let groups: Vec<Means> = texts.clone().map(|t| means(t)).collect();
    let of = |value: fn(&Means) -> f64| mean(groups.iter().map(value));
    let prf = |value: fn(&Means) -> Prf| {
        let (p, r) =
            (mean(groups.iter().map(|g| value(g).p)), mean(groups.iter().map(|g| value(g).r)));
        (p, r, mean(groups.iter().map(|g| value(g).f1)))
    };
    // A domain without a prediction has no precision.
    let (p, r) = (mean(texts.filter_map(|t| shingle_precision(t))), of(|g| g.shingle.r));
    Means {
        pages,
        sim: of(|g| g.sim),
        shingle: Prf { p, r, f1: harmonic(p, r) },
        shingle_f1_page: of(|g| g.shingle_f1_page),
        exact: of(|g| g.exact),
        words: prf(|g| g.words).into(),
        rouge: prf(|g| g.rouge).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Gold, brands::Brands, score};
    use super::*;

    fn page(id: &str, domain: &str, gold: &str, predicted: &str) -> PageScore {
        let brands = Brands::parse("Nord").expect("a name");
        let scores = score(&Gold { text: gold, ..Gold::default() }, predicted, &brands);
        PageScore {
            id: id.into(),
            domain: domain.into(),
            language: "en".into(),
            scores,
            ..PageScore::default()
        }
    }

    #[test]
    fn empty_predictions_count_in_recall_only() {
        let s = summarise(&[
            page("1", "a.example", "one two three four", "one two three four"),
            page("2", "b.example", "one two three four", ""),
        ]);
        assert_eq!((s.means.shingle.p, s.means.shingle.r), (1.0, 0.5));
        assert_eq!((s.empty, s.means.sim, s.means.exact), (1, 0.5, 0.5));
        assert_eq!((s.domain_means.shingle.p, s.domain_means.shingle.r), (1.0, 0.5));
    }

    #[test]
    fn every_domain_weighs_one() {
        let gold = "one two three four";
        let s = summarise(&[
            page("1", "a.example", gold, gold),
            page("2", "a.example", gold, gold),
            page("3", "b.example", gold, "five"),
        ]);
        assert!((s.means.sim - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!((s.domain_means.sim, s.domains), (0.5, 2));
    }
}
