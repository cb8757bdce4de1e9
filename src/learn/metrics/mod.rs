//! How good an extraction is: every text metric that `crawler eval` reports, page by page and
//! summed up.
//!
//! | metric | source |
//! |---|---|
//! | sim^σ | Ziegler & Skubacz 2007, eq. (2)–(3) |
//! | four-gram shingles, exact match | article-extraction-benchmark |
//! | word F1 | WCXB: multisets of lower-cased words |
//! | ROUGE-LSum | fundus-evaluation; Lin 2004 |
//! | snippets | trafilatura's evaluation |
//! | mentions | ours: brand counts in extracted against gold text, micro over (page, brand) |
//! | title, day, authors | ours: [`stated`] |
//! | blocks, labels | Gibson et al. 2007, Spengler & Gallinari 2009: [`blocks`] |
//!
//! Must not know: files, corpora, labelers.

pub mod blocks;
pub mod brands;
pub mod interval;
pub mod optional;
pub mod overlap;
pub mod regions;
mod rouge;
pub mod stated;
pub mod summary;
pub mod tokens;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use crate::dedupe::similarity::{Vector, sim};
use brands::Brands;
use overlap::{Bag, Counts};

pub use summary::{Summary, summarise};

/// What a page should have given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gold<'a> {
    /// The article text, one paragraph a line; blank: only snippets are scored.
    pub text: &'a str,
    /// Paragraphs of `text` that may be missing without error.
    pub optional: &'a [String],
    pub must_contain: &'a [String],
    pub must_not_contain: &'a [String],
}

/// Scores of one page.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    /// Nothing but white space was predicted.
    pub empty: bool,
    pub characters: usize,
    /// `None` where the gold has no text.
    pub text: Option<TextScores>,
    /// `None` where the gold has no snippets.
    pub snippets: Option<Snippets>,
}

/// Scores of one page's text.
#[derive(Clone, Debug, Default)]
pub struct TextScores {
    /// sim^σ.
    pub similarity: f64,
    pub shingles: Counts,
    /// The word sequences are identical.
    pub exact: bool,
    pub words: Counts,
    /// Precision, recall, F1.
    pub rouge: (f64, f64, f64),
    pub mentions: Counts,
    /// Brands named at all.
    pub page_mentions: Counts,
    /// Gold and predicted mentions of all brands.
    pub gold_mentions: u64,
    pub predicted_mentions: u64,
}

/// Snippets found and not found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Snippets {
    pub tp: u64,
    pub fp: u64,
    pub tn: u64,
    #[serde(rename = "fn")]
    pub fn_: u64,
}

impl std::ops::AddAssign for Snippets {
    fn add_assign(&mut self, o: Snippets) {
        self.tp += o.tp;
        self.fp += o.fp;
        self.tn += o.tn;
        self.fn_ += o.fn_;
    }
}

/// Scores one page. Where the gold has optional paragraphs each metric takes the better of the
/// variants (ROUGE-LSum all subsets, the others with and without all; mentions follow shingles).
pub fn score(gold: &Gold<'_>, predicted: &str, brands: &Brands) -> Scores {
    Scores {
        empty: predicted.trim().is_empty(),
        characters: predicted.chars().count(),
        text: (!gold.text.trim().is_empty()).then(|| score_text(gold, predicted, brands)),
        snippets: score_snippets(gold, predicted),
    }
}

fn score_text(gold: &Gold<'_>, predicted: &str, brands: &Brands) -> TextScores {
    let variants = optional::variants(gold.text, gold.optional);
    let ends = if variants.len() > 1 { vec![0, variants.len() - 1] } else { vec![0] };
    let vector = Vector::of(predicted);
    let bag = Bag::of(predicted);
    let similarity =
        ends.iter().map(|&v| sim(&Vector::of(&variants[v]), &vector)).fold(0.0, f64::max);
    let bags: Vec<Bag> = ends.iter().map(|&v| Bag::of(&variants[v])).collect();
    let best = |count: fn(&Bag, &Bag) -> Counts| {
        let mut best = (0, count(&bags[0], &bag));
        for (i, b) in bags.iter().enumerate().skip(1) {
            let c = count(b, &bag);
            if c.prf().2 > best.1.prf().2 {
                best = (i, c);
            }
        }
        best
    };
    let (reference, shingles) = best(overlap::shingles);
    let (_, words) = best(overlap::words);
    let in_gold = brands.count(&variants[ends[reference]]);
    let in_predicted = brands.count(predicted);
    let (mentions, page_mentions) = brands::compare(&in_gold, &in_predicted);
    TextScores {
        similarity,
        shingles,
        exact: bags[reference].words == bag.words,
        words,
        rouge: rouge::rouge_lsum(&variants, predicted),
        mentions,
        page_mentions,
        gold_mentions: in_gold.values().sum(),
        predicted_mentions: in_predicted.values().sum(),
    }
}

fn score_snippets(gold: &Gold<'_>, predicted: &str) -> Option<Snippets> {
    if gold.must_contain.is_empty() && gold.must_not_contain.is_empty() {
        return None;
    }
    let normal = |s: &str| tokens::collapse(s.nfc());
    let text = normal(predicted);
    let mut s = Snippets::default();
    for x in gold.must_contain {
        if text.contains(&normal(x)) { s.tp += 1 } else { s.fn_ += 1 }
    }
    for x in gold.must_not_contain {
        if text.contains(&normal(x)) { s.fp += 1 } else { s.tn += 1 }
    }
    Some(s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brands() -> Brands {
        Brands::parse("Nord\nWest").expect("names")
    }

    #[test]
    fn a_perfect_page_scores_one_everywhere() {
        let text = "Nord opens a plant.\nThe plant is large.";
        let s = score(&Gold { text, ..Gold::default() }, text, &brands());
        let t = s.text.expect("the gold has text");
        assert!((t.similarity - 1.0).abs() < 1e-12);
        assert_eq!(
            (t.exact, t.shingles.prf().2, t.words.prf().2, t.rouge.2),
            (true, 1.0, 1.0, 1.0)
        );
        assert_eq!(t.mentions, Counts { tp: 1, fp: 0, fn_: 0 });
    }

    #[test]
    fn optional_lines_cost_nothing() {
        let optional = ["Photo: West".to_string()];
        let gold = Gold {
            text: "Photo: West\nNord opens a plant.",
            optional: &optional,
            ..Gold::default()
        };
        for predicted in ["Photo: West\nNord opens a plant.", "Nord opens a plant."] {
            let t = score(&gold, predicted, &brands()).text.expect("the gold has text");
            assert!(
                t.exact && t.mentions.fp + t.mentions.fn_ == 0 && t.rouge.2 == 1.0,
                "{predicted}"
            );
        }
    }

    #[test]
    fn snippets_ignore_white_space() {
        let (yes, no) = (["two  words".to_string(), "gone".to_string()], ["menu".to_string()]);
        let gold = Gold { must_contain: &yes, must_not_contain: &no, ..Gold::default() };
        let s = score(&gold, "a two\nwords b", &brands());
        assert!(s.text.is_none());
        assert_eq!(s.snippets, Some(Snippets { tp: 1, fp: 0, tn: 1, fn_: 1 }));
        let written = serde_json::to_string(&s.snippets).expect("memory");
        assert_eq!(written, r#"{"tp":1,"fp":0,"tn":1,"fn":1}"#);
    }
}
