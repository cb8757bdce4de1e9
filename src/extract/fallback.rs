//! The answer when a labeler finds no content: the container with the most running text.
//!
//! Each block's words outside of links count for its container's parent, and half for the parent
//! of that; blocks in navigation, footers, dialogs, figures and comments count nothing. What lies in the
//! heaviest container and is not mostly links is taken as content.

use super::dom::{Id, NONE};
use super::label::Scored;
use super::page::PageBlocks;
use super::segment::{Flags, RawBlock};
use super::text::Stats;

/// Marks the fallback's blocks as content; nothing changes if the page has no running text.
pub fn apply(page: &PageBlocks, scored: &mut [Scored]) {
    let mut mass = vec![0u32; page.dom.nodes.len()];
    let mut add = |id: Option<Id>, words: u32| {
        if let Some(sum) = id.and_then(|id| mass.get_mut(id as usize)) {
            *sum = sum.saturating_add(words);
        }
    };
    // Where anything is seen, what is not is no answer.
    let seen = page.iter().any(|(b, s)| is_prose(b, s) && page.unseen(b).is_none());
    let is_prose = |b: &RawBlock, s: &Stats| is_prose(b, s) && !(seen && page.unseen(b).is_some());
    for (block, stats) in page.iter().filter(|(b, s)| is_prose(b, s)) {
        let words = 2 * (stats.words - stats.link_words);
        let parent = page.dom.parent(block.container);
        add(parent, words);
        add(parent.and_then(|p| page.dom.parent(p)), words / 2);
    }
    let heaviest = (0..).zip(&mass).max_by_key(|&(id, &m)| (m, std::cmp::Reverse(id)));
    let Some((top, 1..)) = heaviest.map(|(id, m): (Id, &u32)| (id, *m)) else { return };
    for ((block, stats), scored) in page.iter().zip(scored) {
        let inside = page.dom.ancestors(block.first).any(|a| a == top);
        if inside && is_prose(block, stats) {
            *scored = Scored { content: true, probability: 0.5 };
        }
    }
}

fn is_prose(block: &RawBlock, stats: &Stats) -> bool {
    const APART: Flags = Flags(
        Flags::NAV.0
            | Flags::FOOTER.0
            | Flags::DIALOG.0
            | Flags::COMMENTS.0
            | Flags::BUTTON.0
            | Flags::FIGURE.0,
    );
    block.container != NONE
        && block.flags.0 & APART.0 == 0
        && stats.words > 0
        && stats.link_words * 2 < stats.words
        && (stats.words >= 8 || stats.ends > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    fn check(html: &str, expect: &[bool]) {
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let mut scored = vec![Scored { content: false, probability: 0.0 }; page.len()];
        apply(&page, &mut scored);
        let found: Vec<bool> = scored.iter().map(|s| s.content).collect();
        assert_eq!(found, expect, "{html}");
    }

    #[test]
    fn the_container_with_the_most_running_text_answers() {
        check(
            "<nav><p>All our pages.</nav><div><p>It rained.<p>We stayed in.</div><div><p>Ad.</div>",
            &[false, true, true, false],
        );
        check("<nav><a href=x>Home</a></nav>", &[false]);
        check("", &[]);
    }
}
