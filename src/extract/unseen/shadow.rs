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

/// Is it a template that makes a shadow root, if it is the first of its host?
pub(super) fn is_root(dom: &Dom, id: Id) -> bool {
    dom.tag(id) == Some(name!("template")) && dom.value(id, name!("shadowrootmode")).is_some()
}

/// What shadow roots leave out: what stands beside them and has no slot there, and what slots hold for the case
/// that nothing has them (DOM §4.2.2). `hides`: the element hides what is in it.
pub(super) fn unslotted(
    dom: &Dom,
    roots: &[Id],
    hides: impl Fn(Id) -> bool,
    budget: &mut u64,
) -> HashSet<Id, RandomState> {
    let mut out = HashSet::default();
    let mut hosts = HashSet::<Id, RandomState>::default();
    for &root in roots {
        let Some(host) = dom.parent(root).filter(|&host| hosts.insert(host)) else { continue };
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
                let around = std::iter::once(id).chain(dom.ancestors(id));
                let mut around = around.take_while(|&id| id != root);
                let hidden = around.any(|id| {
                    *budget = budget.saturating_sub(1);
                    hides(id)
                });
                new.insert((id, hidden));
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
