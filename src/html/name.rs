//! Names of elements and attributes as small integers.
//!
//! One table serves both (`title` is both). Names that it lacks get numbers of their own, page by
//! page, in [`Names`]. Must not know: trees, rules of the parser.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// A name: an index into the table of known names or, after its end, into [`Names`] of one page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Name(u16);

/// Makes the table, a constant for each name, and the macro `name!("p")` for patterns.
macro_rules! names {
    ($($constant:ident $text:tt)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($constant),* }

        impl Name {
            $(pub const $constant: Name = Name(Index::$constant as u16);)*
        }

        /// Texts of the known names.
        const KNOWN: &[&str] = &[$($text),*];

        /// The [`Name`] of a text that is known when this is compiled, also as a pattern.
        macro_rules! name {
            $(($text) => { $crate::html::Name::$constant };)*
        }
    };
}

names! {
    A "a" ABBR "abbr" ACCEPT "accept" ACRONYM "acronym" ACTION "action" ADDRESS "address"
    ALIGN "align" ALT "alt" ALTGLYPH "altglyph" ALTGLYPHDEF "altglyphdef"
    ALTGLYPHITEM "altglyphitem" AMP "amp" ANIMATE "animate" ANIMATECOLOR "animatecolor"
    ANIMATEMOTION "animatemotion" ANIMATETRANSFORM "animatetransform" ANNOTATION "annotation"
    ANNOTATION_XML "annotation-xml" APPLET "applet" AREA "area"
    ARIA_DESCRIBEDBY "aria-describedby" ARIA_EXPANDED "aria-expanded" ARIA_HIDDEN "aria-hidden"
    ARIA_LABEL "aria-label" ARIA_LABELLEDBY "aria-labelledby" ARTICLE "article" ASIDE "aside"
    ASYNC "async" AUDIO "audio" AUTOCOMPLETE "autocomplete" B "b" BASE "base" BASEFONT "basefont"
    BDI "bdi" BDO "bdo" BGCOLOR "bgcolor" BGSOUND "bgsound" BIG "big" BLINK "blink"
    BLOCKQUOTE "blockquote" BODY "body" BORDER "border" BR "br" BUTTON "button" CANVAS "canvas"
    CAPTION "caption" CELLPADDING "cellpadding" CELLSPACING "cellspacing" CENTER "center"
    CHARSET "charset" CIRCLE "circle" CITE "cite" CLASS "class" CLIPPATH "clippath" CODE "code"
    COL "col" COLGROUP "colgroup" COLOR "color" COLS "cols" COMMENT "comment" CONTENT "content" CONTROLS "controls"
    COORDS "coords" CROSSORIGIN "crossorigin" D "d" DATA "data" DATA_COMPONENT "data-component" DATA_QA "data-qa"
    DATA_TESTID "data-testid" DATA_SRC "data-src"
    DATA_SRCSET "data-srcset" DATALIST "datalist" DATETIME "datetime" DD "dd" DEFS "defs"
    DEL "del" DESC "desc" DETAILS "details" DFN "dfn" DIALOG "dialog" DIR "dir"
    DISABLED "disabled" DIV "div" DL "dl" DT "dt" ELLIPSE "ellipse" EM "em" EMBED "embed"
    ENCODING "encoding" FACE "face" FEBLEND "feblend" FECOLORMATRIX "fecolormatrix"
    FECOMPONENTTRANSFER "fecomponenttransfer" FECOMPOSITE "fecomposite"
    FECONVOLVEMATRIX "feconvolvematrix" FEDIFFUSELIGHTING "fediffuselighting"
    FEDISPLACEMENTMAP "fedisplacementmap" FEDISTANTLIGHT "fedistantlight"
    FEDROPSHADOW "fedropshadow" FEFLOOD "feflood" FEFUNCA "fefunca" FEFUNCB "fefuncb"
    FEFUNCG "fefuncg" FEFUNCR "fefuncr" FEGAUSSIANBLUR "fegaussianblur" FEIMAGE "feimage"
    FEMERGE "femerge" FEMERGENODE "femergenode" FEMORPHOLOGY "femorphology" FEOFFSET "feoffset"
    FEPOINTLIGHT "fepointlight" FESPECULARLIGHTING "fespecularlighting" FESPOTLIGHT "fespotlight"
    FETILE "fetile" FETURBULENCE "feturbulence" FIELDSET "fieldset" FIGCAPTION "figcaption"
    FIGURE "figure" FILL "fill" FILTER "filter" FONT "font" FOOTER "footer" FOR "for"
    FOREIGNOBJECT "foreignobject" FORM "form" FRAME "frame" FRAMESET "frameset" G "g"
    GLYPHREF "glyphref" H1 "h1" H2 "h2" H3 "h3" H4 "h4" H5 "h5" H6 "h6" HEAD "head"
    HEADER "header" HEIGHT "height" HGROUP "hgroup" HIDDEN "hidden" HR "hr" HREF "href"
    HREFLANG "hreflang" HTML "html" HTTP_EQUIV "http-equiv" I "i" ID "id" IFRAME "iframe"
    IMAGE "image" IMG "img" INPUT "input" INS "ins" INTEGRITY "integrity" ISINDEX "isindex"
    ITEMID "itemid" ITEMPROP "itemprop" ITEMREF "itemref" ITEMSCOPE "itemscope"
    ITEMTYPE "itemtype" KBD "kbd" KEYGEN "keygen" LABEL "label" LANG "lang" LEGEND "legend"
    LI "li" LINE "line" LINEARGRADIENT "lineargradient" LINK "link" LISTING "listing"
    LOADING "loading" MAIN "main" MALIGNMARK "malignmark" MAP "map" MARK "mark" MARKER "marker"
    MARQUEE "marquee" MASK "mask" MATH "math" MAXLENGTH "maxlength" MEDIA "media" MENU "menu"
    MENUITEM "menuitem" META "meta" METADATA "metadata" METER "meter" METHOD "method"
    MGLYPH "mglyph" MI "mi" MN "mn" MO "mo" MS "ms" MTEXT "mtext" NAME "name" NAV "nav"
    NOBR "nobr" NOEMBED "noembed" NOFRAMES "noframes" NOSCRIPT "noscript" OBJECT "object" OL "ol"
    ONCLICK "onclick" OPTGROUP "optgroup" OPTION "option" OUTPUT "output" P "p" PARAM "param"
    PATH "path" PATTERN "pattern" PICTURE "picture" PLACEHOLDER "placeholder"
    PLAINTEXT "plaintext" POLYGON "polygon" POLYLINE "polyline" POPOVER "popover" PRE "pre"
    PROGRESS "progress"
    PROPERTY "property" Q "q" RADIALGRADIENT "radialgradient" RB "rb" RECT "rect" REL "rel"
    ROLE "role" ROWS "rows" RP "rp" RT "rt" RTC "rtc" RUBY "ruby" S "s" SAMP "samp"
    SCRIPT "script" SEARCH "search" SECTION "section" SELECT "select"
    SELECTEDCONTENT "selectedcontent" SET "set" SHADOWROOTMODE "shadowrootmode" SHAPE "shape"
    SIZE "size" SIZES "sizes" SLOT "slot" SMALL "small" SOURCE "source" SPAN "span" SRC "src"
    SRCSET "srcset" STOP "stop" STRIKE "strike" STROKE "stroke" STRONG "strong" STYLE "style"
    SUB "sub" SUMMARY "summary" SUP "sup" SVG "svg" SWITCH "switch" SYMBOL "symbol"
    TABINDEX "tabindex" TABLE "table" TARGET "target" TBODY "tbody" TD "td" TEMPLATE "template"
    TEXT "text" TEXTAREA "textarea" TEXTPATH "textpath" TFOOT "tfoot" TH "th" THEAD "thead"
    TIME "time" TITLE "title" TR "tr" TRACK "track" TSPAN "tspan" TT "tt" TYPE "type" U "u"
    UL "ul" USE "use" VALIGN "valign" VALUE "value" VAR "var" VIDEO "video" VIEW "view"
    VIEWBOX "viewbox" WBR "wbr" WIDTH "width" XLINK_HREF "xlink:href" XML_LANG "xml:lang"
    XMLNS "xmlns" XMP "xmp" ALT_GLYPH "altGlyph" ALT_GLYPH_DEF "altGlyphDef"
    ALT_GLYPH_ITEM "altGlyphItem" ANIMATE_COLOR "animateColor" ANIMATE_MOTION "animateMotion"
    ANIMATE_TRANSFORM "animateTransform" CLIP_PATH "clipPath" FE_BLEND "feBlend"
    FE_COLOR_MATRIX "feColorMatrix" FE_COMPONENT_TRANSFER "feComponentTransfer"
    FE_COMPOSITE "feComposite" FE_CONVOLVE_MATRIX "feConvolveMatrix"
    FE_DIFFUSE_LIGHTING "feDiffuseLighting" FE_DISPLACEMENT_MAP "feDisplacementMap"
    FE_DISTANT_LIGHT "feDistantLight" FE_DROP_SHADOW "feDropShadow" FE_FLOOD "feFlood"
    FE_FUNC_A "feFuncA" FE_FUNC_B "feFuncB" FE_FUNC_G "feFuncG" FE_FUNC_R "feFuncR"
    FE_GAUSSIAN_BLUR "feGaussianBlur" FE_IMAGE "feImage" FE_MERGE "feMerge"
    FE_MERGE_NODE "feMergeNode" FE_MORPHOLOGY "feMorphology" FE_OFFSET "feOffset"
    FE_POINT_LIGHT "fePointLight" FE_SPECULAR_LIGHTING "feSpecularLighting"
    FE_SPOT_LIGHT "feSpotLight" FE_TILE "feTile" FE_TURBULENCE "feTurbulence"
    FOREIGN_OBJECT "foreignObject" GLYPH_REF "glyphRef" LINEAR_GRADIENT "linearGradient"
    RADIAL_GRADIENT "radialGradient" TEXT_PATH "textPath"
}

