//! What tree construction has to know of each element's name: sets of elements as bits
//! (WHATWG HTML §13.2.4.2 and §13.2.6.3).

use super::name::{COUNT, name};
use super::{Name, Space};

/// Category "special".
pub(super) const SPECIAL: u16 = 1;
/// Ends a scope.
pub(super) const SCOPE: u16 = 2;
/// Ends list item scope beside [`SCOPE`].
pub(super) const LIST: u16 = 4;
/// Ends button scope beside [`SCOPE`].
pub(super) const BUTTON: u16 = 8;
/// Ends table scope.
pub(super) const TABLE: u16 = 16;
/// Its end tag may be implied.
pub(super) const IMPLIED: u16 = 32;
/// Its end tag may be implied where all are, at the end of a template.
pub(super) const THOROUGH: u16 = 64;
/// Content that stands here by mistake goes before the table.
pub(super) const FOSTER: u16 = 128;
pub(super) const HEADING: u16 = 256;
/// Never holds anything (WHATWG HTML §13.1.2).
pub(super) const VOID: u16 = 512;
/// Ends at its own end tag, whatever the tree.
pub(super) const RAW: u16 = 1024;
/// A drawing's element, which in a drawing holds nothing but drawing.
pub(super) const DRAWING: u16 = 2048;
/// A place for text in MathML (§13.2.6).
pub(super) const TEXT_POINT: u16 = 4096;
/// A place for HTML in SVG (§13.2.6).
pub(super) const HTML_POINT: u16 = 8192;

