//! Is this page one article, or a page of another kind?
//!
//! A page that is gone, is broken or asks for consent says so ([`notice`]), a thread is marked as one by
//! the software that prints it ([`forum`]), and a list of other pages is told by amounts: the words of the
//! extracted text against those of the page's link lists.
//!
//! Must not know: labelers, what becomes of a page.

use super::page::PageBlocks;
use crate::model::{Label, PageType};

mod forum;
mod notice;
mod partial;

pub use partial::is_partial;

/// What the page's markup says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marked {
    /// When it was published, as articles do.
    pub dated: bool,
    /// Linked data call it an article.
    pub article: bool,
    /// Linked data or the page's generator call it a thread.
    pub forum: bool,
}

/// An article has at least so many words (spaceless scripts: twice as many characters).
const FEWEST_WORDS: u32 = 25;
/// With more linked words than this per word of text, the page is a list of other pages.
const LINKED_PER_WORD: u32 = 8;
/// So long a text is an article whatever surrounds it.
const CERTAIN_WORDS: u32 = 200;

/// Judges the labeled page.
pub fn page_type(page: &PageBlocks, labels: &[Label], marked: Marked) -> PageType {
    if let Some(notice) = notice::notice(page, labels, marked.dated) {
        return notice;
    }
    if forum::is_forum(page, labels, marked) {
        return PageType::Forum;
    }
    by_amounts(page, labels)
}

fn by_amounts(page: &PageBlocks, labels: &[Label]) -> PageType {
    let mut text = 0u32;
    let mut paragraphs = 0u32;
    let mut longest = 0u32;
    let mut linked = 0u32;
    let mut comments = 0u32;
    for ((_, stats), label) in page.iter().zip(labels) {
        match label {
            Label::Comment => comments += u32::from(stats.words >= 3),
            Label::Heading => {}
            l if l.is_content() => {
                text += stats.words;
                paragraphs += 1;
                longest = longest.max(stats.words);
            }
            _ => linked += stats.link_words,
        }
    }
    if text < FEWEST_WORDS {
        return if linked > 20 * FEWEST_WORDS { PageType::Multiple } else { PageType::Unknown };
    }
    let teasers = paragraphs > 0 && text / paragraphs < 20 && longest < 40;
    if text < CERTAIN_WORDS && teasers && linked > LINKED_PER_WORD * text {
        return PageType::Multiple;
    }
    if comments > 0 { PageType::ArticleWithComments } else { PageType::Article }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod amounts {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    fn check(html: &str, expect: PageType) {
        let page = PageBlocks::read(html, Profile::Modern, &Limits::default());
        let labels: Vec<Label> = page
            .iter()
            .map(|(block, _)| match page.dom.name(block.container) {
                "p" => Label::Paragraph,
                "li" => Label::Comment,
                _ => Label::None,
            })
            .collect();
        assert_eq!(page_type(&page, &labels, Marked::default()), expect);
    }

    #[test]
    fn amounts_decide() {
        let text = "<p>The bridge was closed on Monday because the river had risen again.</p>";
        let link = "<a href=x>Bridge closed again on Monday</a>";
        check(&text.repeat(9), PageType::Article);
        check(&format!("{}<li>So it was then", text.repeat(9)), PageType::ArticleWithComments);
        check("<p>Short.", PageType::Unknown);
        check(&format!("{}{}", link.repeat(200), text.repeat(3)), PageType::Multiple);
        check(&format!("{}{}", link.repeat(200), text.repeat(30)), PageType::Article);
        check(&link.repeat(200), PageType::Multiple);
    }
}
