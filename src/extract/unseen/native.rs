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
