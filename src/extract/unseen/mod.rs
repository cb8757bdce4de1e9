//! What a page keeps from sight by what it says itself: elements that browsers show nothing of, inline
//! declarations, its own style sheets, in the order of the cascade (CSS Cascading Level 5 §6).
//!
//! Sheets and scripts that are loaded are not known here, so this tells less than a browser sees.
//! Work is counted: beyond [`MAX_MATCHES`] tests of compound selectors, these hide nothing. Memory:
//! a bounded number of rules, and a few bytes for each node. Must not know: blocks, labels.

use super::dom::{Dom, Id, NONE};
use crate::html::{Space, name};

mod allowed;
mod cascade;
mod css;
mod escape;
mod grounds;
mod hiding;
mod index;
mod moving;
mod names;
mod native;
mod paint;
mod selector;
mod shadow;
mod sheets;
mod values;
mod variables;
mod verdict;
mod walk;
mod written;

use cascade::{Cascade, Own};
use css::{CARRIED, COMMON, INHERITED, Properties, Property};
use hiding::Hiding;
use names::Classes;
use paint::Letters;
use selector::Selector;
use sheets::Sheets;
use verdict::Verdict;
use walk::Walk;

/// Elements compared with compound selectors of one page.
const MAX_MATCHES: u64 = 4_000_000;

/// Which elements of a page nobody sees.
#[derive(Debug, Default)]
pub struct Unseen {
    /// Of each node the outermost element that hides it, [`NONE`] if it is seen; empty if all is.
    by: Vec<Id>,
    /// Something that would be hidden is the part that readers pay for, and counts as seen.
    pub paid: bool,
    /// The page's sheets took more work than is done: what they hide is not all known.
    pub full: bool,
}

impl Unseen {
    /// The outermost element that keeps a node from sight.
    #[inline]
    pub fn by(&self, id: Id) -> Option<Id> {
        self.by.get(id as usize).copied().filter(|&by| by != NONE)
    }
}

/// Finds what a page hides.
pub fn of(dom: &Dom) -> Unseen {
    let written = written::sheets(dom);
    let classes = match written.sheets.is_empty() {
        true => Classes::default(),
        false => Classes::of(dom),
    };
    let mut sheets = Sheets::of(dom, &written, &classes);
    let index = sheets.index();
    let hiding: Hiding<'_> = std::mem::take(&mut sheets.hiding);
    let alone = hiding.grounds.is_some();
    let mut budget = MAX_MATCHES;
    let mut walk = Walk::new(dom, &index, &hiding, &classes);
    let Suspects { suspects, common, again, wanted, roots, undrawn } =
        suspects(dom, &mut walk, &mut budget);
    if suspects.is_empty() && roots.is_empty() && undrawn.is_empty() {
        return Unseen { full: sheets.full || budget == 0, ..Unseen::default() };
    }
    let mut verdict = Verdict::new(dom, &sheets, &hiding, &walk, budget);
    let all = verdict.of(&suspects, common, again, wanted);
    let mut paid = false;
    let mut own: Vec<(Id, Own)> = Vec::new();
    for (id, mut found) in all {
        if is_page(dom, id) {
            found = Own { colours: found.colours, ..Own::default() };
        } else if found.hides() && verdict.is_paid(id) {
            paid = true;
            continue;
        }
        if found != Own::default() {
            own.push((id, found));
        }
    }
    let hides = |id| own.binary_search_by_key(&id, |(id, _)| *id).is_ok_and(|at| own[at].1.hides());
    let mut left_out = shadow::unslotted(dom, &roots, hides, &mut verdict.budget);
    left_out.extend(undrawn);
    if !left_out.is_empty() {
        own.retain(|(id, _)| !left_out.contains(id));
        own.extend(left_out.into_iter().map(|id| (id, Own { gone: true, ..Own::default() })));
        own.sort_unstable_by_key(|(id, _)| *id);
    }
    let painted = !wanted.both(Properties::of(&paint::COLOURS)).is_empty();
    let any = painted || own.iter().any(|(_, own)| own.hides());
    Unseen {
        by: if any { inherit(dom, &own, Letters::of_page(alone)) } else { Vec::new() },
        paid,
        full: sheets.full || verdict.full || verdict.budget == 0,
    }
}

/// Does a `style` attribute keep its element from sight by `display` or `visibility`?
pub fn takes_away(style: &str) -> bool {
    const ASKED: Properties = Properties::of(&[Property::Display, Property::Visibility]);
    // Most say nothing of it.
    let mut cascade: Option<Cascade> = None;
    css::about(style, ASKED, &mut |declaration| {
        if ASKED.has(declaration.property) {
            cascade.get_or_insert_default().put_inline(declaration);
        }
    });
    cascade.as_ref().is_some_and(|cascade| cascade.own(false, |_| None).hides())
}

