//! What readers see of a page outside of navigation, footers, comments and lists of other articles: one
//! walk over the tree that collects places, each list in page order and bounded. Must not know what
//! counts, nor read texts.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::html::{Kind, NONE, Name, Space, name};

use crate::extract::dom::{Dom, Element, Id};
use crate::extract::text::stems::{self, Stems};

/// A place on the page: a text node or an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub id: Id,
    /// Text nodes before it that readers see beside what is in navigation and the like.
    pub position: usize,
}

/// Those of one list that stand so many texts from a place at most.
pub(super) fn near(spots: &[Spot], at: usize, most: usize) -> &[Spot] {
    let from = spots.partition_point(|spot| spot.position + most < at);
    let end = spots.partition_point(|spot| spot.position <= at + most);
    &spots[from..end]
}

/// What readers see outside of navigation, asides, footers, comments and lists of other articles.
#[derive(Debug, Default)]
pub(super) struct Seen<'a> {
    /// Main headings.
    pub headings: Vec<Spot>,
    /// Elements whose marks speak of a headline, and second and third headings.
    pub titles: Vec<Spot>,
    /// Elements whose marks speak of a title of anything.
    pub heads: Vec<Spot>,
    pub times: Vec<Spot>,
    /// Elements whose marks speak of an author.
    pub bylines: Vec<Spot>,
    /// Links, and whether they lead to the page of an author, where that was asked.
    links: Vec<(Spot, OnceCell<bool>)>,
    /// Links in the margin that say that they lead to the author (`rel`).
    pub signed: Vec<Spot>,
    /// Elements whose marks speak of a date.
    pub dates: Vec<Spot>,
    /// Times and dates in the margin of the article: asides and side bars.
    pub margin: Vec<Spot>,
    /// Microdata: itemprop in lower case and place.
    pub properties: Vec<(Cow<'a, str>, Spot)>,
    /// All short text nodes.
    pub lines: Vec<Spot>,
    /// Short texts in the margin.
    pub margin_lines: Vec<Spot>,
    /// Footers, of the site and of articles.
    pub footers: Vec<Id>,
    /// Positions of texts as long as a paragraph.
    pub prose: Vec<usize>,
}

/// Longest text that can be a heading, byline or date line, in bytes.
pub(super) const SHORT: usize = 400;
/// A longer text, in bytes, is a paragraph.
const LONG: usize = 160;
/// Texts of an article's head.
const HEAD_TEXTS: usize = 20;
/// Items kept per list.
pub(super) const MAX: usize = 600;
/// Longest text of the margin that is kept, in bytes.
const MARGIN_LINE: usize = 80;
/// Footers kept.
const FOOTERS: usize = 20;
/// Text nodes kept.
const MAX_LINES: usize = 3_000;

