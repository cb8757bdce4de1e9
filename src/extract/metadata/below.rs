//! Who signs right below the title, on pages that tell machines of somebody: systems name who put an article
//! there, or the first of several. Looks at a few texts, never at the whole page. Must not know who was told.

use std::borrow::Cow;

use crate::extract::dom::Id;
use crate::html::{Kind, name};

use super::alone::{is_beside, leads_to_people};
use super::lines::{Line, line};
use super::names::{self, Name, Voice, names};
use super::page::PageData;
use super::seen::{is_signature, leads_to_author};
use super::text::{normalise, squash};

/// Nodes and texts below the title that are looked at.
const NODES: usize = 300;
const TEXTS: usize = 12;
/// A longer text, in bytes, is a paragraph.
const LONG: usize = 160;
/// A longer line, in bytes, that a link stands in is not read.
const LINE: usize = 200;
/// Nodes of a link.
const LINK: usize = 80;

/// What stands below the title.
#[derive(Default)]
pub(super) struct Below {
    /// The people of the first line that begins with "by".
    pub signed: Vec<Name>,
    /// All texts, squashed.
    pub texts: String,
}

/// Reads what stands below the title; `told` is the first name that machines are told.
pub(super) fn below(
    page: &PageData<'_>,
    outlets: &[String],
    title: &str,
    told: Option<&str>,
) -> Below {
    let texts = texts(page, title);
    let mut signed = signed(page, outlets, &texts);
    if signed.is_empty() {
        signed = told.map_or_else(Vec::new, |told| led_by(page, outlets, &texts, told));
    }
    let texts = match signed.is_empty() {
        true => String::new(),
        false => texts.iter().map(|(_, text)| squash(text)).collect(),
    };
    Below { signed, texts }
}

fn signed(page: &PageData<'_>, outlets: &[String], texts: &[(Id, Cow<'_, str>)]) -> Vec<Name> {
    let by = texts.iter().find_map(|(id, text)| {
        let begins = text.len() <= LONG && (names::introduces(text) || names::is_by(text));
        let line = begins.then(|| line(page, *id, LONG)).flatten();
        line.filter(|line| line.first == *id)
    });
    by.map_or_else(Vec::new, |line| listed(page, outlets, &line))
}