/// What is found of a page's elements before it is known what shows them again.
struct Suspects {
    /// The elements that may be hidden, with those in them that may be shown; in the order of their numbers.
    suspects: Vec<Id>,
    /// Those of them that may be hidden by what most rules speak of …
    common: Vec<Id>,
    /// … with those in them that may be shown.
    again: Vec<Id>,
    /// By which properties.
    wanted: Properties,
    /// Templates that say that they make shadow roots.
    roots: Vec<Id>,
    /// Texts that are not drawn where they stand.
    undrawn: Vec<Id>,
}

fn suspects(dom: &Dom, walk: &mut Walk<'_>, budget: &mut u64) -> Suspects {
    let (mut suspects, mut wanted) = (Vec::new(), Properties::default());
    let (mut inner, mut painted, mut roots) = (Vec::new(), Vec::new(), Vec::new());
    let (mut common, mut undrawn) = (Vec::new(), Vec::new());
    // In the order in which they were made, which is nearly always that of the page.
    for id in 0..dom.nodes.len() as Id {
        let Some(element) = dom.element(id) else { continue };
        let properties = walk.enter(element, budget);
        if element.tag == name!("template") && shadow::is_declared(dom, id) {
            roots.push(id);
        }
        if element.space == Space::MathMl {
            undrawn.extend(native::undrawn(dom, &element));
        }
        if properties.is_empty() {
            continue;
        }
        let colours =
            properties.both(Properties::of(&[Property::Color, Property::Fill, Property::Ground]));
        let properties = if is_page(dom, id) { colours } else { properties };
        // Much that is hidden is a picture. A slot holds what stands elsewhere.
        if properties.is_empty() || !holds_text(dom, id, !roots.is_empty()) {
            continue;
        }
        suspects.push(id);
        wanted.join(properties);
        if !properties.both(COMMON).is_empty() {
            common.push(id);
        }
        if !properties.both(CARRIED).is_empty() || !colours.is_empty() {
            inner.push((id, !properties.both(COMMON).is_empty()));
        }
        if !colours.is_empty() {
            painted.push(id);
        }
    }
    let mut again = common.clone();
    if !painted.is_empty() {
        // What is around letters is behind them.
        let mut known = vec![false; dom.nodes.len()];
        for &id in &painted {
            let new = |&id: &Id| !std::mem::replace(&mut known[id as usize], true);
            let around = dom.ancestors(id).take_while(new);
            again.extend(around.filter(|&id| dom.element(id).is_some()));
        }
    }
    if !inner.is_empty() {
        let mut below = vec![false; dom.nodes.len()];
        // Those that may be hidden by what most rules speak of first.
        inner.sort_by_key(|(_, common)| !common);
        for (outer, common) in inner {
            let mut next = dom.first_child(outer).filter(|_| !below[outer as usize]);
            while let Some(id) = next {
                // What is below another such element is known.
                let known = std::mem::replace(&mut below[id as usize], true);
                if !known && dom.element(id).is_some() {
                    let of = if common { &mut again } else { &mut suspects };
                    of.push(id);
                }
                let inside = dom.first_child(id).filter(|_| !known);
                next = inside.or_else(|| Some(dom.after(id, outer)).filter(|&id| id != NONE));
            }
        }
    }
    suspects.extend(&again);
    suspects.sort_unstable();
    suspects.dedup();
    Suspects { suspects, common, again, wanted, roots, undrawn }
}

/// Does an element hold text, or a slot where `slots` count, as far as one looks?
fn holds_text(dom: &Dom, id: Id, slots: bool) -> bool {
    const MOST: usize = 64;
    let inside = std::iter::once(id).chain(dom.descend(id)).take(MOST);
    let mut seen = 0;
    for id in inside {
        seen += 1;
        if dom.text(id).is_some_and(|text| !text.trim_ascii().is_empty())
            || slots && dom.tag(id) == Some(name!("slot"))
        {
            return true;
        }
    }
    seen == MOST
}

/// Is it what the whole page stands in? What hides that is taken away by a script, or there is no page.
fn is_page(dom: &Dom, id: Id) -> bool {
    matches!(dom.tag(id), Some(name!("html") | name!("body")))
}

/// Is the element the part of an article that readers pay for? Publishers send it hidden behind the
/// opening paragraphs, and a script shows it to subscribers.
fn is_paid(dom: &Dom, id: Id, declared: &[Selector], budget: &mut u64) -> bool {
    let named = |name| {
        let value = dom.value(id, name);
        value.is_some_and(|value| value.to_ascii_lowercase().contains("paywall"))
    };
    named(name!("class"))
        || named(name!("id"))
        || is_streamed(dom, id)
        || declared.iter().any(|selector| selector.matches(dom, id, &[], budget))
}

