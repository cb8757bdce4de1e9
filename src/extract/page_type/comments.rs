//! Does a page show readers' comments? Among the blocks named so are forms, counts, rules, "be the first", the last ones
//! of other pages and what other sites said: a comment is what stands in an element named after one, or beside a line
//! that says when it was written.
//!
//! Must not know: labelers, what becomes of such pages.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Flags, RawBlock};
use crate::extract::text::Stats;
use crate::html::name;
use crate::model::Label;

/// A comment in an element named after one has at least so many words, …
const WORDS: u32 = 4;
/// … another one so many.
const DATED_WORDS: u32 = 8;
/// A line that says when has at most so many words.
const LINE_WORDS: u32 = 12;
/// So many blocks before and behind a comment may say when it was written.
const BESIDE: usize = 2;
/// So many elements around a block may be named after a comment; so many bytes of their names are read.
const AROUND: usize = 7;
const NAMES: usize = 512;
/// So many blocks are looked at.
const MOST: usize = 500;
/// What is no comment, though it stands in an element named after comments.
const ASIDE: Flags = Flags(Flags::BUTTON.0 | Flags::HIDDEN.0 | Flags::NOSCRIPT.0 | Flags::DIALOG.0);

/// Is one of the blocks named a comment one?
pub(super) fn are_shown(page: &PageBlocks, labels: &[Label]) -> bool {
    let blocks: Vec<(&RawBlock, &Stats)> = page.iter().collect();
    // Some servers print one form around the whole page.
    let mut text = blocks.iter().zip(labels).filter(|(_, label)| label.is_content());
    let formed = text.next().is_some_and(|((block, _), _)| block.flags.has(Flags::FORM));
    let aside = if formed { ASIDE } else { Flags(ASIDE.0 | Flags::FORM.0) };
    let commented = |index: usize| {
        let (block, stats) = blocks.get(index)?;
        let is_comment = labels.get(index) == Some(&Label::Comment);
        let part = is_comment && block.heading == 0 && block.flags.0 & aside.0 == 0;
        (part && page.unseen(block).is_none()).then_some((*block, stats.words, stats.link_words))
    };
    let mut known = Told::default();
    let long = (0..blocks.len()).filter_map(|index| {
        let (block, words, linked) = commented(index)?;
        (words >= WORDS && linked * 3 < words).then_some((index, block, words))
    });
    long.take(MOST).any(|(index, block, words)| match named(page, block, &mut known) {
        Some(told) => told,
        None => {
            words >= DATED_WORDS
                && (index.saturating_sub(BESIDE)..=index + BESIDE).any(|beside| {
                    beside != index
                        && commented(beside).is_some_and(|(_, words, _)| words <= LINE_WORDS)
                        && tells_when(page.text(beside))
                })
        }
    })
}

/// What elements say by their names. Each is read once, however many blocks stand in it.
type Told = HashMap<Id, Option<bool>, RandomState>;

/// Does an element around a block say by its names that it is one comment, or that it is none of this page?
fn named(page: &PageBlocks, block: &RawBlock, known: &mut Told) -> Option<bool> {
    let mut one = None;
    for id in page.dom.ancestors(block.first).take(AROUND) {
        if page.dom.tag(id) == Some(name!("body")) {
            break;
        }
        match *known.entry(id).or_insert_with(|| element(page, id)) {
            Some(false) => return Some(false),
            told => one = one.or(told),
        }
    }
    one
}

/// What the names of an element say, as [`told`] has it; that it is none weighs more.
fn element(page: &PageBlocks, id: Id) -> Option<bool> {
    let mut one = None;
    for names in [page.dom.value(id, name!("class")), page.dom.value(id, name!("id"))] {
        let names = names.unwrap_or_default();
        let read = names.get(..names.floor_char_boundary(NAMES)).unwrap_or_default();
        for told in read.split_ascii_whitespace().filter_map(told) {
            if !told {
                return Some(false);
            }
            one = Some(true);
        }
    }
    one
}

