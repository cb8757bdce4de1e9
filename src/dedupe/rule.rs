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
    Wording,
    /// As before; and texts full of capitals, as all are in German, agree in more of them.
    #[default]
    Nouns,
}

impl Rule {
    /// Its number.
    pub fn version(self) -> u32 {
        match self {
            Rule::Words => 1,
            Rule::Wording => 2,
            Rule::Nouns => 3,
        }
    }

    /// The rule of a number.
    pub fn of_version(version: u32) -> Option<Rule> {
        [Rule::Words, Rule::Wording, Rule::Nouns].into_iter().find(|rule| rule.version() == version)
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
/// … in this one, if more than this share of the terms of both are names and numbers: most of them are words that a
/// language begins with a capital, which texts of one pattern have in common …
const AGREED_NOUNS: f64 = 0.88;
const NOUNS: f64 = 0.2;
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
        let nouns = self.rule >= Rule::Nouns && ours.density().min(theirs.density()) > NOUNS;
        if particulars >= PARTICULARS && agreed < if nouns { AGREED_NOUNS } else { AGREED } {
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
        both.filter(|_| self.rule >= Rule::Wording)
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

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "Bei einem Unfall auf der STREET in PLACE ist am DAY gegen 13 Uhr ein AGE Jahre alter \
        Fahrer eines Motorrads schwer verletzt worden, wie die Polizei in ihrem Bericht am Morgen mitteilte. Nach den \
        Ermittlungen hatte der Fahrer eines Lastwagens beim Abbiegen an der Kreuzung zur Bundesstraße ROAD das \
        Motorrad übersehen, es kam zu einem Zusammenstoß, bei dem der Fahrer des Motorrads auf die Fahrbahn stürzte. \
        Der Mann kam mit einem Hubschrauber in ein Krankenhaus, der Fahrer des Lastwagens erlitt einen Schock, den \
        Schaden an den Fahrzeugen schätzt die Polizei auf rund EURO Euro, sagte ihr Sprecher MAN.";

    fn report(slots: [&str; 7]) -> String {
        let names = ["STREET", "PLACE", "DAY", "AGE", "ROAD", "EURO", "MAN"];
        names
            .iter()
            .zip(slots)
            .fold(REPORT.to_owned(), |text, (name, slot)| text.replace(name, slot))
    }

    #[test]
    fn texts_full_of_capitals_are_of_one_pattern_though_most_of_them_agree() {
        let here = report(["Talstraße", "Altheim", "Montag", "45", "12", "30000", "Jens Vogt"]);
        let there = report(["Seestraße", "Neudorf", "Freitag", "61", "305", "8000", "Ina Lenz"]);
        let judge = |rule, a: &str, b: &str| judge(rule, 0.9, &Print::of(a), &Print::of(b));
        assert!(
            matches!(judge(Rule::Wording, &here, &there), Verdict::Copies(_)),
            "the rule before"
        );
        assert!(matches!(judge(Rule::Nouns, &here, &there), Verdict::Pattern(_)));
        // A copy whose editor has another name for the place, and leaves out the last sentence.
        let edited =
            here.replace("in Altheim", "im Ort").replace(", sagte ihr Sprecher Jens Vogt", "");
        for rule in [Rule::Words, Rule::Wording, Rule::Nouns] {
            assert!(matches!(judge(rule, &here, &edited), Verdict::Copies(_)), "{rule:?}");
        }
    }
}
