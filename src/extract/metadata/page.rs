//! One walk over a page's tree that collects everything which may speak about the article. Must
//! not judge what it collects.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::html::{Space, name};
use aho_corasick::AhoCorasick;
use foldhash::fast::RandomState;

use crate::extract::dom::{Dom, Element, Id};

use super::text;

/// A short text somewhere on the page.
#[derive(Debug)]
pub(super) struct Spot<'a> {
    pub text: Cow<'a, str>,
    /// Text nodes before it in the page.
    pub position: usize,
    /// Class, id, itemprop … of the element in lower case.
    pub marks: String,
    /// `datetime` or `content`, where the element has it.
    pub machine: Option<Cow<'a, str>>,
    /// Inside navigation, asides, footers, comments or lists of other articles.
    pub aside: bool,
}

/// What the walk found, each list in page order and bounded.
#[derive(Debug, Default)]
pub(super) struct PageData<'a> {
    pub lang: Option<Cow<'a, str>>,
    pub base: Option<Cow<'a, str>>,
    /// Name, property, itemprop or http-equiv in lower case, and content.
    pub metas: Vec<(String, Cow<'a, str>)>,
    /// `rel` in lower case and `href`.
    pub links: Vec<(String, Cow<'a, str>)>,
    pub linked_data: Vec<Cow<'a, str>>,
    pub title: Option<String>,
    pub headings: Vec<Spot<'a>>,
    pub times: Vec<Spot<'a>>,
    /// Elements whose marks speak of an author.
    pub bylines: Vec<Spot<'a>>,
    /// Elements whose marks speak of a date.
    pub dates: Vec<Spot<'a>>,
    /// Microdata: itemprop and value.
    pub properties: Vec<(String, Spot<'a>)>,
    /// All short text nodes.
    pub lines: Vec<Spot<'a>>,
}

/// Longest text that can be a heading, byline or date line, in bytes.
const SHORT: usize = 400;
/// Items kept per list.
const MAX: usize = 400;
/// Text nodes kept.
const MAX_LINES: usize = 2_000;

const BYLINE: [&str; 12] = [
    "author",
    "byline",
    "autor",
    "auteur",
    "autore",
    "writer",
    "reporter",
    "journalist",
    "redakteur",
    "signature",
    "contributor",
    "skribent",
];
const DATE: [&str; 14] = [
    "date", "time", "publish", "posted", "datum", "fecha", "updated", "modified", "stand",
    "pubdate", "meta", "dato", "tarih", "zeit",
];
const ASIDE: [&str; 16] = [
    "related",
    "comment",
    "sidebar",
    "footer",
    "recommend",
    "teaser",
    "most-read",
    "mostread",
    "trending",
    "newsletter",
    "promo",
    "more-",
    "popular",
    "latest",
    "read-next",
    "outbrain",
];

/// Walks the tree once.
pub(super) fn collect(dom: &Dom) -> PageData<'_> {
    let mut page = PageData::default();
    let mut position = 0;
    let mut known = HashMap::default();
    // The first node behind the aside that the walk is in.
    let mut aside_end: Option<Id> = None;
    for id in dom.descend(dom.root()) {
        if aside_end == Some(id) {
            aside_end = None;
        }
        let aside = aside_end.is_some();
        if let Some(line) = dom.text(id) {
            position += 1;
            if page.lines.len() < MAX_LINES && line.len() <= SHORT && line.bytes().any(|b| b > b' ')
            {
                let around = dom.parent(id).and_then(|p| dom.element(p)).map(|e| e.tag);
                let mute =
                    matches!(around, Some(name!("script") | name!("title") | name!("style")));
                if !mute {
                    page.lines.push(Spot {
                        text: text::normalise(line),
                        position,
                        marks: String::new(),
                        machine: None,
                        aside,
                    });
                }
            }
            continue;
        }
        if let Some(it) = dom.element(id).filter(|e| e.space == Space::Html) {
            let hinted = Hinted::of(it, &mut known);
            let at = Place { id, position, aside };
            element(dom, it, at, hinted, &mut page);
            if !aside && is_aside(dom, id, it, hinted) {
                aside_end = Some(dom.after(id, dom.root()));
            }
        }
    }
    page
}

fn is_aside(dom: &Dom, id: Id, element: Element<'_>, hinted: Hinted) -> bool {
    match element.tag {
        name!("aside") | name!("nav") | name!("footer") => return true,
        name!("html") | name!("body") | name!("main") | name!("article") | name!("header") => {
            return false;
        }
        _ => {}
    }
    // Wrappers of the whole page have classes such as "comments-open": what holds the main
    // heading is not beside the article.
    let main = |e: Element<'_>| matches!(e.tag, name!("h1") | name!("main"));
    hinted.aside && !dom.descend(id).take(2_000).any(|n| dom.element(n).is_some_and(main))
}

/// The marks of an element, each with its place among them: class, id and their like, the first
/// [`SHORT`] bytes of each.
fn marks(element: Element<'_>) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    element.attributes().filter_map(|a| {
        let place = match a.name? {
            name!("class") => 0,
            name!("id") => 1,
            name!("itemprop") => 2,
            name!("rel") => 3,
            name!("data-testid") => 4,
            name!("data-qa") => 5,
            name!("data-component") => 6,
            _ => return None,
        };
        Some((place, head(a.value(), SHORT)))
    })
}