/// The people of a line without "by" that is a list of names, the first of them told to machines as well.
fn led_by(
    page: &PageData<'_>,
    outlets: &[String],
    texts: &[(Id, Cow<'_, str>)],
    told: &str,
) -> Vec<Name> {
    let first = texts.iter().find(|(_, text)| text.starts_with(told));
    let line = first.and_then(|(id, _)| line(page, *id, LONG).filter(|line| line.first == *id));
    let Some(line) = line else { return Vec::new() };
    let found = listed(page, outlets, &line);
    let ends = found.last().is_some_and(|last| line.text.ends_with(last.text.as_str()));
    if ends && found.len() > 1 && names::is_list(&line.text, &found) { found } else { Vec::new() }
}

/// The people of a line that begins with "by". Several, if they are a list or look alike: others may be places and
/// sections.
pub(super) fn listed(page: &PageData<'_>, outlets: &[String], line: &Line) -> Vec<Name> {
    let mut found = names(&line.text, outlets, Voice::Line);
    found.retain(|name| name.person && !name.desk);
    without_linked(page, line, &mut found);
    if found.len() < 2 || names::is_list(&line.text, &found) {
        return found;
    }
    let alone = |name: &Name| {
        let key = squash(&name.text);
        let mut texts = line.texts.iter().copied();
        texts.find(|&id| page.text(id).is_some_and(|text| squash(&text) == key))
    };
    let look = found.first().and_then(alone).map(|id| page.look(id));
    let mut first = true;
    found.retain(|name| {
        std::mem::take(&mut first) || look.is_some() && alone(name).map(|id| page.look(id)) == look
    });
    found
}

/// Leaves out whoever is linked to anything else, where a link of the line leads to an author: topics and brands.
fn without_linked(page: &PageData<'_>, line: &Line, found: &mut Vec<Name>) {
    let links = |text: Id| {
        let link =
            page.dom.ancestors(text).take(5).find(|&id| page.dom.tag(id) == Some(name!("a")))?;
        let signs = page.dom.element(link).is_some_and(is_signature);
        let href = page.dom.value(link, name!("href")).unwrap_or_default();
        Some((signs || leads_to_author(&href), signs || leads_to_people(&href)))
    };
    let texts: Vec<_> = line.texts.iter().map(|&text| (text, links(text))).collect();
    if !texts.iter().any(|(_, link)| matches!(link, Some((true, _)))) {
        return;
    }
    found.retain(|name| {
        let key = squash(&name.text);
        let has = |text: Id| page.text(text).is_some_and(|text| squash(&text).contains(&key));
        let is_other = |link: &Option<(bool, bool)>| matches!(link, Some((_, false)));
        !texts.iter().any(|(text, link)| is_other(link) && has(*text))
            || texts.iter().any(|(text, link)| !is_other(link) && has(*text))
    });
}

/// Holds a line nothing but "by", names, and behind them a role, an office, the outlet or a date?
pub(super) fn is_only_of(line: &str, named: &[Name], outlets: &[String]) -> bool {
    const SMALL: [&str; 9] = ["of", "and", "for", "the", "at", "in", "und", "de", "et"];
    let (Some(first), Some(last)) = (named.first(), named.last()) else { return false };
    let begins = names::behind_by(line).is_some_and(|line| line.starts_with(first.text.as_str()));
    let Some(at) = line.rfind(last.text.as_str()) else { return false };
    let behind = line[at + last.text.len()..].trim();
    let told = |word: &str| {
        !word.starts_with(char::is_lowercase) || SMALL.contains(&word) || names::tells_role(word)
    };
    begins
        && (is_beside(behind, outlets)
            || (names::tells_office(behind) || names::tells_more(behind))
                && !behind.ends_with(['.', '!', '?'])
                && behind.split(' ').all(told))
}

/// Does a link stand in a line behind what says that others than the author are named?
pub(super) fn is_of_others(page: &PageData<'_>, link: Id) -> bool {
    let mut texts = page.dom.descend(link).take(LINK);
    let text = texts.find(|&id| page.dom.text(id).is_some_and(|text| !text.trim().is_empty()));
    let Some((text, line)) = text.and_then(|text| Some((text, line(page, text, LINE)?))) else {
        return false;
    };
    let before = line.texts.iter().take_while(|&&id| id != text);
    let before: Vec<_> = before.filter_map(|&id| page.text(id)).collect();
    names::goes_on_with_others(&before.join(" "))
}

/// Does the page print a name more than once?
pub(super) fn is_repeated(page: &PageData<'_>, name: &str) -> bool {
    let finder = memchr::memmem::Finder::new(name);
    let texts = page.dom.nodes.iter().filter(|node| node.kind() == Kind::Text);
    let mut found = texts
        .filter(|node| {
            let text = page.dom.characters(node);
            text.is_some_and(|text| finder.find(text.as_bytes()).is_some())
        })
        .take(2);
    found.nth(1).is_some()
}

/// The first texts below the main heading that says the title.
fn texts<'p>(page: &'p PageData<'_>, title: &str) -> Vec<(Id, Cow<'p, str>)> {
    let title = squash(title);
    let says = |&&id: &&Id| page.text(id).is_some_and(|text| squash(&text) == title);
    let Some(&heading) = page.headings.iter().find(says) else { return Vec::new() };
    let dom = page.dom;
    let (mut found, mut paragraphs) = (Vec::new(), 0);
    let mut next = dom.after(heading, dom.root());
    for _ in 0..NODES {
        let id = next;
        let Some(node) = dom.node(id) else { break };
        next = match dom.tag(id) {
            Some(
                name!("script")
                | name!("style")
                | name!("noscript")
                | name!("template")
                | name!("button")
                | name!("figure")
                | name!("nav")
                | name!("aside"),
            ) => dom.after(id, dom.root()),
            _ => match dom.first_child(id) {
                Some(child) => child,
                None => dom.after(id, dom.root()),
            },
        };
        let text = dom.characters(node).filter(|_| node.kind() == Kind::Text).map(normalise);
        let Some(text) = text.filter(|text| !text.is_empty()) else { continue };
        paragraphs += usize::from(text.len() > LONG);
        if paragraphs > 1 || found.len() == TEXTS {
            break;
        }
        found.push((id, text));
    }
    found
}
