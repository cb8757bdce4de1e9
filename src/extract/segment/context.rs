//! What the elements around a place say about it: where it stands, whether it is shown, and what
//! the site's own names for classes and ids hint at.

use html5ever::local_name;

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

/// What class and id names hint at: one bit per group of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Groups(pub u32);

impl Groups {
    pub const ARTICLE: Groups = Groups(1);
    pub const TITLE: Groups = Groups(1 << 1);
    pub const LEAD: Groups = Groups(1 << 2);
    pub const CAPTION: Groups = Groups(1 << 3);
    pub const CREDIT: Groups = Groups(1 << 4);
    pub const AUTHOR: Groups = Groups(1 << 5);
    pub const DATE: Groups = Groups(1 << 6);
    pub const COMMENT: Groups = Groups(1 << 7);
    pub const NAVIGATION: Groups = Groups(1 << 8);
    pub const RELATED: Groups = Groups(1 << 9);
    pub const SHARE: Groups = Groups(1 << 10);
    pub const PROMOTION: Groups = Groups(1 << 11);
    pub const FOOTER: Groups = Groups(1 << 12);
    pub const SIDE: Groups = Groups(1 << 13);
    pub const NOTICE: Groups = Groups(1 << 14);
    pub const TAGS: Groups = Groups(1 << 15);
    pub const MEDIA: Groups = Groups(1 << 16);
    pub const FORM: Groups = Groups(1 << 17);
    pub const BOX: Groups = Groups(1 << 18);
    pub const HIDDEN: Groups = Groups(1 << 19);
    /// Names that mean readers' comments on one site and the article on another.
    pub const DISCUSSION: Groups = Groups(1 << 20);
    /// Number of groups.
    pub const COUNT: usize = 21;

