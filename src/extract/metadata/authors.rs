//! Who wrote an article: the first place that names a person, from data for machines down to lines that
//! readers see; else the desk that signs. Must not know how names are written ([`names`] does).

use std::borrow::Cow;

use crate::extract::dom::Id;
use crate::html::name;
use crate::model::{Found, Source};

use super::jsonld::LinkedData;
use super::names::{self, Name, Voice, names};
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
    ],
];
/// Parts of words that label the author on a share card.
const AUTHOR_LABELS: [&str; 9] =
    ["writ", "author", "verfasst", "geschrieben", "écrit", "escrit", "autor", "scritto", "автор"];
/// A byline stands at most so many texts before or behind the title.
const NEAR_TITLE: usize = 60;
/// Links to authors that stand this close together are of one byline.
const TOGETHER: usize = 8;
/// A longer block, in bytes, is a paragraph.
const LINE: usize = 200;
/// Authors of an article.
const MOST: usize = 30;

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
            self.sure |=
                name.person && !name.desk && (name.text.contains(' ') || !name.text.is_ascii());
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

    /// As [`Signed::take`], but a byline that names a desk ends the search, too.
    fn byline(&mut self, named: Vec<Name>, source: Source) -> bool {
        let any = !named.is_empty();
        self.take(named, source);
        any
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

/// The authors; `title_at` says where readers see the title.
pub(super) fn authors(
    page: &PageData<'_>,
    data: &LinkedData,
    outlets: &[String],
    title: Option<&str>,
    title_at: impl FnOnce() -> Option<usize>,
) -> Vec<Found<String>> {
    let mut signed = Signed { people: Vec::new(), desks: Vec::new(), sure: false };
    let known = told(page, data, outlets, &mut signed);
    // What a system calls somebody, and companies: whom readers are told is somebody more.
    if !known || !signed.sure {
        let title = title.map(text::squash);
        let handles = std::mem::take(&mut signed.people);
        shown(page, outlets, title.as_deref(), title_at(), known, &mut signed);
        if known && !signed.sure {
            signed.people = handles;
        }
    }
    if signed.people.is_empty() { signed.desks } else { signed.people }
}

/// Data for machines.
fn told(page: &PageData<'_>, data: &LinkedData, outlets: &[String], signed: &mut Signed) -> bool {
    let linked = data.authors.iter().flat_map(|author| match author.organisation {
        true => names::organisation(&author.name, outlets).into_iter().collect(),
        false => names(&author.name, outlets, Voice::Told),
    });
    if signed.take(linked.collect::<Vec<_>>(), Source::JsonLd) {
        return true;
    }
    let metas = |wanted: &[&str]| {
        let found = page.metas.iter().filter(|(key, _)| wanted.contains(&&**key));
        found.flat_map(|(_, content)| names(content, outlets, Voice::Told)).collect::<Vec<_>>()
    };
    if METAS.iter().any(|wanted| signed.take(metas(wanted), Source::Meta)) {
        return true;
    }
    // A line of a share card is the author only where its label says so.
    [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")].iter().any(
        |(label, line)| {
            let mut labels = page.metas.iter().filter(|(key, _)| key == label);
            let labelled = labels.any(|(_, label)| {
                let label = label.to_lowercase();
                AUTHOR_LABELS.iter().any(|author| label.contains(author))
            });
            labelled && signed.take(metas(&[line]), Source::Meta)
        },
    )
}

/// What readers see: microdata, links to authors, bylines; lines that begin with "by", too, unless it is
/// `marked_only`.
fn shown(
    page: &PageData<'_>,
    outlets: &[String],
    title: Option<&str>,
    title_at: Option<usize>,
    marked_only: bool,
    signed: &mut Signed,
) -> bool {
    let seen = page.seen();
    let near = |spot: &&Spot| title_at.is_none_or(|at| spot.position.abs_diff(at) <= NEAR_TITLE);
    let read = |spot: &Spot, voice| {
        // Whoever reviewed or checked an article is named behind a text that says so.
        let before = seen.lines.partition_point(|line| line.position <= spot.position);
        let before = before.checked_sub(1).and_then(|at| seen.lines.get(at));
        if before.and_then(|line| page.text(line.id)).is_some_and(|t| names::is_of_others(&t)) {
            return Vec::new();
        }
        let parts = page.parts(spot.id);
        let text =
            parts.as_ref().map(|parts| names(parts, outlets, voice)).filter(|n| !n.is_empty());
        text.unwrap_or_else(|| {
            let text = page.text(spot.id);
            text.map_or_else(Vec::new, |text| names(&text, outlets, voice))
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
    let linked = seen.authors.iter().filter(near).map(|spot| (spot, read(spot, Voice::Linked)));
    let together = linked.filter(|(_, named)| !named.is_empty()).take_while(|(spot, _)| {
        let close = last.is_none_or(|at| spot.position <= at + TOGETHER);
        last = Some(spot.position);
        close
    });
    if signed.take(together.flat_map(|(_, named)| named), Source::Html) {
        return true;
    }
    let marked = |s: &Spot| {
        let heading = matches!(page.dom.tag(s.id), Some(name!("h1") | name!("h2")));
        if heading { Vec::new() } else { of_title(read(s, Voice::Marked)) }
    };
    if seen.bylines.iter().filter(near).any(|s| signed.byline(marked(s), Source::Visible)) {
        return true;
    }
    if marked_only {
        return false;
    }
    let introduced = |at: usize, spot: &Spot, line: &str| {
        let block = block_of(page, spot.id);
        let whole = page.text(block);
        // A text within a paragraph begins no line.
        if whole.as_ref().is_none_or(|whole| whole.len() > LINE && !whole.starts_with(line)) {
            return Vec::new();
        }
        // "By" may be a text of its own before the name.
        let text = if names::introduces(line) {
            Cow::Borrowed(line)
        } else {
            let next = seen.lines.get(at + 1).and_then(|next| page.text(next.id));
            let Some(next) = next else { return Vec::new() };
            Cow::Owned(format!("{line} {next}"))
        };
        of_title(names(&text, outlets, Voice::Line))
    };
    let may_introduce = |spot: &Spot| page.dom.text(spot.id).is_some_and(names::may_introduce);
    let lines = seen.lines.iter().enumerate().filter(|(_, spot)| may_introduce(spot));
    for (at, spot) in lines.clone().filter(|(_, spot)| near(spot)) {
        let Some(line) = page.text(spot.id) else { continue };
        if (names::introduces(&line) || names::is_by(&line))
            && signed.byline(introduced(at, spot, &line), Source::Visible)
        {
            return true;
        }
    }
    // Anywhere else only those whom all of the page's markup names alike.
    let far = seen.authors.iter().chain(&seen.signed).map(|s| (s, Voice::Linked));
    let far = far.chain(seen.bylines.iter().map(|s| (s, Voice::Marked)));
    let far = far.filter(|(s, _)| !near(s) || seen.signed.contains(s));
    let mut named: Vec<Vec<Name>> = far.map(|(s, voice)| of_title(read(s, voice))).collect();
    for (at, spot) in lines.filter(|(_, spot)| !near(spot)) {
        let line = page.text(spot.id).filter(|line| names::signs(line));
        named.extend(line.map(|line| introduced(at, spot, &line)));
    }
    named.iter_mut().for_each(|names| names.retain(|name| !name.desk));
    named.retain(|names| !names.is_empty());
    let Some(most) = named.iter().max_by_key(|names| names.len()).cloned() else { return false };
    let known: Vec<String> = most.iter().map(|name| text::squash(&name.text)).collect();
    let alike = |names: &Vec<Name>| names.iter().all(|n| known.contains(&text::squash(&n.text)));
    named.iter().all(alike) && signed.take(most, Source::Visible)
}

/// The nearest element around a text that is a line of its own.
fn block_of(page: &PageData<'_>, text: Id) -> Id {
    let mut around = page.dom.ancestors(text).take(8);
    let is_block = |&id: &Id| {
        !matches!(
            page.dom.name(id),
            "a" | "span"
                | "b"
                | "i"
                | "em"
                | "strong"
                | "font"
                | "small"
                | "u"
                | "address"
                | "cite"
        )
    };
    around.find(is_block).unwrap_or(text)
}

/// The author of a microdata element: its `content`, the `name` inside, else its text.
fn named_inside<'a>(page: &PageData<'a>, id: Id) -> Option<Cow<'a, str>> {
    let named = |&n: &Id| page.dom.value(n, name!("itemprop")).is_some_and(|p| p.trim() == "name");
    page.machine(id).or_else(|| {
        let inside = page.dom.descend(id).take(200).find(named);
        inside.and_then(|n| page.machine(n).or_else(|| page.text(n))).or_else(|| page.text(id))
    })
}
