//! What each element does to the text around it, per segmentation profile.

use super::*;

/// How a page is cut into blocks. The profile is part of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Every element that is not inline bounds a block, and so does a double line break.
    #[default]
    Modern,
    /// Ziegler & Skubacz 2007 Fig. 2: elements removed with space, without space, or pruned; all
    /// others bound blocks.
    Ziegler2007,
    /// Every text node is a block, nothing is pruned (baseline TB of their Tab. 1).
    Text,
    /// Gibson et al. 2007 §5: every element but a list of inline ones bounds blocks, line breaks
    /// and pictures included.
    Gibson2007,
    /// Spengler & Gallinari 2009 §2: each visible leaf of the tree, text node or picture, is a
    /// unit of its own.
    Leaf2009,
}

impl Profile {
    /// All of them.
    pub const ALL: [Profile; 5] = [
        Profile::Modern,
        Profile::Ziegler2007,
        Profile::Text,
        Profile::Gibson2007,
        Profile::Leaf2009,
    ];

    /// The name on the command line and in model cards.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Modern => "modern",
            Profile::Ziegler2007 => "ziegler2007",
            Profile::Text => "text",
            Profile::Gibson2007 => "gibson2007",
            Profile::Leaf2009 => "leaf2009",
        }
    }
}

impl std::str::FromStr for Profile {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        Profile::ALL.into_iter().find(|p| p.name() == s).ok_or_else(|| {
            let known = Profile::ALL.map(Profile::name).join(", ");
            format!("there is no profile `{s}`; known: {known}")
        })
    }
}

/// What an element does to the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Ends the block before it and the block within it.
    Bound,
    /// Part of the running text, without white space.
    Inline,
    /// Part of the running text, stands for a blank.
    Space,
    /// A line break.
    Break,
    /// Counted as a picture before what follows; has no text.
    Image,
    /// Left out with all below it.
    Prune,
}

impl Profile {
    /// The role of an element under this profile.
    pub fn role(self, dom: &Dom, id: Id, element: Element<'_>) -> Role {
        match self {
            Profile::Text => Role::Bound,
            Profile::Ziegler2007 => ziegler2007(element),
            Profile::Modern => modern(dom, id, element),
            Profile::Gibson2007 => gibson2007(element),
            Profile::Leaf2009 => leaf2009(dom, id, element),
        }
    }
}

#[inline]
fn modern(dom: &Dom, id: Id, element: Element<'_>) -> Role {
    if !is_html(element) {
        return if element.space == Space::MathMl { Role::Inline } else { Role::Prune };
    }
    let role = match element.tag {
        name!("a")
        | name!("abbr")
        | name!("acronym")
        | name!("b")
        | name!("bdi")
        | name!("bdo")
        | name!("big")
        | name!("blink")
        | name!("cite")
        | name!("code")
        | name!("data")
        | name!("del")
        | name!("dfn")
        | name!("em")
        | name!("font")
        | name!("i")
        | name!("ins")
        | name!("kbd")
        | name!("label")
        | name!("mark")
        | name!("nobr")
        | name!("output")
        | name!("q")
        | name!("rb")
        | name!("ruby")
        | name!("s")
        | name!("samp")
        | name!("small")
        | name!("span")
        | name!("strike")
        | name!("strong")
        | name!("sub")
        | name!("sup")
        | name!("time")
        | name!("tt")
        | name!("u")
        | name!("var")
        | name!("wbr") => Role::Inline,
        name!("br") => return Role::Break,
        name!("img") | name!("picture") | name!("video") => return Role::Image,
        name!("script")
        | name!("style")
        | name!("head")
        | name!("title")
        | name!("iframe")
        | name!("select")
        | name!("option")
        | name!("datalist")
        | name!("textarea")
        | name!("input")
        | name!("audio")
        | name!("canvas")
        | name!("object")
        | name!("embed")
        | name!("map")
        | name!("rp")
        | name!("rt")
        | name!("rtc")
        | name!("meta")
        | name!("link")
        | name!("noembed")
        | name!("noframes") => return Role::Prune,
        name!("template") => {
            // A declarative shadow root is rendered, any other template is not.
            let shown = dom.attr(id, "shadowrootmode").is_some();
            return if shown { Role::Bound } else { Role::Prune };
        }
        tag if !tag.is_known() => custom(dom, id),
        _ => return Role::Bound,
    };
    if role == Role::Inline && shown_as_block(element) { Role::Bound } else { role }
}

/// What a browser shows, without its style sheets: the roles of *modern*, which tell what stands in
/// one line, less what markup hides; frames are leaves, as what they show is not in the page.
fn leaf2009(dom: &Dom, id: Id, element: Element<'_>) -> Role {
    match element.tag {
        _ if context::is_hidden(element) => Role::Prune,
        name!("noscript") => Role::Prune,
        name!("iframe") => Role::Image,
        name!("picture") => Role::Inline,
        _ => modern(dom, id, element),
    }
}

