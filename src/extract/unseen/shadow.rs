//! Shadow roots that a page writes down as templates (HTML §4.12.3.2): what they leave out of sight, and what
//! their sheets speak of.
//!
//! Must not know: how rules are found, what they say.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::extract::dom::{Dom, Id};
use crate::html::name;

use super::selector::{Parents, Place, Selector, selector};

/// Is it a template that says that it makes a shadow root?
pub(super) fn is_declared(dom: &Dom, id: Id) -> bool {
    dom.tag(id) == Some(name!("template")) && dom.value(id, name!("shadowrootmode")).is_some()
}

/// Does a template make one, if it is the first of its host that does: is its mode one, and may its host have a root
/// (DOM §4.9, "attach a shadow root")?
pub(super) fn is_root(dom: &Dom, id: Id) -> bool {
    let mode = dom.value(id, name!("shadowrootmode"));
    let known =
        |mode: &str| ["open", "closed"].iter().any(|known| mode.eq_ignore_ascii_case(known));
    dom.tag(id) == Some(name!("template"))
        && mode.is_some_and(|mode| known(&mode))
        && dom.parent(id).is_some_and(|host| may_host(dom, host))
}

fn may_host(dom: &Dom, host: Id) -> bool {
    match dom.tag(host) {
        Some(
            name!("article")
            | name!("aside")
            | name!("blockquote")
            | name!("body")
            | name!("div")
            | name!("footer")
            | name!("h1")
            | name!("h2")
            | name!("h3")
            | name!("h4")
            | name!("h5")
            | name!("h6")
            | name!("header")
            | name!("main")
            | name!("nav")
            | name!("p")
            | name!("section")
            | name!("span"),
        ) => true,
        // Names of custom elements have a hyphen.
        Some(tag) => !tag.is_known() && dom.name(host).contains('-'),
        None => false,
    }
}

/// What shadow roots leave out: what stands beside them and has no slot there, and what slots hold for the case
/// that nothing has them (DOM §4.2.2). `hides`: the element hides what is in it.
pub(super) fn unslotted(
    dom: &Dom,
    declared: &[Id],
    hides: impl Fn(Id) -> bool,
    budget: &mut u64,
) -> HashSet<Id, RandomState> {
    let mut out = HashSet::default();
    let mut hosts = HashSet::<Id, RandomState>::default();
    for &root in declared {
        let host = dom.parent(root).filter(|_| is_root(dom, root));
        let Some(host) = host.filter(|&host| hosts.insert(host)) else {
            out.insert(root);
            continue;
        };
        // Of one name, the first slot has it all.
        let mut slots = HashMap::<Cow<str>, (Id, bool), RandomState>::default();
        for id in dom.descend(root) {
            if *budget == 0 {
                return out;
            }
            *budget -= 1;
            if dom.tag(id) != Some(name!("slot")) {
                continue;
            }
            if let Entry::Vacant(new) =
                slots.entry(dom.value(id, name!("name")).unwrap_or_default())
            {
                let (mut hidden, mut real) = (false, true);
                for around in std::iter::once(id).chain(dom.ancestors(id)) {
                    if around == root {
                        break;
                    }
                    *budget = budget.saturating_sub(1);
                    // What is in another template is not part of the root.
                    real &= dom.tag(around) != Some(name!("template"));
                    hidden |= hides(around) || is_replaced(dom, around);
                }
                if real {
                    new.insert((id, hidden));
                }
            }
        }
        let mut taken = HashSet::<Id, RandomState>::default();
        for id in dom.children(host).filter(|&id| id != root) {
            if *budget == 0 {
                return out;
            }
            *budget -= 1;
            let slot = slots.get(&dom.value(id, name!("slot")).unwrap_or_default());
            if slot.is_none_or(|(_, hidden)| *hidden) {
                out.insert(id);
            }
            taken.extend(slot.map(|(slot, _)| *slot));
        }
        for slot in taken {
            out.extend(dom.children(slot));
        }
    }
    out
}

/// Is something else drawn in the place of what an element holds?
fn is_replaced(dom: &Dom, id: Id) -> bool {
    matches!(
        dom.tag(id),
        Some(
            name!("audio")
                | name!("canvas")
                | name!("meter")
                | name!("object")
                | name!("progress")
                | name!("select")
                | name!("video")
        )
    )
}

/// A selector of a sheet in a shadow root: it speaks of what is in the root, of its host and of what stands in its
/// slots (CSS Scoping Level 1 §3).
pub(super) fn selector_in(text: &str, parents: Option<&Parents>, root: Id) -> Option<Selector> {
    let (text, place) = match (text.strip_prefix(":host"), text.strip_prefix("::slotted(")) {
        (Some(""), _) => ("*", Place::Host),
        (Some(rest), _) => (rest.strip_prefix('(')?.strip_suffix(')')?, Place::Host),
        (_, Some(rest)) => (rest.strip_suffix(')')?, Place::Slotted),
        _ => (text, Place::Inside),
    };
    Some(selector(text, parents)?.at(place, root))
}
