//! What may speak about a page's article, collected without a judgement: first what is said to
//! machines, in one pass over the nodes; what readers see ([`Seen`]) only when it is asked for. Texts are
//! read when somebody asks. Must not know what counts.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::html::{Attribute, Kind, Space, name};

use crate::extract::dom::{Dom, Id};
use crate::extract::unseen::Unseen;

use super::microdata::Items;
use super::refresh;
use super::seen::{self, MAX, SHORT, Seen, joined_marks, lower, trimmed};
use super::text;

/// What is said to machines, each list in page order and bounded.
#[derive(Debug)]
pub(super) struct PageData<'a> {
    pub dom: &'a Dom<'a>,
    pub lang: Option<Cow<'a, str>>,
    pub base: Option<Cow<'a, str>>,
    pub metas: Vec<Meta<'a>>,
    /// Where links lead that say that this is the address of the page.
    pub canonical: Vec<Cow<'a, str>>,
    pub linked_data: Vec<Cow<'a, str>>,
    pub title: Option<String>,
    /// Main headings outside of navigation, asides and trails of crumbs.
    pub headings: Vec<Id>,
    /// What may lead readers on at once.
    pub refreshes: Vec<Id>,
    /// See [`super::openings`].
    pub openings: OnceCell<Vec<usize>>,
    seen: OnceCell<Seen<'a>>,
}

/// A name of a `meta` element. What it says is read when somebody asks: most is never asked for.
#[derive(Debug)]
pub(super) struct Meta<'a> {
    /// Name, property, itemprop or http-equiv in lower case.
    pub name: Cow<'a, str>,
    content: Attribute<'a>,
}

impl<'a> Meta<'a> {
    /// Its content, if it has some and not too much.
    pub fn content(&self) -> Option<Cow<'a, str>> {
        content(self.content)
    }
}

/// Longest content of a `meta` element, in bytes.
const CONTENT: usize = 4096;