/// Elements that no standard knows, custom ones among them, are inline by default and containers by custom: inline only
/// amid running text.
fn custom(dom: &Dom, id: Id) -> Role {
    let beside = [dom.prev_sibling(id), dom.next_sibling(id)];
    let amid =
        beside.into_iter().flatten().any(|n| dom.text(n).is_some_and(|t| !t.trim().is_empty()));
    if dom.name(id).ends_with("-img") {
        Role::Image
    } else if amid {
        Role::Inline
    } else {
        Role::Bound
    }
}

/// Does an inline style turn an inline element into a block?
fn shown_as_block(element: Element<'_>) -> bool {
    element.value(name!("style")).is_some_and(|style| {
        style.split_once("display").is_some_and(|(_, rest)| {
            let value = rest.trim_start_matches([' ', ':']);
            value.starts_with("block") || value.starts_with("flex") || value.starts_with("grid")
        })
    })
}

/// Fig. 2 of Ziegler & Skubacz 2007. Of elements named twice, CITE and SAMP are removed with space
/// and FRAMESET is pruned; "H.L" is HTML.
fn ziegler2007(element: Element<'_>) -> Role {
    match element.tag {
        name!("br")
        | name!("caption")
        | name!("center")
        | name!("cite")
        | name!("dd")
        | name!("div")
        | name!("dl")
        | name!("dt")
        | name!("frame")
        | name!("hr")
        | name!("html")
        | name!("label")
        | name!("li")
        | name!("nobr")
        | name!("ol")
        | name!("p")
        | name!("pre")
        | name!("s")
        | name!("samp")
        | name!("u")
        | name!("ul")
        | name!("wbr")
        | name!("xmp") => Role::Space,
        name!("a")
        | name!("b")
        | name!("big")
        | name!("blink")
        | name!("em")
        | name!("font")
        | name!("form")
        | name!("i")
        | name!("small")
        | name!("span")
        | name!("strike")
        | name!("strong")
        | name!("sub")
        | name!("sup")
        | name!("var") => Role::Inline,
        name!("address")
        | name!("applet")
        | name!("area")
        | name!("base")
        | name!("bgsound")
        | name!("button")
        | name!("col")
        | name!("colgroup")
        | name!("del")
        | name!("dir")
        | name!("embed")
        | name!("fieldset")
        | name!("frameset")
        | name!("head")
        | name!("input")
        | name!("ins")
        | name!("listing")
        | name!("map")
        | name!("option")
        | name!("script")
        | name!("style")
        | name!("textarea") => Role::Prune,
        name!("img") => Role::Image,
        name!("comment") => Role::Prune,
        _ => Role::Bound,
    }
}

/// §5 of Gibson et al. 2007. What they do not name because it is younger, or has no words of the
/// page (templates, frames' stand-in text, drawings), is left out as scripts and styles are.
fn gibson2007(element: Element<'_>) -> Role {
    if !is_html(element) {
        return if element.space == Space::MathMl { Role::Bound } else { Role::Prune };
    }
    match element.tag {
        name!("a")
        | name!("ins")
        | name!("del")
        | name!("span")
        | name!("bdo")
        | name!("em")
        | name!("strong")
        | name!("dfn")
        | name!("code")
        | name!("samp")
        | name!("kbd")
        | name!("var")
        | name!("cite")
        | name!("abbr")
        | name!("acronym")
        | name!("q")
        | name!("sub")
        | name!("sup")
        | name!("tt")
        | name!("i")
        | name!("b")
        | name!("big")
        | name!("small")
        | name!("u")
        | name!("s")
        | name!("strike")
        | name!("basefont")
        | name!("font") => Role::Inline,
        name!("img") => Role::Image,
        name!("script")
        | name!("style")
        | name!("title")
        | name!("template")
        | name!("iframe")
        | name!("noembed")
        | name!("noframes") => Role::Prune,
        _ => Role::Bound,
    }
}

/// How an element counts in the three structural ratios.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TagClass {
    pub(super) format: u16,
    pub(super) list: u16,
    pub(super) structuring: u16,
}

/// Tag classes of Ziegler & Skubacz 2007 §3.4; an `align` attribute structures too.
pub(super) fn tag_class(element: Element<'_>) -> TagClass {
    let mut class = TagClass::default();
    match element.tag {
        name!("b")
        | name!("big")
        | name!("em")
        | name!("font")
        | name!("i")
        | name!("small")
        | name!("strike")
        | name!("strong")
        | name!("u")
        | name!("s")
        | name!("sub")
        | name!("sup") => class.format = 1,
        name!("ul") | name!("ol") | name!("li") | name!("dl") | name!("dt") | name!("dd") => {
            class.list = 1
        }
        name!("h1")
        | name!("h2")
        | name!("h3")
        | name!("h4")
        | name!("h5")
        | name!("h6")
        | name!("p")
        | name!("center")
        | name!("br") => class.structuring = 1,
        _ => {}
    }
    if element.value(name!("align")).is_some() {
        class.structuring += 1;
    }
    class
}
