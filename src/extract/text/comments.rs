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
    if line.len() > KNOWN.longest + NUMBER && !bare.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let line = plain(line);
    let bare = line.trim_matches(|c: char| c.is_ascii_digit() || c == ' ');
    if KNOWN.alone.contains(bare) {
        return true;
    }
    let is_counted = line.starts_with(|c: char| c.is_ascii_digit());
    is_counted && KNOWN.counted.iter().any(|phrase| bare.starts_with(phrase.as_str()))
}

/// The phrases of `comments.txt`.
struct Known {
    alone: HashSet<String, FixedState>,
    /// None of them is longer, in bytes.
    longest: usize,
    /// What stands behind a number, and before the title.
    counted: Vec<String>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let lines = |counted: bool| {
        let all = include_str!("comments.txt").lines();
        let of_kind = all.filter(move |line| {
            line.split(':').next().is_some_and(|key| key.ends_with(", counted")) == counted
        });
        of_kind.flat_map(listed)
    };
    let alone: HashSet<String, FixedState> = lines(false).collect();
    let longest = alone.iter().map(String::len).max().unwrap_or(0);
    Known { alone, longest, counted: lines(true).collect() }
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
        ] {
            assert!(announces(line), "{line}");
        }
        for line in ["", "12", "Comments by the mayor", "thoughts on “Bridge closed again”"] {
            assert!(!announces(line), "{line}");
        }
    }
}
