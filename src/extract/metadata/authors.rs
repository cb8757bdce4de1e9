//! Who wrote an article: the first place that names a person, from data for machines down to lines that
//! readers see; else the desk that signs. Must not know how names are written ([`names`] does).

use std::borrow::Cow;

use url::Url;

use crate::extract::dom::Id;
use crate::html::{Kind, name};
use crate::model::{Found, Source};

use super::alone::{above, alone, desk, handle, head};
use super::around::{self, holds};
use super::below::{Below, below, is_of_others, is_only_of, is_repeated, listed};
use super::bylines::{
    ABOUT, LINE, MOST, byline_around, fuller, is_behind_break, is_below_bold, is_in_prose, items,
    named_inside, names_box,
};
use super::foot::{in_footer, labelled};
use super::handles;
use super::jsonld::{self, LinkedData};
use super::lead::lead;
use super::lines::line;
use super::names::{self, Name, Voice, names};
use super::openings::openings;
use super::owner::owner;
use super::page::PageData;
use super::seen::Spot;
use super::text;
use super::title::outlet_names;

/// Names of `meta` elements that hold authors, by how sure they are.
const METAS: [&[&str]; 3] = [
    &["author", "authors"],
    &["article:author", "og:article:author", "article:author_name"],
    &[
        "byl",
        "parsely-author",
        "sailthru.author",
        "dc.creator",
        "dcterms.creator",
        "cxenseparse:author",
        "citation_author",
        "citation_authors",
        "content_author",
        "articleauthor",
        "article.author",
        "article:author:name",
        "author_name",
        "byline",
        "dable:author",
        "dc.creator.personalname",
        "shareaholic:article_author_name",
        "vf:author",
    ],
];
/// Of these, those that are written for libraries.
const OF_LIBRARIES: [&str; 4] =
    ["dc.creator", "dcterms.creator", "citation_author", "citation_authors"];
/// Parts of words that label the author on a share card.
const AUTHOR_LABELS: [&str; 24] = [
    "writ",
    "author",
    "verfasst",
    "geschrieben",
    "écrit",
    "escrit",
    "autor",
    "scritto",
    "автор",
    "geschreven",
    "skrivet",
    "skriven",
    "skrevet",
    "kirjoittan",
    "napisa",
    "napsal",
    "yazan",
    "ditulis",
    "scris",
    "szerző",
    "написан",
    "執筆",
    "作者",
    "글쓴이",
];
/// A byline stands at most so many texts before or behind the title.
const NEAR_TITLE: usize = 60;
/// Links to authors that stand this close together are of one byline.
const TOGETHER: usize = 8;

/// What was found so far.
struct Signed {
    people: Vec<Found<String>>,
    /// The first desks: they sign if no person does.
    desks: Vec<Found<String>>,
    /// One of the people is written as a person is, with more than a word that a system may call somebody.
    sure: bool,
}

impl Signed {
    /// Takes the names of one place; true: there are people among them, and nothing else is asked.
    fn take(&mut self, named: impl IntoIterator<Item = Name>, source: Source) -> bool {
        let (mut people, mut desks) = (Vec::new(), Vec::new());
        self.sure = false;
        for name in named {
            self.sure |= name.person
                && !name.desk
                && (name.text.contains(' ') || !name.text.is_ascii())
                && !names::may_be_outlet(&name.text);
            let list = if name.desk { &mut desks } else { &mut people };
            let same = text::squash(&name.text);
            let known = list.iter().any(|f: &Found<String>| text::squash(&f.value) == same);
            if !known && list.len() < MOST {
                list.push(Found { value: name.text, source });
            }
        }
        if self.desks.is_empty() {
            self.desks = desks;
        }
        self.people = people;
        !self.people.is_empty()
    }

