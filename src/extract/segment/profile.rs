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
    pub fn role(self, dom: &Dom, id: Id, element: &Element) -> Role {
        match self {
            Profile::Text => Role::Bound,
            Profile::Ziegler2007 => ziegler2007(element),
            Profile::Modern => modern(dom, id, element),
            Profile::Gibson2007 => gibson2007(element),
            Profile::Leaf2009 => leaf2009(dom, id, element),
        }
    }
}

fn modern(dom: &Dom, id: Id, element: &Element) -> Role {
    if !is_html(element) {
        return if element.ns == ns!(mathml) { Role::Inline } else { Role::Prune };
    }
    let role = match element.tag {
        local_name!("a")
        | local_name!("abbr")
        | local_name!("acronym")
        | local_name!("b")
        | local_name!("bdi")
        | local_name!("bdo")
        | local_name!("big")
        | local_name!("blink")
        | local_name!("cite")
        | local_name!("code")
        | local_name!("data")
        | local_name!("del")
        | local_name!("dfn")
        | local_name!("em")
        | local_name!("font")
        | local_name!("i")
        | local_name!("ins")
        | local_name!("kbd")
        | local_name!("label")
        | local_name!("mark")
        | local_name!("nobr")
        | local_name!("output")
        | local_name!("q")
        | local_name!("ruby")
        | local_name!("s")
        | local_name!("samp")
        | local_name!("small")
        | local_name!("span")
        | local_name!("strike")
        | local_name!("strong")
        | local_name!("sub")
        | local_name!("sup")
        | local_name!("time")
        | local_name!("tt")
        | local_name!("u")
        | local_name!("var")
        | local_name!("wbr") => Role::Inline,
        local_name!("br") => return Role::Break,
        local_name!("img") | local_name!("picture") | local_name!("video") => return Role::Image,
        local_name!("script")
        | local_name!("style")
        | local_name!("head")
        | local_name!("title")
        | local_name!("iframe")
        | local_name!("select")
        | local_name!("option")
        | local_name!("datalist")
        | local_name!("textarea")
        | local_name!("input")
        | local_name!("audio")
        | local_name!("canvas")
        | local_name!("object")
        | local_name!("embed")
        | local_name!("map")
        | local_name!("rp")
        | local_name!("rt")
        | local_name!("meta")
        | local_name!("link")
        | local_name!("noembed")
        | local_name!("noframes") => return Role::Prune,
        local_name!("template") => {
            // A declarative shadow root is rendered, any other template is not.
            let shown = dom.attr(id, "shadowrootmode").is_some();
            return if shown { Role::Bound } else { Role::Prune };
        }
        _ if element.tag.contains('-') => custom(dom, id),
        _ => return Role::Bound,
    };
    if role == Role::Inline && shown_as_block(element) { Role::Bound } else { role }
}

/// What a browser shows, without its style sheets: the roles of *modern*, which tell what stands in
/// one line, less what markup hides; frames are leaves, as what they show is not in the page.
fn leaf2009(dom: &Dom, id: Id, element: &Element) -> Role {
    match element.tag {
        _ if context::is_hidden(element) => Role::Prune,
        local_name!("noscript") => Role::Prune,
        local_name!("iframe") => Role::Image,
        local_name!("picture") => Role::Inline,
        _ => modern(dom, id, element),
    }
}

/// Custom elements are inline by default and containers by custom: inline only amid running text.
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
fn shown_as_block(element: &Element) -> bool {
    element
        .attrs
        .iter()
        .find(|a| a.name.local == local_name!("style"))
        .and_then(|a| a.value.split_once("display"))
        .is_some_and(|(_, rest)| {
            let value = rest.trim_start_matches([' ', ':']);
            value.starts_with("block") || value.starts_with("flex") || value.starts_with("grid")
        })
}

