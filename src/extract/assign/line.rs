//! Short lines around an article: photo credits and sources, bylines, date lines.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Anchored, Input, StartKind};

use crate::extract::agency;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Groups, RawBlock, groups};
use crate::extract::text::{Stats, is_spaceless};
use crate::html::name;
use crate::model::credit;

/// Beginnings of credit lines beside [`credit::SOURCES`] and [`credit::PICTURES`], lower case.
const CREDITS: &[&str] = &[
    "photo by",
    "photo credit",
    "photo ©",
    "foto ©",
    "image credit",
    "picture credit",
    "crédit",
    "fot.",
    "图片来源",
    "圖片來源",
    "图源",
    "摄影",
    "写真=",
    "사진=",
];

/// Beginnings of notes on who else reported or which agency sent it, lower case.
const NOTES: &[&str] = &[
    "with reporting by",
    "with files from",
    "with assistance from",
    "with assistance by",
    "with additional reporting",
    "additional reporting by",
    "mit agenturmaterial",
    "mit dpa",
    "mit afp",
    "mit reuters",
    "avec afp",
    "avec reuters",
    "avec agences",
    "con agencias",
    "com agência",
];

/// The same, but sentences begin so, too.
const OPENINGS: &[&str] = &[
    "mit informationen der",
    "mit informationen von",
    "mit material der",
    "mit material von",
    "con información de",
    "con informazioni",
    "com informações d",
    "met medewerking van",
    "по материалам",
    "за матеріалами",
    "责任编辑：",
    "责任编辑:",
    "責任編輯：",
    "責任編輯:",
    "责编：",
    "责编:",
    "責編：",
    "責編:",
    "编辑：",
    "编辑:",
    "編輯：",
    "編輯:",
];
/// What begins with one of them and names no agency is a note with at most so many words, …
const OPENING_WORDS: u32 = 12;
/// … or so many if a sentence ends.
const OPENING_SENTENCE: u32 = 6;
/// What else credits an agency is a note with at most so many words.
const NOTED_WORDS: u32 = 30;

/// What such notes say wherever they begin, lower case, letters of ASCII alone.
const CONTRIBUTED: &[&str] = &[
    "contributed to this report",
    "contributed to this story",
    "contributed to this article",
    "contributed reporting",
    "contributed to the report",
    "; editing by",
];

/// Beginnings of what an outlet in Chinese says of its own liability, and what it says anywhere in it.
const DISCLAIMERS: &[&str] =
    &["免责声明：", "免责声明:", "免责声明】", "免責聲明：", "免責聲明:", "免責聲明】"];
const DISCLAIMED: &[&str] = &["不代表本网", "不代表本網", "不代表本站", "不代表本平台"];
/// So do papers and stations of which news are told: a note speaks of its own text or of reprints, too.
const DISCLAIMED_BY_PAPERS: &[&str] = &["不代表本刊", "不代表本报", "不代表本報", "不代表本台"];
const OWN_TEXT: &[&str] = &["本文", "转载", "轉載", "凡注明", "凡註明", "版权", "版權"];

/// Beginnings of bylines in scripts without spaces.
const BY_UNSPACED: &[&str] =
    &["记者", "記者", "本报记者", "作者", "文：", "文/", "撰文", "取材・文"];

/// A photo credit or a source line.
pub(super) fn is_credit(text: &str, own: Groups) -> bool {
    let bare = text.trim_start_matches(['(', '[', '（', '【']);
    let start = lower_start(bare, 24);
    static BEGIN: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let announced = [credit::SOURCES, credit::PICTURES].into_iter().flat_map(credit::announced);
        automaton(announced.chain(CREDITS.iter().map(|&begin| begin.to_owned())))
    });
    begins(&BEGIN, &start)
        || text.starts_with(['©', 'Ⓒ'])
        || text.starts_with("(c) ")
        || text.starts_with("(C) ")
        || own.has(Groups::CREDIT) && !own.has(Groups::CAPTION)
}

