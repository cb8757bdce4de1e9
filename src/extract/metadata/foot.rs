//! Who signs beside or below the text, where nobody signs above it: in the footer of the article itself, or behind a label
//! in its margin. Must not know who signs elsewhere.

use crate::extract::dom::Id;
use crate::html::name;

use super::alone::{is_dated, is_likely};
use super::around::holds;
use super::below::{is_of_others, listed};
use super::dates;
use super::lines::line;
use super::names::{self, Name, Voice, names};
use super::page::PageData;
use super::seen::{Spot, is_beside, is_signature};

/// Nodes of a footer; what has more is the foot of a site, or holds comments.
const NODES: usize = 120;
/// A longer line, in bytes, is a paragraph.
const LINE: usize = 200;
/// Labels of an author; "Authors" leads to a list of all of them.
const LABELS: [&str; 8] =
    ["author", "author(s)", "autor", "autorin", "auteur", "autore", "written by", "автор"];
/// No label is longer, in bytes, in whatever case.
const LABEL: usize = 40;
/// What else the particulars of a book are called, that the label of its author stands among.
const OF_BOOKS: [&str; 28] = [
    "title",
    "titel",
    "titre",
    "título",
    "titolo",
    "publisher",
    "verlag",
    "éditeur",
    "editorial",
    "editore",
    "uitgever",
    "isbn",
    "isbn-10",
    "isbn-13",
    "ean",
    "pages",
    "page count",
    "print length",
    "seiten",
    "seitenzahl",
    "páginas",
    "pagine",
    "format",
    "binding",
    "price",
    "preis",
    "prix",
    "genre",
];
/// They stand so many texts from it.
const GROUP: usize = 12;
/// A date or a role stands so many texts from a label.
const BESIDE: usize = 3;
/// What somebody is is not longer, in bytes.
const MOST_ROLE: usize = 80;
/// People behind a label.
const PEOPLE: usize = 10;

/// Who signs in the footer of the article that the title, so many texts down the page, stands in.
pub(super) fn in_footer(page: &PageData<'_>, outlets: &[String], title_at: usize) -> Vec<Name> {
    let seen = page.seen();
    let article = |id: Id| {
        let mut around = page.dom.ancestors(id);
        around.find(|&id| page.dom.tag(id) == Some(name!("article")))
    };
    let mut titles = seen.headings.iter().chain(&seen.titles);
    let title = titles.find(|spot| spot.position == title_at && article(spot.id).is_some());
    let Some((title, home)) = title.and_then(|title| Some((title.id, article(title.id)?))) else {
        return Vec::new();
    };
    let articles = seen.footers.iter().filter_map(|&footer| article(footer));
    // Several articles have footers of their own where none of them is the page's.
    if articles.clone().any(|article| article != home) {
        return Vec::new();
    }
    // Quotations, cards and comments within the article have footers of their own.
    let own = seen.footers.iter().filter(|&&footer| {
        let around = page.dom.parent(footer);
        holds(page.dom, home, footer) && around.is_some_and(|around| holds(page.dom, around, title))
    });
    let mut named = own.map(|&footer| signed(page, outlets, footer));
    named.find(|named| !named.is_empty()).unwrap_or_default()
}

fn signed(page: &PageData<'_>, outlets: &[String], footer: Id) -> Vec<Name> {
    let dom = page.dom;
    if dom.descend(footer).nth(NODES).is_some() {
        return Vec::new();
    }
    let mut next = dom.first_child(footer);
    let end = dom.after(footer, dom.root());
    while let Some(id) = next.filter(|&id| id != end && dom.node(id).is_some()) {
        let tag = dom.tag(id);
        // What a heading stands over is of something else.
        if matches!(tag, Some(name!("h1") | name!("h2") | name!("h3") | name!("h4") | name!("h5")))
        {
            break;
        }
        let apart = matches!(
            tag,
            Some(
                name!("aside") | name!("nav") | name!("blockquote") | name!("figure") | name!("li")
            )
        );
        if apart || dom.element(id).is_some_and(is_beside) {
            next = Some(dom.after(id, dom.root()));
            continue;
        }
        let mut found = signs(page, outlets, id);
        found.retain(|name| name.person && !name.desk);
        if !found.is_empty() {
            return found;
        }
        next = dom.first_child(id).or_else(|| Some(dom.after(id, dom.root())));
    }
    Vec::new()
}

