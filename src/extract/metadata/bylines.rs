//! Lines and boxes that name authors: how far a byline goes, and what stands before it. Must not know which places are
//! asked before.

use std::borrow::Cow;

use crate::extract::dom::Id;
use crate::html::{self, name};

use super::alone::is_dated;
use super::below::listed;
use super::lines::line;
use super::names::{self, Name, Voice, names};
use super::page::PageData;
use super::seen::Spot;
use super::text;

/// Authors of an article.
pub(super) const MOST: usize = 30;
/// A longer block, in bytes, is a paragraph.
pub(super) const LINE: usize = 200;
/// Nodes of the box of an author.
const BOX: usize = 80;
/// What the box of an author may begin with: "About Ann Archer".
pub(super) const ABOUT: &str = "About ";

/// Does a break stand before a text, and other texts of its block before that?
pub(super) fn is_behind_break(page: &PageData<'_>, text: Id) -> bool {
    let dom = page.dom;
    let mut texts = dom.descend(page.block(text)).take(BOX);
    let first = texts.find(|&id| dom.text(id).is_some_and(|text| !text.trim().is_empty()));
    if first == Some(text) {
        return false;
    }
    let mut at = text;
    for _ in 0..BOX {
        match dom.prev_sibling(at) {
            Some(before) if dom.tag(before).is_some() => {
                return dom.tag(before) == Some(name!("br"));
            }
            Some(before) if dom.text(before).is_some_and(|text| !text.trim().is_empty()) => {
                return false;
            }
            Some(before) => at = before,
            None => match dom.parent(at).filter(|&around| page.is_in_line(around)) {
                Some(around) => at = around,
                None => return false,
            },
        }
    }
    false
}

/// Is what stands before a text bold, and neither the title nor a date nor right below a heading: the name of a book or a
/// film?
pub(super) fn is_below_bold(page: &PageData<'_>, text: Id, title: Option<&str>) -> bool {
    // Nodes are numbered nearly in page order.
    let before = |text: Id| {
        let mut before = (text.saturating_sub(BOX as Id)..text).rev();
        before.find(|&id| page.dom.text(id).is_some_and(|text| !text.trim().is_empty()))
    };
    let within = |text: Id, depth: usize, is: fn(Option<html::Name>) -> bool| {
        page.dom.ancestors(text).take(depth).any(|id| is(page.dom.tag(id)))
    };
    let is_bold = |tag: Option<html::Name>| {
        matches!(tag, Some(name!("b") | name!("strong") | name!("em") | name!("i")))
    };
    let is_heading = |tag: Option<html::Name>| matches!(tag, Some(name!("h1") | name!("h2")));
    before(text).filter(|&bold| within(bold, 2, is_bold)).is_some_and(|bold| {
        let says = page.text(bold).unwrap_or_default();
        text::squash(&says) != title.unwrap_or_default()
            && !is_dated(&says)
            && !before(bold).is_some_and(|above| within(above, 3, is_heading))
    })
}

/// The names of a line where these are all that are known of it, and more.
pub(super) fn fuller(known: Vec<Name>, line: Vec<Name>) -> Vec<Name> {
    let keys: Vec<String> = line.iter().map(|name| text::squash(&name.text)).collect();
    let all = known.iter().all(|name| keys.contains(&text::squash(&name.text)));
    if all && line.len() > known.len() { line } else { known }
}

/// The people of a list: each item is a name, and they look alike.
pub(super) fn items(page: &PageData<'_>, outlets: &[String], lines: &[Spot]) -> Vec<Name> {
    let holder = |spot: &Spot| page.dom.parent(page.block(spot.id));
    let Some(first) = lines.first() else { return Vec::new() };
    let (list, look) = (holder(first), page.look(first.id));
    let person = |spot: &Spot| {
        let text = page.text(spot.id)?;
        let mut named = names(&text, outlets, Voice::Line);
        let whole = named.len() == 1 && named[0].person && named[0].text == text;
        named.pop().filter(|name| whole && !name.desk)
    };
    let alike = lines.iter().take_while(|spot| holder(spot) == list && page.look(spot.id) == look);
    alike.take(MOST).map_while(person).collect()
}

/// Whom the line names that the link to an author's page stands in, if it begins with "by" or is a list of names.
pub(super) fn byline_around(page: &PageData<'_>, outlets: &[String], link: Id) -> Vec<Name> {
    let mut texts = page.dom.descend(link).take(BOX);
    let text = texts.find(|&id| page.dom.text(id).is_some_and(|text| !text.trim().is_empty()));
    let Some(line) = text.and_then(|text| line(page, text, LINE)) else { return Vec::new() };
    let named = listed(page, outlets, &line);
    let begins = named.first().is_some_and(|first| line.text.starts_with(first.text.as_str()));
    let signs = names::introduces(&line.text) || begins && names::is_list(&line.text, &named);
    if signs { named } else { Vec::new() }
}

/// Whom the box of an author names, where it goes on to tell of the author: its first line, a name alone.
pub(super) fn names_box(page: &PageData<'_>, outlets: &[String], id: Id) -> Vec<Name> {
    if page.dom.descend(id).nth(BOX).is_some() {
        return Vec::new();
    }
    let mut lines = page.dom.descend(id).filter(|&id| page.dom.text(id).is_some());
    let first = lines.find_map(|id| page.text(id).filter(|line| !names::is_by(line)));
    let first =
        first.map(|line| line.strip_prefix(ABOUT).map(str::to_owned).unwrap_or(line.into()));
    let mut named = first.as_ref().map_or_else(Vec::new, |l| names(l, outlets, Voice::Marked));
    named.retain(|name| first.as_ref().is_some_and(|line| *line == name.text));
    named
}

/// Does a link stand in a paragraph, where it leads to somebody of whom the text tells?
pub(super) fn is_in_prose(page: &PageData<'_>, link: Id) -> bool {
    let block = page.block(link);
    let signs = page.dom.value(link, name!("rel")).is_some_and(|rel| rel.contains("author"));
    !signs
        && page.dom.tag(block) == Some(name!("p"))
        && page.text(block).is_none_or(|text| text.len() > LINE && !names::introduces(&text))
}

/// The author of a microdata element: its `content`, the `name` inside, else its text.
pub(super) fn named_inside<'a>(page: &PageData<'a>, id: Id) -> Option<Cow<'a, str>> {
    let named = |&n: &Id| page.dom.value(n, name!("itemprop")).is_some_and(|p| p.trim() == "name");
    page.machine(id).or_else(|| {
        let inside = page.dom.descend(id).take(200).find(named);
        inside.and_then(|n| page.machine(n).or_else(|| page.text(n))).or_else(|| page.text(id))
    })
}
