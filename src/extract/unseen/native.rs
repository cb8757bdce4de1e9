//! What browsers do not show by themselves: their own style sheet (HTML §15.3.1, MathML Core §2.2).
//!
//! Must not know: the page's sheets.

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::cascade::{HIDDEN, Weighted};
use super::css::{self, Declaration, Effect, Property};

/// The browser's own declaration for an element, which any of the page's overrules, unless it is important.
pub(super) fn declaration(dom: &Dom, id: Id) -> Option<Weighted> {
    let element = dom.element(id)?;
    let hidden = match element.tag {
        name!("dialog") => dom.attr(id, "open").is_none(),
        name!("annotation") | name!("annotation-xml") => true,
        // A gauge is drawn in the place of its text; what stands in for scripts is for browsers without them.
        name!("meter") | name!("progress") | name!("noscript") => {
            let mut gauge = HIDDEN;
            gauge.declaration.important = true;
            return Some(gauge);
        }
        _ => element.value(name!("popover")).is_some(),
    };
    (hidden || element.value(name!("hidden")).is_some()).then_some(HIDDEN)
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