    /// Holds what machines are told against whom readers see below the title: all of them, or somebody else,
    /// if the page says so more than once.
    fn correct(&mut self, page: &PageData<'_>, Below { signed: seen, texts }: Below) {
        let known: Vec<String> = self.people.iter().map(|f| text::squash(&f.value)).collect();
        let seen_keys: Vec<String> = seen.iter().map(|name| text::squash(&name.text)).collect();
        // "Dr Ann Archer" is Ann Archer.
        let is_seen = |known: &String| seen_keys.iter().any(|seen| seen.ends_with(known.as_str()));
        let all = known.iter().all(is_seen) && seen.len() > known.len();
        // Of names in two scripts nobody can tell whether they are one person's.
        let alike = |name: &String| name.is_ascii() == seen_keys.iter().all(|seen| seen.is_ascii());
        let others = !seen.is_empty()
            && known.iter().all(alike)
            && !known.iter().any(|known| is_seen(known) || texts.contains(known.as_str()))
            && seen.iter().all(|name| is_repeated(page, &name.text));
        if all || others {
            self.take(seen, Source::Visible);
        }
    }
}

/// Whom a line names that was labelled a byline, if it begins as one: for articles that nothing else names an
/// author of.
pub fn of_byline(line: &str, site_name: Option<&str>) -> Vec<Found<String>> {
    if !names::introduces(line) {
        return Vec::new();
    }
    let named = names(line, &outlet_names(site_name, None), Voice::Marked);
    let found = |name: Name| Found { value: name.text, source: Source::Visible };
    named.into_iter().map(found).collect()
}

/// The authors; `title_at` says where readers see the title, `comments` where their comments begin: who signs those
/// did not write the article.
pub(super) fn authors(
    page: &PageData<'_>,
    data: &LinkedData,
    outlets: &[String],
    url: Option<&Url>,
    title: Option<&str>,
    title_at: impl FnOnce() -> Option<usize>,
    comments: impl Fn() -> usize,
) -> Vec<Found<String>> {
    let mut signed = Signed { people: Vec::new(), desks: Vec::new(), sure: false };
    let known = told(page, data, outlets, &mut signed);
    if signed.sure
        && let Some(title) = title
    {
        let first = signed.people.first().map(|first| first.value.clone());
        signed.correct(page, below(page, outlets, title, first.as_deref()));
        return signed.people;
    }
    // Outlets and columns are told where readers see who signs. Further down others sign other articles.
    let told_other = known && signed.people.iter().all(|name| name.value.contains(' '));
    if let Some(title) = title.filter(|title| told_other && !title.is_empty()) {
        let seen = below(page, outlets, title, None).signed;
        let told_outlet = signed.people.iter().all(|name| names::may_be_outlet(&name.value));
        let signs = !seen.is_empty();
        if signs {
            signed.take(seen, Source::Visible);
        }
        if signs || told_outlet {
            return signed.people;
        }
    }
    // An agency's text is signed by whom a line below the title names, and by no card of another article.
    let is_of_agency = !known
        && !signed.desks.is_empty()
        && signed.desks.iter().all(|desk| names::is_agency(&desk.value));
    if let Some(title) = title.filter(|title| is_of_agency && !title.is_empty()) {
        signed.take(below(page, outlets, title, None).signed, Source::Visible);
        return if signed.people.is_empty() { signed.desks } else { signed.people };
    }
    // What a system calls somebody, and companies: whom readers are told is somebody more.
    if !known || !signed.sure {
        let title = title.map(text::squash);
        let handles = std::mem::take(&mut signed.people);
        let title_at = title_at();
        let place = Place { title: title.as_deref(), title_at, comments: &comments };
        shown(page, outlets, &place, known, &mut signed);
        if known && !signed.sure {
            signed.people = handles;
        }
        if let Some(at) = title_at
            && !known
            && signed.people.is_empty()
            && signed.desks.is_empty()
        {
            signed.take(handle(page, at, true), Source::Visible);
        }
        if signed.people.is_empty() && signed.desks.is_empty() {
            signed.take(by_outlet(page, outlets, title_at), Source::Visible);
        }
        if signed.people.is_empty() && signed.desks.is_empty() {
            signed.take(title_at.and_then(|at| desk(page, outlets, at)), Source::Visible);
        }
        if signed.people.is_empty() && signed.desks.is_empty() {
            let path = url.map_or("", Url::path);
            signed.take(handles::handle(page, path, comments()), Source::Visible);
        }
        if signed.people.is_empty() && signed.desks.is_empty() {
            let is_own = within(page, title_at, comments());
            signed.take(in_parentheses(page, &is_own), Source::Visible);
            if signed.people.is_empty() {
                signed.take(owner(page, url, &is_own), Source::Visible);
            }
        }
    }
    if signed.people.is_empty() { signed.desks } else { signed.people }
}

