//! What a date stands in that is no date line of the article: a paragraph, the caption of a picture, the teaser of another
//! page. Looks at a few elements around it. Must not know how dates are read.

use std::borrow::Cow;

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::labels::{ends_in_change, is_mostly};
use super::names;
use super::page::{PageData, is_crumb};
use super::seen::{Spot, leads_to_author};
use super::text::{is_ideograph, normalise, squash};
use super::title::at_least;

/// A longer line, in characters, is a paragraph.
const LONG: usize = 300;
/// Nodes beside a date that are looked at, on each side.
const BESIDE: usize = 30;
/// What has more nodes or bytes is a paragraph, and is not read.
const NODES: usize = 400;
const BYTES: usize = 8_000;
/// So many elements around a date may hold nothing else; an item has at most so many nodes.
const AROUND: usize = 4;
const ITEM: usize = 24;
/// The link to another page has so many words, or ideographs.
const HEADLINE: usize = 5;
const IDEOGRAPHS: usize = 9;

/// Does a date stand in the caption of a picture?
pub(super) fn of_picture(page: &PageData<'_>, id: Id) -> bool {
    std::iter::once(id).chain(page.dom.ancestors(id).take(2)).any(|around| {
        page.dom.name(around) == "figcaption" || {
            let marks = page.marks(around);
            ["caption", "credit"].iter().any(|mark| marks.contains(mark))
        }
    })
}

/// Does a date stand in a sentence that something else begins? `text` is what the element or text at the place says.
pub(super) fn in_prose(page: &PageData<'_>, id: Id, text: &str) -> bool {
    let line = match line_around(page, id) {
        Line::Short(line) if line.starts_with(text) => return false,
        Line::Short(line) => line,
        Line::Long { begins } => return !begins,
        Line::None => return false,
    };
    let sentence = line.ends_with(['.', '!', '?', '。', '।', '؟']);
    // "This page was last changed on …" is a sentence that dates.
    let before = line.find(text).and_then(|at| line.get(..at)).unwrap_or_default();
    (sentence || line.chars().count() > LONG)
        && !is_mostly(&line, text.chars().count())
        && !names::introduces(&line)
        && !ends_in_change(before)
}

/// The line that a date stands in, if it is no paragraph.
pub(super) fn line_of(page: &PageData<'_>, id: Id) -> Option<String> {
    match line_around(page, id) {
        Line::Short(line) => Some(line),
        Line::Long { .. } | Line::None => None,
    }
}

/// The line that a date stands in.
enum Line {
    Short(String),
    /// A paragraph; `begins`: with the date.
    Long {
        begins: bool,
    },
    None,
}

/// The line that a text or an inline element stands in, between breaks and other blocks; of a few parts on each side.
fn line_around(page: &PageData<'_>, id: Id) -> Line {
    let dom = page.dom;
    let block = page.block_of_date(id);
    let mut top = id;
    for _ in 0..8 {
        match dom.parent(top) {
            Some(parent) if parent == block => break,
            Some(parent) => top = parent,
            None => return Line::None,
        }
    }
    // What is neither a text nor an element parts no line.
    let parts = |id: Id| dom.tag(id).is_some() && !page.is_in_line(id);
    let within = |id: &Id| !parts(*id) && !dom.descend(*id).take(BESIDE).any(parts);
    let before = || {
        let all = std::iter::successors(dom.prev_sibling(top), |&id| dom.prev_sibling(id));
        all.take(BESIDE).take_while(within)
    };
    let behind = || {
        let all = std::iter::successors(dom.next_sibling(top), |&id| dom.next_sibling(id));
        all.take(BESIDE - 1).take_while(within)
    };
    let inside = |id: Id| std::iter::once(id).chain(dom.descend(id));
    // Many dates may stand in one line: it is measured before it is copied for each.
    let mut bytes = 0;
    let fits =
        before().chain([top]).chain(behind()).flat_map(inside).enumerate().all(|(n, node)| {
            bytes += dom.text(node).map_or(0, str::len);
            n < NODES && bytes <= BYTES
        });
    if !fits {
        let is_text = |&node: &Id| dom.text(node).is_some_and(|text| !text.trim().is_empty());
        let first = inside(top).take(NODES).find(is_text);
        let own = first.is_some_and(|first| first == id || dom.parent(first) == Some(id));
        return Line::Long { begins: own && !before().any(|node| is_text(&node)) };
    }
    let text = |id: Id| match dom.text(id) {
        Some(text) => normalise(text),
        None => page.text(id).unwrap_or_default(),
    };
    let mut texts: Vec<Cow<'_, str>> = before().map(text).collect();
    texts.reverse();
    // The place itself belongs to its line, whatever it is.
    texts.push(text(top));
    if within(&top) {
        texts.extend(behind().map(text));
    }
    texts.retain(|text| !text.is_empty());
    Line::Short(texts.join(" "))
}

