//! Where an article has what was looked for: the passage around it, with the words marked.
//!
//! Must not know: the index.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::mention;
use crate::model::{Article, Zone};

use super::syntax::{Near, Phrase, Wanted};
use super::words::{Word, words};

/// Characters shown before the first hit of a passage, and from there on.
const BEFORE: usize = 60;
const AFTER: usize = 160;

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

/// Pieces of the article with what was looked for, `most` at most: those with most of it, in page order.
pub fn contexts(article: &Article, wanted: &Wanted, most: usize) -> Vec<Context> {
    let mut sought = Vec::new();
    gather(wanted, &mut sought);
    let mut found = Vec::new();
    for (place, (zone, text)) in mention::counted(article).enumerate() {
        let words = words(text);
        let mut hits: Vec<Range<usize>> = Vec::new();
        let mut kinds = 0;
        for (zones, near) in &sought {
            let before = hits.len();
            if zones.contains(&zone) {
                mark(&words, near, &mut hits);
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
fn mark(words: &[Word], near: &Near, hits: &mut Vec<Range<usize>>) {
    let all: Vec<Vec<(u32, u32)>> = near.phrases().map(|phrase| places(words, phrase)).collect();
    let mut each = all.iter().cloned();
    let first = each.next().unwrap_or_default();
    let whole = together(first, near.then.iter().map(|(words, _)| *words).zip(each));
    for (begin, end) in all.into_iter().flatten() {
        let inside = whole.iter().any(|place| place.0 <= begin && end <= place.1);
        let (from, to) = (words.get(begin as usize), words.get(end as usize - 1));
        if let (true, Some(from), Some(to)) = (inside, from, to) {
            hits.push(from.start..to.end);
        }
    }
}

/// Where a phrase stands among words: begin and end.
fn places(words: &[Word], phrase: &Phrase) -> Vec<(u32, u32)> {
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

/// Where phrases stand near each other: those of `first` with one of each of `then` at most so many words
/// before or behind what was put together so far. All in order of their begins.
pub fn together(
    first: Vec<(u32, u32)>,
    then: impl Iterator<Item = (u32, Vec<(u32, u32)>)>,
) -> Vec<(u32, u32)> {
    let mut whole = first;
    for (words, places) in then {
        let length = places.first().map_or(0, |(begin, end)| end - begin);
        let mut next = Vec::new();
        for (begin, end) in whole {
            let from = begin.saturating_sub(words.saturating_add(length));
            let near = places.partition_point(|place| place.0 < from);
            let near = places.iter().skip(near).take_while(|place| place.0 <= end + words);
            let apart = near.filter(|place| place.0 >= end || begin >= place.1);
            next.extend(apart.map(|place| (begin.min(place.0), end.max(place.1))));
        }
        next.sort_unstable();
        next.dedup();
        whole = next;
    }
    whole
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
        contexts(article, &wanted, 2).into_iter().map(line).collect()
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

    #[test]
    fn phrases_stand_together() {
        let near = |first: &[(u32, u32)], words, then: &[(u32, u32)]| {
            together(first.to_vec(), std::iter::once((words, then.to_vec())))
        };
        assert_eq!(near(&[(5, 6)], 0, &[(6, 8)]), [(5, 8)]);
        assert_eq!(near(&[(5, 6)], 0, &[(7, 8)]), []);
        assert_eq!(near(&[(5, 6)], 1, &[(2, 4), (7, 9)]), [(2, 6), (5, 9)]);
        assert_eq!(near(&[(5, 7)], 9, &[(6, 8)]), [], "they share a word");
    }
}
