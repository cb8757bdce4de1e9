//! Names that stand alone in the head of an article, without "by", without a mark and without a link to an
//! author's page. Sections, places and whom an article is about are printed there as well, so a name needs a
//! witness: a date beside it, a role, a picture, an author's box, data. Must not know which places are asked before.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::extract::dom::Id;
use crate::extract::segment::{Groups, groups};
use crate::html::{Kind, name};

use super::dates;
use super::labels::has_label;
use super::lines;
use super::names::{self, Name, Voice, names};
use super::page::PageData;
use super::sections::is_section;
use super::seen::{Spot, leads_to_author};
use super::text::squash;
use super::words::{DESK, GIVEN, PARTICLES, PLACES};

/// The head ends so many texts below the title …
const HEAD: usize = 14;
/// … or with the second text of this length, in bytes: before the first paragraph there may be a lead.
const SENTENCE: usize = 120;
/// A line with a name and what may stand beside it is not longer, in bytes.
const LINE: usize = 160;
/// A date, a role or a further name stands so many texts away at most.
const BESIDE: usize = 3;
/// Nodes around a name that are looked at.
const NODES: usize = 60;
/// A text that goes on behind a name for so many bytes tells of somebody.
const BIO: usize = 60;
/// What marks of a line, or of the element around it, name other things than authors.
const OTHER_MARKS: [&str; 22] = [
    "tag",
    "tags",
    "topic",
    "topics",
    "category",
    "categories",
    "cat",
    "kicker",
    "breadcrumb",
    "breadcrumbs",
    "crumb",
    "crumbs",
    "badge",
    "location",
    "dateline",
    "place",
    "caption",
    "credit",
    "rubric",
    "rubrik",
    "section",
    "label",
];
/// What marks of pictures of authors are made of.
const PORTRAITS: [&str; 6] = ["avatar", "author", "headshot", "profile", "portrait", "byline"];

/// The names that stand alone between the title and the first paragraph. `by_outlet`: machines are told that the outlet
/// wrote, as systems say of all that its people write.
pub(super) fn alone(
    page: &PageData<'_>,
    outlets: &[String],
    title: Option<&str>,
    title_at: usize,
    by_outlet: bool,
) -> Vec<Name> {
    let head = head(page, title_at);
    let mut signed: Vec<Name> = Vec::new();
    let mut before: Option<(usize, String)> = None;
    for (at, line) in head.iter().enumerate() {
        // Further names stand close by and look alike.
        if before.as_ref().is_some_and(|(last, _)| line.position > last + BESIDE) {
            break;
        }
        let Some(Line { found, tells }) = named(page, outlets, line) else { continue };
        let is_sure = by_outlet && found.iter().any(has_given_name);
        // Whoever reviewed an article is named behind a text that says so.
        let before_it = at.checked_sub(1).and_then(|at| page.text(head.get(at)?.id));
        let tells = (tells || is_sure && is_bold_paragraph(page, line, title_at))
            && !before_it.is_some_and(|text| names::is_of_others(&text));
        let look = page.look(line.id);
        let alike = before.as_ref().is_none_or(|(_, known)| *known == look);
        let of_title = |name: &Name| title.is_some_and(|t| t.contains(&squash(&name.text)));
        if alike
            && !found.iter().any(of_title)
            && found.iter().all(|name| is_witnessed(page, head, at, name, tells))
        {
            signed.extend(found);
            before = Some((line.position, look));
        }
    }
    signed
}

/// Does a name begin with a usual first name?
pub(super) fn has_given_name(name: &Name) -> bool {
    let first = name.text.split(' ').next().unwrap_or_default();
    GIVEN.contains(first.to_lowercase().as_str())
}

/// Does a text of the page tell of somebody?
pub(super) fn is_told_of(page: &PageData<'_>, place: Id, name: &Name) -> bool {
    let elsewhere = Elsewhere::of(page, place, &name.text);
    elsewhere.within || elsewhere.bio
}