pub(crate) use name;

/// How many names are known beforehand.
pub(super) const COUNT: usize = KNOWN.len();

const SLOTS: usize = 2048;

/// Slot → known name plus one; 0 is empty. Open addressing.
static TABLE: [u16; SLOTS] = table();
static KEYS: [u64; COUNT] = keys();

impl Name {
    /// Its position in tables by name: known names stand first, those of the page alone behind them.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Is it known beforehand? Elements of no standard are not.
    #[inline]
    pub const fn is_known(self) -> bool {
        self.index() < COUNT
    }

    /// The bit of attributes that are not asked for most.
    pub const OTHERS: u16 = 128;

    /// The bit of an attribute in the summary that each tag has of its attributes: one for each of
    /// those that are asked for most, one for three that tests of a site name elements by, one for all others.
    #[inline]
    pub const fn bit(self) -> u16 {
        match self {
            name!("class") => 1,
            name!("id") => 2,
            name!("style") => 4,
            name!("href") => 8,
            name!("itemprop") => 16,
            name!("role") => 32,
            name!("hidden") => 64,
            name!("aria-hidden") => 256,
            name!("align") => 512,
            name!("rel") => 1024,
            name!("popover") => 4096,
            name!("data-testid") | name!("data-qa") | name!("data-component") => 2048,
            _ => Name::OTHERS,
        }
    }

