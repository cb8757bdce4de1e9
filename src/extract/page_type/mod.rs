//! Is this page one article, or a page of another kind?
//!
//! A page that is gone, is broken or asks for consent says so ([`notice`]), a thread and a list may be marked as
//! such by the software that prints them ([`marks`]), and some addresses say enough ([`address`]). Pages with hardly
//! any text are judged by amounts: words of text against those of the link lists. Other lists are told by how
//! the page looks as a whole ([`shape`]), by trees that were trained on pages of all kinds ([`learned`]).
//!
//! Must not know: labelers, what becomes of a page.

use super::page::PageBlocks;
use crate::model::{Label, PageType};

mod address;
mod beside;
mod comments;
mod learned;
mod marks;
mod notice;
mod partial;
pub mod shape;

use address::Told;
pub use beside::is_dated as is_dated_beside_title;
pub use learned::PageTypes;
pub use partial::is_partial;
use shape::Seen;

/// What the page's markup says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Marked {
    /// When it was published, as articles do.
    pub dated: bool,
    /// The same in its head or in linked data, where nothing is said of the articles that a list shows.
    pub dated_in_head: bool,
    /// Linked data call it an article.
    pub article: bool,
    /// Linked data or the page's generator call it a thread.
    pub forum: bool,
    /// Linked data call it a list of other pages.
    pub list: bool,
    /// Linked data name a list of things.
    pub items: bool,
    /// Its share card calls it an article.
    pub shared_article: bool,
}

/// An article has at least so many words (spaceless scripts: twice as many characters).
const FEWEST_WORDS: u32 = 25;
/// With fewer words of text and more linked words than this, the page is a list of other pages.
const LINKED_WORDS: u32 = 500;
/// What the rules say of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByRules {
    pub kind: PageType,
    /// It may still be a list, by its looks.
    pub is_open: bool,
}

/// Judges the labeled page.
pub fn page_type(seen: Seen<'_>) -> PageType {
    let ByRules { kind, is_open } = by_rules(seen);
    let is_list = is_open && PageTypes::embedded().is_some_and(|known| known.is_list(seen));
    if is_list { PageType::Multiple } else { kind }
}

/// What is said without the trees.
pub fn by_rules(Seen { page, labels, marked, address }: Seen<'_>) -> ByRules {
    let closed = |kind| ByRules { kind, is_open: false };
    let by_software = marks::marked_as(page, labels, marked);
    if let Some(notice) = notice::notice(page, labels, marked.dated) {
        // Who asks for consent in place of a text prints no thread.
        let asked = notice == PageType::Consent && by_software == Some(PageType::Forum);
        return closed(if asked { PageType::Forum } else { notice });
    }
    if let Some(kind) = by_software {
        return closed(kind);
    }
    // What linked data call an article is one.
    match address::told(address).filter(|_| !marked.article) {
        Some(Told::Thread) => return closed(PageType::Forum),
        // Sections of opinion are called forums, too, and what stands in them has the head of an article.
        Some(Told::Forum) if !(marked.shared_article && marked.dated_in_head) => {
            return closed(PageType::Forum);
        }
        Some(Told::Front) => return closed(PageType::Multiple),
        Some(Told::Forum) | None => {}
    }
    let kind = by_amounts(page, labels);
    let is_article = matches!(kind, PageType::Article | PageType::ArticleWithComments);
    ByRules { kind, is_open: is_article && !marked.article }
}

/// By the words of the text, and of links where there is hardly any.
fn by_amounts(page: &PageBlocks, labels: &[Label]) -> PageType {
    let mut text = 0u32;
    let mut linked = 0u32;
    let mut is_commented = false;
    for ((_, stats), label) in page.iter().zip(labels) {
        match label {
            Label::Comment => is_commented = true,
            Label::Heading => {}
            l if l.is_content() => text += stats.words,
            _ => linked += stats.link_words,
        }
    }
    if text < FEWEST_WORDS {
        // Lists of other pages are not commented on; what is, has a text that was not found.
        let is_list = linked > LINKED_WORDS && !is_commented;
        return if is_list { PageType::Multiple } else { PageType::Unknown };
    }
    let has_comments = is_commented && comments::are_shown(page, labels);
    if has_comments { PageType::ArticleWithComments } else { PageType::Article }
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
        assert_eq!(by_amounts(&page, &labels), expect);
    }

    #[test]
    fn amounts_decide() {
        let text = "<p>The bridge was closed on Monday because the river had risen again.</p>";
        let link = "<a href=x>Bridge closed again on Monday</a>";
        check(&text.repeat(9), PageType::Article);
        let comment = "So it was then, and so it will be. ".repeat(2);
        for named in [
            "<li class=comment>{}",
            "<li id=comment-7>So it was then.",
            "<li>3 May 2026, 12:30<li>{}",
            "<li>{}<li>3 May 2026, 12:30",
        ] {
            let named = named.replace("{}", &comment);
            check(&format!("{}{named}", text.repeat(9)), PageType::ArticleWithComments);
            let form = format!("<form>{}{named}</form>", text.repeat(9));
            check(&form, PageType::ArticleWithComments);
        }
        // Rules, forms, what is said of other pages, what nobody sees.
        for unnamed in [
            "<li>{}",
            "<li class=comment-rules>{}",
            "<li class=comment><a href=/2>{}</a>",
            "<ul class=recent-comments><li class=comment>{}</ul>",
            "<form><li class=comment>{}</form>",
            "<li class=comment hidden>{}",
            "<li class=comment><h3>{}</h3>",
        ] {
            let unnamed = unnamed.replace("{}", &comment);
            check(&format!("{}{unnamed}", text.repeat(9)), PageType::Article);
        }
        check(&format!("{}<li>No comments so far", text.repeat(9)), PageType::Article);
        check("<p>Short.", PageType::Unknown);
        check(&format!("{}{}", link.repeat(200), text.repeat(3)), PageType::Article);
        check(&format!("{}{}", link.repeat(200), text.repeat(30)), PageType::Article);
        check(&link.repeat(200), PageType::Multiple);
        check(&format!("{}<li>No comments so far", link.repeat(200)), PageType::Unknown);
    }
}