const BYLINE: [&str; 15] = [
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
    "credit-title",
];
const DATE: [&str; 14] = [
    "date", "time", "publish", "posted", "datum", "fecha", "updated", "modified", "stand",
    "pubdate", "meta", "dato", "tarih", "zeit",
];
/// Part of a mark of the article's margin.
const MARGIN: &str = "sidebar";
const ASIDE: [&str; 15] = [
    "related",
    "comment",
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
pub(super) const TITLE: [&str; 3] = ["headline", "entry-title", "post-title"];
/// What an article's own parts are marked with before that.
pub(super) const OWN: [&str; 4] = ["entry", "post", "article", "story"];
/// Parts of marks of headlines, and of much else: only where nothing better stands over a text.
const HEAD: [&str; 6] = ["title", "heading", "storyhead", "articlehead", "headertext", "hdln"];
/// Parts of the addresses of authors' pages, as they begin with a slash …
const AUTHORS: [&str; 14] = [
    "/author",
    "/autor",
    "/auteur",
    "/profile/",
    "/profiles/",
    "/contributor",
    "/journalist",
    "/writers/",
    "/writer/",
    "/staff/",
    "/redakt",
    "/toimittaja",
    "/by/",
    "/byline",
];
/// … or as they end.
const ENDS: [&str; 2] = ["-authors/", "_author="];
/// Part of the addresses that WordPress leads on from to them.
const NUMBERED: &str = "?author=";

/// Walks over what readers see.
pub(super) fn see<'a>(dom: &'a Dom<'a>) -> Seen<'a> {
    let mut seen = Seen::default();
    let mut position = 0;
    let mut known = vec![None; dom.class_lists()];
    // The first node behind the margin that the walk is in.
    let mut margin_end: Option<Id> = None;
    // Where a main heading stood, and the first node behind what holds it, until the text begins: no part of the
    // article's head is beside the article.
    let mut heading: Option<(usize, Id)> = None;
    let mut next = dom.root();
    while let Some(node) = dom.node(next) {
        let id = next;
        if margin_end == Some(id) {
            margin_end = None;
        }
        if heading.is_some_and(|(_, end)| end == id) {
            heading = None;
        }
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
                let length = line.trim_ascii().len();
                if margin_end.is_some() {
                    if length <= MARGIN_LINE && seen.margin_lines.len() < MAX {
                        seen.margin_lines.push(Spot { id, position });
                    }
                    continue;
                }
                if length <= SHORT && seen.lines.len() < MAX_LINES {
                    seen.lines.push(Spot { id, position });
                }
                if length > LONG {
                    heading = None;
                    if seen.prose.len() < MAX {
                        seen.prose.push(position);
                    }
                }
            }
            Kind::Element if node.space() == Space::Html => {
                let Some(element) = dom.element(id) else { continue };
                let hinted = match element.tag {
                    name!("script")
                    | name!("style")
                    | name!("noscript")
                    | name!("template")
                    | name!("title")
                    | name!("head")
                    | name!("select")
                    | name!("button")
                    | name!("textarea") => {
                        next = dom.after(id, dom.root());
                        continue;
                    }
                    _ => Hinted::of(element, &mut known),
                };
                if element.tag == name!("h1") {
                    heading = Some((position, dom.after(holder(dom, id), dom.root())));
                }
                let beside = beside_article(dom, id, element, hinted);
                let is_own = matches!(beside, Some(Beside::Else))
                    && heading.is_some_and(|(at, _)| position <= at + HEAD_TEXTS)
                    && is_of_head(dom, id);
                let spot = Spot { id, position };
                match beside {
                    Some(Beside::Else) if !is_own => {
                        if element.tag == name!("footer") && seen.footers.len() < FOOTERS {
                            seen.footers.push(id);
                        }
                        next = dom.after(id, dom.root());
                    }
                    Some(Beside::Margin) if margin_end.is_none() => {
                        margin_end = Some(dom.after(id, dom.root()));
                    }
                    _ if margin_end.is_some() && !is_own => {
                        if element.tag == name!("time") || hinted.date {
                            seen.margin.push(spot);
                        }
                        if element.tag == name!("a") && is_signature(element) {
                            seen.signed.push(spot);
                        }
                    }
                    _ => seen.element(element, spot, hinted),
                }
            }
            _ => {}
        }
    }
    seen
}

impl<'a> Seen<'a> {
    /// Links to the pages of authors, of those at such places: few are asked for where machines are told of authors.
    pub fn authors<'s>(
        &'s self,
        dom: &'s Dom,
        at: impl Fn(&Spot) -> bool + 's,
    ) -> impl Iterator<Item = &'s Spot> {
        let links = self.links.iter().filter(move |(spot, _)| at(spot));
        let leads = |spot: &Spot| dom.element(spot.id).is_some_and(is_author);
        let authors = links.filter(move |(spot, known)| *known.get_or_init(|| leads(spot)));
        authors.map(|(spot, _)| spot).take(MAX)
    }

    fn element(&mut self, element: Element<'a>, spot: Spot, hinted: Hinted) {
        let put = |list: &mut Vec<Spot>| {
            if list.len() < MAX {
                list.push(spot);
            }
        };
        match element.tag {
            name!("h1") => put(&mut self.headings),
            name!("h2") | name!("h3") => put(&mut self.titles),
            name!("time") => put(&mut self.times),
            name!("a") => self.links.push((spot, OnceCell::new())),
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
        if hinted.title && !matches!(element.tag, name!("h1") | name!("h2") | name!("h3")) {
            put(&mut self.titles);
        } else if hinted.head {
            put(&mut self.heads);
        }
    }
}

/// Does a link lead to an author's page?
fn is_author(link: Element<'_>) -> bool {
    is_signature(link) || link.value(name!("href")).is_some_and(|href| leads_to_author(&href))
}

/// Is an address, by its words, that of an author's page?
pub(super) fn leads_to_author(href: &str) -> bool {
    static STEMS: Stems<{ AUTHORS.len() }> = Stems::new(&[&AUTHORS]);
    let bytes = href.as_bytes();
    let mut is_numbered = None;
    memchr::memchr2_iter(b'/', b'=', bytes).any(|at| {
        let ends = |part: &&str| {
            let begin = (at + 1).checked_sub(part.len());
            let end = begin.and_then(|begin| bytes.get(begin..=at));
            end.is_some_and(|end| end.eq_ignore_ascii_case(part.as_bytes()))
        };
        let mut leads = false;
        stems::each(STEMS.begin(bytes, at), |stem| {
            leads |= !is_authority(href, at, at + AUTHORS[stem].len(), true);
        });
        // The letter that all others have there.
        let may_end = at > 0 && matches!(bytes[at - 1] | 0x20, b's' | b'r');
        let mut is_numbered = || *is_numbered.get_or_insert_with(|| is_numbered_author(href));
        leads || may_end && (ENDS.iter().any(ends) || ends(&NUMBERED) && is_numbered())
    })
}

