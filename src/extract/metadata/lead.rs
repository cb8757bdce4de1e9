//! Who signs at the end of the lead: "…, writes Ann Archer.", "…. By Ann Archer". Must not know who signs elsewhere.

use crate::extract::dom::Id;

use super::alone::{self, is_told_of};
use super::below::is_only_of;
use super::names::{self, Name, Voice, names};
use super::page::PageData;
use super::seen::Spot;

/// A shorter text, in bytes, is no lead.
const LEAD: usize = 60;
/// Verbs before whoever wrote. (What outlets and companies "report" they do not sign.)
const WRITES: [&str; 4] = ["writes ", "schreibt ", "escribe ", "scrive "];
/// The same of others as well: only a name in capitals signs.
const SAYS: &str = "says ";
/// Who "writes" behind these is quoted.
const QUOTES: [char; 7] = ['"', '“', '”', '„', '«', '»', '‘'];

/// Whom the end of a text names between the title and the first paragraph.
pub(super) fn lead(page: &PageData<'_>, outlets: &[String], head: &[Spot]) -> Vec<Name> {
    let texts = head.iter().filter_map(|spot| Some((spot.id, page.text(spot.id)?)));
    let texts = texts.filter(|(id, text)| text.len() >= LEAD && !is_of_others(page, *id));
    let mut named = texts.filter_map(|(id, text)| Some((id, behind_sentence(&text, outlets)?)));
    let signed = named.find(|(id, named)| !named.iter().any(|name| is_told_of(page, *id, name)));
    signed.map(|(_, named)| named).unwrap_or_default()
}

/// Is a text a quotation, an item, what a picture shows, or another article's?
fn is_of_others(page: &PageData<'_>, text: Id) -> bool {
    let apart =
        |&id: &Id| matches!(page.dom.name(id), "blockquote" | "figure" | "figcaption" | "li");
    alone::is_of_others(page, text, page.block(text))
        || page.dom.ancestors(text).any(|id| apart(&id))
}

fn behind_sentence(text: &str, outlets: &[String]) -> Option<Vec<Name>> {
    let text = text.trim_end();
    let people = |named: Vec<Name>| {
        let sure = |name: &Name| name.person && !name.desk && name.text.contains(' ');
        (!named.is_empty() && named.iter().all(sure)).then_some(named)
    };
    let last = text.rfind([',', ';', '–', '—']).map_or(text, |at| &text[at..]);
    let said = last.trim_start_matches([',', ';', '–', '—', ' ']);
    let verb = WRITES.iter().chain([&SAYS]).find_map(|verb| {
        let name = said.strip_prefix(verb).filter(|_| !text.contains(QUOTES))?;
        let name = name.trim_end_matches('.');
        let signs = *verb != SAYS || !name.contains(char::is_lowercase);
        let words = name.split(' ').count();
        (signs && (2..=3).contains(&words) && last.len() < text.len()).then_some(name)
    });
    if let Some(name) = verb {
        let named = names(name, outlets, Voice::Line);
        return people(named).filter(|named| named.len() == 1 && named[0].text == name);
    }
    let (_, signed) = [". ", "! ", "? "]
        .iter()
        .filter_map(|end| text.rsplit_once(end))
        .min_by_key(|(_, signed)| signed.len())?;
    let signed = signed.trim_end_matches('.');
    if !names::introduces(signed) {
        return None;
    }
    let named = names(signed, outlets, Voice::Line);
    people(named).filter(|named| is_only_of(signed, named, outlets))
}
