//! Who signs where neither a person nor a desk does: the person whose site it is, and at last a handle that a system
//! prints. Must not know who signs elsewhere.

use crate::extract::dom::Id;
use crate::html::{Kind, name};
use crate::model::registered_domain;

use super::alone::{is_likely, is_written_small};
use super::dates;
use super::names::{Name, Voice, may_be_handle, names};
use super::page::PageData;
use super::text::{self, squash};

/// A longer text, in bytes, says more than a name.
const SHORT: usize = 60;
/// Texts as long as a paragraph, in bytes, of which so many speak of their writer as "I".
const LONG: usize = 160;
const SPEAKING: usize = 3;
/// Names of the site that are looked at.
const MOST: usize = 200;
/// Nodes of a byline that are looked at.
const NODES: usize = 20;
/// What systems print before a handle.
const BEFORE: [&str; 3] = ["posted by ", "written by ", "published by "];

/// A handle, if the page prints one alone: behind "posted by" and before a date, or as the link that its own address
/// names ("/author/valleyfan").
pub(super) fn handle(page: &PageData<'_>, path: &str) -> Option<Name> {
    let text = posted(page).or_else(|| self_named(page, path))?;
    Some(Name { text, desk: true, person: false })
}

/// The one that all texts agree on.
fn only(mut found: Vec<String>) -> Option<String> {
    let first = found.pop()?;
    let key = squash(&first);
    found.iter().all(|other| squash(other) == key).then_some(first)
}

/// Whom lines of the form "Posted by David at December 16" name.
fn posted(page: &PageData<'_>) -> Option<String> {
    let named = |text: &str| {
        let by = BEFORE.iter().find(|by| {
            text.get(..by.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(by))
        })?;
        let rest = &text[by.len()..];
        let (handle, date) = [" at ", " on "].iter().find_map(|at| rest.split_once(at))?;
        let date = dates::may_hold(date) && dates::parse(date, None).is_some();
        (date && !handle.contains(' ') && handle.len() > 2 && may_be_handle(handle))
            .then(|| handle.to_owned())
    };
    let lines = page.seen().lines.iter();
    let lines =
        lines.filter(|line| page.dom.text(line.id).is_some_and(|text| text.len() <= 2 * SHORT));
    only(lines.filter_map(|line| named(&page.text(line.id)?)).collect())
}

/// The text of links of bylines to the pages of users whose addresses end with it: "/user/valleyfan", "/~valleyfan", or
/// below which the page itself lies.
fn self_named(page: &PageData<'_>, own: &str) -> Option<String> {
    const USERS: [&str; 12] = [
        "author",
        "authors",
        "autor",
        "user",
        "users",
        "u",
        "profile",
        "profiles",
        "member",
        "members",
        "people",
        "contributors",
    ];
    let seen = page.seen();
    let within = |id: Id| page.dom.descend(id).take(NODES).chain([id]);
    let marked = seen.bylines.iter().flat_map(|spot| within(spot.id));
    let marked = marked.filter(|&id| page.dom.tag(id) == Some(name!("a")));
    let links = seen.authors.iter().map(|spot| spot.id).chain(marked);
    let own = own.trim_start_matches('/').split('/').next().unwrap_or_default();
    let named = |link: Id| {
        let text = page.text(link).filter(|text| text.len() <= SHORT && may_be_handle(text))?;
        let href = page.dom.value(link, name!("href"))?;
        let path = href.trim().split(['?', '#']).next().unwrap_or_default();
        let path = path
            .split_once("//")
            .map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
        let mut parts = path.rsplit('/').filter(|part| !part.is_empty());
        let last = parts.next()?;
        let of_users = match parts.next() {
            Some(part) => USERS.contains(&part),
            None => last.starts_with(['~', '@']) || last == own,
        };
        (of_users && text.len() > 2 && squash(last) == squash(&text)).then(|| text.into_owned())
    };
    only(links.filter_map(named).collect())
}

/// The person whose site it is: the site's address has the name, the page prints it as the site's, and the text speaks
/// of its writer as "I". Outlets have names of two words as well, but write so of nobody.
pub(super) fn owner(page: &PageData<'_>, host: Option<&str>) -> Option<Name> {
    let host = host?.trim_start_matches("www.");
    let domain = registered_domain(host);
    let labels: Vec<String> =
        [host, domain].iter().filter_map(|host| host.split('.').next()).map(squash).collect();
    let of_site = |text: &str| {
        let mut named = names(text, &[], Voice::Line);
        let name = named.pop().filter(|name| named.is_empty() && name.person && !name.desk)?;
        let words: Vec<String> = name.text.split(' ').map(squash).collect();
        let whole = words.concat();
        let part = |label: &String| {
            let ends = [words.first(), words.last()];
            label.len() >= 4 && ends.into_iter().flatten().any(|word| word == label)
        };
        let has = labels.iter().any(|label| *label == whole || part(label));
        (has && name.text == text && is_likely(text)).then_some(name)
    };
    let found = printed(page, domain).iter().find_map(|text| of_site(text));
    found.filter(|name| speaks(page) && !is_written_small(page, &name.text))
}

/// What the site may be called on the page.
fn printed(page: &PageData<'_>, domain: &str) -> Vec<String> {
    let dom = page.dom;
    let mut all: Vec<String> = Vec::new();
    let metas = page.metas.iter().filter(|(key, _)| key == "og:site_name");
    all.extend(metas.map(|(_, content)| text::plain(content)));
    if let Some(title) = &page.title {
        for separator in [" | ", " - ", " – ", " — ", " • ", " · ", ": ", "("] {
            all.extend(
                title.split(separator).map(|part| part.trim_end_matches(')').trim().to_owned()),
            );
        }
    }
    for (id, node) in (0..).zip(&dom.nodes) {
        if node.kind() == Kind::Element && dom.tag(id) == Some(name!("a")) {
            let home = dom.value(id, name!("href")).is_some_and(|href| {
                let href = href.trim();
                let host = href.split_once("//").map(|(_, host)| host.trim_end_matches('/'));
                href == "/" || host.is_some_and(|host| host.ends_with(domain))
            });
            all.extend(home.then(|| page.text(id)).flatten().map(Into::into));
        } else if node.kind() == Kind::Text
            && let Some(text) = dom.characters(node)
            && let Some((_, holder)) = text.split_once('©')
            && holder.len() <= 2 * SHORT
        {
            let holder = holder.trim_start_matches(|c: char| !c.is_alphabetic());
            let end = holder.find(['.', ',', '|', '·']).unwrap_or(holder.len());
            all.push(holder[..end].trim().to_owned());
        }
    }
    all.retain(|text| text.len() <= SHORT && text.contains(' '));
    all.truncate(MOST);
    all
}

/// Do paragraphs speak of their writer as "I", and not in quotations?
fn speaks(page: &PageData<'_>) -> bool {
    let says = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        !text.contains(['“', '"', '”'])
            && words.into_iter().any(|word| matches!(word, "I" | "my" | "My"))
    };
    let texts = page.dom.nodes.iter().filter(|node| node.kind() == Kind::Text);
    let mut texts = texts.filter_map(|node| page.dom.characters(node));
    texts.by_ref().filter(|text| text.len() >= LONG && says(text)).nth(SPEAKING - 1).is_some()
}