/// Who signs right above the title, beside a date: a link to the page of one of a team.
pub(super) fn above(page: &PageData<'_>, outlets: &[String], title_at: usize) -> Vec<Name> {
    let lines = &page.seen().lines;
    let near = |at: usize| lines.partition_point(|line| line.position < at);
    let lines = &lines[near(title_at.saturating_sub(2 * BESIDE))..near(title_at + 1)];
    let signed = lines.iter().find_map(|line| {
        let leads = link_around(page, line.id).is_some_and(|href| leads_to_one(page, &href));
        let signs = leads && is_beside_date(page, lines, line, BESIDE);
        let line = if signs { named(page, outlets, line) } else { None };
        line.map(|line| line.found).filter(|found| found.iter().all(has_given_name))
    });
    signed.unwrap_or_default()
}

/// The desk that signs below the title, beside a date: "Herald Editorial Team", "The Herald Team" where the outlet is
/// called so.
pub(super) fn desk(page: &PageData<'_>, outlets: &[String], title_at: usize) -> Option<Name> {
    let head = head(page, title_at);
    head.iter().find_map(|line| {
        let text = page.dom.text(line.id).map(str::trim).filter(|text| text.len() <= BIO)?;
        let (whose, last) = text.rsplit_once(' ')?;
        const EDITORS: [&str; 4] = ["editorial", "news", "editors", "editor"];
        let mut words = whose.split(' ').map(str::to_lowercase);
        let is_outlets = words.any(|word| EDITORS.contains(&word.as_str()))
            || outlets.contains(&squash(whose.trim_start_matches("The ")));
        let is_desk = is_outlets
            && DESK.contains(last.to_lowercase().as_str())
            && text.split(' ').all(|word| word.starts_with(char::is_uppercase));
        let block = page.block(line.id);
        let alone = is_desk
            && page.text(block).is_some_and(|whole| whole == text)
            && !matches!(page.dom.name(block), "h1" | "h2" | "h3" | "dt" | "th")
            && !is_of_others(page, line.id, block)
            && is_beside_date(page, head, line, BESIDE);
        let mut found = if alone { names(text, outlets, Voice::Line) } else { Vec::new() };
        found.pop().filter(|name| found.is_empty() && name.desk && name.text == text)
    })
}

/// Who signs below the title, beside a date, with "by" and a name that is no person's: "By valleyfan". The name is a link
/// of its own in most lines: only such lines are read if it is `linked`, else only the others.
pub(super) fn handle(page: &PageData<'_>, title_at: usize, linked: bool) -> Option<Name> {
    let head = head(page, title_at);
    head.iter().find_map(|line| {
        page.dom.text(line.id).filter(|text| names::may_introduce(text))?;
        let own = page.text(line.id)?;
        let is_linked = names::is_by(&own);
        if is_linked != linked {
            return None;
        }
        let text = match is_linked {
            true => {
                lines::line(page, line.id, BIO).filter(|whole| whole.first == line.id)?.text.into()
            }
            false => own,
        };
        let text = Some(text).filter(|text| text.len() <= BIO)?;
        let rest = names::behind_by(&text)?.trim_end_matches(',');
        let words = || rest.split(' ');
        let named = (!is_linked || words().count() == 1 && rest.is_ascii())
            && names::may_be_handle(rest)
            && !rest.ends_with('.')
            && !is_dated(&text)
            && (is_linked || page.text(page.block(line.id)).is_some_and(|whole| whole == text))
            && is_beside_date(page, head, line, BESIDE);
        named.then(|| Name { text: rest.to_owned(), desk: true, person: false })
    })
}

/// The lines below the title, up to the first paragraph.
pub(super) fn head<'p>(page: &'p PageData<'_>, title_at: usize) -> &'p [Spot] {
    let lines = &page.seen().lines;
    let lines = &lines[lines.partition_point(|line| line.position <= title_at)..];
    let (mut long, mut last) = (0, title_at);
    let end = lines.iter().position(|line| {
        // Texts that are too long for a line are not among them.
        long += line.position - last - 1;
        last = line.position;
        long += usize::from(page.dom.text(line.id).is_some_and(|t| t.trim().len() >= SENTENCE));
        long > 1 || line.position > title_at + HEAD
    });
    &lines[..end.unwrap_or(lines.len())]
}

/// A line that holds names.
struct Line {
    found: Vec<Name>,
    /// Degrees, or what those are who write for the press, stand behind them.
    tells: bool,
}

