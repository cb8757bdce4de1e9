//! What the elements around a place say about it: where it stands, whether it is shown, and what
//! the site's own names for classes and ids hint at.

use crate::extract::unseen;
use crate::html::{Name, name};

use super::names::{Groups, groups};
use super::{Element, Id, NONE};

/// Where a block stands: one bit per kind of ancestor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u32);

impl Flags {
    /// `hidden`, `aria-hidden`, `display:none` or `visibility:hidden` written inline.
    pub const HIDDEN: Flags = Flags(1);
    pub const ARTICLE: Flags = Flags(1 << 1);
    pub const MAIN: Flags = Flags(1 << 2);
    pub const NAV: Flags = Flags(1 << 3);
    pub const ASIDE: Flags = Flags(1 << 4);
    pub const HEADER: Flags = Flags(1 << 5);
    pub const FOOTER: Flags = Flags(1 << 6);
    pub const FIGURE: Flags = Flags(1 << 7);
    pub const FIGCAPTION: Flags = Flags(1 << 8);
    /// In a container of readers' comments, by its class or id.
    pub const COMMENTS: Flags = Flags(1 << 9);
    pub const LIST: Flags = Flags(1 << 10);
    pub const TABLE: Flags = Flags(1 << 11);
    pub const FORM: Flags = Flags(1 << 12);
    pub const BUTTON: Flags = Flags(1 << 13);
    pub const QUOTE: Flags = Flags(1 << 14);
    pub const NOSCRIPT: Flags = Flags(1 << 15);
    pub const DIALOG: Flags = Flags(1 << 16);
    pub const PARAGRAPH: Flags = Flags(1 << 17);
    pub const ADDRESS: Flags = Flags(1 << 18);
    /// Microdata or a property name calls it the article's body.
    pub const BODY: Flags = Flags(1 << 19);
    pub const PREFORMATTED: Flags = Flags(1 << 20);

    /// Are all bits of `other` set?
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// The context of a place in the walk.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) container: Id,
    pub(super) depth: u16,
    pub(super) heading: u8,
    pub(super) flags: Flags,
    pub(super) own: Groups,
    pub(super) above: Groups,
}

impl Default for Context {
    fn default() -> Self {
        Context {
            container: NONE,
            depth: 0,
            heading: 0,
            flags: Flags::default(),
            own: Groups::default(),
            above: Groups::default(),
        }
    }
}

/// Inline elements that change the context: those that carry a class, an id or a style.
pub(super) fn matters(element: Element<'_>) -> bool {
    element.has_attributes() && element.tag != name!("a")
}

impl Context {
    /// The context inside of an element; `classes` is what its classes hint at.
    pub(super) fn within(
        &self,
        id: Id,
        element: Element<'_>,
        bounds: bool,
        classes: Groups,
    ) -> Context {
        let mut inner = self.clone();
        inner.flags |= tag_flags(element);
        let mut own = classes;
        // Most elements have none of these.
        const TOLD: [Name; 6] = [
            name!("id"),
            name!("hidden"),
            name!("aria-hidden"),
            name!("style"),
            name!("role"),
            name!("itemprop"),
        ];
        if element.may_have(&TOLD) {
            own.0 |= element.value(name!("id")).map_or(0, |names| groups(&names).0);
            inner.flags |= attribute_flags(element);
        }
        if bounds {
            inner.container = id;
            inner.depth = inner.depth.saturating_add(1);
            inner.own = own;
            match element.tag {
                name!("h1") => inner.heading = 1,
                name!("h2") => inner.heading = 2,
                name!("h3") => inner.heading = 3,
                name!("h4") => inner.heading = 4,
                name!("h5") => inner.heading = 5,
                name!("h6") => inner.heading = 6,
                _ => {}
            }
        } else {
            inner.own.0 |= own.0;
        }
        inner.above.0 |= own.0;
        // `<body class="comments-open">` and the like speak of the page, not of a place.
        let of_page = matches!(element.tag, name!("body") | name!("html"));
        if of_page {
            (inner.own, inner.above) = (Groups::default(), Groups::default());
        } else if bounds && own.has(Groups::COMMENT) && !own.has(Groups::ARTICLE) {
            inner.flags |= Flags::COMMENTS;
        }
        inner
    }
}

fn tag_flags(element: Element<'_>) -> Flags {
    match element.tag {
        name!("article") => Flags::ARTICLE,
        name!("main") => Flags::MAIN,
        name!("nav") => Flags::NAV,
        name!("aside") => Flags::ASIDE,
        name!("header") => Flags::HEADER,
        name!("footer") => Flags::FOOTER,
        name!("figure") => Flags::FIGURE,
        name!("figcaption") => Flags::FIGCAPTION,
        name!("ul") | name!("ol") | name!("dl") => Flags::LIST,
        name!("table") => Flags::TABLE,
        name!("form") => Flags::FORM,
        name!("button") => Flags::BUTTON,
        name!("blockquote") => Flags::QUOTE,
        name!("noscript") => Flags::NOSCRIPT,
        name!("dialog") => Flags::DIALOG,
        name!("p") => Flags::PARAGRAPH,
        name!("address") => Flags::ADDRESS,
        name!("pre") => Flags::PREFORMATTED,
        _ => Flags::default(),
    }
}

fn attribute_flags(element: Element<'_>) -> Flags {
    let is = |name, told: fn(&str) -> bool| element.value(name).is_some_and(|v| told(&v));
    let mut flags = Flags::default();
    if is_hidden(element) || is(name!("aria-hidden"), |value| value == "true") {
        flags |= Flags::HIDDEN;
    }
    if let Some(role) = element.value(name!("role")) {
        flags |= role_flags(&role);
    }
    if is(name!("itemprop"), |value| value.contains("articleBody")) {
        flags |= Flags::BODY;
    }
    flags
}

fn role_flags(role: &str) -> Flags {
    match role {
        "navigation" | "menu" | "menubar" => Flags::NAV,
        "complementary" => Flags::ASIDE,
        "main" => Flags::MAIN,
        "article" => Flags::ARTICLE,
        "contentinfo" => Flags::FOOTER,
        "banner" => Flags::HEADER,
        "dialog" | "alertdialog" => Flags::DIALOG,
        "button" => Flags::BUTTON,
        _ => Flags::default(),
    }
}

/// Is the element hidden from sight by an attribute?
pub(super) fn is_hidden(element: Element<'_>) -> bool {
    element.value(name!("hidden")).is_some()
        || element.value(name!("style")).is_some_and(|style| unseen::takes_away(&style))
}
