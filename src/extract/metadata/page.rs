//! What may speak about a page's article, collected without a judgement: first what is said to
//! machines, in one pass over the nodes; what readers see only when it is asked for, in one walk over
//! the tree. Texts are read when somebody asks. Must not know what counts.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::html::{Kind, NONE, Space, name};
use aho_corasick::AhoCorasick;
use foldhash::fast::RandomState;

use crate::extract::dom::{Dom, Element, Id};

use super::text;

/// A place on the page: a text node or an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub id: Id,
    /// Text nodes before it that readers see beside what is in navigation and the like.
    pub position: usize,
}

/// What is said to machines, each list in page order and bounded.
#[derive(Debug)]
pub(super) struct PageData<'a> {
    pub dom: &'a Dom,
    pub lang: Option<Cow<'a, str>>,
    pub base: Option<Cow<'a, str>>,
    /// Name, property, itemprop or http-equiv in lower case, and content.
    pub metas: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// `rel` in lower case and `href`.
    pub links: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub linked_data: Vec<Cow<'a, str>>,
    pub title: Option<String>,
    /// Main headings outside of navigation, asides and trails of crumbs.
    pub headings: Vec<Id>,
    seen: OnceCell<Seen<'a>>,
}

/// What readers see outside of navigation, asides, footers, comments and lists of other articles.
#[derive(Debug, Default)]
pub(super) struct Seen<'a> {
    /// Main headings.
    pub headings: Vec<Spot>,
    /// Elements whose marks speak of a headline, and second headings.
    pub titles: Vec<Spot>,
    pub times: Vec<Spot>,
    /// Elements whose marks speak of an author.
    pub bylines: Vec<Spot>,
    /// Links to the pages of authors.
    pub authors: Vec<Spot>,
    /// Elements whose marks speak of a date.
    pub dates: Vec<Spot>,
    /// Microdata: itemprop in lower case and place.
    pub properties: Vec<(Cow<'a, str>, Spot)>,
    /// All short text nodes.
    pub lines: Vec<Spot>,
}

/// Longest text that can be a heading, byline or date line, in bytes.
const SHORT: usize = 400;
/// Items kept per list.
const MAX: usize = 600;
/// Text nodes kept.
const MAX_LINES: usize = 3_000;

const BYLINE: [&str; 14] = [
    "author",
    "byline",
    "by-line",
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
    "posted-by",
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
const TITLE: [&str; 3] = ["headline", "entry-title", "post-title"];
/// Parts of the addresses of authors' pages.
const AUTHORS: [&str; 14] = [
    "/author",
    "/autor",
    "/auteur",
    "/people/",
    "/person/",
    "/profile/",
    "/contributor",
    "/journalist",
    "/writers/",
    "/writer/",
    "/staff/",
    "/redakt",
    "/by/",
    "/byline",
];

/// Collects what is said to machines.
pub(super) fn collect(dom: &Dom) -> PageData<'_> {
    let mut page = PageData {
        dom,
        lang: None,
        base: None,
        metas: Vec::new(),
        links: Vec::new(),
        linked_data: Vec::new(),
        title: None,
        headings: Vec::new(),
        seen: OnceCell::new(),
    };
    for (id, node) in (0..).zip(&dom.nodes) {
        if node.kind() != Kind::Element || node.space() != Space::Html {
            continue;
        }
        let attr = |name| dom.value(id, name).map(trimmed).filter(|v| !v.is_empty());
        match node.name() {
            name!("html") => page.lang = attr(name!("lang")).or_else(|| attr(name!("xml:lang"))),
            name!("base") if page.base.is_none() => page.base = attr(name!("href")),
            name!("meta") => meta(dom, id, &mut page.metas),
            name!("link") => {
                if let (Some(rel), Some(href)) = (attr(name!("rel")), attr(name!("href")))
                    && page.links.len() < MAX
                {
                    page.links.push((lower(rel), href));
                }
            }
            // Only linked data keeps its text in the tree.
            name!("script") if page.linked_data.len() < 64 => {
                let kind = dom.value(id, name!("type"));
                let linked = |kind: Cow<'_, str>| {
                    let kind = kind.trim().as_bytes();
                    kind.get(..19).is_some_and(|k| k.eq_ignore_ascii_case(b"application/ld+json"))
                };
                if kind.is_some_and(linked) {
                    // One text node, if nobody changed the tree.
                    let only = dom.first_child(id).filter(|&c| dom.next_sibling(c).is_none());
                    let text = only.and_then(|child| dom.text(child)).map(Cow::Borrowed);
                    page.linked_data.push(text.unwrap_or_else(|| dom.text_of(id).into()));
                }
            }
            name!("title") if page.title.is_none() => {
                page.title = Some(text::plain(&dom.text_of(id))).filter(|t| !t.is_empty());
            }
            name!("h1") if page.headings.len() < 20 && !beside(dom, id) => page.headings.push(id),
            _ => {}
        }
    }
    page
}

/// Names and content of a `meta` element.
fn meta<'a>(dom: &'a Dom, id: Id, metas: &mut Vec<(Cow<'a, str>, Cow<'a, str>)>) {
    if metas.len() >= MAX {
        return;
    }
    let Some(element) = dom.element(id) else { return };
    let (mut names, mut count, mut content) = ([const { Cow::Borrowed("") }; 4], 0, None);
    for attribute in element.attributes() {
        match attribute.name {
            Some(name!("content")) => content = Some(trimmed(attribute.value())),
            Some(
                name!("name") | name!("property") | name!("itemprop") | name!("http-equiv"),
            ) if count < 4 => {
                names[count] = lower(trimmed(attribute.value()));
                count += 1;
            }
            _ => {}
        }
    }
    let Some(content) = content.filter(|c| !c.is_empty() && c.len() <= 4096) else { return };
    for name in names.into_iter().take(count).filter(|name| !name.is_empty()) {
        metas.push((name, content.clone()));
    }
}