/// The names of a line that holds nothing else but what stands beside names.
fn named(page: &PageData<'_>, outlets: &[String], line: &Spot) -> Option<Line> {
    let text = page.dom.text(line.id).map(str::trim);
    let text = text.filter(|t| t.len() <= LINE && t.contains(' '))?;
    // Most lines are sentences: told before names are looked for.
    let mut words = text.split_ascii_whitespace();
    let is_capital =
        |word: &str| !word.starts_with(char::is_lowercase) || PARTICLES.contains(&word);
    if !words.next()?.starts_with(char::is_uppercase) || !words.next().is_some_and(is_capital) {
        return None;
    }
    let said = page.text(line.id).filter(|text| !text.ends_with(':'))?;
    let text = names::without_degrees(&said);
    let mut found = names(&text, outlets, Voice::Line);
    let last = found.last()?;
    let behind = text.rfind(last.text.as_str()).map(|at| text[at + last.text.len()..].trim())?;
    let names_only = found.first().is_some_and(|first| text.starts_with(first.text.as_str()))
        && found.iter().all(|name| name.person && !name.desk && is_likely(&name.text))
        && (is_beside(behind, outlets) || names::tells_office(behind));
    if !names::is_list(&text, &found) {
        found.truncate(1);
    }
    let block = page.block(line.id);
    let whole = page.text(block).is_some_and(|text| text.len() <= LINE);
    // Headings, and what labels something else.
    let heading = matches!(page.dom.name(block), "h1" | "h2" | "h3" | "dt" | "th");
    if !names_only || !whole || heading || has_label(&text) || is_of_others(page, line.id, block) {
        return None;
    }
    let others = page.dom.descend(block).take(NODES).filter(|&id| id != line.id);
    let mut others = others.filter(|&id| page.dom.text(id).is_some());
    let beside = others.all(|id| {
        let text = page.text(id).unwrap_or_default();
        is_beside(&text, outlets) || names::tells_role(&text) || link_around(page, id).is_some()
    });
    let tells = names::has_degree(&said) || behind.split(' ').any(is_of_press);
    beside.then_some(Line { found, tells })
}

/// Is a word what somebody is who writes for the press?
fn is_of_press(word: &str) -> bool {
    const PRESS: [&str; 6] =
        ["report", "correspond", "journalist", "columnist", "writer", "editor"];
    let word = word.to_lowercase();
    PRESS.iter().any(|press| word.starts_with(press)) && names::tells_role(&word)
}

/// Is a line a paragraph of its own, all bold, between the title and the first one of prose?
fn is_bold_paragraph(page: &PageData<'_>, line: &Spot, title_at: usize) -> bool {
    let dom = page.dom;
    let block = page.block(line.id);
    let prose = &page.seen().prose;
    let next = prose.get(prose.partition_point(|&prose| prose <= title_at));
    let bold = |&id: &Id| matches!(dom.tag(id), Some(name!("b") | name!("strong")));
    dom.tag(block) == Some(name!("p"))
        && dom.ancestors(line.id).take_while(|&id| id != block).any(|id| bold(&id))
        && next.is_some_and(|&next| next > line.position)
        && page.text(block).is_some_and(|whole| page.text(line.id) == Some(whole))
}

/// Does a text hold a date, or digits alone?
pub(super) fn is_dated(text: &str) -> bool {
    dates::may_hold(text)
        && (dates::parse(text, None).is_some() || !text.contains(char::is_alphabetic))
}

/// May a text be all that a line holds beside a name?
pub(super) fn is_beside(text: &str, outlets: &[String]) -> bool {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    text.is_empty()
        || matches!(text, "in" | "on" | "for" | "at" | "min read")
        || text.len() <= BIO && is_dated(text)
        || outlets.contains(&squash(text))
}

/// Is it more likely a person than a place, a section or a slogan?
pub(super) fn is_likely(name: &str) -> bool {
    let mut words = name.split(' ');
    let first = words.clone().next().unwrap_or("").to_lowercase();
    !PLACES.contains(&first.as_str()) && !words.any(is_section)
}

