//! What browsers do not show by themselves: their own style sheet (HTML §15.3.1, MathML Core §2.2).
//!
//! Must not know: the page's sheets.

use crate::extract::dom::{Dom, Element, Id};
use crate::html::{Name, Space, name};

use super::cascade::{HIDDEN, Weighted};
use super::css::{self, Declaration, Effect, Property, Reading};

/// Attributes that it speaks of.
pub(super) const ATTRIBUTES: [Name; 2] = [name!("popover"), name!("hidden")];

/// May it hide an element with this tag that has none of these and is none of MathML?
pub(super) fn speaks_of(tag: Name) -> bool {
    matches!(tag, name!("dialog") | name!("meter") | name!("progress") | name!("noscript"))
}

/// The browser's own declaration for an element, which any of the page's overrules, unless it is important.
pub(super) fn declaration(dom: &Dom, id: Id) -> Option<Weighted> {
    let element = dom.element(id)?;
    let hidden = match element.tag {
        _ if element.space == Space::MathMl => is_undrawn(dom, id),
        name!("dialog") => dom.attr(id, "open").is_none(),
        // A gauge is drawn in the place of its text; what stands in for scripts is for browsers without them.
        name!("meter") | name!("progress") | name!("noscript") => {
            let mut gauge = HIDDEN;
            gauge.declaration.important = true;
            return Some(gauge);
        }
        // Most say nothing of it.
        _ if !element.may_have(&ATTRIBUTES) => return None,
        _ => element.value(name!("popover")).is_some(),
    };
    (hidden || element.value(name!("hidden")).is_some()).then_some(HIDDEN)
}

/// Does an element of MathML draw nothing: annotations, phantoms, all but the first child of what offers several, letters
/// of no size (MathML Core §2.1.6, §3.3.5, §3.5, §3.6)?
fn is_undrawn(dom: &Dom, id: Id) -> bool {
    let one_of_several = || {
        let parent = dom.parent(id).map(|parent| dom.name(parent));
        let mut before = std::iter::successors(dom.prev_sibling(id), |&id| dom.prev_sibling(id));
        matches!(parent, Some("semantics" | "maction"))
            && before.any(|id| dom.element(id).is_some())
    };
    let mut sizeless = false;
    if let Some(size) = dom.attr(id, "mathsize") {
        css::declarations(&format!("font-size:{size}"), Reading::All, &mut |declaration| {
            sizeless |= matches!(declaration.effect, Effect::Hides);
        });
    }
    matches!(dom.name(id), "annotation" | "annotation-xml" | "mphantom")
        || sizeless
        || one_of_several()
}

/// The texts that an element of MathML does not draw: letters are drawn in tokens alone (MathML Core §2.1.1).
pub(super) fn undrawn<'d>(
    dom: &'d Dom<'d>,
    element: &Element<'_>,
) -> impl Iterator<Item = Id> + 'd {
    let token = matches!(
        element.tag,
        name!("mi") | name!("mn") | name!("mo") | name!("ms") | name!("mtext")
    );
    let some = (element.space == Space::MathMl && !token).then_some(element.id);
    let children = some.into_iter().flat_map(|id| dom.children(id));
    children.filter(|&id| dom.text(id).is_some_and(|text| !text.trim_ascii().is_empty()))
}

/// Colours by the browser's sheet and by attributes of old (HTML §15.3.4, §15.4), which any of the page's overrules.
pub(super) fn paints(dom: &Dom, id: Id, each: &mut impl FnMut(Weighted)) {
    let Some(element) = dom.element(id) else { return };
    let mut put = |property, effect| {
        each(Weighted {
            declaration: Declaration { property, effect, important: false },
            ..HIDDEN
        });
    };
    let mut asked: [Option<(&str, Property)>; 2] = [None, None];
    match element.tag {
        name!("a") if element.value(name!("href")).is_some() => {
            put(Property::Color, Effect::Painted([0, 0, 238]));
        }
        name!("mark") => {
            put(Property::Color, Effect::Painted([0; 3]));
            put(Property::Ground, Effect::Painted([255, 255, 0]));
        }
        name!("button") | name!("input") | name!("select") | name!("textarea") => {
            put(Property::Color, Effect::Shows);
            put(Property::Ground, Effect::Shows);
        }
        name!("font") => asked = [Some(("color", Property::Color)), None],
        name!("body") => {
            asked = [Some(("text", Property::Color)), Some(("bgcolor", Property::Ground))];
        }
        name!("table")
        | name!("tbody")
        | name!("thead")
        | name!("tr")
        | name!("td")
        | name!("th") => asked = [Some(("bgcolor", Property::Ground)), None],
        _ => {}
    }
    for (attribute, property) in asked.into_iter().flatten() {
        if let Some(value) = dom.attr(id, attribute)
            && let Some(effect) = css::colour_of_old(property, &value)
        {
            put(property, effect);
        }
    }
}

/// Does an element have a box of its own, by the browser's sheet (HTML §15.3)? Others stand in lines.
pub(super) fn is_boxed(dom: &Dom, id: Id) -> bool {
    matches!(
        dom.tag(id),
        Some(
            name!("address")
                | name!("article")
                | name!("aside")
                | name!("blockquote")
                | name!("center")
                | name!("dd")
                | name!("details")
                | name!("dialog")
                | name!("div")
                | name!("dl")
                | name!("dt")
                | name!("fieldset")
                | name!("figcaption")
                | name!("figure")
                | name!("footer")
                | name!("form")
                | name!("h1")
                | name!("h2")
                | name!("h3")
                | name!("h4")
                | name!("h5")
                | name!("h6")
                | name!("header")
                | name!("hgroup")
                | name!("legend")
                | name!("li")
                | name!("main")
                | name!("menu")
                | name!("nav")
                | name!("ol")
                | name!("p")
                | name!("pre")
                | name!("search")
                | name!("section")
                | name!("summary")
                | name!("ul")
        )
    )
}
