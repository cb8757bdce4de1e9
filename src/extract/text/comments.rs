//! Lines that announce readers' comments.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::class::{is_alphanumeric, is_numeric};
use super::phrases::{BEGINNING, Beginnings, beginning, listed, plain};
use crate::model::is_mute;

/// A number and marks around such a line have at most so many bytes.
const NUMBER: usize = 20;

/// Does a line say nothing but that comments follow, or how many?
pub(in crate::extract) fn announces(line: &str) -> bool {
    let bare = line.trim_start_matches(|c: char| !is_alphanumeric(c));
    // Most lines are longer, or begin otherwise, be it behind a number.
    let may_be = match bare.starts_with(is_numeric) {
        true => {
            let rest = bare.trim_start_matches(|c: char| is_numeric(c) || !is_alphanumeric(c));
            // Beyond ASCII a counter may stand first, and signs that are left out.
            may_begin(rest) || rest.chars().take(BEGINNING).any(|c| !c.is_ascii())
        }
        false => line.len() <= KNOWN.longest + NUMBER && may_begin(bare),
    };
    if !may_be {
        return false;
    }
    let raw = line;
    let line = plain(raw);
    let bare = uncounted(&line);
    KNOWN.alone.contains(bare)
        || bare.len() < line.len() && KNOWN.numbered.contains(bare) && counts(raw)
        || line.starts_with(char::is_numeric)
            && KNOWN.counted.iter().any(|phrase| bare.starts_with(phrase.as_str()))
}

/// May a line do so, by its first letters? Asked before it is made ready to be read: characters that nobody sees are left
/// out of it then.
pub(in crate::extract) fn may_announce(text: &str) -> bool {
    let bare = text.trim_start_matches(|c: char| !is_alphanumeric(c));
    let is_whole = || beginning(bare).is_some_and(|(_, end)| !bare[..end].contains(is_mute));
    bare.starts_with(is_numeric) || may_begin(bare) || !is_whole()
}

/// May a text begin as one of the phrases, by its first letters?
fn may_begin(text: &str) -> bool {
    text.starts_with(OF_NUMBERS) || KNOWN.beginnings.may_begin(text)
}

/// What stands before a number in Chinese and Japanese.
const OF_NUMBERS: [char; 2] = ['共', '全'];

/// What stands behind a number in languages that count by such words: "コメント4件", "12 条评论".
const COUNTERS: [&str; 11] =
    ["件の", "件", "個の", "個", "条", "條", "则", "則", "개의", "개", "รายการ"];

/// Does a line begin with a number of something, or end with one in brackets or before such a word? "2. Response" and
/// "Antwort 1" are parts of a text.
fn counts(line: &str) -> bool {
    let line = line.trim();
    let front = line.trim_start_matches(|c: char| OF_NUMBERS.contains(&c) || !c.is_alphanumeric());
    let behind = front.trim_start_matches(|c: char| c.is_numeric() || matches!(c, '.' | ','));
    let number = &front[..front.len() - behind.len()];
    let is_counter = |text: &str| COUNTERS.iter().any(|counter| text.starts_with(counter));
    number.ends_with(char::is_numeric)
        && (behind.starts_with(char::is_whitespace) || is_counter(behind))
        || line.ends_with([')', '）', ']'])
        || COUNTERS.iter().any(|counter| line.ends_with(counter))
}

/// A line in [`plain`] form without the number before or behind it.
fn uncounted(line: &str) -> &str {
    let is_number = |c: char| c.is_numeric() || c == ' ';
    let bare = line.strip_prefix(OF_NUMBERS).filter(|rest| rest.starts_with(is_number));
    let bare = bare.unwrap_or(line).trim_start_matches(is_number);
    let counter = || COUNTERS.iter().find_map(|counter| bare.strip_prefix(counter));
    let bare = if bare.len() < line.len() { counter().unwrap_or(bare).trim_start() } else { bare };
    let front = COUNTERS.iter().find_map(|counter| bare.strip_suffix(counter));
    let front = front.filter(|front| front.ends_with(is_number)).unwrap_or(bare);
    front.trim_end_matches(is_number)
}

/// The phrases of `comments.txt`.
struct Known {
    alone: HashSet<String, FixedState>,
    /// None of them is longer, in bytes.
    longest: usize,
    /// What says so with a number alone: "1 comment". Without one it may head an opinion.
    numbered: HashSet<String, FixedState>,
    /// What stands behind a number, and before the title.
    counted: Vec<String>,
    beginnings: Beginnings,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let lines = |kind: &'static str| {
        let all = include_str!("comments.txt").lines();
        let is_of = move |line: &str| {
            let key = line.split_once(':').map_or("", |(key, _)| key);
            key.split_once(", ").map_or("alone", |(_, kind)| kind) == kind
        };
        all.filter(move |line| is_of(line)).flat_map(listed)
    };
    let alone: HashSet<String, FixedState> = lines("alone").collect();
    let longest = alone.iter().map(String::len).max().unwrap_or(0);
    let numbered: HashSet<String, FixedState> = lines("numbered").collect();
    let counted: Vec<String> = lines("counted").collect();
    let beginnings = Beginnings::of(alone.iter().chain(&numbered).chain(&counted));
    Known { alone, longest, numbered, counted, beginnings }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_announce_comments() {
        for line in [
            "Comments",
            "COMMENTS (12)",
            "12 Comments",
            "Comments are now closed for this story",
            "3 thoughts on “Bridge closed again”",
            "Leserkommentare:",
            "Комментарии: 4",
            "网友评论（3）",
            "댓글 5",
            "댓글 5개",
            "コメント4件",
            "コメント（4件）",
            "全12件のコメント",
            "共 12 条评论",
            "全部評論",
            "دیدگاه\u{200C}ها",
            "۴ نظر",
            "ความคิดเห็น 4 รายการ",
            "1 comment",
            "12 комментариев",
            "25 de comentarii",
            "Kommentar (1)",
            "1,204 responses",
            "共 12 条留言",
            "返信3件",
        ] {
            assert!(announces(line), "{line}");
        }
        for line in [
            "",
            "12",
            "4件",
            "Comments by the mayor",
            "thoughts on “Bridge closed again”",
            "Kommentar",
            "(Kommentar)",
            "2 comment on it",
            "全コメント欄の閉鎖",
            // Headings of parts.
            "2. Response",
            "5) Reply",
            "Antwort 1",
            "Réponse 2",
            "Respuesta 3:",
            "3. Обсуждение",
            "3 обсуждение",
        ] {
            assert!(!announces(line), "{line}");
        }
    }
}