/// Is a line linked to anything, or marked as what is no author?
pub(super) fn is_of_others(page: &PageData<'_>, line: Id, block: Id) -> bool {
    let marked = |id: Id| {
        let marks = page.marks(id);
        let mut marks = marks.split(|c: char| !c.is_ascii_alphabetic());
        page.dom.name(id) == "figcaption" || marks.any(|mark| OTHER_MARKS.contains(&mark))
    };
    link_around(page, line).is_some_and(|href| !leads_to_people(&href))
        || std::iter::once(block).chain(page.dom.ancestors(line).take(2)).any(marked)
}

/// The address that a text is linked to.
fn link_around<'p>(page: &'p PageData<'_>, text: Id) -> Option<Cow<'p, str>> {
    let mut around = page.dom.ancestors(text).take(5);
    around.find_map(|id| match page.dom.tag(id) {
        Some(name!("a")) => page.dom.value(id, name!("href")),
        _ => None,
    })
}

/// Does a link lead to people rather than to articles about them?
pub(super) fn leads_to_people(href: &str) -> bool {
    const PEOPLE: [&str; 7] =
        ["/team/", "/people/", "/user/", "/users/", "linkedin.com/in/", "mailto:", "/about"];
    leads_to_author(href) || PEOPLE.iter().any(|part| href.contains(part))
}

/// Does a link lead to the page of one of a team, and no link of the page to another? Teams of sports have many.
fn leads_to_one(page: &PageData<'_>, href: &str) -> bool {
    let part = ["/team/", "/people/"].into_iter().find(|part| href.contains(part));
    let one = |href: &str, part: &str| {
        let (_, one) = href.split_once(part)?;
        Some(one.trim_end_matches('/').to_owned()).filter(|one| !one.is_empty())
    };
    let Some((part, own)) = part.and_then(|part| Some((part, one(href, part)?))) else {
        return false;
    };
    let links = (0..).zip(&page.dom.nodes).filter(|(_, node)| node.kind() == Kind::Element);
    let links = links.filter(|(id, _)| page.dom.tag(*id) == Some(name!("a")));
    let mut others = links.filter_map(|(id, _)| one(&page.dom.value(id, name!("href"))?, part));
    others.all(|other| other == own)
}

/// Does anything on the page say that a name in its head is the author's?
fn is_witnessed(page: &PageData<'_>, head: &[Spot], at: usize, name: &Name, tells: bool) -> bool {
    let line = &head[at];
    let elsewhere = Elsewhere::of(page, line.id, &name.text);
    // Somebody of whom the text tells, or words of the text.
    if elsewhere.within || elsewhere.small && !(elsewhere.alone && elsewhere.bio) {
        return false;
    }
    let role = || {
        let next = head.get(at + 1).filter(|next| next.position <= line.position + BESIDE);
        next.and_then(|next| page.text(next.id)).is_some_and(|text| {
            text.len() <= BIO && !text.ends_with('.') && names::tells_role(&text)
        })
    };
    let told = || {
        let quoted = format!("\"{}\"", name.text);
        page.linked_data.iter().any(|data| data.contains(&quoted))
    };
    let cased = name.text.chars().any(char::is_lowercase);
    tells && cased && !elsewhere.bio
        || elsewhere.alone && elsewhere.bio
        || told()
        || role()
        || has_portrait(page, line.id)
        || elsewhere.alone && is_beside_date(page, head, line, HEAD)
        || cased
            && !elsewhere.bio
            && link_around(page, line.id)
                .is_none_or(|href| has_given_name(name) && leads_to_one(page, &href))
            && is_beside_date(page, head, line, BESIDE)
}

/// Is there a date in the head, so many texts away at most?
fn is_beside_date(page: &PageData<'_>, head: &[Spot], line: &Spot, most: usize) -> bool {
    let near = |other: &&Spot| other.position.abs_diff(line.position) <= most;
    head.iter().filter(near).any(|other| {
        page.dom.text(other.id).is_some_and(dates::may_hold)
            && page.text(other.id).is_some_and(|text| is_dated(&text))
    })
}

/// Is there a picture of an author beside a line?
fn has_portrait(page: &PageData<'_>, line: Id) -> bool {
    page.dom.ancestors(line).take(3).any(|around| {
        let mut near = page.dom.descend(around).take(NODES);
        near.any(|id| {
            page.dom.tag(id) == Some(name!("img"))
                && page.dom.attributes(id).any(|attribute| {
                    let value = attribute.value().to_ascii_lowercase();
                    PORTRAITS.iter().any(|part| value.contains(part))
                })
        })
    })
}