const SETS: &[(u16, &[Name])] = &[
    (
        SPECIAL,
        &[
            name!("address"),
            name!("applet"),
            name!("area"),
            name!("article"),
            name!("aside"),
            name!("base"),
            name!("basefont"),
            name!("bgsound"),
            name!("blockquote"),
            name!("body"),
            name!("br"),
            name!("button"),
            name!("caption"),
            name!("center"),
            name!("col"),
            name!("colgroup"),
            name!("dd"),
            name!("details"),
            name!("dir"),
            name!("div"),
            name!("dl"),
            name!("dt"),
            name!("embed"),
            name!("fieldset"),
            name!("figcaption"),
            name!("figure"),
            name!("footer"),
            name!("form"),
            name!("frame"),
            name!("frameset"),
            name!("h1"),
            name!("h2"),
            name!("h3"),
            name!("h4"),
            name!("h5"),
            name!("h6"),
            name!("head"),
            name!("header"),
            name!("hgroup"),
            name!("hr"),
            name!("html"),
            name!("iframe"),
            name!("img"),
            name!("input"),
            name!("keygen"),
            name!("li"),
            name!("link"),
            name!("listing"),
            name!("main"),
            name!("marquee"),
            name!("menu"),
            name!("meta"),
            name!("nav"),
            name!("noembed"),
            name!("noframes"),
            name!("noscript"),
            name!("object"),
            name!("ol"),
            name!("p"),
            name!("param"),
            name!("plaintext"),
            name!("pre"),
            name!("script"),
            name!("search"),
            name!("section"),
            name!("select"),
            name!("source"),
            name!("style"),
            name!("summary"),
            name!("table"),
            name!("tbody"),
            name!("td"),
            name!("template"),
            name!("textarea"),
            name!("tfoot"),
            name!("th"),
            name!("thead"),
            name!("title"),
            name!("tr"),
            name!("track"),
            name!("ul"),
            name!("wbr"),
            name!("xmp"),
        ],
    ),
    (
        SCOPE,
        &[
            name!("applet"),
            name!("caption"),
            name!("html"),
            name!("table"),
            name!("td"),
            name!("th"),
            name!("marquee"),
            name!("object"),
            name!("select"),
            name!("template"),
        ],
    ),
    (LIST, &[name!("ol"), name!("ul")]),
    (BUTTON, &[name!("button")]),
    (TABLE, &[name!("html"), name!("table"), name!("template")]),
    (
        IMPLIED,
        &[
            name!("dd"),
            name!("dt"),
            name!("li"),
            name!("optgroup"),
            name!("option"),
            name!("p"),
            name!("rb"),
            name!("rp"),
            name!("rt"),
            name!("rtc"),
        ],
    ),
    (
        THOROUGH,
        &[
            name!("dd"),
            name!("dt"),
            name!("li"),
            name!("optgroup"),
            name!("option"),
            name!("p"),
            name!("rb"),
            name!("rp"),
            name!("rt"),
            name!("rtc"),
            name!("caption"),
            name!("colgroup"),
            name!("tbody"),
            name!("td"),
            name!("tfoot"),
            name!("th"),
            name!("thead"),
            name!("tr"),
        ],
    ),
    (FOSTER, &[name!("table"), name!("tbody"), name!("tfoot"), name!("thead"), name!("tr")]),
    (HEADING, &[name!("h1"), name!("h2"), name!("h3"), name!("h4"), name!("h5"), name!("h6")]),
    (
        VOID,
        &[
            name!("area"),
            name!("base"),
            name!("br"),
            name!("col"),
            name!("embed"),
            name!("hr"),
            name!("img"),
            name!("input"),
            name!("link"),
            name!("meta"),
            name!("source"),
            name!("track"),
            name!("wbr"),
        ],
    ),
    (
        RAW,
        &[
            name!("script"),
            name!("style"),
            name!("title"),
            name!("textarea"),
            name!("iframe"),
            name!("noembed"),
            name!("noframes"),
            name!("xmp"),
        ],
    ),
    (
        DRAWING,
        &[
            name!("a"),
            name!("animate"),
            name!("animatemotion"),
            name!("animatetransform"),
            name!("circle"),
            name!("clippath"),
            name!("defs"),
            name!("ellipse"),
            name!("filter"),
            name!("g"),
            name!("image"),
            name!("line"),
            name!("lineargradient"),
            name!("marker"),
            name!("mask"),
            name!("path"),
            name!("pattern"),
            name!("polygon"),
            name!("polyline"),
            name!("radialgradient"),
            name!("rect"),
            name!("set"),
            name!("stop"),
            name!("switch"),
            name!("symbol"),
            name!("text"),
            name!("tspan"),
            name!("use"),
            name!("view"),
            name!("feblend"),
            name!("fecolormatrix"),
            name!("fecomponenttransfer"),
            name!("fecomposite"),
            name!("feconvolvematrix"),
            name!("fediffuselighting"),
            name!("fedisplacementmap"),
            name!("fedistantlight"),
            name!("fedropshadow"),
            name!("feflood"),
            name!("fefunca"),
            name!("fefuncb"),
            name!("fefuncg"),
            name!("fefuncr"),
            name!("fegaussianblur"),
            name!("feimage"),
            name!("femerge"),
            name!("femergenode"),
            name!("femorphology"),
            name!("feoffset"),
            name!("fepointlight"),
            name!("fespecularlighting"),
            name!("fespotlight"),
            name!("fetile"),
            name!("feturbulence"),
        ],
    ),
];

static CLASS: [u16; COUNT] = {
    let mut class = [0; COUNT];
    let mut set = 0;
    while set < SETS.len() {
        let (bit, names) = SETS[set];
        let mut at = 0;
        while at < names.len() {
            class[names[at].index()] |= bit;
            at += 1;
        }
        set += 1;
    }
    class
};

/// The sets that an HTML element of this name is in.
#[inline]
pub(super) fn html(name: Name) -> u16 {
    CLASS.get(name.index()).copied().unwrap_or(0)
}

/// The sets that an element is in.
#[inline]
pub(super) fn of(name: Name, space: Space) -> u16 {
    match (space, name) {
        (Space::Html, _) => html(name),
        (Space::MathMl, name!("mi") | name!("mo") | name!("mn") | name!("ms") | name!("mtext")) => {
            SPECIAL | SCOPE | TEXT_POINT
        }
        (Space::MathMl, name!("annotation-xml")) => SPECIAL | SCOPE,
        (Space::Svg, name!("foreignObject") | name!("desc") | name!("title")) => {
            SPECIAL | SCOPE | HTML_POINT
        }
        _ => 0,
    }
}