/// What a `meta` element says, if it says something and not too much.
fn content(of: Attribute<'_>) -> Option<Cow<'_, str>> {
    // Of what is very long the beginning, up to a reference, tells that it is too long.
    let begun = of.raw.get(..of.raw.floor_char_boundary(2 * CONTENT));
    let begun = begun.filter(|_| of.raw.len() > 4 * CONTENT);
    let begun = begun.and_then(|begun| begun.get(..begun.rfind('&')?));
    let is_long = |raw| trimmed(Attribute { raw, ..of }.value()).len() > CONTENT;
    if begun.is_some_and(is_long) {
        return None;
    }
    Some(trimmed(of.value())).filter(|value| (1..=CONTENT).contains(&value.len()))
}

/// The same question, without a look at what is short and has no references.
fn has_content(of: Attribute<'_>) -> bool {
    if of.raw.len() <= CONTENT && !of.raw.contains('&') {
        return !of.raw.trim().is_empty();
    }
    content(of).is_some()
}

/// Collects what is said to machines.
pub(super) fn collect<'a>(dom: &'a Dom<'a>, unseen: &Unseen) -> PageData<'a> {
    let mut page = PageData {
        dom,
        lang: None,
        base: None,
        metas: Vec::new(),
        canonical: Vec::new(),
        linked_data: Vec::new(),
        title: None,
        headings: Vec::new(),
        refreshes: Vec::new(),
        openings: OnceCell::new(),
        seen: OnceCell::new(),
    };
    // Elements whose properties stand among the names, and where there.
    let mut properties = Vec::new();
    for (id, node) in (0..).zip(&dom.nodes) {
        if node.kind() != Kind::Element || node.space() != Space::Html {
            continue;
        }
        let attr = |name| dom.value(id, name).map(trimmed).filter(|v| !v.is_empty());
        match node.name() {
            name!("html") => page.lang = attr(name!("lang")).or_else(|| attr(name!("xml:lang"))),
            name!("base") if page.base.is_none() => page.base = attr(name!("href")),
            name!("meta") => {
                if page.refreshes.len() < MAX && refresh::leads_on(dom, id) {
                    page.refreshes.push(id);
                }
                let from = page.metas.len();
                if meta(dom, id, &mut page.metas) {
                    properties.push((id, from..page.metas.len()));
                }
            }
            name!("link") if page.canonical.len() < MAX => {
                let is_it = |rel: &str| rel.eq_ignore_ascii_case("canonical");
                let rel = dom.value(id, name!("rel"));
                if rel.is_some_and(|rel| rel.split_ascii_whitespace().any(is_it)) {
                    page.canonical.extend(attr(name!("href")));
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
                page.title = title(&dom.text_of(id));
            }
            // What nobody sees heads nothing.
            name!("h1")
                if page.headings.len() < 20 && unseen.by(id).is_none() && !beside(dom, id) =>
            {
                page.headings.push(id);
            }
            _ => {}
        }
    }
    if !properties.is_empty() {
        let mut items = Items::of(dom, &page.headings);
        for (id, names) in properties.into_iter().rev() {
            if !items.tell_of_article(id) {
                page.metas.drain(names);
            }
        }
    }
    page
}

/// What `<title>` says; of one that nobody closed the first line.
fn title(text: &str) -> Option<String> {
    let first = || text.lines().map(str::trim).find(|l| !l.is_empty() && l.len() <= SHORT);
    let text = if text.len() <= 2 * SHORT { text } else { first()? };
    Some(text::plain(text)).filter(|t| !t.is_empty())
}

/// Names and content of all `meta` elements of a page.
pub(super) fn metas<'a>(dom: &'a Dom<'a>) -> Vec<Meta<'a>> {
    let mut metas = Vec::new();
    for (id, node) in (0..).zip(&dom.nodes) {
        let is_meta = node.kind() == Kind::Element && node.space() == Space::Html;
        if is_meta && node.name() == name!("meta") {
            meta(dom, id, &mut metas);
        }
    }
    metas
}

/// Names and content of a `meta` element. Gives whether one of the names is a property of microdata.
fn meta<'a>(dom: &'a Dom<'a>, id: Id, metas: &mut Vec<Meta<'a>>) -> bool {
    if metas.len() >= MAX {
        return false;
    }
    let Some(element) = dom.element(id) else { return false };
    let (mut names, mut count, mut content) = ([const { Cow::Borrowed("") }; 4], 0, None);
    let mut property = false;
    for attribute in element.attributes() {
        property |= attribute.name == Some(name!("itemprop"));
        match attribute.name {
            Some(name!("content")) => content = Some(attribute),
            Some(name!("name") | name!("property") | name!("itemprop") | name!("http-equiv"))
                if count < 4 =>
            {
                names[count] = lower(trimmed(attribute.value()));
                count += 1;
            }
            _ => {}
        }
    }
    let names = names.into_iter().take(count).filter(|name| !name.is_empty());
    let Some(content) = content.filter(|content| count > 0 && has_content(*content)) else {
        return false;
    };
    metas.extend(names.map(|name| Meta { name, content }));
    property
}

/// Does an element say that it is a trail of crumbs, or stand in one that does?
pub(super) fn is_crumb(dom: &Dom, id: Id) -> bool {
    let says = |id| {
        dom.element(id).is_some_and(|e| {
            e.attributes()
                .any(|a| a.lower().contains("breadcrumb") || a.value().contains("readcrumb"))
        })
    };
    says(id) || dom.ancestors(id).take(4).any(says)
}

/// Does a heading stand in navigation, an aside or a footer, or is it the last crumb of a trail, which
/// is a heading to search engines only?
fn beside(dom: &Dom, id: Id) -> bool {
    is_crumb(dom, id)
        || dom
            .ancestors(id)
            .any(|a| matches!(dom.tag(a), Some(name!("aside") | name!("nav") | name!("footer"))))
}

impl<'a> PageData<'a> {
    /// What `meta` elements of a name say, in page order.
    pub(super) fn told<'p>(&'p self, name: &'p str) -> impl Iterator<Item = Cow<'p, str>> {
        self.metas.iter().filter(move |meta| meta.name == name).filter_map(|meta| meta.content())
    }

    /// What readers see.
    pub(super) fn seen(&self) -> &Seen<'a> {
        self.seen.get_or_init(|| {
            let mut seen = seen::see(self.dom);
            if !seen.properties.is_empty() {
                let mut items = Items::of(self.dom, &self.headings);
                seen.properties.retain(|(_, spot)| items.tell_of_article(spot.id));
            }
            seen
        })
    }

    /// The text at a place, if it is short and not empty.
    pub(super) fn text(&self, id: Id) -> Option<Cow<'a, str>> {
        match self.dom.text(id) {
            Some(line) => Some(text::normalise(line)).filter(|t| !t.is_empty()),
            None => short_text(self.dom, id).map(Cow::Owned),
        }
    }

    /// The texts below an element, parted by semicolons, if there are several short ones.
    pub(super) fn parts(&self, id: Id) -> Option<String> {
        let mut parts = String::new();
        let mut count = 0;
        for n in self.dom.descend(id).take(100) {
            let Some(line) = self.dom.text(n) else { continue };
            let line = text::normalise(line);
            if !line.is_empty() {
                count += 1;
                if count > 1 {
                    parts.push_str("; ");
                }
                parts.push_str(&line);
            }
            if parts.len() > SHORT {
                return None;
            }
        }
        (count > 1).then_some(parts)
    }

    /// The nearest element around a text that is a line of its own.
    pub(super) fn block(&self, text: Id) -> Id {
        let mut around = self.dom.ancestors(text).take(8);
        around.find(|&id| !self.is_inline(id)).unwrap_or(text)
    }

    /// The nearest element around a date that is a line of its own.
    pub(super) fn block_of_date(&self, id: Id) -> Id {
        let mut around = self.dom.ancestors(id).take(8);
        around.find(|&id| !self.is_in_line(id)).unwrap_or(id)
    }

    fn is_inline(&self, id: Id) -> bool {
        const INLINE: [&str; 11] =
            ["a", "span", "b", "i", "em", "strong", "font", "small", "u", "address", "cite"];
        INLINE.contains(&self.dom.name(id))
    }

    /// May an element stand within a date line?
    pub(super) fn is_in_line(&self, id: Id) -> bool {
        self.is_inline(id) || self.dom.tag(id) == Some(name!("time"))
    }

    /// May an element stand within a word?
    pub(super) fn is_within_word(&self, id: Id) -> bool {
        is_inline(self.dom.name(id))
    }

    /// Tag and classes of the element that a text stands in: texts that look alike say the like.
    pub(super) fn look(&self, text: Id) -> String {
        self.dom.parent(text).map_or_else(String::new, |id| {
            let class = self.dom.value(id, name!("class")).unwrap_or_default();
            format!("{} {class}", self.dom.name(id))
        })
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

/// The text below an element, parts separated by spaces, if it is short.
fn short_text(dom: &Dom, id: Id) -> Option<String> {
    let mut out = String::with_capacity(SHORT);
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