/// What names hint at for a line. Those of a heading often repeat its words (`id="the-agency"`), which say the same.
pub(super) fn names(text: &str, block: &RawBlock) -> Groups {
    let repeated = if block.heading > 0 { groups(text).0 } else { 0 };
    Groups(block.own.0 & !repeated)
}

/// A note at the end of an article: who else reported, which agencies it is from.
pub(super) fn is_note(text: &str, stats: &Stats) -> bool {
    static BEGIN: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(NOTES.iter()));
    static OPENING: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(OPENINGS.iter()));
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let beginning = lower_start(bare, NOTE_BEGINS);
    let least = if stats.ends > 0 { OPENING_SENTENCE } else { OPENING_WORDS };
    // Whatever credits the article to an agency is no text of it.
    let noted = |text: &str| {
        let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        is_contributed(start(bare, NOTE)) || stats.words <= NOTED_WORDS && agency::is_noted(text)
    };
    // An editor asks in interviews.
    let asks = || text.trim_end().ends_with(['?', '？']);
    begins(&BEGIN, &beginning)
        || begins(&OPENING, &beginning)
            && (stats.words <= least || agency::is_noted(text))
            && !asks()
        || noted(text) && before_brackets(text).is_none_or(noted)
}

/// Is one of [`CONTRIBUTED`] in a text, in any case? What texts seldom have is looked for first: the semicolon that one
/// begins with, or the letter behind "contri", with which the others do.
fn is_contributed(text: &str) -> bool {
    const BEFORE: &str = "contri";
    let bytes = text.as_bytes();
    let begins = |at: usize, phrase: &str| {
        let there = bytes.get(at..at + phrase.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(phrase.as_bytes()))
    };
    memchr::memchr3_iter(b'b', b'B', b';', bytes).any(|at| {
        let from = match bytes[at] {
            b';' => Some(at),
            _ => at.checked_sub(BEFORE.len()).filter(|from| begins(*from, BEFORE)),
        };
        from.is_some_and(|from| CONTRIBUTED.iter().any(|phrase| begins(from, phrase)))
    })
}

/// What stands before a note in brackets that ends a text: "It has been a big hit. (Reporting by Ann Archer; editing by
/// Bo Ek)"
fn before_brackets(text: &str) -> Option<&str> {
    let text = text.trim_end().trim_end_matches('.').strip_suffix([')', '）'])?;
    let before = text.get(..text.rfind(['(', '（'])?)?.trim_end();
    before.ends_with(['.', '!', '?', '。', '！', '？', '”', '"', '»']).then_some(before)
}

/// A note, in Chinese, that an outlet is not liable for what it prints.
pub(super) fn is_disclaimer(text: &str) -> bool {
    static WITHIN: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(DISCLAIMED.iter()));
    static BEGIN: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(DISCLAIMERS.iter()));
    static BY_PAPERS: LazyLock<AhoCorasick> =
        LazyLock::new(|| automaton(DISCLAIMED_BY_PAPERS.iter()));
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let note = start(bare, NOTE);
    bare.starts_with(is_spaceless)
        && (begins(&BEGIN, bare)
            || WITHIN.is_match(note)
            || BY_PAPERS.is_match(note) && OWN_TEXT.iter().any(|own| note.contains(own)))
}

/// Characters in which a note says what it is, …
const NOTE: usize = 400;
/// … and in which those of [`NOTES`] and [`OPENINGS`] end.
const NOTE_BEGINS: usize = 32;

/// All of a list in one search, letters of ASCII in either case.
fn automaton(list: impl Iterator<Item = impl AsRef<[u8]>>) -> AhoCorasick {
    AhoCorasick::builder()
        .start_kind(StartKind::Both)
        .ascii_case_insensitive(true)
        .build(list)
        .expect("a few short phrases make an automaton")
}

/// Does a text begin with one of them?
fn begins(list: &AhoCorasick, text: &str) -> bool {
    list.is_match(Input::new(text).anchored(Anchored::Yes))
}

