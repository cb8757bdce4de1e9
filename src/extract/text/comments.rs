//! Lines that announce readers' comments.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::phrases::{listed, plain};

/// A number and marks around such a line have at most so many bytes.
const NUMBER: usize = 20;

/// Does a line say nothing but that comments follow, or how many?
pub(in crate::extract) fn announces(line: &str) -> bool {
    let bare = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    // Most lines are longer.
    if line.len() > KNOWN.longest + NUMBER && !bare.starts_with(char::is_numeric) {
        return false;
    }
    let line = plain(line);
    let (bare, is_counted) = uncounted(&line);
    KNOWN.alone.contains(bare)
        || is_counted && KNOWN.numbered.contains(bare)
        || line.starts_with(char::is_numeric)
            && KNOWN.counted.iter().any(|phrase| bare.starts_with(phrase.as_str()))
}

/// What stands behind a number in languages that count by such words: "コメント4件", "12 条评论".
const COUNTERS: [&str; 11] =
    ["件の", "件", "個の", "個", "条", "條", "则", "則", "개의", "개", "รายการ"];

/// A line in [`plain`] form without the number before or behind it, and whether there was one.
fn uncounted(line: &str) -> (&str, bool) {
    let is_number = |c: char| c.is_numeric() || c == ' ';
    let bare = line.strip_prefix(['共', '全']).filter(|rest| rest.starts_with(is_number));
    let bare = bare.unwrap_or(line).trim_start_matches(is_number);
    let counter = || COUNTERS.iter().find_map(|counter| bare.strip_prefix(counter));
    let bare = if bare.len() < line.len() { counter().unwrap_or(bare).trim_start() } else { bare };
    let front = COUNTERS.iter().find_map(|counter| bare.strip_suffix(counter));
    let front = front.filter(|front| front.ends_with(is_number)).unwrap_or(bare);
    let bare = front.trim_end_matches(is_number);
    (bare, bare.len() < line.len())
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
    Known {
        alone,
        longest,
        numbered: lines("numbered").collect(),
        counted: lines("counted").collect(),
    }
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
            "2 comment on it",
            "全コメント欄の閉鎖",
        ] {
            assert!(!announces(line), "{line}");
        }
    }
}