/// Where readers write: whoever comments names neither an author nor takes one away. By the names that tell blocks of
/// comments ([`crate::extract::segment::Flags::COMMENTS`]), of elements that do not hold this place.
struct Comments<'p, 'd> {
    page: &'p PageData<'d>,
    known: HashMap<Id, bool, FixedState>,
}

impl<'p, 'd> Comments<'p, 'd> {
    fn apart_from(page: &'p PageData<'d>, place: Id) -> Comments<'p, 'd> {
        let known = page.dom.ancestors(place).map(|id| (id, false)).collect();
        Comments { page, known }
    }

    /// Does a node stand in one of them?
    fn hold(&mut self, node: Id) -> bool {
        let dom = self.page.dom;
        let (mut passed, mut found) = (Vec::new(), false);
        for id in dom.ancestors(node) {
            if let Some(known) = self.known.get(&id) {
                found = *known;
                break;
            }
            passed.push(id);
            let named = |name| dom.value(id, name).map_or(0, |names| groups(&names).0);
            let told = Groups(named(name!("class")) | named(name!("id")));
            found = told.has(Groups::COMMENT) && !told.has(Groups::ARTICLE);
            if found {
                break;
            }
        }
        self.known.extend(passed.into_iter().map(|id| (id, found)));
        found
    }
}

/// How a name occurs on the page apart from one place, and apart from comments.
#[derive(Default)]
struct Elsewhere {
    /// As a text of its own that is no link to anything.
    alone: bool,
    /// A text begins with it and goes on.
    bio: bool,
    /// Within a sentence.
    within: bool,
    /// A word of it is written small.
    small: bool,
}

impl Elsewhere {
    fn of(page: &PageData<'_>, place: Id, name: &str) -> Elsewhere {
        let mut found = Elsewhere::default();
        let small: Vec<String> = name
            .split(' ')
            .filter(|word| word.chars().count() > 2 && !PARTICLES.contains(word))
            .map(|word| (word, word.to_lowercase()))
            .filter(|(word, lower)| word != lower)
            .map(|(_, lower)| lower)
            .collect();
        let finders: Vec<_> = small.iter().map(memchr::memmem::Finder::new).collect();
        let whole = memchr::memmem::Finder::new(name);
        let mut comments = Comments::apart_from(page, place);
        for (id, node) in (0..).zip(&page.dom.nodes) {
            if node.kind() != Kind::Text || id == place {
                continue;
            }
            let Some(text) = page.dom.characters(node).map(str::trim) else { continue };
            let is_data = || page.dom.parent(id).is_some_and(|p| page.dom.name(p) == "script");
            if let Some(at) = whole.find(text.as_bytes())
                && !is_data()
                && !comments.hold(id)
            {
                let behind = text.len() - at - name.len();
                let link = || link_around(page, id).is_none_or(|href| leads_to_people(&href));
                found.alone |= at == 0 && behind == 0 && link();
                found.bio |= at == 0 && behind >= BIO;
                found.within |= at > 0 && text.len() >= SENTENCE && !is_introduced(&text[..at]);
            }
            found.small = found.small
                || small.iter().zip(&finders).any(|(word, finder)| {
                    finder.find_iter(text.as_bytes()).any(|at| is_word(text, at, word.len()))
                        && !is_data()
                        && !comments.hold(id)
                });
        }
        found
    }
}

/// Does somebody speak of himself, or a text of who wrote?
fn is_introduced(before: &str) -> bool {
    let before = before.trim_end();
    ["I'm", "I’m", "I am", "name is", " by", "author"].iter().any(|end| before.ends_with(end))
}

/// Is a part of a text a word, and no part of an address?
fn is_word(text: &str, at: usize, length: usize) -> bool {
    let before = text[..at].chars().next_back();
    let mut behind = text[at + length..].chars();
    let parts =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '@' | '/' | '-' | '_' | '’' | '\'');
    let (next, second) = (behind.next(), behind.next());
    before.is_none_or(|c| !parts(c))
        && next.is_none_or(|c| !parts(c) || c == '.' && second.is_none_or(char::is_whitespace))
}
