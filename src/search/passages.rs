//! Where an article has what was looked for: the passage around it, with the words marked.
//!
//! Must not know: the index.

use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

use serde::{Deserialize, Serialize};

use crate::mention;
use crate::model::{Article, Zone};

use super::syntax::{Near, Phrase, Wanted};
use super::words::{Word, words};

/// Characters shown before the first hit of a passage, and from there on.
const BEFORE: usize = 60;
const AFTER: usize = 160;

/// Places of phrases that are tried out together in one article: where so many do not settle it, they count as not
/// near each other.
pub const TRIES: u64 = 300_000;
/// Words and places that are looked at for one answer: articles behind them are shown without a passage.
pub const EFFORT: u64 = 20_000_000;

/// Where words stand, as their numbers: the first, and the one behind the last.
pub type Place = (u32, u32);

/// A piece of a passage with what was found in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    pub zone: Zone,
    /// The piece in order; as publishers wrote it, so it must be escaped.
    pub parts: Vec<Part>,
}

/// A part of a piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub text: String,
    /// It was looked for.
    pub hit: bool,
}

/// Pieces of the article with what was looked for, `most` at most: those with most of it, in page order. `effort` is what
/// is left of [`EFFORT`].
pub fn contexts(article: &Article, wanted: &Wanted, most: usize, effort: &mut u64) -> Vec<Context> {
    let mut sought = Vec::new();
    gather(wanted, &mut sought);
    let mut found = Vec::new();
    for (place, (zone, text)) in mention::counted(article).enumerate() {
        if *effort == 0 {
            break;
        }
        let words = words(text);
        *effort = effort.saturating_sub(words.len() as u64);
        let mut hits: Vec<Range<usize>> = Vec::new();
        let mut kinds = 0;
        for (zones, near) in &sought {
            let before = hits.len();
            if zones.contains(&zone) {
                mark(&words, near, effort, &mut hits);
            }
            kinds += usize::from(hits.len() > before);
        }
        if kinds > 0 {
            found.push((kinds, place, Context { zone, parts: piece(text, hits) }));
        }
    }
    found.sort_by_key(|(kinds, place, _)| (std::cmp::Reverse(*kinds), *place));
    found.truncate(most);
    found.sort_by_key(|(_, place, _)| *place);
    found.into_iter().map(|(.., context)| context).collect()
}

/// What an article must have, what it must not have left out.
fn gather<'w>(wanted: &'w Wanted, sought: &mut Vec<(&'w [Zone], &'w Near)>) {
    match wanted {
        Wanted::Words(zones, near) => sought.push((zones, near)),
        Wanted::All(parts) | Wanted::Any(parts) => {
            parts.iter().for_each(|part| gather(part, sought));
        }
        Wanted::Not(_) => {}
    }
}

/// Adds the byte ranges of the phrases that stand near each other as they should.
fn mark(words: &[Word], near: &Near, effort: &mut u64, hits: &mut Vec<Range<usize>>) {
    let mut all: Vec<Vec<Place>> = Vec::new();
    for phrase in near.phrases() {
        let looked_at = words.len() as u64 + 1;
        *effort = effort.saturating_sub(looked_at);
        all.push(places(words, phrase));
        if *effort == 0 || all.last().is_some_and(Vec::is_empty) {
            return;
        }
    }
    let mut whole: Vec<Place> = Vec::new();
    let then: Vec<(u32, &[Place])> = near
        .then
        .iter()
        .map(|(words, _)| *words)
        .zip(all.iter().skip(1).map(Vec::as_slice))
        .collect();
    let given = TRIES.min(*effort);
    let mut tries = given;
    // Those that were found by the time that the effort is spent do.
    let _ = together(all.first().map_or(&[], Vec::as_slice), &then, &mut tries, &mut |place| {
        whole.push(place);
        ControlFlow::Continue(())
    });
    *effort -= given - tries;
    whole.sort_unstable();
    // The farthest end of all that begin so early.
    let mut farthest = 0;
    let reach: Vec<Place> = whole
        .into_iter()
        .map(|(begin, end)| {
            farthest = end.max(farthest);
            (begin, farthest)
        })
        .collect();
    for (begin, end) in all.into_iter().flatten() {
        let before = reach.partition_point(|place| place.0 <= begin);
        let last = before.checked_sub(1).and_then(|at| reach.get(at));
        let inside = last.is_some_and(|(_, farthest)| end <= *farthest);
        let (from, to) = (words.get(begin as usize), words.get(end as usize - 1));
        if let (true, Some(from), Some(to)) = (inside, from, to) {
            hits.push(from.start..to.end);
        }
    }
}

