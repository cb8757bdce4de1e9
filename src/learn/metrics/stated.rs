//! Title, day and authors against those that the gold states.
//!
//! | figure | right if |
//! |---|---|
//! | title | letters and digits are the same, whatever their case |
//! | day | it is the gold's day, as printed or in UTC |
//! | authors | all names are the gold's and none is missing; letters and digits count |
//!
//! Names are parted at commas and "and" on both sides; what stands in brackets and degrees behind a comma
//! are no names. Must not know: files, corpora, how pages were extracted.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::overlap::{Counts, Pooled};

/// What somebody says of a page beside its text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Said {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A day or an instant (ISO 8601).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
}

/// One page; `None` where the gold states nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stated {
    pub title: Option<bool>,
    pub day: Option<Day>,
    /// Names, one by one.
    pub authors: Option<Counts>,
}

/// What is said of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Day {
    Right,
    Wrong,
    Missing,
}

/// Pages that are right among those whose gold states anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    pub right: usize,
    pub of: usize,
}

impl Share {
    /// `None` of nothing.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.right as f64 / self.of as f64)
    }

    fn count(&mut self, right: bool) {
        self.right += usize::from(right);
        self.of += 1;
    }
}

/// Many pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StatedSummary {
    pub titles: Share,
    pub days: Share,
    /// Days that were given and are wrong: worse than none.
    pub wrong_days: usize,
    /// Pages with all authors and no other.
    pub authors: Share,
    /// Their names, pooled.
    pub names: Pooled,
}

/// Holds what is said against the gold.
pub fn judge(gold: &Said, said: &Said) -> Stated {
    let title = gold.title.as_deref().map(fold).filter(|t| !t.is_empty());
    let published = gold.published.as_deref().map(days).filter(|d| !d.is_empty());
    let authors = names(&gold.authors);
    Stated {
        title: title.map(|gold| said.title.as_deref().is_some_and(|said| fold(said) == gold)),
        day: published.map(|gold| match said.published.as_deref().map(days) {
            Some(said) if !said.is_disjoint(&gold) => Day::Right,
            Some(said) if !said.is_empty() => Day::Wrong,
            _ => Day::Missing,
        }),
        authors: (!authors.is_empty()).then(|| {
            let said = names(&said.authors);
            let tp = authors.intersection(&said).count() as u64;
            Counts { tp, fp: said.len() as u64 - tp, fn_: authors.len() as u64 - tp }
        }),
    }
}

/// Sums up pages.
pub fn sum<'a>(pages: impl IntoIterator<Item = &'a Stated>) -> StatedSummary {
    let (mut all, mut names) = (StatedSummary::default(), Counts::default());
    for page in pages {
        if let Some(right) = page.title {
            all.titles.count(right);
        }
        if let Some(day) = page.day {
            all.days.count(day == Day::Right);
            all.wrong_days += usize::from(day == Day::Wrong);
        }
        if let Some(counts) = page.authors {
            all.authors.count(counts.fp == 0 && counts.fn_ == 0);
            names += counts;
        }
    }
    all.names = names.into();
    all
}

fn fold(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

/// The days of a printed date: that of its wall clock, that of UTC.
fn days(printed: &str) -> BTreeSet<String> {
    let printed = printed.trim();
    let day = printed.get(..10).filter(|d| d.parse::<jiff::civil::Date>().is_ok());
    let instant = printed.parse::<Timestamp>().ok().map(|at| at.to_string());
    let utc = instant.as_deref().and_then(|at| at.get(..10));
    [day, utc].into_iter().flatten().map(str::to_owned).collect()
}

fn names(printed: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in printed {
        let mut text = line.clone();
        while let (Some(open), Some(close)) = (text.find('('), text.find(')'))
            && open < close
        {
            text.replace_range(open..=close, " ");
        }
        for word in [" and ", " und ", " et ", " & ", ";", "|", "、", "\n"] {
            text = text.replace(word, ",");
        }
        let parts = text.split([',', '，']).map(str::trim).enumerate();
        let named = parts.filter(|&(at, part)| at == 0 || !is_degree(part));
        found.extend(named.map(|(_, part)| fold(part)).filter(|name| !name.is_empty()));
    }
    found
}

/// "PhD", "MBA", "M.D.": few letters, most of them capitals.
fn is_degree(part: &str) -> bool {
    let letters = || part.chars().filter(|c| c.is_alphabetic());
    let capitals = letters().filter(|c| c.is_uppercase()).count();
    letters().count() <= 5 && part.is_ascii() && capitals * 2 > letters().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(title: &str, published: &str, authors: &[&str]) -> Said {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let authors = authors.iter().map(|a| a.to_string()).collect();
        Said { title: some(title), published: some(published), authors }
    }

    #[test]
    fn pages_are_held_against_their_gold() {
        let gold =
            said("A plant opens!", "2026-11-20T23:30:00-05:00", &["Ann Author, PhD", "B. Pen"]);
        let check = |found: &Said, title, day, authors: (u64, u64, u64)| {
            let stated = judge(&gold, found);
            let counts = stated.authors.map(|c| (c.tp, c.fp, c.fn_));
            assert_eq!((stated.title, stated.day, counts), (Some(title), Some(day), Some(authors)));
        };
        check(
            &said("a plant opens", "2026-11-20", &["B Pen", "ann author"]),
            true,
            Day::Right,
            (2, 0, 0),
        );
        check(
            &said("Plant opens", "2026-11-21", &["Ann Author and B. Pen"]),
            false,
            Day::Right,
            (2, 0, 0),
        );
        check(&said("", "2026-11-22", &["Ann Author (News)"]), false, Day::Wrong, (1, 0, 1));
        check(&said("", "", &["In"]), false, Day::Missing, (0, 1, 2));
        assert_eq!(judge(&Said::default(), &gold), Stated::default());
    }

    #[test]
    fn shares_are_of_pages_whose_gold_speaks() {
        let gold = said("T", "2026-11-20", &["Ann Author"]);
        let pages = [
            judge(&gold, &gold),
            judge(&gold, &said("T", "2026-11-19", &[])),
            judge(&said("T", "", &[]), &said("U", "2026-11-20", &["X"])),
        ];
        let all = sum(&pages);
        let share = |s: Share| (s.right, s.of);
        assert_eq!((share(all.titles), share(all.days), all.wrong_days), ((2, 3), (1, 2), 1));
        assert_eq!((share(all.authors), all.names.tp, all.names.fn_), ((1, 2), 1, 1));
        assert_eq!(all.authors.value(), Some(0.5));
        assert_eq!(Share::default().value(), None);
    }
}