/// Does a word that authors are called by, from `at` to `end`, go on as another: "/authorization", "authorized-dealer",
/// "autoridad"? In marks a capital begins a word ("authorIsVerified"), and "authorship" is of authors.
fn is_authority(text: &str, at: usize, end: usize, in_address: bool) -> bool {
    let bytes = text.as_bytes();
    let begins = |at: usize, word: &str| {
        let bytes = bytes.get(at..at + word.len());
        bytes.is_some_and(|bytes| bytes.eq_ignore_ascii_case(word.as_bytes()))
    };
    let named = begins(at, "aut") || begins(at, "/aut");
    // In French, Italian, German and the languages of Scandinavia, too.
    let others = ["iz", "is", "it", "idad"];
    let of_addresses = ["ship", "view", "-dashboard", "-area"];
    let parts = bytes.get(end - 1..=end);
    let is_new = parts.is_some_and(|c| c[0].is_ascii_lowercase() && c[1].is_ascii_uppercase());
    named
        && (in_address || !is_new)
        && (begins(at, "autoreview")
            || others.iter().any(|other| begins(end, other)) && !begins(end, "item")
            || in_address && of_addresses.iter().any(|other| begins(end, other)))
}

/// Is it where WordPress leads on to an author's page: "/?author=9"? Elsewhere it is a reader who is called so.
fn is_numbered_author(href: &str) -> bool {
    let Some((at, _)) = href.trim().split_once(NUMBERED) else { return false };
    let path = match at.split_once("://") {
        Some((_, behind)) => behind.find('/').map_or("/", |path| &behind[path..]),
        None => at,
    };
    path == "/"
}

/// Does a link say that it leads to the author?
pub(super) fn is_signature(link: Element<'_>) -> bool {
    link.value(name!("rel"))
        .is_some_and(|rel| rel.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case("author")))
}

/// Do the marks of an element speak of comments, other articles and the like?
pub(super) fn is_beside(element: Element<'_>) -> bool {
    marks(element, &MARKS).any(|value| Hinted::said(&value).aside)
}

/// What stands beside an article.
enum Beside {
    /// What may speak of it: asides and side bars.
    Margin,
    /// Navigation, footers, comments, other articles.
    Else,
}

fn beside_article(dom: &Dom, id: Id, element: Element<'_>, hinted: Hinted) -> Option<Beside> {
    // One that nobody closed holds the whole page; nodes are numbered nearly in page order.
    let small = || {
        let end = (dom.after(id, dom.root()) as usize).min(dom.nodes.len());
        end.saturating_sub(id as usize) * 2 < dom.nodes.len()
    };
    match element.tag {
        name!("nav") | name!("footer") => return small().then_some(Beside::Else),
        name!("aside") => {
            let beside = if hinted.aside { Beside::Else } else { Beside::Margin };
            return small().then_some(beside);
        }
        name!("html") | name!("body") | name!("main") | name!("article") | name!("header") => {
            return None;
        }
        _ => {}
    }
    // Wrappers of the whole page have classes such as "comments-open": what holds the main
    // heading is not beside the article.
    let main = |e: Element<'_>| matches!(e.tag, name!("h1") | name!("main"));
    let beside = match hinted {
        Hinted { aside: true, .. } => Beside::Else,
        Hinted { margin: true, .. } => Beside::Margin,
        _ => return None,
    };
    let holds = dom.descend(id).take(2_000).any(|n| dom.element(n).is_some_and(main));
    (!holds).then_some(beside)
}

/// What holds a main heading and its article's head.
fn holder(dom: &Dom, heading: Id) -> Id {
    let article = |&around: &Id| matches!(dom.tag(around), Some(name!("article") | name!("main")));
    let article = dom.ancestors(heading).take(4).find(article);
    article.or_else(|| dom.ancestors(heading).nth(1)).unwrap_or(heading)
}

