//! What browsers do not show by themselves: their own style sheet (HTML §15.3.1, MathML Core §2.2).
//!
//! Must not know: the page's sheets.

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::cascade::{HIDDEN, Weighted};

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