/// Where a phrase stands among words: begin and end.
fn places(words: &[Word], phrase: &Phrase) -> Vec<Place> {
    let length = phrase.words.len();
    let is = |there: &[Word]| {
        there.iter().zip(&phrase.words).enumerate().all(|(at, (word, sought))| {
            let goes_on = phrase.open && at + 1 == length;
            word.text == *sought || goes_on && word.text.starts_with(sought.as_str())
        })
    };
    let begins = (0u32..).zip(words.windows(length)).filter(|(_, there)| is(there));
    begins.map(|(at, _)| (at, at + length as u32)).collect()
}

/// Tells `found` where phrases stand near each other: those of `first` with one of each of `then` at most so many
/// words before or behind what was put together so far. Each place once, until `found` breaks or the `tries` are
/// spent: where words are repeated by the thousand, all of them would take hours. All places are in order.
pub fn together(
    first: &[Place],
    then: &[(u32, &[Place])],
    tries: &mut u64,
    found: &mut impl FnMut(Place) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut chain = Chain { then, seen: HashSet::default(), tries, found };
    first.iter().try_for_each(|place| chain.go_on(0, *place))
}

/// Phrases that are put together, one after the other: a place that goes on to the end is found at once.
struct Chain<'a, F> {
    then: &'a [(u32, &'a [Place])],
    /// What was put together of how many phrases.
    seen: HashSet<(usize, Place)>,
    tries: &'a mut u64,
    found: &'a mut F,
}

impl<F: FnMut(Place) -> ControlFlow<()>> Chain<'_, F> {
    fn go_on(&mut self, joined: usize, whole: Place) -> ControlFlow<()> {
        let Some(left) = self.tries.checked_sub(1) else { return ControlFlow::Break(()) };
        *self.tries = left;
        if !self.then.is_empty() && !self.seen.insert((joined, whole)) {
            return ControlFlow::Continue(());
        }
        let Some(&(words, places)) = self.then.get(joined) else { return (self.found)(whole) };
        let (begin, end) = whole;
        let length = places.first().map_or(0, |(begin, end)| end - begin);
        let until = |at: u32| places.partition_point(|place| place.0 < at);
        // Those that end before it begins, and those that begin behind it.
        let before = match begin.checked_sub(length) {
            Some(last) => {
                until(begin.saturating_sub(words.saturating_add(length)))..until(last + 1)
            }
            None => 0..0,
        };
        let behind = until(end)..until(end.saturating_add(words).saturating_add(1));
        for place in before.chain(behind).filter_map(|at| places.get(at)) {
            self.go_on(joined + 1, (begin.min(place.0), end.max(place.1)))?;
        }
        ControlFlow::Continue(())
    }
}