/// Does a place stand in an item that leads to another page: the teaser of another story, a ticker above the title?
/// `printed` is its date, which may itself be a link.
pub(super) fn leads_elsewhere(
    page: &PageData<'_>,
    id: Id,
    title: Option<Spot>,
    printed: &str,
) -> bool {
    let dom = page.dom;
    let is_headline = |link: Id| is_headline(page, link, title, printed);
    // The innermost element with more than the date.
    let more = |around: &Id| {
        let nodes = dom.descend(*around).take(ITEM);
        nodes
            .filter(|&id| dom.text(id).is_some_and(|text| !text.trim().is_empty()))
            .nth(1)
            .is_some()
    };
    let Some(item) = dom.ancestors(id).take(AROUND).find(more) else { return false };
    let nodes = || dom.descend(item).take(ITEM + 1);
    !title.is_some_and(|title| holds(dom, item, title.id))
        && nodes().count() <= ITEM
        && std::iter::once(item).chain(nodes()).any(is_headline)
}

/// Does a date stand in a link to another page, with that page's headline?
pub(super) fn in_link(page: &PageData<'_>, id: Id, title: Option<Spot>, printed: &str) -> bool {
    const CARD: usize = 8;
    page.dom.ancestors(id).take(CARD).any(|link| is_headline(page, link, title, printed))
}

/// Is an element a link to another page, with a headline beside a date?
fn is_headline(page: &PageData<'_>, link: Id, title: Option<Spot>, printed: &str) -> bool {
    let dom = page.dom;
    let has_words = |text: &str| {
        let words = text.replace(printed, "");
        let own = || title.and_then(|title| page.text(title.id)).map(|title| squash(&title));
        (at_least(&words, HEADLINE)
            || words.chars().filter(|&c| is_ideograph(c)).count() >= IDEOGRAPHS)
            && own().is_none_or(|own| squash(text) != own)
    };
    dom.tag(link) == Some(name!("a"))
        && dom.value(link, name!("href")).is_some_and(|href| {
            let page = !href.starts_with(['#', '?']) && !href.contains("mailto:");
            page && !leads_to_author(&href)
        })
        && page.text(link).is_none_or(|text| has_words(&text))
}

/// Links of a menu.
const MENU: usize = 3;
/// So many nodes of a navigation say whether it is a trail of crumbs.
const TRAIL: usize = 4;
/// So many elements around a date are looked at for a header.
const HEADER: usize = 16;

/// Where a menu stands above the title: the first node of the last three links to pages of `host` or of a navigation.
/// Trails of crumbs are none: they lead to the article.
pub(super) fn menu_above(dom: &Dom, title: Id, host: Option<&str>) -> Id {
    let mut links = 0;
    let menu = (0..title).rev().find(|&id| match dom.tag(id) {
        Some(name!("nav")) => {
            let is_trail = || dom.descend(id).take(TRAIL).any(|below| is_crumb(dom, below));
            !holds(dom, id, title) && !is_crumb(dom, id) && !is_trail()
        }
        Some(name!("a")) => {
            let leads = |href: Cow<'_, str>| leads_within(&href, host) && !is_crumb(dom, id);
            links += usize::from(dom.value(id, name!("href")).is_some_and(leads));
            links == MENU
        }
        _ => false,
    });
    menu.unwrap_or(0)
}

/// Does an address lead to a page of a host, if that is known? Buttons do not, nor does what shares a page.
fn leads_within(href: &str, host: Option<&str>) -> bool {
    let href = href.trim_ascii().to_ascii_lowercase();
    let shares = ["?share=", "&share=", "/share?", "/sharer"].iter().any(|way| href.contains(way));
    let rest = ["https:", "http:"].iter().find_map(|scheme| href.strip_prefix(scheme));
    let parts = |text: &str, at: &[char]| text.split(at).next().unwrap_or_default().to_owned();
    let Some(absolute) = rest.unwrap_or(&href).strip_prefix("//") else {
        let has_scheme = parts(&href, &['/', '?', '#']).contains(':');
        return !shares && !href.starts_with('#') && !has_scheme;
    };
    let own = |host: &str| {
        let bare = |host: &str| format!(".{}", host.strip_prefix("www.").unwrap_or(host));
        let (host, to) = (bare(host), bare(&parts(absolute, &['/', '?', '#', ':'])));
        host.ends_with(&to) || to.ends_with(&host)
    };
    !shares && host.is_none_or(own)
}

/// Does a text above the title stand in the head of the page: not in the title's article, and in a header without the
/// title or above the menu? `menu` gives where that begins.
pub(super) fn is_above_menu(dom: &Dom, id: Id, title: Id, menu: impl FnOnce() -> Id) -> bool {
    let header = |&around: &Id| dom.tag(around) == Some(name!("header"));
    let in_header =
        || dom.ancestors(id).take(HEADER).filter(header).any(|around| !holds(dom, around, title));
    !in_own_article(dom, id, title) && (in_header() || id < menu())
}

/// Does the innermost article around the title hold a place?
pub(super) fn in_own_article(dom: &Dom, id: Id, title: Id) -> bool {
    article_of(dom, title).is_some_and(|article| holds(dom, article, id))
}

/// The innermost article around the title.
pub(super) fn article_of(dom: &Dom, title: Id) -> Option<Id> {
    let article = |&around: &Id| matches!(dom.tag(around), Some(name!("article") | name!("main")));
    dom.ancestors(title).find(article)
}

/// Does an element hold a place? Nodes are numbered nearly in page order.
pub(super) fn holds(dom: &Dom, around: Id, id: Id) -> bool {
    around <= id && id < dom.after(around, dom.root())
}