/// Is it a part that a server of React sent after the rest? It comes hidden under a name such as `S:0`,
/// and a script puts it where it belongs at once.
fn is_streamed(dom: &Dom, id: Id) -> bool {
    let part = |id: &str| {
        let number = id.strip_prefix("S:").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    dom.value(id, name!("id")).is_some_and(|id| part(&id))
}

/// What the page's linked data names as its paid part (schema.org `hasPart.cssSelector`).
fn declared_paid(dom: &Dom) -> Vec<Selector> {
    const NAME: &str = "\"cssSelector\"";
    const MOST: usize = 8;
    // No other script's text is in the tree.
    let scripts = (0..).zip(&dom.nodes).filter(|(_, node)| node.name() == name!("script"));
    let scripts = scripts.map(|(id, _)| id).filter(|&id| dom.tag(id).is_some());
    let texts = scripts.flat_map(|id| dom.children(id)).filter_map(|id| dom.text(id));
    let values = texts.flat_map(|text| {
        let places = memchr::memmem::find_iter(text.as_bytes(), NAME);
        places.filter_map(move |at| {
            let rest = text.get(at + NAME.len()..)?.trim_start().strip_prefix(':')?.trim_start();
            rest.strip_prefix('"')?.split('"').next().filter(|value| value.len() <= 200)
        })
    });
    let parts = values.take(MOST).flat_map(selector::parts);
    parts.take(MOST).filter_map(|text| selector::selector(text, None)).collect()
}

/// Carries what elements say to what is in them; all else is seen. `letters`: before anything is said.
fn inherit(dom: &Dom, own: &[(Id, Own)], letters: Letters) -> Vec<Id> {
    let mut by = vec![NONE; dom.nodes.len()];
    let mut some = Bits::of(dom);
    own.iter().for_each(|(id, _)| some.set(*id));
    // Nodes that have been told, and those that no element that says something is around.
    let (mut told, mut free) = (Bits::of(dom), Bits::of(dom));
    let mut above = Vec::new();
    for &(id, _) in own {
        if told.has(id) {
            continue;
        }
        let mut top = id;
        above.clear();
        for around in dom.ancestors(id).take_while(|&around| !free.has(around)) {
            above.push(around);
            if some.has(around) {
                top = around;
                above.clear();
            }
        }
        above.iter().for_each(|&around| free.set(around));
        within(dom, top, own, &some, letters, |id, hidden| {
            told.set(id);
            by[id as usize] = hidden;
        });
    }
    by
}

/// Calls `each` with an element, which nothing around says something of, and all that is in it, and with what hides it.
fn within(
    dom: &Dom,
    top: Id,
    own: &[(Id, Own)],
    some: &Bits,
    letters: Letters,
    mut each: impl FnMut(Id, Id),
) {
    #[derive(Clone, Copy)]
    struct State {
        gone: Option<Id>,
        inherited: [Option<Id>; INHERITED.len()],
        letters: Letters,
        lost: Option<Id>,
    }
    impl State {
        fn by(self) -> Id {
            let inherited = self.inherited.into_iter().flatten().next();
            self.gone.or(inherited).or(self.lost).unwrap_or(NONE)
        }
    }
    let outside = State { gone: None, inherited: [None; INHERITED.len()], letters, lost: None };
    let known = |id: Id| {
        // Most have none.
        some.has(id).then_some(())?;
        own.binary_search_by_key(&id, |(id, _)| *id).ok().map(|found| own[found].1)
    };
    // States that differ from the parent's, of the elements that are open, and what hides by the last of them.
    let mut open: Vec<(Id, State)> = Vec::new();
    let mut by = NONE;
    let mut at = top;
    while at != NONE {
        while open.last().is_some_and(|(end, _)| *end == at) {
            open.pop();
            by = open.last().map_or(NONE, |(_, state)| state.by());
        }
        let mut here = by;
        if let Some(own) = known(at) {
            let mut state = open.last().map_or(outside, |(_, state)| *state);
            let set = |now: Option<bool>, before: Option<Id>| match now {
                Some(true) => before.or(Some(at)),
                Some(false) => None,
                None => before,
            };
            if own.gone && state.gone.is_none() {
                // What already hides it from further out goes on to name it.
                state.gone = state.inherited.into_iter().flatten().next().or(Some(at));
            }
            for (state, own) in state.inherited.iter_mut().zip(own.inherited) {
                *state = set(own, *state);
            }
            state.letters.set(own.colours);
            state.lost = set(Some(state.letters.are_lost()), state.lost);
            here = state.by();
            if dom.first_child(at).is_some() {
                open.push((dom.after(at, top), state));
                by = here;
            }
        }
        each(at, here);
        at = dom.first_child(at).unwrap_or_else(|| dom.after(at, top));
    }
}

/// A bit for each node.
struct Bits(Vec<u64>);

impl Bits {
    fn of(dom: &Dom) -> Bits {
        Bits(vec![0; dom.nodes.len() / 64 + 1])
    }

    #[inline]
    fn has(&self, id: Id) -> bool {
        self.0.get(id as usize / 64).is_some_and(|bits| bits >> (id % 64) & 1 != 0)
    }

    #[inline]
    fn set(&mut self, id: Id) {
        if let Some(bits) = self.0.get_mut(id as usize / 64) {
            *bits |= 1 << (id % 64);
        }
    }
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod naive_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod written_tests;
