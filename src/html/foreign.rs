//! Names as SVG and MathML spell them (WHATWG HTML §13.2.6.1 and §13.2.6.5).

use super::attribute::Attribute;
use super::name::name;
use super::{Name, Space};

/// Attributes of SVG with capitals.
const SVG_ATTRIBUTES: &[&str] = &[
    "attributeName",
    "attributeType",
    "baseFrequency",
    "baseProfile",
    "calcMode",
    "clipPathUnits",
    "diffuseConstant",
    "edgeMode",
    "filterUnits",
    "glyphRef",
    "gradientTransform",
    "gradientUnits",
    "kernelMatrix",
    "kernelUnitLength",
    "keyPoints",
    "keySplines",
    "keyTimes",
    "lengthAdjust",
    "limitingConeAngle",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "maskContentUnits",
    "maskUnits",
    "numOctaves",
    "pathLength",
    "patternContentUnits",
    "patternTransform",
    "patternUnits",
    "pointsAtX",
    "pointsAtY",
    "pointsAtZ",
    "preserveAlpha",
    "preserveAspectRatio",
    "primitiveUnits",
    "refX",
    "refY",
    "repeatCount",
    "repeatDur",
    "requiredExtensions",
    "requiredFeatures",
    "specularConstant",
    "specularExponent",
    "spreadMethod",
    "startOffset",
    "stdDeviation",
    "stitchTiles",
    "surfaceScale",
    "systemLanguage",
    "tableValues",
    "targetX",
    "targetY",
    "textLength",
    "viewBox",
    "viewTarget",
    "xChannelSelector",
    "yChannelSelector",
    "zoomAndPan",
];

/// The name of an SVG element whose tag has this name in lower case.
pub(super) fn svg_name(name: Name) -> Name {
    match name {
        name!("altglyph") => name!("altGlyph"),
        name!("altglyphdef") => name!("altGlyphDef"),
        name!("altglyphitem") => name!("altGlyphItem"),
        name!("animatecolor") => name!("animateColor"),
        name!("animatemotion") => name!("animateMotion"),
        name!("animatetransform") => name!("animateTransform"),
        name!("clippath") => name!("clipPath"),
        name!("feblend") => name!("feBlend"),
        name!("fecolormatrix") => name!("feColorMatrix"),
        name!("fecomponenttransfer") => name!("feComponentTransfer"),
        name!("fecomposite") => name!("feComposite"),
        name!("feconvolvematrix") => name!("feConvolveMatrix"),
        name!("fediffuselighting") => name!("feDiffuseLighting"),
        name!("fedisplacementmap") => name!("feDisplacementMap"),
        name!("fedistantlight") => name!("feDistantLight"),
        name!("fedropshadow") => name!("feDropShadow"),
        name!("feflood") => name!("feFlood"),
        name!("fefunca") => name!("feFuncA"),
        name!("fefuncb") => name!("feFuncB"),
        name!("fefuncg") => name!("feFuncG"),
        name!("fefuncr") => name!("feFuncR"),
        name!("fegaussianblur") => name!("feGaussianBlur"),
        name!("feimage") => name!("feImage"),
        name!("femerge") => name!("feMerge"),
        name!("femergenode") => name!("feMergeNode"),
        name!("femorphology") => name!("feMorphology"),
        name!("feoffset") => name!("feOffset"),
        name!("fepointlight") => name!("fePointLight"),
        name!("fespecularlighting") => name!("feSpecularLighting"),
        name!("fespotlight") => name!("feSpotLight"),
        name!("fetile") => name!("feTile"),
        name!("feturbulence") => name!("feTurbulence"),
        name!("foreignobject") => name!("foreignObject"),
        name!("glyphref") => name!("glyphRef"),
        name!("lineargradient") => name!("linearGradient"),
        name!("radialgradient") => name!("radialGradient"),
        name!("textpath") => name!("textPath"),
        _ => name,
    }
}

/// Prefix and name of an attribute of an element of this namespace.
pub(super) fn adjusted(space: Space, attribute: &Attribute<'_>) -> (&'static str, String) {
    let name = attribute.lower().into_owned();
    if space == Space::Html {
        return ("", name);
    }
    match name.as_str() {
        "xlink:actuate" | "xlink:arcrole" | "xlink:href" | "xlink:role" | "xlink:show"
        | "xlink:title" | "xlink:type" => return ("xlink", name[6..].to_owned()),
        "xml:lang" | "xml:space" => return ("xml", name[4..].to_owned()),
        "xmlns:xlink" => return ("xmlns", name[6..].to_owned()),
        "definitionurl" if space == Space::MathMl => return ("", "definitionURL".to_owned()),
        _ => {}
    }
    let capitals =
        SVG_ATTRIBUTES.iter().find(|a| space == Space::Svg && name.eq_ignore_ascii_case(a));
    ("", capitals.map_or(name, |&a| a.to_owned()))
}

/// Start tags that end foreign content; `font` only with some attributes.
pub(super) fn breaks_out(name: Name) -> bool {
    matches!(
        name,
        name!("b")
            | name!("big")
            | name!("blockquote")
            | name!("body")
            | name!("br")
            | name!("center")
            | name!("code")
            | name!("dd")
            | name!("div")
            | name!("dl")
            | name!("dt")
            | name!("em")
            | name!("embed")
            | name!("h1")
            | name!("h2")
            | name!("h3")
            | name!("h4")
            | name!("h5")
            | name!("h6")
            | name!("head")
            | name!("hr")
            | name!("i")
            | name!("img")
            | name!("li")
            | name!("listing")
            | name!("menu")
            | name!("meta")
            | name!("nobr")
            | name!("ol")
            | name!("p")
            | name!("pre")
            | name!("ruby")
            | name!("s")
            | name!("small")
            | name!("span")
            | name!("strong")
            | name!("strike")
            | name!("sub")
            | name!("sup")
            | name!("table")
            | name!("tt")
            | name!("u")
            | name!("ul")
            | name!("var")
    )
}
