//! An article of which the page shows the beginning only: the rest is for those who pay.
//!
//! The page says so right behind the text, in words or by the name of a container; or its linked data says
//! that the article is not free, and the text breaks off. A text of some length is never called partial:
//! many outlets print such lines below what anyone may read.
//!
//! Must not know: labelers, what becomes of such pages.

use crate::extract::page::PageBlocks;
use crate::extract::text::paid::PAID;
use crate::extract::text::phrases::plain;
use crate::html::name;
use crate::model::Label;

/// Beginnings of articles have fewer words than this.
const STUB_WORDS: u32 = 350;
/// A text that breaks off and is not free.
const BROKEN_OFF_WORDS: u32 = 250;
/// The note stands within so many blocks behind the text …
const BEHIND: usize = 8;
/// … and has at most so many words.
const NOTE_WORDS: u32 = 45;

/// Does the page show the beginning only? `paid`: its linked data says that the article is not free.
pub fn is_partial(page: &PageBlocks, labels: &[Label], paid: bool) -> bool {
    let content = labels.iter().map(|label| label.is_content());
    let words: u32 =
        content.clone().zip(&page.stats).filter(|(c, _)| *c).map(|(_, s)| s.words).sum();
    let Some(last) = labels.iter().rposition(|label| label.is_content()) else { return false };
    if words > STUB_WORDS || page.keeps_hidden() {
        return false;
    }
    let breaks_off = || {
        let text = page.text(last).trim_end_matches(['"', '”', '»', '’', ' ']);
        text.ends_with(['…', '.', ',']) && !ends_a_sentence(text)
            || !text.ends_with(|c: char| c.is_ascii_punctuation() || "。！？।۔؟…”»".contains(c))
    };
    if paid && words <= BROKEN_OFF_WORDS && breaks_off() {
        return true;
    }
    // The note itself may have been taken for the last of the text.
    let from = last.saturating_sub(1);
    let behind = from..page.len().min(last + 1 + BEHIND);
    behind.into_iter().any(|index| {
        let (Some(block), Some(stats)) = (page.blocks.list.get(index), page.stats.get(index))
        else {
            return false;
        };
        // Readers, too, write that one has to subscribe.
        let own = labels.get(index) != Some(&Label::Comment);
        let seen = own && page.unseen(block).is_none() && stats.words <= NOTE_WORDS;
        let named = || index > last && is_named_paywall(page, index);
        seen && (named() || PAID.within(&plain(page.text(index))).is_some())
    })
}

/// A dot that is not one of several.
fn ends_a_sentence(text: &str) -> bool {
    text.ends_with('.') && !text.ends_with("..") && !text.ends_with(". .")
}

/// Does the block stand in a container whose id or class begins with "paywall"?
fn is_named_paywall(page: &PageBlocks, index: usize) -> bool {
    let Some(block) = page.blocks.list.get(index) else { return false };
    let around = std::iter::once(block.container).chain(page.dom.ancestors(block.container));
    around.take(4).any(|id| {
        [name!("id"), name!("class")].into_iter().any(|attribute| {
            page.dom.value(id, attribute).is_some_and(|value| {
                value.split_ascii_whitespace().any(|token| {
                    token.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("paywall"))
                })
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::dom::Limits;
    use crate::extract::segment::Profile;

    const TEXT: &str = "<p>The bridge was closed on Monday because the river had risen again.</p>";

    fn check(rest: &str, paid: bool, expect: bool) {
        let html = format!("<main>{TEXT}{rest}</main>");
        let page = PageBlocks::read(&html, Profile::Modern, &Limits::default());
        let labels: Vec<Label> = page
            .iter()
            .map(|(block, _)| match page.dom.name(block.container) {
                "p" => Label::Paragraph,
                "li" => Label::Comment,
                _ => Label::None,
            })
            .collect();
        assert_eq!(is_partial(&page, &labels, paid), expect, "{rest}");
    }

    #[test]
    fn a_beginning_is_told_by_what_stands_behind_it() {
        for note in [
            "Subscribe to continue reading.",
            "Dieser Artikel ist exklusiv für unsere Leser mit Abo",
            "Il vous reste à lire 80 % de cet article.",
            "Чтобы читать дальше, оформите подписку",
            "この記事は有料会員限定です",
            "Sadece aboneler okuyabilir",
        ] {
            check(&format!("<div>{note}</div>"), false, true);
        }
        check("<div class='paywall-box'>Only 1 a week</div>", false, true);
        check("<p>Nobody knows why the", true, true);
        check("<p>Nobody knows why, but …</p>", true, true);
    }

    #[test]
    fn other_ends_are_ends() {
        check("<div>Read more</div>", false, false);
        check("<p>Nobody knows why.</p>", true, false);
        check("<p>Nobody knows why the", false, false);
        // So long a text is more than a beginning.
        check(
            &format!("{}<div>Subscribe to continue reading.</div>", TEXT.repeat(40)),
            false,
            false,
        );
        check("<div style='display:none'>Subscribe to continue reading.</div>", false, false);
        check("<ul><li>Subscribe to continue reading.</ul>", false, false);
    }
}
