//! Handles that a system prints, where neither a person nor a desk signs. Must not know who signs elsewhere.

use crate::extract::dom::Id;
use crate::html::name;

use super::alone::leads_to_people;
use super::dates;
use super::names::{self, Name, may_be_handle};
use super::openings::openings;
use super::page::PageData;
use super::seen::Spot;
use super::text::squash;

/// A longer text, in bytes, says more than a name.
const SHORT: usize = 60;
/// Nodes of a byline that are looked at.
const NODES: usize = 20;

/// A handle, if the page prints one alone: behind "posted by" and before a date, or as the link that its own address
/// names ("/author/valleyfan"). From `ends` on readers sign their comments.
pub(super) fn handle(page: &PageData<'_>, path: &str, ends: usize) -> Option<Name> {
    let text = posted(page, ends).or_else(|| self_named(page, path, ends))?;
    Some(Name { text, desk: true, person: false })
}

/// The one that all texts agree on.
fn only(mut found: Vec<String>) -> Option<String> {
    let first = found.pop()?;
    let key = squash(&first);
    found.iter().all(|other| squash(other) == key).then_some(first)
}

/// Whom lines of the form "Posted by David at December 16" name.
fn posted(page: &PageData<'_>, ends: usize) -> Option<String> {
    let named = |text: &str| {
        let rest = names::behind_by(text).filter(|_| names::signs(text))?;
        let (handle, date) = [" at ", " on "].iter().find_map(|at| rest.split_once(at))?;
        let date = dates::may_hold(date) && dates::parse(date, None).is_some();
        (date && !handle.contains(' ') && handle.len() > 2 && may_be_handle(handle))
            .then(|| handle.to_owned())
    };
    let lines = openings(page).iter().map(|&at| &page.seen().lines[at]);
    let lines = lines.take_while(|line| line.position < ends);
    let lines =
        lines.filter(|line| page.dom.text(line.id).is_some_and(|text| text.len() <= 2 * SHORT));
    only(lines.filter_map(|line| named(&page.text(line.id)?)).collect())
}

/// The text of links of bylines to the pages of users whose addresses end with it: "/user/valleyfan", "/~valleyfan", or
/// below which the page itself lies.
fn self_named(page: &PageData<'_>, own: &str, ends: usize) -> Option<String> {
    let seen = page.seen();
    let within = |id: Id| page.dom.descend(id).take(NODES).chain([id]);
    let is_own = |spot: &Spot| spot.position < ends;
    let marked = seen.bylines.iter().filter(|spot| is_own(spot)).flat_map(|spot| within(spot.id));
    let marked = marked.filter(|&id| page.dom.tag(id) == Some(name!("a")));
    let links = seen.authors(page.dom, is_own).map(|spot| spot.id).chain(marked);
    // What a page lies below may be a user's, its own address is none.
    let own = own.trim_matches('/').split_once('/').map_or("", |(first, _)| first);
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
            Some(part) => leads_to_people(&format!("/{part}/")),
            None => !text.contains(' ') && (last.starts_with(['~', '@']) || last == own),
        };
        (of_users && text.len() > 2 && squash(last) == squash(&text)).then(|| text.into_owned())
    };
    only(links.filter_map(named).collect())
}
