//! Phrases of calls and notices in many languages, as lists hold them, and where they stand in a sentence.
//!
//! Must not know: what the phrases mean.

use std::ops::Range;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

use super::fold::fold;
use super::letters::joined;

/// The phrases of lines with a language, this `place` behind it, a colon, and phrases between semicolons; each with its
/// language.
pub(super) fn listed<'a>(
    lines: &'a str,
    place: Option<&str>,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let of_place = move |line: &'a str| {
        let (key, phrases) = line.split_once(": ")?;
        let (language, own) = key.split_once(", ").map_or((key, None), |(l, own)| (l, Some(own)));
        (own == place).then_some((language, phrases))
    };
    let lines = lines.lines().filter_map(of_place);
    lines.flat_map(|(language, phrases)| phrases.split("; ").map(move |phrase| (language, phrase)))
}

/// Phrases that are looked for at once, folded.
pub(super) struct Phrases {
    whole: Option<AhoCorasick>,
    /// Those with something in between, and what that stands between: "join … our channel".
    gapped: Vec<[String; 2]>,
}

impl Phrases {
    pub(super) fn new(lines: &str, place: Option<&str>) -> Phrases {
        let mut whole = Vec::new();
        let mut gapped = Vec::new();
        for (_, phrase) in listed(lines, place) {
            match phrase.split_once(" … ") {
                Some((head, tail)) => gapped.push([head, tail].map(|part| fold(part).text)),
                None => whole.push(fold(phrase).text),
            }
        }
        let mut automaton = AhoCorasick::builder();
        automaton.match_kind(MatchKind::LeftmostLongest).start_kind(StartKind::Both);
        Phrases { whole: automaton.build(whole).ok(), gapped }
    }

    /// The first of them in a sentence.
    pub(super) fn find(&self, said: &str) -> Option<Range<usize>> {
        let whole = self.whole.as_ref().and_then(|whole| first(whole, said));
        whole.or_else(|| self.gapped.iter().find_map(|gapped| spans(gapped, said)))
    }

    /// Where the one ends that stands at a place of a sentence, if one does.
    pub(super) fn end(&self, said: &str, at: usize) -> Option<usize> {
        let input = Input::new(said).span(at..said.len()).anchored(Anchored::Yes);
        let whole = self.whole.as_ref().and_then(|whole| whole.find(input));
        let whole = whole.map(|hit| hit.range()).filter(|range| is_apart(said, range));
        let here = said.get(at..)?;
        let gapped = || {
            let mut all = self.gapped.iter().filter(|[head, _]| here.starts_with(head.as_str()));
            let found = all.find_map(|gapped| spans(gapped, here))?;
            (found.start == 0).then_some(at + found.end)
        };
        whole.map(|range| range.end).or_else(gapped)
    }
}

/// From where a phrase begins to where it ends that has something in between.
fn spans([head, tail]: &[String; 2], said: &str) -> Option<Range<usize>> {
    let part = |from: usize, part: &str| {
        let mut places =
            said.get(from..)?.match_indices(part).map(|(at, _)| from + at..from + at + part.len());
        places.find(|range| is_apart(said, range))
    };
    let head = part(0, head)?;
    Some(head.start..part(head.end, tail)?.end)
}

/// The first of these that stands for itself.
pub(super) fn first(names: &AhoCorasick, text: &str) -> Option<Range<usize>> {
    names.find_iter(text).map(|hit| hit.range()).find(|range| is_apart(text, range))
}

/// Does this stretch of a text stand for itself? Onto Hangul particles are written.
fn is_apart(text: &str, range: &Range<usize>) -> bool {
    let is_hangul = |c: char| ('\u{AC00}'..='\u{D7A3}').contains(&c);
    let (before, rest) = text.split_at(range.start);
    let (own, behind) = rest.split_at(range.len());
    let last = own.chars().next_back();
    !joined(before.chars().next_back(), own.chars().next())
        && (last.is_some_and(is_hangul) || !joined(last, behind.chars().next()))
}