/// Is what stands between the main heading and the text a part of the article's head, whatever its marks say? It is small,
/// names an author or a year, and leads to no other article.
fn is_of_head(dom: &Dom, id: Id) -> bool {
    const NODES: usize = 60;
    const HEADLINE: usize = 4;
    const YEAR: usize = 4;
    if matches!(dom.tag(id), Some(name!("nav") | name!("aside"))) {
        return false;
    }
    let is_headline = |link: Id| {
        let texts = dom.descend(link).take(NODES).filter_map(|id| dom.text(id));
        texts.flat_map(str::split_whitespace).nth(HEADLINE - 1).is_some()
    };
    let has_year = |text: &str| {
        let mut numbers = text.split(|c: char| !c.is_numeric());
        text.len() <= SHORT && numbers.any(|number| number.chars().count() == YEAR)
    };
    let (mut count, mut says) = (0, false);
    let other = dom.descend(id).take(NODES + 1).any(|node| {
        count += 1;
        let element = dom.element(node);
        says |= match element {
            Some(element) => element.tag == name!("time") || is_author(element),
            None => dom.text(node).is_some_and(has_year),
        };
        match element.map(|element| element.tag) {
            Some(name!("h2") | name!("h3") | name!("h4") | name!("li") | name!("img")) => true,
            Some(name!("a")) => is_headline(node),
            _ => false,
        }
    });
    says && !other && count <= NODES
}

/// Attributes that name an element, in the order in which they are joined.
const MARKS: [Name; 7] = [
    name!("class"),
    name!("id"),
    name!("itemprop"),
    name!("rel"),
    name!("data-testid"),
    name!("data-qa"),
    name!("data-component"),
];

/// The marks of an element among these: the first [`SHORT`] bytes of each.
fn marks<'t>(element: Element<'t>, names: &'static [Name]) -> impl Iterator<Item = Cow<'t, str>> {
    names.iter().filter_map(move |name| Some(head(element.value(*name)?, SHORT)))
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

/// All marks in lower case.
pub(super) fn joined_marks(element: Element<'_>) -> String {
    let mut joined = String::new();
    for value in marks(element, &MARKS).filter(|value| !value.is_empty()) {
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
    margin: bool,
    head: bool,
}

impl Hinted {
    /// `known`: what class attributes that were met before speak of, by their number. Most elements have
    /// one that others have.
    fn of(element: Element<'_>, known: &mut [Option<Hinted>]) -> Self {
        let (_, others) = MARKS.split_at(1);
        let mut hinted = Hinted::default();
        if let Some(known) = known.get_mut(element.class_list())
            && element.may_have(&MARKS[..1])
        {
            hinted = *known.get_or_insert_with(|| {
                let class = element.value(name!("class")).unwrap_or_default();
                Hinted::said(&head(class, SHORT))
            });
        }
        if element.may_have(others) {
            marks(element, others).for_each(|value| hinted.join(Hinted::said(&value)));
        }
        hinted
    }

    fn join(&mut self, other: Hinted) {
        self.byline |= other.byline;
        self.date |= other.date;
        self.aside |= other.aside;
        self.title |= other.title;
        self.margin |= other.margin;
        self.head |= other.head;
    }

    /// What a mark speaks of.
    fn said(mark: &str) -> Hinted {
        const DATES: usize = BYLINE.len() + DATE.len();
        const ASIDES: usize = DATES + ASIDE.len();
        const TITLES: usize = ASIDES + TITLE.len();
        const MARGINS: usize = TITLES + 1;
        static STEMS: Stems<{ MARGINS + HEAD.len() }> =
            Stems::new(&[&BYLINE, &DATE, &ASIDE, &TITLE, &[MARGIN], &HEAD]);
        let mut said = Hinted::default();
        STEMS.find(mark.as_bytes(), |at, stem| match stem {
            n if n < BYLINE.len() => {
                said.byline |= !is_authority(mark, at, at + BYLINE[n].len(), false);
            }
            n if n < DATES => said.date = true,
            n if n < ASIDES => said.aside |= !of_article(mark, at),
            n if n < TITLES => said.title = true,
            n if n < MARGINS => said.margin = true,
            _ => said.head = true,
        });
        said
    }
}

/// Does a mark name a part of the article itself up to the word at `at`, which is beside articles elsewhere:
/// "entry-footer", "byline-and-comments"?
fn of_article(mark: &str, at: usize) -> bool {
    let token = mark[..at].rsplit(|c: char| c.is_ascii_whitespace()).next().unwrap_or("");
    let token = token.trim_end_matches(['-', '_']).to_ascii_lowercase();
    match mark.as_bytes().get(at) {
        Some(b'f' | b'F') => OWN.iter().any(|own| token.ends_with(own)),
        Some(b'c' | b'C') => BYLINE.iter().any(|byline| token.contains(byline)),
        _ => false,
    }
}

/// A text in lower case, letters of ASCII alone.
pub(super) fn lower(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        return text.to_ascii_lowercase().into();
    }
    text
}

/// A text without white space around it.
pub(super) fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}
