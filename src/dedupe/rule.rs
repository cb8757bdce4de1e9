//! When two articles are copies: the relation whose connected components are the stories. It is a rule with
//! versions: all stories of a store are told by one of them.
//!
//! Must not know: publication instants, how candidates are found, stories.

use std::cell::OnceCell;

use super::print::Print;
use super::similarity::{delta, sim};
use super::wording::{Lookup, Wording};

/// A version of the rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Copies are texts with sim^σ ≥ τ.
    Words,
    /// Wording decides, too: what is worded alike is a copy below τ, and of two texts of one pattern none
    /// is a copy above it (docs/copies.md).
    #[default]
    Wording,
}

impl Rule {
    /// Its number.
    pub fn version(self) -> u32 {
        match self {
            Rule::Words => 1,
            Rule::Wording => 2,
        }
    }

    /// The rule of a number.
    pub fn of_version(version: u32) -> Option<Rule> {
        [Rule::Words, Rule::Wording].into_iter().find(|rule| rule.version() == version)
    }
}

/// What a rule says of two texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Copies, with this sim^σ.
    Copies(f64),
    /// sim^σ reaches τ, but they are two texts of one pattern.
    Pattern(f64),
    /// Neither; with this sim^σ, where it was needed.
    Apart,
}

/// Smallest sim^σ of copies that are worded alike.
pub const LEAST: f64 = 0.6;
/// Share of shingles that copies have in common, at least.
const SHARED: f64 = 0.5;
/// Share of these that stand in the same order, at least.
const ORDER: f64 = 0.5;
/// Terms that the longer of two copies has beyond the shorter one, at most: so many, and this share of its
/// length. More is an excerpt.
const SURPLUS: (f64, f64) = (30.0, 0.1);
/// Texts with so many names and numbers can be told apart by them …
const PARTICULARS: usize = 4;
/// … if they agree in less than this share …
const AGREED: f64 = 0.7;
/// … or if less than this share of their shingles is common, whatever their names and numbers.
const PATTERN: f64 = 0.4;
/// Copies share at least one of so many marks.
const MARKS: usize = 8;

/// Judges two texts by a rule; symmetric. `tau` is the smallest sim^σ of copies.
pub fn judge(rule: Rule, tau: f64, a: &Print, b: &Print) -> Verdict {
    Judge::new(rule, tau, a).of(b)
}

/// One text, to be judged with many others: what that takes of it is made once.
pub(super) struct Judge<'a> {
    rule: Rule,
    tau: f64,
    print: &'a Print,
    shingles: OnceCell<Lookup>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(rule: Rule, tau: f64, print: &'a Print) -> Judge<'a> {
        Judge { rule, tau, print, shingles: OnceCell::new() }
    }

    /// What the rule says of it and another text.
    pub(super) fn of(&self, other: &Print) -> Verdict {
        // Cheap where most pairs end.
        let (ours, theirs) = (self.print.vector.len(), other.vector.len());
        let candidates = self.candidates(other);
        if ours == 0 || theirs == 0 || !candidates && delta(ours, theirs) < self.tau {
            return Verdict::Apart;
        }
        self.decide(sim(&self.print.vector, &other.vector), candidates, other)
    }

    /// [`Judge::of`], of a text that reaches τ with this sim^σ.
    pub(super) fn near(&self, similarity: f64, other: &Print) -> Verdict {
        // Whether they could be copies below τ does not matter then.
        self.decide(similarity, false, other)
    }

    fn decide(&self, similarity: f64, candidates: bool, other: &Print) -> Verdict {
        let reaches = similarity >= self.tau;
        let Some((ours, theirs)) = self.wordings(other) else {
            return if reaches { Verdict::Copies(similarity) } else { Verdict::Apart };
        };
        if !reaches && (similarity < LEAST || !candidates) {
            return Verdict::Apart;
        }
        let otherwise = if reaches { Verdict::Pattern(similarity) } else { Verdict::Apart };
        // Copies agree in names and numbers, and in most of the wording; reports of one pattern do not. What
        // takes least comes first.
        let (particulars, agreed) = ours.particulars_of(theirs);
        if particulars >= PARTICULARS && agreed < AGREED {
            return otherwise;
        }
        let shingles = self.shingles.get_or_init(|| Lookup::new(ours.shingles()));
        let copies = if reaches {
            shingles.share(theirs, PATTERN)
        } else {
            shingles.share(theirs, SHARED) && ours.order(theirs) >= ORDER
        };
        if copies { Verdict::Copies(similarity) } else { otherwise }
    }

    /// Both wordings, where the rule asks for them and both are kept.
    fn wordings<'b>(&self, other: &'b Print) -> Option<(&'a Wording, &'b Wording)> {
        let both = self.print.wording.as_ref().zip(other.wording.as_ref());
        both.filter(|_| self.rule == Rule::Wording)
    }

    /// Can they be copies below τ?
    fn candidates(&self, other: &Print) -> bool {
        self.wordings(other).is_some()
            && fits(self.print.vector.len(), other.vector.len())
            && marked(self.print, other)
    }
}

/// Of two texts of so many terms: is the longer one no more than the shorter one with some furniture?
pub(super) fn fits(a: u64, b: u64) -> bool {
    let (long, short) = (a.max(b), a.min(b));
    (long - short) as f64 <= SURPLUS.0 + SURPLUS.1 * long as f64
}

/// Do they share as many marks as copies do?
fn marked(a: &Print, b: &Print) -> bool {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.marks.get(i), b.marks.get(j)) {
        common += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    common >= a.marks.len().min(b.marks.len()).div_ceil(MARKS).max(1)
}