/// What one name says: "comment", "comment-12" and "commentBody" are of one comment, "recent-comments" and "pingback" of
/// other pages.
fn told(name: &str) -> Option<bool> {
    const PARTS: [&str; 12] = [
        "body",
        "bubble",
        "content",
        "copy",
        "entry",
        "inner",
        "item",
        "message",
        "msg",
        "paragraph",
        "post",
        "text",
    ];
    const OTHERS: [&str; 4] = ["latest", "pingback", "recent", "trackback"];
    const ORDERS: [&str; 7] = ["add", "cancel", "leave", "new", "no", "post", "write"];
    let words = words(name);
    if words.iter().any(|word| OTHERS.iter().any(|other| word.starts_with(other))) {
        return Some(false);
    }
    let ordered = words.first().is_some_and(|first| ORDERS.contains(&first.as_str()));
    let is_one = |(at, word): (usize, &String)| {
        let part = |part: &str| PARTS.contains(&part);
        match word.split_once("comment") {
            Some((_, "")) => match words.get(at + 1) {
                Some(next) => part(next) || next.bytes().all(|byte| byte.is_ascii_digit()),
                None => at == 0 || !ordered,
            },
            Some((_, rest)) => part(rest),
            None => false,
        }
    };
    words.iter().enumerate().any(is_one).then_some(true)
}

/// The words of a name, in lower case: parted by signs, by digits and by capitals.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let joined = before.is_ascii_digit() == c.is_ascii_digit()
            && !(before.is_ascii_lowercase() && c.is_ascii_uppercase());
        match words.last_mut().filter(|_| before.is_ascii_alphanumeric() && joined) {
            Some(word) if c.is_ascii_alphanumeric() => word.push(c.to_ascii_lowercase()),
            _ if c.is_ascii_alphanumeric() => words.push(c.to_ascii_lowercase().to_string()),
            _ => {}
        }
        before = c;
    }
    words
}

/// Does a line hold a year, a time or a date in digits?
fn tells_when(line: &str) -> bool {
    let signs = line.split(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '/' | '.' | '-'));
    signs.map(|run| run.trim_end_matches(['.', '-'])).any(|run| {
        let is_number = |part: &str, most: usize| {
            (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let year = |part: &str| {
            is_number(part, 4)
                && part.len() == 4
                && (part.starts_with("19") || part.starts_with("20"))
        };
        let times = run.split(':').collect::<Vec<_>>();
        let is_time = matches!(times[..], [hour, minute] | [hour, minute, _]
            if is_number(hour, 2) && minute.len() == 2 && is_number(minute, 2));
        let dates = run.split(['/', '.', '-']).collect::<Vec<_>>();
        let is_date = dates.len() == 3 && dates.iter().all(|part| is_number(part, 4));
        year(run) || is_time || is_date
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_comment() {
        for (name, expect) in [
            ("comment", Some(true)),
            ("comment-12", Some(true)),
            ("dsq-comment-message", Some(true)),
            ("commentBody", Some(true)),
            ("CommentBody-root", Some(true)),
            ("js-comment", Some(true)),
            ("blogComment", Some(true)),
            ("wp-block-comment-content", Some(true)),
            ("comments", None),
            ("comment-list", None),
            ("comment-form", None),
            ("post-comment", None),
            ("user-comment-show", None),
            ("comment-likes-container", None),
            ("commentlist", None),
            ("recent-comments", Some(false)),
            ("recentcomments", Some(false)),
            ("pingback", Some(false)),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(told(name), expect, "{name}");
        }
    }

    #[test]
    fn lines_that_say_when() {
        for line in ["May 3, 2026 at noon", "12:30", "Ann, 3.5.26", "03/05/26", "2026"] {
            assert!(tells_when(line), "{line}");
        }
        for line in ["", "Reply 12", "12", "20266", "3 : 4", "1.234", "Score 1:3", "1.2.3.4"] {
            assert!(!tells_when(line), "{line}");
        }
    }
}