/// Data for machines.
fn told(page: &PageData<'_>, data: &LinkedData, outlets: &[String], signed: &mut Signed) -> bool {
    let linked = data.authors.iter().flat_map(|author| match author.organisation {
        true => names::organisation(&author.name, outlets).into_iter().collect(),
        false => names(&names::turned(&author.name, outlets, false), outlets, Voice::Told),
    });
    if signed.take(linked.collect::<Vec<_>>(), Source::JsonLd) {
        return true;
    }
    let metas = |wanted: &[&str]| {
        let found = page.metas.iter().filter(|meta| wanted.contains(&&*meta.name));
        let told = |key: &str, content: &str| {
            let turned = names::turned(content, outlets, OF_LIBRARIES.contains(&key));
            names(&turned, outlets, Voice::Told)
        };
        let said = found.filter_map(|meta| Some((&meta.name, meta.content()?)));
        said.flat_map(|(name, content)| told(name, &content)).collect::<Vec<_>>()
    };
    if METAS.iter().any(|wanted| signed.take(metas(wanted), Source::Meta)) {
        return true;
    }
    let of_page = page.told("parsely-page").flat_map(|said| jsonld::of_parsely(&said));
    let of_page = of_page.flat_map(|author| names(&author, outlets, Voice::Told));
    if signed.take(of_page.collect::<Vec<_>>(), Source::Meta) {
        return true;
    }
    // A line of a share card is the author only where its label says so.
    [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")].iter().any(
        |(label, line)| {
            let labelled = page.told(label).any(|label| {
                let label = label.to_lowercase();
                AUTHOR_LABELS.iter().any(|author| label.contains(author))
            });
            labelled && signed.take(metas(&[line]), Source::Meta)
        },
    )
}

/// Does a text stand below the title and above readers' comments?
fn within<'p>(
    page: &'p PageData<'_>,
    title_at: Option<usize>,
    ends: usize,
) -> impl Fn(Id) -> bool + 'p {
    let lines = &page.seen().lines;
    // Nodes are numbered nearly in page order.
    move |id| {
        let before = lines.partition_point(|line| line.id <= id).checked_sub(1);
        let at = before.map_or(0, |before| lines[before].position);
        at < ends && title_at.is_none_or(|title| at >= title)
    }
}

/// Whom the text itself names in parentheses, in Chinese: its first such note.
fn in_parentheses(page: &PageData<'_>, is_own: &dyn Fn(Id) -> bool) -> Vec<Name> {
    // Pages in Chinese have a title in it.
    if !page.title.as_ref().is_some_and(|title| title.contains(text::is_ideograph)) {
        return Vec::new();
    }
    let texts = (0..).zip(&page.dom.nodes).filter(|(_, node)| node.kind() == Kind::Text);
    let named = texts
        .filter_map(|(id, node)| Some((id, names::in_parentheses(page.dom.characters(node)?)?)));
    let own = named.filter(|(id, _)| is_own(*id)).map(|(_, names)| names).next();
    let person = |text| Name { text, desk: false, person: true };
    own.unwrap_or_default().into_iter().map(person).collect()
}

