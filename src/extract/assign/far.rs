//! Text apart from the article: above its title what a page says of itself, far behind it excerpts of what else is
//! read, polls, terms of use. It reads as articles do; what tells it is where it stands, and that the labeler is less
//! sure.
//!
//! Must not know: other rules.

use std::ops::Range;

use super::{ARTICLE_WORDS, SURE, around};
use crate::extract::label::Scored;
use crate::extract::page::PageBlocks;
use crate::extract::segment::{Groups, RawBlock};
use crate::extract::text::Stats;
use crate::html::name;

/// What is cut above the title is at most one word of so many of the text.
const SHARE_ABOVE: u64 = 3;
/// What is far behind the article has at most one word for so many of the article's.
const SHARE_BEHIND: u32 = 2;
/// So many words that were not chosen stand between the article and what is far behind it.
const BETWEEN: u32 = 30;
/// What is far is less likely than the article by so much, and no more than so likely, …
const LESS: f32 = 0.1;
const LIKELY: f32 = 0.8;
/// … or not [`SURE`] and by so much where it stands among so many linked headlines, each of so many words; the first
/// of them so many blocks before it.
const LESS_AMONG_HEADLINES: f32 = 0.05;
const HEADLINES: usize = 3;
const HEADLINE_WORDS: u32 = 4;
const BEFORE: usize = 4;

/// What is chosen above the title and not sure is none of the text, where most of that stands below. A lead and what
/// the title's own `article` or `main` holds stay.
pub(super) fn cut_above(
    page: &PageBlocks,
    scored: &[Scored],
    content: &mut [bool],
    titled: Option<usize>,
) {
    let Some((titled, title)) = titled.and_then(|t| Some((t, page.blocks.list.get(t)?))) else {
        return;
    };
    let own = around(page, title.container)
        .find(|id| matches!(page.dom.tag(*id), Some(name!("article") | name!("main"))));
    let (mut cut, mut above, mut below) = (Vec::new(), 0, 0);
    for (index, (block, stats)) in page.iter().enumerate().filter(|(i, _)| content[*i]) {
        let words = u64::from(stats.words);
        if index >= titled {
            below += words;
            continue;
        }
        above += words;
        let is_sure = scored.get(index).is_none_or(|scored| scored.probability >= SURE);
        let within = || own.is_some_and(|own| around(page, block.container).any(|id| id == own));
        if !is_sure && !block.own.has(Groups::LEAD) && !within() {
            cut.push((index, words));
        }
    }
    let words: u64 = cut.iter().map(|(_, words)| words).sum();
    if below >= u64::from(ARTICLE_WORDS) && below >= above && words * SHARE_ABOVE <= above + below {
        cut.into_iter().for_each(|(index, _)| content[index] = false);
    }
}

/// What is chosen far behind the article is none of it.
pub(super) fn cut_behind(
    page: &PageBlocks,
    scored: &[Scored],
    content: &mut [bool],
    titled: Option<usize>,
) {
    if let Some(first) = titled.and_then(|titled| first(page, scored, content, titled)) {
        content[first..].fill(false);
    }
}

/// The first block of `content` that is too far behind the article to be part of it; so is all that follows.
fn first(page: &PageBlocks, scored: &[Scored], content: &[bool], titled: usize) -> Option<usize> {
    let end = end(page, content, titled)?;
    let chosen = |index: &usize| content.get(*index) == Some(&true);
    let last = (titled + 1..end).rfind(chosen)?;
    let first = (end..page.len()).find(chosen)?;
    let far_end = (first..page.len()).rfind(chosen)? + 1;
    let is_seen = |index: usize| {
        page.blocks.list.get(index).is_some_and(|block| page.unseen(block).is_none())
    };
    let words = |index: usize| page.stats.get(index).map_or(0, |stats| stats.words);
    let between: u32 = (last + 1..first).filter(|&index| is_seen(index)).map(words).sum();
    let of_chosen = |blocks: Range<usize>| -> u32 { blocks.filter(chosen).map(words).sum() };
    let (of_near, of_far) = (of_chosen(titled + 1..end), of_chosen(first..far_end));
    if between < BETWEEN || of_far.saturating_mul(SHARE_BEHIND) > of_near {
        return None;
    }
    let likely = |blocks: Range<usize>, words_of_all: u32| {
        let of = |i: usize| scored.get(i).map_or(0.0, |s| s.probability) * words(i) as f32;
        blocks.filter(chosen).map(of).sum::<f32>() / f32::max(words_of_all as f32, 1.0)
    };
    let (near, far) = (likely(titled + 1..end, of_near), likely(first..far_end, of_far));
    let is_far = near - far >= LESS && far < LIKELY
        || near - far >= LESS_AMONG_HEADLINES
            && far < SURE
            && among_headlines(page, content, titled, first);
    is_far.then_some(first)
}

