//! Readers' comments that nothing but a line above them announces: no name of an element tells them from the text, and
//! labelers take them for it.
//!
//! Must not know: labelers, other rules.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::RawBlock;
use crate::extract::text::phrases::{listed, plain};

/// So many words of text stand before its comments. With fewer, the line may be a button below a lead.
const TEXT_WORDS: u32 = 60;
/// A block of so many words shows where the text stands.
const PROSE_WORDS: u32 = 12;
/// The line has at most so many words, its title included: "5 comments on “Bridge closed”".
const LINE_WORDS: u32 = 25;

/// The blocks of `content` below such a line; those that stand where the text before it does only if it is a heading of
/// that text, for the box of a line may stand amid a text.
pub(super) fn comments(page: &PageBlocks, content: &[bool]) -> Vec<usize> {
    let mut words = 0;
    let mut announced = false;
    let mut homes: HashSet<Option<Id>, FixedState> = HashSet::default();
    let mut found = Vec::new();
    let home = |block: &RawBlock| page.dom.parent(block.container);
    for (index, (block, stats)) in page.iter().enumerate() {
        let chosen = content.get(index) == Some(&true);
        if announced {
            if chosen && !homes.contains(&home(block)) {
                found.push(index);
            }
            continue;
        }
        announced = words >= TEXT_WORDS
            && stats.link_words == 0
            && stats.words <= LINE_WORDS
            && announces(page.text(index));
        if announced {
            if block.heading > 0 && homes.contains(&home(block)) {
                homes.clear();
            }
            found.extend(chosen.then_some(index));
        } else if chosen {
            words += stats.words;
            if stats.words >= PROSE_WORDS && block.heading == 0 {
                homes.insert(home(block));
            }
        }
    }
    found
}

/// A number and marks around such a line have at most so many bytes.
const NUMBER: usize = 20;

/// Does a line say nothing but that comments follow, or how many?
fn announces(line: &str) -> bool {
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
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

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

    /// The texts of the blocks that are found on a page whose every block is content.
    fn found(html: &str) -> Vec<String> {
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let found = comments(&page, &vec![true; page.len()]);
        found.into_iter().map(|index| page.text(index).to_owned()).collect()
    }

    #[test]
    fn what_stands_below_the_line_and_not_with_the_text_is_found() {
        let text = "<p>The bridge was closed on Monday because the river had risen again.</p>";
        let reader =
            "<div class=x><p>It was closed last year as well, and nobody did anything.</p></div>";
        let page = |line: &str, before: usize| {
            format!("<div>{}</div><div>{line}</div>{reader}{reader}", text.repeat(before))
        };
        let comment = "It was closed last year as well, and nobody did anything.";
        assert_eq!(found(&page("2 comments", 9)), ["2 comments", comment, comment]);
        // A lead, and a button below it.
        assert!(found(&page("2 comments", 3)).is_empty());
        // A link to comments elsewhere.
        assert!(found(&page("<a href=#c>2 comments</a>", 9)).is_empty());
        assert!(found(&page("The mayor", 9)).is_empty());
        // The text goes on behind the line.
        let text = text.repeat(9);
        assert_eq!(found(&format!("<div>{text}<p>Comments</p>{text}</div>")), ["Comments"]);
        let boxed = "<div><h3>Comments</h3></div>";
        assert_eq!(found(&format!("<div>{text}{boxed}{text}</div>")), ["Comments"]);
        assert_eq!(found(&format!("<div>{text}<h3>Comments</h3>{text}</div>")).len(), 10);
    }
}