/// Whom a link names that says that it leads to the author, or a line that begins with "by".
fn signs(page: &PageData<'_>, outlets: &[String], id: Id) -> Vec<Name> {
    let dom = page.dom;
    if dom.element(id).is_some_and(|link| dom.tag(id) == Some(name!("a")) && is_signature(link)) {
        let text = page.text(id).filter(|_| !is_of_others(page, id)).unwrap_or_default();
        return names(&text, outlets, Voice::Linked);
    }
    if dom.text(id).is_none() {
        return Vec::new();
    }
    let text = page.text(id).unwrap_or_default();
    if !names::introduces(&text) && !names::is_by(&text) {
        return Vec::new();
    }
    let line = line(page, id, LINE).filter(|line| line.first == id);
    line.map_or_else(Vec::new, |line| listed(page, outlets, &line))
}

/// Who stands behind the label "Author" in the margin, where there is a date or a role beside it: menus have such labels,
/// too.
pub(super) fn labelled(page: &PageData<'_>, outlets: &[String]) -> Vec<Name> {
    let seen = page.seen();
    let found = behind_label(page, outlets, &seen.margin_lines, false);
    if found.is_empty() { behind_label(page, outlets, &seen.lines, true) } else { found }
}

/// The same among some lines; `below`: those of the article, where the label is a line of its own and each of several
/// people has a role behind the name.
fn behind_label(page: &PageData<'_>, outlets: &[String], lines: &[Spot], below: bool) -> Vec<Name> {
    let is_one_of = |text: &str, labels: &[&str]| {
        let text = text.trim().trim_end_matches(':').trim_end();
        let lower = || text.chars().flat_map(char::to_lowercase);
        // Most lines are longer.
        text.len() <= LABEL
            && match text.is_ascii() {
                true => labels.iter().any(|label| text.eq_ignore_ascii_case(label)),
                false => labels.iter().any(|l| !l.is_ascii() && l.chars().eq(lower())),
            }
    };
    let is_label = |text: &str| is_one_of(text, &LABELS);
    let apart = |spot: &Spot| line(page, spot.id, LINE).is_some_and(|whole| is_label(&whole.text));
    let label = lines
        .iter()
        .position(|line| page.dom.text(line.id).is_some_and(is_label) && (!below || apart(line)));
    let Some(label) = label else { return Vec::new() };
    let mut group = lines[label.saturating_sub(GROUP)..].iter().take(2 * GROUP + 1);
    // "ISBN: 978-1" may be one text.
    let of_book = |text: &str| {
        is_one_of(text.split_once(':').map_or(text, |(label, _)| label), &OF_BOOKS)
            || text.trim_start().starts_with("ISBN")
    };
    if group.any(|line| page.dom.text(line.id).is_some_and(of_book)) {
        return Vec::new();
    }
    let person = |spot: &Spot| {
        let text = page.text(spot.id)?;
        let mut named = names(&text, outlets, Voice::Line);
        let whole = named.len() == 1 && named[0].person && !named[0].desk && named[0].text == text;
        named.pop().filter(|name| whole && is_likely(&name.text))
    };
    // Between people stands what they are, and the initials of those without a picture.
    let mut found: Vec<Name> = Vec::new();
    let mut roles = 0;
    for spot in lines[label + 1..].iter().take(3 * PEOPLE) {
        let Some(text) = page.text(spot.id) else { break };
        let initials = text.len() <= 3 && text.chars().all(char::is_uppercase);
        let role = || text.len() <= MOST_ROLE && text.split(' ').any(names::tells_role);
        match person(spot) {
            Some(name) => found.push(name),
            None if roles < found.len() && role() => roles = found.len(),
            None if initials => {}
            None => break,
        }
    }
    if below || roles > 0 {
        found.truncate(roles);
        return found;
    }
    let mut beside =
        lines[label.saturating_sub(BESIDE)..].iter().take(2 * BESIDE + 1 + found.len());
    let is_month = |text: &str| {
        let mut words = text.split(' ').map(str::to_lowercase);
        text.ends_with(|c: char| c.is_ascii_digit()) && words.any(|word| dates::names_month(&word))
    };
    let witness = beside.any(|spot| {
        let text = page.text(spot.id).unwrap_or_default();
        !is_label(&text) && (is_dated(&text) || is_month(&text) || names::tells_role(&text))
    });
    if witness { found } else { Vec::new() }
}