    /// Are all bits of `other` set?
    pub fn has(self, other: Groups) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Words of class and id names, lower case, and their group; sorted by word at first use.
const WORDS: &[(Groups, &[&str])] = &[
    (
        Groups::ARTICLE,
        &[
            "article",
            "articlebody",
            "articletext",
            "articlecontent",
            "artikel",
            "articulo",
            "articolo",
            "artigo",
            "story",
            "storybody",
            "body",
            "content",
            "contenido",
            "contenu",
            "contenuto",
            "conteudo",
            "inhalt",
            "entry",
            "post",
            "postbody",
            "postcontent",
            "text",
            "texto",
            "texte",
            "testo",
            "paragraph",
            "absatz",
            "main",
            "news",
            "noticia",
            "maincontent",
            "detail",
            "prose",
            "richtext",
            "rte",
            "longform",
            "page",
        ],
    ),
    (
        Groups::TITLE,
        &[
            "title", "titre", "titulo", "titolo", "titel", "headline", "heading", "header", "hed",
            "kicker", "head", "h1",
        ],
    ),
    (
        Groups::LEAD,
        &[
            "lead",
            "lede",
            "intro",
            "introduction",
            "standfirst",
            "summary",
            "dek",
            "deck",
            "chapo",
            "entradilla",
            "sottotitolo",
            "subtitle",
            "subtitulo",
            "teasertext",
            "abstract",
            "excerpt",
            "vorspann",
            "ingress",
            "manchet",
            "subhead",
            "subheadline",
            "perex",
            "description",
            "sapo",
            "bajada",
            "copete",
        ],
    ),
    (
        Groups::CAPTION,
        &[
            "caption",
            "figcaption",
            "legend",
            "legende",
            "bildunterschrift",
            "didascalia",
            "bildtext",
            "wpcaption",
            "leyenda",
            "pie",
            "alt",
        ],
    ),
    (
        Groups::CREDIT,
        &[
            "credit",
            "credits",
            "copyright",
            "source",
            "photographer",
            "quelle",
            "agency",
            "photocredit",
            "rights",
            "provider",
        ],
    ),
    (
        Groups::AUTHOR,
        &[
            "author",
            "authors",
            "byline",
            "autor",
            "autore",
            "auteur",
            "forfatter",
            "contributor",
            "writer",
            "reporter",
            "vcard",
            "bio",
            "redaction",
            "journalist",
            "signature",
            "firma",
        ],
    ),
    (
        Groups::DATE,
        &[
            "date",
            "datetime",
            "time",
            "timestamp",
            "published",
            "pubdate",
            "updated",
            "datum",
            "fecha",
            "data",
            "dateline",
            "posted",
        ],
    ),
    (
        Groups::COMMENT,
        &[
            "comment",
            "comments",
            "commentlist",
            "kommentar",
            "kommentare",
            "comentario",
            "comentarios",
            "commentaire",
            "commentaires",
            "commenti",
            "disqus",
            "reply",
            "replies",
            "livefyre",
            "kommentarer",
            "komentarze",
            "reacties",
            "pinglun",
        ],
    ),
    (
        Groups::DISCUSSION,
        &[
            "respond",
            "response",
            "responses",
            "discussion",
            "forum",
            "coral",
            "review",
            "reviews",
            "guestbook",
            "thread",
            "answer",
            "answers",
        ],
    ),
    (
        Groups::NAVIGATION,
        &[
            "nav",
            "navbar",
            "navigation",
            "menu",
            "submenu",
            "breadcrumb",
            "breadcrumbs",
            "pagination",
            "pager",
            "paging",
            "toc",
            "tabs",
            "topbar",
            "masthead",
            "mainnav",
            "skip",
            "sitemap",
            "dropdown",
            "hamburger",
            "crumb",
            "crumbs",
            "prev",
            "next",
        ],
    ),
    (
        Groups::RELATED,
        &[
            "related",
            "recommended",
            "recommendation",
            "recommendations",
            "recirc",
            "more",
            "morefrom",
            "readmore",
            "teaser",
            "teasers",
            "popular",
            "trending",
            "mostread",
            "mostpopular",
            "latest",
            "similar",
            "suggested",
            "also",
            "further",
            "outbrain",
            "taboola",
            "zergnet",
            "card",
            "cards",
            "feed",
            "list",
            "listing",
            "relacionadas",
            "relacionados",
            "lire",
            "weitere",
            "lees",
            "topics",
            "topstories",
            "headlines",
            "carousel",
            "slider",
            "grid",
            "promo",
            "onward",
            "archive",
            "archives",
        ],
    ),
    (
        Groups::SHARE,
        &[
            "share",
            "sharing",
            "shares",
            "social",
            "socials",
            "facebook",
            "twitter",
            "whatsapp",
            "addthis",
            "follow",
            "bookmark",
            "print",
            "email",
            "tools",
            "toolbar",
            "actions",
            "action",
            "teilen",
            "partager",
            "compartir",
            "sharedaddy",
            "addtoany",
            "sns",
        ],
    ),
    (
        Groups::PROMOTION,
        &[
            "ad",
            "ads",
            "adv",
            "advert",
            "advertisement",
            "advertising",
            "advertorial",
            "adsense",
            "banner",
            "sponsor",
            "sponsored",
            "commercial",
            "anzeige",
            "werbung",
            "publicidad",
            "publicite",
            "pubblicita",
            "promotion",
            "promo",
            "dfp",
            "gpt",
            "affiliate",
            "shop",
            "deal",
            "deals",
            "offer",
            "subscribe",
            "subscription",
            "newsletter",
            "newsletters",
            "paywall",
            "premium",
            "signup",
            "abo",
            "cta",
            "donate",
            "donation",
            "marketing",
            "product",
        ],
    ),
    (
        Groups::FOOTER,
        &["footer", "foot", "colophon", "bottom", "impressum", "imprint", "fuss", "pied", "legal"],
    ),
    (
        Groups::SIDE,
        &[
            "sidebar",
            "side",
            "aside",
            "rail",
            "right",
            "left",
            "widget",
            "widgets",
            "column",
            "secondary",
            "complementary",
            "marginal",
        ],
    ),
    (
        Groups::NOTICE,
        &[
            "cookie",
            "cookies",
            "consent",
            "gdpr",
            "privacy",
            "notice",
            "disclaimer",
            "alert",
            "popup",
            "modal",
            "overlay",
            "onetrust",
            "cmp",
            "banner",
            "toast",
            "message",
            "warning",
            "correction",
            "login",
            "signin",
            "register",
        ],
    ),
    (
        Groups::TAGS,
        &[
            "tag",
            "tags",
            "taglist",
            "keywords",
            "keyword",
            "category",
            "categories",
            "topic",
            "labels",
            "rubrik",
            "section",
            "meta",
            "metadata",
            "info",
        ],
    ),
    (
        Groups::MEDIA,
        &[
            "image",
            "img",
            "photo",
            "photos",
            "picture",
            "media",
            "figure",
            "gallery",
            "video",
            "player",
            "audio",
            "embed",
            "slideshow",
            "bild",
            "imagen",
            "foto",
            "thumbnail",
            "thumb",
            "infographic",
        ],
    ),
    (
        Groups::FORM,
        &[
            "form",
            "search",
            "input",
            "field",
            "button",
            "btn",
            "select",
            "poll",
            "vote",
            "quiz",
            "rating",
            "suche",
            "buscador",
            "recherche",
        ],
    ),
    (
        Groups::BOX,
        &[
            "box",
            "infobox",
            "factbox",
            "module",
            "block",
            "panel",
            "inline",
            "insert",
            "fact",
            "facts",
            "sidebox",
            "callout",
            "pullquote",
            "quote",
            "note",
            "readalso",
            "hint",
        ],
    ),
    (
        Groups::HIDDEN,
        &[
            "hidden",
            "hide",
            "invisible",
            "offscreen",
            "sr",
            "visuallyhidden",
            "screenreader",
            "assistive",
            "collapsed",
            "noprint",
        ],
    ),
];

/// Groups of the words in class or id names (`articleBody`, `entry-content`, `comment_list`).
pub(super) fn groups(names: &str) -> Groups {
    let mut found = Groups::default();
    // Framework names with hundreds of characters say nothing more at their end.
    let bytes = &names.as_bytes()[..names.len().min(512)];
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        while at < bytes.len()
            && (bytes[at].is_ascii_lowercase()
                || bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_uppercase())
        {
            at += 1;
        }
        found.0 |= word_groups(&bytes[start..at]);
    }
    found
}