    /// Its key (see [`push`]), if it is known beforehand.
    #[inline]
    pub(super) fn key(self) -> Option<u64> {
        KEYS.get(self.index()).copied()
    }

    /// Is it the name with this key and text?
    #[inline]
    pub(super) fn reads(self, key: u64, text: &[u8]) -> bool {
        KEYS.get(self.index()) == Some(&key)
            && KNOWN[self.index()].len() == text.len()
            && (text.len() <= 8 || KNOWN[self.index()].as_bytes().eq_ignore_ascii_case(text))
    }

    /// The known name with this key (see [`push`]), length and text in any case.
    #[inline]
    pub(super) fn find(key: u64, text: &[u8]) -> Option<Name> {
        let mut slot = slot(key, text.len());
        loop {
            let index = (TABLE[slot] as usize).checked_sub(1)?;
            if KEYS[index] == key
                && KNOWN[index].len() == text.len()
                && (text.len() <= 8 || KNOWN[index].as_bytes().eq_ignore_ascii_case(text))
            {
                return Some(Name(index as u16));
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// The known name with this text in lower case.
    pub fn known(text: &str) -> Option<Name> {
        Name::find(key(text.as_bytes()), text.as_bytes())
    }
}

/// The key of a name is its last eight bytes in lower case: this adds one.
#[inline]
pub(super) const fn push(key: u64, byte: u8) -> u64 {
    key << 8 | byte as u64
}

/// The same of a key; of a longer name with the key of one of those also.
#[inline]
pub(super) fn present_bit(attribute: u64) -> u16 {
    const CLASS: u64 = key(b"class");
    const ID: u64 = key(b"id");
    const STYLE: u64 = key(b"style");
    const HREF: u64 = key(b"href");
    const ITEMPROP: u64 = key(b"itemprop");
    const ROLE: u64 = key(b"role");
    const HIDDEN: u64 = key(b"hidden");
    const ARIA_HIDDEN: u64 = key(b"aria-hidden");
    const ALIGN: u64 = key(b"align");
    const REL: u64 = key(b"rel");
    const POPOVER: u64 = key(b"popover");
    const TESTID: u64 = key(b"data-testid");
    const QA: u64 = key(b"data-qa");
    const COMPONENT: u64 = key(b"data-component");
    match attribute {
        CLASS => 1,
        ID => 2,
        STYLE => 4,
        HREF => 8,
        // Longer names may end so.
        ITEMPROP => 16 | 128,
        ROLE => 32,
        HIDDEN => 64,
        ARIA_HIDDEN => 256 | 128,
        ALIGN => 512,
        REL => 1024,
        POPOVER => 4096,
        TESTID | COMPONENT => 2048 | 128,
        QA => 2048,
        _ => 128,
    }
}

const fn key(text: &[u8]) -> u64 {
    let mut key = 0;
    let mut at = 0;
    while at < text.len() {
        key = push(key, text[at]);
        at += 1;
    }
    key
}

#[inline]
const fn slot(key: u64, length: usize) -> usize {
    (key.wrapping_add(length as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 53) as usize
}

const fn keys() -> [u64; COUNT] {
    let mut keys = [0; COUNT];
    let mut index = 0;
    while index < COUNT {
        keys[index] = key(KNOWN[index].as_bytes());
        index += 1;
    }
    keys
}

const fn table() -> [u16; SLOTS] {
    let mut table = [0; SLOTS];
    let mut index = 0;
    while index < COUNT {
        let text = KNOWN[index].as_bytes();
        let mut slot = slot(key(text), text.len());
        while table[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = index as u16 + 1;
        index += 1;
    }
    table
}

/// The names of one page that are not known beforehand, such as those of custom elements.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u16, RandomState>,
}

impl Names {
    /// The text of any name.
    pub(super) fn text(&self, name: Name) -> &str {
        match KNOWN.get(name.index()) {
            Some(text) => text,
            None => self.texts.get(name.index() - COUNT).map_or("", |text| text),
        }
    }

    /// The name with this text; `None` when a page has more names than there are numbers.
    pub(super) fn add(&mut self, text: &str) -> Option<Name> {
        if let Some(known) = Name::known(text) {
            return Some(known);
        }
        if let Some(&number) = self.numbers.get(text) {
            return Some(Name(number));
        }
        let number = u16::try_from(COUNT + self.texts.len()).ok()?;
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        Some(Name(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_is_found() {
        // Names with capitals are those of SVG, never looked for by their text.
        let capitals = |text: &str| text.contains(|c: char| c.is_ascii_uppercase());
        for (index, text) in KNOWN.iter().enumerate().filter(|(_, text)| !capitals(text)) {
            assert_eq!(Name::known(text), Some(Name(index as u16)), "{text}");
        }
        assert_eq!(Name::find(key(b"blockquote"), b"BlockQuote"), Some(name!("blockquote")));
    }

    #[test]
    fn other_names_get_numbers_of_their_own() {
        let mut names = Names::default();
        let widget = names.add("x-widget");
        assert_eq!(names.add("p"), Some(name!("p")));
        assert_ne!(names.add("x-other"), widget);
        assert_eq!(names.add("x-widget"), widget);
        assert_eq!(widget.map(|name| names.text(name)), Some("x-widget"));
    }
}
