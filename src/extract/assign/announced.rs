//! Readers' comments that nothing but a line above them announces: no name of an element tells them from the text, and
//! labelers take them for it.
//!
//! Must not know: labelers, other rules.

use std::collections::HashSet;

use foldhash::fast::FixedState;

use crate::extract::dom::Id;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Flags, RawBlock};
use crate::extract::text::comments::announces;

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
            && !block.flags.has(Flags::BUTTON)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

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
        // What opens comments has none below it.
        assert!(found(&page("<button>2 comments</button>", 9)).is_empty());
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
