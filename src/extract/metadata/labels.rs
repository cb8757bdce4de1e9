//! What date lines say of their dates: that an article was published then, or changed. Must not know where on a page a
//! line stands.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::extract::dom::Id;
use crate::model::{Stamp, digit};

use super::dates;
use super::page::PageData;
use super::seen::Spot;

/// Parts of words that say "updated".
const UPDATED: [&str; 37] = [
    "updat",
    "modif",
    "aktualis",
    "zuletzt",
    "stand:",
    "mis à jour",
    "mise à jour",
    "обновл",
    "обновен",
    "оновл",
    "更新",
    "수정",
    "actualiz",
    "actualitz",
    "aggiorn",
    "güncel",
    "aktualiz",
    "opdater",
    "oppdater",
    "uppdater",
    "bijgewerkt",
    "päivitet",
    "ενημέρ",
    "atualiz",
    "تحديث",
    "روزرسانی",
    "עודכן",
    "diperbarui",
    "frissít",
    "ažurir",
    "ажурир",
    "cập nhật",
    "अपडेट",
    "अद्यतन",
    "แก้ไข",
    "อัปเดต",
    "ปรับปรุง",
];
/// Parts of words that say "published".
const PUBLISHED: [&str; 38] = [
    "posted",
    "veröff",
    "erschienen",
    "erstellt",
    "publi",
    "pubblic",
    "публик",
    "оприлюдн",
    "објав",
    "发布",
    "發布",
    "发表",
    "發表",
    "刊登",
    "公開",
    "投稿",
    "掲載",
    "게시",
    "입력",
    "등록",
    "نشر",
    "انتشار",
    "פורסם",
    "yayın",
    "yayım",
    "giriş tarihi",
    "δημοσ",
    "julkaist",
    "zveřejn",
    "objavlj",
    "udgivet",
    "megjelen",
    "közzét",
    "diterbitkan",
    "đăng",
    "प्रकाशित",
    "เผยแพร่",
    "created",
];
/// Parts of words that say "date".
const DATED: [&str; 5] = ["datum", "date", "fecha", "data:", "дата"];
/// All of these in one search: first those of [`UPDATED`], then of [`PUBLISHED`], then of [`DATED`].
static LABELS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let labels = UPDATED.iter().chain(&PUBLISHED).chain(&DATED);
    AhoCorasick::new(labels).expect("a few parts of words make an automaton")
});
/// A visible line is a date line if its dates make up this share of it …
const SHARE: usize = 3;
/// … or if it has at most so many characters.
const SHORT: usize = 60;
/// A date line that says what it is has at most so many bytes …
const LABELLED: usize = 200;
/// … and says so in its first characters.
const LABEL: usize = 14;
/// A line that labels a date has at most so many bytes; one before the date's, so many words.
const LABEL_LINE: usize = 80;
const LABEL_WORDS: usize = 4;
/// Dates of one line that are read.
const DATES: usize = 3;

/// What a date is said to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    Published,
    /// The day of the last change.
    Updated,
}

/// What a text says of the date that stands behind it: its last label does, if no other number stands in between.
fn says(before: &str) -> Option<Says> {
    const BOTH: usize = UPDATED.len() + PUBLISHED.len();
    let number = before.rfind(|c| digit(c).is_some()).unwrap_or(0);
    let before = before[number..].to_lowercase();
    let (mut updated, mut published) = (None, None);
    for found in LABELS.find_overlapping_iter(&before) {
        let last = match found.pattern().as_usize() {
            label if label < UPDATED.len() => &mut updated,
            label if label < BOTH => &mut published,
            _ => continue,
        };
        if !is_of_the_public(&before, found.start()) {
            *last = (*last).max(Some(found.start()));
        }
    }
    match (updated, published) {
        (Some(updated), published) if published.is_none_or(|at| at < updated) => {
            Some(Says::Updated)
        }
        (_, published) => published.map(|_| Says::Published),
    }
}

/// Is the word at a place about the public or a republic, and not about what was published?
fn is_of_the_public(text: &str, at: usize) -> bool {
    // No further than tells that a word is longer than these: there may be many in one.
    const LOOK: usize = "publicly".len() + char::MAX_LEN_UTF8;
    let (before, behind) = text.split_at(at);
    let head = &behind[..behind.floor_char_boundary(LOOK)];
    let end = head.find(|c: char| !c.is_alphabetic()).unwrap_or(head.len());
    matches!(&head[..end], "public" | "publics" | "publicly" | "publik")
        || behind.starts_with("publi") && before.ends_with("re")
}

/// Does a text say that something was changed on the date behind it?
pub(super) fn ends_in_change(before: &str) -> bool {
    says(before) == Some(Says::Updated)
}

/// Does a text say what the date in it or behind it is?
fn says_what(text: &str, longest: usize) -> bool {
    text.len() <= longest && LABELS.is_match(&text.to_lowercase())
}