/// The first characters in lower case, but letters of ASCII as they stand if there are no others.
fn lower_start(text: &str, chars: usize) -> Cow<'_, str> {
    let start = start(text, chars);
    if start.is_ascii() { start.into() } else { start.to_lowercase().into() }
}

/// The first characters.
fn start(text: &str, chars: usize) -> &str {
    // No more characters than bytes.
    let Some(bytes) = text.as_bytes().get(..chars) else { return text };
    if bytes.is_ascii() {
        return &text[..chars];
    }
    let end = text.char_indices().nth(chars);
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// A line that names the authors.
pub(super) fn is_byline(text: &str, own: Groups, authors: &[&str]) -> bool {
    let length = text.chars().count();
    if BY_UNSPACED.iter().any(|b| text.starts_with(b)) && length <= 24 {
        return true;
    }
    let named = authors.iter().any(|a| !a.is_empty() && text.contains(a));
    if text.ends_with(['.', '!', '?', '。', '！', '？']) && !named {
        return false;
    }
    let only_names = named && {
        let names: usize =
            authors.iter().filter(|a| text.contains(**a)).map(|a| a.chars().count()).sum();
        names * 2 >= length
    };
    only_names
        || own.has(Groups::AUTHOR) && length < 120
        || (named || shaped_as_names(text)) && credit::begins_byline(text)
}

/// "By Anna Berg and Karl Öst": after the first word mostly capitalised words, no digits.
fn shaped_as_names(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().skip(1).collect();
    let upper = words.iter().filter(|w| w.starts_with(char::is_uppercase)).count();
    (2..=8).contains(&words.len())
        && upper * 3 >= words.len() * 2
        && !text.contains(|c: char| c.is_ascii_digit())
}

/// A line that tells when the article was published.
pub(super) fn is_date(page: &PageBlocks, block: &RawBlock, stats: &Stats, text: &str) -> bool {
    let has_digits = || {
        text.bytes().any(|b| b.is_ascii_digit())
            || !text.is_ascii() && text.contains(|c: char| c.is_numeric())
    };
    if text.len() > 160 || !has_digits() {
        return false;
    }
    let times = || {
        let merged = page.blocks.merged_of(block).iter().copied();
        merged.filter(|&id| page.dom.tag(id) == Some(name!("time")))
    };
    let has_time = times().next().is_some();
    // A short sentence tells of a time, too.
    let says_more = || {
        let texts = times().flat_map(|id| page.dom.descend(id).take(WITHIN_TIME));
        let told = texts.filter_map(|id| page.dom.text(id)).map(|text| text.trim().len());
        stats.ends > 0 && told.sum::<usize>() * SHARE < text.len()
    };
    has_time && !says_more() || block.own.has(Groups::DATE) || mostly_digits(text)
}

/// A time makes up such a share of the line that it dates, …
const SHARE: usize = 3;
/// … and has at most so many nodes: one that is around many lines is read in none of them as a whole.
const WITHIN_TIME: usize = 8;

/// "20.11.2026, 14:05" and "2026年11月20日": a year and hardly any letters.
fn mostly_digits(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let year = || {
        text.as_bytes().windows(4).any(|w| {
            (w.starts_with(b"19") || w.starts_with(b"20")) && w.iter().all(u8::is_ascii_digit)
        })
    };
    let letters = || text.chars().filter(|c| c.is_alphabetic()).count();
    digits >= 6 && year() && letters() <= digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_contributed_is_told_in_any_case_and_place() {
        for phrase in CONTRIBUTED {
            for phrase in [(*phrase).to_owned(), phrase.to_uppercase()] {
                assert!(is_contributed(&phrase), "{phrase}");
                assert!(is_contributed(&format!("Bob; contrib – {phrase}.")), "{phrase}");
                assert!(!is_contributed(&phrase[1..]), "{phrase}");
                assert!(!is_contributed(&phrase[..phrase.len() - 1]), "{phrase}");
            }
        }
    }
}