/// The groups of one word, looked up in a table built at first use.
fn word_groups(word: &[u8]) -> u32 {
    const LONGEST: usize = 18;
    static TABLE: std::sync::OnceLock<Vec<(u64, u32)>> = std::sync::OnceLock::new();
    if word.len() < 2 || word.len() > LONGEST {
        return 0;
    }
    let table = TABLE.get_or_init(|| {
        let mut slots = vec![(0u64, 0u32); 2048];
        for (group, words) in WORDS {
            for word in *words {
                let hash = hash(word.as_bytes());
                let mut at = hash as usize % slots.len();
                while slots[at].1 != 0 && slots[at].0 != hash {
                    at = (at + 1) % slots.len();
                }
                slots[at] = (hash, slots[at].1 | group.0);
            }
        }
        slots
    });
    let hash = hash(word);
    let mut at = hash as usize % table.len();
    loop {
        let (found, groups) = table[at];
        if groups == 0 || found == hash {
            return groups;
        }
        at = (at + 1) % table.len();
    }
}

fn hash(word: &[u8]) -> u64 {
    let mixed = word.iter().fold(0u64, |h, b| {
        (h.rotate_left(5) ^ u64::from(b.to_ascii_lowercase())).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    mixed ^ mixed >> 32
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
pub(super) fn matters(element: &Element) -> bool {
    !element.attrs.is_empty() && element.tag != local_name!("a")
}

impl Context {
    /// The context inside of an element.
    pub(super) fn within(&self, id: Id, element: &Element, bounds: bool) -> Context {
        let mut inner = self.clone();
        inner.flags |= tag_flags(element);
        let mut own = Groups::default();
        for a in &element.attrs {
            match a.name.local {
                local_name!("class") | local_name!("id") => own.0 |= groups(&a.value).0,
                local_name!("hidden") => inner.flags |= Flags::HIDDEN,
                local_name!("aria-hidden") if &*a.value == "true" => inner.flags |= Flags::HIDDEN,
                local_name!("style") if hides(&a.value) => inner.flags |= Flags::HIDDEN,
                local_name!("role") => inner.flags |= role_flags(&a.value),
                local_name!("itemprop") if a.value.contains("articleBody") => {
                    inner.flags |= Flags::BODY;
                }
                _ => {}
            }
        }
        if bounds {
            inner.container = id;
            inner.depth = inner.depth.saturating_add(1);
            inner.own = own;
            if let local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6") = element.tag
            {
                inner.heading = element.tag.as_bytes()[1] - b'0';
            }
        } else {
            inner.own.0 |= own.0;
        }
        inner.above.0 |= own.0;
        // `<body class="comments-open">` and the like speak of the page, not of a place.
        let of_page = matches!(element.tag, local_name!("body") | local_name!("html"));
        if of_page {
            (inner.own, inner.above) = (Groups::default(), Groups::default());
        } else if bounds && own.has(Groups::COMMENT) && !own.has(Groups::ARTICLE) {
            inner.flags |= Flags::COMMENTS;
        }
        inner
    }
}

fn tag_flags(element: &Element) -> Flags {
    match element.tag {
        local_name!("article") => Flags::ARTICLE,
        local_name!("main") => Flags::MAIN,
        local_name!("nav") => Flags::NAV,
        local_name!("aside") => Flags::ASIDE,
        local_name!("header") => Flags::HEADER,
        local_name!("footer") => Flags::FOOTER,
        local_name!("figure") => Flags::FIGURE,
        local_name!("figcaption") => Flags::FIGCAPTION,
        local_name!("ul") | local_name!("ol") | local_name!("dl") => Flags::LIST,
        local_name!("table") => Flags::TABLE,
        local_name!("form") => Flags::FORM,
        local_name!("button") => Flags::BUTTON,
        local_name!("blockquote") => Flags::QUOTE,
        local_name!("noscript") => Flags::NOSCRIPT,
        local_name!("dialog") => Flags::DIALOG,
        local_name!("p") => Flags::PARAGRAPH,
        local_name!("address") => Flags::ADDRESS,
        local_name!("pre") => Flags::PREFORMATTED,
        _ => Flags::default(),
    }
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

/// Does an inline style hide the element?
fn hides(style: &str) -> bool {
    let value_is = |property: &str, value: &str| {
        style.split_once(property).is_some_and(|(_, rest)| {
            rest.trim_start().strip_prefix(':').is_some_and(|v| v.trim_start().starts_with(value))
        })
    };
    value_is("display", "none") || value_is("visibility", "hidden")
}