/// Do linked headlines stand right before block `first`, or with it in the outermost element that does not hold the
/// title?
fn among_headlines(page: &PageBlocks, content: &[bool], titled: usize, first: usize) -> bool {
    let list = &page.blocks.list;
    let (Some(title), Some(far)) = (list.get(titled), list.get(first)) else { return false };
    let own = around(page, far.container)
        .take_while(|&id| !around(page, title.container).any(|holds| holds == id))
        .last();
    let blocks = page.iter().enumerate().skip(first.saturating_sub(BEFORE));
    let near = blocks.take_while(|(index, (block, _))| {
        *index < first || own.is_some_and(|own| around(page, block.container).any(|id| id == own))
    });
    let is_headline = |&(index, (block, stats)): &(usize, (&RawBlock, &Stats))| {
        content.get(index) != Some(&true)
            && stats.link_words >= HEADLINE_WORDS
            && stats.link_words >= stats.words
            && page.unseen(block).is_none()
    };
    near.filter(is_headline).nth(HEADLINES - 1).is_some()
}

/// The block behind the lowest element that holds the title and so much text behind it that it is the article.
fn end(page: &PageBlocks, content: &[bool], titled: usize) -> Option<usize> {
    let title = page.blocks.list.get(titled)?;
    let mut words = 0;
    let mut at = titled + 1;
    for element in around(page, title.container) {
        while let (Some(block), Some(stats)) = (page.blocks.list.get(at), page.stats.get(at)) {
            if !around(page, block.container).any(|id| id == element) {
                break;
            }
            if content.get(at) == Some(&true) && block.heading == 0 {
                words += stats.words;
            }
            at += 1;
        }
        if words >= ARTICLE_WORDS {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    const TEXT: &str = "<p>The bridge was closed on Monday because the river had risen again.</p>";
    const MENU: &str = "<p><a href=/a>All of the local news, the harbour, the yard and the weather \
                        of today and tomorrow</a><p><a href=/b>What the harbour, the yard and the \
                        market of this town have to offer you today</a></p>";

    /// The texts that are found on a page whose longer unlinked blocks are content, those that begin with "Far" of
    /// this probability, all others of 0.99.
    fn found(html: &str, far: f32) -> Vec<String> {
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let scored: Vec<Scored> = (0..page.len())
            .map(|index| Scored {
                content: page.stats[index].words >= 8 && page.stats[index].link_words == 0,
                probability: if page.text(index).starts_with("Far") { far } else { 0.99 },
            })
            .collect();
        let content: Vec<bool> = scored.iter().map(|s| s.content).collect();
        let from = first(&page, &scored, &content, 0).unwrap_or(page.len());
        let chosen = (from..page.len()).filter(|index| content[*index]);
        chosen.map(|index| page.text(index).to_owned()).collect()
    }

    #[test]
    fn what_is_less_sure_far_behind_the_element_of_title_and_text_is_found() {
        let far = "<p>Far away another ship was lost, and nobody knows why it happened.</p>";
        let lost = "Far away another ship was lost, and nobody knows why it happened.";
        let page = |text: &str, between: &str, far: &str| {
            format!("<div><h1>Bridge</h1>{text}</div>{between}<div>{far}</div>")
        };
        let text = TEXT.repeat(6);
        assert_eq!(found(&page(&text, MENU, far), 0.6), [lost]);
        assert_eq!(found(&page(&text, MENU, &far.repeat(2)), 0.6), [lost, lost]);
        // As sure as the text is.
        assert!(found(&page(&text, MENU, far), 0.9).is_empty());
        // Longer than half of it.
        assert_eq!(found(&page(&text, MENU, &far.repeat(3)), 0.6), [lost, lost, lost]);
        assert!(found(&page(&text, MENU, &far.repeat(4)), 0.6).is_empty());
        // Right behind it.
        assert!(found(&page(&text, "", far), 0.6).is_empty());
        // The text goes on where only its beginning stands beside the title.
        assert!(found(&page(TEXT, MENU, far), 0.6).is_empty());
        // One element holds both.
        let both = format!("<h1>Bridge</h1>{text}{MENU}{far}");
        assert!(found(&format!("<div>{both}</div>"), 0.6).is_empty());
        // Excerpts below headlines.
        let excerpt = format!("<p><a href=/c>Another ship is lost at sea</a></p>{far}");
        assert_eq!(found(&page(&text, MENU, &excerpt.repeat(3)), 0.88), [lost, lost, lost]);
        assert!(found(&page(&text, MENU, &excerpt.repeat(3)), 0.92).is_empty());
        // Headlines behind what is far, in another element.
        let behind = format!("{}{excerpt}", page(&text, MENU, far));
        assert!(found(&behind, 0.88).is_empty());
    }
}