/// The text around the first hit, cut between words, with all hits in it marked.
fn piece(text: &str, mut hits: Vec<Range<usize>>) -> Vec<Part> {
    hits.sort_by_key(|hit| (hit.start, hit.end));
    let first = hits.first().map_or(0, |hit| hit.start);
    let back = text[..first].char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
    let from = match text[back..first].find(char::is_whitespace) {
        Some(space) if back > 0 => back + space,
        _ => back,
    };
    let on = text[first..].char_indices().nth(AFTER).map_or(text.len(), |(at, _)| first + at);
    let mut to = match text[first..on].rfind(char::is_whitespace) {
        Some(space) if on < text.len() && space > 0 => first + space,
        _ => on,
    };
    to = hits.iter().filter(|hit| hit.start < to).map(|hit| hit.end).fold(to, usize::max);
    let mut parts: Vec<Part> = Vec::new();
    let mut push = |text: &str, hit: bool| match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if last.hit == hit => last.text.push_str(text),
        _ => parts.push(Part { text: text.to_owned(), hit }),
    };
    push(if from > 0 { "…" } else { "" }, false);
    let mut at = from;
    for hit in hits.into_iter().filter(|hit| hit.start < to) {
        push(&text[at..hit.start.max(at)], false);
        push(&text[hit.start.max(at)..hit.end.max(at)], true);
        at = at.max(hit.end);
    }
    push(&text[at..to.max(at)], false);
    push(if to < text.len() { "…" } else { "" }, false);
    parts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::syntax::{ZONES, read};
    use super::*;
    use crate::model::{Block, Label};

    fn article(blocks: &[(Label, &str)]) -> Article {
        let block = |(label, text): &(Label, &str)| Block {
            text: text.to_string(),
            label: *label,
            probability: 1.0,
        };
        Article { blocks: blocks.iter().map(block).collect(), ..Article::default() }
    }

    fn shown(article: &Article, query: &str) -> Vec<String> {
        let wanted = read(query, &ZONES).unwrap();
        let line = |context: Context| {
            let part = |part: Part| if part.hit { format!("[{}]", part.text) } else { part.text };
            context.parts.into_iter().map(part).collect::<String>()
        };
        contexts(article, &wanted, 2, &mut EFFORT.clone()).into_iter().map(line).collect()
    }

    #[test]
    fn what_was_looked_for_is_marked() {
        let article = article(&[
            (Label::Title, "Acme grows"),
            (Label::Caption, "Acme, Acme"),
            (Label::Introduction, "Nothing here."),
            (Label::Paragraph, "The Acme-Group, said Vega, recalls <b>toys</b>: 電子公司."),
        ]);
        for (query, expect) in [
            (
                "acme",
                &["[Acme] grows", "The [Acme]-Group, said Vega, recalls <b>toys</b>: 電子公司."][..],
            ),
            (
                "body:acme NOT zebra",
                &["The [Acme]-Group, said Vega, recalls <b>toys</b>: 電子公司."],
            ),
            (
                "\"acme group\" toys",
                &["The [Acme-Group], said Vega, recalls <b>[toys]</b>: 電子公司."],
            ),
            (
                "acme NEAR/2 vega",
                &["The [Acme]-Group, said [Vega], recalls <b>toys</b>: 電子公司."],
            ),
            ("acme NEAR/1 vega", &[]),
            ("recal* 子公", &["The Acme-Group, said Vega, [recalls] <b>toys</b>: 電[子公]司."]),
            ("NOT acme", &[]),
        ] {
            assert_eq!(shown(&article, query), expect, "{query}");
        }
    }

    #[test]
    fn a_long_passage_is_cut_between_words() {
        let text = format!("{}Acme {}", "wörd ".repeat(50), "and so on ".repeat(50));
        let shown = shown(&article(&[(Label::Paragraph, &text)]), "acme").remove(0);
        assert!(shown.starts_with("… wörd") && shown.ends_with('…'), "{shown}");
        assert!(shown.contains("[Acme]") && shown.chars().count() < 250, "{shown}");
        let han = format!("{}電{}", "公".repeat(300), "司".repeat(300));
        let shown = self::shown(&article(&[(Label::Paragraph, &han)]), "電").remove(0);
        assert!(shown.contains("[電]") && shown.chars().count() < 250, "{shown}");
    }

    /// All places, with more tries than they need.
    fn near(first: &[Place], then: &[(u32, &[Place])]) -> Vec<Place> {
        let mut all = Vec::new();
        let done = together(first, then, &mut TRIES.clone(), &mut |place| {
            all.push(place);
            ControlFlow::Continue(())
        });
        assert!(done.is_continue());
        all.sort_unstable();
        all
    }

    #[test]
    fn phrases_stand_together() {
        assert_eq!(near(&[(5, 6)], &[(0, &[(6, 8)])]), [(5, 8)]);
        assert_eq!(near(&[(5, 6)], &[(0, &[(7, 8)])]), []);
        assert_eq!(near(&[(5, 6)], &[(1, &[(2, 4), (7, 9)])]), [(2, 6), (5, 9)]);
        assert_eq!(near(&[(5, 7)], &[(9, &[(6, 8)])]), [], "they share a word");
        assert_eq!(near(&[(0, 1), (4, 5)], &[]), [(0, 1), (4, 5)]);
    }

    /// All pairs of a paragraph of one word were kept, and the process ended without memory.
    #[test]
    fn a_repeated_word_is_found_near_itself_and_shown() {
        let text = "x ".repeat(4_000);
        let page = article(&[(Label::Paragraph, &text), (Label::Paragraph, "x y")]);
        for times in [3, 6, 21] {
            let query = vec!["x"; times].join(" NEAR/50 ");
            assert!(shown(&page, &query)[0].starts_with("[x] [x] "), "{times}");
        }
        let places: Vec<Place> = (0..4_000).map(|at| (at, at + 1)).collect();
        let then = vec![(50, places.as_slice()); 20];
        let mut tries = TRIES;
        let first = together(&places, &then, &mut tries, &mut |_| ControlFlow::Break(()));
        assert!(first.is_break() && tries > TRIES - 100, "{tries}");
        // Nowhere near: given up.
        let mut then = vec![(50, places.as_slice()); 10];
        let far = [(9_000, 9_001)];
        then.push((50, &far));
        let (mut tries, mut found) = (TRIES, 0);
        let _ = together(&places, &then, &mut tries, &mut |_| {
            found += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((tries, found), (0, 0));
    }

    #[test]
    fn an_answer_shows_only_so_much() {
        let page = article(&[(Label::Paragraph, "x y z"), (Label::Paragraph, "x x x")]);
        let wanted = read("x NEAR x", &ZONES).unwrap();
        assert_eq!(contexts(&page, &wanted, 2, &mut 100).len(), 1);
        for effort in 0..20 {
            let mut left = effort;
            contexts(&page, &wanted, 2, &mut left);
            assert!(left <= effort);
        }
        assert_eq!(contexts(&page, &wanted, 2, &mut 0), []);
    }

    proptest! {
        /// The rule itself, phrase by phrase.
        #[test]
        fn chains_are_those_of_the_rule(
            first in places_of(1),
            then in prop::collection::vec((0u32..4, places_of(2)), 0..4),
        ) {
            let mut expect: BTreeSet<Place> = first.iter().copied().collect();
            for (words, places) in &then {
                let mut next = BTreeSet::new();
                for (begin, end) in expect {
                    for &(from, to) in places {
                        let gap = if from >= end { from - end } else { begin.saturating_sub(to) };
                        if (from >= end || to <= begin) && gap <= *words {
                            next.insert((begin.min(from), end.max(to)));
                        }
                    }
                }
                expect = next;
            }
            let then: Vec<(u32, &[Place])> = then.iter().map(|(n, p)| (*n, p.as_slice())).collect();
            prop_assert_eq!(near(&first, &then), expect.into_iter().collect::<Vec<_>>());
        }
    }

    fn places_of(length: u32) -> impl Strategy<Value = Vec<Place>> {
        let begins = prop::collection::btree_set(0u32..30, 0..8);
        begins.prop_map(move |begins| begins.into_iter().map(|at| (at, at + length)).collect())
    }
}