/// Fig. 2 of Ziegler & Skubacz 2007. Of elements named twice, CITE and SAMP are removed with space
/// and FRAMESET is pruned; "H.L" is HTML.
fn ziegler2007(element: &Element) -> Role {
    match element.tag {
        local_name!("br")
        | local_name!("caption")
        | local_name!("center")
        | local_name!("cite")
        | local_name!("dd")
        | local_name!("div")
        | local_name!("dl")
        | local_name!("dt")
        | local_name!("frame")
        | local_name!("hr")
        | local_name!("html")
        | local_name!("label")
        | local_name!("li")
        | local_name!("nobr")
        | local_name!("ol")
        | local_name!("p")
        | local_name!("pre")
        | local_name!("s")
        | local_name!("samp")
        | local_name!("u")
        | local_name!("ul")
        | local_name!("wbr")
        | local_name!("xmp") => Role::Space,
        local_name!("a")
        | local_name!("b")
        | local_name!("big")
        | local_name!("blink")
        | local_name!("em")
        | local_name!("font")
        | local_name!("form")
        | local_name!("i")
        | local_name!("small")
        | local_name!("span")
        | local_name!("strike")
        | local_name!("strong")
        | local_name!("sub")
        | local_name!("sup")
        | local_name!("var") => Role::Inline,
        local_name!("address")
        | local_name!("applet")
        | local_name!("area")
        | local_name!("base")
        | local_name!("bgsound")
        | local_name!("button")
        | local_name!("col")
        | local_name!("colgroup")
        | local_name!("del")
        | local_name!("dir")
        | local_name!("embed")
        | local_name!("fieldset")
        | local_name!("frameset")
        | local_name!("head")
        | local_name!("input")
        | local_name!("ins")
        | local_name!("listing")
        | local_name!("map")
        | local_name!("option")
        | local_name!("script")
        | local_name!("style")
        | local_name!("textarea") => Role::Prune,
        local_name!("img") => Role::Image,
        _ if &*element.tag == "comment" => Role::Prune,
        _ => Role::Bound,
    }
}

/// §5 of Gibson et al. 2007. What they do not name because it is younger, or has no words of the
/// page (templates, frames' stand-in text, drawings), is left out as scripts and styles are.
fn gibson2007(element: &Element) -> Role {
    if !is_html(element) {
        return if element.ns == ns!(mathml) { Role::Bound } else { Role::Prune };
    }
    match element.tag {
        local_name!("a")
        | local_name!("ins")
        | local_name!("del")
        | local_name!("span")
        | local_name!("bdo")
        | local_name!("em")
        | local_name!("strong")
        | local_name!("dfn")
        | local_name!("code")
        | local_name!("samp")
        | local_name!("kbd")
        | local_name!("var")
        | local_name!("cite")
        | local_name!("abbr")
        | local_name!("acronym")
        | local_name!("q")
        | local_name!("sub")
        | local_name!("sup")
        | local_name!("tt")
        | local_name!("i")
        | local_name!("b")
        | local_name!("big")
        | local_name!("small")
        | local_name!("u")
        | local_name!("s")
        | local_name!("strike")
        | local_name!("basefont")
        | local_name!("font") => Role::Inline,
        local_name!("img") => Role::Image,
        local_name!("script")
        | local_name!("style")
        | local_name!("title")
        | local_name!("template")
        | local_name!("iframe")
        | local_name!("noembed")
        | local_name!("noframes") => Role::Prune,
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
pub(super) fn tag_class(element: &Element) -> TagClass {
    let mut class = TagClass::default();
    match element.tag {
        local_name!("b")
        | local_name!("big")
        | local_name!("em")
        | local_name!("font")
        | local_name!("i")
        | local_name!("small")
        | local_name!("strike")
        | local_name!("strong")
        | local_name!("u")
        | local_name!("s")
        | local_name!("sub")
        | local_name!("sup") => class.format = 1,
        local_name!("ul")
        | local_name!("ol")
        | local_name!("li")
        | local_name!("dl")
        | local_name!("dt")
        | local_name!("dd") => class.list = 1,
        local_name!("h1")
        | local_name!("h2")
        | local_name!("h3")
        | local_name!("h4")
        | local_name!("h5")
        | local_name!("h6")
        | local_name!("p")
        | local_name!("center")
        | local_name!("br") => class.structuring = 1,
        _ => {}
    }
    if element.attrs.iter().any(|a| a.name.local == local_name!("align")) {
        class.structuring += 1;
    }
    class
}