/// The outlet, where a text beside the title says that it wrote: "By The Herald".
fn by_outlet(page: &PageData<'_>, outlets: &[String], title_at: Option<usize>) -> Option<Name> {
    let at = title_at?;
    let lines = &page.seen().lines;
    let lines = &lines[lines.partition_point(|line| line.position <= at)..];
    lines.iter().take_while(|line| line.position <= at + TOGETHER).find_map(|line| {
        page.dom.text(line.id).filter(|text| names::may_introduce(text))?;
        let text = page.text(line.id).filter(|text| text.len() <= LINE)?;
        let outlet = names::behind_by(&text)?;
        let named = outlets.contains(&text::squash(outlet));
        named.then(|| Name { text: outlet.to_owned(), desk: true, person: false })
    })
}

/// Where readers see the article.
struct Place<'p> {
    /// Its title, squashed.
    title: Option<&'p str>,
    title_at: Option<usize>,
    /// Where comments begin.
    comments: &'p dyn Fn() -> usize,
}

/// What readers see: microdata, links to authors, bylines; lines that begin with "by", too, unless it is
/// `marked_only`.
fn shown(
    page: &PageData<'_>,
    outlets: &[String],
    place: &Place<'_>,
    marked_only: bool,
    signed: &mut Signed,
) -> bool {
    let &Place { title, title_at, comments } = place;
    let seen = page.seen();
    let told_desk = !signed.desks.is_empty();
    let near = |spot: &&Spot| title_at.is_none_or(|at| spot.position.abs_diff(at) <= NEAR_TITLE);
    let read = |spot: &Spot, voice| {
        // Whoever reviewed or checked an article is named behind a text that says so.
        let before = seen.lines.partition_point(|line| line.position <= spot.position);
        let before = before.checked_sub(1).and_then(|at| seen.lines.get(at));
        if before.and_then(|line| page.text(line.id)).is_some_and(|t| names::is_of_others(&t)) {
            return Vec::new();
        }
        if voice == Voice::Linked && is_of_others(page, spot.id) {
            return Vec::new();
        }
        let parts = page.parts(spot.id);
        let text =
            parts.as_ref().map(|parts| names(parts, outlets, voice)).filter(|n| !n.is_empty());
        text.unwrap_or_else(|| match page.text(spot.id) {
            Some(text) if !text.starts_with(ABOUT) => names(&text, outlets, voice),
            _ => names_box(page, outlets, spot.id),
        })
    };

    // Words of the title are no name.
    let of_title = |mut named: Vec<Name>| {
        named.retain(|name| !title.is_some_and(|t| t.contains(&text::squash(&name.text))));
        named
    };

    let properties = seen.properties.iter().filter(|(key, _)| key == "author").map(|(_, s)| s);
    let microdata = properties.filter(near).flat_map(|spot| {
        named_inside(page, spot.id).map_or_else(Vec::new, |t| names(&t, outlets, Voice::Linked))
    });
    if signed.take(microdata, Source::Microdata) {
        return true;
    }
    let mut last = None;
    let links =
        seen.authors(page.dom, |spot| near(&spot)).filter(|spot| !is_in_prose(page, spot.id));
    let linked = links.map(|spot| (spot, read(spot, Voice::Linked)));
    let mut first = None;
    let together = linked.filter(|(_, named)| !named.is_empty()).take_while(|(spot, _)| {
        let close = last.is_none_or(|at| spot.position <= at + TOGETHER);
        last = Some(spot.position);
        first.get_or_insert(spot.id);
        close
    });
    let linked: Vec<Name> = together.flat_map(|(_, named)| named).collect();
    // Not all authors have pages.
    let around = first.map_or_else(Vec::new, |link| byline_around(page, outlets, link));
    if signed.take(fuller(linked, around), Source::Html) {
        return true;
    }
    let marked = |s: &Spot| {
        let heading = matches!(page.dom.tag(s.id), Some(name!("h1") | name!("h2")));
        if heading { Vec::new() } else { of_title(read(s, Voice::Marked)) }
    };
    let bylines = seen.bylines.iter().filter(near).map(|s| (s.position, marked(s)));
    let mut bylines = bylines.filter(|(_, named)| !named.is_empty());
    let mut desk_signs = false;
    if let Some((at, named)) = bylines.next() {
        // A person may stand beside the desk; a site may have a person's name.
        let lone = named.iter().all(|name| !name.text.contains(' '));
        desk_signs = !signed.take(named, Source::Visible);
        let mut beside = bylines.take_while(|(position, _)| lone && *position <= at + TOGETHER);
        if !desk_signs || beside.any(|(_, named)| signed.take(named, Source::Visible)) {
            return true;
        }
    }
    if marked_only {
        return false;
    }
    let introduced = |at: usize, spot: &Spot, text: &str| {
        let whole = page.text(page.block(spot.id));
        // A text within a paragraph begins no line, but for breaks and blocks before it.
        let begins = whole.is_some_and(|whole| whole.len() <= LINE || whole.starts_with(text));
        // "By" may be a text of its own before the name.
        let is_label = !names::introduces(text);
        let said = text;
        let text = match is_label {
            false => Some(Cow::Borrowed(text)),
            true => {
                let next = seen.lines.get(at + 1).and_then(|next| page.text(next.id));
                next.map(|next| Cow::Owned(format!("{text} {next}")))
            }
        };
        let text = text.filter(|_| begins);
        let named = text.map_or_else(Vec::new, |text| names(&text, outlets, Voice::Line));
        let line = line(page, spot.id, LINE).filter(|line| line.first == spot.id);
        if is_behind_break(page, spot.id) {
            let prose = seen.prose.partition_point(|&prose| prose <= title_at.unwrap_or(0));
            let near_head = names::signs(said)
                || seen.prose.get(prose).is_none_or(|&prose| prose > spot.position);
            let alone = line.as_ref().is_some_and(|line| {
                is_only_of(&line.text, &listed(page, outlets, line), outlets)
                    || names::is_by(&line.text)
            });
            if !near_head || !alone || is_below_bold(page, spot.id, title) {
                return Vec::new();
            }
        }
        let line = line.map_or_else(Vec::new, |line| listed(page, outlets, &line));
        let items = match is_label && begins {
            true => items(page, outlets, seen.lines.get(at + 1..).unwrap_or_default()),
            false => Vec::new(),
        };
        of_title(fuller(fuller(named, line), items))
    };
    let lines = openings(page).iter().map(|&at| (at, &seen.lines[at]));
    for (at, spot) in lines.clone().filter(|(_, spot)| !desk_signs && near(spot)) {
        let Some(line) = page.text(spot.id) else { continue };
        if !names::introduces(&line) && !names::is_by(&line) {
            continue;
        }
        let named = introduced(at, spot, &line);
        if !named.is_empty() {
            if signed.take(named, Source::Visible) {
                return true;
            }
            desk_signs = true;
            break;
        }
    }
    if let Some(at) = title_at {
        let handle = || handle(page, at, false).filter(|_| !desk_signs && signed.desks.is_empty());
        let mut found = alone(page, outlets, title, at, told_desk);
        let lead = || of_title(lead(page, outlets, head(page, at)));
        let above = || of_title(above(page, outlets, at));
        let ways: [&dyn Fn() -> Vec<Name>; 3] = [&above, &lead, &|| handle().into_iter().collect()];
        for way in ways {
            if found.is_empty() {
                found = way();
            }
        }
        desk_signs |= found.iter().any(|name| name.desk);
        if signed.take(found, Source::Visible) {
            return true;
        }
    }
    if desk_signs {
        // A person may sign outright below the text that a desk stands over.
        let mut named: Vec<Vec<Name>> = Vec::new();
        let ends = comments();
        let article = title_at.and_then(|at| article_of(page, at));
        let is_own = |spot: &Spot| {
            title_at.is_some_and(|at| spot.position > at && spot.position < ends)
                && article.is_none_or(|article| holds(page.dom, article, spot.id))
        };
        for (at, spot) in lines.filter(|(_, spot)| is_own(spot)) {
            let line = page.text(spot.id);
            let line = line.filter(|line| names::signs(line) && !is_posted(line));
            let line = line.filter(|_| !is_of_work(page, at));
            named.extend(line.map(|line| introduced(at, spot, &line)));
        }
        named.iter_mut().for_each(|names| names.retain(|name| name.person && !name.desk));
        named.retain(|names| !names.is_empty());
        let first = named.first().cloned().unwrap_or_default();
        let alike = named.iter().all(|names| *names == first);
        if alike {
            signed.take(first, Source::Visible);
        }
        return true;
    }
    if let Some(at) = title_at
        && signed.take(of_title(in_footer(page, outlets, at)), Source::Html)
    {
        return true;
    }
    // Anywhere else only those whom all of the page's markup names alike.
    let links = seen.authors(page.dom, |_| true).filter(|spot| !is_in_prose(page, spot.id));
    let far = links.chain(&seen.signed).map(|s| (s, Voice::Linked));
    let far = far.chain(seen.bylines.iter().map(|s| (s, Voice::Marked)));
    let far = far.filter(|(s, _)| !near(s) || seen.signed.contains(s));
    let mut named: Vec<Vec<Name>> = Vec::new();
    let properties = seen.properties.iter().filter(|(key, s)| key == "author" && !near(&s));
    named.extend(properties.filter_map(|(_, spot)| {
        Some(of_title(names(&named_inside(page, spot.id)?, outlets, Voice::Linked)))
    }));
    let mut last = None;
    for (spot, voice) in far {
        let found = of_title(read(spot, voice));
        let block = Some(page.block(spot.id)).filter(|_| voice == Voice::Linked);
        match named.last_mut() {
            // Links of one line are of one byline.
            Some(line) if block.is_some() && block == last => line.extend(found),
            _ => named.push(found),
        }
        last = block;
    }
    for (at, spot) in lines.filter(|(_, spot)| !near(spot)) {
        let line = page.text(spot.id).filter(|line| names::signs(line));
        named.extend(line.map(|line| introduced(at, spot, &line)));
    }
    named.iter_mut().for_each(|names| names.retain(|name| !name.desk));
    named.retain(|names| !names.is_empty());
    let Some(most) = named.iter().max_by_key(|names| names.len()).cloned() else {
        let labelled = of_title(labelled(page, outlets));
        return signed.take(labelled, Source::Visible);
    };
    let known: Vec<String> = most.iter().map(|name| text::squash(&name.text)).collect();
    let alike = |names: &Vec<Name>| names.iter().all(|n| known.contains(&text::squash(&n.text)));
    named.iter().all(alike) && signed.take(most, Source::Visible)
}

/// The article that a title at this position stands in.
fn article_of(page: &PageData<'_>, title_at: usize) -> Option<Id> {
    let seen = page.seen();
    let mut spots = seen.headings.iter().chain(&seen.lines);
    let title = spots.find(|spot| spot.position == title_at)?;
    around::article_of(page.dom, title.id)
}

/// Does a line name whoever put something there: an article as well as a comment?
fn is_posted(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    ["posted", "submitted", "published"].iter().any(|by| first.eq_ignore_ascii_case(by))
}

/// Does a line beside this one say who directed, produced or plays? Then it says who wrote that.
fn is_of_work(page: &PageData<'_>, at: usize) -> bool {
    const WORK: [&str; 3] = ["directed by", "produced by", "starring"];
    let lines = &page.seen().lines;
    let near = &lines[at.saturating_sub(2)..lines.len().min(at + 3)];
    near.iter().filter_map(|spot| page.text(spot.id)).any(|text| {
        let text = text.to_lowercase();
        WORK.iter().any(|work| text.starts_with(work))
    })
}