fn lower(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        return text.to_ascii_lowercase().into();
    }
    text
}

/// Does a heading stand in navigation, an aside or a footer, or is it the last crumb of a trail, which
/// is a heading to search engines only?
fn beside(dom: &Dom, id: Id) -> bool {
    let crumb = |id| {
        dom.element(id).is_some_and(|e| {
            e.attributes()
                .any(|a| a.lower().contains("breadcrumb") || a.value().contains("readcrumb"))
        })
    };
    crumb(id)
        || dom.ancestors(id).take(4).any(crumb)
        || dom
            .ancestors(id)
            .any(|a| matches!(dom.tag(a), Some(name!("aside") | name!("nav") | name!("footer"))))
}

impl<'a> PageData<'a> {
    /// What readers see.
    pub(super) fn seen(&self) -> &Seen<'a> {
        self.seen.get_or_init(|| see(self.dom))
    }

    /// The text at a place, if it is short and not empty.
    pub(super) fn text(&self, id: Id) -> Option<Cow<'a, str>> {
        match self.dom.text(id) {
            Some(line) => Some(text::normalise(line)).filter(|t| !t.is_empty()),
            None => short_text(self.dom, id).map(Cow::Owned),
        }
    }

    /// `datetime` or `content` of an element.
    pub(super) fn machine(&self, id: Id) -> Option<Cow<'a, str>> {
        let attr = |name| self.dom.value(id, name).map(trimmed).filter(|v| !v.is_empty());
        attr(name!("datetime")).or_else(|| attr(name!("content")))
    }

    /// Class, id, itemprop … of an element in lower case.
    pub(super) fn marks(&self, id: Id) -> String {
        self.dom.element(id).map_or_else(String::new, joined_marks)
    }
}

/// Walks over what readers see.
fn see(dom: &Dom) -> Seen<'_> {
    let mut seen = Seen::default();
    let mut position = 0;
    let mut known = HashMap::default();
    let mut next = dom.root();
    while let Some(node) = dom.node(next) {
        let id = next;
        next = match node.first_child {
            NONE => dom.after(id, dom.root()),
            child => child,
        };
        match node.kind() {
            Kind::Text => {
                let Some(line) = dom.characters(node) else { continue };
                if line.bytes().all(|b| b <= b' ') {
                    continue;
                }
                position += 1;
                if line.len() <= SHORT && seen.lines.len() < MAX_LINES {
                    seen.lines.push(Spot { id, position });
                }
            }
            Kind::Element if node.space() == Space::Html => {
                let Some(element) = dom.element(id) else { continue };
                let hinted = match element.tag {
                    name!("script") | name!("style") | name!("noscript") | name!("template")
                    | name!("title") | name!("head") | name!("select") | name!("button")
                    | name!("textarea") => {
                        next = dom.after(id, dom.root());
                        continue;
                    }
                    _ => Hinted::of(element, &mut known),
                };
                if is_aside(dom, id, element, hinted) {
                    next = dom.after(id, dom.root());
                    continue;
                }
                seen.element(element, Spot { id, position }, hinted);
            }
            _ => {}
        }
    }
    seen
}

impl<'a> Seen<'a> {
    fn element(&mut self, element: Element<'a>, spot: Spot, hinted: Hinted) {
        let put = |list: &mut Vec<Spot>| {
            if list.len() < MAX {
                list.push(spot);
            }
        };
        match element.tag {
            name!("h1") => put(&mut self.headings),
            name!("h2") => put(&mut self.titles),
            name!("time") => put(&mut self.times),
            name!("a") if is_author(element) => put(&mut self.authors),
            _ => {}
        }
        if let Some(property) = element.value(name!("itemprop")).map(trimmed)
            && !property.is_empty()
            && self.properties.len() < MAX
        {
            self.properties.push((lower(property), spot));
        }
        if hinted.byline {
            put(&mut self.bylines);
        }
        if hinted.date {
            put(&mut self.dates);
        }
        if hinted.title && element.tag != name!("h1") && element.tag != name!("h2") {
            put(&mut self.titles);
        }
    }
}

/// Does a link lead to an author's page?
fn is_author(link: Element<'_>) -> bool {
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| automaton(AUTHORS.iter()));
    link.value(name!("rel")).is_some_and(|rel| {
        rel.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case("author"))
    }) || link.value(name!("href")).is_some_and(|href| WORDS.is_match(&*href))
}

/// All words in one automaton.
fn automaton<'w>(words: impl Iterator<Item = &'w &'w str>) -> AhoCorasick {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(words)
        .expect("a few short words make an automaton")
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
    title: bool,
}

impl Hinted {
    /// `known`: what marks that were met before speak of. Most elements have a class that others have.
    fn of<'t>(
        element: Element<'t>,
        known: &mut HashMap<Cow<'t, str>, Hinted, RandomState>,
    ) -> Self {
        static WORDS: LazyLock<AhoCorasick> =
            LazyLock::new(|| automaton(BYLINE.iter().chain(&DATE).chain(&ASIDE).chain(&TITLE)));
        const DATES: usize = BYLINE.len() + DATE.len();
        const ASIDES: usize = DATES + ASIDE.len();
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
                            n if n < DATES => said.date = true,
                            n if n < ASIDES => said.aside = true,
                            _ => said.title = true,
                        }
                    }
                    known.insert(value, said);
                    said
                }
            };
            hinted.byline |= said.byline;
            hinted.date |= said.date;
            hinted.aside |= said.aside;
            hinted.title |= said.title;
        }
        hinted
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