/// The first bytes of a text.
fn head(text: Cow<'_, str>, bytes: usize) -> Cow<'_, str> {
    let end = text.floor_char_boundary(bytes);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}

/// All marks in lower case, in the order of their places.
fn joined_marks(element: Element<'_>) -> String {
    let mut values: [Cow<'_, str>; 7] = Default::default();
    marks(element).for_each(|(place, value)| values[place] = value);
    let mut joined = String::new();
    for value in values.into_iter().filter(|v| !v.is_empty()) {
        joined.push_str(&value);
        joined.push(' ');
    }
    joined.make_ascii_lowercase();
    joined
}

/// What the marks of an element speak of.
#[derive(Clone, Copy, Default)]
struct Hinted {
    byline: bool,
    date: bool,
    aside: bool,
}

impl Hinted {
    /// `known`: what marks that were met before speak of. Most elements have a class that others have.
    fn of<'t>(
        element: Element<'t>,
        known: &mut HashMap<Cow<'t, str>, Hinted, RandomState>,
    ) -> Self {
        /// All words in one automaton: every element of every page is asked.
        static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .build(BYLINE.iter().chain(&DATE).chain(&ASIDE))
                .expect("a few short words make an automaton")
        });
        let mut hinted = Hinted::default();
        if !element.has_attributes() {
            return hinted;
        }
        for (_, value) in marks(element) {
            let said = match known.get(&value) {
                Some(said) => *said,
                None => {
                    let mut said = Hinted::default();
                    for found in WORDS.find_overlapping_iter(&*value) {
                        match found.pattern().as_usize() {
                            n if n < BYLINE.len() => said.byline = true,
                            n if n < BYLINE.len() + DATE.len() => said.date = true,
                            _ => said.aside = true,
                        }
                    }
                    known.insert(value, said);
                    said
                }
            };
            hinted.byline |= said.byline;
            hinted.date |= said.date;
            hinted.aside |= said.aside;
        }
        hinted
    }
}

/// Where the walk is.
#[derive(Clone, Copy)]
struct Place {
    id: Id,
    position: usize,
    aside: bool,
}