/// Has a text a word that says what a date is, which is in no name?
pub(super) fn has_label(text: &str) -> bool {
    let text = text.to_lowercase();
    UPDATED.iter().any(|label| text.contains(label))
        || text.split(' ').any(|word| DATED.contains(&word))
}

/// Does a line begin by saying what the date in it is?
fn begins_by_saying(text: &str) -> bool {
    let head: String = text.trim_start().chars().take(LABEL).collect();
    text.len() <= LABELLED && says_what(&head, LABELLED)
}

/// Does a date of so many characters make up much of a line, or does the line begin by saying what it is?
pub(super) fn is_mostly(line: &str, date: usize) -> bool {
    date * SHARE >= line.chars().count() || begins_by_saying(line)
}

/// Is a line little more than its dates? `stamp` is the first; `read` finds the next, which count if they are labelled.
pub(super) fn is_date_line(
    text: &str,
    stamp: &Stamp,
    read: impl Fn(&str) -> Option<Stamp>,
) -> bool {
    if text.chars().count() <= SHORT {
        return true;
    }
    let mut dates = stamp.printed.chars().count();
    let mut rest = behind(text, stamp);
    for _ in 1..DATES {
        if is_mostly(text, dates) {
            return true;
        }
        let Some(next) = rest.and_then(&read) else { return false };
        if rest.is_none_or(|rest| says(before(rest, &next)).is_none()) {
            return false;
        }
        dates += next.printed.chars().count();
        rest = rest.and_then(|rest| behind(rest, &next));
    }
    is_mostly(text, dates)
}

/// Is a line hardly anything but its date?
pub(super) fn is_date_alone(text: &str, printed: &str) -> bool {
    printed.chars().count() * 3 >= text.chars().count() * 2
}

/// Does a line begin with its date, but for a weekday and a short word ("on", "le"), and hold hardly anything else?
pub(super) fn is_bare_date(text: &str, printed: &str) -> bool {
    const SMALL: usize = 2;
    let text = text.trim();
    let Some(at) = text.find(printed) else { return false };
    let (before, dated) = text.split_at(at);
    let mut words = before.split(|c: char| !c.is_alphanumeric());
    is_date_alone(dated, printed)
        && words
            .all(|word| word.chars().count() <= SMALL || dates::names_weekday(&word.to_lowercase()))
}

/// What stands behind a date.
fn behind<'t>(text: &'t str, stamp: &Stamp) -> Option<&'t str> {
    text.find(&stamp.printed).and_then(|at| text.get(at + stamp.printed.len()..))
}

/// What stands before a date, or before the first number where machines are told the date.
fn before<'t>(text: &'t str, stamp: &Stamp) -> &'t str {
    let printed = || text.find(&stamp.printed);
    let number = || text.char_indices().find(|&(_, c)| digit(c).is_some()).map(|(at, _)| at);
    printed().or_else(number).map_or(text, |at| &text[..at])
}

/// The line before a place, if it stands right before.
fn line_before<'a>(page: &PageData<'a>, spot: Spot) -> Option<Id> {
    let is_text = page.dom.text(spot.id).is_some();
    let first = spot.position + usize::from(!is_text);
    let lines = &page.seen().lines;
    let at = lines.partition_point(|line| line.position < first);
    let line = lines.get(at.checked_sub(1)?)?;
    (line.position + 1 == first).then_some(line.id)
}

/// Does a line, or the one before it, say what the date is?
pub(super) fn is_labelled(page: &PageData<'_>, spot: Spot, text: &str) -> bool {
    let says = |text: &str| says_what(text, LABEL_LINE);
    says(text) || line_before(page, spot).and_then(|id| page.text(id)).is_some_and(|t| says(&t))
}

/// What is said of the date at a place, `stamp` in `text`. What stands before it says so: in its line, else in its block,
/// else the line before; or the element's marks.
pub(super) fn said(page: &PageData<'_>, spot: Spot, text: &str, stamp: &Stamp) -> Option<Says> {
    let in_block = || {
        let block = page.text(page.block_of_date(spot.id))?;
        says(&block[..block.find(text)?])
    };
    let above = || {
        let line = page.text(line_before(page, spot)?)?;
        let short = line.len() <= LABEL_LINE && line.split_whitespace().nth(LABEL_WORDS).is_none();
        says(&line).filter(|_| short)
    };
    let marked = || {
        let marks = page.marks(spot.id);
        let updated = ["modif", "updat"].iter().any(|mark| marks.contains(mark));
        (updated && !marks.contains("publish")).then_some(Says::Updated)
    };
    says(before(text, stamp)).or_else(in_block).or_else(marked).or_else(above)
}

/// The date that a line says an article was published on, behind that of the last change.
pub(super) fn published_behind(
    text: &str,
    stamp: &Stamp,
    read: impl Fn(&str) -> Option<Stamp>,
) -> Option<Stamp> {
    let mut rest = behind(text, stamp)?;
    for _ in 1..DATES {
        let next = read(rest)?;
        if says(before(rest, &next)) == Some(Says::Published) {
            return Some(next);
        }
        rest = behind(rest, &next)?;
    }
    None
}