fn element<'a>(
    dom: &'a Dom,
    element: Element<'a>,
    at: Place,
    hinted: Hinted,
    page: &mut PageData<'a>,
) {
    let Place { id, position, aside } = at;
    let attr = |name| dom.value(id, name).map(trimmed).filter(|v| !v.is_empty());
    match element.tag {
        name!("html") => page.lang = attr(name!("lang")).or_else(|| attr(name!("xml:lang"))),
        name!("base") if page.base.is_none() => page.base = attr(name!("href")),
        name!("meta") => {
            if let Some(content) = attr(name!("content")).filter(|_| page.metas.len() < MAX)
                && content.len() <= 4096
            {
                for name in
                    [name!("name"), name!("property"), name!("itemprop"), name!("http-equiv")]
                {
                    if let Some(key) = attr(name) {
                        page.metas.push((key.to_ascii_lowercase(), content.clone()));
                    }
                }
            }
        }
        name!("link") => {
            if let (Some(rel), Some(href)) = (attr(name!("rel")), attr(name!("href")))
                && page.links.len() < MAX
            {
                page.links.push((rel.to_ascii_lowercase(), href));
            }
        }
        // Only linked data keeps its text in the tree.
        name!("script") if page.linked_data.len() < 64 => {
            if dom
                .value(id, name!("type"))
                .is_some_and(|t| t.trim().to_ascii_lowercase().starts_with("application/ld+json"))
            {
                // One text node, if nobody changed the tree.
                let only = dom.first_child(id).filter(|&c| dom.next_sibling(c).is_none());
                let text = only.and_then(|child| dom.text(child)).map(Cow::Borrowed);
                page.linked_data.push(text.unwrap_or_else(|| dom.text_of(id).into()));
            }
        }
        name!("title") if page.title.is_none() => {
            page.title = Some(text::plain(&dom.text_of(id))).filter(|t| !t.is_empty());
        }
        name!("script") | name!("style") | name!("noscript") | name!("template") => {}
        name => {
            let spot = |text: String| Spot {
                text: text.into(),
                position,
                marks: joined_marks(element),
                machine: attr(name!("datetime")).or_else(|| attr(name!("content"))),
                aside,
            };
            if name == name!("h1")
                && page.headings.len() < 20
                && let Some(text) = short_text(dom, id)
            {
                let crumb = |id| {
                    dom.element(id).is_some_and(|e| {
                        e.attributes().any(|a| {
                            a.lower().contains("breadcrumb") || a.value().contains("readcrumb")
                        })
                    })
                };
                // The last crumb of a trail is a heading to search engines only.
                let aside = aside || crumb(id) || dom.ancestors(id).take(4).any(crumb);
                page.headings.push(Spot { aside, ..spot(text) });
            }
            if name == name!("time") && page.times.len() < MAX {
                page.times.push(spot(short_text(dom, id).unwrap_or_default()));
            }
            if let Some(property) = dom.value(id, name!("itemprop")).map(trimmed)
                && !property.is_empty()
                && page.properties.len() < MAX
            {
                let value = short_text(dom, id).unwrap_or_default();
                page.properties.push((property.to_ascii_lowercase(), spot(value)));
            }
            if hinted.byline
                && page.bylines.len() < MAX
                && let Some(text) = short_text(dom, id)
            {
                page.bylines.push(spot(text));
            }
            if hinted.date
                && page.dates.len() < MAX
                && let Some(text) = short_text(dom, id)
            {
                page.dates.push(spot(text));
            }
        }
    }
}

/// A text without white space around it.
fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// The text below an element, parts separated by spaces, if it is short.
fn short_text(dom: &Dom, id: Id) -> Option<String> {
    let mut out = String::new();
    for (steps, n) in dom.descend(id).enumerate() {
        if steps > 200 {
            return None;
        }
        let inside_script =
            || dom.parent(n).is_some_and(|p| matches!(dom.name(p), "script" | "style"));
        if let Some(t) = dom.text(n)
            && !inside_script()
        {
            out.push_str(t);
        } else if dom.tag(n).is_some() && !is_inline(dom.name(n)) {
            out.push(' ');
        }
        if out.len() > 2 * SHORT {
            return None;
        }
    }
    let out = text::normalise(&out);
    (!out.is_empty() && out.len() <= SHORT).then(|| out.into_owned())
}

/// Elements whose borders do not part words.
fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "b" | "i"
            | "em"
            | "strong"
            | "font"
            | "sup"
            | "sub"
            | "small"
            | "mark"
            | "u"
            | "wbr"
            | "abbr"
    )
}
